/* Sorting the arguments of a call, with messages that name the argument and show no value. */
#include "py/arguments.h"

#include "py/functions.h"

static Py_ssize_t find_name(const pybwt_signature *signature, PyObject *name)
{
    for (Py_ssize_t i = 0; i < signature->count; i++) {
        if (PyUnicode_CompareWithASCIIString(name, signature->names[i]) == 0) return i;
    }
    return -1;
}

static int take_keyword(const pybwt_signature *signature, PyObject *name, PyObject *value, PyObject **values)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "%s(): field names must be str", signature->function);
        return -1;
    }
    Py_ssize_t at = find_name(signature, name);
    if (at < 0) {
        PyObject *shown = pybwt_redact(name, "name", bwt_redact_text);
        if (shown != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", signature->function, shown);
            Py_DECREF(shown);
        }
        return -1;
    }
    if (values[at] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got %s twice", signature->function, signature->names[at]);
        return -1;
    }
    values[at] = value;
    return 0;
}

int pybwt_arguments(const pybwt_signature *signature, PyObject *args, PyObject *kwargs, PyObject **values)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments, %zd were given",
                     signature->function, signature->positional, given);
        return -1;
    }
    for (Py_ssize_t i = 0; i < signature->count; i++) values[i] = i < given ? PyTuple_GET_ITEM(args, i) : NULL;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (kwargs != NULL && PyDict_Next(kwargs, &at, &name, &value)) {
        if (take_keyword(signature, name, value, values) < 0) return -1;
    }
    for (Py_ssize_t i = 0; i < signature->required; i++) {
        if (values[i] != NULL) continue;
        PyErr_Format(PyExc_TypeError, "%s() is missing the argument %s", signature->function, signature->names[i]);
        return -1;
    }
    return 0;
}
