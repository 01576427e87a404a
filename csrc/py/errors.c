/* The library's error values as Python exceptions. */
#include "py/errors.h"

PyObject *pybwt_raise(bwt_error error, const bwt_complaint *complaint)
{
    bool explained = complaint != NULL && complaint->expected[0] != '\0';
    PyObject *type = PyExc_RuntimeError;
    const char *message = "the library failed";
    switch (error) {
    case BWT_OK:
        break;
    case BWT_ERR_NO_MEMORY:
        return PyErr_NoMemory();
    case BWT_ERR_INVALID:
        type = PyExc_ValueError;
        message = "an argument is out of its range";
        break;
    case BWT_ERR_CLOSED:
        message = "it has been closed";
        break;
    case BWT_ERR_UNSUPPORTED:
        message = "the libcurl found at run time is too old or lacks a feature";
        break;
    case BWT_ERR_SYSTEM:
        type = PyExc_OSError;
        message = "the system gave no thread or descriptor";
        break;
    }
    if (!explained) {
        PyErr_SetString(type, message);
    } else if (complaint->field[0] == '\0') {
        PyErr_SetString(type, complaint->expected);
    } else {
        PyErr_Format(type, "%s: %s", complaint->field, complaint->expected);
    }
    return NULL;
}
