/* Frozen value types: everything that follows from the table of members. */
#include "py/record.h"

#include "py/types.h"

PyObject *pybwt_record_new(PyTypeObject *type, PyObject *const values[], size_t count)
{
    bool complete = true;
    for (size_t i = 0; i < count; i++) complete = complete && values[i] != NULL;
    pybwt_record *self = complete ? (pybwt_record *)type->tp_alloc(type, 0) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (self != NULL) self->values[i] = values[i];
        else Py_XDECREF(values[i]);
    }
    return (PyObject *)self;
}

static PyObject **object_at(PyObject *self, const PyMemberDef *member)
{
    return member->type == Py_T_OBJECT_EX ? (PyObject **)((char *)self + member->offset) : NULL;
}

int pybwt_record_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    for (const PyMemberDef *member = Py_TYPE(self)->tp_members; member->name != NULL; member++) {
        PyObject **value = object_at(self, member);
        if (value != NULL) Py_VISIT(*value);
    }
    return 0;
}

/* There is no tp_clear: a frozen object cannot become part of a cycle after its construction, and the objects that
 * close one through its type (module, classes) have theirs. */
void pybwt_record_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (const PyMemberDef *member = type->tp_members; member->name != NULL; member++) {
        PyObject **value = object_at(self, member);
        if (value != NULL) Py_CLEAR(*value);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *values_of(PyObject *self)
{
    PyMemberDef *members = Py_TYPE(self)->tp_members;
    Py_ssize_t count = 0;
    while (members[count].name != NULL) count++;
    PyObject *values = PyTuple_New(count);
    for (Py_ssize_t i = 0; values != NULL && i < count; i++) {
        PyObject *value = PyMember_GetOne((const char *)self, &members[i]);
        if (value == NULL) Py_CLEAR(values);
        else PyTuple_SET_ITEM(values, i, value);
    }
    return values;
}

static PyObject *to_dict(PyObject *self, bool plain)
{
    PyObject *dict = PyDict_New();
    for (PyMemberDef *member = Py_TYPE(self)->tp_members; dict != NULL && member->name != NULL; member++) {
        PyObject *value = PyMember_GetOne((const char *)self, member);
        if (plain && value != NULL && PyUnicode_Check(value)) Py_SETREF(value, PyUnicode_FromObject(value));
        if (value == NULL || PyDict_SetItemString(dict, member->name, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

PyObject *pybwt_record_fields(PyObject *self)
{
    return to_dict(self, false);
}

PyObject *pybwt_record_to_dict(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return to_dict(self, true);
}

PyObject *pybwt_record_repr(PyObject *self)
{
    PyObject *parts = PyList_New(0);
    for (PyMemberDef *member = Py_TYPE(self)->tp_members; parts != NULL && member->name != NULL; member++) {
        PyObject *value = PyMember_GetOne((const char *)self, member);
        PyObject *part = value == NULL ? NULL : PyUnicode_FromFormat("%s=%R", member->name, value);
        if (part == NULL || PyList_Append(parts, part) < 0) Py_CLEAR(parts);
        Py_XDECREF(part);
        Py_XDECREF(value);
    }
    PyObject *comma = parts == NULL ? NULL : PyUnicode_FromString(", ");
    PyObject *joined = comma == NULL ? NULL : PyUnicode_Join(comma, parts);
    PyObject *repr = NULL;
    if (joined != NULL) repr = PyUnicode_FromFormat("%s(%U)", strrchr(Py_TYPE(self)->tp_name, '.') + 1, joined);
    Py_XDECREF(joined);
    Py_XDECREF(comma);
    Py_XDECREF(parts);
    return repr;
}

PyObject *pybwt_record_richcompare(PyObject *self, PyObject *other, int operator_id)
{
    if ((operator_id != Py_EQ && operator_id != Py_NE) || Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *mine = values_of(self);
    PyObject *theirs = mine == NULL ? NULL : values_of(other);
    PyObject *answer = theirs == NULL ? NULL : PyObject_RichCompare(mine, theirs, operator_id);
    Py_XDECREF(theirs);
    Py_XDECREF(mine);
    return answer;
}

Py_hash_t pybwt_record_hash(PyObject *self)
{
    PyObject *values = values_of(self);
    if (values == NULL) return -1;
    Py_hash_t hash = PyObject_Hash(values);
    Py_DECREF(values);
    return hash;
}

/* copyreg.__newobj_ex__ calls the class by keyword, in every pickle protocol. */
PyObject *pybwt_record_reduce(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *copyreg = PyImport_ImportModule("copyreg");
    if (copyreg == NULL) return NULL;
    PyObject *rebuild = PyObject_GetAttrString(copyreg, "__newobj_ex__");
    Py_DECREF(copyreg);
    PyObject *fields = rebuild == NULL ? NULL : pybwt_record_fields(self);
    if (fields == NULL) {
        Py_XDECREF(rebuild);
        return NULL;
    }
    return Py_BuildValue("N(O()N)", rebuild, Py_TYPE(self), fields);
}

PyObject *pybwt_record_replace(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) != 0) {
        PyErr_SetString(PyExc_TypeError, "__replace__() takes no positional arguments");
        return NULL;
    }
    PyObject *fields = pybwt_record_fields(self);
    PyObject *replaced = NULL;
    if (fields != NULL && (kwargs == NULL || PyDict_Update(fields, kwargs) == 0)) {
        replaced = PyObject_Call((PyObject *)Py_TYPE(self), args, fields);
    }
    Py_XDECREF(fields);
    return replaced;
}

PyObject *pybwt_frozen_copy(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return Py_NewRef(self);
}

int pybwt_type_add_with(PyObject *module, PyType_Spec *spec, PyTypeObject **slot, const char *name, PyObject *value)
{
    if (value == NULL) return -1;
    int failed = pybwt_type_add(module, spec, slot) < 0 || PyObject_SetAttrString((PyObject *)*slot, name, value) < 0;
    Py_DECREF(value);
    if (failed) return -1;
    (*slot)->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
    PyType_Modified(*slot);
    return 0;
}

PyObject *pybwt_name_tuple(const char *const names[], Py_ssize_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (name == NULL) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, name);
    }
    return tuple;
}
