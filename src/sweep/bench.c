// SPDX-License-Identifier: Apache-2.0
// A worker: one thread's own models, equations and motions. A bench is one of each; a member is put
// on a bench by beginning its motion anew with other numbers. Only where other equations hold for
// them is the text read and derived again, on a bench of its own.

#include "sweep/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clear(rh_bench *it)
{
    if (it->motion != NULL) {
        rh__glance_destroy(&it->glance);
    }
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (rh_bench){.motion = NULL};
}

// --- making --------------------------------------------------------------------------------------

static bool reserve(rh_worker *worker)
{
    const rh_sweep *sweep = worker->sweep;
    const rh_plan *plan = &sweep->plan;
    rh_arena *arena = &worker->arena;
    worker->set_count = sweep->model.set_count;
    worker->start_count = sweep->model.start_count;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        worker->set_count += !plan->spreads.data[k].is_start;
        worker->start_count += plan->spreads.data[k].is_start;
    }
    worker->set = rh__arena_array(arena, double, worker->set_count + 1);
    worker->start = rh__arena_array(arena, double, worker->start_count + 1);
    worker->set_texts = rh__arena_array(arena, const char *, worker->set_count + 1);
    worker->start_texts = rh__arena_array(arena, const char *, worker->start_count + 1);
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const size_t room = strlen(plan->spreads.data[k].name) + RH_WORKER_NUMBER;
        worker->text_room = room > worker->text_room ? room : worker->text_room;
    }
    worker->texts = rh__arena_array(arena, char, plan->spreads.count * worker->text_room + 1);
    worker->row.values = rh__arena_array(arena, double, rh__plan_width(plan) + 1);
    if (arena->status != RH_OK) {
        return false;
    }
    for (size_t k = 0; k < sweep->model.set_count; k++) {
        worker->set[k] = (double)NAN;
        worker->set_texts[k] = sweep->model.set[k];
    }
    for (size_t k = 0; k < sweep->model.start_count; k++) {
        worker->start[k] = (double)NAN;
        worker->start_texts[k] = sweep->model.start[k];
    }
    return rh__follower_create(plan, sweep->motion.tolerance, arena, &worker->follower) == RH_OK;
}

rh_worker *rh__worker_create(const rh_sweep *sweep, atomic_bool *is_stopped)
{
    rh_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        return NULL;
    }
    worker->sweep = sweep;
    worker->is_stopped = is_stopped;
    worker->motion = sweep->motion;
    worker->arena = rh__arena_begin(sweep->model.allocator, sweep->model.memory_limit);
    if (!reserve(worker)) {
        rh__worker_destroy(worker);
        return NULL;
    }
    return worker;
}

void rh__worker_destroy(rh_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    rh__flock_destroy(&worker->flock);
    for (size_t k = 0; k < RH_WORKER_BENCHES; k++) {
        clear(&worker->benches[k]);
    }
    rh__arena_end(&worker->arena);
    free(worker);
}

// --- the numbers of a member ---------------------------------------------------------------------

static void turn_dials(rh_worker *worker)
{
    const rh_plan *plan = &worker->sweep->plan;
    size_t set = worker->sweep->model.set_count;
    size_t start = worker->sweep->model.start_count;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const double value = worker->row.values[k];
        if (plan->spreads.data[k].is_start) {
            worker->start[start++] = value;
        } else {
            worker->set[set++] = value;
        }
    }
}

// The same as settings of a text. Seventeen digits are this number and no other.
static void write_settings(rh_worker *worker)
{
    const rh_plan *plan = &worker->sweep->plan;
    size_t set = worker->sweep->model.set_count;
    size_t start = worker->sweep->model.start_count;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        char *text = worker->texts + k * worker->text_room;
        const int size =
            rh__text_fill(text, worker->text_room, "%s=%.17g", it->name, worker->row.values[k]);
        RH_ASSERT(size > 0 && (size_t)size < worker->text_room);
        if (it->is_start) {
            worker->start_texts[start++] = text;
        } else {
            worker->set_texts[set++] = text;
        }
    }
}

// --- failures ------------------------------------------------------------------------------------

static void fail(rh_worker *worker, const char *code, const char *reason)
{
    rh_member_row *row = &worker->row;
    row->stop = RH_STOP_FAILED;
    (void)rh__text_fill(row->code, sizeof row->code, "%s", code);
    (void)rh__text_fill(row->reason, sizeof row->reason, "%s", reason);
}

// "E407: the start contradicts ...": the code of a message, if it has one.
void rh__worker_fail(rh_worker *worker, const char *message)
{
    char code[8] = "";
    const size_t size = strcspn(message, ":");
    const bool has_code = size > 1 && size < sizeof code && message[0] == 'E' &&
                          strspn(message + 1, "0123456789") == size - 1 && message[size] == ':';
    if (has_code) {
        memcpy(code, message, size);
        code[size] = '\0';
    }
    fail(worker, code, has_code ? message + size + 1 + (message[size + 1] == ' ') : message);
}

// The first error among remarks.
static bool fail_by_model(rh_worker *worker, const rh_bench *it)
{
    const size_t own = rh_model_diagnostic_count(it->model);
    const size_t count = it->equations == NULL ? 0 : rh_equations_diagnostic_count(it->equations);
    for (size_t k = 0; k < own + count; k++) {
        const rh_diagnostic remark = k < own ? rh_model_diagnostic(it->model, k)
                                             : rh_equations_diagnostic(it->equations, k - own);
        if (remark.severity == RH_SEVERITY_ERROR) {
            fail(worker, remark.code, remark.message);
            return true;
        }
    }
    return false;
}

// --- benches -------------------------------------------------------------------------------------

static rh_expr find_observe(const rh_model *model, const char *name)
{
    for (uint32_t k = 0; k < model->observes.count; k++) {
        if (strcmp(model->observes.data[k].name, name) == 0) {
            return model->observes.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

// The deviation of a constraint, by its name with index.
static rh_expr find_deviation(const rh_equations *equations, const char *name)
{
    rh_expr found = RH_EXPR_NONE;
    rh_arena scratch = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    for (uint32_t k = 0; found.i == 0 && k < equations->links.count; k++) {
        rh_text text = rh__text_begin(&scratch, NULL);
        rh__link_name(equations, &equations->links.data[k], &text);
        if (rh__slice_is(rh__text_slice(&text), name)) {
            found = equations->links.data[k].levels[0];
        }
    }
    rh__arena_end(&scratch);
    return found;
}

// The expressions of all sources in this model.
static rh_status find_sources(const rh_sweep *sweep, const rh_bench *it, rh_expr *out,
                              rh_error *err)
{
    const rh_plan *plan = &sweep->plan;
    size_t asked = it->model->observes.count - sweep->observe_count;
    for (uint32_t k = 0; k < plan->sources.count; k++) {
        const rh_source_text *source = &plan->sources.data[k];
        out[k] = source->is_deviation  ? find_deviation(it->equations, source->text)
                 : source->is_observed ? find_observe(it->model, source->text)
                                       : it->model->observes.data[asked++].value;
        if (out[k].i == 0) {
            return rh__error_fill(err, RH_E_MODEL, "there is no %s%s to be observed",
                                  source->is_deviation ? "dev." : "", source->text);
        }
    }
    return RH_OK;
}

rh_status rh__bench_look(const rh_sweep *sweep, const rh_bench *it, rh_motion *motion,
                         rh_glance *out, rh_error *err)
{
    rh_expr *sources = calloc((size_t)sweep->plan.sources.count + 1, sizeof *sources);
    if (sources == NULL) {
        return RH_E_MEMORY;
    }
    rh_status status = find_sources(sweep, it, sources, err);
    if (status == RH_OK) {
        status = rh__glance_create(motion, sources, sweep->plan.sources.count, out, err);
    }
    free(sources);
    return status;
}

static rh_status make(const rh_worker *worker, rh_bench *it, rh_error *err)
{
    const rh_sweep *sweep = worker->sweep;
    rh_model_def def = sweep->model;
    def.set = worker->set_texts;
    def.set_count = worker->set_count;
    def.start = worker->start_texts;
    def.start_count = worker->start_count;
    def.observe = sweep->observe;
    def.observe_count = sweep->observe_count;
    RH_TRY(rh_model_create(&def, &it->model, err));
    RH_TRY(rh_equations_create(it->model, &sweep->equations, &it->equations, err));
    RH_TRY(rh_motion_create(it->equations, &worker->motion, &it->motion, err));
    RH_TRY(rh__motion_is_determined(it->motion, err));
    return rh__bench_look(sweep, it, it->motion, &it->glance, err);
}

rh_status rh__worker_restart(const rh_worker *worker, rh_motion *motion, rh_glance *glance,
                             rh_error *err)
{
    RH_TRY(rh_motion_restart(motion, worker->set, worker->set_count, worker->start,
                             worker->start_count, err));
    RH_TRY(rh__motion_is_determined(motion, err));
    return rh__glance_bind(glance);
}

// The bench that was used last before that time; NULL: there is none.
static rh_bench *next_bench(rh_worker *worker, uint64_t before)
{
    rh_bench *found = NULL;
    for (size_t k = 0; k < RH_WORKER_BENCHES; k++) {
        rh_bench *it = &worker->benches[k];
        if (it->motion != NULL && it->used < before && (found == NULL || it->used > found->used)) {
            found = it;
        }
    }
    return found;
}

// The one that was not used for longest; not the one whose equations a flock has.
static rh_bench *free_bench(rh_worker *worker)
{
    rh_bench *found = NULL;
    for (size_t k = 0; k < RH_WORKER_BENCHES; k++) {
        rh_bench *it = &worker->benches[k];
        const bool is_lent = it->motion != NULL && it == worker->flock.bench;
        found = !is_lent && (found == NULL || it->used < found->used) ? it : found;
    }
    clear(found);
    return found;
}

bool rh__worker_is_fatal(rh_status status)
{
    return status == RH_E_MEMORY || status == RH_E_ARGUMENT || status == RH_E_WRITE ||
           status == RH_E_INTERRUPTED;
}

static rh_status make_bench(rh_worker *worker, rh_bench **out)
{
    rh_error err = {.message = ""};
    rh_bench *it = free_bench(worker);
    write_settings(worker);
    const rh_status status = make(worker, it, &err);
    if (status == RH_OK) {
        *out = it;
        return RH_OK;
    }
    if (status != RH_E_MODEL || it->motion != NULL || !fail_by_model(worker, it)) {
        rh__worker_fail(worker, err.message[0] != '\0' ? err.message : rh_status_text(status));
    }
    clear(it);
    return rh__worker_is_fatal(status) ? status : RH_OK;
}

// A bench with the member on it; NULL: it has failed, and the row says why.
static rh_status find_bench(rh_worker *worker, rh_bench **out)
{
    *out = NULL;
    for (rh_bench *it = next_bench(worker, UINT64_MAX); it != NULL;
         it = next_bench(worker, it->used)) {
        rh_error err = {.message = ""};
        const rh_status status = rh__worker_restart(worker, it->motion, &it->glance, &err);
        if (status == RH_OK) {
            it->used = ++worker->now;
            *out = it;
            return RH_OK;
        }
        if (status != RH_E_UNAVAILABLE) {
            rh__worker_fail(worker, err.message);
            return rh__worker_is_fatal(status) ? status : RH_OK;
        }
    }
    RH_TRY(make_bench(worker, out));
    if (*out != NULL) {
        (*out)->used = ++worker->now;
    }
    return RH_OK;
}

// --- members -------------------------------------------------------------------------------------

// Once is enough.
static void note_tier(rh_worker *worker, const rh_motion *motion)
{
    if (worker->motion.tier == RH_TIER_EMITTED && worker->tier_reason[0] == '\0' &&
        motion->step->kernel == NULL && rh_motion_tier_matters(motion)) {
        (void)rh__text_fill(worker->tier_reason, sizeof worker->tier_reason, "%s",
                            rh_motion_tier_reason(motion));
    }
}

const char *rh__worker_tier_reason(const rh_worker *worker)
{
    return worker->tier_reason;
}

void rh__worker_note(rh_worker *worker, const rh_glance *glance, double begin)
{
    rh_member_row *row = &worker->row;
    const rh_motion *motion = glance->motion;
    note_tier(worker, motion);
    row->time = rh_motion_time(motion);
    row->steps = motion->steps;
    row->events = rh_motion_occurrence_count(motion);
    if (row->stop == RH_STOP_FAILED) {
        fail(worker, rh_motion_reason_code(motion), rh_motion_reason(motion));
    }
    rh__follower_end(&worker->follower, glance, row->time - begin,
                     row->values + worker->sweep->plan.spreads.count);
}

static rh_status move(rh_worker *worker, rh_bench *it)
{
    rh_member_row *row = &worker->row;
    rh_motion *motion = it->motion;
    const double begin = rh_motion_time(motion);
    const double until = worker->sweep->until;
    rh_error err = {.message = ""};
    row->time = begin;
    if (begin > until) {
        fail(worker, "", "the motion begins after the time it shall reach");
        return RH_OK;
    }
    rh__follower_begin(&worker->follower, &it->glance);
    row->stop = RH_STOP_NONE;
    while (row->stop == RH_STOP_NONE && !atomic_load(worker->is_stopped)) {
        RH_TRY(rh_motion_step(motion, until, &row->stop, &err));
        RH_TRY(rh__follower_step(&worker->follower, &it->glance));
    }
    rh__worker_note(worker, &it->glance, begin);
    return RH_OK;
}

void rh__worker_turn(rh_worker *worker, uint64_t member)
{
    const rh_plan *plan = &worker->sweep->plan;
    rh_member_row *row = &worker->row;
    rh__plan_values(plan, member, row->values);
    for (uint32_t k = 0; k < plan->reductions.count; k++) {
        row->values[plan->spreads.count + k] = (double)NAN;
    }
    row->time = (double)NAN;
    row->steps = row->events = 0;
    row->code[0] = row->reason[0] = '\0';
    turn_dials(worker);
}

rh_status rh__worker_member(rh_worker *worker, uint64_t member)
{
    rh_bench *it = NULL;
    rh__worker_turn(worker, member);
    RH_TRY(find_bench(worker, &it));
    return it != NULL ? move(worker, it) : RH_OK;
}

// Does compiling pay for all members together? Some of them tell, spread over the plan and the same
// whoever asks: by so many steps as would be each one's share.
enum { MOST_PILOTS = 8, MEMBERS_PER_PILOT = 64 };

// One of them goes as far as `wanted` steps of all are not reached.
static rh_status fly(rh_worker *worker, rh_motion *motion, uint64_t wanted, uint64_t *steps)
{
    rh_stop stop = RH_STOP_NONE;
    rh_error err = {.message = ""};
    while (stop == RH_STOP_NONE && *steps + motion->steps < wanted &&
           motion->t < worker->sweep->until && !atomic_load(worker->is_stopped)) {
        RH_TRY(rh_motion_step(motion, worker->sweep->until, &stop, &err));
    }
    *steps += motion->steps;
    return RH_OK;
}

static rh_status fly_ahead(rh_worker *worker)
{
    const uint64_t members = worker->sweep->plan.member_count;
    const uint64_t most = 1 + members / MEMBERS_PER_PILOT;
    const uint64_t pilots = most < MOST_PILOTS ? most : MOST_PILOTS;
    uint64_t steps = 0;
    uint64_t wanted = UINT64_MAX;
    if (worker->is_piloted || rh__tier_asked(&worker->motion) != RH_TIER_AUTO) {
        return RH_OK;
    }
    worker->is_piloted = true;
    worker->motion.tier = RH_TIER_INTERPRETED;
    for (uint64_t k = 0; k < pilots && steps < wanted; k++) {
        rh_bench *it = NULL;
        rh__worker_turn(worker, members / pilots * k);
        RH_TRY(find_bench(worker, &it));
        if (it != NULL && !rh__motion_can_restart(it->equations)) {
            return RH_OK;
        }
        if (it != NULL) {
            wanted = pilots * (rh__tier_worth(it->motion) / members + 1);
            RH_TRY(fly(worker, it->motion, wanted, &steps));
        }
    }
    if (steps >= wanted) {
        worker->motion.tier = RH_TIER_EMITTED;
        for (uint32_t k = 0; k < RH_WORKER_BENCHES; k++) {
            clear(&worker->benches[k]); // they are made anew
        }
    }
    return RH_OK;
}

// Once there is a bench: can its members go side by side?
static rh_status look_for_flock(rh_worker *worker)
{
    const rh_bench *it = next_bench(worker, UINT64_MAX);
    if (worker->has_looked || it == NULL) {
        return RH_OK;
    }
    worker->has_looked = true;
    return rh__flock_create(worker, it);
}

// Members of a block one by one, until there is a flock; how many.
static rh_status go_alone(rh_worker *worker, uint64_t first, uint64_t count, rh_bytes *out,
                          uint64_t *out_count)
{
    const rh_plan *plan = &worker->sweep->plan;
    *out_count = 0;
    RH_TRY(fly_ahead(worker));
    RH_TRY(look_for_flock(worker));
    while (*out_count < count && worker->flock.lanes == 0 && !atomic_load(worker->is_stopped)) {
        RH_TRY(rh__worker_member(worker, first + *out_count));
        if (atomic_load(worker->is_stopped)) {
            return RH_OK;
        }
        RH_TRY(rh__row_write(&worker->row, rh__plan_width(plan), out) ? RH_OK : RH_E_MEMORY);
        ++*out_count;
        RH_TRY(look_for_flock(worker));
    }
    return RH_OK;
}

void rh__worker_run(rh_worker *worker, const rh_supply *supply)
{
    const rh_plan *plan = &worker->sweep->plan;
    rh_parcel *parcel = supply->take(supply->user, true);
    for (; parcel != NULL; parcel = supply->take(supply->user, true)) {
        const uint64_t count = rh__plan_members(plan, parcel->block);
        uint64_t done = 0;
        parcel->status =
            go_alone(worker, parcel->block * plan->block_size, count, &parcel->bytes, &done);
        if (parcel->status == RH_OK && worker->flock.lanes > 0 && done < count) {
            rh__flock_run(worker, supply, parcel, done);
        } else {
            supply->hand_back(supply->user, parcel, done == count || parcel->status != RH_OK);
        }
    }
}
