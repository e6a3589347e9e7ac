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

// How many singular values are larger than that.
static uint32_t count_known(const face *on, const rh_svd *svd)
{
    const double smallest = unknown_size(on);
    uint32_t rank = 0;
    while (rank < svd->count && svd->values[rank] > smallest) {
        rank++;
    }
    return rank;
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
    const uint32_t rank = count_known(on, &svd);
    RH_ASSERT(rank <= on->count);
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

// --- slack zero is zero ----------------------------------------------------------------------

// Are the slacks that count as zero so small that rounding explains them?
static bool is_rounding(const face *on)
{
    for (uint32_t k = 0; k < on->count; k++) {
        const uint32_t i = on->index[k];
        if (fabs(on->point->slack[i]) > on->point->slack_error[i]) {
            return false;
        }
    }
    return true;
}

// Take away what slack the multipliers x leave in these rows, by the shortest correction: the known
// ones may come from a badly conditioned choice among dependent columns, the shortest from units
// far apart. Zeros may be kept.
static rh_status clean(rh_arena *arena, const face *on, bool has_zeros, double *x)
{
    const size_t n = on->frame->n;
    const size_t count = on->count;
    double *block = rh__arena_array(arena, double, (count * count));
    double *slack = rh__arena_array(arena, double, count);
    double *change = rh__arena_array(arena, double, count);
    if (block == NULL || slack == NULL || change == NULL) {
        return arena->status;
    }
    for (size_t k = 0; k < count; k++) {
        const double *row = on->frame->matrix + on->index[k] * n;
        slack[k] = on->frame->constant[on->index[k]];
        for (size_t j = 0; j < count; j++) {
            const double element = row[on->index[j]];
            slack[k] += element * ldexp(x[j], -on->exponent[j]);
            block[k + j * count] = has_zeros && x[j] == 0.0 ? 0.0 : element;
        }
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, on->count, on->count, block, &svd));
    rh__svd_solve(&svd, count_known(on, &svd), slack, change);
    for (size_t j = 0; j < count; j++) {
        x[j] -= has_zeros && x[j] == 0.0 ? 0.0 : ldexp(change[j], on->exponent[j]);
    }
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

// The rows of the null space, and how far each may fall. Rows without any part in it stay where
// they are: rounding must not make walls of them.
static void gather_bounds(const face *on, double smallest, const double *shortest, double *rows,
                          double *bound)
{
    for (size_t k = 0; k < on->count; k++) {
        double sum = 0.0;
        for (size_t c = 0; c < on->free_count; c++) {
            const double element = on->null[k + c * on->count];
            rows[k + c * on->count] = element;
            sum += element * element;
        }
        const bool is_free = sqrt(sum) > 1e-9;
        for (size_t c = 0; c < on->free_count && !is_free; c++) {
            rows[k + c * on->count] = 0.0;
        }
        bound[k] = is_free && fabs(shortest[k]) > smallest ? -shortest[k] : 0.0;
    }
}

static rh_status find_shortest(rh_arena *arena, const face *on, double *shortest)
{
    const double smallest = RH_COMPLEMENT_LOST * rh__vector_norm(on->count, on->x);
    double *rows = rh__arena_array(arena, double, ((size_t)on->count * on->free_count));
    double *bound = rh__arena_array(arena, double, on->count);
    double *u = rh__arena_array(arena, double, on->free_count);
    if (rows == NULL || bound == NULL || u == NULL) {
        return arena->status;
    }
    project(on, shortest);
    gather_bounds(on, smallest, shortest, rows, bound);
    rh_shortest wanted = {
        .rows = on->count, .columns = on->free_count, .matrix = rows, .right = bound, .u = u};
    RH_TRY(rh__shortest_solve(arena, &wanted));
    for (size_t c = 0; c < on->free_count; c++) {
        for (size_t k = 0; k < on->count; k++) {
            shortest[k] += u[c] * on->null[k + c * on->count];
        }
    }
    for (uint32_t k = 0; k < on->count; k++) {
        shortest[k] = shortest[k] <= smallest ? 0.0 : shortest[k];
    }
    return RH_OK;
}

// Slack of the shortest multipliers, and what rounding does to it. False when it is another than
// that of the point. What counted as zero there is zero here, or within the tolerance.
static bool fill_slack(const face *on, const double *multiplier, double *slack, double *error)
{
    const size_t n = on->frame->n;
    for (uint32_t i = 0; i < n; i++) {
        double sum = on->frame->constant[i];
        double size = fabs(sum);
        for (size_t k = 0; k < on->count; k++) {
            const double part = on->frame->matrix[i * n + on->index[k]] * multiplier[k];
            sum += part;
            size += fabs(part);
        }
        const double unit = rh__complement_slack_unit(on->frame, on->point, i);
        const bool is_zero = on->point->slack[i] <= unit;
        const double gap = fabs(sum - (is_zero ? 0.0 : on->point->slack[i]));
        error[i] = RH_COMPLEMENT_LOST * size;
        if (!(gap <= fmax(unit, error[i]))) {
            return false;
        }
        if (!is_zero || gap > on->frame->slack_tolerance[i]) {
            error[i] = fmax(error[i], gap);
        }
        slack[i] = is_zero && fabs(sum) <= error[i] ? 0.0 : sum;
    }
    return true;
}

static rh_status replace_multipliers(rh_arena *arena, face *on, const double *shortest)
{
    rh_complement_point *point = on->point;
    double *multiplier = rh__arena_array(arena, double, on->count);
    double *slack = rh__arena_array(arena, double, on->frame->n);
    double *error = rh__arena_array(arena, double, on->frame->n);
    if (multiplier == NULL || slack == NULL || error == NULL) {
        return arena->status;
    }
    double largest = 0.0;
    for (uint32_t k = 0; k < on->count; k++) {
        multiplier[k] = ldexp(shortest[k], -on->exponent[k]);
        largest = fmax(largest, multiplier[k]);
    }
    if (!fill_slack(on, multiplier, slack, error)) {
        return RH_OK;
    }
    for (uint32_t i = 0; i < on->frame->n; i++) {
        point->slack[i] = slack[i];
        point->slack_error[i] = error[i];
    }
    for (uint32_t k = 0; k < on->count; k++) {
        on->x[k] = shortest[k];
        point->multiplier[on->index[k]] = multiplier[k];
        point->multiplier_error[on->index[k]] = RH_COMPLEMENT_LOST * largest;
    }
    return RH_OK;
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
    // factors beyond bounds would let rounding in the walls count
    *out = rh__vector_norm(rows, residual) <= 1e-9 && rh__vector_norm(count, y) <= 1e6;
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
    const bool is_clean = is_rounding(on);
    if (is_clean) {
        RH_TRY(clean(arena, on, false, on->x));
    }
    RH_TRY(find_shortest(arena, on, shortest));
    if (is_clean) {
        RH_TRY(clean(arena, on, true, shortest));
    }
    RH_TRY(replace_multipliers(arena, on, shortest));
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
