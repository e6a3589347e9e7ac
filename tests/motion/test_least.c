// SPDX-License-Identifier: Apache-2.0
// Tests of src/motion/least.c: scales of the model and absolute errors of the def, by index of x.

#include "moving.h"

#include "motion/motion.h"

static const char *const SPRINGS =
    "param k = 4, small = 1e-6\ncoord x[1..3], y\nstate a\n"
    "kinetic (sum(i in 1..3: x[i]'^2) + y'^2)/2\n"
    "potential k*(sum(i in 1..3: x[i]^2) + y^2)/2\nlaw a' = -k*a + y^2\n"
    "start x = 1, y = 1, a = 1\n";

// The least size of what is called so; NAN when it is not in x.
static double least_of(const moving *it, const char *name)
{
    const rh_motion *motion = it->motion;
    const rh_store *store = motion->equations->store;
    double least = (double)NAN;
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 20);
    for (uint32_t k = 0; k < motion->n; k++) {
        const rh_expr symbol = motion->system->x.data[k];
        rh_text text = rh__text_begin(&scratch, NULL);
        rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        &text);
        least = rh__slice_is(rh__text_slice(&text), name) ? motion->least[k] : least;
    }
    rh__arena_end(&scratch);
    return least;
}

static moving begin(const char *rest, const rh_tolerance *tolerances, size_t count)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%s%s", SPRINGS, rest);
    const moving_conditions with = {.set = {"small=2e-6", "k=9"},
                                    .set_count = 2,
                                    .is_plain = true,
                                    .tolerance = 1e-8,
                                    .tolerances = tolerances,
                                    .tolerance_count = count};
    return moving_begin(text, &with);
}

static void scales_reach_the_motion(void **state)
{
    (void)state;
    moving it = begin("scale y = small, a = k, x[2]' = 3\nscale x = [1, 2, small]\n", NULL, 0);
    assert_near(least_of(&it, "y"), 2e-6, 1e-20);
    assert_near(least_of(&it, "a"), 9.0, 0.0);
    assert_near(least_of(&it, "x[1]'"), 0.0, 0.0);
    assert_near(least_of(&it, "x[2]'"), 3.0, 0.0);
    assert_near(least_of(&it, "x[1]"), 1.0, 0.0);
    assert_near(least_of(&it, "x[3]"), 2e-6, 1e-20);
    assert_near(least_of(&it, "y'"), 0.0, 0.0);
    moving_end(&it);
}

static void absolute_errors_are_over_the_tolerance(void **state)
{
    (void)state;
    static const rh_tolerance GIVEN[] = {{"y", 1e-12}, {"x", 1e-6},  {"x[2]", 1e-5},
                                         {"x'", 1e-9}, {"y'", 1e-9}, {"a", 1e-9}};
    moving it = begin("scale a = 1e-3, y = 1\n", GIVEN, sizeof GIVEN / sizeof *GIVEN);
    assert_near(least_of(&it, "y"), 1.0, 0.0); // the larger one counts
    assert_near(least_of(&it, "a"), 0.1, 1e-15);
    assert_near(least_of(&it, "x[1]"), 100.0, 1e-12);
    assert_near(least_of(&it, "x[2]"), 1000.0, 1e-11);
    assert_near(least_of(&it, "x[3]'"), 0.1, 1e-15);
    assert_near(least_of(&it, "y'"), 0.1, 1e-15);
    moving_end(&it);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    static const struct {
        rh_tolerance given;
        const char *says;
    } WRONG[] = {{{"x[4]", 1e-6}, "did you mean `x[1]`"},
                 {{"xx", 1e-6}, "did you mean `x`"},
                 {{"k", 1e-6}, "`k`"},
                 {{"a'", 1e-6}, "did you mean `a`"},
                 {{"y''", 1e-6}, "did you mean `y'`"},
                 {{"time", 1e-6}, "`time`"},
                 {{"y", 0.0}, "must be positive"},
                 {{"y", -1.0}, "must be positive"},
                 {{"y", (double)NAN}, "must be positive"}};
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        const moving_conditions with = {.tolerances = &WRONG[k].given, .tolerance_count = 1};
        moving it;
        assert_int_equal(moving_try(SPRINGS, &with, &it), RH_E_ARGUMENT);
        if (strstr(it.err.message, WRONG[k].says) == NULL) {
            fail_msg("%s does not say %s", it.err.message, WRONG[k].says);
        }
        moving_end(&it);
    }
}

// Values are read again with other parameters; a scale that is none needs the model anew.
static void beginning_anew_reads_scales_again(void **state)
{
    (void)state;
    static const rh_tolerance GIVEN[] = {{"x", 1e-9}};
    moving it = begin("scale y = small, a = 1/(k - 3)\n", GIVEN, 1);
    const double others[2] = {5e-6, 7.0};
    const double wrong[2] = {5e-6, 2.0};
    rh_error err = {.status = RH_OK};
    assert_int_equal(rh_motion_restart(it.motion, others, 2, NULL, 0, &err), RH_OK);
    assert_near(least_of(&it, "y"), 5e-6, 1e-20);
    assert_near(least_of(&it, "a"), 0.25, 1e-16);
    assert_near(least_of(&it, "x[3]"), 0.1, 1e-15);
    assert_int_equal(rh_motion_restart(it.motion, wrong, 2, NULL, 0, &err), RH_E_UNAVAILABLE);
    assert_int_equal(rh_motion_restart(it.motion, others, 2, NULL, 0, &err), RH_OK);
    assert_near(least_of(&it, "a"), 0.25, 1e-16);
    moving_end(&it);
}

// What the presolve eliminates has no entry; what remains of the velocities has.
static void the_reduced_form_has_entries_too(void **state)
{
    (void)state;
    static const rh_tolerance GIVEN[] = {{"x'", 1e-6}, {"y'", 1e-6}};
    static const char *const TEXT = "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: -x^3\n"
                                    "constraint line: y' = 2*x'\nscale x = 3, y = 4\n"
                                    "start x = 1, y = 2, x' = 0\n";
    const moving_conditions with = {.tolerance = 1e-8, .tolerances = GIVEN, .tolerance_count = 2};
    moving it = moving_begin(TEXT, &with);
    double sum = 0.0;
    for (uint32_t k = 0; k < it.motion->n; k++) {
        sum += it.motion->least[k];
    }
    assert_near(sum, 3.0 + 4.0 + 100.0, 1e-10);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_reach_the_motion),
        cmocka_unit_test(absolute_errors_are_over_the_tolerance),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(beginning_anew_reads_scales_again),
        cmocka_unit_test(the_reduced_form_has_entries_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
