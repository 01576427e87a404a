/* An intrusive map from text to what the node belongs to: host names, origins. Nothing allocates. */
#ifndef BWT_NET_STRMAP_H
#define BWT_NET_STRMAP_H

#include "bwt.h"
#include "net/list.h"

enum { BWT_STRMAP_BUCKETS = 256 };

typedef struct bwt_strmap_node {
    bwt_link chain;
    bwt_str key; /* owned by the holder, unchanged while the node is in the map */
} bwt_strmap_node;

typedef struct bwt_strmap {
    bwt_link buckets[BWT_STRMAP_BUCKETS];
    size_t count;
} bwt_strmap;

void bwt_strmap_init(bwt_strmap *map);
bwt_strmap_node *bwt_strmap_find(const bwt_strmap *map, bwt_str key); /* NULL = not there */
void bwt_strmap_add(bwt_strmap *map, bwt_strmap_node *node);          /* its key must not be there yet */
void bwt_strmap_remove(bwt_strmap *map, bwt_strmap_node *node);

#endif
