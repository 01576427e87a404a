/* One queue a provider. At most one turn is out at a time, so that two requests cannot meet behind a slow name lookup:
 * the next one's time is known only when the request before has gone out. */
#include "net/pacing.h"

#include <string.h>

#include "core/duration.h"
#include "core/mem.h"

enum { FIRST_SWEEP = 256 };

typedef struct bwt_paced_provider {
    bwt_strmap_node node;
    bwt_link known;
    bwt_link waiting;
    size_t waiting_count;
    bool turn_is_out;
    int64_t interval_ms;
    int64_t free_ns; /* the next request may go out from here on */
    int64_t rested_ns;
    bwt_deadline turn;
    char key[];
} bwt_paced_provider;

void bwt_pacing_init(bwt_pacing *pacing, bool rests)
{
    *pacing = (bwt_pacing){.rests = rests, .all_rested_ns = INT64_MIN, .sweep_at = FIRST_SWEEP};
    bwt_strmap_init(&pacing->providers);
    bwt_link_init(&pacing->known);
    bwt_deadlines_init(&pacing->turns);
}

static void forget(bwt_pacing *pacing, bwt_paced_provider *provider)
{
    bwt_deadline_disarm(&pacing->turns, &provider->turn);
    bwt_strmap_remove(&pacing->providers, &provider->node);
    bwt_link_remove(&provider->known);
    bwt_free(provider);
}

void bwt_pacing_deinit(bwt_pacing *pacing)
{
    bwt_link *link;
    while ((link = bwt_list_first(&pacing->known)) != NULL) {
        forget(pacing, BWT_HOLDER(link, bwt_paced_provider, known));
    }
    bwt_deadlines_deinit(&pacing->turns);
}

static bool is_forgettable(const bwt_paced_provider *provider, int64_t now_ns)
{
    return provider->waiting_count == 0 && !provider->turn_is_out && provider->free_ns <= now_ns &&
           provider->rested_ns <= now_ns;
}

/* Now and then, so that a process that meets ever new providers does not remember them all. */
static void sweep(bwt_pacing *pacing, int64_t now_ns)
{
    bwt_link *link = pacing->known.next;
    while (link != &pacing->known) {
        bwt_paced_provider *provider = BWT_HOLDER(link, bwt_paced_provider, known);
        link = link->next;
        if (is_forgettable(provider, now_ns)) forget(pacing, provider);
    }
    pacing->sweep_at = 2 * pacing->providers.count;
    if (pacing->sweep_at < FIRST_SWEEP) pacing->sweep_at = FIRST_SWEEP;
}

static bwt_paced_provider *find(const bwt_pacing *pacing, bwt_str key)
{
    bwt_strmap_node *node = bwt_strmap_find(&pacing->providers, key);
    return node != NULL ? BWT_HOLDER(node, bwt_paced_provider, node) : NULL;
}

static bwt_paced_provider *find_or_add(bwt_pacing *pacing, bwt_str key, int64_t now_ns)
{
    bwt_paced_provider *provider = find(pacing, key);
    if (provider != NULL) return provider;
    if (pacing->providers.count >= pacing->sweep_at) sweep(pacing, now_ns);
    provider = bwt_alloc_zeroed(1, sizeof *provider + key.len);
    if (provider == NULL) return NULL;
    memcpy(provider->key, key.data, key.len);
    provider->node.key = (bwt_str){provider->key, key.len};
    provider->free_ns = provider->rested_ns = INT64_MIN;
    bwt_link_init(&provider->waiting);
    bwt_link_init(&provider->known);
    bwt_strmap_add(&pacing->providers, &provider->node);
    bwt_list_append(&pacing->known, &provider->known);
    return provider;
}

/* ---- the interval ---- */

/* When somebody who asks now would have a turn, if everybody before uses theirs at once. */
static int64_t expected_ns(const bwt_paced_provider *provider, int64_t now_ns)
{
    int64_t from_ns = provider->free_ns > now_ns ? provider->free_ns : now_ns;
    int64_t before = (int64_t)provider->waiting_count + (provider->turn_is_out ? 1 : 0);
    int64_t wait_ms;
    if (__builtin_mul_overflow(provider->interval_ms, before, &wait_ms)) return INT64_MAX;
    return bwt_ns_after_ms(from_ns, wait_ms);
}

/* Whoever is first in the queue goes on when the interval is over. Without memory to say so, it stays in the queue
 * until its own deadline. */
static void set_turn(bwt_pacing *pacing, bwt_paced_provider *provider)
{
    if (provider->turn_is_out || provider->waiting_count == 0) {
        bwt_deadline_disarm(&pacing->turns, &provider->turn);
    } else {
        (void)bwt_deadline_arm(&pacing->turns, &provider->turn, provider->free_ns);
    }
}

static void give_turn(bwt_paced_provider *provider, bwt_turn *turn)
{
    turn->has_come = true;
    provider->turn_is_out = true;
}

bwt_turn_answer bwt_pacing_ask(bwt_pacing *pacing, bwt_str key, int64_t interval_ms, int64_t now_ns,
                               int64_t deadline_ns, int64_t least_ms, bwt_turn *turn)
{
    bwt_paced_provider *provider = find_or_add(pacing, key, now_ns);
    if (provider == NULL) return BWT_TURN_NO_MEMORY;
    provider->interval_ms = interval_ms;
    int64_t at_ns = expected_ns(provider, now_ns);
    if (at_ns > now_ns && bwt_ns_after_ms(at_ns, least_ms) > deadline_ns) return BWT_TURN_TOO_LATE;

    *turn = (bwt_turn){.provider = provider};
    bwt_link_init(&turn->waiting);
    if (at_ns == now_ns) {
        give_turn(provider, turn);
        return BWT_TURN_NOW;
    }
    bwt_list_append(&provider->waiting, &turn->waiting);
    provider->waiting_count++;
    set_turn(pacing, provider);
    return BWT_TURN_LATER;
}

bwt_turn *bwt_pacing_next(bwt_pacing *pacing, int64_t now_ns)
{
    bwt_deadline *due = bwt_deadlines_pop_due(&pacing->turns, now_ns);
    if (due == NULL) return NULL;
    bwt_paced_provider *provider = BWT_HOLDER(due, bwt_paced_provider, turn);
    bwt_turn *turn = BWT_HOLDER(bwt_list_pop(&provider->waiting), bwt_turn, waiting);
    provider->waiting_count--;
    give_turn(provider, turn);
    return turn;
}

int64_t bwt_pacing_next_ns(const bwt_pacing *pacing)
{
    return bwt_deadlines_first_ns(&pacing->turns);
}

void bwt_pacing_use(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ns)
{
    bwt_paced_provider *provider = turn->provider;
    if (provider == NULL) return;
    *turn = (bwt_turn){0};
    provider->turn_is_out = false;
    provider->free_ns = bwt_ns_after_ms(now_ns, provider->interval_ms);
    set_turn(pacing, provider);
}

/* A turn that is given back unused has sent nothing: the next one need not wait for it. */
void bwt_pacing_give_up(bwt_pacing *pacing, bwt_turn *turn, int64_t now_ns)
{
    bwt_paced_provider *provider = turn->provider;
    if (provider == NULL) return;
    if (turn->has_come) {
        provider->turn_is_out = false;
        if (provider->free_ns < now_ns) provider->free_ns = now_ns;
    } else {
        bwt_link_remove(&turn->waiting);
        provider->waiting_count--;
    }
    *turn = (bwt_turn){0};
    set_turn(pacing, provider);
}

/* ---- the rest ---- */

static int64_t rest_after_ms(const bwt_failure *failure)
{
    int64_t rest_ms = failure->retry_after_ms;
    bool is_final = failure->status == BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED ||
                    failure->status == BWT_ATTEMPT_STATUS_AUTH_FAILED;
    if (rest_ms < 0) rest_ms = is_final ? BWT_DEFAULT_REST_MS : 0;
    return rest_ms < BWT_LONGEST_REST_MS ? rest_ms : BWT_LONGEST_REST_MS;
}

void bwt_pacing_refused(bwt_pacing *pacing, bwt_str key, const bwt_failure *failure, int64_t now_ns)
{
    int64_t rest_ms = rest_after_ms(failure);
    if (!pacing->rests || rest_ms == 0) return;
    bwt_paced_provider *provider = find_or_add(pacing, key, now_ns);
    if (provider == NULL) return;
    int64_t until_ns = bwt_ns_after_ms(now_ns, rest_ms);
    if (provider->rested_ns < until_ns) provider->rested_ns = until_ns;
    if (pacing->all_rested_ns < until_ns) pacing->all_rested_ns = until_ns;
}

int64_t bwt_pacing_rest_ms(bwt_pacing *pacing, bwt_str key, int64_t now_ns)
{
    if (now_ns >= pacing->all_rested_ns) return 0;
    const bwt_paced_provider *provider = find(pacing, key);
    if (provider == NULL || provider->rested_ns <= now_ns) return 0;
    return bwt_ms_rounded_up(provider->rested_ns - now_ns);
}
