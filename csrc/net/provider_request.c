/* Compiles [request] and [key]: where the query goes and how the key travels. */
#include <string.h>

#include "core/text.h"
#include "net/provider_spec.h"
#include "net/url.h"

typedef enum key_place { KEY_IN_HEADER, KEY_IN_QUERY, KEY_IN_BODY } key_place;
typedef enum body_form { BODY_JSON, BODY_FORM } body_form;

typedef struct key_spec {
    bwt_str value; /* absent: no key is sent */
    bwt_str prefix;
    bwt_str name;
    key_place place;
} key_spec;

static const char place_expected[] = "{query} or {count}, and {{ }} for single braces";
static const char line_expected[] = "a text without line breaks and control characters";

/* A value that cannot end its header line early. */
static bool is_header_safe(bwt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return false;
    }
    return true;
}

static bool is_header_name(bwt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!bwt_ascii_is_alnum(name.data[i]) && memchr("!#$%&'*+-.^_`|~", name.data[i], 15) == NULL) return false;
    }
    return name.len > 0;
}

/* ---- [key] ---- */

static bwt_error refuse_missing_key(const bwt_spec_reader *reader, bwt_str variable)
{
    char expected[sizeof((bwt_complaint *)0)->expected];
    bwt_buf text;
    bwt_buf_init(&text, sizeof expected - 1);
    bwt_buf_append_c(&text, "the provider's key");
    if (variable.data != NULL && variable.len < 64) {
        bwt_buf_append_c(&text, ", or the environment variable ");
        bwt_buf_append_str(&text, variable);
    }
    if (!text.failed) bwt_complain(reader->complaint, "api_key", text.data);
    bwt_error error = text.failed ? BWT_ERR_NO_MEMORY : BWT_ERR_INVALID;
    bwt_buf_deinit(&text);
    return error;
}

static bwt_error read_key(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_str api_key, key_spec *key)
{
    bwt_spec_node table = bwt_spec_member(root, BWT_STR("key"));
    bwt_spec_node env = bwt_spec_member(&table, BWT_STR("env"));
    bwt_spec_node required_node = bwt_spec_member(&table, BWT_STR("required"));
    bwt_spec_node in = bwt_spec_member(&table, BWT_STR("in"));
    bwt_spec_node name = bwt_spec_member(&table, BWT_STR("name"));
    bwt_spec_node prefix = bwt_spec_member(&table, BWT_STR("prefix"));
    bool present = bwt_spec_present(&table);
    bool required = present;
    size_t place = KEY_IN_HEADER;
    bwt_str variable = BWT_STR_NONE;
    bwt_error error = bwt_spec_table(reader, &table, "env required in name prefix");
    if (error == BWT_OK) error = bwt_spec_text(reader, &env, false, &variable);
    if (error == BWT_OK) error = bwt_spec_bool(reader, &required_node, &required);
    if (error == BWT_OK) error = bwt_spec_choice(reader, &in, "header query body", &place);
    if (error == BWT_OK) error = bwt_spec_text(reader, &name, present, &key->name);
    if (error == BWT_OK) error = bwt_spec_text(reader, &prefix, false, &key->prefix);
    if (error != BWT_OK) return error;
    key->place = (key_place)place;
    if (present && key->place == KEY_IN_HEADER && !is_header_name(key->name)) {
        return bwt_spec_refuse(reader, &name, "a header name");
    }
    if (!is_header_safe(key->prefix)) return bwt_spec_refuse(reader, &prefix, line_expected);
    if (present && required && api_key.len == 0) return refuse_missing_key(reader, variable);
    if (!is_header_safe(api_key)) {
        bwt_complain(reader->complaint, "api_key", line_expected);
        return BWT_ERR_INVALID;
    }
    if (present && api_key.len > 0) key->value = api_key; /* a provider that asks for no key is sent none */
    return BWT_OK;
}

static void add_key(bwt_template_builder *builder, const key_spec *key, bwt_encoding encoding)
{
    bwt_template_literal(builder, encoding, key->prefix);
    bwt_template_secret(builder, encoding, key->value);
}

/* ---- names with values: query parameters and forms ---- */

static bwt_error add_value(const bwt_spec_reader *reader, const bwt_spec_node *node, bwt_template_builder *builder)
{
    int64_t integer;
    bool truth;
    bwt_str text = bwt_json_string(node->value);
    if (text.data != NULL) {
        bwt_error error = bwt_template_parse(builder, text, BWT_ENCODE_FORM, BWT_ENCODE_FORM);
        return error == BWT_ERR_INVALID ? bwt_spec_refuse(reader, node, place_expected) : error;
    }
    if (bwt_json_int(node->value, &integer)) {
        bwt_buf_append_int(&builder->literal, integer);
        return BWT_OK;
    }
    if (bwt_json_bool(node->value, &truth)) {
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, truth ? BWT_STR("true") : BWT_STR("false"));
        return BWT_OK;
    }
    return bwt_spec_refuse(reader, node, "a text, an integer or a boolean");
}

/* Appends "a=b&c=d"; the first pair is led in by first. */
static bwt_error add_pairs(const bwt_spec_reader *reader, const bwt_spec_node *table, const key_spec *key,
                           bwt_str first, bwt_template_builder *builder)
{
    if (bwt_spec_present(table) && bwt_json_type_of(table->value) != BWT_JSON_OBJECT) {
        return bwt_spec_refuse(reader, table, "a table of names and values");
    }
    bwt_json_iter members = bwt_json_iterate(table->value);
    bwt_str name;
    bwt_json value;
    bwt_str lead = first;
    while (bwt_json_next(&members, &name, &value)) {
        bwt_spec_node node = bwt_spec_member(table, name);
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, lead);
        bwt_template_literal(builder, BWT_ENCODE_FORM, name);
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("="));
        bwt_error error = add_value(reader, &node, builder);
        if (error != BWT_OK) return error;
        lead = BWT_STR("&");
    }
    if (key != NULL && key->value.data != NULL) {
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, lead);
        bwt_template_literal(builder, BWT_ENCODE_FORM, key->name);
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("="));
        add_key(builder, key, BWT_ENCODE_FORM);
    }
    return BWT_OK;
}

/* ---- JSON bodies ---- */

static bwt_error add_json(const bwt_spec_reader *reader, const bwt_spec_node *node, int depth, const key_spec *key,
                          bwt_template_builder *builder);

static bwt_error add_json_string(const bwt_spec_reader *reader, const bwt_spec_node *node,
                                 bwt_template_builder *builder)
{
    bwt_str text = bwt_json_string(node->value);
    if (bwt_str_equal(text, BWT_STR("{count}"))) { /* alone it is the number, not its digits */
        bwt_template_place(builder, BWT_PART_COUNT, BWT_ENCODE_NOTHING);
        return BWT_OK;
    }
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\""));
    bwt_error error = bwt_template_parse(builder, text, BWT_ENCODE_JSON, BWT_ENCODE_JSON);
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\""));
    return error == BWT_ERR_INVALID ? bwt_spec_refuse(reader, node, place_expected) : error;
}

static void add_json_key(const key_spec *key, bool first, bwt_template_builder *builder)
{
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, first ? BWT_STR("\"") : BWT_STR(",\""));
    bwt_template_literal(builder, BWT_ENCODE_JSON, key->name);
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\":\""));
    add_key(builder, key, BWT_ENCODE_JSON);
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\""));
}

static bwt_error add_json_container(const bwt_spec_reader *reader, const bwt_spec_node *node, int depth,
                                    const key_spec *key, bwt_template_builder *builder)
{
    enum { MAX_DEPTH = 8 };
    if (depth == MAX_DEPTH) return bwt_spec_refuse(reader, node, "at most 8 levels of nesting");
    bool is_object = bwt_json_type_of(node->value) == BWT_JSON_OBJECT;
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, is_object ? BWT_STR("{") : BWT_STR("["));
    bwt_json_iter members = bwt_json_iterate(node->value);
    bwt_str name;
    bwt_json value;
    bool first = true;
    while (bwt_json_next(&members, &name, &value)) {
        if (!first) bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR(","));
        first = false;
        bwt_spec_node child = is_object ? bwt_spec_member(node, name) : *node;
        child.value = value;
        if (is_object) {
            bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\""));
            bwt_template_literal(builder, BWT_ENCODE_JSON, name);
            bwt_template_literal(builder, BWT_ENCODE_NOTHING, BWT_STR("\":"));
        }
        bwt_error error = add_json(reader, &child, depth + 1, NULL, builder);
        if (error != BWT_OK) return error;
    }
    if (key != NULL && key->value.data != NULL) add_json_key(key, first, builder);
    bwt_template_literal(builder, BWT_ENCODE_NOTHING, is_object ? BWT_STR("}") : BWT_STR("]"));
    return BWT_OK;
}

static bwt_error add_json(const bwt_spec_reader *reader, const bwt_spec_node *node, int depth, const key_spec *key,
                          bwt_template_builder *builder)
{
    int64_t integer;
    bool truth;
    switch (bwt_json_type_of(node->value)) {
    case BWT_JSON_STRING:
        return add_json_string(reader, node, builder);
    case BWT_JSON_INT:
        bwt_json_int(node->value, &integer);
        bwt_buf_append_int(&builder->literal, integer);
        return BWT_OK;
    case BWT_JSON_BOOL:
        bwt_json_bool(node->value, &truth);
        bwt_template_literal(builder, BWT_ENCODE_NOTHING, truth ? BWT_STR("true") : BWT_STR("false"));
        return BWT_OK;
    case BWT_JSON_ARRAY:
    case BWT_JSON_OBJECT:
        return add_json_container(reader, node, depth, key, builder);
    default:
        return bwt_spec_refuse(reader, node, "a text, an integer, a boolean, a list or a table");
    }
}

/* ---- the parts of a request ---- */

static bwt_error compile_url(const bwt_spec_reader *reader, const bwt_spec_node *table, const key_spec *key,
                             bwt_provider *provider)
{
    bwt_spec_node path_node = bwt_spec_member(table, BWT_STR("path"));
    bwt_spec_node params = bwt_spec_member(table, BWT_STR("params"));
    bwt_str path = BWT_STR_NONE;
    bwt_error error = bwt_spec_text(reader, &path_node, true, &path);
    if (error != BWT_OK) return error;
    bool plain = path.data[0] == '/' && is_header_safe(path) && strpbrk(path.data, "?# \t") == NULL;
    if (!plain) return bwt_spec_refuse(reader, &path_node, "a path that begins with / and has no query and no blank");

    bwt_template_builder builder;
    bwt_template_begin(&builder, reader->arena);
    bwt_template_literal(&builder, BWT_ENCODE_NOTHING, provider->base_url);
    error = bwt_template_parse(&builder, path, BWT_ENCODE_NOTHING, BWT_ENCODE_PATH);
    if (error == BWT_ERR_INVALID) error = bwt_spec_refuse(reader, &path_node, place_expected);
    const key_spec *query_key = key->place == KEY_IN_QUERY ? key : NULL;
    if (error == BWT_OK) error = add_pairs(reader, &params, query_key, BWT_STR("?"), &builder);
    bwt_error finished = bwt_template_finish(&builder, error == BWT_OK ? &provider->request.url : NULL);
    return error != BWT_OK ? error : finished;
}

static bwt_error compile_body(const bwt_spec_reader *reader, const bwt_spec_node *table, const key_spec *key,
                              body_form form, bwt_request_spec *request)
{
    bwt_spec_node body = bwt_spec_member(table, BWT_STR("body"));
    const key_spec *body_key = key->place == KEY_IN_BODY ? key : NULL;
    if (!request->post) {
        if (bwt_spec_present(&body)) return bwt_spec_refuse(reader, &body, "no body with the method GET");
        if (body_key == NULL || body_key->name.data == NULL) return BWT_OK;
        bwt_spec_node in = {.key = "key.in"};
        return bwt_spec_refuse(reader, &in, "header or query with the method GET");
    }
    if (bwt_json_type_of(body.value) != BWT_JSON_OBJECT) return bwt_spec_refuse(reader, &body, "a table");
    bwt_template_builder builder;
    bwt_template_begin(&builder, reader->arena);
    bwt_error error = form == BODY_FORM ? add_pairs(reader, &body, body_key, BWT_STR(""), &builder)
                                        : add_json(reader, &body, 0, body_key, &builder);
    bwt_error finished = bwt_template_finish(&builder, error == BWT_OK ? &request->body : NULL);
    return error != BWT_OK ? error : finished;
}

static bwt_error add_header(const bwt_spec_reader *reader, bwt_str name, bwt_str prefix, bwt_str value,
                            bwt_request_spec *request)
{
    bwt_buf line;
    bwt_buf_init(&line, BWT_BUF_NO_CAP);
    bwt_buf_append_str(&line, name);
    bwt_buf_append_c(&line, ": ");
    bwt_buf_append_str(&line, prefix);
    bwt_buf_append_str(&line, value);
    bwt_error error = line.failed ? BWT_ERR_NO_MEMORY : BWT_OK;
    if (error == BWT_OK) {
        error = bwt_arena_copy(reader->arena, bwt_buf_str(&line), &request->headers[request->header_count]);
    }
    if (error == BWT_OK) request->header_count++;
    bwt_buf_deinit(&line);
    return error;
}

/* The spec's headers, then those that it did not name: Accept, Content-Type, the key. */
static bwt_error compile_headers(const bwt_spec_reader *reader, const bwt_spec_node *table, const key_spec *key,
                                 body_form form, bwt_request_spec *request)
{
    bwt_spec_node headers = bwt_spec_member(table, BWT_STR("headers"));
    if (bwt_spec_present(&headers) && bwt_json_type_of(headers.value) != BWT_JSON_OBJECT) {
        return bwt_spec_refuse(reader, &headers, "a table of names and values");
    }
    bwt_json_iter members = bwt_json_iterate(headers.value);
    bwt_json_iter counter = members;
    bwt_str name;
    bwt_json value;
    size_t most = 3;
    while (bwt_json_next(&counter, NULL, &value)) most++;
    request->headers = bwt_arena_alloc(reader->arena, most, sizeof *request->headers);
    if (request->headers == NULL) return BWT_ERR_NO_MEMORY;

    bool has_accept = false, has_content_type = false;
    bwt_error error = BWT_OK;
    while (error == BWT_OK && bwt_json_next(&members, &name, &value)) {
        bwt_spec_node node = bwt_spec_member(&headers, name);
        bwt_str text = bwt_json_string(value);
        if (!is_header_name(name)) return bwt_spec_refuse(reader, &node, "a header name");
        if (text.data == NULL || !is_header_safe(text)) return bwt_spec_refuse(reader, &node, line_expected);
        has_accept = has_accept || bwt_str_equal_ascii_case(name, BWT_STR("Accept"));
        has_content_type = has_content_type || bwt_str_equal_ascii_case(name, BWT_STR("Content-Type"));
        error = add_header(reader, name, BWT_STR_NONE, text, request);
    }
    if (error == BWT_OK && !has_accept) {
        error = add_header(reader, BWT_STR("Accept"), BWT_STR_NONE, BWT_STR("application/json"), request);
    }
    if (error == BWT_OK && request->post && !has_content_type) {
        bwt_str type = form == BODY_FORM ? BWT_STR("application/x-www-form-urlencoded") : BWT_STR("application/json");
        error = add_header(reader, BWT_STR("Content-Type"), BWT_STR_NONE, type, request);
    }
    if (error == BWT_OK && key->place == KEY_IN_HEADER && key->value.data != NULL) {
        error = add_header(reader, key->name, key->prefix, key->value, request);
    }
    return error;
}

bwt_error bwt_compile_request(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_str api_key,
                              bwt_provider *provider)
{
    bwt_spec_node table = bwt_spec_member(root, BWT_STR("request"));
    bwt_spec_node method = bwt_spec_member(&table, BWT_STR("method"));
    bwt_spec_node form_node = bwt_spec_member(&table, BWT_STR("body_format"));
    if (!bwt_spec_present(&table)) return bwt_spec_refuse(reader, &table, "a table");
    key_spec key = {0};
    size_t post = 0, form = BODY_JSON;
    bwt_error error = bwt_spec_table(reader, &table, "method base_url path params headers body body_format");
    if (error == BWT_OK) error = bwt_spec_choice(reader, &method, "GET POST", &post);
    if (error == BWT_OK) error = bwt_spec_choice(reader, &form_node, "json form", &form);
    provider->request.post = post == 1;
    if (error == BWT_OK) error = read_key(reader, root, api_key, &key);
    if (error == BWT_OK) error = compile_url(reader, &table, &key, provider);
    if (error == BWT_OK) error = compile_body(reader, &table, &key, (body_form)form, &provider->request);
    if (error == BWT_OK) error = compile_headers(reader, &table, &key, (body_form)form, &provider->request);
    return error;
}
