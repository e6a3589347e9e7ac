// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step.

#include "motion/motion.h"

RH_WIDE void rh__series_value(const rh_series *series, double time, double *out)
{
    const double s = time - series->begin;
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

RH_WIDE void rh__series_slope(const rh_series *series, double time, double *out)
{
    const double s = time - series->begin;
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
