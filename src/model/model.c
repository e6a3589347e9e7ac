// SPDX-License-Identifier: Apache-2.0
// Making a model: text -> tree -> model. PASSES lists the way from tree to model; each pass says
// what is wrong and leaves out what it could not read.

#include "model/build.h"
#include "model/describe.h"

#include <string.h>

static rh_status refused(const rh_build *build)
{
    return build->arena->status != RH_OK ? build->arena->status : RH_E_MEMORY;
}

// --- settings of the command line ----------------------------------------------------------------

// Each setting is a source of its own, so that messages about it point into it.
typedef rh_status parse_part(const rh_source *source, uint32_t part, rh_arena *arena,
                             rh_diagnostics *diagnostics, rh_tree *out);

static rh_status parse_options(rh_build *build, const char *const *texts, size_t count,
                               const char *option, parse_part *parse, rh_tree *trees)
{
    rh_model *model = build->model;
    for (size_t k = 0; k < count; k++) {
        const char *text = rh__slice_copy(build->arena, rh__slice_of(texts[k]));
        if (text == NULL || !rh__source_add(&model->source, option, rh__slice_of(text))) {
            return refused(build);
        }
        RH_TRY(parse(&model->source, model->source.parts.count - 1, build->arena,
                     &model->diagnostics, &trees[k]));
    }
    return RH_OK;
}

static rh_status parse(rh_build *build, const rh_model_def *def)
{
    rh_model *model = build->model;
    char *text = rh__slice_copy(build->arena, (rh_slice){def->text, def->text_size});
    const char *name = rh__slice_copy(build->arena, rh__slice_of(def->name));
    if (text == NULL || name == NULL ||
        !rh__source_add(&model->source, name, (rh_slice){text, def->text_size})) {
        return refused(build);
    }
    RH_TRY(rh__tree_parse(&model->source, 0, build->arena, &model->diagnostics, &model->tree));
    build->tree = &model->tree;
    const bool has_by = def->struct_size >= offsetof(rh_model_def, by_count) + sizeof(size_t);
    const size_t set_count = build->set_count = def->set_count;
    const size_t start_count = build->start_count = def->start_count;
    build->by_count = has_by ? def->by_count : 0;
    const bool has_observe =
        def->struct_size >= offsetof(rh_model_def, observe_count) + sizeof(size_t);
    const size_t observe_count = build->observe_count = has_observe ? def->observe_count : 0;
    build->setting_trees = rh__arena_array(
        build->arena, rh_tree, set_count + start_count + build->by_count + observe_count);
    if (build->setting_trees == NULL) {
        return refused(build);
    }
    const bool has_names = def->struct_size >= sizeof *def;
    const size_t last = has_names && def->last_set_name != NULL && set_count > 0 ? 1 : 0;
    const size_t plain = set_count - last;
    RH_TRY(parse_options(build, def->set, plain, "--set", rh__tree_parse_settings,
                         build->setting_trees));
    RH_TRY(parse_options(build, last > 0 ? def->set + plain : NULL, last, def->last_set_name,
                         rh__tree_parse_settings, build->setting_trees + plain));
    RH_TRY(parse_options(build, def->start, start_count, "--start", rh__tree_parse_settings,
                         build->setting_trees + set_count));
    RH_TRY(parse_options(build, has_by ? def->by : NULL, build->by_count, "--by", rh__tree_parse_by,
                         build->setting_trees + set_count + start_count));
    const char *asked = has_names && def->observe_name != NULL ? def->observe_name : "--observe";
    return parse_options(build, has_observe ? def->observe : NULL, observe_count, asked,
                         rh__tree_parse_expression,
                         build->setting_trees + set_count + start_count + build->by_count);
}

// --- variables and parameters into the model
// -----------------------------------------------------------

static void keep_variable(rh_build *build, uint32_t index)
{
    rh_model *model = build->model;
    const rh_entity *entity = rh__build_entity(build, index);
    rh_variable variable = {.name = entity->name, .span = entity->span, .size = entity->size};
    variable.family[0] = rh__build_family(build, index, 0);
    const bool ok = rh__build_entity(build, index)->kind == RH_ENTITY_COORD
                        ? rh__array_push(build->arena, &model->coordinates, variable)
                        : rh__array_push(build->arena, &model->states, variable);
    if (!ok) {
        rh__build_stop(build);
        return;
    }
    rh__build_entity(build, index)->place =
        (rh__build_entity(build, index)->kind == RH_ENTITY_COORD ? model->coordinates.count
                                                                 : model->states.count) -
        1;
}

static void keep_parameter(rh_build *build, uint32_t index)
{
    rh_model *model = build->model;
    rh_entity *entity = rh__build_entity(build, index);
    rh_parameter parameter = {.name = entity->name,
                              .span = entity->span,
                              .size = entity->size,
                              .is_structural = entity->is_structural};
    parameter.family = rh__build_family(build, index, 0);
    parameter.defaults = rh__arena_array(build->arena, rh_expr, entity->size);
    parameter.dial = rh__arena_array(build->arena, uint32_t, entity->size);
    parameter.first = model->values.parameters.count;
    bool ok = parameter.defaults != NULL && parameter.dial != NULL;
    for (uint32_t k = 0; ok && k < entity->size; k++) {
        ok = rh__array_push(build->arena, &model->values.parameters, 0.0);
    }
    if (!ok || !rh__array_push(build->arena, &model->parameters, parameter)) {
        rh__build_stop(build);
        return;
    }
    entity->place = model->parameters.count - 1;
    while (model->parameter_of.count <= parameter.family.i) {
        if (!rh__array_push(build->arena, &model->parameter_of, 0)) {
            rh__build_stop(build);
            return;
        }
    }
    model->parameter_of.data[parameter.family.i] = model->parameters.count;
}

static void keep_names(rh_build *build)
{
    build->model->time = rh__build_family(build, build->time, 0);
    for (uint32_t index = 0; index < build->entities.count; index++) {
        const rh_entity *entity = rh__build_entity(build, index);
        if (entity->size == 0) {
            continue;
        }
        if (entity->kind == RH_ENTITY_COORD || entity->kind == RH_ENTITY_STATE) {
            keep_variable(build, index);
        } else if (entity->kind == RH_ENTITY_PARAM) {
            keep_parameter(build, index);
        }
    }
}

// What is known only at the end: which parameters are used, which derivatives of variables occur.
// Equations of motion need rates and accelerations also where the text names none.
static void keep_traces(rh_build *build)
{
    rh_model *model = build->model;
    for (uint32_t index = 0; index < build->entities.count; index++) {
        const rh_entity *entity = rh__build_entity(build, index);
        if (entity->size == 0) {
            continue;
        }
        if (entity->kind == RH_ENTITY_PARAM) {
            model->parameters.data[entity->place].is_used = entity->is_used;
        } else if (entity->kind == RH_ENTITY_COORD || entity->kind == RH_ENTITY_STATE) {
            (void)rh__build_family(build, index, 1);
            (void)rh__build_family(build, index, entity->kind == RH_ENTITY_COORD ? 2 : 1);
            rh_variable *variable = entity->kind == RH_ENTITY_COORD
                                        ? &model->coordinates.data[entity->place]
                                        : &model->states.data[entity->place];
            memcpy(variable->family, entity->families, sizeof variable->family);
        }
    }
}

// --- the passes --------------------------------------------------------------------------------

static rh_status begin_names(rh_build *build)
{
    const rh_owner nobody = {0, 0};
    build->names = rh__table_begin(build->arena);
    rh__build_begin_lost(build);
    build->columns = rh__table_begin(build->arena);
    build->store = build->model->store = rh__store_create(build->arena);
    if (build->store == NULL || !rh__array_push(build->arena, &build->owners, nobody)) {
        return RH_E_MEMORY;
    }
    build->time_derivative =
        rh__derivation_create(build->store, build->arena, rh__build_seed, build);
    return build->time_derivative == NULL ? refused(build) : RH_OK;
}

// Was memory refused anywhere, so that what was read may be incomplete?
static rh_status stop_reason(const rh_build *build)
{
    if (build->arena->status != RH_OK) {
        return build->arena->status;
    }
    if (build->scratch.status != RH_OK) {
        return build->scratch.status;
    }
    const bool is_refused =
        build->store != NULL && rh__store_refusal(build->store) == RH_REFUSAL_MEMORY;
    return is_refused || build->is_starved ? RH_E_MEMORY : RH_OK;
}

static void advise(rh_build *build)
{
    if (build->model->diagnostics.error_count == 0) {
        rh__build_advise(build);
    }
}

// From here on verdicts may rest on these values.
static void watch_values(rh_build *build)
{
    rh__store_watch(build->store, RH_ROLE_PARAM);
}

static void leave_dynamics(rh_build *build)
{
    build->is_surrounding = true;
}

// Tree to model: the passes of this room, in order.
static void (*const PASSES[])(rh_build *build) = {
    rh__build_declare,     // names, bounds, loops
    keep_names,            // parameters, coordinates, states
    rh__build_definitions, // lets, quasi-velocities, defaults; laws and selection
    rh__build_values,      // of parameters, in doubles
    watch_values,          // and what is decided by them
    rh__build_dynamics,    // energies, forces, equations
    rh__build_constraints, // with realisations and perturbation laws
    leave_dynamics,        // what follows surrounds the motion
    rh__build_settings,    // start, events, observed quantities, drawings
    rh__build_scales,      // of variables
    keep_traces,           // what was used
    advise,                // legal but suspicious
};

static rh_status read_model(rh_build *build, const rh_model_def *def)
{
    RH_TRY(parse(build, def));
    RH_TRY(begin_names(build));
    for (size_t k = 0; k < sizeof PASSES / sizeof *PASSES && !build->is_stopped; k++) {
        PASSES[k](build);
        RH_TRY(stop_reason(build));
    }
    return RH_OK;
}

static rh_status build_model(rh_model *model, const rh_model_def *def)
{
    rh_build build = {.model = model, .arena = &model->arena};
    build.scratch = rh__arena_begin(model->arena.allocator, def->memory_limit);
    // a first chunk stays in scratch, or every user of it would ask the allocator for one
    const rh_status status =
        rh__arena_push(&build.scratch, 1) == NULL ? build.scratch.status : read_model(&build, def);
    rh__arena_end(&build.scratch);
    rh__diagnostics_sort(&model->diagnostics);
    model->is_sound = status == RH_OK && model->diagnostics.error_count == 0;
    return status;
}

// A text that is not too large, and a def that was made with the default function.
static rh_status check_def(const rh_model_def *def, rh_error *err)
{
    RH_REQUIRE(def != NULL && def->struct_size != 0, err);
    RH_REQUIRE(def->text != NULL || def->text_size == 0, err);
    RH_REQUIRE(def->name != NULL, err);
    RH_REQUIRE(def->allocator.alloc != NULL && def->allocator.resize != NULL, err);
    RH_REQUIRE(def->allocator.free != NULL, err);
    RH_REQUIRE(rh__strings_are_there(def->set, def->set_count), err);
    RH_REQUIRE(rh__strings_are_there(def->start, def->start_count), err);
    const bool has_by = def->struct_size >= offsetof(rh_model_def, by_count) + sizeof(size_t);
    RH_REQUIRE(!has_by || rh__strings_are_there(def->by, def->by_count), err);
    const bool has_observe =
        def->struct_size >= offsetof(rh_model_def, observe_count) + sizeof(size_t);
    RH_REQUIRE(!has_observe || rh__strings_are_there(def->observe, def->observe_count), err);
    RH_REQUIRE(def->thread_count == 0, err);
    return RH_OK;
}

static rh_guard *create_guard(const rh_model_def *def)
{
    const bool has_interrupt =
        def->struct_size >= offsetof(rh_model_def, interrupt_user) + sizeof(void *);
    return rh__guard_create(def->allocator, has_interrupt ? def->interrupt : NULL,
                            has_interrupt ? def->interrupt_user : NULL);
}

// The guard of a model that could not be made tells why, and goes.
static rh_status lose_guard(rh_guard *guard, rh_status status, rh_error *err)
{
    const rh_status told = rh__guard_explain(rh__guard_allocator(guard), status, err);
    rh__guard_destroy(guard);
    return told;
}

rh_status rh_model_create(const rh_model_def *def, rh_model **out, rh_error *err)
{
    RH_REQUIRE(out != NULL, err);
    *out = NULL;
    RH_TRY(check_def(def, err));

    // the model lives in its own arena, which this function owns until the model is whole
    rh_guard *guard = create_guard(def);
    rh_arena arena = rh__arena_begin(rh__guard_allocator(guard), def->memory_limit);
    rh_model *model = guard != NULL ? rh__arena_new(&arena, rh_model) : NULL;
    if (model == NULL) {
        const rh_status status = guard != NULL ? arena.status : RH_E_MEMORY;
        (void)rh__error_fill(err, status, "%s", rh_status_text(status));
        return lose_guard(guard, status, err);
    }
    model->guard = guard;
    model->arena = arena;
    model->values.model = model;
    model->source = rh__source_begin(&model->arena);
    model->diagnostics = rh__diagnostics_begin(&model->arena);
    const rh_status status = rh__guard_settle(arena.allocator, build_model(model, def));
    if (status != RH_OK) {
        model->guard = NULL;
        rh_model_destroy(model);
        (void)rh__error_fill(err, status, "%s", rh_status_text(status));
        return lose_guard(guard, status, err);
    }
    *out = model;
    return model->is_sound ? RH_OK
                           : rh__error_fill(err, RH_E_MODEL, "%s: %u error%s", def->name,
                                            model->diagnostics.error_count,
                                            model->diagnostics.error_count == 1 ? "" : "s");
}

void rh_model_destroy(rh_model *model)
{
    if (model != NULL) {
        rh__store_destroy(model->store);
        rh_guard *guard = model->guard;
        rh_arena arena = model->arena;
        rh__arena_end(&arena);
        rh__guard_destroy(guard);
    }
}

// --- questions ---------------------------------------------------------------------------------

bool rh_model_is_sound(const rh_model *model)
{
    return model != NULL && model->is_sound;
}

size_t rh_model_observe_count(const rh_model *model)
{
    return rh_model_is_sound(model) ? model->observes.count : 0;
}

rh_status rh_model_observe_value(const rh_model *model, size_t index, double *out, rh_error *err)
{
    RH_REQUIRE(out != NULL && index < rh_model_observe_count(model), err);
    const rh_observe *it = &model->observes.data[index];
    if ((rh__expr_mask(model->store, it->value) & ~(uint32_t)RH_ROLE_PARAM) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "%.120s is not made of numbers and parameters alone", it->name);
    }
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    const bool ok = rh__expr_values(model->store, &it->value, 1, rh__values_parameter,
                                    &model->values, &scratch, out);
    const rh_status status = ok ? RH_OK : scratch.status;
    rh__arena_end(&scratch);
    return status == RH_OK ? RH_OK : rh__error_fill(err, status, "%s", rh_status_text(status));
}

size_t rh_model_diagnostic_count(const rh_model *model)
{
    return model == NULL ? 0 : model->diagnostics.remarks.count;
}

size_t rh_model_diagnostic_dropped(const rh_model *model)
{
    return model == NULL ? 0 : model->diagnostics.dropped;
}

static rh_location locate(const rh_source *source, rh_span span)
{
    const rh_place place = rh__source_place(source, span);
    return (rh_location){.file = place.name,
                         .line = place.line,
                         .column = place.column,
                         .end_line = place.end_line,
                         .end_column = place.end_column,
                         .text = place.line_text.data,
                         .text_size = place.line_text.size};
}

rh_diagnostic rh__model_remark_in(const rh_source *source, const rh_remark *remark)
{
    rh_diagnostic diagnostic = {.code = rh__diagnostic_name(remark->code),
                                .severity = (rh_severity)rh__diagnostic_rank(remark->code),
                                .at = locate(source, remark->span),
                                .message = remark->message,
                                .repair = remark->repair,
                                .note = remark->note};
    if (remark->note != NULL) {
        diagnostic.note_at = locate(source, remark->note_span);
    }
    return diagnostic;
}

rh_diagnostic rh__model_remark(const rh_model *model, const rh_remark *remark)
{
    return rh__model_remark_in(&model->source, remark);
}

rh_diagnostic rh_model_diagnostic(const rh_model *model, size_t index)
{
    return index >= rh_model_diagnostic_count(model)
               ? (rh_diagnostic){.code = "", .message = ""}
               : rh__model_remark(model, &model->diagnostics.remarks.data[index]);
}

rh_status rh_model_dump(const rh_model *model, rh_stage stage, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(model != NULL && sink.write != NULL, err);
    if (stage != RH_STAGE_AST && stage != RH_STAGE_MODEL) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "this stage is not built yet");
    }
    if (stage == RH_STAGE_MODEL && !model->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "the model has errors");
    }
    rh_arena arena = rh__arena_begin(model->arena.allocator, model->arena.limit);
    rh_text text = rh__text_begin(&arena, &sink);
    if (stage == RH_STAGE_AST) {
        rh__tree_dump(&model->tree, &model->source, &text);
    } else {
        rh__model_describe(model, &text);
    }
    const rh_status status = rh__text_end(&text);
    rh__arena_end(&arena);
    return status == RH_OK ? status : rh__error_fill(err, status, "%s", rh_status_text(status));
}
