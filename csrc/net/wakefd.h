/* A descriptor that one thread makes readable to wake another. */
#ifndef BWT_NET_WAKEFD_H
#define BWT_NET_WAKEFD_H

#include "bwt.h"

typedef struct bwt_wakefd {
    int fd; /* -1 = not open */
} bwt_wakefd;

bwt_error bwt_wakefd_open(bwt_wakefd *wake); /* BWT_ERR_SYSTEM leaves it not open */
void bwt_wakefd_close(bwt_wakefd *wake);     /* harmless when it is not open */
void bwt_wakefd_signal(bwt_wakefd *wake);    /* never blocks; any number of signals make it readable once */
void bwt_wakefd_drain(bwt_wakefd *wake);     /* makes it unreadable */

#endif
