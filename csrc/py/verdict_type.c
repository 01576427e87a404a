/* Verdict: useful, or the reason why not. */
#include "py/arguments.h"
#include "py/convert.h"
#include "py/record.h"
#include "py/types.h"

enum { VERDICT_USEFUL, VERDICT_REASON, VERDICT_FIELDS };
static const char *const verdict_names[VERDICT_FIELDS] = {"useful", "reason"};

static PyObject *make_verdict(pybwt_state *state, bwt_verdict verdict)
{
    PyObject *values[VERDICT_FIELDS] = {
        PyBool_FromLong(verdict.useful),
        pybwt_enum_out(state, BWT_VOCAB_NOT_USEFUL_REASON, (int)verdict.reason),
    };
    return pybwt_record_new(state->verdict_type, values, VERDICT_FIELDS);
}

static PyObject *verdict_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"Verdict", verdict_names, VERDICT_FIELDS, VERDICT_FIELDS, 1};
    PyObject *given[VERDICT_FIELDS];
    pybwt_state *state = pybwt_state_of_type(type);
    bool useful;
    int reason = 0;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_bool_in(given[VERDICT_USEFUL], "useful", &useful) < 0) {
        return NULL;
    }
    PyObject *named = given[VERDICT_REASON];
    if (named != NULL &&
        pybwt_optional_enum_in(state, BWT_VOCAB_NOT_USEFUL_REASON, named, "reason", &reason) < 0) {
        return NULL;
    }
    if (useful == (reason != 0)) {
        PyErr_SetString(PyExc_ValueError, "reason: must be None when useful, and a NotUsefulReason when not");
        return NULL;
    }
    return make_verdict(state, (bwt_verdict){useful, (bwt_not_useful_reason)reason});
}

PyObject *pybwt_verdict_out(pybwt_state *state, bwt_verdict verdict)
{
    return verdict.useful ? Py_NewRef(state->useful_verdict) : make_verdict(state, verdict);
}

int pybwt_verdict_in(pybwt_state *state, PyObject *verdict, bwt_verdict *out)
{
    PyObject **values = ((pybwt_record *)verdict)->values;
    int reason;
    if (pybwt_optional_enum_in(state, BWT_VOCAB_NOT_USEFUL_REASON, values[VERDICT_REASON], "reason", &reason) < 0) {
        return -1;
    }
    *out = (bwt_verdict){values[VERDICT_USEFUL] == Py_True, (bwt_not_useful_reason)reason};
    return 0;
}

static PyMemberDef verdict_members[] = {
    PYBWT_RECORD_FIELD(VERDICT_USEFUL, "useful", "Whether the payload is evidence."),
    PYBWT_RECORD_FIELD(VERDICT_REASON, "reason", "A NotUsefulReason, or None when it is."),
    PYBWT_RECORD_FIELDS_END,
};

static PyMethodDef verdict_methods[] = {PYBWT_RECORD_METHODS, {NULL, NULL, 0, NULL}};

static PyType_Slot verdict_slots[] = {
    {Py_tp_doc, "Verdict(useful, reason=None)\n--\n\n(True, None) or (False, reason). Frozen."},
    {Py_tp_new, verdict_new},
    {Py_tp_members, verdict_members},
    {Py_tp_methods, verdict_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, pybwt_record_repr),
    {0, NULL},
};

static PyType_Spec verdict_spec = {
    .name = "bounded_web_tool.Verdict",
    .basicsize = (int)(sizeof(pybwt_record) + VERDICT_FIELDS * sizeof(PyObject *)),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = verdict_slots,
};

int pybwt_verdict_type_add(PyObject *module, pybwt_state *state)
{
    if (pybwt_type_add_with(module, &verdict_spec, &state->verdict_type, "__match_args__",
                            pybwt_name_tuple(verdict_names, VERDICT_FIELDS)) < 0) {
        return -1;
    }
    state->useful_verdict = make_verdict(state, (bwt_verdict){.useful = true});
    return state->useful_verdict == NULL ? -1 : PyModule_AddObjectRef(module, "USEFUL", state->useful_verdict);
}
