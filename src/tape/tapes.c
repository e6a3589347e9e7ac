// SPDX-License-Identifier: Apache-2.0
// A system: the layout of what moves, and the tapes of its form. The pipeline is in build_system:
// form -> x -> meanings of all symbols -> step, watch, output.

#include "tape/tapes.h"

#include <stdlib.h>
#include <string.h>

static bool add_x(rh_system *system, rh_range *part, rh_expr symbol)
{
    part->count++;
    return rh__array_push(&system->arena, &system->x, symbol);
}

static void begin_part(const rh_system *system, rh_range *part)
{
    *part = (rh_range){system->x.count, 0};
}

static int compare_places(const void *a, const void *b)
{
    const rh_x_place *p = a;
    const rh_x_place *q = b;
    const uint32_t x = p->symbol != q->symbol ? p->symbol : p->index;
    const uint32_t y = p->symbol != q->symbol ? q->symbol : q->index;
    return (x > y) - (x < y);
}

static bool order_places(rh_system *system)
{
    const uint32_t n = system->x.count;
    rh_x_place *places = rh__arena_array(&system->arena, rh_x_place, (size_t)n + 1);
    for (uint32_t k = 0; places != NULL && k < n; k++) {
        places[k] = (rh_x_place){system->x.data[k].i, k};
    }
    if (places != NULL) {
        qsort(places, n, sizeof *places, compare_places);
    }
    system->x_places = places;
    return places != NULL;
}

static bool make_layout(rh_system *system)
{
    const rh_equations *equations = system->equations;
    bool ok = true;
    begin_part(system, &system->coordinates);
    for (uint32_t k = 0; ok && k < equations->coordinate_count; k++) {
        ok = add_x(system, &system->coordinates, equations->carriers.data[k].position);
    }
    begin_part(system, &system->variables);
    for (uint32_t k = 0; ok && k < system->form.variables.count; k++) {
        ok = add_x(system, &system->variables, system->form.variables.data[k]);
    }
    begin_part(system, &system->passives);
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = add_x(system, &system->passives, equations->passives.data[k].variable);
    }
    begin_part(system, &system->held);
    system->held_of = rh__arena_array(&system->arena, uint32_t, (size_t)equations->links.count + 1);
    ok = ok && system->held_of != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        system->held_of[k] = link->held.i != 0 ? system->x.count : UINT32_MAX;
        ok = link->held.i == 0 || add_x(system, &system->held, link->held);
    }
    return ok && order_places(system);
}

// --- meanings --------------------------------------------------------------------------------

static bool define(rh_meanings *meanings, rh_expr symbol, rh_expr value)
{
    const rh_definition made = {symbol, value};
    return rh__array_push(meanings->arena, &meanings->definitions, made);
}

static bool define_all(rh_meanings *meanings, const rh_definition *data, uint32_t count)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = define(meanings, data[k].symbol, data[k].value);
    }
    return ok;
}

static bool define_inputs(rh_meanings *meanings)
{
    const rh_equations *equations = meanings->system->equations;
    const rh_model *model = equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        ok = input->value.i == 0 ||
             define(meanings, rh__expr_symbol(equations->store, input->family, 0), input->value);
    }
    return ok && rh__feed_define(meanings);
}

static bool define_quasis(rh_meanings *meanings)
{
    const rh_equations *equations = meanings->system->equations;
    const rh_model *model = equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        ok = define(meanings, rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member),
                    quasi->value);
    }
    return ok;
}

bool rh__system_define_free(rh_meanings *meanings)
{
    return define_quasis(meanings) && define_inputs(meanings);
}

static bool find_meanings(rh_meanings *meanings)
{
    const rh_form *form = &meanings->system->form;
    return define_all(meanings, form->velocities.data, form->velocities.count) &&
           define_all(meanings, form->passives.data, form->passives.count) &&
           define_all(meanings, form->outputs.data, form->outputs.count) &&
           define_all(meanings, form->momenta.data, form->momenta.count) &&
           rh__system_define_free(meanings);
}

// --- the tapes -------------------------------------------------------------------------------

rh_tape_def rh__system_begin_def(const rh_system *system, const rh_meanings *meanings)
{
    const rh_equations *equations = system->equations;
    return (rh_tape_def){.store = equations->store,
                         .allocator = system->arena.allocator,
                         .memory_limit = system->arena.limit,
                         .definitions = meanings->definitions.data,
                         .definition_count = meanings->definitions.count,
                         .feed_count = system->feeds.count / 2,
                         .value_of = rh__values_parameter,
                         .user = &equations->model->values};
}

// Time, x, with `has_unknowns` those of the form, more, feeds.
static bool list_inputs(const rh_system *system, rh_arena *scratch, bool has_unknowns,
                        const rh_expr *more, uint32_t more_count, rh_expr_list *out)
{
    const rh_equations *equations = system->equations;
    const rh_expr time = rh__expr_symbol(equations->store, equations->model->time, 0);
    bool ok = time.i != 0 && rh__array_push(scratch, out, time);
    for (uint32_t k = 0; ok && k < system->x.count; k++) {
        ok = rh__array_push(scratch, out, system->x.data[k]);
    }
    for (uint32_t k = 0; ok && has_unknowns && k < system->form.unknowns.count; k++) {
        ok = rh__array_push(scratch, out, system->form.unknowns.data[k]);
    }
    for (uint32_t k = 0; ok && k < more_count; k++) {
        ok = rh__array_push(scratch, out, more[k]);
    }
    for (uint32_t k = 0; ok && k < system->feeds.count; k++) {
        ok = rh__array_push(scratch, out, system->feeds.data[k]);
    }
    return ok;
}

static uint32_t find_unknown(const rh_form *form, rh_expr symbol)
{
    for (uint32_t k = form->rate_count; k < form->unknowns.count; k++) {
        if (form->unknowns.data[k].i == symbol.i) {
            return k;
        }
    }
    return UINT32_MAX;
}

// Rows of one-sided links, of those that come and go and of slides can be released.
static rh_status find_holds(rh_system *system, uint32_t *out_count)
{
    const rh_equations *equations = system->equations;
    const rh_form *form = &system->form;
    const size_t rows = (size_t)form->unknowns.count + 1;
    system->hold_row = rh__arena_array(&system->arena, uint32_t, rows);
    system->hold_column = rh__arena_array(&system->arena, uint32_t, rows);
    system->hold_of = rh__arena_array(&system->arena, uint32_t, (size_t)equations->links.count + 1);
    if (system->hold_row == NULL || system->hold_column == NULL || system->hold_of == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        system->hold_of[k] = UINT32_MAX;
    }
    *out_count = 0;
    for (uint32_t row = 0; row < form->unknowns.count; row++) {
        const uint32_t link = form->link_of[row];
        system->hold_row[row] = UINT32_MAX;
        if (link != 0 && !rh__link_is_kept(&equations->links.data[link - 1])) {
            system->hold_column[row] =
                find_unknown(form, equations->links.data[link - 1].multiplier);
            RH_ASSERT(system->hold_column[row] != UINT32_MAX);
            system->hold_row[row] = (*out_count)++;
            system->hold_of[link - 1] = system->hold_row[row];
        }
    }
    for (uint32_t k = 0; k < system->slide_count; k++) {
        const uint32_t row = system->slides[k].unknown;
        RH_ASSERT(row < form->unknowns.count && system->hold_row[row] == UINT32_MAX);
        system->hold_column[row] = row;
        system->hold_row[row] = system->slides[k].hold = (*out_count)++;
    }
    return RH_OK;
}

static bool list_rates(const rh_system *system, rh_arena *scratch, rh_expr_list *out)
{
    const rh_equations *equations = system->equations;
    const rh_form *form = &system->form;
    bool ok = true;
    for (uint32_t k = 0; ok && k < system->coordinates.count; k++) {
        ok = rh__array_push(scratch, out, equations->carriers.data[k].variable);
    }
    for (uint32_t k = 0; ok && k < system->variables.count; k++) {
        ok = rh__array_push(scratch, out, form->unknowns.data[k]);
    }
    for (uint32_t k = 0; ok && k < system->passives.count; k++) {
        ok = rh__array_push(scratch, out, form->passives.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = equations->links.data[k].held.i == 0 ||
             rh__array_push(scratch, out, equations->links.data[k].multiplier);
    }
    RH_ASSERT(!ok || out->count == system->x.count);
    for (uint32_t k = 0; ok && k < form->unknowns.count; k++) {
        ok = rh__array_push(scratch, out, form->unknowns.data[k]);
    }
    return ok;
}

// What decides which rows act: levels of links that can be released, conditions of those that come
// and go, conditions of jumps and of slides.
static bool list_guards(rh_system *system, rh_arena *scratch, rh_expr_list *out,
                        uint32_t *out_jumps)
{
    const rh_equations *equations = system->equations;
    system->watch_of =
        rh__arena_array(&system->arena, uint32_t, (size_t)equations->links.count + 1);
    system->condition_of =
        rh__arena_array(&system->arena, uint32_t, (size_t)equations->links.count + 1);
    bool ok = system->watch_of != NULL && system->condition_of != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const bool is_guarded = system->hold_of[k] != UINT32_MAX;
        system->watch_of[k] = is_guarded ? out->count : UINT32_MAX;
        for (uint32_t level = 0; ok && is_guarded && level < link->level_count; level++) {
            ok = rh__array_push(scratch, out, link->levels[level]);
        }
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const bool is_there = system->hold_of[k] != UINT32_MAX && rh__link_is_intermittent(link);
        system->condition_of[k] = is_there ? out->count : UINT32_MAX;
        ok = !is_there || rh__array_push(scratch, out, link->constraint->condition);
    }
    *out_jumps = out->count;
    for (uint32_t k = 0; ok && k < system->jumps.count; k++) {
        ok = rh__array_push(scratch, out, system->jumps.conditions[k].condition);
    }
    for (uint32_t k = 0; ok && k < system->slide_count; k++) {
        ok = rh__array_push(scratch, out, system->slides[k].condition);
    }
    return ok;
}

// The switches of the slides: their truths are the last outputs.
static void find_switches(rh_system *system)
{
    const rh_tape *tape = system->step;
    for (uint32_t k = 0; k < system->slide_count; k++) {
        const uint32_t truth = tape->outputs[tape->output_count - system->slide_count + k];
        uint32_t at = 0;
        while (at < tape->switch_count && tape->switches[at].truth != truth) {
            at++;
        }
        RH_ASSERT(at < tape->switch_count);
        system->slides[k].at = at;
    }
}

static rh_status make_step(rh_system *system, const rh_meanings *meanings, rh_error *err)
{
    const rh_form *form = &system->form;
    rh_arena *scratch = meanings->arena;
    rh_expr_list inputs = {0};
    rh_expr_list outputs = {0};
    rh_tape_solve solve = {.matrix = &form->matrix,
                           .right = form->right,
                           .unknowns = form->unknowns.data,
                           .count = form->unknowns.count,
                           .rate_count = form->rate_count};
    rh_tape_def def = rh__system_begin_def(system, meanings);
    if (form->matrix.rows != form->unknowns.count) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "the form has %u equations for %u unknowns",
                              form->matrix.rows, form->unknowns.count);
    }
    uint32_t jumps = 0;
    RH_TRY(find_holds(system, &def.hold_count));
    if (!list_inputs(system, scratch, false, NULL, 0, &inputs) ||
        !list_rates(system, scratch, &outputs) || !list_guards(system, scratch, &outputs, &jumps)) {
        return RH_E_MEMORY;
    }
    solve.hold = system->hold_row;
    solve.hold_column = system->hold_column;
    def.inputs = inputs.data;
    def.input_count = inputs.count;
    def.solves = &solve;
    def.solve_count = 1;
    def.outputs = outputs.data;
    def.output_count = outputs.count;
    RH_TRY(rh__tape_create(&def, &system->step, err));
    find_switches(system);
    return rh__jumps_compile(system, jumps, scratch, err);
}

rh_status rh__system_compile(const rh_system *system, const rh_meanings *meanings,
                             const rh_expr *outputs, uint32_t count, rh_tape **out, rh_error *err)
{
    rh_expr_list inputs = {0};
    rh_tape_def def = rh__system_begin_def(system, meanings);
    if (!list_inputs(system, meanings->arena, true, NULL, 0, &inputs)) {
        return RH_E_MEMORY;
    }
    def.inputs = inputs.data;
    def.input_count = inputs.count;
    def.outputs = outputs;
    def.output_count = count;
    return rh__tape_create(&def, out, err);
}

// --- making ----------------------------------------------------------------------------------

// How x is found from a point: new velocities from the old ones.
static bool make_pack(rh_system *system, rh_arena *scratch)
{
    rh_expr *roots = rh__arena_array(scratch, rh_expr, (size_t)system->x.count + 1);
    for (uint32_t k = 0; roots != NULL && k < system->x.count; k++) {
        roots[k] = system->x.data[k];
    }
    for (uint32_t k = 0; roots != NULL && k < system->form.basis.count; k++) {
        const uint32_t at = rh__system_index(system, system->form.basis.data[k].symbol);
        if (at != UINT32_MAX) {
            roots[at] = system->form.basis.data[k].value;
        }
    }
    return roots != NULL && rh__recipe_create(system->equations->store, roots, system->x.count,
                                              &system->arena, &system->pack);
}

static rh_status build_system(rh_system *system, const rh_tapes_def *def, rh_arena *scratch,
                              rh_error *err)
{
    RH_TRY(rh__form_create(system->equations, def->form, &system->arena, &system->form, err));
    rh_meanings meanings = {.system = system, .arena = scratch};
    if (!make_layout(system) || !rh__feed_list(system) || !find_meanings(&meanings) ||
        !rh__slide_prepare(system, &meanings)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    if (system->slide_count > 0) { // the form was rewritten
        meanings.definitions.count = 0;
        if (!find_meanings(&meanings)) {
            return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
        }
    }
    if (!make_pack(system, scratch)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    RH_TRY(rh__jumps_prepare(system, scratch));
    RH_TRY(make_step(system, &meanings, err));
    return def->has_outputs ? rh__system_outputs(system, &meanings, err) : RH_OK;
}

rh_status rh__system_create(rh_equations *equations, const rh_tapes_def *def, rh_system **out,
                            rh_error *err)
{
    *out = NULL;
    const rh_arena *like = &equations->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_system *system = rh__arena_new(&arena, rh_system);
    if (system == NULL) {
        const rh_status refused = arena.status;
        rh__arena_end(&arena);
        return rh__error_fill(err, refused, "%s", rh_status_text(refused));
    }
    system->arena = arena;
    system->equations = equations;
    rh_arena scratch = rh__arena_begin(like->allocator, like->limit);
    const rh_status status = build_system(system, def, &scratch, err);
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        rh__system_destroy(system);
        return status;
    }
    *out = system;
    return RH_OK;
}

void rh__system_destroy(rh_system *system)
{
    if (system == NULL) {
        return;
    }
    rh__tape_destroy(system->step);
    rh__tape_destroy(system->watch);
    rh__tape_destroy(system->output);
    rh__tape_destroy(system->jumps.tape);
    rh_arena arena = system->arena; // the system lies in it
    rh__arena_end(&arena);
}

// The system with the unknowns of the slides in place of their conditions.
static bool solve_through(const rh_system *system, rh_tape_solve *solve, rh_grid *matrix,
                          rh_expr_list *right, rh_arena *scratch)
{
    *matrix = *solve->matrix;
    matrix->entries.data = NULL;
    matrix->entries.count = matrix->entries.capacity = 0;
    bool ok = true;
    for (uint32_t k = 0; ok && k < solve->matrix->entries.count; k++) {
        rh_entry entry = solve->matrix->entries.data[k];
        entry.value = rh__slide_through(system, entry.value, scratch);
        ok = entry.value.i != 0 && rh__array_push(scratch, &matrix->entries, entry);
    }
    for (uint32_t k = 0; ok && k < solve->count; k++) {
        const rh_expr e = rh__slide_through(system, solve->right[k], scratch);
        ok = e.i != 0 && rh__array_push(scratch, right, e);
    }
    solve->matrix = matrix;
    solve->right = right->data;
    return ok;
}

static rh_status build_extra(const rh_system *system, const rh_extra_def *extra, rh_arena *scratch,
                             rh_tape **out, rh_error *err)
{
    rh_meanings meanings = {.system = system, .arena = scratch};
    rh_expr_list through = {0};
    rh_grid matrix;
    rh_expr_list right = {0};
    rh_tape_solve solve;
    bool ok = find_meanings(&meanings);
    for (uint32_t k = 0; ok && k < extra->output_count; k++) {
        const rh_expr e = rh__slide_through(system, extra->outputs[k], scratch);
        ok = e.i != 0 && rh__array_push(scratch, &through, e);
    }
    rh_tape_def def = rh__system_begin_def(system, &meanings);
    if (ok && extra->solve != NULL) {
        solve = *extra->solve;
        ok = solve_through(system, &solve, &matrix, &right, scratch);
        def.solves = &solve;
        def.solve_count = 1;
        def.hold_count = extra->hold_count;
    }
    rh_expr_list inputs = {0};
    if (!ok || !list_inputs(system, scratch, true, extra->inputs, extra->input_count, &inputs)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    def.inputs = inputs.data;
    def.input_count = inputs.count;
    def.outputs = through.data;
    def.output_count = extra->output_count;
    return rh__tape_create(&def, out, err);
}

rh_status rh__system_extra(const rh_system *system, const rh_extra_def *def, rh_tape **out,
                           rh_error *err)
{
    rh_arena scratch = rh__arena_begin(system->arena.allocator, system->arena.limit);
    *out = NULL;
    const rh_status status = build_extra(system, def, &scratch, out, err);
    rh__arena_end(&scratch);
    return status;
}

// --- using -----------------------------------------------------------------------------------

uint32_t rh__system_index(const rh_system *system, rh_expr symbol)
{
    uint32_t low = 0;
    uint32_t high = system->x.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (system->x_places[middle].symbol < symbol.i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_there = low < system->x.count && system->x_places[low].symbol == symbol.i;
    RH_ASSERT(!is_there || system->x_places[low].index < system->x.count);
    return is_there ? system->x_places[low].index : UINT32_MAX;
}

rh_status rh__system_pack(const rh_system *system, const rh_point *point, rh_arena *scratch,
                          double *out_x)
{
    const rh_mark mark = rh__arena_mark(scratch);
    const rh_status status = rh__point_values(point, &system->pack, scratch, out_x);
    rh__arena_rewind(scratch, mark);
    return status;
}

// All orders of a series from its point, by the interpreter.
static void grow_series(const rh_system *system, rh_tape_state *state, uint32_t order)
{
    RH_ASSERT(order <= state->order);
    const uint32_t n = system->x.count;
    const uint32_t *outputs = system->step->outputs;
    for (uint32_t k = 0; k < order; k++) {
        rh__jet_order(state, k);
        const double *rates = rh__jet_row(state, k);
        double *next = rh__jet_row(state, k + 1);
        const double factor = 1.0 / (double)(k + 1);
        next[0] = k == 0 ? 1.0 : 0.0;
        for (uint32_t i = 0; i < n; i++) {
            next[1 + i] = rates[outputs[i]] * factor;
        }
    }
}

void rh__system_series(const rh_system *system, rh_tape_state *state, double t, const double *x,
                       uint32_t order)
{
    RH_ASSERT(state->tape == system->step && order <= state->order);
    const size_t size = system->x.count * sizeof *x;
    double *row = rh__jet_row(state, 0);
    // what was decided by a series goes on with it
    if (state->ready == order && !state->is_wary && row[0] == t && memcmp(row + 1, x, size) == 0) {
        return;
    }
    row[0] = t;
    memcpy(row + 1, x, size);
    if (!rh__kernel_run(state, order)) { // clears what an earlier one left out
        grow_series(system, state, order);
    }
    // pieces of inputs change without a word
    state->ready = state->is_wary || state->tape->feed_count > 0 ? 0 : order;
}
