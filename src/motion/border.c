// SPDX-License-Identifier: Apache-2.0
// Borders: times at which an input from a file goes over to its next piece. Steps end there, so
// whatever jumps with the input jumps between two steps. What an event function does at a border is
// told by its series on both sides of it: within a stretch of time that is as good as none, the
// signs before and after decide. Conditions and one-sided constraints are settled anew behind it.

#include "motion/motion.h"

#include <math.h>

// The time within which two events are one.
static double width_at(const rh_motion *motion, double time)
{
    return 1e-13 * (fabs(time) + motion->unit_time);
}

rh_status rh__border_create(rh_motion *motion)
{
    rh_tracks *tracks = &motion->tracks;
    rh_arena *arena = &motion->arena;
    const size_t events = motion->equations->model->events.count;
    tracks->border = -INFINITY;
    tracks->before = rh__arena_array(arena, double, events + 1);
    tracks->near = rh__arena_array(arena, double, events + 1);
    return tracks->before != NULL && tracks->near != NULL ? RH_OK : arena->status;
}

bool rh__border_is_near(const rh_motion *motion, double time)
{
    return fabs(time - motion->tracks.next) <= width_at(motion, time);
}

bool rh__border_is_at(const rh_motion *motion, double time)
{
    return time == motion->t && time == motion->tracks.border;
}

// --- conditions and one-sided constraints
// ----------------------------------------------------------

// All conditions are open; those on whose surface the motion slides only where that jumped away.
static void open_conditions(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    rh__gate_look(motion);
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const uint32_t slot = tape->switches[k].surface;
        const bool is_met =
            fabs(motion->probe->jet[slot]) <= RH_MODE_MET * rh__unit_of_slot(motion, slot);
        it->is_sliding = it->is_sliding && is_met;
        it->is_lent = it->is_lent && is_met;
        it->is_open = true;
        it->known = it->is_sliding ? 1 : 0;
        it->side = is_met && !it->is_sliding ? 0 : it->side;
    }
}

static void open_watched(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->watch->switch_count; k++) {
        motion->watch_side[k] = 0.0;
        rh__tape_force(motion->watch, k, NAN);
    }
}

static void settle(rh_motion *motion, const rh_crossing *how)
{
    if (motion->system->step->switch_count + motion->mode.gate_count == 0) {
        return;
    }
    RH_ASSERT(how->kind != RH_CROSSING_GATE || how->index < motion->mode.gate_count);
    if (how->kind == RH_CROSSING_GATE) {
        rh__gate_cross(motion, how->index);
    }
    open_conditions(motion);
    motion->mode.changes = 0; // borders are many, but there is an end of them
    rh__mode_settle(motion);
}

// --- events --------------------------------------------------------------------------------------

// The series of the event functions at (t, x) with the present pieces and the present mode.
static void expand(rh_motion *motion)
{
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    rh__crossing_watch(motion);
}

// An event function, `ahead` of the border.
static double event_value(const rh_motion *motion, uint32_t event, double ahead)
{
    double sum = 0.0;
    for (uint32_t k = 4; k-- > 0;) {
        sum = sum * ahead + rh__tape_output(motion->watch, event, k);
    }
    return sum;
}

static void look_back(rh_motion *motion)
{
    const uint32_t events = motion->equations->model->events.count;
    if (events > 0) {
        expand(motion);
    }
    for (uint32_t k = 0; k < events; k++) {
        motion->tracks.before[k] = event_value(motion, k, -width_at(motion, motion->t));
        motion->tracks.near[k] = event_value(motion, k, 0.0);
    }
}

// Does a value on the border mean zero, the other one being `width` away?
static bool is_zero(double near, double away)
{
    return fabs(near) <= fabs(near - away);
}

// What an event function does at the border; false: nothing.
static bool find_kind(const rh_motion *motion, uint32_t event, rh_root_kind *out)
{
    RH_ASSERT(event < motion->equations->model->events.count);
    const double before = motion->tracks.before[event];
    const double after = event_value(motion, event, width_at(motion, motion->t));
    const bool is_touched = is_zero(motion->tracks.near[event], before) ||
                            is_zero(event_value(motion, event, 0.0), after);
    const bool is_same = (before > 0.0 && after > 0.0) || (before < 0.0 && after < 0.0);
    *out = is_same ? RH_ROOT_TOUCH : before < 0.0 ? RH_ROOT_UP : RH_ROOT_DOWN;
    return before != 0.0 && isfinite(before) && isfinite(after) && (is_touched || !is_same);
}

static void find_events(rh_motion *motion, rh_crossing *out)
{
    const rh_model *model = motion->equations->model;
    open_watched(motion);
    if (model->events.count > 0) {
        expand(motion);
    }
    for (uint32_t k = 0; k < model->events.count; k++) {
        const rh_event *event = &model->events.data[k];
        const bool is_known =
            fabs(motion->t - motion->event_last[k]) <= width_at(motion, motion->t);
        rh_root_kind kind = RH_ROOT_TOUCH;
        if (is_known || !find_kind(motion, k, &kind) ||
            !rh__crossing_is_wanted(event->direction, kind)) {
            continue;
        }
        rh__crossing_record(motion, k, motion->t);
        if (event->action != RH_ACTION_RECORD) {
            motion->due[k] = true;
            *out = (rh_crossing){.share = 1.0, .kind = RH_CROSSING_EVENT, .index = k};
        }
    }
    // without jets they are decided by their surfaces, at every point
    if (!motion->stepper->has_jets) {
        open_watched(motion);
    }
}

// --- over the border -----------------------------------------------------------------------------

// The history of steps ends here. It is no other motion for that: what was stiff stays stiff.
static void begin_anew(rh_motion *motion, bool is_chosen)
{
    motion->jumps++;
    motion->choice.found = is_chosen ? motion->jumps : motion->choice.found;
    motion->leap.count = 0;
    motion->leap.longest = 0.0;
    motion->idle = 0;
    rh__samples_unknown(motion);
}

void rh__border_pass(rh_motion *motion, const rh_crossing *how, rh_crossing *out)
{
    const bool is_chosen = motion->choice.found == motion->jumps;
    *out = (rh_crossing){.share = 2.0};
    if (!rh__tracks_are_smooth(motion)) {
        return;
    }
    look_back(motion);
    rh__tracks_select(motion, motion->t);
    RH_ASSERT(motion->tracks.next > motion->t);
    motion->tracks.border = motion->t;
    settle(motion, how);
    begin_anew(motion, is_chosen);
    if (motion->reason[0] == '\0') {
        find_events(motion, out);
    }
}
