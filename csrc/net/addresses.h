/* The addresses of one host, as a name lookup brought them. */
#ifndef BWT_NET_ADDRESSES_H
#define BWT_NET_ADDRESSES_H

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "bwt.h"

enum { BWT_MAX_ADDRESSES = 16, BWT_ADDRESS_CHARS = INET6_ADDRSTRLEN + 18 /* a zone name */ };

typedef struct bwt_address {
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } sockaddr; /* port 0 */
    socklen_t sockaddr_len;
    char text[BWT_ADDRESS_CHARS]; /* numeric, without brackets */
} bwt_address;

/* Immutable; the order is getaddrinfo's. The references are not atomic: one thread at a time. */
typedef struct bwt_addresses {
    size_t references;
    size_t count; /* >= 1 */
    bwt_address list[];
} bwt_addresses;

/* NULL when there is no memory or nothing usable in the list. */
bwt_addresses *bwt_addresses_new(const struct addrinfo *found);
bwt_addresses *bwt_addresses_retain(bwt_addresses *addresses);
void bwt_addresses_release(bwt_addresses *addresses); /* NULL is fine */

/* Whether the host (NUL-terminated, without brackets) is an address already. */
bool bwt_host_is_numeric(const char *host);

#endif
