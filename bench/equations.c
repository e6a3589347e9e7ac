// SPDX-License-Identifier: Apache-2.0
// From a model to its equations with multipliers: derivation and one form, without printing. `work`
// counts the operations of one evaluation of the form.

#include "bench.h"

#include "equations/equations.h"

#include <stdio.h>
#include <stdlib.h>

static const char CHAIN[] =
    "param N = %u, l = 1/N, m = 1/N, g = 9.81\n"
    "coord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..N: m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "for i in 1..N: start x[i] = i*l*sin(0.05), y[i] = -i*l*cos(0.05), x[i]' = 0, y[i]' = 0\n";

// Operations of matrix, right sides and kinematics together.
static uint64_t count_operations(rh_equations *equations, const rh_form *form, rh_arena *arena)
{
    const uint32_t entries = form->matrix.entries.count;
    const uint32_t most = entries + form->matrix.rows + form->velocities.count;
    rh_expr *roots = rh__arena_array(arena, rh_expr, (size_t)most + 1);
    rh_cost cost = {0};
    uint32_t count = 0;
    if (roots == NULL) {
        return 0;
    }
    for (uint32_t k = 0; k < entries; k++) {
        roots[count++] = form->matrix.entries.data[k].value;
    }
    for (uint32_t k = 0; k < form->matrix.rows; k++) {
        roots[count++] = form->right[k];
    }
    for (uint32_t k = 0; k < form->velocities.count; k++) {
        roots[count++] = form->velocities.data[k].value;
    }
    return rh__expr_cost(equations->store, roots, count, arena, &cost)
               ? cost.additions + cost.multiplications + cost.divisions + cost.functions
               : 0;
}

static measure derive(const char *text, rh_form_kind kind)
{
    tally count = {0, 0};
    rh_model *model = bench_model(text, &count);
    measure result = {.ok = false};
    if (model == NULL) {
        return result;
    }
    const rh_equations_def def = rh_equations_def_default();
    rh_equations *equations = NULL;
    rh_arena arena = rh__arena_begin(bench_allocator(&count), SIZE_MAX);
    rh_form form;
    const double begin = bench_clock();
    result.ok = rh_equations_create(model, &def, &equations, NULL) == RH_OK &&
                rh__form_create(equations, kind, &arena, &form, NULL) == RH_OK;
    result.seconds = bench_clock() - begin;
    result.work = result.ok ? count_operations(equations, &form, &arena) : 0;
    result.peak_bytes = count.peak;
    rh_equations_destroy(equations);
    rh__arena_end(&arena);
    rh_model_destroy(model);
    return result;
}

measure bench_equations_chain(uint32_t size)
{
    char text[1024];
    (void)snprintf(text, sizeof text, CHAIN, size);
    return derive(text, RH_FORM_MULTIPLIERS);
}

// A model of the examples.
static measure derive_example(const char *name, rh_form_kind kind)
{
    char path[512];
    static char text[1 << 16];
    (void)snprintf(path, sizeof path, "%s/examples/%s/model.rhe", BENCH_ROOT, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)fprintf(stderr, "bench: cannot read %s\n", path);
        return (measure){.ok = false};
    }
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    (void)fclose(file);
    return derive(text, kind);
}

measure bench_equations_disc(uint32_t size)
{
    (void)size;
    return derive_example("rolling_disc", RH_FORM_REDUCED);
}

measure bench_equations_andrews(uint32_t size)
{
    (void)size;
    return derive_example("andrews", RH_FORM_MULTIPLIERS);
}

measure bench_equations_bicycle(uint32_t size)
{
    (void)size;
    return derive_example("whipple_bicycle", RH_FORM_MULTIPLIERS);
}
