// SPDX-License-Identifier: Apache-2.0
// Where the way back of `change` holds. The equations in new variables are those of the model on
// the image of the inverse X alone: the states with X(Y(x)) = x. A root has two branches, and X is
// one of them; at the start of the model it must be the right one.

#include "equations/form.h"

#include <math.h>

// X(Y(x)) is |x| or -|x|: the sign; 0: something else.
static int32_t sign_of(rh_store *store, rh_expr composed, rh_expr target)
{
    const rh_expr square = rh__expr_power(store, target, rh__expr_integer(store, 2));
    const rh_expr roots[] = {rh__expr_sqrt(store, square),
                             rh__expr_apply(store, RH_OP_ABS, &target, 1)};
    int32_t sign = 0;
    for (uint32_t k = 0; k < 2; k++) {
        sign = composed.i == roots[k].i ? 1 : sign;
        sign = composed.i == rh__expr_negate(store, roots[k]).i ? -1 : sign;
    }
    return sign;
}

typedef RH_ARRAY(rh_returning) returning_list;

// Branches are what does not hold everywhere. What leads back may still have no value somewhere, as
// (x^3)^(1/3) has none for x < 0: `partial` has such compositions as they are written.
static bool find_branches(rh_forming *forming, rh_restated *out, returning_list *partial)
{
    const rh_model *model = forming->equations->model;
    rh_store *store = forming->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inverse.count; k++) {
        const rh_exchange *exchange = &model->inverse.data[k];
        const rh_expr written = rh__model_through_change(model, exchange->value);
        const rh_expr composed = rh__derive_fold(forming->equations, written);
        const rh_expr error = rh__expr_subtract(store, composed, exchange->target);
        ok = error.i != 0;
        if (ok && rh__expr_vanishes_where(store, error, rh__values_parameter, &model->values,
                                          &forming->scratch) == RH_VANISHING_SOMEWHERE) {
            const rh_returning branch = {exchange->target, composed,
                                         sign_of(store, composed, exchange->target)};
            ok = rh__array_push(forming->arena, &out->branches, branch);
        } else if (ok && written.i != exchange->target.i) {
            ok = rh__array_push(&forming->scratch, partial,
                                ((rh_returning){exchange->target, written, 0}));
        }
    }
    return ok;
}

// E317 where the start lies on another branch, or where the inverse has no value.
static rh_status judge_start(rh_forming *forming, const rh_returning *branch, rh_point *start)
{
    rh_store *store = forming->store;
    const rh_expr both[] = {branch->composed, branch->symbol};
    const rh_expr error = rh__expr_subtract(store, both[0], both[1]);
    double values[2] = {0};
    RH_TRY(rh__point_evaluate(start, both, 2, &forming->scratch, values));
    if (error.i == 0 || rh__expr_zero_at(store, error, rh__point_value, start, &forming->scratch) ==
                            RH_ZERO_AT_YES) {
        return RH_OK;
    }
    rh_text name = rh__text_begin(&forming->scratch, NULL);
    rh__family_show(store, rh__expr_family(store, branch->symbol),
                    rh__expr_member(store, branch->symbol), &name);
    if (!isfinite(values[0])) {
        return rh__error_fill(
            forming->err, RH_E_MODEL,
            "E317: at the start %.*s is %.6g, and the inverse has no value there; "
            "write the inverse that holds at the start",
            RH_SLICE_FORMAT(rh__text_slice(&name)), values[1]);
    }
    return rh__error_fill(forming->err, RH_E_MODEL,
                          "E317: at the start %.*s is %.6g, and the inverse gives %.6g there: "
                          "it is another branch; write the inverse that holds at the start",
                          RH_SLICE_FORMAT(rh__text_slice(&name)), values[1], values[0]);
}

rh_status rh__restated_place(rh_forming *forming, rh_restated *out)
{
    rh_equations *equations = forming->equations;
    rh_layout layout;
    rh_start start;
    returning_list partial = {0};
    if (!find_branches(forming, out, &partial)) {
        const rh_status refused = rh__forming_refused(forming);
        return refused != RH_OK ? refused : RH_E_MEMORY;
    }
    if (out->branches.count + partial.count == 0) {
        return RH_OK;
    }
    rh_diagnostics unheard = rh__diagnostics_begin(&forming->scratch);
    RH_TRY(rh__layout_create(equations, &forming->scratch, &layout));
    RH_TRY(rh__start_find(equations, &layout, &forming->scratch, &unheard, &start));
    out->is_start_known = unheard.error_count == 0;
    for (uint32_t k = 0; out->is_start_known && k < out->branches.count; k++) {
        RH_TRY(judge_start(forming, &out->branches.data[k], &start.point));
    }
    for (uint32_t k = 0; out->is_start_known && k < partial.count; k++) {
        RH_TRY(judge_start(forming, &partial.data[k], &start.point));
    }
    return RH_OK;
}
