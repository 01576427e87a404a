/* A thread is started whenever no idle one is left for a name, up to the hard cap: a lookup that hangs is replaced at
 * once and its neighbours do not notice. Threads beyond the kept number end when their lookup returns. */
#include "net/name_pool.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "core/mem.h"
#include "net/monotime.h"

#define LOST_AFTER_NS BWT_NS_PER_S
enum { STACK_BYTES = 512 * 1024 };

struct bwt_name_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    bwt_wakefd *wake; /* not touched once closed */
    bool closed;
    size_t references; /* the owner's and one a thread */
    int64_t kept;
    int64_t most;
    int64_t threads;
    int64_t idle;
    int64_t queued;
    uint64_t lost;
    bwt_link queue;
    bwt_link busy;
    bwt_link done;
};

bwt_name_job *bwt_name_job_new(bwt_str host, void *owner)
{
    bwt_name_job *job = bwt_alloc_zeroed(1, sizeof *job);
    if (job == NULL) return NULL;
    job->host = bwt_alloc(host.len + 1);
    if (job->host == NULL) {
        bwt_free(job);
        return NULL;
    }
    memcpy(job->host, host.data, host.len);
    job->host[host.len] = '\0';
    job->owner = owner;
    bwt_link_init(&job->link);
    return job;
}

void bwt_name_job_free(bwt_name_job *job)
{
    if (job == NULL) return;
    bwt_addresses_release(job->found);
    bwt_free(job->host);
    bwt_free(job);
}

static void free_jobs(bwt_link *list)
{
    bwt_link *link;
    while ((link = bwt_list_pop(list)) != NULL) bwt_name_job_free(BWT_HOLDER(link, bwt_name_job, link));
}

bwt_error bwt_name_pool_new(int64_t kept, int64_t most, bwt_wakefd *wake, bwt_name_pool **out)
{
    bwt_name_pool *pool = bwt_alloc_zeroed(1, sizeof *pool);
    if (pool == NULL) return BWT_ERR_NO_MEMORY;
    pool->wake = wake;
    pool->references = 1;
    pool->kept = kept;
    pool->most = most;
    bwt_link_init(&pool->queue);
    bwt_link_init(&pool->busy);
    bwt_link_init(&pool->done);
    if (pthread_mutex_init(&pool->mutex, NULL) == 0) {
        if (pthread_cond_init(&pool->work, NULL) == 0) {
            *out = pool;
            return BWT_OK;
        }
        pthread_mutex_destroy(&pool->mutex);
    }
    bwt_free(pool);
    return BWT_ERR_SYSTEM;
}

static void release_and_unlock(bwt_name_pool *pool)
{
    bool last = --pool->references == 0;
    pthread_mutex_unlock(&pool->mutex);
    if (!last) return;
    free_jobs(&pool->queue);
    free_jobs(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    bwt_free(pool);
}

void bwt_name_pool_release(bwt_name_pool *pool)
{
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->mutex);
    release_and_unlock(pool);
}

void bwt_name_pool_close(bwt_name_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->closed = true;
    free_jobs(&pool->queue);
    pool->queued = 0;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

static bwt_addresses *look_up(const char *host)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &hints, &found) != 0) return NULL;
    bwt_addresses *addresses = bwt_addresses_new(found);
    freeaddrinfo(found);
    return addresses;
}

static void count_lost_locked(bwt_name_pool *pool, bwt_name_job *job, int64_t now_ns)
{
    if (job->counted_lost || now_ns - job->started_ns < LOST_AFTER_NS) return;
    job->counted_lost = true;
    pool->lost++;
}

/* NULL: the thread is not needed any more. */
static bwt_name_job *next_job_locked(bwt_name_pool *pool)
{
    while (!pool->closed && bwt_list_is_empty(&pool->queue)) {
        if (pool->threads > pool->kept) return NULL;
        pool->idle++;
        pthread_cond_wait(&pool->work, &pool->mutex);
        pool->idle--;
    }
    if (pool->closed) return NULL;
    pool->queued--;
    bwt_name_job *job = BWT_HOLDER(bwt_list_pop(&pool->queue), bwt_name_job, link);
    job->started_ns = bwt_monotonic_ns();
    bwt_list_append(&pool->busy, &job->link);
    return job;
}

static void finish_locked(bwt_name_pool *pool, bwt_name_job *job)
{
    count_lost_locked(pool, job, bwt_monotonic_ns());
    bwt_link_remove(&job->link);
    if (pool->closed) {
        bwt_name_job_free(job);
        return;
    }
    bool first = bwt_list_is_empty(&pool->done);
    bwt_list_append(&pool->done, &job->link);
    if (first) bwt_wakefd_signal(pool->wake);
}

static void *run_thread(void *argument)
{
    bwt_name_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        bwt_name_job *job = next_job_locked(pool);
        if (job == NULL) break;
        pthread_mutex_unlock(&pool->mutex);
        job->found = look_up(job->host);
        pthread_mutex_lock(&pool->mutex);
        finish_locked(pool, job);
    }
    pool->threads--;
    release_and_unlock(pool);
    return NULL;
}

/* The new thread blocks all signals, as every thread of the library does. */
static bool start_thread_locked(bwt_name_pool *pool)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool started = pthread_create(&thread, &attributes, run_thread, pool) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (started) {
        pool->threads++;
        pool->references++;
    }
    return started;
}

static bool all_hang_locked(bwt_name_pool *pool)
{
    int64_t now_ns = bwt_monotonic_ns();
    int64_t hanging = 0;
    for (bwt_link *link = pool->busy.next; link != &pool->busy; link = link->next) {
        bwt_name_job *job = BWT_HOLDER(link, bwt_name_job, link);
        count_lost_locked(pool, job, now_ns);
        hanging += job->counted_lost;
    }
    return hanging >= pool->most;
}

bool bwt_name_pool_submit(bwt_name_pool *pool, bwt_name_job *job)
{
    pthread_mutex_lock(&pool->mutex);
    bool idle_left = pool->idle > pool->queued;
    bool may_start = pool->threads < pool->most;
    bool accepted = !pool->closed && (idle_left || may_start || !all_hang_locked(pool));
    if (accepted && !idle_left && may_start) accepted = start_thread_locked(pool) || pool->threads > 0;
    if (accepted) {
        bwt_list_append(&pool->queue, &job->link);
        pool->queued++;
        pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->mutex);
    return accepted;
}

void bwt_name_pool_take_done(bwt_name_pool *pool, bwt_link *done)
{
    pthread_mutex_lock(&pool->mutex);
    bwt_list_append_all(done, &pool->done);
    pthread_mutex_unlock(&pool->mutex);
}

void bwt_name_pool_count(bwt_name_pool *pool, uint64_t *busy, uint64_t *lost)
{
    int64_t now_ns = bwt_monotonic_ns();
    *busy = 0;
    pthread_mutex_lock(&pool->mutex);
    for (bwt_link *link = pool->busy.next; link != &pool->busy; link = link->next) {
        count_lost_locked(pool, BWT_HOLDER(link, bwt_name_job, link), now_ns);
        ++*busy;
    }
    *lost = pool->lost;
    pthread_mutex_unlock(&pool->mutex);
}
