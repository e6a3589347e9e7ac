// SPDX-License-Identifier: Apache-2.0
// Whole steps by compiled text: between the library and the room of such steps (tape/glide.c). The
// library takes the steps that these leave to it, and all of them before the text is compiled.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

enum { ALIGNMENT = 64 }; // of the widest cells

bool rh__glider_is_free(const rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    return step->switch_count == 0 && step->feed_count == 0 && step->hold_count == 0 &&
           motion->mode.gate_count == 0 && motion->system->slide_count == 0 &&
           motion->equations->model->events.count == 0 && motion->deviations.count == 0 &&
           !rh__saturation_is_possible(motion) && motion->projector.stages[0].miss == NULL &&
           motion->projector.stages[1].miss == NULL;
}

double *rh__glider_room(rh_arena *arena, size_t count)
{
    char *bytes = rh__arena_array(arena, char, count * sizeof(double) + ALIGNMENT);
    if (bytes == NULL) {
        return NULL;
    }
    return (double *)(void *)(bytes + (ALIGNMENT - (uintptr_t)bytes % ALIGNMENT) % ALIGNMENT);
}

void rh__glider_set(const rh_motion *motion, const rh_lane *at)
{
    const double order = motion->order_chosen;
    const size_t lanes = at->count;
    RH_ASSERT(at->index < at->count);
    double *head = at->room + at->index;
    head[RH_GLIDE_TOLERANCE * lanes] = rh__taylor_logarithm(motion->tolerance);
    head[RH_GLIDE_SHIFT * lanes] = floor(log2(motion->tolerance)) / order;
    head[RH_GLIDE_LEVEL * lanes] = fmax(1e-3, 1e3 * order * motion->tolerance);
    head[RH_GLIDE_FINENESS * lanes] = rh__taylor_fineness(motion);
    head[RH_GLIDE_LEAST * lanes] = 0.0;
}

bool rh__glider_create(rh_motion *motion)
{
    rh_glider *it = &motion->glider;
    const rh_tape_state *state = motion->step;
    const size_t rows = (size_t)motion->order_chosen + 1;
    rh_arena *arena = &motion->step->arena; // what lies in the motion's is gone when it begins anew
    it->room = rh__glider_room(arena, rh__glide_room(motion->n, motion->order_chosen));
    it->jet = rh__glider_room(arena, rows * state->stride);
    if (it->room == NULL || it->jet == NULL) {
        it->room = NULL;
        return false;
    }
    rh__glider_set(motion, &(rh_lane){.room = it->room, .count = 1});
    return true;
}

bool rh__glider_is_due(const rh_motion *motion, double t_end)
{
    const rh_leap *leap = &motion->leap;
    return motion->glider.room != NULL && motion->step->kernel != NULL &&
           motion->tier.native.steps != NULL && motion->stepper == &rh__stepper_taylor &&
           !motion->step->is_wary && !leap->is_due && leap->cap == 0.0 &&
           motion->steps < motion->step_limit &&
           (!motion->choice.is_free || motion->steps < motion->choice.next_look) &&
           motion->unit_jumps == motion->jumps &&
           t_end - motion->t <= 1e12 * (motion->unit_time + fabs(motion->t));
}

void rh__glider_load(rh_motion *motion, const rh_lane *at, double t_end, uint64_t budget)
{
    const size_t lanes = at->count;
    double *head = at->room + at->index;
    double *x = head + (RH_GLIDE_HEAD + RH_GLIDE_X * (size_t)rh__glide_pad(motion->n)) * lanes;
    double *y = head + (RH_GLIDE_HEAD + RH_GLIDE_Y * (size_t)rh__glide_pad(motion->n)) * lanes;
    double *unit =
        head + (RH_GLIDE_HEAD + RH_GLIDE_UNIT * (size_t)rh__glide_pad(motion->n)) * lanes;
    double *floor =
        head + (RH_GLIDE_HEAD + RH_GLIDE_FLOOR * (size_t)rh__glide_pad(motion->n)) * lanes;
    // the library looks for stiffness
    const uint64_t last = motion->choice.is_free && motion->choice.next_look < motion->step_limit
                              ? motion->choice.next_look
                              : motion->step_limit;
    const uint64_t left = last - motion->steps;
    RH_ASSERT(motion->steps <= last && motion->t <= t_end);
    head[RH_GLIDE_TIME * lanes] = head[RH_GLIDE_BEFORE * lanes] = motion->t;
    head[RH_GLIDE_PROBE * lanes] = motion->t;
    head[RH_GLIDE_END * lanes] = t_end;
    head[RH_GLIDE_LAST * lanes] = head[RH_GLIDE_PRIOR * lanes] = motion->length_last;
    head[RH_GLIDE_PHASE * lanes] = motion->glider.is_ready ? RH_GLIDE_READY : RH_GLIDE_FRESH;
    head[RH_GLIDE_STEPS * lanes] = 0.0;
    head[RH_GLIDE_BUDGET * lanes] = (double)(budget < left ? budget : left);
    head[RH_GLIDE_VERDICT * lanes] = 0.0;
    head[RH_GLIDE_IDLE * lanes] = 0.0;
    head[RH_GLIDE_PACE * lanes] = rh__unit_pace(motion);
    for (uint32_t i = 0; i < motion->n; i++) {
        x[i * lanes] = y[i * lanes] = motion->x[i];
        unit[i * lanes] = rh__unit_of(motion, i);
        floor[i * lanes] = rh__unit_least(motion, i);
        motion->most[i] = fmax(motion->most[i], motion->unit[i]);
    }
    for (uint32_t i = motion->n; i < rh__glide_pad(motion->n); i++) {
        unit[i * lanes] = RH_UNIT_NONE;
        floor[i * lanes] = 0.0;
    }
}

// The polynomial of the last step; of none where the steps that were begun left nothing of it.
static void take_series(rh_motion *motion, const rh_lane *at)
{
    const size_t pad = rh__glide_pad(motion->n);
    const double *rows = at->room + RH_GLIDE_HEAD + RH_GLIDE_SERIES * pad;
    const bool is_whole = at->count == 1 && at->room[RH_GLIDE_VERDICT] != RH_GLIDE_HARD;
    rh_series *series = &motion->series;
    motion->t_before = is_whole ? at->room[RH_GLIDE_BEFORE] : motion->t;
    series->begin = motion->t_before;
    RH_ASSERT(motion->t_before <= motion->t);
    series->length = motion->t - motion->t_before;
    series->degree = is_whole ? motion->order_chosen : 0;
    double *own = rh__series_begin(series);
    for (size_t k = 0; is_whole && k <= series->degree; k++) {
        memcpy(own + k * motion->n, rows + k * pad, motion->n * sizeof *own);
    }
    if (!is_whole) {
        memcpy(own, motion->x, motion->n * sizeof *own);
    }
}

// What the library remembers of steps that it made itself.
static void forget_own(rh_motion *motion, double margin)
{
    motion->order = motion->order_chosen;
    motion->idle = motion->strays = 0;
    motion->leap.count = motion->leap.tries = 0;
    motion->leap.is_done = false;
    motion->step->quality = (rh_tape_quality){.rcond = margin};
    memset(motion->step->is_unique, true,
           motion->step->tape->unknown_count * sizeof *motion->step->is_unique);
}

void rh__glider_unload(rh_motion *motion, const rh_lane *at, double margin)
{
    const size_t lanes = at->count;
    const double *head = at->room + at->index;
    const double *x =
        head + (RH_GLIDE_HEAD + RH_GLIDE_X * (size_t)rh__glide_pad(motion->n)) * lanes;
    const double *unit =
        head + (RH_GLIDE_HEAD + RH_GLIDE_UNIT * (size_t)rh__glide_pad(motion->n)) * lanes;
    motion->glider.is_ready = lanes == 1 && head[RH_GLIDE_VERDICT] != RH_GLIDE_HARD;
    if (!(head[RH_GLIDE_STEPS * lanes] > 0.0)) {
        return;
    }
    RH_ASSERT(head[RH_GLIDE_STEPS * lanes] <= head[RH_GLIDE_BUDGET * lanes]);
    rh__mode_begin(motion);
    motion->t = head[RH_GLIDE_TIME * lanes];
    motion->length_last = head[RH_GLIDE_LAST * lanes];
    motion->steps += (uint64_t)head[RH_GLIDE_STEPS * lanes];
    for (uint32_t i = 0; i < motion->n; i++) {
        motion->x[i] = x[i * lanes];
        motion->unit[i] = motion->unit[i] > 0.0 ? unit[i * lanes] : fabs(x[i * lanes]);
    }
    take_series(motion, at);
    forget_own(motion, margin);
    rh__unique_follow(motion);
}

bool rh__glider_go(rh_motion *motion, double t_end, uint64_t budget)
{
    rh_glider *it = &motion->glider;
    if (!rh__glider_is_due(motion, t_end)) {
        return false;
    }
    rh_series_point point = rh__kernel_point(motion->step);
    point.jet = it->jet;
    const rh_lane at = {.room = it->room, .count = 1};
    rh__glider_load(motion, &at, t_end, budget);
    (void)motion->tier.native.steps(&point, it->room);
    rh__glider_unload(motion, &at, point.margin);
    return it->room[RH_GLIDE_STEPS] > 0.0;
}
