// SPDX-License-Identifier: Apache-2.0
// What a passage does to volumes: the product of all multipliers is the exponential of the integral
// of div f along it (Liouville). Tangents lose a multiplier that is smaller than the rounding of
// others; from their product and the others it is known again.

#include "orbit/orbit.h"

#include <math.h>

enum { NODES = 10 };

#define SMALL 1e-4 // of the size of the map: a multiplier that tangents know to fewer digits
#define MOST 0.1   // such a one at most

// The integral over the last step of the motion; NaN where f has no derivative.
static double integrate_step(rh_orbit *orbit, double *work, double *jacobian)
{
    rh_motion *motion = orbit->motion;
    const double begin = motion->t_before;
    const double length = motion->t - begin;
    double nodes[NODES];
    double weights[NODES];
    double sum = 0.0;
    rh__quadrature_gauss(NODES, nodes, weights);
    rh__tracks_select(motion, begin + 0.5 * length);
    for (uint32_t k = 0; k < NODES; k++) {
        const double time = begin + nodes[k] * length;
        double trace = 0.0;
        rh__series_value(&motion->series, time, work);
        rh__motion_rate(motion, time, work, work + orbit->n);
        if (!rh__jacobian_run(&orbit->jacobian, motion->plain, jacobian)) {
            return (double)NAN;
        }
        for (uint32_t i = 0; i < orbit->n; i++) {
            trace += jacobian[(size_t)i * orbit->n + i];
        }
        sum += weights[k] * length * trace;
    }
    rh__tracks_select(motion, motion->t);
    return sum;
}

// The logarithm of the product of all multipliers; NaN: it was not found.
static rh_status find_volume(rh_orbit *orbit, rh_arena *scratch, double *out)
{
    rh_motion *motion = orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    double *work = rh__arena_array(scratch, double, 2 * (size_t)orbit->n + 1);
    double *jacobian = rh__arena_array(scratch, double, (size_t)orbit->n * orbit->n + 1);
    if (work == NULL || jacobian == NULL) {
        return scratch->status;
    }
    *out = 0.0;
    RH_TRY(rh__tape_bind(orbit->jacobian.state, rh__point_value, &motion->start.point));
    RH_TRY(rh__motion_place(motion, orbit->passage.start, &err));
    const double end = motion->t + orbit->passage.time;
    while (stop == RH_STOP_NONE && isfinite(*out) && !rh__orbit_is_over(orbit)) {
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        *out += integrate_step(orbit, work, jacobian);
    }
    *out = stop == RH_STOP_REACHED ? *out : (double)NAN;
    return RH_OK;
}

// The smallest multiplier, where it is one that tangents hardly know; UINT32_MAX: none is.
static uint32_t find_smallest(const rh_orbit *orbit, double most)
{
    uint32_t found = UINT32_MAX;
    double least = most;
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        const rh_multiplier *it = &orbit->multipliers[k];
        const double size = hypot(it->real, it->imaginary);
        if (!it->is_trivial && size < least) {
            least = size;
            found = it->imaginary == 0.0 ? k : UINT32_MAX;
        }
    }
    return found;
}

rh_status rh__volume_settle(rh_orbit *orbit, double size, rh_arena *scratch, uint32_t *out)
{
    *out = UINT32_MAX;
    const double most = fmin(SMALL * size, MOST);
    const uint32_t at = find_smallest(orbit, most);
    double rest = 0.0;
    double sign = 1.0;
    // constraints have directions across them, which the product knows and multipliers do not
    const bool is_plain = orbit->image.is_identity && orbit->passage.count == orbit->n &&
                          orbit->passage.jumps == 0 && orbit->leg_count == 0;
    if (at == UINT32_MAX || !is_plain || orbit->over != NULL) {
        return RH_OK;
    }
    RH_TRY(find_volume(orbit, scratch, &rest));
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        const rh_multiplier *it = &orbit->multipliers[k];
        if (k != at) {
            rest -= log(hypot(it->real, it->imaginary));
            sign *= it->imaginary == 0.0 && it->real < 0.0 ? -1.0 : 1.0;
        }
    }
    const double smallest = exp(rest);
    if (smallest < most) {
        orbit->multipliers[at].real = orbit->own[at].real = sign * smallest;
        *out = at;
    }
    return RH_OK;
}
