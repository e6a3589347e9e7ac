// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of whole systems: the polynomial of degree p leaves a residual x' - f(t, x)
// that shrinks like h^p, for every example; the constraints it starts with hold along it.

#include "workshop.h"

enum { DEGREE = 6, FILES = 12 };

static const char *const MODELS[FILES] = {
    "examples/rolling_disc/model.rhe",    "examples/chain/model.rhe",
    "examples/double_pendulum/model.rhe", "examples/andrews/model.rhe",
    "examples/flywheel/model.rhe",        "examples/lorenz/model.rhe",
    "examples/sleigh_offset/model.rhe",   "examples/two_link_arm_program/model.rhe",
    "examples/whipple_bicycle/model.rhe", "examples/chetaev_system/model.rhe",
    "examples/bricard/model.rhe",         "examples/four_bar/model.rhe"};

// x(h) and x'(h) of the polynomial.
static void evaluate(const rh_tape_state *state, uint32_t n, double h, double *x, double *rate)
{
    for (uint32_t i = 0; i < n; i++) {
        x[i] = rate[i] = 0.0;
        for (uint32_t k = DEGREE + 1; k-- > 0;) {
            const double c = rh__jet_row(state, k)[1 + i];
            x[i] = x[i] * h + c;
            rate[i] = k > 0 ? rate[i] * h + k * c : rate[i];
        }
    }
}

// The largest residual at h, relative to the size of the rates.
static double residual(machine *it, const rh_tape_state *series, rh_tape_state *plain, double t,
                       double h)
{
    const uint32_t n = it->system->x.count;
    double *x = rh__arena_array(&it->arena, double, 2 * (size_t)n);
    double *rate = x + n;
    double worst = 0.0;
    double size = 1.0;
    evaluate(series, n, h, x, rate);
    run_at(plain, t + h, x);
    for (uint32_t i = 0; i < n; i++) {
        const double expected = rh__tape_output(plain, i, 0);
        size = fmax(size, fabs(expected));
        worst = fmax(worst, fabs(rate[i] - expected));
    }
    return worst / size;
}

// A step at which the residual is small but far above rounding.
static void check_order(machine *it, const char *path, bool is_plain)
{
    const double t = time_at(it, &it->start.point);
    const double *x = packed(it, &it->start.point);
    rh_tape_state *series = bound_state(it->system->step, &it->start.point, DEGREE);
    rh_tape_state *plain = bound_state(it->system->step, &it->start.point, 0);
    rh__system_series(it->system, series, t, x, DEGREE);
    double h = 1.0;
    while (h > 1e-6 && !(residual(it, series, plain, t, h) < 1e-4)) {
        h *= 0.7;
    }
    const double coarse = residual(it, series, plain, t, h);
    const double fine = residual(it, series, plain, t, h / 4);
    const double order = log(coarse / fine) / log(4.0);
    // exact polynomials have no order
    if (!(coarse < 1e-12) && !(order > DEGREE - 1.0 || fine < 1e-12)) {
        fail_msg("%s%s: order %.2f from %.1e and %.1e at h = %.2e", path,
                 is_plain ? " without presolve" : "", order, coarse, fine, h);
    }
    rh__tape_state_destroy(series);
    rh__tape_state_destroy(plain);
}

static void series_solve_the_equations(void **unused)
{
    (void)unused;
    for (uint32_t k = 0; k < 2 * FILES; k++) {
        machine it;
        const machine_def def = {.path = MODELS[k / 2], .is_plain = k % 2 == 1};
        assert_true(machine_begin(&def, &it));
        check_order(&it, def.path, def.is_plain);
        machine_end(&it);
    }
}

// The levels of every link vanish to all orders along a consistent motion.
static void constraints_hold_to_every_order(void **unused)
{
    (void)unused;
    for (uint32_t m = 0; m < FILES; m++) {
        machine it;
        const machine_def def = {.path = MODELS[m], .is_plain = true};
        assert_true(machine_begin(&def, &it));
        const rh_system *system = it.system;
        rh_tape_state *series = bound_state(system->step, &it.start.point, DEGREE);
        rh_tape_state *output = bound_state(system->output, &it.start.point, DEGREE);
        rh__system_series(system, series, time_at(&it, &it.start.point),
                          packed(&it, &it.start.point), DEGREE);
        const uint32_t n = system->x.count;
        const uint32_t count = it.equations->links.count;
        for (uint32_t k = 0; k < DEGREE; k++) {
            double *row = rh__jet_row(output, k);
            memcpy(row, rh__jet_row(series, k), (n + 1) * sizeof *row);
            for (uint32_t u = 0; u < system->form.unknowns.count; u++) {
                row[1 + n + u] = rh__tape_output(series, n + u, k);
            }
            rh__jet_order(output, k);
            for (uint32_t link = 0; link < count; link++) {
                const rh_link *it_link = &it.equations->links.data[link];
                const bool is_kept = rh__link_is_enforced(it_link) &&
                                     !it_link->constraint->is_one_sided &&
                                     !it_link->constraint->has_law;
                const double level = rh__tape_output(output, system->level_of[link], k);
                if (is_kept && it.start.is_consistent && !(fabs(level) < 1e-8)) {
                    fail_msg("%s: link %u has coefficient %u of %.1e", def.path, link, k, level);
                }
            }
        }
        rh__tape_state_destroy(series);
        rh__tape_state_destroy(output);
        machine_end(&it);
    }
}

// A mark is left on a coefficient: is it still there when the series is asked for again?
static bool is_kept(const machine *it, rh_tape_state *state, double t, const double *x)
{
    double *last = rh__jet_row(state, DEGREE) + 1;
    const double true_one = *last;
    *last = 1e300;
    rh__system_series(it->system, state, t, x, DEGREE);
    const bool is_marked = *last == 1e300;
    *last = is_marked ? true_one : *last;
    return is_marked;
}

// A series that is asked for twice is there already, until anything that it depends on is another.
static void series_are_kept_until_something_changes(void **unused)
{
    (void)unused;
    machine it;
    const char *text = "param k = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "force x: -k*x + if(y > 1/2, 1, 0)*sin(t)\n"
                       "constraint wall: x' >= 0\nstart x = 1, y = 0, x' = 0, y' = 1\n";
    const machine_def def = {.path = "kept", .text = text};
    assert_true(machine_begin(&def, &it));
    const double t = time_at(&it, &it.start.point);
    double *x = packed(&it, &it.start.point);
    rh_tape_state *state = bound_state(it.system->step, &it.start.point, DEGREE);
    assert_true(it.system->step->hold_count > 0 && it.system->step->switch_count > 0);
    rh__system_series(it.system, state, t, x, DEGREE);
    assert_true(is_kept(&it, state, t, x));
    assert_false(is_kept(&it, state, t + 0.5, x));
    x[0] += 0.25;
    assert_false(is_kept(&it, state, t + 0.5, x));
    assert_true(is_kept(&it, state, t + 0.5, x));
    rh__tape_release(state, 0, 0.0);
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__tape_release(state, 0, 0.0);
    assert_true(is_kept(&it, state, t + 0.5, x));
    rh__tape_release(state, 0, 1.0);
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__tape_hold(state, 0);
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__tape_force(state, 0, 1.0);
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__tape_run(state);
    assert_false(is_kept(&it, state, t + 0.5, x));
    state->is_wary = true;
    assert_false(is_kept(&it, state, t + 0.5, x));
    state->is_wary = false;
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__system_series(it.system, state, t + 0.5, x, DEGREE - 1);
    assert_false(is_kept(&it, state, t + 0.5, x));
    assert_int_equal(rh__tape_bind(state, rh__point_value, &it.start.point), RH_OK);
    assert_false(is_kept(&it, state, t + 0.5, x));
    rh__tape_state_destroy(state);
    machine_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(series_solve_the_equations),
                                       cmocka_unit_test(constraints_hold_to_every_order),
                                       cmocka_unit_test(series_are_kept_until_something_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
