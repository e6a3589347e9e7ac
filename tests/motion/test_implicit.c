// SPDX-License-Identifier: Apache-2.0
// The guests from SUNDIALS, and who moves when nobody was asked for: agreement with Taylor series,
// stiff equations with known solutions, events.

#include "moving.h"

#include "motion/motion.h"

static const double PI = 3.14159265358979323846;

// --- agreement -----------------------------------------------------------------------------------

typedef struct agreement {
    const char *path;
    double time;
    bool is_plain;
} agreement;

static const agreement CASES[] = {
    {"examples/pendulum/model.rhe", 5.0, false},
    {"examples/pendulum_cartesian/model.rhe", 5.0, false},
    {"examples/rolling_disc/model.rhe", 5.0, false},
    {"examples/rolling_disc/model.rhe", 5.0, true},
    {"examples/andrews/model.rhe", 0.02, false},
    {"examples/chaplygin_sleigh/model.rhe", 2.0, false},
    {"examples/van_der_pol/model.rhe", 5.0, false},
};

enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

// The largest difference of a column at the end, relative to 1 + its size.
static double compare(const agreement *one, rh_method method, double tolerance)
{
    const moving_conditions with = {
        .method = method, .tolerance = tolerance, .is_plain = one->is_plain};
    const moving_conditions taylor = {.method = RH_METHOD_TAYLOR, .is_plain = one->is_plain};
    moving it = moving_file(one->path, &with);
    moving judge = moving_file(one->path, &taylor);
    moving_reach(&it, one->time);
    moving_reach(&judge, one->time);
    double worst = 0.0;
    for (size_t k = 0; k < rh_motion_column_count(judge.motion); k++) {
        const char *name = rh_motion_column_name(judge.motion, k);
        const double expected = moving_value(&judge, name);
        worst = fmax(worst, fabs(moving_value(&it, name) - expected) / (1.0 + fabs(expected)));
    }
    print_message("%s by %s: %.2g in %u steps\n", one->path, rh_motion_method(it.motion), worst,
                  (unsigned)rh_motion_summarise(it.motion).steps);
    moving_end(&it);
    moving_end(&judge);
    return worst;
}

static void backward_differences_agree_with_series(void **state)
{
    (void)state;
    for (size_t k = 0; k < CASE_COUNT; k++) {
        assert_true(compare(&CASES[k], RH_METHOD_CVODE, 1e-13) < 1e-8);
    }
}

static void unsolved_equations_agree_with_series(void **state)
{
    (void)state;
    for (size_t k = 0; k < CASE_COUNT; k++) {
        assert_true(compare(&CASES[k], RH_METHOD_IDA, 1e-11) < 1e-6);
    }
}

static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t m = 0; m < 3; m++) {
        const double coarse = compare(&CASES[2], METHODS[m], 1e-6);
        const double fine = compare(&CASES[2], METHODS[m], 1e-10);
        assert_true(fine < 5e-3 * coarse);
    }
}

// Where the caller stops on the way does not matter to the steps of the guest.
static void stops_on_the_way_do_not_matter(void **state)
{
    (void)state;
    const moving_conditions with = {.method = RH_METHOD_CVODE, .tolerance = 1e-11};
    moving straight = moving_file("examples/rolling_disc/model.rhe", &with);
    moving broken = moving_file("examples/rolling_disc/model.rhe", &with);
    moving_reach(&straight, 2.0);
    for (uint32_t k = 1; k <= 200; k++) {
        moving_reach(&broken, 2.0 * k / 200.0);
    }
    assert_near(moving_value(&broken, "theta"), moving_value(&straight, "theta"), 1e-8);
    assert_near(moving_value(&broken, "x"), moving_value(&straight, "x"), 1e-8);
    assert_true(rh_motion_summarise(broken.motion).steps <
                rh_motion_summarise(straight.motion).steps + 300);
    moving_end(&straight);
    moving_end(&broken);
}

// --- stiff equations -----------------------------------------------------------------------------

// The test set for IVP solvers, problem VDPOL.
static void stiff_van_der_pol(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_AUTO, RH_METHOD_CVODE};
    for (size_t m = 0; m < 2; m++) {
        const moving_conditions with = {.method = METHODS[m], .tolerance = 1e-11};
        moving it = moving_begin("state x, v\nlaw x' = v\nlaw v' = 1e6*((1 - x^2)*v - x)\n"
                                 "start x = 2, v = 0\n",
                                 &with);
        moving_reach(&it, 2.0);
        assert_string_equal(rh_motion_method(it.motion), "cvode");
        assert_near(moving_value(&it, "x"), 1.706167732170483, 1e-7);
        assert_near(moving_value(&it, "v"), -0.8928097010247975, 1e-7);
        print_message("%s\n", rh_motion_method_reason(it.motion));
        moving_end(&it);
    }
}

// R11: u' = -v, v' = u - N v from (-1, 0) at t = pi on; the roots of m^2 + N m + 1.
static void friction_that_is_nearly_a_blade(void **state)
{
    (void)state;
    static const double SIZES[] = {1e3, 1e4, 1e5, 1e6};
    for (size_t k = 0; k < 4; k++) {
        char set[32];
        (void)snprintf(set, sizeof set, "N=%.0f", SIZES[k]);
        const moving_conditions with = {.set = {set}, .set_count = 1};
        moving it = moving_file("examples/sleigh_one_sided/friction.rhe", &with);
        moving_reach(&it, PI + 1.0);
        const double fast = -0.5 * (SIZES[k] + sqrt(SIZES[k] * SIZES[k] - 4.0));
        const double slow = 1.0 / fast;
        const double v = -exp(slow) / (slow - fast);
        const double u = slow * v + SIZES[k] * v;
        print_message("N = %g: %s, %u steps, %s\n", SIZES[k], rh_motion_method(it.motion),
                      (unsigned)rh_motion_summarise(it.motion).steps,
                      rh_motion_method_reason(it.motion));
        assert_near(moving_value(&it, "lon"), u, 1e-9);
        assert_near_by(moving_value(&it, "dev.blade"), v, 3e-8, 0.0);
        assert_true(SIZES[k] < 1e5 || strcmp(rh_motion_method(it.motion), "cvode") == 0);
        moving_end(&it);
    }
    // the table of R11
    moving it = moving_file("tests/golden/models/r11_friction_n10000.rhe", NULL);
    moving_reach(&it, PI + 1.0);
    assert_near_by(moving_value(&it, "lat"), -0.000099990002499683413739, 1e-8, 0.0);
    assert_near(moving_value(&it, "lon"), -0.99990001499783378743, 1e-8);
    assert_near(moving_value(&it, "x"), 3.983071437434966, 1e-8);
    assert_near(moving_value(&it, "y"), -0.4595834496939828, 1e-8);
    moving_end(&it);
}

static void motions_that_are_not_stiff_stay_with_series(void **state)
{
    (void)state;
    for (size_t k = 0; k < CASE_COUNT; k++) {
        moving it = moving_file(CASES[k].path, NULL);
        moving_reach(&it, CASES[k].time);
        assert_string_equal(rh_motion_method(it.motion), "taylor");
        assert_string_equal(rh_motion_summarise(it.motion).method, "taylor");
        assert_true(rh_motion_method_reason(it.motion)[0] != '\0');
        moving_end(&it);
    }
}

// Near a singularity everything is fast, and nothing decays for long: x = (1 - t/2)^2.
static void singularities_are_not_stiff(void **state)
{
    (void)state;
    moving it = moving_begin("state x\nlaw x' = -sqrt(x)\nstart x = 1\n", NULL);
    (void)moving_advance(&it, 2.1);
    assert_string_equal(rh_motion_method(it.motion), "taylor");
    moving_end(&it);
}

// The switches of a tangent are those of its tape, in the same order; Jacobians rely on it.
static void tangents_keep_the_order_of_switches(void **state)
{
    (void)state;
    moving it = moving_begin(
        "state x, y, z\n"
        "law x' = abs(y - 0.3) + min(x, z) - max(y*z, 0.1) + if(y > 0.2 and x < 2, x, z)\n"
        "law y' = sign(sin(x) - 0.2)*y + abs(x*abs(z - 1) - 2)\n"
        "law z' = if(abs(x) > 1, -z, max(x, abs(y)))\n"
        "start x = 0.5, y = 0.4, z = 0.7\n",
        NULL);
    rh_motion *motion = it.motion;
    const rh_tape *tape = motion->system->step;
    rh_jacobian jacobian;
    double matrix[9];
    support_random random = support_random_begin("switches");
    assert_int_equal(rh__jacobian_create(motion, tape, 3, &jacobian, &it.err), RH_OK);
    assert_true(tape->switch_count > 8);
    assert_int_equal(jacobian.tape->switch_count, tape->switch_count);
    for (uint32_t trial = 0; trial < 20; trial++) {
        double x[3];
        double rate[3];
        for (uint32_t k = 0; k < 3; k++) {
            x[k] = support_random_real(&random, -2.0, 2.0);
        }
        rh__motion_rate(motion, 0.0, x, rate);
        assert_true(rh__jacobian_run(&jacobian, motion->plain, matrix));
        for (uint32_t k = 0; k < tape->switch_count; k++) {
            assert_int_equal(jacobian.tape->switches[k].rule, tape->switches[k].rule);
            assert_near(jacobian.state->jet[jacobian.tape->switches[k].surface],
                        motion->plain->jet[tape->switches[k].surface], 1e-14);
        }
    }
    rh__jacobian_destroy(&jacobian);
    moving_end(&it);
}

// --- events --------------------------------------------------------------------------------------

static void events_agree_with_those_of_series(void **state)
{
    (void)state;
    static const agreement EVENTS[] = {
        {"examples/pendulum_cartesian/model.rhe", 10.0, false},
        {"examples/van_der_pol/model.rhe", 20.0, false},
        {"tests/golden/models/language_event_reset.rhe", 20.0, false},
    };
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < 6; k++) {
        const agreement *one = &EVENTS[k / 2];
        const moving_conditions with = {.method = METHODS[k % 2], .tolerance = 1e-12};
        const moving_conditions taylor = {.method = RH_METHOD_TAYLOR};
        moving it = moving_file(one->path, &with);
        moving judge = moving_file(one->path, &taylor);
        assert_int_equal(moving_advance(&it, one->time), moving_advance(&judge, one->time));
        const size_t count = rh_motion_occurrence_count(judge.motion);
        assert_int_equal(rh_motion_occurrence_count(it.motion), count);
        for (size_t e = 0; e < count; e++) {
            const rh_occurrence a = rh_motion_occurrence(it.motion, e);
            const rh_occurrence b = rh_motion_occurrence(judge.motion, e);
            assert_string_equal(a.name, b.name);
            assert_near(a.time, b.time, 1e-7);
        }
        moving_end(&it);
        moving_end(&judge);
    }
}

// --- limits --------------------------------------------------------------------------------------

// A dense matrix that there is no room for.
static void too_many_unknowns_are_refused(void **state)
{
    (void)state;
    const moving_conditions with = {.method = RH_METHOD_CVODE};
    moving it;
    assert_int_equal(
        moving_try("param N = 17000\nstate x[1..N]\nlet s = sin(sum(i in 1..N: x[i]))\n"
                   "for i in 1..N: law x[i]' = s - x[i]\n"
                   "for i in 1..N: start x[i] = 1/N\n",
                   &with, &it),
        RH_E_LIMIT);
    assert_non_null(strstr(it.err.message, "17000"));
    moving_end(&it);
}

// Refused memory is a status, and everything is given back.
static void refused_memory_is_given_back(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t m = 0; m < 3; m++) {
        support_memory memory = {0};
        const moving_conditions with = {.method = METHODS[m], .memory = &memory};
        size_t size = 0;
        char *text = support_read("examples/pendulum_cartesian/model.rhe", &size);
        rh_status status = RH_E_MEMORY;
        for (size_t at = 1; status != RH_OK; at++) {
            moving it;
            memory.request_count = 0;
            memory.fail_at = at;
            status = moving_try(text, &with, &it);
            moving_end(&it);
            assert_int_equal(memory.block_count, 0);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backward_differences_agree_with_series),
        cmocka_unit_test(unsolved_equations_agree_with_series),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(stops_on_the_way_do_not_matter),
        cmocka_unit_test(stiff_van_der_pol),
        cmocka_unit_test(friction_that_is_nearly_a_blade),
        cmocka_unit_test(motions_that_are_not_stiff_stay_with_series),
        cmocka_unit_test(singularities_are_not_stiff),
        cmocka_unit_test(tangents_keep_the_order_of_switches),
        cmocka_unit_test(events_agree_with_those_of_series),
        cmocka_unit_test(too_many_unknowns_are_refused),
        cmocka_unit_test(refused_memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
