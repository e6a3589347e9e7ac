// SPDX-License-Identifier: Apache-2.0
// Quadrature, functions that dip, random numbers.

#pragma once

#include "numeric/complementarity.h"

/// The Gauss rule on [0, 1] with n > 0 nodes, in ascending order: exact for polynomials of degree
/// 2 n - 1. Good to rounding for n up to some hundreds.
void rh__quadrature_gauss(uint32_t n, double *nodes, double *weights);

// --- dips -------------------------------------------------------------------------------------

/// The least value between two places of a function that is above zero at both. The caller asks for
/// a place, tells the value there, and looks at once whether it is beyond zero (dip.c).
typedef struct rh_dip {
    double at[3], height[3]; // both ends and what is lowest between them
    double floor;            // a value from which on it is zero
    double place;            // that is asked for
    uint32_t stage, rounds;
} rh_dip;

/// Ends and values there, and the first place in between: the middle.
rh_dip rh__dip_begin(const double at[2], const double height[2], double floor);
/// May it come to zero between them, by how it changed there, or before (`came`, over as long a
/// way)?
bool rh__dip_is_near(const double height[2], double came);
/// Is there a place to look at? False: nothing is beyond zero, as far as can be seen.
bool rh__dip_asks(rh_dip *dip);
void rh__dip_tell(rh_dip *dip, double height);

// --- random numbers --------------------------------------------------------------------------

/// A stream of random numbers (xoshiro256**), the same on all machines for the same seed.
typedef struct rh_random {
    uint64_t state[4];
} rh_random;

rh_random rh__random_begin(uint64_t seed);
/// A stream of its own for each seed, place and kind, whatever else is drawn and in which order.
rh_random rh__random_at(uint64_t seed, uint64_t place, uint32_t kind);
/// One block of Philox4x32-10.
void rh__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
uint64_t rh__random_bits(rh_random *random);
/// low <= result < high, or `low` when they are equal; high - low must be finite.
double rh__random_uniform(rh_random *random, double low, double high);
/// Mean 0, variance 1. Made of comparisons only, so that no mathematical library decides a bit.
double rh__random_normal(rh_random *random);
