// SPDX-License-Identifier: Apache-2.0
// Conditions in laws (`abs`, `sign`, `min`, `max`, `if`): the small system is smooth between the
// surfaces where they switch. A series keeps to one side of each; it ends where one is crossed.

#include "program/program.h"

#include <math.h>

enum { ROUNDS = 8 };

static double truth_of(rh_switch_rule rule, int side)
{
    switch (rule) {
    case RH_SWITCH_BELOW:
    case RH_SWITCH_NOT_ABOVE:
        return side < 0;
    case RH_SWITCH_ZERO:
        return 0.0;
    case RH_SWITCH_NOT_BELOW:
        return side > 0;
    case RH_SWITCH_SIGN:
        return side;
    }
    return 0.0;
}

static void force(rh_program_stream *stream)
{
    for (uint32_t k = 0; k < stream->tape->switch_count; k++) {
        const int side = stream->side[k];
        rh__tape_force(stream->state, k,
                       side == 0 ? (double)NAN : truth_of(stream->tape->switches[k].rule, side));
    }
}

// The side to which the series leads from a surface it begins on; 0: it stays there.
static int leading_side(const rh_program_stream *stream, uint32_t k)
{
    double c[RH_PROGRAM_ORDER + 1];
    double size = 0.0;
    rh__flow_series(stream, stream->tape->switches[k].surface, c);
    for (uint32_t j = 1; j < RH_PROGRAM_ORDER; j++) {
        size = fmax(size, fabs(c[j]));
    }
    for (uint32_t j = 1; j < RH_PROGRAM_ORDER; j++) {
        if (fabs(c[j]) > 1e-12 * size) {
            return c[j] > 0.0 ? 1 : -1;
        }
    }
    return 0;
}

bool rh__passing_settle(rh_program_stream *stream)
{
    const uint32_t count = stream->tape->switch_count;
    bool agrees = count == 0;
    for (uint32_t k = 0; k < count; k++) { // sides of before do not count
        stream->side[k] = 0;
    }
    force(stream);
    rh__flow_expand(stream);
    for (uint32_t k = 0; k < count; k++) {
        const double value = rh__jet_row(stream->state, 0)[stream->tape->switches[k].surface];
        stream->side[k] = stream->next[k] != 0 ? stream->next[k] : (value > 0.0) - (value < 0.0);
        // one that is begun on: to be found out
        stream->next[k] = stream->next[k] != 0 || value == 0.0;
    }
    for (uint32_t round = 0; !agrees && round < ROUNDS; round++) {
        agrees = true;
        force(stream);
        rh__flow_expand(stream);
        for (uint32_t k = 0; k < count; k++) {
            const int side = stream->next[k] != 0 ? leading_side(stream, k) : 0;
            agrees = agrees && (side == 0 || side == stream->side[k]);
            stream->side[k] = side != 0 ? side : stream->side[k];
        }
    }
    return agrees;
}

bool rh__passing_cut(rh_program_stream *stream)
{
    double c[RH_PROGRAM_ORDER + 1];
    double work[RH_POLYNOMIAL_WORK(RH_PROGRAM_ORDER)];
    rh_root roots[RH_PROGRAM_ORDER + 1];
    const uint32_t count = stream->tape->switch_count;
    double first = 2.0;
    int after[2] = {0, 0};
    uint32_t which = count;
    for (uint32_t k = 0; k < count; k++) {
        rh_root_list list = {.data = roots, .capacity = RH_PROGRAM_ORDER + 1};
        const rh_root_query query = {.c = c, .degree = RH_PROGRAM_ORDER - 1};
        rh__flow_series(stream, stream->tape->switches[k].surface, c);
        c[0] = stream->next[k] != 0 ? 0.0 : c[0]; // it begins there
        stream->next[k] = 0;
        if (rh__polynomial_roots(&query, work, &list) != RH_OK) {
            return false;
        }
        for (uint32_t j = 0; !list.is_zero && j < list.count; j++) {
            if (roots[j].before != roots[j].after && roots[j].at < first) {
                first = roots[j].at;
                after[0] = roots[j].after;
                which = k;
            }
        }
    }
    if (which < count) {
        stream->length *= first;
        stream->next[which] = after[0];
    }
    return true;
}

static double coefficient(const rh_program_stream *stream, uint32_t i, uint32_t k)
{
    return rh__jet_row(stream->state, k)[1 + i];
}

// The error of each variable is small against itself, as it is along the first part of the step.
static bool is_fine(const rh_program_stream *stream, double h)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < stream->count; i++) {
        double size = 0.0;
        double power = 1.0;
        for (uint32_t k = 0; k < 5; k++, power *= h) {
            size = fmax(size, fabs(coefficient(stream, i, k)) * power);
        }
        const uint32_t top = stream->order;
        const double last = fabs(coefficient(stream, i, top)) * pow(h, top);
        const double prior = fabs(coefficient(stream, i, top - 1)) * pow(h, top - 1);
        ok = fmax(last, prior) <= 1e-16 * size;
    }
    return ok;
}

// How far the coefficients can be trusted.
static double trusted_length(const rh_program_stream *stream)
{
    enum { SHRINKS = 400, LEAST_ORDER = 6 };
    const uint32_t top = stream->order;
    double size = 1e-300;
    double last = 0.0;
    double prior = 0.0;
    if (top < LEAST_ORDER) {
        return 0.0;
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        size = fmax(size, fabs(stream->z[i]));
        last = fmax(last, fabs(coefficient(stream, i, top)));
        prior = fmax(prior, fabs(coefficient(stream, i, top - 1)));
    }
    const double goal = 1e-17 * size;
    const double far = 1e3 * (1.0 + fabs(stream->begin));
    double h = fmin(fmin(pow(goal / fmax(last, 1e-300), 1.0 / top),
                         pow(goal / fmax(prior, 1e-300), 1.0 / (top - 1))),
                    far);
    for (uint32_t k = 0; k < SHRINKS && !is_fine(stream, h); k++) {
        h *= 0.9;
    }
    return h;
}

void rh__flow_expand(rh_program_stream *stream)
{
    const uint32_t n = stream->count;
    for (uint32_t k = 0; k <= RH_PROGRAM_ORDER; k++) {
        rh__jet_row(stream->state, k)[0] = k == 0 ? stream->begin : k == 1 ? 1.0 : 0.0;
    }
    memcpy(rh__jet_row(stream->state, 0) + 1, stream->z, n * sizeof *stream->z);
    stream->order = 0;
    for (uint32_t k = 0; k < RH_PROGRAM_ORDER && stream->order == k; k++) {
        double *next = rh__jet_row(stream->state, k + 1) + 1;
        if (k == 0) {
            rh__tape_run(stream->state);
        } else {
            rh__jet_order(stream->state, k);
        }
        for (uint32_t i = 0; i < n; i++) {
            next[i] = rh__tape_output(stream->state, i, k) / (k + 1);
        }
        const bool is_well =
            rh__vector_is_finite(stream->state->stride, rh__jet_row(stream->state, k)) &&
            rh__vector_is_finite(n, next);
        stream->order += is_well; // fast laws have coefficients that are no numbers: fewer serve
    }
    for (uint32_t k = stream->order + 1; k <= RH_PROGRAM_ORDER; k++) {
        memset(rh__jet_row(stream->state, k), 0, sizeof(double) * stream->state->stride);
    }
    stream->length = trusted_length(stream);
}

void rh__flow_series(const rh_program_stream *stream, uint32_t slot, double *out)
{
    double power = 1.0;
    for (uint32_t k = 0; k <= RH_PROGRAM_ORDER; k++, power *= stream->length) {
        out[k] = rh__jet_row(stream->state, k)[slot] * power;
    }
}
