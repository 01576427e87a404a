/* One HTTP exchange on one easy handle: the request and its options in, the decoded body and the head out. */
#ifndef BWT_NET_TRANSFER_H
#define BWT_NET_TRANSFER_H

#include <curl/curl.h>

#include "net/addresses.h"
#include "net/curl_reason.h"
#include "net/head.h"
#include "net/list.h"
#include "net/provider.h"
#include "net/settings.h"

typedef struct bwt_transfer {
    bwt_link link; /* in whichever list of transfers it is */
    CURL *easy;
    struct bwt_multi *multi; /* that it was last added to */
    void *owner; /* NULL once nobody waits for it: what still arrives is dropped */
    bwt_http_request request;
    bool https;
    bool via_proxy;
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    bwt_head head;
    bwt_buf body;
    bwt_abort aborted;
    int socket_fd;       /* the last one opened for it; -1 = none */
    int times_requested; /* 2: libcurl wants to repeat the request on a new connection */
} bwt_transfer;

bwt_transfer *bwt_transfer_new(void); /* NULL: no memory */
void bwt_transfer_free(bwt_transfer *transfer);
/* Forgets request and answer and makes the handle as good as new; a small body buffer is kept. */
void bwt_transfer_recycle(bwt_transfer *transfer);

/* Takes over the request. https: whether its URL is. */
void bwt_transfer_set_request(bwt_transfer *transfer, bwt_http_request *request, bool https);

typedef struct bwt_transfer_aim {
    const bwt_address *address; /* where to connect; NULL: the URL's host is numeric, or a proxy is in between */
    int64_t timeout_ms;         /* libcurl's own, a second net behind our deadline */
    int64_t connect_timeout_ms; /* 0 = none of its own */
} bwt_transfer_aim;
/* Sets every option for one try and clears what a try before has left. BWT_ERR_NO_MEMORY, or BWT_ERR_UNSUPPORTED when
 * libcurl refuses an option. */
bwt_error bwt_transfer_prepare(bwt_transfer *transfer, const bwt_settings *settings, const bwt_transfer_aim *aim);

/* How it ended, after libcurl has said so. */
bwt_transfer_end bwt_transfer_ending(const bwt_transfer *transfer, CURLcode code);
bool bwt_transfer_went_over_kept_connection(const bwt_transfer *transfer);
int bwt_transfer_http_status(const bwt_transfer *transfer);

#endif
