// SPDX-License-Identifier: Apache-2.0
// Constraints that the elimination of velocities satisfies by itself. In its formulas they vanish
// identically, and the projector has no row for them; how well they hold is told by the constraint
// as it was written, with the velocities as numbers.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

static bool has_row(const rh_projector *projector, uint32_t link)
{
    bool has = false;
    for (uint32_t k = 0; k < 2; k++) {
        const rh_project_stage *stage = &projector->stages[k];
        for (uint32_t row = 0; !has && row < stage->rows; row++) {
            has = stage->levels[row].link == link && stage->levels[row].level == 0;
        }
    }
    return has;
}

// Links whose velocities are eliminated.
static bool list_links(rh_motion *motion, rh_arena *scratch, rh_expr_list *out)
{
    const rh_equations *equations = motion->equations;
    rh_eliminated *it = &motion->eliminated;
    bool ok = true;
    it->link = rh__arena_array(&motion->arena, uint32_t, (size_t)equations->links.count + 1);
    for (uint32_t k = 0; ok && it->link != NULL && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const rh_expr text = link->constraint->deviation;
        const bool has_velocities = (rh__expr_mask(equations->store, text) & RH_ROLE_VELOCITY) != 0;
        if (has_velocities && rh__projector_keeps(link) && !link->constraint->is_one_sided &&
            !rh__link_is_intermittent(link) && !has_row(&motion->projector, k)) {
            it->link[it->count++] = k;
            ok = rh__array_push(scratch, out, text);
        }
    }
    return ok && it->link != NULL;
}

static bool list_velocities(rh_motion *motion, const rh_expr_list *texts, rh_arena *scratch,
                            rh_expr_list *out)
{
    rh_store *store = motion->equations->store;
    rh_expr_list parts = {0};
    bool ok = rh__expr_reach(store, texts->data, texts->count, scratch, &parts);
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const bool is_velocity = rh__expr_op(store, parts.data[k]) == RH_OP_SYMBOL &&
                                 (rh__expr_mask(store, parts.data[k]) & RH_ROLE_VELOCITY) != 0;
        ok = !is_velocity || rh__system_index(motion->system, parts.data[k]) != UINT32_MAX ||
             rh__array_push(scratch, out, parts.data[k]);
    }
    return ok;
}

static rh_status make_tapes(rh_motion *motion, rh_arena *scratch, rh_error *err)
{
    rh_eliminated *it = &motion->eliminated;
    const rh_allocator allocator = motion->arena.allocator;
    rh_expr_list texts = {0};
    rh_expr_list velocities = {0};
    if (!list_links(motion, scratch, &texts) ||
        (it->count > 0 && !list_velocities(motion, &texts, scratch, &velocities))) {
        return RH_E_MEMORY;
    }
    RH_ASSERT(texts.count == it->count);
    if (it->count == 0) {
        return RH_OK;
    }
    it->velocity_count = velocities.count;
    const rh_extra_def first = {.outputs = velocities.data, .output_count = velocities.count};
    const rh_extra_def second = {.outputs = texts.data,
                                 .output_count = texts.count,
                                 .inputs = velocities.data,
                                 .input_count = velocities.count};
    RH_TRY(rh__system_extra(motion->system, &first, &it->velocities, err));
    RH_TRY(rh__system_extra(motion->system, &second, &it->text, err));
    RH_TRY(rh__tape_state_create(it->velocities, 0, allocator, &it->velocities_state));
    RH_TRY(rh__tape_state_create(it->text, 0, allocator, &it->text_state));
    RH_TRY(rh__tape_bind(it->velocities_state, rh__point_value, &motion->start.point));
    return rh__tape_bind(it->text_state, rh__point_value, &motion->start.point);
}

rh_status rh__eliminated_create(rh_motion *motion, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status status = make_tapes(motion, &scratch, err);
    rh__arena_end(&scratch);
    return status;
}

void rh__eliminated_destroy(rh_motion *motion)
{
    rh__tape_state_destroy(motion->eliminated.velocities_state);
    rh__tape_state_destroy(motion->eliminated.text_state);
    rh__tape_destroy(motion->eliminated.velocities);
    rh__tape_destroy(motion->eliminated.text);
}

void rh__eliminated_note(rh_motion *motion)
{
    const rh_eliminated *it = &motion->eliminated;
    if (it->count == 0) {
        return;
    }
    const uint32_t n = motion->n;
    RH_ASSERT(1 + n + motion->system->form.unknowns.count + it->velocity_count <=
              it->text->input_count);
    double *first = rh__jet_row(it->velocities_state, 0);
    double *second = rh__jet_row(it->text_state, 0);
    first[0] = second[0] = motion->t;
    memcpy(first + 1, motion->x, n * sizeof *first);
    memcpy(second + 1, motion->x, n * sizeof *second);
    rh__tape_run(it->velocities_state);
    for (uint32_t k = 0; k < it->velocity_count; k++) {
        second[1 + n + motion->system->form.unknowns.count + k] =
            rh__tape_output(it->velocities_state, k, 0);
    }
    rh__tape_run(it->text_state);
    for (uint32_t k = 0; k < it->count; k++) {
        double *most = &motion->residuals[it->link[k]];
        *most = fmax(*most, fabs(rh__tape_output(it->text_state, k, 0)));
    }
}
