// SPDX-License-Identifier: Apache-2.0
// The reduction of one model: frame, engine, split, and what is solved for. The pipeline is in
// build().

#include "steady/choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FAR 10.0 // units of a variable

// --- names ---------------------------------------------------------------------------------------

static const char *show_symbol(rh_arena *arena, const rh_store *store, rh_expr symbol)
{
    rh_text text = rh__text_begin(arena, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    return rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

static const char *name_link(const rh_equations *equations, uint32_t link, rh_arena *arena)
{
    const rh_row *row = &equations->links.data[link].constraint->row;
    rh_text text = rh__text_begin(arena, NULL);
    if (row->family.i != 0) {
        rh__family_show(equations->store, row->family, row->member, &text);
    }
    const rh_slice name = rh__text_slice(&text);
    return name.size > 0 ? rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(name)) : "without a name";
}

uint32_t rh__reduction_slot(const rh_reduction *reduction, const char *name)
{
    for (uint32_t k = 1; k < reduction->slot_count; k++) {
        if (strcmp(reduction->names[k], name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

static bool name_switches(rh_reduction *reduction)
{
    RH_ASSERT(reduction->engine.switches.count == reduction->engine.switch_count);
    const rh_engine *engine = &reduction->engine;
    rh_arena *arena = &reduction->arena;
    reduction->switch_names =
        rh__arena_array(arena, const char *, (size_t)engine->switch_count + 1);
    bool ok = reduction->switch_names != NULL;
    for (uint32_t k = 0; ok && k < engine->switch_count; k++) {
        const rh_expr surface = engine->switches.data[k];
        rh_text text = rh__text_begin(arena, NULL);
        rh_show *show =
            rh__show_create(reduction->equations->store, arena, RH_NOTATION_TEXT, &surface, 1);
        ok = show != NULL;
        if (ok) {
            rh__show_expr(show, surface, &text);
            const rh_slice whole = rh__text_slice(&text);
            reduction->switch_names[k] = whole.size <= 100
                                             ? rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(whole))
                                             : rh__text_print(arena, "%.90s ...", whole.data);
        }
    }
    return ok && arena->status == RH_OK;
}

static bool name_sides(rh_reduction *reduction)
{
    const rh_equations *equations = reduction->equations;
    rh_arena *arena = &reduction->arena;
    reduction->side_names = rh__arena_array(arena, const char *, (size_t)reduction->side_count + 1);
    uint32_t at = 0;
    for (uint32_t k = 0; reduction->side_names != NULL && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->constraint->is_one_sided && rh__link_is_enforced(link)) {
            RH_ASSERT(at < reduction->side_count);
            reduction->side_names[at++] = name_link(equations, k, arena);
        }
    }
    return reduction->side_names != NULL && arena->status == RH_OK;
}

static bool name_slots(rh_reduction *reduction)
{
    const rh_tape *tape = reduction->engine.tape;
    reduction->slot_count = tape->input_count;
    reduction->names =
        rh__arena_array(&reduction->arena, const char *, (size_t)tape->input_count + 1);
    for (uint32_t k = 0; reduction->names != NULL && k < tape->input_count; k++) {
        reduction->names[k] =
            show_symbol(&reduction->arena, reduction->equations->store, tape->inputs[k]);
    }
    return reduction->names != NULL && reduction->arena.status == RH_OK &&
           name_switches(reduction) && name_sides(reduction);
}

// A parameter or an input of the model by its name.
static rh_expr find_dial(rh_choosing *in, const char *name)
{
    const rh_equations *equations = in->reduction->equations;
    const rh_model *model = equations->model;
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        if (rh__slice_is(model->inputs.data[k].name, name)) {
            return rh__expr_symbol(equations->store, model->inputs.data[k].family, 0);
        }
    }
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        for (uint32_t member = 0; member < parameter->size && !parameter->is_structural; member++) {
            const rh_expr symbol = rh__expr_symbol(equations->store, parameter->family, member);
            if (strcmp(show_symbol(&in->scratch, equations->store, symbol), name) == 0) {
                return symbol;
            }
        }
    }
    return RH_EXPR_NONE;
}

static rh_status list_dials(rh_choosing *in, rh_error *err)
{
    for (uint32_t k = 0; k < in->def->dial_count; k++) {
        const rh_expr dial = find_dial(in, in->def->dials[k]);
        RH_TRY(in->scratch.status); // names are made there
        if (dial.i == 0) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "\"%.100s\" is no parameter or input of the model that could be "
                                  "changed without deriving anew",
                                  in->def->dials[k]);
        }
        if (!rh__array_push(&in->scratch, &in->dials, dial)) {
            return in->scratch.status;
        }
    }
    return RH_OK;
}

// The split is asked with dials as they are given, where the call wants that.
static rh_status keep_dials(rh_choosing *in)
{
    if (in->def->keeps_dials) {
        double *values = rh__arena_array(&in->reduction->arena, double, in->def->dial_count + 1);
        RH_TRY(values == NULL ? in->reduction->arena.status : RH_OK);
        for (uint32_t k = 0; k < in->def->dial_count; k++) {
            values[k] = in->def->dial_values != NULL ? in->def->dial_values[k] : (double)NAN;
        }
        in->reduction->ground.dial_values = values;
    }
    return RH_OK;
}

// The dials at the generic state of the split.
static rh_status put_dials(rh_choosing *in, rh_values *out)
{
    const rh_reduction *reduction = in->reduction;
    RH_TRY(rh__values_copy(&reduction->equations->model->values, &in->scratch, out));
    RH_ASSERT(in->dials.count == in->def->dial_count);
    const bool ok =
        rh__values_put(out, in->dials.data, reduction->split.state + reduction->engine.x.count,
                       in->dials.count, &in->scratch);
    return ok ? RH_OK : in->scratch.status != RH_OK ? in->scratch.status : RH_E_MEMORY;
}

// Equations are derived once: what was left out because it vanishes must vanish for all values that
// dials may take.
static rh_status check_dials(rh_choosing *in, rh_error *err)
{
    const rh_equations *equations = in->reduction->equations;
    rh_values values;
    if (in->dials.count == 0) {
        return RH_OK;
    }
    RH_TRY(put_dials(in, &values));
    if (!rh__store_zeros_stand(equations->store, &values, &in->scratch)) {
        RH_TRY(in->scratch.status);
        return rh__error_fill(
            err, RH_E_UNAVAILABLE,
            "other equations hold for other values of %.80s%s: something in them vanishes only at "
            "the value of the model; give it a value like any other with --set (not 0, not equal "
            "to another one)",
            in->def->dials[0], in->dials.count > 1 ? " ..." : "");
    }
    return RH_OK;
}

// --- the engine ----------------------------------------------------------------------------------

static rh_status list_extras(rh_choosing *in)
{
    const rh_equations *equations = in->reduction->equations;
    rh_store *store = equations->store;
    const rh_expr loss = rh__model_dissipation(equations->model);
    rh_gradient partials;
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->def->observe_count; k++) {
        RH_ASSERT(in->def->observes[k] < equations->model->observes.count);
        ok = rh__array_push(&in->scratch, &in->extras,
                            equations->model->observes.data[in->def->observes[k]].value);
    }
    in->reduction->side_first = in->extras.count;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->constraint->is_one_sided && rh__link_is_enforced(link)) {
            in->reduction->side_count++;
            ok = rh__array_push(&in->scratch, &in->extras,
                                in->reduction->ground.is_off[k] ? link->levels[0]
                                                                : link->multiplier);
        }
    }
    in->reduction->power = UINT32_MAX;
    if (ok && loss.i != 0 && !rh__expr_is_zero(store, loss)) {
        rh_expr power = rh__expr_integer(store, 0);
        ok = rh__expr_gradient(store, loss, RH_ROLE_VELOCITY, &in->scratch, &partials);
        for (uint32_t k = 0; ok && k < partials.count; k++) {
            power = rh__expr_add(
                store, power,
                rh__expr_multiply(store, partials.data[k].symbol, partials.data[k].value));
        }
        in->reduction->power = in->extras.count;
        ok = ok && power.i != 0 && rh__array_push(&in->scratch, &in->extras, power);
    }
    return ok ? RH_OK : in->scratch.status != RH_OK ? in->scratch.status : RH_E_LIMIT;
}

// The split, and what can be said of it; `closed` has no tape where there is no closed form.
static rh_status find_split(rh_choosing *in, const rh_engine *closed, rh_error *err)
{
    rh_reduction *reduction = in->reduction;
    reduction->start =
        rh__arena_array(&reduction->arena, double, (size_t)reduction->engine.tape->input_count + 1);
    RH_TRY(reduction->start == NULL ? reduction->arena.status : RH_OK);
    RH_TRY(rh__engine_start(&reduction->engine, &reduction->ground, &reduction->frame, &in->scratch,
                            reduction->start));
    RH_TRY(rh__split_find(&reduction->ground, &reduction->engine, reduction->start,
                          &reduction->arena, &reduction->split, err));
    RH_TRY(check_dials(in, err));
    const bool is_short = closed->tape != NULL && closed->tape->slot_count <= RH_CHOICE_CLOSED;
    RH_TRY(is_short ? rh__reduction_still(reduction, closed, &in->scratch) : RH_OK);
    rh_store *store = reduction->equations->store;
    rh_values values;
    RH_TRY(put_dials(in, &values));
    reduction->ground.layout.values = &values;
    rh__store_watch(store, 0); // what is asked here is told, and nothing is derived from it
    const rh_status status =
        rh__split_examine(&reduction->ground, is_short ? closed : &reduction->engine,
                          &reduction->split, &reduction->arena, reduction->conditions);
    rh__store_watch(store, RH_ROLE_PARAM);
    reduction->ground.layout.values = &reduction->equations->model->values;
    return status;
}

// Do rows of constraints depend on earlier ones? The closed form keeps them all, and has no
// solution at any state.
static bool has_spare_rows(const rh_frame_ground *ground)
{
    bool has = false;
    for (uint32_t k = 0; k < ground->equations->links.count; k++) {
        has = has || (ground->is_row[k] && !ground->is_used[k]);
    }
    return has;
}

// In closed form where there is one that holds everywhere and costs no more.
static rh_status make_engine(rh_choosing *in, rh_error *err)
{
    rh_reduction *reduction = in->reduction;
    rh_engine_def def = rh__choice_engine(in, &reduction->frame, false);
    rh_engine closed = {0};
    rh_status made = RH_OK;
    RH_TRY(rh__engine_create(&def, &reduction->engine, err));
    if (reduction->engine.tape->slot_count <= RH_CHOICE_CLOSED) {
        def.is_closed = true;
        made = rh__engine_create(&def, &closed, NULL);
    }
    const rh_status status = made == RH_E_MEMORY ? made : find_split(in, &closed, err);
    if (status == RH_OK && closed.tape != NULL && closed.form.pivots.count == 0 &&
        !has_spare_rows(&reduction->ground) &&
        closed.tape->slot_count <= 2 * reduction->engine.tape->slot_count) {
        const rh_engine other = reduction->engine;
        reduction->engine = closed;
        closed = other;
    }
    if (closed.tape != NULL) {
        rh__engine_destroy(&closed);
    }
    return status;
}

// --- places --------------------------------------------------------------------------------------

// Which symbols stand in the levels, and through them which cyclic coordinates follow.
static rh_status find_levels(rh_reduction *reduction, rh_arena *scratch, bool *is_follower)
{
    const rh_engine *engine = &reduction->engine;
    const rh_equations *equations = reduction->equations;
    const uint32_t n = engine->coordinates.count;
    bool *takes_part = rh__arena_array(scratch, bool, (size_t)engine->level_count + 1);
    bool *holds = rh__arena_array(scratch, bool, (size_t)engine->level_count *n + 1);
    reduction->level = rh__arena_array(&reduction->arena, uint32_t, engine->level_count + 1);
    if (takes_part == NULL || holds == NULL || reduction->level == NULL) {
        return RH_E_MEMORY;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const uint32_t count = !reduction->ground.is_kept[k] ? 0
                               : reduction->ground.is_row[k] ? link->level_count - 1
                                                             : link->level_count;
        for (uint32_t level = 0; level < count; level++, at++) {
            const uint32_t mask = rh__expr_mask(equations->store, link->levels[level]);
            rh_expr_list found = {0};
            if (!rh__expr_symbols(equations->store, link->levels[level], RH_ROLE_COORD, scratch,
                                  &found)) {
                return RH_E_MEMORY;
            }
            takes_part[at] = (mask & (RH_ROLE_VELOCITY | RH_ROLE_STATE)) != 0;
            for (uint32_t j = 0; j < n; j++) {
                for (uint32_t s = 0; s < found.count; s++) {
                    holds[at * n + j] = holds[at * n + j] || found.data[s].i == engine->x.data[j].i;
                }
                takes_part[at] =
                    takes_part[at] || (holds[at * n + j] && reduction->split.is_positional[j]);
            }
        }
    }
    RH_ASSERT(at == engine->level_count);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < engine->level_count; k++) {
            for (uint32_t j = 0; j < n; j++) {
                const bool is_cyclic = holds[k * n + j] && !reduction->split.is_positional[j];
                if (is_cyclic && takes_part[k] != is_follower[j]) {
                    takes_part[k] = is_follower[j] = grows = true;
                }
            }
        }
    }
    for (uint32_t k = 0; k < engine->level_count; k++) {
        if (takes_part[k]) {
            reduction->level[reduction->level_count++] = engine->x.count + k;
        }
    }
    return RH_OK;
}

static rh_status list_places(rh_reduction *reduction, rh_arena *scratch)
{
    const rh_engine *engine = &reduction->engine;
    const uint32_t n = engine->coordinates.count;
    const size_t most = (size_t)engine->tape->input_count + 1;
    bool *is_follower = rh__arena_array(scratch, bool, (size_t)n + 1);
    reduction->place = rh__arena_array(&reduction->arena, uint32_t, most);
    reduction->moving = rh__arena_array(&reduction->arena, uint32_t, most);
    reduction->period = rh__arena_array(&reduction->arena, double, most);
    if (is_follower == NULL || reduction->place == NULL || reduction->moving == NULL ||
        reduction->period == NULL) {
        return RH_E_MEMORY;
    }
    RH_TRY(find_levels(reduction, scratch, is_follower));
    uint32_t count = 0;
    for (uint32_t k = 0; k < engine->x.count; k++) {
        if (k >= n || reduction->split.is_positional[k]) {
            reduction->place[count++] = 1 + k;
        }
    }
    reduction->y_count = count;
    for (uint32_t k = 0; k < n; k++) {
        if (is_follower[k]) {
            reduction->place[count++] = 1 + k;
        }
    }
    reduction->place_count = count;
    memcpy(reduction->moving, reduction->place, count * sizeof *reduction->moving);
    for (uint32_t k = engine->dial_first; k < engine->tape->input_count; k++) {
        reduction->moving[count++] = k;
    }
    reduction->moving_count = count;
    return RH_OK;
}

// Is everything the same after a move of a slot? `before`: the outputs at the values of the bench.
static bool is_same_after(rh_workbench *bench, uint32_t slot, double move, const double *before)
{
    const rh_reduction *reduction = bench->reduction;
    const double was = bench->values[slot];
    bench->values[slot] = was + move;
    bool is_same = rh__workbench_look(bench);
    for (uint32_t i = 0; is_same && i < reduction->engine.tape->output_count; i++) {
        is_same =
            fabs(bench->outputs[i] - before[i]) <= 1e-9 * (reduction->typical[i] + fabs(before[i]));
    }
    bench->values[slot] = was;
    return is_same;
}

// Coordinates by which everything is the same after a turn, or a few.
static rh_status find_periods(rh_reduction *reduction)
{
    enum { TURNS = 4 };
    const rh_engine *engine = &reduction->engine;
    const double turn = 2.0 * acos(-1.0);
    rh_workbench *bench = NULL;
    RH_TRY(rh__workbench_create(reduction, &bench));
    double *before =
        rh__arena_array(&bench->scratch, double, (size_t)engine->tape->output_count + 1);
    rh_status status = before == NULL ? bench->scratch.status : RH_OK;
    memcpy(bench->values + 1, reduction->split.state,
           (reduction->slot_count - 1) * sizeof *bench->values);
    const bool is_sound = status == RH_OK && rh__workbench_look(bench);
    for (uint32_t i = 0; is_sound && i < engine->tape->output_count; i++) {
        before[i] = bench->outputs[i];
    }
    for (uint32_t k = 0; is_sound && k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        const double unit =
            slot <= engine->coordinates.count ? reduction->ground.turn_value[slot - 1] : 0.0;
        for (uint32_t n = 1; unit > 0.0 && n <= TURNS && reduction->period[k] == 0.0; n++) {
            const double move = n * turn / unit;
            reduction->period[k] = is_same_after(bench, slot, move, before) ? move : 0.0;
        }
    }
    rh__workbench_destroy(bench);
    return status;
}

// Values that are many units away from what they are measured from, as a start may be that is far
// from all motions, come nearer. True: there are some.
static bool come_near(const rh_reduction *reduction, double *values)
{
    const rh_engine *engine = &reduction->engine;
    bool is_far = false;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        const double most = FAR * engine->unit[slot];
        const double gap = values[slot] - engine->origin[slot];
        if (fabs(gap) > most) {
            values[slot] = engine->origin[slot] + copysign(most, gap);
            is_far = true;
        }
    }
    return is_far;
}

// The size of the terms of an output at the state of the bench.
static double size_of_terms(const rh_workbench *bench, uint32_t output)
{
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    double sum = fabs(bench->outputs[output]);
    for (uint32_t j = 0; j < reduction->place_count; j++) {
        const uint32_t slot = reduction->place[j];
        sum += fabs(bench->jacobian[output + j * outputs]) *
               rh__engine_size(&reduction->engine, slot, bench->values[slot]);
    }
    return sum;
}

// How large the terms of each output are at a generic state: what rounding is measured by where an
// equation vanishes with all its slopes. Where the state is far out, no more than they are nearer.
static rh_status find_sizes(rh_reduction *reduction)
{
    const uint32_t outputs = reduction->engine.tape->output_count;
    rh_workbench *bench = NULL;
    reduction->typical = rh__arena_array(&reduction->arena, double, (size_t)outputs + 1);
    RH_TRY(reduction->typical == NULL ? reduction->arena.status : RH_OK);
    RH_TRY(rh__workbench_create(reduction, &bench));
    memcpy(bench->values + 1, reduction->split.state,
           (reduction->slot_count - 1) * sizeof *bench->values);
    bool is_sound = rh__workbench_slope(bench);
    reduction->stretch = is_sound ? fmax(rh__workbench_stretch(bench), 1.0) : 1.0;
    for (uint32_t i = 0; i < outputs; i++) {
        const double size = is_sound ? size_of_terms(bench, i) : 1.0;
        reduction->typical[i] = size > 0.0 ? size : 1.0;
    }
    is_sound = is_sound && come_near(reduction, bench->values) && rh__workbench_slope(bench);
    for (uint32_t i = 0; is_sound && i < outputs; i++) {
        const double size = size_of_terms(bench, i);
        reduction->typical[i] =
            size > 0.0 ? fmin(size, reduction->typical[i]) : reduction->typical[i];
    }
    rh__workbench_destroy(bench);
    return RH_OK;
}

// --- making --------------------------------------------------------------------------------------

typedef struct shaking {
    const rh_point *point;
    rh_random *random;
} shaking;

static double shaken_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const shaking *in = user;
    return rh__point_value(in->point, store, symbol) *
           (1.0 + 4.0 * DBL_EPSILON * rh__random_uniform(in->random, -1.0, 1.0));
}

rh_status rh__reduction_bind_shaken(const rh_reduction *reduction, rh_random *random,
                                    rh_tape_state *state)
{
    shaking in = {&reduction->ground.start, random};
    const rh_status status = rh__tape_bind(state, shaken_value, &in);
    if (status == RH_E_UNAVAILABLE) {
        rh__tape_bind_like(state, state->tape == reduction->engine.tape ? reduction->bound
                                                                        : reduction->bound_tangent);
    }
    return status == RH_E_UNAVAILABLE ? RH_OK : status;
}

static rh_status bind_shaken(rh_reduction *reduction)
{
    rh_random random = rh__random_begin(1954);
    for (uint32_t k = 0; k < RH_STEADY_SHAKEN; k++) {
        RH_TRY(rh__tape_state_create(reduction->engine.tape, 0, reduction->arena.allocator,
                                     &reduction->shaken[k]));
        RH_TRY(rh__reduction_bind_shaken(reduction, &random, reduction->shaken[k]));
    }
    return RH_OK;
}

static rh_status bind(rh_reduction *reduction, rh_error *err)
{
    const void *point = &reduction->ground.start;
    const rh_allocator allocator = reduction->arena.allocator;
    RH_TRY(rh__slopes_create(reduction->engine.tape, reduction->moving, reduction->moving_count,
                             &reduction->slopes, err));
    RH_TRY(rh__tape_state_create(reduction->engine.tape, 0, allocator, &reduction->bound));
    RH_TRY(rh__tape_bind(reduction->bound, rh__point_value, point));
    if (reduction->slopes.tape != NULL) {
        RH_TRY(
            rh__tape_state_create(reduction->slopes.tape, 0, allocator, &reduction->bound_tangent));
        RH_TRY(rh__tape_bind(reduction->bound_tangent, rh__point_value, point));
    }
    return bind_shaken(reduction);
}

static rh_status refuse(const rh_reduction *reduction, const rh_reduction_def *def, rh_error *err)
{
    const rh_equations *equations = reduction->equations;
    const rh_model *model = equations->model;
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        bool is_dial = model->inputs.data[k].value.i != 0;
        for (uint32_t d = 0; d < def->dial_count; d++) {
            is_dial = is_dial || rh__slice_is(model->inputs.data[k].name, def->dials[d]);
        }
        if (!is_dial) {
            return rh__error_fill(
                err, RH_E_UNAVAILABLE,
                "the input %.*s comes from a file, with the time: nothing is "
                "steady in it; `linearise --input` takes it as it is at the start",
                RH_SLICE_FORMAT(model->inputs.data[k].name));
        }
    }
    if (reduction->split.reads_time && !def->allows_time) {
        return rh__error_fill(
            err, RH_E_UNAVAILABLE,
            "the equations of motion contain the time, by themselves or through an "
            "input: nothing is steady in them");
    }
    return RH_OK;
}

// Levels of cyclic coordinates alone are no part of a search: they hold at the start, or there is a
// state at which they do.
static rh_status check_constraints(rh_reduction *reduction, rh_error *err)
{
    uint32_t link = UINT32_MAX;
    RH_TRY(rh__constraints_unmet(&reduction->ground, &link));
    if (link != UINT32_MAX) {
        reduction->unmet = name_link(reduction->equations, link, &reduction->arena);
        RH_TRY(reduction->arena.status);
    }
    return reduction->unmet != NULL && reduction->level_count < reduction->engine.level_count
               ? rh__error_fill(err, RH_E_MODEL,
                                "no state near the start satisfies the constraint %.80s: nothing "
                                "is steady where constraints do not hold; look for constraints "
                                "that contradict each other, or give a start nearer to them",
                                reduction->unmet)
               : RH_OK;
}

static rh_status build(rh_choosing *in, rh_error *err)
{
    rh_reduction *reduction = in->reduction;
    RH_TRY(refuse(reduction, in->def, err));
    RH_TRY(list_dials(in, err));
    const rh_frame_ground_def ground = {.dials = in->dials.data,
                                        .dial_count = in->dials.count,
                                        .values = in->def->values,
                                        .value_count = in->def->value_count};
    RH_TRY(rh__frame_ground(reduction->equations, &ground, &reduction->arena, &reduction->ground));
    RH_TRY(keep_dials(in));
    RH_TRY(rh__choice_make(in, err));
    RH_TRY(list_extras(in));
    RH_TRY(make_engine(in, err));
    RH_TRY(refuse(reduction, in->def, err));
    reduction->observe_first = reduction->engine.extra_first;
    reduction->observe_count = in->def->observe_count;
    reduction->side_first += reduction->engine.extra_first;
    if (reduction->power != UINT32_MAX) {
        reduction->power += reduction->engine.extra_first;
    }
    if (!name_slots(reduction)) {
        return reduction->arena.status != RH_OK ? reduction->arena.status : RH_E_MEMORY;
    }
    RH_TRY(list_places(reduction, &in->scratch));
    RH_TRY(check_constraints(reduction, err));
    RH_TRY(bind(reduction, err));
    RH_TRY(rh__reduction_quiet(reduction));
    RH_TRY(find_sizes(reduction));
    return find_periods(reduction);
}

rh_status rh__reduction_create(rh_equations *equations, const rh_reduction_def *def,
                               rh_reduction **out, rh_error *err)
{
    const rh_arena *like = &equations->arena;
    *out = NULL;
    RH_TRY(rh__equations_refuse_intermittent(equations, "steady motions and linear systems", err));
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_reduction *reduction = rh__arena_new(&arena, rh_reduction);
    if (reduction == NULL) {
        rh__arena_end(&arena);
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    reduction->arena = arena;
    reduction->equations = equations;
    reduction->ground.arena = &reduction->arena;
    rh_choosing in = {.reduction = reduction,
                      .def = def,
                      .scratch = rh__arena_begin(like->allocator, like->limit)};
    rh_error reason = {.message = ""};
    const rh_status status = build(&in, &reason);
    rh__arena_end(&in.scratch);
    if (status != RH_OK) {
        rh__reduction_destroy(reduction);
        return rh__error_fill(err, status, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    *out = reduction;
    return RH_OK;
}

void rh__reduction_destroy(rh_reduction *reduction)
{
    if (reduction == NULL) {
        return;
    }
    rh__tape_state_destroy(reduction->bound);
    rh__tape_state_destroy(reduction->bound_tangent);
    for (uint32_t k = 0; k < RH_STEADY_SHAKEN; k++) {
        rh__tape_state_destroy(reduction->shaken[k]);
    }
    rh__slopes_destroy(&reduction->slopes);
    if (reduction->engine.tape != NULL) {
        rh__engine_destroy(&reduction->engine);
    }
    rh_arena arena = reduction->arena;
    rh__arena_end(&arena);
}
