// SPDX-License-Identifier: Apache-2.0
// Marks at which nothing can be told any more. A verdict is given up while what decides it is still
// a little off the axis, by more than its bar and the threshold beside it. Where that vanishes is
// told by how it grows away from the mark: a straight line through two motions, and some more.

#include "steady/family.h"

#include <math.h>

#define SLIGHT 0.05   // beside the pace and the roots: it may vanish near by
#define BARS 4.0      // of roots: the same
#define FIRST 1e-13   // step away from the mark
#define WIDER 4.0     // from one step to the next
#define FARTHEST 64.0 // step, beside the one on which the mark lies
#define TWICE 2.0     // so much larger it must be there
#define BEYOND 4.0    // of what a straight line says: it may be bent, as squares and roots are

typedef rh_walk_station station;

static bool is_definite(const station *at)
{
    return at->found.judgement.verdict == RH_STEADY_ASYMPTOTICALLY_STABLE ||
           at->found.judgement.verdict == RH_STEADY_UNSTABLE;
}

// What is no more than this may vanish near by.
static double slight_at(const station *at)
{
    const rh_judgement *it = &at->found.judgement;
    double size = it->pace + fabs(it->abscissa);
    double bar = 0.0;
    for (uint32_t k = 0; k < it->root_count; k++) {
        size = fmax(size, hypot(it->roots[k].real, it->roots[k].imaginary));
        bar = fmax(bar, it->roots[k].bar);
    }
    return fmax(SLIGHT * size, BARS * bar);
}

// A motion farther from the mark than `near` where what decides is twice as far off the axis, in
// `middle`, or else the farthest.
static rh_status go_away(rh_walk *walk, const station *near, const station *far, bool *out)
{
    const double length = rh__walk_arc(walk, near, far);
    const double wanted = TWICE * fabs(near->found.judgement.abscissa);
    *out = false;
    for (double way = FIRST; way < FARTHEST * fabs(length) && !*out; way *= WIDER) {
        bool is_there = false; // a short step may be less than rounding
        RH_TRY(rh__walk_step_from(walk, near, copysign(way, length), &walk->middle, &is_there));
        *out = is_there && fabs(walk->middle.found.judgement.abscissa) >= wanted;
    }
    if (!*out) {
        rh__walk_copy(walk, far, &walk->middle);
        *out = fabs(far->found.judgement.abscissa) >= wanted;
    }
    return RH_OK;
}

rh_status rh__walk_find_blur(rh_walk *walk, double *out)
{
    const bool is_first = is_definite(&walk->last);
    const station *near = is_first ? &walk->low : &walk->high;
    const station *far = is_first ? &walk->last : &walk->next;
    const double least = fabs(near->found.judgement.abscissa);
    bool is_there = false;
    *out = near->value;
    if (is_first == is_definite(&walk->next) || !isfinite(least) || least > slight_at(near)) {
        return RH_OK;
    }
    RH_TRY(go_away(walk, near, far, &is_there));
    const double more = fabs(walk->middle.found.judgement.abscissa) - least;
    if (is_there && isfinite(more)) {
        *out += BEYOND * least * (near->value - walk->middle.value) / more;
    }
    return RH_OK;
}
