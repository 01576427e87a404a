/* Whether a text shares evidence with a query: both NFKC case-folded. */
#ifndef BWT_CORE_VERDICT_TERMS_H
#define BWT_CORE_VERDICT_TERMS_H

#include "bwt.h"

enum { BWT_MAX_TERMS = 64 };

/* Words, or character pairs in scripts written without spaces. Borrowed from the folded query. */
typedef struct bwt_terms {
    bwt_str items[BWT_MAX_TERMS];
    bool unspaced[BWT_MAX_TERMS];
    bool found[BWT_MAX_TERMS];
    size_t count;
    bool only_function_words; /* then every term must be found, otherwise one is enough */
} bwt_terms;

/* Further terms than BWT_MAX_TERMS are ignored. Function words are left out while other words remain. */
void bwt_terms_init(bwt_terms *terms, bwt_str folded_query);
void bwt_terms_look_in(bwt_terms *terms, bwt_str folded_text);
bool bwt_terms_satisfied(const bwt_terms *terms); /* true for a query without terms */

#endif
