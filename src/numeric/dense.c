// SPDX-License-Identifier: Apache-2.0
// Dense algebra over LAPACK: vectors, LU with equilibration and refinement, SVD, pivoted QR.
// Arrays come in column after column and are copied; LAPACK sees only finite numbers and sizes up
// to RH_DENSE_LIMIT, whose largest work space still fits a 32-bit integer.

#include "numeric/numeric.h"

#include "numeric/lapack.h"
#include "numeric/scale.h"

#include <math.h>
#include <string.h>

static_assert(sizeof(int) == sizeof(int32_t), "LAPACK's integers are int");

static rh_status refusal(const rh_arena *arena)
{
    return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
}

static void set_identity(uint32_t n, double *a)
{
    memset(a, 0, sizeof *a * n * n);
    for (size_t k = 0; k < n; k++) {
        a[k + k * n] = 1.0;
    }
}

// --- vectors ---------------------------------------------------------------------------------

// Versions for several widths are for this file: others would see their names.
static RH_WIDE bool is_finite(size_t count, const double *x)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    uint64_t worst = 0; // no branches: many numbers are looked at together
    for (size_t k = 0; k < count; k++) {
        uint64_t bits = 0;
        memcpy(&bits, &x[k], sizeof bits);
        worst |= (bits & exponent) == exponent;
    }
    return worst == 0;
}

bool rh__vector_is_finite(size_t count, const double *x)
{
    return is_finite(count, x);
}

double rh__vector_dot(size_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

// The largest magnitude; infinite or NaN when some number is.
static double find_largest(size_t count, const double *x)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[k]);
        if (!(size <= largest)) {
            largest = size;
        }
        if (isnan(largest)) {
            return largest;
        }
    }
    return largest;
}

double rh__vector_norm(size_t count, const double *x)
{
    const double largest = find_largest(count, x);
    if (!isfinite(largest)) {
        return largest;
    }
    const int32_t exponent = rh__scale_exponent(largest);
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double scaled = ldexp(x[k], exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), -exponent);
}

// --- LU --------------------------------------------------------------------------------------

// Rows first, then columns. A column is only ever enlarged up to the size that the rows already
// have, so both end with largest elements in [1, 2).
static void choose_exponents(rh_lu *lu, const double *a)
{
    const size_t n = lu->n;
    for (size_t i = 0; i < n; i++) {
        double largest = 0.0;
        for (size_t j = 0; j < n; j++) {
            largest = fmax(largest, fabs(a[i + j * n]));
        }
        lu->row_exponent[i] = rh__scale_exponent(largest);
    }
    for (size_t j = 0; j < n; j++) {
        int32_t largest = INT32_MIN;
        for (size_t i = 0; i < n; i++) {
            const double element = a[i + j * n];
            const int32_t size = lu->row_exponent[i] - rh__scale_exponent(element);
            largest = element != 0.0 && size > largest ? size : largest;
        }
        lu->column_exponent[j] = largest == INT32_MIN ? 0 : -largest;
    }
}

// The scaled matrix; returns its 1-norm.
static double scale_matrix(rh_lu *lu, const double *a)
{
    const size_t n = lu->n;
    double norm = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            const double element =
                ldexp(a[i + j * n], lu->row_exponent[i] + lu->column_exponent[j]);
            lu->matrix[i + j * n] = element;
            sum += fabs(element);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

void rh__lu_refactor(rh_lu *lu, const double *a)
{
    const size_t count = (size_t)lu->n * lu->n;
    lu->rcond = lu->n == 0 ? 1.0 : 0.0;
    if (lu->n == 0 || !rh__vector_is_finite(count, a)) {
        return;
    }
    choose_exponents(lu, a);
    const double norm = scale_matrix(lu, a);
    memcpy(lu->factor, lu->matrix, sizeof *lu->factor * count);
    const int n = (int)lu->n;
    int info = 0;
    rh__lapack_enter();
    dgetrf_(&n, &n, lu->factor, &n, lu->pivot, &info);
    rh__lapack_leave();
    // a pivot next to zero may have an infinite reciprocal
    if (info != 0 || !rh__vector_is_finite(count, lu->factor)) {
        return;
    }
    double rcond = 0.0;
    rh__lapack_enter();
    dgecon_("1", &n, lu->factor, &n, &norm, &rcond, lu->work, lu->signs, &info, 1);
    rh__lapack_leave();
    lu->rcond = info == 0 && isfinite(rcond) ? fmin(rcond, 1.0) : 0.0;
}

rh_status rh__lu_create(rh_arena *arena, uint32_t n, const double *a, rh_lu *out)
{
    *out = (rh_lu){0};
    if (n > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    const rh_mark mark = rh__arena_mark(arena);
    const size_t count = (size_t)n * n;
    rh_lu lu = {.n = n};
    lu.row_exponent = rh__arena_array(arena, int32_t, n);
    lu.column_exponent = rh__arena_array(arena, int32_t, n);
    lu.pivot = rh__arena_array(arena, int32_t, n);
    lu.signs = rh__arena_array(arena, int32_t, n);
    lu.matrix = rh__arena_array(arena, double, count);
    lu.factor = rh__arena_array(arena, double, count);
    lu.work = rh__arena_array(arena, double, 4 * (size_t)n);
    if (lu.row_exponent == NULL || lu.column_exponent == NULL || lu.pivot == NULL ||
        lu.signs == NULL || lu.matrix == NULL || lu.factor == NULL || lu.work == NULL) {
        rh__arena_rewind(arena, mark);
        return refusal(arena);
    }
    rh__lu_refactor(&lu, a);
    *out = lu;
    return RH_OK;
}

// residual = right - matrix y, column by column.
static void subtract_product(const rh_lu *lu, const double *y, double *residual)
{
    const size_t n = lu->n;
    for (size_t j = 0; j < n; j++) {
        const double *column = lu->matrix + j * n;
        for (size_t i = 0; i < n; i++) {
            residual[i] -= column[i] * y[j];
        }
    }
}

static void solve_factored(const rh_lu *lu, double *y)
{
    const int n = (int)lu->n;
    const int one = 1;
    int info = 0;
    rh__lapack_enter();
    dgetrs_("N", &n, &one, lu->factor, &n, lu->pivot, y, &n, &info, 1);
    rh__lapack_leave();
    RH_ASSERT(info == 0);
}

static void solve_column(const rh_lu *lu, double *b)
{
    const uint32_t n = lu->n;
    double *y = lu->work;
    double *residual = lu->work + n;
    const int32_t shift = rh__scale_enter(n, lu->row_exponent, b, y);
    memcpy(residual, y, sizeof *y * n);
    solve_factored(lu, y);
    subtract_product(lu, y, residual);
    solve_factored(lu, residual);
    if (rh__vector_is_finite(n, residual)) {
        for (uint32_t k = 0; k < n; k++) {
            y[k] += residual[k];
        }
    }
    rh__scale_leave(n, lu->column_exponent, shift, y, b);
}

rh_status rh__lu_solve(const rh_lu *lu, double *b, uint32_t columns)
{
    if (!(lu->rcond > 0.0)) {
        return RH_E_ARGUMENT;
    }
    for (uint32_t c = 0; c < columns && lu->n > 0; c++) {
        double *column = b + (size_t)c * lu->n;
        if (rh__vector_is_finite(lu->n, column)) {
            solve_column(lu, column);
        } else {
            for (uint32_t k = 0; k < lu->n; k++) {
                column[k] = (double)NAN;
            }
        }
    }
    return RH_OK;
}

// --- SVD -------------------------------------------------------------------------------------

static void transpose(uint32_t n, double *a)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            const double upper = a[i + j * n];
            a[i + j * n] = a[j + i * n];
            a[j + i * n] = upper;
        }
    }
}

// The work space is scratch of the caller; a is overwritten.
static rh_status decompose(rh_arena *arena, double *a, rh_svd *svd)
{
    const int m = (int)svd->rows;
    const int n = (int)svd->columns;
    int *indices = rh__arena_array(arena, int, 8 * (size_t)svd->count);
    if (indices == NULL) {
        return refusal(arena);
    }
    int info = 0;
    int size = -1;
    double wanted = 0.0;
    dgesdd_("A", &m, &n, a, &m, svd->values, svd->u, &m, svd->v, &n, &wanted, &size, indices, &info,
            1);
    RH_ASSERT(info == 0 && wanted < (double)INT32_MAX);
    // the wish may have been rounded down on its way through a real number
    size = (int)wanted + 1;
    double *work = rh__arena_array(arena, double, (size_t)size);
    if (work == NULL) {
        return refusal(arena);
    }
    rh__lapack_enter();
    dgesdd_("A", &m, &n, a, &m, svd->values, svd->u, &m, svd->v, &n, work, &size, indices, &info,
            1);
    rh__lapack_leave();
    if (info != 0) {
        return RH_E_LIMIT;
    }
    transpose(svd->columns, svd->v);
    return RH_OK;
}

static rh_status build_svd(rh_arena *arena, const double *a, rh_svd *svd)
{
    const size_t rows = svd->rows;
    const size_t columns = svd->columns;
    svd->u = rh__arena_array(arena, double, (rows * rows));
    svd->v = rh__arena_array(arena, double, (columns * columns));
    svd->values = rh__arena_array(arena, double, svd->count);
    if (svd->u == NULL || svd->v == NULL || svd->values == NULL) {
        return refusal(arena);
    }
    if (svd->count == 0) {
        set_identity(svd->rows, svd->u);
        set_identity(svd->columns, svd->v);
        return RH_OK;
    }
    const rh_mark scratch = rh__arena_mark(arena);
    double *copy = rh__arena_array(arena, double, (rows * columns));
    if (copy == NULL) {
        return refusal(arena);
    }
    memcpy(copy, a, sizeof *copy * rows * columns);
    const rh_status status = decompose(arena, copy, svd);
    rh__arena_rewind(arena, scratch);
    return status;
}

rh_status rh__svd_create(rh_arena *arena, uint32_t rows, uint32_t columns, const double *a,
                         rh_svd *out)
{
    *out = (rh_svd){0};
    if (rows > RH_DENSE_LIMIT || columns > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite((size_t)rows * columns, a)) {
        return RH_E_ARGUMENT;
    }
    const rh_mark mark = rh__arena_mark(arena);
    rh_svd svd = {.rows = rows, .columns = columns, .count = rows < columns ? rows : columns};
    const rh_status status = build_svd(arena, a, &svd);
    if (status != RH_OK) {
        rh__arena_rewind(arena, mark);
        return status;
    }
    *out = svd;
    return RH_OK;
}

// How many of a descending list exceed `tolerance` times its head.
static uint32_t count_above(uint32_t count, const double *values, double tolerance)
{
    uint32_t rank = 0;
    while (rank < count && values[rank] > 0.0 && values[rank] > tolerance * values[0]) {
        rank++;
    }
    return rank;
}

uint32_t rh__svd_rank(const rh_svd *svd, double tolerance)
{
    return count_above(svd->count, svd->values, tolerance);
}

void rh__svd_solve(const rh_svd *svd, uint32_t rank, const double *b, double *x)
{
    RH_ASSERT(rank <= svd->count);
    const size_t rows = svd->rows;
    const size_t columns = svd->columns;
    for (size_t j = 0; j < columns; j++) {
        x[j] = 0.0;
    }
    for (size_t k = 0; k < rank; k++) {
        const double part = rh__vector_dot(rows, svd->u + k * rows, b) / svd->values[k];
        const double *direction = svd->v + k * columns;
        for (size_t j = 0; j < columns; j++) {
            x[j] += part * direction[j];
        }
    }
}

// --- QR --------------------------------------------------------------------------------------

// Factor a copy that was scaled as a whole, so that no column norm overflows.
static rh_status pivot_columns(rh_arena *arena, const double *a, rh_qr *qr)
{
    const size_t count = (size_t)qr->rows * qr->columns;
    const int m = (int)qr->rows;
    const int n = (int)qr->columns;
    double *copy = rh__arena_array(arena, double, count);
    double *tau = rh__arena_array(arena, double, qr->count);
    int *order = rh__arena_array(arena, int, qr->columns);
    if (copy == NULL || tau == NULL || order == NULL) {
        return refusal(arena);
    }
    const int32_t exponent = rh__scale_exponent(find_largest(count, a));
    for (size_t k = 0; k < count; k++) {
        copy[k] = ldexp(a[k], exponent);
    }
    int info = 0;
    int size = -1;
    double wanted = 0.0;
    dgeqp3_(&m, &n, copy, &m, order, tau, &wanted, &size, &info);
    RH_ASSERT(info == 0 && wanted < (double)INT32_MAX);
    size = (int)wanted + 1;
    double *work = rh__arena_array(arena, double, (size_t)size);
    if (work == NULL) {
        return refusal(arena);
    }
    rh__lapack_enter();
    dgeqp3_(&m, &n, copy, &m, order, tau, work, &size, &info);
    rh__lapack_leave();
    RH_ASSERT(info == 0);
    for (size_t j = 0; j < qr->columns; j++) {
        qr->permutation[j] = (uint32_t)(order[j] - 1);
    }
    for (size_t k = 0; k < qr->count; k++) {
        qr->diagonal[k] = ldexp(fabs(copy[k + k * qr->rows]), -exponent);
    }
    return RH_OK;
}

static rh_status build_qr(rh_arena *arena, const double *a, rh_qr *qr)
{
    qr->permutation = rh__arena_array(arena, uint32_t, qr->columns);
    qr->diagonal = rh__arena_array(arena, double, qr->count);
    if (qr->permutation == NULL || qr->diagonal == NULL) {
        return refusal(arena);
    }
    for (uint32_t j = 0; j < qr->columns; j++) {
        qr->permutation[j] = j;
    }
    if (qr->count == 0) {
        return RH_OK;
    }
    const rh_mark scratch = rh__arena_mark(arena);
    const rh_status status = pivot_columns(arena, a, qr);
    rh__arena_rewind(arena, scratch);
    return status;
}

rh_status rh__qr_create(rh_arena *arena, uint32_t rows, uint32_t columns, const double *a,
                        rh_qr *out)
{
    *out = (rh_qr){0};
    if (rows > RH_DENSE_LIMIT || columns > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite((size_t)rows * columns, a)) {
        return RH_E_ARGUMENT;
    }
    const rh_mark mark = rh__arena_mark(arena);
    rh_qr qr = {.rows = rows, .columns = columns, .count = rows < columns ? rows : columns};
    const rh_status status = build_qr(arena, a, &qr);
    if (status != RH_OK) {
        rh__arena_rewind(arena, mark);
        return status;
    }
    *out = qr;
    return RH_OK;
}

uint32_t rh__qr_rank(const rh_qr *qr, double tolerance)
{
    return count_above(qr->count, qr->diagonal, tolerance);
}
