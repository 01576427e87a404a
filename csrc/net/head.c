/* Reads the few header fields that matter; libcurl's own Retry-After misreads several forms. */
#include "net/head.h"

#include <curl/curl.h>
#include <string.h>

#include "core/text.h"
#include "net/monotime.h"

enum { SHORTEST_DATE = 24 /* "Sun Nov  6 08:49:37 1994": anything shorter is not a date */ };

void bwt_head_init(bwt_head *head)
{
    *head = (bwt_head){.content_length = -1};
    bwt_buf_init(&head->location, BWT_MAX_HEAD_BYTES);
}

void bwt_head_deinit(bwt_head *head)
{
    bwt_buf_deinit(&head->location);
}

/* Forgets the fields but not the byte count, which spans interim answers. */
static void start_answer(bwt_head *head)
{
    head->ended = false;
    head->content_length = -1;
    head->content_type.len = head->retry_after.len = head->date.len = 0;
    bwt_buf_clear(&head->location);
}

void bwt_head_reset(bwt_head *head)
{
    start_answer(head);
    head->bytes = 0;
}

static void keep(bwt_head_value *value, bwt_str text)
{
    value->len = text.len < sizeof value->text ? text.len : sizeof value->text;
    memcpy(value->text, text.data, value->len);
}

/* libcurl has already refused what is no number. */
static bwt_head_verdict take_length(bwt_head *head, bwt_str text)
{
    int64_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!bwt_ascii_is_digit(text.data[i])) return BWT_HEAD_INVALID;
        if (__builtin_mul_overflow(length, 10, &length)) return BWT_HEAD_INVALID;
        if (__builtin_add_overflow(length, text.data[i] - '0', &length)) return BWT_HEAD_INVALID;
    }
    if (text.len == 0 || (head->content_length >= 0 && head->content_length != length)) return BWT_HEAD_INVALID;
    head->content_length = length;
    return BWT_HEAD_OK;
}

static bwt_head_verdict take_field(bwt_head *head, bwt_str name, bwt_str value)
{
    if (bwt_str_equal_ascii_case(name, BWT_STR("content-length"))) return take_length(head, value);
    if (bwt_str_equal_ascii_case(name, BWT_STR("content-type"))) {
        keep(&head->content_type, value);
    } else if (bwt_str_equal_ascii_case(name, BWT_STR("retry-after"))) {
        keep(&head->retry_after, value);
    } else if (bwt_str_equal_ascii_case(name, BWT_STR("date"))) {
        keep(&head->date, value);
    } else if (bwt_str_equal_ascii_case(name, BWT_STR("location"))) {
        bwt_buf_clear(&head->location);
        if (!bwt_buf_append_str(&head->location, value)) return BWT_HEAD_NO_MEMORY;
    }
    return BWT_HEAD_OK;
}

bwt_head_verdict bwt_head_line(bwt_head *head, bwt_str line)
{
    head->bytes += line.len;
    if (head->bytes > BWT_MAX_HEAD_BYTES) return BWT_HEAD_INVALID;
    if (bwt_str_starts_with(line, BWT_STR("HTTP/"))) {
        start_answer(head);
        return BWT_HEAD_OK;
    }
    if (head->ended) return BWT_HEAD_OK;
    line = bwt_str_trim_ascii(line);
    if (line.len == 0) {
        head->ended = true;
        return BWT_HEAD_OK;
    }
    size_t colon;
    if (!bwt_str_find(line, BWT_STR(":"), &colon)) return BWT_HEAD_OK;
    bwt_str name = {line.data, colon};
    bwt_str value = {line.data + colon + 1, line.len - colon - 1};
    return take_field(head, name, bwt_str_trim_ascii(value));
}

static int64_t answered_at_unix_s(const bwt_head *head)
{
    char text[sizeof head->date.text + 1];
    memcpy(text, head->date.text, head->date.len);
    text[head->date.len] = '\0';
    time_t date = head->date.len >= SHORTEST_DATE ? curl_getdate(text, NULL) : -1;
    return date >= 0 ? (int64_t)date : bwt_unix_time_s();
}

int64_t bwt_head_retry_after_ms(const bwt_head *head)
{
    if (head->retry_after.len == 0) return -1;
    return bwt_retry_after_ms((bwt_str){head->retry_after.text, head->retry_after.len}, answered_at_unix_s(head));
}
