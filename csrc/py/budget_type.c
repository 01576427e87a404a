/* Budget: bwt_budget on an injected clock. */
#include "py/arguments.h"
#include "py/compat.h"
#include "py/convert.h"
#include "py/types.h"

typedef struct pybwt_budget {
    PyObject_HEAD
    bwt_budget budget;
    PyObject *clock;
} pybwt_budget;

static PyObject *budget_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"budget_ms", "clock"};
    static const pybwt_signature signature = {"Budget", names, 2, 2, 2};
    PyObject *given[2];
    int64_t budget_ms, now_ns;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_int_in(given[0], "budget_ms", 0, BWT_MAX_POLICY_VALUE, &budget_ms) < 0 ||
        pybwt_clock_ns(pybwt_state_of_type(type), given[1], &now_ns) < 0) {
        return NULL;
    }
    pybwt_budget *self = (pybwt_budget *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    self->clock = Py_NewRef(given[1]);
    bwt_budget_start(&self->budget, budget_ms, now_ns);
    return (PyObject *)self;
}

static int budget_traverse(pybwt_budget *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->clock);
    return 0;
}

static int budget_clear(pybwt_budget *self)
{
    Py_CLEAR(self->clock);
    return 0;
}

static void budget_dealloc(pybwt_budget *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    budget_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The clock is Python code and may do anything, so it is held while it runs. */
static int read_now(pybwt_budget *self, int64_t *now_ns)
{
    if (self->clock == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the budget is being destroyed");
        return -1;
    }
    PyObject *clock = Py_NewRef(self->clock);
    int failed = pybwt_clock_ns(pybwt_state_of((PyObject *)self), clock, now_ns);
    Py_DECREF(clock);
    return failed;
}

static PyObject *budget_elapsed_ms(pybwt_budget *self, PyObject *Py_UNUSED(ignored))
{
    int64_t now_ns;
    if (read_now(self, &now_ns) < 0) return NULL;
    return PyLong_FromLongLong(bwt_budget_elapsed_ms(&self->budget, now_ns));
}

static PyObject *budget_remaining_ms(pybwt_budget *self, PyObject *Py_UNUSED(ignored))
{
    int64_t now_ns;
    if (read_now(self, &now_ns) < 0) return NULL;
    return PyLong_FromLongLong(bwt_budget_remaining_ms(&self->budget, now_ns));
}

static PyObject *budget_slice_ms(pybwt_budget *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"cap_ms"};
    static const pybwt_signature signature = {"slice_ms", names, 1, 1, 1};
    PyObject *given[1];
    int64_t cap_ms, now_ns;
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 ||
        pybwt_int_in(given[0], "cap_ms", 0, INT64_MAX, &cap_ms) < 0 || read_now(self, &now_ns) < 0) {
        return NULL;
    }
    return PyLong_FromLongLong(bwt_budget_slice_ms(&self->budget, cap_ms, now_ns));
}

static PyObject *budget_repr(pybwt_budget *self)
{
    return PyUnicode_FromFormat("<Budget budget_ms=%lld>", (long long)self->budget.budget_ms);
}

static PyMemberDef budget_members[] = {
    {"budget_ms", Py_T_LONGLONG, offsetof(pybwt_budget, budget.budget_ms), Py_READONLY, "The whole of it."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef budget_methods[] = {
    {"elapsed_ms", (PyCFunction)budget_elapsed_ms, METH_NOARGS,
     "elapsed_ms($self, /)\n--\n\nMilliseconds since the budget was made, rounded up."},
    {"remaining_ms", (PyCFunction)budget_remaining_ms, METH_NOARGS,
     "remaining_ms($self, /)\n--\n\nMilliseconds left, rounded down, never below 0."},
    {"slice_ms", (PyCFunction)(void (*)(void))budget_slice_ms, METH_VARARGS | METH_KEYWORDS,
     "slice_ms($self, /, cap_ms)\n--\n\nThe smaller of cap_ms and what is left."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot budget_slots[] = {
    {Py_tp_doc, "Budget(budget_ms, clock)\n--\n\nOne deadline on an injected clock: seconds as float, or now_ns()."},
    {Py_tp_new, budget_new},
    {Py_tp_dealloc, budget_dealloc},
    {Py_tp_traverse, budget_traverse},
    {Py_tp_clear, budget_clear},
    {Py_tp_repr, budget_repr},
    {Py_tp_members, budget_members},
    {Py_tp_methods, budget_methods},
    {0, NULL},
};

static PyType_Spec budget_spec = {
    .name = "bounded_web_tool.Budget",
    .basicsize = sizeof(pybwt_budget),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = budget_slots,
};

int pybwt_budget_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &budget_spec, &state->budget_type);
}
