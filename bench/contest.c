// SPDX-License-Identifier: Apache-2.0
// The contest: every contender is asked for tighter and tighter tolerances until its error is below
// all targets; all of them in turn, several times. The time at an error is read off the lower
// envelope of a contender's points (error, time), straight lines between them on logarithmic axes.

#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const contender CONTENDERS[] = {
    {"rheonom, compiled", "emitted", own_emitted, true, true, 1e-16},
    {"rheonom", "own", own_taylor, true, true, 1e-16},
    {"rheonom, no presolve", "unreduced", own_unreduced, true, false, 1e-16},
    {"rheonom, both", "plain", own_plain, true, false, 1e-16},
    {"rheonom, its dop853", "runge", own_runge, true, true, 1e-15},
    {"DOP853, reduced by hand", "reduced", disc_reduced, true, false, 1e-15},
    {"DOP853, multipliers by hand", "multipliers", disc_multipliers, true, false, 1e-15},
    {"DOP853, angles by hand", "angles", chain_angles, false, true, 1e-15},
    {"DOP853, multipliers by hand", "cartesian", chain_multipliers, false, true, 1e-15},
    {"ARKODE 8(7), reduced by hand", "erk", solver_erk, true, true, 1e-15},
    {"CVODE Adams, reduced by hand", "adams", solver_adams, true, true, 1e-14},
    {"IDA, multipliers by hand", "residual", solver_residual, false, true, 1e-12},
};
const size_t CONTENDER_COUNT = sizeof CONTENDERS / sizeof *CONTENDERS;

enum { MOST_POINTS = 14, MOST_REPEATS = 25 };

#define ENOUGH 0.005  // seconds after which a short run is not repeated
#define LOOSEST 1e-3  // tolerance to begin with
#define BELOW 0.3     // of the smallest target: there a sweep ends
#define NEAR 100.0    // times a target: so far its points are measured again
#define PATIENCE 10.0 // seconds of a run after which tighter tolerances are not tried

typedef struct point {
    double tolerance, error;
    bench_finish last;
    double seconds[MOST_REPEATS];
} point;

typedef struct sweep {
    const contender *who;
    point points[MOST_POINTS];
    uint32_t count;
} sweep;

double contest_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const contender *contender_find(const char *key)
{
    for (size_t k = 0; k < CONTENDER_COUNT; k++) {
        if (strcmp(CONTENDERS[k].key, key) == 0) {
            return &CONTENDERS[k];
        }
    }
    return NULL;
}

// --- problems ------------------------------------------------------------------------------------

// Positions from the angles that are kept.
static void lay_out(bench_problem *problem)
{
    long double x = 0.0L;
    long double y = 0.0L;
    double *angle = problem->reference;
    double *out = angle + problem->rods;
    for (uint32_t i = 0; i < problem->rods; i++) {
        x += sinl(angle[i]) / problem->rods;
        y -= cosl(angle[i]) / problem->rods;
        out[i] = (double)x;
        out[problem->rods + i] = (double)y;
    }
    memmove(angle, out, 2 * (size_t)problem->rods * sizeof *out);
}

bool problem_begin(bench_problem *problem)
{
    char path[512];
    const uint32_t rods = problem->rods;
    (void)snprintf(path, sizeof path, "%s/bench/reference/%s.txt", BENCH_ROOT, problem->name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        (void)fprintf(stderr, "bench_motion: %s cannot be read\n", path);
        return false;
    }
    const uint32_t count = rods == 0 ? DISC_COUNT : rods;
    problem->count = rods == 0 ? DISC_COUNT : 2 * rods;
    problem->reference = calloc((size_t)count + problem->count, sizeof(double));
    bool ok = problem->reference != NULL && fscanf(file, "#%*[^\n]") == 0;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = fscanf(file, "%lf", &problem->reference[i]) == 1;
    }
    (void)fclose(file);
    if (!ok) {
        (void)fprintf(stderr, "bench_motion: %s is not whole\n", path);
    } else if (rods > 0) {
        lay_out(problem);
    }
    return ok;
}

void problem_end(bench_problem *problem)
{
    free(problem->reference);
    problem->reference = NULL;
}

double problem_error(const bench_problem *problem, const double *end)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < problem->count; i++) {
        const double size = problem->rods == 0 ? 1.0 + fabs(problem->reference[i]) : 1.0;
        const double off = fabs(end[i] - problem->reference[i]) / size;
        worst = off <= worst ? worst : off; // what is not a number is kept
    }
    return worst;
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
static void sweep_first(const bench_problem *problem, sweep *entry, double *end)
{
    const double enough = BELOW * smallest_target(problem);
    double error = INFINITY;
    double seconds = 0.0;
    for (double tolerance = LOOSEST;
         entry->count < MOST_POINTS && tolerance > 0.99 * entry->who->tightest && error > enough &&
         seconds < PATIENCE;
         tolerance /= 10.0) {
        point *it = &entry->points[entry->count];
        it->tolerance = tolerance;
        if (measure(problem, entry->who, it, 0, end)) {
            error = it->error;
            seconds = it->seconds[0];
            entry->count++;
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
static void sweep_again(const bench_problem *problem, sweep *entry, int repeat, double *end)
{
    for (uint32_t k = 0; k < entry->count; k++) {
        point *it = &entry->points[k];
        it->seconds[repeat] = it->seconds[0];
        if (is_near_target(problem, it->error)) {
            (void)measure(problem, entry->who, it, repeat, end);
        }
    }
}

// --- times ---------------------------------------------------------------------------------------

static double best_of(const point *it, int repeats)
{
    double best = INFINITY;
    for (int r = 0; r < repeats; r++) {
        best = fmin(best, it->seconds[r]);
    }
    return best;
}

// Of one repeat, or the best of all (repeat < 0).
static double time_of(const point *it, int repeat, int repeats)
{
    return repeat < 0 ? best_of(it, repeats) : it->seconds[repeat];
}

// The cheapest point with an error of at most `error`; NULL when there is none.
static const point *cheapest_within(const sweep *entry, double error, int repeat, int repeats)
{
    const point *found = NULL;
    for (uint32_t k = 0; k < entry->count; k++) {
        const point *it = &entry->points[k];
        if (it->error <= error &&
            (found == NULL || time_of(it, repeat, repeats) < time_of(found, repeat, repeats))) {
            found = it;
        }
    }
    return found;
}

// The time at an error; NaN when it was not reached.
static double time_at(const sweep *entry, double error, int repeat, int repeats)
{
    const point *within = cheapest_within(entry, error, repeat, repeats);
    if (within == NULL) {
        return NAN;
    }
    double best = time_of(within, repeat, repeats);
    const double y0 = log(best);
    for (uint32_t k = 0; k < entry->count; k++) {
        const point *it = &entry->points[k];
        const double seconds = time_of(it, repeat, repeats);
        if (it->error > error && seconds < best && within->error > 0.0) {
            const double share = log(error / within->error) / log(it->error / within->error);
            best = fmin(best, exp(y0 + share * (log(seconds) - y0)));
        }
    }
    return best;
}

// --- telling -------------------------------------------------------------------------------------

static void tell_points(const bench_problem *problem, const sweep *entries, size_t count,
                        int repeats, FILE *csv)
{
    for (size_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < entries[k].count; j++) {
            const point *it = &entries[k].points[j];
            double worst = 0.0;
            for (int r = 0; r < repeats; r++) {
                worst = fmax(worst, it->seconds[r]);
            }
            (void)fprintf(csv, "%s,\"%s\",%.0e,%.3e,%.7f,%.7f,%llu,%llu,%u\n", problem->name,
                          entries[k].who->name, it->tolerance, it->error, best_of(it, repeats),
                          worst, (unsigned long long)it->last.steps,
                          (unsigned long long)it->last.rates, it->last.order);
        }
    }
    (void)fflush(csv);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The ratios of single repeats, ascending; each compares runs that were made one after the other.
static void find_ratios(const sweep *entry, const sweep *first, double target, int repeats,
                        double *out)
{
    for (int r = 0; r < repeats; r++) {
        out[r] = time_at(entry, target, r, repeats) / time_at(first, target, r, repeats);
    }
    qsort(out, (size_t)repeats, sizeof *out, ascending);
}

// One line: the cheapest measured point within the target, the time at the target, the ratio of the
// best times to that of the first contender; then the median of single repeats, and their spread.
static void tell_line(const sweep *entry, const sweep *first, double target, int repeats)
{
    const point *it = cheapest_within(entry, target, -1, repeats);
    if (it == NULL) {
        double least = INFINITY;
        for (uint32_t k = 0; k < entry->count; k++) {
            least = fmin(least, entry->points[k].error);
        }
        printf("  %-29s not reached; its smallest error is %.1e\n", entry->who->name, least);
        return;
    }
    const double seconds = time_at(entry, target, -1, repeats);
    const double ratio = seconds / time_at(first, target, -1, repeats);
    double single[MOST_REPEATS];
    find_ratios(entry, first, target, repeats, single);
    printf("  %-29s %7.0e %8.1e %10.3f %7llu %8llu %10.3f %7.2f %7.2f  %.2f..%.2f\n",
           entry->who->name, it->tolerance, it->error, 1e3 * best_of(it, repeats),
           (unsigned long long)it->last.steps, (unsigned long long)it->last.rates, 1e3 * seconds,
           ratio, single[repeats / 2], single[0], single[repeats - 1]);
}

static void tell_targets(const bench_problem *problem, const sweep *entries, size_t count,
                         int repeats)
{
    for (int k = 0; k < CONTEST_TARGETS && problem->targets[k] > 0.0; k++) {
        printf("%s, %g s, error %.0e\n  %-29s %7s %8s %10s %7s %8s %10s %7s %7s  %s\n",
               problem->name, problem->until, problem->targets[k], "contender", "asked", "error",
               "ms", "steps", "rates", "ms there", "ratio", "median", "spread");
        for (size_t j = 0; j < count; j++) {
            tell_line(&entries[j], &entries[0], problem->targets[k], repeats);
        }
    }
    double least = INFINITY;
    for (uint32_t j = 0; j < entries[0].count; j++) {
        least = fmin(least, entries[0].points[j].last.preparation);
    }
    printf("  from text to the motion: %.1f ms\n", 1e3 * least);
    (void)fflush(stdout);
}

bool contest_hold(const bench_problem *problem, int repeats, FILE *csv)
{
    sweep *entries = calloc(CONTENDER_COUNT, sizeof *entries);
    double *end = calloc((size_t)problem->count + 1, sizeof *end);
    size_t count = 0;
    repeats = repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    if (entries == NULL || end == NULL) {
        abort();
    }
    for (size_t k = 0; k < CONTENDER_COUNT; k++) {
        const contender *who = &CONTENDERS[k];
        if (problem->rods == 0 ? who->has_disc : who->has_chain) {
            entries[count].who = who;
            sweep_first(problem, &entries[count++], end);
        }
    }
    for (int r = 1; r < repeats; r++) {
        for (size_t k = 0; k < count; k++) {
            sweep_again(problem, &entries[k], r, end);
        }
    }
    tell_targets(problem, entries, count, repeats);
    if (csv != NULL) {
        tell_points(problem, entries, count, repeats, csv);
    }
    const bool ok = entries[0].count > 0;
    free(entries);
    free(end);
    return ok;
}
