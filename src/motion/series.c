// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step.

#include "motion/motion.h"

// components that stay in registers while the powers go down: more of them where there are so many,
// since each waits for its own last power; of few, all do
enum { GROUP = 4, HOST = 32 };

// Component i of the value, and of the slope, for `count` components from `first` on.
static inline void sum_values(const rh_series *series, double s, uint32_t first, uint32_t count,
                              double *out)
{
    const double *row = series->coefficients + (size_t)series->degree * series->count + first;
    double sum[HOST];
    for (uint32_t i = 0; i < count; i++) {
        sum[i] = row[i];
    }
    for (uint32_t k = series->degree; k-- > 0;) {
        row -= series->count;
        for (uint32_t i = 0; i < count; i++) {
            sum[i] = sum[i] * s + row[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out[first + i] = sum[i];
    }
}

static inline void sum_slopes(const rh_series *series, double s, uint32_t first, uint32_t count,
                              double *out)
{
    const double *row = series->coefficients + (size_t)series->degree * series->count + first;
    double sum[HOST];
    for (uint32_t i = 0; i < count; i++) {
        sum[i] = series->degree * row[i];
    }
    for (uint32_t k = series->degree; k-- > 1;) {
        const double factor = k;
        row -= series->count;
        for (uint32_t i = 0; i < count; i++) {
            sum[i] = sum[i] * s + factor * row[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out[first + i] = sum[i];
    }
}

// All components of a short row: behind it stand numbers that do not count.
static inline void sum_short(const rh_series *series, double s, double *out)
{
    double sums[RH_SERIES_PIECE];
    sum_values(series, s, 0, RH_SERIES_PIECE, sums);
    for (uint32_t i = 0; i < series->count; i++) {
        out[i] = sums[i];
    }
}

// Versions for several widths are for this file: others would see their names. The last group may
// take some components again.
static RH_WIDE void find_value(const rh_series *series, double s, double *out)
{
    const uint32_t n = series->count;
    if (n > GROUP && n <= RH_SERIES_PIECE) {
        sum_short(series, s, out);
        return;
    }
    uint32_t i = 0;
    for (; i + HOST <= n; i += HOST) {
        sum_values(series, s, i, HOST, out);
    }
    for (; n >= GROUP && i < n; i += GROUP) {
        sum_values(series, s, i + GROUP <= n ? i : n - GROUP, GROUP, out);
    }
    for (; n < GROUP && i < n; i++) {
        sum_values(series, s, i, 1, out);
    }
}

static RH_WIDE void find_slope(const rh_series *series, double s, double *out)
{
    const uint32_t n = series->count;
    uint32_t i = 0;
    for (; i + HOST <= n; i += HOST) {
        sum_slopes(series, s, i, HOST, out);
    }
    for (; n >= GROUP && i < n; i += GROUP) {
        sum_slopes(series, s, i + GROUP <= n ? i : n - GROUP, GROUP, out);
    }
    for (; n < GROUP && i < n; i++) {
        sum_slopes(series, s, i, 1, out);
    }
}

void rh__series_value(const rh_series *series, double time, double *out)
{
    find_value(series, time - series->begin, out);
}

void rh__series_slope(const rh_series *series, double time, double *out)
{
    find_slope(series, time - series->begin, out);
}
