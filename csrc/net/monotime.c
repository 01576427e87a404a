/* CLOCK_MONOTONIC in nanoseconds. It stands still while the machine is suspended, as epoll, poll and Python's
 * time.monotonic do, so all parties of a budget agree on it. */
#include "net/monotime.h"

#include <errno.h>
#include <time.h>

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * BWT_NS_PER_S + time.tv_nsec;
}

int64_t bwt_monotonic_ns(void)
{
    return read_clock_ns(CLOCK_MONOTONIC);
}

int64_t bwt_unix_time_s(void)
{
    return read_clock_ns(CLOCK_REALTIME) / BWT_NS_PER_S;
}

int64_t bwt_ms_until(int64_t at_ns, int64_t now_ns)
{
    if (at_ns <= now_ns) return 0;
    return bwt_ms_rounded_up(bwt_ns_between(now_ns, at_ns));
}

bwt_error bwt_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return BWT_ERR_NO_MEMORY;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed == 0 ? BWT_OK : BWT_ERR_SYSTEM;
}

bool bwt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until_ns)
{
    if (until_ns == INT64_MAX) return pthread_cond_wait(condition, mutex) == 0;
    struct timespec until = {.tv_sec = (time_t)(until_ns / BWT_NS_PER_S), .tv_nsec = (long)(until_ns % BWT_NS_PER_S)};
    return pthread_cond_timedwait(condition, mutex, &until) != ETIMEDOUT;
}
