// SPDX-License-Identifier: Apache-2.0
// The rate dx/dt at a point, and Jacobians of tapes by their inputs after the time: tangents,
// several directions in one run.

#include "motion/motion.h"

enum { DIRECTIONS = 8 };

void rh__motion_rate(rh_motion *motion, double time, const double *x, double *out)
{
    double *inputs = rh__jet_row(motion->plain, 0);
    inputs[0] = time;
    for (uint32_t k = 0; k < motion->n; k++) {
        inputs[1 + k] = x[k];
    }
    rh__tape_run(motion->plain);
    for (uint32_t k = 0; k < motion->n; k++) {
        out[k] = rh__tape_output(motion->plain, k, 0);
    }
}

static rh_status make_tangent(const rh_tape *tape, rh_arena *scratch, rh_jacobian *out,
                              rh_error *err)
{
    const uint32_t n = out->columns;
    uint32_t *active = rh__arena_array(scratch, uint32_t, (size_t)n + 1);
    if (active == NULL) {
        return rh__error_fill(err, scratch->status, "%s", rh_status_text(scratch->status));
    }
    for (uint32_t k = 0; k < n; k++) {
        active[k] = 1 + k;
    }
    const rh_tangent_def def = {
        .direction_count = out->directions, .active = active, .active_count = n};
    return rh__tape_tangent(tape, &def, &out->tape, err);
}

rh_status rh__jacobian_create(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                              rh_jacobian *out, rh_error *err)
{
    const rh_allocator allocator = motion->arena.allocator;
    *out = (rh_jacobian){.rows = rows, .columns = tape->input_count - 1 - 2 * tape->feed_count};
    out->directions = out->columns < DIRECTIONS ? out->columns : DIRECTIONS;
    rh_arena scratch = rh__arena_begin(allocator, motion->arena.limit);
    rh_status status = make_tangent(tape, &scratch, out, err);
    rh__arena_end(&scratch);
    if (status == RH_OK) {
        status = rh__tape_state_create(out->tape, 0, allocator, &out->state);
    }
    if (status == RH_OK) {
        status =
            rh__tape_bind(out->state, rh__point_value, (void *)(uintptr_t)&motion->start.point);
    }
    if (status != RH_OK) {
        rh__jacobian_destroy(out);
    }
    return status;
}

void rh__jacobian_destroy(rh_jacobian *jacobian)
{
    rh__tape_state_destroy(jacobian->state);
    rh__tape_destroy(jacobian->tape);
    *jacobian = (rh_jacobian){0};
}

bool rh__jacobian_run(rh_jacobian *jacobian, const rh_tape_state *like, double *out)
{
    const uint32_t n = jacobian->columns;
    const uint32_t outputs = like->tape->output_count;
    rh_tape_state *state = jacobian->state;
    rh__tape_follow(state, like);
    state->feeds = like->feeds;
    double *inputs = rh__jet_row(state, 0);
    for (uint32_t k = 0; k <= n; k++) {
        inputs[k] = rh__jet_row(like, 0)[k];
    }
    for (uint32_t first = 0; first < n; first += jacobian->directions) {
        double *tangents = inputs + like->tape->input_count;
        for (size_t k = 0; k < (size_t)n * jacobian->directions; k++) {
            tangents[k] = 0.0;
        }
        for (uint32_t d = 0; d < jacobian->directions && first + d < n; d++) {
            tangents[(size_t)d * n + first + d] = 1.0;
        }
        rh__tape_run(state);
        for (uint32_t d = 0; d < jacobian->directions && first + d < n; d++) {
            double *column = out + (size_t)(first + d) * jacobian->rows;
            for (uint32_t r = 0; r < jacobian->rows; r++) {
                column[r] = rh__tape_output(state, outputs * (1 + d) + r, 0);
            }
        }
    }
    return rh__vector_is_finite((size_t)n * jacobian->rows, out);
}
