/* A scripted HTTP peer on 127.0.0.1 for the engine's tests: it reads requests and plays replies, byte for byte. */
#ifndef TEST_SUPPORT_LOOPBACK_SERVER_H
#define TEST_SUPPORT_LOOPBACK_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum loopback_end {
    LOOPBACK_KEEP,  /* wait for the next request on the connection */
    LOOPBACK_CLOSE, /* an orderly end */
    LOOPBACK_RESET, /* RST */
    LOOPBACK_STALL  /* send nothing more, until the peer closes */
} loopback_end;

typedef struct loopback_reply {
    const char *data; /* borrowed until the server stops; NULL = nothing is sent */
    size_t len;
    size_t piece_bytes; /* sent in pieces of this size; 0 = at once */
    int pause_ms;       /* before each piece */
    loopback_end end;
    bool unasked;       /* of the first reply: every connection begins with it, before any request */
} loopback_reply;

typedef struct loopback_server loopback_server;

/* The n-th request of all connections together gets the n-th reply; the last reply repeats. Fails the test when there
 * is no socket or thread to be had. */
loopback_server *loopback_start(const loopback_reply *replies, size_t count);
loopback_server *loopback_start_one(loopback_reply reply);
void loopback_stop(loopback_server *server);

int loopback_port(const loopback_server *server);
int loopback_connections(loopback_server *server); /* accepted so far */
int loopback_requests(loopback_server *server);    /* read so far */
/* Waits until so many requests have been read; false after five seconds. */
bool loopback_wait_requests(loopback_server *server, int count);
/* Waits until so many connections were closed by the peer while they stalled or trickled; returns when that was
 * (CLOCK_MONOTONIC, ns), or -1 after five seconds. */
int64_t loopback_wait_closed(loopback_server *server, int count);
/* Copies the head and body of the last request, NUL-terminated and cut to fit. */
void loopback_last_request(loopback_server *server, char *out, size_t size);

/* A port of 127.0.0.1 on which nobody listens. */
int loopback_refusing_port(void);

/* A peer whose backlog is full: connecting to it never ends. */
typedef struct black_hole {
    int listener;
    int filler[8];
    int port;
} black_hole;
/* address: "127.0.0.N"; port 0 = any. */
void black_hole_open(black_hole *hole, const char *address, int port);
void black_hole_close(black_hole *hole);

#endif
