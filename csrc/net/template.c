/* Templates as flat lists of parts. */
#include "net/template.h"

#include <string.h>

#include "core/text.h"
#include "net/url.h"

static bool append_json_inside(bwt_buf *out, bwt_str text)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '"' || byte == '\\') {
            bwt_buf_append_char(out, '\\');
            bwt_buf_append_char(out, text.data[i]);
        } else if (byte < 0x20 || byte == 0x7F) {
            char escape[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
            bwt_buf_append(out, escape, sizeof escape);
        } else {
            bwt_buf_append_char(out, text.data[i]);
        }
    }
    return !out->failed;
}

bool bwt_encode(bwt_buf *out, bwt_encoding encoding, bwt_str text)
{
    switch (encoding) {
    case BWT_ENCODE_PATH:
        return bwt_url_append_path(out, text);
    case BWT_ENCODE_FORM:
        return bwt_url_append_form(out, text);
    case BWT_ENCODE_JSON:
        return append_json_inside(out, text);
    case BWT_ENCODE_NOTHING:
        break;
    }
    return bwt_buf_append_str(out, text);
}

void bwt_template_begin(bwt_template_builder *builder, bwt_arena *arena)
{
    builder->arena = arena;
    builder->failed = false;
    bwt_buf_init(&builder->parts, BWT_BUF_NO_CAP);
    bwt_buf_init(&builder->literal, BWT_BUF_NO_CAP);
}

static void add_part(bwt_template_builder *builder, bwt_template_part part)
{
    if (!bwt_buf_append(&builder->parts, (const char *)&part, sizeof part)) builder->failed = true;
}

static void flush_literal(bwt_template_builder *builder, bwt_part_kind kind)
{
    if (builder->literal.failed) builder->failed = true;
    if (builder->failed || builder->literal.len == 0) return;
    bwt_template_part part = {.kind = kind};
    if (bwt_arena_copy(builder->arena, bwt_buf_str(&builder->literal), &part.text) != BWT_OK) builder->failed = true;
    add_part(builder, part);
    bwt_buf_clear(&builder->literal);
}

void bwt_template_literal(bwt_template_builder *builder, bwt_encoding encoding, bwt_str text)
{
    bwt_encode(&builder->literal, encoding, text);
}

void bwt_template_secret(bwt_template_builder *builder, bwt_encoding encoding, bwt_str text)
{
    flush_literal(builder, BWT_PART_LITERAL);
    bwt_encode(&builder->literal, encoding, text);
    flush_literal(builder, BWT_PART_SECRET);
}

void bwt_template_place(bwt_template_builder *builder, bwt_part_kind kind, bwt_encoding encoding)
{
    flush_literal(builder, BWT_PART_LITERAL);
    add_part(builder, (bwt_template_part){.kind = kind, .encoding = encoding});
}

bool bwt_template_next_piece(bwt_str *rest, bwt_template_piece *piece, bool *malformed)
{
    *malformed = false;
    if (rest->len == 0) return false;
    size_t len = 0;
    while (len < rest->len && rest->data[len] != '{' && rest->data[len] != '}') len++;
    size_t used = len;
    piece->is_place = false;
    piece->text = (bwt_str){rest->data, len};
    if (len < rest->len && len + 1 < rest->len && rest->data[len + 1] == rest->data[len]) {
        piece->text.len = len + 1; /* the text and one of the two braces */
        used = len + 2;
    } else if (len == 0) {
        const char *close = rest->data[0] == '{' ? memchr(rest->data, '}', rest->len) : NULL;
        *malformed = close == NULL;
        if (close == NULL) return false;
        used = (size_t)(close - rest->data) + 1;
        piece->is_place = true;
        piece->text = (bwt_str){rest->data + 1, used - 2};
    }
    rest->data += used;
    rest->len -= used;
    return true;
}

bwt_error bwt_template_parse(bwt_template_builder *builder, bwt_str text, bwt_encoding literals, bwt_encoding places)
{
    bwt_template_piece piece;
    bool malformed;
    while (bwt_template_next_piece(&text, &piece, &malformed)) {
        if (!piece.is_place) {
            bwt_template_literal(builder, literals, piece.text);
        } else if (bwt_str_equal(piece.text, BWT_STR("query"))) {
            bwt_template_place(builder, BWT_PART_QUERY, places);
        } else if (bwt_str_equal(piece.text, BWT_STR("count"))) {
            bwt_template_place(builder, BWT_PART_COUNT, BWT_ENCODE_NOTHING);
        } else {
            return BWT_ERR_INVALID;
        }
    }
    return malformed ? BWT_ERR_INVALID : BWT_OK;
}

bwt_error bwt_template_finish(bwt_template_builder *builder, bwt_template *out)
{
    flush_literal(builder, BWT_PART_LITERAL);
    bwt_error error = builder->failed ? BWT_ERR_NO_MEMORY : BWT_OK;
    if (error == BWT_OK && out != NULL) {
        size_t count = builder->parts.len / sizeof(bwt_template_part);
        bwt_template_part *parts = bwt_arena_alloc(builder->arena, count, sizeof *parts);
        if (parts == NULL) {
            error = BWT_ERR_NO_MEMORY;
        } else {
            if (count > 0) memcpy(parts, builder->parts.data, builder->parts.len);
            *out = (bwt_template){parts, count};
        }
    }
    bwt_buf_deinit(&builder->parts);
    bwt_buf_deinit(&builder->literal);
    return error;
}

bool bwt_template_render(const bwt_template *compiled, bwt_str query, int64_t count, bool show_secrets, bwt_buf *out)
{
    for (size_t i = 0; i < compiled->count; i++) {
        const bwt_template_part *part = &compiled->parts[i];
        switch (part->kind) {
        case BWT_PART_LITERAL:
            bwt_buf_append_str(out, part->text);
            break;
        case BWT_PART_SECRET:
            bwt_buf_append_str(out, show_secrets ? part->text : BWT_STR(BWT_REDACTED));
            break;
        case BWT_PART_QUERY:
            bwt_encode(out, part->encoding, query);
            break;
        case BWT_PART_COUNT:
            bwt_buf_append_int(out, count);
            break;
        }
    }
    return !out->failed;
}
