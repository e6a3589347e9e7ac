// SPDX-License-Identifier: Apache-2.0
// What --set and --start gave can be given other numbers, without reading the text again: dials.
// Parameters are symbols in everything that was derived, so it serves for the new values too unless
// something was decided by the old ones (expr/witness.c).

#include "model/build.h"

#include <math.h>

uint32_t rh__build_dial(const rh_build *build, rh_code code, bool is_start)
{
    const size_t first = is_start ? build->set_count : 0;
    const size_t count = is_start ? build->start_count : build->set_count;
    for (size_t k = 0; k < count; k++) {
        const rh_tree *tree = &build->setting_trees[first + k];
        if (code.tree == tree) {
            const rh_ast list = rh__tree_child(tree, tree->root, 0);
            const bool is_alone = rh__tree_child(tree, list, 1).i == 0;
            return is_alone ? (uint32_t)k + 1 : 0;
        }
    }
    return 0;
}

double rh__model_dial(const rh_model *model, bool is_start, uint32_t dial)
{
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    double value = (double)NAN;
    for (uint32_t k = 0; is_start && k < model->starts.count; k++) {
        const rh_setting *setting = &model->starts.data[k];
        if (setting->dial == dial + 1 &&
            !rh__expr_values(model->store, &setting->value, 1, rh__model_parameter_value, model,
                             &scratch, &value)) {
            value = (double)NAN;
        }
    }
    for (uint32_t k = 0; !is_start && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        value = parameter->dial[at.member] == dial + 1 ? parameter->values[at.member] : value;
    }
    rh__arena_end(&scratch);
    return value;
}

// --- turning -------------------------------------------------------------------------------------

// What the new values change besides the values themselves.
typedef struct turning {
    bool is_new;        // some value is another one
    bool has_new_signs; // and has another sign
    bool is_structural; // the text must be read again
} turning;

static bool has_dial(const rh_model *model, bool is_start, uint32_t dial)
{
    bool has = false;
    for (uint32_t k = 0; is_start && !has && k < model->starts.count; k++) {
        has = model->starts.data[k].dial == dial + 1;
    }
    for (uint32_t k = 0; !is_start && !has && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        has = model->parameters.data[at.parameter].dial[at.member] == dial + 1;
    }
    return has;
}

static rh_status check_dials(const rh_model *model, const double *set, uint32_t set_count,
                             const double *start, uint32_t start_count, rh_error *err)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        const double *values = pass == 0 ? set : start;
        const uint32_t count = pass == 0 ? set_count : start_count;
        for (uint32_t k = 0; k < count; k++) {
            if (!isnan(values[k]) && !has_dial(model, pass == 1, k)) {
                return rh__error_fill(err, RH_E_ARGUMENT, "%s number %u gives nothing to turn",
                                      pass == 0 ? "--set" : "--start", k);
            }
        }
    }
    return RH_OK;
}

// What follows from others is looked at only where one of these is new.
static bool find_value(rh_model *model, const rh_parameter_place at, const double *set,
                       uint32_t set_count, bool is_any_new, rh_arena *scratch, double *out)
{
    const rh_parameter *parameter = &model->parameters.data[at.parameter];
    const uint32_t dial = parameter->dial[at.member];
    const rh_expr given = parameter->defaults[at.member];
    *out = parameter->values[at.member];
    if (dial > 0 && dial <= set_count && !isnan(set[dial - 1])) {
        *out = set[dial - 1];
        parameter->is_turned[at.member] = true;
        return true;
    }
    const bool follows = is_any_new && given.i != 0 && !parameter->is_turned[at.member] &&
                         (rh__expr_mask(model->store, given) & RH_ROLE_PARAM) != 0;
    return !follows ||
           rh__expr_values(model->store, &given, 1, rh__model_parameter_value, model, scratch, out);
}

static int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

static bool turn_parameters(rh_model *model, const double *set, uint32_t set_count,
                            rh_arena *scratch, turning *out)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        const double old = parameter->values[at.member];
        const rh_mark mark = rh__arena_mark(scratch);
        double value = old;
        ok = find_value(model, at, set, set_count, out->is_new, scratch, &value);
        rh__arena_rewind(scratch, mark);
        const bool is_new = value != old && !(isnan(value) && isnan(old));
        parameter->values[at.member] = value;
        out->is_new = out->is_new || is_new;
        out->has_new_signs = out->has_new_signs || sign_of(value) != sign_of(old);
        out->is_structural = out->is_structural || (is_new && parameter->is_structural) ||
                             (value == 0.0) != (old == 0.0) ||
                             (parameter->defaults[at.member].i != 0 && !isfinite(value));
    }
    return ok;
}

static void turn_starts(const rh_model *model, const double *start, uint32_t count)
{
    for (uint32_t k = 0; k < model->starts.count; k++) {
        rh_setting *setting = &model->starts.data[k];
        const uint32_t dial = setting->dial;
        if (dial > 0 && dial <= count && !isnan(start[dial - 1])) {
            setting->is_turned = true;
            setting->turned = start[dial - 1];
        }
    }
}

static double *keep_values(const rh_model *model, rh_arena *scratch)
{
    double *kept = rh__arena_array(scratch, double, (size_t)model->value_order.count + 1);
    for (uint32_t k = 0; kept != NULL && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        kept[k] = model->parameters.data[at.parameter].values[at.member];
    }
    return kept;
}

void rh__model_put_back(const rh_model *model, const double *kept)
{
    for (uint32_t k = 0; k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        model->parameters.data[at.parameter].values[at.member] = kept[k];
    }
}

static rh_status turn(rh_model *model, const double *set, uint32_t set_count, rh_arena *scratch)
{
    turning how = {.is_new = false};
    const double *kept = keep_values(model, scratch);
    if (kept == NULL) {
        return RH_E_MEMORY;
    }
    const bool ok = turn_parameters(model, set, set_count, scratch, &how);
    const bool stands = ok && !how.is_structural &&
                        (!how.is_new || rh__store_stands(model->store, how.has_new_signs, scratch));
    if (!stands) {
        rh__model_put_back(model, kept);
    } else if (how.is_new) {
        model->turns++;
    }
    return !ok ? RH_E_MEMORY : stands ? RH_OK : RH_E_UNAVAILABLE;
}

rh_status rh__model_turn(rh_model *model, const double *set, uint32_t set_count,
                         const double *start, uint32_t start_count, rh_error *err)
{
    RH_TRY(check_dials(model, set, set_count, start, start_count, err));
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    const rh_status status = turn(model, set, set_count, &scratch);
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        (void)rh__error_fill(err, status, "%s",
                             status == RH_E_UNAVAILABLE
                                 ? "other equations may hold for these values: read the model anew"
                                 : rh_status_text(status));
        return rh__guard_explain(scratch.allocator, status, err);
    }
    turn_starts(model, start, start_count);
    return RH_OK;
}

bool rh__model_lend(const rh_model *model, const rh_expr *symbols, const double *values,
                    uint32_t count, rh_arena *scratch, double **out_kept)
{
    double *kept = keep_values(model, scratch);
    bool ok = kept != NULL;
    *out_kept = kept;
    for (uint32_t k = 0; ok && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        const rh_expr symbol = rh__expr_symbol(model->store, parameter->family, at.member);
        const rh_expr given = parameter->defaults[at.member];
        double *value = &parameter->values[at.member];
        bool is_lent = false;
        for (uint32_t j = 0; j < count; j++) {
            if (symbols[j].i == symbol.i) {
                *value = values[j];
                is_lent = true;
            }
        }
        const bool follows = !is_lent && given.i != 0 && !parameter->is_turned[at.member] &&
                             (rh__expr_mask(model->store, given) & RH_ROLE_PARAM) != 0;
        ok = !follows || rh__expr_values(model->store, &given, 1, rh__model_parameter_value, model,
                                         scratch, value);
    }
    if (!ok && kept != NULL) {
        rh__model_put_back(model, kept);
    }
    return ok;
}
