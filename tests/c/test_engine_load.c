/* Many lookups at once, and lookups without memory: every one has its outcome, nothing stays behind. */
#include <poll.h>
#include <string.h>

#include "net/monotime.h"
#include "support/engines.h"

/* Takes completions through the descriptor, as an event loop does. */
static int drain_through_fd(bwt_outbox *outbox, int expected, const char *outcome)
{
    int count = 0;
    while (count < expected) {
        struct pollfd waiting = {.fd = bwt_outbox_fd(outbox), .events = POLLIN};
        assert_int_equal(poll(&waiting, 1, 20000), 1);
        for (bwt_completion *completion = bwt_outbox_take(outbox), *next; completion != NULL; completion = next) {
            next = completion->next;
            assert_completion(completion, outcome);
            bwt_completion_free(completion);
            count++;
        }
    }
    return count;
}

static void five_hundred_lookups_at_once(void **state)
{
    (void)state;
    enum { LOOKUPS = 500, PER_HOST = 64 };
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    options.max_per_host = PER_HOST;
    bwt_engine *engine = NULL;
    assert_int_equal(bwt_engine_new(&options, &engine, NULL), BWT_OK);
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(true, &outbox), BWT_OK);
    for (int i = 0; i < LOOKUPS; i++) {
        lookup_setup setup = {.budget_ms = 20000,
                              .primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
        submit_lookup_to(engine, setup, outbox);
    }
    assert_int_equal(drain_through_fd(outbox, LOOKUPS, "useful_result primary:ok_useful"), LOOKUPS);
    assert_true(loopback_connections(server) <= PER_HOST);
    assert_int_equal(loopback_requests(server), LOOKUPS);
    bwt_engine_stats stats = stats_of(engine);
    assert_int_equal(stats.dialled, LOOKUPS);
    assert_int_equal(stats.reused, LOOKUPS - loopback_connections(server));
    assert_int_equal(stats.in_flight, 0);
    assert_int_equal(stats.queued, 0);
    print_message("longest turn %.3f ms\n", (double)stats.longest_step_ns / 1e6);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

static void five_hundred_stalled_lookups_end_together(void **state)
{
    (void)state;
    enum { LOOKUPS = 500, BUDGET_MS = 1000 };
    loopback_server *server = loopback_start_one((loopback_reply){.end = LOOPBACK_STALL});
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(true, &outbox), BWT_OK);
    for (int i = 0; i < LOOKUPS; i++) {
        lookup_setup setup = {.budget_ms = BUDGET_MS,
                              .primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
        submit_lookup_to(engine, setup, outbox);
    }
    int64_t submitted_ns = bwt_monotonic_ns();
    assert_int_equal(drain_through_fd(outbox, LOOKUPS, "transport_failed primary:transport_timeout"), LOOKUPS);
    int64_t late_ns = bwt_monotonic_ns() - submitted_ns - BUDGET_MS * NS_PER_MS;
    print_message("the last came %.3f ms after its deadline at most\n", (double)late_ns / 1e6);
    assert_true(late_ns < 250 * NS_PER_MS);
    assert_int_equal(stats_of(engine).timed_out, LOOKUPS);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

static void consecutive_engines_share_nothing(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    for (int i = 0; i < 20; i++) {
        lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
        assert_lookup(setup, "useful_result primary:ok_useful");
    }
    assert_int_equal(loopback_connections(server), 20);
    loopback_stop(server);
}

/* ---- without memory ---- */

/* One lookup while the n-th allocation and all after it fail. True when nothing failed any more. */
static bool lookup_without_memory(bwt_engine *engine, int port, size_t n)
{
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    bwt_policy policy;
    bwt_policy_init(&policy);
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_lookup_request request = {.policy = &policy,
                                  .query = BWT_STR("narwhal tusk"),
                                  .primary = make_provider("first", "127.0.0.1", port, false),
                                  .fallback = make_provider("second", "127.0.0.1", port, false),
                                  .validator = validator};
    bwt_ticket ticket;
    bwt_mem_fail_from(n);
    bwt_error error = bwt_engine_submit_lookup(engine, &request, outbox, &ticket);
    bwt_completion *completion = NULL;
    if (error == BWT_OK) completion = next_completion(outbox);
    bwt_mem_fail_from(0);
    assert_true(error == BWT_OK || error == BWT_ERR_NO_MEMORY);
    bool useful = false;
    if (completion != NULL && completion->receipt != NULL) {
        const bwt_receipt_fields *fields = bwt_receipt_view(completion->receipt);
        useful = fields->outcome == BWT_OUTCOME_USEFUL_RESULT && fields->attempt_count == 1;
    }
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    bwt_provider_release(request.primary);
    bwt_provider_release(request.fallback);
    bwt_validator_release(validator);
    return useful;
}

static void an_outcome_arrives_whatever_allocation_fails(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    size_t n = 1;
    for (bool useful = false; !useful && n < 1000; n++) {
        bwt_engine *engine = make_engine();
        useful = lookup_without_memory(engine, loopback_port(server), n);
        end_engine(engine);
    }
    assert_in_range(n, 20, 999); /* it did fail at many places, and in the end it did not */
    loopback_stop(server);
}

static bwt_error make_and_end(void *context)
{
    (void)context;
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    options.ca_bundle = BWT_STR("/nowhere/ca.pem");
    bwt_engine *engine = NULL;
    bwt_error error = bwt_engine_new(&options, &engine, NULL);
    bwt_mem_fail_from(0);
    if (error == BWT_OK) end_engine(engine);
    return error;
}

static void an_engine_without_memory_is_an_error(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(make_and_end, NULL) >= 4);
}

static void options_out_of_range_are_named(void **state)
{
    (void)state;
    const struct {
        bwt_engine_options options;
        const char *field;
    } rows[] = {
        {{.max_in_flight = 0, .max_per_host = 1, .resolver_threads = 1}, "max_in_flight"},
        {{.max_in_flight = 1, .max_per_host = -1, .resolver_threads = 1}, "max_per_host"},
        {{.max_in_flight = 1, .max_per_host = 1, .resolver_threads = 65}, "resolver_threads"},
        {{.max_in_flight = 1, .max_per_host = 1, .resolver_threads = 1, .proxy = BWT_STR("a\0b")}, "proxy"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bwt_engine *engine = NULL;
        bwt_complaint complaint = {0};
        assert_int_equal(bwt_engine_new(&rows[i].options, &engine, &complaint), BWT_ERR_INVALID);
        assert_string_equal(complaint.field, rows[i].field);
        assert_null(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(five_hundred_lookups_at_once),
        resources_checked(five_hundred_stalled_lookups_end_together),
        resources_checked(consecutive_engines_share_nothing),
        resources_checked(an_outcome_arrives_whatever_allocation_fails),
        resources_checked(an_engine_without_memory_is_an_error),
        resources_checked(options_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
