// SPDX-License-Identifier: Apache-2.0
// Which multipliers are determined by the motion. Where constraints are redundant, reactions may
// share their load in many ways. One that moves along with the others when the unknowns are changed
// by a part of the null space is not unique, whatever form the equations have.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define SHARE 1e-7     // of the sizes of changes, below which their sum is none
#define ROUNDINGS 16.0 // of the multipliers, below which their change is none
#define FAR 1e6        // times the unknowns, so that changes are no rounding of what they change

rh_status rh__unique_create(rh_motion *motion)
{
    rh_unique *it = &motion->unique;
    rh_arena *arena = &motion->arena;
    const size_t links = (size_t)motion->equations->links.count + 1;
    it->is_unique = rh__arena_array(arena, bool, links);
    it->multipliers = rh__arena_array(arena, double, links);
    it->change = rh__arena_array(arena, double, links);
    it->sizes = rh__arena_array(arena, double, links);
    it->noise = rh__arena_array(arena, double, links);
    it->slots = rh__arena_array(arena, double, (size_t)motion->system->output->slot_count + 1);
    it->flags = rh__arena_array(arena, bool, (size_t)motion->system->step->unknown_count + 1);
    it->steps = UINT64_MAX;
    it->since = (double)NAN;
    const bool ok = it->is_unique != NULL && it->multipliers != NULL && it->change != NULL &&
                    it->sizes != NULL && it->noise != NULL && it->slots != NULL &&
                    it->flags != NULL;
    return ok ? RH_OK : arena->status;
}

static double looseness(const rh_motion *motion, uint32_t unknown)
{
    RH_ASSERT(unknown < motion->system->form.unknowns.count);
    return rh__tape_looseness(motion->plain, motion->system->step->outputs[motion->n + unknown]);
}

// How far to go along a vector of the null space, so that no unknown is large beside its change.
static double stretch_of(const rh_motion *motion)
{
    const double *unknowns = rh__jet_row(motion->output, 0) + 1 + motion->n;
    double stretch = 0.0;
    double most = 0.0;
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        const double own = fabs(looseness(motion, k));
        stretch = own > 0.0 ? fmax(stretch, fabs(unknowns[k]) / own) : stretch;
        most = fmax(most, own);
    }
    return FAR * (stretch > 0.0 ? stretch : most > 0.0 ? 1.0 / most : 0.0);
}

// What the change of one unknown among the inputs of the output tape does to the multipliers.
static void change(rh_motion *motion, uint32_t unknown, double by)
{
    const rh_unique *it = &motion->unique;
    const uint32_t first = motion->system->sections[RH_SECTION_MULTIPLIER].first;
    double *input = rh__jet_row(motion->output, 0) + 1 + motion->n + unknown;
    const double kept = *input;
    *input += by;
    rh__tape_run(motion->output);
    rh__tape_noise(motion->output, it->slots);
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        const double moved = rh__tape_output(motion->output, first + k, 0) - it->multipliers[k];
        it->change[k] += moved;
        it->sizes[k] += fabs(moved);
        it->noise[k] += 2.0 * it->slots[motion->system->output->outputs[first + k]];
    }
    *input = kept;
}

// At the present state. The changes of a multiplier that is unique cancel each other.
static void look(rh_motion *motion)
{
    rh_unique *it = &motion->unique;
    const rh_equations *equations = motion->equations;
    const uint32_t first = motion->system->sections[RH_SECTION_MULTIPLIER].first;
    const uint32_t count = equations->links.count;
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < count; k++) {
        it->is_unique[k] = true;
        it->multipliers[k] = rh__tape_output(motion->output, first + k, 0);
        it->change[k] = it->sizes[k] = it->noise[k] = 0.0;
    }
    if (motion->plain->quality.singular == 0) {
        return;
    }
    const double stretch = stretch_of(motion);
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        const double by = stretch * looseness(motion, k);
        if (by != 0.0) {
            change(motion, k, by);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        const double nothing = fmax(SHARE * it->sizes[k], ROUNDINGS * it->noise[k]);
        // where it is a state (type II) what is not determined is its rate
        it->is_unique[k] = equations->links.data[k].held.i != 0 || fabs(it->change[k]) <= nothing;
    }
}

static size_t size_of_flags(const rh_motion *motion)
{
    return motion->system->step->unknown_count * sizeof *motion->unique.flags;
}

void rh__unique_begin(rh_motion *motion)
{
    memcpy(motion->unique.flags, motion->plain->is_unique, size_of_flags(motion));
}

void rh__unique_follow(rh_motion *motion)
{
    rh_unique *it = &motion->unique;
    const rh_tape_state *state = motion->stepper->has_jets ? motion->step : motion->plain;
    RH_ASSERT(state->tape == motion->system->step);
    if (memcmp(it->flags, state->is_unique, size_of_flags(motion)) != 0) {
        it->changes++;
        it->since = motion->t_before;
        memcpy(it->flags, state->is_unique, size_of_flags(motion));
    }
}

bool rh_motion_is_unique(rh_motion *motion, size_t constraint)
{
    rh_unique *it = &motion->unique;
    if (it->steps != motion->steps || it->time != motion->t) {
        look(motion);
        it->steps = motion->steps;
        it->time = motion->t;
    }
    return constraint < motion->equations->links.count && it->is_unique[constraint] &&
           !rh__corner_is_open(motion, (uint32_t)constraint);
}

rh_status rh__motion_is_determined(rh_motion *motion, rh_error *err)
{
    const rh_system *system = motion->system;
    rh_store *store = motion->equations->store;
    if (motion->plain->quality.singular == 0) {
        return RH_OK;
    }
    rh_arena scratch =
        rh__arena_begin(rh__guard_base(motion->arena.allocator), motion->arena.limit);
    rh_text names = rh__text_begin(&scratch, NULL);
    for (uint32_t k = 0; k < system->form.rate_count; k++) {
        const rh_expr symbol = system->form.unknowns.data[k];
        if (!rh__tape_is_unique(motion->plain, system->step->outputs[motion->n + k])) {
            rh__text_put(&names, rh__text_slice(&names).size == 0 ? "" : ", ");
            rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                            &names);
        }
    }
    const rh_slice list = rh__text_slice(&names);
    uint32_t lost = UINT32_MAX;
    if (list.size > 0) {
        rh_status looked = rh__control_find_lost(motion->equations, &motion->start.point,
                                                 motion->mode.is_kept, &lost);
        if (looked != RH_OK) {
            rh__arena_end(&scratch);
            return looked;
        }
    }
    if (lost != UINT32_MAX) {
        rh_text name = rh__text_begin(&scratch, NULL);
        rh__link_name(motion->equations, &motion->equations->links.data[lost], &name);
        rh__motion_fail(motion, RH_DIAGNOSTIC_E511,
                        "control of %.*s is lost at t = %.17g: what its multiplier does leaves it "
                        "as it is",
                        RH_SLICE_FORMAT(rh__text_slice(&name)), motion->t);
    }
    const rh_status status =
        list.size == 0 || lost != UINT32_MAX
            ? RH_OK
            : rh__error_fill(err, RH_E_MODEL,
                             "E409: the equations do not determine %.*s at the start: "
                             "the inertia is singular there",
                             RH_SLICE_FORMAT(list));
    rh__arena_end(&scratch);
    return status;
}
