// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step.

#include "motion/motion.h"

#include <string.h>

// components that stay in registers while the powers go down: more of them where there are so many,
// since each waits for its own last power; of few, all do
enum { GROUP = 4, HOST = 32 };

enum { LEAST_DEGREE = 8 }; // of the polynomials of other methods

// --- rows ----------------------------------------------------------------------------------------

// How many components from i on change by as many others, none of which is taken; they are then.
static uint32_t pair_off(const uint32_t *rates, uint32_t n, uint32_t i, bool *is_taken)
{
    const uint32_t rate = rates[i] - 1; // slot 0 is time
    uint32_t count = 0;
    while (i + count < n && rate < n && rate + count < n && rates[i + count] == rates[i] + count &&
           rate != i && !is_taken[i + count] && !is_taken[rate + count]) {
        is_taken[i + count] = is_taken[rate + count] = true;
        count++;
    }
    for (uint32_t k = 0; count < HOST && k < count; k++) { // not worth it
        is_taken[i + k] = is_taken[rate + k] = false;
    }
    return count < HOST ? 0 : count;
}

static rh_status find_runs(rh_series *series, const uint32_t *rates, rh_arena *arena)
{
    const uint32_t n = series->count;
    bool *is_taken = rh__arena_array(arena, bool, (size_t)n + 1);
    // between two of at least HOST components there may be one of any length
    series->runs = rh__arena_array(arena, rh_series_run, 2 * ((size_t)n / HOST) + 2);
    if (is_taken == NULL || series->runs == NULL) {
        return arena->status;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t count = is_taken[i] ? 0 : pair_off(rates, n, i, is_taken);
        if (count > 0) {
            series->runs[series->run_count++] =
                (rh_series_run){.first = i, .rate = rates[i] - 1, .count = count, .is_pair = true};
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = i;
        while (i < n && !is_taken[i]) {
            i++;
        }
        if (i > first) {
            series->runs[series->run_count++] =
                (rh_series_run){.first = first, .rate = first, .count = i - first};
        }
    }
    return RH_OK;
}

double *rh__series_begin(rh_series *series)
{
    series->rows = series->own;
    series->pitch = series->count;
    return series->own;
}

rh_status rh__series_create(uint32_t count, uint32_t order, const uint32_t *rates, rh_arena *arena,
                            rh_series *out)
{
    const size_t rows = order < LEAST_DEGREE ? LEAST_DEGREE + 1 : (size_t)order + 1;
    *out = (rh_series){.count = count};
    out->own = rh__arena_array(arena, double, count *rows + 1 + RH_SERIES_PIECE);
    if (rh__series_begin(out) == NULL) {
        return arena->status;
    }
    return find_runs(out, rates, arena);
}

void rh__series_keep(rh_series *series)
{
    if (series->rows == series->own) {
        return;
    }
    for (uint32_t k = 0; k <= series->degree; k++) {
        memcpy(series->own + (size_t)k * series->count, rh__series_row(series, k),
               series->count * sizeof *series->own);
    }
    (void)rh__series_begin(series);
}

// --- values --------------------------------------------------------------------------------------

// Component i of the value, and of the slope, for `count` components from `first` on.
static inline void sum_values(const rh_series *series, double s, uint32_t first, uint32_t count,
                              double *out)
{
    const double *row = rh__series_row(series, series->degree) + first;
    double sum[HOST];
    for (uint32_t i = 0; i < count; i++) {
        sum[i] = row[i];
    }
    for (uint32_t k = series->degree; k-- > 0;) {
        row -= series->pitch;
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
    const double *row = rh__series_row(series, series->degree) + first;
    double sum[HOST];
    for (uint32_t i = 0; i < count; i++) {
        sum[i] = series->degree * row[i];
    }
    for (uint32_t k = series->degree; k-- > 1;) {
        const double factor = k;
        row -= series->pitch;
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

// The last group may take some components again.
static inline void sum_run(const rh_series *series, double s, uint32_t first, uint32_t n,
                           double *out)
{
    uint32_t i = 0;
    for (; i + HOST <= n; i += HOST) {
        sum_values(series, s, first + i, HOST, out);
    }
    for (; n >= GROUP && i < n; i += GROUP) {
        sum_values(series, s, first + (i + GROUP <= n ? i : n - GROUP), GROUP, out);
    }
    for (; n < GROUP && i < n; i++) {
        sum_values(series, s, first + i, 1, out);
    }
}

// Versions for several widths are for this file: others would see their names.

// Both halves of a pair. The last group may take some components again.
static RH_WIDE void find_pair(const rh_series *series, const rh_series_run *run, double s,
                              double *out)
{
    for (uint32_t at = 0; at < run->count; at += HOST) {
        const uint32_t first = at + HOST <= run->count ? at : run->count - HOST;
        const double *row = rh__series_row(series, series->degree) + run->rate + first;
        const double *begin = rh__series_row(series, 0) + run->first + first;
        double sum[HOST] = {0.0};
        double rate[HOST];
        for (uint32_t i = 0; i < HOST; i++) {
            rate[i] = row[i];
        }
        for (uint32_t k = series->degree; k-- > 0;) {
            const double factor = 1.0 / (double)(k + 1);
            row -= series->pitch;
            for (uint32_t i = 0; i < HOST; i++) {
                rate[i] = rate[i] * s + row[i];
                sum[i] = sum[i] * s + row[i] * factor;
            }
        }
        for (uint32_t i = 0; i < HOST; i++) {
            out[run->rate + first + i] = rate[i];
            out[run->first + first + i] = sum[i] * s + begin[i];
        }
    }
}

static RH_WIDE void find_value(const rh_series *series, double s, double *out)
{
    const uint32_t n = series->count;
    if (n > GROUP && n <= RH_SERIES_PIECE) {
        sum_short(series, s, out);
        return;
    }
    if (series->rows == series->own) {
        sum_run(series, s, 0, n, out);
        return;
    }
    for (uint32_t r = 0; r < series->run_count; r++) {
        const rh_series_run *run = &series->runs[r];
        if (run->is_pair) {
            find_pair(series, run, s, out);
        } else {
            sum_run(series, s, run->first, run->count, out);
        }
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
