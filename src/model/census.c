// SPDX-License-Identifier: Apache-2.0
// The census of a model: how many rows it has of each kind, and how many shapes (expr.h) they have.
// A model written with loops has few shapes, whatever the bounds of its loops.

#include "model/describe.h"

#include "model/listing.h"

#include <stdlib.h>

// The shapes of rows, each row by the hash of the shapes of its expressions.
typedef struct census {
    const rh_store *store;
    rh_arena *arena;
    RH_ARRAY(uint64_t) rows;
    bool ok;
} census;

static uint64_t mix_shape(const census *all, uint64_t hash, rh_expr e)
{
    const uint32_t shape = e.i == 0 ? 0 : rh__expr_shape(all->store, e).i;
    return rh__hash_mix(hash ^ shape) + 1;
}

static uint64_t mix_components(const census *all, uint64_t hash, const rh_component *items,
                               uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        hash = mix_shape(all, mix_shape(all, hash, items[k].target), items[k].value);
    }
    return hash;
}

static void count_row(census *all, uint64_t hash)
{
    all->ok = all->ok && rh__array_push(all->arena, &all->rows, hash);
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Write the line of a kind and begin the next one.
static void close_kind(census *all, const char *kind, rh_text *out)
{
    uint64_t *rows = all->rows.data;
    const uint32_t count = all->rows.count;
    uint32_t shapes = 0;
    if (count > 0) {
        qsort(rows, count, sizeof *rows, compare_hashes);
    }
    for (uint32_t k = 0; k < count; k++) {
        shapes += k == 0 || rows[k] != rows[k - 1];
    }
    rh__text_format(out, "  %-13s %u row%s, %u shape%s\n", kind, (unsigned)count,
                    count == 1 ? "" : "s", (unsigned)shapes, shapes == 1 ? "" : "s");
    all->rows.count = 0;
}

static void count_terms(census *all, const rh_model *model, const rh_formula *formulas,
                        uint32_t count, uint64_t kind)
{
    for (uint32_t k = 0; all->ok && k < count; k++) {
        rh_expr_list terms;
        all->ok = rh__digest_terms(model->store, formulas[k].expr, all->arena, &terms);
        for (uint32_t j = 0; all->ok && j < terms.count; j++) {
            count_row(all, mix_shape(all, kind, terms.data[j]));
        }
    }
}

static void count_forces(census *all, const rh_model *model)
{
    for (uint32_t k = 0; k < model->forces.count; k++) {
        const rh_force *force = &model->forces.data[k];
        count_row(all, mix_shape(all, mix_shape(all, 1, force->target), force->value));
    }
    for (uint32_t k = 0; k < model->loads.count; k++) {
        const rh_load *load = &model->loads.data[k];
        uint64_t hash = load->is_torque ? 2 : 3;
        for (uint32_t j = 0; j < (load->is_torque ? 9 : load->length); j++) {
            hash = mix_shape(all, hash, load->place[j]);
        }
        for (uint32_t j = 0; j < load->length; j++) {
            hash = mix_shape(all, hash, load->value[j]);
        }
        count_row(all, hash);
    }
}

static void count_constraints(census *all, const rh_model *model)
{
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        const rh_constraint *row = &model->constraints.data[k];
        uint64_t hash = (uint64_t)row->is_one_sided << 8 | (uint64_t)row->by;
        hash = mix_shape(all, hash, row->deviation);
        hash = mix_shape(all, hash, row->impact);
        hash = mix_shape(all, hash, row->condition);
        hash = mix_shape(all, hash, row->argument);
        hash = mix_shape(all, hash, row->law);
        count_row(all, mix_components(all, hash, row->components, row->component_count));
    }
}

bool rh__model_census(const rh_model *model, rh_arena *scratch, rh_text *out)
{
    census all = {.store = model->store, .arena = scratch, .ok = true};
    rh__text_put(out, "\nshapes\n");
    count_terms(&all, model, model->kinetic.data, model->kinetic.count, 1);
    count_terms(&all, model, model->potential.data, model->potential.count, 2);
    count_terms(&all, model, model->dissipation.data, model->dissipation.count, 3);
    count_terms(&all, model, model->lagrangian.data, model->lagrangian.count, 4);
    close_kind(&all, "energy terms", out);
    count_forces(&all, model);
    close_kind(&all, "forces", out);
    for (uint32_t k = 0; k < model->laws.count; k++) {
        const rh_law *law = &model->laws.data[k];
        const uint64_t left = mix_shape(&all, mix_shape(&all, 1, law->inertia), law->target);
        count_row(&all, mix_shape(&all, left, law->value));
    }
    close_kind(&all, "laws", out);
    for (uint32_t k = 0; k < model->equations.count; k++) {
        const rh_equation *equation = &model->equations.data[k];
        count_row(&all, mix_shape(&all, mix_shape(&all, 1, equation->left), equation->right));
    }
    close_kind(&all, "equations", out);
    count_constraints(&all, model);
    close_kind(&all, "constraints", out);
    return all.ok;
}
