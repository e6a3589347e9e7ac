// SPDX-License-Identifier: Apache-2.0
// Where the way back of `change` holds. The equations in new variables are those of the model on
// the image of the inverse X alone: the states with X(Y(x)) = x. A root has two branches, and X is
// one of them: with the signs of what stands under the roots, X(Y(x)) - x is zero identically or it
// is not (rh__expr_unfold), and those signs with which it is are where X holds. At the start of the
// model it must be the right one. Where no signs decide, X(Y(x)) = x itself says where.

#include "equations/form.h"

#include <math.h>

// One half of the way back: an old variable and what it leads to.
typedef struct tour {
    rh_expr symbol;
    rh_expr written;  // X(Y(x))
    rh_expr composed; // the same, shorter
    bool is_proved;   // with the signs of `at`
    rh_unfolding at;
    uint32_t dropped; // bit k: sign k of `at` may be either
} tour;

typedef struct touring {
    rh_forming *forming;
    rh_store *store;
    rh_point *start; // NULL: it is not known, or not yet
} touring;

// --- signs -----------------------------------------------------------------------------------

static bool leads_back(const touring *in, const tour *of, rh_unfolding *with)
{
    // folding may bring squares under roots to light, and forget where odd roots have no value
    const rh_expr opened = rh__expr_unfold(in->store, of->written, with);
    const rh_expr e =
        rh__expr_unfold(in->store, rh__derive_fold(in->forming->equations, opened), with);
    const rh_expr error = rh__forming_explain(
        in->forming, e.i == 0 ? e : rh__expr_subtract(in->store, e, of->symbol));
    return error.i != 0 && (rh__expr_is_zero(in->store, error) ||
                            rh__folder_is_zero(in->forming->equations->folder, error));
}

// Is this sign that of the start, where it is known? On the border both are.
static bool is_at_start(const touring *in, const rh_chosen_sign *sign)
{
    double value = 0.0;
    if (in->start == NULL ||
        rh__point_evaluate(in->start, &sign->of, 1, &in->forming->scratch, &value) != RH_OK ||
        value * sign->sign >= 0) {
        return true;
    }
    // one symbol is what it is, a difference is rounded
    return rh__expr_op(in->store, sign->of) != RH_OP_SYMBOL &&
           rh__expr_zero_at(in->store, sign->of, rh__point_value, in->start,
                            &in->forming->scratch) == RH_ZERO_AT_YES;
}

static bool are_at_start(const touring *in, const tour *of)
{
    bool result = true;
    for (uint32_t k = 0; result && k < of->at.count; k++) {
        result = (of->dropped >> k & 1u) != 0 || is_at_start(in, &of->at.signs[k]);
    }
    return result;
}

// May sign k be either, whatever those are that may be so already?
static bool is_free(const touring *in, const tour *of, uint32_t k)
{
    const uint32_t free = of->dropped | 1u << k;
    bool result = !of->at.signs[k].is_needed;
    for (uint32_t set = 0; result && set < 1u << of->at.count; set++) {
        if ((set & ~free) != 0) {
            continue;
        }
        rh_unfolding with = {.choice = of->at.choice ^ set};
        result = leads_back(in, of, &with) && with.count == of->at.count;
        for (uint32_t j = 0; result && j < with.count; j++) {
            result = with.signs[j].of.i == of->at.signs[j].of.i;
        }
    }
    return result;
}

// Signs with which it leads back, those of the start if they are among them.
static void find_signs(const touring *in, tour *out)
{
    uint32_t most = 0;
    bool is_there = false;
    for (uint32_t choice = 0; !is_there && choice < 1u << most; choice++) {
        tour found = *out;
        found.at = (rh_unfolding){.choice = choice};
        found.is_proved = leads_back(in, &found, &found.at);
        most = found.at.count > most ? found.at.count : most;
        is_there = found.is_proved && are_at_start(in, &found);
        *out = is_there || (found.is_proved && !out->is_proved) ? found : *out;
    }
    for (uint32_t k = 0; out->is_proved && k < out->at.count; k++) {
        out->dropped |= is_free(in, out, k) ? 1u << k : 0;
    }
}

// --- the start -------------------------------------------------------------------------------

static void show_region(const touring *in, const tour *of, rh_text *out)
{
    const char *before = ", which holds where ";
    for (uint32_t k = 0; of->is_proved && k < of->at.count; k++) {
        const rh_chosen_sign *sign = &of->at.signs[k];
        rh_show *show =
            (of->dropped >> k & 1u) != 0
                ? NULL
                : rh__show_create(in->store, &in->forming->scratch, RH_NOTATION_TEXT, &sign->of, 1);
        if (show == NULL || rh__show_part_count(show) > 0) {
            continue;
        }
        rh__text_put(out, before);
        rh__show_expr(show, sign->of, out);
        rh__text_put(out, sign->sign > 0 ? " >= 0" : " <= 0");
        before = " and ";
    }
}

static bool is_on_branch(const touring *in, const tour *of)
{
    const rh_expr error = rh__expr_subtract(in->store, of->written, of->symbol);
    return error.i == 0 ||
           (of->is_proved ? are_at_start(in, of)
                          : rh__expr_zero_at(in->store, error, rh__point_value, in->start,
                                             &in->forming->scratch) == RH_ZERO_AT_YES);
}

// E317 where the start lies on another branch, or where the inverse has no value.
static rh_status judge_start(const touring *in, const tour *of)
{
    rh_forming *forming = in->forming;
    const rh_expr both[] = {of->written, of->symbol};
    double values[2] = {0};
    RH_TRY(rh__point_evaluate(in->start, both, 2, &forming->scratch, values));
    rh_text name = rh__text_begin(&forming->scratch, NULL);
    rh_text region = rh__text_begin(&forming->scratch, NULL);
    rh__family_show(in->store, rh__expr_family(in->store, of->symbol),
                    rh__expr_member(in->store, of->symbol), &name);
    if (!isfinite(values[0])) {
        return rh__error_fill(
            forming->err, RH_E_MODEL,
            "E317: at the start %.*s is %.6g, and the inverse has no value there; "
            "write the inverse that holds at the start",
            RH_SLICE_FORMAT(rh__text_slice(&name)), values[1]);
    }
    if (is_on_branch(in, of)) {
        return RH_OK;
    }
    show_region(in, of, &region);
    return rh__error_fill(forming->err, RH_E_MODEL,
                          "E317: at the start %.*s is %.6g, and the inverse gives %.6g there: "
                          "it is another branch%.*s; write the inverse that holds at the start",
                          RH_SLICE_FORMAT(rh__text_slice(&name)), values[1], values[0],
                          RH_SLICE_FORMAT(rh__text_slice(&region)));
}

// --- what is said ----------------------------------------------------------------------------

typedef struct seams {
    bool has_pole, has_root, has_branch;
} seams;

// What one operation does to analytic arguments; roots and logarithms of what is positive are
// analytic between poles.
static void note_seams(rh_store *store, rh_expr e, seams *out)
{
    const rh_op op = rh__expr_op(store, e);
    int64_t n = 0;
    if (op == RH_OP_POW || op == RH_OP_LOG) {
        const bool is_whole =
            op == RH_OP_POW && rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n);
        const bool is_positive =
            rh__expr_sign(store, rh__expr_argument(store, e, 0), NULL, NULL) > 0;
        out->has_pole = out->has_pole || (is_whole && n < 0 && !is_positive);
        out->has_root = out->has_root || !is_whole;
        out->has_branch = out->has_branch || (!is_whole && !is_positive);
        return;
    }
    const bool is_entire = op == RH_OP_SYMBOL || op == RH_OP_NUMBER || op == RH_OP_PI ||
                           op == RH_OP_ADD || op == RH_OP_MUL || op == RH_OP_SIN ||
                           op == RH_OP_COS || op == RH_OP_SINH || op == RH_OP_COSH ||
                           op == RH_OP_EXP || op == RH_OP_TANH;
    out->has_branch = out->has_branch || !is_entire;
}

// May it be one function here and another there? What is seen anywhere holds everywhere if not.
static bool may_branch(const touring *in, rh_expr e)
{
    rh_expr_list order = {0};
    seams seen = {0};
    if (!rh__expr_reach(in->store, &e, 1, &in->forming->scratch, &order)) {
        return true;
    }
    for (uint32_t k = 0; k < order.count; k++) {
        note_seams(in->store, order.data[k], &seen);
    }
    return seen.has_branch || (seen.has_root && seen.has_pole);
}

static bool say(const touring *in, const tour *of, rh_restated *out)
{
    rh_arena *arena = in->forming->arena;
    bool ok = true;
    for (uint32_t k = 0; ok && of->is_proved && k < of->at.count; k++) {
        const rh_chosen_sign *sign = &of->at.signs[k];
        ok = (of->dropped >> k & 1u) != 0 ||
             rh__array_push(arena, &out->branches,
                            ((rh_returning){of->symbol, of->composed, sign->of, sign->sign}));
    }
    if (of->is_proved) {
        return ok;
    }
    const bool is_smooth = !may_branch(in, of->written);
    const rh_vanishing known = is_smooth ? RH_VANISHING_SAMPLED : RH_VANISHING_NO;
    out->leading = known < out->leading ? known : out->leading;
    return is_smooth || rh__array_push(arena, &out->branches,
                                       ((rh_returning){of->symbol, of->composed, RH_EXPR_NONE, 0}));
}

// --- all of it -------------------------------------------------------------------------------

// What leads back everywhere needs no start.
static bool list_tours(const touring *in, tour *out, uint32_t *out_count)
{
    const rh_model *model = in->forming->equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inverse.count; k++) {
        const rh_exchange *exchange = &model->inverse.data[k];
        tour made = {.symbol = exchange->target,
                     .written = rh__model_through_change(model, exchange->value)};
        made.composed = rh__derive_fold(in->forming->equations, made.written);
        ok = made.composed.i != 0;
        if (ok && made.written.i != made.symbol.i) {
            out[(*out_count)++] = made;
        }
    }
    return ok;
}

rh_status rh__placed_start(rh_forming *forming, rh_placed *out)
{
    rh_diagnostics unheard = rh__diagnostics_begin(&forming->scratch);
    RH_TRY(rh__layout_create(forming->equations, &forming->scratch, &out->layout));
    RH_TRY(
        rh__start_find(forming->equations, &out->layout, &forming->scratch, &unheard, &out->start));
    out->has_start = unheard.error_count == 0;
    return RH_OK;
}

static void keep_signs(const tour *of, rh_unfolding *out)
{
    for (uint32_t k = 0; of->is_proved && k < of->at.count && out->count < RH_UNFOLD_SIGNS; k++) {
        out->signs[out->count] = of->at.signs[k];
        out->count += (of->dropped >> k & 1u) == 0;
    }
}

rh_status rh__restated_place(rh_forming *forming, rh_restated *out, rh_placed *placed)
{
    touring in = {forming, forming->store, NULL};
    *placed = (rh_placed){.has_start = false};
    out->leading = RH_VANISHING_PROVED;
    uint32_t count = 0;
    tour *tours =
        rh__arena_array(&forming->scratch, tour, forming->equations->model->inverse.count + 1);
    if (tours == NULL || !list_tours(&in, tours, &count)) {
        const rh_status refused = rh__forming_refused(forming);
        return refused != RH_OK ? refused : RH_E_MEMORY;
    }
    if (count == 0) {
        return RH_OK;
    }
    RH_TRY(rh__placed_start(forming, placed));
    out->is_start_known = placed->has_start;
    in.start = placed->has_start ? &placed->start.point : NULL;
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        find_signs(&in, &tours[k]);
        keep_signs(&tours[k], &placed->signs);
        ok = say(&in, &tours[k], out);
    }
    const rh_status refused = rh__forming_refused(forming);
    RH_TRY(ok || refused != RH_OK ? refused : RH_E_MEMORY);
    for (uint32_t k = 0; in.start != NULL && k < count; k++) {
        RH_TRY(judge_start(&in, &tours[k]));
    }
    return RH_OK;
}
