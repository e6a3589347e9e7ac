// SPDX-License-Identifier: Apache-2.0
// What the tests of `steady` share: steady motions of a text or an example, values by name.

#pragma once

#include "support.h"

#include "rheonom/steady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct resting_call {
    rh_steady_value fix[8];
    rh_steady_value guess[8];
    const char *set[8];
    const char *dials[4];
    const char *observe[4];
    uint32_t fix_count, guess_count, set_count, dial_count, observe_count;
} resting_call;

typedef struct resting {
    rh_model *model;
    rh_equations *equations;
    rh_steady *steady;
    rh_error err;
} resting;

static inline void resting_end(resting *it)
{
    rh_steady_destroy(it->steady);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (resting){.steady = NULL};
}

static inline void resting_derive(const char *text, const resting_call *call, resting *out)
{
    *out = (resting){.steady = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = call->set;
    def.set_count = call->set_count;
    def.observe = call->observe;
    def.observe_count = call->observe_count;
    const rh_status status = rh_model_create(&def, &out->model, &out->err);
    for (size_t k = 0; status != RH_OK && k < rh_model_diagnostic_count(out->model); k++) {
        print_error("%s\n", rh_model_diagnostic(out->model, k).message);
    }
    assert_int_equal(status, RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(out->model, &derive, &out->equations, &out->err), RH_OK);
}

static inline rh_status resting_try(const char *text, const resting_call *call, resting *out)
{
    resting_derive(text, call, out);
    rh_steady_def def = rh_steady_def_default();
    def.fix = call->fix;
    def.fix_count = call->fix_count;
    def.guess = call->guess;
    def.guess_count = call->guess_count;
    def.dials = call->dials;
    def.dial_count = call->dial_count;
    return rh_steady_create(out->equations, &def, &out->steady, &out->err);
}

static inline resting resting_begin(const char *text, const resting_call *call)
{
    resting out;
    const rh_status status = resting_try(text, call, &out);
    if (status != RH_OK) {
        print_error("%s\n", out.err.message);
    }
    assert_int_equal(status, RH_OK);
    return out;
}

static inline resting resting_example(const char *path, const resting_call *call)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    const resting out = resting_begin(text, call);
    free(text);
    return out;
}

static inline double resting_value(const resting *it, const rh_steady_motion *motion,
                                   const char *name)
{
    for (size_t k = 0; k < rh_steady_variable_count(it->steady); k++) {
        if (strcmp(rh_steady_variable_name(it->steady, k), name) == 0) {
            return motion->values[k];
        }
    }
    print_error("there is no variable %s\n", name);
    fail();
    return (double)NAN;
}

/// The solution whose variable is nearest to a value.
static inline rh_steady_motion resting_near(const resting *it, const char *name, double value)
{
    const uint32_t count = rh_steady_summarise(it->steady).solution_count;
    assert_true(count > 0);
    rh_steady_motion best = rh_steady_solution(it->steady, 0);
    for (uint32_t k = 1; k < count; k++) {
        const rh_steady_motion other = rh_steady_solution(it->steady, k);
        if (fabs(resting_value(it, &other, name) - value) <
            fabs(resting_value(it, &best, name) - value)) {
            best = other;
        }
    }
    return best;
}

static inline double resting_entry(const rh_steady_motion *motion, uint32_t row, uint32_t column)
{
    assert_true(row < motion->size && column < motion->size);
    return motion->matrix[row + (size_t)column * motion->size];
}
