/* The local refusals: what must be true of a query before anything is dialled. */
#ifndef BWT_CORE_QUERY_H
#define BWT_CORE_QUERY_H

#include "bwt.h"

/* Folds white space, normalises to NFC and judges, in the order of the contract. *reason is NONE when the query may
 * be sent, and then *out owns it; otherwise *out stays empty. */
bwt_error bwt_query_prepare(const bwt_policy *policy, bwt_str raw, bwt_text *out, bwt_policy_reason *reason);

#endif
