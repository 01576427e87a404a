/* Pages and redirects that mean "prove that you are human": a refusal, whatever the status says. */
#ifndef BWT_NET_REFUSAL_H
#define BWT_NET_REFUSAL_H

#include "bwt.h"

/* Only for a body that is not the provider's own shape: an answer may quote such a page, or the query may. */
bool bwt_is_refusal_page(bwt_str body);
bool bwt_is_refusal_location(bwt_str location);

#endif
