/* From the list in a JSON answer to hits. */
#include "core/text.h"
#include "net/html_text.h"
#include "net/provider_spec.h"

/* Far beyond real answers; what bounds the time that a hostile one can take. */
enum {
    MAX_ELEMENTS = 1000, /* of the list of hits; what follows is not read */
    MAX_LOOKUPS = 4096,  /* of character names, which the library searches from the start */
};

typedef struct reader {
    const bwt_answer_spec *spec;
    bwt_buf raw;      /* a text put together from parts */
    bwt_buf texts[3]; /* title, url, snippet after cleaning */
    size_t lookups_left;
} reader;

/* ---- one text ---- */

static bool append_value(bwt_buf *out, bwt_json value, const bwt_text_source *source, bwt_encoding encoding)
{
    int64_t integer;
    bwt_str text = bwt_json_string(value);
    if (text.len > 0) {
        bwt_encode(out, source->is_template ? encoding : BWT_ENCODE_NOTHING, text);
        return true;
    }
    if (!source->is_template || !bwt_json_int(value, &integer)) return false;
    bwt_buf_append_int(out, integer);
    return true;
}

/* All texts that the path leads to, with blanks between. False when there is none. */
static bool append_path(bwt_buf *out, const bwt_path *path, bwt_json hit, const bwt_text_source *source,
                        bwt_encoding encoding)
{
    bwt_path_walk walk = bwt_path_start(path, hit);
    bwt_json value;
    bool found = false;
    while (bwt_path_next(&walk, &value)) {
        size_t before = out->len;
        if (found) bwt_buf_append_char(out, ' ');
        if (append_value(out, value, source, encoding)) {
            found = true;
        } else if (!out->failed) {
            out->len = before;
        }
    }
    return found;
}

static bool append_source(bwt_buf *out, const bwt_text_source *source, bwt_json hit, bwt_encoding encoding)
{
    for (size_t i = 0; i < source->count; i++) {
        const bwt_text_part *part = &source->parts[i];
        if (!part->is_path) {
            bwt_buf_append_str(out, part->literal);
        } else if (!append_path(out, &part->path, hit, source, encoding)) {
            return false;
        }
    }
    return true;
}

static bool is_plain_member(const bwt_text_source *source)
{
    return source->count == 1 && source->parts[0].is_path && !source->is_template;
}

/* The text of the first source that has one; empty when none has. Borrowed from the answer or from raw. */
static bwt_str first_text(reader *in, const bwt_field_spec *field, bwt_json hit)
{
    for (size_t i = 0; i < field->count; i++) {
        const bwt_text_source *source = &field->sources[i];
        if (is_plain_member(source) && source->parts[0].path.count == 1) { /* the usual case needs no copy */
            bwt_str text = bwt_json_string(bwt_path_first(&source->parts[0].path, hit));
            if (text.len > 0) return text;
            continue;
        }
        bwt_buf_clear(&in->raw);
        if (append_source(&in->raw, source, hit, field->encoding) && in->raw.len > 0) return bwt_buf_str(&in->raw);
        if (in->raw.failed) break;
    }
    return BWT_STR("");
}

static bool read_field(reader *in, const bwt_field_spec *field, bwt_json hit, bwt_buf *out)
{
    bwt_str text = first_text(in, field, hit);
    bwt_buf_clear(out);
    if (in->raw.failed) return false;
    switch (field->clean) {
    case BWT_CLEAN_HTML:
        return bwt_html_text_append(out, text, &in->lookups_left);
    case BWT_CLEAN_SPACE:
        return bwt_space_text_append(out, text);
    case BWT_CLEAN_NONE:
        break;
    }
    return bwt_buf_append_str(out, text);
}

/* ---- the list ---- */

static bwt_error add_hit(reader *in, bwt_json hit, bwt_response *response)
{
    const bwt_answer_spec *spec = in->spec;
    bwt_buf *title = &in->texts[0], *url = &in->texts[1], *snippet = &in->texts[2];
    if (!read_field(in, &spec->title, hit, title) || !read_field(in, &spec->url, hit, url) ||
        !read_field(in, &spec->snippet, hit, snippet)) {
        return BWT_ERR_NO_MEMORY;
    }
    bwt_hit found = {.title = bwt_buf_str(title), .url = bwt_buf_str(url), .snippet = bwt_buf_str(snippet)};
    if (found.snippet.len == 0 && spec->titles_are_evidence) found.snippet = found.title;
    return bwt_response_add_hit(response, found);
}

/* Elements that are no objects are no hits; a list of nothing else is not the expected shape. */
static bwt_error add_hits(reader *in, bwt_json list, bwt_response *response, bool *shape_ok)
{
    bwt_json_iter iter = bwt_json_iterate(list);
    bwt_json element;
    size_t elements = 0, objects = 0;
    bwt_error error = BWT_OK;
    while (error == BWT_OK && elements < MAX_ELEMENTS && bwt_json_next(&iter, NULL, &element)) {
        elements++;
        if (bwt_json_type_of(element) != BWT_JSON_OBJECT) continue;
        objects++;
        if (bwt_conditions_hold(&in->spec->keep, element, BWT_STR_NONE)) error = add_hit(in, element, response);
    }
    if (elements > 0 && objects == 0) *shape_ok = false;
    return error;
}

/* The first hit list there is. Absent and null are an empty one; anything else in its place is a wrong shape. */
static bwt_json find_list(const bwt_answer_spec *spec, bwt_json root, bool *shape_ok)
{
    bool misplaced = false;
    for (size_t i = 0; i < spec->hit_list_count; i++) {
        bwt_json list = bwt_path_first(&spec->hit_lists[i], root);
        bwt_json_type type = bwt_json_type_of(list);
        if (type == BWT_JSON_ARRAY) return list;
        if (type != BWT_JSON_MISSING && type != BWT_JSON_NULL) misplaced = true;
    }
    if (misplaced || bwt_json_type_of(root) != BWT_JSON_OBJECT) *shape_ok = false;
    return (bwt_json){0};
}

bwt_error bwt_extract_hits(const bwt_provider *provider, bwt_json root, bwt_response *response, bool *shape_ok)
{
    *shape_ok = true;
    bwt_json list = find_list(&provider->answer, root, shape_ok);
    reader in = {.spec = &provider->answer, .lookups_left = MAX_LOOKUPS};
    bwt_buf_init(&in.raw, BWT_BUF_NO_CAP);
    for (size_t i = 0; i < 3; i++) bwt_buf_init(&in.texts[i], BWT_BUF_NO_CAP);
    bwt_error error = add_hits(&in, list, response, shape_ok);
    bwt_buf_deinit(&in.raw);
    for (size_t i = 0; i < 3; i++) bwt_buf_deinit(&in.texts[i]);
    return error;
}
