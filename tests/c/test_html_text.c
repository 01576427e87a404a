/* Titles and snippets in HTML become the text that a reader would see. */
#include <string.h>

#include "support/check.h"

#include "net/html_text.h"

typedef struct sample {
    const char *html, *text;
} sample;

static void assert_samples(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t lookups = 100;
        bwt_buf out;
        bwt_buf_init(&out, BWT_BUF_NO_CAP);
        assert_true(bwt_html_text_append(&out, (bwt_str){samples[i].html, strlen(samples[i].html)}, &lookups));
        assert_str(bwt_buf_str(&out), samples[i].text);
        bwt_buf_deinit(&out);
    }
}

static void tags(void **state)
{
    (void)state;
    static const sample samples[] = {
        {"plain", "plain"},
        {"", ""},
        {"a <b>bo</b>ld <STRONG class=\"x>y\">one</STRONG>", "a bold one"},
        {"<p>one</p><p>two</p>", "one two"},
        {"one<br/>two<br>three", "one two three"},
        {"<li>a</li><li>b", "a b"},
        {"<jats:p>A <jats:italic>b</jats:italic>c</jats:p>", "A bc"},
        {"a<!-- <b> hidden --> b", "a b"},
        {"a<!-- never closed", "a"},
        {"cut in a <span class=\"sear", "cut in a"},
        {"1 < 2 and 3 > 2, a<=b, <3, </", "1 < 2 and 3 > 2, a<=b, <3, </"},
        {"it's a <i title='a>b>c'>tag", "it's a tag"},
        {"don<b>'t</b> <a href=x>'quoted'</a>", "don't 'quoted'"},
        {"<?php echo ?>x<!doctype html>y", "xy"},
    };
    assert_samples(samples, COUNT_OF(samples));
}

static void references(void **state)
{
    (void)state;
    static const sample samples[] = {
        {"a &amp; b &lt;i&gt; &quot;q&quot; &apos;", "a & b <i> \"q\" '"},
        {"&amp;lt; once", "&lt; once"},
        {"caf&eacute; &ndash; &Omega; &euro; &hellip;", "caf\xC3\xA9 \xE2\x80\x93 \xCE\xA9 \xE2\x82\xAC \xE2\x80\xA6"},
        {"&#39;&#x27;&#X2F;&#8217;", "''/\xE2\x80\x99"},
        {"&#151; &#128 &#129;", "\xE2\x80\x94 \xE2\x82\xAC \xC2\x81"},
        {"&#0; &#xD800; &#x110000; &#99999999999999;", "\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD"},
        {"&#x1F600;", "\xF0\x9F\x98\x80"},
        {"AT&T &unknown; &; &# &#x; & &eacute ?a=1&copy=2 &", "AT&T &unknown; &; &# &#x; & &eacute ?a=1&copy=2 &"},
        {"a&nbsp;&nbsp;b&#160;c &nbsp;", "a b c"},
        {"&thisnameismuchtoolongtobeone;", "&thisnameismuchtoolongtobeone;"},
    };
    assert_samples(samples, COUNT_OF(samples));
}

static void white_space(void **state)
{
    (void)state;
    static const sample samples[] = {
        {" \t\r\n a \n\n b\xC2\xA0\xC2\xA0"
         "c \f\v",
         "a b c"},
        {"\xC2\xA9 \xC2", "\xC2\xA9 \xC2"},
        {"a<p> </p>b", "a b"},
        {"&#32;a&#10;b&#32;", "a b"},
    };
    assert_samples(samples, COUNT_OF(samples));

    bwt_buf out;
    bwt_buf_init(&out, BWT_BUF_NO_CAP);
    bwt_buf_append_c(&out, "kept:");
    assert_true(bwt_space_text_append(&out, BWT_STR("  a\n\t<b> &amp;  \xC2\xA0 c ")));
    assert_str(bwt_buf_str(&out), "kept:a <b> &amp; c");
    bwt_buf_deinit(&out);
}

static void lookups_are_bounded(void **state)
{
    (void)state;
    size_t lookups = 1;
    bwt_buf out;
    bwt_buf_init(&out, BWT_BUF_NO_CAP);
    assert_true(bwt_html_text_append(&out, BWT_STR("&eacute;&eacute;&amp;"), &lookups));
    assert_str(bwt_buf_str(&out), "\xC3\xA9&eacute;&");
    assert_int_equal(lookups, 0);
    bwt_buf_deinit(&out);
}

/* Any bytes: no more text than there was markup, and white space only single and inside. */
static void any_bytes(void **state)
{
    (void)state;
    static const char alphabet[] = "<>&;#x1a/!-'\"= \xC2\xA0lt";
    dice from = {.state = 7};
    for (int round = 0; round < 20000; round++) {
        char html[48];
        size_t len = (size_t)dice_below(&from, sizeof html);
        for (size_t i = 0; i < len; i++) html[i] = alphabet[dice_below(&from, sizeof alphabet - 1)];
        size_t lookups = 10;
        bwt_buf out;
        bwt_buf_init(&out, BWT_BUF_NO_CAP);
        assert_true(bwt_html_text_append(&out, (bwt_str){html, len}, &lookups));
        assert_true(out.len <= len);
        if (out.len > 0) assert_true(out.data[0] != ' ' && out.data[out.len - 1] != ' ');
        for (size_t i = 1; i < out.len; i++) assert_false(out.data[i] == ' ' && out.data[i - 1] == ' ');
        bwt_buf_deinit(&out);
    }
}

static void a_full_buffer_fails(void **state)
{
    (void)state;
    size_t lookups = 1;
    bwt_buf out;
    bwt_buf_init(&out, 3);
    assert_false(bwt_html_text_append(&out, BWT_STR("abcd"), &lookups));
    assert_true(out.failed);
    bwt_buf_deinit(&out);
    bwt_buf_init(&out, 10);
    bwt_mem_fail_from(1);
    assert_false(bwt_space_text_append(&out, BWT_STR("abcd")));
    bwt_mem_fail_from(0);
    bwt_buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(tags),        leak_checked(references),
        leak_checked(white_space), leak_checked(lookups_are_bounded),
        leak_checked(any_bytes),   leak_checked(a_full_buffer_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
