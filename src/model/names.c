// SPDX-License-Identifier: Apache-2.0
// Entities, their families and members, and how messages about them are put together.

#include "model/build.h"

#include <inttypes.h>
#include <string.h>

// --- messages --------------------------------------------------------------------------------

// The loop indices, ` (here i = 3, j = 4)`; empty outside loops.
static const char *show_env(rh_build *build, const rh_env *env)
{
    rh_text text = rh__text_begin(build->arena, NULL);
    uint32_t shown = 0;
    for (; env != NULL && shown < 4; env = env->outer) {
        int64_t index = 0;
        if (env->is_index && rh__expr_as_integer(build->store, env->value.scalar, &index)) {
            rh__text_format(&text, "%s%.*s = %" PRId64, shown++ == 0 ? " (here " : ", ",
                            RH_SLICE_FORMAT(env->name), index);
        }
    }
    rh__text_put(&text, shown > 0 ? ")" : "");
    return text.ok && text.data != NULL ? text.data : "";
}

// A loop makes the same mistake in every turn: say it for the first.
static bool is_repeated(rh_build *build, rh_diagnostic_code code, rh_span span)
{
    const uint64_t key = (uint64_t)code << 48 ^ (uint64_t)span.size << 32 ^ span.offset;
    for (uint32_t k = 0; k < build->reported.count; k++) {
        if (build->reported.data[k] == key) {
            return true;
        }
    }
    if (build->reported.count < 10 * RH_DIAGNOSTIC_LIMIT) {
        (void)rh__array_push(build->arena, &build->reported, key);
    }
    return false;
}

void rh__build_report(rh_build *build, rh_diagnostic_code code, rh_span span, const rh_env *env,
                      const char *format, ...)
{
    build->is_silent = is_repeated(build, code, span);
    if (build->is_silent) {
        return;
    }
    rh_text text = rh__text_begin(build->arena, NULL);
    va_list arguments;
    va_start(arguments, format);
    rh__text_format_list(&text, format, arguments);
    va_end(arguments);
    rh__diagnostics_add(&build->model->diagnostics, code, span, "%.*s%s",
                        RH_SLICE_FORMAT(rh__text_slice(&text)), show_env(build, env));
}

static const char *print(rh_build *build, const char *format, va_list arguments)
{
    rh_text text = rh__text_begin(build->arena, NULL);
    rh__text_format_list(&text, format, arguments);
    return text.ok && text.data != NULL ? text.data : "";
}

void rh__build_repair(rh_build *build, const char *format, ...)
{
    if (!build->is_silent) {
        va_list arguments;
        va_start(arguments, format);
        rh__diagnostics_repair(&build->model->diagnostics, "%s", print(build, format, arguments));
        va_end(arguments);
    }
}

void rh__build_note(rh_build *build, rh_span span, const char *format, ...)
{
    if (!build->is_silent) {
        va_list arguments;
        va_start(arguments, format);
        rh__diagnostics_note(&build->model->diagnostics, span, "%s",
                             print(build, format, arguments));
        va_end(arguments);
    }
}

const char *rh__build_quote(rh_build *build, rh_span span)
{
    enum { LONGEST = 40 };
    const rh_slice text = rh__source_slice(&build->model->source, span);
    const bool is_long = text.size > LONGEST || memchr(text.data, '\n', text.size) != NULL;
    size_t size = 0;
    while (size < text.size && size < LONGEST && text.data[size] != '\n') {
        size++;
    }
    while (is_long && size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80) {
        size--; // no half characters
    }
    return rh__text_print(build->arena, "%.*s%s", (int)size, text.data, is_long ? "..." : "");
}

void rh__build_stop(rh_build *build)
{
    build->is_stopped = true;
    build->is_starved = true;
}

// --- lost names ------------------------------------------------------------------------------

static void lose_name(rh_build *build, rh_slice name)
{
    if (!rh__build_is_lost(build, name) && !rh__table_insert(&build->lost, name, 0)) {
        rh__build_stop(build);
    }
}

void rh__build_lose(rh_build *build, const rh_tree *tree, rh_ast at)
{
    const rh_ast_kind kind = rh__tree_kind(tree, at);
    if (kind == RH_AST_NAME || kind == RH_AST_DECLARE) {
        lose_name(build, rh__tree_node(tree, at)->text);
    }
    for (rh_ast part = rh__tree_child(tree, at, 0); part.i != 0; part = rh__tree_next(tree, part)) {
        rh__build_lose(build, tree, part);
    }
}

bool rh__build_is_lost(const rh_build *build, rh_slice name)
{
    return rh__table_find(&build->lost, name) != NULL;
}

bool rh__build_has_gaps(const rh_build *build)
{
    return build->tree->lost.count > 0;
}

void rh__build_begin_lost(rh_build *build)
{
    build->lost = rh__table_begin(build->arena);
    for (uint32_t k = 0; k < build->tree->lost.count; k++) {
        lose_name(build, build->tree->lost.data[k]);
    }
}

// --- marks -----------------------------------------------------------------------------------

uint32_t rh__marks_get(const rh_marks *marks, rh_expr symbol)
{
    return symbol.i < marks->of.count ? marks->of.data[symbol.i] : 0;
}

void rh__marks_set(rh_build *build, rh_marks *marks, rh_expr symbol, uint32_t value)
{
    while (marks->of.count <= symbol.i) {
        if (!rh__array_push(build->arena, &marks->of, 0)) {
            rh__build_stop(build);
            return;
        }
    }
    RH_ASSERT(symbol.i < marks->of.count);
    marks->of.data[symbol.i] = value;
}

// --- entities --------------------------------------------------------------------------------

rh_entity *rh__build_entity(rh_build *build, uint32_t index)
{
    RH_ASSERT(index < build->entities.count);
    return &build->entities.data[index];
}

uint32_t rh__build_find(const rh_build *build, rh_slice name)
{
    const rh_table_entry *entry = rh__table_find(&build->names, name);
    return entry == NULL ? UINT32_MAX : entry->value;
}

const char *rh__entity_article(rh_entity_kind kind)
{
    switch (kind) {
    case RH_ENTITY_INPUT:
    case RH_ENTITY_EQUATION:
    case RH_ENTITY_EVENT:
    case RH_ENTITY_OBSERVE:
    case RH_ENTITY_BUILTIN:
        return "an";
    case RH_ENTITY_TIME:
        return "the";
    default:
        return "a";
    }
}

const char *rh__entity_word(rh_entity_kind kind)
{
    switch (kind) {
    case RH_ENTITY_PARAM:
        return "parameter";
    case RH_ENTITY_COORD:
        return "coordinate";
    case RH_ENTITY_STATE:
        return "state";
    case RH_ENTITY_INPUT:
        return "input";
    case RH_ENTITY_LET:
        return "let";
    case RH_ENTITY_FUNCTION:
        return "function";
    case RH_ENTITY_QUASI:
        return "quasi-velocity";
    case RH_ENTITY_CONSTRAINT:
        return "constraint";
    case RH_ENTITY_EQUATION:
        return "equation";
    case RH_ENTITY_EVENT:
        return "event";
    case RH_ENTITY_OBSERVE:
        return "observed quantity";
    case RH_ENTITY_TIME:
        return "time";
    case RH_ENTITY_BUILTIN:
        return "energy";
    }
    return "name";
}

uint32_t rh__entity_place(const rh_entity *entity, const int64_t *index)
{
    uint32_t place = 0;
    for (uint32_t d = 0; d < entity->dimensions; d++) {
        const int64_t offset = index[d] - entity->first[d];
        if (offset < 0 || offset >= (int64_t)entity->extent[d]) {
            return UINT32_MAX;
        }
        place = place * entity->extent[d] + (uint32_t)offset;
    }
    RH_ASSERT(place < entity->size);
    return place;
}

rh_member *rh__entity_member(rh_entity *entity, uint32_t place)
{
    if (place >= entity->size) {
        return NULL;
    }
    const uint32_t member = entity->slots == NULL ? place + 1 : entity->slots[place];
    return member == 0 || member > entity->members.count ? NULL : &entity->members.data[member - 1];
}

const char *rh__entity_show(rh_build *build, const rh_entity *entity, uint32_t place)
{
    RH_ASSERT(entity->dimensions <= RH_EXPR_DIMENSIONS);
    rh_text text = rh__text_begin(build->arena, NULL);
    rh__text_put_slice(&text, entity->name);
    int64_t index[RH_EXPR_DIMENSIONS] = {0};
    for (uint32_t d = entity->dimensions; d-- > 0;) {
        index[d] = entity->first[d] + place % entity->extent[d];
        place /= entity->extent[d];
    }
    for (uint32_t d = 0; d < entity->dimensions; d++) {
        rh__text_format(&text, "%s%" PRId64, d == 0 ? "[" : ",", index[d]);
    }
    rh__text_put(&text, entity->dimensions > 0 ? "]" : "");
    return text.ok && text.data != NULL ? text.data : "";
}

// --- families --------------------------------------------------------------------------------

// Roles and order in products, by what it is and how many primes it has.
static uint32_t role_of(rh_entity_kind kind, uint32_t primes)
{
    switch (kind) {
    case RH_ENTITY_PARAM:
        return RH_ROLE_PARAM;
    case RH_ENTITY_TIME:
        return RH_EXPR_VARIABLE | RH_ROLE_TIME;
    case RH_ENTITY_INPUT:
        return RH_EXPR_VARIABLE | RH_ROLE_INPUT;
    case RH_ENTITY_COORD: {
        static const uint32_t ROLES[] = {RH_ROLE_COORD, RH_ROLE_VELOCITY, RH_ROLE_ACCELERATION};
        return RH_EXPR_VARIABLE | (primes < 3 ? ROLES[primes] : (uint32_t)RH_ROLE_HIGHER);
    }
    case RH_ENTITY_STATE:
        return RH_EXPR_VARIABLE | (uint32_t)(primes == 0   ? RH_ROLE_STATE
                                             : primes == 1 ? RH_ROLE_RATE
                                                           : RH_ROLE_HIGHER);
    case RH_ENTITY_QUASI:
        return RH_EXPR_VARIABLE |
               (primes == 0 ? (uint32_t)RH_ROLE_VELOCITY : (uint32_t)RH_ROLE_ACCELERATION);
    case RH_ENTITY_CONSTRAINT:
        return RH_EXPR_VARIABLE | RH_ROLE_DEVIATION;
    default:
        return RH_EXPR_VARIABLE | RH_ROLE_LOCAL;
    }
}

static uint8_t sort_of(rh_entity_kind kind, uint32_t primes)
{
    const uint8_t base = kind == RH_ENTITY_PARAM        ? 0
                         : kind == RH_ENTITY_TIME       ? 10
                         : kind == RH_ENTITY_INPUT      ? 20
                         : kind == RH_ENTITY_COORD      ? 30
                         : kind == RH_ENTITY_STATE      ? 30
                         : kind == RH_ENTITY_CONSTRAINT ? 50
                                                        : 60;
    return (uint8_t)(base + primes);
}

static rh_family make_family(rh_build *build, uint32_t entity, uint32_t primes, rh_slice name,
                             uint32_t mask, uint8_t sort)
{
    const rh_entity *owner = rh__build_entity(build, entity);
    rh_family_def def = {.name = name,
                         .dimensions = owner->dimensions,
                         .primes = (uint8_t)primes,
                         .sort = sort,
                         .mask = mask};
    for (uint32_t d = 0; d < owner->dimensions; d++) {
        def.first[d] = owner->first[d];
        def.extent[d] = owner->extent[d];
    }
    const rh_family family = rh__family_create(build->store, &def);
    const rh_owner record = {entity, primes};
    while (family.i != 0 && build->owners.count <= family.i) {
        if (!rh__array_push(build->arena, &build->owners, record)) {
            return (rh_family){0};
        }
    }
    RH_ASSERT(family.i == 0 || build->owners.data[family.i].entity == entity);
    return family;
}

rh_family rh__build_family(rh_build *build, uint32_t entity, uint32_t primes)
{
    rh_entity *owner = rh__build_entity(build, entity);
    if (primes > RH_EXPR_PRIMES || owner->size == 0) {
        return (rh_family){0};
    }
    if (owner->families[primes].i == 0) {
        const rh_family family =
            make_family(build, entity, primes, owner->name, role_of(owner->kind, primes),
                        sort_of(owner->kind, primes));
        rh__build_entity(build, entity)->families[primes] = family;
        return family;
    }
    return owner->families[primes];
}

static rh_family make_special(rh_build *build, uint32_t entity, const char *prefix, uint32_t primes,
                              uint32_t role)
{
    RH_ASSERT(primes <= RH_EXPR_PRIMES);
    const rh_entity *owner = rh__build_entity(build, entity);
    const char *name =
        rh__text_print(build->arena, "%s.%.*s", prefix, RH_SLICE_FORMAT(owner->name));
    return make_family(build, entity, primes, rh__slice_of(name), role, (uint8_t)(70 + primes));
}

rh_family rh__build_multiplier(rh_build *build, uint32_t entity)
{
    RH_ASSERT(rh__build_entity(build, entity)->kind == RH_ENTITY_CONSTRAINT);
    if (rh__build_entity(build, entity)->multiplier.i == 0) {
        const rh_family family =
            make_special(build, entity, "lambda", 0, RH_EXPR_VARIABLE | RH_ROLE_MULTIPLIER);
        rh__build_entity(build, entity)->multiplier = family;
    }
    return rh__build_entity(build, entity)->multiplier;
}

rh_family rh__build_multiplier_rate(rh_build *build, uint32_t entity)
{
    RH_ASSERT(rh__build_entity(build, entity)->kind == RH_ENTITY_CONSTRAINT);
    if (rh__build_entity(build, entity)->multiplier_rate.i == 0) {
        const rh_family family =
            make_special(build, entity, "lambda", 1, RH_EXPR_VARIABLE | RH_ROLE_RATE);
        rh__build_entity(build, entity)->multiplier_rate = family;
    }
    return rh__build_entity(build, entity)->multiplier_rate;
}

rh_family rh__build_constant(rh_build *build, uint32_t entity)
{
    if (rh__build_entity(build, entity)->constant.i == 0) {
        const rh_family family = make_special(build, entity, "const", 0, RH_ROLE_CONSTANT);
        rh__build_entity(build, entity)->constant = family;
    }
    return rh__build_entity(build, entity)->constant;
}

rh_owner rh__build_owner(const rh_build *build, rh_family family)
{
    RH_ASSERT(family.i < build->owners.count);
    return build->owners.data[family.i];
}
