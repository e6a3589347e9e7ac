// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: analytic functions F(s)/s^p of one variable, where F has a zero of order p at
// s = 0, and their Taylor series there.

#pragma once

#include "expr/store.h"

enum { RH_EXPANSION_TERMS = 80 }; // of a series, while it is computed

/// Taylor coefficients at s = 0 of an expression in the symbol s alone. False: it has none (a
/// root or logarithm of zero, a condition), or the scratch arena refused.
bool rh__expansion_find(rh_store *store, rh_expr e, rh_expr s, uint32_t count, rh_arena *scratch,
                        double *out);

/// The symbol that stands for the variable of all these functions. It belongs to no model.
rh_expr rh__ratio_symbol(rh_store *store);

/// F(z)/z^order, where `function` is F in terms of the symbol: analytic through z = 0. None when F
/// has no usable series (the store goes on), or when the store refuses.
rh_expr rh__ratio_apply(rh_store *store, rh_expr function, uint32_t order, rh_expr z);

/// The operation with these arguments; at z = 0 its exact value.
rh_expr rh__ratio_rebuild(rh_store *store, const rh_expr arguments[4]);

/// The derivative of a ratio by its argument.
rh_expr rh__ratio_derivative(rh_store *store, rh_expr ratio);
