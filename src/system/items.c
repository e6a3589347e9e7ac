// SPDX-License-Identifier: Apache-2.0
// What a system names: parameters, variables, inputs, constraints, observed quantities, events, in
// the orders of the vectors of an evaluator.

#include "system/system.h"

#include <math.h>

typedef struct rh_listing_items {
    const rh_system *system;
    const rh_model *model;
    rh_arena *arena;
    rh_item_list *list; // the one under way
} rh_listing_items;

// Names that occur twice are found once.
static bool add(rh_listing_items *listing, const rh_text *name, const char *type, double value)
{
    rh_item_list *list = listing->list;
    const rh_slice text = rh__text_slice(name);
    const rh_item item = {
        .name = rh__text_print(listing->arena, "%.*s", RH_SLICE_FORMAT(text)),
        .type = type,
        .value = value,
    };
    if (item.name == NULL) {
        return false;
    }
    const rh_slice key = rh__slice_of(item.name);
    return (rh__table_find(&list->places, key) != NULL ||
            rh__table_insert(&list->places, key, list->items.count)) &&
           rh__array_push(listing->arena, &list->items, item);
}

static bool add_member(rh_listing_items *listing, rh_family family, uint32_t member,
                       const char *type, double value)
{
    rh_text text = rh__text_begin(listing->arena, NULL);
    rh__family_show(listing->model->store, family, member, &text);
    return add(listing, &text, type, value);
}

static bool add_slice(rh_listing_items *listing, rh_slice name, const char *type, double value)
{
    rh_text text = rh__text_begin(listing->arena, NULL);
    rh__text_put_slice(&text, name);
    return add(listing, &text, type, value);
}

// --- the kinds -----------------------------------------------------------------------------------

static bool list_parameters(rh_listing_items *listing)
{
    const rh_model *model = listing->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        RH_ASSERT(parameter->first == listing->list->items.count);
        for (uint32_t member = 0; ok && member < parameter->size; member++) {
            ok = add_member(listing, parameter->family, member, "",
                            *rh__values_at(&model->values, parameter, member));
        }
    }
    return ok;
}

static const char *type_of(uint32_t mask)
{
    return (mask & RH_ROLE_COORD) != 0      ? "coordinate"
           : (mask & RH_ROLE_VELOCITY) != 0 ? "velocity"
           : (mask & RH_ROLE_STATE) != 0    ? "state"
                                            : "multiplier";
}

static bool list_variables(rh_listing_items *listing, const rh_items *items)
{
    const rh_store *store = listing->model->store;
    const rh_expr_list *x = &listing->system->x;
    bool ok = true;
    for (uint32_t k = 0; ok && k < x->count; k++) {
        const rh_expr symbol = x->data[k];
        ok = add_member(listing, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        type_of(rh__expr_mask(store, symbol)),
                        items->has_start ? rh__point_get(&items->start, symbol) : (double)NAN);
    }
    return ok;
}

static bool list_inputs(rh_listing_items *listing)
{
    const rh_model *model = listing->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        ok = add_slice(listing, input->name, input->file != NULL ? "file" : "formula", (double)NAN);
    }
    return ok;
}

static bool list_constraints(rh_listing_items *listing)
{
    const rh_equations *equations = listing->system->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh_text text = rh__text_begin(listing->arena, NULL);
        rh__link_name(equations, link, &text);
        ok = add(listing, &text, rh__kind_word(link->constraint->kind), (double)NAN);
    }
    return ok;
}

static bool list_observes(rh_listing_items *listing)
{
    const rh_model *model = listing->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->observes.count; k++) {
        ok = add_slice(listing, rh__slice_of(model->observes.data[k].name), "", (double)NAN);
    }
    return ok;
}

static const char *word_of(rh_action action)
{
    switch (action) {
    case RH_ACTION_RECORD:
        return "record";
    case RH_ACTION_STOP:
        return "stop";
    case RH_ACTION_RESET:
        return "reset";
    }
    return "";
}

static bool list_events(rh_listing_items *listing)
{
    const rh_model *model = listing->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->events.count; k++) {
        const rh_event *event = &model->events.data[k];
        const char *type = word_of(event->action);
        ok = event->row.family.i != 0
                 ? add_member(listing, event->row.family, event->row.member, type, (double)NAN)
                 : add_slice(listing, event->row.name, type, (double)NAN);
    }
    return ok;
}

static bool list_kind(rh_listing_items *listing, const rh_items *items, rh_item_kind kind)
{
    switch (kind) {
    case RH_ITEM_PARAMETER:
        return list_parameters(listing);
    case RH_ITEM_VARIABLE:
        return list_variables(listing, items);
    case RH_ITEM_INPUT:
        return list_inputs(listing);
    case RH_ITEM_CONSTRAINT:
        return list_constraints(listing);
    case RH_ITEM_OBSERVE:
        return list_observes(listing);
    case RH_ITEM_EVENT:
        return list_events(listing);
    }
    return false;
}

rh_status rh__items_list(rh_system *system, rh_items *items)
{
    rh_listing_items listing = {
        .system = system, .model = system->equations->model, .arena = &system->arena};
    for (uint32_t kind = 0; kind < RH_ITEM_KINDS; kind++) {
        listing.list = &items->lists[kind];
        listing.list->places = rh__table_begin(&system->arena);
        if (!list_kind(&listing, items, (rh_item_kind)kind)) {
            return system->arena.status != RH_OK ? system->arena.status : RH_E_MEMORY;
        }
    }
    return RH_OK;
}

// --- questions -----------------------------------------------------------------------------------

static const rh_item_list *list_of(const rh_system *system, rh_item_kind kind)
{
    const bool is_kind = (unsigned)kind < RH_ITEM_KINDS;
    return system != NULL && system->items != NULL && is_kind ? &system->items->lists[kind] : NULL;
}

size_t rh_system_count(const rh_system *system, rh_item_kind kind)
{
    const rh_item_list *list = list_of(system, kind);
    return list != NULL ? list->items.count : 0;
}

rh_item rh_system_item(const rh_system *system, rh_item_kind kind, size_t index)
{
    const rh_item_list *list = list_of(system, kind);
    return list != NULL && index < list->items.count
               ? list->items.data[index]
               : (rh_item){.name = "", .type = "", .value = (double)NAN};
}

size_t rh_system_find(const rh_system *system, rh_item_kind kind, const char *name)
{
    const rh_item_list *list = list_of(system, kind);
    const rh_table_entry *entry =
        list != NULL && name != NULL ? rh__table_find(&list->places, rh__slice_of(name)) : NULL;
    return entry != NULL ? entry->value : SIZE_MAX;
}

size_t rh_system_velocity_count(const rh_system *system)
{
    return system != NULL ? system->equations->carriers.count : 0;
}

size_t rh_system_input_count(const rh_system *system)
{
    return system != NULL ? system->feeds.count / 2 : 0;
}
