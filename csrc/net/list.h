/* An intrusive circular list. A link is in at most one list and knows whether it is in one; nothing allocates. */
#ifndef BWT_NET_LIST_H
#define BWT_NET_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bwt_link {
    struct bwt_link *previous;
    struct bwt_link *next;
} bwt_link;

/* The structure that a link is a member of. */
#define BWT_HOLDER(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))

/* Makes a link that is in no list, or an empty list. */
static inline void bwt_link_init(bwt_link *link)
{
    link->previous = link->next = link;
}

static inline bool bwt_link_is_in_list(const bwt_link *link)
{
    return link->next != link;
}

static inline void bwt_link_remove(bwt_link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    bwt_link_init(link);
}

static inline bool bwt_list_is_empty(const bwt_link *list)
{
    return list->next == list;
}

/* The link must be in no list. */
static inline void bwt_list_append(bwt_link *list, bwt_link *link)
{
    link->previous = list->previous;
    link->next = list;
    list->previous->next = link;
    list->previous = link;
}

static inline bwt_link *bwt_list_first(const bwt_link *list)
{
    return bwt_list_is_empty(list) ? NULL : list->next;
}

static inline bwt_link *bwt_list_pop(bwt_link *list)
{
    bwt_link *first = bwt_list_first(list);
    if (first != NULL) bwt_link_remove(first);
    return first;
}

/* Moves everything in from to the end of list. */
static inline void bwt_list_append_all(bwt_link *list, bwt_link *from)
{
    if (bwt_list_is_empty(from)) return;
    from->next->previous = list->previous;
    list->previous->next = from->next;
    from->previous->next = list;
    list->previous = from->previous;
    bwt_link_init(from);
}

#endif
