// SPDX-License-Identifier: Apache-2.0
// Events whose functions jump over zero because another event resets the state: nothing passed
// through zero there, so they do not happen. What is passed before and after does.

#include "moving.h"

static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                    RH_METHOD_IDA};

typedef struct wanted {
    double time;
    const char *name;
} wanted;

static void check(const char *text, double until, const wanted *list, size_t count)
{
    for (size_t k = 0; k < 2 * (sizeof METHODS / sizeof METHODS[0]); k++) {
        const moving_conditions with = {
            .method = METHODS[k / 2], .is_plain = k % 2 == 1, .tolerance = k / 2 < 2 ? 0.0 : 1e-9};
        const double near = k / 2 < 1 ? 1e-12 : k / 2 < 2 ? 1e-10 : 1e-6;
        moving it = moving_begin(text, &with);
        moving_reach(&it, until);
        const size_t found = rh_motion_occurrence_count(it.motion);
        for (size_t j = 0; j < found; j++) {
            const rh_occurrence occurrence = rh_motion_occurrence(it.motion, j);
            if (j >= count || strcmp(occurrence.name, list[j].name) != 0 ||
                !(fabs(occurrence.time - list[j].time) <= near)) {
                fail_msg("%s: %s at %.17g, number %zu, in:\n%s", rh_motion_method(it.motion),
                         occurrence.name, occurrence.time, j, text);
            }
        }
        moving_end(&it);
        assert_int_equal(found, count);
    }
}

// x goes up at the rate 1 and is thrown back from 1 to -1: zero is passed once a round.
static void a_saw(void **state)
{
    (void)state;
    static const wanted LIST[] = {
        {0.5, "zero"}, {1.5, "top"}, {2.5, "zero"}, {3.5, "top"}, {4.5, "zero"}};
    check("state x\nlaw x' = 1\nstart x = -0.5\n"
          "event zero: x = 0\nevent top: x = 1 up reset x = -1\n",
          5.0, LIST, 5);
}

// In both directions, and for an event that wants the direction of the jump.
static void the_direction_of_a_jump_does_not_matter(void **state)
{
    (void)state;
    static const wanted LIST[] = {{1.0, "top"}, {2.0, "up"}, {3.0, "top"}, {4.0, "up"}};
    check("state x\nlaw x' = 1\nstart x = 0\n"
          "event down: x = 0 down\nevent up: x = 0 up\nevent top: x = 1 reset x = -1\n",
          4.5, LIST, 4);
}

// A jump onto zero is a start on it: it was not passed.
static void a_jump_onto_zero(void **state)
{
    (void)state;
    static const wanted LIST[] = {{1.0, "top"}, {2.0, "top"}, {3.0, "top"}};
    check("state x\nlaw x' = 1\nstart x = 0\n"
          "event zero: x = 0\nevent top: x = 1 up reset x = 0\n",
          3.5, LIST, 3);
}

// A reset by another reset: the second event does not happen by the jump, but when its function
// comes back.
static void resets_do_not_set_each_other_off(void **state)
{
    (void)state;
    // x falls from 2 to 1, is thrown to -1, rises (it is pushed up below 0) ...
    static const wanted LIST[] = {{1.0, "low"}, {2.0, "through"}};
    check("state x, d\nlaw x' = d\nlaw d' = 0\nstart x = 2, d = -1\n"
          "event low: x = 1 down reset x = -1, d = 1\n"
          "event through: x = 0 reset d = 1/2\n",
          3.0, LIST, 2);
}

// Velocities that jump: the function of an event may hold them.
static void velocities_that_jump(void **state)
{
    (void)state;
    // x = 1 - t^2/2 until x = 1/2 at t = 1; then it goes up at the speed 1/2
    static const wanted LIST[] = {{1.0, "bounce"}, {1.5, "rest"}};
    check("coord x\nkinetic x'^2/2\npotential x\nstart x = 1, x' = 0\n"
          "event bounce: x = 1/2 down reset x' = -x'/2\nevent rest: x' = 0\n",
          1.9, LIST, 2);
}

// A stop that is jumped over does not stop.
static void a_stop_that_is_jumped_over(void **state)
{
    (void)state;
    static const wanted LIST[] = {{1.0, "jump"}};
    check("state x\nlaw x' = 1\nstart x = 0\n"
          "event wall: x = 2 stop\nevent jump: x = 1 up reset x = 3\n",
          3.0, LIST, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saw),
        cmocka_unit_test(the_direction_of_a_jump_does_not_matter),
        cmocka_unit_test(a_jump_onto_zero),
        cmocka_unit_test(resets_do_not_set_each_other_off),
        cmocka_unit_test(velocities_that_jump),
        cmocka_unit_test(a_stop_that_is_jumped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
