// SPDX-License-Identifier: Apache-2.0
// Searches that end at a point of rest, and searches that somebody ends.

#include "orbiting.h"

typedef struct falling {
    const char *start[2];
    double period;
    const char *symmetry;
    bool has_whole_steps;
    double xi, eta; // of the point of rest
} falling;

static const orbiting_conditions ONE_WELL = {
    .set = {"mu=0.05", "sigma=1.5", "b=1"},
    .set_count = 3,
    .start = {"xi=0.9809215422756576447743", "eta=0.514907677281477367288"},
    .start_count = 2};

// R04 (c): from the averaged orbit in one well, plain steps of Newton's method fall onto the point
// of rest xi = 1/sqrt 3, eta = 2/3, and it is told as one; from other starts onto this one or onto
// the origin, with shortened steps and without.
static void searches_fall_onto_points_of_rest(void **state)
{
    (void)state;
    const double well = 1.0 / sqrt(3.0);
    const double eta = 2.0 / 3.0;
    const falling CASES[] = {
        {{"xi=0.9809215422756576447743", "eta=0.514907677281477367288"},
         10.92357601780562784158,
         NULL,
         true,
         well,
         eta},
        {{"xi=0.05", "eta=0.9"}, 10.0, NULL, false, well, eta},
        {{"xi=0.3", "eta=0.9"}, 10.0, NULL, true, well, eta},
        {{"xi=0.7", "eta=0.5"}, 10.0, NULL, false, well, eta},
        {{"xi=0.7", "eta=0.5"}, 10.0, NULL, true, well, eta},
        {{"xi=0.57", "eta=0.7"}, 10.0, NULL, true, well, eta},
        {{"xi=1.4", "eta=0.2"}, 10.0, NULL, true, well, eta},
        {{"xi=0.05", "eta=0.9"}, 10.0, "xi=-xi, p=-p", false, 0.0, 0.0},
        {{"xi=0.05", "eta=0.9"}, 10.0, "xi=-xi, p=-p", true, 0.0, 0.0},
        {{"xi=0.57", "eta=0.7"}, 10.0, "xi=-xi, p=-p", false, 0.0, 0.0},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const falling *of = &CASES[k];
        orbiting_conditions with = ONE_WELL;
        with.start[0] = of->start[0];
        with.start[1] = of->start[1];
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "xi, eta";
        def.period = of->period;
        def.symmetry = of->symmetry;
        def.has_whole_steps = of->has_whole_steps;
        orbiting it = orbiting_begin(ORBITING_LORENZ, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        if (summary.outcome != RH_ORBIT_EQUILIBRIUM) {
            fail_msg("case %zu: outcome %d, %s", k, (int)summary.outcome, summary.reason);
        }
        assert_true(summary.is_still);
        assert_true(isnan(summary.period));
        assert_near(orbiting_value(&it, "xi"), of->xi, 1e-12);
        assert_near(orbiting_value(&it, "p"), 0.0, 1e-12);
        assert_near(orbiting_value(&it, "eta"), of->eta, 1e-12);
        orbiting_end(&it);
    }
}

// From the same start shortened steps find an orbit instead: the reference is Newton's method with
// Taylor series of order 40 in 30 digits, independent of this program.
static void the_orbit_beside_the_fall_is_one(void **state)
{
    (void)state;
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.period = 10.92357601780562784158;
    orbiting it = orbiting_find(ORBITING_LORENZ, &ONE_WELL, &def);
    assert_near(orbiting_value(&it, "xi"), 0.9824456068296715874931, 1e-12);
    assert_near(orbiting_value(&it, "eta"), 0.5142531492423732776121, 1e-12);
    assert_near(rh_orbit_summarise(it.orbit).period, 10.9650492227266309364, 1e-12);
    assert_false(rh_orbit_summarise(it.orbit).is_still);
    assert_true(rh_orbit_summarise(it.orbit).extent > 0.4);
    orbiting_has(&it, 1.32199395742554921796, 0.0, 1e-10);
    orbiting_has(&it, 0.35109634140971489670, 0.0, 1e-10);
    orbiting_end(&it);
}

// Plain steps may lead to no time at all; that is told, not followed.
static void whole_steps_may_lead_nowhere(void **state)
{
    (void)state;
    orbiting_conditions with = ONE_WELL;
    with.start[0] = "xi=0.9";
    with.start[1] = "eta=0.6";
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.period = 10.0;
    def.has_whole_steps = true;
    orbiting it = orbiting_begin(ORBITING_LORENZ, &with, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_int_equal(summary.outcome, RH_ORBIT_FAILED);
    assert_non_null(strstr(summary.reason, "after 1 iteration the orbit"));
    assert_non_null(strstr(summary.reason, "a whole step leads to a period of -"));
    orbiting_end(&it);
}

// Equations in time: a solution that stands still is an orbit with multipliers, and told as still.
static void points_of_rest_in_time(void **state)
{
    (void)state;
    static const char MATHIEU[] = "param e = 0.1\nstate x, v\nlaw x' = v\n"
                                  "law v' = -(0.25 + e*cos(t))*x - x^3\nstart x = 0.001, v = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 2.0 * 3.14159265358979323846;
    orbiting it = orbiting_find(MATHIEU, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_true(summary.is_still);
    assert_true(summary.extent < 1e-9);
    const double product =
        rh_orbit_multiplier(it.orbit, 0).real * rh_orbit_multiplier(it.orbit, 1).real;
    assert_near(product, 1.0, 1e-12); // the flow keeps areas
    orbiting_end(&it);
}

// Eigenvalues of a point of rest, rightmost first: of centers, whose real parts are rounding, the
// fastest first, and every one beside its conjugate.
static void eigenvalues_of_centers_stand_in_pairs(void **state)
{
    (void)state;
    static const char CENTERS[] =
        "state p, q, r, s, u, v, w\nlaw p' = 2*q - r*w\nlaw q' = -2*p\nlaw r' = 3*s\n"
        "law s' = -3*r + p*q\nlaw u' = v\nlaw v' = -u\nlaw w' = -w/2\n"
        "start p = 0, q = 0, r = 0, s = 0, u = 0, v = 0, w = 0\n";
    static const double WANTED[][2] = {{0.0, 3.0}, {0.0, -3.0}, {0.0, 2.0}, {0.0, -2.0},
                                       {0.0, 1.0}, {0.0, -1.0}, {-0.5, 0.0}};
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 2.0;
    orbiting it = orbiting_begin(CENTERS, NULL, &def);
    assert_int_equal(rh_orbit_summarise(it.orbit).outcome, RH_ORBIT_EQUILIBRIUM);
    assert_int_equal(rh_orbit_multiplier_count(it.orbit), sizeof WANTED / sizeof *WANTED);
    for (size_t k = 0; k < sizeof WANTED / sizeof *WANTED; k++) {
        assert_near(rh_orbit_multiplier(it.orbit, k).real, WANTED[k][0], 1e-12);
        assert_near(rh_orbit_multiplier(it.orbit, k).imaginary, WANTED[k][1], 1e-12);
    }
    orbiting_end(&it);
}

// On constraints: a pendulum that is let go near the lowest point and asked for a period it has
// not.
static void points_of_rest_on_constraints(void **state)
{
    (void)state;
    static const char DAMPED[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                 "force x: -x'/2\nforce y: -y'/2\nconstraint rod: x^2 + y^2 = 1\n"
                                 "start x = 0.3, y = -sqrt(0.91), x' = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 2.0;
    orbiting it = orbiting_begin(DAMPED, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_int_equal(summary.outcome, RH_ORBIT_EQUILIBRIUM);
    assert_near(orbiting_value(&it, "x"), 0.0, 1e-10);
    assert_near(orbiting_value(&it, "y"), -1.0, 1e-10);
    orbiting_end(&it);
}

// --- somebody ends it ----------------------------------------------------------------------------

static const char *count_down(void *user)
{
    uint32_t *left = user;
    *left -= *left > 0;
    return *left == 0 ? "enough" : NULL;
}

static void a_search_that_is_ended_says_so(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 200; count += 19) {
        uint32_t left = count;
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "xi, eta";
        def.period = 10.92357601780562784158;
        def.interrupt = count_down;
        def.user = &left;
        orbiting it = orbiting_begin(ORBITING_LORENZ, &ONE_WELL, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        assert_int_equal(summary.outcome, RH_ORBIT_FAILED);
        if (strstr(summary.reason, "enough") == NULL) {
            fail_msg("after %u: %s", count, summary.reason);
        }
        orbiting_end(&it);
    }
}

static void a_branch_that_is_ended_keeps_its_points(void **state)
{
    (void)state;
    uint32_t left = UINT32_MAX;
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.symmetry = "xi=-xi, p=-p";
    def.period = 22.83;
    def.interrupt = count_down;
    def.user = &left;
    const orbiting_conditions with = {.set = {"mu=0.01"}, .set_count = 1};
    orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
    rh_branch_def follow = rh_branch_def_default();
    follow.set_count = 1;
    follow.from = 0.01;
    follow.to = 0.2;
    rh_branch *branch = NULL;
    assert_int_equal(rh_branch_create(it.orbit, &follow, &branch, &it.err), RH_OK);
    left = 500;
    uint32_t points = 0;
    bool is_there = true;
    while (is_there) {
        rh_branch_point point;
        assert_int_equal(rh_branch_step(branch, &point, &is_there, &it.err), RH_OK);
        points += is_there;
    }
    assert_true(points > 1 && points < 100);
    assert_string_equal(rh_branch_reason(branch), "enough");
    rh_branch_destroy(branch);
    orbiting_end(&it);
}

// Ended while the place of a mark was looked for: the mark is told within its width, not left out.
static void a_mark_that_is_not_narrowed_is_told(void **state)
{
    (void)state;
    uint32_t wide = 0;
    for (uint32_t count = 400; count < 4000; count += 200) {
        uint32_t left = UINT32_MAX;
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "xi, eta";
        def.symmetry = "xi=-xi, p=-p";
        def.period = 22.83;
        def.interrupt = count_down;
        def.user = &left;
        const orbiting_conditions with = {.set = {"mu=0.18"}, .set_count = 1};
        orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
        rh_branch_def follow = rh_branch_def_default();
        follow.set_count = 1;
        follow.from = 0.18;
        follow.to = 0.2;
        rh_branch *branch = NULL;
        assert_int_equal(rh_branch_create(it.orbit, &follow, &branch, &it.err), RH_OK);
        left = count;
        uint32_t marks = 0;
        bool is_there = true;
        while (is_there) {
            rh_branch_point point;
            assert_int_equal(rh_branch_step(branch, &point, &is_there, &it.err), RH_OK);
            if (is_there && point.mark != RH_BRANCH_POINT) {
                marks++;
                wide += point.width > follow.resolution;
                assert_int_equal(point.mark, RH_BRANCH_PITCHFORK);
                assert_true(point.parameter > 0.19693994 &&
                            point.parameter < 0.196939944 + point.width);
            } else if (is_there && point.parameter > 0.197) {
                assert_int_equal(marks, 1);
                assert_false(point.is_stable);
            }
        }
        rh_branch_destroy(branch);
        orbiting_end(&it);
    }
    assert_true(wide > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_fall_onto_points_of_rest),
        cmocka_unit_test(the_orbit_beside_the_fall_is_one),
        cmocka_unit_test(whole_steps_may_lead_nowhere),
        cmocka_unit_test(points_of_rest_in_time),
        cmocka_unit_test(eigenvalues_of_centers_stand_in_pairs),
        cmocka_unit_test(points_of_rest_on_constraints),
        cmocka_unit_test(a_search_that_is_ended_says_so),
        cmocka_unit_test(a_branch_that_is_ended_keeps_its_points),
        cmocka_unit_test(a_mark_that_is_not_narrowed_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
