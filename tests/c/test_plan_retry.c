/* The retry plan: every short script of outcomes against a second, list-shaped telling of the rule; then the clock. */
#include "support/check.h"

#include <string.h>

enum { MAX_CALLS = 9 };

static const bwt_retry_outcome reportable[] = {BWT_RETRY_OK, BWT_RETRY_EMPTY_RESULTS, BWT_RETRY_MALFORMED_PAYLOAD,
                                               BWT_RETRY_TRANSPORT_ERROR};

static bwt_retry_receipt seal(const bwt_retry_plan *plan)
{
    bwt_retry_receipt receipt;
    memset(&receipt, 0xAA, sizeof receipt);
    bwt_retry_plan_seal(plan, &receipt);
    return receipt;
}

static void check_receipt(bwt_retry_receipt actual, bwt_retry_receipt expected)
{
    assert_int_equal(actual.outcome, expected.outcome);
    assert_int_equal(actual.task_success, expected.task_success);
    assert_int_equal(actual.transport_success, expected.transport_success);
    assert_int_equal(actual.provider_used, expected.provider_used);
    assert_int_equal(actual.fallback_used, expected.fallback_used);
    assert_int_equal(actual.attempts_total, expected.attempts_total);
}

/* The rule as nested loops over providers and tries; script[i] is what the i-th call brings. */
static bwt_retry_receipt told_again(int providers, int tries, const bwt_retry_outcome *script, int calls[MAX_CALLS])
{
    bwt_retry_receipt receipt = {BWT_RETRY_NO_PROVIDER, false, false, -1, false, 0};
    for (int provider = 0; provider < providers; provider++) {
        for (int attempt = 0; attempt < tries; attempt++) {
            bwt_retry_outcome outcome = script[receipt.attempts_total];
            calls[receipt.attempts_total++] = provider;
            receipt.outcome = outcome;
            receipt.provider_used = provider;
            receipt.transport_success = outcome != BWT_RETRY_TRANSPORT_ERROR;
            if (outcome == BWT_RETRY_OK) {
                receipt.task_success = true;
                receipt.fallback_used = provider > 0;
                return receipt;
            }
            if (outcome != BWT_RETRY_TRANSPORT_ERROR) break;
        }
    }
    receipt.fallback_used = providers > 1;
    return receipt;
}

static void check_script(int providers, int tries, const bwt_retry_outcome *script, int64_t deadline_ns)
{
    int expected_calls[MAX_CALLS];
    bwt_retry_receipt expected = told_again(providers, tries, script, expected_calls);
    bwt_retry_plan plan;
    bwt_retry_plan_init(&plan, providers, tries, deadline_ns);
    for (int64_t call = 0; call < expected.attempts_total; call++) {
        assert_int_equal(bwt_retry_plan_next(&plan, 5), expected_calls[call]);
        bwt_retry_plan_report(&plan, script[call], 5);
    }
    assert_int_equal(bwt_retry_plan_next(&plan, 5), -1);
    check_receipt(seal(&plan), expected);
}

static void test_every_script(void **state)
{
    (void)state;
    for (int providers = 0; providers <= 3; providers++) {
        for (int tries = 1; tries <= 2; tries++) {
            int scripts = 1;
            for (int i = 0; i < providers * tries; i++) scripts *= (int)COUNT_OF(reportable);
            for (int number = 0; number < scripts; number++) {
                bwt_retry_outcome script[MAX_CALLS] = {BWT_RETRY_OK};
                for (int i = 0, rest = number; i < providers * tries; i++, rest /= (int)COUNT_OF(reportable)) {
                    script[i] = reportable[rest % (int)COUNT_OF(reportable)];
                }
                check_script(providers, tries, script, INT64_MAX);
                check_script(providers, tries, script, 1000);
            }
        }
    }
}

static void test_no_provider(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, -1, INT64_MIN};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        bwt_retry_plan plan;
        bwt_retry_plan_init(&plan, counts[i], 2, 0);
        assert_int_equal(bwt_retry_plan_next(&plan, 99), -1);
        check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_NO_PROVIDER, false, false, -1, false, 0});
    }
}

/* ---- deadline: 100 ns, two providers, two tries */

static bwt_retry_plan timed_plan(void)
{
    bwt_retry_plan plan;
    bwt_retry_plan_init(&plan, 2, 2, 100);
    return plan;
}

static void test_deadline_before_the_first_call(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 100), -1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, -1, false, 0});
    assert_int_equal(bwt_retry_plan_next(&plan, 0), -1);
}

static void test_call_just_before_the_deadline(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 99), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_OK, 100);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_OK, true, true, 0, false, 1});
}

static void test_late_answer_is_no_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(reportable); i++) {
        bwt_retry_plan plan = timed_plan();
        assert_int_equal(bwt_retry_plan_next(&plan, 99), 0);
        bwt_retry_plan_report(&plan, reportable[i], 101);
        assert_int_equal(bwt_retry_plan_next(&plan, 0), -1);
        check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 0, false, 1});
    }
}

/* An empty answer came, the time for the second provider did not: not "empty", and no fallback was used. */
static void test_deadline_between_providers(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_EMPTY_RESULTS, 100);
    assert_int_equal(bwt_retry_plan_next(&plan, 100), -1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 0, false, 1});
}

static void test_deadline_inside_the_second_provider(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_MALFORMED_PAYLOAD, 1);
    assert_int_equal(bwt_retry_plan_next(&plan, 2), 1);
    bwt_retry_plan_report(&plan, BWT_RETRY_TRANSPORT_ERROR, 3);
    assert_int_equal(bwt_retry_plan_next(&plan, 200), -1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 1, true, 2});
}

/* The last answer arrived in time, so nothing is left to do and the deadline no longer matters. */
static void test_exhausted_before_the_deadline(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_EMPTY_RESULTS, 1);
    assert_int_equal(bwt_retry_plan_next(&plan, 2), 1);
    bwt_retry_plan_report(&plan, BWT_RETRY_MALFORMED_PAYLOAD, 100);
    assert_int_equal(bwt_retry_plan_next(&plan, 500), -1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_MALFORMED_PAYLOAD, false, true, 1, true, 2});
}

/* ---- misuse is harmless */

static void test_reports_nobody_asked_for(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    bwt_retry_plan_report(&plan, BWT_RETRY_OK, 0);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, -1, false, 0});
    assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_OK, 1);
    bwt_retry_plan_report(&plan, BWT_RETRY_TRANSPORT_ERROR, 2);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_OK, true, true, 0, false, 1});
}

static void test_next_without_report_counts_as_failure(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    static const int64_t calls[] = {0, 0, 1, 1, -1};
    for (size_t i = 0; i < COUNT_OF(calls); i++) assert_int_equal(bwt_retry_plan_next(&plan, 1), calls[i]);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 1, true, 4});
}

static void test_sealing_early_is_no_answer(void **state)
{
    (void)state;
    bwt_retry_plan plan = timed_plan();
    assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_EMPTY_RESULTS, 1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 0, false, 1});
    assert_int_equal(bwt_retry_plan_next(&plan, 2), 1);
    check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 1, true, 2});
}

static void test_outcomes_that_cannot_be_reported(void **state)
{
    (void)state;
    static const int odd[] = {BWT_RETRY_NO_PROVIDER, 0, -7, 1000};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        bwt_retry_plan plan;
        bwt_retry_plan_init(&plan, 1, -3, INT64_MAX);
        assert_int_equal(bwt_retry_plan_next(&plan, 0), 0);
        bwt_retry_plan_report(&plan, (bwt_retry_outcome)odd[i], INT64_MAX);
        check_receipt(seal(&plan), (bwt_retry_receipt){BWT_RETRY_TRANSPORT_ERROR, false, false, 0, false, 1});
    }
}

static void test_huge_numbers(void **state)
{
    (void)state;
    bwt_retry_plan plan;
    bwt_retry_plan_init(&plan, INT64_MAX, INT64_MAX, INT64_MAX);
    plan.tries_total = INT64_MAX;
    assert_int_equal(bwt_retry_plan_next(&plan, INT64_MAX), 0);
    bwt_retry_plan_report(&plan, BWT_RETRY_TRANSPORT_ERROR, INT64_MAX);
    assert_int_equal(bwt_retry_plan_next(&plan, INT64_MIN), 0);
    assert_int_equal(seal(&plan).attempts_total, INT64_MAX);
}

static void test_wire_names(void **state)
{
    (void)state;
    assert_string_equal(bwt_retry_outcome_wire(BWT_RETRY_OK), "ok");
    assert_string_equal(bwt_retry_outcome_wire(BWT_RETRY_EMPTY_RESULTS), "empty_results");
    assert_string_equal(bwt_retry_outcome_wire(BWT_RETRY_MALFORMED_PAYLOAD), "malformed_payload");
    assert_string_equal(bwt_retry_outcome_wire(BWT_RETRY_TRANSPORT_ERROR), "transport_error");
    assert_string_equal(bwt_retry_outcome_wire(BWT_RETRY_NO_PROVIDER), "no_provider");
    assert_null(bwt_retry_outcome_wire((bwt_retry_outcome)0));
    assert_null(bwt_retry_outcome_wire((bwt_retry_outcome)6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_every_script),
        leak_checked(test_no_provider),
        leak_checked(test_deadline_before_the_first_call),
        leak_checked(test_call_just_before_the_deadline),
        leak_checked(test_late_answer_is_no_answer),
        leak_checked(test_deadline_between_providers),
        leak_checked(test_deadline_inside_the_second_provider),
        leak_checked(test_exhausted_before_the_deadline),
        leak_checked(test_reports_nobody_asked_for),
        leak_checked(test_next_without_report_counts_as_failure),
        leak_checked(test_sealing_early_is_no_answer),
        leak_checked(test_outcomes_that_cannot_be_reported),
        leak_checked(test_huge_numbers),
        leak_checked(test_wire_names),
    };
    return cmocka_run_group_tests_name("plan_retry", tests, NULL, NULL);
}
