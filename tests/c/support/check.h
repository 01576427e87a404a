/* What every C test needs: cmocka, exact comparison of texts, a leak gate, a loop over every allocation failure. */
#ifndef TEST_SUPPORT_CHECK_H
#define TEST_SUPPORT_CHECK_H

/* cmocka wants these before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bwt.h"
#include "core/mem.h"

#define NS_PER_MS INT64_C(1000000)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void check_str(bwt_str actual, const char *expected, const char *file, int line);
#define assert_str(actual, expected) check_str(actual, expected, __FILE__, __LINE__)
/* Compares and frees. */
void check_text(bwt_text actual, const char *expected, const char *file, int line);
#define assert_text(actual, expected) check_text(actual, expected, __FILE__, __LINE__)

/* As test setup and teardown: nothing may stay allocated. */
int remember_native_bytes(void **state);
int expect_native_bytes(void **state);
#define leak_checked(test) cmocka_unit_test_setup_teardown(test, remember_native_bytes, expect_native_bytes)

/* Runs step(context) with the first, the second ... allocation failing until it succeeds; each failure must be
 * BWT_ERR_NO_MEMORY and leave nothing allocated. Returns the number of failures. */
typedef bwt_error fallible_step(void *context);
size_t fail_each_allocation(fallible_step *step, void *context);

/* A small deterministic generator (splitmix64). */
typedef struct dice {
    uint64_t state;
} dice;
uint64_t dice_below(dice *from, uint64_t limit);

#endif
