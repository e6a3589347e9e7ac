// SPDX-License-Identifier: Apache-2.0
// What may stand where (no acceleration in an energy, no multiplier in a force), and total time
// derivatives.

#include "model/build.h"

const rh_scope RH_SCOPE_ANY = {~0u, "here", false, true};

// --- what may stand here ------------------------------------------------------------------------

typedef struct role_word {
    uint32_t role;
    const char *word;
    const char *plural;
} role_word;

static const role_word ROLE_WORDS[] = {
    {RH_ROLE_HIGHER, "a derivative that is too high", "higher derivatives"},
    {RH_ROLE_ACCELERATION, "an acceleration", "accelerations"},
    {RH_ROLE_MULTIPLIER, "a multiplier", "multipliers"},
    {RH_ROLE_DEVIATION, "a deviation", "deviations"},
    {RH_ROLE_RATE, "the rate of a state", "rates of states"},
    {RH_ROLE_VELOCITY, "a velocity", "velocities"},
    {RH_ROLE_INPUT, "an input", "inputs"},
    {RH_ROLE_STATE, "a state", "states"},
    {RH_ROLE_COORD, "a coordinate", "coordinates"},
    {RH_ROLE_TIME, "the time", "the time"},
    {RH_ROLE_CONSTANT, "a constant of the start", NULL},
    {RH_ROLE_LOCAL, "a new name of `change`", NULL},
    {RH_ROLE_PARAM, "a parameter", "parameters"},
};

enum { ROLE_WORD_COUNT = sizeof ROLE_WORDS / sizeof ROLE_WORDS[0] };

// What may stand here, as a list.
static void suggest_roles(rh_build *build, const rh_scope *scope)
{
    rh_text text = rh__text_begin(build->arena, NULL);
    for (size_t k = ROLE_WORD_COUNT; k-- > 0;) {
        if ((ROLE_WORDS[k].role & scope->allowed) != 0 && ROLE_WORDS[k].plural != NULL) {
            rh__text_format(&text, ", %s", ROLE_WORDS[k].plural);
        }
    }
    rh__build_repair(build, "allowed here: numbers%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

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
    for (size_t k = 0; k < ROLE_WORD_COUNT; k++) {
        if ((ROLE_WORDS[k].role & wrong) == 0) {
            continue;
        }
        const rh_expr symbol = find_symbol(build, e, ROLE_WORDS[k].role);
        if (symbol.i == 0) {
            return;
        }
        rh__build_report(build, RH_DIAGNOSTIC_E205, rh__code_span(code), code.env,
                         "%s is %s and cannot stand in %s", show_symbol(build, symbol),
                         ROLE_WORDS[k].word, scope->where);
        suggest_roles(build, scope);
        return;
    }
}

// In a constraint or an energy the rate of a state is replaced by its law, so no reaction may act
// on it.
static bool check_rates(rh_build *build, rh_expr e, rh_code code, const rh_scope *scope)
{
    rh_expr_list rates;
    if (!rh__expr_symbols(build->store, e, RH_ROLE_RATE, build->arena, &rates)) {
        return false;
    }
    for (uint32_t k = 0; k < rates.count; k++) {
        const rh_owner owner = rh__build_owner(build, rh__expr_family(build->store, rates.data[k]));
        const rh_expr state =
            rh__expr_symbol(build->store, rh__build_family(build, owner.entity, 0),
                            rh__expr_member(build->store, rates.data[k]));
        if (rh__build_is_lost(build, rh__build_entity(build, owner.entity)->name)) {
            return false; // its law is wrong
        }
        if (rh__build_is_selected(build, state)) {
            rh__build_report(build, RH_DIAGNOSTIC_E328, rh__code_span(code), code.env,
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

rh_value rh__build_check(rh_build *build, rh_value value, rh_code code, const rh_scope *scope)
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
