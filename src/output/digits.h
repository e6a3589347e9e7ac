// SPDX-License-Identifier: Apache-2.0
// Private to `output`: numbers as text.

#pragma once

#include "base/base.h"

enum { RH_DIGITS_SIZE = 32 };

/// 17 significant digits, terminated; returns their length. The number is finite.
size_t rh__digits_print(double value, char out[RH_DIGITS_SIZE]);

/// `decimals` digits behind the point; |value| below 1e15, at most 12 decimals.
void rh__digits_put(rh_text *out, double value, int decimals);

/// At most `significant` (up to 17) digits in the shortest of the usual ways: 0.5, 1e-7.
void rh__digits_put_short(rh_text *out, double value, int significant);
