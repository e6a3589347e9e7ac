// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: what rounding does to equal expressions.

#pragma once

#include "expr/store.h"

/// May `other` be evaluated in place of `e`? True when its bound of rounding errors is nowhere much
/// above that of `e`, and it has a value wherever `e` has one, at points chosen to tell them apart.
/// False also when memory is short or the expressions are too large to be tried.
bool rh__loss_is_safe(rh_store *store, rh_expr e, rh_expr other, rh_arena *scratch);
/// The bound at a point: times the rounding of numbers, what the value may be off by. 0 when memory
/// is short or it has no value there.
double rh__loss_bound(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                      rh_arena *scratch);
