/* Completions waiting for one consumer: mutex, list, and a descriptor written only when no wake-up is pending. */
#include "net/outbox.h"

#include <pthread.h>

#include "core/mem.h"
#include "net/monotime.h"
#include "net/wakefd.h"

struct bwt_outbox {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    bwt_wakefd wake;
    bool wake_pending;
    bool closed;
    size_t references;
    bwt_completion *oldest;
    bwt_completion *newest;
};

void bwt_completion_free(bwt_completion *completion)
{
    if (completion == NULL) return;
    bwt_receipt_free(completion->receipt);
    bwt_answer_clear(&completion->answer);
    bwt_free(completion);
}

static bwt_error open_parts(bwt_outbox *outbox, bool with_fd)
{
    bwt_error error = bwt_condition_init(&outbox->filled);
    if (error != BWT_OK) return error;
    if (pthread_mutex_init(&outbox->mutex, NULL) != 0) {
        pthread_cond_destroy(&outbox->filled);
        return BWT_ERR_SYSTEM;
    }
    if (with_fd && bwt_wakefd_open(&outbox->wake) != BWT_OK) {
        pthread_mutex_destroy(&outbox->mutex);
        pthread_cond_destroy(&outbox->filled);
        return BWT_ERR_SYSTEM;
    }
    return BWT_OK;
}

bwt_error bwt_outbox_new(bool with_fd, bwt_outbox **out)
{
    bwt_outbox *outbox = bwt_alloc_zeroed(1, sizeof *outbox);
    if (outbox == NULL) return BWT_ERR_NO_MEMORY;
    outbox->wake.fd = -1;
    outbox->references = 1;
    bwt_error error = open_parts(outbox, with_fd);
    if (error != BWT_OK) {
        bwt_free(outbox);
        return error;
    }
    *out = outbox;
    return BWT_OK;
}

int bwt_outbox_fd(const bwt_outbox *outbox)
{
    return outbox->wake.fd;
}

static void free_chain(bwt_completion *completion)
{
    while (completion != NULL) {
        bwt_completion *next = completion->next;
        bwt_completion_free(completion);
        completion = next;
    }
}

bwt_outbox *bwt_outbox_retain(bwt_outbox *outbox)
{
    pthread_mutex_lock(&outbox->mutex);
    outbox->references++;
    pthread_mutex_unlock(&outbox->mutex);
    return outbox;
}

void bwt_outbox_release(bwt_outbox *outbox)
{
    pthread_mutex_lock(&outbox->mutex);
    bool last = --outbox->references == 0;
    pthread_mutex_unlock(&outbox->mutex);
    if (!last) return;
    free_chain(outbox->oldest);
    bwt_wakefd_close(&outbox->wake);
    pthread_cond_destroy(&outbox->filled);
    pthread_mutex_destroy(&outbox->mutex);
    bwt_free(outbox);
}

/* The descriptor is written with the mutex held: a consumer that takes in between finds it readable or not at all. */
void bwt_outbox_push(bwt_outbox *outbox, bwt_completion *completion)
{
    completion->next = NULL;
    pthread_mutex_lock(&outbox->mutex);
    bool wanted = !outbox->closed;
    if (wanted) {
        if (outbox->newest != NULL) {
            outbox->newest->next = completion;
        } else {
            outbox->oldest = completion;
            pthread_cond_broadcast(&outbox->filled);
        }
        outbox->newest = completion;
        if (outbox->wake.fd >= 0 && !outbox->wake_pending) {
            outbox->wake_pending = true;
            bwt_wakefd_signal(&outbox->wake);
        }
    }
    pthread_mutex_unlock(&outbox->mutex);
    if (!wanted) bwt_completion_free(completion);
}

static bwt_completion *take_locked(bwt_outbox *outbox)
{
    bwt_completion *all = outbox->oldest;
    outbox->oldest = outbox->newest = NULL;
    if (outbox->wake_pending) {
        outbox->wake_pending = false;
        bwt_wakefd_drain(&outbox->wake);
    }
    return all;
}

bwt_completion *bwt_outbox_take(bwt_outbox *outbox)
{
    pthread_mutex_lock(&outbox->mutex);
    bwt_completion *all = take_locked(outbox);
    pthread_mutex_unlock(&outbox->mutex);
    return all;
}

bool bwt_outbox_wait(bwt_outbox *outbox, int64_t timeout_ns)
{
    int64_t until_ns;
    if (timeout_ns < 0) timeout_ns = 0;
    if (__builtin_add_overflow(bwt_monotonic_ns(), timeout_ns, &until_ns)) until_ns = INT64_MAX;
    pthread_mutex_lock(&outbox->mutex);
    while (outbox->oldest == NULL && bwt_condition_wait(&outbox->filled, &outbox->mutex, until_ns)) {
    }
    bool filled = outbox->oldest != NULL;
    pthread_mutex_unlock(&outbox->mutex);
    return filled;
}

void bwt_outbox_close(bwt_outbox *outbox)
{
    if (outbox == NULL) return;
    pthread_mutex_lock(&outbox->mutex);
    outbox->closed = true;
    bwt_completion *unwanted = take_locked(outbox);
    pthread_mutex_unlock(&outbox->mutex);
    free_chain(unwanted);
    bwt_outbox_release(outbox);
}
