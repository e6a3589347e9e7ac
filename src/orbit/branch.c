// SPDX-License-Identifier: Apache-2.0
// A branch: orbits over a parameter, one step of pseudo-arclength after the other, with the places
// between them where the parameter turns round or stability may change.

#include "orbit/orbit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { QUICK = 4, SLOW = 7 }; // rounds of Newton's method after which steps grow, or shrink

#define LEAST 1e-7  // share of the span: a step that is none
#define SHRUNK 1e-4 // extent of an orbit that is nearly a point of rest
#define CLOSE 1e-4  // a step after which it is nowhere else
#define GROWTH 1.5
#define TURN 0.9 // cosine between tangents of neighbours: less is too long a step

// --- making --------------------------------------------------------------------------------------

static rh_status reserve(rh_branch *branch)
{
    rh_arena *arena = &branch->arena;
    const uint32_t n = branch->orbit->n;
    enum { STATIONS = 5 };
    rh_station *const stations[STATIONS] = {&branch->last, &branch->next, &branch->low,
                                            &branch->high, &branch->middle};
    for (size_t k = 0; k < STATIONS; k++) {
        RH_TRY(rh__station_reserve(arena, n, stations[k]));
    }
    RH_TRY(rh__passage_reserve(arena, n, &branch->aside));
    branch->set = rh__arena_array(arena, double, branch->def.set_count + 1);
    branch->start = rh__arena_array(arena, double, branch->def.start_count + 1);
    branch->slope = rh__arena_array(arena, double, (size_t)n + 1);
    branch->work = rh__arena_array(arena, double, (size_t)n + 2);
    branch->like = rh__arena_array(arena, double, (size_t)n + 2);
    branch->anchor = rh__arena_array(arena, double, 3 * (size_t)n + 1);
    if (branch->set == NULL || branch->like == NULL || branch->start == NULL ||
        branch->slope == NULL || branch->work == NULL || branch->anchor == NULL) {
        return arena->status;
    }
    branch->anchor_slope = branch->anchor + n;
    branch->offset = branch->anchor + 2 * (size_t)n;
    for (size_t k = 0; k < branch->def.set_count; k++) {
        branch->set[k] = (double)NAN;
    }
    for (size_t k = 0; k < branch->def.start_count; k++) {
        branch->start[k] = (double)NAN;
    }
    return RH_OK;
}

// The first station: towards the other end of the range.
static rh_status begin(rh_branch *branch)
{
    const uint32_t n = branch->orbit->n;
    branch->last.tangent[n + 1] = branch->def.to > branch->def.from ? 1.0 : -1.0;
    branch->last.parameter = branch->def.from;
    // once more, with its slope
    rh_orbit *orbit = branch->orbit;
    bool is_there = false;
    memcpy(orbit->trial.start, orbit->passage.start, n * sizeof *orbit->trial.start);
    RH_TRY(rh__passage_run(orbit, orbit->trial.start, orbit->passage.time, &orbit->passage,
                           &is_there));
    memcpy(branch->last.scale, orbit->manifold.scale, n * sizeof *branch->last.scale);
    RH_TRY(is_there ? rh__branch_begin_family(branch) : RH_OK);
    return rh__branch_arrive(branch, &branch->last, &branch->last);
}

rh_status rh_branch_create(rh_orbit *orbit, const rh_branch_def *def, rh_branch **out,
                           rh_error *err)
{
    RH_REQUIRE(orbit != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && orbit->outcome == RH_ORBIT_FOUND, err);
    RH_REQUIRE(def->set_index < def->set_count && def->resolution > 0.0, err);
    RH_REQUIRE(isfinite(def->from) && isfinite(def->to) && def->from != def->to, err);
    RH_REQUIRE(def->first_step > 0.0 && def->largest_step > 0.0, err);
    *out = NULL;
    const rh_arena *like = &orbit->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_branch *branch = rh__arena_new(&arena, rh_branch);
    if (branch == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    branch->arena = arena;
    branch->scratch = rh__arena_begin(like->allocator, like->limit);
    branch->orbit = orbit;
    branch->def = *def;
    branch->span = fabs(def->to - def->from);
    branch->length = def->first_step;
    branch->now = (double)NAN;
    rh_status status = reserve(branch);
    if (status == RH_OK) {
        status = rh__slope_create(orbit, def->set_index, err);
    }
    if (status == RH_OK) {
        status = begin(branch);
    }
    if (status != RH_OK) {
        rh_branch_destroy(branch);
        return rh__guard_explain(arena.allocator,
                                 rh__error_fill(err, status, "%s", rh_status_text(status)), err);
    }
    *out = branch;
    return RH_OK;
}

void rh_branch_destroy(rh_branch *branch)
{
    if (branch == NULL) {
        return;
    }
    rh__arena_end(&branch->scratch);
    rh_arena arena = branch->arena;
    rh__arena_end(&arena);
}

const char *rh_branch_reason(const rh_branch *branch)
{
    return branch->reason;
}

// --- stepping ------------------------------------------------------------------------------------

static bool is_beyond(const rh_branch *branch, double parameter)
{
    const double low = fmin(branch->def.from, branch->def.to);
    const double high = fmax(branch->def.from, branch->def.to);
    return parameter < low || parameter > high;
}

// The station at the end of the range that was passed.
static rh_status finish(rh_branch *branch, bool *out_is_there)
{
    const double low = fmin(branch->def.from, branch->def.to);
    const double high = fmax(branch->def.from, branch->def.to);
    const rh_aim aim = {.from = &branch->last,
                        .is_parameter = true,
                        .parameter = branch->next.parameter > high ? high : low};
    uint32_t rounds = 0;
    branch->is_ended = true;
    return rh__branch_correct(branch, &aim, &branch->next, &rounds, out_is_there);
}

// Do the tangents of both ends go the same way?
static bool is_gentle(const rh_branch *branch)
{
    return rh__vector_dot((size_t)branch->orbit->n + 2, branch->last.tangent,
                          branch->next.tangent) > TURN;
}

// Has it gone through a point of rest? Beyond that the flow at its start is reversed.
static bool has_vanished(const rh_branch *branch)
{
    const rh_passage *next = &branch->next.passage;
    double product = 0.0;
    for (uint32_t i = 0; i < branch->orbit->n; i++) {
        const double scale = branch->next.scale[i];
        product += branch->last.passage.leaving[i] / scale * next->leaving[i] / scale;
    }
    return !branch->orbit->is_timed && (product < 0.0 || next->extent < SHRUNK);
}

// Where a force has a period of its own it may change with the parameter; the orbit's does not.
static rh_status check_period(rh_branch *branch, bool *out_is_there)
{
    rh_error err = {.message = ""};
    if (!branch->orbit->is_timed) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(&branch->orbit->scratch);
    const rh_status status = rh__orbit_check(branch->orbit, &err);
    rh__arena_rewind(&branch->orbit->scratch, mark);
    if (status == RH_E_ARGUMENT) {
        (void)rh__text_fill(
            branch->reason, sizeof branch->reason,
            "an orbit in time is followed with a fixed period, and at %.10g %.120s; a "
            "period as a formula of parameters follows them",
            branch->next.parameter, err.message);
        *out_is_there = false;
        return RH_OK;
    }
    return status;
}

// Why there is no next station.
static void excuse(rh_branch *branch)
{
    const double beyond = branch->last.parameter;
    const char *why = branch->orbit->reason;
    char *out = branch->reason;
    const size_t size = sizeof branch->reason;
    if (branch->orbit->over != NULL) {
        (void)rh__text_fill(out, size, "%s", branch->orbit->over);
    } else if (branch->has_graze) {
        (void)rh__text_fill(
            out, size,
            "no orbit was found beyond %.10g: motions there meet %" PRIu64 " instead of %" PRIu64
            " impacts or switches on their way, so a surface is just touched (grazing)",
            beyond, branch->grazed, branch->last.passage.jumps);
    } else if (out[0] == '\0') {
        (void)rh__text_fill(out, size, "no orbit was found beyond %.10g (%.150s)", beyond,
                            why[0] != '\0' ? why : "steps became too short");
    }
}

// One step: into `next`.
static rh_status advance(rh_branch *branch)
{
    uint32_t rounds = 0;
    bool is_there = false;
    branch->has_graze = false;
    if (branch->orbit->leg_count > 0) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "an orbit that is closed in pieces (%u) is found, and not followed",
                            branch->orbit->leg_count);
        branch->is_ended = true;
        return RH_OK;
    }
    while (!is_there && branch->length > LEAST && branch->orbit->over == NULL) {
        const rh_aim aim = {.from = &branch->last, .length = branch->length};
        RH_TRY(rh__branch_correct(branch, &aim, &branch->next, &rounds, &is_there));
        // over a point of rest one comes by a step that is too long as well
        is_there =
            is_there && is_gentle(branch) && (branch->length <= CLOSE || !has_vanished(branch));
        branch->length *= !is_there ? 0.5 : 1.0;
    }
    if (!is_there) {
        excuse(branch);
        branch->is_ended = true;
        return RH_OK;
    }
    RH_TRY(check_period(branch, &is_there));
    if (!is_there) {
        branch->is_ended = true;
        return RH_OK;
    }
    branch->length *= rounds <= QUICK ? GROWTH : rounds >= SLOW ? 1.0 / GROWTH : 1.0;
    branch->length = fmin(branch->length, branch->def.largest_step);
    if (has_vanished(branch)) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "the orbit shrinks to a point of rest near %.6g",
                            branch->next.parameter);
        branch->is_ended = true;
        return RH_OK;
    }
    if (is_beyond(branch, branch->next.parameter)) {
        RH_TRY(finish(branch, &is_there));
    }
    if (is_there) {
        bool is_split = false;
        RH_TRY(rh__branch_split(branch, &is_split));
        branch->is_ended = branch->is_ended && !is_split;
    }
    branch->has_next = is_there;
    branch->due = is_there ? rh__branch_compare(branch) : 0;
    branch->reason[0] = '\0';
    if (is_there && branch->is_ended && branch->next.parameter == branch->def.from) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "the branch turned and came back to %.10g", branch->def.from);
    }
    if (!is_there) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "it left the range beyond %.10g, and no orbit was found at its end",
                            branch->last.parameter);
    }
    return RH_OK;
}

static void show(const rh_station *station, rh_branch_mark mark, double width, rh_branch_point *out)
{
    *out = (rh_branch_point){.struct_size = (uint32_t)sizeof *out,
                             .mark = mark,
                             .parameter = station->parameter,
                             .width = width,
                             .period = station->passage.time,
                             .residual = station->passage.residual,
                             .is_stable = station->is_stable,
                             .is_unstable = station->is_unstable,
                             .variables = station->shown,
                             .multipliers = station->multipliers};
}

// What is told next, if something is there.
static rh_status tell(rh_branch *branch, rh_branch_point *out, bool *out_is_there)
{
    while (!*out_is_there && branch->due != 0) {
        uint32_t test = 0;
        while ((branch->due >> test & 1u) == 0) {
            test++;
        }
        branch->due &= ~(1u << test);
        RH_TRY(rh__branch_locate(branch, test, out_is_there));
        if (*out_is_there) {
            const rh_station *high = branch->has_high ? &branch->high : &branch->next;
            show(high, rh__branch_name(branch, test),
                 fabs(branch->high.parameter - branch->low.parameter), out);
            if (!high->is_stable && !high->is_unstable && branch->due == 0) {
                // so near the change nothing is decided: what holds from there on is
                out->is_stable = branch->next.is_stable;
                out->is_unstable = branch->next.is_unstable;
            }
        }
    }
    if (!*out_is_there && branch->has_next) {
        const rh_station old = branch->last;
        memcpy(branch->before, old.tests, sizeof branch->before);
        branch->before_length = rh__branch_distance(branch, &branch->next);
        branch->last = branch->next;
        branch->next = old;
        branch->has_next = false;
        *out_is_there = true;
        show(&branch->last, RH_BRANCH_POINT, 0.0, out);
    }
    return RH_OK;
}

rh_status rh_branch_step(rh_branch *branch, rh_branch_point *out, bool *out_is_there, rh_error *err)
{
    RH_REQUIRE(branch != NULL && out != NULL && out_is_there != NULL, err);
    *out_is_there = !branch->is_begun;
    if (*out_is_there) {
        branch->is_begun = true;
        show(&branch->last, RH_BRANCH_POINT, 0.0, out);
    } else {
        RH_TRY(tell(branch, out, out_is_there));
    }
    if (!*out_is_there && !branch->is_ended && branch->point_count >= branch->def.point_limit) {
        (void)rh__text_fill(branch->reason, sizeof branch->reason,
                            "the limit of %u points was reached at %.10g", branch->def.point_limit,
                            branch->last.parameter);
        branch->is_ended = true;
    }
    if (!*out_is_there && !branch->is_ended) {
        RH_TRY(advance(branch));
        RH_TRY(tell(branch, out, out_is_there));
    }
    if (*out_is_there) {
        branch->point_count++;
        out->period *= branch->orbit->is_half ? 2.0 : 1.0;
    }
    return RH_OK;
}
