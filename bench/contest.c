// SPDX-License-Identifier: Apache-2.0
// The contest: every contender is asked for tighter and tighter tolerances until its error is below
// all targets; all of them in turn, several times. The time at an error is read off the lower
// envelope of a contender's points (error, time), straight lines between them on logarithmic axes.

#include "contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const contender CONTENDERS[] = {
    {"rheonom, compiled", "emitted", own_emitted, KIND_DISC | KIND_CHAIN, 1e-16},
    {"rheonom", "own", own_taylor, KIND_DISC | KIND_CHAIN, 1e-16},
    {"rheonom, no presolve", "unreduced", own_unreduced, KIND_DISC, 1e-16},
    {"rheonom, both", "plain", own_plain, KIND_DISC, 1e-16},
    {"rheonom, its dop853", "runge", own_runge, KIND_DISC | KIND_CHAIN, 1e-15},
    {"DOP853, reduced by hand", "reduced", disc_reduced, KIND_DISC, 1e-15},
    {"DOP853, multipliers by hand", "multipliers", disc_multipliers, KIND_DISC, 1e-15},
    {"DOP853, angles by hand", "angles", chain_angles, KIND_CHAIN, 1e-15},
    {"DOP853, multipliers by hand", "cartesian", chain_multipliers, KIND_CHAIN, 1e-15},
    {"ARKODE 8(7), reduced by hand", "erk", solver_erk, KIND_DISC | KIND_CHAIN, 1e-15},
    {"CVODE Adams, reduced by hand", "adams", solver_adams, KIND_DISC | KIND_CHAIN, 1e-14},
    {"IDA, multipliers by hand", "residual", solver_residual, KIND_CHAIN, 1e-12},
    {"rheonom sweep, 1 thread", "sweep", discs_alone, KIND_DISCS, 1e-15},
    {"rheonom sweep, 2 threads", "threads", discs_together, KIND_DISCS, 1e-15},
    {"DOP853, 8 lanes by hand", "lanes", discs_lanes, KIND_DISCS, 1e-15},
    {"DOP853, one by one by hand", "single", discs_single, KIND_DISCS, 1e-15},
    {"rheonom, begun anew", "sleigh", sleigh_own, KIND_SLEIGH, 1e-16},
    {"DOP853, events by hand", "events", sleigh_by_hand, KIND_SLEIGH, 1e-15},
};
const size_t CONTENDER_COUNT = sizeof CONTENDERS / sizeof *CONTENDERS;

#define ENOUGH 0.005  // seconds after which a short run is not repeated
#define LOOSEST 1e-3  // tolerance to begin with
#define BELOW 0.3     // of the smallest target: there a sweep ends
#define NEAR 100.0    // times a target: so far its points are measured again
#define PATIENCE 10.0 // seconds of a run after which tighter tolerances are not tried

const contender *contender_find(const char *key)
{
    for (size_t k = 0; k < CONTENDER_COUNT; k++) {
        if (strcmp(CONTENDERS[k].key, key) == 0) {
            return &CONTENDERS[k];
        }
    }
    return NULL;
}

const entry *contest_entry(const contest *of, const char *key)
{
    for (size_t k = 0; k < of->count; k++) {
        if (strcmp(of->entries[k].who->key, key) == 0) {
            return &of->entries[k];
        }
    }
    return NULL;
}

static double smallest_target(const bench_problem *problem)
{
    double smallest = 1.0;
    for (int k = 0; k < CONTEST_TARGETS && problem->targets[k] > 0.0; k++) {
        smallest = fmin(smallest, problem->targets[k]);
    }
    return smallest;
}

// --- runs ----------------------------------------------------------------------------------------

// The fastest of as many runs as fit into a moment.
static bool measure(const bench_problem *problem, const contender *who, point *out, int repeat,
                    double *end)
{
    double best = INFINITY;
    for (double spent = 0.0; spent < ENOUGH; spent += out->last.seconds + out->last.preparation) {
        out->last = who->run(problem, out->tolerance, end);
        if (!out->last.ok) {
            return false;
        }
        best = fmin(best, out->last.seconds);
    }
    out->seconds[repeat] = best;
    out->error = problem_error(problem, end);
    return true;
}

// The first sweep finds out which tolerances are worth asking for.
static void sweep_first(const bench_problem *problem, entry *it, double *end)
{
    const double enough = BELOW * smallest_target(problem);
    double error = INFINITY;
    double seconds = 0.0;
    for (double tolerance = LOOSEST;
         it->count < CONTEST_POINTS && tolerance > 0.99 * it->who->tightest && error > enough &&
         seconds < PATIENCE;
         tolerance /= 10.0) {
        point *at = &it->points[it->count];
        at->tolerance = tolerance;
        if (measure(problem, it->who, at, 0, end)) {
            error = at->error;
            seconds = at->seconds[0];
            it->count++;
        }
    }
}

// Is a point needed to read off the time at a target?
static bool is_near_target(const bench_problem *problem, double error)
{
    bool is_near = false;
    for (int k = 0; k < CONTEST_TARGETS && problem->targets[k] > 0.0; k++) {
        const double share = error / problem->targets[k];
        is_near = is_near || (share > 1.0 / NEAR && share < NEAR);
    }
    return is_near;
}

// Points far from all targets keep their first time.
static void sweep_again(const bench_problem *problem, entry *it, int repeat, double *end)
{
    for (uint32_t k = 0; k < it->count; k++) {
        point *at = &it->points[k];
        at->seconds[repeat] = at->seconds[0];
        if (is_near_target(problem, at->error)) {
            (void)measure(problem, it->who, at, repeat, end);
        }
    }
}

// --- times ---------------------------------------------------------------------------------------

double contest_best(const contest *of, const point *it)
{
    double best = INFINITY;
    for (int r = 0; r < of->repeats; r++) {
        best = fmin(best, it->seconds[r]);
    }
    return best;
}

static double time_of(const contest *of, const point *it, int repeat)
{
    return repeat < 0 ? contest_best(of, it) : it->seconds[repeat];
}

const point *contest_cheapest(const contest *of, const entry *it, double error, int repeat)
{
    const point *found = NULL;
    for (uint32_t k = 0; it != NULL && k < it->count; k++) {
        const point *at = &it->points[k];
        if (at->error <= error &&
            (found == NULL || time_of(of, at, repeat) < time_of(of, found, repeat))) {
            found = at;
        }
    }
    return found;
}

double contest_time(const contest *of, const entry *it, double error, int repeat)
{
    const point *within = contest_cheapest(of, it, error, repeat);
    if (within == NULL) {
        return NAN;
    }
    double best = time_of(of, within, repeat);
    const double y0 = log(best);
    for (uint32_t k = 0; k < it->count; k++) {
        const point *at = &it->points[k];
        const double seconds = time_of(of, at, repeat);
        if (at->error > error && isfinite(at->error) && seconds < best && within->error > 0.0) {
            const double share = log(error / within->error) / log(at->error / within->error);
            best = fmin(best, exp(y0 + share * (log(seconds) - y0)));
        }
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

void contest_sort(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, ascending);
}

// --- all together --------------------------------------------------------------------------------

// Is it among those that were named?
static bool is_named(const contender *who, const char *const *keys, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (strcmp(who->key, keys[k]) == 0) {
            return true;
        }
    }
    return count == 0;
}

void contest_run(contest *on, const char *const *keys, size_t count)
{
    double *end = calloc(on->problem->count + 1, sizeof *end);
    if (end == NULL) {
        abort();
    }
    for (size_t k = 0; k < CONTENDER_COUNT && on->count < CONTEST_ENTRIES; k++) {
        if ((CONTENDERS[k].kinds & (unsigned)on->problem->kind) != 0 &&
            is_named(&CONTENDERS[k], keys, count)) {
            entry *it = &on->entries[on->count++];
            it->who = &CONTENDERS[k];
            sweep_first(on->problem, it, end);
        }
    }
    for (int r = 1; r < on->repeats; r++) {
        for (size_t k = 0; k < on->count; k++) {
            sweep_again(on->problem, &on->entries[k], r, end);
        }
    }
    free(end);
}

bool contest_hold(const bench_problem *problem, int repeats, results *to)
{
    contest *on = calloc(1, sizeof *on);
    if (on == NULL) {
        abort();
    }
    on->problem = problem;
    on->repeats = repeats > CONTEST_REPEATS ? CONTEST_REPEATS : repeats;
    contest_run(on, NULL, 0);
    contest_tell(on);
    const bool is_written = contest_write(on, to) && contest_draw(on, to);
    contest_judge(on, to);
    const bool ok = on->entries[0].count > 0;
    free(on);
    return ok && is_written;
}
