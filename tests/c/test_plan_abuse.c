/* The plan under cancellation, callers that break its protocol, random scripts and failing allocations. */
#include "support/check.h"
#include "support/oracle.h"
#include "support/plans.h"

#include <string.h>

#define S(name) BWT_ATTEMPT_STATUS_##name
#define MS(ms) ((ms)*NS_PER_MS)

static bwt_plan *default_plan(bool with_fallback)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.budget_ms = 2000;
    return make_plan(&policy, with_fallback, NULL, 0);
}

static void dial_next(bwt_plan *plan, int64_t now_ns)
{
    bwt_dial dial;
    assert_true(bwt_plan_next(plan, now_ns, &dial));
}

static void expect_over(bwt_plan *plan, int64_t now_ns)
{
    bwt_dial dial;
    assert_false(bwt_plan_next(plan, now_ns, &dial));
}

/* Returns what report_response wants. */
static bool respond(bwt_plan *plan, int64_t now_ns)
{
    bool wants_verdict = false;
    assert_int_equal(bwt_plan_report_response(plan, now_ns, make_response(200, 2), &wants_verdict), BWT_OK);
    return wants_verdict;
}

static const bwt_verdict useful = {true, BWT_NOT_USEFUL_REASON_NONE};

/* ---- cancel at every point */

static void test_cancel_before_the_first_attempt(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    bwt_plan_cancel(plan, MS(3));
    expect_over(plan, MS(3));
    assert_text(explain_plan(plan, MS(3)), "outcome=transport_failed next_action=stop attempts=0/2 elapsed_ms=3/2000 "
                                           "trail=[primary:cancelled]");
}

static void test_cancel_in_flight(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    bwt_plan_cancel(plan, MS(30));
    expect_over(plan, MS(30));
    bwt_receipt *receipt = seal_plan(plan, MS(31));
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].elapsed_ms, 30);
    bwt_receipt_free(receipt);
    assert_text(explain_plan(plan, MS(31)), "outcome=transport_failed next_action=stop attempts=1/2 "
                                            "elapsed_ms=31/2000 trail=[primary:cancelled]");
}

static void test_cancel_between_attempts(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    bwt_plan_report_failure(plan, MS(10), make_failure(S(RATE_LIMITED)));
    bwt_plan_cancel(plan, MS(20));
    expect_over(plan, MS(20));
    bwt_receipt *receipt = seal_plan(plan, MS(20));
    assert_int_equal(bwt_receipt_view(receipt)->attempts[1].elapsed_ms, 0);
    assert_false(bwt_receipt_view(receipt)->fallback_used);
    bwt_receipt_free(receipt);
    assert_text(explain_plan(plan, MS(20)), "outcome=transport_failed next_action=stop attempts=1/2 "
                                            "elapsed_ms=20/2000 trail=[primary:rate_limited -> fallback:cancelled]");
}

static void test_cancel_of_the_fallback(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    bwt_plan_report_failure(plan, MS(10), make_failure(S(AUTH_FAILED)));
    dial_next(plan, MS(10));
    bwt_plan_cancel(plan, MS(25));
    bwt_receipt *receipt = seal_plan(plan, MS(25));
    assert_true(bwt_receipt_view(receipt)->fallback_used);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[1].elapsed_ms, 15);
    bwt_receipt_free(receipt);
    assert_text(explain_plan(plan, MS(25)), "outcome=transport_failed next_action=stop attempts=2/2 "
                                            "elapsed_ms=25/2000 trail=[primary:auth_failed -> fallback:cancelled]");
}

/* A payload that nobody has judged yet is not a useful one. */
static void test_cancel_while_a_verdict_is_awaited(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    assert_true(respond(plan, MS(10)));
    bwt_plan_cancel(plan, MS(12));
    bwt_plan_report_verdict(plan, useful);
    bwt_receipt *receipt = seal_plan(plan, MS(12));
    const bwt_attempt *attempt = &bwt_receipt_view(receipt)->attempts[0];
    assert_int_equal(attempt->status, S(CANCELLED));
    assert_int_equal(attempt->hit_count, -1);
    assert_int_equal(attempt->http_status, 0);
    assert_int_equal(attempt->elapsed_ms, 12);
    assert_int_equal(bwt_receipt_view(receipt)->result_count, 0);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

static void test_cancel_after_the_end_changes_nothing(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    assert_true(respond(plan, MS(10)));
    bwt_plan_report_verdict(plan, useful);
    bwt_plan_cancel(plan, MS(11));
    assert_text(explain_plan(plan, MS(11)), "outcome=useful_result next_action=use_result attempts=1/2 "
                                            "elapsed_ms=11/2000 trail=[primary:ok_useful]");
    plan = default_plan(false);
    dial_next(plan, 0);
    bwt_plan_report_failure(plan, MS(10), make_failure(S(TRANSPORT_ERROR)));
    bwt_plan_cancel(plan, MS(11));
    assert_text(explain_plan(plan, MS(11)), "outcome=transport_failed next_action=retry_later attempts=1/1 "
                                            "elapsed_ms=11/2000 trail=[primary:transport_error]");
}

/* ---- callers that break the protocol */

static void test_reports_nobody_asked_for_are_ignored(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    assert_false(respond(plan, 0));
    bwt_plan_report_verdict(plan, useful);
    bwt_plan_report_failure(plan, 0, make_failure(S(TRANSPORT_ERROR)));
    dial_next(plan, 0);
    bwt_plan_report_verdict(plan, useful);
    assert_true(respond(plan, MS(1)));
    assert_false(respond(plan, MS(2)));
    bwt_plan_report_failure(plan, MS(2), make_failure(S(AUTH_FAILED)));
    bwt_plan_report_verdict(plan, useful);
    bwt_plan_report_verdict(plan, (bwt_verdict){false, BWT_NOT_USEFUL_REASON_LOGIN_WALL});
    bwt_plan_report_failure(plan, MS(2), make_failure(S(AUTH_FAILED)));
    assert_false(respond(plan, MS(2)));
    expect_over(plan, MS(2));
    assert_text(explain_plan(plan, MS(2)), "outcome=useful_result next_action=use_result attempts=1/2 "
                                           "elapsed_ms=2/2000 trail=[primary:ok_useful]");
}

static void test_next_without_a_report(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    dial_next(plan, MS(5));
    assert_true(respond(plan, MS(6)));
    expect_over(plan, MS(9));
    bwt_receipt *receipt = seal_plan(plan, MS(9));
    const bwt_receipt_fields *fields = bwt_receipt_view(receipt);
    assert_int_equal(fields->attempts[0].failure_detail, BWT_FAILURE_DETAIL_TRANSPORT_RAISED);
    assert_int_equal(fields->attempts[0].elapsed_ms, 5);
    assert_int_equal(fields->attempts[1].not_useful_reason, BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD);
    bwt_receipt_free(receipt);
    assert_text(explain_plan(plan, MS(9)),
                "outcome=no_useful_result next_action=ask_user_to_narrow attempts=2/2 "
                "elapsed_ms=9/2000 trail=[primary:transport_error -> fallback:ok_not_useful]");
}

static void test_absent_response_is_ignored(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(false);
    bool wants_verdict = true;
    dial_next(plan, 0);
    assert_int_equal(bwt_plan_report_response(plan, MS(1), NULL, &wants_verdict), BWT_OK);
    assert_false(wants_verdict);
    assert_true(respond(plan, MS(2)));
    bwt_plan_free(plan);
}

static void test_sealing_early_is_a_cancel(void **state)
{
    (void)state;
    assert_text(explain_plan(default_plan(true), MS(4)), "outcome=transport_failed next_action=stop attempts=0/2 "
                                                         "elapsed_ms=4/2000 trail=[primary:cancelled]");
    bwt_plan *plan = default_plan(true);
    dial_next(plan, 0);
    assert_text(explain_plan(plan, MS(4)), "outcome=transport_failed next_action=stop attempts=1/2 "
                                           "elapsed_ms=4/2000 trail=[primary:transport_error -> fallback:cancelled]");
}

static bwt_text json_of(bwt_plan *plan, int64_t now_ns)
{
    bwt_receipt *receipt = seal_plan(plan, now_ns);
    bwt_text json = {NULL, 0};
    assert_int_equal(bwt_receipt_to_json(receipt, &json), BWT_OK);
    bwt_receipt_free(receipt);
    return json;
}

/* ---- random scripts of calls */

static void random_call(bwt_plan *plan, dice *from, int64_t now_ns)
{
    bwt_dial dial;
    bool wants_verdict;
    static const int http_statuses[] = {0, 200, 204, 301, 400, 401, 402, 403, 429, 432, 500, 999, 1000, -7};
    switch (dice_below(from, 9)) {
    case 0:
    case 1:
    case 2:
        bwt_plan_next(plan, now_ns, &dial);
        break;
    case 3:
    case 4:
        bwt_plan_report_response(
            plan, now_ns,
            make_response(http_statuses[dice_below(from, COUNT_OF(http_statuses))], (size_t)dice_below(from, 4)),
            &wants_verdict);
        break;
    case 5:
        bwt_plan_report_verdict(plan, dice_below(from, 2) ? useful
                                                          : (bwt_verdict){dice_below(from, 2),
                                                                          (bwt_not_useful_reason)dice_below(from, 14)});
        break;
    case 6:
        bwt_plan_report_failure(plan, now_ns,
                                (bwt_failure){(bwt_attempt_status)dice_below(from, BWT_ATTEMPT_STATUS_END + 2),
                                              (bwt_failure_detail)dice_below(from, BWT_FAILURE_DETAIL_END + 2),
                                              http_statuses[dice_below(from, COUNT_OF(http_statuses))],
                                              (int64_t)dice_below(from, 5000) - 2500, BWT_POLICY_REASON_NONE});
        break;
    case 7:
        assert_int_equal(bwt_plan_set_target(plan, BWT_STR("https://t.invalid/?q=1")), BWT_OK);
        break;
    default:
        if (dice_below(from, 8) == 0) bwt_plan_cancel(plan, now_ns);
    }
}

static void check_invariants(const bwt_receipt_fields *fields, bool with_fallback)
{
    bwt_attempt_status trail[BWT_MAX_ATTEMPTS];
    assert_true(fields->attempt_count >= 1 && fields->attempt_count <= (with_fallback ? 2 : 1));
    for (size_t i = 0; i < fields->attempt_count; i++) trail[i] = fields->attempts[i].status;
    bwt_outcome outcome = oracle_outcome(trail, fields->attempt_count, false);
    assert_int_equal(fields->outcome, outcome);
    assert_int_equal(fields->next_action, oracle_next_action(outcome, trail, fields->attempt_count, BWT_KIND_LOOKUP));
    assert_true(fields->attempts_used <= (int64_t)fields->attempt_count);
    assert_int_equal(fields->attempts_allowed, with_fallback ? 2 : 1);
}

/* Whatever the order of calls, a consistent receipt comes out, and the same one when asked again. */
static void test_random_calls_always_end_in_a_receipt(void **state)
{
    (void)state;
    dice from = {20240607};
    size_t by_outcome[BWT_OUTCOME_END] = {0};
    for (int round = 0; round < 20000; round++) {
        bool with_fallback = dice_below(&from, 3) > 0;
        bwt_plan *plan = default_plan(with_fallback);
        int64_t now_ns = 0;
        for (uint64_t calls = dice_below(&from, 14); calls > 0; calls--) {
            now_ns += (int64_t)dice_below(&from, (uint64_t)MS(600)) - MS(20);
            random_call(plan, &from, now_ns);
        }
        bwt_text first = json_of(plan, now_ns);
        bwt_text second = json_of(plan, now_ns);
        assert_text(second, first.data);
        bwt_text_free(&first);
        bwt_receipt *receipt = seal_plan(plan, now_ns);
        check_invariants(bwt_receipt_view(receipt), with_fallback);
        by_outcome[bwt_receipt_view(receipt)->outcome]++;
        bwt_receipt_free(receipt);
        bwt_plan_free(plan);
    }
    for (int outcome = 1; outcome < BWT_OUTCOME_END; outcome++) assert_true(by_outcome[outcome] > 100);
}

/* ---- no memory */

typedef struct lookup_inputs {
    bwt_validator *validator;
    const char *answer; /* snippet of the one hit of each answer */
} lookup_inputs;

static bwt_error answer_with(bwt_plan *plan, int64_t now_ns, const char *snippet)
{
    bwt_response *response = bwt_response_new(200, true);
    if (response == NULL) return BWT_ERR_NO_MEMORY;
    bwt_hit hit = {
        BWT_STR("Narwhal"), BWT_STR("https://sea.invalid/?token=abcdef1234567890"), {snippet, strlen(snippet)}};
    bwt_error error = bwt_response_add_hit(response, hit);
    if (error != BWT_OK) {
        bwt_response_free(response);
        return error;
    }
    bool wants_verdict = false;
    error = bwt_plan_report_response(plan, now_ns, response, &wants_verdict);
    if (error == BWT_OK && wants_verdict) bwt_plan_report_verdict(plan, useful);
    return error;
}

/* A primary that fails, a fallback that answers, one receipt. */
static bwt_error whole_lookup(void *context)
{
    const lookup_inputs *inputs = context;
    bwt_policy policy;
    bwt_policy_init(&policy);
    bwt_plan_options options = {&policy, BWT_STR(" narwhal   tusk "), BWT_STR("first"), BWT_STR("second"),
                                inputs->validator};
    bwt_plan *plan = NULL;
    bwt_receipt *receipt = NULL;
    bwt_dial dial;
    bwt_error error = bwt_plan_new(&options, 0, &plan);
    if (error == BWT_OK && bwt_plan_next(plan, 0, &dial)) {
        error = bwt_plan_set_target(plan, BWT_STR("https://first.invalid/"));
        bwt_plan_report_failure(plan, 1, make_failure(S(TRANSPORT_ERROR)));
    }
    if (error == BWT_OK && bwt_plan_next(plan, 1, &dial)) error = answer_with(plan, 2, inputs->answer);
    if (error == BWT_OK) error = bwt_plan_seal(plan, 3, &receipt);
    if (error == BWT_OK) assert_int_equal(bwt_receipt_view(receipt)->outcome, BWT_OUTCOME_USEFUL_RESULT);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
    return error;
}

static const char evidence[] = "The narwhal tusk is a canine tooth that grows in a left-handed spiral.";

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    lookup_inputs inputs = {NULL, evidence};
    assert_true(fail_each_allocation(whole_lookup, &inputs) >= 10);
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    assert_int_equal(bwt_validator_new(&options, &inputs.validator, NULL), BWT_OK);
    assert_true(fail_each_allocation(whole_lookup, &inputs) >= 12);
    bwt_validator_release(inputs.validator);
}

/* A validator without memory has not found the payload useful; the account still closes once there is memory again. */
static void test_no_memory_while_judging_leaves_a_closed_attempt(void **state)
{
    (void)state;
    bwt_policy policy;
    bwt_policy_init(&policy);
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_plan *plan = make_plan(&policy, false, validator, 0);
    bwt_validator_release(validator);
    dial_next(plan, 0);
    bwt_response *response = make_response(200, 3);
    bool wants_verdict = false;
    bwt_mem_fail_from(1);
    assert_int_equal(bwt_plan_report_response(plan, MS(1), response, &wants_verdict), BWT_ERR_NO_MEMORY);
    bwt_receipt *receipt = NULL;
    assert_int_equal(bwt_plan_seal(plan, MS(1), &receipt), BWT_ERR_NO_MEMORY);
    bwt_mem_fail_from(0);
    receipt = seal_plan(plan, MS(1));
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].not_useful_reason,
                     BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].hit_count, 3);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_cancel_before_the_first_attempt),
        leak_checked(test_cancel_in_flight),
        leak_checked(test_cancel_between_attempts),
        leak_checked(test_cancel_of_the_fallback),
        leak_checked(test_cancel_while_a_verdict_is_awaited),
        leak_checked(test_cancel_after_the_end_changes_nothing),
        leak_checked(test_reports_nobody_asked_for_are_ignored),
        leak_checked(test_next_without_a_report),
        leak_checked(test_absent_response_is_ignored),
        leak_checked(test_sealing_early_is_a_cancel),
        leak_checked(test_random_calls_always_end_in_a_receipt),
        leak_checked(test_every_allocation_may_fail),
        leak_checked(test_no_memory_while_judging_leaves_a_closed_attempt),
    };
    return cmocka_run_group_tests_name("plan_abuse", tests, NULL, NULL);
}
