// SPDX-License-Identifier: Apache-2.0
// Projection: after a step x is moved back onto every level of the constraints
// that are kept, first positions and states, then velocities and states:
//     [W  J^T ] [dx]   [ 0 ]
//     [J  -eps] [y ] = [-g ],    eps relative to J W^-1 J^T,
// W being the metric of the kinetic energy (inertia.c). That is regular for
// redundant rows too. The corrections are of the size of rounding.

#include "motion/motion.h"

#include <math.h>

enum { CORRECTIONS = 3 };

#define SOFT 1e-11   // eps
#define ENOUGH 1e-12 // residual with which the metric has served

// --- what is kept
// --------------------------------------------------------------------------------

static rh_expr through_form(void *user, rh_store *store, rh_expr symbol)
{
    (void)store;
    const rh_form *form = user;
    for (uint32_t k = 0; k < form->velocities.count; k++) {
        if (form->velocities.data[k].symbol.i == symbol.i) {
            return form->velocities.data[k].value;
        }
    }
    return symbol;
}

typedef struct building {
    rh_system *system;
    rh_arena *arena;
    rh_arena *scratch;
    rh_project_stage *stage;
    rh_expr_list outputs; // residuals, then entries
    RH_ARRAY(rh_kept_level) levels;
    RH_ARRAY(uint32_t) row;
    RH_ARRAY(uint32_t) column; // index into x
    rh_expr_list entries;
    uint32_t *place; // by index into x: column + 1
} building;

static bool add_level(building *in, uint32_t link, uint32_t level, rh_expr e)
{
    rh_store *store = in->system->equations->store;
    const uint32_t row = in->outputs.count;
    const rh_kept_level kept = {link, level};
    rh_gradient partials;
    bool ok = rh__expr_gradient(store, e, RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE,
                                in->scratch, &partials) &&
              rh__array_push(in->scratch, &in->outputs, e) &&
              rh__array_push(in->arena, &in->levels, kept);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const uint32_t x = rh__system_index(in->system, partials.data[k].symbol);
        const bool is_velocity =
            (rh__expr_mask(store, partials.data[k].symbol) & RH_ROLE_VELOCITY) != 0;
        const bool is_position =
            (rh__expr_mask(store, partials.data[k].symbol) & RH_ROLE_COORD) != 0;
        // the second stage leaves positions where they are
        const bool moves =
            (rh__expr_mask(store, e) & RH_ROLE_VELOCITY) != 0 ? !is_position : !is_velocity;
        ok = x == UINT32_MAX || !moves ||
             (rh__array_push(in->arena, &in->row, row) &&
              rh__array_push(in->arena, &in->column, x) &&
              rh__array_push(in->scratch, &in->entries, partials.data[k].value));
    }
    return ok;
}

// One-sided ones are kept at times.
bool rh__projector_keeps(const rh_link *link)
{
    return rh__link_is_enforced(link) && !link->constraint->has_law;
}

static bool find_levels(building *in, bool is_second)
{
    rh_equations *equations = in->system->equations;
    rh_store *store = equations->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; ok && rh__projector_keeps(link) && level < link->level_count;
             level++) {
            const rh_expr e =
                rh__derive_fold(equations, rh__expr_substitute(store, link->levels[level],
                                                               through_form, &in->system->form));
            const bool holds = (rh__expr_mask(store, link->levels[level]) & RH_ROLE_VELOCITY) != 0;
            ok = e.i != 0;
            if (ok && holds == is_second && !rh__derive_vanishes(equations, e, in->scratch)) {
                ok = add_level(in, k, level, e);
            }
        }
    }
    return ok;
}

// --- one stage
// -----------------------------------------------------------------------------------

static rh_status number_columns(building *in)
{
    rh_project_stage *stage = in->stage;
    const uint32_t n = in->system->x.count;
    in->place = rh__arena_array(in->scratch, uint32_t, (size_t)n + 1);
    stage->x_index = rh__arena_array(in->arena, uint32_t, (size_t)n + 1);
    if (in->place == NULL || stage->x_index == NULL) {
        return in->arena->status != RH_OK ? in->arena->status : in->scratch->status;
    }
    for (uint32_t k = 0; k < in->column.count; k++) {
        const uint32_t x = in->column.data[k];
        if (in->place[x] == 0) {
            stage->x_index[stage->columns++] = x;
            in->place[x] = stage->columns;
        }
        in->column.data[k] = in->place[x] - 1;
    }
    return RH_OK;
}

// Triplets: the unit matrix, J, J^T, -eps. Pivots are chosen for some J and kept: those of a J on
// the way would depend on what was looked at before.
static rh_status make_saddle(building *in)
{
    rh_project_stage *stage = in->stage;
    const uint32_t n = stage->columns;
    const uint32_t count = n + stage->metric_count + 2 * stage->entry_count + stage->rows;
    uint32_t *row = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    uint32_t *column = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    stage->triplets = rh__arena_array(in->arena, double, (size_t)count + 1);
    stage->right = rh__arena_array(in->arena, double, (size_t)n + stage->rows + 1);
    stage->values = rh__arena_array(in->arena, double, (size_t)stage->entry_count + 1);
    stage->steepness = rh__arena_array(in->arena, double, (size_t)stage->rows + 1);
    stage->extent = rh__arena_array(in->arena, double, (size_t)stage->rows + 1);
    stage->mass = rh__arena_array(in->arena, double, (size_t)n + 1);
    if (row == NULL || column == NULL || stage->triplets == NULL || stage->right == NULL ||
        stage->values == NULL || stage->steepness == NULL || stage->extent == NULL ||
        stage->mass == NULL) {
        return RH_E_MEMORY;
    }
    uint32_t at = 0;
    rh_random random = rh__random_begin(1);
    for (; at < n; at++) {
        row[at] = column[at] = at;
        stage->triplets[at] = 1.0;
    }
    for (uint32_t k = 0; k < stage->metric_count; k++, at++) {
        row[at] = stage->metric_row[k];
        column[at] = stage->metric_column[k];
    }
    for (uint32_t k = 0; k < stage->entry_count; k++) {
        row[at] = n + stage->row[k];
        column[at] = stage->column[k];
        row[at + stage->entry_count] = stage->column[k];
        column[at + stage->entry_count] = n + stage->row[k];
        stage->triplets[at] = stage->triplets[at + stage->entry_count] =
            rh__random_uniform(&random, 0.5, 1.0);
        at++;
    }
    at += stage->entry_count;
    for (uint32_t k = 0; k < stage->rows; k++, at++) {
        row[at] = column[at] = n + k;
        stage->triplets[at] = -SOFT;
    }
    RH_TRY(rh__sparse_create(in->arena, n + stage->rows, n + stage->rows, count, row, column,
                             &stage->saddle));
    rh__sparse_fill(&stage->saddle, stage->triplets);
    return rh__klu_create(&stage->saddle, &stage->klu);
}

static rh_status build_stage(building *in, bool is_second, rh_error *err)
{
    rh_project_stage *stage = in->stage;
    if (!find_levels(in, is_second)) {
        return RH_E_MEMORY;
    }
    stage->rows = in->outputs.count;
    stage->x_count = in->system->x.count;
    stage->levels = in->levels.data;
    if (stage->rows == 0) {
        return RH_OK;
    }
    RH_TRY(number_columns(in));
    stage->row = in->row.data;
    stage->column = in->column.data;
    stage->entry_count = in->row.count;
    for (uint32_t k = 0; k < in->entries.count; k++) {
        if (!rh__array_push(in->scratch, &in->outputs, in->entries.data[k])) {
            return in->scratch->status;
        }
    }
    RH_TRY(rh__system_extra(in->system, in->outputs.data, in->outputs.count, &stage->tape, err));
    RH_TRY(rh__tape_state_create(stage->tape, 0, in->arena->allocator, &stage->state));
    RH_TRY(rh__inertia_create(in->system, is_second, in->arena, stage, err));
    return make_saddle(in);
}

rh_status rh__projector_create(rh_system *system, rh_arena *arena, rh_projector *out, rh_error *err)
{
    rh_status status = RH_OK;
    for (uint32_t k = 0; k < 2 && status == RH_OK; k++) {
        rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
        building in = {
            .system = system, .arena = arena, .scratch = &scratch, .stage = &out->stages[k]};
        status = build_stage(&in, k == 1, err);
        rh__arena_end(&scratch);
    }
    return status;
}

void rh__projector_destroy(rh_projector *projector)
{
    for (uint32_t k = 0; k < 2; k++) {
        rh__klu_destroy(&projector->stages[k].klu);
        rh__tape_state_destroy(projector->stages[k].state);
        rh__tape_destroy(projector->stages[k].tape);
        rh__tape_state_destroy(projector->stages[k].metric_state);
        rh__tape_destroy(projector->stages[k].metric);
    }
}

rh_status rh__projector_bind(rh_projector *projector, rh_value_of *value_of, void *user)
{
    for (uint32_t k = 0; k < 2; k++) {
        if (projector->stages[k].state != NULL) {
            RH_TRY(rh__tape_bind(projector->stages[k].state, value_of, user));
        }
        if (projector->stages[k].metric_state != NULL) {
            RH_TRY(rh__tape_bind(projector->stages[k].metric_state, value_of, user));
        }
    }
    return RH_OK;
}

// --- applying
// ------------------------------------------------------------------------------------

// The residual of a row relative to |J| |x|: what a change of x by its size could do to it.
static double relative_residual(const rh_project_stage *stage, uint32_t row)
{
    const double size = sqrt(stage->steepness[row] * stage->extent[row]);
    return fabs(stage->right[stage->columns + row]) / (size + 1e-3);
}

// g into the right side (negative), entries into `values`; the largest relative
// residual.
static double look(rh_project_stage *stage, double time, const double *x, const bool *is_kept,
                   double *residuals)
{
    const uint32_t n = stage->x_count;
    double *inputs = rh__jet_row(stage->state, 0);
    double worst = 0.0;
    inputs[0] = time;
    for (uint32_t k = 0; k < n; k++) {
        inputs[1 + k] = x[k];
    }
    rh__tape_run(stage->state);
    for (uint32_t k = 0; k < stage->rows; k++) {
        stage->steepness[k] = stage->extent[k] = 0.0;
    }
    for (uint32_t k = 0; k < stage->entry_count; k++) {
        const bool acts = is_kept[stage->levels[stage->row[k]].link];
        const double moved = x[stage->x_index[stage->column[k]]];
        stage->values[k] = acts ? rh__tape_output(stage->state, stage->rows + k, 0) : 0.0;
        stage->steepness[stage->row[k]] += stage->values[k] * stage->values[k];
        stage->extent[stage->row[k]] += moved * moved;
    }
    for (uint32_t k = 0; k < stage->rows; k++) {
        const uint32_t link = stage->levels[k].link;
        const double g = rh__tape_output(stage->state, k, 0);
        stage->right[stage->columns + k] = is_kept[link] ? -g : 0.0;
        const double relative = relative_residual(stage, k);
        worst = isnan(relative) ? INFINITY : fmax(worst, relative);
        if (stage->levels[k].level == 0 && residuals != NULL) {
            residuals[link] = fmax(residuals[link], is_kept[link] ? fabs(g) : -g);
        }
    }
    return worst;
}

// With the metric, or with the identity where that does not lead there.
static bool correct(rh_project_stage *stage, double *x, bool is_plain)
{
    const uint32_t n = stage->columns;
    double *entries = stage->triplets + n + stage->metric_count;
    double *soft = entries + 2 * (size_t)stage->entry_count;
    double size = 0.0;
    rh__inertia_fill(stage, rh__jet_row(stage->state, 0), is_plain);
    for (uint32_t k = 0; k < stage->rows; k++) {
        soft[k] = 0.0;
    }
    for (uint32_t k = 0; k < stage->entry_count; k++) {
        const double value = stage->values[k];
        entries[k] = entries[stage->entry_count + k] = value;
        soft[stage->row[k]] -= SOFT * value * value / stage->mass[stage->column[k]];
        size = fmax(size, fabs(value));
    }
    for (uint32_t k = 0; k < stage->rows; k++) {
        soft[k] = soft[k] == 0.0 ? -1.0 : soft[k]; // nothing can be done about it
    }
    for (uint32_t k = 0; k < n; k++) {
        stage->right[k] = 0.0;
    }
    rh__sparse_fill(&stage->saddle, stage->triplets);
    if (size == 0.0 || rh__klu_refactor(&stage->klu, &stage->saddle) != RH_OK ||
        rh__klu_solve(&stage->klu, stage->right, 1) != RH_OK ||
        !rh__vector_is_finite(n, stage->right)) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        x[stage->x_index[k]] += stage->right[k];
    }
    return true;
}

static double settle(rh_project_stage *stage, double time, double *x, const bool *is_kept,
                     bool is_plain)
{
    double before = INFINITY;
    double now = look(stage, time, x, is_kept, NULL);
    for (uint32_t c = 0; c < CORRECTIONS && now > 2e-16 && now < 0.5 * before; c++) {
        before = now;
        if (!correct(stage, x, is_plain)) {
            break;
        }
        now = look(stage, time, x, is_kept, NULL);
    }
    return now;
}

rh_status rh__projector_apply(rh_projector *projector, double time, double *x, const bool *is_kept,
                              double *out_residual, double *residuals)
{
    *out_residual = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        if (stage->tape == NULL) {
            continue;
        }
        // a metric that is not positive leads elsewhere
        if (!(settle(stage, time, x, is_kept, false) <= ENOUGH) && stage->metric != NULL) {
            (void)settle(stage, time, x, is_kept, true);
        }
        *out_residual = fmax(*out_residual, look(stage, time, x, is_kept, residuals));
    }
    return RH_OK;
}

double rh__projector_residual(rh_projector *projector, double time, const double *x,
                              const bool *is_kept)
{
    double worst = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        if (stage->tape != NULL) {
            (void)look(stage, time, x, is_kept, NULL);
        }
        for (uint32_t row = 0; row < stage->rows; row++) {
            const double part = relative_residual(stage, row);
            worst = stage->levels[row].level > 0 || part <= worst ? worst : part;
        }
    }
    return worst;
}
