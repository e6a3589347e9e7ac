// SPDX-License-Identifier: Apache-2.0
// What a model is, for a person: a label and a list on each line, arrays and loops as ranges
// (`rod[1..1000]`), so that a model with thousands of rows is still read at a glance.

#include "output/doctor.h"

#include <inttypes.h>

enum {
    LABEL = 18,      // columns of the labels
    WIDTH = 100,     // lists go on in the next line
    NAME_WIDTH = 24, // names of constraints are filled up to at most this
    FEW_VALUES = 4,  // of an array parameter, shown one by one
    MOST_ITEMS = 40  // of a list; the others are counted
};

// --- lists of items ----------------------------------------------------------------------------

typedef struct items {
    const rh_summary *summary;
    uint32_t column; // where the line stands
    uint32_t count;
} items;

static items begin_items(const rh_summary *summary, const char *label)
{
    rh__text_format(summary->out, "%-*s", LABEL - 1, label);
    return (items){.summary = summary};
}

static rh_text begin_item(const items *list)
{
    return rh__text_begin(list->summary->scratch, NULL);
}

static void put_item(items *list, const rh_text *item)
{
    rh_text *out = list->summary->out;
    const uint32_t size = rh__utf8_count(rh__text_slice(item));
    out->ok = out->ok && item->ok;
    if (list->count++ >= MOST_ITEMS) {
        return;
    }
    if (list->count == 1) {
        rh__text_put(out, " ");
        list->column = LABEL;
    } else if (list->column + 2 + size > WIDTH) {
        rh__text_format(out, ",\n%*s", LABEL, "");
        list->column = LABEL;
    } else {
        rh__text_put(out, ", ");
        list->column += 2;
    }
    rh__text_put_slice(out, rh__text_slice(item));
    list->column += size;
}

static void end_items(const items *list)
{
    if (list->count > MOST_ITEMS) {
        rh__text_format(list->summary->out, ", ... and %u more",
                        (unsigned)(list->count - MOST_ITEMS));
    }
    rh__text_put(list->summary->out, "\n");
}

// --- ranges ----------------------------------------------------------------------------------

static void put_primes(rh_text *out, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        rh__text_put_char(out, '\'');
    }
}

// Members first ... first + count - 1 of a family: `x[1..10]'`, `u[1..3,1..4]`, or `u[1,2] to
// u[2,3]`.
static void put_members(const rh_store *store, rh_family family, uint32_t first, uint32_t count,
                        rh_text *out)
{
    const rh_family_def *def = rh__family_def(store, family);
    const bool is_whole = count == rh__family_size(store, family);
    if (count == 1 && (!is_whole || def->dimensions == 0)) {
        rh__family_show(store, family, first, out);
        return;
    }
    if (def->dimensions != 1 && !is_whole) {
        rh__family_show(store, family, first, out);
        rh__text_put(out, " to ");
        rh__family_show(store, family, first + count - 1, out);
        return;
    }
    rh__text_put_slice(out, def->name);
    for (uint32_t d = 0; d < def->dimensions; d++) {
        const int64_t low = def->dimensions == 1 ? def->first[0] + first : def->first[d];
        const int64_t high = low + (def->dimensions == 1 ? count : def->extent[d]) - 1;
        rh__text_format(out, "%s%" PRId64 "..%" PRId64, d == 0 ? "[" : ",", low, high);
    }
    rh__text_put(out, "]");
    put_primes(out, def->primes);
}

// A name with its place in a family, none for a name alone.
typedef struct title {
    rh_family family;
    uint32_t member;
    rh_slice name;
} title;

static void put_titles(const rh_store *store, title first, uint32_t count, rh_text *out)
{
    if (first.family.i == 0) {
        rh__text_put_slice(out, first.name);
    } else {
        put_members(store, first.family, first.member, count, out);
    }
}

// Titles one after another; neighbours in one family become a range.
typedef struct range {
    title first;
    uint32_t count;
} range;

static void flush_range(items *list, range *run)
{
    if (run->count > 0) {
        const rh_mark mark = rh__arena_mark(list->summary->scratch);
        rh_text item = begin_item(list);
        put_titles(list->summary->model->store, run->first, run->count, &item);
        put_item(list, &item);
        rh__arena_rewind(list->summary->scratch, mark);
    }
    run->count = 0;
}

static bool follows(const title *first, uint32_t count, const title *next)
{
    return next->family.i != 0 && next->family.i == first->family.i &&
           next->member == first->member + count;
}

static void add_title(items *list, range *run, title next)
{
    if (run->count > 0 && follows(&run->first, run->count, &next)) {
        run->count++;
        return;
    }
    flush_range(list, run);
    *run = (range){next, 1};
}

static title title_of(const rh_row *row)
{
    return (title){row->family, row->member, row->name};
}

// --- sections --------------------------------------------------------------------------------

static void write_variables(const rh_summary *summary, const char *word,
                            const rh_variable *variables, uint32_t count, uint32_t total)
{
    if (count == 0) {
        return;
    }
    rh_text label = rh__text_begin(summary->scratch, NULL);
    rh__text_format(&label, "%u %s%s", (unsigned)total, word, total == 1 ? "" : "s");
    items list = begin_items(summary, label.ok ? label.data : word);
    for (uint32_t k = 0; k < count; k++) {
        range run = {{variables[k].family[0], 0, variables[k].name}, variables[k].size};
        flush_range(&list, &run);
    }
    end_items(&list);
}

static void write_selected(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    if (model->selected.count == 0) {
        return;
    }
    items list = begin_items(summary, model->is_selection_given ? "selected" : "selected (rule)");
    range run = {.count = 0};
    for (uint32_t k = 0; k < model->selected.count; k++) {
        const rh_expr symbol = model->selected.data[k];
        const title next = {.family = rh__expr_family(model->store, symbol),
                            .member = rh__expr_member(model->store, symbol)};
        add_title(&list, &run, next);
    }
    flush_range(&list, &run);
    end_items(&list);
}

static bool has_one_value(const rh_parameter *parameter)
{
    bool is_same = true;
    for (uint32_t k = 1; k < parameter->size; k++) {
        is_same = is_same && parameter->defaults[k].i == parameter->defaults[0].i;
    }
    return is_same;
}

static void put_parameter(items *list, const rh_parameter *parameter)
{
    const rh_store *store = list->summary->model->store;
    const rh_mark mark = rh__arena_mark(list->summary->scratch);
    rh_text item = begin_item(list);
    put_members(store, parameter->family, 0, parameter->size, &item);
    if (parameter->size > 0 && has_one_value(parameter)) {
        rh__text_put(&item, " = ");
        rh__show_expr(list->summary->show, parameter->defaults[0], &item);
    } else if (parameter->size <= FEW_VALUES) {
        for (uint32_t k = 0; k < parameter->size; k++) {
            rh__text_put(&item, k == 0 ? " = [" : ", ");
            rh__show_expr(list->summary->show, parameter->defaults[k], &item);
        }
        rh__text_put(&item, "]");
    } else {
        rh__text_format(&item, " (%u values)", (unsigned)parameter->size);
    }
    rh__text_put(&item, parameter->is_structural ? " (structural)" : "");
    put_item(list, &item);
    rh__arena_rewind(list->summary->scratch, mark);
}

static void write_parameters(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    if (model->parameters.count == 0) {
        return;
    }
    items list = begin_items(summary, "parameters");
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        put_parameter(&list, &model->parameters.data[k]);
    }
    end_items(&list);
}

static void put_source(items *list, const char *word, uint32_t count)
{
    if (count > 0) {
        const rh_mark mark = rh__arena_mark(list->summary->scratch);
        rh_text item = begin_item(list);
        rh__text_put(&item, word);
        if (count > 1) {
            rh__text_format(&item, " (%u)", (unsigned)count);
        }
        put_item(list, &item);
        rh__arena_rewind(list->summary->scratch, mark);
    }
}

static void write_sources(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    const uint32_t forces = model->forces.count + model->loads.count;
    items list = begin_items(summary, "motion from");
    put_source(&list, "kinetic", model->kinetic.count);
    put_source(&list, "potential", model->potential.count);
    put_source(&list, "dissipation", model->dissipation.count);
    put_source(&list, "lagrangian", model->lagrangian.count);
    put_source(&list, "forces", forces);
    put_source(&list, "inputs", model->inputs.count);
    put_source(&list, "laws", model->laws.count);
    put_source(&list, "equations", model->equations.count);
    put_source(&list, "construct", model->construct.is_given);
    if (list.count == 0) {
        rh__text_put(summary->out, " nothing");
    }
    end_items(&list);
}

// --- constraints -------------------------------------------------------------------------------

static bool are_alike(const rh_constraint *a, const rh_constraint *b)
{
    return a->kind == b->kind && a->is_linear == b->is_linear &&
           a->is_one_sided == b->is_one_sided && a->by == b->by && a->option == b->option &&
           a->has_law == b->has_law && a->law_order == b->law_order &&
           a->takes_constant == b->takes_constant && (a->impact.i != 0) == (b->impact.i != 0) &&
           (a->condition.i != 0) == (b->condition.i != 0);
}

// How many constraints from the k-th on are one family and alike.
static uint32_t family_size(const rh_model *model, uint32_t k)
{
    const rh_constraint *rows = model->constraints.data;
    const title first = title_of(&rows[k].row);
    uint32_t count = 1;
    while (k + count < model->constraints.count && are_alike(&rows[k], &rows[k + count])) {
        const title next = title_of(&rows[k + count].row);
        if (!follows(&first, count, &next)) {
            break;
        }
        count++;
    }
    return count;
}

static void put_traits(const rh_summary *summary, const rh_constraint *constraint, uint32_t count)
{
    rh_text *out = summary->out;
    rh__text_put(out, rh__kind_word(constraint->kind));
    if (constraint->kind != RH_KIND_HOLONOMIC) {
        rh__text_put(out, constraint->is_linear ? ", linear" : ", nonlinear");
    }
    rh__text_put(out, constraint->is_one_sided ? ", one-sided, " : ", two-sided, ");
    if (constraint->level > 0) {
        rh__text_format(out, "level %u, ", constraint->level);
    }
    if (count == 1) {
        rh__summary_realisation(summary, constraint, out);
    } else {
        const bool has_arguments = constraint->argument.i != 0 || constraint->component_count > 0;
        rh__text_put(out, rh__realisation_word(constraint->by));
        rh__text_put(out, has_arguments ? "(...)" : "");
    }
    if (constraint->impact.i != 0) {
        rh__text_put(out, ", impact");
        rh__text_put(out, count == 1 ? " " : "");
        if (count == 1) {
            rh__show_expr(summary->show, constraint->impact, out);
        }
    }
    if (constraint->condition.i != 0) {
        rh__text_put(out, ", while");
        rh__text_put(out, count == 1 ? " " : "");
        if (count == 1) {
            rh__show_expr(summary->show, constraint->condition, out);
        }
    }
    rh__text_put(out, constraint->takes_constant ? ", constant from the start" : "");
    rh__text_put(out, constraint->has_law ? ", with a law" : "");
    if (count > 1) {
        rh__text_format(out, " (%u rows)", (unsigned)count);
    }
    rh__text_put(out, "\n");
}

static rh_slice name_family(const rh_summary *summary, uint32_t k, uint32_t count)
{
    rh_text name = rh__text_begin(summary->scratch, NULL);
    put_titles(summary->model->store, title_of(&summary->model->constraints.data[k].row), count,
               &name);
    summary->out->ok = summary->out->ok && name.ok;
    return rh__text_slice(&name);
}

static void write_constraints(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    uint32_t width = 0;
    if (model->constraints.count == 0) {
        rh__text_put(summary->out, "no constraints\n");
        return;
    }
    rh__text_format(summary->out, "%u constraint%s\n", (unsigned)model->constraints.count,
                    model->constraints.count == 1 ? "" : "s");
    // the first pass measures, the second writes
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < model->constraints.count;) {
            const rh_mark mark = rh__arena_mark(summary->scratch);
            const uint32_t count = family_size(model, k);
            const rh_slice name = name_family(summary, k, count);
            const uint32_t size = rh__utf8_count(name);
            if (pass == 0) {
                width = size > width && size <= NAME_WIDTH ? size : width;
            } else {
                rh__text_format(summary->out, "  %.*s%*s  ", RH_SLICE_FORMAT(name),
                                (int)(size < width ? width - size : 0), "");
                put_traits(summary, &model->constraints.data[k], count);
            }
            rh__arena_rewind(summary->scratch, mark);
            k += count;
        }
    }
}

// --- the rest ----------------------------------------------------------------------------------

static void write_names(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    if (model->quasis.count > 0) {
        items list = begin_items(summary, "quasi-velocities");
        range run = {.count = 0};
        for (uint32_t k = 0; k < model->quasis.count; k++) {
            add_title(&list, &run, title_of(&model->quasis.data[k].row));
        }
        flush_range(&list, &run);
        end_items(&list);
    }
    if (model->events.count > 0) {
        items list = begin_items(summary, "events");
        range run = {.count = 0};
        for (uint32_t k = 0; k < model->events.count; k++) {
            add_title(&list, &run, title_of(&model->events.data[k].row));
        }
        flush_range(&list, &run);
        end_items(&list);
    }
}

static void write_observes(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    if (model->observes.count == 0) {
        return;
    }
    items list = begin_items(summary, "observes");
    range run = {.count = 0};
    for (uint32_t k = 0; k < model->observes.count; k++) {
        const rh_observe *observe = &model->observes.data[k];
        const rh_slice name = rh__slice_of(observe->name);
        // a component (tip.x) goes by the name of its column
        const bool is_member = name.size > 0 && name.data[name.size - 1] == ']';
        const title next = {.family = is_member ? observe->row.family : (rh_family){0},
                            .member = observe->row.member,
                            .name = name};
        add_title(&list, &run, next);
    }
    flush_range(&list, &run);
    end_items(&list);
}

static void write_parts(const rh_summary *summary)
{
    for (uint32_t k = 0; k < rh__show_part_count(summary->show); k++) {
        rh__text_put(summary->out, k == 0 ? "where\n  " : "  ");
        rh__show_part(summary->show, k, summary->out);
        rh__text_put(summary->out, "\n");
    }
}

void rh__summary_text(const rh_summary *summary)
{
    const rh_model *model = summary->model;
    rh__output_safe(summary->out, model->title);
    rh__text_put(summary->out, model->title.size > 0 ? "\n\n" : "");
    write_variables(summary, "coordinate", model->coordinates.data, model->coordinates.count,
                    rh__model_coordinate_count(model));
    write_variables(summary, "state", model->states.data, model->states.count,
                    rh__model_state_count(model));
    write_selected(summary);
    write_parameters(summary);
    write_sources(summary);
    write_names(summary);
    write_observes(summary);
    write_constraints(summary);
    if (summary->checkup != NULL) {
        rh__doctor_text(summary);
    }
    write_parts(summary);
}
