// SPDX-License-Identifier: Apache-2.0
// Order 0 by compiled functions (points.c): the stepping tape and the tapes of the projection give
// what the interpreter gives, at random points; what they cannot serve goes to the interpreter.

#define _POSIX_C_SOURCE 200809L

#include "tiering.h"

#include "motion/motion.h"

#include <string.h>

enum { STATES = 5, TRIES = 4 };

static void list_states(rh_motion *motion, rh_tape_state *out[STATES])
{
    rh_project_stage *stages = motion->projector.stages;
    rh_tape_state *const states[STATES] = {motion->plain, stages[0].miss_state,
                                           stages[0].shift_state, stages[1].miss_state,
                                           stages[1].shift_state};
    memcpy(out, states, sizeof states);
}

// The inputs of a state are there: its outputs by the interpreter, in an array of its own.
static double *interpret(rh_tape_state *state)
{
    rh_series_kernel *point = state->point;
    double *told = calloc((size_t)state->tape->output_count + 1, sizeof *told);
    state->point = NULL;
    rh__tape_run(state);
    state->point = point;
    for (uint32_t k = 0; k < state->tape->output_count; k++) {
        told[k] = rh__tape_output(state, k, 0);
    }
    return told;
}

static void compare(rh_tape_state *state, const char *what)
{
    double *told = interpret(state);
    const double rcond = state->quality.rcond;
    double size = 1e-3;
    memset(state->jet + state->tape->input_count, 0x7f,
           (state->tape->slot_count - state->tape->input_count) * sizeof(double));
    if (!rh__point_run(state)) {
        fail_msg("%s: the function does not serve", what);
    }
    assert_near(state->quality.rcond, rcond, 1e-9);
    for (uint32_t k = 0; k < state->tape->output_count; k++) {
        size = fmax(size, fabs(told[k]));
    }
    for (uint32_t k = 0; k < state->tape->output_count; k++) {
        const double made = rh__tape_output(state, k, 0);
        if (!(fabs(made - told[k]) <= 1e-12 * size)) {
            fail_msg("%s: output %u is %.17g, not %.17g", what, k, made, told[k]);
        }
    }
    free(told);
}

static void check_points(const char *text, const char *what)
{
    const moving_conditions with = {.tier = RH_TIER_EMITTED};
    support_random random = support_random_begin(what);
    moving it = moving_begin(text, &with);
    rh_motion *motion = it.motion;
    rh_tape_state *states[STATES];
    uint32_t served = 0;
    advance(&it, rh_motion_time(motion) + 1e-3);
    assert_string_equal(rh_motion_tier(motion), "emitted");
    list_states(motion, states);
    for (uint32_t k = 0; k < STATES * TRIES; k++) {
        rh_tape_state *state = states[k % STATES];
        if (state == NULL) {
            continue;
        }
        assert_non_null(state->point);
        double *inputs = rh__jet_row(state, 0);
        inputs[0] = motion->t;
        for (uint32_t j = 0; j < motion->n; j++) {
            inputs[1 + j] = motion->x[j] * (1.0 + 1e-3 * support_random_real(&random, -1.0, 1.0));
        }
        if (k % STATES == 2 || k % STATES == 4) {
            const rh_project_stage *stage = &motion->projector.stages[k % STATES / 4];
            inputs[stage->metric] = k < STATES ? 0.0 : 1.0;
            for (uint32_t j = 0; j < stage->columns; j++) {
                inputs[stage->metric + 1 + j] = 1.0;
            }
        }
        compare(state, what);
        served++;
    }
    assert_true(served >= TRIES);
    moving_end(&it);
}

static void points_are_those_of_the_interpreter(void **unused)
{
    (void)unused;
    static const char *const PATHS[] = {
        "examples/chain/model.rhe", "examples/rolling_disc/model.rhe",
        "examples/four_bar/model.rhe", "examples/sleigh_one_sided/model.rhe",
        "examples/double_pendulum/model.rhe"};
    for (uint32_t k = 0; k < sizeof PATHS / sizeof PATHS[0]; k++) {
        size_t size = 0;
        char *text = support_read(PATHS[k], &size);
        check_points(text, PATHS[k]);
        free(text);
    }
    check_points(
        "param N = 50\ncoord x[1..N], y[1..N]\n"
        "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: 9.81*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
        "for i in 1..N: start x[i] = i*sin(0.1), y[i] = -i*cos(0.1), x[i]' = 0, y[i]' = 0\n",
        "chain of 50");
}

// A right side behind the rows of the metric, by the factors of the last run: what the interpreter
// makes of it at the same place.
static void another_right_side_is_solved_by_the_same_factors(void **unused)
{
    (void)unused;
    const moving_conditions with = {.tier = RH_TIER_EMITTED};
    moving it = moving_file("examples/chain/model.rhe", &with);
    advance(&it, 0.3);
    rh_project_stage *stages = it.motion->projector.stages;
    rh_tape_state *first = stages[0].shift_state;
    rh_tape_state *second = stages[1].shift_state;
    assert_true(it.motion->projector.is_shared);
    const uint32_t columns = stages[0].columns;
    for (uint32_t k = 0; k < 2; k++) {
        double *inputs = rh__jet_row(stages[k].shift_state, 0);
        inputs[0] = it.motion->t;
        memcpy(inputs + 1, it.motion->x, it.motion->n * sizeof *inputs);
        inputs[stages[k].metric] = 1.0;
        inputs[1 + it.motion->n - 1] += k == 1 ? 0.25 : 0.0; // a velocity that misses
    }
    double *told = interpret(second);
    memcpy(rh__jet_row(stages[1].miss_state, 0), rh__jet_row(second, 0),
           (1 + it.motion->n) * sizeof(double));
    rh__tape_run(stages[1].miss_state);
    assert_true(rh__point_run(first));
    double *b = rh__jet_row(first, 0) + first->tape->blocks[0].first;
    memset(b, 0, columns * sizeof *b);
    for (uint32_t k = 0; k < stages[1].rows; k++) {
        b[columns + k] = -rh__tape_output(stages[1].miss_state, k, 0);
    }
    assert_true(rh__point_again(first));
    double size = 0.0;
    for (uint32_t k = 0; k < columns; k++) {
        size = fmax(size, fabs(told[k]));
        assert_near(b[k], told[k], 1e-13);
    }
    assert_true(size > 0.1);
    free(told);
    first->has_factors = false; // those of another place
    assert_false(rh__point_again(first));
    moving_end(&it);
}

// Rows of velocities that no position has, another matrix: each stage has its own factors.
static void matrices_that_differ_are_not_shared(void **unused)
{
    (void)unused;
    static const char *const PATHS[] = {"examples/rolling_disc/model.rhe",
                                        "examples/sleigh_one_sided/model.rhe"};
    for (uint32_t k = 0; k < 2; k++) {
        const moving_conditions with = {.tier = RH_TIER_INTERPRETED, .is_plain = true};
        moving it = moving_file(PATHS[k], &with);
        assert_false(it.motion->projector.is_shared);
        moving_end(&it);
    }
}

// Inputs that are no numbers: the block refuses, and the interpreter says what is to be said.
static void trouble_is_left_to_the_interpreter(void **unused)
{
    (void)unused;
    const moving_conditions with = {.tier = RH_TIER_EMITTED};
    moving it = moving_file("examples/chain/model.rhe", &with);
    advance(&it, 1e-3);
    rh_tape_state *state = it.motion->projector.stages[0].shift_state;
    assert_non_null(state->point);
    rh__jet_row(state, 0)[1] = (double)NAN;
    assert_false(rh__point_run(state));
    rh__tape_run(state);
    assert_true(state->quality.is_failed);
    moving_end(&it);
}

// What begins anew is interpreted again, until compiling pays again.
static void points_go_with_their_series(void **unused)
{
    (void)unused;
    const moving_conditions with = {.tier = RH_TIER_AUTO};
    moving it = moving_file("examples/chain/model.rhe", &with);
    assert_null(it.motion->plain->point);
    it.motion->tier.switch_at = it.motion->steps + 1;
    advance(&it, 0.5);
    assert_string_equal(rh_motion_tier(it.motion), "emitted");
    assert_non_null(it.motion->plain->point);
    assert_non_null(it.motion->projector.stages[1].miss_state->point);
    rh__tier_forget(it.motion);
    assert_null(it.motion->plain->point);
    assert_null(it.motion->projector.stages[1].miss_state->point);
    rh__tier_follow(it.motion);
    assert_non_null(it.motion->plain->point);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_the_interpreter),
        cmocka_unit_test(another_right_side_is_solved_by_the_same_factors),
        cmocka_unit_test(matrices_that_differ_are_not_shared),
        cmocka_unit_test(trouble_is_left_to_the_interpreter),
        cmocka_unit_test(points_go_with_their_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
