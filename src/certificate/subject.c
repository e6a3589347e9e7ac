// SPDX-License-Identifier: Apache-2.0
// From the text of a statement to exact equations: the model is read, the equations are derived in
// the quasi-velocities of the statement, and everything but variables is replaced by what it is.

#include "certificate/subject.h"

#include <string.h>

enum { PASSES = 40 }; // of replacing: definitions may rest on others

const char *rh__subject_name(rh_arena *arena, const rh_store *store, rh_expr symbol)
{
    rh_text text = rh__text_begin(arena, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    return rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

// So much of a name is shown in messages.
static int short_of(rh_slice name)
{
    return name.size < 80 ? (int)name.size : 80;
}

rh_status rh__subject_refusal(const rh_subject *subject)
{
    const bool is_short =
        subject->store != NULL && rh__store_refusal(subject->store) == RH_REFUSAL_MEMORY;
    return subject->arena.status != RH_OK ? subject->arena.status
           : is_short                     ? RH_E_MEMORY
                                          : RH_E_LIMIT;
}

rh_expr rh__subject_number(rh_subject *subject, rh_slice decimal)
{
    const bool is_negative = decimal.size > 0 && decimal.data[0] == '-';
    const rh_slice size = {decimal.data + is_negative, decimal.size - is_negative};
    const rh_expr number = rh__expr_literal(subject->store, size);
    return is_negative ? rh__expr_negate(subject->store, number) : number;
}

uint32_t rh__subject_variable(const rh_subject *subject, rh_slice name)
{
    for (uint32_t k = 0; k < subject->count; k++) {
        if (rh__slice_is(name, subject->names[k])) {
            return k;
        }
    }
    return UINT32_MAX;
}

uint32_t rh__subject_row(const rh_subject *subject, rh_slice name)
{
    for (uint32_t k = 0; k < subject->rows.count; k++) {
        if (rh__slice_is(name, subject->row_names.data[k])) {
            return k;
        }
    }
    return UINT32_MAX;
}

// --- the model -----------------------------------------------------------------------------------

static rh_status read_model(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    rh_text text = rh__text_begin(&subject->arena, NULL);
    rh__text_put_slice(&text, statement->model);
    for (uint32_t k = 0; k < statement->quasis.count; k++) {
        rh__text_put(&text, "\nquasi ");
        rh__text_put_slice(&text, statement->quasis.data[k]);
    }
    rh__text_put_char(&text, '\n');
    const rh_slice whole = rh__text_slice(&text);
    rh_model_def def = rh_model_def_default();
    def.allocator = subject->arena.allocator;
    def.memory_limit = subject->arena.limit;
    def.name = "the model of the certificate";
    def.text = whole.data;
    def.text_size = whole.size;
    def.set = statement->set.data;
    def.set_count = statement->set.count;
    def.start = statement->start.data;
    def.start_count = statement->start.count;
    def.by = statement->by.data;
    def.by_count = statement->by.count;
    def.observe = statement->observe.data;
    def.observe_count = statement->observe.count;
    if (!text.ok) {
        return subject->arena.status;
    }
    const rh_status status = rh_model_create(&def, &subject->model, err);
    if (status == RH_E_MODEL && subject->model != NULL &&
        rh_model_diagnostic_count(subject->model) > 0) {
        const rh_diagnostic first = rh_model_diagnostic(subject->model, 0);
        return rh__error_fill(err, RH_E_MODEL,
                              "the model of the certificate is wrong, line %u: %s: %.160s",
                              first.at.line, first.code, first.message);
    }
    return status;
}

static rh_status derive(rh_subject *subject, rh_error *err)
{
    rh_equations_def def = rh_equations_def_default();
    def.has_presolve = false;
    RH_TRY(rh_equations_create(subject->model, &def, &subject->equations, err));
    subject->store = subject->equations->store;
    return RH_OK;
}

// --- the frame -----------------------------------------------------------------------------------

static rh_expr quasi_symbol(const rh_subject *subject, const rh_quasi *quasi)
{
    return rh__expr_symbol(subject->store, quasi->symbol, quasi->row.member);
}

static rh_status find_frame(rh_subject *subject, const rh_statement *statement, rh_quasi *out,
                            rh_error *err)
{
    const rh_model *model = subject->model;
    for (uint32_t k = 0; k < statement->frame.count; k++) {
        bool is_found = false;
        for (uint32_t j = 0; j < model->quasis.count && !is_found; j++) {
            const rh_expr symbol = quasi_symbol(subject, &model->quasis.data[j]);
            const char *name = rh__subject_name(&subject->arena, subject->store, symbol);
            is_found = rh__slice_is(statement->frame.data[k], name);
            out[k] = model->quasis.data[j];
        }
        for (uint32_t j = 0; j < k; j++) {
            is_found =
                is_found && !rh__slice_equal(statement->frame.data[j], statement->frame.data[k]);
        }
        if (!is_found) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "\"%.*s\" is no quasi-velocity of the model, or stands twice",
                                  short_of(statement->frame.data[k]),
                                  statement->frame.data[k].data);
        }
    }
    return RH_OK;
}

// Nothing may be left that this kind of proof does not cover.
static rh_status examine_links(const rh_subject *subject, rh_error *err)
{
    const rh_equations *equations = subject->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->constraint->is_one_sided) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "a constraint is one-sided");
        }
        if (link->held.i != 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "the multiplier of a constraint is a state");
        }
    }
    for (uint32_t k = 0; k < subject->model->events.count; k++) {
        if (subject->model->events.data[k].action == RH_ACTION_RESET) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "an event resets the state");
        }
    }
    return RH_OK;
}

static rh_status make_form(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    rh_quasi *rows = rh__arena_array(&subject->arena, rh_quasi, (size_t)statement->frame.count + 1);
    if (rows == NULL) {
        return rh__subject_refusal(subject);
    }
    RH_TRY(examine_links(subject, err));
    RH_TRY(find_frame(subject, statement, rows, err));
    rh_form *form = &subject->form;
    RH_TRY(rh__form_create_in(subject->equations, rows, statement->frame.count, &subject->arena,
                              form, err));
    const uint32_t states =
        subject->equations->carriers.count - subject->equations->coordinate_count;
    bool fits = form->variables.count == statement->frame.count + states &&
                form->rate_count == form->variables.count;
    for (uint32_t k = 0; fits && k < statement->frame.count; k++) {
        fits = form->variables.data[k].i == quasi_symbol(subject, &rows[k]).i;
    }
    if (!fits) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "%u quasi-velocities are given, but they and the constraints do not "
                              "determine the velocities",
                              statement->frame.count);
    }
    if (form->unknowns.count != form->rate_count || form->matrix.rows != form->rate_count) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "reactions remain in the equations: there is no closed form without "
                              "them");
    }
    return RH_OK;
}

// --- replacing -----------------------------------------------------------------------------------

static rh_expr image_of(void *user, rh_store *store, rh_expr symbol)
{
    const rh_subject *subject = user;
    (void)store;
    const rh_expr image = symbol.i < subject->image_limit ? subject->image[symbol.i] : RH_EXPR_NONE;
    return image.i != 0 ? image : symbol;
}

// Replace until nothing is left to replace.
static rh_expr settle(rh_subject *subject, rh_expr e)
{
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const rh_expr next = rh__expr_substitute(subject->store, e, image_of, subject);
        if (next.i == e.i || next.i == 0) {
            return next;
        }
        e = next;
    }
    return RH_EXPR_NONE;
}

static void replace(rh_subject *subject, rh_expr symbol, rh_expr by)
{
    if (symbol.i < subject->image_limit && by.i != 0) {
        subject->image[symbol.i] = by;
    }
}

// Exact values of parameters, each after those it is given by.
static rh_status replace_parameters(rh_subject *subject, rh_error *err)
{
    const rh_model *model = subject->model;
    for (uint32_t k = 0; k < model->value_order.count; k++) {
        const rh_parameter_place place = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[place.parameter];
        const rh_expr given = parameter->defaults[place.member];
        if (given.i == 0 && parameter->is_used) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "the parameter %.*s has no value",
                                  short_of(parameter->name), parameter->name.data);
        }
        if (given.i != 0) {
            const rh_expr value = settle(subject, given);
            replace(subject, rh__expr_symbol(subject->store, parameter->family, place.member),
                    value);
            RH_TRY(value.i == 0 ? rh__subject_refusal(subject) : RH_OK);
        }
    }
    return RH_OK;
}

static rh_status replace_all(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    const rh_model *model = subject->model;
    const rh_form *form = &subject->form;
    // symbols that are made from here on stand for themselves
    subject->image_limit = rh__store_count(subject->store) + 1;
    subject->image = rh__arena_array(&subject->arena, rh_expr, subject->image_limit);
    if (subject->image == NULL) {
        return rh__subject_refusal(subject);
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        replace(subject, rh__expr_symbol(subject->store, model->inputs.data[k].family, 0),
                model->inputs.data[k].value);
    }
    for (uint32_t k = 0; k < form->velocities.count; k++) {
        replace(subject, form->velocities.data[k].symbol, form->velocities.data[k].value);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        const rh_expr symbol = quasi_symbol(subject, quasi);
        bool is_used = false;
        for (uint32_t j = 0; j < statement->frame.count; j++) {
            is_used = is_used || form->variables.data[j].i == symbol.i;
        }
        if (!is_used) {
            replace(subject, symbol, quasi->value);
        }
    }
    return replace_parameters(subject, err);
}

// --- variables -----------------------------------------------------------------------------------

static rh_status list_coordinates(rh_subject *subject, const rh_statement *statement,
                                  rh_expr_list *out, rh_error *err)
{
    const rh_equations *equations = subject->equations;
    uint32_t found = 0;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr position = equations->carriers.data[k].position;
        const char *name = rh__subject_name(&subject->arena, subject->store, position);
        bool is_positional = false;
        for (uint32_t j = 0; j < statement->positional.count; j++) {
            is_positional = is_positional || rh__slice_is(statement->positional.data[j], name);
        }
        found += is_positional;
        if (!rh__array_push(&subject->arena, is_positional ? out : &subject->cyclic, position)) {
            return rh__subject_refusal(subject);
        }
    }
    return found == statement->positional.count
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE,
                                "a positional name is no coordinate of the model, or stands twice");
}

static rh_status list_variables(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    const rh_equations *equations = subject->equations;
    rh_expr_list list = {0};
    RH_TRY(list_coordinates(subject, statement, &list, err));
    subject->positional_count = list.count;
    subject->unknown_first = list.count;
    subject->unknown_count = subject->form.rate_count;
    bool ok = true;
    for (uint32_t k = 0; ok && k < subject->form.rate_count; k++) {
        ok = rh__array_push(&subject->arena, &list, subject->form.variables.data[k]);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = rh__array_push(&subject->arena, &list, equations->passives.data[k].variable);
    }
    subject->variables = list.data;
    subject->count = list.count;
    subject->names = rh__arena_array(&subject->arena, const char *, (size_t)list.count + 1);
    if (!ok || subject->names == NULL) {
        return rh__subject_refusal(subject);
    }
    for (uint32_t k = 0; k < list.count; k++) {
        subject->names[k] = rh__subject_name(&subject->arena, subject->store, list.data[k]);
    }
    if (list.count > RH_SUBJECT_VARIABLES) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "%u variables are more than %d", list.count,
                              RH_SUBJECT_VARIABLES);
    }
    return RH_OK;
}

// --- rows ----------------------------------------------------------------------------------------

static bool add_row(rh_subject *subject, const char *name, rh_expr e)
{
    const rh_expr row = settle(subject, e);
    return row.i != 0 && rh__array_push(&subject->arena, &subject->rows, row) &&
           rh__array_push(&subject->arena, &subject->row_names, name);
}

static rh_expr velocity_of(const rh_subject *subject, rh_expr position)
{
    const rh_equations *equations = subject->equations;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        if (equations->carriers.data[k].position.i == position.i) {
            return equations->carriers.data[k].variable;
        }
    }
    return RH_EXPR_NONE;
}

static rh_expr passive_rate(const rh_subject *subject, rh_expr variable)
{
    const rh_equations *equations = subject->equations;
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        if (equations->passives.data[k].variable.i == variable.i) {
            return subject->form.passives.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

static bool list_rates(rh_subject *subject)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < subject->count; k++) {
        const char *name = rh__text_print(&subject->arena, "%s'", subject->names[k]);
        const rh_expr variable = subject->variables[k];
        const uint32_t at = k - subject->unknown_first;
        const rh_expr rate = k < subject->unknown_first    ? velocity_of(subject, variable)
                             : at < subject->unknown_count ? subject->form.right[at]
                                                           : passive_rate(subject, variable);
        ok = rate.i != 0 && add_row(subject, name, rate);
    }
    return ok;
}

// Levels before the last one restrict the variables; the last one holds by the quasi-velocities.
static bool list_levels(rh_subject *subject)
{
    const rh_equations *equations = subject->equations;
    bool ok = true;
    subject->level_first = subject->rows.count;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!rh__link_is_exact(link)) {
            continue;
        }
        rh_text name = rh__text_begin(&subject->arena, NULL);
        rh__link_name(equations, link, &name);
        for (uint32_t level = 0; ok && level + 1 < link->level_count; level++) {
            const char *title =
                rh__text_print(&subject->arena, "constraint %.*s%s",
                               RH_SLICE_FORMAT(rh__text_slice(&name)), level == 0 ? "" : "'");
            ok = add_row(subject, title, link->levels[level]);
        }
        const rh_expr last = settle(subject, link->levels[link->level_count - 1]);
        ok = ok && last.i != 0 && rh__array_push(&subject->arena, &subject->kept, last);
    }
    return ok;
}

// Something that is fixed and is no variable: a velocity, or an observed quantity.
static rh_expr demanded(const rh_subject *subject, rh_slice name)
{
    const rh_equations *equations = subject->equations;
    rh_arena *arena = &((rh_subject *)(uintptr_t)subject)->arena;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr velocity = equations->carriers.data[k].variable;
        if (rh__slice_is(name, rh__subject_name(arena, subject->store, velocity))) {
            return velocity;
        }
    }
    for (uint32_t k = 0; k < subject->model->quasis.count; k++) {
        const rh_expr quasi = quasi_symbol(subject, &subject->model->quasis.data[k]);
        if (rh__slice_is(name, rh__subject_name(arena, subject->store, quasi))) {
            return quasi;
        }
    }
    for (uint32_t k = 0; k < subject->model->observes.count; k++) {
        if (rh__slice_is(name, subject->model->observes.data[k].name)) {
            return subject->model->observes.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

static rh_status list_demands(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    subject->demand_first = subject->rows.count;
    subject->fixed_row =
        rh__arena_array(&subject->arena, uint32_t, (size_t)statement->fixes.count + 1);
    if (subject->fixed_row == NULL) {
        return rh__subject_refusal(subject);
    }
    for (uint32_t k = 0; k < statement->fixes.count; k++) {
        const rh_pledge *fix = &statement->fixes.data[k];
        if (rh__subject_variable(subject, fix->name) != UINT32_MAX) {
            continue;
        }
        const rh_expr value = demanded(subject, fix->name);
        if (value.i == 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "what is fixed, \"%.*s\", means nothing in the model",
                                  short_of(fix->name), fix->name.data);
        }
        const char *name = rh__text_print(&subject->arena, "fix %.*s", RH_SLICE_FORMAT(fix->name));
        const rh_expr wanted = rh__subject_number(subject, fix->low);
        if (!add_row(subject, name, rh__expr_subtract(subject->store, value, wanted))) {
            return rh__subject_refusal(subject);
        }
        subject->fixed_row[k] = subject->rows.count;
    }
    return RH_OK;
}

static rh_status list_inertia(rh_subject *subject)
{
    const rh_form *form = &subject->form;
    const uint32_t n = subject->unknown_count;
    subject->inertia = rh__arena_array(&subject->arena, rh_expr, (size_t)n * n + 1);
    bool ok = subject->inertia != NULL;
    for (uint32_t k = 0; ok && k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        rh_expr *to = &subject->inertia[entry->row * n + entry->column];
        *to = settle(subject, entry->value);
        ok = to->i != 0;
    }
    for (uint32_t k = 0; ok && k < form->pivots.count; k++) {
        const rh_expr pivot = settle(subject, form->pivots.data[k]);
        ok = pivot.i != 0 && rh__array_push(&subject->arena, &subject->never_zero, pivot);
    }
    return ok ? RH_OK : rh__subject_refusal(subject);
}

// --- what may stand in them ----------------------------------------------------------------------

static bool is_known(const rh_subject *subject, rh_expr symbol)
{
    for (uint32_t k = 0; k < subject->count; k++) {
        if (subject->variables[k].i == symbol.i) {
            return true;
        }
    }
    for (uint32_t k = 0; k < subject->cyclic.count; k++) {
        if (subject->cyclic.data[k].i == symbol.i) {
            return true;
        }
    }
    return false;
}

static rh_status examine(rh_subject *subject, const rh_expr *list, size_t count, rh_error *err)
{
    const rh_mark mark = rh__arena_mark(&subject->arena);
    rh_status status = RH_OK;
    for (size_t k = 0; status == RH_OK && k < count; k++) {
        rh_expr_list found = {0};
        if (list[k].i == 0) {
            continue;
        }
        if (!rh__expr_symbols(subject->store, list[k], UINT32_MAX, &subject->arena, &found)) {
            return rh__subject_refusal(subject);
        }
        for (uint32_t j = 0; status == RH_OK && j < found.count; j++) {
            if (!is_known(subject, found.data[j])) {
                status = rh__error_fill(
                    err, RH_E_UNAVAILABLE,
                    "%.80s stands in the reduced equations and has no exact value",
                    rh__subject_name(&subject->arena, subject->store, found.data[j]));
            }
        }
    }
    rh__arena_rewind(&subject->arena, mark);
    return status;
}

static rh_status build(rh_subject *subject, const rh_statement *statement, rh_error *err)
{
    RH_TRY(read_model(subject, statement, err));
    RH_TRY(derive(subject, err));
    RH_TRY(make_form(subject, statement, err));
    RH_TRY(replace_all(subject, statement, err));
    RH_TRY(list_variables(subject, statement, err));
    RH_TRY(list_rates(subject) && list_levels(subject) ? RH_OK : rh__subject_refusal(subject));
    RH_TRY(list_demands(subject, statement, err));
    RH_TRY(list_inertia(subject));
    const size_t n = subject->unknown_count;
    RH_TRY(examine(subject, subject->rows.data, subject->rows.count, err));
    RH_TRY(examine(subject, subject->inertia, n * n, err));
    return examine(subject, subject->never_zero.data, subject->never_zero.count, err);
}

rh_status rh__subject_create(const rh_statement *statement, rh_allocator allocator,
                             size_t memory_limit, rh_subject *out, rh_error *err)
{
    *out = (rh_subject){.arena = rh__arena_begin(allocator, memory_limit)};
    rh_error reason = {.message = ""};
    const rh_status status = build(out, statement, &reason);
    if (status != RH_OK) {
        rh__subject_destroy(out);
        return rh__error_fill(err, status, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    return RH_OK;
}

void rh__subject_destroy(rh_subject *subject)
{
    rh_equations_destroy(subject->equations);
    rh_model_destroy(subject->model);
    rh__arena_end(&subject->arena);
    *subject = (rh_subject){.count = 0};
}
