// SPDX-License-Identifier: Apache-2.0
// Derivatives of a passage by a parameter, against differences of motions with other parameters.

#include "orbiting.h"

#include "orbit/orbit.h"

enum { MOST = 12 };

typedef struct sloping {
    const char *text;
    const char *parameter; // its value is 1.25
    double time;
    bool is_known; // exactly
} sloping;

static const sloping LIST[] = {
    {"param a = 1\nstate x, v\nlaw x' = v\nlaw v' = a*(1 - x^2)*v - x\nstart x = 1.5, v = 0.3\n",
     "a", 3.0, true},
    // parameters made of others, twice over
    {"param a = 1, b = a^2 + 1, c = exp(-b)/a\nstate x, v\nlaw x' = b*v\n"
     "law v' = c - sin(a*x) - v/(a + x^2)\nstart x = 1, v = 0\n",
     "a", 2.0, true},
    // the parameter in a mass, a length and a force: the inertia is a block
    {"param a = 1\ncoord x, y\nkinetic (a*x'^2 + 2*x'*y'*cos(x - y)/a + 3*y'^2)/2\n"
     "potential -a*cos(x) - cos(y)\nforce x: -x'/(10*a)\nstart x = 1, y = 0.4, x' = 0, y' = 0.2\n",
     "a", 2.0, true},
    // a constraint that moves with it, on both levels
    {"param a = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "constraint rod: x^2 + y^2 = a^2\nstart x = a*sin(0.5), y = -a*cos(0.5), x' = 0\n",
     "a", 1.5, true},
    {"param a = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y\n"
     "constraint tie: y = a*sin(a*x)\nstart x = 0.3, x' = 1\n",
     "a", 1.5, true},
    // exponents, angles, conditions that hold all the way
    {"param a = 1\nstate x, v\nlaw x' = v + x^a/5\nlaw v' = -x^(a/3) + atan2(a*x, 2)\n"
     "start x = 2, v = 0\n",
     "a", 1.5, true},
    {"param a = 1\nstate x, v\nlaw x' = v\nlaw v' = if(x < 10, -a*x, 3*a) + tanh(a*v)/4\n"
     "start x = 2, v = 0\n",
     "a", 2.0, true},
    // in time
    {"param a = 1\nstate x, v\nlaw x' = v\nlaw v' = -x - x^3 + cos(a*t)\nstart x = 2, v = 0\n", "a",
     3.0, true},
    // surfaces that move with it
    {"param a = 1\nstate x, v\nlaw x' = v\nlaw v' = -x + sign(x - a)\nstart x = 2, v = -1\n", "a",
     2.0, false},
    // a constant of the start
    {"param a = 1\nstate x, v\nlaw x' = v\nlaw v' = -a*x\nselect v\n"
     "constraint level: v^2 + a*x^2 + x^4/2 = const\nstart x = 1, v = 0.5\n",
     "a", 1.0, false},
};

#define CENTRE 1.25

static orbiting begin(const sloping *of, double value)
{
    char setting[64];
    (void)snprintf(setting, sizeof setting, "%s=%.17g", of->parameter, value);
    const orbiting_conditions with = {.set = {setting}, .set_count = 1};
    orbiting it;
    if (orbiting_move(of->text, &with, &it) != RH_OK) {
        fail_msg("%s, in:\n%s", it.err.message, of->text);
    }
    return it;
}

// Where a motion with another parameter gets from a start that goes along with it.
static void reach(const sloping *of, const double *start, const double *shift, double by,
                  double *out)
{
    orbiting it = begin(of, CENTRE + by);
    double x[MOST];
    rh_stop stop = RH_STOP_NONE;
    for (uint32_t i = 0; i < it.motion->n; i++) {
        x[i] = start[i] + by * shift[i];
    }
    assert_int_equal(rh__motion_place(it.motion, x, NULL), RH_OK);
    assert_int_equal(rh_motion_advance(it.motion, it.motion->t + of->time, &stop, NULL), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED);
    memcpy(out, it.motion->x, it.motion->n * sizeof *out);
    orbiting_end(&it);
}

static void compare(const sloping *of, const rh_passage *passage, uint32_t n)
{
    static const double WEIGHTS[] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    static const double PLACES[] = {-2.0, -1.0, 1.0, 2.0};
    const double delta = 2e-3;
    double expected[MOST] = {0.0};
    for (int k = 0; k < 4; k++) {
        double end[MOST];
        reach(of, passage->start, passage->shift, PLACES[k] * delta, end);
        for (uint32_t i = 0; i < n; i++) {
            expected[i] += WEIGHTS[k] * end[i] / delta;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!(fabs(passage->slope[i] - expected[i]) <= 1e-8 * (1.0 + fabs(expected[i])))) {
            fail_msg("d x%u / d %s is %.12g, by differences %.12g, in:\n%s", i, of->parameter,
                     passage->slope[i], expected[i], of->text);
        }
    }
}

static void slopes_are_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        const sloping *of = &LIST[k];
        orbiting it = begin(of, CENTRE);
        double start[MOST];
        const uint32_t n = it.motion->n;
        memcpy(start, it.motion->x, n * sizeof *start);
        rh_orbit_def def = rh_orbit_def_default();
        def.period = k == 7 ? 2.0 * 3.14159265358979323846 / CENTRE : of->time;
        def.iteration_limit = 1;
        assert_int_equal(rh_orbit_create(it.motion, &def, &it.orbit, &it.err), RH_OK);
        assert_int_equal(rh__slope_create(it.orbit, 0, &it.err), RH_OK);
        rh_passage *passage = &it.orbit->passage;
        bool is_there = false;
        assert_int_equal(rh__passage_run(it.orbit, start, of->time, passage, &is_there), RH_OK);
        assert_true(is_there);
        if (passage->has_slope != of->is_known) {
            fail_msg("the slope is %sknown, in:\n%s", of->is_known ? "not " : "", of->text);
        }
        if (of->is_known) {
            compare(of, passage, n);
        }
        orbiting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
