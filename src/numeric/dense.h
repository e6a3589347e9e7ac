// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra: LU, SVD, QR, ranks, eigenvalues, least squares.

#pragma once

#include "base/base.h"

enum { RH_DENSE_LIMIT = 16384 };

// --- vectors ---------------------------------------------------------------------------------

/// Are all numbers finite?
bool rh__vector_is_finite(size_t count, const double *x);
/// The sum of x[k] y[k] in ascending order.
double rh__vector_dot(size_t count, const double *x, const double *y);
/// The Euclidean length, without overflow or underflow on the way; NaN when some x[k] is NaN.
double rh__vector_norm(size_t count, const double *x);

// --- LU: square systems ----------------------------------------------------------------------

/// A dense square matrix, equilibrated by powers of two and factored with partial pivoting.
typedef struct rh_lu {
    uint32_t n;
    /// Reciprocal condition number in the 1-norm of the equilibrated matrix, estimated.
    /// 1 when n is 0; 0 when the matrix is exactly singular or not finite.
    double rcond;
    int32_t *row_exponent; // the matrix below is a[i, j] 2^(row_exponent[i] + column_exponent[j])
    int32_t *column_exponent; // its largest elements of every row and column are about 1
    double *matrix;
    double *factor;
    int32_t *pivot;
    int32_t *signs; // work of the estimate
    double *work;   // 4 n
} rh_lu;

/// Copy and factor the n x n matrix `a`. Not finite is rcond = 0, not a failure.
RH_NODISCARD rh_status rh__lu_create(rh_arena *arena, uint32_t n, const double *a, rh_lu *out);

/// Factor another matrix of the same size in the same memory.
void rh__lu_refactor(rh_lu *lu, const double *a);

/// Replace the n x columns matrix `b` by the solution, with one step of iterative refinement.
/// A column that is not finite becomes NaN. Writes the work space of `lu`: one thread at a time.
/// RH_E_ARGUMENT when rcond is 0; `b` is untouched then.
RH_NODISCARD rh_status rh__lu_solve(const rh_lu *lu, double *b, uint32_t columns);

// --- SVD: rank, null spaces, least squares ---------------------------------------------------

/// a = U diag(values) V^T, with all of U and V. With rank r, the last columns - r columns of V span
/// the null space (a x = 0), the last rows - r columns of U the left null space (y^T a = 0), the
/// first r columns of U the range.
typedef struct rh_svd {
    uint32_t rows, columns;
    uint32_t count; // of values: the smaller of rows and columns
    double *u;      // rows x rows, orthogonal
    double *values; // descending, not negative
    double *v;      // columns x columns, orthogonal; not transposed
} rh_svd;

/// RH_E_ARGUMENT when `a` is not finite (then `out` is empty, of rank 0), RH_E_LIMIT when the
/// iteration does not converge.
RH_NODISCARD rh_status rh__svd_create(rh_arena *arena, uint32_t rows, uint32_t columns,
                                      const double *a, rh_svd *out);

/// How many singular values are larger than `tolerance` times the largest; 0 for a zero matrix.
uint32_t rh__svd_rank(const rh_svd *svd, double tolerance);

/// The shortest x that minimises |a x - b|, with singular values from `rank` on taken as zero.
/// `b` has `rows` numbers, `x` has `columns`; they do not overlap. Needs no scratch.
void rh__svd_solve(const rh_svd *svd, uint32_t rank, const double *b, double *x);

// --- least squares in a metric ----------------------------------------------------------------

/// Cholesky factor of a symmetric matrix, in its lower triangle. False when it is not positive
/// definite; the matrix is spoilt then.
bool rh__cholesky(uint32_t n, double *a);

/// Minimise |matrix x - right|, and among those x^T metric x.
typedef struct rh_metric_problem {
    uint32_t rows, columns;
    const double *matrix; // rows x columns
    const double *metric; // columns x columns; the identity is taken when not positive definite
    const double *right;  // rows
    double tolerance;     // of the rank, relative
} rh_metric_problem;

RH_NODISCARD rh_status rh__metric_solve(rh_arena *arena, const rh_metric_problem *problem,
                                        double *x, uint32_t *out_rank);

// --- ranks of matrices with noise --------------------------------------------------------------

/// A square matrix whose entries are known up to `noise`. Unknowns x = column_scale y, equations
/// times row_scale: |y| is least, and so is what is left of the scaled equations.
typedef struct rh_reveal_problem {
    uint32_t n;
    const double *matrix;                   // n x n, finite
    const double *noise;                    // n x n, beside the rounding of each entry; NULL: none
    const double *row_scale, *column_scale; // n, positive
    double *inverse;                        // n x n by rows: becomes the pseudo-inverse
    uint32_t defect; // the rank nearby is n - defect: further pivots must be distinct from zero
} rh_reveal_problem;

typedef struct rh_reveal {
    uint32_t n;
    uint32_t rank;   // pivots that are no rounding, whatever the units of rows and columns
    double *inverse; // that of the problem
    bool *is_loose;  // n: unknowns that the equations do not determine
    bool *is_spare;  // n: equations that follow from the others, n - rank of them
    double *null;    // n x (n - rank), orthonormal in y
    double *left;    // n x (n - rank), orthonormal in the scaled equations: y^T R a = 0
} rh_reveal;

RH_NODISCARD rh_status rh__reveal(rh_arena *arena, const rh_reveal_problem *problem,
                                  rh_reveal *out);
/// Columns that are their own are scaled by their diagonal, rows to 1; the other columns by one
/// factor, so that the norm in which these unknowns are least is theirs.
void rh__reveal_scales(uint32_t n, const double *a, const bool *is_own, double *row_scale,
                       double *column_scale);
/// Rows and columns of what is not its own, constraints and their multipliers, are known to the
/// last digit of their largest entry in the metric of the diagonal: that much is added to the noise
/// of their entries.
void rh__reveal_metric(uint32_t n, const double *a, const bool *is_own, double *noise);
/// What no unknowns can reach of the scaled right side.
double rh__reveal_lost(const rh_reveal *reveal, const double *row_scale, const double *b);

// --- echelon form ------------------------------------------------------------------------------

/// Divide every row of a matrix by its length; rows of zeros stay.
void rh__matrix_scale_rows(uint32_t rows, uint32_t columns, double *a);
/// Reduced echelon form of the columns, in place: the space they span with one unit element each,
/// in the first rows where that is possible, or the last. Elements below `tolerance` are no pivots.
void rh__echelon(uint32_t rows, uint32_t columns, double tolerance, bool is_from_last, double *a);

// --- QR: which columns are independent -------------------------------------------------------

/// a P = Q R with column pivoting: with rank r, the columns permutation[0 ... r-1] of `a` are
/// independent, and well so.
typedef struct rh_qr {
    uint32_t rows, columns;
    uint32_t count;        // of the diagonal: the smaller of rows and columns
    uint32_t *permutation; // columns; position -> column of `a`
    double *diagonal;      // |R[k, k]|, descending
} rh_qr;

/// RH_E_ARGUMENT when `a` is not finite (then `out` is empty, of rank 0).
RH_NODISCARD rh_status rh__qr_create(rh_arena *arena, uint32_t rows, uint32_t columns,
                                     const double *a, rh_qr *out);

/// How many diagonal elements are larger than `tolerance` times the first.
uint32_t rh__qr_rank(const rh_qr *qr, double tolerance);

// --- eigenvalues -----------------------------------------------------------------------------

/// Eigenvalues of the n x n matrix `a`, n numbers each; pairs of complex ones stand side by side.
/// RH_E_ARGUMENT when `a` is not finite, RH_E_LIMIT when the iteration does not converge.
RH_NODISCARD rh_status rh__eigen_values(rh_arena *arena, uint32_t n, const double *a,
                                        double *out_real, double *out_imaginary);

/// The same with the condition number of each eigenvalue: 1 / |y^H x| of its left and right
/// eigenvectors of length one. An error of the matrix moves the eigenvalue by at most about so much
/// more. INFINITY where they are orthogonal.
RH_NODISCARD rh_status rh__eigen_conditions(rh_arena *arena, uint32_t n, const double *a,
                                            double *out_real, double *out_imaginary,
                                            double *out_condition);
/// The same as rh__eigen_values for small matrices: without a lock and without memory. `a` is
/// spoilt. False when the iteration does not converge.
bool rh__eigen_small(uint32_t n, double *a, double *out_real, double *out_imaginary);
/// out = a x of a matrix that nobody wrote down; false: it has no value.
typedef bool rh_multiply(void *user, const double *x, double *out);
/// Estimates of the outer eigenvalues of an n x n matrix by at most `steps` products with it; as
/// many as there were products. RH_E_ARGUMENT when a product is not finite, else as
/// rh__eigen_values.
RH_NODISCARD rh_status rh__krylov_values(rh_arena *arena, uint32_t n, uint32_t steps,
                                         rh_multiply *multiply, void *user, double *out_real,
                                         double *out_imaginary, uint32_t *out_count);
/// Powers of two d with which d[j]^-1 a d[j] has rows and columns of about the same size.
void rh__eigen_balance(uint32_t n, const double *a, double *out);

// --- small least squares, without memory -----------------------------------------------------

/// a P = Q R in place with column pivoting: R in the upper triangle, reflectors below. `pivot` and
/// `diagonal` have `columns` numbers, `factor` the smaller of rows and columns.
void rh__reflect(uint32_t rows, uint32_t columns, double *a, uint32_t *pivot, double *diagonal,
                 double *factor);
/// How many elements of the diagonal are larger than `tolerance` times the first.
uint32_t rh__reflect_rank(uint32_t rows, uint32_t columns, const double *diagonal,
                          double tolerance);
/// b <- Q^T b, or Q b.
void rh__reflect_apply(uint32_t rows, uint32_t columns, const double *a, const double *factor,
                       bool is_transposed, double *b);
/// x with |a x - b| least, where all columns are independent; spoils b.
void rh__reflect_solve(uint32_t rows, uint32_t columns, const double *a, const uint32_t *pivot,
                       const double *diagonal, const double *factor, double *b, double *x);

/// Eigenvalues of a symmetric matrix in ascending order, and its eigenvectors by columns; only its
/// lower triangle is read. RH_E_ARGUMENT and RH_E_LIMIT as above.
RH_NODISCARD rh_status rh__eigen_symmetric(rh_arena *arena, uint32_t n, const double *a,
                                           double *out_values, double *out_vectors);

// --- matrix equations and functions ----------------------------------------------------------

/// The symmetric c with a^T c + c a = -q for symmetric q, by Schur's form (Bartels, Stewart).
/// RH_E_ARGUMENT when a number is not finite, RH_E_LIMIT when the iteration does not converge or
/// two eigenvalues of `a` have a sum near zero: there is no such c, or more than one.
RH_NODISCARD rh_status rh__lyapunov_solve(rh_arena *arena, uint32_t n, const double *a,
                                          const double *q, double *out);

/// exp(a t) for the n x n matrix `a`: Taylor's polynomial of a small part, squared again and again.
/// RH_E_ARGUMENT when a number is not finite.
RH_NODISCARD rh_status rh__matrix_exponential(rh_arena *arena, uint32_t n, const double *a,
                                              double t, double *out);
