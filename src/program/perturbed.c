// SPDX-License-Identifier: Apache-2.0
// The perturbation system of a model: which deviations there are, their laws in symbols of their
// own, the matrix P of the first approximation, and whether it is all there is.

#include "program/program.h"

#include <math.h>
#include <string.h>

// --- what a law is made of -----------------------------------------------------------------------

static uint32_t link_of(const rh_program *program, rh_expr symbol)
{
    const rh_store *store = program->store;
    const rh_equations *equations = program->equations;
    const rh_family_def *wanted = rh__family_def(store, rh__expr_family(store, symbol));
    const uint32_t member = rh__expr_member(store, symbol);
    uint32_t k = 0;
    while (k < equations->links.count &&
           !(equations->links.data[k].constraint->row.member == member &&
             rh__slice_equal(equations->links.data[k].constraint->row.name, wanted->name))) {
        k++;
    }
    return k;
}

static const rh_program_law *law_of(const rh_program *program, uint32_t link)
{
    for (uint32_t k = 0; k < program->laws.count; k++) {
        if (program->laws.data[k].link == link) {
            return &program->laws.data[k];
        }
    }
    return NULL;
}

static rh_expr input_value(const rh_program *program, rh_expr symbol)
{
    const rh_model *model = program->equations->model;
    const rh_family family = rh__expr_family(program->store, symbol);
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        if (model->inputs.data[k].family.i == family.i && model->inputs.data[k].value.i != 0) {
            return model->inputs.data[k].value;
        }
    }
    return symbol;
}

// Deviations under a law become symbols of z; those of kept constraints are 0, all others what they
// stand for. Inputs with a formula become that.
static rh_expr replace(void *user, rh_store *store, rh_expr symbol)
{
    const rh_program *program = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_ROLE_INPUT) != 0) {
        return input_value(program, symbol);
    }
    if ((mask & RH_ROLE_DEVIATION) == 0) {
        return symbol;
    }
    const uint32_t at = link_of(program, symbol);
    const uint32_t primes = rh__family_def(store, rh__expr_family(store, symbol))->primes;
    if (at == program->equations->links.count) {
        return symbol; // one of z
    }
    const rh_link *link = &program->equations->links.data[at];
    const rh_program_law *law = law_of(program, at);
    if (law != NULL && primes < law->order) {
        return program->symbols[law->first + primes];
    }
    return rh__link_is_exact(link) || primes >= link->level_count ? rh__expr_integer(store, 0)
                                                                  : link->levels[primes];
}

static rh_expr zero_deviation(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    return (rh__expr_mask(store, symbol) & RH_ROLE_DEVIATION) != 0 ? rh__expr_integer(store, 0)
                                                                   : symbol;
}

// --- z -------------------------------------------------------------------------------------------

static rh_status add_variable(rh_program *program, const rh_link *link, uint32_t order,
                              uint32_t place)
{
    const rh_row *row = &link->constraint->row;
    rh_text text = rh__text_begin(&program->arena, NULL);
    rh__link_name(program->equations, link, &text);
    for (uint32_t k = 0; k < order; k++) {
        rh__text_put_char(&text, '\'');
    }
    const char *name =
        rh__text_print(&program->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    // a name that no model can have, so that it is nobody else's
    const char *own = rh__text_print(&program->arena, "program deviation %s", name);
    const rh_family_def def = {.name = rh__slice_of(own),
                               .mask = RH_EXPR_VARIABLE | RH_ROLE_DEVIATION};
    const rh_family family = rh__family_create(program->store, &def);
    (void)row;
    if (family.i == 0 || program->arena.status != RH_OK) {
        return program->arena.status != RH_OK ? program->arena.status : RH_E_MEMORY;
    }
    program->symbols[place] = rh__expr_symbol(program->store, family, 0);
    program->names[place] = name;
    return program->symbols[place].i != 0 ? RH_OK : RH_E_LIMIT;
}

rh_status rh__program_find(rh_program *program, rh_error *err)
{
    const rh_equations *equations = program->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!link->constraint->has_law || !rh__link_is_enforced(link)) {
            continue;
        }
        const rh_program_law law = {.link = k,
                                    .first = program->size,
                                    .order = link->level_count,
                                    .extremum = (double)NAN,
                                    .extremum_time = (double)NAN};
        program->size += law.order;
        if (program->size > RH_PROGRAM_MOST) {
            return rh__error_fill(err, RH_E_LIMIT,
                                  "there are more than %d deviations and derivatives of them",
                                  RH_PROGRAM_MOST);
        }
        if (!rh__array_push(&program->arena, &program->laws, law)) {
            return program->arena.status;
        }
    }
    return program->laws.count > 0
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE,
                                "no constraint of the model has a perturbation law: write "
                                "`constraint NAME: ... with NAME'' = -a0*NAME - a1*NAME'`");
}

static rh_status name_variables(rh_program *program)
{
    program->symbols = rh__arena_array(&program->arena, rh_expr, (size_t)program->size + 1);
    program->names = rh__arena_array(&program->arena, const char *, (size_t)program->size + 1);
    program->z = rh__arena_array(&program->arena, double, (size_t)program->size + 1);
    if (program->symbols == NULL || program->names == NULL || program->z == NULL) {
        return program->arena.status;
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        rh_program_law *law = &program->laws.data[k];
        const rh_link *link = &program->equations->links.data[law->link];
        for (uint32_t p = 0; p < law->order; p++) {
            RH_TRY(add_variable(program, link, p, law->first + p));
            RH_TRY(rh__point_evaluate(&program->start.point, &link->levels[p], 1, &program->scratch,
                                      &program->z[law->first + p]));
        }
        law->name = program->names[law->first];
    }
    return RH_OK;
}

// --- P -------------------------------------------------------------------------------------------

static bool push_entry(rh_program *program, uint32_t row, uint32_t column, rh_expr value)
{
    const rh_entry entry = {row, column, value};
    return rh__array_push(&program->arena, &program->entries, entry);
}

static uint32_t index_of(const rh_program *program, rh_expr symbol)
{
    uint32_t k = 0;
    while (k < program->size && program->symbols[k].i != symbol.i) {
        k++;
    }
    return k;
}

// The rows of one law: derivatives follow each other, the last is the law.
static rh_status add_rows(rh_program *program, rh_program_law *law)
{
    rh_store *store = program->store;
    const uint32_t last = law->first + law->order - 1;
    rh_gradient gradient = {NULL, 0};
    rh_expr rest = law->law;
    bool ok = true;
    for (uint32_t p = law->first; ok && p < last; p++) {
        ok = push_entry(program, p, p + 1, rh__expr_integer(store, 1));
    }
    ok = ok && rh__expr_gradient(store, law->law, RH_ROLE_DEVIATION, &program->arena, &gradient);
    for (uint32_t k = 0; ok && k < gradient.count; k++) {
        const rh_expr value =
            rh__derive_fold(program->equations, rh__expr_substitute(store, gradient.data[k].value,
                                                                    zero_deviation, NULL));
        const uint32_t column = index_of(program, gradient.data[k].symbol);
        ok = value.i != 0;
        if (ok && column < program->size && !rh__expr_is_zero(store, value)) {
            rest = rh__expr_subtract(store, rest,
                                     rh__expr_multiply(store, value, program->symbols[column]));
            ok = rest.i != 0 && push_entry(program, last, column, value);
        }
    }
    if (!ok) {
        return rh__program_refused(program);
    }
    law->rest = rest;
    return RH_OK;
}

// With all deviations zero the law must be zero: otherwise there were no equations. Is it proved?
static rh_status prove_vanishing(rh_program *program, rh_expr left, rh_program_law *law)
{
    bool is_zero = false;
    RH_TRY(rh__program_prove_zero(program, left, &is_zero));
    law->vanishing = is_zero ? RH_VANISHING_PROVED : RH_VANISHING_SAMPLED;
    return RH_OK;
}

// An rh_level_of: the deviations of laws are z, those of kept constraints 0.
static rh_expr level_of(void *user, uint32_t link, uint32_t level)
{
    const rh_program *program = user;
    const rh_program_law *law = law_of(program, link);
    return law == NULL          ? rh__expr_integer(program->store, 0)
           : level < law->order ? program->symbols[law->first + level]
                                : RH_EXPR_NONE;
}

rh_expr rh__program_restate(rh_program *program, rh_expr e)
{
    return rh__derive_restate(program->equations, e, level_of, program, &program->scratch);
}

rh_expr rh__program_in_deviations(rh_program *program, rh_expr e)
{
    return rh__expr_substitute(program->store, e, replace, program);
}

rh_expr rh__program_on(rh_program *program, rh_expr e)
{
    return rh__expr_substitute(program->store, e, zero_deviation, NULL);
}

// A law that vanishes where constraints give coordinates, or that has multiples of their left sides
// in it: these are deviations.
static rh_status bring_to_deviations(rh_program *program, rh_expr left, rh_expr *law)
{
    const rh_expr multiples =
        rh__derive_multiples(program->equations, left, level_of, program, &program->scratch);
    *law = multiples.i != 0 ? rh__expr_add(program->store,
                                           rh__expr_subtract(program->store, *law, left), multiples)
                            : rh__program_restate(program, *law);
    return law->i != 0 ? RH_OK : rh__program_refused(program);
}

static rh_status find_law(rh_program *program, rh_program_law *law)
{
    const rh_link *link = &program->equations->links.data[law->link];
    law->law = rh__program_in_deviations(program, link->constraint->law);
    rh_expr left = rh__program_on(program, law->law);
    if (law->law.i == 0 || left.i == 0) {
        return rh__program_refused(program);
    }
    if (!rh__derive_vanishes(program->equations, left, &program->scratch)) {
        RH_TRY(bring_to_deviations(program, left, &law->law));
        left = rh__program_on(program, law->law);
        if (left.i == 0) {
            return rh__program_refused(program);
        }
    }
    RH_TRY(prove_vanishing(program, left, law));
    return add_rows(program, law);
}

// --- parts ---------------------------------------------------------------------------------------

static uint32_t root_of(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

static bool is_moving(const rh_program *program, rh_expr e)
{
    return (rh__expr_mask(program->store, e) & RH_EXPR_VARIABLE) != 0;
}

// The entries of a part, by places in its own matrix.
static bool gather(rh_program *program, const uint32_t *local, rh_program_part *part)
{
    part->values = rh__arena_array(&program->arena, rh_expr, (size_t)program->entries.count + 1);
    part->places = rh__arena_array(&program->arena, uint32_t, (size_t)program->entries.count + 1);
    if (part->values == NULL || part->places == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < program->entries.count; k++) {
        const rh_entry *entry = &program->entries.data[k];
        if (local[entry->row] == 0) {
            continue;
        }
        part->values[part->value_count] = entry->value;
        part->places[part->value_count++] =
            local[entry->row] - 1 + (local[entry->column] - 1) * part->count;
        part->is_constant = part->is_constant && !is_moving(program, entry->value);
    }
    return true;
}

static rh_status add_part(rh_program *program, uint32_t *parent, uint32_t root)
{
    rh_program_part part = {.is_constant = true,
                            .verdict = RH_PROGRAM_INCONCLUSIVE,
                            .worst = (double)NAN,
                            .period = (double)NAN,
                            .multiplier = (double)NAN,
                            .worst_first = (double)NAN,
                            .amplification = (double)NAN,
                            .amplification_time = (double)NAN};
    const rh_mark mark = rh__arena_mark(&program->scratch);
    uint32_t *local = rh__arena_array(&program->scratch, uint32_t, (size_t)program->size + 1);
    part.index = rh__arena_array(&program->arena, uint32_t, (size_t)program->size + 1);
    if (local == NULL || part.index == NULL) {
        return rh__program_refused(program);
    }
    for (uint32_t k = 0; k < program->size; k++) {
        if (root_of(parent, k) == root) {
            part.index[part.count++] = k;
            local[k] = part.count;
        }
    }
    part.matrix = rh__arena_array(&program->arena, double, (size_t)part.count *part.count + 1);
    part.worst_point = rh__arena_array(&program->arena, double, RH_PROGRAM_DIMENSIONS);
    const bool ok = gather(program, local, &part) && part.matrix != NULL &&
                    part.worst_point != NULL &&
                    rh__array_push(&program->arena, &program->parts, part);
    rh__arena_rewind(&program->scratch, mark);
    return ok ? RH_OK : rh__program_refused(program);
}

rh_status rh__program_divide(rh_program *program)
{
    uint32_t *parent = rh__arena_array(&program->arena, uint32_t, (size_t)program->size + 1);
    if (parent == NULL) {
        return program->arena.status;
    }
    for (uint32_t k = 0; k < program->size; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < program->entries.count; k++) {
        const uint32_t a = root_of(parent, program->entries.data[k].row);
        const uint32_t b = root_of(parent, program->entries.data[k].column);
        parent[a > b ? a : b] = a < b ? a : b;
    }
    for (uint32_t k = 0; k < program->size; k++) {
        if (root_of(parent, k) == k) {
            RH_TRY(add_part(program, parent, k));
        }
    }
    return RH_OK;
}

// --- the whole ----------------------------------------------------------------------------------

static void find_kind(rh_program *program)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < program->entries.count; k++) {
        mask |= rh__expr_mask(program->store, program->entries.data[k].value);
    }
    const uint32_t state = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT;
    program->summary.kind = (mask & RH_EXPR_VARIABLE) == 0 ? RH_PROGRAM_CONSTANT
                            : (mask & state) == 0          ? RH_PROGRAM_TIMED
                                                           : RH_PROGRAM_STATED;
}

rh_status rh__program_perturb(rh_program *program)
{
    RH_TRY(name_variables(program));
    for (uint32_t k = 0; k < program->laws.count; k++) {
        RH_TRY(find_law(program, &program->laws.data[k]));
    }
    find_kind(program);
    return rh__program_divide(program);
}
