/* FallbackPolicy: bwt_policy as a frozen object; its fields are those of BWT_POLICY_FIELD_LIST. */
#include "py/arguments.h"
#include "py/convert.h"
#include "py/errors.h"
#include "py/record.h"
#include "py/types.h"

typedef struct pybwt_policy {
    PyObject_HEAD
    bwt_policy policy;
} pybwt_policy;

#define NAME(field, preset, lowest, highest, doc) #field,
static const char *const policy_names[] = {BWT_POLICY_FIELD_LIST(NAME) "refuse_secrets_in_query"};
#undef NAME
enum { POLICY_FIELDS = sizeof policy_names / sizeof policy_names[0] };

static int read_fields(PyObject *const given[POLICY_FIELDS], bwt_policy *policy)
{
#define READ(field, preset, lowest, highest, doc)                                                                    \
    if (*given != NULL && pybwt_int_in(*given, #field, (lowest), (highest), &policy->field) < 0) return -1;          \
    given++;
    BWT_POLICY_FIELD_LIST(READ)
#undef READ
    if (*given == NULL) return 0;
    return pybwt_bool_in(*given, "refuse_secrets_in_query", &policy->refuse_secrets_in_query);
}

static PyObject *policy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const pybwt_signature signature = {"FallbackPolicy", policy_names, POLICY_FIELDS, 0, 0};
    PyObject *given[POLICY_FIELDS];
    bwt_policy policy;
    bwt_policy_init(&policy);
    if (pybwt_arguments(&signature, args, kwargs, given) < 0 || read_fields(given, &policy) < 0) return NULL;
    bwt_complaint complaint = {.field = ""};
    bwt_error error = bwt_policy_check(&policy, &complaint);
    if (error != BWT_OK) return pybwt_raise(error, &complaint);
    pybwt_policy *self = (pybwt_policy *)type->tp_alloc(type, 0);
    if (self != NULL) self->policy = policy;
    return (PyObject *)self;
}

const bwt_policy *pybwt_policy_of(PyObject *policy)
{
    return &((pybwt_policy *)policy)->policy;
}

#define MEMBER(field, preset, lowest, highest, doc)                                                                  \
    {#field, Py_T_LONGLONG, offsetof(pybwt_policy, policy.field), Py_READONLY, doc},
static PyMemberDef policy_members[] = {
    BWT_POLICY_FIELD_LIST(MEMBER)
    {"refuse_secrets_in_query", Py_T_BOOL, offsetof(pybwt_policy, policy.refuse_secrets_in_query), Py_READONLY,
     "Whether a query that holds a credential is refused."},
    PYBWT_RECORD_FIELDS_END,
};
#undef MEMBER

static PyMethodDef policy_methods[] = {
    PYBWT_RECORD_METHODS,
    {"to_dict", pybwt_record_to_dict, METH_NOARGS, "to_dict($self, /)\n--\n\nThe limits by name."},
    {NULL, NULL, 0, NULL},
};

#define TEXT_OF(value) #value
#define SIGNATURE(field, preset, lowest, highest, doc) #field "=" TEXT_OF(preset) ", "
static PyType_Slot policy_slots[] = {
    {Py_tp_doc, "FallbackPolicy(*, " BWT_POLICY_FIELD_LIST(SIGNATURE) "refuse_secrets_in_query=True)\n--\n\n"
                "The limits of one lookup. Frozen; ValueError or TypeError naming the field."},
    {Py_tp_new, policy_new},
    {Py_tp_members, policy_members},
    {Py_tp_methods, policy_methods},
    PYBWT_RECORD_SLOTS(pybwt_record_dealloc, pybwt_record_repr),
    {0, NULL},
};
#undef SIGNATURE
#undef TEXT_OF

static PyType_Spec policy_spec = {
    .name = "bounded_web_tool.FallbackPolicy",
    .basicsize = sizeof(pybwt_policy),
    .flags = PYBWT_RECORD_FLAGS | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = policy_slots,
};

int pybwt_policy_type_add(PyObject *module, pybwt_state *state)
{
    if (pybwt_type_add(module, &policy_spec, &state->policy_type) < 0) return -1;
    PyObject *preset = PyObject_CallNoArgs((PyObject *)state->policy_type);
    if (preset == NULL) return -1;
    int failed = PyModule_AddObjectRef(module, "DEFAULT_POLICY", preset);
    Py_DECREF(preset);
    return failed;
}
