/* Public C interface of the bounded web tool.
 *
 * Text is UTF-8 in (pointer, length) pairs, never NUL-terminated unless said. Times named _ms and _ns are
 * integer milliseconds and nanoseconds on one monotonic clock that the caller supplies. A function returning
 * bwt_error leaves its outputs untouched unless it returns BWT_OK. Objects with _retain/_release are immutable
 * and may be shared between threads; the others belong to one thread at a time. */
#ifndef BWT_H
#define BWT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bwt_vocab.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BWT_VERSION "0.1.0"

typedef enum bwt_error {
    BWT_OK = 0,
    BWT_ERR_NO_MEMORY,
    BWT_ERR_INVALID,     /* an argument is out of its range; a bwt_complaint says which where there is one */
    BWT_ERR_CLOSED,      /* the engine or outbox has been closed */
    BWT_ERR_UNSUPPORTED, /* the libcurl found at run time is too old or lacks a feature */
    BWT_ERR_SYSTEM       /* a thread or descriptor could not be had */
} bwt_error;

/* Borrowed text. data == NULL means absent, which is not the same as empty. */
typedef struct bwt_str {
    const char *data;
    size_t len;
} bwt_str;
#define BWT_STR(literal) ((bwt_str){(literal), sizeof(literal) - 1})
#define BWT_STR_NONE ((bwt_str){NULL, 0})

/* Owned text, released with bwt_text_free. data[len] is a NUL that does not count. */
typedef struct bwt_text {
    char *data;
    size_t len;
} bwt_text;
void bwt_text_free(bwt_text *text);

/* Which argument was refused and what was expected of it. Never holds the value itself. */
typedef struct bwt_complaint {
    char field[96];      /* "" when nothing is wrong with the arguments */
    char expected[160];
} bwt_complaint;

/* Bytes now allocated by the library, all threads; 0 after everything has been freed. */
size_t bwt_native_bytes(void);

/* Limits that are part of the contract. Characters are code points. */
enum {
    BWT_MAX_TITLE_CHARS = 200,
    BWT_MAX_URL_CHARS = 2048,
    BWT_MAX_BODY_BYTES = 2 * 1024 * 1024, /* counted after decompression */
    BWT_MAX_ATTEMPTS = 2
};
#define BWT_MAX_RETRY_AFTER_MS INT64_C(86400000)
#define BWT_MAX_POLICY_VALUE INT64_C(1000000000000)

/* ---- vocabulary ------------------------------------------------------------------------------------- */

/* Members of a vocabulary are 1 .. bwt_vocab_size. Results are static strings; an unknown value gives NULL. */
const char *bwt_vocab_name(bwt_vocab vocab); /* "Outcome" */
const char *bwt_vocab_doc(bwt_vocab vocab);
int bwt_vocab_size(bwt_vocab vocab);
const char *bwt_vocab_wire(bwt_vocab vocab, int member);
const char *bwt_vocab_member_doc(bwt_vocab vocab, int member);
int bwt_vocab_parse(bwt_vocab vocab, bwt_str wire); /* 0 when it is no member */

/* ---- budget ----------------------------------------------------------------------------------------- */

/* One deadline. Elapsed rounds up, remaining rounds down; time that runs backwards counts as no progress. */
typedef struct bwt_budget {
    int64_t budget_ms;
    int64_t start_ns;
    int64_t latest_ns; /* the furthest reading so far */
} bwt_budget;
void bwt_budget_start(bwt_budget *budget, int64_t budget_ms, int64_t now_ns);
int64_t bwt_budget_elapsed_ms(bwt_budget *budget, int64_t now_ns);
int64_t bwt_budget_remaining_ms(bwt_budget *budget, int64_t now_ns); /* never below 0 */
int64_t bwt_budget_slice_ms(bwt_budget *budget, int64_t cap_ms, int64_t now_ns); /* min(cap, remaining); cap >= 0 */

/* ---- policy ----------------------------------------------------------------------------------------- */

/* X(field, default, lowest, highest, one-line meaning) */
#define BWT_POLICY_FIELD_LIST(X)                                                                      \
    X(budget_ms, 8000, 1, BWT_MAX_POLICY_VALUE, "Milliseconds shared by everything the call does.")   \
    X(per_attempt_ms, 5000, 1, BWT_MAX_POLICY_VALUE, "The most one attempt may take of the budget.")  \
    X(min_attempt_ms, 250, 1, BWT_MAX_POLICY_VALUE, "An attempt that cannot get this much is skipped.") \
    X(max_fallbacks, 1, 0, 1, "Whether the fallback may be dialled.")                                 \
    X(max_query_chars, 400, 1, BWT_MAX_POLICY_VALUE, "A longer query is refused.")                    \
    X(max_results, 10, 1, BWT_MAX_POLICY_VALUE, "The most hits a receipt carries.")                   \
    X(max_snippet_chars, 500, 1, BWT_MAX_POLICY_VALUE, "The most characters of one snippet.")         \
    X(max_extract_chars, 4000, 1, BWT_MAX_POLICY_VALUE, "The most characters of all titles and snippets together.")

typedef struct bwt_policy {
#define BWT_POLICY_MEMBER(field, preset, lowest, highest, doc) int64_t field;
    BWT_POLICY_FIELD_LIST(BWT_POLICY_MEMBER)
#undef BWT_POLICY_MEMBER
    bool refuse_secrets_in_query;
} bwt_policy;
void bwt_policy_init(bwt_policy *policy); /* the defaults */
bwt_error bwt_policy_check(const bwt_policy *policy, bwt_complaint *complaint);

/* ---- what a transport brings ------------------------------------------------------------------------ */

typedef struct bwt_hit {
    bwt_str title;
    bwt_str url;
    bwt_str snippet;
} bwt_hit;

/* The hits of one answer, in the provider's order. Owns its text. */
typedef struct bwt_response bwt_response;
/* http_status 0 = none known. parse_ok false: the body was not the expected shape. */
bwt_response *bwt_response_new(int http_status, bool parse_ok);
void bwt_response_free(bwt_response *response);
/* Copies. Lone surrogates (three-byte form) and other invalid UTF-8 become U+FFFD; absent text becomes empty. */
bwt_error bwt_response_add_hit(bwt_response *response, bwt_hit hit);
/* The provider's own mapping has spoken: the table of HTTP status rows no longer applies to this response. */
void bwt_response_settle_status(bwt_response *response);
bool bwt_response_status_settled(const bwt_response *response);
int bwt_response_http_status(const bwt_response *response);
bool bwt_response_parse_ok(const bwt_response *response);
size_t bwt_response_hit_count(const bwt_response *response);
bwt_hit bwt_response_hit(const bwt_response *response, size_t index); /* borrowed from the response */

/* Why an attempt brought no payload. */
typedef struct bwt_failure {
    bwt_attempt_status status; /* transport_error .. quota_exhausted, or refused_by_policy, skipped_* , cancelled */
    bwt_failure_detail detail; /* NONE allowed */
    int http_status;           /* 0 = none */
    int64_t retry_after_ms;    /* -1 = none named; else 0 .. BWT_MAX_RETRY_AFTER_MS */
    bwt_policy_reason policy_reason; /* with refused_by_policy; NONE counts as domain_not_allowed */
} bwt_failure;

/* What one attempt brought: a response (owned), or, when that is NULL, a failure. */
typedef struct bwt_answer {
    bwt_response *response;
    bwt_failure failure;
} bwt_answer;
void bwt_answer_clear(bwt_answer *answer);

/* The default reading of an HTTP status (RFC 9110): true and *failure filled when the status alone decides. */
bool bwt_http_status_failure(int http_status, bwt_failure *failure);

/* Retry-After (RFC 9110 10.2.3): seconds or an HTTP-date measured against now_unix_s; milliseconds clamped to
 * 0 .. BWT_MAX_RETRY_AFTER_MS, or -1 when it is neither. */
int64_t bwt_retry_after_ms(bwt_str value, int64_t now_unix_s);

/* ---- usefulness ------------------------------------------------------------------------------------- */

typedef struct bwt_verdict {
    bool useful;
    bwt_not_useful_reason reason; /* NONE exactly when useful */
} bwt_verdict;

typedef struct bwt_validator_options {
    int64_t min_hits;          /* >= 1 */
    int64_t min_snippet_chars; /* >= 0; by weight: Han, Kana and Hangul count double */
    bool require_term_overlap;
    const bwt_str *login_wall_markers; /* copied; NULL = the built-in table */
    size_t login_wall_marker_count;
} bwt_validator_options;

typedef struct bwt_validator bwt_validator;
void bwt_validator_options_init(bwt_validator_options *options); /* the defaults */
bwt_error bwt_validator_new(const bwt_validator_options *options, bwt_validator **out, bwt_complaint *complaint);
bwt_validator *bwt_validator_retain(bwt_validator *validator);
void bwt_validator_release(bwt_validator *validator);
size_t bwt_validator_marker_count(const bwt_validator *validator);
bwt_str bwt_validator_marker(const bwt_validator *validator, size_t index);
/* Fixed order: parse_ok, number of hits, walls, length, term overlap. clean (one byte a hit, may be NULL) is set
 * to 1 for hits that carry no wall marker. */
bwt_error bwt_validator_judge(const bwt_validator *validator, bwt_str query, const bwt_response *response,
                              bwt_verdict *verdict, unsigned char *clean);

/* ---- redaction -------------------------------------------------------------------------------------- */

/* One linear pass; any bytes in, valid UTF-8 out for valid UTF-8 in; idempotent. The marker is BWT_REDACTED. */
#define BWT_REDACTED "[REDACTED]"
bwt_error bwt_redact_text(bwt_str text, bwt_text *out);
bwt_error bwt_redact_url(bwt_str url, bwt_text *out);

/* Replaces invalid UTF-8 (lone surrogates included) by U+FFFD. */
bwt_error bwt_utf8_sanitize(bwt_str text, bwt_text *out);

/* ---- receipt ---------------------------------------------------------------------------------------- */

typedef enum bwt_receipt_kind { BWT_KIND_LOOKUP = 1, BWT_KIND_PAGE } bwt_receipt_kind;
const char *bwt_receipt_kind_wire(bwt_receipt_kind kind);       /* "lookup", "page" */
bwt_receipt_kind bwt_receipt_kind_parse(bwt_str wire);          /* 0 when unknown */

typedef struct bwt_attempt {
    int64_t index; /* 0 = primary, 1 = fallback */
    bwt_attempt_role role;
    bwt_attempt_status status;
    bwt_str transport;
    int64_t elapsed_ms;
    bwt_str target;  /* absent = null */
    int http_status; /* 0 = null */
    bwt_not_useful_reason not_useful_reason;
    bwt_failure_detail failure_detail;
    int64_t hit_count; /* -1 = null */
} bwt_attempt;

typedef struct bwt_receipt_fields {
    bwt_outcome outcome;
    bwt_next_action next_action;
    bool fallback_used;
    int64_t attempts_used;
    int64_t elapsed_ms;
    int64_t budget_ms;
    int64_t attempts_allowed;
    int64_t retry_after_ms; /* -1 = null */
    bwt_policy_reason policy_reason;
    const bwt_hit *results;
    size_t result_count;
    bool results_truncated;
    bwt_attempt attempts[BWT_MAX_ATTEMPTS];
    size_t attempt_count;
    bwt_receipt_kind kind;
} bwt_receipt_fields;

/* Whether one record is consistent in itself; its place in a trail is bwt_receipt_seal's concern. */
bwt_error bwt_attempt_check(const bwt_attempt *attempt, bwt_complaint *complaint);

/* The sealed account of one lookup: consistent by construction, immutable, redacted. */
typedef struct bwt_receipt bwt_receipt;
/* Copies and redacts every text of fields, then checks the whole. BWT_ERR_INVALID with a complaint when the
 * fields contradict each other. */
bwt_error bwt_receipt_seal(const bwt_receipt_fields *fields, bwt_receipt **out, bwt_complaint *complaint);
void bwt_receipt_free(bwt_receipt *receipt);
const bwt_receipt_fields *bwt_receipt_view(const bwt_receipt *receipt); /* lives as long as the receipt */
/* Canonical JSON; the short JSON for a model; the one-line explanation. */
bwt_error bwt_receipt_to_json(const bwt_receipt *receipt, bwt_text *out);
bwt_error bwt_receipt_to_model_json(const bwt_receipt *receipt, bwt_text *out);
bwt_error bwt_receipt_explain(const bwt_receipt *receipt, bwt_text *out);

/* The two tables of the contract, total over every sequence of statuses. refused: a local refusal. */
bwt_outcome bwt_outcome_reduce(const bwt_attempt_status *trail, size_t length, bool refused);
bwt_next_action bwt_next_action_for(bwt_outcome outcome, const bwt_attempt_status *trail, size_t length,
                                    bwt_receipt_kind kind);

/* ---- plan: primary and at most one fallback --------------------------------------------------------- */

/* The machine that decides. Never reads a clock, never blocks.
 *
 *     plan_new -> { next -> dial -> target? -> report_response [-> report_verdict] | report_failure }* -> seal
 *
 * cancel may come at any point between new and seal. */
typedef struct bwt_plan bwt_plan;

typedef struct bwt_plan_options {
    const bwt_policy *policy; /* copied; must have passed bwt_policy_check */
    bwt_str query;            /* raw; lone surrogates in their three-byte form */
    bwt_str primary_name;
    bwt_str fallback_name;    /* absent = no fallback */
    bwt_validator *validator; /* retained; NULL = the caller judges (report_verdict) */
} bwt_plan_options;

typedef struct bwt_dial {
    bwt_attempt_role role;
    int64_t slice_ms;    /* >= 1 */
    int64_t deadline_ns; /* when the slice is over */
    int64_t least_ms;    /* with less of it left the attempt is not worth dialling */
} bwt_dial;

bwt_error bwt_plan_new(const bwt_plan_options *options, int64_t now_ns, bwt_plan **out);
void bwt_plan_free(bwt_plan *plan);
/* The query as it is sent: folded, NFC. Absent when it was refused. Lives as long as the plan. */
bwt_str bwt_plan_query(const bwt_plan *plan);
int64_t bwt_plan_budget_deadline_ns(const bwt_plan *plan);
int64_t bwt_plan_remaining_ms(bwt_plan *plan, int64_t now_ns);
/* True: dial this now. False: nothing more to dial, seal. Records skipped attempts on the way. */
bool bwt_plan_next(bwt_plan *plan, int64_t now_ns, bwt_dial *dial);
/* The address of the attempt being dialled (any text, redacted when sealed; absent = null). */
bwt_error bwt_plan_set_target(bwt_plan *plan, bwt_str target);
/* Takes the response, also on failure. A response after its slice, or whose HTTP status decides, settles the
 * attempt; otherwise, without a validator, *wants_verdict is set and report_verdict must follow. */
bwt_error bwt_plan_report_response(bwt_plan *plan, int64_t now_ns, bwt_response *response, bool *wants_verdict);
void bwt_plan_report_verdict(bwt_plan *plan, bwt_verdict verdict);
void bwt_plan_report_failure(bwt_plan *plan, int64_t now_ns, bwt_failure failure);
/* Ends the plan: the attempt in flight, or the one that would have come, is recorded as cancelled. */
void bwt_plan_cancel(bwt_plan *plan, int64_t now_ns);
bwt_error bwt_plan_seal(bwt_plan *plan, int64_t now_ns, bwt_receipt **out);

/* ---- retry plan: ordered providers, several tries each ---------------------------------------------- */

typedef enum bwt_retry_outcome {
    BWT_RETRY_OK = 1,
    BWT_RETRY_EMPTY_RESULTS,
    BWT_RETRY_MALFORMED_PAYLOAD,
    BWT_RETRY_TRANSPORT_ERROR,
    BWT_RETRY_NO_PROVIDER
} bwt_retry_outcome;
const char *bwt_retry_outcome_wire(bwt_retry_outcome outcome); /* "ok", "empty_results", ... */

typedef struct bwt_retry_plan {
    int64_t provider_count;
    int64_t tries_per_provider; /* >= 1 */
    int64_t deadline_ns;        /* INT64_MAX = none */
    int64_t provider;           /* the one to call next */
    int64_t tries;              /* already made with it */
    int64_t tries_total;
    int64_t last_called;        /* -1 = none */
    bwt_retry_outcome last_outcome;
    bool out_of_time;
    bool done;
    bool in_flight; /* a provider has been named and not yet reported on */
} bwt_retry_plan;
void bwt_retry_plan_init(bwt_retry_plan *plan, int64_t provider_count, int64_t tries_per_provider,
                         int64_t deadline_ns);
/* The index of the provider to call now, or -1 when the plan is over. */
int64_t bwt_retry_plan_next(bwt_retry_plan *plan, int64_t now_ns);
/* TRANSPORT_ERROR = the call did not complete: tried again; EMPTY and MALFORMED move to the next provider. A report
 * that arrives after the deadline counts as TRANSPORT_ERROR and ends the plan. */
void bwt_retry_plan_report(bwt_retry_plan *plan, bwt_retry_outcome outcome, int64_t now_ns);

typedef struct bwt_retry_receipt {
    bwt_retry_outcome outcome;
    bool task_success;
    bool transport_success;
    int64_t provider_used; /* -1 = null */
    bool fallback_used;
    int64_t attempts_total;
} bwt_retry_receipt;
void bwt_retry_plan_seal(const bwt_retry_plan *plan, bwt_retry_receipt *out);

/* ---- provider: a spec compiled ---------------------------------------------------------------------- */

typedef struct bwt_provider bwt_provider;

typedef struct bwt_provider_overrides {
    bwt_str name;     /* absent = the spec's own */
    bwt_str base_url; /* absent = the spec's own; replaces scheme, host, port and leading path */
    bwt_str api_key;  /* absent = none */
} bwt_provider_overrides;

/* spec: the JSON text of the spec document (docs: bounded_web_tool/providers/README.md). */
bwt_error bwt_provider_compile(bwt_str spec, const bwt_provider_overrides *overrides, bwt_provider **out,
                               bwt_complaint *complaint);
bwt_provider *bwt_provider_retain(bwt_provider *provider);
void bwt_provider_release(bwt_provider *provider);
bwt_str bwt_provider_name(const bwt_provider *provider);
/* The address one query is fetched from, the key masked; the rest is the caller's to redact before showing it. */
bwt_error bwt_provider_target(const bwt_provider *provider, bwt_str query, int64_t max_results, bwt_text *out);
/* Reads one recorded answer as the engine would: *out is owned by the caller. */
bwt_error bwt_provider_read(const bwt_provider *provider, int http_status, bwt_str content_type, bwt_str body,
                            bwt_answer *out);

/* ---- engine: one network thread --------------------------------------------------------------------- */

int64_t bwt_monotonic_ns(void); /* CLOCK_MONOTONIC */
/* LIBCURL_VERSION_NUM of the library found at run time: 0x075801 is 7.88.1. */
unsigned bwt_curl_version(void);

typedef struct bwt_engine bwt_engine;
typedef struct bwt_outbox bwt_outbox;
typedef uint64_t bwt_ticket; /* names one submission of one engine; never 0, never reused */

typedef struct bwt_engine_options {
    int64_t max_in_flight;    /* 10,000; the rest waits inside its budget */
    int64_t max_per_host;     /* 128 */
    int64_t resolver_threads; /* 8 */
    bwt_str proxy;            /* absent = none, the environment is not read */
    bwt_str ca_bundle;        /* absent = libcurl's own */
    bwt_str client_cert;      /* absent = none */
    bwt_str interface;        /* absent = any */
    bool http2;               /* false: HTTP/1.1 */
    bool trust_env;           /* true: the proxy variables are read */
    bool rest;                /* false: refused providers are not rested */
} bwt_engine_options;
void bwt_engine_options_init(bwt_engine_options *options);

/* Starts the thread. BWT_ERR_UNSUPPORTED with a complaint that says what to install. */
bwt_error bwt_engine_new(const bwt_engine_options *options, bwt_engine **out, bwt_complaint *complaint);
/* Ends every lookup in flight as cancelled and stops the thread, waiting at most timeout_ms for it. Idempotent,
 * any thread. Afterwards submissions return BWT_ERR_CLOSED. */
void bwt_engine_close(bwt_engine *engine, int64_t timeout_ms);
/* Closes if need be and gives the memory back once the thread has ended; never joins without a limit. */
void bwt_engine_free(bwt_engine *engine);

typedef struct bwt_lookup_request {
    const bwt_policy *policy;
    bwt_str query;          /* raw, as for bwt_plan_options */
    bwt_provider *primary;  /* retained */
    bwt_provider *fallback; /* retained; NULL = none */
    bwt_validator *validator; /* retained */
} bwt_lookup_request;

/* A whole lookup on the engine thread; its completion carries a receipt. The budget starts with this call. */
bwt_error bwt_engine_submit_lookup(bwt_engine *engine, const bwt_lookup_request *request, bwt_outbox *outbox,
                                   bwt_ticket *ticket);
typedef struct bwt_fetch_request {
    bwt_provider *provider; /* retained */
    bwt_str query;          /* as a plan has prepared it */
    int64_t max_results;
    int64_t slice_ms;       /* >= 0 */
    int64_t least_ms;       /* of the slice: with less left after waiting for its turn it is not dialled */
} bwt_fetch_request;

/* One attempt without a plan; its completion carries an answer. */
bwt_error bwt_engine_submit_fetch(bwt_engine *engine, const bwt_fetch_request *request, bwt_outbox *outbox,
                                  bwt_ticket *ticket);
/* Any thread, any time, at most once useful: an unknown or finished ticket is ignored. Never blocks. */
void bwt_engine_cancel(bwt_engine *engine, bwt_ticket ticket);

/* X(name, one-line meaning): monotone counters except in_flight, queued, connections and native_bytes. */
#define BWT_ENGINE_STAT_LIST(X)                                                                       \
    X(in_flight, "attempts that now own a transfer")                                                  \
    X(queued, "attempts that now wait for their turn, a place or a name lookup")                      \
    X(submitted, "lookups and fetches accepted")                                                      \
    X(completed, "completions handed out")                                                            \
    X(dialled, "transfers started")                                                                   \
    X(reused, "transfers that went over a kept connection")                                           \
    X(paced, "attempts that had to wait for their provider's minimum interval")                       \
    X(timed_out, "attempts that ended at their deadline")                                             \
    X(cancelled, "submissions that were cancelled")                                                   \
    X(connections, "connections now open")                                                            \
    X(resolver_busy, "resolver threads now inside a name lookup")                                     \
    X(resolver_lost, "resolver threads given up because a name lookup hung")                          \
    X(longest_step_ns, "the longest time the thread spent in one turn")                               \
    X(native_bytes, "bytes now allocated by the library")
typedef struct bwt_engine_stats {
#define BWT_ENGINE_STAT_MEMBER(name, doc) uint64_t name;
    BWT_ENGINE_STAT_LIST(BWT_ENGINE_STAT_MEMBER)
#undef BWT_ENGINE_STAT_MEMBER
    uint64_t by_status[BWT_ATTEMPT_STATUS_END]; /* attempts ended, by bwt_attempt_status */
} bwt_engine_stats;
void bwt_engine_stats_read(bwt_engine *engine, bwt_engine_stats *out);

/* What the engine hands back. Exactly one of receipt (a lookup) and answer (a fetch) is filled. */
typedef struct bwt_completion {
    struct bwt_completion *next;
    bwt_ticket ticket;
    bwt_receipt *receipt;
    bwt_answer answer;
    int64_t finished_ns; /* CLOCK_MONOTONIC, when the engine finished it */
} bwt_completion;
void bwt_completion_free(bwt_completion *completion); /* and what it still carries; not its followers */

/* Where completions wait for one consumer: an event loop (with_fd) or one blocked thread. */
bwt_error bwt_outbox_new(bool with_fd, bwt_outbox **out);
int bwt_outbox_fd(const bwt_outbox *outbox); /* readable while completions wait; -1 without one */
/* Takes all waiting completions, oldest first, and makes the descriptor unreadable. NULL when there are none. */
bwt_completion *bwt_outbox_take(bwt_outbox *outbox);
/* Blocks up to timeout_ns for a completion; true when one waits. */
bool bwt_outbox_wait(bwt_outbox *outbox, int64_t timeout_ns);
/* The consumer is gone: later completions are freed at once. Gives up the consumer's reference. */
void bwt_outbox_close(bwt_outbox *outbox);

#ifdef __cplusplus
}
#endif
#endif
