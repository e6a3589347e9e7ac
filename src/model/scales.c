// SPDX-License-Identifier: Apache-2.0
// `scale NAME = EXPRESSION, ...`: for variables of the motion the size below which their errors do
// not matter. Every place is the symbol of a coordinate, velocity or state and stands once; every
// value is made of parameters and positive with their values.

#include "model/build.h"

#include <math.h>

static const rh_scope SCOPE_SCALE = {RH_ROLE_PARAM, "a scale", false, true};

static bool has_scale(const rh_build *build, rh_expr e)
{
    const uint32_t roles = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE;
    return rh__expr_op(build->store, e) == RH_OP_SYMBOL &&
           (rh__expr_mask(build->store, e) & roles) != 0;
}

// Values of parameters that cannot be had were reported with the parameters.
static bool check_value(rh_build *build, rh_expr value, rh_code code)
{
    double number = (double)NAN;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    const bool ok = rh__expr_values(build->store, &value, 1, rh__values_parameter,
                                    &build->model->values, &build->scratch, &number);
    rh__arena_rewind(&build->scratch, mark);
    if (!ok) {
        rh__build_stop(build);
        return false;
    }
    if ((number > 0.0 && isfinite(number)) ||
        (isnan(number) && build->model->diagnostics.error_count > 0)) {
        return true;
    }
    rh__build_report(build, RH_DIAGNOSTIC_E340, rh__code_span(code), code.env,
                     "the value of this scale is %g, and a scale is positive and finite", number);
    rh__build_repair(build, "the smallest size of the variable that matters, such as 1e-6");
    return false;
}

static void add_scale(rh_build *build, rh_code place, rh_expr e, rh_expr value, rh_marks *given)
{
    rh_model *model = build->model;
    const rh_span span = rh__code_span(place);
    const uint32_t first = rh__marks_get(given, e);
    if (first != 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E341, span, place.env, "%s has a scale already",
                         rh__build_quote(build, span));
        rh__build_note(build, model->scales.data[first - 1].span, "first here");
        rh__build_repair(build, "leave one of them out");
        return;
    }
    const rh_setting setting = {.place = e, .value = value, .span = span, .is_symbol = true};
    if (!rh__array_push(build->arena, &model->scales, setting)) {
        rh__build_stop(build);
        return;
    }
    rh__marks_set(build, given, e, model->scales.count);
}

// `scale x = 1` for an array x means every member.
static void read_scale(rh_build *build, rh_code setting, rh_marks *given)
{
    const rh_code place = rh__code_child(setting, 0);
    const rh_code right = rh__code_child(setting, 1);
    const rh_value value = rh__build_lower(build, right, &SCOPE_SCALE);
    const rh_value target = rh__build_lower(build, place, &RH_SCOPE_ANY);
    const uint32_t count = rh__value_count(target);
    if (target.kind == RH_VALUE_BAD || value.kind == RH_VALUE_BAD) {
        return;
    }
    if (value.kind != RH_VALUE_SCALAR && rh__value_count(value) != count) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(right), setting.env,
                         "%s cannot be the scale of %s", rh__value_text(build, value),
                         rh__value_text(build, target));
        return;
    }
    for (uint32_t k = 0; k < count && !build->is_stopped; k++) {
        const rh_expr e = rh__value_item(target, k);
        const rh_expr item =
            value.kind == RH_VALUE_SCALAR ? value.scalar : rh__value_item(value, k);
        if (!has_scale(build, e)) {
            const rh_span span = rh__code_span(place);
            rh__build_report(build, RH_DIAGNOSTIC_E339, span, place.env,
                             "%s is no coordinate, velocity or state and has no scale",
                             rh__build_quote(build, span));
            rh__build_repair(build, "name coordinates, velocities or states: scale x = 1e-6");
            return;
        }
        // one value for all members is looked at once
        if ((k == 0 || value.kind != RH_VALUE_SCALAR) && !check_value(build, item, right)) {
            return;
        }
        add_scale(build, place, e, item, given);
    }
}

void rh__build_scales(rh_build *build)
{
    rh_marks given = {0};
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        const rh_instance *instance = &build->instances.data[k];
        if (rh__tree_kind(build->tree, instance->statement) != RH_AST_SCALE) {
            continue;
        }
        const rh_code list = {build->tree, instance->statement, instance->env};
        for (rh_code setting = rh__code_child(list, 0); setting.at.i != 0;
             setting = rh__code_next(setting)) {
            read_scale(build, setting, &given);
        }
    }
}
