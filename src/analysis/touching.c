// SPDX-License-Identifier: Apache-2.0
// What acts at the start. A one-sided constraint touches when it and its hidden levels are zero; it
// acts when without it the motion would go to the wrong side, and the others then stay on the right
// one (theory 1.7, 1.8; every subset of the touching ones is tried).

#include "analysis/examine.h"

#include <math.h>

enum { MOST_TOUCHING = 10 };

#define TOUCH 1e-9

typedef struct touching {
    rh_checkup *checkup;
    rh_arena *scratch;
    uint32_t links[MOST_TOUCHING];
    uint32_t count;
} touching;

static bool touches(const rh_checkup *checkup, uint32_t index)
{
    const rh_link *link = &checkup->equations->links.data[index];
    bool is_zero = rh__link_is_enforced(link) && link->constraint->is_one_sided;
    for (uint32_t level = 0; is_zero && level < link->level_count; level++) {
        is_zero = fabs(checkup->start.residuals[index][level]) <= TOUCH;
    }
    return is_zero;
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

static rh_status solve_with(const touching *in, uint32_t set)
{
    rh_checkup *checkup = in->checkup;
    for (uint32_t k = 0; k < in->count; k++) {
        checkup->is_active[in->links[k]] = (set >> k & 1u) != 0;
    }
    return rh__form_solve(&checkup->form, &checkup->start.point, checkup->is_active,
                          &checkup->arena, &checkup->result);
}

// Is this the set that acts? Each member is needed, and no other one is violated.
static rh_status is_right(const touching *in, uint32_t set, bool *out)
{
    *out = true;
    for (uint32_t k = 0; *out && k < in->count; k++) {
        double rate = 0.0;
        const bool is_member = (set >> k & 1u) != 0;
        RH_TRY(solve_with(in, set & ~(1u << k)));
        RH_TRY(rate_of(in, in->links[k], &rate));
        *out = is_member ? rate <= TOUCH : rate >= -TOUCH;
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

rh_status rh__checkup_touch(rh_checkup *checkup, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    touching in = {.checkup = checkup, .scratch = scratch};
    RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &checkup->arena, &checkup->form, NULL));
    for (uint32_t k = 0; k < equations->links.count; k++) {
        checkup->is_active[k] = !equations->links.data[k].constraint->is_one_sided;
        if (touches(checkup, k) && in.count < MOST_TOUCHING) {
            in.links[in.count++] = k;
        }
    }
    // larger sets first: a neutral state begins constrained
    uint32_t right = 0;
    for (uint32_t set = 1u << in.count; in.count > 0 && set-- > 0;) {
        bool is_it = false;
        RH_TRY(is_right(&in, set, &is_it));
        if (is_it) {
            right = set;
            break;
        }
    }
    RH_TRY(solve_with(&in, right));
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
