// SPDX-License-Identifier: Apache-2.0
// A place where a system is evaluated: states of its tapes, with parameters of its own. After it
// was made nothing allocates but binding parameters and the rescue of singular blocks.

#include "system/system.h"

#include <math.h>
#include <string.h>

struct rh_evaluator {
    rh_arena arena;
    const rh_system *system;
    rh_values values; // of parameters
    rh_layout layout; // of the system, with these values
    rh_point point;   // the start, through that layout
    rh_feed_piece *pieces;
    rh_tape_state *step, *output, *matrices, *reactions;
    rh_tape_state *rate_slopes, *reaction_slopes; // NULL: the system has no derivatives
    rh_tape_state *rate_drifts, *reaction_drifts; // their constants belong to one parameter
    bool is_run;
};

// --- making --------------------------------------------------------------------------------------

static rh_status make_state(rh_evaluator *evaluator, const rh_tape *tape, rh_tape_state **out)
{
    if (tape == NULL) {
        return RH_OK;
    }
    RH_TRY(rh__tape_state_create(tape, 0, evaluator->arena.allocator, out));
    (*out)->feeds = evaluator->pieces;
    return RH_OK;
}

// Unsure where parameters were refused: the states may hold some of the new numbers.
static rh_status bind(rh_evaluator *evaluator)
{
    enum { STATES = 6 };
    rh_tape_state *const states[STATES] = {evaluator->step,        evaluator->output,
                                           evaluator->matrices,    evaluator->reactions,
                                           evaluator->rate_slopes, evaluator->reaction_slopes};
    rh_status status = RH_OK;
    for (size_t k = 0; status == RH_OK && k < STATES; k++) {
        if (states[k] != NULL) {
            status = rh__tape_bind(states[k], rh__point_value, &evaluator->point);
        }
    }
    return status;
}

static void release_one_sided(rh_evaluator *evaluator)
{
    const rh_system *system = evaluator->system;
    for (uint32_t k = 0; k < system->equations->links.count; k++) {
        const bool is_one_sided = system->equations->links.data[k].constraint->is_one_sided;
        if (is_one_sided && system->hold_of[k] != UINT32_MAX) {
            rh__tape_release(evaluator->step, system->hold_of[k], 0.0);
        }
    }
}

static rh_status build(rh_evaluator *evaluator)
{
    const rh_system *system = evaluator->system;
    const rh_items *items = system->items;
    rh_arena *arena = &evaluator->arena;
    RH_TRY(rh__values_copy(&system->equations->model->values, arena, &evaluator->values));
    evaluator->layout = items->layout;
    evaluator->layout.values = &evaluator->values;
    evaluator->point = items->start;
    evaluator->point.layout = &evaluator->layout;
    evaluator->pieces = rh__arena_array(arena, rh_feed_piece, (size_t)system->feeds.count / 2 + 1);
    if (evaluator->pieces == NULL) {
        return arena->status;
    }
    RH_TRY(make_state(evaluator, system->step, &evaluator->step));
    RH_TRY(make_state(evaluator, system->output, &evaluator->output));
    RH_TRY(make_state(evaluator, items->matrices, &evaluator->matrices));
    RH_TRY(make_state(evaluator, items->reactions, &evaluator->reactions));
    RH_TRY(make_state(evaluator, items->rate_slopes, &evaluator->rate_slopes));
    RH_TRY(make_state(evaluator, items->reaction_slopes, &evaluator->reaction_slopes));
    RH_TRY(make_state(evaluator, items->rate_drifts, &evaluator->rate_drifts));
    RH_TRY(make_state(evaluator, items->reaction_drifts, &evaluator->reaction_drifts));
    release_one_sided(evaluator);
    return bind(evaluator);
}

rh_status rh_evaluator_create(const rh_system *system, rh_evaluator **out, rh_error *err)
{
    RH_REQUIRE(system != NULL && system->items != NULL && out != NULL, err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(system->arena.allocator, system->arena.limit);
    rh_evaluator *evaluator = rh__arena_new(&arena, rh_evaluator);
    if (evaluator == NULL) {
        const rh_status refused = arena.status;
        rh__arena_end(&arena);
        return rh__error_fill(err, refused, "%s", rh_status_text(refused));
    }
    evaluator->arena = arena;
    evaluator->system = system;
    const rh_status status = build(evaluator);
    if (status != RH_OK) {
        rh_evaluator_destroy(evaluator);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    *out = evaluator;
    return RH_OK;
}

void rh_evaluator_destroy(rh_evaluator *evaluator)
{
    if (evaluator == NULL) {
        return;
    }
    rh__tape_state_destroy(evaluator->step);
    rh__tape_state_destroy(evaluator->output);
    rh__tape_state_destroy(evaluator->matrices);
    rh__tape_state_destroy(evaluator->reactions);
    rh__tape_state_destroy(evaluator->rate_slopes);
    rh__tape_state_destroy(evaluator->reaction_slopes);
    rh__tape_state_destroy(evaluator->rate_drifts);
    rh__tape_state_destroy(evaluator->reaction_drifts);
    rh_arena arena = evaluator->arena; // the evaluator lies in it
    rh__arena_end(&arena);
}

// --- what holds ----------------------------------------------------------------------------------

// The store is asked by one at a time.
static rh_status change_values(rh_evaluator *evaluator, const rh_expr *symbols, const double *p,
                               uint32_t count, rh_arena *scratch)
{
    mtx_t *mutex = &evaluator->system->items->mutex;
    if (mtx_lock(mutex) != thrd_success) {
        return RH_E_MEMORY;
    }
    const rh_status status = rh__values_change(&evaluator->values, symbols, p, count, scratch);
    (void)mtx_unlock(mutex);
    return status;
}

static rh_status set_parameters(rh_evaluator *evaluator, const double *p, rh_arena *scratch)
{
    const rh_model *model = evaluator->system->equations->model;
    const uint32_t count = evaluator->values.parameters.count;
    rh_expr *symbols = rh__arena_array(scratch, rh_expr, (size_t)count + 1);
    rh_values kept;
    if (symbols == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__values_copy(&evaluator->values, scratch, &kept));
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        for (uint32_t member = 0; member < parameter->size; member++) {
            RH_ASSERT(parameter->first + member < count);
            symbols[parameter->first + member] =
                rh__expr_symbol(model->store, parameter->family, member);
        }
    }
    RH_TRY(change_values(evaluator, symbols, p, count, scratch));
    const rh_status status = bind(evaluator);
    if (status != RH_OK) { // as it was
        rh__values_assign(&evaluator->values, &kept);
        RH_TRY(bind(evaluator));
    }
    return status;
}

rh_status rh_evaluator_set_parameters(rh_evaluator *evaluator, const double *p, rh_error *err)
{
    RH_REQUIRE(evaluator != NULL && p != NULL, err);
    for (uint32_t k = 0; k < evaluator->values.parameters.count; k++) {
        RH_REQUIRE(isfinite(p[k]), err);
    }
    rh_arena scratch = rh__arena_begin(evaluator->arena.allocator, evaluator->arena.limit);
    const rh_status status = set_parameters(evaluator, p, &scratch);
    rh__arena_end(&scratch);
    evaluator->is_run = false;
    return status == RH_OK ? RH_OK
                           : rh__error_fill(err, status, "%s",
                                            status == RH_E_UNAVAILABLE
                                                ? "other equations may hold for these parameters: "
                                                  "make the model anew"
                                                : rh_status_text(status));
}

rh_status rh_evaluator_set_active(rh_evaluator *evaluator, size_t constraint, bool is_active,
                                  rh_error *err)
{
    RH_REQUIRE(evaluator != NULL, err);
    const rh_system *system = evaluator->system;
    RH_REQUIRE(constraint < system->equations->links.count, err);
    const uint32_t hold = system->hold_of[constraint];
    if (hold == UINT32_MAX) {
        return is_active
                   ? RH_OK
                   : rh__error_fill(err, RH_E_ARGUMENT, "the constraint %.120s always acts",
                                    rh_system_item(system, RH_ITEM_CONSTRAINT, constraint).name);
    }
    evaluator->is_run = false;
    if (is_active) {
        rh__tape_hold(evaluator->step, hold);
    } else {
        rh__tape_release(evaluator->step, hold, 0.0);
    }
    return RH_OK;
}

// --- running -------------------------------------------------------------------------------------

static void run_beside(const rh_evaluator *evaluator, rh_tape_state *state)
{
    RH_ASSERT(state != evaluator->step);
    const uint32_t n = evaluator->system->x.count;
    const uint32_t unknowns = evaluator->system->form.unknowns.count;
    double *inputs = rh__jet_row(state, 0);
    memcpy(inputs, rh__jet_row(evaluator->step, 0), ((size_t)n + 1) * sizeof *inputs);
    for (uint32_t k = 0; k < unknowns; k++) {
        inputs[1 + n + k] = rh__tape_output(evaluator->step, n + k, 0);
    }
    rh__tape_run(state);
}

static bool is_finite(const rh_evaluator *evaluator)
{
    const uint32_t count = evaluator->system->x.count + evaluator->system->form.unknowns.count;
    bool ok = !evaluator->step->quality.is_failed;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = isfinite(rh__tape_output(evaluator->step, k, 0));
    }
    return ok;
}

rh_status rh_evaluator_run(rh_evaluator *evaluator, double t, const double *x, const double *u,
                           rh_error *err)
{
    RH_REQUIRE(evaluator != NULL && x != NULL && isfinite(t), err);
    const rh_system *system = evaluator->system;
    double *inputs = rh__jet_row(evaluator->step, 0);
    evaluator->is_run = false;
    inputs[0] = t;
    memcpy(inputs + 1, x, system->x.count * sizeof *x);
    for (uint32_t k = 0; k < system->feeds.count / 2; k++) {
        evaluator->pieces[k] = (rh_feed_piece){.begin = t, .value = u != NULL ? u[k] : 0.0};
    }
    rh__tape_run(evaluator->step);
    if (!is_finite(evaluator) || (evaluator->step->quality.singular > 0 &&
                                  evaluator->step->quality.residual > RH_TAPE_INCONSISTENT)) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equations have no finite solution at t = %.17g", t);
    }
    run_beside(evaluator, evaluator->output);
    run_beside(evaluator, evaluator->matrices);
    run_beside(evaluator, evaluator->reactions);
    evaluator->is_run = true;
    return RH_OK;
}

// --- results -------------------------------------------------------------------------------------

// Where nothing was run there are no results.
static double result(const rh_evaluator *evaluator, const rh_tape_state *state, uint32_t output)
{
    return evaluator->is_run ? rh__tape_output(state, output, 0) : (double)NAN;
}

static void take(const rh_evaluator *evaluator, const rh_tape_state *state, uint32_t first,
                 uint32_t count, double *out)
{
    RH_ASSERT(first + count <= state->tape->output_count);
    for (uint32_t k = 0; k < count; k++) {
        out[k] = result(evaluator, state, first + k);
    }
}

static void take_matrix(const rh_evaluator *evaluator, const rh_matrix_outputs *matrix, double *out)
{
    const rh_grid *grid = matrix->grid;
    memset(out, 0, (size_t)grid->rows * grid->columns * sizeof *out);
    for (uint32_t k = 0; k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        RH_ASSERT(entry->row < grid->rows && entry->column < grid->columns);
        out[(size_t)entry->row * grid->columns + entry->column] =
            result(evaluator, evaluator->matrices, matrix->first + k);
    }
}

void rh_evaluator_rates(const rh_evaluator *evaluator, double *out)
{
    take(evaluator, evaluator->step, 0, evaluator->system->x.count, out);
}

void rh_evaluator_multipliers(const rh_evaluator *evaluator, double *out)
{
    take(evaluator, evaluator->reactions, 0, evaluator->system->equations->links.count, out);
}

void rh_evaluator_mass_matrix(const rh_evaluator *evaluator, double *out)
{
    take_matrix(evaluator, &evaluator->system->items->inertia, out);
}

void rh_evaluator_forces(const rh_evaluator *evaluator, double *out)
{
    take(evaluator, evaluator->matrices, evaluator->system->items->forces,
         evaluator->system->equations->carriers.count, out);
}

void rh_evaluator_constraint_jacobian(const rh_evaluator *evaluator, double *out)
{
    take_matrix(evaluator, &evaluator->system->items->rows, out);
}

void rh_evaluator_directions(const rh_evaluator *evaluator, double *out)
{
    take_matrix(evaluator, &evaluator->system->items->push, out);
}

void rh_evaluator_deviations(const rh_evaluator *evaluator, double *out)
{
    const rh_system *system = evaluator->system;
    for (uint32_t k = 0; k < system->equations->links.count; k++) {
        out[k] = result(evaluator, evaluator->output, system->level_of[k]);
    }
}

void rh_evaluator_observes(const rh_evaluator *evaluator, double *out)
{
    const rh_range observes = evaluator->system->sections[RH_SECTION_OBSERVE];
    take(evaluator, evaluator->output, observes.first, observes.count, out);
}

// --- derivatives ---------------------------------------------------------------------------------

// The tangents of `like` along one direction, which the caller fills.
static double *begin_slopes(const rh_tape_state *like, rh_tape_state *slopes, uint32_t active)
{
    RH_ASSERT(like->tape->input_count + active <= slopes->tape->input_count);
    double *inputs = rh__jet_row(slopes, 0);
    rh__tape_follow(slopes, like);
    memcpy(inputs, rh__jet_row(like, 0), like->tape->input_count * sizeof *inputs);
    memset(inputs + like->tape->input_count, 0, active * sizeof *inputs);
    return inputs + like->tape->input_count;
}

// Along x[index], or the input index - n: x' and all unknowns of the form.
static void run_slopes(rh_evaluator *evaluator, uint32_t index)
{
    const rh_system *system = evaluator->system;
    const uint32_t n = system->x.count;
    const uint32_t inputs = system->feeds.count / 2;
    const uint32_t unknowns = system->form.unknowns.count;
    begin_slopes(evaluator->step, evaluator->rate_slopes, n + inputs)[index] = 1.0;
    rh__tape_run(evaluator->rate_slopes);
    double *along =
        begin_slopes(evaluator->reactions, evaluator->reaction_slopes, n + unknowns + inputs);
    along[index < n ? index : index + unknowns] = 1.0;
    for (uint32_t k = 0; k < unknowns; k++) {
        along[n + k] =
            rh__tape_output(evaluator->rate_slopes, system->step->output_count + n + k, 0);
    }
    rh__tape_run(evaluator->reaction_slopes);
}

rh_status rh_evaluator_derivatives(rh_evaluator *evaluator, double *rates, double *multipliers,
                                   rh_error *err)
{
    RH_REQUIRE(evaluator != NULL && evaluator->rate_slopes != NULL && evaluator->is_run, err);
    const rh_system *system = evaluator->system;
    const uint32_t n = system->x.count;
    const uint32_t links = system->equations->links.count;
    const uint32_t columns = n + system->feeds.count / 2;
    for (uint32_t c = 0; c < columns; c++) {
        run_slopes(evaluator, c);
        for (uint32_t r = 0; rates != NULL && r < n; r++) {
            rates[(size_t)r * columns + c] =
                rh__tape_output(evaluator->rate_slopes, system->step->output_count + r, 0);
        }
        for (uint32_t r = 0; multipliers != NULL && r < links; r++) {
            multipliers[(size_t)r * columns + c] =
                rh__tape_output(evaluator->reaction_slopes, links + r, 0);
        }
    }
    return RH_OK;
}

// Of one parameter: x' and all unknowns of the form, and then lambda.
static rh_status run_drifts(rh_evaluator *evaluator, uint32_t parameter)
{
    const rh_system *system = evaluator->system;
    const uint32_t n = system->x.count;
    const uint32_t unknowns = system->form.unknowns.count;
    const rh_parameter_direction direction = {&evaluator->point, system->items->variation,
                                              parameter};
    RH_TRY(rh__tape_bind(evaluator->rate_drifts, rh__parameter_value, &direction));
    RH_TRY(rh__tape_bind(evaluator->reaction_drifts, rh__parameter_value, &direction));
    (void)begin_slopes(evaluator->step, evaluator->rate_drifts, 0);
    rh__tape_run(evaluator->rate_drifts);
    double *along = begin_slopes(evaluator->reactions, evaluator->reaction_drifts, unknowns);
    for (uint32_t k = 0; k < unknowns; k++) {
        along[k] = rh__tape_output(evaluator->rate_drifts, system->step->output_count + n + k, 0);
    }
    rh__tape_run(evaluator->reaction_drifts);
    return RH_OK;
}

// `rows` outputs of tangents that were run, into a column.
static void take_column(const rh_tape_state *drifts, uint32_t first, uint32_t rows, bool is_known,
                        double *column, size_t columns)
{
    for (uint32_t r = 0; column != NULL && r < rows; r++) {
        column[r * columns] = is_known ? rh__tape_output(drifts, first + r, 0) : (double)NAN;
    }
}

rh_status rh_evaluator_parameter_derivatives(rh_evaluator *evaluator, double *rates,
                                             double *multipliers, rh_error *err)
{
    RH_REQUIRE(evaluator != NULL && evaluator->rate_drifts != NULL && evaluator->is_run, err);
    const rh_system *system = evaluator->system;
    const uint32_t links = system->equations->links.count;
    const uint32_t columns = evaluator->values.parameters.count;
    for (uint32_t c = 0; c < columns; c++) {
        const bool is_known = system->items->is_free[c];
        const rh_status status = is_known ? run_drifts(evaluator, c) : RH_OK;
        if (status != RH_OK) {
            return rh__error_fill(err, status, "%s", rh_status_text(status));
        }
        take_column(evaluator->rate_drifts, system->step->output_count, system->x.count, is_known,
                    rates != NULL ? rates + c : NULL, columns);
        take_column(evaluator->reaction_drifts, links, links, is_known,
                    multipliers != NULL ? multipliers + c : NULL, columns);
    }
    return RH_OK;
}
