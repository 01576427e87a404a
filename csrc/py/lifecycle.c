/* Module-level beginnings and endings: adding types, and closing engines before the interpreter goes. */
#include "py/lifecycle.h"

#include "py/types.h"

int pybwt_type_add(PyObject *module, PyType_Spec *spec, PyTypeObject **slot)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type == NULL) return -1;
    *slot = (PyTypeObject *)type;
    return PyModule_AddType(module, *slot);
}

/* Lookups still in flight end as cancelled; their waiters wake up while Python is still whole. */
static PyObject *close_engines(PyObject *module, PyObject *Py_UNUSED(ignored))
{
    pybwt_engines_close(pybwt_state_of_module(module));
    Py_RETURN_NONE;
}

static PyMethodDef close_engines_def = {"_close_engines", close_engines, METH_NOARGS,
                                        "Closes every engine; runs at the interpreter's exit."};

int pybwt_lifecycle_add(PyObject *module)
{
    PyObject *hook = PyCFunction_NewEx(&close_engines_def, module, NULL);
    if (hook == NULL) return -1;
    PyObject *atexit = PyImport_ImportModule("atexit");
    PyObject *done = atexit == NULL ? NULL : PyObject_CallMethod(atexit, "register", "O", hook);
    Py_XDECREF(atexit);
    Py_DECREF(hook);
    if (done == NULL) return -1;
    Py_DECREF(done);
    return 0;
}
