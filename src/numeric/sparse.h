// SPDX-License-Identifier: Apache-2.0
// Sparse matrices, and sparse square systems by KLU.

#pragma once

#include "numeric/dense.h"

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
