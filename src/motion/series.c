// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step.

#include "motion/motion.h"

// Versions for several widths are for this file: others would see their names.
static RH_WIDE void find_value(const rh_series *series, double s, double *out)
{
    const uint32_t n = series->count;
    const double *top = series->coefficients + (size_t)series->degree * n;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = top[i];
    }
    for (uint32_t k = series->degree; k-- > 0;) {
        const double *row = series->coefficients + (size_t)k * n;
        for (uint32_t i = 0; i < n; i++) {
            out[i] = out[i] * s + row[i];
        }
    }
}

static RH_WIDE void find_slope(const rh_series *series, double s, double *out)
{
    const uint32_t n = series->count;
    const double *top = series->coefficients + (size_t)series->degree * n;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = series->degree * top[i];
    }
    for (uint32_t k = series->degree; k-- > 1;) {
        const double *row = series->coefficients + (size_t)k * n;
        for (uint32_t i = 0; i < n; i++) {
            out[i] = out[i] * s + k * row[i];
        }
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
