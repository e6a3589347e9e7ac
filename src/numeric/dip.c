// SPDX-License-Identifier: Apache-2.0
// Functions that pass zero and come back between two places. They are above zero at both, and their
// least value between is looked for: in the middle, beside the end to which they fall all the way,
// then at the vertex of the parabola through the lowest place and its neighbours.

#include "numeric/numeric.h"

#include <math.h>

#define REACH 1.0   // of a change: what is farther from zero does not come to it
#define BESIDE 0.02 // of the way: where it is seen whether the function has turned
#define STILL 0.9   // of a least value: a parabola that promises no less
enum { ROUNDS = 12 };
enum stage { MIDDLE, BESIDE_END, VERTEX, DESCENT, OVER };

rh_dip rh__dip_begin(const double at[2], const double height[2], double floor)
{
    return (rh_dip){.at = {at[0], 0.5 * (at[0] + at[1]), at[1]},
                    .height = {height[0], INFINITY, height[1]},
                    .floor = floor,
                    .stage = MIDDLE};
}

bool rh__dip_is_near(const double height[2], double came)
{
    const double least = fmin(height[0], height[1]);
    return least > 0.0 && least <= REACH * fmax(fabs(height[1] - height[0]), fabs(came));
}

// The vertex of the parabola through all three, and what it promises there. False: it has none, or
// not between them.
static bool find_vertex(const rh_dip *dip, double *out_at, double *out_height)
{
    const double a = dip->at[0] - dip->at[1];
    const double c = dip->at[2] - dip->at[1];
    const double rise = (dip->height[0] - dip->height[1]) / a;
    const double next = (dip->height[2] - dip->height[1]) / c;
    const double bend = (next - rise) / (c - a);
    const double slope = rise - bend * a;
    const double away = -0.5 * slope / bend;
    *out_at = dip->at[1] + away;
    *out_height = dip->height[1] + 0.5 * slope * away;
    return bend > 0.0 && away > a && away < c;
}

static int low_end(const rh_dip *dip)
{
    return dip->height[2] < dip->height[0] ? 2 : 0;
}

static bool is_between(const rh_dip *dip)
{
    return dip->height[1] < dip->height[0] && dip->height[1] < dip->height[2];
}

bool rh__dip_asks(rh_dip *dip)
{
    double promise = 0.0;
    const int low = low_end(dip);
    switch (dip->stage) {
    case MIDDLE:
        dip->place = dip->at[1];
        return true;
    case BESIDE_END:
        dip->place = dip->at[low] + BESIDE * (dip->at[2 - low] - dip->at[low]);
        return true;
    case VERTEX:
        return find_vertex(dip, &dip->place, &promise);
    case DESCENT:
        return dip->rounds++ < ROUNDS && dip->height[1] > dip->floor &&
               find_vertex(dip, &dip->place, &promise) && promise <= STILL * dip->height[1];
    default:
        return false;
    }
}

// The place in the middle is replaced by a lower one, or an end by a higher one.
static void narrow(rh_dip *dip, double height)
{
    const int side = dip->place > dip->at[1] ? 2 : 0;
    const bool is_lower = height < dip->height[1];
    const int kept = is_lower ? 2 - side : side;
    dip->at[kept] = is_lower ? dip->at[1] : dip->place;
    dip->height[kept] = is_lower ? dip->height[1] : height;
    dip->at[1] = is_lower ? dip->place : dip->at[1];
    dip->height[1] = is_lower ? height : dip->height[1];
}

void rh__dip_tell(rh_dip *dip, double height)
{
    const int low = low_end(dip);
    if (dip->stage == MIDDLE) {
        dip->height[1] = height;
        dip->stage = is_between(dip) ? DESCENT : BESIDE_END;
    } else if (dip->stage == BESIDE_END) {
        dip->at[2 - low] = dip->at[1];
        dip->height[2 - low] = dip->height[1];
        dip->at[1] = dip->place;
        dip->height[1] = height;
        dip->stage = is_between(dip) ? DESCENT : VERTEX;
    } else {
        narrow(dip, height);
        dip->stage = is_between(dip) ? DESCENT : OVER;
    }
}
