/* Strict UTF-8, code point classes, and normalisation whose cost stays linear on hostile input. */
#include "core/utf8.h"

#include <string.h>
#include <utf8proc.h>

#include "core/mem.h"
#include "core/text.h"

/* ---- decoding and encoding ---- */

int32_t bwt_utf8_decode(const char *text, size_t len, size_t *width)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char lead = p[0];
    *width = 1;
    if (lead < 0x80) return lead;
    /* The second byte's range is what shuts out overlong forms, surrogates and values above U+10FFFF. */
    unsigned char low = 0x80, high = 0xBF;
    size_t total;
    int32_t value;
    if (lead >= 0xC2 && lead <= 0xDF) {
        total = 2;
        value = lead & 0x1F;
    } else if ((lead & 0xF0) == 0xE0) {
        total = 3;
        value = lead & 0x0F;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        total = 4;
        value = lead & 0x07;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    } else {
        return BWT_UTF8_INVALID;
    }
    for (size_t i = 1; i < total; i++) {
        if (i >= len || p[i] < low || p[i] > high) {
            *width = i;
            return BWT_UTF8_INVALID;
        }
        value = (value << 6) | (p[i] & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    *width = total;
    return value;
}

size_t bwt_utf8_encode(int32_t code_point, char out[4])
{
    uint32_t c = (uint32_t)code_point;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t width = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = width - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    out[0] = (char)(lead[width] | c);
    return width;
}

/* Length of the ASCII run that starts at from. */
static size_t ascii_run(bwt_str text, size_t from)
{
    size_t at = from;
    for (; text.len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text.data + at, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0) break;
    }
    while (at < text.len && (unsigned char)text.data[at] < 0x80) at++;
    return at - from;
}

bool bwt_utf8_is_valid(bwt_str text)
{
    for (size_t at = ascii_run(text, 0); at < text.len; at += ascii_run(text, at)) {
        size_t width;
        if (bwt_utf8_decode(text.data + at, text.len - at, &width) < 0) return false;
        at += width;
    }
    return true;
}

size_t bwt_utf8_count(bwt_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len;) {
        size_t run = ascii_run(text, at);
        count += run;
        at += run;
        if (at == text.len) break;
        size_t width;
        bwt_utf8_decode(text.data + at, text.len - at, &width);
        at += width;
        count++;
    }
    return count;
}

size_t bwt_utf8_prefix(bwt_str text, int64_t max_chars)
{
    size_t at = 0;
    for (int64_t count = 0; count < max_chars && at < text.len; count++) {
        size_t width;
        bwt_utf8_decode(text.data + at, text.len - at, &width);
        at += width;
    }
    return at;
}

bool bwt_utf8_append_sanitized(bwt_buf *out, bwt_str text)
{
    size_t copied = 0;
    for (size_t at = ascii_run(text, 0); at < text.len; at += ascii_run(text, at)) {
        size_t width;
        bool valid = bwt_utf8_decode(text.data + at, text.len - at, &width) >= 0;
        /* A surrogate in its three-byte form is one lone code unit, so it leaves one mark. */
        const unsigned char *p = (const unsigned char *)text.data + at;
        if (!valid && p[0] == 0xED && text.len - at >= 3 && p[1] >= 0xA0 && p[1] <= 0xBF && (p[2] & 0xC0) == 0x80) {
            width = 3;
        }
        if (!valid) {
            bwt_buf_append(out, text.data + copied, at - copied);
            bwt_buf_append(out, "\xEF\xBF\xBD", 3);
            copied = at + width;
        }
        at += width;
    }
    return bwt_buf_append(out, text.data + copied, text.len - copied);
}

bwt_error bwt_utf8_sanitize(bwt_str text, bwt_text *out)
{
    bwt_buf buf;
    bwt_buf_init(&buf, BWT_BUF_NO_CAP);
    bwt_utf8_append_sanitized(&buf, text);
    bwt_error error = bwt_buf_take(&buf, out);
    bwt_buf_deinit(&buf);
    return error;
}

/* ---- classes of code points ---- */

typedef struct range {
    int32_t first, last;
} range;

static bool in_ranges(int32_t c, const range *ranges, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && c >= ranges[low].first;
}
#define IN_RANGES(c, ranges) in_ranges((c), (ranges), sizeof(ranges) / sizeof(ranges)[0])

bool bwt_unicode_is_white_space(int32_t c)
{
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    static const range white[] = {{0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                                  {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    return IN_RANGES(c, white);
}

bool bwt_unicode_is_control(int32_t c)
{
    return (c >= 0 && c < 0x20) || (c >= 0x7F && c <= 0x9F);
}

bool bwt_unicode_is_zero_width(int32_t c)
{
    if (c < 0xAD) return false;
    /* Format characters by category, but drawn: signs that enclose the digits after them. */
    static const range drawn[] = {{0x600, 0x605}, {0x6DD, 0x6DD},     {0x70F, 0x70F},    {0x890, 0x891},
                                  {0x8E2, 0x8E2}, {0x110BD, 0x110BD}, {0x110CD, 0x110CD}};
    const utf8proc_property_t *property = utf8proc_get_property(c);
    return property->ignorable || (property->category == UTF8PROC_CATEGORY_CF && !IN_RANGES(c, drawn));
}

bool bwt_unicode_is_word(int32_t c)
{
    if (c < 0x80) return c >= 0 && bwt_ascii_is_alnum((char)c);
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return true;
    default:
        return false;
    }
}

bool bwt_unicode_is_cjk(int32_t c)
{
    if (c < 0x1100) return false;
    static const range cjk[] = {
        {0x1100, 0x11FF}, {0x2E80, 0x2FDF}, {0x3005, 0x3007},   {0x3021, 0x3029},   {0x3038, 0x303B},
        {0x3041, 0x318F}, {0x31A0, 0x31BF}, {0x31F0, 0x31FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
        {0xA960, 0xA97F}, {0xAC00, 0xD7FF}, {0xF900, 0xFAFF},   {0xFF66, 0xFFDC},   {0x16FE0, 0x18AFF},
        {0x1AFF0, 0x1B16F}, {0x20000, 0x3FFFF},
    };
    return IN_RANGES(c, cjk);
}

bool bwt_unicode_is_unspaced(int32_t c)
{
    if (c < 0xE00) return false;
    static const range unspaced[] = {
        {0xE00, 0xEFF},   {0x1000, 0x109F}, {0x1780, 0x17FF}, {0x19E0, 0x19FF},   {0x2E80, 0x2FDF},
        {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3038, 0x303B}, {0x3041, 0x312F},   {0x31A0, 0x31BF},
        {0x31F0, 0x31FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA9E0, 0xA9FF},   {0xAA60, 0xAA7F},
        {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x1AFF0, 0x1B16F}, {0x20000, 0x3FFFF},
    };
    return IN_RANGES(c, unspaced);
}

/* ---- normalisation ---- */

typedef struct code_points {
    int32_t *data;
    size_t len;
    size_t capacity;
} code_points;

enum { MOST_FROM_ONE = 32 }; /* the longest decomposition, U+FDFA, has 18 */

static bool append_decomposed(code_points *out, int32_t c, utf8proc_option_t options)
{
    if (out->capacity - out->len < MOST_FROM_ONE) {
        size_t capacity = out->capacity < 2 * MOST_FROM_ONE ? 4 * MOST_FROM_ONE : 2 * out->capacity;
        int32_t *data = bwt_realloc_array(out->data, capacity, sizeof *data);
        if (data == NULL) return false;
        out->data = data;
        out->capacity = capacity;
    }
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(c, out->data + out->len, MOST_FROM_ONE, options, &boundary);
    if (count > 0 && count <= MOST_FROM_ONE) out->len += (size_t)count;
    return true;
}

static utf8proc_propval_t combining_class(int32_t c)
{
    return c < 0x300 ? 0 : utf8proc_get_property(c)->combining_class;
}

/* Stable insertion sort; only for runs short enough that its square does not matter. */
static void order_short_run(int32_t *run, size_t len)
{
    for (size_t i = 1; i < len; i++) {
        int32_t c = run[i];
        utf8proc_propval_t class = combining_class(c);
        size_t at = i;
        for (; at > 0 && combining_class(run[at - 1]) > class; at--) run[at] = run[at - 1];
        run[at] = c;
    }
}

/* Stable counting sort by class: linear, so that a megabyte of accents costs no more than a megabyte of letters. */
static bool order_long_run(int32_t *run, size_t len)
{
    size_t starts[257] = {0};
    for (size_t i = 0; i < len; i++) starts[combining_class(run[i]) + 1]++;
    for (size_t class = 1; class < 257; class++) starts[class] += starts[class - 1];
    int32_t *sorted = bwt_alloc_array(len, sizeof *sorted);
    if (sorted == NULL) return false;
    for (size_t i = 0; i < len; i++) sorted[starts[combining_class(run[i])]++] = run[i];
    memcpy(run, sorted, len * sizeof *run);
    bwt_free(sorted);
    return true;
}

static bool order_canonically(code_points *text)
{
    for (size_t at = 0; at < text->len;) {
        if (combining_class(text->data[at]) == 0) {
            at++;
            continue;
        }
        size_t end = at + 1;
        while (end < text->len && combining_class(text->data[end]) != 0) end++;
        if (end - at <= 32) {
            order_short_run(text->data + at, end - at);
        } else if (!order_long_run(text->data + at, end - at)) {
            return false;
        }
        at = end;
    }
    return true;
}

/* Appends the normalised form of text and forgets what scratch held before. */
static bool append_normalised(bwt_buf *out, bwt_str text, utf8proc_option_t options, code_points *scratch)
{
    scratch->len = 0;
    for (size_t at = 0; at < text.len;) {
        size_t width;
        int32_t c = bwt_utf8_decode(text.data + at, text.len - at, &width);
        if (c < 0) c = 0xFFFD;
        if (!append_decomposed(scratch, c, options)) return false;
        at += width;
    }
    if (!order_canonically(scratch)) return false;
    utf8proc_ssize_t len = utf8proc_normalize_utf32(scratch->data, (utf8proc_ssize_t)scratch->len, options);
    for (utf8proc_ssize_t i = 0; i < len; i++) {
        char bytes[4];
        bwt_buf_append(out, bytes, bwt_utf8_encode(scratch->data[i], bytes));
    }
    return !out->failed;
}

bwt_error bwt_utf8_nfc(bwt_str text, bwt_text *out)
{
    bwt_buf buf;
    code_points scratch = {0};
    bwt_buf_init(&buf, BWT_BUF_NO_CAP);
    /* Below U+0300 (lead byte 0xCC) nothing decomposes into or composes with anything present. */
    bool plain = true;
    for (size_t i = 0; plain && i < text.len; i++) plain = (unsigned char)text.data[i] < 0xCC;
    bool done = plain ? bwt_buf_append_str(&buf, text)
                      : append_normalised(&buf, text, UTF8PROC_COMPOSE | UTF8PROC_STABLE, &scratch);
    bwt_error error = done ? bwt_buf_take(&buf, out) : BWT_ERR_NO_MEMORY;
    bwt_free(scratch.data);
    bwt_buf_deinit(&buf);
    return error;
}

/* ---- case folding ---- */

/* Letters whose NFKC case folding is one known code point that composes only with a mark after it: they skip the
 * tables, which are what makes folding slow. */
typedef enum fold_rule { SAME, ADD, PAIR_FROM_EVEN, PAIR_FROM_ODD } fold_rule;
static const struct {
    int32_t first, last;
    fold_rule rule;
    int32_t delta;
} inert[] = {
    {0xA1, 0xA7, SAME, 0},
    {0xA9, 0xA9, SAME, 0},
    {0xAB, 0xAC, SAME, 0},
    {0xAE, 0xAE, SAME, 0},
    {0xB0, 0xB1, SAME, 0},
    {0xB6, 0xB7, SAME, 0},
    {0xBB, 0xBB, SAME, 0},
    {0xBF, 0xBF, SAME, 0},
    {0xC0, 0xD6, ADD, 32}, /* Latin */
    {0xD7, 0xD7, SAME, 0},
    {0xD8, 0xDE, ADD, 32},
    {0xE0, 0xFF, SAME, 0},
    {0x100, 0x12F, PAIR_FROM_EVEN, 0},
    {0x134, 0x137, PAIR_FROM_EVEN, 0},
    {0x139, 0x13E, PAIR_FROM_ODD, 0},
    {0x141, 0x148, PAIR_FROM_ODD, 0},
    {0x14A, 0x177, PAIR_FROM_EVEN, 0},
    {0x179, 0x17E, PAIR_FROM_ODD, 0},
    {0x391, 0x3A1, ADD, 32}, /* Greek; the final sigma and the accented capitals are left to the tables */
    {0x3A3, 0x3A9, ADD, 32},
    {0x3AC, 0x3AF, SAME, 0},
    {0x3B1, 0x3C1, SAME, 0},
    {0x3C3, 0x3CE, SAME, 0},
    {0x400, 0x40F, ADD, 80}, /* Cyrillic */
    {0x410, 0x42F, ADD, 32},
    {0x430, 0x45F, SAME, 0},
    {0x5D0, 0x5EA, SAME, 0}, /* Hebrew, Arabic, Devanagari, Thai */
    {0x621, 0x63A, SAME, 0},
    {0x641, 0x64A, SAME, 0},
    {0x905, 0x928, SAME, 0},
    {0xE01, 0xE30, SAME, 0},
    {0xE40, 0xE46, SAME, 0},
    {0x2013, 0x2014, SAME, 0}, /* dashes and quotation marks */
    {0x2018, 0x201E, SAME, 0},
    {0x3001, 0x3003, SAME, 0}, /* CJK punctuation, Kana, Han, Hangul */
    {0x3008, 0x3011, SAME, 0},
    {0x3041, 0x3096, SAME, 0},
    {0x30A1, 0x30FC, SAME, 0},
    {0x3400, 0x4DBF, SAME, 0},
    {0x4E00, 0x9FFF, SAME, 0},
    {0xAC00, 0xD7A3, SAME, 0},
};

/* The folded form, or -1 when the tables have to say. */
static int32_t fold_inert(int32_t c)
{
    size_t low = 0, high = sizeof inert / sizeof inert[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > inert[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sizeof inert / sizeof inert[0] || c < inert[low].first) return -1;
    switch (inert[low].rule) {
    case ADD:
        return c + inert[low].delta;
    case PAIR_FROM_EVEN:
        return c | 1;
    case PAIR_FROM_ODD:
        return c + (c & 1);
    default:
        return c;
    }
}

/* Decodes the character at `at` and folds it if it is inert, else *folded is -1. */
static size_t fold_at(bwt_str text, size_t at, int32_t *folded)
{
    size_t width;
    int32_t c = bwt_utf8_decode(text.data + at, text.len - at, &width);
    *folded = c < 0x80 ? c : fold_inert(c);
    if (c >= 'A' && c <= 'Z') *folded = c + 32;
    return width;
}

/* From `at`, an inert character or not, to the first inert character that another inert one or the end follows. */
static size_t end_of_tangle(bwt_str text, size_t at)
{
    int32_t folded;
    at += fold_at(text, at, &folded);
    while (at < text.len) {
        size_t width = fold_at(text, at, &folded);
        if (folded >= 0) {
            int32_t after = 0;
            if (at + width < text.len) fold_at(text, at + width, &after);
            if (after >= 0) break;
        }
        at += width;
    }
    return at;
}

bool bwt_utf8_append_nfkc_casefold(bwt_buf *out, bwt_str text)
{
    const utf8proc_option_t options =
        UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE | UTF8PROC_STABLE;
    code_points scratch = {0};
    bool done = bwt_buf_reserve(out, text.len);
    for (size_t at = 0; done && at < text.len;) {
        size_t run = ascii_run(text, at);
        /* The last letter of the run may be the base of a mark that follows. */
        if (at + run < text.len && run > 0) run--;
        if (run > 0) {
            size_t from = out->len;
            done = bwt_buf_append(out, text.data + at, run);
            for (size_t i = from; i < out->len; i++) out->data[i] = bwt_ascii_lower(out->data[i]);
            at += run;
            continue;
        }
        int32_t folded, after = 0;
        size_t width = fold_at(text, at, &folded);
        if (at + width < text.len) fold_at(text, at + width, &after);
        if (folded >= 0 && after >= 0) {
            char bytes[4];
            done = bwt_buf_append(out, bytes, bwt_utf8_encode(folded, bytes));
            at += width;
        } else {
            size_t end = end_of_tangle(text, at);
            done = append_normalised(out, (bwt_str){text.data + at, end - at}, options, &scratch);
            at = end;
        }
    }
    bwt_free(scratch.data);
    return done;
}

bwt_error bwt_utf8_nfkc_casefold(bwt_str text, bwt_text *out)
{
    bwt_buf buf;
    bwt_buf_init(&buf, BWT_BUF_NO_CAP);
    bwt_error error = bwt_utf8_append_nfkc_casefold(&buf, text) ? bwt_buf_take(&buf, out) : BWT_ERR_NO_MEMORY;
    bwt_buf_deinit(&buf);
    return error;
}
