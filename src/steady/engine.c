// SPDX-License-Identifier: Apache-2.0
// Engines: the tape of x' = f(x) in a frame. In closed form the velocities are formulas in the
// quasi-velocities, and the rates of these the unknowns of one system. Else U v = (omega, 0) and
// the equations with multipliers are solved as they stand, whatever their size: the rates of the
// quasi-velocities follow from the accelerations.

#include "steady/steady.h"

#include <math.h>

typedef struct building {
    const rh_engine_def *def;
    rh_engine *engine;
    rh_equations *equations;
    rh_store *store;
    rh_arena *scratch;
    RH_ARRAY(rh_definition) definitions;
    rh_expr_list inputs, outputs;
    rh_grid kinematics; // U
    rh_expr *given;     // its right sides
    rh_expr *velocities;
    rh_form kept; // the equations with multipliers, without redundant rows
} building;

static rh_status refused(const building *in)
{
    return in->scratch->status != RH_OK                      ? in->scratch->status
           : in->engine->arena.status != RH_OK               ? in->engine->arena.status
           : rh__store_refusal(in->store) != RH_REFUSAL_NONE ? RH_E_LIMIT
                                                             : RH_E_MEMORY;
}

static bool define(building *in, rh_expr symbol, rh_expr value)
{
    RH_ASSERT(rh__expr_op(in->store, symbol) == RH_OP_SYMBOL);
    const rh_definition made = {symbol, value};
    for (uint32_t k = 0; k < in->inputs.count; k++) {
        if (in->inputs.data[k].i == symbol.i) {
            return true; // an input of the tape stands for itself
        }
    }
    return rh__array_push(in->scratch, &in->definitions, made);
}

static bool define_all(building *in, const rh_definition *data, uint32_t count)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = define(in, data[k].symbol, data[k].value);
    }
    return ok;
}

static rh_expr quasi_symbol(const building *in, const rh_quasi *quasi)
{
    return rh__expr_symbol(in->store, quasi->symbol, quasi->row.member);
}

// --- inputs --------------------------------------------------------------------------------------

static bool add_x(building *in, rh_range *part, rh_expr symbol)
{
    part->count++;
    return rh__array_push(&in->engine->arena, &in->engine->x, symbol);
}

static bool list_x(building *in)
{
    rh_engine *engine = in->engine;
    const rh_equations *equations = in->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->coordinate_count; k++) {
        ok = add_x(in, &engine->coordinates, equations->carriers.data[k].position);
    }
    engine->velocities.first = engine->x.count;
    for (uint32_t k = 0; ok && k < in->def->frame->count; k++) {
        ok = add_x(in, &engine->velocities, quasi_symbol(in, &in->def->frame->rows[k]));
    }
    engine->states.first = engine->x.count;
    for (uint32_t k = equations->coordinate_count; ok && k < equations->carriers.count; k++) {
        ok = add_x(in, &engine->states, equations->carriers.data[k].variable);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = add_x(in, &engine->states, equations->passives.data[k].variable);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_expr held = equations->links.data[k].held;
        ok = held.i == 0 || add_x(in, &engine->states, held);
    }
    RH_ASSERT(!ok || engine->states.first + engine->states.count == engine->x.count);
    RH_ASSERT(!ok || engine->coordinates.count == equations->coordinate_count);
    return ok;
}

static bool list_inputs(building *in)
{
    const rh_engine_def *def = in->def;
    const rh_expr time = rh__expr_symbol(in->store, in->equations->model->time, 0);
    bool ok = rh__array_push(in->scratch, &in->inputs, time);
    for (uint32_t k = 0; ok && k < in->engine->x.count; k++) {
        ok = rh__array_push(in->scratch, &in->inputs, in->engine->x.data[k]);
    }
    in->engine->dial_first = in->inputs.count;
    for (uint32_t k = 0; ok && k < def->dial_count; k++) {
        ok = rh__array_push(in->scratch, &in->inputs, def->dials[k]);
    }
    RH_ASSERT(!ok || in->engine->dial_first == 1 + in->engine->x.count);
    return ok;
}

// Does the formula hold a dial, or a parameter that follows one? False when there is no memory.
static bool follows(building *in, rh_expr e, bool *out)
{
    rh_expr_list found = {0};
    *out = false;
    if (e.i == 0) {
        return true;
    }
    if (!rh__expr_symbols(in->store, e, RH_ROLE_PARAM, in->scratch, &found)) {
        return false;
    }
    for (uint32_t k = 0; k < found.count; k++) {
        for (uint32_t d = 0; d < in->def->dial_count; d++) {
            *out = *out || in->def->dials[d].i == found.data[k].i;
        }
        for (uint32_t d = 0; d < in->definitions.count; d++) {
            *out = *out || in->definitions.data[d].symbol.i == found.data[k].i;
        }
    }
    return true;
}

// Parameters that are given by dials stay so.
static bool define_parameters(building *in)
{
    const rh_model *model = in->equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && in->def->dial_count > 0 && k < model->value_order.count; k++) {
        const rh_parameter_place place = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[place.parameter];
        const rh_expr value = parameter->defaults[place.member];
        bool is_given = false;
        ok = follows(in, value, &is_given);
        if (ok && is_given) {
            ok = define(in, rh__expr_symbol(in->store, parameter->family, place.member), value);
        }
    }
    return ok;
}

static bool define_inputs(building *in)
{
    const rh_model *model = in->equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        const rh_expr symbol = rh__expr_symbol(in->store, input->family, 0);
        ok = input->value.i == 0 || define(in, symbol, input->value);
    }
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        ok = define(in, quasi_symbol(in, &model->quasis.data[k]), model->quasis.data[k].value);
    }
    return ok;
}

// --- closed form ---------------------------------------------------------------------------------

static bool push_output(building *in, rh_expr e)
{
    return e.i != 0 && rh__array_push(in->scratch, &in->outputs, e);
}

// Rates of states that are no coordinates, in the order of x.
static bool list_states(building *in, const rh_form *form)
{
    const rh_equations *equations = in->equations;
    bool ok = true;
    for (uint32_t k = equations->coordinate_count; ok && k < equations->carriers.count; k++) {
        ok = push_output(in, equations->carriers.data[k].rate);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = push_output(in, form->passives.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = equations->links.data[k].held.i == 0 ||
             push_output(in, equations->links.data[k].multiplier);
    }
    return ok;
}

static bool list_velocities(building *in)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->equations->coordinate_count; k++) {
        ok = push_output(in, in->equations->carriers.data[k].variable);
    }
    return ok;
}

static rh_status make_closed(building *in, rh_error *err)
{
    rh_engine *engine = in->engine;
    const rh_frame *frame = in->def->frame;
    rh_form *form = &engine->form;
    for (uint32_t k = 0; k < in->equations->links.count; k++) {
        if (in->equations->links.data[k].constraint->is_one_sided) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "one-sided constraints have multipliers");
        }
    }
    RH_TRY(rh__form_create_in(in->equations, frame->rows, frame->count, in->def->ground->speeds,
                              &engine->arena, form, err));
    bool fits = form->matrix.rows == form->unknowns.count &&
                form->variables.count ==
                    frame->count + in->equations->carriers.count - in->equations->coordinate_count;
    for (uint32_t k = 0; fits && k < frame->count; k++) {
        fits = form->variables.data[k].i == quasi_symbol(in, &frame->rows[k]).i;
    }
    if (!fits) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "there is no closed form in this frame");
    }
    bool ok = define_all(in, form->velocities.data, form->velocities.count) &&
              define_all(in, form->passives.data, form->passives.count) &&
              define_all(in, form->outputs.data, form->outputs.count) && list_velocities(in);
    for (uint32_t k = 0; ok && k < frame->count; k++) {
        ok = push_output(in, form->unknowns.data[k]);
    }
    return ok && list_states(in, form) ? RH_OK : refused(in);
}

// --- solved as it stands -------------------------------------------------------------------------

// One row of U with its right side: rest + row v = given.
static bool add_row(building *in, uint32_t row, rh_expr value, rh_expr given)
{
    RH_ASSERT(row < in->equations->coordinate_count);
    const rh_equations *equations = in->equations;
    rh_gradient partials;
    bool ok = rh__expr_gradient(in->store, value, RH_ROLE_VELOCITY, in->scratch, &partials);
    rh_expr rest = value;
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        for (uint32_t j = 0; ok && j < equations->coordinate_count; j++) {
            if (equations->carriers.data[j].variable.i == partials.data[k].symbol.i) {
                ok = rh__grid_push(in->scratch, &in->kinematics, row, j, partials.data[k].value);
                rest = rh__expr_replace(in->store, rest, partials.data[k].symbol,
                                        rh__expr_integer(in->store, 0));
            }
        }
    }
    in->given[row] =
        given.i == 0 ? rh__expr_negate(in->store, rest) : rh__expr_subtract(in->store, given, rest);
    return ok && in->given[row].i != 0;
}

static bool make_kinematics(building *in)
{
    const rh_equations *equations = in->equations;
    const rh_frame *frame = in->def->frame;
    const uint32_t n = equations->coordinate_count;
    in->given = rh__arena_array(in->scratch, rh_expr, (size_t)n + 1);
    in->velocities = rh__arena_array(in->scratch, rh_expr, (size_t)n + 1);
    bool ok = in->given != NULL && in->velocities != NULL;
    uint32_t row = 0;
    for (uint32_t k = 0; ok && k < n; k++) {
        in->velocities[k] = equations->carriers.data[k].variable;
    }
    for (uint32_t k = 0; ok && k < frame->count; k++) {
        ok = add_row(in, row++, frame->rows[k].value, quasi_symbol(in, &frame->rows[k]));
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (in->def->ground->is_used[k] && row < n) {
            ok = add_row(in, row++, link->levels[link->level_count - 1], RH_EXPR_NONE);
        }
    }
    return ok && row == n && rh__grid_finish(in->equations, in->scratch, &in->kinematics, n, n);
}

// Rows and multipliers of links that depend on others, or do not act, leave.
static bool is_dropped(const building *in, uint32_t link)
{
    RH_ASSERT(!in->def->ground->is_used[link] || in->def->ground->is_row[link]);
    const rh_frame_ground *ground = in->def->ground;
    return ground->is_off[link] || (ground->is_row[link] && !ground->is_used[link]);
}

static bool copy_kept(building *in)
{
    const rh_equations *equations = in->equations;
    const rh_form *form = &in->engine->form;
    rh_form *kept = &in->kept;
    const uint32_t count = form->unknowns.count;
    uint32_t *column = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    uint32_t *row = rh__arena_array(in->scratch, uint32_t, (size_t)form->matrix.rows + 1);
    kept->right = rh__arena_array(in->scratch, rh_expr, (size_t)form->matrix.rows + 1);
    bool ok = column != NULL && row != NULL && kept->right != NULL;
    uint32_t rows = 0;
    for (uint32_t k = 0; ok && k < count; k++) {
        column[k] = kept->unknowns.count;
        for (uint32_t link = 0; link < equations->links.count; link++) {
            if (is_dropped(in, link) &&
                equations->links.data[link].multiplier.i == form->unknowns.data[k].i) {
                column[k] = UINT32_MAX;
            }
        }
        ok = column[k] == UINT32_MAX
                 ? define(in, form->unknowns.data[k], rh__expr_integer(in->store, 0))
                 : rh__array_push(in->scratch, &kept->unknowns, form->unknowns.data[k]);
    }
    for (uint32_t k = 0; ok && k < form->matrix.rows; k++) {
        const uint32_t link = form->link_of[k];
        row[k] = link != 0 && is_dropped(in, link - 1) ? UINT32_MAX : rows++;
        if (row[k] != UINT32_MAX) {
            kept->right[row[k]] = form->right[k];
        }
    }
    for (uint32_t k = 0; ok && k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        ok = row[entry->row] == UINT32_MAX || column[entry->column] == UINT32_MAX ||
             rh__grid_push(in->scratch, &kept->matrix, row[entry->row], column[entry->column],
                           entry->value);
    }
    RH_ASSERT(!ok || (rows <= form->matrix.rows && kept->unknowns.count <= count));
    kept->rate_count = form->rate_count;
    return ok &&
           rh__grid_finish(in->equations, in->scratch, &kept->matrix, rows, kept->unknowns.count);
}

static rh_expr along_motion(void *user, rh_store *store, rh_expr symbol)
{
    const building *in = user;
    const rh_equations *equations = in->equations;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        if (carrier->variable.i == symbol.i) {
            return carrier->rate;
        }
        if (carrier->position.i == symbol.i) {
            return carrier->variable;
        }
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        if (equations->passives.data[k].variable.i == symbol.i) {
            return in->engine->form.passives.data[k].value;
        }
    }
    return (mask & RH_ROLE_INPUT) != 0 ? rh__derive_input_rate(equations, symbol)
                                       : rh__expr_integer(store, 0);
}

static rh_status make_solved(building *in, rh_error *err)
{
    rh_engine *engine = in->engine;
    const rh_frame *frame = in->def->frame;
    RH_TRY(rh__form_create(in->equations, RH_FORM_MULTIPLIERS, &engine->arena, &engine->form, err));
    rh_derivation *along = rh__derivation_create(in->store, in->scratch, along_motion, in);
    bool ok = along != NULL && make_kinematics(in) && copy_kept(in) &&
              define_all(in, engine->form.outputs.data, engine->form.outputs.count) &&
              define_all(in, engine->form.passives.data, engine->form.passives.count) &&
              list_velocities(in);
    for (uint32_t k = 0; ok && k < frame->count; k++) {
        ok = push_output(in, rh__derivation_apply(along, frame->rows[k].value));
    }
    ok = ok && list_states(in, &engine->form);
    if (ok && in->kept.matrix.rows != in->kept.unknowns.count) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "there are %u equations for %u unknowns",
                              in->kept.matrix.rows, in->kept.unknowns.count);
    }
    return ok ? RH_OK : refused(in);
}

// --- making --------------------------------------------------------------------------------------

// The last level of a row that restricts velocities holds by itself.
static bool list_levels(building *in)
{
    const rh_equations *equations = in->equations;
    const uint32_t before = in->outputs.count;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const uint32_t count = !in->def->ground->is_kept[k] ? 0
                               : in->def->ground->is_row[k] ? link->level_count - 1
                                                            : link->level_count;
        for (uint32_t level = 0; ok && level < count; level++) {
            ok = push_output(in, link->levels[level]);
        }
    }
    in->engine->level_count = in->outputs.count - before;
    return ok;
}

static bool push_grid(building *in, rh_expr_list *roots, const rh_grid *grid)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        ok = rh__array_push(in->scratch, roots, grid->entries.data[k].value);
    }
    return ok;
}

// What vanishes where any of the equations switch, or the energies they are made of.
static bool list_switches(building *in)
{
    rh_engine *engine = in->engine;
    const rh_model *model = in->equations->model;
    const rh_form *form = engine->is_closed ? &engine->form : &in->kept;
    const rh_expr energies[] = {rh__model_kinetic(model), rh__model_potential(model),
                                rh__model_dissipation(model)};
    rh_expr_list roots = {0};
    bool ok = push_grid(in, &roots, &form->matrix) && push_grid(in, &roots, &in->kinematics);
    for (uint32_t k = 0; ok && k < form->matrix.rows; k++) {
        ok = rh__array_push(in->scratch, &roots, form->right[k]);
    }
    for (uint32_t k = 0; ok && k < in->kinematics.rows; k++) {
        ok = rh__array_push(in->scratch, &roots, in->given[k]);
    }
    for (uint32_t k = 0; ok && k < in->definitions.count; k++) {
        ok = rh__array_push(in->scratch, &roots, in->definitions.data[k].value);
    }
    for (uint32_t k = 0; ok && k < engine->extra_first; k++) {
        ok = rh__array_push(in->scratch, &roots, in->outputs.data[k]);
    }
    for (uint32_t k = 0; ok && k < 3; k++) {
        ok = energies[k].i == 0 || rh__array_push(in->scratch, &roots, energies[k]);
    }
    ok = ok && rh__switches_find(in->store, &roots, &engine->arena, &engine->switches);
    engine->switch_first = in->outputs.count;
    engine->switch_count = engine->switches.count;
    for (uint32_t k = 0; ok && k < engine->switch_count; k++) {
        ok = push_output(in, engine->switches.data[k]);
    }
    return ok;
}

static rh_status make_tape(building *in, rh_error *err)
{
    rh_engine *engine = in->engine;
    const rh_equations *equations = in->equations;
    const rh_form *form = engine->is_closed ? &engine->form : &in->kept;
    const uint32_t n = equations->coordinate_count;
    const rh_tape_solve solves[] = {{.matrix = &form->matrix,
                                     .right = form->right,
                                     .unknowns = form->unknowns.data,
                                     .count = form->unknowns.count,
                                     .rate_count = form->rate_count},
                                    {.matrix = &in->kinematics,
                                     .right = in->given,
                                     .unknowns = in->velocities,
                                     .count = n,
                                     .rate_count = n}};
    const rh_tape_def def = {.store = in->store,
                             .allocator = engine->arena.allocator,
                             .memory_limit = engine->arena.limit,
                             .inputs = in->inputs.data,
                             .input_count = in->inputs.count,
                             .definitions = in->definitions.data,
                             .definition_count = in->definitions.count,
                             .solves = solves,
                             .solve_count = engine->is_closed ? 1 : 2,
                             .outputs = in->outputs.data,
                             .output_count = in->outputs.count,
                             .value_of = rh__values_parameter,
                             .user = &equations->model->values};
    return rh__tape_create(&def, &engine->tape, err);
}

static rh_status build(building *in, rh_error *err)
{
    rh_engine *engine = in->engine;
    if (!list_x(in) || !list_inputs(in) || !define_parameters(in) || !define_inputs(in)) {
        return refused(in);
    }
    RH_TRY(engine->is_closed ? make_closed(in, err) : make_solved(in, err));
    RH_ASSERT(in->outputs.count == engine->x.count);
    bool ok = list_levels(in);
    engine->extra_first = in->outputs.count;
    for (uint32_t k = 0; ok && k < in->def->extra_count; k++) {
        ok = push_output(in, in->def->extras[k]);
    }
    return ok && list_switches(in) ? make_tape(in, err) : refused(in);
}

// Sizes of all inputs: those of variables and dials, of quasi-velocities by their rows.
static rh_status find_units(const rh_engine_def *def, rh_arena *scratch, rh_engine *out)
{
    const rh_frame_ground *ground = def->ground;
    rh_store *store = ground->equations->store;
    out->unit = rh__arena_array(&out->arena, double, (size_t)out->tape->input_count + 1);
    out->origin = rh__arena_array(&out->arena, double, (size_t)out->tape->input_count + 1);
    RH_TRY(out->unit == NULL || out->origin == NULL ? out->arena.status : RH_OK);
    out->pace = 1.0 / ground->time_size;
    for (uint32_t k = 0; k < out->tape->input_count; k++) {
        const uint32_t slot = rh__layout_slot(&ground->layout, out->tape->inputs[k]);
        const bool is_velocity =
            k > out->velocities.first && k <= out->velocities.first + out->velocities.count;
        out->unit[k] = k >= out->dial_first ? ground->dial_sizes[k - out->dial_first]
                       : slot != UINT32_MAX ? ground->sizes[slot]
                                            : 1.0;
        out->origin[k] = k >= out->dial_first ? ground->dial_origins[k - out->dial_first]
                         : slot != UINT32_MAX ? ground->origins[slot]
                                              : 0.0;
        rh_gradient partials = {0};
        double sum = 0.0;
        if (is_velocity &&
            !rh__expr_gradient(store, def->frame->rows[k - 1 - out->velocities.first].value,
                               RH_ROLE_VELOCITY, scratch, &partials)) {
            return scratch->status != RH_OK ? scratch->status : RH_E_LIMIT;
        }
        for (uint32_t j = 0; j < partials.count; j++) {
            const uint32_t by = rh__layout_slot(&ground->layout, partials.data[j].symbol);
            double slope = 0.0;
            RH_TRY(rh__point_evaluate(&ground->start, &partials.data[j].value, 1, scratch, &slope));
            sum = by != UINT32_MAX ? fmax(sum, fabs(slope) * ground->sizes[by]) : sum;
        }
        out->unit[k] = sum > 0.0 && isfinite(sum) ? sum : out->unit[k];
    }
    return RH_OK;
}

double rh__engine_size(const rh_engine *engine, uint32_t input, double value)
{
    return engine->unit[input] + fabs(value - engine->origin[input]);
}

rh_status rh__engine_create(const rh_engine_def *def, rh_engine *out, rh_error *err)
{
    rh_equations *equations = def->ground->equations;
    const rh_arena *like = &equations->arena;
    *out = (rh_engine){.arena = rh__arena_begin(like->allocator, like->limit),
                       .is_closed = def->is_closed};
    rh_arena scratch = rh__arena_begin(like->allocator, like->limit);
    building in = {.def = def,
                   .engine = out,
                   .equations = equations,
                   .store = equations->store,
                   .scratch = &scratch};
    rh_error reason = {.message = ""};
    rh_status status = build(&in, &reason);
    status = status == RH_OK ? find_units(def, &scratch, out) : status;
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        rh__engine_destroy(out);
        return rh__error_fill(err, status, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    return RH_OK;
}

rh_status rh__engine_start(const rh_engine *engine, const rh_frame_ground *ground,
                           const rh_frame *frame, rh_arena *scratch, double *out)
{
    const rh_tape *tape = engine->tape;
    rh_store *store = ground->equations->store;
    const void *point = &ground->start;
    for (uint32_t k = 0; k < tape->input_count; k++) {
        const bool is_velocity = k > engine->velocities.first &&
                                 k <= engine->velocities.first + engine->velocities.count;
        if (is_velocity) {
            RH_TRY(rh__point_evaluate(&ground->start,
                                      &frame->rows[k - 1 - engine->velocities.first].value, 1,
                                      scratch, &out[k]));
        } else {
            out[k] = rh__point_value(point, store, tape->inputs[k]);
        }
        if (k >= engine->dial_first && ground->dial_values != NULL &&
            isfinite(ground->dial_values[k - engine->dial_first])) {
            out[k] = ground->dial_values[k - engine->dial_first];
        }
        out[k] = isfinite(out[k]) ? out[k] : 0.0;
    }
    return RH_OK;
}

void rh__engine_destroy(rh_engine *engine)
{
    rh__tape_destroy(engine->tape);
    rh__arena_end(&engine->arena);
    *engine = (rh_engine){0};
}
