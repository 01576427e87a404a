/* Slices are kept by the heap of deadlines alone: whatever stage an exchange is in, its owner is told when it is over. */
#include "net/exchange.h"

#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "net/extract.h"
#include "net/monotime.h"

enum {
    MOST_SPARE_TRANSFERS = 256,
    SHORTEST_CONNECT_MS = 250,   /* an address is not given up sooner in favour of the next */
    SECOND_NET_MS = 1,           /* libcurl's own limit lies this much behind ours */
    LONGEST_HOST = 255
};

bwt_failure bwt_plain_failure(bwt_attempt_status status, bwt_failure_detail detail)
{
    return (bwt_failure){.status = status, .detail = detail, .http_status = 0, .retry_after_ms = -1};
}

static bool over_with(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure ended, bwt_failure *failure)
{
    bwt_exchange_stop(world, exchange);
    *failure = ended;
    return false;
}

static bool over(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure_detail detail, bwt_failure *failure)
{
    return over_with(world, exchange, bwt_plain_failure(BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, detail), failure);
}

/* ---- the world ---- */

bwt_error bwt_exchange_world_init(bwt_exchange_world *world, const bwt_settings *settings, bwt_counters *counters,
                                  bwt_name_pool *names, bwt_poller *poller)
{
    *world = (bwt_exchange_world){.settings = settings, .counters = counters};
    bwt_deadlines_init(&world->deadlines);
    bwt_pacing_init(&world->pacing, settings->rest);
    bwt_resolver_init(&world->resolver, names);
    bwt_admission_init(&world->admission, settings->max_in_flight, settings->max_per_host);
    bwt_link_init(&world->spare);
    bwt_link_init(&world->dropped);
    bwt_error error = bwt_multi_init(&world->multi, poller, counters);
    if (error != BWT_OK) return error;
    world->parser = bwt_json_parser_new();
    if (world->parser != NULL) return BWT_OK;
    bwt_multi_deinit(&world->multi);
    return BWT_ERR_NO_MEMORY;
}

void bwt_exchange_world_deinit(bwt_exchange_world *world)
{
    if (world->parser == NULL) return;
    bwt_exchange_world_clean(world, SIZE_MAX);
    bwt_link *link;
    while ((link = bwt_list_pop(&world->spare)) != NULL) bwt_transfer_free(BWT_HOLDER(link, bwt_transfer, link));
    bwt_multi_deinit(&world->multi);
    bwt_json_parser_free(world->parser);
    world->parser = NULL;
    bwt_resolver_deinit(&world->resolver);
    bwt_pacing_deinit(&world->pacing);
    bwt_deadlines_deinit(&world->deadlines);
}

static bwt_transfer *take_transfer(bwt_exchange_world *world)
{
    bwt_link *link = bwt_list_pop(&world->spare);
    if (link == NULL) return bwt_transfer_new();
    world->spare_count--;
    return BWT_HOLDER(link, bwt_transfer, link);
}

static void give_transfer(bwt_exchange_world *world, bwt_transfer *transfer)
{
    if (world->spare_count >= MOST_SPARE_TRANSFERS) {
        bwt_transfer_free(transfer);
        return;
    }
    bwt_transfer_recycle(transfer);
    bwt_list_append(&world->spare, &transfer->link);
    world->spare_count++;
}

bool bwt_exchange_world_clean(bwt_exchange_world *world, size_t most)
{
    bwt_link *link;
    while (most-- > 0 && (link = bwt_list_pop(&world->dropped)) != NULL) {
        bwt_transfer *transfer = BWT_HOLDER(link, bwt_transfer, link);
        bwt_multi_remove(&world->multi, transfer);
        give_transfer(world, transfer);
    }
    return bwt_list_is_empty(&world->dropped);
}

/* ---- stages ---- */

static bool waits(bwt_exchange_stage stage)
{
    return stage == BWT_EXCHANGE_PACED || stage == BWT_EXCHANGE_RESOLVING || stage == BWT_EXCHANGE_QUEUED;
}

static void set_stage(bwt_exchange_world *world, bwt_exchange *exchange, bwt_exchange_stage stage)
{
    bwt_counters *counters = world->counters;
    if (waits(exchange->stage)) bwt_count_down(&counters->queued);
    if (exchange->stage == BWT_EXCHANGE_DIALLED) bwt_count_down(&counters->in_flight);
    exchange->stage = stage;
    if (waits(stage)) bwt_count_up(&counters->queued);
    if (stage == BWT_EXCHANGE_DIALLED) bwt_count_up(&counters->in_flight);
}

void bwt_exchange_stop(bwt_exchange_world *world, bwt_exchange *exchange)
{
    if (exchange->stage == BWT_EXCHANGE_RESOLVING) bwt_link_remove(&exchange->resolving);
    bwt_deadline_disarm(&world->deadlines, &exchange->deadline);
    bwt_pacing_give_up(&world->pacing, &exchange->turn, bwt_monotonic_ns());
    bwt_admission_leave(&world->admission, &exchange->place);
    bwt_addresses_release(exchange->addresses);
    if (exchange->transfer != NULL) {
        exchange->transfer->owner = NULL;
        bwt_list_append(&world->dropped, &exchange->transfer->link);
    }
    set_stage(world, exchange, BWT_EXCHANGE_IDLE);
    *exchange = (bwt_exchange){0};
}

static bool is_https(const bwt_exchange *exchange)
{
    return bwt_str_starts_with(bwt_provider_origin(exchange->order.provider), BWT_STR("https:"));
}

/* The host of "scheme://host:port" as a resolver takes it. */
static bwt_str host_of(const bwt_exchange *exchange)
{
    bwt_str host = bwt_provider_origin(exchange->order.provider);
    size_t at;
    if (bwt_str_find(host, BWT_STR("://"), &at)) host = (bwt_str){host.data + at + 3, host.len - at - 3};
    while (host.len > 0 && host.data[host.len - 1] != ':') host.len--;
    if (host.len > 0) host.len--;
    if (host.len >= 2 && host.data[0] == '[') host = (bwt_str){host.data + 1, host.len - 2};
    return host;
}

/* No lookup of ours: a numeric host needs none, and behind a proxy the name is the proxy's affair (should no_proxy
 * make an exception, libcurl looks it up in a thread of its own that nobody waits for). */
static bool needs_lookup(const bwt_exchange_world *world, const bwt_exchange *exchange)
{
    char text[LONGEST_HOST + 1];
    bwt_str host = host_of(exchange);
    if (bwt_settings_proxy(world->settings, is_https(exchange)) != NULL) return false;
    if (host.len > LONGEST_HOST) return true;
    memcpy(text, host.data, host.len);
    text[host.len] = '\0';
    return !bwt_host_is_numeric(text);
}

static bool join_queue(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    bwt_error error = bwt_admission_enter(&world->admission, bwt_provider_origin(exchange->order.provider), &exchange->place);
    if (error != BWT_OK) return over(world, exchange, BWT_FAILURE_DETAIL_NONE, failure);
    set_stage(world, exchange, BWT_EXCHANGE_QUEUED);
    return true;
}

static bool resolve(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    bwt_str host = host_of(exchange);
    if (host.len > LONGEST_HOST) return over(world, exchange, BWT_FAILURE_DETAIL_DNS, failure);
    switch (bwt_resolver_ask(&world->resolver, host, bwt_monotonic_ns(), &exchange->resolving, &exchange->addresses)) {
    case BWT_RESOLVED:
        return join_queue(world, exchange, failure);
    case BWT_RESOLVING:
        set_stage(world, exchange, BWT_EXCHANGE_RESOLVING);
        return true;
    case BWT_UNRESOLVABLE:
        return over(world, exchange, BWT_FAILURE_DETAIL_DNS, failure);
    case BWT_RESOLUTION_NO_MEMORY:
        break;
    }
    return over(world, exchange, BWT_FAILURE_DETAIL_NONE, failure);
}

static bool seek_address(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    if (needs_lookup(world, exchange)) return resolve(world, exchange, failure);
    return join_queue(world, exchange, failure);
}

static bool skip(bwt_exchange_world *world, bwt_exchange *exchange, bwt_attempt_status status, int64_t wait_ms,
                 bwt_failure *failure)
{
    bwt_failure skipped = bwt_plain_failure(status, BWT_FAILURE_DETAIL_NONE);
    skipped.retry_after_ms = wait_ms;
    return over_with(world, exchange, skipped, failure);
}

static bool ask_for_turn(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    const bwt_exchange_order *order = &exchange->order;
    int64_t interval_ms = bwt_provider_min_interval_ms(order->provider);
    if (interval_ms == 0) return seek_address(world, exchange, failure);
    switch (bwt_pacing_ask(&world->pacing, bwt_provider_identity(order->provider), interval_ms, bwt_monotonic_ns(),
                           order->deadline_ns, order->least_ms, &exchange->turn)) {
    case BWT_TURN_NOW:
        return seek_address(world, exchange, failure);
    case BWT_TURN_LATER:
        bwt_count_up(&world->counters->paced);
        set_stage(world, exchange, BWT_EXCHANGE_PACED);
        return true;
    case BWT_TURN_TOO_LATE:
        return skip(world, exchange, BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET, -1, failure);
    case BWT_TURN_NO_MEMORY:
        break;
    }
    return over(world, exchange, BWT_FAILURE_DETAIL_NONE, failure);
}

bool bwt_exchange_start(bwt_exchange_world *world, bwt_exchange *exchange, const bwt_exchange_order *order,
                        bwt_failure *failure)
{
    *exchange = (bwt_exchange){.order = *order};
    bwt_link_init(&exchange->resolving);
    int64_t rest_ms =
        bwt_pacing_rest_ms(&world->pacing, bwt_provider_identity(order->provider), bwt_monotonic_ns());
    if (rest_ms > 0) return skip(world, exchange, BWT_ATTEMPT_STATUS_SKIPPED_RESTING, rest_ms, failure);
    if (bwt_deadline_arm(&world->deadlines, &exchange->deadline, order->deadline_ns) != BWT_OK) {
        return over(world, exchange, BWT_FAILURE_DETAIL_NONE, failure);
    }
    return ask_for_turn(world, exchange, failure);
}

bool bwt_exchange_on_turn(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    set_stage(world, exchange, BWT_EXCHANGE_IDLE);
    return seek_address(world, exchange, failure);
}

bool bwt_exchange_on_name(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    set_stage(world, exchange, BWT_EXCHANGE_IDLE);
    return resolve(world, exchange, failure);
}

/* ---- the transfer ---- */

/* While another address is left, one that does not answer gets only its share of the time. */
static bwt_transfer_aim next_aim(const bwt_exchange *exchange)
{
    int64_t left_ms = bwt_ms_until(exchange->deadline.at_ns, bwt_monotonic_ns());
    bwt_transfer_aim aim = {.timeout_ms = left_ms + SECOND_NET_MS};
    const bwt_addresses *addresses = exchange->addresses;
    if (addresses == NULL) return aim;
    size_t addresses_left = addresses->count - exchange->next_address;
    aim.address = &addresses->list[exchange->next_address];
    int64_t share_ms = left_ms / (int64_t)addresses_left;
    if (addresses_left > 1 && share_ms >= SHORTEST_CONNECT_MS) aim.connect_timeout_ms = share_ms;
    return aim;
}

static bwt_error run_transfer(bwt_exchange_world *world, bwt_exchange *exchange)
{
    bwt_transfer_aim aim = next_aim(exchange);
    bwt_error error = bwt_transfer_prepare(exchange->transfer, world->settings, &aim);
    if (error == BWT_OK) error = bwt_multi_add(&world->multi, exchange->transfer);
    if (error == BWT_OK) exchange->next_address++;
    return error;
}

static bwt_error dial(bwt_exchange_world *world, bwt_exchange *exchange)
{
    bwt_transfer *transfer = take_transfer(world);
    if (transfer == NULL) return BWT_ERR_NO_MEMORY;
    exchange->transfer = transfer;
    transfer->owner = exchange;
    bwt_http_request request = {0};
    bwt_error error = bwt_provider_request(exchange->order.provider, exchange->order.query, exchange->order.max_results, &request);
    if (error != BWT_OK) return error;
    bwt_transfer_set_request(transfer, &request, is_https(exchange));
    return run_transfer(world, exchange);
}

bool bwt_exchange_on_place(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    set_stage(world, exchange, BWT_EXCHANGE_DIALLED);
    if (dial(world, exchange) != BWT_OK) return over(world, exchange, BWT_FAILURE_DETAIL_NONE, failure);
    bwt_pacing_use(&world->pacing, &exchange->turn, bwt_monotonic_ns());
    bwt_count_up(&world->counters->dialled);
    return true;
}

/* The connection was never made, another address is left, and so is time. */
static bool try_next_address(bwt_exchange_world *world, bwt_exchange *exchange, const bwt_transfer_end *end)
{
    const bwt_addresses *addresses = exchange->addresses;
    bool unreachable = end->code == CURLE_COULDNT_CONNECT || end->code == CURLE_OPERATION_TIMEDOUT;
    if (addresses == NULL || !unreachable || end->requested) return false;
    if (exchange->next_address >= addresses->count) {
        bwt_resolver_doubt(&world->resolver, host_of(exchange));
        return false;
    }
    if (bwt_monotonic_ns() >= exchange->deadline.at_ns) return false;
    bwt_multi_remove(&world->multi, exchange->transfer);
    return run_transfer(world, exchange) == BWT_OK;
}

static void read_answer(bwt_exchange_world *world, const bwt_exchange *exchange, bwt_answer *answer)
{
    bwt_transfer *transfer = exchange->transfer;
    const bwt_head *head = &transfer->head;
    bwt_http_answer got = {
        .status = bwt_transfer_http_status(transfer),
        .body = &transfer->body,
        .content_type = {head->content_type.text, head->content_type.len},
        .location = head->location.len > 0 ? bwt_buf_str(&head->location) : BWT_STR_NONE,
        .retry_after_ms = bwt_head_retry_after_ms(head),
    };
    if (bwt_extract(exchange->order.provider, world->parser, &got, answer) == BWT_OK) return;
    answer->response = NULL;
    answer->failure = bwt_plain_failure(BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, BWT_FAILURE_DETAIL_NONE);
}

static void note_connection(bwt_exchange_world *world, const bwt_exchange *exchange, const bwt_transfer_end *end)
{
    if (!end->requested) return;
    if (bwt_transfer_went_over_kept_connection(exchange->transfer)) bwt_count_up(&world->counters->reused);
    if (exchange->addresses != NULL && exchange->next_address > 1) {
        bwt_resolver_prefer(&world->resolver, host_of(exchange), &exchange->addresses->list[exchange->next_address - 1]);
    }
}

bool bwt_exchange_on_done(bwt_exchange_world *world, bwt_exchange *exchange, CURLcode code, bwt_answer *answer)
{
    bwt_transfer_end end = bwt_transfer_ending(exchange->transfer, code);
    if (try_next_address(world, exchange, &end)) return true;
    note_connection(world, exchange, &end);
    *answer = (bwt_answer){0};
    if (code == CURLE_OK) {
        read_answer(world, exchange, answer);
    } else {
        answer->failure = bwt_curl_reason(&end);
    }
    if (answer->response == NULL) {
        bwt_pacing_refused(&world->pacing, bwt_provider_identity(exchange->order.provider), &answer->failure,
                           bwt_monotonic_ns());
    }
    bwt_exchange_stop(world, exchange);
    return false;
}

/* What waited for its turn to the end was never dialled. */
void bwt_exchange_on_deadline(bwt_exchange_world *world, bwt_exchange *exchange, bwt_failure *failure)
{
    bool was_dialled = exchange->stage != BWT_EXCHANGE_PACED;
    bwt_attempt_status status =
        was_dialled ? BWT_ATTEMPT_STATUS_TRANSPORT_TIMEOUT : BWT_ATTEMPT_STATUS_SKIPPED_NO_BUDGET;
    over_with(world, exchange, bwt_plain_failure(status, BWT_FAILURE_DETAIL_NONE), failure);
}
