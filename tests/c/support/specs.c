/* Quotes and compiles specs. */
#include "support/specs.h"

#include <string.h>

bwt_str spec_text(const char *text)
{
    enum { KEPT = 16, LONGEST = 4096 };
    static char copies[KEPT][LONGEST];
    static size_t next;
    char *copy = copies[next++ % KEPT];
    size_t len = strlen(text);
    assert_true(len < LONGEST);
    for (size_t i = 0; i <= len; i++) copy[i] = text[i] == '\'' ? '"' : text[i];
    return (bwt_str){copy, len};
}

bwt_provider *compiled_with(const char *spec, bwt_provider_overrides overrides)
{
    bwt_provider *provider = NULL;
    bwt_complaint complaint;
    bwt_error error = bwt_provider_compile(spec_text(spec), &overrides, &provider, &complaint);
    if (error != BWT_OK) fail_msg("%s: %s", complaint.field, complaint.expected);
    return provider;
}

bwt_provider *compiled(const char *spec)
{
    return compiled_with(spec, (bwt_provider_overrides){0});
}
