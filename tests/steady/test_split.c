// SPDX-License-Identifier: Apache-2.0
// Which coordinates are positional: whatever the values of what may vary, whatever is read by
// conditions only, however small a slope is beside others.

#include "resting.h"

static void expect_positional(const resting *it, const char *names)
{
    char found[200] = "";
    for (size_t k = 0; k < rh_steady_positional_count(it->steady); k++) {
        strcat(found, k > 0 ? " " : "");
        strcat(found, rh_steady_positional(it->steady, k));
    }
    assert_string_equal(found, names);
}

// --- parameters that vary ------------------------------------------------------------------------

static const char SPRING[] = "param k = 0, c = 1\n"
                             "coord x\n"
                             "kinetic x'^2/2\n"
                             "potential k*x^2/2\n"
                             "dissipation c*x'^2/2\n";

// x'' = -k x - x': the roots are those of z^2 + z + k.
static void a_spring_that_is_none_at_first(void **state)
{
    (void)state;
    const double stiffness[] = {-1.0, 2.0};
    for (size_t k = 0; k < 2; k++) {
        const resting_call call = {.fix = {{"k", stiffness[k]}}, .fix_count = 1};
        resting it = resting_begin(SPRING, &call);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        expect_positional(&it, "x");
        assert_int_equal(motion.size, 2);
        assert_int_equal(motion.verdict,
                         k == 0 ? RH_STEADY_UNSTABLE : RH_STEADY_ASYMPTOTICALLY_STABLE);
        assert_near(motion.roots[0].real, k == 0 ? 0.5 * (sqrt(5.0) - 1.0) : -0.5, 1e-14);
        resting_end(&it);
    }
}

// As the model has it, nothing holds x.
static void a_parameter_that_does_not_vary_is_what_it_is(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin(SPRING, &call);
    expect_positional(&it, "");
    resting_end(&it);
}

static void the_family_over_it_changes_where_it_changes_sign(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"k", 0.5}}, .fix_count = 1};
    resting it = resting_begin(SPRING, &call);
    rh_walk_def def = rh_walk_def_default();
    def.name = "k";
    def.from = 0.5;
    def.to = -1.0;
    rh_walk *walk = NULL;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    rh_walk_point point;
    bool is_there = true;
    bool has_changed = false;
    rh_steady_verdict last = RH_STEADY_DEGENERATE;
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        if (is_there && point.mark == RH_WALK_CHANGE && last != RH_STEADY_UNSTABLE) {
            has_changed = true;
            assert_near(point.value, 0.0, 1e-9);
        }
        last = is_there ? point.motion.verdict : last;
    }
    assert_true(has_changed);
    assert_int_equal(last, RH_STEADY_UNSTABLE);
    rh_walk_destroy(walk);
    resting_end(&it);
}

// Equations are derived once: what vanishes at the value of the model only may be missing in them.
static void equations_that_differ_are_refused(void **state)
{
    (void)state;
    static const char TEXT[] = "param k = 0\n"
                               "coord x, y\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential x^2/2 + y\n"
                               "dissipation (x'^2 + y'^2)/2\n"
                               "constraint roll: y' - k*x*x' = 0\n";
    const resting_call call = {.fix = {{"k", 2.0}}, .fix_count = 1};
    resting it;
    assert_int_equal(resting_try(TEXT, &call, &it), RH_E_UNAVAILABLE);
    assert_non_null(strstr(it.err.message, "other equations hold for other values of k"));
    resting_end(&it);
    const resting_call set = {.set = {"k=2"}, .set_count = 1};
    it = resting_begin(TEXT, &set);
    // x'' = -x - 2 x - x' near x = 0
    assert_near(rh_steady_solution(it.steady, 0).roots[0].imaginary, sqrt(2.75), 1e-13);
    resting_end(&it);
}

// --- conditions ----------------------------------------------------------------------------------

static void what_a_condition_reads_is_positional(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "coord x, th\nkinetic x'^2/2 + th'^2/2\n"
        "force th: if(sin(x) > 0, -th, 5*th) - 3*th'\nstart x = 1, x' = 0.5\n",
        "coord x, th\nkinetic x'^2/2 + th'^2/2\n"
        "force th: -th - 3*th' - sign(x)*th^3\nstart x = 1\n",
        "coord x, th\nkinetic x'^2/2 + th'^2/2\npotential if(x > 5, 10, 0) + th^2/2\n"
        "dissipation th'^2/2\n",
        "coord x, th\nkinetic x'^2/2 + th'^2/2\npotential th^2/2 + max(x - 7, 0)\n"
        "dissipation th'^2/2\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        const resting_call call = {.fix_count = 0};
        resting it = resting_begin(TEXTS[k], &call);
        expect_positional(&it, "x th");
        resting_end(&it);
    }
}

// Of a sign that is the same for all directions nothing is read: dry friction of a sledge along
// its blade, written in coordinates of the plane.
static void what_a_condition_does_not_depend_on_is_cyclic(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x, y, th\n"
                               "kinetic (x'^2 + y'^2)/2 + th'^2/2\n"
                               "constraint blade: -sin(th)*x' + cos(th)*y' = 0\n"
                               "let u = cos(th)*x' + sin(th)*y'\n"
                               "quasi w1 = cos(th)*x' + sin(th)*y'\n"
                               "quasi w2 = th'\n"
                               "force x: -sign(u - 1)*cos(th)\n"
                               "force y: -sign(u - 1)*sin(th)\n"
                               "force th: -th'\n"
                               "start x' = 1\n";
    const resting_call call = {.fix_count = 0};
    resting it;
    const rh_status status = resting_try(TEXT, &call, &it);
    assert_int_equal(status, RH_OK);
    expect_positional(&it, "");
    resting_end(&it);
}

// --- small slopes --------------------------------------------------------------------------------

static void a_weak_spring_beside_a_large_mass_is_there(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        ("param M = 1e9, k = -1, c = 1e9\ncoord x\nkinetic M*x'^2/2\npotential k*x^2/2\n"
         "dissipation c*x'^2/2\n"),
        "coord x\nkinetic 1e9*x'^2/2\npotential -x^2/2\ndissipation 1e9*x'^2/2\n",
        "coord x\nkinetic x'^2/2\npotential -1e-14*x^2/2\ndissipation x'^2/2\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        const resting_call call = {.fix_count = 0};
        resting it = resting_begin(TEXTS[k], &call);
        expect_positional(&it, "x");
        const rh_steady_verdict verdict = rh_steady_solution(it.steady, 0).verdict;
        assert_true(verdict != RH_STEADY_ASYMPTOTICALLY_STABLE && verdict != RH_STEADY_STABLE);
        resting_end(&it);
    }
}

// Two moments of inertia that are equal but for rounding: the top is symmetric.
static void rounding_is_no_slope(void **state)
{
    (void)state;
    static const char TEXT[] = "param A = 0.1 + 0.2, B = 0.3, C = 0.5, mgl = 1\n"
                               "coord ps, th, ph\n"
                               "let w1 = ps'*sin(th)*sin(ph) + th'*cos(ph)\n"
                               "let w2 = ps'*sin(th)*cos(ph) - th'*sin(ph)\n"
                               "let w3 = ps'*cos(th) + ph'\n"
                               "kinetic A/2*w1^2 + B/2*w2^2 + C/2*w3^2\n"
                               "potential mgl*cos(th)\n"
                               "start th = 1, ph' = 9\n";
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin(TEXT, &call);
    expect_positional(&it, "th");
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_that_is_none_at_first),
        cmocka_unit_test(a_parameter_that_does_not_vary_is_what_it_is),
        cmocka_unit_test(the_family_over_it_changes_where_it_changes_sign),
        cmocka_unit_test(equations_that_differ_are_refused),
        cmocka_unit_test(what_a_condition_reads_is_positional),
        cmocka_unit_test(what_a_condition_does_not_depend_on_is_cyclic),
        cmocka_unit_test(a_weak_spring_beside_a_large_mass_is_there),
        cmocka_unit_test(rounding_is_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
