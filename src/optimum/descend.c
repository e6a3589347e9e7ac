// SPDX-License-Identifier: Apache-2.0
// The search for the least abscissa. First the box is divided (DIRECT, from NLopt), and the floors
// of the deepest valleys that were seen are looked for (SBPLX): that finds the valley. In the
// valley the abscissa is the largest of several functions, with a kink or a root of infinite slope
// at its floor, so nothing that asks for derivatives serves. A golden section finds the floor along
// one quantity; for two and three, each look of the outer section is an inner one. More are left to
// ravine.c and, now and then, to a search by subspaces (SBPLX).

#include "optimum/optimum.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define GOLDEN 0.61803398874989484820
#define BOX 0.02      // half of the first box, of the range
#define NEARLY 1e-9   // of a range
#define SHARP 1e-12   // of a value
#define GROWN 1.1     // times what a quantity could be moved by: farther
#define LEAST 2.3e-16 // of a range: what a quantity is known to at best
enum {
    NESTED = 3,
    MOVES = 24,
    ROUNDS = 40,
    LAST = 10,
    DOUBLINGS = 52,
    WAYS = 16,
    MIXED = 2,
    IDLE = 60,
    AGAIN = 40,
    VALLEYS = 24,
    FLOOR = 40
};

// What roots are measured by.
static double pace_of(const rh_optimum *optimum)
{
    return optimum->steady->reduction->engine.pace;
}

typedef struct descending {
    rh_optimum *optimum;
    nlopt_opt opt;
    bool is_near;
    double at[RH_OPTIMUM_MOST];  // where the sections are
    double low[RH_OPTIMUM_MOST]; // the box they are in
    double high[RH_OPTIMUM_MOST];
} descending;

// --- dividing the box ----------------------------------------------------------------------------

// NLopt sees the box as a cube, and no motion as a very bad one.
static double ask(unsigned count, const double *x, double *gradient, void *user)
{
    descending *in = user;
    rh_optimum *optimum = in->optimum;
    double at[RH_OPTIMUM_MOST] = {0.0};
    (void)gradient;
    for (unsigned k = 0; k < count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        at[k] = range->low + x[k] * (range->high - range->low);
    }
    const double value = in->is_near ? rh__trial_near(optimum, at) : rh__trial_far(optimum, at);
    if (rh__trial_is_over(optimum)) {
        (void)nlopt_force_stop(in->opt);
    }
    return isfinite(value) ? value : value < 0.0 ? -1e30 : 1e30;
}

static rh_status run(descending *in, nlopt_algorithm algorithm, int looks, double step,
                     const double *from)
{
    rh_optimum *optimum = in->optimum;
    double x[RH_OPTIMUM_MOST] = {0.0};
    double value = 0.0;
    in->opt = nlopt_create(algorithm, optimum->count);
    if (in->opt == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        x[k] = (from[k] - range->low) / (range->high - range->low);
        x[k] = fmin(fmax(x[k], 0.0), 1.0);
    }
    bool ok =
        nlopt_set_lower_bounds1(in->opt, 0.0) > 0 && nlopt_set_upper_bounds1(in->opt, 1.0) > 0 &&
        nlopt_set_min_objective(in->opt, ask, in) > 0 && nlopt_set_maxeval(in->opt, looks) > 0;
    ok = ok && (step == 0.0 || (nlopt_set_initial_step1(in->opt, step) > 0 &&
                                nlopt_set_xtol_rel(in->opt, 1e-13) > 0));
    // what it says of its end tells nothing: the best place is remembered by the trials
    const nlopt_result result = ok ? nlopt_optimize(in->opt, x, &value) : NLOPT_OUT_OF_MEMORY;
    nlopt_destroy(in->opt);
    in->opt = NULL;
    return result == NLOPT_OUT_OF_MEMORY ? RH_E_MEMORY : optimum->status;
}

// --- valleys -------------------------------------------------------------------------------------

static double distance(const rh_optimum *optimum, const double *a, const double *b)
{
    double far = 0.0;
    for (uint32_t k = 0; k < optimum->count; k++) {
        far = hypot(far, (a[k] - b[k]) / (optimum->over[k].high - optimum->over[k].low));
    }
    return far;
}

// Is a place no worse than those next to it, two for each quantity? How far the last of these is.
static bool is_low(const rh_optimum *optimum, uint32_t which, double *out_far)
{
    const rh_trial_place *it = &optimum->known.data[which];
    const uint32_t around = 2 * optimum->count;
    double nearest[2 * RH_OPTIMUM_MOST];
    double values[2 * RH_OPTIMUM_MOST];
    uint32_t count = 0;
    for (uint32_t k = 0; k < optimum->known.count; k++) {
        const rh_trial_place *other = &optimum->known.data[k];
        const double far = distance(optimum, it->at, other->at);
        if (!(far > 0.0) || (count == around && far >= nearest[count - 1])) {
            continue;
        }
        uint32_t to = count < around ? count++ : count - 1;
        for (; to > 0 && nearest[to - 1] > far; to--) {
            nearest[to] = nearest[to - 1];
            values[to] = values[to - 1];
        }
        nearest[to] = far;
        values[to] = other->value;
    }
    bool is_lowest = isfinite(it->value);
    for (uint32_t k = 0; k < count; k++) {
        is_lowest = is_lowest && it->value <= values[k];
    }
    *out_far = count > 0 ? nearest[count - 1] : 0.0;
    return is_lowest;
}

// The box was looked at in few places: where a valley lies the best of them need not be. So the
// floors of several valleys are looked for, those that were seen to be deepest first.
static rh_status visit_valleys(descending *in)
{
    rh_optimum *optimum = in->optimum;
    double before = -INFINITY; // those that were visited are no worse
    for (uint32_t n = 0; n < VALLEYS && !rh__trial_is_over(optimum); n++) {
        const rh_trial_place *next = NULL;
        double step = 0.0;
        for (uint32_t k = 0; k < optimum->known.count; k++) {
            const rh_trial_place *it = &optimum->known.data[k];
            double far = 0.0;
            if (it->value > before && (next == NULL || it->value < next->value) &&
                is_low(optimum, k, &far)) {
                next = it;
                step = far;
            }
        }
        if (next == NULL) {
            break;
        }
        before = next->value;
        memcpy(optimum->last.at, next->at, sizeof optimum->last.at);
        memcpy(optimum->last.places, next->places,
               optimum->steady->reduction->place_count * sizeof(double));
        RH_TRY(run(in, NLOPT_LN_SBPLX, FLOOR * (int)optimum->count, 0.5 * step, next->at));
    }
    return optimum->status;
}

// --- golden sections -----------------------------------------------------------------------------

static double section(descending *in, uint32_t axis);

// The least value with the quantities from `axis` on free in their box.
static double least_at(descending *in, uint32_t axis, double value)
{
    in->at[axis] = value;
    return axis + 1 == in->optimum->count ? rh__trial_near(in->optimum, in->at)
                                          : section(in, axis + 1);
}

static double section(descending *in, uint32_t axis)
{
    const rh_optimum_range *range = &in->optimum->over[axis];
    double low = in->low[axis];
    double high = in->high[axis];
    // where roots meet they are polished; inner sections need not be sharper than the outer one
    // sees
    const uint32_t count = in->optimum->count;
    const double share = count <= 1 ? 1e-15 : count == 2 ? 1e-13 : 1e-10; // of the range
    const double close = share * fmax(fabs(range->high - range->low), fmax(fabs(low), fabs(high)));
    double first = high - GOLDEN * (high - low);
    double second = low + GOLDEN * (high - low);
    double at_first = least_at(in, axis, first);
    double at_second = least_at(in, axis, second);
    while (high - low > close && first < second && !rh__trial_is_over(in->optimum)) {
        if (at_first <= at_second) {
            high = second;
            second = first;
            at_second = at_first;
            first = high - GOLDEN * (high - low);
            at_first = least_at(in, axis, first);
        } else {
            low = first;
            first = second;
            at_first = at_second;
            second = low + GOLDEN * (high - low);
            at_second = least_at(in, axis, second);
        }
    }
    // an end of the range is a place too
    double best = fmin(at_first, at_second);
    if (low == range->low) {
        best = fmin(best, least_at(in, axis, low));
    }
    if (high == range->high) {
        best = fmin(best, least_at(in, axis, high));
    }
    return best;
}

// Sections in a box around the best place, which moves on when that lies at its border.
static void close_in(descending *in)
{
    rh_optimum *optimum = in->optimum;
    double half[RH_OPTIMUM_MOST] = {0.0};
    for (uint32_t k = 0; k < optimum->count; k++) {
        half[k] = BOX * (optimum->over[k].high - optimum->over[k].low);
    }
    for (uint32_t move = 0; move < MOVES && !rh__trial_is_over(optimum); move++) {
        bool is_inside = true;
        double centre[RH_OPTIMUM_MOST] = {0.0};
        memcpy(centre, optimum->best.at, sizeof centre);
        const double before = optimum->best.value;
        for (uint32_t k = 0; k < optimum->count; k++) {
            in->low[k] = fmax(centre[k] - half[k], optimum->over[k].low);
            in->high[k] = fmin(centre[k] + half[k], optimum->over[k].high);
        }
        (void)section(in, 0);
        for (uint32_t k = 0; k < optimum->count; k++) {
            is_inside = is_inside && fabs(optimum->best.at[k] - centre[k]) < 0.9 * half[k];
        }
        optimum->gain = before - optimum->best.value;
        if (is_inside || !(optimum->best.value < before)) {
            // once more in a box that is as small as what was still gained
            const double gain = optimum->gain;
            if (!(gain > 1e-12 * (pace_of(optimum) + fabs(before)))) {
                break;
            }
            for (uint32_t k = 0; k < optimum->count; k++) {
                half[k] =
                    fmax(0.1 * half[k], 1e-9 * (optimum->over[k].high - optimum->over[k].low));
            }
        }
    }
}

// A section comes as near to an end of a range as it likes, and not to it: what is that near is
// there, where that is no worse than rounding.
static void snap(rh_optimum *optimum)
{
    double at[RH_OPTIMUM_MOST] = {0.0};
    memcpy(at, optimum->best.at, sizeof at);
    bool is_moved = false;
    for (uint32_t k = 0; k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        const double close = NEARLY * (range->high - range->low);
        const double end = at[k] - range->low <= close    ? range->low
                           : range->high - at[k] <= close ? range->high
                                                          : at[k];
        is_moved = is_moved || end != at[k];
        at[k] = end;
    }
    const double before = optimum->best.value;
    if (is_moved &&
        rh__trial_near(optimum, at) <= before + 1e-13 * (pace_of(optimum) + fabs(before))) {
        rh__trial_take(optimum);
    }
}

// --- bars ----------------------------------------------------------------------------------------

// Places that are no worse than the best one by more than is known of it, as what they differ from
// it by, in units of the ranges.
typedef struct reach {
    rh_optimum *optimum;
    double level;
    double ways[WAYS][RH_OPTIMUM_MOST];
    uint32_t count, rounds;
    double most[RH_OPTIMUM_MOST]; // that each quantity goes
} reach;

// Is the place so far along a way within, and inside the ranges?
static bool is_within(reach *in, const double *way, double length)
{
    rh_optimum *optimum = in->optimum;
    double at[RH_OPTIMUM_MOST] = {0.0};
    bool is_inside = true;
    for (uint32_t k = 0; k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        at[k] = optimum->best.at[k] + length * way[k] * (range->high - range->low);
        is_inside = is_inside && at[k] >= range->low && at[k] <= range->high;
    }
    return is_inside && rh__trial_near(optimum, at) <= in->level;
}

// As far along a way as it goes within, to both sides, by doublings. True: farther than before.
static bool go_along(reach *in, const double *way)
{
    const uint32_t n = in->optimum->count;
    double length = 0.0;
    bool is_farther = false;
    for (double side = -1.0; side <= 1.0; side += 2.0) {
        double next = ldexp(1.0, -2);
        while (next < ldexp(1.0, DOUBLINGS) && !rh__trial_is_over(in->optimum) &&
               is_within(in, way, side * next)) {
            length = fmax(length, next);
            next *= 2.0;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const double most = fmin(2.0 * length * fabs(way[k]), 1.0);
        is_farther = is_farther || most > GROWN * in->most[k];
        in->most[k] = fmax(in->most[k], most);
    }
    if (is_farther) {
        const uint32_t to = in->count < WAYS ? in->count++ : in->rounds++ % WAYS;
        for (uint32_t k = 0; k < n; k++) {
            in->ways[to][k] = length * way[k];
        }
    }
    return is_farther;
}

// Along each quantity alone, and then along mixtures of ways that were gone: at the floor of a
// ravine no quantity can be moved alone, and mixtures turn into it.
static void find_reach(reach *in)
{
    rh_optimum *optimum = in->optimum;
    const uint32_t n = optimum->count;
    rh_random random = rh__random_begin(n);
    for (uint32_t k = 0; k < n; k++) {
        double way[RH_OPTIMUM_MOST] = {0.0};
        way[k] = ldexp(1.0, -DOUBLINGS);
        (void)go_along(in, way);
    }
    for (uint32_t idle = 0; n > 1 && in->count > 0 && idle < IDLE * n;) {
        double way[RH_OPTIMUM_MOST] = {0.0};
        for (uint32_t m = 0; m < MIXED; m++) {
            const double share = rh__random_uniform(&random, -1.0, 1.0);
            const double *own = in->ways[rh__random_bits(&random) % in->count];
            for (uint32_t k = 0; k < n; k++) {
                way[k] += share * own[k];
            }
        }
        idle = go_along(in, way) ? 0 : idle + 1;
        if (rh__trial_is_over(optimum)) {
            break;
        }
    }
}

// How far off the optimum may be, where no equations tell it: the value by what the last part of
// the search still gained, the place by how far quantities can be moved, alone and together,
// without a loss beyond that.
// What is better on such ways is gone to, as long as there is something.
static void measure(rh_optimum *optimum)
{
    rh_trial_bars *bars = &optimum->bars;
    reach in = {.optimum = optimum};
    double gain = isfinite(optimum->gain) ? fabs(optimum->gain) : INFINITY;
    bool is_better = true;
    for (uint32_t k = 0; k < AGAIN && is_better && !rh__trial_is_over(optimum); k++) {
        const double value = optimum->best.value;
        double at[RH_OPTIMUM_MOST] = {0.0};
        memcpy(at, optimum->best.at, sizeof at);
        bars->value = fmax(gain, SHARP * (pace_of(optimum) + fabs(value)));
        // roots that meet are parted by rounding, when they are looked at
        in = (reach){.optimum = optimum};
        in.level = fmax(value, rh__trial_near(optimum, at)) + bars->value;
        find_reach(&in);
        gain = value - optimum->best.value;
        is_better = gain > bars->value;
    }
    bars->value = fmax(bars->value, gain);
    for (uint32_t k = 0; k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        const double at = optimum->best.at[k];
        const bool is_end = at == range->low || at == range->high;
        const double whole = range->high - range->low;
        bars->at[k] = is_end && in.most[k] <= NEARLY ? 0.0 : fmax(in.most[k], LEAST) * whole;
    }
}

rh_status rh__optimum_search(rh_optimum *optimum)
{
    descending in = {.optimum = optimum};
    const int looks = 300 + 300 * (int)optimum->count;
    const bool is_nested = optimum->count <= NESTED;
    static const uint64_t SECTIONS[] = {0, 400, 30000, 1000000};
    optimum->most = (uint64_t)looks + (uint64_t)VALLEYS * FLOOR * optimum->count +
                    (is_nested ? SECTIONS[optimum->count] : 40000);
    RH_TRY(run(&in, NLOPT_GN_DIRECT_L, looks, 0.0, optimum->best.at));
    in.is_near = true;
    RH_TRY(visit_valleys(&in));
    for (uint32_t k = 0; !is_nested && k < ROUNDS && !rh__trial_is_over(optimum); k++) {
        optimum->gain = k + LAST == ROUNDS ? optimum->best.value : optimum->gain;
        rh__optimum_follow(optimum, k);
        if (k % 4 == 3) {
            RH_TRY(run(&in, NLOPT_LN_SBPLX, 2000, 0.001, optimum->best.at));
        }
    }
    if (is_nested) {
        close_in(&in);
    } else {
        optimum->gain -= optimum->best.value;
    }
    if (!rh__trial_is_over(optimum)) {
        snap(optimum);
        rh__optimum_polish(optimum);
    }
    if (!optimum->has_bars) {
        measure(optimum);
    }
    return optimum->status;
}
