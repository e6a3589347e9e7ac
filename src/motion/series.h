// SPDX-License-Identifier: Apache-2.0
// The polynomial of x over the last step.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

enum {
    RH_SERIES_PIECE = 8, // rows as short as this are read in one piece
    RH_SERIES_ORDER = 39 // the highest there is
};

/// Components from `first` on. Of a ladder those from `rate` on are their rates, and the rates of
/// these stand at `source` in rows that are lent: c_(k+1) of the one is c_k / (k + 1) of the next,
/// so that the last tell all.
typedef struct rh_series_run {
    uint32_t first, rate, source, count;
    bool is_ladder;
} rh_series_run;

/// A polynomial in time over the last step, for each component of x.
typedef struct rh_series {
    double begin, length;
    uint32_t degree;
    uint32_t count;
    const double *rows;    // coefficient k of component i at [k * pitch + i]: its own ones, or long
    size_t pitch;          // rows of the jets of the stepping tape, which nobody else needs then
    rh_tape_state *lender; // of these; NULL: they are its own
    double *own;           // room for (degree + 1) x count coefficients and a piece behind them
    rh_series_run *runs;   // all components, once, for rows that are lent
    uint32_t run_count;
    double sizes[RH_SERIES_ORDER + 1]; // of Taylor's coefficients, by order: the largest relative
                                       // to unit + |x|; of rows longer than a piece
} rh_series;

static inline const double *rh__series_row(const rh_series *series, uint32_t k)
{
    if (k > 0 && series->lender != NULL && series->lender->is_lean) {
        rh__jet_fill(series->lender);
    }
    return series->rows + (size_t)k * series->pitch;
}
/// Room for series up to an order, of `count` components.
RH_NODISCARD rh_status rh__series_create(uint32_t count, uint32_t order, rh_ladder_list ladders,
                                         rh_arena *arena, rh_series *out);
/// Coefficients of its own, to be filled.
double *rh__series_begin(rh_series *series);
/// Keep coefficients that are lent: the jets they stand in will be those of another point.
void rh__series_keep(rh_series *series);
/// x at a time within the series.
void rh__series_value(const rh_series *series, double time, double *out);
/// Its derivative there.
void rh__series_slope(const rh_series *series, double time, double *out);
