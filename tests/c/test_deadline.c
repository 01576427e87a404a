/* The heap of deadlines: earliest first, never early, taken out anywhere. */
#include "net/deadline.h"
#include "support/check.h"

static void empty_heap_has_nothing_due(void **state)
{
    (void)state;
    bwt_deadlines deadlines;
    bwt_deadlines_init(&deadlines);
    assert_true(bwt_deadlines_first_ns(&deadlines) == INT64_MAX);
    assert_null(bwt_deadlines_pop_due(&deadlines, INT64_MAX));
    bwt_deadline never_armed = {0};
    bwt_deadline_disarm(&deadlines, &never_armed);
    bwt_deadlines_deinit(&deadlines);
}

static void due_at_its_time_and_not_before(void **state)
{
    (void)state;
    bwt_deadlines deadlines;
    bwt_deadlines_init(&deadlines);
    bwt_deadline deadline = {0};
    assert_int_equal(bwt_deadline_arm(&deadlines, &deadline, 1000), BWT_OK);
    assert_null(bwt_deadlines_pop_due(&deadlines, 999));
    assert_ptr_equal(bwt_deadlines_pop_due(&deadlines, 1000), &deadline);
    assert_null(bwt_deadlines_pop_due(&deadlines, INT64_MAX));
    assert_int_equal(deadline.place, 0);
    bwt_deadlines_deinit(&deadlines);
}

static void arming_again_moves_it(void **state)
{
    (void)state;
    bwt_deadlines deadlines;
    bwt_deadlines_init(&deadlines);
    bwt_deadline first = {0}, second = {0};
    assert_int_equal(bwt_deadline_arm(&deadlines, &first, 10), BWT_OK);
    assert_int_equal(bwt_deadline_arm(&deadlines, &second, 20), BWT_OK);
    assert_int_equal(bwt_deadline_arm(&deadlines, &first, 30), BWT_OK);
    assert_int_equal(bwt_deadlines_first_ns(&deadlines), 20);
    assert_int_equal(bwt_deadline_arm(&deadlines, &first, 5), BWT_OK);
    assert_ptr_equal(bwt_deadlines_pop_due(&deadlines, 100), &first);
    assert_ptr_equal(bwt_deadlines_pop_due(&deadlines, 100), &second);
    bwt_deadlines_deinit(&deadlines);
}

/* Against a plain search through all of them. */
static void random_use_agrees_with_a_search(void **state)
{
    (void)state;
    enum { COUNT = 300, STEPS = 20000 };
    static bwt_deadline all[COUNT];
    bwt_deadlines deadlines;
    bwt_deadlines_init(&deadlines);
    dice dice = {.state = 20240229};
    for (int step = 0; step < STEPS; step++) {
        bwt_deadline *one = &all[dice_below(&dice, COUNT)];
        int64_t least = INT64_MAX;
        switch (dice_below(&dice, 3)) {
        case 0:
            assert_int_equal(bwt_deadline_arm(&deadlines, one, (int64_t)dice_below(&dice, 1000)), BWT_OK);
            break;
        case 1:
            bwt_deadline_disarm(&deadlines, one);
            break;
        default:
            one = bwt_deadlines_pop_due(&deadlines, (int64_t)dice_below(&dice, 100));
            if (one != NULL) assert_int_equal(one->place, 0);
        }
        for (int i = 0; i < COUNT; i++) {
            if (all[i].place != 0 && all[i].at_ns < least) least = all[i].at_ns;
        }
        assert_true(bwt_deadlines_first_ns(&deadlines) == least);
    }
    for (int i = 0; i < COUNT; i++) bwt_deadline_disarm(&deadlines, &all[i]);
    assert_int_equal(deadlines.count, 0);
    bwt_deadlines_deinit(&deadlines);
}

static bwt_error arm_many(void *context)
{
    bwt_deadline *all = context;
    bwt_deadlines deadlines;
    bwt_deadlines_init(&deadlines);
    bwt_error error = BWT_OK;
    for (int i = 0; i < 200 && error == BWT_OK; i++) error = bwt_deadline_arm(&deadlines, &all[i], 200 - i);
    for (int i = 0; i < 200; i++) bwt_deadline_disarm(&deadlines, &all[i]);
    bwt_deadlines_deinit(&deadlines);
    return error;
}

static void no_memory_is_an_error_and_nothing_else(void **state)
{
    (void)state;
    static bwt_deadline all[200];
    assert_int_equal(fail_each_allocation(arm_many, all), 3); /* room for 64, 128, 256 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(empty_heap_has_nothing_due),
        leak_checked(due_at_its_time_and_not_before),
        leak_checked(arming_again_moves_it),
        leak_checked(random_use_agrees_with_a_search),
        leak_checked(no_memory_is_an_error_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
