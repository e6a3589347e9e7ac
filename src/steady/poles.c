// SPDX-License-Identifier: Apache-2.0
// Poles of families. A branch may lead smoothly to where the equations have no finite value
// (x' = 1 - p/(x + 1) at p = 0) and go on beyond: what lies there is another family. On the way
// through a pole the slopes of the equations come back from infinity. They are not smooth on any
// part of the way that holds it, and at both ends of ever shorter parts they grow.

#include "steady/family.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHANGED 0.5 // of slopes from one end to the other: looked at closely
#define SMOOTH 0.25 // of slopes: so far from the mean of both ends they are in the middle
#define GROWN 1e8   // of slopes at both ends: they have no bound
#define SLOW 4.0    // in the first rounds: they have
#define LEFT 0.1    // of a distance after the first rounds: it does not get smaller
enum { ROUNDS = 60, FIRST_ROUNDS = 10 };

typedef rh_walk_station station;

// An entry of the linear part, in units of the variables.
static double entry_of(const rh_walk *walk, const station *at, uint32_t i, uint32_t j)
{
    const rh_judgement *it = &at->found.judgement;
    const double *unit = walk->steady->reduction->engine.unit;
    return it->matrix[i + (size_t)j * it->size] * unit[it->slots[j]] / unit[it->slots[i]];
}

// The length of a * one + b * two.
static double length_of(const rh_walk *walk, double a, const station *one, double b,
                        const station *two)
{
    double length = 0.0;
    for (uint32_t j = 0; j < one->found.judgement.size; j++) {
        for (uint32_t i = 0; i < one->found.judgement.size; i++) {
            length = hypot(length, a * entry_of(walk, one, i, j) + b * entry_of(walk, two, i, j));
        }
    }
    return length;
}

static double size_of(const rh_walk *walk, const station *at)
{
    return length_of(walk, 1.0, at, 0.0, at);
}

static double gap_between(const rh_walk *walk, const station *one, const station *two)
{
    return length_of(walk, 1.0, one, -1.0, two);
}

// How far the slopes in the middle are from the mean of those at both ends.
static double bend_of(const rh_walk *walk)
{
    const rh_judgement *it = &walk->middle.found.judgement;
    double length = 0.0;
    for (uint32_t j = 0; j < it->size; j++) {
        for (uint32_t i = 0; i < it->size; i++) {
            const double mean =
                0.5 * (entry_of(walk, &walk->low, i, j) + entry_of(walk, &walk->high, i, j));
            length = hypot(length, entry_of(walk, &walk->middle, i, j) - mean);
        }
    }
    return length;
}

static bool are_alike(const station *one, const station *two)
{
    const rh_judgement *a = &one->found.judgement;
    const rh_judgement *b = &two->found.judgement;
    bool is_same = a->size == b->size;
    for (uint32_t k = 0; is_same && k < a->size; k++) {
        is_same = a->slots[k] == b->slots[k];
    }
    return is_same;
}

// About the middle between low and high: at the pole itself there is nothing.
static rh_status go_between(rh_walk *walk, bool *out_is_there)
{
    static const double SHARES[] = {0.5, 0.4, 0.6};
    const double length = rh__walk_arc(walk, &walk->low, &walk->high);
    *out_is_there = false;
    for (size_t k = 0; k < sizeof SHARES / sizeof *SHARES && !*out_is_there; k++) {
        RH_TRY(
            rh__walk_step_from(walk, &walk->low, SHARES[k] * length, &walk->middle, out_is_there));
        *out_is_there = *out_is_there && are_alike(&walk->low, &walk->middle);
    }
    return RH_OK;
}

// How far two stations are apart, in units of the variables.
static double distance_between(const rh_walk *walk, const station *one, const station *two)
{
    const rh_reduction *reduction = walk->steady->reduction;
    double far = 0.0;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        far = hypot(far, (one->values[slot] - two->values[slot]) / reduction->engine.unit[slot]);
    }
    return far;
}

// Close in on the part on which slopes are least smooth: do they grow there without bound, or does
// it not get smaller?
static rh_status close_in(rh_walk *walk, rh_walk_gap *out)
{
    const double wide = distance_between(walk, &walk->low, &walk->high);
    const double first = fmin(size_of(walk, &walk->low), size_of(walk, &walk->high));
    double least = first;
    bool is_there = true;
    *out = RH_WALK_WHOLE;
    for (uint32_t k = 0; k < ROUNDS && is_there && *out == RH_WALK_WHOLE; k++) {
        if (k == FIRST_ROUNDS && least < SLOW * first) { // they jump
            const bool is_apart = distance_between(walk, &walk->low, &walk->high) > LEFT * wide;
            *out = is_apart ? RH_WALK_APART : RH_WALK_WHOLE;
            return RH_OK;
        }
        RH_TRY(go_between(walk, &is_there));
        const double largest = fmax(size_of(walk, &walk->low), size_of(walk, &walk->high));
        if (is_there && bend_of(walk) <= SMOOTH * largest) {
            return RH_OK;
        }
        if (is_there) {
            const bool is_first = gap_between(walk, &walk->low, &walk->middle) >
                                  gap_between(walk, &walk->middle, &walk->high);
            rh__walk_copy(walk, &walk->middle, is_first ? &walk->high : &walk->low);
        }
        least = fmin(size_of(walk, &walk->low), size_of(walk, &walk->high));
        const bool is_pole = least > GROWN * first || (!is_there && least > SLOW * first);
        *out = is_pole ? RH_WALK_POLE : RH_WALK_WHOLE;
    }
    return RH_OK;
}

// Is a station on the right side of a surface on which the equations switch? 0: on it.
static int side_at(const rh_walk *walk, const station *at, uint32_t surface)
{
    const rh_reduction *reduction = walk->steady->reduction;
    rh_workbench *bench = walk->steady->bench;
    memcpy(bench->values, at->values, reduction->slot_count * sizeof *bench->values);
    const double value =
        rh__workbench_look(bench) ? bench->outputs[reduction->engine.switch_first + surface] : 0.0;
    return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

// Close in on a surface that lies between low and high. Is it crossed, or do branches beside it not
// hang together, as those of x' = p log|x| + 1 to both sides of x = 0?
static rh_status cross(rh_walk *walk, uint32_t surface, rh_walk_gap *out)
{
    const double wide = distance_between(walk, &walk->low, &walk->high);
    const int side = side_at(walk, &walk->low, surface);
    bool is_there = side * side_at(walk, &walk->high, surface) < 0;
    double gap = 0.0;
    for (uint32_t k = 0; k < FIRST_ROUNDS && is_there; k++) {
        RH_TRY(go_between(walk, &is_there));
        if (is_there) {
            const bool is_low = side_at(walk, &walk->middle, surface) == side;
            rh__walk_copy(walk, &walk->middle, is_low ? &walk->low : &walk->high);
            gap = distance_between(walk, &walk->low, &walk->high);
        }
    }
    *out = gap > LEFT * wide ? RH_WALK_APART : RH_WALK_WHOLE;
    return RH_OK;
}

static void begin_between(rh_walk *walk)
{
    rh__walk_copy(walk, &walk->last, &walk->low);
    rh__walk_copy(walk, &walk->next, &walk->high);
}

rh_status rh__walk_find_pole(rh_walk *walk, double *out_at, rh_walk_gap *out)
{
    const station *one = &walk->last;
    const station *two = &walk->next;
    *out = RH_WALK_WHOLE;
    if (!are_alike(one, two) ||
        gap_between(walk, one, two) <= CHANGED * fmax(size_of(walk, one), size_of(walk, two))) {
        return RH_OK;
    }
    const uint32_t before = one->found.judgement.measured;
    const uint32_t after = two->found.judgement.measured;
    begin_between(walk);
    walk->dimension = before < after ? before : after;
    rh_status status = close_in(walk, out);
    const uint32_t surfaces = walk->steady->reduction->engine.switch_count;
    for (uint32_t k = 0; status == RH_OK && *out == RH_WALK_WHOLE && k < surfaces; k++) {
        begin_between(walk);
        status = cross(walk, k, out);
    }
    walk->dimension = walk->known;
    const double low = walk->low.value;
    const double high = walk->high.value;
    *out_at = 0.5 * (low + high);
    *out_at = fabs(*out_at) <= fabs(high - low) + DBL_EPSILON * walk->span ? 0.0 : *out_at;
    return status;
}
