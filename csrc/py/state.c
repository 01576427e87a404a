/* Finding, visiting and dropping what the module owns. */
#include "py/state.h"

/* X(member): every owned reference of the state apart from the enums. */
#define OWNED_LIST(X)                                                                                                \
    X(hit_type) X(request_type) X(response_type) X(verdict_type) X(policy_type) X(validator_type) X(budget_type)     \
    X(token_type) X(attempt_type) X(receipt_type) X(plan_type) X(retry_plan_type) X(provider_type) X(engine_type)    \
    X(outbox_type) X(useful_verdict) X(engine_closed_error) X(default_engine) X(time_monotonic) X(name_now_ns)         \
    X(name_status)

pybwt_state *pybwt_state_of_module(PyObject *module)
{
    return PyModule_GetState(module);
}

pybwt_state *pybwt_state_of_type(PyTypeObject *type)
{
    return PyType_GetModuleState(type);
}

pybwt_state *pybwt_state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

int pybwt_state_traverse(pybwt_state *state, visitproc visit, void *arg)
{
#define VISIT(member) Py_VISIT(state->member);
    OWNED_LIST(VISIT)
#undef VISIT
    for (int vocab = 0; vocab < BWT_VOCAB_COUNT; vocab++) {
        Py_VISIT(state->enum_class[vocab]);
        if (state->enum_member[vocab] == NULL) continue;
        for (int i = 1; i <= bwt_vocab_size((bwt_vocab)vocab); i++) Py_VISIT(state->enum_member[vocab][i]);
    }
    return 0;
}

void pybwt_state_clear(pybwt_state *state)
{
#define CLEAR(member) Py_CLEAR(state->member);
    OWNED_LIST(CLEAR)
#undef CLEAR
    for (int vocab = 0; vocab < BWT_VOCAB_COUNT; vocab++) {
        Py_CLEAR(state->enum_class[vocab]);
        PyObject **members = state->enum_member[vocab];
        state->enum_member[vocab] = NULL;
        if (members == NULL) continue;
        for (int i = 1; i <= bwt_vocab_size((bwt_vocab)vocab); i++) Py_XDECREF(members[i]);
        PyMem_Free(members);
    }
}
