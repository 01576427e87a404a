/* Sealing: every text is copied and redacted, then the whole is checked. */
#include "core/receipt.h"

#include <string.h>

#include "core/mem.h"
#include "core/receipt_check.h"
#include "core/redact.h"
#include "core/text.h"
#include "core/utf8.h"

typedef bool redactor(bwt_buf *out, bwt_str text);

/* Collects the texts in one buffer. While it may still move only lengths are kept; place_all makes them pointers. */
typedef struct collector {
    bwt_buf all;
    bwt_buf scratch;
} collector;

static void collect(collector *to, bwt_str *text, redactor *redact)
{
    bwt_str clean = text->data != NULL ? *text : BWT_STR("");
    if (!bwt_utf8_is_valid(clean)) {
        bwt_buf_clear(&to->scratch);
        if (!bwt_utf8_append_sanitized(&to->scratch, clean)) {
            to->all.failed = true;
            return;
        }
        clean = bwt_buf_str(&to->scratch);
    }
    size_t before = to->all.len;
    redact(&to->all, clean);
    text->len = to->all.len - before;
}

static void collect_all(collector *to, bwt_receipt *receipt)
{
    for (size_t i = 0; i < receipt->fields.attempt_count; i++) {
        bwt_attempt *attempt = &receipt->fields.attempts[i];
        if (attempt->transport.data != NULL) collect(to, &attempt->transport, bwt_redact_text_append);
        if (attempt->target.data != NULL) collect(to, &attempt->target, bwt_redact_url_append);
    }
    for (size_t i = 0; i < receipt->fields.result_count; i++) {
        collect(to, &receipt->results[i].title, bwt_redact_text_append);
        collect(to, &receipt->results[i].url, bwt_redact_url_append);
        collect(to, &receipt->results[i].snippet, bwt_redact_text_append);
    }
}

static char *place(bwt_str *text, char *at)
{
    text->data = at;
    return at + text->len;
}

/* In the order of collect_all. */
static void place_all(bwt_receipt *receipt)
{
    char *at = receipt->text.data;
    for (size_t i = 0; i < receipt->fields.attempt_count; i++) {
        bwt_attempt *attempt = &receipt->fields.attempts[i];
        if (attempt->transport.data != NULL) at = place(&attempt->transport, at);
        if (attempt->target.data != NULL) at = place(&attempt->target, at);
    }
    for (size_t i = 0; i < receipt->fields.result_count; i++) {
        at = place(&receipt->results[i].title, at);
        at = place(&receipt->results[i].url, at);
        at = place(&receipt->results[i].snippet, at);
    }
    receipt->fields.results = receipt->results;
}

static bwt_error copy_texts(bwt_receipt *receipt)
{
    collector to;
    bwt_buf_init(&to.all, BWT_BUF_NO_CAP);
    bwt_buf_init(&to.scratch, BWT_BUF_NO_CAP);
    collect_all(&to, receipt);
    bwt_error error = bwt_buf_take(&to.all, &receipt->text);
    bwt_buf_deinit(&to.all);
    bwt_buf_deinit(&to.scratch);
    if (error == BWT_OK) place_all(receipt);
    return error;
}

/* Room for the fields, whose texts still belong to the caller. */
static bwt_receipt *receipt_alloc(const bwt_receipt_fields *fields)
{
    size_t results_size;
    if (__builtin_mul_overflow(fields->result_count, sizeof(bwt_hit), &results_size)) return NULL;
    if (results_size > SIZE_MAX - sizeof(bwt_receipt)) return NULL;
    bwt_receipt *receipt = bwt_alloc(sizeof(bwt_receipt) + results_size);
    if (receipt == NULL) return NULL;
    receipt->fields = *fields;
    receipt->text = (bwt_text){NULL, 0};
    if (results_size > 0) memcpy(receipt->results, fields->results, results_size);
    return receipt;
}

bwt_error bwt_receipt_seal(const bwt_receipt_fields *fields, bwt_receipt **out, bwt_complaint *complaint)
{
    if (fields->attempt_count > BWT_MAX_ATTEMPTS) {
        bwt_complain(complaint, "attempts", "must not be longer than attempts_allowed");
        return BWT_ERR_INVALID;
    }
    if (fields->result_count > 0 && fields->results == NULL) {
        bwt_complain(complaint, "results", "must not be null");
        return BWT_ERR_INVALID;
    }
    bwt_receipt *receipt = receipt_alloc(fields);
    if (receipt == NULL) return BWT_ERR_NO_MEMORY;
    bwt_error error = copy_texts(receipt);
    if (error == BWT_OK) error = bwt_receipt_check(&receipt->fields, complaint);
    if (error != BWT_OK) {
        bwt_receipt_free(receipt);
        return error;
    }
    *out = receipt;
    return BWT_OK;
}

void bwt_receipt_free(bwt_receipt *receipt)
{
    if (receipt == NULL) return;
    bwt_text_free(&receipt->text);
    bwt_free(receipt);
}

const bwt_receipt_fields *bwt_receipt_view(const bwt_receipt *receipt)
{
    return &receipt->fields;
}

const char *bwt_receipt_kind_wire(bwt_receipt_kind kind)
{
    switch (kind) {
    case BWT_KIND_LOOKUP:
        return "lookup";
    case BWT_KIND_PAGE:
        return "page";
    }
    return NULL;
}

bwt_receipt_kind bwt_receipt_kind_parse(bwt_str wire)
{
    if (bwt_str_equal(wire, BWT_STR("lookup"))) return BWT_KIND_LOOKUP;
    if (bwt_str_equal(wire, BWT_STR("page"))) return BWT_KIND_PAGE;
    return (bwt_receipt_kind)0;
}
