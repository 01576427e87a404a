/* Each type of the module is added by one function, called once from module.c; 0 or -1 with an exception. */
#ifndef PYBWT_TYPES_H
#define PYBWT_TYPES_H

#include "py/state.h"

/* Makes the heap type of spec, keeps it in *slot and adds it to the module under its own name. */
int pybwt_type_add(PyObject *module, PyType_Spec *spec, PyTypeObject **slot);

int pybwt_enums_add(PyObject *module, pybwt_state *state);
int pybwt_hit_type_add(PyObject *module, pybwt_state *state);
int pybwt_transport_types_add(PyObject *module, pybwt_state *state); /* TransportRequest, TransportResponse */
int pybwt_verdict_type_add(PyObject *module, pybwt_state *state);
int pybwt_policy_type_add(PyObject *module, pybwt_state *state);
int pybwt_attempt_type_add(PyObject *module, pybwt_state *state);
int pybwt_receipt_type_add(PyObject *module, pybwt_state *state);
int pybwt_budget_type_add(PyObject *module, pybwt_state *state);
int pybwt_validator_type_add(PyObject *module, pybwt_state *state);
int pybwt_token_type_add(PyObject *module, pybwt_state *state);
int pybwt_plan_type_add(PyObject *module, pybwt_state *state);
int pybwt_retry_plan_type_add(PyObject *module, pybwt_state *state);
int pybwt_provider_type_add(PyObject *module, pybwt_state *state);
int pybwt_engine_type_add(PyObject *module, pybwt_state *state);
int pybwt_outbox_type_add(PyObject *module, pybwt_state *state);
int pybwt_lifecycle_add(PyObject *module); /* closes every engine before the interpreter ends */

/* Borrowed views of objects whose type was checked by the caller. */
const bwt_policy *pybwt_policy_of(PyObject *policy);
bwt_validator *pybwt_validator_of(PyObject *validator);
bwt_provider *pybwt_provider_of(PyObject *provider);
bwt_outbox *pybwt_outbox_of(PyObject *outbox); /* NULL and an exception when closed */
PyObject *pybwt_verdict_out(pybwt_state *state, bwt_verdict verdict);
int pybwt_verdict_in(pybwt_state *state, PyObject *verdict, bwt_verdict *out);

#endif
