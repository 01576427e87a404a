/* Comparison, leak gate, failing allocations, dice. */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

void check_str(bwt_str actual, const char *expected, const char *file, int line)
{
    size_t len = strlen(expected);
    if (actual.data != NULL && actual.len == len && memcmp(actual.data, expected, len) == 0) return;
    print_error("expected: %s\nactual:   %.*s\n", expected, (int)actual.len,
                actual.data != NULL ? actual.data : "(absent)");
    _fail(file, line);
}

void check_text(bwt_text actual, const char *expected, const char *file, int line)
{
    check_str((bwt_str){actual.data, actual.len}, expected, file, line);
    bwt_text_free(&actual);
}

static size_t native_bytes_before;

int remember_native_bytes(void **state)
{
    (void)state;
    native_bytes_before = bwt_native_bytes();
    return 0;
}

int expect_native_bytes(void **state)
{
    (void)state;
    bwt_mem_fail_from(0);
    if (bwt_native_bytes() == native_bytes_before) return 0;
    print_error("native bytes: %zu before, %zu after\n", native_bytes_before, bwt_native_bytes());
    return -1;
}

size_t fail_each_allocation(fallible_step *step, void *context)
{
    size_t before = bwt_native_bytes();
    for (size_t failures = 0; failures < 100000; failures++) {
        bwt_mem_fail_from(failures + 1);
        bwt_error error = step(context);
        bwt_mem_fail_from(0);
        assert_int_equal(bwt_native_bytes(), before);
        if (error == BWT_OK) return failures;
        assert_int_equal(error, BWT_ERR_NO_MEMORY);
    }
    fail_msg("the step never succeeds");
    return 0;
}

uint64_t dice_below(dice *from, uint64_t limit)
{
    uint64_t z = from->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % limit;
}
