// SPDX-License-Identifier: Apache-2.0
// Corners: the multipliers of the open gates from rates, responses and pushes. There is one motion,
// none (E507) or several (E508). Several it is too where multipliers that leave all rates as they
// are push the coordinates differently. Theory: docs/theory/onesided.md, "Corners".

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 // of the sizes of pushes: so different they are the same

static void fail_with(rh_motion *motion, rh_diagnostic_code code, const char *what, const char *why)
{
    const rh_mode *mode = &motion->mode;
    RH_ASSERT(mode->open_count > 0);
    rh__motion_fail(motion, code, "%s at t = %.17g, where %s%s %s%s", what, motion->t,
                    mode->gates[mode->open[0]].name, mode->open_count > 1 ? " and others" : "",
                    mode->open_count > 1 ? "are met" : "is met", why);
}

// The same where the multipliers of the open ones are none, or one of many choices.
static void fail_open(rh_motion *motion, rh_diagnostic_code code, const char *what, const char *why)
{
    for (uint32_t k = 0; k < motion->mode.open_count; k++) {
        motion->mode.gates[motion->mode.open[k]].is_undetermined = true;
    }
    fail_with(motion, code, what, why);
}

// The multipliers of the open gates, as far as numbers go that are no more than rounding.
static void fill_problem(rh_motion *motion, rh_complement_problem *out)
{
    rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    RH_ASSERT(count <= RH_GATE_OPEN);
    double *slack = mode->noise;
    double *multiplier = mode->noise + count;
    for (uint32_t k = 0; k < count; k++) {
        RH_ASSERT(!(slack[k] < 0.0));
        const double own = fabs(mode->response[k * count + k]);
        multiplier[k] = own > 0.0 ? slack[k] / own : 0.0;
    }
    *out = (rh_complement_problem){.n = count,
                                   .matrix = mode->response,
                                   .constant = mode->rate,
                                   .slack_tolerance = slack,
                                   .multiplier_tolerance = multiplier};
}

// The multiplier that undoes the rate of its own gate; 0: there is none.
static double unit_of(const rh_mode *mode, uint32_t j)
{
    const double own = fabs(mode->response[(size_t)j * mode->open_count + j]);
    return own > 0.0 ? fabs(mode->rate[j]) / own : 0.0;
}

// One sum of all that the multipliers push, each column of `push` in its own size: other pushes are
// another sum. Into `sum`, by gate; such multipliers make it no larger than 1 each.
static void add_pushes(const rh_mode *mode, const double *push, uint32_t width, double *sum)
{
    const uint32_t count = mode->open_count;
    for (uint32_t i = 0; i < width; i++) {
        double largest = 0.0;
        for (uint32_t j = 0; j < count; j++) {
            largest = fmax(largest, fabs(push[(size_t)j * width + i]) * unit_of(mode, j));
        }
        const double share = 0.618033988749895 * (i + 1);
        const double weight = (0.5 + share - floor(share)) / (1.5 * width);
        for (uint32_t j = 0; largest > 0.0 && j < count; j++) {
            sum[j] += weight * push[(size_t)j * width + i] / largest;
        }
    }
}

// Do other multipliers with the same rates make another motion? Asked by one pair more, whose slack
// is that sum above a level that it does not come down to, and whose multiplier vanishes.
static rh_status ask_for_others(rh_motion *motion, const rh_complement_problem *problem,
                                const double *push, uint32_t width, bool *out)
{
    rh_mode *mode = &motion->mode;
    const uint32_t n = problem->n;
    const uint32_t more = n + 1;
    RH_ASSERT(n < RH_COMPLEMENT_ENUMERATED);
    double *matrix = rh__arena_array(&mode->scratch, double, ((size_t)more * more));
    double *constant = rh__arena_array(&mode->scratch, double, more);
    double *slack = rh__arena_array(&mode->scratch, double, more);
    double *multiplier = rh__arena_array(&mode->scratch, double, more);
    if (matrix == NULL || constant == NULL || slack == NULL || multiplier == NULL) {
        return mode->scratch.status;
    }
    const double level = 4.0 * n;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(matrix + (size_t)i * more, problem->matrix + (size_t)i * n, n * sizeof *matrix);
        constant[i] = problem->constant[i];
        slack[i] = problem->slack_tolerance[i];
        multiplier[i] = problem->multiplier_tolerance[i];
    }
    add_pushes(mode, push, width, matrix + (size_t)n * more);
    matrix[(size_t)n * more + n] = 1.0;
    constant[n] = level;
    slack[n] = multiplier[n] = SAME * level;
    rh_complement_problem wider = *problem;
    wider.n = more;
    wider.matrix = matrix;
    wider.constant = constant;
    wider.slack_tolerance = slack;
    wider.multiplier_tolerance = multiplier;
    rh_complement_result result;
    RH_TRY(rh__complement_solve(&mode->scratch, &wider, &result));
    *out = result.answer == RH_COMPLEMENT_SEVERAL;
    return RH_OK;
}

const rh_complement_solution *rh__corner_solve(rh_motion *motion, const double *push,
                                               uint32_t width)
{
    rh_mode *mode = &motion->mode;
    rh_complement_problem problem;
    rh_complement_result result;
    fill_problem(motion, &problem);
    rh_status status = rh__complement_solve(&mode->scratch, &problem, &result);
    bool has_others = status == RH_OK && result.answer == RH_COMPLEMENT_SEVERAL;
    if (status == RH_OK && result.answer == RH_COMPLEMENT_ONE && !result.solutions[0].is_unique &&
        problem.n < RH_COMPLEMENT_ENUMERATED) {
        status = ask_for_others(motion, &problem, push, width, &has_others);
    }
    if (status != RH_OK) {
        fail_with(motion, RH_DIAGNOSTIC_E515, "the motion cannot go on",
                  ": there was no memory, or no finite number");
        return NULL;
    }
    if (result.answer == RH_COMPLEMENT_NONE) {
        fail_open(motion, RH_DIAGNOSTIC_E507, "the motion has no continuation",
                  ": no reactions of the allowed signs keep it on the right side");
        return NULL;
    }
    if (has_others) {
        fail_open(motion, RH_DIAGNOSTIC_E508, "the motion has several continuations",
                  ": reactions of the allowed signs are not determined");
        return NULL;
    }
    return &result.solutions[0];
}

bool rh__corner_is_open(const rh_motion *motion, uint32_t link)
{
    RH_ASSERT(link < motion->equations->links.count);
    bool is = false;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const rh_gate *gate = &motion->mode.gates[k];
        is = is || (gate->link == link && gate->is_undetermined);
    }
    return is;
}
