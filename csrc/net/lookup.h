/* Drives one submission on the engine thread: the plan decides, exchanges obey, a completion comes out. */
#ifndef BWT_NET_LOOKUP_H
#define BWT_NET_LOOKUP_H

#include "net/submission.h"

typedef struct bwt_lookup_world {
    bwt_exchange_world exchanges;
    bwt_inbox *inbox;
    bwt_counters *counters;
    bwt_link live; /* submissions accepted and not yet completed */
} bwt_lookup_world;

/* Each of these may complete the submission, which is then gone. */
void bwt_lookup_begin(bwt_lookup_world *world, bwt_submission *submission);
void bwt_lookup_on_turn(bwt_lookup_world *world, bwt_submission *submission);
void bwt_lookup_on_name(bwt_lookup_world *world, bwt_submission *submission);
void bwt_lookup_on_place(bwt_lookup_world *world, bwt_submission *submission);
void bwt_lookup_on_done(bwt_lookup_world *world, bwt_submission *submission, CURLcode code);
void bwt_lookup_on_deadline(bwt_lookup_world *world, bwt_submission *submission);
/* Also for one that has not begun. */
void bwt_lookup_cancel(bwt_lookup_world *world, bwt_submission *submission);

#endif
