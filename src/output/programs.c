// SPDX-License-Identifier: Apache-2.0
// What the deviations of program constraints do, as the object of `program --json` and for a
// person.

#include "output/outcome.h"

#include "program/program.h"

#include <math.h>

enum { DIGITS = 10, LABEL = 18, MOST_SHOWN = 12 };

static const char *const KINDS[] = {[RH_PROGRAM_CONSTANT] = "constant",
                                    [RH_PROGRAM_TIMED] = "time-dependent",
                                    [RH_PROGRAM_STATED] = "state-dependent"};

// --- the object ----------------------------------------------------------------------------------

// A formula, unless it is so long that parts of it would need names.
static void put_formula(rh_text *out, const rh_program *program, rh_expr value, rh_arena *scratch)
{
    rh_show *show = rh__show_create(program->store, scratch, RH_NOTATION_TEXT, &value, 1);
    if (show != NULL && rh__show_part_count(show) == 0) {
        rh__show_expr(show, value, out);
    } else {
        rh__text_put(out, "...");
    }
}

static void put_law_text(rh_text *out, const rh_program *program, const rh_program_law *law,
                         rh_arena *scratch)
{
    put_formula(out, program, program->equations->links.data[law->link].constraint->law, scratch);
}

static const char *vanishing_of(const rh_program_law *law)
{
    return law->vanishing == RH_VANISHING_PROVED ? "proved" : "at random points";
}

static void put_laws(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    rh__text_put(out, "\"laws\": [");
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        const rh_mark mark = rh__arena_mark(scratch);
        rh_text text = rh__text_begin(scratch, NULL);
        put_law_text(&text, program, law, scratch);
        rh__text_put(out, k == 0 ? "{\"constraint\": " : ", {\"constraint\": ");
        rh__text_put_json(out, rh__slice_of(law->name));
        rh__text_format(out, ", \"order\": %u, \"law\": ", law->order);
        rh__text_put_json(out, rh__text_slice(&text));
        rh__text_format(out, ", \"linear\": %s, \"vanishes\": \"%s\", \"overshoot\": ",
                        law->is_linear ? "true" : "false", vanishing_of(law));
        if (isnan(law->extremum)) {
            rh__text_put(out, "null");
        } else {
            rh__text_put(out, "{\"time\": ");
            rh__outcome_number(out, law->extremum_time);
            rh__text_put(out, ", \"value\": ");
            rh__outcome_number(out, law->extremum);
            rh__text_put(out, "}");
        }
        if (law->note != NULL) {
            rh__text_put(out, ", \"overshoot_note\": ");
            rh__text_put_json(out, rh__slice_of(law->note));
        }
        rh__text_put(out, "}");
        rh__arena_rewind(scratch, mark);
    }
    rh__text_put(out, "]");
}

static void put_variables(rh_text *out, const rh_program *program)
{
    rh__text_put(out, ", \"variables\": [");
    for (uint32_t k = 0; k < program->size; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(program->names[k]));
    }
    rh__text_put(out, "], \"start\": {");
    for (uint32_t k = 0; k < program->size; k++) {
        rh__outcome_key(out, program->names[k], k == 0);
        rh__outcome_number(out, program->z[k]);
    }
    rh__text_put(out, "}");
}

typedef double entry_of(const rh_program *program, size_t row, size_t column);

static void put_matrix(rh_text *out, const rh_program *program, entry_of *entry)
{
    if (isnan(entry(program, 0, 0))) {
        rh__text_put(out, "null");
        return;
    }
    rh__text_put(out, "[");
    for (uint32_t i = 0; i < program->size; i++) {
        rh__text_put(out, i == 0 ? "[" : ", [");
        for (uint32_t j = 0; j < program->size; j++) {
            rh__text_put(out, j == 0 ? "" : ", ");
            rh__outcome_number(out, entry(program, i, j));
        }
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

static bool is_moving(const rh_program *program, const rh_entry *entry)
{
    return (rh__expr_mask(program->store, entry->value) & RH_EXPR_VARIABLE) != 0;
}

// Entries of P that move, as formulas.
static void put_entries(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    bool is_first = true;
    for (uint32_t k = 0; k < program->entries.count; k++) {
        const rh_entry *entry = &program->entries.data[k];
        if (!is_moving(program, entry)) {
            continue;
        }
        const rh_mark mark = rh__arena_mark(scratch);
        rh_text text = rh__text_begin(scratch, NULL);
        put_formula(&text, program, entry->value, scratch);
        rh__text_format(out, "%s{\"row\": %u, \"column\": %u, \"value\": ",
                        is_first ? ", \"formulas\": [" : ", ", entry->row + 1, entry->column + 1);
        rh__text_put_json(out, rh__text_slice(&text));
        rh__text_put(out, "}");
        rh__arena_rewind(scratch, mark);
        is_first = false;
    }
    rh__text_put(out, is_first ? "" : "]");
}

static void put_roots(rh_text *out, const rh_program *program)
{
    rh__text_put(out, ", \"roots\": [");
    for (uint32_t k = 0; k < program->roots.count; k++) {
        const rh_program_root root = rh_program_roots(program, k);
        rh__text_put(out, k == 0 ? "[" : ", [");
        rh__outcome_number(out, root.real);
        rh__text_put(out, ", ");
        rh__outcome_number(out, root.imaginary);
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

// What the step limits are those of.
static const char *limits_of(const rh_program_summary *summary)
{
    return summary->kind == RH_PROGRAM_CONSTANT ? "all states"
           : summary->limit_count > 0           ? "points of the box"
                                                : "the start";
}

static void put_transients(rh_text *out, const rh_program *program)
{
    const rh_program_summary *summary = &program->summary;
    rh__text_put(out, ", \"overshoot\": ");
    if (isnan(summary->overshoot)) {
        rh__text_put(out, "null");
    } else {
        rh__text_put(out, "{\"constraint\": ");
        rh__text_put_json(out, rh__slice_of(program->laws.data[summary->overshoot_law].name));
        rh__text_put(out, ", \"time\": ");
        rh__outcome_number(out, summary->overshoot_time);
        rh__text_put(out, ", \"value\": ");
        rh__outcome_number(out, summary->overshoot);
        rh__text_put(out, "}");
    }
    rh__text_put(out, ", \"amplification\": ");
    if (isnan(summary->amplification)) {
        rh__text_put(out, "null");
    } else {
        rh__text_put(out, "{\"time\": ");
        rh__outcome_number(out, summary->amplification_time);
        rh__text_put(out, ", \"value\": ");
        rh__outcome_number(out, summary->amplification);
        rh__text_format(out, ", \"first_approximation\": %s}",
                        summary->is_linear ? "false" : "true");
    }
    rh__text_put(out, ", \"step_limits\": {");
    for (uint32_t k = 0; k < RH_PROGRAM_METHOD_COUNT; k++) {
        rh__outcome_key(out, rh_program_method_text((rh_program_method)k), k == 0);
        rh__outcome_number(out, summary->step_limits[k]);
    }
    rh__text_format(out, "}, \"step_limits_of\": \"%s\"", limits_of(summary));
}

static const rh_program_part *worst_part(const rh_program *program)
{
    const rh_program_part *worst = NULL;
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        if (!isnan(part->worst) && (worst == NULL || part->worst > worst->worst)) {
            worst = part;
        }
    }
    return worst;
}

static void put_point(rh_text *out, const rh_program *program, const double *at)
{
    rh__text_put(out, "{");
    for (uint32_t k = 0; k < program->box.count; k++) {
        rh__outcome_key(out, program->box.data[k].name, k == 0);
        rh__outcome_number(out, at[k]);
    }
    rh__text_put(out, "}");
}

static void put_region(rh_text *out, const rh_program *program)
{
    const rh_program_part *worst = worst_part(program);
    const rh_program_summary *summary = &program->summary;
    if (worst == NULL) {
        return;
    }
    rh__text_put(out, ", \"worst\": {\"value\": ");
    rh__outcome_number(out, worst->worst);
    rh__text_put(out, ", \"point\": ");
    put_point(out, program, worst->worst_point);
    rh__text_put(out, ", \"first_value\": ");
    rh__outcome_number(out, worst->worst_first);
    rh__text_format(out, "}, \"samples\": %llu, \"cells\": %llu",
                    (unsigned long long)summary->sample_count,
                    (unsigned long long)summary->cell_count);
}

static void put_trial(rh_text *out, const rh_program *program)
{
    const rh_program_trial *trial = &program->trial;
    if (!trial->is_made) {
        return;
    }
    rh__text_format(out, ", \"function\": {\"verdict\": \"%s\", \"samples\": %llu, \"least\": ",
                    rh_program_verdict_text(trial->verdict), (unsigned long long)trial->count);
    rh__outcome_number(out, trial->least);
    rh__text_put(out, ", \"largest_rate\": ");
    rh__outcome_number(out, trial->largest);
    rh__text_put(out, ", \"point\": ");
    put_point(out, program, trial->point);
    rh__text_format(out, ", \"certified\": %s, \"cells\": %llu",
                    trial->is_proved ? "true" : "false", (unsigned long long)trial->cell_count);
    if (trial->lack != NULL) {
        rh__text_put(out, ", \"lack\": ");
        rh__text_put_json(out, rh__slice_of(trial->lack));
    }
    rh__text_put(out, "}");
}

static void put_object(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    const rh_program_summary *summary = &program->summary;
    rh__text_put(out, "{");
    put_laws(out, program, scratch);
    put_variables(out, program);
    rh__text_format(out, ", \"kind\": \"%s\", \"linear\": %s, \"matrix\": ", KINDS[summary->kind],
                    summary->is_linear ? "true" : "false");
    put_matrix(out, program, rh_program_entry);
    put_entries(out, program, scratch);
    put_roots(out, program);
    rh__text_put(out, ", \"lyapunov\": ");
    put_matrix(out, program, rh_program_lyapunov);
    rh__text_format(out, ", \"verdict\": \"%s\", \"local\": %s, \"certified\": %s, \"reason\": ",
                    rh_program_verdict_text(summary->verdict), summary->is_local ? "true" : "false",
                    summary->is_certified ? "true" : "false");
    rh__text_put_json(out, rh__slice_of(summary->reason));
    put_transients(out, program);
    if (!isnan(summary->multiplier)) {
        rh__text_put(out, ", \"period\": ");
        rh__outcome_number(out, summary->period);
        rh__text_put(out, ", \"multiplier\": ");
        rh__outcome_number(out, summary->multiplier);
    }
    put_region(out, program);
    put_trial(out, program);
    rh__text_put(out, "}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_label(rh_text *out, const char *label)
{
    rh__text_format(out, "%-*s", LABEL, label);
}

static void tell_laws(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    rh__text_put(out, "perturbation laws\n");
    for (uint32_t k = 0; k < program->laws.count && k < MOST_SHOWN; k++) {
        const rh_program_law *law = &program->laws.data[k];
        const rh_mark mark = rh__arena_mark(scratch);
        rh__text_format(out, "  %s", law->name);
        for (uint32_t p = 0; p < law->order; p++) {
            rh__text_put_char(out, '\'');
        }
        rh__text_put(out, " = ");
        put_law_text(out, program, law, scratch);
        rh__text_format(out, "    %s; vanishes on the program: %s\n",
                        law->is_linear ? "linear" : "not linear", vanishing_of(law));
        rh__arena_rewind(scratch, mark);
    }
    if (program->laws.count > MOST_SHOWN) {
        rh__text_format(out, "  ... and %u more; --json has all\n",
                        program->laws.count - MOST_SHOWN);
    }
}

static void tell_matrix(rh_text *out, const rh_program *program, const char *heading,
                        entry_of *entry)
{
    if (isnan(entry(program, 0, 0))) {
        return;
    }
    rh__text_format(out, "%s\n", heading);
    if (program->size > MOST_SHOWN) {
        rh__text_format(out, "  %u x %u; --json has it\n", program->size, program->size);
        return;
    }
    for (uint32_t i = 0; i < program->size; i++) {
        rh__text_put(out, "  [");
        for (uint32_t j = 0; j < program->size; j++) {
            rh__text_put(out, j == 0 ? "" : ", ");
            rh__outcome_value(out, entry(program, i, j), DIGITS);
        }
        rh__text_put(out, "]\n");
    }
}

static void tell_entries(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < program->entries.count; k++) {
        const rh_entry *entry = &program->entries.data[k];
        if (is_moving(program, entry) && count++ < MOST_SHOWN) {
            const rh_mark mark = rh__arena_mark(scratch);
            rh__text_format(out, "  P[%u, %u] = ", entry->row + 1, entry->column + 1);
            put_formula(out, program, entry->value, scratch);
            rh__text_put_char(out, '\n');
            rh__arena_rewind(scratch, mark);
        }
    }
    if (count > MOST_SHOWN) {
        rh__text_format(out, "  ... and %u more; --json has all\n", count - MOST_SHOWN);
    }
}

static void tell_roots(rh_text *out, const rh_program *program)
{
    rh__text_put(out,
                 program->summary.is_linear ? "roots\n" : "roots of the first approximation\n");
    for (uint32_t k = 0; k < program->roots.count; k++) {
        const rh_program_root root = rh_program_roots(program, k);
        const bool is_pair = root.imaginary != 0.0 && k + 1 < program->roots.count;
        rh__text_put(out, "  ");
        rh__outcome_value(out, root.real, DIGITS);
        if (root.imaginary != 0.0) {
            rh__text_put(out, is_pair ? " +- " : " + ");
            rh__outcome_value(out, is_pair ? fabs(root.imaginary) : root.imaginary, DIGITS);
            rh__text_put(out, " i");
        }
        rh__text_put_char(out, '\n');
        k += is_pair;
    }
}

static void tell_place(rh_text *out, const rh_program *program, const double *at)
{
    for (uint32_t k = 0; k < program->box.count; k++) {
        rh__text_format(out, "%s%s = ", k == 0 ? " at " : ", ", program->box.data[k].name);
        rh__outcome_value(out, at[k], 6);
    }
    rh__text_put_char(out, '\n');
}

static void tell_region(rh_text *out, const rh_program *program)
{
    const rh_program_part *worst = worst_part(program);
    if (worst != NULL) {
        put_label(out, "worst rate");
        rh__outcome_value(out, worst->worst, DIGITS);
        tell_place(out, program, worst->worst_point);
        if (worst->worst_first != worst->worst) {
            put_label(out, "");
            rh__outcome_value(out, worst->worst_first, DIGITS);
            rh__text_put(out, " with the C of the middle of the box, before the search\n");
        }
    }
    const rh_program_trial *trial = &program->trial;
    if (trial->is_made) {
        put_label(out, "given function");
        if (trial->is_proved) {
            rh__text_format(out, "proved in %llu parts of the box",
                            (unsigned long long)trial->cell_count);
        } else {
            rh__text_put(out, rh_program_verdict_text(trial->verdict));
        }
        rh__text_format(out, "%s %llu points; least V/|z|^2 ",
                        trial->is_proved ? ", looked at in" : " at",
                        (unsigned long long)trial->count);
        rh__outcome_value(out, trial->least, 6);
        rh__text_put(out, ", largest V'/|z|^2 ");
        rh__outcome_value(out, trial->largest, 6);
        tell_place(out, program, trial->point);
        if (trial->lack != NULL) {
            put_label(out, "");
            rh__text_format(out, "%s\n", trial->lack);
        }
    }
}

static void tell_verdict(rh_text *out, const rh_program *program)
{
    const rh_program_summary *summary = &program->summary;
    put_label(out, "verdict");
    rh__text_put(out, rh_program_verdict_text(summary->verdict));
    if (summary->is_local) {
        rh__text_put(out, " (local)");
    }
    rh__text_put(out, summary->is_certified ? ", proved: " : ": ");
    rh__text_format(out, "%s\n", summary->reason);
}

static void tell_transients(rh_text *out, const rh_program *program)
{
    const rh_program_summary *summary = &program->summary;
    for (uint32_t k = 0; k < program->laws.count && k < MOST_SHOWN; k++) {
        const rh_program_law *law = &program->laws.data[k];
        if (!isnan(law->extremum)) {
            put_label(out, "overshoot");
            rh__text_format(out, "%s from ", law->name);
            rh__outcome_value(out, program->z[law->first], DIGITS);
            rh__text_put(out, " to ");
            rh__outcome_value(out, law->extremum, DIGITS);
            rh__text_put(out, " after ");
            rh__outcome_value(out, law->extremum_time, DIGITS);
            rh__text_put_char(out, '\n');
        }
        if (law->note != NULL) {
            put_label(out, "overshoot");
            rh__text_format(out, "%s: %s\n", law->name, law->note);
        }
    }
    if (!isnan(summary->amplification)) {
        put_label(out, "amplification");
        rh__text_put(out, "at most ");
        rh__outcome_value(out, summary->amplification, DIGITS);
        rh__text_put(out, ", after ");
        rh__outcome_value(out, summary->amplification_time, DIGITS);
        rh__text_put(out, summary->is_linear ? "\n" : "; of the first approximation alone\n");
    }
    bool has_limit = false;
    for (uint32_t k = 0; k < RH_PROGRAM_METHOD_COUNT; k++) {
        if (isnan(summary->step_limits[k])) {
            continue;
        }
        if (!has_limit) {
            put_label(out, "step limits");
        }
        rh__text_format(out, "%s%s ", has_limit ? ", " : "",
                        rh_program_method_text((rh_program_method)k));
        rh__outcome_value(out, summary->step_limits[k], 6);
        has_limit = true;
    }
    if (has_limit && summary->limit_count > 0) {
        rh__text_format(out, "; the least at %llu points of the box",
                        (unsigned long long)summary->limit_count);
    } else if (has_limit && summary->kind != RH_PROGRAM_CONSTANT) {
        rh__text_put(out, "; at the start, others elsewhere");
    }
    rh__text_put(out, has_limit ? "\n" : "");
}

static void put_text(rh_text *out, const rh_program *program, rh_arena *scratch)
{
    const rh_program_summary *summary = &program->summary;
    tell_laws(out, program, scratch);
    put_label(out, "coefficients");
    rh__text_format(out, "%s%s\n", KINDS[summary->kind],
                    summary->kind == RH_PROGRAM_CONSTANT ? ""
                    : program->box.count > 0             ? "; shown in the middle of the box"
                                                         : "; shown at the start");
    tell_matrix(out, program, "z' = P z, P", rh_program_entry);
    tell_entries(out, program, scratch);
    tell_roots(out, program);
    tell_matrix(out, program, "Lyapunov function z^T C z / 2, C", rh_program_lyapunov);
    tell_region(out, program);
    tell_verdict(out, program);
    tell_transients(out, program);
}

rh_status rh_output_program(const rh_program *program, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(program != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    rh_arena arena =
        rh__arena_begin(rh__guard_base(program->arena.allocator), program->arena.limit);
    rh_arena scratch =
        rh__arena_begin(rh__guard_base(program->arena.allocator), program->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, program, &scratch);
    } else {
        put_text(&out, program, &scratch);
    }
    rh__arena_end(&scratch);
    return rh__output_end(&out, &arena, err);
}
