/* What HTTP says by itself: the status code's meaning for an attempt, and Retry-After. */
#include <string.h>

#include "core/text.h"

/* ---- status ---- */

bool bwt_http_status_failure(int http_status, bwt_failure *failure)
{
    bwt_attempt_status status = BWT_ATTEMPT_STATUS_TRANSPORT_ERROR;
    bwt_failure_detail detail = BWT_FAILURE_DETAIL_NONE;
    switch (http_status) {
    case 401:
    case 403:
        status = BWT_ATTEMPT_STATUS_AUTH_FAILED;
        break;
    case 402: /* payment required; 432 and 433 are search vendors' own codes for plan limits */
    case 432:
    case 433:
        status = BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED;
        break;
    case 429:
        status = BWT_ATTEMPT_STATUS_RATE_LIMITED;
        break;
    default:
        if (http_status == 0 || (http_status >= 200 && http_status < 300)) return false;
        detail = http_status >= 300 && http_status < 400   ? BWT_FAILURE_DETAIL_REDIRECT
                 : http_status >= 400 && http_status < 600 ? BWT_FAILURE_DETAIL_PROVIDER_ERROR
                                                           : BWT_FAILURE_DETAIL_PROTOCOL;
    }
    *failure = (bwt_failure){.status = status, .detail = detail, .http_status = http_status, .retry_after_ms = -1};
    return true;
}

/* ---- HTTP-date (RFC 9110 5.6.7) ---- */

/* A reader over the value; every step is a no-op once something did not match. */
typedef struct reader {
    bwt_str rest;
    bool failed;
} reader;

static void expect(reader *in, bwt_str literal)
{
    if (in->failed || !bwt_str_starts_with(in->rest, literal)) {
        in->failed = true;
        return;
    }
    in->rest.data += literal.len;
    in->rest.len -= literal.len;
}

static int64_t read_digits(reader *in, size_t count)
{
    int64_t value = 0;
    for (size_t i = 0; !in->failed && i < count; i++) {
        if (i >= in->rest.len || !bwt_ascii_is_digit(in->rest.data[i])) {
            in->failed = true;
        } else {
            value = value * 10 + (in->rest.data[i] - '0');
        }
    }
    if (in->failed) return 0;
    in->rest.data += count;
    in->rest.len -= count;
    return value;
}

/* Index of the name that comes next in the list, 0 based. */
static int64_t read_name(reader *in, const char *const *names, size_t count)
{
    for (size_t i = 0; !in->failed && i < count; i++) {
        bwt_str name = bwt_str_c(names[i]);
        if (bwt_str_starts_with(in->rest, name)) {
            expect(in, name);
            return (int64_t)i;
        }
    }
    in->failed = true;
    return 0;
}

typedef struct civil {
    int64_t year, month, day, hour, minute, second; /* month 0 .. 11, day 1 .. 31 */
} civil;

static void read_clock(reader *in, civil *when)
{
    when->hour = read_digits(in, 2);
    expect(in, BWT_STR(":"));
    when->minute = read_digits(in, 2);
    expect(in, BWT_STR(":"));
    when->second = read_digits(in, 2);
}

static const char *const day_names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
                                        "Sun",    "Mon",    "Tue",     "Wed",       "Thu",      "Fri",    "Sat"};
static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
enum { DAY_NAMES = sizeof day_names / sizeof day_names[0], FULL_DAY_NAMES = 7, MONTHS = 12 };

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 to the first day of a year; exact for every year >= 1. */
static int64_t days_before_year(int64_t year)
{
    int64_t before = year - 1;
    return before * 365 + before / 4 - before / 100 + before / 400 - 719162;
}

static bool to_unix_s(const civil *when, int64_t *unix_s)
{
    static const int days_in_month[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t days = days_before_year(when->year);
    for (int64_t month = 0; month < when->month; month++) {
        days += days_in_month[month] + (month == 1 && is_leap(when->year));
    }
    int64_t last = days_in_month[when->month] + (when->month == 1 && is_leap(when->year));
    /* second 60: a leap second */
    if (when->year < 1 || when->day < 1 || when->day > last || when->hour > 23 || when->minute > 59 ||
        when->second > 60) {
        return false;
    }
    *unix_s = (days + when->day - 1) * 86400 + when->hour * 3600 + when->minute * 60 + when->second;
    return true;
}

static int64_t year_of(int64_t unix_s)
{
    int64_t year = 1970 + unix_s / 31556952; /* the mean year; at most one off */
    while (days_before_year(year + 1) * 86400 <= unix_s) year++;
    while (year > 1 && days_before_year(year) * 86400 > unix_s) year--;
    return year;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994" */
static bool parse_http_date(bwt_str value, int64_t now_unix_s, int64_t *unix_s)
{
    reader in = {.rest = value};
    civil when = {0};
    int64_t day_name = read_name(&in, day_names, DAY_NAMES);
    if (in.failed) return false;
    bool full_day_name = day_name < FULL_DAY_NAMES;
    if (!full_day_name && bwt_str_starts_with(in.rest, BWT_STR(" "))) {
        expect(&in, BWT_STR(" "));
        when.month = read_name(&in, month_names, MONTHS);
        expect(&in, BWT_STR(" "));
        bool one_digit = bwt_str_starts_with(in.rest, BWT_STR(" "));
        if (one_digit) expect(&in, BWT_STR(" "));
        when.day = read_digits(&in, one_digit ? 1 : 2);
        expect(&in, BWT_STR(" "));
        read_clock(&in, &when);
        expect(&in, BWT_STR(" "));
        when.year = read_digits(&in, 4);
    } else {
        expect(&in, BWT_STR(", "));
        when.day = read_digits(&in, 2);
        expect(&in, full_day_name ? BWT_STR("-") : BWT_STR(" "));
        when.month = read_name(&in, month_names, MONTHS);
        expect(&in, full_day_name ? BWT_STR("-") : BWT_STR(" "));
        when.year = read_digits(&in, full_day_name ? 2 : 4);
        if (full_day_name) {
            /* The latest such year that is not more than 50 years ahead (RFC 9110). */
            int64_t latest = year_of(now_unix_s) + 50;
            when.year = latest - (latest - when.year) % 100;
        }
        expect(&in, BWT_STR(" "));
        read_clock(&in, &when);
        expect(&in, BWT_STR(" GMT"));
    }
    return !in.failed && in.rest.len == 0 && to_unix_s(&when, unix_s);
}

/* ---- Retry-After ---- */

static int64_t clamp_s_to_ms(int64_t seconds)
{
    if (seconds <= 0) return 0;
    return seconds >= BWT_MAX_RETRY_AFTER_MS / 1000 ? BWT_MAX_RETRY_AFTER_MS : seconds * 1000;
}

int64_t bwt_retry_after_ms(bwt_str value, int64_t now_unix_s)
{
    value = bwt_str_trim_ascii(value);
    if (value.len == 0) return -1;
    int64_t seconds = 0;
    size_t digits = 0;
    for (; digits < value.len && bwt_ascii_is_digit(value.data[digits]); digits++) {
        if (seconds < BWT_MAX_RETRY_AFTER_MS) seconds = seconds * 10 + (value.data[digits] - '0');
    }
    if (digits == value.len) return clamp_s_to_ms(seconds);
    int64_t at_unix_s;
    if (now_unix_s < 0 || now_unix_s > INT64_C(1) << 40 || !parse_http_date(value, now_unix_s, &at_unix_s)) return -1;
    return clamp_s_to_ms(at_unix_s - now_unix_s);
}
