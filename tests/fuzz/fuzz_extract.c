/* Any bytes as a provider's answer, or as a spec. Entry point of libFuzzer; tests/c/test_fuzz_replay.c calls it too.
 *
 * An input is two digits and the rest: which spec (the last one: the rest is a spec itself), which HTTP status. */
#include <stdlib.h>
#include <string.h>

#include "net/extract.h"
#include "net/provider.h"

static const char *const specs[] = {
    "{\"name\":\"plain\",\"request\":{\"base_url\":\"http://127.0.0.1:1\",\"path\":\"/"
    "s\"},\"answer\":{\"hits\":\"results\","
    "\"title\":\"title\",\"url\":\"url\",\"snippet\":\"content\"},\"rules\":[{\"when\":[{\"path\":\"results\","
    "\"empty\":true},"
    "{\"path\":\"unresponsive_engines\",\"empty\":false}],\"then\":\"rate_limited\"}]}",

    "{\"name\":\"html\",\"request\":{\"base_url\":\"http://127.0.0.1:1\",\"path\":\"/s\"},\"answer\":{\"hits\":"
    "[\"query.search\",\"\"],\"title\":[\"title\",\"titles[0]\"],\"url\":\"{base_url}/?curid={pageid}\",\"snippet\":"
    "[\"{snippet} "
    "{more[].text}\",\"snippet\"],\"clean\":{\"title\":\"html\",\"snippet\":\"html\"},\"keep\":{\"path\":\"ns\","
    "\"equals\":[0,true,\"a\",1.5]},\"titles_are_evidence\":true},\"rules\":[{\"status\":[400,403],\"when\":{\"path\":"
    "\"errors[].reason\",\"contains\":[\"limit\",\"quota\"]},\"then\":\"quota_exhausted\",\"wait_s\":\"errors[].wait\"}"
    ","
    "{\"when\":{\"contains\":\"no "
    "results\"},\"then\":\"empty_result_set\"},{\"when\":{\"path\":\"error\",\"exists\":true},"
    "\"then\":\"transport_error\"}]}",
};
enum { SPEC_COUNT = sizeof specs / sizeof specs[0] };

static const int statuses[] = {200, 204, 302, 400, 401, 403, 429, 500, 0, 999};
enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

static void require(bool condition)
{
    if (!condition) abort();
}

static void read_answer(const char *spec, int status, bwt_str body)
{
    bwt_provider *provider = NULL;
    bwt_json_parser *parser = bwt_json_parser_new();
    bwt_buf text;
    bwt_buf_init(&text, BWT_MAX_BODY_BYTES);
    require(bwt_provider_compile((bwt_str){spec, strlen(spec)}, NULL, &provider, NULL) == BWT_OK && parser != NULL);
    if (bwt_buf_append_str(&text, body)) {
        bwt_answer answer = {0};
        bwt_http_answer from = {.status = status, .body = &text, .location = body, .retry_after_ms = -1};
        require(bwt_extract(provider, parser, &from, &answer) == BWT_OK);
        if (answer.response != NULL) {
            require(bwt_response_status_settled(answer.response));
            require(bwt_response_parse_ok(answer.response) || bwt_response_hit_count(answer.response) == 0);
        } else {
            require(answer.failure.status >= BWT_ATTEMPT_STATUS_TRANSPORT_ERROR &&
                    answer.failure.status <= BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED);
            require((answer.failure.detail != BWT_FAILURE_DETAIL_NONE) ==
                    (answer.failure.status == BWT_ATTEMPT_STATUS_TRANSPORT_ERROR));
        }
        bwt_answer_clear(&answer);
    }
    bwt_buf_deinit(&text);
    bwt_json_parser_free(parser);
    bwt_provider_release(provider);
}

static void read_spec(bwt_str spec)
{
    bwt_provider *provider = NULL;
    bwt_complaint complaint;
    bwt_provider_overrides overrides = {.api_key = BWT_STR("key")};
    bwt_error error = bwt_provider_compile(spec, &overrides, &provider, &complaint);
    if (error != BWT_OK) {
        require(error == BWT_ERR_INVALID && complaint.field[0] != '\0' && complaint.expected[0] != '\0');
        return;
    }
    bwt_http_request request;
    require(bwt_provider_request(provider, BWT_STR("one two"), 5, &request) == BWT_OK);
    require(request.url.data[request.url.len] == '\0' && memchr(request.url.data, '\n', request.url.len) == NULL);
    for (size_t i = 0; i < request.header_count; i++) require(strchr(request.headers[i].data, '\n') == NULL);
    bwt_http_request_deinit(&request);
    bwt_answer answer = {0};
    require(bwt_provider_read(provider, 200, BWT_STR_NONE, spec, &answer) == BWT_OK);
    bwt_answer_clear(&answer);
    bwt_provider_release(provider);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t which = (size_t)(data[0] - '0') % (SPEC_COUNT + 1);
    int status = statuses[(size_t)(data[1] - '0') % STATUS_COUNT];
    bwt_str rest = {(const char *)data + 2, size - 2};
    if (which == SPEC_COUNT) {
        read_spec(rest);
    } else {
        read_answer(specs[which], status, rest);
    }
    return 0;
}
