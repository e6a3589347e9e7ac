// SPDX-License-Identifier: Apache-2.0
// Marks that come in pairs: what decides a mark may pass zero and come back between two motions of
// a family. Where it comes near zero and turns, its least value is looked for (numeric/dip.c), and
// a motion beyond zero parts the two marks.

#include "steady/family.h"

#include <math.h>

#define VISIBLE 1e-6 // of what decides a mark, at one end of a step at least
#define FLAT 1e-9    // of the same: that is zero
#define MUCH 4.0     // as far before zero as beyond it
#define WITHIN 0.7   // of the way to the least value
#define STRAY 0.05   // of a step: so far off it is on another branch
#define ROUNDED 1e-9 // a distance that is none

// With the slopes of both ends a parabola is followed exactly; another branch that crosses this one
// has other slopes, and next to the crossing slopes are any.
bool rh__walk_stays(const rh_walk *walk, const rh_walk_station *from, const rh_walk_station *to,
                    double length)
{
    const rh_reduction *reduction = walk->steady->reduction;
    double off = 0.0;
    double way = 0.0;
    for (uint32_t j = 0; j < reduction->place_count; j++) {
        const uint32_t slot = reduction->moving[j];
        const double unit = rh__walk_scale(walk, from->values, j);
        const double moved = (to->values[slot] - from->values[slot]) / unit;
        const double first = length * from->tangent[j];
        const double second = length * to->tangent[j] * rh__walk_scale(walk, to->values, j) / unit;
        if (j != walk->moving) {
            off = hypot(off, moved - 0.5 * (first + second));
            way = hypot(way, fmax(fabs(first), fabs(second)));
        }
    }
    return off <= STRAY * way + ROUNDED;
}

double rh__walk_decider(const rh_walk_station *it, int which)
{
    const rh_judgement *judgement = &it->found.judgement;
    return which == 0 ? judgement->abscissa / judgement->pace : it->rise;
}

// Does a decider pass zero and come back between `last` and `next`? Then there is a station with
// the other sign in the middle.
static rh_status look_between(rh_walk *walk, int which, double length, double *out_at, bool *out)
{
    const rh_walk_station *last = &walk->last;
    const rh_walk_station *next = &walk->next;
    const double first = rh__walk_decider(last, which);
    const double sign = first > 0.0 ? 1.0 : -1.0;
    const double ends[2] = {0.0, length};
    const double heights[2] = {sign * first, sign * rh__walk_decider(next, which)};
    const double came = walk->before_length > 0.0
                            ? (first - walk->before[which]) * length / walk->before_length
                            : 0.0;
    rh_dip dip = rh__dip_begin(ends, heights, FLAT);
    bool is_there = fmax(heights[0], heights[1]) > VISIBLE && isfinite(heights[0] + heights[1]) &&
                    (which == 1 || (rh__walk_is_definite(last->found.judgement.verdict) &&
                                    rh__walk_is_definite(next->found.judgement.verdict))) &&
                    rh__dip_is_near(heights, came);
    while (is_there && !*out && rh__dip_asks(&dip)) {
        RH_TRY(rh__walk_step_from(walk, last, dip.place, &walk->middle, &is_there));
        // another branch has a sign of its own
        is_there = is_there && rh__walk_stays(walk, last, &walk->middle, dip.place);
        if (is_there) {
            const double height = sign * rh__walk_decider(&walk->middle, which);
            *out = height < -FLAT &&
                   (which == 1 || rh__walk_is_definite(walk->middle.found.judgement.verdict));
            *out_at = dip.place;
            rh__dip_tell(&dip, height);
        }
    }
    return RH_OK;
}

// Closer to the station in the middle, a decider `length` away beyond zero: where it is before zero
// by as much. So the first mark is alone on its arc, and steps are as short as the second one
// wants.
static rh_status come_near(rh_walk *walk, int which, double length)
{
    const double first = fabs(rh__walk_decider(&walk->last, which));
    const double depth = fabs(rh__walk_decider(&walk->middle, which));
    const double near = length * (1.0 - sqrt(2.0 * depth / (depth + first)));
    bool is_there = first > MUCH * depth;
    rh__walk_copy(walk, &walk->middle, &walk->next);
    if (is_there) {
        RH_TRY(rh__walk_step_from(walk, &walk->last, near, &walk->middle, &is_there));
    }
    if (is_there &&
        rh__walk_decider(&walk->middle, which) * rh__walk_decider(&walk->last, which) > 0.0) {
        rh__walk_copy(walk, &walk->middle, &walk->next);
        walk->length = WITHIN * (length - near);
    } else {
        walk->length = fmin(walk->length, length);
    }
    return RH_OK;
}

rh_status rh__walk_split(rh_walk *walk)
{
    bool is_split = false;
    double at = 0.0;
    const double length = rh__walk_arc(walk, &walk->last, &walk->next);
    for (int which = 0; which < 2 && !is_split; which++) {
        RH_TRY(look_between(walk, which, length, &at, &is_split));
        RH_TRY(is_split ? come_near(walk, which, at) : RH_OK);
    }
    walk->is_ended = walk->is_ended && !is_split;
    return RH_OK;
}
