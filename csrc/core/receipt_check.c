/* Consistency of attempt records and of whole receipts. */
#include "core/receipt_check.h"

#include <string.h>

#include "core/text.h"
#include "core/utf8.h"

enum { LOWEST_HTTP_STATUS = 100, HIGHEST_HTTP_STATUS = 999 };

static bwt_error refuse(bwt_complaint *complaint, const char *field, const char *expected)
{
    bwt_complain(complaint, field, expected);
    return BWT_ERR_INVALID;
}

/* As refuse, for a field of one record of the trail. */
static bwt_error refuse_in_trail(bwt_complaint *complaint, size_t index, const char *field, const char *expected)
{
    char full[sizeof complaint->field] = "attempts[0].";
    size_t prefix = strlen(full);
    size_t len = strlen(field);
    if (len > sizeof full - prefix - 1) len = sizeof full - prefix - 1;
    full[prefix - 3] = (char)('0' + index);
    memcpy(full + prefix, field, len);
    return refuse(complaint, full, expected);
}

/* ---- one record */

bool bwt_attempt_status_is_dialled(bwt_attempt_status status)
{
    switch (status) {
    case BWT_ATTEMPT_STATUS_OK_USEFUL:
    case BWT_ATTEMPT_STATUS_OK_NOT_USEFUL:
    case BWT_ATTEMPT_STATUS_TRANSPORT_ERROR:
    case BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT:
    case BWT_ATTEMPT_STATUS_RATE_LIMITED:
    case BWT_ATTEMPT_STATUS_AUTH_FAILED:
    case BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED:
        return true;
    case BWT_ATTEMPT_STATUS_NONE:
    case BWT_ATTEMPT_STATUS_CANCELLED:
    case BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY:
    case BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET:
    case BWT_ATTEMPT_STATUS_SKIPPED_RESTING:
    case BWT_ATTEMPT_STATUS_END:
        break;
    }
    return false;
}

static bool brought_payload(bwt_attempt_status status)
{
    return status == BWT_ATTEMPT_STATUS_OK_USEFUL || status == BWT_ATTEMPT_STATUS_OK_NOT_USEFUL;
}

static bool is_member(bwt_vocab vocab, int value)
{
    return value >= 1 && value <= bwt_vocab_size(vocab);
}

static bwt_error check_reasons(const bwt_attempt *attempt, bwt_complaint *complaint)
{
    bool not_useful = attempt->status == BWT_ATTEMPT_STATUS_OK_NOT_USEFUL;
    bool failed = bwt_attempt_status_is_dialled(attempt->status) && !brought_payload(attempt->status);

    if (not_useful && !is_member(BWT_VOCAB_NOT_USEFUL_REASON, (int)attempt->not_useful_reason)) {
        return refuse(complaint, "not_useful_reason", "is required with status ok_not_useful");
    }
    if (!not_useful && attempt->not_useful_reason != BWT_NOT_USEFUL_REASON_NONE) {
        return refuse(complaint, "not_useful_reason", "must be null unless status is ok_not_useful");
    }
    if (attempt->failure_detail != BWT_FAILURE_DETAIL_NONE &&
        !(failed && is_member(BWT_VOCAB_FAILURE_DETAIL, (int)attempt->failure_detail))) {
        return refuse(complaint, "failure_detail", "must be null unless status is a failure");
    }
    if (brought_payload(attempt->status) && attempt->hit_count < 0) {
        return refuse(complaint, "hit_count", "must be 0 or more when a payload arrived");
    }
    if (!brought_payload(attempt->status) && attempt->hit_count != -1) {
        return refuse(complaint, "hit_count", "must be null when no payload arrived");
    }
    return BWT_OK;
}

bwt_error bwt_attempt_check(const bwt_attempt *attempt, bwt_complaint *complaint)
{
    if (attempt->index < 0 || attempt->index >= BWT_MAX_ATTEMPTS) {
        return refuse(complaint, "index", "must be 0 or 1");
    }
    if (attempt->role != (attempt->index == 0 ? BWT_ATTEMPT_ROLE_PRIMARY : BWT_ATTEMPT_ROLE_FALLBACK)) {
        return refuse(complaint, "role", "must be primary at index 0 and fallback at index 1");
    }
    if (!is_member(BWT_VOCAB_ATTEMPT_STATUS, (int)attempt->status)) {
        return refuse(complaint, "status", "must be a member of AttemptStatus");
    }
    if (attempt->transport.data == NULL) {
        return refuse(complaint, "transport", "must not be null");
    }
    if (attempt->elapsed_ms < 0) {
        return refuse(complaint, "elapsed_ms", "must be 0 or more");
    }
    if (attempt->http_status != 0 &&
        (attempt->http_status < LOWEST_HTTP_STATUS || attempt->http_status > HIGHEST_HTTP_STATUS)) {
        return refuse(complaint, "http_status", "must be null or between 100 and 999");
    }
    return check_reasons(attempt, complaint);
}

/* ---- the trail */

static bwt_error check_trail(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    if (fields->attempts_allowed < 1 || fields->attempts_allowed > BWT_MAX_ATTEMPTS) {
        return refuse(complaint, "attempts_allowed", "must be 1 or 2");
    }
    if (fields->attempt_count > (size_t)fields->attempts_allowed) {
        return refuse(complaint, "attempts", "must not be longer than attempts_allowed");
    }
    for (size_t i = 0; i < fields->attempt_count; i++) {
        bwt_complaint inner = {"", ""};
        if (bwt_attempt_check(&fields->attempts[i], &inner) != BWT_OK) {
            return refuse_in_trail(complaint, i, inner.field, inner.expected);
        }
        if (fields->attempts[i].index != (int64_t)i) {
            return refuse_in_trail(complaint, i, "index", "must be the record's place in the list");
        }
    }
    if (fields->attempt_count == BWT_MAX_ATTEMPTS && (fields->attempts[0].status == BWT_ATTEMPT_STATUS_OK_USEFUL ||
                                                      fields->attempts[0].status == BWT_ATTEMPT_STATUS_CANCELLED)) {
        return refuse(complaint, "attempts", "must end with ok_useful or cancelled where one stands");
    }
    return BWT_OK;
}

/* A cancelled attempt counts when it was in flight, which only the receipt's maker knows: both are consistent. */
static bwt_error check_counts(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    bool has_primary = fields->attempt_count > 0;
    bool has_fallback = fields->attempt_count > 1;
    bwt_attempt_status primary = has_primary ? fields->attempts[0].status : BWT_ATTEMPT_STATUS_NONE;
    bwt_attempt_status fallback = has_fallback ? fields->attempts[1].status : BWT_ATTEMPT_STATUS_NONE;

    bool fallback_may_differ = fallback == BWT_ATTEMPT_STATUS_CANCELLED;
    if (!fallback_may_differ && fields->fallback_used != bwt_attempt_status_is_dialled(fallback)) {
        return refuse(complaint, "fallback_used", "must say whether the fallback was dialled");
    }
    int64_t lowest = bwt_attempt_status_is_dialled(primary) + (fields->fallback_used ? 1 : 0);
    int64_t highest = lowest + (primary == BWT_ATTEMPT_STATUS_CANCELLED ? 1 : 0);
    if (fields->attempts_used < lowest || fields->attempts_used > highest) {
        return refuse(complaint, "attempts_used", "must be the number of attempts that were dialled");
    }
    return BWT_OK;
}

/* ---- the whole */

static bwt_error check_conclusion(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    if (!is_member(BWT_VOCAB_OUTCOME, (int)fields->outcome)) {
        return refuse(complaint, "outcome", "must be a member of Outcome");
    }
    if (fields->kind != BWT_KIND_LOOKUP && fields->kind != BWT_KIND_PAGE) {
        return refuse(complaint, "kind", "must be lookup or page");
    }
    bool blocked = fields->outcome == BWT_OUTCOME_BLOCKED_BY_POLICY;
    if (blocked && !is_member(BWT_VOCAB_POLICY_REASON, (int)fields->policy_reason)) {
        return refuse(complaint, "policy_reason", "is required with outcome blocked_by_policy");
    }
    if (!blocked && fields->policy_reason != BWT_POLICY_REASON_NONE) {
        return refuse(complaint, "policy_reason", "must be null unless outcome is blocked_by_policy");
    }
    if (!blocked && fields->attempt_count == 0) {
        return refuse(complaint, "attempts", "must not be empty unless outcome is blocked_by_policy");
    }

    bwt_attempt_status trail[BWT_MAX_ATTEMPTS];
    for (size_t i = 0; i < fields->attempt_count; i++) trail[i] = fields->attempts[i].status;
    if (fields->outcome != bwt_outcome_reduce(trail, fields->attempt_count, fields->attempt_count == 0)) {
        return refuse(complaint, "outcome", "must follow from the attempts");
    }
    if (fields->next_action != bwt_next_action_for(fields->outcome, trail, fields->attempt_count, fields->kind)) {
        return refuse(complaint, "next_action", "must follow from the outcome, the attempts and the kind");
    }
    return BWT_OK;
}

static bwt_error check_results(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    bool useful = fields->outcome == BWT_OUTCOME_USEFUL_RESULT;
    if (!useful && fields->result_count > 0) {
        return refuse(complaint, "results", "must be empty unless outcome is useful_result");
    }
    if (!useful && fields->results_truncated) {
        return refuse(complaint, "results_truncated", "must be false unless outcome is useful_result");
    }
    for (size_t i = 0; i < fields->result_count; i++) {
        const bwt_hit *hit = &fields->results[i];
        if (hit->title.len > BWT_MAX_TITLE_CHARS && bwt_utf8_count(hit->title) > BWT_MAX_TITLE_CHARS) {
            return refuse(complaint, "results", "must have titles of at most 200 characters");
        }
        if (hit->url.len > BWT_MAX_URL_CHARS && bwt_utf8_count(hit->url) > BWT_MAX_URL_CHARS) {
            return refuse(complaint, "results", "must have URLs of at most 2048 characters");
        }
    }
    return BWT_OK;
}

static bwt_error check_times(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    if (fields->elapsed_ms < 0) {
        return refuse(complaint, "elapsed_ms", "must be 0 or more");
    }
    if (fields->budget_ms < 1) {
        return refuse(complaint, "budget_ms", "must be 1 or more");
    }
    if (fields->retry_after_ms == -1) return BWT_OK;
    if (fields->retry_after_ms < 0 || fields->retry_after_ms > BWT_MAX_RETRY_AFTER_MS) {
        return refuse(complaint, "retry_after_ms", "must be null or between 0 and 86400000");
    }
    if (fields->next_action != BWT_NEXT_ACTION_RETRY_LATER) {
        return refuse(complaint, "retry_after_ms", "must be null unless next_action is retry_later");
    }
    return BWT_OK;
}

bwt_error bwt_receipt_check(const bwt_receipt_fields *fields, bwt_complaint *complaint)
{
    bwt_error error = check_trail(fields, complaint);
    if (error == BWT_OK) error = check_conclusion(fields, complaint);
    if (error == BWT_OK) error = check_counts(fields, complaint);
    if (error == BWT_OK) error = check_results(fields, complaint);
    if (error == BWT_OK) error = check_times(fields, complaint);
    return error;
}
