// SPDX-License-Identifier: Apache-2.0
// What acts at the start. Whether one-sided constraints that are met there act is decided by the
// motion itself, which is made and asked before its first step: one complementarity problem for all
// of them (theory: onesided.md, "Corners"), the next derivatives where that is not enough. What it
// cannot decide it refuses, and the checkup says so with the same code.

#include "analysis/examine.h"

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define TOUCH 1e-9 // of what sizes of variables and of their rates make of it
#define NEAR 1e-6  // the same: so far away the motion is asked

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

// Is a one-sided constraint met, in all its levels below `count`?
static rh_status is_met(rh_checkup *checkup, uint32_t index, uint32_t count, double share,
                        rh_arena *scratch, bool *out)
{
    const rh_link *link = &checkup->equations->links.data[index];
    *out = rh__link_is_enforced(link) && link->constraint->is_one_sided;
    for (uint32_t level = 0; *out && level < count && level < link->level_count; level++) {
        double size = 0.0;
        RH_TRY(level_size(checkup, link->levels[level], scratch, &size));
        *out = fabs(checkup->start.residuals[index][level]) <= share * size;
    }
    return RH_OK;
}

// --- asking the motion ---------------------------------------------------------------------------

// Inputs from files are 0, as everywhere before there is a motion.
static rh_status still_feeds(const rh_model *model, rh_arena *scratch, rh_motion_def *def)
{
    static const double NOTHING[] = {0.0};
    rh_feed *feeds = rh__arena_array(scratch, rh_feed, (size_t)model->inputs.count + 1);
    RH_TRY(feeds == NULL ? scratch->status : RH_OK);
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        if (input->file != NULL) {
            const char *name = rh__text_print(scratch, "%.*s", RH_SLICE_FORMAT(input->name));
            RH_TRY(name == NULL ? scratch->status : RH_OK);
            feeds[def->feed_count++] = (rh_feed){name, NOTHING, NOTHING, 1};
        }
    }
    def->feeds = feeds;
    return RH_OK;
}

// Does the motion begin with an impact? Then its mode is that of other velocities.
static bool is_hit(const rh_motion *motion)
{
    bool is = false;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        is = is || motion->mode.gates[k].impulse > 0.0;
    }
    return is;
}

static rh_status take_mode(rh_checkup *checkup, rh_motion *motion, uint32_t first,
                           rh_arena *scratch)
{
    const rh_equations *equations = checkup->equations;
    RH_TRY(motion->mode.scratch.status); // without memory it decides nothing
    RH_TRY(motion->arena.status);
    if (motion->reason[0] != '\0') {
        rh__diagnostics_add(&checkup->diagnostics, motion->reason_code,
                            equations->links.data[first].constraint->row.span, "%s",
                            motion->reason);
        rh__diagnostics_repair(&checkup->diagnostics,
                               "change a constraint or its realisation, or start elsewhere");
        return RH_OK;
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        bool acts = rh_motion_is_one_sided(motion, k) && rh_motion_is_active(motion, k);
        if (acts && is_hit(motion)) {
            RH_TRY(is_met(checkup, k, UINT32_MAX, TOUCH, scratch, &acts));
        }
        checkup->is_active[k] = checkup->is_active[k] || acts;
    }
    return RH_OK;
}

// `first`: of the links that are met.
static rh_status ask_motion(rh_checkup *checkup, uint32_t first, rh_arena *scratch)
{
    static const char SIGN[] = "E413: ";
    rh_motion_def def = rh_motion_def_default();
    rh_error err = {.message = ""};
    rh_motion *motion = NULL;
    def.method = RH_METHOD_TAYLOR;
    def.tier = RH_TIER_INTERPRETED;
    RH_TRY(still_feeds(checkup->equations->model, scratch, &def));
    rh_status status = rh_motion_create(checkup->equations, &def, &motion, &err);
    if (status == RH_OK) {
        status = take_mode(checkup, motion, first, scratch);
    } else if (status == RH_E_MODEL) {
        // the start is consistent: the sign of a multiplier, or rates that are not determined,
        // which are looked for below
        if (strncmp(err.message, SIGN, sizeof SIGN - 1) == 0) {
            rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E413,
                                checkup->equations->links.data[first].constraint->row.span, "%s",
                                err.message + sizeof SIGN - 1);
        }
        status = RH_OK;
    }
    rh_motion_destroy(motion);
    return status;
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

// Control that is lost where the motion begins.
static void complain_control(rh_checkup *checkup, uint32_t lost)
{
    const rh_link *link = &checkup->equations->links.data[lost];
    rh_text name = rh__text_begin(&checkup->arena, NULL);
    rh__link_name(checkup->equations, link, &name);
    rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E511, link->constraint->row.span,
                        "control of %.*s is lost at the start: what its multiplier does leaves it "
                        "as it is",
                        RH_SLICE_FORMAT(rh__text_slice(&name)));
    rh__diagnostics_repair(&checkup->diagnostics,
                           "start elsewhere, or let the reaction act in another direction");
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

// Which one-sided constraints act.
static rh_status find_touching(rh_checkup *checkup, rh_arena *scratch)
{
    const rh_equations *equations = checkup->equations;
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < equations->links.count && first == UINT32_MAX; k++) {
        const rh_link *link = &equations->links.data[k];
        bool is = false;
        RH_TRY(is_met(checkup, k, 1, NEAR, scratch, &is));
        is = is || (link->constraint->is_one_sided && link->held.i != 0);
        first = is ? k : first;
    }
    return first != UINT32_MAX ? ask_motion(checkup, first, scratch) : RH_OK;
}

static rh_status complain(rh_checkup *checkup)
{
    const bool is_lost =
        !(checkup->result.residual <= RH_FORM_INCONSISTENT) || !is_determined(checkup);
    uint32_t lost = UINT32_MAX;
    if (is_lost && isfinite(checkup->result.residual)) {
        RH_TRY(rh__control_find_lost(checkup->equations, &checkup->start.point, checkup->is_active,
                                     &lost));
    }
    if (lost != UINT32_MAX) {
        complain_control(checkup, lost);
    } else if (!isfinite(checkup->result.residual)) {
        rh__diagnostics_add(&checkup->diagnostics, RH_DIAGNOSTIC_E410,
                            first_span(checkup->equations),
                            "the equations have no finite value at the start");
        rh__diagnostics_repair(&checkup->diagnostics,
                               "look for a divisor that is zero there, or a root or logarithm of a "
                               "number that is not positive; give a `start` or `guess`");
    } else if (checkup->result.residual > RH_FORM_INCONSISTENT) {
        complain_inconsistent(checkup);
    } else if (!is_determined(checkup)) {
        complain_rates(checkup);
    }
    return RH_OK;
}

rh_status rh__checkup_touch(rh_checkup *checkup, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &checkup->arena, &checkup->form, NULL));
    for (uint32_t k = 0; k < equations->links.count; k++) {
        RH_TRY(find_active(checkup, k, scratch));
    }
    RH_TRY(find_touching(checkup, scratch));
    RH_TRY(rh__form_solve(&checkup->form, &checkup->start.point, checkup->is_active,
                          &checkup->arena, &checkup->result));
    if (checkup->diagnostics.error_count == 0) {
        RH_TRY(complain(checkup));
    }
    keep_multipliers(checkup);
    return RH_OK;
}
