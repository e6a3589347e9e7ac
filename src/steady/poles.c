// SPDX-License-Identifier: Apache-2.0
// Poles of families. A branch may lead smoothly to where the equations have no finite value
// (x' = 1 - p/(x + 1) at p = 0) and go on beyond: what lies there is another family. On the way
// through a pole the slopes of the equations come back from infinity. They are not smooth on any
// part of the way that holds it, and at both ends of ever shorter parts they grow.

#include "steady/family.h"

#include <float.h>
#include <math.h>

#define CHANGED 0.5 // of slopes from one end to the other: looked at closely
#define SMOOTH 0.25 // of slopes: so far from the mean of both ends they are in the middle
#define GROWN 1e8   // of slopes at both ends: they have no bound
#define SLOW 4.0    // in the first rounds: they have
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

// Close in on the part on which slopes are least smooth. `*out`: they grow there without bound.
static rh_status close_in(rh_walk *walk, bool *out)
{
    const double first = fmin(size_of(walk, &walk->low), size_of(walk, &walk->high));
    double least = first;
    bool is_there = true;
    *out = false;
    for (uint32_t k = 0; k < ROUNDS && is_there && !*out; k++) {
        if (k == FIRST_ROUNDS && least < SLOW * first) {
            return RH_OK; // they jump
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
        *out = least > GROWN * first || (!is_there && least > SLOW * first);
    }
    return RH_OK;
}

rh_status rh__walk_find_pole(rh_walk *walk, double *out_at, bool *out_is_there)
{
    const station *one = &walk->last;
    const station *two = &walk->next;
    *out_is_there = false;
    if (!are_alike(one, two) ||
        gap_between(walk, one, two) <= CHANGED * fmax(size_of(walk, one), size_of(walk, two))) {
        return RH_OK;
    }
    const uint32_t before = one->found.judgement.measured;
    const uint32_t after = two->found.judgement.measured;
    rh__walk_copy(walk, one, &walk->low);
    rh__walk_copy(walk, two, &walk->high);
    walk->dimension = before < after ? before : after;
    const rh_status status = close_in(walk, out_is_there);
    walk->dimension = walk->known;
    const double low = walk->low.value;
    const double high = walk->high.value;
    *out_at = 0.5 * (low + high);
    *out_at = fabs(*out_at) <= fabs(high - low) + DBL_EPSILON * walk->span ? 0.0 : *out_at;
    return status;
}
