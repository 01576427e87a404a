/* The plan step by step: the contract's scenarios, construction, what each report becomes, the target. */
#include "support/check.h"
#include "support/plans.h"

#include <string.h>

#define S(name) BWT_ATTEMPT_STATUS_##name
#define MS(ms) ((ms)*NS_PER_MS)

static bwt_policy make_policy(int64_t budget_ms, int64_t per_attempt_ms)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.budget_ms = budget_ms;
    policy.per_attempt_ms = per_attempt_ms;
    return policy;
}

static bwt_plan *default_plan(bool with_fallback, bwt_validator *validator)
{
    bwt_policy policy = make_policy(2000, 1200);
    return make_plan(&policy, with_fallback, validator, 0);
}

static void dial(bwt_plan *plan, int64_t now_ns, bwt_attempt_role role)
{
    bwt_dial dial = {.role = BWT_ATTEMPT_ROLE_NONE};
    assert_true(bwt_plan_next(plan, now_ns, &dial));
    assert_int_equal(dial.role, role);
}

static void expect_over(bwt_plan *plan, int64_t now_ns)
{
    bwt_dial untouched = {BWT_ATTEMPT_ROLE_NONE, -5, -5, -5};
    assert_false(bwt_plan_next(plan, now_ns, &untouched));
    assert_int_equal(untouched.slice_ms, -5);
}

static void judged_response(bwt_plan *plan, int64_t now_ns, bool useful)
{
    bool wants_verdict = false;
    assert_int_equal(bwt_plan_report_response(plan, now_ns, make_response(200, 2), &wants_verdict), BWT_OK);
    assert_true(wants_verdict);
    bwt_plan_report_verdict(
        plan, (bwt_verdict){useful, useful ? BWT_NOT_USEFUL_REASON_NONE : BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET});
}

static void fail_attempt(bwt_plan *plan, int64_t now_ns, bwt_attempt_status status)
{
    bwt_plan_report_failure(plan, now_ns, make_failure(status));
}

/* ---- the scenarios of the contract, section 3 */

static void test_primary_succeeds(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    judged_response(plan, MS(300), true);
    expect_over(plan, MS(300));
    assert_text(explain_plan(plan, MS(300)), "outcome=useful_result next_action=use_result attempts=1/2 "
                                             "elapsed_ms=300/2000 trail=[primary:ok_useful]");
}

static void test_fallback_succeeds(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    judged_response(plan, MS(300), false);
    dial(plan, MS(300), BWT_ATTEMPT_ROLE_FALLBACK);
    judged_response(plan, MS(700), true);
    expect_over(plan, MS(700));
    assert_text(explain_plan(plan, MS(700)), "outcome=useful_result next_action=use_result attempts=2/2 "
                                             "elapsed_ms=700/2000 trail=[primary:ok_not_useful -> fallback:ok_useful]");
}

static void test_neither_is_usable(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    judged_response(plan, MS(300), false);
    dial(plan, MS(300), BWT_ATTEMPT_ROLE_FALLBACK);
    judged_response(plan, MS(600), false);
    expect_over(plan, MS(600));
    assert_text(explain_plan(plan, MS(600)),
                "outcome=no_useful_result next_action=ask_user_to_narrow attempts=2/2 elapsed_ms=600/2000 "
                "trail=[primary:ok_not_useful -> fallback:ok_not_useful]");
}

static void test_two_timeouts_eat_the_budget(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    fail_attempt(plan, MS(1200), S(TRANSPORT_TIMEOUT));
    dial(plan, MS(1200), BWT_ATTEMPT_ROLE_FALLBACK);
    fail_attempt(plan, MS(2000), S(TRANSPORT_TIMEOUT));
    expect_over(plan, MS(2000));
    assert_text(explain_plan(plan, MS(2000)),
                "outcome=transport_failed next_action=retry_later attempts=2/2 elapsed_ms=2000/2000 "
                "trail=[primary:transport_timeout -> fallback:transport_timeout]");
}

static void test_no_runway_for_the_fallback(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(1300, 1200);
    bwt_plan *plan = make_plan(&policy, true, NULL, 0);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    judged_response(plan, MS(1150), false);
    expect_over(plan, MS(1150));
    assert_text(explain_plan(plan, MS(1150)),
                "outcome=budget_exhausted next_action=answer_from_prior_knowledge attempts=1/2 elapsed_ms=1150/1300 "
                "trail=[primary:ok_not_useful -> fallback:skipped_no_budget]");
}

static void test_rejected_credentials(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    bool wants_verdict = true;
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    assert_int_equal(bwt_plan_report_response(plan, MS(80), make_response(401, 0), &wants_verdict), BWT_OK);
    assert_false(wants_verdict);
    dial(plan, MS(80), BWT_ATTEMPT_ROLE_FALLBACK);
    fail_attempt(plan, MS(160), S(AUTH_FAILED));
    expect_over(plan, MS(160));
    assert_text(explain_plan(plan, MS(160)), "outcome=transport_failed next_action=stop attempts=2/2 "
                                             "elapsed_ms=160/2000 trail=[primary:auth_failed -> fallback:auth_failed]");
}

static void test_refused_query(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(2000, 1200);
    bwt_plan_options options = {.policy = &policy, .query = BWT_STR(" \t "), .primary_name = BWT_STR("first")};
    bwt_plan *plan = NULL;
    assert_int_equal(bwt_plan_new(&options, 0, &plan), BWT_OK);
    assert_null(bwt_plan_query(plan).data);
    expect_over(plan, 0);
    bwt_plan_cancel(plan, 0);
    bwt_receipt *receipt = seal_plan(plan, 0);
    assert_int_equal(bwt_receipt_view(receipt)->policy_reason, BWT_POLICY_REASON_EMPTY_QUERY);
    bwt_receipt_free(receipt);
    assert_text(explain_plan(plan, 0), "outcome=blocked_by_policy next_action=stop attempts=0/1 elapsed_ms=0/2000 "
                                       "trail=[none]");
}

/* ---- construction */

static void test_query_is_prepared(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(2000, 1200);
    bwt_plan_options options = {
        .policy = &policy, .query = BWT_STR("  cafe\xCC\x81 \n menu "), .primary_name = BWT_STR("p")};
    bwt_plan *plan = NULL;
    assert_int_equal(bwt_plan_new(&options, MS(5), &plan), BWT_OK);
    assert_str(bwt_plan_query(plan), "caf\xC3\xA9 menu");
    assert_int_equal(bwt_plan_budget_deadline_ns(plan), MS(2005));
    bwt_plan_free(plan);
    bwt_plan_free(NULL);
}

static void test_unchecked_policy_is_refused(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(0, 1200);
    bwt_plan_options options = {.policy = &policy, .query = BWT_STR("q"), .primary_name = BWT_STR("p")};
    bwt_plan *plan = NULL;
    assert_int_equal(bwt_plan_new(&options, 0, &plan), BWT_ERR_INVALID);
    assert_null(plan);
}

static void test_max_fallbacks_zero(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(2000, 1200);
    policy.max_fallbacks = 0;
    bwt_plan *plan = make_plan(&policy, true, NULL, 0);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    fail_attempt(plan, 0, S(TRANSPORT_ERROR));
    expect_over(plan, 0);
    assert_text(explain_plan(plan, 0), "outcome=transport_failed next_action=retry_later attempts=1/1 "
                                       "elapsed_ms=0/2000 trail=[primary:transport_error]");
}

/* ---- what a report becomes */

static bwt_receipt *after_one_failure(bwt_failure failure)
{
    bwt_plan *plan = default_plan(false, NULL);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    bwt_plan_report_failure(plan, MS(10), failure);
    bwt_receipt *receipt = seal_plan(plan, MS(10));
    bwt_plan_free(plan);
    return receipt;
}

static void test_failure_is_recorded_with_what_is_known(void **state)
{
    (void)state;
    bwt_receipt *receipt = after_one_failure((bwt_failure){.status = S(RATE_LIMITED),
                                                           .detail = BWT_FAILURE_DETAIL_PROVIDER_ERROR,
                                                           .http_status = 429,
                                                           .retry_after_ms = 7});
    const bwt_receipt_fields *fields = bwt_receipt_view(receipt);
    assert_int_equal(fields->attempts[0].failure_detail, BWT_FAILURE_DETAIL_PROVIDER_ERROR);
    assert_int_equal(fields->attempts[0].http_status, 429);
    assert_int_equal(fields->attempts[0].hit_count, -1);
    assert_int_equal(fields->attempts[0].elapsed_ms, 10);
    assert_int_equal(fields->retry_after_ms, 7);
    bwt_receipt_free(receipt);
}

static void test_nonsense_in_a_failure_is_dropped(void **state)
{
    (void)state;
    static const int odd_statuses[] = {-1, S(NONE), S(OK_USEFUL), S(OK_NOT_USEFUL), S(END), 99};
    for (size_t i = 0; i < COUNT_OF(odd_statuses); i++) {
        bwt_receipt *receipt = after_one_failure(make_failure((bwt_attempt_status)odd_statuses[i]));
        const bwt_receipt_fields *fields = bwt_receipt_view(receipt);
        assert_int_equal(fields->attempts[0].status, S(TRANSPORT_ERROR));
        assert_int_equal(fields->attempts[0].failure_detail, BWT_FAILURE_DETAIL_TRANSPORT_RAISED);
        bwt_receipt_free(receipt);
    }
    bwt_receipt *receipt = after_one_failure((bwt_failure){
        .status = S(RATE_LIMITED), .detail = BWT_FAILURE_DETAIL_END, .http_status = 12, .retry_after_ms = INT64_MAX});
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].failure_detail, BWT_FAILURE_DETAIL_NONE);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].http_status, 0);
    assert_int_equal(bwt_receipt_view(receipt)->retry_after_ms, BWT_MAX_RETRY_AFTER_MS);
    bwt_receipt_free(receipt);
}

/* What was never dialled carries no detail and takes no time. */
static void test_skip_reported_by_the_caller(void **state)
{
    (void)state;
    bwt_receipt *receipt = after_one_failure((bwt_failure){
        .status = S(SKIPPED_RESTING), .detail = BWT_FAILURE_DETAIL_CONNECT, .http_status = 503, .retry_after_ms = 9});
    const bwt_receipt_fields *fields = bwt_receipt_view(receipt);
    assert_int_equal(fields->attempts_used, 0);
    assert_int_equal(fields->attempts[0].elapsed_ms, 0);
    assert_int_equal(fields->attempts[0].failure_detail, BWT_FAILURE_DETAIL_NONE);
    assert_int_equal(fields->attempts[0].http_status, 0);
    assert_int_equal(fields->retry_after_ms, 9);
    bwt_receipt_free(receipt);
}

static void test_refusal_of_an_address_names_its_reason(void **state)
{
    (void)state;
    bwt_receipt *receipt = after_one_failure((bwt_failure){
        .status = S(REFUSED_BY_POLICY), .policy_reason = BWT_POLICY_REASON_PRIVATE_ADDRESS, .retry_after_ms = -1});
    assert_int_equal(bwt_receipt_view(receipt)->policy_reason, BWT_POLICY_REASON_PRIVATE_ADDRESS);
    assert_int_equal(bwt_receipt_view(receipt)->attempts_used, 0);
    bwt_receipt_free(receipt);
}

/* {primary wait, fallback wait} -> the receipt's; only rate_limited and skipped_resting name one. */
static void test_smallest_wait_is_reported(void **state)
{
    (void)state;
    static const struct {
        bwt_attempt_status first, second;
        int64_t first_wait, second_wait, expected;
    } rows[] = {
        {S(RATE_LIMITED), S(RATE_LIMITED), 500, 300, 300},    {S(RATE_LIMITED), S(SKIPPED_RESTING), 200, 300, 200},
        {S(RATE_LIMITED), S(TRANSPORT_ERROR), 500, 1, 500},   {S(TRANSPORT_ERROR), S(RATE_LIMITED), 1, 0, 0},
        {S(RATE_LIMITED), S(RATE_LIMITED), -1, 40, 40},       {S(RATE_LIMITED), S(RATE_LIMITED), -1, -1, -1},
        {S(RATE_LIMITED), S(AUTH_FAILED), 500, -1, -1},       {S(RATE_LIMITED), S(SKIPPED_NO_BUDGET), 500, 600, -1},
        {S(TRANSPORT_ERROR), S(TRANSPORT_ERROR), 10, 20, -1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_plan *plan = default_plan(true, NULL);
        dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
        bwt_plan_report_failure(plan, 0, (bwt_failure){.status = rows[i].first, .retry_after_ms = rows[i].first_wait});
        dial(plan, 0, BWT_ATTEMPT_ROLE_FALLBACK);
        bwt_plan_report_failure(plan, 0,
                                (bwt_failure){.status = rows[i].second, .retry_after_ms = rows[i].second_wait});
        bwt_receipt *receipt = seal_plan(plan, 0);
        assert_int_equal(bwt_receipt_view(receipt)->retry_after_ms, rows[i].expected);
        bwt_receipt_free(receipt);
        bwt_plan_free(plan);
    }
}

static void test_status_that_the_provider_settled(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(false, NULL);
    bwt_response *response = make_response(400, 2);
    bwt_response_settle_status(response);
    bool wants_verdict = false;
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    assert_int_equal(bwt_plan_report_response(plan, 0, response, &wants_verdict), BWT_OK);
    assert_true(wants_verdict);
    bwt_plan_report_verdict(plan, (bwt_verdict){true, BWT_NOT_USEFUL_REASON_NONE});
    bwt_receipt *receipt = seal_plan(plan, 0);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].http_status, 400);
    assert_int_equal(bwt_receipt_view(receipt)->result_count, 2);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

/* A verdict that contradicts itself is the judge's fault, not evidence. */
static void test_verdicts_that_are_none(void **state)
{
    (void)state;
    static const bwt_verdict odd[] = {
        {true, BWT_NOT_USEFUL_REASON_LOGIN_WALL},
        {false, BWT_NOT_USEFUL_REASON_NONE},
        {false, BWT_NOT_USEFUL_REASON_END},
        {false, (bwt_not_useful_reason)-3},
    };
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        bwt_plan *plan = default_plan(false, NULL);
        bool wants_verdict = false;
        dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
        assert_int_equal(bwt_plan_report_response(plan, 0, make_response(0, 5), &wants_verdict), BWT_OK);
        bwt_plan_report_verdict(plan, odd[i]);
        bwt_receipt *receipt = seal_plan(plan, 0);
        const bwt_attempt *attempt = &bwt_receipt_view(receipt)->attempts[0];
        assert_int_equal(attempt->status, S(OK_NOT_USEFUL));
        assert_int_equal(attempt->not_useful_reason, BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD);
        assert_int_equal(attempt->hit_count, 5);
        assert_int_equal(attempt->http_status, 0);
        bwt_receipt_free(receipt);
        bwt_plan_free(plan);
    }
}

static void test_unparseable_answers_have_no_hits(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(false, NULL);
    bwt_response *response = bwt_response_new(200, false);
    assert_int_equal(bwt_response_add_hit(response, (bwt_hit){.title = BWT_STR("left over")}), BWT_OK);
    bool wants_verdict = false;
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    assert_int_equal(bwt_plan_report_response(plan, 0, response, &wants_verdict), BWT_OK);
    bwt_plan_report_verdict(plan, (bwt_verdict){false, BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD});
    bwt_receipt *receipt = seal_plan(plan, 0);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].hit_count, 0);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

/* ---- the plan's own validator */

static void add_hit(bwt_response *response, bwt_str title, bwt_str snippet)
{
    bwt_hit hit = {title, BWT_STR("https://sea.invalid/"), snippet};
    assert_int_equal(bwt_response_add_hit(response, hit), BWT_OK);
}

static bwt_receipt *judged_by_validator(bwt_response *response)
{
    static const bwt_str markers[] = {{"please log in to our site", 25}};
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    options.login_wall_markers = markers;
    options.login_wall_marker_count = COUNT_OF(markers);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_plan *plan = default_plan(false, validator);
    bwt_validator_release(validator);
    bool wants_verdict = true;
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    assert_int_equal(bwt_plan_report_response(plan, 0, response, &wants_verdict), BWT_OK);
    assert_false(wants_verdict);
    bwt_plan_report_verdict(plan, (bwt_verdict){false, BWT_NOT_USEFUL_REASON_PAYWALL});
    bwt_receipt *receipt = seal_plan(plan, 0);
    bwt_plan_free(plan);
    return receipt;
}

static void test_hits_with_a_wall_stay_out_of_the_results(void **state)
{
    (void)state;
    bwt_response *response = make_response(200, 0);
    add_hit(response, BWT_STR("Wall"),
            BWT_STR("Narwhal facts: please log in to our site before you read about the tusk."));
    add_hit(response, BWT_STR("Tusk"),
            BWT_STR("The narwhal tusk is a canine tooth that grows in a left-handed spiral."));
    bwt_receipt *receipt = judged_by_validator(response);
    const bwt_receipt_fields *fields = bwt_receipt_view(receipt);
    assert_int_equal(fields->outcome, BWT_OUTCOME_USEFUL_RESULT);
    assert_int_equal(fields->attempts[0].hit_count, 2);
    assert_int_equal(fields->result_count, 1);
    assert_str(fields->results[0].title, "Tusk");
    assert_false(fields->results_truncated);
    bwt_receipt_free(receipt);
}

static void test_validator_decides_alone(void **state)
{
    (void)state;
    bwt_receipt *receipt = judged_by_validator(make_response(200, 0));
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].not_useful_reason, BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].hit_count, 0);
    bwt_receipt_free(receipt);
}

/* ---- the target */

static void test_target_is_redacted_and_optional(void **state)
{
    (void)state;
    bwt_plan *plan = default_plan(true, NULL);
    assert_int_equal(bwt_plan_set_target(plan, BWT_STR("https://too.early.invalid/")), BWT_OK);
    dial(plan, 0, BWT_ATTEMPT_ROLE_PRIMARY);
    assert_int_equal(bwt_plan_set_target(plan, BWT_STR("https://replaced.invalid/")), BWT_OK);
    assert_int_equal(bwt_plan_set_target(plan, BWT_STR_NONE), BWT_OK);
    fail_attempt(plan, 0, S(TRANSPORT_ERROR));
    dial(plan, 0, BWT_ATTEMPT_ROLE_FALLBACK);
    assert_int_equal(bwt_plan_set_target(plan, BWT_STR("https://b.invalid/?q=x&api_key=abcd1234&page=2")), BWT_OK);
    fail_attempt(plan, 0, S(TRANSPORT_ERROR));
    bwt_receipt *receipt = seal_plan(plan, 0);
    assert_null(bwt_receipt_view(receipt)->attempts[0].target.data);
    assert_str(bwt_receipt_view(receipt)->attempts[1].target, "https://b.invalid/?q=x&api_key=[REDACTED]&page=2");
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_primary_succeeds),
        leak_checked(test_fallback_succeeds),
        leak_checked(test_neither_is_usable),
        leak_checked(test_two_timeouts_eat_the_budget),
        leak_checked(test_no_runway_for_the_fallback),
        leak_checked(test_rejected_credentials),
        leak_checked(test_refused_query),
        leak_checked(test_query_is_prepared),
        leak_checked(test_unchecked_policy_is_refused),
        leak_checked(test_max_fallbacks_zero),
        leak_checked(test_failure_is_recorded_with_what_is_known),
        leak_checked(test_nonsense_in_a_failure_is_dropped),
        leak_checked(test_skip_reported_by_the_caller),
        leak_checked(test_refusal_of_an_address_names_its_reason),
        leak_checked(test_smallest_wait_is_reported),
        leak_checked(test_status_that_the_provider_settled),
        leak_checked(test_verdicts_that_are_none),
        leak_checked(test_unparseable_answers_have_no_hits),
        leak_checked(test_hits_with_a_wall_stay_out_of_the_results),
        leak_checked(test_validator_decides_alone),
        leak_checked(test_target_is_redacted_and_optional),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
