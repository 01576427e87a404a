/* What the engine thread asks of the operating system: wait for descriptors and an absolute time. poller_epoll.c is
 * the Linux side; a port to another system writes this header over poll or kqueue, nothing else changes. */
#ifndef BWT_NET_POLLER_H
#define BWT_NET_POLLER_H

#include "bwt.h"

enum { BWT_POLL_IN = 1, BWT_POLL_OUT = 2, BWT_POLL_ERROR = 4 };

typedef struct bwt_poll_event {
    int fd;
    unsigned ready; /* BWT_POLL_* */
} bwt_poll_event;

typedef struct bwt_poller bwt_poller;
bwt_error bwt_poller_new(bwt_poller **out);
void bwt_poller_free(bwt_poller *poller);
/* Sets what is wanted of a descriptor, BWT_POLL_IN | BWT_POLL_OUT; 0 = nothing for now. On an error the descriptor
 * stays silent. */
bwt_error bwt_poller_want(bwt_poller *poller, int fd, unsigned wanted);
/* Must be called before a descriptor that was ever wanted is closed, or for a new descriptor when the one before with
 * its number may have been closed unseen. */
void bwt_poller_forget(bwt_poller *poller, int fd);
/* Waits for events or for until_ns on CLOCK_MONOTONIC (past: only looks; INT64_MAX: no limit) and returns how many
 * events it wrote, 0 also when it was interrupted. */
size_t bwt_poller_wait(bwt_poller *poller, int64_t until_ns, bwt_poll_event *events, size_t capacity);

#endif
