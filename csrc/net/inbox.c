/* Every field is guarded by the mutex; the links of an entry too, until the engine thread has taken them. */
#include "net/inbox.h"

bwt_error bwt_inbox_init(bwt_inbox *inbox, bwt_wakefd *wake)
{
    inbox->wake = wake;
    inbox->wake_pending = false;
    inbox->closed = false;
    inbox->last_ticket = 0;
    bwt_link_init(&inbox->arrivals);
    bwt_link_init(&inbox->cancellations);
    for (size_t i = 0; i < BWT_INBOX_BUCKETS; i++) bwt_link_init(&inbox->tickets[i]);
    return pthread_mutex_init(&inbox->mutex, NULL) == 0 ? BWT_OK : BWT_ERR_SYSTEM;
}

void bwt_inbox_deinit(bwt_inbox *inbox)
{
    pthread_mutex_destroy(&inbox->mutex);
}

static void wake_locked(bwt_inbox *inbox)
{
    if (inbox->wake_pending) return;
    inbox->wake_pending = true;
    bwt_wakefd_signal(inbox->wake);
}

static bwt_link *bucket_of(bwt_inbox *inbox, bwt_ticket ticket)
{
    return &inbox->tickets[ticket % BWT_INBOX_BUCKETS];
}

bwt_error bwt_inbox_submit(bwt_inbox *inbox, bwt_inbox_entry *entry, bwt_ticket *ticket)
{
    bwt_error error = BWT_ERR_CLOSED;
    pthread_mutex_lock(&inbox->mutex);
    if (!inbox->closed) {
        entry->ticket = *ticket = ++inbox->last_ticket;
        entry->cancel_requested = false;
        bwt_link_init(&entry->cancellation);
        bwt_link_init(&entry->arrival);
        bwt_link_init(&entry->by_ticket);
        bwt_list_append(&inbox->arrivals, &entry->arrival);
        bwt_list_append(bucket_of(inbox, entry->ticket), &entry->by_ticket);
        wake_locked(inbox);
        error = BWT_OK;
    }
    pthread_mutex_unlock(&inbox->mutex);
    return error;
}

static bwt_inbox_entry *find_locked(bwt_inbox *inbox, bwt_ticket ticket)
{
    bwt_link *bucket = bucket_of(inbox, ticket);
    for (bwt_link *link = bucket->next; link != bucket; link = link->next) {
        bwt_inbox_entry *entry = BWT_HOLDER(link, bwt_inbox_entry, by_ticket);
        if (entry->ticket == ticket) return entry;
    }
    return NULL;
}

void bwt_inbox_cancel(bwt_inbox *inbox, bwt_ticket ticket)
{
    pthread_mutex_lock(&inbox->mutex);
    bwt_inbox_entry *entry = find_locked(inbox, ticket);
    if (entry != NULL && !entry->cancel_requested) {
        entry->cancel_requested = true;
        bwt_list_append(&inbox->cancellations, &entry->cancellation);
        wake_locked(inbox);
    }
    pthread_mutex_unlock(&inbox->mutex);
}

void bwt_inbox_close(bwt_inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->closed = true;
    wake_locked(inbox);
    pthread_mutex_unlock(&inbox->mutex);
}

void bwt_inbox_take(bwt_inbox *inbox, bwt_link *arrivals, bwt_link *cancellations, bool *closed)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->wake_pending = false;
    bwt_list_append_all(arrivals, &inbox->arrivals);
    bwt_list_append_all(cancellations, &inbox->cancellations);
    *closed = inbox->closed;
    pthread_mutex_unlock(&inbox->mutex);
}

void bwt_inbox_forget(bwt_inbox *inbox, bwt_inbox_entry *entry)
{
    pthread_mutex_lock(&inbox->mutex);
    bwt_link_remove(&entry->arrival);
    bwt_link_remove(&entry->cancellation);
    bwt_link_remove(&entry->by_ticket);
    pthread_mutex_unlock(&inbox->mutex);
}
