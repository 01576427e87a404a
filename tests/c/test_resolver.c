/* The cache in front of the lookup threads: who shares a lookup, how long an answer lives, which address comes first.
 * Time is an argument; getaddrinfo is this program's own. */
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/monotime.h"
#include "net/resolver.h"
#include "support/engines.h"

static atomic_int asked;

static struct addrinfo *new_entry(const char *address, struct addrinfo *next)
{
    struct addrinfo *entry = calloc(1, sizeof *entry + sizeof(struct sockaddr_in));
    if (entry == NULL) abort();
    struct sockaddr_in *peer = (struct sockaddr_in *)(entry + 1);
    peer->sin_family = AF_INET;
    inet_pton(AF_INET, address, &peer->sin_addr);
    entry->ai_family = AF_INET;
    entry->ai_addrlen = sizeof *peer;
    entry->ai_addr = (struct sockaddr *)peer;
    entry->ai_next = next;
    return entry;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    (void)service, (void)hints;
    atomic_fetch_add(&asked, 1);
    if (strncmp(name, "none", 4) == 0) return EAI_NONAME;
    *out = new_entry("192.0.2.1", new_entry("192.0.2.2", NULL));
    return 0;
}

void freeaddrinfo(struct addrinfo *entry)
{
    while (entry != NULL) {
        struct addrinfo *next = entry->ai_next;
        free(entry);
        entry = next;
    }
}

/* ---- a resolver with its pool ---- */

typedef struct fixture {
    bwt_wakefd wake;
    bwt_name_pool *pool;
    bwt_resolver resolver;
    int asked_before;
} fixture;

static void open_fixture(fixture *self)
{
    assert_int_equal(bwt_wakefd_open(&self->wake), BWT_OK);
    assert_int_equal(bwt_name_pool_new(2, 4, &self->wake, &self->pool), BWT_OK);
    bwt_resolver_init(&self->resolver, self->pool);
    self->asked_before = atomic_load(&asked);
}

static void close_fixture(fixture *self)
{
    bwt_name_pool_close(self->pool);
    bwt_resolver_deinit(&self->resolver);
    bwt_name_pool_release(self->pool);
    bwt_wakefd_close(&self->wake);
}

static int asked_in(const fixture *self)
{
    return atomic_load(&asked) - self->asked_before;
}

static bwt_resolution ask(fixture *self, const char *host, int64_t now_ns, bwt_link *waiter, bwt_addresses **addresses)
{
    *addresses = NULL;
    bwt_link_init(waiter);
    return bwt_resolver_ask(&self->resolver, (bwt_str){host, strlen(host)}, now_ns, waiter, addresses);
}

/* Waits until the pool has finished something and takes it in. */
static void collect(fixture *self, int64_t now_ns, bwt_link *ready)
{
    struct pollfd waiting = {.fd = self->wake.fd, .events = POLLIN};
    bwt_link_init(ready);
    assert_int_equal(poll(&waiting, 1, 5000), 1);
    bwt_wakefd_drain(&self->wake);
    bwt_resolver_collect(&self->resolver, now_ns, ready);
}

static bwt_resolution resolve(fixture *self, const char *host, int64_t now_ns, bwt_addresses **addresses)
{
    bwt_link waiter, ready;
    bwt_resolution resolution = ask(self, host, now_ns, &waiter, addresses);
    if (resolution != BWT_RESOLVING) return resolution;
    while (collect(self, now_ns, &ready), bwt_list_is_empty(&ready)) {
    }
    bwt_link_remove(&waiter);
    return ask(self, host, now_ns, &waiter, addresses);
}

/* ---- tests ---- */

static void two_who_ask_share_one_lookup(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_link first, second, ready;
    bwt_addresses *addresses;
    assert_int_equal(ask(&self, "a.test", 0, &first, &addresses), BWT_RESOLVING);
    assert_int_equal(ask(&self, "a.test", 0, &second, &addresses), BWT_RESOLVING);
    collect(&self, 0, &ready);
    assert_ptr_equal(bwt_list_pop(&ready), &first);
    assert_ptr_equal(bwt_list_pop(&ready), &second);
    assert_null(bwt_list_pop(&ready));
    assert_int_equal(ask(&self, "a.test", 0, &first, &addresses), BWT_RESOLVED);
    assert_int_equal(addresses->count, 2);
    assert_string_equal(addresses->list[0].text, "192.0.2.1");
    assert_string_equal(addresses->list[1].text, "192.0.2.2");
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 1);
    close_fixture(&self);
}

static void one_who_gives_up_is_not_told(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_link first, second, ready;
    bwt_addresses *addresses;
    assert_int_equal(ask(&self, "a.test", 0, &first, &addresses), BWT_RESOLVING);
    assert_int_equal(ask(&self, "a.test", 0, &second, &addresses), BWT_RESOLVING);
    bwt_link_remove(&first);
    collect(&self, 0, &ready);
    assert_ptr_equal(bwt_list_pop(&ready), &second);
    assert_null(bwt_list_pop(&ready));
    close_fixture(&self);
}

static void answers_live_a_minute_and_failures_three_seconds(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_addresses *addresses;
    assert_int_equal(resolve(&self, "a.test", 0, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    assert_int_equal(resolve(&self, "a.test", 60 * BWT_NS_PER_S - 1, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 1);
    assert_int_equal(resolve(&self, "a.test", 60 * BWT_NS_PER_S, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 2);

    assert_int_equal(resolve(&self, "none.test", 0, &addresses), BWT_UNRESOLVABLE);
    assert_int_equal(resolve(&self, "none.test", 3 * BWT_NS_PER_S - 1, &addresses), BWT_UNRESOLVABLE);
    assert_int_equal(asked_in(&self), 3);
    assert_int_equal(resolve(&self, "none.test", 3 * BWT_NS_PER_S, &addresses), BWT_UNRESOLVABLE);
    assert_int_equal(asked_in(&self), 4);
    close_fixture(&self);
}

static void the_address_that_answered_comes_first_also_after_a_new_lookup(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_addresses *addresses;
    assert_int_equal(resolve(&self, "a.test", 0, &addresses), BWT_RESOLVED);
    bwt_resolver_prefer(&self.resolver, BWT_STR("a.test"), &addresses->list[1]);
    bwt_resolver_prefer(&self.resolver, BWT_STR("unknown.test"), &addresses->list[1]);
    assert_string_equal(addresses->list[0].text, "192.0.2.1"); /* what was handed out does not change */
    bwt_addresses_release(addresses);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(resolve(&self, "a.test", i * 61 * BWT_NS_PER_S, &addresses), BWT_RESOLVED);
        assert_string_equal(addresses->list[0].text, "192.0.2.2");
        assert_string_equal(addresses->list[1].text, "192.0.2.1");
        bwt_addresses_release(addresses);
    }
    assert_int_equal(asked_in(&self), 2);
    close_fixture(&self);
}

static void a_doubted_answer_is_not_used_again(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_addresses *addresses;
    assert_int_equal(resolve(&self, "a.test", 0, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    bwt_resolver_doubt(&self.resolver, BWT_STR("a.test"));
    bwt_resolver_doubt(&self.resolver, BWT_STR("unknown.test"));
    assert_int_equal(resolve(&self, "a.test", 1, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 2);
    close_fixture(&self);
}

static void the_number_of_names_is_bounded(void **state)
{
    (void)state;
    fixture self;
    open_fixture(&self);
    bwt_addresses *addresses;
    for (int i = 0; i < 1100; i++) {
        char host[20];
        snprintf(host, sizeof host, "n%d.test", i);
        assert_int_equal(resolve(&self, host, 0, &addresses), BWT_RESOLVED);
        bwt_addresses_release(addresses);
    }
    assert_int_equal(self.resolver.names.count, 1024);
    assert_int_equal(resolve(&self, "n1099.test", 0, &addresses), BWT_RESOLVED);
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 1100);
    assert_int_equal(resolve(&self, "n0.test", 0, &addresses), BWT_RESOLVED); /* the oldest had to go */
    bwt_addresses_release(addresses);
    assert_int_equal(asked_in(&self), 1101);
    close_fixture(&self);
}

static void numeric_hosts_are_told_from_names(void **state)
{
    (void)state;
    assert_true(bwt_host_is_numeric("127.0.0.1"));
    assert_true(bwt_host_is_numeric("::1"));
    assert_true(bwt_host_is_numeric("fe80::1%eth0"));
    assert_false(bwt_host_is_numeric("localhost"));
    assert_false(bwt_host_is_numeric("127.1"));
    assert_false(bwt_host_is_numeric("1.2.3.4.example"));
    assert_false(bwt_host_is_numeric(""));
}

/* Without memory the one who asks is told, at whichever allocation it happens. */
static void no_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 4; n++) {
        fixture self;
        open_fixture(&self);
        bwt_link waiter;
        bwt_addresses *addresses;
        bwt_mem_fail_from(n);
        bwt_resolution resolution = ask(&self, "a.test", 0, &waiter, &addresses);
        bwt_mem_fail_from(0);
        assert_int_equal(resolution, BWT_RESOLUTION_NO_MEMORY); /* entry, its name, job, its name */
        close_fixture(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        resources_checked(two_who_ask_share_one_lookup),
        resources_checked(one_who_gives_up_is_not_told),
        resources_checked(answers_live_a_minute_and_failures_three_seconds),
        resources_checked(the_address_that_answered_comes_first_also_after_a_new_lookup),
        resources_checked(a_doubted_answer_is_not_used_again),
        resources_checked(the_number_of_names_is_bounded),
        resources_checked(numeric_hosts_are_told_from_names),
        resources_checked(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
