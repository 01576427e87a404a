/* libcurl's multi handle married to the poller: sockets, libcurl's own timer, the kept connections and TLS sessions.
 *
 * Up to 7.88 at least, libcurl closes a socket that never got connected without calling the close callback. So a socket
 * is made known afresh when it is opened, and looked after when its transfer is removed. */
#ifndef BWT_NET_MULTI_H
#define BWT_NET_MULTI_H

#include "net/counters.h"
#include "net/poller.h"
#include "net/transfer.h"

typedef struct bwt_multi {
    CURLM *handle;
    CURLSH *share; /* TLS sessions outlive the easy handle that made them */
    bwt_poller *poller;       /* borrowed */
    bwt_counters *counters;   /* borrowed */
    unsigned char *is_open;   /* indexed by descriptor: counted as an open connection */
    size_t is_open_size;
    int64_t due_ns; /* when libcurl wants to be called without an event; INT64_MAX = not at all */
} bwt_multi;

bwt_error bwt_multi_init(bwt_multi *multi, bwt_poller *poller, bwt_counters *counters);
/* Closes the kept connections. No transfer may be under way any more. Harmless on a zeroed one. */
void bwt_multi_deinit(bwt_multi *multi);

/* Starts a prepared transfer. */
bwt_error bwt_multi_add(bwt_multi *multi, bwt_transfer *transfer);
/* Takes a transfer away, done or not; the connection of one that is not done is closed (HTTP/1.1). */
void bwt_multi_remove(bwt_multi *multi, bwt_transfer *transfer);

/* Lets libcurl work on a descriptor that is ready, or on what its timer is for. */
void bwt_multi_on_ready(bwt_multi *multi, int fd, unsigned ready);
void bwt_multi_on_time(bwt_multi *multi, int64_t now_ns); /* does nothing before due_ns */
/* The next transfer that libcurl has finished and how, or NULL. It still has to be removed. */
bwt_transfer *bwt_multi_next_done(bwt_multi *multi, CURLcode *code);

#endif
