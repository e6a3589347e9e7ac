// SPDX-License-Identifier: Apache-2.0
// The unit of each variable: errors are relative to unit + |x|. It is the largest size that the
// variable had so far: at the start and after jumps over the time in which the motion changes, by
// its series, then at the ends of steps; and it is no smaller than `scale` and absolute errors say.
// Values of surfaces are measured by what rounding of variables of these sizes does to them. So a
// motion is the same in all units.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHARE 1e-10 // of a rate: what is less rounding than that is left out
#define GROWTH 1.5  // of the time from step to step, while a place without a series is left
enum { TRIES = 16, LAST = 3 };

// `unit_jumps`, where units are to be found at the next step whatever jumps.
#define GUESSED UINT64_MAX
#define LEAVING (UINT64_MAX - 1)

static double coefficient(const rh_motion *motion, uint32_t k, uint32_t i)
{
    return fabs(rh__series_row(&motion->series, k)[i]);
}

// (a / b)^(1/n), also where the quotient is too small for a number.
static double root_of_quotient(double a, double b, uint32_t n)
{
    RH_ASSERT(n > 0);
    const double ratio = a / b;
    const bool is_lost = a > 0.0 && isfinite(b) && ratio < DBL_MIN;
    return is_lost ? exp2((log2(a) - log2(b)) / n) : pow(ratio, 1.0 / (double)n);
}

// The largest value of a variable over some time, by its series.
static double size_over(const rh_motion *motion, uint32_t i, double time)
{
    enum { POINTS = 8 };
    const rh_series *series = &motion->series;
    double size = coefficient(motion, 0, i);
    for (uint32_t j = 1; j <= POINTS; j++) {
        const double s = time * j / POINTS;
        double value = 0.0;
        for (uint32_t k = series->degree + 1; k-- > 0;) {
            value = value * s + rh__series_row(series, k)[i];
        }
        size = fmax(size, fabs(value));
    }
    return size;
}

// The time after which the first coefficient of a variable that is not zero is overtaken by one of
// those from `from` on; infinite when there are none.
static double overtaking(const rh_motion *motion, uint32_t i, uint32_t from)
{
    uint32_t first = 0;
    while (first <= motion->order && coefficient(motion, first, i) == 0.0) {
        first++;
    }
    double time = INFINITY;
    for (uint32_t k = from > first ? from : first + 1; k <= motion->order; k++) {
        const double own =
            root_of_quotient(coefficient(motion, first, i), coefficient(motion, k, i), k - first);
        time = fmin(time, rh__unit_rounded(own));
    }
    return time;
}

// How long a series with these sizes is trusted: a few rounds, each by the sizes over the last.
static double refine(const rh_motion *motion, double time)
{
    RH_ASSERT(motion->order >= LAST);
    double last = 0.0;
    for (uint32_t n = 0; n < TRIES && time > 1.1 * last; n++) {
        double own = INFINITY;
        for (uint32_t i = 0; i < motion->n; i++) {
            const double size = motion->tolerance * size_over(motion, i, time);
            for (uint32_t m = motion->order - LAST + 1; m <= motion->order; m++) {
                const double length = root_of_quotient(size, coefficient(motion, m, i), m);
                own = fmin(own, rh__unit_rounded(length));
            }
        }
        last = time;
        time = isfinite(own) ? fmax(time, own) : time;
    }
    return time;
}

// The time in which the motion changes by its size; 0: nothing tells.
static double time_of(const rh_motion *motion)
{
    double shortest = INFINITY;
    double longest = 0.0; // of polynomials
    for (uint32_t i = 0; i < motion->n; i++) {
        const double all = coefficient(motion, 0, i) > 0.0 ? overtaking(motion, i, 1) : INFINITY;
        shortest = fmin(shortest, overtaking(motion, i, motion->order / 3));
        longest = isfinite(all) ? fmax(longest, all) : longest;
    }
    return isfinite(shortest) ? refine(motion, shortest) : longest;
}

// What errors of the time and of x do to all slots of the stepping tape, together with rounding.
static void find_bounds_at(rh_motion *motion, double t, const double *x, const double *error,
                           double time, double *bounds)
{
    RH_ASSERT(x != bounds + 1 && error != bounds + 1);
    double *inputs = rh__jet_row(motion->plain, 0);
    inputs[0] = t;
    memcpy(inputs + 1, x, motion->n * sizeof *inputs);
    bounds[0] = time;
    memcpy(bounds + 1, error, motion->n * sizeof *error);
    rh__tape_follow_ranks(motion->plain, motion->step);
    rh__tape_bounds(motion->plain, bounds);
}

static void find_bounds_into(rh_motion *motion, double time, const double *error, double *bounds)
{
    find_bounds_at(motion, motion->t, motion->x, error, time, bounds);
}

static void find_bounds(rh_motion *motion, double time, const double *error)
{
    find_bounds_into(motion, time, error, motion->bounds);
}

// What rounding of its rate moves a variable by, over some time or as long as it takes to forget
// it: where rates change by so much when the variables are off, it is no longer.
static double move_by(double time, double error, double before, double after)
{
    const double change = time * (after - before);
    const double moved = error == 0.0     ? time * after // a coordinate, by its velocity
                         : change > error ? error * (error / change)
                                          : error;
    return isfinite(moved) ? moved : 0.0;
}

// How long noise of rates is looked at: in the time of the motion, in the step at hand.
typedef struct spans {
    double time, step;
} spans;

// How long rounding of the rate of a variable lasts: where the rate would make another variable of
// it within the time, as near a pole or in a pulse, it is what it is for the step at hand only.
static double span_of(const rh_motion *motion, uint32_t i, spans over)
{
    const double rate = fabs(rh__tape_output(motion->plain, i, 0));
    const double size = fmax(fmax(motion->unit[i], motion->most[i]), fabs(motion->x[i]));
    return rate * over.time > size && size > 0.0 ? fmin(over.step, over.time) : over.time;
}

static bool find_floor_at(rh_motion *motion, double t, const double *x, spans over, double share)
{
    const uint32_t *rate = motion->system->step->outputs;
    double *error = motion->x_try;
    double *noise = motion->slope;
    bool is_raised = false;
    RH_ASSERT(x != error && x != noise);
    memset(error, 0, motion->n * sizeof *error); // the state is what it is
    find_bounds_at(motion, t, x, error, 0.0, motion->bounds);
    for (uint32_t i = 0; i < motion->n; i++) {
        noise[i] = motion->bounds[rate[i]];
        // where it is no share of the rate, the variable has a size that goes with it
        const bool counts = noise[i] > share * fabs(rh__tape_output(motion->plain, i, 0));
        error[i] = counts && isfinite(noise[i]) ? span_of(motion, i, over) * noise[i] : 0.0;
    }
    find_bounds_at(motion, t, x, error, 0.0, motion->bounds);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double bound = motion->bounds[rate[i]];
        const bool is_moved = error[i] > 0.0 || (noise[i] == 0.0 && bound > 0.0);
        const double span = span_of(motion, i, over);
        const double least =
            is_moved ? move_by(span, error[i], noise[i], bound) / motion->tolerance : 0.0;
        is_raised = is_raised || least > 2.0 * rh__unit_size(motion, i, x[i]);
        motion->floor[i] = fmax(motion->floor[i], least);
    }
    motion->bounds_at[0] = (double)NAN; // these are others
    return is_raised;
}

static bool find_floor(rh_motion *motion, double time, double step, double share)
{
    return find_floor_at(motion, motion->t, motion->x, (spans){.time = time, .step = step}, share);
}

bool rh__unit_find_floor_ahead(rh_motion *motion)
{
    const double step = motion->series.length;
    const double t = motion->t + step;
    rh__series_value(&motion->series, t, motion->x_row);
    return rh__vector_is_finite(motion->n, motion->x_row) &&
           find_floor_at(motion, t, motion->x_row, (spans){.time = motion->unit_time, .step = step},
                         SHARE);
}

bool rh__unit_find_floor(rh_motion *motion, double step)
{
    return find_floor(motion, motion->unit_time, step, SHARE);
}

static void find_sizes(rh_motion *motion, double time)
{
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = size_over(motion, i, time);
        motion->unit[i] = isfinite(size) ? fmax(motion->unit[i], size) : motion->unit[i];
    }
    (void)find_floor(motion, time, time, SHARE);
}

// The series at the present point. What was found on the way to none, as ranks when there was no
// memory, is not to be relied on.
static bool has_series(rh_motion *motion)
{
    const bool is_well = rh__taylor_series(motion) && !motion->step->quality.is_failed;
    if (!is_well) {
        rh__tape_forget_ranks(motion->step);
        rh__tape_forget_ranks(motion->plain);
    }
    return is_well;
}

// The time after which the first term of what is watched is overtaken by another one.
static double time_of_slot(const rh_motion *motion, const rh_tape_state *state, uint32_t slot)
{
    double time = INFINITY;
    double first = 0.0;
    uint32_t order = 0;
    for (uint32_t k = 0; k < motion->order; k++) {
        const double c = fabs(rh__jet_row(state, k)[slot]);
        if (first > 0.0 && c > 0.0) {
            time = fmin(time, rh__unit_rounded(pow(first / c, 1.0 / (double)(k - order))));
        } else if (first == 0.0) {
            first = c;
            order = k;
        }
    }
    return time;
}

// Where the motion itself tells nothing, as a fall from zero does: the time to what it comes to.
static double time_of_watched(rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    const uint32_t events = motion->equations->model->events.count;
    double time = INFINITY;
    for (uint32_t k = 0; k < step->switch_count; k++) {
        time = fmin(time, time_of_slot(motion, motion->step, step->switches[k].surface));
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const uint32_t slot = rh__gate_slot(motion, &motion->mode.gates[k]);
        time = fmin(time, time_of_slot(motion, motion->step, slot));
    }
    if (events > 0) {
        rh__crossing_watch(motion);
    }
    for (uint32_t k = 0; k < events; k++) {
        time = fmin(time, time_of_slot(motion, motion->watch, motion->system->watch->outputs[k]));
    }
    return isfinite(time) ? time : 0.0;
}

static bool has_unknown(const rh_motion *motion)
{
    bool has = !(motion->unit_time > 0.0);
    for (uint32_t i = 0; !has && i < motion->n; i++) {
        has = !(motion->unit[i] > 0.0);
    }
    return has;
}

rh_status rh__unit_create(rh_motion *motion)
{
    motion->bounds =
        rh__arena_array(&motion->arena, double, rh__tape_bounds_room(motion->system->step));
    for (uint32_t k = 0; k < 2; k++) {
        motion->drift_bounds[k] =
            rh__arena_array(&motion->arena, double, rh__tape_bounds_room(motion->system->step));
    }
    motion->bounds_at = rh__arena_array(&motion->arena, double, (size_t)motion->n + 1);
    motion->watch_bounds =
        rh__arena_array(&motion->arena, double, rh__tape_bounds_room(motion->system->watch));
    return motion->bounds != NULL && motion->drift_bounds[0] != NULL &&
                   motion->drift_bounds[1] != NULL && motion->bounds_at != NULL &&
                   motion->watch_bounds != NULL
               ? RH_OK
               : motion->arena.status;
}

// The time that a series tells, of what holds when nothing is decided yet; 0: it tells nothing.
static double guess_time_by_series(rh_motion *motion)
{
    if (!has_series(motion)) {
        return 0.0;
    }
    const double time = time_of(motion);
    return time > 0.0 ? time : time_of_watched(motion);
}

// The time in which the terms of the rates, whatever becomes of them together, change a variable by
// its size: at once, or through others.
static double guess_time(rh_motion *motion)
{
    const uint32_t *rate = motion->system->step->outputs;
    double *terms = motion->x_try;
    double time = INFINITY;
    memset(terms, 0, motion->n * sizeof *terms);
    for (uint32_t pass = 1; pass <= 2; pass++) {
        find_bounds(motion, 0.0, terms);
        for (uint32_t i = 0; i < motion->n; i++) {
            const double sum = motion->bounds[rate[i]];
            terms[i] = pass == 1 ? sum / DBL_EPSILON : sum;
            const double own = fabs(motion->x[i]) / terms[i];
            time = own > 0.0 ? fmin(time, pass == 1 ? own : sqrt(own)) : time;
            terms[i] = isfinite(terms[i]) ? terms[i] : 0.0;
        }
    }
    motion->bounds_at[0] = (double)NAN;
    return isfinite(time) ? time : guess_time_by_series(motion);
}

rh_status rh__unit_reserve(rh_motion *motion)
{
    const bool is_asked = motion->equations->links.count > 0 && motion->reason[0] == '\0';
    return is_asked && !has_series(motion) ? motion->step->rescue.status : RH_OK;
}

void rh__unit_guess(rh_motion *motion)
{
    motion->unit_time = 0.0;
    motion->unit_jumps = GUESSED;
    motion->has_trial_units = false;
    motion->bounds_at[0] = (double)NAN;
    memcpy(motion->unit, motion->least, motion->n * sizeof *motion->unit);
    memcpy(motion->floor, motion->least, motion->n * sizeof *motion->floor);
    memset(motion->most, 0, motion->n * sizeof *motion->most);
    rh__unit_follow(motion);
    // until it is known what holds there
    motion->unit_time = guess_time(motion);
    (void)find_floor(motion, motion->unit_time, motion->unit_time, 0.0);
}

// A place without a series, as where a root begins: the first step away from it is as short as the
// rates tell anything, and sizes are looked for as long as the time grows in which the motion
// changes.
static void leave(rh_motion *motion, double left)
{
    motion->has_trial_units = motion->unit_time == 0.0;
    motion->unit_time = motion->unit_time > 0.0 ? motion->unit_time : left;
    motion->unit_jumps = LEAVING;
}

static void find_all(rh_motion *motion, double left)
{
    const bool is_known = has_series(motion);
    const bool is_leaving = motion->unit_jumps == LEAVING;
    if (!is_known && motion->step->rescue.status != RH_OK) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E515, "there was no memory at t = %.17g", motion->t);
        return;
    }
    if (!is_known && motion->stepper->has_jets) {
        leave(motion, left);
        return;
    }
    double time = is_known ? time_of(motion) : 0.0;
    if (is_known && time == 0.0 && motion->unit_time == 0.0) {
        time = time_of_watched(motion);
    }
    const bool is_growing = is_leaving && time > GROWTH * motion->length_last;
    motion->has_trial_units = time == 0.0 && motion->unit_time == 0.0;
    motion->unit_time = is_leaving                ? fmax(motion->unit_time, time)
                        : motion->unit_time > 0.0 ? motion->unit_time
                        : time > 0.0              ? time
                                                  : left;
    motion->series.degree = is_known ? motion->series.degree : 1;
    find_sizes(motion, time > 0.0 ? time : motion->unit_time);
    motion->unit_jumps = is_growing ? LEAVING : motion->jumps;
}

void rh__unit_find(rh_motion *motion, double left)
{
    if (motion->unit_jumps == motion->jumps || motion->reason[0] != '\0') {
        return;
    }
    for (uint32_t i = 0; i < motion->n; i++) { // what faded may have been held
        motion->unit[i] = fmax(motion->unit[i], motion->most[i]);
    }
    if (motion->unit_jumps == GUESSED) { // what was guessed
        motion->unit_time = 0.0;
    }
    if (motion->unit_jumps >= LEAVING) {
        memcpy(motion->floor, motion->least, motion->n * sizeof *motion->floor);
    }
    if (motion->unit_jumps == LEAVING || has_unknown(motion)) {
        find_all(motion, left);
    } else {
        motion->unit_jumps = motion->jumps;
    }
    RH_ASSERT(motion->reason[0] != '\0' || motion->unit_jumps == motion->jumps ||
              motion->unit_jumps == LEAVING);
    if (motion->reason[0] == '\0') {
        rh__projector_measure(&motion->projector, motion->t, motion->x);
        rh__conserved_begin(motion);
    }
}

void rh__unit_fade(rh_motion *motion)
{
    const double *rate = rh__series_row(&motion->series, 1);
    const double time = motion->unit_time;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double unit = motion->unit[i];
        // what passes zero has the size that it comes from
        const double way = fmin(fabs(rate[i]) * time, unit);
        motion->most[i] = fmax(motion->most[i], unit);
        motion->unit[i] = fmax(fmax(way, RH_GLIDE_FADE * unit), rh__unit_least(motion, i));
    }
}

double rh__unit_least(const rh_motion *motion, uint32_t i)
{
    const double floor = motion->floor[i];
    return fabs(motion->x[i]) <= motion->tolerance * floor ? floor : motion->least[i];
}

void rh__unit_follow(rh_motion *motion)
{
    if (motion->has_trial_units && motion->stepper->order != 5) {
        const double *before = rh__series_row(&motion->series, 0);
        for (uint32_t i = 0; i < motion->n; i++) {
            motion->unit[i] = fmax(motion->floor[i], fabs(before[i]));
        }
        motion->unit_time = motion->t - motion->t_before;
    }
    motion->has_trial_units = false;
    for (uint32_t i = 0; i < motion->n; i++) {
        motion->unit[i] = fmax(motion->unit[i], fabs(motion->x[i]));
    }
}

bool rh__unit_wake(rh_motion *motion)
{
    const double time = time_of(motion);
    bool is_woken = false;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = motion->unit[i] > 0.0 ? 0.0 : size_over(motion, i, time);
        if (size > 0.0 && isfinite(size)) {
            motion->unit[i] = fmax(size, motion->floor[i]); // it may be nothing but rounding
            is_woken = true;
        }
    }
    return is_woken;
}

// The same at the present point, for variables with an error of one rounding, once.
static void look(rh_motion *motion)
{
    double *at = motion->bounds_at;
    if (at[0] == motion->t && motion->bounds_jumps == motion->jumps &&
        memcmp(at + 1, motion->x, motion->n * sizeof *at) == 0) {
        return;
    }
    for (uint32_t i = 0; i < motion->n; i++) {
        at[1 + i] = DBL_EPSILON * rh__unit_size(motion, i, motion->x[i]);
    }
    find_bounds(motion, DBL_EPSILON * (fabs(motion->t) + motion->unit_time), at + 1);
    at[0] = motion->t;
    memcpy(at + 1, motion->x, motion->n * sizeof *at);
    motion->bounds_jumps = motion->jumps;
    motion->has_drift_bounds = false;
}

double rh__unit_size(const rh_motion *motion, uint32_t i, double x)
{
    return fmax(fmax(motion->unit[i], motion->most[i]), fmax(motion->floor[i], fabs(x)));
}

double rh__unit_of_slot(rh_motion *motion, uint32_t slot)
{
    RH_ASSERT(slot < motion->system->step->slot_count);
    look(motion);
    return motion->bounds[slot] / DBL_EPSILON;
}

double rh__unit_of_rate(rh_motion *motion, uint32_t slot)
{
    const uint32_t *rate = motion->system->step->outputs;
    const double time = motion->unit_time;
    double *const *bounds = motion->drift_bounds;
    RH_ASSERT(slot < motion->system->step->slot_count);
    look(motion);
    if (!motion->has_drift_bounds) { // with no error of x, and with that of its rates over a time
        double *error = motion->x_try;
        memset(error, 0, motion->n * sizeof *error);
        find_bounds_into(motion, 0.0, error, bounds[0]);
        for (uint32_t i = 0; i < motion->n; i++) {
            const double own = time * motion->bounds[rate[i]];
            error[i] = isfinite(own) ? own : 0.0;
        }
        find_bounds_into(motion, 0.0, error, bounds[1]);
        motion->has_drift_bounds = true;
    }
    const double moved = bounds[1][slot] - bounds[0][slot];
    return time > 0.0 && isfinite(moved) ? moved / (time * DBL_EPSILON) : 0.0;
}

double rh__unit_of_event(rh_motion *motion, uint32_t index)
{
    const rh_tape *step = motion->system->step;
    const rh_tape *watch = motion->system->watch;
    double *bound = motion->watch_bounds;
    double *inputs = rh__jet_row(motion->watch_point, 0);
    RH_ASSERT(index < motion->equations->model->events.count);
    look(motion);
    for (uint32_t k = 0; index == 0 && k < watch->input_count; k++) {
        const uint32_t slot = k <= motion->n ? k : step->outputs[k - 1]; // t, x, unknowns
        inputs[k] = motion->plain->jet[slot];
        bound[k] = motion->bounds[slot];
    }
    if (index == 0) {
        rh__tape_bounds(motion->watch_point, bound);
    }
    return bound[watch->outputs[index]] / DBL_EPSILON;
}

double rh__unit_of_hold(rh_motion *motion, uint32_t hold)
{
    RH_ASSERT(hold < motion->system->step->hold_count);
    look(motion);
    return rh__tape_bound_of_row(motion->plain, motion->bounds, hold);
}
