/* The engine's options, checked and owned. */
#ifndef BWT_NET_SETTINGS_H
#define BWT_NET_SETTINGS_H

#include "bwt.h"

/* Texts are NUL-terminated and NULL when not set. Immutable once made. */
typedef struct bwt_settings {
    int64_t max_in_flight;
    int64_t max_per_host;
    int64_t resolver_threads;
    char *http_proxy;  /* for http targets */
    char *https_proxy; /* for https targets */
    char *no_proxy;    /* hosts that are reached directly; "" = none */
    char *ca_bundle;
    char *client_cert;
    char *interface;
    bool http2;
    bool rest;
} bwt_settings;

/* With trust_env the proxy variables are read here, once: libcurl would read them in the engine's thread, in a race
 * with whoever changes the environment. */
bwt_error bwt_settings_init(bwt_settings *settings, const bwt_engine_options *options, bwt_complaint *complaint);
void bwt_settings_deinit(bwt_settings *settings);

/* The proxy for a target, NULL = reached directly (unless no_proxy says so, which libcurl decides). */
const char *bwt_settings_proxy(const bwt_settings *settings, bool https);

#endif
