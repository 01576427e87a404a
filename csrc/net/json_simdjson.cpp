/* JSON through simdjson's DOM. The only C++ of the library: error codes only, nothing is thrown through C. */
#include "net/json.h"

#include <simdjson.h>

#include <cstring>
#include <new>

extern "C" {
#include "core/mem.h"
}

using simdjson::dom::document;
using simdjson::internal::tape_ref;
using simdjson::internal::tape_type;

static_assert(BWT_JSON_PADDING >= simdjson::SIMDJSON_PADDING,
              "the buffer's padding is what the parser reads past the end");

/* Longer texts are refused. Bodies are capped well below; specs are smaller still. */
static constexpr size_t max_text_bytes = size_t(8) * 1024 * 1024;
static constexpr size_t smallest_capacity = size_t(32) * 1024;
/* The parser's tables take about 14 bytes for each byte of text: what a rare long text needed is given back. */
static constexpr size_t largest_kept_capacity = size_t(256) * 1024;

struct bwt_json_parser {
    simdjson::dom::parser dom{max_text_bytes};
    simdjson::dom::document document{};
};

extern "C" bwt_json_parser *bwt_json_parser_new(void)
{
    void *memory = bwt_alloc(sizeof(bwt_json_parser));
    return memory == nullptr ? nullptr : new (memory) bwt_json_parser{};
}

extern "C" void bwt_json_parser_free(bwt_json_parser *parser)
{
    if (parser == nullptr) return;
    parser->~bwt_json_parser();
    bwt_free(parser);
}

/* Tables for a text of len bytes, in powers of two so that a series of similar texts allocates once. */
static simdjson::error_code make_room(bwt_json_parser *parser, size_t len)
{
    simdjson::dom::parser &dom = parser->dom;
    size_t wanted = smallest_capacity;
    while (wanted < len) wanted *= 2;
    const bool fits = dom.capacity() >= wanted && parser->document.capacity() >= wanted;
    const bool oversized = dom.capacity() > largest_kept_capacity && dom.capacity() > wanted;
    if (fits && !oversized && dom.max_depth() == BWT_JSON_MAX_DEPTH) return simdjson::SUCCESS;
    const simdjson::error_code error = dom.allocate(wanted, BWT_JSON_MAX_DEPTH);
    return error != simdjson::SUCCESS ? error : parser->document.allocate(wanted);
}

static simdjson::error_code parse_padded(bwt_json_parser *parser, const char *text, size_t len)
{
    return parser->dom.parse_into_document(parser->document, text, len, false).error();
}

static int hex_of(const char *digits)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = digits[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* The value of the \u escape at text[at], or -1. */
static int unicode_escape(const char *text, size_t len, size_t at)
{
    return len - at >= 6 && text[at] == '\\' && text[at + 1] == 'u' ? hex_of(text + at + 2) : -1;
}

/* A snippet cut between the halves of a surrogate pair is common and no reason to lose the whole answer: such escapes
 * become \ufffd in place. True when there was one. */
static bool mend_lone_surrogates(char *text, size_t len)
{
    bool mended = false;
    for (size_t at = 0; at < len;) {
        const char *backslash = static_cast<const char *>(std::memchr(text + at, '\\', len - at));
        if (backslash == nullptr) break;
        at = size_t(backslash - text);
        const int value = unicode_escape(text, len, at);
        if (value < 0xD800 || value > 0xDFFF) {
            at += value >= 0 ? 6 : 2;
            continue;
        }
        const int next = value <= 0xDBFF && len - at >= 12 ? unicode_escape(text, len, at + 6) : -1;
        if (next >= 0xDC00 && next <= 0xDFFF) {
            at += 12;
            continue;
        }
        std::memcpy(text + at + 2, "fffd", 4);
        mended = true;
        at += 6;
    }
    return mended;
}

extern "C" bwt_json bwt_json_parse(bwt_json_parser *parser, bwt_buf *text, bool *no_memory)
{
    const bwt_json missing = {nullptr, 0};
    *no_memory = false;
    if (text->len > max_text_bytes) return missing;
    if (!bwt_buf_reserve(text, BWT_JSON_PADDING)) {
        *no_memory = true;
        return missing;
    }
    char *data = text->data;
    size_t len = text->len;
    std::memset(data + len, 0, BWT_JSON_PADDING);
    if (len >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        data += 3;
        len -= 3;
    }
    simdjson::error_code error = make_room(parser, len);
    if (error == simdjson::SUCCESS) error = parse_padded(parser, data, len);
    if (error == simdjson::STRING_ERROR && mend_lone_surrogates(data, len)) error = parse_padded(parser, data, len);
    *no_memory = error == simdjson::MEMALLOC;
    if (error != simdjson::SUCCESS) return missing;
    return {&parser->document, 1}; /* index 0 of the tape is the document itself */
}

static tape_ref tape_of(bwt_json value)
{
    return tape_ref(static_cast<const document *>(value.document), value.index);
}

static bool is_of(bwt_json value, tape_type type)
{
    return value.document != nullptr && tape_of(value).tape_ref_type() == type;
}

extern "C" bwt_json_type bwt_json_type_of(bwt_json value)
{
    if (value.document == nullptr) return BWT_JSON_MISSING;
    switch (tape_of(value).tape_ref_type()) {
    case tape_type::NULL_VALUE:
        return BWT_JSON_NULL;
    case tape_type::TRUE_VALUE:
    case tape_type::FALSE_VALUE:
        return BWT_JSON_BOOL;
    case tape_type::INT64:
        return BWT_JSON_INT;
    case tape_type::UINT64: /* only what int64_t cannot hold */
    case tape_type::DOUBLE:
        return BWT_JSON_REAL;
    case tape_type::STRING:
        return BWT_JSON_STRING;
    case tape_type::START_ARRAY:
        return BWT_JSON_ARRAY;
    case tape_type::START_OBJECT:
        return BWT_JSON_OBJECT;
    default:
        return BWT_JSON_MISSING;
    }
}

extern "C" bwt_str bwt_json_string(bwt_json value)
{
    if (!is_of(value, tape_type::STRING)) return {nullptr, 0};
    const tape_ref tape = tape_of(value);
    return {tape.get_c_str(), tape.get_string_length()};
}

extern "C" bool bwt_json_bool(bwt_json value, bool *out)
{
    if (bwt_json_type_of(value) != BWT_JSON_BOOL) return false;
    *out = is_of(value, tape_type::TRUE_VALUE);
    return true;
}

extern "C" bool bwt_json_int(bwt_json value, int64_t *out)
{
    if (!is_of(value, tape_type::INT64)) return false;
    *out = tape_of(value).next_tape_value<int64_t>();
    return true;
}

extern "C" bool bwt_json_real(bwt_json value, double *out)
{
    if (value.document == nullptr) return false;
    const tape_ref tape = tape_of(value);
    switch (tape.tape_ref_type()) {
    case tape_type::INT64:
        *out = double(tape.next_tape_value<int64_t>());
        return true;
    case tape_type::UINT64:
        *out = double(tape.next_tape_value<uint64_t>());
        return true;
    case tape_type::DOUBLE:
        *out = tape.next_tape_value<double>();
        return true;
    default:
        return false;
    }
}

extern "C" bwt_json bwt_json_member(bwt_json object, bwt_str key)
{
    bwt_json missing = {nullptr, 0};
    if (!is_of(object, tape_type::START_OBJECT)) return missing;
    tape_ref at = tape_of(object);
    const size_t end = at.after_element() - 1;
    at.json_index++;
    while (at.json_index < end) {
        const size_t value_index = at.json_index + 1;
        if (at.get_string_length() == key.len && std::memcmp(at.get_c_str(), key.data, key.len) == 0) {
            return {object.document, value_index};
        }
        at.json_index = value_index;
        at.json_index = at.after_element();
    }
    return missing;
}

extern "C" bwt_json_iter bwt_json_iterate(bwt_json container)
{
    if (!is_of(container, tape_type::START_ARRAY) && !is_of(container, tape_type::START_OBJECT)) {
        return {{nullptr, 0}, 0, 0};
    }
    return {container, container.index + 1, tape_of(container).after_element() - 1};
}

extern "C" bool bwt_json_next(bwt_json_iter *iter, bwt_str *key, bwt_json *value)
{
    if (iter->position >= iter->end) return false;
    tape_ref at(static_cast<const document *>(iter->container.document), iter->position);
    bwt_str name = {nullptr, 0};
    if (is_of(iter->container, tape_type::START_OBJECT)) {
        name = {at.get_c_str(), at.get_string_length()};
        at.json_index++;
    }
    if (key != nullptr) *key = name;
    *value = {iter->container.document, at.json_index};
    iter->position = at.after_element();
    return true;
}
