// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: sums of products over scattered places, eight rows at a time.

#pragma once

#include "tape/tape.h"

/// Row r of chunk c has in slice s the factor number index[8 s + r]; rows with fewer terms than
/// others of their chunk are filled up with values that stay 0.
typedef struct rh_bundle {
    uint32_t rows;
    uint32_t size;   // of the values: 8 for each slice
    uint32_t *begin; // by chunk: its first slice
    uint32_t *index;
} rh_bundle;

/// Terms of row r: of[begin[r]] ... of[end[r]], less `base`.
typedef struct rh_bundle_def {
    uint32_t rows;
    const uint32_t *begin, *end;
    const uint32_t *of;
    uint32_t base;
} rh_bundle_def;

/// `home`, as `of`, receives where the value of each term is kept, counted from `first`. False when
/// there was no memory.
RH_NODISCARD bool rh__bundle_create(const rh_bundle_def *def, rh_arena *arena, rh_bundle *out,
                                    uint32_t *home, uint32_t first);

/// y -= value x, row by row.
void rh__bundle_subtract(const rh_bundle *bundle, const double *value, const double *x, double *y);
