/* Receipt: a sealed bwt_receipt and its views as Python objects, each made when first asked for. */
#include "py/receipt_type.h"

#include "py/compat.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/receipt_methods.h"
#include "py/record.h"
#include "py/types.h"

typedef struct pybwt_receipt {
    PyObject_HEAD
    bwt_receipt *sealed;
    PyObject *results;  /* tuple of Hit */
    PyObject *attempts; /* tuple of AttemptRecord */
    PyObject *json;     /* str */
} pybwt_receipt;

PyObject *pybwt_receipt_out(pybwt_state *state, bwt_receipt *receipt)
{
    pybwt_receipt *self = (pybwt_receipt *)state->receipt_type->tp_alloc(state->receipt_type, 0);
    if (self == NULL) bwt_receipt_free(receipt);
    else self->sealed = receipt;
    return (PyObject *)self;
}

/* Strings and tuples of them cannot close a cycle, so there is nothing here for the garbage collector. */
static void receipt_dealloc(pybwt_receipt *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->results);
    Py_XDECREF(self->attempts);
    Py_XDECREF(self->json);
    bwt_receipt_free(self->sealed);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *results_of(pybwt_receipt *self)
{
    if (self->results != NULL) return Py_NewRef(self->results);
    const bwt_receipt_fields *fields = bwt_receipt_view(self->sealed);
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    PyObject *results = PyTuple_New((Py_ssize_t)fields->result_count);
    for (size_t i = 0; results != NULL && i < fields->result_count; i++) {
        PyObject *hit = pybwt_hit_out(state, fields->results[i]);
        if (hit == NULL) Py_CLEAR(results);
        else PyTuple_SET_ITEM(results, (Py_ssize_t)i, hit);
    }
    /* A collection in the loop may have run code that asked for the same. */
    if (results != NULL) Py_XSETREF(self->results, Py_NewRef(results));
    return results;
}

static PyObject *attempts_of(pybwt_receipt *self)
{
    if (self->attempts != NULL) return Py_NewRef(self->attempts);
    const bwt_receipt_fields *fields = bwt_receipt_view(self->sealed);
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    PyObject *attempts = PyTuple_New((Py_ssize_t)fields->attempt_count);
    for (size_t i = 0; attempts != NULL && i < fields->attempt_count; i++) {
        PyObject *attempt = pybwt_attempt_out(state, &fields->attempts[i]);
        if (attempt == NULL) Py_CLEAR(attempts);
        else PyTuple_SET_ITEM(attempts, (Py_ssize_t)i, attempt);
    }
    if (attempts != NULL) Py_XSETREF(self->attempts, Py_NewRef(attempts));
    return attempts;
}

static PyObject *written(const bwt_receipt *sealed, bwt_error (*write)(const bwt_receipt *receipt, bwt_text *out))
{
    bwt_text text;
    bwt_error error = write(sealed, &text);
    return error == BWT_OK ? pybwt_text_out(&text) : pybwt_raise(error, NULL);
}

static PyObject *json_of(pybwt_receipt *self)
{
    if (self->json == NULL) self->json = written(self->sealed, bwt_receipt_to_json);
    return Py_XNewRef(self->json);
}

static PyObject *field_of(pybwt_receipt *self, int field)
{
    const bwt_receipt_fields *fields = bwt_receipt_view(self->sealed);
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    switch (field) {
    case PYBWT_RECEIPT_outcome:
        return pybwt_enum_out(state, BWT_VOCAB_OUTCOME, (int)fields->outcome);
    case PYBWT_RECEIPT_next_action:
        return pybwt_enum_out(state, BWT_VOCAB_NEXT_ACTION, (int)fields->next_action);
    case PYBWT_RECEIPT_fallback_used:
        return PyBool_FromLong(fields->fallback_used);
    case PYBWT_RECEIPT_attempts_used:
        return PyLong_FromLongLong(fields->attempts_used);
    case PYBWT_RECEIPT_elapsed_ms:
        return PyLong_FromLongLong(fields->elapsed_ms);
    case PYBWT_RECEIPT_budget_ms:
        return PyLong_FromLongLong(fields->budget_ms);
    case PYBWT_RECEIPT_attempts_allowed:
        return PyLong_FromLongLong(fields->attempts_allowed);
    case PYBWT_RECEIPT_retry_after_ms:
        return pybwt_optional_int_out(fields->retry_after_ms, -1);
    case PYBWT_RECEIPT_policy_reason:
        return pybwt_enum_out(state, BWT_VOCAB_POLICY_REASON, (int)fields->policy_reason);
    case PYBWT_RECEIPT_results:
        return results_of(self);
    case PYBWT_RECEIPT_results_truncated:
        return PyBool_FromLong(fields->results_truncated);
    case PYBWT_RECEIPT_attempts:
        return attempts_of(self);
    case PYBWT_RECEIPT_kind:
        return PyUnicode_FromString(bwt_receipt_kind_wire(fields->kind));
    default:
        return PyUnicode_FromString(BWT_SCHEMA_VERSION);
    }
}

static PyObject *receipt_get(pybwt_receipt *self, void *closure)
{
    return field_of(self, (int)(intptr_t)closure);
}

/* A list of the dicts of a tuple's records; takes records. */
static PyObject *list_of_dicts(PyObject *records)
{
    PyObject *list = PyList_New(PyTuple_GET_SIZE(records));
    for (Py_ssize_t i = 0; list != NULL && i < PyTuple_GET_SIZE(records); i++) {
        PyObject *dict = pybwt_record_to_dict(PyTuple_GET_ITEM(records, i), NULL);
        if (dict == NULL) Py_CLEAR(list);
        else PyList_SET_ITEM(list, i, dict);
    }
    Py_DECREF(records);
    return list;
}

static PyObject *receipt_to_dict(pybwt_receipt *self, PyObject *Py_UNUSED(ignored))
{
#define NAME(field, required, doc) #field,
    static const char *const names[PYBWT_RECEIPT_FIELDS] = {PYBWT_RECEIPT_FIELD_LIST(NAME)};
#undef NAME
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < PYBWT_RECEIPT_FIELDS; i++) {
        PyObject *value = field_of(self, i);
        if (value != NULL && PyTuple_Check(value)) value = list_of_dicts(value);
        if (value != NULL && PyUnicode_Check(value)) Py_SETREF(value, PyUnicode_FromObject(value));
        if (value == NULL || PyDict_SetItemString(dict, names[i], value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *receipt_to_json(pybwt_receipt *self, PyObject *Py_UNUSED(ignored))
{
    return json_of(self);
}

static PyObject *receipt_explain(pybwt_receipt *self, PyObject *Py_UNUSED(ignored))
{
    return written(self->sealed, bwt_receipt_explain);
}

static PyObject *receipt_for_model(pybwt_receipt *self, PyObject *Py_UNUSED(ignored))
{
    return written(self->sealed, bwt_receipt_to_model_json);
}

static PyObject *receipt_repr_html(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return pybwt_call_support("repr_html", &self, 1);
}

static PyObject *receipt_repr(pybwt_receipt *self)
{
    const bwt_receipt_fields *fields = bwt_receipt_view(self->sealed);
    return PyUnicode_FromFormat("<Receipt outcome=%s next_action=%s attempts=%lld/%lld elapsed_ms=%lld/%lld>",
                                bwt_vocab_wire(BWT_VOCAB_OUTCOME, (int)fields->outcome),
                                bwt_vocab_wire(BWT_VOCAB_NEXT_ACTION, (int)fields->next_action),
                                (long long)fields->attempts_used, (long long)fields->attempts_allowed,
                                (long long)fields->elapsed_ms, (long long)fields->budget_ms);
}

static PyObject *receipt_richcompare(PyObject *self, PyObject *other, int operator_id)
{
    if ((operator_id != Py_EQ && operator_id != Py_NE) || Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *mine = json_of((pybwt_receipt *)self);
    PyObject *theirs = mine == NULL ? NULL : json_of((pybwt_receipt *)other);
    PyObject *answer = theirs == NULL ? NULL : PyObject_RichCompare(mine, theirs, operator_id);
    Py_XDECREF(theirs);
    Py_XDECREF(mine);
    return answer;
}

static Py_hash_t receipt_hash(pybwt_receipt *self)
{
    PyObject *json = json_of(self);
    if (json == NULL) return -1;
    Py_hash_t hash = PyObject_Hash(json);
    Py_DECREF(json);
    return hash;
}

#define GETTER(field, required, doc)                                                                                 \
    {#field, (getter)receipt_get, NULL, doc, (void *)(intptr_t)PYBWT_RECEIPT_##field},
static PyGetSetDef receipt_getters[] = {PYBWT_RECEIPT_FIELD_LIST(GETTER){NULL, NULL, NULL, NULL, NULL}};
#undef GETTER

static PyMethodDef receipt_methods[] = {
    PYBWT_MODEL_METHODS,
    {"to_dict", (PyCFunction)receipt_to_dict, METH_NOARGS,
     "to_dict($self, /)\n--\n\nThe fields as str, int, bool, None, list and dict."},
    {"to_json", (PyCFunction)receipt_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe canonical JSON."},
    {"explain", (PyCFunction)receipt_explain, METH_NOARGS, "explain($self, /)\n--\n\nOne line for people and logs."},
    {"for_model", (PyCFunction)receipt_for_model, METH_NOARGS,
     "for_model($self, /)\n--\n\nShort JSON for a language model: the decision and the results."},
    {"_repr_html_", receipt_repr_html, METH_NOARGS, "_repr_html_($self, /)\n--\n\nFor notebooks."},
    {"__reduce__", pybwt_reduce_by_dict, METH_NOARGS, "__reduce__($self, /)\n--\n\nRebuilt from its dict."},
    {"__copy__", pybwt_frozen_copy, METH_NOARGS, "__copy__($self, /)\n--\n\nItself, being frozen."},
    {"__deepcopy__", pybwt_frozen_copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nItself, being frozen."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot receipt_slots[] = {
    {Py_tp_doc,
     "Receipt(*, outcome, next_action, elapsed_ms, budget_ms, attempts_allowed, fallback_used=None, "
     "attempts_used=None, retry_after_ms=None, policy_reason=None, results=(), results_truncated=False, attempts=(), "
     "kind='lookup', schema_version='" BWT_SCHEMA_VERSION "')\n--\n\n"
     "The sealed account of one lookup: frozen, redacted, consistent by construction; str() is its JSON."},
    {Py_tp_new, pybwt_receipt_new},
    {Py_tp_dealloc, receipt_dealloc},
    {Py_tp_str, json_of},
    {Py_tp_repr, receipt_repr},
    {Py_tp_richcompare, receipt_richcompare},
    {Py_tp_hash, receipt_hash},
    {Py_tp_getset, receipt_getters},
    {Py_tp_methods, receipt_methods},
    {0, NULL},
};

static PyType_Spec receipt_spec = {
    .name = "bounded_web_tool.Receipt",
    .basicsize = sizeof(pybwt_receipt),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = receipt_slots,
};

#define FIELD_DOC(field, required, doc) {#field, required, doc},
int pybwt_receipt_type_add(PyObject *module, pybwt_state *state)
{
    static const pybwt_field_doc docs[PYBWT_RECEIPT_FIELDS] = {PYBWT_RECEIPT_FIELD_LIST(FIELD_DOC)};
    return pybwt_type_add_with(module, &receipt_spec, &state->receipt_type, "model_fields",
                               pybwt_model_fields(docs, PYBWT_RECEIPT_FIELDS));
}
#undef FIELD_DOC
