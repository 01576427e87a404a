/* The redaction pass: one walk over the input that hands each trigger to the file that knows it. */
#include "core/redact_scan.h"

#include "core/redact.h"
#include "core/redact_kinds.h"
#include "core/text.h"

enum { SHORTEST_KIND = 15 };

void bwt_redact_leave_out(bwt_redact_scan *scan, size_t from, size_t to)
{
    bwt_buf_append(scan->out, scan->text.data + scan->copied, from - scan->copied);
    scan->copied = to;
}

void bwt_redact_mask(bwt_redact_scan *scan, size_t from, size_t to)
{
    bwt_redact_leave_out(scan, from, to);
    bwt_buf_append_str(scan->out, BWT_STR(BWT_REDACTED));
    scan->at = to;
}

bool bwt_redact_here(const bwt_redact_scan *scan, size_t at, bwt_str literal)
{
    return scan->text.len - at >= literal.len && memcmp(scan->text.data + at, literal.data, literal.len) == 0;
}

static bool marker_before(bwt_str text, size_t end)
{
    const bwt_str marker = BWT_STR(BWT_REDACTED);
    return end >= marker.len && memcmp(text.data + end - marker.len, marker.data, marker.len) == 0;
}

size_t bwt_redact_trim(bwt_str text, size_t from, size_t end, long open, const char *stops)
{
    /* What an earlier pass has masked ended there: whatever it held no longer balances the brackets. */
    size_t tail = end;
    while (tail > from && !marker_before(text, tail) &&
           (bwt_redact_one_of(text.data[tail - 1], ")]}") || bwt_redact_one_of(text.data[tail - 1], stops))) {
        tail--;
    }
    if (marker_before(text, tail)) return tail > from ? tail : end;
    while (end > tail) {
        if (!bwt_redact_one_of(text.data[end - 1], stops)) {
            if (open >= 0) break;
            open++;
        }
        end--;
    }
    return end;
}

/* Kinds are tried where their length, or the mark that follows a short first part, allows one. */
static bool may_be_kind(bwt_str text, size_t from, size_t to)
{
    if (to - from >= SHORTEST_KIND) return true;
    return to + 1 < text.len && bwt_redact_one_of(text.data[to], ".~:/$%") &&
           (bwt_redact_is_atom((unsigned char)text.data[to + 1]) || text.data[to] == '/' || text.data[to] == '.');
}

/* Where a kind would begin: behind the letter of an escape such as \n and behind leading dashes. */
static size_t kind_start(bwt_str text, size_t from, size_t to)
{
    if (from > 0 && text.data[from - 1] == '\\' && bwt_redact_one_of(text.data[from], "nrt")) from++;
    while (from < to && text.data[from] == '-') from++;
    return from;
}

static size_t atom_end(bwt_str text, size_t from)
{
    while (from < text.len && bwt_redact_is_atom((unsigned char)text.data[from])) from++;
    return from;
}

static void take_atom(bwt_redact_scan *scan)
{
    size_t from = scan->at, to = atom_end(scan->text, from);
    if (scan->text.data[from] == '-' && bwt_redact_pem(scan, from)) return;
    size_t start = kind_start(scan->text, from, to), end;
    if (start < to && may_be_kind(scan->text, start, to) && bwt_redact_kind_at(scan->text, start, &end) != NULL) {
        bwt_redact_mask(scan, start, end);
        return;
    }
    if (!bwt_redact_in_url(scan)) {
        if (bwt_redact_announced(scan, from, to)) return;
        if (bwt_redact_base64(scan, from, to)) return;
    }
    if (to - start >= 32 && bwt_redact_hex(scan, start, to)) return;
    scan->at = to;
}

static void begin_name(bwt_redact_scan *scan, size_t from, char mark)
{
    scan->name_from = from;
    scan->name_mark = mark;
    scan->at = from;
}

/* Of a name, only what stands behind the last mask counts: the mask ends a word. */
static size_t name_start(const bwt_redact_scan *scan)
{
    return scan->copied > scan->name_from ? scan->copied : scan->name_from;
}

static void set_cookie_line(bwt_redact_scan *scan, size_t name_to)
{
    if (scan->at < scan->cookie_until) return;
    bwt_str name = bwt_str_trim_ascii(bwt_redact_slice(scan, scan->name_from, name_to));
    bwt_str last = {name.data + (name.len < 6 ? 0 : name.len - 6), name.len < 6 ? name.len : 6};
    if (!bwt_str_equal_ascii_case(last, BWT_STR("cookie"))) return;
    const char *newline = memchr(scan->text.data + name_to, '\n', scan->text.len - name_to);
    scan->cookie_until = newline == NULL ? scan->text.len : (size_t)(newline - scan->text.data);
}

static void take_separator(bwt_redact_scan *scan, bwt_redact_char separator)
{
    size_t value = scan->at + separator.width;
    bwt_name_class name = bwt_redact_name_class(scan->text, name_start(scan), scan->at);
    bool masked = false;
    if (bwt_redact_in_url(scan) || separator.level > 0) {
        masked = name != BWT_NAME_PLAIN && bwt_redact_url_value(scan, name, separator);
    } else if (name != BWT_NAME_PLAIN) {
        if (separator.byte == ':') set_cookie_line(scan, scan->at);
        masked = bwt_redact_text_value(scan, name, (char)separator.byte, value);
    } else if (separator.byte == '=' && scan->at < scan->cookie_until) {
        masked = bwt_redact_cookie_value(scan, value);
    }
    begin_name(scan, masked ? scan->at : value, (char)separator.byte);
}

/* The tag <password> names what follows it; define('PASSWORD', ...) names what follows the comma. */
static bool take_enclosed_name(bwt_redact_scan *scan, char mark)
{
    if (bwt_redact_in_url(scan)) return false;
    if (mark == '>') {
        return scan->name_mark == '<' &&
               bwt_redact_name_class(scan->text, name_start(scan), scan->at) == BWT_NAME_STRONG &&
               bwt_redact_tag_content(scan, scan->at + 1);
    }
    bool quoted = scan->at > scan->name_from && bwt_redact_one_of(scan->text.data[scan->at - 1], "\"'");
    return quoted && bwt_redact_name_class(scan->text, name_start(scan), scan->at) == BWT_NAME_STRONG &&
           bwt_redact_text_value(scan, BWT_NAME_SHAPED, mark, scan->at + 1);
}

/* What cannot stand inside a name. Spaces, quotes, brackets and dots can. */
static bool ends_name(unsigned char byte)
{
    return bwt_redact_one_of((char)byte, "&?#;/,@(){}<>|*!~^`\n");
}

static void take_mark(bwt_redact_scan *scan)
{
    if (scan->text.data[scan->at] == '[' && bwt_redact_here(scan, scan->at, BWT_STR(BWT_REDACTED))) {
        scan->at += sizeof BWT_REDACTED - 1;
        return;
    }
    bwt_redact_char c = bwt_redact_decode(scan->text, scan->at);
    switch (c.byte) {
    case ':':
        if (bwt_redact_url_start(scan, c)) return;
        take_separator(scan, c);
        return;
    case '=':
        take_separator(scan, c);
        return;
    case '/':
        if (bwt_redact_url_start_relative(scan)) return;
        break;
    case '>':
    case ',':
        if (c.level == 0 && take_enclosed_name(scan, (char)c.byte)) {
            begin_name(scan, scan->at, (char)c.byte);
            return;
        }
        break;
    case '?':
    case '#':
    case '&':
        scan->in_query = true;
        break;
    default:
        break;
    }
    if (ends_name(c.byte) && !(c.byte == '\n' && scan->whole_url)) {
        begin_name(scan, scan->at + c.width, (char)c.byte);
    } else {
        scan->at += c.width;
    }
}

static bool run(bwt_redact_scan *scan)
{
    while (scan->at < scan->text.len && !scan->out->failed) {
        if (scan->at == scan->credentials_at && bwt_redact_credentials(scan)) continue;
        if (bwt_redact_is_atom((unsigned char)scan->text.data[scan->at])) {
            take_atom(scan);
        } else {
            take_mark(scan);
        }
    }
    bwt_redact_leave_out(scan, scan->text.len, scan->text.len);
    return !scan->out->failed;
}

bool bwt_redact_text_append(bwt_buf *out, bwt_str text)
{
    bwt_redact_scan scan = {.text = text, .out = out};
    return run(&scan);
}

bool bwt_redact_url_append(bwt_buf *out, bwt_str url)
{
    bwt_redact_scan scan = {.text = url, .out = out, .whole_url = true, .url_end = url.len};
    while (scan.url_end > 0 && bwt_redact_one_of(url.data[scan.url_end - 1], " \t\r\n")) scan.url_end--;
    while (scan.at < scan.url_end && bwt_redact_one_of(url.data[scan.at], " \t\r\n")) scan.at++;
    scan.name_from = scan.at;
    bwt_redact_url_start_relative(&scan);
    return run(&scan);
}

bool bwt_redact_has_prefix_secret(bwt_str text)
{
    for (size_t at = 0; at < text.len;) {
        if (!bwt_redact_is_atom((unsigned char)text.data[at])) {
            at += bwt_redact_decode(text, at).width;
            continue;
        }
        size_t to = atom_end(text, at), start = kind_start(text, at, to), end;
        if (start < to && may_be_kind(text, start, to) && bwt_redact_kind_at(text, start, &end) != NULL) return true;
        at = to;
    }
    return false;
}

static bwt_error redact(bool append(bwt_buf *, bwt_str), bwt_str text, bwt_text *out)
{
    bwt_buf buf;
    bwt_buf_init(&buf, BWT_BUF_NO_CAP);
    bwt_buf_reserve(&buf, text.len);
    bwt_error error = append(&buf, text) ? bwt_buf_take(&buf, out) : BWT_ERR_NO_MEMORY;
    bwt_buf_deinit(&buf);
    return error;
}

bwt_error bwt_redact_text(bwt_str text, bwt_text *out)
{
    return redact(bwt_redact_text_append, text, out);
}

bwt_error bwt_redact_url(bwt_str url, bwt_text *out)
{
    return redact(bwt_redact_url_append, url, out);
}
