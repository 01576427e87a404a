/* The queue in front of the network: limits in all and for each origin, order, turns. */
#include "net/admission.h"
#include "support/check.h"

static const bwt_str one = {"http://one:80", 13}, two = {"http://two:80", 13};

static void enter(bwt_admission *admission, bwt_str origin, bwt_place *place)
{
    assert_int_equal(bwt_admission_enter(admission, origin, place), BWT_OK);
}

static void first_come_first_served_within_an_origin(void **state)
{
    (void)state;
    bwt_admission admission;
    bwt_admission_init(&admission, 10, 1);
    bwt_place a, b, c;
    enter(&admission, one, &a);
    enter(&admission, one, &b);
    enter(&admission, one, &c);
    assert_ptr_equal(bwt_admission_next(&admission), &a);
    assert_null(bwt_admission_next(&admission)); /* the origin is full */
    bwt_admission_leave(&admission, &b);         /* gave up waiting */
    bwt_admission_leave(&admission, &a);
    assert_ptr_equal(bwt_admission_next(&admission), &c);
    bwt_admission_leave(&admission, &c);
    bwt_admission_leave(&admission, &c); /* twice is once */
    assert_null(bwt_admission_next(&admission));
    assert_int_equal(admission.held, 0);
    assert_int_equal(admission.origins.count, 0);
}

static void a_full_origin_does_not_hold_up_another(void **state)
{
    (void)state;
    bwt_admission admission;
    bwt_admission_init(&admission, 10, 1);
    bwt_place a, b, c;
    enter(&admission, one, &a);
    enter(&admission, one, &b);
    enter(&admission, two, &c);
    assert_ptr_equal(bwt_admission_next(&admission), &a);
    assert_ptr_equal(bwt_admission_next(&admission), &c);
    assert_null(bwt_admission_next(&admission));
    bwt_admission_leave(&admission, &c);
    assert_null(bwt_admission_next(&admission));
    bwt_admission_leave(&admission, &a);
    assert_ptr_equal(bwt_admission_next(&admission), &b);
    bwt_admission_leave(&admission, &b);
}

static void origins_take_turns_for_the_places_in_all(void **state)
{
    (void)state;
    bwt_admission admission;
    bwt_admission_init(&admission, 1, 10);
    bwt_place a[3], b;
    for (int i = 0; i < 3; i++) enter(&admission, one, &a[i]);
    enter(&admission, two, &b);
    bwt_place *const order[] = {&a[0], &b, &a[1], &a[2]};
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_ptr_equal(bwt_admission_next(&admission), order[i]);
        assert_null(bwt_admission_next(&admission));
        bwt_admission_leave(&admission, order[i]);
    }
    assert_null(bwt_admission_next(&admission));
}

static bwt_error enter_once(void *context)
{
    bwt_place place = {0};
    bwt_admission *admission = context;
    bwt_error error = bwt_admission_enter(admission, one, &place);
    bwt_admission_leave(admission, &place);
    return error;
}

static void no_memory_is_an_error_and_nothing_else(void **state)
{
    (void)state;
    bwt_admission admission;
    bwt_admission_init(&admission, 1, 1);
    assert_int_equal(fail_each_allocation(enter_once, &admission), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(first_come_first_served_within_an_origin),
        leak_checked(a_full_origin_does_not_hold_up_another),
        leak_checked(origins_take_turns_for_the_places_in_all),
        leak_checked(no_memory_is_an_error_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
