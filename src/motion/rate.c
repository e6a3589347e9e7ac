// SPDX-License-Identifier: Apache-2.0
// The rate dx/dt at a point, and Jacobians of tapes by their inputs after the time: tangents,
// several directions in one run. Of a sparse Jacobian a direction is the sum of columns that have
// no row in common (Curtis, Powell, Reid 1974), so that as many directions as colours give all.

#include "motion/motion.h"

#include <string.h>

enum {
    DIRECTIONS = 8,
    SPARSE = 5,       // a Jacobian is sparse when at most one entry of so many differs from zero
    SPARSE_LEAST = 32 // columns; smaller ones are dense
};

// Only where the motion stands it is sure to be on its constraints; else ranks are those of where
// the step began.
void rh__motion_run_plain(rh_motion *motion, double time, const double *x)
{
    rh_tape_state *plain = motion->plain;
    const bool was_settled = plain->is_settled;
    const bool stands = time == motion->t && memcmp(x, motion->x, motion->n * sizeof *x) == 0;
    plain->is_settled = was_settled || stands;
    if (!plain->is_settled && motion->stepper != NULL && motion->stepper->has_jets) {
        rh__tape_follow_ranks(plain, motion->step);
    }
    rh__tape_run(plain);
    plain->is_settled = was_settled;
}

void rh__motion_rate(rh_motion *motion, double time, const double *x, double *out)
{
    double *inputs = rh__jet_row(motion->plain, 0);
    inputs[0] = time;
    for (uint32_t k = 0; k < motion->n; k++) {
        inputs[1 + k] = x[k];
    }
    rh__motion_run_plain(motion, time, x);
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

// The tangents, for `directions` that are known.
static rh_status create_tangents(const rh_motion *motion, const rh_tape *tape, rh_jacobian *out,
                                 rh_error *err)
{
    const rh_allocator allocator = motion->arena.allocator;
    rh_arena scratch = rh__arena_begin(allocator, motion->arena.limit);
    rh_status status = make_tangent(tape, &scratch, out, err);
    rh__arena_end(&scratch);
    if (status == RH_OK) {
        status = rh__tape_state_create(out->tape, 0, allocator, &out->state);
    }
    RH_ASSERT(status != RH_OK ||
              out->tape->output_count == (1 + out->directions) * tape->output_count);
    if (status == RH_OK) {
        status = rh__tape_bind(out->state, rh__point_value, &motion->start.point);
    }
    if (status != RH_OK) {
        rh__jacobian_destroy(out);
    }
    return status;
}

static rh_jacobian begin_jacobian(const rh_motion *motion, const rh_tape *tape, uint32_t rows)
{
    RH_ASSERT(rows <= tape->output_count && 2 * tape->feed_count < tape->input_count);
    rh_jacobian made = {.rows = rows,
                        .columns = tape->input_count - 1 - 2 * tape->feed_count,
                        .motion = motion,
                        .changes = motion->values.changes,
                        .arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit)};
    made.directions = made.columns < DIRECTIONS ? made.columns : DIRECTIONS;
    return made;
}

rh_status rh__jacobian_create(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                              rh_jacobian *out, rh_error *err)
{
    *out = begin_jacobian(motion, tape, rows);
    return create_tangents(motion, tape, out, err);
}

rh_status rh__jacobian_create_single(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                                     rh_jacobian *out, rh_error *err)
{
    *out = begin_jacobian(motion, tape, rows);
    out->directions = 1;
    return create_tangents(motion, tape, out, err);
}

// --- structure -----------------------------------------------------------------------------------

static rh_status make_structure(const rh_tape *tape, rh_jacobian_extra extra, rh_arena *scratch,
                                rh_jacobian *out)
{
    rh_tape_pattern own;
    RH_TRY(rh__tape_pattern(tape, (rh_range){1, out->columns}, out->rows, scratch, &own));
    const size_t count = (size_t)own.count + extra.count;
    if (count * SPARSE > (size_t)out->rows * out->columns) {
        return RH_OK;
    }
    uint32_t *row = rh__arena_array(scratch, uint32_t, count + 1);
    uint32_t *column = rh__arena_array(scratch, uint32_t, count + 1);
    if (row == NULL || column == NULL) {
        return scratch->status;
    }
    for (size_t k = 0; k < count; k++) {
        row[k] = k < own.count ? own.row[k] : extra.row[k - own.count];
        column[k] = k < own.count ? own.column[k] : extra.column[k - own.count];
        RH_ASSERT(row[k] < out->rows && column[k] < out->columns);
    }
    RH_TRY(rh__sparse_create(&out->arena, out->rows, out->columns, (uint32_t)count, row, column,
                             &out->sparse));
    out->is_sparse = true;
    return RH_OK;
}

static rh_status make_colours(rh_arena *scratch, rh_jacobian *out)
{
    const uint32_t n = out->columns;
    uint32_t *colour = rh__arena_array(scratch, uint32_t, (size_t)n + 1);
    if (colour == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__sparse_colour(scratch, &out->sparse, colour, &out->colour_count));
    out->by_colour = rh__arena_array(&out->arena, uint32_t, (size_t)n + 1);
    out->colour_begin = rh__arena_array(&out->arena, uint32_t, (size_t)out->colour_count + 2);
    if (out->by_colour == NULL || out->colour_begin == NULL) {
        return out->arena.status;
    }
    for (uint32_t j = 0; j < n; j++) {
        out->colour_begin[colour[j] + 2]++;
    }
    for (uint32_t c = 0; c < out->colour_count; c++) {
        out->colour_begin[c + 2] += out->colour_begin[c + 1];
    }
    for (uint32_t j = 0; j < n; j++) {
        out->by_colour[out->colour_begin[colour[j] + 1]++] = j;
    }
    RH_ASSERT(out->colour_begin[0] == 0 && out->colour_begin[out->colour_count] == n);
    out->directions = out->colour_count < DIRECTIONS ? out->colour_count : DIRECTIONS;
    return RH_OK;
}

// An implicit method has two matrices: the Jacobian that it keeps, and the one that is factored.
static rh_status check_size(const rh_jacobian *jacobian, rh_error *err)
{
    const size_t entries = (size_t)jacobian->rows * jacobian->columns;
    const bool is_large =
        jacobian->columns > RH_DENSE_LIMIT || 2 * sizeof(double) * entries > jacobian->arena.limit;
    return is_large && !jacobian->is_sparse
               ? rh__error_fill(err, RH_E_LIMIT,
                                "the Jacobian of %u unknowns has too many entries for an implicit "
                                "method: there is no memory for a dense matrix",
                                jacobian->columns)
               : RH_OK;
}

rh_status rh__jacobian_create_sparse(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                                     rh_jacobian_extra extra, rh_jacobian *out, rh_error *err)
{
    *out = begin_jacobian(motion, tape, rows);
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_status status =
        out->columns >= SPARSE_LEAST ? make_structure(tape, extra, &scratch, out) : RH_OK;
    status = status == RH_E_LIMIT ? RH_OK : status; // too many entries: it is dense
    if (status == RH_OK && out->is_sparse) {
        status = make_colours(&scratch, out);
    }
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        rh__jacobian_destroy(out);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    RH_TRY(check_size(out, err)); // nothing is there to be destroyed
    return create_tangents(motion, tape, out, err);
}

void rh__jacobian_destroy(rh_jacobian *jacobian)
{
    rh__tape_state_destroy(jacobian->state);
    rh__tape_destroy(jacobian->tape);
    rh__arena_end(&jacobian->arena);
    *jacobian = (rh_jacobian){0};
}

// --- values --------------------------------------------------------------------------------------

// The point and the mode of `like`; no direction yet. Gives the tangents of the inputs.
static double *begin_run(rh_jacobian *jacobian, const rh_tape_state *like)
{
    rh_tape_state *state = jacobian->state;
    RH_ASSERT(state != like && jacobian->columns < like->tape->input_count);
    rh__motion_bind_again(jacobian->motion, state, &jacobian->changes);
    rh__tape_follow(state, like);
    state->feeds = like->feeds;
    double *inputs = rh__jet_row(state, 0);
    for (uint32_t k = 0; k <= jacobian->columns; k++) {
        inputs[k] = rh__jet_row(like, 0)[k];
    }
    return inputs + like->tape->input_count;
}

static void clear_directions(const rh_jacobian *jacobian, double *tangents)
{
    memset(tangents, 0, (size_t)jacobian->columns * jacobian->directions * sizeof *tangents);
}

bool rh__jacobian_run(rh_jacobian *jacobian, const rh_tape_state *like, double *out)
{
    const uint32_t n = jacobian->columns;
    const uint32_t outputs = like->tape->output_count;
    const rh_tape_state *state = jacobian->state;
    RH_ASSERT(outputs * (1 + jacobian->directions) == state->tape->output_count);
    double *tangents = begin_run(jacobian, like);
    for (uint32_t first = 0; first < n; first += jacobian->directions) {
        clear_directions(jacobian, tangents);
        for (uint32_t d = 0; d < jacobian->directions && first + d < n; d++) {
            tangents[(size_t)d * n + first + d] = 1.0;
        }
        rh__tape_run(jacobian->state);
        for (uint32_t d = 0; d < jacobian->directions && first + d < n; d++) {
            double *column = out + (size_t)(first + d) * jacobian->rows;
            for (uint32_t r = 0; r < jacobian->rows; r++) {
                column[r] = rh__tape_output(state, outputs * (1 + d) + r, 0);
            }
        }
    }
    return rh__vector_is_finite((size_t)n * jacobian->rows, out);
}

// The entries of all columns of one colour, from the tangent along their sum.
static void take_colour(const rh_jacobian *jacobian, uint32_t colour, uint32_t first_output,
                        double *out)
{
    RH_ASSERT(colour < jacobian->colour_count);
    const rh_sparse *sparse = &jacobian->sparse;
    for (uint32_t at = jacobian->colour_begin[colour]; at < jacobian->colour_begin[colour + 1];
         at++) {
        const uint32_t column = jacobian->by_colour[at];
        for (uint32_t k = sparse->start[column]; k < sparse->start[column + 1]; k++) {
            out[k] = rh__tape_output(jacobian->state, first_output + sparse->row[k], 0);
        }
    }
}

bool rh__jacobian_run_sparse(rh_jacobian *jacobian, const rh_tape_state *like, double *out)
{
    RH_ASSERT(jacobian->is_sparse && jacobian->directions <= jacobian->colour_count);
    const uint32_t outputs = like->tape->output_count;
    const uint32_t colours = jacobian->colour_count;
    double *tangents = begin_run(jacobian, like);
    for (uint32_t first = 0; first < colours; first += jacobian->directions) {
        clear_directions(jacobian, tangents);
        for (uint32_t d = 0; d < jacobian->directions && first + d < colours; d++) {
            double *along = tangents + (size_t)d * jacobian->columns;
            for (uint32_t at = jacobian->colour_begin[first + d];
                 at < jacobian->colour_begin[first + d + 1]; at++) {
                along[jacobian->by_colour[at]] = 1.0;
            }
        }
        rh__tape_run(jacobian->state);
        for (uint32_t d = 0; d < jacobian->directions && first + d < colours; d++) {
            take_colour(jacobian, first + d, outputs * (1 + d), out);
        }
    }
    return rh__vector_is_finite(jacobian->sparse.count, out);
}

void rh__jacobian_multiply(rh_jacobian *jacobian, const rh_tape_state *like, const double *along,
                           double *out)
{
    RH_ASSERT(jacobian->directions == 1 && along != out);
    double *tangents = begin_run(jacobian, like);
    memcpy(tangents, along, jacobian->columns * sizeof *tangents);
    rh__tape_run(jacobian->state);
    for (uint32_t r = 0; r < jacobian->rows; r++) {
        out[r] = rh__tape_output(jacobian->state, like->tape->output_count + r, 0);
    }
}
