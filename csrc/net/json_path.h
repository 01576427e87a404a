/* Paths into an answer, as specs write them: member names joined by dots, [0] for one element of a list, [] for all.
 *
 *     results   web.results   title[0]   highlights[]   primary_location.landing_page_url
 *
 * An empty path is the value it starts from. */
#ifndef BWT_NET_JSON_PATH_H
#define BWT_NET_JSON_PATH_H

#include "net/arena.h"
#include "net/json.h"

typedef enum bwt_path_step_kind { BWT_STEP_MEMBER = 1, BWT_STEP_INDEX, BWT_STEP_EACH } bwt_path_step_kind;

typedef struct bwt_path_step {
    bwt_path_step_kind kind;
    bwt_str name;
    size_t index;
} bwt_path_step;

enum { BWT_PATH_MAX_STEPS = 8 };

typedef struct bwt_path {
    const bwt_path_step *steps;
    size_t count;
} bwt_path;

/* The steps live in the arena. BWT_ERR_INVALID: not a path; at most one [] and BWT_PATH_MAX_STEPS steps. */
bwt_error bwt_path_parse(bwt_arena *arena, bwt_str text, bwt_path *out);

/* Visits what the path leads to: one value, or with [] each of several, in order. */
typedef struct bwt_path_walk {
    const bwt_path *path;
    size_t each_at; /* index of the [] step; count without one */
    bwt_json_iter iter;
    bwt_json only;
} bwt_path_walk;
bwt_path_walk bwt_path_start(const bwt_path *path, bwt_json from);
/* Missing values are passed over; false at the end. */
bool bwt_path_next(bwt_path_walk *walk, bwt_json *value);

/* The first value that the path leads to, or a missing one. */
bwt_json bwt_path_first(const bwt_path *path, bwt_json from);

#endif
