/* From hits to a receipt's results: every limit at its edge, the marker kept whole, redaction that changes nothing. */
#include "support/check.h"
#include "support/plans.h"
#include "support/receipts.h"

#include <string.h>

#include "core/results.h"
#include "core/utf8.h"

#define E_ACUTE "\xC3\xA9"
#define SECRET "sk-Zq81LmX0pT7vKc93RdWbYe55aGh2NsUf"
#define MARKER BWT_REDACTED

static bwt_policy make_policy(int64_t max_results, int64_t max_snippet_chars, int64_t max_extract_chars)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.max_results = max_results;
    policy.max_snippet_chars = max_snippet_chars;
    policy.max_extract_chars = max_extract_chars;
    return policy;
}

static bwt_str c_str(const char *text)
{
    return (bwt_str){text, strlen(text)};
}

/* count copies of piece; free the text. */
static bwt_text repeat(const char *piece, size_t count)
{
    size_t len = strlen(piece);
    bwt_text text = {bwt_alloc(len * count + 1), len * count};
    assert_non_null(text.data);
    for (size_t i = 0; i < count; i++) memcpy(text.data + i * len, piece, len);
    text.data[text.len] = '\0';
    return text;
}

static bwt_results results_of(const bwt_hit *hits, size_t count, const unsigned char *clean, bwt_policy policy)
{
    bwt_response *response = bwt_response_new(200, true);
    for (size_t i = 0; i < count; i++) assert_int_equal(bwt_response_add_hit(response, hits[i]), BWT_OK);
    bwt_results results = {NULL, 0, false, {NULL, 0}};
    assert_int_equal(bwt_results_init(&results, response, clean, &policy), BWT_OK);
    bwt_response_free(response);
    return results;
}

/* ---- one text against its limit */

static void check_title(const char *piece, size_t count, size_t kept)
{
    bwt_text title = repeat(piece, count);
    bwt_hit hit = {.title = {title.data, title.len}};
    bwt_results results = results_of(&hit, 1, NULL, make_policy(10, 500, 4000));
    assert_int_equal(results.count, 1);
    assert_int_equal(bwt_utf8_count(results.hits[0].title), kept);
    assert_int_equal(results.hits[0].title.len, kept * strlen(piece));
    assert_int_equal(results.truncated, kept < count);
    bwt_results_deinit(&results);
    bwt_text_free(&title);
}

static void test_titles_are_cut_at_200_characters(void **state)
{
    (void)state;
    check_title("a ", 0, 0);
    check_title("\xE6\x9D\xB1", 199, 199);
    check_title("\xE6\x9D\xB1", 200, 200);
    check_title("\xE6\x9D\xB1", 201, 200);
    check_title("\xF0\x9F\x90\xB3", 5000, 200);
}

static void check_snippet(const char *snippet, int64_t max_chars, const char *expected, bool truncated)
{
    bwt_hit hit = {BWT_STR("t"), BWT_STR("u"), c_str(snippet)};
    bwt_results results = results_of(&hit, 1, NULL, make_policy(10, max_chars, 4000));
    assert_str(results.hits[0].snippet, expected);
    assert_int_equal(results.truncated, truncated);
    bwt_results_deinit(&results);
}

static void test_snippets_are_cut_on_characters(void **state)
{
    (void)state;
    check_snippet(E_ACUTE E_ACUTE "b", 3, E_ACUTE E_ACUTE "b", false);
    check_snippet(E_ACUTE E_ACUTE "b", 2, E_ACUTE E_ACUTE, true);
    check_snippet(E_ACUTE E_ACUTE "b", 1, E_ACUTE, true);
    check_snippet("", 1, "", false);
}

/* Redacted first: the limit counts the marker, and never ends inside it. */
static void test_no_cut_inside_the_marker(void **state)
{
    (void)state;
    check_snippet("key " SECRET " end", 18, "key " MARKER " end", false);
    check_snippet("key " SECRET " end", 17, "key " MARKER " en", true);
    check_snippet("key " SECRET " end", 14, "key " MARKER, true);
    for (int64_t limit = 5; limit < 14; limit++) check_snippet("key " SECRET " end", limit, "key ", true);
    check_snippet("key " SECRET " end", 4, "key ", true);
    check_snippet("key " SECRET " end", 3, "key", true);
    check_snippet(SECRET, 9, "", true);
    check_snippet("say [REDACTED] loud", 9, "say ", true);
    check_snippet("say [REDACT loud", 9, "say [REDA", true);
}

/* ---- titles and snippets together */

static void test_extract_is_shared(void **state)
{
    (void)state;
    const bwt_hit hits[] = {
        {BWT_STR("one"), BWT_STR("u1"), BWT_STR("snip")},
        {BWT_STR("two"), BWT_STR("u2"), BWT_STR("pens")},
        {BWT_STR("six"), BWT_STR("u3"), BWT_STR("")},
    };
    static const struct {
        int64_t max_chars;
        size_t count;
        const char *last_title, *last_snippet;
        bool truncated;
    } rows[] = {
        {17, 3, "six", "", false},  {16, 3, "si", "", true},  {15, 3, "s", "", true}, {14, 2, "two", "pens", true},
        {11, 2, "two", "p", true},  {10, 2, "two", "", true}, {9, 2, "tw", "", true}, {7, 1, "one", "snip", true},
        {6, 1, "one", "sni", true}, {1, 1, "o", "", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_results results = results_of(hits, COUNT_OF(hits), NULL, make_policy(10, 500, rows[i].max_chars));
        assert_int_equal(results.count, rows[i].count);
        assert_str(results.hits[results.count - 1].title, rows[i].last_title);
        assert_str(results.hits[results.count - 1].snippet, rows[i].last_snippet);
        assert_int_equal(results.truncated, rows[i].truncated);
        bwt_results_deinit(&results);
    }
}

/* ---- hits */

static void test_max_results_counts_what_is_kept(void **state)
{
    (void)state;
    bwt_text long_url = repeat("x", BWT_MAX_URL_CHARS + 1);
    const bwt_hit hits[] = {
        {BWT_STR("a"), {long_url.data, long_url.len}, BWT_STR("dropped")},
        {BWT_STR("b"), {long_url.data, long_url.len - 1}, BWT_STR("kept")},
        {BWT_STR("c"), BWT_STR("https://c.invalid/"), BWT_STR("kept")},
        {BWT_STR("d"), BWT_STR(""), BWT_STR("beyond")},
    };
    bwt_results results = results_of(hits, 4, NULL, make_policy(2, 500, 4000));
    assert_int_equal(results.count, 2);
    assert_str(results.hits[0].title, "b");
    assert_str(results.hits[0].url, long_url.data + 1);
    assert_str(results.hits[1].title, "c");
    assert_true(results.truncated);
    bwt_results_deinit(&results);

    results = results_of(hits + 1, 2, NULL, make_policy(2, 500, 4000));
    assert_int_equal(results.count, 2);
    assert_false(results.truncated);
    bwt_results_deinit(&results);

    results = results_of(hits, 1, NULL, make_policy(2, 500, 4000));
    assert_int_equal(results.count, 0);
    assert_true(results.truncated);
    bwt_results_deinit(&results);
    bwt_text_free(&long_url);
}

/* Condemned hits are not evidence: leaving them out is no truncation. */
static void test_only_clean_hits_are_kept(void **state)
{
    (void)state;
    const bwt_hit hits[] = {{.title = BWT_STR("wall")}, {.title = BWT_STR("good")}, {.title = BWT_STR("wall")}};
    bwt_results results = results_of(hits, 3, (const unsigned char[]){0, 1, 0}, make_policy(1, 500, 4000));
    assert_int_equal(results.count, 1);
    assert_str(results.hits[0].title, "good");
    assert_str(results.hits[0].url, "");
    assert_false(results.truncated);
    bwt_results_deinit(&results);
    results = results_of(NULL, 0, NULL, make_policy(1, 500, 4000));
    assert_int_equal(results.count, 0);
    bwt_results_deinit(&results);
}

/* ---- a receipt made from the results is its own redaction */

static void random_text(dice *from, char *out, size_t size)
{
    static const char *const pieces[] = {
        "plain ",
        "words ",
        "=",
        "&",
        "?",
        "/",
        ":",
        "\n",
        "api_key=",
        "password: ",
        "Bearer ",
        "token=",
        SECRET,
        MARKER,
        "[REDACTED",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "https://user:pw@h.invalid/p?q=1",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "xoxb-123456789012-abcdefghijkl",
        "-",
        ".",
        "_",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "\xE6\x9D\xB1\xE4\xBA\xAC",
        "%3D",
        "\"",
        E_ACUTE,
        "0123456789abcdef",
        "secret",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        ";sid=77",
        "#frag",
    };
    size_t len = 0;
    for (uint64_t parts = dice_below(from, 9); parts > 0; parts--) {
        const char *piece = pieces[dice_below(from, COUNT_OF(pieces))];
        size_t piece_len = strlen(piece);
        if (len + piece_len >= size) break;
        memcpy(out + len, piece, piece_len);
        len += piece_len;
    }
    out[len] = '\0';
}

static void check_redaction_changes_nothing(bwt_str text, bwt_error (*redact)(bwt_str, bwt_text *))
{
    bwt_text again = {NULL, 0};
    assert_int_equal(redact(text, &again), BWT_OK);
    bwt_text kept = {bwt_alloc(text.len + 1), text.len};
    memcpy(kept.data, text.data, text.len);
    kept.data[text.len] = '\0';
    assert_text(again, kept.data);
    bwt_text_free(&kept);
}

static void check_resealing_changes_nothing(const bwt_results *results)
{
    bwt_receipt_fields fields = make_fields(BWT_ATTEMPT_STATUS_OK_USEFUL, BWT_ATTEMPT_STATUS_NONE);
    fields.results = results->hits;
    fields.result_count = results->count;
    bwt_receipt *receipt = NULL;
    assert_int_equal(bwt_receipt_seal(&fields, &receipt, NULL), BWT_OK);
    for (size_t i = 0; i < results->count; i++) {
        const bwt_hit *before = &results->hits[i];
        const bwt_hit *after = &bwt_receipt_view(receipt)->results[i];
        assert_int_equal(after->title.len, before->title.len);
        assert_memory_equal(after->title.data, before->title.data, before->title.len);
        assert_int_equal(after->url.len, before->url.len);
        assert_memory_equal(after->url.data, before->url.data, before->url.len);
        assert_int_equal(after->snippet.len, before->snippet.len);
        assert_memory_equal(after->snippet.data, before->snippet.data, before->snippet.len);
    }
    bwt_receipt_free(receipt);
}

static void test_results_are_a_fixpoint_of_redaction(void **state)
{
    (void)state;
    dice from = {7};
    size_t cut = 0;
    for (int round = 0; round < 4000; round++) {
        char texts[3][3][600];
        bwt_hit hits[3];
        for (int i = 0; i < 3; i++) {
            for (int part = 0; part < 3; part++) random_text(&from, texts[i][part], sizeof texts[i][part]);
            hits[i] = (bwt_hit){c_str(texts[i][0]), c_str(texts[i][1]), c_str(texts[i][2])};
        }
        bwt_policy policy = make_policy(1 + (int64_t)dice_below(&from, 4), 1 + (int64_t)dice_below(&from, 120),
                                        1 + (int64_t)dice_below(&from, 300));
        bwt_results results = results_of(hits, 3, NULL, policy);
        cut += results.truncated;
        int64_t chars = 0;
        assert_true((int64_t)results.count <= policy.max_results);
        for (size_t i = 0; i < results.count; i++) {
            assert_true((int64_t)bwt_utf8_count(results.hits[i].snippet) <= policy.max_snippet_chars);
            chars += (int64_t)(bwt_utf8_count(results.hits[i].title) + bwt_utf8_count(results.hits[i].snippet));
            check_redaction_changes_nothing(results.hits[i].title, bwt_redact_text);
            check_redaction_changes_nothing(results.hits[i].url, bwt_redact_url);
            check_redaction_changes_nothing(results.hits[i].snippet, bwt_redact_text);
        }
        assert_true(chars <= policy.max_extract_chars);
        check_resealing_changes_nothing(&results);
        bwt_results_deinit(&results);
    }
    assert_true(cut > 1000);
}

/* ---- no memory */

static bwt_error build_results(void *context)
{
    bwt_policy policy = make_policy(5, 20, 60);
    bwt_results results = {NULL, 0, false, {NULL, 0}};
    bwt_error error = bwt_results_init(&results, context, NULL, &policy);
    bwt_results_deinit(&results);
    return error;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    bwt_response *response = make_response(200, 8);
    assert_true(fail_each_allocation(build_results, response) >= 4);
    bwt_response_free(response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_titles_are_cut_at_200_characters),
        leak_checked(test_snippets_are_cut_on_characters),
        leak_checked(test_no_cut_inside_the_marker),
        leak_checked(test_extract_is_shared),
        leak_checked(test_max_results_counts_what_is_kept),
        leak_checked(test_only_clean_hits_are_kept),
        leak_checked(test_results_are_a_fixpoint_of_redaction),
        leak_checked(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
