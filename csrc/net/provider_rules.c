/* [[rules]]: conditions on an answer and what they make of it; the first rule that matches wins. */
#include <string.h>

#include "core/text.h"
#include "net/provider_spec.h"

/* ---- compiling ---- */

static bwt_error compile_scalar(const bwt_spec_reader *reader, const bwt_spec_node *node, bool text_only,
                                bwt_scalar *out)
{
    *out = (bwt_scalar){.type = bwt_json_type_of(node->value)};
    switch (out->type) {
    case BWT_JSON_STRING:
        if (text_only && bwt_json_string(node->value).len == 0) break;
        return bwt_arena_copy(reader->arena, bwt_json_string(node->value), &out->text);
    case BWT_JSON_BOOL:
        if (!text_only && bwt_json_bool(node->value, &out->truth)) return BWT_OK;
        break;
    case BWT_JSON_INT:
        if (!text_only && bwt_json_int(node->value, &out->integer)) return BWT_OK;
        break;
    case BWT_JSON_REAL:
        if (!text_only && bwt_json_real(node->value, &out->real)) return BWT_OK;
        break;
    default:
        break;
    }
    return bwt_spec_refuse(reader, node,
                           text_only ? "a text that is not empty, or a list of them"
                                     : "a text, a number, a boolean, or a list of them");
}

static bwt_error compile_scalars(const bwt_spec_reader *reader, const bwt_spec_node *node, bool text_only,
                                 bwt_condition *condition)
{
    bwt_spec_list list = bwt_spec_each(node);
    bwt_scalar *scalars = bwt_arena_alloc(reader->arena, list.count, sizeof *scalars);
    if (scalars == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    bwt_error error = BWT_OK;
    for (size_t i = 0; error == BWT_OK && bwt_spec_next(&list, &element); i++) {
        error = compile_scalar(reader, &element, text_only, &scalars[i]);
    }
    condition->scalars = scalars;
    condition->scalar_count = list.count;
    return error;
}

static bwt_error compile_condition(const bwt_spec_reader *reader, const bwt_spec_node *node, bool body_allowed,
                                   bwt_condition *out)
{
    if (bwt_json_type_of(node->value) != BWT_JSON_OBJECT) return bwt_spec_refuse(reader, node, "a table");
    bwt_spec_node path = bwt_spec_member(node, BWT_STR("path"));
    bwt_spec_node exists = bwt_spec_member(node, BWT_STR("exists"));
    bwt_spec_node empty = bwt_spec_member(node, BWT_STR("empty"));
    bwt_spec_node equals = bwt_spec_member(node, BWT_STR("equals"));
    bwt_spec_node contains = bwt_spec_member(node, BWT_STR("contains"));
    bwt_error error = bwt_spec_table(reader, node, "path exists empty equals contains");
    if (error != BWT_OK) return error;
    int tests = bwt_spec_present(&exists) + bwt_spec_present(&empty) + bwt_spec_present(&equals) +
                bwt_spec_present(&contains);
    if (tests != 1) return bwt_spec_refuse(reader, node, "exactly one of: exists empty equals contains");
    out->on_body = !bwt_spec_present(&path);
    if (out->on_body && (!body_allowed || !bwt_spec_present(&contains))) {
        return bwt_spec_refuse(reader, &path, "a path (only contains goes without one, in a rule)");
    }
    if (!out->on_body) error = bwt_compile_path(reader, &path, &out->path);
    if (error != BWT_OK) return error;
    if (bwt_spec_present(&exists)) {
        out->test = BWT_TEST_EXISTS;
        return bwt_spec_bool(reader, &exists, &out->wanted);
    }
    if (bwt_spec_present(&empty)) {
        out->test = BWT_TEST_EMPTY;
        return bwt_spec_bool(reader, &empty, &out->wanted);
    }
    bool text_only = bwt_spec_present(&contains);
    out->test = text_only ? BWT_TEST_CONTAINS : BWT_TEST_EQUALS;
    return compile_scalars(reader, text_only ? &contains : &equals, text_only, out);
}

bwt_error bwt_compile_conditions(const bwt_spec_reader *reader, const bwt_spec_node *node, bool body_allowed,
                                 bwt_condition_list *out)
{
    bwt_spec_list list = bwt_spec_each(node);
    bwt_condition *items = bwt_arena_alloc(reader->arena, list.count, sizeof *items);
    if (items == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    bwt_error error = BWT_OK;
    for (size_t i = 0; error == BWT_OK && bwt_spec_next(&list, &element); i++) {
        error = compile_condition(reader, &element, body_allowed, &items[i]);
    }
    *out = (bwt_condition_list){items, list.count};
    return error;
}

static bwt_error compile_statuses(const bwt_spec_reader *reader, const bwt_spec_node *node, bwt_rule *rule)
{
    bwt_spec_list list = bwt_spec_each(node);
    int *statuses = bwt_arena_alloc(reader->arena, list.count, sizeof *statuses);
    if (statuses == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    for (size_t i = 0; bwt_spec_next(&list, &element); i++) {
        int64_t status = 0;
        bwt_error error = bwt_spec_int(reader, &element, 100, 999, &status);
        if (error != BWT_OK) return error;
        statuses[i] = (int)status;
    }
    rule->statuses = statuses;
    rule->status_count = list.count;
    return BWT_OK;
}

/* then: an attempt status, or the reason of an answer that came and holds nothing. */
static bwt_error compile_then(const bwt_spec_reader *reader, const bwt_spec_node *table, bwt_rule *rule)
{
    static const bwt_attempt_status statuses[] = {
        BWT_ATTEMPT_STATUS_TRANSPORT_ERROR, BWT_ATTEMPT_STATUS_RATE_LIMITED, BWT_ATTEMPT_STATUS_AUTH_FAILED,
        BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED, BWT_ATTEMPT_STATUS_NONE,         BWT_ATTEMPT_STATUS_NONE};
    static const char words[] = "transport_error rate_limited auth_failed quota_exhausted empty_result_set "
                                "unparseable_payload";
    enum { EMPTY_WORD = 4 };
    bwt_spec_node then = bwt_spec_member(table, BWT_STR("then"));
    if (!bwt_spec_present(&then)) return bwt_spec_refuse(reader, &then, "what the answer means");
    size_t word = 0;
    bwt_error error = bwt_spec_choice(reader, &then, words, &word);
    if (error != BWT_OK) return error;
    rule->status = statuses[word];
    if (rule->status == BWT_ATTEMPT_STATUS_TRANSPORT_ERROR) rule->detail = BWT_FAILURE_DETAIL_PROVIDER_ERROR;
    if (rule->status == BWT_ATTEMPT_STATUS_NONE) {
        rule->reason = word == EMPTY_WORD ? BWT_NOT_USEFUL_REASON_EMPTY_RESULT_SET
                                          : BWT_NOT_USEFUL_REASON_UNPARSEABLE_PAYLOAD;
    }
    return BWT_OK;
}

static bwt_error compile_rule(const bwt_spec_reader *reader, const bwt_spec_node *table, bwt_rule *rule)
{
    if (bwt_json_type_of(table->value) != BWT_JSON_OBJECT) return bwt_spec_refuse(reader, table, "a table");
    bwt_spec_node status = bwt_spec_member(table, BWT_STR("status"));
    bwt_spec_node when = bwt_spec_member(table, BWT_STR("when"));
    bwt_spec_node wait = bwt_spec_member(table, BWT_STR("wait_s"));
    bwt_error error = bwt_spec_table(reader, table, "status when then wait_s");
    if (error == BWT_OK) error = compile_statuses(reader, &status, rule);
    if (error == BWT_OK) error = bwt_compile_conditions(reader, &when, true, &rule->when);
    if (error != BWT_OK) return error;
    if (rule->status_count == 0 && rule->when.count == 0) return bwt_spec_refuse(reader, table, "status or when");
    rule->names_wait = bwt_spec_present(&wait);
    if (rule->names_wait) error = bwt_compile_path(reader, &wait, &rule->wait_s);
    return error == BWT_OK ? compile_then(reader, table, rule) : error;
}

bwt_error bwt_compile_rules(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_provider *provider)
{
    bwt_spec_node node = bwt_spec_member(root, BWT_STR("rules"));
    bwt_spec_list list = bwt_spec_each(&node);
    provider->rules = bwt_arena_alloc(reader->arena, list.count, sizeof *provider->rules);
    if (provider->rules == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    while (bwt_spec_next(&list, &element)) {
        bwt_error error = compile_rule(reader, &element, &provider->rules[provider->rule_count]);
        if (error != BWT_OK) return error;
        provider->rule_count++;
    }
    return BWT_OK;
}
