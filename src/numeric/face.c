// SPDX-License-Identifier: Apache-2.0
// All multipliers with the same slack: the x >= 0 that differ from the known ones by null vectors
// of the columns with zero slack. The shortest is found in the units of the caller; it is the only
// one when no null vector leads from it into x >= 0.

#include "numeric/complement.h"

#include "numeric/nonnegative.h"

#include <math.h>
#include <string.h>

typedef struct face {
    const rh_complement_frame *frame;
    rh_complement_point *point;
    uint32_t count;
    uint32_t *index;     // with zero slack; these multipliers may be positive
    int32_t *exponent;   // multiplier in units of the caller, up to a common factor
    uint32_t free_count; // dimension of the null space
    double *null;        // count x free_count, orthonormal in these units
    double *x;           // count; multipliers in these units
} face;

static bool begin_face(rh_arena *arena, const rh_complement_frame *frame,
                       rh_complement_point *point, face *out)
{
    *out = (face){.frame = frame, .point = point};
    out->index = rh__arena_array(arena, uint32_t, frame->n);
    out->exponent = rh__arena_array(arena, int32_t, frame->n);
    out->x = rh__arena_array(arena, double, frame->n);
    if (out->index == NULL || out->exponent == NULL || out->x == NULL) {
        return false;
    }
    int32_t largest = INT32_MIN;
    for (uint32_t i = 0; i < frame->n; i++) {
        if (point->slack[i] <= rh__complement_slack_unit(frame, point, i)) {
            const int32_t exponent = frame->column_exponent[i];
            out->index[out->count++] = i;
            largest = exponent > largest ? exponent : largest;
        }
    }
    for (uint32_t k = 0; k < out->count; k++) {
        out->exponent[k] = frame->column_exponent[out->index[k]] - largest;
        out->x[k] = ldexp(point->multiplier[out->index[k]], out->exponent[k]);
    }
    return true;
}

// --- the null space --------------------------------------------------------------------------

// How large the unknown part of the columns is.
static double unknown_size(const face *on)
{
    const size_t n = on->frame->n;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < on->count; k++) {
            const double magnitude = on->frame->magnitude[i * n + on->index[k]];
            sum += magnitude * magnitude;
        }
    }
    return RH_COMPLEMENT_LOST * sqrt(sum);
}

static rh_status find_null(rh_arena *arena, face *on)
{
    const size_t n = on->frame->n;
    const size_t count = on->count;
    double *columns = rh__arena_array(arena, double, (n * count));
    if (columns == NULL) {
        return arena->status;
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++) {
            columns[i + k * n] = on->frame->matrix[i * n + on->index[k]];
        }
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, on->frame->n, on->count, columns, &svd));
    uint32_t rank = 0;
    const double smallest = unknown_size(on);
    while (rank < svd.count && svd.values[rank] > smallest) {
        rank++;
    }
    on->free_count = on->count - rank;
    double *vectors = svd.v + rank * count;
    for (size_t k = 0; k < count * on->free_count; k++) {
        vectors[k] = ldexp(vectors[k], on->exponent[k % count]);
    }
    rh_svd turned; // its first columns are the same space, orthonormal in the units of the caller
    RH_TRY(rh__svd_create(arena, on->count, on->free_count, vectors, &turned));
    on->null = turned.u;
    return RH_OK;
}

// --- the shortest ----------------------------------------------------------------------------

// x without its part in the null space: the shortest of all, whatever the signs.
static void project(const face *on, double *shortest)
{
    memcpy(shortest, on->x, sizeof *shortest * on->count);
    for (size_t c = 0; c < on->free_count; c++) {
        const double *vector = on->null + c * on->count;
        const double part = rh__vector_dot(on->count, vector, on->x);
        for (size_t k = 0; k < on->count; k++) {
            shortest[k] -= part * vector[k];
        }
    }
}

static rh_status find_shortest(rh_arena *arena, const face *on, double *shortest)
{
    const double size = rh__vector_norm(on->count, on->x);
    double *right = rh__arena_array(arena, double, on->count);
    double *u = rh__arena_array(arena, double, on->free_count);
    if (right == NULL || u == NULL) {
        return arena->status;
    }
    project(on, shortest);
    bool has_signs = true;
    for (uint32_t k = 0; k < on->count; k++) {
        right[k] = -shortest[k];
        has_signs = has_signs && shortest[k] >= -RH_COMPLEMENT_LOST * size;
    }
    rh_shortest wanted = {
        .rows = on->count, .columns = on->free_count, .matrix = on->null, .right = right, .u = u};
    if (!has_signs) {
        RH_TRY(rh__shortest_solve(arena, &wanted));
    }
    for (size_t c = 0; c < on->free_count; c++) {
        for (size_t k = 0; k < on->count; k++) {
            shortest[k] += u[c] * on->null[k + c * on->count];
        }
    }
    for (uint32_t k = 0; k < on->count; k++) {
        shortest[k] = shortest[k] <= RH_COMPLEMENT_LOST * size ? 0.0 : shortest[k];
    }
    return RH_OK;
}

// Take the shortest if it has the same slack indeed.
static void replace_multipliers(face *on, const double *shortest)
{
    const size_t n = on->frame->n;
    rh_complement_point *point = on->point;
    for (size_t i = 0; i < n; i++) {
        double change = 0.0;
        for (size_t k = 0; k < on->count; k++) {
            const double step = ldexp(shortest[k] - on->x[k], -on->exponent[k]);
            change += on->frame->matrix[i * n + on->index[k]] * step;
        }
        const double unit = rh__complement_slack_unit(on->frame, point, (uint32_t)i);
        if (!(fabs(change) <= fmax(unit, 1e-10 * fabs(on->frame->constant[i])))) {
            return;
        }
    }
    for (uint32_t k = 0; k < on->count; k++) {
        on->x[k] = shortest[k];
        point->multiplier[on->index[k]] = ldexp(shortest[k], -on->exponent[k]);
    }
}

// --- the only one? ---------------------------------------------------------------------------

// The rows of the null space where x is zero, as columns of length 1.
static uint32_t gather_walls(const face *on, double *walls)
{
    const size_t rows = on->free_count;
    uint32_t count = 0;
    for (uint32_t k = 0; k < on->count; k++) {
        const uint32_t i = on->index[k];
        double *wall = walls + count * rows;
        for (size_t c = 0; c < rows; c++) {
            wall[c] = on->null[k + c * on->count];
        }
        const double length = rh__vector_norm(rows, wall);
        if (on->point->multiplier[i] <= rh__complement_multiplier_unit(on->frame, on->point, i) &&
            length > 1e-9) {
            for (size_t c = 0; c < rows; c++) {
                wall[c] /= length;
            }
            count++;
        }
    }
    return count;
}

// No direction u but zero has walls^T u >= 0, exactly when the walls span the space and zero is a
// combination of all of them with positive factors (Stiemke): with factors 1 + y, y >= 0.
static rh_status find_uniqueness(rh_arena *arena, face *on, bool *out)
{
    const size_t rows = on->free_count;
    double *walls = rh__arena_array(arena, double, (rows * on->count));
    double *right = rh__arena_array(arena, double, rows);
    double *residual = rh__arena_array(arena, double, rows);
    double *y = rh__arena_array(arena, double, on->count);
    if (walls == NULL || right == NULL || residual == NULL || y == NULL) {
        return arena->status;
    }
    const uint32_t count = gather_walls(on, walls);
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, on->free_count, count, walls, &svd));
    *out = false;
    if (rh__svd_rank(&svd, 1e-9) < on->free_count) {
        return RH_OK;
    }
    for (size_t k = 0; k < rows * count; k++) {
        right[k % rows] -= walls[k];
    }
    const rh_nonnegative balance = {.rows = on->free_count,
                                    .columns = count,
                                    .matrix = walls,
                                    .right = right,
                                    .x = y,
                                    .residual = residual};
    RH_TRY(rh__nonnegative_solve(arena, &balance));
    *out = rh__vector_norm(rows, residual) <= 1e-9 * (1.0 + rh__vector_norm(count, y));
    return RH_OK;
}

static rh_status shorten(rh_arena *arena, face *on, bool *out_is_unique)
{
    *out_is_unique = true;
    RH_TRY(find_null(arena, on));
    if (on->free_count == 0) {
        return RH_OK;
    }
    double *shortest = rh__arena_array(arena, double, on->count);
    if (shortest == NULL) {
        return arena->status;
    }
    RH_TRY(find_shortest(arena, on, shortest));
    replace_multipliers(on, shortest);
    return find_uniqueness(arena, on, out_is_unique);
}

rh_status rh__complement_face_shorten(rh_arena *arena, const rh_complement_frame *frame,
                                      rh_complement_point *point)
{
    const rh_mark mark = rh__arena_mark(arena);
    face on;
    bool is_unique = false;
    rh_status status = RH_OK;
    if (begin_face(arena, frame, point, &on)) {
        status = shorten(arena, &on, &is_unique);
    } else {
        status = arena->status;
    }
    point->is_unique = is_unique;
    rh__arena_rewind(arena, mark);
    return status;
}
