/* The usual binary heap; each node remembers its place so that it can be taken out anywhere. */
#include "net/deadline.h"

#include "core/mem.h"

enum { FIRST_CAPACITY = 64 };

void bwt_deadlines_init(bwt_deadlines *deadlines)
{
    *deadlines = (bwt_deadlines){0};
}

void bwt_deadlines_deinit(bwt_deadlines *deadlines)
{
    bwt_free(deadlines->heap);
    bwt_deadlines_init(deadlines);
}

static void put(bwt_deadlines *deadlines, size_t place, bwt_deadline *deadline)
{
    deadlines->heap[place - 1] = deadline;
    deadline->place = place;
}

static void sift_up(bwt_deadlines *deadlines, bwt_deadline *deadline)
{
    size_t place = deadline->place;
    while (place > 1) {
        bwt_deadline *parent = deadlines->heap[place / 2 - 1];
        if (parent->at_ns <= deadline->at_ns) break;
        put(deadlines, place, parent);
        place /= 2;
    }
    put(deadlines, place, deadline);
}

static void sift_down(bwt_deadlines *deadlines, bwt_deadline *deadline)
{
    size_t place = deadline->place;
    for (;;) {
        size_t child = place * 2;
        if (child > deadlines->count) break;
        if (child < deadlines->count && deadlines->heap[child]->at_ns < deadlines->heap[child - 1]->at_ns) child++;
        if (deadlines->heap[child - 1]->at_ns >= deadline->at_ns) break;
        put(deadlines, place, deadlines->heap[child - 1]);
        place = child;
    }
    put(deadlines, place, deadline);
}

static bwt_error make_room(bwt_deadlines *deadlines)
{
    if (deadlines->count < deadlines->capacity) return BWT_OK;
    size_t capacity = deadlines->capacity == 0 ? FIRST_CAPACITY : deadlines->capacity * 2;
    bwt_deadline **heap = bwt_realloc_array(deadlines->heap, capacity, sizeof(bwt_deadline *));
    if (heap == NULL) return BWT_ERR_NO_MEMORY;
    deadlines->heap = heap;
    deadlines->capacity = capacity;
    return BWT_OK;
}

bwt_error bwt_deadline_arm(bwt_deadlines *deadlines, bwt_deadline *deadline, int64_t at_ns)
{
    if (deadline->place == 0) {
        bwt_error error = make_room(deadlines);
        if (error != BWT_OK) return error;
        deadlines->count++;
        put(deadlines, deadlines->count, deadline);
    }
    deadline->at_ns = at_ns;
    sift_up(deadlines, deadline);
    sift_down(deadlines, deadline);
    return BWT_OK;
}

void bwt_deadline_disarm(bwt_deadlines *deadlines, bwt_deadline *deadline)
{
    if (deadline->place == 0) return;
    bwt_deadline *last = deadlines->heap[deadlines->count - 1];
    deadlines->count--;
    if (last != deadline) {
        put(deadlines, deadline->place, last);
        sift_up(deadlines, last);
        sift_down(deadlines, last);
    }
    deadline->place = 0;
}

int64_t bwt_deadlines_first_ns(const bwt_deadlines *deadlines)
{
    return deadlines->count > 0 ? deadlines->heap[0]->at_ns : INT64_MAX;
}

bwt_deadline *bwt_deadlines_pop_due(bwt_deadlines *deadlines, int64_t now_ns)
{
    if (bwt_deadlines_first_ns(deadlines) > now_ns || deadlines->count == 0) return NULL;
    bwt_deadline *first = deadlines->heap[0];
    bwt_deadline_disarm(deadlines, first);
    return first;
}
