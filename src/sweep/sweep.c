// SPDX-License-Identifier: Apache-2.0
// A sweep: the model is read as it is written, to know its names; numbers of ranges are evaluated
// in it; then it is read with the numbers of member 0, to see whether what is varied and observed
// can be. Workers read it again, each for itself.

#include "sweep/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- texts of the def ----------------------------------------------------------------------------

static const char **copy_texts(rh_arena *arena, const char *const *texts, size_t count)
{
    const char **copy = rh__arena_array(arena, const char *, count + 1);
    for (size_t k = 0; copy != NULL && k < count; k++) {
        copy[k] = rh__slice_copy(arena, rh__slice_of(texts[k]));
    }
    return copy;
}

static rh_status copy_model(rh_sweep *sweep, const rh_model_def *def, rh_error *err)
{
    rh_arena *arena = &sweep->arena;
    RH_REQUIRE(def->struct_size == sizeof *def && def->name != NULL, err);
    RH_REQUIRE(def->text != NULL || def->text_size == 0, err);
    RH_REQUIRE(def->observe_count == 0, err);
    RH_REQUIRE(rh__strings_are_there(def->set, def->set_count), err);
    RH_REQUIRE(rh__strings_are_there(def->start, def->start_count), err);
    RH_REQUIRE(rh__strings_are_there(def->by, def->by_count), err);
    sweep->model = *def;
    sweep->model.name = rh__slice_copy(arena, rh__slice_of(def->name));
    sweep->model.text =
        rh__slice_copy(arena, (rh_slice){def->text_size > 0 ? def->text : "", def->text_size});
    sweep->model.set = copy_texts(arena, def->set, def->set_count);
    sweep->model.start = copy_texts(arena, def->start, def->start_count);
    sweep->model.by = copy_texts(arena, def->by, def->by_count);
    return arena->status;
}

// --- reading the model ---------------------------------------------------------------------------

// The model with one more setting, or as it is.
static rh_status read_with(const rh_sweep *sweep, const char *setting, bool is_start,
                           rh_model **out, rh_error *err)
{
    rh_model_def def = sweep->model;
    const size_t count = is_start ? def.start_count : def.set_count;
    const char **texts = calloc(count + 1, sizeof *texts);
    *out = NULL;
    if (texts == NULL) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    for (size_t k = 0; k < count; k++) {
        texts[k] = is_start ? def.start[k] : def.set[k];
    }
    texts[count] = setting;
    if (is_start) {
        def.start = texts;
        def.start_count += setting != NULL;
    } else {
        def.set = texts;
        def.set_count += setting != NULL;
    }
    const rh_status status = rh_model_create(&def, out, err);
    free(texts);
    return status;
}

// What is varied reads as settings of the model; messages call it by the option it came from.
static void name_parts(const rh_sweep *sweep, const rh_model *model, const rh_spread *only)
{
    const rh_plan *plan = &sweep->plan;
    size_t sets = 0;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        sets += !it->is_start && (only == NULL || only == it);
    }
    size_t set = 1 + sweep->model.set_count; // after the text itself
    size_t start = set + sets + sweep->model.start_count;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        if (only == NULL || only == it) {
            const size_t at = it->is_start ? start++ : set++;
            RH_ASSERT(at < model->source.parts.count);
            model->source.parts.data[at].name = it->kind == RH_SPREAD_GRID ? "--grid" : "--random";
        }
    }
}

static void look_at(rh_sweep *sweep, rh_model *model)
{
    rh_model_destroy(sweep->looked_at);
    sweep->looked_at = model;
}

// A parameter, by the part of the name before index and primes?
static bool is_parameter(const rh_model *model, const char *name)
{
    const rh_slice base = {name, strcspn(name, "[' ")};
    for (uint32_t k = 0; model != NULL && k < model->parameters.count; k++) {
        if (rh__slice_equal(model->parameters.data[k].name, base)) {
            return strchr(name, '\'') == NULL;
        }
    }
    return false;
}

// A plain number needs no model.
static bool read_number(const char *text, double *out)
{
    char *end = NULL;
    *out = rh__text_number(text, &end);
    return text[0] != '\0' && strspn(text, "0123456789.eE+-") == strlen(text) && *end == '\0';
}

static rh_status find_number(rh_sweep *sweep, const rh_spread *it, const char *text, double *out,
                             rh_error *err)
{
    if (read_number(text, out)) {
        return RH_OK;
    }
    rh_model *model = NULL;
    const char *setting = rh__text_print(&sweep->arena, "%s=%s", it->name, text);
    const size_t dial = it->is_start ? sweep->model.start_count : sweep->model.set_count;
    const rh_status status = read_with(sweep, setting, it->is_start, &model, err);
    if (model != NULL && status != RH_OK) {
        name_parts(sweep, model, it);
        look_at(sweep, model);
        return status;
    }
    *out = status == RH_OK ? rh__model_dial(model, it->is_start, (uint32_t)dial) : (double)NAN;
    rh_model_destroy(model);
    return status;
}

static rh_status find_numbers(rh_sweep *sweep, rh_error *err)
{
    for (uint32_t k = 0; k < sweep->plan.spreads.count; k++) {
        rh_spread *it = &sweep->plan.spreads.data[k];
        it->is_start = !is_parameter(sweep->looked_at, it->name);
    }
    for (uint32_t k = 0; k < sweep->plan.spreads.count; k++) {
        rh_spread *it = &sweep->plan.spreads.data[k];
        RH_TRY(find_number(sweep, it, it->first_text, &it->first, err));
        RH_TRY(find_number(sweep, it, it->second_text, &it->second, err));
    }
    return RH_OK;
}

// --- what is observed ----------------------------------------------------------------------------

static rh_status observe_symbol(rh_sweep *sweep, rh_family family, uint32_t member)
{
    rh_text text = rh__text_begin(&sweep->arena, NULL);
    rh__family_show(sweep->looked_at->store, family, member, &text);
    return rh__plan_reduce(&sweep->plan, RH_REDUCTION_FINAL, rh__text_slice(&text), &sweep->arena);
}

// Without a wish: where all coordinates, states and velocities are at the end.
static rh_status observe_all(rh_sweep *sweep)
{
    const rh_model *model = sweep->looked_at;
    for (uint32_t g = 0; g < 3; g++) {
        const bool is_state = g == 1;
        const uint32_t count = is_state ? model->states.count : model->coordinates.count;
        const rh_variable *list = is_state ? model->states.data : model->coordinates.data;
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t member = 0; member < list[k].size; member++) {
                RH_TRY(observe_symbol(sweep, list[k].family[g == 2], member));
            }
        }
    }
    return RH_OK;
}

static bool is_observed(const rh_model *model, const char *text)
{
    bool is_there = false;
    for (uint32_t k = 0; !is_there && k < model->observes.count; k++) {
        is_there = strcmp(model->observes.data[k].name, text) == 0;
    }
    return is_there;
}

static rh_status list_observed(rh_sweep *sweep)
{
    const rh_plan *plan = &sweep->plan;
    for (uint32_t k = 0; k < plan->sources.count; k++) {
        rh_source_text *source = &plan->sources.data[k];
        source->is_observed = !source->is_deviation && is_observed(sweep->looked_at, source->text);
    }
    sweep->observe = rh__arena_array(&sweep->arena, const char *, (size_t)plan->sources.count + 1);
    for (uint32_t k = 0; sweep->observe != NULL && k < plan->sources.count; k++) {
        if (!plan->sources.data[k].is_deviation && !plan->sources.data[k].is_observed) {
            sweep->observe[sweep->observe_count++] = plan->sources.data[k].text;
        }
    }
    sweep->columns = rh__arena_array(&sweep->arena, const char *, rh__plan_width(plan) + 1);
    for (uint32_t k = 0; sweep->columns != NULL && k < plan->spreads.count; k++) {
        sweep->columns[k] = plan->spreads.data[k].name;
    }
    for (uint32_t k = 0; sweep->columns != NULL && k < plan->reductions.count; k++) {
        sweep->columns[plan->spreads.count + k] = plan->reductions.data[k].name;
    }
    RH_ASSERT(sweep->observe_count <= plan->sources.count);
    return sweep->arena.status;
}

// --- trying --------------------------------------------------------------------------------------

// Is something wrong with what the call wrote, and not only with the numbers of a member?
static bool has_wrong_call(const rh_model *model)
{
    for (size_t k = 0; k < rh_model_diagnostic_count(model); k++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, k);
        if (remark.severity == RH_SEVERITY_ERROR && remark.at.file[0] == '-' &&
            remark.at.file[1] == '-') {
            return true;
        }
    }
    return false;
}

static rh_status check_deviations(const rh_sweep *sweep, rh_error *err)
{
    const rh_model *model = sweep->looked_at;
    for (uint32_t k = 0; k < sweep->plan.sources.count; k++) {
        const rh_source_text *source = &sweep->plan.sources.data[k];
        const rh_slice name = {source->text, strcspn(source->text, "[")};
        bool is_there = !source->is_deviation;
        for (uint32_t c = 0; !is_there && c < model->constraints.count; c++) {
            is_there = rh__slice_equal(model->constraints.data[c].row.name, name);
        }
        if (!is_there) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "--observe dev.%.100s: the model has no constraint of that name",
                                  source->text);
        }
    }
    return RH_OK;
}

// Read the model as the first member will.
static rh_status try_first(rh_sweep *sweep, rh_error *err)
{
    const rh_plan *plan = &sweep->plan;
    rh_model_def def = sweep->model;
    const size_t room = def.set_count + def.start_count + plan->spreads.count + 1;
    const char **set = rh__arena_array(&sweep->arena, const char *, room);
    const char **start = rh__arena_array(&sweep->arena, const char *, room);
    double values[RH_SWEEP_SPREADS];
    RH_TRY(sweep->arena.status);
    memcpy(set, def.set, def.set_count * sizeof *set);
    memcpy(start, def.start, def.start_count * sizeof *start);
    rh__plan_values(plan, 0, values);
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        const char **at = it->is_start ? &start[def.start_count++] : &set[def.set_count++];
        *at = rh__text_print(&sweep->arena, "%s=%.17g", it->name, values[k]);
    }
    def.set = set;
    def.start = start;
    def.observe = sweep->observe;
    def.observe_count = sweep->observe_count;
    RH_TRY(check_deviations(sweep, err));
    rh_model *model = NULL;
    const rh_status status = rh_model_create(&def, &model, err);
    if (model == NULL) {
        return status;
    }
    name_parts(sweep, model, NULL);
    look_at(sweep, model);
    return has_wrong_call(model) ? status : RH_OK;
}

// Where the model says in plain numbers when a motion begins, that is not after its end.
static rh_status check_until(const rh_sweep *sweep, rh_error *err)
{
    RH_ASSERT(sweep->looked_at != NULL);
    const rh_model *model = sweep->looked_at;
    const rh_expr time = rh__expr_symbol(model->store, model->time, 0);
    const rh_slice name = rh__family_def(model->store, model->time)->name;
    double begin = 0.0;
    for (uint32_t k = 0; k < model->starts.count; k++) {
        const rh_setting *it = &model->starts.data[k];
        if (it->is_symbol && it->place.i == time.i) {
            begin = rh__expr_is_number(model->store, it->value)
                        ? rh__expr_number_value(model->store, it->value)
                        : (double)NAN;
        }
    }
    for (uint32_t k = 0; k < sweep->plan.spreads.count; k++) {
        begin = rh__slice_is(name, sweep->plan.spreads.data[k].name) ? (double)NAN : begin;
    }
    return sweep->until < begin
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "the motions begin at t = %.17g, and --until %.17g is before it",
                                begin, sweep->until)
               : RH_OK;
}

// --- making --------------------------------------------------------------------------------------

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return rh__hash_bytes(text, strlen(text) + 1, hash);
}

static uint64_t mix_texts(uint64_t hash, const char *const *texts, size_t count)
{
    hash = rh__hash_bytes(&count, sizeof count, hash);
    for (size_t k = 0; k < count; k++) {
        hash = mix_text(hash, texts[k]);
    }
    return hash;
}

// Everything that the numbers in the record depend on.
static uint64_t mix_all(const rh_sweep *sweep)
{
    const rh_plan *plan = &sweep->plan;
    const rh_model_def *model = &sweep->model;
    const rh_motion_def *motion = &sweep->motion;
    const double numbers[] = {sweep->until, motion->tolerance, motion->drift};
    const uint64_t words[] = {plan->seed,
                              plan->draws,
                              motion->order,
                              motion->step_limit,
                              (uint64_t)motion->method,
                              (uint64_t)motion->tier,
                              sweep->equations.has_presolve,
                              sweep->equations.is_start_repaired,
                              motion->is_abreast};
    uint64_t hash = rh__hash_bytes(model->text, model->text_size, 0);
    hash = mix_text(hash, rh_version());
    hash = mix_texts(hash, model->set, model->set_count);
    hash = mix_texts(hash, model->start, model->start_count);
    hash = mix_texts(hash, model->by, model->by_count);
    hash = mix_texts(hash, sweep->columns, rh__plan_width(plan));
    hash = rh__hash_bytes(numbers, sizeof numbers, hash);
    hash = rh__hash_bytes(words, sizeof words, hash);
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        const double ends[] = {it->first, it->second};
        const uint64_t kind[] = {(uint64_t)it->kind, it->count};
        hash = rh__hash_bytes(ends, sizeof ends, hash);
        hash = rh__hash_bytes(kind, sizeof kind, hash);
    }
    for (size_t k = 0; k < motion->tolerance_count; k++) {
        hash = mix_text(hash, motion->tolerances[k].name);
        hash = rh__hash_bytes(&motion->tolerances[k].value, sizeof(double), hash);
    }
    for (size_t k = 0; k < motion->feed_count; k++) {
        const rh_feed *feed = &motion->feeds[k];
        hash = rh__hash_bytes(feed->times, feed->count * sizeof *feed->times, hash);
        hash = rh__hash_bytes(feed->values, feed->count * sizeof *feed->values, hash);
    }
    return hash;
}

static rh_status build(rh_sweep *sweep, const rh_sweep_def *def, rh_error *err)
{
    RH_TRY(copy_model(sweep, &def->model, err));
    RH_REQUIRE(isfinite(def->until), err);
    RH_REQUIRE(def->lane_count <= 1 || def->lane_count == 4 || def->lane_count == 8, err);
    sweep->equations = def->equations;
    sweep->motion = def->motion;
    sweep->until = def->until;
    sweep->thread_count = def->thread_count;
    sweep->lane_count = def->lane_count;
    sweep->ranks = def->ranks;
    RH_TRY(rh__plan_read(&sweep->plan, def, &sweep->arena, err));
    RH_TRY(read_with(sweep, NULL, false, &sweep->looked_at, err));
    RH_TRY(find_numbers(sweep, err));
    RH_TRY(rh__plan_count(&sweep->plan, def, err));
    if (def->observe == NULL) {
        RH_TRY(observe_all(sweep));
    }
    RH_TRY(list_observed(sweep));
    sweep->motion.is_abreast = rh__plan_is_final(&sweep->plan); // wherever lanes are
    RH_TRY(try_first(sweep, err));
    RH_TRY(check_until(sweep, err));
    sweep->fingerprint = mix_all(sweep);
    return RH_OK;
}

rh_status rh_sweep_create(const rh_sweep_def *def, rh_sweep **out, rh_error *err)
{
    RH_REQUIRE(def != NULL && out != NULL && def->struct_size == sizeof *def, err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(def->model.allocator, def->model.memory_limit);
    rh_sweep *sweep = rh__arena_new(&arena, rh_sweep);
    char *tier_reason = rh__arena_array(&arena, char, RH_SWEEP_REASON);
    if (sweep == NULL || tier_reason == NULL) {
        rh__arena_end(&arena);
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    sweep->arena = arena;
    sweep->tier_reason = tier_reason;
    rh_error reason = {.message = ""};
    const rh_status status = build(sweep, def, &reason);
    if (status == RH_OK || (status == RH_E_MODEL && sweep->looked_at != NULL)) {
        *out = sweep;
    } else {
        rh_sweep_destroy(sweep);
    }
    return status == RH_OK ? RH_OK
                           : rh__error_fill(err, status, "%s",
                                            reason.message[0] != '\0' ? reason.message
                                                                      : rh_status_text(status));
}

// --- reading members -----------------------------------------------------------------------------

typedef struct rh_reader {
    rh_bytes bytes; // of the block at hand
    size_t at;
    uint64_t next; // member
    rh_member_row row;
} rh_reader;

void rh_sweep_destroy(rh_sweep *sweep)
{
    if (sweep == NULL) {
        return;
    }
    if (sweep->reader != NULL) {
        rh__bytes_free(&sweep->reader->bytes);
    }
    rh__ledger_close(sweep->ledger);
    rh_model_destroy(sweep->looked_at);
    rh_arena arena = sweep->arena;
    rh__arena_end(&arena);
}

const char *rh_sweep_tier_reason(const rh_sweep *sweep)
{
    return sweep->tier_reason;
}

void rh_sweep_rewind(rh_sweep *sweep)
{
    if (sweep->reader != NULL) {
        sweep->reader->next = 0;
    }
}

static rh_status begin_reading(rh_sweep *sweep, rh_error *err)
{
    if (sweep->reader == NULL) {
        rh_reader *reader = rh__arena_new(&sweep->arena, rh_reader);
        double *values = rh__arena_array(&sweep->arena, double, rh__plan_width(&sweep->plan) + 1);
        if (reader == NULL || values == NULL) {
            return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
        }
        reader->row.values = values;
        sweep->reader = reader;
    }
    return RH_OK;
}

rh_status rh_sweep_next(rh_sweep *sweep, rh_sweep_member *out, bool *out_is_there, rh_error *err)
{
    RH_REQUIRE(sweep != NULL && out != NULL && out_is_there != NULL && sweep->ledger != NULL, err);
    RH_TRY(begin_reading(sweep, err));
    const rh_plan *plan = &sweep->plan;
    rh_reader *reader = sweep->reader;
    *out_is_there = reader->next < plan->member_count;
    if (!*out_is_there) {
        return RH_OK;
    }
    if (reader->next % plan->block_size == 0) {
        RH_TRY(rh__ledger_get(sweep->ledger, reader->next / plan->block_size, &reader->bytes, err));
        reader->at = 0;
    }
    if (!rh__row_read(&reader->row, rh__plan_width(plan), &reader->bytes, &reader->at)) {
        return rh__error_fill(err, RH_E_WRITE, "the record of the sweep is damaged");
    }
    *out = (rh_sweep_member){.number = reader->next++,
                             .values = reader->row.values,
                             .stop = reader->row.stop,
                             .time = reader->row.time,
                             .steps = reader->row.steps,
                             .events = reader->row.events,
                             .code = reader->row.code,
                             .reason = reader->row.reason};
    return RH_OK;
}

// --- questions -----------------------------------------------------------------------------------

rh_status rh_sweep_run(rh_sweep *sweep, const rh_sweep_run_def *def, uint64_t *out_done,
                       rh_error *err)
{
    RH_REQUIRE(sweep != NULL && def != NULL && out_done != NULL && sweep->ledger == NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def, err);
    RH_REQUIRE(def->record != NULL || !def->is_resumed, err);
    RH_REQUIRE(sweep->fingerprint != 0, err);
    *out_done = 0;
    return rh__ranks_run(sweep, def, out_done, err);
}

void rh_sweep_forget(rh_sweep *sweep)
{
    rh__ledger_remove(sweep->ledger);
}

const rh_model *rh_sweep_model(const rh_sweep *sweep)
{
    return sweep->looked_at;
}

uint64_t rh_sweep_member_count(const rh_sweep *sweep)
{
    return sweep->plan.member_count;
}

size_t rh_sweep_varied_count(const rh_sweep *sweep)
{
    return sweep->plan.spreads.count;
}

size_t rh_sweep_column_count(const rh_sweep *sweep)
{
    return rh__plan_width(&sweep->plan);
}

const char *rh_sweep_column_name(const rh_sweep *sweep, size_t index)
{
    return index < rh__plan_width(&sweep->plan) ? sweep->columns[index] : "";
}
