// SPDX-License-Identifier: Apache-2.0
// Branches of orbits over a parameter: where they turn round and where stability changes, against
// closed forms, and for the Lorenz system against multipliers on both sides.

#include "orbiting.h"

#define PI 3.14159265358979323846

typedef struct branching {
    orbiting on;
    rh_branch *branch;
    rh_error err;
} branching;

static branching branching_begin(const char *text, const char *parameter, double from, double to,
                                 const rh_orbit_def *def)
{
    branching it = {.branch = NULL};
    char setting[64];
    (void)snprintf(setting, sizeof setting, "%s=%.17g", parameter, from);
    const orbiting_conditions with = {.set = {setting}, .set_count = 1};
    it.on = orbiting_find(text, &with, def);
    rh_branch_def branch = rh_branch_def_default();
    branch.set_count = 1;
    branch.from = from;
    branch.to = to;
    if (rh_branch_create(it.on.orbit, &branch, &it.branch, &it.err) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    return it;
}

static void branching_end(branching *it)
{
    rh_branch_destroy(it->branch);
    orbiting_end(&it->on);
}

static bool branching_step(branching *it, rh_branch_point *out)
{
    bool is_there = false;
    if (rh_branch_step(it->branch, out, &is_there, &it->err) != RH_OK) {
        fail_msg("%s", it->err.message);
    }
    return is_there;
}

static const char CIRCLE[] = // a circle in the plane, with something across it
    "param m = -0.3\nstate x, y, p, q\nlet r2 = x^2 + y^2\nlaw x' = x*(1 - r2) - y\n"
    "law y' = y*(1 - r2) + x\nstart x = 1, y = 0, p = 0, q = 0\n";

// A pair exp(2 pi (m +- 0.3 i)) passes the circle at m = 0.
static void a_pair_passes_the_circle(void **state)
{
    (void)state;
    char text[512];
    (void)snprintf(text, sizeof text, "%slaw p' = m*p - 0.3*q\nlaw q' = m*q + 0.3*p\n", CIRCLE);
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 6.0;
    branching it = branching_begin(text, "m", -0.3, 0.2, &def);
    rh_branch_point point;
    size_t marks = 0;
    double last = -1.0;
    while (branching_step(&it, &point)) {
        assert_near(point.period, 2.0 * PI, 1e-12);
        assert_true(point.parameter > last);
        last = point.parameter;
        if (point.mark != RH_BRANCH_POINT) {
            assert_int_equal(point.mark, RH_BRANCH_TORUS);
            assert_true(fabs(point.parameter) <= 1e-8 && point.width <= 1e-8);
            marks++;
        } else {
            assert_int_equal(point.is_stable, point.parameter < 0.0);
        }
    }
    assert_int_equal(marks, 1);
    assert_near(last, 0.2, 1e-15);
    assert_string_equal(rh_branch_reason(it.branch), "");
    branching_end(&it);
}

// A multiplier exp(2 pi m) passes 1 at m = 0, and the orbit goes straight on.
static void a_multiplier_passes_one(void **state)
{
    (void)state;
    char text[512];
    (void)snprintf(text, sizeof text, "%slaw p' = m*p - p^3\nlaw q' = -q\n", CIRCLE);
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 6.0;
    branching it = branching_begin(text, "m", -0.21, 0.1, &def);
    rh_branch_point point;
    size_t marks = 0;
    while (branching_step(&it, &point)) {
        assert_near(point.variables[2], 0.0, 1e-9);
        if (point.mark != RH_BRANCH_POINT) {
            assert_int_equal(point.mark, RH_BRANCH_PLUS_ONE);
            assert_true(fabs(point.parameter) <= 1e-8);
            marks++;
        } else {
            assert_int_equal(point.is_stable, point.parameter < 0.0);
        }
    }
    assert_int_equal(marks, 1);
    branching_end(&it);
}

// In a frame that turns by half with the circle: multipliers -exp(2 pi m) and -exp(-2 pi).
static void a_multiplier_passes_minus_one(void **state)
{
    (void)state;
    char text[512];
    (void)snprintf(text, sizeof text,
                   "%slaw p' = -q/2 + ((m - 1)*p + (m + 1)*(x*p + y*q))/2\n"
                   "law q' = p/2 + ((m - 1)*q + (m + 1)*(y*p - x*q))/2\n",
                   CIRCLE);
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 6.0;
    branching it = branching_begin(text, "m", -0.2, 0.1, &def);
    rh_branch_point point;
    size_t marks = 0;
    while (branching_step(&it, &point)) {
        double nearest = INFINITY;
        for (size_t k = 0; k < 4; k++) {
            nearest =
                fmin(nearest, hypot(point.multipliers[k].real + exp(2.0 * PI * point.parameter),
                                    point.multipliers[k].imaginary));
        }
        assert_true(nearest < 1e-10);
        if (point.mark != RH_BRANCH_POINT) {
            assert_int_equal(point.mark, RH_BRANCH_FLIP);
            assert_true(fabs(point.parameter) <= 1e-8);
            marks++;
        }
    }
    assert_int_equal(marks, 1);
    branching_end(&it);
}

// r' = r (m + r^2 - r^4): circles with r^2 = 1/2 +- sqrt(1/4 + m), which meet at m = -1/4.
static void a_fold_is_passed(void **state)
{
    (void)state;
    static const char TEXT[] = "param m = -0.1\nstate x, y\nlet r2 = x^2 + y^2\n"
                               "let a = m + r2 - r2^2\nlaw x' = a*x - y\nlaw y' = a*y + x\n"
                               "start x = 0.94, y = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    branching it = branching_begin(TEXT, "m", -0.1, -0.3, &def);
    rh_branch_point point;
    size_t marks = 0;
    double parameter = 0.0;
    while (branching_step(&it, &point)) {
        const double r2 =
            point.variables[0] * point.variables[0] + point.variables[1] * point.variables[1];
        parameter = point.parameter;
        assert_near(parameter + r2 - r2 * r2, 0.0, 1e-11);
        const double rate = 2.0 * r2 - 4.0 * r2 * r2;
        const rh_multiplier across = point.multipliers[point.multipliers[0].is_trivial ? 1 : 0];
        assert_near(across.real, exp(2.0 * PI * rate), 1e-9);
        if (point.mark != RH_BRANCH_POINT) {
            assert_int_equal(point.mark, RH_BRANCH_FOLD);
            assert_near(parameter, -0.25, 1e-8);
            marks++;
        } else {
            assert_int_equal(point.is_stable, marks == 0);
        }
    }
    assert_int_equal(marks, 1);
    assert_near(parameter, -0.1, 1e-15); // back where it came from, on the other side
    assert_string_equal(rh_branch_reason(it.branch), "the branch turned and came back to -0.1");
    branching_end(&it);
}

// From mu = 0.01 to 0.2 the symmetric orbit of the Lorenz system loses its stability once.
static void the_lorenz_orbit_loses_its_stability(void **state)
{
    (void)state;
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.period = 22.83;
    def.symmetry = "xi=-xi, p=-p";
    branching it = branching_begin(ORBITING_LORENZ, "mu", 0.01, 0.2, &def);
    rh_branch_point point;
    size_t marks = 0;
    double at = NAN;
    double last[3] = {NAN, NAN, NAN};
    while (branching_step(&it, &point)) {
        last[0] = point.parameter;
        last[1] = point.variables[0];
        last[2] = point.period;
        if (point.mark != RH_BRANCH_POINT) {
            assert_int_equal(point.mark, RH_BRANCH_PITCHFORK);
            assert_true(point.width <= 1e-8);
            at = point.parameter;
            marks++;
        } else {
            assert_int_equal(point.is_stable, marks == 0);
        }
    }
    assert_int_equal(marks, 1);
    assert_near(last[0], 0.2, 1e-15);
    assert_near(last[1], 0.60354190023695457748, 1e-11);
    assert_near(last[2], 22.970013835678246471, 1e-11);
    branching_end(&it);
    // on both sides of it, within 1e-8, the verdicts differ
    for (int side = -1; side <= 1; side += 2) {
        char setting[64];
        (void)snprintf(setting, sizeof setting, "mu=%.17g", at + side * 5e-9);
        const orbiting_conditions with = {.set = {setting}, .set_count = 1};
        orbiting other = orbiting_find(ORBITING_LORENZ, &with, &def);
        assert_int_equal(rh_orbit_summarise(other.orbit).is_stable, side < 0);
        orbiting_end(&other);
    }
}

// A branch that ends before its range does says why.
static void an_end_before_the_end(void **state)
{
    (void)state;
    static const char HOPF[] = "param m = 0.5\nstate x, y\nlet a = m - x^2 - y^2\n"
                               "law x' = a*x - y\nlaw y' = a*y + x\nstart x = 0.7, y = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    branching it = branching_begin(HOPF, "m", 0.5, -0.5, &def);
    rh_branch_point point;
    while (branching_step(&it, &point)) {
        assert_near(hypot(point.variables[0], point.variables[1]), sqrt(fmax(point.parameter, 0.0)),
                    1e-7);
    }
    assert_true(strlen(rh_branch_reason(it.branch)) > 0);
    branching_end(&it);
}

// 4 K(sin(angle/2)), by the arithmetic-geometric mean.
static double pendulum_period(double angle)
{
    double a = 1.0;
    double b = cos(0.5 * angle);
    for (int k = 0; k < 10; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * PI / a;
}

// Every amplitude has its orbit: the start says which, also where it moves with the parameter.
static void of_a_family_the_start_chooses(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "param a = 1, g = 1\ncoord q\nkinetic q'^2/2\npotential -g*cos(q)\n"
        "start q = a, q' = 0\n",
        // at the bottom, with the speed that leads to the angle a
        "param a = 1, g = 1\ncoord q\nkinetic q'^2/2\npotential -g*cos(q)\n"
        "start q = 0, q' = 2*sqrt(g)*sin(a/2)\n",
        // beside a variable whose oscillations decay
        "param a = 1, g = 1\nstate q, u, z\nlaw q' = u\nlaw u' = -g*sin(q)\nlaw z' = -z\n"
        "start q = a, u = 0, z = 0\n",
    };
    for (size_t k = 0; k < 6; k++) {
        const bool is_start = k < 3;
        rh_orbit_def def = rh_orbit_def_default();
        branching it =
            branching_begin(TEXTS[k % 3], is_start ? "a" : "g", 1.0, is_start ? 2.0 : 3.0, &def);
        rh_branch_point point;
        double last = 0.0;
        while (branching_step(&it, &point)) {
            const double angle = is_start ? point.parameter : 1.0;
            const double g = is_start ? 1.0 : point.parameter;
            const double speed = k % 3 == 1 ? 2.0 * sqrt(g) * sin(0.5 * angle) : 0.0;
            assert_near(point.period, pendulum_period(angle) / sqrt(g), 1e-9);
            assert_near(point.variables[0], k % 3 == 1 ? 0.0 : angle, 1e-9);
            assert_near(point.variables[1], speed, 1e-9);
            assert_true(!point.is_stable && !point.is_unstable);
            last = point.parameter;
        }
        assert_near(last, is_start ? 2.0 : 3.0, 1e-15);
        assert_string_equal(rh_branch_reason(it.branch), "");
        branching_end(&it);
    }
}

// Beyond the separatrix the start has no orbit: none of the family takes its place.
static void a_family_ends_where_the_start_has_no_orbit(void **state)
{
    (void)state;
    static const char TEXT[] = "param s = 1\ncoord q\nkinetic q'^2/2\npotential -cos(q)\n"
                               "start q = 0, q' = s\n";
    rh_orbit_def def = rh_orbit_def_default();
    branching it = branching_begin(TEXT, "s", 1.0, 2.1, &def);
    rh_branch_point point;
    while (branching_step(&it, &point)) {
        assert_true(point.parameter < 2.0);
        assert_near(point.variables[1], point.parameter, 1e-5);
    }
    assert_true(strlen(rh_branch_reason(it.branch)) > 0);
    branching_end(&it);
}

// Marks of a branch against where they are: each within the width that is told.
typedef struct expected_mark {
    rh_branch_mark mark;
    double parameter;
    bool is_stable, is_unstable; // from there on
} expected_mark;

static void check_marks(const char *text, const char *name, double from, double to, double period,
                        bool is_fixed, const expected_mark *marks, size_t count)
{
    rh_orbit_def def = rh_orbit_def_default();
    def.period = period;
    def.is_period_fixed = is_fixed;
    branching it = branching_begin(text, name, from, to, &def);
    rh_branch_point point;
    size_t found = 0;
    while (branching_step(&it, &point)) {
        if (point.mark != RH_BRANCH_POINT) {
            assert_true(found < count);
            const expected_mark *mark = &marks[found++];
            assert_int_equal(point.mark, mark->mark);
            assert_near(point.parameter, mark->parameter, point.width + 1e-12);
            assert_int_equal(point.is_stable, mark->is_stable);
            assert_int_equal(point.is_unstable, mark->is_unstable);
        }
    }
    assert_int_equal(found, count);
    branching_end(&it);
}

// Two changes between two points of a branch. Of Mathieu's equation they are characteristic values.
static void changes_that_are_close_are_found(void **state)
{
    (void)state;
    static const char MATHIEU[] =
        "param a = 8, q = 1\ncoord x\nlaw x'' = -(a - 2*q*cos(2*t))*x\nstart x = 0, x' = 0\n";
    static const expected_mark TONGUES[] = {{RH_BRANCH_FLIP, 9.04773925980937, false, true},
                                            {RH_BRANCH_FLIP, 9.07836884720310, false, false},
                                            {RH_BRANCH_PLUS_ONE, 16.03297008140579, false, true},
                                            {RH_BRANCH_PLUS_ONE, 16.03383234035951, false, false}};
    check_marks(MATHIEU, "a", 8.0, 20.0, PI, true, TONGUES, 4);
    check_marks(MATHIEU, "a", 7.3, 11.9, PI, true, TONGUES, 2);
    static const double ENDS[] = {1.0, 1.13, 1.7};
    static const expected_mark PAIR[] = {{RH_BRANCH_TORUS, 0.3, true, false},
                                         {RH_BRANCH_TORUS, 0.32, false, true}};
    static const expected_mark REAL[] = {{RH_BRANCH_PLUS_ONE, 0.3, true, false},
                                         {RH_BRANCH_PLUS_ONE, 0.32, false, true}};
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "%slet g = (m - 0.31)^2 - 1e-4\nlaw p' = g*p - 0.3*q\n"
                       "law q' = g*q + 0.3*p\n",
                       CIRCLE);
        check_marks(text, "m", -0.3, ENDS[k], 6.0, false, PAIR, 2);
        (void)snprintf(text, sizeof text,
                       "%slet g = (m - 0.31)^2 - 1e-4\nlaw p' = g*p\nlaw q' = -q\n", CIRCLE);
        check_marks(text, "m", -0.3, ENDS[k], 6.0, false, REAL, 2);
    }
}

// The square of the radius goes through a cubic that turns twice: m - 2 = u^3 - u/1000.
static void folds_that_are_close_are_found(void **state)
{
    (void)state;
    static const char TEXT[] = "param m = 1\nstate x, y\nlet u = x^2 + y^2 - 2\n"
                               "let g = m - 2 - u^3 + u/1000\nlaw x' = x*g - y\n"
                               "law y' = y*g + x\nstart x = 1, y = 0\n";
    static const expected_mark FOLDS[] = {{RH_BRANCH_FOLD, 2.000012171612389, false, true},
                                          {RH_BRANCH_FOLD, 1.999987828387611, true, false}};
    check_marks(TEXT, "m", 1.0, 4.0, 6.0, false, FOLDS, 2);
}

// Two orbits of nearly the same size around a centre that moves by many times that: r^2 = q and
// q + 1/20, with the period 2 pi/(1 + q). Where they lie, and in which units, changes nothing.
static void it_keeps_to_its_sheet_far_from_zero(void **state)
{
    (void)state;
    static const struct {
        const char *far, *unit;
    } PLACES[] = {{"0", "1"},   {"-30", "0.02"},   {"1000", "1"},
                  {"1e6", "1"}, {"1000", "0.001"}, {"1e6", "1e6"}};
    for (size_t k = 0; k < sizeof PLACES / sizeof *PLACES; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "param m = 0.001, X = %s, S = %s\nstate x, y\n"
                       "let u = (x - X)/S - 20*m\nlet v = (y - X)/S - m^2\nlet q = u^2 + v^2\n"
                       "let g = -(q - 1 - m/10)*(q - 1.05 - m/10)\n"
                       "law x' = S*(u*g - (1 + q)*v)\nlaw y' = S*(v*g + (1 + q)*u)\n"
                       "start x = X + 1.02*S, y = X\n",
                       PLACES[k].far, PLACES[k].unit);
        rh_orbit_def def = rh_orbit_def_default();
        branching it = branching_begin(text, "m", 0.001, 3.0, &def);
        rh_branch_point point;
        double last = 0.0;
        while (branching_step(&it, &point)) {
            assert_int_equal(point.mark, RH_BRANCH_POINT);
            assert_near(point.period, 2.0 * PI / (2.0 + point.parameter / 10.0), 1e-7);
            assert_true(point.is_unstable);
            last = point.parameter;
        }
        assert_near(last, 3.0, 1e-15);
        branching_end(&it);
    }
}

// Towards the separatrix periods are known to fewer and fewer digits, and say so.
static void bars_of_periods_grow_towards_a_separatrix(void **state)
{
    (void)state;
    rh_orbit_def def = rh_orbit_def_default();
    branching it = branching_begin("param a = 1\ncoord q\nkinetic q'^2/2\npotential -cos(q)\n"
                                   "start q = a, q' = 0\n",
                                   "a", 3.0, 3.1415, &def);
    rh_branch_point point;
    double last = 0.0;
    while (branching_step(&it, &point)) {
        assert_near(point.period, pendulum_period(point.parameter), point.period_error);
        assert_true(point.period_error < 1e-4);
        last = point.period_error;
    }
    assert_true(last > 1e-8);
    branching_end(&it);
}

// A circle r^2 = q of a plane about (X, X), in the unit S, with places known in closed form: what
// is told of them lies within bars that do not depend on units, and grow with the distance from
// zero as its rounding does.
static void bars_of_marks_hold(void **state)
{
    (void)state;
    static const struct {
        const char *far, *unit;
        double most; // of bars
    } PLACES[] = {{"0", "1", 1e-11},  {"0", "1e-6", 1e-11}, {"1e6", "1e6", 1e-11},
                  {"1e3", "1", 1e-8}, {"1e6", "1", 1e-6},   {"1e3", "0.001", 1e-6}};
    static const struct {
        const char *rest;
        rh_branch_mark kind;
        double from, to, at, period, start;
    } CASES[] = {
        // q - q^2 = -m, with the period 2 pi/(1 + q)
        {"let g = m + q - q^2\nlet w = 1 + q\n", RH_BRANCH_FOLD, 1.0, -0.5, -0.25, 2.0 * PI / 1.5,
         1.27},
        // beside what turns by half a round: (m, -1; 3/2, -3/2) has the eigenvalue 0
        {"let g = 1 - q\nlet w = 3\nlet c = (z - X)/S\nlet d = (p - X)/S\nstate z, p\n"
         "law z' = S*((m - 1)/2*c + (m + 1)/2*(u*c + v*d) - c^3)\n"
         "law p' = S*((m - 1)/2*d + (m + 1)/2*(v*c - u*d) - d^3)\nstart z = X, p = X\n",
         RH_BRANCH_FLIP, -0.2, 4.0, 2.25, 2.0 * PI / 3.0, 1.0},
        {"let g = 1 - q\nlet w = 1\nlet c = (z - X)/S\nstate z\n"
         "law z' = S*((m - 1/3)*c - c^2*(1 + u/2))\nstart z = X\n",
         RH_BRANCH_PLUS_ONE, -0.2, 1.0, 1.0 / 3.0, 2.0 * PI, 1.0},
    };
    for (size_t k = 0; k < 18; k++) {
        const size_t c = k % 3;
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "param m = 0, X = %s, S = %s\nstate x, y\nlet u = (x - X)/S\n"
                       "let v = (y - X)/S\nlet q = u^2 + v^2\n%s"
                       "law x' = S*(u*g - w*v)\nlaw y' = S*(v*g + w*u)\n"
                       "start x = X + %.3g*S, y = X\n",
                       PLACES[k / 3].far, PLACES[k / 3].unit, CASES[c].rest, CASES[c].start);
        rh_orbit_def def = rh_orbit_def_default();
        branching it = branching_begin(text, "m", CASES[c].from, CASES[c].to, &def);
        rh_branch_point point;
        size_t marks = 0;
        while (branching_step(&it, &point)) {
            if (point.mark != CASES[c].kind) {
                continue;
            }
            marks++;
            const double off = fabs(point.parameter - CASES[c].at);
            const double late = fabs(point.period - CASES[c].period);
            if (!(off <= point.width && late <= point.period_error + 1e-15) ||
                !(fmax(point.width, point.period_error) <= PLACES[k / 3].most)) {
                fail_msg("%.17g +- %.3g, off by %.3g, period %.17g +- %.3g, off by %.3g, in:\n%s",
                         point.parameter, point.width, off, point.period, point.period_error, late,
                         text);
            }
        }
        assert_int_equal(marks, 1);
        branching_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_passes_the_circle),
        cmocka_unit_test(a_multiplier_passes_one),
        cmocka_unit_test(a_multiplier_passes_minus_one),
        cmocka_unit_test(a_fold_is_passed),
        cmocka_unit_test(the_lorenz_orbit_loses_its_stability),
        cmocka_unit_test(changes_that_are_close_are_found),
        cmocka_unit_test(folds_that_are_close_are_found),
        cmocka_unit_test(it_keeps_to_its_sheet_far_from_zero),
        cmocka_unit_test(bars_of_marks_hold),
        cmocka_unit_test(bars_of_periods_grow_towards_a_separatrix),
        cmocka_unit_test(an_end_before_the_end),
        cmocka_unit_test(of_a_family_the_start_chooses),
        cmocka_unit_test(a_family_ends_where_the_start_has_no_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
