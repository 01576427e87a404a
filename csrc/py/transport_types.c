/* TransportRequest and TransportResponse: what goes to a transport and what comes back. */
#include "py/arguments.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/functions.h"
#include "py/hit_type.h"
#include "py/record.h"
#include "py/types.h"

enum { REQUEST_QUERY, REQUEST_TARGET, REQUEST_MAX_RESULTS, REQUEST_FIELDS };
static const char *const request_names[REQUEST_FIELDS] = {"query", "target", "max_results"};

static PyObject *request_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"TransportRequest", request_names, REQUEST_FIELDS, REQUEST_FIELDS,
                                              REQUEST_FIELDS};
    PyObject *given[REQUEST_FIELDS];
    int64_t max_results;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_int_in(given[REQUEST_MAX_RESULTS], "max_results", 1, BWT_MAX_POLICY_VALUE, &max_results) < 0) {
        return NULL;
    }
    PyObject *values[REQUEST_FIELDS] = {NULL};
    values[REQUEST_QUERY] = pybwt_clean_str(given[REQUEST_QUERY], "query");
    if (values[REQUEST_QUERY] != NULL) {
        values[REQUEST_TARGET] = pybwt_optional_clean_str(given[REQUEST_TARGET], "target");
    }
    if (values[REQUEST_TARGET] != NULL) values[REQUEST_MAX_RESULTS] = PyLong_FromLongLong(max_results);
    return pybwt_record_new(type, values, REQUEST_FIELDS);
}

/* The address of a request may hold a key, and a repr ends in logs. */
static PyObject *request_repr(PyObject *self)
{
    PyObject **values = ((pybwt_record *)self)->values;
    PyObject *query = pybwt_redact(values[REQUEST_QUERY], "query", bwt_redact_text);
    if (query == NULL) return NULL;
    PyObject *target = values[REQUEST_TARGET];
    target = target == Py_None ? Py_NewRef(target) : pybwt_redact(target, "target", bwt_redact_url);
    PyObject *repr = NULL;
    if (target != NULL) {
        repr = PyUnicode_FromFormat("TransportRequest(query=%R, target=%R, max_results=%R)", query, target,
                                    values[REQUEST_MAX_RESULTS]);
    }
    Py_XDECREF(target);
    Py_DECREF(query);
    return repr;
}

static PyMemberDef request_members[] = {
    PYBWT_RECORD_FIELD(REQUEST_QUERY, "query", "The query as it is to be sent."),
    PYBWT_RECORD_FIELD(REQUEST_TARGET, "target", "The address, or None."),
    PYBWT_RECORD_FIELD(REQUEST_MAX_RESULTS, "max_results", "The most hits that are of use."),
    PYBWT_RECORD_FIELDS_END,
};

static PyMethodDef request_methods[] = {PYBWT_RECORD_METHODS, {NULL, NULL, 0, NULL}};

static PyType_Slot request_slots[] = {
    {Py_tp_doc, "TransportRequest(query, target, max_results)\n--\n\nWhat a transport is asked. Frozen."},
    {Py_tp_new, request_new},
    {Py_tp_members, request_members},
    {Py_tp_methods, request_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, request_repr),
    {0, NULL},
};

static PyType_Spec request_spec = {
    .name = "bounded_web_tool.TransportRequest",
    .basicsize = (int)(sizeof(pybwt_record) + REQUEST_FIELDS * sizeof(PyObject *)),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = request_slots,
};

enum { RESPONSE_HTTP_STATUS, RESPONSE_HITS, RESPONSE_PARSE_OK, RESPONSE_FIELDS };
static const char *const response_names[RESPONSE_FIELDS] = {"http_status", "hits", "parse_ok"};

typedef struct pybwt_response {
    PyObject_HEAD
    PyObject *values[RESPONSE_FIELDS];
    bool status_settled; /* of a native answer: its spec has spoken for the HTTP status */
} pybwt_response;

static PyObject *response_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"TransportResponse", response_names, RESPONSE_FIELDS, RESPONSE_FIELDS,
                                              1};
    PyObject *given[RESPONSE_FIELDS];
    int64_t http_status;
    bool parse_ok = true;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_optional_int_in(given[RESPONSE_HTTP_STATUS], "http_status", 100, 999, 0, &http_status) < 0 ||
        (given[RESPONSE_PARSE_OK] != NULL && pybwt_bool_in(given[RESPONSE_PARSE_OK], "parse_ok", &parse_ok) < 0)) {
        return NULL;
    }
    PyObject *values[RESPONSE_FIELDS] = {NULL};
    values[RESPONSE_HITS] = given[RESPONSE_HITS] == NULL
                                ? PyTuple_New(0)
                                : pybwt_hits_in(pybwt_state_of_type(type), given[RESPONSE_HITS], "hits");
    if (values[RESPONSE_HITS] != NULL) values[RESPONSE_HTTP_STATUS] = pybwt_optional_int_out(http_status, 0);
    if (values[RESPONSE_HTTP_STATUS] != NULL) values[RESPONSE_PARSE_OK] = PyBool_FromLong(parse_ok);
    return pybwt_record_new(type, values, RESPONSE_FIELDS);
}

bwt_response *pybwt_response_in(pybwt_state *Py_UNUSED(state), PyObject *response)
{
    pybwt_response *self = (pybwt_response *)response;
    PyObject *status = self->values[RESPONSE_HTTP_STATUS];
    int http_status = status == Py_None ? 0 : (int)PyLong_AsLong(status);
    bwt_response *made = bwt_response_new(http_status, self->values[RESPONSE_PARSE_OK] == Py_True);
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (self->status_settled) bwt_response_settle_status(made);
    PyObject *found = self->values[RESPONSE_HITS];
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(found); i++) {
        bwt_hit hit;
        int failed = pybwt_hit_view(PyTuple_GET_ITEM(found, i), &hit);
        bwt_error error = failed ? BWT_OK : bwt_response_add_hit(made, hit);
        if (error != BWT_OK) pybwt_raise(error, NULL);
        if (failed || error != BWT_OK) {
            bwt_response_free(made);
            return NULL;
        }
    }
    return made;
}

static PyObject *hits_out(pybwt_state *state, const bwt_response *response)
{
    size_t count = bwt_response_hit_count(response);
    PyObject *found = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; found != NULL && i < count; i++) {
        PyObject *hit = pybwt_hit_out(state, bwt_response_hit(response, i));
        if (hit == NULL) Py_CLEAR(found);
        else PyTuple_SET_ITEM(found, (Py_ssize_t)i, hit);
    }
    return found;
}

PyObject *pybwt_response_out(pybwt_state *state, const bwt_response *response)
{
    PyObject *values[RESPONSE_FIELDS] = {NULL};
    values[RESPONSE_HITS] = hits_out(state, response);
    if (values[RESPONSE_HITS] != NULL) {
        values[RESPONSE_HTTP_STATUS] = pybwt_optional_int_out(bwt_response_http_status(response), 0);
    }
    if (values[RESPONSE_HTTP_STATUS] != NULL) {
        values[RESPONSE_PARSE_OK] = PyBool_FromLong(bwt_response_parse_ok(response));
    }
    PyObject *made = pybwt_record_new(state->response_type, values, RESPONSE_FIELDS);
    if (made != NULL) ((pybwt_response *)made)->status_settled = bwt_response_status_settled(response);
    return made;
}

PyObject *pybwt_failure_out(const bwt_failure *failure)
{
    PyObject *http_status = pybwt_optional_int_out(failure->http_status, 0);
    PyObject *retry_after_ms = http_status == NULL ? NULL : pybwt_optional_int_out(failure->retry_after_ms, -1);
    if (retry_after_ms == NULL) {
        Py_XDECREF(http_status);
        return NULL;
    }
    return Py_BuildValue("(zzNN)", bwt_vocab_wire(BWT_VOCAB_ATTEMPT_STATUS, (int)failure->status),
                         bwt_vocab_wire(BWT_VOCAB_FAILURE_DETAIL, (int)failure->detail), http_status, retry_after_ms);
}

PyObject *pybwt_answer_out(pybwt_state *state, const bwt_answer *answer)
{
    if (answer->response == NULL) return pybwt_failure_out(&answer->failure);
    return pybwt_response_out(state, answer->response);
}

static PyMemberDef response_members[] = {
    PYBWT_RECORD_FIELD(RESPONSE_HTTP_STATUS, "http_status", "The HTTP status, or None."),
    PYBWT_RECORD_FIELD(RESPONSE_HITS, "hits", "A tuple of Hit, in the provider's order."),
    PYBWT_RECORD_FIELD(RESPONSE_PARSE_OK, "parse_ok", "Whether the answer had the expected shape."),
    PYBWT_RECORD_FIELDS_END,
};

static PyMethodDef response_methods[] = {PYBWT_RECORD_METHODS, {NULL, NULL, 0, NULL}};

static PyType_Slot response_slots[] = {
    {Py_tp_doc, "TransportResponse(http_status, hits=(), parse_ok=True)\n--\n\nWhat a transport brought. Frozen."},
    {Py_tp_new, response_new},
    {Py_tp_members, response_members},
    {Py_tp_methods, response_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, pybwt_record_repr),
    {0, NULL},
};

static PyType_Spec response_spec = {
    .name = "bounded_web_tool.TransportResponse",
    .basicsize = sizeof(pybwt_response),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = response_slots,
};

int pybwt_transport_types_add(PyObject *module, pybwt_state *state)
{
    if (pybwt_type_add_with(module, &request_spec, &state->request_type, "__match_args__",
                            pybwt_name_tuple(request_names, REQUEST_FIELDS)) < 0) {
        return -1;
    }
    return pybwt_type_add_with(module, &response_spec, &state->response_type, "__match_args__",
                               pybwt_name_tuple(response_names, RESPONSE_FIELDS));
}
