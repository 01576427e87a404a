/* Every closed vocabulary of the library, once: C enumerators, wire names and one-line meanings.
 *
 * Value 0 of each enumeration means "not set" and has no wire name; members count from 1 in the order
 * below, which is part of the interface (schema version BWT_SCHEMA_VERSION). */
#ifndef BWT_VOCAB_H
#define BWT_VOCAB_H

#define BWT_SCHEMA_VERSION "1"

#define BWT_OUTCOME_LIST(X)                                                                          \
    X(OUTCOME, USEFUL_RESULT, "useful_result", "A transport succeeded and its payload passed validation.") \
    X(OUTCOME, NO_USEFUL_RESULT, "no_useful_result", "The plan ran to its end and no payload was useful.") \
    X(OUTCOME, TRANSPORT_FAILED, "transport_failed", "No attempt produced a payload.")               \
    X(OUTCOME, BUDGET_EXHAUSTED, "budget_exhausted", "The deadline ran out before an attempt could start.") \
    X(OUTCOME, BLOCKED_BY_POLICY, "blocked_by_policy", "Refused locally; nothing was dialled.")

#define BWT_NEXT_ACTION_LIST(X)                                                                      \
    X(NEXT_ACTION, USE_RESULT, "use_result", "Answer from the results.")                             \
    X(NEXT_ACTION, ANSWER_FROM_PRIOR_KNOWLEDGE, "answer_from_prior_knowledge",                       \
      "Answer from what is already known and say that the web was not consulted.")                   \
    X(NEXT_ACTION, ASK_USER_TO_NARROW, "ask_user_to_narrow", "Ask the user for a narrower question.") \
    X(NEXT_ACTION, RETRY_LATER, "retry_later", "Do not call again in this turn; a later call may succeed.") \
    X(NEXT_ACTION, STOP, "stop", "Do not call again; waiting cannot help.")

#define BWT_ATTEMPT_ROLE_LIST(X)                                                                     \
    X(ATTEMPT_ROLE, PRIMARY, "primary", "The transport that is tried first.")                        \
    X(ATTEMPT_ROLE, FALLBACK, "fallback", "The transport that is tried once after the primary.")

#define BWT_ATTEMPT_STATUS_LIST(X)                                                                   \
    X(ATTEMPT_STATUS, OK_USEFUL, "ok_useful", "A payload arrived and passed validation.")            \
    X(ATTEMPT_STATUS, OK_NOT_USEFUL, "ok_not_useful", "A payload arrived and failed validation.")    \
    X(ATTEMPT_STATUS, TRANSPORT_ERROR, "transport_error", "The exchange failed; see failure_detail.") \
    X(ATTEMPT_STATUS, TRANSPORT_TIMEOUT, "transport_timeout", "The attempt's time slice was over first.") \
    X(ATTEMPT_STATUS, RATE_LIMITED, "rate_limited", "The provider asked us to slow down or challenged us.") \
    X(ATTEMPT_STATUS, AUTH_FAILED, "auth_failed", "The provider rejected the credentials.")          \
    X(ATTEMPT_STATUS, QUOTA_EXHAUSTED, "quota_exhausted", "The provider's plan or credit is used up.") \
    X(ATTEMPT_STATUS, CANCELLED, "cancelled", "The caller cancelled the lookup.")                    \
    X(ATTEMPT_STATUS, REFUSED_BY_POLICY, "refused_by_policy", "The address was refused before it was dialled.") \
    X(ATTEMPT_STATUS, SKIPPED_NO_BUDGET, "skipped_no_budget", "Not started: no meaningful slice was left.") \
    X(ATTEMPT_STATUS, SKIPPED_RESTING, "skipped_resting", "Not started: the provider rests after a refusal.")

#define BWT_NOT_USEFUL_REASON_LIST(X)                                                                \
    X(NOT_USEFUL_REASON, UNPARSEABLE_PAYLOAD, "unparseable_payload", "The body is not the expected shape.") \
    X(NOT_USEFUL_REASON, EMPTY_RESULT_SET, "empty_result_set", "The answer is valid and holds too few hits.") \
    X(NOT_USEFUL_REASON, LOGIN_WALL, "login_wall", "Every hit is a login, consent or challenge wall.") \
    X(NOT_USEFUL_REASON, CONTENT_TOO_SHORT, "content_too_short", "There is too little text to be evidence.") \
    X(NOT_USEFUL_REASON, NO_QUERY_TERMS_MATCHED, "no_query_terms_matched", "No hit shares a word with the query.") \
    X(NOT_USEFUL_REASON, CONSENT_WALL, "consent_wall", "Only a consent notice came back.")           \
    X(NOT_USEFUL_REASON, CHALLENGE_PAGE, "challenge_page", "A bot check or refusal page came back.") \
    X(NOT_USEFUL_REASON, SCRIPT_REQUIRED, "script_required", "The page shows nothing without scripts.") \
    X(NOT_USEFUL_REASON, PAYWALL, "paywall", "The text stops where payment begins.")                 \
    X(NOT_USEFUL_REASON, NOT_FOUND_PAGE, "not_found_page", "An error, parked, default or soft-404 page.") \
    X(NOT_USEFUL_REASON, BINARY_CONTENT, "binary_content", "The body is not text.")                  \
    X(NOT_USEFUL_REASON, UNDECODABLE_TEXT, "undecodable_text", "The text's character set cannot be decoded.")

#define BWT_FAILURE_DETAIL_LIST(X)                                                                   \
    X(FAILURE_DETAIL, DNS, "dns", "The host name has no usable address.")                            \
    X(FAILURE_DETAIL, CONNECT, "connect", "The connection was refused or the host is unreachable.")  \
    X(FAILURE_DETAIL, TLS, "tls", "The certificate or the TLS handshake failed.")                    \
    X(FAILURE_DETAIL, PROXY, "proxy", "The proxy hop failed.")                                       \
    X(FAILURE_DETAIL, REDIRECT, "redirect", "The answer is a redirect, which is not followed.")      \
    X(FAILURE_DETAIL, PROTOCOL, "protocol", "The peer did not speak valid HTTP.")                    \
    X(FAILURE_DETAIL, CONTENT_ENCODING, "content_encoding", "The content coding is unknown or broken.") \
    X(FAILURE_DETAIL, TOO_LARGE, "too_large", "The decoded body passed the size cap.")               \
    X(FAILURE_DETAIL, READ, "read", "The connection broke before the body was complete.")            \
    X(FAILURE_DETAIL, PROVIDER_ERROR, "provider_error", "The provider answered with an error.")      \
    X(FAILURE_DETAIL, TRANSPORT_RAISED, "transport_raised", "A custom transport misbehaved.")

#define BWT_POLICY_REASON_LIST(X)                                                                    \
    X(POLICY_REASON, EMPTY_QUERY, "empty_query", "The query has no visible character.")              \
    X(POLICY_REASON, QUERY_TOO_LONG, "query_too_long", "The query is longer than max_query_chars.")  \
    X(POLICY_REASON, MALFORMED_QUERY, "malformed_query", "The query holds control characters or lone surrogates.") \
    X(POLICY_REASON, SECRET_IN_QUERY, "secret_in_query", "The query holds something shaped like a credential.") \
    X(POLICY_REASON, MALFORMED_URL, "malformed_url", "The address cannot be parsed safely.")         \
    X(POLICY_REASON, SCHEME_NOT_ALLOWED, "scheme_not_allowed", "Only http and https are dialled.")   \
    X(POLICY_REASON, PORT_NOT_ALLOWED, "port_not_allowed", "The port is not on the allowed list.")   \
    X(POLICY_REASON, DOMAIN_NOT_ALLOWED, "domain_not_allowed", "The host is not on the allowed list.") \
    X(POLICY_REASON, PRIVATE_ADDRESS, "private_address", "The address is private, local or reserved.") \
    X(POLICY_REASON, CALL_LIMIT_REACHED, "call_limit_reached", "The session's limit of calls is reached.") \
    X(POLICY_REASON, REPEATED_CALL, "repeated_call", "The same failing call was just made.")

/* X(list macro, C prefix, Python class name, one-line meaning) */
#define BWT_VOCAB_LIST(X)                                                                            \
    X(BWT_OUTCOME_LIST, OUTCOME, "Outcome", "How a lookup ended: exhaustive and mutually exclusive.") \
    X(BWT_NEXT_ACTION_LIST, NEXT_ACTION, "NextAction", "The one instruction to the caller.")         \
    X(BWT_ATTEMPT_ROLE_LIST, ATTEMPT_ROLE, "AttemptRole", "Which of the two slots an attempt filled.") \
    X(BWT_ATTEMPT_STATUS_LIST, ATTEMPT_STATUS, "AttemptStatus", "What became of one attempt.")       \
    X(BWT_NOT_USEFUL_REASON_LIST, NOT_USEFUL_REASON, "NotUsefulReason", "Why a payload that arrived is not evidence.") \
    X(BWT_FAILURE_DETAIL_LIST, FAILURE_DETAIL, "FailureDetail", "Where a failed exchange broke.")    \
    X(BWT_POLICY_REASON_LIST, POLICY_REASON, "PolicyReason", "Why a call was refused locally.")

#define BWT_ENUMERATOR(kind, name, wire, doc) BWT_##kind##_##name,
typedef enum bwt_outcome { BWT_OUTCOME_NONE, BWT_OUTCOME_LIST(BWT_ENUMERATOR) BWT_OUTCOME_END } bwt_outcome;
typedef enum bwt_next_action {
    BWT_NEXT_ACTION_NONE,
    BWT_NEXT_ACTION_LIST(BWT_ENUMERATOR) BWT_NEXT_ACTION_END
} bwt_next_action;
typedef enum bwt_attempt_role {
    BWT_ATTEMPT_ROLE_NONE,
    BWT_ATTEMPT_ROLE_LIST(BWT_ENUMERATOR) BWT_ATTEMPT_ROLE_END
} bwt_attempt_role;
typedef enum bwt_attempt_status {
    BWT_ATTEMPT_STATUS_NONE,
    BWT_ATTEMPT_STATUS_LIST(BWT_ENUMERATOR) BWT_ATTEMPT_STATUS_END
} bwt_attempt_status;
typedef enum bwt_not_useful_reason {
    BWT_NOT_USEFUL_REASON_NONE,
    BWT_NOT_USEFUL_REASON_LIST(BWT_ENUMERATOR) BWT_NOT_USEFUL_REASON_END
} bwt_not_useful_reason;
typedef enum bwt_failure_detail {
    BWT_FAILURE_DETAIL_NONE,
    BWT_FAILURE_DETAIL_LIST(BWT_ENUMERATOR) BWT_FAILURE_DETAIL_END
} bwt_failure_detail;
typedef enum bwt_policy_reason {
    BWT_POLICY_REASON_NONE,
    BWT_POLICY_REASON_LIST(BWT_ENUMERATOR) BWT_POLICY_REASON_END
} bwt_policy_reason;
#undef BWT_ENUMERATOR

#define BWT_VOCAB_ENUMERATOR(list, prefix, python_name, doc) BWT_VOCAB_##prefix,
typedef enum bwt_vocab { BWT_VOCAB_LIST(BWT_VOCAB_ENUMERATOR) BWT_VOCAB_COUNT } bwt_vocab;
#undef BWT_VOCAB_ENUMERATOR

#endif
