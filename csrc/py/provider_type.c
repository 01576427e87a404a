/* Provider: a provider spec compiled from its JSON text. */
#include "py/convert.h"
#include "py/errors.h"
#include "py/types.h"

typedef struct pybwt_provider {
    PyObject_HEAD
    bwt_provider *provider;
} pybwt_provider;

bwt_provider *pybwt_provider_of(PyObject *provider)
{
    return ((pybwt_provider *)provider)->provider;
}

static PyObject *provider_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", "name", "base_url", "api_key", NULL};
    PyObject *spec, *name = Py_None, *base_url = Py_None, *api_key = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOO:Provider", names, &spec, &name, &base_url, &api_key)) {
        return NULL;
    }
    bwt_str spec_text;
    bwt_provider_overrides overrides;
    PyObject *holders[4] = {NULL, NULL, NULL, NULL};
    pybwt_provider *self = NULL;
    if (pybwt_str_in(spec, "spec", &spec_text, &holders[0]) == 0 &&
        pybwt_optional_str_in(name, "name", &overrides.name, &holders[1]) == 0 &&
        pybwt_optional_str_in(base_url, "base_url", &overrides.base_url, &holders[2]) == 0 &&
        pybwt_optional_str_in(api_key, "api_key", &overrides.api_key, &holders[3]) == 0) {
        self = (pybwt_provider *)type->tp_alloc(type, 0);
    }
    if (self != NULL) {
        bwt_complaint complaint = {"", ""};
        bwt_error error = bwt_provider_compile(spec_text, &overrides, &self->provider, &complaint);
        if (error != BWT_OK) {
            pybwt_raise(error, &complaint);
            Py_CLEAR(self);
        }
    }
    for (int i = 0; i < 4; i++) Py_XDECREF(holders[i]);
    return (PyObject *)self;
}

static void provider_dealloc(pybwt_provider *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (self->provider != NULL) bwt_provider_release(self->provider);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *provider_name(pybwt_provider *self, void *Py_UNUSED(closure))
{
    return pybwt_str_out(bwt_provider_name(self->provider));
}

static PyObject *redacted_target(const bwt_provider *provider, bwt_str query, int64_t max_results)
{
    bwt_text target, redacted;
    bwt_error error = bwt_provider_target(provider, query, max_results, &target);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    error = bwt_redact_url((bwt_str){target.data, target.len}, &redacted);
    bwt_text_free(&target);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    return pybwt_text_out(&redacted);
}

static PyObject *provider_target_for(pybwt_provider *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs < 1 || nargs > 2) {
        return PyErr_Format(PyExc_TypeError, "target_for takes 1 or 2 arguments (%zd given)", nargs);
    }
    int64_t max_results = 10;
    if (nargs == 2 && pybwt_int_in(args[1], "max_results", 1, BWT_MAX_POLICY_VALUE, &max_results) < 0) return NULL;
    bwt_str query;
    PyObject *holder = NULL;
    if (pybwt_str_in(args[0], "query", &query, &holder) < 0) return NULL;
    PyObject *target = redacted_target(self->provider, query, max_results);
    Py_XDECREF(holder);
    return target;
}

static PyObject *provider_read(pybwt_provider *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs < 2 || nargs > 3) {
        return PyErr_Format(PyExc_TypeError, "read takes 2 or 3 arguments (%zd given)", nargs);
    }
    int64_t http_status;
    bwt_str content_type = BWT_STR_NONE;
    PyObject *holder = NULL;
    if (pybwt_int_in(args[0], "http_status", 100, 999, &http_status) < 0) return NULL;
    if (!PyBytes_Check(args[1])) {
        return PyErr_Format(PyExc_TypeError, "body must be bytes, not %s", Py_TYPE(args[1])->tp_name);
    }
    if (nargs == 3 && pybwt_optional_str_in(args[2], "content_type", &content_type, &holder) < 0) return NULL;
    bwt_str body = {PyBytes_AS_STRING(args[1]), (size_t)PyBytes_GET_SIZE(args[1])};
    bwt_answer answer = {0};
    bwt_error error = bwt_provider_read(self->provider, (int)http_status, content_type, body, &answer);
    Py_XDECREF(holder);
    if (error != BWT_OK) return pybwt_raise(error, NULL);
    PyObject *result = pybwt_answer_out(pybwt_state_of((PyObject *)self), &answer);
    bwt_answer_clear(&answer);
    return result;
}

static PyObject *provider_repr(pybwt_provider *self)
{
    PyObject *name = pybwt_str_out(bwt_provider_name(self->provider));
    if (name == NULL) return NULL;
    PyObject *text = PyUnicode_FromFormat("<Provider %R>", name);
    Py_DECREF(name);
    return text;
}

static PyMethodDef provider_methods[] = {
    {"target_for", (PyCFunction)(void (*)(void))provider_target_for, METH_FASTCALL,
     "target_for($self, query, max_results=10, /)\n--\n\nThe address of one query, redacted."},
    {"read", (PyCFunction)(void (*)(void))provider_read, METH_FASTCALL,
     "read($self, http_status, body, content_type=None, /)\n--\n\nReads a recorded answer as the engine would."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef provider_getset[] = {
    {"name", (getter)provider_name, NULL, "The transport's name in receipts.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot provider_slots[] = {
    {Py_tp_doc, "Provider(spec, /, *, name=None, base_url=None, api_key=None)\n--\n\n"
                "A provider spec compiled from its JSON text."},
    {Py_tp_new, provider_new},
    {Py_tp_dealloc, provider_dealloc},
    {Py_tp_repr, provider_repr},
    {Py_tp_methods, provider_methods},
    {Py_tp_getset, provider_getset},
    {0, NULL},
};

static PyType_Spec provider_spec = {
    .name = "bounded_web_tool._core.Provider",
    .basicsize = sizeof(pybwt_provider),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = provider_slots,
};

int pybwt_provider_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add(module, &provider_spec, &state->provider_type);
}
