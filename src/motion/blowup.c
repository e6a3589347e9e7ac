// SPDX-License-Identifier: Apache-2.0
// Motions that go to infinity in finite time. Beside a variable that does, another may turn ever
// faster (sin(x^2) where x blows up): then every step is short for a good reason, and the time of
// the blow-up is never reached. So times are noted where the number of steps has doubled. Near a
// blow-up at T both T - t and 1/|x| fall by nearly constant factors from one such time to the next;
// else more steps lead farther. docs/theory/motion.md, section 5.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

enum { FIRST_STEPS = 1 << 13, JUDGED_STEPS = 1 << 18 };

#define MOST_SHRINKING 0.92 // of the time between two doublings; double exponential growth has more
#define LEAST_GROWTH 1.05   // of |x| there
#define MOST_UNSTEADY 0.1

rh_status rh__growth_create(rh_motion *motion)
{
    motion->growth = (rh_growth){.count = 0};
    motion->growth.x =
        rh__arena_array(&motion->arena, double, (size_t)RH_GROWTH_NOTES * motion->n + 1);
    return motion->growth.x != NULL ? RH_OK : motion->arena.status;
}

uint64_t rh__growth_budget(const rh_motion *motion)
{
    uint64_t next = FIRST_STEPS;
    while (next <= motion->steps) {
        next *= 2;
    }
    return next - motion->steps;
}

static void note(rh_motion *motion)
{
    rh_growth *it = &motion->growth;
    const uint32_t n = motion->n;
    if (it->count == RH_GROWTH_NOTES) {
        it->count--;
        memmove(it->time, it->time + 1, it->count * sizeof *it->time);
        memmove(it->x, it->x + n, (size_t)it->count * n * sizeof *it->x);
    }
    it->time[it->count] = motion->t;
    memcpy(it->x + (size_t)it->count * n, motion->x, n * sizeof *it->x);
    it->count++;
}

// Does the time between two notes become shorter by a factor?
static bool shrinks(const rh_growth *it, double looseness)
{
    double least = INFINITY;
    double most = 0.0;
    for (uint32_t k = 0; k + 2 < RH_GROWTH_NOTES; k++) {
        const double factor = (it->time[k + 2] - it->time[k + 1]) / (it->time[k + 1] - it->time[k]);
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    return least > 0.0 && most < MOST_SHRINKING && most < (1.0 + 0.25 * looseness) * least;
}

// How much the factors by which a component grew differ, relative; INFINITY: it did not grow.
static double unsteadiness(const rh_motion *motion, uint32_t i)
{
    RH_ASSERT(i < motion->n);
    double least = INFINITY;
    double most = 0.0;
    for (uint32_t k = 1; k + 1 < RH_GROWTH_NOTES; k++) {
        const double *x = motion->growth.x + (size_t)k * motion->n + i;
        const double factor = x[motion->n] / x[0];
        least = fmin(least, isfinite(factor) ? factor : 0.0);
        most = fmax(most, factor);
    }
    return least > LEAST_GROWTH ? most / least - 1.0 : INFINITY;
}

// T of |x| = c (T - t)^-p through the last three notes: what is 0 there.
static double misfit(const double *t, const double *logs, double time)
{
    return (logs[2] - logs[1]) * log((time - t[0]) / (time - t[1])) -
           (logs[1] - logs[0]) * log((time - t[1]) / (time - t[2]));
}

// By three notes from `from` on: between a small part of the last time between notes and many times
// that; the middle when the notes say nothing.
static double find_time(const rh_motion *motion, uint32_t i, uint32_t from)
{
    const rh_growth *it = &motion->growth;
    RH_ASSERT(it->count == RH_GROWTH_NOTES && from + 3 <= RH_GROWTH_NOTES);
    const double *t = it->time + from;
    const double last = t[2] - t[1];
    double logs[3];
    for (uint32_t k = 0; k < 3; k++) {
        logs[k] = log(fabs(it->x[(size_t)(from + k) * motion->n + i]));
    }
    double low = -7.0; // logarithms of the time that is left
    double high = 7.0;
    const bool is_above = misfit(t, logs, t[2] + last * exp(high)) > 0.0;
    for (uint32_t k = 0; k < 50; k++) {
        const double middle = 0.5 * (low + high);
        const bool has_passed = (misfit(t, logs, t[2] + last * exp(middle)) > 0.0) == is_above;
        low = has_passed ? low : middle;
        high = has_passed ? middle : high;
    }
    return t[2] + last * exp(0.5 * (low + high));
}

// The time of the blow-up with so many digits as the last two estimates of it agree in, up to four.
static double estimate(const rh_motion *motion, uint32_t i, int *out_digits)
{
    enum { MOST_DIGITS = 4 };
    const double time = find_time(motion, i, RH_GROWTH_NOTES - 3);
    const double spread = fabs(time - find_time(motion, i, RH_GROWTH_NOTES - 4));
    int digits = MOST_DIGITS;
    while (digits > 1 && pow(10.0, floor(log10(fabs(time))) + 1.0 - digits) < 0.5 * spread) {
        digits--;
    }
    *out_digits = digits;
    return time;
}

void rh__growth_follow(rh_motion *motion)
{
    const uint64_t steps = motion->steps;
    if (steps < FIRST_STEPS || (steps & (steps - 1)) != 0) {
        return;
    }
    note(motion);
    const rh_growth *it = &motion->growth;
    if (it->count < RH_GROWTH_NOTES || steps < JUDGED_STEPS) {
        return;
    }
    // the first one gives its name, the steadiest one the time
    const rh_column *first = NULL;
    const rh_column *best = NULL;
    // loose tolerances make steps of uneven length; the longer it takes, the less is asked
    const double looseness = steps > JUDGED_STEPS ? 4.0 : 1.0;
    const bool is_due = shrinks(it, looseness);
    double least = looseness * MOST_UNSTEADY;
    for (uint32_t k = 0; is_due && k < motion->columns.count; k++) {
        const rh_column *column = &motion->columns.data[k];
        const bool is_x = column->source == RH_COLUMN_X;
        const double own = is_x ? unsteadiness(motion, column->index) : INFINITY;
        first = first == NULL && own < looseness * MOST_UNSTEADY ? column : first;
        best = own < least ? column : best;
        least = fmin(own, least);
    }
    if (first != NULL) {
        int digits = 0;
        const double time = estimate(motion, best->index, &digits);
        rh__motion_fail(
            motion, RH_DIAGNOSTIC_E503,
            "steps become ever shorter at t = %.17g, where %s = %.3g and seems to go to "
            "infinity near t = %.*g",
            motion->t, first->name, motion->x[first->index], digits, time);
    }
}
