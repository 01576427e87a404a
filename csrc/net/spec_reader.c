/* Checks of type, range and spelling over a parsed spec. */
#include "net/spec_reader.h"

#include <string.h>

#include "core/text.h"

/* Appends as much as fits; a key too long to show is cut, never split into another one's name. */
static void extend_key(bwt_spec_node *node, const char *text, size_t len)
{
    size_t used = strlen(node->key);
    size_t room = sizeof node->key - 1 - used;
    if (len > room) len = room;
    memcpy(node->key + used, text, len);
    node->key[used + len] = '\0';
}

bwt_spec_node bwt_spec_member(const bwt_spec_node *table, bwt_str name)
{
    bwt_spec_node node = *table;
    node.value = bwt_json_member(table->value, name);
    if (node.key[0] != '\0') extend_key(&node, ".", 1);
    extend_key(&node, name.data, name.len);
    return node;
}

bool bwt_spec_present(const bwt_spec_node *node)
{
    return bwt_json_type_of(node->value) != BWT_JSON_MISSING;
}

bwt_error bwt_spec_refuse(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *expected)
{
    bwt_complain(reader->complaint, node->key[0] != '\0' ? node->key : "spec", expected);
    return BWT_ERR_INVALID;
}

/* The index of word among words, or -1. */
static int find_word(const char *words, bwt_str word)
{
    int index = 0;
    while (true) {
        size_t len = strcspn(words, " ");
        if (bwt_str_equal(word, (bwt_str){words, len})) return index;
        if (words[len] == '\0') return -1;
        words += len + 1;
        index++;
    }
}

static bwt_error refuse_words(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *words)
{
    char expected[sizeof((bwt_complaint *)0)->expected] = "one of: ";
    size_t used = strlen(expected);
    size_t len = strlen(words);
    if (len > sizeof expected - 1 - used) len = sizeof expected - 1 - used;
    memcpy(expected + used, words, len);
    return bwt_spec_refuse(reader, node, expected);
}

bwt_error bwt_spec_table(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *keys)
{
    if (!bwt_spec_present(node)) return BWT_OK;
    if (bwt_json_type_of(node->value) != BWT_JSON_OBJECT) return bwt_spec_refuse(reader, node, "a table");
    bwt_json_iter members = bwt_json_iterate(node->value);
    bwt_str name;
    bwt_json value;
    while (bwt_json_next(&members, &name, &value)) {
        if (find_word(keys, name) >= 0) continue;
        bwt_spec_node unknown = bwt_spec_member(node, name);
        return refuse_words(reader, &unknown, keys);
    }
    return BWT_OK;
}

bwt_error bwt_spec_text(const bwt_spec_reader *reader, const bwt_spec_node *node, bool required, bwt_str *out)
{
    if (!bwt_spec_present(node)) return required ? bwt_spec_refuse(reader, node, "a text") : BWT_OK;
    bwt_str text = bwt_json_string(node->value);
    if (text.data == NULL) return bwt_spec_refuse(reader, node, "a text");
    if (text.len == 0) return bwt_spec_refuse(reader, node, "a text that is not empty");
    if (memchr(text.data, '\0', text.len) != NULL) return bwt_spec_refuse(reader, node, "a text without NUL");
    return bwt_arena_copy(reader->arena, text, out);
}

bwt_error bwt_spec_int(const bwt_spec_reader *reader, const bwt_spec_node *node, int64_t lowest, int64_t highest,
                       int64_t *out)
{
    if (!bwt_spec_present(node)) return BWT_OK;
    int64_t value;
    if (bwt_json_int(node->value, &value) && value >= lowest && value <= highest) {
        *out = value;
        return BWT_OK;
    }
    char expected[sizeof((bwt_complaint *)0)->expected];
    bwt_buf text;
    bwt_buf_init(&text, sizeof expected - 1);
    bwt_buf_append_c(&text, "an integer from ");
    bwt_buf_append_int(&text, lowest);
    bwt_buf_append_c(&text, " to ");
    bwt_buf_append_int(&text, highest);
    bwt_error error = text.failed ? BWT_ERR_NO_MEMORY : bwt_spec_refuse(reader, node, text.data);
    bwt_buf_deinit(&text);
    return error;
}

bwt_error bwt_spec_bool(const bwt_spec_reader *reader, const bwt_spec_node *node, bool *out)
{
    if (!bwt_spec_present(node) || bwt_json_bool(node->value, out)) return BWT_OK;
    return bwt_spec_refuse(reader, node, "true or false");
}

bwt_error bwt_spec_choice(const bwt_spec_reader *reader, const bwt_spec_node *node, const char *words, size_t *out)
{
    if (!bwt_spec_present(node)) return BWT_OK;
    bwt_str word = bwt_json_string(node->value);
    int index = word.data == NULL ? -1 : find_word(words, word);
    if (index < 0) return refuse_words(reader, node, words);
    *out = (size_t)index;
    return BWT_OK;
}

bwt_spec_list bwt_spec_each(const bwt_spec_node *node)
{
    bwt_spec_list list = {.node = node};
    list.is_array = bwt_json_type_of(node->value) == BWT_JSON_ARRAY;
    if (!list.is_array) {
        list.count = bwt_spec_present(node) ? 1 : 0;
        return list;
    }
    list.iter = bwt_json_iterate(node->value);
    bwt_json_iter counter = list.iter;
    bwt_json value;
    while (bwt_json_next(&counter, NULL, &value)) list.count++;
    return list;
}

bool bwt_spec_next(bwt_spec_list *list, bwt_spec_node *element)
{
    if (list->next >= list->count) return false;
    *element = *list->node;
    if (list->is_array) {
        bwt_json_next(&list->iter, NULL, &element->value);
        char digits[24] = "[";
        size_t len = 1;
        size_t divisor = 1;
        while (list->next / divisor >= 10) divisor *= 10;
        for (; divisor > 0; divisor /= 10) digits[len++] = (char)('0' + list->next / divisor % 10);
        digits[len++] = ']';
        extend_key(element, digits, len);
    }
    list->next++;
    return true;
}
