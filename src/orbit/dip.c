// SPDX-License-Identifier: Apache-2.0
// Tests that pass zero and come back between two points of a branch. They have the same sign at
// both ends, but come near zero, beside what they change from point to point. The least value
// between is looked for, by parabolas; where its sign is another one the branch gets a point there,
// and both changes are found like any others (turning.c).

#include "orbit/orbit.h"

#include <math.h>

#define DEEP 1e-8     // below zero: less may be rounding of multipliers
#define SHALLOW 1e-10 // the same where they have bars
#define VISIBLE 1e-6  // of a test at one end at least
#define REACH 1.0     // of a change from point to point: what is farther from zero is not looked at
#define BESIDE 0.02   // of a step: where it is seen whether a test has turned
#define STILL 0.9     // of a least value: a parabola that promises no less
enum { ROUNDS = 12 };

// Three places between two stations, the test there away from zero.
typedef struct diving {
    rh_branch *branch;
    rh_branch_test test;
    double sign;
    double at[3], height[3];
    bool is_through; // the station in the middle has the other sign
    bool is_lost;    // there is no station
} diving;

static rh_status probe(diving *in, double at, double *out)
{
    rh_branch *branch = in->branch;
    const rh_aim aim = {.from = &branch->last, .length = at};
    uint32_t rounds = 0;
    bool is_there = false;
    RH_TRY(rh__branch_correct(branch, &aim, &branch->middle, &rounds, &is_there));
    in->is_lost = in->is_lost || !is_there;
    *out = is_there ? in->sign * branch->middle.tests[in->test] : INFINITY;
    // a little below zero counts where multipliers are known that well
    in->is_through =
        *out < -DEEP || (*out < -SHALLOW && branch->middle.is_unstable != branch->last.is_unstable);
    return RH_OK;
}

static bool is_open(const diving *in)
{
    return !in->is_through && !in->is_lost;
}

// The vertex of the parabola through all three, and what it promises there. False: it has none, or
// not between them.
static bool find_vertex(const diving *in, double *out_at, double *out_height)
{
    const double a = in->at[0] - in->at[1];
    const double c = in->at[2] - in->at[1];
    const double rise = (in->height[0] - in->height[1]) / a;
    const double next = (in->height[2] - in->height[1]) / c;
    const double bend = (next - rise) / (c - a);
    const double slope = rise - bend * a;
    const double away = -0.5 * slope / bend;
    *out_at = in->at[1] + away;
    *out_height = in->height[1] + 0.5 * slope * away;
    return bend > 0.0 && away > a && away < c;
}

// The middle of three is replaced by a lower place beside it, or an end by a higher one.
static void narrow(diving *in, double at, double height)
{
    const int side = at > in->at[1] ? 2 : 0;
    if (height < in->height[1]) {
        in->at[2 - side] = in->at[1];
        in->height[2 - side] = in->height[1];
        in->at[1] = at;
        in->height[1] = height;
    } else {
        in->at[side] = at;
        in->height[side] = height;
    }
}

// The least value is between: down to it.
static rh_status descend(diving *in)
{
    for (uint32_t k = 0; k < ROUNDS && is_open(in); k++) {
        double at = 0.0;
        double promise = 0.0;
        double height = 0.0;
        if (!find_vertex(in, &at, &promise) || promise > STILL * in->height[1] ||
            in->height[1] < SHALLOW) {
            return RH_OK;
        }
        RH_TRY(probe(in, at, &height));
        narrow(in, at, height);
    }
    return RH_OK;
}

// The test falls all the way to one end, as far as the middle tells: has it turned before?
static rh_status look_beside(diving *in, int end)
{
    const double away = BESIDE * (in->at[2] - in->at[0]);
    const double at = in->at[end] + (end == 0 ? away : -away);
    double height = 0.0;
    RH_TRY(probe(in, at, &height));
    in->at[2 - end] = in->at[1];
    in->height[2 - end] = in->height[1];
    in->at[1] = at;
    in->height[1] = height;
    double vertex = 0.0;
    double promise = 0.0;
    if (is_open(in) && height >= in->height[end] && find_vertex(in, &vertex, &promise)) {
        RH_TRY(probe(in, vertex, &height));
        narrow(in, vertex, height);
    }
    return RH_OK;
}

static rh_status dive(diving *in)
{
    in->at[1] = 0.5 * in->at[2];
    RH_TRY(probe(in, in->at[1], &in->height[1]));
    const int low = in->height[2] < in->height[0] ? 2 : 0;
    if (is_open(in) && in->height[1] >= in->height[low]) {
        RH_TRY(look_beside(in, low));
    }
    const bool is_between = in->height[1] < in->height[0] && in->height[1] < in->height[2];
    return is_open(in) && is_between ? descend(in) : RH_OK;
}

// May the test reach zero between both ends, by how it changed up to here?
static bool is_near(const rh_branch *branch, rh_branch_test test, double length)
{
    const double first = branch->last.tests[test];
    const double last = branch->next.tests[test];
    const double came = branch->before_length > 0.0
                            ? (first - branch->before[test]) * length / branch->before_length
                            : 0.0;
    return first * last > 0.0 && fmax(fabs(first), fabs(last)) > VISIBLE &&
           fmin(fabs(first), fabs(last)) <= REACH * fmax(fabs(last - first), fabs(came));
}

rh_status rh__branch_split(rh_branch *branch, bool *out_is_split)
{
    const double length = rh__branch_distance(branch, &branch->next);
    *out_is_split = false;
    for (uint32_t k = 0; k < RH_TEST_COUNT && !*out_is_split; k++) {
        const double sign = branch->last.tests[k] > 0.0 ? 1.0 : -1.0;
        diving in = {.branch = branch,
                     .test = (rh_branch_test)k,
                     .sign = sign,
                     .at = {0.0, 0.0, length},
                     .height = {sign * branch->last.tests[k], 0.0, sign * branch->next.tests[k]}};
        if (is_near(branch, (rh_branch_test)k, length)) {
            RH_TRY(dive(&in));
            *out_is_split = in.is_through && !in.is_lost;
        }
    }
    if (*out_is_split) {
        const rh_station held = branch->next;
        branch->next = branch->middle;
        branch->middle = held;
    }
    return RH_OK;
}
