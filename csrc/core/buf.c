/* Growth by doubling, never past the cap. */
#include "core/buf.h"

#include <string.h>

#include "core/mem.h"

enum { FIRST_CAPACITY = 64 };

void bwt_buf_init(bwt_buf *buf, size_t cap)
{
    *buf = (bwt_buf){.cap = cap < BWT_BUF_NO_CAP ? cap : BWT_BUF_NO_CAP};
}

void bwt_buf_deinit(bwt_buf *buf)
{
    bwt_free(buf->data);
    bwt_buf_init(buf, buf->cap);
}

void bwt_buf_clear(bwt_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data != NULL) buf->data[0] = '\0';
}

/* Makes room for wanted bytes in all, plus the NUL. */
static bool grow(bwt_buf *buf, size_t wanted)
{
    if (buf->data != NULL && wanted < buf->capacity) return true;
    size_t capacity = buf->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : buf->capacity;
    while (capacity <= wanted) capacity *= 2;
    char *data = bwt_realloc_array(buf->data, capacity, 1);
    if (data == NULL) return false;
    buf->data = data;
    buf->capacity = capacity;
    buf->data[buf->len] = '\0';
    return true;
}

bool bwt_buf_reserve(bwt_buf *buf, size_t extra)
{
    if (extra > BWT_BUF_NO_CAP - buf->len || !grow(buf, buf->len + extra)) {
        buf->failed = true;
        return false;
    }
    return true;
}

bool bwt_buf_append(bwt_buf *buf, const char *data, size_t len)
{
    if (buf->failed) return false;
    if (len > buf->cap - buf->len || !grow(buf, buf->len + len)) {
        buf->failed = true;
        return false;
    }
    if (len > 0) memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
    return true;
}

bool bwt_buf_append_str(bwt_buf *buf, bwt_str text)
{
    return bwt_buf_append(buf, text.data, text.len);
}

bool bwt_buf_append_c(bwt_buf *buf, const char *text)
{
    return bwt_buf_append(buf, text, strlen(text));
}

bool bwt_buf_append_char(bwt_buf *buf, char byte)
{
    return bwt_buf_append(buf, &byte, 1);
}

bool bwt_buf_append_int(bwt_buf *buf, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + (char)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value < 0) digits[--at] = '-';
    return bwt_buf_append(buf, digits + at, sizeof digits - at);
}

bwt_str bwt_buf_str(const bwt_buf *buf)
{
    return (bwt_str){buf->data != NULL ? buf->data : "", buf->len};
}

bwt_error bwt_buf_take(bwt_buf *buf, bwt_text *out)
{
    if (buf->failed || !grow(buf, buf->len)) return BWT_ERR_NO_MEMORY;
    *out = (bwt_text){buf->data, buf->len};
    bwt_buf_init(buf, buf->cap);
    return BWT_OK;
}
