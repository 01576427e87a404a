/* Starting, stopping and feeding the network thread, from any thread. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/text.h"
#include "net/curl_once.h"
#include "net/engine_loop.h"
#include "net/monotime.h"

enum { RESOLVER_HARD_CAP_FACTOR = 8 /* threads while lookups hang, for each that is kept */ };

struct bwt_engine {
    bwt_settings settings;
    bwt_counters counters;
    bwt_wakefd wake;
    bwt_inbox inbox;
    bwt_name_pool *names;
    bwt_engine_loop loop;
    pid_t pid; /* in a forked child there is no thread: nothing inherited is touched */
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t ended_changed;
    bool ended; /* the thread has done its last work */
    bool joined;
    int references; /* the owner's and the thread's */
};

/* ---- life ---- */

/* In the reverse order of their making; a part that was not made is zeroed. */
static void destroy(bwt_engine *engine)
{
    bwt_engine_loop_deinit(&engine->loop);
    bwt_name_pool_release(engine->names);
    bwt_inbox_deinit(&engine->inbox);
    bwt_wakefd_close(&engine->wake);
    pthread_cond_destroy(&engine->ended_changed);
    pthread_mutex_destroy(&engine->mutex);
    bwt_settings_deinit(&engine->settings);
    bwt_free(engine);
}

static void release_and_unlock(bwt_engine *engine)
{
    bool last = --engine->references == 0;
    pthread_mutex_unlock(&engine->mutex);
    if (last) destroy(engine);
}

static void *run_thread(void *argument)
{
    bwt_engine *engine = argument;
    bwt_engine_loop_run(&engine->loop);
    bwt_name_pool_close(engine->names);
    bwt_engine_loop_deinit(&engine->loop);
    pthread_mutex_lock(&engine->mutex);
    engine->ended = true;
    pthread_cond_broadcast(&engine->ended_changed);
    release_and_unlock(engine);
    return NULL;
}

/* Signals are the business of the process's other threads; SIGPIPE above all must not end it for a closed socket. */
static bwt_error start_thread(bwt_engine *engine)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&engine->thread, NULL, run_thread, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0 ? BWT_OK : BWT_ERR_SYSTEM;
}

static bwt_error init_mutex(bwt_engine *engine)
{
    bwt_error error = bwt_condition_init(&engine->ended_changed);
    if (error != BWT_OK) return error;
    if (pthread_mutex_init(&engine->mutex, NULL) == 0) return BWT_OK;
    pthread_cond_destroy(&engine->ended_changed);
    return BWT_ERR_SYSTEM;
}

/* The parts that destroy knows how to give back. */
static bwt_error init_parts(bwt_engine *engine)
{
    int64_t threads = engine->settings.resolver_threads;
    bwt_error error = bwt_wakefd_open(&engine->wake);
    if (error == BWT_OK) {
        error = bwt_name_pool_new(threads, threads * RESOLVER_HARD_CAP_FACTOR, &engine->wake, &engine->names);
    }
    if (error == BWT_OK) {
        error = bwt_engine_loop_init(&engine->loop, &engine->settings, &engine->inbox, &engine->wake,
                                     &engine->counters, engine->names);
    }
    return error;
}

static bwt_error new_engine(const bwt_engine_options *options, bwt_engine **out, bwt_complaint *complaint)
{
    bwt_engine *engine = bwt_alloc_zeroed(1, sizeof *engine);
    if (engine == NULL) return BWT_ERR_NO_MEMORY;
    engine->wake.fd = -1;
    engine->references = 1;
    engine->pid = getpid();
    bwt_error error = bwt_settings_init(&engine->settings, options, complaint);
    if (error == BWT_OK && (error = init_mutex(engine)) != BWT_OK) bwt_settings_deinit(&engine->settings);
    if (error == BWT_OK && (error = bwt_inbox_init(&engine->inbox, &engine->wake)) != BWT_OK) {
        pthread_cond_destroy(&engine->ended_changed);
        pthread_mutex_destroy(&engine->mutex);
        bwt_settings_deinit(&engine->settings);
    }
    if (error != BWT_OK) {
        bwt_free(engine);
        return error;
    }
    error = init_parts(engine);
    engine->references = 2;
    if (error == BWT_OK) error = start_thread(engine);
    if (error != BWT_OK) {
        destroy(engine);
        return error;
    }
    *out = engine;
    return BWT_OK;
}

bwt_error bwt_engine_new(const bwt_engine_options *options, bwt_engine **out, bwt_complaint *complaint)
{
    bwt_error error = bwt_curl_ready(complaint);
    if (error != BWT_OK) return error;
    if (options->http2 && !bwt_curl_has_http2()) {
        bwt_complain(complaint, "http_version", "1.1, because this libcurl was built without HTTP/2");
        return BWT_ERR_UNSUPPORTED;
    }
    return new_engine(options, out, complaint);
}

static bool is_inherited(const bwt_engine *engine)
{
    return engine->pid != getpid();
}

void bwt_engine_close(bwt_engine *engine, int64_t timeout_ms)
{
    if (is_inherited(engine)) return;
    int64_t until_ns = bwt_ns_after_ms(bwt_monotonic_ns(), timeout_ms > 0 ? timeout_ms : 0);
    bwt_inbox_close(&engine->inbox);
    pthread_mutex_lock(&engine->mutex);
    while (!engine->ended && bwt_condition_wait(&engine->ended_changed, &engine->mutex, until_ns)) {
    }
    bool join = engine->ended && !engine->joined;
    if (join) engine->joined = true;
    pthread_mutex_unlock(&engine->mutex);
    if (join) pthread_join(engine->thread, NULL); /* it has only to return */
}

void bwt_engine_free(bwt_engine *engine)
{
    if (engine == NULL || is_inherited(engine)) return;
    bwt_engine_close(engine, 0);
    pthread_mutex_lock(&engine->mutex);
    if (!engine->joined) {
        engine->joined = true;
        pthread_detach(engine->thread);
    }
    release_and_unlock(engine);
}

/* ---- feeding ---- */

static bwt_error submit(bwt_engine *engine, bwt_submission *submission, bwt_ticket *ticket)
{
    bwt_error error = bwt_inbox_submit(&engine->inbox, &submission->entry, ticket);
    if (error != BWT_OK) {
        bwt_submission_free(submission);
        return error;
    }
    bwt_count_up(&engine->counters.submitted);
    return BWT_OK;
}

bwt_error bwt_engine_submit_lookup(bwt_engine *engine, const bwt_lookup_request *request, bwt_outbox *outbox,
                                   bwt_ticket *ticket)
{
    if (is_inherited(engine)) return BWT_ERR_CLOSED;
    if (request->validator == NULL) return BWT_ERR_INVALID; /* nobody else could judge on the engine thread */
    bwt_submission *submission;
    bwt_error error = bwt_submission_for_lookup(request, outbox, &submission);
    return error == BWT_OK ? submit(engine, submission, ticket) : error;
}

bwt_error bwt_engine_submit_fetch(bwt_engine *engine, const bwt_fetch_request *request, bwt_outbox *outbox,
                                  bwt_ticket *ticket)
{
    if (is_inherited(engine)) return BWT_ERR_CLOSED;
    if (request->slice_ms < 0) return BWT_ERR_INVALID;
    bwt_submission *submission;
    bwt_error error = bwt_submission_for_fetch(request, outbox, &submission);
    return error == BWT_OK ? submit(engine, submission, ticket) : error;
}

void bwt_engine_cancel(bwt_engine *engine, bwt_ticket ticket)
{
    if (!is_inherited(engine)) bwt_inbox_cancel(&engine->inbox, ticket);
}

void bwt_engine_stats_read(bwt_engine *engine, bwt_engine_stats *out)
{
    *out = (bwt_engine_stats){0};
#define READ_STAT(name, doc) out->name = atomic_load_explicit(&engine->counters.name, memory_order_relaxed);
    BWT_ENGINE_STAT_LIST(READ_STAT)
#undef READ_STAT
    for (size_t i = 0; i < BWT_ATTEMPT_STATUS_END; i++) {
        out->by_status[i] = atomic_load_explicit(&engine->counters.by_status[i], memory_order_relaxed);
    }
    if (!is_inherited(engine)) bwt_name_pool_count(engine->names, &out->resolver_busy, &out->resolver_lost);
    out->native_bytes = bwt_native_bytes();
}
