/* Hit and hits(): one search hit, and the ways to write one. */
#include "py/hit_type.h"

#include "py/arguments.h"
#include "py/convert.h"
#include "py/record.h"
#include "py/types.h"

enum { HIT_TITLE, HIT_URL, HIT_SNIPPET, HIT_FIELDS };
static const char *const hit_names[HIT_FIELDS] = {"title", "url", "snippet"};

static PyObject *make_hit(PyTypeObject *type, PyObject *const given[HIT_FIELDS])
{
    PyObject *values[HIT_FIELDS] = {NULL};
    for (int i = 0; i < HIT_FIELDS; i++) {
        values[i] = pybwt_clean_str(given[i], hit_names[i]);
        if (values[i] == NULL) break;
    }
    return pybwt_record_new(type, values, HIT_FIELDS);
}

static PyObject *hit_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"Hit", hit_names, HIT_FIELDS, HIT_FIELDS, HIT_FIELDS};
    PyObject *given[HIT_FIELDS];
    if (pybwt_arguments(&signature, args, kwargs, given) < 0) return NULL;
    return make_hit(type, given);
}

static PyMemberDef hit_members[] = {
    PYBWT_RECORD_FIELD(HIT_TITLE, "title", "The title, as the provider gave it."),
    PYBWT_RECORD_FIELD(HIT_URL, "url", "The address of the page."),
    PYBWT_RECORD_FIELD(HIT_SNIPPET, "snippet", "The text that the provider showed of the page."),
    PYBWT_RECORD_FIELDS_END,
};

static PyMethodDef hit_methods[] = {
    PYBWT_RECORD_METHODS,
    {"to_dict", pybwt_record_to_dict, METH_NOARGS, "to_dict($self, /)\n--\n\nTitle, url and snippet by name."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot hit_slots[] = {
    {Py_tp_doc, "Hit(title, url, snippet)\n--\n\nOne search hit. Frozen; lone surrogates become U+FFFD."},
    {Py_tp_new, hit_new},
    {Py_tp_members, hit_members},
    {Py_tp_methods, hit_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, pybwt_record_repr),
    {0, NULL},
};

static PyType_Spec hit_spec = {
    .name = "bounded_web_tool.Hit",
    .basicsize = (int)(sizeof(pybwt_record) + HIT_FIELDS * sizeof(PyObject *)),
    .flags = PYBWT_RECORD_FLAGS,
    .slots = hit_slots,
};

PyObject *pybwt_hit_out(pybwt_state *state, bwt_hit hit)
{
    const bwt_str texts[HIT_FIELDS] = {hit.title, hit.url, hit.snippet};
    PyObject *values[HIT_FIELDS] = {NULL};
    for (int i = 0; i < HIT_FIELDS; i++) {
        values[i] = pybwt_str_out(texts[i].data != NULL ? texts[i] : BWT_STR(""));
        if (values[i] == NULL) break;
    }
    return pybwt_record_new(state->hit_type, values, HIT_FIELDS);
}

int pybwt_hit_view(PyObject *hit, bwt_hit *out)
{
    PyObject **values = ((pybwt_record *)hit)->values;
    bwt_str texts[HIT_FIELDS];
    for (int i = 0; i < HIT_FIELDS; i++) {
        Py_ssize_t len;
        texts[i].data = PyUnicode_AsUTF8AndSize(values[i], &len);
        if (texts[i].data == NULL) return -1;
        texts[i].len = (size_t)len;
    }
    *out = (bwt_hit){texts[HIT_TITLE], texts[HIT_URL], texts[HIT_SNIPPET]};
    return 0;
}

static PyObject *hit_in(pybwt_state *state, PyObject *item, const char *name, Py_ssize_t index)
{
    if (Py_IS_TYPE(item, state->hit_type)) return Py_NewRef(item);
    PyObject *parts = NULL;
    if (PySequence_Check(item) && !PyUnicode_Check(item)) {
        parts = PySequence_Tuple(item);
        if (parts == NULL) return NULL;
    }
    PyObject *hit = NULL;
    bool fits = parts != NULL && PyTuple_GET_SIZE(parts) == HIT_FIELDS;
    for (int i = 0; fits && i < HIT_FIELDS; i++) fits = PyUnicode_Check(PyTuple_GET_ITEM(parts, i));
    if (fits) {
        hit = make_hit(state->hit_type, ((PyTupleObject *)parts)->ob_item);
    } else {
        PyErr_Format(PyExc_TypeError, "%s: item %zd must be a Hit or a sequence of three str", name, index);
    }
    Py_XDECREF(parts);
    return hit;
}

PyObject *pybwt_hits_in(pybwt_state *state, PyObject *items, const char *name)
{
    if (Py_TYPE(items)->tp_iter == NULL && !PySequence_Check(items)) {
        return PyErr_Format(PyExc_TypeError, "%s must be an iterable of Hit, not %s", name, Py_TYPE(items)->tp_name);
    }
    PyObject *given = PySequence_Tuple(items);
    if (given == NULL) return NULL;
    PyObject *found = PyTuple_New(PyTuple_GET_SIZE(given));
    for (Py_ssize_t i = 0; found != NULL && i < PyTuple_GET_SIZE(given); i++) {
        PyObject *hit = hit_in(state, PyTuple_GET_ITEM(given, i), name, i);
        if (hit == NULL) Py_CLEAR(found);
        else PyTuple_SET_ITEM(found, i, hit);
    }
    Py_DECREF(given);
    return found;
}

PyObject *pybwt_hits(PyObject *module, PyObject *items)
{
    return pybwt_hits_in(pybwt_state_of_module(module), items, "hits");
}

int pybwt_hit_type_add(PyObject *module, pybwt_state *state)
{
    return pybwt_type_add_with(module, &hit_spec, &state->hit_type, "__match_args__",
                               pybwt_name_tuple(hit_names, HIT_FIELDS));
}
