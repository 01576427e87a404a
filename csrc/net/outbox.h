/* The engine's side of an outbox: who keeps it alive, and how a completion gets in. */
#ifndef BWT_NET_OUTBOX_H
#define BWT_NET_OUTBOX_H

#include "bwt.h"

/* Every submission in flight holds a reference beside the consumer's. */
bwt_outbox *bwt_outbox_retain(bwt_outbox *outbox);
void bwt_outbox_release(bwt_outbox *outbox);
/* Takes the completion. */
void bwt_outbox_push(bwt_outbox *outbox, bwt_completion *completion);

#endif
