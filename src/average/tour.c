// SPDX-License-Identifier: Apache-2.0
// Once round a generating orbit: from its start to where it crosses the plane through the start
// across the flow in the same direction and at the same place. On the way the rates of the
// restrictions along the released system are integrated, with their tangents. With X the tangents
// at the end of the period T and f the rate there,
//     dT = f . (dx(0) - X) / f . f,
// for orbits nearby close as well.

#include "average/average.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 20000 };

#define PRECISION 1e-16 // of series
#define CLOSED 1e-7     // how far from its start an orbit may come back, relative to its extent
#define STILL 1e-12     // a rate that is none, in sizes of variables over the pace of the motion
#define TINY 1e-5       // the extent of what is no orbit but a point
#define NOISE 1e-12     // relative rates of restrictions that are rounding
#define FLAT 1e-8       // changes of means over the box that are none
#define SLOW 1e-3       // of the largest speed: it may pass a point of rest
#define ROUNDING 1e-15  // of sizes of variables, on the way
#define ASIDE 1e-13     // of sizes of variables: where a second orbit begins
#define UNSURE 1e-9     // of the period, that rounding may move it by
#define ZERO 1e-6       // of the size of a variable: told as 0

rh_status rh__tour_reserve(const rh_average *average, rh_arena *arena, rh_tour *out)
{
    const size_t s = average->restrictions;
    const size_t slopes = s * average->unknowns;
    *out = (rh_tour){.reason = ""};
    out->start = rh__arena_array(arena, double, 2 * (size_t)average->n + 1);
    out->means = rh__arena_array(arena, double, 5 * s + 2 * slopes + 1);
    if (out->start == NULL || out->means == NULL) {
        return arena->status;
    }
    out->shown = out->start + average->n;
    out->constants = out->means + s;
    out->real = out->constants + s;
    out->imaginary = out->real + s;
    out->spans = out->imaginary + s;
    out->slopes = out->spans + s;
    out->gradients = out->slopes + slopes;
    return RH_OK;
}

void rh__tour_copy(const rh_average *average, const rh_tour *from, rh_tour *to)
{
    const size_t s = average->restrictions;
    to->is_closed = from->is_closed;
    to->is_void = from->is_void;
    to->period = from->period;
    to->residual = from->residual;
    to->extent = from->extent;
    to->reason = from->reason;
    memcpy(to->start, from->start, 2 * (size_t)average->n * sizeof *to->start);
    memcpy(to->means, from->means, (5 * s + 2 * s * average->unknowns) * sizeof *to->means);
}

// --- on the way ----------------------------------------------------------------------------------

typedef struct lap {
    rh_average *on;
    const double *centre; // the point whose return is waited for
    rh_tour *out;
    double time;
    double largest;          // distance from it so far
    double fastest, slowest; // speeds so far, in sizes of variables
} lap;

// How far x is beyond the plane, in units of the scale.
static double beyond(const lap *in, const double *x)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < in->on->n; i++) {
        const double scale = in->on->scale[i];
        sum += in->on->rate[i] / scale * (x[i] - in->centre[i]) / scale;
    }
    return sum;
}

static double away(const lap *in, const double *x)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < in->on->n; i++) {
        largest = fmax(largest, fabs(x[i] - in->centre[i]) / in->on->scale[i]);
    }
    return largest;
}

// What is beyond the plane after a while, by the series at hand, and how fast it grows.
static double look_ahead(const lap *in, double length, double *out_slope)
{
    const rh_fan *fan = &in->on->fan;
    double value = 0.0;
    *out_slope = 0.0;
    for (uint32_t i = 0; i < in->on->n; i++) {
        const double weight = in->on->rate[i] / (in->on->scale[i] * in->on->scale[i]);
        double sum = 0.0;
        double rise = 0.0;
        for (uint32_t k = fan->order + 1; k-- > 0;) {
            rise = rise * length + sum;
            sum = sum * length + rh__jet_row(fan->state, k)[1 + i];
        }
        value += weight * (sum - in->centre[i]);
        *out_slope += weight * rise;
    }
    return value;
}

// Where the series crosses the plane between 0 and `length`: halving first, then Newton's method.
static double find_crossing(const lap *in, double length)
{
    double low = 0.0;
    double high = length;
    double slope = 0.0;
    while (high - low > 1e-3 * length) {
        const double middle = 0.5 * (low + high);
        *(look_ahead(in, middle, &slope) < 0.0 ? &low : &high) = middle;
    }
    double at = 0.5 * (low + high);
    for (int k = 0; k < 10; k++) {
        const double value = look_ahead(in, at, &slope);
        const double next = at - value / slope;
        at = next > 0.0 && next < length ? next : at;
    }
    return at;
}

static void gather(lap *in, double length)
{
    rh_average *on = in->on;
    for (uint32_t j = 0; j < on->restrictions; j++) {
        on->sums[j] += rh__fan_integral(&on->fan, on->n + j, 0, length);
        on->sizes[j] = fmax(on->sizes[j], fabs(rh__tape_output(on->fan.state, on->n + j, 0)));
        for (uint32_t u = 0; u < on->unknowns; u++) {
            on->sum_slopes[(size_t)u * on->restrictions + j] +=
                rh__fan_integral(&on->fan, on->n + j, 1 + u, length);
        }
    }
    rh__fan_reach(&on->fan, length, on->x, on->v);
    for (uint32_t i = 0; i < on->n; i++) {
        on->went[i] = fmax(on->went[i], fabs(on->x[i] - in->centre[i]));
    }
    in->time += length;
}

// Where a step begins, whose series are at hand: how fast is it, and is it slower than ever?
static void note_speed(lap *in)
{
    rh_average *on = in->on;
    double speed = 0.0;
    for (uint32_t i = 0; i < on->n; i++) {
        speed = fmax(speed, fabs(rh__tape_output(on->fan.state, i, 0)) / on->scale[i]);
    }
    in->fastest = fmax(in->fastest, speed);
    if (speed < in->slowest) {
        in->slowest = speed;
        memcpy(on->slow, on->x, on->n * sizeof *on->slow);
    }
}

// Step by step until it is back; false when it does not come.
static bool go_round(lap *in, double span)
{
    rh_average *on = in->on;
    double before = beyond(in, on->x);
    for (uint32_t k = 0; k < MOST_STEPS && in->time < span && !rh__average_is_over(on); k++) {
        double length = rh__fan_expand(&on->fan, 0.0, on->x, on->v, PRECISION);
        if (!(length > 0.0)) {
            return false;
        }
        length = fmin(length, span);
        note_speed(in);
        rh__fan_reach(&on->fan, length, on->ahead, NULL);
        const double after = beyond(in, on->ahead);
        in->largest = fmax(in->largest, away(in, on->ahead));
        if (before < 0.0 && after >= 0.0) {
            const double at = find_crossing(in, length);
            rh__fan_reach(&on->fan, at, on->ahead, NULL);
            if (away(in, on->ahead) <= CLOSED * in->largest) {
                gather(in, at);
                return true;
            }
        }
        before = after;
        gather(in, length);
    }
    return false;
}

// --- the orbit -----------------------------------------------------------------------------------

static void set_out(rh_average *on, const double *start)
{
    memcpy(on->x, start, on->n * sizeof *start);
    memset(on->v, 0, (size_t)on->n * on->fan.directions * sizeof *on->v);
    for (uint32_t u = 0; u < on->unknowns; u++) {
        on->v[(size_t)u * on->n + on->sides[u].variable] = 1.0;
    }
    memset(on->went, 0, on->n * sizeof *on->went);
    for (uint32_t j = 0; j < on->restrictions; j++) {
        on->sums[j] = on->sizes[j] = 0.0;
    }
    for (uint32_t k = 0; k < on->restrictions * on->unknowns; k++) {
        on->sum_slopes[k] = 0.0;
    }
}

// Rates, constants and their gradients at a point.
static double look(rh_average *on, const double *x, rh_tour *out)
{
    const rh_fan *fan = &on->fan;
    double fastest = 0.0;
    (void)rh__fan_expand(&on->fan, 0.0, x, on->v, PRECISION);
    for (uint32_t i = 0; i < on->n; i++) {
        on->rate[i] = rh__tape_output(fan->state, i, 0);
        fastest = fmax(fastest, fabs(on->rate[i]) / on->scale[i]);
    }
    for (uint32_t j = 0; out != NULL && j < on->restrictions; j++) {
        const uint32_t index = on->n + on->restrictions + j;
        out->constants[j] = rh__tape_output(fan->state, index, 0) + on->offsets[j];
        double span = 0.0;
        for (uint32_t u = 0; u < on->unknowns; u++) {
            const double slope = rh__tape_output(fan->state, fan->outputs * (1 + u) + index, 0);
            out->gradients[(size_t)u * on->restrictions + j] = slope;
            span += fabs(slope) * on->scale[on->sides[u].variable];
        }
        out->spans[j] = fmax(span, fabs(out->constants[j]));
    }
    return fastest;
}

// dT for each unknown, times the rate of each restriction at the start, and what the means are.
static void conclude(const lap *in, const double *drifts)
{
    const rh_average *on = in->on;
    rh_tour *out = in->out;
    const double T = in->time;
    double square = 0.0;
    bool is_finite = true;
    for (uint32_t i = 0; i < on->n; i++) {
        square += on->rate[i] / on->scale[i] * on->rate[i] / on->scale[i];
    }
    out->period = T;
    out->residual = 0.0;
    for (uint32_t j = 0; j < on->restrictions; j++) {
        out->means[j] = -on->sums[j] / T;
        // what a restriction changes by rounding is no reaction
        const double noise = NOISE * out->spans[j] * on->fastest;
        if (on->sizes[j] > noise) {
            out->residual = fmax(out->residual, fabs(out->means[j]) / on->sizes[j]);
        }
        is_finite = is_finite && isfinite(out->means[j]) && isfinite(on->sizes[j]);
    }
    out->residual = is_finite ? out->residual : (double)NAN;
    for (uint32_t u = 0; u < on->unknowns; u++) {
        double longer = 0.0;
        for (uint32_t i = 0; i < on->n; i++) {
            const double start = i == on->sides[u].variable ? 1.0 : 0.0;
            longer += on->rate[i] / (on->scale[i] * on->scale[i]) *
                      (start - on->v[(size_t)u * on->n + i]);
        }
        longer /= square;
        for (uint32_t j = 0; j < on->restrictions; j++) {
            const size_t at = (size_t)u * on->restrictions + j;
            out->slopes[at] =
                -(on->sum_slopes[at] + drifts[j] * longer + out->means[j] * longer) / T;
        }
    }
}

// Do the means vanish, and stay so over the whole box as far as slopes tell?
static bool is_void(const rh_average *on, const rh_tour *tour)
{
    bool found = tour->residual <= on->def.tolerance && on->unknowns > 0;
    for (uint32_t j = 0; found && j < on->restrictions; j++) {
        const double noise = NOISE * tour->spans[j] * on->fastest;
        for (uint32_t u = 0; u < on->unknowns; u++) {
            const double change = fabs(tour->slopes[(size_t)u * on->restrictions + j]) *
                                  (on->sides[u].high - on->sides[u].low);
            found = found && change <= fmax(FLAT * on->sizes[j], noise);
        }
    }
    return found;
}

// Variables are as large as they were on any orbit.
static void grow(rh_average *on, const double *start)
{
    for (uint32_t i = 0; i < on->n; i++) {
        const double size = fmax(on->went[i], fabs(start[i]));
        on->scale[i] = isfinite(size) ? fmax(on->scale[i], size) : on->scale[i];
    }
}

// An orbit that passes a point of rest: does one that begins a little aside take another time? On a
// separatrix rounding decides about it.
static bool is_certain(rh_average *on, const rh_tour *tour)
{
    rh_random random = rh__random_begin(7);
    double *aside = on->aside;
    for (uint32_t i = 0; i < on->n; i++) {
        const double share = rh__random_bits(&random) % 2 == 0 ? -ASIDE : ASIDE;
        aside[i] = tour->start[i] + share * on->scale[i];
    }
    lap in = {.on = on, .centre = aside, .slowest = 0.0};
    set_out(on, aside);
    (void)look(on, aside, NULL);
    const double blur =
        go_round(&in, on->def.span) ? fabs(in.time - tour->period) * (ROUNDING / ASIDE) : INFINITY;
    return blur <= UNSURE * tour->period;
}

// "it tends to the equilibrium xi = 0, p = 0 ..."
static rh_status name_rest(rh_average *on, const char **out)
{
    rh_text text = rh__text_begin(&on->arena, NULL);
    rh__text_put(&text, "it tends to the equilibrium ");
    for (uint32_t k = 0; k < on->n; k++) {
        const uint32_t i = on->order[k];
        const double value = fabs(on->slow[i]) < ZERO * on->scale[i] ? 0.0 : on->slow[i];
        rh__text_format(&text, "%s%s = %.6g", k > 0 ? ", " : "", on->names[i], value);
    }
    rh__text_put(&text, " and does not return, as far as rounding can tell: it lies on a "
                        "separatrix, or too near to one");
    *out = rh__text_print(&on->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    return on->arena.status;
}

rh_status rh__tour_run(rh_average *average, const double *start, rh_tour *out)
{
    lap in = {.on = average, .centre = out->start, .out = out, .slowest = INFINITY};
    memmove(out->start, start, average->n * sizeof *start);
    for (uint32_t k = 0; k < average->n; k++) {
        out->shown[k] = out->start[average->order[k]];
    }
    out->is_closed = out->is_void = false;
    out->period = out->residual = (double)NAN;
    set_out(average, out->start);
    const double fastest = average->fastest = look(average, out->start, out);
    if (!isfinite(fastest)) {
        out->reason = "the equations have no value at its start";
        return RH_OK;
    }
    if (fastest * average->pace < STILL) {
        out->reason = "it is a point of rest";
        return RH_OK;
    }
    for (uint32_t j = 0; j < average->restrictions; j++) {
        average->drifts[j] = rh__tape_output(average->fan.state, average->n + j, 0);
    }
    out->is_closed = go_round(&in, average->def.span);
    out->extent = in.largest;
    out->reason = average->over != NULL ? average->over
                  : !out->is_closed     ? "it does not come back to its start"
                  : out->extent < TINY  ? "it shrinks to a point of rest"
                                        : "";
    out->is_closed = out->is_closed && out->extent >= TINY;
    if (out->is_closed) {
        grow(average, out->start);
        conclude(&in, average->drifts);
        out->is_void = is_void(average, out);
    }
    if (out->is_closed && in.slowest < SLOW * in.fastest && !is_certain(average, out) &&
        average->over == NULL) {
        out->is_closed = out->is_void = false;
        out->period = out->residual = (double)NAN;
        RH_TRY(name_rest(average, &out->reason));
    }
    return RH_OK;
}

bool rh__tour_passes(rh_average *average, const double *start, double period, const double *point)
{
    lap in = {.on = average, .centre = point, .out = NULL};
    set_out(average, point);
    (void)look(average, point, NULL);
    set_out(average, start);
    in.largest = away(&in, start);
    // at the point itself it would be there at once
    return in.largest < CLOSED || go_round(&in, 1.1 * period);
}
