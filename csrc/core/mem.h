/* The only door to the allocator: counted, overflow-checked, and able to fail on purpose in tests. */
#ifndef BWT_CORE_MEM_H
#define BWT_CORE_MEM_H

#include "bwt.h"

/* All return NULL when there is no memory or the size overflows; a size of 0 is served as 1. */
void *bwt_alloc(size_t size);
void *bwt_alloc_zeroed(size_t count, size_t size);
void *bwt_alloc_array(size_t count, size_t size);
/* The old block stays valid on failure. */
void *bwt_realloc_array(void *block, size_t count, size_t size);
void bwt_free(void *block); /* NULL is fine */

/* Owned text of a borrowed one; absent text gives empty text. What *to held is freed on success. */
bwt_error bwt_text_copy(bwt_str from, bwt_text *to);

#ifdef BWT_TESTING
/* The n-th allocation from now fails, and every later one until switched off with 0. */
void bwt_mem_fail_from(size_t n);
#endif

#endif
