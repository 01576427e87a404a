/* Arithmetic between milliseconds and nanoseconds that neither overflows nor rounds in the caller's favour. */
#ifndef BWT_CORE_DURATION_H
#define BWT_CORE_DURATION_H

#include "bwt.h"

#define BWT_NS_PER_MS INT64_C(1000000)

/* from_ns + ms, INT64_MAX when that is beyond the range. */
static inline int64_t bwt_ns_after_ms(int64_t from_ns, int64_t ms)
{
    int64_t span_ns, at_ns;
    if (__builtin_mul_overflow(ms, BWT_NS_PER_MS, &span_ns)) return INT64_MAX;
    if (__builtin_add_overflow(from_ns, span_ns, &at_ns)) return INT64_MAX;
    return at_ns;
}

/* later_ns - earlier_ns, INT64_MAX when that is beyond the range. */
static inline int64_t bwt_ns_between(int64_t earlier_ns, int64_t later_ns)
{
    int64_t span_ns;
    return __builtin_sub_overflow(later_ns, earlier_ns, &span_ns) ? INT64_MAX : span_ns;
}

/* Milliseconds, rounded up; span_ns >= 0. */
static inline int64_t bwt_ms_rounded_up(int64_t span_ns)
{
    return span_ns / BWT_NS_PER_MS + (span_ns % BWT_NS_PER_MS > 0);
}

#endif
