/* Byte and ASCII helpers without locale. */
#ifndef BWT_CORE_TEXT_H
#define BWT_CORE_TEXT_H

#include "bwt.h"

bool bwt_str_equal(bwt_str a, bwt_str b);
bool bwt_str_equal_ascii_case(bwt_str a, bwt_str b); /* A-Z folded, other bytes exact */
bool bwt_str_starts_with(bwt_str text, bwt_str prefix);
bool bwt_str_find(bwt_str text, bwt_str needle, size_t *at); /* first occurrence; an empty needle is found at 0 */
bwt_str bwt_str_trim_ascii(bwt_str text); /* space, tab, CR, LF */
bwt_str bwt_str_c(const char *text);      /* NULL gives an absent text */

/* Fills a complaint (NULL is fine), cutting what does not fit. */
void bwt_complain(bwt_complaint *complaint, const char *field, const char *expected);

static inline bool bwt_ascii_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool bwt_ascii_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline bool bwt_ascii_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline bool bwt_ascii_is_alpha(char c) { return bwt_ascii_is_upper(c) || bwt_ascii_is_lower(c); }
static inline bool bwt_ascii_is_alnum(char c) { return bwt_ascii_is_alpha(c) || bwt_ascii_is_digit(c); }
static inline char bwt_ascii_lower(char c) { return bwt_ascii_is_upper(c) ? (char)(c + 32) : c; }
static inline int bwt_ascii_hex_value(char c)
{
    if (bwt_ascii_is_digit(c)) return c - '0';
    c = bwt_ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
