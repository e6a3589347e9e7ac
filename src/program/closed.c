// SPDX-License-Identifier: Apache-2.0
// The small system of one or two variables with constant coefficients, in closed form however stiff
// it is: z = C z0 + S (P - s) z0, s being half the sum of the roots, C and S those solutions of the
// equation of the roots that start with 1, 0 and 0, 1 beside the factor exp(s t).

#include "program/program.h"

#include <math.h>

#define LITTLE 1e-13 // a rate at the start that is rounding

typedef struct roots {
    double middle, half; // of the real parts; half the distance of two real roots
    double wave;         // of a pair; 0: they are real
} roots;

static roots roots_of(const rh_program *program, const rh_program_stream *stream)
{
    const rh_program_root *r = program->roots.data + stream->part->root;
    if (stream->count == 1) {
        return (roots){r[0].real, 0.0, 0.0};
    }
    return r[0].imaginary != 0.0
               ? (roots){r[0].real, 0.0, fabs(r[0].imaginary)}
               : (roots){r[0].real / 2.0 + r[1].real / 2.0, fabs(r[0].real - r[1].real) / 2.0, 0.0};
}

// (P z0)_i and ((P - s) z0)_i.
static void rates_of(const rh_program *program, const rh_program_stream *stream, double middle,
                     uint32_t i, double *out_rate, double *out_rest)
{
    const uint32_t n = stream->count;
    *out_rate = 0.0;
    *out_rest = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        const double p = stream->part->matrix[i + (size_t)j * n];
        *out_rate += p * program->z[stream->index[j]];
        *out_rest += (i == j ? p - middle : p) * program->z[stream->index[j]];
    }
}

void rh__closed_at(const rh_program *program, const rh_program_stream *stream, double time,
                   double *out)
{
    const roots r = roots_of(program, stream);
    double c = 0.0;
    double s = 0.0;
    if (r.wave > 0.0) {
        c = exp(r.middle * time) * cos(r.wave * time);
        s = exp(r.middle * time) * sin(r.wave * time) / r.wave;
    } else if (r.half * time < 1.0) {
        c = exp(r.middle * time) * cosh(r.half * time);
        s = exp(r.middle * time) * (r.half > 0.0 ? sinh(r.half * time) / r.half : time);
    } else { // the roots themselves: their middle would lose a slow one
        const rh_program_root *both = program->roots.data + stream->part->root;
        const double slow = exp(fmax(both[0].real, both[1].real) * time);
        const double fast = exp(fmin(both[0].real, both[1].real) * time);
        c = slow / 2.0 + fast / 2.0;
        s = (slow - fast) / (2.0 * r.half);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        double rate = 0.0;
        double rest = 0.0;
        rates_of(program, stream, r.middle, i, &rate, &rest);
        out[i] = stream->count == 1 ? program->z[stream->index[i]] * exp(r.middle * time)
                                    : c * program->z[stream->index[i]] + s * rest;
    }
}

// Is the rate of variable i at the start nothing but the rounding of its own terms?
static bool is_rounding(const rh_program *program, const rh_program_stream *stream, uint32_t i,
                        double rate)
{
    double terms = 0.0;
    for (uint32_t j = 0; j < stream->count; j++) {
        terms += fabs(stream->part->matrix[i + (size_t)j * stream->count] *
                      program->z[stream->index[j]]);
    }
    return fabs(rate) <= LITTLE * terms;
}

// When the rate of variable i is zero for the first time after the start; NaN: never.
static double turning_time(const rh_program *program, const rh_program_stream *stream, uint32_t i)
{
    const roots r = roots_of(program, stream);
    const double pi = acos(-1.0);
    const double a = program->z[stream->index[i]];
    double rate = 0.0;
    double b = 0.0;
    rates_of(program, stream, r.middle, i, &rate, &b);
    // beside other terms it may be small because roots are nearly equal, and yet be no rounding
    const bool is_still = is_rounding(program, stream, i, rate);
    if (r.wave > 0.0) { // (rate cos + (s b/w - a w) sin) exp
        const double across = a * r.wave - r.middle * b / r.wave;
        const double angle = is_still ? 0.0 : atan2(rate, across);
        return (angle > 0.0 ? angle : angle + pi) / r.wave;
    }
    if (!(r.half > 0.0)) { // (a + b t) exp
        return -rate / (r.middle * b);
    }
    const rh_program_root *both = program->roots.data + stream->part->root;
    const double slow = fmax(both[0].real, both[1].real);
    const double first = (a + b / r.half) / 2.0 * slow; // of the rate: that of the slow root
    const double share = -rate / first;
    return is_still ? (double)NAN : log1p(share) / (2.0 * r.half);
}

bool rh__closed_extremum(const rh_program *program, const rh_program_stream *stream, uint32_t i,
                         double *out_time, double *out_value)
{
    double z[2] = {0.0, 0.0};
    const double time = stream->count == 2 ? turning_time(program, stream, i) : (double)NAN;
    if (!(time > 0.0) || !isfinite(time)) {
        return false;
    }
    rh__closed_at(program, stream, time, z);
    *out_time = time;
    *out_value = z[i];
    return z[i] != 0.0;
}
