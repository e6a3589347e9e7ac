// SPDX-License-Identifier: Apache-2.0
// The metric in which projection is shortest: that of the kinetic energy. Moved by M^-1 J^T, x goes
// where the reactions of the constraints would push it, and what the motion has along the
// constraints (its energy, its momenta) stays as it is. States, and what has no mass, have the
// metric 1.

#include "motion/motion.h"

#include <math.h>

typedef struct listing {
    const rh_system *system;
    rh_arena *arena, *scratch;
    rh_project_stage *stage;
    uint32_t *column_of; // by index into x: column + 1
    rh_expr_list values;
    RH_ARRAY(uint32_t) row;
    RH_ARRAY(uint32_t) column;
} listing;

// The column of member `index` of a part of x, plus 1; 0: there is none.
static uint32_t column_of(const listing *in, rh_range part, uint32_t index)
{
    const uint32_t x = part.first + index;
    const bool is_state =
        index < part.count &&
        (rh__expr_mask(in->system->equations->store, in->system->x.data[x]) & RH_ROLE_STATE) != 0;
    return index < part.count && !is_state ? in->column_of[x] : 0;
}

static bool list_entries(listing *in, const rh_grid *grid, rh_range part)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        const uint32_t row = column_of(in, part, entry->row);
        const uint32_t column = column_of(in, part, entry->column);
        ok = row == 0 || column == 0 ||
             (rh__array_push(in->scratch, &in->values, entry->value) &&
              rh__array_push(in->arena, &in->row, row - 1) &&
              rh__array_push(in->arena, &in->column, column - 1));
    }
    return ok;
}

static rh_status list_metric(listing *in, bool is_second)
{
    const rh_system *system = in->system;
    const rh_project_stage *stage = in->stage;
    in->column_of = rh__arena_array(in->scratch, uint32_t, (size_t)system->x.count + 1);
    if (in->column_of == NULL) {
        return in->scratch->status;
    }
    for (uint32_t k = 0; k < stage->columns; k++) {
        in->column_of[stage->x_index[k]] = k + 1;
    }
    // the rates of the form stand first among its unknowns, and their equations among its rows
    const bool ok = is_second ? list_entries(in, &system->form.matrix, system->variables)
                              : list_entries(in, &system->equations->inertia, system->coordinates);
    return ok ? RH_OK : RH_E_MEMORY;
}

rh_status rh__inertia_create(const rh_system *system, bool is_second, rh_arena *arena,
                             rh_project_stage *stage, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
    listing in = {.system = system, .arena = arena, .scratch = &scratch, .stage = stage};
    rh_status status = list_metric(&in, is_second);
    if (status == RH_OK && in.values.count > 0) {
        stage->metric_row = in.row.data;
        stage->metric_column = in.column.data;
        stage->metric_count = in.values.count;
        status = rh__system_extra(system, in.values.data, in.values.count, &stage->metric, err);
    }
    rh__arena_end(&scratch);
    if (status == RH_OK && stage->metric != NULL) {
        status = rh__tape_state_create(stage->metric, 0, arena->allocator, &stage->metric_state);
    }
    return status;
}

void rh__inertia_fill(rh_project_stage *stage, const double *inputs, bool is_plain)
{
    const uint32_t n = stage->columns;
    double *entries = stage->triplets + n;
    for (uint32_t k = 0; k < n; k++) {
        stage->triplets[k] = stage->mass[k] = 0.0;
    }
    if (!is_plain && stage->metric != NULL) {
        double *own = rh__jet_row(stage->metric_state, 0);
        for (uint32_t k = 0; k <= stage->x_count; k++) {
            own[k] = inputs[k];
        }
        rh__tape_run(stage->metric_state);
    }
    for (uint32_t k = 0; k < stage->metric_count; k++) {
        const bool is_own = stage->metric_row[k] == stage->metric_column[k];
        entries[k] = is_plain ? 0.0 : rh__tape_output(stage->metric_state, k, 0);
        stage->mass[stage->metric_row[k]] += is_own ? entries[k] : 0.0;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!(stage->mass[k] > 0.0)) {
            stage->triplets[k] = 1.0 - stage->mass[k];
            stage->mass[k] = 1.0;
        }
    }
}
