// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: antiderivatives of single functions and powers by their argument, and of
// products in which the derivative of an argument stands beside its function.

#pragma once

#include "expr/store.h"

/// The antiderivative of a function (sin, log, abs, ...) by its argument; none when it is not
/// known.
rh_expr rh__integral_function(rh_store *store, rh_expr f);
/// u^r by u for a number r.
rh_expr rh__integral_power(rh_store *store, rh_expr u, rh_expr r);
/// Is it an operation of which rh__integral_function knows something?
bool rh__integral_is_easy(rh_op op);

/// c*g'*f(g) by x where c is free of x, and c*Q^(k/2) for a quadratic Q and small k < 2; none when
/// the term is neither.
rh_expr rh__integral_inner(rh_store *store, rh_expr term, rh_expr x, rh_arena *scratch);

/// A product with several sines and cosines as a sum with one in each term; none when it has not
/// several, or too many (waves.c).
rh_expr rh__integral_waves(rh_store *store, rh_expr term);
