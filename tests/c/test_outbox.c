/* The outbox: order, one wake-up for many completions, a consumer that leaves. */
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "net/monotime.h"
#include "net/outbox.h"
#include "support/check.h"

static bwt_completion *new_completion(bwt_ticket ticket)
{
    bwt_completion *completion = bwt_alloc_zeroed(1, sizeof *completion);
    assert_non_null(completion);
    completion->ticket = ticket;
    return completion;
}

static bool is_readable(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    return poll(&waiting, 1, 0) == 1;
}

static void assert_tickets(bwt_completion *completion, bwt_ticket first, bwt_ticket last)
{
    for (bwt_ticket ticket = first; ticket <= last; ticket++) {
        assert_non_null(completion);
        assert_int_equal(completion->ticket, ticket);
        bwt_completion *next = completion->next;
        bwt_completion_free(completion);
        completion = next;
    }
    assert_null(completion);
}

static void many_pushes_are_one_wake_up(void **state)
{
    (void)state;
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(true, &outbox), BWT_OK);
    int fd = bwt_outbox_fd(outbox);
    assert_false(is_readable(fd));
    assert_null(bwt_outbox_take(outbox));
    for (bwt_ticket ticket = 1; ticket <= 3; ticket++) bwt_outbox_push(outbox, new_completion(ticket));
    assert_true(is_readable(fd));
    assert_true(bwt_outbox_wait(outbox, 0));
    assert_tickets(bwt_outbox_take(outbox), 1, 3);
    assert_false(is_readable(fd));
    assert_false(bwt_outbox_wait(outbox, 0));
    bwt_outbox_push(outbox, new_completion(4));
    assert_true(is_readable(fd));
    assert_tickets(bwt_outbox_take(outbox), 4, 4);
    bwt_outbox_close(outbox);
}

static void without_a_descriptor_there_is_none(void **state)
{
    (void)state;
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    assert_int_equal(bwt_outbox_fd(outbox), -1);
    bwt_outbox_push(outbox, new_completion(1));
    assert_tickets(bwt_outbox_take(outbox), 1, 1);
    bwt_outbox_close(outbox);
}

static void waiting_ends_by_its_limit(void **state)
{
    (void)state;
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    int64_t before_ns = bwt_monotonic_ns();
    assert_false(bwt_outbox_wait(outbox, 20 * NS_PER_MS));
    assert_true(bwt_monotonic_ns() - before_ns >= 20 * NS_PER_MS);
    assert_false(bwt_outbox_wait(outbox, -1));
    assert_false(bwt_outbox_wait(outbox, INT64_MIN));
    bwt_outbox_close(outbox);
}

static void *push_one(void *argument)
{
    bwt_outbox_push(argument, new_completion(7));
    return NULL;
}

static void a_push_wakes_a_blocked_thread(void **state)
{
    (void)state;
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(false, &outbox), BWT_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_one, outbox), 0);
    assert_true(bwt_outbox_wait(outbox, INT64_MAX));
    assert_tickets(bwt_outbox_take(outbox), 7, 7);
    pthread_join(thread, NULL);
    bwt_outbox_close(outbox);
}

static void a_consumer_that_leaves_is_outlived(void **state)
{
    (void)state;
    bwt_outbox *outbox = NULL;
    assert_int_equal(bwt_outbox_new(true, &outbox), BWT_OK);
    bwt_outbox *held = bwt_outbox_retain(outbox);
    bwt_outbox_push(outbox, new_completion(1));
    bwt_outbox_close(outbox);
    bwt_outbox_push(held, new_completion(2)); /* freed at once */
    bwt_outbox_release(held);
    bwt_outbox_close(NULL);
}

static bwt_error make_one(void *context)
{
    (void)context;
    bwt_outbox *outbox = NULL;
    bwt_error error = bwt_outbox_new(true, &outbox);
    bwt_outbox_close(outbox);
    return error;
}

static void no_memory_is_an_error_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(fail_each_allocation(make_one, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(many_pushes_are_one_wake_up),
        leak_checked(without_a_descriptor_there_is_none),
        leak_checked(waiting_ends_by_its_limit),
        leak_checked(a_push_wakes_a_blocked_thread),
        leak_checked(a_consumer_that_leaves_is_outlived),
        leak_checked(no_memory_is_an_error_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
