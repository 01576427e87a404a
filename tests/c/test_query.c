/* The local refusals of a query, in the contract's order. */
#include <stdlib.h>
#include <string.h>

#include "core/query.h"
#include "core/text.h"
#include "support/check.h"

static bwt_policy_reason judge(bwt_str raw, int64_t max_chars, const char *expected)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.max_query_chars = max_chars;
    bwt_text out = {NULL, 0};
    bwt_policy_reason reason = BWT_POLICY_REASON_END;
    assert_int_equal(bwt_query_prepare(&policy, raw, &out, &reason), BWT_OK);
    if (expected == NULL) {
        assert_null(out.data);
    } else {
        assert_text(out, expected);
    }
    return reason;
}

static bwt_policy_reason refusal(bwt_str raw)
{
    return judge(raw, 400, NULL);
}

static void assert_becomes(bwt_str raw, const char *expected)
{
    assert_int_equal(judge(raw, 400, expected), BWT_POLICY_REASON_NONE);
}

static void white_space_folds_and_ends_are_trimmed(void **state)
{
    (void)state;
    assert_becomes(BWT_STR("plain"), "plain");
    assert_becomes(BWT_STR("  a \t\r\n b\v\fc  "), "a b c");
    assert_becomes(BWT_STR("a\xC2\x85"
                           "b"),
                   "a b"); /* NEL */
    assert_becomes(BWT_STR("\xC2\xA0"
                           "a\xE3\x80\x80"
                           "b\xE2\x80\xA8"),
                   "a b"); /* no-break, ideographic, line separator */
    assert_becomes(BWT_STR("a\xE2\x80\x8B"
                           "b"),
                   "a\xE2\x80\x8B"
                   "b"); /* zero-width space is no white space */
}

static void the_text_is_normalised(void **state)
{
    (void)state;
    assert_becomes(BWT_STR("Mu\xCC\x88nchen"), "M\xC3\xBCnchen");
    assert_becomes(BWT_STR("\xEF\xAC\x81"), "\xEF\xAC\x81");
}

static void control_characters_and_invalid_text_are_malformed(void **state)
{
    (void)state;
    static const bwt_str bad[] = {
        {"a\0b", 3},         {"\x1B[31m", 5}, {"a\x7F", 2}, {"\x1C", 1}, {"a\xC2\x80", 3}, /* U+0080 */
        {"\xED\xA0\x80", 3}, {"\xFF", 1},     {"a\xC3", 2}, {"\x01", 1},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(refusal(bad[i]), BWT_POLICY_REASON_MALFORMED_QUERY);
    }
}

static void nothing_visible_is_empty(void **state)
{
    (void)state;
    static const bwt_str empty[] = {
        {"", 0},
        {NULL, 0},
        {" \t\n ", 4},
        {"\xE2\x80\x8B\xEF\xBB\xBF\xC2\xAD", 8}, /* zero-width space, BOM, soft hyphen */
        {"\xE2\x80\x8B \xE2\x80\x8D", 7},
        {"\xEF\xB8\x8F", 3}, /* a variation selector */
    };
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        assert_int_equal(refusal(empty[i]), BWT_POLICY_REASON_EMPTY_QUERY);
    }
}

static void length_is_counted_in_code_points_after_normalising(void **state)
{
    (void)state;
    assert_int_equal(judge(BWT_STR("abcd"), 4, "abcd"), BWT_POLICY_REASON_NONE);
    assert_int_equal(judge(BWT_STR("abcde"), 4, NULL), BWT_POLICY_REASON_QUERY_TOO_LONG);
    assert_int_equal(judge(BWT_STR("  a   b  "), 3, "a b"), BWT_POLICY_REASON_NONE);
    assert_int_equal(judge(BWT_STR("u\xCC\x88u\xCC\x88"), 2, "\xC3\xBC\xC3\xBC"), BWT_POLICY_REASON_NONE);
    /* Four code points that compose into one: the quick refusal must not come too soon. */
    assert_int_equal(judge(BWT_STR("\xCE\xB1\xCC\x93\xCC\x80\xCD\x85"), 1, "\xE1\xBE\x82"), BWT_POLICY_REASON_NONE);
    assert_int_equal(judge(BWT_STR("\xE6\x9D\xB1\xE4\xBA\xAC"), 2, "\xE6\x9D\xB1\xE4\xBA\xAC"),
                     BWT_POLICY_REASON_NONE);
}

static void credentials_are_refused_if_the_policy_says_so(void **state)
{
    (void)state;
    static const char *const secrets[] = {
        "why does AKIAIOSFODNN7EXAMPLE fail",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "is xoxb-123456789012-abcdefghijkl safe",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyIn0.x what is this",
    };
    for (size_t i = 0; i < COUNT_OF(secrets); i++) {
        assert_int_equal(refusal(bwt_str_c(secrets[i])), BWT_POLICY_REASON_SECRET_IN_QUERY);
    }
    /* Only kinds that their own shape betrays: a query may ask about passwords and hashes. */
    assert_becomes(BWT_STR("password=hunter2"), "password=hunter2");
    assert_becomes(BWT_STR("what starts with ghp_ and AKIA"), "what starts with ghp_ and AKIA");

    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.refuse_secrets_in_query = false;
    bwt_text out;
    bwt_policy_reason reason;
    assert_int_equal(bwt_query_prepare(&policy, BWT_STR("AKIAIOSFODNN7EXAMPLE"), &out, &reason), BWT_OK);
    assert_int_equal(reason, BWT_POLICY_REASON_NONE);
    assert_text(out, "AKIAIOSFODNN7EXAMPLE");
}

static void the_first_refusal_of_the_order_wins(void **state)
{
    (void)state;
    assert_int_equal(judge(BWT_STR("\xE2\x80\x8B\x01"), 1, NULL), BWT_POLICY_REASON_MALFORMED_QUERY);
    assert_int_equal(judge(BWT_STR("aaaaaaaaaaaaaaaaaaaaaaaa\x01"), 1, NULL), BWT_POLICY_REASON_MALFORMED_QUERY);
    assert_int_equal(
        judge(BWT_STR("\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B"), 1, NULL),
        BWT_POLICY_REASON_EMPTY_QUERY);
    assert_int_equal(judge(BWT_STR("AKIAIOSFODNN7EXAMPLE"), 10, NULL), BWT_POLICY_REASON_QUERY_TOO_LONG);
}

/* Ten megabytes are judged without a copy of them. */
static void a_huge_query_costs_no_memory(void **state)
{
    (void)state;
    enum { BYTES = 10 * 1024 * 1024 };
    char *huge = malloc(BYTES);
    assert_non_null(huge);
    memset(huge, 'a', BYTES);
    bwt_mem_fail_from(1);
    assert_int_equal(refusal((bwt_str){huge, BYTES}), BWT_POLICY_REASON_QUERY_TOO_LONG);
    huge[BYTES - 1] = '\x01';
    assert_int_equal(refusal((bwt_str){huge, BYTES}), BWT_POLICY_REASON_MALFORMED_QUERY);
    memset(huge, ' ', BYTES);
    assert_int_equal(refusal((bwt_str){huge, BYTES}), BWT_POLICY_REASON_EMPTY_QUERY);
    for (size_t i = 0; i + 3 <= BYTES; i += 3) memcpy(huge + i, "\xE2\x80\x8B", 3);
    assert_int_equal(refusal((bwt_str){huge, BYTES - BYTES % 3}), BWT_POLICY_REASON_EMPTY_QUERY);
    bwt_mem_fail_from(0);
    free(huge);
}

/* Every byte value at every place of a machine word must be judged as it is alone. */
static void the_word_wise_scan_sees_every_byte(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < 16; place++) {
            char text[17] = "abcdefghijklmnop";
            text[place] = (char)byte;
            bool fine = byte >= 0x20 && byte < 0x7F;
            bool white = byte == ' ' || (byte >= '\t' && byte <= '\r');
            bwt_policy policy;
            bwt_policy_init(&policy);
            bwt_text out = {NULL, 0};
            bwt_policy_reason reason;
            assert_int_equal(bwt_query_prepare(&policy, (bwt_str){text, 16}, &out, &reason), BWT_OK);
            assert_int_equal(reason, fine || white ? BWT_POLICY_REASON_NONE : BWT_POLICY_REASON_MALFORMED_QUERY);
            if (fine && !white) assert_memory_equal(out.data, text, 16);
            if (white) assert_int_equal(out.len, place == 0 || place == 15 ? 15 : 16);
            bwt_text_free(&out);
        }
    }
}

static bwt_error prepare(void *context)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    bwt_text out = {NULL, 0};
    bwt_policy_reason reason;
    bwt_error error = bwt_query_prepare(&policy, bwt_str_c(context), &out, &reason);
    bwt_text_free(&out);
    return error;
}

static void no_memory_is_an_error_value(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(prepare, " plain words ") >= 2);
    assert_true(fail_each_allocation(prepare, "Mu\xCC\x88nchen") >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(white_space_folds_and_ends_are_trimmed),
        leak_checked(the_text_is_normalised),
        leak_checked(control_characters_and_invalid_text_are_malformed),
        leak_checked(nothing_visible_is_empty),
        leak_checked(length_is_counted_in_code_points_after_normalising),
        leak_checked(credentials_are_refused_if_the_policy_says_so),
        leak_checked(the_first_refusal_of_the_order_wins),
        leak_checked(a_huge_query_costs_no_memory),
        leak_checked(the_word_wise_scan_sees_every_byte),
        leak_checked(no_memory_is_an_error_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
