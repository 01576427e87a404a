# The only list of C files: setup.py, the C tests and the fuzzers read it. Paths are relative to csrc/.
CORE := \
    core/budget.c \
    core/buf.c \
    core/http_status.c \
    core/mem.c \
    core/outcome.c \
    core/plan.c \
    core/plan_retry.c \
    core/policy.c \
    core/query.c \
    core/receipt.c \
    core/receipt_check.c \
    core/receipt_json.c \
    core/redact_kinds.c \
    core/redact_scan.c \
    core/redact_url.c \
    core/response.c \
    core/results.c \
    core/text.c \
    core/utf8.c \
    core/verdict.c \
    core/verdict_terms.c \
    core/vocab.c \
    core/walls.c
NET := \
    net/curl_once.c \
    net/curl_reason.c \
    net/deadline.c \
    net/engine.c \
    net/engine_loop.c \
    net/extract.c \
    net/inbox.c \
    net/json_simdjson.cpp \
    net/lookup.c \
    net/monotime.c \
    net/outbox.c \
    net/provider.c \
    net/provider_compile.c \
    net/resolver.c \
    net/transfer.c \
    net/url.c \
    net/wakefd.c
PY := \
    py/budget_type.c \
    py/compat.c \
    py/convert.c \
    py/engine_type.c \
    py/enums.c \
    py/errors.c \
    py/lifecycle.c \
    py/module.c \
    py/outbox_type.c \
    py/plan_type.c \
    py/policy_type.c \
    py/provider_type.c \
    py/receipt_methods.c \
    py/receipt_type.c \
    py/record.c \
    py/state.c \
    py/token_type.c \
    py/transport_types.c \
    py/validator_type.c
