// SPDX-License-Identifier: Apache-2.0
// Nonnegative least squares by active sets (Lawson and Hanson, Solving Least Squares Problems,
// chapter 23): one unknown after another is set free, where that shortens the residual; those that
// would become negative on the way are fixed at zero again. The columns of the free ones are held
// in a Householder QR, which is renewed from the first column that changed.

#include "numeric/nonnegative.h"

#include "numeric/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct fit {
    uint32_t rows, columns;
    const double *matrix;
    double *length;    // columns; of each column
    bool *is_free;     // columns
    bool *is_rejected; // columns; it did not help at the present residual
    uint32_t *free;    // the columns in the factor, in order
    uint32_t count;    // of free ones; at most rows
    double *factor;    // rows x rows; above the diagonal R, from it on the reflectors
    double *diagonal;  // of R
    double *scale;     // of the reflectors
    double *turned;    // rows; Q^T right
    double *target;    // of the free ones: their least squares, all signs
} fit;

static bool begin_fit(rh_arena *arena, const rh_nonnegative *problem, fit *out)
{
    const size_t rows = problem->rows;
    const size_t columns = problem->columns;
    *out = (fit){.rows = problem->rows, .columns = problem->columns, .matrix = problem->matrix};
    out->length = rh__arena_array(arena, double, columns);
    out->is_free = rh__arena_array(arena, bool, columns);
    out->is_rejected = rh__arena_array(arena, bool, columns);
    out->free = rh__arena_array(arena, uint32_t, rows);
    out->factor = rh__arena_array(arena, double, (rows * rows));
    out->diagonal = rh__arena_array(arena, double, rows);
    out->scale = rh__arena_array(arena, double, rows);
    out->turned = rh__arena_array(arena, double, rows);
    out->target = rh__arena_array(arena, double, rows);
    if (out->length == NULL || out->is_free == NULL || out->is_rejected == NULL ||
        out->free == NULL || out->factor == NULL || out->diagonal == NULL || out->scale == NULL ||
        out->turned == NULL || out->target == NULL) {
        return false;
    }
    for (size_t j = 0; j < columns; j++) {
        out->length[j] = rh__vector_norm(rows, problem->matrix + j * rows);
    }
    return true;
}

// --- the factor ------------------------------------------------------------------------------

static void reflect(const fit *on, uint32_t k, double *column)
{
    const uint32_t count = on->rows - k;
    const double *mirror = on->factor + (size_t)k * on->rows + k;
    const double amount = on->scale[k] * rh__vector_dot(count, mirror, column + k);
    for (uint32_t i = 0; i < count; i++) {
        column[k + i] -= amount * mirror[i];
    }
}

// Columns from position `from` on have changed.
static void renew_factor(fit *on, uint32_t from)
{
    for (uint32_t k = from; k < on->count; k++) {
        double *column = on->factor + (size_t)k * on->rows;
        memcpy(column, on->matrix + (size_t)on->free[k] * on->rows, sizeof *column * on->rows);
        for (uint32_t i = 0; i < k; i++) {
            reflect(on, i, column);
        }
        const double norm = rh__vector_norm(on->rows - k, column + k);
        on->diagonal[k] = column[k] > 0.0 ? -norm : norm;
        on->scale[k] = norm > 0.0 ? 1.0 / (norm * (norm + fabs(column[k]))) : 0.0;
        column[k] -= on->diagonal[k];
    }
}

static void find_target(fit *on, const double *right)
{
    memcpy(on->turned, right, sizeof *right * on->rows);
    for (uint32_t k = 0; k < on->count; k++) {
        reflect(on, k, on->turned);
    }
    for (uint32_t k = on->count; k-- > 0;) {
        double sum = on->turned[k];
        for (uint32_t j = k + 1; j < on->count; j++) {
            sum -= on->factor[k + (size_t)j * on->rows] * on->target[j];
        }
        on->target[k] = sum / on->diagonal[k];
    }
}

// --- the active set --------------------------------------------------------------------------

static void find_residual(const rh_nonnegative *problem)
{
    const size_t rows = problem->rows;
    memcpy(problem->residual, problem->right, sizeof *problem->right * rows);
    for (size_t j = 0; j < problem->columns; j++) {
        const double *column = problem->matrix + j * rows;
        for (size_t i = 0; problem->x[j] != 0.0 && i < rows; i++) {
            problem->residual[i] -= column[i] * problem->x[j];
        }
    }
}

// The column that makes the smallest angle with the residual; `columns` when none makes less than a
// right one, to rounding.
static uint32_t choose_column(const fit *on, const double *residual, double size)
{
    uint32_t best = on->columns;
    double slope = 1e-12 * size;
    for (uint32_t j = 0; j < on->columns; j++) {
        if (on->is_free[j] || on->is_rejected[j] || !(on->length[j] > 0.0)) {
            continue;
        }
        const double *column = on->matrix + (size_t)j * on->rows;
        const double dot = rh__vector_dot(on->rows, column, residual) / on->length[j];
        if (dot > slope) {
            slope = dot;
            best = j;
        }
    }
    return best;
}

// False when the column depends on those before it, or would not become positive: rounding spoke
// for it.
static bool add_column(fit *on, const double *right, uint32_t column)
{
    RH_ASSERT(on->count < on->rows && !on->is_free[column]);
    const uint32_t last = on->count++;
    on->free[last] = column;
    renew_factor(on, last);
    const bool is_new = fabs(on->diagonal[last]) > 1e-13 * on->length[column];
    if (is_new) {
        find_target(on, right);
    }
    if (!is_new || !(on->target[last] > 0.0)) {
        on->count--;
        on->is_rejected[column] = true;
        return false;
    }
    on->is_free[column] = true;
    memset(on->is_rejected, 0, sizeof *on->is_rejected * on->columns);
    return true;
}

// Go from x towards the target until the first unknown becomes zero. False when the target itself
// is positive.
static bool shorten_step(fit *on, double *x)
{
    double length = 1.0;
    uint32_t first = on->count;
    for (uint32_t k = 0; k < on->count; k++) {
        const double now = x[on->free[k]];
        if (on->target[k] <= 0.0 && (first == on->count || now < length * (now - on->target[k]))) {
            length = now > 0.0 ? now / (now - on->target[k]) : 0.0;
            first = k;
        }
    }
    if (first == on->count) {
        return false;
    }
    for (uint32_t k = 0; k < on->count; k++) {
        double *now = x + on->free[k];
        *now = k == first ? 0.0 : fmax(*now + length * (on->target[k] - *now), 0.0);
    }
    return true;
}

static void drop_zeros(fit *on, const double *x)
{
    uint32_t kept = 0;
    uint32_t changed = on->count;
    for (uint32_t k = 0; k < on->count; k++) {
        if (x[on->free[k]] > 0.0) {
            on->free[kept++] = on->free[k];
            continue;
        }
        on->is_free[on->free[k]] = false;
        changed = kept < changed ? kept : changed;
    }
    on->count = kept;
    renew_factor(on, changed);
}

static void settle(fit *on, const rh_nonnegative *problem)
{
    while (shorten_step(on, problem->x)) {
        drop_zeros(on, problem->x);
        find_target(on, problem->right);
    }
    for (uint32_t k = 0; k < on->count; k++) {
        problem->x[on->free[k]] = on->target[k];
    }
    find_residual(problem);
}

static void iterate(fit *on, const rh_nonnegative *problem)
{
    const double whole = rh__vector_norm(on->rows, problem->right);
    // the residual shrinks each time, so no set comes twice; rounding alone could make it endless
    uint32_t patience = 30 + 10 * on->columns;
    while (patience-- > 0 && on->count < on->rows) {
        const double size = rh__vector_norm(on->rows, problem->residual);
        const uint32_t column = size > 4.0 * DBL_EPSILON * whole
                                    ? choose_column(on, problem->residual, size)
                                    : on->columns;
        if (column == on->columns) {
            return;
        }
        if (add_column(on, problem->right, column)) {
            settle(on, problem);
        }
    }
}

rh_status rh__nonnegative_solve(rh_arena *arena, const rh_nonnegative *problem)
{
    const rh_mark mark = rh__arena_mark(arena);
    fit on;
    const bool is_ready = begin_fit(arena, problem, &on);
    for (uint32_t j = 0; j < problem->columns; j++) {
        problem->x[j] = 0.0;
    }
    find_residual(problem);
    if (is_ready) {
        iterate(&on, problem);
    }
    rh__arena_rewind(arena, mark);
    return is_ready ? RH_OK : arena->status;
}

// --- the shortest vector ---------------------------------------------------------------------

// Lawson and Hanson, chapter 23, problem LDP: with E = [matrix^T; right^T], y >= 0 that minimises
// |E y - e|, e the last unit vector, and the residual r = e - E y, the answer is -r / r_last; a
// residual of zero says that the inequalities contradict each other.
static rh_status find_dual(rh_arena *arena, rh_shortest *problem, double size)
{
    const size_t rows = problem->rows;
    const size_t side = (size_t)problem->columns + 1;
    double *matrix = rh__arena_array(arena, double, (side * rows));
    double *right = rh__arena_array(arena, double, side);
    double *residual = rh__arena_array(arena, double, side);
    double *x = rh__arena_array(arena, double, rows);
    if (matrix == NULL || right == NULL || residual == NULL || x == NULL) {
        return arena->status;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j + 1 < side; j++) {
            matrix[j + i * side] = problem->matrix[i + j * rows];
        }
        matrix[side - 1 + i * side] = problem->right[i] / size;
    }
    right[side - 1] = 1.0;
    const rh_nonnegative dual = {.rows = (uint32_t)side,
                                 .columns = problem->rows,
                                 .matrix = matrix,
                                 .right = right,
                                 .x = x,
                                 .residual = residual};
    RH_TRY(rh__nonnegative_solve(arena, &dual));
    // the last component of r is the square of its length, and less accurate
    const double length = rh__vector_norm(side, residual);
    problem->has_solution = length > 1e-9;
    for (size_t j = 0; problem->has_solution && j + 1 < side; j++) {
        problem->u[j] = -size * (residual[j] / length) / length;
    }
    return RH_OK;
}

rh_status rh__shortest_solve(rh_arena *arena, rh_shortest *problem)
{
    problem->has_solution = true;
    double size = 0.0;
    for (uint32_t i = 0; i < problem->rows; i++) {
        size = fmax(size, problem->right[i]);
    }
    for (uint32_t j = 0; j < problem->columns; j++) {
        problem->u[j] = 0.0;
    }
    if (!(size > 0.0)) {
        return RH_OK; // zero itself obeys
    }
    const rh_mark mark = rh__arena_mark(arena);
    const rh_status status = find_dual(arena, problem, size);
    rh__arena_rewind(arena, mark);
    return status;
}
