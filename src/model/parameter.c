// SPDX-License-Identifier: Apache-2.0
// The values of parameters in doubles: each after those it is given by, in any order of the text. A
// parameter that is given through itself, or has no real value, is said.

#include "model/build.h"

#include <math.h>

// The defaults of parameters, once all definitions were read.
static void keep_defaults(rh_build *build)
{
    for (uint32_t index = 0; index < build->entities.count; index++) {
        const rh_entity *entity = rh__build_entity(build, index);
        if (entity->kind != RH_ENTITY_PARAM || entity->size == 0) {
            continue;
        }
        rh_parameter *parameter = &build->model->parameters.data[entity->place];
        for (uint32_t k = 0; k < entity->size && k < entity->members.count; k++) {
            const rh_value value = entity->members.data[k].value;
            parameter->defaults[k] = value.kind == RH_VALUE_SCALAR ? value.scalar : RH_EXPR_NONE;
            *rh__values_at(&build->model->values, parameter, k) = NAN;
            parameter->dial[k] = rh__build_dial(build, entity->members.data[k].code, false);
        }
    }
}

// One member of a parameter whose value is looked for.
typedef struct value_task {
    uint32_t parameter, member;
    bool is_open; // what it needs was asked for already
} value_task;

typedef struct value_tasks {
    RH_ARRAY(value_task) stack;
    uint8_t *is_asked; // by the place of the parameter's first member in `first`, and its member
    uint32_t *first;
} value_tasks;

static bool ask_value(rh_build *build, value_tasks *tasks, uint32_t parameter, uint32_t member)
{
    uint8_t *is_asked = &tasks->is_asked[tasks->first[parameter] + member];
    const value_task task = {parameter, member, false};
    const bool is_new = *is_asked == 0;
    *is_asked = 1;
    return !is_new || rh__array_push(build->arena, &tasks->stack, task);
}

// Ask for the parameters in a default.
static bool ask_parts(rh_build *build, value_tasks *tasks, rh_expr e)
{
    rh_expr_list symbols = {0};
    const rh_mark mark = rh__arena_mark(&build->scratch);
    bool ok = e.i == 0 || (rh__expr_mask(build->store, e) & RH_ROLE_PARAM) == 0 ||
              rh__expr_symbols(build->store, e, RH_ROLE_PARAM, &build->scratch, &symbols);
    for (uint32_t k = 0; ok && k < symbols.count; k++) {
        const rh_owner owner =
            rh__build_owner(build, rh__expr_family(build->store, symbols.data[k]));
        ok = ask_value(build, tasks, rh__build_entity(build, owner.entity)->place,
                       rh__expr_member(build->store, symbols.data[k]));
    }
    rh__arena_rewind(&build->scratch, mark);
    return ok;
}

static bool find_value(rh_build *build, const rh_parameter *parameter, uint32_t member)
{
    const rh_parameter_place place = {(uint32_t)(parameter - build->model->parameters.data),
                                      member};
    const rh_mark mark = rh__arena_mark(&build->scratch);
    const bool ok = parameter->defaults[member].i == 0 ||
                    rh__expr_values(build->store, &parameter->defaults[member], 1,
                                    rh__values_parameter, &build->model->values, &build->scratch,
                                    rh__values_at(&build->model->values, parameter, member));
    rh__arena_rewind(&build->scratch, mark);
    return ok && rh__array_push(build->arena, &build->model->value_order, place);
}

static bool run_tasks(rh_build *build, value_tasks *tasks)
{
    bool ok = true;
    while (ok && tasks->stack.count > 0) {
        value_task *task = &tasks->stack.data[tasks->stack.count - 1];
        const rh_parameter *parameter = &build->model->parameters.data[task->parameter];
        if (task->is_open) {
            ok = find_value(build, parameter, task->member);
            tasks->stack.count--;
        } else {
            task->is_open = true;
            ok = ask_parts(build, tasks, parameter->defaults[task->member]);
        }
    }
    return ok;
}

// The values of all parameters, each after those it is given by.
static bool find_values(rh_build *build)
{
    const rh_model *model = build->model;
    value_tasks tasks = {0};
    uint32_t count = 0;
    tasks.first = rh__arena_array(build->arena, uint32_t, model->parameters.count);
    for (uint32_t k = 0; tasks.first != NULL && k < model->parameters.count; k++) {
        tasks.first[k] = count;
        count += model->parameters.data[k].size;
    }
    tasks.is_asked = rh__arena_array(build->arena, uint8_t, count);
    bool ok = tasks.first != NULL && tasks.is_asked != NULL;
    for (uint32_t k = 0; ok && k < model->parameters.count; k++) {
        for (uint32_t member = 0; ok && member < model->parameters.data[k].size; member++) {
            ok = ask_value(build, &tasks, k, member) && run_tasks(build, &tasks);
        }
    }
    return ok;
}

// Are all parameters in the default known, so that only the value itself is not a number?
static bool has_known_parts(rh_build *build, rh_expr e)
{
    rh_expr_list symbols;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    bool is_known = rh__expr_symbols(build->store, e, RH_ROLE_PARAM, &build->scratch, &symbols);
    for (uint32_t k = 0; is_known && k < symbols.count; k++) {
        is_known =
            !isnan(rh__values_parameter(&build->model->values, build->store, symbols.data[k]));
    }
    rh__arena_rewind(&build->scratch, mark);
    return is_known;
}

// Where a parameter got its value: its name in the text, or the setting that changed it.
static rh_span given_at(rh_build *build, const rh_parameter *parameter, uint32_t member)
{
    const rh_entity *entity = rh__build_entity(build, rh__build_find(build, parameter->name));
    const rh_code code = entity->members.data[member].code;
    return code.tree == build->tree ? parameter->span : rh__code_span(code);
}

// A parameter without a value: its formula has none, or it is given through itself. Where both
// occur the second may only follow from the first.
static void complain_values(rh_build *build, bool about_circles)
{
    for (uint32_t k = 0; k < build->model->parameters.count; k++) {
        const rh_parameter *parameter = &build->model->parameters.data[k];
        for (uint32_t member = 0; member < parameter->size; member++) {
            const rh_expr e = parameter->defaults[member];
            if (e.i == 0 || isfinite(*rh__values_at(&build->model->values, parameter, member)) ||
                has_known_parts(build, e) == about_circles) {
                continue;
            }
            const rh_span span = given_at(build, parameter, member);
            if (about_circles) {
                rh__build_report(build, RH_DIAGNOSTIC_E104, span, NULL,
                                 "the parameter %.*s is given through itself",
                                 RH_SLICE_FORMAT(parameter->name));
                rh__build_repair(build, "give one of the parameters in the circle a number");
            } else {
                rh__build_report(build, RH_DIAGNOSTIC_E203, span, NULL,
                                 "the value of the parameter %.*s is %s",
                                 RH_SLICE_FORMAT(parameter->name),
                                 isnan(*rh__values_at(&build->model->values, parameter, member))
                                     ? "not a real number"
                                     : "infinite");
                rh__build_repair(build,
                                 "look for a divisor that is zero, or a root or logarithm of "
                                 "a number that is not positive");
            }
            return;
        }
    }
}

// Parameters may be given by one another, in any order.
void rh__build_values(rh_build *build)
{
    keep_defaults(build);
    if (!find_values(build)) {
        rh__build_stop(build);
        return;
    }
    if (build->model->diagnostics.error_count == 0) {
        complain_values(build, false);
    }
    if (build->model->diagnostics.error_count == 0) {
        complain_values(build, true);
    }
}
