/* A growing byte buffer with a cap from birth. */
#ifndef BWT_CORE_BUF_H
#define BWT_CORE_BUF_H

#include "bwt.h"

/* data[len] is always a readable NUL once anything was reserved. failed stays set after the first append that
 * found no memory or passed the cap, so a writer may append freely and ask once at the end. */
typedef struct bwt_buf {
    char *data;
    size_t len;
    size_t capacity;
    size_t cap; /* len never exceeds it */
    bool failed;
} bwt_buf;

#define BWT_BUF_NO_CAP ((size_t)PTRDIFF_MAX / 2)

void bwt_buf_init(bwt_buf *buf, size_t cap);
void bwt_buf_deinit(bwt_buf *buf);
void bwt_buf_clear(bwt_buf *buf); /* keeps the memory, resets failed */
/* Room for at least extra bytes (not counted against the cap) behind len, plus the NUL. */
bool bwt_buf_reserve(bwt_buf *buf, size_t extra);
bool bwt_buf_append(bwt_buf *buf, const char *data, size_t len);
bool bwt_buf_append_str(bwt_buf *buf, bwt_str text);
bool bwt_buf_append_c(bwt_buf *buf, const char *text); /* NUL-terminated */
bool bwt_buf_append_char(bwt_buf *buf, char byte);
bool bwt_buf_append_int(bwt_buf *buf, int64_t value);
bwt_str bwt_buf_str(const bwt_buf *buf);
/* Moves the content out; the buffer is empty afterwards. BWT_ERR_NO_MEMORY if failed or nothing can be had. */
bwt_error bwt_buf_take(bwt_buf *buf, bwt_text *out);

#endif
