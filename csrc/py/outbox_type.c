/* Outbox: where the engine leaves results for one event loop or one blocked thread. */
#include "py/convert.h"
#include "py/errors.h"
#include "py/types.h"

/* A blocked thread wakes up this often to let signal handlers run: the bound on how late Ctrl-C is noticed. */
#define SIGNAL_SLICE_NS INT64_C(20000000)

typedef struct pybwt_outbox {
    PyObject_HEAD
    bwt_outbox *outbox; /* NULL once closed */
    int waiters;        /* threads inside wait: close leaves the outbox to the last of them */
    bool closing;
} pybwt_outbox;

static PyObject *outbox_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"with_fd", NULL};
    PyObject *flag;
    bool with_fd;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Outbox", names, &flag)) return NULL;
    if (pybwt_bool_in(flag, "with_fd", &with_fd) < 0) return NULL;
    pybwt_outbox *self = (pybwt_outbox *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    bwt_error error = bwt_outbox_new(with_fd, &self->outbox);
    if (error != BWT_OK) {
        Py_DECREF(self);
        return pybwt_raise(error, NULL);
    }
    return (PyObject *)self;
}

static void close_now(pybwt_outbox *self)
{
    bwt_outbox *outbox = self->outbox;
    self->outbox = NULL;
    if (outbox != NULL) bwt_outbox_close(outbox);
}

static void outbox_dealloc(pybwt_outbox *self)
{
    PyTypeObject *type = Py_TYPE(self);
    close_now(self);
    type->tp_free(self);
    Py_DECREF(type);
}

bwt_outbox *pybwt_outbox_of(PyObject *object)
{
    pybwt_outbox *self = (pybwt_outbox *)object;
    if (self->outbox == NULL || self->closing) {
        PyErr_SetString(PyExc_ValueError, "outbox: is closed");
        return NULL;
    }
    return self->outbox;
}

static PyObject *outbox_fileno(pybwt_outbox *self, PyObject *Py_UNUSED(ignored))
{
    bwt_outbox *outbox = pybwt_outbox_of((PyObject *)self);
    return outbox == NULL ? NULL : PyLong_FromLong(bwt_outbox_fd(outbox));
}

/* A completion that carries nothing is the engine's way of saying that memory ran out: the consumer gets the
 * exception as a value, so that nobody waits for ever. */
static PyObject *completion_result(pybwt_state *state, bwt_completion *completion)
{
    if (completion->receipt != NULL) {
        bwt_receipt *receipt = completion->receipt;
        completion->receipt = NULL;
        return pybwt_receipt_out(state, receipt);
    }
    if (completion->answer.response != NULL || completion->answer.failure.status != BWT_ATTEMPT_STATUS_NONE) {
        return pybwt_answer_out(state, &completion->answer);
    }
    return PyObject_CallNoArgs(PyExc_MemoryError);
}

static int append_completion(pybwt_state *state, PyObject *list, bwt_completion *completion)
{
    PyObject *result = completion_result(state, completion);
    PyObject *pair =
        result == NULL ? NULL : Py_BuildValue("KN", (unsigned long long)completion->ticket, result);
    int failed = pair == NULL || PyList_Append(list, pair) < 0;
    Py_XDECREF(pair);
    return failed ? -1 : 0;
}

static PyObject *outbox_take(pybwt_outbox *self, PyObject *Py_UNUSED(ignored))
{
    bwt_outbox *outbox = pybwt_outbox_of((PyObject *)self);
    if (outbox == NULL) return NULL;
    PyObject *list = PyList_New(0);
    if (list == NULL) return NULL;
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    bwt_completion *next;
    for (bwt_completion *completion = bwt_outbox_take(outbox); completion != NULL; completion = next) {
        next = completion->next;
        if (list != NULL && append_completion(state, list, completion) < 0) Py_CLEAR(list);
        bwt_completion_free(completion);
    }
    return list;
}

/* Seconds or None to nanoseconds; INT64_MAX stands for no limit. */
static int timeout_in(PyObject *value, int64_t *timeout_ns)
{
    *timeout_ns = INT64_MAX;
    if (value == Py_None) return 0;
    double seconds = PyFloat_AsDouble(value);
    if (seconds == -1.0 && PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "timeout_s must be a number or None, not %s", Py_TYPE(value)->tp_name);
        return -1;
    }
    if (!(seconds >= 0)) {
        PyErr_SetString(PyExc_ValueError, "timeout_s: must be 0 or more");
        return -1;
    }
    if (seconds < 9e9) *timeout_ns = (int64_t)(seconds * 1e9);
    return 0;
}

static int wait_in_slices(pybwt_outbox *self, int64_t timeout_ns)
{
    int64_t start_ns = bwt_monotonic_ns();
    for (;;) {
        int64_t left_ns = timeout_ns - (bwt_monotonic_ns() - start_ns);
        if (left_ns < 0) left_ns = 0;
        bool ready;
        bwt_outbox *outbox = self->outbox;
        Py_BEGIN_ALLOW_THREADS
        ready = bwt_outbox_wait(outbox, left_ns < SIGNAL_SLICE_NS ? left_ns : SIGNAL_SLICE_NS);
        Py_END_ALLOW_THREADS
        if (PyErr_CheckSignals() < 0) return -1;
        if (ready) return 1;
        if (left_ns == 0 || self->closing) return 0;
    }
}

static PyObject *outbox_wait(pybwt_outbox *self, PyObject *timeout)
{
    int64_t timeout_ns;
    if (timeout_in(timeout, &timeout_ns) < 0) return NULL;
    if (pybwt_outbox_of((PyObject *)self) == NULL) return NULL;
    self->waiters++;
    int ready = wait_in_slices(self, timeout_ns);
    self->waiters--;
    if (self->closing && self->waiters == 0) close_now(self);
    return ready < 0 ? NULL : PyBool_FromLong(ready);
}

static PyObject *outbox_close(pybwt_outbox *self, PyObject *Py_UNUSED(ignored))
{
    self->closing = true;
    if (self->waiters == 0) close_now(self);
    Py_RETURN_NONE;
}

static PyMethodDef outbox_methods[] = {
    {"fileno", (PyCFunction)outbox_fileno, METH_NOARGS,
     "fileno($self, /)\n--\n\nReadable while results wait; -1 without a descriptor."},
    {"take", (PyCFunction)outbox_take, METH_NOARGS,
     "take($self, /)\n--\n\nAll waiting (ticket, result) pairs, oldest first."},
    {"wait", (PyCFunction)outbox_wait, METH_O,
     "wait($self, timeout_s, /)\n--\n\nBlock until something waits (True) or the time is over (False)."},
    {"close", (PyCFunction)outbox_close, METH_NOARGS, "close($self, /)\n--\n\nLater results are dropped."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot outbox_slots[] = {
    {Py_tp_doc, "Outbox(with_fd)\n--\n\nWhere the engine leaves results for one event loop or one blocked thread."},
    {Py_tp_new, outbox_new},
    {Py_tp_dealloc, outbox_dealloc},
    {Py_tp_methods, outbox_methods},
    {0, NULL},
};

static PyType_Spec outbox_spec = {
    .name = "bounded_web_tool._core.Outbox",
    .basicsize = sizeof(pybwt_outbox),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = outbox_slots,
};

int pybwt_outbox_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &outbox_spec, &state->outbox_type);
}
