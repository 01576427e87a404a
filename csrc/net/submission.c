/* Runs in the submitting thread, so that the budget starts there and a lack of memory is an error of the call. */
#include "net/submission.h"

#include "core/mem.h"
#include "net/monotime.h"
#include "net/outbox.h"

static bwt_submission *new_submission(bwt_outbox *outbox)
{
    bwt_submission *submission = bwt_alloc_zeroed(1, sizeof *submission);
    if (submission == NULL) return NULL;
    bwt_link_init(&submission->live);
    submission->completion = bwt_alloc_zeroed(1, sizeof *submission->completion);
    if (submission->completion == NULL) {
        bwt_free(submission);
        return NULL;
    }
    submission->completion->answer.failure.retry_after_ms = -1;
    submission->outbox = bwt_outbox_retain(outbox);
    return submission;
}

void bwt_submission_free(bwt_submission *submission)
{
    if (submission == NULL) return;
    bwt_plan_free(submission->plan);
    if (submission->primary != NULL) bwt_provider_release(submission->primary);
    if (submission->fallback != NULL) bwt_provider_release(submission->fallback);
    bwt_text_free(&submission->query);
    bwt_completion_free(submission->completion);
    bwt_outbox_release(submission->outbox);
    bwt_free(submission);
}

static void set_target(bwt_submission *submission)
{
    const bwt_exchange_order *order = &submission->order;
    bwt_text target;
    if (bwt_provider_target(order->provider, order->query, order->max_results, &target) != BWT_OK) {
        return; /* the record then shows none */
    }
    (void)bwt_plan_set_target(submission->plan, (bwt_str){target.data, target.len});
    bwt_text_free(&target);
}

bool bwt_submission_next_order(bwt_submission *submission, int64_t now_ns)
{
    bwt_dial dial;
    if (!bwt_plan_next(submission->plan, now_ns, &dial)) return false;
    bwt_exchange_order *order = &submission->order;
    order->provider = dial.role == BWT_ATTEMPT_ROLE_FALLBACK ? submission->fallback : submission->primary;
    order->query = bwt_plan_query(submission->plan);
    order->deadline_ns = dial.deadline_ns;
    order->least_ms = dial.least_ms;
    set_target(submission);
    return true;
}

bwt_error bwt_submission_for_lookup(const bwt_lookup_request *request, bwt_outbox *outbox, bwt_submission **out)
{
    int64_t now_ns = bwt_monotonic_ns(); /* the budget starts with the call */
    bwt_submission *submission = new_submission(outbox);
    if (submission == NULL) return BWT_ERR_NO_MEMORY;
    bwt_plan_options options = {
        .policy = request->policy,
        .query = request->query,
        .primary_name = bwt_provider_name(request->primary),
        .fallback_name = request->fallback != NULL ? bwt_provider_name(request->fallback) : BWT_STR_NONE,
        .validator = request->validator,
    };
    bwt_error error = bwt_plan_new(&options, now_ns, &submission->plan);
    if (error != BWT_OK) {
        bwt_submission_free(submission);
        return error;
    }
    submission->primary = bwt_provider_retain(request->primary);
    if (request->fallback != NULL) submission->fallback = bwt_provider_retain(request->fallback);
    submission->order.max_results = request->policy->max_results;
    /* At the reading that started the budget: a slice as long as the whole budget must still fit. */
    submission->is_due = bwt_submission_next_order(submission, now_ns);
    *out = submission;
    return BWT_OK;
}

bwt_error bwt_submission_for_fetch(const bwt_fetch_request *request, bwt_outbox *outbox, bwt_submission **out)
{
    int64_t now_ns = bwt_monotonic_ns();
    bwt_submission *submission = new_submission(outbox);
    if (submission == NULL) return BWT_ERR_NO_MEMORY;
    bwt_error error = bwt_text_copy(request->query, &submission->query);
    if (error != BWT_OK) {
        bwt_submission_free(submission);
        return error;
    }
    submission->primary = bwt_provider_retain(request->provider);
    submission->order = (bwt_exchange_order){
        .provider = submission->primary,
        .query = {submission->query.data, submission->query.len},
        .max_results = request->max_results,
        .deadline_ns = bwt_ns_after_ms(now_ns, request->slice_ms),
        .least_ms = request->least_ms,
    };
    *out = submission;
    return BWT_OK;
}
