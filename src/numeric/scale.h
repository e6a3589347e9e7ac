// SPDX-License-Identifier: Apache-2.0
// Scaling by powers of two, shared by the dense and the sparse factors. Exponents are integers, so
// that no scaling factor overflows and, underflow apart, no scaling changes a digit.

#pragma once

#include "base/base.h"

/// The exponent that brings a number of this magnitude into [1, 2); 0 for zero. Finite numbers
/// only.
int32_t rh__scale_exponent(double magnitude);

/// y[k] = b[k] 2^(exponent[k] - shift), with the shift that makes the largest about 1.
/// Returns the shift.
int32_t rh__scale_enter(uint32_t n, const int32_t *exponent, const double *b, double *y);

/// b[k] = y[k] 2^(exponent[k] + shift).
void rh__scale_leave(uint32_t n, const int32_t *exponent, int32_t shift, const double *y,
                     double *b);
