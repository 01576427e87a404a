/* What Receipt and AttemptRecord share: reading from dict and JSON, and the names known from pydantic models. */
#ifndef PYBWT_RECEIPT_METHODS_H
#define PYBWT_RECEIPT_METHODS_H

#include "py/state.h"

/* One field of a type, for model_fields. */
typedef struct pybwt_field_doc {
    const char *name;
    bool required;
    const char *doc;
} pybwt_field_doc;
/* Field name to {"required": bool, "description": str}, in order. */
PyObject *pybwt_model_fields(const pybwt_field_doc *fields, size_t count);

/* cls(**data), data any mapping. */
PyObject *pybwt_from_mapping(PyObject *type, PyObject *data, const char *name);
/* (cls.from_dict, (self.to_dict(),)) */
PyObject *pybwt_reduce_by_dict(PyObject *self, PyObject *ignored);
/* A function of the Python half (bounded_web_tool._receipt_support) called with these arguments. */
PyObject *pybwt_call_support(const char *function, PyObject *const args[], size_t count);

PyObject *pybwt_class_from_dict(PyObject *type, PyObject *data);
PyObject *pybwt_class_from_json(PyObject *type, PyObject *text);
PyObject *pybwt_class_model_validate(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *pybwt_class_model_json_schema(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *pybwt_class_pydantic_core_schema(PyObject *type, PyObject *args);
PyObject *pybwt_class_pydantic_json_schema(PyObject *type, PyObject *args);
PyObject *pybwt_model_dump(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pybwt_model_dump_json(PyObject *self, PyObject *args, PyObject *kwargs);

#define PYBWT_KEYWORD_METHOD(function) ((PyCFunction)(void (*)(void))(function))
#define PYBWT_MODEL_METHODS                                                                                          \
    {"from_dict", pybwt_class_from_dict, METH_O | METH_CLASS,                                                        \
     "from_dict($type, data, /)\n--\n\nThe inverse of to_dict; any mapping."},                                       \
        {"from_json", pybwt_class_from_json, METH_O | METH_CLASS,                                                    \
         "from_json($type, text, /)\n--\n\nThe inverse of to_json; str or bytes."},                                  \
        {"model_dump", PYBWT_KEYWORD_METHOD(pybwt_model_dump), METH_VARARGS | METH_KEYWORDS,                         \
         "model_dump($self, /, **options)\n--\n\nto_dict(); the options of pydantic are ignored."},                  \
        {"model_dump_json", PYBWT_KEYWORD_METHOD(pybwt_model_dump_json), METH_VARARGS | METH_KEYWORDS,               \
         "model_dump_json($self, /, **options)\n--\n\nto_json(); the options of pydantic are ignored."},             \
        {"model_validate", PYBWT_KEYWORD_METHOD(pybwt_class_model_validate),                                         \
         METH_VARARGS | METH_KEYWORDS | METH_CLASS,                                                                  \
         "model_validate($type, value, /, **options)\n--\n\nFrom an instance, a dict or JSON."},                     \
        {"model_json_schema", PYBWT_KEYWORD_METHOD(pybwt_class_model_json_schema),                                   \
         METH_VARARGS | METH_KEYWORDS | METH_CLASS,                                                                  \
         "model_json_schema($type, /, **options)\n--\n\nThe JSON schema of to_dict()."},                             \
        {"__get_pydantic_core_schema__", pybwt_class_pydantic_core_schema, METH_VARARGS | METH_CLASS,                \
         "__get_pydantic_core_schema__($type, source, handler, /)\n--\n\nFor pydantic."},                            \
    {                                                                                                                \
        "__get_pydantic_json_schema__", pybwt_class_pydantic_json_schema, METH_VARARGS | METH_CLASS,                 \
            "__get_pydantic_json_schema__($type, core_schema, handler, /)\n--\n\nFor pydantic."                      \
    }

#endif
