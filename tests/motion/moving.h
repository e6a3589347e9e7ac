// SPDX-License-Identifier: Apache-2.0
// What the tests of `motion` share: a model from a text, its motion, columns by their names.

#pragma once

#include "support.h"

#include "rheonom/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// What a motion is made with besides the text of its model. {0} gives the defaults.
typedef struct moving_conditions {
    const char *set[16];
    const char *start[16];
    uint32_t set_count, start_count;
    bool is_plain;       // without presolve
    double tolerance;    // 0: the default
    double drift;        // the same
    uint32_t order;      // 0: chosen
    uint32_t step_limit; // 0: the default
    rh_method method;
    rh_tier tier;
    const rh_feed *feeds;
    size_t feed_count;
    bool has_live_inputs;
    const rh_tolerance *tolerances;
    size_t tolerance_count;
    support_memory *memory; // NULL: the default allocator
} moving_conditions;

typedef struct moving {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
    rh_error err;
} moving;

static inline void moving_end(moving *it)
{
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (moving){.motion = NULL};
}

/// The status is the first that is not RH_OK; what was made is there to be destroyed.
static inline rh_status moving_try(const char *text, const moving_conditions *with, moving *out)
{
    *out = (moving){.motion = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = with->set;
    def.set_count = with->set_count;
    def.start = with->start;
    def.start_count = with->start_count;
    if (with->memory != NULL) {
        def.allocator = support_memory_allocator(with->memory);
    }
    rh_status status = rh_model_create(&def, &out->model, &out->err);
    if (status == RH_OK) {
        rh_equations_def derive = rh_equations_def_default();
        derive.has_presolve = !with->is_plain;
        status = rh_equations_create(out->model, &derive, &out->equations, &out->err);
    }
    if (status == RH_OK) {
        rh_motion_def move = rh_motion_def_default();
        move.tolerance = with->tolerance > 0.0 ? with->tolerance : move.tolerance;
        move.step_limit = with->step_limit > 0 ? with->step_limit : move.step_limit;
        move.drift = with->drift > 0.0 ? with->drift : move.drift;
        move.order = with->order;
        move.method = with->method;
        move.tier = with->tier;
        move.feeds = with->feeds;
        move.feed_count = with->feed_count;
        move.has_live_inputs = with->has_live_inputs;
        move.tolerances = with->tolerances;
        move.tolerance_count = with->tolerance_count;
        status = rh_motion_create(out->equations, &move, &out->motion, &out->err);
    }
    return status;
}

static inline moving moving_begin(const char *text, const moving_conditions *with)
{
    static const moving_conditions PLAIN = {.set_count = 0};
    moving it;
    const rh_status status = moving_try(text, with != NULL ? with : &PLAIN, &it);
    if (status != RH_OK) {
        for (size_t k = 0; it.model != NULL && k < rh_model_diagnostic_count(it.model); k++) {
            print_error("%s\n", rh_model_diagnostic(it.model, k).message);
        }
        print_error("%s: %s, in:\n%s\n", rh_status_text(status), it.err.message, text);
        moving_end(&it);
        fail();
    }
    return it;
}

/// The same from a file of the tree.
static inline moving moving_file(const char *path, const moving_conditions *with)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    moving it = moving_begin(text, with);
    free(text);
    return it;
}

static inline rh_stop moving_advance(moving *it, double t_end)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(it->motion, t_end, &stop, &it->err), RH_OK);
    return stop;
}

/// Go to `t_end`, and get there.
static inline void moving_reach(moving *it, double t_end)
{
    if (moving_advance(it, t_end) != RH_STOP_REACHED || rh_motion_time(it->motion) != t_end) {
        fail_msg("%.17g is not reached: at %.17g, %s", t_end, rh_motion_time(it->motion),
                 rh_motion_reason(it->motion));
    }
}

static inline size_t moving_column(const moving *it, const char *name)
{
    const size_t count = rh_motion_column_count(it->motion);
    for (size_t k = 0; k < count; k++) {
        if (strcmp(rh_motion_column_name(it->motion, k), name) == 0) {
            return k;
        }
    }
    fail_msg("there is no column %s", name);
    return 0;
}

/// All columns at a time within the last step; the caller frees them.
static inline double *moving_row(moving *it, double time)
{
    double *row = calloc(rh_motion_column_count(it->motion) + 1, sizeof *row);
    assert_non_null(row);
    assert_int_equal(rh_motion_row(it->motion, time, row, &it->err), RH_OK);
    return row;
}

/// A column at the present time.
static inline double moving_value(moving *it, const char *name)
{
    double *row = moving_row(it, rh_motion_time(it->motion));
    const double value = row[moving_column(it, name)];
    free(row);
    return value;
}
