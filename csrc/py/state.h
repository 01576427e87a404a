/* What the module owns: its types, enums and interned strings. No static mutable state anywhere in py/. */
#ifndef PYBWT_STATE_H
#define PYBWT_STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bwt.h"

typedef struct pybwt_state {
    /* One StrEnum class a vocabulary, and its members by value (index 0 unused). */
    PyObject *enum_class[BWT_VOCAB_COUNT];
    PyObject **enum_member[BWT_VOCAB_COUNT];

    PyTypeObject *hit_type;
    PyTypeObject *request_type;
    PyTypeObject *response_type;
    PyTypeObject *verdict_type;
    PyTypeObject *policy_type;
    PyTypeObject *validator_type;
    PyTypeObject *budget_type;
    PyTypeObject *token_type;
    PyTypeObject *attempt_type;
    PyTypeObject *receipt_type;
    PyTypeObject *plan_type;
    PyTypeObject *retry_plan_type;
    PyTypeObject *provider_type;
    PyTypeObject *engine_type;
    PyTypeObject *outbox_type;

    PyObject *useful_verdict;
    PyObject *engine_closed_error;
    PyObject *default_engine; /* NULL until first asked for */
    struct pybwt_engine *engines; /* every live Engine, not owned, for the end of the interpreter */
    PyObject *time_monotonic; /* time.monotonic, to recognise the default clock */
    PyObject *name_now_ns;    /* interned "now_ns" */
    PyObject *name_status;    /* interned "status" */
} pybwt_state;

pybwt_state *pybwt_state_of_module(PyObject *module);
/* The state behind a type of ours (never NULL for one: the types are final). */
pybwt_state *pybwt_state_of_type(PyTypeObject *type);
pybwt_state *pybwt_state_of(PyObject *self);

int pybwt_state_traverse(pybwt_state *state, visitproc visit, void *arg);
void pybwt_state_clear(pybwt_state *state);

#endif
