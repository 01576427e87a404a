/* Many small immutable pieces with one lifetime: given back together. */
#ifndef BWT_NET_ARENA_H
#define BWT_NET_ARENA_H

#include "bwt.h"

typedef struct bwt_arena {
    struct bwt_arena_block *blocks;
} bwt_arena;

void bwt_arena_init(bwt_arena *arena);
void bwt_arena_deinit(bwt_arena *arena);
/* Zeroed memory for count things, aligned for any of them. NULL: no memory. */
void *bwt_arena_alloc(bwt_arena *arena, size_t count, size_t size);
/* A NUL-terminated copy; absent text stays absent. */
bwt_error bwt_arena_copy(bwt_arena *arena, bwt_str text, bwt_str *out);

#endif
