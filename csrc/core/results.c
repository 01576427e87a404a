/* Redaction and cutting of hits, so that what is kept is within every limit and stable under redaction. */
#include "core/results.h"

#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "core/redact.h"
#include "core/text.h"
#include "core/utf8.h"

enum { MAX_RECUTS = 4 };

typedef struct cutter {
    bwt_buf text;    /* all kept texts, one behind the other */
    bwt_buf current; /* the text being cut */
    bwt_buf again;   /* its second redaction */
    bool failed;
} cutter;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of the longest prefix of at most max_chars that does not end inside a redaction marker. */
static size_t prefix_outside_marker(bwt_str text, int64_t max_chars)
{
    static const bwt_str marker = {BWT_REDACTED, sizeof BWT_REDACTED - 1};
    size_t end = bwt_utf8_prefix(text, max_chars);
    if (end == text.len) return end;
    size_t from = end < marker.len ? 0 : end - marker.len + 1;
    for (size_t at = from; at < end; at++) {
        if (bwt_str_starts_with((bwt_str){text.data + at, text.len - at}, marker)) return at;
    }
    return end;
}

/* Whether the first len bytes of current stay as they are when redacted. Their redaction is left in again. */
static bool is_stable(cutter *cut, size_t len)
{
    bwt_str prefix = {bwt_buf_str(&cut->current).data, len};
    bwt_buf_clear(&cut->again);
    if (!bwt_redact_text_append(&cut->again, prefix)) {
        cut->failed = true;
        return true;
    }
    return bwt_str_equal(bwt_buf_str(&cut->again), prefix);
}

/* Cuts current to max_chars. A cut can make a secret of what was none (and the other way round), so the rest is
 * redacted and cut again until it holds still; if it does not, ever shorter prefixes are tried, the empty one last. */
static void cut_current(cutter *cut, int64_t max_chars, bool *was_cut)
{
    size_t len = 0;
    for (int recuts = 0; recuts < MAX_RECUTS; recuts++) {
        len = prefix_outside_marker(bwt_buf_str(&cut->current), max_chars);
        if (len < cut->current.len) *was_cut = true;
        if (is_stable(cut, len)) {
            cut->current.len = len;
            return;
        }
        bwt_buf before = cut->current;
        cut->current = cut->again;
        cut->again = before;
    }
    len = prefix_outside_marker(bwt_buf_str(&cut->current), max_chars);
    while (len > 0 && !is_stable(cut, len)) {
        bwt_str prefix = {cut->current.data, len};
        len = prefix_outside_marker(prefix, (int64_t)bwt_utf8_count(prefix) / 2);
        *was_cut = true;
    }
    cut->current.len = len;
}

/* Appends the redacted text, cut to max_chars, to what is kept. Returns its characters. */
static int64_t keep_text(cutter *cut, bwt_str raw, int64_t max_chars, bwt_str *kept, bool *was_cut)
{
    bwt_buf_clear(&cut->current);
    if (!bwt_redact_text_append(&cut->current, raw)) cut->failed = true;
    if (cut->failed) return 0;
    cut_current(cut, max_chars, was_cut);
    bwt_str text = {bwt_buf_str(&cut->current).data, cut->current.len};
    if (!bwt_buf_append_str(&cut->text, text)) cut->failed = true;
    kept->len = text.len;
    return (int64_t)bwt_utf8_count(text);
}

/* False: the URL is over the limit and nothing was kept. */
static bool keep_url(cutter *cut, bwt_str raw, bwt_str *kept)
{
    bwt_buf_clear(&cut->current);
    if (!bwt_redact_url_append(&cut->current, raw)) cut->failed = true;
    if (cut->failed) return true;
    bwt_str url = bwt_buf_str(&cut->current);
    if (bwt_utf8_count(url) > BWT_MAX_URL_CHARS) return false;
    if (!bwt_buf_append_str(&cut->text, url)) cut->failed = true;
    kept->len = url.len;
    return true;
}

static void select_hits(bwt_results *results, cutter *cut, const bwt_response *response, const unsigned char *clean,
                        const bwt_policy *policy)
{
    int64_t chars_left = policy->max_extract_chars;
    for (size_t i = 0; i < bwt_response_hit_count(response) && !cut->failed; i++) {
        if (clean != NULL && clean[i] == 0) continue;
        if (chars_left == 0 || (int64_t)results->count == policy->max_results) {
            results->truncated = true;
            return;
        }
        bwt_hit raw = bwt_response_hit(response, i);
        bwt_hit *kept = &results->hits[results->count];
        if (!keep_url(cut, raw.url, &kept->url)) {
            results->truncated = true;
            continue;
        }
        int64_t title_chars = least(BWT_MAX_TITLE_CHARS, chars_left);
        chars_left -= keep_text(cut, raw.title, title_chars, &kept->title, &results->truncated);
        int64_t snippet_chars = least(policy->max_snippet_chars, chars_left);
        chars_left -= keep_text(cut, raw.snippet, snippet_chars, &kept->snippet, &results->truncated);
        results->count++;
    }
}

/* Only the lengths were kept while the text could still move. */
static void place_all(bwt_results *results)
{
    const char *at = results->text.data;
    for (size_t i = 0; i < results->count; i++) {
        bwt_hit *hit = &results->hits[i];
        hit->url.data = at;
        hit->title.data = hit->url.data + hit->url.len;
        hit->snippet.data = hit->title.data + hit->title.len;
        at = hit->snippet.data + hit->snippet.len;
    }
}

static size_t most_hits(const bwt_response *response, const bwt_policy *policy)
{
    size_t count = bwt_response_hit_count(response);
    return (uint64_t)policy->max_results < count ? (size_t)policy->max_results : count;
}

bwt_error bwt_results_init(bwt_results *results, const bwt_response *response, const unsigned char *clean,
                           const bwt_policy *policy)
{
    bwt_results built = {.hits = bwt_alloc_zeroed(most_hits(response, policy), sizeof(bwt_hit))};
    if (built.hits == NULL) return BWT_ERR_NO_MEMORY;
    cutter cut = {.failed = false};
    bwt_buf_init(&cut.text, BWT_BUF_NO_CAP);
    bwt_buf_init(&cut.current, BWT_BUF_NO_CAP);
    bwt_buf_init(&cut.again, BWT_BUF_NO_CAP);
    select_hits(&built, &cut, response, clean, policy);
    bwt_error error = cut.failed ? BWT_ERR_NO_MEMORY : bwt_buf_take(&cut.text, &built.text);
    bwt_buf_deinit(&cut.text);
    bwt_buf_deinit(&cut.current);
    bwt_buf_deinit(&cut.again);
    if (error != BWT_OK) {
        bwt_results_deinit(&built);
        return error;
    }
    place_all(&built);
    *results = built;
    return BWT_OK;
}

void bwt_results_deinit(bwt_results *results)
{
    bwt_free(results->hits);
    bwt_text_free(&results->text);
    *results = (bwt_results){.hits = NULL};
}
