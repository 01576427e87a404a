/* Specs compile to requests, and every mistake in one is named. */
#include <string.h>

#include "support/check.h"
#include "support/specs.h"

#include "net/provider.h"
#include "net/url.h"

#define ANSWER "'answer':{'hits':'r','title':'t','url':'u','snippet':'s'}"

static bwt_http_request request_for(const char *spec, bwt_provider_overrides overrides, const char *query,
                                    int64_t max_results)
{
    bwt_provider *provider = compiled_with(spec, overrides);
    bwt_http_request request;
    assert_int_equal(bwt_provider_request(provider, (bwt_str){query, strlen(query)}, max_results, &request), BWT_OK);
    bwt_provider_release(provider);
    return request;
}

static void assert_url(const char *spec, const char *query, const char *expected)
{
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){0}, query, 10);
    assert_str(bwt_buf_str(&request.url), expected);
    assert_int_equal(request.url.data[request.url.len], '\0');
    bwt_http_request_deinit(&request);
}

static bool has_header(const bwt_http_request *request, const char *line)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (strcmp(request->headers[i].data, line) == 0 && request->headers[i].len == strlen(line)) return true;
    }
    return false;
}

/* ---- requests ---- */

static void get_with_parameters(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'HTTPS://Search.Example/api/','path':'/v1/find',"
                               "'params':{'q':'{query}','n':'{count}','fmt':'json','safe':true,'page':1,"
                               "'a b':'{{{query}}}'}}," ANSWER ",'limits':{'max_results':5}}";
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){0}, "caf\xC3\xA9 & \"cr\xC3\xA8me\"+1", 10);
    assert_str(bwt_buf_str(&request.url),
               "https://search.example/api/v1/find?q=caf%C3%A9+%26+%22cr%C3%A8me%22%2B1&n=5&fmt=json&safe=true&page=1"
               "&a+b=%7Bcaf%C3%A9+%26+%22cr%C3%A8me%22%2B1%7D");
    assert_false(request.post);
    assert_int_equal(request.body.len, 0);
    assert_int_equal(request.header_count, 1);
    assert_true(has_header(&request, "Accept: application/json"));
    bwt_http_request_deinit(&request);
}

static void query_in_the_path(void **state)
{
    (void)state;
    assert_url("{'name':'x','request':{'base_url':'http://a.example','path':'/{query}/x'}," ANSWER "}", "a b/c?d",
               "http://a.example/a%20b%2Fc%3Fd/x");
}

static void post_json(void **state)
{
    (void)state;
    static const char spec[] =
        "{'name':'x','request':{'method':'POST','base_url':'https://a.example','path':'/s','body':{'q':'{query}',"
        "'n':'{count}','text':'top {count}','deep':{'list':[1,true,'{query}']}},'headers':{'X-A':'b'}},'key':{'name':"
        "'Authorization','prefix':'Bearer ','env':'K'}," ANSWER "}";
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){.api_key = BWT_STR("s3cret")},
                                           "say \"hi\"\\\x01 \xC3\xA9", 7);
    assert_true(request.post);
    assert_str(bwt_buf_str(&request.body),
               "{\"q\":\"say \\\"hi\\\"\\\\\\u0001 \xC3\xA9\",\"n\":7,\"text\":\"top 7\",\"deep\":{\"list\":[1,true,"
               "\"say \\\"hi\\\"\\\\\\u0001 \xC3\xA9\"]}}");
    assert_int_equal(request.header_count, 4);
    assert_true(has_header(&request, "X-A: b"));
    assert_true(has_header(&request, "Accept: application/json"));
    assert_true(has_header(&request, "Content-Type: application/json"));
    assert_true(has_header(&request, "Authorization: Bearer s3cret"));
    bwt_http_request_deinit(&request);
}

static void post_form_with_key_in_the_body(void **state)
{
    (void)state;
    static const char spec[] =
        "{'name':'x','request':{'method':'POST','base_url':'https://a.example','path':'/s','body_format':'form',"
        "'body':{'q':'{query}'},'headers':{'accept':'text/x'}},'key':{'in':'body','name':'to ken'}," ANSWER "}";
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){.api_key = BWT_STR("a&b")}, "x y", 7);
    assert_str(bwt_buf_str(&request.body), "q=x+y&to+ken=a%26b");
    assert_int_equal(request.header_count, 2);
    assert_true(has_header(&request, "accept: text/x"));
    assert_true(has_header(&request, "Content-Type: application/x-www-form-urlencoded"));
    bwt_http_request_deinit(&request);
}

static void post_json_with_key_in_the_body(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'method':'POST','base_url':'https://a.example','path':'/s',"
                               "'body':{}},'key':{'in':'body','name':'key','prefix':'p-'}," ANSWER "}";
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){.api_key = BWT_STR("a\"b")}, "x", 7);
    assert_str(bwt_buf_str(&request.body), "{\"key\":\"p-a\\\"b\"}");
    bwt_http_request_deinit(&request);
}

static void key_in_the_query_is_sent_and_not_shown(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'https://a.example','path':'/s','params':{'q':"
                               "'{query}'}},'key':{'in':'query','name':'app','env':'K'}," ANSWER "}";
    bwt_provider *provider = compiled_with(spec, (bwt_provider_overrides){.api_key = BWT_STR("s3 cret")});
    bwt_http_request request;
    bwt_text target;
    assert_int_equal(bwt_provider_request(provider, BWT_STR("x"), 3, &request), BWT_OK);
    assert_str(bwt_buf_str(&request.url), "https://a.example/s?q=x&app=s3+cret");
    assert_int_equal(bwt_provider_target(provider, BWT_STR("x"), 3, &target), BWT_OK);
    assert_text(target, "https://a.example/s?q=x&app=[REDACTED]");
    bwt_http_request_deinit(&request);
    bwt_provider_release(provider);
}

static void optional_key_may_be_absent(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'https://a.example','path':'/s'},'key':{'in':'query',"
                               "'name':'k','required':false}," ANSWER "}";
    assert_url(spec, "x", "https://a.example/s");
    bwt_http_request request = request_for(spec, (bwt_provider_overrides){.api_key = BWT_STR("z")}, "x", 1);
    assert_str(bwt_buf_str(&request.url), "https://a.example/s?k=z");
    bwt_http_request_deinit(&request);
}

static void key_that_nobody_asks_for_is_not_sent(void **state)
{
    (void)state;
    bwt_http_request request = request_for(SMALL_SPEC_HEAD "}", (bwt_provider_overrides){.api_key = BWT_STR("z")}, "x",
                                           1);
    assert_str(bwt_buf_str(&request.url), "http://127.0.0.1:1/s");
    assert_int_equal(request.header_count, 1);
    bwt_http_request_deinit(&request);
}

static void query_is_cut_at_a_word(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'http://a.example','path':'/s','params':{'q':"
                               "'{query}'}}," ANSWER ",'limits':{'query_chars':9}}";
    assert_url(spec, "one two three", "http://a.example/s?q=one+two");
    assert_url(spec, "one two 3 four", "http://a.example/s?q=one+two+3");
    assert_url(spec, "one two 3", "http://a.example/s?q=one+two+3");
    assert_url(spec, "unbreakable", "http://a.example/s?q=unbreakab");
    assert_url(spec, "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 x",
               "http://a.example/s?q=%C3%A9%C3%A9%C3%A9%C3%A9+%C3%A9%C3%A9%C3%A9%C3%A9");
}

/* ---- overrides ---- */

static void base_url_replaces_all_before_the_path(void **state)
{
    (void)state;
    static const struct {
        const char *base, *url, *origin;
    } cases[] = {
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080/s", "http://127.0.0.1:8080"},
        {"http://Host.Example/pre/fix/", "http://host.example/pre/fix/s", "http://host.example:80"},
        {"https://host.example:443//", "https://host.example/s", "https://host.example:443"},
        {"http://[::1]:9/x", "http://[::1]:9/x/s", "http://[::1]:9"},
        {"http://me:pw@h.example:81", "http://me:pw@h.example:81/s", "http://h.example:81"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bwt_str base = {cases[i].base, strlen(cases[i].base)};
        bwt_provider *provider = compiled_with(SMALL_SPEC_HEAD "}", (bwt_provider_overrides){.base_url = base});
        bwt_text target;
        assert_int_equal(bwt_provider_target(provider, BWT_STR("q"), 1, &target), BWT_OK);
        assert_text(target, cases[i].url);
        assert_str(bwt_provider_origin(provider), cases[i].origin);
        bwt_provider_release(provider);
    }
}

static void name_and_limits(void **state)
{
    (void)state;
    bwt_provider *provider = compiled(SMALL_SPEC_HEAD ",'limits':{'min_interval_ms':1500}}");
    assert_str(bwt_provider_name(provider), "small");
    assert_int_equal(bwt_provider_min_interval_ms(provider), 1500);
    bwt_provider *same = bwt_provider_retain(provider);
    bwt_provider_release(provider);
    assert_str(bwt_provider_name(same), "small");
    bwt_provider_release(same);
    provider = compiled_with(SMALL_SPEC_HEAD "}", (bwt_provider_overrides){.name = BWT_STR("other")});
    assert_str(bwt_provider_name(provider), "other");
    assert_int_equal(bwt_provider_min_interval_ms(provider), 0);
    bwt_provider_release(provider);
}

/* ---- complaints ---- */

static void assert_complaint(const char *spec, const bwt_provider_overrides *overrides, const char *field,
                             const char *expected)
{
    bwt_provider *provider = NULL;
    bwt_complaint complaint;
    bwt_error error = bwt_provider_compile(spec_text(spec), overrides, &provider, &complaint);
    if (error != BWT_ERR_INVALID) fail_msg("error %d for %s", (int)error, spec);
    assert_null(provider);
    if (strcmp(complaint.field, field) != 0 || strncmp(complaint.expected, expected, strlen(expected)) != 0) {
        fail_msg("%s: %s\nfor %s", complaint.field, complaint.expected, spec);
    }
}

#define WITH_REQUEST(members) "{'name':'x','request':{" members "}," ANSWER "}"
#define WITH_ANSWER(members) "{'name':'x','request':{'base_url':'http://a.example','path':'/s'},'answer':{" members "}}"
#define WITH_RULE(members) SMALL_SPEC_HEAD ",'rules':[{'status':500,'then':'rate_limited'},{" members "}]}"

static const struct {
    const char *spec, *field, *expected;
} mistakes[] = {
    {"", "spec", "a table"},
    {"[]", "spec", "a table"},
    {"{'name':'x'", "spec", "a table"},
    {"{}", "name", "a text"},
    {"{'name':5}", "name", "a text"},
    {"{'name':'a\\u0001b'}", "name", "1 to 100 characters"},
    {"{'name':'x','colour':1}", "colour", "one of: name title docs request key answer rules limits"},
    {"{'name':'x','title':1}", "title", "a text"},
    {"{'name':'x'}", "base_url", "an absolute http or https address"},
    {WITH_REQUEST("'path':'/s'"), "base_url", "an absolute http or https address"},
    {WITH_REQUEST("'base_url':'ftp://a.example','path':'/s'"), "request.base_url", "an absolute http"},
    {WITH_REQUEST("'base_url':'a.example','path':'/s'"), "request.base_url", "an absolute http"},
    {WITH_REQUEST("'base_url':'http://a.example?x=1','path':'/s'"), "request.base_url", "an absolute http"},
    {WITH_REQUEST("'base_url':'http://a.example'"), "request.path", "a text"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'s'"), "request.path", "a path that begins with /"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s?x'"), "request.path", "a path that begins with /"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s\\r\\nX'"), "request.path", "a path that begins"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/{key}'"), "request.path", "{query} or {count}"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','parms':{}"), "request.parms", "one of: method"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','params':[]"), "request.params", "a table of names"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','params':{'q':'{q}'}"), "request.params.q",
     "{query} or {count}"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','params':{'q':'a}b'}"), "request.params.q",
     "{query} or {count}"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','params':{'q':1.5}"), "request.params.q", "a text, an"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','method':'PUT'"), "request.method", "one of: GET POST"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','body':{}"), "request.body", "no body"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','method':'POST'"), "request.body", "a table"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','headers':{'A B':'c'}"), "request.headers.A B",
     "a header name"},
    {WITH_REQUEST("'base_url':'http://a.example','path':'/s','headers':{'A':'c\\nD: e'}"), "request.headers.A",
     "a text without line breaks"},
    {SMALL_SPEC_HEAD ",'key':{}}", "key.name", "a text"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A:','required':false}}", "key.name", "a header name"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A','in':'cookie'}}", "key.in", "one of: header query body"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A','in':'body','required':false}}", "key.in", "header or query"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A','prefix':'b\\n'}}", "key.prefix", "a text without line breaks"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A','required':'yes'}}", "key.required", "true or false"},
    {SMALL_SPEC_HEAD ",'key':{'name':'A','env':'A_KEY'}}", "api_key",
     "the provider's key, or the environment variable A_KEY"},
    {"{'name':'x','request':{'base_url':'http://a.example','path':'/s'}}", "answer", "a table"},
    {WITH_ANSWER(""), "answer.hits", "a path"},
    {WITH_ANSWER("'hits':'a..b'"), "answer.hits", "a path"},
    {WITH_ANSWER("'hits':['a','b[]']"), "answer.hits[1]", "a path without []"},
    {WITH_ANSWER("'hits':'a','format':'yaml'"), "answer.format", "one of: json"},
    {WITH_ANSWER("'hits':'a','title':['t',5]"), "answer.title[1]", "a path, or a template"},
    {WITH_ANSWER("'hits':'a','title':'a[x]'"), "answer.title", "a path, or a template"},
    {WITH_ANSWER("'hits':'a','title':'a[][]'"), "answer.title", "a path, or a template"},
    {WITH_ANSWER("'hits':'a','url':'http://x/{id'"), "answer.url", "a path, or a template"},
    {WITH_ANSWER("'hits':'a','url':'http://x/{}'"), "answer.url", "a path, or a template"},
    {WITH_ANSWER("'hits':'a','clean':{'url':'html'}"), "answer.clean.url", "one of: title snippet"},
    {WITH_ANSWER("'hits':'a','clean':{'title':'bold'}"), "answer.clean.title", "one of: none space html"},
    {WITH_ANSWER("'hits':'a','titles_are_evidence':1"), "answer.titles_are_evidence", "true or false"},
    {WITH_ANSWER("'hits':'a','keep':{'contains':'x'}"), "answer.keep.path", "a path"},
    {WITH_RULE("'then':'rate_limited'"), "rules[1]", "status or when"},
    {WITH_RULE("'status':42,'then':'rate_limited'"), "rules[1].status", "an integer from 100 to 999"},
    {WITH_RULE("'status':[500,'5xx'],'then':'rate_limited'"), "rules[1].status[1]", "an integer from 100 to 999"},
    {WITH_RULE("'status':400"), "rules[1].then", "what the answer means"},
    {WITH_RULE("'status':400,'then':'ok_useful'"), "rules[1].then", "one of: transport_error rate_limited"},
    {WITH_RULE("'when':{'path':'a'},'then':'rate_limited'"), "rules[1].when", "exactly one of: exists"},
    {WITH_RULE("'when':[{'path':'a','exists':true,'empty':false}],'then':'rate_limited'"), "rules[1].when[0]",
     "exactly one of: exists"},
    {WITH_RULE("'when':{'equals':1},'then':'rate_limited'"), "rules[1].when.path", "a path"},
    {WITH_RULE("'when':{'path':'a','equals':[1,{}]},'then':'rate_limited'"), "rules[1].when.equals[1]",
     "a text, a number"},
    {WITH_RULE("'when':{'contains':''},'then':'rate_limited'"), "rules[1].when.contains", "a text that is not"},
    {WITH_RULE("'status':400,'then':'rate_limited','wait_s':5"), "rules[1].wait_s", "a path"},
    {SMALL_SPEC_HEAD ",'limits':{'query_chars':0}}", "limits.query_chars", "an integer from 1 to 100000"},
    {SMALL_SPEC_HEAD ",'limits':{'max_results':true}}", "limits.max_results", "an integer from 1 to 1000"},
    {SMALL_SPEC_HEAD ",'limits':{'min_interval_ms':-1}}", "limits.min_interval_ms", "an integer from 0 to 3600000"},
};

static void every_mistake_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        assert_complaint(mistakes[i].spec, NULL, mistakes[i].field, mistakes[i].expected);
    }
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    static const char keyed[] = SMALL_SPEC_HEAD ",'key':{'name':'A'}}";
    static const struct {
        bwt_provider_overrides overrides;
        const char *field, *expected;
    } cases[] = {
        {{.api_key = BWT_STR("a\r\nX-B: c")}, "api_key", "a text without line breaks"},
        {{.api_key = BWT_STR("a\0b")}, "api_key", "a text without line breaks"},
        {{.api_key = BWT_STR("")}, "api_key", "the provider's key"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("gopher://x")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("http://x y")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("http://x:70000")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("http://x\0y")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("http://x#f")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .base_url = BWT_STR("")}, "base_url", "an absolute http"},
        {{.api_key = BWT_STR("k"), .name = BWT_STR("")}, "name", "1 to 100 characters"},
        {{.api_key = BWT_STR("k"), .name = BWT_STR("\xFF")}, "name", "1 to 100 characters"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_complaint(keyed, &cases[i].overrides, cases[i].field, cases[i].expected);
    }
}

static void long_keys_are_cut_in_complaints(void **state)
{
    (void)state;
    static const char spec[] =
        "{'name':'x','request':{'base_url':'http://a.example','path':'/s','params':{"
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa':null}}," ANSWER "}";
    bwt_provider *provider = NULL;
    bwt_complaint complaint;
    assert_int_equal(bwt_provider_compile(spec_text(spec), NULL, &provider, &complaint), BWT_ERR_INVALID);
    assert_int_equal(strlen(complaint.field), sizeof complaint.field - 1);
    assert_memory_equal(complaint.field, "request.params.aaa", 18);
}

/* ---- memory ---- */

static const char full_spec[] =
    "{'name':'x','title':'X','request':{'method':'POST','base_url':'https://a.example/b','path':'/{query}','params':{"
    "'n':'{count}'},'headers':{'X-A':'b'},'body':{'q':'a {query} b','o':{'l':[1]}}},'key':{'name':'A','prefix':'B '},"
    "'answer':{'hits':['a.b[0]','c'],'title':['t','n.{m}'],'url':'{base_url}/{id}','snippet':'s[]','keep':{'path':'t',"
    "'equals':[0,'x']}},'rules':[{'status':[400,401],'when':[{'path':'e','contains':['x','y']}],'then':'auth_failed',"
    "'wait_s':'w'}]}";

static bwt_error build_step(void *context)
{
    (void)context;
    bwt_provider *provider = NULL;
    bwt_provider_overrides overrides = {.api_key = BWT_STR("k"), .name = BWT_STR("n")};
    bwt_error error = bwt_provider_compile(spec_text(full_spec), &overrides, &provider, NULL);
    if (error != BWT_OK) return error;
    bwt_http_request request;
    bwt_text target = {0};
    error = bwt_provider_request(provider, BWT_STR("some query"), 5, &request);
    if (error == BWT_OK) {
        assert_str(bwt_buf_str(&request.url), "https://a.example/b/some%20query?n=5");
        assert_str(bwt_buf_str(&request.body), "{\"q\":\"a some query b\",\"o\":{\"l\":[1]}}");
        bwt_http_request_deinit(&request);
        error = bwt_provider_target(provider, BWT_STR("q"), 5, &target);
        bwt_text_free(&target);
    }
    bwt_provider_release(provider);
    return error;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(build_step, NULL) > 10);
}

/* ---- addresses ---- */

static bwt_str view(bwt_text text)
{
    return (bwt_str){text.data, text.len};
}

static void urls_are_taken_apart(void **state)
{
    (void)state;
    bwt_url url;
    assert_int_equal(bwt_url_parse(BWT_STR("https://u:p@EXAMPLE.org:8443/a/b?c=d#e"), &url), BWT_OK);
    assert_str(view(url.scheme), "https");
    assert_str(view(url.user_info), "u:p");
    assert_str(view(url.host), "example.org");
    assert_int_equal(url.port, 8443);
    assert_str(view(url.path), "/a/b");
    assert_str(view(url.query), "c=d");
    assert_true(url.has_fragment);
    bwt_url_deinit(&url);
    assert_int_equal(bwt_url_parse(BWT_STR("http://[2001:DB8::1]"), &url), BWT_OK);
    assert_str(bwt_url_host_name(&url), "2001:db8::1");
    assert_int_equal(url.port, 80);
    assert_null(url.user_info.data);
    assert_null(url.query.data);
    assert_false(url.has_fragment);
    bwt_url_deinit(&url);
    static const char *const refused[] = {"",           "/a",           "example.org",        "http://",
                                          "file:///x",  "ftp://a.b/",   "http://a b/",        "http://a:0x50/",
                                          "http://a\n", "http://a:0/x", "javascript:alert(1)"};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (bwt_url_parse((bwt_str){refused[i], strlen(refused[i])}, &url) != BWT_ERR_INVALID)
            fail_msg("%s", refused[i]);
    }
    assert_int_equal(bwt_url_parse(BWT_STR_NONE, &url), BWT_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(get_with_parameters),
        leak_checked(query_in_the_path),
        leak_checked(post_json),
        leak_checked(post_form_with_key_in_the_body),
        leak_checked(post_json_with_key_in_the_body),
        leak_checked(key_in_the_query_is_sent_and_not_shown),
        leak_checked(optional_key_may_be_absent),
        leak_checked(key_that_nobody_asks_for_is_not_sent),
        leak_checked(query_is_cut_at_a_word),
        leak_checked(base_url_replaces_all_before_the_path),
        leak_checked(name_and_limits),
        leak_checked(every_mistake_is_named),
        leak_checked(bad_arguments_are_named),
        leak_checked(long_keys_are_cut_in_complaints),
        leak_checked(every_failed_allocation_is_survived),
        leak_checked(urls_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
