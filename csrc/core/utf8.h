/* UTF-8 and the Unicode tables (utf8proc is seen by utf8.c alone). */
#ifndef BWT_CORE_UTF8_H
#define BWT_CORE_UTF8_H

#include "core/buf.h"

#define BWT_UTF8_INVALID INT32_C(-1)

/* Decodes one code point at text[0 .. len), len >= 1; *width is the bytes it took. Strict: overlong forms, surrogates
 * and values above U+10FFFF give BWT_UTF8_INVALID with the width of the maximal invalid part (1 .. 3). */
int32_t bwt_utf8_decode(const char *text, size_t len, size_t *width);
size_t bwt_utf8_encode(int32_t code_point, char out[4]); /* bytes written */
bool bwt_utf8_is_valid(bwt_str text);
size_t bwt_utf8_count(bwt_str text); /* code points; an invalid part counts as one */
/* Bytes of the longest prefix with at most max_chars code points. */
size_t bwt_utf8_prefix(bwt_str text, int64_t max_chars);
/* Appends text with every invalid part replaced by U+FFFD. */
bool bwt_utf8_append_sanitized(bwt_buf *out, bwt_str text);

bool bwt_unicode_is_white_space(int32_t c); /* property White_Space */
bool bwt_unicode_is_control(int32_t c);     /* category Cc */
bool bwt_unicode_is_zero_width(int32_t c);  /* draws nothing: category Cf, default-ignorable, ZWSP, BOM ... */
bool bwt_unicode_is_word(int32_t c);        /* categories L*, M*, N* */
bool bwt_unicode_is_cjk(int32_t c);         /* Han, Kana, Hangul: carries about two letters' worth */
bool bwt_unicode_is_unspaced(int32_t c);    /* scripts written without spaces: Han, Kana, Thai, Lao, Khmer, Myanmar */

/* Invalid parts become U+FFFD. Time and memory are linear in the input, whatever it holds. */
bwt_error bwt_utf8_nfc(bwt_str text, bwt_text *out);
bwt_error bwt_utf8_nfkc_casefold(bwt_str text, bwt_text *out); /* default-ignorables dropped */
bool bwt_utf8_append_nfkc_casefold(bwt_buf *out, bwt_str text); /* false: no memory or cap */

#endif
