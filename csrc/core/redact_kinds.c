/* The table of credential kinds and its matcher. Sources of the shapes: the vendors' own documentation and the public
 * rules of secret scanners. */
#include "core/redact_kinds.h"

#include <string.h>

#include "core/text.h"

enum {
    HEX = BWT_BODY_DIGIT | BWT_BODY_HEX,
    UPPER = BWT_BODY_DIGIT | BWT_BODY_UPPER,
    LOWER = BWT_BODY_DIGIT | BWT_BODY_LOWER,
    ALNUM = LOWER | BWT_BODY_UPPER,
    WORD = ALNUM | BWT_BODY_UNDERSCORE,
    DASHED = ALNUM | BWT_BODY_DASH,
    URL64 = WORD | BWT_BODY_DASH,
    DOTTED = URL64 | BWT_BODY_DOT,
    BASE64 = ALNUM | BWT_BODY_PADDED64,
    ANY64 = URL64 | BWT_BODY_PADDED64,
    UUID = HEX | BWT_BODY_DASH,
    CRYPT = ALNUM | BWT_BODY_DOT | BWT_BODY_PADDED64,
    NO_LIMIT = 0xFFFF
};

/* mark, then `least` to `most` bytes of body. */
typedef struct part {
    const char *mark;
    unsigned short body;
    unsigned short least, most;
} part;

enum { PARTS = 3 };

/* What the whole must hold besides its shape, where the shape alone also fits words. */
typedef enum demand { NOTHING, A_DIGIT, DIGIT_AND_UPPER } demand;

typedef struct kind {
    const char *name;
    demand demand;
    part parts[PARTS];
} kind;

/* Kinds that start with a fixed mark. */
static const kind marked[] = {
    /* clouds and hosting */
    {"aws_access_key_id", NOTHING, {{"AKIA", UPPER, 16, 16}}},
    {"aws_sts_key_id", NOTHING, {{"ASIA", UPPER, 16, 16}}},
    {"aws_service_key_id", NOTHING, {{"ABIA", UPPER, 16, 16}}},
    {"aws_context_key_id", NOTHING, {{"ACCA", UPPER, 16, 16}}},
    {"aws_bedrock_key", A_DIGIT, {{"ABSK", BASE64, 80, NO_LIMIT}}},
    {"aws_bedrock_key", A_DIGIT, {{"bedrock-api-key-", BASE64, 20, NO_LIMIT}}},
    {"aws_mws", NOTHING, {{"amzn.mws.", UUID, 36, 36}}},
    {"google_api_key", NOTHING, {{"AIza", URL64, 35, 40}}},
    {"google_oauth_secret", NOTHING, {{"GOCSPX-", URL64, 24, 40}}},
    {"google_access_token", A_DIGIT, {{"ya29.", DOTTED, 20, NO_LIMIT}}},
    {"google_refresh_token", NOTHING, {{"1//0", URL64, 30, NO_LIMIT}}},
    {"alibaba_key_id", A_DIGIT, {{"LTAI", ALNUM, 12, 26}}},
    {"tencent_secret_id", A_DIGIT, {{"AKID", ALNUM, 32, 48}}},
    {"yandex_api_key", A_DIGIT, {{"AQVN", URL64, 35, 40}}},
    {"digitalocean", NOTHING, {{"dop_v1_", HEX, 64, 64}}},
    {"digitalocean", NOTHING, {{"doo_v1_", HEX, 64, 64}}},
    {"digitalocean", NOTHING, {{"dor_v1_", HEX, 64, 64}}},
    {"cloudflare_token", NOTHING, {{"cfk_", ALNUM, 40, 64}}},
    {"cloudflare_token", NOTHING, {{"cfat_", ALNUM, 40, 64}}},
    {"cloudflare_token", NOTHING, {{"cfut_", ALNUM, 40, 64}}},
    {"cloudflare_origin_ca", NOTHING, {{"v1.0-", HEX, 24, 24}, {"-", HEX, 140, 160}}},
    {"heroku", NOTHING, {{"HRKU-", URL64, 30, 90}}},
    {"flyio", NOTHING, {{"fm1_", ANY64, 80, NO_LIMIT}}},
    {"flyio", NOTHING, {{"fm1a_", ANY64, 80, NO_LIMIT}}},
    {"flyio", NOTHING, {{"fm1r_", ANY64, 80, NO_LIMIT}}},
    {"flyio", NOTHING, {{"fm2_", ANY64, 80, NO_LIMIT}}},
    {"flyio", NOTHING, {{"fo1_", URL64, 40, 50}}},
    {"netlify", NOTHING, {{"nfp_", ALNUM, 36, 40}}},
    {"netlify", NOTHING, {{"nfc_", ALNUM, 36, 40}}},
    {"netlify", NOTHING, {{"nfo_", ALNUM, 36, 40}}},
    {"netlify", NOTHING, {{"nfu_", ALNUM, 36, 40}}},
    {"netlify", NOTHING, {{"nfb_", ALNUM, 36, 40}}},
    {"vercel", A_DIGIT, {{"vcp_", ALNUM, 24, 64}}},
    {"vercel", A_DIGIT, {{"vck_", ALNUM, 24, 64}}},
    {"vercel", A_DIGIT, {{"vci_", ALNUM, 24, 64}}},
    {"vercel", A_DIGIT, {{"vca_", ALNUM, 24, 64}}},
    {"vercel", A_DIGIT, {{"vcr_", ALNUM, 24, 64}}},
    {"vercel_blob", A_DIGIT, {{"vercel_blob_rw_", WORD, 30, 80}}},
    {"render", NOTHING, {{"rnd_", ALNUM, 28, 40}}},
    {"supabase", NOTHING, {{"sbp_", HEX, 40, 40}}},
    {"supabase", NOTHING, {{"sbp_v0_", HEX, 40, 40}}},
    {"supabase", NOTHING, {{"sbp_oauth_", HEX, 40, 40}}},
    {"supabase_secret", A_DIGIT, {{"sb_secret_", URL64, 20, 64}}},
    {"planetscale", NOTHING, {{"pscale_tkn_", DOTTED, 32, 64}}},
    {"planetscale", NOTHING, {{"pscale_oauth_", DOTTED, 32, 64}}},
    {"planetscale", NOTHING, {{"pscale_pw_", DOTTED, 32, 64}}},
    {"databricks", NOTHING, {{"dapi", HEX, 32, 32}}},
    {"databricks", NOTHING, {{"dapi", HEX, 32, 32}, {"-", HEX, 1, 2}}},
    {"neon", A_DIGIT, {{"napi_", ALNUM, 40, 80}}},
    {"pulumi", NOTHING, {{"pul-", HEX, 40, 40}}},
    {"scalingo", NOTHING, {{"tk-us-", URL64, 48, 48}}},
    {"scaleway", NOTHING, {{"SCW", UPPER, 17, 17}}},
    /* vaults, networks */
    {"vault_service", A_DIGIT, {{"hvs.", URL64, 24, NO_LIMIT}}},
    {"vault_batch", A_DIGIT, {{"hvb.", URL64, 24, NO_LIMIT}}},
    {"vault_recovery", A_DIGIT, {{"hvr.", URL64, 24, NO_LIMIT}}},
    {"vault_legacy", A_DIGIT, {{"s.", ALNUM, 24, 24}}},
    {"doppler", A_DIGIT, {{"dp.pt.", ALNUM, 40, 44}}},
    {"doppler", A_DIGIT, {{"dp.ct.", ALNUM, 40, 44}}},
    {"doppler", A_DIGIT, {{"dp.sa.", ALNUM, 40, 44}}},
    {"doppler", A_DIGIT, {{"dp.scim.", ALNUM, 40, 44}}},
    {"doppler", A_DIGIT, {{"dp.audit.", ALNUM, 40, 44}}},
    {"doppler", A_DIGIT, {{"dp.st.", DOTTED, 40, 80}}},
    {"openshift", A_DIGIT, {{"sha256~", URL64, 43, 43}}},
    {"tailscale", A_DIGIT, {{"tskey-", URL64, 20, 90}}},
    {"onepassword_secret_key", NOTHING, {{"A3-", UPPER | BWT_BODY_DASH, 32, 40}}},
    {"onepassword_service", NOTHING, {{"ops_eyJ", ANY64, 80, NO_LIMIT}}},
    {"age_key", NOTHING, {{"AGE-SECRET-KEY-1", UPPER, 50, 64}}},
    {"infracost", A_DIGIT, {{"ico-", ALNUM, 32, 32}}},
    /* code hosts, builds, registries */
    {"github_token", NOTHING, {{"ghp_", ALNUM, 36, 255}}},
    {"github_token", NOTHING, {{"gho_", ALNUM, 36, 255}}},
    {"github_token", NOTHING, {{"ghu_", ALNUM, 36, 255}}},
    {"github_token", NOTHING, {{"ghs_", ALNUM, 36, 255}}},
    {"github_token", NOTHING, {{"ghr_", ALNUM, 36, 255}}},
    {"github_server_jwt", NOTHING, {{"ghs_", BWT_BODY_DIGIT, 1, 20}, {"_eyJ", DOTTED, 40, NO_LIMIT}}},
    {"github_fine_grained", NOTHING, {{"github_pat_", WORD, 60, 255}}},
    {"gitlab_pat", A_DIGIT, {{"glpat-", DOTTED, 20, 300}}},
    {"gitlab_deploy", A_DIGIT, {{"gldt-", URL64, 20, 300}}},
    {"gitlab_runner", A_DIGIT, {{"glrt-", DOTTED, 20, 300}}},
    {"gitlab_runner", A_DIGIT, {{"glrtr-", DOTTED, 20, 300}}},
    {"gitlab_runner_legacy", NOTHING, {{"GR1348941", URL64, 20, 50}}},
    {"gitlab_ci_job", A_DIGIT, {{"glcbt-", DOTTED, 20, 300}}},
    {"gitlab_trigger", NOTHING, {{"glptt-", HEX, 40, 40}}},
    {"gitlab_oauth_app", A_DIGIT, {{"gloas-", URL64, 60, 70}}},
    {"gitlab_feed", A_DIGIT, {{"glft-", URL64, 20, 80}}},
    {"gitlab_scim", A_DIGIT, {{"glsoat-", URL64, 20, 80}}},
    {"gitlab_mail", A_DIGIT, {{"glimt-", URL64, 20, 80}}},
    {"gitlab_agent", A_DIGIT, {{"glagent-", URL64, 40, 80}}},
    {"gitlab_flags", A_DIGIT, {{"glffct-", URL64, 20, 80}}},
    {"atlassian", A_DIGIT, {{"ATATT3", ANY64, 60, NO_LIMIT}}},
    {"atlassian", A_DIGIT, {{"ATCTT3", ANY64, 60, NO_LIMIT}}},
    {"bitbucket", A_DIGIT, {{"ATBB", ALNUM, 24, 40}}},
    {"sourcegraph", NOTHING, {{"sgp_", HEX, 16, 16}, {"_", HEX, 40, 40}}},
    {"sourcegraph", NOTHING, {{"sgp_local_", HEX, 40, 40}}},
    {"sourcegraph", NOTHING, {{"sgp_", HEX, 40, 40}}},
    {"circleci", A_DIGIT, {{"CCIPAT_", WORD, 40, 80}}},
    {"circleci", A_DIGIT, {{"CCIPRJ_", WORD, 40, 80}}},
    {"buildkite", NOTHING, {{"bkua_", HEX, 40, 40}}},
    {"sonar", NOTHING, {{"sqa_", HEX, 40, 40}}},
    {"sonar", NOTHING, {{"squ_", HEX, 40, 40}}},
    {"sonar", NOTHING, {{"sqp_", HEX, 40, 40}}},
    {"octopus", A_DIGIT, {{"API-", UPPER, 25, 32}}},
    {"artifactory_key", A_DIGIT, {{"AKCp", ALNUM, 60, 80}}},
    {"artifactory_reference", NOTHING, {{"cmVmdGtu", ALNUM, 48, 64}}},
    {"npm", NOTHING, {{"npm_", ALNUM, 36, 40}}},
    {"pypi", A_DIGIT, {{"pypi-AgE", URL64, 50, NO_LIMIT}}},
    {"rubygems", NOTHING, {{"rubygems_", HEX, 48, 48}}},
    {"nuget", A_DIGIT, {{"oy2", LOWER, 43, 43}}},
    {"crates", DIGIT_AND_UPPER, {{"cio", ALNUM, 32, 32}}},
    {"clojars", NOTHING, {{"CLOJARS_", HEX, 60, 60}}},
    {"docker", A_DIGIT, {{"dckr_pat_", URL64, 24, 40}}},
    {"docker", A_DIGIT, {{"dckr_oat_", URL64, 24, 40}}},
    {"prefect", NOTHING, {{"pnu_", ALNUM, 36, 36}}},
    {"prefect", NOTHING, {{"pnb_", ALNUM, 36, 36}}},
    {"readme", NOTHING, {{"rdme_", LOWER, 70, 70}}},
    {"harness", A_DIGIT, {{"pat.", URL64, 22, 22}, {".", HEX, 24, 24}, {".", ALNUM, 20, 20}}},
    /* models and search */
    {"openai", A_DIGIT, {{"sk-", URL64, 20, NO_LIMIT}}},
    {"groq", A_DIGIT, {{"gsk_", ALNUM, 40, 60}}},
    {"xai", A_DIGIT, {{"xai-", ALNUM, 60, 100}}},
    {"perplexity", A_DIGIT, {{"pplx-", ALNUM, 40, 60}}},
    {"huggingface", NOTHING, {{"hf_", ALNUM, 30, 40}}},
    {"huggingface", NOTHING, {{"api_org_", ALNUM, 30, 40}}},
    {"replicate", A_DIGIT, {{"r8_", ALNUM, 36, 40}}},
    {"nvidia", A_DIGIT, {{"nvapi-", URL64, 50, 80}}},
    {"langsmith", A_DIGIT, {{"lsv2_pt_", HEX, 32, 32}, {"_", HEX, 10, 10}}},
    {"langsmith", A_DIGIT, {{"lsv2_sk_", HEX, 32, 32}, {"_", HEX, 10, 10}}},
    {"pinecone", A_DIGIT, {{"pcsk_", WORD, 50, 90}}},
    {"elevenlabs", NOTHING, {{"sk_", HEX, 48, 48}}},
    {"tavily", A_DIGIT, {{"tvly-", DASHED, 20, 80}}},
    {"firecrawl", NOTHING, {{"fc-", HEX, 32, 32}}},
    {"jina", A_DIGIT, {{"jina_", URL64, 50, 80}}},
    {"voyage", DIGIT_AND_UPPER, {{"pa-", URL64, 40, 60}}},
    {"together", A_DIGIT, {{"tgp_v1_", URL64, 30, 60}}},
    {"fireworks", DIGIT_AND_UPPER, {{"fw_", ALNUM, 22, 40}}},
    {"apify", A_DIGIT, {{"apify_api_", ALNUM, 30, 50}}},
    /* messaging */
    {"slack", A_DIGIT, {{"xoxb-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxp-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxa-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxr-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxs-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxo-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxc-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxd-", ANY64 | BWT_BODY_PERCENT, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxe-", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xoxe.xox", DASHED, 20, NO_LIMIT}}},
    {"slack", A_DIGIT, {{"xapp-", DASHED, 20, NO_LIMIT}}},
    {"twilio_api_key", NOTHING, {{"SK", HEX, 32, 32}}},
    {"sendgrid", NOTHING, {{"SG.", URL64, 20, 24}, {".", URL64, 39, 50}}},
    {"mailgun", NOTHING, {{"key-", HEX, 32, 32}}},
    {"brevo", NOTHING, {{"xkeysib-", HEX, 64, 64}, {"-", ALNUM, 16, 16}}},
    {"brevo", NOTHING, {{"xsmtpsib-", HEX, 64, 64}, {"-", ALNUM, 16, 16}}},
    {"mailersend", A_DIGIT, {{"mlsn.", HEX, 64, 64}}},
    {"resend", DIGIT_AND_UPPER, {{"re_", ALNUM, 8, 8}, {"_", ALNUM, 22, 26}}},
    {"nylas", A_DIGIT, {{"nyk_v0_", ALNUM, 50, 80}}},
    /* payment and commerce */
    {"stripe", NOTHING, {{"sk_live_", ALNUM, 10, 255}}},
    {"stripe", NOTHING, {{"sk_test_", ALNUM, 10, 255}}},
    {"stripe", NOTHING, {{"sk_prod_", ALNUM, 10, 255}}},
    {"stripe", NOTHING, {{"rk_live_", ALNUM, 10, 255}}},
    {"stripe", NOTHING, {{"rk_test_", ALNUM, 10, 255}}},
    {"stripe", NOTHING, {{"rk_prod_", ALNUM, 10, 255}}},
    {"stripe_webhook", A_DIGIT, {{"whsec_", BASE64, 24, 80}}},
    {"square", A_DIGIT, {{"sq0atp-", URL64, 22, 60}}},
    {"square", A_DIGIT, {{"sq0csp-", URL64, 22, 60}}},
    {"square", DIGIT_AND_UPPER, {{"EAAA", URL64, 60, 64}}},
    {"facebook", DIGIT_AND_UPPER, {{"EAA", ALNUM, 80, NO_LIMIT}}},
    {"shopify", NOTHING, {{"shpat_", HEX, 32, 32}}},
    {"shopify", NOTHING, {{"shpss_", HEX, 32, 32}}},
    {"shopify", NOTHING, {{"shppa_", HEX, 32, 32}}},
    {"shopify", NOTHING, {{"shpca_", HEX, 32, 32}}},
    {"plaid", NOTHING, {{"access-production-", UUID, 36, 36}}},
    {"plaid", NOTHING, {{"access-sandbox-", UUID, 36, 36}}},
    {"plaid", NOTHING, {{"access-development-", UUID, 36, 36}}},
    {"braintree", NOTHING, {{"access_token$", LOWER, 6, 12}, {"$", LOWER, 16, 16}, {"$", HEX, 32, 32}}},
    {"easypost", A_DIGIT, {{"EZTK", ALNUM, 54, 54}}},
    {"easypost", A_DIGIT, {{"EZAK", ALNUM, 54, 54}}},
    {"shippo", NOTHING, {{"shippo_live_", HEX, 40, 40}}},
    {"shippo", NOTHING, {{"shippo_test_", HEX, 40, 40}}},
    {"duffel", NOTHING, {{"duffel_live_", URL64, 43, 43}}},
    {"duffel", NOTHING, {{"duffel_test_", URL64, 43, 43}}},
    {"flutterwave", A_DIGIT, {{"FLWSECK_TEST-", ALNUM, 12, 64}}},
    {"flutterwave", A_DIGIT, {{"FLWSECK-", DASHED, 20, 64}}},
    {"paddle", A_DIGIT, {{"pdl_live_apikey_", WORD, 30, 80}}},
    /* monitoring */
    {"grafana", NOTHING, {{"glsa_", ALNUM, 32, 32}, {"_", HEX, 8, 8}}},
    {"grafana_cloud", A_DIGIT, {{"glc_", BASE64, 32, NO_LIMIT}}},
    {"grafana_legacy", A_DIGIT, {{"eyJrIjoi", BASE64, 40, NO_LIMIT}}},
    {"newrelic", NOTHING, {{"NRAK-", UPPER, 27, 27}}},
    {"newrelic", NOTHING, {{"NRII-", URL64, 32, 32}}},
    {"newrelic", NOTHING, {{"NRRA-", HEX, 42, 42}}},
    {"datadog", A_DIGIT, {{"ddapp_", ALNUM, 30, 40}}},
    {"datadog", A_DIGIT, {{"ddpat_", WORD, 30, 80}}},
    {"sentry", NOTHING, {{"sntryu_", HEX, 64, 64}}},
    {"sentry", A_DIGIT, {{"sntrys_", ANY64, 60, NO_LIMIT}}},
    {"dynatrace", NOTHING, {{"dt0c01.", UPPER, 24, 24}, {".", UPPER, 64, 64}}},
    {"dynatrace", NOTHING, {{"dt0s01.", UPPER, 8, 24}, {".", UPPER, 64, 64}}},
    {"launchdarkly", NOTHING, {{"sdk-", UUID, 36, 36}}},
    {"launchdarkly", NOTHING, {{"api-", UUID, 36, 36}}},
    {"honeycomb", A_DIGIT, {{"hcaik_", ALNUM, 50, 70}}},
    {"posthog", A_DIGIT, {{"phx_", ALNUM, 40, 60}}},
    /* work and content */
    {"linear", NOTHING, {{"lin_api_", ALNUM, 40, 40}}},
    {"linear", NOTHING, {{"lin_oauth_", ALNUM, 40, 64}}},
    {"notion", A_DIGIT, {{"ntn_", ALNUM, 40, 50}}},
    {"notion_legacy", A_DIGIT, {{"secret_", ALNUM, 43, 43}}},
    {"airtable", NOTHING, {{"pat", ALNUM, 14, 14}, {".", HEX, 64, 64}}},
    {"figma", A_DIGIT, {{"figd_", URL64, 38, 46}}},
    {"postman", NOTHING, {{"PMAK-", HEX, 24, 24}, {"-", HEX, 34, 34}}},
    {"contentful", NOTHING, {{"CFPAT-", URL64, 43, 43}}},
    {"dropbox", A_DIGIT, {{"sl.", DOTTED, 100, NO_LIMIT}}},
    {"twitter_bearer", A_DIGIT, {{"AAAAAAAAAAAAAAAAAAAA", ALNUM | BWT_BODY_PERCENT, 60, NO_LIMIT}}},
    {"mapbox_secret", NOTHING, {{"sk.eyJ", DOTTED, 60, NO_LIMIT}}},
    {"hubspot", NOTHING, {{"pat-na1-", UUID, 36, 36}}},
    {"hubspot", NOTHING, {{"pat-na2-", UUID, 36, 36}}},
    {"hubspot", NOTHING, {{"pat-eu1-", UUID, 36, 36}}},
    {"hubspot", NOTHING, {{"pat-ap1-", UUID, 36, 36}}},
    {"typeform", A_DIGIT, {{"tfp_", DOTTED, 40, 70}}},
    {"adobe", NOTHING, {{"p8e-", ALNUM, 32, 32}}},
    {"frameio", NOTHING, {{"fio-u-", URL64, 64, 64}}},
    {"wakatime", NOTHING, {{"waka_", UUID, 36, 36}}},
    {"settlemint", A_DIGIT, {{"sm_aat_", ALNUM, 16, 16}}},
    {"intra42", NOTHING, {{"s-s4t2ud-", HEX, 64, 64}}},
    /* password hashes */
    {"bcrypt", NOTHING, {{"2a$", BWT_BODY_DIGIT, 2, 2}, {"$", CRYPT, 53, 53}}},
    {"bcrypt", NOTHING, {{"2b$", BWT_BODY_DIGIT, 2, 2}, {"$", CRYPT, 53, 53}}},
    {"bcrypt", NOTHING, {{"2y$", BWT_BODY_DIGIT, 2, 2}, {"$", CRYPT, 53, 53}}},
    {"md5crypt", NOTHING, {{"1$", CRYPT, 1, 8}, {"$", CRYPT, 22, 22}}},
    {"sha256crypt", NOTHING, {{"5$", CRYPT, 1, 16}, {"$", CRYPT, 43, 43}}},
    {"sha512crypt", NOTHING, {{"6$", CRYPT, 1, 16}, {"$", CRYPT, 86, 86}}},
    {"yescrypt", NOTHING, {{"y$", CRYPT, 1, 16}, {"$", CRYPT, 1, 32}, {"$", CRYPT, 43, 43}}},
    /* tokens of standards */
    {"jwt", NOTHING, {{"eyJ", URL64, 12, NO_LIMIT}, {".", URL64, 2, NO_LIMIT}, {".", DOTTED, 0, NO_LIMIT}}},
    {"jwe_direct", NOTHING, {{"eyJ", URL64, 12, NO_LIMIT}, {"..", DOTTED, 20, NO_LIMIT}}},
    {"github_token_base64", NOTHING, {{"Z2hwX", BASE64, 40, NO_LIMIT}}},
    {"openai_percent", A_DIGIT, {{"sk%2D", ANY64 | BWT_BODY_PERCENT, 20, NO_LIMIT}}},
};

/* Kinds whose first bytes are random: the mark stands inside. */
static const kind unmarked[] = {
    {"telegram_bot", NOTHING, {{"", BWT_BODY_DIGIT, 8, 10}, {":", URL64, 34, 36}}},
    {"telegram_bot", NOTHING, {{"bot", BWT_BODY_DIGIT, 8, 10}, {":", URL64, 34, 36}}},
    {"discord_bot", DIGIT_AND_UPPER, {{"", URL64, 23, 28}, {".", URL64, 6, 7}, {".", URL64, 27, 40}}},
    {"azure_ad_secret", NOTHING, {{"", ALNUM, 3, 3}, {"7Q~", DOTTED | BWT_BODY_TILDE, 31, 34}}},
    {"azure_ad_secret", NOTHING, {{"", ALNUM, 3, 3}, {"8Q~", DOTTED | BWT_BODY_TILDE, 31, 34}}},
    {"terraform_cloud", NOTHING, {{"", ALNUM, 14, 14}, {".atlasv1.", URL64, 60, 70}}},
    {"maxmind", NOTHING, {{"", ALNUM, 6, 6}, {"_", ALNUM, 29, 29}, {"_mmk", 0, 0, 0}}},
    {"asana", NOTHING, {{"", BWT_BODY_DIGIT, 1, 1}, {"/", BWT_BODY_DIGIT, 16, 16}, {":", HEX, 32, 32}}},
};

enum { MARKED = sizeof marked / sizeof marked[0], UNMARKED = sizeof unmarked / sizeof unmarked[0] };

unsigned bwt_redact_body_sets(unsigned char byte)
{
    char c = (char)byte;
    if (bwt_ascii_is_digit(c)) return BWT_BODY_DIGIT;
    unsigned hex = bwt_ascii_hex_value(c) >= 0 ? BWT_BODY_HEX : 0;
    if (bwt_ascii_is_lower(c)) return BWT_BODY_LOWER | hex;
    if (bwt_ascii_is_upper(c)) return BWT_BODY_UPPER | hex;
    switch (c) {
    case '_':
        return BWT_BODY_UNDERSCORE;
    case '-':
        return BWT_BODY_DASH;
    case '.':
        return BWT_BODY_DOT;
    case '+':
    case '/':
    case '=':
        return BWT_BODY_PADDED64;
    case '%':
        return BWT_BODY_PERCENT;
    case '~':
        return BWT_BODY_TILDE;
    case '$':
        return BWT_BODY_DOLLAR;
    default:
        return 0;
    }
}

/* Bytes of the body's sets from `from` on, at most `limit`. */
static size_t run_length(bwt_str text, size_t from, unsigned body, size_t limit)
{
    size_t length = 0;
    while (length < limit && from + length < text.len &&
           (bwt_redact_body_sets((unsigned char)text.data[from + length]) & body) != 0) {
        length++;
    }
    return length;
}

static bool holds(bwt_str text, demand wanted)
{
    bool digit = false, upper = false;
    for (size_t i = 0; i < text.len && !(digit && upper); i++) {
        digit = digit || bwt_ascii_is_digit(text.data[i]);
        upper = upper || bwt_ascii_is_upper(text.data[i]);
    }
    return wanted == NOTHING || (digit && (wanted == A_DIGIT || upper));
}

/* An endless body is refused on this much of it, so that many beginnings before one long run cost no more. */
enum { PROBE_BYTES = 128 };

static bool body_fits(bwt_str text, size_t from, const part *p, demand wanted, size_t *length)
{
    if (p->most != NO_LIMIT) {
        /* A fixed length is taken as it is: the next part's mark may be of the same letters. */
        *length = run_length(text, from, p->body, p->most + (size_t)(p->least != p->most));
        return *length >= p->least && *length <= p->most;
    }
    *length = run_length(text, from, p->body, PROBE_BYTES);
    if (*length == PROBE_BYTES) {
        if (!holds((bwt_str){text.data + from, *length}, wanted)) return false;
        *length += run_length(text, from + *length, p->body, text.len);
    }
    return *length >= p->least;
}

static bool matches(bwt_str text, size_t at, const kind *k, size_t *end)
{
    size_t to = at, body_from = at;
    unsigned last_body = 0;
    for (size_t i = 0; i < PARTS && k->parts[i].mark != NULL; i++) {
        const part *p = &k->parts[i];
        size_t mark_len = strlen(p->mark), length;
        if (text.len - to < mark_len || memcmp(text.data + to, p->mark, mark_len) != 0) return false;
        to += mark_len;
        if (i == 0) body_from = to;
        if (!body_fits(text, to, p, k->demand, &length)) return false;
        to += length;
        last_body = p->body;
    }
    if (to < text.len && bwt_redact_is_atom((unsigned char)text.data[to])) return false;
    if (!holds((bwt_str){text.data + body_from, to - body_from}, k->demand)) return false;
    /* The full stop of a sentence is not part of it. */
    if ((last_body & BWT_BODY_DOT) != 0) {
        while (to > body_from && text.data[to - 1] == '.') to--;
    }
    *end = to;
    return true;
}

const char *bwt_redact_kind_at(bwt_str text, size_t at, size_t *end)
{
    char first = text.data[at];
    for (size_t i = 0; i < MARKED; i++) {
        if (marked[i].parts[0].mark[0] == first && matches(text, at, &marked[i], end)) return marked[i].name;
    }
    for (size_t i = 0; i < UNMARKED; i++) {
        if (matches(text, at, &unmarked[i], end)) return unmarked[i].name;
    }
    return NULL;
}

size_t bwt_redact_kind_count(void)
{
    return MARKED + UNMARKED;
}

const char *bwt_redact_kind_name(size_t index)
{
    return index < MARKED ? marked[index].name : unmarked[index - MARKED].name;
}
