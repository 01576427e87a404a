/* What a provider spec compiles to. Immutable; every text lives in the provider's arena. */
#ifndef BWT_NET_PROVIDER_SPEC_H
#define BWT_NET_PROVIDER_SPEC_H

#include "net/arena.h"
#include "net/json_path.h"
#include "net/provider.h"
#include "net/spec_reader.h"
#include "net/template.h"

/* ---- the request ---- */

typedef struct bwt_request_spec {
    bool post;
    bwt_template url;
    bwt_template body;
    bwt_str *headers; /* "Name: value" */
    size_t header_count;
} bwt_request_spec;

/* ---- text of a hit ---- */

typedef enum bwt_clean { BWT_CLEAN_NONE, BWT_CLEAN_SPACE, BWT_CLEAN_HTML } bwt_clean;

/* Literal text, or the value at a path. */
typedef struct bwt_text_part {
    bool is_path;
    bwt_str literal;
    bwt_path path;
} bwt_text_part;

/* One way to get a text. A plain path takes strings alone; in a template numbers count too, and every path must lead to
 * something. */
typedef struct bwt_text_source {
    const bwt_text_part *parts;
    size_t count;
    bool is_template;
} bwt_text_source;

typedef struct bwt_field_spec {
    const bwt_text_source *sources; /* the first that gives a text that is not empty wins */
    size_t count;
    bwt_encoding encoding; /* of the values in a template */
    bwt_clean clean;
} bwt_field_spec;

/* ---- conditions and rules ---- */

typedef enum bwt_test { BWT_TEST_EXISTS = 1, BWT_TEST_EMPTY, BWT_TEST_EQUALS, BWT_TEST_CONTAINS } bwt_test;

/* A scalar written in the spec. */
typedef struct bwt_scalar {
    bwt_json_type type; /* BOOL, INT, REAL or STRING */
    bwt_str text;
    int64_t integer;
    double real;
    bool truth;
} bwt_scalar;

/* One test of the value at a path or, without a path, of the body's text. */
typedef struct bwt_condition {
    bool on_body;
    bwt_path path;
    bwt_test test;
    bool wanted;               /* of EXISTS and EMPTY */
    const bwt_scalar *scalars; /* of EQUALS and CONTAINS: any of them */
    size_t scalar_count;
} bwt_condition;

typedef struct bwt_condition_list { /* all of them must hold */
    const bwt_condition *items;
    size_t count;
} bwt_condition_list;

/* What a rule makes of an answer: a failure, or when status is NONE a response with the reason. */
typedef struct bwt_rule {
    const int *statuses; /* none: any */
    size_t status_count;
    bwt_condition_list when;
    bwt_attempt_status status;
    bwt_failure_detail detail;
    bwt_not_useful_reason reason; /* EMPTY_RESULT_SET or UNPARSEABLE_PAYLOAD */
    bool names_wait;
    bwt_path wait_s; /* where the answer says how many seconds to wait */
} bwt_rule;

/* ---- the answer ---- */

typedef struct bwt_answer_spec {
    const bwt_path *hit_lists; /* the first that leads to a list wins */
    size_t hit_list_count;
    bwt_condition_list keep; /* what a hit must be like to be one */
    bwt_field_spec title;
    bwt_field_spec url;
    bwt_field_spec snippet;
    bool titles_are_evidence;
} bwt_answer_spec;

struct bwt_provider {
    int references; /* atomic */
    bwt_arena arena;
    bwt_str name;
    bwt_str base_url; /* no slash at the end */
    bwt_str origin;
    bwt_str identity;
    bwt_request_spec request;
    bwt_answer_spec answer;
    bwt_rule *rules;
    size_t rule_count;
    int64_t query_chars; /* longest query sent, in characters; 0 = any */
    int64_t max_results; /* most hits asked for; 0 = any */
    int64_t min_interval_ms;
};

/* ---- compiling, section by section ---- */

bwt_error bwt_compile_request(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_str api_key,
                              bwt_provider *provider);
bwt_error bwt_compile_answer(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_provider *provider);
bwt_error bwt_compile_rules(const bwt_spec_reader *reader, const bwt_spec_node *root, bwt_provider *provider);
bwt_error bwt_compile_conditions(const bwt_spec_reader *reader, const bwt_spec_node *node, bool body_allowed,
                                 bwt_condition_list *out);
bwt_error bwt_compile_path(const bwt_spec_reader *reader, const bwt_spec_node *node, bwt_path *out);

/* ---- reading ---- */

/* body is the raw text for conditions without a path; root is missing when the body is not JSON. */
bool bwt_conditions_hold(const bwt_condition_list *list, bwt_json root, bwt_str body);
/* The first rule that matches, or NULL. */
const bwt_rule *bwt_rule_find(const bwt_provider *provider, int http_status, bwt_json root, bwt_str body);
/* The wait that the rule finds in the answer, in ms; -1 = none. */
int64_t bwt_rule_wait_ms(const bwt_rule *rule, bwt_json root);

/* Adds the hits of a JSON answer. *shape_ok turns false when the answer is not shaped as the spec says. */
bwt_error bwt_extract_hits(const bwt_provider *provider, bwt_json root, bwt_response *response, bool *shape_ok);

#endif
