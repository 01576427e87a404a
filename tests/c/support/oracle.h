/* The two tables of the contract, written a second time and in another way, to hold the core to them. */
#ifndef TEST_SUPPORT_ORACLE_H
#define TEST_SUPPORT_ORACLE_H

#include "bwt.h"

bwt_outcome oracle_outcome(const bwt_attempt_status *trail, size_t length, bool refused);
bwt_next_action oracle_next_action(bwt_outcome outcome, const bwt_attempt_status *trail, size_t length,
                                   bwt_receipt_kind kind);

#endif
