/* Addresses: userinfo left out, sensitive parameters masked at their own level of encoding, capability paths. */
#include "core/redact_scan.h"
#include "core/text.h"

enum { LONGEST_SCHEME = 32, JUDGED_BYTES = 64, LONGEST_PARAMETER_NAME = 64 };

/* ---- where an address ends in running text ---- */

/* Of a character outside ASCII, only quotation marks and CJK punctuation end an address. */
static bool stops_url(bwt_str text, size_t at)
{
    unsigned char byte = (unsigned char)text.data[at];
    if (byte <= ' ' || byte == 0x7F) return true;
    if (byte < 0x80) return bwt_redact_one_of((char)byte, "\"<>`'\\|^");
    if (text.len - at < 3) return false;
    unsigned char second = (unsigned char)text.data[at + 1], third = (unsigned char)text.data[at + 2];
    return (byte == 0xE2 && second == 0x80 && third >= 0x98 && third <= 0x9F) || (byte == 0xE3 && second == 0x80) ||
           (byte == 0xEF && second == 0xBC && third <= 0x9F && third != 0x8D);
}

/* The end without the punctuation of the sentence around it. */
static size_t find_url_end(bwt_str text, size_t from)
{
    size_t end = from;
    long open = 0; /* brackets opened and not closed again, over the whole */
    for (; end < text.len && !stops_url(text, end); end++) {
        if (bwt_redact_one_of(text.data[end], "([{")) open++;
        if (bwt_redact_one_of(text.data[end], ")]}")) open--;
    }
    return bwt_redact_trim(text, from, end, open, ".,;:!?");
}

/* ---- scheme and authority ---- */

/* Schemes in which a backslash is a slash and any number of slashes begins the authority. */
static bool is_special(bwt_str scheme)
{
    static const char *const special[] = {"http", "https", "ws", "wss", "ftp", "file"};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (bwt_str_equal_ascii_case(scheme, bwt_str_c(special[i]))) return true;
    }
    return false;
}

static bwt_str scheme_before(const bwt_redact_scan *scan, size_t colon)
{
    size_t from = colon, least = scan->copied > scan->name_from ? scan->copied : scan->name_from;
    while (from > least && colon - from < LONGEST_SCHEME &&
           (bwt_ascii_is_alnum(scan->text.data[from - 1]) || bwt_redact_one_of(scan->text.data[from - 1], "+.-"))) {
        from--;
    }
    return bwt_redact_slice(scan, from, colon);
}

typedef struct authority {
    unsigned char level; /* of encoding of the address */
    bool special;
    bool is_ssh;
    bool needs_password; /* only "user:password@" counts as userinfo */
} authority;

static bool is_slash(const bwt_redact_scan *scan, size_t at, const authority *a, size_t *width)
{
    if (at >= scan->url_end) return false;
    bwt_redact_char c = bwt_redact_decode(scan->text, at);
    *width = c.width;
    return c.level <= a->level && (c.byte == '/' || (c.byte == '\\' && a->special));
}

/* A password with a raw '/' or '?' in it hides its '@' behind the end of the authority. */
static size_t stray_userinfo_end(bwt_redact_scan *scan, size_t from, size_t to, const authority *a)
{
    const char *colon = memchr(scan->text.data + from, ':', to - from);
    if (a->level > 0 || colon == NULL || scan->text.data[from] == '[') return 0;
    size_t after = (size_t)(colon - scan->text.data) + 1, port = after;
    while (port < to && bwt_ascii_is_digit(scan->text.data[port])) port++;
    bool is_port = port == to || (port > after && scan->text.data[port] == ',');
    if (is_port || to < scan->no_userinfo_until) return 0;
    for (size_t at = to; at + 1 < scan->url_end; at++) {
        if (scan->text.data[at] != '@' || scan->text.data[at - 1] == '/') continue;
        if (bwt_ascii_is_alnum(scan->text.data[at + 1])) return at + 1;
    }
    scan->no_userinfo_until = scan->url_end;
    return 0;
}

/* One authority as it stands: host is where its host begins, end what follows it. */
typedef struct extent {
    size_t host, end;
    bool password;
} extent;

static extent measure_authority(const bwt_redact_scan *scan, size_t from, const authority *a)
{
    extent found = {.host = from, .end = from};
    bool seen_colon = false;
    while (found.end < scan->url_end) {
        bwt_redact_char c = bwt_redact_decode(scan->text, found.end);
        size_t width;
        if (is_slash(scan, found.end, a, &width) || (c.level <= a->level && (c.byte == '?' || c.byte == '#')) ||
            (c.level < a->level && c.byte == '&')) {
            break;
        }
        found.end += c.width;
        if (c.level != a->level) continue;
        if (c.byte == ':') seen_colon = true;
        if (c.byte == '@') {
            found.host = found.end;
            found.password = seen_colon;
        }
    }
    return found;
}

/* Leaves the userinfo of the authority at `from` out; returns where the host begins and sets *end behind the host. */
static size_t take_authority(bwt_redact_scan *scan, size_t from, const authority *a, size_t *end)
{
    for (;;) {
        extent found = measure_authority(scan, from, a);
        *end = found.end;
        /* ssh://git@host names an account, not a secret. */
        if (found.host > from && !found.password && (a->is_ssh || a->needs_password)) return from;
        size_t userinfo_end = found.host > from ? found.host : stray_userinfo_end(scan, from, found.end, a);
        if (userinfo_end == 0) return from;
        bwt_redact_leave_out(scan, from, userinfo_end);
        from = userinfo_end;
    }
}

/* ---- capability paths ---- */

/* Hosts (a leading dot: any host below) where whoever knows the path may act. */
static const struct capability {
    const char *host;
    const char *path; /* the secret follows it */
    int kept_segments;
    bool one_segment; /* the secret is one segment, not the rest of the path */
} capabilities[] = {
    {"hooks.slack.com", "/services/", 0, false},
    {"hooks.slack.com", "/workflows/", 0, false},
    {"hooks.slack.com", "/triggers/", 0, false},
    {"discord.com", "/api/webhooks/", 1, false},
    {"discordapp.com", "/api/webhooks/", 1, false},
    {"api.telegram.org", "/bot", 0, true},
    {"api.telegram.org", "/file/bot", 0, true},
    {".webhook.office.com", "/webhookb2/", 0, false},
    {"outlook.office.com", "/webhook/", 0, false},
    {".infura.io", "/v3/", 0, true},
    {".infura.io", "/ws/v3/", 0, true},
    {".alchemy.com", "/v2/", 0, true},
    {".alchemyapi.io", "/v2/", 0, true},
    {".quiknode.pro", "/", 0, true},
    {"maker.ifttt.com", "/with/key/", 0, true},
    {"hooks.zapier.com", "/hooks/catch/", 1, false},
    {"hc-ping.com", "/", 0, false},
    {"open.feishu.cn", "/open-apis/bot/v2/hook/", 0, true},
    {"open.larksuite.com", "/open-apis/bot/v2/hook/", 0, true},
    {"hooks.chime.aws", "/incomingwebhooks/", 1, false},
    {"events.pagerduty.com", "/integration/", 0, true},
};

static bool host_is(bwt_str host, const char *wanted)
{
    bwt_str name = bwt_str_c(wanted);
    if (host.len < name.len) return false;
    bwt_str tail = {host.data + host.len - name.len, name.len};
    return bwt_str_equal_ascii_case(tail, name) && (wanted[0] == '.' || host.len == name.len);
}

/* Where the secret begins in the path, or 0. A path of the table may stand anywhere near the start. */
static size_t capability_start(const bwt_redact_scan *scan, const struct capability *c, size_t path)
{
    size_t near_end = scan->url_end - path < 128 ? scan->url_end : path + 128;
    size_t at;
    bwt_str near = bwt_redact_slice(scan, path, near_end);
    if (!bwt_str_find(near, bwt_str_c(c->path), &at)) return 0;
    bool anywhere = strcmp(c->path, "/with/key/") == 0;
    if (at > 0 && !anywhere) return 0;
    at += path + strlen(c->path);
    for (int kept = 0; kept < c->kept_segments; kept++) {
        while (at < scan->url_end && !bwt_redact_one_of(scan->text.data[at], "/?#")) at++;
        if (at >= scan->url_end || scan->text.data[at] != '/') return 0;
        at++;
    }
    return at;
}

static void take_capability(bwt_redact_scan *scan, size_t host_from, size_t host_to)
{
    bwt_str host = bwt_redact_slice(scan, host_from, host_to);
    const char *port = memchr(host.data, ':', host.len);
    if (port != NULL) host.len = (size_t)(port - host.data);
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
        if (!host_is(host, capabilities[i].host)) continue;
        size_t from = capability_start(scan, &capabilities[i], host_to), to = from;
        if (from == 0) continue;
        const char *stops = capabilities[i].one_segment ? "/?#" : "?#";
        while (to < scan->url_end && !bwt_redact_one_of(scan->text.data[to], stops)) to++;
        if (to > from) bwt_redact_mask(scan, from, to);
        return;
    }
}

/* ---- the start of an address ---- */

static void enter(bwt_redact_scan *scan, size_t from, authority a)
{
    if (!bwt_redact_in_url(scan)) scan->url_end = find_url_end(scan->text, from);
    size_t end = from, host = from, width;
    /* An authority that was nothing but userinfo makes place for the next one. */
    do {
        size_t start = end;
        while (a.special && is_slash(scan, start, &a, &width)) start += width;
        host = take_authority(scan, start, &a, &end);
        if (host == start) break;
    } while (a.special && host == end && is_slash(scan, end, &a, &width));
    scan->at = host;
    scan->name_from = host;
    scan->name_mark = '/';
    scan->in_query = false;
    if (a.level == 0 && host < end) take_capability(scan, host, end);
}

bool bwt_redact_url_start(bwt_redact_scan *scan, bwt_redact_char colon)
{
    bwt_str scheme = scheme_before(scan, scan->at);
    if (scheme.len == 0 || !bwt_ascii_is_alpha(scheme.data[0])) return false;
    authority a = {.level = colon.level, .special = is_special(scheme)};
    bwt_str tail = {scheme.data + scheme.len - 3, 3};
    a.is_ssh = scheme.len >= 3 && bwt_str_equal_ascii_case(tail, BWT_STR("ssh"));
    size_t from = scan->at + colon.width;
    if (scan->whole_url && a.special && scheme.data == scan->text.data + scan->name_from && scan->name_mark == '\0') {
        enter(scan, from, a);
        return true;
    }
    size_t slashes = 0;
    while (slashes < 2 && from < scan->text.len) {
        bwt_redact_char c = bwt_redact_decode(scan->text, from);
        if (c.level != colon.level || c.byte != '/') return false;
        from += c.width;
        slashes++;
    }
    if (slashes < 2) return false;
    enter(scan, from, a);
    return true;
}

bool bwt_redact_url_start_relative(bwt_redact_scan *scan)
{
    size_t at = scan->at;
    if (scan->text.len - at < 3 || memcmp(scan->text.data + at, "//", 2) != 0) return false;
    if (scan->whole_url ? scan->name_mark != '\0' || scan->name_from != at
                        : bwt_redact_in_url(scan) || stops_url(scan->text, at + 2)) {
        return false;
    }
    if (!scan->whole_url && at > 0 && !bwt_redact_one_of(scan->text.data[at - 1], " \t\n\"'=(")) return false;
    enter(scan, at + 2, (authority){.special = scan->whole_url, .needs_password = !scan->whole_url});
    return true;
}

/* ---- values ---- */

/* Whether "name=" follows: then the ';' before it ended a value. */
static bool parameter_follows(const bwt_redact_scan *scan, size_t at)
{
    size_t from = at;
    while (at < scan->text.len && at - from < LONGEST_PARAMETER_NAME &&
           (bwt_ascii_is_alnum(scan->text.data[at]) || bwt_redact_one_of(scan->text.data[at], "_.-[]"))) {
        at++;
    }
    return at > from && at < scan->text.len && scan->text.data[at] == '=';
}

typedef struct value_rule {
    unsigned char level; /* of the separator: only what is encoded as often or less ends the value */
    bool in_path;
    char quote; /* NUL, or what ends the value besides */
} value_rule;

static size_t find_value_end(const bwt_redact_scan *scan, size_t from, value_rule rule, size_t limit)
{
    size_t at = from;
    bool in_url = bwt_redact_in_url(scan);
    while (at < limit) {
        if (!in_url && stops_url(scan->text, at)) break;
        bwt_redact_char c = bwt_redact_decode(scan->text, at);
        if (c.level <= rule.level) {
            if (c.byte == '&' || c.byte == '#') break;
            if (c.byte == ';' && (rule.in_path || parameter_follows(scan, at + c.width))) break;
            if (rule.in_path && bwt_redact_one_of((char)c.byte, "/?\\")) break;
            if (rule.quote != '\0' && c.byte == (unsigned char)rule.quote) break;
        }
        at += c.width;
    }
    return at;
}

/* {"token":"..."} inside a parameter: both name and value must be in quotes. */
static bool quoted_pair(const bwt_redact_scan *scan, bwt_redact_char colon, size_t *value)
{
    static const char *const quotes[] = {"\"", "%22", "%2522", "%252522"};
    bwt_str quote = bwt_str_c(quotes[colon.level]);
    if (scan->at < quote.len || !bwt_redact_here(scan, scan->at - quote.len, quote)) return false;
    if (!bwt_redact_here(scan, *value, quote)) return false;
    *value += quote.len;
    return true;
}

bool bwt_redact_url_value(bwt_redact_scan *scan, bwt_name_class name, bwt_redact_char separator)
{
    size_t from = scan->at + separator.width;
    value_rule rule = {.level = separator.level};
    if (separator.byte == ':') {
        if (!quoted_pair(scan, separator, &from)) return false;
        rule.quote = '"';
    } else {
        rule.in_path = bwt_redact_in_url(scan) && !scan->in_query && scan->name_mark != '\0';
    }
    size_t limit = bwt_redact_in_url(scan) ? scan->url_end : scan->text.len;
    if (name == BWT_NAME_SHAPED || name == BWT_NAME_CODE) {
        size_t near = limit - from < JUDGED_BYTES ? limit : from + JUDGED_BYTES;
        size_t to = find_value_end(scan, from, rule, near);
        if (!bwt_redact_looks_secret(bwt_redact_slice(scan, from, to), name == BWT_NAME_CODE ? 10 : 6)) return false;
    }
    size_t to = find_value_end(scan, from, rule, limit);
    if (to <= from) return false;
    bwt_redact_mask(scan, from, to);
    return true;
}
