/* A spec document becomes a provider: name, address and limits here, the larger sections in their own files. */
#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"
#include "net/provider_spec.h"
#include "net/url.h"

enum { MAX_NAME_CHARS = 100 };

static const char base_expected[] = "an absolute http or https address without query and fragment";
static const char name_expected[] = "1 to 100 characters of valid text without control characters";

static bool is_name(bwt_str text)
{
    if (text.len == 0 || !bwt_utf8_is_valid(text) || bwt_utf8_count(text) > MAX_NAME_CHARS) return false;
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7F) return false;
    }
    return true;
}

static bwt_error compile_name(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_str override,
                              bwt_provider *provider)
{
    bwt_spec_node node = bwt_spec_member(root, BWT_STR("name"));
    bwt_error error = bwt_spec_text(reader, &node, true, &provider->name);
    if (error != BWT_OK) return error;
    if (!is_name(provider->name)) return bwt_spec_refuse(reader, &node, name_expected);
    if (override.data == NULL) return BWT_OK;
    if (!is_name(override)) {
        bwt_complain(reader->complaint, "name", name_expected);
        return BWT_ERR_INVALID;
    }
    return bwt_arena_copy(reader->arena, override, &provider->name);
}

/* Keeps the address as it will be dialled, rebuilt from its parsed parts. */
static bwt_error keep_base(bwt_arena *arena, const bwt_url *url, bwt_provider *provider)
{
    bwt_buf text;
    bwt_buf_init(&text, BWT_BUF_NO_CAP);
    bwt_error error = bwt_url_append_base(&text, url) ? BWT_OK : BWT_ERR_NO_MEMORY;
    if (error == BWT_OK) error = bwt_arena_copy(arena, bwt_buf_str(&text), &provider->base_url);
    bwt_buf_clear(&text);
    if (error == BWT_OK && !bwt_url_append_origin(&text, url)) error = BWT_ERR_NO_MEMORY;
    if (error == BWT_OK) error = bwt_arena_copy(arena, bwt_buf_str(&text), &provider->origin);
    bwt_buf_append_char(&text, ' ');
    if (error == BWT_OK && !bwt_buf_append_str(&text, provider->name)) error = BWT_ERR_NO_MEMORY;
    if (error == BWT_OK) error = bwt_arena_copy(arena, bwt_buf_str(&text), &provider->identity);
    bwt_buf_deinit(&text);
    return error;
}

static bwt_error compile_base(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_str override,
                              bwt_provider *provider)
{
    bwt_spec_node table = bwt_spec_member(root, BWT_STR("request"));
    bwt_spec_node node = bwt_spec_member(&table, BWT_STR("base_url"));
    bwt_spec_node argument = {.key = "base_url"};
    const bwt_spec_node *blamed = override.data != NULL || !bwt_spec_present(&node) ? &argument : &node;
    bwt_str text = BWT_STR_NONE;
    bwt_error error = bwt_spec_text(reader, &node, false, &text);
    if (error != BWT_OK) return error;
    if (override.data != NULL) text = override;
    bwt_url url = {0};
    error = bwt_url_parse(text, &url);
    if (error == BWT_ERR_INVALID) return bwt_spec_refuse(reader, blamed, base_expected);
    if (error != BWT_OK) return error;
    if (url.query.data != NULL || url.has_fragment) {
        error = bwt_spec_refuse(reader, blamed, base_expected);
    } else {
        error = keep_base(reader->arena, &url, provider);
    }
    bwt_url_deinit(&url);
    return error;
}

static bwt_error compile_limits(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_provider *provider)
{
    enum { MOST_CHARS = 100000, MOST_RESULTS = 1000, MOST_INTERVAL_MS = 3600000 };
    bwt_spec_node table = bwt_spec_member(root, BWT_STR("limits"));
    bwt_spec_node chars = bwt_spec_member(&table, BWT_STR("query_chars"));
    bwt_spec_node results = bwt_spec_member(&table, BWT_STR("max_results"));
    bwt_spec_node interval = bwt_spec_member(&table, BWT_STR("min_interval_ms"));
    bwt_error error = bwt_spec_table(reader, &table, "query_chars max_results min_interval_ms");
    if (error == BWT_OK) error = bwt_spec_int(reader, &chars, 1, MOST_CHARS, &provider->query_chars);
    if (error == BWT_OK) error = bwt_spec_int(reader, &results, 1, MOST_RESULTS, &provider->max_results);
    if (error == BWT_OK) error = bwt_spec_int(reader, &interval, 0, MOST_INTERVAL_MS, &provider->min_interval_ms);
    return error;
}

static bwt_error compile_document(const bwt_spec_reader *reader, bwt_json document,
                                  const bwt_provider_overrides *overrides, bwt_provider *provider)
{
    bwt_spec_node root = {.value = document};
    if (bwt_json_type_of(document) != BWT_JSON_OBJECT) {
        return bwt_spec_refuse(reader, &root, "a table: the spec as one JSON object");
    }
    bwt_spec_node title = bwt_spec_member(&root, BWT_STR("title"));
    bwt_spec_node docs = bwt_spec_member(&root, BWT_STR("docs"));
    bwt_str unused;
    bwt_error error = bwt_spec_table(reader, &root, "name title docs request key answer rules limits");
    if (error == BWT_OK) error = compile_name(reader, &root, overrides->name, provider);
    if (error == BWT_OK) error = bwt_spec_text(reader, &title, false, &unused);
    if (error == BWT_OK) error = bwt_spec_text(reader, &docs, false, &unused);
    if (error == BWT_OK) error = compile_base(reader, &root, overrides->base_url, provider);
    if (error == BWT_OK) error = bwt_compile_request(reader, &root, overrides->api_key, provider);
    if (error == BWT_OK) error = bwt_compile_answer(reader, &root, provider);
    if (error == BWT_OK) error = bwt_compile_rules(reader, &root, provider);
    if (error == BWT_OK) error = compile_limits(reader, &root, provider);
    return error;
}

static bwt_provider *new_provider(void)
{
    bwt_provider *provider = bwt_alloc_zeroed(1, sizeof *provider);
    if (provider == NULL) return NULL;
    provider->references = 1;
    bwt_arena_init(&provider->arena);
    return provider;
}

bwt_error bwt_provider_compile(bwt_str spec, const bwt_provider_overrides *overrides, bwt_provider **out,
                               bwt_complaint *complaint)
{
    static const bwt_provider_overrides no_overrides;
    bwt_provider *provider = new_provider();
    bwt_json_parser *parser = bwt_json_parser_new();
    bwt_buf text; /* a copy, because the parser wants room behind it */
    bwt_buf_init(&text, BWT_BUF_NO_CAP);
    bwt_error error = BWT_ERR_NO_MEMORY;
    bwt_complain(complaint, "", "");
    if (provider != NULL && parser != NULL && bwt_buf_append_str(&text, spec)) {
        bool no_memory;
        bwt_json document = bwt_json_parse(parser, &text, &no_memory);
        bwt_spec_reader reader = {.arena = &provider->arena, .complaint = complaint};
        if (!no_memory) {
            error = compile_document(&reader, document, overrides != NULL ? overrides : &no_overrides, provider);
        }
    }
    bwt_buf_deinit(&text);
    bwt_json_parser_free(parser);
    if (error != BWT_OK) {
        bwt_provider_release(provider);
        return error;
    }
    *out = provider;
    return BWT_OK;
}
