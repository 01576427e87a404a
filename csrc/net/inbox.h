/* Where any thread leaves submissions and cancellations for the engine thread: mutex, lists, one coalesced wake-up.
 * It also knows which tickets are alive, so that a cancellation needs no memory. */
#ifndef BWT_NET_INBOX_H
#define BWT_NET_INBOX_H

#include <pthread.h>

#include "bwt.h"
#include "net/list.h"
#include "net/wakefd.h"

/* What the inbox knows of a submission; lives in it. */
typedef struct bwt_inbox_entry {
    bwt_ticket ticket;
    bool cancel_requested;
    bwt_link arrival;      /* not yet looked at by the engine thread */
    bwt_link cancellation; /* asked for and not yet looked at */
    bwt_link by_ticket;
} bwt_inbox_entry;

enum { BWT_INBOX_BUCKETS = 1024 };

typedef struct bwt_inbox {
    pthread_mutex_t mutex;
    bwt_wakefd *wake;
    bool wake_pending; /* written to the descriptor and not yet taken notice of */
    bool closed;
    uint64_t last_ticket;
    bwt_link arrivals;
    bwt_link cancellations;
    bwt_link tickets[BWT_INBOX_BUCKETS]; /* tickets count up, so they spread evenly */
} bwt_inbox;

bwt_error bwt_inbox_init(bwt_inbox *inbox, bwt_wakefd *wake);
void bwt_inbox_deinit(bwt_inbox *inbox);

/* Gives the entry its ticket and hands it to the engine thread, or BWT_ERR_CLOSED. */
bwt_error bwt_inbox_submit(bwt_inbox *inbox, bwt_inbox_entry *entry, bwt_ticket *ticket);
/* An unknown ticket is ignored. */
void bwt_inbox_cancel(bwt_inbox *inbox, bwt_ticket ticket);
/* Nothing is accepted any more; the engine thread is told. */
void bwt_inbox_close(bwt_inbox *inbox);

/* The engine thread only: moves what waits to the ends of the two lists (every cancelled entry that has not been
 * taken before is among the arrivals); *closed says whether more can come. */
void bwt_inbox_take(bwt_inbox *inbox, bwt_link *arrivals, bwt_link *cancellations, bool *closed);
/* The engine thread only: the submission is over, its ticket unknown from now on. */
void bwt_inbox_forget(bwt_inbox *inbox, bwt_inbox_entry *entry);

#endif
