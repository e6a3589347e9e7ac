// SPDX-License-Identifier: Apache-2.0
// Many quantities: the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno with a weak
// Wolfe line search, which also descends in ravines that are nowhere smooth at their floor (Lewis
// and Overton 2013). Slopes are differences; ends of ranges are where a sine turns.

#include "optimum/optimum.h"

#include <math.h>
#include <string.h>

#define STEP 1e-6
enum { ROUNDS = 300, LINE = 50 };

typedef struct ravine {
    rh_optimum *optimum;
    uint32_t n;
    double u[RH_OPTIMUM_MOST], gradient[RH_OPTIMUM_MOST], value;
    double inverse[RH_OPTIMUM_MOST * RH_OPTIMUM_MOST]; // of the curvature
} ravine;

static double look(const ravine *in, const double *u)
{
    double at[RH_OPTIMUM_MOST] = {0.0};
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_optimum_range *range = &in->optimum->over[k];
        RH_ASSERT(range->low <= range->high);
        at[k] = range->low + 0.5 * (1.0 + sin(u[k])) * (range->high - range->low);
    }
    return rh__trial_near(in->optimum, at);
}

static bool find_slope(const ravine *in, const double *u, double *out)
{
    double moved[RH_OPTIMUM_MOST] = {0.0};
    bool ok = true;
    memcpy(moved, u, sizeof moved);
    for (uint32_t k = 0; ok && k < in->n; k++) {
        moved[k] = u[k] + STEP;
        const double high = look(in, moved);
        moved[k] = u[k] - STEP;
        out[k] = (high - look(in, moved)) / (2.0 * STEP);
        moved[k] = u[k];
        ok = isfinite(out[k]);
    }
    return ok;
}

static void stand_still(ravine *in)
{
    memset(in->inverse, 0, sizeof in->inverse);
    for (uint32_t k = 0; k < in->n; k++) {
        in->inverse[k + (size_t)k * in->n] = 1.0;
    }
}

// A step along a direction of descent that leads down enough and where the slope has become
// flatter; false: there is none.
static bool search_line(const ravine *in, const double *direction, double *out_u, double *out_slope,
                        double *out_value)
{
    double low = 0.0;
    double high = INFINITY;
    double length = 1.0;
    const double slope = rh__vector_dot(in->n, in->gradient, direction);
    RH_ASSERT(slope < 0.0); // it leads down
    for (uint32_t k = 0; k < LINE && !rh__trial_is_over(in->optimum); k++) {
        for (uint32_t j = 0; j < in->n; j++) {
            out_u[j] = in->u[j] + length * direction[j];
        }
        *out_value = look(in, out_u);
        if (!(*out_value < in->value + 1e-4 * length * slope)) {
            high = length;
        } else {
            if (!find_slope(in, out_u, out_slope)) {
                return false;
            }
            if (rh__vector_dot(in->n, out_slope, direction) > 0.5 * slope) {
                return true;
            }
            low = length;
        }
        length = isfinite(high) ? 0.5 * (low + high) : 2.0 * length;
    }
    return low > 0.0; // down it leads, if not flat enough
}

// The inverse of the curvature learns from a step s and the change y of the slope.
static void learn(ravine *in, const double *s, const double *y)
{
    const uint32_t n = in->n;
    const double sy = rh__vector_dot(n, s, y);
    double hy[RH_OPTIMUM_MOST];
    if (!(sy > 0.0)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        hy[i] = rh__vector_dot(n, in->inverse + (size_t)i * n, y);
    }
    const double yhy = rh__vector_dot(n, y, hy);
    RH_ASSERT(n <= RH_OPTIMUM_MOST);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            in->inverse[i + (size_t)j * n] +=
                (sy + yhy) * s[i] * s[j] / (sy * sy) - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

static bool descend(ravine *in)
{
    double direction[RH_OPTIMUM_MOST] = {0.0};
    double next[RH_OPTIMUM_MOST] = {0.0};
    double slope[RH_OPTIMUM_MOST] = {0.0};
    double s[RH_OPTIMUM_MOST] = {0.0};
    double y[RH_OPTIMUM_MOST] = {0.0};
    double value = 0.0;
    for (uint32_t k = 0; k < in->n; k++) {
        direction[k] = -rh__vector_dot(in->n, in->inverse + (size_t)k * in->n, in->gradient);
    }
    if (!(rh__vector_dot(in->n, direction, in->gradient) < 0.0) ||
        !search_line(in, direction, next, slope, &value) || !find_slope(in, next, slope)) {
        return false;
    }
    for (uint32_t k = 0; k < in->n; k++) {
        s[k] = next[k] - in->u[k];
        y[k] = slope[k] - in->gradient[k];
    }
    const bool is_down = value < in->value;
    memcpy(in->u, next, sizeof next);
    memcpy(in->gradient, slope, sizeof slope);
    in->value = value;
    learn(in, s, y);
    return is_down;
}

void rh__optimum_follow(rh_optimum *optimum, uint32_t round)
{
    RH_ASSERT(optimum->count > 0 && optimum->count <= RH_OPTIMUM_MOST);
    static const double SIZES[] = {0.0, 0.1, 0.01, 0.001};
    rh_random random = rh__random_begin(round);
    ravine in = {.optimum = optimum, .n = optimum->count};
    for (uint32_t k = 0; k < in.n; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        const double share = (optimum->best.at[k] - range->low) / (range->high - range->low);
        in.u[k] = asin(fmin(fmax(2.0 * share - 1.0, -0.999999), 0.999999));
        in.u[k] += SIZES[round % 4] * rh__random_uniform(&random, -1.0, 1.0);
    }
    stand_still(&in);
    in.value = look(&in, in.u);
    if (!isfinite(in.value) || !find_slope(&in, in.u, in.gradient)) {
        return;
    }
    for (uint32_t k = 0; k < ROUNDS && !rh__trial_is_over(optimum) && descend(&in); k++) {
    }
}
