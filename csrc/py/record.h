/* Frozen value types: what a type has to say is its table of members, everything else is shared here.
 *
 * The members of the type (Py_tp_members) are its fields, in the order of its constructor, which must take each by
 * keyword. Equality, hash, repr, copies, pickles and __replace__ follow from them. */
#ifndef PYBWT_RECORD_H
#define PYBWT_RECORD_H

#include "py/compat.h"
#include "py/state.h"

/* A record whose fields are all objects; others put C values behind the head and say so in their members. */
typedef struct pybwt_record {
    PyObject_HEAD
    PyObject *values[];
} pybwt_record;

#define PYBWT_RECORD_FIELD(index, name, doc)                                                                         \
    {name, Py_T_OBJECT_EX, (Py_ssize_t)(offsetof(pybwt_record, values) + (index) * sizeof(PyObject *)), Py_READONLY, \
     doc}
#define PYBWT_RECORD_FIELDS_END {NULL, 0, 0, 0, NULL}

#define PYBWT_RECORD_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC)

#define PYBWT_RECORD_SLOTS(dealloc, repr)                                                                            \
    {Py_tp_dealloc, dealloc}, {Py_tp_repr, repr}, {Py_tp_traverse, pybwt_record_traverse},                           \
        {Py_tp_richcompare, pybwt_record_richcompare}, {Py_tp_hash, pybwt_record_hash}

#define PYBWT_RECORD_METHODS                                                                                         \
    {"__reduce__", pybwt_record_reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nRebuilt by keyword."},             \
        {"__copy__", pybwt_frozen_copy, METH_NOARGS, "__copy__($self, /)\n--\n\nItself, being frozen."},             \
        {"__deepcopy__", pybwt_frozen_copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nItself, being frozen."},    \
    {                                                                                                                \
        "__replace__", (PyCFunction)(void (*)(void))pybwt_record_replace, METH_VARARGS | METH_KEYWORDS,              \
            "__replace__($self, /, **changes)\n--\n\nA new object with these fields changed."                        \
    }

/* An instance of a type whose fields are all objects. Takes the values, also on failure; a NULL among them is a
 * failure whose exception is already set. */
PyObject *pybwt_record_new(PyTypeObject *type, PyObject *const values[], size_t count);
/* Field name to value, the values as they are. */
PyObject *pybwt_record_fields(PyObject *self);
/* Field name to value, with plain str in the place of enum members. */
PyObject *pybwt_record_to_dict(PyObject *self, PyObject *ignored);

void pybwt_record_dealloc(PyObject *self);
int pybwt_record_traverse(PyObject *self, visitproc visit, void *arg);
PyObject *pybwt_record_repr(PyObject *self);
PyObject *pybwt_record_richcompare(PyObject *self, PyObject *other, int operator_id);
Py_hash_t pybwt_record_hash(PyObject *self);
PyObject *pybwt_record_reduce(PyObject *self, PyObject *ignored);
PyObject *pybwt_record_replace(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pybwt_frozen_copy(PyObject *self, PyObject *ignored);

/* pybwt_type_add for an immutable type with one class attribute that a spec cannot express (__match_args__, a dict).
 * It is set while the type is still mutable: spec must not ask for Py_TPFLAGS_IMMUTABLETYPE, it is added here. Takes
 * value; NULL is a failure whose exception is already set. */
int pybwt_type_add_with(PyObject *module, PyType_Spec *spec, PyTypeObject **slot, const char *name, PyObject *value);

/* For __match_args__. */
PyObject *pybwt_name_tuple(const char *const names[], Py_ssize_t count);

#endif
