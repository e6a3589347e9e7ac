// SPDX-License-Identifier: Apache-2.0
// Exact rationals: two machine words where they fit, limbs in an arena where not. Always in lowest
// terms, the denominator positive. The only file that knows GMP is rational.c.

#pragma once

#include "base/base.h"

typedef struct rh_big rh_big;

typedef struct rh_rational {
    int64_t numerator;
    int64_t denominator;
    const rh_big *big; // not NULL: the value is there, and does not fit above
} rh_rational;

/// Before the first call: GMP is given memory from the reserve when the system has none, unless the
/// process has set functions of its own for that.
void rh__rational_prepare(void);

/// The denominator must not be 0.
rh_rational rh__rational_make(int64_t numerator, int64_t denominator);

/// These are false when the result passes `bits` in numerator or denominator, or the arena refused.
bool rh__rational_literal(rh_arena *arena, rh_slice text, uint32_t bits, rh_rational *out);
bool rh__rational_add(rh_arena *arena, rh_rational a, rh_rational b, uint32_t bits,
                      rh_rational *out);
bool rh__rational_multiply(rh_arena *arena, rh_rational a, rh_rational b, uint32_t bits,
                           rh_rational *out);
/// An integer power; a zero base needs a positive exponent.
bool rh__rational_power(rh_arena *arena, rh_rational a, int64_t exponent, uint32_t bits,
                        rh_rational *out);

/// True and the root when `a` >= 0 is the k-th power of a rational.
bool rh__rational_root(rh_arena *arena, rh_rational a, uint32_t k, uint32_t bits, rh_rational *out);

int rh__rational_sign(rh_rational a);
int rh__rational_compare(rh_rational a, rh_rational b);
bool rh__rational_equal(rh_rational a, rh_rational b);
bool rh__rational_is_integer(rh_rational a);
uint64_t rh__rational_hash(rh_rational a, uint64_t seed);
/// Correctly rounded.
double rh__rational_value(rh_rational a);

/// Which part of a rational to write.
typedef enum rh_part { RH_PART_NUMERATOR, RH_PART_DENOMINATOR } rh_part;

/// The decimal digits of a part, without sign.
void rh__rational_digits(rh_rational a, rh_part part, rh_text *out);
/// As `digits.digits` when that is exact with at most 9 places after the point; false otherwise. No
/// sign.
bool rh__rational_decimal(rh_rational a, rh_text *out);
