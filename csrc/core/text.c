/* Byte-wise comparison and search. */
#include "core/text.h"

#include <string.h>

bool bwt_str_equal(bwt_str a, bwt_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool bwt_str_equal_ascii_case(bwt_str a, bwt_str b)
{
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (bwt_ascii_lower(a.data[i]) != bwt_ascii_lower(b.data[i])) return false;
    }
    return true;
}

bool bwt_str_starts_with(bwt_str text, bwt_str prefix)
{
    return text.len >= prefix.len && bwt_str_equal((bwt_str){text.data, prefix.len}, prefix);
}

bool bwt_str_find(bwt_str text, bwt_str needle, size_t *at)
{
    if (needle.len == 0) {
        *at = 0;
        return true;
    }
    size_t from = 0;
    while (text.len - from >= needle.len) {
        const char *first = memchr(text.data + from, needle.data[0], text.len - from - needle.len + 1);
        if (first == NULL) return false;
        from = (size_t)(first - text.data);
        if (memcmp(first, needle.data, needle.len) == 0) {
            *at = from;
            return true;
        }
        from++;
    }
    return false;
}

bwt_str bwt_str_trim_ascii(bwt_str text)
{
    static const char white[] = " \t\r\n";
    while (text.len > 0 && memchr(white, text.data[0], sizeof white - 1) != NULL) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && memchr(white, text.data[text.len - 1], sizeof white - 1) != NULL) text.len--;
    return text;
}

bwt_str bwt_str_c(const char *text)
{
    return text == NULL ? BWT_STR_NONE : (bwt_str){text, strlen(text)};
}

static void copy_cut(char *to, size_t size, const char *from)
{
    size_t len = strlen(from);
    if (len >= size) len = size - 1;
    memcpy(to, from, len);
    to[len] = '\0';
}

void bwt_complain(bwt_complaint *complaint, const char *field, const char *expected)
{
    if (complaint == NULL) return;
    copy_cut(complaint->field, sizeof complaint->field, field);
    copy_cut(complaint->expected, sizeof complaint->expected, expected);
}
