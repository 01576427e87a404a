/* Typed reading of a spec document. Every refusal names the key, as in "answer.title[1]", and what was expected. */
#ifndef BWT_NET_SPEC_READER_H
#define BWT_NET_SPEC_READER_H

#include "net/arena.h"
#include "net/json.h"

typedef struct bwt_spec_reader {
    bwt_arena *arena;         /* where what is read lives on */
    bwt_complaint *complaint; /* may be NULL */
} bwt_spec_reader;

typedef struct bwt_spec_node {
    bwt_json value;
    char key[sizeof((bwt_complaint *)0)->field];
} bwt_spec_node;

bwt_spec_node bwt_spec_member(const bwt_spec_node *table, bwt_str name);
bool bwt_spec_present(const bwt_spec_node *node);
/* Complains and returns BWT_ERR_INVALID. */
bwt_error bwt_spec_refuse(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *expected);

/* An absent table passes. keys: the only names allowed, separated by single spaces. */
bwt_error bwt_spec_table(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *keys);
/* Absent: *out stays as it is, or a complaint when required. The others likewise. */
bwt_error bwt_spec_text(const bwt_spec_reader *reader, const bwt_spec_node *node, bool required, bwt_str *out);
bwt_error bwt_spec_int(const bwt_spec_reader *reader, const bwt_spec_node *node, int64_t lowest, int64_t highest,
                       int64_t *out);
bwt_error bwt_spec_bool(const bwt_spec_reader *reader, const bwt_spec_node *node, bool *out);
/* words: separated by single spaces; *out is the index of the one that stands there. */
bwt_error bwt_spec_choice(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *words, size_t *out);

/* One value or a list of them, as in title = "name" and title = ["name", "heading"]. */
typedef struct bwt_spec_list {
    const bwt_spec_node *node;
    bwt_json_iter iter;
    size_t count;
    size_t next;
    bool is_array;
} bwt_spec_list;
bwt_spec_list bwt_spec_each(const bwt_spec_node *node); /* an absent node has no elements */
bool bwt_spec_next(bwt_spec_list *list, bwt_spec_node *element);

#endif
