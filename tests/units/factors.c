// SPDX-License-Identifier: Apache-2.0
// A rewritten text with numbers for its factors, and what they make of columns of results.

#include "names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *units_kind_word(units_kind kind)
{
    static const char *const WORDS[] = {"one", "all", "time", "mass", "link"};
    return WORDS[kind];
}

bool units_begin(units_text *it, const char *path)
{
    *it = (units_text){.arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4)};
    size_t size = 0;
    it->original = support_read(path, &size);
    it->source = rh__source_begin(&it->arena);
    it->out = rh__text_begin(&it->arena, NULL);
    rh_diagnostics remarks = rh__diagnostics_begin(&it->arena);
    if (!rh__source_add(&it->source, path, rh__slice_of(it->original)) ||
        rh__tree_parse(&it->source, 0, &it->arena, &remarks, &it->tree) != RH_OK) {
        it->refusal = "the text cannot be parsed";
        return false;
    }
    units_name_all(it, path);
    if (it->refusal == NULL) {
        units_rewrite(it);
    }
    return it->refusal == NULL;
}

void units_end(units_text *it)
{
    free(it->original);
    rh__arena_end(&it->arena);
    *it = (units_text){.refusal = "ended"};
}

// --- numbers -----------------------------------------------------------------------------------

// Thirds of the power by which the variable of this index is changed.
static int32_t thirds_of(const units_text *it, const units_change *change, uint32_t variable)
{
    static const int32_t THIRDS[] = {3, -3, 1, -2, 2, -1};
    if (change->kind == UNITS_ONE) {
        return variable == change->which ? 3 : 0;
    }
    if (change->kind != UNITS_ALL) {
        return 0;
    }
    return it->is_whole ? 3 : THIRDS[variable % 6];
}

double units_power(const units_change *change, double exponent)
{
    return change->base == 2 && change->under == 1
               ? ldexp(1.0, (int)lround(change->power * exponent))
               : pow((double)change->base / change->under, change->power * exponent);
}

static double symbol_of(const units_change *change, units_kind kind)
{
    return change->kind == kind ? units_power(change, 1.0) : 1.0;
}

double units_of_time(const units_change *change)
{
    return 1.0 / symbol_of(change, UNITS_TIME);
}

double units_of_energy(const units_change *change)
{
    return symbol_of(change, UNITS_MASS);
}

double units_of_quasi(const units_change *change)
{
    return symbol_of(change, UNITS_TIME);
}

double units_of_deviation(const units_change *change)
{
    return symbol_of(change, UNITS_LINK);
}

// The name of a column without index and primes.
static const units_name *bare(const units_text *it, const char *column)
{
    const rh_slice name = {.data = column, .size = strcspn(column, "['")};
    return units_name_find(it, name);
}

double units_of_variable(const units_text *it, const units_change *change, const char *column)
{
    const units_name *name = bare(it, column);
    if (name == NULL || name->role > UNITS_STATE) {
        return 1.0;
    }
    return units_power(change, -thirds_of(it, change, name->variable) / 3.0);
}

double units_of_named(const units_text *it, const units_change *change, const char *name)
{
    const units_name *found = bare(it, name);
    return found != NULL && found->role == UNITS_QUASI ? units_of_quasi(change)
                                                       : units_of_variable(it, change, name);
}

double units_of_velocity(const units_text *it, const units_change *change, const char *column)
{
    return units_of_variable(it, change, column) * symbol_of(change, UNITS_TIME);
}

double units_of_multiplier(const units_text *it, const units_change *change, const char *column)
{
    const units_name *name = bare(it, column + strlen("lambda."));
    if (name == NULL) {
        return 1.0;
    }
    switch (change->kind) {
    case UNITS_TIME:
        return units_power(change, name->time_power);
    case UNITS_LINK:
        return units_power(change, name->link_power);
    case UNITS_MASS:
        return units_power(change, name->mass_power);
    default:
        return units_power(change, name->whole_power);
    }
}

// --- text --------------------------------------------------------------------------------------

bool units_applies(const units_text *it, const units_change *change)
{
    bool has_constraint = false;
    for (uint32_t k = 0; k < it->name_count; k++) {
        has_constraint = has_constraint || it->names[k].role == UNITS_CONSTRAINT;
    }
    switch (change->kind) {
    case UNITS_ONE:
        return change->which < it->variable_count && (!it->is_whole || it->variable_count == 1);
    case UNITS_ALL:
        return it->variable_count > 1;
    case UNITS_LINK:
        return has_constraint;
    default:
        return true;
    }
}

static void put_value(rh_text *out, const char *symbol, const units_change *change, int32_t thirds)
{
    rh__text_format(out, "param %s = (%u/%u)^(%d)\n", symbol, change->base, change->under,
                    (int)(change->power * thirds / 3));
}

char *units_write(const units_text *it, const units_change *change)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
    rh_text out = rh__text_begin(&arena, NULL);
    rh__text_put_slice(&out, rh__text_slice(&it->out));
    rh__text_put(&out, "\n");
    for (uint32_t k = 0; k < it->variable_count; k++) {
        char symbol[32];
        (void)snprintf(symbol, sizeof symbol, "unit_%u", k + 1);
        put_value(&out, symbol, change, thirds_of(it, change, k));
    }
    put_value(&out, "unit_time", change, change->kind == UNITS_TIME ? 3 : 0);
    put_value(&out, "unit_mass", change, change->kind == UNITS_MASS ? 3 : 0);
    put_value(&out, "unit_link", change, change->kind == UNITS_LINK ? 3 : 0);
    const rh_slice text = rh__text_slice(&out);
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    rh__arena_end(&arena);
    return copy;
}
