/* What must be true of a receipt before it may be sealed. */
#ifndef BWT_CORE_RECEIPT_CHECK_H
#define BWT_CORE_RECEIPT_CHECK_H

#include "bwt.h"

/* Whether a record of this status stands for an attempt that was dialled. Skips and refusals never do; a cancelled one
 * may or may not have been, so CANCELLED gives false here and is decided where it is known. */
bool bwt_attempt_status_is_dialled(bwt_attempt_status status);

/* BWT_ERR_INVALID and a complaint (may be NULL) naming the first field that contradicts the others. Reads the texts of
 * fields, which must be valid UTF-8. */
bwt_error bwt_receipt_check(const bwt_receipt_fields *fields, bwt_complaint *complaint);

#endif
