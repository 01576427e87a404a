/* Each type of the module is added by one function, called once from module.c; 0 or -1 with an exception. */
#ifndef PYBWT_TYPES_H
#define PYBWT_TYPES_H

#include "py/state.h"

int pybwt_enums_add(PyObject *module, pybwt_state *state);
int pybwt_transport_types_add(PyObject *module, pybwt_state *state); /* Hit, TransportRequest, TransportResponse, Verdict */
int pybwt_policy_type_add(PyObject *module, pybwt_state *state);
int pybwt_receipt_types_add(PyObject *module, pybwt_state *state); /* AttemptRecord, Receipt */
int pybwt_budget_type_add(PyObject *module, pybwt_state *state);
int pybwt_validator_type_add(PyObject *module, pybwt_state *state);
int pybwt_token_type_add(PyObject *module, pybwt_state *state);
int pybwt_plan_types_add(PyObject *module, pybwt_state *state); /* Plan, RetryPlan */
int pybwt_provider_type_add(PyObject *module, pybwt_state *state);
int pybwt_engine_type_add(PyObject *module, pybwt_state *state);
int pybwt_outbox_type_add(PyObject *module, pybwt_state *state);

/* Borrowed views of objects whose type was checked by the caller. */
const bwt_policy *pybwt_policy_of(PyObject *policy);
bwt_validator *pybwt_validator_of(PyObject *validator);
bwt_provider *pybwt_provider_of(PyObject *provider);
bwt_outbox *pybwt_outbox_of(PyObject *outbox); /* NULL and an exception when closed */
int pybwt_verdict_in(pybwt_state *state, PyObject *verdict, bwt_verdict *out);

#endif
