// SPDX-License-Identifier: Apache-2.0
// The canonical text of a model, for people, golden tests and reports of mistakes: a section for
// each kind of statement, rows in the order of the model, each with its place. Rows of one loop are
// written once (listing.c); a summary of shapes closes it.

#include "model/describe.h"

#include "model/listing.h"

#include <inttypes.h>

// --- helpers ---------------------------------------------------------------------------------

static void begin_row(rh_listing *list, const rh_row *row)
{
    rh__listing_row(list, row->statement.i, row->span);
}

// A row without statement: rows of one place belong together.
static void begin_place(rh_listing *list, rh_span span)
{
    rh__listing_row(list, 0, span);
}

static void end_row(rh_listing *list)
{
    rh__listing_mark(list, RH_TOKEN_PLACE);
    rh__listing_end(list);
}

static bool is_array(const rh_store *store, rh_family family)
{
    return family.i != 0 && rh__family_def(store, family)->dimensions > 0;
}

static void put_name(rh_listing *list, const rh_row *row)
{
    if (is_array(list->store, row->family)) {
        rh__listing_expr(list, rh__expr_symbol(list->store, row->family, row->member));
    } else {
        rh__listing_slice(list, row->name);
    }
}

// `name: `, with the range of the index when the row stands for many.
static void put_label(rh_listing *list, const rh_row *row)
{
    put_name(list, row);
    rh__listing_mark(list, RH_TOKEN_TRAILING);
    rh__listing_text(list, ": ");
}

// A row `place = value`.
static void put_assignment(rh_listing *list, rh_expr place, rh_expr value)
{
    rh__listing_expr(list, place);
    rh__listing_text(list, " = ");
    rh__listing_expr(list, value);
}

static void put_vector(rh_listing *list, const rh_expr *items, uint32_t count)
{
    rh__listing_text(list, "[");
    for (uint32_t k = 0; k < count; k++) {
        rh__listing_text(list, k == 0 ? "" : ", ");
        rh__listing_expr(list, items[k]);
    }
    rh__listing_text(list, "]");
}

// `psi: 1, x: 2`
static void put_components(rh_listing *list, const rh_component *items, uint32_t count,
                           const char *between)
{
    for (uint32_t k = 0; k < count; k++) {
        rh__listing_text(list, k == 0 ? "" : ", ");
        rh__listing_expr(list, items[k].target);
        rh__listing_text(list, between);
        rh__listing_expr(list, items[k].value);
    }
}

static void put_json(rh_listing *list, rh_slice text)
{
    rh_text quoted = rh__text_begin(list->arena, NULL);
    rh__text_put_json(&quoted, text);
    rh__listing_slice(list, rh__text_slice(&quoted));
    list->ok = list->ok && quoted.ok;
}

// --- what is declared --------------------------------------------------------------------------

// `x[1..1000]`
static void put_extent(rh_listing *list, rh_slice name, rh_family family)
{
    rh__listing_slice(list, name);
    const rh_family_def *def = rh__family_def(list->store, family);
    for (uint32_t d = 0; d < def->dimensions; d++) {
        rh__listing_text(list, rh__text_print(list->arena, "%s%" PRId64 "..%" PRId64,
                                              d == 0 ? "[" : ",", def->first[d],
                                              def->first[d] + (int64_t)def->extent[d] - 1));
    }
    rh__listing_text(list, def->dimensions > 0 ? "]" : "");
}

static void list_variables(rh_listing *list, const char *heading, const rh_variable *variables,
                           uint32_t count)
{
    rh__listing_section(list, heading);
    for (uint32_t k = 0; k < count; k++) {
        begin_place(list, variables[k].span);
        put_extent(list, variables[k].name, variables[k].family[0]);
        end_row(list);
    }
}

static bool has_one_value(const rh_parameter *parameter)
{
    bool is_same = parameter->size > 0;
    for (uint32_t k = 1; k < parameter->size; k++) {
        is_same = is_same && parameter->defaults[k].i == parameter->defaults[0].i;
    }
    return is_same;
}

static void list_parameters(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "parameters");
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        if (has_one_value(parameter)) {
            begin_place(list, parameter->span);
            put_extent(list, parameter->name, parameter->family);
            rh__listing_text(list, " = ");
            rh__listing_expr(list, parameter->defaults[0]);
            rh__listing_text(list, parameter->is_structural ? ", structural" : "");
            end_row(list);
            continue;
        }
        for (uint32_t member = 0; member < parameter->size; member++) {
            begin_place(list, parameter->span);
            put_assignment(list, rh__expr_symbol(list->store, parameter->family, member),
                           parameter->defaults[member]);
            rh__listing_mark(list, RH_TOKEN_TRAILING);
            end_row(list);
        }
    }
}

static void list_inputs(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "inputs");
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        begin_place(list, input->span);
        rh__listing_slice(list, input->name);
        rh__listing_text(list, input->file != NULL ? " from " : " = ");
        if (input->file != NULL) {
            put_json(list, rh__slice_of(input->file));
        } else {
            rh__listing_expr(list, input->value);
        }
        end_row(list);
    }
}

static void list_selected(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list,
                        model->is_selection_given ? "selected as given" : "selected by the rule");
    for (uint32_t k = 0; k < model->selected.count; k++) {
        begin_place(list, (rh_span){0, 0});
        rh__listing_expr(list, model->selected.data[k]);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        rh__listing_end(list);
    }
}

// --- sources of motion -------------------------------------------------------------------------

typedef struct energy {
    const char *word;
    const rh_formula *formulas;
    uint32_t count;
} energy;

enum { ENERGIES = 4 };

static void get_energies(const rh_model *model, energy out[ENERGIES])
{
    out[0] = (energy){"kinetic", model->kinetic.data, model->kinetic.count};
    out[1] = (energy){"potential", model->potential.data, model->potential.count};
    out[2] = (energy){"dissipation", model->dissipation.data, model->dissipation.count};
    out[3] = (energy){"lagrangian", model->lagrangian.data, model->lagrangian.count};
}

// A sum of many terms has a line for each group of like ones.
static void list_formula(rh_listing *list, const char *word, const rh_formula *formula,
                         uint32_t statement)
{
    rh_expr_list terms;
    if (!list->ok || !rh__digest_terms(list->store, formula->expr, list->arena, &terms)) {
        list->ok = false;
        return;
    }
    const bool is_long = terms.count > RH_EXPR_FLATTEN;
    rh__listing_row(list, statement, formula->span);
    rh__listing_text(list, word);
    rh__listing_mark(list, RH_TOKEN_TRAILING);
    if (is_long) {
        rh__listing_text(list, rh__text_print(list->arena, ": %u terms", (unsigned)terms.count));
    } else {
        rh__listing_text(list, ": ");
        rh__listing_expr(list, formula->expr);
    }
    end_row(list);
    if (is_long) {
        rh__listing_terms(list, &terms, statement, formula->span);
    }
}

static void list_energies(rh_listing *list, const rh_model *model)
{
    energy energies[ENERGIES];
    get_energies(model, energies);
    rh__listing_section(list, "energies");
    for (uint32_t k = 0; k < ENERGIES; k++) {
        for (uint32_t j = 0; j < energies[k].count; j++) {
            // the turns of a loop have one span, and that is enough to know them by
            list_formula(list, energies[k].word, &energies[k].formulas[j], k + 1);
        }
    }
}

static void list_forces(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "forces");
    for (uint32_t k = 0; k < model->forces.count; k++) {
        const rh_force *force = &model->forces.data[k];
        begin_row(list, &force->row);
        rh__listing_expr(list, force->target);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        rh__listing_text(list, ": ");
        rh__listing_expr(list, force->value);
        end_row(list);
    }
    for (uint32_t k = 0; k < model->loads.count; k++) {
        const rh_load *load = &model->loads.data[k];
        begin_row(list, &load->row);
        rh__listing_mark(list, RH_TOKEN_LEADING);
        rh__listing_text(list, load->is_torque ? "torque on [" : "at ");
        for (uint32_t row = 0; load->is_torque && row < 3; row++) {
            rh__listing_text(list, row == 0 ? "" : ", ");
            put_vector(list, load->place + (size_t)3 * row, 3);
        }
        if (!load->is_torque) {
            put_vector(list, load->place, load->length);
        }
        rh__listing_text(list, load->is_torque ? "]: " : ": ");
        put_vector(list, load->value, load->length);
        end_row(list);
    }
}

static void list_laws(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "laws");
    for (uint32_t k = 0; k < model->laws.count; k++) {
        const rh_law *law = &model->laws.data[k];
        const bool is_sum = rh__expr_op(list->store, law->inertia) == RH_OP_ADD;
        begin_row(list, &law->row);
        if (!rh__expr_is_one(list->store, law->inertia)) {
            rh__listing_text(list, is_sum ? "(" : "");
            rh__listing_expr(list, law->inertia);
            rh__listing_text(list, is_sum ? ") * " : " * ");
        }
        put_assignment(list, law->target, law->value);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static void list_equations(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "equations");
    for (uint32_t k = 0; k < model->equations.count; k++) {
        const rh_equation *equation = &model->equations.data[k];
        begin_row(list, &equation->row);
        put_label(list, &equation->row);
        put_assignment(list, equation->left, equation->right);
        end_row(list);
    }
}

// --- constraints -------------------------------------------------------------------------------

static void put_realisation(rh_listing *list, const rh_constraint *constraint)
{
    rh__listing_text(list, ", by ");
    rh__listing_text(list, rh__realisation_word(constraint->by));
    const bool has_argument = constraint->argument.i != 0;
    const char *option = constraint->option == RH_OPTION_LITERAL ? "literal"
                         : constraint->option == RH_OPTION_HOLD  ? "hold"
                                                                 : "";
    const bool is_plain = !has_argument && constraint->component_count == 0 && option[0] == '\0';
    rh__listing_text(list, is_plain ? "" : "(");
    if (has_argument) {
        rh__listing_expr(list, constraint->argument);
    }
    put_components(list, constraint->components, constraint->component_count, ": ");
    rh__listing_text(list, has_argument && option[0] != '\0' ? ", " : "");
    rh__listing_text(list, option);
    rh__listing_text(list, is_plain ? "" : ")");
}

static void put_traits(rh_listing *list, const rh_constraint *constraint)
{
    rh__listing_text(list, "\n    ");
    rh__listing_text(list, rh__kind_word(constraint->kind));
    if (constraint->kind != RH_KIND_HOLONOMIC) {
        rh__listing_text(list, constraint->is_linear ? ", linear" : ", nonlinear");
    }
    rh__listing_text(list, constraint->is_one_sided ? ", one-sided" : ", two-sided");
    rh__listing_text(list, constraint->level == 0 ? ", level not known yet"
                                                  : rh__text_print(list->arena, ", level %u",
                                                                   (unsigned)constraint->level));
    rh__listing_text(list, constraint->takes_constant ? ", constant from the start" : "");
    put_realisation(list, constraint);
    if (constraint->impact.i != 0) {
        rh__listing_text(list, ", impact ");
        rh__listing_expr(list, constraint->impact);
    }
    if (constraint->condition.i != 0) {
        rh__listing_text(list, ", while ");
        rh__listing_expr(list, constraint->condition);
    }
}

static void list_constraints(rh_listing *list, const rh_model *model)
{
    static const char PRIMES[] = "''''''''";
    rh__listing_section(list, "constraints");
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        const rh_constraint *constraint = &model->constraints.data[k];
        begin_row(list, &constraint->row);
        put_label(list, &constraint->row);
        rh__listing_expr(list, constraint->deviation);
        rh__listing_text(list, constraint->is_one_sided ? " >= 0" : " = 0");
        rh__listing_mark(list, RH_TOKEN_PLACE);
        put_traits(list, constraint);
        if (constraint->has_law) {
            RH_ASSERT(constraint->law_order < sizeof PRIMES);
            rh__listing_text(list, "\n    with ");
            put_name(list, &constraint->row);
            rh__listing_slice(list, (rh_slice){PRIMES, constraint->law_order});
            rh__listing_text(list, " = ");
            rh__listing_expr(list, constraint->law);
        }
        rh__listing_end(list);
    }
}

static void list_quasis(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "quasi-velocities");
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        begin_row(list, &quasi->row);
        put_name(list, &quasi->row);
        rh__listing_text(list, " = ");
        rh__listing_expr(list, quasi->value);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static void list_construct(rh_listing *list, const rh_model *model)
{
    const rh_construct *construct = &model->construct;
    if (!construct->is_given) {
        return;
    }
    rh__listing_section(list, "construct");
    begin_place(list, construct->span);
    rh__listing_text(list, "from the program alone");
    if (construct->tangent.i != 0) {
        rh__listing_text(list, ", tangent ");
        rh__listing_expr(list, construct->tangent);
    }
    const uint32_t length = rh__model_coordinate_count(model);
    for (uint32_t k = 0; k < construct->vector_count; k++) {
        rh__listing_text(list, k == 0 ? " with " : ", ");
        put_vector(list, construct->vectors + (size_t)k * length, length);
    }
    end_row(list);
}

// --- the rest ----------------------------------------------------------------------------------

static void list_pairs(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "pairs");
    for (uint32_t k = 0; k < model->pairs.count; k++) {
        begin_place(list, model->pairs.data[k].span);
        rh__listing_expr(list, model->pairs.data[k].position);
        rh__listing_text(list, ", ");
        rh__listing_expr(list, model->pairs.data[k].momentum);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static void list_exchanges(rh_listing *list, const char *heading, const rh_exchange *exchanges,
                           uint32_t count)
{
    rh__listing_section(list, heading);
    for (uint32_t k = 0; k < count; k++) {
        begin_place(list, exchanges[k].span);
        put_assignment(list, exchanges[k].target, exchanges[k].value);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static void list_settings(rh_listing *list, const char *heading, const rh_setting *settings,
                          uint32_t count)
{
    rh__listing_section(list, heading);
    for (uint32_t k = 0; k < count; k++) {
        begin_place(list, settings[k].span);
        put_assignment(list, settings[k].place, settings[k].value);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static const char *direction_word(rh_direction direction)
{
    switch (direction) {
    case RH_DIRECTION_BOTH:
        return "both";
    case RH_DIRECTION_UP:
        return "up";
    case RH_DIRECTION_DOWN:
        return "down";
    }
    return "";
}

static const char *action_word(rh_action action)
{
    switch (action) {
    case RH_ACTION_RECORD:
        return "record";
    case RH_ACTION_STOP:
        return "stop";
    case RH_ACTION_RESET:
        return "reset ";
    }
    return "";
}

static void list_events(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "events");
    for (uint32_t k = 0; k < model->events.count; k++) {
        const rh_event *event = &model->events.data[k];
        begin_row(list, &event->row);
        put_label(list, &event->row);
        rh__listing_expr(list, event->function);
        rh__listing_text(list, " = 0 ");
        rh__listing_text(list, direction_word(event->direction));
        rh__listing_text(list, " ");
        rh__listing_text(list, action_word(event->action));
        put_components(list, event->resets, event->reset_count, " = ");
        end_row(list);
    }
}

// The index of a column's name runs; what stands after it (`.x`) does not.
static void put_column(rh_listing *list, const rh_observe *observe)
{
    const rh_slice name = rh__slice_of(observe->name);
    size_t tail = name.size;
    while (tail > 0 && name.data[tail - 1] != ']') {
        tail--;
    }
    if (is_array(list->store, observe->row.family) && tail > 0) {
        put_name(list, &observe->row);
        rh__listing_slice(list, (rh_slice){name.data + tail, name.size - tail});
    } else {
        rh__listing_slice(list, name);
    }
}

static void list_observes(rh_listing *list, const rh_model *model)
{
    rh__listing_section(list, "observes");
    for (uint32_t k = 0; k < model->observes.count; k++) {
        const rh_observe *observe = &model->observes.data[k];
        begin_row(list, &observe->row);
        put_column(list, observe);
        rh__listing_text(list, " = ");
        rh__listing_expr(list, observe->value);
        rh__listing_mark(list, RH_TOKEN_TRAILING);
        end_row(list);
    }
}

static void list_drawings(rh_listing *list, const rh_model *model)
{
    static const char *const WORDS[] = {
        [RH_DRAW_POINT] = "point ", [RH_DRAW_LINE] = "line ", [RH_DRAW_DISC] = "disc centre "};
    rh__listing_section(list, "drawings");
    for (uint32_t k = 0; k < model->drawings.count; k++) {
        const rh_drawing *drawing = &model->drawings.data[k];
        begin_row(list, &drawing->row);
        rh__listing_mark(list, RH_TOKEN_LEADING);
        rh__listing_text(list, WORDS[drawing->kind]);
        for (uint32_t j = 0; j < drawing->vector_count; j++) {
            rh__listing_text(list, j == 0                          ? ""
                                   : drawing->kind == RH_DRAW_DISC ? " normal "
                                                                   : " to ");
            put_vector(list, drawing->vectors + (size_t)j * drawing->length, drawing->length);
        }
        if (drawing->radius.i != 0) {
            rh__listing_text(list, " radius ");
            rh__listing_expr(list, drawing->radius);
        }
        end_row(list);
    }
}

// --- the whole -----------------------------------------------------------------------------------

static void list_model(rh_listing *list, const rh_model *model)
{
    list_parameters(list, model);
    list_variables(list, "coordinates", model->coordinates.data, model->coordinates.count);
    list_variables(list, "states", model->states.data, model->states.count);
    list_inputs(list, model);
    list_selected(list, model);
    list_energies(list, model);
    list_forces(list, model);
    list_laws(list, model);
    list_equations(list, model);
    list_constraints(list, model);
    list_quasis(list, model);
    list_construct(list, model);
    list_pairs(list, model);
    list_exchanges(list, "change", model->change.data, model->change.count);
    list_exchanges(list, "inverse", model->inverse.data, model->inverse.count);
    list_settings(list, "starts", model->starts.data, model->starts.count);
    list_settings(list, "guesses", model->guesses.data, model->guesses.count);
    list_settings(list, "scales", model->scales.data, model->scales.count);
    list_events(list, model);
    list_observes(list, model);
    list_drawings(list, model);
    rh__listing_sums(list);
}

static void write_title(const rh_model *model, rh_text *out)
{
    rh__text_put(out, "model");
    if (model->title.size > 0) {
        rh__text_put(out, " ");
        rh__text_put_json(out, model->title);
    }
    rh__text_put(out, "\n");
}

void rh__model_describe(const rh_model *model, rh_text *out)
{
    RH_ASSERT(model->store != NULL);
    rh_arena arena = rh__arena_begin(model->arena.allocator, model->arena.limit);
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    rh_listing list = rh__listing_begin(model, &arena, &scratch);
    write_title(model, out);
    list_model(&list, model);
    rh__listing_write(&list, out);
    const bool is_counted = list.ok && rh__model_census(model, &scratch, out);
    if (!is_counted || rh__store_refusal(model->store) != RH_REFUSAL_NONE) {
        const rh_status why = arena.status != RH_OK ? arena.status : scratch.status;
        out->ok = false;
        out->arena->status = why != RH_OK ? why : RH_E_MEMORY;
    }
    rh__arena_end(&scratch);
    rh__arena_end(&arena);
}
