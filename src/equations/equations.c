// SPDX-License-Identifier: Apache-2.0
// Making equations: PASSES lists the way from a model to its core (M, h, C, B, Y, gamma).

#include "equations/derive.h"

#include <stdlib.h>

enum { FOLD_LIMIT = 256 }; // terms of an expanded expression that are still looked at

// --- the inertia and force, put together -------------------------------------------------------

static int compare_rows(const void *left, const void *right)
{
    const rh_entry *a = left;
    const rh_entry *b = right;
    return a->row != b->row ? (a->row < b->row ? -1 : 1)
                            : (a->value.i < b->value.i ? -1 : a->value.i > b->value.i);
}

// The sum of the entries of each row.
static rh_expr *add_rows(rh_derive *derive, rh_entry *entries, uint32_t count)
{
    rh_equations *equations = derive->equations;
    const uint32_t carriers = equations->carriers.count;
    rh_expr *sums = rh__arena_array(derive->arena, rh_expr, carriers);
    rh_expr *terms = rh__arena_array(&derive->scratch, rh_expr, count);
    if (sums == NULL || terms == NULL) {
        return NULL;
    }
    if (count > 0) {
        qsort(entries, count, sizeof *entries, compare_rows);
    }
    for (uint32_t row = 0, k = 0; row < carriers; row++) {
        uint32_t size = 0;
        while (k < count && entries[k].row == row) {
            terms[size++] = entries[k++].value;
        }
        sums[row] = rh__derive_fold(equations, rh__expr_sum(derive->store, terms, size));
    }
    return sums;
}

static rh_status collect(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    const uint32_t n = equations->carriers.count;
    // in the lasting arena only what is kept
    rh_grid *const grids[] = {&derive->inertia, &derive->other};
    rh_grid *const kept[] = {&equations->inertia, &equations->other};
    for (uint32_t g = 0; g < 2; g++) {
        for (uint32_t k = 0; k < grids[g]->entries.count; k++) {
            const rh_entry *entry = &grids[g]->entries.data[k];
            if (!rh__grid_push(derive->arena, kept[g], entry->row, entry->column, entry->value)) {
                return rh__derive_refused(derive);
            }
        }
        if (!rh__grid_finish(equations, derive->arena, kept[g], n, n)) {
            return rh__derive_refused(derive);
        }
    }
    equations->force = add_rows(derive, derive->forces.data, derive->forces.count);
    equations->rest = add_rows(derive, derive->rest.data, derive->rest.count);
    return equations->force != NULL && equations->rest != NULL ? RH_OK : rh__derive_refused(derive);
}

// --- passes ------------------------------------------------------------------------------------

typedef struct pass {
    const char *name;
    rh_status (*run)(rh_derive *derive);
} pass;

static const pass PASSES[] = {
    {"carriers", rh__derive_carriers},   // whose rates are unknown
    {"motion", rh__derive_motion},       // energies, laws, equations
    {"forces", rh__derive_forces},       // everything that is no energy
    {"collect", collect},                // M and h
    {"levels", rh__derive_levels},       // C and gamma
    {"pushes", rh__derive_pushes},       // B
    {"laws", rh__derive_laws},           // Y
    {"construct", rh__derive_construct}, // h of a motion made from its program
    {"control", rh__derive_control},     // can the reactions keep the constraints at all?
    {"combine", rh__derive_combine},     // hidden levels of combinations of rows
};

static rh_status derive_all(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    equations->folder = rh__folder_create(derive->store, derive->arena, FOLD_LIMIT);
    if (equations->folder == NULL) {
        return RH_E_MEMORY;
    }
    for (size_t k = 0; k < sizeof PASSES / sizeof *PASSES; k++) {
        RH_TRY(PASSES[k].run(derive));
        RH_TRY(rh__derive_refused(derive));
        if (equations->diagnostics.error_count > 0 || derive->is_stuck) {
            break;
        }
    }
    rh__diagnostics_sort(&equations->diagnostics);
    equations->is_sound = equations->diagnostics.error_count == 0 && !derive->is_stuck;
    return equations->is_sound ? RH_OK : RH_E_MODEL;
}

static rh_status build(rh_arena *arena, const rh_model *model, const rh_equations_def *def,
                       rh_equations **out)
{
    rh_equations *equations = rh__arena_new(arena, rh_equations);
    if (equations == NULL) {
        return arena->status;
    }
    equations->arena = *arena;
    equations->model = model;
    equations->store = model->store;
    equations->has_presolve = def->has_presolve;
    equations->is_start_repaired =
        def->struct_size >= offsetof(rh_equations_def, is_start_repaired) + sizeof(bool) &&
        def->is_start_repaired;
    equations->diagnostics = rh__diagnostics_begin(&equations->arena);
    rh_derive derive = {.equations = equations,
                        .model = model,
                        .store = model->store,
                        .arena = &equations->arena,
                        .scratch = rh__arena_begin(model->arena.allocator, model->arena.limit)};
    const rh_status status = derive_all(&derive);
    rh__arena_end(&derive.scratch);
    *arena = equations->arena; // what a failure must give back
    *out = equations;
    return status;
}

rh_status rh_equations_create(const rh_model *model, const rh_equations_def *def,
                              rh_equations **out, rh_error *err)
{
    RH_REQUIRE(model != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size != 0, err);
    *out = NULL;
    if (!model->is_sound) {
        return rh__error_fill(err, RH_E_ARGUMENT, "equations need a model without errors");
    }
    rh_arena arena = rh__arena_begin(model->arena.allocator, model->arena.limit);
    const rh_status status = rh__guard_settle(arena.allocator, build(&arena, model, def, out));
    if (status != RH_OK && status != RH_E_MODEL) {
        if (*out != NULL) {
            rh__folder_destroy((*out)->folder);
        }
        rh__arena_end(&arena);
        *out = NULL;
    }
    if (status == RH_OK) {
        return status;
    }
    (void)rh__error_fill(err, status, "%s", rh_status_text(status));
    return status == RH_E_MODEL ? status : rh__guard_explain(arena.allocator, status, err);
}

void rh_equations_destroy(rh_equations *equations)
{
    if (equations != NULL) {
        rh__folder_destroy(equations->folder);
        rh_arena arena = equations->arena;
        rh__arena_end(&arena);
    }
}

size_t rh_equations_diagnostic_count(const rh_equations *equations)
{
    return equations == NULL ? 0 : equations->diagnostics.remarks.count;
}

rh_diagnostic rh_equations_diagnostic(const rh_equations *equations, size_t index)
{
    return rh__model_remark(equations->model, &equations->diagnostics.remarks.data[index]);
}
