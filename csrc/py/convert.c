/* Scalars: text, integers, booleans, vocabulary members and clock readings. */
#include "py/convert.h"

#include <math.h>

#include "py/compat.h"
#include "py/errors.h"

int pybwt_str_in(PyObject *value, const char *name, bwt_str *out, PyObject **holder)
{
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_ssize_t len;
    const char *data = PyUnicode_AsUTF8AndSize(value, &len);
    if (data != NULL) {
        *holder = Py_NewRef(value);
    } else {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear();
        *holder = PyUnicode_AsEncodedString(value, "utf-8", "surrogatepass");
        if (*holder == NULL) return -1;
        data = PyBytes_AS_STRING(*holder);
        len = PyBytes_GET_SIZE(*holder);
    }
    *out = (bwt_str){data, (size_t)len};
    return 0;
}

int pybwt_optional_str_in(PyObject *value, const char *name, bwt_str *out, PyObject **holder)
{
    if (value == Py_None) {
        *out = BWT_STR_NONE;
        *holder = NULL;
        return 0;
    }
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or None, not %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    return pybwt_str_in(value, name, out, holder);
}

PyObject *pybwt_clean_str(PyObject *value, const char *name)
{
    bwt_str text;
    PyObject *holder;
    if (pybwt_str_in(value, name, &text, &holder) < 0) return NULL;
    PyObject *clean = holder == value ? PyUnicode_FromObject(value) : pybwt_str_out(text);
    Py_DECREF(holder);
    return clean;
}

PyObject *pybwt_optional_clean_str(PyObject *value, const char *name)
{
    bwt_str text;
    PyObject *holder;
    if (pybwt_optional_str_in(value, name, &text, &holder) < 0) return NULL;
    Py_XDECREF(holder);
    return value == Py_None ? Py_NewRef(value) : pybwt_clean_str(value, name);
}

PyObject *pybwt_str_out(bwt_str text)
{
    if (text.data == NULL) Py_RETURN_NONE;
    if (text.len > PY_SSIZE_T_MAX) return PyErr_NoMemory();
    PyObject *decoded = PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.len, NULL);
    if (decoded != NULL || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return decoded;
    PyErr_Clear();
    bwt_text valid;
    bwt_error error = bwt_utf8_sanitize(text, &valid);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    decoded = PyUnicode_DecodeUTF8(valid.data, (Py_ssize_t)valid.len, NULL);
    bwt_text_free(&valid);
    return decoded;
}

PyObject *pybwt_text_out(bwt_text *text)
{
    PyObject *decoded = pybwt_str_out((bwt_str){text->data, text->len});
    bwt_text_free(text);
    return decoded;
}

int pybwt_int_in(PyObject *value, const char *name, int64_t lowest, int64_t highest, int64_t *out)
{
    if (!PyLong_Check(value) || PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be an int, not %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (overflow != 0 || number < lowest || number > highest) {
        PyErr_Format(PyExc_ValueError, "%s: must be an integer between %lld and %lld", name, (long long)lowest,
                     (long long)highest);
        return -1;
    }
    *out = number;
    return 0;
}

int pybwt_optional_int_in(PyObject *value, const char *name, int64_t lowest, int64_t highest, int64_t absent,
                          int64_t *out)
{
    if (value == Py_None) {
        *out = absent;
        return 0;
    }
    if (!PyLong_Check(value) || PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be an int or None, not %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    return pybwt_int_in(value, name, lowest, highest, out);
}

PyObject *pybwt_optional_int_out(int64_t value, int64_t absent)
{
    if (value == absent) Py_RETURN_NONE;
    return PyLong_FromLongLong(value);
}

int pybwt_bool_in(PyObject *value, const char *name, bool *out)
{
    if (!PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a bool, not %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    *out = value == Py_True;
    return 0;
}

static int refuse_enum(pybwt_state *state, bwt_vocab vocab, const char *name)
{
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *members = PySequence_List(state->enum_class[vocab]);
    PyObject *list = comma == NULL || members == NULL ? NULL : PyUnicode_Join(comma, members);
    if (list != NULL) PyErr_Format(PyExc_ValueError, "%s: must be one of %U", name, list);
    Py_XDECREF(list);
    Py_XDECREF(members);
    Py_XDECREF(comma);
    return -1;
}

int pybwt_enum_in(pybwt_state *state, bwt_vocab vocab, PyObject *value, const char *name, int *out)
{
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a member of %s or its wire value, not %s", name,
                     bwt_vocab_name(vocab), Py_TYPE(value)->tp_name);
        return -1;
    }
    bwt_str wire;
    PyObject *holder;
    if (pybwt_str_in(value, name, &wire, &holder) < 0) return -1;
    int member = bwt_vocab_parse(vocab, wire);
    Py_DECREF(holder);
    if (member == 0) return refuse_enum(state, vocab, name);
    *out = member;
    return 0;
}

int pybwt_optional_enum_in(pybwt_state *state, bwt_vocab vocab, PyObject *value, const char *name, int *out)
{
    if (value != Py_None) return pybwt_enum_in(state, vocab, value, name, out);
    *out = 0;
    return 0;
}

PyObject *pybwt_enum_out(pybwt_state *state, bwt_vocab vocab, int member)
{
    if (member < 1 || member > bwt_vocab_size(vocab)) Py_RETURN_NONE;
    return Py_NewRef(state->enum_member[vocab][member]);
}

int pybwt_kind_in(PyObject *value, const char *name, bwt_receipt_kind *out)
{
    bwt_str wire;
    PyObject *holder;
    if (pybwt_str_in(value, name, &wire, &holder) < 0) return -1;
    bwt_receipt_kind kind = bwt_receipt_kind_parse(wire);
    Py_DECREF(holder);
    if (kind == 0) {
        PyErr_Format(PyExc_ValueError, "%s: must be 'lookup' or 'page'", name);
        return -1;
    }
    *out = kind;
    return 0;
}

/* The reading of now_ns(); takes method. */
static int read_ns(PyObject *method, int64_t *out)
{
    PyObject *reading = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (reading == NULL) return -1;
    int failed = pybwt_int_in(reading, "clock.now_ns()", INT64_MIN, INT64_MAX, out);
    Py_DECREF(reading);
    return failed;
}

static int refuse_reading(void)
{
    PyErr_SetString(PyExc_ValueError, "clock: must return a finite number of seconds, less than 285 years");
    return -1;
}

/* A float of seconds carries noise below the microsecond (a sum of 0.1s, say), which must not turn into a millisecond
 * when the budget rounds up. */
static int seconds_to_ns(PyObject *seconds, int64_t *out)
{
    double value = PyFloat_AsDouble(seconds);
    if (value == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) return refuse_reading();
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Format(PyExc_TypeError, "clock must return a number of seconds, not %s", Py_TYPE(seconds)->tp_name);
        return -1;
    }
    double microseconds = nearbyint(value * 1e6);
    if (!isfinite(value) || fabs(microseconds) > (double)(INT64_MAX / 1024)) return refuse_reading();
    *out = (int64_t)microseconds * 1000;
    return 0;
}

int pybwt_clock_ns(pybwt_state *state, PyObject *clock, int64_t *out)
{
    if (clock == state->time_monotonic) {
        *out = bwt_monotonic_ns();
        return 0;
    }
    PyObject *method;
    int found = pybwt_optional_attr(clock, state->name_now_ns, &method);
    if (found < 0) return -1;
    if (found) return read_ns(method, out);
    if (!PyCallable_Check(clock)) {
        PyErr_Format(PyExc_TypeError, "clock must be callable or have now_ns(), not %s", Py_TYPE(clock)->tp_name);
        return -1;
    }
    PyObject *seconds = PyObject_CallNoArgs(clock);
    if (seconds == NULL) return -1;
    int failed = seconds_to_ns(seconds, out);
    Py_DECREF(seconds);
    return failed;
}

int pybwt_type_in(PyObject *value, PyTypeObject *type, const char *name, const char *expected)
{
    if (Py_IS_TYPE(value, type)) return 0;
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %s", name, expected, Py_TYPE(value)->tp_name);
    return -1;
}
