/* Values in running text: where they begin and end, and whether they look like a secret. */
#include "core/redact_kinds.h"
#include "core/redact_scan.h"
#include "core/text.h"

enum {
    JUDGED_BYTES = 64, /* a longer value is judged by its beginning */
    LEAST_STRONG = 6,  /* the shortest value that looks secret behind a strong name, and behind a weak one */
    LEAST_WEAK = 12,
    LEAST_COOKIE = 16,
    LEAST_QUOTED = 3,
    LONGEST_TAG_CONTENT = 512
};

/* ---- what looks like a secret ---- */

/* A marker that the end of the judged part goes through. */
static bool is_cut_marker(bwt_str rest)
{
    return rest.len < sizeof BWT_REDACTED - 1 && bwt_str_starts_with(BWT_STR(BWT_REDACTED), rest);
}

bool bwt_redact_looks_secret(bwt_str value, size_t least)
{
    size_t lower = 0, upper = 0, digits = 0, symbols = 0, changes = 0, masked = 0;
    for (size_t i = 0; i < value.len; i++) {
        /* What is masked already says nothing about the rest. */
        while (bwt_str_starts_with((bwt_str){value.data + i, value.len - i}, BWT_STR(BWT_REDACTED))) {
            i += sizeof BWT_REDACTED - 1;
            masked += sizeof BWT_REDACTED - 1;
        }
        if (i == value.len || is_cut_marker((bwt_str){value.data + i, value.len - i})) break;
        char c = value.data[i];
        lower += bwt_ascii_is_lower(c);
        upper += bwt_ascii_is_upper(c);
        digits += bwt_ascii_is_digit(c);
        symbols += bwt_redact_one_of(c, "!@#$%^&*?+=");
        if (i > 0 && bwt_ascii_is_upper(c) != bwt_ascii_is_upper(value.data[i - 1])) changes++;
    }
    if (value.len - masked < least) return false;
    if (digits > 0 && lower + upper > 0) return true;
    if (symbols > 0 && lower > 0 && upper > 0) return value.len - masked >= 8;
    return value.len - masked >= 20 && lower > 0 && upper > 0 && changes >= 6;
}

static bool is_marker(const bwt_redact_scan *scan, size_t at)
{
    return bwt_redact_here(scan, at, BWT_STR(BWT_REDACTED));
}

static bool part_looks_secret(const bwt_redact_scan *scan, size_t from, size_t to, size_t least)
{
    return bwt_redact_looks_secret(bwt_redact_slice(scan, from, to), least);
}

static bool word_is(bwt_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bwt_str_equal_ascii_case(word, bwt_str_c(list[i]))) return true;
    }
    return false;
}

/* ---- quotes ---- */

/* An opening quotation mark with the backslashes before it, as nested JSON has them. */
typedef struct quotation {
    size_t content; /* 0: there is none */
    size_t backslashes;
    bwt_str closing;
    int memo; /* index into unclosed_until */
} quotation;

static quotation opening_at(const bwt_redact_scan *scan, size_t at)
{
    static const struct {
        const char *opening, *closing;
        int memo;
    } marks[] = {{"\"", "\"", 0},
                 {"'", "'", 1},
                 {"`", "`", 2},
                 {"&quot;", "&quot;", 3},
                 {"\xE2\x80\x9E", "\xE2\x80\x9C", 3},
                 {"\xE2\x80\x9C", "\xE2\x80\x9D", 3}};
    quotation found = {0};
    while (at < scan->text.len && scan->text.data[at] == '\\' && found.backslashes < 8) {
        found.backslashes++;
        at++;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        bwt_str opening = bwt_str_c(marks[i].opening);
        if (!bwt_redact_here(scan, at, opening)) continue;
        found.content = at + opening.len;
        found.closing = bwt_str_c(marks[i].closing);
        found.memo = marks[i].memo;
        break;
    }
    return found;
}

/* Where the quotation ends on its line, before the closing mark's backslashes; 0 when it does not. */
static size_t closing_of(bwt_redact_scan *scan, const quotation *q)
{
    if (q->content < scan->unclosed_until[q->memo]) return 0;
    size_t backslashes = 0, at = q->content;
    for (; at < scan->text.len && scan->text.data[at] != '\n'; at++) {
        if (scan->text.data[at] == '\\') {
            backslashes++;
        } else if (bwt_redact_here(scan, at, q->closing) && backslashes <= q->backslashes) {
            return at - backslashes;
        } else {
            backslashes = 0;
        }
    }
    scan->unclosed_until[q->memo] = at;
    return 0;
}

/* ---- values without quotes ---- */

static bool stops_value(const bwt_redact_scan *scan, size_t at)
{
    unsigned char byte = (unsigned char)scan->text.data[at];
    if (byte <= ' ' || byte == 0x7F) return true;
    if (byte == '\\') return bwt_redact_is_at(scan, at + 1, "nrt\"'\\");
    if (byte < 0x80) return bwt_redact_one_of((char)byte, "\"'`<>,;&|");
    /* Quotation marks and CJK punctuation. */
    return bwt_redact_here(scan, at, BWT_STR("\xE3\x80")) || bwt_redact_here(scan, at, BWT_STR("\xEF\xBC\x8C")) ||
           bwt_redact_here(scan, at, BWT_STR("\xE2\x80\x9C")) || bwt_redact_here(scan, at, BWT_STR("\xE2\x80\x9D"));
}

static size_t bare_end(const bwt_redact_scan *scan, size_t from, size_t limit)
{
    size_t end = from;
    while (end < limit && !stops_value(scan, end)) end += is_marker(scan, end) ? sizeof BWT_REDACTED - 1 : 1;
    return end < limit ? end : limit;
}

static size_t near_limit(const bwt_redact_scan *scan, size_t from)
{
    return scan->text.len - from < JUDGED_BYTES ? scan->text.len : from + JUDGED_BYTES;
}

/* How much of a bare value is judged: to what is masked already, or to "://", for an address has its own rules. */
static size_t judged_end(const bwt_redact_scan *scan, size_t from)
{
    size_t limit = near_limit(scan, from), end = from;
    if (bwt_redact_here(scan, from, BWT_STR("//"))) return from;
    while (end < limit && !stops_value(scan, end) && !is_marker(scan, end) &&
           !bwt_redact_here(scan, end, BWT_STR("://"))) {
        end++;
    }
    return end;
}

/* Without the brackets that close what was opened before the value, and without the full stop. */
static size_t trimmed_end(const bwt_redact_scan *scan, size_t from, size_t end)
{
    long open = 0;
    for (size_t at = from; at < end; at++) {
        if (bwt_redact_one_of(scan->text.data[at], "([{")) open++;
        if (bwt_redact_one_of(scan->text.data[at], ")]}")) open--;
    }
    return bwt_redact_trim(scan->text, from, end, open, ".:");
}

/* name=call(...) is code. */
static bool is_call(const bwt_redact_scan *scan, size_t from)
{
    size_t at = from, end, limit = near_limit(scan, from);
    while (at < limit && (bwt_ascii_is_alpha(scan->text.data[at]) || bwt_redact_is_at(scan, at, "._"))) at++;
    if (at == from || !bwt_redact_is_at(scan, at, "(")) return false;
    return bwt_redact_kind_at(scan->text, from, &end) == NULL;
}

/* Masks the bare value at `from` if it looks like a secret of at least that many bytes. */
static bool mask_if_secret(bwt_redact_scan *scan, size_t from, size_t least)
{
    if (!part_looks_secret(scan, from, judged_end(scan, from), least)) return false;
    size_t end = trimmed_end(scan, from, bare_end(scan, from, scan->text.len));
    if (end == from) return false;
    bwt_redact_mask(scan, from, end);
    return true;
}

static size_t skip_blanks(const bwt_redact_scan *scan, size_t at)
{
    while (at < scan->text.len && (scan->text.data[at] == ' ' || scan->text.data[at] == '\t')) at++;
    return at;
}

/* ---- Authorization: scheme credentials ---- */

/* name="value" pairs after the scheme are left to their own names. */
static bool is_pair(const bwt_redact_scan *scan, size_t from, size_t to)
{
    const char *equals = to > from ? memchr(scan->text.data + from, '=', to - from) : NULL;
    if (equals == NULL) return false;
    size_t after = (size_t)(equals - scan->text.data) + 1;
    while (after < to && scan->text.data[after] == '=') after++;
    return after < to || bwt_redact_is_at(scan, after, "\"'[");
}

/* Judges what follows the scheme, but leaves masking it to when the pass gets there: the scheme comes first. */
static bool mask_credentials(bwt_redact_scan *scan, size_t from)
{
    quotation q = opening_at(scan, from);
    if (q.content > 0) from = q.content;
    if (is_marker(scan, from)) return false;
    size_t scheme_end = bare_end(scan, from, near_limit(scan, from));
    size_t credentials = skip_blanks(scan, scheme_end);
    if (credentials > scheme_end && scheme_end > from && credentials < scan->text.len) {
        if (is_marker(scan, credentials)) return false;
        size_t end = judged_end(scan, credentials);
        if (!is_pair(scan, credentials, end) && part_looks_secret(scan, credentials, end, LEAST_STRONG)) {
            scan->credentials_at = credentials;
            return false;
        }
    }
    return !is_pair(scan, from, scheme_end) && mask_if_secret(scan, from, LEAST_STRONG);
}

bool bwt_redact_credentials(bwt_redact_scan *scan)
{
    return scan->at > 0 && mask_if_secret(scan, scan->at, LEAST_STRONG);
}

/* ---- the value of a name ---- */

static bool ends_with_pass(const bwt_redact_scan *scan)
{
    return scan->at >= 4 && bwt_redact_here(scan, scan->at - 4, BWT_STR("PASS"));
}

static size_t least_for(bwt_name_class name)
{
    return name == BWT_NAME_WEAK ? LEAST_WEAK : LEAST_STRONG;
}

static bool mask_quoted(bwt_redact_scan *scan, bwt_name_class name, const quotation *q)
{
    size_t end = closing_of(scan, q);
    /* accesskey="n" and the "x" of an example are no secrets. */
    if (end < q->content + LEAST_QUOTED) return false;
    if (name != BWT_NAME_STRONG) {
        size_t judged = end - q->content < JUDGED_BYTES ? end : q->content + JUDGED_BYTES;
        if (!part_looks_secret(scan, q->content, judged, least_for(name))) return false;
    }
    bwt_redact_mask(scan, q->content, end);
    return true;
}

/* token=None is code. */
static bool is_literal(const bwt_redact_scan *scan, size_t from, size_t to)
{
    static const char *const literals[] = {"none", "null", "nil", "true", "false", "undefined"};
    return word_is(bwt_redact_slice(scan, from, to), literals, sizeof literals / sizeof literals[0]);
}

static bool mask_bare(bwt_redact_scan *scan, bwt_name_class name, bool whatever, size_t from)
{
    if (from >= scan->text.len || (bwt_redact_is_at(scan, from, "([{<") && !is_marker(scan, from))) return false;
    if (is_call(scan, from)) return false;
    if (!whatever || scan->text.data[from] == '/') return mask_if_secret(scan, from, least_for(name));
    size_t end = trimmed_end(scan, from, bare_end(scan, from, scan->text.len));
    if (end == from || is_literal(scan, from, end)) return false;
    bwt_redact_mask(scan, from, end);
    return true;
}

bool bwt_redact_text_value(bwt_redact_scan *scan, bwt_name_class name, char separator, size_t from)
{
    if (name == BWT_NAME_CODE) return false;
    size_t at = from;
    while (bwt_redact_is_at(scan, at, "=>")) at++;
    size_t value = skip_blanks(scan, at);
    bool spaced = value > at || (scan->at > 0 && scan->text.data[scan->at - 1] == ' ');
    if (value >= scan->text.len || scan->text.data[value] == ':') return false;
    if (name == BWT_NAME_LINES) return bwt_redact_base64_lines(scan, value);
    if (name == BWT_NAME_AUTHORIZATION) return mask_credentials(scan, value);
    /* A comparison tells less than an assignment. */
    bool compared = separator == '=' && at > from && scan->text.data[at - 1] == '=';
    if (compared && name == BWT_NAME_STRONG) name = BWT_NAME_SHAPED;
    quotation q = opening_at(scan, value);
    if (q.content > 0 && closing_of(scan, &q) > 0) return mask_quoted(scan, name, &q);
    /* "PASS: test_login2" is the line of a test report. */
    if (separator == ',' || (separator == ':' && ends_with_pass(scan))) return false;
    bool whatever = separator == '=' && !spaced && name == BWT_NAME_STRONG;
    return mask_bare(scan, name, whatever, q.content > 0 ? q.content : value);
}

bool bwt_redact_cookie_value(bwt_redact_scan *scan, size_t from)
{
    return mask_if_secret(scan, from, LEAST_COOKIE);
}

bool bwt_redact_tag_content(bwt_redact_scan *scan, size_t from)
{
    size_t limit = scan->text.len - from < LONGEST_TAG_CONTENT ? scan->text.len : from + LONGEST_TAG_CONTENT;
    size_t at = from;
    while (at < limit && !bwt_redact_one_of(scan->text.data[at], "<\n")) at++;
    if (at == from || at == limit || !bwt_redact_here(scan, at, BWT_STR("</"))) return false;
    bwt_redact_mask(scan, from, at);
    return true;
}

/* ---- announced by a word alone ---- */

static bool mask_word(bwt_redact_scan *scan, size_t from, size_t least)
{
    quotation q = opening_at(scan, from);
    return mask_if_secret(scan, q.content > 0 ? q.content : from, least);
}

/* "Bearer x", "password x", "pass is x", "--token x", "sshpass -p x". */
bool bwt_redact_announced(bwt_redact_scan *scan, size_t from, size_t to)
{
    static const char *const schemes[] = {"bearer", "basic"};
    static const char *const nouns[] = {"password", "passwd", "passphrase", "passcode", "pwd"};
    static const char *const verbs[] = {"is", "was", "ist", "est", "es"};
    if (to - from > 40 || !bwt_redact_one_of(scan->text.data[from], "BbPpSs-")) return false;
    size_t next = skip_blanks(scan, to);
    if (next == to || next >= scan->text.len) return false;
    bwt_str word = bwt_redact_slice(scan, from, to);
    if (word_is(word, schemes, sizeof schemes / sizeof schemes[0])) return mask_word(scan, next, LEAST_WEAK);
    /* "Pass X" is an order more often than a secret; "pass is X" never is. */
    bool is_verb = bwt_str_equal_ascii_case(word, BWT_STR("pass"));
    if (is_verb || word_is(word, nouns, sizeof nouns / sizeof nouns[0])) {
        size_t verb_end = next, limit = scan->text.len - next < 4 ? scan->text.len : next + 4;
        while (verb_end < limit && bwt_ascii_is_lower(scan->text.data[verb_end])) verb_end++;
        if (word_is(bwt_redact_slice(scan, next, verb_end), verbs, sizeof verbs / sizeof verbs[0])) {
            size_t value = skip_blanks(scan, verb_end);
            if (value > verb_end && value < scan->text.len) return mask_word(scan, value, LEAST_STRONG);
        }
        return !is_verb && mask_word(scan, next, LEAST_STRONG);
    }
    if (bwt_str_equal(word, BWT_STR("sshpass")) && bwt_redact_here(scan, next, BWT_STR("-p"))) {
        return mask_word(scan, skip_blanks(scan, next + 2), 1);
    }
    if (bwt_str_starts_with(word, BWT_STR("--")) && scan->text.data[next] != '-' &&
        bwt_redact_name_class(scan->text, from, to) == BWT_NAME_STRONG) {
        return mask_word(scan, next, LEAST_STRONG);
    }
    return false;
}
