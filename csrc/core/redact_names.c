/* Folding a name to its last words and looking those up. */
#include "core/redact_names.h"

#include <string.h>

#include "core/text.h"

enum { LONGEST_NAME = 256, MOST_WORDS = 64, WORDS_COMPARED = 4, ROUNDS = 3 };

bwt_redact_char bwt_redact_decode(bwt_str text, size_t at)
{
    bwt_redact_char c = {.byte = (unsigned char)text.data[at], .width = 1};
    if (c.byte != '%') return c;
    size_t next = at + 1;
    for (unsigned char level = 1; level <= ROUNDS; level++) {
        if (text.len - next < 2) break;
        int high = bwt_ascii_hex_value(text.data[next]), low = bwt_ascii_hex_value(text.data[next + 1]);
        if (high < 0 || low < 0) break;
        next += 2;
        c = (bwt_redact_char){(unsigned char)(high * 16 + low), level, (unsigned char)(next - at)};
        if (c.byte != '%') break;
    }
    return c;
}

/* The words of a name, lower case, one after the other; starts[i] is where word i begins. */
typedef struct words {
    char letters[LONGEST_NAME];
    size_t len;
    size_t starts[MOST_WORDS];
    size_t count;
} words;

static void add_letter(words *w, char c, bool begins)
{
    if (begins && w->count < MOST_WORDS) w->starts[w->count++] = w->len;
    if (w->len < LONGEST_NAME) w->letters[w->len++] = bwt_ascii_lower(c);
}

/* U+200B .. U+200F, U+2060 and U+FEFF are not seen by who reads the name. */
static bool is_zero_width(bwt_str rest)
{
    if (rest.len < 3) return false;
    const unsigned char *p = (const unsigned char *)rest.data;
    return (p[0] == 0xE2 && p[1] == 0x80 && p[2] >= 0x8B && p[2] <= 0x8F) ||
           memcmp(p, "\xE2\x81\xA0", 3) == 0 || memcmp(p, "\xEF\xBB\xBF", 3) == 0;
}

/* "XApiKey" is x, api, key and "APIKey" is api, key: a capital begins a word after a small letter or before one. */
static void fold(bwt_str text, size_t from, size_t to, words *w)
{
    w->len = w->count = 0;
    char before = '\0', before_that = '\0';
    for (size_t at = from; at < to;) {
        if (is_zero_width((bwt_str){text.data + at, to - at})) {
            at += 3;
            continue;
        }
        bwt_redact_char c = bwt_redact_decode(text, at);
        char letter = (char)c.byte;
        at += c.width;
        if (letter == '\t' || letter == '\r' || letter == '\n' || letter == '\\') continue;
        if (!bwt_ascii_is_alnum(letter)) {
            before = before_that = '\0';
            continue;
        }
        bool begins = before == '\0' || (bwt_ascii_is_upper(letter) && !bwt_ascii_is_upper(before));
        if (!begins && bwt_ascii_is_lower(letter) && bwt_ascii_is_upper(before) && bwt_ascii_is_upper(before_that) &&
            w->len > 0 && w->count < MOST_WORDS) {
            w->starts[w->count++] = w->len - 1;
        }
        add_letter(w, letter, begins);
        before_that = before;
        before = letter;
    }
}

/* "tokens[0]" and "password2" are tokens and password. */
static void drop_numbers(words *w)
{
    while (w->len > 0 && bwt_ascii_is_digit(w->letters[w->len - 1])) {
        w->len--;
        while (w->count > 0 && w->starts[w->count - 1] >= w->len) w->count--;
    }
}

typedef struct entry {
    const char *words; /* joined */
    bwt_name_class class;
} entry;

/* Sorted. The longest entry that the name ends with decides, in whole words. */
static const entry entries[] = {
    {"accesskey", BWT_NAME_STRONG},
    {"accesskeyid", BWT_NAME_STRONG},
    {"accountkey", BWT_NAME_STRONG},
    {"adminkey", BWT_NAME_STRONG},
    {"apikey", BWT_NAME_STRONG},
    {"apikeys", BWT_NAME_STRONG},
    {"appkey", BWT_NAME_STRONG},
    {"applicationkey", BWT_NAME_STRONG},
    {"areacode", BWT_NAME_PLAIN},
    {"assertion", BWT_NAME_WEAK},
    {"auth", BWT_NAME_SHAPED},
    {"authcode", BWT_NAME_WEAK},
    {"authkey", BWT_NAME_STRONG},
    {"authorization", BWT_NAME_AUTHORIZATION},
    {"authorizationcode", BWT_NAME_CODE},
    {"authtoken", BWT_NAME_STRONG},
    {"bearer", BWT_NAME_WEAK},
    {"bostoken", BWT_NAME_PLAIN},
    {"cachekey", BWT_NAME_PLAIN},
    {"clientkey", BWT_NAME_STRONG},
    {"clstoken", BWT_NAME_PLAIN},
    {"code", BWT_NAME_CODE},
    {"codeverifier", BWT_NAME_STRONG},
    {"connectsid", BWT_NAME_STRONG},
    {"consumerkey", BWT_NAME_STRONG},
    {"continuationtoken", BWT_NAME_PLAIN},
    {"cookie", BWT_NAME_CODE},
    {"countrycode", BWT_NAME_PLAIN},
    {"couponcode", BWT_NAME_PLAIN},
    {"credential", BWT_NAME_STRONG},
    {"credentials", BWT_NAME_STRONG},
    {"csrf", BWT_NAME_WEAK},
    {"currencycode", BWT_NAME_PLAIN},
    {"cursortoken", BWT_NAME_PLAIN},
    {"deploykey", BWT_NAME_STRONG},
    {"developerkey", BWT_NAME_STRONG},
    {"devicecode", BWT_NAME_WEAK},
    {"encryptionkey", BWT_NAME_STRONG},
    {"eostoken", BWT_NAME_PLAIN},
    {"errorcode", BWT_NAME_PLAIN},
    {"exitcode", BWT_NAME_PLAIN},
    {"foreignkey", BWT_NAME_PLAIN},
    {"functionskey", BWT_NAME_STRONG},
    {"hdnea", BWT_NAME_STRONG},
    {"hdnts", BWT_NAME_STRONG},
    {"hmac", BWT_NAME_WEAK},
    {"hmackey", BWT_NAME_STRONG},
    {"idtokenhint", BWT_NAME_STRONG},
    {"ingestkey", BWT_NAME_STRONG},
    {"integrationkey", BWT_NAME_STRONG},
    {"jsessionid", BWT_NAME_STRONG},
    {"jwt", BWT_NAME_STRONG},
    {"key", BWT_NAME_WEAK},
    {"languagecode", BWT_NAME_PLAIN},
    {"licensekey", BWT_NAME_STRONG},
    {"masktoken", BWT_NAME_PLAIN},
    {"masterkey", BWT_NAME_STRONG},
    {"mnemonic", BWT_NAME_STRONG},
    {"nexttoken", BWT_NAME_PLAIN},
    {"oauthverifier", BWT_NAME_STRONG},
    {"otp", BWT_NAME_WEAK},
    {"padtoken", BWT_NAME_PLAIN},
    {"pagetoken", BWT_NAME_PLAIN},
    {"partitionkey", BWT_NAME_PLAIN},
    {"pass", BWT_NAME_WEAK},
    {"passcode", BWT_NAME_STRONG},
    {"passphrase", BWT_NAME_STRONG},
    {"passwd", BWT_NAME_STRONG},
    {"password", BWT_NAME_STRONG},
    {"passwordhash", BWT_NAME_STRONG},
    {"passwords", BWT_NAME_STRONG},
    {"pgpassword", BWT_NAME_STRONG},
    {"phpsessid", BWT_NAME_STRONG},
    {"postcode", BWT_NAME_PLAIN},
    {"presharedkey", BWT_NAME_STRONG},
    {"primarykey", BWT_NAME_PLAIN},
    {"privatekey", BWT_NAME_STRONG},
    {"privatelines", BWT_NAME_LINES},
    {"productcode", BWT_NAME_PLAIN},
    {"promocode", BWT_NAME_PLAIN},
    {"proxyauthorization", BWT_NAME_AUTHORIZATION},
    {"psk", BWT_NAME_WEAK},
    {"publickey", BWT_NAME_PLAIN},
    {"pwd", BWT_NAME_STRONG},
    {"rapidapikey", BWT_NAME_STRONG},
    {"routingkey", BWT_NAME_WEAK},
    {"samlresponse", BWT_NAME_STRONG},
    {"secret", BWT_NAME_STRONG},
    {"secretkey", BWT_NAME_STRONG},
    {"secretkeybase", BWT_NAME_STRONG},
    {"secrets", BWT_NAME_STRONG},
    {"seedphrase", BWT_NAME_STRONG},
    {"septoken", BWT_NAME_PLAIN},
    {"servicekey", BWT_NAME_STRONG},
    {"sessid", BWT_NAME_STRONG},
    {"session", BWT_NAME_WEAK},
    {"sessionid", BWT_NAME_STRONG},
    {"sessionkey", BWT_NAME_STRONG},
    {"sharedkey", BWT_NAME_STRONG},
    {"sid", BWT_NAME_WEAK},
    {"sig", BWT_NAME_WEAK},
    {"signature", BWT_NAME_WEAK},
    {"signingkey", BWT_NAME_STRONG},
    {"sortkey", BWT_NAME_PLAIN},
    {"starttoken", BWT_NAME_PLAIN},
    {"statuscode", BWT_NAME_PLAIN},
    {"stoptoken", BWT_NAME_PLAIN},
    {"storagekey", BWT_NAME_STRONG},
    {"subscriptionkey", BWT_NAME_STRONG},
    {"synctoken", BWT_NAME_PLAIN},
    {"token", BWT_NAME_STRONG},
    {"tokens", BWT_NAME_SHAPED},
    {"unktoken", BWT_NAME_PLAIN},
    {"webhooksecret", BWT_NAME_STRONG},
    {"writekey", BWT_NAME_STRONG},
    {"wskey", BWT_NAME_STRONG},
    {"wstoken", BWT_NAME_STRONG},
    {"xsrf", BWT_NAME_WEAK},
    {"zipcode", BWT_NAME_PLAIN},
};

static const entry *find(const char *letters, size_t len)
{
    size_t low = 0, high = sizeof entries / sizeof entries[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(letters, entries[middle].words, len);
        if (order == 0) order = entries[middle].words[len] == '\0' ? 0 : -1;
        if (order == 0) return &entries[middle];
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

bwt_name_class bwt_redact_name_class(bwt_str text, size_t from, size_t to)
{
    if (to - from > LONGEST_NAME) {
        /* Never begin inside a word: half of "monkey" is a name, too. */
        from = to - LONGEST_NAME;
        while (from < to && bwt_ascii_is_alnum(text.data[from])) from++;
    }
    words w;
    fold(text, from, to, &w);
    drop_numbers(&w);
    size_t compared = w.count < WORDS_COMPARED ? w.count : WORDS_COMPARED;
    for (size_t first = w.count - compared; first < w.count; first++) {
        const entry *found = find(w.letters + w.starts[first], w.len - w.starts[first]);
        if (found != NULL) return found->class;
    }
    return BWT_NAME_PLAIN;
}
