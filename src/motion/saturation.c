// SPDX-License-Identifier: Apache-2.0
// Functions that are constant to rounding: exp far below zero and tanh far from it. Their series is
// zero whatever comes later, and no error estimate sees a pulse exp(-((t - 5)/0.1)^2) before it is
// there. While such a function is saturated a step ends where its argument comes back, as the
// polynomial of the step says: the argument is sampled along the step at Chebyshev points, and the
// first root of (interpolating polynomial - level) is looked for; where the interpolation is not
// good the step is shortened. Below the tolerance a function is not seen either, by few terms of a
// series or by any other method: steps come nearer level by level until it is. The same for such
// functions in events.

#include "motion/motion.h"

#include <math.h>

enum {
    NODES = 13,              // of the interpolation
    CHECKS = 3,              // places where it is compared with the argument
    POINTS = NODES + CHECKS, // samples of each argument
    MOST_HALVINGS = 40
};

#define PI 3.14159265358979323846
#define SLACK 0.5      // an argument that is nearer to a level has reached it
#define DEVIATION 1e-3 // of the interpolation: this much of the way to the level

// exp is 1e-50, 1e-34, 1e-19, 1e-7, 2e-2 there; 1 - tanh^2 9e-16, 8e-9, 1e-3.
static const double EXP_LEVELS[] = {-115.0, -78.0, -42.0, -16.0, -4.0};
static const double TANH_LEVELS[] = {-18.0, -10.0, -4.0};

static const double CHECK_AT[CHECKS] = {0.137, 0.452, 0.871};

static bool may_saturate(const rh_tape_group *group)
{
    return group->code == RH_TAPE_EXP || group->code == RH_TAPE_TANH;
}

static uint32_t count_arguments(const rh_tape *tape)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        count += may_saturate(&tape->groups[g]) ? tape->groups[g].count : 0;
    }
    return count;
}

bool rh__saturation_is_possible(const rh_motion *motion)
{
    return count_arguments(motion->system->step) > 0;
}

static void list_arguments(rh_saturation *saturation, const rh_tape *tape, bool is_watched)
{
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        for (uint32_t i = 0; may_saturate(group) && i < group->count; i++) {
            saturation->arguments[saturation->count++] =
                (rh_saturating){.slot = tape->operands[group->operand + i],
                                .is_exp = group->code == RH_TAPE_EXP,
                                .is_watched = is_watched};
        }
    }
}

rh_status rh__saturation_create(rh_motion *motion)
{
    const rh_system *system = motion->system;
    rh_saturation *saturation = &motion->saturation;
    rh_arena *arena = &motion->arena;
    const uint32_t count = count_arguments(system->step) + count_arguments(system->watch);
    *saturation = (rh_saturation){.count = 0};
    if (count == 0) {
        return RH_OK;
    }
    saturation->arguments = rh__arena_array(arena, rh_saturating, count);
    saturation->samples = rh__arena_array(arena, double, (size_t)POINTS *count);
    if (saturation->arguments == NULL || saturation->samples == NULL) {
        return arena->status;
    }
    list_arguments(saturation, system->step, false);
    saturation->stepping = saturation->count;
    list_arguments(saturation, system->watch, true);
    RH_ASSERT(saturation->count == count);
    return RH_OK;
}

// The argument so that the function is saturated far below zero.
static double depth_of(const rh_saturating *it, double argument)
{
    return it->is_exp ? argument : -fabs(argument);
}

// The level that a step from `depth` must not pass; INFINITY: there is none.
static double level_above(const rh_saturating *it, double depth)
{
    const double *levels = it->is_exp ? EXP_LEVELS : TANH_LEVELS;
    const size_t count = it->is_exp ? sizeof EXP_LEVELS / sizeof *EXP_LEVELS
                                    : sizeof TANH_LEVELS / sizeof *TANH_LEVELS;
    for (size_t k = 0; k < count; k++) {
        if (depth < levels[k] - SLACK) {
            return levels[k];
        }
    }
    return INFINITY;
}

static double node_at(uint32_t j)
{
    return (1.0 - cos(PI * j / (NODES - 1))) / 2.0;
}

// Arguments at a share of the step, as their samples j.
static void sample(rh_motion *motion, uint32_t j, double share, double length)
{
    RH_ASSERT(j < POINTS && 0.0 <= share && share <= 1.0);
    rh_saturation *saturation = &motion->saturation;
    const double time = motion->t + share * length;
    double *inputs = rh__jet_row(motion->plain, 0);
    rh__series_value(&motion->series, time, motion->x_try);
    inputs[0] = time;
    for (uint32_t i = 0; i < motion->n; i++) {
        inputs[1 + i] = j == 0 ? motion->x[i] : motion->x_try[i];
    }
    rh__motion_run_plain(motion, time, inputs + 1);
    if (saturation->count > saturation->stepping) {
        rh__cluster_run_watched(motion);
    }
    for (uint32_t k = 0; k < saturation->count; k++) {
        const rh_tape_state *state =
            saturation->arguments[k].is_watched ? motion->watch_point : motion->plain;
        const double u = rh__jet_row(state, 0)[saturation->arguments[k].slot];
        saturation->samples[(size_t)POINTS * k + j] = u;
    }
}

// Newton's interpolation of the samples, by powers of the share of the step.
static void interpolate(const double *samples, double *out)
{
    double newton[NODES];
    for (uint32_t j = 0; j < NODES; j++) {
        newton[j] = samples[j];
    }
    for (uint32_t k = 1; k < NODES; k++) {
        for (uint32_t j = NODES - 1; j >= k; j--) {
            newton[j] = (newton[j] - newton[j - 1]) / (node_at(j) - node_at(j - k));
        }
    }
    for (uint32_t j = 0; j < NODES; j++) {
        out[j] = 0.0;
    }
    for (uint32_t k = NODES; k-- > 0;) {
        for (uint32_t j = NODES - 1; j > 0; j--) {
            out[j] = out[j - 1] - node_at(k) * out[j];
        }
        out[0] = newton[k] - node_at(k) * out[0];
    }
}

// The share of the step at which an argument meets the level; 1: it does not; 0: the step is too
// long to tell.
static double share_until(const double *samples, double level)
{
    double c[NODES];
    RH_ASSERT(isfinite(level));
    double work[RH_POLYNOMIAL_WORK(NODES - 1)];
    rh_root roots[NODES];
    interpolate(samples, c);
    for (uint32_t k = 0; k < CHECKS; k++) {
        const double u = samples[NODES + k];
        const double off = fabs(rh__polynomial_value(c, NODES - 1, CHECK_AT[k]) - u);
        if (!(off <= fmax(DEVIATION * fabs(u - level), SLACK / 2.0))) {
            return 0.0;
        }
    }
    c[0] -= level;
    rh_root_list found = {.data = roots, .capacity = NODES};
    const rh_root_query query = {.c = c, .degree = NODES - 1, .tolerance = 1e-12};
    if (rh__polynomial_roots(&query, work, &found) != RH_OK) {
        return 0.0;
    }
    return found.count > 0 ? fmin(roots[0].at, 1.0) : 1.0;
}

// The least share over all functions that are saturated where the step begins.
static double least_share(const rh_motion *motion)
{
    const rh_saturation *saturation = &motion->saturation;
    double least = 1.0;
    for (uint32_t k = 0; k < saturation->count; k++) {
        const rh_saturating *it = &saturation->arguments[k];
        const double *samples = saturation->samples + (size_t)POINTS * k;
        const double level = level_above(it, depth_of(it, samples[0]));
        if (isfinite(level)) {
            const double sign = it->is_exp || samples[0] < 0.0 ? 1.0 : -1.0;
            least = fmin(least, share_until(samples, sign * level));
        }
    }
    return least;
}

double rh__saturation_limit(rh_motion *motion, double length)
{
    const rh_saturation *saturation = &motion->saturation;
    bool is_saturated = false;
    if (saturation->count == 0 || rh_motion_fixed_step(motion) > 0.0) {
        return length;
    }
    rh__tape_follow(motion->watch_point, motion->watch);
    sample(motion, 0, 0.0, length);
    for (uint32_t k = 0; k < saturation->count; k++) {
        const rh_saturating *it = &saturation->arguments[k];
        const double depth = depth_of(it, saturation->samples[(size_t)POINTS * k]);
        is_saturated = is_saturated || isfinite(level_above(it, depth));
    }
    double share = is_saturated ? 0.0 : 1.0;
    for (uint32_t k = 0; k < MOST_HALVINGS && share == 0.0; k++) {
        length = k == 0 ? length : length / 2.0;
        for (uint32_t j = 1; j < NODES; j++) {
            sample(motion, j, node_at(j), length);
        }
        for (uint32_t j = 0; j < CHECKS; j++) {
            sample(motion, NODES + j, CHECK_AT[j], length);
        }
        share = least_share(motion);
    }
    RH_ASSERT(0.0 <= share && share <= 1.0);
    return motion->t + share * length > motion->t ? share * length : length;
}
