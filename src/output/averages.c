// SPDX-License-Identifier: Apache-2.0
// Averaged reactions, as the object of `average --json` and for a person.

#include "output/outcome.h"

#include "average/average.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 10, LABEL = 18, MOST_REASONS = 16 };

#define CERTAIN 1e-9 // of eigenvalues, relative to the largest

// --- the object ----------------------------------------------------------------------------------

static void put_start(rh_text *out, const rh_average *average, const double *start)
{
    rh__text_put(out, "\"start\": {");
    for (size_t k = 0; k < rh_average_variable_count(average); k++) {
        rh__outcome_key(out, rh_average_variable_name(average, k), k == 0);
        rh__outcome_number(out, start[k]);
    }
    rh__text_put(out, "}");
}

static void put_by_restriction(rh_text *out, const rh_average *average, const char *key,
                               const double *values)
{
    rh__text_format(out, ", \"%s\": ", key);
    rh__text_put(out, values != NULL ? "{" : "null");
    for (size_t k = 0; values != NULL && k < rh_average_restriction_count(average); k++) {
        rh__outcome_key(out, rh_average_restriction_name(average, k), k == 0);
        rh__outcome_number(out, values[k]);
    }
    rh__text_put(out, values != NULL ? "}" : "");
}

// What stands between the braces.
static void put_orbit(rh_text *out, const rh_average *average, const rh_average_orbit *orbit)
{
    put_start(out, average, orbit->start);
    rh__text_put(out, ", \"period\": ");
    rh__outcome_number(out, orbit->period);
    rh__text_put(out, ", \"residual\": ");
    rh__outcome_number(out, orbit->residual);
    put_by_restriction(out, average, "means", orbit->means);
    put_by_restriction(out, average, "constants", orbit->constants);
    if (orbit->real != NULL) {
        rh__text_put(out, ", \"eigenvalues\": [");
        for (size_t k = 0; k < rh_average_restriction_count(average); k++) {
            rh__text_put(out, k == 0 ? "[" : ", [");
            rh__outcome_number(out, orbit->real[k]);
            rh__text_put(out, ", ");
            rh__outcome_number(out, orbit->imaginary[k]);
            rh__text_put(out, "]");
        }
        rh__text_put(out, "]");
    }
    if (orbit->reason[0] != '\0') {
        rh__text_put(out, ", \"reason\": ");
        rh__text_put_json(out, rh__slice_of(orbit->reason));
    }
}

static void put_failures(rh_text *out, const rh_average *average)
{
    rh__text_put(out, "], \"failures\": [");
    for (size_t k = 0; k < rh_average_failure_count(average); k++) {
        const rh_average_failure failure = rh_average_failure_at(average, k);
        rh__text_put(out, k == 0 ? "{\"from\": {" : ", {\"from\": {");
        for (size_t u = 0; u < rh_average_unknown_count(average); u++) {
            rh__outcome_key(out, rh_average_unknown_name(average, u), u == 0);
            rh__outcome_number(out, failure.unknowns[u]);
        }
        rh__text_put(out, "}, \"reason\": ");
        rh__text_put_json(out, rh__slice_of(failure.reason));
        rh__text_put(out, "}");
    }
}

static void put_object(rh_text *out, const rh_average *average)
{
    rh__text_put(out, "{\"solutions\": [");
    for (size_t k = 0; k < rh_average_solution_count(average); k++) {
        const rh_average_orbit orbit = rh_average_solution(average, k);
        rh__text_put(out, k == 0 ? "{" : ", {");
        put_orbit(out, average, &orbit);
        rh__text_put(out, "}");
    }
    put_failures(out, average);
    const rh_average_orbit begin = rh_average_begin(average);
    rh__text_format(out, "], \"starts\": %zu, \"begin\": {", rh_average_start_count(average));
    put_orbit(out, average, &begin);
    rh__text_put(out, "}");
    rh__text_format(out, ", \"vanishing\": %zu", rh_average_void_count(average));
    if (rh_average_reason(average)[0] != '\0') {
        rh__text_put(out, ", \"reason\": ");
        rh__text_put_json(out, rh__slice_of(rh_average_reason(average)));
    }
    rh__text_put(out, "}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_label(rh_text *out, const char *label)
{
    rh__text_format(out, "  %-*s", LABEL, label);
}

static void put_value(rh_text *out, const char *label, double value)
{
    put_label(out, label);
    rh__outcome_value(out, value, DIGITS);
    rh__text_put_char(out, '\n');
}

static void put_means(rh_text *out, const rh_average *average, const rh_average_orbit *orbit)
{
    for (size_t k = 0; k < rh_average_restriction_count(average); k++) {
        const char *name = rh_average_restriction_name(average, k);
        rh__text_format(out, "  mean reaction of %s  ", name);
        rh__outcome_value(out, orbit->means[k], DIGITS);
        rh__text_put(out, ", where it is ");
        rh__outcome_value(out, orbit->constants[k], DIGITS);
        rh__text_put_char(out, '\n');
    }
}

static void put_eigenvalues(rh_text *out, const rh_average *average, const rh_average_orbit *orbit)
{
    double worst = -INFINITY;
    double size = 0.0;
    put_label(out, "eigenvalues");
    if (isnan(orbit->real[0])) {
        rh__text_put(out, "none: the unknowns do not determine what is held\n");
        return;
    }
    for (size_t k = 0; k < rh_average_restriction_count(average); k++) {
        rh__text_put(out, k > 0 ? ", " : "");
        rh__outcome_value(out, orbit->real[k], DIGITS);
        if (orbit->imaginary[k] != 0.0) {
            rh__text_put(out, orbit->imaginary[k] < 0.0 ? " - " : " + ");
            rh__outcome_value(
                out, orbit->imaginary[k] < 0.0 ? -orbit->imaginary[k] : orbit->imaginary[k],
                DIGITS);
            rh__text_put(out, " i");
        }
        worst = fmax(worst, orbit->real[k]);
        size = fmax(size, hypot(orbit->real[k], orbit->imaginary[k]));
    }
    rh__text_put_char(out, '\n');
    put_label(out, "stable");
    // on the imaginary axis, as far as rounding tells, nothing is decided
    rh__text_put(out, worst > CERTAIN * size    ? "no\n"
                      : worst < -CERTAIN * size ? "yes, in the mean\n"
                                                : "not decided by the eigenvalues\n");
}

static void put_one(rh_text *out, const rh_average *average, const rh_average_orbit *orbit)
{
    for (size_t k = 0; k < rh_average_variable_count(average); k++) {
        put_value(out, rh_average_variable_name(average, k), orbit->start[k]);
    }
    if (!orbit->is_closed) {
        rh__text_format(out, "  there is no orbit: %s\n", orbit->reason);
        return;
    }
    put_value(out, "period", orbit->period);
    if (orbit->real == NULL) {
        put_means(out, average, orbit);
        return;
    }
    put_label(out, "residual");
    rh__outcome_small(out, orbit->residual);
    rh__text_put_char(out, '\n');
    put_eigenvalues(out, average, orbit);
}

// How many starts failed for each reason.
static void put_reasons(rh_text *out, const rh_average *average)
{
    const char *reasons[MOST_REASONS] = {NULL};
    size_t counts[MOST_REASONS] = {0};
    size_t known = 0;
    for (size_t k = 0; k < rh_average_failure_count(average); k++) {
        const char *reason = rh_average_failure_at(average, k).reason;
        size_t at = 0;
        while (at < known && strcmp(reasons[at], reason) != 0) {
            at++;
        }
        if (at == known && known < MOST_REASONS) {
            reasons[known++] = reason;
        }
        counts[at < MOST_REASONS ? at : MOST_REASONS - 1]++;
    }
    for (size_t k = 0; k < known; k++) {
        rh__text_format(out, "  %4zu  %s\n", counts[k], reasons[k]);
    }
}

static void put_text(rh_text *out, const rh_average *average)
{
    const size_t count = rh_average_solution_count(average);
    const rh_average_orbit begin = rh_average_begin(average);
    if (rh_average_unknown_count(average) == 0) {
        rh__text_put(out, "generating orbit through the start\n");
        put_one(out, average, &begin);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const rh_average_orbit orbit = rh_average_solution(average, k);
        rh__text_format(out, "solution %zu: all mean reactions vanish\n", k + 1);
        put_one(out, average, &orbit);
    }
    const bool is_whole = rh_average_reason(average)[0] == '\0';
    if (rh_average_void_count(average) > 0) {
        rh__text_format(out,
                        "all mean reactions vanish at %zu of %zu starts and around them: no "
                        "solution stands alone there\n",
                        rh_average_void_count(average), rh_average_start_count(average));
    }
    rh__text_put(out, count > 0  ? ""
                      : is_whole ? "no solution was found in the box\n"
                                 : "no solution was found so far\n");
    rh__text_format(out, "starts: %zu, of which %zu led to none\n", rh_average_start_count(average),
                    rh_average_failure_count(average));
    put_reasons(out, average);
}

rh_status rh_output_average(const rh_average *average, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(average != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = average->motion->equations->model;
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, average);
    } else {
        put_text(&out, average);
    }
    return rh__output_end(&out, &arena, err);
}
