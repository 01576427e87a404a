/* When a provider may be asked: its minimum interval between two requests, and its rest after a refusal. Kept for each
 * transport (name and origin) of one engine, never stored. Reads no clock; belongs to the engine thread. */
#ifndef BWT_NET_PACING_H
#define BWT_NET_PACING_H

#include "net/deadline.h"
#include "net/list.h"
#include "net/strmap.h"

#define BWT_DEFAULT_REST_MS INT64_C(60000)
#define BWT_LONGEST_REST_MS INT64_C(3600000)

typedef struct bwt_pacing {
    bool rests; /* false: refusals are not remembered */
    bwt_strmap providers;
    bwt_link known;       /* the same ones, in the order in which they were met */
    bwt_deadlines turns;  /* when the first who waits for a provider may go on */
    int64_t all_rested_ns; /* no provider rests beyond this */
    size_t sweep_at;      /* so many known ones are looked through for those that can be forgotten */
} bwt_pacing;

/* An attempt's turn with its provider; lives in the attempt. Zeroed = it needs none or has used it. */
typedef struct bwt_turn {
    bwt_link waiting;
    struct bwt_paced_provider *provider;
    bool has_come;
} bwt_turn;

typedef enum bwt_turn_answer {
    BWT_TURN_NOW,
    BWT_TURN_LATER,   /* bwt_pacing_next will return it */
    BWT_TURN_TOO_LATE, /* it would come with less than the least time left */
    BWT_TURN_NO_MEMORY
} bwt_turn_answer;

void bwt_pacing_init(bwt_pacing *pacing, bool rests);
void bwt_pacing_deinit(bwt_pacing *pacing); /* nobody may be waiting any more */

/* Asks for a turn with a provider whose requests must lie interval_ms (>= 1) apart. Turns come in the order in which
 * they were asked for, each when the one before has dialled and the interval since then is over. */
bwt_turn_answer bwt_pacing_ask(bwt_pacing *pacing, bwt_str provider, int64_t interval_ms, int64_t now_ns,
                               int64_t deadline_ns, int64_t least_ms, bwt_turn *turn);
/* The next whose turn has come, or NULL. */
bwt_turn *bwt_pacing_next(bwt_pacing *pacing, int64_t now_ns);
/* INT64_MAX = nobody waits for a time. */
int64_t bwt_pacing_next_ns(const bwt_pacing *pacing);
/* The attempt sends its request now: the interval begins. Harmless on a zeroed turn, like giving up. */
void bwt_pacing_use(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ns);
void bwt_pacing_give_up(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ns);

/* A refusal that names a wait rests the provider for so long, a quota or a rejected key for BWT_DEFAULT_REST_MS when
 * none is named; never for more than BWT_LONGEST_REST_MS. Other failures do nothing. Without memory it is not rested. */
void bwt_pacing_refused(bwt_pacing *pacing, bwt_str provider, const bwt_failure *failure, int64_t now_ns);
/* Milliseconds that the provider still rests, rounded up; 0 = it may be asked. */
int64_t bwt_pacing_rest_ms(bwt_pacing *pacing, bwt_str provider, int64_t now_ns);

#endif
