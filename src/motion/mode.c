// SPDX-License-Identifier: Apache-2.0
// The mode of a motion: which conditions hold, which surfaces it slides on, which one-sided
// constraints act. Within a mode all is
// smooth; at its end everything that is open is settled anew by the series of the motion itself:
// what happens next is told by the first coefficient that is not zero.

#include "motion/motion.h"

#include <math.h>

enum { MOST_CHANGES = 100 }; // in MOMENT, before that is called an accumulation

#define MOMENT 1e-9 // relative to |t|
#define LONG 1e4    // times as long as it went so far: what changes slower rests
#define ZERO 1e-10  // of the largest term: less is rounding
#define NOISE 1e-13 // the same, of the terms of a value
#define WRONG 1e3   // of what is clear: so far projection may move it to the wrong side

// --- making
// --------------------------------------------------------------------------------------

const char *rh__mode_condition_text(rh_motion *motion, rh_expr condition)
{
    rh_text text = rh__text_begin(&motion->arena, NULL);
    const rh_show *show =
        rh__show_create(motion->equations->store, &motion->arena, RH_NOTATION_TEXT, &condition, 1);
    if (show == NULL) {
        return NULL;
    }
    rh__show_expr(show, condition, &text);
    return rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

rh_status rh__mode_create(rh_motion *motion)
{
    const rh_system *system = motion->system;
    rh_mode *mode = &motion->mode;
    mode->conditions =
        rh__arena_array(&motion->arena, rh_condition, (size_t)system->step->switch_count + 1);
    if (mode->conditions == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < system->step->switch_count; k++) {
        mode->conditions[k] = (rh_condition){.slide = UINT32_MAX, .name = ""};
    }
    for (uint32_t k = 0; k < system->slide_count; k++) {
        RH_ASSERT(system->slides[k].at < system->step->switch_count);
        rh_condition *it = &mode->conditions[system->slides[k].at];
        RH_ASSERT(it->slide == UINT32_MAX);
        it->slide = k;
        it->name = rh__mode_condition_text(motion, system->slides[k].condition);
        if (it->name == NULL) {
            return motion->arena.status;
        }
    }
    mode->worst = INFINITY;
    RH_TRY(rh__switch_create(motion));
    RH_TRY(rh__gate_create(motion));
    return rh__intermittent_create(motion);
}

// --- looking ahead
// -------------------------------------------------------------------------------

// The largest logarithm of a rate, to base 2: coefficient m has this size. Three digits will do,
// and most sizes show by their exponent that they are no faster.
static double faster(double rate, uint32_t m, double size)
{
    if (!(size > 0.0) || rh__taylor_exponent(size) + 1.0 <= rate * m) {
        return rate;
    }
    const double own = rh__taylor_logarithm(size) / m;
    return own > rate ? own : rate;
}

double rh__mode_span(const rh_motion *motion)
{
    double sizes[RH_POLYNOMIAL_DEGREE + 1];
    double rate = -INFINITY;
    RH_ASSERT(motion->order <= RH_POLYNOMIAL_DEGREE);
    rh__taylor_sizes(motion, motion->order, sizes);
    for (uint32_t m = 1; m < motion->order; m++) {
        rate = faster(rate, m, sizes[m]);
    }
    const double span = isfinite(rate)            ? rh__unit_rounded(exp2(-rate))
                        : motion->unit_time > 0.0 ? motion->unit_time
                                                  : 1.0; // nothing changes, and no time is known
    const double elapsed = motion->mode.is_begun ? motion->t - motion->mode.begin : 0.0;
    return elapsed > 0.0 ? fmin(span, LONG * elapsed) : span;
}

double rh__mode_met(rh_motion *motion, uint32_t slot)
{
    const bool is_exact = motion->stepper == NULL || motion->stepper->has_jets;
    const double share =
        is_exact ? RH_MODE_MET : fmax(RH_MODE_MET, RH_MODE_CLEAR * motion->tolerance);
    return share * rh__unit_of_slot(motion, slot);
}

// What is looked at may change faster than the motion, by the time alone.
static double limit_span(rh_motion *motion, uint32_t slot, double span)
{
    const double size = rh__unit_of_slot(motion, slot);
    const double share = size > 0.0 ? 1.0 / size : 0.0;
    double rate = -INFINITY;
    for (uint32_t m = 1; m < motion->order; m++) {
        rate = faster(rate, m, fabs(rh__jet_row(motion->step, m)[slot]) * share);
    }
    return fmin(span, rh__unit_rounded(exp2(-rate)));
}

double rh__mode_noise(rh_motion *motion, uint32_t slot, uint32_t order, double span)
{
    RH_ASSERT(slot < motion->system->step->slot_count && order < motion->order);
    span = limit_span(motion, slot, span);
    double largest = 0.0;
    double power = 1.0; // relative to the term in question
    for (uint32_t m = order; m < motion->order; m++, power *= span) {
        const double size = fabs(rh__jet_row(motion->step, m)[slot]) * power;
        largest = size > largest ? size : largest;
    }
    double least = NOISE * rh__unit_of_slot(motion, slot) *
                   (order == 1 ? 1.0 / span : pow(span, -(double)order));
    if (order > 0 && !(ZERO * largest > least)) {
        // what goes on for long is still no faster than its rate is known
        const double rate = NOISE * rh__unit_of_rate(motion, slot);
        least = fmax(least, order == 1 ? rate : rate * pow(span, 1.0 - (double)order));
    }
    return ZERO * largest > least ? ZERO * largest : least;
}

rh_mode_term rh__mode_first(rh_motion *motion, uint32_t slot, uint32_t from, double span)
{
    for (uint32_t m = from; m < motion->order; m++) {
        const double c = rh__jet_row(motion->step, m)[slot];
        if (fabs(c) > rh__mode_noise(motion, slot, m, span)) {
            return (rh_mode_term){.order = m, .sign = c > 0.0 ? 1 : -1};
        }
    }
    return (rh_mode_term){.order = 0, .sign = 0};
}

// --- what happened
// -------------------------------------------------------------------------------

const char *rh_occurrence_kind_text(rh_occurrence_kind kind)
{
    static const char *const WORDS[] = {
        [RH_OCCURRENCE_RECORD] = "record",   [RH_OCCURRENCE_STOP] = "stop",
        [RH_OCCURRENCE_RESET] = "reset",     [RH_OCCURRENCE_SLIDE] = "slide",
        [RH_OCCURRENCE_LEAVE] = "leave",     [RH_OCCURRENCE_ENGAGE] = "engage",
        [RH_OCCURRENCE_GRAZE] = "graze",     [RH_OCCURRENCE_NEUTRAL] = "neutral",
        [RH_OCCURRENCE_IMPACT] = "impact",   [RH_OCCURRENCE_REFRACT] = "refract",
        [RH_OCCURRENCE_REFLECT] = "reflect", [RH_OCCURRENCE_ACCUMULATE] = "accumulate",
    };
    return (size_t)kind < sizeof WORDS / sizeof *WORDS ? WORDS[kind] : "";
}

// --- changing
// ------------------------------------------------------------------------------------

void rh__mode_record(rh_motion *motion, rh_occurrence_kind kind, const char *name, double time)
{
    RH_ASSERT(motion->occurrences.count <= motion->occurrences.capacity);
    // of what is decided at the start only an impulse, and what it leads to, is an event
    const bool is_event =
        motion->mode.is_begun || kind == RH_OCCURRENCE_IMPACT || kind == RH_OCCURRENCE_ENGAGE;
    if (!is_event) {
        return;
    }
    const rh_occurrence occurrence = {.time = time, .kind = kind, .name = name};
    if (motion->occurrences.count < motion->occurrences.capacity) {
        motion->occurrences.data[motion->occurrences.count++] = occurrence;
    }
}

// Changes that follow each other without end.
static void watch_for_accumulation(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    if (motion->t - mode->since > MOMENT * fabs(motion->t)) {
        mode->since = motion->t;
        mode->changes = 0;
    }
    if (++mode->changes > MOST_CHANGES) {
        const rh_occurrence *last = &motion->occurrences.data[motion->occurrences.count - 1];
        rh__motion_fail(motion, RH_DIAGNOSTIC_E510,
                        "changes of the equations accumulate at t = %.17g: more than %d within "
                        "%.3g%s%s",
                        motion->t, MOST_CHANGES, MOMENT * fabs(motion->t),
                        motion->occurrences.count > 0 ? ", the last one of " : "",
                        motion->occurrences.count > 0 ? last->name : "");
    }
}

void rh__mode_open(rh_motion *motion)
{
    rh__switch_open(motion);
    rh__gate_open(motion);
    rh__intermittent_open(motion);
}

// What acts, as one number to be compared: conditions and gates decide about each other.
static uint64_t fingerprint(const rh_motion *motion)
{
    uint64_t hash = 1469598103934665603u;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        RH_ASSERT(-1 <= it->side && it->side <= 1);
        hash = (hash ^ (uint64_t)(it->side + 1 + 4 * it->is_sliding)) * 1099511628211u;
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        hash = (hash ^ (uint64_t)motion->mode.gates[k].is_active) * 1099511628211u;
    }
    for (uint32_t k = 0; k < motion->mode.intermittents.count; k++) {
        hash = (hash ^ (uint64_t)motion->mode.intermittents.data[k].is_on) * 1099511628211u;
    }
    return hash;
}

static bool has_acting(const rh_mode *mode)
{
    bool acts = false;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        acts = acts || mode->gates[k].is_active;
    }
    for (uint32_t k = 0; k < mode->intermittents.count; k++) {
        acts = acts || mode->intermittents.data[k].is_on;
    }
    return acts;
}

void rh__mode_settle(rh_motion *motion)
{
    enum { MOST_ROUNDS = 8 };
    rh_mode *mode = &motion->mode;
    uint64_t before = 0;
    uint64_t now = 1;
    // a step that was cut short was so for its own sake
    motion->order = motion->cut > 0.0 ? motion->order_chosen : motion->order;
    const bool is_intermittent = mode->intermittents.count > 0;
    rh__switch_reopen(motion);
    if (is_intermittent) {
        rh__switch_meet(motion);
    }
    for (uint32_t round = 0; round < MOST_ROUNDS && now != before && motion->reason[0] == '\0';
         round++) {
        before = now;
        mode->has_jumped = false;
        rh__switch_decide(motion);
        if (motion->reason[0] == '\0') {
            rh__intermittent_decide(motion);
        }
        if (motion->reason[0] == '\0') {
            rh__gate_decide(motion);
        }
        if (motion->reason[0] == '\0' && has_acting(mode)) {
            rh__switch_rest(motion, is_intermittent);
        }
        if (mode->has_jumped) {
            rh__samples_forget(motion);
        }
        if (mode->has_jumped && is_intermittent) {
            rh__switch_meet(motion);
        } else if (mode->has_jumped) {
            rh__switch_open(motion);
        }
        // without gates nothing answers to the conditions, without conditions nothing to the gates
        const bool is_answered =
            is_intermittent ||
            (mode->gate_count > 0 && (motion->system->step->switch_count > 0 || mode->has_jumped));
        now = is_answered ? fingerprint(motion) : before;
    }
    RH_ASSERT(mode->open_count == 0 || motion->reason[0] != '\0');
    rh__switch_say(motion);
    rh__gate_say(motion);
    rh__intermittent_say(motion);
    motion->jumps++;
    motion->leap.count = 0; // steps of another length from here on are no sign of a singularity
    motion->leap.longest = 0.0;
    if (mode->is_begun) {
        watch_for_accumulation(motion);
    }
    mode->begin = mode->is_begun ? mode->begin : motion->t;
    mode->is_begun = true;
}

void rh__mode_begin(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    rh__tape_follow(motion->plain, motion->step);
    rh__jump_follow(motion, motion->step);
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        mode->was_kept[k] = mode->is_kept[k];
    }
}

// Do the coefficients of `step` still belong to the step that was taken?
static bool has_series(const rh_motion *motion)
{
    return motion->stepper->has_jets && motion->step->ready == motion->order &&
           motion->series.begin == motion->t_before &&
           rh__jet_row(motion->step, 0)[0] == motion->t_before;
}

// A slot of `step` at the end of the step, by its series.
static double value_at_end(const rh_motion *motion, uint32_t slot)
{
    const double s = motion->t - motion->t_before;
    double value = 0.0;
    for (uint32_t k = motion->order; k-- > 0;) {
        value = value * s + rh__jet_row(motion->step, k)[slot];
    }
    return value;
}

// The variational inequality: what acts pushes. And what let go is clear of its surface at last.
// Its largest term along the step.
static double size_along(const rh_motion *motion, uint32_t slot)
{
    const double length = motion->t - motion->t_before;
    double size = 0.0;
    double power = 1.0;
    for (uint32_t m = 0; m < motion->order; m++, power *= length) {
        size = fmax(size, fabs(rh__jet_row(motion->step, m)[slot]) * power);
    }
    return size;
}

static void note_pushes(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    bool is_evaluated = false;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        rh_gate *gate = &mode->gates[k];
        if (!gate->is_active && !gate->is_lifting) {
            continue;
        }
        const uint32_t slot = rh__gate_slot(motion, gate);
        const bool is_along = has_series(motion);
        if (!is_along && !is_evaluated) {
            rh__motion_rate(motion, motion->t, motion->x, motion->x_row);
            is_evaluated = true;
        }
        const double value = is_along ? value_at_end(motion, slot) : motion->plain->jet[slot];
        if (gate->is_active) {
            mode->worst = fmin(mode->worst, (gate->is_literal ? 1.0 : gate->sign) * value);
        } else {
            const double size = rh__unit_of_slot(motion, slot);
            gate->is_lifting =
                value <= RH_MODE_CLEAR * motion->tolerance *
                             (is_along ? fmin(size, size_along(motion, slot)) : size);
        }
    }
}

// With jets the zeros at the beginning of a step are known.
static void note_lifts(rh_motion *motion)
{
    bool is_evaluated = false;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        if (!it->is_lifting) {
            continue;
        }
        if (!motion->stepper->has_jets && !is_evaluated) {
            rh__motion_rate(motion, motion->t, motion->x, motion->x_row);
            is_evaluated = true;
        }
        const uint32_t slot = motion->system->step->switches[k].surface;
        const double surface = motion->plain->jet[slot];
        const double clear = RH_MODE_CLEAR * motion->tolerance * rh__unit_of_slot(motion, slot);
        const bool is_behind = surface * it->side < 0.0 && fabs(surface) <= WRONG * clear;
        it->is_lifting = !motion->stepper->has_jets && (fabs(surface) <= clear || is_behind);
    }
}

void rh__mode_advance(rh_motion *motion)
{
    note_pushes(motion);
    note_lifts(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        motion->mode.conditions[k].zeros = 0;
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        motion->mode.gates[k].zeros = 0;
    }
}
