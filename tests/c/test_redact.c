/* Redaction: the rules one by one, what must stay, and what holds for any input. The recall on the data files is
 * measured by tests/py/test_redaction_data.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact.h"
#include "core/redact_kinds.h"
#include "core/text.h"
#include "core/utf8.h"
#include "support/check.h"

#define M BWT_REDACTED

typedef struct pair {
    const char *input, *expected; /* NULL: the input itself */
} pair;

static void assert_all(bwt_error redact(bwt_str, bwt_text *), const pair *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected = cases[i].expected != NULL ? cases[i].expected : cases[i].input;
        bwt_text once, twice;
        assert_int_equal(redact(bwt_str_c(cases[i].input), &once), BWT_OK);
        assert_int_equal(redact((bwt_str){once.data, once.len}, &twice), BWT_OK);
        assert_text(once, expected);
        assert_text(twice, expected);
    }
}
#define ASSERT_TEXTS(cases) assert_all(bwt_redact_text, cases, COUNT_OF(cases))
#define ASSERT_URLS(cases) assert_all(bwt_redact_url, cases, COUNT_OF(cases))

/* ---- addresses ---- */

static void sensitive_parameters_are_masked_and_the_rest_stays(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"?q=x&api_key=abcd1234&page=2", "?q=x&api_key=" M "&page=2"},
        {"token=a1&x=1", "token=" M "&x=1"},
        {"https://h.example/?token=a=b==&x=1#sig=abc", "https://h.example/?token=" M "&x=1#sig=" M},
        {"https://h.example/?token=&token&password=a;b&c=d", "https://h.example/?token=&token&password=" M "&c=d"},
        {"https://h.example/?token=abc;page=2", "https://h.example/?token=" M ";page=2"},
        {"https://h.example/a;token=abc;v=1/b?x=1", "https://h.example/a;token=" M ";v=1/b?x=1"},
        {"https://h.example/?user[password]=x&tokens[0]=aaa111",
         "https://h.example/?user[password]=" M "&tokens[0]=" M},
        {"https://h.example/?q=x&amp;api_key=abc&amp;p=2", "https://h.example/?q=x&amp;api_key=" M "&amp;p=2"},
        {"https://h.example/?api%5Fkey=a&%61%70%69_key=b&api%255Fkey=c",
         "https://h.example/?api%5Fkey=" M "&%61%70%69_key=" M "&api%255Fkey=" M},
        {"https://h.example/?code=SplxlOBeZQQYbYS6&zip_code=94110", "https://h.example/?code=" M "&zip_code=94110"},
        {"https://h.example/?f=%7B%22token%22%3A%22abc%22%7D&x=1",
         "https://h.example/?f=%7B%22token%22%3A%22" M "%22%7D&x=1"},
    };
    ASSERT_URLS(cases);
}

static void userinfo_is_left_out(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"https://alice:s3cret@h.example/p", "https://h.example/p"},
        {"https://alice:pa@ss@h.example:8443?x=a@b", "https://h.example:8443?x=a@b"},
        {"//alice:s3cret@h.example/p", "//h.example/p"},
        {"https:\\\\alice:s3cret@h.example\\p", "https:\\\\h.example\\p"},
        {"https://al\tice:x@h.example/", "https://h.example/"},
        {"https://x@//user:pw@h.example/", "https:////h.example/"},
        {"postgres://app:p/ss@db.example:5432/shop", "postgres://db.example:5432/shop"},
        {"mongodb://h1.example:27017,h2.example:27017/?x=a@b", NULL},
        {"ssh://git@h.example:22/r.git", NULL},
        {"ssh://git:pw@h.example/r.git", "ssh://h.example/r.git"},
        {"https://h.example/@someone/p@1.2", NULL},
        {"https://h.example\\@other.example/", NULL},
        {"mailto:press@h.example?subject=Hi", NULL},
        {"git@h.example:o/r.git", NULL},
        {"", NULL},
        {"https://", NULL},
        {" https://a:b@h.example/ ", " https://h.example/ "},
    };
    ASSERT_URLS(cases);
}

static void nested_addresses_are_redacted_at_their_own_level(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"https://l.example/go?u=https%3A%2F%2Fu%3Apw%40a.example%2F%3Ftoken%3Dabc%26x%3D1&l=de",
         "https://l.example/go?u=https%3A%2F%2Fa.example%2F%3Ftoken%3D" M "%26x%3D1&l=de"},
        {"https://l.example/?r=https%253A%252F%252Fa.example%252F%253Ftoken%253Dabc",
         "https://l.example/?r=https%253A%252F%252Fa.example%252F%253Ftoken%253D" M},
        {"https://w.example/web/https://a.example/?api_key=abc",
         "https://w.example/web/https://a.example/?api_key=" M},
        {"https://h.example/?password=p%26ss%3Dword%23x&p=2", "https://h.example/?password=" M "&p=2"},
    };
    ASSERT_URLS(cases);
}

static void capability_paths_and_shapes_are_masked_in_the_path(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"https://hooks.slack.com/services/T0AAAAAAA/B0AAAAAAA/abcdefghijklmnopqrstuvwx",
         "https://hooks.slack.com/services/" M},
        {"https://discord.com/api/webhooks/1122/abc-DEF_9?wait=true",
         "https://discord.com/api/webhooks/1122/" M "?wait=true"},
        {"https://api.telegram.org/bot1234567:x/getMe?o=1", "https://api.telegram.org/bot" M "/getMe?o=1"},
        {"https://nothooks.slack.com.example/services/abc", NULL},
        {"https://h.example/reset/ghp_0123456789abcdefghijklmnopqrstuvwxyz/go", "https://h.example/reset/" M "/go"},
        {"https://h.example/i/6c70dff2-fce3-4d6c-900c-604cc12e2638", NULL},
    };
    ASSERT_URLS(cases);
}

/* ---- text ---- */

static void values_of_sensitive_names_are_masked_in_text(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"{\"token\": \"a b\", \"n\": 1}", "{\"token\": \"" M "\", \"n\": 1}"},
        {"{\\\"clientSecret\\\":\\\"abc\\\"}", "{\\\"clientSecret\\\":\\\"" M "\\\"}"},
        {"DB_PASSWORD=swordfish and more", "DB_PASSWORD=" M " and more"},
        {"(password=swordfish).", "(password=" M ")."},
        {"db_password: kettle4711\nregion: eu", "db_password: " M "\nregion: eu"},
        {"os.environ[\"API_TOKEN\"] = \"xyz\"", "os.environ[\"API_TOKEN\"] = \"" M "\""},
        {"define('DB_PASSWORD', 'kettle4711');", "define('DB_PASSWORD', '" M "');"},
        {"<password>swordfish</password>", "<password>" M "</password>"},
        {"tool --password kettle4711 --verbose", "tool --password " M " --verbose"},
        {"machine h.example login bob password kettle4711", "machine h.example login bob password " M},
        {"GET /a?token=abc HTTP/1.1", "GET /a?token=" M " HTTP/1.1"},
        {"see [x](https://a:b@h.example/?sig=abc) now", "see [x](https://h.example/?sig=" M ") now"},
        {"Endpoint=sb://h.example/;SharedAccessKeyName=R;SharedAccessKey=abc=",
         "Endpoint=sb://h.example/;SharedAccessKeyName=R;SharedAccessKey=" M},
    };
    ASSERT_TEXTS(cases);
}

static void headers_lose_their_credentials(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"Authorization: Bearer abc.DEF-123", "Authorization: Bearer " M},
        {"authorization:\tBASIC   dXNlcjpwYXNzMQ==\r\nHost: h", "authorization:\tBASIC   " M "\r\nHost: h"},
        {"Authorization: SSWS 00abcDEF123", "Authorization: SSWS " M},
        {"Authorization: AKIAIOSFODNN7EXAMPLE abc123def", "Authorization: " M " " M},
        {"Authorization: Token token=\"abc\", email=\"a@h.example\"",
         "Authorization: Token token=\"" M "\", email=\"a@h.example\""},
        {"X-Api-Key: abc-DEF-123", "X-Api-Key: " M},
        {"Cookie: PHPSESSID=abc123; consent=yes; other=0123456789abcdefXY",
         "Cookie: PHPSESSID=" M "; consent=yes; other=" M},
        {"The word Bearer x9Y8z7w6v5u4t3 stands alone.", "The word Bearer " M " stands alone."},
    };
    ASSERT_TEXTS(cases);
}

static void blocks_are_masked_between_their_marks(void **state)
{
    (void)state;
#define LINE "MIIEpAIBAAKCAQEAbt8Mck0123456789"
    static const pair cases[] = {
        {"-----BEGIN RSA PRIVATE KEY-----\n" LINE "\n" LINE "\n-----END RSA PRIVATE KEY-----\nbye",
         "-----BEGIN RSA PRIVATE KEY-----\n" M "\n-----END RSA PRIVATE KEY-----\nbye"},
        {"\"-----BEGIN PRIVATE KEY-----\\n" LINE "\\n-----END PRIVATE KEY-----\\n\"",
         "\"-----BEGIN PRIVATE KEY-----\\n" M "\\n-----END PRIVATE KEY-----\\n\""},
        {"-----BEGIN PRIVATE KEY-----\n" LINE "\n" LINE "\nThanks for reading",
         "-----BEGIN PRIVATE KEY-----\n" M "\nThanks for reading"},
        {"-----BEGIN PUBLIC KEY-----\n" LINE "\n-----END PUBLIC KEY-----", NULL},
        {"Private-Lines: 1\n" LINE "\nPrivate-MAC: 1", "Private-Lines: 1\n" M "\nPrivate-MAC: 1"},
        {"blob 5f1b8a9aab003544bdcfd9ed886c335a end", "blob " M " end"},
        {"x_5f1b8a9aab003544bdcfd9ed886c335a-5f1b8a9aab003544bdcfd9ed886c335a", "x_" M "-" M},
        {"sha256:5f1b8a9aab003544bdcfd9ed886c335a", NULL},
        {"commit 5f1b8a9aab003544bdcfd9ed886c335a00000000", NULL},
        {"5f1b8a9aab003544bdcfd9ed886c335", NULL},
        {"12345678901234567890123456789012345", NULL},
    };
    ASSERT_TEXTS(cases);
}

static void kinds_are_masked_wherever_they_stand(void **state)
{
    (void)state;
    static const char *const secrets[] = {
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "sk-proj-0123456789abcdefghij",
        "xoxb-123456789012-abcdefghijkl",
        "SG.0123456789abcdefghijkl.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl",
        "12345678:AAabcdefghijklmnopqrstuvwxyzABCDEFG",
        "glpat-0123456789abcdefghij",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "2b$12$0123456789012345678901234567890123456789012345678901x",
    };
    static const char *const frames[] = {"%s",     "a %s b", "(%s)",     "\"%s\"",     "`%s`",
                                         "x=%s&y", "/%s/",   "\\n%s\\n", "%%3D%s%%26", "\xE5\xAF\x86%s\xE3\x80\x82",
                                         "%s: x",  "--%s"};
    for (size_t i = 0; i < COUNT_OF(secrets); i++) {
        size_t end;
        assert_non_null(bwt_redact_kind_at(bwt_str_c(secrets[i]), 0, &end));
        assert_int_equal(end, strlen(secrets[i]));
        for (size_t j = 0; j < COUNT_OF(frames); j++) {
            char input[200], expected[200];
            snprintf(input, sizeof input, frames[j], secrets[i]);
            snprintf(expected, sizeof expected, frames[j], M);
            assert_true(bwt_redact_has_prefix_secret(bwt_str_c(input)));
            pair one = {input, expected};
            assert_all(bwt_redact_text, &one, 1);
        }
    }
}

static void kinds_need_their_whole_shape(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"AKIA is not a word", NULL},
        {"xAKIAIOSFODNN7EXAMPLE", NULL},
        {"AKIAIOSFODNN7EXAMPLEx", NULL},
        {"tokens start with ghp_ and github_pat_", NULL},
        {"from sk-learn to sk-SK in a-very-long-slug-of-words-sk-none", NULL},
        {"hf_hub_download and npm_config_cache", NULL},
        {"eyJafjallaj\xC3\xB6kull", NULL},
        {"sk-abcdefghijklmnopqrstuvwxyzabcdefgh", NULL}, /* no digit */
    };
    ASSERT_TEXTS(cases);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_false(bwt_redact_has_prefix_secret(bwt_str_c(cases[i].input)));
}

static void everything_else_stays(void **state)
{
    (void)state;
    static const pair cases[] = {
        {"monkey=banana author=Smith passage=12 keyboard=qwerty compass=n", NULL},
        {"max_tokens=4096, tokenizer: bert, token_count=12, eos_token_id=50256", NULL},
        {"Secretary: Janet Yellen", NULL},
        {"Password: must contain at least 8 characters", NULL},
        {"Token: a unit of text; Secret: none; Pass: 14, Fail: 2", NULL},
        {"Bearer bonds are debt. Basic training lasts ten weeks.", NULL},
        {"def get_token(user): return tokens[user.id]", NULL},
        {"token=next(iterator)", NULL},
        {"error code: 0x80070057", NULL},
        {"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", NULL},
        {"https://h.example/?monkey=banana&max_tokens=5&sort_key=a&page_token=abc", NULL},
        {"at 10:00: see https://h.example/a_(b), then go.", NULL},
    };
    ASSERT_TEXTS(cases);
}

static void bytes_that_are_no_utf8_pass_through(void **state)
{
    (void)state;
    static const pair cases[] = {{"\xFF\xFE token=abc\xFF x \x80", "\xFF\xFE token=" M " x \x80"}};
    ASSERT_TEXTS(cases);
    bwt_text out;
    assert_int_equal(bwt_redact_url((bwt_str){"?a=\0&token=\0x&b", 16}, &out), BWT_OK);
    assert_int_equal(out.len, 24);
    assert_memory_equal(out.data, "?a=\0&token=" M "&b", 23);
    bwt_text_free(&out);
    assert_int_equal(bwt_redact_text(BWT_STR_NONE, &out), BWT_OK);
    assert_text(out, "");
}

static void appending_keeps_what_the_buffer_holds(void **state)
{
    (void)state;
    bwt_buf out;
    bwt_buf_init(&out, 22);
    assert_true(bwt_buf_append_c(&out, "a "));
    assert_true(bwt_redact_text_append(&out, BWT_STR("token=abc")));
    assert_str(bwt_buf_str(&out), "a token=" M);
    assert_false(bwt_redact_url_append(&out, BWT_STR("token=abc"))); /* over the cap */
    assert_true(out.len <= 22);
    bwt_buf_deinit(&out);
}

/* ---- any input ---- */

static const char *const fragments[] = {
    "=",
    ":",
    "://",
    "@",
    "%25",
    "%3D",
    "%26",
    "&",
    "#",
    "?",
    ";",
    "\"",
    "'",
    "\\\"",
    "\\n",
    " ",
    "\n",
    M,
    "[",
    "]",
    "(",
    ")",
    "token",
    "password",
    "api_key",
    "code",
    "sid",
    "Bearer ",
    "Authorization: ",
    "Cookie: ",
    "eyJ",
    ".",
    "//",
    "https://",
    "http:\\\\",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "AKIAIOSFODNN7EXAMPLE",
    "a1b2c3d4",
    "5f1b8a9aab003544bdcfd9ed886c335a",
    "<token>",
    "</",
    "--token ",
    "Private-Lines: 1\n",
    "\xE2\x80\x9E",
    "\xE2\x80\x9C",
    "\xC3\xA9",
    "\xE2\x80\x8B",
    "{",
    "}",
    ",",
    "|",
    "$",
    "~",
    "/",
    "\\",
    "%22",
    "%40",
    "%2F%2F",
    "tokens[0]",
    "&amp;",
    "&quot;",
    "host.example",
    "8080",
    "hooks.slack.com/services/",
    "12345678",
    "ssh",
    "is ",
};

static void any_input_gives_bounded_valid_text(void **state)
{
    (void)state;
    dice random = {4711};
    for (int round = 0; round < 20000; round++) {
        char input[1200];
        size_t len = 0;
        for (uint64_t parts = 1 + dice_below(&random, 12); parts > 0; parts--) {
            const char *part = fragments[dice_below(&random, COUNT_OF(fragments))];
            memcpy(input + len, part, strlen(part));
            len += strlen(part);
        }
        /* An exact copy on the heap, so that a read beyond it is seen. */
        char *exact = malloc(len);
        assert_non_null(exact);
        memcpy(exact, input, len);
        bwt_error (*const forms[])(bwt_str, bwt_text *) = {bwt_redact_text, bwt_redact_url};
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
            bwt_text out;
            assert_int_equal(forms[i]((bwt_str){exact, len}, &out), BWT_OK);
            assert_true(out.len <= 3 * len + 16);
            assert_true(bwt_utf8_is_valid((bwt_str){out.data, out.len}));
            bwt_text_free(&out);
        }
        bwt_redact_has_prefix_secret((bwt_str){exact, len});
        free(exact);
    }
}

/* A quarter of a megabyte of each; anything quadratic would take minutes under the sanitizers. */
static void long_repetitions_take_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {
        "=",
        "@",
        "%25",
        "token",
        "eyJ.",
        "\"",
        "//",
        "token=",
        "token=\"",
        "token: ",
        "token=\xE2\x80\x9E",
        "token=\\\"",
        "https://",
        "https://a:b",
        "https://a:b@",
        "a:b@",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "1",
        "A",
        "sl.aaaa.",
        "ABSK/",
        "xoxd-/",
        "sk.eyJ.",
        "eyJaaaaaaaaaaaaaaa.",
        "code=",
        "code%3D",
        "tokens=",
        "&sid=;",
        "a;",
        "%",
        "%252",
        "Cookie:",
        "Bearer ",
        "Authorization: x ",
        "--token ",
        "<token>",
        "a/b1+",
        "1//0",
        "12345678:",
        M,
        "token=(",
        "token=a(",
        ")",
        "https://a:b/x@a:b/",
        "AAAAAAAAAAAAAAAAAAAAA%",
        "https://maker.ifttt.com/",
    };
    enum { BYTES = 256 * 1024 };
    char *input = malloc(BYTES);
    assert_non_null(input);
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        size_t unit = strlen(units[i]), len = BYTES - BYTES % unit;
        for (size_t at = 0; at < len; at += unit) memcpy(input + at, units[i], unit);
        bwt_text out;
        assert_int_equal(bwt_redact_text((bwt_str){input, len}, &out), BWT_OK);
        assert_true(out.len <= 3 * len + 16);
        bwt_text_free(&out);
        assert_int_equal(bwt_redact_url((bwt_str){input, len}, &out), BWT_OK);
        bwt_text_free(&out);
    }
    free(input);
}

static bwt_error redact_both(void *context)
{
    bwt_text out = {NULL, 0};
    bwt_error error = bwt_redact_text(bwt_str_c(context), &out);
    bwt_text_free(&out);
    if (error != BWT_OK) return error;
    out = (bwt_text){NULL, 0};
    error = bwt_redact_url(bwt_str_c(context), &out);
    bwt_text_free(&out);
    return error;
}

static void no_memory_is_an_error_value(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(redact_both, "token=a&token=b&token=c&token=d&token=e&token=f&token=g&otp=h") >=
                4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(sensitive_parameters_are_masked_and_the_rest_stays),
        leak_checked(userinfo_is_left_out),
        leak_checked(nested_addresses_are_redacted_at_their_own_level),
        leak_checked(capability_paths_and_shapes_are_masked_in_the_path),
        leak_checked(values_of_sensitive_names_are_masked_in_text),
        leak_checked(headers_lose_their_credentials),
        leak_checked(blocks_are_masked_between_their_marks),
        leak_checked(kinds_are_masked_wherever_they_stand),
        leak_checked(kinds_need_their_whole_shape),
        leak_checked(everything_else_stays),
        leak_checked(bytes_that_are_no_utf8_pass_through),
        leak_checked(appending_keeps_what_the_buffer_holds),
        leak_checked(any_input_gives_bounded_valid_text),
        leak_checked(long_repetitions_take_linear_time),
        leak_checked(no_memory_is_an_error_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
