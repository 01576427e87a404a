/* A compiled provider: its lifetime and the requests it makes. */
#include "net/provider.h"

#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"
#include "net/extract.h"
#include "net/provider_spec.h"

bwt_provider *bwt_provider_retain(bwt_provider *provider)
{
    __atomic_add_fetch(&provider->references, 1, __ATOMIC_RELAXED);
    return provider;
}

void bwt_provider_release(bwt_provider *provider)
{
    if (provider == NULL || __atomic_sub_fetch(&provider->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    bwt_arena_deinit(&provider->arena);
    bwt_free(provider);
}

bwt_str bwt_provider_name(const bwt_provider *provider)
{
    return provider->name;
}

bwt_str bwt_provider_origin(const bwt_provider *provider)
{
    return provider->origin;
}

bwt_str bwt_provider_identity(const bwt_provider *provider)
{
    return provider->identity;
}

int64_t bwt_provider_min_interval_ms(const bwt_provider *provider)
{
    return provider->min_interval_ms;
}

/* ---- requests ---- */

/* The longest prefix within the provider's limit that ends with a whole word, if there is one. */
static bwt_str cut_query(const bwt_provider *provider, bwt_str query)
{
    if (provider->query_chars == 0) return query;
    size_t len = bwt_utf8_prefix(query, provider->query_chars);
    if (len == query.len) return query;
    size_t end = len;
    while (end > 0 && query.data[end] != ' ') end--;
    return bwt_str_trim_ascii((bwt_str){query.data, end > 0 ? end : len});
}

static int64_t hits_to_ask_for(const bwt_provider *provider, int64_t max_results)
{
    if (max_results < 1) max_results = 1;
    return provider->max_results > 0 && provider->max_results < max_results ? provider->max_results : max_results;
}

bwt_error bwt_provider_target(const bwt_provider *provider, bwt_str query, int64_t max_results, bwt_text *out)
{
    bwt_buf url;
    bwt_buf_init(&url, BWT_BUF_NO_CAP);
    int64_t count = hits_to_ask_for(provider, max_results);
    bwt_template_render(&provider->request.url, cut_query(provider, query), count, false, &url);
    bwt_error error = bwt_buf_take(&url, out);
    bwt_buf_deinit(&url);
    return error;
}

static bwt_error add_headers(const bwt_request_spec *spec, bwt_http_request *request)
{
    size_t total = 0;
    for (size_t i = 0; i < spec->header_count; i++) total += spec->headers[i].len + 1;
    request->headers = bwt_alloc_array(spec->header_count, sizeof *request->headers);
    if (request->headers == NULL || !bwt_buf_reserve(&request->headers_text, total)) return BWT_ERR_NO_MEMORY;
    for (size_t i = 0; i < spec->header_count; i++) {
        request->headers[i] = (bwt_str){request->headers_text.data + request->headers_text.len, spec->headers[i].len};
        bwt_buf_append_str(&request->headers_text, spec->headers[i]);
        bwt_buf_append_char(&request->headers_text, '\0');
    }
    request->header_count = spec->header_count;
    return BWT_OK;
}

bwt_error bwt_provider_request(const bwt_provider *provider, bwt_str query, int64_t max_results, bwt_http_request *out)
{
    bwt_http_request request = {.post = provider->request.post};
    bwt_buf_init(&request.url, BWT_BUF_NO_CAP);
    bwt_buf_init(&request.body, BWT_BUF_NO_CAP);
    bwt_buf_init(&request.headers_text, BWT_BUF_NO_CAP);
    bwt_str sent = cut_query(provider, query);
    int64_t count = hits_to_ask_for(provider, max_results);
    bool built = bwt_template_render(&provider->request.url, sent, count, true, &request.url);
    if (built && request.post) built = bwt_template_render(&provider->request.body, sent, count, true, &request.body);
    bwt_error error = built ? add_headers(&provider->request, &request) : BWT_ERR_NO_MEMORY;
    if (error != BWT_OK) {
        bwt_http_request_deinit(&request);
        return error;
    }
    *out = request;
    return BWT_OK;
}

void bwt_http_request_deinit(bwt_http_request *request)
{
    bwt_buf_deinit(&request->url);
    bwt_buf_deinit(&request->body);
    bwt_buf_deinit(&request->headers_text);
    bwt_free(request->headers);
    request->headers = NULL;
    request->header_count = 0;
}

/* ---- reading without an engine ---- */

bwt_error bwt_provider_read(const bwt_provider *provider, int http_status, bwt_str content_type, bwt_str body,
                            bwt_answer *out)
{
    bwt_json_parser *parser = bwt_json_parser_new();
    bwt_buf copy;
    bwt_buf_init(&copy, BWT_BUF_NO_CAP);
    bwt_error error = BWT_ERR_NO_MEMORY;
    if (parser != NULL && bwt_buf_append_str(&copy, body)) {
        bwt_http_answer answer = {
            .status = http_status, .body = &copy, .content_type = content_type, .retry_after_ms = -1};
        error = bwt_extract(provider, parser, &answer, out);
    }
    bwt_buf_deinit(&copy);
    bwt_json_parser_free(parser);
    return error;
}
