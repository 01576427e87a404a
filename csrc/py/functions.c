/* The module's functions. */
#include "py/functions.h"

#include "py/arguments.h"
#include "py/compat.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/hit_type.h"

static bwt_error redact_text_or_much(pybwt_redactor redactor, bwt_str text, bwt_text *out)
{
    if (text.len <= PYBWT_MUCH_TEXT_BYTES) return redactor(text, out);
    bwt_error error;
    Py_BEGIN_ALLOW_THREADS
    error = redactor(text, out);
    Py_END_ALLOW_THREADS
    return error;
}

/* Lone surrogates pass through as they came, like every other text that is not sensitive. */
static PyObject *redacted_str(bwt_text *redacted)
{
    PyObject *text = PyUnicode_DecodeUTF8(redacted->data, (Py_ssize_t)redacted->len, "surrogatepass");
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return pybwt_text_out(redacted);
    }
    bwt_text_free(redacted);
    return text;
}

PyObject *pybwt_redact(PyObject *value, const char *name, pybwt_redactor redactor)
{
    bwt_str text;
    PyObject *holder = NULL;
    bool is_bytes = PyBytes_Check(value);
    if (is_bytes) {
        text = (bwt_str){PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value)};
    } else if (!PyUnicode_Check(value)) {
        return PyErr_Format(PyExc_TypeError, "%s must be a str or bytes, not %s", name, Py_TYPE(value)->tp_name);
    } else if (pybwt_str_in(value, name, &text, &holder) < 0) {
        return NULL;
    }
    bwt_text redacted;
    bwt_error error = redact_text_or_much(redactor, text, &redacted);
    Py_XDECREF(holder);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    if (!is_bytes) return redacted_str(&redacted);
    PyObject *bytes = PyBytes_FromStringAndSize(redacted.data, (Py_ssize_t)redacted.len);
    bwt_text_free(&redacted);
    return bytes;
}

static PyObject *redact_text(PyObject *Py_UNUSED(module), PyObject *text)
{
    return pybwt_redact(text, "text", bwt_redact_text);
}

static PyObject *redact_url(PyObject *Py_UNUSED(module), PyObject *url)
{
    return pybwt_redact(url, "url", bwt_redact_url);
}

static int read_status(pybwt_state *state, PyObject *attempt, bwt_attempt_status *out)
{
    PyObject *status;
    int found = pybwt_optional_attr(attempt, state->name_status, &status);
    if (found < 0) return -1;
    if (!found) {
        PyErr_Format(PyExc_TypeError, "attempts: each must have a status, %s has none", Py_TYPE(attempt)->tp_name);
        return -1;
    }
    int member;
    int failed = pybwt_enum_in(state, BWT_VOCAB_ATTEMPT_STATUS, status, "attempts: status", &member);
    Py_DECREF(status);
    if (!failed) *out = (bwt_attempt_status)member;
    return failed;
}

/* The statuses of an iterable of attempts, PyMem_Free'd by the caller. */
static bwt_attempt_status *read_trail(pybwt_state *state, PyObject *attempts, size_t *length)
{
    if (Py_TYPE(attempts)->tp_iter == NULL && !PySequence_Check(attempts)) {
        PyErr_Format(PyExc_TypeError, "attempts must be an iterable, not %s", Py_TYPE(attempts)->tp_name);
        return NULL;
    }
    PyObject *items = PySequence_Tuple(attempts);
    if (items == NULL) return NULL;
    size_t count = (size_t)PyTuple_GET_SIZE(items);
    bwt_attempt_status *trail = PyMem_New(bwt_attempt_status, count > 0 ? count : 1);
    if (trail == NULL) PyErr_NoMemory();
    for (size_t i = 0; trail != NULL && i < count; i++) {
        if (read_status(state, PyTuple_GET_ITEM(items, (Py_ssize_t)i), &trail[i]) == 0) continue;
        PyMem_Free(trail);
        trail = NULL;
    }
    Py_DECREF(items);
    *length = count;
    return trail;
}

static PyObject *decide_next_action(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"outcome", "attempts", "kind"};
    static const pybwt_signature signature = {"decide_next_action", names, 3, 3, 2};
    pybwt_state *state = pybwt_state_of_module(module);
    PyObject *given[3];
    int outcome;
    bwt_receipt_kind kind = BWT_KIND_LOOKUP;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_enum_in(state, BWT_VOCAB_OUTCOME, given[0], "outcome", &outcome) < 0 ||
        (given[2] != NULL && pybwt_kind_in(given[2], "kind", &kind) < 0)) {
        return NULL;
    }
    size_t length;
    bwt_attempt_status *trail = read_trail(state, given[1], &length);
    if (trail == NULL) return NULL;
    bwt_next_action action = bwt_next_action_for((bwt_outcome)outcome, trail, length, kind);
    PyMem_Free(trail);
    return pybwt_enum_out(state, BWT_VOCAB_NEXT_ACTION, (int)action);
}

static PyObject *read_clock_ns(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"clock"};
    static const pybwt_signature signature = {"read_clock_ns", names, 1, 1, 1};
    PyObject *given[1];
    int64_t now_ns;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_clock_ns(pybwt_state_of_module(module), given[0], &now_ns) < 0) {
        return NULL;
    }
    return PyLong_FromLongLong(now_ns);
}

static PyObject *monotonic_ns(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLongLong(bwt_monotonic_ns());
}

static PyObject *native_bytes(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromSize_t(bwt_native_bytes());
}

static PyObject *curl_version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored))
{
    unsigned version = bwt_curl_version();
    return PyUnicode_FromFormat("%u.%u.%u", version >> 16 & 0xff, version >> 8 & 0xff, version & 0xff);
}

static PyMethodDef functions[] = {
    {"hits", pybwt_hits, METH_VARARGS,
     "hits($module, /, *items)\n--\n\nA tuple of Hit; each item a Hit or a sequence of three str that is not a str."},
    {"decide_next_action", (PyCFunction)(void (*)(void))decide_next_action, METH_VARARGS | METH_KEYWORDS,
     "decide_next_action($module, /, outcome, attempts, kind='lookup')\n--\n\n"
     "The table of next actions; attempts are objects with a status."},
    {"redact_text", redact_text, METH_O,
     "redact_text($module, text, /)\n--\n\nCredentials masked; str or bytes, and the same comes back."},
    {"redact_url", redact_url, METH_O,
     "redact_url($module, url, /)\n--\n\nCredentials in an address masked; str or bytes, and the same comes back."},
    {"read_clock_ns", (PyCFunction)(void (*)(void))read_clock_ns, METH_VARARGS | METH_KEYWORDS,
     "read_clock_ns($module, /, clock)\n--\n\n"
     "One reading in ns: now_ns() where there is one, else seconds rounded to the nearest microsecond."},
    {"monotonic_ns", monotonic_ns, METH_NOARGS, "monotonic_ns($module, /)\n--\n\nThe engine's clock."},
    {"native_bytes", native_bytes, METH_NOARGS,
     "native_bytes($module, /)\n--\n\nBytes that the C library has allocated and not freed."},
    {"curl_version", curl_version, METH_NOARGS, "curl_version($module, /)\n--\n\nThe libcurl found at run time."},
    {NULL, NULL, 0, NULL},
};

int pybwt_functions_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
