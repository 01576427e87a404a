/* Engine: the Python handle of one network thread, started at first use and again in a forked child. */
#include <Python.h>

#include <unistd.h>

#include "py/convert.h"
#include "py/errors.h"
#include "py/lifecycle.h"
#include "py/types.h"

/* A close waits this long for the network thread, which never does anything that blocks. */
#define CLOSE_TIMEOUT_MS 500

/* The option texts that must outlive a restart in a forked child. */
enum { TEXT_PROXY, TEXT_CA_BUNDLE, TEXT_CLIENT_CERT, TEXT_INTERFACE, TEXT_COUNT };

typedef struct pybwt_engine {
    PyObject_HEAD
    bwt_engine *engine; /* NULL until first used */
    pid_t owner;        /* the process that started it */
    bool closed;
    bwt_engine_options options;
    PyObject *texts[TEXT_COUNT];
    struct pybwt_engine *previous, *next; /* in pybwt_state.engines */
} pybwt_engine;

static void link_engine(pybwt_state *state, pybwt_engine *self)
{
    self->next = state->engines;
    if (self->next != NULL) self->next->previous = self;
    state->engines = self;
}

/* state is NULL once the collector has taken the type apart, at the very end: then there is no list to head. */
static void unlink_engine(pybwt_state *state, pybwt_engine *self)
{
    if (self->previous != NULL) self->previous->next = self->next;
    else if (state != NULL && state->engines == self) state->engines = self->next;
    if (self->next != NULL) self->next->previous = self->previous;
    self->previous = self->next = NULL;
}

static int http_version_in(PyObject *value, bool *http2)
{
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "http_version must be a str, not %s", Py_TYPE(value)->tp_name);
        return -1;
    }
    *http2 = PyUnicode_CompareWithASCIIString(value, "2") == 0;
    if (*http2 || PyUnicode_CompareWithASCIIString(value, "1.1") == 0) return 0;
    PyErr_SetString(PyExc_ValueError, "http_version: must be \"1.1\" or \"2\"");
    return -1;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"max_in_flight", "max_per_host", "resolver_threads", "proxy",     "ca_bundle", "client_cert",
                            "http_version",  "interface",    "trust_env",        "rest",      NULL};
    PyObject *max_in_flight = NULL, *max_per_host = NULL, *resolver_threads = NULL, *http_version = NULL;
    PyObject *trust_env = Py_False, *proxy = Py_None, *ca_bundle = Py_None, *client_cert = Py_None;
    PyObject *interface = Py_None, *rest = Py_True;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOOOOOOOO:Engine", names, &max_in_flight, &max_per_host,
                                     &resolver_threads, &proxy, &ca_bundle, &client_cert, &http_version, &interface,
                                     &trust_env, &rest)) {
        return NULL;
    }
    pybwt_engine *self = (pybwt_engine *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    bwt_engine_options *options = &self->options;
    bwt_engine_options_init(options);
    if ((max_in_flight != NULL &&
         pybwt_int_in(max_in_flight, "max_in_flight", 1, INT32_MAX, &options->max_in_flight) < 0) ||
        (max_per_host != NULL &&
         pybwt_int_in(max_per_host, "max_per_host", 1, INT32_MAX, &options->max_per_host) < 0) ||
        (resolver_threads != NULL &&
         pybwt_int_in(resolver_threads, "resolver_threads", 1, 1024, &options->resolver_threads) < 0) ||
        pybwt_optional_str_in(proxy, "proxy", &options->proxy, &self->texts[TEXT_PROXY]) < 0 ||
        pybwt_optional_str_in(ca_bundle, "ca_bundle", &options->ca_bundle, &self->texts[TEXT_CA_BUNDLE]) < 0 ||
        pybwt_optional_str_in(client_cert, "client_cert", &options->client_cert, &self->texts[TEXT_CLIENT_CERT]) < 0 ||
        (http_version != NULL && http_version_in(http_version, &options->http2) < 0) ||
        pybwt_optional_str_in(interface, "interface", &options->interface, &self->texts[TEXT_INTERFACE]) < 0 ||
        pybwt_bool_in(trust_env, "trust_env", &options->trust_env) < 0 ||
        pybwt_bool_in(rest, "rest", &options->rest) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    link_engine(pybwt_state_of_type(type), self);
    return (PyObject *)self;
}

/* Memory and thread of an engine that was started by a parent process are not ours to touch. */
static bool is_inherited(const pybwt_engine *self)
{
    return self->engine != NULL && self->owner != getpid();
}

static void engine_dealloc(pybwt_engine *self)
{
    PyTypeObject *type = Py_TYPE(self);
    unlink_engine(pybwt_state_of_type(type), self);
    if (self->engine != NULL && !is_inherited(self)) bwt_engine_free(self->engine);
    for (int i = 0; i < TEXT_COUNT; i++) Py_XDECREF(self->texts[i]);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *raise_closed(pybwt_engine *self)
{
    PyErr_SetString(pybwt_state_of((PyObject *)self)->engine_closed_error, "the engine has been closed");
    return NULL;
}

/* The running engine, started now if need be; NULL and an exception when closed or impossible. */
static bwt_engine *running(pybwt_engine *self)
{
    if (self->closed) {
        raise_closed(self);
        return NULL;
    }
    if (is_inherited(self)) self->engine = NULL;
    if (self->engine == NULL) {
        bwt_complaint complaint = {"", ""};
        bwt_error error = bwt_engine_new(&self->options, &self->engine, &complaint);
        if (error != BWT_OK) {
            pybwt_raise(error, &complaint);
            return NULL;
        }
        self->owner = getpid();
    }
    return self->engine;
}

/* The GIL is released: waiters that the close wakes up need it. */
static void close_engine(pybwt_engine *self)
{
    self->closed = true;
    if (self->engine == NULL || is_inherited(self)) return;
    bwt_engine *engine = self->engine;
    Py_BEGIN_ALLOW_THREADS
    bwt_engine_close(engine, CLOSE_TIMEOUT_MS);
    Py_END_ALLOW_THREADS
}

void pybwt_engines_close(pybwt_state *state)
{
    /* While one closes, others may come or go: start again until every one in the list is closed. */
    pybwt_engine *engine = state->engines;
    while (engine != NULL) {
        if (engine->closed) {
            engine = engine->next;
            continue;
        }
        Py_INCREF(engine);
        close_engine(engine);
        Py_DECREF(engine);
        engine = state->engines;
    }
}

static PyObject *engine_close(pybwt_engine *self, PyObject *Py_UNUSED(ignored))
{
    close_engine(self);
    Py_RETURN_NONE;
}

static PyObject *engine_default(PyTypeObject *type, PyObject *Py_UNUSED(ignored))
{
    pybwt_state *state = pybwt_state_of_type(type);
    if (state->default_engine == NULL) {
        PyObject *made = PyObject_CallNoArgs((PyObject *)type);
        if (made == NULL) return NULL;
        state->default_engine = made;
    }
    return Py_NewRef(state->default_engine);
}

static int set_count(PyObject *counts, const char *name, uint64_t value)
{
    PyObject *number = PyLong_FromUnsignedLongLong(value);
    if (number == NULL) return -1;
    int failed = PyDict_SetItemString(counts, name, number);
    Py_DECREF(number);
    return failed;
}

static PyObject *status_counts(const bwt_engine_stats *stats)
{
    PyObject *counts = PyDict_New();
    for (int status = 1; counts != NULL && status < BWT_ATTEMPT_STATUS_END; status++) {
        if (set_count(counts, bwt_vocab_wire(BWT_VOCAB_ATTEMPT_STATUS, status), stats->by_status[status]) < 0) {
            Py_CLEAR(counts);
        }
    }
    return counts;
}

static PyObject *engine_stats(pybwt_engine *self, PyObject *Py_UNUSED(ignored))
{
    bwt_engine_stats stats = {0};
    if (self->engine != NULL && !is_inherited(self)) bwt_engine_stats_read(self->engine, &stats);
    else stats.native_bytes = bwt_native_bytes();
    PyObject *all = PyDict_New();
    if (all == NULL) return NULL;
#define SET(name, doc) if (set_count(all, #name, stats.name) < 0) goto fail;
    BWT_ENGINE_STAT_LIST(SET)
#undef SET
    PyObject *by_status = status_counts(&stats);
    if (by_status == NULL) goto fail;
    int failed = PyDict_SetItemString(all, "by_status", by_status);
    Py_DECREF(by_status);
    if (failed == 0) return all;
fail:
    Py_DECREF(all);
    return NULL;
}

static PyObject *engine_enter(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return Py_NewRef(self);
}

static PyObject *engine_exit(pybwt_engine *self, PyObject *Py_UNUSED(exc))
{
    close_engine(self);
    Py_RETURN_NONE;
}

static PyObject *ticket_out(pybwt_engine *self, bwt_error error, bwt_ticket ticket)
{
    if (error == BWT_ERR_CLOSED) return raise_closed(self);
    return error == BWT_OK ? PyLong_FromUnsignedLongLong(ticket) : pybwt_raise(error, NULL);
}

static PyObject *engine_submit_lookup(pybwt_engine *self, PyObject *const *args, Py_ssize_t nargs)
{
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_submit_lookup takes 6 arguments (%zd given)", nargs);
    if (pybwt_type_in(args[1], state->policy_type, "policy", "a FallbackPolicy") < 0 ||
        pybwt_type_in(args[2], state->provider_type, "primary", "a Provider") < 0 ||
        (args[3] != Py_None && pybwt_type_in(args[3], state->provider_type, "fallback", "a Provider or None") < 0) ||
        pybwt_type_in(args[4], state->validator_type, "validator", "an EvidenceValidator") < 0 ||
        pybwt_type_in(args[5], state->outbox_type, "outbox", "an Outbox") < 0) {
        return NULL;
    }
    bwt_outbox *outbox = pybwt_outbox_of(args[5]);
    bwt_engine *engine = outbox == NULL ? NULL : running(self);
    if (engine == NULL) return NULL;
    bwt_lookup_request request = {
        .policy = pybwt_policy_of(args[1]),
        .primary = pybwt_provider_of(args[2]),
        .fallback = args[3] == Py_None ? NULL : pybwt_provider_of(args[3]),
        .validator = pybwt_validator_of(args[4]),
    };
    PyObject *holder = NULL;
    if (pybwt_str_in(args[0], "query", &request.query, &holder) < 0) return NULL;
    bwt_ticket ticket = 0;
    bwt_error error = bwt_engine_submit_lookup(engine, &request, outbox, &ticket);
    Py_XDECREF(holder);
    return ticket_out(self, error, ticket);
}

static PyObject *engine_submit_fetch(pybwt_engine *self, PyObject *const *args, Py_ssize_t nargs)
{
    pybwt_state *state = pybwt_state_of((PyObject *)self);
    bwt_fetch_request request = {0};
    if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_submit_fetch takes 6 arguments (%zd given)", nargs);
    if (pybwt_type_in(args[0], state->provider_type, "provider", "a Provider") < 0 ||
        pybwt_int_in(args[2], "max_results", 1, BWT_MAX_POLICY_VALUE, &request.max_results) < 0 ||
        pybwt_int_in(args[3], "slice_ms", 1, BWT_MAX_POLICY_VALUE, &request.slice_ms) < 0 ||
        pybwt_int_in(args[4], "least_ms", 1, BWT_MAX_POLICY_VALUE, &request.least_ms) < 0 ||
        pybwt_type_in(args[5], state->outbox_type, "outbox", "an Outbox") < 0) {
        return NULL;
    }
    bwt_outbox *outbox = pybwt_outbox_of(args[5]);
    bwt_engine *engine = outbox == NULL ? NULL : running(self);
    if (engine == NULL) return NULL;
    PyObject *holder = NULL;
    if (pybwt_str_in(args[1], "query", &request.query, &holder) < 0) return NULL;
    request.provider = pybwt_provider_of(args[0]);
    bwt_ticket ticket = 0;
    bwt_error error = bwt_engine_submit_fetch(engine, &request, outbox, &ticket);
    Py_XDECREF(holder);
    return ticket_out(self, error, ticket);
}

static PyObject *engine_cancel(pybwt_engine *self, PyObject *ticket)
{
    unsigned long long number = PyLong_AsUnsignedLongLong(ticket);
    if (number == (unsigned long long)-1 && PyErr_Occurred()) return NULL;
    if (self->engine != NULL && !is_inherited(self)) bwt_engine_cancel(self->engine, number);
    Py_RETURN_NONE;
}

static PyMethodDef engine_methods[] = {
    {"default", (PyCFunction)engine_default, METH_CLASS | METH_NOARGS,
     "default($type, /)\n--\n\nThe process's shared engine."},
    {"close", (PyCFunction)engine_close, METH_NOARGS,
     "close($self, /)\n--\n\nEnd what is in flight as cancelled and stop the thread; bounded, idempotent."},
    {"stats", (PyCFunction)engine_stats, METH_NOARGS, "stats($self, /)\n--\n\nCounters by name."},
    {"__enter__", (PyCFunction)engine_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)engine_exit, METH_VARARGS, NULL},
    {"_submit_lookup", (PyCFunction)(void (*)(void))engine_submit_lookup, METH_FASTCALL,
     "_submit_lookup($self, query, policy, primary, fallback, validator, outbox, /)\n--\n\n"
     "A whole lookup on the engine thread; the ticket of its receipt."},
    {"_submit_fetch", (PyCFunction)(void (*)(void))engine_submit_fetch, METH_FASTCALL,
     "_submit_fetch($self, provider, query, max_results, slice_ms, least_ms, outbox, /)\n--\n\n"
     "One attempt on the engine thread; the ticket of its answer."},
    {"_cancel", (PyCFunction)engine_cancel, METH_O,
     "_cancel($self, ticket, /)\n--\n\nCancel a submission; an unknown or finished ticket is ignored."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot engine_slots[] = {
    {Py_tp_doc,
     "Engine(*, max_in_flight=10000, max_per_host=128, resolver_threads=8, proxy=None, ca_bundle=None, "
     "client_cert=None, http_version='1.1', interface=None, trust_env=False, rest=True)\n--\n\n"
     "One network thread and its pool, started at first use; a context manager."},
    {Py_tp_new, engine_new},
    {Py_tp_dealloc, engine_dealloc},
    {Py_tp_methods, engine_methods},
    {0, NULL},
};

static PyType_Spec engine_spec = {
    .name = "bounded_web_tool._core.Engine",
    .basicsize = sizeof(pybwt_engine),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = engine_slots,
};

int pybwt_engine_type_add(PyObject *module, pybwt_state *state)
{
    state->engine_closed_error = PyErr_NewExceptionWithDoc(
        "bounded_web_tool._core.EngineClosed", "Nothing can be submitted to this engine any more.", PyExc_RuntimeError,
        NULL);
    if (state->engine_closed_error == NULL ||
        PyModule_AddObjectRef(module, "EngineClosed", state->engine_closed_error) < 0) {
        return -1;
    }
    return pybwt_type_add(module, &engine_spec, &state->engine_type);
}
