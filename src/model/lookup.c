// SPDX-License-Identifier: Apache-2.0
// Names: symbols, numbers, and definitions that are read when first needed. A definition that needs
// itself is said; one that waits for a long chain of others is read after them.

#include "model/build.h"

// --- definitions -----------------------------------------------------------------------------

static const rh_scope SCOPE_PARAM = {RH_ROLE_PARAM, "a parameter's value", false, true};
static const rh_scope SCOPE_INPUT = {RH_ROLE_PARAM | RH_ROLE_TIME, "an input's value", false, true};

static const rh_scope *definition_scope(rh_entity_kind kind)
{
    return kind == RH_ENTITY_PARAM   ? &SCOPE_PARAM
           : kind == RH_ENTITY_INPUT ? &SCOPE_INPUT
                                     : &RH_SCOPE_ANY;
}

static void complain_circle(rh_build *build, const rh_entity *entity, const rh_member *member)
{
    rh__build_report(build, RH_DIAGNOSTIC_E104, member->span, NULL,
                     "%.*s is defined through itself", RH_SLICE_FORMAT(entity->name));
    rh__build_repair(build, "break the circle: one of the definitions must not need the others");
}

// An array of parameters takes one number for all members, or a vector with one for each.
static rh_value parameter_value(rh_build *build, const rh_entity *entity, const rh_member *member,
                                rh_value value)
{
    if (value.kind == RH_VALUE_VECTOR && entity->dimensions == 1 && value.rows == entity->size) {
        return rh__value_scalar(value.items[rh__entity_place(entity, member->index)]);
    }
    if (value.kind != RH_VALUE_SCALAR && value.kind != RH_VALUE_BAD) {
        rh__build_report(
            build, RH_DIAGNOSTIC_E201, rh__code_span(member->code), NULL,
            "the parameter %.*s needs %s, and this is %s", RH_SLICE_FORMAT(entity->name),
            entity->dimensions == 1
                ? rh__text_print(build->arena, "a number or a vector of %u", entity->size)
                : "a number",
            rh__value_text(build, value));
        rh__build_repair(build, entity->dimensions == 0
                                    ? "define vectors and matrices with `let`"
                                    : "give one number, or one for each member");
        return rh__value_bad();
    }
    return value;
}

// What the definition says. The members of a parameter share one vector, which is read once.
static rh_value definition_value(rh_build *build, uint32_t index, rh_code code)
{
    const rh_entity *entity = rh__build_entity(build, index);
    if (entity->whole.kind == RH_VALUE_VECTOR && entity->whole_code.tree == code.tree &&
        entity->whole_code.at.i == code.at.i) {
        return entity->whole;
    }
    const rh_value value = rh__build_lower(build, code, definition_scope(entity->kind));
    if (entity->kind == RH_ENTITY_PARAM && entity->is_array && !build->was_postponed) {
        rh__build_entity(build, index)->whole = value;
        rh__build_entity(build, index)->whole_code = code;
    }
    return value;
}

rh_value rh__build_member(rh_build *build, uint32_t index, rh_member *member)
{
    const rh_entity *entity = rh__build_entity(build, index);
    if (member->progress == RH_PROGRESS_DONE) {
        return member->value;
    }
    if (member->progress == RH_PROGRESS_BUSY || member->is_waiting) {
        complain_circle(build, entity, member);
        return rh__value_bad();
    }
    if (entity->kind == RH_ENTITY_CONSTRAINT) {
        if (!rh__build_laws(build)) {
            return rh__value_bad();
        }
        return rh__build_deviation(build, index, member);
    }
    member->progress = RH_PROGRESS_BUSY;
    const bool was_postponed = build->was_postponed;
    build->was_postponed = false;
    const rh_reading outer = build->current;
    build->current = (rh_reading){index, member};
    const rh_value value = definition_value(build, index, member->code);
    build->current = outer;
    // a value that waits for another pass is not known yet
    member->progress = build->was_postponed ? RH_PROGRESS_NEW : RH_PROGRESS_DONE;
    build->was_postponed = build->was_postponed || was_postponed;
    member->value =
        entity->kind == RH_ENTITY_PARAM ? parameter_value(build, entity, member, value) : value;
    return member->value;
}

// Read one definition, and before it those that lie too deep below it. What cannot be known yet
// (the laws are needed) or lies too deep by itself is left for later.
static void settle_member(rh_build *build, rh_reading first)
{
    RH_ARRAY(rh_reading) waiting = {0};
    const rh_mark mark = rh__arena_mark(&build->scratch);
    bool ok = rh__array_push(&build->scratch, &waiting, first);
    while (ok && waiting.count > 0 && !build->is_stopped) {
        const rh_reading top = waiting.data[waiting.count - 1];
        build->was_postponed = false;
        build->wanted = (rh_reading){0};
        top.member->is_waiting = false;
        (void)rh__build_member(build, top.entity, top.member);
        if (top.member->progress == RH_PROGRESS_DONE) {
            waiting.count--;
            continue;
        }
        if (build->wanted.member == NULL || build->wanted.member == top.member) {
            break;
        }
        top.member->is_waiting = true;
        ok = rh__array_push(&build->scratch, &waiting, build->wanted);
    }
    for (uint32_t k = 0; k < waiting.count; k++) {
        waiting.data[k].member->is_waiting = false;
    }
    build->was_postponed = false;
    rh__arena_rewind(&build->scratch, mark);
    if (!ok) {
        rh__build_stop(build);
    }
}

static void read_members(rh_build *build, uint32_t index)
{
    const rh_entity *entity = rh__build_entity(build, index);
    for (uint32_t k = 0; k < entity->members.count && !build->is_stopped; k++) {
        rh_member *member = &entity->members.data[k];
        if (build->is_postponing) {
            settle_member(build, (rh_reading){index, member});
        } else {
            (void)rh__build_member(build, index, member);
        }
    }
}

static void read_kinds(rh_build *build, rh_entity_kind one, rh_entity_kind other)
{
    for (uint32_t index = 0; index < build->entities.count; index++) {
        const rh_entity *entity = rh__build_entity(build, index);
        if ((entity->kind == one || entity->kind == other) && entity->file == NULL) {
            read_members(build, index);
        }
    }
}

// Parameters before what is made of them, so that a wrong one is known to be wrong.
static void read_definitions(rh_build *build)
{
    read_kinds(build, RH_ENTITY_PARAM, RH_ENTITY_INPUT);
    read_kinds(build, RH_ENTITY_LET, RH_ENTITY_QUASI);
}

void rh__build_definitions(rh_build *build)
{
    build->is_postponing = true;
    read_definitions(build);
    build->is_postponing = false;
    // what a let takes from a constraint or an energy needs the laws and the selection
    (void)rh__build_laws(build);
    read_definitions(build);
}

// --- names -----------------------------------------------------------------------------------

static rh_value symbol_value(rh_build *build, rh_family family, uint32_t place)
{
    return rh__value_scalar(rh__expr_symbol(build->store, family, place));
}

// Was the definition read and found wrong?
static bool is_known_bad(rh_entity *entity, uint32_t place)
{
    const rh_member *member = rh__entity_member(entity, place);
    return member != NULL && member->progress == RH_PROGRESS_DONE &&
           member->value.kind == RH_VALUE_BAD;
}

// The value of one member: a symbol, a number, or what its definition says.
static rh_value member_value(rh_build *build, uint32_t index, uint32_t place, rh_code code,
                             const rh_scope *scope)
{
    rh_entity *entity = rh__build_entity(build, index);
    entity->is_used = true;
    switch (entity->kind) {
    case RH_ENTITY_COORD:
    case RH_ENTITY_STATE:
    case RH_ENTITY_INPUT:
    case RH_ENTITY_TIME:
        return symbol_value(build, rh__build_family(build, index, 0), place);
    case RH_ENTITY_PARAM:
        if (is_known_bad(entity, place)) {
            return rh__value_bad();
        }
        if (!entity->is_structural) {
            return symbol_value(build, rh__build_family(build, index, 0), place);
        }
        break;
    case RH_ENTITY_CONSTRAINT:
        if (scope->has_deviations) {
            return symbol_value(build, rh__build_family(build, index, 0), place);
        }
        break;
    default:
        break;
    }
    rh_member *member = rh__entity_member(entity, place);
    if (member == NULL && rh__build_is_lost(build, entity->name)) {
        return rh__value_bad();
    }
    if (member == NULL && build->is_declaring) {
        rh__build_report(build, RH_DIAGNOSTIC_E105, rh__code_span(code), code.env,
                         "a bound or an index is made of numbers, loop indices and parameters, and "
                         "%.*s is a %s",
                         RH_SLICE_FORMAT(entity->name), rh__entity_word(entity->kind));
        rh__build_repair(build, "declare it as a parameter: param %.*s = ...",
                         RH_SLICE_FORMAT(entity->name));
        return rh__value_bad();
    }
    if (member == NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E102, rh__code_span(code), code.env,
                         "%s is not defined", rh__entity_show(build, entity, place));
        rh__build_note(build, entity->span, "other members of %.*s are defined from here on",
                       RH_SLICE_FORMAT(entity->name));
        return rh__value_bad();
    }
    return rh__build_member(build, index, member);
}

// A whole array as a vector or a matrix.
static rh_value array_value(rh_build *build, uint32_t index, rh_code code, const rh_scope *scope)
{
    const rh_entity entity = *rh__build_entity(build, index);
    if (entity.dimensions > 2) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                         "the array %.*s has three indices and cannot be taken as a whole",
                         RH_SLICE_FORMAT(entity.name));
        rh__build_repair(build, "use an index: %.*s[%lld]", RH_SLICE_FORMAT(entity.name),
                         (long long)entity.first[0]);
        return rh__value_bad();
    }
    rh_expr *items = NULL;
    const bool is_matrix = entity.dimensions == 2;
    const rh_value result =
        rh__value_make(build, is_matrix ? RH_VALUE_MATRIX : RH_VALUE_VECTOR, entity.extent[0],
                       is_matrix ? entity.extent[1] : 1, &items);
    for (uint32_t place = 0; place < rh__value_count(result); place++) {
        const rh_value item = member_value(build, index, place, code, scope);
        if (item.kind == RH_VALUE_BAD) {
            return item;
        }
        if (item.kind != RH_VALUE_SCALAR) {
            rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                             "%.*s is an array of vectors and needs an index",
                             RH_SLICE_FORMAT(entity.name));
            rh__build_repair(build, "write %.*s[%lld]", RH_SLICE_FORMAT(entity.name),
                             (long long)entity.first[0]);
            return rh__value_bad();
        }
        items[place] = item.scalar;
    }
    return result;
}

// T, V and energy as sums over the statements.
static rh_value builtin_value(rh_build *build, const rh_entity *entity, rh_code code)
{
    if (build->energies == RH_PROGRESS_BUSY) {
        rh__build_report(build, RH_DIAGNOSTIC_E104, rh__code_span(code), code.env,
                         "%.*s is the sum of the energies and cannot stand in one of them",
                         RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, "write the energy out");
        return rh__value_bad();
    }
    if (!rh__build_energies(build) || build->has_bad_energy || rh__build_has_gaps(build)) {
        return rh__value_bad(); // not all energies are known
    }
    rh_store *store = build->store;
    const rh_model *model = build->model;
    const rh_expr kinetic = rh__model_kinetic(model);
    const rh_expr potential = rh__model_potential(model);
    if (kinetic.i == 0 || potential.i == 0) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    if (rh__slice_is(entity->name, "T")) {
        return rh__value_scalar(kinetic);
    }
    if (rh__slice_is(entity->name, "V")) {
        return rh__value_scalar(potential);
    }
    // Jacobi's energy of a Lagrangian: the sum of v dL/dv, less L
    const rh_expr lagrangian = rh__model_lagrangian(model);
    rh_gradient momenta = {0};
    if (lagrangian.i == 0 ||
        !rh__expr_gradient(store, lagrangian, RH_ROLE_VELOCITY, build->arena, &momenta)) {
        return rh__value_bad();
    }
    rh_expr sum = rh__expr_subtract(store, rh__expr_add(store, kinetic, potential), lagrangian);
    for (uint32_t k = 0; k < momenta.count; k++) {
        sum = rh__expr_add(store, sum,
                           rh__expr_multiply(store, momenta.data[k].symbol, momenta.data[k].value));
    }
    return rh__value_scalar(sum);
}

static const rh_env *find_env(const rh_env *env, rh_slice name)
{
    while (env != NULL && !rh__slice_equal(env->name, name)) {
        env = env->outer;
    }
    return env;
}

rh_value rh__build_name(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_ast_node *node = rh__tree_node(code.tree, code.at);
    const rh_env *local = find_env(code.env, node->text);
    if (local != NULL) {
        return local->value;
    }
    if (rh__slice_is(node->text, "pi")) {
        return rh__value_scalar(rh__expr_pi(build->store));
    }
    const uint32_t index = rh__build_find(build, node->text);
    if (index == UINT32_MAX) {
        rh__build_unknown(build, node->text, node->span, code.env, "name");
        return rh__value_bad();
    }
    rh_entity *entity = rh__build_entity(build, index);
    switch (entity->kind) {
    case RH_ENTITY_FUNCTION:
        rh__build_report(build, RH_DIAGNOSTIC_E107, node->span, code.env,
                         "%.*s is a function and needs arguments", RH_SLICE_FORMAT(node->text));
        rh__build_repair(build, "write %.*s(...)", RH_SLICE_FORMAT(node->text));
        return rh__value_bad();
    case RH_ENTITY_EQUATION:
    case RH_ENTITY_EVENT:
    case RH_ENTITY_OBSERVE:
        rh__build_report(build, RH_DIAGNOSTIC_E109, node->span, code.env,
                         "%.*s is the name of %s %s and stands for no value",
                         RH_SLICE_FORMAT(node->text), rh__entity_article(entity->kind),
                         rh__entity_word(entity->kind));
        rh__build_note(build, entity->span, "declared here");
        rh__build_repair(build, "define the quantity with `let` and use that name in both places");
        return rh__value_bad();
    case RH_ENTITY_BUILTIN:
        return builtin_value(build, entity, code);
    default:
        break;
    }
    return entity->dimensions > 0 ? array_value(build, index, code, scope)
                                  : member_value(build, index, 0, code, scope);
}

// The component of a vector or matrix value, counted from 1.
static rh_value component_value(rh_build *build, rh_code code, rh_value value)
{
    const uint32_t indices = rh__tree_node(code.tree, code.at)->count - 1;
    const uint32_t wanted = value.kind == RH_VALUE_MATRIX ? 2 : 1;
    const bool is_tensor = value.kind == RH_VALUE_VECTOR || value.kind == RH_VALUE_MATRIX;
    if (value.kind == RH_VALUE_BAD) {
        return value;
    }
    if (!is_tensor || indices != wanted) {
        const rh_slice name = rh__tree_node(code.tree, rh__code_child(code, 0).at)->text;
        if (is_tensor) {
            rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                             "%.*s is %s and takes %s, not %u", RH_SLICE_FORMAT(name),
                             rh__value_text(build, value),
                             wanted == 1 ? "one index" : "two indices", indices);
        } else {
            rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                             "%.*s is %s and takes no index", RH_SLICE_FORMAT(name),
                             rh__value_text(build, value));
        }
        rh__build_repair(build, "write %.*s%s", RH_SLICE_FORMAT(name),
                         !is_tensor    ? ""
                         : wanted == 1 ? "[i]"
                                       : "[i, j]");
        return rh__value_bad();
    }
    int64_t at[2] = {1, 1};
    for (uint32_t k = 0; k < indices; k++) {
        const int64_t last = k == 0 ? value.rows : value.columns;
        if (!rh__build_integer(build, rh__code_child(code, k + 1), &at[k])) {
            return rh__value_bad();
        }
        if (at[k] < 1 || at[k] > last) {
            rh__build_report(build, RH_DIAGNOSTIC_E102, rh__code_span(rh__code_child(code, k + 1)),
                             code.env, "index %lld lies outside 1..%lld", (long long)at[k],
                             (long long)last);
            rh__build_repair(build, "write an index from 1 to %lld", (long long)last);
            return rh__value_bad();
        }
    }
    const int64_t place = wanted == 2 ? (at[0] - 1) * value.columns + at[1] - 1 : at[0] - 1;
    return rh__value_scalar(value.items[place]);
}

rh_value rh__build_indexed(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_ast_node *name = rh__tree_node(code.tree, rh__tree_child(code.tree, code.at, 0));
    const uint32_t index = rh__build_find(build, name->text);
    const bool is_local = find_env(code.env, name->text) != NULL;
    if (is_local || index == UINT32_MAX || !rh__build_entity(build, index)->is_array) {
        return component_value(build, code, rh__build_lower(build, rh__code_child(code, 0), scope));
    }
    rh_entity *entity = rh__build_entity(build, index);
    const uint32_t indices = rh__tree_node(code.tree, code.at)->count - 1;
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    if (entity->kind == RH_ENTITY_EQUATION || entity->kind == RH_ENTITY_EVENT) {
        return rh__build_lower(build, rh__code_child(code, 0), scope);
    }
    if (entity->dimensions > 0 && indices > entity->dimensions && entity->kind == RH_ENTITY_LET) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                         "%.*s takes %u %s, not %u", RH_SLICE_FORMAT(entity->name),
                         entity->dimensions, entity->dimensions == 1 ? "index" : "indices",
                         indices);
        rh__build_repair(build, "name the member first: let member = %.*s[...], then member[...]",
                         RH_SLICE_FORMAT(entity->name));
        return rh__value_bad();
    }
    if (!rh__build_index(build, code, entity, at)) {
        return rh__value_bad();
    }
    return member_value(build, index, rh__entity_place(entity, at), code, scope);
}

// lambda.NAME: the multiplier of a constraint.
rh_value rh__build_lambda(rh_build *build, rh_code code)
{
    const rh_code name = rh__code_child(code, 0);
    const bool has_index = rh__tree_kind(code.tree, name.at) == RH_AST_INDEX;
    const rh_ast_node *node =
        rh__tree_node(code.tree, has_index ? rh__tree_child(code.tree, name.at, 0) : name.at);
    const uint32_t index = rh__build_find(build, node->text);
    if (index == UINT32_MAX || rh__build_entity(build, index)->kind != RH_ENTITY_CONSTRAINT) {
        rh__build_unknown(build, node->text, node->span, code.env, "constraint");
        return rh__value_bad();
    }
    rh_entity *entity = rh__build_entity(build, index);
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    if (has_index != entity->is_array) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(name), code.env,
                         entity->is_array ? "%.*s is an array and needs an index"
                                          : "%.*s is no array and takes no index",
                         RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, entity->is_array ? "write lambda.%.*s[...]" : "write lambda.%.*s",
                         RH_SLICE_FORMAT(entity->name));
        return rh__value_bad();
    }
    if (has_index && !rh__build_index(build, name, entity, at)) {
        return rh__value_bad();
    }
    const uint32_t place = rh__entity_place(entity, at);
    return symbol_value(build, rh__build_multiplier(build, index), place);
}
