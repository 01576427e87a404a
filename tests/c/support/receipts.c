/* Receipt fields for tests; the conclusions come from the oracle, not from the core. */
#include "support/receipts.h"

#include "support/oracle.h"

bwt_attempt make_attempt(int64_t index, bwt_attempt_status status)
{
    bool payload = status == BWT_ATTEMPT_STATUS_OK_USEFUL || status == BWT_ATTEMPT_STATUS_OK_NOT_USEFUL;
    bool not_useful = status == BWT_ATTEMPT_STATUS_OK_NOT_USEFUL;
    return (bwt_attempt){
        .index = index,
        .role = index == 0 ? BWT_ATTEMPT_ROLE_PRIMARY : BWT_ATTEMPT_ROLE_FALLBACK,
        .status = status,
        .transport = index == 0 ? BWT_STR("first") : BWT_STR("second"),
        .elapsed_ms = 20,
        .not_useful_reason = not_useful ? BWT_NOT_USEFUL_REASON_LOGIN_WALL : BWT_NOT_USEFUL_REASON_NONE,
        .hit_count = payload ? 4 : -1,
    };
}

static bool counts(bwt_attempt_status status)
{
    return status != BWT_ATTEMPT_STATUS_NONE && status != BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET &&
           status != BWT_ATTEMPT_STATUS_SKIPPED_RESTING && status != BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY;
}

bwt_receipt_fields make_fields(bwt_attempt_status first, bwt_attempt_status second)
{
    const bwt_attempt_status trail[] = {first, second};
    size_t length = second == BWT_ATTEMPT_STATUS_NONE ? 1 : 2;
    bwt_receipt_fields fields = {
        .outcome = oracle_outcome(trail, length, false),
        .fallback_used = counts(second),
        .attempts_used = counts(first) + counts(second),
        .elapsed_ms = 40,
        .budget_ms = 2000,
        .attempts_allowed = 2,
        .retry_after_ms = -1,
        .attempts = {make_attempt(0, first)},
        .attempt_count = length,
        .kind = BWT_KIND_LOOKUP,
    };
    if (length == 2) fields.attempts[1] = make_attempt(1, second);
    fields.next_action = oracle_next_action(fields.outcome, trail, length, fields.kind);
    if (fields.outcome == BWT_OUTCOME_BLOCKED_BY_POLICY) fields.policy_reason = BWT_POLICY_REASON_PRIVATE_ADDRESS;
    return fields;
}

bwt_receipt_fields make_refusal(bwt_policy_reason reason)
{
    return (bwt_receipt_fields){
        .outcome = BWT_OUTCOME_BLOCKED_BY_POLICY,
        .next_action = BWT_NEXT_ACTION_STOP,
        .budget_ms = 2000,
        .attempts_allowed = 1,
        .retry_after_ms = -1,
        .policy_reason = reason,
        .kind = BWT_KIND_LOOKUP,
    };
}
