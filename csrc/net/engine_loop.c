/* One turn: wait, then deadlines, sockets, libcurl's timer, the inbox, the queue, cleaning. Every part takes a bounded
 * share of a turn and deadlines are looked at between the events, so that no crowd delays them. */
#include "net/engine_loop.h"

#include "net/monotime.h"

enum { SHARE_OF_TURN = 64 };

static bwt_submission *submission_of_exchange(bwt_exchange *exchange)
{
    return BWT_HOLDER(exchange, bwt_submission, exchange);
}

bwt_error bwt_engine_loop_init(bwt_engine_loop *loop, const bwt_settings *settings, bwt_inbox *inbox, bwt_wakefd *wake,
                               bwt_counters *counters, bwt_name_pool *names)
{
    *loop = (bwt_engine_loop){.wake = wake, .names = names};
    loop->lookups.inbox = inbox;
    loop->lookups.counters = counters;
    bwt_link_init(&loop->lookups.live);
    bwt_link_init(&loop->arrivals);
    bwt_link_init(&loop->resolved);
    bwt_error error = bwt_poller_new(&loop->poller);
    if (error == BWT_OK) error = bwt_poller_want(loop->poller, wake->fd, BWT_POLL_IN);
    if (error == BWT_OK) {
        error = bwt_exchange_world_init(&loop->lookups.exchanges, settings, counters, names, loop->poller);
    }
    if (error != BWT_OK) bwt_engine_loop_deinit(loop);
    return error;
}

void bwt_engine_loop_deinit(bwt_engine_loop *loop)
{
    bwt_exchange_world_deinit(&loop->lookups.exchanges);
    bwt_poller_free(loop->poller); /* after libcurl, which closes its sockets through it */
    loop->poller = NULL;
}

/* ---- the parts of a turn; each returns true when it has more to do ---- */

static bool run_deadlines(bwt_engine_loop *loop)
{
    bwt_deadlines *deadlines = &loop->lookups.exchanges.deadlines;
    for (int i = 0; i < SHARE_OF_TURN; i++) {
        bwt_deadline *due = bwt_deadlines_pop_due(deadlines, bwt_monotonic_ns());
        if (due == NULL) return false;
        bwt_exchange *exchange = BWT_HOLDER(due, bwt_exchange, deadline);
        bwt_lookup_on_deadline(&loop->lookups, submission_of_exchange(exchange));
    }
    return true;
}

/* Tells the owners of the transfers that libcurl has finished. */
static void finish_transfers(bwt_engine_loop *loop)
{
    CURLcode code;
    bwt_transfer *transfer;
    while ((transfer = bwt_multi_next_done(&loop->lookups.exchanges.multi, &code)) != NULL) {
        bwt_exchange *exchange = transfer->owner;
        if (exchange != NULL) bwt_lookup_on_done(&loop->lookups, submission_of_exchange(exchange), code);
    }
}

static void run_events(bwt_engine_loop *loop, const bwt_poll_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (events[i].fd == loop->wake->fd) {
            loop->woken = true;
            continue;
        }
        bwt_multi_on_ready(&loop->lookups.exchanges.multi, events[i].fd, events[i].ready);
        finish_transfers(loop);
        run_deadlines(loop);
    }
}

static void read_inbox(bwt_engine_loop *loop)
{
    bwt_link cancellations, *link;
    bwt_link_init(&cancellations);
    bwt_wakefd_drain(loop->wake); /* before the look, so that what comes after it wakes again */
    bwt_inbox_take(loop->lookups.inbox, &loop->arrivals, &cancellations, &loop->closing);
    bwt_resolver_collect(&loop->lookups.exchanges.resolver, bwt_monotonic_ns(), &loop->resolved);
    while ((link = bwt_list_pop(&cancellations)) != NULL) {
        bwt_inbox_entry *entry = BWT_HOLDER(link, bwt_inbox_entry, cancellation);
        bwt_link_remove(&entry->arrival);
        bwt_lookup_cancel(&loop->lookups, BWT_HOLDER(entry, bwt_submission, entry));
        run_deadlines(loop);
    }
}

static bool begin_arrivals(bwt_engine_loop *loop)
{
    for (int i = 0; i < SHARE_OF_TURN; i++) {
        bwt_link *link = bwt_list_pop(&loop->arrivals);
        if (link == NULL) return false;
        bwt_inbox_entry *entry = BWT_HOLDER(link, bwt_inbox_entry, arrival);
        bwt_lookup_begin(&loop->lookups, BWT_HOLDER(entry, bwt_submission, entry));
    }
    return !bwt_list_is_empty(&loop->arrivals);
}

static bool grant_turns(bwt_engine_loop *loop)
{
    for (int i = 0; i < SHARE_OF_TURN; i++) {
        bwt_turn *turn = bwt_pacing_next(&loop->lookups.exchanges.pacing, bwt_monotonic_ns());
        if (turn == NULL) return false;
        bwt_lookup_on_turn(&loop->lookups, submission_of_exchange(BWT_HOLDER(turn, bwt_exchange, turn)));
    }
    return true;
}

static bool tell_resolved(bwt_engine_loop *loop)
{
    for (int i = 0; i < SHARE_OF_TURN; i++) {
        bwt_link *link = bwt_list_pop(&loop->resolved);
        if (link == NULL) return false;
        bwt_lookup_on_name(&loop->lookups, submission_of_exchange(BWT_HOLDER(link, bwt_exchange, resolving)));
    }
    return !bwt_list_is_empty(&loop->resolved);
}

static bool grant_places(bwt_engine_loop *loop)
{
    for (int i = 0; i < SHARE_OF_TURN; i++) {
        bwt_place *place = bwt_admission_next(&loop->lookups.exchanges.admission);
        if (place == NULL) return false;
        bwt_lookup_on_place(&loop->lookups, submission_of_exchange(BWT_HOLDER(place, bwt_exchange, place)));
    }
    return true;
}

static int64_t next_time_ns(const bwt_engine_loop *loop, bool more)
{
    if (more) return 0;
    const bwt_exchange_world *exchanges = &loop->lookups.exchanges;
    int64_t first_ns = bwt_deadlines_first_ns(&exchanges->deadlines);
    int64_t turn_ns = bwt_pacing_next_ns(&exchanges->pacing);
    if (turn_ns < first_ns) first_ns = turn_ns;
    return exchanges->multi.due_ns < first_ns ? exchanges->multi.due_ns : first_ns;
}

/* Returns when the next turn must begin at the latest. */
static int64_t take_turn(bwt_engine_loop *loop, const bwt_poll_event *events, size_t count)
{
    int64_t began_ns = bwt_monotonic_ns();
    bool late = run_deadlines(loop);
    bool more = late;
    run_events(loop, events, count);
    if (loop->woken) {
        loop->woken = false;
        read_inbox(loop);
    }
    more |= tell_resolved(loop);
    more |= begin_arrivals(loop);
    more |= grant_turns(loop);
    bwt_exchange_world_clean(&loop->lookups.exchanges, SHARE_OF_TURN); /* a place is free when its socket is closed */
    if (!late) more |= grant_places(loop); /* nobody dials whose time is over */
    bwt_multi_on_time(&loop->lookups.exchanges.multi, bwt_monotonic_ns());
    finish_transfers(loop);
    more |= run_deadlines(loop);
    more |= !bwt_exchange_world_clean(&loop->lookups.exchanges, SHARE_OF_TURN);
    bwt_count_longest(&loop->lookups.counters->longest_step_ns, (uint64_t)(bwt_monotonic_ns() - began_ns));
    return next_time_ns(loop, more);
}

static void cancel_everything(bwt_engine_loop *loop)
{
    bwt_link *link;
    while ((link = bwt_list_pop(&loop->arrivals)) != NULL) {
        bwt_inbox_entry *entry = BWT_HOLDER(link, bwt_inbox_entry, arrival);
        bwt_lookup_cancel(&loop->lookups, BWT_HOLDER(entry, bwt_submission, entry));
    }
    while ((link = bwt_list_first(&loop->lookups.live)) != NULL) {
        bwt_lookup_cancel(&loop->lookups, BWT_HOLDER(link, bwt_submission, live));
    }
}

void bwt_engine_loop_run(bwt_engine_loop *loop)
{
    bwt_poll_event events[SHARE_OF_TURN];
    int64_t until_ns = INT64_MAX;
    while (!loop->closing) {
        size_t count = bwt_poller_wait(loop->poller, until_ns, events, SHARE_OF_TURN);
        until_ns = take_turn(loop, events, count);
    }
    cancel_everything(loop);
}
