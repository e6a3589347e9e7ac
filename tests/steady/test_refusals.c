// SPDX-License-Identifier: Apache-2.0
// What cannot be: names that mean nothing, time in the equations, one-sided constraints, motions
// that do not exist; and what a walk meets at a fold.

#include "resting.h"

static void expect(const char *text, const resting_call *call, rh_status status, const char *says)
{
    resting it;
    assert_int_equal(resting_try(text, call, &it), status);
    if (strstr(it.err.message, says) == NULL) {
        print_error("%s\n", it.err.message);
    }
    assert_non_null(strstr(it.err.message, says));
    assert_null(it.steady);
    resting_end(&it);
}

static void names_and_numbers(void **state)
{
    (void)state;
    static const char TEXT[] = "coord phi\nkinetic phi'^2/2\npotential cos(phi)\n";
    const resting_call wrong = {.fix = {{"phj", 1.0}}, .fix_count = 1};
    const resting_call strange = {.fix = {{"quite_other", 1.0}}, .fix_count = 1};
    const resting_call guess = {.guess = {{"phj", 1.0}}, .guess_count = 1};
    const resting_call endless = {.fix = {{"phi", INFINITY}}, .fix_count = 1};
    const resting_call vague = {.guess = {{"phi", NAN}}, .guess_count = 1};
    const resting_call dial = {.dials = {"none"}, .dial_count = 1};
    expect(TEXT, &wrong, RH_E_ARGUMENT, "did you mean phi?");
    expect(TEXT, &strange, RH_E_ARGUMENT, "quasi-velocities, states, parameters");
    expect(TEXT, &guess, RH_E_ARGUMENT, "--guess: there is no \"phj\"");
    expect(TEXT, &endless, RH_E_ARGUMENT, "--fix phi: the value is not finite");
    expect(TEXT, &vague, RH_E_ARGUMENT, "--guess phi: the value is not finite");
    expect(TEXT, &dial, RH_E_ARGUMENT, "no parameter or input");
}

static void time_is_refused(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    expect("coord x\nkinetic x'^2/2\nforce x: cos(t) - x\n", &call, RH_E_UNAVAILABLE,
           "contain the time");
    expect("coord x\nkinetic x'^2/2\npotential x^2\ninput u from \"u.csv\"\nforce x: u\n", &call,
           RH_E_UNAVAILABLE, "input u");
}

// A ball on a floor that pushes; a ball that would have to be held down; a ball in the air.
static void one_sided_constraints(void **state)
{
    (void)state;
    static const char TEXT[] = "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential g*y + x^2/2\ndissipation x'^2/4\n"
                               "constraint floor: y >= 0 impact 0\nstart x = 0.4, y = 0\n";
    resting_call call = {.fix_count = 0};
    resting it = resting_begin(TEXT, &call);
    const rh_steady_motion motion = resting_near(&it, "x", 0.0);
    assert_int_equal(motion.size, 2);
    assert_near(motion.roots[0].real, -0.25, 1e-14);
    assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    resting_end(&it);
    call.set[0] = "g=-9.81";
    call.set_count = 1;
    it = resting_begin(TEXT, &call);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 0);
    assert_non_null(strstr(rh_steady_summarise(it.steady).reason, "needs one to pull"));
    resting_end(&it);
    call.set_count = 0;
    it = resting_begin("coord y\nkinetic y'^2/2\npotential y^2/2\n"
                       "constraint floor: y >= 1 impact 0\nstart y = 2\n",
                       &call); // at rest only below the floor
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 0);
    assert_non_null(strstr(rh_steady_summarise(it.steady).reason, "violates a one-sided"));
    resting_end(&it);
}

// Rolling with dissipation of the rolling itself: nothing is steady but rest.
static void dissipation_must_vanish(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"x'", 2.0}}, .fix_count = 1};
    resting it = resting_begin("coord x\nkinetic x'^2/2\ndissipation x'^2/2\n", &call);
    const rh_steady_summary summary = rh_steady_summarise(it.steady);
    assert_int_equal(summary.solution_count, 0);
    assert_non_null(strstr(summary.reason, "dissipation takes 4"));
    assert_non_null(strstr(summary.reason, "must vanish on a steady motion"));
    resting_end(&it);
}

// With something that drives it the same motion is steady, and the dissipation is told.
static void a_driven_motion_may_dissipate(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin("coord x\nkinetic x'^2/2\ndissipation x'^2/2\nforce x: 2\n", &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_near(motion.values[0], 2.0, 1e-14);
    assert_near(motion.dissipation, 4.0, 1e-13);
    assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    resting_end(&it);
}

static void nothing_is_found(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin("coord x\nkinetic x'^2/2\npotential x + sin(x)/2\n", &call);
    const rh_steady_summary summary = rh_steady_summarise(it.steady);
    assert_int_equal(summary.solution_count, 0);
    assert_non_null(strstr(summary.reason, "no steady motion was found"));
    resting_end(&it);
}

static bool never(void *user)
{
    (*(int *)user)++;
    return false;
}

static void a_search_can_be_ended(void **state)
{
    (void)state;
    int asked = 0;
    const resting_call call = {.fix_count = 0};
    resting it;
    resting_derive("coord x\nkinetic x'^2/2\npotential exp(x)\n", &call, &it);
    rh_steady_def def = rh_steady_def_default();
    def.is_wanted = never;
    def.user = &asked;
    assert_int_equal(rh_steady_create(it.equations, &def, &it.steady, &it.err), RH_OK);
    assert_true(asked > 0 && rh_steady_summarise(it.steady).is_ended);
    resting_end(&it);
}

// x^2 = p - 1 with p from 3 down: the family turns round at p = 1 and comes back on the other side.
static void a_fold_is_walked_round(void **state)
{
    (void)state;
    const resting_call call = {
        .fix = {{"p", 3.0}}, .fix_count = 1, .guess = {{"x", 1.5}}, .guess_count = 1};
    resting it = resting_begin("param p = 3\nstate x\nlaw x' = p - 1 - x^2\n", &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t folds = 0;
    uint32_t changes = 0;
    double last = 0.0;
    def.name = "p";
    def.from = 3.0;
    def.to = 0.0;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        if (is_there) {
            folds += point.mark == RH_WALK_FOLD;
            changes += point.mark == RH_WALK_CHANGE;
            last = point.motion.values[0];
            assert_true(point.mark != RH_WALK_FOLD || (point.low <= 1.01 && point.high >= 1.0));
            assert_true(point.mark != RH_WALK_CHANGE || fabs(point.value - 1.0) < 1e-6);
        }
    }
    assert_int_equal(folds, 1);
    assert_int_equal(changes, 1);
    assert_near(last, -sqrt(2.0), 1e-10); // back at p = 3, on the unstable branch
    rh_walk_destroy(walk);
    def.name = "q";
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "--continue: q is no"));
    resting_end(&it);
}

// A list that is full says so, and one that holds all there are does not.
static void more_than_are_kept(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin("state x\nlaw x' = sin(pi*x)\nstart x = 0.1\n", &call);
    const rh_steady_summary many = rh_steady_summarise(it.steady);
    assert_int_equal(many.solution_count, 16);
    assert_true(many.has_more);
    resting_end(&it);
    it = resting_begin("state x\nlaw x' = x - x^3\nstart x = 0.1\n", &call);
    const rh_steady_summary few = rh_steady_summarise(it.steady);
    assert_int_equal(few.solution_count, 3);
    assert_false(few.has_more);
    resting_end(&it);
}

// Where slopes grow without bound motions are not found, and that is said; what has slopes there,
// or a pole, is none of this.
static void places_that_are_not_seen(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        bool is_unseen;
    } ALL[] = {
        {"-x + sqrt(abs(x))", true},
        {"-x + 1e-9*sqrt(abs(x)*1e-9)*1e9", true},
        {"1 - x + abs(x - 1)^(1/3)", true},
        {"-(x - 1e6) + sqrt(abs(x - 1e6))", true},
        {"-x + abs(x)", false},
        {"-x + x*abs(x)", false},
        {"-x + abs(x)^1.5", false},
        {"1 - x + log(abs(x - 3))", false},
        {"1 - x + 1/(1 + abs(x))", false},
        {"0.3 - x + 1/abs(x - 3)", false},
        {"-x + tanh(1000*x) + abs(x)", false},
    };
    const resting_call call = {.fix_count = 0};
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "state x\nlaw x' = %s\nstart x = 0.5\n", ALL[k].law);
        resting it = resting_begin(text, &call);
        if ((rh_steady_summarise(it.steady).unseen[0] != '\0') != ALL[k].is_unseen) {
            fail_msg("%s: \"%s\"", ALL[k].law, rh_steady_summarise(it.steady).unseen);
        }
        resting_end(&it);
    }
}

// Follow p as far as it goes; hands back the reason of its end.
static void walk_until(const char *text, double from, double to, uint32_t limit, const char *says)
{
    const resting_call call = {
        .fix = {{"p", from}}, .fix_count = 1, .guess = {{"x", 1.0}}, .guess_count = 1};
    resting it = resting_begin(text, &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    def.name = "p";
    def.from = from;
    def.to = to;
    def.point_limit = limit;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
    }
    assert_non_null(strstr(rh_walk_reason(walk), says));
    rh_walk_destroy(walk);
    resting_end(&it);
}

static void families_that_end_early(void **state)
{
    (void)state;
    walk_until("param p = 1\nstate x\nlaw x' = log(p) + 1 - x\n", 1.0, -1.0, 5000,
               "goes off to infinity");
    walk_until("param p = 1\nstate x\nlaw x' = 1/(p - 0.5) - 2*x\n", 1.0, -1.0, 5000,
               "goes off to infinity");
    walk_until("param p = 1\nstate x\nlaw x' = p*sqrt(p) - x\n", 1.0, -1.0, 5000,
               "cannot be followed further");
    walk_until("param p = 1\nstate x\nlaw x' = p - x\n", 1.0, 2.0, 3, "more than 3 points");
}

static bool take(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return true;
}

// Where no motion was found there is no family, and no table of one.
static void a_family_of_nothing_has_no_table(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it;
    assert_int_equal(resting_try("state x\nlaw x' = 1 + x^2\nstart x = 0\n", &call, &it), RH_OK);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 0);
    const rh_sink sink = {take, NULL};
    const rh_walk_point point = {.value = 0.0};
    assert_int_equal(rh_output_family_head(it.steady, "x", sink, &it.err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_family_row(it.steady, &point, sink, &it.err), RH_E_ARGUMENT);
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(time_is_refused),
        cmocka_unit_test(one_sided_constraints),
        cmocka_unit_test(a_family_of_nothing_has_no_table),
        cmocka_unit_test(dissipation_must_vanish),
        cmocka_unit_test(a_driven_motion_may_dissipate),
        cmocka_unit_test(nothing_is_found),
        cmocka_unit_test(a_search_can_be_ended),
        cmocka_unit_test(more_than_are_kept),
        cmocka_unit_test(places_that_are_not_seen),
        cmocka_unit_test(a_fold_is_walked_round),
        cmocka_unit_test(families_that_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
