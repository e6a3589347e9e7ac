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
