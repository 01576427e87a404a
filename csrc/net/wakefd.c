/* The wake-up descriptor is an eventfd; a port without one puts a pipe behind the same header. */
#include "net/wakefd.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

bwt_error bwt_wakefd_open(bwt_wakefd *wake)
{
    wake->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake->fd >= 0 ? BWT_OK : BWT_ERR_SYSTEM;
}

void bwt_wakefd_close(bwt_wakefd *wake)
{
    if (wake->fd >= 0) close(wake->fd);
    wake->fd = -1;
}

void bwt_wakefd_signal(bwt_wakefd *wake)
{
    uint64_t one = 1;
    while (write(wake->fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void bwt_wakefd_drain(bwt_wakefd *wake)
{
    uint64_t count;
    while (read(wake->fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}
