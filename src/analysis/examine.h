// SPDX-License-Identifier: Apache-2.0
// Private to `analysis`: the steps of a checkup, in the order in which checkup.c takes them.

#pragma once

#include "analysis/analysis.h"

/// Which one-sided constraints act at the start; rates and multipliers there (touching.c).
rh_status rh__checkup_touch(rh_checkup *checkup, rh_arena *scratch);
/// Ranks at all states, redundant sets (rank.c).
rh_status rh__checkup_ranks(rh_checkup *checkup, rh_arena *scratch);
/// Single rows and combinations (integrable.c, flag.c).
rh_status rh__checkup_integrable(rh_checkup *checkup, rh_arena *scratch);
rh_status rh__checkup_flag(rh_checkup *checkup, rh_arena *scratch);
/// Ideality, virtual work, control (ideal.c).
rh_status rh__checkup_ideal(rh_checkup *checkup, rh_arena *scratch);

/// A constraint that is not linear in velocities: find the linear form that it is but for a factor
/// (linear_form.c). The answer is NO when it keeps no function of coordinates.
rh_status rh__checkup_find_linear_form(rh_checkup *checkup, uint32_t link, rh_arena *scratch,
                                       rh_answer *out);

/// Its velocity row is a linear form in coordinates and time alone, perhaps but for a factor.
bool rh__checkup_is_form(const rh_checkup *checkup, uint32_t link);

/// Rows of `rows` (a grid of links x carriers) chosen by `use`, dense and one after another
/// (count x carriers, column-major), at a point.
rh_status rh__checkup_rows(const rh_checkup *checkup, const rh_grid *rows, const rh_point *point,
                           const bool *use, uint32_t count, rh_arena *arena, double *out);

/// How large the rate of change of a carrier's variable is per unit of time and of its derivative:
/// sizes of velocities and states, and of their rates.
double rh__checkup_size(const rh_checkup *checkup, uint32_t carrier);
double rh__checkup_rate_size(const rh_checkup *checkup, uint32_t carrier);
/// Rows of constraints as above, of length one in units of the sizes of variables; entries that are
/// no more than rounding are zero (rank.c).
rh_status rh__checkup_scaled_rows(const rh_checkup *checkup, const rh_point *point, const bool *use,
                                  uint32_t count, rh_arena *arena, double *out);

/// Try to integrate the form sum coefficient_k d(symbol_k); none when it is not exact or not easy.
rh_expr rh__form_integral(rh_checkup *checkup, const rh_partial *form, uint32_t count,
                          rh_arena *scratch);
/// The linear form of a link: coefficients by coordinates and time, zeros left out.
rh_status rh__link_differential(rh_checkup *checkup, uint32_t link, rh_arena *arena,
                                rh_gradient *out);

/// The linear forms of some links in coordinates and time, with their derivatives.
typedef struct rh_pfaffian {
    const rh_checkup *checkup;
    uint32_t n;     // coordinates + 1; time is the last
    uint32_t count; // forms
    const rh_gradient *form;
    // every coefficient and every partial of a coefficient, to be evaluated at once
    rh_expr *roots;
    uint32_t root_count;
    uint32_t *row, *column, *variable; // of the roots; variable UINT32_MAX: the coefficient itself
    double *size;                      // of coordinates and of time: numbers are in these units
} rh_pfaffian;

/// The directions that the forms allow together with their iterated brackets, as orthonormal
/// vectors (in sizes of coordinates) at a point (n x n room, column-major): what motions can reach.
/// Brackets of base fields are exact, deeper ones by differences of high order. `out_count`: how
/// many; UINT32_MAX when the depth at which numbers can be trusted did not suffice, or a bracket is
/// too small to be judged.
rh_status rh__pfaffian_close(const rh_pfaffian *forms, const rh_point *point, rh_arena *scratch,
                             double *vectors, uint32_t *out_count);
