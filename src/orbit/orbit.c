// SPDX-License-Identifier: Apache-2.0
// A periodic orbit, from the call to the verdict: names -> symmetry, and is it one? -> search
// (quest.c) -> what it tells.

#include "orbit/orbit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS = 16 };

#define STILL 1e-9     // an extent that is none
#define SYMMETRIC 1e-9 // what rates at images may differ by, relative

// --- names ---------------------------------------------------------------------------------------

// "xi, eta"
static rh_status read_free(rh_orbit *orbit, rh_error *err)
{
    const char *at = orbit->def.free;
    if (at == NULL) {
        return RH_OK;
    }
    orbit->is_free = rh__arena_array(&orbit->arena, bool, (size_t)orbit->n + 1);
    if (orbit->is_free == NULL) {
        return orbit->arena.status;
    }
    bool is_any = false;
    while (*at != '\0') {
        while (isspace((unsigned char)*at) || *at == ',') {
            at++;
        }
        rh_slice name = {at, strcspn(at, ",")};
        at += name.size;
        while (name.size > 0 && isspace((unsigned char)name.data[name.size - 1])) {
            name.size--;
        }
        uint32_t k = orbit->n;
        if (name.size > 0) {
            RH_TRY(rh__variable_find(orbit->names, orbit->n, name, &k, err));
        }
        orbit->is_free[k] = true;
        is_any = is_any || name.size > 0;
    }
    return is_any ? RH_OK
                  : rh__error_fill(err, RH_E_ARGUMENT,
                                   "no start value is free: name those that may change");
}

// --- what the equations allow --------------------------------------------------------------------

bool rh__orbit_reads_time(const rh_tape *tape)
{
    bool found = tape->feed_count > 0;
    for (uint32_t g = 0; !found && g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        const size_t count = group->code == RH_TAPE_SOLVE ? 0 : (size_t)group->arity * group->count;
        for (size_t k = 0; !found && k < count; k++) {
            found = tape->operands[group->operand + k] == 0;
        }
    }
    for (uint32_t b = 0; !found && b < tape->block_count; b++) {
        const rh_tape_block *block = &tape->blocks[b];
        for (uint32_t k = 0; !found && k < block->entry_count; k++) {
            found = block->entries[k].value.slot == 0;
        }
        for (uint32_t k = 0; !found && k < block->n; k++) {
            found = block->right[k].slot == 0;
        }
    }
    for (uint32_t k = 0; !found && k < tape->output_count; k++) {
        found = tape->outputs[k] == 0;
    }
    return found;
}

bool rh__orbit_is_over(rh_orbit *orbit)
{
    if (orbit->over == NULL && orbit->def.interrupt != NULL) {
        orbit->over = orbit->def.interrupt(orbit->def.user);
    }
    return orbit->over != NULL;
}

// A state near the start, on the constraints.
static rh_status wander(rh_orbit *orbit, rh_random *random, double *x)
{
    rh_motion *motion = orbit->motion;
    double residual = 0.0;
    for (uint32_t i = 0; i < orbit->n; i++) {
        x[i] = orbit->passage.start[i] +
               rh__random_uniform(random, -0.3, 0.3) * orbit->manifold.scale[i];
    }
    return rh__projector_apply(&motion->projector, motion->t, x, motion->mode.is_kept, &residual,
                               NULL);
}

typedef struct likeness {
    double *x, *image, *rate, *other; // n each
    double time;                      // how much later the image is
    double worst;
    uint32_t at; // variable
} likeness;

// The rate at x. The image of a state may be on the other side of a condition, or of what may act:
// there it is decided anew. False where no motion can begin.
static rh_status find_rate(rh_orbit *orbit, const double *x, double later, double *out,
                           bool *out_is_there)
{
    rh_motion *motion = orbit->motion;
    rh_error err = {.message = ""};
    const bool decides = motion->system->step->switch_count + motion->mode.gate_count > 0 &&
                         !orbit->image.is_identity;
    const rh_status placed = decides ? rh__motion_place(motion, x, &err) : RH_OK;
    *out_is_there = placed == RH_OK;
    if (placed != RH_OK) {
        return placed == RH_E_MODEL ? RH_OK : placed;
    }
    rh__motion_rate(motion, motion->t + later, x, out);
    return RH_OK;
}

// rate(t + time, S x) against S rate(t, x)
static rh_status compare(rh_orbit *orbit, likeness *it)
{
    const double time = orbit->passage.time > 0.0 ? orbit->passage.time : orbit->pace;
    bool is_there = false;
    RH_TRY(find_rate(orbit, it->x, 0.0, it->rate, &is_there));
    rh__image_apply(&orbit->image, it->x, it->image);
    RH_TRY(is_there ? find_rate(orbit, it->image, it->time, it->other, &is_there) : RH_OK);
    if (!is_there) {
        return RH_OK;
    }
    rh__image_turn(&orbit->image, it->rate, it->image);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double rate = fabs(it->image[i]) + orbit->manifold.scale[i] / time;
        const double away = fabs(it->image[i] - it->other[i]) / rate;
        if (away > it->worst) {
            it->worst = away;
            it->at = i;
        }
    }
    return RH_OK;
}

rh_status rh__orbit_check(rh_orbit *orbit, rh_error *err)
{
    const uint32_t n = orbit->n;
    // a table ends somewhere: it is taken for one period
    if (orbit->image.is_identity && orbit->motion->system->step->feed_count > 0) {
        return RH_OK;
    }
    double *room = rh__arena_array(&orbit->scratch, double, 4 * (size_t)n + 4);
    if (room == NULL) {
        return orbit->scratch.status;
    }
    likeness it = {
        .x = room, .image = room + n, .rate = room + 2 * (size_t)n, .other = room + 3 * (size_t)n};
    it.time = orbit->is_timed ? orbit->passage.time : 0.0;
    rh_random random = rh__random_begin(20);
    for (uint32_t k = 0; k < LOOKS; k++) {
        RH_TRY(wander(orbit, &random, it.x));
        RH_TRY(compare(orbit, &it));
    }
    if (!(it.worst > SYMMETRIC)) {
        return RH_OK;
    }
    return orbit->is_timed && orbit->image.is_identity
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "%.10g is no period of the equations: the rate of %s differs by "
                                "%.3g (relative) after it",
                                it.time, orbit->names[it.at], it.worst)
               : rh__error_fill(err, RH_E_ARGUMENT,
                                "that is no symmetry of the equations: the rate of %s differs by "
                                "%.3g (relative) at images of states",
                                orbit->names[it.at], it.worst);
}

// --- making --------------------------------------------------------------------------------------

static rh_status reserve(rh_orbit *orbit)
{
    RH_TRY(rh__passage_reserve(&orbit->arena, orbit->n, &orbit->passage));
    RH_TRY(rh__passage_reserve(&orbit->arena, orbit->n, &orbit->trial));
    orbit->multipliers = rh__arena_array(&orbit->arena, rh_multiplier, (size_t)orbit->n + 1);
    orbit->own = rh__arena_array(&orbit->arena, rh_multiplier, (size_t)orbit->n + 1);
    orbit->leg_real = rh__arena_array(&orbit->arena, double, (size_t)orbit->n + 1);
    orbit->leg_imaginary = rh__arena_array(&orbit->arena, double, (size_t)orbit->n + 1);
    orbit->begin = rh__arena_array(&orbit->arena, double, (size_t)orbit->n + 1);
    orbit->floor = rh__arena_array(&orbit->arena, double, (size_t)orbit->n + 1);
    return orbit->arena.status;
}

static rh_status make_parts(rh_orbit *orbit, rh_error *err)
{
    rh_motion *motion = orbit->motion;
    uint32_t count = 0;
    RH_TRY(rh__manifold_create(motion, &orbit->manifold));
    RH_TRY(rh__jacobian_create(motion, motion->system->step, orbit->n, &orbit->jacobian, err));
    orbit->has_jacobian = true;
    RH_TRY(rh__measure_begin(orbit, err));
    RH_TRY(
        rh__manifold_directions(&orbit->manifold, motion->x, NULL, orbit->passage.basis, &count));
    orbit->is_timed = rh__orbit_reads_time(motion->system->step);
    // the tangent of the flow is known
    const uint32_t known = orbit->is_timed || count == 0 ? 0 : 1;
    RH_TRY(rh__transport_create(motion, count - known, NULL, &orbit->transport, err));
    orbit->transport.sizes = orbit->manifold.scale;
    return RH_OK;
}

static rh_status build(rh_orbit *orbit, rh_error *err)
{
    RH_TRY(reserve(orbit));
    RH_TRY(rh__variable_names(orbit->motion, &orbit->arena, &orbit->names));
    RH_TRY(rh__variable_order(orbit->motion, orbit->names, &orbit->arena, &orbit->order));
    RH_TRY(read_free(orbit, err));
    RH_TRY(rh__image_read(&orbit->arena, orbit->names, orbit->n, orbit->def.symmetry, &orbit->image,
                          err));
    // tangents go by series in any case: other methods would only be less exact
    if (orbit->motion->restart.method == RH_METHOD_AUTO) {
        orbit->motion->restart.method = RH_METHOD_TAYLOR;
        memcpy(orbit->passage.start, orbit->motion->x, orbit->n * sizeof *orbit->passage.start);
        RH_TRY(rh__motion_place(orbit->motion, orbit->passage.start, err));
    }
    RH_TRY(rh__formula_create(orbit, err));
    RH_TRY(make_parts(orbit, err));
    return rh__orbit_search(orbit, err);
}

rh_status rh_orbit_create(rh_motion *motion, const rh_orbit_def *def, rh_orbit **out, rh_error *err)
{
    RH_REQUIRE(motion != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->tolerance > 0.0, err);
    RH_REQUIRE(isfinite(def->period) && def->period >= 0.0, err);
    RH_REQUIRE(!def->is_period_asked || motion->equations->model->observes.count > 0, err);
    *out = NULL;
    RH_TRY(rh__equations_refuse_intermittent(motion->equations, "orbits", err));
    rh_arena arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_orbit *orbit = rh__arena_new(&arena, rh_orbit);
    if (orbit == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    orbit->arena = arena;
    orbit->scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    orbit->motion = motion;
    orbit->def = *def;
    orbit->n = motion->n;
    rh_error reason = {.message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(orbit, &reason));
    if (status != RH_OK) {
        rh_orbit_destroy(orbit);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    orbit->def.free = orbit->def.symmetry = NULL; // borrowed
    *out = orbit;
    return RH_OK;
}

void rh_orbit_destroy(rh_orbit *orbit)
{
    if (orbit == NULL) {
        return;
    }
    rh__slope_destroy(&orbit->slope);
    rh__transport_destroy(&orbit->transport);
    rh__manifold_destroy(&orbit->manifold);
    if (orbit->has_jacobian) {
        rh__jacobian_destroy(&orbit->jacobian);
    }
    rh__arena_end(&orbit->scratch);
    rh_arena arena = orbit->arena;
    rh__arena_end(&arena);
}

// --- looking -------------------------------------------------------------------------------------

// How far it goes, relative to the largest values on the way: of the variable of which that is
// most.
static double find_extent(const rh_orbit *orbit)
{
    const rh_passage *passage = &orbit->passage;
    double extent = 0.0;
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double size = fmax(passage->most[i], orbit->manifold.scale[i]);
        extent = fmax(extent, passage->went[i] / size);
    }
    return extent;
}

rh_orbit_summary rh_orbit_summarise(const rh_orbit *orbit)
{
    if (orbit == NULL) {
        return (rh_orbit_summary){.struct_size = (uint32_t)sizeof(rh_orbit_summary)};
    }
    const bool is_found = orbit->outcome == RH_ORBIT_FOUND;
    return (rh_orbit_summary){
        .struct_size = (uint32_t)sizeof(rh_orbit_summary),
        .outcome = orbit->outcome,
        .period = is_found ? orbit->passage.time * (orbit->is_half ? 2.0 : 1.0) : (double)NAN,
        .period_error = is_found ? orbit->blur * (orbit->is_half ? 2.0 : 1.0) : 0.0,
        .residual = orbit->passage.residual,
        .is_stable = orbit->outcome != RH_ORBIT_FAILED && orbit->is_stable,
        .is_unstable = orbit->outcome != RH_ORBIT_FAILED && orbit->is_unstable,
        .is_period_fixed = orbit->is_fixed,
        .is_half = orbit->is_half,
        .is_still =
            orbit->outcome == RH_ORBIT_EQUILIBRIUM || (is_found && orbit->passage.extent < STILL),
        .led = orbit->led,
        .extent = orbit->outcome == RH_ORBIT_EQUILIBRIUM ? 0.0 : find_extent(orbit),
        .trivial_count = is_found ? orbit->trivial_count : 0,
        .integral_count = is_found ? orbit->integral_count : 0,
        .iterations = orbit->iterations,
        .piece_count = is_found && orbit->leg_count > 0 ? orbit->leg_count : 1,
        .event_count = orbit->passage.event_count * (orbit->is_half ? 2 : 1),
        .reason = orbit->outcome == RH_ORBIT_FAILED ? orbit->reason : ""};
}

size_t rh_orbit_variable_count(const rh_orbit *orbit)
{
    return orbit->n;
}

const char *rh_orbit_variable_name(const rh_orbit *orbit, size_t index)
{
    return index < orbit->n ? orbit->names[orbit->order[index]] : "";
}

double rh_orbit_variable(const rh_orbit *orbit, size_t index)
{
    return index < orbit->n ? orbit->passage.start[orbit->order[index]] : (double)NAN;
}

size_t rh_orbit_multiplier_count(const rh_orbit *orbit)
{
    return orbit->outcome == RH_ORBIT_FAILED ? 0 : orbit->multiplier_count;
}

rh_multiplier rh_orbit_multiplier(const rh_orbit *orbit, size_t index)
{
    return index < orbit->multiplier_count ? orbit->multipliers[index]
                                           : (rh_multiplier){.real = NAN, .imaginary = NAN};
}

rh_status rh_orbit_rewind(rh_orbit *orbit, rh_error *err)
{
    RH_REQUIRE(orbit != NULL, err);
    return rh__motion_place(orbit->motion, orbit->passage.start, err);
}
