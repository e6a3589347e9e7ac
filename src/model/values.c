// SPDX-License-Identifier: Apache-2.0
// Numbers of parameters and start values. Those of the text stay with the model. A copy may have
// other numbers for what --set and --start gave (dials), without reading the text again: parameters
// are symbols in everything that was derived, so it serves for the new numbers too unless something
// was decided by the old ones (expr/witness.c).

#include "model/build.h"

#include <math.h>
#include <string.h>

double *rh__values_at(const rh_values *values, const rh_parameter *parameter, uint32_t member)
{
    RH_ASSERT(member < parameter->size);
    RH_ASSERT(parameter->first + member < values->parameters.count);
    return &values->parameters.data[parameter->first + member];
}

double rh__values_parameter(const void *user, const rh_store *store, rh_expr symbol)
{
    const rh_values *values = user;
    const rh_model *model = values->model;
    const rh_family family = rh__expr_family(store, symbol);
    const uint32_t at =
        family.i < model->parameter_of.count ? model->parameter_of.data[family.i] : 0;
    return at == 0 ? NAN
                   : *rh__values_at(values, &model->parameters.data[at - 1],
                                    rh__expr_member(store, symbol));
}

// --- dials ---------------------------------------------------------------------------------------

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
            !rh__expr_values(model->store, &setting->value, 1, rh__values_parameter, &model->values,
                             &scratch, &value)) {
            value = (double)NAN;
        }
    }
    for (uint32_t k = 0; !is_start && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        value = parameter->dial[at.member] == dial + 1
                    ? *rh__values_at(&model->values, parameter, at.member)
                    : value;
    }
    rh__arena_end(&scratch);
    return value;
}

// --- copies --------------------------------------------------------------------------------------

rh_status rh__values_copy(const rh_values *values, rh_arena *arena, rh_values *out)
{
    const rh_model *model = values->model;
    const uint32_t count = values->parameters.count;
    const uint32_t starts = model->starts.count;
    *out = (rh_values){.model = model, .changes = values->changes};
    out->parameters.data = rh__arena_array(arena, double, (size_t)count + 1);
    out->is_given = rh__arena_array(arena, bool, (size_t)count + 1);
    out->starts = rh__arena_array(arena, double, (size_t)starts + 1);
    if (out->parameters.data == NULL || out->is_given == NULL || out->starts == NULL) {
        return arena->status;
    }
    out->parameters.count = out->parameters.capacity = count;
    for (uint32_t k = 0; k < count; k++) {
        out->parameters.data[k] = values->parameters.data[k];
        out->is_given[k] = values->is_given != NULL && values->is_given[k];
    }
    for (uint32_t k = 0; k < starts; k++) {
        out->starts[k] = values->starts != NULL ? values->starts[k] : (double)NAN;
    }
    return RH_OK;
}

// A parameter that is not given itself is the formula of its default.
static bool follows_others(const rh_values *values, const rh_parameter *parameter, uint32_t member)
{
    const rh_expr given = parameter->defaults[member];
    return given.i != 0 && !values->is_given[parameter->first + member] &&
           (rh__expr_mask(values->model->store, given) & RH_ROLE_PARAM) != 0;
}

static bool follow(const rh_values *values, const rh_parameter *parameter, uint32_t member,
                   rh_arena *scratch, double *out)
{
    const rh_mark mark = rh__arena_mark(scratch);
    const bool ok = rh__expr_values(values->model->store, &parameter->defaults[member], 1,
                                    rh__values_parameter, values, scratch, out);
    rh__arena_rewind(scratch, mark);
    return ok;
}

bool rh__values_put(rh_values *values, const rh_expr *symbols, const double *numbers,
                    uint32_t count, rh_arena *scratch)
{
    const rh_model *model = values->model;
    bool ok = true;
    uint32_t next = 0; // they mostly stand in the same order
    for (uint32_t k = 0; ok && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        const rh_expr symbol = rh__expr_symbol(model->store, parameter->family, at.member);
        double *value = rh__values_at(values, parameter, at.member);
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t index = (next + j) % count;
            if (symbols[index].i == symbol.i) {
                *value = numbers[index];
                values->is_given[parameter->first + at.member] = true;
                next = index + 1;
                break;
            }
        }
        ok = !follows_others(values, parameter, at.member) ||
             follow(values, parameter, at.member, scratch, value);
    }
    values->changes++;
    return ok;
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

static int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

// What the numbers of now change against those of before.
static turning compare(const rh_values *before, const rh_values *now)
{
    const rh_model *model = now->model;
    turning out = {.is_new = false};
    for (uint32_t k = 0; k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        const double old = *rh__values_at(before, parameter, at.member);
        const double value = *rh__values_at(now, parameter, at.member);
        const bool is_new = value != old && !(isnan(value) && isnan(old));
        out.is_new = out.is_new || is_new;
        out.has_new_signs = out.has_new_signs || sign_of(value) != sign_of(old);
        out.is_structural = out.is_structural || (is_new && parameter->is_structural) ||
                            (value == 0.0) != (old == 0.0) ||
                            (parameter->defaults[at.member].i != 0 && !isfinite(value));
    }
    return out;
}

void rh__values_assign(rh_values *values, const rh_values *from)
{
    const uint32_t count = values->parameters.count;
    memcpy(values->parameters.data, from->parameters.data, count * sizeof(double));
    memcpy(values->is_given, from->is_given, count * sizeof(bool));
    memcpy(values->starts, from->starts, values->model->starts.count * sizeof(double));
    values->changes++;
}

rh_status rh__values_change(rh_values *values, const rh_expr *symbols, const double *numbers,
                            uint32_t count, rh_arena *scratch)
{
    rh_values kept;
    if (count == 0) {
        return RH_OK;
    }
    RH_TRY(rh__values_copy(values, scratch, &kept));
    if (!rh__values_put(values, symbols, numbers, count, scratch)) {
        rh__values_assign(values, &kept);
        return RH_E_MEMORY;
    }
    const turning how = compare(&kept, values);
    const bool stands =
        !how.is_structural &&
        (!how.is_new || rh__store_stands(values->model->store, values, how.has_new_signs, scratch));
    if (!stands) {
        rh__values_assign(values, &kept);
    }
    values->changes = kept.changes + (stands && how.is_new);
    return stands ? RH_OK : RH_E_UNAVAILABLE;
}

static void turn_starts(rh_values *values, const double *start, uint32_t count)
{
    const rh_model *model = values->model;
    for (uint32_t k = 0; k < model->starts.count; k++) {
        const uint32_t dial = model->starts.data[k].dial;
        if (dial > 0 && dial <= count && !isnan(start[dial - 1])) {
            values->starts[k] = start[dial - 1];
        }
    }
}

static rh_status turn(rh_values *values, const double *set, uint32_t set_count, rh_arena *scratch)
{
    const rh_model *model = values->model;
    const uint32_t most = model->value_order.count;
    rh_expr *symbols = rh__arena_array(scratch, rh_expr, (size_t)most + 1);
    double *numbers = rh__arena_array(scratch, double, (size_t)most + 1);
    uint32_t count = 0;
    if (symbols == NULL || numbers == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < most; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        const uint32_t dial = parameter->dial[at.member];
        if (dial > 0 && dial <= set_count && !isnan(set[dial - 1])) {
            symbols[count] = rh__expr_symbol(model->store, parameter->family, at.member);
            numbers[count++] = set[dial - 1];
        }
    }
    return rh__values_change(values, symbols, numbers, count, scratch);
}

rh_status rh__values_turn(rh_values *values, const double *set, uint32_t set_count,
                          const double *start, uint32_t start_count, rh_error *err)
{
    const rh_model *model = values->model;
    RH_ASSERT(values->is_given != NULL && values->starts != NULL); // a copy
    RH_TRY(check_dials(model, set, set_count, start, start_count, err));
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    const rh_status status = turn(values, set, set_count, &scratch);
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        (void)rh__error_fill(err, status, "%s",
                             status == RH_E_UNAVAILABLE
                                 ? "other equations may hold for these values: read the model anew"
                                 : rh_status_text(status));
        return rh__guard_explain(scratch.allocator, status, err);
    }
    turn_starts(values, start, start_count);
    return RH_OK;
}
