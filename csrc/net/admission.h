/* Who may dial now: at most so many attempts in all and at most so many to one origin; the rest waits, first come
 * first served within an origin and by turns between origins. Belongs to the engine thread. */
#ifndef BWT_NET_ADMISSION_H
#define BWT_NET_ADMISSION_H

#include "net/list.h"
#include "net/strmap.h"

typedef struct bwt_admission {
    int64_t most;
    int64_t most_per_origin;
    int64_t held; /* places taken */
    bwt_strmap origins;
    bwt_link runnable; /* origins with somebody waiting and room left */
} bwt_admission;

/* An attempt's place in the queue, then its permission; lives in the attempt. Zeroed = neither. */
typedef struct bwt_place {
    bwt_link waiting;
    struct bwt_origin_queue *origin;
    bool held;
} bwt_place;

void bwt_admission_init(bwt_admission *admission, int64_t most, int64_t most_per_origin);
/* Joins the queue of the origin; the place is held once bwt_admission_next has returned it. */
bwt_error bwt_admission_enter(bwt_admission *admission, bwt_str origin, bwt_place *place);
/* The next that may dial, or NULL. */
bwt_place *bwt_admission_next(bwt_admission *admission);
/* Gives up the place, held or waiting; harmless on a zeroed one. */
void bwt_admission_leave(bwt_admission *admission, bwt_place *place);

#endif
