/* CancellationToken: a flag and the callbacks that run once when it is set.
 *
 * The GIL orders all access to the fields, and no callback runs while a field is half changed, so there is no lock a
 * callback could deadlock on. */
#include "py/types.h"

typedef struct pybwt_token {
    PyObject_HEAD
    PyObject *callbacks; /* list; NULL once cancelled */
} pybwt_token;

static PyObject *token_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":CancellationToken", names)) return NULL;
    pybwt_token *self = (pybwt_token *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    self->callbacks = PyList_New(0);
    if (self->callbacks == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int token_traverse(pybwt_token *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->callbacks);
    return 0;
}

static int token_clear(pybwt_token *self)
{
    Py_CLEAR(self->callbacks);
    return 0;
}

static void token_dealloc(pybwt_token *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    token_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* An Exception in a callback is nobody's to catch here; KeyboardInterrupt and its like are the caller's. */
static int run_callback(PyObject *callback)
{
    PyObject *result = PyObject_CallNoArgs(callback);
    if (result != NULL) {
        Py_DECREF(result);
        return 0;
    }
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return -1;
    PyErr_WriteUnraisable(callback);
    return 0;
}

static PyObject *token_cancel(pybwt_token *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *callbacks = self->callbacks;
    if (callbacks == NULL) Py_RETURN_NONE;
    self->callbacks = NULL;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(callbacks); i++) {
        if (run_callback(PyList_GET_ITEM(callbacks, i)) == 0) continue;
        if (type == NULL) PyErr_Fetch(&type, &value, &traceback);
        else PyErr_Clear();
    }
    Py_DECREF(callbacks);
    if (type != NULL) {
        PyErr_Restore(type, value, traceback);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *token_is_cancelled(pybwt_token *self, PyObject *Py_UNUSED(ignored))
{
    return PyBool_FromLong(self->callbacks == NULL);
}

static PyObject *token_add_callback(pybwt_token *self, PyObject *callback)
{
    if (!PyCallable_Check(callback)) {
        return PyErr_Format(PyExc_TypeError, "callback must be callable, not %s", Py_TYPE(callback)->tp_name);
    }
    int failed = self->callbacks == NULL ? run_callback(callback) : PyList_Append(self->callbacks, callback);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyObject *token_remove_callback(pybwt_token *self, PyObject *callback)
{
    for (Py_ssize_t i = 0; self->callbacks != NULL && i < PyList_GET_SIZE(self->callbacks); i++) {
        /* Bound methods are made anew each time they are named, so equality counts, not identity. The comparison may
         * run Python code that changes the list: it is held, and looked at again in each round. */
        PyObject *list = Py_NewRef(self->callbacks);
        PyObject *known = Py_NewRef(PyList_GET_ITEM(list, i));
        int same = PyObject_RichCompareBool(known, callback, Py_EQ);
        int failed = same < 0;
        if (same > 0 && i < PyList_GET_SIZE(list) && PyList_GET_ITEM(list, i) == known) {
            failed = PyList_SetSlice(list, i, i + 1, NULL) < 0;
        }
        Py_DECREF(known);
        Py_DECREF(list);
        if (failed) return NULL;
        if (same > 0) break;
    }
    Py_RETURN_NONE;
}

static PyObject *token_repr(pybwt_token *self)
{
    return PyUnicode_FromString(self->callbacks == NULL ? "<CancellationToken cancelled>" : "<CancellationToken>");
}

static PyMethodDef token_methods[] = {
    {"cancel", (PyCFunction)token_cancel, METH_NOARGS,
     "cancel($self, /)\n--\n\nSet the flag and run the callbacks, once; any thread."},
    {"is_cancelled", (PyCFunction)token_is_cancelled, METH_NOARGS, "is_cancelled($self, /)\n--\n\nWhether cancel was called."},
    {"add_callback", (PyCFunction)token_add_callback, METH_O,
     "add_callback($self, callback, /)\n--\n\nCall it without arguments on cancel; at once if already cancelled."},
    {"remove_callback", (PyCFunction)token_remove_callback, METH_O,
     "remove_callback($self, callback, /)\n--\n\nForget one equal callback; an unknown one is ignored."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot token_slots[] = {
    {Py_tp_doc, "CancellationToken()\n--\n\nCancels lookups from any thread; callbacks run with no lock held."},
    {Py_tp_new, token_new},
    {Py_tp_dealloc, token_dealloc},
    {Py_tp_traverse, token_traverse},
    {Py_tp_clear, token_clear},
    {Py_tp_repr, token_repr},
    {Py_tp_methods, token_methods},
    {0, NULL},
};

static PyType_Spec token_spec = {
    .name = "bounded_web_tool._core.CancellationToken",
    .basicsize = sizeof(pybwt_token),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = token_slots,
};

int pybwt_token_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &token_spec, &state->token_type);
}
