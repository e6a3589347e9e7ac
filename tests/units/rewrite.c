// SPDX-License-Identifier: Apache-2.0
// The text of a model goes in, the same model with a factor at every quantity that has a unit comes
// out. With x = X unit_k, t = T unit_time and L = N/unit_mass (X, T, N new; unit_... parameters):
// equations of coordinates are multiplied by unit_mass*unit_k, laws of states by
// unit_mass*unit_time*unit_k, so that reactions of one multiplier fit together.

#include "rewrite.h"

#include "names.h"

#include <stdio.h>
#include <stdlib.h>

static void put_node(units_text *it, rh_ast id);

void units_rewrite(units_text *it)
{
    put_node(it, it->tree.root);
}

static void refuse(units_text *it, const char *reason)
{
    it->refusal = it->refusal != NULL ? it->refusal : reason;
}

static const rh_ast_node *node_of(const units_text *it, rh_ast id)
{
    return rh__tree_node(&it->tree, id);
}

static rh_ast child_of(const units_text *it, rh_ast id, uint32_t k)
{
    return rh__tree_child(&it->tree, id, k);
}

static void put_source(units_text *it, uint32_t from, uint32_t to)
{
    const rh_span span = {.offset = from, .size = to - from};
    rh__text_put_slice(&it->out, rh__source_slice(&it->source, span));
}

// --- factors -----------------------------------------------------------------------------------

static void put_power(units_text *it, const char *symbol, int32_t power)
{
    if (power != 0) {
        rh__text_format(&it->out, power < 0 ? "*%s^(%d)" : "*%s^%d", symbol, (int)power);
    }
}

/// A product of powers of factors.
typedef struct factor {
    int32_t variable_power, time_power, mass_power, link_power;
    uint32_t variable;
} factor;

static bool is_one(const factor *f)
{
    return f->variable_power == 0 && f->time_power == 0 && f->mass_power == 0 && f->link_power == 0;
}

static void put_factor(units_text *it, const factor *f)
{
    if (f->variable_power != 0) {
        char symbol[32];
        (void)snprintf(symbol, sizeof symbol, "unit_%u", f->variable + 1);
        put_power(it, symbol, f->variable_power);
    }
    put_power(it, "unit_time", f->time_power);
    put_power(it, "unit_mass", f->mass_power);
    put_power(it, "unit_link", f->link_power);
}

// ((expression)*factor)
static void put_scaled(units_text *it, rh_ast id, const factor *f)
{
    if (is_one(f)) {
        put_node(it, id);
        return;
    }
    rh__text_put(&it->out, "((");
    put_node(it, id);
    rh__text_put(&it->out, ")");
    put_factor(it, f);
    rh__text_put(&it->out, ")");
}

/// What the old value is, by the new one.
static factor use_of(const units_name *name)
{
    factor f = {.variable = name->variable};
    switch (name->role) {
    case UNITS_COORD:
    case UNITS_STATE:
        f.variable_power = 1;
        break;
    case UNITS_QUASI:
        f.time_power = -1;
        break;
    case UNITS_CONSTRAINT:
        f.link_power = -1;
        break;
    case UNITS_ENERGY:
        f.mass_power = -1;
        break;
    case UNITS_CLOCK:
        f.time_power = 1;
        break;
    }
    return f;
}

// --- names -------------------------------------------------------------------------------------

static const units_name *name_of(const units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    if (node->kind == RH_AST_INDEX) {
        return name_of(it, node->first);
    }
    if (node->kind != RH_AST_NAME) {
        return NULL;
    }
    for (uint32_t k = 0; k < it->hidden_count; k++) {
        if (rh__slice_equal(it->hidden[k], node->text)) {
            return NULL;
        }
    }
    return units_name_find(it, node->text);
}

static void hide(units_text *it, rh_ast name)
{
    if (it->hidden_count == UNITS_HIDDEN) {
        refuse(it, "too many names inside one another");
        return;
    }
    it->hidden[it->hidden_count++] = node_of(it, name)->text;
}

// --- expressions -------------------------------------------------------------------------------

// The text of a node with its children put anew.
static void put_children(units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    uint32_t at = node->span.offset;
    for (rh_ast c = node->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        const rh_span span = node_of(it, c)->span;
        put_source(it, at, span.offset);
        put_node(it, c);
        at = span.offset + span.size;
    }
    put_source(it, at, node->span.offset + node->span.size);
}

static void put_name(units_text *it, rh_ast id)
{
    const units_name *name = name_of(it, id);
    const rh_span span = node_of(it, id)->span;
    if (name == NULL) {
        put_source(it, span.offset, span.offset + span.size);
        return;
    }
    rh__text_put(&it->out, "(");
    put_source(it, span.offset, span.offset + span.size);
    const factor f = use_of(name);
    put_factor(it, &f);
    rh__text_put(&it->out, ")");
}

static void put_prime(units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    const units_name *name = name_of(it, node->first);
    factor f = {.time_power = 0};
    rh__text_put(&it->out, "(");
    if (name != NULL && name->role != UNITS_CLOCK) {
        f = use_of(name);
        put_source(it, node->span.offset, node->span.offset + node->span.size);
    } else {
        put_children(it, id);
    }
    f.time_power -= (int32_t)node->number;
    put_factor(it, &f);
    rh__text_put(&it->out, ")");
}

static void put_multiplier(units_text *it, rh_ast id)
{
    const units_name *name = name_of(it, child_of(it, id, 0));
    const rh_ast_node *node = node_of(it, id);
    rh__text_put(&it->out, "(");
    put_source(it, node->span.offset, node->span.offset + node->span.size);
    if (name != NULL) {
        const factor f = {.mass_power = -name->mass_power,
                          .time_power = -name->time_power,
                          .link_power = -name->link_power,
                          .variable_power = -name->whole_power};
        put_factor(it, &f);
    }
    rh__text_put(&it->out, ")");
}

static void put_call(units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    const uint32_t kept = it->hidden_count;
    const bool is_spin = rh__slice_is(node->text, "spin");
    if (rh__slice_is(node->text, "integral") && node_of(it, node->first)->kind == RH_AST_NAME) {
        hide(it, node->first);
    }
    rh__text_put(&it->out, is_spin ? "(" : "");
    put_children(it, id);
    rh__text_put(&it->out, is_spin ? "/unit_time)" : "");
    it->hidden_count = kept;
}

// --- statements --------------------------------------------------------------------------------

// New value of a place, by the old one.
static factor place_of(const units_text *it, rh_ast place)
{
    const rh_ast_node *node = node_of(it, place);
    const bool is_prime = node->kind == RH_AST_PRIME;
    factor f = {.variable = 0};
    if (node->kind == RH_AST_MULTIPLIER) {
        const units_name *name = name_of(it, node->first);
        f.mass_power = name != NULL ? name->mass_power : 0;
        f.time_power = name != NULL ? name->time_power : 0;
        f.link_power = name != NULL ? name->link_power : 0;
        return f;
    }
    const units_name *name = name_of(it, is_prime ? node->first : place);
    if (name != NULL) {
        const factor use = use_of(name);
        f = (factor){.variable = use.variable,
                     .variable_power = -use.variable_power,
                     .time_power = -use.time_power,
                     .mass_power = -use.mass_power,
                     .link_power = -use.link_power};
    }
    f.time_power += is_prime ? (int32_t)node->number : 0;
    return f;
}

static void put_setting(units_text *it, rh_ast id)
{
    const rh_ast place = child_of(it, id, 0);
    const rh_ast value = child_of(it, id, 1);
    const rh_span span = node_of(it, place)->span;
    put_source(it, span.offset, span.offset + span.size);
    rh__text_put(&it->out, " = ");
    const factor f = place_of(it, place);
    put_scaled(it, value, &f);
}

// The factor of the equation of a variable: forces, components of covectors and laws take it.
static factor equation_of(units_text *it, rh_ast target)
{
    const units_name *name = name_of(it, target);
    if (name == NULL || name->role > UNITS_STATE) {
        refuse(it, "a force or a law of something that is no variable");
        return (factor){.variable = 0};
    }
    return (factor){.variable = name->variable,
                    .variable_power = 1,
                    .mass_power = 1,
                    .time_power = name->role == UNITS_STATE};
}

// The variable whose highest derivative stands in an expression; none.
static rh_ast find_target(const units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    if (node->kind == RH_AST_PRIME) {
        const units_name *name = name_of(it, node->first);
        if (name != NULL && ((name->role == UNITS_COORD && node->number == 2) ||
                             (name->role == UNITS_STATE && node->number == 1))) {
            return node->first;
        }
    }
    for (rh_ast c = node->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        const rh_ast found = find_target(it, c);
        if (found.i != 0) {
            return found;
        }
    }
    return (rh_ast){0};
}

static void put_law(units_text *it, rh_ast id)
{
    const rh_ast target = find_target(it, child_of(it, id, 0));
    if (target.i == 0) {
        refuse(it, "a law whose variable is not seen");
        return;
    }
    const factor f = equation_of(it, target);
    rh__text_put(&it->out, "law ");
    put_scaled(it, child_of(it, id, 0), &f);
    rh__text_put(&it->out, " = ");
    put_scaled(it, child_of(it, id, 1), &f);
}

// WORD expression, or COMPONENT and the like: the last child takes the factor, all others stay.
static void put_last(units_text *it, rh_ast id, const factor *f, bool are_others_kept)
{
    const rh_ast_node *node = node_of(it, id);
    uint32_t at = node->span.offset;
    for (rh_ast c = node->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        const rh_span span = node_of(it, c)->span;
        put_source(it, at, span.offset);
        at = span.offset + span.size;
        if (c.i == node->last.i) {
            put_scaled(it, c, f);
        } else if (are_others_kept) {
            put_source(it, span.offset, at);
        } else {
            put_node(it, c);
        }
    }
    put_source(it, at, node->span.offset + node->span.size);
}

static void put_component(units_text *it, rh_ast id, bool is_reaction)
{
    factor f = equation_of(it, child_of(it, id, 0));
    f.mass_power = is_reaction; // else the multiplier has it
    put_last(it, id, &f, true);
}

static void put_by(units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    uint32_t at = node->span.offset;
    for (rh_ast c = node->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        const rh_span span = node_of(it, c)->span;
        put_source(it, at, span.offset);
        at = span.offset + span.size;
        if (node_of(it, c)->kind == RH_AST_COMPONENT) {
            put_component(it, c, rh__slice_is(node->text, "reaction"));
        } else {
            const factor f = {.mass_power = 1, .time_power = 1, .link_power = -2};
            const factor none = {.mass_power = 0};
            put_scaled(it, c, rh__slice_is(node->text, "friction") ? &f : &none);
        }
    }
    put_source(it, at, node->span.offset + node->span.size);
}

static void put_with(units_text *it, rh_ast id)
{
    const rh_ast_node *node = node_of(it, id);
    const rh_ast_node *first = node_of(it, node->first);
    if (first->kind == RH_AST_CALL) { // baumgarte: both arguments are rates
        rh__text_put(&it->out, "with baumgarte(");
        const factor f = {.time_power = 1};
        put_scaled(it, first->first, &f);
        rh__text_put(&it->out, ", ");
        put_scaled(it, first->last, &f);
        rh__text_put(&it->out, ")");
        return;
    }
    const factor f = {.time_power = first->number, .link_power = 1};
    put_last(it, id, &f, true);
}

// The child that stands next in the text: clauses are kept in an order of their own.
static rh_ast next_in_text(const units_text *it, rh_ast id, uint32_t from)
{
    rh_ast best = {0};
    for (rh_ast c = node_of(it, id)->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        const uint32_t at = node_of(it, c)->span.offset;
        if (at >= from && (best.i == 0 || at < node_of(it, best)->span.offset)) {
            best = c;
        }
    }
    return best;
}

static void put_constraint(units_text *it, rh_ast id)
{
    static const factor LINK = {.link_power = 1};
    const rh_ast_node *node = node_of(it, id);
    uint32_t at = node->span.offset, k = 0;
    for (rh_ast c = next_in_text(it, id, at); c.i != 0; c = next_in_text(it, id, at), k++) {
        const rh_span span = node_of(it, c)->span;
        put_source(it, at, span.offset);
        at = span.offset + span.size;
        if (k == 0) {
            put_source(it, span.offset, at);
        } else if (k < 3 && node_of(it, c)->kind != RH_AST_CONSTANT) {
            put_scaled(it, c, &LINK);
        } else {
            put_node(it, c);
        }
    }
    put_source(it, at, node->span.offset + node->span.size);
}

static void put_observe(units_text *it, rh_ast id)
{
    if (node_of(it, id)->count > 1) {
        const factor f = {.mass_power = 0};
        put_last(it, id, &f, true);
    } else if (name_of(it, child_of(it, id, 0)) == NULL) { // else there is a column of it, or none
        put_children(it, id);
    }
}

static void put_construct(units_text *it, rh_ast id)
{
    if (node_of(it, id)->count > 0) {
        refuse(it, "construct tangent: its product of rows has units of its own");
    }
    put_children(it, id);
}

// The names that the children before the last two or the last one declare are not seen outside.
static void put_scope(units_text *it, rh_ast id, uint32_t from, uint32_t to)
{
    const uint32_t kept = it->hidden_count;
    for (uint32_t k = from; k < to; k++) {
        hide(it, child_of(it, id, k));
    }
    put_children(it, id);
    it->hidden_count = kept;
}

static bool put_energy(units_text *it, rh_ast id, rh_ast_kind kind)
{
    const factor energy = {.mass_power = 1};
    const factor dissipation = {.mass_power = 1, .time_power = 1};
    const factor quasi = {.time_power = 1};
    switch (kind) {
    case RH_AST_KINETIC:
    case RH_AST_POTENTIAL:
    case RH_AST_LAGRANGIAN:
    case RH_AST_FORCE_AT:
    case RH_AST_TORQUE:
        put_last(it, id, &energy, false);
        return true;
    case RH_AST_DISSIPATION:
        put_last(it, id, &dissipation, false);
        return true;
    case RH_AST_QUASI:
        put_last(it, id, &quasi, true);
        return true;
    case RH_AST_FORCE: {
        const factor f = equation_of(it, child_of(it, id, 0));
        put_last(it, id, &f, true);
        return true;
    }
    default:
        return false;
    }
}

static bool put_statement(units_text *it, rh_ast id, rh_ast_kind kind)
{
    static const factor NONE = {.mass_power = 0};
    const rh_ast_node *node = node_of(it, id);
    switch (kind) {
    case RH_AST_PARAM:
    case RH_AST_COORD:
    case RH_AST_STATE:
    case RH_AST_SELECT:
    case RH_AST_PAIR:
    case RH_AST_MODEL:
        put_source(it, node->span.offset, node->span.offset + node->span.size);
        return true;
    case RH_AST_LET:
    case RH_AST_INPUT:
        put_last(it, id, &NONE, true);
        return true;
    case RH_AST_EVENT:
    case RH_AST_EQUATION:
        put_children(it, id); // its name is no variable
        return true;
    case RH_AST_FUNCTION:
        put_scope(it, id, 0, node->count - 1);
        return true;
    case RH_AST_FOR:
    case RH_AST_SUM:
        put_scope(it, id, 0, 1);
        return true;
    case RH_AST_LAW:
        put_law(it, id);
        return true;
    case RH_AST_CONSTRAINT:
        put_constraint(it, id);
        return true;
    case RH_AST_OBSERVE:
        put_observe(it, id);
        return true;
    case RH_AST_CONSTRUCT:
        put_construct(it, id);
        return true;
    default:
        return put_energy(it, id, kind);
    }
}

static void put_node(units_text *it, rh_ast id)
{
    const rh_ast_kind kind = rh__tree_kind(&it->tree, id);
    switch (kind) {
    case RH_AST_NAME:
    case RH_AST_INDEX:
        put_name(it, id);
        break;
    case RH_AST_PRIME:
        put_prime(it, id);
        break;
    case RH_AST_MULTIPLIER:
        put_multiplier(it, id);
        break;
    case RH_AST_CALL:
        put_call(it, id);
        break;
    case RH_AST_SETTING:
        put_setting(it, id);
        break;
    case RH_AST_BY:
        put_by(it, id);
        break;
    case RH_AST_WITH:
        put_with(it, id);
        break;
    default:
        if (!put_statement(it, id, kind)) {
            put_children(it, id);
        }
    }
}
