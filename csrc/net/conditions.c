/* Tests an answer against the rules of its spec. */
#include <string.h>

#include "core/text.h"
#include "net/provider_spec.h"

static bool is_empty(bwt_json value)
{
    bwt_json_iter iter = bwt_json_iterate(value);
    switch (bwt_json_type_of(value)) {
    case BWT_JSON_MISSING:
    case BWT_JSON_NULL:
        return true;
    case BWT_JSON_STRING:
        return bwt_json_string(value).len == 0;
    case BWT_JSON_ARRAY:
    case BWT_JSON_OBJECT:
        return !bwt_json_next(&iter, NULL, &value);
    default:
        return false;
    }
}

static bool equals(bwt_json value, const bwt_scalar *scalar)
{
    bool truth;
    int64_t integer;
    double real;
    switch (scalar->type) {
    case BWT_JSON_STRING:
        return bwt_json_type_of(value) == BWT_JSON_STRING && bwt_str_equal(bwt_json_string(value), scalar->text);
    case BWT_JSON_BOOL:
        return bwt_json_bool(value, &truth) && truth == scalar->truth;
    case BWT_JSON_INT:
        return bwt_json_int(value, &integer) && integer == scalar->integer;
    case BWT_JSON_REAL:
        return bwt_json_real(value, &real) && !(real < scalar->real) && !(real > scalar->real);
    default:
        return false;
    }
}

/* ASCII letters match in either case: what is looked for are the words of error messages. */
static bool contains(bwt_str text, bwt_str needle)
{
    char first = bwt_ascii_lower(needle.data[0]);
    for (size_t at = 0; text.len - at >= needle.len; at++) {
        if (bwt_ascii_lower(text.data[at]) != first) continue;
        if (bwt_str_equal_ascii_case((bwt_str){text.data + at, needle.len}, needle)) return true;
    }
    return false;
}

static bool matches_one(const bwt_condition *condition, bwt_json value)
{
    for (size_t i = 0; i < condition->scalar_count; i++) {
        const bwt_scalar *scalar = &condition->scalars[i];
        bwt_str text = bwt_json_string(value);
        if (condition->test == BWT_TEST_EQUALS ? equals(value, scalar)
                                               : text.data != NULL && contains(text, scalar->text)) {
            return true;
        }
    }
    return false;
}

static bool condition_holds(const bwt_condition *condition, bwt_json root, bwt_str body)
{
    if (condition->on_body) {
        for (size_t i = 0; i < condition->scalar_count; i++) {
            if (contains(body, condition->scalars[i].text)) return true;
        }
        return false;
    }
    if (bwt_json_type_of(root) == BWT_JSON_MISSING) return false;
    bwt_path_walk walk = bwt_path_start(&condition->path, root);
    bwt_json value = {0};
    switch (condition->test) {
    case BWT_TEST_EXISTS:
        return bwt_path_next(&walk, &value) == condition->wanted;
    case BWT_TEST_EMPTY:
        while (bwt_path_next(&walk, &value)) {
            if (!is_empty(value)) return !condition->wanted;
        }
        return condition->wanted;
    case BWT_TEST_EQUALS:
    case BWT_TEST_CONTAINS:
        while (bwt_path_next(&walk, &value)) {
            if (matches_one(condition, value)) return true;
        }
        return false;
    }
    return false;
}

bool bwt_conditions_hold(const bwt_condition_list *list, bwt_json root, bwt_str body)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!condition_holds(&list->items[i], root, body)) return false;
    }
    return true;
}

static bool has_status(const bwt_rule *rule, int http_status)
{
    for (size_t i = 0; i < rule->status_count; i++) {
        if (rule->statuses[i] == http_status) return true;
    }
    return rule->status_count == 0;
}

const bwt_rule *bwt_rule_find(const bwt_provider *provider, int http_status, bwt_json root, bwt_str body)
{
    for (size_t i = 0; i < provider->rule_count; i++) {
        const bwt_rule *rule = &provider->rules[i];
        if (has_status(rule, http_status) && bwt_conditions_hold(&rule->when, root, body)) return rule;
    }
    return NULL;
}

/* A number, or the first whole number in a text ("more requests available in 53541 seconds"). */
static double seconds_of(bwt_json value)
{
    double seconds;
    if (bwt_json_real(value, &seconds)) return seconds;
    bwt_str text = bwt_json_string(value);
    size_t at = 0;
    while (at < text.len && !bwt_ascii_is_digit(text.data[at])) at++;
    if (at == text.len) return -1;
    seconds = 0;
    for (; at < text.len && bwt_ascii_is_digit(text.data[at]); at++) seconds = seconds * 10 + (text.data[at] - '0');
    return seconds;
}

int64_t bwt_rule_wait_ms(const bwt_rule *rule, bwt_json root)
{
    if (!rule->names_wait) return -1;
    double milliseconds = seconds_of(bwt_path_first(&rule->wait_s, root)) * 1000;
    if (!(milliseconds >= 0)) return -1;
    return milliseconds >= (double)BWT_MAX_RETRY_AFTER_MS ? BWT_MAX_RETRY_AFTER_MS : (int64_t)milliseconds;
}
