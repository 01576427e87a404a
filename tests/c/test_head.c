/* What the engine keeps of an answer's header. */
#include <string.h>

#include "net/head.h"
#include "support/check.h"

/* Feeds lines separated by "\n" as libcurl would; returns the first verdict that is not OK. */
static bwt_head_verdict feed(bwt_head *head, const char *lines)
{
    bwt_head_verdict verdict = BWT_HEAD_OK;
    while (*lines != '\0' && verdict == BWT_HEAD_OK) {
        char line[200];
        size_t len = strcspn(lines, "\n");
        memcpy(line, lines, len);
        memcpy(line + len, "\r\n", 2);
        verdict = bwt_head_line(head, (bwt_str){line, len + 2});
        lines += len + (lines[len] == '\n');
    }
    return verdict;
}

static bwt_str text_of(const bwt_head_value *value)
{
    return (bwt_str){value->text, value->len};
}

static void fields_are_kept_whatever_their_case(void **state)
{
    (void)state;
    bwt_head head;
    bwt_head_init(&head);
    assert_int_equal(feed(&head, "HTTP/1.1 302 Found\nCONTENT-type:  text/html \nretry-After: 5\nLocation: /there\n"
                                 "Content-Length: 12\nContent-Length: 12\nX-Content-Type: no\n\n"),
                     BWT_HEAD_OK);
    assert_str(text_of(&head.content_type), "text/html");
    assert_str(text_of(&head.retry_after), "5");
    assert_str(bwt_buf_str(&head.location), "/there");
    assert_int_equal(head.content_length, 12);
    assert_int_equal(bwt_head_retry_after_ms(&head), 5000);
    bwt_head_reset(&head);
    assert_int_equal(bwt_head_retry_after_ms(&head), -1);
    assert_int_equal(head.location.len, 0);
    bwt_head_deinit(&head);
}

static void interim_answers_and_trailers_do_not_count(void **state)
{
    (void)state;
    bwt_head head;
    bwt_head_init(&head);
    assert_int_equal(feed(&head, "HTTP/1.1 103 Early Hints\nLocation: /early\nContent-Length: 7\n\n"
                                 "HTTP/1.1 200 OK\nContent-Length: 9\n\nRetry-After: 60\nContent-Length: 1\n"),
                     BWT_HEAD_OK);
    assert_int_equal(head.location.len, 0);
    assert_int_equal(head.content_length, 9);
    assert_int_equal(bwt_head_retry_after_ms(&head), -1);
    bwt_head_deinit(&head);
}

static void lengths_that_differ_or_make_no_sense_are_refused(void **state)
{
    (void)state;
    const char *const bad[] = {
        "HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n",
        "HTTP/1.1 200 OK\nContent-Length: -1\n",
        "HTTP/1.1 200 OK\nContent-Length:\n",
        "HTTP/1.1 200 OK\nContent-Length: 99999999999999999999\n",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        bwt_head head;
        bwt_head_init(&head);
        assert_int_equal(feed(&head, bad[i]), BWT_HEAD_INVALID);
        bwt_head_deinit(&head);
    }
}

static void bytes_are_bounded_over_all_answers(void **state)
{
    (void)state;
    bwt_head head;
    bwt_head_init(&head);
    size_t fed = 0;
    while (fed + 27 <= BWT_MAX_HEAD_BYTES) {
        assert_int_equal(feed(&head, "HTTP/1.1 100 Continue\n\n"), BWT_HEAD_OK);
        fed += 25;
    }
    assert_int_equal(feed(&head, "HTTP/1.1 100 Continue\n\nHTTP/1.1 100 Continue\n"), BWT_HEAD_INVALID);
    bwt_head_deinit(&head);
}

static void long_values_are_cut(void **state)
{
    (void)state;
    bwt_head head;
    bwt_head_init(&head);
    char line[180] = "Retry-After: ";
    memset(line + 13, '1', 150);
    assert_int_equal(feed(&head, line), BWT_HEAD_OK);
    assert_int_equal(head.retry_after.len, sizeof head.retry_after.text);
    bwt_head_deinit(&head);
}

static int64_t wait_for(const char *lines)
{
    bwt_head head;
    bwt_head_init(&head);
    assert_int_equal(feed(&head, lines), BWT_HEAD_OK);
    int64_t wait_ms = bwt_head_retry_after_ms(&head);
    bwt_head_deinit(&head);
    return wait_ms;
}

static void dates_are_measured_on_the_answers_clock(void **state)
{
    (void)state;
    assert_int_equal(wait_for("Date: Sun, 06 Nov 1994 08:49:37 GMT\nRetry-After: Sun, 06 Nov 1994 08:49:47 GMT\n"),
                     10000);
    assert_int_equal(wait_for("Date: Sunday, 06-Nov-94 08:49:37 GMT\nRetry-After: Sun, 06 Nov 1994 08:49:47 GMT\n"),
                     10000);
    assert_int_equal(wait_for("Date: 21\nRetry-After: Sun, 06 Nov 1994 08:49:47 GMT\n"), 0); /* long past */
    assert_int_equal(wait_for("Date: Sun, 06 Nov 1994 08:49:37 GMT\nRetry-After: soon\n"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(fields_are_kept_whatever_their_case),
        leak_checked(interim_answers_and_trailers_do_not_count),
        leak_checked(lengths_that_differ_or_make_no_sense_are_refused),
        leak_checked(bytes_are_bounded_over_all_answers),
        leak_checked(long_values_are_cut),
        leak_checked(dates_are_measured_on_the_answers_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
