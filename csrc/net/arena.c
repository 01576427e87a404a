/* A list of blocks, filled front to back. */
#include "net/arena.h"

#include <string.h>

#include "core/mem.h"

typedef struct bwt_arena_block {
    struct bwt_arena_block *next;
    size_t used;
    size_t size;
    max_align_t data[];
} bwt_arena_block;

enum { BLOCK_BYTES = 4000, ALIGNMENT = sizeof(max_align_t) };

void bwt_arena_init(bwt_arena *arena)
{
    arena->blocks = NULL;
}

void bwt_arena_deinit(bwt_arena *arena)
{
    while (arena->blocks != NULL) {
        bwt_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        bwt_free(block);
    }
}

static bwt_arena_block *add_block(bwt_arena *arena, size_t wanted)
{
    size_t size = wanted > BLOCK_BYTES ? wanted : BLOCK_BYTES;
    bwt_arena_block *block = bwt_alloc(sizeof *block + size);
    if (block == NULL) return NULL;
    block->next = arena->blocks;
    block->used = 0;
    block->size = size;
    arena->blocks = block;
    return block;
}

void *bwt_arena_alloc(bwt_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || total > (size_t)PTRDIFF_MAX / 2) return NULL;
    total = (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bwt_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < total) block = add_block(arena, total);
    if (block == NULL) return NULL;
    char *memory = (char *)block->data + block->used;
    block->used += total;
    memset(memory, 0, total);
    return memory;
}

bwt_error bwt_arena_copy(bwt_arena *arena, bwt_str text, bwt_str *out)
{
    if (text.data == NULL) {
        *out = BWT_STR_NONE;
        return BWT_OK;
    }
    char *copy = bwt_arena_alloc(arena, text.len + 1, 1);
    if (copy == NULL) return BWT_ERR_NO_MEMORY;
    memcpy(copy, text.data, text.len);
    *out = (bwt_str){copy, text.len};
    return BWT_OK;
}
