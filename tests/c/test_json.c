/* The JSON view: types, bounds, broken texts, and memory that cannot be had. */
#include <string.h>

#include "support/check.h"

#include "net/json.h"

typedef struct parsed {
    bwt_json_parser *parser;
    bwt_buf text;
    bwt_json root;
    bool no_memory;
} parsed;

static parsed parse_bytes(const char *data, size_t len)
{
    parsed result = {.parser = bwt_json_parser_new()};
    assert_non_null(result.parser);
    bwt_buf_init(&result.text, BWT_BUF_NO_CAP);
    assert_true(bwt_buf_append(&result.text, data, len));
    result.root = bwt_json_parse(result.parser, &result.text, &result.no_memory);
    return result;
}

static parsed parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void done(parsed *result)
{
    bwt_buf_deinit(&result->text);
    bwt_json_parser_free(result->parser);
}

static void values_of_every_type(void **state)
{
    (void)state;
    parsed json = parse("{\"s\":\"caf\\u00e9\",\"i\":-7,\"big\":9007199254740993,\"huge\":18446744073709551615,"
                        "\"r\":2.5,\"t\":true,\"f\":false,\"n\":null,\"a\":[1,\"x\",{}],\"o\":{\"k\":\"v\"},\"\":1}");
    bwt_json root = json.root;
    int64_t integer = 0;
    double real = 0;
    bool truth = false;
    assert_int_equal(bwt_json_type_of(root), BWT_JSON_OBJECT);
    assert_str(bwt_json_string(bwt_json_member(root, BWT_STR("s"))), "caf\xC3\xA9");
    assert_true(bwt_json_int(bwt_json_member(root, BWT_STR("i")), &integer));
    assert_int_equal(integer, -7);
    assert_true(bwt_json_real(bwt_json_member(root, BWT_STR("i")), &real));
    assert_true(real == -7.0);
    assert_true(bwt_json_int(bwt_json_member(root, BWT_STR("big")), &integer));
    assert_true(integer == INT64_C(9007199254740993));
    assert_int_equal(bwt_json_type_of(bwt_json_member(root, BWT_STR("huge"))), BWT_JSON_REAL);
    assert_false(bwt_json_int(bwt_json_member(root, BWT_STR("huge")), &integer));
    assert_true(bwt_json_real(bwt_json_member(root, BWT_STR("huge")), &real));
    assert_true(real == 18446744073709551616.0);
    assert_true(bwt_json_real(bwt_json_member(root, BWT_STR("r")), &real));
    assert_true(real == 2.5);
    assert_false(bwt_json_int(bwt_json_member(root, BWT_STR("r")), &integer));
    assert_true(bwt_json_bool(bwt_json_member(root, BWT_STR("t")), &truth) && truth);
    assert_true(bwt_json_bool(bwt_json_member(root, BWT_STR("f")), &truth) && !truth);
    assert_int_equal(bwt_json_type_of(bwt_json_member(root, BWT_STR("n"))), BWT_JSON_NULL);
    assert_int_equal(bwt_json_type_of(bwt_json_member(root, BWT_STR("a"))), BWT_JSON_ARRAY);
    bwt_json inner = bwt_json_member(root, BWT_STR("o"));
    assert_str(bwt_json_string(bwt_json_member(inner, BWT_STR("k"))), "v");
    assert_int_equal(bwt_json_type_of(bwt_json_member(root, BWT_STR(""))), BWT_JSON_INT);
    done(&json);
}

static void wrong_types_are_missing_not_fatal(void **state)
{
    (void)state;
    parsed json = parse("{\"s\":\"x\",\"a\":[1]}");
    bwt_json missing = bwt_json_member(json.root, BWT_STR("none"));
    bwt_json text = bwt_json_member(json.root, BWT_STR("s"));
    double real;
    bool truth;
    int64_t integer;
    assert_int_equal(bwt_json_type_of(missing), BWT_JSON_MISSING);
    assert_int_equal(bwt_json_type_of(bwt_json_member(missing, BWT_STR("deeper"))), BWT_JSON_MISSING);
    assert_int_equal(bwt_json_type_of(bwt_json_member(text, BWT_STR("x"))), BWT_JSON_MISSING);
    assert_int_equal(bwt_json_type_of(bwt_json_member(bwt_json_member(json.root, BWT_STR("a")), BWT_STR("0"))),
                     BWT_JSON_MISSING);
    assert_null(bwt_json_string(missing).data);
    assert_null(bwt_json_string(json.root).data);
    assert_false(bwt_json_real(missing, &real));
    assert_false(bwt_json_bool(text, &truth));
    assert_false(bwt_json_int(text, &integer));
    bwt_json value;
    bwt_json_iter iter = bwt_json_iterate(text);
    assert_false(bwt_json_next(&iter, NULL, &value));
    iter = bwt_json_iterate(missing);
    assert_false(bwt_json_next(&iter, NULL, &value));
    done(&json);
}

static void iteration_keeps_order(void **state)
{
    (void)state;
    parsed json = parse("{\"b\":[1.5,[2],3],\"a\":{\"x\":{}},\"c\":-1}");
    bwt_json_iter iter = bwt_json_iterate(json.root);
    bwt_str key;
    bwt_json value;
    assert_true(bwt_json_next(&iter, &key, &value));
    assert_str(key, "b");
    bwt_json_iter inner = bwt_json_iterate(value);
    double real;
    assert_true(bwt_json_next(&inner, &key, &value));
    assert_null(key.data);
    assert_true(bwt_json_real(value, &real) && real == 1.5);
    assert_true(bwt_json_next(&inner, NULL, &value));
    assert_int_equal(bwt_json_type_of(value), BWT_JSON_ARRAY);
    assert_true(bwt_json_next(&inner, NULL, &value));
    assert_true(bwt_json_real(value, &real) && real == 3.0);
    assert_false(bwt_json_next(&inner, NULL, &value));
    assert_true(bwt_json_next(&iter, &key, &value));
    assert_str(key, "a");
    assert_true(bwt_json_next(&iter, &key, &value));
    assert_str(key, "c");
    assert_false(bwt_json_next(&iter, &key, &value));
    done(&json);
}

static void strings_with_nul_keep_their_length(void **state)
{
    (void)state;
    parsed json = parse("{\"a\\u0000b\":\"x\\u0000y\"}");
    bwt_str text = bwt_json_string(bwt_json_member(json.root, BWT_STR("a\0b")));
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.data, "x\0y", 3);
    done(&json);
}

static void broken_texts_give_nothing(void **state)
{
    (void)state;
    static const char *const broken[] = {"",       " ",    "{",        "{\"a\":1", "[1,]",      "{\"a\":1} x",
                                         "nul",    "'a'",  "<html>",   "\"\\q\"",  "\"\\ud8\"", "{\"a\" 1}",
                                         "\"\n\"", "[01]", "\"\xFF\"", "\"\xC3\"", "[1e]",      "\xEF\xBB\xBF"};
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        parsed json = parse(broken[i]);
        if (bwt_json_type_of(json.root) != BWT_JSON_MISSING) fail_msg("accepted: %s", broken[i]);
        assert_false(json.no_memory);
        done(&json);
    }
}

static void byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    parsed json = parse("\xEF\xBB\xBF{\"a\":\"b\"}");
    assert_str(bwt_json_string(bwt_json_member(json.root, BWT_STR("a"))), "b");
    done(&json);
}

static void lone_surrogates_are_mended(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"\"cut \\ud83d\"", "cut \xEF\xBF\xBD"},
        {"\"\\udE00 cut\"", "\xEF\xBF\xBD cut"},
        {"\"\\ud83d\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {"\"\\uD83Dx\\u00e9\"", "\xEF\xBF\xBDx\xC3\xA9"},
        {"\"\\\\ud83d \\ud83d\"", "\\ud83d \xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        parsed json = parse(cases[i].json);
        assert_str(bwt_json_string(json.root), cases[i].text);
        done(&json);
    }
}

/* levels of "[" around nothing */
static bwt_json_type type_at_depth(size_t levels)
{
    char text[512];
    memset(text, '[', levels);
    memset(text + levels, ']', levels);
    parsed json = parse_bytes(text, 2 * levels);
    bwt_json_type type = bwt_json_type_of(json.root);
    done(&json);
    return type;
}

static void depth_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(type_at_depth(1), BWT_JSON_ARRAY);
    assert_int_equal(type_at_depth(BWT_JSON_MAX_DEPTH - 1), BWT_JSON_ARRAY);
    assert_int_equal(type_at_depth(BWT_JSON_MAX_DEPTH + 1), BWT_JSON_MISSING);
    assert_int_equal(type_at_depth(250), BWT_JSON_MISSING);
}

static void one_parser_reads_texts_of_any_size(void **state)
{
    (void)state;
    bwt_json_parser *parser = bwt_json_parser_new();
    assert_non_null(parser);
    static const size_t sizes[] = {10, 100000, 20, 2 * 1024 * 1024, 3000, 40000, 8 * 1024 * 1024, 1};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        bwt_buf text;
        bwt_buf_init(&text, BWT_BUF_NO_CAP);
        bool no_memory;
        bwt_buf_append_char(&text, '"');
        assert_true(bwt_buf_reserve(&text, sizes[i]));
        memset(text.data + text.len, 'x', sizes[i]);
        text.len += sizes[i];
        bwt_buf_append_char(&text, '"');
        bwt_json root = bwt_json_parse(parser, &text, &no_memory);
        assert_false(no_memory);
        bool fits = text.len <= 8 * 1024 * 1024;
        assert_int_equal(bwt_json_string(root).len, fits ? sizes[i] : 0);
        assert_int_equal(bwt_json_type_of(root), fits ? BWT_JSON_STRING : BWT_JSON_MISSING);
        bwt_buf_deinit(&text);
    }
    bwt_json_parser_free(parser);
}

static bwt_error parse_step(void *context)
{
    (void)context;
    bwt_json_parser *parser = bwt_json_parser_new();
    if (parser == NULL) return BWT_ERR_NO_MEMORY;
    bwt_buf text;
    bwt_buf_init(&text, BWT_BUF_NO_CAP);
    bwt_error error = BWT_ERR_NO_MEMORY;
    if (bwt_buf_append_c(&text, "[\"some text that nearly fills what the buffer has\"]")) {
        bool no_memory;
        bwt_json root = bwt_json_parse(parser, &text, &no_memory);
        error = no_memory ? BWT_ERR_NO_MEMORY : BWT_OK;
        assert_int_equal(bwt_json_type_of(root), no_memory ? BWT_JSON_MISSING : BWT_JSON_ARRAY);
    }
    bwt_buf_deinit(&text);
    bwt_json_parser_free(parser);
    return error;
}

static void no_memory_is_told_apart(void **state)
{
    (void)state;
    assert_int_equal(fail_each_allocation(parse_step, NULL), 3); /* the parser, the text, its padding */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(values_of_every_type),
        leak_checked(wrong_types_are_missing_not_fatal),
        leak_checked(iteration_keeps_order),
        leak_checked(strings_with_nul_keep_their_length),
        leak_checked(broken_texts_give_nothing),
        leak_checked(byte_order_mark_is_passed_over),
        leak_checked(lone_surrogates_are_mended),
        leak_checked(depth_is_bounded),
        leak_checked(one_parser_reads_texts_of_any_size),
        leak_checked(no_memory_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
