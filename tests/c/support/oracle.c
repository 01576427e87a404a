/* The tables as data: each status has a rank, the lowest rank of a trail decides. */
#include "support/oracle.h"

enum { UNRANKED = 7 };

static int rank_of(bwt_attempt_status status)
{
    static const struct {
        bwt_attempt_status status;
        int rank;
    } ranks[] = {
        {BWT_ATTEMPT_STATUS_OK_USEFUL, 1},       {BWT_ATTEMPT_STATUS_REFUSED_BY_POLICY, 2},
        {BWT_ATTEMPT_STATUS_CANCELLED, 3},       {BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET, 4},
        {BWT_ATTEMPT_STATUS_SKIPPED_RESTING, 5}, {BWT_ATTEMPT_STATUS_OK_NOT_USEFUL, 6},
    };
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (ranks[i].status == status) return ranks[i].rank;
    }
    return UNRANKED;
}

bwt_outcome oracle_outcome(const bwt_attempt_status *trail, size_t length, bool refused)
{
    static const bwt_outcome by_rank[] = {
        [1] = BWT_OUTCOME_USEFUL_RESULT,           [2] = BWT_OUTCOME_BLOCKED_BY_POLICY,
        [3] = BWT_OUTCOME_TRANSPORT_FAILED,        [4] = BWT_OUTCOME_BUDGET_EXHAUSTED,
        [5] = BWT_OUTCOME_TRANSPORT_FAILED,        [6] = BWT_OUTCOME_NO_USEFUL_RESULT,
        [UNRANKED] = BWT_OUTCOME_TRANSPORT_FAILED,
    };
    int lowest = refused ? 2 : UNRANKED;
    for (size_t i = 0; i < length; i++) {
        int rank = rank_of(trail[i]);
        if (rank < lowest) lowest = rank;
    }
    return by_rank[lowest];
}

bwt_next_action oracle_next_action(bwt_outcome outcome, const bwt_attempt_status *trail, size_t length,
                                   bwt_receipt_kind kind)
{
    static const bwt_next_action usual[] = {
        [BWT_OUTCOME_NONE] = BWT_NEXT_ACTION_STOP,
        [BWT_OUTCOME_USEFUL_RESULT] = BWT_NEXT_ACTION_USE_RESULT,
        [BWT_OUTCOME_NO_USEFUL_RESULT] = BWT_NEXT_ACTION_ASK_USER_TO_NARROW,
        [BWT_OUTCOME_TRANSPORT_FAILED] = BWT_NEXT_ACTION_RETRY_LATER,
        [BWT_OUTCOME_BUDGET_EXHAUSTED] = BWT_NEXT_ACTION_ANSWER_FROM_PRIOR_KNOWLEDGE,
        [BWT_OUTCOME_BLOCKED_BY_POLICY] = BWT_NEXT_ACTION_STOP,
    };
    if ((unsigned)outcome >= sizeof usual / sizeof *usual) return BWT_NEXT_ACTION_STOP;
    if (outcome == BWT_OUTCOME_NO_USEFUL_RESULT && kind == BWT_KIND_PAGE) {
        return BWT_NEXT_ACTION_ANSWER_FROM_PRIOR_KNOWLEDGE;
    }
    for (size_t i = 0; outcome == BWT_OUTCOME_TRANSPORT_FAILED && i < length; i++) {
        switch ((int)trail[i]) {
        case BWT_ATTEMPT_STATUS_AUTH_FAILED:
        case BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED:
        case BWT_ATTEMPT_STATUS_CANCELLED:
            return BWT_NEXT_ACTION_STOP;
        default:
            break;
        }
    }
    return usual[outcome];
}
