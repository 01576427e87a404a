/* A min-heap of absolute deadlines. The nodes live in what they belong to; the heap holds pointers. */
#ifndef BWT_NET_DEADLINE_H
#define BWT_NET_DEADLINE_H

#include "bwt.h"

typedef struct bwt_deadline {
    int64_t at_ns; /* CLOCK_MONOTONIC */
    size_t place;  /* 1 .. count in the heap; 0 = not armed */
} bwt_deadline;

typedef struct bwt_deadlines {
    bwt_deadline **heap; /* heap[place - 1] */
    size_t count;
    size_t capacity;
} bwt_deadlines;

void bwt_deadlines_init(bwt_deadlines *deadlines);
void bwt_deadlines_deinit(bwt_deadlines *deadlines); /* nothing must be armed any more */
/* Arms it, or moves it when it is armed; moving needs no memory. */
bwt_error bwt_deadline_arm(bwt_deadlines *deadlines, bwt_deadline *deadline, int64_t at_ns);
void bwt_deadline_disarm(bwt_deadlines *deadlines, bwt_deadline *deadline); /* harmless when it is not armed */
int64_t bwt_deadlines_first_ns(const bwt_deadlines *deadlines);            /* INT64_MAX = none */
/* Takes out the earliest one that is due at now_ns (at_ns <= now_ns: never early), or NULL. */
bwt_deadline *bwt_deadlines_pop_due(bwt_deadlines *deadlines, int64_t now_ns);

#endif
