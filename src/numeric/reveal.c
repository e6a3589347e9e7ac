// SPDX-License-Identifier: Apache-2.0
// Rank and pseudo-inverse of a matrix whose entries are known up to some noise: exchange steps (the
// sweep operator) with complete pivoting. After some pivots the matrix, split by pivot rows and
// columns, is
//     [  A11^-1        A11^-1 A12            ]
//     [ -A21 A11^-1    A22 - A21 A11^-1 A12  ],
// so what noise E of A does to an entry of the last part is at most |y| E |x|, with y and x read
// off its row and column. An entry no larger than that is rounding and never becomes a pivot. The
// question does not depend on the units of rows and columns; scales only order the pivots. With
// null spaces from the same table the pseudo-inverse is P A^- P', P and P' projecting along them.

#include "numeric/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SIGNIFICANT 16.0 // times its noise is an entry that counts
#define DISTINCT 1e10    // the same beyond a rank that is known
#define SHARE 1e-7       // of a scaled unknown in the null space, below which it is not loose
#define FAIR 0.02        // part of a combination of equations that vanishes, to be spared by it

typedef struct revealing {
    const rh_reveal_problem *problem;
    uint32_t n;
    double *table;        // n x n by rows
    double *noise;        // n x n by rows: E, with what the steps so far have rounded
    double *row, *column; // scales that order the pivots
    uint32_t *pivot_row;  // by pivot
    uint32_t *pivot_column;
    bool *is_row_used, *is_column_used;
    bool *is_noise;          // n x n by rows: found to be none of the pivots
    double *right, *product; // |x|, E |x|
    uint32_t rank;
} revealing;

static double power_of_two(double size)
{
    return size > 0.0 && isfinite(size) ? ldexp(1.0, -ilogb(size)) : 1.0;
}

// Rows in the sizes of the unknowns, then columns: both end with largest entries of about 1.
static void choose_scales(revealing *in)
{
    const size_t n = in->n;
    for (size_t i = 0; i < n; i++) {
        double size = 0.0;
        for (size_t j = 0; j < n; j++) {
            size = fmax(size, fabs(in->table[i * n + j]) * in->problem->column_scale[j]);
        }
        in->row[i] = power_of_two(size);
    }
    for (size_t j = 0; j < n; j++) {
        double size = 0.0;
        for (size_t i = 0; i < n; i++) {
            size = fmax(size, fabs(in->table[i * n + j]) * in->row[i]);
        }
        in->column[j] = power_of_two(size);
    }
}

// --- pivots --------------------------------------------------------------------------------------

// The largest entry left, scaled; false: nothing is left but zeros and noise.
static bool find_largest(const revealing *in, uint32_t *row, uint32_t *column)
{
    const size_t n = in->n;
    double most = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; !in->is_row_used[i] && j < n; j++) {
            const double size = fabs(in->table[i * n + j]) * in->row[i] * in->column[j];
            if (size > most && !in->is_column_used[j] && !in->is_noise[i * n + j]) {
                most = size;
                *row = i;
                *column = j;
            }
        }
    }
    return most > 0.0;
}

// E |x| for a column that is left.
static void find_product(revealing *in, uint32_t column)
{
    const size_t n = in->n;
    memset(in->right, 0, n * sizeof *in->right);
    memset(in->product, 0, n * sizeof *in->product);
    in->right[column] = 1.0;
    for (uint32_t t = 0; t < in->rank; t++) {
        in->right[in->pivot_column[t]] = fabs(in->table[in->pivot_row[t] * n + column]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            in->product[i] += in->noise[i * n + j] * in->right[j];
        }
    }
}

// Of a pivot row this is an entry of A11^-1 A12.
static bool is_significant(const revealing *in, uint32_t row, uint32_t column)
{
    const size_t n = in->n;
    double noise = in->is_row_used[row] ? 0.0 : in->product[row];
    for (uint32_t t = 0; t < in->rank; t++) {
        noise += fabs(in->table[row * n + in->pivot_column[t]]) * in->product[in->pivot_row[t]];
    }
    const bool is_beyond = in->rank >= in->n - in->problem->defect;
    return fabs(in->table[row * n + column]) > (is_beyond ? DISTINCT : SIGNIFICANT) * noise;
}

// Where the largest entry is noise all that are left are looked at.
static void mark_noise(revealing *in)
{
    const size_t n = in->n;
    for (uint32_t j = 0; j < n; j++) {
        if (in->is_column_used[j]) {
            continue;
        }
        find_product(in, j);
        for (uint32_t i = 0; i < n; i++) {
            in->is_noise[i * n + j] = !in->is_row_used[i] && !is_significant(in, i, j);
        }
    }
}

static bool choose_pivot(revealing *in, uint32_t *row, uint32_t *column)
{
    if (!find_largest(in, row, column)) {
        return false;
    }
    find_product(in, *column);
    if (is_significant(in, *row, *column)) {
        return true;
    }
    mark_noise(in);
    return find_largest(in, row, column);
}

// The roundings of an exchange step are like noise of the entries that are left.
static void add_noise(revealing *in, uint32_t row, uint32_t column)
{
    const size_t n = in->n;
    const double *own = in->table + row * n;
    for (size_t i = 0; i < n; i++) {
        const double factor = DBL_EPSILON * fabs(in->table[i * n + column] / own[column]);
        for (size_t j = 0; !in->is_row_used[i] && i != row && factor != 0.0 && j < n; j++) {
            in->noise[i * n + j] +=
                in->is_column_used[j] || j == column ? 0.0 : factor * fabs(own[j]);
        }
    }
}

static void exchange(revealing *in, uint32_t row, uint32_t column)
{
    const size_t n = in->n;
    double *own = in->table + row * n;
    const double inverse = 1.0 / own[column];
    add_noise(in, row, column);
    for (size_t j = 0; j < n; j++) {
        own[j] *= j == column ? 1.0 : inverse;
    }
    for (size_t i = 0; i < n; i++) {
        double *other = in->table + i * n;
        const double factor = other[column];
        if (i == row || factor == 0.0) {
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            other[j] -= j == column ? 0.0 : factor * own[j];
        }
        other[column] = -factor * inverse;
    }
    own[column] = inverse;
    in->pivot_row[in->rank] = row;
    in->pivot_column[in->rank++] = column;
    in->is_row_used[row] = in->is_column_used[column] = true;
}

static void reduce(revealing *in)
{
    uint32_t row = 0;
    uint32_t column = 0;
    while (in->rank < in->n && choose_pivot(in, &row, &column)) {
        exchange(in, row, column);
    }
}

// --- what it says --------------------------------------------------------------------------------

// An unknown is loose when a vector of the null space has a part of it that is no rounding.
static void find_loose(revealing *in, bool *out)
{
    memset(out, 0, in->n * sizeof *out);
    for (uint32_t k = 0; k < in->n; k++) {
        if (in->is_column_used[k]) {
            continue;
        }
        out[k] = true;
        find_product(in, k);
        for (uint32_t t = 0; t < in->rank; t++) {
            const uint32_t unknown = in->pivot_column[t];
            const double part = fabs(in->table[in->pivot_row[t] * (size_t)in->n + k]) *
                                in->column[k] / in->column[unknown];
            out[unknown] =
                out[unknown] || (part > SHARE && is_significant(in, in->pivot_row[t], k));
        }
    }
}

// Orthonormal columns by reflections would cost more than the few there are: twice is enough.
static void orthonormalise(size_t n, uint32_t count, double *a)
{
    for (uint32_t k = 0; k < count; k++) {
        double *own = a + k * n;
        for (uint32_t pass = 0; pass < 2; pass++) {
            const double size = rh__vector_norm(n, own);
            for (size_t i = 0; size > 0.0 && i < n; i++) {
                own[i] /= size;
            }
            for (uint32_t j = 0; j < k; j++) {
                const double share = rh__vector_dot(n, a + j * n, own);
                for (size_t i = 0; i < n; i++) {
                    own[i] -= share * a[j * n + i];
                }
            }
        }
        const double size = rh__vector_norm(n, own);
        for (size_t i = 0; size > 0.0 && i < n; i++) {
            own[i] /= size;
        }
    }
}

// Both null spaces, in the scaled unknowns and equations.
static void find_null_spaces(const revealing *in, rh_reveal *out)
{
    const size_t n = in->n;
    const double *rows = in->problem->row_scale;
    const double *columns = in->problem->column_scale;
    for (uint32_t k = 0, at = 0, other = 0; k < n; k++) {
        if (!in->is_column_used[k]) {
            double *null = out->null + at++ * n;
            null[k] = 1.0 / columns[k];
            for (uint32_t t = 0; t < in->rank; t++) {
                null[in->pivot_column[t]] =
                    -in->table[in->pivot_row[t] * n + k] / columns[in->pivot_column[t]];
            }
        }
        if (!in->is_row_used[k]) {
            double *left = out->left + other++ * n;
            left[k] = 1.0 / rows[k];
            for (uint32_t t = 0; t < in->rank; t++) {
                left[in->pivot_row[t]] =
                    in->table[k * n + in->pivot_column[t]] / rows[in->pivot_row[t]];
            }
        }
    }
    orthonormalise(n, in->n - in->rank, out->null);
    orthonormalise(n, in->n - in->rank, out->left);
}

// a -= (a v) v^T for each of the columns v, a by rows; then the same from the other side.
static void project(size_t n, uint32_t count, const double *left, const double *null, double *a)
{
    for (uint32_t k = 0; k < count; k++) {
        const double *v = left + k * n;
        for (size_t i = 0; i < n; i++) {
            const double share = rh__vector_dot(n, a + i * n, v);
            for (size_t j = 0; share != 0.0 && j < n; j++) {
                a[i * n + j] -= share * v[j];
            }
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        const double *v = null + k * n;
        for (size_t j = 0; j < n; j++) {
            double share = 0.0;
            for (size_t i = 0; i < n; i++) {
                share += v[i] * a[i * n + j];
            }
            for (size_t i = 0; share != 0.0 && i < n; i++) {
                a[i * n + j] -= share * v[i];
            }
        }
    }
}

// The inverse of the pivot rows and columns, zero elsewhere; then projected.
static void find_inverse(const revealing *in, rh_reveal *out)
{
    const size_t n = in->n;
    const double *rows = in->problem->row_scale;
    const double *columns = in->problem->column_scale;
    memset(out->inverse, 0, n * n * sizeof *out->inverse);
    for (uint32_t s = 0; s < in->rank; s++) {
        const size_t unknown = in->pivot_column[s];
        for (uint32_t t = 0; t < in->rank; t++) {
            const size_t equation = in->pivot_row[t];
            out->inverse[unknown * n + equation] =
                in->table[in->pivot_row[s] * n + in->pivot_column[t]] / columns[unknown] /
                rows[equation];
        }
    }
    project(n, in->n - in->rank, out->left, out->null, out->inverse);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            out->inverse[i * n + j] *= columns[i] * rows[j];
        }
    }
}

// The pivot of a vector of the left null space: of the equations with a fair share of it the one
// that counts least by its size, so that what is left out carries little.
static double weigh(const revealing *in, const double *vector, uint32_t *out)
{
    const double *rows = in->problem->row_scale;
    const double norm = rh__vector_norm(in->n, vector);
    double most = -1.0;
    for (uint32_t i = 0; i < in->n; i++) {
        const double share = fabs(vector[i]);
        if (share >= FAIR * norm && share * rows[i] > most * norm) {
            most = share * rows[i] / norm;
            *out = i;
        }
    }
    return most;
}

// Equations that follow from the others: the left null space in echelon form. The table is no
// longer needed.
static void find_spare(revealing *in, rh_reveal *out)
{
    const size_t n = in->n;
    const uint32_t count = in->n - in->rank;
    memcpy(in->table, out->left, n * count * sizeof *in->table);
    memset(out->is_spare, 0, n * sizeof *out->is_spare);
    for (uint32_t done = 0; done < count; done++) {
        uint32_t best = done;
        uint32_t at = 0;
        double most = -1.0;
        for (uint32_t k = done; k < count; k++) {
            uint32_t row = 0;
            const double own = weigh(in, in->table + k * n, &row);
            best = own > most ? k : best;
            at = own > most ? row : at;
            most = fmax(most, own);
        }
        out->is_spare[at] = true;
        double *pivot = in->table + done * n;
        for (size_t i = 0; best != done && i < n; i++) {
            const double kept = pivot[i];
            pivot[i] = in->table[best * n + i];
            in->table[best * n + i] = kept;
        }
        for (uint32_t k = done + 1; k < count; k++) {
            const double factor = in->table[k * n + at] / pivot[at];
            for (size_t i = 0; i < n; i++) {
                in->table[k * n + i] -= i == at ? in->table[k * n + i] : factor * pivot[i];
            }
        }
    }
}

static bool make_room(rh_arena *arena, const rh_reveal_problem *problem, revealing *in)
{
    const size_t n = problem->n;
    *in = (revealing){.problem = problem,
                      .n = problem->n,
                      .table = rh__arena_array(arena, double, n *n + 1),
                      .noise = rh__arena_array(arena, double, n *n + 1),
                      .row = rh__arena_array(arena, double, n + 1),
                      .column = rh__arena_array(arena, double, n + 1),
                      .pivot_row = rh__arena_array(arena, uint32_t, n + 1),
                      .pivot_column = rh__arena_array(arena, uint32_t, n + 1),
                      .is_row_used = rh__arena_array(arena, bool, n + 1),
                      .is_column_used = rh__arena_array(arena, bool, n + 1),
                      .is_noise = rh__arena_array(arena, bool, n *n + 1),
                      .right = rh__arena_array(arena, double, n + 1),
                      .product = rh__arena_array(arena, double, n + 1)};
    return in->table != NULL && in->noise != NULL && in->row != NULL && in->column != NULL &&
           in->pivot_row != NULL && in->pivot_column != NULL && in->is_row_used != NULL &&
           in->is_column_used != NULL && in->is_noise != NULL && in->right != NULL &&
           in->product != NULL;
}

rh_status rh__reveal(rh_arena *arena, const rh_reveal_problem *problem, rh_reveal *out)
{
    const size_t n = problem->n;
    *out = (rh_reveal){.n = problem->n,
                       .inverse = problem->inverse,
                       .is_loose = rh__arena_array(arena, bool, n + 1),
                       .is_spare = rh__arena_array(arena, bool, n + 1),
                       .null = rh__arena_array(arena, double, n *n + 1),
                       .left = rh__arena_array(arena, double, n *n + 1)};
    const rh_mark mark = rh__arena_mark(arena);
    revealing in;
    if (!make_room(arena, problem, &in) || out->is_loose == NULL || out->is_spare == NULL ||
        out->null == NULL || out->left == NULL) {
        return arena->status;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            in.table[i * n + j] = problem->matrix[i + j * n];
            in.noise[i * n + j] = DBL_EPSILON * fabs(in.table[i * n + j]) +
                                  (problem->noise != NULL ? problem->noise[i + j * n] : 0.0);
        }
    }
    choose_scales(&in);
    reduce(&in);
    out->rank = in.rank;
    find_loose(&in, out->is_loose);
    find_null_spaces(&in, out);
    find_inverse(&in, out);
    find_spare(&in, out);
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

double rh__reveal_lost(const rh_reveal *reveal, const double *row_scale, const double *b)
{
    const size_t n = reveal->n;
    double lost = 0.0;
    for (uint32_t k = 0; k < n - reveal->rank; k++) {
        double part = 0.0;
        for (size_t j = 0; j < n; j++) {
            part += reveal->left[k * n + j] * row_scale[j] * b[j];
        }
        lost = hypot(lost, part);
    }
    return lost;
}

void rh__reveal_scales(uint32_t n, const double *a, const bool *is_own, double *row_scale,
                       double *column_scale)
{
    double largest = 0.0;
    for (uint32_t j = 0; j < n; j++) { // a_jj z_j^2 is an energy
        const double mass = is_own[j] ? fabs(a[j + (size_t)j * n]) : 0.0;
        column_scale[j] = power_of_two(sqrt(mass));
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; !is_own[j] && i < n; i++) {
            const double part = fabs(a[i + (size_t)j * n]) * column_scale[i];
            largest = is_own[i] ? fmax(largest, part) : largest;
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        column_scale[j] = is_own[j] ? column_scale[j] : power_of_two(largest);
    }
    for (uint32_t i = 0; i < n; i++) {
        double size = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            size = fmax(size, fabs(a[i + (size_t)j * n] * column_scale[j]));
        }
        row_scale[i] = power_of_two(size);
    }
}

// Entry (i, j), or (j, i) of a column, with j one of the unknowns that are their own.
static size_t place_of(uint32_t n, uint32_t i, uint32_t j, bool is_column)
{
    return is_column ? j + (size_t)i * n : i + (size_t)j * n;
}

void rh__reveal_metric(uint32_t n, const double *a, const bool *is_own, double *noise)
{
    for (uint32_t k = 0; k < 2 * n; k++) {
        const uint32_t i = k / 2;
        const bool is_column = k % 2 == 1;
        double size = 0.0;
        for (uint32_t j = 0; !is_own[i] && j < n; j++) {
            const double mass = is_own[j] ? fabs(a[j + (size_t)j * n]) : 0.0;
            const double part = fabs(a[place_of(n, i, j, is_column)]);
            size = mass > 0.0 ? fmax(size, part / sqrt(mass)) : size;
        }
        for (uint32_t j = 0; size > 0.0 && j < n; j++) {
            const size_t at = place_of(n, i, j, is_column);
            const double mass = is_own[j] ? fabs(a[j + (size_t)j * n]) : 0.0;
            noise[at] += a[at] != 0.0 || noise[at] != 0.0 ? DBL_EPSILON * size * sqrt(mass) : 0.0;
        }
    }
}
