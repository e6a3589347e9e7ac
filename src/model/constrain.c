// SPDX-License-Identifier: Apache-2.0
// Constraints with their realisations and perturbation laws, quasi-velocities, and `construct`.

#include "model/build.h"

#include <math.h>

static const rh_scope SCOPE_CONSTRAINT = {RH_ROLES_MOTION | RH_ROLE_RATE, "a constraint", false,
                                          false};
static const rh_scope SCOPE_REACTION = {RH_ROLES_MOTION | RH_ROLE_RATE, "a reaction", false, false};
static const rh_scope SCOPE_IMPACT = {RH_ROLE_PARAM, "a restitution", false, true};
static const rh_scope SCOPE_WITH = {RH_ROLES_MOTION | RH_ROLE_DEVIATION, "a perturbation law", true,
                                    false};
static const rh_scope SCOPE_QUASI = {RH_ROLE_PARAM | RH_ROLE_TIME | RH_ROLE_COORD |
                                         RH_ROLE_VELOCITY,
                                     "a quasi-velocity", false, true};

// --- the deviation -----------------------------------------------------------------------------

// The rate of an unselected state is what its law says.
static rh_expr replace_rate(void *user, rh_store *store, rh_expr symbol)
{
    const rh_build *build = user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_RATE) != 0) {
        const uint32_t at = rh__marks_get(&build->law_of, symbol);
        if (at != 0) {
            const rh_law *law = &build->model->laws.data[at - 1];
            return rh__expr_divide(store, law->value, law->inertia);
        }
    }
    return symbol;
}

rh_expr rh__build_without_rates(rh_build *build, rh_expr e)
{
    return e.i != 0 && (rh__expr_mask(build->store, e) & RH_ROLE_RATE) != 0
               ? rh__expr_substitute(build->store, e, replace_rate, build)
               : e;
}

rh_value rh__build_deviation(rh_build *build, uint32_t index, rh_member *member)
{
    member->progress = RH_PROGRESS_BUSY;
    const rh_code code = member->code;
    const rh_relation relation = (rh_relation)rh__tree_node(code.tree, code.at)->number;
    const bool takes_constant =
        rh__tree_kind(code.tree, rh__code_child(code, 2).at) == RH_AST_CONSTANT;
    const rh_entity *entity = rh__build_entity(build, index);
    const uint32_t place = rh__entity_place(entity, member->index);
    const rh_expr left = rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_CONSTRAINT);
    const rh_expr right =
        takes_constant ? rh__expr_symbol(build->store, rh__build_constant(build, index), place)
                       : rh__build_scalar(build, rh__code_child(code, 2), &SCOPE_CONSTRAINT);
    const bool is_upper = relation == RH_RELATION_LESS_EQUAL;
    rh_expr deviation = RH_EXPR_NONE;
    if (left.i != 0 && right.i != 0) {
        deviation =
            rh__expr_subtract(build->store, is_upper ? right : left, is_upper ? left : right);
        deviation = rh__build_without_rates(build, deviation);
    }
    if (deviation.i != 0 && (rh__expr_mask(build->store, deviation) & RH_ROLE_RATE) != 0) {
        deviation = RH_EXPR_NONE; // of a state without a law
    }
    member->value = rh__value_scalar(deviation);
    member->progress = RH_PROGRESS_DONE;
    return member->value;
}

// --- kind and level ------------------------------------------------------------------------------

// The symbols in which something shall be linear, and a point to try it at.
typedef struct linearity {
    const rh_build *build;
    uint32_t roles;
    bool is_selected; // only those that a reaction may act on
    uint64_t draw;    // seed of their values
    uint64_t rest;    // seed of all others
} linearity;

static bool is_moving(const linearity *in, rh_expr symbol)
{
    return (rh__expr_mask(in->build->store, symbol) & in->roles) != 0 &&
           (!in->is_selected || rh__build_is_selected(in->build, symbol));
}

static double draw_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const linearity *in = user;
    const bool moves = is_moving(in, symbol);
    const bool is_given = (rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0;
    const double given =
        is_given ? rh__values_parameter(&in->build->model->values, store, symbol) : NAN;
    const uint64_t seed = moves ? in->draw : in->rest;
    const double unit = (double)(rh__hash_mix(seed ^ (uint64_t)symbol.i << 20) >> 11) * 0x1p-53;
    return moves ? 4.0 * unit - 2.0 : isnan(given) ? 0.1 + 1.8 * unit : given;
}

// e less the sum of its partials times their symbols, then the partials: where `e` is linear they
// do not change with the moving symbols. `out_size`: the sum of absolute terms of the first. False
// when the scratch arena refused.
static bool try_point(rh_build *build, linearity in, const rh_expr *roots, const rh_gradient *first,
                      double *out, double *out_size)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    const bool ok = rh__expr_values(build->store, roots, first->count + 1, draw_value, &in,
                                    &build->scratch, out);
    rh__arena_rewind(&build->scratch, mark);
    *out_size = fabs(out[0]);
    for (uint32_t k = 0; ok && k < first->count; k++) {
        const bool moves = is_moving(&in, first->data[k].symbol);
        const double term =
            moves ? out[k + 1] * draw_value(&in, build->store, first->data[k].symbol) : 0.0;
        out[0] -= term;
        *out_size += fabs(term);
        out[k + 1] = moves ? out[k + 1] : 0.0;
    }
    return ok;
}

// What rounding can make of one of these numbers.
static double noise_at(rh_build *build, linearity in, const rh_expr *roots,
                       const rh_gradient *first, uint32_t root)
{
    double sum = rh__expr_rounding(build->store, roots[root], draw_value, &in, &build->scratch);
    for (uint32_t k = 0; root == 0 && k < first->count; k++) {
        const rh_expr symbol = first->data[k].symbol;
        sum += is_moving(&in, symbol) ? fabs(draw_value(&in, build->store, symbol)) *
                                            rh__expr_rounding(build->store, first->data[k].value,
                                                              draw_value, &in, &build->scratch)
                                      : 0.0;
    }
    return sum;
}

// Second derivatives do not see the kinks of abs(x') or sqrt(x'^2): points of both signs do.
static bool is_steady(rh_build *build, rh_expr e, const rh_gradient *first, linearity in)
{
    enum { RESTS = 3, DRAWS = 6, ROUNDINGS = 16 };
    const uint32_t count = first->count + 1;
    rh_expr *roots = rh__arena_array(&build->scratch, rh_expr, count);
    double *old = rh__arena_array(&build->scratch, double, count);
    double *now = rh__arena_array(&build->scratch, double, count);
    linearity *at = rh__arena_array(&build->scratch, linearity, count); // where the old ones are
    bool ok = roots != NULL && old != NULL && now != NULL && at != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        roots[k] = k == 0 ? e : first->data[k - 1].value;
    }
    for (uint32_t point = 0; ok && point < RESTS * DRAWS; point++) {
        in.rest = rh__hash_mix(1 + point / DRAWS);
        in.draw = rh__hash_mix(1 + RESTS + point);
        double size = 0.0;
        ok = try_point(build, in, roots, first, now, &size);
        for (uint32_t k = 0; ok && k < count; k++) {
            // where there is no value nothing is learnt
            const bool is_known = point % DRAWS > 0 && isfinite(old[k]) && isfinite(now[k]);
            const double change = fabs(now[k] - old[k]);
            ok = !is_known || change <= 1e-6 * (k == 0 ? size : fabs(old[k]) + fabs(now[k])) ||
                 change <= ROUNDINGS * (noise_at(build, in, roots, first, k) +
                                        noise_at(build, at[k], roots, first, k));
            const bool is_taken = point % DRAWS == 0 || isfinite(now[k]);
            old[k] = is_taken ? now[k] : old[k];
            at[k] = is_taken ? in : at[k];
        }
    }
    return ok;
}

// Are all partials free of the moving symbols?
static bool is_linear(rh_build *build, rh_expr e, linearity in)
{
    if ((rh__expr_mask(build->store, e) & in.roles) == 0) {
        return true;
    }
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_gradient first = {0};
    bool ok = rh__expr_gradient(build->store, e, in.roles, &build->scratch, &first);
    for (uint32_t k = 0; ok && k < first.count; k++) {
        const rh_expr partial = first.data[k].value;
        rh_gradient second;
        if ((rh__expr_mask(build->store, partial) & in.roles) == 0 ||
            !is_moving(&in, first.data[k].symbol)) {
            continue;
        }
        ok = rh__expr_gradient(build->store, partial, in.roles, &build->scratch, &second);
        for (uint32_t j = 0; ok && j < second.count; j++) {
            ok = !is_moving(&in, second.data[j].symbol) ||
                 rh__expr_vanishes(build->store, second.data[j].value, rh__values_parameter,
                                   &build->model->values, &build->scratch) != RH_VANISHING_NO;
        }
    }
    ok = ok && is_steady(build, e, &first, in);
    rh__arena_rewind(&build->scratch, mark);
    return ok;
}

static bool holds_selected(rh_build *build, rh_expr e)
{
    rh_expr_list symbols;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    bool found = false;
    if (rh__expr_symbols(build->store, e, RH_ROLE_STATE | RH_ROLE_VELOCITY, &build->scratch,
                         &symbols)) {
        for (uint32_t k = 0; !found && k < symbols.count; k++) {
            found = rh__build_is_selected(build, symbols.data[k]);
        }
    }
    rh__arena_rewind(&build->scratch, mark);
    return found;
}

static bool classify(rh_build *build, rh_constraint *constraint, const rh_env *env)
{
    const uint32_t mask = rh__expr_mask(build->store, constraint->deviation);
    if ((mask & RH_ROLE_STATE) != 0) {
        constraint->kind = RH_KIND_RESTRICTION;
        constraint->level = holds_selected(build, constraint->deviation) ? 1 : 0;
    } else if ((mask & RH_ROLE_VELOCITY) != 0) {
        constraint->kind = RH_KIND_NONHOLONOMIC;
        constraint->level = 1;
    } else if ((mask & RH_ROLE_COORD) != 0) {
        constraint->kind = RH_KIND_HOLONOMIC;
        constraint->level = 2;
    } else if (rh__expr_is_zero(build->store, constraint->deviation)) {
        constraint->kind = RH_KIND_HOLONOMIC; // always true: advice says so
        constraint->level = 2;
    } else {
        rh__build_report(build, RH_DIAGNOSTIC_E305, constraint->row.span, env,
                         "this constraint holds no coordinate, velocity or state");
        rh__build_repair(build, "leave it out, or name in it what it shall constrain");
        return false;
    }
    const bool is_restriction = constraint->kind == RH_KIND_RESTRICTION;
    const linearity in = {.build = build,
                          .roles =
                              is_restriction ? RH_ROLE_STATE | RH_ROLE_VELOCITY : RH_ROLE_VELOCITY,
                          .is_selected = is_restriction && constraint->level == 1};
    constraint->is_linear = is_linear(build, constraint->deviation, in);
    return true;
}

// --- impact ------------------------------------------------------------------------------------

static void read_impact(rh_build *build, rh_constraint *constraint, rh_code clause)
{
    const bool may_hit = constraint->is_one_sided && constraint->kind == RH_KIND_HOLONOMIC;
    if (clause.at.i == 0) {
        if (may_hit) {
            rh__build_report(build, RH_DIAGNOSTIC_E306, constraint->row.span, clause.env,
                             "an inequality in positions is a wall, and a wall needs a law of "
                             "impact");
            rh__build_repair(build, "add `impact 0.5` (a restitution from 0 to 1), or constrain "
                                    "the velocity");
        }
        return;
    }
    if (!may_hit) {
        rh__build_report(build, RH_DIAGNOSTIC_E307, rh__code_span(clause), clause.env,
                         !constraint->is_one_sided ? "a two-sided constraint has no impacts"
                         : constraint->kind == RH_KIND_RESTRICTION
                             ? "a restriction on states has no impacts"
                             : "a constraint in velocities has no impacts");
        rh__build_repair(build, "leave `impact` out");
        return;
    }
    constraint->impact = rh__build_scalar(build, rh__code_child(clause, 0), &SCOPE_IMPACT);
    double value = 0.0;
    if (constraint->impact.i != 0 &&
        rh__expr_values(build->store, &constraint->impact, 1, rh__values_parameter,
                        &build->model->values, &build->scratch, &value) &&
        (value < 0.0 || value > 1.0)) {
        rh__build_report(build, RH_DIAGNOSTIC_E308, rh__code_span(rh__code_child(clause, 0)),
                         clause.env, "a restitution lies between 0 and 1; this one is %.6g", value);
        rh__build_repair(build, "write `impact 1` for an elastic wall, `impact 0` for a plastic "
                                "one");
    }
}

// --- realisations ------------------------------------------------------------------------------

static bool read_components(rh_build *build, rh_constraint *constraint, rh_code by)
{
    const uint32_t count = rh__tree_node(by.tree, by.at)->count;
    constraint->components = rh__arena_array(build->arena, rh_component, count);
    if (constraint->components == NULL) {
        rh__build_stop(build);
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_code part = rh__code_child(by, k);
        const rh_component component = {
            rh__build_target(build, rh__code_child(part, 0), RH_ROLE_COORD | RH_ROLE_STATE,
                             RH_DIAGNOSTIC_E309, "a reaction acts on coordinates or states"),
            rh__build_without_rates(
                build, rh__build_scalar(build, rh__code_child(part, 1), &SCOPE_REACTION))};
        if (component.target.i == 0 || component.value.i == 0) {
            continue;
        }
        for (uint32_t j = 0; j < constraint->component_count; j++) {
            if (constraint->components[j].target.i == component.target.i) {
                rh__build_report(build, RH_DIAGNOSTIC_E309, rh__code_span(rh__code_child(part, 0)),
                                 by.env, "this component is given twice");
                rh__build_repair(build, "add the two values");
            }
        }
        constraint->components[constraint->component_count++] = component;
    }
    return true;
}

static const rh_realisation REALISATIONS[] = {RH_BY_IDEAL,     RH_BY_SERVO,    RH_BY_INERTIA,
                                              RH_BY_VAKONOMIC, RH_BY_FRICTION, RH_BY_REACTION};

// Type II needs a velocity to act through, friction something that slides.
static void check_realisation(rh_build *build, const rh_constraint *constraint, rh_code by)
{
    const bool holds_velocity =
        (rh__expr_mask(build->store, constraint->deviation) & RH_ROLE_VELOCITY) != 0;
    const bool is_type_two = constraint->by == RH_BY_INERTIA || constraint->by == RH_BY_VAKONOMIC;
    if ((is_type_two && !holds_velocity) ||
        (constraint->by == RH_BY_FRICTION && constraint->kind == RH_KIND_HOLONOMIC)) {
        rh__build_report(build, RH_DIAGNOSTIC_E334, rh__code_span(by), by.env,
                         "`by %s` is for constraints that hold velocities, and this one holds none",
                         rh__realisation_word(constraint->by));
        rh__build_repair(build, "constrain the derivative instead: (left side)' = 0");
    }
}

static void read_by(rh_build *build, rh_constraint *constraint, rh_code by)
{
    if (by.at.i == 0) {
        constraint->by = RH_BY_IDEAL;
        return;
    }
    const rh_ast_node *node = rh__tree_node(by.tree, by.at);
    for (size_t k = 0; k < sizeof REALISATIONS / sizeof *REALISATIONS; k++) {
        if (rh__slice_is(node->text, rh__realisation_word(REALISATIONS[k]))) {
            constraint->by = REALISATIONS[k];
        }
    }
    constraint->option = (rh_option)node->number;
    if (constraint->by == RH_BY_SERVO || constraint->by == RH_BY_REACTION) {
        read_components(build, constraint, by);
    } else if (constraint->by == RH_BY_INERTIA || constraint->by == RH_BY_FRICTION) {
        constraint->argument = rh__build_without_rates(
            build, rh__build_scalar(build, rh__code_child(by, 0), &SCOPE_REACTION));
    }
    check_realisation(build, constraint, by);
    if (constraint->option != RH_OPTION_NONE && !constraint->is_one_sided) {
        rh__build_report(build, RH_DIAGNOSTIC_E310, node->span, by.env,
                         "`%s` says when a one-sided constraint lets go; this one is two-sided",
                         constraint->option == RH_OPTION_HOLD ? "hold" : "literal");
        rh__build_repair(build, "leave the option out, or write the constraint with >=");
    }
}

// --- perturbation laws
// -----------------------------------------------------------------------------

static void complain_order(rh_build *build, const rh_constraint *constraint, rh_code with)
{
    static const char PRIMES[] = "''''''''";
    const uint32_t level = constraint->level;
    rh__build_report(
        build, RH_DIAGNOSTIC_E311, rh__code_span(rh__code_child(with, 0)), with.env,
        "%.*s is a constraint in %s: its perturbation law gives %.*s%.*s, not %.*s%.*s",
        RH_SLICE_FORMAT(constraint->row.name), level == 2 ? "positions" : "velocities",
        RH_SLICE_FORMAT(constraint->row.name), (int)level, PRIMES,
        RH_SLICE_FORMAT(constraint->row.name), (int)constraint->law_order, PRIMES);
    const char *name = rh__build_quote(build, constraint->row.span);
    if (level == 2) {
        rh__build_repair(build, "with %s'' = -a0*%s - a1*%s'", name, name, name);
    } else {
        rh__build_repair(build, "with %s' = -k*%s", name, name);
    }
}

static rh_expr deviation_symbol(rh_build *build, uint32_t index, uint32_t primes, uint32_t place)
{
    return rh__expr_symbol(build->store, rh__build_family(build, index, primes), place);
}

// -w^2*dev - 2*mu*dev'
static rh_expr baumgarte(rh_build *build, uint32_t index, uint32_t place, rh_code call)
{
    rh_store *store = build->store;
    RH_ASSERT(rh__tree_node(call.tree, call.at)->count == 2); // the parser saw to it
    const rh_expr w = rh__build_scalar(build, rh__code_child(call, 0), &SCOPE_WITH);
    const rh_expr mu = rh__build_scalar(build, rh__code_child(call, 1), &SCOPE_WITH);
    if (w.i == 0 || mu.i == 0) {
        return RH_EXPR_NONE;
    }
    const rh_expr square = rh__expr_power(store, w, rh__expr_integer(store, 2));
    const rh_expr spring =
        rh__expr_multiply(store, square, deviation_symbol(build, index, 0, place));
    const rh_expr damper[] = {rh__expr_integer(store, 2), mu,
                              deviation_symbol(build, index, 1, place)};
    return rh__expr_negate(store, rh__expr_add(store, spring, rh__expr_product(store, damper, 3)));
}

// The left side must be the constraint's own name with primes.
static bool names_itself(rh_build *build, const rh_constraint *constraint, uint32_t index,
                         rh_code prime)
{
    const rh_code inner = rh__code_child(prime, 0);
    const bool has_index = rh__tree_kind(prime.tree, inner.at) == RH_AST_INDEX;
    const rh_slice name =
        rh__tree_node(prime.tree, has_index ? rh__code_child(inner, 0).at : inner.at)->text;
    rh_entity *entity = rh__build_entity(build, index);
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    const bool is_same = rh__slice_equal(name, constraint->row.name) &&
                         has_index == entity->is_array &&
                         (!has_index || rh__build_index(build, inner, entity, at)) &&
                         rh__entity_place(entity, at) == constraint->row.member;
    if (!is_same) {
        rh__build_report(build, RH_DIAGNOSTIC_E312, rh__code_span(inner), prime.env,
                         "the law after `with` is for %.*s itself",
                         RH_SLICE_FORMAT(constraint->row.name));
        rh__build_repair(build, constraint->level == 2 ? "with %s'' = ..." : "with %s' = ...",
                         rh__entity_show(build, entity, constraint->row.member));
    }
    return is_same;
}

// Deviations on the right side must have fewer primes than the left side.
static void check_law_primes(rh_build *build, const rh_constraint *constraint, rh_code right)
{
    rh_expr_list symbols;
    if (constraint->law.i == 0 || !rh__expr_symbols(build->store, constraint->law,
                                                    RH_ROLE_DEVIATION, build->arena, &symbols)) {
        return;
    }
    for (uint32_t k = 0; k < symbols.count; k++) {
        const rh_owner owner =
            rh__build_owner(build, rh__expr_family(build->store, symbols.data[k]));
        if (owner.primes >= constraint->law_order) {
            rh__build_report(build, RH_DIAGNOSTIC_E312, rh__code_span(right), right.env,
                             "the right side holds derivative %u of a deviation, and the left side "
                             "is derivative %u",
                             owner.primes, constraint->law_order);
            rh__build_repair(build, "solve the law for the highest derivative");
            return;
        }
    }
}

static void read_with(rh_build *build, rh_constraint *constraint, uint32_t index, rh_code with)
{
    if (with.at.i == 0) {
        return;
    }
    constraint->has_law = true;
    const rh_code first = rh__code_child(with, 0);
    const bool is_friction = constraint->by == RH_BY_FRICTION;
    if (constraint->is_one_sided || is_friction || constraint->by == RH_BY_REACTION) {
        rh__build_report(build, RH_DIAGNOSTIC_E312, rh__code_span(with), with.env, "%s",
                         constraint->is_one_sided ? "a one-sided constraint has no perturbation law"
                         : is_friction ? "friction has a law of its own, which lets the deviation "
                                         "slide: a perturbation law would not act"
                                       : "a proposed reaction is applied as written and takes no "
                                         "perturbation law");
        rh__build_repair(build, "%s",
                         constraint->is_one_sided ? "write the constraint with ="
                         : is_friction            ? "leave out `with` or `by friction`"
                                                  : "leave out `with` or `by reaction`");
        return;
    }
    if (rh__tree_kind(with.tree, first.at) == RH_AST_CALL) {
        constraint->law_order = 2;
        constraint->law = baumgarte(build, index, constraint->row.member, first);
    } else {
        const bool is_primed = rh__tree_kind(with.tree, first.at) == RH_AST_PRIME;
        constraint->law_order = is_primed ? rh__tree_node(with.tree, first.at)->number : 0;
        if (is_primed && !names_itself(build, constraint, index, first)) {
            return;
        }
        constraint->law = rh__build_without_rates(
            build, rh__build_scalar(build, rh__code_child(with, 1), &SCOPE_WITH));
        if (constraint->level == 0 || constraint->law_order == constraint->level) {
            check_law_primes(build, constraint, rh__code_child(with, 1));
        }
    }
    if (constraint->level != 0 && constraint->law_order != constraint->level) {
        complain_order(build, constraint, with);
    }
}

// --- constraints -------------------------------------------------------------------------------

static rh_code find_clause(rh_code code, rh_ast_kind kind)
{
    rh_code clause = rh__code_child(code, 3);
    while (clause.at.i != 0 && rh__tree_kind(code.tree, clause.at) != kind) {
        clause.at = rh__tree_next(code.tree, clause.at);
    }
    return clause;
}

// Is the reaction a formula, whatever becomes of the constraint?
static bool is_given(rh_code by)
{
    const rh_slice word = by.at.i != 0 ? rh__tree_node(by.tree, by.at)->text : rh__slice_of("");
    return rh__slice_is(word, rh__realisation_word(RH_BY_FRICTION)) ||
           rh__slice_is(word, rh__realisation_word(RH_BY_REACTION));
}

static void add_constraint(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    rh_constraint constraint = {.row = rh__build_row(build, instance, rh__code_child(code, 0).at)};
    const uint32_t index = rh__build_find(build, constraint.row.name);
    rh_entity *entity = index == UINT32_MAX ? NULL : rh__build_entity(build, index);
    if (entity == NULL || entity->kind != RH_ENTITY_CONSTRAINT || constraint.row.family.i == 0 ||
        (!entity->is_array && entity->statement.i != instance->statement.i)) {
        return; // its name was wrong, and that was said
    }
    rh_member *member = rh__entity_member(entity, constraint.row.member);
    if (member == NULL || member->statement.i != instance->statement.i) {
        return;
    }
    const rh_value deviation = rh__build_member(build, index, member);
    if (deviation.kind != RH_VALUE_SCALAR) {
        return;
    }
    constraint.deviation = deviation.scalar;
    constraint.takes_constant =
        rh__tree_kind(build->tree, rh__code_child(code, 2).at) == RH_AST_CONSTANT;
    constraint.is_one_sided =
        rh__tree_node(build->tree, instance->statement)->number != RH_RELATION_EQUAL;
    if (constraint.takes_constant && constraint.is_one_sided) {
        rh__build_report(build, RH_DIAGNOSTIC_E335, rh__code_span(rh__code_child(code, 2)),
                         code.env,
                         "`const` goes with `=`: an inequality against its own start value is met "
                         "exactly at the start");
        rh__build_repair(build, "write = const, or a bound of your own");
    }
    const rh_code by = rh__build_by(build, find_clause(code, RH_AST_BY), constraint.row.name);
    const rh_code condition = find_clause(code, RH_AST_WHILE);
    rh__build_while(build, &constraint, condition);
    if (!constraint.is_one_sided && !is_given(by)) {
        rh__build_split(build, &constraint);
    }
    if (!classify(build, &constraint, instance->env)) {
        return;
    }
    read_impact(build, &constraint, find_clause(code, RH_AST_IMPACT));
    read_by(build, &constraint, by);
    read_with(build, &constraint, index, find_clause(code, RH_AST_WITH));
    constraint.multiplier = rh__build_multiplier(build, index);
    if (constraint.by == RH_BY_INERTIA || constraint.by == RH_BY_VAKONOMIC) {
        constraint.multiplier_rate = rh__build_multiplier_rate(build, index);
    }
    rh__build_check_condition(build, &constraint, condition);
    if (!rh__array_push(build->arena, &build->model->constraints, constraint)) {
        rh__build_stop(build);
    }
}

// --- quasi-velocities ----------------------------------------------------------------------------

static void add_quasi(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    rh_quasi quasi = {.row = rh__build_row(build, instance, rh__code_child(code, 0).at)};
    const uint32_t index = rh__build_find(build, quasi.row.name);
    if (index == UINT32_MAX || rh__build_entity(build, index)->kind != RH_ENTITY_QUASI ||
        quasi.row.family.i == 0) {
        return;
    }
    quasi.symbol = rh__build_family(build, index, 0);
    quasi.rate = rh__build_family(build, index, 1);
    quasi.value = rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_QUASI);
    if (quasi.value.i == 0) {
        return;
    }
    const bool holds_velocity = (rh__expr_mask(build->store, quasi.value) & RH_ROLE_VELOCITY) != 0;
    const linearity in = {.build = build, .roles = RH_ROLE_VELOCITY};
    if (!holds_velocity || !is_linear(build, quasi.value, in)) {
        rh__build_report(build, RH_DIAGNOSTIC_E313, rh__code_span(rh__code_child(code, 1)),
                         code.env,
                         holds_velocity ? "a quasi-velocity is linear in the velocities"
                                        : "a quasi-velocity holds at least one velocity");
        rh__build_repair(build, holds_velocity ? "for a nonlinear quantity write `let`"
                                               : "write `let`, or add a prime");
        return;
    }
    const uint32_t most = rh__model_coordinate_count(build->model);
    if (build->model->quasis.count >= most && !rh__build_has_gaps(build)) {
        rh__build_report(build, RH_DIAGNOSTIC_E314, quasi.row.span, code.env,
                         "there are more quasi-velocities than coordinates (%u)", most);
        rh__build_repair(build, "write `let` for what is only a name");
        return;
    }
    if (!rh__array_push(build->arena, &build->model->quasis, quasi)) {
        rh__build_stop(build);
    }
}

// --- construct ---------------------------------------------------------------------------------

static void check_construct(rh_build *build, rh_code code)
{
    const rh_model *model = build->model;
    const char *conflict = model->coordinates.count == 0 ? "a model without coordinates"
                           : model->kinetic.count + model->lagrangian.count > 0
                               ? "kinetic energy: it builds accelerations without masses"
                           : model->laws.count + model->equations.count > 0
                               ? "laws or equations: it makes them itself"
                           : model->potential.count + model->dissipation.count +
                                       model->forces.count + model->loads.count >
                                   0
                               ? "forces or potentials: without masses they move nothing"
                               : NULL;
    if (conflict != NULL && !(model->coordinates.count == 0 && rh__build_has_gaps(build))) {
        rh__build_report(build, RH_DIAGNOSTIC_E318, rh__code_span(code), NULL,
                         "`construct` does not go with %s", conflict);
        rh__build_repair(build, "leave out one of the two");
    }
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        const rh_constraint *constraint = &model->constraints.data[k];
        if (!constraint->has_law) {
            rh__build_report(build, RH_DIAGNOSTIC_E318, constraint->row.span, NULL,
                             "`construct` needs a perturbation law for %.*s",
                             RH_SLICE_FORMAT(constraint->row.name));
            rh__build_repair(
                build, constraint->level == 2 ? "add `with %.*s'' = 0`" : "add `with %.*s' = 0`",
                RH_SLICE_FORMAT(constraint->row.name));
            return;
        }
    }
}

static uint32_t count_statements(const rh_build *build, rh_ast_kind kind)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < build->instances.count; k++) {
        count += rh__tree_kind(build->tree, build->instances.data[k].statement) == kind;
    }
    return count;
}

static void read_tangent(rh_build *build, rh_code code)
{
    rh_construct *construct = &build->model->construct;
    const uint32_t vectors = rh__tree_node(code.tree, code.at)->count - 1;
    const uint32_t n = rh__model_coordinate_count(build->model);
    const uint32_t m = build->model->constraints.count;
    construct->tangent = rh__build_scalar(build, rh__code_child(code, 0), &SCOPE_CONSTRAINT);
    const uint32_t wanted = n > m ? n - 1 - m : 0;
    if (m < count_statements(build, RH_AST_CONSTRAINT) || rh__build_has_gaps(build)) {
        return; // some constraints or coordinates could not be read: they cannot be counted
    }
    if (n <= m) {
        rh__build_report(build, RH_DIAGNOSTIC_E319, rh__code_span(code), NULL,
                         "%u constraints on %u coordinates leave no tangent direction", m, n);
        rh__build_repair(build, "leave out `tangent`");
        return;
    }
    if (vectors != wanted) {
        rh__build_report(build, RH_DIAGNOSTIC_E319, rh__code_span(code), NULL,
                         "%u coordinates less %u constraint%s less one leave room for %u vector%s; "
                         "%u given",
                         n, m, m == 1 ? "" : "s", wanted, wanted == 1 ? "" : "s", vectors);
        rh__build_repair(build, wanted == 0 ? "leave out `with ...`"
                                            : "construct tangent c0 with [...], ...");
        return;
    }
    construct->vectors = rh__arena_array(build->arena, rh_expr, (size_t)n * vectors);
    for (uint32_t k = 0; construct->vectors != NULL && k < vectors; k++) {
        const rh_value value =
            rh__build_lower(build, rh__code_child(code, k + 1), &SCOPE_CONSTRAINT);
        if (value.kind == RH_VALUE_BAD) {
            return;
        }
        if (value.kind != RH_VALUE_VECTOR || value.rows != n) {
            rh__build_report(build, RH_DIAGNOSTIC_E319, rh__code_span(rh__code_child(code, k + 1)),
                             NULL,
                             "this must be a vector with one component for each of the %u "
                             "coordinates, and is %s",
                             n, rh__value_text(build, value));
            rh__build_repair(build, "write a vector of %u components", n);
            return;
        }
        for (uint32_t d = 0; d < n; d++) {
            construct->vectors[k * n + d] = value.items[d];
        }
        construct->vector_count++;
    }
}

static void add_construct(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    rh_construct *construct = &build->model->construct;
    if (construct->is_given) {
        rh__build_report(build, RH_DIAGNOSTIC_E330, rh__code_span(code), NULL,
                         "`construct` is given twice");
        rh__build_note(build, construct->span, "first here");
        rh__build_repair(build, "leave one of them out");
        return;
    }
    construct->is_given = true;
    construct->span = rh__code_span(code);
    check_construct(build, code);
    if (rh__tree_node(code.tree, code.at)->count > 0) {
        read_tangent(build, code);
    }
}

void rh__build_constraints(rh_build *build)
{
    rh__build_check_by(build);
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        const rh_instance *instance = &build->instances.data[k];
        const rh_ast_kind kind = rh__tree_kind(build->tree, instance->statement);
        if (kind == RH_AST_CONSTRAINT) {
            add_constraint(build, instance);
        } else if (kind == RH_AST_QUASI) {
            add_quasi(build, instance);
        }
    }
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        if (rh__tree_kind(build->tree, build->instances.data[k].statement) == RH_AST_CONSTRUCT) {
            add_construct(build, &build->instances.data[k]);
        }
    }
}
