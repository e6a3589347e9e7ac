// SPDX-License-Identifier: Apache-2.0
// What the library's steps cost: against the number of rods, by method, against the order of the
// series; and the time from text to the first result.

#include "contest.h"

#include "rheonom/rheonom.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// --- rods ----------------------------------------------------------------------------------------

typedef struct growth {
    uint32_t rods;
    double emitted, own, runge, cartesian; // seconds of a step
    double preparation;
    size_t bytes; // of the library, at most
} growth;

static double of_step(const bench_finish *it)
{
    return it->ok ? it->seconds / (double)it->steps : NAN;
}

static bool measure_growth(growth *out)
{
    enum { FIRST = 10, STEPS = FIRST + 100 };
    const bench_problem chain = {.name = "chain",
                                 .kind = KIND_CHAIN,
                                 .rods = out->rods,
                                 .angle = 0.05,
                                 .until = 150.0 / out->rods};
    const own_settings compiled = {.has_presolve = true,
                                   .method = RH_METHOD_AUTO,
                                   .tier = RH_TIER_EMITTED,
                                   .steps = STEPS,
                                   .first = FIRST};
    const own_settings taylor = {.has_presolve = true,
                                 .method = RH_METHOD_AUTO,
                                 .tier = RH_TIER_INTERPRETED,
                                 .steps = STEPS,
                                 .first = FIRST};
    const own_settings runge = {
        .has_presolve = true, .method = RH_METHOD_DOP853, .steps = STEPS, .first = FIRST};
    double *end = calloc(2 * (size_t)out->rods, sizeof *end);
    if (end == NULL) {
        return false;
    }
    const bench_finish emitted = own_run(&chain, &compiled, 1e-9, NULL);
    const bench_finish own = own_run(&chain, &taylor, 1e-9, NULL);
    const bench_finish stages = own_run(&chain, &runge, 1e-9, NULL);
    const bench_finish hand = chain_multipliers(&chain, 1e-9, end);
    out->emitted = fmin(out->emitted, of_step(&emitted));
    out->own = fmin(out->own, of_step(&own));
    out->runge = fmin(out->runge, of_step(&stages));
    out->cartesian = fmin(out->cartesian, of_step(&hand));
    out->preparation = fmin(out->preparation, own.preparation);
    out->bytes = own.bytes > out->bytes ? own.bytes : out->bytes;
    free(end);
    return emitted.ok && own.ok && stages.ok && hand.ok;
}

static void tell_growth(const growth *sizes, int count, FILE *csv)
{
    printf("a step of the chain, tolerance 1e-9: microseconds, and nanoseconds for each rod\n"
           "  %5s %10s %7s %12s %7s %12s %7s %10s %7s %15s %9s\n",
           "rods", "compiled", "a rod", "interpreted", "a rod", "its dop853", "a rod", "by hand",
           "a rod", "text to motion", "MB");
    if (csv != NULL) {
        (void)fprintf(csv, "rods,compiled_us,interpreted_us,dop853_us,by_hand_us,preparation_ms,"
                           "megabytes\n");
    }
    for (int k = 0; k < count; k++) {
        const growth *it = &sizes[k];
        const double n = it->rods;
        const double megabytes = (double)it->bytes / 1048576.0;
        printf("  %5u %10.1f %7.0f %12.1f %7.0f %12.1f %7.0f %10.1f %7.0f %12.1f ms %9.1f\n",
               it->rods, 1e6 * it->emitted, 1e9 * it->emitted / n, 1e6 * it->own, 1e9 * it->own / n,
               1e6 * it->runge, 1e9 * it->runge / n, 1e6 * it->cartesian, 1e9 * it->cartesian / n,
               1e3 * it->preparation, megabytes);
        if (csv != NULL) {
            (void)fprintf(csv, "%u,%.3f,%.3f,%.3f,%.3f,%.3f,%.2f\n", it->rods, 1e6 * it->emitted,
                          1e6 * it->own, 1e6 * it->runge, 1e6 * it->cartesian,
                          1e3 * it->preparation, megabytes);
        }
    }
}

// The exponent of the growth: 1 is linear.
static void judge_growth(const growth *first, const growth *last, const char *what, results *to)
{
    const double exponent =
        log(last->emitted / first->emitted) / log((double)last->rods / first->rods);
    const goal_row row = {.name = "growth",
                          .what = what,
                          .goal = 1.1,
                          .is_limit = true,
                          .figure = exponent,
                          .median = exponent,
                          .low = exponent,
                          .high = exponent};
    results_row(to, &row);
}

bool costs_growth(int repeats, results *to)
{
    growth sizes[] = {
        {.rods = 100}, {.rods = 300}, {.rods = 1000}, {.rods = 3000}, {.rods = 10000}};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    bool ok = true;
    for (int k = 0; k < COUNT; k++) {
        sizes[k].emitted = sizes[k].own = sizes[k].runge = sizes[k].cartesian =
            sizes[k].preparation = INFINITY;
    }
    for (int r = 0; ok && r < repeats; r++) {
        for (int k = 0; ok && k < COUNT; k++) {
            ok = measure_growth(&sizes[k]);
        }
    }
    FILE *csv = ok ? results_open(to, "growth", "csv") : NULL;
    if (ok) {
        tell_growth(sizes, COUNT, csv);
        judge_growth(&sizes[0], &sizes[2], "exponent of the cost of a step, 100 to 1000 rods", to);
        judge_growth(&sizes[0], &sizes[4], "exponent of the cost of a step, 100 to 10000 rods", to);
    }
    return (csv == NULL || fclose(csv) == 0) && ok;
}

// --- methods -------------------------------------------------------------------------------------

// Our own two explicit methods at equal errors: which of them for which tolerance and size?
bool costs_methods(int repeats, results *to)
{
    static const char *const KEYS[] = {"emitted", "own", "runge"};
    static const double ERRORS[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    enum { KEY_COUNT = 3, ERROR_COUNT = sizeof ERRORS / sizeof *ERRORS };
    bench_problem problems[] = {
        {.name = "chain_10", .kind = KIND_CHAIN, .rods = 10, .angle = 0.5, .until = 10.0},
        {.name = "chain_100", .kind = KIND_CHAIN, .rods = 100, .angle = 0.05, .until = 10.0},
        {.name = "chain_1000", .kind = KIND_CHAIN, .rods = 1000, .angle = 0.05, .until = 0.2}};
    FILE *csv = results_open(to, "methods", "csv");
    printf("milliseconds at an error, by method\n  %-31s", "");
    for (int e = 0; e < ERROR_COUNT; e++) {
        printf(" %8.0e", ERRORS[e]);
    }
    printf("\n");
    bool ok = true;
    for (size_t p = 0; ok && p < sizeof problems / sizeof *problems; p++) {
        static const double TARGETS[CONTEST_TARGETS] = {1e-3, 1e-6, 1e-9};
        memcpy(problems[p].targets, TARGETS, sizeof TARGETS);
        contest *on = calloc(1, sizeof *on);
        ok = on != NULL && problem_begin(&problems[p]);
        if (ok) {
            on->problem = &problems[p];
            on->repeats = repeats > CONTEST_REPEATS ? CONTEST_REPEATS : repeats;
            contest_run(on, KEYS, KEY_COUNT);
        }
        for (size_t k = 0; ok && k < on->count; k++) {
            printf("  %-11s %-19s", problems[p].name, on->entries[k].who->name);
            for (int e = 0; e < ERROR_COUNT; e++) {
                const double seconds = contest_time(on, &on->entries[k], ERRORS[e], -1);
                printf(" %8.2f", 1e3 * seconds);
                if (csv != NULL) {
                    (void)fprintf(csv, "%s,\"%s\",%.0e,%.4f\n", problems[p].name,
                                  on->entries[k].who->name, ERRORS[e], 1e3 * seconds);
                }
            }
            printf("\n");
        }
        problem_end(&problems[p]);
        free(on);
    }
    return (csv == NULL || fclose(csv) == 0) && ok;
}

// --- orders --------------------------------------------------------------------------------------

enum { FIRST_ORDER = 8, LAST_ORDER = 28, ORDER_STEP = 4 };

// Tolerances until the error is small enough; the time there by the line through the last two.
static double time_with_order(const bench_problem *problem, uint32_t order, double target,
                              int repeats, double *end)
{
    const own_settings settings = {
        .has_presolve = true, .method = RH_METHOD_TAYLOR, .order = order};
    double error_before = 0.0;
    double seconds_before = 0.0;
    for (double tolerance = 1e-3; tolerance > 1e-17; tolerance /= 10.0) {
        double seconds = INFINITY;
        for (int r = 0; r < repeats; r++) {
            const bench_finish it = own_run(problem, &settings, tolerance, end);
            if (!it.ok) {
                return NAN;
            }
            seconds = fmin(seconds, it.seconds);
        }
        const double error = problem_error(problem, end);
        if (error <= target) {
            const double share =
                error_before > 0.0 ? log(target / error) / log(error_before / error) : 0.0;
            return seconds * pow(seconds_before / seconds, share);
        }
        error_before = error;
        seconds_before = seconds;
    }
    return NAN;
}

bool costs_orders(int repeats, results *to)
{
    (void)to;
    bench_problem problems[] = {
        {.name = "disc", .kind = KIND_DISC, .until = 100.0, .targets = {1e-6, 1e-9, 3e-12}},
        {.name = "chain_10",
         .kind = KIND_CHAIN,
         .rods = 10,
         .angle = 0.5,
         .until = 10.0,
         .targets = {1e-6, 1e-9}},
        {.name = "chain_100",
         .kind = KIND_CHAIN,
         .rods = 100,
         .angle = 0.05,
         .until = 10.0,
         .targets = {1e-6, 1e-9}}};
    printf("milliseconds at an error, by the order of the series\n  %-20s", "");
    for (uint32_t order = FIRST_ORDER; order <= LAST_ORDER; order += ORDER_STEP) {
        printf(" %8u", order);
    }
    printf("\n");
    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
        double end[256];
        if (!problem_begin(&problems[p])) {
            return false;
        }
        for (int k = 0; k < CONTEST_TARGETS && problems[p].targets[k] > 0.0; k++) {
            printf("  %-11s %8.0e", problems[p].name, problems[p].targets[k]);
            for (uint32_t order = FIRST_ORDER; order <= LAST_ORDER; order += ORDER_STEP) {
                printf(" %8.2f", 1e3 * time_with_order(&problems[p], order, problems[p].targets[k],
                                                       repeats, end));
                (void)fflush(stdout);
            }
            printf("\n");
        }
        problem_end(&problems[p]);
    }
    return true;
}

// --- the first result ----------------------------------------------------------------------------

// The program as a whole, seen from outside; NaN when it fails.
static double time_program(const char *model)
{
    char path[512];
    char program[] = BENCH_PROGRAM;
    char run[] = "run";
    char until[] = "--until";
    char first[] = "0.01";
    char out[] = "--quiet";
    (void)snprintf(path, sizeof path, "%s/examples/%s/model.rhe", BENCH_ROOT, model);
    char *const arguments[] = {program, run, path, until, first, out, NULL};
    char *const surroundings[] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0) != 0) {
        return NAN;
    }
    const double begin = contest_wall();
    const bool ok = posix_spawn(&child, program, &actions, NULL, arguments, surroundings) == 0 &&
                    waitpid(child, &status, 0) == child && status == 0;
    const double seconds = contest_wall() - begin;
    (void)posix_spawn_file_actions_destroy(&actions);
    return ok ? seconds : NAN;
}

bool costs_first_result(int repeats, results *to)
{
    static const char *const MODELS[] = {"pendulum", "pendulum_cartesian", "rolling_disc",
                                         "andrews"};
    bool ok = true;
    double slowest = 0.0;
    double least = INFINITY;
    double most = 0.0;
    printf("`rheonom run MODEL --until 0.01` as a whole, milliseconds by the clock on the wall\n");
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        double best = INFINITY;
        double worst = 0.0;
        for (int r = 0; ok && r < 4 * repeats; r++) {
            const double seconds = time_program(MODELS[k]);
            ok = seconds == seconds;
            best = fmin(best, seconds);
            worst = fmax(worst, seconds);
        }
        printf("  %-20s best %.1f, worst %.1f\n", MODELS[k], 1e3 * best, 1e3 * worst);
        slowest = fmax(slowest, best);
        least = fmin(least, best);
        most = fmax(most, worst);
    }
    const goal_row row = {.name = "first_result",
                          .what = "seconds from text to the first result, slowest of four models",
                          .goal = 0.05,
                          .is_limit = true,
                          .figure = slowest,
                          .median = slowest,
                          .low = least,
                          .high = most};
    results_row(to, &row);
    return ok;
}
