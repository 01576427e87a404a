/* A lookup is its plan, stepped here; a fetch is a single exchange. A result is handed out before anything is cleaned
 * up. */
#include "net/lookup.h"

#include "net/monotime.h"
#include "net/outbox.h"

static void count_statuses(bwt_counters *counters, const bwt_completion *completion)
{
    if (completion->receipt == NULL) {
        if (completion->answer.response == NULL) bwt_count_up(&counters->by_status[completion->answer.failure.status]);
        return;
    }
    const bwt_receipt_fields *fields = bwt_receipt_view(completion->receipt);
    for (size_t i = 0; i < fields->attempt_count; i++) bwt_count_up(&counters->by_status[fields->attempts[i].status]);
}

static void complete(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_completion *completion = submission->completion;
    submission->completion = NULL;
    completion->ticket = submission->entry.ticket;
    completion->finished_ns = bwt_monotonic_ns();
    count_statuses(world->counters, completion);
    bwt_count_up(&world->counters->completed);
    bwt_inbox_forget(world->inbox, &submission->entry);
    bwt_outbox_push(submission->outbox, completion);
    bwt_link_remove(&submission->live);
    bwt_submission_free(submission);
}

/* Without memory for a receipt the completion goes out without one. */
static void seal(bwt_lookup_world *world, bwt_submission *submission)
{
    (void)bwt_plan_seal(submission->plan, bwt_monotonic_ns(), &submission->completion->receipt);
    complete(world, submission);
}

/* Starts the plan's next attempt; seals when there is none. An attempt that fails on the spot is reported and the plan
 * asked again. */
static void step(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_failure failure;
    while (submission->is_due || bwt_submission_next_order(submission, bwt_monotonic_ns())) {
        submission->is_due = false;
        if (bwt_exchange_start(&world->exchanges, &submission->exchange, &submission->order, &failure)) return;
        bwt_plan_report_failure(submission->plan, bwt_monotonic_ns(), failure);
    }
    seal(world, submission);
}

static void on_failure(bwt_lookup_world *world, bwt_submission *submission, bwt_failure failure)
{
    if (failure.status == BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT) bwt_count_up(&world->counters->timed_out);
    if (submission->plan == NULL) {
        submission->completion->answer = (bwt_answer){.failure = failure};
        complete(world, submission);
        return;
    }
    bwt_plan_report_failure(submission->plan, bwt_monotonic_ns(), failure);
    step(world, submission);
}

static void on_response(bwt_lookup_world *world, bwt_submission *submission, bwt_response *response)
{
    if (submission->plan == NULL) {
        submission->completion->answer = (bwt_answer){.response = response};
        complete(world, submission);
        return;
    }
    bool wants_verdict; /* never: an engine's lookup has its validator in the plan */
    if (bwt_plan_report_response(submission->plan, bwt_monotonic_ns(), response, &wants_verdict) != BWT_OK) {
        bwt_failure failure = bwt_plain_failure(BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, BWT_FAILURE_DETAIL_NONE);
        bwt_plan_report_failure(submission->plan, bwt_monotonic_ns(), failure);
    }
    step(world, submission);
}

void bwt_lookup_begin(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_list_append(&world->live, &submission->live);
    if (submission->plan != NULL) {
        step(world, submission);
        return;
    }
    bwt_failure failure;
    if (!bwt_exchange_start(&world->exchanges, &submission->exchange, &submission->order, &failure)) {
        on_failure(world, submission, failure);
    }
}

void bwt_lookup_on_turn(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_failure failure;
    if (!bwt_exchange_on_turn(&world->exchanges, &submission->exchange, &failure)) {
        on_failure(world, submission, failure);
    }
}

void bwt_lookup_on_name(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_failure failure;
    if (!bwt_exchange_on_name(&world->exchanges, &submission->exchange, &failure)) {
        on_failure(world, submission, failure);
    }
}

void bwt_lookup_on_place(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_failure failure;
    if (!bwt_exchange_on_place(&world->exchanges, &submission->exchange, &failure)) {
        on_failure(world, submission, failure);
    }
}

void bwt_lookup_on_done(bwt_lookup_world *world, bwt_submission *submission, CURLcode code)
{
    bwt_answer answer;
    if (bwt_exchange_on_done(&world->exchanges, &submission->exchange, code, &answer)) return;
    if (answer.response != NULL) {
        on_response(world, submission, answer.response);
    } else {
        on_failure(world, submission, answer.failure);
    }
}

void bwt_lookup_on_deadline(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_failure failure;
    bwt_exchange_on_deadline(&world->exchanges, &submission->exchange, &failure);
    on_failure(world, submission, failure);
}

void bwt_lookup_cancel(bwt_lookup_world *world, bwt_submission *submission)
{
    bwt_count_up(&world->counters->cancelled);
    bwt_exchange_stop(&world->exchanges, &submission->exchange);
    if (submission->plan == NULL) {
        on_failure(world, submission, bwt_plain_failure(BWT_ATTEMPT_STATUS_CANCELLED, BWT_FAILURE_DETAIL_NONE));
        return;
    }
    bwt_plan_cancel(submission->plan, bwt_monotonic_ns());
    seal(world, submission);
}
