/* From the hits of a useful answer to the results of a receipt: redacted first, then cut. */
#ifndef BWT_CORE_RESULTS_H
#define BWT_CORE_RESULTS_H

#include "bwt.h"

/* Owns its text. Redacting any of the texts again changes nothing. */
typedef struct bwt_results {
    bwt_hit *hits;
    size_t count;
    bool truncated; /* something was cut or dropped */
    bwt_text text;
} bwt_results;

/* clean: one byte a hit, 0 = leave it out without counting it as truncated; NULL = all hits are clean. */
bwt_error bwt_results_init(bwt_results *results, const bwt_response *response, const unsigned char *clean,
                           const bwt_policy *policy);
void bwt_results_deinit(bwt_results *results);

#endif
