/* A compiled provider spec and the request it makes of a query. */
#ifndef BWT_NET_PROVIDER_H
#define BWT_NET_PROVIDER_H

#include "core/buf.h"

typedef struct bwt_http_request {
    bwt_buf url;      /* NUL-terminated, keys included */
    bool post;        /* GET otherwise */
    bwt_buf body;     /* only with post */
    bwt_str *headers; /* borrowed from headers_text: "Name: value", NUL-terminated each */
    size_t header_count;
    bwt_buf headers_text;
} bwt_http_request;

/* The query is cut to the provider's own limit at a word boundary. */
bwt_error bwt_provider_request(const bwt_provider *provider, bwt_str query, int64_t max_results, bwt_http_request *out);
void bwt_http_request_deinit(bwt_http_request *request);

int64_t bwt_provider_min_interval_ms(const bwt_provider *provider); /* 0 = none */
/* "scheme://host:port", the key of the connection limit. Lives as long as the provider. */
bwt_str bwt_provider_origin(const bwt_provider *provider);
/* Origin and name, the key of pacing and rest. Lives as long as the provider. */
bwt_str bwt_provider_identity(const bwt_provider *provider);

#endif
