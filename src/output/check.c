// SPDX-License-Identifier: Apache-2.0
// What a model is, as `rheonom check` says it: as JSON with the keys other programs rely on (docs
// of the command line), or as text (summary.c). What needs a checkup (doctor.c) is null without
// one.

#include "output/doctor.h"

// --- shared with the text ----------------------------------------------------------------------

void rh__summary_name(const rh_row *row, const rh_store *store, rh_text *out)
{
    if (row->family.i != 0) {
        rh__family_show(store, row->family, row->member, out);
    } else {
        rh__text_put_slice(out, row->name);
    }
}

static const char *option_word(rh_option option)
{
    switch (option) {
    case RH_OPTION_NONE:
        return "";
    case RH_OPTION_LITERAL:
        return "literal";
    case RH_OPTION_HOLD:
        return "hold";
    }
    return "";
}

void rh__summary_realisation(const rh_summary *summary, const rh_constraint *constraint,
                             rh_text *out)
{
    const char *between = "(";
    rh__text_put(out, rh__realisation_word(constraint->by));
    if (constraint->argument.i != 0) {
        rh__text_put(out, between);
        rh__show_expr(summary->show, constraint->argument, out);
        between = ", ";
    }
    for (uint32_t k = 0; k < constraint->component_count; k++) {
        rh__text_put(out, between);
        rh__show_expr(summary->show, constraint->components[k].target, out);
        rh__text_put(out, ": ");
        rh__show_expr(summary->show, constraint->components[k].value, out);
        between = ", ";
    }
    if (constraint->option != RH_OPTION_NONE) {
        rh__text_format(out, "%s%s", between, option_word(constraint->option));
        between = ", ";
    }
    rh__text_put(out, between[0] == ',' ? ")" : "");
}

// --- JSON ------------------------------------------------------------------------------------

static void put_key(const rh_summary *summary, const char *key)
{
    rh__text_format(summary->out, ", \"%s\": ", key);
}

// A kept text as a JSON string; the scratch is rewound by the caller.
static void put_kept(const rh_summary *summary, const rh_text *kept)
{
    rh__text_put_json(summary->out, rh__text_slice(kept));
    summary->out->ok = summary->out->ok && kept->ok;
}

static void put_expr(const rh_summary *summary, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text kept = rh__text_begin(summary->scratch, NULL);
    rh__show_expr(summary->show, e, &kept);
    put_kept(summary, &kept);
    rh__arena_rewind(summary->scratch, mark);
}

static void put_member(const rh_summary *summary, rh_family family, uint32_t member)
{
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text kept = rh__text_begin(summary->scratch, NULL);
    rh__family_show(summary->model->store, family, member, &kept);
    put_kept(summary, &kept);
    rh__arena_rewind(summary->scratch, mark);
}

static void put_variables(const rh_summary *summary, const rh_variable *variables, uint32_t count)
{
    bool is_first = true;
    rh__text_put(summary->out, "[");
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t member = 0; member < variables[k].size; member++) {
            rh__text_put(summary->out, is_first ? "" : ", ");
            put_member(summary, variables[k].family[0], member);
            is_first = false;
        }
    }
    rh__text_put(summary->out, "]");
}

static void put_selected(const rh_summary *summary)
{
    const rh_expr_list *selected = &summary->model->selected;
    const rh_store *store = summary->model->store;
    rh__text_put(summary->out, "[");
    for (uint32_t k = 0; k < selected->count; k++) {
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_member(summary, rh__expr_family(store, selected->data[k]),
                   rh__expr_member(store, selected->data[k]));
    }
    rh__text_put(summary->out, "]");
}

static void put_parameters(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    bool is_first = true;
    put_key(summary, "parameters");
    rh__text_put(summary->out, "{");
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        for (uint32_t member = 0; member < parameter->size; member++) {
            rh__text_put(summary->out, is_first ? "" : ", ");
            put_member(summary, parameter->family, member);
            rh__text_put(summary->out, ": ");
            put_expr(summary, parameter->defaults[member]);
            is_first = false;
        }
    }
    rh__text_put(summary->out, "}");
    put_key(summary, "structural");
    is_first = true;
    rh__text_put(summary->out, "[");
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        if (model->parameters.data[k].is_structural) {
            rh__text_put(summary->out, is_first ? "" : ", ");
            rh__text_put_json(summary->out, model->parameters.data[k].name);
            is_first = false;
        }
    }
    rh__text_put(summary->out, "]");
}

static void put_constraint(const rh_summary *summary, uint32_t index)
{
    const rh_constraint *constraint = &summary->model->constraints.data[index];
    rh_text *out = summary->out;
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text name = rh__text_begin(summary->scratch, NULL);
    rh__summary_name(&constraint->row, summary->model->store, &name);
    rh__text_put(out, "{\"name\": ");
    put_kept(summary, &name);
    rh__text_format(out, ", \"kind\": \"%s\", \"linear\": %s, \"sided\": \"%s\"",
                    rh__kind_word(constraint->kind), constraint->is_linear ? "true" : "false",
                    constraint->is_one_sided ? "one" : "two");
    rh__text_format(out, ", \"realisation\": \"%s\", \"realisation_text\": ",
                    rh__realisation_word(constraint->by));
    rh_text realisation = rh__text_begin(summary->scratch, NULL);
    rh__summary_realisation(summary, constraint, &realisation);
    put_kept(summary, &realisation);
    if (constraint->condition.i != 0) {
        rh_text condition = rh__text_begin(summary->scratch, NULL);
        rh__show_expr(summary->show, constraint->condition, &condition);
        rh__text_put(out, ", \"while\": ");
        put_kept(summary, &condition);
    }
    if (summary->checkup != NULL) {
        rh__doctor_constraint(summary, index);
    } else {
        rh__text_put(out, ", \"integrable\": null, \"redundant_with\": [], \"levels\": []");
    }
    rh__text_put(out, "}");
    rh__arena_rewind(summary->scratch, mark);
}

static void put_constraints(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    put_key(summary, "constraints");
    rh__text_put(summary->out, "[");
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_constraint(summary, k);
    }
    rh__text_put(summary->out, "]");
}

static void put_counts(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    uint32_t one_sided = 0;
    uint32_t program = 0;
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        one_sided += model->constraints.data[k].is_one_sided;
        program += model->constraints.data[k].has_law;
    }
    put_key(summary, "counts");
    rh__text_format(summary->out,
                    "{\"coordinates\": %u, \"states\": %u, \"inputs\": %u, \"constraints\": %u, "
                    "\"one_sided\": %u, \"program\": %u, \"laws\": %u, \"equations\": %u, "
                    "\"quasi_velocities\": %u, \"events\": %u, \"observables\": %u}",
                    (unsigned)rh__model_coordinate_count(model),
                    (unsigned)rh__model_state_count(model), (unsigned)model->inputs.count,
                    (unsigned)model->constraints.count, (unsigned)one_sided, (unsigned)program,
                    (unsigned)model->laws.count, (unsigned)model->equations.count,
                    (unsigned)model->quasis.count, (unsigned)model->events.count,
                    (unsigned)model->observes.count);
}

// Texts may use names (%1, %2, ...) for large parts; here is what they stand for.
static void put_parts(const rh_summary *summary)
{
    put_key(summary, "parts");
    rh__text_put(summary->out, "[");
    for (uint32_t k = 0; k < rh__show_part_count(summary->show); k++) {
        const rh_mark mark = rh__arena_mark(summary->scratch);
        rh_text kept = rh__text_begin(summary->scratch, NULL);
        rh__show_part(summary->show, k, &kept);
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_kept(summary, &kept);
        rh__arena_rewind(summary->scratch, mark);
    }
    rh__text_put(summary->out, "]");
}

void rh__summary_json(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    rh__text_put(summary->out, "{\"title\": ");
    rh__text_put_json(summary->out, model->title);
    put_key(summary, "coordinates");
    put_variables(summary, model->coordinates.data, model->coordinates.count);
    put_key(summary, "states");
    put_variables(summary, model->states.data, model->states.count);
    put_key(summary, "selected");
    put_selected(summary);
    if (summary->checkup != NULL) {
        rh__doctor_counts(summary);
    } else {
        rh__text_put(summary->out, ", \"degrees_of_freedom\": null, \"configuration_dimension\": "
                                   "null, \"hidden_integrals\": null");
    }
    put_constraints(summary);
    if (summary->checkup != NULL) {
        rh__doctor_reactions(summary);
        rh__doctor_weights(summary);
        rh__doctor_start(summary);
    } else {
        rh__text_put(summary->out, ", \"reactions\": []");
    }
    put_parameters(summary);
    put_parts(summary);
    put_counts(summary);
    put_key(summary, "diagnostics");
    rh__output_remarks(summary->out, model);
    rh__text_put(summary->out, "}\n");
}

// --- both ------------------------------------------------------------------------------------

// Every expression that is shown, so that what they share is named once.
static bool collect_roots(const rh_model *model, rh_arena *arena, rh_expr_list *roots)
{
    bool ok = true;
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        for (uint32_t member = 0; ok && member < parameter->size; member++) {
            ok = rh__array_push(arena, roots, parameter->defaults[member]);
        }
    }
    for (uint32_t k = 0; ok && k < model->constraints.count; k++) {
        const rh_constraint *constraint = &model->constraints.data[k];
        ok = constraint->argument.i == 0 || rh__array_push(arena, roots, constraint->argument);
        for (uint32_t j = 0; ok && j < constraint->component_count; j++) {
            ok = rh__array_push(arena, roots, constraint->components[j].value);
        }
        ok = ok && (constraint->impact.i == 0 || rh__array_push(arena, roots, constraint->impact));
        ok = ok &&
             (constraint->condition.i == 0 || rh__array_push(arena, roots, constraint->condition));
    }
    return ok;
}

static rh_status write_summary(rh_summary *summary, rh_format format)
{
    const rh_model *model = summary->model;
    rh_expr_list roots = {0};
    if (collect_roots(model, summary->scratch, &roots) &&
        (summary->checkup == NULL ||
         rh__doctor_roots(summary->checkup, summary->scratch, &roots))) {
        summary->show = rh__show_create(model->store, summary->scratch, RH_NOTATION_TEXT,
                                        roots.data, roots.count);
    }
    if (summary->show != NULL && format == RH_FORMAT_JSON) {
        rh__summary_json(summary);
    } else if (summary->show != NULL) {
        rh__summary_text(summary);
    }
    if (summary->scratch->status != RH_OK) {
        return summary->scratch->status;
    }
    const bool is_whole =
        summary->show != NULL && rh__store_refusal(model->store) == RH_REFUSAL_NONE;
    return is_whole ? RH_OK : RH_E_MEMORY;
}

static rh_status write_check(const rh_model *model, const rh_checkup *checkup, rh_format format,
                             rh_sink sink, rh_error *err)
{
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_arena scratch = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh_summary summary = {.model = model, .checkup = checkup, .out = &out, .scratch = &scratch};
    const rh_status status = write_summary(&summary, format);
    rh__arena_end(&scratch);
    const rh_status end = rh__output_end(&out, &arena, err);
    return status == RH_OK ? end : rh__error_fill(err, status, "%s", rh_status_text(status));
}

rh_status rh_output_check(const rh_model *model, rh_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(model != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    if (!model->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    return write_check(model, NULL, format, sink, err);
}

rh_status rh_output_checkup(const rh_checkup *checkup, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(checkup != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    if (checkup->diagnostics.error_count > 0) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    return write_check(checkup->equations->model, checkup, format, sink, err);
}
