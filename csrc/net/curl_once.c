/* curl_global_init is not undone: other parts of the process may use libcurl, and resolver threads may outlive us. */
#include "net/curl_once.h"

#include <curl/curl.h>
#include <pthread.h>

#include "core/text.h"

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or newer is needed (Debian/Ubuntu: libcurl4-openssl-dev, Fedora: libcurl-devel, macOS: curl)"
#endif

enum { OLDEST_VERSION = 0x075700, BROKEN_VERSION = 0x080b01 /* 8.11.1 closes event descriptors twice */ };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode global_init_code;

static void init_global(void)
{
    global_init_code = curl_global_init(CURL_GLOBAL_DEFAULT);
}

unsigned bwt_curl_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

bool bwt_curl_has_http2(void)
{
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

bwt_error bwt_curl_ready(bwt_complaint *complaint)
{
    pthread_once(&once, init_global);
    if (global_init_code == CURLE_OUT_OF_MEMORY) return BWT_ERR_NO_MEMORY;
    if (global_init_code != CURLE_OK) return BWT_ERR_SYSTEM;
    const curl_version_info_data *found = curl_version_info(CURLVERSION_NOW);
    if (found->version_num < OLDEST_VERSION) {
        bwt_complain(complaint, "libcurl", "7.87 or newer (Debian, Ubuntu: libcurl4; Fedora: libcurl; macOS: brew install curl)");
    } else if (found->version_num == BROKEN_VERSION) {
        bwt_complain(complaint, "libcurl", "not 8.11.1, which closes descriptors of others; install 8.12 or newer");
    } else if ((found->features & CURL_VERSION_SSL) == 0 || (found->features & CURL_VERSION_LIBZ) == 0) {
        bwt_complain(complaint, "libcurl", "built with TLS and zlib (Debian, Ubuntu: libcurl4; Fedora: libcurl)");
    } else {
        return BWT_OK;
    }
    return BWT_ERR_UNSUPPORTED;
}
