/* Making tuples of Hit. */
#ifndef PYBWT_HIT_TYPE_H
#define PYBWT_HIT_TYPE_H

#include "py/state.h"

/* hits(*items): the module's function. */
PyObject *pybwt_hits(PyObject *module, PyObject *items);
/* A tuple of Hit from an iterable of Hit or of three-str sequences; name is the argument to blame. */
PyObject *pybwt_hits_in(pybwt_state *state, PyObject *items, const char *name);

#endif
