/* One entry a host: being looked up (with those who wait), answered, or failed for a while. Many who ask for one name
 * share one lookup. */
#include "net/resolver.h"

#include <string.h>

#include "core/mem.h"
#include "net/monotime.h"

#define ANSWER_LIVES_NS (60 * BWT_NS_PER_S)
#define FAILURE_LIVES_NS (3 * BWT_NS_PER_S)
enum { MOST_NAMES = 1024 };

typedef struct name_entry {
    bwt_strmap_node node;
    bwt_link age;
    char *host;
    bwt_name_job *job; /* in the pool; NULL when nothing is under way */
    bwt_link waiters;
    bwt_addresses *addresses; /* NULL: the last lookup failed, or none has ended yet */
    int64_t expires_ns;
} name_entry;

void bwt_resolver_init(bwt_resolver *resolver, bwt_name_pool *pool)
{
    resolver->pool = pool;
    bwt_strmap_init(&resolver->names);
    bwt_link_init(&resolver->by_age);
}

static void remove_entry(bwt_resolver *resolver, name_entry *entry)
{
    bwt_strmap_remove(&resolver->names, &entry->node);
    bwt_link_remove(&entry->age);
    bwt_addresses_release(entry->addresses);
    bwt_free(entry->host);
    bwt_free(entry);
}

void bwt_resolver_deinit(bwt_resolver *resolver)
{
    bwt_link *link;
    while ((link = bwt_list_first(&resolver->by_age)) != NULL) {
        remove_entry(resolver, BWT_HOLDER(link, name_entry, age));
    }
}

static name_entry *find_entry(const bwt_resolver *resolver, bwt_str host)
{
    bwt_strmap_node *node = bwt_strmap_find(&resolver->names, host);
    return node != NULL ? BWT_HOLDER(node, name_entry, node) : NULL;
}

/* The oldest that nobody needs; entries under lookup are bounded by the pool and those who wait. */
static void evict_one(bwt_resolver *resolver)
{
    for (bwt_link *link = resolver->by_age.next; link != &resolver->by_age; link = link->next) {
        name_entry *entry = BWT_HOLDER(link, name_entry, age);
        if (entry->job == NULL && bwt_list_is_empty(&entry->waiters)) {
            remove_entry(resolver, entry);
            return;
        }
    }
}

static name_entry *add_entry(bwt_resolver *resolver, bwt_str host)
{
    if (resolver->names.count >= MOST_NAMES) evict_one(resolver);
    name_entry *entry = bwt_alloc_zeroed(1, sizeof *entry);
    if (entry == NULL) return NULL;
    entry->host = bwt_alloc(host.len + 1);
    if (entry->host == NULL) {
        bwt_free(entry);
        return NULL;
    }
    memcpy(entry->host, host.data, host.len);
    entry->host[host.len] = '\0';
    entry->node.key = (bwt_str){entry->host, host.len};
    entry->expires_ns = INT64_MIN;
    bwt_link_init(&entry->waiters);
    bwt_link_init(&entry->age);
    bwt_list_append(&resolver->by_age, &entry->age);
    bwt_strmap_add(&resolver->names, &entry->node);
    return entry;
}

static bwt_resolution start_lookup(bwt_resolver *resolver, name_entry *entry)
{
    bwt_name_job *job = bwt_name_job_new(entry->node.key, entry);
    if (job == NULL) return BWT_RESOLUTION_NO_MEMORY;
    if (!bwt_name_pool_submit(resolver->pool, job)) {
        bwt_name_job_free(job);
        return BWT_UNRESOLVABLE;
    }
    entry->job = job;
    return BWT_RESOLVING;
}

bwt_resolution bwt_resolver_ask(bwt_resolver *resolver, bwt_str host, int64_t now_ns, bwt_link *waiter,
                                bwt_addresses **addresses)
{
    name_entry *entry = find_entry(resolver, host);
    if (entry == NULL) entry = add_entry(resolver, host);
    if (entry == NULL) return BWT_RESOLUTION_NO_MEMORY;
    if (now_ns < entry->expires_ns) {
        if (entry->addresses == NULL) return BWT_UNRESOLVABLE;
        *addresses = bwt_addresses_retain(entry->addresses);
        return BWT_RESOLVED;
    }
    if (entry->job == NULL) {
        bwt_resolution started = start_lookup(resolver, entry);
        if (started != BWT_RESOLVING) return started;
    }
    bwt_list_append(&entry->waiters, waiter);
    return BWT_RESOLVING;
}

static void move_to_front(bwt_addresses *addresses, const bwt_address *address)
{
    for (size_t i = 1; i < addresses->count; i++) {
        if (strcmp(addresses->list[i].text, address->text) != 0) continue;
        bwt_address preferred = addresses->list[i];
        memmove(&addresses->list[1], &addresses->list[0], i * sizeof preferred);
        addresses->list[0] = preferred;
        return;
    }
}

static void take_answer(bwt_resolver *resolver, name_entry *entry, bwt_addresses *found, int64_t now_ns)
{
    if (found != NULL && entry->addresses != NULL) move_to_front(found, &entry->addresses->list[0]);
    bwt_addresses_release(entry->addresses);
    entry->addresses = found;
    entry->expires_ns = now_ns + (found != NULL ? ANSWER_LIVES_NS : FAILURE_LIVES_NS);
    bwt_link_remove(&entry->age);
    bwt_list_append(&resolver->by_age, &entry->age);
}

void bwt_resolver_collect(bwt_resolver *resolver, int64_t now_ns, bwt_link *ready)
{
    bwt_link done, *link;
    bwt_link_init(&done);
    bwt_name_pool_take_done(resolver->pool, &done);
    while ((link = bwt_list_pop(&done)) != NULL) {
        bwt_name_job *job = BWT_HOLDER(link, bwt_name_job, link);
        name_entry *entry = job->owner;
        take_answer(resolver, entry, job->found, now_ns);
        entry->job = NULL;
        job->found = NULL;
        bwt_name_job_free(job);
        bwt_list_append_all(ready, &entry->waiters);
    }
}

void bwt_resolver_doubt(bwt_resolver *resolver, bwt_str host)
{
    name_entry *entry = find_entry(resolver, host);
    if (entry != NULL && entry->addresses != NULL) entry->expires_ns = INT64_MIN;
}

void bwt_resolver_prefer(bwt_resolver *resolver, bwt_str host, const bwt_address *address)
{
    name_entry *entry = find_entry(resolver, host);
    if (entry == NULL || entry->addresses == NULL || strcmp(entry->addresses->list[0].text, address->text) == 0) return;
    size_t size = sizeof *entry->addresses + entry->addresses->count * sizeof entry->addresses->list[0];
    bwt_addresses *reordered = bwt_alloc(size);
    if (reordered == NULL) return;
    memcpy(reordered, entry->addresses, size);
    reordered->references = 1;
    move_to_front(reordered, address);
    bwt_addresses_release(entry->addresses);
    entry->addresses = reordered;
}
