/* The receipt as text: canonical JSON, the short JSON for a model, the one-line explanation. */
#include "core/buf.h"
#include "core/receipt.h"
#include "core/text.h"

/* ---- JSON values, spaced and escaped as Python's json.dumps(..., ensure_ascii=False) does */

static void append_escape(bwt_buf *out, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
    size_t len = 2;
    switch (byte) {
    case '"':
    case '\\':
        escape[1] = (char)byte;
        break;
    case '\b':
        escape[1] = 'b';
        break;
    case '\f':
        escape[1] = 'f';
        break;
    case '\n':
        escape[1] = 'n';
        break;
    case '\r':
        escape[1] = 'r';
        break;
    case '\t':
        escape[1] = 't';
        break;
    default:
        len = sizeof escape;
    }
    bwt_buf_append(out, escape, len);
}

/* An absent text is null. */
static void append_string(bwt_buf *out, bwt_str text)
{
    if (text.data == NULL) {
        bwt_buf_append_c(out, "null");
        return;
    }
    bwt_buf_append_char(out, '"');
    size_t plain_from = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        bwt_buf_append(out, text.data + plain_from, i - plain_from);
        append_escape(out, byte);
        plain_from = i + 1;
    }
    bwt_buf_append(out, text.data + plain_from, text.len - plain_from);
    bwt_buf_append_char(out, '"');
}

/* first: opens the object; the caller closes it. */
static void append_key(bwt_buf *out, bool first, const char *key)
{
    bwt_buf_append_c(out, first ? "{\"" : ", \"");
    bwt_buf_append_c(out, key);
    bwt_buf_append_c(out, "\": ");
}

static void append_word(bwt_buf *out, bwt_vocab vocab, int member)
{
    append_string(out, bwt_str_c(bwt_vocab_wire(vocab, member)));
}

static void append_bool(bwt_buf *out, bool value)
{
    bwt_buf_append_c(out, value ? "true" : "false");
}

static void append_optional_int(bwt_buf *out, int64_t value, int64_t absent)
{
    if (value == absent) {
        bwt_buf_append_c(out, "null");
    } else {
        bwt_buf_append_int(out, value);
    }
}

/* ---- parts of a receipt */

static void append_results(bwt_buf *out, const bwt_receipt_fields *fields)
{
    bwt_buf_append_char(out, '[');
    for (size_t i = 0; i < fields->result_count; i++) {
        const bwt_hit *hit = &fields->results[i];
        if (i > 0) bwt_buf_append_c(out, ", ");
        append_key(out, true, "title");
        append_string(out, hit->title);
        append_key(out, false, "url");
        append_string(out, hit->url);
        append_key(out, false, "snippet");
        append_string(out, hit->snippet);
        bwt_buf_append_char(out, '}');
    }
    bwt_buf_append_char(out, ']');
}

static void append_attempt(bwt_buf *out, const bwt_attempt *attempt)
{
    append_key(out, true, "index");
    bwt_buf_append_int(out, attempt->index);
    append_key(out, false, "role");
    append_word(out, BWT_VOCAB_ATTEMPT_ROLE, (int)attempt->role);
    append_key(out, false, "transport");
    append_string(out, attempt->transport);
    append_key(out, false, "status");
    append_word(out, BWT_VOCAB_ATTEMPT_STATUS, (int)attempt->status);
    append_key(out, false, "elapsed_ms");
    bwt_buf_append_int(out, attempt->elapsed_ms);
    append_key(out, false, "target");
    append_string(out, attempt->target);
    append_key(out, false, "http_status");
    append_optional_int(out, attempt->http_status, 0);
    append_key(out, false, "not_useful_reason");
    append_word(out, BWT_VOCAB_NOT_USEFUL_REASON, (int)attempt->not_useful_reason);
    append_key(out, false, "failure_detail");
    append_word(out, BWT_VOCAB_FAILURE_DETAIL, (int)attempt->failure_detail);
    append_key(out, false, "hit_count");
    append_optional_int(out, attempt->hit_count, -1);
    bwt_buf_append_char(out, '}');
}

static void append_attempts(bwt_buf *out, const bwt_receipt_fields *fields)
{
    bwt_buf_append_char(out, '[');
    for (size_t i = 0; i < fields->attempt_count; i++) {
        if (i > 0) bwt_buf_append_c(out, ", ");
        append_attempt(out, &fields->attempts[i]);
    }
    bwt_buf_append_char(out, ']');
}

static void append_receipt(bwt_buf *out, const bwt_receipt_fields *fields)
{
    append_key(out, true, "outcome");
    append_word(out, BWT_VOCAB_OUTCOME, (int)fields->outcome);
    append_key(out, false, "next_action");
    append_word(out, BWT_VOCAB_NEXT_ACTION, (int)fields->next_action);
    append_key(out, false, "fallback_used");
    append_bool(out, fields->fallback_used);
    append_key(out, false, "attempts_used");
    bwt_buf_append_int(out, fields->attempts_used);
    append_key(out, false, "elapsed_ms");
    bwt_buf_append_int(out, fields->elapsed_ms);
    append_key(out, false, "budget_ms");
    bwt_buf_append_int(out, fields->budget_ms);
    append_key(out, false, "attempts_allowed");
    bwt_buf_append_int(out, fields->attempts_allowed);
    append_key(out, false, "retry_after_ms");
    append_optional_int(out, fields->retry_after_ms, -1);
    append_key(out, false, "policy_reason");
    append_word(out, BWT_VOCAB_POLICY_REASON, (int)fields->policy_reason);
    append_key(out, false, "results");
    append_results(out, fields);
    append_key(out, false, "results_truncated");
    append_bool(out, fields->results_truncated);
    append_key(out, false, "attempts");
    append_attempts(out, fields);
    append_key(out, false, "kind");
    append_string(out, bwt_str_c(bwt_receipt_kind_wire(fields->kind)));
    append_key(out, false, "schema_version");
    append_string(out, BWT_STR(BWT_SCHEMA_VERSION));
    bwt_buf_append_char(out, '}');
}

static void append_for_model(bwt_buf *out, const bwt_receipt_fields *fields)
{
    append_key(out, true, "outcome");
    append_word(out, BWT_VOCAB_OUTCOME, (int)fields->outcome);
    append_key(out, false, "next_action");
    append_word(out, BWT_VOCAB_NEXT_ACTION, (int)fields->next_action);
    append_key(out, false, "retryable");
    append_bool(out, fields->next_action == BWT_NEXT_ACTION_RETRY_LATER);
    append_key(out, false, "retry_after_ms");
    append_optional_int(out, fields->retry_after_ms, -1);
    append_key(out, false, "results");
    append_results(out, fields);
    bwt_buf_append_char(out, '}');
}

static void append_explanation(bwt_buf *out, const bwt_receipt_fields *fields)
{
    bwt_buf_append_c(out, "outcome=");
    bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_OUTCOME, (int)fields->outcome));
    bwt_buf_append_c(out, " next_action=");
    bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_NEXT_ACTION, (int)fields->next_action));
    bwt_buf_append_c(out, " attempts=");
    bwt_buf_append_int(out, fields->attempts_used);
    bwt_buf_append_char(out, '/');
    bwt_buf_append_int(out, fields->attempts_allowed);
    bwt_buf_append_c(out, " elapsed_ms=");
    bwt_buf_append_int(out, fields->elapsed_ms);
    bwt_buf_append_char(out, '/');
    bwt_buf_append_int(out, fields->budget_ms);
    bwt_buf_append_c(out, fields->attempt_count == 0 ? " trail=[none" : " trail=[");
    for (size_t i = 0; i < fields->attempt_count; i++) {
        const bwt_attempt *attempt = &fields->attempts[i];
        if (i > 0) bwt_buf_append_c(out, " -> ");
        bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_ATTEMPT_ROLE, (int)attempt->role));
        bwt_buf_append_char(out, ':');
        bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_ATTEMPT_STATUS, (int)attempt->status));
    }
    bwt_buf_append_char(out, ']');
}

/* ---- doors */

typedef void appender(bwt_buf *out, const bwt_receipt_fields *fields);

static bwt_error write_with(appender *append, const bwt_receipt *receipt, bwt_text *out)
{
    bwt_buf buf;
    bwt_buf_init(&buf, BWT_BUF_NO_CAP);
    append(&buf, &receipt->fields);
    bwt_error error = bwt_buf_take(&buf, out);
    bwt_buf_deinit(&buf);
    return error;
}

bwt_error bwt_receipt_to_json(const bwt_receipt *receipt, bwt_text *out)
{
    return write_with(append_receipt, receipt, out);
}

bwt_error bwt_receipt_to_model_json(const bwt_receipt *receipt, bwt_text *out)
{
    return write_with(append_for_model, receipt, out);
}

bwt_error bwt_receipt_explain(const bwt_receipt *receipt, bwt_text *out)
{
    return write_with(append_explanation, receipt, out);
}
