// SPDX-License-Identifier: Apache-2.0
// What kind of matrix is it? Semidefinite by elimination on the diagonal; a P-matrix by the tree of
// Tsatsomeros and Li: A is one when its first element is positive and both the rest of A and the
// Schur complement of that element in A are P-matrices. All tests are free of scaling: a diagonal
// element counts as zero when it has lost its digits by what was subtracted from it.

#include "numeric/complement.h"

#include <math.h>
#include <string.h>

// --- semidefinite ----------------------------------------------------------------------------

typedef struct elimination {
    uint32_t n;
    double *matrix;    // symmetric
    double *magnitude; // of the diagonal: the largest number it was made of
    bool *is_done;
} elimination;

// The diagonal element with the most digits; n when none has any.
static uint32_t choose_pivot(const elimination *on)
{
    uint32_t best = on->n;
    for (uint32_t k = 0; k < on->n; k++) {
        const double value = on->matrix[(size_t)k * on->n + k];
        if (on->is_done[k] || !(value > RH_COMPLEMENT_LOST * on->magnitude[k])) {
            continue;
        }
        if (best == on->n || value * on->magnitude[best] >
                                 on->matrix[(size_t)best * on->n + best] * on->magnitude[k]) {
            best = k;
        }
    }
    return best;
}

static void eliminate(elimination *on, uint32_t pivot)
{
    const size_t n = on->n;
    const double *row = on->matrix + pivot * n;
    on->is_done[pivot] = true;
    for (size_t i = 0; i < n; i++) {
        if (on->is_done[i]) {
            continue;
        }
        const double factor = on->matrix[i * n + pivot] / row[pivot];
        for (size_t j = 0; factor != 0.0 && j < n; j++) {
            on->matrix[i * n + j] -= on->is_done[j] ? 0.0 : factor * row[j];
        }
        on->magnitude[i] = fmax(on->magnitude[i], fabs(factor * row[i]));
    }
}

// Is nothing left but rounding?
static bool is_rest_zero(const elimination *on)
{
    for (size_t i = 0; i < on->n; i++) {
        for (size_t j = 0; j < on->n && !on->is_done[i]; j++) {
            const double unit = sqrt(on->magnitude[i]) * sqrt(on->magnitude[j]);
            if (!on->is_done[j] &&
                !(fabs(on->matrix[i * on->n + j]) <= RH_COMPLEMENT_LOST * unit)) {
                return false;
            }
        }
    }
    return true;
}

// --- P-matrices ------------------------------------------------------------------------------

enum {
    DEEPEST = RH_COMPLEMENT_ENUMERATED,
    TREE = DEEPEST * (DEEPEST + 1) * (2 * DEEPEST + 1) / 6, // the sum of squares
};

typedef struct tree {
    double matrix[TREE]; // one of each size, the largest first
    double magnitude[TREE];
    uint8_t visits[DEEPEST];
} tree;

// The rest of a matrix without its first row and column, or the Schur complement of its corner.
static void make_child(uint32_t size, bool is_complement, const double *matrix,
                       const double *magnitude, double *child, double *child_magnitude)
{
    const size_t side = size - 1;
    for (size_t i = 0; i < side; i++) {
        const double *from = matrix + (i + 1) * size;
        const double *size_from = magnitude + (i + 1) * size;
        const double factor = is_complement ? from[0] / matrix[0] : 0.0;
        const double reach = is_complement ? size_from[0] / matrix[0] : 0.0;
        for (size_t j = 0; j < side; j++) {
            const double near = fabs(factor) * magnitude[j + 1];
            const double far = reach * fabs(matrix[j + 1]);
            const double part = near > far ? near : far;
            child[i * side + j] = from[j + 1] - factor * matrix[j + 1];
            child_magnitude[i * side + j] = part > size_from[j + 1] ? part : size_from[j + 1];
        }
    }
}

// The tree holds the matrix and its magnitudes at its root.
static bool walk(tree *on, uint32_t n)
{
    double *matrix = on->matrix;
    double *magnitude = on->magnitude;
    uint32_t level = 0;
    for (;;) {
        const uint32_t size = n - level;
        const uint8_t visit = on->visits[level]++;
        if (visit == 0 && !(matrix[0] > RH_COMPLEMENT_LOST * magnitude[0])) {
            return false;
        }
        if (visit == 2 || size == 1) {
            if (level == 0) {
                return true;
            }
            level--;
            matrix -= (size_t)(size + 1) * (size + 1);
            magnitude -= (size_t)(size + 1) * (size + 1);
            continue;
        }
        double *child = matrix + (size_t)size * size;
        double *child_magnitude = magnitude + (size_t)size * size;
        make_child(size, visit == 1, matrix, magnitude, child, child_magnitude);
        matrix = child;
        magnitude = child_magnitude;
        on->visits[++level] = 0;
    }
}

// `magnitude` is that of each element, or NULL.
static bool is_p_matrix(uint32_t n, const double *matrix, const double *magnitude)
{
    if (n > DEEPEST) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    tree on;
    memcpy(on.matrix, matrix, sizeof *matrix * n * n);
    on.visits[0] = 0;
    for (size_t k = 0; k < (size_t)n * n; k++) {
        on.magnitude[k] = magnitude != NULL ? magnitude[k] : fabs(matrix[k]);
    }
    return walk(&on, n);
}

bool rh__complement_is_p_matrix(uint32_t n, const double *matrix)
{
    return is_p_matrix(n, matrix, NULL);
}

// --- the kind --------------------------------------------------------------------------------

// Elements of D matrix D, with the matrix of the caller and powers of two on the diagonal of D that
// share the balance evenly between rows and columns: symmetric and semidefinite in his units are so
// in these, and no element grows beyond bounds.
static int32_t congruent_exponent(const rh_complement_frame *frame, size_t i, size_t j)
{
    const int32_t row = (frame->row_exponent[i] + frame->column_exponent[i]) / 2;
    const int32_t column = (frame->row_exponent[j] + frame->column_exponent[j]) / 2;
    return row - frame->row_exponent[i] + column - frame->column_exponent[j];
}

static void fill_congruent(const rh_complement_frame *frame, double *matrix, double *magnitude)
{
    const size_t n = frame->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const int32_t exponent = congruent_exponent(frame, i, j);
            matrix[i * n + j] = ldexp(frame->matrix[i * n + j], exponent);
        }
        magnitude[i] = ldexp(frame->magnitude[i * n + i], congruent_exponent(frame, i, i));
    }
}

static bool is_symmetric(uint32_t n, const double *matrix, const double *magnitude)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const double unit = sqrt(magnitude[i]) * sqrt(magnitude[j]);
            if (!(fabs(matrix[i * n + j] - matrix[j * n + i]) <= 2.0 * RH_COMPLEMENT_LOST * unit)) {
                return false;
            }
        }
    }
    return true;
}

static void take_symmetric_part(uint32_t n, double *matrix)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const double mean = 0.5 * matrix[i * n + j] + 0.5 * matrix[j * n + i];
            matrix[i * n + j] = matrix[j * n + i] = mean;
        }
    }
}

rh_status rh__complement_kind(rh_arena *arena, const rh_complement_frame *frame,
                              rh_complement_kind *out)
{
    const size_t n = frame->n;
    const rh_mark mark = rh__arena_mark(arena);
    elimination on = {.n = frame->n,
                      .matrix = rh__arena_array(arena, double, (n * n)),
                      .magnitude = rh__arena_array(arena, double, n),
                      .is_done = rh__arena_array(arena, bool, n)};
    if (on.matrix == NULL || on.magnitude == NULL || on.is_done == NULL) {
        return arena->status;
    }
    fill_congruent(frame, on.matrix, on.magnitude);
    const bool is_plain = is_symmetric(frame->n, on.matrix, on.magnitude);
    take_symmetric_part(frame->n, on.matrix);
    uint32_t rank = 0;
    for (uint32_t pivot = choose_pivot(&on); pivot < n; pivot = choose_pivot(&on)) {
        eliminate(&on, pivot);
        rank++;
    }
    const bool is_monotone = is_rest_zero(&on);
    rh__arena_rewind(arena, mark);
    *out = is_plain ? RH_COMPLEMENT_GAUSSIAN : RH_COMPLEMENT_MONOTONE;
    if (!is_monotone) {
        *out = RH_COMPLEMENT_GENERAL;
    }
    if ((is_monotone && rank == n) || is_p_matrix(frame->n, frame->matrix, frame->magnitude)) {
        *out = RH_COMPLEMENT_UNIQUE;
    }
    return RH_OK;
}
