// SPDX-License-Identifier: Apache-2.0
// What a call asks for: names of variables, velocities, parameters and observed quantities become
// places that are fixed, equations, and dials.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

// --- names ---------------------------------------------------------------------------------------

static const char *symbol_name(rh_arena *arena, const rh_store *store, rh_expr symbol)
{
    rh_text text = rh__text_begin(arena, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    return rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

static uint32_t place_of(const rh_reduction *reduction, uint32_t slot)
{
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        if (reduction->place[k] == slot) {
            return k;
        }
    }
    return UINT32_MAX;
}

// The velocity of a coordinate: an output of the tape; UINT32_MAX.
static uint32_t velocity_of(const rh_reduction *reduction, rh_arena *arena, const char *name)
{
    const rh_equations *equations = reduction->equations;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        if (strcmp(symbol_name(arena, equations->store, equations->carriers.data[k].variable),
                   name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

static uint32_t observe_of(const rh_reduction *reduction, const rh_reduction_def *def,
                           const char *name)
{
    const rh_model *model = reduction->equations->model;
    for (uint32_t k = 0; k < def->observe_count; k++) {
        if (strcmp(model->observes.data[def->observes[k]].name, name) == 0) {
            return reduction->observe_first + k;
        }
    }
    return UINT32_MAX;
}

static rh_status complain(const rh_reduction *reduction, const char *what, const char *name,
                          rh_error *err)
{
    rh_nearest nearest = rh__nearest_begin(rh__slice_of(name));
    const rh_model *model = reduction->equations->model;
    for (uint32_t k = 1; k < reduction->slot_count; k++) {
        rh__nearest_offer(&nearest, rh__slice_of(reduction->names[k]));
    }
    for (uint32_t k = 0; k < model->observes.count; k++) {
        rh__nearest_offer(&nearest, rh__slice_of(model->observes.data[k].name));
    }
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        rh__nearest_offer(&nearest, model->parameters.data[k].name);
    }
    return nearest.best.size > 0
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "%s: there is no \"%.80s\" among the variables; did you mean %.*s?",
                                what, name, RH_SLICE_FORMAT(nearest.best))
               : rh__error_fill(err, RH_E_ARGUMENT,
                                "%s: there is no \"%.80s\" among the coordinates, "
                                "quasi-velocities, states, parameters and observed quantities",
                                what, name);
}

// Is an observed quantity of the call made of numbers and parameters alone?
static bool is_given(const rh_reduction *reduction, const rh_reduction_def *def, uint32_t output)
{
    const rh_equations *equations = reduction->equations;
    const uint32_t index = output - reduction->observe_first;
    return output >= reduction->observe_first && index < def->observe_count &&
           (rh__expr_mask(equations->store,
                          equations->model->observes.data[def->observes[index]].value) &
            ~(uint32_t)RH_ROLE_PARAM) == 0;
}

typedef struct reading {
    const rh_equations *equations;
    rh_arena *arena;
    RH_ARRAY(const char *) dials;
    RH_ARRAY(uint32_t) observes;
} reading;

static bool is_parameter(const reading *in, const char *name)
{
    const rh_model *model = in->equations->model;
    const char *bracket = strchr(name, '[');
    const rh_slice bare = {name, bracket != NULL ? (size_t)(bracket - name) : strlen(name)};
    bool is_there = false;
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        is_there = is_there || rh__slice_equal(model->parameters.data[k].name, bare);
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        is_there = is_there || rh__slice_equal(model->inputs.data[k].name, bare);
    }
    return is_there;
}

bool rh_steady_knows(const rh_equations *equations, const char *name)
{
    const rh_model *model = equations->model;
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    const reading in = {.equations = equations};
    bool is_known = is_parameter(&in, name);
    for (uint32_t k = 0; !is_known && k < equations->carriers.count; k++) {
        const rh_carrier *it = &equations->carriers.data[k];
        is_known = strcmp(symbol_name(&arena, equations->store, it->variable), name) == 0 ||
                   (it->position.i != 0 &&
                    strcmp(symbol_name(&arena, equations->store, it->position), name) == 0);
    }
    for (uint32_t k = 0; !is_known && k < equations->passives.count; k++) {
        is_known =
            strcmp(symbol_name(&arena, equations->store, equations->passives.data[k].variable),
                   name) == 0;
    }
    for (uint32_t k = 0; !is_known && k < equations->links.count; k++) {
        const rh_expr held = equations->links.data[k].held;
        is_known = held.i != 0 && strcmp(symbol_name(&arena, equations->store, held), name) == 0;
    }
    for (uint32_t k = 0; !is_known && k < model->quasis.count; k++) {
        const rh_quasi *it = &model->quasis.data[k];
        const rh_expr symbol = rh__expr_symbol(equations->store, it->symbol, it->row.member);
        is_known = strcmp(symbol_name(&arena, equations->store, symbol), name) == 0;
    }
    for (uint32_t k = 0; !is_known && k < model->observes.count; k++) {
        is_known = strcmp(model->observes.data[k].name, name) == 0;
    }
    rh__arena_end(&arena);
    return is_known;
}

// --- reading -------------------------------------------------------------------------------------

static rh_status read_fix(const rh_reduction *reduction, const rh_reduction_def *def,
                          const rh_steady_value *fix, rh_arena *arena, rh_wish *out, rh_error *err)
{
    const uint32_t slot = rh__reduction_slot(reduction, fix->name);
    if (!isfinite(fix->value)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "--fix %.80s: the value is not finite",
                              fix->name);
    }
    if (slot != UINT32_MAX) {
        const uint32_t place = place_of(reduction, slot);
        out->values[slot] = fix->value;
        if (place != UINT32_MAX) {
            out->is_fixed[place] = true;
        }
        return RH_OK;
    }
    uint32_t output = velocity_of(reduction, arena, fix->name);
    output = output != UINT32_MAX ? output : observe_of(reduction, def, fix->name);
    RH_TRY(arena->status); // names are made there
    if (output == UINT32_MAX) {
        return complain(reduction, "--fix", fix->name, err);
    }
    if (is_given(reduction, def, output)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "--fix: \"%.80s\" is made of parameters alone, which are not solved "
                              "for: give these",
                              fix->name);
    }
    out->names[out->observed_count] = rh__text_print(arena, "%s", fix->name);
    out->observed[out->observed_count] = output;
    out->wanted[out->observed_count++] = fix->value;
    return RH_OK;
}

// One name, one value.
static rh_status check_twice(const char *what, const rh_steady_value *list, size_t count,
                             rh_error *err)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t j = k + 1; j < count; j++) {
            if (strcmp(list[k].name, list[j].name) == 0) {
                return rh__error_fill(err, RH_E_ARGUMENT,
                                      "%s %.80s is given twice, as %.10g and as %.10g: leave one",
                                      what, list[k].name, list[k].value, list[j].value);
            }
        }
    }
    return RH_OK;
}

// A guess is where variables begin: nothing else can have one.
static rh_status refuse_guess(const rh_reduction *reduction, const char *name, rh_arena *arena,
                              rh_error *err)
{
    const rh_model *model = reduction->equations->model;
    const reading in = {.equations = reduction->equations};
    if (is_parameter(&in, name)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "--guess %.80s: it is a parameter or an input, and is not searched "
                              "for: --fix or --set gives it another value",
                              name);
    }
    bool is_told = velocity_of(reduction, arena, name) != UINT32_MAX;
    for (uint32_t k = 0; k < model->observes.count; k++) {
        is_told = is_told || strcmp(model->observes.data[k].name, name) == 0;
    }
    RH_TRY(arena->status);
    if (is_told) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "--guess %.80s: it follows from the variables: give these, or --fix "
                              "%.80s",
                              name, name);
    }
    return complain(reduction, "--guess", name, err);
}

static rh_status read_guess(const rh_reduction *reduction, const rh_steady_value *guess,
                            rh_arena *arena, rh_wish *out, rh_error *err)
{
    const uint32_t slot = rh__reduction_slot(reduction, guess->name);
    if (slot == UINT32_MAX || slot >= reduction->engine.dial_first) {
        return refuse_guess(reduction, guess->name, arena, err);
    }
    if (!isfinite(guess->value)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "--guess %.80s: the value is not finite",
                              guess->name);
    }
    out->values[slot] = guess->value;
    return RH_OK;
}

rh_status rh__wish_read(const rh_reduction *reduction, const rh_reduction_def *def,
                        const rh_steady_def *call, rh_arena *arena, rh_wish *out, rh_error *err)
{
    *out = (rh_wish){0};
    out->is_fixed = rh__arena_array(arena, bool, (size_t)reduction->place_count + 1);
    out->observed = rh__arena_array(arena, uint32_t, call->fix_count + 1);
    out->wanted = rh__arena_array(arena, double, call->fix_count + 1);
    out->names = rh__arena_array(arena, const char *, call->fix_count + 1);
    out->values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    if (out->is_fixed == NULL || out->observed == NULL || out->wanted == NULL ||
        out->names == NULL || out->values == NULL) {
        return arena->status;
    }
    memcpy(out->values, reduction->start, reduction->slot_count * sizeof *out->values);
    RH_TRY(check_twice("--guess", call->guess, call->guess_count, err));
    RH_TRY(check_twice("--fix", call->fix, call->fix_count, err));
    for (size_t k = 0; k < call->guess_count; k++) {
        RH_TRY(read_guess(reduction, &call->guess[k], arena, out, err));
    }
    for (size_t k = 0; k < call->fix_count; k++) {
        RH_TRY(read_fix(reduction, def, &call->fix[k], arena, out, err));
    }
    return RH_OK;
}

rh_rest_query rh__wish_query(const rh_wish *wish)
{
    return (rh_rest_query){.is_fixed = wish->is_fixed,
                           .observed = wish->observed,
                           .wanted = wish->wanted,
                           .observed_count = wish->observed_count,
                           .extra = UINT32_MAX};
}

// --- the reduction of a call ---------------------------------------------------------------------

static bool add_dial(reading *in, const char *name)
{
    for (uint32_t k = 0; k < in->dials.count; k++) {
        if (strcmp(in->dials.data[k], name) == 0) {
            return true;
        }
    }
    return rh__array_push(in->arena, &in->dials, name);
}

static bool add_observe(reading *in, const char *name)
{
    const rh_model *model = in->equations->model;
    for (uint32_t k = 0; k < model->observes.count; k++) {
        if (strcmp(model->observes.data[k].name, name) == 0) {
            return rh__array_push(in->arena, &in->observes, k);
        }
    }
    return true;
}

// Does the call name a velocity of a coordinate? Then it thinks in velocities.
static bool names_velocity(const reading *in, const rh_steady_value *list, size_t count)
{
    const rh_equations *equations = in->equations;
    for (size_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < equations->coordinate_count; j++) {
            const rh_expr velocity = equations->carriers.data[j].variable;
            if (strcmp(symbol_name(in->arena, equations->store, velocity), list[k].name) == 0) {
                return true;
            }
        }
    }
    return false;
}

rh_status rh__wish_reduce(rh_equations *equations, const rh_steady_def *call,
                          const rh_reduction_def *more, rh_arena *arena, rh_reduction **out,
                          rh_wish *out_wish, rh_error *err)
{
    reading in = {.equations = equations, .arena = arena};
    bool ok = true;
    for (size_t k = 0; ok && k < call->dial_count; k++) {
        ok = add_dial(&in, call->dials[k]);
    }
    for (uint32_t k = 0; ok && k < more->dial_count; k++) {
        ok = add_dial(&in, more->dials[k]);
    }
    for (uint32_t k = 0; ok && k < more->observe_count; k++) {
        ok = rh__array_push(arena, &in.observes, more->observes[k]);
    }
    for (size_t k = 0; ok && k < call->fix_count; k++) {
        ok = is_parameter(&in, call->fix[k].name) ? add_dial(&in, call->fix[k].name)
                                                  : add_observe(&in, call->fix[k].name);
    }
    if (!ok) {
        return arena->status;
    }
    double *values = rh__arena_array(arena, double, (size_t)in.dials.count + 1);
    RH_TRY(values == NULL ? arena->status : RH_OK);
    for (uint32_t d = 0; d < in.dials.count; d++) {
        values[d] = (double)NAN;
        for (size_t k = 0; k < call->fix_count; k++) {
            values[d] =
                strcmp(call->fix[k].name, in.dials.data[d]) == 0 ? call->fix[k].value : values[d];
        }
    }
    rh_steady_value *named =
        rh__arena_array(arena, rh_steady_value, call->fix_count + call->guess_count + 1);
    RH_TRY(named == NULL ? arena->status : RH_OK);
    rh_reduction_def def = *more;
    for (size_t k = 0; k < call->fix_count; k++) {
        named[def.value_count++] = call->fix[k];
    }
    for (size_t k = 0; k < call->guess_count; k++) {
        named[def.value_count++] = call->guess[k];
    }
    def.values = named;
    def.dial_values = values;
    def.keeps_velocities = def.keeps_velocities ||
                           names_velocity(&in, call->fix, call->fix_count) ||
                           names_velocity(&in, call->guess, call->guess_count);
    def.dials = in.dials.data;
    def.dial_count = in.dials.count;
    def.observes = in.observes.data;
    def.observe_count = in.observes.count;
    RH_TRY(rh__reduction_create(equations, &def, out, err));
    return rh__wish_read(*out, &def, call, arena, out_wish, err);
}
