// SPDX-License-Identifier: Apache-2.0
// Declarations: every name becomes an entity, structural parameters are found, bounds are read,
// loops are expanded into instances, and every indexed definition becomes a member of its entity.

#include "model/build.h"

#include <inttypes.h>

// --- names -----------------------------------------------------------------------------------

static bool has_members(rh_entity_kind kind)
{
    return kind == RH_ENTITY_LET || kind == RH_ENTITY_QUASI || kind == RH_ENTITY_CONSTRAINT ||
           kind == RH_ENTITY_EQUATION || kind == RH_ENTITY_EVENT;
}

static void complain_twice(rh_build *build, rh_slice name, rh_span span, const rh_entity *old)
{
    rh__build_report(build, RH_DIAGNOSTIC_E101, span, NULL, "%.*s is declared already, as %s %s",
                     RH_SLICE_FORMAT(name), rh__entity_article(old->kind),
                     rh__entity_word(old->kind));
    rh__build_note(build, old->span, "declared here first");
    rh__build_repair(build, "choose another name, for example %.*s_2", RH_SLICE_FORMAT(name));
}

static rh_entity *add_entity(rh_build *build, rh_entity_kind kind, rh_slice name, rh_span span,
                             rh_ast statement)
{
    const uint32_t old = rh__build_find(build, name);
    if (old != UINT32_MAX) {
        rh_entity *entity = rh__build_entity(build, old);
        // further members of an array come from further statements
        if (entity->kind == kind && entity->is_array && has_members(kind)) {
            return entity;
        }
        if (entity->kind != RH_ENTITY_TIME) { // reserved: the parser has said so
            complain_twice(build, name, span, entity);
        }
        return NULL;
    }
    const rh_entity entity = {
        .kind = kind, .name = name, .span = span, .statement = statement, .size = 1};
    if (!rh__array_push(build->arena, &build->entities, entity) ||
        !rh__table_insert(&build->names, name, build->entities.count - 1)) {
        rh__build_stop(build);
        return NULL;
    }
    return &build->entities.data[build->entities.count - 1];
}

static void declare_variables(rh_build *build, rh_entity_kind kind, rh_ast statement)
{
    const uint32_t stride = kind == RH_ENTITY_PARAM ? 2 : 1;
    uint32_t k = 0;
    for (rh_ast part = rh__tree_child(build->tree, statement, 0); part.i != 0;
         part = rh__tree_next(build->tree, part), k++) {
        const rh_ast_node *node = rh__tree_node(build->tree, part);
        if (k % stride != 0 || node->kind != RH_AST_DECLARE) {
            continue;
        }
        const rh_span span = {node->span.offset, (uint32_t)node->text.size};
        rh_entity *entity = add_entity(build, kind, node->text, span, statement);
        if (entity != NULL) {
            entity->declaration = part;
            entity->is_array = node->count > 0;
        }
    }
}

// The first child names it: NAME, or INDEX of a NAME.
static void declare_named(rh_build *build, rh_entity_kind kind, rh_ast statement)
{
    const rh_ast first = rh__tree_child(build->tree, statement, 0);
    const bool has_index = rh__tree_kind(build->tree, first) == RH_AST_INDEX;
    const rh_ast name = has_index ? rh__tree_child(build->tree, first, 0) : first;
    if (name.i == 0) {
        return;
    }
    const rh_ast_node *node = rh__tree_node(build->tree, name);
    const uint32_t known = rh__build_find(build, node->text);
    if (known != UINT32_MAX && !has_index && rh__build_entity(build, known)->kind == kind &&
        rh__build_entity(build, known)->is_array) {
        complain_twice(build, node->text, node->span, rh__build_entity(build, known));
        return;
    }
    rh_entity *entity = add_entity(build, kind, node->text, node->span, statement);
    if (entity != NULL && entity->members.count == 0) {
        entity->is_array = has_index;
        entity->declaration = statement;
    }
}

// The arguments of a function have different names.
static void check_arguments(rh_build *build, rh_ast function)
{
    const uint32_t last = rh__tree_node(build->tree, function)->count - 1; // the body
    for (uint32_t k = 1; k < last; k++) {
        const rh_ast_node *name =
            rh__tree_node(build->tree, rh__tree_child(build->tree, function, k));
        for (uint32_t j = 1; j < k; j++) {
            const rh_ast_node *other =
                rh__tree_node(build->tree, rh__tree_child(build->tree, function, j));
            if (rh__slice_equal(name->text, other->text)) {
                rh__build_report(build, RH_DIAGNOSTIC_E101, name->span, NULL,
                                 "two arguments of the function are called %.*s",
                                 RH_SLICE_FORMAT(name->text));
                rh__build_note(build, other->span, "the first one");
                rh__build_repair(build, "choose another name, for example %.*s_2",
                                 RH_SLICE_FORMAT(name->text));
                return;
            }
        }
    }
}

static void complain_loop(rh_build *build, rh_ast statement)
{
    const rh_ast_node *node = rh__tree_node(build->tree, statement);
    const bool is_param = node->kind == RH_AST_PARAM;
    const bool is_function = node->kind == RH_AST_FUNCTION;
    const char *word = rh__ast_word((rh_ast_kind)node->kind);
    rh__build_report(
        build, RH_DIAGNOSTIC_E333, node->span, NULL,
        is_function ? "a %s cannot be declared in a loop" : "`%s` cannot stand in a loop", word);
    rh__build_repair(build, is_param      ? "declare an array outside: param NAME[1..N] = ..."
                            : is_function ? "put it outside, with the index as one more argument"
                                          : "put it outside of the loop");
    rh__build_lose(build, build->tree, statement);
}

static void declare_statement(rh_build *build, rh_ast statement, bool in_loop)
{
    const rh_ast_kind kind = rh__tree_kind(build->tree, statement);
    const bool is_plain = kind == RH_AST_PARAM || kind == RH_AST_COORD || kind == RH_AST_STATE ||
                          kind == RH_AST_MODEL || kind == RH_AST_INPUT || kind == RH_AST_FUNCTION ||
                          kind == RH_AST_CHANGE || kind == RH_AST_CONSTRUCT;
    if (in_loop && is_plain) {
        complain_loop(build, statement);
        return;
    }
    switch (kind) {
    case RH_AST_PARAM:
        declare_variables(build, RH_ENTITY_PARAM, statement);
        break;
    case RH_AST_COORD:
        declare_variables(build, RH_ENTITY_COORD, statement);
        break;
    case RH_AST_STATE:
        declare_variables(build, RH_ENTITY_STATE, statement);
        break;
    case RH_AST_INPUT:
        declare_named(build, RH_ENTITY_INPUT, statement);
        break;
    case RH_AST_LET:
        declare_named(build, RH_ENTITY_LET, statement);
        break;
    case RH_AST_FUNCTION:
        declare_named(build, RH_ENTITY_FUNCTION, statement);
        check_arguments(build, statement);
        break;
    case RH_AST_QUASI:
        declare_named(build, RH_ENTITY_QUASI, statement);
        break;
    case RH_AST_CONSTRAINT:
        declare_named(build, RH_ENTITY_CONSTRAINT, statement);
        break;
    case RH_AST_EQUATION:
        declare_named(build, RH_ENTITY_EQUATION, statement);
        break;
    case RH_AST_EVENT:
        declare_named(build, RH_ENTITY_EVENT, statement);
        break;
    case RH_AST_OBSERVE:
        if (rh__tree_node(build->tree, statement)->count > 1) {
            declare_named(build, RH_ENTITY_OBSERVE, statement);
        }
        break;
    case RH_AST_FOR:
        declare_statement(build, rh__tree_child(build->tree, statement, 2), true);
        break;
    default:
        break;
    }
}

// T, V and energy unless the user has names of his own like that.
static void declare_builtins(rh_build *build)
{
    static const char *const WORDS[] = {"T", "V", "energy"};
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
        const uint32_t own = rh__build_find(build, rh__slice_of(WORDS[k]));
        if (own == UINT32_MAX) {
            add_entity(build, RH_ENTITY_BUILTIN, rh__slice_of(WORDS[k]), (rh_span){0, 0},
                       (rh_ast){0});
            continue;
        }
        rh__build_report(build, RH_DIAGNOSTIC_N100, rh__build_entity(build, own)->span, NULL,
                         "%s is declared here; the %s of that name gives way", WORDS[k],
                         k == 0   ? "kinetic energy"
                         : k == 1 ? "potential energy"
                                  : "total energy");
    }
}

// First of all, so that a variable that the parser refused to call t does not take its place.
static void declare_time(rh_build *build)
{
    const rh_span nowhere = {0, 0};
    if (add_entity(build, RH_ENTITY_TIME, rh__slice_of("t"), nowhere, (rh_ast){0}) != NULL) {
        build->time = build->entities.count - 1;
    }
}

// --- structural parameters ----------------------------------------------------------------------

static void mark_names(rh_build *build, const rh_tree *tree, rh_ast at);

// A parameter that becomes structural makes those it is computed from structural.
static void mark_structural(rh_build *build, rh_slice name)
{
    const uint32_t index = rh__build_find(build, name);
    rh_entity *entity = index == UINT32_MAX ? NULL : rh__build_entity(build, index);
    if (entity == NULL || entity->kind != RH_ENTITY_PARAM || entity->is_structural) {
        return;
    }
    entity->is_structural = true;
    entity->is_used = true;
    mark_names(build, build->tree, rh__tree_next(build->tree, entity->declaration));
    for (size_t k = 0; k < build->set_count; k++) {
        const rh_tree *tree = &build->setting_trees[k];
        const rh_ast list = rh__tree_child(tree, tree->root, 0);
        for (rh_ast s = rh__tree_child(tree, list, 0); s.i != 0; s = rh__tree_next(tree, s)) {
            const rh_ast place = rh__tree_child(tree, s, 0);
            if (rh__slice_equal(rh__tree_node(tree, place)->text, name)) {
                mark_names(build, tree, rh__tree_child(tree, s, 1));
            }
        }
    }
}

static void mark_names(rh_build *build, const rh_tree *tree, rh_ast at)
{
    if (at.i == 0) {
        return;
    }
    if (rh__tree_kind(tree, at) == RH_AST_NAME) {
        mark_structural(build, rh__tree_node(tree, at)->text);
    }
    for (rh_ast part = rh__tree_child(tree, at, 0); part.i != 0; part = rh__tree_next(tree, part)) {
        mark_names(build, tree, part);
    }
}

// Names in bounds and indices.
static void find_structural(rh_build *build)
{
    for (uint32_t id = 1; id < build->tree->nodes.count; id++) {
        const rh_ast at = {id};
        const rh_ast_kind kind = rh__tree_kind(build->tree, at);
        if (kind != RH_AST_RANGE && kind != RH_AST_INDEX) {
            continue;
        }
        rh_ast part = rh__tree_child(build->tree, at, kind == RH_AST_INDEX ? 1 : 0);
        for (; part.i != 0; part = rh__tree_next(build->tree, part)) {
            mark_names(build, build->tree, part);
        }
    }
}

// --- extents and parameters ---------------------------------------------------------------------

static bool read_extent(rh_build *build, rh_entity *entity, rh_code range, uint32_t d)
{
    int64_t first = 0;
    int64_t last = 0;
    const bool ok = rh__build_integer(build, rh__code_child(range, 0), &first);
    if (!rh__build_integer(build, rh__code_child(range, 1), &last) || !ok) {
        return false;
    }
    if (last < first) {
        rh__build_report(build, RH_DIAGNOSTIC_E106, rh__code_span(range), range.env,
                         "the range %" PRId64 "..%" PRId64 " of %.*s is empty", first, last,
                         RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, "the last index must not be below the first");
        return false;
    }
    entity->first[d] = first;
    entity->extent[d] = last - first >= UINT32_MAX ? UINT32_MAX : (uint32_t)(last - first + 1);
    return true;
}

// Too many indices, or too many members, for one array.
static bool check_size(rh_build *build, rh_entity *entity, rh_span span)
{
    uint64_t size = 1;
    for (uint32_t d = 0; d < entity->dimensions; d++) {
        size *= entity->extent[d];
        if (size > RH_BUILD_ARRAY) {
            rh__build_report(build, RH_DIAGNOSTIC_E913, span, NULL,
                             "the array %.*s has more than %d members",
                             RH_SLICE_FORMAT(entity->name), RH_BUILD_ARRAY);
            rh__build_repair(build, "make its bounds smaller");
            entity->size = 0;
            return false;
        }
    }
    entity->size = (uint32_t)size;
    return true;
}

static void read_extents(rh_build *build, rh_entity *entity)
{
    const rh_ast_node *node = rh__tree_node(build->tree, entity->declaration);
    const rh_code code = {build->tree, entity->declaration, NULL};
    if (node->count > RH_EXPR_DIMENSIONS) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, node->span, NULL,
                         "an array has at most %d indices; %.*s has %u", RH_EXPR_DIMENSIONS,
                         RH_SLICE_FORMAT(entity->name), node->count);
        entity->size = 0;
        return;
    }
    entity->dimensions = node->count;
    for (uint32_t d = 0; d < node->count; d++) {
        if (!read_extent(build, entity, rh__code_child(code, d), d)) {
            entity->dimensions = 0;
            entity->size = 0;
            return;
        }
    }
    check_size(build, entity, node->span);
}

// A parameter has one member an index, each with the same code to begin with.
static void make_parameter_members(rh_build *build, rh_entity *entity)
{
    const rh_code code = {build->tree, rh__tree_next(build->tree, entity->declaration), NULL};
    if (!rh__array_reserve(build->arena, &entity->members, entity->size)) {
        rh__build_stop(build);
        return;
    }
    for (uint32_t place = 0; place < entity->size; place++) {
        rh_member member = {.code = code, .span = entity->span, .statement = entity->statement};
        uint32_t rest = place;
        for (uint32_t d = entity->dimensions; d-- > 0;) {
            member.index[d] = entity->first[d] + rest % entity->extent[d];
            rest /= entity->extent[d];
        }
        (void)rh__array_push(build->arena, &entity->members, member);
    }
}

// --set: the code of a parameter's members is replaced.
static void apply_setting(rh_build *build, const rh_tree *tree, rh_ast setting, bool to_arrays)
{
    const rh_ast place = rh__tree_child(tree, setting, 0);
    const rh_code value = {tree, rh__tree_child(tree, setting, 1), NULL};
    const bool has_index = rh__tree_kind(tree, place) == RH_AST_INDEX;
    const rh_ast_node *name =
        rh__tree_node(tree, has_index ? rh__tree_child(tree, place, 0) : place);
    const uint32_t index =
        name->kind == RH_AST_NAME ? rh__build_find(build, name->text) : UINT32_MAX;
    rh_entity *entity = index == UINT32_MAX ? NULL : rh__build_entity(build, index);
    if (entity == NULL || entity->kind != RH_ENTITY_PARAM) {
        rh__build_unknown(build, name->text, rh__tree_node(tree, place)->span, NULL, "parameter");
        return;
    }
    int64_t at[RH_EXPR_DIMENSIONS] = {0};
    if (entity->is_array != to_arrays ||
        (has_index && !rh__build_index(build, (rh_code){tree, place, NULL}, entity, at))) {
        return;
    }
    const uint32_t only = has_index ? rh__entity_place(entity, at) : UINT32_MAX;
    for (uint32_t k = 0; k < entity->members.count; k++) {
        if (only == UINT32_MAX || only == k) {
            entity->members.data[k].code = value;
        }
    }
}

static void apply_settings(rh_build *build, bool to_arrays)
{
    for (size_t k = 0; k < build->set_count; k++) {
        const rh_tree *tree = &build->setting_trees[k];
        const rh_ast list = rh__tree_child(tree, tree->root, 0);
        for (rh_ast setting = rh__tree_child(tree, list, 0); setting.i != 0;
             setting = rh__tree_next(tree, setting)) {
            apply_setting(build, tree, setting, to_arrays);
        }
    }
}

// Scalars first, so that the bounds of arrays can be read; settings of scalars before any bound is
// read.
static void declare_extents(rh_build *build)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < build->entities.count; k++) {
            rh_entity *entity = rh__build_entity(build, k);
            const bool is_variable = entity->kind == RH_ENTITY_COORD ||
                                     entity->kind == RH_ENTITY_STATE ||
                                     entity->kind == RH_ENTITY_PARAM;
            if (!is_variable || entity->is_array != (pass == 1)) {
                continue;
            }
            if (entity->is_array) {
                read_extents(build, entity);
            }
            if (entity->kind == RH_ENTITY_PARAM && entity->size > 0) {
                make_parameter_members(build, entity);
            }
        }
        apply_settings(build, pass == 1);
    }
}

// --- loops and members --------------------------------------------------------------------------

bool rh__build_index(rh_build *build, rh_code code, rh_entity *entity,
                     int64_t out[RH_EXPR_DIMENSIONS])
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count - 1;
    if (has_members(entity->kind) && rh__build_is_lost(build, entity->name)) {
        return false; // some of its members could not be read
    }
    if (entity->size == 0) {
        // its own declaration was wrong, or the loop that makes its members is empty
        if (has_members(entity->kind) && entity->members.count == 0 && !build->is_declaring) {
            rh__build_report(build, RH_DIAGNOSTIC_E102, rh__code_span(code), code.env,
                             "%.*s has no members: the loop that defines them is empty",
                             RH_SLICE_FORMAT(entity->name));
            rh__build_note(build, entity->span, "defined here");
        }
        return false;
    }
    if (count != entity->dimensions) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(code), code.env,
                         "%.*s takes %u %s, not %u", RH_SLICE_FORMAT(entity->name),
                         entity->dimensions, entity->dimensions == 1 ? "index" : "indices", count);
        rh__build_note(build, entity->span, "declared here");
        static const char *const FORMS[] = {"", "[i]", "[i, j]", "[i, j, k]"};
        rh__build_repair(build, "write %.*s%s", RH_SLICE_FORMAT(entity->name),
                         FORMS[entity->dimensions]);
        return false;
    }
    for (uint32_t d = 0; d < count; d++) {
        if (!rh__build_integer(build, rh__code_child(code, d + 1), &out[d])) {
            return false;
        }
        const int64_t last = entity->first[d] + (int64_t)entity->extent[d] - 1;
        if (out[d] < entity->first[d] || out[d] > last) {
            rh__build_report(build, RH_DIAGNOSTIC_E102, rh__code_span(rh__code_child(code, d + 1)),
                             code.env,
                             "index %" PRId64 " of %.*s lies outside %" PRId64 "..%" PRId64, out[d],
                             RH_SLICE_FORMAT(entity->name), entity->first[d], last);
            rh__build_note(build, entity->span, "declared here");
            if (has_members(entity->kind)) {
                rh__build_repair(build, "define that member too, or change the bounds of the loop");
            } else if (code.env != NULL) {
                rh__build_repair(build, "change the bounds of the loop, or those of %.*s",
                                 RH_SLICE_FORMAT(entity->name));
            } else {
                rh__build_repair(build, "write an index from %" PRId64 " to %" PRId64,
                                 entity->first[d], last);
            }
            return false;
        }
    }
    return true;
}

static bool read_member_index(rh_build *build, rh_code name, rh_entity *entity, rh_member *member)
{
    const uint32_t count = rh__tree_node(name.tree, name.at)->count - 1;
    if (count > RH_EXPR_DIMENSIONS || (entity->dimensions > 0 && entity->dimensions != count)) {
        rh__build_report(build, RH_DIAGNOSTIC_E103, rh__code_span(name), name.env,
                         count > RH_EXPR_DIMENSIONS
                             ? "an array has at most %u indices"
                             : "other members of this array are defined with %u indices",
                         count > RH_EXPR_DIMENSIONS ? RH_EXPR_DIMENSIONS : entity->dimensions);
        return false;
    }
    entity->dimensions = count;
    bool ok = true;
    for (uint32_t d = 0; d < count; d++) {
        ok = rh__build_integer(build, rh__code_child(name, d + 1), &member->index[d]) && ok;
    }
    return ok;
}

// Where the expression of a definition stands.
static rh_ast definition_code(const rh_build *build, rh_ast statement)
{
    const rh_ast_kind kind = rh__tree_kind(build->tree, statement);
    const bool is_expression = kind == RH_AST_LET || kind == RH_AST_QUASI || kind == RH_AST_INPUT;
    return is_expression ? rh__tree_child(build->tree, statement, 1) : statement;
}

// Statements whose first child is the name they define.
static bool defines_name(rh_ast_kind kind)
{
    return kind == RH_AST_LET || kind == RH_AST_QUASI || kind == RH_AST_CONSTRAINT ||
           kind == RH_AST_EQUATION || kind == RH_AST_EVENT || kind == RH_AST_INPUT;
}

static void declare_member(rh_build *build, const rh_instance *instance)
{
    if (!defines_name(rh__tree_kind(build->tree, instance->statement))) {
        return;
    }
    const rh_code statement = {build->tree, instance->statement, instance->env};
    const rh_code name = rh__code_child(statement, 0);
    const rh_ast_kind kind = rh__tree_kind(build->tree, name.at);
    if (kind != RH_AST_NAME && kind != RH_AST_INDEX) {
        return;
    }
    const bool has_index = kind == RH_AST_INDEX;
    const rh_ast_node *node =
        rh__tree_node(build->tree, has_index ? rh__code_child(name, 0).at : name.at);
    const uint32_t index = rh__build_find(build, node->text);
    rh_entity *entity = index == UINT32_MAX ? NULL : rh__build_entity(build, index);
    const bool is_own = entity != NULL && entity->is_array == has_index &&
                        (has_members(entity->kind) || entity->kind == RH_ENTITY_INPUT) &&
                        (has_index || entity->statement.i == instance->statement.i);
    rh_member member = {
        .code = {build->tree, definition_code(build, instance->statement), instance->env},
        .span = rh__code_span(name),
        .statement = instance->statement};
    if (!is_own || (has_index && !read_member_index(build, name, entity, &member))) {
        return;
    }
    if (!has_index && entity->members.count > 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E101, node->span, instance->env,
                         "the loop defines %.*s more than once", RH_SLICE_FORMAT(node->text));
        rh__build_repair(build, "give it an index: %.*s[i]", RH_SLICE_FORMAT(node->text));
        return;
    }
    if (!rh__array_push(build->arena, &entity->members, member)) {
        rh__build_stop(build);
    }
}

// A loop that cannot run defines nobody knows what.
static void lose_definition(rh_build *build, rh_ast statement)
{
    while (rh__tree_kind(build->tree, statement) == RH_AST_FOR) {
        statement = rh__tree_child(build->tree, statement, 2);
    }
    rh__build_lose(build, build->tree, rh__tree_child(build->tree, statement, 0));
}

static void expand(rh_build *build, rh_ast statement, const rh_env *env)
{
    if (build->is_stopped || statement.i == 0) {
        return;
    }
    if (rh__tree_kind(build->tree, statement) != RH_AST_FOR) {
        const rh_instance instance = {statement, env};
        if (build->instances.count >= RH_BUILD_INSTANCES) {
            rh__build_report(build, RH_DIAGNOSTIC_E912, rh__tree_node(build->tree, statement)->span,
                             env, "the loops make more than %d statements", RH_BUILD_INSTANCES);
            rh__build_repair(build, "make the bounds of the loops smaller");
            build->is_stopped = true;
        } else if (!rh__array_push(build->arena, &build->instances, instance)) {
            rh__build_stop(build);
        } else {
            declare_member(build, &instance);
        }
        return;
    }
    const rh_code code = {build->tree, statement, env};
    int64_t first = 0;
    int64_t last = 0;
    const rh_code range = rh__code_child(code, 1);
    const bool ok = rh__build_integer(build, rh__code_child(range, 0), &first);
    if (!rh__build_integer(build, rh__code_child(range, 1), &last) || !ok) {
        lose_definition(build, rh__code_child(code, 2).at);
        return;
    }
    for (int64_t i = first; i <= last && !build->is_stopped; i++) {
        if (++build->turns > RH_BUILD_TURNS) {
            rh__build_report(build, RH_DIAGNOSTIC_E912, rh__code_span(code), env,
                             "the loops turn more than %d times", RH_BUILD_TURNS);
            rh__build_repair(build, "make the bounds of the loops smaller");
            build->is_stopped = true;
            return;
        }
        rh_env *turn = rh__arena_new(build->arena, rh_env);
        if (turn == NULL) {
            rh__build_stop(build);
            return;
        }
        *turn = (rh_env){env, rh__tree_node(build->tree, rh__code_child(code, 0).at)->text,
                         rh__value_scalar(rh__expr_integer(build->store, i)), true};
        expand(build, rh__code_child(code, 2).at, turn);
    }
}

// --- boxes ------------------------------------------------------------------------------------

// The smallest box of indices that holds all members.
static void find_box(rh_entity *entity)
{
    for (uint32_t d = 0; d < entity->dimensions; d++) {
        int64_t low = entity->members.data[0].index[d];
        int64_t high = low;
        for (uint32_t k = 1; k < entity->members.count; k++) {
            const int64_t at = entity->members.data[k].index[d];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        entity->first[d] = low;
        entity->extent[d] = high - low >= UINT32_MAX ? UINT32_MAX : (uint32_t)(high - low + 1);
    }
}

static void fill_box(rh_build *build, rh_entity *entity)
{
    if (entity->members.count == 0) {
        entity->size = 0;
        return;
    }
    find_box(entity);
    if (!check_size(build, entity, entity->span)) {
        return;
    }
    entity->slots = rh__arena_array(build->arena, uint32_t, entity->size);
    if (entity->slots == NULL) {
        rh__build_stop(build);
        return;
    }
    for (uint32_t k = 0; k < entity->members.count; k++) {
        const rh_member *member = &entity->members.data[k];
        uint32_t *slot = &entity->slots[rh__entity_place(entity, member->index)];
        if (*slot != 0) {
            rh__build_report(
                build, RH_DIAGNOSTIC_E101, member->span, member->code.env, "%s is defined twice",
                rh__entity_show(build, entity, rh__entity_place(entity, member->index)));
            rh__build_note(build, entity->members.data[*slot - 1].span, "first here");
            rh__build_repair(build, "change the bounds of one of the loops");
            continue;
        }
        *slot = k + 1;
    }
}

static void read_file_inputs(rh_build *build)
{
    for (uint32_t k = 0; k < build->entities.count; k++) {
        rh_entity *entity = rh__build_entity(build, k);
        if (entity->kind == RH_ENTITY_INPUT) {
            const rh_ast value = rh__tree_child(build->tree, entity->statement, 1);
            if (rh__tree_kind(build->tree, value) == RH_AST_STRING) {
                entity->file =
                    rh__slice_copy(build->arena, rh__tree_node(build->tree, value)->text);
            }
        }
    }
}

void rh__build_declare(rh_build *build)
{
    build->is_declaring = true;
    declare_time(build);
    const rh_ast root = build->tree->root;
    for (rh_ast s = rh__tree_child(build->tree, root, 0); s.i != 0;
         s = rh__tree_next(build->tree, s)) {
        declare_statement(build, s, false);
    }
    declare_builtins(build);
    find_structural(build);
    read_file_inputs(build);
    declare_extents(build);
    for (rh_ast s = rh__tree_child(build->tree, root, 0); s.i != 0;
         s = rh__tree_next(build->tree, s)) {
        expand(build, s, NULL);
    }
    for (uint32_t k = 0; k < build->entities.count; k++) {
        rh_entity *entity = rh__build_entity(build, k);
        if (has_members(entity->kind) && entity->is_array) {
            fill_box(build, entity);
        }
    }
    build->is_declaring = false;
}
