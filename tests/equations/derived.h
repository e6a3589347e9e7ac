// SPDX-License-Identifier: Apache-2.0
// What the tests of `equations` share: a model with its equations, layout and start, symbols found
// by their names, forms made and solved, reactions by carrier.

#pragma once

#include "support.h"

#include "equations/equations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- models --------------------------------------------------------------------------------------

/// What a model is made with besides its text.
typedef struct conditions {
    const char *set[8];
    const char *start[16];
    uint32_t set_count, start_count;
    bool is_plain;    // without presolve
    bool is_repaired; // a start that violates constraints is moved
} conditions;

typedef struct derived {
    rh_model *model;
    rh_equations *equations;
    rh_arena arena;
    rh_layout layout;
    rh_diagnostics diagnostics; // of the start
    rh_start start;
} derived;

static inline void print_model_remarks(const rh_model *model)
{
    for (size_t k = 0; k < rh_model_diagnostic_count(model); k++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, k);
        print_error("%u:%u: %s: %s\n", remark.at.line, remark.at.column, remark.code,
                    remark.message);
    }
}

static inline rh_model *make_model(const char *text, const conditions *with)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = with->set;
    def.set_count = with->set_count;
    def.start = with->start;
    def.start_count = with->start_count;
    rh_model *model = NULL;
    if (rh_model_create(&def, &model, NULL) != RH_OK) {
        print_model_remarks(model);
        print_error("in:\n%s\n", text);
        fail();
    }
    return model;
}

/// Equations and nothing more; the status is that of rh_equations_create.
static inline rh_status derive_only(const char *text, const conditions *with, derived *out)
{
    *out = (derived){.model = make_model(text, with)};
    rh_equations_def def = rh_equations_def_default();
    def.has_presolve = !with->is_plain;
    def.is_start_repaired = with->is_repaired;
    return rh_equations_create(out->model, &def, &out->equations, NULL);
}

/// Equations and the start, which may contradict itself.
static inline derived derive_any(const char *text, const conditions *with)
{
    derived it;
    const rh_status status = derive_only(text, with, &it);
    if (status != RH_OK) {
        for (size_t k = 0; k < rh_equations_diagnostic_count(it.equations); k++) {
            const rh_diagnostic remark = rh_equations_diagnostic(it.equations, k);
            print_error("%u:%u: %s: %s\n", remark.at.line, remark.at.column, remark.code,
                        remark.message);
        }
        fail_msg("%s, in:\n%s", rh_status_text(status), text);
    }
    it.arena = rh__arena_begin(rh_allocator_default(), (size_t)2 << 30);
    assert_int_equal(rh__layout_create(it.equations, &it.arena, &it.layout), RH_OK);
    return it;
}

static inline void find_start(derived *it)
{
    it->diagnostics = rh__diagnostics_begin(&it->arena);
    assert_int_equal(
        rh__start_find(it->equations, &it->layout, &it->arena, &it->diagnostics, &it->start),
        RH_OK);
}

static inline void print_start_remarks(const derived *it)
{
    for (uint32_t k = 0; k < it->diagnostics.remarks.count; k++) {
        print_error("%s: %s\n", rh__diagnostic_name(it->diagnostics.remarks.data[k].code),
                    it->diagnostics.remarks.data[k].message);
    }
}

/// Equations and a consistent start. The layout must not move afterwards: give its address.
static inline void derive_sound(const char *text, const conditions *with, derived *out)
{
    *out = derive_any(text, with);
    find_start(out);
    if (!out->start.is_consistent || out->diagnostics.remarks.count > 0) {
        print_start_remarks(out);
        fail_msg("the start is not sound, in:\n%s", text);
    }
}

static inline void derived_end(derived *it)
{
    rh_equations_destroy(it->equations);
    rh__arena_end(&it->arena);
    rh_model_destroy(it->model);
}

// --- names ---------------------------------------------------------------------------------------

static inline void name_symbol(const derived *it, rh_expr symbol, char *out, size_t size)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_text text = rh__text_begin(&scratch, NULL);
    const rh_store *store = it->equations->store;
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    (void)snprintf(out, size, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    rh__arena_end(&scratch);
}

/// The symbol of the layout with this name, for example x[3]''.
static inline rh_expr symbol_named(const derived *it, const char *name)
{
    char other[256];
    for (uint32_t k = 0; k < it->layout.symbols.count; k++) {
        name_symbol(it, it->layout.symbols.data[k], other, sizeof other);
        if (strcmp(name, other) == 0) {
            return it->layout.symbols.data[k];
        }
    }
    fail_msg("there is no symbol %s", name);
    return RH_EXPR_NONE;
}

static inline double value_named(const derived *it, const rh_point *point, const char *name)
{
    return rh__point_get(point, symbol_named(it, name));
}

/// The index of the link of the constraint with this name.
static inline uint32_t link_named(const derived *it, const char *name)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < it->equations->links.count; k++) {
        rh_text text = rh__text_begin(&scratch, NULL);
        rh__link_name(it->equations, &it->equations->links.data[k], &text);
        found = rh__slice_is(rh__text_slice(&text), name) ? k : found;
    }
    rh__arena_end(&scratch);
    if (found == UINT32_MAX) {
        fail_msg("there is no constraint %s", name);
    }
    return found;
}

/// The index of the carrier of a coordinate or a selected state.
static inline uint32_t carrier_named(const derived *it, const char *name)
{
    char other[256];
    for (uint32_t k = 0; k < it->equations->carriers.count; k++) {
        const rh_carrier *carrier = &it->equations->carriers.data[k];
        name_symbol(it, carrier->position.i != 0 ? carrier->position : carrier->variable, other,
                    sizeof other);
        if (strcmp(name, other) == 0) {
            return k;
        }
    }
    fail_msg("nothing carries %s", name);
    return 0;
}

// --- forms ---------------------------------------------------------------------------------------

static const char *const FORM_NAMES[] = {"free", "multipliers", "reduced", "principal", "quasi"};

enum { FORM_COUNT = 5 };

/// A copy of a point, so that solving leaves the original as it is.
static inline rh_point copy_point(derived *it, const rh_point *from)
{
    rh_point copy;
    assert_int_equal(rh__point_create(&it->layout, &it->arena, &copy), RH_OK);
    memcpy(copy.values, from->values, it->layout.symbols.count * sizeof(double));
    return copy;
}

static inline double value_at(derived *it, const rh_point *point, rh_expr e)
{
    double value = NAN;
    assert_int_equal(rh__point_evaluate(point, &e, 1, &it->arena, &value), RH_OK);
    return value;
}

/// The smallest pivot of a form at a point, at most 1; 0 where one is not finite. The form is valid
/// where it is not zero, and loses digits where it is small.
static inline double smallest_pivot(derived *it, const rh_form *form, const rh_point *point)
{
    double smallest = 1.0;
    for (uint32_t k = 0; k < form->pivots.count; k++) {
        const double pivot = fabs(value_at(it, point, form->pivots.data[k]));
        smallest = isfinite(pivot) ? fmin(smallest, pivot) : 0.0;
    }
    return smallest;
}

/// B lambda by carrier, with the multipliers that stand in the point.
static inline double reaction_at(derived *it, const rh_point *point, uint32_t carrier)
{
    double sum = 0.0;
    const rh_grid *push = &it->equations->push;
    for (uint32_t k = 0; k < push->entries.count; k++) {
        const rh_entry *entry = &push->entries.data[k];
        if (entry->column == carrier) {
            sum += value_at(it, point, entry->value) *
                   rh__point_get(point, it->equations->links.data[entry->row].multiplier);
        }
    }
    return sum;
}
