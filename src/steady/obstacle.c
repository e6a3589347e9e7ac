// SPDX-License-Identifier: Apache-2.0
// What stands in the way of a linear part at a state: equations that are singular there, or so near
// to it that rounding decides, one-sided constraints that pull or are violated, and constraints
// that no state near the start satisfies.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define SINGULAR 1e-10 // reciprocal condition of the inertia, or of the velocities
#define NONE 1e-15     // of the size of a variable: a value that is zero but for rounding
#define ALLOWED 1e-9   // of a force or a distance: rounding

// --- constraints ---------------------------------------------------------------------------------

rh_status rh__constraints_unmet(rh_frame_ground *ground, uint32_t *out)
{
    rh_arena *arena = ground->arena;
    *out = UINT32_MAX;
    if (ground->is_consistent) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(arena);
    const size_t slots = ground->layout.symbols.count;
    bool *is_bound = rh__arena_array(arena, bool, slots + 1);
    double *values = rh__arena_array(arena, double, slots + 1);
    RH_TRY(is_bound == NULL || values == NULL ? arena->status : RH_OK);
    memcpy(values, ground->start.values, slots * sizeof *values);
    rh_start_missed missed;
    const rh_status status = rh__start_bind(ground->equations, is_bound, ground->is_kept, arena,
                                            &ground->start, &missed);
    memcpy(ground->start.values, values, slots * sizeof *values);
    rh__arena_rewind(arena, mark);
    *out = status == RH_OK && !missed.is_met ? missed.link : UINT32_MAX;
    return status;
}

// --- singular states -----------------------------------------------------------------------------

// Do all values that are zero but for rounding lead to equations that can be evaluated when they
// are zero? Beside a pole the equations of one digit are not those of the next.
static bool holds_at_zero(rh_workbench *bench, double *kept)
{
    const rh_reduction *reduction = bench->reduction;
    bool is_changed = false;
    memcpy(kept, bench->values, reduction->slot_count * sizeof *kept);
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        if (fabs(kept[slot]) < NONE * reduction->engine.unit[slot] && kept[slot] != 0.0) {
            bench->values[slot] = 0.0;
            is_changed = true;
        }
    }
    const bool holds = !is_changed || rh__workbench_condition(bench) >= SINGULAR;
    memcpy(bench->values, kept, reduction->slot_count * sizeof *kept);
    return holds;
}

rh_status rh__state_is_singular(rh_workbench *bench, bool is_given, bool *out)
{
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    double *kept = rh__arena_array(arena, double, (size_t)bench->reduction->slot_count + 1);
    RH_TRY(kept == NULL ? arena->status : RH_OK);
    *out = rh__workbench_condition(bench) < SINGULAR || !holds_at_zero(bench, kept);
    if (!rh__workbench_slope(bench)) {
        *out = true;
    }
    const rh_status status = *out ? RH_OK : rh__doubt_is_whole(bench, is_given, out);
    rh__arena_rewind(arena, mark);
    return status;
}

void rh__state_say(const rh_workbench *bench, size_t size, char *out)
{
    const rh_reduction *reduction = bench->reduction;
    const uint32_t first = reduction->engine.velocities.first;
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < reduction->place_count && at + 1 < size; k++) {
        const uint32_t slot = reduction->place[k];
        const bool is_velocity = slot > first && slot <= first + reduction->engine.velocities.count;
        const double value = bench->values[slot];
        const bool is_zero = fabs(value) < 1e-7 * reduction->engine.unit[slot];
        if (!is_velocity) {
            const int more =
                rh__text_fill(out + at, size - at, "%s%.60s = %.6g", at == 0 ? "" : ", ",
                              reduction->names[slot], is_zero ? 0.0 : value);
            at += more > 0 ? (size_t)more : 0;
        }
    }
    if (out[0] == '\0') {
        (void)rh__text_fill(out, size, "the start");
    }
}

// --- one-sided constraints -----------------------------------------------------------------------

uint32_t rh__sides_refuse(const rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    for (uint32_t k = 0; k < reduction->side_count; k++) {
        const uint32_t output = reduction->side_first + k;
        if (!(bench->outputs[output] >= -ALLOWED * reduction->typical[output])) {
            return k;
        }
    }
    return UINT32_MAX;
}
