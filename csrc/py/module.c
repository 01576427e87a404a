/* bounded_web_tool._core: the module and what is put into it when it is executed. */
#include "py/functions.h"
#include "py/types.h"

static int add_constants(PyObject *module)
{
    if (PyModule_AddStringConstant(module, "VERSION", BWT_VERSION) < 0) return -1;
    if (PyModule_AddStringConstant(module, "SCHEMA_VERSION", BWT_SCHEMA_VERSION) < 0) return -1;
    return PyModule_AddIntConstant(module, "MAX_RETRY_AFTER_MS", (long)BWT_MAX_RETRY_AFTER_MS);
}

static int find_helpers(pybwt_state *state)
{
    state->name_now_ns = PyUnicode_InternFromString("now_ns");
    state->name_status = PyUnicode_InternFromString("status");
    if (state->name_now_ns == NULL || state->name_status == NULL) return -1;
    PyObject *time = PyImport_ImportModule("time");
    if (time == NULL) return -1;
    state->time_monotonic = PyObject_GetAttrString(time, "monotonic");
    Py_DECREF(time);
    return state->time_monotonic == NULL ? -1 : 0;
}

static int module_exec(PyObject *module)
{
    /* Enums and Hit first: the others build objects of them. */
    static int (*const add_types[])(PyObject *module, pybwt_state *state) = {
        pybwt_enums_add,       pybwt_hit_type_add,      pybwt_transport_types_add, pybwt_verdict_type_add,
        pybwt_policy_type_add, pybwt_validator_type_add, pybwt_budget_type_add,     pybwt_token_type_add,
        pybwt_attempt_type_add, pybwt_receipt_type_add,  pybwt_plan_type_add,       pybwt_retry_plan_type_add,
        pybwt_provider_type_add, pybwt_engine_type_add,  pybwt_outbox_type_add,
    };
    pybwt_state *state = pybwt_state_of_module(module);
    if (add_constants(module) < 0 || find_helpers(state) < 0 || pybwt_functions_add(module) < 0) return -1;
    for (size_t i = 0; i < sizeof add_types / sizeof add_types[0]; i++) {
        if (add_types[i](module, state) < 0) return -1;
    }
    return pybwt_lifecycle_add(module);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    pybwt_state *state = pybwt_state_of_module(module);
    return state == NULL ? 0 : pybwt_state_traverse(state, visit, arg);
}

static int module_clear(PyObject *module)
{
    pybwt_state *state = pybwt_state_of_module(module);
    if (state != NULL) pybwt_state_clear(state);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "bounded_web_tool._core",
    .m_doc = "The compiled core: types and machines over the C library.",
    .m_size = sizeof(pybwt_state),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&module_def);
}
