// SPDX-License-Identifier: Apache-2.0
// Series of tangents: the Taylor coefficients of x' = f(t, x) and v' = (df/dx) v together, order by
// order through a tangent tape. As exact as the series of the motion itself.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { LOOK = 3 }; // orders at the end of series that tell how long they are good for

static rh_status make_tape(const rh_fan_def *from, rh_fan *fan, rh_arena *scratch, rh_error *err)
{
    uint32_t *active = rh__arena_array(scratch, uint32_t, (size_t)fan->n + 1);
    if (active == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < fan->n; k++) {
        active[k] = 1 + k;
    }
    const rh_tangent_def def = {.direction_count = fan->directions,
                                .active = active,
                                .active_count = fan->n,
                                .seed = from->seed,
                                .user = from->user};
    return rh__tape_tangent(from->tape, &def, &fan->tape, err);
}

rh_status rh__fan_create(const rh_fan_def *def, rh_allocator allocator, rh_fan *out, rh_error *err)
{
    RH_ASSERT(def->n <= def->tape->output_count && def->n < def->tape->input_count);
    RH_ASSERT(def->order >= LOOK);
    *out = (rh_fan){.n = def->n,
                    .outputs = def->tape->output_count,
                    .directions = def->directions,
                    .order = def->order};
    rh_arena scratch = rh__arena_begin(allocator, SIZE_MAX);
    rh_status status = make_tape(def, out, &scratch, err);
    rh__arena_end(&scratch);
    if (status == RH_OK) {
        status = rh__tape_state_create(out->tape, def->order, allocator, &out->state);
    }
    if (status != RH_OK) {
        rh__fan_destroy(out);
    }
    return status;
}

void rh__fan_destroy(rh_fan *fan)
{
    rh__tape_state_destroy(fan->state);
    rh__tape_destroy(fan->tape);
    *fan = (rh_fan){.n = 0};
}

// The first tangent of direction d among the inputs, which stand behind all inputs of the old tape.
static uint32_t first_of(const rh_fan *fan, uint32_t d)
{
    RH_ASSERT(d < fan->directions || fan->directions == 0);
    return fan->tape->input_count - (fan->directions - d) * fan->n;
}

// The next coefficient of everything that moves, from the rates.
static void integrate(const rh_fan *fan, uint32_t k)
{
    RH_ASSERT(k < fan->order);
    double *next = rh__jet_row(fan->state, k + 1);
    const double factor = 1.0 / (k + 1);
    next[0] = k == 0 ? 1.0 : 0.0;
    for (uint32_t i = 0; i < fan->n; i++) {
        next[1 + i] = rh__tape_output(fan->state, i, k) * factor;
    }
    for (uint32_t d = 0; d < fan->directions; d++) {
        const uint32_t outputs = fan->outputs * (1 + d);
        double *column = next + first_of(fan, d);
        for (uint32_t i = 0; i < fan->n; i++) {
            column[i] = rh__tape_output(fan->state, outputs + i, k) * factor;
        }
    }
}

// Coefficient k of x and of all tangents, relative to what they are.
static double size_of(const rh_fan *fan, uint32_t k, const double *weights)
{
    const double *row = rh__jet_row(fan->state, k);
    const double *first = rh__jet_row(fan->state, 0);
    double size = 0.0;
    for (uint32_t i = 0; i < fan->n; i++) {
        size = fmax(size, fabs(row[1 + i]) / fmax(fan->sizes[i], fabs(first[1 + i])));
    }
    for (uint32_t d = 0; d < fan->directions; d++) {
        for (uint32_t i = 0; i < fan->n; i++) {
            const double part = fabs(row[first_of(fan, d) + i]) / fan->sizes[i];
            size = fmax(size, part * weights[d]);
        }
    }
    return size;
}

// The largest value of an output over a length, by its series.
static double size_over(const rh_fan *fan, uint32_t output, double length)
{
    enum { POINTS = 4 };
    double size = 0.0;
    for (uint32_t j = 0; j <= POINTS; j++) {
        const double s = length * j / POINTS;
        double value = 0.0;
        for (uint32_t k = fan->order; k-- > 0;) {
            value = value * s + rh__tape_output(fan->state, output, k);
        }
        size = fmax(size, fabs(value));
    }
    return size;
}

// How long the integral of an output along the way, or of a tangent of it, is known from its
// series: relative to its own size over that length.
static double limit_by(const rh_fan *fan, uint32_t output, double tolerance, double length)
{
    RH_ASSERT(fan->order >= LOOK && tolerance > 0.0);
    enum { ROUNDS = 8 };
    double own = length;
    double last = INFINITY;
    for (uint32_t round = 0; round < ROUNDS && own < 0.9 * last; round++) {
        const double size = tolerance * own * size_over(fan, output, own);
        last = own;
        for (uint32_t k = fan->order - LOOK + 1; k <= fan->order; k++) {
            const double term = fabs(rh__tape_output(fan->state, output, k - 1)) / k;
            own = term > 0.0 ? fmin(own, pow(size / term, 1.0 / k)) : own;
            own = isfinite(term) ? own : (double)NAN;
        }
    }
    return own;
}

static double limit_by_integrals(const rh_fan *fan, double tolerance, double length)
{
    double least = length;
    for (uint32_t d = 0; isfinite(length) && d <= fan->directions; d++) {
        for (uint32_t j = 0; j < fan->integral_count; j++) {
            const double own = limit_by(fan, fan->outputs * d + fan->n + j, tolerance, length);
            least = own <= least ? own : isnan(own) ? own : least;
        }
    }
    return least;
}

void rh__fan_slopes(rh_fan *fan, double time, const double *x, const double *seeds)
{
    double *row = rh__jet_row(fan->state, 0);
    const size_t size = (size_t)fan->n * fan->directions * sizeof *seeds;
    row[0] = time;
    memcpy(row + 1, x, fan->n * sizeof *x);
    memcpy(row + first_of(fan, 0), seeds, size);
    for (uint32_t k = 0; k < fan->order; k++) {
        rh__jet_order(fan->state, k);
        integrate(fan, k);
        memset(rh__jet_row(fan->state, k + 1) + first_of(fan, 0), 0, size);
    }
}

double rh__fan_slope(const rh_fan *fan, uint32_t output, uint32_t direction, uint32_t k)
{
    RH_ASSERT(output < fan->outputs && direction < fan->directions && k < fan->order);
    return rh__tape_output(fan->state, fan->outputs * (1 + direction) + output, k);
}

double rh__fan_expand(rh_fan *fan, double time, const double *x, const double *v, double tolerance)
{
    enum { MOST = 64 };
    double *row = rh__jet_row(fan->state, 0);
    double weights[MOST];
    RH_ASSERT(fan->directions <= MOST);
    row[0] = time;
    memcpy(row + 1, x, fan->n * sizeof *x);
    memcpy(row + first_of(fan, 0), v, (size_t)fan->n * fan->directions * sizeof *v);
    for (uint32_t d = 0; d < fan->directions; d++) {
        double largest = 0.0;
        for (uint32_t i = 0; i < fan->n; i++) {
            largest = fmax(largest, fabs(v[(size_t)d * fan->n + i]) / fan->sizes[i]);
        }
        weights[d] = largest > 0.0 ? 1.0 / largest : 0.0;
    }
    for (uint32_t k = 0; k < fan->order; k++) {
        if (k == 0) {
            rh__tape_run(fan->state);
        } else {
            rh__jet_order(fan->state, k);
        }
        integrate(fan, k);
    }
    double length = INFINITY;
    for (uint32_t k = fan->order - LOOK + 1; k <= fan->order; k++) {
        const double size = size_of(fan, k, weights);
        length = size > 0.0 ? fmin(length, pow(tolerance / size, 1.0 / k)) : length;
        length = isfinite(size) ? length : (double)NAN;
    }
    return limit_by_integrals(fan, tolerance, length);
}

static double value_at(const rh_fan *fan, uint32_t slot, double length)
{
    double sum = 0.0;
    for (uint32_t k = fan->order + 1; k-- > 0;) {
        sum = sum * length + rh__jet_row(fan->state, k)[slot];
    }
    return sum;
}

void rh__fan_reach(const rh_fan *fan, double length, double *x, double *v)
{
    for (uint32_t i = 0; x != NULL && i < fan->n; i++) {
        x[i] = value_at(fan, 1 + i, length);
    }
    for (uint32_t d = 0; v != NULL && d < fan->directions; d++) {
        for (uint32_t i = 0; i < fan->n; i++) {
            v[(size_t)d * fan->n + i] = value_at(fan, first_of(fan, d) + i, length);
        }
    }
}

double rh__fan_integral(const rh_fan *fan, uint32_t index, uint32_t direction, double length)
{
    RH_ASSERT(index < fan->outputs && direction <= fan->directions);
    double sum = 0.0;
    for (uint32_t k = fan->order; k-- > 0;) {
        sum = sum * length +
              rh__tape_output(fan->state, fan->outputs * direction + index, k) / (k + 1);
    }
    return sum * length;
}
