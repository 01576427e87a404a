/* Name lookups that answer, fail or never return, beside healthy ones. getaddrinfo is this program's own. */
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/monotime.h"
#include "support/engines.h"

/* ---- the name service ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool hanging_released;
static int hanging;
static int asked; /* lookups of every name so far */

static struct addrinfo *new_entry(const char *address, struct addrinfo *next)
{
    struct addrinfo *entry = calloc(1, sizeof *entry + sizeof(struct sockaddr_in));
    if (entry == NULL) abort();
    struct sockaddr_in *peer = (struct sockaddr_in *)(entry + 1);
    peer->sin_family = AF_INET;
    inet_pton(AF_INET, address, &peer->sin_addr);
    entry->ai_family = AF_INET;
    entry->ai_socktype = SOCK_STREAM;
    entry->ai_addrlen = sizeof *peer;
    entry->ai_addr = (struct sockaddr *)peer;
    entry->ai_next = next;
    return entry;
}

static void hang(void)
{
    pthread_mutex_lock(&mutex);
    hanging++;
    pthread_cond_broadcast(&changed);
    while (!hanging_released) pthread_cond_wait(&changed, &mutex);
    hanging--;
    pthread_mutex_unlock(&mutex);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    (void)service, (void)hints;
    pthread_mutex_lock(&mutex);
    asked++;
    pthread_mutex_unlock(&mutex);
    if (strncmp(name, "hang", 4) == 0) hang();
    if (strcmp(name, "none.test") == 0) return EAI_NONAME;
    *out = new_entry("127.0.0.1", NULL);
    if (strcmp(name, "two.test") == 0) *out = new_entry("127.0.0.2", *out);
    return 0;
}

/* With one block an entry, as above. */
void freeaddrinfo(struct addrinfo *entry)
{
    while (entry != NULL) {
        struct addrinfo *next = entry->ai_next;
        free(entry);
        entry = next;
    }
}

static int asked_so_far(void)
{
    pthread_mutex_lock(&mutex);
    int count = asked;
    pthread_mutex_unlock(&mutex);
    return count;
}

static void wait_for_hanging(int count)
{
    pthread_mutex_lock(&mutex);
    while (hanging < count) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void release_hanging(void)
{
    pthread_mutex_lock(&mutex);
    hanging_released = true;
    pthread_cond_broadcast(&changed);
    while (hanging > 0) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    hanging_released = false;
    pthread_mutex_unlock(&mutex);
}

/* ---- tests ---- */

static bwt_completion *ask(bwt_engine *engine, const char *host, int port, int64_t budget_ms)
{
    return run_lookup(engine, (lookup_setup){.budget_ms = budget_ms, .primary = make_provider("first", host, port, false)});
}

static void expect(bwt_engine *engine, const char *host, int port, const char *expected)
{
    bwt_completion *completion = ask(engine, host, port, 2000);
    assert_completion(completion, expected);
    bwt_completion_free(completion);
}

static void names_are_looked_up_once(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    int before = asked_so_far();
    for (int i = 0; i < 3; i++) {
        expect(engine, "good.test", loopback_port(server), "useful_result primary:ok_useful");
    }
    assert_int_equal(asked_so_far() - before, 1);
    assert_int_equal(loopback_connections(server), 1); /* pinned and kept */
    char request[2048], host[64];
    loopback_last_request(server, request, sizeof request);
    snprintf(host, sizeof host, "\r\nHost: good.test:%d\r\n", loopback_port(server));
    assert_non_null(strstr(request, host));
    expect(engine, "127.0.0.1", loopback_port(server), "useful_result primary:ok_useful");
    assert_int_equal(asked_so_far() - before, 1); /* an address is no name */
    end_engine(engine);
    loopback_stop(server);
}

static void unknown_names_fail_and_are_remembered_for_a_while(void **state)
{
    (void)state;
    bwt_engine *engine = make_engine();
    int before = asked_so_far();
    expect(engine, "none.test", 80, "transport_failed primary:transport_error/dns");
    expect(engine, "none.test", 80, "transport_failed primary:transport_error/dns");
    assert_int_equal(asked_so_far() - before, 1);
    assert_int_equal(stats_of(engine).dialled, 0);
    end_engine(engine);
}

static void the_next_address_is_tried_when_one_refuses(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply); /* on 127.0.0.1 only */
    bwt_engine *engine = make_engine();
    expect(engine, "two.test", loopback_port(server), "useful_result primary:ok_useful");
    expect(engine, "two.test", loopback_port(server), "useful_result primary:ok_useful");
    assert_int_equal(loopback_connections(server), 1); /* the address that answers comes first from now on */
    assert_int_equal(stats_of(engine).dialled, 2);
    end_engine(engine);
    loopback_stop(server);
}

static void the_next_address_is_tried_when_one_is_silent(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    black_hole hole;
    black_hole_open(&hole, "127.0.0.2", loopback_port(server));
    bwt_engine *engine = make_engine();
    int64_t before_ns = bwt_monotonic_ns();
    bwt_completion *completion = ask(engine, "two.test", loopback_port(server), 600);
    assert_completion(completion, "useful_result primary:ok_useful");
    int64_t took_ns = completion->finished_ns - before_ns;
    assert_true(took_ns >= 290 * NS_PER_MS && took_ns < 500 * NS_PER_MS); /* half of the slice each */
    bwt_completion_free(completion);
    end_engine(engine);
    black_hole_close(&hole);
    loopback_stop(server);
}

static void hosts_that_nobody_serves_are_looked_up_again(void **state)
{
    (void)state;
    bwt_engine *engine = make_engine();
    int before = asked_so_far(), port = loopback_refusing_port();
    expect(engine, "two.test", port, "transport_failed primary:transport_error/connect");
    expect(engine, "two.test", port, "transport_failed primary:transport_error/connect");
    assert_int_equal(asked_so_far() - before, 2);
    end_engine(engine);
}

static void a_hanging_lookup_ends_on_time_and_holds_nobody_up(void **state)
{
    (void)state;
    enum { HANGING = 32 };
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    int64_t submitted_ns = bwt_monotonic_ns();
    for (int i = 0; i < HANGING; i++) {
        char host[40];
        snprintf(host, sizeof host, "hang%d.test", i);
        lookup_setup setup = {.budget_ms = 300, .primary = make_provider("first", host, 80, false)};
        submit_lookup_to(engine, setup, outbox);
    }
    bwt_completion *healthy = ask(engine, "good.test", loopback_port(server), 2000);
    assert_completion(healthy, "useful_result primary:ok_useful");
    assert_true(healthy->finished_ns - submitted_ns < 250 * NS_PER_MS); /* while the others still hang */
    bwt_completion_free(healthy);
    wait_for_hanging(HANGING);
    assert_int_equal(stats_of(engine).resolver_busy, HANGING);
    assert_int_equal(stats_of(engine).queued, HANGING);

    for (int count = 0; count < HANGING;) {
        for (bwt_completion *completion = next_completion(outbox), *next; completion != NULL; completion = next) {
            next = completion->next;
            assert_completion(completion, "transport_failed primary:transport_timeout");
            assert_true(completion->finished_ns - submitted_ns >= 300 * NS_PER_MS);
            assert_true(completion->finished_ns - submitted_ns < 450 * NS_PER_MS);
            bwt_completion_free(completion);
            count++;
        }
    }
    int64_t closing_ns = bwt_monotonic_ns();
    end_engine(engine);
    assert_true(bwt_monotonic_ns() - closing_ns < 100 * NS_PER_MS); /* with 32 threads inside getaddrinfo */
    bwt_outbox_close(outbox);
    release_hanging();
    loopback_stop(server);
}

static void cancel_does_not_wait_for_a_lookup(void **state)
{
    (void)state;
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    lookup_setup setup = {.budget_ms = 4000, .primary = make_provider("first", "hang.test", 80, false)};
    bwt_ticket ticket = submit_lookup_to(engine, setup, outbox);
    wait_for_hanging(1);
    int64_t cancelled_ns = bwt_monotonic_ns();
    bwt_engine_cancel(engine, ticket);
    bwt_completion *completion = next_completion(outbox);
    assert_completion(completion, "transport_failed primary:cancelled");
    assert_true(completion->finished_ns - cancelled_ns < 100 * NS_PER_MS);
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    end_engine(engine);
    release_hanging();
}

static void when_every_thread_hangs_new_names_fail_at_once(void **state)
{
    (void)state;
    enum { HARD_CAP = 8 }; /* for one resolver thread */
    bwt_engine_options options;
    bwt_engine_options_init(&options);
    options.resolver_threads = 1;
    bwt_engine *engine = NULL;
    assert_int_equal(bwt_engine_new(&options, &engine, NULL), BWT_OK);
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    for (int i = 0; i < HARD_CAP; i++) {
        char host[40];
        snprintf(host, sizeof host, "hang%d.test", i);
        lookup_setup setup = {.budget_ms = 1300, .primary = make_provider("first", host, 80, false)};
        submit_lookup_to(engine, setup, outbox);
    }
    wait_for_hanging(HARD_CAP);
    /* A thread is only given up after a second: until then a new name waits for one. */
    bwt_completion *completion = ask(engine, "good.test", 80, 50);
    assert_completion(completion, "transport_failed primary:transport_timeout");
    bwt_completion_free(completion);
    for (int count = 0; count < HARD_CAP;) {
        for (bwt_completion *late = next_completion(outbox), *next; late != NULL; late = next, count++) {
            next = late->next;
            bwt_completion_free(late);
        }
    }
    assert_int_equal(stats_of(engine).resolver_lost, HARD_CAP);
    int64_t before_ns = bwt_monotonic_ns();
    completion = ask(engine, "other.test", 80, 2000);
    assert_completion(completion, "transport_failed primary:transport_error/dns");
    assert_true(completion->finished_ns - before_ns < 100 * NS_PER_MS);
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    end_engine(engine);
    release_hanging();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(names_are_looked_up_once),
        resources_checked(unknown_names_fail_and_are_remembered_for_a_while),
        resources_checked(the_next_address_is_tried_when_one_refuses),
        resources_checked(the_next_address_is_tried_when_one_is_silent),
        resources_checked(hosts_that_nobody_serves_are_looked_up_again),
        resources_checked(a_hanging_lookup_ends_on_time_and_holds_nobody_up),
        resources_checked(cancel_does_not_wait_for_a_lookup),
        resources_checked(when_every_thread_hangs_new_names_fail_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
