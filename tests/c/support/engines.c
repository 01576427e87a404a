/* Fixtures and the resource gate of the engine's tests. */
#include "support/engines.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/monotime.h"

#define HIT_JSON                                                                                                       \
    "{\"results\":[{\"title\":\"Narwhal\",\"url\":\"https://example.org/narwhal\",\"snippet\":"                        \
    "\"The narwhal tusk is a long spiral tooth that senses the water around it.\"}]}"

const loopback_reply useful_reply = {
    .data = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 154\r\n\r\n" HIT_JSON,
    .len = sizeof "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 154\r\n\r\n" HIT_JSON - 1,
};
_Static_assert(sizeof HIT_JSON - 1 == 154, "the length that the header says");

loopback_reply text_reply(const char *text, loopback_end end)
{
    return (loopback_reply){.data = text, .len = strlen(text), .end = end};
}

/* ---- engines and providers ---- */

bwt_engine *make_engine(void)
{
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    bwt_engine *engine = NULL;
    assert_int_equal(bwt_engine_new(&options, &engine, NULL), BWT_OK);
    return engine;
}

void end_engine(bwt_engine *engine)
{
    bwt_engine_close(engine, 5000);
    bwt_engine_free(engine);
}

static const char get_spec[] =
    "{\"name\":\"test\",\"request\":{\"base_url\":\"http://127.0.0.1:1\",\"path\":\"/search\","
    "\"params\":{\"q\":\"{query}\"}},"
    "\"answer\":{\"hits\":\"results\",\"title\":\"title\",\"url\":\"url\",\"snippet\":\"snippet\"}}";
static const char post_spec[] =
    "{\"name\":\"test\",\"request\":{\"method\":\"POST\",\"base_url\":\"http://127.0.0.1:1\",\"path\":\"/search\","
    "\"body\":{\"q\":\"{query}\"}},"
    "\"answer\":{\"hits\":\"results\",\"title\":\"title\",\"url\":\"url\",\"snippet\":\"snippet\"}}";

bwt_provider *make_provider(const char *name, const char *host, int port, bool post)
{
    char base_url[300];
    snprintf(base_url, sizeof base_url, "%s%s:%d", strstr(host, "://") != NULL ? "" : "http://", host, port);
    bwt_provider_overrides overrides = {.name = {name, strlen(name)}, .base_url = {base_url, strlen(base_url)}};
    bwt_str spec = post ? (bwt_str){post_spec, sizeof post_spec - 1} : (bwt_str){get_spec, sizeof get_spec - 1};
    bwt_provider *provider = NULL;
    bwt_complaint complaint = {0};
    if (bwt_provider_compile(spec, &overrides, &provider, &complaint) != BWT_OK) {
        fail_msg("provider: %s must be %s", complaint.field, complaint.expected);
    }
    return provider;
}

/* ---- lookups ---- */

bwt_ticket submit_lookup_to(bwt_engine *engine, lookup_setup setup, bwt_outbox *outbox)
{
    bwt_policy policy;
    bwt_policy_init(&policy);
    if (setup.budget_ms > 0) policy.budget_ms = setup.budget_ms;
    policy.per_attempt_ms = setup.per_attempt_ms > 0 ? setup.per_attempt_ms : policy.budget_ms;
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_lookup_request request = {.policy = &policy,
                                  .query = BWT_STR("narwhal tusk"),
                                  .primary = setup.primary,
                                  .fallback = setup.fallback,
                                  .validator = validator};
    bwt_ticket ticket = 0;
    assert_int_equal(bwt_engine_submit_lookup(engine, &request, outbox, &ticket), BWT_OK);
    assert_true(ticket != 0);
    bwt_validator_release(validator);
    bwt_provider_release(setup.primary);
    if (setup.fallback != NULL) bwt_provider_release(setup.fallback);
    return ticket;
}

bwt_completion *next_completion(bwt_outbox *outbox)
{
    if (!bwt_outbox_wait(outbox, 5000 * NS_PER_MS)) fail_msg("no completion within five seconds");
    bwt_completion *completion = bwt_outbox_take(outbox);
    assert_non_null(completion);
    return completion;
}

bwt_error submit_fetch_to(bwt_engine *engine, bwt_provider *provider, int64_t slice_ms, bwt_outbox *outbox,
                          bwt_ticket *ticket)
{
    bwt_fetch_request request = {
        .provider = provider, .query = BWT_STR("narwhal"), .max_results = 5, .slice_ms = slice_ms, .least_ms = 1};
    return bwt_engine_submit_fetch(engine, &request, outbox, ticket);
}

bwt_completion *run_lookup(bwt_engine *engine, lookup_setup setup)
{
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    submit_lookup_to(engine, setup, outbox);
    bwt_completion *completion = next_completion(outbox);
    assert_null(completion->next);
    bwt_outbox_close(outbox);
    return completion;
}

static void describe(const bwt_attempt *attempt, char *out, size_t size)
{
    const char *detail = bwt_vocab_wire(BWT_VOCAB_FAILURE_DETAIL, attempt->failure_detail);
    const char *reason = bwt_vocab_wire(BWT_VOCAB_NOT_USEFUL_REASON, attempt->not_useful_reason);
    snprintf(out, size, " %s:%s%s%s%s%s", bwt_vocab_wire(BWT_VOCAB_ATTEMPT_ROLE, attempt->role),
             bwt_vocab_wire(BWT_VOCAB_ATTEMPT_STATUS, attempt->status), detail != NULL ? "/" : "",
             detail != NULL ? detail : "", reason != NULL ? "/" : "", reason != NULL ? reason : "");
}

void assert_completion(const bwt_completion *completion, const char *expected)
{
    char actual[400];
    assert_non_null(completion->receipt);
    const bwt_receipt_fields *fields = bwt_receipt_view(completion->receipt);
    snprintf(actual, sizeof actual, "%s", bwt_vocab_wire(BWT_VOCAB_OUTCOME, fields->outcome));
    for (size_t i = 0; i < fields->attempt_count; i++) {
        size_t len = strlen(actual);
        describe(&fields->attempts[i], actual + len, sizeof actual - len);
    }
    assert_string_equal(actual, expected);
}

void assert_lookup(lookup_setup setup, const char *expected)
{
    bwt_engine *engine = make_engine();
    bwt_completion *completion = run_lookup(engine, setup);
    end_engine(engine);
    assert_completion(completion, expected);
    bwt_completion_free(completion);
}

bwt_engine_stats stats_of(bwt_engine *engine)
{
    bwt_engine_stats stats;
    bwt_engine_stats_read(engine, &stats);
    return stats;
}

/* ---- the resource gate ---- */

typedef struct resources {
    size_t native_bytes;
    int descriptors;
    int threads;
} resources;

static int count_entries(const char *directory)
{
    DIR *open = opendir(directory);
    if (open == NULL) return -1;
    int count = 0;
    while (readdir(open) != NULL) count++;
    closedir(open);
    return count;
}

static resources now_in_use(void)
{
    return (resources){bwt_native_bytes(), count_entries("/proc/self/fd"), count_entries("/proc/self/task")};
}

int remember_resources(void **state)
{
    end_engine(make_engine()); /* what libraries open once a process does not count */
    resources *before = malloc(sizeof *before);
    if (before == NULL) return -1;
    *before = now_in_use();
    *state = before;
    return 0;
}

int expect_resources(void **state)
{
    resources before = *(resources *)*state;
    free(*state);
    int64_t until_ns = bwt_monotonic_ns() + 2000 * NS_PER_MS;
    for (;;) {
        resources after = now_in_use();
        bool same = after.native_bytes == before.native_bytes && after.descriptors == before.descriptors &&
                    after.threads == before.threads;
        if (same) return 0;
        if (bwt_monotonic_ns() > until_ns) {
            print_error("leak: bytes %zu -> %zu, descriptors %d -> %d, threads %d -> %d\n", before.native_bytes,
                        after.native_bytes, before.descriptors, after.descriptors, before.threads, after.threads);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
