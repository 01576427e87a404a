/* The limits of a lookup: defaults and ranges from the one list in bwt.h. */
#include "core/text.h"

void bwt_policy_init(bwt_policy *policy)
{
    *policy = (bwt_policy){
#define PRESET(field, preset, lowest, highest, doc) .field = (preset),
        BWT_POLICY_FIELD_LIST(PRESET)
#undef PRESET
            .refuse_secrets_in_query = true,
    };
}

bwt_error bwt_policy_check(const bwt_policy *policy, bwt_complaint *complaint)
{
#define CHECK(field, preset, lowest, highest, doc)                                            \
    if (policy->field < (lowest) || policy->field > (highest)) {                              \
        bwt_complain(complaint, #field,                                                           \
                 (highest) == 1 ? "must be 0 or 1" : "must be an integer between 1 and 1000000000000"); \
        return BWT_ERR_INVALID;                                                               \
    }
    BWT_POLICY_FIELD_LIST(CHECK)
#undef CHECK
    return BWT_OK;
}
