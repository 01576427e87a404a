/* Plans, answers and failures for tests. */
#include "support/plans.h"

#include "support/check.h"

bwt_plan *make_plan(const bwt_policy *policy, bool with_fallback, bwt_validator *validator, int64_t now_ns)
{
    bwt_plan_options options = {
        .policy = policy,
        .query = BWT_STR("narwhal tusk"),
        .primary_name = BWT_STR("first"),
        .fallback_name = with_fallback ? BWT_STR("second") : BWT_STR_NONE,
        .validator = validator,
    };
    bwt_plan *plan = NULL;
    assert_int_equal(bwt_plan_new(&options, now_ns, &plan), BWT_OK);
    return plan;
}

bwt_response *make_response(int http_status, size_t hit_count)
{
    bwt_response *response = bwt_response_new(http_status, true);
    assert_non_null(response);
    bwt_hit hit = {
        BWT_STR("Narwhal"),
        BWT_STR("https://sea.invalid/narwhal"),
        BWT_STR("The narwhal tusk is a canine tooth that grows in a left-handed spiral."),
    };
    for (size_t i = 0; i < hit_count; i++) assert_int_equal(bwt_response_add_hit(response, hit), BWT_OK);
    return response;
}

bwt_failure make_failure(bwt_attempt_status status)
{
    return (bwt_failure){.status = status, .retry_after_ms = -1};
}

bwt_receipt *seal_plan(bwt_plan *plan, int64_t now_ns)
{
    bwt_receipt *receipt = NULL;
    assert_int_equal(bwt_plan_seal(plan, now_ns, &receipt), BWT_OK);
    return receipt;
}

bwt_text explain_plan(bwt_plan *plan, int64_t now_ns)
{
    bwt_receipt *receipt = seal_plan(plan, now_ns);
    bwt_text line = {NULL, 0};
    assert_int_equal(bwt_receipt_explain(receipt, &line), BWT_OK);
    bwt_receipt_free(receipt);
    bwt_plan_free(plan);
    return line;
}
