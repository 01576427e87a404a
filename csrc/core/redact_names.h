/* Names that say their value is a secret: one folding and one table for addresses and text alike. */
#ifndef BWT_CORE_REDACT_NAMES_H
#define BWT_CORE_REDACT_NAMES_H

#include "bwt.h"

typedef enum bwt_name_class {
    BWT_NAME_PLAIN = 0,
    BWT_NAME_STRONG,       /* whatever its value is */
    BWT_NAME_WEAK,         /* in an address whatever it is; in text only when the value looks like a secret */
    BWT_NAME_SHAPED,       /* only when the value looks like a secret */
    BWT_NAME_CODE,         /* so, and in an address only: "error code: E42" is none */
    BWT_NAME_AUTHORIZATION, /* a scheme, then credentials */
    BWT_NAME_LINES          /* a number, then so many lines of a private key */
} bwt_name_class;

/* One character as it stands in an address: percent-decoded up to three times over. */
typedef struct bwt_redact_char {
    unsigned char byte;
    unsigned char level; /* how many rounds of decoding it took: 0 .. 3 */
    unsigned char width; /* bytes it takes in the text: 1 .. 9 */
} bwt_redact_char;
bwt_redact_char bwt_redact_decode(bwt_str text, size_t at);

/* Judges the name that fills text[from .. to), quotes, brackets and all. Looks at no more than the last 256 bytes. */
bwt_name_class bwt_redact_name_class(bwt_str text, size_t from, size_t to);

#endif
