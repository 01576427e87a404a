/* A provider's interval and rest on an injected clock. Times are milliseconds from zero. */
#include <stdio.h>

#include "net/pacing.h"
#include "support/check.h"

enum { SECOND = 1000, FAR = 1000 * SECOND };

static const bwt_str one = {"http://one:80 a", 15}, two = {"http://two:80 b", 15};

static bwt_turn_answer ask(bwt_pacing *pacing, bwt_str provider, int64_t now_ms, int64_t deadline_ms, bwt_turn *turn)
{
    return bwt_pacing_ask(pacing, provider, SECOND, now_ms * NS_PER_MS, deadline_ms * NS_PER_MS, 250, turn);
}

static bwt_turn *next(bwt_pacing *pacing, int64_t now_ms)
{
    return bwt_pacing_next(pacing, now_ms * NS_PER_MS);
}

static int64_t next_ms(const bwt_pacing *pacing)
{
    int64_t at_ns = bwt_pacing_next_ns(pacing);
    return at_ns == INT64_MAX ? -1 : at_ns / NS_PER_MS;
}

static void use(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ms)
{
    bwt_pacing_use(pacing, turn, now_ms * NS_PER_MS);
}

static void give_up(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ms)
{
    bwt_pacing_give_up(pacing, turn, now_ms * NS_PER_MS);
}

static void requests_lie_an_interval_apart(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_turn a, b, c;
    assert_int_equal(ask(&pacing, one, 0, FAR, &a), BWT_TURN_NOW);
    use(&pacing, &a, 0);
    assert_int_equal(ask(&pacing, one, 100, FAR, &b), BWT_TURN_LATER);
    assert_int_equal(ask(&pacing, one, 200, FAR, &c), BWT_TURN_LATER);
    assert_int_equal(next_ms(&pacing), 1000);
    assert_null(next(&pacing, 999));
    assert_ptr_equal(next(&pacing, 1000), &b);
    assert_int_equal(next_ms(&pacing), -1); /* c's time is known when b has dialled */
    use(&pacing, &b, 1030);                 /* a name lookup took 30 ms */
    assert_int_equal(next_ms(&pacing), 2030);
    assert_ptr_equal(next(&pacing, 2030), &c);
    use(&pacing, &c, 2030);
    assert_int_equal(ask(&pacing, one, 3030, FAR, &a), BWT_TURN_NOW);
    give_up(&pacing, &a, 3030);
    bwt_pacing_deinit(&pacing);
}

static void providers_do_not_wait_for_each_other(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_turn a, b;
    assert_int_equal(ask(&pacing, one, 0, FAR, &a), BWT_TURN_NOW);
    assert_int_equal(ask(&pacing, two, 0, FAR, &b), BWT_TURN_NOW);
    use(&pacing, &a, 0);
    use(&pacing, &b, 0);
    bwt_pacing_deinit(&pacing);
}

static void whoever_would_come_too_late_is_told_at_once(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_turn a, b, c;
    assert_int_equal(ask(&pacing, one, 0, 250, &a), BWT_TURN_NOW);
    use(&pacing, &a, 0);
    assert_int_equal(ask(&pacing, one, 0, 1249, &b), BWT_TURN_TOO_LATE); /* 249 ms would be left of 250 */
    assert_int_equal(ask(&pacing, one, 0, 1250, &b), BWT_TURN_LATER);
    assert_int_equal(ask(&pacing, one, 0, 2249, &c), BWT_TURN_TOO_LATE); /* b goes before */
    assert_int_equal(ask(&pacing, one, 0, 2250, &c), BWT_TURN_LATER);
    give_up(&pacing, &c, 0);
    give_up(&pacing, &b, 0);
    bwt_pacing_deinit(&pacing);
}

/* The first turn costs nothing, so it is given however little time is left: the plan has judged that already. */
static void a_turn_that_need_not_wait_is_given_however_late(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_turn a;
    assert_int_equal(ask(&pacing, one, 0, 1, &a), BWT_TURN_NOW);
    give_up(&pacing, &a, 0);
    bwt_pacing_deinit(&pacing);
}

static void an_unused_turn_is_passed_on_at_once(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_turn a, b, c;
    assert_int_equal(ask(&pacing, one, 0, FAR, &a), BWT_TURN_NOW);
    assert_int_equal(ask(&pacing, one, 10, FAR, &b), BWT_TURN_LATER); /* behind a, which has not dialled */
    assert_int_equal(ask(&pacing, one, 10, FAR, &c), BWT_TURN_LATER);
    assert_int_equal(next_ms(&pacing), -1);
    give_up(&pacing, &a, 20); /* its name lookup failed */
    assert_ptr_equal(next(&pacing, 20), &b);
    give_up(&pacing, &c, 21); /* cancelled while it waited */
    use(&pacing, &b, 30);
    assert_int_equal(next_ms(&pacing), -1);
    assert_int_equal(ask(&pacing, one, 40, FAR, &c), BWT_TURN_LATER);
    assert_int_equal(next_ms(&pacing), 1030);
    give_up(&pacing, &c, 50);
    give_up(&pacing, &c, 50); /* twice is once */
    bwt_pacing_deinit(&pacing);
}

static bwt_failure refusal(bwt_attempt_status status, int64_t retry_after_ms)
{
    return (bwt_failure){.status = status, .retry_after_ms = retry_after_ms};
}

static int64_t rest_ms(bwt_pacing *pacing, bwt_str provider, int64_t now_ms)
{
    return bwt_pacing_rest_ms(pacing, provider, now_ms * NS_PER_MS);
}

static void what_rests_a_provider_and_for_how_long(void **state)
{
    (void)state;
    static const struct {
        bwt_attempt_status status;
        int64_t retry_after_ms, rest_ms;
    } rows[] = {
        {BWT_ATTEMPT_STATUS_RATE_LIMITED, 30000, 30000},
        {BWT_ATTEMPT_STATUS_RATE_LIMITED, -1, 0},
        {BWT_ATTEMPT_STATUS_RATE_LIMITED, 0, 0},
        {BWT_ATTEMPT_STATUS_RATE_LIMITED, 1, 1},
        {BWT_ATTEMPT_STATUS_RATE_LIMITED, 86400000, 3600000},
        {BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED, -1, 60000},
        {BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED, 5000, 5000},
        {BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED, 0, 0},
        {BWT_ATTEMPT_STATUS_AUTH_FAILED, -1, 60000},
        {BWT_ATTEMPT_STATUS_AUTH_FAILED, 7200000, 3600000},
        {BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, -1, 0},
        {BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, 9000, 9000},
        {BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT, -1, 0},
        {BWT_ATTEMPT_STATUS_CANCELLED, -1, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_pacing pacing;
        bwt_pacing_init(&pacing, true);
        bwt_failure failure = refusal(rows[i].status, rows[i].retry_after_ms);
        bwt_pacing_refused(&pacing, one, &failure, 0);
        assert_int_equal(rest_ms(&pacing, one, 0), rows[i].rest_ms);
        assert_int_equal(rest_ms(&pacing, two, 0), 0);
        assert_int_equal(rest_ms(&pacing, one, rows[i].rest_ms), 0);
        bwt_pacing_deinit(&pacing);
    }
}

static void a_shorter_rest_does_not_end_a_longer_one(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_failure longer = refusal(BWT_ATTEMPT_STATUS_RATE_LIMITED, 5000);
    bwt_failure shorter = refusal(BWT_ATTEMPT_STATUS_RATE_LIMITED, 1000);
    bwt_pacing_refused(&pacing, one, &longer, 0);
    bwt_pacing_refused(&pacing, one, &shorter, 1000 * NS_PER_MS);
    assert_int_equal(rest_ms(&pacing, one, 1000), 4000);
    assert_int_equal(bwt_pacing_rest_ms(&pacing, one, 5000 * NS_PER_MS - 1), 1); /* rounded up: never too soon */
    bwt_pacing_deinit(&pacing);
}

static void nothing_rests_when_it_is_turned_off(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, false);
    bwt_failure failure = refusal(BWT_ATTEMPT_STATUS_AUTH_FAILED, -1);
    bwt_pacing_refused(&pacing, one, &failure, 0);
    assert_int_equal(rest_ms(&pacing, one, 0), 0);
    assert_int_equal(pacing.providers.count, 0);
    bwt_pacing_deinit(&pacing);
}

/* A process that meets ever new providers: those whose time is over are forgotten, the others are not. */
static void what_is_over_is_forgotten(void **state)
{
    (void)state;
    bwt_pacing pacing;
    bwt_pacing_init(&pacing, true);
    bwt_failure day = refusal(BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED, BWT_LONGEST_REST_MS);
    bwt_pacing_refused(&pacing, one, &day, 0);
    bwt_turn waits, holds;
    assert_int_equal(ask(&pacing, two, 0, FAR, &holds), BWT_TURN_NOW);
    assert_int_equal(ask(&pacing, two, 0, FAR, &waits), BWT_TURN_LATER);
    for (int i = 0; i < 10000; i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "http://h:%d n", i);
        bwt_failure failure = refusal(BWT_ATTEMPT_STATUS_RATE_LIMITED, 5);
        bwt_pacing_refused(&pacing, (bwt_str){text, (size_t)len}, &failure, i * NS_PER_MS);
    }
    assert_in_range(pacing.providers.count, 2, 600);
    assert_true(rest_ms(&pacing, one, 10000) > 0);
    give_up(&pacing, &holds, 10000);
    assert_ptr_equal(next(&pacing, 10000), &waits);
    give_up(&pacing, &waits, 10000);
    bwt_pacing_deinit(&pacing);
}

static bwt_error ask_and_rest(void *context)
{
    bwt_pacing *pacing = context;
    bwt_pacing_init(pacing, true);
    bwt_turn turn = {0};
    bwt_turn_answer answer = ask(pacing, one, 0, FAR, &turn);
    give_up(pacing, &turn, 0);
    bwt_pacing_deinit(pacing);
    return answer == BWT_TURN_NO_MEMORY ? BWT_ERR_NO_MEMORY : BWT_OK;
}

static void a_lack_of_memory_is_an_answer(void **state)
{
    (void)state;
    bwt_pacing pacing;
    assert_int_equal(fail_each_allocation(ask_and_rest, &pacing), 1);
    bwt_pacing_init(&pacing, true);
    bwt_failure failure = refusal(BWT_ATTEMPT_STATUS_AUTH_FAILED, -1);
    bwt_mem_fail_from(1);
    bwt_pacing_refused(&pacing, one, &failure, 0);
    bwt_mem_fail_from(0);
    assert_int_equal(rest_ms(&pacing, one, 0), 0);
    bwt_pacing_deinit(&pacing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(requests_lie_an_interval_apart),
        leak_checked(providers_do_not_wait_for_each_other),
        leak_checked(whoever_would_come_too_late_is_told_at_once),
        leak_checked(a_turn_that_need_not_wait_is_given_however_late),
        leak_checked(an_unused_turn_is_passed_on_at_once),
        leak_checked(what_rests_a_provider_and_for_how_long),
        leak_checked(a_shorter_rest_does_not_end_a_longer_one),
        leak_checked(nothing_rests_when_it_is_turned_off),
        leak_checked(what_is_over_is_forgotten),
        leak_checked(a_lack_of_memory_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
