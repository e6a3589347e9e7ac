// SPDX-License-Identifier: Apache-2.0
// What surrounds the motion: start and guess, events, observed quantities, drawings, canonical
// pairs, and the change of variables.

#include "model/build.h"

enum { ROLES_RESULT = RH_ROLES_MOTION | RH_ROLE_ACCELERATION | RH_ROLE_RATE | RH_ROLE_MULTIPLIER };

static const rh_scope SCOPE_VALUE = {RH_ROLE_PARAM, "a start value", false, true};
static const rh_scope SCOPE_EVENT = {ROLES_RESULT, "an event", false, true};
static const rh_scope SCOPE_RESET = {RH_ROLES_MOTION | RH_ROLE_MULTIPLIER, "a reset", false, true};
static const rh_scope SCOPE_OBSERVE = {ROLES_RESULT, "an observed quantity", false, true};
static const rh_scope SCOPE_KEPT = {ROLES_RESULT | RH_ROLE_DEVIATION, "an observed quantity", true,
                                    true};
static const rh_scope SCOPE_DRAW = {RH_ROLES_MOTION, "a drawing", false, true};
static const rh_scope SCOPE_CHANGE = {RH_ROLES_MOTION | RH_ROLE_LOCAL, "a change of variables",
                                      false, true};

// --- start and guess ---------------------------------------------------------------------------

static void complain_place(rh_build *build, rh_code place, const char *what)
{
    const rh_span span = rh__code_span(place);
    rh__build_report(build, RH_DIAGNOSTIC_E320, span, place.env,
                     "%s is %s and takes no start value", rh__build_quote(build, span), what);
    rh__build_repair(build, "start values are for coordinates, velocities, states, lets, "
                            "quasi-velocities and t; a parameter has its value in `param`");
}

// A multiplier is a state, and has a start value, only where a constraint is of type II. Where --by
// has a say it may be one in this call and none in the next: then the value waits.
static bool is_type_two(rh_build *build, rh_expr multiplier)
{
    RH_ASSERT((rh__expr_mask(build->store, multiplier) & RH_ROLE_MULTIPLIER) != 0);
    const rh_owner owner = rh__build_owner(build, rh__expr_family(build->store, multiplier));
    const rh_member *member = rh__entity_member(rh__build_entity(build, owner.entity),
                                                rh__expr_member(build->store, multiplier));
    if (member == NULL) {
        return true; // the constraint itself was wrong
    }
    rh_ast clause = rh__tree_child(build->tree, member->statement, 3);
    while (clause.i != 0 && rh__tree_kind(build->tree, clause) != RH_AST_BY) {
        clause = rh__tree_next(build->tree, clause);
    }
    const rh_code by = rh__build_by(build, (rh_code){build->tree, clause, NULL},
                                    rh__build_entity(build, owner.entity)->name);
    const rh_slice word = rh__tree_node(build->tree, clause)->text;
    return by.tree != build->tree || rh__slice_is(word, rh__realisation_word(RH_BY_INERTIA)) ||
           rh__slice_is(word, rh__realisation_word(RH_BY_VAKONOMIC));
}

static bool check_place(rh_build *build, rh_expr e, rh_code place)
{
    const uint32_t mask = rh__expr_mask(build->store, e);
    const bool is_symbol = rh__expr_op(build->store, e) == RH_OP_SYMBOL;
    const uint32_t never =
        RH_ROLE_ACCELERATION | RH_ROLE_HIGHER | RH_ROLE_RATE | RH_ROLE_INPUT | RH_ROLE_DEVIATION;
    const bool is_wrong = (mask & never) != 0 || (mask & RH_EXPR_VARIABLE) == 0 ||
                          (!is_symbol && (mask & RH_ROLE_MULTIPLIER) != 0);
    if (is_wrong) {
        complain_place(build, place,
                       (mask & (RH_ROLE_ACCELERATION | RH_ROLE_HIGHER)) != 0 ? "an acceleration"
                       : (mask & RH_ROLE_RATE) != 0                          ? "the rate of a state"
                       : (mask & RH_ROLE_INPUT) != 0                         ? "an input"
                       : (mask & (RH_ROLE_DEVIATION | RH_ROLE_MULTIPLIER)) != 0
                           ? "a reaction or a deviation"
                       : is_symbol ? "a parameter"
                                   : "a constant");
        return false;
    }
    if (is_symbol && (mask & RH_ROLE_MULTIPLIER) != 0 && !is_type_two(build, e)) {
        rh__build_report(build, RH_DIAGNOSTIC_E322, rh__code_span(place), place.env,
                         "this multiplier follows from the motion and has no start value");
        rh__build_repair(build, "leave it out, or realise the constraint `by vakonomic` or "
                                "`by inertia(...)`");
        return false;
    }
    return true;
}

// A place is a name, with index and primes, or lambda.NAME; anything longer is a let that should
// be.
static bool is_place(const rh_build *build, rh_code place)
{
    const rh_ast_kind kind = rh__tree_kind(place.tree, place.at);
    const rh_code inner = kind == RH_AST_PRIME ? rh__code_child(place, 0) : place;
    const rh_ast_kind inner_kind = rh__tree_kind(place.tree, inner.at);
    if (inner_kind == RH_AST_MULTIPLIER) {
        return true;
    }
    const rh_code name = inner_kind == RH_AST_INDEX ? rh__code_child(inner, 0) : inner;
    if (rh__tree_kind(place.tree, name.at) != RH_AST_NAME) {
        return false;
    }
    // the deviation of a constraint is 0 at the start, or moves by a law of its own
    const uint32_t entity = rh__build_find(build, rh__tree_node(place.tree, name.at)->text);
    return entity == UINT32_MAX || build->entities.data[entity].kind != RH_ENTITY_CONSTRAINT;
}

typedef struct settings {
    rh_setting *data;
    uint32_t count;
} settings;

// Where the same place was set before; NULL when it was not.
static rh_setting *find_setting(settings list, rh_expr place, uint32_t first)
{
    RH_ASSERT(first < list.count);
    for (uint32_t k = first; k < list.count; k++) {
        if (list.data[k].place.i == place.i) {
            return &list.data[k];
        }
    }
    return NULL;
}

// Settings by place: `seen` holds index + 1 by expression id, so that long loops stay linear.
typedef struct book {
    RH_ARRAY(uint32_t) seen;
} book;

static rh_setting *ledger_find(const book *ledger, settings list, rh_expr place)
{
    const uint32_t at = place.i < ledger->seen.count ? ledger->seen.data[place.i] : 0;
    return at == 0 ? NULL : find_setting(list, place, at - 1);
}

static bool ledger_note(rh_build *build, book *ledger, rh_expr place, uint32_t index)
{
    while (ledger->seen.count <= place.i) {
        if (!rh__array_push(&build->scratch, &ledger->seen, 0)) {
            return false;
        }
    }
    RH_ASSERT(place.i < ledger->seen.count);
    ledger->seen.data[place.i] = index + 1;
    return true;
}

static void add_setting(rh_build *build, rh_code place, rh_expr e, rh_expr value, bool is_guess,
                        bool may_replace, book *ledger)
{
    RH_ASSERT(e.i != 0);
    rh_model *model = build->model;
    const rh_setting setting = {.place = e,
                                .value = value,
                                .span = rh__code_span(place),
                                .is_symbol = rh__expr_op(build->store, e) == RH_OP_SYMBOL,
                                .dial = rh__build_dial(build, place, true)};
    const settings list = is_guess ? (settings){model->guesses.data, model->guesses.count}
                                   : (settings){model->starts.data, model->starts.count};
    rh_setting *old = ledger_find(ledger, list, e);
    if (old != NULL && may_replace) {
        *old = setting;
        return;
    }
    if (old != NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E321, rh__code_span(place), place.env,
                         "%s has a %s already", rh__build_quote(build, rh__code_span(place)),
                         is_guess ? "guess" : "start value");
        rh__build_note(build, old->span, "first here");
        rh__build_repair(build, "leave one of them out");
        return;
    }
    const bool ok = ledger_note(build, ledger, e, list.count) &&
                    (is_guess ? rh__array_push(build->arena, &model->guesses, setting)
                              : rh__array_push(build->arena, &model->starts, setting));
    if (!ok) {
        rh__build_stop(build);
    }
}

// `x = 1` for an array x means every member.
static void read_setting(rh_build *build, rh_code setting, bool is_guess, bool may_replace,
                         book *ledger)
{
    const rh_code place = rh__code_child(setting, 0);
    const rh_value value = rh__build_lower(build, rh__code_child(setting, 1), &SCOPE_VALUE);
    if (!is_place(build, place)) {
        complain_place(build, place, "no quantity with a name");
        return;
    }
    const rh_value target = rh__build_lower(build, place, &RH_SCOPE_ANY);
    const uint32_t count = rh__value_count(target);
    if (target.kind == RH_VALUE_BAD || value.kind == RH_VALUE_BAD) {
        return;
    }
    if (value.kind != RH_VALUE_SCALAR && rh__value_count(value) != count) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(rh__code_child(setting, 1)),
                         setting.env, "%s cannot be the start of %s", rh__value_text(build, value),
                         rh__value_text(build, target));
        return;
    }
    RH_ASSERT(value.kind == RH_VALUE_SCALAR || rh__value_count(value) == count);
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr e = rh__value_item(target, k);
        if (!check_place(build, e, place)) {
            return;
        }
        add_setting(build, place, e,
                    value.kind == RH_VALUE_SCALAR ? value.scalar : rh__value_item(value, k),
                    is_guess, may_replace, ledger);
    }
}

static void read_settings(rh_build *build, rh_code list, bool may_replace, book *ledger)
{
    const bool is_guess = rh__tree_kind(list.tree, list.at) == RH_AST_GUESS;
    for (rh_code setting = rh__code_child(list, 0); setting.at.i != 0;
         setting.at = rh__tree_next(list.tree, setting.at)) {
        read_setting(build, setting, is_guess, may_replace, ledger);
    }
}

// --- events ----------------------------------------------------------------------------------

static bool may_reset(const rh_build *build, rh_expr e)
{
    RH_ASSERT(e.i != 0);
    return rh__expr_op(build->store, e) == RH_OP_SYMBOL &&
           (rh__expr_mask(build->store, e) & (RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE)) !=
               0;
}

static void read_resets(rh_build *build, rh_event *event, rh_code action)
{
    const uint32_t count = rh__tree_node(action.tree, action.at)->count;
    event->resets = rh__arena_array(build->arena, rh_component, count);
    for (uint32_t k = 0; event->resets != NULL && k < count; k++) {
        const rh_code setting = rh__code_child(action, k);
        const rh_value target = rh__build_lower(build, rh__code_child(setting, 0), &RH_SCOPE_ANY);
        const rh_expr value = rh__build_scalar(build, rh__code_child(setting, 1), &SCOPE_RESET);
        if (target.kind == RH_VALUE_BAD || value.i == 0) {
            continue;
        }
        if (target.kind != RH_VALUE_SCALAR || !may_reset(build, target.scalar)) {
            rh__build_report(build, RH_DIAGNOSTIC_E323, rh__code_span(rh__code_child(setting, 0)),
                             action.env, "only coordinates, velocities and states can be reset");
            rh__build_repair(build, "reset x' = -x'");
            continue;
        }
        for (uint32_t j = 0; j < event->reset_count; j++) {
            if (event->resets[j].target.i == target.scalar.i) {
                rh__build_report(build, RH_DIAGNOSTIC_E323,
                                 rh__code_span(rh__code_child(setting, 0)), action.env,
                                 "this is reset twice");
                rh__build_repair(build, "leave one of them out");
            }
        }
        RH_ASSERT(event->reset_count < count);
        event->resets[event->reset_count++] = (rh_component){target.scalar, value};
    }
}

static void add_event(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    rh_event event = {.row = rh__build_row(build, instance, rh__code_child(code, 0).at),
                      .direction =
                          (rh_direction)rh__tree_node(build->tree, instance->statement)->number};
    const rh_expr left = rh__build_scalar(build, rh__code_child(code, 1), &SCOPE_EVENT);
    const rh_expr right = rh__build_scalar(build, rh__code_child(code, 2), &SCOPE_EVENT);
    const rh_code action = rh__code_child(code, 3);
    if (action.at.i != 0) {
        const rh_slice word = rh__tree_node(code.tree, action.at)->text;
        event.action = rh__slice_is(word, "stop")    ? RH_ACTION_STOP
                       : rh__slice_is(word, "reset") ? RH_ACTION_RESET
                                                     : RH_ACTION_RECORD;
        read_resets(build, &event, action);
    }
    if (left.i == 0 || right.i == 0) {
        return;
    }
    event.function = rh__expr_subtract(build->store, left, right);
    if ((rh__expr_mask(build->store, event.function) & RH_EXPR_VARIABLE) == 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E331, event.row.span, code.env,
                         "nothing in this event moves, so it never happens");
        rh__build_repair(build, "name a coordinate, a state or the time in it");
        return;
    }
    if (!rh__array_push(build->arena, &build->model->events, event)) {
        rh__build_stop(build);
    }
}

// --- observed quantities
// ---------------------------------------------------------------------------

static const char *column_name(rh_build *build, rh_slice name, rh_value value, uint32_t k)
{
    RH_ASSERT(k < rh__value_count(value));
    if (value.kind == RH_VALUE_SCALAR) {
        return rh__slice_copy(build->arena, name);
    }
    if (value.kind == RH_VALUE_VECTOR && value.rows <= 3) {
        return rh__text_print(build->arena, "%.*s.%c", RH_SLICE_FORMAT(name), (char)('x' + k));
    }
    return value.kind == RH_VALUE_VECTOR
               ? rh__text_print(build->arena, "%.*s[%u]", RH_SLICE_FORMAT(name), k + 1)
               : rh__text_print(build->arena, "%.*s[%u,%u]", RH_SLICE_FORMAT(name),
                                k / value.columns + 1, k % value.columns + 1);
}

// Every column has a name of its own.
static bool check_column(rh_build *build, const char *column, rh_code name)
{
    if (rh__table_find(&build->columns, rh__slice_of(column)) != NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E332, rh__code_span(name), name.env,
                         "%s is observed already", column);
        rh__build_repair(build, "give the column a name of its own: observe NAME = ...");
        return false;
    }
    return rh__table_insert(&build->columns, rh__slice_of(column), 0);
}

static void add_observe(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    const bool has_value = rh__tree_node(build->tree, instance->statement)->count > 1;
    const rh_code name = rh__code_child(code, 0);
    const rh_slice text = rh__tree_node(build->tree, name.at)->text;
    const rh_value value =
        rh__build_lower(build, has_value ? rh__code_child(code, 1) : name, &SCOPE_OBSERVE);
    const uint32_t own = rh__build_find(build, text);
    if (has_value && own != UINT32_MAX &&
        rh__build_entity(build, own)->statement.i != instance->statement.i) {
        return; // its name was wrong, and that was said
    }
    // a whole array keeps the indices of its members
    const uint32_t index = has_value ? UINT32_MAX : own;
    const bool is_array = index != UINT32_MAX && rh__build_entity(build, index)->is_array;
    for (uint32_t k = 0; k < rh__value_count(value); k++) {
        const rh_observe observe = {
            .name = is_array ? rh__entity_show(build, rh__build_entity(build, index), k)
                             : column_name(build, text, value, k),
            .row = {.name = text, .statement = instance->statement, .span = rh__code_span(name)},
            .value = rh__value_item(value, k)};
        if (observe.name == NULL || !check_column(build, observe.name, name) ||
            !rh__array_push(build->arena, &build->model->observes, observe)) {
            return;
        }
    }
}

// What a call wants to observe besides: the text of the expression is the name.
static void add_asked(rh_build *build, const rh_tree *tree)
{
    const rh_code code = {tree, rh__tree_child(tree, rh__tree_child(tree, tree->root, 0), 0), NULL};
    if (code.at.i == 0) {
        return; // it could not be read, and that was said
    }
    const rh_expr value = rh__build_scalar(build, code, &SCOPE_OBSERVE);
    const rh_span span = rh__code_span(code);
    const rh_observe observe = {.name = rh__build_quote(build, span),
                                .row = {.name = rh__slice_of("observe"), .span = span},
                                .value = value,
                                .kept = value.i != 0 ? rh__build_scalar(build, code, &SCOPE_KEPT)
                                                     : RH_EXPR_NONE};
    if (value.i != 0 && !rh__array_push(build->arena, &build->model->observes, observe)) {
        rh__build_stop(build);
    }
}

// --- drawings --------------------------------------------------------------------------------

static bool read_vectors(rh_build *build, rh_drawing *drawing, rh_code code)
{
    for (uint32_t k = 0; k < drawing->vector_count; k++) {
        const rh_value value = rh__build_lower(build, rh__code_child(code, k), &SCOPE_DRAW);
        const bool fits = value.kind == RH_VALUE_VECTOR && (value.rows == 2 || value.rows == 3) &&
                          (k == 0 || value.rows == drawing->length) &&
                          (drawing->kind != RH_DRAW_DISC || value.rows == 3);
        if (value.kind != RH_VALUE_BAD && !fits) {
            rh__build_report(build, RH_DIAGNOSTIC_E324, rh__code_span(rh__code_child(code, k)),
                             code.env,
                             drawing->kind == RH_DRAW_DISC
                                 ? "a disc lies in space: its centre and normal have three "
                                   "components; this is %s"
                             : k > 0 && value.kind == RH_VALUE_VECTOR
                                 ? "the vectors of a drawing have equal length; this is %s"
                                 : "a drawing takes vectors of 2 or 3 components; this is %s",
                             rh__value_text(build, value));
            if (drawing->kind == RH_DRAW_DISC) {
                rh__build_repair(build, "write [x, y, z]");
            } else if (k > 0) {
                rh__build_repair(build, "write a vector of %u, as the first one is",
                                 drawing->length);
            } else {
                rh__build_repair(build, "write [x, y] or [x, y, z]");
            }
        }
        if (!fits) {
            return false;
        }
        drawing->length = value.rows;
        for (uint32_t d = 0; d < value.rows; d++) {
            drawing->vectors[k * value.rows + d] = value.items[d];
        }
    }
    return true;
}

static void add_drawing(rh_build *build, const rh_instance *instance, rh_drawing_kind kind)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    rh_drawing drawing = {.row = {.statement = instance->statement, .span = rh__code_span(code)},
                          .kind = kind,
                          .vector_count = kind == RH_DRAW_POINT ? 1 : 2};
    drawing.vectors = rh__arena_array(build->arena, rh_expr, 6);
    if (drawing.vectors == NULL) {
        rh__build_stop(build);
        return;
    }
    bool ok = read_vectors(build, &drawing, code);
    if (kind == RH_DRAW_DISC) {
        drawing.radius = rh__build_scalar(build, rh__code_child(code, 2), &SCOPE_DRAW);
        ok = ok && drawing.radius.i != 0;
    }
    if (ok && !rh__array_push(build->arena, &build->model->drawings, drawing)) {
        rh__build_stop(build);
    }
}

// --- pairs and change of variables
// -----------------------------------------------------------------

// Every variable stands in one pair.
static bool check_pair(rh_build *build, rh_expr variable, rh_code name)
{
    const uint32_t other = rh__marks_get(&build->pair_of, variable);
    if (other != 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E316, rh__code_span(name), name.env,
                         "%s stands in a canonical pair already",
                         rh__build_quote(build, rh__code_span(name)));
        rh__build_note(build, build->model->pairs.data[other - 1].span, "here");
        rh__build_repair(build, "let every variable stand in one pair");
    }
    return other == 0;
}

static void add_pair(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    const char *what = "a canonical pair is made of states or coordinates";
    const uint32_t roles = RH_ROLE_STATE | RH_ROLE_COORD;
    const rh_pair pair = {
        rh__build_target(build, rh__code_child(code, 0), roles, RH_DIAGNOSTIC_E316, what),
        rh__build_target(build, rh__code_child(code, 1), roles, RH_DIAGNOSTIC_E316, what),
        rh__code_span(code)};
    if (pair.position.i == 0 || pair.momentum.i == 0) {
        return;
    }
    if (pair.position.i == pair.momentum.i) {
        rh__build_report(build, RH_DIAGNOSTIC_E316, rh__code_span(rh__code_child(code, 1)),
                         code.env, "a variable is paired with itself");
        rh__build_repair(build, "name its momentum");
        return;
    }
    if (!check_pair(build, pair.position, rh__code_child(code, 0)) ||
        !check_pair(build, pair.momentum, rh__code_child(code, 1))) {
        return;
    }
    if (!rh__array_push(build->arena, &build->model->pairs, pair)) {
        rh__build_stop(build);
        return;
    }
    rh__marks_set(build, &build->pair_of, pair.position, build->model->pairs.count);
    rh__marks_set(build, &build->pair_of, pair.momentum, build->model->pairs.count);
}

// New names are symbols of their own, visible only in this statement.
static rh_env *new_symbol(rh_build *build, rh_slice name, const rh_env *outer)
{
    const rh_family_def def = {.name = name, .sort = 80, .mask = RH_EXPR_VARIABLE | RH_ROLE_LOCAL};
    const rh_family family = rh__family_create(build->store, &def);
    const rh_owner nobody = {build->time, 0};
    while (family.i != 0 && build->owners.count <= family.i) {
        if (!rh__array_push(build->arena, &build->owners, nobody)) {
            return NULL;
        }
    }
    rh_env *env = rh__arena_new(build->arena, rh_env);
    if (env != NULL) {
        *env = (rh_env){outer, name, rh__value_scalar(rh__expr_symbol(build->store, family, 0)),
                        false};
    }
    return env;
}

static bool is_new(const rh_env *env, rh_slice name)
{
    while (env != NULL && !rh__slice_equal(env->name, name)) {
        env = env->outer;
    }
    return env != NULL;
}

// Forward: z = f(old). Gives the environment with the new names.
static const rh_env *read_forward(rh_build *build, rh_code code)
{
    const rh_env *env = NULL;
    for (rh_code setting = rh__code_child(code, 0);
         rh__tree_kind(code.tree, setting.at) == RH_AST_SETTING;
         setting.at = rh__tree_next(code.tree, setting.at)) {
        const rh_code name = rh__code_child(setting, 0);
        const rh_slice text = rh__tree_node(code.tree, name.at)->text;
        if (rh__tree_kind(code.tree, name.at) != RH_AST_NAME ||
            rh__build_find(build, text) != UINT32_MAX || is_new(env, text)) {
            rh__build_report(build, RH_DIAGNOSTIC_E317, rh__code_span(name), NULL,
                             "a change of variables introduces new names, and %.*s is declared "
                             "already",
                             RH_SLICE_FORMAT(text));
            rh__build_repair(build, "choose a name that is not declared yet");
            return NULL;
        }
        const rh_expr value = rh__build_scalar(build, rh__code_child(setting, 1), &SCOPE_CHANGE);
        env = new_symbol(build, text, env);
        if (env == NULL || value.i == 0) {
            return NULL;
        }
        const rh_exchange exchange = {env->value.scalar, value, rh__code_span(setting)};
        if (!rh__array_push(build->arena, &build->model->change, exchange)) {
            rh__build_stop(build);
            return NULL;
        }
    }
    return env;
}

// Arcs are opened up to multiples of pi: does nothing else miss?
static bool misses_turns(const rh_build *build, const rh_unfolding *with, rh_expr e)
{
    rh_store *store = build->store;
    const rh_expr turns = with->has_arcs ? rh__expr_divide(store, e, rh__expr_pi(store)) : e;
    return with->has_arcs && (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) == 0 &&
           (turns.i == 0 || rh__expr_is_number(store, turns) ||
            (rh__expr_mask(store, turns) & RH_ROLE_PARAM) != 0);
}

// Is it zero on some branch? Each is looked at as it goes on to all numbers, so that it is found
// wherever it lies.
static bool vanishes_on_branch(rh_build *build, rh_expr error)
{
    uint32_t most = 0;
    bool is_found = false;
    for (uint32_t choice = 0; !is_found && choice < 1u << most; choice++) {
        rh_unfolding with = {.choice = choice, .opens_arcs = true};
        const rh_expr e = rh__expr_unfold(build->store, error, &with);
        is_found =
            e.i == 0 || misses_turns(build, &with, e) ||
            rh__expr_vanishes_where(build->store, e, rh__values_parameter, &build->model->values,
                                    &build->scratch) != RH_VANISHING_NOWHERE;
        most = with.count > most ? with.count : most;
    }
    return is_found;
}

static void check_inverse(rh_build *build, const rh_exchange *exchange, rh_code code)
{
    const rh_expr there = rh__model_through_change(build->model, exchange->value);
    const rh_expr error =
        there.i == 0 ? there : rh__expr_subtract(build->store, there, exchange->target);
    // an inverse may hold on a branch only: which one is said where it is used
    if (error.i != 0 && !vanishes_on_branch(build, error)) {
        rh__build_report(build, RH_DIAGNOSTIC_E317, rh__code_span(code), NULL,
                         "this does not invert the change: put in, it does not give back its left "
                         "side");
        rh__build_repair(build, "solve the first half of `change` for the old variables");
    }
}

static void add_change(rh_build *build, const rh_instance *instance)
{
    const rh_code code = {build->tree, instance->statement, NULL};
    rh_model *model = build->model;
    if (model->change.count > 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E330, rh__code_span(code), NULL,
                         "`change` is given twice");
        rh__build_repair(build, "put all new variables into one statement");
        return;
    }
    const rh_env *env = read_forward(build, code);
    rh_code inverse = rh__code_child(code, rh__tree_node(code.tree, code.at)->count - 1);
    if (env == NULL || rh__tree_kind(code.tree, inverse.at) != RH_AST_INVERSE) {
        return;
    }
    const uint32_t count = rh__tree_node(code.tree, inverse.at)->count;
    if (count != model->change.count) {
        rh__build_report(build, RH_DIAGNOSTIC_E317, rh__code_span(inverse), NULL,
                         "%u new name%s stand for %u old variable%s", model->change.count,
                         model->change.count == 1 ? "" : "s", count, count == 1 ? "" : "s");
        rh__build_repair(build, "give as many old variables as there are new names");
        return;
    }
    for (rh_code setting = rh__code_child(inverse, 0); setting.at.i != 0;
         setting.at = rh__tree_next(code.tree, setting.at)) {
        rh_code right = rh__code_child(setting, 1);
        right.env = env;
        const rh_exchange exchange = {
            rh__build_target(build, rh__code_child(setting, 0),
                             RH_ROLE_STATE | RH_ROLE_COORD | RH_ROLE_TIME, RH_DIAGNOSTIC_E317,
                             "the inverse gives the old variables: states, coordinates, or t"),
            rh__build_scalar(build, right, &SCOPE_CHANGE), rh__code_span(setting)};
        if (exchange.target.i == 0 || exchange.value.i == 0) {
            continue;
        }
        check_inverse(build, &exchange, setting);
        if (!rh__array_push(build->arena, &model->inverse, exchange)) {
            rh__build_stop(build);
            return;
        }
    }
    rh__build_exchanges(build);
}

// --- all together ----------------------------------------------------------------------------

static void read_title(rh_build *build, const rh_instance *instance)
{
    const rh_ast text = rh__tree_child(build->tree, instance->statement, 0);
    const rh_span span = rh__tree_node(build->tree, instance->statement)->span;
    if (build->model->title.data != NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E330, span, NULL, "`model` is given twice");
        rh__build_repair(build, "leave one of them out");
        return;
    }
    build->model->title = rh__tree_node(build->tree, text)->text;
}

static void add_statement(rh_build *build, const rh_instance *instance, book *starts, book *guesses)
{
    const rh_code code = {build->tree, instance->statement, instance->env};
    switch (rh__tree_kind(build->tree, instance->statement)) {
    case RH_AST_MODEL:
        read_title(build, instance);
        break;
    case RH_AST_START:
        read_settings(build, code, false, starts);
        break;
    case RH_AST_GUESS:
        read_settings(build, code, false, guesses);
        break;
    case RH_AST_EVENT:
        add_event(build, instance);
        break;
    case RH_AST_OBSERVE:
        add_observe(build, instance);
        break;
    case RH_AST_DRAW_POINT:
        add_drawing(build, instance, RH_DRAW_POINT);
        break;
    case RH_AST_DRAW_LINE:
        add_drawing(build, instance, RH_DRAW_LINE);
        break;
    case RH_AST_DRAW_DISC:
        add_drawing(build, instance, RH_DRAW_DISC);
        break;
    case RH_AST_PAIR:
        add_pair(build, instance);
        break;
    case RH_AST_CHANGE:
        add_change(build, instance);
        break;
    default:
        break;
    }
}

void rh__build_settings(rh_build *build)
{
    book starts = {0};
    book guesses = {0};
    for (uint32_t k = 0; k < build->instances.count && !build->is_stopped; k++) {
        add_statement(build, &build->instances.data[k], &starts, &guesses);
    }
    // --start comes last and wins
    for (size_t k = 0; k < build->start_count; k++) {
        const rh_tree *tree = &build->setting_trees[build->set_count + k];
        const rh_code list = {tree, rh__tree_child(tree, tree->root, 0), NULL};
        read_settings(build, list, true, &starts);
    }
    for (size_t k = 0; k < build->observe_count; k++) {
        add_asked(
            build,
            &build->setting_trees[build->set_count + build->start_count + build->by_count + k]);
    }
}
