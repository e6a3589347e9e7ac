// SPDX-License-Identifier: Apache-2.0
// The generating system as a tape. Reactions enter by their formulas where there are such: these
// are smooth also where the restrictions lose their rank, as at turning points. Else they are
// solved for with the rates. What a restriction does along the released system needs no reaction:
//     rate of phi = bias + row . released rates.

#include "average/average.h"

#include <stdio.h>

// --- is it such a system? ------------------------------------------------------------------------

static rh_status refuse(const rh_link *link, rh_error *err, const char *why)
{
    return rh__error_fill(err, RH_E_UNAVAILABLE, "the restriction %.*s %s",
                          RH_SLICE_FORMAT(link->constraint->row.name), why);
}

rh_status rh__generating_check(const rh_motion *motion, rh_error *err)
{
    const rh_equations *equations = motion->equations;
    uint32_t selected = 0;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        selected += equations->carriers.data[k].is_selected;
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!link->constraint->takes_constant) {
            return refuse(link, err, "has no constant to be found: write `= const`");
        }
        if (!rh__link_is_kept(link) || link->constraint->has_law || link->held.i != 0) {
            return refuse(link, err, "is not held by a reaction of its own");
        }
        if (link->level_count != 1) {
            return refuse(link, err, "holds no selected variable, so its rate has no reaction");
        }
    }
    if (equations->links.count == 0 || equations->links.count != selected) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "averages need as many restrictions as selected variables, and at "
                              "least one: there are %u and %u",
                              equations->links.count, selected);
    }
    if (rh__orbit_reads_time(motion->system->step) || motion->system->step->switch_count > 0 ||
        motion->system->form.basis.count > 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              motion->system->form.basis.count > 0
                                  ? "averages need the equations without presolve"
                              : motion->system->step->switch_count > 0
                                  ? "the equations have conditions: averages need smooth ones"
                                  : "the equations contain the time");
    }
    return RH_OK;
}

// --- the tape ------------------------------------------------------------------------------------

// Unknowns: released rates of the carriers, then held ones, then multipliers without a formula.
typedef struct composing {
    const rh_motion *motion;
    rh_equations *equations;
    rh_store *store;
    rh_arena *scratch;
    rh_reactions reactions;
    bool has_formulas;
    rh_grid matrix;
    rh_expr_list right, unknowns, outputs;
} composing;

static bool make_unknowns(composing *in)
{
    const uint32_t m = in->equations->carriers.count;
    const uint32_t count = 2 * m + (in->has_formulas ? 0 : in->equations->links.count);
    const rh_family_def def = {
        .name = rh__slice_of("rate"), .dimensions = 1, .extent = {count}, .mask = RH_EXPR_VARIABLE};
    const rh_family family = rh__family_create(in->store, &def);
    bool ok = family.i != 0;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr symbol = rh__expr_symbol(in->store, family, k);
        ok = symbol.i != 0 && rh__array_push(in->scratch, &in->unknowns, symbol);
    }
    RH_ASSERT(!ok || in->unknowns.count == count);
    return ok;
}

// h, or h + push lambda with the formulas.
static rh_expr force_of(composing *in, uint32_t carrier, bool is_held)
{
    const rh_equations *equations = in->equations;
    rh_expr sum = equations->force[carrier];
    for (uint32_t k = 0; is_held && in->has_formulas && k < in->reactions.values.count; k++) {
        const rh_expr push = rh__grid_at(&equations->push, k, carrier);
        if (push.i != 0) {
            sum = rh__expr_add(
                in->store, sum,
                rh__expr_multiply(in->store, push, in->reactions.values.data[k].value));
        }
    }
    return rh__derive_fold(in->equations, sum);
}

static bool push_entries(composing *in, const rh_grid *grid, uint32_t row, uint32_t column)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        ok = rh__grid_push(in->scratch, &in->matrix, row + entry->row, column + entry->column,
                           entry->value);
    }
    return ok;
}

// Rows of the constraints, and the reactions they make: for multipliers without a formula.
static bool push_links(composing *in)
{
    const rh_equations *equations = in->equations;
    const uint32_t m = equations->carriers.count;
    bool ok = push_entries(in, &equations->rows, 2 * m, m);
    for (uint32_t k = 0; ok && k < equations->push.entries.count; k++) {
        const rh_entry *entry = &equations->push.entries.data[k];
        ok = rh__grid_push(in->scratch, &in->matrix, m + entry->column, 2 * m + entry->row,
                           rh__expr_negate(in->store, entry->value));
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_expr e = rh__expr_negate(in->store, equations->links.data[k].bias);
        ok = e.i != 0 && rh__array_push(in->scratch, &in->right, e);
    }
    return ok;
}

static bool make_system(composing *in)
{
    const rh_equations *equations = in->equations;
    const uint32_t m = equations->carriers.count;
    bool ok = make_unknowns(in) && push_entries(in, &equations->inertia, 0, 0) &&
              push_entries(in, &equations->inertia, m, m);
    for (int held = 0; held < 2; held++) {
        for (uint32_t k = 0; ok && k < m; k++) {
            const rh_expr e = force_of(in, k, held == 1);
            ok = e.i != 0 && rh__array_push(in->scratch, &in->right, e);
        }
    }
    ok = ok && (in->has_formulas || push_links(in));
    RH_ASSERT(!ok || in->right.count == in->unknowns.count);
    return ok && rh__grid_finish(in->equations, in->scratch, &in->matrix, in->unknowns.count,
                                 in->unknowns.count);
}

// The rate of variable k of x in the held system.
static rh_expr rate_of(const composing *in, uint32_t k)
{
    RH_ASSERT(k < in->motion->n);
    const rh_system *system = in->motion->system;
    const rh_equations *equations = in->equations;
    const uint32_t m = equations->carriers.count;
    if (k < system->coordinates.first + system->coordinates.count) {
        return equations->carriers.data[k].variable;
    }
    if (k < system->variables.first + system->variables.count) {
        return in->unknowns.data[m + k - system->variables.first];
    }
    return equations->passives.data[k - system->passives.first].value;
}

static rh_expr drift_of(const composing *in, uint32_t link)
{
    RH_ASSERT(link < in->equations->links.count);
    const rh_equations *equations = in->equations;
    rh_expr sum = equations->links.data[link].bias;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        const rh_expr row = rh__grid_at(&equations->rows, link, k);
        if (row.i != 0) {
            sum = rh__expr_add(in->store, sum,
                               rh__expr_multiply(in->store, row, in->unknowns.data[k]));
        }
    }
    return sum;
}

static bool list_outputs(composing *in)
{
    const rh_equations *equations = in->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->motion->n; k++) {
        ok = rh__array_push(in->scratch, &in->outputs, rate_of(in, k));
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = rh__array_push(in->scratch, &in->outputs, drift_of(in, k));
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = rh__array_push(in->scratch, &in->outputs, equations->links.data[k].levels[0]);
    }
    RH_ASSERT(!ok || in->outputs.count == in->motion->n + 2 * equations->links.count);
    return ok;
}

rh_status rh__generating_create(const rh_motion *motion, rh_tape **out, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    composing in = {.motion = motion,
                    .equations = motion->equations,
                    .store = motion->equations->store,
                    .scratch = &scratch};
    const rh_status solved = rh__form_reactions(in.equations, &scratch, &in.reactions);
    in.has_formulas = solved == RH_OK && in.reactions.values.count == in.equations->links.count;
    rh_status status = RH_E_MEMORY;
    if (solved != RH_E_MEMORY && make_system(&in) && list_outputs(&in)) {
        const uint32_t m = in.equations->carriers.count;
        const rh_tape_solve solve = {.matrix = &in.matrix,
                                     .right = in.right.data,
                                     .unknowns = in.unknowns.data,
                                     .count = in.unknowns.count,
                                     .rate_count = 2 * m};
        const rh_extra_def def = {
            .outputs = in.outputs.data, .output_count = in.outputs.count, .solve = &solve};
        status = rh__system_extra(motion->system, &def, out, err);
    }
    rh__arena_end(&scratch);
    return status;
}
