// SPDX-License-Identifier: Apache-2.0
// The answer to an inverse problem, as the object of `inverse --json` and for a person.

#include "output/outcome.h"

#include "inverse/inverse.h"

#include <string.h>

enum { LABEL = 14, DIGITS = 10, PLACE_DIGITS = 15 };

// --- the object ----------------------------------------------------------------------------------

static void put_text(rh_text *out, const char *key, const char *text)
{
    rh__text_format(out, ", \"%s\": ", key);
    if (text[0] != '\0') {
        rh__text_put_json(out, rh__slice_of(text));
    } else {
        rh__text_put(out, "null");
    }
}

static void put_bool(rh_text *out, const char *key, bool value)
{
    rh__text_format(out, ", \"%s\": %s", key, value ? "true" : "false");
}

static const char *truth(rh_inverse_verdict verdict)
{
    return verdict == RH_INVERSE_HOLDS ? "true" : verdict == RH_INVERSE_FAILS ? "false" : "null";
}

static void put_conditions(rh_text *out, const rh_inverse *inverse)
{
    static const char *const FOUR[] = {"i", "ii", "iii", "iv"};
    rh__text_put(out, ", \"conditions\": {");
    for (uint32_t k = 1; k <= 8; k++) {
        rh__text_format(out, "%s\"4.%u\": \"%s\"", k == 1 ? "" : ", ", k,
                        rh_inverse_verdict_text(rh_inverse_condition_of(inverse, k).verdict));
    }
    rh__text_put(out, "}, \"proofs\": {");
    for (uint32_t k = 1; k <= 8; k++) {
        const rh_inverse_condition it = rh_inverse_condition_of(inverse, k);
        rh__text_format(out, "%s\"4.%u\": %s", k == 1 ? "" : ", ", k,
                        it.verdict != RH_INVERSE_UNKNOWN && it.is_proved ? "true" : "false");
    }
    rh__text_put(out, "}, \"equivalent\": {");
    for (uint32_t k = 1; k <= 4; k++) {
        rh__text_format(out, "%s\"%s\": \"%s\"", k == 1 ? "" : ", ", FOUR[k - 1],
                        rh_inverse_verdict_text(rh_inverse_equivalent(inverse, k).verdict));
    }
    rh__text_put(out, "}");
    const rh_inverse_condition quadratic = rh_inverse_condition_of(inverse, 12);
    if (quadratic.verdict != RH_INVERSE_UNKNOWN) {
        rh__text_format(out, ", \"quadratic\": {\"4.12\": \"%s\"}",
                        rh_inverse_verdict_text(quadratic.verdict));
    }
}

static void put_witness(rh_text *out, const rh_inverse *inverse)
{
    rh__text_put(out, ", \"witness\": ");
    rh__text_put(out, rh_inverse_witness_count(inverse) == 0 ? "null" : "{");
    for (size_t k = 0; k < rh_inverse_witness_count(inverse); k++) {
        rh__outcome_key(out, rh_inverse_witness_name(inverse, k), k == 0);
        rh__outcome_number(out, rh_inverse_witness_value(inverse, k));
    }
    rh__text_put(out, rh_inverse_witness_count(inverse) == 0 ? "" : "}");
    rh__text_put(out, ", \"failures\": [");
    for (size_t k = 0; k < rh_inverse_failure_count(inverse); k++) {
        const rh_inverse_failure it = rh_inverse_failure_at(inverse, k);
        rh__text_put(out, k == 0 ? "{" : ", {");
        if (it.condition > 0) {
            rh__text_format(out, "\"condition\": \"4.%u\", ", it.condition);
        }
        rh__text_put(out, "\"indices\": [");
        for (uint32_t i = 0; i < 3 && it.index[i] > 0; i++) {
            rh__text_format(out, "%s%u", i == 0 ? "" : ", ", it.index[i]);
        }
        rh__text_put(out, "], \"variables\": [");
        for (uint32_t i = 0; i < 3 && it.index[i] > 0; i++) {
            rh__text_put(out, i == 0 ? "" : ", ");
            rh__text_put_json(out,
                              rh__slice_of(rh_inverse_variable_name(inverse, it.index[i] - 1)));
        }
        rh__text_put(out, "], \"residual\": ");
        rh__outcome_number(out, it.low / 2 + it.high / 2);
        put_text(out, "formula", it.text);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "]");
}

static void put_forms(rh_text *out, const rh_inverse *inverse, const rh_inverse_summary *summary)
{
    rh__text_put(out, ", \"form\": ");
    rh__text_put_json(out, rh__slice_of(summary->form));
    rh__text_put(out, ", \"forms\": [");
    for (size_t k = 0; k < rh_inverse_form_count(inverse); k++) {
        rh_inverse_condition verdict;
        const char *form = rh_inverse_form(inverse, k, &verdict);
        rh__text_put(out, k == 0 ? "{\"form\": " : ", {\"form\": ");
        rh__text_put_json(out, rh__slice_of(form));
        rh__text_format(out, ", \"holds\": %s}", truth(verdict.verdict));
    }
    rh__text_put(out, "]");
}

static void put_parts(rh_text *out, const rh_inverse_summary *summary)
{
    rh__text_put(out, ", \"parts\": ");
    if (summary->kinetic[0] == '\0') {
        rh__text_put(out, "null");
        return;
    }
    rh__text_put(out, "{\"kinetic\": ");
    rh__text_put_json(out, rh__slice_of(summary->kinetic));
    put_text(out, "gyroscopic", summary->gyroscopic);
    put_text(out, "potential", summary->potential);
    put_text(out, "circulatory", summary->circulatory);
    put_text(out, "dissipative", summary->dissipative);
    rh__text_put(out, "}, \"definiteness\": ");
    rh__text_put_json(out, rh__slice_of(rh_definiteness_text(summary->dissipation_sign)));
    put_bool(out, "definiteness_proved", summary->is_sign_proved);
    put_text(out, "definiteness_parameters", summary->sign_values);
}

static void put_matrix(rh_text *out, const char *key, const double *values, uint32_t n)
{
    rh__text_format(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        rh__text_put(out, i == 0 ? "[" : ", [");
        for (uint32_t k = 0; k < n; k++) {
            rh__text_put(out, k == 0 ? "" : ", ");
            rh__outcome_number(out, values[i * n + k]);
        }
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

static void put_matrices(rh_text *out, const rh_inverse *inverse)
{
    const rh_inverse_matrices of = rh_inverse_matrices_of(inverse);
    if (of.n == 0) {
        return;
    }
    rh__text_put(out, ", \"matrices\": {\"point\": {");
    for (size_t k = 0; k < rh_inverse_matrix_place_count(inverse); k++) {
        rh__outcome_key(out, rh_inverse_matrix_place_name(inverse, k), k == 0);
        rh__outcome_number(out, rh_inverse_matrix_place_value(inverse, k));
    }
    rh__text_put(out, "}");
    put_matrix(out, "s", of.s, of.n);
    put_matrix(out, "r", of.r, of.n);
    rh__text_put(out, "}");
}

// Only where there are any: what is proved off them, and which they are.
static void put_surfaces(rh_text *out, const rh_inverse *inverse, const rh_inverse_summary *summary)
{
    const size_t count = rh_inverse_surface_count(inverse);
    if (count == 0) {
        return;
    }
    put_bool(out, "proved_off_surfaces",
             summary->is_proved ||
                 (summary->verdict == RH_INVERSE_HOLDS && summary->point_count == 0));
    rh__text_put(out, ", \"surfaces\": [");
    for (size_t k = 0; k < count; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(rh_inverse_surface(inverse, k)));
    }
    rh__text_put(out, "]");
}

static void put_object(rh_text *out, const rh_inverse *inverse)
{
    const rh_inverse_summary summary = rh_inverse_summarise(inverse);
    const bool is_pairs = summary.kind == RH_INVERSE_HAMILTON;
    const bool has_text = (is_pairs ? summary.hamiltonian : summary.lagrangian)[0] != '\0';
    rh__text_format(out, "{\"holds\": %s", truth(summary.verdict));
    if (!is_pairs) {
        put_conditions(out, inverse);
    }
    put_bool(out, "proved", summary.is_proved);
    put_surfaces(out, inverse, &summary);
    put_bool(out, "for_all_parameters", summary.is_for_all_values);
    put_text(out, "parameters", summary.values);
    if (is_pairs) {
        put_text(out, "hamiltonian", summary.hamiltonian);
    } else {
        put_text(out, "lagrangian", summary.lagrangian);
        put_text(out, "dissipation", summary.dissipation);
    }
    put_bool(out, "closed", has_text && summary.is_closed);
    rh__text_format(out, ", \"reproduces\": %s", truth(summary.check.verdict));
    put_bool(out, "reproduces_proved",
             summary.check.verdict == RH_INVERSE_HOLDS && summary.check.is_proved);
    put_witness(out, inverse);
    put_forms(out, inverse, &summary);
    if (!is_pairs) {
        put_parts(out, &summary);
        put_matrices(out, inverse);
    }
    rh__text_format(out, ", \"points\": %u", summary.point_count);
    if (summary.note[0] != '\0') {
        put_text(out, "note", summary.note);
    }
    if (summary.reason[0] != '\0') {
        put_text(out, "reason", summary.reason);
    }
    rh__text_put(out, "}\n");
}

// --- the text
// --------------------------------------------------------------------------------------

static void put_label(rh_text *out, const char *label)
{
    rh__text_format(out, "%-*s", LABEL, label);
}

static void put_line(rh_text *out, const char *label, const char *text)
{
    put_label(out, label);
    rh__text_format(out, "%s\n", text);
}

// How sure a verdict is.
static void put_sure(rh_text *out, const rh_inverse_condition *it)
{
    if (it->verdict == RH_INVERSE_HOLDS) {
        if (it->is_proved) {
            rh__text_put(out, ", proved");
        } else if (it->point_count == 0) {
            rh__text_put(out, ", proved off the surfaces");
        } else {
            rh__text_format(out, " at %u random point%s, not proved", it->point_count,
                            it->point_count == 1 ? "" : "s");
        }
    }
}

static void tell_conditions(rh_text *out, const rh_inverse *inverse)
{
    static const char *const WHAT[] = {
        "df_i/da_k symmetric",         "s_ik free of accelerations",
        "r_ik free of accelerations",  "linear in the accelerations",
        "ds_ij/dv_k symmetric",        "dr_ij/dv_k = ds_ik/dq_j - ds_jk/dq_i",
        "r closed in the coordinates", "s and r come from a dissipative function",
    };
    rh__text_put(out, "conditions\n");
    for (uint32_t k = 1; k <= 8; k++) {
        const rh_inverse_condition it = rh_inverse_condition_of(inverse, k);
        rh__text_format(out, "  (4.%u)  %-42s%s", k, WHAT[k - 1],
                        rh_inverse_verdict_text(it.verdict));
        put_sure(out, &it);
        rh__text_put_char(out, '\n');
    }
    const rh_inverse_condition quadratic = rh_inverse_condition_of(inverse, 12);
    if (quadratic.verdict != RH_INVERSE_UNKNOWN) {
        rh__text_format(out, "  (4.12) %-42s%s", "products v_j v_l symmetric in all indices",
                        rh_inverse_verdict_text(quadratic.verdict));
        put_sure(out, &quadratic);
        rh__text_put_char(out, '\n');
    }
}

static void tell_failures(rh_text *out, const rh_inverse *inverse)
{
    enum { MOST = 12 };
    const size_t count = rh_inverse_failure_count(inverse);
    if (count == 0) {
        return;
    }
    rh__text_put(out, "at the point\n");
    for (size_t k = 0; k < rh_inverse_witness_count(inverse); k++) {
        rh__text_format(out, "  %s = ", rh_inverse_witness_name(inverse, k));
        rh__outcome_value(out, rh_inverse_witness_value(inverse, k), PLACE_DIGITS);
        rh__text_put_char(out, '\n');
    }
    rh__text_put(out, "the residuals are\n");
    for (size_t k = 0; k < count && k < MOST; k++) {
        const rh_inverse_failure it = rh_inverse_failure_at(inverse, k);
        if (it.condition > 0) {
            rh__text_format(out, "  (4.%u)", it.condition);
        } else {
            rh__text_put(out, "  d(-p', x')");
        }
        for (uint32_t i = 0; i < 3 && it.index[i] > 0; i++) {
            rh__text_format(out, "%s%s", i == 0 ? " at (" : ", ",
                            rh_inverse_variable_name(inverse, it.index[i] - 1));
        }
        rh__text_put(out, ")  ");
        rh__outcome_value(out, it.low / 2 + it.high / 2, DIGITS);
        const bool is_formula = strpbrk(it.text, "abcdefghijklmnopqrstuvwxyz'") != NULL;
        rh__text_format(out, is_formula ? "  = %s\n" : "\n", it.text);
    }
    if (count > MOST) {
        rh__text_format(out, "  and %zu more\n", count - MOST);
    }
}

static void tell_parts(rh_text *out, const rh_inverse_summary *summary)
{
    rh__text_put(out, "parts\n");
    put_line(out, "  kinetic", summary->kinetic);
    put_line(out, "  gyroscopic", summary->gyroscopic);
    put_line(out, "  potential", summary->potential);
    put_line(out, "  circulatory", summary->circulatory);
    put_line(out, "  dissipative", summary->dissipative);
    put_label(out, "dissipation");
    rh__text_format(out, "%s%s%s%s; judged is the power lost, v dD/dv of the dissipative part\n",
                    rh_definiteness_text(summary->dissipation_sign),
                    summary->dissipation_sign == RH_DEFINITE_UNKNOWN ? ""
                    : summary->is_sign_proved                        ? ", proved"
                                              : " at random points, not proved",
                    summary->sign_values[0] != '\0' ? " for " : "", summary->sign_values);
}

static void tell_check(rh_text *out, const rh_inverse_summary *summary, const char *what)
{
    put_label(out, "check");
    rh__text_put(out, what);
    switch (summary->check.verdict) {
    case RH_INVERSE_HOLDS:
        rh__text_put(out, " the equations back");
        put_sure(out, &summary->check);
        if (summary->values[0] != '\0') {
            rh__text_format(out, ", for %s only", summary->values);
        }
        break;
    case RH_INVERSE_FAILS: // such functions are not shown
    case RH_INVERSE_UNKNOWN:
        rh__text_put(out, " the equations back as far as is known: not decided");
        break;
    }
    rh__text_put_char(out, '\n');
}

static void tell_lagrange(rh_text *out, const rh_inverse *inverse,
                          const rh_inverse_summary *summary)
{
    tell_conditions(out, inverse);
    if (summary->lagrangian[0] != '\0' && summary->dissipation[0] != '\0') {
        put_line(out, "L", summary->lagrangian);
        put_line(out, "D", summary->dissipation);
        tell_check(out, summary, "L and D give");
        tell_parts(out, summary);
    }
    tell_failures(out, inverse);
}

static void tell_surfaces(rh_text *out, const rh_inverse *inverse)
{
    const size_t count = rh_inverse_surface_count(inverse);
    if (count == 0) {
        return;
    }
    put_label(out, "surfaces");
    for (size_t k = 0; k < count; k++) {
        const char *text = rh_inverse_surface(inverse, k);
        rh__text_format(out, "%s%s = 0", k == 0 ? "" : ", ", text[0] != '\0' ? text : "...");
    }
    rh__text_put(out, ": the equations switch there, and derivatives hold between them\n");
}

static void put_person(rh_text *out, const rh_inverse *inverse)
{
    static const char *const LAGRANGE[] = {"there is one", "there is none", "not decided"};
    static const char *const HAMILTON[] = {"Hamiltonian", "not Hamiltonian", "not decided"};
    const rh_inverse_summary summary = rh_inverse_summarise(inverse);
    const bool is_pairs = summary.kind == RH_INVERSE_HAMILTON;
    put_label(out, is_pairs ? "field" : "Lagrangian");
    rh__text_put(out, (is_pairs ? HAMILTON : LAGRANGE)[summary.verdict]);
    // the conditions are about neighbourhoods: only functions tell that there is one for all of
    // them
    const bool has_text = (is_pairs ? summary.hamiltonian : summary.lagrangian)[0] != '\0';
    if (summary.verdict == RH_INVERSE_HOLDS && summary.point_count == 0 && !has_text) {
        rh__text_put(out, " near every point");
    }
    const rh_inverse_condition whole = {(uint32_t)sizeof whole, summary.verdict, summary.is_proved,
                                        summary.point_count};
    put_sure(out, &whole);
    if (summary.values[0] != '\0') {
        rh__text_format(out, ", for %s only", summary.values);
    }
    rh__text_format(out, "; equations %s\n", summary.form);
    if (rh_inverse_form_count(inverse) > 1) {
        rh_inverse_condition verdict;
        (void)rh_inverse_form(inverse, 0, &verdict);
        rh__text_format(out, "%*sas written: %s; multiplied by the inertia: ", LABEL, "",
                        rh_inverse_verdict_text(verdict.verdict));
        (void)rh_inverse_form(inverse, 1, &verdict);
        rh__text_format(out, "%s\n", rh_inverse_verdict_text(verdict.verdict));
    }
    tell_surfaces(out, inverse);
    if (!is_pairs) {
        tell_lagrange(out, inverse, &summary);
    } else {
        if (summary.hamiltonian[0] != '\0') {
            put_line(out, "H", summary.hamiltonian);
            tell_check(out, &summary, "H gives");
        }
        tell_failures(out, inverse);
    }
    if (summary.note[0] != '\0') {
        put_line(out, "note", summary.note);
    }
    if (summary.reason[0] != '\0') {
        put_line(out, "open", summary.reason);
    }
}

rh_status rh_output_inverse(const rh_inverse *inverse, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(inverse != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    rh_arena arena = rh__arena_begin(rh__guard_base(inverse->model->arena.allocator),
                                     inverse->model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, inverse);
    } else {
        put_person(&out, inverse);
    }
    return rh__output_end(&out, &arena, err);
}
