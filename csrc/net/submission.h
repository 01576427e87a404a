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
    bwt_dial dial;              /* of a lookup: the plan's dial that is due or under way */
    bool dial_is_due;           /* made when submitting, not yet started */
    int64_t max_results;
    bwt_text query;      /* of a fetch; a lookup's is the plan's */
    int64_t deadline_ns; /* of a fetch; a lookup's come from the plan */
    bwt_exchange exchange;
} bwt_submission;

bwt_error bwt_submission_for_lookup(const bwt_lookup_request *request, bwt_outbox *outbox, bwt_submission **out);
bwt_error bwt_submission_for_fetch(bwt_provider *provider, bwt_str query, int64_t max_results, int64_t slice_ms,
                                   bwt_outbox *outbox, bwt_submission **out);
void bwt_submission_free(bwt_submission *submission);

/* Asks a lookup's plan for its next dial and tells it the target. False: nothing more to dial. */
bool bwt_submission_next_dial(bwt_submission *submission, int64_t now_ns);
/* Whom the dial asks. */
bwt_provider *bwt_submission_provider(const bwt_submission *submission);

#endif
