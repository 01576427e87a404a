/* Texts with places to fill, compiled once: {query} and {count} in a request, {a.path} in a hit.
 *
 * Literal parts are stored as they will be sent; {{ and }} stand for single braces. */
#ifndef BWT_NET_TEMPLATE_H
#define BWT_NET_TEMPLATE_H

#include "core/buf.h"
#include "net/arena.h"

typedef enum bwt_encoding {
    BWT_ENCODE_NOTHING,
    BWT_ENCODE_PATH, /* percent-encoded */
    BWT_ENCODE_FORM, /* percent-encoded, "+" for a space */
    BWT_ENCODE_JSON  /* as the inside of a JSON string */
} bwt_encoding;
bool bwt_encode(bwt_buf *out, bwt_encoding encoding, bwt_str text);

typedef enum bwt_part_kind { BWT_PART_LITERAL = 1, BWT_PART_SECRET, BWT_PART_QUERY, BWT_PART_COUNT } bwt_part_kind;

typedef struct bwt_template_part {
    bwt_part_kind kind;
    bwt_encoding encoding; /* of the query */
    bwt_str text;          /* of a literal or a secret, already encoded */
} bwt_template_part;

typedef struct bwt_template {
    const bwt_template_part *parts;
    size_t count;
} bwt_template;

/* Collects parts; a failed allocation shows in finish. */
typedef struct bwt_template_builder {
    bwt_arena *arena;
    bwt_buf parts;   /* of bwt_template_part */
    bwt_buf literal; /* not yet a part */
    bool failed;
} bwt_template_builder;
void bwt_template_begin(bwt_template_builder *builder, bwt_arena *arena);
void bwt_template_literal(bwt_template_builder *builder, bwt_encoding encoding, bwt_str text);
void bwt_template_secret(bwt_template_builder *builder, bwt_encoding encoding, bwt_str text);
void bwt_template_place(bwt_template_builder *builder, bwt_part_kind kind, bwt_encoding encoding);
/* Parses text with {query} and {count}. BWT_ERR_INVALID: another place, or a brace without its partner. Literal text is
 * encoded with literals, the query with places. */
bwt_error bwt_template_parse(bwt_template_builder *builder, bwt_str text, bwt_encoding literals, bwt_encoding places);
/* Ends the builder in any case; out may be NULL to throw its work away. */
bwt_error bwt_template_finish(bwt_template_builder *builder, bwt_template *out);

/* show_secrets false: BWT_REDACTED stands where a secret is. */
bool bwt_template_render(const bwt_template *compiled, bwt_str query, int64_t count, bool show_secrets, bwt_buf *out);

/* Literal text, ready to be used, or the inside of {...}. Borrowed from the template. */
typedef struct bwt_template_piece {
    bool is_place;
    bwt_str text;
} bwt_template_piece;
/* Cuts the next piece off *rest. False at the end or, with *malformed set, at a brace without its partner. */
bool bwt_template_next_piece(bwt_str *rest, bwt_template_piece *piece, bool *malformed);

#endif
