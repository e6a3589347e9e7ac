// SPDX-License-Identifier: Apache-2.0
// Taylor steps: the series of x at the present point, and how far it can be
// trusted. With the last coefficients c_m, h = min (tolerance / |c_m|)^(1/m),
// sizes relative to the units of the variables (unit.c).

#include "motion/motion.h"

#include <math.h>
#include <string.h>

enum { LEAST_ORDER = 8 };

#define LEAST_SHARE 1e-12 // of the time: shorter steps show no contradiction of the constraints

// The size of a number as a whole number: these are compared in vectors.
static inline int64_t bits_of_size(double x)
{
    int64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}

static inline double size_of_bits(int64_t bits)
{
    double size = 0.0;
    memcpy(&size, &bits, sizeof size);
    return size;
}

// 1 / unit, by component.
static RH_WIDE void find_shares(uint32_t n, const double *unit, double *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = 1.0 / (unit[i] > RH_UNIT_NONE ? unit[i] : RH_UNIT_NONE);
    }
}

// The same, by what is more than rounding of the rates; what was always zero has no share.
static void find_true_shares(const rh_motion *motion, const double *x)
{
    for (uint32_t i = 0; i < motion->n; i++) {
        motion->slope[i] = motion->unit[i] > 0.0 ? 1.0 / rh__unit_size(motion, i, x[i]) : 0.0;
    }
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// The largest part of one coefficient.
static inline int64_t most_of(uint32_t n, const double *row, const double *share)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        most = larger(bits_of_size(row[i] * share[i]), most);
    }
    return most;
}

// The largest parts of some coefficients; the last first, which were made last.
static RH_WIDE void find_largest(uint32_t n, const double *rows, size_t pitch, uint32_t count,
                                 const double *share, double *out)
{
    for (uint32_t k = count; k-- > 0;) {
        out[k] = size_of_bits(most_of(n, rows + k * pitch, share));
    }
}

// Coefficients k + 1 and k + 2 of a ladder, from order k of what they are made of.
static inline void climb(const rh_series_run *run, const double *source, uint32_t k,
                         const double *share, int64_t *sizes)
{
    const double factor = 1.0 / (double)(k + 1);
    const double next = 1.0 / (double)(k + 2);
    const double *share_rate = share + run->rate;
    const double *share_own = share + run->first;
    const uint32_t count = run->count;
    int64_t most = 0;
    int64_t most_next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double c = source[i] * factor;
        most = larger(bits_of_size(c * share_rate[i]), most);
        most_next = larger(bits_of_size(c * next * share_own[i]), most_next);
    }
    sizes[k + 1] = larger(most, sizes[k + 1]);
    sizes[k + 2] = larger(most_next, sizes[k + 2]);
}

// The same for rows that are lent, by runs: of ladders one row of three is read.
static RH_WIDE void find_sizes_by_runs(const rh_series *series, const double *share, double *out)
{
    RH_ASSERT(series->degree <= RH_SERIES_ORDER);
    int64_t sizes[RH_SERIES_ORDER + 3] = {0};
    for (uint32_t k = series->degree + 1; k-- > 0;) {
        const double *row = series->rows + k * series->pitch;
        for (uint32_t r = 0; r < series->run_count; r++) {
            const rh_series_run *run = &series->runs[r];
            if (run->is_ladder && k < series->degree) {
                climb(run, row + run->source, k, share, sizes);
            }
            if (run->is_ladder && k == 0) { // order 1 of the one is order 0 of the other
                const double *rate = row + run->rate;
                sizes[0] = larger(most_of(run->count, rate, share + run->rate), sizes[0]);
                sizes[1] = larger(most_of(run->count, rate, share + run->first), sizes[1]);
            }
            if (!run->is_ladder || k == 0) {
                const double *own = row + run->first;
                sizes[k] = larger(most_of(run->count, own, share + run->first), sizes[k]);
            }
        }
    }
    for (uint32_t k = 0; k <= series->degree; k++) {
        out[k] = size_of_bits(sizes[k]);
    }
}

// Copy short rows that lie a pitch apart, as pieces of one size: what is too much of a piece is
// written over by the next row, and the last has room behind it. False: some are not finite.
static RH_WIDE bool copy_short_rows(uint32_t count, uint32_t n, const double *rows, size_t pitch,
                                    double *out)
{
    RH_ASSERT(n <= RH_SERIES_PIECE && pitch > RH_SERIES_PIECE);
    int64_t most[RH_SERIES_PIECE] = {0};
    for (uint32_t k = 0; k < count; k++) {
        double piece[RH_SERIES_PIECE];
        memcpy(piece, rows + k * pitch, sizeof piece);
        for (uint32_t i = 0; i < RH_SERIES_PIECE; i++) {
            const int64_t bits = bits_of_size(piece[i]);
            most[i] = bits > most[i] ? bits : most[i];
        }
        memcpy(out + (size_t)k * n, piece, sizeof piece);
    }
    bool is_finite = true;
    for (uint32_t i = 0; i < n; i++) {
        is_finite = is_finite && isfinite(size_of_bits(most[i]));
    }
    return is_finite;
}

bool rh__taylor_may_lend(const rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    return motion->n > RH_SERIES_PIECE && tape->switch_count + tape->hold_count == 0;
}

// The series at the present point; how many of its coefficients, from the first one on, are finite.
static uint32_t make_series(rh_motion *motion)
{
    rh_series *series = &motion->series;
    RH_ASSERT(motion->order <= motion->step->order && motion->order <= RH_SERIES_ORDER);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    series->begin = motion->t;
    series->degree = motion->order;
    const double *rows = rh__jet_row(motion->step, 0) + 1;
    const size_t pitch = motion->step->stride;
    const uint32_t count = motion->order + 1;
    const bool is_short = motion->n <= RH_SERIES_PIECE && pitch > RH_SERIES_PIECE;
    if (is_short && copy_short_rows(count, motion->n, rows, pitch, rh__series_begin(series))) {
        return count;
    }
    series->rows = rows;
    series->pitch = pitch;
    series->lender = motion->step;
    find_shares(motion->n, motion->unit, motion->slope);
    if (rh__taylor_may_lend(motion)) {
        find_sizes_by_runs(series, motion->slope, series->sizes);
    } else {
        rh__jet_fill(motion->step);
        rh__series_keep(series);
        find_largest(motion->n, rows, pitch, count, motion->slope, series->sizes);
    }
    uint32_t finite = 0;
    while (finite < count && isfinite(series->sizes[finite])) {
        finite++;
    }
    return finite;
}

bool rh__taylor_series(rh_motion *motion)
{
    rh_series_kernel *kernel = motion->step->kernel;
    uint32_t finite = make_series(motion);
    if (finite <= motion->order && kernel != NULL) {
        // compiled text does not know what the zero of a base makes of a power
        motion->step->kernel = NULL;
        motion->step->ready = 0;
        finite = make_series(motion);
        motion->step->kernel = kernel;
    }
    // near a singularity, or where time is measured in years, high coefficients are too large
    if (finite <= motion->order && finite > LEAST_ORDER) {
        motion->series.degree = motion->order = finite - 1;
    }
    return finite > motion->order;
}

#define MOST_POWER 900.0
enum { LOOK = 3 }; // series of even or odd functions have gaps

// The exponent of a positive size: its logarithm to base 2, rounded down.
static inline double exponent_of(double size)
{
    return (double)(int32_t)(bits_of_size(size) >> 52) - 1023.0;
}

double rh__taylor_exponent(double size)
{
    return exponent_of(size);
}

// Logarithms and powers to base 2, to three digits, by the same operations as in compiled steps
// (tape/glide.c): both take the same steps.
static inline double logarithm(double size)
{
    const double exponent = exponent_of(size);
    uint64_t bits = 0;
    memcpy(&bits, &size, sizeof bits);
    bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
    double u = 0.0;
    memcpy(&u, &bits, sizeof u);
    u -= 1.0;
    return exponent + u * (1.42286530448213 + u * (-0.58208536795165 + u * 0.15922006346952));
}

double rh__taylor_logarithm(double size)
{
    return logarithm(size);
}

// Between -1000 and 1000: rounding and the power of two are done by bits.
static double power(double y)
{
    const double shifted = y + 0x1.8p52;
    const double whole = shifted - 0x1.8p52;
    const double f = y - whole;
    const uint64_t bits = (uint64_t)((int64_t)whole + 1023) << 52;
    double scale = 0.0;
    memcpy(&scale, &bits, sizeof scale);
    return rh__unit_rounded(
        scale * (1.0 + f * (0.69314718 + f * (0.240226507 + f * (0.0558 + f * 0.0096)))));
}

// Logarithms of small numbers to base 2; orders are below 40.
static const double LOGARITHM[RH_SERIES_ORDER + 1] = {
    0,        0,        1,        1.584963, 2,        2.321928, 2.584963, 2.807355,
    3,        3.169925, 3.321928, 3.459432, 3.584963, 3.70044,  3.807355, 3.906891,
    4,        4.087463, 4.169925, 4.247928, 4.321928, 4.392317, 4.459432, 4.523562,
    4.584963, 4.643856, 4.70044,  4.754888, 4.807355, 4.857981, 4.906891, 4.954196,
    5,        5.044394, 5.087463, 5.129283, 5.169925, 5.209453, 5.247928, 5.285402};

// What the last coefficients allow, unless those before them say that there is a wider gap: at a
// symmetric point all but every tenth may vanish, say. From a third of the order p on, size |c_m|
// foretells |c_m|^(p/m) for order p, and a length; with factorials in the coefficients, as in a
// series that converges everywhere, it may be p/m times as much. Beyond that there is a gap.
typedef struct outlook {
    double tolerance; // to base 2
    double shift;     // its exponent, by order
    double length;    // by the last coefficients, to base 2
    double foretold;  // by those before them, to base 2
    double beyond;    // the same with factorials
    uint32_t order;
} outlook;

static outlook look_out(double tolerance, uint32_t order)
{
    RH_ASSERT(tolerance > 0.0 && 0 < order && order <= RH_SERIES_ORDER);
    return (outlook){.tolerance = logarithm(tolerance),
                     .shift = exponent_of(tolerance) / order,
                     .length = INFINITY,
                     .foretold = INFINITY,
                     .beyond = INFINITY,
                     .order = order};
}

// Coefficient m has this size.
static void take_in(outlook *on, uint32_t m, double size)
{
    RH_ASSERT(0 < m && m <= on->order);
    if (m + LOOK > on->order && size > 0.0) {
        const double length = isinf(size) ? -INFINITY : (on->tolerance - logarithm(size)) / m;
        on->length = length < on->length ? length : on->length;
    } else if (m + LOOK <= on->order && size > 0.0) {
        const double foretold = -exponent_of(size) / m;
        const double beyond = foretold + RH_GLIDE_MARGIN + LOGARITHM[on->order] - LOGARITHM[m];
        on->foretold = foretold < on->foretold ? foretold : on->foretold;
        on->beyond = beyond < on->beyond ? beyond : on->beyond;
    }
}

// Can there be a gap below the last coefficients at all? Asked without quotients; `sizes` are those
// from coefficient `first` on.
static bool may_have_gap(const outlook *on, uint32_t first, const double *sizes)
{
    const double base = on->length - on->shift - RH_GLIDE_MARGIN - LOGARITHM[on->order] + 1e-9;
    bool may = !(fabs(base) < MOST_POWER);
    for (uint32_t m = first; m + LOOK <= on->order; m++) {
        may |= -exponent_of(sizes[m - first]) < m * (base + LOGARITHM[m]);
    }
    return may;
}

static double length_of(outlook *on, uint32_t first, const double *sizes)
{
    RH_ASSERT(LOOK <= on->order && first + LOOK <= on->order + 1);
    for (uint32_t m = on->order - LOOK + 1; m <= on->order; m++) {
        take_in(on, m, sizes[m - first]);
    }
    const bool may = may_have_gap(on, first, sizes);
    for (uint32_t m = first; may && m + LOOK <= on->order; m++) {
        take_in(on, m, sizes[m - first]);
    }
    const bool has_gap = on->beyond < 1000.0 && on->length > on->shift + on->beyond;
    const double length = has_gap ? on->shift + on->foretold : on->length;
    return length < -MOST_POWER ? 0.0 : length < MOST_POWER ? power(length) : INFINITY;
}

// The largest parts of short rows, as pieces of one size: behind a row stand parts of others, whose
// share is none.
static RH_WIDE void find_largest_short(uint32_t n, const double *rows, size_t pitch, uint32_t count,
                                       const double *share, double *out)
{
    RH_ASSERT(n <= RH_SERIES_PIECE);
    double own[RH_SERIES_PIECE] = {0.0};
    int64_t mask[RH_SERIES_PIECE] = {0};
    for (uint32_t i = 0; i < n; i++) {
        own[i] = share[i];
        mask[i] = INT64_MAX;
    }
    for (uint32_t k = 0; k < count; k++) {
        const double *row = rows + k * pitch;
        int64_t most = 0;
        for (uint32_t i = 0; i < RH_SERIES_PIECE; i++) {
            const int64_t bits = bits_of_size(row[i] * own[i]) & mask[i];
            most = bits > most ? bits : most;
        }
        out[k] = size_of_bits(most);
    }
}

// By the shares in `slope`: the sizes of `count` coefficients from order `first` on.
static void find_sizes(const rh_motion *motion, uint32_t first, uint32_t count, double *out)
{
    RH_ASSERT(first + count <= motion->step->order + 1);
    const rh_series *series = &motion->series;
    const uint32_t n = motion->n;
    const double *rows = rh__series_row(series, first);
    if (n <= RH_SERIES_PIECE) {
        find_largest_short(n, rows, series->pitch, count, motion->slope, out);
    } else {
        find_largest(n, rows, series->pitch, count, motion->slope, out);
    }
}

void rh__taylor_sizes(const rh_motion *motion, uint32_t count, double *out)
{
    RH_ASSERT(count <= motion->step->order + 1);
    rh__jet_fill(motion->step);
    const double *rows = rh__jet_row(motion->step, 0) + 1;
    const size_t pitch = motion->step->stride;
    find_true_shares(motion, rows);
    if (motion->n <= RH_SERIES_PIECE && pitch > RH_SERIES_PIECE) {
        find_largest_short(motion->n, rows, pitch, count, motion->slope, out);
    } else {
        find_largest(motion->n, rows, pitch, count, motion->slope, out);
    }
}

void rh__taylor_rates(const rh_motion *motion, double *out_first, double *out_second)
{
    const rh_series *series = &motion->series;
    double sizes[2] = {series->sizes[1], series->sizes[2]};
    if (motion->n <= RH_SERIES_PIECE) { // else they were found when the series was made
        find_shares(motion->n, motion->unit, motion->slope);
        find_sizes(motion, 1, 2, sizes);
    }
    *out_first = sizes[0];
    *out_second = sizes[1];
}

// Coefficients are finite, but may be too large beside a small unit: then the series ends before
// them.
static void drop_infinite(rh_motion *motion, uint32_t first, const double *sizes)
{
    uint32_t finite = first;
    while (finite <= motion->order && isfinite(sizes[finite - first])) {
        finite++;
    }
    if (finite <= motion->order && finite > LEAST_ORDER) {
        motion->series.degree = motion->order = finite - 1;
    }
}

static double find_length(rh_motion *motion)
{
    const rh_series *series = &motion->series;
    const uint32_t first = motion->order / 3;
    if (motion->n > RH_SERIES_PIECE) { // found when the series was made
        outlook on = look_out(motion->tolerance, motion->order);
        return length_of(&on, first, series->sizes + first);
    }
    double sizes[RH_SERIES_ORDER + 1] = {0.0};
    find_shares(motion->n, motion->unit, motion->slope);
    find_sizes(motion, first, motion->order + 1 - first, sizes);
    drop_infinite(motion, first, sizes);
    outlook on = look_out(motion->tolerance, motion->order);
    return length_of(&on, first, sizes);
}

// The same for one slot, whose terms have this size: an event function or a switching surface,
// known to order - 1, or as far as its coefficients are numbers: a steep one is looked at along the
// step (watched.c).
static double limit_by(const rh_motion *motion, const rh_tape_state *state, uint32_t slot,
                       double size, double length)
{
    uint32_t order = 0;
    while (order + 1 < motion->order && isfinite(rh__jet_row(state, order + 1)[slot])) {
        order++;
    }
    if (order + 1 < motion->order && order <= LEAST_ORDER) {
        return length;
    }
    outlook on = look_out(motion->tolerance, order);
    const uint32_t first = order / 3;
    double sizes[RH_SERIES_ORDER + 1] = {0.0};
    for (uint32_t m = first; m <= order && size > 0.0; m++) {
        sizes[m - first] = fabs(rh__jet_row(state, m)[slot]) / size;
    }
    return fmin(length, length_of(&on, first, sizes));
}

// A step is no longer than the series of what is watched along it can be trusted.
static double limit_by_watched(rh_motion *motion, double length)
{
    const rh_tape *step = motion->system->step;
    const uint32_t events = motion->equations->model->events.count;
    for (uint32_t k = 0; k < step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const uint32_t slot =
            it->is_sliding ? step->outputs[motion->n + motion->system->slides[it->slide].unknown]
                           : step->switches[k].surface;
        length = limit_by(motion, motion->step, slot, rh__unit_of_slot(motion, slot), length);
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const uint32_t slot = rh__gate_slot(motion, &motion->mode.gates[k]);
        length = limit_by(motion, motion->step, slot, rh__unit_of_slot(motion, slot), length);
    }
    if (events > 0) {
        rh__crossing_watch(motion);
    }
    for (uint32_t k = 0; k < events; k++) {
        length = limit_by(motion, motion->watch, motion->system->watch->outputs[k],
                          rh__unit_of_event(motion, k), length);
    }
    return length;
}

// The deviation of the series from the constraints after a while; and what the way back to them
// takes from the energy, which goes with its square.
static double deviation_at(rh_motion *motion, double length)
{
    const double t = motion->t + length;
    double residual = 0.0;
    double worst = 0.0;
    rh__series_value(&motion->series, t, motion->slope);
    memcpy(motion->x_try, motion->slope, motion->n * sizeof *motion->x_try);
    (void)rh__projector_apply(&motion->projector, t, motion->x_try, motion->mode.is_kept, &residual,
                              NULL);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = rh__unit_size(motion, i, motion->x[i]);
        const double share = fabs(motion->x_try[i] - motion->slope[i]) / size;
        worst = share <= worst || size == 0.0 ? worst : share;
    }
    return fmax(rh__projector_residual(&motion->projector, t, motion->slope, motion->mode.is_kept),
                worst * worst);
}

// At a singular configuration rates are those of the constraints that are left: they may lead away
// from the others, in the direction in which these will push back at once. A step is then no longer
// than it stays on all of them, as far as it begins on them: one-sided ones that were just met are
// so up to the place of the event.
static double limit_by_constraints(rh_motion *motion, double length)
{
    const double now =
        rh__projector_residual(&motion->projector, motion->t, motion->x, motion->mode.is_kept);
    const double level = fmax(fmax(motion->tolerance, 1e-14), 4.0 * now);
    const double least = LEAST_SHARE * (fabs(motion->t) + motion->unit_time);
    double share = 1.0;
    while (share * length > least && !(deviation_at(motion, share * length) <= level)) {
        share /= 2.0;
    }
    // what is missed from the beginning no length can help
    if (!(share * length > least) && now > level / 4.0) {
        return length;
    }
    if (share < 1.0) {
        motion->leap.count = 0; // the next steps are short for another reason than noise
    }
    return share * length;
}

// What the terms left out do to x, by the end of a step that is as long as it may be: each of the
// next coefficients has about the size of the tolerance there, its slope as many times as its
// order.
double rh__taylor_fineness(const rh_motion *motion)
{
    return (motion->cut > 0.0 ? 4.0 : 2.0 * motion->order_chosen) * fmax(motion->tolerance, 1e-14);
}

// --- passing the zero of a base ------------------------------------------------------------------
//
// Where the base of a root or of a power passes zero, as the depth of a contact with (-x)^1.5, the
// motion is as smooth as the exponent says and has no series. A step away from there has the first
// terms only, and is as short as it is true (truth.c). On the way there steps become ever
// shorter; the terms of the series fall to some order and then do not fall any more: when the terms
// behind that order are small at the surface where the condition changes, the step goes there.

enum { FIRST_TERMS = 2, TAIL = 3 };

// What is watched is known to the same degree as x: its jets go on behind it.
static rh_expansion cut_at(rh_motion *motion, uint32_t degree, double share)
{
    RH_ASSERT(0 < degree && degree < motion->order && 0.0 < share && share <= 1.0);
    motion->series.degree = degree;
    motion->order = degree + 1;
    motion->cut = share;
    if (motion->equations->model->events.count > 0) {
        rh__crossing_watch(motion);
    }
    return RH_EXPANSION_DONE;
}

static rh_expansion branch_off(rh_motion *motion)
{
    uint32_t finite = 0;
    while (finite <= FIRST_TERMS &&
           rh__vector_is_finite(motion->n, rh__series_row(&motion->series, finite))) {
        finite++;
    }
    return finite < 2 ? RH_EXPANSION_FAILED
                      : cut_at(motion, finite > FIRST_TERMS ? FIRST_TERMS : finite - 1, 1.0);
}

// Is a surface so near that no step can be told from the way there?
static bool is_at_surface(const rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    const double time = 1e-14 * fabs(motion->t);
    bool is_at = false;
    for (uint32_t k = 0; k < step->switch_count; k++) {
        const uint32_t slot = step->switches[k].surface;
        is_at = is_at || fabs(rh__jet_row(motion->step, 0)[slot]) <=
                             time * fabs(rh__jet_row(motion->step, 1)[slot]);
    }
    return is_at;
}

bool rh__taylor_is_at_branch(rh_motion *motion)
{
    const bool is_finite = rh__taylor_series(motion);
    const rh_tape_quality *quality = &motion->step->quality;
    if (quality->is_failed || quality->singular > 0) {
        return false;
    }
    return is_finite ? find_length(motion) < 1e-13 * fabs(motion->t) && is_at_surface(motion)
                     : quality->is_branched;
}

double rh__taylor_time_to_surface(const rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    double time = INFINITY;
    for (uint32_t k = 0; k < step->switch_count; k++) {
        const uint32_t slot = step->switches[k].surface;
        const double s = rh__jet_row(motion->step, 0)[slot];
        const double rate = rh__jet_row(motion->step, 1)[slot];
        const rh_condition *it = &motion->mode.conditions[k];
        if (!it->is_sliding && !it->is_lent && s * rate < 0.0) {
            time = fmin(time, -s / rate);
        }
    }
    return time;
}

bool rh__taylor_meet_surface(rh_motion *motion, double *length)
{
    const double moment = fmin(2e-15 * fabs(motion->t), *length);
    if (!(2.0 * rh__taylor_time_to_surface(motion) < moment)) {
        return false;
    }
    *length = moment;
    (void)cut_at(motion, 1, RH_TAYLOR_BEFORE);
    return true;
}

// The degree behind which a few terms are below the tolerance after `length`; 0: there is none.
static uint32_t degree_for(rh_motion *motion, double length)
{
    double power = length * length;
    uint32_t small = 0;
    find_shares(motion->n, motion->unit, motion->slope);
    for (uint32_t m = FIRST_TERMS + 1; m <= motion->order; m++) {
        power *= length;
        double size = 0.0;
        find_sizes(motion, m, 1, &size);
        small = power * size <= motion->tolerance ? small + 1 : 0;
        if (small == TAIL) {
            return m - TAIL;
        }
    }
    return 0;
}

// Cut the series so that it leads over the surface ahead, if its terms allow; the length.
static double reach_surface(rh_motion *motion, double own)
{
    const double time = rh__taylor_time_to_surface(motion);
    const double length = 1.01 * time;
    if (!(length > own && own > 0.1 * time)) {
        return own;
    }
    const uint32_t degree = degree_for(motion, length);
    if (degree == 0) {
        return own;
    }
    (void)cut_at(motion, degree, RH_TAYLOR_BEFORE);
    return length;
}

// --- the stepper -------------------------------------------------------------------------------

static rh_expansion expand_taylor(rh_motion *motion, double *length)
{
    const bool is_finite = rh__taylor_series(motion);
    const rh_tape_quality *quality = &motion->step->quality;
    const bool contradicts = quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT;
    if (!is_finite && quality->is_branched && !quality->is_failed && !contradicts) {
        return branch_off(motion);
    }
    if (!is_finite || quality->is_failed || contradicts) {
        return rh__leap_retreat(motion, motion->t) || rh__leap_look_closer(motion)
                   ? RH_EXPANSION_TAKEN_BACK
                   : RH_EXPANSION_FAILED;
    }
    double own = find_length(motion);
    if (own < RH_GLIDE_SHORT * motion->length_last && rh__unit_wake(motion)) {
        own = find_length(motion);
    }
    if (own < 1e-13 * fabs(motion->t) && is_at_surface(motion)) {
        return rh__taylor_meet_surface(motion, length) ? RH_EXPANSION_DONE : branch_off(motion);
    }
    if (!(own > 0.0)) {
        return RH_EXPANSION_FAILED;
    }
    const double chosen = rh__leap_length(motion, own, *length);
    if (chosen == 0.0) {
        return RH_EXPANSION_TAKEN_BACK;
    }
    const double left = *length;
    *length = chosen < left ? fmin(reach_surface(motion, chosen), left) : chosen;
    if (motion->cut > 0.0) {
        return RH_EXPANSION_DONE;
    }
    *length = limit_by_watched(motion, chosen);
    if (quality->singular > 0) {
        *length = limit_by_constraints(motion, *length);
    } else {
        motion->step->is_wary = false;
    }
    return RH_EXPANSION_DONE;
}

const rh_stepper rh__stepper_taylor = {
    .name = "taylor", .has_jets = true, .expand = expand_taylor, .retreat = rh__leap_retreat};
