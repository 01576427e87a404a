/* libcurl's codes in the vocabulary, with the circumstances that decide. */
#include "net/curl_reason.h"
#include "support/check.h"

static void expect(bwt_transfer_end end, bwt_failure_detail detail)
{
    bwt_failure failure = bwt_curl_reason(&end);
    assert_int_equal(failure.status, BWT_ATTEMPT_STATUS_TRANSPORT_ERROR);
    assert_int_equal(failure.detail, detail);
    assert_int_equal(failure.http_status, 0);
    assert_int_equal(failure.retry_after_ms, -1);
}

static void codes_with_one_meaning(void **state)
{
    (void)state;
    static const struct {
        int code;
        bwt_failure_detail detail;
    } rows[] = {
        {CURLE_COULDNT_RESOLVE_HOST, BWT_FAILURE_DETAIL_DNS},
        {CURLE_COULDNT_RESOLVE_PROXY, BWT_FAILURE_DETAIL_PROXY},
        {CURLE_PROXY, BWT_FAILURE_DETAIL_PROXY},
        {CURLE_COULDNT_CONNECT, BWT_FAILURE_DETAIL_CONNECT},
        {CURLE_SSL_CONNECT_ERROR, BWT_FAILURE_DETAIL_TLS},
        {CURLE_PEER_FAILED_VERIFICATION, BWT_FAILURE_DETAIL_TLS},
        {CURLE_SSL_CACERT_BADFILE, BWT_FAILURE_DETAIL_TLS},
        {CURLE_SSL_CERTPROBLEM, BWT_FAILURE_DETAIL_TLS},
        {CURLE_GOT_NOTHING, BWT_FAILURE_DETAIL_PROTOCOL},
        {CURLE_WEIRD_SERVER_REPLY, BWT_FAILURE_DETAIL_PROTOCOL},
        {CURLE_UNSUPPORTED_PROTOCOL, BWT_FAILURE_DETAIL_PROTOCOL},
        {CURLE_HTTP2_STREAM, BWT_FAILURE_DETAIL_PROTOCOL},
        {100 /* CURLE_TOO_LARGE */, BWT_FAILURE_DETAIL_PROTOCOL},
        {CURLE_BAD_CONTENT_ENCODING, BWT_FAILURE_DETAIL_CONTENT_ENCODING},
        {CURLE_FILESIZE_EXCEEDED, BWT_FAILURE_DETAIL_TOO_LARGE},
        {CURLE_TOO_MANY_REDIRECTS, BWT_FAILURE_DETAIL_REDIRECT},
        {CURLE_PARTIAL_FILE, BWT_FAILURE_DETAIL_READ},
        {CURLE_SEND_ERROR, BWT_FAILURE_DETAIL_READ},
        {CURLE_OUT_OF_MEMORY, BWT_FAILURE_DETAIL_NONE},
        {CURLE_FAILED_INIT, BWT_FAILURE_DETAIL_NONE},
        {4711, BWT_FAILURE_DETAIL_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect((bwt_transfer_end){.code = (CURLcode)rows[i].code}, rows[i].detail);
    }
}

static void timeout_is_a_status_of_its_own(void **state)
{
    (void)state;
    bwt_transfer_end end = {.code = CURLE_OPERATION_TIMEDOUT, .via_proxy = true};
    bwt_failure failure = bwt_curl_reason(&end);
    assert_int_equal(failure.status, BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT);
    assert_int_equal(failure.detail, BWT_FAILURE_DETAIL_NONE);
}

static void a_broken_read_is_the_socket_or_the_peer(void **state)
{
    (void)state;
    bwt_transfer_end end = {.code = CURLE_RECV_ERROR, .requested = true, .answered = true};
    expect(end, BWT_FAILURE_DETAIL_PROTOCOL);
    end.system_error = true;
    expect(end, BWT_FAILURE_DETAIL_READ);
    end.system_error = false;
    end.tls = true;
    expect(end, BWT_FAILURE_DETAIL_READ);
}

static void too_long_a_header_line_looks_like_no_memory(void **state)
{
    (void)state;
    expect((bwt_transfer_end){.code = CURLE_OUT_OF_MEMORY, .requested = true}, BWT_FAILURE_DETAIL_PROTOCOL);
}

static void what_our_own_callbacks_refused(void **state)
{
    (void)state;
    bwt_transfer_end end = {.code = CURLE_WRITE_ERROR, .requested = true, .aborted = BWT_ABORT_TOO_LARGE};
    expect(end, BWT_FAILURE_DETAIL_TOO_LARGE);
    end.aborted = BWT_ABORT_BAD_HEADER;
    expect(end, BWT_FAILURE_DETAIL_PROTOCOL);
    end.aborted = BWT_ABORT_NO_MEMORY;
    expect(end, BWT_FAILURE_DETAIL_NONE);
    end = (bwt_transfer_end){.code = CURLE_ABORTED_BY_CALLBACK, .requested = true, .aborted = BWT_ABORT_RESENT};
    expect(end, BWT_FAILURE_DETAIL_READ);
}

static void the_proxy_hop_ends_with_the_tunnel_or_the_request(void **state)
{
    (void)state;
    bwt_transfer_end end = {.code = CURLE_COULDNT_CONNECT, .via_proxy = true};
    expect(end, BWT_FAILURE_DETAIL_PROXY);
    end = (bwt_transfer_end){.code = CURLE_RECV_ERROR, .via_proxy = true, .tls = true, .proxy_status = 407};
    expect(end, BWT_FAILURE_DETAIL_PROXY);
    end = (bwt_transfer_end){
        .code = CURLE_PEER_FAILED_VERIFICATION, .via_proxy = true, .tls = true, .proxy_status = 200};
    expect(end, BWT_FAILURE_DETAIL_TLS);
    end = (bwt_transfer_end){.code = CURLE_GOT_NOTHING, .via_proxy = true, .requested = true};
    expect(end, BWT_FAILURE_DETAIL_PROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_with_one_meaning),
        cmocka_unit_test(timeout_is_a_status_of_its_own),
        cmocka_unit_test(a_broken_read_is_the_socket_or_the_peer),
        cmocka_unit_test(too_long_a_header_line_looks_like_no_memory),
        cmocka_unit_test(what_our_own_callbacks_refused),
        cmocka_unit_test(the_proxy_hop_ends_with_the_tunnel_or_the_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
