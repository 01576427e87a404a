/* What differs between the Python versions the binding is built for (3.11 and later). */
#ifndef PYBWT_COMPAT_H
#define PYBWT_COMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The member kinds came into Python.h, with a prefix, in 3.12. */
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_LONGLONG T_LONGLONG
#define Py_T_BOOL T_BOOL
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY
#endif

/* The attribute as a new reference: 1 found, 0 absent (no exception set), -1 with an exception. */
int pybwt_optional_attr(PyObject *object, PyObject *name, PyObject **out);

#endif
