// SPDX-License-Identifier: Apache-2.0
// Linear systems, as the object of `linearise --json` and for a person.

#include "output/outcome.h"

#include "steady/steady.h"

#include <math.h>

enum { DIGITS = 10, LABEL = 18, MOST = 12 };

static void put_matrix(rh_text *out, const char *name, const double *a, uint32_t rows,
                       uint32_t columns)
{
    rh__text_format(out, ", \"%s\": [", name);
    for (uint32_t i = 0; i < rows; i++) {
        rh__text_put(out, i == 0 ? "[" : ", [");
        for (uint32_t j = 0; j < columns; j++) {
            rh__text_put(out, j == 0 ? "" : ", ");
            rh__outcome_number(out, a[i + (size_t)j * rows]);
        }
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

static void put_names(rh_text *out, const char *key, const char *const *names, uint32_t count)
{
    rh__text_format(out, "\"%s\": [", key);
    for (uint32_t k = 0; k < count; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(names[k]));
    }
    rh__text_put(out, "]");
}

static void put_values(rh_text *out, const char *key, const char *const *names,
                       const double *values, uint32_t count)
{
    rh__text_format(out, ", \"%s\": {", key);
    for (uint32_t k = 0; k < count; k++) {
        rh__outcome_key(out, names[k], k == 0);
        rh__outcome_number(out, values[k]);
    }
    rh__text_put(out, "}");
}

static void put_object(rh_text *out, const rh_linear_system *system)
{
    const uint32_t n = system->state_count;
    rh__text_put(out, "{");
    put_names(out, "states", system->states, n);
    rh__text_put(out, ", ");
    put_names(out, "inputs", system->inputs, system->input_count);
    rh__text_put(out, ", ");
    put_names(out, "outputs", system->outputs, system->output_count);
    put_matrix(out, "A", system->a, n, n);
    put_matrix(out, "B", system->b, n, system->input_count);
    put_matrix(out, "C", system->c, system->output_count, n);
    put_matrix(out, "D", system->d, system->output_count, system->input_count);
    put_values(out, "point", system->states, system->point, n);
    put_values(out, "rates", system->states, system->rates, n);
    put_values(out, "input_values", system->inputs, system->input_values, system->input_count);
    put_values(out, "output_values", system->outputs, system->output_values, system->output_count);
    rh__text_put(out, ", \"eigenvalues\": [");
    for (uint32_t k = 0; k < n; k++) {
        rh__text_put(out, k == 0 ? "[" : ", [");
        rh__outcome_number(out, system->roots[k].real);
        rh__text_put(out, ", ");
        rh__outcome_number(out, system->roots[k].imaginary);
        rh__text_put(out, "]");
    }
    rh__text_format(out, "], \"steady\": %s", system->is_steady ? "true" : "false");
    if (system->switching != NULL) {
        rh__text_put(out, ", \"switching\": ");
        rh__text_put_json(out, rh__slice_of(system->switching));
    }
    if (system->acting[0] != '\0') {
        rh__text_put(out, ", \"acting\": ");
        rh__text_put_json(out, rh__slice_of(system->acting));
    }
    rh__text_put(out, "}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_list(rh_text *out, const char *label, const char *const *names,
                     const double *values, uint32_t count)
{
    rh__text_format(out, "%-*s", LABEL, label);
    for (uint32_t k = 0; k < count; k++) {
        rh__text_format(out, "%s%s = ", k == 0 ? "" : ", ", names[k]);
        rh__outcome_value(out, values[k], DIGITS);
    }
    rh__text_put(out, count == 0 ? "none\n" : "\n");
}

static void put_table(rh_text *out, const char *name, const double *a, uint32_t rows,
                      uint32_t columns)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    rh__text_format(out, "%s\n", name);
    if (rows > MOST || columns > MOST) {
        rh__text_format(out, "  %u x %u: with --json it is printed\n", rows, columns);
        return;
    }
    for (uint32_t i = 0; i < rows; i++) {
        rh__text_put(out, " ");
        for (uint32_t j = 0; j < columns; j++) {
            rh__text_format(out, " %17.10g", a[i + (size_t)j * rows] + 0.0);
        }
        rh__text_put_char(out, '\n');
    }
}

static void put_text(rh_text *out, const rh_linear_system *system)
{
    const uint32_t n = system->state_count;
    put_list(out, system->is_steady ? "steady at" : "around", system->states, system->point, n);
    if (!system->is_steady) {
        put_list(out, "rates there", system->states, system->rates, n);
    }
    if (system->switching != NULL) {
        rh__text_format(out,
                        "%-*s%s is zero, where the equations switch: the matrices hold for no "
                        "side of it\n",
                        LABEL, "not smooth", system->switching);
    }
    if (system->acting[0] != '\0') {
        rh__text_format(out,
                        "%-*s%s: the matrices hold for as long as one-sided constraints act as "
                        "they do here\n",
                        LABEL, "acting", system->acting);
    }
    put_list(out, "inputs", system->inputs, system->input_values, system->input_count);
    put_list(out, "outputs", system->outputs, system->output_values, system->output_count);
    put_table(out, "A", system->a, n, n);
    put_table(out, "B", system->b, n, system->input_count);
    put_table(out, "C", system->c, system->output_count, n);
    put_table(out, "D", system->d, system->output_count, system->input_count);
    rh__text_put(out, "roots of A\n");
    for (uint32_t k = 0; k < n; k++) {
        rh__text_put(out, "  ");
        rh__outcome_value(out, system->roots[k].real, DIGITS);
        if (system->roots[k].imaginary != 0.0) {
            rh__text_put(out, system->roots[k].imaginary > 0.0 ? " + " : " - ");
            rh__outcome_value(out, fabs(system->roots[k].imaginary), DIGITS);
            rh__text_put(out, " i");
        }
        rh__text_put_char(out, '\n');
    }
}

rh_status rh_output_linear(const rh_linear *linear, rh_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(linear != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_linear_system system = rh_linear_look(linear);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, &system);
    } else {
        put_text(&out, &system);
    }
    return rh__output_end(&out, &arena, err);
}
