/* UTF-8 decoding, classes of code points, normalisation and case folding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"

static void every_code_point_survives_encode_and_decode(void **state)
{
    (void)state;
    for (int32_t c = 0; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t written = bwt_utf8_encode(c, bytes), width;
        int32_t decoded = bwt_utf8_decode(bytes, written, &width);
        if (c >= 0xD800 && c <= 0xDFFF) {
            assert_int_equal(decoded, BWT_UTF8_INVALID);
            assert_int_equal(width, 1);
        } else {
            assert_int_equal(decoded, c);
            assert_int_equal(width, written);
        }
    }
}

/* The widths of maximal invalid parts are those of Unicode's own example (3.9, table 3-8 and after). */
static void invalid_parts_have_their_width(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len, width;
    } cases[] = {
        {"\x80", 1, 1},
        {"\xC0\xAF", 2, 1},
        {"\xC2", 1, 1},
        {"\xC2"
         "A",
         2, 1},
        {"\xE0\x80\x80", 3, 1},
        {"\xE1\x80", 2, 2},
        {"\xE1\x80"
         "A",
         3, 2},
        {"\xED\xA0\x80", 3, 1},
        {"\xF0\x80\x80\x80", 4, 1},
        {"\xF1\x80\x80", 3, 3},
        {"\xF1\x80\x80"
         "A",
         4, 3},
        {"\xF4\x90\x80\x80", 4, 1},
        {"\xF5\x80\x80\x80", 4, 1},
        {"\xFF", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t width;
        assert_int_equal(bwt_utf8_decode(cases[i].bytes, cases[i].len, &width), BWT_UTF8_INVALID);
        assert_int_equal(width, cases[i].width);
        assert_false(bwt_utf8_is_valid((bwt_str){cases[i].bytes, cases[i].len}));
    }
    assert_true(bwt_utf8_is_valid(BWT_STR("plain, \xC3\xA4, \xE6\x9D\xB1, \xF0\x9F\x94\x91")));
    assert_true(bwt_utf8_is_valid(BWT_STR_NONE));
}

static void counting_and_cutting_go_by_code_points(void **state)
{
    (void)state;
    bwt_str text = BWT_STR("ab\xC3\xA4\xE6\x9D\xB1\xF0\x9F\x94\x91z");
    assert_int_equal(bwt_utf8_count(text), 6);
    static const size_t ends[] = {0, 1, 2, 4, 7, 11, 12, 12};
    for (int64_t chars = 0; chars < 8; chars++) assert_int_equal(bwt_utf8_prefix(text, chars), ends[chars]);
    assert_int_equal(bwt_utf8_prefix(text, -1), 0);
    assert_int_equal(bwt_utf8_prefix(text, INT64_MAX), 12);
    assert_int_equal(bwt_utf8_count(BWT_STR("a\xE1\x80"
                                            "b\xFF")),
                     4);
    assert_int_equal(bwt_utf8_count(BWT_STR_NONE), 0);
}

static void assert_sanitized(bwt_str input, const char *expected)
{
    bwt_text out;
    assert_int_equal(bwt_utf8_sanitize(input, &out), BWT_OK);
    assert_string_equal(out.data, expected);
    assert_int_equal(out.len, strlen(expected));
    bwt_text_free(&out);
}

static void sanitizing_leaves_one_mark_for_each_invalid_part(void **state)
{
    (void)state;
    assert_sanitized(BWT_STR("fine \xC3\xA4"), "fine \xC3\xA4");
    assert_sanitized(BWT_STR("a\xED\xA0\x80z"), "a\xEF\xBF\xBDz"); /* one lone surrogate, one mark */
    assert_sanitized(BWT_STR("\xED\xA0\xBD\xED\xB4\x91"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_sanitized(BWT_STR("\xED\xA0"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_sanitized(BWT_STR("\xE1\x80"), "\xEF\xBF\xBD");
    assert_sanitized(BWT_STR("long enough ascii \xFF"), "long enough ascii \xEF\xBF\xBD");
    assert_sanitized(BWT_STR_NONE, "");
}

static void white_space_is_the_unicode_property(void **state)
{
    (void)state;
    size_t count = 0;
    for (int32_t c = 0; c <= 0x10FFFF; c++) count += bwt_unicode_is_white_space(c);
    assert_int_equal(count, 25);
    static const int32_t white[] = {0x9,    0xD,    0x20,   0x85,   0xA0,   0x1680,
                                    0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x3000};
    for (size_t i = 0; i < sizeof white / sizeof white[0]; i++) assert_true(bwt_unicode_is_white_space(white[i]));
    assert_false(bwt_unicode_is_white_space(0x200B));
    assert_false(bwt_unicode_is_white_space(0x1C));
}

static void classes_of_code_points(void **state)
{
    (void)state;
    size_t controls = 0;
    for (int32_t c = 0; c <= 0x10FFFF; c++) controls += bwt_unicode_is_control(c);
    assert_int_equal(controls, 65);
    static const int32_t invisible[] = {0xAD, 0x34F, 0x61C, 0x200B, 0x200D, 0x2060, 0x3164, 0xFE0F, 0xFEFF, 0xE0020};
    for (size_t i = 0; i < sizeof invisible / sizeof invisible[0]; i++)
        assert_true(bwt_unicode_is_zero_width(invisible[i]));
    static const int32_t drawn[] = {'a', ' ', 0xA9, 0x301, 0x600, 0x6DD, 0x4E00, 0x1F511};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) assert_false(bwt_unicode_is_zero_width(drawn[i]));
    static const struct {
        int32_t c;
        bool word, cjk, unspaced;
    } cases[] = {
        {'a', true, false, false},     {'7', true, false, false},   {'_', false, false, false},
        {0xE4, true, false, false},    {0x301, true, false, false}, {0x2014, false, false, false},
        {0x4E2D, true, true, true},    {0x3042, true, true, true},  {0x30FC, true, true, true},
        {0xAC00, true, true, false},   {0xE01, true, false, true},  {0x1780, true, false, true},
        {0x3002, false, false, false}, {0x20000, true, true, true}, {0x1F511, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(bwt_unicode_is_word(cases[i].c), cases[i].word);
        assert_int_equal(bwt_unicode_is_cjk(cases[i].c), cases[i].cjk);
        assert_int_equal(bwt_unicode_is_unspaced(cases[i].c), cases[i].unspaced);
    }
}

static void assert_maps(bwt_error map(bwt_str, bwt_text *), const char *input, const char *expected)
{
    bwt_text out;
    assert_int_equal(map(bwt_str_c(input), &out), BWT_OK);
    assert_string_equal(out.data, expected);
    bwt_text_free(&out);
}

static void nfc_composes_and_orders_marks(void **state)
{
    (void)state;
    assert_maps(bwt_utf8_nfc, "", "");
    assert_maps(bwt_utf8_nfc, "plain \xC3\xA4", "plain \xC3\xA4");
    assert_maps(bwt_utf8_nfc, "a\xCC\x88", "\xC3\xA4");
    assert_maps(bwt_utf8_nfc, "q\xCC\x87\xCC\xA3", "q\xCC\xA3\xCC\x87");   /* dot below sorts before dot above */
    assert_maps(bwt_utf8_nfc, "\xE1\x84\x80\xE1\x85\xA1", "\xEA\xB0\x80"); /* Hangul */
    assert_maps(bwt_utf8_nfc, "\xE2\x84\xAB", "\xC3\x85");                 /* Angstrom sign */
    assert_maps(bwt_utf8_nfc, "\xEF\xAC\x81", "\xEF\xAC\x81");             /* compatibility forms stay */
    assert_maps(bwt_utf8_nfc, "\xF0\x9D\x85\x9E", "\xF0\x9D\x85\x97\xF0\x9D\x85\xA5"); /* composition exclusion */
}

static void casefold_maps_what_looks_alike_to_one_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"HELLO World 42", "hello world 42"},
        {"STRASSE stra\xC3\x9F"
         "e",
         "strasse strasse"},
        {"\xC3\x84RGER", "\xC3\xA4rger"},
        {"A\xCC\x88RGER", "\xC3\xA4rger"},
        {"\xC4\xB0", "i\xCC\x87"},
        {"\xC5\x81\xC3\x93\xC5\xB9", "\xC5\x82\xC3\xB3\xC5\xBA"},
        {"\xD0\x9C\xD0\x9E\xD0\xA1\xD0\x9A\xD0\x92\xD0\x90 \xD0\x81",
         "\xD0\xBC\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0 \xD1\x91"},
        {"\xCE\xA3\xCE\xBF\xCF\x82", "\xCF\x83\xCE\xBF\xCF\x83"}, /* the final sigma */
        {"\xEF\xBC\xA1\xEF\xBC\xA2\xEF\xBC\x93", "ab3"},          /* full width */
        {"\xEF\xAC\x81n", "fin"},                                 /* ligature */
        {"so\xC2\xAD"
         "ft",
         "soft"},                                     /* soft hyphen */
        {"\xEF\xBD\xB6\xEF\xBE\x9E", "\xE3\x82\xAC"}, /* half-width ka + voiced mark */
        {"\xE3\x81\x8B\xE3\x82\x99", "\xE3\x81\x8C"},
        {"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_maps(bwt_utf8_nfkc_casefold, cases[i][0], cases[i][1]);
    }
}

/* The short cut for letters that need no table must give what the tables give: a mark behind a letter takes the long
 * way, and with a mark that composes with nothing the letter must come out the same. */
static void the_short_cut_of_folding_agrees_with_the_tables(void **state)
{
    (void)state;
    for (int32_t c = 1; c < 0x30000; c++) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        char alone[8] = {0}, tangled[8] = {0};
        size_t width = bwt_utf8_encode(c, alone);
        memcpy(tangled, alone, width);
        memcpy(tangled + width, "\xE2\x83\x9D", 3); /* U+20DD, an enclosing circle */
        bwt_text direct, by_tables;
        assert_int_equal(bwt_utf8_nfkc_casefold((bwt_str){alone, width}, &direct), BWT_OK);
        assert_int_equal(bwt_utf8_nfkc_casefold((bwt_str){tangled, width + 3}, &by_tables), BWT_OK);
        assert_true(by_tables.len == direct.len + 3);
        assert_memory_equal(direct.data, by_tables.data, direct.len);
        bwt_text_free(&direct);
        bwt_text_free(&by_tables);
    }
}

/* Sorting half a million marks pairwise would take hours. */
static void a_megabyte_of_marks_is_no_more_than_a_megabyte(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    char *marks = malloc(BYTES);
    assert_non_null(marks);
    for (size_t i = 0; i < BYTES; i += 4) memcpy(marks + i, "\xCC\x81\xCC\x96", 4); /* acute above, grave below */
    bwt_text out;
    assert_int_equal(bwt_utf8_nfc((bwt_str){marks, BYTES}, &out), BWT_OK);
    assert_int_equal(out.len, BYTES);
    assert_memory_equal(out.data, "\xCC\x96\xCC\x96", 4);
    assert_memory_equal(out.data + BYTES - 4, "\xCC\x81\xCC\x81", 4);
    bwt_text_free(&out);
    free(marks);
}

static void no_memory_is_an_error_value(void **state)
{
    (void)state;
    static bwt_error (*const maps[])(bwt_str, bwt_text *) = {bwt_utf8_sanitize, bwt_utf8_nfc, bwt_utf8_nfkc_casefold};
    char marks[400];
    for (size_t i = 0; i < sizeof marks; i += 4) memcpy(marks + i, "\xCC\x81\xCC\x96", 4);
    size_t before = bwt_native_bytes();
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        bwt_error error = BWT_ERR_NO_MEMORY;
        for (size_t n = 1; error != BWT_OK; n++) {
            assert_true(n < 100);
            bwt_text out = {NULL, 0};
            bwt_mem_fail_from(n);
            error = maps[i]((bwt_str){marks, sizeof marks}, &out);
            bwt_mem_fail_from(0);
            assert_true(error == BWT_OK ? n > 1 : error == BWT_ERR_NO_MEMORY && out.data == NULL);
            bwt_text_free(&out);
            assert_int_equal(bwt_native_bytes(), before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_survives_encode_and_decode),
        cmocka_unit_test(invalid_parts_have_their_width),
        cmocka_unit_test(counting_and_cutting_go_by_code_points),
        cmocka_unit_test(sanitizing_leaves_one_mark_for_each_invalid_part),
        cmocka_unit_test(white_space_is_the_unicode_property),
        cmocka_unit_test(classes_of_code_points),
        cmocka_unit_test(nfc_composes_and_orders_marks),
        cmocka_unit_test(casefold_maps_what_looks_alike_to_one_form),
        cmocka_unit_test(the_short_cut_of_folding_agrees_with_the_tables),
        cmocka_unit_test(a_megabyte_of_marks_is_no_more_than_a_megabyte),
        cmocka_unit_test(no_memory_is_an_error_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
