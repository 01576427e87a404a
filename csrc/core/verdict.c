/* Whether a search answer is evidence: parse, number, walls, length, term overlap, in this order. */
#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"
#include "core/verdict_terms.h"
#include "core/walls.h"

/* A hit that says this little beside an everyday wall phrase is the wall, not a page about it. */
enum { WALL_REST_CHARS = 100 };

typedef struct marker {
    bwt_text phrase; /* as given */
    bwt_text folded;
    size_t folded_chars;
    bool strong;
} marker;

struct bwt_validator {
    size_t references;
    int64_t min_hits;
    int64_t min_snippet_chars;
    bool require_term_overlap;
    marker *markers;
    size_t marker_count;
};

void bwt_validator_options_init(bwt_validator_options *options)
{
    *options = (bwt_validator_options){.min_hits = 1, .min_snippet_chars = 40, .require_term_overlap = true};
}

static void destroy(bwt_validator *validator)
{
    for (size_t i = 0; validator->markers != NULL && i < validator->marker_count; i++) {
        bwt_text_free(&validator->markers[i].phrase);
        bwt_text_free(&validator->markers[i].folded);
    }
    bwt_free(validator->markers);
    bwt_free(validator);
}

static bwt_error set_marker(marker *entry, bwt_str phrase, bool strong)
{
    entry->strong = strong;
    bwt_error error = bwt_utf8_sanitize(phrase, &entry->phrase);
    if (error != BWT_OK) return error;
    error = bwt_utf8_nfkc_casefold((bwt_str){entry->phrase.data, entry->phrase.len}, &entry->folded);
    if (error == BWT_OK) entry->folded_chars = bwt_utf8_count((bwt_str){entry->folded.data, entry->folded.len});
    return error;
}

static bwt_error set_markers(bwt_validator *validator, const bwt_validator_options *options)
{
    bool built_in = options->login_wall_markers == NULL;
    validator->marker_count = built_in ? bwt_wall_marker_count() : options->login_wall_marker_count;
    validator->markers = bwt_alloc_zeroed(validator->marker_count, sizeof *validator->markers);
    if (validator->markers == NULL) return BWT_ERR_NO_MEMORY;
    for (size_t i = 0; i < validator->marker_count; i++) {
        bwt_wall_marker wall = {.strong = true};
        if (built_in) wall = bwt_wall_marker_at(i);
        bwt_str phrase = built_in ? bwt_str_c(wall.phrase) : options->login_wall_markers[i];
        bwt_error error = set_marker(&validator->markers[i], phrase, wall.strong);
        if (error != BWT_OK) return error;
    }
    return BWT_OK;
}

bwt_error bwt_validator_new(const bwt_validator_options *options, bwt_validator **out, bwt_complaint *complaint)
{
    if (options->min_hits < 1 || options->min_hits > BWT_MAX_POLICY_VALUE) {
        bwt_complain(complaint, "min_hits", "must be an integer between 1 and 1000000000000");
        return BWT_ERR_INVALID;
    }
    if (options->min_snippet_chars < 0 || options->min_snippet_chars > BWT_MAX_POLICY_VALUE) {
        bwt_complain(complaint, "min_snippet_chars", "must be an integer between 0 and 1000000000000");
        return BWT_ERR_INVALID;
    }
    bwt_validator *validator = bwt_alloc_zeroed(1, sizeof *validator);
    if (validator == NULL) return BWT_ERR_NO_MEMORY;
    validator->references = 1;
    validator->min_hits = options->min_hits;
    validator->min_snippet_chars = options->min_snippet_chars;
    validator->require_term_overlap = options->require_term_overlap;
    bwt_error error = set_markers(validator, options);
    if (error != BWT_OK) {
        destroy(validator);
        return error;
    }
    *out = validator;
    return BWT_OK;
}

bwt_validator *bwt_validator_retain(bwt_validator *validator)
{
    __atomic_add_fetch(&validator->references, 1, __ATOMIC_RELAXED);
    return validator;
}

void bwt_validator_release(bwt_validator *validator)
{
    if (validator == NULL) return;
    if (__atomic_sub_fetch(&validator->references, 1, __ATOMIC_ACQ_REL) == 0) destroy(validator);
}

size_t bwt_validator_marker_count(const bwt_validator *validator)
{
    return validator->marker_count;
}

bwt_str bwt_validator_marker(const bwt_validator *validator, size_t index)
{
    if (index >= validator->marker_count) return BWT_STR_NONE;
    return (bwt_str){validator->markers[index].phrase.data, validator->markers[index].phrase.len};
}

static bool is_wall(const bwt_validator *validator, bwt_str folded_hit, bwt_str folded_query)
{
    size_t chars = bwt_utf8_count(folded_hit), ignored;
    for (size_t i = 0; i < validator->marker_count; i++) {
        const marker *entry = &validator->markers[i];
        bwt_str phrase = {entry->folded.data, entry->folded.len};
        if (phrase.len == 0) continue;
        if (!entry->strong && chars > entry->folded_chars + WALL_REST_CHARS) continue;
        /* What the query says itself is an echo, not a wall. */
        if (bwt_str_find(folded_hit, phrase, &ignored) && !bwt_str_find(folded_query, phrase, &ignored)) return true;
    }
    return false;
}

/* Characters, those of Han, Kana and Hangul counted twice; it stops counting once enough is enough. */
static bool weighs(bwt_str text, int64_t wanted)
{
    int64_t weight = 0;
    size_t width;
    for (size_t at = 0; at < text.len && weight < wanted; at += width) {
        int32_t c = bwt_utf8_decode(text.data + at, text.len - at, &width);
        weight += c != BWT_UTF8_INVALID && bwt_unicode_is_cjk(c) ? 2 : 1;
    }
    return weight >= wanted;
}

typedef struct findings {
    size_t clean_hits;
    bool long_enough;
    bwt_terms terms;
} findings;

static bool fold_hit(bwt_buf *folded, bwt_hit hit)
{
    bwt_buf_clear(folded);
    return bwt_utf8_append_nfkc_casefold(folded, hit.title) && bwt_buf_append_char(folded, '\n') &&
           bwt_utf8_append_nfkc_casefold(folded, hit.snippet);
}

static bwt_error look_at_hits(const bwt_validator *validator, bwt_str folded_query, const bwt_response *response,
                              unsigned char *clean, findings *seen)
{
    bwt_buf folded;
    bwt_buf_init(&folded, BWT_BUF_NO_CAP);
    for (size_t i = 0; i < bwt_response_hit_count(response); i++) {
        bwt_hit hit = bwt_response_hit(response, i);
        if (!fold_hit(&folded, hit)) {
            bwt_buf_deinit(&folded);
            return BWT_ERR_NO_MEMORY;
        }
        bool wall = is_wall(validator, bwt_buf_str(&folded), folded_query);
        if (clean != NULL) clean[i] = !wall;
        if (wall) continue;
        seen->clean_hits++;
        if (weighs(hit.snippet, validator->min_snippet_chars)) seen->long_enough = true;
        if (validator->require_term_overlap) bwt_terms_look_in(&seen->terms, bwt_buf_str(&folded));
    }
    bwt_buf_deinit(&folded);
    return BWT_OK;
}

static bwt_not_useful_reason reason_of(const bwt_validator *validator, const bwt_response *response,
                                       const findings *seen)
{
    if (!bwt_response_parse_ok(response)) return BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD;
    if ((int64_t)bwt_response_hit_count(response) < validator->min_hits) return BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET;
    if (seen->clean_hits == 0) return BWT_NOT_USEFUL_REASON_LOGIN_WALL;
    if (!seen->long_enough) return BWT_NOT_USEFUL_REASON_CONTENT_TOO_SHORT;
    if (validator->require_term_overlap && !bwt_terms_satisfied(&seen->terms)) {
        return BWT_NOT_USEFUL_REASON_NO_QUERY_TERMS_MATCHED;
    }
    return BWT_NOT_USEFUL_REASON_NONE;
}

bwt_error bwt_validator_judge(const bwt_validator *validator, bwt_str query, const bwt_response *response,
                              bwt_verdict *verdict, unsigned char *clean)
{
    bwt_text safe_query = {NULL, 0}, folded = {NULL, 0};
    bwt_error error = bwt_utf8_sanitize(query, &safe_query);
    if (error == BWT_OK) error = bwt_utf8_nfkc_casefold((bwt_str){safe_query.data, safe_query.len}, &folded);
    if (error == BWT_OK) {
        bwt_str folded_query = {folded.data, folded.len};
        findings seen = {.clean_hits = 0};
        bwt_terms_init(&seen.terms, folded_query);
        error = look_at_hits(validator, folded_query, response, clean, &seen);
        bwt_not_useful_reason reason = reason_of(validator, response, &seen);
        if (error == BWT_OK) *verdict = (bwt_verdict){reason == BWT_NOT_USEFUL_REASON_NONE, reason};
    }
    bwt_text_free(&safe_query);
    bwt_text_free(&folded);
    return error;
}
