/* libcurl's options and callbacks for one transfer. The callbacks only collect; nothing of libcurl is called in them. */
#include "net/transfer.h"

#include <string.h>

#include "core/mem.h"
#include "core/text.h"

enum { BODY_KEPT_BYTES = 64 * 1024, BODY_FIRST_BYTES = 16 * 1024 /* libcurl's largest piece */ };

/* ---- callbacks ---- */

static size_t receive_body(char *data, size_t size, size_t count, void *context)
{
    bwt_transfer *transfer = context;
    size_t bytes = size * count;
    bwt_buf *body = &transfer->body;
    if (transfer->owner == NULL) return CURL_WRITEFUNC_ERROR;
    if (bytes > body->cap - body->len) {
        transfer->aborted = BWT_ABORT_TOO_LARGE;
        return CURL_WRITEFUNC_ERROR;
    }
    if ((body->capacity == 0 && !bwt_buf_reserve(body, BODY_FIRST_BYTES)) || !bwt_buf_append(body, data, bytes)) {
        transfer->aborted = BWT_ABORT_NO_MEMORY;
        return CURL_WRITEFUNC_ERROR;
    }
    return bytes;
}

static size_t receive_head(char *data, size_t size, size_t count, void *context)
{
    bwt_transfer *transfer = context;
    size_t bytes = size * count;
    if (transfer->owner == NULL) return CURL_WRITEFUNC_ERROR;
    switch (bwt_head_line(&transfer->head, (bwt_str){data, bytes})) {
    case BWT_HEAD_INVALID:
        transfer->aborted = BWT_ABORT_BAD_HEADER;
        return CURL_WRITEFUNC_ERROR;
    case BWT_HEAD_NO_MEMORY:
        transfer->aborted = BWT_ABORT_NO_MEMORY;
        return CURL_WRITEFUNC_ERROR;
    case BWT_HEAD_OK:
        break;
    }
    return bytes;
}

/* Called before each request is sent, over new and kept connections alike. libcurl repeats a request when a kept
 * connection dies without an answer; a POST may have been carried out already, so it is not repeated. */
static int before_request(void *context, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    bwt_transfer *transfer = context;
    transfer->times_requested++;
    if (transfer->request.post && transfer->times_requested > 1) {
        transfer->aborted = BWT_ABORT_RESENT;
        return CURL_PREREQFUNC_ABORT;
    }
    return CURL_PREREQFUNC_OK;
}

/* ---- life ---- */

bwt_transfer *bwt_transfer_new(void)
{
    bwt_transfer *transfer = bwt_alloc_zeroed(1, sizeof *transfer);
    if (transfer == NULL) return NULL;
    bwt_link_init(&transfer->link);
    transfer->socket_fd = -1;
    bwt_buf_init(&transfer->body, BWT_MAX_BODY_BYTES);
    bwt_head_init(&transfer->head);
    transfer->easy = curl_easy_init();
    if (transfer->easy != NULL) return transfer;
    bwt_free(transfer);
    return NULL;
}

static void forget_request(bwt_transfer *transfer)
{
    bwt_http_request_deinit(&transfer->request);
    transfer->request = (bwt_http_request){0};
    curl_slist_free_all(transfer->headers);
    curl_slist_free_all(transfer->connect_to);
    transfer->headers = transfer->connect_to = NULL;
}

void bwt_transfer_free(bwt_transfer *transfer)
{
    if (transfer == NULL) return;
    curl_easy_cleanup(transfer->easy); /* first: the options refer to the request */
    forget_request(transfer);
    bwt_buf_deinit(&transfer->body);
    bwt_head_deinit(&transfer->head);
    bwt_free(transfer);
}

static void forget_answer(bwt_transfer *transfer)
{
    transfer->aborted = BWT_ABORT_NONE;
    transfer->times_requested = 0;
    transfer->socket_fd = -1;
    bwt_buf_clear(&transfer->body);
    bwt_head_reset(&transfer->head);
}

void bwt_transfer_recycle(bwt_transfer *transfer)
{
    curl_easy_reset(transfer->easy);
    forget_request(transfer);
    forget_answer(transfer);
    transfer->owner = NULL;
    if (transfer->body.capacity > BODY_KEPT_BYTES) bwt_buf_deinit(&transfer->body);
    bwt_buf_deinit(&transfer->head.location);
}

void bwt_transfer_set_request(bwt_transfer *transfer, bwt_http_request *request, bool https)
{
    transfer->request = *request;
    *request = (bwt_http_request){0};
    transfer->https = https;
}

/* ---- options ---- */

/* Collects the first failure, so that the options can be written one below the other. */
#define SET(option, value)                                                                                             \
    do {                                                                                                               \
        if (code == CURLE_OK) code = curl_easy_setopt(easy, option, value);                                            \
    } while (0)

static bool append(struct curl_slist **list, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer != NULL) *list = longer;
    return longer != NULL;
}

static CURLcode set_request(bwt_transfer *transfer)
{
    CURL *easy = transfer->easy;
    const bwt_http_request *request = &transfer->request;
    if (transfer->headers == NULL) {
        for (size_t i = 0; i < request->header_count; i++) {
            if (!append(&transfer->headers, request->headers[i].data)) return CURLE_OUT_OF_MEMORY;
        }
        /* No waiting for "100 Continue": it costs a round trip, or a second with a server that does not know it. */
        if (request->post && !append(&transfer->headers, "Expect:")) return CURLE_OUT_OF_MEMORY;
    }
    CURLcode code = CURLE_OK;
    SET(CURLOPT_URL, request->url.data);
    SET(CURLOPT_HTTPHEADER, transfer->headers);
    if (request->post) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        SET(CURLOPT_POSTFIELDS, bwt_buf_str(&request->body).data);
    }
    return code;
}

/* Host name, certificate and Host header stay the URL's; the port too. */
static CURLcode set_address(bwt_transfer *transfer, const bwt_address *address)
{
    char entry[BWT_ADDRESS_CHARS + 8] = "::";
    bool in_brackets = address->sockaddr.any.sa_family == AF_INET6;
    if (in_brackets) strcat(entry, "[");
    strcat(entry, address->text);
    strcat(entry, in_brackets ? "]:" : ":");
    curl_slist_free_all(transfer->connect_to);
    transfer->connect_to = curl_slist_append(NULL, entry);
    if (transfer->connect_to == NULL) return CURLE_OUT_OF_MEMORY;
    return curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to);
}

static CURLcode set_callbacks(bwt_transfer *transfer)
{
    CURL *easy = transfer->easy;
    CURLcode code = CURLE_OK;
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_WRITEFUNCTION, receive_body);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_HEADERFUNCTION, receive_head);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_PREREQFUNCTION, before_request);
    SET(CURLOPT_PREREQDATA, transfer);
    return code;
}

/* What no transfer may do without being told: redirects, cookies, netrc, the environment's proxies, other schemes. */
static CURLcode set_bounds(CURL *easy)
{
    CURLcode code = CURLE_OK;
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* should libcurl look a name up after all, removing the handle must not wait for it */
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_HTTP09_ALLOWED, 0L);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_ACCEPT_ENCODING, "gzip, deflate"); /* what every build can decode */
    SET(CURLOPT_USERAGENT, "bounded_web_tool/" BWT_VERSION);
    return code;
}

static CURLcode set_route(bwt_transfer *transfer, const bwt_settings *settings)
{
    CURL *easy = transfer->easy;
    CURLcode code = CURLE_OK;
    const char *proxy = bwt_settings_proxy(settings, transfer->https);
    transfer->via_proxy = proxy != NULL;
    SET(CURLOPT_PROXY, proxy != NULL ? proxy : ""); /* empty: not even the environment's */
    SET(CURLOPT_NOPROXY, settings->no_proxy != NULL ? settings->no_proxy : "");
    SET(CURLOPT_HTTP_VERSION, settings->http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    if (settings->interface != NULL) SET(CURLOPT_INTERFACE, settings->interface);
    if (settings->client_cert != NULL) SET(CURLOPT_SSLCERT, settings->client_cert);
    if (settings->ca_bundle != NULL) {
        SET(CURLOPT_CAINFO, settings->ca_bundle);
        SET(CURLOPT_PROXY_CAINFO, settings->ca_bundle);
    }
    return code;
}

static CURLcode set_times(CURL *easy, const bwt_transfer_aim *aim)
{
    CURLcode code = CURLE_OK;
    SET(CURLOPT_TIMEOUT_MS, aim->timeout_ms < LONG_MAX ? (long)aim->timeout_ms : LONG_MAX);
    if (aim->connect_timeout_ms > 0) SET(CURLOPT_CONNECTTIMEOUT_MS, (long)aim->connect_timeout_ms);
    return code;
}

bwt_error bwt_transfer_prepare(bwt_transfer *transfer, const bwt_settings *settings, const bwt_transfer_aim *aim)
{
    forget_answer(transfer);
    curl_easy_reset(transfer->easy);
    CURLcode code = set_request(transfer);
    if (code == CURLE_OK) code = set_callbacks(transfer);
    if (code == CURLE_OK) code = set_bounds(transfer->easy);
    if (code == CURLE_OK) code = set_route(transfer, settings);
    if (code == CURLE_OK) code = set_times(transfer->easy, aim);
    if (code == CURLE_OK && aim->address != NULL) code = set_address(transfer, aim->address);
    if (code == CURLE_OUT_OF_MEMORY) return BWT_ERR_NO_MEMORY;
    return code == CURLE_OK ? BWT_OK : BWT_ERR_UNSUPPORTED;
}

/* ---- the end ---- */

static long info_long(const bwt_transfer *transfer, CURLINFO info)
{
    long value = 0;
    return curl_easy_getinfo(transfer->easy, info, &value) == CURLE_OK ? value : 0;
}

int bwt_transfer_http_status(const bwt_transfer *transfer)
{
    return (int)info_long(transfer, CURLINFO_RESPONSE_CODE);
}

bool bwt_transfer_went_over_kept_connection(const bwt_transfer *transfer)
{
    return transfer->times_requested > 0 && info_long(transfer, CURLINFO_NUM_CONNECTS) == 0;
}

bwt_transfer_end bwt_transfer_ending(const bwt_transfer *transfer, CURLcode code)
{
    return (bwt_transfer_end){
        .code = code,
        .aborted = transfer->aborted,
        .requested = transfer->times_requested > 0,
        .answered = transfer->head.bytes > 0,
        .system_error = info_long(transfer, CURLINFO_OS_ERRNO) != 0,
        .tls = transfer->https,
        .via_proxy = transfer->via_proxy,
        .proxy_status = (int)info_long(transfer, CURLINFO_HTTP_CONNECTCODE),
    };
}
