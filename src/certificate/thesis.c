// SPDX-License-Identifier: Apache-2.0
// From the text of a statement to exact equations: the model is read, the equations are derived in
// the quasi-velocities of the statement, and everything but variables is replaced by what it is.

#include "certificate/thesis.h"

#include <string.h>

enum { PASSES = 40 }; // of replacing: definitions may rest on others

const char *rh__thesis_name(rh_arena *arena, const rh_store *store, rh_expr symbol)
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

rh_status rh__thesis_refusal(const rh_thesis *thesis)
{
    const bool is_short =
        thesis->store != NULL && rh__store_refusal(thesis->store) == RH_REFUSAL_MEMORY;
    return thesis->arena.status != RH_OK ? thesis->arena.status
           : is_short                    ? RH_E_MEMORY
                                         : RH_E_LIMIT;
}

rh_expr rh__thesis_number(rh_thesis *thesis, rh_slice decimal)
{
    const bool is_negative = decimal.size > 0 && decimal.data[0] == '-';
    const rh_slice size = {decimal.data + is_negative, decimal.size - is_negative};
    rh_store *store = thesis->store;
    rh_slice factor;
    rh_slice divisor;
    const rh_expr number =
        rh__wording_is_turn(decimal, &factor, &divisor)
            ? rh__expr_multiply(store,
                                rh__expr_divide(store, rh__expr_literal(store, factor),
                                                rh__expr_literal(store, divisor)),
                                rh__expr_pi(store))
            : rh__expr_literal(store, size);
    return is_negative ? rh__expr_negate(thesis->store, number) : number;
}

uint32_t rh__thesis_variable(const rh_thesis *thesis, rh_slice name)
{
    for (uint32_t k = 0; k < thesis->count; k++) {
        if (rh__slice_is(name, thesis->names[k])) {
            return k;
        }
    }
    return UINT32_MAX;
}

uint32_t rh__thesis_row(const rh_thesis *thesis, rh_slice name)
{
    for (uint32_t k = 0; k < thesis->rows.count; k++) {
        if (rh__slice_is(name, thesis->row_names.data[k])) {
            return k;
        }
    }
    return UINT32_MAX;
}

// --- the model -----------------------------------------------------------------------------------

// An rh_interrupt: the model and its equations are derived only as long as the caller goes on.
static const char *ask_caller(void *user)
{
    const rh_thesis *thesis = user;
    const rh_certificate_def *def = thesis->def;
    return def->goes_on != NULL && !def->goes_on(def->goes_on_user) ? "the check was broken off"
                                                                    : NULL;
}

// How many statements a text has; `last` is the kind of the last. 0 when it cannot be read.
static uint32_t count_statements(const rh_tree *tree, rh_ast_kind *last)
{
    uint32_t count = 0;
    for (rh_ast it = rh__tree_child(tree, tree->root, 0); it.i != 0; it = rh__tree_next(tree, it)) {
        *last = rh__tree_kind(tree, it);
        count++;
    }
    return count;
}

// Is a line, read by itself, one quasi-velocity and nothing else?
static rh_status check_line(rh_thesis *thesis, rh_slice line, rh_error *err)
{
    const char *text = rh__text_print(&thesis->arena, "quasi %.*s\n", RH_SLICE_FORMAT(line));
    rh_diagnostics remarks = rh__diagnostics_begin(&thesis->arena);
    rh_source source = rh__source_begin(&thesis->arena);
    rh_tree tree;
    rh_ast_kind kind = RH_AST_FILE;
    if (thesis->arena.status != RH_OK || !rh__source_add(&source, "a line", rh__slice_of(text))) {
        return rh__thesis_refusal(thesis);
    }
    RH_TRY(rh__tree_parse(&source, 0, &thesis->arena, &remarks, &tree));
    return remarks.error_count == 0 && count_statements(&tree, &kind) == 1 && kind == RH_AST_QUASI
               ? RH_OK
               : rh__error_fill(err, RH_E_MODEL,
                                "a line of quasi-velocities is none by itself: quasi %.*s",
                                short_of(line), line.data);
}

static rh_status say_wrong(const rh_model *model, const char *what, rh_status status, rh_error *err)
{
    if (status != RH_E_MODEL || model == NULL || rh_model_diagnostic_count(model) == 0) {
        return status;
    }
    const rh_diagnostic first = rh_model_diagnostic(model, 0);
    return rh__error_fill(err, RH_E_MODEL, "%s is wrong, line %u: %s: %.160s", what, first.at.line,
                          first.code, first.message);
}

// The model that a reader sees is a model, and each line added to it is a statement of its own:
// nothing of one may be continued in the other.
static rh_status check_apart(rh_thesis *thesis, const rh_wording *statement, rh_model_def def,
                             uint32_t *out_count, rh_error *err)
{
    rh_model *alone = NULL;
    rh_ast_kind last;
    def.text = statement->model.data;
    def.text_size = statement->model.size;
    def.start_count = 0; // a start may be given by what is added
    rh_status status = rh_model_create(&def, &alone, err);
    status = say_wrong(alone, "the model of the certificate", status, err);
    *out_count = status == RH_OK ? count_statements(&alone->tree, &last) : 0;
    rh_model_destroy(alone);
    for (uint32_t k = 0; status == RH_OK && k < statement->quasis.count; k++) {
        status = check_line(thesis, statement->quasis.data[k], err);
    }
    return status;
}

static rh_status read_model(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    rh_text text = rh__text_begin(&thesis->arena, NULL);
    rh__text_put_slice(&text, statement->model);
    for (uint32_t k = 0; k < statement->quasis.count; k++) {
        rh__text_put(&text, "\nquasi ");
        rh__text_put_slice(&text, statement->quasis.data[k]);
    }
    rh__text_put_char(&text, '\n');
    const rh_slice whole = rh__text_slice(&text);
    uint32_t count = 0;
    rh_ast_kind last;
    rh_model_def def = rh_model_def_default();
    def.allocator = thesis->arena.allocator;
    def.memory_limit = thesis->arena.limit;
    def.interrupt = ask_caller;
    def.interrupt_user = thesis;
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
        return thesis->arena.status;
    }
    RH_TRY(check_apart(thesis, statement, def, &count, err));
    const rh_status status = rh_model_create(&def, &thesis->model, err);
    RH_TRY(say_wrong(thesis->model, "the model with its quasi-velocities", status, err));
    return count_statements(&thesis->model->tree, &last) == count + statement->quasis.count
               ? RH_OK
               : rh__error_fill(err, RH_E_MODEL, "the model goes on in a line of quasi-velocities");
}

static rh_status derive(rh_thesis *thesis, rh_error *err)
{
    rh_equations_def def = rh_equations_def_default();
    def.has_presolve = false;
    RH_TRY(rh_equations_create(thesis->model, &def, &thesis->equations, err));
    thesis->store = thesis->equations->store;
    return RH_OK;
}

// --- the frame -----------------------------------------------------------------------------------

static rh_expr quasi_symbol(const rh_thesis *thesis, const rh_quasi *quasi)
{
    return rh__expr_symbol(thesis->store, quasi->symbol, quasi->row.member);
}

static rh_status find_frame(rh_thesis *thesis, const rh_wording *statement, rh_quasi *out,
                            rh_error *err)
{
    const rh_model *model = thesis->model;
    for (uint32_t k = 0; k < statement->frame.count; k++) {
        bool is_found = false;
        for (uint32_t j = 0; j < model->quasis.count && !is_found; j++) {
            const rh_expr symbol = quasi_symbol(thesis, &model->quasis.data[j]);
            const char *name = rh__thesis_name(&thesis->arena, thesis->store, symbol);
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
static rh_status examine_links(const rh_thesis *thesis, rh_error *err)
{
    const rh_equations *equations = thesis->equations;
    RH_TRY(rh__equations_refuse_intermittent(equations, "certificates", err));
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
    for (uint32_t k = 0; k < thesis->model->events.count; k++) {
        if (thesis->model->events.data[k].action == RH_ACTION_RESET) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "an event resets the state");
        }
    }
    return RH_OK;
}

static rh_status make_form(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    rh_quasi *rows = rh__arena_array(&thesis->arena, rh_quasi, (size_t)statement->frame.count + 1);
    if (rows == NULL) {
        return rh__thesis_refusal(thesis);
    }
    RH_TRY(examine_links(thesis, err));
    RH_TRY(find_frame(thesis, statement, rows, err));
    rh_form *form = &thesis->form;
    // rows for all velocities leave nothing to the constraints: these stay, with their multipliers
    thesis->equations->keeps_links = statement->frame.count == thesis->equations->coordinate_count;
    RH_TRY(rh__form_create_in(thesis->equations, rows, statement->frame.count, NULL, &thesis->arena,
                              form, err));
    const uint32_t states = thesis->equations->carriers.count - thesis->equations->coordinate_count;
    bool fits = form->variables.count == statement->frame.count + states &&
                form->rate_count == form->variables.count;
    for (uint32_t k = 0; fits && k < statement->frame.count; k++) {
        fits = form->variables.data[k].i == quasi_symbol(thesis, &rows[k]).i;
    }
    if (!fits) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "%u quasi-velocities are given, but they and the constraints do not "
                              "determine the velocities",
                              statement->frame.count);
    }
    if (form->matrix.rows != form->unknowns.count) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "there are %u equations for %u unknowns",
                              form->matrix.rows, form->unknowns.count);
    }
    return RH_OK;
}

// --- replacing -----------------------------------------------------------------------------------

static rh_expr image_of(void *user, rh_store *store, rh_expr symbol)
{
    const rh_thesis *thesis = user;
    (void)store;
    const rh_expr image = symbol.i < thesis->image_limit ? thesis->image[symbol.i] : RH_EXPR_NONE;
    return image.i != 0 ? image : symbol;
}

// Replace until nothing is left to replace.
static rh_expr settle(rh_thesis *thesis, rh_expr e)
{
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const rh_expr next = rh__expr_substitute(thesis->store, e, image_of, thesis);
        if (next.i == e.i || next.i == 0) {
            return next;
        }
        e = next;
    }
    return RH_EXPR_NONE;
}

static void replace(rh_thesis *thesis, rh_expr symbol, rh_expr by)
{
    if (symbol.i < thesis->image_limit && by.i != 0) {
        thesis->image[symbol.i] = by;
    }
}

// Exact values of parameters, each after those it is given by.
static rh_status replace_parameters(rh_thesis *thesis, rh_error *err)
{
    const rh_model *model = thesis->model;
    for (uint32_t k = 0; k < model->value_order.count; k++) {
        const rh_parameter_place place = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[place.parameter];
        const rh_expr given = parameter->defaults[place.member];
        if (given.i == 0 && parameter->is_used) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "the parameter %.*s has no value",
                                  short_of(parameter->name), parameter->name.data);
        }
        if (given.i != 0) {
            const rh_expr value = settle(thesis, given);
            replace(thesis, rh__expr_symbol(thesis->store, parameter->family, place.member), value);
            RH_TRY(value.i == 0 ? rh__thesis_refusal(thesis) : RH_OK);
        }
    }
    return RH_OK;
}

static rh_status replace_all(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    const rh_model *model = thesis->model;
    const rh_form *form = &thesis->form;
    // symbols that are made from here on stand for themselves
    thesis->image_limit = rh__store_count(thesis->store) + 1;
    thesis->image = rh__arena_array(&thesis->arena, rh_expr, thesis->image_limit);
    if (thesis->image == NULL) {
        return rh__thesis_refusal(thesis);
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        replace(thesis, rh__expr_symbol(thesis->store, model->inputs.data[k].family, 0),
                model->inputs.data[k].value);
    }
    for (uint32_t k = 0; k < form->velocities.count; k++) {
        replace(thesis, form->velocities.data[k].symbol, form->velocities.data[k].value);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        const rh_expr symbol = quasi_symbol(thesis, quasi);
        bool is_used = false;
        for (uint32_t j = 0; j < statement->frame.count; j++) {
            is_used = is_used || form->variables.data[j].i == symbol.i;
        }
        if (!is_used) {
            replace(thesis, symbol, quasi->value);
        }
    }
    return replace_parameters(thesis, err);
}

// --- variables -----------------------------------------------------------------------------------

static rh_status list_coordinates(rh_thesis *thesis, const rh_wording *statement, rh_expr_list *out,
                                  rh_error *err)
{
    const rh_equations *equations = thesis->equations;
    uint32_t found = 0;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr position = equations->carriers.data[k].position;
        const char *name = rh__thesis_name(&thesis->arena, thesis->store, position);
        bool is_positional = false;
        for (uint32_t j = 0; j < statement->positional.count; j++) {
            is_positional = is_positional || rh__slice_is(statement->positional.data[j], name);
        }
        found += is_positional;
        if (!rh__array_push(&thesis->arena, is_positional ? out : &thesis->cyclic, position)) {
            return rh__thesis_refusal(thesis);
        }
    }
    return found == statement->positional.count
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE,
                                "a positional name is no coordinate of the model, or stands twice");
}

static rh_status list_variables(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    const rh_equations *equations = thesis->equations;
    rh_expr_list list = {0};
    RH_TRY(list_coordinates(thesis, statement, &list, err));
    thesis->positional_count = list.count;
    thesis->unknown_first = list.count;
    thesis->unknown_count = thesis->form.rate_count;
    bool ok = true;
    for (uint32_t k = 0; ok && k < thesis->form.rate_count; k++) {
        ok = rh__array_push(&thesis->arena, &list, thesis->form.variables.data[k]);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = rh__array_push(&thesis->arena, &list, equations->passives.data[k].variable);
    }
    thesis->state_count = list.count;
    thesis->size = thesis->form.unknowns.count;
    for (uint32_t k = thesis->form.rate_count; ok && k < thesis->size; k++) {
        ok = rh__array_push(&thesis->arena, &list, thesis->form.unknowns.data[k]);
    }
    thesis->variables = list.data;
    thesis->count = list.count;
    thesis->names = rh__arena_array(&thesis->arena, const char *, (size_t)list.count + 1);
    if (!ok || thesis->names == NULL) {
        return rh__thesis_refusal(thesis);
    }
    for (uint32_t k = 0; k < list.count; k++) {
        thesis->names[k] = rh__thesis_name(&thesis->arena, thesis->store, list.data[k]);
    }
    if (list.count == 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "the model has nothing that moves");
    }
    if (list.count > RH_THESIS_VARIABLES) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "%u variables are more than %d", list.count,
                              RH_THESIS_VARIABLES);
    }
    return RH_OK;
}

// --- rows ----------------------------------------------------------------------------------------

static bool add_row(rh_thesis *thesis, const char *name, rh_expr e)
{
    const rh_expr row = settle(thesis, e);
    return row.i != 0 && rh__array_push(&thesis->arena, &thesis->rows, row) &&
           rh__array_push(&thesis->arena, &thesis->row_names, name);
}

static rh_expr velocity_of(const rh_thesis *thesis, rh_expr position)
{
    const rh_equations *equations = thesis->equations;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        if (equations->carriers.data[k].position.i == position.i) {
            return equations->carriers.data[k].variable;
        }
    }
    return RH_EXPR_NONE;
}

static rh_expr passive_rate(const rh_thesis *thesis, rh_expr variable)
{
    const rh_equations *equations = thesis->equations;
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        if (equations->passives.data[k].variable.i == variable.i) {
            return thesis->form.passives.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

// A row of the form at rest: its right side less what multipliers contribute.
static rh_expr rest_of(const rh_thesis *thesis, uint32_t row)
{
    const rh_form *form = &thesis->form;
    rh_expr sum = form->right[row];
    for (uint32_t k = form->matrix.begin[row]; k < form->matrix.begin[row + 1]; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->column >= form->rate_count) {
            const rh_expr multiplier = form->unknowns.data[entry->column];
            sum = rh__expr_subtract(thesis->store, sum,
                                    rh__expr_multiply(thesis->store, entry->value, multiplier));
        }
    }
    return sum;
}

static bool list_rates(rh_thesis *thesis)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < thesis->count; k++) {
        const bool is_state = k < thesis->state_count;
        const char *name =
            rh__text_print(&thesis->arena, is_state ? "%s'" : "%s", thesis->names[k]);
        const rh_expr variable = thesis->variables[k];
        const uint32_t at = k - thesis->unknown_first;
        const rh_expr rate = !is_state
                                 ? rest_of(thesis, thesis->unknown_count + k - thesis->state_count)
                             : k < thesis->unknown_first  ? velocity_of(thesis, variable)
                             : at < thesis->unknown_count ? rest_of(thesis, at)
                                                          : passive_rate(thesis, variable);
        ok = rate.i != 0 && add_row(thesis, name, rate);
    }
    return ok;
}

// Is the multiplier of the link an unknown of the form?
static bool remains(const rh_thesis *thesis, const rh_link *link)
{
    for (uint32_t k = thesis->form.rate_count; k < thesis->size; k++) {
        if (thesis->form.unknowns.data[k].i == link->multiplier.i) {
            return true;
        }
    }
    return false;
}

// The multiplier of a link and the row of its last level belong together.
static void note_kept(rh_thesis *thesis, const rh_link *link)
{
    for (uint32_t k = thesis->state_count; k < thesis->count; k++) {
        if (thesis->variables[k].i == link->multiplier.i) {
            thesis->kept_row[k] = thesis->rows.count;
        }
    }
}

// Levels before the last one restrict the variables; the last one holds by the quasi-velocities, or
// is a restriction too where the multiplier remains.
static bool list_levels(rh_thesis *thesis)
{
    const rh_equations *equations = thesis->equations;
    thesis->kept_row = rh__arena_array(&thesis->arena, uint32_t, (size_t)thesis->count + 1);
    bool ok = thesis->kept_row != NULL;
    thesis->level_first = thesis->rows.count;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!rh__link_is_exact(link)) {
            continue;
        }
        rh_text name = rh__text_begin(&thesis->arena, NULL);
        rh__link_name(equations, link, &name);
        const bool is_gone = !remains(thesis, link);
        for (uint32_t level = 0; ok && level + is_gone < link->level_count; level++) {
            const char *title =
                rh__text_print(&thesis->arena, "constraint %.*s%s",
                               RH_SLICE_FORMAT(rh__text_slice(&name)), level == 0 ? "" : "'");
            ok = add_row(thesis, title, link->levels[level]);
        }
        if (ok && !is_gone) {
            note_kept(thesis, link);
        }
        const rh_expr last = settle(thesis, link->levels[link->level_count - 1]);
        ok = ok && last.i != 0 && (!is_gone || rh__array_push(&thesis->arena, &thesis->kept, last));
    }
    return ok;
}

// Something that is fixed and is no variable: a velocity, or an observed quantity.
static rh_expr demanded(rh_thesis *thesis, rh_slice name)
{
    const rh_equations *equations = thesis->equations;
    rh_arena *arena = &thesis->arena;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr velocity = equations->carriers.data[k].variable;
        if (rh__slice_is(name, rh__thesis_name(arena, thesis->store, velocity))) {
            return velocity;
        }
    }
    for (uint32_t k = 0; k < thesis->model->quasis.count; k++) {
        const rh_expr quasi = quasi_symbol(thesis, &thesis->model->quasis.data[k]);
        if (rh__slice_is(name, rh__thesis_name(arena, thesis->store, quasi))) {
            return quasi;
        }
    }
    for (uint32_t k = 0; k < thesis->model->observes.count; k++) {
        if (rh__slice_is(name, thesis->model->observes.data[k].name)) {
            return thesis->model->observes.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

static rh_status list_demands(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    thesis->demand_first = thesis->rows.count;
    thesis->fixed_row =
        rh__arena_array(&thesis->arena, uint32_t, (size_t)statement->fixes.count + 1);
    if (thesis->fixed_row == NULL) {
        return rh__thesis_refusal(thesis);
    }
    for (uint32_t k = 0; k < statement->fixes.count; k++) {
        const rh_pledge *fix = &statement->fixes.data[k];
        if (rh__thesis_variable(thesis, fix->name) != UINT32_MAX) {
            continue;
        }
        const rh_expr value = demanded(thesis, fix->name);
        if (value.i == 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "what is fixed, \"%.*s\", means nothing in the model",
                                  short_of(fix->name), fix->name.data);
        }
        const char *name = rh__text_print(&thesis->arena, "fix %.*s", RH_SLICE_FORMAT(fix->name));
        const rh_expr wanted = rh__thesis_number(thesis, fix->low);
        if (!add_row(thesis, name, rh__expr_subtract(thesis->store, value, wanted))) {
            return rh__thesis_refusal(thesis);
        }
        thesis->fixed_row[k] = thesis->rows.count;
    }
    return RH_OK;
}

static rh_status list_inertia(rh_thesis *thesis)
{
    const rh_form *form = &thesis->form;
    const uint32_t n = thesis->size;
    thesis->inertia = rh__arena_array(&thesis->arena, rh_expr, (size_t)n * n + 1);
    bool ok = thesis->inertia != NULL;
    for (uint32_t k = 0; ok && k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        rh_expr *to = &thesis->inertia[entry->row * n + entry->column];
        *to = settle(thesis, entry->value);
        ok = to->i != 0;
    }
    for (uint32_t k = 0; ok && k < form->pivots.count; k++) {
        const rh_expr pivot = settle(thesis, form->pivots.data[k]);
        ok = pivot.i != 0 && rh__array_push(&thesis->arena, &thesis->never_zero, pivot);
    }
    return ok ? RH_OK : rh__thesis_refusal(thesis);
}

// Operations of the model as written. One that speaks of what is not settled here, such as an
// acceleration, stays as it is: it has no ball, and the proof fails.
static rh_status list_written(rh_thesis *thesis)
{
    const rh_model *model = thesis->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->written.count; k++) {
        const rh_expr e = settle(thesis, model->written.data[k]);
        ok = e.i != 0 && (rh__expr_is_number(thesis->store, e) ||
                          rh__array_push(&thesis->arena, &thesis->written, e));
    }
    return ok ? RH_OK : rh__thesis_refusal(thesis);
}

// --- what may stand in them ----------------------------------------------------------------------

static bool is_known(const rh_thesis *thesis, rh_expr symbol)
{
    for (uint32_t k = 0; k < thesis->count; k++) {
        if (thesis->variables[k].i == symbol.i) {
            return true;
        }
    }
    for (uint32_t k = 0; k < thesis->cyclic.count; k++) {
        if (thesis->cyclic.data[k].i == symbol.i) {
            return true;
        }
    }
    return false;
}

static rh_status examine(rh_thesis *thesis, const rh_expr *list, size_t count, rh_error *err)
{
    const rh_mark mark = rh__arena_mark(&thesis->arena);
    rh_status status = RH_OK;
    for (size_t k = 0; status == RH_OK && k < count; k++) {
        rh_expr_list found = {0};
        if (list[k].i == 0) {
            continue;
        }
        if (!rh__expr_symbols(thesis->store, list[k], UINT32_MAX, &thesis->arena, &found)) {
            return rh__thesis_refusal(thesis);
        }
        for (uint32_t j = 0; status == RH_OK && j < found.count; j++) {
            if (!is_known(thesis, found.data[j])) {
                status =
                    rh__error_fill(err, RH_E_UNAVAILABLE,
                                   "%.80s stands in the reduced equations and has no exact value",
                                   rh__thesis_name(&thesis->arena, thesis->store, found.data[j]));
            }
        }
    }
    rh__arena_rewind(&thesis->arena, mark);
    return status;
}

static rh_status build(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    RH_TRY(read_model(thesis, statement, err));
    RH_TRY(rh__thesis_recombine(thesis, statement, err));
    RH_TRY(derive(thesis, err));
    RH_TRY(make_form(thesis, statement, err));
    RH_TRY(replace_all(thesis, statement, err));
    RH_TRY(list_variables(thesis, statement, err));
    RH_TRY(list_rates(thesis) && list_levels(thesis) ? RH_OK : rh__thesis_refusal(thesis));
    RH_TRY(list_demands(thesis, statement, err));
    RH_TRY(list_inertia(thesis));
    RH_TRY(list_written(thesis));
    RH_TRY(rh__thesis_list_kinks(thesis) ? RH_OK : rh__thesis_refusal(thesis));
    const size_t n = thesis->size;
    RH_TRY(examine(thesis, thesis->rows.data, thesis->rows.count, err));
    RH_TRY(examine(thesis, thesis->inertia, n * n, err));
    return examine(thesis, thesis->never_zero.data, thesis->never_zero.count, err);
}

rh_status rh__thesis_create(const rh_wording *statement, const rh_certificate_def *def,
                            rh_thesis *out, rh_error *err)
{
    *out = (rh_thesis){.def = def, .arena = rh__arena_begin(def->allocator, def->memory_limit)};
    rh_error reason = {.message = ""};
    const rh_status built = build(out, statement, &reason);
    const rh_status status = built == RH_E_INTERRUPTED ? RH_E_LIMIT : built; // as in later parts
    if (status != RH_OK) {
        rh__thesis_destroy(out);
        return rh__error_fill(err, status, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    return RH_OK;
}

void rh__thesis_destroy(rh_thesis *thesis)
{
    rh_equations_destroy(thesis->equations);
    rh_model_destroy(thesis->model);
    rh__arena_end(&thesis->arena);
    *thesis = (rh_thesis){.count = 0};
}
