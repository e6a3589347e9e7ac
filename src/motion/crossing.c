// SPDX-License-Identifier: Apache-2.0
// What happens within a step: roots of the polynomials of event functions and
// of switching surfaces, isolated properly, in order. Events that only record
// do not end the step.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST_DEGREE = 4 }; // of the polynomial of a function

#define LEVEL 1e-15 // of rounding, relative to the sum of absolute terms
// A surface whose distance comes from the state, not from a contact: the terms that it is the
// difference of have lost so much. Where it is touched without being crossed that may look like a
// crossing, and one without answer where other constraints hold the motion above it.
#define ROUNDING 1e-15 // of the terms of a gate

// --- the series of the event functions
// -----------------------------------------------------------

// Jets of the watch tape from those of the stepping tape.
static void watch(rh_motion *motion)
{
    const rh_tape_state *step = motion->step;
    rh_tape_state *state = motion->watch;
    const uint32_t n = motion->n;
    const uint32_t unknowns = motion->system->form.unknowns.count;
    for (uint32_t k = 0; k < motion->order; k++) {
        double *inputs = rh__jet_row(state, k);
        const double *row = rh__jet_row(step, k);
        for (uint32_t i = 0; i <= n; i++) {
            inputs[i] = row[i];
        }
        for (uint32_t i = 0; i < unknowns; i++) {
            inputs[1 + n + i] = rh__tape_output(step, n + i, k);
        }
        if (k == 0) {
            rh__tape_run(state);
        } else {
            rh__jet_order(state, k);
        }
    }
}

void rh__crossing_watch(rh_motion *motion)
{
    watch(motion);
    if (rh__switch_decide_watched(motion)) {
        watch(motion);
    }
}

// The polynomial of a slot over the step, in the share of its length.
static void scale_series(const rh_motion *motion, const rh_tape_state *state, uint32_t slot,
                         double length)
{
    RH_ASSERT(slot < state->tape->slot_count && motion->order <= RH_POLYNOMIAL_DEGREE);
    double power = 1.0;
    for (uint32_t k = 0; k < motion->order; k++, power *= length) {
        const double c = rh__jet_row(state, k)[slot];
        motion->polynomial[k] = c != 0.0 ? c * power : 0.0;
    }
}

// Two steps meet up to rounding, and without jets up to their error: a change of sign at their
// border may be seen by both of them, or by neither. `side` is the sign at the end of the last one;
// back to it within the share `near` means that it was not left.
static void mend_border(rh_root_list *roots, int side, double near)
{
    RH_ASSERT(-1 <= side && side <= 1 && -1 <= roots->first && roots->first <= 1);
    if (side == 0 || roots->first != -side) {
        return;
    }
    if (roots->count > 0 && roots->data[0].after == side && roots->data[0].at < near) {
        roots->data++;
        roots->count--;
    } else if (roots->count < roots->capacity) {
        for (uint32_t r = roots->count++; r > 0; r--) {
            roots->data[r] = roots->data[r - 1];
        }
        roots->data[0] = (rh_root){
            .kind = side < 0 ? RH_ROOT_UP : RH_ROOT_DOWN, .before = side, .after = roots->first};
    }
    roots->first = side;
}

// Roots of a slot of `state`, or of the function of the same number among the samples.
typedef struct sought {
    const rh_tape_state *state;
    uint32_t slot, sample;
    int side;        // its sign at the end of the last step; 0: not known
    uint32_t zeros;  // so many of its first coefficients vanish
    double bound;    // subtracted from it
    double factor;   // of it; 0: 1
    double floor;    // below which it counts as zero
    double share;    // the same, of its largest term along the step
    int last_sign;   // nothing is wanted behind the first crossing to it; 0: all is
    bool is_switch;  // one that is missed is missed for good
    bool may_refine; // where its polynomial is in doubt it is looked at itself
} sought;

static rh_status fail_by_series(rh_motion *motion, rh_root_list *out)
{
    rh__motion_fail(motion, RH_DIAGNOSTIC_E501,
                    "what is watched along the motion (an event, a condition, a one-sided "
                    "constraint) has no finite series at t = %.17g",
                    motion->t);
    *out = (rh_root_list){.data = motion->roots};
    return RH_OK;
}

static double largest_term(const rh_motion *motion, uint32_t degree)
{
    double largest = 0.0;
    for (uint32_t k = 0; k <= degree; k++) {
        largest = fmax(largest, fabs(motion->polynomial[k]));
    }
    return largest;
}

// A step that is hardly longer than times can tell, or along which the function is not more than
// rounding of its terms: samples along it are a staircase, and the polynomial through them swings.
// Only its two ends are known; and where it begins on the other
// side of `what->side` it may be on its way back from the border, which the next step tells.
static void find_by_ends(rh_motion *motion, const sought *what, rh_root_list *out)
{
    const double factor = what->factor < 0.0 ? -1.0 : 1.0;
    RH_ASSERT(what->side == -1 || what->side == 1);
    const double begin = factor * (rh__samples_first(motion, what->sample) - what->bound);
    const double end = factor * (rh__samples_last(motion, what->sample) - what->bound);
    const bool is_crossed = begin * what->side > 0.0 && end * what->side < 0.0;
    *out = (rh_root_list){.data = motion->roots,
                          .capacity = RH_ROOT_MOST,
                          .count = is_crossed ? 1 : 0,
                          .first = what->side,
                          .last = is_crossed ? -what->side : what->side,
                          .is_complete = true};
    out->data[0] = (rh_root){.at = begin / (begin - end),
                             .kind = what->side < 0 ? RH_ROOT_UP : RH_ROOT_DOWN,
                             .before = what->side,
                             .after = -what->side};
}

// Is it more than the error of steps what a function does before its first root? Beside a long step
// that may be a short time.
static bool goes_far(const rh_motion *motion, const rh_root_query *query, const rh_root_list *roots)
{
    const double many = 1e3;
    const double share = roots->count > 0 ? 0.5 * roots->data[0].at : 0.0;
    double value = 0.0;
    for (uint32_t k = query->degree + 1; k-- > 0;) {
        value = value * share + motion->polynomial[k];
    }
    return fabs(value) > many * query->floor;
}

// Two steps meet: `moment` is as far as times are known, as a share of the step.
static void mend(const rh_motion *motion, const sought *what, const rh_root_query *query,
                 double moment, rh_root_list *out)
{
    if (!motion->stepper->has_jets) {
        const bool is_left = what->zeros == 0 && goes_far(motion, query, out);
        mend_border(out, what->side, is_left ? moment : fmax(0.05, moment));
    } else {
        mend_border(out, what->side, moment);
    }
}

// Roots in (0, 1], one after the other, none against its signs.
static bool are_sound(const rh_root_list *roots)
{
    bool are = roots->count <= roots->capacity;
    for (uint32_t r = 0; are && r < roots->count; r++) {
        const rh_root *it = &roots->data[r];
        are = 0.0 <= it->at && it->at <= 1.0 && (r == 0 || roots->data[r - 1].at <= it->at) &&
              (it->kind == RH_ROOT_TOUCH) == (it->before == it->after);
    }
    return are;
}

static rh_status find_roots(rh_motion *motion, const sought *what, rh_root_list *out)
{
    RH_ASSERT(-1 <= what->side && what->side <= 1 && what->zeros <= motion->order_chosen);
    RH_ASSERT(!(what->floor < 0.0) && !(what->share < 0.0));
    const bool has_jets = motion->stepper->has_jets;
    // as far as times are known
    const double moment = 1e-12 * (motion->unit_time + fabs(motion->t)) / motion->series.length;
    if (!has_jets && what->side != 0 &&
        (moment > 1.0 || rh__samples_are_rounding(motion, what->sample))) {
        find_by_ends(motion, what, out);
        return RH_OK;
    }
    rh_root_query query = {.c = motion->polynomial + what->zeros,
                           .tolerance = LEVEL,
                           .last_sign = what->last_sign,
                           .is_start_included = what->may_refine && !what->is_switch && has_jets};
    if (has_jets) {
        query.degree = motion->order - 1;
        scale_series(motion, what->state, what->slot, motion->series.length);
        // where a base is zero, rates are known one order less far than x; and what is steep may
        // have coefficients larger than any number
        const uint32_t least = motion->cut > 0.0 ? 0 : LEAST_DEGREE;
        while (query.degree > least &&
               !rh__vector_is_finite(query.degree + 1, motion->polynomial)) {
            query.degree--;
        }
    } else {
        query.degree = rh__samples_polynomial(motion, what->sample, &query.floor);
    }
    // a sum of sizes shows it too, as long as nothing is cut off
    if ((what->zeros > 0 || !has_jets) &&
        !rh__vector_is_finite(query.degree + 1, motion->polynomial)) {
        return fail_by_series(motion, out);
    }
    motion->polynomial[0] -= what->bound;
    for (uint32_t k = 0; what->factor < 0.0 && k <= query.degree; k++) {
        motion->polynomial[k] = -motion->polynomial[k];
    }
    query.floor =
        fmax(fmax(query.floor, what->floor), what->share * largest_term(motion, query.degree));
    if (has_jets && query.is_start_included && query.degree > 1) {
        // the series is cut off: what it leaves out is not larger than its last terms
        query.floor = fmax(query.floor, fabs(motion->polynomial[query.degree]) +
                                            fabs(motion->polynomial[query.degree - 1]));
    }
    query.degree = query.degree > what->zeros ? query.degree - what->zeros : 0;
    out->data = motion->roots;
    out->capacity = RH_ROOT_MOST;
    const rh_status status = rh__polynomial_roots(&query, motion->root_work, out);
    if (status == RH_E_ARGUMENT && has_jets && isfinite(query.floor)) {
        return fail_by_series(motion, out);
    }
    RH_TRY(status);
    RH_ASSERT(are_sound(out));
    if (what->may_refine && what->zeros == 0) {
        const rh_watched it = {.slot = what->slot,
                               .is_event = what->state == motion->watch,
                               .bound = what->bound,
                               .factor = what->factor};
        rh__cluster_refine(motion, &it, &query, out);
    }
    mend(motion, what, &query, moment, out);
    return RH_OK;
}

static sought sought_event(const rh_motion *motion, uint32_t event)
{
    RH_ASSERT(event < motion->equations->model->events.count);
    return (sought){.state = motion->watch,
                    .slot = motion->system->watch->outputs[event],
                    .sample = motion->samples.event + event,
                    .side = motion->samples.event_side[event],
                    .may_refine = true};
}

// The first root after which the sign is another than `sought.side`.
static rh_status look_for(rh_motion *motion, const sought *what, rh_crossing found,
                          rh_crossing *first)
{
    rh_root_list roots = {0};
    RH_TRY(find_roots(motion, what, &roots));
    for (uint32_t r = 0; r < roots.count; r++) {
        const rh_root *root = &roots.data[r];
        if (root->kind != RH_ROOT_TOUCH && root->after != what->side && root->at < first->share) {
            found.share = root->at;
            found.direction = root->after;
            *first = found;
        }
    }
    return RH_OK;
}

// --- findings
// ------------------------------------------------------------------------------------

static void keep(rh_motion *motion, double share, uint32_t event)
{
    RH_ASSERT(share >= 0.0 &&
              event < motion->equations->model->events.count + motion->mode.gate_count);
    if (motion->found_count == RH_FOUND_MOST) {
        return;
    }
    uint32_t at = motion->found_count++;
    for (; at > 0 && motion->found[at - 1].share > share; at--) {
        motion->found[at] = motion->found[at - 1];
    }
    motion->found[at].share = share;
    motion->found[at].event = event;
}

// --- switches
// ------------------------------------------------------------------------------------

// A slide ends where the value of its condition comes to one of its ends.
static rh_status look_at_slide(rh_motion *motion, uint32_t index, rh_crossing *first)
{
    const uint32_t number = motion->mode.conditions[index].slide;
    RH_ASSERT(number < motion->system->slide_count);
    const rh_slide *slide = &motion->system->slides[number];
    RH_ASSERT(slide->low != slide->high);
    for (int side = -1; side <= 1; side += 2) {
        const double bound = side < 0 ? slide->low : slide->high;
        const sought what = {.state = motion->step,
                             .slot = motion->system->step->outputs[motion->n + slide->unknown],
                             .sample = motion->samples.slide + number,
                             .side = (bound < slide->low + slide->high - bound) ? 1 : -1,
                             .bound = bound,
                             .is_switch = true};
        rh_crossing found = *first;
        RH_TRY(look_for(motion, &what, (rh_crossing){.kind = RH_CROSSING_SWITCH, .index = index},
                        &found));
        if (found.share < first->share) {
            *first = found;
            first->direction = side;
        }
    }
    return RH_OK;
}

static rh_status look_at_switches(rh_motion *motion, rh_crossing *first)
{
    const rh_tape *tape = motion->system->step;
    // one without a side is held on its surface; and without jets the first steps behind a slide
    // are known to their error only
    const double clear = motion->stepper->has_jets ? 0.0 : RH_MODE_CLEAR * motion->tolerance;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        // projection may have moved it back to the side it came from, where it begins then
        const bool is_lifting = clear > 0.0 && it->is_lifting;
        const uint32_t slot = tape->switches[k].surface;
        const double size = it->side == 0 || is_lifting ? rh__unit_of_slot(motion, slot) : 0.0;
        const double least =
            is_lifting ? fmax(clear * size, -4.0 * it->side * rh__samples_first(motion, k)) : 0.0;
        const sought what = {.state = motion->step,
                             .slot = slot,
                             .sample = k,
                             .side = it->side,
                             .zeros = it->zeros,
                             .floor = it->side == 0 ? RH_MODE_MET * size : least,
                             .is_switch = true,
                             .may_refine = it->side != 0 && !it->is_lifting};
        if (it->is_sliding) {
            RH_TRY(look_at_slide(motion, k, first));
        } else if (!it->is_lent && rh__switch_held_by(motion, k) == UINT32_MAX) {
            RH_TRY(look_for(motion, &what, (rh_crossing){.kind = RH_CROSSING_SWITCH, .index = k},
                            first));
        }
    }
    return RH_OK;
}

// --- gates
// ---------------------------------------------------------------------------------------

// Touched and not pressed. At the border of two steps both may see it.
static void keep_graze(rh_motion *motion, uint32_t index, const rh_root *root)
{
    const double time = motion->t + root->at * motion->series.length;
    if (fabs(time - motion->mode.gates[index].last_graze) >
        1e-9 * (motion->unit_time + fabs(time))) {
        keep(motion, root->at, motion->equations->model->events.count + index);
    }
}

static sought sought_gate(rh_motion *motion, uint32_t index)
{
    // a multiplier at the beginning of a step is as exact as rounding lets it be, whatever the
    // tolerance is; and where nothing else leads on, all is taken as it is
    const bool has_jets = motion->stepper->has_jets;
    const bool is_stuck = has_jets && motion->idle > 2;
    const double clear = RH_MODE_CLEAR * motion->tolerance;
    const rh_gate *gate = &motion->mode.gates[index];
    RH_ASSERT(gate->level_count > 0);
    const bool is_bouncing = !gate->is_active && gate->level_count == 2 && !gate->is_lifting;
    const uint32_t slot = rh__gate_slot(motion, gate);
    const double rounding = is_bouncing && gate->zeros == 0 ? ROUNDING
                            : is_bouncing || is_stuck       ? 0.0
                            : !has_jets                     ? clear
                                                            : fmin(clear, RH_MODE_MET);
    const bool may_touch = has_jets && !is_bouncing && !is_stuck && !gate->is_active;
    return (sought){.state = motion->step,
                    .slot = slot,
                    .floor = rounding > 0.0 ? rounding * rh__unit_of_slot(motion, slot) : 0.0,
                    .share = may_touch ? clear : 0.0,
                    .sample = motion->samples.gate + index,
                    .side = 1,
                    .zeros = gate->zeros,
                    .factor = gate->is_active && !gate->is_literal ? gate->sign : 1,
                    .last_sign = -1,
                    .is_switch = true};
}

static bool goes_down(const rh_root_list *roots)
{
    bool is_down = false;
    for (uint32_t r = 0; r < roots->count; r++) {
        is_down = is_down || roots->data[r].after < 0;
    }
    return is_down;
}

static rh_status look_at_gate(rh_motion *motion, uint32_t k, rh_crossing *first)
{
    const rh_gate *gate = &motion->mode.gates[k];
    rh_root_list roots = {0};
    sought what = sought_gate(motion, k);
    RH_TRY(find_roots(motion, &what, &roots));
    // one that let go and that others keep where it is moves by the rounding of their forces, which
    // may be larger at the end of the step than where it begins
    if (goes_down(&roots) && gate->is_lifting && !gate->is_active && motion->stepper->has_jets &&
        rh__unit_find_floor_ahead(motion)) {
        what = sought_gate(motion, k);
        RH_TRY(find_roots(motion, &what, &roots));
    }
    for (uint32_t r = 0; r < roots.count; r++) {
        const rh_root *root = &roots.data[r];
        if (root->after < 0 && root->at < first->share) {
            *first = (rh_crossing){
                .share = root->at, .kind = RH_CROSSING_GATE, .index = k, .direction = -1};
            break;
        }
        if (!gate->is_active && root->after > 0) {
            keep_graze(motion, k, root);
        }
    }
    return RH_OK;
}

static rh_status look_at_gates(rh_motion *motion, rh_crossing *first)
{
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        RH_TRY(look_at_gate(motion, k, first));
    }
    return RH_OK;
}

// Conditions inside event functions end the step too, so that every piece is smooth.
static rh_status look_at_conditions(rh_motion *motion, rh_crossing *first)
{
    const rh_tape *tape = motion->system->watch;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        RH_ASSERT(fabs(motion->watch_side[k]) <= 1.0);
        const sought what = {.state = motion->watch,
                             .slot = tape->switches[k].surface,
                             .sample = motion->samples.condition + k,
                             .side = (int)motion->watch_side[k],
                             .is_switch = true};
        RH_TRY(look_for(motion, &what, (rh_crossing){.kind = RH_CROSSING_CONDITION, .index = k},
                        first));
    }
    return RH_OK;
}

// --- events
// --------------------------------------------------------------------------------------

bool rh__crossing_is_wanted(rh_direction direction, rh_root_kind kind)
{
    switch (direction) {
    case RH_DIRECTION_BOTH:
        return true;
    case RH_DIRECTION_UP:
        return kind == RH_ROOT_UP;
    case RH_DIRECTION_DOWN:
        return kind == RH_ROOT_DOWN;
    }
    return false;
}

static bool is_sure(rh_motion *motion, uint32_t event, double time)
{
    const rh_watched it = {.slot = motion->system->watch->outputs[event], .is_event = true};
    return rh__cluster_is_sure(motion, &it, (time - motion->t) / motion->series.length);
}

// Behind an event the function may come back to the side it came from by the noise of the state:
// it is another one if the function was more than that between them.
static bool is_known(rh_motion *motion, uint32_t event, double time)
{
    const double last = motion->event_last[event];
    const double moment = 1e-13 * (motion->unit_time + fabs(time));
    const double from = fmax(last, motion->t);
    return last > -INFINITY &&
           (!(time - from > moment) || !is_sure(motion, event, 0.5 * (from + time)));
}

static rh_status look_at_events(rh_motion *motion, double length, rh_crossing *first)
{
    const rh_model *model = motion->equations->model;
    for (uint32_t k = 0; k < model->events.count; k++) {
        const rh_event *event = &model->events.data[k];
        rh_root_list roots = {0};
        const sought what = sought_event(motion, k);
        RH_TRY(find_roots(motion, &what, &roots));
        for (uint32_t r = 0; r < roots.count; r++) {
            const rh_root *root = &roots.data[r];
            if (!rh__crossing_is_wanted(event->direction, root->kind) ||
                is_known(motion, k, motion->t + root->at * length) ||
                rh__border_is_near(motion, motion->t + root->at * length)) {
                continue;
            }
            keep(motion, root->at, k);
            if (event->action != RH_ACTION_RECORD && root->at < first->share) {
                *first = (rh_crossing){.share = root->at, .kind = RH_CROSSING_EVENT, .index = k};
                break;
            }
        }
    }
    return RH_OK;
}

static rh_occurrence occurrence_of(rh_motion *motion, uint32_t index, double time)
{
    static const rh_occurrence_kind KINDS[] = {
        [RH_ACTION_RECORD] = RH_OCCURRENCE_RECORD,
        [RH_ACTION_STOP] = RH_OCCURRENCE_STOP,
        [RH_ACTION_RESET] = RH_OCCURRENCE_RESET,
    };
    const rh_model *model = motion->equations->model;
    RH_ASSERT(index < model->events.count + motion->mode.gate_count);
    if (index < model->events.count) {
        motion->event_last[index] = time;
        return (rh_occurrence){.time = time,
                               .kind = KINDS[model->events.data[index].action],
                               .name = motion->event_names[index]};
    }
    rh_gate *gate = &motion->mode.gates[index - model->events.count];
    gate->last_graze = time;
    return (rh_occurrence){.time = time, .kind = RH_OCCURRENCE_GRAZE, .name = gate->name};
}

void rh__crossing_record(rh_motion *motion, uint32_t index, double time)
{
    RH_ASSERT(motion->occurrences.count <= motion->occurrences.capacity);
    const rh_occurrence occurrence = occurrence_of(motion, index, time);
    // the room was reserved; what does not fit is not kept
    if (motion->occurrences.count < motion->occurrences.capacity) {
        motion->occurrences.data[motion->occurrences.count++] = occurrence;
    }
}

// Shares of a step that are one moment: the same root of two polynomials may differ by rounding.
static double moment_of(const rh_motion *motion, double length)
{
    RH_ASSERT(length > 0.0);
    return 1e-13 * (motion->unit_time + fabs(motion->t)) / length;
}

// What was found stands in the order of time.
static bool are_in_order(const rh_motion *motion)
{
    bool are = motion->found_count <= RH_FOUND_MOST;
    for (uint32_t k = 1; are && k < motion->found_count; k++) {
        are = motion->found[k - 1].share <= motion->found[k].share;
    }
    return are;
}

// Events that do something where the step ends, whatever it is that ends it.
static void find_due(rh_motion *motion, double length, double end)
{
    const rh_model *model = motion->equations->model;
    RH_ASSERT(are_in_order(motion));
    const double near = moment_of(motion, length);
    for (uint32_t k = 0; k < motion->found_count && motion->found[k].share <= end + near; k++) {
        const uint32_t event = motion->found[k].event;
        if (event < model->events.count && motion->found[k].share >= end - near) {
            motion->due[event] = model->events.data[event].action != RH_ACTION_RECORD;
        }
    }
}

double rh__crossing_moment(const rh_motion *motion, double time)
{
    const double share = motion->stepper->has_jets ? 8.0 * DBL_EPSILON : 1e-13;
    return share * fmax(fabs(motion->t), fabs(time));
}

// What happens where the step ends belongs to it: the next one leaves out its own start.
// A function that was more than its noise since an event may meet the next one.
static void forget_events(rh_motion *motion, double end)
{
    static const double SHARES[] = {0.31, 0.5, 0.77, 1.0};
    const double to = fmin(motion->t + end * motion->series.length, motion->t_most);
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        const double from = fmax(motion->event_last[k], motion->t);
        bool is_over = false;
        for (size_t j = 0; motion->event_last[k] > -INFINITY && from < to && !is_over &&
                           j < sizeof SHARES / sizeof *SHARES;
             j++) {
            is_over = is_sure(motion, k, from + SHARES[j] * (to - from));
        }
        motion->event_last[k] = is_over ? -INFINITY : motion->event_last[k];
    }
}

void rh__crossing_note(rh_motion *motion, const rh_crossing *end_of)
{
    const double length = motion->series.length;
    const double end = fmin(end_of->share, 1.0);
    const uint32_t events = motion->equations->model->events.count;
    const double near = moment_of(motion, length);
    for (uint32_t k = 0; k < motion->found_count; k++) {
        const double share = motion->found[k].share;
        const uint32_t event = motion->found[k].event;
        if (share <= end || (event < events && share <= end + near)) {
            const double time = motion->t + fmin(share, end) * length;
            rh__crossing_record(motion, event, fmin(time, motion->t_most));
        }
    }
    forget_events(motion, end);
}

// The signs of the event functions at the end of the step, where they are needed: without jets two
// steps meet up to their error, and where a condition ends the step a function may jump past zero.
static rh_status note_sides(rh_motion *motion, const rh_crossing *crossing)
{
    const double end = fmin(crossing->share, 1.0);
    const bool may_jump =
        crossing->kind == RH_CROSSING_SWITCH || crossing->kind == RH_CROSSING_CONDITION;
    if (motion->stepper->has_jets && !may_jump) {
        for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
            motion->samples.event_side[k] = 0;
        }
        return RH_OK;
    }
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        const sought what = sought_event(motion, k);
        rh_root_list roots = {0};
        RH_TRY(find_roots(motion, &what, &roots));
        motion->samples.event_side[k] = roots.is_zero ? 0 : roots.first;
        for (uint32_t r = 0; r < roots.count && roots.data[r].at <= end; r++) {
            motion->samples.event_side[k] = roots.data[r].after;
        }
    }
    return RH_OK;
}

void rh__crossing_clear(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        motion->due[k] = false;
    }
}

// --- the place itself
// ----------------------------------------------------------------------------

// What is crossed, at the state that the series of x gives there.
static double height_at(rh_motion *motion, uint32_t slot, double share)
{
    const double t = motion->t + share * motion->series.length;
    double *inputs = rh__jet_row(motion->plain, 0);
    rh__series_value(&motion->series, t, motion->x_try);
    inputs[0] = t;
    memcpy(inputs + 1, motion->x_try, motion->n * sizeof *inputs);
    rh__tape_run(motion->plain);
    return inputs[slot];
}

// Where the state itself lies on the surface, near `share`: secants, as long as they come nearer.
static double share_on_surface(rh_motion *motion, uint32_t slot, double share)
{
    enum { MOST = 12 };
    const double near = 1e-2 * share;
    RH_ASSERT(0.0 <= share && share <= 1.0);
    const double first = share;
    double height = height_at(motion, slot, share);
    double last = share - 1e-2 * near;
    double last_height = height != 0.0 ? height_at(motion, slot, last) : height;
    for (uint32_t k = 0; k < MOST && height != 0.0; k++) {
        const double next = share - height * (share - last) / (height - last_height);
        if (!(fabs(next - first) <= near && next <= 1.0)) {
            break;
        }
        const double next_height = height_at(motion, slot, next);
        if (!(fabs(next_height) < fabs(height))) {
            break;
        }
        last = share;
        last_height = height;
        share = next;
        height = next_height;
    }
    return share;
}

// The polynomial of a surface ends where its jets do, one order before that of x, and what it
// leaves out is as large as the tolerance: the state would come to lie beside the surface, perhaps
// where the equations behind it have no value. Events that were found at the same place move along.
static void go_onto_surface(rh_motion *motion, rh_crossing *crossing)
{
    const bool is_surface = crossing->kind == RH_CROSSING_SWITCH && crossing->share <= 1.0 &&
                            !motion->mode.conditions[crossing->index].is_sliding;
    if (!is_surface) {
        return;
    }
    const uint32_t slot = motion->system->step->switches[crossing->index].surface;
    const double share = share_on_surface(motion, slot, crossing->share);
    const double shift = fabs(share - crossing->share);
    for (uint32_t k = 0; shift > 0.0 && k < motion->found_count; k++) {
        const bool is_near = fabs(motion->found[k].share - crossing->share) <= 2.0 * shift;
        motion->found[k].share = is_near ? share : motion->found[k].share;
    }
    crossing->share = share;
}

rh_status rh__crossing_find(rh_motion *motion, double *inout_length, rh_crossing *out)
{
    double length = *inout_length;
    motion->found_count = 0;
    RH_ASSERT(length > 0.0);
    *out = (rh_crossing){.share = 2.0};
    if (!motion->stepper->has_jets && motion->samples.count > 0) {
        *inout_length = motion->series.length = length = rh__samples_take(motion, length);
    }
    if (motion->stepper->has_jets && motion->cut == 0.0) {
        *inout_length = motion->series.length = length = rh__watched_limit(motion, length);
    }
    RH_TRY(look_at_switches(motion, out));
    RH_TRY(look_at_gates(motion, out));
    if (motion->equations->model->events.count > 0) {
        RH_TRY(look_at_conditions(motion, out));
        RH_TRY(look_at_events(motion, length, out));
    }
    go_onto_surface(motion, out);
    rh__crossing_clear(motion);
    if (out->share <= 1.0) {
        find_due(motion, length, out->share);
    }
    RH_ASSERT((out->kind != RH_CROSSING_NONE) == (out->share <= 1.0) && out->share >= 0.0);
    return note_sides(motion, out);
}
