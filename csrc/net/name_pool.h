/* A bounded pool of threads that do nothing but call getaddrinfo, which cannot be interrupted. The threads are
 * detached and share the pool's memory by reference, so closing never waits for a lookup that hangs. */
#ifndef BWT_NET_NAME_POOL_H
#define BWT_NET_NAME_POOL_H

#include "net/addresses.h"
#include "net/list.h"
#include "net/wakefd.h"

/* One name to look up. It belongs to the pool from submit until take_done. */
typedef struct bwt_name_job {
    bwt_link link;
    void *owner; /* of no concern to the pool */
    char *host;  /* NUL-terminated, owned */
    int64_t started_ns;
    bool counted_lost;
    bwt_addresses *found; /* NULL: the lookup failed */
} bwt_name_job;

bwt_name_job *bwt_name_job_new(bwt_str host, void *owner);
void bwt_name_job_free(bwt_name_job *job);

typedef struct bwt_name_pool bwt_name_pool;

/* kept: threads that stay when there is nothing to do; most: the hard cap while lookups hang. wake is signalled when
 * a lookup is done, until the pool is closed. */
bwt_error bwt_name_pool_new(int64_t kept, int64_t most, bwt_wakefd *wake, bwt_name_pool **out);
/* Ends the idle threads; those inside a lookup end after it. Idempotent. */
void bwt_name_pool_close(bwt_name_pool *pool);
/* Gives up the owner's reference. */
void bwt_name_pool_release(bwt_name_pool *pool);

/* False, and the job stays the caller's, when every thread allowed hangs or none can be had. */
bool bwt_name_pool_submit(bwt_name_pool *pool, bwt_name_job *job);
/* Moves the finished jobs to the list; they are the caller's again. */
void bwt_name_pool_take_done(bwt_name_pool *pool, bwt_link *done);

/* Threads inside a lookup now, and how many were ever given up because theirs took longer than a second. Any
 * thread. */
void bwt_name_pool_count(bwt_name_pool *pool, uint64_t *busy, uint64_t *lost);

#endif
