/* Short forms for tests that run an engine against loopback servers. */
#ifndef TEST_SUPPORT_ENGINES_H
#define TEST_SUPPORT_ENGINES_H

#include "support/check.h"
#include "support/loopback_server.h"

/* An engine with default options; fails the test when there is none. */
bwt_engine *make_engine(void);
/* Closes within five seconds and frees. */
void end_engine(bwt_engine *engine);

/* "name" asks http://host:port/search?q=...; post: the query travels in a JSON body. */
bwt_provider *make_provider(const char *name, const char *host, int port, bool post);

/* 200 with one hit about narwhals, keep-alive. Borrowed, static. */
extern const loopback_reply useful_reply;
/* A reply of NUL-terminated text. */
loopback_reply text_reply(const char *text, loopback_end end);

typedef struct lookup_setup {
    int64_t budget_ms;
    int64_t per_attempt_ms;
    bwt_provider *primary; /* released by run_lookup and submit_lookup_to */
    bwt_provider *fallback;
} lookup_setup;

bwt_ticket submit_lookup_to(bwt_engine *engine, lookup_setup setup, bwt_outbox *outbox);
/* Asks the provider, which stays the caller's, for narwhals. */
bwt_error submit_fetch_to(bwt_engine *engine, bwt_provider *provider, int64_t slice_ms, bwt_outbox *outbox,
                          bwt_ticket *ticket);
/* Submits, waits, returns the completion: bwt_completion_free. */
bwt_completion *run_lookup(bwt_engine *engine, lookup_setup setup);
/* The next completion of an outbox, at most five seconds away. */
bwt_completion *next_completion(bwt_outbox *outbox);
/* Runs a lookup on a fresh engine and compares the explanation, apart from the times, with "outcome trail": for
 * example "useful_result primary:ok_useful". */
void assert_lookup(lookup_setup setup, const char *expected);
void assert_completion(const bwt_completion *completion, const char *expected);

bwt_engine_stats stats_of(bwt_engine *engine);

/* As test setup and teardown: bytes, descriptors and threads are what they were, at most two seconds later. */
int remember_resources(void **state);
int expect_resources(void **state);
#define resources_checked(test) cmocka_unit_test_setup_teardown(test, remember_resources, expect_resources)

#endif
