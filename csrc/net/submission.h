/* One accepted lookup or fetch: everything it needs, allocated before it is accepted. */
#ifndef BWT_NET_SUBMISSION_H
#define BWT_NET_SUBMISSION_H

#include "net/exchange.h"
#include "net/inbox.h"

typedef struct bwt_submission {
    bwt_inbox_entry entry;
    bwt_link live; /* in the loop's list from acceptance to completion */
    bwt_outbox *outbox;         /* one reference */
    bwt_completion *completion; /* exists from the start: an outcome arrives even when memory has run out */
    bwt_plan *plan;             /* NULL: a fetch */
    bwt_provider *primary;      /* one reference */
    bwt_provider *fallback;     /* one reference, or NULL */
    bool is_due;                /* the order was made when submitting and is not yet under way */
    bwt_text query;             /* of a fetch; a lookup's is the plan's */
    bwt_exchange_order order;   /* of the next exchange or the one under way */
    bwt_exchange exchange;
} bwt_submission;

bwt_error bwt_submission_for_lookup(const bwt_lookup_request *request, bwt_outbox *outbox, bwt_submission **out);
bwt_error bwt_submission_for_fetch(const bwt_fetch_request *request, bwt_outbox *outbox, bwt_submission **out);
void bwt_submission_free(bwt_submission *submission);

/* Asks a lookup's plan for its next dial, makes the order of it and tells the plan the target. False: nothing more to
 * dial. */
bool bwt_submission_next_order(bwt_submission *submission, int64_t now_ns);

#endif
