// SPDX-License-Identifier: Apache-2.0
// Where a test vanishes, and what holds there: by polynomials through orbits on both sides, at some
// distance. Beside the place itself rounding of the test, or of an orbit at which branches meet,
// decides; and at a fold a bracket of the parameter says little about the rest. What the place is
// by four of the six orbits tells how far it may be off by rounding and by the polynomials.
// Rounding that is the same at all of them, as that of starts far from zero, is told by orbits that
// are asked to miss their starts by some of it.

#include "orbit/orbit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 6, SETS = 4, ROUNDS = 12, SPREADS = 3 };

#define SHARE 0.05    // of the step, to either side
#define SURE 3.0      // times how far the answers of all sets differ
#define ROUNDED 4.0   // roundings of a number
#define ROUNDINGS 4.0 // of values of variables, that an orbit may miss its start by
#define LARGER 100.0  // times the rounding that is tried
#define NARROWER 0.1

// Orbits around the place. A row: test, parameter, period, start in the order of the columns.
typedef struct samples {
    double at[SAMPLES]; // along the branch, from the place on, in units of their distance
    double *rows;       // SAMPLES x width
    double *moved;      // 2 x width: by how much the first and the last row change with a gap
    double off[2];      // how far parameter and period of the place change with it
    uint32_t width;
} samples;

enum { TEST, PARAMETER, PERIOD, START };

// Which orbits are asked: all, and four of them.
static const bool ASKED[SETS][SAMPLES] = {{true, true, true, true, true, true},
                                          {false, true, true, true, true, false},
                                          {true, false, true, true, false, true},
                                          {true, true, false, false, true, true}};

// One entry of the rows by Lagrange's polynomial, as what it differs by from the third row.
static double look_at(const samples *in, const bool *asked, uint32_t entry, double at)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        double weight = asked[k] ? 1.0 : 0.0;
        for (uint32_t j = 0; j < SAMPLES; j++) {
            weight *= j != k && asked[j] ? (at - in->at[j]) / (in->at[k] - in->at[j]) : 1.0;
        }
        const double base = entry == TEST ? 0.0 : in->rows[2 * in->width + entry];
        sum += weight * (in->rows[k * in->width + entry] - base);
    }
    return sum;
}

// Where the test vanishes, by secants; NaN: nowhere near.
static double find_zero(const samples *in, const bool *asked)
{
    double before = -1.0;
    double at = 1.0;
    double value_before = look_at(in, asked, TEST, before);
    for (uint32_t k = 0; k < ROUNDS && at != before; k++) {
        const double value = look_at(in, asked, TEST, at);
        const double next = at - value * (at - before) / (value - value_before);
        before = at;
        value_before = value;
        at = value != 0.0 && isfinite(next) ? next : at;
    }
    return fabs(at) <= 1.0 ? at : (double)NAN;
}

// How steep an entry is, by a difference.
static double slope_of(const samples *in, uint32_t entry, double at)
{
    return 0.5 * (look_at(in, ASKED[0], entry, at + 1.0) - look_at(in, ASKED[0], entry, at - 1.0));
}

static double side_of(uint32_t k)
{
    return k < SAMPLES / 2 ? (double)k - 3.0 : (double)k - 2.0;
}

static rh_status take_one(rh_branch *branch, rh_branch_test test, const rh_aim *aim, double *row,
                          bool *out_is_there)
{
    uint32_t rounds = 0;
    RH_TRY(rh__branch_correct(branch, aim, &branch->middle, &rounds, out_is_there));
    row[TEST] = branch->middle.tests[test];
    row[PARAMETER] = branch->middle.parameter;
    row[PERIOD] = branch->middle.passage.time;
    memcpy(row + START, branch->middle.shown, branch->orbit->n * sizeof *row);
    return RH_OK;
}

// The first row or the last one with a gap, of which it is the change: signs of the gap alternate,
// or are all the same.
static rh_status take_moved(rh_branch *branch, rh_branch_test test, double place, double distance,
                            uint32_t which, samples *out, bool *out_is_there)
{
    const uint32_t n = branch->orbit->n;
    const uint32_t k = which == 0 ? 0 : SAMPLES - 1;
    const rh_aim aim = {.from = &branch->last, .length = place + side_of(k) * distance};
    double *moved = out->moved + (size_t)which * out->width;
    for (uint32_t i = 0; i < n; i++) {
        const double size = LARGER * ROUNDINGS * DBL_EPSILON * branch->last.passage.most[i];
        branch->gap[i] = which == 0 && i % 2 == 1 ? -size : size;
    }
    const rh_status status = take_one(branch, test, &aim, moved, out_is_there);
    memset(branch->gap, 0, n * sizeof *branch->gap);
    for (uint32_t e = 0; e < START; e++) {
        moved[e] = (moved[e] - out->rows[(size_t)k * out->width + e]) / LARGER;
    }
    return status;
}

// Orbits at one, two and three times `distance` to both sides; false: not all are there.
static rh_status take(rh_branch *branch, rh_branch_test test, double place, double distance,
                      samples *out, bool *out_is_there)
{
    *out_is_there = true;
    for (uint32_t k = 0; k < SAMPLES && *out_is_there; k++) {
        const double side = side_of(k);
        const rh_aim aim = {.from = &branch->last, .length = place + side * distance};
        double *row = out->rows + (size_t)k * out->width;
        RH_TRY(take_one(branch, test, &aim, row, out_is_there));
        out->at[k] = (rh__branch_distance(branch, &branch->middle) - place) / distance;
        *out_is_there = *out_is_there && fabs(out->at[k] - side) < 0.1;
    }
    for (uint32_t k = 0; k < 2 && *out_is_there; k++) {
        RH_TRY(take_moved(branch, test, place, distance, k, out, out_is_there));
    }
    return RH_OK;
}

// How far the place moves with the gaps: the test is zero elsewhere, and what holds there changes.
static void weigh_gaps(samples *in, const double *zeros)
{
    in->off[0] = in->off[1] = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        const double *moved = in->moved + (size_t)k * in->width;
        const double rise = slope_of(in, TEST, zeros[0]);
        for (uint32_t e = 0; e < 2; e++) {
            const double along = slope_of(in, PARAMETER + e, zeros[0]) * moved[TEST] / rise;
            in->off[e] = fmax(in->off[e], fabs(moved[PARAMETER + e] - along));
        }
    }
}

// How far one entry may be off: what all sets make of it.
static double bar_of(const samples *in, const double *zeros, uint32_t entry)
{
    const double base = in->rows[2 * in->width + entry];
    const double best = look_at(in, ASKED[0], entry, zeros[0]);
    double most = 0.0;
    for (uint32_t k = 1; k < SETS; k++) {
        most = fmax(most, fabs(look_at(in, ASKED[k], entry, zeros[k]) - best));
    }
    const double off = SURE * most + in->off[entry - PARAMETER];
    return off == 0.0 ? 0.0 : off + ROUNDED * DBL_EPSILON * fabs(base + best);
}

static void keep(const samples *in, const double *zeros, uint32_t n, rh_branch_place *out)
{
    double *const numbers[] = {&out->parameter, &out->period};
    double *const bars[] = {&out->width, &out->period_error};
    for (uint32_t k = 0; k < 2; k++) {
        const double base = in->rows[2 * in->width + PARAMETER + k];
        *numbers[k] = base + look_at(in, ASKED[0], PARAMETER + k, zeros[0]);
        *bars[k] = bar_of(in, zeros, PARAMETER + k);
    }
    for (uint32_t i = 0; i < n; i++) {
        out->start[i] =
            in->rows[2 * in->width + START + i] + look_at(in, ASKED[0], START + i, zeros[0]);
    }
    out->is_sharp = true;
}

// The orbit at the place, whose multipliers are told; where branches meet it may be another one.
static rh_status stand_there(rh_branch *branch, double along)
{
    const rh_aim aim = {.from = &branch->last, .length = along};
    rh_branch_place *out = &branch->place;
    uint32_t rounds = 0;
    RH_TRY(rh__branch_correct(branch, &aim, &branch->middle, &rounds, &out->has_orbit));
    out->has_orbit = out->has_orbit && fabs(branch->middle.parameter - out->parameter) <=
                                           out->width + branch->def.resolution * branch->span;
    return RH_OK;
}

rh_status rh__branch_sharpen(rh_branch *branch, rh_branch_test test, double place, double step)
{
    const uint32_t n = branch->orbit->n;
    rh_branch_place *out = &branch->place;
    samples in = {.width = n + START};
    const rh_mark mark = rh__arena_mark(&branch->scratch);
    in.rows = rh__arena_array(&branch->scratch, double, (size_t)SAMPLES *in.width);
    in.moved = rh__arena_array(&branch->scratch, double, (size_t)2 * in.width);
    if (in.rows == NULL || in.moved == NULL) {
        return branch->scratch.status;
    }
    const double enough = branch->def.resolution * branch->span;
    double distance = SHARE * step / 3.0;
    double along = place;
    bool is_there = true;
    out->is_sharp = out->has_orbit = false;
    for (uint32_t k = 0; k < SPREADS && is_there && !(out->is_sharp && out->width <= enough); k++) {
        double zeros[SETS];
        RH_TRY(take(branch, test, place, distance, &in, &is_there));
        bool has_zeros = is_there;
        for (uint32_t s = 0; s < SETS; s++) {
            zeros[s] = is_there ? find_zero(&in, ASKED[s]) : (double)NAN;
            has_zeros = has_zeros && isfinite(zeros[s]);
        }
        if (has_zeros) {
            weigh_gaps(&in, zeros);
        }
        if (has_zeros && (!out->is_sharp || bar_of(&in, zeros, PARAMETER) < out->width)) {
            keep(&in, zeros, n, out);
            along = place + zeros[0] * distance;
        }
        distance *= NARROWER;
    }
    rh__arena_rewind(&branch->scratch, mark);
    return out->is_sharp ? stand_there(branch, along) : RH_OK;
}
