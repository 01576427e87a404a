/* Copies what getaddrinfo found, up to a cap, and writes each address out once. */
#include "net/addresses.h"

#include <arpa/inet.h>
#include <string.h>

#include "core/mem.h"

static bool is_usable(const struct addrinfo *info)
{
    return info->ai_addr != NULL && ((info->ai_family == AF_INET && info->ai_addrlen == sizeof(struct sockaddr_in)) ||
                                     (info->ai_family == AF_INET6 && info->ai_addrlen == sizeof(struct sockaddr_in6)));
}

static bool take(bwt_address *address, const struct addrinfo *info)
{
    memcpy(&address->sockaddr, info->ai_addr, info->ai_addrlen);
    address->sockaddr_len = info->ai_addrlen;
    return getnameinfo(&address->sockaddr.any, address->sockaddr_len, address->text, sizeof address->text, NULL, 0,
                       NI_NUMERICHOST) == 0;
}

bwt_addresses *bwt_addresses_new(const struct addrinfo *found)
{
    size_t count = 0;
    for (const struct addrinfo *info = found; info != NULL; info = info->ai_next) count += is_usable(info);
    if (count > BWT_MAX_ADDRESSES) count = BWT_MAX_ADDRESSES;
    if (count == 0) return NULL;
    bwt_addresses *addresses = bwt_alloc_zeroed(1, sizeof *addresses + count * sizeof addresses->list[0]);
    if (addresses == NULL) return NULL;
    addresses->references = 1;
    for (const struct addrinfo *info = found; info != NULL && addresses->count < count; info = info->ai_next) {
        if (is_usable(info) && take(&addresses->list[addresses->count], info)) addresses->count++;
    }
    if (addresses->count > 0) return addresses;
    bwt_addresses_release(addresses);
    return NULL;
}

bwt_addresses *bwt_addresses_retain(bwt_addresses *addresses)
{
    addresses->references++;
    return addresses;
}

void bwt_addresses_release(bwt_addresses *addresses)
{
    if (addresses != NULL && --addresses->references == 0) bwt_free(addresses);
}

bool bwt_host_is_numeric(const char *host)
{
    unsigned char address[sizeof(struct in6_addr)];
    char bare[INET6_ADDRSTRLEN];
    if (inet_pton(AF_INET, host, address) == 1) return true;
    size_t len = strcspn(host, "%"); /* a zone may follow an IPv6 address */
    if (len >= sizeof bare) return false;
    memcpy(bare, host, len);
    bare[len] = '\0';
    return inet_pton(AF_INET6, bare, address) == 1;
}
