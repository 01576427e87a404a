/* Sorting the arguments of a call. */
#ifndef PYBWT_ARGUMENTS_H
#define PYBWT_ARGUMENTS_H

#include "py/state.h"

/* Sorts the arguments of a call into values[], which has a borrowed reference or NULL for each name. The first
 * `positional` names may be given by position, the first `required` must be given. TypeErrors name the argument, and
 * redact the name of one that is unknown. */
typedef struct pybwt_signature {
    const char *function;
    const char *const *names;
    Py_ssize_t count;
    Py_ssize_t positional;
    Py_ssize_t required;
} pybwt_signature;
int pybwt_arguments(const pybwt_signature *signature, PyObject *args, PyObject *kwargs, PyObject **values);

#endif
