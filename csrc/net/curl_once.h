/* libcurl, initialised once a process, and the least that is asked of the one found at run time. */
#ifndef BWT_NET_CURL_ONCE_H
#define BWT_NET_CURL_ONCE_H

#include "bwt.h"

/* BWT_OK: libcurl may be used. Otherwise the complaint (field "libcurl") says what to install. Any thread. */
bwt_error bwt_curl_ready(bwt_complaint *complaint);
/* LIBCURL_VERSION_NUM of the library found at run time: 0x075801 is 7.88.1. */
unsigned bwt_curl_version(void);
bool bwt_curl_has_http2(void);

#endif
