/* An HTTP answer read through a provider spec: hits, or the attempt status its words map to. */
#ifndef BWT_NET_EXTRACT_H
#define BWT_NET_EXTRACT_H

#include "core/buf.h"
#include "net/json.h"

typedef struct bwt_http_answer {
    int status;
    bwt_buf *body; /* decoded; may be given padding */
    bwt_str content_type;
    bwt_str location;       /* of a redirect; absent otherwise */
    int64_t retry_after_ms; /* -1 = none */
} bwt_http_answer;

/* Fills *out (a response whose status is settled, or a failure). The parser is lent for the call. */
bwt_error bwt_extract(const bwt_provider *provider, bwt_json_parser *parser, const bwt_http_answer *answer,
                      bwt_answer *out);

#endif
