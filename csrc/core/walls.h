/* Phrases that mark a hit as a wall (login, consent, bot check) instead of an answer. */
#ifndef BWT_CORE_WALLS_H
#define BWT_CORE_WALLS_H

#include "bwt.h"

typedef struct bwt_wall_marker {
    const char *phrase; /* NFKC case-folded */
    bool strong;        /* condemns at any length; the others only where little else is said */
} bwt_wall_marker;

size_t bwt_wall_marker_count(void);
bwt_wall_marker bwt_wall_marker_at(size_t index);

#endif
