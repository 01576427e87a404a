/* The retry plan: providers in order, each tried again only while its calls do not complete. */
#include "bwt.h"

const char *bwt_retry_outcome_wire(bwt_retry_outcome outcome)
{
    switch (outcome) {
    case BWT_RETRY_OK:
        return "ok";
    case BWT_RETRY_EMPTY_RESULTS:
        return "empty_results";
    case BWT_RETRY_MALFORMED_PAYLOAD:
        return "malformed_payload";
    case BWT_RETRY_TRANSPORT_ERROR:
        return "transport_error";
    case BWT_RETRY_NO_PROVIDER:
        return "no_provider";
    }
    return NULL;
}

void bwt_retry_plan_init(bwt_retry_plan *plan, int64_t provider_count, int64_t tries_per_provider, int64_t deadline_ns)
{
    *plan = (bwt_retry_plan){
        .provider_count = provider_count > 0 ? provider_count : 0,
        .tries_per_provider = tries_per_provider > 1 ? tries_per_provider : 1,
        .deadline_ns = deadline_ns,
        .last_called = -1,
        .last_outcome = provider_count > 0 ? BWT_RETRY_TRANSPORT_ERROR : BWT_RETRY_NO_PROVIDER,
        .done = provider_count <= 0,
    };
}

static void run_out_of_time(bwt_retry_plan *plan)
{
    plan->last_outcome = BWT_RETRY_TRANSPORT_ERROR;
    plan->out_of_time = true;
    plan->done = true;
}

static bool has_deadline(const bwt_retry_plan *plan)
{
    return plan->deadline_ns != INT64_MAX;
}

int64_t bwt_retry_plan_next(bwt_retry_plan *plan, int64_t now_ns)
{
    if (plan->in_flight) bwt_retry_plan_report(plan, BWT_RETRY_TRANSPORT_ERROR, now_ns);
    if (plan->done) return -1;
    if (has_deadline(plan) && now_ns >= plan->deadline_ns) {
        run_out_of_time(plan);
        return -1;
    }
    plan->in_flight = true;
    plan->tries++;
    if (plan->tries_total < INT64_MAX) plan->tries_total++;
    plan->last_called = plan->provider;
    return plan->provider;
}

void bwt_retry_plan_report(bwt_retry_plan *plan, bwt_retry_outcome outcome, int64_t now_ns)
{
    if (!plan->in_flight) return;
    plan->in_flight = false;
    if (has_deadline(plan) && now_ns > plan->deadline_ns) {
        run_out_of_time(plan);
        return;
    }
    bool answered = outcome == BWT_RETRY_EMPTY_RESULTS || outcome == BWT_RETRY_MALFORMED_PAYLOAD;
    if (outcome == BWT_RETRY_OK) {
        plan->last_outcome = outcome;
        plan->done = true;
        return;
    }
    plan->last_outcome = answered ? outcome : BWT_RETRY_TRANSPORT_ERROR;
    if (!answered && plan->tries < plan->tries_per_provider) return;
    plan->tries = 0;
    plan->provider++;
    plan->done = plan->provider == plan->provider_count;
}

/* A plan that was left before its end has not heard the last word, whatever came so far. */
void bwt_retry_plan_seal(const bwt_retry_plan *plan, bwt_retry_receipt *out)
{
    bwt_retry_outcome outcome = plan->done ? plan->last_outcome : BWT_RETRY_TRANSPORT_ERROR;
    bool empty_handed = outcome == BWT_RETRY_EMPTY_RESULTS || outcome == BWT_RETRY_MALFORMED_PAYLOAD;
    *out = (bwt_retry_receipt){
        .outcome = outcome,
        .task_success = outcome == BWT_RETRY_OK,
        .transport_success = outcome == BWT_RETRY_OK || empty_handed,
        .provider_used = plan->last_called,
        .fallback_used = plan->last_called > 0, /* of an exhausted plan: there was more than one provider */
        .attempts_total = plan->tries_total,
    };
}
