/* Marks of the bot checks in use, as they stand in markup and scripts; no mark is a word that a reader would see. */
#include "net/refusal.h"

#include <string.h>

#include "core/text.h"

/* Such pages are small and name themselves early; what follows is not searched. */
enum { SEARCHED_BYTES = 64 * 1024 };

/* Only what the check itself carries: the vendors' own scripts also stand on ordinary pages that they protect. */
static const char *const page_marks[] = {
    "_cf_chl_", /* Cloudflare */
    "cf-chl-",
    "cf_captcha_kind",
    "jschl_vc",
    "jschl-answer",
    "/cdn-cgi/l/chk_captcha",
    "captcha-delivery.com", /* DataDome */
    "px-captcha",           /* HUMAN, once PerimeterX */
    "/whywasiblocked",
    "Incapsula incident", /* Imperva */
    "gokuProps",          /* AWS WAF */
    "KPSDK.configure",    /* Kasada */
    "anomaly-modal",      /* DuckDuckGo */
    "anomaly.js",
    "/sorry/index", /* Google */
    "id=\"captcha-form\"",
    "wappass.baidu.com", /* Baidu */
    "/checkcaptcha",     /* Yandex */
    "anubis_challenge",  /* Anubis */
};

static const char *const location_marks[] = {"/sorry/", "captcha", "/cdn-cgi/challenge"};

static bool has_any(bwt_str text, const char *const *marks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memmem(text.data, text.len, marks[i], strlen(marks[i])) != NULL) return true;
    }
    return false;
}

bool bwt_is_refusal_page(bwt_str body)
{
    if (body.len == 0) return false;
    if (body.len > SEARCHED_BYTES) body.len = SEARCHED_BYTES;
    return has_any(body, page_marks, sizeof page_marks / sizeof page_marks[0]);
}

bool bwt_is_refusal_location(bwt_str location)
{
    if (location.data == NULL) return false;
    return has_any(location, location_marks, sizeof location_marks / sizeof location_marks[0]);
}
