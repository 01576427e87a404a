/* A fixed number of chained buckets: both users are bounded to some thousand entries. */
#include "net/strmap.h"

#include "core/text.h"

void bwt_strmap_init(bwt_strmap *map)
{
    map->count = 0;
    for (size_t i = 0; i < BWT_STRMAP_BUCKETS; i++) bwt_link_init(&map->buckets[i]);
}

/* FNV-1a. */
static size_t bucket_of(bwt_str key)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < key.len; i++) hash = (hash ^ (unsigned char)key.data[i]) * 16777619u;
    return hash % BWT_STRMAP_BUCKETS;
}

bwt_strmap_node *bwt_strmap_find(const bwt_strmap *map, bwt_str key)
{
    const bwt_link *bucket = &map->buckets[bucket_of(key)];
    for (bwt_link *link = bucket->next; link != bucket; link = link->next) {
        bwt_strmap_node *node = BWT_HOLDER(link, bwt_strmap_node, chain);
        if (bwt_str_equal(node->key, key)) return node;
    }
    return NULL;
}

void bwt_strmap_add(bwt_strmap *map, bwt_strmap_node *node)
{
    bwt_list_append(&map->buckets[bucket_of(node->key)], &node->chain);
    map->count++;
}

void bwt_strmap_remove(bwt_strmap *map, bwt_strmap_node *node)
{
    bwt_link_remove(&node->chain);
    map->count--;
}
