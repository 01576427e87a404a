/* The one deadline: integer arithmetic that rounds against the caller and cannot overflow. */
#include "core/duration.h"

void bwt_budget_start(bwt_budget *budget, int64_t budget_ms, int64_t now_ns)
{
    *budget = (bwt_budget){.budget_ms = budget_ms, .start_ns = now_ns, .latest_ns = now_ns};
}

int64_t bwt_budget_elapsed_ms(bwt_budget *budget, int64_t now_ns)
{
    if (now_ns > budget->latest_ns) budget->latest_ns = now_ns;
    return bwt_ms_rounded_up(bwt_ns_between(budget->start_ns, budget->latest_ns));
}

int64_t bwt_budget_remaining_ms(bwt_budget *budget, int64_t now_ns)
{
    int64_t elapsed_ms = bwt_budget_elapsed_ms(budget, now_ns);
    return elapsed_ms < budget->budget_ms ? budget->budget_ms - elapsed_ms : 0;
}

int64_t bwt_budget_slice_ms(bwt_budget *budget, int64_t cap_ms, int64_t now_ns)
{
    int64_t remaining_ms = bwt_budget_remaining_ms(budget, now_ns);
    return cap_ms < remaining_ms ? cap_ms : remaining_ms;
}
