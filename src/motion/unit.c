// SPDX-License-Identifier: Apache-2.0
// The unit of each variable: errors are relative to unit + |x|. It is what `scale` and absolute
// errors say, else 1; but where everything in a model is small, as micrometres are beside metres,
// it is the size that the variable has over the time in which the motion changes, by its series at
// the start: coefficient k of a variable is worth |c_k| h^k after the time h.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-3  // sizes below which a motion has units of its own
#define LEAST 1e-10 // of the largest one: smaller ones may be rounding
enum { TRIES = 16, LAST = 3 };

static double coefficient(const rh_motion *motion, uint32_t k, uint32_t i)
{
    return fabs(rh__series_row(&motion->series, k)[i]);
}

static double size_over(const rh_motion *motion, uint32_t i, double time)
{
    double size = coefficient(motion, 0, i);
    double power = time;
    for (uint32_t k = 1; k <= motion->series.degree; k++, power *= time) {
        const double c = coefficient(motion, k, i);
        size = c > 0.0 ? fmax(size, c * power) : size;
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
        const double ratio = coefficient(motion, first, i) / coefficient(motion, k, i);
        time = fmin(time, pow(ratio, 1.0 / (double)(k - first)));
    }
    return time;
}

// How long a series with these sizes is trusted: a few rounds, each by the sizes over the last.
static double refine(const rh_motion *motion, double time)
{
    double last = 0.0;
    for (uint32_t n = 0; n < TRIES && time > 1.1 * last; n++) {
        double own = INFINITY;
        for (uint32_t i = 0; i < motion->n; i++) {
            const double size = motion->tolerance * size_over(motion, i, time);
            for (uint32_t m = motion->order - LAST + 1; m <= motion->order; m++) {
                own = fmin(own, pow(size / coefficient(motion, m, i), 1.0 / (double)m));
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

static void set_given(rh_motion *motion)
{
    motion->has_small_units = false;
    for (uint32_t i = 0; i < motion->n; i++) {
        motion->unit[i] = motion->least[i] > 0.0 ? motion->least[i] : 1.0;
    }
}

// Sizes over a time; false: they are not small, or nothing moves, or something is given.
static bool set_small(rh_motion *motion, double time)
{
    double largest = 0.0;
    bool is_given = false;
    for (uint32_t i = 0; i < motion->n; i++) {
        largest = fmax(largest, size_over(motion, i, time));
        is_given = is_given || motion->least[i] > 0.0;
    }
    motion->has_small_units = !is_given && largest > 0.0 && largest < SMALL;
    for (uint32_t i = 0; motion->has_small_units && i < motion->n; i++) {
        const double size = size_over(motion, i, time);
        motion->unit[i] = size > 0.0 ? fmax(size, LEAST * largest) : largest;
    }
    return motion->has_small_units;
}

void rh__unit_guess(rh_motion *motion)
{
    double *own = rh__series_begin(&motion->series);
    motion->series.degree = 0;
    memcpy(own, motion->x, motion->n * sizeof *own);
    set_given(motion);
    (void)set_small(motion, 0.0);
}

void rh__unit_find(rh_motion *motion)
{
    const bool is_small = motion->has_small_units;
    set_given(motion);
    if (is_small && motion->reason[0] == '\0' && rh__taylor_series(motion)) {
        (void)set_small(motion, time_of(motion));
    }
}

double rh__unit_of_slot(rh_motion *motion, uint32_t slot)
{
    double *inputs = rh__jet_row(motion->plain, 0);
    double values[3] = {0.0};
    if (!motion->has_small_units) {
        return 1.0;
    }
    for (int k = 0; k < 3; k++) {
        inputs[0] = motion->t;
        for (uint32_t i = 0; i < motion->n; i++) {
            inputs[1 + i] = motion->x[i] + (k - 1) * motion->unit[i];
        }
        rh__tape_run(motion->plain);
        values[k] = inputs[slot];
    }
    const double unit = fmax(fabs(values[2] - values[1]), fabs(values[1] - values[0]));
    return isfinite(unit) && unit > 0.0 ? fmin(unit, 1.0) : 1.0;
}
