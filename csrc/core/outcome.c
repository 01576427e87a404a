/* The two tables of the contract: a trail of statuses to an outcome, an outcome to the one next action. */
#include "bwt.h"

static bool has(const bwt_attempt_status *trail, size_t length, bwt_attempt_status wanted)
{
    for (size_t i = 0; i < length; i++) {
        if (trail[i] == wanted) return true;
    }
    return false;
}

bwt_outcome bwt_outcome_reduce(const bwt_attempt_status *trail, size_t length, bool refused)
{
    if (has(trail, length, BWT_ATTEMPT_STATUS_OK_USEFUL)) return BWT_OUTCOME_USEFUL_RESULT;
    if (refused || has(trail, length, BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY)) return BWT_OUTCOME_BLOCKED_BY_POLICY;
    if (has(trail, length, BWT_ATTEMPT_STATUS_CANCELLED)) return BWT_OUTCOME_TRANSPORT_FAILED;
    if (has(trail, length, BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET)) return BWT_OUTCOME_BUDGET_EXHAUSTED;
    if (has(trail, length, BWT_ATTEMPT_STATUS_SKIPPED_RESTING)) return BWT_OUTCOME_TRANSPORT_FAILED;
    if (has(trail, length, BWT_ATTEMPT_STATUS_OK_NOT_USEFUL)) return BWT_OUTCOME_NO_USEFUL_RESULT;
    return BWT_OUTCOME_TRANSPORT_FAILED;
}

static bool waiting_cannot_help(const bwt_attempt_status *trail, size_t length)
{
    return has(trail, length, BWT_ATTEMPT_STATUS_AUTH_FAILED) ||
           has(trail, length, BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED) || has(trail, length, BWT_ATTEMPT_STATUS_CANCELLED);
}

bwt_next_action bwt_next_action_for(bwt_outcome outcome, const bwt_attempt_status *trail, size_t length,
                                    bwt_receipt_kind kind)
{
    switch (outcome) {
    case BWT_OUTCOME_USEFUL_RESULT:
        return BWT_NEXT_ACTION_USE_RESULT;
    case BWT_OUTCOME_BUDGET_EXHAUSTED:
        return BWT_NEXT_ACTION_ANSWER_FROM_PRIOR_KNOWLEDGE;
    case BWT_OUTCOME_NO_USEFUL_RESULT:
        /* A page fetch has no query that could be narrowed. */
        return kind == BWT_KIND_PAGE ? BWT_NEXT_ACTION_ANSWER_FROM_PRIOR_KNOWLEDGE : BWT_NEXT_ACTION_ASK_USER_TO_NARROW;
    case BWT_OUTCOME_TRANSPORT_FAILED:
        return waiting_cannot_help(trail, length) ? BWT_NEXT_ACTION_STOP : BWT_NEXT_ACTION_RETRY_LATER;
    case BWT_OUTCOME_BLOCKED_BY_POLICY:
    case BWT_OUTCOME_NONE:
    case BWT_OUTCOME_END:
        break;
    }
    return BWT_NEXT_ACTION_STOP;
}
