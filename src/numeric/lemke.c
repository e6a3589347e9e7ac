// SPDX-License-Identifier: Apache-2.0
// Lemke's method (Cottle, Pang and Stone, The Linear Complementarity Problem, section 4.4): an
// artificial unknown, added to all slacks alike, makes them nonnegative; then complementary pivots
// follow a path on which it shrinks, until it leaves the basis or the path ends in a ray. Ties are
// broken lexicographically by the columns of the slacks, which hold the inverse of the basis: no
// basis comes twice.
//
// Columns of the tableau: n slacks, n multipliers, the artificial unknown, the right-hand side.

#include "numeric/complement.h"

#include <math.h>
#include <string.h>

typedef struct tableau {
    uint32_t n;
    size_t width;
    double *cells;   // n rows
    uint32_t *basis; // the unknown of each row
    bool *is_tied;
} tableau;

static bool begin_tableau(rh_arena *arena, const rh_complement_frame *frame, const double *constant,
                          tableau *out)
{
    const size_t n = frame->n;
    const size_t width = 2 * n + 2;
    *out = (tableau){.n = frame->n,
                     .width = width,
                     .cells = rh__arena_array(arena, double, (n * width)),
                     .basis = rh__arena_array(arena, uint32_t, n),
                     .is_tied = rh__arena_array(arena, bool, n)};
    if (out->cells == NULL || out->basis == NULL || out->is_tied == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        double *row = out->cells + i * width;
        row[i] = 1.0;
        for (size_t j = 0; j < n; j++) {
            row[n + j] = -frame->matrix[i * n + j];
        }
        row[2 * n] = -1.0;
        row[2 * n + 1] = constant[i];
        out->basis[i] = (uint32_t)i;
    }
    return true;
}

static void pivot(tableau *on, uint32_t row, uint32_t column)
{
    double *from = on->cells + row * on->width;
    const double divisor = from[column];
    RH_ASSERT(divisor != 0.0);
    for (size_t c = 0; c < on->width; c++) {
        from[c] /= divisor;
    }
    from[column] = 1.0;
    for (uint32_t i = 0; i < on->n; i++) {
        double *to = on->cells + i * on->width;
        const double factor = to[column];
        if (i == row || factor == 0.0) {
            continue;
        }
        for (size_t c = 0; c < on->width; c++) {
            const double part = factor * from[c];
            const double rest = to[c] - part;
            // what has lost all its digits is zero, so that ties are seen as such
            to[c] = fabs(rest) <= 1e-14 * fabs(part) ? 0.0 : rest;
        }
        to[column] = 0.0;
        to[on->width - 1] = fmax(to[on->width - 1], 0.0); // it is never negative but by rounding
    }
    on->basis[row] = column;
}

// --- the ratio test --------------------------------------------------------------------------

// Keep those tied rows whose ratio of `column` to `entering` is least. Returns how many are left.
static uint32_t sift(tableau *on, uint32_t column, uint32_t entering)
{
    double least = (double)INFINITY;
    double size = 0.0;
    for (uint32_t i = 0; i < on->n; i++) {
        const double *row = on->cells + i * on->width;
        if (on->is_tied[i]) {
            least = fmin(least, row[column] / row[entering]);
            size = fmax(size, fabs(row[column] / row[entering]));
        }
    }
    // for the right-hand side the least ratio itself is what rounding is measured by
    const double unit = column == 2 * on->n + 1 ? fabs(least) : size;
    uint32_t count = 0;
    for (uint32_t i = 0; i < on->n; i++) {
        const double *row = on->cells + i * on->width;
        on->is_tied[i] = on->is_tied[i] && row[column] / row[entering] <= least + 1e-12 * unit;
        count += on->is_tied[i] ? 1 : 0;
    }
    return count;
}

// The row that limits the entering unknown, lexicographically; n when none does. The artificial
// unknown goes first among equals, since that is the end.
static uint32_t choose_row(tableau *on, uint32_t entering)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < on->n; i++) {
        largest = fmax(largest, fabs(on->cells[i * on->width + entering]));
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < on->n; i++) {
        on->is_tied[i] = on->cells[i * on->width + entering] > 1e-11 * largest;
        count += on->is_tied[i] ? 1 : 0;
    }
    if (count == 0) {
        return on->n;
    }
    count = sift(on, 2 * on->n + 1, entering);
    for (uint32_t i = 0; i < on->n; i++) {
        if (on->is_tied[i] && on->basis[i] == 2 * on->n) {
            return i;
        }
    }
    for (uint32_t column = 0; column < on->n && count > 1; column++) {
        count = sift(on, column, entering);
    }
    uint32_t row = 0;
    while (!on->is_tied[row]) {
        row++;
    }
    return row;
}

// --- the path --------------------------------------------------------------------------------

// The row with the least constant, the last of equals: then all rows are positive
// lexicographically.
static uint32_t choose_first(const tableau *on)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < on->n; i++) {
        const double *column = on->cells + on->width - 1;
        if (column[i * on->width] <= column[best * on->width]) {
            best = i;
        }
    }
    return best;
}

static rh_lemke_end follow(tableau *on)
{
    const uint32_t n = on->n;
    uint32_t row = choose_first(on);
    if (n == 0 || on->cells[row * on->width + on->width - 1] >= 0.0) {
        return RH_LEMKE_SOLVED;
    }
    uint32_t leaving = on->basis[row];
    pivot(on, row, 2 * n);
    for (uint64_t patience = 30 * ((uint64_t)n + 10); patience > 0; patience--) {
        const uint32_t entering = leaving < n ? leaving + n : leaving - n;
        row = choose_row(on, entering);
        if (row == n) {
            return RH_LEMKE_RAY;
        }
        leaving = on->basis[row];
        pivot(on, row, entering);
        if (leaving == 2 * n) {
            return RH_LEMKE_SOLVED;
        }
    }
    return RH_LEMKE_TIRED;
}

rh_status rh__lemke_run(rh_arena *arena, const rh_complement_frame *frame, const double *constant,
                        rh_complement_point *point, rh_lemke_end *out)
{
    const rh_mark mark = rh__arena_mark(arena);
    const uint32_t n = frame->n;
    tableau on;
    const bool is_ready = begin_tableau(arena, frame, constant, &on);
    point->active_count = 0;
    *out = RH_LEMKE_TIRED;
    if (is_ready) {
        *out = follow(&on);
        memset(on.is_tied, 0, sizeof *on.is_tied * n);
        for (uint32_t i = 0; i < n; i++) {
            if (on.basis[i] >= n && on.basis[i] < 2 * n) {
                on.is_tied[on.basis[i] - n] = true;
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            if (on.is_tied[i]) {
                point->active[point->active_count++] = i;
            }
        }
    }
    rh__arena_rewind(arena, mark);
    return is_ready ? RH_OK : arena->status;
}
