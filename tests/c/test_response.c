/* Responses, the meaning of HTTP statuses, and Retry-After. */
#include <string.h>

#include "core/text.h"
#include "support/check.h"

/* ---- responses ---- */

static void hits_are_copied_in_order(void **state)
{
    (void)state;
    char title[] = "Title", url[] = "https://example.org/", snippet[] = "Snippet";
    bwt_response *response = bwt_response_new(200, true);
    for (size_t i = 0; i < 100; i++) {
        title[0] = (char)('A' + (char)(i % 26));
        bwt_hit given = {{title, 5}, {url, sizeof url - 1}, {snippet, 7}};
        assert_int_equal(bwt_response_add_hit(response, given), BWT_OK);
    }
    bwt_hit first = bwt_response_hit(response, 0); /* stays valid while the response grows */
    memset(title, 'x', 5);
    memset(snippet, 'x', 7);
    assert_int_equal(bwt_response_add_hit(response, (bwt_hit){BWT_STR("last"), BWT_STR_NONE, BWT_STR_NONE}), BWT_OK);
    assert_int_equal(bwt_response_hit_count(response), 101);
    assert_str(first.title, "Aitle");
    assert_str(first.url, "https://example.org/");
    assert_str(first.snippet, "Snippet");
    assert_str(bwt_response_hit(response, 27).title, "Bitle");
    bwt_hit last = bwt_response_hit(response, 100);
    assert_str(last.title, "last");
    assert_str(last.url, ""); /* absent becomes empty */
    assert_str(last.snippet, "");
    bwt_response_free(response);
}

static void invalid_text_becomes_replacement_characters(void **state)
{
    (void)state;
    bwt_response *response = bwt_response_new(0, true);
    bwt_hit given = {BWT_STR("a\xED\xA0\x80z"), BWT_STR("\xFF"), BWT_STR("ok\xE1\x80")};
    assert_int_equal(bwt_response_add_hit(response, given), BWT_OK);
    bwt_hit kept = bwt_response_hit(response, 0);
    assert_str(kept.title, "a\xEF\xBF\xBDz");
    assert_str(kept.url, "\xEF\xBF\xBD");
    assert_str(kept.snippet, "ok\xEF\xBF\xBD");
    bwt_response_free(response);
}

static void a_response_keeps_its_flags(void **state)
{
    (void)state;
    bwt_response *response = bwt_response_new(418, false);
    assert_int_equal(bwt_response_http_status(response), 418);
    assert_false(bwt_response_parse_ok(response));
    assert_false(bwt_response_status_settled(response));
    bwt_response_settle_status(response);
    assert_true(bwt_response_status_settled(response));
    bwt_answer answer = {.response = response, .failure = {.retry_after_ms = 7}};
    bwt_answer_clear(&answer);
    assert_null(answer.response);
    assert_int_equal(answer.failure.status, BWT_ATTEMPT_STATUS_NONE);
    assert_int_equal(answer.failure.retry_after_ms, -1);
    bwt_response_free(NULL);
}

static bwt_error build(void *context)
{
    (void)context;
    bwt_response *response = bwt_response_new(200, true);
    if (response == NULL) return BWT_ERR_NO_MEMORY;
    bwt_error error = BWT_OK;
    size_t added = 0;
    for (; added < 20 && error == BWT_OK; added++) {
        error = bwt_response_add_hit(response, (bwt_hit){BWT_STR("t"), BWT_STR("u"), BWT_STR("s")});
    }
    /* A hit is in it wholly or not at all. */
    assert_int_equal(bwt_response_hit_count(response), error == BWT_OK ? added : added - 1);
    bwt_response_free(response);
    return error;
}

static void no_memory_is_an_error_value(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(build, NULL) >= 23);
}

/* ---- statuses ---- */

static void every_status_has_its_row(void **state)
{
    (void)state;
    for (int status = -1; status <= 1000; status++) {
        bwt_attempt_status expected = BWT_ATTEMPT_STATUS_TRANSPORT_ERROR;
        bwt_failure_detail detail = BWT_FAILURE_DETAIL_PROTOCOL;
        if (status >= 300 && status <= 399) detail = BWT_FAILURE_DETAIL_REDIRECT;
        if (status >= 400 && status <= 599) detail = BWT_FAILURE_DETAIL_PROVIDER_ERROR;
        if (status == 401 || status == 403) expected = BWT_ATTEMPT_STATUS_AUTH_FAILED;
        if (status == 402 || status == 432 || status == 433) expected = BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED;
        if (status == 429) expected = BWT_ATTEMPT_STATUS_RATE_LIMITED;
        if (expected != BWT_ATTEMPT_STATUS_TRANSPORT_ERROR) detail = BWT_FAILURE_DETAIL_NONE;
        bwt_failure failure = {.http_status = -7};
        bool decided = bwt_http_status_failure(status, &failure);
        assert_int_equal(decided, status != 0 && !(status >= 200 && status <= 299));
        if (!decided) {
            assert_int_equal(failure.http_status, -7);
            continue;
        }
        assert_int_equal(failure.status, expected);
        assert_int_equal(failure.detail, detail);
        assert_int_equal(failure.http_status, status);
        assert_int_equal(failure.retry_after_ms, -1);
    }
}

/* ---- Retry-After ---- */

#define NOW INT64_C(784111777) /* Sun, 06 Nov 1994 08:49:37 GMT */

static void assert_wait(const char *value, int64_t now_unix_s, int64_t expected_ms)
{
    if (bwt_retry_after_ms(bwt_str_c(value), now_unix_s) == expected_ms) return;
    print_error("Retry-After: %s\n", value);
    assert_int_equal(bwt_retry_after_ms(bwt_str_c(value), now_unix_s), expected_ms);
}

static void seconds_are_clamped_to_a_day(void **state)
{
    (void)state;
    assert_wait("0", NOW, 0);
    assert_wait("7", NOW, 7000);
    assert_wait(" 120 ", NOW, 120000);
    assert_wait("86399", NOW, 86399000);
    assert_wait("86400", NOW, BWT_MAX_RETRY_AFTER_MS);
    assert_wait("86401", NOW, BWT_MAX_RETRY_AFTER_MS);
    assert_wait("18446744073709551617", NOW, BWT_MAX_RETRY_AFTER_MS);
    assert_wait("00000000000000000000000000000005", NOW, 5000);
}

static void all_three_date_forms_are_read(void **state)
{
    (void)state;
    assert_wait("Sun, 06 Nov 1994 08:50:37 GMT", NOW, 60000);
    assert_wait("Sunday, 06-Nov-94 08:50:37 GMT", NOW, 60000);
    assert_wait("Sun Nov  6 08:50:37 1994", NOW, 60000);
    assert_wait("Sun Nov 06 08:50:37 1994", NOW, 60000);
    assert_wait("Sun, 06 Nov 1994 08:49:36 GMT", NOW, 0); /* gone by */
    assert_wait("Thu, 01 Jan 1970 00:00:00 GMT", NOW, 0);
    assert_wait("Fri, 31 Dec 9999 23:59:59 GMT", NOW, BWT_MAX_RETRY_AFTER_MS);
    /* Leap days: 2000 and 2024 have one, 2100 has none. */
    assert_wait("Tue, 29 Feb 2000 00:00:10 GMT", 951782400, 10000);
    assert_wait("Fri, 01 Mar 2024 00:00:00 GMT", 1709164800 + 86400 - 5, 5000);
    assert_wait("Mon, 29 Feb 2100 00:00:00 GMT", NOW, -1);
    assert_wait("Mon, 01 Mar 2100 00:00:00 GMT", 4107542400 - 30, 30000);
}

/* A year of two digits lies at most fifty years ahead. */
static void two_digit_years_are_near_now(void **state)
{
    (void)state;
    assert_wait("Friday, 01-Jan-27 00:00:00 GMT", 1798761600 - 60, 60000);
    assert_wait("Sunday, 06-Nov-44 08:49:37 GMT", NOW, BWT_MAX_RETRY_AFTER_MS);
    assert_wait("Monday, 06-Nov-45 08:49:37 GMT", NOW, 0);
    assert_wait("Saturday, 01-Jan-00 00:00:00 GMT", 946684800 - 60, 60000);
    assert_wait("Sunday, 06-Nov-94 08:49:37 GMT", 1798761600, 0);
}

static void anything_else_names_no_wait(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "soon",
        "5 minutes",
        "1.5",
        "-30",
        "+5",
        "5s",
        "0x10",
        "1e3",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 GMT;",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Apr 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "\xEF\xBC\x95",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) assert_wait(bad[i], NOW, -1);
    assert_int_equal(bwt_retry_after_ms(BWT_STR_NONE, NOW), -1);
    /* Seconds need no clock; a date does. */
    assert_wait("5", -1, 5000);
    assert_wait("Sun, 06 Nov 1994 08:49:37 GMT", -1, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(hits_are_copied_in_order),      leak_checked(invalid_text_becomes_replacement_characters),
        leak_checked(a_response_keeps_its_flags),    leak_checked(no_memory_is_an_error_value),
        leak_checked(every_status_has_its_row),      leak_checked(seconds_are_clamped_to_a_day),
        leak_checked(all_three_date_forms_are_read), leak_checked(two_digit_years_are_near_now),
        leak_checked(anything_else_names_no_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
