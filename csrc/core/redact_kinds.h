/* Credentials that their own shape betrays: one table row a kind. */
#ifndef BWT_CORE_REDACT_KINDS_H
#define BWT_CORE_REDACT_KINDS_H

#include "bwt.h"

/* Sets of bytes that the body of a kind may be made of. */
enum {
    BWT_BODY_DIGIT = 1 << 0,
    BWT_BODY_HEX = 1 << 1, /* a-f and A-F; digits apart */
    BWT_BODY_LOWER = 1 << 2,
    BWT_BODY_UPPER = 1 << 3,
    BWT_BODY_UNDERSCORE = 1 << 4,
    BWT_BODY_DASH = 1 << 5,
    BWT_BODY_DOT = 1 << 6,
    BWT_BODY_PADDED64 = 1 << 7, /* + / = */
    BWT_BODY_PERCENT = 1 << 8,
    BWT_BODY_TILDE = 1 << 9,
    BWT_BODY_DOLLAR = 1 << 10
};

/* Which of those sets the byte belongs to. */
unsigned bwt_redact_body_sets(unsigned char byte);

/* An atom is a run of letters, digits, '_' and '-': where kinds begin. */
static inline bool bwt_redact_is_atom(unsigned char byte)
{
    unsigned char small = byte | 0x20;
    return (byte >= '0' && byte <= '9') || (small >= 'a' && small <= 'z') || byte == '_' || byte == '-';
}

/* When a kind begins at text[at], which must be where an atom begins: its name, and *end one past its last byte.
 * NULL otherwise. Looks at no more than the kind's own bytes and one beyond. */
const char *bwt_redact_kind_at(bwt_str text, size_t at, size_t *end);

/* How many kinds there are, and one's name; for tests and reports. */
size_t bwt_redact_kind_count(void);
const char *bwt_redact_kind_name(size_t index);

#endif
