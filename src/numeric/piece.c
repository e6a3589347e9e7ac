// SPDX-License-Identifier: Apache-2.0
// The points of a singular active set. They form a polyhedron: the z >= 0 with B z = -constant,
// where z[i] is the multiplier of an active index and the slack of any other, and B has the columns
// of the matrix and of minus the identity accordingly. One corner of it comes from nonnegative
// least squares. Whether the slack is the same everywhere on the polyhedron is asked of the cone of
// directions that lead from the corner into it: the span of the cone is what the equations leave
// free once the components that no direction can raise from zero are fixed there.

#include "numeric/complement.h"

#include "numeric/nonnegative.h"

#include <math.h>
#include <string.h>

// Elements of an orthonormal basis, and of its products with the balanced matrix, that are smaller
// have come from rounding.
#define SMALL 1e-9

typedef struct piece {
    const rh_complement_frame *frame;
    const rh_complement_point *at; // the corner
    uint32_t n;
    bool *is_active;
    double *z;
    uint32_t free_count; // dimension of the null space of B
    double *null;        // n x free_count, of B; orthonormal in the active rows
    uint32_t bound_count;
    uint32_t *bound; // where z is zero and may change
    double *walls;   // bound_count x free_count: these rows of `null`, of length 1
    bool *is_fixed;  // of each bound row: no direction raises it
    double *raising; // n; a direction that raises all bound rows that can be
    double *sliding; // n; a direction in the span of the cone that changes the slack
} piece;

static bool begin_piece(rh_arena *arena, const rh_complement_frame *frame,
                        const rh_complement_point *point, uint32_t rank, piece *out)
{
    const size_t n = frame->n;
    const size_t free_count = point->active_count - rank;
    *out = (piece){.frame = frame, .at = point, .n = frame->n, .free_count = (uint32_t)free_count};
    out->is_active = rh__arena_array(arena, bool, n);
    out->z = rh__arena_array(arena, double, n);
    out->null = rh__arena_array(arena, double, (n * free_count));
    out->bound = rh__arena_array(arena, uint32_t, n);
    out->walls = rh__arena_array(arena, double, (n * free_count));
    out->is_fixed = rh__arena_array(arena, bool, n);
    out->raising = rh__arena_array(arena, double, n);
    out->sliding = rh__arena_array(arena, double, n);
    if (out->is_active == NULL || out->z == NULL || out->null == NULL || out->bound == NULL ||
        out->walls == NULL || out->is_fixed == NULL || out->raising == NULL ||
        out->sliding == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < point->active_count; k++) {
        out->is_active[point->active[k]] = true;
    }
    return true;
}

// --- a corner --------------------------------------------------------------------------------

static rh_status find_corner(rh_arena *arena, piece *on)
{
    const size_t n = on->n;
    double *matrix = rh__arena_array(arena, double, (n * n));
    double *right = rh__arena_array(arena, double, n);
    double *residual = rh__arena_array(arena, double, n);
    if (matrix == NULL || right == NULL || residual == NULL) {
        return arena->status;
    }
    for (size_t i = 0; i < n; i++) {
        right[i] = -on->frame->constant[i];
        for (size_t j = 0; j < n; j++) {
            matrix[i + j * n] =
                on->is_active[j] ? on->frame->matrix[i * n + j] : (i == j ? -1.0 : 0.0);
        }
    }
    const rh_nonnegative corner = {.rows = on->n,
                                   .columns = on->n,
                                   .matrix = matrix,
                                   .right = right,
                                   .x = on->z,
                                   .residual = residual};
    return rh__nonnegative_solve(arena, &corner);
}

// Rounding is that of the largest component, here or at the corner. The slack is computed from the
// multipliers, since a small one is not well known from least squares.
static void fill_point(const piece *on, const double *z, rh_complement_point *point)
{
    const size_t n = on->n;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        point->multiplier[i] = on->is_active[i] ? z[i] : 0.0;
        largest = fmax(largest, fmax(z[i], on->z[i]));
    }
    for (size_t i = 0; i < n; i++) {
        const double *row = on->frame->matrix + i * n;
        double sum = on->frame->constant[i];
        double size = fabs(sum);
        for (size_t j = 0; j < n; j++) {
            sum += row[j] * point->multiplier[j];
            size += on->is_active[j] ? fabs(row[j]) * largest : 0.0;
        }
        point->slack[i] = on->is_active[i] ? 0.0 : sum;
        point->slack_error[i] = RH_COMPLEMENT_LOST * size;
        point->multiplier_error[i] = on->is_active[i] ? RH_COMPLEMENT_LOST * largest : 0.0;
    }
    point->is_unique = false;
}

// --- directions ------------------------------------------------------------------------------

// The null space of B: that of the active block, and what it does to the other slacks.
static rh_status find_null(rh_arena *arena, piece *on)
{
    const size_t n = on->n;
    const size_t m = on->at->active_count;
    const uint32_t *active = on->at->active;
    double *block = rh__arena_array(arena, double, (m * m));
    if (block == NULL) {
        return arena->status;
    }
    for (size_t k = 0; k < m * m; k++) {
        block[k] = on->frame->matrix[active[k % m] * n + active[k / m]];
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, (uint32_t)m, (uint32_t)m, block, &svd));
    for (size_t c = 0; c < on->free_count; c++) {
        const double *vector = svd.v + (m - on->free_count + c) * m;
        double *null = on->null + c * n;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < m && !on->is_active[i]; k++) {
                null[i] += on->frame->matrix[i * n + active[k]] * vector[k];
            }
        }
        for (size_t k = 0; k < m; k++) {
            null[active[k]] = vector[k];
        }
    }
    return RH_OK;
}

static double slack_change(const piece *on, const double *direction)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < on->n; i++) {
        largest = fmax(largest, on->is_active[i] ? 0.0 : fabs(direction[i]));
    }
    return largest;
}

static bool has_slack_change(const piece *on)
{
    double largest = 0.0;
    for (uint32_t c = 0; c < on->free_count; c++) {
        largest = fmax(largest, slack_change(on, on->null + (size_t)c * on->n));
    }
    return largest > SMALL;
}

static double row_length(const piece *on, uint32_t row)
{
    double sum = 0.0;
    for (uint32_t c = 0; c < on->free_count; c++) {
        const double element = on->null[row + (size_t)c * on->n];
        sum += element * element;
    }
    return sqrt(sum);
}

static void gather_walls(piece *on)
{
    for (uint32_t i = 0; i < on->n; i++) {
        const double error =
            on->is_active[i] ? on->at->multiplier_error[i] : on->at->slack_error[i];
        if (on->z[i] <= error && row_length(on, i) > SMALL) {
            on->bound[on->bound_count++] = i;
        }
    }
    for (uint32_t k = 0; k < on->bound_count; k++) {
        const double length = row_length(on, on->bound[k]);
        for (uint32_t c = 0; c < on->free_count; c++) {
            on->walls[k + (size_t)c * on->bound_count] =
                on->null[on->bound[k] + (size_t)c * on->n] / length;
        }
    }
}

static void add_direction(const piece *on, const double *u, double factor, double *direction)
{
    for (uint32_t c = 0; c < on->free_count; c++) {
        for (uint32_t i = 0; i < on->n; i++) {
            direction[i] += factor * u[c] * on->null[i + (size_t)c * on->n];
        }
    }
}

// For each wall: is there a direction that leaves it and runs into no other?
static rh_status raise_walls(rh_arena *arena, piece *on)
{
    double *right = rh__arena_array(arena, double, on->bound_count);
    double *u = rh__arena_array(arena, double, on->free_count);
    if (right == NULL || u == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < on->bound_count; k++) {
        right[k] = 1.0;
        rh_shortest leave = {.rows = on->bound_count,
                             .columns = on->free_count,
                             .matrix = on->walls,
                             .right = right,
                             .u = u};
        RH_TRY(rh__shortest_solve(arena, &leave));
        right[k] = 0.0;
        on->is_fixed[k] = !leave.has_solution;
        if (leave.has_solution) {
            const double length = rh__vector_norm(on->free_count, u);
            RH_ASSERT(length > 0.0);
            add_direction(on, u, 1.0 / length, on->raising);
        }
    }
    return RH_OK;
}

// The direction of the span of the cone with the largest change of the slack.
static rh_status find_sliding(rh_arena *arena, piece *on)
{
    const size_t columns = on->free_count;
    double *fixed = rh__arena_array(arena, double, (on->bound_count * columns));
    double *direction = rh__arena_array(arena, double, on->n);
    if (fixed == NULL || direction == NULL) {
        return arena->status;
    }
    uint32_t rows = 0;
    for (uint32_t k = 0; k < on->bound_count; k++) {
        rows += on->is_fixed[k] ? 1 : 0;
    }
    for (uint32_t k = 0, row = 0; k < on->bound_count; k++) {
        for (size_t c = 0; c < columns && on->is_fixed[k]; c++) {
            fixed[row + c * rows] = on->walls[k + c * on->bound_count];
        }
        row += on->is_fixed[k] ? 1 : 0;
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, rows, on->free_count, fixed, &svd));
    for (size_t c = rh__svd_rank(&svd, SMALL); c < columns; c++) {
        memset(direction, 0, sizeof *direction * on->n);
        add_direction(on, svd.v + c * columns, 1.0, direction);
        if (slack_change(on, direction) > slack_change(on, on->sliding)) {
            memcpy(on->sliding, direction, sizeof *direction * on->n);
        }
    }
    return RH_OK;
}

// --- another point ---------------------------------------------------------------------------

// raising + amount sliding leaves no wall behind that can be raised.
static double safe_amount(const piece *on)
{
    double amount = 1.0;
    for (uint32_t k = 0; k < on->bound_count; k++) {
        const uint32_t i = on->bound[k];
        if (!on->is_fixed[k] && fabs(on->sliding[i]) > 0.0) {
            amount = fmin(amount, 0.5 * on->raising[i] / fabs(on->sliding[i]));
        }
    }
    return amount;
}

// As far as z stays positive; about its own size when that is without end.
static double step_length(const piece *on, const double *direction)
{
    double length = (double)INFINITY;
    double size = 1.0;
    double speed = 0.0;
    for (uint32_t i = 0; i < on->n; i++) {
        size = fmax(size, on->z[i]);
        speed = fmax(speed, fabs(direction[i]));
    }
    for (uint32_t i = 0; i < on->n; i++) {
        if (direction[i] < -SMALL * speed) {
            length = fmin(length, on->z[i] / -direction[i]);
        }
    }
    return isfinite(length) ? length : size / speed;
}

// A direction into the polyhedron on which the slack changes.
static void find_way(const piece *on, double *way)
{
    const double amount = safe_amount(on);
    double change[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < on->n; i++) {
        if (!on->is_active[i]) {
            change[0] = fmax(change[0], fabs(on->raising[i] - amount * on->sliding[i]));
            change[1] = fmax(change[1], fabs(on->raising[i] + amount * on->sliding[i]));
        }
    }
    const double sign = change[1] >= change[0] ? 1.0 : -1.0;
    for (uint32_t i = 0; i < on->n; i++) {
        way[i] = on->raising[i] + sign * amount * on->sliding[i];
    }
    for (uint32_t k = 0; k < on->bound_count; k++) {
        way[on->bound[k]] = on->is_fixed[k] ? 0.0 : fmax(way[on->bound[k]], 0.0);
    }
}

static rh_status find_other(rh_arena *arena, piece *on, rh_complement_point *other, bool *out)
{
    *out = false;
    RH_TRY(find_null(arena, on));
    if (!has_slack_change(on)) {
        return RH_OK;
    }
    gather_walls(on);
    RH_TRY(raise_walls(arena, on));
    RH_TRY(find_sliding(arena, on));
    double *way = rh__arena_array(arena, double, on->n);
    double *z = rh__arena_array(arena, double, on->n);
    if (way == NULL || z == NULL) {
        return arena->status;
    }
    *out = slack_change(on, on->sliding) > SMALL;
    if (*out) {
        find_way(on, way);
        const double length = step_length(on, way);
        for (uint32_t i = 0; i < on->n; i++) {
            z[i] = fmax(on->z[i] + length * way[i], 0.0);
        }
        fill_point(on, z, other);
    }
    return RH_OK;
}

static rh_status explore(rh_arena *arena, piece *on, bool is_strict, rh_complement_point *points,
                         uint32_t *out_count)
{
    RH_TRY(find_corner(arena, on));
    fill_point(on, on->z, &points[0]);
    for (uint32_t i = 0; i < on->n; i++) {
        on->z[i] = fmax(on->is_active[i] ? points[0].multiplier[i] : points[0].slack[i], 0.0);
    }
    rh__complement_point_judge(on->frame, is_strict, &points[0]);
    *out_count = 1;
    if (!(points[0].violation <= 1.0)) {
        return RH_OK;
    }
    bool has_other = false;
    RH_TRY(find_other(arena, on, &points[1], &has_other));
    if (has_other) {
        points[1].active_count = points[0].active_count;
        memcpy(points[1].active, points[0].active, sizeof *points[0].active * on->at->active_count);
        rh__complement_point_judge(on->frame, is_strict, &points[1]);
        *out_count = points[1].violation <= 1.0 ? 2 : 1;
    }
    return RH_OK;
}

rh_status rh__complement_piece_solve(rh_arena *arena, const rh_complement_frame *frame,
                                     uint32_t rank, bool is_strict, rh_complement_point *points,
                                     uint32_t *out_count)
{
    RH_ASSERT(rank < points[0].active_count);
    const rh_mark mark = rh__arena_mark(arena);
    *out_count = 0;
    piece on;
    rh_status status = RH_OK;
    if (begin_piece(arena, frame, &points[0], rank, &on)) {
        status = explore(arena, &on, is_strict, points, out_count);
    } else {
        status = arena->status;
    }
    rh__arena_rewind(arena, mark);
    return status;
}
