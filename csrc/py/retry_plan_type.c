/* RetryPlan: ordered providers, several tries each. */
#include "py/convert.h"
#include "py/types.h"

typedef struct pybwt_retry_plan {
    PyObject_HEAD
    bwt_retry_plan plan;
} pybwt_retry_plan;

static PyObject *retry_plan_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"provider_count", "tries_per_provider", "deadline_ns", NULL};
    PyObject *provider_count, *tries_per_provider, *deadline = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:RetryPlan", names, &provider_count, &tries_per_provider,
                                     &deadline)) {
        return NULL;
    }
    int64_t count, tries, deadline_ns;
    if (pybwt_int_in(provider_count, "provider_count", 0, INT32_MAX, &count) < 0 ||
        pybwt_int_in(tries_per_provider, "tries_per_provider", 1, INT32_MAX, &tries) < 0 ||
        pybwt_optional_int_in(deadline, "deadline_ns", INT64_MIN, INT64_MAX, INT64_MAX, &deadline_ns) < 0) {
        return NULL;
    }
    pybwt_retry_plan *self = (pybwt_retry_plan *)type->tp_alloc(type, 0);
    if (self != NULL) bwt_retry_plan_init(&self->plan, count, tries, deadline_ns);
    return (PyObject *)self;
}

static void retry_plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *retry_plan_next(pybwt_retry_plan *self, PyObject *now)
{
    int64_t now_ns;
    if (pybwt_int_in(now, "now_ns", INT64_MIN, INT64_MAX, &now_ns) < 0) return NULL;
    int64_t provider = bwt_retry_plan_next(&self->plan, now_ns);
    return pybwt_optional_int_out(provider, -1);
}

/* The outcomes a single call can have; the fifth, no_provider, belongs to the whole. */
static int outcome_in(PyObject *value, bwt_retry_outcome *out)
{
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "outcome must be a str, not %s", Py_TYPE(value)->tp_name);
        return -1;
    }
    for (bwt_retry_outcome outcome = BWT_RETRY_OK; outcome <= BWT_RETRY_TRANSPORT_ERROR; outcome++) {
        if (PyUnicode_CompareWithASCIIString(value, bwt_retry_outcome_wire(outcome)) == 0) {
            *out = outcome;
            return 0;
        }
    }
    PyErr_SetString(PyExc_ValueError, "outcome must be ok, empty_results, malformed_payload or transport_error");
    return -1;
}

static PyObject *retry_plan_report(pybwt_retry_plan *self, PyObject *const *args, Py_ssize_t nargs)
{
    bwt_retry_outcome outcome;
    int64_t now_ns;
    if (nargs != 2) return PyErr_Format(PyExc_TypeError, "report takes 2 arguments (%zd given)", nargs);
    if (outcome_in(args[0], &outcome) < 0) return NULL;
    if (pybwt_int_in(args[1], "now_ns", INT64_MIN, INT64_MAX, &now_ns) < 0) return NULL;
    bwt_retry_plan_report(&self->plan, outcome, now_ns);
    Py_RETURN_NONE;
}

static PyObject *retry_plan_seal(pybwt_retry_plan *self, PyObject *Py_UNUSED(ignored))
{
    bwt_retry_receipt sealed;
    bwt_retry_plan_seal(&self->plan, &sealed);
    PyObject *provider = sealed.provider_used < 0
                             ? Py_NewRef(Py_None)
                             : PyUnicode_FromFormat("provider_%lld", (long long)sealed.provider_used);
    if (provider == NULL) return NULL;
    return Py_BuildValue("{s:s,s:O,s:O,s:N,s:O,s:L}", "outcome", bwt_retry_outcome_wire(sealed.outcome),
                         "task_success", sealed.task_success ? Py_True : Py_False, "transport_success",
                         sealed.transport_success ? Py_True : Py_False, "provider_used", provider, "fallback_used",
                         sealed.fallback_used ? Py_True : Py_False, "attempts_total",
                         (long long)sealed.attempts_total);
}

static PyMethodDef retry_plan_methods[] = {
    {"next", (PyCFunction)retry_plan_next, METH_O,
     "next($self, now_ns, /)\n--\n\nThe index of the provider to call now, or None when the plan is over."},
    {"report", (PyCFunction)(void (*)(void))retry_plan_report, METH_FASTCALL,
     "report($self, outcome, now_ns, /)\n--\n\n"
     "What the call brought: ok, empty_results, malformed_payload or transport_error."},
    {"seal", (PyCFunction)retry_plan_seal, METH_NOARGS,
     "seal($self, /)\n--\n\noutcome, task_success, transport_success, provider_used, fallback_used, attempts_total."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot retry_plan_slots[] = {
    {Py_tp_doc, "RetryPlan(provider_count, tries_per_provider, deadline_ns=None)\n--\n\n"
                "Ordered providers, several tries each."},
    {Py_tp_new, retry_plan_new},
    {Py_tp_dealloc, retry_plan_dealloc},
    {Py_tp_methods, retry_plan_methods},
    {0, NULL},
};

static PyType_Spec retry_plan_spec = {
    .name = "bounded_web_tool._core.RetryPlan",
    .basicsize = sizeof(pybwt_retry_plan),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = retry_plan_slots,
};

int pybwt_retry_plan_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &retry_plan_spec, &state->retry_plan_type);
}
