// SPDX-License-Identifier: Apache-2.0
// Private to `output`: an axis of a plot, with ticks at round numbers.

#pragma once

#include "base/base.h"

/// A larger number cannot be drawn.
#define RH_AXIS_LARGEST 1e300

typedef struct rh_axis {
    double low, high;
    int64_t first, last; // ticks: multiples of the step that lie on the axis
    double digit;        // the step is digit * 10^exponent, digit 1, 2 or 5
    int exponent;
    bool has_offset; // labels count from the first tick, and a note says where that is
} rh_axis;

/// An axis over low ... high with about `wanted` ticks and `margin` (a part of the range) on both
/// sides; low > high means that there is nothing to show.
rh_axis rh__axis_choose(double low, double high, int wanted, double margin);

/// The value of tick `k`, first <= k <= last.
double rh__axis_tick(const rh_axis *axis, int64_t k);

/// Its label: as many digits as tell ticks apart, all alike.
void rh__axis_put_label(const rh_axis *axis, int64_t k, rh_text *out);

/// Where a value lies between the places of low and high.
double rh__axis_place(const rh_axis *axis, double value, double at_low, double at_high);
