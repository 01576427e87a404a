/* A read-only view of one JSON text. The parser behind it is seen by one file alone. */
#ifndef BWT_NET_JSON_H
#define BWT_NET_JSON_H

#ifdef __cplusplus
extern "C" {
#endif

#include "core/buf.h"

enum { BWT_JSON_PADDING = 64, BWT_JSON_MAX_DEPTH = 64 };

/* Keeps its memory between texts; one thread at a time. */
typedef struct bwt_json_parser bwt_json_parser;
bwt_json_parser *bwt_json_parser_new(void); /* NULL: no memory */
void bwt_json_parser_free(bwt_json_parser *parser);

typedef enum bwt_json_type {
    BWT_JSON_MISSING, /* no such member, or a step through something that has none */
    BWT_JSON_NULL,
    BWT_JSON_BOOL,
    BWT_JSON_INT,
    BWT_JSON_REAL,
    BWT_JSON_STRING,
    BWT_JSON_ARRAY,
    BWT_JSON_OBJECT
} bwt_json_type;

/* A value of the text last parsed; dead after the next parse. A zeroed value is missing. */
typedef struct bwt_json {
    const void *document;
    size_t index;
} bwt_json;

/* The root, or a missing value when the text is not one valid JSON value (UTF-8 is checked, depth bounded). The
 * buffer is given the parser's padding, never copied. *no_memory tells the two failures apart. */
bwt_json bwt_json_parse(bwt_json_parser *parser, bwt_buf *text, bool *no_memory);

bwt_json_type bwt_json_type_of(bwt_json value);
bwt_str bwt_json_string(bwt_json value); /* absent unless a string; lives until the next parse */
bool bwt_json_bool(bwt_json value, bool *out);
bool bwt_json_int(bwt_json value, int64_t *out);
bool bwt_json_real(bwt_json value, double *out); /* integers too */
bwt_json bwt_json_member(bwt_json object, bwt_str key);

typedef struct bwt_json_iter {
    bwt_json container;
    size_t position;
    size_t end;
} bwt_json_iter;
/* Over the elements of an array or the members of an object, in order; anything else is empty. */
bwt_json_iter bwt_json_iterate(bwt_json container);
bool bwt_json_next(bwt_json_iter *iter, bwt_str *key, bwt_json *value); /* key may be NULL; absent in arrays */

#ifdef __cplusplus
}
#endif
#endif
