/* What is kept of an answer's header, read line by line. */
#ifndef BWT_NET_HEAD_H
#define BWT_NET_HEAD_H

#include "core/buf.h"

enum { BWT_MAX_HEAD_BYTES = 64 * 1024 /* of all header lines of one answer, interim answers included */ };

/* A short header value; one that does not fit is cut. */
typedef struct bwt_head_value {
    size_t len;
    char text[120];
} bwt_head_value;

typedef struct bwt_head {
    size_t bytes;
    bool ended; /* the empty line came: what follows are trailers or another answer */
    int64_t content_length; /* -1 = not given */
    bwt_head_value content_type;
    bwt_head_value retry_after;
    bwt_head_value date;
    bwt_buf location; /* len 0 = not given */
} bwt_head;

void bwt_head_init(bwt_head *head);
void bwt_head_deinit(bwt_head *head);
void bwt_head_reset(bwt_head *head); /* keeps the memory */

typedef enum bwt_head_verdict { BWT_HEAD_OK, BWT_HEAD_INVALID, BWT_HEAD_NO_MEMORY } bwt_head_verdict;
/* One line as libcurl delivers it. A status line starts afresh; trailers are ignored. Invalid: too many bytes, or two
 * lengths that differ, which libcurl accepts and which is how answers are smuggled. */
bwt_head_verdict bwt_head_line(bwt_head *head, bwt_str line);

/* The wait that Retry-After names, against the answer's own Date where it has one: -1 = none. */
int64_t bwt_head_retry_after_ms(const bwt_head *head);

#endif
