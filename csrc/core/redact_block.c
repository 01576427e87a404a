/* Secrets that stand as a block: private keys in PEM, key lines, long hex, long base64. */
#include "core/redact_kinds.h"
#include "core/redact_scan.h"
#include "core/text.h"

enum { LONGEST_PEM_LABEL = 64, LEAST_KEY_LINE = 16, LEAST_HEX = 32, LEAST_BASE64 = 48 };

/* ---- key lines ---- */

/* One white byte, or an escape that stands for one, or 0. */
static size_t blank_at(const bwt_redact_scan *scan, size_t at)
{
    if (at >= scan->text.len) return 0;
    if (bwt_redact_is_at(scan, at, " \t\r\n")) return 1;
    return scan->text.data[at] == '\\' && bwt_redact_is_at(scan, at + 1, "nrt") ? 2 : 0;
}

static size_t skip_blanks(const bwt_redact_scan *scan, size_t at)
{
    for (size_t width = blank_at(scan, at); width > 0; width = blank_at(scan, at)) at += width;
    return at;
}

static size_t base64_run(const bwt_redact_scan *scan, size_t from)
{
    const unsigned alphabet = BWT_BODY_DIGIT | BWT_BODY_LOWER | BWT_BODY_UPPER | BWT_BODY_PADDED64;
    size_t at = from;
    while (at < scan->text.len && (bwt_redact_body_sets((unsigned char)scan->text.data[at]) & alphabet) != 0) at++;
    return at;
}

/* Masks lines of nothing but base64. Only the last may be short; what is no line of that kind ends the key. */
static bool mask_lines(bwt_redact_scan *scan, size_t from)
{
    size_t start = skip_blanks(scan, from), end = start;
    for (size_t line = start, next;; line = next) {
        size_t line_end = base64_run(scan, line), len = line_end - line;
        bool full = len >= LEAST_KEY_LINE, last = !full && end > start && len > 0 && len % 4 == 0;
        if (!full && !last) break;
        end = line_end;
        next = skip_blanks(scan, line_end);
        if (last || next == line_end) break;
    }
    if (end == start) return false;
    bwt_redact_mask(scan, start, end);
    return true;
}

/* PuTTY's "Private-Lines: 3", then that many lines. */
bool bwt_redact_base64_lines(bwt_redact_scan *scan, size_t from)
{
    size_t at = from;
    while (at < scan->text.len && bwt_ascii_is_digit(scan->text.data[at])) at++;
    return at > from && mask_lines(scan, at);
}

/* ---- PEM ---- */

/* The end of "-----BEGIN ... PRIVATE KEY ...-----", or 0. */
static size_t private_label_end(const bwt_redact_scan *scan, size_t from)
{
    const bwt_str begin = BWT_STR("-----BEGIN ");
    if (!bwt_redact_here(scan, from, begin)) return 0;
    size_t label = from + begin.len;
    size_t limit = scan->text.len - label < LONGEST_PEM_LABEL ? scan->text.len : label + LONGEST_PEM_LABEL;
    size_t dashes, key;
    if (!bwt_str_find(bwt_redact_slice(scan, label, limit), BWT_STR("-----"), &dashes)) return 0;
    if (!bwt_str_find((bwt_str){scan->text.data + label, dashes}, BWT_STR("PRIVATE KEY"), &key)) return 0;
    return label + dashes + 5;
}

bool bwt_redact_pem(bwt_redact_scan *scan, size_t from)
{
    size_t body = private_label_end(scan, from);
    if (body == 0) return false;
    size_t dashes;
    bool ended = bwt_str_find(bwt_redact_slice(scan, body, scan->text.len), BWT_STR("-----"), &dashes) &&
                 bwt_redact_here(scan, body + dashes, BWT_STR("-----END "));
    bool masked;
    if (ended) {
        size_t start = skip_blanks(scan, body), end = body + dashes;
        while (end > start && bwt_redact_one_of(scan->text.data[end - 1], " \t\r\n")) end--;
        while (end > start + 1 && scan->text.data[end - 2] == '\\' && bwt_redact_is_at(scan, end - 1, "nrt")) {
            end -= 2;
        }
        masked = end > start;
        if (masked) bwt_redact_mask(scan, start, end);
    } else {
        masked = mask_lines(scan, body);
    }
    if (!masked) scan->at = body;
    return true;
}

/* ---- long hex ---- */

/* Published digests and object names: keeping them is better than masking them. */
static bool names_a_digest(const bwt_redact_scan *scan, size_t from)
{
    static const char *const marks[] = {
        "sha1:",   "sha256:", "sha384:", "sha512:", "md5:",    "SHA1:",     "SHA256:",   "MD5:",    "btih:",
        "commit ", "Commit ", "tree ",   "parent ", "rev ",    "revision ", "revisions ", "Fixes: ", "picked from ",
        "/commit/", "/commits/", "/blob/", "/tree/", "/raw/",
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        bwt_str mark = bwt_str_c(marks[i]);
        if (from >= mark.len && bwt_redact_here(scan, from - mark.len, mark)) return true;
    }
    return false;
}

bool bwt_redact_hex(bwt_redact_scan *scan, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        size_t start = at;
        bool digits = false, letters = false, hex = true;
        for (; at < to && scan->text.data[at] != '-' && scan->text.data[at] != '_'; at++) {
            char c = scan->text.data[at];
            /* 0x may stand before it. */
            if (at == start + 1 && c == 'x' && scan->text.data[start] == '0') continue;
            digits = digits || bwt_ascii_is_digit(c);
            letters = letters || bwt_ascii_is_alpha(c);
            hex = hex && bwt_ascii_hex_value(c) >= 0;
        }
        if (hex && digits && letters && at - start >= LEAST_HEX && !names_a_digest(scan, start)) {
            /* What stands before it ends there now, and may be a kind at that length. */
            size_t end;
            bwt_str before = {scan->text.data, start};
            if (start > from && bwt_redact_kind_at(before, from, &end) != NULL) bwt_redact_mask(scan, from, end);
            bwt_redact_mask(scan, start, at);
            return true;
        }
    }
    return false;
}

/* ---- long base64 ---- */

static int base64_value(char c)
{
    if (bwt_ascii_is_upper(c)) return c - 'A';
    if (bwt_ascii_is_lower(c)) return c - 'a' + 26;
    if (bwt_ascii_is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Encoded prose is content, not a secret: the first bytes decode to printable ASCII. */
static bool decodes_to_text(bwt_str run)
{
    unsigned bits = 0, held = 0;
    for (size_t i = 0; i < LEAST_BASE64; i++) {
        int value = base64_value(run.data[i]);
        if (value < 0) return false;
        bits = (bits << 6 | (unsigned)value) & 0xFFF;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        unsigned char byte = (unsigned char)(bits >> held);
        if ((byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t') || byte > 0x7E) return false;
    }
    return true;
}

/* Random base64 changes between capitals, small letters, digits and signs at more than half of its places. */
static bool is_random(bwt_str run)
{
    size_t upper = 0, lower = 0, digits = 0, signs = 0, changes = 0;
    unsigned before = 0;
    for (size_t i = 0; i < run.len; i++) {
        char c = run.data[i];
        unsigned class = bwt_ascii_is_upper(c) ? 1 : bwt_ascii_is_lower(c) ? 2 : bwt_ascii_is_digit(c) ? 3 : 4;
        upper += class == 1;
        lower += class == 2;
        digits += class == 3;
        signs += class == 4;
        changes += class != before;
        before = class;
    }
    return upper > 0 && lower > 0 && digits > 0 && signs > 0 && signs * 10 < run.len && changes * 2 >= run.len;
}

bool bwt_redact_base64(bwt_redact_scan *scan, size_t from, size_t to)
{
    /* Most atoms are words: they are neither long enough nor go on behind their end. */
    bool goes_on = to < scan->text.len && bwt_redact_one_of(scan->text.data[to], "+/=");
    if (from < scan->no_blob_until || (to - from < LEAST_BASE64 && !goes_on)) return false;
    size_t end = base64_run(scan, from);
    scan->no_blob_until = end;
    bwt_str run = bwt_redact_slice(scan, from, end);
    if (run.len < LEAST_BASE64 || (end < scan->text.len && bwt_redact_is_atom((unsigned char)scan->text.data[end]))) {
        return false;
    }
    if (from > 0 && !bwt_redact_one_of(scan->text.data[from - 1], " \t\n\"'=:(>")) return false;
    /* Line upon line of base64 is content. */
    if (from > 0 && scan->text.data[from - 1] == '\n' && bwt_redact_is_at(scan, end, "\r\n")) return false;
    if (decodes_to_text(run) || !is_random(run)) return false;
    bwt_redact_mask(scan, from, end);
    return true;
}
