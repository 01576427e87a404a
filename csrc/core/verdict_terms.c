/* Query terms and their search in a hit. */
#include "core/verdict_terms.h"

#include <string.h>

#include "core/text.h"
#include "core/utf8.h"

/* Space-separated and space-framed, by language; the last lines are grammar pairs of Chinese and Japanese. */
static const char function_words[] =
    " a an and are as at be by can did do does for from had has have how i in is it its my of on or that the their "
    "there this to was we were what when where which who why will with you your "
    " das dem den der des die ein eine einen ich im ist mit oder und von was wer wie wo zu "
    " au aux avec ce comment dans de des du en est et je la le les mais ou pour que qui quoi sur un une "
    " como con cual del donde el es esta las los para por que quien se su una y "
    " che chi come cosa di dove gli il lo nel per perche sono "
    " com da do em na no o os qual uma "
    " een het hoe hij ik met op van voor waar wat wie zijn "
    " \xe5\x9c\xa8\xe5\x93\xaa \xe5\x93\xaa\xe4\xb8\xaa \xe5\x93\xaa\xe9\x87\x8c \xe4\xbb\x80\xe4\xb9\x88"
    " \xe6\x80\x8e\xe4\xb9\x88 \xe4\xb8\xba\xe4\xbb\x80 \xe6\x98\xaf\xe4\xbb\x80 \xe4\xb9\x88\xe6\x98\xaf"
    " \xe3\x81\xa7\xe3\x81\x99 \xe3\x81\xa8\xe3\x81\xaf \xe3\x81\xbe\xe3\x81\x99 \xe4\xbd\x95\xe3\x81\xa7 ";

static bool is_function_word(bwt_str word)
{
    char framed[32];
    size_t at;
    if (word.len + 2 > sizeof framed) return false;
    framed[0] = ' ';
    memcpy(framed + 1, word.data, word.len);
    framed[word.len + 1] = ' ';
    return bwt_str_find(BWT_STR(function_words), (bwt_str){framed, word.len + 2}, &at);
}

typedef struct token {
    bwt_str text;
    bool unspaced;
} token;

/* The next run of word characters of one kind (spaced or unspaced script) at or after *at. */
static bool next_run(bwt_str text, size_t *at, token *out)
{
    size_t start = *at, end = *at, width;
    bool inside = false;
    while (end < text.len) {
        int32_t c = bwt_utf8_decode(text.data + end, text.len - end, &width);
        bool word = c != BWT_UTF8_INVALID && bwt_unicode_is_word(c);
        bool unspaced = word && bwt_unicode_is_unspaced(c);
        if (inside && (!word || unspaced != out->unspaced)) break;
        if (word && !inside) {
            inside = true;
            start = end;
            out->unspaced = unspaced;
        }
        end += width;
    }
    *at = end;
    out->text = (bwt_str){text.data + start, end - start};
    return inside;
}

static void add_term(bwt_terms *terms, bwt_str text, bool unspaced)
{
    if (terms->count == BWT_MAX_TERMS) return;
    terms->items[terms->count] = text;
    terms->unspaced[terms->count] = unspaced;
    terms->count++;
}

static void add_pairs(bwt_terms *terms, bwt_str run)
{
    size_t first = 0, width;
    bwt_utf8_decode(run.data, run.len, &width);
    if (width == run.len) add_term(terms, run, true);
    while (first + width < run.len) {
        size_t second_width, second = first + width;
        bwt_utf8_decode(run.data + second, run.len - second, &second_width);
        add_term(terms, (bwt_str){run.data + first, width + second_width}, true);
        first = second;
        width = second_width;
    }
}

/* Keeps the words that carry meaning, if there are any; otherwise all of them. */
static void drop_function_words(bwt_terms *terms)
{
    size_t kept = 0;
    for (size_t i = 0; i < terms->count; i++) {
        if (is_function_word(terms->items[i])) continue;
        terms->items[kept] = terms->items[i];
        terms->unspaced[kept] = terms->unspaced[i];
        kept++;
    }
    if (kept > 0) terms->count = kept;
    else terms->only_function_words = terms->count > 0;
}

void bwt_terms_init(bwt_terms *terms, bwt_str folded_query)
{
    *terms = (bwt_terms){.count = 0};
    token run;
    for (size_t at = 0; next_run(folded_query, &at, &run);) {
        if (run.unspaced) add_pairs(terms, run.text);
        else add_term(terms, run.text, false);
    }
    drop_function_words(terms);
}

/* Plural and case endings: one word begins with the other and is at most two bytes longer. */
static bool same_word(bwt_str a, bwt_str b)
{
    bwt_str shorter = a.len < b.len ? a : b;
    bwt_str longer = a.len < b.len ? b : a;
    if (longer.len - shorter.len > (shorter.len >= 4 ? 2U : 0U)) return false;
    return bwt_str_starts_with(longer, shorter);
}

void bwt_terms_look_in(bwt_terms *terms, bwt_str folded_text)
{
    size_t ignored;
    for (size_t i = 0; i < terms->count; i++) {
        if (terms->unspaced[i] && bwt_str_find(folded_text, terms->items[i], &ignored)) terms->found[i] = true;
    }
    token run;
    for (size_t at = 0; next_run(folded_text, &at, &run);) {
        for (size_t i = 0; i < terms->count; i++) {
            if (!terms->unspaced[i] && same_word(terms->items[i], run.text)) terms->found[i] = true;
        }
    }
}

bool bwt_terms_satisfied(const bwt_terms *terms)
{
    size_t found = 0;
    for (size_t i = 0; i < terms->count; i++) found += terms->found[i];
    return terms->only_function_words ? found == terms->count : found > 0 || terms->count == 0;
}
