/* The socket and timer callbacks. They only note what libcurl wants; calling it back from here is forbidden. */
#include "net/multi.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/mem.h"
#include "net/curl_once.h"
#include "net/monotime.h"

enum {
    FIRST_DESCRIPTORS = 64,
    KEPT_CONNECTIONS = 256,
    QUICK_EXIT_SINCE = 0x081400, /* 8.20 */
    MULTI_QUICK_EXIT = 21        /* CURLMOPT_QUICK_EXIT, which older headers lack */
};

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    (void)easy, (void)socket_context;
    bwt_multi *multi = context;
    unsigned wanted = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) wanted |= BWT_POLL_IN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) wanted |= BWT_POLL_OUT;
    /* A failure would poison the whole multi handle; without events the one transfer ends at its deadline. */
    (void)bwt_poller_want(multi->poller, fd, wanted);
    return 0;
}

static int on_timer(CURLM *handle, long timeout_ms, void *context)
{
    (void)handle;
    bwt_multi *multi = context;
    multi->due_ns = timeout_ms < 0 ? INT64_MAX : bwt_ns_after_ms(bwt_monotonic_ns(), timeout_ms);
    return 0;
}

/* Without memory a connection is just not counted. */
static void count_open(bwt_multi *multi, int fd)
{
    size_t at = (size_t)fd;
    if (at >= multi->is_open_size) {
        size_t size = multi->is_open_size == 0 ? FIRST_DESCRIPTORS : multi->is_open_size;
        while (size <= at) size *= 2;
        unsigned char *is_open = bwt_realloc_array(multi->is_open, size, 1);
        if (is_open == NULL) return;
        memset(is_open + multi->is_open_size, 0, size - multi->is_open_size);
        multi->is_open = is_open;
        multi->is_open_size = size;
    }
    if (multi->is_open[at]) return; /* the one before with this number was closed unseen */
    multi->is_open[at] = 1;
    bwt_count_up(&multi->counters->connections);
}

static void count_closed(bwt_multi *multi, int fd)
{
    if ((size_t)fd >= multi->is_open_size || !multi->is_open[fd]) return;
    multi->is_open[fd] = 0;
    bwt_count_down(&multi->counters->connections);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    bwt_transfer *transfer = context;
    bwt_multi *multi = transfer->multi;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) return CURL_SOCKET_BAD;
    transfer->socket_fd = fd;
    bwt_poller_forget(multi->poller, fd);
    count_open(multi, fd);
    return fd;
}

static int close_socket(void *context, curl_socket_t fd)
{
    bwt_multi *multi = context;
    bwt_poller_forget(multi->poller, fd);
    count_closed(multi, fd);
    return close(fd);
}

static bool set_multi_options(bwt_multi *multi)
{
    CURLM *handle = multi->handle;
    if (bwt_curl_version() >= QUICK_EXIT_SINCE) curl_multi_setopt(handle, (CURLMoption)MULTI_QUICK_EXIT, 1L);
    return curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, multi) == CURLM_OK &&
           curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
           curl_multi_setopt(handle, CURLMOPT_TIMERDATA, multi) == CURLM_OK &&
           curl_multi_setopt(handle, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS) == CURLM_OK;
}

bwt_error bwt_multi_init(bwt_multi *multi, bwt_poller *poller, bwt_counters *counters)
{
    *multi = (bwt_multi){.poller = poller, .counters = counters, .due_ns = INT64_MAX};
    multi->handle = curl_multi_init();
    multi->share = curl_share_init();
    if (multi->handle == NULL || multi->share == NULL || !set_multi_options(multi) ||
        curl_share_setopt(multi->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK) {
        bwt_multi_deinit(multi);
        return BWT_ERR_NO_MEMORY;
    }
    return BWT_OK;
}

void bwt_multi_deinit(bwt_multi *multi)
{
    if (multi->handle != NULL) curl_multi_cleanup(multi->handle);
    if (multi->share != NULL) curl_share_cleanup(multi->share);
    multi->handle = NULL;
    multi->share = NULL;
    for (size_t fd = 0; fd < multi->is_open_size; fd++) count_closed(multi, (int)fd);
    bwt_free(multi->is_open);
    multi->is_open = NULL;
    multi->is_open_size = 0;
}

static CURLcode equip(bwt_multi *multi, bwt_transfer *transfer)
{
    CURL *easy = transfer->easy;
    transfer->multi = multi;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SHARE, multi->share);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, multi);
    return code;
}

bwt_error bwt_multi_add(bwt_multi *multi, bwt_transfer *transfer)
{
    if (equip(multi, transfer) != CURLE_OK) return BWT_ERR_NO_MEMORY;
    return curl_multi_add_handle(multi->handle, transfer->easy) == CURLM_OK ? BWT_OK : BWT_ERR_NO_MEMORY;
}

void bwt_multi_remove(bwt_multi *multi, bwt_transfer *transfer)
{
    curl_multi_remove_handle(multi->handle, transfer->easy);
    int fd = transfer->socket_fd;
    if (fd >= 0 && transfer->times_requested == 0 && fcntl(fd, F_GETFD) < 0) count_closed(multi, fd);
}

void bwt_multi_on_ready(bwt_multi *multi, int fd, unsigned ready)
{
    int mask = 0, running;
    if (ready & BWT_POLL_IN) mask |= CURL_CSELECT_IN;
    if (ready & BWT_POLL_OUT) mask |= CURL_CSELECT_OUT;
    if (ready & BWT_POLL_ERROR) mask |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi->handle, fd, mask, &running);
}

void bwt_multi_on_time(bwt_multi *multi, int64_t now_ns)
{
    if (now_ns < multi->due_ns) return;
    int running;
    multi->due_ns = INT64_MAX; /* libcurl sets it anew while it runs */
    curl_multi_socket_action(multi->handle, CURL_SOCKET_TIMEOUT, 0, &running);
}

bwt_transfer *bwt_multi_next_done(bwt_multi *multi, CURLcode *code)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi->handle, &left)) != NULL) {
        char *transfer = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        return (bwt_transfer *)transfer;
    }
    return NULL;
}
