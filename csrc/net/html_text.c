/* One pass over an HTML fragment; the names of characters come from libxml2. */
#include "net/html_text.h"

#include <libxml/HTMLparser.h>
#include <string.h>

#include "core/text.h"
#include "core/utf8.h"

enum { NO_BREAK_SPACE = 0xA0, REPLACEMENT = 0xFFFD, MAX_CODE_POINT = 0x10FFFF };

/* ---- white space ---- */

/* Writes without asking for room: folding and decoding never make a text longer than it was written. */
typedef struct writer {
    char *start;
    char *at;
    bool space_due;
} writer;

static bool writer_open(writer *to, bwt_buf *out, size_t longest)
{
    *to = (writer){0};
    if (out->failed || longest > out->cap - out->len || !bwt_buf_reserve(out, longest)) {
        out->failed = true;
        return false;
    }
    to->start = to->at = out->data + out->len;
    return true;
}

static bool writer_close(const writer *to, bwt_buf *out)
{
    *to->at = '\0';
    out->len += (size_t)(to->at - to->start);
    return true;
}

static void open_word(writer *to)
{
    if (to->space_due && to->at > to->start) *to->at++ = ' ';
    to->space_due = false;
}

static void put_byte(writer *to, char byte)
{
    open_word(to);
    *to->at++ = byte;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Bytes that end a run of plain text: white space, '&', '<', and the lead byte of the no-break space. */
static const bool ends_run[256] = {['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true,
                                   [' '] = true,  ['&'] = true,  ['<'] = true,  [0xC2] = true};

/* Copies a run of plain text and the white space behind it; returns the bytes used, 0 at '&' and '<'. */
static size_t put_run(writer *to, bwt_str text)
{
    size_t at = 0;
    while (at < text.len && !ends_run[(unsigned char)text.data[at]]) at++;
    if (at > 0) {
        open_word(to);
        memcpy(to->at, text.data, at);
        to->at += at;
    }
    if (at == text.len) return at;
    if (is_space(text.data[at])) {
        to->space_due = true;
        return at + 1;
    }
    if (text.data[at] != '\xC2') return at;
    if (text.len - at >= 2 && text.data[at + 1] == '\xA0') {
        to->space_due = true;
        return at + 2;
    }
    put_byte(to, text.data[at]);
    return at + 1;
}

static void put_code_point(writer *to, int32_t code_point)
{
    char bytes[4];
    if (code_point == NO_BREAK_SPACE || (code_point <= ' ' && is_space((char)code_point))) {
        to->space_due = true;
        return;
    }
    open_word(to);
    size_t len = bwt_utf8_encode(code_point, bytes);
    memcpy(to->at, bytes, len);
    to->at += len;
}

bool bwt_space_text_append(bwt_buf *out, bwt_str text)
{
    writer to;
    if (!writer_open(&to, out, text.len)) return false;
    while (text.len > 0) {
        size_t used = put_run(&to, text);
        if (used == 0) {
            put_byte(&to, text.data[0]);
            used = 1;
        }
        text.data += used;
        text.len -= used;
    }
    return writer_close(&to, out);
}

/* ---- references ---- */

/* Numbers 128 to 159 mean Windows-1252, as every browser reads them; 0 = that place is undefined there. */
static int32_t repair_code_point(uint32_t number)
{
    static const uint16_t windows_1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                              0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                              0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                              0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    if (number >= 0x80 && number < 0xA0 && windows_1252[number - 0x80] != 0) return windows_1252[number - 0x80];
    if (number == 0 || number > MAX_CODE_POINT || (number >= 0xD800 && number <= 0xDFFF)) return REPLACEMENT;
    return (int32_t)number;
}

/* "&#39;" or "&#x27;" at the start of text. Returns its length, 0 when it is none. */
static size_t read_number(bwt_str text, int32_t *code_point)
{
    size_t at = 2;
    bool hex = text.len > 2 && bwt_ascii_lower(text.data[2]) == 'x';
    if (hex) at++;
    size_t first = at;
    uint32_t number = 0;
    for (; at < text.len; at++) {
        int digit = hex                                 ? bwt_ascii_hex_value(text.data[at])
                    : bwt_ascii_is_digit(text.data[at]) ? text.data[at] - '0'
                                                        : -1;
        if (digit < 0) break;
        if (number <= MAX_CODE_POINT) number = number * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (at == first) return 0;
    *code_point = repair_code_point(number);
    return at < text.len && text.data[at] == ';' ? at + 1 : at;
}

/* The names that make up nearly every reference in real text; the library searches its table from the start. */
static int32_t common_name(bwt_str name)
{
    static const struct {
        bwt_str name;
        int32_t code_point;
    } common[] = {{{"amp", 3}, '&'},  {{"lt", 2}, '<'},    {{"gt", 2}, '>'},
                  {{"quot", 4}, '"'}, {{"apos", 4}, '\''}, {{"nbsp", 4}, NO_BREAK_SPACE}};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (name.data[0] == common[i].name.data[0] && bwt_str_equal(name, common[i].name)) return common[i].code_point;
    }
    return 0;
}

/* "&eacute;" at the start of text; the semicolon is asked for, or the "&copy=1" of an address would be one. */
static size_t read_name(bwt_str text, size_t *lookups_left, int32_t *code_point)
{
    char name[16];
    size_t len = 0;
    while (len + 1 < text.len && len < sizeof name - 1 && bwt_ascii_is_alnum(text.data[len + 1])) {
        name[len] = text.data[len + 1];
        len++;
    }
    if (len == 0 || len + 1 >= text.len || text.data[len + 1] != ';') return 0;
    name[len] = '\0';
    *code_point = common_name((bwt_str){name, len});
    if (*code_point != 0) return len + 2;
    if (*lookups_left == 0) return 0;
    --*lookups_left;
    const htmlEntityDesc *entity = htmlEntityLookup((const xmlChar *)name);
    if (entity == NULL) return 0;
    *code_point = repair_code_point(entity->value);
    return len + 2;
}

static size_t put_reference(writer *to, bwt_str text, size_t *lookups_left)
{
    int32_t code_point = 0;
    size_t used = text.len > 1 && text.data[1] == '#' ? read_number(text, &code_point)
                                                      : read_name(text, lookups_left, &code_point);
    if (used > 0) {
        put_code_point(to, code_point);
        return used;
    }
    put_byte(to, '&');
    return 1;
}

/* ---- tags ---- */

static bool is_any_of(bwt_str name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (bwt_str_equal(name, bwt_str_c(*names))) return true;
    }
    return false;
}

/* Whether words on both sides of the element's tag are separate. Prefixes as in "jats:p" are passed over. */
static bool parts_words(bwt_str name)
{
    static const char *const b[] = {"br", "blockquote", NULL};
    static const char *const d[] = {"div", "dl", "dt", "dd", NULL};
    static const char *const h[] = {"h1", "h2", "h3", "h4", "h5", "h6", "hr", NULL};
    static const char *const o[] = {"ol", "option", NULL};
    static const char *const s[] = {"section", "sec", NULL};
    static const char *const t[] = {"td", "tr", "th", "table", "title", NULL};
    if (name.len < 2) return name.len == 1 && name.data[0] == 'p'; /* i, b, u, a, q: inside a line */
    switch (name.data[0]) {
    case 'a':
        return bwt_str_equal(name, BWT_STR("article"));
    case 'b':
        return is_any_of(name, b);
    case 'd':
        return is_any_of(name, d);
    case 'h':
        return is_any_of(name, h);
    case 'l':
        return bwt_str_equal(name, BWT_STR("li"));
    case 'o':
        return is_any_of(name, o);
    case 'p':
        return bwt_str_equal(name, BWT_STR("pre"));
    case 's':
        return is_any_of(name, s);
    case 't':
        return is_any_of(name, t);
    case 'u':
        return bwt_str_equal(name, BWT_STR("ul"));
    default:
        return false;
    }
}

static bool begins_tag(bwt_str text)
{
    if (text.len < 2) return false;
    char next = text.data[1];
    if (next == '/') return text.len > 2 && bwt_ascii_is_alpha(text.data[2]);
    return bwt_ascii_is_alpha(next) || next == '!' || next == '?';
}

/* Bytes up to and with the end of the tag at the start of text; all of it when the tag never ends. */
static size_t tag_length(bwt_str text)
{
    size_t end;
    if (text.data[1] == '!' && bwt_str_starts_with(text, BWT_STR("<!--"))) {
        bwt_str inside = {text.data + 4, text.len - 4};
        return bwt_str_find(inside, BWT_STR("-->"), &end) ? end + 7 : text.len;
    }
    char quote = '\0';
    for (size_t at = 1; at < text.len; at++) {
        char c = text.data[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '>') {
            return at + 1;
        } else if ((c == '"' || c == '\'') && text.data[at - 1] == '=') {
            quote = c;
        }
    }
    return text.len;
}

static size_t pass_tag(writer *to, bwt_str text)
{
    char name[12];
    size_t len = 0;
    for (size_t at = text.data[1] == '/' ? 2 : 1; at < text.len && len < sizeof name; at++) {
        char c = text.data[at];
        if (c == ':') {
            len = 0;
        } else if (bwt_ascii_is_alnum(c)) {
            name[len++] = bwt_ascii_lower(c);
        } else {
            break;
        }
    }
    if (parts_words((bwt_str){name, len})) to->space_due = true;
    return tag_length(text);
}

bool bwt_html_text_append(bwt_buf *out, bwt_str html, size_t *lookups_left)
{
    writer to;
    if (!writer_open(&to, out, html.len)) return false;
    while (html.len > 0) {
        size_t used = put_run(&to, html);
        if (used == 0) {
            if (html.data[0] == '&') {
                used = put_reference(&to, html, lookups_left);
            } else if (begins_tag(html)) {
                used = pass_tag(&to, html);
            } else {
                put_byte(&to, '<');
                used = 1;
            }
        }
        html.data += used;
        html.len -= used;
    }
    return writer_close(&to, out);
}
