// SPDX-License-Identifier: Apache-2.0
// Places of a branch where something changes: a test has different signs at both ends of a step.
// The place is found between them by regula falsi (Illinois), halving where that is slow.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };

#define CERTAIN 1e-10 // a test that is smaller has no sign

const char *rh_branch_mark_text(rh_branch_mark mark)
{
    static const char *const WORDS[] = {"point", "fold", "pitchfork", "plus-one", "flip", "torus"};
    return (size_t)mark < sizeof WORDS / sizeof *WORDS ? WORDS[mark] : "";
}

rh_branch_mark rh__branch_name(const rh_branch *branch, rh_branch_test test)
{
    switch (test) {
    case RH_TEST_FOLD:
        return RH_BRANCH_FOLD;
    case RH_TEST_PLUS:
        return RH_BRANCH_PLUS_ONE;
    case RH_TEST_MINUS:
        // over half a period: the whole has a multiplier 1, whose orbit is not symmetric
        return branch->orbit->is_half ? RH_BRANCH_PITCHFORK : RH_BRANCH_FLIP;
    default:
        return RH_BRANCH_TORUS;
    }
}

static bool differ(double a, double b)
{
    return (a > CERTAIN && b < -CERTAIN) || (a < -CERTAIN && b > CERTAIN);
}

uint32_t rh__branch_compare(const rh_branch *branch)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < RH_TEST_COUNT; k++) {
        found |= (uint32_t)differ(branch->last.tests[k], branch->next.tests[k]) << k;
    }
    // at a fold a multiplier is 1 as well
    return (found & 1u << RH_TEST_FOLD) != 0 ? found & ~(1u << RH_TEST_PLUS) : found;
}

// Is it a pair that crosses the circle, and no two real ones?
static bool is_pair(const rh_station *station)
{
    double nearest = INFINITY;
    bool found = false;
    for (uint32_t k = 0; k < station->multiplier_count; k++) {
        const rh_multiplier *it = &station->own[k];
        const double away = fabs(hypot(it->real, it->imaginary) - 1.0);
        if (!it->is_trivial && away < nearest) {
            nearest = away;
            found = it->imaginary != 0.0;
        }
    }
    return found;
}

static void swap(rh_station *a, rh_station *b)
{
    const rh_station held = *a;
    *a = *b;
    *b = held;
}

// Between both stations, if nothing else can be said.
static void settle(rh_branch *branch, bool has_low)
{
    const rh_station *low = has_low ? &branch->low : &branch->last;
    const rh_station *high = branch->has_high ? &branch->high : &branch->next;
    rh_branch_place *out = &branch->place;
    out->parameter = high->parameter;
    out->width = fabs(high->parameter - low->parameter) + branch->def.resolution * branch->span;
    out->period = high->passage.time;
    out->period_error = fabs(high->passage.time - low->passage.time);
    memcpy(out->start, high->shown, branch->orbit->n * sizeof *out->start);
}

rh_status rh__branch_locate(rh_branch *branch, rh_branch_test test, bool *out_is_found)
{
    double low = 0.0;
    double high = rh__branch_distance(branch, &branch->next);
    double at_low = branch->last.tests[test];
    double at_high = branch->next.tests[test];
    double width = fabs(branch->next.parameter - branch->last.parameter);
    double wide = high;
    bool is_there = true;
    bool has_low = false;
    branch->has_high = false;
    branch->low.parameter = branch->last.parameter;
    branch->high.parameter = branch->next.parameter;
    for (uint32_t k = 0; is_there && k < ROUNDS; k++) {
        const bool is_close =
            width <= branch->def.resolution * branch->span && (high - low) < 1e-6 * wide;
        if (is_close) {
            break;
        }
        double at = low + (high - low) * at_low / (at_low - at_high);
        at = k % 3 == 2 || !(at > low && at < high) ? 0.5 * (low + high) : at;
        const rh_aim aim = {.from = &branch->last, .length = at};
        uint32_t rounds = 0;
        rh_station *station = &branch->middle;
        RH_TRY(rh__branch_correct(branch, &aim, station, &rounds, &is_there));
        if (!is_there) {
            break;
        }
        const double value = station->tests[test];
        const bool is_low = (value > 0.0) == (branch->last.tests[test] > 0.0);
        if (is_low) {
            low = at;
            at_low = value;
            at_high *= 0.5;
            swap(&branch->low, station);
            has_low = true;
        } else {
            high = at;
            at_high = value;
            at_low *= 0.5;
            swap(&branch->high, station);
            branch->has_high = true;
        }
        width = fabs(branch->high.parameter - branch->low.parameter);
        is_there = high - low > 1e-15;
    }
    // what could not be narrowed is there all the same, within its width
    *out_is_found =
        test != RH_TEST_TORUS || is_pair(branch->has_high ? &branch->high : &branch->next);
    settle(branch, has_low);
    return *out_is_found ? rh__branch_sharpen(branch, test, 0.5 * (low + high), wide) : RH_OK;
}
