/* Host names to addresses, outside libcurl: a small cache in front of the pool of lookup threads. Belongs to the
 * engine thread. */
#ifndef BWT_NET_RESOLVER_H
#define BWT_NET_RESOLVER_H

#include "net/addresses.h"
#include "net/list.h"
#include "net/name_pool.h"
#include "net/strmap.h"

typedef struct bwt_resolver {
    bwt_name_pool *pool; /* borrowed */
    bwt_strmap names;
    bwt_link by_age; /* oldest answer first */
} bwt_resolver;

typedef enum bwt_resolution {
    BWT_RESOLVED,     /* *addresses is the caller's reference */
    BWT_RESOLVING,    /* the waiter is linked; take it out to give up, or ask again when it comes back */
    BWT_UNRESOLVABLE, /* no address, or no thread is left to ask */
    BWT_RESOLUTION_NO_MEMORY
} bwt_resolution;

void bwt_resolver_init(bwt_resolver *resolver, bwt_name_pool *pool);
/* Nobody may be waiting any more. Lookups under way go on in the pool, which must be closed already. */
void bwt_resolver_deinit(bwt_resolver *resolver);

bwt_resolution bwt_resolver_ask(bwt_resolver *resolver, bwt_str host, int64_t now_ns, bwt_link *waiter,
                                bwt_addresses **addresses);
/* Takes in what the pool has finished and moves those who waited for it to the list ready. */
void bwt_resolver_collect(bwt_resolver *resolver, int64_t now_ns, bwt_link *ready);
/* None of the host's addresses could be reached: the next one who asks gets a fresh lookup. */
void bwt_resolver_doubt(bwt_resolver *resolver, bwt_str host);
/* This address of the host answers: it is offered first from now on, so that kept connections are found again. */
void bwt_resolver_prefer(bwt_resolver *resolver, bwt_str host, const bwt_address *address);

#endif
