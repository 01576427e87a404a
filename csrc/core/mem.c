/* Counted allocation: a hidden word before each block remembers its size. */
#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the block behind it aligned for every type. */
typedef union block_head {
    size_t size;
    max_align_t align;
} block_head;

static size_t live_bytes;

size_t bwt_native_bytes(void)
{
    return __atomic_load_n(&live_bytes, __ATOMIC_RELAXED);
}

#ifdef BWT_TESTING
static size_t allocations_until_failure;

void bwt_mem_fail_from(size_t n)
{
    __atomic_store_n(&allocations_until_failure, n, __ATOMIC_SEQ_CST);
}

static bool fails_now(void)
{
    size_t left = __atomic_load_n(&allocations_until_failure, __ATOMIC_SEQ_CST);
    if (left == 0) return false;
    if (left == 1) return true;
    __atomic_store_n(&allocations_until_failure, left - 1, __ATOMIC_SEQ_CST);
    return false;
}
#else
static bool fails_now(void)
{
    return false;
}
#endif

static void *adopt(block_head *head, size_t size)
{
    if (head == NULL) return NULL;
    head->size = size;
    __atomic_add_fetch(&live_bytes, size, __ATOMIC_RELAXED);
    return head + 1;
}

static bool total_size(size_t count, size_t size, size_t *out)
{
    if (__builtin_mul_overflow(count, size, out)) return false;
    if (*out == 0) *out = 1;
    return *out <= (size_t)PTRDIFF_MAX - sizeof(block_head);
}

void *bwt_alloc(size_t size)
{
    return bwt_alloc_array(1, size);
}

void *bwt_alloc_array(size_t count, size_t size)
{
    size_t total;
    if (!total_size(count, size, &total) || fails_now()) return NULL;
    return adopt(malloc(sizeof(block_head) + total), total);
}

void *bwt_alloc_zeroed(size_t count, size_t size)
{
    size_t total;
    if (!total_size(count, size, &total) || fails_now()) return NULL;
    return adopt(calloc(1, sizeof(block_head) + total), total);
}

void *bwt_realloc_array(void *block, size_t count, size_t size)
{
    size_t total;
    if (block == NULL) return bwt_alloc_array(count, size);
    if (!total_size(count, size, &total) || fails_now()) return NULL;
    block_head *head = (block_head *)block - 1;
    size_t before = head->size;
    block_head *moved = realloc(head, sizeof(block_head) + total);
    if (moved == NULL) return NULL;
    __atomic_sub_fetch(&live_bytes, before, __ATOMIC_RELAXED);
    return adopt(moved, total);
}

void bwt_free(void *block)
{
    if (block == NULL) return;
    block_head *head = (block_head *)block - 1;
    __atomic_sub_fetch(&live_bytes, head->size, __ATOMIC_RELAXED);
    free(head);
}

void bwt_text_free(bwt_text *text)
{
    if (text == NULL) return;
    bwt_free(text->data);
    text->data = NULL;
    text->len = 0;
}

bwt_error bwt_text_copy(bwt_str from, bwt_text *to)
{
    char *data = bwt_alloc(from.len + 1);
    if (data == NULL) return BWT_ERR_NO_MEMORY;
    if (from.len > 0) memcpy(data, from.data, from.len);
    data[from.len] = '\0';
    bwt_text_free(to);
    *to = (bwt_text){data, from.len};
    return BWT_OK;
}
