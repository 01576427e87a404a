/* Cancelling and closing, from any thread and at any moment: the socket closes at once, nothing more is dialled, an
 * outcome always arrives, nothing stays behind. */
#include <pthread.h>

#include "net/monotime.h"
#include "support/engines.h"

static bwt_outbox *new_outbox(void)
{
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    return outbox;
}

static lookup_setup against(loopback_server *server)
{
    return (lookup_setup){.budget_ms = 4500,
                          .primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
}

static loopback_server *stalled_server(void)
{
    return loopback_start_one((loopback_reply){.end = LOOPBACK_STALL});
}

static void cancel_in_flight_closes_the_socket_and_ends_the_lookup(void **state)
{
    (void)state;
    loopback_server *first = stalled_server(), *second = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    lookup_setup setup = against(first);
    setup.fallback = make_provider("second", "127.0.0.1", loopback_port(second), false);
    bwt_ticket ticket = submit_lookup_to(engine, setup, outbox);
    assert_true(loopback_wait_requests(first, 1));
    int64_t cancelled_ns = bwt_monotonic_ns();
    bwt_engine_cancel(engine, ticket);
    bwt_engine_cancel(engine, ticket); /* twice is once */
    bwt_completion *completion = next_completion(outbox);
    assert_completion(completion, "transport_failed primary:cancelled");
    assert_int_equal(bwt_receipt_view(completion->receipt)->next_action, BWT_NEXT_ACTION_STOP);
    int64_t closed_ns = loopback_wait_closed(first, 1);
    assert_true(closed_ns >= 0 && closed_ns - cancelled_ns < 100 * NS_PER_MS);
    assert_int_equal(loopback_connections(second), 0);
    bwt_engine_stats stats = stats_of(engine);
    assert_int_equal(stats.cancelled, 1);
    assert_int_equal(stats.in_flight, 0);
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(first);
    loopback_stop(second);
}

/* The connection of a cancelled exchange is not kept: the next request goes over a new one. */
static void a_cancelled_connection_is_not_reused(void **state)
{
    (void)state;
    const loopback_reply replies[] = {useful_reply, {.end = LOOPBACK_STALL}, useful_reply};
    loopback_server *server = loopback_start(replies, COUNT_OF(replies));
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    bwt_completion_free(run_lookup(engine, against(server)));
    bwt_ticket ticket = submit_lookup_to(engine, against(server), outbox);
    assert_true(loopback_wait_requests(server, 2));
    assert_int_equal(loopback_connections(server), 1);
    bwt_engine_cancel(engine, ticket);
    bwt_completion_free(next_completion(outbox));
    bwt_completion *completion = run_lookup(engine, against(server));
    assert_completion(completion, "useful_result primary:ok_useful");
    assert_int_equal(loopback_connections(server), 2);
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

static void a_finished_lookup_cannot_be_cancelled(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    bwt_ticket ticket = submit_lookup_to(engine, against(server), outbox);
    bwt_completion *completion = next_completion(outbox);
    bwt_engine_cancel(engine, ticket);
    bwt_engine_cancel(engine, ticket + 1000);
    bwt_engine_cancel(engine, 0);
    assert_completion(completion, "useful_result primary:ok_useful");
    bwt_completion_free(completion);
    completion = run_lookup(engine, against(server));
    assert_completion(completion, "useful_result primary:ok_useful");
    bwt_completion_free(completion);
    assert_int_equal(stats_of(engine).cancelled, 0);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

static void a_cancelled_fetch_is_a_failure(void **state)
{
    (void)state;
    loopback_server *server = stalled_server();
    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    bwt_ticket cancelled, timed_out;
    assert_int_equal(submit_fetch_to(engine, provider, 4000, outbox, &cancelled), BWT_OK);
    bwt_engine_cancel(engine, cancelled);
    bwt_completion *completion = next_completion(outbox);
    assert_null(completion->answer.response);
    assert_int_equal(completion->answer.failure.status, BWT_ATTEMPT_STATUS_CANCELLED);
    bwt_completion_free(completion);
    assert_int_equal(submit_fetch_to(engine, provider, 30, outbox, &timed_out), BWT_OK);
    assert_true(timed_out != cancelled);
    completion = next_completion(outbox);
    assert_int_equal(completion->ticket, timed_out);
    assert_int_equal(completion->answer.failure.status, BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT);
    assert_int_equal(completion->answer.failure.retry_after_ms, -1);
    bwt_completion_free(completion);
    bwt_provider_release(provider);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

/* ---- closing ---- */

static void close_ends_what_is_in_flight(void **state)
{
    (void)state;
    enum { LOOKUPS = 20 };
    loopback_server *server = stalled_server();
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    for (int i = 0; i < LOOKUPS; i++) submit_lookup_to(engine, against(server), outbox);
    assert_true(loopback_wait_requests(server, LOOKUPS / 2));
    int64_t before_ns = bwt_monotonic_ns();
    bwt_engine_close(engine, 2000);
    assert_true(bwt_monotonic_ns() - before_ns < 500 * NS_PER_MS);
    int count = 0;
    for (bwt_completion *completion = bwt_outbox_take(outbox), *next; completion != NULL; completion = next) {
        next = completion->next;
        assert_completion(completion, "transport_failed primary:cancelled");
        bwt_completion_free(completion);
        count++;
    }
    assert_int_equal(count, LOOKUPS);
    bwt_engine_stats stats = stats_of(engine); /* still readable */
    assert_int_equal(stats.completed, LOOKUPS);
    assert_int_equal(stats.connections, 0);
    bwt_engine_close(engine, 2000);

    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    bwt_ticket ticket = 77;
    assert_int_equal(submit_fetch_to(engine, provider, 100, outbox, &ticket), BWT_ERR_CLOSED);
    assert_int_equal(ticket, 77);
    bwt_provider_release(provider);
    bwt_engine_free(engine);
    bwt_outbox_close(outbox);
    loopback_stop(server);
}

static void free_without_close_waits_for_nothing(void **state)
{
    (void)state;
    loopback_server *server = stalled_server();
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    submit_lookup_to(engine, against(server), outbox);
    assert_true(loopback_wait_requests(server, 1));
    bwt_engine_free(engine);
    bwt_completion *completion = next_completion(outbox);
    assert_completion(completion, "transport_failed primary:cancelled");
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    assert_true(loopback_wait_closed(server, 1) >= 0);
    loopback_stop(server);
}

static void a_consumer_may_leave_before_its_completions(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    for (int i = 0; i < 20; i++) {
        bwt_outbox *outbox = new_outbox();
        submit_lookup_to(engine, against(server), outbox);
        bwt_outbox_close(outbox);
    }
    end_engine(engine);
    loopback_stop(server);
}

/* ---- many threads at once ---- */

typedef struct crowd {
    bwt_engine *engine;
    bwt_provider *provider;
    bwt_outbox *outbox;
    int accepted;
} crowd;

static void *submit_and_cancel(void *argument)
{
    crowd *self = argument;
    for (int i = 0; i < 100; i++) {
        bwt_ticket ticket;
        bwt_error error =
            submit_fetch_to(self->engine, self->provider, 2000, self->outbox, &ticket);
        if (error == BWT_ERR_CLOSED) break;
        if (error == BWT_OK) self->accepted++;
        if (i % 2 == 0) bwt_engine_cancel(self->engine, ticket);
        bwt_engine_stats stats;
        if (i % 10 == 0) bwt_engine_stats_read(self->engine, &stats);
    }
    return NULL;
}

static void *close_soon(void *argument)
{
    bwt_engine *engine = argument;
    bwt_engine_stats stats;
    do bwt_engine_stats_read(engine, &stats);
    while (stats.submitted < 100);
    bwt_engine_close(engine, 5000);
    return NULL;
}

static int drain(bwt_outbox *outbox)
{
    int count = 0;
    for (bwt_completion *completion = bwt_outbox_take(outbox), *next; completion != NULL; completion = next) {
        next = completion->next;
        bwt_completion_free(completion);
        count++;
    }
    return count;
}

static void everything_at_once(void **state)
{
    (void)state;
    enum { SUBMITTERS = 4, CLOSERS = 2 };
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    crowd crowds[SUBMITTERS];
    pthread_t threads[SUBMITTERS + CLOSERS];
    for (int i = 0; i < SUBMITTERS; i++) {
        crowds[i] = (crowd){.engine = engine, .provider = provider, .outbox = new_outbox()};
        assert_int_equal(pthread_create(&threads[i], NULL, submit_and_cancel, &crowds[i]), 0);
    }
    for (int i = SUBMITTERS; i < SUBMITTERS + CLOSERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, close_soon, engine), 0);
    }
    for (int i = 0; i < SUBMITTERS + CLOSERS; i++) pthread_join(threads[i], NULL);
    bwt_engine_free(engine);
    for (int i = 0; i < SUBMITTERS; i++) {
        assert_int_equal(drain(crowds[i].outbox), crowds[i].accepted); /* each accepted one has its outcome */
        bwt_outbox_close(crowds[i].outbox);
    }
    bwt_provider_release(provider);
    loopback_stop(server);
}

static void a_thousand_cancels_leave_nothing(void **state)
{
    (void)state;
    loopback_server *server = stalled_server();
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = new_outbox();
    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    for (int i = 0; i < 1000; i++) {
        bwt_ticket ticket;
        assert_int_equal(submit_fetch_to(engine, provider, 4000, outbox, &ticket), BWT_OK);
        bwt_engine_cancel(engine, ticket);
        bwt_completion *completion = next_completion(outbox);
        assert_int_equal(completion->answer.failure.status, BWT_ATTEMPT_STATUS_CANCELLED);
        bwt_completion_free(completion);
    }
    bwt_provider_release(provider);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(cancel_in_flight_closes_the_socket_and_ends_the_lookup),
        resources_checked(a_cancelled_connection_is_not_reused),
        resources_checked(a_finished_lookup_cannot_be_cancelled),
        resources_checked(a_cancelled_fetch_is_a_failure),
        resources_checked(close_ends_what_is_in_flight),
        resources_checked(free_without_close_waits_for_nothing),
        resources_checked(a_consumer_may_leave_before_its_completions),
        resources_checked(everything_at_once),
        resources_checked(a_thousand_cancels_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
