// SPDX-License-Identifier: Apache-2.0
// What the tests of `inverse` share: an answer about a text, failing conditions as a list, and the
// equations of two models compared in numbers.

#pragma once

#include "support.h"

#include "inverse/inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct asked {
    rh_model *model;
    rh_inverse *inverse;
    rh_status status;
    rh_error err;
} asked;

static inline void asked_end(asked *it)
{
    rh_inverse_destroy(it->inverse);
    rh_model_destroy(it->model);
}

static inline asked ask_model(rh_model *model)
{
    const rh_inverse_def def = rh_inverse_def_default();
    asked out = {.model = model};
    out.status = rh_inverse_create(model, &def, &out.inverse, &out.err);
    return out;
}

static inline rh_model *read_text(const char *text)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    if (rh_model_create(&def, &model, NULL) != RH_OK) {
        for (size_t k = 0; k < rh_model_diagnostic_count(model); k++) {
            print_error("%s\n", rh_model_diagnostic(model, k).message);
        }
        print_error("in:\n%s\n", text);
        fail();
    }
    return model;
}

static inline asked ask_text(const char *text)
{
    return ask_model(read_text(text));
}

// The numbers of the conditions that fail: "35" for (4.3) and (4.5).
static inline const char *failing(const rh_inverse *inverse, char out[9])
{
    size_t count = 0;
    for (uint32_t k = 1; k <= 8; k++) {
        if (rh_inverse_condition_of(inverse, k).verdict == RH_INVERSE_FAILS) {
            out[count++] = (char)('0' + k);
        }
    }
    out[count] = '\0';
    return out;
}

// --- equations in numbers
// --------------------------------------------------------------------------

static inline double value_by_name(const void *user, const rh_store *store, rh_expr symbol)
{
    rh_inverse *inverse = *(rh_inverse *const *)user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0) {
        return rh__values_parameter(&inverse->model->values, store, symbol);
    }
    const char *name = rh__inverse_name(inverse, symbol);
    const uint64_t bits = rh__hash_bytes(name, strlen(name), 11);
    return 0.25 + (double)(bits >> 11) * 0x1p-53;
}

static inline void equation_values(rh_inverse *inverse, const rh_expr *f, uint32_t n, double *out)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    assert_true(rh__expr_values(inverse->store, f, n, value_by_name, &inverse, &scratch, out));
    rh__arena_end(&scratch);
}

static inline bool never_go_on(void *user)
{
    (void)user;
    return false;
}

// The functions of an answer, read as a model of their own, have the equations of `other`.
static inline void assert_read_as(const rh_inverse *inverse, rh_inverse *other, const char *head,
                                  double tolerance)
{
    enum { MOST = 8 };
    const rh_inverse_summary summary = rh_inverse_summarise(inverse);
    const size_t size = strlen(head) + strlen(summary.lagrangian) + strlen(summary.dissipation);
    char *text = malloc(size + 64);
    assert_non_null(text);
    (void)snprintf(text, size + 64, "%s\nlagrangian %s\ndissipation %s\n", head, summary.lagrangian,
                   summary.dissipation);
    asked back = {.model = read_text(text)};
    rh_inverse_def def = rh_inverse_def_default();
    def.goes_on = never_go_on; // its equations are enough
    assert_int_equal(rh_inverse_create(back.model, &def, &back.inverse, &back.err), RH_OK);
    double ours[MOST];
    double theirs[MOST];
    assert_true(other->n <= MOST && back.inverse->n == other->n);
    equation_values(other, other->trials.data[other->chosen].f, other->n, ours);
    equation_values(back.inverse, back.inverse->trials.data[0].f, other->n, theirs);
    for (uint32_t k = 0; k < other->n; k++) {
        assert_near(theirs[k], ours[k], tolerance);
    }
    asked_end(&back);
    free(text);
}

// They lead back to the equations they were found for.
static inline void assert_read_back(rh_inverse *inverse, const char *head, double tolerance)
{
    assert_read_as(inverse, inverse, head, tolerance);
}
