/* The one URL parser (libcurl's), for judging, keying and dialling alike: what is judged is what is dialled. */
#ifndef BWT_NET_URL_H
#define BWT_NET_URL_H

#include "core/buf.h"

/* An absolute http or https address, taken apart. Owns its text; a zeroed one is empty. */
typedef struct bwt_url {
    bwt_text scheme;    /* "http" or "https" */
    bwt_text user_info; /* "user:password" as written; data NULL when absent */
    bwt_text host;      /* lower case; an IPv6 address in its brackets */
    int port;           /* 1 .. 65535, the scheme's own when none is written */
    bwt_text path;      /* begins with "/" */
    bwt_text query;     /* without "?"; data NULL when absent */
    bool has_fragment;
} bwt_url;

/* BWT_ERR_INVALID: not an absolute http or https address. */
bwt_error bwt_url_parse(bwt_str text, bwt_url *out);
void bwt_url_deinit(bwt_url *url);

/* The host as a resolver takes it: without brackets. Borrowed. */
bwt_str bwt_url_host_name(const bwt_url *url);
/* Appends "scheme://host:port". */
bool bwt_url_append_origin(bwt_buf *out, const bwt_url *url);
/* Appends "scheme://[user info@]host[:port]/path", without a slash at the end and without the port where it is the
 * scheme's own. A path that begins with "/" can follow. */
bool bwt_url_append_base(bwt_buf *out, const bwt_url *url);

/* Appends text percent-encoded: letters, digits and "-._~" stay, a space becomes "+" in a form and "%20" in a path. */
bool bwt_url_append_form(bwt_buf *out, bwt_str text);
bool bwt_url_append_path(bwt_buf *out, bwt_str text);

#endif
