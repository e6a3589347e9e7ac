// SPDX-License-Identifier: Apache-2.0
// What makes the model move: energies, forces, inputs, laws, equations, and which variables a
// reaction may act on.

#include "model/build.h"

static rh_code code_of(const rh_build *build, const rh_instance *instance)
{
    return (rh_code){build->tree, instance->statement, instance->env};
}

enum { ROLES_PLACE = RH_ROLE_PARAM | RH_ROLE_CONSTANT | RH_ROLE_TIME | RH_ROLE_COORD };

static const rh_scope SCOPE_ENERGY = {RH_ROLES_MOTION | RH_ROLE_RATE, "an energy", false, false};
static const rh_scope SCOPE_FORCE = {RH_ROLES_MOTION | RH_ROLE_RATE, "a force", false, false};
static const rh_scope SCOPE_PLACE = {ROLES_PLACE, "the place of a force", false, false};
static const rh_scope SCOPE_LAW = {RH_ROLES_MOTION, "the right side of a law", false, true};
static const rh_scope SCOPE_EQUATION = {RH_ROLES_MOTION | RH_ROLE_ACCELERATION, "an equation",
                                        false, true};

rh_row rh__build_row(rh_build *build, const rh_instance *instance, rh_ast name)
{
    rh_row row = {.statement = instance->statement,
                  .span = rh__tree_node(build->tree, instance->statement)->span};
    if (name.i == 0) {
        return row;
    }
    const bool has_index = rh__tree_kind(build->tree, name) == RH_AST_INDEX;
    const rh_ast own = has_index ? rh__tree_child(build->tree, name, 0) : name;
    row.name = rh__tree_node(build->tree, own)->text;
    row.span = rh__tree_node(build->tree, name)->span;
    const uint32_t index = rh__build_find(build, row.name);
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    if (index == UINT32_MAX ||
        (has_index && !rh__build_index(build, (rh_code){build->tree, name, instance->env},
                                       rh__build_entity(build, index), at))) {
        return row;
    }
    row.family = rh__build_family(build, index, 0);
    row.member = rh__entity_place(rh__build_entity(build, index), at);
    return row;
}

// --- energies --------------------------------------------------------------------------------

static void add_formula(rh_build *build, const rh_instance *instance)
{
    rh_model *model = build->model;
    const rh_code code = rh__code_child(code_of(build, instance), 0);
    const rh_ast_kind kind = rh__tree_kind(build->tree, instance->statement);
    const rh_formula formula = {
        rh__build_without_rates(build, rh__build_scalar(build, code, &SCOPE_ENERGY)),
        rh__code_span(code)};
    if (formula.expr.i == 0) {
        build->has_bad_energy = true;
        return;
    }
    const bool ok =
        kind == RH_AST_KINETIC       ? rh__array_push(build->arena, &model->kinetic, formula)
        : kind == RH_AST_POTENTIAL   ? rh__array_push(build->arena, &model->potential, formula)
        : kind == RH_AST_DISSIPATION ? rh__array_push(build->arena, &model->dissipation, formula)
                                     : rh__array_push(build->arena, &model->lagrangian, formula);
    if (!ok) {
        rh__build_stop(build);
    }
}

bool rh__build_energies(rh_build *build)
{
    if (build->energies != RH_PROGRESS_NEW) {
        return true;
    }
    if (!rh__build_laws(build)) {
        return false;
    }
    build->energies = RH_PROGRESS_BUSY;
    for (uint32_t k = 0; k < build->instances.count; k++) {
        switch (rh__tree_kind(build->tree, build->instances.data[k].statement)) {
        case RH_AST_KINETIC:
        case RH_AST_POTENTIAL:
        case RH_AST_DISSIPATION:
        case RH_AST_LAGRANGIAN:
            add_formula(build, &build->instances.data[k]);
            break;
        default:
            break;
        }
    }
    build->energies = RH_PROGRESS_DONE;
    return true;
}

// --- targets ---------------------------------------------------------------------------------

// A name that would fit the roles; NULL when there is none.
static const rh_slice *example_target(const rh_build *build, uint32_t roles)
{
    const rh_model *model = build->model;
    if ((roles & RH_ROLE_COORD) != 0 && model->coordinates.count > 0) {
        return &model->coordinates.data[0].name;
    }
    return (roles & RH_ROLE_STATE) != 0 && model->states.count > 0 ? &model->states.data[0].name
                                                                   : NULL;
}

static bool is_state(const rh_build *build, rh_value value)
{
    return value.kind == RH_VALUE_SCALAR &&
           rh__expr_op(build->store, value.scalar) == RH_OP_SYMBOL &&
           (rh__expr_mask(build->store, value.scalar) & RH_ROLE_STATE) != 0;
}

rh_expr rh__build_target(rh_build *build, rh_code code, uint32_t roles,
                         rh_diagnostic_code complaint, const char *what)
{
    const rh_value value = rh__build_lower(build, code, &RH_SCOPE_ANY);
    if (value.kind == RH_VALUE_BAD) {
        return RH_EXPR_NONE;
    }
    const bool is_symbol = value.kind == RH_VALUE_SCALAR &&
                           rh__expr_op(build->store, value.scalar) == RH_OP_SYMBOL &&
                           (rh__expr_mask(build->store, value.scalar) & roles) != 0;
    if (!is_symbol) {
        const rh_slice *example = example_target(build, roles);
        rh__build_report(build, complaint, rh__code_span(code), code.env, "%s, and %s is none",
                         what, rh__build_quote(build, rh__code_span(code)));
        if (is_state(build, value)) {
            rh__build_repair(build, "add it to the right side of the law of that state");
        } else if (example != NULL) {
            rh__build_repair(build, "name one, for example %.*s", RH_SLICE_FORMAT(*example));
        } else {
            rh__build_repair(build, "declare one with `coord`%s",
                             (roles & RH_ROLE_STATE) != 0 ? " or `state`" : "");
        }
        return RH_EXPR_NONE;
    }
    return value.scalar;
}

// --- forces ----------------------------------------------------------------------------------

static void add_force(rh_build *build, const rh_instance *instance)
{
    const rh_code code = code_of(build, instance);
    const rh_force force = {
        .row = rh__build_row(build, instance, (rh_ast){0}),
        .target = rh__build_target(build, rh__code_child(code, 0), RH_ROLE_COORD,
                                   RH_DIAGNOSTIC_E326, "a generalised force acts on a coordinate"),
        .value = rh__build_without_rates(
            build, rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_FORCE))};
    if (force.target.i != 0 && force.value.i != 0 &&
        !rh__array_push(build->arena, &build->model->forces, force)) {
        rh__build_stop(build);
    }
}

static void add_load(rh_build *build, const rh_instance *instance, bool is_torque)
{
    const rh_code code = code_of(build, instance);
    const rh_value place = rh__build_lower(build, rh__code_child(code, 0), &SCOPE_PLACE);
    const rh_value value = rh__build_lower(build, rh__code_child(code, 1), &SCOPE_FORCE);
    if (place.kind == RH_VALUE_BAD || value.kind == RH_VALUE_BAD) {
        return;
    }
    const bool place_fits =
        is_torque ? place.kind == RH_VALUE_MATRIX && place.rows == 3 && place.columns == 3
                  : place.kind == RH_VALUE_VECTOR && (place.rows == 2 || place.rows == 3);
    const bool value_fits =
        value.kind == RH_VALUE_VECTOR && value.rows == (is_torque ? 3 : place.rows);
    if (!place_fits || !value_fits) {
        rh__build_report(build, RH_DIAGNOSTIC_E325,
                         rh__code_span(rh__code_child(code, place_fits ? 1 : 0)), code.env,
                         is_torque ? "a torque acts on a 3x3 rotation and has three components; "
                                     "these are %s and %s"
                                   : "a force and its place are vectors of the same length, 2 or "
                                     "3; the place is %s, the force %s",
                         rh__value_text(build, place), rh__value_text(build, value));
        rh__build_repair(build, is_torque ? "torque on rotz(psi): [0, 0, M]"
                                          : "force at [x, y]: [Fx, Fy]");
        return;
    }
    if (is_torque && !rh__value_is_rotation(build, place)) {
        rh__build_report(build, RH_DIAGNOSTIC_E207, rh__code_span(rh__code_child(code, 0)),
                         code.env,
                         "a torque acts on a rotation, and the transpose of this matrix is not its "
                         "inverse");
        rh__build_repair(build, "build it from rotx, roty and rotz");
        return;
    }
    rh_load load = {.row = rh__build_row(build, instance, (rh_ast){0}),
                    .is_torque = is_torque,
                    .length = value.rows};
    load.place = rh__arena_array(build->arena, rh_expr, rh__value_count(place));
    load.value = rh__arena_array(build->arena, rh_expr, value.rows);
    if (load.place == NULL || load.value == NULL ||
        !rh__array_push(build->arena, &build->model->loads, load)) {
        rh__build_stop(build);
        return;
    }
    for (uint32_t k = 0; k < rh__value_count(place); k++) {
        load.place[k] = place.items[k];
    }
    for (uint32_t k = 0; k < value.rows; k++) {
        load.value[k] = rh__build_without_rates(build, value.items[k]);
    }
}

// --- inputs ----------------------------------------------------------------------------------

static void add_input(rh_build *build, const rh_instance *instance)
{
    const rh_ast name = rh__tree_child(build->tree, instance->statement, 0);
    const rh_slice text = rh__tree_node(build->tree, name)->text;
    const uint32_t index = rh__build_find(build, text);
    if (index == UINT32_MAX || rh__build_entity(build, index)->kind != RH_ENTITY_INPUT) {
        return;
    }
    rh_entity *entity = rh__build_entity(build, index);
    rh_input input = {.name = text,
                      .span = entity->span,
                      .family = rh__build_family(build, index, 0),
                      .file = entity->file};
    if (entity->file == NULL && entity->members.count > 0) {
        const rh_value value = rh__build_member(build, index, entity->members.data);
        if (value.kind != RH_VALUE_SCALAR && value.kind != RH_VALUE_BAD) {
            rh__build_report(build, RH_DIAGNOSTIC_E201, entity->span, NULL,
                             "an input is a number, and this is %s", rh__value_text(build, value));
            rh__build_repair(build, "declare one input for each component");
        }
        input.value = value.kind == RH_VALUE_SCALAR ? value.scalar : RH_EXPR_NONE;
    }
    if (input.file != NULL) {
        const rh_ast path = rh__tree_child(build->tree, instance->statement, 1);
        input.path_span = rh__tree_node(build->tree, path)->span;
        rh__build_path(build, &input);
    }
    if (!rh__array_push(build->arena, &build->model->inputs, input)) {
        rh__build_stop(build);
    }
}

// --- laws ------------------------------------------------------------------------------------

static const char *show_symbol(rh_build *build, rh_expr symbol)
{
    rh_text text = rh__text_begin(build->arena, NULL);
    rh__family_show(build->store, rh__expr_family(build->store, symbol),
                    rh__expr_member(build->store, symbol), &text);
    return text.ok && text.data != NULL ? text.data : "";
}

// The left side holds no highest derivative, or more than one.
static void complain_law(rh_build *build, rh_code left, rh_expr e, const rh_expr_list *found)
{
    rh_expr_list velocities = {0};
    if (found->count > 1) {
        rh__build_report(build, RH_DIAGNOSTIC_E300, rh__code_span(left), left.env,
                         "the left side of a law holds one highest derivative, and this one %u: "
                         "%s, %s",
                         found->count, show_symbol(build, found->data[0]),
                         show_symbol(build, found->data[1]));
        rh__build_repair(build, "write `equation NAME: ...` for what mixes several");
    } else if (rh__expr_symbols(build->store, e, RH_ROLE_VELOCITY, build->arena, &velocities) &&
               velocities.count > 0) {
        const char *velocity = show_symbol(build, velocities.data[0]);
        rh__build_report(build, RH_DIAGNOSTIC_E300, rh__code_span(left), left.env,
                         "the law of a coordinate gives its acceleration, and %s is a velocity",
                         velocity);
        rh__build_repair(build, "write %s', or declare it with `state`", velocity);
    } else {
        rh__build_report(build, RH_DIAGNOSTIC_E300, rh__code_span(left), left.env,
                         "the left side of a law holds no highest derivative");
        rh__build_repair(build, "write `law x'' = ...` for a coordinate, `law v' = ...` for a "
                                "state");
    }
}

// The one highest derivative on the left side; what stands before it is its inertia.
static bool split_left(rh_build *build, rh_code left, rh_expr e, rh_law *law)
{
    rh_store *store = build->store;
    rh_expr_list found;
    if (!rh__expr_symbols(store, e, RH_ROLE_ACCELERATION | RH_ROLE_RATE, build->arena, &found)) {
        rh__build_stop(build);
        return false;
    }
    if (found.count != 1) {
        complain_law(build, left, e, &found);
        return false;
    }
    law->target = found.data[0];
    law->inertia = rh__expr_differentiate(store, e, law->target);
    const rh_expr rest =
        rh__expr_subtract(store, e, rh__expr_multiply(store, law->inertia, law->target));
    if (rest.i == 0) {
        return false;
    }
    const uint32_t highest = RH_ROLE_ACCELERATION | RH_ROLE_RATE;
    if ((rh__expr_mask(store, law->inertia) & highest) != 0 ||
        rh__expr_vanishes(store, rest, NULL, NULL, &build->scratch) == RH_VANISHING_NO) {
        rh__build_report(build, RH_DIAGNOSTIC_E300, rh__code_span(left), left.env,
                         "the left side of a law is an inertia times %s, and nothing else",
                         show_symbol(build, law->target));
        rh__build_repair(build, "move the rest to the right side");
        return false;
    }
    return true;
}

static void complain_second_law(rh_build *build, const rh_law *law, const rh_law *other)
{
    const rh_ast left = rh__tree_child(build->tree, law->row.statement, 0);
    rh__build_report(build, RH_DIAGNOSTIC_E301, rh__tree_node(build->tree, left)->span, NULL,
                     "there is a law for %s already", show_symbol(build, law->target));
    rh__build_note(build, other->row.span, "here");
    rh__build_repair(build, "leave one of them out, or add their right sides");
}

static const rh_scope SCOPE_LAW_LEFT = {RH_ROLES_MOTION | RH_ROLE_ACCELERATION | RH_ROLE_RATE,
                                        "the left side of a law", false, true};

// Does a coordinate or a state stand in it?
static bool names_variable(rh_build *build, rh_code code)
{
    if (rh__tree_kind(code.tree, code.at) == RH_AST_NAME) {
        const uint32_t index = rh__build_find(build, rh__tree_node(code.tree, code.at)->text);
        return index != UINT32_MAX && (rh__build_entity(build, index)->kind == RH_ENTITY_COORD ||
                                       rh__build_entity(build, index)->kind == RH_ENTITY_STATE);
    }
    bool found = false;
    for (rh_code part = rh__code_child(code, 0); part.at.i != 0 && !found;
         part = rh__code_next(part)) {
        found = names_variable(build, part);
    }
    return found;
}

static void add_law(rh_build *build, const rh_instance *instance)
{
    const rh_code code = code_of(build, instance);
    const rh_code left = rh__code_child(code, 0);
    const rh_expr e = rh__build_scalar(build, left, &SCOPE_LAW_LEFT);
    rh_law law = {.row = rh__build_row(build, instance, (rh_ast){0}),
                  .value = rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_LAW)};
    if (e.i == 0 || !split_left(build, left, e, &law)) {
        rh__build_lose(build, left.tree, left.at); // perhaps it was the law of one of these
        build->has_stray_law = build->has_stray_law || !names_variable(build, left);
        return;
    }
    if (law.value.i == 0) {
        rh__build_lose(build, left.tree, left.at); // it has a law, but nobody knows which
    }
    if (!rh__array_push(build->arena, &build->model->laws, law)) {
        rh__build_stop(build);
        return;
    }
    const uint32_t other = rh__marks_get(&build->law_of, law.target);
    if (other != 0) {
        complain_second_law(build, &law, &build->model->laws.data[other - 1]);
        return;
    }
    rh__marks_set(build, &build->law_of, law.target, build->model->laws.count);
}

static void add_equation(rh_build *build, const rh_instance *instance)
{
    const rh_code code = code_of(build, instance);
    const rh_equation equation = {
        .row = rh__build_row(build, instance, rh__code_child(code, 0).at),
        .left = rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_EQUATION),
        .right = rh__build_scalar(build, rh__code_child(code, 2), &SCOPE_EQUATION)};
    if (equation.left.i == 0 || equation.right.i == 0) {
        return;
    }
    const uint32_t mask =
        rh__expr_mask(build->store, equation.left) | rh__expr_mask(build->store, equation.right);
    if ((mask & RH_ROLE_ACCELERATION) == 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E327, equation.row.span, code.env,
                         "an equation holds at least one acceleration");
        rh__build_repair(build, "for a relation without accelerations write a `constraint`");
        return;
    }
    if (!rh__array_push(build->arena, &build->model->equations, equation)) {
        rh__build_stop(build);
    }
}

// --- who has which kind of dynamics
// ---------------------------------------------------------------

uint8_t rh__build_moves(const rh_build *build, rh_expr symbol)
{
    return symbol.i < build->motion_count ? build->motions[symbol.i] : 0;
}

// Mark the variables whose derivatives (or which themselves) stand in `e` with a role.
static void mark_symbols(rh_build *build, rh_expr e, uint32_t role, uint8_t bit)
{
    rh_expr_list symbols;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    if (e.i != 0 && (rh__expr_mask(build->store, e) & role) != 0 &&
        rh__expr_symbols(build->store, e, role, &build->scratch, &symbols)) {
        for (uint32_t k = 0; k < symbols.count; k++) {
            const rh_owner owner =
                rh__build_owner(build, rh__expr_family(build->store, symbols.data[k]));
            const rh_expr base =
                rh__expr_symbol(build->store, rh__build_family(build, owner.entity, 0),
                                rh__expr_member(build->store, symbols.data[k]));
            if (base.i < build->motion_count) {
                build->motions[base.i] |= bit;
            }
        }
    }
    rh__arena_rewind(&build->scratch, mark);
}

static void mark_dynamics(rh_build *build)
{
    const rh_model *model = build->model;
    for (uint32_t k = 0; k < model->laws.count; k++) {
        mark_symbols(build, model->laws.data[k].target, RH_ROLE_ACCELERATION | RH_ROLE_RATE,
                     RH_MOVES_BY_LAW);
    }
    for (uint32_t k = 0; k < model->equations.count; k++) {
        mark_symbols(build, model->equations.data[k].left, RH_ROLE_ACCELERATION,
                     RH_MOVES_BY_EQUATION);
        mark_symbols(build, model->equations.data[k].right, RH_ROLE_ACCELERATION,
                     RH_MOVES_BY_EQUATION);
    }
    for (uint32_t k = 0; k < model->kinetic.count; k++) {
        mark_symbols(build, model->kinetic.data[k].expr, RH_ROLE_VELOCITY, RH_MOVES_BY_ENERGY);
    }
    for (uint32_t k = 0; k < model->lagrangian.count; k++) {
        mark_symbols(build, model->lagrangian.data[k].expr, RH_ROLE_VELOCITY, RH_MOVES_BY_ENERGY);
    }
    // forces add to energies and laws, but an equation is taken as written
    for (uint32_t k = 0; k < model->forces.count; k++) {
        mark_symbols(build, model->forces.data[k].target, RH_ROLE_COORD, RH_MOVES_BY_FORCE);
    }
    for (uint32_t k = 0; k < model->potential.count; k++) {
        mark_symbols(build, model->potential.data[k].expr, RH_ROLE_COORD, RH_MOVES_BY_FORCE);
    }
    for (uint32_t k = 0; k < model->dissipation.count; k++) {
        mark_symbols(build, model->dissipation.data[k].expr, RH_ROLE_VELOCITY, RH_MOVES_BY_FORCE);
    }
}

static void check_variable(rh_build *build, const rh_variable *variable, bool is_state)
{
    for (uint32_t member = 0; member < variable->size; member++) {
        const rh_expr symbol = rh__expr_symbol(build->store, variable->family[0], member);
        const uint8_t has = rh__build_moves(build, symbol);
        rh_text name = rh__text_begin(&build->scratch, NULL);
        if (is_state && (has & RH_MOVES_BY_LAW) == 0) {
            if (build->has_stray_law || rh__build_is_lost(build, variable->name)) {
                return;
            }
            rh__family_show(build->store, variable->family[0], member, &name);
            rh__build_report(build, RH_DIAGNOSTIC_E302, variable->span, NULL,
                             "the state %.*s has no law", RH_SLICE_FORMAT(rh__text_slice(&name)));
            rh__build_repair(build, "add `law %.*s' = ...`, or declare it with `coord`",
                             RH_SLICE_FORMAT(rh__text_slice(&name)));
            return;
        }
        const bool is_double = ((has & RH_MOVES_BY_EQUATION) != 0 && has != RH_MOVES_BY_EQUATION) ||
                               (has & (RH_MOVES_BY_LAW | RH_MOVES_BY_ENERGY)) ==
                                   (RH_MOVES_BY_LAW | RH_MOVES_BY_ENERGY);
        if (is_double) {
            rh__family_show(build->store, variable->family[0], member, &name);
            rh__build_report(build, RH_DIAGNOSTIC_E303, variable->span, NULL,
                             "the coordinate %.*s has both %s and %s",
                             RH_SLICE_FORMAT(rh__text_slice(&name)),
                             (has & RH_MOVES_BY_LAW) != 0      ? "a law"
                             : (has & RH_MOVES_BY_ENERGY) != 0 ? "kinetic energy"
                                                               : "a force",
                             (has & RH_MOVES_BY_EQUATION) != 0 ? "an equation" : "kinetic energy");
            rh__build_repair(build, "describe each coordinate in one way only");
            return;
        }
    }
}

static void check_variables(rh_build *build)
{
    const rh_model *model = build->model;
    // marking makes the symbols of variables that nothing has named yet
    build->motion_count = rh__store_count(build->store) + rh__model_coordinate_count(model) +
                          rh__model_state_count(model);
    build->motions = rh__arena_array(build->arena, uint8_t, build->motion_count);
    if (build->motions == NULL) {
        rh__build_stop(build);
        return;
    }
    mark_dynamics(build);
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        check_variable(build, &model->coordinates.data[k], false);
    }
    for (uint32_t k = 0; k < model->states.count; k++) {
        check_variable(build, &model->states.data[k], true);
    }
}

// --- selection -------------------------------------------------------------------------------

// A coordinate is selected through its velocity. False when it was selected before.
static bool select_symbol(rh_build *build, rh_expr base)
{
    rh_expr symbol = base;
    if ((rh__expr_mask(build->store, base) & RH_ROLE_COORD) != 0) {
        const rh_owner owner = rh__build_owner(build, rh__expr_family(build->store, base));
        symbol = rh__expr_symbol(build->store, rh__build_family(build, owner.entity, 1),
                                 rh__expr_member(build->store, base));
    }
    if (symbol.i == 0 || rh__build_is_selected(build, symbol)) {
        return false;
    }
    rh__marks_set(build, &build->selected, symbol, 1);
    if (!rh__array_push(build->arena, &build->model->selected, symbol)) {
        rh__build_stop(build);
    }
    return true;
}

static void select_target(rh_build *build, rh_code code)
{
    const rh_value value = rh__build_lower(build, code, &RH_SCOPE_ANY);
    for (uint32_t k = 0; k < rh__value_count(value); k++) {
        const rh_expr e = rh__value_item(value, k);
        const bool fits = rh__expr_op(build->store, e) == RH_OP_SYMBOL &&
                          (rh__expr_mask(build->store, e) & (RH_ROLE_COORD | RH_ROLE_STATE)) != 0;
        if (!fits) {
            rh__build_report(build, RH_DIAGNOSTIC_E315, rh__code_span(code), code.env,
                             "only coordinates and states can be selected");
            rh__build_repair(build, "name the state whose equation may receive a reaction");
            return;
        }
        if (!select_symbol(build, e)) {
            rh__build_report(build, RH_DIAGNOSTIC_E315, rh__code_span(code), code.env,
                             "this is selected already");
            rh__build_repair(build, "name it once");
            return;
        }
    }
}

// The rule without `select`: every state whose law is not merely x' = y, and every coordinate.
static void select_by_rule(rh_build *build)
{
    const rh_model *model = build->model;
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        for (uint32_t member = 0; member < model->coordinates.data[k].size; member++) {
            select_symbol(
                build, rh__expr_symbol(build->store, model->coordinates.data[k].family[0], member));
        }
    }
    for (uint32_t k = 0; k < model->laws.count; k++) {
        const rh_law *law = &model->laws.data[k];
        if ((rh__expr_mask(build->store, law->target) & RH_ROLE_RATE) == 0) {
            continue;
        }
        const rh_owner owner = rh__build_owner(build, rh__expr_family(build->store, law->target));
        const rh_expr state =
            rh__expr_symbol(build->store, rh__build_family(build, owner.entity, 0),
                            rh__expr_member(build->store, law->target));
        const bool is_kinematic = law->value.i != 0 && law->value.i != state.i &&
                                  rh__expr_op(build->store, law->value) == RH_OP_SYMBOL &&
                                  (rh__expr_mask(build->store, law->value) & RH_ROLE_STATE) != 0 &&
                                  rh__expr_is_one(build->store, law->inertia);
        if (!is_kinematic) {
            select_symbol(build, state);
        }
    }
}

bool rh__build_is_selected(const rh_build *build, rh_expr symbol)
{
    return rh__marks_get(&build->selected, symbol) != 0;
}

static void select_variables(rh_build *build)
{
    rh_model *model = build->model;
    for (uint32_t k = 0; k < build->instances.count; k++) {
        const rh_instance *instance = &build->instances.data[k];
        if (rh__tree_kind(build->tree, instance->statement) != RH_AST_SELECT) {
            continue;
        }
        model->is_selection_given = true;
        for (rh_code target = rh__code_child(code_of(build, instance), 0); target.at.i != 0;
             target.at = rh__tree_next(build->tree, target.at)) {
            select_target(build, target);
        }
    }
    if (!model->is_selection_given) {
        select_by_rule(build);
    }
}

// --- all together ----------------------------------------------------------------------------

static void add_dynamics(rh_build *build, const rh_instance *instance)
{
    switch (rh__tree_kind(build->tree, instance->statement)) {
    case RH_AST_FORCE:
        add_force(build, instance);
        break;
    case RH_AST_FORCE_AT:
        add_load(build, instance, false);
        break;
    case RH_AST_TORQUE:
        add_load(build, instance, true);
        break;
    case RH_AST_INPUT:
        add_input(build, instance);
        break;
    case RH_AST_EQUATION:
        add_equation(build, instance);
        break;
    default:
        break;
    }
}

bool rh__build_laws(rh_build *build)
{
    if (build->laws != RH_PROGRESS_NEW) {
        return true;
    }
    if (build->is_postponing) {
        build->was_postponed = true;
        return false;
    }
    build->laws = RH_PROGRESS_BUSY;
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        if (rh__tree_kind(build->tree, build->instances.data[k].statement) == RH_AST_LAW) {
            add_law(build, &build->instances.data[k]);
        }
    }
    select_variables(build);
    build->laws = RH_PROGRESS_DONE;
    return true;
}

void rh__build_dynamics(rh_build *build)
{
    (void)rh__build_energies(build);
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        add_dynamics(build, &build->instances.data[k]);
    }
    check_variables(build);
}
