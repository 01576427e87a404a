/* epoll with a timerfd (absolute, nanoseconds) and lazy deregistration: libcurl drops and asks for the same sockets
 * again with every request, so a descriptor is only taken out when it fires unwanted. */
#include "net/poller.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/mem.h"
#include "net/monotime.h"

enum { MOST_EVENTS = 64, FIRST_CAPACITY = 64 };

typedef struct interest {
    unsigned char registered; /* what the kernel reports */
    unsigned char wanted;
} interest;

struct bwt_poller {
    int epoll_fd;
    int timer_fd;
    int64_t armed_ns; /* when the timer fires; INT64_MAX = disarmed */
    interest *interests; /* indexed by descriptor */
    size_t capacity;
};

static bool open_descriptors(bwt_poller *poller)
{
    poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    poller->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (poller->epoll_fd < 0 || poller->timer_fd < 0) return false;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = poller->timer_fd};
    return epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, poller->timer_fd, &event) == 0;
}

bwt_error bwt_poller_new(bwt_poller **out)
{
    bwt_poller *poller = bwt_alloc_zeroed(1, sizeof *poller);
    if (poller == NULL) return BWT_ERR_NO_MEMORY;
    poller->armed_ns = INT64_MAX;
    if (!open_descriptors(poller)) {
        bwt_poller_free(poller);
        return BWT_ERR_SYSTEM;
    }
    *out = poller;
    return BWT_OK;
}

void bwt_poller_free(bwt_poller *poller)
{
    if (poller == NULL) return;
    if (poller->timer_fd >= 0) close(poller->timer_fd);
    if (poller->epoll_fd >= 0) close(poller->epoll_fd);
    bwt_free(poller->interests);
    bwt_free(poller);
}

static bool cover(bwt_poller *poller, size_t fd)
{
    if (fd < poller->capacity) return true;
    size_t capacity = poller->capacity == 0 ? FIRST_CAPACITY : poller->capacity;
    while (capacity <= fd) capacity *= 2;
    interest *interests = bwt_realloc_array(poller->interests, capacity, sizeof *interests);
    if (interests == NULL) return false;
    memset(interests + poller->capacity, 0, (capacity - poller->capacity) * sizeof *interests);
    poller->interests = interests;
    poller->capacity = capacity;
    return true;
}

static bool control(bwt_poller *poller, int operation, int fd, unsigned wanted)
{
    struct epoll_event event = {.data.fd = fd};
    if (wanted & BWT_POLL_IN) event.events |= EPOLLIN;
    if (wanted & BWT_POLL_OUT) event.events |= EPOLLOUT;
    return epoll_ctl(poller->epoll_fd, operation, fd, &event) == 0;
}

bwt_error bwt_poller_want(bwt_poller *poller, int fd, unsigned wanted)
{
    if (fd < 0 || !cover(poller, (size_t)fd)) return BWT_ERR_NO_MEMORY;
    interest *state = &poller->interests[fd];
    state->wanted = (unsigned char)wanted;
    if (wanted == 0 || wanted == state->registered) return BWT_OK;
    if (!control(poller, state->registered != 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, wanted)) return BWT_ERR_SYSTEM;
    state->registered = (unsigned char)wanted;
    return BWT_OK;
}

static void deregister(bwt_poller *poller, int fd)
{
    control(poller, EPOLL_CTL_DEL, fd, 0);
    poller->interests[fd].registered = 0;
}

void bwt_poller_forget(bwt_poller *poller, int fd)
{
    if (fd < 0 || (size_t)fd >= poller->capacity) return;
    if (poller->interests[fd].registered != 0) deregister(poller, fd);
    poller->interests[fd].wanted = 0;
}

/* Arms the timer only for a time earlier than it is armed for; a timer that fires too early costs one more turn,
 * which is cheaper than moving it with every attempt that ends. */
static void arm_timer(bwt_poller *poller, int64_t until_ns)
{
    if (until_ns >= poller->armed_ns) return;
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(until_ns / BWT_NS_PER_S),
                                           .tv_nsec = (long)(until_ns % BWT_NS_PER_S)}};
    timerfd_settime(poller->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
    poller->armed_ns = until_ns;
}

static void timer_fired(bwt_poller *poller)
{
    uint64_t count;
    ssize_t got = read(poller->timer_fd, &count, sizeof count);
    (void)got; /* nothing to read means that it was moved meanwhile */
    poller->armed_ns = INT64_MAX;
}

static unsigned ready_of(uint32_t events)
{
    unsigned ready = 0;
    if (events & EPOLLIN) ready |= BWT_POLL_IN;
    if (events & EPOLLOUT) ready |= BWT_POLL_OUT;
    if (events & (EPOLLERR | EPOLLHUP)) ready |= BWT_POLL_ERROR;
    return ready;
}

size_t bwt_poller_wait(bwt_poller *poller, int64_t until_ns, bwt_poll_event *events, size_t capacity)
{
    struct epoll_event got[MOST_EVENTS];
    bool look_only = until_ns <= bwt_monotonic_ns();
    if (!look_only) arm_timer(poller, until_ns);
    int most = capacity < MOST_EVENTS ? (int)capacity : MOST_EVENTS;
    int count = epoll_wait(poller->epoll_fd, got, most, look_only ? 0 : -1);
    size_t written = 0;
    for (int i = 0; i < count; i++) {
        int fd = got[i].data.fd;
        if (fd == poller->timer_fd) {
            timer_fired(poller);
            continue;
        }
        unsigned ready = ready_of(got[i].events);
        unsigned wanted = poller->interests[fd].wanted | BWT_POLL_ERROR;
        if (poller->interests[fd].wanted == 0) {
            deregister(poller, fd);
        } else if ((ready & wanted) != 0) {
            events[written++] = (bwt_poll_event){fd, ready};
        }
    }
    return written;
}
