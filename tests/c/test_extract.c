/* What an HTTP answer becomes: hits, an empty or unreadable answer, or a failure. */
#include <string.h>

#include "support/check.h"
#include "support/specs.h"

#include "net/extract.h"

static const char engine_spec[] =
    "{'name':'e','request':{'base_url':'http://127.0.0.1:1','path':'/s'},'answer':{'hits':'results','title':'title',"
    "'url':'url','snippet':'content'},'rules':[{'status':200,'when':[{'path':'results','empty':true},{'path':"
    "'unresponsive_engines','empty':false}],'then':'rate_limited'}]}";

static const char wiki_spec[] =
    "{'name':'w','request':{'base_url':'https://wiki.example','path':'/w/api.php'},'answer':{'hits':'query.search',"
    "'title':'title','url':'{base_url}/?curid={pageid}','snippet':'snippet','clean':{'snippet':'html'}},'rules':["
    "{'when':{'path':'error.code','equals':'ratelimited'},'then':'rate_limited'},"
    "{'when':{'path':'error','exists':true},'then':'transport_error'}]}";

typedef struct input {
    int status;
    const char *body; /* with ' for " */
    const char *location;
    int64_t retry_after_ms;
} input;

static bwt_error extract(const bwt_provider *provider, input from, bwt_answer *out)
{
    bwt_json_parser *parser = bwt_json_parser_new();
    if (parser == NULL) return BWT_ERR_NO_MEMORY;
    bwt_buf body;
    bwt_buf_init(&body, BWT_MAX_BODY_BYTES);
    bwt_error error = BWT_ERR_NO_MEMORY;
    if (bwt_buf_append_str(&body, spec_text(from.body))) {
        bwt_http_answer answer = {.status = from.status, .body = &body, .retry_after_ms = from.retry_after_ms};
        if (from.location != NULL) answer.location = (bwt_str){from.location, strlen(from.location)};
        error = bwt_extract(provider, parser, &answer, out);
    }
    bwt_buf_deinit(&body);
    bwt_json_parser_free(parser);
    return error;
}

/* Writes an answer as one line: "rate_limited 429 wait=3000", "ok 2 title|url|snippet; ...", "unparseable 200". */
static void describe(const bwt_answer *answer, bwt_buf *out)
{
    if (answer->response == NULL) {
        const bwt_failure *failure = &answer->failure;
        bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_ATTEMPT_STATUS, (int)failure->status));
        if (failure->detail != BWT_FAILURE_DETAIL_NONE) {
            bwt_buf_append_char(out, '/');
            bwt_buf_append_c(out, bwt_vocab_wire(BWT_VOCAB_FAILURE_DETAIL, (int)failure->detail));
        }
        bwt_buf_append_char(out, ' ');
        bwt_buf_append_int(out, failure->http_status);
        if (failure->retry_after_ms >= 0) {
            bwt_buf_append_c(out, " wait=");
            bwt_buf_append_int(out, failure->retry_after_ms);
        }
        return;
    }
    const bwt_response *response = answer->response;
    assert_true(bwt_response_status_settled(response));
    bwt_buf_append_c(out, bwt_response_parse_ok(response) ? "ok " : "unparseable ");
    bwt_buf_append_int(out, bwt_response_http_status(response));
    for (size_t i = 0; i < bwt_response_hit_count(response); i++) {
        bwt_hit hit = bwt_response_hit(response, i);
        bwt_buf_append_c(out, "; ");
        bwt_buf_append_str(out, hit.title);
        bwt_buf_append_char(out, '|');
        bwt_buf_append_str(out, hit.url);
        bwt_buf_append_char(out, '|');
        bwt_buf_append_str(out, hit.snippet);
    }
}

static void assert_answer(const char *spec, input from, const char *expected)
{
    bwt_provider *provider = compiled(spec);
    bwt_answer answer = {0};
    bwt_buf line;
    bwt_buf_init(&line, BWT_BUF_NO_CAP);
    assert_int_equal(extract(provider, from, &answer), BWT_OK);
    describe(&answer, &line);
    assert_str(bwt_buf_str(&line), expected);
    bwt_buf_deinit(&line);
    bwt_answer_clear(&answer);
    bwt_provider_release(provider);
}

static input ok(const char *body)
{
    return (input){.status = 200, .body = body, .retry_after_ms = -1};
}

static input with_status(int status, const char *body)
{
    return (input){.status = status, .body = body, .retry_after_ms = -1};
}

/* ---- hits ---- */

static void hits_in_order(void **state)
{
    (void)state;
    assert_answer(engine_spec,
                  ok("{'results':[{'title':'A','url':'http://a','content':'aa'},{'title':'B','url':'http://b'}]}"),
                  "ok 200; A|http://a|aa; B|http://b|");
    assert_answer(wiki_spec,
                  ok("{'query':{'search':[{'ns':0,'title':'Pine','pageid':39389,'snippet':'A <span class=\\'m\\'>pine"
                     "</span> is  a tree &amp; a\\nshrub'}]}}"),
                  "ok 200; Pine|https://wiki.example/?curid=39389|A pine is a tree & a shrub");
}

static void wrong_types_leave_fields_empty(void **state)
{
    (void)state;
    assert_answer(engine_spec,
                  ok("{'results':[{'title':null,'url':5,'content':['x']},{},7,null,[],'x',{'title':{},'url':'u'}]}"),
                  "ok 200; ||; ||; |u|");
    assert_answer(wiki_spec, ok("{'query':{'search':[{'pageid':null},{'pageid':'a b'},{'pageid':1.5}]}}"),
                  "ok 200; ||; |https://wiki.example/?curid=a%20b|; ||");
}

static void alternatives_joins_and_filters(void **state)
{
    (void)state;
    static const char spec[] =
        "{'name':'x','request':{'base_url':'http://a.example','path':'/s'},'answer':{'hits':['web.hits','hits'],"
        "'title':['title[0]','name'],'url':['link.href','http://x/{id}?v={{1}}'],'snippet':['{lead}: {parts[].t}',"
        "'parts[].t','lead'],'keep':{'path':'kind','equals':[0,'page']},'clean':{'title':'space'}}}";
    assert_answer(
        spec,
        ok("{'web':{'x':1},'hits':[{'kind':0,'title':[' a  b '],'link':{'href':'http://l'},'lead':'L','parts'"
           ":[{'t':'p'},{'u':1},{'t':null},{'t':'q'},{'t':true}]},{'kind':1,'name':'dropped'},{'kind':'page','"
           "title':[],'name':'n',"
           "'id':'k/1','parts':[{'t':'only'}]},{'kind':0,'lead':'last','parts':{}}]}"),
        "ok 200; a b|http://l|L: p q; n|http://x/k%2F1?v={1}|only; ||last");
}

static void titles_as_evidence(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'http://a.example','path':'/s'},'answer':{'hits':'r',"
                               "'title':'t','url':'u','snippet':'s','titles_are_evidence':true}}";
    assert_answer(spec, ok("{'r':[{'t':'A','s':'b'},{'t':'C'}]}"), "ok 200; A||b; C||C");
}

static void the_root_may_be_the_list(void **state)
{
    (void)state;
    static const char spec[] = "{'name':'x','request':{'base_url':'http://a.example','path':'/s'},'answer':{'hits':'',"
                               "'title':'t'}}";
    assert_answer(spec, ok("[{'t':'A'}]"), "ok 200; A||");
    assert_answer(spec, ok("[]"), "ok 200");
    assert_answer(spec, ok("{'t':'A'}"), "unparseable 200");
}

static void hits_are_bounded(void **state)
{
    (void)state;
    enum { ELEMENTS = 5000 };
    bwt_provider *provider = compiled(engine_spec);
    bwt_buf body;
    bwt_buf_init(&body, BWT_BUF_NO_CAP);
    bwt_buf_append_c(&body, "{\"results\":[{}");
    for (int i = 1; i < ELEMENTS; i++) bwt_buf_append_c(&body, ",{}");
    bwt_buf_append_c(&body, "]}");
    bwt_answer answer;
    assert_int_equal(bwt_provider_read(provider, 200, BWT_STR_NONE, bwt_buf_str(&body), &answer), BWT_OK);
    assert_int_equal(bwt_response_hit_count(answer.response), 1000);
    bwt_answer_clear(&answer);
    bwt_buf_deinit(&body);
    bwt_provider_release(provider);
}

/* ---- empty and unreadable ---- */

static void empty_answers(void **state)
{
    (void)state;
    assert_answer(engine_spec, ok("{'results':[]}"), "ok 200");
    assert_answer(engine_spec, ok("{'results':null}"), "ok 200");
    assert_answer(engine_spec, ok("{}"), "ok 200");
    assert_answer(engine_spec, with_status(201, "{'results':[],'unresponsive_engines':[]}"), "ok 201");
    assert_answer(wiki_spec, ok("{'batchcomplete':'','query':{'searchinfo':{'totalhits':0},'search':[]}}"), "ok 200");
}

static void unreadable_answers(void **state)
{
    (void)state;
    static const char *const bodies[] = {"",
                                         "{",
                                         "[]",
                                         "'text'",
                                         "null",
                                         "{'results':{}}",
                                         "{'results':'none'}",
                                         "{'results':[1,2]}",
                                         "<html><p>Welcome</p></html>",
                                         "{'results':[]} {}"};
    for (size_t i = 0; i < COUNT_OF(bodies); i++) assert_answer(engine_spec, ok(bodies[i]), "unparseable 200");
    assert_answer(engine_spec, with_status(204, ""), "unparseable 204");
}

/* ---- statuses ---- */

static void statuses_speak_without_a_rule(void **state)
{
    (void)state;
    assert_answer(engine_spec, with_status(401, "{}"), "auth_failed 401");
    assert_answer(engine_spec, with_status(403, "<html>Forbidden</html>"), "auth_failed 403");
    assert_answer(engine_spec, with_status(402, ""), "quota_exhausted 402");
    assert_answer(engine_spec, with_status(429, "{'results':[]}"), "rate_limited 429");
    assert_answer(engine_spec, (input){429, "", NULL, 3000}, "rate_limited 429 wait=3000");
    assert_answer(engine_spec, with_status(404, "{'results':[]}"), "transport_error/provider_error 404");
    assert_answer(engine_spec, (input){503, "down", NULL, 0}, "transport_error/provider_error 503 wait=0");
}

static void redirects(void **state)
{
    (void)state;
    assert_answer(engine_spec, (input){302, "", "https://login.example/", -1}, "transport_error/redirect 302");
    assert_answer(engine_spec, with_status(308, ""), "transport_error/redirect 308");
    assert_answer(engine_spec, (input){302, "", "https://www.example.com/sorry/index?continue=x", -1},
                  "rate_limited 302");
    assert_answer(engine_spec, (input){301, "", "https://check.example/static/captcha/?x", 500},
                  "rate_limited 301 wait=500");
    assert_answer(engine_spec, (input){200, "{'results':[]}", "https://www.example.com/sorry/", -1}, "ok 200");
}

static void bot_checks_at_any_status(void **state)
{
    (void)state;
    static const char page[] = "<html><script>window._cf_chl_opt={cvId:'3'}</script></html>";
    static const int statuses[] = {200, 202, 302, 401, 403, 429, 503};
    char expected[32];
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        memcpy(expected, "rate_limited XXX", 17);
        expected[13] = (char)('0' + statuses[i] / 100);
        expected[14] = (char)('0' + statuses[i] / 10 % 10);
        expected[15] = (char)('0' + statuses[i] % 10);
        assert_answer(engine_spec, with_status(statuses[i], page), expected);
    }
    assert_answer(engine_spec, with_status(403, "{'url':'https://geo.captcha-delivery.com/captcha/'}"),
                  "rate_limited 403");
    /* A good answer may quote such a page, and its query may be about one. */
    assert_answer(engine_spec, ok("{'query':'_cf_chl_opt','results':[{'title':'_cf_chl_opt','url':'u'}]}"),
                  "ok 200; _cf_chl_opt|u|");
    assert_answer(engine_spec, ok("<html>What is a captcha? Access denied.</html>"), "unparseable 200");
}

/* ---- rules ---- */

static void engines_out_is_an_outage(void **state)
{
    (void)state;
    assert_answer(engine_spec, ok("{'results':[],'unresponsive_engines':[['brave','CAPTCHA']]}"), "rate_limited 200");
    assert_answer(engine_spec, ok("{'unresponsive_engines':[['brave','CAPTCHA']]}"), "rate_limited 200");
    assert_answer(engine_spec, ok("{'results':[{'title':'A'}],'unresponsive_engines':[['brave','CAPTCHA']]}"),
                  "ok 200; A||");
}

static void errors_in_a_200(void **state)
{
    (void)state;
    assert_answer(wiki_spec, ok("{'error':{'code':'ratelimited','info':'slow down'}}"), "rate_limited 200");
    assert_answer(wiki_spec, ok("{'error':{'code':'badvalue'},'query':{'search':[]}}"),
                  "transport_error/provider_error 200");
}

#define RULE(members) SMALL_SPEC_HEAD ",'rules':[{" members "}]}"

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *when, *body;
        bool matches;
    } cases[] = {
        {"'path':'e','exists':true", "{'e':null}", true},
        {"'path':'e','exists':true", "{'x':1}", false},
        {"'path':'e','exists':false", "{'x':1}", true},
        {"'path':'e','exists':false", "not json", false},
        {"'path':'e','empty':true", "{'e':''}", true},
        {"'path':'e','empty':true", "{'e':{}}", true},
        {"'path':'e','empty':true", "{'e':0}", false},
        {"'path':'e','empty':false", "{'e':false}", true},
        {"'path':'e','empty':false", "{}", false},
        {"'path':'e','empty':true", "not json", false},
        {"'path':'e.c','equals':'x'", "{'e':{'c':'x'}}", true},
        {"'path':'e.c','equals':'x'", "{'e':{'c':'X'}}", false},
        {"'path':'e','equals':24", "{'e':24}", true},
        {"'path':'e','equals':24", "{'e':'24'}", false},
        {"'path':'e','equals':1.5", "{'e':1.5}", true},
        {"'path':'e','equals':true", "{'e':true}", true},
        {"'path':'e','equals':true", "{'e':false}", false},
        {"'path':'e','equals':['a','b']", "{'e':'b'}", true},
        {"'path':'e[].r','equals':'q'", "{'e':[{'r':'p'},{},{'r':'q'}]}", true},
        {"'path':'e[].r','equals':'q'", "{'e':[{'r':'p'}]}", false},
        {"'path':'e[1]','equals':'q'", "{'e':['p','q']}", true},
        {"'path':'e[1]','equals':'q'", "{'e':['q']}", false},
        {"'path':'m','contains':'per DAY'", "{'m':'Queries Per day exceeded'}", true},
        {"'path':'m','contains':'per day'", "{'m':'per da'}", false},
        {"'path':'m','contains':'x'", "{'m':['x']}", false},
        {"'contains':'daily limit'", "ERROR: Daily Limit Reached", true},
        {"'contains':['no','limit']", "", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bwt_buf spec;
        bwt_buf_init(&spec, BWT_BUF_NO_CAP);
        bwt_buf_append_c(&spec, SMALL_SPEC_HEAD ",'rules':[{'then':'quota_exhausted','when':{");
        bwt_buf_append_c(&spec, cases[i].when);
        bwt_buf_append_c(&spec, "}}]}");
        bwt_provider *provider = compiled(spec.data);
        bwt_answer answer;
        assert_int_equal(extract(provider, with_status(200, cases[i].body), &answer), BWT_OK);
        bool matches = answer.response == NULL && answer.failure.status == BWT_ATTEMPT_STATUS_QUOTA_EXHAUSTED;
        if (matches != cases[i].matches) fail_msg("%s on %s", cases[i].when, cases[i].body);
        bwt_answer_clear(&answer);
        bwt_provider_release(provider);
        bwt_buf_deinit(&spec);
    }
}

static void rules_go_before_statuses(void **state)
{
    (void)state;
    static const char no_hits[] = RULE("'status':[400,404],'when':{'path':'code','equals':'NONE'},'then':"
                                       "'empty_result_set'");
    assert_answer(no_hits, with_status(400, "{'code':'NONE'}"), "ok 400");
    assert_answer(no_hits, with_status(400, "{'code':'BAD'}"), "transport_error/provider_error 400");
    assert_answer(no_hits, with_status(200, "{'code':'NONE'}"), "ok 200");
    assert_answer(no_hits, with_status(401, "{'code':'NONE'}"), "auth_failed 401");
    assert_answer(RULE("'status':200,'then':'unparseable_payload'"), ok("{'r':[{'t':'A'}]}"), "unparseable 200");
    assert_answer(RULE("'status':503,'then':'rate_limited'"), with_status(503, ""), "rate_limited 503");
    assert_answer(RULE("'status':429,'then':'auth_failed'"), with_status(429, "_cf_chl_opt"), "auth_failed 429");
}

static void waits_named_in_the_body(void **state)
{
    (void)state;
    static const char spec[] = RULE("'status':400,'then':'rate_limited','wait_s':'m'");
    assert_answer(spec, with_status(400, "{'m':12}"), "rate_limited 400 wait=12000");
    assert_answer(spec, with_status(400, "{'m':0.5}"), "rate_limited 400 wait=500");
    assert_answer(spec, with_status(400, "{'m':'more requests available in 53541 seconds'}"),
                  "rate_limited 400 wait=53541000");
    assert_answer(spec, with_status(400, "{'m':'99999999999999999999999999'}"), "rate_limited 400 wait=86400000");
    assert_answer(spec, with_status(400, "{'m':-5}"), "rate_limited 400");
    assert_answer(spec, with_status(400, "{'m':'soon'}"), "rate_limited 400");
    assert_answer(spec, (input){400, "{'m':12}", NULL, 1000}, "rate_limited 400 wait=1000");
}

/* ---- memory ---- */

static bwt_error extract_step(void *context)
{
    bwt_answer answer;
    bwt_error error = extract(
        context, ok("{'query':{'search':[{'title':'A','pageid':1,'snippet':'<b>a</b>'},{'title':'B','pageid':2}]}}"),
        &answer);
    if (error != BWT_OK) return error;
    assert_int_equal(bwt_response_hit_count(answer.response), 2);
    bwt_answer_clear(&answer);
    return BWT_OK;
}

static bwt_error refuse_step(void *context)
{
    bwt_answer answer;
    bwt_error error = extract(context, ok("{'query':[]"), &answer);
    if (error == BWT_OK) bwt_answer_clear(&answer);
    return error;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    bwt_provider *provider = compiled(wiki_spec);
    assert_true(fail_each_allocation(extract_step, provider) > 6);
    assert_true(fail_each_allocation(refuse_step, provider) >= 3);
    bwt_provider_release(provider);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(hits_in_order),
        leak_checked(wrong_types_leave_fields_empty),
        leak_checked(alternatives_joins_and_filters),
        leak_checked(titles_as_evidence),
        leak_checked(the_root_may_be_the_list),
        leak_checked(hits_are_bounded),
        leak_checked(empty_answers),
        leak_checked(unreadable_answers),
        leak_checked(statuses_speak_without_a_rule),
        leak_checked(redirects),
        leak_checked(bot_checks_at_any_status),
        leak_checked(engines_out_is_an_outage),
        leak_checked(errors_in_a_200),
        leak_checked(conditions),
        leak_checked(rules_go_before_statuses),
        leak_checked(waits_named_in_the_body),
        leak_checked(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
