// SPDX-License-Identifier: Apache-2.0
// Private to the benchmark of motions: many rolling discs. psi' is spread over 0.2 ... 0.8 and phi'
// over 8 ... 12, as a square grid of members; ten by ten of them are looked at, those that every
// grid of 9 k + 1 by 9 k + 1 has.

#pragma once

#include "contest.h"

#include <math.h>

enum { DISCS_SIDE = 10, DISCS_SAMPLES = DISCS_SIDE * DISCS_SIDE };

/// Members along one side of the grid: at least as many as asked for.
static inline uint32_t discs_side(const bench_problem *problem)
{
    const double side = sqrt((double)problem->members);
    const double parts = ceil((side - 1.0) / (DISCS_SIDE - 1) - 1e-9);
    return (parts < 1.0 ? 1 : (uint32_t)parts) * (DISCS_SIDE - 1) + 1;
}

/// The place among the samples; negative: the member is not looked at.
static inline int discs_sample(uint32_t side, uint64_t member)
{
    const uint32_t parts = side < DISCS_SIDE ? 1 : (side - 1) / (DISCS_SIDE - 1);
    const uint64_t i = member / side;
    const uint64_t j = member % side;
    const bool is_one = i % parts == 0 && j % parts == 0;
    const bool is_within = i / parts < DISCS_SIDE && j / parts < DISCS_SIDE;
    return is_one && is_within ? (int)(i / parts * DISCS_SIDE + j / parts) : -1;
}

static inline double discs_spread(double low, double high, uint64_t k, uint32_t side)
{
    return low + (high - low) * (double)k / (double)(side - 1);
}

/// A sweep by the library. `ranks`: an rh_ranks, or NULL.
typedef struct sweeping {
    uint32_t side, threads, order;
    double until, tolerance;
    void *ranks;
} sweeping;

/// `end`: room for all samples.
bench_finish discs_run(const sweeping *how, double *end);

/// The reference against the library at its best, which is another way; false (and a message) when
/// they differ.
bool discs_check(const bench_problem *problem);
