// SPDX-License-Identifier: Apache-2.0
// The start: `start` values bind, everything else begins at its `guess` (or 0) and moves as little
// as possible, positions first, then velocities and states. What contradicts itself is said with
// the nearest consistent state, or moved there (repair.c).

#include "equations/consistent.h"

#include <math.h>
#include <stdlib.h>

// --- the draft ---------------------------------------------------------------------------------

static rh_status find_value(const rh_point *point, const rh_setting *setting, rh_arena *scratch,
                            double *out)
{
    const rh_store *store = point->layout->equations->store;
    if (rh__expr_is_number(store, setting->value)) {
        *out = rh__expr_number_value(store, setting->value);
        return RH_OK;
    }
    return rh__point_evaluate(point, &setting->value, 1, scratch, out);
}

// What a start setting says: its formula, or the number that was put in its place.
static rh_status find_start(const rh_point *point, uint32_t index, rh_arena *scratch, double *out)
{
    RH_ASSERT(index < point->layout->values->model->starts.count);
    const rh_values *values = point->layout->values;
    *out = values->starts != NULL ? values->starts[index] : (double)NAN;
    return isnan(*out) ? find_value(point, &values->model->starts.data[index], scratch, out)
                       : RH_OK;
}

static rh_status set_values(const rh_point *point, bool is_start, rh_arena *scratch, bool *is_bound)
{
    const rh_model *model = point->layout->equations->model;
    const uint32_t count = is_start ? model->starts.count : model->guesses.count;
    for (uint32_t k = 0; k < count; k++) {
        const rh_setting *setting = is_start ? &model->starts.data[k] : &model->guesses.data[k];
        const uint32_t slot =
            setting->is_symbol ? rh__layout_slot(point->layout, setting->place) : UINT32_MAX;
        double value = 0.0;
        if (slot == UINT32_MAX) {
            continue;
        }
        RH_TRY(is_start ? find_start(point, k, scratch, &value)
                        : find_value(point, setting, scratch, &value));
        point->values[slot] = value;
        if (is_bound != NULL) {
            is_bound[slot] = true;
        }
    }
    return RH_OK;
}

rh_status rh__start_draft(const rh_equations *equations, rh_arena *scratch, const rh_point *point)
{
    const rh_model *model = equations->model;
    const rh_expr time = rh__expr_symbol(equations->store, model->time, 0);
    rh__point_set(point, time, 0.0);
    RH_TRY(set_values(point, false, scratch, NULL));
    return set_values(point, true, scratch, NULL);
}

// --- demands -----------------------------------------------------------------------------------

// Of a constraint that comes and goes nothing is asked where it is off.
static rh_expr demand_of(const rh_equations *equations, const rh_link *link, uint32_t level)
{
    RH_ASSERT(level < link->level_count);
    rh_store *store = equations->store;
    return rh__link_is_intermittent(link)
               ? rh__expr_if(store, link->constraint->condition, link->levels[level],
                             rh__expr_integer(store, 0))
               : link->levels[level];
}

static bool find_demands(rh_settling *settling, bool has_starts)
{
    const rh_equations *equations = settling->equations;
    const rh_model *model = equations->model;
    rh_arena *arena = &settling->keep;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const uint32_t first = link->constraint->takes_constant ? 1 : 0;
        const bool is_asked = rh__link_is_exact(link) ||
                              (rh__link_is_intermittent(link) && !link->constraint->has_law);
        for (uint32_t level = first; ok && is_asked && level < link->level_count; level++) {
            ok = rh__settling_add(settling, arena,
                                  (rh_demand){.value = demand_of(equations, link, level),
                                              .link = k + 1,
                                              .level = level});
        }
    }
    // start values of what is no symbol
    for (uint32_t k = 0; ok && has_starts && k < model->starts.count; k++) {
        const rh_setting *setting = &model->starts.data[k];
        ok = setting->is_symbol ||
             rh__settling_add(settling, arena, (rh_demand){.value = setting->place, .setting = k});
    }
    return ok;
}

// The number stays apart from the formula: which number it is does not change how the formula is
// evaluated.
static rh_status set_aims(rh_settling *settling)
{
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        rh_demand *demand = &settling->demands.data[k];
        RH_TRY(demand->link != 0 ? RH_OK
                                 : find_start(&settling->point, demand->setting, &settling->scratch,
                                              &demand->aim));
    }
    return RH_OK;
}

// Inequalities, levels and quasi-velocities, each to be looked at.
static bool find_others(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    const rh_model *model = equations->model;
    rh_arena *arena = &settling->keep;
    const size_t links = equations->links.count;
    settling->sides = rh__arena_array(arena, rh_demand, links + 1);
    settling->levels = rh__arena_array(arena, rh_recipe, links + 1);
    settling->quasis = rh__arena_array(arena, rh_recipe, (size_t)model->quasis.count + 1);
    bool ok = settling->sides != NULL && settling->levels != NULL && settling->quasis != NULL;
    for (uint32_t k = 0; ok && k < links; k++) {
        const rh_link *link = &equations->links.data[k];
        settling->sides[k].value = link->constraint->deviation;
        ok = (!rh__link_has_side(link) ||
              rh__demand_prepare(settling, arena, &settling->sides[k])) &&
             rh__recipe_create(equations->store, link->levels, link->level_count, arena,
                               &settling->levels[k]);
    }
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        ok = rh__recipe_create(equations->store, &model->quasis.data[k].value, 1, arena,
                               &settling->quasis[k]);
    }
    return ok;
}

// Quasi-velocities have none: they follow.
static bool find_roles(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    const uint32_t slots = settling->layout->symbols.count;
    settling->roles = rh__arena_array(&settling->keep, uint32_t, (size_t)slots + 1);
    if (settling->roles == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < slots; k++) {
        settling->roles[k] = rh__expr_mask(equations->store, settling->layout->symbols.data[k]);
    }
    for (uint32_t k = 0; k < equations->model->quasis.count; k++) {
        const rh_quasi *quasi = &equations->model->quasis.data[k];
        const uint32_t slot = rh__layout_slot(
            settling->layout, rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member));
        settling->roles[slot != UINT32_MAX ? slot : slots] = 0;
    }
    return true;
}

// What depends only on the text.
static rh_status prepare_once(rh_settling *settling, bool has_starts)
{
    const size_t slots = settling->layout->symbols.count;
    rh_arena *arena = &settling->keep;
    settling->draft = rh__arena_array(arena, double, slots + 1);
    settling->is_bound = rh__arena_array(arena, bool, slots + 1);
    settling->is_moving = rh__arena_array(arena, bool, slots + 1);
    if (!find_roles(settling) || settling->draft == NULL || settling->is_bound == NULL ||
        settling->is_moving == NULL || !find_demands(settling, has_starts) ||
        (has_starts && !find_others(settling))) {
        return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
    }
    return RH_OK;
}

// What was prepared before makes no new expressions: then it counts as no work.
static rh_status prepare(rh_settling *settling, bool has_starts)
{
    rh_store *store = settling->equations->store;
    const uint32_t count = rh__store_count(store);
    const uint32_t work = rh__store_work(store);
    const rh_status status = prepare_once(settling, has_starts);
    if (rh__store_count(store) == count) {
        rh__store_repeat(store, work);
    }
    return status;
}

// --- stages ------------------------------------------------------------------------------------

// Quasi-velocities are not moved but follow.
static rh_status follow_quasis(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    for (uint32_t k = 0; k < equations->model->quasis.count; k++) {
        const rh_quasi *quasi = &equations->model->quasis.data[k];
        double value = 0.0;
        RH_TRY(
            rh__point_values(&settling->point, &settling->quasis[k], &settling->scratch, &value));
        rh__point_set(&settling->point,
                      rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member), value);
    }
    return RH_OK;
}

// `= const`: the constant is what the left side is at the start.
static rh_status take_constants(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_constraint *constraint = equations->links.data[k].constraint;
        rh_expr_list constants;
        double value = 0.0;
        if (!constraint->takes_constant) {
            continue;
        }
        if (!rh__expr_symbols(equations->store, constraint->deviation, RH_ROLE_CONSTANT,
                              &settling->scratch, &constants)) {
            return settling->scratch.status;
        }
        for (uint32_t j = 0; j < constants.count; j++) {
            rh__point_set(&settling->point, constants.data[j], 0.0);
            RH_TRY(rh__point_evaluate(&settling->point, &constraint->deviation, 1,
                                      &settling->scratch, &value));
            rh__point_set(&settling->point, constants.data[j], value);
        }
    }
    return RH_OK;
}

// --- what is wrong -------------------------------------------------------------------------------

// "x2' = 4.2 (not 5), ...": the largest changes first, a handful.
static const char *nearest_text(rh_settling *settling)
{
    enum { MOST = 6 };
    const rh_store *store = settling->equations->store;
    const uint32_t slots = settling->layout->symbols.count;
    rh_text text = rh__text_begin(settling->arena, NULL);
    bool *is_said = rh__arena_array(&settling->scratch, bool, (size_t)slots + 1);
    uint32_t said = 0;
    for (; is_said != NULL && said < MOST; said++) {
        uint32_t best = UINT32_MAX;
        double most = 1e-9; // relative
        for (uint32_t slot = 0; slot < slots; slot++) {
            const double change = fabs(settling->point.values[slot] - settling->draft[slot]) /
                                  rh__settling_size(settling, slot);
            if (settling->is_bound[slot] && !is_said[slot] && change > most) {
                best = slot;
                most = change;
            }
        }
        if (best == UINT32_MAX) {
            break;
        }
        is_said[best] = true;
        const rh_expr symbol = settling->layout->symbols.data[best];
        rh__text_put(&text, said == 0 ? "" : ", ");
        rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        &text);
        rh__text_format(&text, " = %.6g (not %.6g)", settling->point.values[best],
                        settling->draft[best]);
    }
    return rh__text_print(settling->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

static void report_demand(rh_settling *settling, rh_diagnostics *list, const rh_demand *demand)
{
    RH_ASSERT(demand->link <= settling->equations->links.count);
    const rh_model *model = settling->equations->model;
    if (demand->link == 0) {
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E407, model->starts.data[demand->setting].span,
                            "this start value cannot be met together with the others: it is "
                            "missed by %.6g",
                            demand->found);
        return;
    }
    const rh_link *link = &settling->equations->links.data[demand->link - 1];
    const rh_row *row = &link->constraint->row;
    const char *name = rh__settling_name(settling, row->family, row->member);
    if (!isfinite(demand->found)) {
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E410, row->span,
                            "%s has no finite value at the start", name);
    } else if (link->combined != 0 && demand->level >= link->combined) {
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E411, row->span,
                            "the start contradicts a hidden level that follows from %s together "
                            "with other constraints: it is %.6g there, and must be 0",
                            name, demand->found);
    } else if (demand->level == 0) {
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E407, row->span,
                            "the start contradicts %s: left minus right is %.6g there, and must "
                            "be 0",
                            name, demand->found);
    } else {
        static const char PRIMES[] = "''''''''";
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E411, row->span,
                            "the start contradicts the hidden level %s%.*s: derivative %u of %s "
                            "is %.6g there, and must be 0",
                            name, (int)(demand->level < 8 ? demand->level : 8), PRIMES,
                            demand->level, name, demand->found);
    }
}

// Say which demands fail; then free the bound values and tell the nearest consistent start.
static rh_status report(rh_settling *settling, rh_diagnostics *list)
{
    enum { MOST = 20 };
    uint32_t count = 0;
    const uint32_t slots = settling->layout->symbols.count;
    bool *fails = rh__arena_array(&settling->scratch, bool, (size_t)settling->demands.count + 1);
    if (fails == NULL) {
        return settling->scratch.status;
    }
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        fails[k] = !rh__demand_is_met(&settling->demands.data[k]);
        if (fails[k] && count++ < MOST) {
            report_demand(settling, list, &settling->demands.data[k]);
        }
    }
    double *kept = rh__arena_array(&settling->scratch, double, (size_t)slots + 1);
    for (uint32_t k = 0; kept != NULL && k < slots; k++) {
        kept[k] = settling->point.values[k];
        settling->point.values[k] = settling->draft[k];
    }
    bool is_met = false;
    RH_TRY(kept == NULL ? settling->scratch.status : rh__settling_settle(settling, true, &is_met));
    if (is_met) {
        rh__diagnostics_repair(list, "the nearest consistent start has %s", nearest_text(settling));
    } else {
        rh__diagnostics_repair(list, "no consistent start was found near this one: look for "
                                     "constraints that contradict each other, or give a `guess`");
    }
    for (uint32_t k = 0; k < slots; k++) {
        settling->point.values[k] = kept[k];
    }
    return RH_OK;
}

// --- results -----------------------------------------------------------------------------------

static rh_status keep_residuals(rh_settling *settling, rh_start *out)
{
    const rh_equations *equations = settling->equations;
    out->residuals = rh__arena_array(settling->arena, double *, (size_t)equations->links.count + 1);
    for (uint32_t k = 0; out->residuals != NULL && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        out->residuals[k] = rh__arena_array(settling->arena, double, link->level_count);
        if (out->residuals[k] == NULL) {
            return settling->arena->status;
        }
        RH_TRY(rh__point_values(&settling->point, &settling->levels[k], &settling->scratch,
                                out->residuals[k]));
    }
    return out->residuals != NULL ? RH_OK : settling->arena->status;
}

static rh_status keep_moves(rh_settling *settling, rh_start *out)
{
    const uint32_t wanted = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE;
    for (uint32_t slot = 0; slot < settling->layout->symbols.count; slot++) {
        const rh_expr symbol = settling->layout->symbols.data[slot];
        const rh_start_move move = {symbol, settling->draft[slot], settling->point.values[slot]};
        if ((settling->roles[slot] & wanted) != 0 &&
            fabs(move.to - move.from) > 1e-12 * rh__settling_size(settling, slot) &&
            !rh__array_push(settling->arena, &out->moved, move)) {
            return settling->arena->status;
        }
    }
    return RH_OK;
}

// Start values that are no numbers.
static bool check_finite(const rh_settling *settling, rh_diagnostics *list)
{
    const rh_model *model = settling->equations->model;
    bool ok = true;
    for (uint32_t k = 0; k < model->starts.count; k++) {
        const rh_setting *setting = &model->starts.data[k];
        const uint32_t slot =
            setting->is_symbol ? rh__layout_slot(settling->layout, setting->place) : UINT32_MAX;
        if (slot != UINT32_MAX && !isfinite(settling->draft[slot])) {
            rh__diagnostics_add(list, RH_DIAGNOSTIC_E410, setting->span,
                                "this start value is not finite");
            rh__diagnostics_repair(list, "give a number that a double can hold");
            ok = false;
        }
    }
    return ok;
}

static rh_status find(rh_settling *settling, rh_diagnostics *list, rh_start *out)
{
    const uint32_t slots = settling->layout->symbols.count;
    RH_TRY(rh__point_create(settling->layout, settling->arena, &settling->point));
    RH_TRY(settling->is_ready ? RH_OK : prepare(settling, true));
    settling->is_ready = true;
    RH_TRY(set_aims(settling));
    RH_TRY(rh__start_draft(settling->equations, &settling->scratch, &settling->point));
    RH_TRY(set_values(&settling->point, true, &settling->scratch, settling->is_bound));
    for (uint32_t k = 0; k < slots; k++) {
        settling->draft[k] = settling->point.values[k];
    }
    if (!check_finite(settling, list)) {
        out->point = settling->point;
        return keep_residuals(settling, out);
    }
    RH_TRY(rh__settling_settle(settling, false, &out->is_consistent));
    RH_TRY(rh__settling_repair(settling, &out->is_consistent, &out->is_repaired));
    if (!out->is_consistent) {
        RH_TRY(report(settling, list));
    }
    RH_TRY(keep_moves(settling, out)); // quasi-velocities follow, they do not move
    RH_TRY(follow_quasis(settling));
    RH_TRY(take_constants(settling));
    RH_TRY(rh__settling_check_sides(settling, list));
    out->point = settling->point;
    return keep_residuals(settling, out);
}

// --- a state near a state ------------------------------------------------------------------------

#define GENTLY 0.03 // of the sizes of velocities: light parts would fly at the speed of heavy ones

// Random velocities, moved onto the constraints at the positions of `from`: a way along them.
static rh_status choose_way(rh_settling *settling, const rh_point *from, double size,
                            const double *sizes, rh_random *random)
{
    for (uint32_t k = 0; k < settling->layout->symbols.count; k++) {
        const uint32_t mask = settling->roles[k];
        const double push = rh__random_uniform(random, -1.0, 1.0);
        settling->draft[k] = from->values[k];
        if ((mask & RH_ROLE_VELOCITY) != 0) {
            settling->draft[k] += GENTLY * push * sizes[k];
        } else if ((mask & RH_ROLE_STATE) != 0) {
            settling->draft[k] += size * push * sizes[k];
        }
        settling->point.values[k] = settling->draft[k];
    }
    settling->is_second = true;
    settling->may_unbind = true;
    rh__settling_choose(settling);
    return rh__settling_solve(settling);
}

// Are the positions still so near that moving back onto the constraints is a small step?
static rh_status is_near(rh_settling *settling, bool *out)
{
    RH_TRY(rh__settling_look(settling));
    *out = true;
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        const rh_demand *demand = &settling->demands.data[k];
        *out = *out && (demand->holds_velocity ||
                        fabs(demand->found) <= 0.02 * demand->scale + 1e-9 * demand->floor);
    }
    return RH_OK;
}

// Go along the way as far as the constraints stay near, at most for the time `size`.
static rh_status go(rh_settling *settling, const rh_point *from, double size)
{
    RH_ASSERT(size > 0.0);
    enum { SHORTENINGS = 24 };
    const rh_equations *equations = settling->equations;
    const rh_expr time = rh__expr_symbol(equations->store, equations->model->time, 0);
    bool is_there = false;
    for (uint32_t k = 0; k < SHORTENINGS && !is_there; k++, size /= 2.0) {
        for (uint32_t c = 0; c < equations->coordinate_count; c++) {
            const rh_carrier *carrier = &equations->carriers.data[c];
            rh__point_set(&settling->point, carrier->position,
                          rh__point_get(from, carrier->position) +
                              size / GENTLY *
                                  (rh__point_get(&settling->point, carrier->variable) -
                                   rh__point_get(from, carrier->variable)));
        }
        rh__point_set(&settling->point, time, rh__point_get(from, time) + size / 2.0);
        RH_TRY(is_near(settling, &is_there));
    }
    for (uint32_t k = 0; k < settling->layout->symbols.count; k++) {
        settling->draft[k] = settling->point.values[k];
    }
    return RH_OK;
}

static rh_settling begin(rh_equations *equations, const rh_layout *layout, const rh_arena *like)
{
    return (rh_settling){.equations = equations,
                         .layout = layout,
                         .keep = rh__arena_begin(like->allocator, like->limit),
                         .scratch = rh__arena_begin(like->allocator, like->limit)};
}

static void end(rh_settling *settling)
{
    rh__arena_end(&settling->scratch);
    rh__arena_end(&settling->keep);
}

rh_status rh__start_wander(rh_equations *equations, const rh_point *from, double size,
                           uint64_t seed, rh_arena *arena, rh_point *out, bool *out_met)
{
    RH_ASSERT(from->layout->equations == equations);
    rh_settling settling = begin(equations, from->layout, arena);
    settling.arena = arena;
    settling.is_loose = true;
    rh_random random = rh__random_begin(seed);
    double time = 1.0;
    double *sizes =
        rh__arena_array(&settling.keep, double, (size_t)from->layout->symbols.count + 1);
    rh_status status = sizes == NULL ? settling.keep.status
                                     : rh__point_create(from->layout, arena, &settling.point);
    status = status == RH_OK ? prepare(&settling, false) : status;
    status =
        status == RH_OK ? rh__sizes_find(equations, from, &settling.scratch, sizes, &time) : status;
    status = status == RH_OK ? choose_way(&settling, from, size, sizes, &random) : status;
    status = status == RH_OK ? go(&settling, from, size * time) : status;
    status = status == RH_OK ? rh__settling_settle(&settling, true, out_met) : status;
    *out = settling.point;
    end(&settling);
    return status;
}

// --- a state that is given in part ---------------------------------------------------------------

static rh_status prepare_bound(rh_settling *settling, const bool *is_bound, const bool *is_kept)
{
    const rh_equations *equations = settling->equations;
    const size_t slots = settling->layout->symbols.count;
    rh_arena *arena = &settling->keep;
    settling->draft = rh__arena_array(arena, double, slots + 1);
    settling->is_bound = rh__arena_array(arena, bool, slots + 1);
    settling->is_moving = rh__arena_array(arena, bool, slots + 1);
    bool ok = find_roles(settling) && settling->draft != NULL && settling->is_bound != NULL &&
              settling->is_moving != NULL;
    for (uint32_t k = 0; ok && k < slots; k++) {
        settling->draft[k] = settling->point.values[k];
        settling->is_bound[k] = is_bound[k];
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; ok && is_kept[k] && level < link->level_count; level++) {
            ok = rh__settling_add(
                settling, arena,
                (rh_demand){.value = link->levels[level], .link = k + 1, .level = level});
        }
    }
    return ok ? RH_OK : arena->status != RH_OK ? arena->status : RH_E_MEMORY;
}

static rh_start_missed find_missed(const rh_settling *settling, bool is_met)
{
    rh_start_missed out = {.is_met = is_met};
    double most = 0.0; // relative
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        const rh_demand *demand = &settling->demands.data[k];
        RH_ASSERT(demand->link != 0); // no start values were asked for
        const double share = fabs(demand->found) / (demand->scale + demand->floor);
        if (!rh__demand_is_met(demand) && !(share < most)) {
            out.link = demand->link - 1;
            out.by = demand->found;
            most = share;
        }
    }
    return out;
}

rh_status rh__start_bind(rh_equations *equations, const bool *is_bound, const bool *is_kept,
                         rh_arena *scratch, const rh_point *point, rh_start_missed *out)
{
    RH_ASSERT(point->layout->equations == equations);
    rh_settling settling = begin(equations, point->layout, scratch);
    bool is_met = false;
    settling.arena = scratch;
    settling.point = *point; // its values are moved in place
    rh_status status = prepare_bound(&settling, is_bound, is_kept);
    status = status == RH_OK ? rh__settling_settle(&settling, false, &is_met) : status;
    *out = find_missed(&settling, is_met);
    end(&settling);
    return status;
}

// --- finding -------------------------------------------------------------------------------------

rh_status rh__settling_find(rh_settling *settling, rh_arena *arena, rh_diagnostics *diagnostics,
                            rh_start *out)
{
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    settling->arena = arena;
    *out = (rh_start){.is_consistent = false};
    const rh_status status = find(settling, diagnostics, out);
    rh__arena_rewind(&settling->scratch, mark);
    return status;
}

rh_status rh__start_search(rh_equations *equations, const rh_layout *layout, rh_arena *arena,
                           rh_diagnostics *diagnostics, rh_start *out)
{
    rh_settling settling = begin(equations, layout, arena);
    const rh_status status = rh__settling_find(&settling, arena, diagnostics, out);
    end(&settling);
    return status;
}

rh_status rh__settling_create(rh_equations *equations, const rh_layout *layout, rh_settling **out)
{
    rh_settling settling = begin(equations, layout, &equations->arena);
    *out = rh__arena_new(&settling.keep, rh_settling);
    // its first piece of memory stays
    if (*out == NULL || rh__arena_push(&settling.scratch, 1) == NULL) {
        *out = NULL;
        end(&settling);
        return RH_E_MEMORY;
    }
    **out = settling;
    return RH_OK;
}

void rh__settling_destroy(rh_settling *settling)
{
    if (settling != NULL) {
        rh_settling last = *settling;
        end(&last);
    }
}
