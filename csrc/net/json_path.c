/* Parsing and walking of paths; one pass over each container on the way. */
#include "net/json_path.h"

#include <string.h>

#include "core/text.h"

enum { MAX_INDEX_DIGITS = 4 };

/* Reads "[12]" or "[]" at the start of text; returns its length, 0 when it is neither. */
static size_t parse_brackets(bwt_str text, bwt_path_step *step)
{
    size_t at = 1;
    *step = (bwt_path_step){.kind = BWT_STEP_EACH};
    for (; at < text.len && bwt_ascii_is_digit(text.data[at]) && at <= MAX_INDEX_DIGITS; at++) {
        step->kind = BWT_STEP_INDEX;
        step->index = step->index * 10 + (size_t)(text.data[at] - '0');
    }
    return at < text.len && text.data[at] == ']' ? at + 1 : 0;
}

static size_t parse_name(bwt_str text, bwt_path_step *step)
{
    size_t len = 0;
    while (len < text.len && memchr(".[]{}", text.data[len], 5) == NULL) len++;
    *step = (bwt_path_step){.kind = BWT_STEP_MEMBER, .name = {text.data, len}};
    return len;
}

bwt_error bwt_path_parse(bwt_arena *arena, bwt_str text, bwt_path *out)
{
    bwt_path_step steps[BWT_PATH_MAX_STEPS];
    size_t count = 0;
    size_t each_count = 0;
    while (text.len > 0) {
        if (count == BWT_PATH_MAX_STEPS) return BWT_ERR_INVALID;
        bool brackets = text.data[0] == '[';
        if (!brackets && count > 0) { /* a name after something needs its dot */
            if (text.data[0] != '.') return BWT_ERR_INVALID;
            text.data++;
            text.len--;
        }
        size_t len = brackets ? parse_brackets(text, &steps[count]) : parse_name(text, &steps[count]);
        if (len == 0) return BWT_ERR_INVALID;
        if (steps[count].kind == BWT_STEP_EACH && ++each_count > 1) return BWT_ERR_INVALID;
        count++;
        text.data += len;
        text.len -= len;
    }
    bwt_path_step *kept = bwt_arena_alloc(arena, count, sizeof *kept);
    if (kept == NULL) return BWT_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        kept[i] = steps[i];
        if (steps[i].kind != BWT_STEP_MEMBER) continue;
        if (bwt_arena_copy(arena, steps[i].name, &kept[i].name) != BWT_OK) return BWT_ERR_NO_MEMORY;
    }
    *out = (bwt_path){kept, count};
    return BWT_OK;
}

static bwt_json element_at(bwt_json list, size_t index)
{
    if (bwt_json_type_of(list) != BWT_JSON_ARRAY) return (bwt_json){0};
    bwt_json_iter iter = bwt_json_iterate(list);
    bwt_json value;
    while (bwt_json_next(&iter, NULL, &value)) {
        if (index-- == 0) return value;
    }
    return (bwt_json){0};
}

/* Follows steps from .. to, none of which is []. */
static bwt_json follow(const bwt_path *path, size_t from, size_t to, bwt_json value)
{
    for (size_t i = from; i < to; i++) {
        const bwt_path_step *step = &path->steps[i];
        value = step->kind == BWT_STEP_MEMBER ? bwt_json_member(value, step->name) : element_at(value, step->index);
    }
    return value;
}

bwt_path_walk bwt_path_start(const bwt_path *path, bwt_json from)
{
    bwt_path_walk walk = {.path = path};
    while (walk.each_at < path->count && path->steps[walk.each_at].kind != BWT_STEP_EACH) walk.each_at++;
    walk.only = follow(path, 0, walk.each_at, from);
    if (walk.each_at < path->count) {
        if (bwt_json_type_of(walk.only) == BWT_JSON_ARRAY) walk.iter = bwt_json_iterate(walk.only);
        walk.only = (bwt_json){0};
    }
    return walk;
}

bool bwt_path_next(bwt_path_walk *walk, bwt_json *value)
{
    if (walk->each_at == walk->path->count) {
        *value = walk->only;
        walk->only = (bwt_json){0};
        return bwt_json_type_of(*value) != BWT_JSON_MISSING;
    }
    bwt_json element;
    while (bwt_json_next(&walk->iter, NULL, &element)) {
        *value = follow(walk->path, walk->each_at + 1, walk->path->count, element);
        if (bwt_json_type_of(*value) != BWT_JSON_MISSING) return true;
    }
    return false;
}

bwt_json bwt_path_first(const bwt_path *path, bwt_json from)
{
    bwt_path_walk walk = bwt_path_start(path, from);
    bwt_json value;
    return bwt_path_next(&walk, &value) ? value : (bwt_json){0};
}
