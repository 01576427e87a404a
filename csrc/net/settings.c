/* Copies the options, so that the caller's memory is not needed after the engine has started. */
#include "net/settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"

enum { MOST_IN_FLIGHT = 1000000, MOST_RESOLVER_THREADS = 64 };

void bwt_engine_options_init(bwt_engine_options *options)
{
    *options = (bwt_engine_options){
        .max_in_flight = 10000, .max_per_host = 128, .resolver_threads = 8, .rest = true};
}

static bwt_error check_count(const char *field, int64_t value, int64_t highest, const char *expected,
                             bwt_complaint *complaint)
{
    if (value >= 1 && value <= highest) return BWT_OK;
    bwt_complain(complaint, field, expected);
    return BWT_ERR_INVALID;
}

static bwt_error copy_text(char **out, const char *field, bwt_str text, bwt_complaint *complaint)
{
    if (text.len == 0) return BWT_OK; /* empty means the same as not set */
    if (memchr(text.data, '\0', text.len) != NULL) {
        bwt_complain(complaint, field, "text without NUL");
        return BWT_ERR_INVALID;
    }
    *out = bwt_alloc(text.len + 1);
    if (*out == NULL) return BWT_ERR_NO_MEMORY;
    memcpy(*out, text.data, text.len);
    (*out)[text.len] = '\0';
    return BWT_OK;
}

/* The first of the variables that is set and not empty. HTTP_PROXY in capitals is not among them: a web server
 * sets it from a request's header. */
static bwt_error copy_variable(char **out, const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *value = getenv(*names);
        if (value != NULL && *value != '\0') return copy_text(out, "", bwt_str_c(value), NULL);
    }
    return BWT_OK;
}

static bwt_error read_environment(bwt_settings *settings)
{
    static const char *const for_http[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const for_https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
    static const char *const exceptions[] = {"no_proxy", "NO_PROXY", NULL};
    bwt_error error = copy_variable(&settings->http_proxy, for_http);
    if (error == BWT_OK) error = copy_variable(&settings->https_proxy, for_https);
    if (error == BWT_OK) error = copy_variable(&settings->no_proxy, exceptions);
    return error;
}

static bwt_error copy_texts(bwt_settings *settings, const bwt_engine_options *options, bwt_complaint *complaint)
{
    bwt_error error = copy_text(&settings->ca_bundle, "ca_bundle", options->ca_bundle, complaint);
    if (error == BWT_OK) error = copy_text(&settings->client_cert, "client_cert", options->client_cert, complaint);
    if (error == BWT_OK) error = copy_text(&settings->interface, "interface", options->interface, complaint);
    if (error != BWT_OK) return error;
    if (options->proxy.len == 0) return options->trust_env ? read_environment(settings) : BWT_OK;
    error = copy_text(&settings->http_proxy, "proxy", options->proxy, complaint);
    if (error == BWT_OK) error = copy_text(&settings->https_proxy, "proxy", options->proxy, complaint);
    return error;
}

bwt_error bwt_settings_init(bwt_settings *settings, const bwt_engine_options *options, bwt_complaint *complaint)
{
    *settings = (bwt_settings){.max_in_flight = options->max_in_flight,
                               .max_per_host = options->max_per_host,
                               .resolver_threads = options->resolver_threads,
                               .http2 = options->http2,
                               .rest = options->rest};
    bwt_error error =
        check_count("max_in_flight", options->max_in_flight, MOST_IN_FLIGHT, "1 to 1,000,000", complaint);
    if (error == BWT_OK) {
        error = check_count("max_per_host", options->max_per_host, MOST_IN_FLIGHT, "1 to 1,000,000", complaint);
    }
    if (error == BWT_OK) {
        error = check_count("resolver_threads", options->resolver_threads, MOST_RESOLVER_THREADS, "1 to 64", complaint);
    }
    if (error == BWT_OK) error = copy_texts(settings, options, complaint);
    if (error != BWT_OK) bwt_settings_deinit(settings);
    return error;
}

void bwt_settings_deinit(bwt_settings *settings)
{
    char **texts[] = {&settings->http_proxy, &settings->https_proxy, &settings->no_proxy,
                      &settings->ca_bundle,  &settings->client_cert, &settings->interface};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bwt_free(*texts[i]);
        *texts[i] = NULL;
    }
}

const char *bwt_settings_proxy(const bwt_settings *settings, bool https)
{
    return https ? settings->https_proxy : settings->http_proxy;
}
