/* libcurl's codes are about its own parts; the same code can mean different things at different stages. */
#include "net/curl_reason.h"

enum { TOO_LARGE_HEADER = 100 /* CURLE_TOO_LARGE, since 8.6 */ };

static bwt_failure failed(bwt_failure_detail detail)
{
    return (bwt_failure){
        .status = BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, .detail = detail, .http_status = 0, .retry_after_ms = -1};
}

static bwt_failure_detail detail_of_abort(bwt_abort aborted)
{
    switch (aborted) {
    case BWT_ABORT_TOO_LARGE:
        return BWT_FAILURE_DETAIL_TOO_LARGE;
    case BWT_ABORT_BAD_HEADER:
        return BWT_FAILURE_DETAIL_PROTOCOL;
    case BWT_ABORT_RESENT:
        return BWT_FAILURE_DETAIL_READ;
    case BWT_ABORT_NO_MEMORY:
    case BWT_ABORT_NONE:
        break;
    }
    return BWT_FAILURE_DETAIL_NONE;
}

/* With a proxy, nothing but the proxy has been spoken to until the tunnel stands or the request is sent. */
static bool is_proxy_hop(const bwt_transfer_end *end)
{
    if (!end->via_proxy || end->requested) return false;
    bool tunnel_stands = end->proxy_status >= 200 && end->proxy_status < 300;
    return !(end->tls && tunnel_stands);
}

/* The codes that mean the same at every stage. */
static bwt_failure_detail detail_of_code(CURLcode code)
{
    switch ((int)code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return BWT_FAILURE_DETAIL_DNS;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
        return BWT_FAILURE_DETAIL_PROXY;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        return BWT_FAILURE_DETAIL_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_USE_SSL_FAILED:
        return BWT_FAILURE_DETAIL_TLS;
    case CURLE_TOO_MANY_REDIRECTS:
        return BWT_FAILURE_DETAIL_REDIRECT;
    case CURLE_BAD_CONTENT_ENCODING:
        return BWT_FAILURE_DETAIL_CONTENT_ENCODING;
    case CURLE_FILESIZE_EXCEEDED:
        return BWT_FAILURE_DETAIL_TOO_LARGE;
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
        return BWT_FAILURE_DETAIL_READ;
    case CURLE_UNSUPPORTED_PROTOCOL: /* an answer that is not HTTP; a bad scheme is refused before us */
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case TOO_LARGE_HEADER:
        return BWT_FAILURE_DETAIL_PROTOCOL;
    default:
        return BWT_FAILURE_DETAIL_NONE;
    }
}

bwt_failure bwt_curl_reason(const bwt_transfer_end *end)
{
    if (end->aborted != BWT_ABORT_NONE) return failed(detail_of_abort(end->aborted));
    if (end->code == CURLE_OPERATION_TIMEDOUT) {
        bwt_failure timeout = failed(BWT_FAILURE_DETAIL_NONE);
        timeout.status = BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT;
        return timeout;
    }
    if (is_proxy_hop(end)) return failed(BWT_FAILURE_DETAIL_PROXY);
    /* A reset, or a chunk or header that libcurl could not read? Below TLS the two cannot be told apart. */
    if (end->code == CURLE_RECV_ERROR) {
        return failed(end->system_error || end->tls ? BWT_FAILURE_DETAIL_READ : BWT_FAILURE_DETAIL_PROTOCOL);
    }
    /* Up to 8.13 a single header line over libcurl's own cap is reported as lack of memory. */
    if (end->code == CURLE_OUT_OF_MEMORY && end->requested) return failed(BWT_FAILURE_DETAIL_PROTOCOL);
    return failed(detail_of_code(end->code));
}
