/* The functions of the module, and redaction for those who show a text themselves. */
#ifndef PYBWT_FUNCTIONS_H
#define PYBWT_FUNCTIONS_H

#include "py/state.h"

int pybwt_functions_add(PyObject *module);

/* A redacted str or bytes, of the type of value; the GIL is released for much text. */
typedef bwt_error (*pybwt_redactor)(bwt_str text, bwt_text *out);
PyObject *pybwt_redact(PyObject *value, const char *name, pybwt_redactor redactor);

#endif
