/* The engine's one thread: waits for descriptors and times, and hands what happened to the lookups. */
#ifndef BWT_NET_ENGINE_LOOP_H
#define BWT_NET_ENGINE_LOOP_H

#include "net/lookup.h"

typedef struct bwt_engine_loop {
    bwt_lookup_world lookups;
    bwt_poller *poller;
    bwt_wakefd *wake;
    bwt_name_pool *names;
    bwt_link arrivals; /* taken from the inbox, not yet begun */
    bwt_link resolved; /* exchanges whose name lookup has ended, not yet told */
    bool woken;
    bool closing;
} bwt_engine_loop;

/* In the thread that makes the engine. The arguments are borrowed until the loop has been deinitialised. */
bwt_error bwt_engine_loop_init(bwt_engine_loop *loop, const bwt_settings *settings, bwt_inbox *inbox, bwt_wakefd *wake,
                               bwt_counters *counters, bwt_name_pool *names);
/* Runs until the inbox is closed; everything in flight has then been completed as cancelled. */
void bwt_engine_loop_run(bwt_engine_loop *loop);
/* In the thread that has run it, or in the maker's if none has. Harmless on a zeroed one. */
void bwt_engine_loop_deinit(bwt_engine_loop *loop);

#endif
