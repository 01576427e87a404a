/* One thread accepts, one thread serves each connection. */
#include "support/loopback_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

enum { MOST_CONNECTIONS = 2048, REQUEST_BYTES = 16 * 1024, WAIT_MS = 5000, STACK_BYTES = 256 * 1024 };

typedef struct connection {
    loopback_server *server;
    pthread_t thread;
    int fd; /* -1 once closed */
} connection;

struct loopback_server {
    int listener;
    int port;
    pthread_t acceptor;
    const loopback_reply *replies;
    size_t reply_count;
    loopback_reply single;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    bool stopping;
    int accepted;
    int requests;
    int closed_by_peer;
    int64_t last_close_ns;
    char last_request[REQUEST_BYTES];
    connection connections[MOST_CONNECTIONS];
};

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- one connection ---- */

/* True when the peer has closed within the time; -1 waits for ever (until loopback_stop shuts the socket down). */
static bool peer_closes_within(int fd, int timeout_ms)
{
    struct pollfd waiting = {.fd = fd, .events = POLLRDHUP};
    return poll(&waiting, 1, timeout_ms) > 0;
}

static void note_peer_close(loopback_server *server)
{
    pthread_mutex_lock(&server->mutex);
    if (!server->stopping) {
        server->closed_by_peer++;
        server->last_close_ns = clock_ns();
        pthread_cond_broadcast(&server->changed);
    }
    pthread_mutex_unlock(&server->mutex);
}

static size_t body_length(const char *head)
{
    const char *field = strcasestr(head, "\r\nContent-Length:");
    return field != NULL ? (size_t)strtoul(field + strlen("\r\nContent-Length:"), NULL, 10) : 0;
}

/* Reads one request with its body; false when the peer closes or sends too much. */
static bool read_request(int fd, char *request)
{
    size_t len = 0;
    for (;;) {
        request[len] = '\0';
        const char *end = strstr(request, "\r\n\r\n");
        if (end != NULL && len >= (size_t)(end + 4 - request) + body_length(request)) return true;
        ssize_t got = len + 1 < REQUEST_BYTES ? recv(fd, request + len, REQUEST_BYTES - 1 - len, 0) : 0;
        if (got <= 0) return false;
        len += (size_t)got;
    }
}

static bool send_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, data, len, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data += sent;
        len -= (size_t)sent;
    }
    return true;
}

static bool play(int fd, const loopback_reply *reply)
{
    size_t piece = reply->piece_bytes > 0 ? reply->piece_bytes : reply->len;
    for (size_t at = 0; at < reply->len; at += piece) {
        if (reply->pause_ms > 0 && peer_closes_within(fd, reply->pause_ms)) return false;
        if (!send_all(fd, reply->data + at, reply->len - at < piece ? reply->len - at : piece)) return false;
    }
    return true;
}

static const loopback_reply *next_reply(loopback_server *server, const char *request)
{
    pthread_mutex_lock(&server->mutex);
    size_t number = (size_t)server->requests++;
    memcpy(server->last_request, request, strlen(request) + 1);
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
    return &server->replies[number < server->reply_count ? number : server->reply_count - 1];
}

/* True when the connection goes on. */
static bool answer(connection *self, const loopback_reply *reply)
{
    if (!play(self->fd, reply)) {
        note_peer_close(self->server);
        return false;
    }
    if (reply->end == LOOPBACK_STALL && peer_closes_within(self->fd, -1)) note_peer_close(self->server);
    if (reply->end == LOOPBACK_RESET) {
        struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        setsockopt(self->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    return reply->end == LOOPBACK_KEEP;
}

static void serve_requests(connection *self, char *request)
{
    if (self->server->replies[0].unasked && !answer(self, &self->server->replies[0])) return;
    while (read_request(self->fd, request) && answer(self, next_reply(self->server, request))) {
    }
}

static void *run_connection(void *argument)
{
    connection *self = argument;
    char *request = malloc(REQUEST_BYTES);
    if (request != NULL) serve_requests(self, request);
    free(request);
    pthread_mutex_lock(&self->server->mutex);
    close(self->fd);
    self->fd = -1;
    pthread_mutex_unlock(&self->server->mutex);
    return NULL;
}

/* ---- the server ---- */

static void start_connection_locked(loopback_server *server, int fd)
{
    connection *next = &server->connections[server->accepted];
    *next = (connection){.server = server, .fd = fd};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&next->thread, &attributes, run_connection, next) == 0) {
        server->accepted++;
    } else {
        close(fd);
    }
    pthread_attr_destroy(&attributes);
}

static void *run_acceptor(void *argument)
{
    loopback_server *server = argument;
    for (;;) {
        int fd = accept(server->listener, NULL, NULL);
        pthread_mutex_lock(&server->mutex);
        bool stopping = server->stopping;
        if (fd >= 0 && (stopping || server->accepted == MOST_CONNECTIONS)) {
            close(fd);
        } else if (fd >= 0) {
            start_connection_locked(server, fd);
        }
        pthread_mutex_unlock(&server->mutex);
        if (stopping) return NULL;
    }
}

static int bind_loopback(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        fail_msg("no loopback socket");
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static loopback_server *new_server(void)
{
    loopback_server *server = calloc(1, sizeof *server);
    assert_non_null(server);
    server->listener = bind_loopback(&server->port);
    pthread_mutex_init(&server->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&server->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return server;
}

static loopback_server *launch(loopback_server *server)
{
    assert_int_equal(listen(server->listener, 1024), 0);
    assert_int_equal(pthread_create(&server->acceptor, NULL, run_acceptor, server), 0);
    return server;
}

loopback_server *loopback_start(const loopback_reply *replies, size_t count)
{
    loopback_server *server = new_server();
    server->replies = replies;
    server->reply_count = count;
    return launch(server);
}

loopback_server *loopback_start_one(loopback_reply reply)
{
    loopback_server *server = new_server();
    server->single = reply;
    server->replies = &server->single;
    server->reply_count = 1;
    return launch(server);
}

void loopback_stop(loopback_server *server)
{
    pthread_mutex_lock(&server->mutex);
    server->stopping = true;
    for (int i = 0; i < server->accepted; i++) {
        if (server->connections[i].fd >= 0) shutdown(server->connections[i].fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->mutex);
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    for (int i = 0; i < server->accepted; i++) pthread_join(server->connections[i].thread, NULL);
    close(server->listener);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->mutex);
    free(server);
}

int loopback_port(const loopback_server *server)
{
    return server->port;
}

static int read_locked(loopback_server *server, const int *counter)
{
    pthread_mutex_lock(&server->mutex);
    int value = *counter;
    pthread_mutex_unlock(&server->mutex);
    return value;
}

int loopback_connections(loopback_server *server)
{
    return read_locked(server, &server->accepted);
}

int loopback_requests(loopback_server *server)
{
    return read_locked(server, &server->requests);
}

static bool wait_until_locked(loopback_server *server, const int *counter, int count)
{
    int64_t until_ns = clock_ns() + (int64_t)WAIT_MS * NS_PER_MS;
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    while (*counter < count) {
        if (pthread_cond_timedwait(&server->changed, &server->mutex, &until) != 0) return false;
    }
    return true;
}

bool loopback_wait_requests(loopback_server *server, int count)
{
    pthread_mutex_lock(&server->mutex);
    bool reached = wait_until_locked(server, &server->requests, count);
    pthread_mutex_unlock(&server->mutex);
    return reached;
}

int64_t loopback_wait_closed(loopback_server *server, int count)
{
    pthread_mutex_lock(&server->mutex);
    bool reached = wait_until_locked(server, &server->closed_by_peer, count);
    int64_t at_ns = reached ? server->last_close_ns : -1;
    pthread_mutex_unlock(&server->mutex);
    return at_ns;
}

void loopback_last_request(loopback_server *server, char *out, size_t size)
{
    pthread_mutex_lock(&server->mutex);
    strncpy(out, server->last_request, size - 1);
    out[size - 1] = '\0';
    pthread_mutex_unlock(&server->mutex);
}

int loopback_refusing_port(void)
{
    int port;
    close(bind_loopback(&port));
    return port;
}

void black_hole_open(black_hole *hole, const char *address, int port)
{
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof peer;
    assert_int_equal(inet_pton(AF_INET, address, &peer.sin_addr), 1);
    hole->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(hole->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    assert_int_equal(bind(hole->listener, (struct sockaddr *)&peer, sizeof peer), 0);
    assert_int_equal(listen(hole->listener, 0), 0);
    assert_int_equal(getsockname(hole->listener, (struct sockaddr *)&peer, &len), 0);
    hole->port = ntohs(peer.sin_port);
    for (size_t i = 0; i < COUNT_OF(hole->filler); i++) {
        hole->filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(hole->filler[i], (struct sockaddr *)&peer, sizeof peer);
    }
}

void black_hole_close(black_hole *hole)
{
    for (size_t i = 0; i < COUNT_OF(hole->filler); i++) close(hole->filler[i]);
    close(hole->listener);
}
