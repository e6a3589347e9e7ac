// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta steps of one given length: Euler's, Heun's, Kutta's of order 3 and 4, and
// that of Dormand and Prince of order 5. Nothing is measured and nothing adapted: they are here to
// show what a law does to a plain method. Between the ends Hermite's cubic. A step is shorter only
// where an event, an input or the caller ends it.

#include "motion/motion.h"

#include <math.h>

enum { MOST_STAGES = 6, DEGREE = 3 };

#define SHORTEST 1e-90
#define NEARLY (1.0 + 1e-6) // a rest that is a step but for the rounding of the clock

typedef struct plan {
    uint32_t stages;
    double node[MOST_STAGES];
    double weight[MOST_STAGES][MOST_STAGES];
    double end[MOST_STAGES];
} plan;

static const plan EULER = {.stages = 1, .end = {1.0}};
static const plan HEUN = {
    .stages = 2, .node = {0.0, 1.0}, .weight = {{0.0}, {1.0}}, .end = {1.0 / 2.0, 1.0 / 2.0}};
static const plan KUTTA3 = {.stages = 3,
                            .node = {0.0, 1.0 / 2.0, 1.0},
                            .weight = {{0.0}, {1.0 / 2.0}, {-1.0, 2.0}},
                            .end = {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0}};
static const plan KUTTA4 = {.stages = 4,
                            .node = {0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0},
                            .weight = {{0.0}, {1.0 / 2.0}, {0.0, 1.0 / 2.0}, {0.0, 0.0, 1.0}},
                            .end = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};
static const plan DORMAND = {
    .stages = 6,
    .node = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0},
    .weight = {{0.0},
               {1.0 / 5.0},
               {3.0 / 40.0, 9.0 / 40.0},
               {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
               {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
               {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
    .end = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};

typedef struct fixed {
    double *rate[MOST_STAGES + 1]; // the last one at the end
    double *x;                     // of a stage, then of the end
} fixed;

static rh_status create(rh_motion *motion, rh_error *err)
{
    (void)err;
    const size_t n = (size_t)motion->n + 1;
    fixed *data = rh__arena_new(&motion->arena, fixed);
    double *room = rh__arena_array(&motion->arena, double, n *(MOST_STAGES + 2));
    if (data == NULL || room == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k <= MOST_STAGES; k++) {
        data->rate[k] = room + k * n;
    }
    data->x = room + (MOST_STAGES + 1) * n;
    motion->stepper_data = data;
    return RH_OK;
}

static const plan *plan_of(const rh_motion *motion)
{
    static const plan *const PLANS[RH_FIXED_COUNT] = {&EULER, &HEUN, &KUTTA3, &KUTTA4, &DORMAND};
    uint32_t k = 0;
    while (k + 1 < RH_FIXED_COUNT && motion->stepper != &rh__steppers_fixed[k]) {
        k++;
    }
    RH_ASSERT(motion->stepper == &rh__steppers_fixed[k]);
    return PLANS[k];
}

// x + length * sum of weight * rate, into the room of a stage.
static void place(const rh_motion *motion, fixed *data, const double *weight, uint32_t count,
                  double length)
{
    RH_ASSERT(count <= MOST_STAGES && weight != data->x);
    for (uint32_t i = 0; i < motion->n; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < count; j++) {
            sum += weight[j] * data->rate[j][i];
        }
        data->x[i] = motion->x[i] + length * sum;
    }
}

static void make_series(rh_motion *motion, const fixed *data, const double *last, double length)
{
    const uint32_t n = motion->n;
    RH_ASSERT(length > 0.0 && last != data->x);
    double *c = rh__series_begin(&motion->series);
    motion->series.begin = motion->t;
    motion->series.degree = DEGREE;
    for (uint32_t i = 0; i < n; i++) {
        const double way = data->x[i] - motion->x[i];
        const double first = length * data->rate[0][i];
        const double end = length * last[i];
        c[i] = motion->x[i];
        c[n + i] = data->rate[0][i];
        // of steps whose powers are no numbers a straight line is all there is
        const bool is_line = length < SHORTEST;
        c[2 * (size_t)n + i] = is_line ? 0.0 : (3.0 * way - 2.0 * first - end) / (length * length);
        c[3 * (size_t)n + i] =
            is_line ? 0.0 : (first + end - 2.0 * way) / (length * length * length);
    }
}

static rh_expansion expand(rh_motion *motion, double *length)
{
    fixed *data = motion->stepper_data;
    const plan *by = plan_of(motion);
    RH_ASSERT(motion->fixed_step > 0.0 && *length > 0.0);
    const double h = *length <= motion->fixed_step * NEARLY ? *length : motion->fixed_step;
    rh__motion_rate(motion, motion->t, motion->x, data->rate[0]);
    motion->step->quality = motion->plain->quality;
    if (motion->plain->quality.is_failed) {
        return RH_EXPANSION_FAILED;
    }
    for (uint32_t k = 1; k < by->stages; k++) {
        place(motion, data, by->weight[k], k, h);
        rh__motion_rate(motion, motion->t + by->node[k] * h, data->x, data->rate[k]);
    }
    place(motion, data, by->end, by->stages, h);
    double *last = data->rate[MOST_STAGES];
    rh__motion_rate(motion, motion->t + h, data->x, last);
    for (uint32_t i = 0; i < motion->n; i++) { // no rate there: a straight line leads there
        last[i] = isfinite(last[i]) ? last[i] : (data->x[i] - motion->x[i]) / h;
    }
    make_series(motion, data, last, h);
    *length = h;
    const bool is_well = rh__vector_is_finite((size_t)(DEGREE + 1) * motion->n, motion->series.own);
    return is_well ? RH_EXPANSION_DONE : RH_EXPANSION_FAILED;
}

const rh_stepper rh__steppers_fixed[RH_FIXED_COUNT] = {
    {.name = "euler", .order = 1, .create = create, .expand = expand},
    {.name = "rk2", .order = 2, .create = create, .expand = expand},
    {.name = "rk3", .order = 3, .create = create, .expand = expand},
    {.name = "rk4", .order = 4, .create = create, .expand = expand},
    {.name = "dp5", .order = 5, .create = create, .expand = expand},
};

double rh_motion_fixed_step(const rh_motion *motion)
{
    bool is_fixed = false;
    for (uint32_t k = 0; k < RH_FIXED_COUNT; k++) {
        is_fixed = is_fixed || motion->stepper == &rh__steppers_fixed[k];
    }
    return is_fixed ? motion->fixed_step : 0.0;
}
