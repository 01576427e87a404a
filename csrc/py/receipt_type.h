/* The Receipt object, for the files that make it up. */
#ifndef PYBWT_RECEIPT_TYPE_H
#define PYBWT_RECEIPT_TYPE_H

#include "py/state.h"

/* X(field, required, one-line meaning), in the order of the JSON. */
#define PYBWT_RECEIPT_FIELD_LIST(X)                                                                                  \
    X(outcome, true, "An Outcome: how the lookup ended.")                                                            \
    X(next_action, true, "A NextAction: the one instruction to the caller.")                                         \
    X(fallback_used, false, "Whether the fallback was dialled.")                                                     \
    X(attempts_used, false, "How many attempts were dialled.")                                                       \
    X(elapsed_ms, true, "Milliseconds the lookup took, rounded up.")                                                 \
    X(budget_ms, true, "Milliseconds it was allowed to take.")                                                       \
    X(attempts_allowed, true, "1, or 2 with a fallback that the policy allows.")                                     \
    X(retry_after_ms, false, "The smallest wait that a provider named, with next_action retry_later, else None.")    \
    X(policy_reason, false, "A PolicyReason with outcome blocked_by_policy, else None.")                             \
    X(results, false, "A tuple of Hit: the clean hits of a useful result, redacted and cut.")                        \
    X(results_truncated, false, "Whether hits were cut or dropped.")                                                 \
    X(attempts, false, "A tuple of AttemptRecord: the trail.")                                                       \
    X(kind, false, "'lookup' or 'page'.")                                                                            \
    X(schema_version, false, "The version of the vocabulary and the fields.")

#define PYBWT_RECEIPT_ENUMERATOR(field, required, doc) PYBWT_RECEIPT_##field,
enum { PYBWT_RECEIPT_FIELD_LIST(PYBWT_RECEIPT_ENUMERATOR) PYBWT_RECEIPT_FIELDS };
#undef PYBWT_RECEIPT_ENUMERATOR

/* Receipt.__new__: fields by keyword, absent ones derived from the trail. */
PyObject *pybwt_receipt_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

#endif
