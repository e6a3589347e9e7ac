// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step.

#include "motion/motion.h"

#include <string.h>

// components that stay in registers while the powers go down: more of them where there are so many,
// since each waits for its own last power; of few, all do
enum { GROUP = 4, HOST = 32 };

enum { LEAST_DEGREE = 8 }; // of the polynomials of other methods

// --- rows ----------------------------------------------------------------------------------------

static rh_status find_runs(rh_series *series, rh_ladder_list ladders, rh_arena *arena)
{
    const uint32_t n = series->count;
    bool *is_taken = rh__arena_array(arena, bool, (size_t)n + 1);
    // each ladder takes two pieces out of the rest
    series->runs = rh__arena_array(arena, rh_series_run, 3 * (size_t)ladders.count + 1);
    if (is_taken == NULL || series->runs == NULL) {
        return arena->status;
    }
    for (uint32_t r = 0; r < ladders.count; r++) {
        const rh_ladder *it = &ladders.data[r]; // slot 0 is time
        RH_ASSERT(it->x > 0 && it->x - 1 + it->count <= n && it->v > 0 &&
                  it->v - 1 + it->count <= n);
        series->runs[series->run_count++] = (rh_series_run){.first = it->x - 1,
                                                            .rate = it->v - 1,
                                                            .source = it->a - 1,
                                                            .count = it->count,
                                                            .is_ladder = true};
        for (uint32_t i = 0; i < it->count; i++) {
            is_taken[it->x - 1 + i] = is_taken[it->v - 1 + i] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = i;
        while (i < n && !is_taken[i]) {
            i++;
        }
        if (i > first) {
            series->runs[series->run_count++] = (rh_series_run){.first = first, .count = i - first};
        }
    }
    RH_ASSERT(series->run_count <= 3 * ladders.count + 1);
    return RH_OK;
}

double *rh__series_begin(rh_series *series)
{
    series->rows = series->own;
    series->pitch = series->count;
    series->lender = NULL;
    return series->own;
}

rh_status rh__series_create(uint32_t count, uint32_t order, rh_ladder_list ladders, rh_arena *arena,
                            rh_series *out)
{
    RH_ASSERT(order <= RH_SERIES_ORDER);
    const size_t rows = order < LEAST_DEGREE ? LEAST_DEGREE + 1 : (size_t)order + 1;
    *out = (rh_series){.count = count};
    out->own = rh__arena_array(arena, double, count *rows + 1 + RH_SERIES_PIECE);
    if (rh__series_begin(out) == NULL) {
        return arena->status;
    }
    return find_runs(out, ladders, arena);
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
    const double *row = series->rows + series->degree * series->pitch + first;
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
    const double *row = series->rows + series->degree * series->pitch + first;
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

// Both rows of a ladder. The last group may take some components again.
static RH_WIDE void climb(const rh_series *series, const rh_series_run *run, double s, double *out)
{
    const uint32_t degree = series->degree;
    _Static_assert((int)HOST <= (int)RH_LADDER_LEAST, "a group fits");
    RH_ASSERT(degree > 0);
    for (uint32_t at = 0; at < run->count; at += HOST) {
        const uint32_t first = at + HOST <= run->count ? at : run->count - HOST;
        const double *begin = series->rows + first;
        const double *row = begin + run->source + (degree - 1) * series->pitch;
        double sum[HOST] = {0.0};
        double rate[HOST];
        for (uint32_t i = 0; i < HOST; i++) {
            rate[i] = row[i] * (1.0 / (double)degree);
        }
        for (uint32_t k = degree - 1; k > 0; k--) {
            const double factor = 1.0 / (double)k;
            const double next = 1.0 / (double)(k + 1);
            row -= series->pitch;
            for (uint32_t i = 0; i < HOST; i++) {
                const double c = row[i] * factor;
                rate[i] = rate[i] * s + c;
                sum[i] = sum[i] * s + c * next;
            }
        }
        for (uint32_t i = 0; i < HOST; i++) {
            const double c = begin[run->rate + i];
            out[run->rate + first + i] = rate[i] * s + c;
            out[run->first + first + i] = (sum[i] * s + c) * s + begin[run->first + i];
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
        if (run->is_ladder) {
            climb(series, run, s, out);
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
    RH_ASSERT(out != series->rows && out != series->own);
    find_value(series, time - series->begin, out);
}

void rh__series_slope(const rh_series *series, double time, double *out)
{
    RH_ASSERT(out != series->rows && out != series->own);
    (void)rh__series_row(series, series->degree); // all rows have to be there
    find_slope(series, time - series->begin, out);
}
