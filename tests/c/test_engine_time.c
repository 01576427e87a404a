/* The slice holds at every stage: an attempt that is not over by then ends there, never before and hardly after. */
#include <string.h>

#include "net/monotime.h"
#include "support/engines.h"

/* A sanitizer, a busy machine and the first reading of the CA store cost time here; generous on purpose. */
enum { BUDGET_MS = 200, MOST_LATE_MS = 150 };

static void assert_took(const bwt_completion *completion, int64_t submitted_ns, int64_t least_ms, int64_t most_ms)
{
    int64_t took_ns = completion->finished_ns - submitted_ns;
    if (took_ns < least_ms * NS_PER_MS || took_ns > most_ms * NS_PER_MS) {
        fail_msg("took %.3f ms instead of %d to %d", (double)took_ns / 1e6, (int)least_ms, (int)most_ms);
    }
}

static void assert_on_time(const bwt_completion *completion, int64_t submitted_ns)
{
    assert_took(completion, submitted_ns, BUDGET_MS, BUDGET_MS + MOST_LATE_MS);
    assert_int_equal(bwt_receipt_view(completion->receipt)->attempts[0].elapsed_ms, BUDGET_MS);
}

static void expect_timeout(bwt_provider *primary)
{
    bwt_engine *engine = make_engine();
    int64_t submitted_ns = bwt_monotonic_ns();
    bwt_completion *completion = run_lookup(engine, (lookup_setup){.budget_ms = BUDGET_MS, .primary = primary});
    assert_completion(completion, "transport_failed primary:transport_timeout");
    assert_on_time(completion, submitted_ns);
    assert_int_equal(stats_of(engine).timed_out, 1);
    bwt_completion_free(completion);
    end_engine(engine);
}

static void expect_timeout_of(loopback_reply reply)
{
    loopback_server *server = loopback_start_one(reply);
    expect_timeout(make_provider("first", "127.0.0.1", loopback_port(server), false));
    assert_true(loopback_wait_closed(server, 1) >= 0);
    loopback_stop(server);
}

static void silence_after_the_request(void **state)
{
    (void)state;
    expect_timeout_of((loopback_reply){.end = LOOPBACK_STALL});
}

static void silence_inside_the_head(void **state)
{
    (void)state;
    expect_timeout_of(text_reply("HTTP/1.1 200 OK\r\nContent-Le", LOOPBACK_STALL));
}

static void silence_inside_the_body(void **state)
{
    (void)state;
    expect_timeout_of(text_reply("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"resu", LOOPBACK_STALL));
}

static void trickled_head(void **state)
{
    (void)state;
    loopback_reply reply = useful_reply;
    reply.piece_bytes = 1;
    reply.pause_ms = 10;
    expect_timeout_of(reply);
}

static void trickled_body(void **state)
{
    (void)state;
    loopback_reply reply = useful_reply;
    reply.piece_bytes = useful_reply.len / 3 + 1;
    reply.pause_ms = 90; /* the head at 90, more at 180, the last piece too late */
    expect_timeout_of(reply);
}

static void nobody_takes_the_connection(void **state)
{
    (void)state;
    black_hole hole;
    black_hole_open(&hole, "127.0.0.1", 0);
    expect_timeout(make_provider("first", "127.0.0.1", hole.port, false));
    black_hole_close(&hole);
}

/* libcurl closes such a socket without a word; the next one gets its number and must be watched all the same. */
static void the_next_connection_after_one_that_never_stood(void **state)
{
    (void)state;
    black_hole hole;
    black_hole_open(&hole, "127.0.0.1", 0);
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    for (int i = 0; i < 3; i++) {
        lookup_setup setup = {.budget_ms = 60, .primary = make_provider("first", "127.0.0.1", hole.port, false)};
        bwt_completion *completion = run_lookup(engine, setup);
        assert_completion(completion, "transport_failed primary:transport_timeout");
        bwt_completion_free(completion);
    }
    lookup_setup setup = {.primary = make_provider("second", "127.0.0.1", loopback_port(server), false)};
    bwt_completion *completion = run_lookup(engine, setup);
    assert_completion(completion, "useful_result primary:ok_useful");
    bwt_completion_free(completion);
    assert_int_equal(stats_of(engine).connections, 1);
    end_engine(engine);
    loopback_stop(server);
    black_hole_close(&hole);
}

static void silence_in_the_tls_handshake(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one((loopback_reply){.unasked = true, .end = LOOPBACK_STALL});
    expect_timeout(make_provider("first", "https://127.0.0.1", loopback_port(server), false));
    loopback_stop(server);
}

static void each_attempt_has_its_slice_and_both_share_the_budget(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one((loopback_reply){.end = LOOPBACK_STALL});
    bwt_engine *engine = make_engine();
    lookup_setup setup = {.budget_ms = 800,
                          .per_attempt_ms = 500,
                          .primary = make_provider("first", "127.0.0.1", loopback_port(server), false),
                          .fallback = make_provider("second", "127.0.0.1", loopback_port(server), false)};
    int64_t submitted_ns = bwt_monotonic_ns();
    bwt_completion *completion = run_lookup(engine, setup);
    assert_completion(completion, "transport_failed primary:transport_timeout fallback:transport_timeout");
    assert_took(completion, submitted_ns, 799, 800 + MOST_LATE_MS); /* what remains for the fallback is rounded down */
    assert_int_equal(bwt_receipt_view(completion->receipt)->attempts[0].elapsed_ms, 500);
    bwt_completion_free(completion);
    end_engine(engine);
    loopback_stop(server);
}

/* The wait for a place counts: one place, taken by a stalled lookup that outlives the other. */
static void the_queue_is_inside_the_slice(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one((loopback_reply){.end = LOOPBACK_STALL});
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    options.max_in_flight = 1;
    bwt_engine *engine = NULL;
    assert_int_equal(bwt_engine_new(&options, &engine, NULL), BWT_OK);
    bwt_outbox *holding = NULL;
    assert_int_equal(bwt_outbox_new(false, &holding), BWT_OK);
    bwt_provider *first = make_provider("first", "127.0.0.1", loopback_port(server), false);
    bwt_ticket ticket = submit_lookup_to(engine, (lookup_setup){.budget_ms = 4000, .primary = first}, holding);
    assert_true(loopback_wait_requests(server, 1));

    int64_t submitted_ns = bwt_monotonic_ns();
    bwt_provider *second = make_provider("second", "127.0.0.1", loopback_port(server), false);
    bwt_completion *completion = run_lookup(engine, (lookup_setup){.budget_ms = BUDGET_MS, .primary = second});
    assert_completion(completion, "transport_failed primary:transport_timeout");
    assert_on_time(completion, submitted_ns);
    bwt_completion_free(completion);
    assert_int_equal(loopback_requests(server), 1);
    bwt_engine_stats stats = stats_of(engine);
    assert_int_equal(stats.dialled, 1);
    assert_int_equal(stats.in_flight, 1);
    assert_int_equal(stats.queued, 0);

    bwt_engine_cancel(engine, ticket);
    bwt_completion_free(next_completion(holding));
    bwt_outbox_close(holding);
    end_engine(engine);
    loopback_stop(server);
}

static void a_place_is_handed_on(void **state)
{
    (void)state;
    const loopback_reply replies[] = {{.end = LOOPBACK_STALL}, useful_reply};
    loopback_server *server = loopback_start(replies, COUNT_OF(replies));
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    options.max_per_host = 1;
    bwt_engine *engine = NULL;
    assert_int_equal(bwt_engine_new(&options, &engine, NULL), BWT_OK);
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    bwt_provider *first = make_provider("first", "127.0.0.1", loopback_port(server), false);
    submit_lookup_to(engine, (lookup_setup){.budget_ms = BUDGET_MS, .primary = first}, outbox);
    assert_true(loopback_wait_requests(server, 1));
    bwt_provider *second = make_provider("second", "127.0.0.1", loopback_port(server), false);
    submit_lookup_to(engine, (lookup_setup){.budget_ms = 4000, .primary = second}, outbox);

    bwt_completion *completion = next_completion(outbox);
    assert_completion(completion, "transport_failed primary:transport_timeout");
    bwt_completion *after = completion->next != NULL ? completion->next : next_completion(outbox);
    assert_completion(after, "useful_result primary:ok_useful");
    bwt_completion_free(completion);
    bwt_completion_free(after);
    assert_int_equal(loopback_requests(server), 2);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

/* Lateness with nothing else to do: the number that the contract is about. */
static void fifty_timeouts_are_never_early(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one((loopback_reply){.end = LOOPBACK_STALL});
    bwt_engine *engine = make_engine();
    int64_t worst_ns = 0, all_ns = 0;
    for (int i = 0; i < 50; i++) {
        bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
        int64_t submitted_ns = bwt_monotonic_ns();
        bwt_completion *completion = run_lookup(engine, (lookup_setup){.budget_ms = 20, .primary = provider});
        int64_t late_ns = completion->finished_ns - submitted_ns - 20 * NS_PER_MS;
        assert_true(late_ns >= 0);
        assert_completion(completion, "transport_failed primary:transport_timeout");
        bwt_completion_free(completion);
        all_ns += late_ns;
        if (late_ns > worst_ns) worst_ns = late_ns;
    }
    print_message("late by %.3f ms on average, %.3f ms at worst\n", (double)all_ns / 50e6, (double)worst_ns / 1e6);
    assert_true(all_ns / 50 <= 5 * NS_PER_MS);
    end_engine(engine);
    loopback_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(silence_after_the_request),
        resources_checked(silence_inside_the_head),
        resources_checked(silence_inside_the_body),
        resources_checked(trickled_head),
        resources_checked(trickled_body),
        resources_checked(nobody_takes_the_connection),
        resources_checked(the_next_connection_after_one_that_never_stood),
        resources_checked(silence_in_the_tls_handshake),
        resources_checked(each_attempt_has_its_slice_and_both_share_the_budget),
        resources_checked(the_queue_is_inside_the_slice),
        resources_checked(a_place_is_handed_on),
        resources_checked(fifty_timeouts_are_never_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
