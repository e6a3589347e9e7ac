// SPDX-License-Identifier: Apache-2.0
// What the tests of `program` share: a program of a text or a file.

#pragma once

#include "support.h"

#include "rheonom/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct programs_conditions {
    const char *set[4];
    const char *start[4];
    const char *observe;
    uint32_t set_count, start_count;
} programs_conditions;

typedef struct programs {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion; // NULL until asked for
    rh_program *program;
    rh_program_summary summary;
    rh_error err;
} programs;

static inline void programs_end(programs *it)
{
    rh_program_destroy(it->program);
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (programs){.program = NULL};
}

static inline void programs_load(const char *text, const programs_conditions *with, programs *out)
{
    static const programs_conditions PLAIN = {.set_count = 0};
    with = with != NULL ? with : &PLAIN;
    *out = (programs){.program = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = with->set;
    def.set_count = with->set_count;
    def.start = with->start;
    def.start_count = with->start_count;
    def.observe = &with->observe;
    def.observe_count = with->observe != NULL ? 1 : 0;
    const rh_status status = rh_model_create(&def, &out->model, &out->err);
    for (size_t k = 0; status != RH_OK && k < rh_model_diagnostic_count(out->model); k++) {
        print_error("%s\n%s\n", rh_model_diagnostic(out->model, k).message, text);
    }
    assert_int_equal(status, RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    const rh_status derived = rh_equations_create(out->model, &derive, &out->equations, &out->err);
    for (size_t k = 0; derived != RH_OK && k < rh_equations_diagnostic_count(out->equations); k++) {
        print_error("%s\n%s\n", rh_equations_diagnostic(out->equations, k).message, text);
    }
    assert_int_equal(derived, RH_OK);
}

/// RH_OK, or why there is no program; `def` may be NULL.
static inline rh_status programs_try(const char *text, const programs_conditions *with,
                                     const rh_program_def *def, programs *out)
{
    const rh_program_def plain = rh_program_def_default();
    programs_load(text, with, out);
    const rh_status status =
        rh_program_create(out->equations, def != NULL ? def : &plain, &out->program, &out->err);
    if (status == RH_OK) {
        out->summary = rh_program_summarise(out->program);
    }
    return status;
}

static inline programs programs_make(const char *text, const programs_conditions *with,
                                     const rh_program_def *def)
{
    programs it;
    const rh_status status = programs_try(text, with, def, &it);
    if (status != RH_OK) {
        print_error("%s\n%s\n", it.err.message, text);
    }
    assert_int_equal(status, RH_OK);
    return it;
}

static inline programs programs_read(const char *path, const programs_conditions *with,
                                     const rh_program_def *def)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    programs it = programs_make(text, with, def);
    free(text);
    return it;
}

static inline void programs_root(const programs *it, size_t index, double real, double imaginary,
                                 double tolerance)
{
    const rh_program_root root = rh_program_roots(it->program, index);
    assert_near(root.real, real, tolerance);
    assert_near(root.imaginary, imaginary, tolerance);
}
