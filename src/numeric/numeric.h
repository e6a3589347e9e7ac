// SPDX-License-Identifier: Apache-2.0
// Door of the room `numeric`: plain numerical algebra on arrays. Knows nothing of models.
//
// Dense matrices are plain arrays, column after column: element (i, j) of a matrix with `rows` rows
// is a[i + j * rows]. Results lie in the arena given to `create`; scratch is pushed on the same
// arena and rewound. A refused arena gives its own reason (RH_E_MEMORY or RH_E_LIMIT); a dense side
// longer than RH_DENSE_LIMIT gives RH_E_LIMIT. Sizes may be zero.
//
// A singular matrix is no failure but a number: rcond = 0. Same input, same bits.

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

// --- sparse matrices -------------------------------------------------------------------------

/// A matrix in compressed columns. The pattern is fixed by `create`; values change by `fill`.
typedef struct rh_sparse {
    uint32_t rows, columns;
    uint32_t count;         // entries
    uint32_t triplet_count; // at least `count`
    uint32_t *start;        // columns + 1; column j holds entries start[j] ... start[j + 1] - 1
    uint32_t *row;          // count; ascending within a column, each once
    double *value;          // count
    uint32_t *slot;         // triplet_count; the entry to which a triplet is added
} rh_sparse;

/// The pattern of `count` triplets (row[k], column[k]); the same place may come several times.
/// All values are zero until filled. RH_E_ARGUMENT when a triplet lies outside, RH_E_LIMIT when a
/// size or `count` passes INT32_MAX - 1.
RH_NODISCARD rh_status rh__sparse_create(rh_arena *arena, uint32_t rows, uint32_t columns,
                                         uint32_t count, const uint32_t *row,
                                         const uint32_t *column, rh_sparse *out);

/// Values in the order of the triplets; those at the same place are added in that order.
void rh__sparse_fill(rh_sparse *sparse, const double *values);

/// y = a x; x and y do not overlap.
void rh__sparse_multiply(const rh_sparse *sparse, const double *x, double *y);
/// y = a^T x; x and y do not overlap.
void rh__sparse_multiply_transposed(const rh_sparse *sparse, const double *x, double *y);

/// Colours 0 ... *out_count - 1 of the columns such that no two columns of one colour have a row in
/// common: their entries can be told apart in the sum of the columns.
RH_NODISCARD rh_status rh__sparse_colour(rh_arena *arena, const rh_sparse *sparse,
                                         uint32_t *out_colour, uint32_t *out_count);

// --- KLU: sparse square systems --------------------------------------------------------------

typedef struct rh_klu_core rh_klu_core;

/// A sparse square matrix, equilibrated by powers of two and factored by KLU. The one thing of this
/// room that owns memory outside the arenas: begin with {0}, and destroy.
typedef struct rh_klu {
    uint32_t n;
    double rcond; // as in rh_lu; rows and columns of very different size can make it pessimistic
    rh_klu_core *core;
} rh_klu;

/// Analyse the pattern and factor the values, whose pivots are kept. The pattern arrays of `sparse`
/// are borrowed until `destroy`, the values are copied. RH_E_ARGUMENT when it is not square. On
/// failure there is nothing to destroy.
RH_NODISCARD rh_status rh__klu_create(const rh_sparse *sparse, rh_klu *out);

/// Factor new values of the same pattern with pivots chosen for them, which are kept. After a
/// failure rcond is 0.
RH_NODISCARD rh_status rh__klu_factor(rh_klu *klu, const rh_sparse *sparse);

/// The same with the pivots that are kept, as long as they serve, and then nothing is allocated.
/// Where they do not, others are chosen for this once.
RH_NODISCARD rh_status rh__klu_refactor(rh_klu *klu, const rh_sparse *sparse);

/// Replace the n x columns matrix `b` by the solution, with one step of iterative refinement.
/// A column that is not finite becomes NaN. RH_E_ARGUMENT when rcond is 0; `b` is untouched then.
/// Never allocates.
RH_NODISCARD rh_status rh__klu_solve(rh_klu *klu, double *b, uint32_t columns);

/// Destroying {0} is fine, and so is destroying twice.
void rh__klu_destroy(rh_klu *klu);

// --- polynomials on [0, 1] -------------------------------------------------------------------

enum { RH_POLYNOMIAL_DEGREE = 40 }; // the highest whose roots are isolated

/// How many doubles of work space rh__polynomial_roots needs.
#define RH_POLYNOMIAL_WORK(degree) (58 * ((size_t)(degree) + 1))

/// The value of the sum of c[k] x^k, k = 0 ... degree, as if computed with twice the digits.
double rh__polynomial_value(const double *c, uint32_t degree, double x);
/// The sum of |c[k] x^k|: the scale of rounding errors at x.
double rh__polynomial_scale(const double *c, uint32_t degree, double x);
/// No smaller than |p| anywhere on [0, 1]. When bound(c + 1, degree - 1) < |c[0]|, there is no
/// root.
double rh__polynomial_bound(const double *c, uint32_t degree);
/// Coefficients of the derivative: `degree` numbers, or one zero when the degree is 0; `out` may be
/// `c`.
void rh__polynomial_derivative(const double *c, uint32_t degree, double *out);

typedef enum rh_root_kind { RH_ROOT_UP, RH_ROOT_DOWN, RH_ROOT_TOUCH } rh_root_kind;

/// A root, or several that cannot be told apart: |p| is below the level from `low` to `high`.
/// A simple crossing is good to 1e-15; a touch is the extremum of p.
typedef struct rh_root {
    double at;
    double low, high; // low <= at <= high
    rh_root_kind kind;
    int before, after; // signs of p on both sides, -1 or 1
} rh_root;

/// Which roots of the sum of c[k] x^k. A value means zero when it is at most the level
/// max(floor, tolerance * sum of |c[k] x^k|); a tolerance below rounding is raised to it.
typedef struct rh_root_query {
    const double *c;
    uint32_t degree;
    double tolerance;
    double floor;           // not negative: how well the caller knows p at all
    bool is_start_included; // roots at 0 too: those below 9e-16, or whose cluster reaches 0
    int last_sign; // nothing is wanted behind the first crossing to this sign; 0: all is. `last` of
                   // a search that ended there is 0
} rh_root_query;

typedef struct rh_root_list {
    rh_root *data; // given by the caller; degree + 1 are always enough
    uint32_t capacity;
    uint32_t count;
    int first, last;  // signs of p beyond a root at 0, and at 1 or beyond a root there
    bool is_complete; // there was room for all; else these are the first, and `last` is 0
    bool is_zero;     // p vanishes on [0, 1] to rounding; no roots are listed
} rh_root_list;

/// All roots in (0, 1] in ascending order. The sign after a root is the sign before the next; no
/// change of sign is missed. A root at 0 or at 1 gets its outer sign from p beyond the interval;
/// one just beyond 1, by at most 9e-16, is reported at 1. So a root at the border of two steps is
/// reported by the first alone, unless rounding parted them: then `last` of the first is not
/// `first` of the second. `work` has RH_POLYNOMIAL_WORK(degree) numbers. Never allocates.
/// RH_E_ARGUMENT when a number is not finite or negative where it must not be, RH_E_LIMIT when the
/// degree is above RH_POLYNOMIAL_DEGREE; the list is empty then.
RH_NODISCARD rh_status rh__polynomial_roots(const rh_root_query *query, double *work,
                                            rh_root_list *out);

// --- complementarity -------------------------------------------------------------------------

enum {
    RH_COMPLEMENT_ENUMERATED = 12, // the largest n whose active sets are all tried
    RH_COMPLEMENT_LIMIT = 16,      // how many solutions are listed when the caller does not say
};

typedef enum rh_complement_method {
    RH_COMPLEMENT_AUTO,      // what the size and the matrix allow
    RH_COMPLEMENT_ENUMERATE, // every active set; RH_E_LIMIT above RH_COMPLEMENT_ENUMERATED
    RH_COMPLEMENT_LEMKE,     // one path of pivots, to one solution or none
} rh_complement_method;

/// Find multipliers >= 0 whose slack = constant + matrix multiplier is >= 0, and of each pair
/// (multiplier[i], slack[i]) at least one is zero. Tolerances are absolute and not negative; where
/// rounding is larger, it takes their place. Elements below their uncertainty count as zero.
typedef struct rh_complement_problem {
    uint32_t n;
    const double *matrix;               // n x n, any; row after row, unlike elsewhere in this room
    const double *constant;             // n
    const double *slack_tolerance;      // n
    const double *multiplier_tolerance; // n
    const double *uncertainty; // of each element of the matrix, n x n; NULL: 1e-12 of its size
    uint32_t limit;            // of solutions in the list; 0: RH_COMPLEMENT_LIMIT
    rh_complement_method method;
} rh_complement_problem;

typedef enum rh_complement_side {
    RH_COMPLEMENT_UNDECIDED, // both are zero to their tolerances: the next derivatives decide
    RH_COMPLEMENT_POSITIVE,  // the multiplier is positive
    RH_COMPLEMENT_LEAVING,   // the slack is positive
} rh_complement_side;

/// All multipliers with the same slack are one solution: the shortest of them, in the units of the
/// caller. (They make the same motion when the matrix is that of ideal constraints.) Numbers may be
/// negative within their tolerances; `violation` tells.
typedef struct rh_complement_solution {
    double *multiplier; // n
    double *slack;      // n; constant + matrix multiplier
    rh_complement_side *side;
    double violation; // 0 to 1: what is missed of the conditions, in units of the tolerances
    bool is_unique;   // no other multipliers have this slack
} rh_complement_solution;

typedef enum rh_complement_answer {
    RH_COMPLEMENT_NONE,
    RH_COMPLEMENT_ONE,
    RH_COMPLEMENT_SEVERAL,
} rh_complement_answer;

typedef struct rh_complement_result {
    rh_complement_answer answer;
    bool is_certain;    // else it says what Lemke's method met with: there may be others
    bool is_complete;   // all solutions are in the list
    bool is_continuous; // some are ends or points of a whole line of them
    uint32_t count;
    rh_complement_solution *solutions;
} rh_complement_result;

/// Solutions that hold to rounding come first; only when there is none, those that hold to the
/// tolerances. Not solvable is an answer, no failure. RH_E_ARGUMENT when a number is not finite or
/// a tolerance negative, RH_E_LIMIT when n is above RH_DENSE_LIMIT; `out` is empty after a failure.
RH_NODISCARD rh_status rh__complement_solve(rh_arena *arena, const rh_complement_problem *problem,
                                            rh_complement_result *out);

/// Are all principal minors positive, and that beyond rounding? Then there is exactly one solution
/// for every constant. False when n is above RH_COMPLEMENT_ENUMERATED.
bool rh__complement_is_p_matrix(uint32_t n, const double *matrix);

// --- quadrature ------------------------------------------------------------------------------

/// The Gauss rule on [0, 1] with n > 0 nodes, in ascending order: exact for polynomials of degree
/// 2 n - 1. Good to rounding for n up to some hundreds.
void rh__quadrature_gauss(uint32_t n, double *nodes, double *weights);

// --- dips -------------------------------------------------------------------------------------

/// The least value between two places of a function that is above zero at both. The caller asks for
/// a place, tells the value there, and looks at once whether it is beyond zero (dip.c).
typedef struct rh_dip {
    double at[3], height[3]; // both ends and what is lowest between them
    double floor;            // a value from which on it is zero
    double place;            // that is asked for
    uint32_t stage, rounds;
} rh_dip;

/// Ends and values there, and the first place in between: the middle.
rh_dip rh__dip_begin(const double at[2], const double height[2], double floor);
/// May it come to zero between them, by how it changed there, or before (`came`, over as long a
/// way)?
bool rh__dip_is_near(const double height[2], double came);
/// Is there a place to look at? False: nothing is beyond zero, as far as can be seen.
bool rh__dip_asks(rh_dip *dip);
void rh__dip_tell(rh_dip *dip, double height);

// --- random numbers --------------------------------------------------------------------------

/// A stream of random numbers (xoshiro256**), the same on all machines for the same seed.
typedef struct rh_random {
    uint64_t state[4];
} rh_random;

rh_random rh__random_begin(uint64_t seed);
/// A stream of its own for each seed, place and kind, whatever else is drawn and in which order.
rh_random rh__random_at(uint64_t seed, uint64_t place, uint32_t kind);
/// One block of Philox4x32-10.
void rh__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
uint64_t rh__random_bits(rh_random *random);
/// low <= result < high, or `low` when they are equal; high - low must be finite.
double rh__random_uniform(rh_random *random, double low, double high);
/// Mean 0, variance 1. Made of comparisons only, so that no mathematical library decides a bit.
double rh__random_normal(rh_random *random);
