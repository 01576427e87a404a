/* Lookups through a real engine and real sockets: every way an exchange can end becomes its word of the vocabulary. */
#include <stdio.h>
#include <string.h>

#include "support/engines.h"

/* ---- answers ---- */

static void answer_is_useful(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
    bwt_completion *completion = run_lookup(engine, setup);
    assert_completion(completion, "useful_result primary:ok_useful");
    const bwt_receipt_fields *fields = bwt_receipt_view(completion->receipt);
    assert_int_equal(fields->result_count, 1);
    assert_str(fields->results[0].title, "Narwhal");
    assert_str(fields->attempts[0].transport, "first");
    assert_int_equal(fields->attempts[0].http_status, 200);
    assert_int_equal(fields->attempts[0].hit_count, 1);
    char target[100], request[2048];
    snprintf(target, sizeof target, "http://127.0.0.1:%d/search?q=narwhal+tusk", loopback_port(server));
    assert_str(fields->attempts[0].target, target);
    loopback_last_request(server, request, sizeof request);
    assert_memory_equal(request, "GET /search?q=narwhal+tusk HTTP/1.1\r\n", 37);
    assert_non_null(strstr(request, "\r\nAccept-Encoding: gzip, deflate\r\n"));
    assert_non_null(strstr(request, "\r\nUser-Agent: bounded_web_tool/" BWT_VERSION "\r\n"));
    bwt_completion_free(completion);
    end_engine(engine);
    loopback_stop(server);
}

static void failing_primary_is_followed_by_the_fallback(void **state)
{
    (void)state;
    loopback_server *first =
        loopback_start_one(text_reply("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", LOOPBACK_KEEP));
    loopback_server *second = loopback_start_one(useful_reply);
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(first), false),
                          .fallback = make_provider("second", "127.0.0.1", loopback_port(second), false)};
    assert_lookup(setup, "useful_result primary:transport_error/provider_error fallback:ok_useful");
    assert_int_equal(loopback_requests(first), 1);
    assert_int_equal(loopback_requests(second), 1);
    loopback_stop(first);
    loopback_stop(second);
}

static void post_carries_the_query_in_its_body(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), true)};
    assert_lookup(setup, "useful_result primary:ok_useful");
    char request[2048];
    loopback_last_request(server, request, sizeof request);
    assert_memory_equal(request, "POST /search HTTP/1.1\r\n", 23);
    assert_null(strstr(request, "Expect:"));
    assert_non_null(strstr(request, "\r\n\r\n{\"q\":\"narwhal tusk\"}"));
    loopback_stop(server);
}

static void a_refused_query_is_not_dialled(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    bwt_policy policy;
    bwt_policy_init(&policy);
    bwt_validator_options options;
    bwt_validator_options_init(&options);
    bwt_validator *validator = NULL;
    assert_int_equal(bwt_validator_new(&options, &validator, NULL), BWT_OK);
    bwt_lookup_request request = {
        .policy = &policy, .query = BWT_STR("  \t "), .primary = provider, .validator = validator};
    bwt_ticket ticket;
    assert_int_equal(bwt_engine_submit_lookup(engine, &request, outbox, &ticket), BWT_OK);
    bwt_completion *completion = next_completion(outbox);
    assert_completion(completion, "blocked_by_policy");
    assert_int_equal(loopback_connections(server), 0);
    bwt_completion_free(completion);
    request.validator = NULL; /* the engine has nobody else to ask for a verdict */
    assert_int_equal(bwt_engine_submit_lookup(engine, &request, outbox, &ticket), BWT_ERR_INVALID);
    bwt_validator_release(validator);
    bwt_provider_release(provider);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

static void fetch_brings_an_answer_without_a_plan(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_provider *provider = make_provider("first", "127.0.0.1", loopback_port(server), false);
    bwt_engine *engine = make_engine();
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    bwt_ticket ticket;
    assert_int_equal(submit_fetch_to(engine, provider, 2000, outbox, &ticket), BWT_OK);
    bwt_provider_release(provider);
    bwt_completion *completion = next_completion(outbox);
    assert_int_equal(completion->ticket, ticket);
    assert_null(completion->receipt);
    assert_non_null(completion->answer.response);
    assert_int_equal(bwt_response_hit_count(completion->answer.response), 1);
    assert_int_equal(bwt_response_http_status(completion->answer.response), 200);
    bwt_completion_free(completion);
    bwt_outbox_close(outbox);
    end_engine(engine);
    loopback_stop(server);
}

/* ---- what a server does wrong: one reply, one expectation ---- */

static void expect_reply(loopback_reply reply, const char *expected)
{
    loopback_server *server = loopback_start_one(reply);
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
    assert_lookup(setup, expected);
    loopback_stop(server);
}

static void expect_text(const char *text, loopback_end end, const char *expected)
{
    expect_reply(text_reply(text, end), expected);
}

static void statuses(void **state)
{
    (void)state;
    expect_text("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", LOOPBACK_KEEP, "transport_failed primary:auth_failed");
    expect_text("HTTP/1.1 402 No\r\nContent-Length: 0\r\n\r\n", LOOPBACK_KEEP,
                "transport_failed primary:quota_exhausted");
    expect_text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", LOOPBACK_KEEP,
                "transport_failed primary:transport_error/provider_error");
    expect_text("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"results\":[]}", LOOPBACK_KEEP,
                "no_useful_result primary:ok_not_useful/empty_result_set");
    expect_text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", LOOPBACK_KEEP,
                "no_useful_result primary:ok_not_useful/unparseable_payload");
}

static void redirects_are_not_followed(void **state)
{
    (void)state;
    loopback_server *elsewhere = loopback_start_one(useful_reply);
    char text[200];
    snprintf(text, sizeof text, "HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n",
             loopback_port(elsewhere));
    expect_text(text, LOOPBACK_KEEP, "transport_failed primary:transport_error/redirect");
    assert_int_equal(loopback_connections(elsewhere), 0);
    loopback_stop(elsewhere);
}

static int64_t wait_named_by(const char *head)
{
    char text[400];
    snprintf(text, sizeof text, "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n%s\r\n", head);
    loopback_server *server = loopback_start_one(text_reply(text, LOOPBACK_KEEP));
    bwt_engine *engine = make_engine();
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
    bwt_completion *completion = run_lookup(engine, setup);
    assert_completion(completion, "transport_failed primary:rate_limited");
    int64_t wait_ms = bwt_receipt_view(completion->receipt)->retry_after_ms;
    bwt_completion_free(completion);
    end_engine(engine);
    loopback_stop(server);
    return wait_ms;
}

static void retry_after_is_read_from_the_raw_header(void **state)
{
    (void)state;
    assert_int_equal(wait_named_by(""), -1);
    assert_int_equal(wait_named_by("Retry-After: 7\r\n"), 7000);
    assert_int_equal(wait_named_by("retry-after:9\r\n"), 9000);
    assert_int_equal(wait_named_by("Retry-After: 999999999\r\n"), BWT_MAX_RETRY_AFTER_MS);
    assert_int_equal(wait_named_by("Retry-After: 5 minutes\r\n"), -1);
    /* Against the answer's own clock, whatever ours says. */
    assert_int_equal(wait_named_by("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                   "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n"),
                     60000);
}

static void refused_connection(void **state)
{
    (void)state;
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_refusing_port(), false)};
    assert_lookup(setup, "transport_failed primary:transport_error/connect");
}

static void broken_answers(void **state)
{
    (void)state;
    expect_text("", LOOPBACK_CLOSE, "transport_failed primary:transport_error/protocol");
    expect_text("", LOOPBACK_RESET, "transport_failed primary:transport_error/read");
    expect_text("SSH-2.0-x\r\n\r\n", LOOPBACK_CLOSE, "transport_failed primary:transport_error/protocol");
    expect_text("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n", LOOPBACK_CLOSE,
                "transport_failed primary:transport_error/protocol");
    expect_text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"resul", LOOPBACK_CLOSE,
                "transport_failed primary:transport_error/read");
    expect_text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"resul", LOOPBACK_RESET,
                "transport_failed primary:transport_error/read");
    expect_text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}", LOOPBACK_CLOSE,
                "transport_failed primary:transport_error/protocol");
    expect_text("HTTP/1.1 200 OK\r\nContent-Length: 14\r\nContent-Length: 15\r\n\r\n{\"results\":[]} ", LOOPBACK_CLOSE,
                "transport_failed primary:transport_error/protocol");
    expect_text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 14\r\n\r\n{\"results\":[]}",
                LOOPBACK_CLOSE, "transport_failed primary:transport_error/content_encoding");
    expect_text("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 2\r\n\r\n{}", LOOPBACK_CLOSE,
                "transport_failed primary:transport_error/content_encoding");
}

static void plain_server_behind_an_https_address(void **state)
{
    (void)state;
    loopback_reply reply = text_reply("HTTP/1.1 400 Speak plainly\r\nContent-Length: 0\r\n\r\n", LOOPBACK_STALL);
    reply.unasked = true;
    loopback_server *server = loopback_start_one(reply);
    lookup_setup setup = {.primary = make_provider("first", "https://127.0.0.1", loopback_port(server), false)};
    assert_lookup(setup, "transport_failed primary:transport_error/tls");
    assert_int_equal(loopback_connections(server), 1); /* and nothing is retried unchecked */
    loopback_stop(server);
}

/* ---- sizes ---- */

static char *repeat(const char *head, const char *unit, size_t count, size_t *len)
{
    size_t head_len = strlen(head), unit_len = strlen(unit);
    *len = head_len + unit_len * count;
    char *text = test_malloc(*len + 1);
    memcpy(text, head, head_len + 1);
    for (size_t i = 0; i < count; i++) memcpy(text + head_len + i * unit_len, unit, unit_len + 1);
    return text;
}

static void expect_repeated(const char *head, const char *unit, size_t count, const char *expected)
{
    loopback_reply reply = {.end = LOOPBACK_STALL};
    char *text = repeat(head, unit, count, &reply.len);
    reply.data = text;
    expect_reply(reply, expected);
    test_free(text);
}

static void endless_bodies_and_heads(void **state)
{
    (void)state;
    expect_repeated("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "10\r\n0123456789abcdef\r\n",
                    BWT_MAX_BODY_BYTES / 16 + 1, "transport_failed primary:transport_error/too_large");
    expect_repeated("HTTP/1.1 200 OK\r\n", "X-Filler: 0123456789abcdef\r\n", 4000,
                    "transport_failed primary:transport_error/protocol");
    expect_repeated("HTTP/1.1 200 OK\r\nX-Long: ", "0123456789abcdef", 20000,
                    "transport_failed primary:transport_error/protocol");
    expect_repeated("", "HTTP/1.1 100 Continue\r\n\r\n", 4000, "transport_failed primary:transport_error/protocol");
}

typedef struct bit_writer {
    unsigned char *bytes;
    size_t bits;
} bit_writer;

static void put_bits(bit_writer *out, unsigned value, int count)
{
    for (int i = 0; i < count; i++, out->bits++) {
        out->bytes[out->bits / 8] |= (unsigned char)((value >> i & 1u) << out->bits % 8);
    }
}

/* A gzip stream of one fixed-Huffman block: a zero byte, then copies of 258 more, 13 bits each. Huffman codes go in
 * from their highest bit, so they stand reversed here. */
static size_t write_bomb(unsigned char *out, size_t copies)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    memcpy(out, head, sizeof head);
    bit_writer bits = {.bytes = out + sizeof head};
    put_bits(&bits, 1, 1); /* last block */
    put_bits(&bits, 1, 2); /* fixed codes */
    put_bits(&bits, 0x0c, 8); /* literal 0: 00110000 */
    for (size_t i = 0; i < copies; i++) {
        put_bits(&bits, 0xa3, 8); /* length 258: 11000101 */
        put_bits(&bits, 0, 5);    /* distance 1 */
    }
    return sizeof head + bits.bits / 8;
}

static void bombs_are_cut_at_the_cap(void **state)
{
    (void)state;
    size_t copies = 64 * 1024 * 1024 / 258; /* 64 MiB from 423 kB */
    unsigned char *bomb = test_calloc(1, copies * 2 + 100);
    size_t bomb_len = write_bomb(bomb, copies);
    char head[200];
    int head_len = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
                            bomb_len);
    char *reply = test_malloc((size_t)head_len + bomb_len);
    memcpy(reply, head, (size_t)head_len);
    memcpy(reply + head_len, bomb, bomb_len);
    expect_reply((loopback_reply){.data = reply, .len = (size_t)head_len + bomb_len, .end = LOOPBACK_STALL},
                 "transport_failed primary:transport_error/too_large");
    test_free(reply);
    test_free(bomb);
}

/* ---- kept connections ---- */

static void connections_are_kept(void **state)
{
    (void)state;
    loopback_server *server = loopback_start_one(useful_reply);
    bwt_engine *engine = make_engine();
    for (int i = 0; i < 5; i++) {
        lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), false)};
        bwt_completion *completion = run_lookup(engine, setup);
        assert_completion(completion, "useful_result primary:ok_useful");
        bwt_completion_free(completion);
    }
    assert_int_equal(loopback_connections(server), 1);
    bwt_engine_stats stats = stats_of(engine);
    assert_int_equal(stats.dialled, 5);
    assert_int_equal(stats.reused, 4);
    assert_int_equal(stats.connections, 1);
    assert_int_equal(stats.submitted, 5);
    assert_int_equal(stats.completed, 5);
    assert_int_equal(stats.by_status[BWT_ATTEMPT_STATUS_OK_USEFUL], 5);
    assert_int_equal(stats.in_flight, 0);
    assert_int_equal(stats.queued, 0);
    assert_true(stats.longest_step_ns > 0);
    end_engine(engine);
    loopback_stop(server);
}

/* The kept connection dies with the second request on it. libcurl repeats a GET on a new one; a POST, which the server
 * may have carried out, is not sent again. */
static void expect_after_dead_connection(bool post, const char *expected, int requests)
{
    const loopback_reply replies[] = {useful_reply, {.end = LOOPBACK_CLOSE}, useful_reply};
    loopback_server *server = loopback_start(replies, COUNT_OF(replies));
    bwt_engine *engine = make_engine();
    lookup_setup setup = {.primary = make_provider("first", "127.0.0.1", loopback_port(server), post)};
    bwt_completion_free(run_lookup(engine, setup));
    setup.primary = make_provider("first", "127.0.0.1", loopback_port(server), post);
    bwt_completion *completion = run_lookup(engine, setup);
    assert_completion(completion, expected);
    bwt_completion_free(completion);
    assert_int_equal(loopback_requests(server), requests);
    end_engine(engine);
    loopback_stop(server);
}

static void dead_kept_connection(void **state)
{
    (void)state;
    expect_after_dead_connection(false, "useful_result primary:ok_useful", 3);
    expect_after_dead_connection(true, "transport_failed primary:transport_error/read", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(answer_is_useful),
        resources_checked(failing_primary_is_followed_by_the_fallback),
        resources_checked(post_carries_the_query_in_its_body),
        resources_checked(a_refused_query_is_not_dialled),
        resources_checked(fetch_brings_an_answer_without_a_plan),
        resources_checked(statuses),
        resources_checked(redirects_are_not_followed),
        resources_checked(retry_after_is_read_from_the_raw_header),
        resources_checked(refused_connection),
        resources_checked(broken_answers),
        resources_checked(plain_server_behind_an_https_address),
        resources_checked(endless_bodies_and_heads),
        resources_checked(bombs_are_cut_at_the_cap),
        resources_checked(connections_are_kept),
        resources_checked(dead_kept_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
