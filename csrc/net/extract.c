/* Reads one HTTP answer: the spec's rules first, then what HTTP says, then the hits. */
#include "net/extract.h"

#include "core/text.h"
#include "net/provider_spec.h"
#include "net/refusal.h"

static bool is_success(int http_status)
{
    return http_status >= 200 && http_status < 300;
}

static bool is_redirect(int http_status)
{
    return http_status >= 300 && http_status < 400;
}

static void fail(const bwt_http_answer *answer, bwt_attempt_status status, bwt_failure_detail detail,
                 int64_t retry_after_ms, bwt_answer *out)
{
    *out = (bwt_answer){
        .failure = {
            .status = status, .detail = detail, .http_status = answer->status, .retry_after_ms = retry_after_ms}};
}

static bwt_error respond_without_hits(int http_status, bool parse_ok, bwt_answer *out)
{
    bwt_response *response = bwt_response_new(http_status, parse_ok);
    if (response == NULL) return BWT_ERR_NO_MEMORY;
    bwt_response_settle_status(response);
    *out = (bwt_answer){.response = response};
    return BWT_OK;
}

static bwt_error apply_rule(const bwt_rule *rule, const bwt_http_answer *answer, bwt_json root, bwt_answer *out)
{
    if (rule->status == BWT_ATTEMPT_STATUS_NONE) {
        bool parse_ok = rule->reason != BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD;
        return respond_without_hits(answer->status, parse_ok, out);
    }
    int64_t wait_ms = answer->retry_after_ms >= 0 ? answer->retry_after_ms : bwt_rule_wait_ms(rule, root);
    fail(answer, rule->status, rule->detail, wait_ms, out);
    return BWT_OK;
}

/* A refusal page is looked for only where the provider's own shape did not come. */
static bool is_refused(const bwt_http_answer *answer, bwt_json root)
{
    if (is_redirect(answer->status) && bwt_is_refusal_location(answer->location)) return true;
    bool own_shape = bwt_json_type_of(root) != BWT_JSON_MISSING && is_success(answer->status);
    return !own_shape && bwt_is_refusal_page(bwt_buf_str(answer->body));
}

static bwt_error respond_with_hits(const bwt_provider *provider, int http_status, bwt_json root, bwt_answer *out)
{
    bwt_response *response = bwt_response_new(http_status, true);
    if (response == NULL) return BWT_ERR_NO_MEMORY;
    bool shape_ok;
    bwt_error error = bwt_extract_hits(provider, root, response, &shape_ok);
    if (error != BWT_OK || !shape_ok) {
        bwt_response_free(response);
        return error != BWT_OK ? error : respond_without_hits(http_status, false, out);
    }
    bwt_response_settle_status(response);
    *out = (bwt_answer){.response = response};
    return BWT_OK;
}

bwt_error bwt_extract(const bwt_provider *provider, bwt_json_parser *parser, const bwt_http_answer *answer,
                      bwt_answer *out)
{
    bool no_memory;
    bwt_json root = bwt_json_parse(parser, answer->body, &no_memory);
    if (no_memory) return BWT_ERR_NO_MEMORY;

    const bwt_rule *rule = bwt_rule_find(provider, answer->status, root, bwt_buf_str(answer->body));
    if (rule != NULL) return apply_rule(rule, answer, root, out);
    if (is_refused(answer, root)) {
        fail(answer, BWT_ATTEMPT_STATUS_RATE_LIMITED, BWT_FAILURE_DETAIL_NONE, answer->retry_after_ms, out);
        return BWT_OK;
    }
    bwt_failure failure;
    if (bwt_http_status_failure(answer->status, &failure)) {
        fail(answer, failure.status, failure.detail, answer->retry_after_ms, out);
        return BWT_OK;
    }
    if (bwt_json_type_of(root) == BWT_JSON_MISSING) return respond_without_hits(answer->status, false, out);
    return respond_with_hits(provider, answer->status, root, out);
}
