/* The library's error values as Python exceptions. */
#ifndef PYBWT_ERRORS_H
#define PYBWT_ERRORS_H

#include "py/state.h"

/* Sets MemoryError, ValueError ("FIELD: EXPECTED"), RuntimeError or OSError; returns NULL. complaint may be NULL. */
PyObject *pybwt_raise(bwt_error error, const bwt_complaint *complaint);

#endif
