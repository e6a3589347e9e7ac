// SPDX-License-Identifier: Apache-2.0
// One point of a branch: Newton's method for start, time and parameter together, with one more
// condition that says how far along the branch it lies. Derivatives are tangents; those by the
// parameter are central differences of fourth order of the same passage where surfaces are met on
// the way, which may move with it.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 14 };

#define RANK 1e-10
#define NULL_SIZE 1e-7 // relative singular values of directions along which orbits stay orbits
#define DELTA 1e-3     // of the parameter, relative to its size, and of a step
#define DONE 1e-14
#define NEAR 1e-5 // what a step may have missed that leads to the end

rh_status rh__station_reserve(rh_arena *arena, uint32_t n, rh_station *out)
{
    *out = (rh_station){.parameter = 0.0};
    RH_TRY(rh__passage_reserve(arena, n, &out->passage));
    out->tangent = rh__arena_array(arena, double, (size_t)n + 2);
    out->scale = rh__arena_array(arena, double, (size_t)n + 1);
    out->shown = rh__arena_array(arena, double, (size_t)n + 1);
    out->multipliers = rh__arena_array(arena, rh_multiplier, (size_t)n + 1);
    out->own = rh__arena_array(arena, rh_multiplier, (size_t)n + 1);
    return out->tangent != NULL && out->scale != NULL && out->shown != NULL &&
                   out->multipliers != NULL && out->own != NULL
               ? RH_OK
               : arena->status;
}

rh_status rh__branch_set(rh_branch *branch, double parameter, bool *out_is_there)
{
    RH_ASSERT(branch->def.set_index < branch->def.set_count);
    const rh_branch_def *def = &branch->def;
    rh_error err = {.message = ""};
    *out_is_there = true;
    if (parameter == branch->now) {
        return RH_OK;
    }
    branch->set[def->set_index] = parameter;
    branch->now = (double)NAN;
    const rh_status status = rh_motion_restart(branch->orbit->motion, branch->set, def->set_count,
                                               branch->start, def->start_count, &err);
    if (status == RH_E_MODEL || status == RH_E_UNAVAILABLE || status == RH_E_ARGUMENT) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "there is no motion at %.10g: %.180s", parameter, err.message);
        *out_is_there = false;
        return RH_OK;
    }
    RH_TRY(status);
    branch->now = parameter;
    memcpy(branch->anchor, branch->orbit->motion->x, branch->orbit->n * sizeof *branch->anchor);
    return RH_OK;
}

static rh_status run_at(rh_branch *branch, double parameter, const double *start, double time,
                        rh_passage *out, bool *out_is_there)
{
    const rh_orbit *orbit = branch->orbit;
    RH_TRY(rh__branch_set(branch, parameter, out_is_there));
    time = *out_is_there && orbit->is_fixed ? rh__formula_time(orbit, time) : time;
    *out_is_there = *out_is_there && time > 0.0 && isfinite(time);
    return *out_is_there ? rh__passage_run(branch->orbit, start, time, out, out_is_there) : RH_OK;
}

// --- the system ----------------------------------------------------------------------------------

// How far away differences look: not as far as the next step, nor beyond what the parameter is.
static double find_delta(const rh_branch *branch, double parameter)
{
    const double size = fmin(branch->span, fmax(fabs(parameter), 1e-2 * branch->span));
    return fmax(fmin(DELTA * size, 0.1 * branch->length * branch->span), 1e-7 * size);
}

static rh_status find_difference(rh_branch *branch, double parameter, bool *out_is_there)
{
    static const double WEIGHTS[] = {1.0 / 12.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, -1.0 / 12.0};
    rh_orbit *orbit = branch->orbit;
    const rh_passage *passage = &orbit->passage;
    const double delta = find_delta(branch, parameter);
    memset(branch->slope, 0, orbit->n * sizeof *branch->slope);
    *out_is_there = true;
    for (int k = 0; k < 5 && *out_is_there; k++) {
        if (k == 2) {
            continue;
        }
        RH_TRY(run_at(branch, parameter + (k - 2) * delta, passage->start, passage->time,
                      &branch->aside, out_is_there));
        rh__passage_miss(orbit, &branch->aside, branch->work);
        for (uint32_t i = 0; *out_is_there && i < orbit->n; i++) {
            branch->slope[i] += WEIGHTS[k] * (branch->span / delta) * branch->work[i];
        }
    }
    if (!*out_is_there) {
        return RH_OK;
    }
    return rh__branch_set(branch, parameter, out_is_there);
}

// The derivative of the miss by the parameter, in units of its span.
static rh_status find_slope(rh_branch *branch, double parameter, bool *out_is_there)
{
    const rh_orbit *orbit = branch->orbit;
    const rh_passage *passage = &orbit->passage;
    if (!passage->has_slope) {
        return find_difference(branch, parameter, out_is_there);
    }
    *out_is_there = true;
    const double longer = orbit->is_fixed ? rh__formula_slope(orbit) : 0.0;
    rh__image_turn(&orbit->image, passage->shift, branch->work);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double end = passage->slope[i] + passage->rate[i] * longer;
        branch->slope[i] = (end - branch->work[i]) / orbit->manifold.scale[i] * branch->span;
    }
    return RH_OK;
}

// How the start of the motion moves with the parameter, in units of its span: by a difference.
static rh_status find_anchor_slope(rh_branch *branch, double parameter, bool *out_is_there)
{
    const uint32_t n = branch->orbit->n;
    const double delta = find_delta(branch, parameter);
    double *slope = branch->anchor_slope;
    memset(slope, 0, n * sizeof *slope);
    *out_is_there = true;
    for (int side = -1; side <= 1 && *out_is_there; side += 2) {
        RH_TRY(rh__branch_set(branch, parameter + side * delta, out_is_there));
        for (uint32_t i = 0; i < n; i++) {
            slope[i] += side * branch->anchor[i] * branch->span / (2.0 * delta);
        }
    }
    bool is_back = false;
    RH_TRY(rh__branch_set(branch, parameter, &is_back));
    *out_is_there = *out_is_there && is_back;
    return RH_OK;
}

// Both derivatives by the parameter. Only members of a family ask where the motion starts.
static rh_status find_slopes(rh_branch *branch, double parameter, bool *out_is_there)
{
    RH_TRY(find_slope(branch, parameter, out_is_there));
    return *out_is_there && branch->is_family ? find_anchor_slope(branch, parameter, out_is_there)
                                              : RH_OK;
}

// All conditions, linearised at the passage of the orbit.
typedef struct linear {
    double *free;   // n x count
    double *matrix; // rows x columns: directions, time, parameter
    double *right;  // rows
    uint32_t count, rows, columns;
    uint32_t family; // rows that choose a member of a family
    bool has_phase;
} linear;

static rh_status reserve(const rh_branch *branch, rh_arena *scratch, linear *out)
{
    const rh_orbit *orbit = branch->orbit;
    const size_t n = orbit->n;
    out->has_phase = !orbit->is_fixed && orbit->is_free == NULL;
    out->family = branch->family;
    out->rows = orbit->n + out->has_phase + out->family + 1;
    out->free = rh__arena_array(scratch, double, n *n + 1);
    out->matrix = rh__arena_array(scratch, double, (size_t)out->rows *(n + 2));
    out->right = rh__arena_array(scratch, double, (size_t)out->rows + 1);
    return out->free != NULL && out->matrix != NULL && out->right != NULL ? RH_OK : scratch->status;
}

// A row that keeps the start where it is, or of a family where the motion starts, along a direction
// (n, in sizes of variables).
static void hold(const rh_branch *branch, const rh_passage *at, const double *direction,
                 uint32_t row, linear *out)
{
    RH_ASSERT(row < out->rows && out->columns > 0);
    const rh_orbit *orbit = branch->orbit;
    const rh_passage *passage = &orbit->passage;
    const double *scale = orbit->manifold.scale;
    const uint32_t n = orbit->n;
    double *by_parameter = &out->matrix[(size_t)(out->columns - 1) * out->rows + row];
    for (uint32_t k = 0; k < out->count; k++) {
        out->matrix[(size_t)k * out->rows + row] =
            rh__vector_dot(n, direction, out->free + (size_t)k * n);
    }
    *by_parameter = out->right[row] = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double there =
            branch->is_family ? branch->anchor[i] + branch->offset[i] : at->start[i];
        const double moves = branch->is_family ? branch->anchor_slope[i] : 0.0;
        const double along = direction[i] / scale[i];
        out->right[row] -= along * (passage->start[i] - there);
        *by_parameter += along * (passage->shift[i] * branch->span - moves);
    }
}

// The directions along a family are those that change least of what is closed: one of them is the
// one that is where the motion starts.
static rh_status hold_family(const rh_branch *branch, const rh_passage *at, rh_arena *scratch,
                             linear *out)
{
    const uint32_t n = branch->orbit->n;
    const uint32_t rows = n + out->has_phase;
    const uint32_t columns = out->columns - 1;
    double *matrix = rh__arena_array(scratch, double, (size_t)rows *columns + 1);
    double *direction = rh__arena_array(scratch, double, (size_t)n + 1);
    rh_svd svd;
    if (matrix == NULL || direction == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < columns; k++) {
        memcpy(matrix + (size_t)k * rows, out->matrix + (size_t)k * out->rows,
               rows * sizeof *matrix);
    }
    RH_TRY(rh__svd_create(scratch, rows, columns, matrix, &svd));
    for (uint32_t f = 0; f < out->family; f++) {
        const double *v = svd.v + (size_t)(columns - 1 - f) * columns;
        memset(direction, 0, n * sizeof *direction);
        for (uint32_t k = 0; k < out->count; k++) {
            for (uint32_t i = 0; i < n; i++) {
                direction[i] += v[k] * out->free[(size_t)k * n + i];
            }
        }
        const double size = rh__vector_norm(n, direction); // the time may be most of it
        for (uint32_t i = 0; size > 0.0 && i < n; i++) {
            direction[i] /= size;
        }
        hold(branch, at, direction, rows + f, out);
    }
    return RH_OK;
}

// Rows of closing, of the phase and of the member of a family; the last row stays empty. `at`:
// where the phase is measured.
static rh_status linearise(rh_branch *branch, const rh_passage *at, rh_arena *scratch, linear *out)
{
    rh_orbit *orbit = branch->orbit;
    const rh_passage *passage = &orbit->passage;
    const uint32_t n = orbit->n;
    RH_TRY(rh__manifold_directions(&orbit->manifold, passage->start, orbit->is_free, out->free,
                                   &out->count));
    out->columns =
        1 + rh__shooting_matrix(orbit, passage, out->free, out->count, out->matrix, out->rows);
    RH_ASSERT(out->columns <= n + 2);
    double *column = out->matrix + (size_t)(out->columns - 1) * out->rows;
    memcpy(column, branch->slope, n * sizeof *column);
    rh__passage_miss(orbit, passage, out->right);
    for (uint32_t i = 0; i < n; i++) {
        out->right[i] = -out->right[i];
    }
    if (out->has_phase) {
        double *direction = branch->work;
        for (uint32_t i = 0; i < n; i++) {
            direction[i] = at->leaving[i] * at->time / orbit->manifold.scale[i];
        }
        hold(branch, at, direction, n, out);
    }
    return out->family > 0 ? hold_family(branch, at, scratch, out) : RH_OK;
}

// The last row: so far along the tangent of the station it comes from, or at a parameter.
static void bind(const rh_branch *branch, const rh_aim *aim, double parameter, linear *out)
{
    RH_ASSERT(aim->is_parameter || aim->length == aim->length);
    const rh_orbit *orbit = branch->orbit;
    const rh_station *from = aim->from;
    const uint32_t n = orbit->n;
    const uint32_t row = out->rows - 1;
    double *last = out->matrix + row;
    double reached = 0.0;
    if (aim->is_parameter) {
        last[(size_t)(out->columns - 1) * out->rows] = 1.0;
        out->right[row] = (aim->parameter - parameter) / branch->span;
        return;
    }
    // in the units of the station it comes from, which stay
    const double *scale = orbit->manifold.scale;
    double *by_parameter = &last[(size_t)(out->columns - 1) * out->rows];
    *by_parameter = from->tangent[n + 1];
    for (uint32_t i = 0; i < n; i++) {
        const double along = from->tangent[i] / from->scale[i];
        reached += along * (orbit->passage.start[i] - from->passage.start[i]);
        *by_parameter += along * orbit->passage.shift[i] * branch->span;
        for (uint32_t k = 0; k < out->count; k++) {
            last[(size_t)k * out->rows] += along * scale[i] * out->free[(size_t)k * n + i];
        }
    }
    if (!orbit->is_fixed) {
        last[(size_t)out->count * out->rows] =
            from->tangent[n] * orbit->passage.time / from->passage.time;
        reached += from->tangent[n] * (orbit->passage.time / from->passage.time - 1.0);
    }
    reached += from->tangent[n + 1] * (parameter - from->parameter) / branch->span;
    out->right[row] = aim->length - reached;
}

// --- Newton --------------------------------------------------------------------------------------

static double largest(const linear *system)
{
    double most = 0.0;
    for (uint32_t k = 0; k < system->rows; k++) {
        most = fmax(most, fabs(system->right[k]));
    }
    return most;
}

// One round at `*parameter`; `*out_miss`: what was missed before it.
static rh_status improve(rh_branch *branch, const rh_aim *aim, double *parameter, rh_arena *scratch,
                         double *out_miss, bool *out_is_there)
{
    rh_orbit *orbit = branch->orbit;
    const uint32_t n = orbit->n;
    linear system = {.count = 0};
    rh_svd svd;
    RH_TRY(find_slopes(branch, *parameter, out_is_there));
    if (!*out_is_there) {
        return RH_OK;
    }
    RH_TRY(reserve(branch, scratch, &system));
    RH_TRY(linearise(branch, &aim->from->passage, scratch, &system));
    bind(branch, aim, *parameter, &system);
    *out_miss = largest(&system);
    double *change = rh__arena_array(scratch, double, (size_t)n + 3);
    double *x = rh__arena_array(scratch, double, (size_t)n + 1);
    if (change == NULL || x == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__svd_create(scratch, system.rows, system.columns, system.matrix, &svd));
    rh__svd_solve(&svd, rh__svd_rank(&svd, RANK), system.right, change);
    memcpy(x, orbit->passage.start, n * sizeof *x);
    for (uint32_t k = 0; k < system.count; k++) {
        for (uint32_t i = 0; i < n; i++) {
            x[i] += change[k] * system.free[(size_t)k * n + i] * orbit->manifold.scale[i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] += orbit->passage.shift[i] * change[system.columns - 1] * branch->span;
    }
    const double time = orbit->passage.time * (orbit->is_fixed ? 1.0 : 1.0 + change[system.count]);
    *parameter += change[system.columns - 1] * branch->span;
    *out_is_there = time > 0.0 && isfinite(time) && isfinite(*parameter);
    if (!*out_is_there) {
        return RH_OK;
    }
    RH_TRY(run_at(branch, *parameter, x, time, &orbit->trial, out_is_there));
    const rh_passage old = orbit->passage;
    orbit->passage = orbit->trial;
    orbit->trial = old;
    return RH_OK;
}

// Where the tangent leads, or the station itself with another parameter.
static rh_status predict(rh_branch *branch, const rh_aim *aim, double *parameter,
                         bool *out_is_there)
{
    rh_orbit *orbit = branch->orbit;
    const rh_station *from = aim->from;
    const double slope = from->tangent[orbit->n + 1];
    const double length = !aim->is_parameter ? aim->length
                          : fabs(slope) > 1e-3
                              ? (aim->parameter - from->parameter) / (slope * branch->span)
                              : 0.0;
    double *x = branch->work;
    for (uint32_t i = 0; i < orbit->n; i++) {
        x[i] = from->passage.start[i] + length * from->tangent[i] * from->scale[i];
    }
    const double time =
        from->passage.time * (orbit->is_fixed ? 1.0 : 1.0 + length * from->tangent[orbit->n]);
    *parameter =
        aim->is_parameter ? aim->parameter : from->parameter + length * slope * branch->span;
    memcpy(orbit->trial.start, x, orbit->n * sizeof *x);
    return run_at(branch, *parameter, orbit->trial.start, time, &orbit->passage, out_is_there);
}

// Does the motion at hand meet as much as the orbit it comes from?
static void note_jumps(rh_branch *branch, const rh_aim *aim, bool is_there)
{
    const uint64_t jumps = branch->orbit->passage.jumps;
    if (is_there && jumps != aim->from->passage.jumps) {
        branch->has_graze = true;
        branch->grazed = jumps;
    }
}

// Rounds until it closes are counted; a few more make it as good as numbers allow.
rh_status rh__branch_correct(rh_branch *branch, const rh_aim *aim, rh_station *out,
                             uint32_t *out_rounds, bool *out_is_there)
{
    rh_orbit *orbit = branch->orbit;
    double parameter = 0.0;
    double miss = INFINITY;
    *out_rounds = 0;
    RH_TRY(predict(branch, aim, &parameter, out_is_there));
    note_jumps(branch, aim, *out_is_there);
    for (uint32_t k = 0; *out_is_there && k < ROUNDS; k++) {
        const rh_mark mark = rh__arena_mark(&branch->scratch);
        const double before = miss;
        const double residual = orbit->passage.residual;
        const rh_status status =
            improve(branch, aim, &parameter, &branch->scratch, &miss, out_is_there);
        rh__arena_rewind(&branch->scratch, mark);
        RH_TRY(status);
        note_jumps(branch, aim, *out_is_there);
        *out_rounds += miss > orbit->def.tolerance;
        *out_is_there = *out_is_there && (miss < 10.0 * before || miss < orbit->def.tolerance);
        const double left = orbit->passage.residual;
        if (miss < NEAR &&
            (left <= DONE || (left < orbit->def.tolerance && left > 0.5 * residual))) {
            break; // rounding
        }
    }
    // another member of the family closes as well
    *out_is_there = *out_is_there && orbit->passage.residual <= orbit->def.tolerance &&
                    (!branch->is_family || miss < NEAR);
    if (!*out_is_there) {
        return RH_OK;
    }
    out->parameter = parameter;
    RH_TRY(rh__branch_arrive(branch, aim->from, out));
    *out_is_there = orbit->over == NULL; // else it was not judged
    return RH_OK;
}

// --- arriving ------------------------------------------------------------------------------------

// The direction in which orbits go on, nearest to `like`: into `out`, n + 2.
static rh_status find_tangent(rh_branch *branch, const double *like, rh_arena *scratch, double *out)
{
    rh_orbit *orbit = branch->orbit;
    const uint32_t n = orbit->n;
    linear system = {.count = 0};
    rh_svd svd;
    RH_TRY(reserve(branch, scratch, &system));
    RH_TRY(linearise(branch, &orbit->passage, scratch, &system));
    // the last row is empty: it is left out of the rank by its zero
    RH_TRY(rh__svd_create(scratch, system.rows, system.columns, system.matrix, &svd));
    double *along = rh__arena_array(scratch, double, (size_t)n + 3);
    if (along == NULL) {
        return scratch->status;
    }
    uint32_t rank = rh__svd_rank(&svd, NULL_SIZE);
    rank = rank >= system.columns ? system.columns - 1 : rank;
    RH_ASSERT(rank < system.columns); // the branch goes on along what is left
    for (uint32_t k = rank; k < system.columns; k++) {
        const double *v = svd.v + (size_t)k * system.columns;
        double share = v[system.columns - 1] * like[n + 1];
        share += orbit->is_fixed ? 0.0 : v[system.count] * like[n];
        for (uint32_t d = 0; d < system.count; d++) {
            share += v[d] * rh__vector_dot(n, system.free + (size_t)d * n, like);
        }
        for (uint32_t j = 0; j < system.columns; j++) {
            along[j] += share * v[j];
        }
    }
    const double size = rh__vector_norm(system.columns, along);
    memset(out, 0, ((size_t)n + 2) * sizeof *out);
    for (uint32_t d = 0; d < system.count; d++) {
        for (uint32_t i = 0; i < n; i++) {
            out[i] += along[d] / size * system.free[(size_t)d * n + i];
        }
    }
    out[n] = orbit->is_fixed ? 0.0 : along[system.count] / size;
    out[n + 1] = along[system.columns - 1] / size;
    for (uint32_t i = 0; i < n; i++) {
        out[i] += out[n + 1] * orbit->passage.shift[i] / orbit->manifold.scale[i] * branch->span;
    }
    return RH_OK;
}

// How many directions lead along a family, where integrals make one: at the first point, which
// closes.
static rh_status count_family(rh_branch *branch, rh_arena *scratch)
{
    const rh_orbit *orbit = branch->orbit;
    linear system = {.count = 0};
    rh_svd svd;
    branch->family = 0;
    branch->is_family = false;
    if (orbit->integral_count == 0) {
        return RH_OK;
    }
    RH_TRY(reserve(branch, scratch, &system));
    memset(branch->slope, 0, orbit->n * sizeof *branch->slope);
    RH_TRY(linearise(branch, &orbit->passage, scratch, &system));
    // neither the parameter nor the last row, which are empty
    RH_TRY(rh__svd_create(scratch, system.rows, system.columns - 1, system.matrix, &svd));
    branch->family = system.columns - 1 - rh__svd_rank(&svd, NULL_SIZE);
    branch->is_family = branch->family > 0;
    for (uint32_t i = 0; i < orbit->n; i++) {
        branch->anchor[i] = orbit->begin[i];
        branch->offset[i] = orbit->passage.start[i] - orbit->begin[i];
    }
    return RH_OK;
}

rh_status rh__branch_begin_family(rh_branch *branch)
{
    const rh_mark mark = rh__arena_mark(&branch->scratch);
    const rh_status status = count_family(branch, &branch->scratch);
    rh__arena_rewind(&branch->scratch, mark);
    return status;
}

static void find_tests(const rh_orbit *orbit, rh_station *out)
{
    double plus = 1.0;
    double minus = 1.0;
    double torus = 1.0;
    for (uint32_t k = 0; k < out->multiplier_count; k++) {
        const rh_multiplier *a = &out->own[k];
        if (a->is_trivial || a->imaginary < 0.0) {
            continue;
        }
        const bool is_pair = a->imaginary > 0.0;
        // of a pair the whole product, which is smooth where it becomes two real ones
        const double square = a->imaginary * a->imaginary;
        plus *= (1.0 - a->real) * (is_pair ? 1.0 - a->real : 1.0) + (is_pair ? square : 0.0);
        minus *= (1.0 + a->real) * (is_pair ? 1.0 + a->real : 1.0) + (is_pair ? square : 0.0);
        // of a pair the product is its square; products of different ones come as real numbers too
        torus *= is_pair ? 1.0 - a->real * a->real - a->imaginary * a->imaginary : 1.0;
        for (uint32_t j = k + 1; !is_pair && j < out->multiplier_count; j++) {
            const rh_multiplier *b = &out->own[j];
            torus *= b->is_trivial || b->imaginary != 0.0 ? 1.0 : 1.0 - a->real * b->real;
        }
    }
    out->tests[RH_TEST_FOLD] = out->tangent[orbit->n + 1];
    out->tests[RH_TEST_PLUS] = plus;
    out->tests[RH_TEST_MINUS] = minus;
    out->tests[RH_TEST_TORUS] = orbit->integral_count > 0 ? 1.0 : torus;
}

rh_status rh__branch_arrive(rh_branch *branch, const rh_station *from, rh_station *out)
{
    rh_orbit *orbit = branch->orbit;
    double *like = branch->like;
    bool is_there = false;
    rh__measure_grow(orbit, &orbit->passage);
    memcpy(like, from->tangent, ((size_t)orbit->n + 2) * sizeof *like);
    for (uint32_t i = 0; i < orbit->n; i++) {
        like[i] *= from->scale[i] / orbit->manifold.scale[i];
    }
    const rh_mark mark = rh__arena_mark(&branch->scratch);
    RH_TRY(find_slopes(branch, out->parameter, &is_there));
    const rh_status status =
        is_there ? find_tangent(branch, like, &branch->scratch, out->tangent) : RH_OK;
    rh__arena_rewind(&branch->scratch, mark);
    RH_TRY(status);
    memcpy(out->scale, orbit->manifold.scale, orbit->n * sizeof *out->scale);
    if (!is_there) {
        memcpy(out->tangent, like, ((size_t)orbit->n + 2) * sizeof *like);
    }
    RH_TRY(rh__floquet_find(orbit));
    rh__passage_limit(orbit, &orbit->passage);
    rh__passage_copy(&orbit->passage, orbit->n, &out->passage);
    for (uint32_t k = 0; k < orbit->n; k++) {
        out->shown[k] = orbit->passage.start[orbit->order[k]];
    }
    out->multiplier_count = orbit->multiplier_count;
    RH_ASSERT(orbit->multiplier_count <= orbit->n);
    memcpy(out->multipliers, orbit->multipliers,
           orbit->multiplier_count * sizeof *out->multipliers);
    memcpy(out->own, orbit->own, orbit->multiplier_count * sizeof *out->own);
    out->is_stable = orbit->is_stable;
    out->is_unstable = orbit->is_unstable;
    find_tests(orbit, out);
    return RH_OK;
}
