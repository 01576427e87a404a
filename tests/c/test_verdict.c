/* The search validator: fixed order of reasons, walls per hit, length by weight, term overlap in several scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/text.h"

#define LONG_TEXT " is explained here in a paragraph that is long enough to count as evidence for a reader."

static bwt_response *answer(bool parse_ok, const bwt_hit *hits, size_t count)
{
    bwt_response *response = bwt_response_new(200, parse_ok);
    assert_non_null(response);
    for (size_t i = 0; i < count; i++) assert_int_equal(bwt_response_add_hit(response, hits[i]), BWT_OK);
    return response;
}

static bwt_not_useful_reason reason_for(const char *query, bool parse_ok, const bwt_hit *hits, size_t count,
                                        unsigned char *clean)
{
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_response *response = answer(parse_ok, hits, count);
    bwt_verdict verdict;
    assert_int_equal(bwt_validator_judge(validator, bwt_str_c(query), response, &verdict, clean), BWT_OK);
    assert_int_equal(verdict.useful, verdict.reason == BWT_NOT_USEFUL_REASON_NONE);
    bwt_response_free(response);
    bwt_validator_release(validator);
    return verdict.reason;
}

static bwt_hit hit(const char *title, const char *snippet)
{
    return (bwt_hit){bwt_str_c(title), BWT_STR("https://example.org/"), bwt_str_c(snippet)};
}

static bwt_not_useful_reason reason_for_one(const char *query, const char *title, const char *snippet)
{
    bwt_hit only = hit(title, snippet);
    return reason_for(query, true, &only, 1, NULL);
}

static void reasons_come_in_the_fixed_order(void **state)
{
    (void)state;
    bwt_hit wall = hit("Just a moment...", "");
    assert_int_equal(reason_for("teapot", false, &wall, 1, NULL), BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD);
    assert_int_equal(reason_for("teapot", true, NULL, 0, NULL), BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET);
    assert_int_equal(reason_for("teapot", true, &wall, 1, NULL), BWT_NOT_USEFUL_REASON_LOGIN_WALL);
    assert_int_equal(reason_for_one("teapot", "zebra", "short"), BWT_NOT_USEFUL_REASON_CONTENT_TOO_SHORT);
    assert_int_equal(reason_for_one("teapot", "zebra", "A zebra" LONG_TEXT),
                     BWT_NOT_USEFUL_REASON_NO_QUERY_TERMS_MATCHED);
    assert_int_equal(reason_for_one("teapot", "Teapots", "Each one" LONG_TEXT), BWT_NOT_USEFUL_REASON_NONE);
}

static void a_wall_condemns_its_own_hit_only(void **state)
{
    (void)state;
    const bwt_hit hits[] = {hit("Verify you are human", "To continue."), hit("Teapot", "A teapot" LONG_TEXT)};
    unsigned char clean[2];
    assert_int_equal(reason_for("teapot", true, hits, 2, clean), BWT_NOT_USEFUL_REASON_NONE);
    assert_int_equal(clean[0], 0);
    assert_int_equal(clean[1], 1);
}

static void pages_about_walls_are_no_walls(void **state)
{
    (void)state;
    assert_int_equal(reason_for_one("login form", "Login form",
                                    "How to word a login form: many sites say please log in, which" LONG_TEXT LONG_TEXT),
                     BWT_NOT_USEFUL_REASON_NONE);
    assert_int_equal(reason_for_one("verify you are human", "What it means", "Verify you are human" LONG_TEXT),
                     BWT_NOT_USEFUL_REASON_NONE);
}

static void function_words_are_no_evidence(void **state)
{
    (void)state;
    assert_int_equal(reason_for_one("how does oauth work", "Does", "The word does" LONG_TEXT),
                     BWT_NOT_USEFUL_REASON_NO_QUERY_TERMS_MATCHED);
    /* Only the grammar pair of the query's three characters is shared. */
    assert_int_equal(
        reason_for_one("\xe5\x9c\xa8\xe5\x93\xaa\xe4\xb8\xaa", "x", "\xe5\x9c\xa8\xe5\x93\xaa" LONG_TEXT),
        BWT_NOT_USEFUL_REASON_NO_QUERY_TERMS_MATCHED);
    assert_int_equal(reason_for_one("???", "x", "Anything" LONG_TEXT), BWT_NOT_USEFUL_REASON_NONE);
}

/* Twenty Han characters weigh as much as forty letters; "tokyo weather" in Japanese matches by pairs. */
static void unspaced_scripts_weigh_double_and_match_by_pairs(void **state)
{
    (void)state;
#define TOKYO "\xe6\x9d\xb1\xe4\xba\xac"
#define WEATHER "\xe5\xa4\xa9\xe6\xb0\x97"
    assert_int_equal(reason_for_one(TOKYO WEATHER, "x", TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO),
                     BWT_NOT_USEFUL_REASON_NONE);
    assert_int_equal(reason_for_one(TOKYO WEATHER, "x", TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO TOKYO),
                     BWT_NOT_USEFUL_REASON_CONTENT_TOO_SHORT);
}

static void no_memory_is_an_error_value(void **state)
{
    (void)state;
    bwt_hit only = hit("Teapot", "A teapot" LONG_TEXT);
    bwt_response *response = answer(true, &only, 1);
    size_t before = bwt_native_bytes();
    bwt_error error = BWT_ERR_NO_MEMORY;
    for (size_t n = 1; error != BWT_OK; n++) {
        assert_true(n < 1000);
        bwt_validator_options options;
        bwt_validator_options_init(&options);
        bwt_validator *validator = NULL;
        bwt_verdict verdict;
        bwt_mem_fail_from(n);
        error = bwt_validator_new(&options, &validator, NULL);
        if (error == BWT_OK) error = bwt_validator_judge(validator, BWT_STR("teapot"), response, &verdict, NULL);
        bwt_mem_fail_from(0);
        assert_true(error == BWT_OK || error == BWT_ERR_NO_MEMORY);
        bwt_validator_release(validator);
        assert_int_equal(bwt_native_bytes(), before);
    }
    bwt_response_free(response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_come_in_the_fixed_order),
        cmocka_unit_test(a_wall_condemns_its_own_hit_only),
        cmocka_unit_test(pages_about_walls_are_no_walls),
        cmocka_unit_test(function_words_are_no_evidence),
        cmocka_unit_test(unspaced_scripts_weigh_double_and_match_by_pairs),
        cmocka_unit_test(no_memory_is_an_error_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
