// SPDX-License-Identifier: Apache-2.0
// What the tests of `tape` share: models with their equations and systems, states bound to a start,
// small stores with symbols, random expressions.

#pragma once

#include "support.h"

#include "tape/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- systems -------------------------------------------------------------------------------------

typedef struct machine {
    rh_model *model;
    rh_equations *equations;
    rh_arena arena;
    rh_layout layout;
    rh_start start;
    rh_system *system;
} machine;

typedef struct machine_def {
    const char *path;
    const char *text; // of a model that is in no file; NULL: it is read from the path
    const char *set;  // one parameter change; NULL without
    bool is_plain;    // without presolve
} machine_def;

/// False when the model is not sound or has no start.
static inline bool machine_begin(const machine_def *def, machine *out)
{
    size_t size = 0;
    char *text = def->text == NULL ? support_read(def->path, &size) : NULL;
    rh_model_def model_def = rh_model_def_default();
    model_def.name = def->path;
    model_def.text = def->text != NULL ? def->text : text;
    model_def.text_size = def->text != NULL ? strlen(def->text) : size;
    model_def.set = &def->set;
    model_def.set_count = def->set != NULL;
    *out = (machine){0};
    const rh_status status = rh_model_create(&model_def, &out->model, NULL);
    free(text);
    rh_equations_def equations_def = rh_equations_def_default();
    equations_def.has_presolve = !def->is_plain;
    if (status != RH_OK ||
        rh_equations_create(out->model, &equations_def, &out->equations, NULL) != RH_OK) {
        rh_equations_destroy(out->equations);
        rh_model_destroy(out->model);
        return false;
    }
    out->arena = rh__arena_begin(rh_allocator_default(), (size_t)4 << 30);
    assert_int_equal(rh__layout_create(out->equations, &out->arena, &out->layout), RH_OK);
    rh_diagnostics diagnostics = rh__diagnostics_begin(&out->arena);
    assert_int_equal(
        rh__start_find(out->equations, &out->layout, &out->arena, &diagnostics, &out->start),
        RH_OK);
    const rh_tapes_def system_def = {.form = def->is_plain ? RH_FORM_MULTIPLIERS : RH_FORM_REDUCED,
                                     .has_outputs = true};
    rh_error err = RH_ZERO;
    if (rh__system_create(out->equations, &system_def, &out->system, &err) != RH_OK) {
        fail_msg("%s: %s", def->path, err.message);
    }
    return true;
}

static inline void machine_end(machine *it)
{
    rh__system_destroy(it->system);
    rh_equations_destroy(it->equations);
    rh__arena_end(&it->arena);
    rh_model_destroy(it->model);
}

/// A state of one of the system's tapes, bound to the values of a point.
static inline rh_tape_state *bound_state(const rh_tape *tape, const rh_point *point, uint32_t order)
{
    rh_tape_state *state = NULL;
    assert_int_equal(rh__tape_state_create(tape, order, rh_allocator_default(), &state), RH_OK);
    assert_int_equal(rh__tape_bind(state, rh__point_value, (void *)(uintptr_t)point), RH_OK);
    return state;
}

/// x at a point.
static inline double *packed(machine *it, const rh_point *point)
{
    double *x = rh__arena_array(&it->arena, double, (size_t)it->system->x.count + 1);
    assert_int_equal(rh__system_pack(it->system, point, &it->arena, x), RH_OK);
    return x;
}

/// Order 0 of the stepping tape at (t, x).
static inline void run_at(rh_tape_state *state, double t, const double *x)
{
    const uint32_t n = state->tape->input_count - 1 - 2 * state->tape->feed_count;
    state->jet[0] = t;
    memcpy(state->jet + 1, x, n * sizeof *x);
    rh__tape_run(state);
}

static inline double time_at(const machine *it, const rh_point *point)
{
    return rh__point_get(point, rh__expr_symbol(it->equations->store, it->model->time, 0));
}
