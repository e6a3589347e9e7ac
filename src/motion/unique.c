// SPDX-License-Identifier: Apache-2.0
// Which multipliers are determined by the motion. Where constraints are redundant, reactions may
// share their load in many ways. One that moves along with the others when the unknowns are changed
// by a part of the null space is not unique, whatever form the equations have.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define SHARE 1e-7 // of the change, below which it is none

rh_status rh__unique_create(rh_motion *motion)
{
    rh_unique *it = &motion->unique;
    rh_arena *arena = &motion->arena;
    const size_t links = (size_t)motion->equations->links.count + 1;
    it->is_unique = rh__arena_array(arena, bool, links);
    it->multipliers = rh__arena_array(arena, double, links);
    it->flags = rh__arena_array(arena, bool, (size_t)motion->system->step->unknown_count + 1);
    it->steps = UINT64_MAX;
    it->since = (double)NAN;
    return it->is_unique != NULL && it->multipliers != NULL && it->flags != NULL ? RH_OK
                                                                                 : arena->status;
}

// The unknowns among the inputs of the output tape, changed by a part of the null space that is as
// large as they are.
static double loosen(rh_motion *motion)
{
    const rh_system *system = motion->system;
    const uint32_t n = motion->n;
    double *inputs = rh__jet_row(motion->output, 0) + 1 + n;
    double most = 0.0;
    double size = 1.0;
    for (uint32_t k = 0; k < system->form.unknowns.count; k++) {
        most = fmax(most, fabs(rh__tape_looseness(motion->plain, system->step->outputs[n + k])));
        size = fmax(size, fabs(inputs[k]));
    }
    for (uint32_t k = 0; most > 0.0 && k < system->form.unknowns.count; k++) {
        inputs[k] += size / most * rh__tape_looseness(motion->plain, system->step->outputs[n + k]);
    }
    return size;
}

// At the present state.
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
    }
    if (motion->plain->quality.singular == 0) {
        return;
    }
    const double size = loosen(motion);
    rh__tape_run(motion->output);
    for (uint32_t k = 0; k < count; k++) {
        const double change = rh__tape_output(motion->output, first + k, 0) - it->multipliers[k];
        // where it is a state (type II) what is not determined is its rate
        it->is_unique[k] = equations->links.data[k].held.i != 0 || fabs(change) <= SHARE * size;
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
    return constraint < motion->equations->links.count && it->is_unique[constraint];
}

rh_status rh__motion_is_determined(const rh_motion *motion, rh_error *err)
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
    const rh_status status =
        list.size == 0 ? RH_OK
                       : rh__error_fill(err, RH_E_MODEL,
                                        "E409: the equations do not determine %.*s at the start: "
                                        "the inertia is singular there",
                                        RH_SLICE_FORMAT(list));
    rh__arena_end(&scratch);
    return status;
}
