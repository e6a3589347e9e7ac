// SPDX-License-Identifier: Apache-2.0
// Can the reactions keep the constraints at all? Judged at several states, for the model's
// parameter values: a servo or type II reaction has no hold on its constraint anywhere (it cannot
// be controlled), or there are more independent constraints than reactions can keep.

#include "equations/form.h"

#include <math.h>

enum { STATES = 8 };

// A random state, away from zero.
static void draw(const rh_point *point, rh_random *random)
{
    for (uint32_t k = 0; k < point->layout->symbols.count; k++) {
        const double size = rh__random_uniform(random, 0.3, 1.5);
        point->values[k] = rh__random_bits(random) % 2 == 0 ? size : -size;
    }
}

static void complain_control(rh_derive *derive, const rh_link *link, bool is_always)
{
    rh_diagnostics *list = &derive->equations->diagnostics;
    const bool is_servo = link->constraint->by == RH_BY_SERVO;
    rh_text text = rh__text_begin(&derive->scratch, NULL);
    rh__link_name(derive->equations, link, &text);
    rh__diagnostics_add(
        list, is_servo ? RH_DIAGNOSTIC_E404 : RH_DIAGNOSTIC_E412, link->constraint->row.span,
        "%.*s cannot be controlled: %s%s vanishes at all states, %s",
        RH_SLICE_FORMAT(rh__text_slice(&text)),
        is_servo ? "(inverse inertia * covector, gradient)" : "(inverse inertia * PHI_v, gradient)",
        derive->equations->links.count > 1 ? ", with the others kept," : "",
        is_always ? "whatever the parameters" : "for these parameter values");
    rh__diagnostics_repair(list, is_servo ? "let the reaction act along another covector"
                                          : "choose a PHI that acts on the constraint, or change "
                                            "the parameters");
}

bool *rh__derive_two_sided(rh_derive *derive)
{
    const rh_equations *equations = derive->equations;
    bool *acts = rh__arena_array(&derive->scratch, bool, (size_t)equations->links.count + 1);
    for (uint32_t k = 0; acts != NULL && k < equations->links.count; k++) {
        acts[k] = !equations->links.data[k].constraint->is_one_sided &&
                  !rh__link_is_intermittent(&equations->links.data[k]);
    }
    return acts;
}

// The place of a link's multiplier among the unknowns; UINT32_MAX when it is none.
static uint32_t multiplier_of(const rh_form *form, const rh_link *link)
{
    for (uint32_t k = form->rate_count; k < form->unknowns.count; k++) {
        if (form->unknowns.data[k].i == link->multiplier.i) {
            return k;
        }
    }
    return UINT32_MAX;
}

// At one state: does the reaction have no hold on its constraint, though all else is determined?
// (With one link alone: pi = C M^-1 B = 0; beside others: its Schur complement.)
static rh_status has_no_hold(rh_derive *derive, const rh_form *form, uint32_t link,
                             const rh_point *point, bool *acts, bool *out)
{
    const uint32_t place = multiplier_of(form, &derive->equations->links.data[link]);
    const bool kept = acts[link];
    rh_form_result with;
    rh_form_result without;
    acts[link] = true;
    RH_TRY(rh__form_solve(form, point, acts, &derive->scratch, &with));
    acts[link] = false;
    RH_TRY(rh__form_solve(form, point, acts, &derive->scratch, &without));
    acts[link] = kept;
    // a reaction that is redundant beside others does no harm: the rates are unique and consistent
    bool does_harm = with.residual > RH_FORM_INCONSISTENT;
    for (uint32_t k = 0; k < form->rate_count; k++) {
        does_harm = does_harm || !with.is_unique[k];
    }
    *out = place != UINT32_MAX && with.rcond == 0.0 && !with.is_unique[place] && does_harm;
    for (uint32_t k = 0; *out && k < form->rate_count; k++) {
        *out = without.is_unique[k];
    }
    return RH_OK;
}

// Is that so at random states? Parameters as the model has them, or random too.
static rh_status is_lost(rh_derive *derive, const rh_form *form, uint32_t link, const rh_point *at,
                         bool has_values, bool *out)
{
    rh_random random = rh__random_begin(link + 1);
    bool *acts = rh__derive_two_sided(derive);
    RH_TRY(acts == NULL ? derive->scratch.status : RH_OK);
    *out = true;
    for (uint32_t k = 0; k < STATES && *out; k++) {
        const rh_mark mark = rh__arena_mark(&derive->scratch);
        rh_point point = *at;
        point.parameter_seed = has_values ? 0 : k + 1;
        draw(&point, &random);
        RH_TRY(has_no_hold(derive, form, link, &point, acts, out));
        rh__arena_rewind(&derive->scratch, mark);
    }
    return RH_OK;
}

// Servo and type II links one by one.
static rh_status judge_single(rh_derive *derive, const rh_point *point)
{
    rh_equations *equations = derive->equations;
    rh_form form = {.kind = RH_FORM_FREE};
    for (uint32_t link = 0; link < equations->links.count; link++) {
        const rh_link *it = &equations->links.data[link];
        bool is_zero = false;
        bool is_always = false;
        if (!rh__link_is_enforced(it) || it->constraint->by == RH_BY_IDEAL) {
            continue;
        }
        if (form.kind == RH_FORM_FREE) {
            RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &derive->scratch, &form, NULL));
        }
        RH_TRY(is_lost(derive, &form, link, point, true, &is_zero));
        if (is_zero) {
            RH_TRY(is_lost(derive, &form, link, point, false, &is_always));
            complain_control(derive, it, is_always);
        }
    }
    return RH_OK;
}

// Do the two-sided constraints ask for what no reactions can give, at every state looked at? These
// lie on the constraints where a consistent start is found, ever nearer to it, else anywhere.
static rh_status judge_states(rh_derive *derive, const rh_point *point, bool *out)
{
    rh_equations *equations = derive->equations;
    rh_diagnostics unheard = rh__diagnostics_begin(&derive->scratch);
    rh_random random = rh__random_begin(7);
    rh_form form;
    rh_start start;
    bool *acts = rh__derive_two_sided(derive);
    RH_TRY(acts == NULL ? derive->scratch.status : RH_OK);
    RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &derive->scratch, &form, NULL));
    RH_TRY(rh__start_find(equations, point->layout, &derive->scratch, &unheard, &start));
    *out = true;
    double size = 0.3;
    for (uint32_t k = 0; k < STATES && *out; k++, size /= 8.0) {
        rh_form_result result;
        rh_point state = *point;
        bool is_met = false;
        if (start.is_consistent) {
            RH_TRY(rh__start_wander(equations, &start.point, size, k + 1, &derive->scratch, &state,
                                    &is_met));
        }
        if (!is_met) {
            state = *point;
            draw(&state, &random);
        }
        RH_TRY(rh__form_solve(&form, &state, acts, &derive->scratch, &result));
        *out = result.residual > RH_FORM_INCONSISTENT;
    }
    return RH_OK;
}

// More two-sided constraints than selected variables: only redundant ones can be kept.
static rh_status judge_count(rh_derive *derive, const rh_point *point)
{
    rh_equations *equations = derive->equations;
    uint32_t rows = 0;
    uint32_t selected = 0;
    const rh_link *last = NULL;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (rh__link_is_kept(link)) {
            rows++;
            last = link;
        }
    }
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        selected += equations->carriers.data[k].is_selected;
    }
    if (rows <= selected || equations->carriers.count > 2000) {
        return RH_OK;
    }
    bool contradict = false;
    RH_TRY(judge_states(derive, point, &contradict));
    if (contradict) {
        rh__diagnostics_add(&equations->diagnostics, RH_DIAGNOSTIC_E405, last->constraint->row.span,
                            "%u constraints on %u selected variable%s: they are independent, and "
                            "the reactions cannot keep them all",
                            rows, selected, selected == 1 ? "" : "s");
        rh__diagnostics_repair(&equations->diagnostics,
                               "leave out %u of them, or select more variables", rows - selected);
    }
    return RH_OK;
}

rh_status rh__derive_control(rh_derive *derive)
{
    rh_layout layout;
    rh_point point;
    rh__reuse_begin(derive->equations);
    RH_TRY(rh__layout_create(derive->equations, &derive->scratch, &layout));
    RH_TRY(rh__point_create(&layout, &derive->scratch, &point));
    RH_TRY(judge_single(derive, &point));
    return judge_count(derive, &point);
}

// --- at one state --------------------------------------------------------------------------------

// Does one motion keep these links? `alone`: its multiplier is determined too; UINT32_MAX: none.
static rh_status is_kept(const rh_form *form, const rh_point *point, const bool *acts,
                         uint32_t alone, rh_arena *scratch, bool *out)
{
    rh_form_result result;
    rh_point copy;
    RH_TRY(rh__point_create(point->layout, scratch, &copy));
    for (uint32_t k = 0; k < point->layout->symbols.count; k++) {
        copy.values[k] = point->values[k];
    }
    RH_TRY(rh__form_solve(form, &copy, acts, scratch, &result));
    *out = result.residual <= RH_FORM_INCONSISTENT;
    for (uint32_t k = 0; k < form->rate_count; k++) {
        *out = *out && result.is_unique[k];
    }
    if (alone != UINT32_MAX) {
        const uint32_t at = multiplier_of(form, &form->equations->links.data[alone]);
        *out = *out && (at == UINT32_MAX || result.is_unique[at]);
    }
    return RH_OK;
}

// Without those that are not ideal all is well: the first of them that has no hold on its
// constraint by itself, or else the first.
static rh_status find_lost(const rh_form *form, const rh_point *point, const bool *is_active,
                           rh_arena *scratch, uint32_t *out)
{
    const rh_equations *equations = form->equations;
    const uint32_t count = equations->links.count;
    bool *acts = rh__arena_array(scratch, bool, (size_t)count + 1);
    bool *others = rh__arena_array(scratch, bool, (size_t)count + 1);
    RH_TRY(acts == NULL || others == NULL ? scratch->status : RH_OK);
    uint32_t first = UINT32_MAX;
    bool is_well = false;
    for (uint32_t k = count; k-- > 0;) {
        const rh_link *link = &equations->links.data[k];
        const bool may_lose = link->constraint->by != RH_BY_IDEAL && rh__link_is_enforced(link);
        others[k] = is_active[k] && !may_lose;
        first = is_active[k] && may_lose ? k : first;
    }
    RH_TRY(is_kept(form, point, others, UINT32_MAX, scratch, &is_well));
    *out = is_well ? first : UINT32_MAX;
    for (uint32_t k = first; is_well && k < count; k++) {
        bool has_hold = true;
        if (!is_active[k] || others[k]) {
            continue;
        }
        acts[k] = true;
        RH_TRY(is_kept(form, point, acts, k, scratch, &has_hold));
        acts[k] = false;
        if (!has_hold) {
            *out = k;
            break;
        }
    }
    return RH_OK;
}

rh_status rh__control_find_lost(rh_equations *equations, const rh_point *point,
                                const bool *is_active, uint32_t *out)
{
    rh_arena scratch = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_form form;
    *out = UINT32_MAX;
    rh_status status = rh__form_create(equations, RH_FORM_MULTIPLIERS, &scratch, &form, NULL);
    status = status == RH_OK ? find_lost(&form, point, is_active, &scratch, out) : status;
    rh__arena_end(&scratch);
    return status;
}
