/* Stand-ins for calls that older Python versions lack. */
#include "py/compat.h"

int pybwt_optional_attr(PyObject *object, PyObject *name, PyObject **out)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyObject_GetOptionalAttr(object, name, out);
#else
    *out = PyObject_GetAttr(object, name);
    if (*out != NULL) return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
#endif
}
