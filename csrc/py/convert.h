/* Between Python objects and the C library's values. Every function that can fail sets an exception, which names the
 * argument and what was expected of it and never holds the value. int results: 0, or -1 with an exception. */
#ifndef PYBWT_CONVERT_H
#define PYBWT_CONVERT_H

#include "py/state.h"

/* A str as UTF-8, lone surrogates in their three-byte form. holder keeps the bytes alive (Py_XDECREF it). name is the
 * argument to blame in "NAME must be a str, not TYPE". */
int pybwt_str_in(PyObject *value, const char *name, bwt_str *out, PyObject **holder);
/* None gives an absent text. */
int pybwt_optional_str_in(PyObject *value, const char *name, bwt_str *out, PyObject **holder);
/* The same text as an exact str without lone surrogates (each becomes U+FFFD). New reference. */
PyObject *pybwt_clean_str(PyObject *value, const char *name);
PyObject *pybwt_optional_clean_str(PyObject *value, const char *name); /* None stays None */
/* A str of any UTF-8 (invalid parts become U+FFFD); an absent text gives None. */
PyObject *pybwt_str_out(bwt_str text);
PyObject *pybwt_text_out(bwt_text *text); /* takes it */

/* An int (bool refused: TypeError) in lowest .. highest (ValueError). */
int pybwt_int_in(PyObject *value, const char *name, int64_t lowest, int64_t highest, int64_t *out);
/* As above; None gives absent. */
int pybwt_optional_int_in(PyObject *value, const char *name, int64_t lowest, int64_t highest, int64_t absent,
                          int64_t *out);
PyObject *pybwt_optional_int_out(int64_t value, int64_t absent);
int pybwt_bool_in(PyObject *value, const char *name, bool *out);

/* A member of the vocabulary or its wire value: TypeError unless a str, ValueError unless a member. */
int pybwt_enum_in(pybwt_state *state, bwt_vocab vocab, PyObject *value, const char *name, int *out);
int pybwt_optional_enum_in(pybwt_state *state, bwt_vocab vocab, PyObject *value, const char *name, int *out);
PyObject *pybwt_enum_out(pybwt_state *state, bwt_vocab vocab, int member); /* new reference; 0 gives None */
int pybwt_kind_in(PyObject *value, const char *name, bwt_receipt_kind *out); /* "lookup" or "page" */

/* One reading of an injected clock in nanoseconds. */
int pybwt_clock_ns(pybwt_state *state, PyObject *clock, int64_t *out);

/* TransportResponse, Hit, AttemptRecord and Receipt to C and back. */
PyObject *pybwt_hit_out(pybwt_state *state, bwt_hit hit);
int pybwt_hit_view(PyObject *hit, bwt_hit *out); /* borrowed from the Hit */
bwt_response *pybwt_response_in(pybwt_state *state, PyObject *response); /* owned by the caller */
PyObject *pybwt_response_out(pybwt_state *state, const bwt_response *response);
PyObject *pybwt_failure_out(const bwt_failure *failure); /* (status, detail, http_status, retry_after_ms) */
PyObject *pybwt_answer_out(pybwt_state *state, const bwt_answer *answer); /* one of the two above */
PyObject *pybwt_attempt_out(pybwt_state *state, const bwt_attempt *attempt);
int pybwt_attempt_view(pybwt_state *state, PyObject *attempt, bwt_attempt *out); /* borrowed from the AttemptRecord */
PyObject *pybwt_receipt_out(pybwt_state *state, bwt_receipt *receipt); /* takes it, also on failure */

/* Above this many bytes of text the GIL is released while C works on it. */
enum { PYBWT_MUCH_TEXT_BYTES = 64 * 1024 };

/* TypeError "NAME must be EXPECTED, not TYPE" unless value is of exactly this type (ours are final). */
int pybwt_type_in(PyObject *value, PyTypeObject *type, const char *name, const char *expected);

#endif
