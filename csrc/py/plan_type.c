/* Plan and RetryPlan: the core's machines, stepped by the package's Python drivers. */
#include "py/convert.h"
#include "py/errors.h"
#include "py/types.h"

typedef struct pybwt_plan {
    PyObject_HEAD
    bwt_plan *plan;
} pybwt_plan;

static int now_in(PyObject *value, int64_t *now_ns)
{
    return pybwt_int_in(value, "now_ns", INT64_MIN, INT64_MAX, now_ns);
}

/* Everything options needs from the arguments; holders keep the borrowed texts alive. */
static int plan_options_in(pybwt_state *state, PyObject *const args[6], bwt_plan_options *options,
                           PyObject *holders[3], int64_t *now_ns)
{
    if (pybwt_str_in(args[0], "query", &options->query, &holders[0]) < 0) return -1;
    if (pybwt_type_in(args[1], state->policy_type, "policy", "a FallbackPolicy") < 0) return -1;
    options->policy = pybwt_policy_of(args[1]);
    if (args[2] != Py_None) {
        if (pybwt_type_in(args[2], state->validator_type, "validator", "an EvidenceValidator or None") < 0) return -1;
        options->validator = pybwt_validator_of(args[2]);
    }
    if (pybwt_str_in(args[3], "primary_name", &options->primary_name, &holders[1]) < 0) return -1;
    if (pybwt_optional_str_in(args[4], "fallback_name", &options->fallback_name, &holders[2]) < 0) return -1;
    return now_in(args[5], now_ns);
}

static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"query", "policy", "validator", "primary_name", "fallback_name", "now_ns", NULL};
    PyObject *given[6];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:Plan", names, &given[0], &given[1], &given[2], &given[3],
                                     &given[4], &given[5])) {
        return NULL;
    }
    pybwt_plan *self = (pybwt_plan *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    bwt_plan_options options = {0};
    PyObject *holders[3] = {NULL, NULL, NULL};
    int64_t now_ns = 0;
    int failed = plan_options_in(pybwt_state_of_type(type), given, &options, holders, &now_ns);
    if (!failed) {
        bwt_error error = bwt_plan_new(&options, now_ns, &self->plan);
        if (error != BWT_OK) {
            pybwt_raise(error, NULL);
            failed = -1;
        }
    }
    for (int i = 0; i < 3; i++) Py_XDECREF(holders[i]);
    if (failed) Py_CLEAR(self);
    return (PyObject *)self;
}

static void plan_dealloc(pybwt_plan *self)
{
    PyTypeObject *type = Py_TYPE(self);
    bwt_plan_free(self->plan);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *plan_query(pybwt_plan *self, void *Py_UNUSED(closure))
{
    return pybwt_str_out(bwt_plan_query(self->plan));
}

static PyObject *plan_next(pybwt_plan *self, PyObject *now)
{
    int64_t now_ns;
    if (now_in(now, &now_ns) < 0) return NULL;
    bwt_dial dial;
    if (!bwt_plan_next(self->plan, now_ns, &dial)) Py_RETURN_NONE;
    return Py_BuildValue("iLL", dial.role == BWT_ATTEMPT_ROLE_FALLBACK, (long long)dial.slice_ms,
                         (long long)dial.least_ms);
}

static PyObject *plan_set_target(pybwt_plan *self, PyObject *target)
{
    bwt_str text;
    PyObject *holder = NULL;
    if (pybwt_optional_str_in(target, "target", &text, &holder) < 0) return NULL;
    bwt_error error = bwt_plan_set_target(self->plan, text);
    Py_XDECREF(holder);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    Py_RETURN_NONE;
}

static PyObject *plan_report_response(pybwt_plan *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2) return PyErr_Format(PyExc_TypeError, "report_response takes 2 arguments (%zd given)", nargs);
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    int64_t now_ns;
    if (now_in(args[0], &now_ns) < 0) return NULL;
    if (pybwt_type_in(args[1], state->response_type, "response", "a TransportResponse") < 0) return NULL;
    bwt_response *response = pybwt_response_in(state, args[1]);
    if (response == NULL) return NULL;
    bool wants_verdict = false;
    bwt_error error = bwt_plan_report_response(self->plan, now_ns, response, &wants_verdict);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    return PyBool_FromLong(wants_verdict);
}

static PyObject *plan_report_verdict(pybwt_plan *self, PyObject *verdict)
{
    bwt_verdict judged;
    if (pybwt_verdict_in(pybwt_state_of((PyObject *)self), verdict, &judged) < 0) return NULL;
    bwt_plan_report_verdict(self->plan, judged);
    Py_RETURN_NONE;
}

static PyObject *plan_report_failure(pybwt_plan *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs < 2 || nargs > 5) {
        return PyErr_Format(PyExc_TypeError, "report_failure takes 2 to 5 arguments (%zd given)", nargs);
    }
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    PyObject *detail = nargs > 2 ? args[2] : Py_None;
    PyObject *http_status = nargs > 3 ? args[3] : Py_None;
    PyObject *retry_after_ms = nargs > 4 ? args[4] : Py_None;
    int64_t now_ns, status_code, wait_ms;
    int status, detail_member;
    if (now_in(args[0], &now_ns) < 0 ||
        pybwt_enum_in(state, BWT_VOCAB_ATTEMPT_STATUS, args[1], "status", &status) < 0 ||
        pybwt_optional_enum_in(state, BWT_VOCAB_FAILURE_DETAIL, detail, "detail", &detail_member) < 0 ||
        pybwt_optional_int_in(http_status, "http_status", 100, 999, 0, &status_code) < 0 ||
        pybwt_optional_int_in(retry_after_ms, "retry_after_ms", 0, BWT_MAX_RETRY_AFTER_MS, -1, &wait_ms) < 0) {
        return NULL;
    }
    bwt_plan_report_failure(self->plan, now_ns,
                            (bwt_failure){
                                .status = (bwt_attempt_status)status,
                                .detail = (bwt_failure_detail)detail_member,
                                .http_status = (int)status_code,
                                .retry_after_ms = wait_ms,
                            });
    Py_RETURN_NONE;
}

static PyObject *plan_remaining_ms(pybwt_plan *self, PyObject *now)
{
    int64_t now_ns;
    if (now_in(now, &now_ns) < 0) return NULL;
    return PyLong_FromLongLong(bwt_plan_remaining_ms(self->plan, now_ns));
}

static PyObject *plan_cancel(pybwt_plan *self, PyObject *now)
{
    int64_t now_ns;
    if (now_in(now, &now_ns) < 0) return NULL;
    bwt_plan_cancel(self->plan, now_ns);
    Py_RETURN_NONE;
}

static PyObject *plan_seal(pybwt_plan *self, PyObject *now)
{
    int64_t now_ns;
    if (now_in(now, &now_ns) < 0) return NULL;
    bwt_receipt *receipt = NULL;
    bwt_error error = bwt_plan_seal(self->plan, now_ns, &receipt);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    return pybwt_receipt_out(pybwt_state_of((PyObject *)self), receipt);
}

static PyMethodDef plan_methods[] = {
    {"next", (PyCFunction)plan_next, METH_O,
     "next($self, now_ns, /)\n--\n\n(0 primary | 1 fallback, slice_ms) of the attempt to dial now, or None."},
    {"set_target", (PyCFunction)plan_set_target, METH_O,
     "set_target($self, target, /)\n--\n\nThe address of the attempt in flight, or None."},
    {"report_response", (PyCFunction)(void (*)(void))plan_report_response, METH_FASTCALL,
     "report_response($self, now_ns, response, /)\n--\n\nTrue: judge the response and call report_verdict."},
    {"report_verdict", (PyCFunction)plan_report_verdict, METH_O,
     "report_verdict($self, verdict, /)\n--\n\nThe caller's judgement of the response just reported."},
    {"report_failure", (PyCFunction)(void (*)(void))plan_report_failure, METH_FASTCALL,
     "report_failure($self, now_ns, status, detail=None, http_status=None, retry_after_ms=None, /)\n--\n\n"
     "Why the attempt in flight brought no payload."},
    {"remaining_ms", (PyCFunction)plan_remaining_ms, METH_O,
     "remaining_ms($self, now_ns, /)\n--\n\nMilliseconds of the budget that are left, rounded down."},
    {"cancel", (PyCFunction)plan_cancel, METH_O, "cancel($self, now_ns, /)\n--\n\nEnd the plan as cancelled."},
    {"seal", (PyCFunction)plan_seal, METH_O, "seal($self, now_ns, /)\n--\n\nThe receipt."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef plan_getset[] = {
    {"query", (getter)plan_query, NULL, "The query as it is sent, or None when it was refused.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_doc, "Plan(query, policy, validator, primary_name, fallback_name, now_ns)\n--\n\n"
                "The lookup's machine: a primary and at most one fallback."},
    {Py_tp_new, plan_new},
    {Py_tp_dealloc, plan_dealloc},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_getset},
    {0, NULL},
};

static PyType_Spec plan_spec = {
    .name = "bounded_web_tool._core.Plan",
    .basicsize = sizeof(pybwt_plan),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};

int pybwt_plan_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &plan_spec, &state->plan_type);
}
