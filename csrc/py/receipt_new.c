/* Making a Receipt from keyword arguments: reading them, deriving what is absent, sealing the whole. */
#include "py/receipt_type.h"

#include "py/arguments.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/receipt_methods.h"

#define FIELD(name) PYBWT_RECEIPT_##name

/* The arguments of one call, and what keeps the texts of fields alive. */
typedef struct receipt_input {
    PyObject *given[PYBWT_RECEIPT_FIELDS]; /* borrowed; NULL when not given */
    bwt_receipt_fields fields;
    PyObject *results;  /* tuple of Hit */
    PyObject *attempts; /* tuple of AttemptRecord */
    bwt_hit *hits;
} receipt_input;

static int read_vocabulary(pybwt_state *state, receipt_input *in)
{
    PyObject **given = in->given;
    int outcome, next_action, policy_reason = 0;
    if (pybwt_enum_in(state, BWT_VOCAB_OUTCOME, given[FIELD(outcome)], "outcome", &outcome) < 0 ||
        pybwt_enum_in(state, BWT_VOCAB_NEXT_ACTION, given[FIELD(next_action)], "next_action", &next_action) < 0 ||
        (given[FIELD(policy_reason)] != NULL &&
         pybwt_optional_enum_in(state, BWT_VOCAB_POLICY_REASON, given[FIELD(policy_reason)], "policy_reason",
                                &policy_reason) < 0)) {
        return -1;
    }
    in->fields.outcome = (bwt_outcome)outcome;
    in->fields.next_action = (bwt_next_action)next_action;
    in->fields.policy_reason = (bwt_policy_reason)policy_reason;
    in->fields.kind = BWT_KIND_LOOKUP;
    return given[FIELD(kind)] == NULL ? 0 : pybwt_kind_in(given[FIELD(kind)], "kind", &in->fields.kind);
}

static int read_scalars(receipt_input *in)
{
    PyObject **given = in->given;
    bwt_receipt_fields *fields = &in->fields;
    fields->retry_after_ms = -1;
    if (pybwt_int_in(given[FIELD(elapsed_ms)], "elapsed_ms", 0, INT64_MAX, &fields->elapsed_ms) < 0 ||
        pybwt_int_in(given[FIELD(budget_ms)], "budget_ms", 1, INT64_MAX, &fields->budget_ms) < 0 ||
        pybwt_int_in(given[FIELD(attempts_allowed)], "attempts_allowed", 1, BWT_MAX_ATTEMPTS,
                     &fields->attempts_allowed) < 0) {
        return -1;
    }
    PyObject *wait = given[FIELD(retry_after_ms)], *truncated = given[FIELD(results_truncated)];
    if (wait != NULL && pybwt_optional_int_in(wait, "retry_after_ms", 0, BWT_MAX_RETRY_AFTER_MS, -1,
                                              &fields->retry_after_ms) < 0) {
        return -1;
    }
    return truncated == NULL ? 0 : pybwt_bool_in(truncated, "results_truncated", &fields->results_truncated);
}

static int check_schema_version(PyObject *version)
{
    if (version == NULL) return 0;
    if (!PyUnicode_Check(version)) {
        PyErr_Format(PyExc_TypeError, "schema_version must be a str, not %s", Py_TYPE(version)->tp_name);
        return -1;
    }
    if (PyUnicode_CompareWithASCIIString(version, BWT_SCHEMA_VERSION) == 0) return 0;
    PyErr_SetString(PyExc_ValueError, "schema_version: must be '" BWT_SCHEMA_VERSION "'");
    return -1;
}

/* A tuple of instances of item_type; a mapping among items is made into one by keyword. */
static PyObject *read_items(PyObject *items, PyTypeObject *item_type, const char *name, const char *each)
{
    if (items == NULL) return PyTuple_New(0);
    if (PyUnicode_Check(items) || PyDict_Check(items) ||
        (Py_TYPE(items)->tp_iter == NULL && !PySequence_Check(items))) {
        return PyErr_Format(PyExc_TypeError, "%s must be a list or another iterable, not %s", name,
                            Py_TYPE(items)->tp_name);
    }
    PyObject *given = PySequence_Tuple(items);
    if (given == NULL) return NULL;
    PyObject *read = PyTuple_New(PyTuple_GET_SIZE(given));
    for (Py_ssize_t i = 0; read != NULL && i < PyTuple_GET_SIZE(given); i++) {
        PyObject *item = PyTuple_GET_ITEM(given, i);
        item = Py_IS_TYPE(item, item_type) ? Py_NewRef(item)
                                           : pybwt_from_mapping((PyObject *)item_type, item, each);
        if (item == NULL) Py_CLEAR(read);
        else PyTuple_SET_ITEM(read, i, item);
    }
    Py_DECREF(given);
    return read;
}

static int read_results(pybwt_state *state, receipt_input *in)
{
    in->results = read_items(in->given[FIELD(results)], state->hit_type, "results", "each of results");
    if (in->results == NULL) return -1;
    Py_ssize_t count = PyTuple_GET_SIZE(in->results);
    in->hits = PyMem_New(bwt_hit, count > 0 ? (size_t)count : 1);
    if (in->hits == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (pybwt_hit_view(PyTuple_GET_ITEM(in->results, i), &in->hits[i]) < 0) return -1;
    }
    in->fields.results = in->hits;
    in->fields.result_count = (size_t)count;
    return 0;
}

static int read_attempts(pybwt_state *state, receipt_input *in)
{
    in->attempts = read_items(in->given[FIELD(attempts)], state->attempt_type, "attempts", "each of attempts");
    if (in->attempts == NULL) return -1;
    Py_ssize_t count = PyTuple_GET_SIZE(in->attempts);
    if (count > BWT_MAX_ATTEMPTS) {
        PyErr_Format(PyExc_ValueError, "attempts: must be at most %d records", BWT_MAX_ATTEMPTS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (pybwt_attempt_view(state, PyTuple_GET_ITEM(in->attempts, i), &in->fields.attempts[i]) < 0) return -1;
    }
    in->fields.attempt_count = (size_t)count;
    return 0;
}

/* The record of an attempt that was cancelled does not say whether it was in flight; time spent says that it was. */
static bool was_dialled(const bwt_attempt *attempt)
{
    switch (attempt->status) {
    case BWT_ATTEMPT_STATUS_NONE:
    case BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY:
    case BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET:
    case BWT_ATTEMPT_STATUS_SKIPPED_RESTING:
        return false;
    case BWT_ATTEMPT_STATUS_CANCELLED:
        return attempt->elapsed_ms > 0;
    default:
        return true;
    }
}

static bool is_absent(PyObject *value)
{
    return value == NULL || value == Py_None;
}

static int derive_counts(receipt_input *in)
{
    bwt_receipt_fields *fields = &in->fields;
    PyObject *attempts_used = in->given[FIELD(attempts_used)], *fallback_used = in->given[FIELD(fallback_used)];
    for (size_t i = 0; i < fields->attempt_count; i++) {
        if (!was_dialled(&fields->attempts[i])) continue;
        fields->attempts_used++;
        fields->fallback_used = fields->fallback_used || fields->attempts[i].role == BWT_ATTEMPT_ROLE_FALLBACK;
    }
    if (!is_absent(attempts_used) &&
        pybwt_int_in(attempts_used, "attempts_used", 0, BWT_MAX_ATTEMPTS, &fields->attempts_used) < 0) {
        return -1;
    }
    return is_absent(fallback_used) ? 0 : pybwt_bool_in(fallback_used, "fallback_used", &fields->fallback_used);
}

static PyObject *seal(pybwt_state *state, const bwt_receipt_fields *fields)
{
    bwt_receipt *sealed;
    bwt_complaint complaint = {.field = ""};
    bwt_error error = bwt_receipt_seal(fields, &sealed, &complaint);
    return error == BWT_OK ? pybwt_receipt_out(state, sealed) : pybwt_raise(error, &complaint);
}

/* The required fields are not the first ones, as pybwt_arguments would have it. */
static int check_required(const receipt_input *in)
{
#define CHECK(field, required, doc)                                                                                  \
    if (required && in->given[FIELD(field)] == NULL) {                                                               \
        PyErr_SetString(PyExc_TypeError, "Receipt() is missing the argument " #field);                               \
        return -1;                                                                                                   \
    }
    PYBWT_RECEIPT_FIELD_LIST(CHECK)
#undef CHECK
    return 0;
}

PyObject *pybwt_receipt_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
#define NAME(field, required, doc) #field,
    static const char *const names[PYBWT_RECEIPT_FIELDS] = {PYBWT_RECEIPT_FIELD_LIST(NAME)};
#undef NAME
    static const pybwt_signature signature = {"Receipt", names, PYBWT_RECEIPT_FIELDS, 0, 0};
    pybwt_state *state = pybwt_state_of_type(type);
    receipt_input in = {.results = NULL};
    PyObject *receipt = NULL;
    if (pybwt_arguments(&signature, args, kwargs, in.given) == 0 && check_required(&in) == 0 &&
        read_vocabulary(state, &in) == 0 && read_scalars(&in) == 0 &&
        check_schema_version(in.given[FIELD(schema_version)]) == 0 && read_results(state, &in) == 0 &&
        read_attempts(state, &in) == 0 && derive_counts(&in) == 0) {
        receipt = seal(state, &in.fields);
    }
    PyMem_Free(in.hits);
    Py_XDECREF(in.results);
    Py_XDECREF(in.attempts);
    return receipt;
}
