/* The sealed receipt from inside the core. */
#ifndef BWT_CORE_RECEIPT_H
#define BWT_CORE_RECEIPT_H

#include "bwt.h"

/* fields.results and every text point into memory that the receipt owns. Never changed after sealing. */
struct bwt_receipt {
    bwt_receipt_fields fields;
    bwt_text text; /* all texts, one behind the other */
    bwt_hit results[];
};

#endif
