// SPDX-License-Identifier: Apache-2.0
// What acts at the start. A one-sided constraint touches when it and its hidden levels are zero.
// Those act that push, while the others stay on the right side (theory 1.7, 1.8): found by
// exchange, and when that does not settle, by trying every subset of a few.

#include "analysis/examine.h"

#include <math.h>
#include <string.h>

enum { MOST_TOUCHING = 512, MOST_TRIED = 8 };

#define TOUCH 1e-9 // of what sizes of variables and of their rates make of it

typedef struct touching {
    rh_checkup *checkup;
    rh_arena *scratch;
    uint32_t links[MOST_TOUCHING];
    uint32_t count;
    rh_mark mark; // of the checkup's arena: results of earlier tries go
} touching;

// What variables of their sizes make of a level.
static rh_status level_size(rh_checkup *checkup, rh_expr level, rh_arena *scratch, double *out)
{
    rh_gradient partials;
    *out = 0.0;
    if (!rh__expr_gradient(checkup->equations->store, level,
                           RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE, scratch, &partials)) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const uint32_t slot = rh__layout_slot(&checkup->layout, partials.data[k].symbol);
        double value = 0.0;
        RH_TRY(
            rh__point_evaluate(&checkup->start.point, &partials.data[k].value, 1, scratch, &value));
        *out += slot != UINT32_MAX ? fabs(value) * checkup->sizes[slot] : 0.0;
    }
    return RH_OK;
}

static rh_status touches(rh_checkup *checkup, uint32_t index, rh_arena *scratch, bool *out)
{
    const rh_link *link = &checkup->equations->links.data[index];
    *out = rh__link_is_enforced(link) && link->constraint->is_one_sided;
    for (uint32_t level = 0; *out && level < link->level_count; level++) {
        double size = 0.0;
        RH_TRY(level_size(checkup, link->levels[level], scratch, &size));
        *out = fabs(checkup->start.residuals[index][level]) <= TOUCH * size;
    }
    return RH_OK;
}

// What rates of their sizes make of the rate of a link.
static rh_status find_rate_size(const touching *in, uint32_t index, double *out)
{
    const rh_grid *rows = &in->checkup->equations->rows;
    *out = 0.0;
    for (uint32_t k = rows->begin[index]; k < rows->begin[index + 1]; k++) {
        double factor = 0.0;
        RH_TRY(rh__point_evaluate(&in->checkup->start.point, &rows->entries.data[k].value, 1,
                                  in->scratch, &factor));
        *out += fabs(factor) * rh__checkup_rate_size(in->checkup, rows->entries.data[k].column);
    }
    return RH_OK;
}

// The multiplier that makes rates of their sizes.
static rh_status find_push_size(const touching *in, uint32_t index, double *out)
{
    const rh_equations *equations = in->checkup->equations;
    const rh_grid *push = &equations->push;
    *out = INFINITY;
    for (uint32_t k = push->begin[index]; k < push->begin[index + 1]; k++) {
        const uint32_t carrier = push->entries.data[k].column;
        const rh_expr mass = rh__grid_at(&equations->inertia, carrier, carrier);
        const rh_expr both[] = {push->entries.data[k].value, mass};
        double values[2] = {0};
        RH_TRY(rh__point_evaluate(&in->checkup->start.point, both, mass.i != 0 ? 2 : 1, in->scratch,
                                  values));
        const double size =
            fabs(values[1]) * rh__checkup_rate_size(in->checkup, carrier) / fabs(values[0]);
        *out = size > 0.0 && size < *out ? size : *out;
    }
    *out = isfinite(*out) ? *out : 1.0;
    return RH_OK;
}

// The rate of a link's last level at the solved start, less the rate it shall have.
static rh_status rate_of(const touching *in, uint32_t index, double *out)
{
    const rh_checkup *checkup = in->checkup;
    const rh_equations *equations = checkup->equations;
    const rh_link *link = &equations->links.data[index];
    const rh_grid *rows = &equations->rows;
    const rh_expr ends[] = {link->bias, link->target};
    double values[2] = {0};
    RH_TRY(rh__point_evaluate(&checkup->start.point, ends, 2, in->scratch, values));
    *out = values[0] - values[1];
    for (uint32_t k = rows->begin[index]; k < rows->begin[index + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        double factor = 0.0;
        RH_TRY(rh__point_evaluate(&checkup->start.point, &entry->value, 1, in->scratch, &factor));
        *out += factor *
                rh__point_get(&checkup->start.point, equations->carriers.data[entry->column].rate);
    }
    return RH_OK;
}

static rh_status solve_with(const touching *in, const bool *set)
{
    rh_checkup *checkup = in->checkup;
    rh__arena_rewind(&checkup->arena, in->mark);
    for (uint32_t k = 0; k < in->count; k++) {
        checkup->is_active[in->links[k]] = set[k];
    }
    return rh__form_solve(&checkup->form, &checkup->start.point, checkup->is_active,
                          &checkup->arena, &checkup->result);
}

// Is this the set that acts? No member pulls, and no other one is violated. For ideal constraints
// that is the sign of the multiplier; for others, that without it the motion would go to the wrong
// side.
static rh_status judge_member(const touching *in, const bool *set, uint32_t k, bool *out)
{
    const rh_link *link = &in->checkup->equations->links.data[in->links[k]];
    double rate = 0.0;
    double size = 0.0;
    if (link->constraint->by == RH_BY_IDEAL) {
        RH_TRY(find_push_size(in, in->links[k], &size));
        *out = rh__point_get(&in->checkup->start.point, link->multiplier) >= -TOUCH * size;
        return RH_OK;
    }
    bool rest[MOST_TOUCHING];
    memcpy(rest, set, in->count * sizeof *rest);
    rest[k] = false;
    RH_TRY(solve_with(in, rest));
    RH_TRY(rate_of(in, in->links[k], &rate));
    RH_TRY(find_rate_size(in, in->links[k], &size));
    *out = rate <= TOUCH * size;
    return solve_with(in, set);
}

// Judge a set; `wrong` receives what does not fit.
static rh_status is_right(const touching *in, const bool *set, bool *wrong, bool *out)
{
    RH_TRY(solve_with(in, set));
    *out = in->checkup->result.residual <= RH_FORM_INCONSISTENT;
    for (uint32_t k = 0; k < in->count; k++) {
        double rate = 0.0;
        bool fits = false;
        if (set[k]) {
            RH_TRY(judge_member(in, set, k, &fits));
        } else {
            double size = 0.0;
            RH_TRY(rate_of(in, in->links[k], &rate));
            RH_TRY(find_rate_size(in, in->links[k], &size));
            fits = rate >= -TOUCH * size;
        }
        wrong[k] = !fits;
        *out = *out && fits;
    }
    return RH_OK;
}

// Let go of what pulls and take in what is violated until all fits.
static rh_status exchange(const touching *in, bool *set, bool *out)
{
    bool wrong[MOST_TOUCHING] = {false};
    *out = false;
    for (uint32_t round = 0; round < 3 * in->count + 3 && !*out; round++) {
        RH_TRY(is_right(in, set, wrong, out));
        for (uint32_t k = 0; !*out && k < in->count; k++) {
            set[k] = set[k] != wrong[k];
        }
    }
    return RH_OK;
}

// Every subset, larger ones first: a neutral state begins constrained.
static rh_status try_all(const touching *in, bool *set, bool *out)
{
    bool wrong[MOST_TOUCHING] = {false};
    *out = false;
    for (uint32_t subset = 1u << in->count; subset-- > 0 && !*out;) {
        for (uint32_t k = 0; k < in->count; k++) {
            set[k] = (subset >> k & 1u) != 0;
        }
        RH_TRY(is_right(in, set, wrong, out));
    }
    return RH_OK;
}

// Where a remark about the whole system points.
static rh_span first_span(const rh_equations *equations)
{
    const rh_model *model = equations->model;
    return model->coordinates.count > 0 ? model->coordinates.data[0].span
           : model->states.count > 0    ? model->states.data[0].span
                                        : (rh_span){0, 0};
}

static void complain_inconsistent(rh_checkup *checkup)
{
    const rh_equations *equations = checkup->equations;
    const rh_link *last = NULL;
    rh_text names = rh__text_begin(&checkup->arena, NULL);
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (rh__link_is_enforced(link) && checkup->is_active[k]) {
            rh__text_put(&names, last == NULL ? "" : ", ");
            rh__link_name(equations, link, &names);
            last = link;
        }
    }
    if (last == NULL) {
        rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E409, first_span(equations),
                            "the inertia is singular at the start: some acceleration is not "
                            "determined");
        rh__diagnostics_repair(&checkup->diagnostics,
                               "give every coordinate kinetic energy, a law, or a constraint");
        return;
    }
    rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E406, last->constraint->row.span,
                        "no reactions keep these constraints together at the start: %.*s (relative "
                        "residual %.3g)",
                        RH_SLICE_FORMAT(rh__text_slice(&names)), checkup->result.residual);
    rh__diagnostics_repair(&checkup->diagnostics,
                           "leave out the one that contradicts the others, or start elsewhere");
}

static void keep_multipliers(rh_checkup *checkup)
{
    const rh_equations *equations = checkup->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh_link_report *report = &checkup->links[k];
        report->is_active = checkup->is_active[k];
        report->multiplier = rh__point_get(&checkup->start.point, link->multiplier);
        report->is_unique = true;
        for (uint32_t j = checkup->form.rate_count; j < checkup->form.unknowns.count; j++) {
            if (checkup->form.unknowns.data[j].i == link->multiplier.i) {
                report->is_unique = checkup->result.is_unique[j];
            }
        }
    }
}

// Are all rates unique?
static bool is_determined(const rh_checkup *checkup)
{
    bool ok = true;
    for (uint32_t k = 0; k < checkup->form.rate_count; k++) {
        ok = ok && checkup->result.is_unique[k];
    }
    return ok;
}

static void complain_rates(rh_checkup *checkup)
{
    const rh_equations *equations = checkup->equations;
    rh_text names = rh__text_begin(&checkup->arena, NULL);
    for (uint32_t k = 0; k < checkup->form.rate_count; k++) {
        const rh_expr symbol = checkup->form.unknowns.data[k];
        if (!checkup->result.is_unique[k]) {
            rh__text_put(&names, rh__text_slice(&names).size == 0 ? "" : ", ");
            rh__family_show(equations->store, rh__expr_family(equations->store, symbol),
                            rh__expr_member(equations->store, symbol), &names);
        }
    }
    rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E409, first_span(equations),
                        "the equations do not determine %.*s at the start: the inertia is "
                        "singular there",
                        RH_SLICE_FORMAT(rh__text_slice(&names)));
    rh__diagnostics_repair(&checkup->diagnostics,
                           equations->model->equations.count > 0
                               ? "give one independent equation for each coordinate; others are "
                                 "for `inverse` only"
                               : "give every coordinate kinetic energy, a law, or a constraint; "
                                 "or start where the coordinates are regular");
}

bool rh__checkup_keeps(const rh_checkup *checkup, uint32_t link)
{
    const rh_link *it = &checkup->equations->links.data[link];
    return rh__link_is_kept(it) || (rh__link_is_intermittent(it) && checkup->is_active[link]);
}

// Two-sided ones act, where they have a condition if that is true at the start.
static rh_status find_active(rh_checkup *checkup, uint32_t link, rh_arena *scratch)
{
    const rh_link *it = &checkup->equations->links.data[link];
    double truth = 1.0;
    if (rh__link_is_intermittent(it)) {
        RH_TRY(rh__point_evaluate(&checkup->start.point, &it->constraint->condition, 1, scratch,
                                  &truth));
    }
    checkup->is_active[link] = !it->constraint->is_one_sided && truth != 0.0;
    return RH_OK;
}

rh_status rh__checkup_touch(rh_checkup *checkup, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    touching in = {.checkup = checkup, .scratch = scratch};
    RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &checkup->arena, &checkup->form, NULL));
    for (uint32_t k = 0; k < equations->links.count; k++) {
        RH_TRY(find_active(checkup, k, scratch));
        bool is_touching = false;
        RH_TRY(touches(checkup, k, scratch, &is_touching));
        if (is_touching && in.count < MOST_TOUCHING) {
            in.links[in.count++] = k;
        }
    }
    in.mark = rh__arena_mark(&checkup->arena);
    bool set[MOST_TOUCHING];
    bool is_found = false;
    for (uint32_t k = 0; k < in.count; k++) {
        set[k] = true;
    }
    RH_TRY(exchange(&in, set, &is_found));
    if (!is_found && in.count <= MOST_TRIED) {
        RH_TRY(try_all(&in, set, &is_found));
    }
    for (uint32_t k = 0; !is_found && k < in.count; k++) {
        set[k] = false;
    }
    RH_TRY(solve_with(&in, set));
    if (!isfinite(checkup->result.residual)) {
        rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E410, first_span(equations),
                            "the equations have no finite value at the start");
        rh__diagnostics_repair(&checkup->diagnostics,
                               "look for a divisor that is zero there, or a root or logarithm of a "
                               "number that is not positive; give a `start` or `guess`");
    } else if (checkup->result.residual > RH_FORM_INCONSISTENT) {
        complain_inconsistent(checkup);
    } else if (!is_determined(checkup)) {
        complain_rates(checkup);
    }
    keep_multipliers(checkup);
    return RH_OK;
}
