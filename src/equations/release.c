// SPDX-License-Identifier: Apache-2.0
// Constraints -> links: each constraint is differentiated along the motion until a selected
// variable appears (theory 1.3); the last level gives the row C and the bias gamma,
//     d/dt g = C y' + gamma.

#include "equations/derive.h"

bool rh__link_is_enforced(const rh_link *link)
{
    return link->given.i == 0;
}

bool rh__link_is_intermittent(const rh_link *link)
{
    return rh__link_is_enforced(link) && link->constraint->condition.i != 0;
}

const rh_link *rh__equations_intermittent(const rh_equations *equations)
{
    for (uint32_t k = 0; k < equations->links.count; k++) {
        if (rh__link_is_intermittent(&equations->links.data[k])) {
            return &equations->links.data[k];
        }
    }
    return NULL;
}

rh_status rh__equations_refuse_intermittent(const rh_equations *equations, const char *what,
                                            rh_error *err)
{
    const rh_link *link = rh__equations_intermittent(equations);
    return link == NULL
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE,
                                "%s: %s cannot be found: the constraint %.*s comes and goes by a "
                                "condition; write the model of one mode, with the constraint "
                                "always on or left out",
                                rh__diagnostic_name(RH_DIAGNOSTIC_E338), what,
                                RH_SLICE_FORMAT(link->constraint->row.name));
}

bool rh__link_is_kept(const rh_link *link)
{
    return rh__link_is_enforced(link) && !link->constraint->is_one_sided &&
           link->constraint->condition.i == 0;
}

bool rh__link_is_exact(const rh_link *link)
{
    return rh__link_is_kept(link) && !link->constraint->has_law;
}

static rh_expr still(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    return (rh__expr_mask(store, symbol) & RH_ROLE_VELOCITY) != 0 ? rh__expr_integer(store, 0)
                                                                  : symbol;
}

rh_expr rh__derive_at_rest(rh_store *store, rh_expr e)
{
    return rh__expr_substitute(store, e, still, NULL);
}

rh_expr rh__link_rest(const rh_equations *equations, const rh_link *link)
{
    return rh__derive_at_rest(equations->store, link->levels[link->level_count - 1]);
}

void rh__link_name(const rh_equations *equations, const rh_link *link, rh_text *out)
{
    const rh_row *row = &link->constraint->row;
    rh__family_show(equations->store, row->family, row->member, out);
}

// --- one level -----------------------------------------------------------------------------------

// What an expression holds of the carriers.
typedef struct reach {
    rh_gradient partials; // by variables of carriers and passive states
    bool is_selected;     // some partial by a selected variable does not vanish
    bool is_held;         // some partial by another carrier does not vanish
} reach;

static bool look(rh_derive *derive, rh_expr g, reach *out)
{
    const rh_equations *equations = derive->equations;
    *out = (reach){.is_selected = false};
    if (!rh__expr_gradient(derive->store, g, RH_ROLE_VELOCITY | RH_ROLE_STATE, &derive->scratch,
                           &out->partials)) {
        return false;
    }
    for (uint32_t k = 0; k < out->partials.count; k++) {
        const rh_partial *partial = &out->partials.data[k];
        const uint32_t at = rh__marks_find(&derive->carrier, partial->symbol);
        if (at == 0 || rh__derive_vanishes(derive->equations, partial->value, &derive->scratch)) {
            continue;
        }
        out->is_selected = out->is_selected || equations->carriers.data[at - 1].is_selected;
        out->is_held = out->is_held || !equations->carriers.data[at - 1].is_selected;
    }
    return true;
}

// The rate of a carrier that receives no reaction: its own equation, when it stands alone.
static rh_expr free_rate(rh_derive *derive, uint32_t carrier)
{
    const rh_equations *equations = derive->equations;
    const rh_grid *inertia = &equations->inertia;
    const uint32_t first = inertia->begin[carrier];
    const bool is_alone =
        inertia->begin[carrier + 1] == first + 1 && inertia->entries.data[first].column == carrier;
    return is_alone ? rh__expr_divide(derive->store, equations->force[carrier],
                                      inertia->entries.data[first].value)
                    : RH_EXPR_NONE;
}

// The next level; none when a rate is not known as a formula.
static rh_expr differentiate(rh_derive *derive, rh_expr g, const reach *held)
{
    rh_expr sum = rh__derive_along(derive, g);
    for (uint32_t k = 0; held->is_held && k < held->partials.count; k++) {
        const rh_partial *partial = &held->partials.data[k];
        const uint32_t at = rh__marks_find(&derive->carrier, partial->symbol);
        if (at == 0 || derive->equations->carriers.data[at - 1].is_selected) {
            continue;
        }
        const rh_expr rate = free_rate(derive, at - 1);
        if (rate.i == 0) {
            return RH_EXPR_NONE;
        }
        sum = rh__expr_add(derive->store, sum,
                           rh__expr_multiply(derive->store, partial->value, rate));
    }
    return rh__derive_fold(derive->equations, sum);
}

// --- the chain -----------------------------------------------------------------------------------

static const char *link_text(rh_derive *derive, const rh_constraint *constraint)
{
    rh_text text = rh__text_begin(derive->arena, NULL);
    rh__family_show(derive->store, constraint->row.family, constraint->row.member, &text);
    return rh__text_print(derive->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

static void complain_reach(rh_derive *derive, const rh_constraint *constraint, uint32_t levels,
                           bool vanishes)
{
    const char *name = link_text(derive, constraint);
    if (vanishes) {
        rh__diagnostics_add(&derive->equations->diagnostics, RH_DIAGNOSTIC_E401,
                            constraint->row.span,
                            "derivative %u of %s vanishes identically before a selected variable "
                            "appears: no reaction can keep or break this constraint",
                            levels, name);
    } else {
        rh__diagnostics_add(&derive->equations->diagnostics, RH_DIAGNOSTIC_E401,
                            constraint->row.span,
                            "%s and its %u derivative%s hold no selected variable: the reactions "
                            "cannot reach it",
                            name, levels, levels == 1 ? "" : "s");
    }
    rh__diagnostics_repair(&derive->equations->diagnostics,
                           "select a variable that acts on it (`select ...`)");
}

// Differentiate from `g` on until a selected variable appears; the levels are appended.
static rh_status find_levels(rh_derive *derive, rh_link *link, rh_expr g, reach *last)
{
    const rh_equations *equations = derive->equations;
    const uint32_t most = 2 * equations->coordinate_count +
                          (equations->carriers.count - equations->coordinate_count) +
                          equations->passives.count;
    rh_expr_list levels = {link->levels, link->level_count, link->level_count};
    const bool is_judged = link->constraint->by == RH_BY_REACTION;
    rh_status status = RH_OK;
    while (true) {
        if (g.i == 0 || !rh__array_push(derive->arena, &levels, g) || !look(derive, g, last)) {
            status = rh__derive_failed(derive);
            break;
        }
        const bool is_zero = rh__derive_vanishes(derive->equations, g, &derive->scratch);
        if (last->is_selected || (is_zero && (levels.count == 1 || is_judged))) {
            break;
        }
        if (levels.count > most && is_judged) {
            break; // nothing keeps it: it is only looked at
        }
        if (is_zero || levels.count > most) {
            complain_reach(derive, link->constraint, levels.count - 1, is_zero);
            break;
        }
        g = differentiate(derive, g, last);
        if (g.i == 0 && rh__derive_refused(derive) == RH_OK && !is_judged) {
            complain_reach(derive, link->constraint, levels.count - 1, false);
            break;
        }
        if (g.i == 0 && is_judged) {
            break;
        }
    }
    link->levels = levels.data;
    link->level_count = levels.count;
    return status;
}

// What is met at speed needs to know what becomes of it.
static void complain_speed(rh_derive *derive, const rh_link *link)
{
    const rh_constraint *constraint = link->constraint;
    const bool is_judged = constraint->by == RH_BY_REACTION || constraint->by == RH_BY_FRICTION;
    if (constraint->is_one_sided && constraint->impact.i == 0 && link->level_count > 1 &&
        !is_judged) {
        rh__diagnostics_add(&derive->equations->diagnostics, RH_DIAGNOSTIC_E414,
                            constraint->row.span,
                            "%s >= 0 holds no selected variable, only its derivative %u does: "
                            "when it is met no finite reaction can keep it",
                            link_text(derive, constraint), link->level_count - 1);
        rh__diagnostics_repair(&derive->equations->diagnostics,
                               "restrict what is selected, select what it holds, or write it with "
                               "a coordinate and `impact`");
    }
}

static rh_status add_link(rh_derive *derive, const rh_constraint *constraint)
{
    rh_equations *equations = derive->equations;
    rh_store *store = derive->store;
    rh_link link = {.constraint = constraint};
    reach last = {.is_selected = false};
    RH_TRY(find_levels(derive, &link, constraint->deviation, &last));
    if (link.levels == NULL) {
        return rh__derive_failed(derive);
    }
    complain_speed(derive, &link);
    const uint32_t row = equations->links.count;
    const bool is_type_two = constraint->multiplier_rate.i != 0;
    const rh_expr lambda = rh__expr_symbol(store, constraint->multiplier, constraint->row.member);
    link.held = is_type_two ? lambda : RH_EXPR_NONE;
    link.multiplier =
        is_type_two ? rh__expr_symbol(store, constraint->multiplier_rate, constraint->row.member)
                    : lambda;
    link.bias =
        rh__derive_fold(equations, rh__derive_along(derive, link.levels[link.level_count - 1]));
    link.target = rh__expr_integer(store, 0);
    const bool is_never =
        constraint->condition.i != 0 && rh__expr_is_zero(store, constraint->condition);
    if (is_never || rh__derive_vanishes(equations, constraint->deviation, &derive->scratch)) {
        link.given = rh__expr_integer(store, 0); // always true, or void: nothing to keep
    }
    bool ok = rh__array_push(derive->arena, &equations->links, link);
    for (uint32_t k = 0; ok && k < last.partials.count; k++) {
        const uint32_t at = rh__marks_find(&derive->carrier, last.partials.data[k].symbol);
        ok = at == 0 || rh__grid_push(derive->arena, &equations->rows, row, at - 1,
                                      last.partials.data[k].value);
    }
    return ok ? RH_OK : rh__derive_refused(derive);
}

rh_status rh__derive_levels(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    for (uint32_t k = 0; k < derive->model->constraints.count; k++) {
        RH_TRY(add_link(derive, &derive->model->constraints.data[k]));
    }
    return rh__grid_finish(equations, derive->arena, &equations->rows, equations->links.count,
                           equations->carriers.count)
               ? RH_OK
               : rh__derive_refused(derive);
}

rh_status rh__derive_extend(rh_derive *derive, uint32_t index, rh_expr level)
{
    rh_equations *equations = derive->equations;
    rh_link *link = &equations->links.data[index];
    rh_grid *const grids[] = {&equations->rows, &equations->push};
    const bool is_ideal = link->constraint->by == RH_BY_IDEAL;
    reach last = {.is_selected = false};
    link->combined = link->combined == 0 ? link->level_count : link->combined;
    RH_TRY(find_levels(derive, link, level, &last));
    link->bias =
        rh__derive_fold(equations, rh__derive_along(derive, link->levels[link->level_count - 1]));
    for (uint32_t g = 0; g < (is_ideal ? 2 : 1); g++) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < grids[g]->entries.count; k++) {
            const rh_entry entry = grids[g]->entries.data[k];
            if (entry.row != index) {
                grids[g]->entries.data[kept++] = entry;
            }
        }
        grids[g]->entries.count = kept;
        for (uint32_t k = 0; k < last.partials.count; k++) {
            const uint32_t at = rh__marks_find(&derive->carrier, last.partials.data[k].symbol);
            const bool is_used =
                at != 0 && (g == 0 || equations->carriers.data[at - 1].is_selected);
            if (is_used && !rh__grid_push(derive->arena, grids[g], index, at - 1,
                                          last.partials.data[k].value)) {
                return rh__derive_refused(derive);
            }
        }
        if (!rh__grid_finish(equations, derive->arena, grids[g], equations->links.count,
                             equations->carriers.count)) {
            return rh__derive_refused(derive);
        }
    }
    return RH_OK;
}
