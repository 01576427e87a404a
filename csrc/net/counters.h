/* The engine's counters: written by its thread (submitted: by any), read by any. */
#ifndef BWT_NET_COUNTERS_H
#define BWT_NET_COUNTERS_H

#include <stdatomic.h>

#include "bwt.h"

typedef _Atomic uint64_t bwt_counter;

typedef struct bwt_counters {
#define BWT_COUNTER_MEMBER(name, doc) bwt_counter name;
    BWT_ENGINE_STAT_LIST(BWT_COUNTER_MEMBER)
#undef BWT_COUNTER_MEMBER
    bwt_counter by_status[BWT_ATTEMPT_STATUS_END];
} bwt_counters;

static inline void bwt_count_up(bwt_counter *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static inline void bwt_count_down(bwt_counter *counter)
{
    atomic_fetch_sub_explicit(counter, 1, memory_order_relaxed);
}

/* One writer only. */
static inline void bwt_count_longest(bwt_counter *counter, uint64_t value)
{
    if (value > atomic_load_explicit(counter, memory_order_relaxed)) {
        atomic_store_explicit(counter, value, memory_order_relaxed);
    }
}

#endif
