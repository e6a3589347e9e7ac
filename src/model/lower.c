// SPDX-License-Identifier: Apache-2.0
// Expressions of the tree become values: names are looked up, definitions are read when first needed, loops and calls
// are carried out, primes become total derivatives. Whatever is wrong is said once and gives a bad value, which
// passes silently through everything above it.

#include "model/build.h"

#include <string.h>

const rh_scope RH_SCOPE_ANY = {~0u, "here", false, true};

static rh_span span_of(rh_code code)
{
    return rh__tree_node(code.tree, code.at)->span;
}

static rh_code child(rh_code code, uint32_t k)
{
    code.at = rh__tree_child(code.tree, code.at, k);
    return code;
}

bool rh__build_refused(rh_build *build, rh_span span, const rh_env *env)
{
    const rh_refusal why = rh__store_refusal(build->store);
    if (why == RH_REFUSAL_NONE || build->is_stopped) {
        return why != RH_REFUSAL_NONE;
    }
    if (why == RH_REFUSAL_NUMBER) {
        rh__build_report(build, RH_DIAGNOSTIC_E911, span, env,
                         "this number would have more than %d binary digits", RH_EXPR_NUMBER_BITS);
        rh__build_repair(build, "use a smaller exponent, or a parameter in its place");
    } else if (why == RH_REFUSAL_NODES) {
        rh__build_report(build, RH_DIAGNOSTIC_E910, span, env,
                         "the model has more than %d different expressions", RH_EXPR_NODES);
        rh__build_repair(build, "make the bounds of its loops smaller");
    }
    rh__build_stop(build);
    return true;
}

// --- what may stand here ------------------------------------------------------------------------

typedef struct role_word {
    uint32_t role;
    const char *word;
} role_word;

static const role_word ROLE_WORDS[] = {
    {RH_ROLE_HIGHER, "a derivative that is too high"},
    {RH_ROLE_ACCELERATION, "an acceleration"},
    {RH_ROLE_MULTIPLIER, "a multiplier"},
    {RH_ROLE_DEVIATION, "a deviation"},
    {RH_ROLE_RATE, "the rate of a state"},
    {RH_ROLE_VELOCITY, "a velocity"},
    {RH_ROLE_INPUT, "an input"},
    {RH_ROLE_STATE, "a state"},
    {RH_ROLE_COORD, "a coordinate"},
    {RH_ROLE_TIME, "the time"},
    {RH_ROLE_CONSTANT, "a constant of the start"},
    {RH_ROLE_LOCAL, "a new name of `change`"},
    {RH_ROLE_PARAM, "a parameter"},
};

static const char *show_symbol(rh_build *build, rh_expr symbol)
{
    rh_text text = rh__text_begin(build->arena, NULL);
    rh__family_show(build->store, rh__expr_family(build->store, symbol),
                    rh__expr_member(build->store, symbol), &text);
    return text.ok && text.data != NULL ? text.data : "";
}

// The first symbol in `e` with one of the roles.
static rh_expr find_symbol(rh_build *build, rh_expr e, uint32_t roles)
{
    rh_expr_list symbols;
    return rh__expr_symbols(build->store, e, roles, build->arena, &symbols) && symbols.count > 0
               ? symbols.data[0]
               : RH_EXPR_NONE;
}

static void complain_role(rh_build *build, rh_expr e, uint32_t wrong, rh_code code,
                          const rh_scope *scope)
{
    for (size_t k = 0; k < sizeof ROLE_WORDS / sizeof *ROLE_WORDS; k++) {
        if ((ROLE_WORDS[k].role & wrong) == 0) {
            continue;
        }
        const rh_expr symbol = find_symbol(build, e, ROLE_WORDS[k].role);
        if (symbol.i == 0) {
            return;
        }
        rh__build_report(build, RH_DIAGNOSTIC_E205, span_of(code), code.env,
                         "%s is %s and cannot stand in %s", show_symbol(build, symbol),
                         ROLE_WORDS[k].word, scope->where);
        return;
    }
}

// In a constraint or an energy the rate of a state is replaced by its law, so no reaction may act on it.
static bool check_rates(rh_build *build, rh_expr e, rh_code code, const rh_scope *scope)
{
    rh_expr_list rates;
    if (!rh__expr_symbols(build->store, e, RH_ROLE_RATE, build->arena, &rates)) {
        return false;
    }
    for (uint32_t k = 0; k < rates.count; k++) {
        const rh_owner owner =
            rh__build_owner(build, rh__expr_family(build->store, rates.data[k]));
        const rh_expr state =
            rh__expr_symbol(build->store, rh__build_family(build, owner.entity, 0),
                            rh__expr_member(build->store, rates.data[k]));
        if (rh__build_is_selected(build, state)) {
            rh__build_report(build, RH_DIAGNOSTIC_E328, span_of(code), code.env,
                             "%s is the rate of a selected state: the reaction acts on it, so it "
                             "cannot stand in %s",
                             show_symbol(build, rates.data[k]), scope->where);
            rh__build_repair(build, "write the right side of its law instead, or leave the state "
                                    "out of `select`");
            return false;
        }
    }
    return true;
}

static rh_value check_scope(rh_build *build, rh_value value, rh_code code, const rh_scope *scope)
{
    for (uint32_t k = 0; k < rh__value_count(value); k++) {
        const rh_expr e = rh__value_item(value, k);
        if (e.i == 0) {
            return rh__value_bad();
        }
        const uint32_t mask = rh__expr_mask(build->store, e);
        const uint32_t wrong = mask & ~(scope->allowed | RH_EXPR_VARIABLE);
        if (wrong != 0) {
            complain_role(build, e, wrong, code, scope);
            return rh__value_bad();
        }
        if ((mask & RH_ROLE_RATE) != 0 && !scope->keeps_rates &&
            !check_rates(build, e, code, scope)) {
            return rh__value_bad();
        }
    }
    return value;
}

// --- derivatives -----------------------------------------------------------------------------

rh_expr rh__build_seed(void *user, rh_store *store, rh_expr symbol)
{
    rh_build *build = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_EXPR_VARIABLE) == 0) {
        return rh__expr_integer(store, 0);
    }
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    const rh_owner owner = rh__build_owner(build, rh__expr_family(store, symbol));
    if ((mask & RH_ROLE_INPUT) != 0) {
        rh_entity *input = rh__build_entity(build, owner.entity);
        const rh_value value = input->file != NULL
                                   ? rh__value_bad()
                                   : rh__build_member(build, owner.entity, input->members.data);
        if (value.kind == RH_VALUE_SCALAR) {
            return rh__derivation_apply(build->time_derivative, value.scalar);
        }
    } else if ((mask & (RH_ROLE_MULTIPLIER | RH_ROLE_LOCAL)) == 0 &&
               owner.primes < RH_EXPR_PRIMES) {
        return rh__expr_symbol(store, rh__build_family(build, owner.entity, owner.primes + 1),
                               rh__expr_member(store, symbol));
    }
    build->undifferentiable = owner.entity + 1;
    return rh__expr_integer(store, 0);
}

static rh_expr derive(rh_build *build, rh_expr e, uint32_t primes)
{
    for (uint32_t k = 0; k < primes; k++) {
        e = rh__derivation_apply(build->time_derivative, e);
    }
    return e;
}

rh_value rh__build_derivative(rh_build *build, rh_value value, uint32_t primes, rh_span span,
                              const rh_env *env)
{
    build->undifferentiable = 0;
    rh_value result = value;
    result.turns = NULL;
    result.turn_count = 0;
    if (value.kind == RH_VALUE_SCALAR) {
        result = rh__value_scalar(derive(build, value.scalar, primes));
    } else if (value.kind == RH_VALUE_VECTOR || value.kind == RH_VALUE_MATRIX) {
        rh_expr *items = NULL;
        result = rh__value_make(build, value.kind, value.rows, value.columns, &items);
        for (uint32_t k = 0; k < rh__value_count(result); k++) {
            items[k] = derive(build, value.items[k], primes);
        }
    } else {
        return rh__value_bad();
    }
    if (build->undifferentiable != 0) {
        const rh_entity *entity = rh__build_entity(build, build->undifferentiable - 1);
        const bool is_file = entity->kind == RH_ENTITY_INPUT;
        rh__build_report(build, RH_DIAGNOSTIC_E209, span, env,
                         is_file ? "the %s %.*s comes from a file and has no derivative"
                                 : "%s %.*s cannot be differentiated here",
                         rh__entity_word(entity->kind), RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, is_file ? "declare the derivative as an input of its own"
                                        : "leave out the prime");
        return rh__value_bad();
    }
    return result;
}

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

// A chain of definitions that is too long to follow now: put off, or an error.
static rh_value give_up_chain(rh_build *build, rh_code code)
{
    if (build->is_postponing) {
        build->was_postponed = true;
    } else {
        rh__build_report(build, RH_DIAGNOSTIC_E111, span_of(code), code.env,
                         "definitions wait for one another more than %d deep", RH_BUILD_DEPTH);
        rh__build_repair(build,
                         "define the members in an order in which each needs only earlier ones");
    }
    return rh__value_bad();
}

// An array of parameters takes one number for all members, or a vector with one for each.
static rh_value parameter_value(rh_build *build, const rh_entity *entity, const rh_member *member,
                                rh_value value)
{
    if (value.kind == RH_VALUE_VECTOR && entity->dimensions == 1 && value.rows == entity->size) {
        return rh__value_scalar(value.items[rh__entity_place(entity, member->index)]);
    }
    if (value.kind != RH_VALUE_SCALAR && value.kind != RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E201, span_of(member->code), NULL,
                         "the parameter %.*s needs %s, and this is %s",
                         RH_SLICE_FORMAT(entity->name),
                         entity->dimensions == 1
                             ? rh__text_print(build->arena, "a number or a vector of %u",
                                              entity->size)
                             : "a number",
                         rh__value_text(build, value));
        rh__build_repair(build, entity->dimensions == 0
                                    ? "define vectors and matrices with `let`"
                                    : "give one number, or one for each member");
        return rh__value_bad();
    }
    return value;
}

rh_value rh__build_member(rh_build *build, uint32_t index, rh_member *member)
{
    const rh_entity *entity = rh__build_entity(build, index);
    if (member->progress == RH_PROGRESS_DONE) {
        return member->value;
    }
    if (member->progress == RH_PROGRESS_BUSY) {
        complain_circle(build, entity, member);
        return rh__value_bad();
    }
    if (entity->kind == RH_ENTITY_CONSTRAINT) {
        return rh__build_deviation(build, index, member);
    }
    member->progress = RH_PROGRESS_BUSY;
    const bool was_postponed = build->was_postponed;
    build->was_postponed = false;
    const rh_value value =
        rh__build_lower(build, member->code, definition_scope(entity->kind));
    // a value that waits for another pass is not known yet
    member->progress = build->was_postponed ? RH_PROGRESS_NEW : RH_PROGRESS_DONE;
    build->was_postponed = build->was_postponed || was_postponed;
    member->value = entity->kind == RH_ENTITY_PARAM ? parameter_value(build, entity, member, value)
                                                    : value;
    return member->value;
}

static void read_members(rh_build *build, uint32_t index, bool is_backwards)
{
    const rh_entity *entity = rh__build_entity(build, index);
    const uint32_t count = entity->members.count;
    for (uint32_t k = 0; k < count && !build->is_stopped; k++) {
        build->was_postponed = false;
        (void)rh__build_member(build, index,
                               &entity->members.data[is_backwards ? count - 1 - k : k]);
    }
}

void rh__build_definitions(rh_build *build)
{
    // members usually need earlier ones, sometimes later ones: forwards, then backwards, then for good
    for (int pass = 0; pass < 3; pass++) {
        build->is_postponing = pass < 2;
        for (uint32_t index = 0; index < build->entities.count; index++) {
            const rh_entity_kind kind = rh__build_entity(build, index)->kind;
            const bool has_value = kind == RH_ENTITY_LET || kind == RH_ENTITY_QUASI ||
                                   kind == RH_ENTITY_PARAM || kind == RH_ENTITY_INPUT;
            if (has_value && rh__build_entity(build, index)->file == NULL) {
                read_members(build, index, pass == 1);
            }
        }
    }
    build->is_postponing = false;
    build->was_postponed = false;
}

// --- names -----------------------------------------------------------------------------------

static rh_value symbol_value(rh_build *build, rh_family family, uint32_t place)
{
    return rh__value_scalar(rh__expr_symbol(build->store, family, place));
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
    if (member == NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E102, span_of(code), code.env,
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
    if (entity.dimensions > 2 || entity.size > RH_BUILD_TENSOR) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, span_of(code), code.env,
                         "the array %.*s is too large to be taken as a whole",
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
            rh__build_report(build, RH_DIAGNOSTIC_E103, span_of(code), code.env,
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
        rh__build_report(build, RH_DIAGNOSTIC_E104, span_of(code), code.env,
                         "%.*s is the sum of the energies and cannot stand in one of them",
                         RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, "write the energy out");
        return rh__value_bad();
    }
    rh__build_energies(build);
    rh_store *store = build->store;
    const rh_model *model = build->model;
    const rh_expr kinetic = rh__model_kinetic(model);
    const rh_expr potential = rh__model_potential(model);
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
        sum = rh__expr_add(
            store, sum, rh__expr_multiply(store, momenta.data[k].symbol, momenta.data[k].value));
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

static rh_value lower_name(rh_build *build, rh_code code, const rh_scope *scope)
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
                         "%.*s is the name of an %s, not of a quantity",
                         RH_SLICE_FORMAT(node->text), rh__entity_word(entity->kind));
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
        rh__build_report(build, RH_DIAGNOSTIC_E103, span_of(code), code.env,
                         "%s takes %s, not %u", rh__value_text(build, value),
                         !is_tensor    ? "no index"
                         : wanted == 1 ? "one index"
                                       : "two indices",
                         indices);
        return rh__value_bad();
    }
    int64_t at[2] = {1, 1};
    for (uint32_t k = 0; k < indices; k++) {
        const int64_t last = k == 0 ? value.rows : value.columns;
        if (!rh__build_integer(build, child(code, k + 1), &at[k])) {
            return rh__value_bad();
        }
        if (at[k] < 1 || at[k] > last) {
            rh__build_report(build, RH_DIAGNOSTIC_E102, span_of(child(code, k + 1)), code.env,
                             "index %lld lies outside 1..%lld", (long long)at[k],
                             (long long)last);
            return rh__value_bad();
        }
    }
    const int64_t place = wanted == 2 ? (at[0] - 1) * value.columns + at[1] - 1 : at[0] - 1;
    return rh__value_scalar(value.items[place]);
}

static rh_value lower_index(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_ast_node *name = rh__tree_node(code.tree, rh__tree_child(code.tree, code.at, 0));
    const uint32_t index = rh__build_find(build, name->text);
    const bool is_local = find_env(code.env, name->text) != NULL;
    if (is_local || index == UINT32_MAX || !rh__build_entity(build, index)->is_array) {
        return component_value(build, code, rh__build_lower(build, child(code, 0), scope));
    }
    rh_entity *entity = rh__build_entity(build, index);
    const uint32_t indices = rh__tree_node(code.tree, code.at)->count - 1;
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    if (entity->kind == RH_ENTITY_EQUATION || entity->kind == RH_ENTITY_EVENT) {
        return rh__build_lower(build, child(code, 0), scope);
    }
    if (indices > entity->dimensions && entity->kind == RH_ENTITY_LET) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, span_of(code), code.env,
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
static rh_value lower_multiplier(rh_build *build, rh_code code)
{
    const rh_code name = child(code, 0);
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
        rh__build_report(build, RH_DIAGNOSTIC_E103, span_of(name), code.env,
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

// --- sums and products ------------------------------------------------------------------------

static rh_value push_scalar(rh_build *build, rh_expr_list *list, rh_value value)
{
    if (!rh__array_push(&build->scratch, list, value.scalar)) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    return value;
}

// Terms of a sum as they come: scalars are kept to be added at once, vectors and matrices one by one.
typedef struct rh_total {
    rh_expr_list scalars;
    rh_value tensor; // bad while there is none
} rh_total;

static bool total_add(rh_build *build, rh_total *total, rh_value value, rh_code code)
{
    if (value.kind == RH_VALUE_SCALAR) {
        return push_scalar(build, &total->scalars, value).kind != RH_VALUE_BAD;
    }
    if (value.kind == RH_VALUE_BAD) {
        return false;
    }
    const rh_value old = total->tensor;
    total->tensor = old.kind == RH_VALUE_BAD ? value : rh__value_add(build, old, value);
    if (total->tensor.kind == RH_VALUE_BAD || value.kind == RH_VALUE_CONDITION) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, span_of(code), code.env,
                         "%s cannot be added to %s", rh__value_text(build, value),
                         old.kind == RH_VALUE_BAD ? "anything" : rh__value_text(build, old));
        return false;
    }
    return true;
}

static rh_value total_end(rh_build *build, const rh_total *total, rh_code code)
{
    const rh_value scalars =
        rh__value_scalar(rh__expr_sum(build->store, total->scalars.data, total->scalars.count));
    if (total->tensor.kind == RH_VALUE_BAD || scalars.kind == RH_VALUE_BAD) {
        return scalars;
    }
    const rh_value sum = rh__value_add(build, scalars, total->tensor);
    if (sum.kind == RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, span_of(code), code.env,
                         "a number cannot be added to %s", rh__value_text(build, total->tensor));
        rh__build_repair(build, "add a vector of the same length");
    }
    return sum;
}

static rh_value lower_add(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_total total = {0};
    bool ok = true;
    for (rh_code term = child(code, 0); term.at.i != 0;
         term.at = rh__tree_next(code.tree, term.at)) {
        ok = total_add(build, &total, rh__build_lower(build, term, scope), term) && ok;
    }
    const rh_value result = ok ? total_end(build, &total, code) : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static bool lower_range(rh_build *build, rh_code range, int64_t *first, int64_t *last)
{
    const bool ok = rh__build_integer(build, child(range, 0), first);
    return rh__build_integer(build, child(range, 1), last) && ok;
}

static rh_value lower_sum(rh_build *build, rh_code code, const rh_scope *scope)
{
    int64_t first = 0;
    int64_t last = 0;
    if (!lower_range(build, child(code, 1), &first, &last)) {
        return rh__value_bad();
    }
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_total total = {0};
    bool ok = true;
    rh_env env = {code.env, rh__tree_node(code.tree, child(code, 0).at)->text, {0}, true};
    rh_code body = child(code, 2);
    body.env = &env;
    for (int64_t i = first; ok && i <= last && !build->is_stopped; i++) {
        env.value = rh__value_scalar(rh__expr_integer(build->store, i));
        ok = total_add(build, &total, rh__build_lower(build, body, scope), body);
    }
    const rh_value result = ok ? total_end(build, &total, code) : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static rh_value invert(rh_build *build, rh_code code, rh_value value)
{
    if (value.kind == RH_VALUE_BAD) {
        return value;
    }
    if (value.kind != RH_VALUE_SCALAR) {
        rh__build_report(build, RH_DIAGNOSTIC_E201, span_of(code), code.env,
                         "one cannot divide by %s", rh__value_text(build, value));
        return rh__value_bad();
    }
    if (rh__expr_is_zero(build->store, value.scalar)) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, span_of(code), code.env,
                         "this divisor is identically zero");
        return rh__value_bad();
    }
    const rh_expr minus_one = rh__expr_integer(build->store, -1);
    return rh__value_scalar(rh__expr_power(build->store, value.scalar, minus_one));
}

static rh_value multiply(rh_build *build, rh_value a, rh_value b, rh_code code)
{
    if (a.kind == RH_VALUE_BAD) {
        return b;
    }
    const rh_value result = rh__value_multiply(build, a, b);
    if (result.kind == RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E202, span_of(code), code.env,
                         "%s cannot be multiplied by %s", rh__value_text(build, a),
                         rh__value_text(build, b));
        if (a.kind == RH_VALUE_VECTOR && b.kind == RH_VALUE_VECTOR) {
            rh__build_repair(build, "write dot(a, b) or cross(a, b)");
        }
    }
    return result;
}

static rh_value lower_multiply(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_expr_list scalars = {0};
    rh_value tensor = rh__value_bad();
    bool ok = true;
    for (rh_code factor = child(code, 0); factor.at.i != 0;
         factor.at = rh__tree_next(code.tree, factor.at)) {
        const bool is_divisor = rh__tree_kind(code.tree, factor.at) == RH_AST_INVERT;
        const rh_code inner = is_divisor ? child(factor, 0) : factor;
        rh_value value = rh__build_lower(build, inner, scope);
        value = is_divisor ? invert(build, inner, value) : value;
        if (value.kind == RH_VALUE_SCALAR) {
            value = push_scalar(build, &scalars, value);
        } else if (value.kind != RH_VALUE_BAD && ok) {
            value = tensor = multiply(build, tensor, value, factor);
        }
        ok = ok && value.kind != RH_VALUE_BAD;
    }
    rh_value result = rh__value_bad();
    if (ok) {
        const rh_expr product = rh__expr_product(build->store, scalars.data, scalars.count);
        result = tensor.kind == RH_VALUE_BAD  ? rh__value_scalar(product)
                 : scalars.count == 0         ? tensor
                 : product.i == 0             ? rh__value_bad()
                                              : rh__value_scale(build, tensor, product);
    }
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

// --- the rest ----------------------------------------------------------------------------------

static rh_value lower_negate(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, child(code, 0), scope);
    if (value.kind == RH_VALUE_CONDITION) {
        rh__build_report(build, RH_DIAGNOSTIC_E204, span_of(code), code.env,
                         "a condition is no number");
        return rh__value_bad();
    }
    return value.kind == RH_VALUE_BAD
               ? value
               : rh__value_scale(build, value, rh__expr_integer(build->store, -1));
}

static rh_value lower_power(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_expr base = rh__build_scalar(build, child(code, 0), scope);
    const rh_expr exponent = rh__build_scalar(build, child(code, 1), scope);
    if (base.i == 0 || exponent.i == 0) {
        return rh__value_bad();
    }
    if (rh__expr_is_zero(build->store, base) && rh__expr_is_number(build->store, exponent) &&
        rh__expr_number_sign(build->store, exponent) < 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, span_of(code), code.env,
                         "a negative power of zero divides by zero");
        return rh__value_bad();
    }
    return rh__value_scalar(rh__expr_power(build->store, base, exponent));
}

static rh_value lower_vector(rh_build *build, rh_code code, const rh_scope *scope)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    rh_value *rows = count > RH_BUILD_TENSOR ? NULL
                                             : rh__arena_array(build->arena, rh_value, count);
    if (rows == NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E913, span_of(code), code.env,
                         "a vector may have %d components; this one has %u", RH_BUILD_TENSOR,
                         count);
        return rh__value_bad();
    }
    bool ok = true;
    uint32_t k = 0;
    for (rh_code row = child(code, 0); row.at.i != 0; row.at = rh__tree_next(code.tree, row.at)) {
        rows[k] = rh__build_lower(build, row, scope);
        const bool fits = rows[k].kind == rows[0].kind && rows[k].rows == rows[0].rows &&
                          rows[k].kind != RH_VALUE_MATRIX && rows[k].kind != RH_VALUE_CONDITION;
        if (rows[k].kind != RH_VALUE_BAD && rows[0].kind != RH_VALUE_BAD && !fits) {
            rh__build_report(build, RH_DIAGNOSTIC_E200, span_of(row), code.env,
                             "%s does not fit beside %s", rh__value_text(build, rows[k]),
                             rh__value_text(build, rows[0]));
        }
        ok = ok && fits && rows[k].kind != RH_VALUE_BAD;
        k++;
    }
    if (!ok || (uint64_t)count * rows[0].rows > RH_BUILD_TENSOR) {
        return rh__value_bad();
    }
    rh_expr *items = NULL;
    const bool is_matrix = rows[0].kind == RH_VALUE_VECTOR;
    const uint32_t columns = is_matrix ? rows[0].rows : 1;
    const rh_value result = rh__value_make(build, is_matrix ? RH_VALUE_MATRIX : RH_VALUE_VECTOR,
                                           count, columns, &items);
    for (uint32_t j = 0; j < rh__value_count(result); j++) {
        items[j] = rh__value_item(rows[j / columns], j % columns);
    }
    return result;
}

static rh_value lower_component(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, child(code, 0), scope);
    const uint32_t at = (uint32_t)(rh__tree_node(code.tree, code.at)->text.data[0] - 'x');
    if (value.kind == RH_VALUE_BAD || (value.kind == RH_VALUE_VECTOR && at < value.rows &&
                                       value.rows <= 3)) {
        return value.kind == RH_VALUE_BAD ? value : rh__value_scalar(value.items[at]);
    }
    rh__build_report(build, RH_DIAGNOSTIC_E208, span_of(code), code.env, "%s has no component .%c",
                     rh__value_text(build, value), (char)('x' + at));
    if (value.kind == RH_VALUE_VECTOR && value.rows > 3) {
        rh__build_repair(build, "use an index instead");
    }
    return rh__value_bad();
}

static rh_value lower_prime(rh_build *build, rh_code code, const rh_scope *scope)
{
    // what stands under the prime may be anything: only the derivative must be allowed here
    rh_scope inner = RH_SCOPE_ANY;
    inner.has_deviations = scope->has_deviations;
    const rh_value value = rh__build_lower(build, child(code, 0), &inner);
    if (value.kind == RH_VALUE_CONDITION) {
        rh__build_report(build, RH_DIAGNOSTIC_E204, span_of(code), code.env,
                         "a condition has no derivative");
        return rh__value_bad();
    }
    const uint32_t primes = rh__tree_node(code.tree, code.at)->number;
    const rh_value result =
        value.kind == RH_VALUE_BAD
            ? value
            : rh__build_derivative(build, value, primes, span_of(code), code.env);
    return check_scope(build, result, code, scope);
}

static rh_value condition(rh_expr e)
{
    return e.i == 0 ? rh__value_bad()
                    : (rh_value){.kind = RH_VALUE_CONDITION, .rows = 1, .columns = 1, .scalar = e};
}

static rh_value lower_compare(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_expr a = rh__build_scalar(build, child(code, 0), scope);
    const rh_expr b = rh__build_scalar(build, child(code, 1), scope);
    rh_store *store = build->store;
    const rh_expr ab[] = {a, b};
    const rh_expr ba[] = {b, a};
    switch ((rh_relation)rh__tree_node(code.tree, code.at)->number) {
    case RH_RELATION_EQUAL:
        return condition(rh__expr_apply(store, RH_OP_EQUAL, ab, 2));
    case RH_RELATION_UNEQUAL: {
        const rh_expr same = rh__expr_apply(store, RH_OP_EQUAL, ab, 2);
        return condition(rh__expr_apply(store, RH_OP_NOT, &same, 1));
    }
    case RH_RELATION_LESS:
        return condition(rh__expr_apply(store, RH_OP_LESS, ab, 2));
    case RH_RELATION_LESS_EQUAL:
        return condition(rh__expr_apply(store, RH_OP_LESS_EQUAL, ab, 2));
    case RH_RELATION_GREATER:
        return condition(rh__expr_apply(store, RH_OP_LESS, ba, 2));
    case RH_RELATION_GREATER_EQUAL:
        return condition(rh__expr_apply(store, RH_OP_LESS_EQUAL, ba, 2));
    }
    return rh__value_bad();
}

static rh_value lower_logic(rh_build *build, rh_code code, const rh_scope *scope, rh_op op)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_expr_list parts = {0};
    bool ok = true;
    for (rh_code part = child(code, 0); part.at.i != 0;
         part.at = rh__tree_next(code.tree, part.at)) {
        const rh_value value = rh__build_lower(build, part, scope);
        if (value.kind != RH_VALUE_CONDITION && value.kind != RH_VALUE_BAD) {
            rh__build_report(build, RH_DIAGNOSTIC_E204, span_of(part), code.env,
                             "%s is no condition", rh__value_text(build, value));
            rh__build_repair(build, "compare it with something, for example `... > 0`");
        }
        ok = value.kind == RH_VALUE_CONDITION &&
             push_scalar(build, &parts, value).kind != RH_VALUE_BAD && ok;
    }
    const rh_value result =
        ok ? condition(rh__expr_apply(build->store, op, parts.data, parts.count))
           : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static rh_value lower_kind(rh_build *build, rh_code code, const rh_scope *scope)
{
    switch (rh__tree_kind(code.tree, code.at)) {
    case RH_AST_NUMBER:
        return rh__value_scalar(
            rh__expr_literal(build->store, rh__tree_node(code.tree, code.at)->text));
    case RH_AST_NAME:
        return check_scope(build, lower_name(build, code, scope), code, scope);
    case RH_AST_INDEX:
        return check_scope(build, lower_index(build, code, scope), code, scope);
    case RH_AST_MULTIPLIER:
        return check_scope(build, lower_multiplier(build, code), code, scope);
    case RH_AST_MEMBER:
        return lower_component(build, code, scope);
    case RH_AST_PRIME:
        return lower_prime(build, code, scope);
    case RH_AST_CALL:
        return check_scope(build, rh__build_call(build, code, scope), code, scope);
    case RH_AST_SUM:
        return lower_sum(build, code, scope);
    case RH_AST_ADD:
        return lower_add(build, code, scope);
    case RH_AST_MULTIPLY:
        return lower_multiply(build, code, scope);
    case RH_AST_NEGATE:
        return lower_negate(build, code, scope);
    case RH_AST_POWER:
        return lower_power(build, code, scope);
    case RH_AST_COMPARE:
        return lower_compare(build, code, scope);
    case RH_AST_AND:
        return lower_logic(build, code, scope, RH_OP_AND);
    case RH_AST_OR:
        return lower_logic(build, code, scope, RH_OP_OR);
    case RH_AST_NOT:
        return lower_logic(build, code, scope, RH_OP_NOT);
    case RH_AST_VECTOR:
        return lower_vector(build, code, scope);
    default:
        RH_ASSERT(code.at.i == 0); // the parser leaves no other kind here
        return rh__value_bad();
    }
}

rh_value rh__build_lower(rh_build *build, rh_code code, const rh_scope *scope)
{
    if (build->is_stopped || code.at.i == 0) {
        return rh__value_bad();
    }
    if (++build->steps > RH_BUILD_STEPS) {
        rh__build_report(build, RH_DIAGNOSTIC_E912, span_of(code), code.env,
                         "reading this model takes more than %d steps", RH_BUILD_STEPS);
        rh__build_repair(build, "make the bounds of its loops smaller");
        rh__build_stop(build);
        return rh__value_bad();
    }
    if (build->depth >= RH_BUILD_DEPTH) {
        return give_up_chain(build, code);
    }
    build->depth++;
    const rh_value value = lower_kind(build, code, scope);
    build->depth--;
    return rh__build_refused(build, span_of(code), code.env) ? rh__value_bad() : value;
}

rh_expr rh__build_scalar(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, code, scope);
    if (value.kind != RH_VALUE_SCALAR && value.kind != RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E201, span_of(code), code.env,
                         "a number is needed here, and this is %s", rh__value_text(build, value));
        if (value.kind == RH_VALUE_VECTOR) {
            rh__build_repair(build, "take one component, or dot(...) or norm(...) of it");
        }
    }
    return value.kind == RH_VALUE_SCALAR ? value.scalar : RH_EXPR_NONE;
}

static const rh_scope SCOPE_BOUND = {0, "a bound or an index", false, true};

bool rh__build_integer(rh_build *build, rh_code code, int64_t *out)
{
    const rh_expr e = rh__build_scalar(build, code, &SCOPE_BOUND);
    if (e.i == 0) {
        return false;
    }
    const int64_t largest = (int64_t)1 << 31;
    if (!rh__expr_as_integer(build->store, e, out) || *out > largest || *out < -largest) {
        rh__build_report(build, RH_DIAGNOSTIC_E105, span_of(code), code.env,
                         rh__expr_is_number(build->store, e)
                             ? "a bound or an index is a whole number; this is %.17g"
                             : "a bound or an index is a whole number known beforehand",
                         rh__expr_is_number(build->store, e)
                             ? rh__expr_number_value(build->store, e)
                             : 0.0);
        return false;
    }
    return true;
}
