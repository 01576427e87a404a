/* Exhaustive: every trail against the two tables, first alone, then through the real plan to a sealed receipt. */
#include "support/check.h"
#include "support/oracle.h"
#include "support/plans.h"

enum { FIRST_STATUS = BWT_ATTEMPT_STATUS_OK_USEFUL, LAST_STATUS = BWT_ATTEMPT_STATUS_END - 1 };

/* ---- the tables alone */

static void check_tables(const bwt_attempt_status *trail, size_t length)
{
    for (int refused = 0; refused <= 1; refused++) {
        bwt_outcome outcome = bwt_outcome_reduce(trail, length, refused);
        assert_int_equal(outcome, oracle_outcome(trail, length, refused));
    }
    for (int outcome = BWT_OUTCOME_NONE; outcome <= BWT_OUTCOME_END; outcome++) {
        for (int kind = 0; kind <= BWT_KIND_PAGE; kind++) {
            bwt_next_action action = bwt_next_action_for((bwt_outcome)outcome, trail, length, (bwt_receipt_kind)kind);
            assert_int_equal(action, oracle_next_action((bwt_outcome)outcome, trail, length, (bwt_receipt_kind)kind));
        }
    }
}

/* Longer trails than a plan makes, and statuses that do not exist: the functions are total. */
static void test_tables_are_total(void **state)
{
    (void)state;
    check_tables(NULL, 0);
    for (int a = -1; a <= LAST_STATUS + 2; a++) {
        check_tables((bwt_attempt_status[]){(bwt_attempt_status)a}, 1);
        for (int b = -1; b <= LAST_STATUS + 2; b++) {
            check_tables((bwt_attempt_status[]){(bwt_attempt_status)a, (bwt_attempt_status)b}, 2);
            for (int c = -1; c <= LAST_STATUS + 2; c++) {
                bwt_attempt_status trail[] = {(bwt_attempt_status)a, (bwt_attempt_status)b, (bwt_attempt_status)c};
                check_tables(trail, 3);
            }
        }
    }
}

/* The oracle could share a mistake with the core: the sentences of the contract, one by one. */
static void test_tables_by_example(void **state)
{
    (void)state;
    static const struct {
        bwt_attempt_status trail[2];
        size_t length;
        const char *outcome;
        const char *next_action;
    } rows[] = {
        {{BWT_ATTEMPT_STATUS_OK_USEFUL}, 1, "useful_result", "use_result"},
        {{BWT_ATTEMPT_STATUS_AUTH_FAILED, BWT_ATTEMPT_STATUS_OK_USEFUL}, 2, "useful_result", "use_result"},
        {{BWT_ATTEMPT_STATUS_OK_NOT_USEFUL, BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY}, 2, "blocked_by_policy", "stop"},
        {{BWT_ATTEMPT_STATUS_CANCELLED}, 1, "transport_failed", "stop"},
        {{BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET, BWT_ATTEMPT_STATUS_CANCELLED}, 2, "transport_failed", "stop"},
        {{BWT_ATTEMPT_STATUS_OK_NOT_USEFUL, BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET},
         2,
         "budget_exhausted",
         "answer_from_prior_knowledge"},
        {{BWT_ATTEMPT_STATUS_RATE_LIMITED, BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET},
         2,
         "budget_exhausted",
         "answer_from_prior_knowledge"},
        {{BWT_ATTEMPT_STATUS_SKIPPED_RESTING, BWT_ATTEMPT_STATUS_OK_NOT_USEFUL}, 2, "transport_failed", "retry_later"},
        {{BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT, BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT},
         2,
         "transport_failed",
         "retry_later"},
        {{BWT_ATTEMPT_STATUS_OK_NOT_USEFUL, BWT_ATTEMPT_STATUS_AUTH_FAILED},
         2,
         "no_useful_result",
         "ask_user_to_narrow"},
        {{BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED}, 2, "transport_failed", "stop"},
        {{BWT_ATTEMPT_STATUS_AUTH_FAILED, BWT_ATTEMPT_STATUS_RATE_LIMITED}, 2, "transport_failed", "stop"},
        {{BWT_ATTEMPT_STATUS_SKIPPED_RESTING, BWT_ATTEMPT_STATUS_AUTH_FAILED}, 2, "transport_failed", "stop"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_outcome outcome = bwt_outcome_reduce(rows[i].trail, rows[i].length, false);
        bwt_next_action action = bwt_next_action_for(outcome, rows[i].trail, rows[i].length, BWT_KIND_LOOKUP);
        assert_string_equal(bwt_vocab_wire(BWT_VOCAB_OUTCOME, (int)outcome), rows[i].outcome);
        assert_string_equal(bwt_vocab_wire(BWT_VOCAB_NEXT_ACTION, (int)action), rows[i].next_action);
    }
}

/* ---- through the plan */

enum { BUDGET_MS = 1000, MIN_ATTEMPT_MS = 100 };

typedef struct scenario {
    int64_t idle_ms;            /* before the primary could be dialled */
    int64_t primary_ms;         /* what the primary takes */
    bwt_attempt_status primary; /* what it ends with */
    bwt_attempt_status fallback;
    bool has_fallback;
} scenario;

static bool was_dialled(bwt_attempt_status status)
{
    return status != BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET && status != BWT_ATTEMPT_STATUS_SKIPPED_RESTING &&
           status != BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY;
}

static void end_attempt(bwt_plan *plan, int64_t now_ns, bwt_attempt_status status)
{
    if (status == BWT_ATTEMPT_STATUS_CANCELLED) {
        bwt_plan_cancel(plan, now_ns);
    } else if (status == BWT_ATTEMPT_STATUS_OK_USEFUL || status == BWT_ATTEMPT_STATUS_OK_NOT_USEFUL) {
        bool useful = status == BWT_ATTEMPT_STATUS_OK_USEFUL;
        bwt_not_useful_reason reason = useful ? BWT_NOT_USEFUL_REASON_NONE : BWT_NOT_USEFUL_REASON_LOGIN_WALL;
        bool wants_verdict = false;
        assert_int_equal(bwt_plan_report_response(plan, now_ns, make_response(200, 3), &wants_verdict), BWT_OK);
        assert_true(wants_verdict);
        bwt_plan_report_verdict(plan, (bwt_verdict){useful, reason});
    } else {
        bwt_plan_report_failure(plan, now_ns, make_failure(status));
    }
}

/* What the trail must be, from the contract's words alone. */
static size_t expected_trail(const scenario *s, bwt_attempt_status trail[2], bool dialled[2])
{
    int64_t left_ms = BUDGET_MS - s->idle_ms;
    dialled[0] = left_ms >= MIN_ATTEMPT_MS;
    trail[0] = dialled[0] ? s->primary : BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET;
    if (!s->has_fallback) return 1;
    if (trail[0] == BWT_ATTEMPT_STATUS_OK_USEFUL || trail[0] == BWT_ATTEMPT_STATUS_CANCELLED ||
        trail[0] == BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY) {
        return 1;
    }
    if (dialled[0]) left_ms -= s->primary_ms;
    dialled[1] = left_ms >= MIN_ATTEMPT_MS;
    trail[1] = dialled[1] ? s->fallback : BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET;
    return 2;
}

static bwt_receipt *run(const scenario *s, const bool dialled[2], size_t length)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    policy.budget_ms = BUDGET_MS;
    policy.per_attempt_ms = BUDGET_MS;
    policy.min_attempt_ms = MIN_ATTEMPT_MS;
    int64_t now_ns = 77 * NS_PER_MS;
    bwt_plan *plan = make_plan(&policy, s->has_fallback, NULL, now_ns);
    bwt_dial dial;

    now_ns += s->idle_ms * NS_PER_MS;
    if (dialled[0]) {
        assert_true(bwt_plan_next(plan, now_ns, &dial));
        assert_int_equal(dial.role, BWT_ATTEMPT_ROLE_PRIMARY);
        now_ns += s->primary_ms * NS_PER_MS;
        end_attempt(plan, now_ns, s->primary);
    }
    if (length == 2 && dialled[1]) {
        assert_true(bwt_plan_next(plan, now_ns, &dial));
        assert_int_equal(dial.role, BWT_ATTEMPT_ROLE_FALLBACK);
        now_ns += 10 * NS_PER_MS;
        end_attempt(plan, now_ns, s->fallback);
    }
    assert_false(bwt_plan_next(plan, now_ns, &dial));
    bwt_receipt *receipt = seal_plan(plan, now_ns);
    bwt_plan_free(plan);
    return receipt;
}

static void check_scenario(const scenario *s)
{
    bwt_attempt_status trail[2] = {BWT_ATTEMPT_STATUS_NONE, BWT_ATTEMPT_STATUS_NONE};
    bool dialled[2] = {false, false};
    size_t length = expected_trail(s, trail, dialled);
    bwt_receipt *receipt = run(s, dialled, length);
    const bwt_receipt_fields *fields = bwt_receipt_view(receipt);

    bwt_outcome outcome = oracle_outcome(trail, length, false);
    assert_int_equal(fields->outcome, outcome);
    assert_int_equal(fields->next_action, oracle_next_action(outcome, trail, length, BWT_KIND_LOOKUP));
    assert_int_equal(fields->attempt_count, length);
    int64_t used = 0;
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(fields->attempts[i].status, trail[i]);
        assert_int_equal(fields->attempts[i].index, i);
        used += dialled[i] && was_dialled(trail[i]);
    }
    assert_int_equal(fields->attempts_used, used);
    assert_int_equal(fields->fallback_used, length == 2 && dialled[1] && was_dialled(trail[1]));
    assert_int_equal(fields->attempts_allowed, s->has_fallback ? 2 : 1);
    assert_int_equal(fields->result_count, outcome == BWT_OUTCOME_USEFUL_RESULT ? 3 : 0);
    assert_int_equal(fields->retry_after_ms, -1);
    assert_int_equal(fields->policy_reason, outcome == BWT_OUTCOME_BLOCKED_BY_POLICY
                                                ? BWT_POLICY_REASON_DOMAIN_NOT_ALLOWED
                                                : BWT_POLICY_REASON_NONE);
    bwt_receipt_free(receipt);
}

/* Every status x every status x fallback or none x budget: plenty, exactly a slice, one millisecond less. */
static void test_every_pair_of_results(void **state)
{
    (void)state;
    static const struct {
        int64_t idle_ms, primary_ms;
    } times[] = {{0, 200}, {0, 900}, {0, 901}, {0, 1000}, {900, 1}, {900, 0}, {901, 0}, {1000, 0}, {5000, 0}};
    size_t checked = 0;
    for (int primary = FIRST_STATUS; primary <= LAST_STATUS; primary++) {
        for (int fallback = FIRST_STATUS; fallback <= LAST_STATUS; fallback++) {
            for (size_t time = 0; time < COUNT_OF(times); time++) {
                for (int has_fallback = 0; has_fallback <= 1; has_fallback++) {
                    check_scenario(&(scenario){times[time].idle_ms, times[time].primary_ms, (bwt_attempt_status)primary,
                                               (bwt_attempt_status)fallback, has_fallback});
                    checked++;
                }
            }
        }
    }
    assert_int_equal(checked, 11 * 11 * 9 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(test_tables_are_total),
        leak_checked(test_tables_by_example),
        leak_checked(test_every_pair_of_results),
    };
    return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
