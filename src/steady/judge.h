// SPDX-License-Identifier: Apache-2.0
// The linear part at a steady motion, its roots with their bars, and the verdict.

#pragma once

#include "steady/rest.h"

typedef struct rh_judgement {
    rh_steady_verdict verdict;
    uint32_t size;         // N_x: of the matrix
    uint32_t *slots;       // size: the variables of its rows
    double *matrix;        // size x size
    double *tangent;       // place_count x (size + dials): how all places move with them, and with
                           // the dials
    uint32_t nullity;      // of the matrix; k where that was known beforehand
    uint32_t measured;     // its nullity as its pivots show it, whatever was known
    uint32_t dimension;    // k: of the steady set
    bool is_certain;       // k was certified
    double *kernel;        // size x nullity
    uint32_t root_count;   // remaining ones
    rh_steady_root *roots; // remaining ones, rightmost first
    double abscissa;       // of the remaining roots; -INFINITY without
    double pace;           // what roots are measured by
    uint32_t zero_count;   // zero roots of the matrix, as far as it is known
    bool is_given;         // the state is known to its last digit: it is no answer
    bool is_hidden;        // nothing is known of the matrix but rounding
    rh_kink kink;          // where the equations switch here
    const char *border;    // a one-sided constraint that roots do not see; NULL: none
    bool is_elastic;       // it throws back without loss
    char reason[512];
} rh_judgement;

RH_NODISCARD rh_status rh__judgement_reserve(const rh_reduction *reduction, rh_arena *arena,
                                             rh_judgement *out);
/// The linear part at bench->values (outputs and slopes are there): size, slots, matrix, tangent.
RH_NODISCARD rh_status rh__judge_linear(rh_workbench *bench, rh_judgement *out);
/// The whole verdict at a steady motion. `dimension`: k when it is known already (a chart certifies
/// it once for a region), UINT32_MAX: it is certified here.
RH_NODISCARD rh_status rh__judge(rh_workbench *bench, uint32_t dimension, rh_judgement *out);
/// A one-sided constraint that is on the border between acting and not acting, or that motions
/// leave and meet again for ever: `border`, `is_elastic`.
RH_NODISCARD rh_status rh__judge_border(rh_workbench *bench, rh_judgement *out);
/// A matrix in the variables of some slots, balanced: D^-1 A D with powers of two, D beginning with
/// the sizes of the variables, so that it is the same in all units.
void rh__judge_balance(const rh_reduction *reduction, uint32_t n, const uint32_t *slots,
                       const double *matrix, double *out_balance, double *out);
/// Put the reason of a verdict into words; rh__judge() does it only where it certifies k itself.
void rh__judgement_say(rh_judgement *out);

/// The norm of what rounding may have done to the linear part of a judgement, in the units of its
/// rows and columns; the places are off by what leaves the equations within rounding. Where there
/// are no bounds, a small share of `norm`, which is that of the matrix.
RH_NODISCARD rh_status rh__doubt_linear(rh_workbench *bench, const rh_judgement *at,
                                        const double *balance, double norm, double *out);

/// Are slopes at values known? Next to a place where the equations are singular the last digit of a
/// value changes them wholly: what vanishes there vanishes for no value in particular.
bool rh__doubt_leaves_slopes(rh_workbench *bench);
/// The same the other way round where places are known as well as the equations hold them: does
/// what leaves these within rounding change slopes wholly?
RH_NODISCARD rh_status rh__doubt_is_whole(rh_workbench *bench, bool is_given, bool *out);

/// How large a matrix is, and what is known of it.
typedef struct rh_matrix_size {
    double norm; // its largest singular value, about
    double off;  // the same of what rounding may have done to it
    double pace; // what its roots are measured by
} rh_matrix_size;

/// Is nothing known of a matrix but rounding? The equations are singular within rounding of the
/// state then: they have no linear part.
bool rh__doubt_hides(rh_matrix_size size);

/// Roots of a matrix with their error bars, in the order of rh__eigen_conditions().
RH_NODISCARD rh_status rh__bars_find(rh_arena *arena, uint32_t n, const double *a,
                                     rh_matrix_size size, rh_steady_root *out);

/// The same with a real part of zero where that is within its bar: its digits say nothing.
rh_steady_root rh__root_cleared(rh_steady_root root);
/// Rightmost first; of those whose real parts differ by no more than their bars the ones with
/// larger imaginary parts, each beside its conjugate.
void rh__roots_sort(rh_steady_root *roots, uint32_t count);

/// Both in one: solve again from bench->values, then judge. Nothing is derived anew: dials and
/// fixed places have the values that the caller wrote into bench->values. One workbench for each
/// thread.
RH_NODISCARD rh_status rh__steady_again(rh_workbench *bench, const rh_rest_query *query,
                                        uint32_t dimension, rh_rest_answer *out_answer,
                                        rh_judgement *out);
