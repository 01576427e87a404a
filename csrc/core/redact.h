/* Redaction into a buffer: what bwt_redact_text and bwt_redact_url do, without the copy. */
#ifndef BWT_CORE_REDACT_H
#define BWT_CORE_REDACT_H

#include "core/buf.h"

/* Append the redacted form of the input; false when the buffer failed. */
bool bwt_redact_text_append(bwt_buf *out, bwt_str text);
bool bwt_redact_url_append(bwt_buf *out, bwt_str url);
/* Whether the text holds a credential that its own prefix betrays (sk-, AKIA, ghp_, xox, eyJ. ...). */
bool bwt_redact_has_prefix_secret(bwt_str text);

#endif
