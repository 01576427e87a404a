/* Compiles [answer]: where the hits are and how a hit's texts are made. */
#include "core/text.h"
#include "net/provider_spec.h"

static const char path_expected[] = "a path: names joined by dots, [0] or at most one [] after a name";
static const char source_expected[] = "a path, or a template with paths in {braces}; {base_url} is the address";

bwt_error bwt_compile_path(const bwt_spec_reader *reader, const bwt_spec_node *node, bwt_path *out)
{
    bwt_str text = bwt_json_string(node->value);
    bwt_error error = text.data == NULL ? BWT_ERR_INVALID : bwt_path_parse(reader->arena, text, out);
    return error == BWT_ERR_INVALID ? bwt_spec_refuse(reader, node, path_expected) : error;
}

static bool has_brace(bwt_str text)
{
    size_t at;
    return bwt_str_find(text, BWT_STR("{"), &at) || bwt_str_find(text, BWT_STR("}"), &at);
}

/* Number of pieces, or 0 when the template is malformed. */
static size_t count_pieces(bwt_str text)
{
    size_t count = 0;
    bool malformed;
    bwt_template_piece piece;
    while (bwt_template_next_piece(&text, &piece, &malformed)) count++;
    return malformed ? 0 : count;
}

static bwt_error compile_piece(const bwt_spec_reader *reader, bwt_template_piece piece, bwt_str base_url,
                               bwt_text_part *part)
{
    if (!piece.is_place) return bwt_arena_copy(reader->arena, piece.text, &part->literal);
    if (bwt_str_equal(piece.text, BWT_STR("base_url"))) {
        part->literal = base_url;
        return BWT_OK;
    }
    part->is_path = true;
    return piece.text.len == 0 ? BWT_ERR_INVALID : bwt_path_parse(reader->arena, piece.text, &part->path);
}

static bwt_error compile_source(const bwt_spec_reader *reader, const bwt_spec_node *node, bwt_str base_url,
                                bwt_text_source *out)
{
    bwt_str text = bwt_json_string(node->value);
    if (text.data == NULL || text.len == 0) return bwt_spec_refuse(reader, node, source_expected);
    bwt_text_source source = {.count = 1, .is_template = has_brace(text)};
    if (source.is_template) source.count = count_pieces(text);
    if (source.count == 0) return bwt_spec_refuse(reader, node, source_expected);
    bwt_text_part *parts = bwt_arena_alloc(reader->arena, source.count, sizeof *parts);
    if (parts == NULL) return BWT_ERR_NO_MEMORY;
    bwt_error error = BWT_OK;
    if (source.is_template) {
        bool malformed;
        bwt_template_piece piece;
        bwt_text_part *part = parts;
        while (error == BWT_OK && bwt_template_next_piece(&text, &piece, &malformed)) {
            error = compile_piece(reader, piece, base_url, part++);
        }
    } else {
        parts->is_path = true;
        error = bwt_path_parse(reader->arena, text, &parts->path);
    }
    if (error == BWT_ERR_INVALID) return bwt_spec_refuse(reader, node, source_expected);
    source.parts = parts;
    *out = source;
    return error;
}

static bwt_error compile_field(const bwt_spec_reader *reader, const bwt_spec_node *answer, const char *name,
                               bwt_str base_url, bwt_field_spec *out)
{
    bwt_spec_node node = bwt_spec_member(answer, bwt_str_c(name));
    bwt_spec_list list = bwt_spec_each(&node);
    bwt_text_source *sources = bwt_arena_alloc(reader->arena, list.count, sizeof *sources);
    if (sources == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    bwt_error error = BWT_OK;
    for (size_t i = 0; error == BWT_OK && bwt_spec_next(&list, &element); i++) {
        error = compile_source(reader, &element, base_url, &sources[i]);
    }
    out->sources = sources;
    out->count = list.count;
    return error;
}

static bwt_error compile_hit_lists(const bwt_spec_reader *reader, const bwt_spec_node *answer, bwt_answer_spec *out)
{
    bwt_spec_node node = bwt_spec_member(answer, BWT_STR("hits"));
    bwt_spec_list list = bwt_spec_each(&node);
    if (list.count == 0) return bwt_spec_refuse(reader, &node, path_expected);
    bwt_path *paths = bwt_arena_alloc(reader->arena, list.count, sizeof *paths);
    if (paths == NULL) return BWT_ERR_NO_MEMORY;
    bwt_spec_node element;
    bwt_error error = BWT_OK;
    for (size_t i = 0; error == BWT_OK && bwt_spec_next(&list, &element); i++) {
        error = bwt_compile_path(reader, &element, &paths[i]);
        for (size_t step = 0; error == BWT_OK && step < paths[i].count; step++) {
            if (paths[i].steps[step].kind == BWT_STEP_EACH)
                error = bwt_spec_refuse(reader, &element, "a path without []");
        }
    }
    out->hit_lists = paths;
    out->hit_list_count = list.count;
    return error;
}

static bwt_error compile_clean(const bwt_spec_reader *reader, const bwt_spec_node *answer, bwt_answer_spec *out)
{
    bwt_spec_node table = bwt_spec_member(answer, BWT_STR("clean"));
    bwt_spec_node title = bwt_spec_member(&table, BWT_STR("title"));
    bwt_spec_node snippet = bwt_spec_member(&table, BWT_STR("snippet"));
    static const char words[] = "none space html"; /* in the order of bwt_clean */
    size_t title_clean = BWT_CLEAN_NONE, snippet_clean = BWT_CLEAN_NONE;
    bwt_error error = bwt_spec_table(reader, &table, "title snippet");
    if (error == BWT_OK) error = bwt_spec_choice(reader, &title, words, &title_clean);
    if (error == BWT_OK) error = bwt_spec_choice(reader, &snippet, words, &snippet_clean);
    out->title.clean = (bwt_clean)title_clean;
    out->snippet.clean = (bwt_clean)snippet_clean;
    return error;
}

bwt_error bwt_compile_answer(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_provider *provider)
{
    bwt_answer_spec *answer = &provider->answer;
    bwt_spec_node table = bwt_spec_member(root, BWT_STR("answer"));
    bwt_spec_node format = bwt_spec_member(&table, BWT_STR("format"));
    bwt_spec_node keep = bwt_spec_member(&table, BWT_STR("keep"));
    bwt_spec_node evidence = bwt_spec_member(&table, BWT_STR("titles_are_evidence"));
    if (!bwt_spec_present(&table)) return bwt_spec_refuse(reader, &table, "a table");
    size_t ignored;
    bwt_error error = bwt_spec_table(reader, &table, "format hits keep title url snippet clean titles_are_evidence");
    if (error == BWT_OK) error = bwt_spec_choice(reader, &format, "json", &ignored);
    if (error == BWT_OK) error = compile_hit_lists(reader, &table, answer);
    if (error == BWT_OK) error = bwt_compile_conditions(reader, &keep, false, &answer->keep);
    if (error == BWT_OK) error = compile_field(reader, &table, "title", provider->base_url, &answer->title);
    if (error == BWT_OK) error = compile_field(reader, &table, "url", provider->base_url, &answer->url);
    if (error == BWT_OK) error = compile_field(reader, &table, "snippet", provider->base_url, &answer->snippet);
    if (error == BWT_OK) error = compile_clean(reader, &table, answer);
    if (error == BWT_OK) error = bwt_spec_bool(reader, &evidence, &answer->titles_are_evidence);
    answer->url.encoding = BWT_ENCODE_PATH;
    return error;
}
