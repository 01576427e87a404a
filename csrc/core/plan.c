/* The machine of one lookup: a primary slot, at most one fallback slot, one budget. It decides and keeps the account;
 * the caller dials and tells the time. */
#include "core/duration.h"
#include "core/mem.h"
#include "core/query.h"
#include "core/receipt_check.h"
#include "core/results.h"
#include "core/text.h"

typedef enum plan_stage { PRIMARY_DUE, PRIMARY_IN_FLIGHT, FALLBACK_DUE, FALLBACK_IN_FLIGHT, OVER } plan_stage;

typedef struct plan_slot {
    bwt_text name;
    bwt_text target; /* data NULL = null */
    bool dialled;
    int64_t dialled_ns;
    int64_t slice_ms;
    int64_t wait_ms;    /* that the attempt named; -1 = none */
    bwt_attempt record; /* its texts are filled when sealing; status NONE = not settled */
} plan_slot;

struct bwt_plan {
    bwt_policy policy;
    bwt_budget budget;
    bwt_validator *validator; /* NULL = the caller judges */
    bwt_text query;           /* data NULL = refused */
    bwt_policy_reason policy_reason;
    plan_stage stage;
    plan_slot primary;
    plan_slot fallback;
    bool fallback_allowed;
    bool awaits_verdict;
    bwt_response *response; /* the one awaiting its verdict or judged useful */
    unsigned char *clean;   /* which of its hits are clean; NULL = all */
};

/* What a late report and one that makes no sense become. */
static const bwt_failure timeout = {.status = BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT, .retry_after_ms = -1};
static const bwt_failure misbehaviour = {
    .status = BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, .detail = BWT_FAILURE_DETAIL_TRANSPORT_RAISED, .retry_after_ms = -1};

/* ---- time */

/* The furthest reading so far: a clock that goes backwards stands still for the plan. */
static int64_t advance(bwt_plan *plan, int64_t now_ns)
{
    bwt_budget_elapsed_ms(&plan->budget, now_ns);
    return plan->budget.latest_ns;
}

/* Writes the attempt's elapsed time, which never exceeds its slice. True when it came after its slice. */
static bool stop_clock(bwt_plan *plan, plan_slot *slot, int64_t now_ns)
{
    int64_t elapsed_ns = bwt_ns_between(slot->dialled_ns, advance(plan, now_ns));
    bool late = elapsed_ns > bwt_ns_after_ms(0, slot->slice_ms);
    slot->record.elapsed_ms = late ? slot->slice_ms : bwt_ms_rounded_up(elapsed_ns);
    return late;
}

/* ---- slots */

static plan_slot *in_flight(bwt_plan *plan)
{
    if (plan->stage == PRIMARY_IN_FLIGHT) return &plan->primary;
    if (plan->stage == FALLBACK_IN_FLIGHT) return &plan->fallback;
    return NULL;
}

static plan_slot *due(bwt_plan *plan)
{
    if (plan->stage == PRIMARY_DUE) return &plan->primary;
    if (plan->stage == FALLBACK_DUE) return &plan->fallback;
    return NULL;
}

static void drop_response(bwt_plan *plan)
{
    bwt_response_free(plan->response);
    bwt_free(plan->clean);
    plan->response = NULL;
    plan->clean = NULL;
    plan->awaits_verdict = false;
}

static bool ends_plan(bwt_attempt_status status)
{
    return status == BWT_ATTEMPT_STATUS_OK_USEFUL || status == BWT_ATTEMPT_STATUS_CANCELLED ||
           status == BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY;
}

/* Gives the slot its final status and decides what is due now. */
static void settle(bwt_plan *plan, plan_slot *slot, bwt_attempt_status status)
{
    slot->record.status = status;
    bool fallback_is_due = slot == &plan->primary && plan->fallback_allowed && !ends_plan(status);
    plan->stage = fallback_is_due ? FALLBACK_DUE : OVER;
}

static void settle_verdict(bwt_plan *plan, plan_slot *slot, bwt_verdict verdict)
{
    bool fits = verdict.useful ? verdict.reason == BWT_NOT_USEFUL_REASON_NONE
                               : bwt_vocab_wire(BWT_VOCAB_NOT_USEFUL_REASON, (int)verdict.reason) != NULL;
    if (!fits) verdict = (bwt_verdict){.useful = false, .reason = BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD};

    bool parsed = bwt_response_parse_ok(plan->response);
    slot->record.hit_count = parsed ? (int64_t)bwt_response_hit_count(plan->response) : 0;
    slot->record.not_useful_reason = verdict.reason;
    plan->awaits_verdict = false;
    if (!verdict.useful) drop_response(plan);
    settle(plan, slot, verdict.useful ? BWT_ATTEMPT_STATUS_OK_USEFUL : BWT_ATTEMPT_STATUS_OK_NOT_USEFUL);
}

static void settle_failure(bwt_plan *plan, plan_slot *slot, bwt_failure failure)
{
    bool dialled = bwt_attempt_status_is_dialled(failure.status);
    if (dialled && bwt_vocab_wire(BWT_VOCAB_FAILURE_DETAIL, (int)failure.detail) != NULL) {
        slot->record.failure_detail = failure.detail;
    }
    if (dialled && failure.http_status >= 100 && failure.http_status <= 999) {
        slot->record.http_status = failure.http_status;
    }
    if (failure.retry_after_ms >= 0 &&
        (failure.status == BWT_ATTEMPT_STATUS_RATE_LIMITED || failure.status == BWT_ATTEMPT_STATUS_SKIPPED_RESTING)) {
        slot->wait_ms = failure.retry_after_ms < BWT_MAX_RETRY_AFTER_MS ? failure.retry_after_ms
                                                                        : BWT_MAX_RETRY_AFTER_MS;
    }
    if (failure.status == BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY) {
        bool named = bwt_vocab_wire(BWT_VOCAB_POLICY_REASON, (int)failure.policy_reason) != NULL;
        plan->policy_reason = named ? failure.policy_reason : BWT_POLICY_REASON_DOMAIN_NOT_ALLOWED;
    }
    settle(plan, slot, failure.status);
}

/* A caller that goes on without having reported: the account must still close. */
static void settle_forgotten(bwt_plan *plan, int64_t now_ns)
{
    plan_slot *slot = in_flight(plan);
    if (slot == NULL) return;
    if (plan->awaits_verdict) {
        settle_verdict(plan, slot, (bwt_verdict){.useful = false});
        return;
    }
    bwt_plan_report_failure(plan, now_ns, misbehaviour);
}

/* ---- life */

static plan_slot empty_slot(int64_t index, bwt_attempt_role role)
{
    return (plan_slot){.wait_ms = -1, .record = {.index = index, .role = role, .hit_count = -1}};
}

bwt_error bwt_plan_new(const bwt_plan_options *options, int64_t now_ns, bwt_plan **out)
{
    if (bwt_policy_check(options->policy, NULL) != BWT_OK) return BWT_ERR_INVALID;
    bwt_plan *plan = bwt_alloc_zeroed(1, sizeof *plan);
    if (plan == NULL) return BWT_ERR_NO_MEMORY;
    plan->policy = *options->policy;
    plan->primary = empty_slot(0, BWT_ATTEMPT_ROLE_PRIMARY);
    plan->fallback = empty_slot(1, BWT_ATTEMPT_ROLE_FALLBACK);
    plan->fallback_allowed = options->fallback_name.data != NULL && plan->policy.max_fallbacks == 1;
    if (options->validator != NULL) plan->validator = bwt_validator_retain(options->validator);
    bwt_budget_start(&plan->budget, plan->policy.budget_ms, now_ns);

    bwt_error error = bwt_text_copy(options->primary_name, &plan->primary.name);
    if (error == BWT_OK) error = bwt_text_copy(options->fallback_name, &plan->fallback.name);
    if (error == BWT_OK) error = bwt_query_prepare(&plan->policy, options->query, &plan->query, &plan->policy_reason);
    if (error != BWT_OK) {
        bwt_plan_free(plan);
        return error;
    }
    if (plan->policy_reason != BWT_POLICY_REASON_NONE) plan->stage = OVER;
    *out = plan;
    return BWT_OK;
}

void bwt_plan_free(bwt_plan *plan)
{
    if (plan == NULL) return;
    drop_response(plan);
    if (plan->validator != NULL) bwt_validator_release(plan->validator);
    bwt_text_free(&plan->query);
    bwt_text_free(&plan->primary.name);
    bwt_text_free(&plan->primary.target);
    bwt_text_free(&plan->fallback.name);
    bwt_text_free(&plan->fallback.target);
    bwt_free(plan);
}

bwt_str bwt_plan_query(const bwt_plan *plan)
{
    return (bwt_str){plan->query.data, plan->query.len};
}

int64_t bwt_plan_budget_deadline_ns(const bwt_plan *plan)
{
    return bwt_ns_after_ms(plan->budget.start_ns, plan->budget.budget_ms);
}

int64_t bwt_plan_remaining_ms(bwt_plan *plan, int64_t now_ns)
{
    return bwt_budget_remaining_ms(&plan->budget, now_ns);
}

/* ---- dialling */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Dials the slot or, without a meaningful slice, records it as skipped. */
static bool start(bwt_plan *plan, plan_slot *slot, int64_t now_ns, bwt_dial *dial)
{
    const bwt_policy *policy = &plan->policy;
    int64_t least_ms = least(policy->min_attempt_ms, least(policy->per_attempt_ms, policy->budget_ms));
    int64_t slice_ms = bwt_budget_slice_ms(&plan->budget, policy->per_attempt_ms, now_ns);
    if (slice_ms < least_ms) {
        settle(plan, slot, BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET);
        return false;
    }
    slot->dialled = true;
    slot->dialled_ns = plan->budget.latest_ns;
    slot->slice_ms = slice_ms;
    plan->stage = slot == &plan->primary ? PRIMARY_IN_FLIGHT : FALLBACK_IN_FLIGHT;
    *dial = (bwt_dial){slot->record.role, slice_ms, bwt_ns_after_ms(slot->dialled_ns, slice_ms), least_ms};
    return true;
}

bool bwt_plan_next(bwt_plan *plan, int64_t now_ns, bwt_dial *dial)
{
    settle_forgotten(plan, now_ns);
    if (plan->stage == PRIMARY_DUE && start(plan, &plan->primary, now_ns, dial)) return true;
    return plan->stage == FALLBACK_DUE && start(plan, &plan->fallback, now_ns, dial);
}

bwt_error bwt_plan_set_target(bwt_plan *plan, bwt_str target)
{
    plan_slot *slot = in_flight(plan);
    if (slot == NULL) return BWT_OK;
    if (target.data != NULL) return bwt_text_copy(target, &slot->target);
    bwt_text_free(&slot->target);
    return BWT_OK;
}

/* ---- reports */

static bwt_error judge(bwt_plan *plan, plan_slot *slot)
{
    bwt_verdict verdict = {.useful = false};
    bwt_error error = BWT_ERR_NO_MEMORY;
    plan->clean = bwt_alloc_zeroed(bwt_response_hit_count(plan->response), 1);
    if (plan->clean != NULL) {
        error = bwt_validator_judge(plan->validator, bwt_plan_query(plan), plan->response, &verdict, plan->clean);
    }
    settle_verdict(plan, slot, error == BWT_OK ? verdict : (bwt_verdict){.useful = false});
    return error;
}

bwt_error bwt_plan_report_response(bwt_plan *plan, int64_t now_ns, bwt_response *response, bool *wants_verdict)
{
    plan_slot *slot = in_flight(plan);
    *wants_verdict = false;
    if (slot == NULL || plan->awaits_verdict || response == NULL) {
        bwt_response_free(response);
        return BWT_OK;
    }
    if (stop_clock(plan, slot, now_ns)) {
        bwt_response_free(response);
        settle_failure(plan, slot, timeout);
        return BWT_OK;
    }
    int http_status = bwt_response_http_status(response);
    bwt_failure failure;
    if (!bwt_response_status_settled(response) && bwt_http_status_failure(http_status, &failure)) {
        bwt_response_free(response);
        failure.http_status = http_status;
        settle_failure(plan, slot, failure);
        return BWT_OK;
    }
    if (http_status >= 100 && http_status <= 999) slot->record.http_status = http_status;
    plan->response = response;
    if (plan->validator != NULL) return judge(plan, slot);
    plan->awaits_verdict = true;
    *wants_verdict = true;
    return BWT_OK;
}

void bwt_plan_report_verdict(bwt_plan *plan, bwt_verdict verdict)
{
    plan_slot *slot = in_flight(plan);
    if (slot != NULL && plan->awaits_verdict) settle_verdict(plan, slot, verdict);
}

static bool is_skip(bwt_attempt_status status)
{
    return status == BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET || status == BWT_ATTEMPT_STATUS_SKIPPED_RESTING;
}

/* Only an exchange can be late: what was never dialled stays what it is, and a cancel says why it ended. */
void bwt_plan_report_failure(bwt_plan *plan, int64_t now_ns, bwt_failure failure)
{
    plan_slot *slot = in_flight(plan);
    if (slot == NULL || plan->awaits_verdict) return;
    bool is_failure = failure.status >= BWT_ATTEMPT_STATUS_TRANSPORT_ERROR && failure.status < BWT_ATTEMPT_STATUS_END;
    if (!is_failure) failure = misbehaviour;
    bool late = stop_clock(plan, slot, now_ns);
    if (late && bwt_attempt_status_is_dialled(failure.status)) failure = timeout;
    if (is_skip(failure.status)) slot->record.elapsed_ms = 0;
    settle_failure(plan, slot, failure);
}

void bwt_plan_cancel(bwt_plan *plan, int64_t now_ns)
{
    plan_slot *slot = in_flight(plan);
    if (slot != NULL) {
        stop_clock(plan, slot, now_ns);
        drop_response(plan);
        slot->record.http_status = 0;
    } else {
        advance(plan, now_ns);
        slot = due(plan);
    }
    if (slot != NULL) settle(plan, slot, BWT_ATTEMPT_STATUS_CANCELLED);
}

/* ---- sealing */

static bool counts_as_used(const plan_slot *slot)
{
    return bwt_attempt_status_is_dialled(slot->record.status) ||
           (slot->dialled && slot->record.status == BWT_ATTEMPT_STATUS_CANCELLED);
}

static void add_record(bwt_receipt_fields *fields, const plan_slot *slot)
{
    if (slot->record.status == BWT_ATTEMPT_STATUS_NONE) return;
    bwt_attempt *record = &fields->attempts[fields->attempt_count++];
    *record = slot->record;
    record->transport = (bwt_str){slot->name.data, slot->name.len};
    record->target = (bwt_str){slot->target.data, slot->target.len};
}

static int64_t smallest_wait_ms(const bwt_plan *plan)
{
    if (plan->primary.wait_ms < 0) return plan->fallback.wait_ms;
    if (plan->fallback.wait_ms < 0) return plan->primary.wait_ms;
    return least(plan->primary.wait_ms, plan->fallback.wait_ms);
}

static bwt_receipt_fields account_of(bwt_plan *plan, int64_t now_ns)
{
    bwt_receipt_fields fields = {
        .fallback_used = counts_as_used(&plan->fallback),
        .attempts_used = counts_as_used(&plan->primary) + counts_as_used(&plan->fallback),
        .elapsed_ms = bwt_budget_elapsed_ms(&plan->budget, now_ns),
        .budget_ms = plan->policy.budget_ms,
        .attempts_allowed = plan->fallback_allowed ? 2 : 1,
        .retry_after_ms = -1,
        .policy_reason = plan->policy_reason,
        .kind = BWT_KIND_LOOKUP,
    };
    add_record(&fields, &plan->primary);
    add_record(&fields, &plan->fallback);
    const bwt_attempt_status trail[] = {plan->primary.record.status, plan->fallback.record.status};
    fields.outcome = bwt_outcome_reduce(trail, fields.attempt_count, fields.attempt_count == 0);
    fields.next_action = bwt_next_action_for(fields.outcome, trail, fields.attempt_count, fields.kind);
    if (fields.next_action == BWT_NEXT_ACTION_RETRY_LATER) fields.retry_after_ms = smallest_wait_ms(plan);
    return fields;
}

/* Sealing before the end is a cancel: the receipt says which attempt never came. */
bwt_error bwt_plan_seal(bwt_plan *plan, int64_t now_ns, bwt_receipt **out)
{
    settle_forgotten(plan, now_ns);
    bwt_plan_cancel(plan, now_ns);
    bwt_receipt_fields fields = account_of(plan, now_ns);
    if (plan->response == NULL) return bwt_receipt_seal(&fields, out, NULL);

    bwt_results results;
    bwt_error error = bwt_results_init(&results, plan->response, plan->clean, &plan->policy);
    if (error != BWT_OK) return error;
    fields.results = results.hits;
    fields.result_count = results.count;
    fields.results_truncated = results.truncated;
    error = bwt_receipt_seal(&fields, out, NULL);
    bwt_results_deinit(&results);
    return error;
}
