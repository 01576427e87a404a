/* One attempt on the network, from the dial of a plan to an answer: turn with its provider, name lookup, place in the
 * queue, transfer, all inside one slice. Belongs to the engine thread; nothing here knows of plans. */
#ifndef BWT_NET_EXCHANGE_H
#define BWT_NET_EXCHANGE_H

#include "net/admission.h"
#include "net/counters.h"
#include "net/deadline.h"
#include "net/json.h"
#include "net/multi.h"
#include "net/pacing.h"
#include "net/resolver.h"

/* What all exchanges of an engine share. */
typedef struct bwt_exchange_world {
    const bwt_settings *settings;
    bwt_counters *counters;
    bwt_deadlines deadlines;
    bwt_pacing pacing;
    bwt_resolver resolver;
    bwt_admission admission;
    bwt_multi multi;
    bwt_json_parser *parser;
    bwt_link spare;   /* transfers ready for use */
    size_t spare_count;
    bwt_link dropped; /* transfers that nobody waits for, still in the multi handle */
} bwt_exchange_world;

typedef enum bwt_exchange_stage {
    BWT_EXCHANGE_IDLE,
    BWT_EXCHANGE_PACED,     /* waits until its provider may be asked again */
    BWT_EXCHANGE_RESOLVING, /* waits for the name lookup */
    BWT_EXCHANGE_QUEUED,    /* waits for a place */
    BWT_EXCHANGE_DIALLED    /* owns a transfer */
} bwt_exchange_stage;

/* Whom to ask what. Provider and query are borrowed until the exchange is over. */
typedef struct bwt_exchange_order {
    const bwt_provider *provider;
    bwt_str query;
    int64_t max_results;
    int64_t deadline_ns; /* the end of the slice */
    int64_t least_ms;    /* of the slice: with less left after waiting for its turn it is not dialled */
} bwt_exchange_order;

/* Zeroed = idle. The links are how it is found again: by its deadline, turn, name lookup, place, transfer. */
typedef struct bwt_exchange {
    bwt_exchange_stage stage;
    bwt_exchange_order order;
    bwt_deadline deadline;
    bwt_turn turn;
    bwt_link resolving;
    bwt_place place;
    bwt_addresses *addresses; /* NULL: libcurl needs none from us */
    size_t next_address;
    bwt_transfer *transfer;
} bwt_exchange;

bwt_error bwt_exchange_world_init(bwt_exchange_world *world, const bwt_settings *settings, bwt_counters *counters,
                                  bwt_name_pool *names, bwt_poller *poller);
/* Every exchange must be over; removes the dropped transfers. Harmless on a zeroed one. */
void bwt_exchange_world_deinit(bwt_exchange_world *world);

/* Each step returns true while the exchange goes on, and false with *failure when it is over; it is idle then. */
bool bwt_exchange_start(bwt_exchange_world *world, bwt_exchange *exchange, const bwt_exchange_order *order,
                        bwt_failure *failure);
bool bwt_exchange_on_turn(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure);
bool bwt_exchange_on_name(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure);
bool bwt_exchange_on_place(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure);
/* libcurl has finished the transfer. False: over, *answer is filled and the caller's. */
bool bwt_exchange_on_done(bwt_exchange_world *world, bwt_exchange *exchange, CURLcode code, bwt_answer *answer);
/* The slice is over. The exchange is idle then. */
void bwt_exchange_on_deadline(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure);
/* Gives the exchange up at any stage; what it owned is cleaned up later, in bwt_exchange_world_clean. */
void bwt_exchange_stop(bwt_exchange_world *world, bwt_exchange *exchange);

/* Removes at most so many dropped transfers from libcurl, which closes the sockets of unfinished ones. True when none
 * is left. */
bool bwt_exchange_world_clean(bwt_exchange_world *world, size_t most);

/* No detail, no HTTP status, no wait. */
bwt_failure bwt_plain_failure(bwt_attempt_status status, bwt_failure_detail detail);

#endif
