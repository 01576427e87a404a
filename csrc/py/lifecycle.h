/* What engine_type.c offers to the end of the interpreter. */
#ifndef PYBWT_LIFECYCLE_H
#define PYBWT_LIFECYCLE_H

#include "py/state.h"

/* Closes every live Engine of the module, each within a bound; the GIL is released meanwhile. */
void pybwt_engines_close(pybwt_state *state);

#endif
