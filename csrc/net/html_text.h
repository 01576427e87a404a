/* The visible text of an HTML fragment, as titles and snippets come: a few words with tags and entities in them. */
#ifndef BWT_NET_HTML_TEXT_H
#define BWT_NET_HTML_TEXT_H

#include "core/buf.h"

/* Appends text with white space (no-break space included) folded to single spaces and none at the ends. */
bool bwt_space_text_append(bwt_buf *out, bwt_str text);

/* The same for HTML: comments and tags are dropped, a block's tag parts words, references become characters.
 * *lookups_left bounds the searches in the library's table of names; when it is used up a name stays as written. */
bool bwt_html_text_append(bwt_buf *out, bwt_str html, size_t *lookups_left);

#endif
