/* Sealing: what contradicts itself is refused by name, what is sealed is redacted, copied and printed exactly. */
#include "support/check.h"
#include "support/receipts.h"

#include <string.h>

#define S(name) BWT_ATTEMPT_STATUS_##name

static bwt_receipt *seal(const bwt_receipt_fields *fields)
{
    bwt_receipt *receipt = NULL;
    bwt_complaint complaint = {"", ""};
    bwt_error error = bwt_receipt_seal(fields, &receipt, &complaint);
    if (error != BWT_OK) print_error("%s %s\n", complaint.field, complaint.expected);
    assert_int_equal(error, BWT_OK);
    return receipt;
}

static void check_accepted(bwt_receipt_fields fields)
{
    bwt_receipt_free(seal(&fields));
}

static void check_refused(bwt_receipt_fields fields, const char *field)
{
    bwt_receipt *receipt = NULL;
    bwt_complaint complaint = {"", ""};
    assert_int_equal(bwt_receipt_seal(&fields, &receipt, &complaint), BWT_ERR_INVALID);
    assert_null(receipt);
    assert_string_equal(complaint.field, field);
    assert_true(strlen(complaint.expected) > 0);
    assert_int_equal(bwt_receipt_seal(&fields, &receipt, NULL), BWT_ERR_INVALID);
}

/* Seals base with one field changed. */
#define REFUSED(base, change, field)                                                                                   \
    do {                                                                                                               \
        bwt_receipt_fields f = base;                                                                                   \
        f.change;                                                                                                      \
        check_refused(f, field);                                                                                       \
    } while (0)
#define ACCEPTED(base, change)                                                                                         \
    do {                                                                                                               \
        bwt_receipt_fields f = base;                                                                                   \
        f.change;                                                                                                      \
        check_accepted(f);                                                                                             \
    } while (0)

/* ---- consistency */

/* Every outcome and every next action against every trail: only the one that follows is accepted. */
static void test_conclusions_must_follow_from_the_trail(void **state)
{
    (void)state;
    for (int first = 1; first < BWT_ATTEMPT_STATUS_END; first++) {
        for (int second = 0; second < BWT_ATTEMPT_STATUS_END; second++) {
            if (second != 0 && (first == S(OK_USEFUL) || first == S(CANCELLED))) continue;
            bwt_receipt_fields base = make_fields((bwt_attempt_status)first, (bwt_attempt_status)second);
            check_accepted(base);
            for (int action = 0; action <= BWT_NEXT_ACTION_END; action++) {
                if (action == (int)base.next_action) continue;
                REFUSED(base, next_action = (bwt_next_action)action, "next_action");
            }
            for (int outcome = 1; outcome < BWT_OUTCOME_END; outcome++) {
                if (outcome == (int)base.outcome) continue;
                bwt_receipt_fields f = base;
                f.outcome = (bwt_outcome)outcome;
                bool blocked = outcome == BWT_OUTCOME_BLOCKED_BY_POLICY;
                f.policy_reason = blocked ? BWT_POLICY_REASON_EMPTY_QUERY : BWT_POLICY_REASON_NONE;
                check_refused(f, "outcome");
            }
        }
    }
    REFUSED(make_fields(S(OK_USEFUL), S(NONE)), outcome = BWT_OUTCOME_NONE, "outcome");
    REFUSED(make_fields(S(OK_USEFUL), S(NONE)), outcome = BWT_OUTCOME_END, "outcome");
}

static void test_kind_decides_the_next_action(void **state)
{
    (void)state;
    bwt_receipt_fields fields = make_fields(S(OK_NOT_USEFUL), S(NONE));
    REFUSED(fields, kind = BWT_KIND_PAGE, "next_action");
    fields.kind = BWT_KIND_PAGE;
    fields.next_action = BWT_NEXT_ACTION_ANSWER_FROM_PRIOR_KNOWLEDGE;
    check_accepted(fields);
    REFUSED(fields, kind = (bwt_receipt_kind)0, "kind");
    REFUSED(fields, kind = (bwt_receipt_kind)3, "kind");
}

static void test_trail_shape(void **state)
{
    (void)state;
    bwt_receipt_fields two = make_fields(S(TRANSPORT_ERROR), S(OK_USEFUL));
    REFUSED(two, attempts_allowed = 1, "attempts");
    REFUSED(two, attempts_allowed = 0, "attempts_allowed");
    REFUSED(two, attempts_allowed = 3, "attempts_allowed");
    REFUSED(two, attempt_count = 3, "attempts");
    REFUSED(two, attempt_count = 0, "attempts");
    REFUSED(two, attempts[1].index = 0, "attempts[1].role");
    REFUSED(two, attempts[1] = make_attempt(0, S(OK_USEFUL)), "attempts[1].index");
    REFUSED(two, attempts[0] = make_attempt(1, S(TRANSPORT_ERROR)), "attempts[0].index");
    REFUSED(two, attempts[0].role = BWT_ATTEMPT_ROLE_FALLBACK, "attempts[0].role");
    REFUSED(two, attempts[0].index = 2, "attempts[0].index");
    REFUSED(two, attempts[0] = make_attempt(0, S(OK_USEFUL)), "attempts");
    REFUSED(two, attempts[0] = make_attempt(0, S(CANCELLED)), "attempts");
    ACCEPTED(make_fields(S(OK_USEFUL), S(NONE)), attempts_allowed = 1);
}

static void test_counts(void **state)
{
    (void)state;
    bwt_receipt_fields skipped = make_fields(S(OK_NOT_USEFUL), S(SKIPPED_NO_BUDGET));
    assert_int_equal(skipped.attempts_used, 1);
    REFUSED(skipped, attempts_used = 2, "attempts_used");
    REFUSED(skipped, attempts_used = 0, "attempts_used");
    REFUSED(skipped, fallback_used = true, "fallback_used");
    bwt_receipt_fields both = make_fields(S(RATE_LIMITED), S(TRANSPORT_TIMEOUT));
    REFUSED(both, attempts_used = 1, "attempts_used");
    REFUSED(both, fallback_used = false, "fallback_used");
    REFUSED(make_fields(S(AUTH_FAILED), S(NONE)), fallback_used = true, "fallback_used");
    REFUSED(make_refusal(BWT_POLICY_REASON_EMPTY_QUERY), attempts_used = 1, "attempts_used");

    bwt_receipt_fields cancelled = make_fields(S(CANCELLED), S(NONE));
    ACCEPTED(cancelled, attempts_used = 0);
    ACCEPTED(cancelled, attempts_used = 1);
    REFUSED(cancelled, attempts_used = 2, "attempts_used");
    REFUSED(cancelled, attempts_used = -1, "attempts_used");
    bwt_receipt_fields later = make_fields(S(SKIPPED_RESTING), S(CANCELLED));
    assert_int_equal(later.attempts_used, 1);
    check_accepted(later);
    REFUSED(later, fallback_used = false, "attempts_used");
    later.fallback_used = false;
    ACCEPTED(later, attempts_used = 0);
}

static void test_fields_that_go_with_an_outcome(void **state)
{
    (void)state;
    bwt_hit hit = {BWT_STR("t"), BWT_STR("https://a.invalid/"), BWT_STR("s")};
    bwt_receipt_fields failed = make_fields(S(RATE_LIMITED), S(NONE));
    ACCEPTED(failed, retry_after_ms = 0);
    ACCEPTED(failed, retry_after_ms = BWT_MAX_RETRY_AFTER_MS);
    REFUSED(failed, retry_after_ms = BWT_MAX_RETRY_AFTER_MS + 1, "retry_after_ms");
    REFUSED(failed, retry_after_ms = -2, "retry_after_ms");
    REFUSED(make_fields(S(AUTH_FAILED), S(NONE)), retry_after_ms = 5, "retry_after_ms");
    REFUSED(failed, policy_reason = BWT_POLICY_REASON_EMPTY_QUERY, "policy_reason");
    REFUSED(failed, results_truncated = true, "results_truncated");
    REFUSED(failed, elapsed_ms = -1, "elapsed_ms");
    REFUSED(failed, budget_ms = 0, "budget_ms");
    REFUSED(make_refusal(BWT_POLICY_REASON_NONE), retry_after_ms = -1, "policy_reason");
    REFUSED(make_refusal(BWT_POLICY_REASON_END), retry_after_ms = -1, "policy_reason");
    failed.results = &hit;
    REFUSED(failed, result_count = 1, "results");
    bwt_receipt_fields useful = make_fields(S(OK_USEFUL), S(NONE));
    ACCEPTED(useful, results_truncated = true);
    REFUSED(useful, result_count = 1, "results");
}

static void test_result_limits(void **state)
{
    (void)state;
    static char letters[2 * (BWT_MAX_URL_CHARS + 1)];
    for (size_t i = 0; i < sizeof letters; i += 2) memcpy(letters + i, "\xC3\xA9", 2);
    bwt_hit hit = {{letters, 2 * BWT_MAX_TITLE_CHARS}, {letters, 2 * BWT_MAX_URL_CHARS}, {letters, sizeof letters}};
    bwt_receipt_fields fields = make_fields(S(OK_USEFUL), S(NONE));
    fields.results = &hit;
    fields.result_count = 1;
    check_accepted(fields);
    hit.title.len += 2;
    check_refused(fields, "results");
    hit.title.len -= 2;
    hit.url.len += 2;
    check_refused(fields, "results");
}

/* ---- one record */

static void check_record(bwt_attempt attempt, const char *field)
{
    bwt_complaint complaint = {"", ""};
    assert_int_equal(bwt_attempt_check(&attempt, &complaint), field == NULL ? BWT_OK : BWT_ERR_INVALID);
    assert_string_equal(complaint.field, field == NULL ? "" : field);
}

static void test_record_by_status(void **state)
{
    (void)state;
    for (int status = 1; status < BWT_ATTEMPT_STATUS_END; status++) {
        bool not_useful = status == S(OK_NOT_USEFUL);
        bool payload = not_useful || status == S(OK_USEFUL);
        bool failure = status >= S(TRANSPORT_ERROR) && status <= S(QUOTA_EXHAUSTED);
        bwt_attempt attempt = make_attempt(0, (bwt_attempt_status)status);
        check_record(attempt, NULL);

        attempt.failure_detail = BWT_FAILURE_DETAIL_DNS;
        check_record(attempt, failure ? NULL : "failure_detail");
        attempt.failure_detail = BWT_FAILURE_DETAIL_END;
        check_record(attempt, "failure_detail");

        attempt = make_attempt(0, (bwt_attempt_status)status);
        attempt.hit_count = payload ? -1 : 0;
        check_record(attempt, "hit_count");
        attempt.hit_count = -2;
        check_record(attempt, "hit_count");

        attempt = make_attempt(0, (bwt_attempt_status)status);
        attempt.not_useful_reason = not_useful ? BWT_NOT_USEFUL_REASON_NONE : BWT_NOT_USEFUL_REASON_PAYWALL;
        check_record(attempt, "not_useful_reason");
        attempt.not_useful_reason = BWT_NOT_USEFUL_REASON_END;
        check_record(attempt, "not_useful_reason");
    }
}

static void test_record_ranges(void **state)
{
    (void)state;
    static const struct {
        int http_status;
        bool fits;
    } statuses[] = {{0, true}, {99, false}, {100, true}, {999, true}, {1000, false}, {-1, false}};
    bwt_attempt attempt = make_attempt(1, S(TRANSPORT_ERROR));
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        attempt.http_status = statuses[i].http_status;
        check_record(attempt, statuses[i].fits ? NULL : "http_status");
    }
    attempt = make_attempt(1, S(TRANSPORT_ERROR));
    attempt.elapsed_ms = -1;
    check_record(attempt, "elapsed_ms");
    attempt = make_attempt(1, S(TRANSPORT_ERROR));
    attempt.transport = BWT_STR_NONE;
    check_record(attempt, "transport");
    check_record(make_attempt(-1, S(TRANSPORT_ERROR)), "index");
    check_record(make_attempt(2, S(TRANSPORT_ERROR)), "index");
    check_record(make_attempt(0, S(NONE)), "status");
    check_record(make_attempt(0, S(END)), "status");
    assert_int_equal(bwt_attempt_check(&attempt, NULL), BWT_ERR_INVALID);
}

/* ---- sealing copies and redacts */

static void test_sealed_texts_are_copies_and_redacted(void **state)
{
    (void)state;
    char name[] = "alpha";
    char title[] = "pasted sk-Zq81LmX0pT7vKc93RdWbYe55aGh2NsUf here";
    bwt_hit hit = {
        {title, strlen(title)}, BWT_STR("https://a.invalid/?api_key=abcd1234&page=2"), BWT_STR("\xED\xA0\x80!")};
    bwt_receipt_fields fields = make_fields(S(OK_USEFUL), S(NONE));
    fields.attempts[0].transport = (bwt_str){name, strlen(name)};
    fields.attempts[0].target = BWT_STR("https://b.invalid/?q=x&api_key=abcd1234");
    fields.results = &hit;
    fields.result_count = 1;
    bwt_receipt *receipt = seal(&fields);
    memset(name, 'X', sizeof name);
    memset(title, 'X', sizeof title);

    const bwt_receipt_fields *view = bwt_receipt_view(receipt);
    assert_str(view->attempts[0].transport, "alpha");
    assert_str(view->attempts[0].target, "https://b.invalid/?q=x&api_key=[REDACTED]");
    assert_null(view->attempts[1].target.data);
    assert_null(strstr(view->results[0].title.data, "Zq81LmX0"));
    assert_str(view->results[0].url, "https://a.invalid/?api_key=[REDACTED]&page=2");
    assert_non_null(strstr(view->results[0].snippet.data, "\xEF\xBF\xBD"));
    bwt_receipt_free(receipt);
}

static void test_absent_texts(void **state)
{
    (void)state;
    bwt_hit hit = {BWT_STR_NONE, BWT_STR_NONE, BWT_STR_NONE};
    bwt_receipt_fields fields = make_fields(S(OK_USEFUL), S(NONE));
    fields.results = &hit;
    fields.result_count = 1;
    fields.attempts[0].transport = BWT_STR("");
    bwt_receipt *receipt = seal(&fields);
    assert_str(bwt_receipt_view(receipt)->results[0].title, "");
    assert_str(bwt_receipt_view(receipt)->attempts[0].transport, "");
    bwt_receipt_free(receipt);
    bwt_receipt_free(NULL);
}

static bwt_error seal_and_print(void *context)
{
    bwt_receipt *receipt = NULL;
    bwt_text texts[3] = {{NULL, 0}};
    bwt_error error = bwt_receipt_seal(context, &receipt, NULL);
    if (error == BWT_OK) error = bwt_receipt_to_json(receipt, &texts[0]);
    if (error == BWT_OK) error = bwt_receipt_to_model_json(receipt, &texts[1]);
    if (error == BWT_OK) error = bwt_receipt_explain(receipt, &texts[2]);
    bwt_receipt_free(receipt);
    for (size_t i = 0; i < COUNT_OF(texts); i++) bwt_text_free(&texts[i]);
    return error;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    bwt_hit hits[] = {
        {BWT_STR("one"), BWT_STR("https://a.invalid/"), BWT_STR("broken \xFF text")},
        {BWT_STR("two"), BWT_STR("https://b.invalid/?token=abcdef123456"),
         BWT_STR("a longer text, to make the buffer grow")},
    };
    bwt_receipt_fields fields = make_fields(S(OK_NOT_USEFUL), S(OK_USEFUL));
    fields.results = hits;
    fields.result_count = COUNT_OF(hits);
    assert_true(fail_each_allocation(seal_and_print, &fields) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_conclusions_must_follow_from_the_trail),
        leak_checked(test_kind_decides_the_next_action),
        leak_checked(test_trail_shape),
        leak_checked(test_counts),
        leak_checked(test_fields_that_go_with_an_outcome),
        leak_checked(test_result_limits),
        leak_checked(test_record_by_status),
        leak_checked(test_record_ranges),
        leak_checked(test_sealed_texts_are_copies_and_redacted),
        leak_checked(test_absent_texts),
        leak_checked(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("receipt", tests, NULL, NULL);
}
