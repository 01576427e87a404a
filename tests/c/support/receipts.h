/* Consistent receipts to start from; a test changes one field. */
#ifndef TEST_SUPPORT_RECEIPTS_H
#define TEST_SUPPORT_RECEIPTS_H

#include "bwt.h"

/* A record of the given place and status, with whatever the status demands. */
bwt_attempt make_attempt(int64_t index, bwt_attempt_status status);

/* The receipt that follows from one or two statuses (second NONE = one record), 40 of 2000 ms, no results. */
bwt_receipt_fields make_fields(bwt_attempt_status first, bwt_attempt_status second);

/* The receipt of a refused query: no records. */
bwt_receipt_fields make_refusal(bwt_policy_reason reason);

#endif
