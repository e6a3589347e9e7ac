// SPDX-License-Identifier: Apache-2.0
// Bertrand's problem: the exact law of the deviation, the offset that a wrong areal constant
// leaves, its repair by a law on the areal velocity, and (5.10) for the accelerations. BERT-1 to
// BERT-4 are in tests/motion/references.txt.

#include "programs.h"

static void begin(const char *path, programs *out)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    rh_motion_def def = rh_motion_def_default();
    def.tolerance = 1e-15;
    programs_load(text, NULL, out);
    assert_int_equal(rh_motion_create(out->equations, &def, &out->motion, &out->err), RH_OK);
    free(text);
}

static double column(programs *it, const char *name)
{
    double row[32];
    assert_true(rh_motion_column_count(it->motion) <= 32);
    assert_int_equal(rh_motion_row(it->motion, rh_motion_time(it->motion), row, &it->err), RH_OK);
    for (size_t k = 0; k < rh_motion_column_count(it->motion); k++) {
        if (strcmp(rh_motion_column_name(it->motion, k), name) == 0) {
            return row[k];
        }
    }
    fail_msg("no column %s", name);
    return NAN;
}

static void go(programs *it, double time)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(it->motion, time, &stop, &it->err), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED);
}

// alpha'' = (l^2 - c^2)/r^3 - a0 alpha - a1 alpha' - ...: the areal constant stays, and so does the
// offset.
static void a_wrong_areal_constant_leaves_an_offset(void **state)
{
    (void)state;
    double low = INFINITY;
    double high = 0.0;
    programs it;
    begin("examples/bertrand/wrong_areas.rhe", &it);
    for (double t = 0.25; t <= 60.0; t += 0.25) {
        go(&it, t);
        assert_near(column(&it, "missed"), 0.0, 1e-14);
        assert_near(column(&it, "areas"), 1.2, 1e-12);
        if (t > 30.0) {
            low = fmin(low, column(&it, "deviation"));
            high = fmax(high, column(&it, "deviation"));
        }
    }
    assert_true(low > 0.02 && high > 0.2); // it comes and goes, and does not vanish
    programs_end(&it);
}

// Both deviations follow their laws: 0, and 0.2 e^-t. The accelerations are those of (5.10).
static void a_law_on_the_areal_velocity_mends_it(void **state)
{
    (void)state;
    programs it;
    begin("examples/bertrand/areas_corrected.rhe", &it);
    for (double t = 0.5; t <= 20.0; t += 0.5) {
        go(&it, t);
        const double x = column(&it, "x");
        const double y = column(&it, "y");
        const double r = hypot(x, y);
        const double l = x * column(&it, "y'") - y * column(&it, "x'");
        const double alpha = r - 0.5 * x - 1.0;
        const double rate = (x / r - 0.5) * column(&it, "x'") + y / r * column(&it, "y'");
        const double a = -2.0 * alpha - 3.0 * rate;
        const double b = -(l - 1.0);
        const double q = 1.0 + alpha;
        assert_near(column(&it, "dev.areal"), 0.2 * exp(-t), 1e-13);
        assert_near(column(&it, "dev.conic"), 0.0, 1e-13);
        assert_near(column(&it, "force_x"), x / q * (a - l * l / (r * r * r)) - y * b / (q * r),
                    1e-12);
        assert_near(column(&it, "force_y"),
                    y / q * (a - l * l / (r * r * r)) + (x - 0.5 * r) * b / (q * r), 1e-12);
    }
    programs_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_areal_constant_leaves_an_offset),
        cmocka_unit_test(a_law_on_the_areal_velocity_mends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
