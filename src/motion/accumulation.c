// SPDX-License-Identifier: Apache-2.0
// Changes that follow each other ever faster: switches of relays, resets, impacts. Where the same
// changes come in the same order and the times from one round to the next fall as a geometric
// series, r = r* + c L with the length L of a round, there is a limit, of the time and of the state
// (docs/theory/motion.md, 7). The best estimate of the time on the way is kept; when what is left
// is short the motion is put there, on the surfaces that were crossed, and goes on if there is a
// mode in which it can: at rest or sliding on them, in contact. The state at the limit is
// extrapolated from where the ends of the last rounds would lead without further changes, so that
// what has nothing to do with the changes goes its own way.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = RH_ACCUMULATION_MOST, LONGEST = (MOST - 1) / 3, MOST_ROUNDS = 8, MOST_TERMS = 10000 };

#define RESET (1ull << 63) // in the number of a change
#define SHORT 1e-6     // of the time since the rounds began: what is left of it is passed at once
#define NEAR 1e-2      // of it: so near to the limit rounding may end the rounds
#define ONE 1e-6       // of the time between changes: what is nearer is one moment
#define COARSE 1e-4    // the same without jets
#define BRIEFEST 1e-11 // of the time: a few steps of cvode and ida behind a change
#define SAME 0.1       // of what is left: rounds that were interrupted come to the same limit
#define STEADY 0.02    // of the gap of a ratio to 1: by so much it may change from round to round

rh_status rh__accumulation_create(rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    bool has_reset = false;
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        has_reset = has_reset || motion->equations->model->events.data[k].reset_count > 0;
    }
    it->is_on = has_reset || motion->system->step->switch_count > 0;
    const size_t n = it->is_on ? motion->n : 0;
    it->x = rh__arena_array(&motion->arena, double, MOST *n + 1);
    it->limit = rh__arena_array(&motion->arena, double, n + 1);
    it->ends = rh__arena_array(&motion->arena, double, RH_ACCUMULATION_ENDS *n + 1);
    it->way = rh__arena_array(&motion->arena, double, 2 * n + 1);
    const uint32_t events = motion->equations->model->events.count;
    it->event_rounds = rh__arena_array(&motion->arena, uint64_t, (size_t)events + 1);
    it->event_size = rh__arena_array(&motion->arena, double, (size_t)events + 1);
    it->rounds = 1;
    rh__accumulation_forget(motion);
    return it->x != NULL && it->limit != NULL && it->ends != NULL && it->way != NULL &&
                   it->event_rounds != NULL && it->event_size != NULL
               ? RH_OK
               : motion->arena.status;
}

void rh__accumulation_forget(rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    it->count = it->period = 0;
    it->passed = 0;
    it->best = INFINITY;
    it->last = it->until = it->time_limit = -INFINITY;
}

double rh__accumulation_pace(const rh_motion *motion)
{
    const rh_accumulation *it = &motion->accumulation;
    RH_ASSERT(it->count <= MOST);
    const uint32_t last = it->count - 1;
    if (motion->stepper->has_jets || it->count < 2 || motion->t != it->time[last]) {
        return INFINITY;
    }
    const bool is_reset = (it->what[last] & RESET) != 0;
    const uint32_t back = is_reset ? 1 : it->period;
    return back > 0 && back <= last ? it->time[last] - it->time[last - back] : INFINITY;
}

// --- rounds --------------------------------------------------------------------------------------

// How far apart changes of one moment may be, `gap` after others: without jets also by the error of
// the method, and by a few of the shortest steps.
static double moment_of(const rh_motion *motion, double gap)
{
    return motion->stepper->has_jets ? ONE * gap : fmax(COARSE * gap, BRIEFEST * fabs(motion->t));
}

static void push(rh_motion *motion, uint64_t what)
{
    rh_accumulation *it = &motion->accumulation;
    const uint32_t n = motion->n;
    RH_ASSERT(it->count <= MOST);
    const double *t = it->time + it->count - 1;
    const bool is_same =
        it->count > 0 && (motion->t == t[0] ||
                          (it->count > 1 && motion->t - t[0] <= moment_of(motion, t[0] - t[-1])));
    if (is_same) {
        const uint64_t last = it->what[--it->count]; // the same moment, in whatever order
        what = ((what ^ last) & RESET) != 0 ? (what > last ? what : last)
                                            : ((what + last) & ~RESET) | (what & RESET);
    }
    if (it->count == MOST) {
        memmove(it->time, it->time + 1, (MOST - 1) * sizeof *it->time);
        memmove(it->what, it->what + 1, (MOST - 1) * sizeof *it->what);
        memmove(it->x, it->x + n, (size_t)(MOST - 1) * n * sizeof *it->x);
        it->count--;
    }
    it->time[it->count] = motion->t;
    it->what[it->count] = what;
    memcpy(it->x + (size_t)it->count * n, motion->x, n * sizeof *it->x);
    it->count++;
}

// Rounds of `period` changes, three of them, each shorter than the one before.
static bool has_rounds(const rh_accumulation *it, uint32_t period)
{
    RH_ASSERT(0 < period && 3 * period < it->count && it->count <= MOST);
    const uint32_t last = it->count - 1;
    bool is_same = last >= 3 * period;
    for (uint32_t k = 0; is_same && k < 2 * period; k++) {
        is_same = it->what[last - k] == it->what[last - k - period];
    }
    if (!is_same) {
        return false;
    }
    const double *t = it->time + last;
    const double now = t[0] - t[-(ptrdiff_t)period];
    const double before = t[-(ptrdiff_t)period] - t[-2 * (ptrdiff_t)period];
    const double first = t[-2 * (ptrdiff_t)period] - t[-3 * (ptrdiff_t)period];
    const double ratio = now / before;
    return now > 0.0 && now < before && before < first &&
           fabs(ratio - before / first) <= STEADY * (1.0 - ratio);
}

static uint32_t find_period(const rh_accumulation *it)
{
    for (uint32_t period = 1; period <= LONGEST && 3 * period < it->count; period++) {
        if (has_rounds(it, period)) {
            return period;
        }
    }
    return 0;
}

// What is left until the limit: the ratio of rounds is a straight line in their length.
static double time_left(const rh_accumulation *it)
{
    RH_ASSERT(it->period > 0 && 3 * it->period < it->count);
    const double *t = it->time + it->count - 1;
    const ptrdiff_t p = it->period;
    const double now = t[0] - t[-p];
    const double before = t[-p] - t[-2 * p];
    const double first = t[-2 * p] - t[-3 * p];
    const double change = (before / first - now / before) / (first - before);
    const double ratio = now / before - change * before;
    double length = now;
    double sum = 0.0;
    for (uint32_t k = 0; k < MOST_TERMS && length > DBL_EPSILON * sum; k++) {
        length *= ratio + change * length;
        if (!(length >= 0.0 && length < now)) {
            return INFINITY;
        }
        sum += length;
    }
    return length > DBL_EPSILON * sum ? INFINITY : sum;
}

// Keep the ends of the last three rounds.
static void keep_ends(rh_accumulation *it, uint32_t n)
{
    RH_ASSERT((RH_ACCUMULATION_ENDS - 1) * it->period < it->count);
    for (uint32_t k = 0; k < RH_ACCUMULATION_ENDS; k++) {
        const size_t at = it->count - 1 - (size_t)k * it->period;
        it->end[k] = it->time[at];
        memcpy(it->ends + (size_t)k * n, it->x + at * n, n * sizeof *it->ends);
    }
}

// --- the limit -----------------------------------------------------------------------------------

// How far the series in `step` leads from x, to rounding.
static double length_at(const rh_motion *motion, const double *x)
{
    double length = INFINITY;
    for (uint32_t k = motion->order - 1; k <= motion->order; k++) {
        const double *row = rh__jet_row(motion->step, k) + 1;
        double size = 0.0;
        for (uint32_t i = 0; i < motion->n; i++) {
            const double unit = fmax(rh__unit_size(motion, i, x[i]), fabs(x[i]));
            size = unit > 0.0 ? fmax(size, fabs(row[i]) / unit) : size;
        }
        length = fmin(length, pow(DBL_EPSILON / size, 1.0 / k));
    }
    return length;
}

// Where x would be at another time by the equations as they hold now, whatever happens on the way;
// false: nobody knows.
static bool carry(rh_motion *motion, double from, double to, double *x)
{
    enum { MOST_STEPS = 10000 };
    for (uint32_t step = 0; from < to; step++) {
        rh__system_series(motion->system, motion->step, from, x, motion->order);
        rh__jet_fill(motion->step);
        const double next = fmin(from + length_at(motion, x), to);
        if (!(next > from) || step == MOST_STEPS) {
            return false;
        }
        for (uint32_t i = 0; i < motion->n; i++) {
            double sum = 0.0;
            for (uint32_t k = motion->order + 1; k-- > 0;) {
                sum = sum * (next - from) + rh__jet_row(motion->step, k)[1 + i];
            }
            if (!isfinite(sum)) {
                return false;
            }
            x[i] = sum;
        }
        from = next;
    }
    return true;
}

// The state at the limit: the parabola through the places to which the ends of the last rounds
// lead, by the time that was left.
static bool find_limit(rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    const uint32_t n = motion->n;
    const double *t = it->end;
    bool ok = true;
    for (uint32_t k = 0; ok && k < RH_ACCUMULATION_ENDS; k++) {
        ok = carry(motion, t[k], it->time_limit, it->ends + (size_t)k * n);
    }
    const double share = (it->time_limit - t[0]) / (t[1] - t[0]);
    const double curved =
        (it->time_limit - t[0]) * (it->time_limit - t[1]) / ((t[2] - t[0]) * (t[2] - t[1]));
    for (uint32_t i = 0; ok && i < n; i++) {
        const double x = it->ends[i];
        const double slope = it->ends[n + i] - x;
        const double bend = it->ends[2 * (size_t)n + i] - x - slope * (t[2] - t[0]) / (t[1] - t[0]);
        it->limit[i] = x + slope * share + bend * curved;
    }
    return ok;
}

// A change as a number; those of one moment are added up.
static uint64_t number_of(rh_crossing_kind kind, uint32_t index, int direction)
{
    RH_ASSERT(kind != RH_CROSSING_NONE && -1 <= direction && direction <= 1);
    const uint64_t mixed =
        ((uint64_t)kind + 8 * (uint64_t)(direction + 1) + 64 * (uint64_t)index + 1) *
        0x9E3779B97F4A7C15u;
    return mixed ^ (mixed >> 29);
}

// Where resets are due they alone count: what else happens there depends on their order.
static uint64_t number_all(const rh_motion *motion, const rh_crossing *how)
{
    const bool is_change = how->kind == RH_CROSSING_SWITCH || how->kind == RH_CROSSING_GATE;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        sum += motion->due[k] ? number_of(RH_CROSSING_EVENT, k, 0) : 0;
    }
    return sum != 0    ? sum | RESET
           : is_change ? number_of(how->kind, how->index, how->direction) & ~RESET
                       : 0;
}

// A coefficient of a surface at (t, x).
static double surface_of(rh_motion *motion, uint32_t condition, uint32_t order)
{
    RH_ASSERT(condition < motion->system->step->switch_count && order <= 2);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, 2);
    return rh__jet_row(motion->step, order)[motion->system->step->switches[condition].surface];
}

// Move what takes part in the rounds, by as much as it does, until a surface or its rate vanishes.
static void put_onto(rh_motion *motion, uint32_t condition, uint32_t order)
{
    const rh_accumulation *it = &motion->accumulation;
    const double *far = it->ends + motion->n;
    const double value = surface_of(motion, condition, order);
    double sum = 0.0;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = 1e-3 * fabs(far[i] - it->limit[i]);
        const double kept = motion->x[i];
        motion->x[i] += size;
        motion->slope[i] = size > 0.0 ? surface_of(motion, condition, order) - value : 0.0;
        motion->x[i] = kept;
        sum += motion->slope[i] * motion->slope[i];
    }
    for (uint32_t i = 0; sum > 0.0 && i < motion->n; i++) {
        const double size = 1e-3 * fabs(far[i] - it->limit[i]);
        motion->x[i] -= value * motion->slope[i] / sum * size;
    }
}

static bool slides_second(const rh_motion *motion, const rh_condition *it)
{
    RH_ASSERT(it->slide == UINT32_MAX || it->slide < motion->system->slide_count);
    return it->slide != UINT32_MAX && motion->system->slides[it->slide].is_second;
}

// Conditions and gates that were crossed in the last round are met, and held if they can be.
static void meet(rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
            rh_condition *on = &motion->mode.conditions[k];
            if (on->rounds != it->rounds) {
                continue;
            }
            put_onto(motion, k, 0);
            if (slides_second(motion, on)) {
                put_onto(motion, k, 1);
            }
        }
    }
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *on = &motion->mode.conditions[k];
        if (on->rounds == it->rounds) {
            on->is_open = true;
            on->known = slides_second(motion, on) ? 2 : 1;
            on->is_sliding = on->slide != UINT32_MAX;
        }
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        motion->mode.gates[k].is_met = motion->mode.gates[k].rounds == it->rounds;
    }
}

// How much an event function does in the time of the last round.
static double size_of_event(rh_motion *motion, uint32_t event, double time)
{
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    rh__crossing_watch(motion);
    double sum = 0.0;
    double power = time;
    for (uint32_t m = 1; m < 5 && m < motion->order; m++, power *= time) {
        sum += fabs(rh__tape_output(motion->watch, event, m)) * power;
    }
    return sum;
}

static void fail(rh_motion *motion, const char *name)
{
    rh__motion_fail(
        motion, RH_DIAGNOSTIC_E510,
        "resets of %s accumulate at t = %.17g (%llu of them up to here), and nothing in the model "
        "holds the motion there: for a floor write `constraint NAME: x >= 0 impact e`",
        name, motion->t, (unsigned long long)motion->accumulation.passed);
}

static const char *name_of(const rh_motion *motion)
{
    const rh_accumulation *it = &motion->accumulation;
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        if (it->event_rounds[k] == it->rounds) {
            return motion->event_names[k];
        }
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        if (motion->mode.gates[k].rounds == it->rounds) {
            return motion->mode.gates[k].name;
        }
    }
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        if (motion->mode.conditions[k].rounds == it->rounds) {
            return motion->mode.conditions[k].name;
        }
    }
    return "";
}

static void say(rh_motion *motion)
{
    const uint32_t before = motion->occurrences.count;
    rh__mode_record(motion, RH_OCCURRENCE_ACCUMULATE, name_of(motion), motion->t);
    for (uint32_t k = before; k < motion->occurrences.count; k++) {
        motion->occurrences.data[k].count = motion->accumulation.passed;
    }
}

// The caller wants to be somewhere before the limit: what takes part in the rounds is put on the
// straight line to it.
static bool pass_part(rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    const uint32_t n = motion->n;
    double *there = it->way;
    double *beyond = it->way + n;
    RH_ASSERT(motion->t <= motion->t_most && motion->t_most < it->time_limit);
    const double share = (motion->t_most - motion->t) / (it->time_limit - motion->t);
    memcpy(there, motion->x, n * sizeof *there);
    bool ok = carry(motion, motion->t, motion->t_most, there);
    memcpy(beyond, there, n * sizeof *there);
    ok = ok && carry(motion, motion->t_most, it->time_limit, beyond);
    for (uint32_t i = 0; ok && i < n; i++) {
        motion->x[i] = there[i] + share * (it->limit[i] - beyond[i]);
    }
    motion->t = ok ? motion->t_most : motion->t;
    return ok;
}

// Put the motion at the limit, or as near to it as the caller wants to go. Where nobody can tell
// the state there it goes on as it can.
static void pass(rh_motion *motion, double length)
{
    rh_accumulation *it = &motion->accumulation;
    const uint32_t events = motion->equations->model->events.count;
    const double end = fmax(it->time_limit, motion->t);
    if (!find_limit(motion)) {
        rh__accumulation_forget(motion);
        return;
    }
    if (end > motion->t_most) {
        if (pass_part(motion)) {
            rh__samples_forget(motion);
            rh__mode_open(motion);
            rh__mode_settle(motion);
        }
        rh__accumulation_forget(motion);
        return;
    }
    for (uint32_t k = 0; k < events; k++) {
        it->event_size[k] =
            it->event_rounds[k] == it->rounds ? size_of_event(motion, k, length) : 0.0;
    }
    motion->t = end;
    memcpy(motion->x, it->limit, motion->n * sizeof *motion->x);
    meet(motion);
    say(motion);
    rh__samples_forget(motion);
    rh__mode_settle(motion);
    for (uint32_t k = 0; k < events && motion->reason[0] == '\0'; k++) {
        if (it->event_rounds[k] == it->rounds &&
            size_of_event(motion, k, length) > 1e-2 * it->event_size[k]) {
            fail(motion, motion->event_names[k]);
        }
    }
    rh__accumulation_forget(motion);
}

// --- noting --------------------------------------------------------------------------------------

// What changed belongs to the rounds under way.
static void mark(rh_motion *motion, const rh_crossing *how)
{
    rh_accumulation *it = &motion->accumulation;
    RH_ASSERT(how->kind != RH_CROSSING_SWITCH || how->index < motion->system->step->switch_count);
    RH_ASSERT(how->kind != RH_CROSSING_GATE || how->index < motion->mode.gate_count);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *on = &motion->mode.conditions[k];
        on->rounds = on->side != on->side_noted ? it->rounds : on->rounds;
        on->side_noted = on->side;
    }
    if (how->kind == RH_CROSSING_SWITCH) {
        motion->mode.conditions[how->index].rounds = it->rounds;
    } else if (how->kind == RH_CROSSING_GATE) {
        motion->mode.gates[how->index].rounds = it->rounds;
    }
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        if (motion->due[k]) {
            it->event_rounds[k] = it->rounds;
        }
    }
}

// Is the best estimate the last word? Then what is left is short (INFINITY: nobody knows); or
// rounding and the error of steps begin to spoil the estimates, or the rounds themselves.
static bool is_ripe(const rh_motion *motion, double left, double error)
{
    const rh_accumulation *it = &motion->accumulation;
    const double duration = motion->t - it->since;
    const double brief =
        motion->stepper->has_jets ? SHORT : fmin(fmax(SHORT, 30.0 * sqrt(motion->tolerance)), NEAR);
    const bool is_noisy =
        error > 8.0 * it->best && !(error < 1e-2 * left) && it->best_left < NEAR * duration;
    return isfinite(it->best) && it->passed > 4 * (uint64_t)it->period &&
           (left < brief * duration || is_noisy);
}

static void begin_rounds(rh_motion *motion, uint32_t period)
{
    rh_accumulation *it = &motion->accumulation;
    RH_ASSERT(3 * period < it->count);
    it->rounds++;
    it->passed = 3 * (uint64_t)period;
    it->period = period;
    it->best = INFINITY;
    it->last = -INFINITY;
    if (period == 0) {
        return;
    }
    // rounds that were counted another way, or interrupted, are the same ones
    const double since = it->time[it->count - 1 - 3 * period];
    const double left = time_left(it);
    const bool is_same =
        since <= it->until || fabs(motion->t + left - it->time_limit) <= SAME * left;
    it->since = is_same ? fmin(it->since, since) : since;
}

// Is another surface met at this very moment, and not crossed yet?
static bool is_incomplete(rh_motion *motion)
{
    const rh_accumulation *it = &motion->accumulation;
    const rh_tape *tape = motion->system->step;
    bool is_found = false;
    if (it->count < 2 || tape->switch_count < 2) {
        return false;
    }
    const double moment = moment_of(motion, it->time[it->count - 1] - it->time[it->count - 2]);
    rh__gate_look(motion);
    for (uint32_t k = 0; k < tape->switch_count && !is_found; k++) {
        const rh_condition *on = &motion->mode.conditions[k];
        const double s = rh__jet_row(motion->probe, 0)[tape->switches[k].surface];
        const double rate = rh__jet_row(motion->probe, 1)[tape->switches[k].surface];
        is_found = !on->is_sliding && on->side * rate < 0.0 && fabs(s) <= moment * fabs(rate);
    }
    return is_found;
}

void rh__accumulation_note(rh_motion *motion, const rh_crossing *how)
{
    rh_accumulation *it = &motion->accumulation;
    const uint64_t number = it->is_on ? number_all(motion, how) : 0;
    if (number == 0 || motion->reason[0] != '\0') {
        return;
    }
    push(motion, number);
    if (is_incomplete(motion)) {
        mark(motion, how);
        it->passed++;
        return;
    }
    const uint32_t period = find_period(it);
    // what ended without it long ago, as bounces in contact do, has no limit any more
    const bool is_past = motion->t > it->time_limit + it->best_left;
    if (period != it->period && it->period != 0 && !is_past &&
        is_ripe(motion, INFINITY, INFINITY)) {
        pass(motion, it->best_left);
        return;
    }
    if (period != it->period) {
        begin_rounds(motion, period);
    }
    mark(motion, how);
    it->passed++;
    if (period == 0) {
        return;
    }
    it->until = motion->t;
    const double left = time_left(it);
    const double limit = motion->t + left;
    const double error = fabs(limit - it->last);
    it->last = limit;
    if (isfinite(limit) && error <= it->best) {
        it->best = error;
        it->best_left = left;
        it->time_limit = limit;
        keep_ends(it, motion->n);
    }
    if (is_ripe(motion, left, error)) {
        pass(motion, it->time[it->count - 1] - it->time[it->count - 1 - period]);
    }
}
