/* The plan and the clock: slices, the nanosecond between in time and late, rounding, clocks that misbehave. */
#include "support/check.h"
#include "support/plans.h"

#define S(name) BWT_ATTEMPT_STATUS_##name
#define MS(ms) ((ms)*NS_PER_MS)

static bwt_policy make_policy(int64_t budget_ms, int64_t per_attempt_ms, int64_t min_attempt_ms)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.budget_ms = budget_ms;
    policy.per_attempt_ms = per_attempt_ms;
    policy.min_attempt_ms = min_attempt_ms;
    return policy;
}

static bwt_attempt first_attempt(bwt_plan *plan, int64_t now_ns)
{
    bwt_receipt *receipt = seal_plan(plan, now_ns);
    bwt_attempt attempt = bwt_receipt_view(receipt)->attempts[0];
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
    return attempt;
}

/* ---- slices */

static void test_slice_is_what_is_left(void **state)
{
    (void)state;
    static const struct {
        int64_t budget_ms, per_attempt_ms, min_attempt_ms, idle_ns;
        int64_t slice_ms; /* 0 = skipped */
    } rows[] = {
        {8000, 5000, 250, 0, 5000},
        {8000, 5000, 250, MS(3000), 5000},
        {8000, 5000, 250, MS(3000) + 1, 4999},
        {8000, 5000, 250, MS(7750), 250},
        {8000, 5000, 250, MS(7750) + 1, 0},
        {8000, 5000, 250, MS(8000), 0},
        {8000, 5000, 250, MS(9000), 0},
        {8000, 9000, 250, 0, 8000}, /* a cap above the budget is legal */
        {50, 5000, 250, 0, 50},     /* the least slice is never above the budget */
        {50, 5000, 250, 1, 0},
        {8000, 100, 250, MS(7900), 100}, /* nor above the cap */
        {8000, 100, 250, MS(7901), 0},
        {1, 1, 1, 0, 1},
        {1, 1, 1, 1, 0},
        {BWT_MAX_POLICY_VALUE, BWT_MAX_POLICY_VALUE, 1, 0, BWT_MAX_POLICY_VALUE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_policy policy = make_policy(rows[i].budget_ms, rows[i].per_attempt_ms, rows[i].min_attempt_ms);
        bwt_plan *plan = make_plan(&policy, false, NULL, MS(100));
        int64_t now_ns = MS(100) + rows[i].idle_ns;
        bwt_dial dial = {BWT_ATTEMPT_ROLE_NONE, 0, 0};
        assert_int_equal(bwt_plan_next(plan, now_ns, &dial), rows[i].slice_ms > 0);
        assert_int_equal(dial.slice_ms, rows[i].slice_ms);
        if (rows[i].slice_ms > 0) assert_int_equal(dial.deadline_ns, now_ns + MS(rows[i].slice_ms));
        if (rows[i].slice_ms > 0) bwt_plan_report_failure(plan, now_ns, make_failure(S(TRANSPORT_ERROR)));
        bwt_attempt attempt = first_attempt(plan, now_ns);
        assert_int_equal(attempt.status, rows[i].slice_ms > 0 ? S(TRANSPORT_ERROR) : S(SKIPPED_NO_BUDGET));
        assert_int_equal(attempt.elapsed_ms, 0);
    }
}

/* A primary that had no slice does not stop the fallback from being looked at; time only runs one way. */
static void test_both_are_skipped_without_budget(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(1000, 1000, 500);
    bwt_plan *plan = make_plan(&policy, true, NULL, 0);
    bwt_dial dial;
    assert_false(bwt_plan_next(plan, MS(501), &dial));
    assert_false(bwt_plan_next(plan, 0, &dial));
    assert_text(explain_plan(plan, MS(501)),
                "outcome=budget_exhausted next_action=answer_from_prior_knowledge attempts=0/2 elapsed_ms=501/1000 "
                "trail=[primary:skipped_no_budget -> fallback:skipped_no_budget]");
}

/* The deadlines of both attempts never pass the budget's, whenever they are dialled. */
static void test_slices_end_within_the_budget(void **state)
{
    (void)state;
    dice from = {42};
    for (int round = 0; round < 2000; round++) {
        bwt_policy policy = make_policy(1 + (int64_t)dice_below(&from, 3000), 1 + (int64_t)dice_below(&from, 3000),
                                        1 + (int64_t)dice_below(&from, 300));
        int64_t now_ns = (int64_t)dice_below(&from, 1000000000);
        bwt_plan *plan = make_plan(&policy, true, NULL, now_ns);
        int64_t end_ns = now_ns + MS(policy.budget_ms);
        assert_int_equal(bwt_plan_budget_deadline_ns(plan), end_ns);
        bwt_dial dial;
        while (bwt_plan_next(plan, now_ns, &dial)) {
            assert_true(dial.slice_ms >= 1 && dial.slice_ms <= policy.per_attempt_ms);
            assert_true(dial.deadline_ns <= end_ns);
            now_ns += (int64_t)dice_below(&from, (uint64_t)MS(dial.slice_ms) + 1);
            bwt_plan_report_failure(plan, now_ns, make_failure(S(TRANSPORT_TIMEOUT)));
        }
        bwt_receipt *receipt = seal_plan(plan, now_ns);
        assert_true(bwt_receipt_view(receipt)->elapsed_ms <= policy.budget_ms);
        bwt_receipt_free(receipt);
        bwt_plan_free(plan);
    }
}

/* ---- in time or late: slice 100 ms, dialled at 7 ns */

static bwt_attempt report_after(int64_t elapsed_ns, bwt_attempt_status status)
{
    bwt_policy policy = make_policy(1000, 100, 10);
    bwt_plan *plan = make_plan(&policy, false, NULL, 0);
    int64_t now_ns = 7 + elapsed_ns;
    bwt_dial dial;
    bool wants_verdict = false;
    assert_true(bwt_plan_next(plan, 7, &dial));
    assert_int_equal(dial.slice_ms, 100);
    if (status == S(OK_USEFUL)) {
        assert_int_equal(bwt_plan_report_response(plan, now_ns, make_response(200, 1), &wants_verdict), BWT_OK);
        bwt_plan_report_verdict(plan, (bwt_verdict){true, BWT_NOT_USEFUL_REASON_NONE});
    } else if (status == S(CANCELLED)) {
        bwt_plan_cancel(plan, now_ns);
    } else {
        bwt_plan_report_failure(
            plan, now_ns,
            (bwt_failure){
                .status = status, .detail = BWT_FAILURE_DETAIL_READ, .http_status = 503, .retry_after_ms = 5});
    }
    return first_attempt(plan, now_ns);
}

static void test_the_nanosecond_after_the_slice(void **state)
{
    (void)state;
    for (int status = S(OK_USEFUL); status < S(END); status++) {
        if (status == S(OK_NOT_USEFUL)) continue;
        bool is_exchange = status <= S(QUOTA_EXHAUSTED);
        bwt_attempt in_time = report_after(MS(100), (bwt_attempt_status)status);
        assert_int_equal(in_time.status, status);
        bwt_attempt late = report_after(MS(100) + 1, (bwt_attempt_status)status);
        assert_int_equal(late.status, is_exchange ? S(TRANSPORT_TIMEOUT) : (bwt_attempt_status)status);
        bool is_skip = status == S(SKIPPED_NO_BUDGET) || status == S(SKIPPED_RESTING);
        assert_int_equal(in_time.elapsed_ms, is_skip ? 0 : 100);
        assert_int_equal(late.elapsed_ms, is_skip ? 0 : 100);
        assert_int_equal(late.http_status, 0);
        assert_int_equal(late.failure_detail, BWT_FAILURE_DETAIL_NONE);
        assert_int_equal(late.hit_count, -1);
    }
}

static void test_much_too_late_is_capped(void **state)
{
    (void)state;
    bwt_attempt attempt = report_after(MS(86400000), S(OK_USEFUL));
    assert_int_equal(attempt.status, S(TRANSPORT_TIMEOUT));
    assert_int_equal(attempt.elapsed_ms, 100);
}

static void test_elapsed_rounds_up(void **state)
{
    (void)state;
    static const struct {
        int64_t elapsed_ns, elapsed_ms;
    } rows[] = {{0, 0}, {1, 1}, {MS(1) - 1, 1}, {MS(1), 1}, {MS(1) + 1, 2}, {MS(99) + 1, 100}, {MS(100), 100}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_attempt attempt = report_after(rows[i].elapsed_ns, S(TRANSPORT_ERROR));
        assert_int_equal(attempt.status, S(TRANSPORT_ERROR));
        assert_int_equal(attempt.elapsed_ms, rows[i].elapsed_ms);
    }
}

/* A late answer ends its attempt, not the plan: the fallback gets what is left. */
static void test_late_answer_then_fallback(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(1000, 600, 100);
    bwt_plan *plan = make_plan(&policy, true, NULL, 0);
    bwt_dial dial;
    bool wants_verdict = true;
    assert_true(bwt_plan_next(plan, 0, &dial));
    assert_int_equal(bwt_plan_report_response(plan, MS(600) + 1, make_response(200, 1), &wants_verdict), BWT_OK);
    assert_false(wants_verdict);
    assert_true(bwt_plan_next(plan, MS(600) + 1, &dial));
    assert_int_equal(dial.slice_ms, 399);
    bwt_plan_report_failure(plan, MS(700), make_failure(S(TRANSPORT_ERROR)));
    assert_text(explain_plan(plan, MS(700)),
                "outcome=transport_failed next_action=retry_later attempts=2/2 elapsed_ms=700/1000 "
                "trail=[primary:transport_timeout -> fallback:transport_error]");
}

/* ---- clocks that misbehave */

static void test_clock_going_backwards_is_no_progress(void **state)
{
    (void)state;
    bwt_policy policy = make_policy(1000, 600, 100);
    bwt_plan *plan = make_plan(&policy, true, NULL, MS(5000));
    bwt_dial dial;
    assert_true(bwt_plan_next(plan, MS(4000), &dial));
    assert_int_equal(dial.slice_ms, 600);
    assert_int_equal(dial.deadline_ns, MS(5600));
    bwt_plan_report_failure(plan, MS(5400), make_failure(S(TRANSPORT_ERROR)));
    assert_true(bwt_plan_next(plan, 0, &dial));
    assert_int_equal(dial.deadline_ns, MS(6000));
    bwt_plan_report_failure(plan, MS(5100), make_failure(S(TRANSPORT_ERROR)));
    bwt_receipt *receipt = seal_plan(plan, -MS(1));
    assert_int_equal(bwt_receipt_view(receipt)->attempts[0].elapsed_ms, 400);
    assert_int_equal(bwt_receipt_view(receipt)->attempts[1].elapsed_ms, 0);
    assert_int_equal(bwt_receipt_view(receipt)->elapsed_ms, 400);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
}

static void test_clock_at_the_ends_of_its_range(void **state)
{
    (void)state;
    static const int64_t ends[] = {INT64_MIN, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    bwt_policy policy = make_policy(BWT_MAX_POLICY_VALUE, BWT_MAX_POLICY_VALUE, 1);
    for (size_t start = 0; start < COUNT_OF(ends); start++) {
        for (size_t at = 0; at < COUNT_OF(ends); at++) {
            for (size_t end = 0; end < COUNT_OF(ends); end++) {
                bwt_plan *plan = make_plan(&policy, true, NULL, ends[start]);
                bwt_dial dial;
                if (bwt_plan_next(plan, ends[at], &dial)) {
                    assert_true(dial.deadline_ns >= ends[start]);
                    bwt_plan_report_failure(plan, ends[end], make_failure(S(TRANSPORT_ERROR)));
                }
                bwt_receipt *receipt = seal_plan(plan, ends[end]);
                assert_true(bwt_receipt_view(receipt)->elapsed_ms >= 0);
                bwt_receipt_free(receipt);
                bwt_plan_free(plan);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_slice_is_what_is_left),          leak_checked(test_both_are_skipped_without_budget),
        leak_checked(test_slices_end_within_the_budget),   leak_checked(test_the_nanosecond_after_the_slice),
        leak_checked(test_much_too_late_is_capped),        leak_checked(test_elapsed_rounds_up),
        leak_checked(test_late_answer_then_fallback),      leak_checked(test_clock_going_backwards_is_no_progress),
        leak_checked(test_clock_at_the_ends_of_its_range),
    };
    return cmocka_run_group_tests_name("plan_time", tests, NULL, NULL);
}
