// SPDX-License-Identifier: Apache-2.0
// Places that a search cannot see: where rates are continuous and their slopes grow without bound,
// as those of x' = -x + sqrt(abs(x)) at x = 0, steps of Newton lead anywhere, and a motion that is
// steady there is not found. Beside a surface on which the equations switch slopes are compared at
// ever smaller distances: a power of the distance between 0 and 1 shows by its growth.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define FIRST 1e-2  // distance from the surface, in units of |z| and the size of z
#define NEARER 1e-3 // of one distance: the next one
#define GROWN 1.8   // slopes from one distance to the next: they have no bound
#define POLE 700.0  // the same: rates themselves have none
enum { STEPS = 30, DISTANCES = 3 };

static double size_of(const rh_workbench *bench, uint32_t place)
{
    const rh_reduction *reduction = bench->reduction;
    const uint32_t slot = reduction->place[place];
    return rh__engine_size(&reduction->engine, slot, bench->values[slot]);
}

// The way along the normal of a surface at the state of the bench, by place, of length one in
// units; hands back how much what vanishes on it grows along it. 0: it has no normal.
static double find_normal(const rh_workbench *bench, uint32_t output, double *out)
{
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        out[k] = bench->jacobian[output + k * outputs] * size_of(bench, k);
    }
    const double length = rh__vector_norm(reduction->place_count, out);
    for (uint32_t k = 0; length > 0.0 && k < reduction->place_count; k++) {
        out[k] /= length;
    }
    return length;
}

static void move(rh_workbench *bench, const double *from, const double *normal, double length)
{
    const rh_reduction *reduction = bench->reduction;
    memcpy(bench->values, from, reduction->slot_count * sizeof *from);
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        bench->values[slot] +=
            length * normal[k] * rh__engine_size(&reduction->engine, slot, from[slot]);
    }
}

// To a place on the surface or next to it, kept in `at`, from where the bench is; slopes are not
// there on it, so the last step is not taken. False: there is none.
static bool approach(rh_workbench *bench, uint32_t output, double *normal, double *at,
                     double *out_left)
{
    const uint32_t slots = bench->reduction->slot_count;
    double left = INFINITY;
    for (uint32_t n = 0; n < STEPS && fabs(left) > FIRST * NEARER; n++) {
        if (!rh__workbench_slope(bench)) {
            return false;
        }
        const double rise = find_normal(bench, output, normal);
        if (!(rise > 0.0)) {
            return false;
        }
        left = -bench->outputs[output] / rise;
        memcpy(at, bench->values, slots * sizeof *at);
        move(bench, at, normal, left * (1.0 - 0.5 * FIRST * NEARER));
    }
    *out_left = left;
    return fabs(left) <= FIRST * NEARER;
}

// The largest slope of a rate along the normal, in units.
static double steepness(const rh_workbench *bench, const double *normal)
{
    const rh_reduction *reduction = bench->reduction;
    double largest = 0.0;
    for (uint32_t i = 0; i < reduction->y_count; i++) {
        const uint32_t rate = reduction->place[i] - 1;
        double sum = 0.0;
        for (uint32_t k = 0; k < reduction->place_count; k++) {
            sum += bench->jacobian[rate + (size_t)k * reduction->slopes.output_count] * normal[k] *
                   size_of(bench, k);
        }
        largest = fmax(largest, fabs(sum) / reduction->typical[rate]);
    }
    return largest;
}

static bool is_steep(rh_workbench *bench, uint32_t output, double *normal, double *at)
{
    double left = 0.0;
    bool is_there = approach(bench, output, normal, at, &left);
    for (int side = 0; is_there && side < 2; side++) {
        double before = 0.0;
        double far = side == 0 ? FIRST : -FIRST;
        bool grows = true;
        for (int n = 0; grows && n < DISTANCES; n++, far *= NEARER) {
            move(bench, at, normal, left + far);
            grows = rh__workbench_slope(bench);
            const double now = grows ? steepness(bench, normal) : 0.0;
            grows = grows && (n == 0 || (now > GROWN * before && now < POLE * before));
            before = now;
        }
        if (grows) {
            return true;
        }
    }
    return false;
}

rh_status rh__unseen_find(rh_workbench *bench, const double *from, const char **out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    double *normal = rh__arena_array(arena, double, (size_t)reduction->place_count + 1);
    double *at = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    *out = "";
    RH_TRY(normal == NULL || at == NULL ? arena->status : RH_OK);
    for (uint32_t k = 0; k < reduction->engine.switch_count && (*out)[0] == '\0'; k++) {
        memcpy(bench->values, from, reduction->slot_count * sizeof *from);
        if (is_steep(bench, reduction->engine.switch_first + k, normal, at)) {
            *out = reduction->switch_names[k];
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}
