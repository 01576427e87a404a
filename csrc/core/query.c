/* What must be true of a query before anything is dialled, judged in the contract's order. */
#include "core/query.h"

#include <string.h>

#include "core/redact.h"
#include "core/utf8.h"

/* Composition never makes less than one code point out of four (U+1F82 is the longest that composes). */
enum { MOST_COMPOSED_INTO_ONE = 4 };

typedef struct survey {
    uint64_t folded_chars; /* code points once white space is folded */
    size_t folded_bytes;
    bool malformed; /* invalid UTF-8 or a control character; the counts stop there */
    bool visible;   /* something that is neither white nor zero-width */
} survey;

/* How many bytes from here are printable ASCII other than space. */
static size_t plain_run(bwt_str text, size_t from)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    size_t at = from;
    for (; text.len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text.data + at, sizeof word);
        /* The top bit of a byte is set in word if it is >= 0x80; in the sum if it is DEL; it stays clear in the
         * difference if it is >= 0x21. A borrow or carry only comes from a byte that stops us anyway. */
        if (((word | (word + ones) | (word - 0x21 * ones)) & tops) != 0) break;
    }
    while (at < text.len && text.data[at] > ' ' && (unsigned char)text.data[at] < 0x7F) at++;
    return at - from;
}

static survey survey_query(bwt_str raw)
{
    survey seen = {0};
    bool gap = false;
    for (size_t at = 0; at < raw.len;) {
        size_t width = plain_run(raw, at);
        size_t chars = width;
        if (width == 0) {
            int32_t c = bwt_utf8_decode(raw.data + at, raw.len - at, &width);
            if (c >= 0 && bwt_unicode_is_white_space(c)) {
                gap = seen.folded_chars > 0;
                at += width;
                continue;
            }
            if (c < 0 || bwt_unicode_is_control(c)) {
                seen.malformed = true;
                return seen;
            }
            chars = 1;
            if (!seen.visible) seen.visible = !bwt_unicode_is_zero_width(c);
        } else {
            seen.visible = true;
        }
        seen.folded_chars += chars + gap;
        seen.folded_bytes += width + gap;
        gap = false;
        at += width;
    }
    return seen;
}

/* The caller has surveyed raw, so it is valid and free of other control characters. */
static void append_folded(bwt_buf *out, bwt_str raw)
{
    bool gap = false;
    for (size_t at = 0; at < raw.len;) {
        size_t width = plain_run(raw, at);
        if (width == 0 && bwt_unicode_is_white_space(bwt_utf8_decode(raw.data + at, raw.len - at, &width))) {
            gap = out->len > 0;
        } else {
            if (gap) bwt_buf_append_char(out, ' ');
            gap = false;
            bwt_buf_append(out, raw.data + at, width);
        }
        at += width;
    }
}

bwt_error bwt_query_prepare(const bwt_policy *policy, bwt_str raw, bwt_text *out, bwt_policy_reason *reason)
{
    uint64_t max_chars = (uint64_t)policy->max_query_chars;
    survey seen = survey_query(raw);
    if (seen.malformed) {
        *reason = BWT_POLICY_REASON_MALFORMED_QUERY;
        return BWT_OK;
    }
    if (!seen.visible) {
        *reason = BWT_POLICY_REASON_EMPTY_QUERY;
        return BWT_OK;
    }
    /* Refused before it costs memory: a query of megabytes is answered in the time of one scan. */
    if (seen.folded_chars / MOST_COMPOSED_INTO_ONE > max_chars) {
        *reason = BWT_POLICY_REASON_QUERY_TOO_LONG;
        return BWT_OK;
    }
    bwt_buf folded;
    bwt_buf_init(&folded, seen.folded_bytes);
    append_folded(&folded, raw);
    bwt_text query;
    bwt_error error = folded.failed ? BWT_ERR_NO_MEMORY : bwt_utf8_nfc(bwt_buf_str(&folded), &query);
    bwt_buf_deinit(&folded);
    if (error != BWT_OK) return error;
    bwt_str view = {query.data, query.len};
    if (bwt_utf8_count(view) > max_chars) {
        *reason = BWT_POLICY_REASON_QUERY_TOO_LONG;
    } else if (policy->refuse_secrets_in_query && bwt_redact_has_prefix_secret(view)) {
        *reason = BWT_POLICY_REASON_SECRET_IN_QUERY;
    } else {
        *reason = BWT_POLICY_REASON_NONE;
        *out = query;
        return BWT_OK;
    }
    bwt_text_free(&query);
    return BWT_OK;
}
