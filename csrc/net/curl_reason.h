/* What libcurl's end of a transfer means in the vocabulary of attempts. */
#ifndef BWT_NET_CURL_REASON_H
#define BWT_NET_CURL_REASON_H

#include <curl/curl.h>

#include "bwt.h"

/* Why one of our own callbacks ended the transfer. */
typedef enum bwt_abort {
    BWT_ABORT_NONE,
    BWT_ABORT_TOO_LARGE,  /* the decoded body passed its cap */
    BWT_ABORT_BAD_HEADER, /* too many header bytes, or two lengths that differ */
    BWT_ABORT_NO_MEMORY,
    BWT_ABORT_RESENT /* a POST would have been sent twice */
} bwt_abort;

/* The circumstances that decide what a code means. */
typedef struct bwt_transfer_end {
    CURLcode code;
    bwt_abort aborted;
    bool requested;    /* the connection stood: the request was about to be sent */
    bool answered;     /* at least one byte of an answer came */
    bool system_error; /* a socket call failed, rather than what the peer said */
    bool tls;          /* of the target, not of a proxy */
    bool via_proxy;
    int proxy_status; /* of the CONNECT; 0 = none */
} bwt_transfer_end;

/* For code != CURLE_OK. CURLE_OPERATION_TIMEDOUT is transport_timeout. */
bwt_failure bwt_curl_reason(const bwt_transfer_end *end);

#endif
