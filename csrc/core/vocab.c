/* The vocabularies as tables, made from the lists in bwt_vocab.h. */
#include "core/text.h"

typedef struct member {
    const char *wire;
    const char *doc;
} member;

typedef struct vocabulary {
    const char *name;
    const char *doc;
    const member *members; /* the first one has value 1 */
    int size;
} vocabulary;

#define MEMBER(kind, name, wire, doc) {wire, doc},
static const member OUTCOME_members[] = {BWT_OUTCOME_LIST(MEMBER)};
static const member NEXT_ACTION_members[] = {BWT_NEXT_ACTION_LIST(MEMBER)};
static const member ATTEMPT_ROLE_members[] = {BWT_ATTEMPT_ROLE_LIST(MEMBER)};
static const member ATTEMPT_STATUS_members[] = {BWT_ATTEMPT_STATUS_LIST(MEMBER)};
static const member NOT_USEFUL_REASON_members[] = {BWT_NOT_USEFUL_REASON_LIST(MEMBER)};
static const member FAILURE_DETAIL_members[] = {BWT_FAILURE_DETAIL_LIST(MEMBER)};
static const member POLICY_REASON_members[] = {BWT_POLICY_REASON_LIST(MEMBER)};

#define VOCABULARY(list, prefix, python_name, doc) \
    [BWT_VOCAB_##prefix] = {python_name, doc, prefix##_members, BWT_##prefix##_END - 1},
static const vocabulary vocabularies[BWT_VOCAB_COUNT] = {BWT_VOCAB_LIST(VOCABULARY)};

static const vocabulary *vocabulary_of(bwt_vocab vocab)
{
    return (unsigned)vocab < BWT_VOCAB_COUNT ? &vocabularies[vocab] : NULL;
}

static const member *member_of(bwt_vocab vocab, int value)
{
    const vocabulary *words = vocabulary_of(vocab);
    return words != NULL && value >= 1 && value <= words->size ? &words->members[value - 1] : NULL;
}

const char *bwt_vocab_name(bwt_vocab vocab)
{
    const vocabulary *words = vocabulary_of(vocab);
    return words != NULL ? words->name : NULL;
}

const char *bwt_vocab_doc(bwt_vocab vocab)
{
    const vocabulary *words = vocabulary_of(vocab);
    return words != NULL ? words->doc : NULL;
}

int bwt_vocab_size(bwt_vocab vocab)
{
    const vocabulary *words = vocabulary_of(vocab);
    return words != NULL ? words->size : 0;
}

const char *bwt_vocab_wire(bwt_vocab vocab, int value)
{
    const member *word = member_of(vocab, value);
    return word != NULL ? word->wire : NULL;
}

const char *bwt_vocab_member_doc(bwt_vocab vocab, int value)
{
    const member *word = member_of(vocab, value);
    return word != NULL ? word->doc : NULL;
}

int bwt_vocab_parse(bwt_vocab vocab, bwt_str wire)
{
    for (int value = 1; value <= bwt_vocab_size(vocab); value++) {
        if (bwt_str_equal(bwt_str_c(bwt_vocab_wire(vocab, value)), wire)) return value;
    }
    return 0;
}
