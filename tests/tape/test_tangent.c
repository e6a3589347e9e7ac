// SPDX-License-Identifier: Apache-2.0
// Tangents: against differences by extrapolation, for single operations and whole systems; as jets
// against jets of nearby paths; and the symmetry that mass matrices pass on.

#include "scribble.h"
#include "workshop.h"

// --- expressions -----------------------------------------------------------------------------

static double output_at(rh_tape_state *state, const double *x, const double *dx, double h,
                        uint32_t output)
{
    for (uint32_t k = 0; k < state->tape->input_count; k++) {
        state->jet[k] = x[k] + h * dx[k];
    }
    rh__tape_run(state);
    return rh__tape_output(state, output, 0);
}

// d/dh at h = 0: central differences extrapolated three times; the error is about 1e-11.
static double slope(rh_tape_state *state, const double *x, const double *dx, uint32_t output)
{
    double table[4];
    double h = 0.02;
    for (uint32_t k = 0; k < 4; k++, h /= 2) {
        table[k] =
            (output_at(state, x, dx, h, output) - output_at(state, x, dx, -h, output)) / (2 * h);
        double power = 1.0;
        for (uint32_t j = k; j-- > 0;) {
            power *= 4.0;
            table[j] = table[j + 1] + (table[j + 1] - table[j]) / (power - 1.0);
        }
    }
    return table[0];
}

static void tangents_of_operations_are_slopes(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("tangents");
    for (uint32_t kind = 0; kind < PAGE_KINDS; kind++) {
        page on;
        page_begin(&on);
        const rh_expr root =
            page_operation(&on, kind, rh__expr_multiply(on.store, on.x[0], on.x[2]), on.x[1]);
        rh_tape *tape = page_tape(&on, &root, 1);
        const rh_tangent_def def = {.direction_count = 2};
        rh_tape *tangent = NULL;
        assert_int_equal(rh__tape_tangent(tape, &def, &tangent, NULL), RH_OK);
        assert_int_equal(tangent->input_count, 3 * PAGE_VARIABLES);
        assert_int_equal(tangent->output_count, 3);
        rh_tape_state *plain = page_state(&on, tape, 0);
        rh_tape_state *both = page_state(&on, tangent, 0);
        double x[PAGE_VARIABLES];
        double dx[2][PAGE_VARIABLES];
        for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
            both->jet[k] = x[k] = support_random_real(&random, 0.3, 0.9) + 0.1 * k;
            for (uint32_t d = 0; d < 2; d++) {
                dx[d][k] = support_random_real(&random, -1, 1);
                both->jet[PAGE_VARIABLES * (d + 1) + k] = dx[d][k];
            }
        }
        rh__tape_run(both);
        assert_near(rh__tape_output(both, 0, 0), output_at(plain, x, dx[0], 0.0, 0), 1e-14);
        // no difference shall reach over a switch
        for (uint32_t k = 0; k < tape->switch_count; k++) {
            rh__tape_force(plain, k, rh__tape_truth(plain, k));
        }
        for (uint32_t d = 0; d < 2; d++) {
            assert_near(rh__tape_output(both, 1 + d, 0), slope(plain, x, dx[d], 0), 1e-8);
        }
        rh__tape_state_destroy(plain);
        rh__tape_state_destroy(both);
        rh__tape_destroy(tangent);
        rh__tape_destroy(tape);
        page_end(&on);
    }
}

// --- systems ---------------------------------------------------------------------------------

static const char *const MODELS[] = {"examples/rolling_disc/model.rhe",
                                     "examples/chain/model.rhe",
                                     "examples/andrews/model.rhe",
                                     "examples/flywheel/model.rhe",
                                     "examples/lorenz/model.rhe",
                                     "examples/sleigh_offset/model.rhe",
                                     "examples/two_link_arm_program/model.rhe",
                                     "examples/whipple_bicycle/model.rhe"};

enum { MODEL_COUNT = sizeof MODELS / sizeof MODELS[0], JET = 5 };

static void check_system(machine *it, const char *path, support_random *random)
{
    const rh_tape *step = it->system->step;
    const rh_tangent_def def = {.direction_count = 1};
    rh_tape *tangent = NULL;
    assert_int_equal(rh__tape_tangent(step, &def, &tangent, NULL), RH_OK);
    rh_tape_state *plain = bound_state(step, &it->start.point, 0);
    rh_tape_state *both = bound_state(tangent, &it->start.point, 0);
    const uint32_t n = step->input_count;
    double *x = rh__arena_array(&it->arena, double, 2 * (size_t)n);
    double *dx = x + n;
    x[0] = time_at(it, &it->start.point);
    memcpy(x + 1, packed(it, &it->start.point), (n - 1) * sizeof *x);
    for (uint32_t k = 0; k < n; k++) {
        dx[k] = 0.1 * support_random_real(random, -1, 1);
    }
    memcpy(both->jet, x, 2 * n * sizeof *x);
    rh__tape_run(both);
    double size = 1.0;
    for (uint32_t k = 0; k < step->output_count; k++) {
        size = fmax(size, fabs(rh__tape_output(both, step->output_count + k, 0)));
    }
    for (uint32_t k = 0; k < step->output_count; k++) {
        const double expected = slope(plain, x, dx, k);
        const double actual = rh__tape_output(both, step->output_count + k, 0);
        if (!(fabs(actual - expected) < 1e-6 * size)) {
            fail_msg("%s: tangent %u is %.12g, not %.12g (size %g)", path, k, actual, expected,
                     size);
        }
    }
    rh__tape_state_destroy(plain);
    rh__tape_state_destroy(both);
    rh__tape_destroy(tangent);
}

static void tangents_of_systems_are_slopes(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("systems");
    for (uint32_t k = 0; k < 2 * MODEL_COUNT; k++) {
        machine it;
        const machine_def def = {.path = MODELS[k / 2], .is_plain = k % 2 == 1};
        assert_true(machine_begin(&def, &it));
        check_system(&it, def.path, &random);
        machine_end(&it);
    }
}

// Jets of the tangent tape along a motion are the derivatives of the jets by the start.
static void jets_of_tangents_are_slopes_of_jets(void **unused)
{
    (void)unused;
    machine it;
    const machine_def def = {.path = "examples/chain/model.rhe", .set = "N=6", .is_plain = true};
    assert_true(machine_begin(&def, &it));
    const rh_tape *step = it.system->step;
    const uint32_t n = it.system->x.count;
    rh_tape *tangent = NULL;
    const rh_tangent_def tangent_def = {.direction_count = 1};
    assert_int_equal(rh__tape_tangent(step, &tangent_def, &tangent, NULL), RH_OK);
    rh_tape_state *plain = bound_state(step, &it.start.point, JET);
    rh_tape_state *both = bound_state(tangent, &it.start.point, JET);
    const double *x = packed(&it, &it.start.point);
    double moved[64];
    double above[JET + 1][64];
    for (uint32_t k = 0; k < n; k++) {
        both->jet[1 + k] = x[k];
        both->jet[2 + n + k] = sin(1.0 + k);
    }
    for (uint32_t k = 0; k < JET; k++) {
        rh__jet_order(both, k);
        double *next = rh__jet_row(both, k + 1);
        next[0] = k == 0 ? 1.0 : 0.0;
        for (uint32_t i = 0; i < n; i++) {
            next[1 + i] = rh__tape_output(both, i, k) / (k + 1);
            next[2 + n + i] = rh__tape_output(both, step->output_count + i, k) / (k + 1);
        }
    }
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < n; i++) {
            moved[i] = x[i] + (side == 0 ? h : -h) * sin(1.0 + i);
        }
        rh__system_series(it.system, plain, 0.0, moved, JET);
        for (uint32_t k = 0; k <= JET; k++) {
            double size = 1.0;
            for (uint32_t i = 0; i < n; i++) {
                size = fmax(size, fabs(rh__jet_row(both, k)[2 + n + i]));
            }
            for (uint32_t i = 0; i < n; i++) {
                const double c = rh__jet_row(plain, k)[1 + i];
                if (side == 0) {
                    above[k][i] = c;
                } else {
                    assert_near_by((above[k][i] - c) / (2 * h), rh__jet_row(both, k)[2 + n + i],
                                   0.0, 1e-5 * size);
                }
            }
        }
    }
    rh__tape_state_destroy(plain);
    rh__tape_state_destroy(both);
    rh__tape_destroy(tangent);
    machine_end(&it);
}

// The tangents of a gradient are a Hessian: symmetric.
static void potentials_give_symmetric_tangents(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    rh_store *s = on.store;
    const rh_expr sum = rh__expr_add(s, rh__expr_multiply(s, on.x[0], on.x[1]), on.x[2]);
    const rh_expr potential =
        rh__expr_add(s, page_apply(&on, RH_OP_EXP, page_bounded(&on, sum)),
                     rh__expr_power(s, page_positive(&on, rh__expr_multiply(s, on.x[0], on.x[2])),
                                    page_number(&on, -1, 2)));
    rh_expr force[PAGE_VARIABLES];
    for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
        force[k] = rh__expr_differentiate(s, potential, on.x[k]);
    }
    rh_tape *tape = page_tape(&on, force, PAGE_VARIABLES);
    const rh_tangent_def tangent_def = {.direction_count = PAGE_VARIABLES};
    rh_tape *tangent = NULL;
    assert_int_equal(rh__tape_tangent(tape, &tangent_def, &tangent, NULL), RH_OK);
    rh_tape_state *state = page_state(&on, tangent, 0);
    for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
        state->jet[k] = on.value[k];
        state->jet[PAGE_VARIABLES * (k + 1) + k] = 1.0;
    }
    rh__tape_run(state);
    for (uint32_t i = 0; i < PAGE_VARIABLES; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_near(rh__tape_output(state, PAGE_VARIABLES * (i + 1) + k, 0),
                        rh__tape_output(state, PAGE_VARIABLES * (k + 1) + i, 0), 1e-14);
        }
    }
    rh__tape_state_destroy(state);
    rh__tape_destroy(tangent);
    rh__tape_destroy(tape);
    page_end(&on);
}

// Inputs that are not active have no tangent, and cost nothing.
static void still_inputs_cost_nothing(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    const rh_expr root = rh__expr_multiply(on.store, page_apply(&on, RH_OP_SIN, on.x[0]), on.x[1]);
    rh_tape *tape = page_tape(&on, &root, 1);
    const uint32_t active = 1;
    const rh_tangent_def def = {.direction_count = 1, .active = &active, .active_count = 1};
    rh_tape *tangent = NULL;
    assert_int_equal(rh__tape_tangent(tape, &def, &tangent, NULL), RH_OK);
    assert_int_equal(tangent->input_count, PAGE_VARIABLES + 1);
    assert_int_equal(tangent->products.count, 2); // sin(x) y, sin(x) dy
    rh__tape_destroy(tangent);
    rh__tape_destroy(tape);
    page_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tangents_of_operations_are_slopes),
                                       cmocka_unit_test(tangents_of_systems_are_slopes),
                                       cmocka_unit_test(jets_of_tangents_are_slopes_of_jets),
                                       cmocka_unit_test(potentials_give_symmetric_tangents),
                                       cmocka_unit_test(still_inputs_cost_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
