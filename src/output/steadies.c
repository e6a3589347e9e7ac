// SPDX-License-Identifier: Apache-2.0
// Steady motions, as the object of `steady --json` and for a person; their families as a table.

#include "output/outcome.h"

#include "steady/steady.h"
#include "certificate/certificate.h"

#include "output/csv.h"
#include "output/digits.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 12, SHORT = 6, LABEL = 18 };

// --- the object ----------------------------------------------------------------------------------

static void put_list(rh_text *out, const rh_steady *steady, size_t count,
                     const char *(*name_of)(const rh_steady *, size_t))
{
    rh__text_put(out, "[");
    for (size_t k = 0; k < count; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(name_of(steady, k)));
    }
    rh__text_put(out, "]");
}

static void put_matrix(rh_text *out, const rh_steady_motion *motion)
{
    rh__text_put(out, "[");
    for (uint32_t i = 0; i < motion->size; i++) {
        rh__text_put(out, i == 0 ? "[" : ", [");
        for (uint32_t j = 0; j < motion->size; j++) {
            rh__text_put(out, j == 0 ? "" : ", ");
            rh__outcome_number(out, motion->matrix[i + (size_t)j * motion->size]);
        }
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

// Are roots told as they are proved? Where numbers could not tell which of them are zero.
static bool has_proved_roots(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    return certificate != NULL && rh_certificate_holds(certificate) && !motion->is_certain &&
           rh_certificate_root_count(certificate) + rh_certificate_dimension(certificate) ==
               motion->size;
}

static uint32_t zeros_of(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    return has_proved_roots(motion, certificate) ? rh_certificate_dimension(certificate)
                                                 : motion->zero_count;
}

static rh_steady_root root_of(const rh_steady_motion *motion, const rh_certificate *certificate,
                              uint32_t k)
{
    if (!has_proved_roots(motion, certificate)) {
        return motion->roots[k];
    }
    const uint32_t zeros = rh_certificate_dimension(certificate);
    if (k < zeros) {
        return (rh_steady_root){0.0, 0.0, 0.0};
    }
    const rh_certificate_root it = rh_certificate_root_at(certificate, k - zeros);
    const double real = 0.5 * (it.real_low + it.real_high);
    const bool is_real = it.imaginary_low <= 0.0 && it.imaginary_high >= 0.0;
    return (rh_steady_root){.real = real,
                            .imaginary =
                                is_real ? 0.0 : 0.5 * (it.imaginary_low + it.imaginary_high),
                            .bar = fmax(it.real_high - real, real - it.real_low)};
}

static uint32_t loose_of(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    const bool is_less = has_proved_roots(motion, certificate) &&
                         rh_certificate_dimension(certificate) < motion->loose;
    return is_less ? rh_certificate_dimension(certificate) : motion->loose;
}

static void put_roots(rh_text *out, const rh_steady_motion *motion,
                      const rh_certificate *certificate)
{
    rh__text_put(out, "\"eigenvalues\": [");
    for (uint32_t k = 0; k < motion->size; k++) {
        const rh_steady_root it = root_of(motion, certificate, k);
        rh__text_put(out, k == 0 ? "[" : ", [");
        rh__outcome_number(out, it.real);
        rh__text_put(out, ", ");
        rh__outcome_number(out, it.imaginary);
        rh__text_put(out, "]");
    }
    rh__text_put(out, "], \"error_bars\": [");
    for (uint32_t k = 0; k < motion->size; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__outcome_number(out, root_of(motion, certificate, k).bar);
    }
    rh__text_put(out, "]");
}

// A variable: as it is proved, where it is.
static double value_of(const rh_steady_motion *motion, const rh_certificate *certificate, size_t k)
{
    const double proved = certificate != NULL ? rh_certificate_value(certificate, k) : (double)NAN;
    return isnan(proved) ? motion->values[k] : proved;
}

static void put_values(rh_text *out, const rh_steady *steady, const rh_steady_motion *motion,
                       const rh_certificate *certificate)
{
    rh__text_put(out, "\"steady\": {");
    for (size_t k = 0; k < rh_steady_variable_count(steady); k++) {
        rh__outcome_key(out, rh_steady_variable_name(steady, k), k == 0);
        rh__outcome_number(out, value_of(motion, certificate, k));
    }
    rh__text_put(out, "}, \"speeds\": {");
    for (size_t k = 0; k < rh_steady_cyclic_count(steady); k++) {
        rh__outcome_key(out, rh_steady_cyclic(steady, k), k == 0);
        rh__outcome_number(out, motion->speeds[k]);
    }
    rh__text_put(out, "}");
}

// What is proved stands above what was computed.
static const char *verdict_of(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    return certificate != NULL && rh_certificate_holds(certificate)
               ? rh_certificate_verdict(certificate)
               : rh_steady_verdict_text(motion->verdict);
}

static const char *reason_of(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    const bool is_same =
        strcmp(verdict_of(motion, certificate), rh_steady_verdict_text(motion->verdict)) == 0;
    return is_same ? motion->reason : rh_certificate_reason(certificate);
}

static uint32_t dimension_of(const rh_steady_motion *motion, const rh_certificate *certificate)
{
    return certificate != NULL && rh_certificate_holds(certificate)
               ? rh_certificate_dimension(certificate)
               : motion->dimension;
}

static void put_proof(rh_text *out, const rh_certificate *certificate)
{
    const bool is_proved = certificate != NULL && rh_certificate_holds(certificate);
    rh__text_format(out, "\"certified\": %s, ", is_proved ? "true" : "false");
    if (certificate != NULL) {
        rh__text_put(out, "\"proof\": ");
        rh__text_put_json(out, rh__slice_of(rh_certificate_reason(certificate)));
        rh__text_put(out, ", ");
    }
}

static void put_motion(rh_text *out, const rh_steady *steady, const rh_steady_motion *motion,
                       const rh_certificate *certificate)
{
    rh__text_put(out, "\"positional\": ");
    put_list(out, steady, rh_steady_positional_count(steady), rh_steady_positional);
    rh__text_put(out, ", \"cyclic\": ");
    put_list(out, steady, rh_steady_cyclic_count(steady), rh_steady_cyclic);
    rh__text_put(out, ", ");
    put_values(out, steady, motion, certificate);
    rh__text_format(out,
                    ", \"manifold_dimension\": %u, \"dimension_certain\": %s, \"variables\": [",
                    dimension_of(motion, certificate),
                    motion->is_certain || has_proved_roots(motion, certificate) ? "true" : "false");
    for (uint32_t k = 0; k < motion->size; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(motion->rows[k]));
    }
    rh__text_put(out, "], \"matrix\": ");
    put_matrix(out, motion);
    rh__text_put(out, ", ");
    put_roots(out, motion, certificate);
    rh__text_format(out, ", \"zero_roots\": %u, \"verdict\": \"%s\", ",
                    zeros_of(motion, certificate), verdict_of(motion, certificate));
    put_proof(out, certificate);
    rh__text_put(out, "\"reason\": ");
    rh__text_put_json(out, rh__slice_of(reason_of(motion, certificate)));
    rh__text_format(out, ", \"unfixed\": %u, \"residual\": ", loose_of(motion, certificate));
    rh__outcome_number(out, motion->residual);
    rh__text_put(out, ", \"dissipation\": ");
    rh__outcome_number(out, motion->dissipation);
    rh__text_put(out, ", \"distance\": ");
    rh__outcome_number(out, motion->distance);
}

static void put_split(rh_text *out, const rh_steady *steady)
{
    const rh_steady_summary summary = rh_steady_summarise(steady);
    rh__text_put(out, ", \"quasi_velocities\": {");
    for (size_t k = 0; k < rh_steady_velocity_count(steady); k++) {
        rh__outcome_key(out, rh_steady_velocity_name(steady, k), k == 0);
        rh__text_put_json(out, rh__slice_of(rh_steady_velocity_formula(steady, k)));
    }
    rh__text_format(out, "}, \"given\": %s, \"conditions\": {",
                    summary.is_frame_given ? "true" : "false");
    for (size_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        const rh_steady_condition it = rh_steady_condition_at(steady, k);
        rh__outcome_key(out, it.name, k == 0);
        rh__text_format(out, "\"%s\"",
                        !it.is_asked   ? "not examined"
                        : !it.holds    ? "fails"
                        : it.is_proved ? "holds"
                                       : "holds at random states");
    }
    rh__text_put(out, "}");
}

static void put_object(rh_text *out, const rh_steady *steady, rh_certificate *const *certificates)
{
    const rh_steady_summary summary = rh_steady_summarise(steady);
    rh__text_put(out, "{");
    if (summary.solution_count == 0) {
        rh__text_put(out, "\"positional\": ");
        put_list(out, steady, rh_steady_positional_count(steady), rh_steady_positional);
        rh__text_put(out, ", \"cyclic\": ");
        put_list(out, steady, rh_steady_cyclic_count(steady), rh_steady_cyclic);
        rh__text_put(out, ", \"steady\": null, \"reason\": ");
        rh__text_put_json(out, rh__slice_of(summary.reason));
        rh__text_put(out, ", \"others\": []");
    } else {
        const rh_steady_motion first = rh_steady_solution(steady, 0);
        put_motion(out, steady, &first, certificates != NULL ? certificates[0] : NULL);
        rh__text_put(out, ", \"others\": [");
        for (uint32_t k = 1; k < summary.solution_count; k++) {
            const rh_steady_motion motion = rh_steady_solution(steady, k);
            rh__text_put(out, k == 1 ? "{" : ", {");
            put_motion(out, steady, &motion, certificates != NULL ? certificates[k] : NULL);
            rh__text_put(out, "}");
        }
        rh__text_put(out, "]");
    }
    rh__text_format(out, ", \"more\": %s", summary.has_more ? "true" : "false");
    rh__text_put(out, ", \"unseen\": ");
    rh__text_put_json(out, rh__slice_of(summary.unseen));
    if (summary.singular[0] != '\0') {
        rh__text_put(out, ", \"singular\": ");
        rh__text_put_json(out, rh__slice_of(summary.singular));
    }
    put_split(out, steady);
    rh__text_put(out, "}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_label(rh_text *out, const char *label)
{
    rh__text_format(out, "%-*s", LABEL, label);
}

static void put_names(rh_text *out, const rh_steady *steady, const char *label, size_t count,
                      const char *(*name_of)(const rh_steady *, size_t))
{
    put_label(out, label);
    for (size_t k = 0; k < count; k++) {
        rh__text_format(out, "%s%s", k == 0 ? "" : ", ", name_of(steady, k));
    }
    rh__text_put(out, count == 0 ? "none\n" : "\n");
}

static void put_value(rh_text *out, const char *name, size_t width, double value)
{
    const size_t size = rh__utf8_count(rh__slice_of(name));
    rh__text_format(out, "  %s%*s", name, (int)(width > size ? width - size : 0) + 2, "");
    rh__outcome_value(out, value, DIGITS);
    rh__text_put_char(out, '\n');
}

static void put_text_roots(rh_text *out, const rh_steady_motion *motion,
                           const rh_certificate *certificate)
{
    rh__text_put(out, "roots\n");
    for (uint32_t k = 0; k < motion->size; k++) {
        const rh_steady_root root = root_of(motion, certificate, k);
        const rh_steady_root *it = &root;
        const rh_steady_root next = root_of(motion, certificate, k + 1 < motion->size ? k + 1 : k);
        // of equal real parts a real root may stand between the two
        const bool is_pair = it->imaginary != 0.0 && next.imaginary == -it->imaginary;
        rh__text_put(out, "  ");
        if (k < motion->size && it->bar == 0.0 && it->real == 0.0 && it->imaginary == 0.0) {
            rh__text_put(out, "0\n");
            continue;
        }
        rh__outcome_value(out, it->real, DIGITS);
        if (it->imaginary != 0.0) {
            rh__text_put(out, is_pair ? " +- " : it->imaginary < 0.0 ? " - " : " + ");
            rh__outcome_value(out, fabs(it->imaginary), DIGITS);
            rh__text_put(out, " i");
        }
        rh__text_format(out, "   (real part to %.1g)\n", it->bar);
        k += is_pair;
    }
}

static void put_text_matrix(rh_text *out, const rh_steady_motion *motion)
{
    enum { MOST = 12 };
    rh__text_put(out, "matrix            rows and columns: ");
    for (uint32_t k = 0; k < motion->size; k++) {
        rh__text_format(out, "%s%s", k == 0 ? "" : ", ", motion->rows[k]);
    }
    rh__text_put(out, motion->size == 0 ? "none\n" : "\n");
    if (motion->size > MOST) {
        rh__text_format(out, "  %u x %u: with --json it is printed\n", motion->size, motion->size);
        return;
    }
    for (uint32_t i = 0; i < motion->size; i++) {
        rh__text_put(out, " ");
        for (uint32_t j = 0; j < motion->size; j++) {
            rh__text_format(out, " %15.8g", motion->matrix[i + (size_t)j * motion->size] + 0.0);
        }
        rh__text_put_char(out, '\n');
    }
}

static void put_text_motion(rh_text *out, const rh_steady *steady, const rh_steady_motion *motion,
                            const rh_certificate *certificate)
{
    size_t width = 0;
    for (size_t k = 0; k < rh_steady_variable_count(steady); k++) {
        const size_t size = rh__utf8_count(rh__slice_of(rh_steady_variable_name(steady, k)));
        width = size > width ? size : width;
    }
    rh__text_put(out, motion->is_rest ? "point of rest\n" : "steady motion\n");
    for (size_t k = 0; k < rh_steady_variable_count(steady); k++) {
        put_value(out, rh_steady_variable_name(steady, k), width, value_of(motion, certificate, k));
    }
    put_label(out, "family");
    rh__text_format(out, "dimension %u%s\n", dimension_of(motion, certificate),
                    motion->is_certain || has_proved_roots(motion, certificate)
                        ? ""
                        : " (not certain: a singular point of the steady set)");
    if (loose_of(motion, certificate) > 0) {
        rh__text_format(out,
                        "%-*s%u of its dimensions are not fixed: this is the motion nearest to "
                        "the guess\n",
                        LABEL, "", loose_of(motion, certificate));
    }
    put_text_matrix(out, motion);
    put_text_roots(out, motion, certificate);
    put_label(out, "verdict");
    rh__text_format(out, "%s\n", verdict_of(motion, certificate));
    put_label(out, "because");
    rh__text_format(out, "%s\n", reason_of(motion, certificate));
    if (motion->dissipation != 0.0 && fabs(motion->dissipation) > 1e-12) {
        put_label(out, "dissipation");
        rh__text_format(out, "takes %.6g on this motion: something drives it\n",
                        motion->dissipation);
    }
}

static void put_text_split(rh_text *out, const rh_steady *steady)
{
    const rh_steady_summary summary = rh_steady_summarise(steady);
    put_names(out, steady, "positional", rh_steady_positional_count(steady), rh_steady_positional);
    put_names(out, steady, "cyclic", rh_steady_cyclic_count(steady), rh_steady_cyclic);
    rh__text_format(out, "quasi-velocities  %s\n",
                    summary.is_frame_given ? "of the model" : "found");
    for (size_t k = 0; k < rh_steady_velocity_count(steady); k++) {
        rh__text_format(out, "  %s = %s\n", rh_steady_velocity_name(steady, k),
                        rh_steady_velocity_formula(steady, k));
    }
    rh__text_put(out, "free of cyclic coordinates\n");
    for (size_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        const rh_steady_condition it = rh_steady_condition_at(steady, k);
        rh__text_format(out, "  (%s) %-36s  ", it.name, it.claim);
        if (!it.is_asked) {
            rh__text_put(out, "not examined: there is no short closed form\n");
        } else if (!it.holds) {
            rh__text_format(out, "no: %s\n", it.witness);
        } else {
            rh__text_put(out, it.is_proved ? "yes\n" : "yes, at random states\n");
        }
    }
}

// Further motions in short.
static void put_others(rh_text *out, const rh_steady *steady, uint32_t count,
                       rh_certificate *const *certificates)
{
    rh__text_put(out, "\nothers, farther from the guess\n");
    for (uint32_t k = 1; k < count; k++) {
        const rh_steady_motion motion = rh_steady_solution(steady, k);
        const rh_certificate *certificate = certificates != NULL ? certificates[k] : NULL;
        const uint32_t zeros = zeros_of(&motion, certificate);
        rh__text_put(out, "  ");
        for (size_t j = 0; j < rh_steady_variable_count(steady); j++) {
            rh__text_format(out, "%s%s = ", j == 0 ? "" : ", ", rh_steady_variable_name(steady, j));
            rh__outcome_value(out, value_of(&motion, certificate, j), SHORT);
        }
        rh__text_format(out, ": %s", verdict_of(&motion, certificate));
        if (motion.size > zeros) {
            rh__text_format(out, ", rightmost root %.6g",
                            root_of(&motion, certificate, zeros).real);
        }
        if (certificates != NULL && certificates[k] != NULL) {
            rh__text_put(out,
                         rh_certificate_holds(certificates[k]) ? ", certified" : ", not certified");
        }
        rh__text_put_char(out, '\n');
    }
}

static void put_text_proof(rh_text *out, const rh_certificate *certificate)
{
    put_label(out, "certified");
    rh__text_format(out, "%s: %s\n", rh_certificate_holds(certificate) ? "yes" : "no",
                    rh_certificate_reason(certificate));
}

static void put_text(rh_text *out, const rh_steady *steady, rh_certificate *const *certificates)
{
    const rh_steady_summary summary = rh_steady_summarise(steady);
    put_text_split(out, steady);
    if (summary.solution_count > 0) {
        const rh_steady_motion motion = rh_steady_solution(steady, 0);
        rh__text_put(out, "\n");
        put_text_motion(out, steady, &motion, certificates != NULL ? certificates[0] : NULL);
        if (certificates != NULL && certificates[0] != NULL) {
            put_text_proof(out, certificates[0]);
        }
    }
    if (summary.solution_count > 1) {
        put_others(out, steady, summary.solution_count, certificates);
    }
    if (summary.has_more) {
        rh__text_format(out, "more were found; %u are kept\n", summary.solution_count);
    }
    if (summary.solution_count == 0) {
        rh__text_put(out, "\nno steady motion was found\n");
    }
    if (summary.unseen[0] != '\0') {
        put_label(out, "not seen");
        rh__text_format(out,
                        "motions that are steady where %s is zero: rates have no slopes there\n",
                        summary.unseen);
    }
    if (summary.singular[0] != '\0') {
        put_label(out, "not told");
        rh__text_format(out,
                        "the search led to %s, where the equations are singular within rounding "
                        "(the constraints lose rank, or the inertia or the velocities do): "
                        "neither rest nor stability is told there\n",
                        summary.singular);
    }
}

rh_status rh_output_steady(const rh_steady *steady, rh_format format, rh_sink sink, rh_error *err)
{
    return rh_output_steady_certified(steady, NULL, format, sink, err);
}

rh_status rh_output_steady_certified(const rh_steady *steady, rh_certificate *const *certificates,
                                     rh_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(steady != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = steady->equations->model;
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, steady, certificates);
    } else {
        put_text(&out, steady, certificates);
    }
    return rh__output_end(&out, &arena, err);
}
