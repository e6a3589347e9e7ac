// SPDX-License-Identifier: Apache-2.0
// Axes: the range of some numbers -> ticks at multiples of 1, 2 or 5 times a power of ten, and
// labels that are short and alike: 0.25, 1.5e-7, or counted from the first tick when the numbers
// differ only far behind their point.

#include "output/axis.h"

#include "output/digits.h"

#include <math.h>

// Numbers that differ by less than this part of them are drawn as one.
static const double FINEST = 1e-12;
// Smaller numbers are zero: below, powers of ten run out.
static const double SMALLEST = 1e-280;

enum {
    MOST_STEPS = 10000, // between 0 and the last tick; more digits would not fit beside the axis
    MOST_DECIMALS = 5,
    LARGEST_PLAIN = 1000000
};

// 10^exponent times a number, by one rounding where there can be one.
static double scaled(double number, int exponent)
{
    return exponent < 0 ? number / pow(10.0, -exponent) : number * pow(10.0, exponent);
}

static void widen(rh_axis *axis, double margin)
{
    if (axis->low > axis->high) {
        axis->low = 0.0;
        axis->high = 1.0;
    }
    RH_ASSERT(fabs(axis->low) <= RH_AXIS_LARGEST && fabs(axis->high) <= RH_AXIS_LARGEST);
    const double size = fmax(fabs(axis->low), fabs(axis->high));
    double extra = margin * (axis->high - axis->low);
    if (size < SMALLEST) {
        extra = 1.0;
    } else if (axis->high - axis->low <= FINEST * size) {
        extra = 0.1 * size;
    }
    axis->low -= extra;
    axis->high += extra;
}

rh_axis rh__axis_choose(double low, double high, int wanted, double margin)
{
    RH_ASSERT(wanted > 0);
    rh_axis axis = {.low = low, .high = high};
    widen(&axis, margin);
    const double raw = (axis.high - axis.low) / wanted;
    axis.exponent = (int)floor(log10(raw));
    const double lead = scaled(raw, -axis.exponent);
    axis.digit = lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : 5.0;
    if (lead >= 7.5) {
        axis.digit = 1.0;
        axis.exponent++;
    }
    // a tick that misses the end by rounding is on the axis
    const double step = scaled(axis.digit, axis.exponent);
    axis.first = (int64_t)ceil(axis.low / step - 1e-9);
    axis.last = (int64_t)floor(axis.high / step + 1e-9);
    RH_ASSERT(step > 0.0 && axis.last - axis.first <= 4 * (int64_t)wanted);
    axis.has_offset = axis.first > MOST_STEPS || axis.last < -MOST_STEPS;
    return axis;
}

double rh__axis_tick(const rh_axis *axis, int64_t k)
{
    return scaled((double)k * axis->digit, axis->exponent);
}

void rh__axis_put_label(const rh_axis *axis, int64_t k, rh_text *out)
{
    RH_ASSERT(axis->first <= k && k <= axis->last);
    const int64_t origin = axis->has_offset ? axis->first : 0;
    const int64_t from = axis->first - origin;
    const int64_t to = axis->last - origin;
    const double most = fmax(fabs((double)from), fabs((double)to)) * axis->digit;
    const double value = scaled((double)(k - origin) * axis->digit, axis->exponent);
    const bool is_plain =
        axis->exponent >= -MOST_DECIMALS && fabs(scaled(most, axis->exponent)) < LARGEST_PLAIN;
    if (is_plain) {
        rh__digits_put(out, value, axis->exponent < 0 ? -axis->exponent : 0);
    } else {
        rh__digits_put_short(out, value, most < 1.0 ? 1 : 1 + (int)floor(log10(most)));
    }
}

double rh__axis_place(const rh_axis *axis, double value, double at_low, double at_high)
{
    RH_ASSERT(axis->low < axis->high);
    return at_low + (value - axis->low) / (axis->high - axis->low) * (at_high - at_low);
}
