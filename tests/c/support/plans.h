/* Short forms for tests that drive a plan. */
#ifndef TEST_SUPPORT_PLANS_H
#define TEST_SUPPORT_PLANS_H

#include "bwt.h"

/* A plan for the query "narwhal tusk" with transports "first" and, with_fallback, "second". */
bwt_plan *make_plan(const bwt_policy *policy, bool with_fallback, bwt_validator *validator, int64_t now_ns);

/* An answer with the given number of hits that speak of narwhal tusks at length. */
bwt_response *make_response(int http_status, size_t hit_count);

bwt_failure make_failure(bwt_attempt_status status);

/* Seals, checks nothing, returns the receipt: free it. */
bwt_receipt *seal_plan(bwt_plan *plan, int64_t now_ns);

/* Seals, explains, frees both receipt and plan. */
bwt_text explain_plan(bwt_plan *plan, int64_t now_ns);

#endif
