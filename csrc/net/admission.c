/* libcurl has such limits too, but does not time out what waits for them. */
#include "net/admission.h"

#include <string.h>

#include "core/mem.h"

/* Exists while somebody holds a place of it or waits for one. */
typedef struct bwt_origin_queue {
    bwt_strmap_node node;
    bwt_link runnable;
    bwt_link waiting;
    int64_t held;
    char name[];
} bwt_origin_queue;

void bwt_admission_init(bwt_admission *admission, int64_t most, int64_t most_per_origin)
{
    admission->most = most;
    admission->most_per_origin = most_per_origin;
    admission->held = 0;
    bwt_strmap_init(&admission->origins);
    bwt_link_init(&admission->runnable);
}

static bwt_origin_queue *origin_named(bwt_admission *admission, bwt_str name)
{
    bwt_strmap_node *node = bwt_strmap_find(&admission->origins, name);
    if (node != NULL) return BWT_HOLDER(node, bwt_origin_queue, node);
    bwt_origin_queue *origin = bwt_alloc_zeroed(1, sizeof *origin + name.len + 1);
    if (origin == NULL) return NULL;
    memcpy(origin->name, name.data, name.len);
    origin->node.key = (bwt_str){origin->name, name.len};
    bwt_link_init(&origin->runnable);
    bwt_link_init(&origin->waiting);
    bwt_strmap_add(&admission->origins, &origin->node);
    return origin;
}

/* After every change of an origin: it is in the runnable list exactly when it can use a turn. */
static void settle(bwt_admission *admission, bwt_origin_queue *origin)
{
    bool waits = !bwt_list_is_empty(&origin->waiting);
    bool can_run = waits && origin->held < admission->most_per_origin;
    if (can_run && !bwt_link_is_in_list(&origin->runnable)) bwt_list_append(&admission->runnable, &origin->runnable);
    if (!can_run && bwt_link_is_in_list(&origin->runnable)) bwt_link_remove(&origin->runnable);
    if (!waits && origin->held == 0) {
        bwt_strmap_remove(&admission->origins, &origin->node);
        bwt_free(origin);
    }
}

bwt_error bwt_admission_enter(bwt_admission *admission, bwt_str origin, bwt_place *place)
{
    bwt_origin_queue *queue = origin_named(admission, origin);
    if (queue == NULL) return BWT_ERR_NO_MEMORY;
    *place = (bwt_place){.origin = queue};
    bwt_link_init(&place->waiting);
    bwt_list_append(&queue->waiting, &place->waiting);
    settle(admission, queue);
    return BWT_OK;
}

bwt_place *bwt_admission_next(bwt_admission *admission)
{
    if (admission->held >= admission->most) return NULL;
    bwt_link *turn = bwt_list_pop(&admission->runnable);
    if (turn == NULL) return NULL;
    bwt_origin_queue *origin = BWT_HOLDER(turn, bwt_origin_queue, runnable);
    bwt_place *place = BWT_HOLDER(bwt_list_pop(&origin->waiting), bwt_place, waiting);
    place->held = true;
    origin->held++;
    admission->held++;
    settle(admission, origin);
    return place;
}

void bwt_admission_leave(bwt_admission *admission, bwt_place *place)
{
    bwt_origin_queue *origin = place->origin;
    if (origin == NULL) return;
    if (place->held) {
        origin->held--;
        admission->held--;
    } else {
        bwt_link_remove(&place->waiting);
    }
    *place = (bwt_place){0};
    settle(admission, origin);
}
