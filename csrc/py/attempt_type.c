/* AttemptRecord: bwt_attempt as a frozen object. */
#include "py/arguments.h"
#include "py/compat.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/functions.h"
#include "py/receipt_methods.h"
#include "py/record.h"
#include "py/types.h"

/* X(field, required, one-line meaning), in the order of the JSON. */
#define ATTEMPT_FIELD_LIST(X)                                                                                        \
    X(index, true, "0 for the primary, 1 for the fallback.")                                                         \
    X(role, true, "An AttemptRole.")                                                                                 \
    X(transport, true, "The transport's name, redacted.")                                                            \
    X(status, true, "An AttemptStatus.")                                                                             \
    X(elapsed_ms, true, "Milliseconds from the attempt's start to its end.")                                         \
    X(target, false, "The address, redacted, or None.")                                                              \
    X(http_status, false, "The HTTP status, or None.")                                                               \
    X(not_useful_reason, false, "A NotUsefulReason with status ok_not_useful, else None.")                           \
    X(failure_detail, false, "A FailureDetail where a failure has one, else None.")                                  \
    X(hit_count, false, "Hits that the provider returned, before any cut; None when no payload arrived.")

#define ENUMERATOR(field, required, doc) FIELD_##field,
enum { ATTEMPT_FIELD_LIST(ENUMERATOR) ATTEMPT_FIELDS };
#undef ENUMERATOR

#define NAME(field, required, doc) #field,
static const char *const attempt_names[ATTEMPT_FIELDS] = {ATTEMPT_FIELD_LIST(NAME)};
#undef NAME

/* The vocabulary, counts and times; the texts are read by texts_in. */
static int scalars_in(pybwt_state *state, PyObject *const given[ATTEMPT_FIELDS], bwt_attempt *out)
{
    int role, status, reason, detail;
    int64_t http_status;
    if (pybwt_int_in(given[FIELD_index], "index", 0, BWT_MAX_ATTEMPTS - 1, &out->index) < 0 ||
        pybwt_enum_in(state, BWT_VOCAB_ATTEMPT_ROLE, given[FIELD_role], "role", &role) < 0 ||
        pybwt_enum_in(state, BWT_VOCAB_ATTEMPT_STATUS, given[FIELD_status], "status", &status) < 0 ||
        pybwt_int_in(given[FIELD_elapsed_ms], "elapsed_ms", 0, INT64_MAX, &out->elapsed_ms) < 0 ||
        pybwt_optional_int_in(given[FIELD_http_status], "http_status", 100, 999, 0, &http_status) < 0 ||
        pybwt_optional_enum_in(state, BWT_VOCAB_NOT_USEFUL_REASON, given[FIELD_not_useful_reason],
                               "not_useful_reason", &reason) < 0 ||
        pybwt_optional_enum_in(state, BWT_VOCAB_FAILURE_DETAIL, given[FIELD_failure_detail], "failure_detail",
                               &detail) < 0 ||
        pybwt_optional_int_in(given[FIELD_hit_count], "hit_count", 0, INT64_MAX, -1, &out->hit_count) < 0) {
        return -1;
    }
    out->role = (bwt_attempt_role)role;
    out->status = (bwt_attempt_status)status;
    out->http_status = (int)http_status;
    out->not_useful_reason = (bwt_not_useful_reason)reason;
    out->failure_detail = (bwt_failure_detail)detail;
    return 0;
}

static int view_text(PyObject *text, bwt_str *out)
{
    *out = BWT_STR_NONE;
    if (text == Py_None) return 0;
    Py_ssize_t len;
    const char *data = PyUnicode_AsUTF8AndSize(text, &len);
    if (data == NULL) return -1;
    *out = (bwt_str){data, (size_t)len};
    return 0;
}

/* A clean, redacted str; None stays None. */
static PyObject *text_in(PyObject *given, const char *name, pybwt_redactor redactor)
{
    PyObject *clean = pybwt_optional_clean_str(given, name);
    if (clean == NULL || clean == Py_None) return clean;
    PyObject *redacted = pybwt_redact(clean, name, redactor);
    Py_DECREF(clean);
    return redacted;
}

/* Takes transport and target, also on failure; NULL is a failure whose exception is already set. */
static PyObject *make_attempt(pybwt_state *state, const bwt_attempt *attempt, PyObject *transport, PyObject *target)
{
    PyObject *values[ATTEMPT_FIELDS] = {
        [FIELD_role] = pybwt_enum_out(state, BWT_VOCAB_ATTEMPT_ROLE, (int)attempt->role),
        [FIELD_status] = pybwt_enum_out(state, BWT_VOCAB_ATTEMPT_STATUS, (int)attempt->status),
        [FIELD_transport] = transport,
        [FIELD_target] = target,
        [FIELD_not_useful_reason] =
            pybwt_enum_out(state, BWT_VOCAB_NOT_USEFUL_REASON, (int)attempt->not_useful_reason),
        [FIELD_failure_detail] = pybwt_enum_out(state, BWT_VOCAB_FAILURE_DETAIL, (int)attempt->failure_detail),
    };
    if (transport != NULL && target != NULL) values[FIELD_index] = PyLong_FromLongLong(attempt->index);
    if (values[FIELD_index] != NULL) values[FIELD_elapsed_ms] = PyLong_FromLongLong(attempt->elapsed_ms);
    if (values[FIELD_elapsed_ms] != NULL) values[FIELD_http_status] = pybwt_optional_int_out(attempt->http_status, 0);
    if (values[FIELD_http_status] != NULL) values[FIELD_hit_count] = pybwt_optional_int_out(attempt->hit_count, -1);
    return pybwt_record_new(state->attempt_type, values, ATTEMPT_FIELDS);
}

static PyObject *attempt_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"AttemptRecord", attempt_names, ATTEMPT_FIELDS, 0, FIELD_target};
    pybwt_state *state = pybwt_state_of_type(type);
    PyObject *given[ATTEMPT_FIELDS];
    bwt_attempt attempt = {.index = 0};
    if (pybwt_arguments(&signature, args, kwargs, given) < 0) return NULL;
    for (int i = FIELD_target; i < ATTEMPT_FIELDS; i++) {
        if (given[i] == NULL) given[i] = Py_None;
    }
    if (given[FIELD_transport] == Py_None) {
        return PyErr_Format(PyExc_TypeError, "transport must be a str, not NoneType");
    }
    if (scalars_in(state, given, &attempt) < 0) return NULL;
    PyObject *transport = text_in(given[FIELD_transport], "transport", bwt_redact_text);
    PyObject *target = transport == NULL ? NULL : text_in(given[FIELD_target], "target", bwt_redact_url);
    if (target == NULL || view_text(transport, &attempt.transport) < 0 || view_text(target, &attempt.target) < 0) {
        Py_XDECREF(transport);
        Py_XDECREF(target);
        return NULL;
    }
    bwt_complaint complaint = {.field = ""};
    bwt_error error = bwt_attempt_check(&attempt, &complaint);
    if (error == BWT_OK) return make_attempt(state, &attempt, transport, target);
    Py_DECREF(transport);
    Py_DECREF(target);
    return pybwt_raise(error, &complaint);
}

PyObject *pybwt_attempt_out(pybwt_state *state, const bwt_attempt *attempt)
{
    PyObject *transport = pybwt_str_out(attempt->transport);
    PyObject *target = transport == NULL ? NULL : pybwt_str_out(attempt->target);
    return make_attempt(state, attempt, transport, target);
}

int pybwt_attempt_view(pybwt_state *state, PyObject *attempt, bwt_attempt *out)
{
    PyObject **values = ((pybwt_record *)attempt)->values;
    if (scalars_in(state, values, out) < 0) return -1;
    if (view_text(values[FIELD_transport], &out->transport) < 0) return -1;
    return view_text(values[FIELD_target], &out->target);
}

/* json.dumps with ensure_ascii off writes what the core's JSON does. */
static PyObject *attempt_to_json(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *json = PyImport_ImportModule("json");
    if (json == NULL) return NULL;
    PyObject *dumps = PyObject_GetAttrString(json, "dumps");
    Py_DECREF(json);
    PyObject *fields = dumps == NULL ? NULL : pybwt_record_to_dict(self, NULL);
    PyObject *args = fields == NULL ? NULL : PyTuple_Pack(1, fields);
    PyObject *kwargs = args == NULL ? NULL : Py_BuildValue("{sO}", "ensure_ascii", Py_False);
    PyObject *text = kwargs == NULL ? NULL : PyObject_Call(dumps, args, kwargs);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
    Py_XDECREF(fields);
    Py_XDECREF(dumps);
    return text;
}

#define MEMBER(field, required, doc) PYBWT_RECORD_FIELD(FIELD_##field, #field, doc),
static PyMemberDef attempt_members[] = {ATTEMPT_FIELD_LIST(MEMBER) PYBWT_RECORD_FIELDS_END};
#undef MEMBER

static PyMethodDef attempt_methods[] = {
    PYBWT_RECORD_METHODS,
    PYBWT_MODEL_METHODS,
    {"to_dict", pybwt_record_to_dict, METH_NOARGS, "to_dict($self, /)\n--\n\nThe fields as str, int and None."},
    {"to_json", attempt_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe fields as JSON, as in a receipt."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot attempt_slots[] = {
    {Py_tp_doc, "AttemptRecord(*, index, role, transport, status, elapsed_ms, target=None, http_status=None, "
                "not_useful_reason=None, failure_detail=None, hit_count=None)\n--\n\n"
                "One attempt of a receipt. Frozen."},
    {Py_tp_new, attempt_new},
    {Py_tp_members, attempt_members},
    {Py_tp_methods, attempt_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, pybwt_record_repr),
    {0, NULL},
};

static PyType_Spec attempt_spec = {
    .name = "bounded_web_tool.AttemptRecord",
    .basicsize = (int)(sizeof(pybwt_record) + ATTEMPT_FIELDS * sizeof(PyObject *)),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = attempt_slots,
};

#define FIELD_DOC(field, required, doc) {#field, required, doc},
int pybwt_attempt_type_add(PyObject *module, pybwt_state *state)
{
    static const pybwt_field_doc docs[ATTEMPT_FIELDS] = {ATTEMPT_FIELD_LIST(FIELD_DOC)};
    return pybwt_type_add_with(module, &attempt_spec, &state->attempt_type, "model_fields",
                               pybwt_model_fields(docs, ATTEMPT_FIELDS));
}
#undef FIELD_DOC
