// SPDX-License-Identifier: Apache-2.0
// A system for evaluators: the tapes of the form with multipliers, those of its matrices and of
// their derivatives, and what all of it is called. Everything that needs the store of expressions
// happens here; afterwards the system is constant.

#include "system/system.h"

// --- the start -----------------------------------------------------------------------------------

// Where there is no consistent start the names have no values, and constants of `= const` are those
// of the start as it is written.
static rh_status find_start(rh_system *system, rh_items *items)
{
    rh_arena *arena = &system->arena;
    rh_start start;
    RH_TRY(rh__layout_create(system->equations, arena, &items->layout));
    rh_diagnostics unheard = rh__diagnostics_begin(arena);
    RH_TRY(rh__start_find(system->equations, &items->layout, arena, &unheard, &start));
    items->start = start.point;
    items->has_start = unheard.error_count == 0 && start.is_consistent;
    return RH_OK;
}

// --- the matrices --------------------------------------------------------------------------------

static bool add_grid(rh_arena *scratch, const rh_grid *grid, rh_expr_list *outputs,
                     rh_matrix_outputs *out)
{
    bool ok = true;
    *out = (rh_matrix_outputs){grid, outputs->count};
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        ok = rh__array_push(scratch, outputs, grid->entries.data[k].value);
    }
    return ok;
}

static rh_status make_matrices(rh_system *system, rh_items *items, rh_arena *scratch, rh_error *err)
{
    const rh_equations *equations = system->equations;
    rh_expr_list outputs = {0};
    bool ok = add_grid(scratch, &equations->inertia, &outputs, &items->inertia) &&
              add_grid(scratch, &equations->rows, &outputs, &items->rows) &&
              add_grid(scratch, &equations->push, &outputs, &items->push);
    items->forces = outputs.count;
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = rh__array_push(scratch, &outputs, equations->force[k]);
    }
    if (!ok) {
        return scratch->status;
    }
    const rh_extra_def def = {.outputs = outputs.data, .output_count = outputs.count};
    return rh__system_extra(system, &def, &items->matrices, err);
}

static rh_status make_reactions(rh_system *system, rh_items *items, rh_arena *scratch,
                                rh_error *err)
{
    const rh_equations *equations = system->equations;
    rh_expr_list outputs = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        ok = rh__array_push(scratch, &outputs, link->given.i != 0 ? link->given : link->multiplier);
    }
    if (!ok) {
        return scratch->status;
    }
    const rh_extra_def def = {.outputs = outputs.data, .output_count = outputs.count};
    return rh__system_extra(system, &def, &items->reactions, err);
}

// --- derivatives ---------------------------------------------------------------------------------

// Tangents of a tape by its inputs 1 ... count and by the values of its feeds.
static rh_status make_slopes(const rh_tape *tape, uint32_t count, rh_arena *scratch, rh_tape **out,
                             rh_error *err)
{
    const uint32_t active_count = count + tape->feed_count;
    uint32_t *active = rh__arena_array(scratch, uint32_t, (size_t)active_count + 1);
    if (active == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < active_count; k++) {
        active[k] = k < count ? 1 + k : tape->feed_first + 2 * (k - count);
    }
    const rh_tangent_def def = {
        .direction_count = 1, .active = active, .active_count = active_count};
    return rh__tape_tangent(tape, &def, out, err);
}

static rh_status make_derivatives(const rh_system *system, rh_items *items, rh_arena *scratch,
                                  rh_error *err)
{
    const uint32_t n = system->x.count;
    RH_TRY(make_slopes(system->step, n, scratch, &items->rate_slopes, err));
    return make_slopes(items->reactions, n + system->form.unknowns.count, scratch,
                       &items->reaction_slopes, err);
}

// --- making --------------------------------------------------------------------------------------

static rh_status build(rh_system *system, const rh_system_def *def, rh_arena *scratch,
                       rh_error *err)
{
    rh_items *items = system->items = rh__arena_new(&system->arena, rh_items);
    if (items == NULL) {
        return system->arena.status;
    }
    items->has_mutex = mtx_init(&items->mutex, mtx_plain) == thrd_success;
    if (!items->has_mutex) {
        return RH_E_MEMORY;
    }
    RH_TRY(find_start(system, items));
    RH_TRY(rh__items_list(system, items));
    RH_TRY(make_matrices(system, items, scratch, err));
    RH_TRY(make_reactions(system, items, scratch, err));
    if (!def->has_derivatives) {
        return RH_OK;
    }
    RH_TRY(make_derivatives(system, items, scratch, err));
    return rh__items_drift(system, items, &system->arena, scratch, err);
}

rh_status rh_system_create(rh_equations *equations, const rh_system_def *def, rh_system **out,
                           rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size != 0 && equations->is_sound, err);
    *out = NULL;
    const rh_arena *like = &equations->arena;
    const rh_tapes_def tapes = {.form = RH_FORM_MULTIPLIERS, .has_outputs = true};
    rh_error reason = {.status = RH_OK, .message = ""};
    rh_system *system = NULL;
    rh_arena scratch = rh__arena_begin(like->allocator, like->limit);
    rh_status status = rh__system_create(equations, &tapes, &system, &reason);
    if (status == RH_OK) {
        status = build(system, def, &scratch, &reason);
    }
    rh__arena_end(&scratch);
    status = rh__guard_settle(like->allocator, status);
    if (status == RH_OK) {
        *out = system;
        return RH_OK;
    }
    rh_system_destroy(system);
    return rh__guard_explain(
        like->allocator,
        rh__error_fill(err, status, "%s",
                       reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
        err);
}

void rh_system_destroy(rh_system *system)
{
    rh_items *items = system != NULL ? system->items : NULL;
    if (items != NULL) {
        rh__tape_destroy(items->matrices);
        rh__tape_destroy(items->reactions);
        rh__tape_destroy(items->rate_slopes);
        rh__tape_destroy(items->reaction_slopes);
        rh__tape_destroy(items->rate_drifts);
        rh__tape_destroy(items->reaction_drifts);
        if (items->has_mutex) {
            mtx_destroy(&items->mutex);
        }
    }
    rh__system_destroy(system);
}
