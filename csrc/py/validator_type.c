/* EvidenceValidator: bwt_validator with its settings as a frozen object. */
#include "py/arguments.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/record.h"
#include "py/types.h"

enum { FIELD_MIN_HITS, FIELD_MIN_SNIPPET_CHARS, FIELD_MARKERS, FIELD_TERM_OVERLAP, VALIDATOR_FIELDS };
static const char *const validator_names[VALIDATOR_FIELDS] = {"min_hits", "min_snippet_chars", "login_wall_markers",
                                                              "require_term_overlap"};

typedef struct pybwt_validator {
    PyObject_HEAD
    PyObject *values[VALIDATOR_FIELDS];
    bwt_validator *validator;
} pybwt_validator;

static PyObject *markers_out(const bwt_validator *validator)
{
    size_t count = bwt_validator_marker_count(validator);
    PyObject *markers = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; markers != NULL && i < count; i++) {
        PyObject *marker = pybwt_str_out(bwt_validator_marker(validator, i));
        if (marker == NULL) Py_CLEAR(markers);
        else PyTuple_SET_ITEM(markers, (Py_ssize_t)i, marker);
    }
    return markers;
}

static PyObject *wrap(PyTypeObject *type, const bwt_validator_options *options)
{
    bwt_validator *validator;
    bwt_complaint complaint = {.field = ""};
    bwt_error error = bwt_validator_new(options, &validator, &complaint);
    if (error != BWT_OK) return pybwt_raise(error, &complaint);
    PyObject *values[VALIDATOR_FIELDS] = {NULL};
    values[FIELD_MARKERS] = markers_out(validator);
    if (values[FIELD_MARKERS] != NULL) values[FIELD_MIN_HITS] = PyLong_FromLongLong(options->min_hits);
    if (values[FIELD_MIN_HITS] != NULL) {
        values[FIELD_MIN_SNIPPET_CHARS] = PyLong_FromLongLong(options->min_snippet_chars);
    }
    values[FIELD_TERM_OVERLAP] = PyBool_FromLong(options->require_term_overlap);
    PyObject *self = pybwt_record_new(type, values, VALIDATOR_FIELDS);
    if (self == NULL) bwt_validator_release(validator);
    else ((pybwt_validator *)self)->validator = validator;
    return self;
}

/* options->login_wall_markers from an iterable of str; *texts keeps them alive and is PyMem_Free'd by the caller. */
static PyObject *markers_in(PyObject *given, bwt_validator_options *options, bwt_str **texts)
{
    if (PyUnicode_Check(given) || (Py_TYPE(given)->tp_iter == NULL && !PySequence_Check(given))) {
        return PyErr_Format(PyExc_TypeError, "login_wall_markers must be None or an iterable of str, not %s",
                            Py_TYPE(given)->tp_name);
    }
    PyObject *clean = PySequence_List(given);
    if (clean == NULL) return NULL;
    Py_ssize_t count = PyList_GET_SIZE(clean);
    *texts = PyMem_New(bwt_str, count > 0 ? (size_t)count : 1);
    if (*texts == NULL) PyErr_NoMemory();
    bool failed = *texts == NULL;
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *marker = pybwt_clean_str(PyList_GET_ITEM(clean, i), "each of login_wall_markers");
        failed = marker == NULL || PyList_SetItem(clean, i, marker) < 0;
        if (failed) break;
        Py_ssize_t len;
        (*texts)[i].data = PyUnicode_AsUTF8AndSize(marker, &len);
        (*texts)[i].len = (size_t)len;
        failed = (*texts)[i].data == NULL;
    }
    if (failed) Py_CLEAR(clean);
    options->login_wall_markers = *texts;
    options->login_wall_marker_count = (size_t)count;
    return clean;
}

static PyObject *validator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"EvidenceValidator", validator_names, VALIDATOR_FIELDS,
                                              VALIDATOR_FIELDS, 0};
    PyObject *given[VALIDATOR_FIELDS];
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    if (pybwt_arguments(&signature, args, kwargs, given) < 0) return NULL;
    PyObject *hits = given[FIELD_MIN_HITS], *chars = given[FIELD_MIN_SNIPPET_CHARS];
    PyObject *markers = given[FIELD_MARKERS], *overlap = given[FIELD_TERM_OVERLAP];
    if ((hits != NULL && pybwt_int_in(hits, "min_hits", 1, BWT_MAX_POLICY_VALUE, &options.min_hits) < 0) ||
        (chars != NULL &&
         pybwt_int_in(chars, "min_snippet_chars", 0, BWT_MAX_POLICY_VALUE, &options.min_snippet_chars) < 0) ||
        (overlap != NULL && pybwt_bool_in(overlap, "require_term_overlap", &options.require_term_overlap) < 0)) {
        return NULL;
    }
    if (markers == NULL || markers == Py_None) return wrap(type, &options);
    bwt_str *texts = NULL;
    PyObject *holder = markers_in(markers, &options, &texts);
    PyObject *self = holder == NULL ? NULL : wrap(type, &options);
    Py_XDECREF(holder);
    PyMem_Free(texts);
    return self;
}

static void validator_dealloc(PyObject *self)
{
    bwt_validator_release(((pybwt_validator *)self)->validator);
    pybwt_record_dealloc(self);
}

bwt_validator *pybwt_validator_of(PyObject *validator)
{
    return ((pybwt_validator *)validator)->validator;
}

static bool is_much_text(bwt_str query, const bwt_response *response)
{
    size_t bytes = query.len;
    for (size_t i = 0; i < bwt_response_hit_count(response) && bytes <= PYBWT_MUCH_TEXT_BYTES; i++) {
        bwt_hit hit = bwt_response_hit(response, i);
        bytes += hit.title.len + hit.url.len + hit.snippet.len;
    }
    return bytes > PYBWT_MUCH_TEXT_BYTES;
}

static bwt_error judge(const bwt_validator *validator, bwt_str query, const bwt_response *response,
                       bwt_verdict *verdict)
{
    if (!is_much_text(query, response)) return bwt_validator_judge(validator, query, response, verdict, NULL);
    bwt_error error;
    Py_BEGIN_ALLOW_THREADS
    error = bwt_validator_judge(validator, query, response, verdict, NULL);
    Py_END_ALLOW_THREADS
    return error;
}

static PyObject *validator_validate(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"query", "response"};
    static const pybwt_signature signature = {"validate", names, 2, 2, 2};
    pybwt_state *state = pybwt_state_of(self);
    PyObject *given[2];
    if (pybwt_arguments(&signature, args, kwargs, given) < 0) return NULL;
    if (pybwt_type_in(given[1], state->response_type, "response", "a TransportResponse") < 0) return NULL;
    bwt_str query;
    PyObject *holder;
    if (pybwt_str_in(given[0], "query", &query, &holder) < 0) return NULL;
    bwt_response *response = pybwt_response_in(state, given[1]);
    PyObject *answer = NULL;
    if (response != NULL) {
        bwt_verdict verdict;
        bwt_error error = judge(pybwt_validator_of(self), query, response, &verdict);
        answer = error == BWT_OK ? pybwt_verdict_out(state, verdict) : pybwt_raise(error, NULL);
        bwt_response_free(response);
    }
    Py_DECREF(holder);
    return answer;
}

static PyMemberDef validator_members[] = {
    PYBWT_RECORD_FIELD(FIELD_MIN_HITS, "min_hits", "Fewer hits are an empty result set."),
    PYBWT_RECORD_FIELD(FIELD_MIN_SNIPPET_CHARS, "min_snippet_chars", "What the longest clean snippet must reach."),
    PYBWT_RECORD_FIELD(FIELD_MARKERS, "login_wall_markers", "Phrases that mark a hit as a wall."),
    PYBWT_RECORD_FIELD(FIELD_TERM_OVERLAP, "require_term_overlap", "Whether a hit must share a word with the query."),
    PYBWT_RECORD_FIELDS_END,
};

static PyMethodDef validator_methods[] = {
    PYBWT_RECORD_METHODS,
    {"validate", (PyCFunction)(void (*)(void))validator_validate, METH_VARARGS | METH_KEYWORDS,
     "validate($self, /, query, response)\n--\n\nThe Verdict on a TransportResponse."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot validator_slots[] = {
    {Py_tp_doc, "EvidenceValidator(min_hits=1, min_snippet_chars=40, login_wall_markers=None, "
                "require_term_overlap=True)\n--\n\nJudges whether hits are evidence. Frozen; login_wall_markers None "
                "means the built-in table."},
    {Py_tp_new, validator_new},
    {Py_tp_members, validator_members},
    {Py_tp_methods, validator_methods},
    PYBWT_RECORD_SLOTS(validator_dealloc, pybwt_record_repr),
    {0, NULL},
};

static PyType_Spec validator_spec = {
    .name = "bounded_web_tool.EvidenceValidator",
    .basicsize = sizeof(pybwt_validator),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = validator_slots,
};

int pybwt_validator_type_add(PyObject *module, pybwt_state *state)
{
    if (pybwt_type_add_with(module, &validator_spec, &state->validator_type, "__match_args__",
                            pybwt_name_tuple(validator_names, VALIDATOR_FIELDS)) < 0) {
        return -1;
    }
    PyObject *preset = PyObject_CallNoArgs((PyObject *)state->validator_type);
    if (preset == NULL) return -1;
    int failed = PyModule_AddObjectRef(module, "DEFAULT_VALIDATOR", preset);
    Py_DECREF(preset);
    return failed;
}
