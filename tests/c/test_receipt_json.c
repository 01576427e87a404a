/* The receipt as text, byte for byte: canonical JSON, the model's short form, the explanation. */
#include "support/check.h"
#include "support/receipts.h"

#include <string.h>

#define S(name) BWT_ATTEMPT_STATUS_##name

typedef bwt_error writer(const bwt_receipt *receipt, bwt_text *out);

static void check_written(bwt_receipt_fields fields, writer *write, const char *expected)
{
    bwt_receipt *receipt = NULL;
    assert_int_equal(bwt_receipt_seal(&fields, &receipt, NULL), BWT_OK);
    bwt_text text = {NULL, 0};
    assert_int_equal(write(receipt, &text), BWT_OK);
    bwt_receipt_free(receipt);
    assert_text(text, expected);
}

static const bwt_hit two_hits[] = {
    {BWT_STR("東京の天気"), BWT_STR("https://tenki.invalid/tokyo?lang=ja"), BWT_STR("晴れ、最高 21 度。")},
    {BWT_STR("He said \"no\""), BWT_STR("https://quote.invalid/a\\b"), BWT_STR("one\ttwo\nthree")},
};

static bwt_receipt_fields useful_receipt(void)
{
    bwt_receipt_fields fields = make_fields(S(OK_NOT_USEFUL), S(OK_USEFUL));
    fields.elapsed_ms = 700;
    fields.attempts[0].http_status = 200;
    fields.attempts[0].not_useful_reason = BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET;
    fields.attempts[0].hit_count = 0;
    fields.attempts[0].elapsed_ms = 300;
    fields.attempts[1].elapsed_ms = 400;
    fields.attempts[1].target = BWT_STR("https://search.invalid/?q=x");
    fields.attempts[1].http_status = 203;
    fields.results = two_hits;
    fields.result_count = COUNT_OF(two_hits);
    fields.results_truncated = true;
    return fields;
}

static void test_full_json(void **state)
{
    (void)state;
    check_written(
        useful_receipt(), bwt_receipt_to_json,
        "{\"outcome\": \"useful_result\", \"next_action\": \"use_result\", \"fallback_used\": true, "
        "\"attempts_used\": 2, \"elapsed_ms\": 700, \"budget_ms\": 2000, \"attempts_allowed\": 2, "
        "\"retry_after_ms\": null, \"policy_reason\": null, \"results\": ["
        "{\"title\": \"東京の天気\", \"url\": \"https://tenki.invalid/tokyo?lang=ja\", "
        "\"snippet\": \"晴れ、最高 21 度。\"}, "
        "{\"title\": \"He said \\\"no\\\"\", \"url\": \"https://quote.invalid/a\\\\b\", "
        "\"snippet\": \"one\\ttwo\\nthree\"}], \"results_truncated\": true, \"attempts\": ["
        "{\"index\": 0, \"role\": \"primary\", \"transport\": \"first\", \"status\": \"ok_not_useful\", "
        "\"elapsed_ms\": 300, \"target\": null, \"http_status\": 200, \"not_useful_reason\": \"empty_result_set\", "
        "\"failure_detail\": null, \"hit_count\": 0}, "
        "{\"index\": 1, \"role\": \"fallback\", \"transport\": \"second\", \"status\": \"ok_useful\", "
        "\"elapsed_ms\": 400, \"target\": \"https://search.invalid/?q=x\", \"http_status\": 203, "
        "\"not_useful_reason\": null, \"failure_detail\": null, \"hit_count\": 4}], "
        "\"kind\": \"lookup\", \"schema_version\": \"1\"}");
}

static void test_refusal_json(void **state)
{
    (void)state;
    check_written(make_refusal(BWT_POLICY_REASON_SECRET_IN_QUERY), bwt_receipt_to_json,
                  "{\"outcome\": \"blocked_by_policy\", \"next_action\": \"stop\", \"fallback_used\": false, "
                  "\"attempts_used\": 0, \"elapsed_ms\": 0, \"budget_ms\": 2000, \"attempts_allowed\": 1, "
                  "\"retry_after_ms\": null, \"policy_reason\": \"secret_in_query\", \"results\": [], "
                  "\"results_truncated\": false, \"attempts\": [], \"kind\": \"lookup\", \"schema_version\": \"1\"}");
}

static void test_failure_json(void **state)
{
    (void)state;
    bwt_receipt_fields fields = make_fields(S(TRANSPORT_ERROR), S(NONE));
    fields.kind = BWT_KIND_PAGE;
    fields.retry_after_ms = 1500;
    fields.budget_ms = BWT_MAX_POLICY_VALUE;
    fields.attempts[0].failure_detail = BWT_FAILURE_DETAIL_TLS;
    check_written(fields, bwt_receipt_to_json,
                  "{\"outcome\": \"transport_failed\", \"next_action\": \"retry_later\", \"fallback_used\": false, "
                  "\"attempts_used\": 1, \"elapsed_ms\": 40, \"budget_ms\": 1000000000000, \"attempts_allowed\": 2, "
                  "\"retry_after_ms\": 1500, \"policy_reason\": null, \"results\": [], "
                  "\"results_truncated\": false, \"attempts\": [{\"index\": 0, \"role\": \"primary\", "
                  "\"transport\": \"first\", \"status\": \"transport_error\", \"elapsed_ms\": 20, \"target\": null, "
                  "\"http_status\": null, \"not_useful_reason\": null, \"failure_detail\": \"tls\", "
                  "\"hit_count\": null}], \"kind\": \"page\", \"schema_version\": \"1\"}");
}

/* Escapes as in JSON's own list; DEL, U+2028 and emoji go out as they are. */
static void test_escapes(void **state)
{
    (void)state;
    bwt_hit hit = {BWT_STR("\b\f\n\r\t\x01\x1f\x7f/"), BWT_STR(""), BWT_STR("\xE2\x80\xA8 \xF0\x9F\x90\xB3 \\u0041")};
    bwt_receipt_fields fields = make_fields(S(OK_USEFUL), S(NONE));
    fields.results = &hit;
    fields.result_count = 1;
    check_written(fields, bwt_receipt_to_model_json,
                  "{\"outcome\": \"useful_result\", \"next_action\": \"use_result\", \"retryable\": false, "
                  "\"retry_after_ms\": null, \"results\": [{\"title\": \"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f/\", "
                  "\"url\": \"\", \"snippet\": \"\xE2\x80\xA8 \xF0\x9F\x90\xB3 \\\\u0041\"}]}");
}

static void test_every_control_character(void **state)
{
    (void)state;
    for (int c = 0; c < 0x20; c++) {
        char title[] = {'a', (char)c, 'z'};
        bwt_hit hit = {{title, sizeof title}, BWT_STR(""), BWT_STR("")};
        bwt_receipt_fields fields = make_fields(S(OK_USEFUL), S(NONE));
        fields.results = &hit;
        fields.result_count = 1;
        bwt_receipt *receipt = NULL;
        assert_int_equal(bwt_receipt_seal(&fields, &receipt, NULL), BWT_OK);
        bwt_text json = {NULL, 0};
        assert_int_equal(bwt_receipt_to_json(receipt, &json), BWT_OK);
        for (size_t i = 0; i < json.len; i++) assert_true((unsigned char)json.data[i] >= 0x20);
        char *escape = strstr(json.data, "\"a\\");
        assert_non_null(escape);
        assert_int_equal(strncmp(escape + 3, "u00", 3) == 0, strchr("\b\f\n\r\t", c) == NULL || c == 0);
        bwt_text_free(&json);
        bwt_receipt_free(receipt);
    }
}

static void test_model_json(void **state)
{
    (void)state;
    bwt_receipt_fields limited = make_fields(S(RATE_LIMITED), S(SKIPPED_RESTING));
    limited.retry_after_ms = 30000;
    limited.attempts[0].target = BWT_STR("https://nobody.invalid/sees/this");
    check_written(limited, bwt_receipt_to_model_json,
                  "{\"outcome\": \"transport_failed\", \"next_action\": \"retry_later\", \"retryable\": true, "
                  "\"retry_after_ms\": 30000, \"results\": []}");
    check_written(make_refusal(BWT_POLICY_REASON_EMPTY_QUERY), bwt_receipt_to_model_json,
                  "{\"outcome\": \"blocked_by_policy\", \"next_action\": \"stop\", \"retryable\": false, "
                  "\"retry_after_ms\": null, \"results\": []}");
}

static void test_explanation(void **state)
{
    (void)state;
    check_written(useful_receipt(), bwt_receipt_explain,
                  "outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=700/2000 "
                  "trail=[primary:ok_not_useful -> fallback:ok_useful]");
    check_written(make_fields(S(SKIPPED_NO_BUDGET), S(NONE)), bwt_receipt_explain,
                  "outcome=budget_exhausted next_action=answer_from_prior_knowledge attempts=0/2 elapsed_ms=40/2000 "
                  "trail=[primary:skipped_no_budget]");
    check_written(make_refusal(BWT_POLICY_REASON_EMPTY_QUERY), bwt_receipt_explain,
                  "outcome=blocked_by_policy next_action=stop attempts=0/1 elapsed_ms=0/2000 trail=[none]");
}

static void test_kind_names(void **state)
{
    (void)state;
    assert_string_equal(bwt_receipt_kind_wire(BWT_KIND_LOOKUP), "lookup");
    assert_string_equal(bwt_receipt_kind_wire(BWT_KIND_PAGE), "page");
    assert_null(bwt_receipt_kind_wire((bwt_receipt_kind)0));
    assert_int_equal(bwt_receipt_kind_parse(BWT_STR("lookup")), BWT_KIND_LOOKUP);
    assert_int_equal(bwt_receipt_kind_parse(BWT_STR("page")), BWT_KIND_PAGE);
    assert_int_equal(bwt_receipt_kind_parse(BWT_STR("Page")), 0);
    assert_int_equal(bwt_receipt_kind_parse(BWT_STR_NONE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_full_json),
        leak_checked(test_refusal_json),
        leak_checked(test_failure_json),
        leak_checked(test_escapes),
        leak_checked(test_every_control_character),
        leak_checked(test_model_json),
        leak_checked(test_explanation),
        leak_checked(test_kind_names),
    };
    return cmocka_run_group_tests_name("receipt_json", tests, NULL, NULL);
}
