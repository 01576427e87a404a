/* The hits of one answer: an array of views, each over one block of its own, so that views stay valid as it grows. */
#include "core/buf.h"
#include "core/mem.h"
#include "core/utf8.h"

struct bwt_response {
    bwt_hit *hits; /* title.data is the start of the hit's block */
    size_t count;
    size_t capacity;
    int http_status;
    bool parse_ok;
    bool status_settled;
};

bwt_response *bwt_response_new(int http_status, bool parse_ok)
{
    bwt_response *response = bwt_alloc_zeroed(1, sizeof *response);
    if (response == NULL) return NULL;
    response->http_status = http_status;
    response->parse_ok = parse_ok;
    return response;
}

void bwt_response_free(bwt_response *response)
{
    if (response == NULL) return;
    for (size_t i = 0; i < response->count; i++) bwt_free((void *)response->hits[i].title.data);
    bwt_free(response->hits);
    bwt_free(response);
}

static bool has_room(bwt_response *response)
{
    if (response->count < response->capacity) return true;
    size_t capacity = response->capacity == 0 ? 16 : 2 * response->capacity;
    bwt_hit *hits = bwt_realloc_array(response->hits, capacity, sizeof *hits);
    if (hits == NULL) return false;
    response->hits = hits;
    response->capacity = capacity;
    return true;
}

bwt_error bwt_response_add_hit(bwt_response *response, bwt_hit hit)
{
    if (!has_room(response)) return BWT_ERR_NO_MEMORY;
    bwt_buf block;
    bwt_buf_init(&block, BWT_BUF_NO_CAP);
    bwt_buf_reserve(&block, hit.title.len + hit.url.len + hit.snippet.len);
    bwt_utf8_append_sanitized(&block, hit.title);
    size_t title_end = block.len;
    bwt_utf8_append_sanitized(&block, hit.url);
    size_t url_end = block.len;
    bwt_utf8_append_sanitized(&block, hit.snippet);
    bwt_text owned;
    if (bwt_buf_take(&block, &owned) != BWT_OK) {
        bwt_buf_deinit(&block);
        return BWT_ERR_NO_MEMORY;
    }
    response->hits[response->count++] = (bwt_hit){
        .title = {owned.data, title_end},
        .url = {owned.data + title_end, url_end - title_end},
        .snippet = {owned.data + url_end, owned.len - url_end},
    };
    return BWT_OK;
}

void bwt_response_settle_status(bwt_response *response)
{
    response->status_settled = true;
}

bool bwt_response_status_settled(const bwt_response *response)
{
    return response->status_settled;
}

int bwt_response_http_status(const bwt_response *response)
{
    return response->http_status;
}

bool bwt_response_parse_ok(const bwt_response *response)
{
    return response->parse_ok;
}

size_t bwt_response_hit_count(const bwt_response *response)
{
    return response->count;
}

bwt_hit bwt_response_hit(const bwt_response *response, size_t index)
{
    return response->hits[index];
}

void bwt_answer_clear(bwt_answer *answer)
{
    bwt_response_free(answer->response);
    *answer = (bwt_answer){.failure = {.retry_after_ms = -1}};
}
