/* What Receipt and AttemptRecord share: reading from dict and JSON, and the names known from pydantic models. */
#include "py/receipt_methods.h"

PyObject *pybwt_model_fields(const pybwt_field_doc *fields, size_t count)
{
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < count; i++) {
        PyObject *one = Py_BuildValue("{sOss}", "required", fields[i].required ? Py_True : Py_False, "description",
                                      fields[i].doc);
        if (one == NULL || PyDict_SetItemString(all, fields[i].name, one) < 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

PyObject *pybwt_from_mapping(PyObject *type, PyObject *data, const char *name)
{
    if (!PyMapping_Check(data) || PyObject_HasAttrString(data, "keys") == 0) {
        return PyErr_Format(PyExc_TypeError, "%s must be a mapping, not %s", name, Py_TYPE(data)->tp_name);
    }
    PyObject *fields = PyDict_New();
    PyObject *none = PyTuple_New(0);
    PyObject *made = NULL;
    if (fields != NULL && none != NULL && PyDict_Update(fields, data) == 0) made = PyObject_Call(type, none, fields);
    Py_XDECREF(none);
    Py_XDECREF(fields);
    return made;
}

PyObject *pybwt_reduce_by_dict(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *rebuild = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "from_dict");
    PyObject *fields = rebuild == NULL ? NULL : PyObject_CallMethod(self, "to_dict", NULL);
    if (fields == NULL) {
        Py_XDECREF(rebuild);
        return NULL;
    }
    return Py_BuildValue("N(N)", rebuild, fields);
}

PyObject *pybwt_call_support(const char *function, PyObject *const args[], size_t count)
{
    PyObject *support = PyImport_ImportModule("bounded_web_tool._receipt_support");
    if (support == NULL) return NULL;
    PyObject *callable = PyObject_GetAttrString(support, function);
    Py_DECREF(support);
    if (callable == NULL) return NULL;
    PyObject *result = PyObject_Vectorcall(callable, args, count, NULL);
    Py_DECREF(callable);
    return result;
}

PyObject *pybwt_class_from_dict(PyObject *type, PyObject *data)
{
    return pybwt_from_mapping(type, data, "data");
}

PyObject *pybwt_class_from_json(PyObject *type, PyObject *text)
{
    return pybwt_call_support("from_json", (PyObject *const[]){type, text}, 2);
}

PyObject *pybwt_class_model_validate(PyObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *value;
    if (!PyArg_UnpackTuple(args, "model_validate", 1, 1, &value)) return NULL;
    return pybwt_call_support("validate", (PyObject *const[]){type, value}, 2);
}

PyObject *pybwt_class_model_json_schema(PyObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    if (!PyArg_UnpackTuple(args, "model_json_schema", 0, 0)) return NULL;
    return pybwt_call_support("json_schema", &type, 1);
}

PyObject *pybwt_class_pydantic_core_schema(PyObject *type, PyObject *args)
{
    PyObject *source, *handler;
    if (!PyArg_UnpackTuple(args, "__get_pydantic_core_schema__", 2, 2, &source, &handler)) return NULL;
    return pybwt_call_support("core_schema", (PyObject *const[]){type, source, handler}, 3);
}

PyObject *pybwt_class_pydantic_json_schema(PyObject *type, PyObject *args)
{
    PyObject *core_schema, *handler;
    if (!PyArg_UnpackTuple(args, "__get_pydantic_json_schema__", 2, 2, &core_schema, &handler)) return NULL;
    return pybwt_call_support("pydantic_json_schema", (PyObject *const[]){type, core_schema, handler}, 3);
}

PyObject *pybwt_model_dump(PyObject *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    if (!PyArg_UnpackTuple(args, "model_dump", 0, 0)) return NULL;
    return PyObject_CallMethod(self, "to_dict", NULL);
}

PyObject *pybwt_model_dump_json(PyObject *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    if (!PyArg_UnpackTuple(args, "model_dump_json", 0, 0)) return NULL;
    return PyObject_CallMethod(self, "to_json", NULL);
}
