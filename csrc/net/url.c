/* URLs over libcurl's own parser. */
#include "net/url.h"

#include <curl/curl.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"

enum { HTTP_PORT = 80, HTTPS_PORT = 443, MAX_PORT = 65535 };

static bwt_error error_of(CURLUcode code)
{
    if (code == CURLUE_OK) return BWT_OK;
    return code == CURLUE_OUT_OF_MEMORY ? BWT_ERR_NO_MEMORY : BWT_ERR_INVALID;
}

/* A part that the URL lacks stays absent. */
static bwt_error take_part(CURLU *handle, CURLUPart part, bwt_text *out)
{
    char *text = NULL;
    CURLUcode code = curl_url_get(handle, part, &text, 0);
    if (code != CURLUE_OK) return code == CURLUE_OUT_OF_MEMORY ? BWT_ERR_NO_MEMORY : BWT_OK;
    bwt_error error = bwt_text_copy(bwt_str_c(text), out);
    curl_free(text);
    return error;
}

static bwt_error take_user_info(CURLU *handle, bwt_text *out)
{
    bwt_text user = {0}, password = {0};
    bwt_error error = take_part(handle, CURLUPART_USER, &user);
    if (error == BWT_OK) error = take_part(handle, CURLUPART_PASSWORD, &password);
    if (error == BWT_OK && (user.data != NULL || password.data != NULL)) {
        bwt_buf joined;
        bwt_buf_init(&joined, BWT_BUF_NO_CAP);
        bwt_buf_append(&joined, user.data, user.len);
        if (password.data != NULL) {
            bwt_buf_append_char(&joined, ':');
            bwt_buf_append(&joined, password.data, password.len);
        }
        error = bwt_buf_take(&joined, out);
        bwt_buf_deinit(&joined);
    }
    bwt_text_free(&user);
    bwt_text_free(&password);
    return error;
}

static bwt_error take_port(CURLU *handle, int *out)
{
    char *text = NULL;
    bwt_error error = error_of(curl_url_get(handle, CURLUPART_PORT, &text, CURLU_DEFAULT_PORT));
    if (error != BWT_OK) return error;
    int port = 0;
    for (const char *digit = text; bwt_ascii_is_digit(*digit) && port <= MAX_PORT; digit++) {
        port = port * 10 + (*digit - '0');
    }
    curl_free(text);
    if (port < 1 || port > MAX_PORT) return BWT_ERR_INVALID;
    *out = port;
    return BWT_OK;
}

static bwt_error take_parts(CURLU *handle, bwt_url *url)
{
    bwt_text fragment = {0};
    bwt_error error = take_part(handle, CURLUPART_SCHEME, &url->scheme);
    if (error == BWT_OK) error = take_user_info(handle, &url->user_info);
    if (error == BWT_OK) error = take_part(handle, CURLUPART_HOST, &url->host);
    if (error == BWT_OK) error = take_port(handle, &url->port);
    if (error == BWT_OK) error = take_part(handle, CURLUPART_PATH, &url->path);
    if (error == BWT_OK) error = take_part(handle, CURLUPART_QUERY, &url->query);
    if (error == BWT_OK) error = take_part(handle, CURLUPART_FRAGMENT, &fragment);
    if (error != BWT_OK) return error;
    url->has_fragment = fragment.data != NULL;
    bwt_text_free(&fragment);

    bwt_str scheme = {url->scheme.data, url->scheme.len};
    if (!bwt_str_equal(scheme, BWT_STR("http")) && !bwt_str_equal(scheme, BWT_STR("https"))) return BWT_ERR_INVALID;
    if (url->host.len == 0 || url->path.len == 0) return BWT_ERR_INVALID;
    for (size_t i = 0; i < url->host.len; i++) url->host.data[i] = bwt_ascii_lower(url->host.data[i]);
    return BWT_OK;
}

bwt_error bwt_url_parse(bwt_str text, bwt_url *out)
{
    if (text.data == NULL || memchr(text.data, '\0', text.len) != NULL) return BWT_ERR_INVALID;
    bwt_buf terminated;
    bwt_buf_init(&terminated, BWT_BUF_NO_CAP);
    CURLU *handle = curl_url();
    bwt_url url = {0};
    bwt_error error = BWT_ERR_NO_MEMORY;
    if (handle != NULL && bwt_buf_append_str(&terminated, text)) {
        error = error_of(curl_url_set(handle, CURLUPART_URL, terminated.data, 0));
        if (error == BWT_OK) error = take_parts(handle, &url);
    }
    curl_url_cleanup(handle);
    bwt_buf_deinit(&terminated);
    if (error != BWT_OK) {
        bwt_url_deinit(&url);
        return error;
    }
    *out = url;
    return BWT_OK;
}

void bwt_url_deinit(bwt_url *url)
{
    bwt_text_free(&url->scheme);
    bwt_text_free(&url->user_info);
    bwt_text_free(&url->host);
    bwt_text_free(&url->path);
    bwt_text_free(&url->query);
}

bwt_str bwt_url_host_name(const bwt_url *url)
{
    bwt_str host = {url->host.data, url->host.len};
    if (host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']') {
        host.data++;
        host.len -= 2;
    }
    return host;
}

bool bwt_url_append_origin(bwt_buf *out, const bwt_url *url)
{
    bwt_buf_append(out, url->scheme.data, url->scheme.len);
    bwt_buf_append_c(out, "://");
    bwt_buf_append(out, url->host.data, url->host.len);
    bwt_buf_append_char(out, ':');
    return bwt_buf_append_int(out, url->port);
}

bool bwt_url_append_base(bwt_buf *out, const bwt_url *url)
{
    bool secure = bwt_str_equal((bwt_str){url->scheme.data, url->scheme.len}, BWT_STR("https"));
    bwt_buf_append(out, url->scheme.data, url->scheme.len);
    bwt_buf_append_c(out, "://");
    if (url->user_info.data != NULL) {
        bwt_buf_append(out, url->user_info.data, url->user_info.len);
        bwt_buf_append_char(out, '@');
    }
    bwt_buf_append(out, url->host.data, url->host.len);
    if (url->port != (secure ? HTTPS_PORT : HTTP_PORT)) {
        bwt_buf_append_char(out, ':');
        bwt_buf_append_int(out, url->port);
    }
    size_t path_len = url->path.len;
    while (path_len > 0 && url->path.data[path_len - 1] == '/') path_len--;
    return bwt_buf_append(out, url->path.data, path_len);
}

static bool append_encoded(bwt_buf *out, bwt_str text, bool plus_for_space)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (bwt_ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            bwt_buf_append_char(out, c);
        } else if (c == ' ' && plus_for_space) {
            bwt_buf_append_char(out, '+');
        } else {
            unsigned char byte = (unsigned char)c;
            char triple[3] = {'%', hex[byte >> 4], hex[byte & 15]};
            bwt_buf_append(out, triple, sizeof triple);
        }
    }
    return !out->failed;
}

bool bwt_url_append_form(bwt_buf *out, bwt_str text)
{
    return append_encoded(out, text, true);
}

bool bwt_url_append_path(bwt_buf *out, bwt_str text)
{
    return append_encoded(out, text, false);
}
