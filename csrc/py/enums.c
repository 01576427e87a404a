/* The vocabularies as StrEnum classes, built from the C tables when the module is executed. */
#include "py/types.h"

/* [(NAME, wire), ...]: a member's name is its wire value in capitals. */
static PyObject *member_pairs(bwt_vocab vocab)
{
    PyObject *pairs = PyList_New(0);
    for (int i = 1; pairs != NULL && i <= bwt_vocab_size(vocab); i++) {
        PyObject *wire = PyUnicode_FromString(bwt_vocab_wire(vocab, i));
        PyObject *name = wire == NULL ? NULL : PyObject_CallMethod(wire, "upper", NULL);
        PyObject *pair = name == NULL ? NULL : PyTuple_Pack(2, name, wire);
        if (pair == NULL || PyList_Append(pairs, pair) < 0) Py_CLEAR(pairs);
        Py_XDECREF(pair);
        Py_XDECREF(name);
        Py_XDECREF(wire);
    }
    return pairs;
}

/* The module is the public one: pickles then outlive a change of the private layout. */
static PyObject *make_class(PyObject *str_enum, bwt_vocab vocab)
{
    const char *name = bwt_vocab_name(vocab);
    PyObject *pairs = member_pairs(vocab);
    if (pairs == NULL) return NULL;
    PyObject *args = Py_BuildValue("(sN)", name, pairs);
    PyObject *kwargs = args == NULL ? NULL : Py_BuildValue("{ssss}", "module", "bounded_web_tool", "qualname", name);
    PyObject *made = kwargs == NULL ? NULL : PyObject_Call(str_enum, args, kwargs);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
    return made;
}

static int set_doc(PyObject *object, const char *doc)
{
    PyObject *text = PyUnicode_FromString(doc);
    if (text == NULL) return -1;
    int failed = PyObject_SetAttrString(object, "__doc__", text);
    Py_DECREF(text);
    return failed;
}

static int keep_members(pybwt_state *state, bwt_vocab vocab)
{
    size_t count = (size_t)bwt_vocab_size(vocab) + 1;
    PyObject **members = PyMem_Calloc(count, sizeof *members);
    if (members == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    state->enum_member[vocab] = members;
    for (int i = 1; i <= bwt_vocab_size(vocab); i++) {
        members[i] = PyObject_CallFunction(state->enum_class[vocab], "s", bwt_vocab_wire(vocab, i));
        if (members[i] == NULL || set_doc(members[i], bwt_vocab_member_doc(vocab, i)) < 0) return -1;
    }
    return 0;
}

int pybwt_enums_add(PyObject *module, pybwt_state *state)
{
    PyObject *enum_module = PyImport_ImportModule("enum");
    if (enum_module == NULL) return -1;
    PyObject *str_enum = PyObject_GetAttrString(enum_module, "StrEnum");
    Py_DECREF(enum_module);
    if (str_enum == NULL) return -1;
    int failed = 0;
    for (int i = 0; i < BWT_VOCAB_COUNT && !failed; i++) {
        bwt_vocab vocab = (bwt_vocab)i;
        PyObject *made = make_class(str_enum, vocab);
        state->enum_class[vocab] = made;
        failed = made == NULL || set_doc(made, bwt_vocab_doc(vocab)) < 0 || keep_members(state, vocab) < 0 ||
                 PyModule_AddObjectRef(module, bwt_vocab_name(vocab), made) < 0;
    }
    Py_DECREF(str_enum);
    return failed ? -1 : 0;
}
