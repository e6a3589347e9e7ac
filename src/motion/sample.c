// SPDX-License-Identifier: Apache-2.0
// Event functions and switching surfaces along a step whose polynomial did not come from jets:
// their values at Chebyshev points s_j = (1 - cos(pi j / m)) / 2 of the step, the Chebyshev
// coefficients of the interpolating polynomial, and its coefficients by powers of s. What is below
// rounding is cut off, so that it does not grow with the powers.

#include "motion/motion.h"

#include <float.h>
#include <math.h>

enum { DEGREE = RH_SAMPLE_DEGREE, POINTS = DEGREE + 1 };

#define FINE 1e-11   // of the last Chebyshev coefficients
#define ALIASED 1e-3 // of a function: so far between the samples it is another one
#define PI 3.14159265358979323846

rh_status rh__samples_create(rh_motion *motion)
{
    rh_samples *samples = &motion->samples;
    rh_arena *arena = &motion->arena;
    samples->slide = motion->system->step->switch_count;
    samples->gate = samples->slide + motion->system->slide_count;
    samples->event = samples->gate + motion->mode.gate_count;
    samples->condition = samples->event + motion->equations->model->events.count;
    samples->count = samples->condition + motion->system->watch->switch_count;
    samples->values = rh__arena_array(arena, double, (size_t)samples->count *POINTS + 1);
    samples->sizes = rh__arena_array(arena, double, (size_t)samples->count + 1);
    samples->between = rh__arena_array(arena, double, (size_t)samples->count + 1);
    samples->event_side = rh__arena_array(arena, int, (size_t)samples->count + 1);
    samples->is_timed = rh__arena_array(arena, bool, (size_t)samples->count + 1);
    samples->spectrum = rh__arena_array(arena, double, POINTS *POINTS);
    samples->powers = rh__arena_array(arena, double, POINTS *POINTS);
    if (samples->values == NULL || samples->sizes == NULL || samples->event_side == NULL ||
        samples->between == NULL || samples->is_timed == NULL || samples->spectrum == NULL ||
        samples->powers == NULL) {
        return arena->status;
    }
    RH_TRY(rh__tape_timed(motion->system->step, arena, samples->is_timed));
    for (uint32_t k = 0; k < POINTS; k++) {
        for (uint32_t j = 0; j < POINTS; j++) {
            const double ends = (k % DEGREE == 0 ? 0.5 : 1.0) * (j % DEGREE == 0 ? 0.5 : 1.0);
            samples->spectrum[k * POINTS + j] =
                (k % 2 == 0 ? 2.0 : -2.0) / DEGREE * ends * cos(PI * (double)(j * k) / DEGREE);
        }
    }
    // T_k(2 s - 1) by powers of s: whole numbers
    double *t = samples->powers;
    t[0] = 1.0;
    t[POINTS] = -1.0;
    t[POINTS + 1] = 2.0;
    for (uint32_t k = 2; k < POINTS; k++) {
        double *row = t + k * POINTS;
        for (uint32_t j = 0; j <= k; j++) {
            const double below = j > 0 ? row[(ptrdiff_t)j - 1 - POINTS] : 0.0;
            row[j] =
                4.0 * below - 2.0 * row[(ptrdiff_t)j - POINTS] - row[(ptrdiff_t)j - 2 * POINTS];
        }
    }
    return RH_OK;
}

void rh__samples_forget(rh_motion *motion)
{
    motion->jumps++;
    rh__samples_unknown(motion);
}

void rh__samples_unknown(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->samples.count; k++) {
        motion->samples.event_side[k] = 0;
    }
}

static double place_of(uint32_t j)
{
    return 0.5 * (1.0 - cos(PI * j / DEGREE));
}

// Event functions where `plain` was run.
static void run_watch(rh_motion *motion)
{
    const uint32_t n = motion->n;
    double *inputs = rh__jet_row(motion->watch, 0);
    for (uint32_t k = 0; k <= n; k++) {
        inputs[k] = motion->plain->jet[k];
    }
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        inputs[1 + n + k] = rh__tape_output(motion->plain, n + k, 0);
    }
    rh__tape_run(motion->watch);
}

static void run_at(rh_motion *motion, double time)
{
    RH_ASSERT(!isnan(time));
    rh__series_value(&motion->series, time, motion->x_row);
    rh__motion_rate(motion, time, motion->x_row, motion->x_try);
    if (motion->samples.count > motion->samples.event) {
        run_watch(motion);
    }
}

// All functions where the tapes were run, each `stride` numbers behind the one before.
static void read_values(const rh_motion *motion, uint32_t stride, double *out)
{
    const rh_samples *samples = &motion->samples;
    const rh_tape *step = motion->system->step;
    const rh_tape *watch = motion->system->watch;
    for (uint32_t k = 0; k < samples->slide; k++) {
        out[k * stride] = motion->plain->jet[step->switches[k].surface];
    }
    for (uint32_t k = samples->slide; k < samples->gate; k++) {
        const rh_slide *slide = &motion->system->slides[k - samples->slide];
        out[k * stride] = rh__tape_output(motion->plain, motion->n + slide->unknown, 0);
    }
    for (uint32_t k = samples->gate; k < samples->event; k++) {
        const uint32_t slot = rh__gate_slot(motion, &motion->mode.gates[k - samples->gate]);
        out[k * stride] = motion->plain->jet[slot];
    }
    for (uint32_t k = samples->event; k < samples->condition; k++) {
        out[k * stride] = motion->watch->jet[watch->outputs[k - samples->event]];
    }
    for (uint32_t k = samples->condition; k < samples->count; k++) {
        const uint32_t slot = watch->switches[k - samples->condition].surface;
        out[k * stride] = motion->watch->jet[slot];
    }
}

static void take(rh_motion *motion, double length)
{
    for (uint32_t j = 0; j < POINTS; j++) {
        run_at(motion, j == 0 ? motion->t : motion->t + place_of(j) * length);
        read_values(motion, POINTS, motion->samples.values + j);
    }
}

// Conditions inside event functions keep their sides along a step, so that every piece is smooth:
// those that have none yet get that of the beginning, or where it is on the surface a little
// farther on.
static void decide_watched(rh_motion *motion, double length)
{
    const rh_tape *watch = motion->system->watch;
    for (uint32_t k = 0; k < watch->switch_count; k++) {
        if (motion->watch_side[k] != 0.0) {
            continue;
        }
        const uint32_t slot = watch->switches[k].surface;
        run_at(motion, motion->t);
        const double first = motion->watch->jet[slot];
        run_at(motion, motion->t + place_of(1) * length);
        const double next = motion->watch->jet[slot];
        const double least = 4.0 * motion->tolerance * (fabs(first) + fabs(next));
        const double value = fabs(first) > least ? first : next;
        if (value != 0.0) {
            rh__switch_flip_watched(motion, k, value > 0.0 ? 1 : -1);
        }
    }
}

// How far the polynomials through the samples are from what lies between them.
static double roughness(const rh_motion *motion)
{
    const rh_samples *samples = &motion->samples;
    double worst = 0.0;
    for (uint32_t k = 0; k < samples->count; k++) {
        const double *values = samples->values + (size_t)k * POINTS;
        double size = samples->sizes[k];
        double tail = 0.0;
        for (uint32_t j = 0; j < POINTS; j++) {
            size = fmax(size, fabs(values[j]));
        }
        for (uint32_t j = DEGREE - 1; j <= DEGREE; j++) {
            tail = fmax(tail, fabs(rh__vector_dot(POINTS, samples->spectrum + j * POINTS, values)));
        }
        worst = size > 0.0 ? fmax(worst, tail / size) : worst;
    }
    return worst;
}

// The polynomial through the samples of a function, at a share of the step (Clenshaw).
static double interpolate(const rh_samples *samples, uint32_t index, double share)
{
    const double *values = samples->values + (size_t)index * POINTS;
    const double x = 2.0 * share - 1.0;
    double a = 0.0;
    double b = 0.0;
    for (uint32_t j = DEGREE; j > 0; j--) {
        const double next =
            2.0 * x * a - b + rh__vector_dot(POINTS, samples->spectrum + j * POINTS, values);
        b = a;
        a = next;
    }
    return x * a - b + rh__vector_dot(POINTS, samples->spectrum, values);
}

// Are the samples those of another function? Waves much shorter than the step may look smooth.
static bool is_aliased(rh_motion *motion, double length)
{
    static const double SHARES[] = {0.27, 0.81}; // where nothing is symmetric
    const rh_samples *samples = &motion->samples;
    bool is = false;
    for (size_t j = 0; !is && j < sizeof SHARES / sizeof *SHARES; j++) {
        run_at(motion, motion->t + SHARES[j] * length);
        read_values(motion, 1, samples->between);
        for (uint32_t k = 0; !is && k < samples->count; k++) {
            const double *values = samples->values + (size_t)k * POINTS;
            double size = ALIASED * samples->sizes[k];
            for (uint32_t i = 0; i < POINTS; i++) {
                size = fmax(size, fabs(values[i]));
            }
            is = fabs(interpolate(samples, k, SHARES[j]) - samples->between[k]) > ALIASED * size;
        }
    }
    return is;
}

static double look(rh_motion *motion, double length, double fine)
{
    take(motion, length);
    const double rough = roughness(motion);
    return rough <= fine && is_aliased(motion, length) ? INFINITY : rough;
}

// Of the terms of each function, at the beginning of the step.
static void find_sizes(rh_motion *motion)
{
    rh_samples *samples = &motion->samples;
    const rh_tape *step = motion->system->step;
    for (uint32_t k = 0; k < samples->count; k++) {
        if (k < samples->slide) {
            samples->sizes[k] = rh__unit_of_slot(motion, step->switches[k].surface);
        } else if (k < samples->gate) {
            samples->sizes[k] = 1.0; // what it is made of the sides, by shares
        } else if (k < samples->event) {
            const rh_gate *gate = &motion->mode.gates[k - samples->gate];
            samples->sizes[k] = rh__unit_of_slot(motion, rh__gate_slot(motion, gate));
        } else if (k < samples->condition) {
            samples->sizes[k] = rh__unit_of_event(motion, k - samples->event);
        } else {
            const uint32_t slot = motion->system->watch->switches[k - samples->condition].surface;
            samples->sizes[k] = motion->watch_bounds[slot] / DBL_EPSILON; // found with the events
        }
    }
}

// Halving a step makes a smooth function smoother, by powers of two once a step is shorter than its
// waves, and at once where it leaves a corner or a pole behind its end. Where it never does there
// is a corner or a jump, and no step would be short enough.
double rh__samples_take(rh_motion *motion, double length)
{
    enum { MOST_HALVINGS = 40 };
    const double whole = length;
    const double fine = fmax(FINE, 4.0 * motion->tolerance);
    RH_ASSERT(length > 0.0);
    find_sizes(motion);
    decide_watched(motion, length);
    double rough = look(motion, length, fine);
    const double least = 1e3 * RH_STEP_LEAST * fabs(motion->t); // else the time goes in stairs
    for (uint32_t k = 0; k < MOST_HALVINGS && rough > fine && length > least; k++) {
        length /= 2.0;
        rough = look(motion, length, fine);
    }
    if (rough > fine) {
        take(motion, whole);
        return whole;
    }
    return length;
}

double rh__samples_first(const rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < motion->samples.count);
    return motion->samples.values[(size_t)index * POINTS];
}

double rh__samples_last(const rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < motion->samples.count);
    return motion->samples.values[(size_t)index * POINTS + DEGREE];
}

bool rh__samples_are_rounding(const rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < motion->samples.count);
    const double few = 8.0 * DBL_EPSILON * motion->samples.sizes[index];
    const double *values = motion->samples.values + (size_t)index * POINTS;
    bool are = true;
    for (uint32_t k = 0; k < POINTS && are; k++) {
        are = fabs(values[k]) <= few;
    }
    return are;
}

uint32_t rh__samples_fit(rh_motion *motion, const double *values)
{
    RH_ASSERT(values != motion->polynomial);
    const rh_samples *samples = &motion->samples;
    double spectrum[POINTS];
    double size = 0.0;
    for (uint32_t k = 0; k < POINTS; k++) {
        spectrum[k] = rh__vector_dot(POINTS, samples->spectrum + k * POINTS, values);
        size = fmax(size, fabs(values[k]));
        motion->polynomial[k] = 0.0;
    }
    uint32_t degree = DEGREE;
    while (degree > 0 && fabs(spectrum[degree]) <= 4e-16 * size) {
        degree--;
    }
    for (uint32_t k = degree + 1; k-- > 0;) {
        for (uint32_t j = 0; j <= k; j++) {
            motion->polynomial[j] += spectrum[k] * samples->powers[k * POINTS + j];
        }
    }
    return degree;
}

uint32_t rh__samples_polynomial(rh_motion *motion, uint32_t index, double *out_floor)
{
    RH_ASSERT(index < motion->samples.count);
    const double *values = motion->samples.values + (size_t)index * POINTS;
    double size = 0.0;
    for (uint32_t k = 0; k < POINTS; k++) {
        size = fmax(size, fabs(values[k]));
    }
    // the step is known to its error only: touching is what comes that near. The time is known.
    const double error = motion->samples.is_timed[index] ? DBL_EPSILON : motion->tolerance;
    *out_floor = fmin(4.0 * error * (motion->samples.sizes[index] + size), 1e-3 * size);
    return rh__samples_fit(motion, values);
}
