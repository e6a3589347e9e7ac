// SPDX-License-Identifier: Apache-2.0
// Private to `output`: motions side by side, gathered before they are written.

#pragma once

#include "output/outcome.h"

/// How far a column is from that of the first variant, at worst.
typedef struct rh_difference {
    double largest; // NaN: there is no moment at which both are numbers
    double time;    // when
} rh_difference;

typedef struct rh_comparison {
    const rh_comparison_def *def;
    rh_outcome_def *defs;       // by variant, complete
    rh_outcome *outcomes;       // by variant
    rh_difference *differences; // by variant, by column
    uint32_t count;             // of variants
    size_t column_count;
    rh_text *out;
    rh_arena *scratch;
} rh_comparison;

static inline rh_difference rh__comparison_at(const rh_comparison *comparison, uint32_t variant,
                                              size_t column)
{
    return comparison->differences[variant * comparison->column_count + column];
}

void rh__comparison_text(const rh_comparison *comparison);
