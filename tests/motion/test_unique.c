// SPDX-License-Identifier: Apache-2.0
// What a motion knows of each constraint: whether its reaction is the only one possible, and how
// far it was missed on the way.

#include "moving.h"

// --- reactions -----------------------------------------------------------------------------------

typedef struct sharing {
    const char *text;
    const char *unique; // by constraint: '1' or '0'
} sharing;

static void assert_unique(rh_motion *motion, const char *unique, const char *text)
{
    for (size_t k = 0; unique[k] != '\0'; k++) {
        if (rh_motion_is_unique(motion, k) != (unique[k] == '1')) {
            fail_msg("constraint %zu: expected %c, in:\n%s", k, unique[k], text);
        }
    }
}

static void loads_that_are_shared(void **state)
{
    (void)state;
    static const sharing LIST[] = {
        // twice the same, and another one
        {"coord x, y, z\nkinetic (x'^2 + (1 + x^2)*y'^2 + z'^2)/2\nforce z: 1\n"
         "constraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\nconstraint c: z = x\n"
         "start x = 0.6, y = 0.8, y' = 0.3\n",
         "001"},
        // eliminated by the presolve
        {"coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\nforce x: 1\n"
         "constraint a: x = y\nconstraint b: 2*x = 2*y\nconstraint c: z = w + x\n",
         "001"},
        // each follows from the others
        {"coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\nforce x: sin(w)\n"
         "constraint a: x = y\nconstraint b: y = z\nconstraint c: x = z\n"
         "constraint d: w = x + y + z\n",
         "0001"},
        // the load on x has one way only, wherever it goes from there
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce z: 1\nforce x: 2\n"
         "constraint a: x + y = 0\nconstraint b: y = z\nconstraint c: 3*y = 3*z\n",
         "100"},
        // in velocities
        {"coord x, y, p\nkinetic (x'^2 + y'^2 + p'^2)/2\nforce x: 1\n"
         "constraint a: y'*cos(p) = x'*sin(p)\nconstraint b: y'*cos(p) - x'*sin(p) = 0\n"
         "constraint c: p' = 1\n"
         "start p = 0.3, x' = cos(0.3), y' = sin(0.3)\n",
         "001"},
        // nothing is shared
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 = 1\n"
         "start x = 1, y = 0, y' = 1\n",
         "1"},
    };
    for (size_t k = 0; k < 2 * (sizeof LIST / sizeof LIST[0]); k++) {
        const moving_conditions with = {.is_plain = k % 2 == 1};
        moving it = moving_begin(LIST[k / 2].text, &with);
        assert_unique(it.motion, LIST[k / 2].unique, LIST[k / 2].text);
        moving_reach(&it, 0.5);
        assert_unique(it.motion, LIST[k / 2].unique, LIST[k / 2].text);
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        const bool has_shared = strchr(LIST[k / 2].unique, '0') != NULL;
        moving_end(&it);
        assert_true(summary.unique_changes == 0 && isnan(summary.unique_since));
        assert_true((summary.singular_steps > 0) == has_shared);
    }
}

// The bars share their load while they lie flat, and no longer.
static void sharing_may_end(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853};
    for (size_t k = 0; k < 4; k++) {
        const moving_conditions with = {.is_plain = k % 2 == 1, .method = METHODS[k / 2]};
        moving it = moving_file("tests/cli/models/flat.rhe", &with);
        assert_unique(it.motion, "00000", "flat");
        moving_reach(&it, 0.2);
        assert_unique(it.motion, "11111", "flat");
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        print_message("%llu changes, the last at %.3g\n",
                      (unsigned long long)summary.unique_changes, summary.unique_since);
        moving_end(&it);
        assert_true(summary.unique_changes >= 1);
        assert_true(summary.unique_since >= 0.0 && summary.unique_since < 0.01);
    }
}

static void there_are_no_others(void **state)
{
    (void)state;
    moving it = moving_file("tests/cli/models/flat.rhe", NULL);
    assert_false(rh_motion_is_unique(it.motion, 5));
    assert_true(isnan(rh_motion_residual(it.motion, 5)));
    moving_end(&it);
}

// --- deviations ----------------------------------------------------------------------------------

// The largest deviation that rows show, close together.
static double look_for_most(const char *text, const moving_conditions *with, double time)
{
    moving it = moving_begin(text, with);
    const size_t column = moving_column(&it, "dev.c");
    double most = 0.0;
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE) {
        assert_int_equal(rh_motion_step(it.motion, time, &stop, &it.err), RH_OK);
        const double low = rh_motion_time_before(it.motion);
        const double high = rh_motion_time(it.motion);
        for (uint32_t k = 0; k <= 200; k++) {
            double *row = moving_row(&it, fmin(low + (high - low) * k / 200.0, high));
            most = fmax(most, fabs(row[column]));
            free(row);
        }
    }
    moving_end(&it);
    return most;
}

static void deviations_on_the_way_are_known(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        // laws: from the start, between the ends, in velocities
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: -1\n"
        "constraint c: x^2 + y^2 = 1 with c'' = -4*c - c'\nstart x = 1.2, y = 0, x' = 0, y' = 1\n",
        "coord x\nkinetic x'^2/2\nconstraint c: x = 0 with c'' = -c\nstart x = 0, x' = 1\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: sin(3*t)\n"
        "constraint c: y' = x*x' with c' = -c\nstart x = 0, y = 0, x' = 1, y' = 0.5\n",
        // friction
        "coord x, y, p\nkinetic (x'^2 + y'^2 + p'^2)/2\n"
        "constraint c: y'*cos(p) = x'*sin(p) by friction(20)\n"
        "start x = 0, y = 0, p = 0, x' = 1, y' = 0, p' = 1\n",
    };
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE};
    for (size_t k = 0; k < 3 * (sizeof TEXTS / sizeof TEXTS[0]); k++) {
        const moving_conditions with = {.method = METHODS[k % 3], .tolerance = 1e-10};
        const double most = look_for_most(TEXTS[k / 3], &with, 4.0);
        moving it = moving_begin(TEXTS[k / 3], &with);
        moving_reach(&it, 4.0);
        const double residual = rh_motion_residual(it.motion, 0);
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        print_message("%.6g of %.6g\n", residual, most);
        moving_end(&it);
        assert_true(most > 0.01);
        assert_true(residual <= most * (1.0 + 1e-9) && residual > 0.97 * most);
        assert_true(summary.residual == 0.0); // no constraint is kept exactly
    }
}

// The start counts, even without a step.
static void deviations_at_the_start_are_known(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\n"
                             "constraint c: x = 0 with c'' = -c - c'\nstart x = 0.7, x' = 0\n",
                             NULL);
    assert_near(rh_motion_residual(it.motion, 0), 0.7, 1e-15);
    moving_reach(&it, 5.0);
    assert_near(rh_motion_residual(it.motion, 0), 0.7, 1e-15);
    moving_end(&it);
}

// After a reset too.
static void deviations_after_resets_are_known(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\n"
                             "constraint c: x = 0 with c'' = -c - c'\nstart x = 0.1, x' = 0\n"
                             "event kick: t = 1 up reset x = 3\n",
                             NULL);
    moving_reach(&it, 2.0);
    assert_near(rh_motion_residual(it.motion, 0), 3.0, 1e-12);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_are_shared),
        cmocka_unit_test(sharing_may_end),
        cmocka_unit_test(there_are_no_others),
        cmocka_unit_test(deviations_on_the_way_are_known),
        cmocka_unit_test(deviations_at_the_start_are_known),
        cmocka_unit_test(deviations_after_resets_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
