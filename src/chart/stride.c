// SPDX-License-Identifier: Apache-2.0
// Steps along a branch. A step begins with the tangent of the branch and is corrected by Newton's
// method. It is one on the branch where two things hold. Corrections shrink so fast that there is
// no other motion nearer than several times the first one. And the motion has moved by the mean of
// the slopes at both ends, as it does on a smooth branch: on another one, that crosses this one or
// at which this one ends, slopes are others. Else the step is halved. All is measured by what the
// step changes and by what rounding does, by no size of a variable: a branch is the same wherever
// the zero of a variable lies (theory/charts.md, 1).

#include "chart/chart.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEAST 1e-4     // part of the way
#define CLOSE 0.99     // so far of it that a motion at its end is near
#define SHRINKING 0.10 // from one correction to the next
#define FAST 0.01      // the same where the branch is alone far around
#define STRAY 0.03     // of a step: what slopes at both ends may leave unexplained
#define BENT 0.18      // the same where corrections shrink fast, as at x = p^3
#define ASIDE 0.3      // of a straight line that is prolonged
#define TREMBLE 8.0 // roundings of a variable: those of rows it stands in may be larger than itself
#define NOISY 4.0   // roundings of a first correction that is none
#define SETTLED 40.0  // the same of later ones
#define DEEP 1e-8     // of a step: corrections that came down to it are about to end
#define STRAIGHT 3e-3 // of a step: a first correction after which its middle is not asked
#define ASTRAY 5e-3   // of a step: so far off its middle may be
#define JERK 5.0      // of the last bit of the way: a cusp has three
#define BLUNT 1e-6    // of a motion where branches meet
enum { TRIES = 60, ROUNDS = 10 };

static double dial_value(const rh_spot *spot, int axis)
{
    RH_ASSERT(axis == 0 || axis == 1);
    const rh_spot_dial *dial = &spot->chart->dials[axis];
    return dial->slot != UINT32_MAX ? spot->bench->values[dial->slot] : spot->wanted[dial->wanted];
}

static double place_value(const rh_spot *spot, uint32_t k)
{
    RH_ASSERT(k < spot->chart->width);
    return spot->bench->values[spot->chart->steady->reduction->place[k]];
}

static double size_of(const rh_spot *spot, uint32_t k)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    const double value = place_value(spot, k);
    return fmax(rh__engine_size(&reduction->engine, reduction->place[k], value), fabs(value));
}

bool rh__spot_slope(rh_spot *spot, const double way[2], double *out)
{
    const uint32_t width = spot->chart->width;
    rh_rest_change changes[2];
    bool ok = false;
    for (int axis = 0; axis < 2; axis++) {
        const rh_spot_dial *dial = &spot->chart->dials[axis];
        changes[axis] = (rh_rest_change){dial->slot, dial->wanted, way[axis]};
    }
    rh__spot_save(spot, out);
    const rh_status status = rh__rest_predict(spot->bench, &spot->query, changes, 2, &ok);
    spot->status = status != RH_OK ? status : spot->status;
    for (uint32_t k = 0; k < width; k++) {
        const double before = out[k];
        out[k] = ok ? place_value(spot, k) - before : 0.0;
        spot->bench->values[spot->chart->steady->reduction->place[k]] = before;
    }
    return ok && status == RH_OK;
}

// --- corrections ---------------------------------------------------------------------------------

// What the step is about to change, once the first correction is known.
static void begin_span(rh_spot *spot, double share)
{
    RH_ASSERT(share > 0.0);
    for (uint32_t k = 0; k < spot->chart->width; k++) {
        spot->noise[k] = fabs(spot->noise[k]) + TREMBLE * DBL_EPSILON * size_of(spot, k);
        spot->span[k] = fmax(fabs(share * spot->slopes[0][k]), fabs(spot->move[k]));
    }
}

// The last correction, beside what the step changes; 0: it is rounding.
static double measure(const rh_spot *spot, double roundings)
{
    double most = 0.0;
    for (uint32_t k = 0; k < spot->chart->width; k++) {
        const double rest = fabs(spot->move[k]) - roundings * spot->noise[k];
        if (!spot->query.is_fixed[k] && rest > 0.0) {
            most = fmax(most, rest / fmax(spot->span[k], spot->noise[k]));
        }
    }
    return most;
}

// Correct the places at the dials as they are. False: not surely, or not to rounding. `share` of
// the slope led there.
static bool correct(rh_spot *spot, double share, double *out_first, double *out_shrinking)
{
    double before = INFINITY;
    *out_first = 0.0;
    *out_shrinking = 0.0;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        bool ok = false;
        const rh_status status = rh__rest_newton(spot->bench, &spot->query, spot->move,
                                                 k == 0 ? spot->noise : NULL, &ok);
        spot->status = status != RH_OK ? status : spot->status;
        if (!ok || status != RH_OK) {
            return false;
        }
        if (k == 0) {
            begin_span(spot, share);
        }
        const double now = measure(spot, k == 0 ? NOISY : SETTLED);
        if (now == 0.0) {
            return true;
        }
        if (now > SHRINKING * before) {
            return before <= DEEP; // the rest is rounding that nobody foresaw
        }
        *out_first = k == 0 ? now : *out_first;
        *out_shrinking = fmax(*out_shrinking, now / before);
        before = now;
    }
    return false;
}

// --- steps ---------------------------------------------------------------------------------------

// Do the slopes at both ends explain where the step led?
static bool is_explained(const rh_spot *spot, double share, double shrinking)
{
    const double stray = shrinking <= FAST ? BENT : STRAY;
    bool ok = true;
    for (uint32_t k = 0; ok && k < spot->chart->width; k++) {
        const double first = share * spot->slopes[0][k];
        const double last = share * spot->slopes[1][k];
        const double off = place_value(spot, k) - spot->kept[k] - 0.5 * (first + last);
        ok = spot->query.is_fixed[k] ||
             fabs(off) <= stray * fmax(fabs(first), fabs(last)) + SETTLED * spot->noise[k];
    }
    return ok;
}

// Does the motion in the middle lie where those at both ends and their slopes put it? Of two
// branches that cross on the way neither does. The spot is at the end of the step, and stays there.
static bool has_middle(rh_spot *spot, double share, const double back[2], const double at[2])
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    const double middle[2] = {0.5 * (back[0] + at[0]), 0.5 * (back[1] + at[1])};
    double *const end = spot->span;
    bool ok = false;
    rh__spot_save(spot, end);
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const double bow = 0.125 * share * (spot->slopes[0][k] - spot->slopes[1][k]);
        spot->bench->values[reduction->place[k]] = 0.5 * (spot->kept[k] + end[k]) + bow;
    }
    rh__spot_turn(spot, middle);
    const rh_status status = rh__rest_newton(spot->bench, &spot->query, spot->move, NULL, &ok);
    spot->status = status != RH_OK ? status : spot->status;
    for (uint32_t k = 0; ok && k < spot->chart->width; k++) {
        const double size = share * fmax(fabs(spot->slopes[0][k]), fabs(spot->slopes[1][k]));
        ok = spot->query.is_fixed[k] ||
             fabs(spot->move[k]) <= ASTRAY * size + SETTLED * spot->noise[k];
    }
    rh__spot_load(spot, end);
    rh__spot_turn(spot, at);
    return ok;
}

static void push(rh_spot *spot, double share)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        if (!spot->query.is_fixed[k]) {
            spot->bench->values[reduction->place[k]] += share * spot->slopes[0][k];
        }
    }
}

// A step of a share of the way to a point of it. False: it is not taken, the spot is where it was.
static bool stride(rh_spot *spot, const double way[2], double share, const double at[2])
{
    RH_ASSERT(0.0 < share && share <= 1.0);
    const double back[2] = {dial_value(spot, 0), dial_value(spot, 1)};
    double first = 0.0;
    double shrinking = 0.0;
    rh__spot_save(spot, spot->kept);
    push(spot, share);
    rh__spot_turn(spot, at);
    if (correct(spot, share, &first, &shrinking) && rh__spot_slope(spot, way, spot->slopes[1]) &&
        is_explained(spot, share, shrinking) &&
        (first <= STRAIGHT || has_middle(spot, share, back, at))) {
        double *const old = spot->slopes[0];
        spot->slopes[0] = spot->slopes[1];
        spot->slopes[1] = old;
        return true;
    }
    rh__spot_turn(spot, back);
    rh__spot_load(spot, spot->kept);
    return false;
}

// A motion where branches meet is come to slowly: the last bit of the way with patience.
static bool arrive(rh_spot *spot, double share, const double to[2])
{
    rh_rest_answer answer;
    rh__spot_save(spot, spot->kept);
    push(spot, share);
    rh__spot_turn(spot, to);
    rh_status status = rh__rest_solve(spot->bench, &spot->query, &answer);
    if (status == RH_OK && answer.is_found) {
        status = rh__rest_confirm(spot->bench, &spot->query, &answer);
    }
    spot->status = status != RH_OK ? status : spot->status;
    bool ok = status == RH_OK && answer.is_found;
    for (uint32_t k = 0; ok && k < spot->chart->width; k++) {
        const double moved = fabs(place_value(spot, k) - spot->kept[k]);
        ok = spot->query.is_fixed[k] ||
             moved <= JERK * share * fabs(spot->slopes[0][k]) + BLUNT * size_of(spot, k);
    }
    return ok;
}

// The same where the search comes to no end: by places around it, where the branch goes on.
static bool bridge(rh_spot *spot, double share, const double to[2])
{
    rh__spot_load(spot, spot->kept);
    push(spot, share);
    rh__spot_turn(spot, to);
    return !spot->is_smoothing && rh__spot_smooth(spot);
}

bool rh__spot_reach(rh_spot *spot, const double from[2], const double to[2])
{
    const double way[2] = {to[0] - from[0], to[1] - from[1]};
    double done = 0.0;
    double step = spot->chart->longest;
    rh__spot_turn(spot, from);
    memcpy(spot->came[0], from, sizeof spot->came[0]);
    memcpy(spot->came[1], to, sizeof spot->came[1]);
    rh__spot_save(spot, spot->origin);
    if (way[0] == 0.0 && way[1] == 0.0) {
        return rh__spot_stand(spot, to);
    }
    if (!rh__spot_slope(spot, way, spot->slopes[0])) {
        return false;
    }
    for (uint32_t tries = 0; done < 1.0 && tries < TRIES && step > LEAST; tries++) {
        const double next = done + step < 1.0 ? done + step : 1.0;
        const double at[2] = {next < 1.0 ? from[0] + next * way[0] : to[0],
                              next < 1.0 ? from[1] + next * way[1] : to[1]};
        if (atomic_load(&spot->chart->is_stopped)) {
            return false;
        }
        RH_ASSERT(done < next && next <= 1.0);
        if (stride(spot, way, next - done, at)) {
            done = next;
            step = fmin(2.0 * step, spot->chart->longest);
        } else {
            step = 0.5 * fmin(step, 1.0 - done);
        }
    }
    return (done >= 1.0 && rh__workbench_slope(spot->bench)) ||
           (done >= CLOSE && (arrive(spot, 1.0 - done, to) || bridge(spot, 1.0 - done, to)));
}

bool rh__spot_leap(rh_spot *spot, const double *last, const double at[2])
{
    const uint32_t width = spot->chart->width;
    double first = 0.0;
    double shrinking = 0.0;
    bool ok = true;
    rh__spot_save(spot, spot->kept);
    for (uint32_t k = 0; k < width; k++) {
        spot->slopes[0][k] = spot->kept[k] - last[k];
    }
    rh__spot_turn(spot, at);
    ok = correct(spot, 1.0, &first, &shrinking);
    for (uint32_t k = 0; ok && k < width; k++) {
        ok = spot->query.is_fixed[k] ||
             fabs(place_value(spot, k) - spot->kept[k]) <=
                 ASIDE * fabs(spot->slopes[0][k]) + SETTLED * spot->noise[k];
    }
    return ok && rh__workbench_slope(spot->bench);
}
