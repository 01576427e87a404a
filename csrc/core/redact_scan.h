/* The state of one redaction pass, shared by the files that are the pass. */
#ifndef BWT_CORE_REDACT_SCAN_H
#define BWT_CORE_REDACT_SCAN_H

#include <string.h>

#include "core/buf.h"
#include "core/redact_names.h"

/* Positions are bytes of the input. Everything before `at` is decided; nothing is decided twice. */
typedef struct bwt_redact_scan {
    bwt_str text;
    bwt_buf *out;
    size_t copied; /* the input up to here has been written, masked or left out */
    size_t at;
    size_t name_from; /* where a name before the next '=' or ':' would begin */
    char name_mark;   /* the byte, decoded, that stands before it; NUL at the start of the input */
    size_t url_end;   /* at < url_end: inside an address */
    bool whole_url;   /* the input is one address, so that neither spaces nor quotes end it */
    bool in_query;    /* the '?' or '#' of the address has been passed */
    size_t cookie_until;   /* inside a Cookie header */
    size_t credentials_at; /* what follows the scheme of an Authorization header; 0: none */
    /* What a search found not to be there need not be searched for again: that is what keeps the pass linear. */
    size_t no_userinfo_until;
    size_t no_blob_until;
    size_t unclosed_until[4];
} bwt_redact_scan;

/* Replaces text[from .. to) by the marker and goes on at `to`. Masks come in order. */
void bwt_redact_mask(bwt_redact_scan *scan, size_t from, size_t to);
void bwt_redact_leave_out(bwt_redact_scan *scan, size_t from, size_t to);

static inline bool bwt_redact_in_url(const bwt_redact_scan *scan)
{
    return scan->at < scan->url_end;
}
static inline bool bwt_redact_one_of(char byte, const char *set)
{
    return byte != '\0' && strchr(set, byte) != NULL;
}
/* Whether one of the set stands at `at`. */
static inline bool bwt_redact_is_at(const bwt_redact_scan *scan, size_t at, const char *set)
{
    return at < scan->text.len && bwt_redact_one_of(scan->text.data[at], set);
}
static inline bwt_str bwt_redact_slice(const bwt_redact_scan *scan, size_t from, size_t to)
{
    return (bwt_str){scan->text.data + from, to - from};
}
/* Whether the input continues with the literal at `at`. */
bool bwt_redact_here(const bwt_redact_scan *scan, size_t at, bwt_str literal);
/* The end of text[from .. end) without trailing stops and without brackets that were opened before `from`: open is
 * the number of brackets opened less those closed in it. Never cuts into a marker. */
size_t bwt_redact_trim(bwt_str text, size_t from, size_t end, long open, const char *stops);

/* All below return whether they masked something; then scan->at has moved past it. */

/* redact_block.c: things that are secret as a block, at the start of the atom text[from .. to). */
bool bwt_redact_pem(bwt_redact_scan *scan, size_t from);
bool bwt_redact_base64_lines(bwt_redact_scan *scan, size_t from);
bool bwt_redact_hex(bwt_redact_scan *scan, size_t from, size_t to);
bool bwt_redact_base64(bwt_redact_scan *scan, size_t from, size_t to);

/* redact_value.c: the value of a name in running text, which begins at or after `from`; the words that announce a
 * secret without a separator. */
bool bwt_redact_text_value(bwt_redact_scan *scan, bwt_name_class name, char separator, size_t from);
bool bwt_redact_credentials(bwt_redact_scan *scan); /* at scan->credentials_at */
bool bwt_redact_cookie_value(bwt_redact_scan *scan, size_t from);
bool bwt_redact_tag_content(bwt_redact_scan *scan, size_t from);
bool bwt_redact_announced(bwt_redact_scan *scan, size_t from, size_t to);
bool bwt_redact_looks_secret(bwt_str value, size_t least);

/* redact_url.c: the value of a name in an address; an address itself. */
bool bwt_redact_url_value(bwt_redact_scan *scan, bwt_name_class name, bwt_redact_char separator);
/* At the ':' of "scheme://" or the first '/' of "//host". True when an address begins here: scan->at is then behind
 * the userinfo, which has been left out. */
bool bwt_redact_url_start(bwt_redact_scan *scan, bwt_redact_char colon);
bool bwt_redact_url_start_relative(bwt_redact_scan *scan);

#endif
