/* The engine's clock, and conditions that wait on it. */
#ifndef BWT_NET_MONOTIME_H
#define BWT_NET_MONOTIME_H

#include <pthread.h>

#include "core/duration.h"

#define BWT_NS_PER_S INT64_C(1000000000)

int64_t bwt_unix_time_s(void);

/* Milliseconds from now_ns to at_ns, rounded up, 0 when it is past. */
int64_t bwt_ms_until(int64_t at_ns, int64_t now_ns);

/* A condition whose waits are measured on CLOCK_MONOTONIC. */
bwt_error bwt_condition_init(pthread_cond_t *condition);
/* False when until_ns has passed; INT64_MAX waits without a limit. Spurious wake-ups return true. */
bool bwt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until_ns);

#endif
