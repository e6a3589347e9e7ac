// SPDX-License-Identifier: Apache-2.0
// Polynomials on [0, 1]: values, roots.

#pragma once

#include "numeric/sparse.h"

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
