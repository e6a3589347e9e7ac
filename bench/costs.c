// SPDX-License-Identifier: Apache-2.0
// What the library's steps cost: against the number of rods, against the order of the series; and
// the time from text to the first result.

#include "contest.h"

#include "rheonom/rheonom.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

// --- rods ----------------------------------------------------------------------------------------

typedef struct growth {
    uint32_t rods;
    double own, runge, cartesian; // seconds of a step
    double preparation;
} growth;

static double of_step(const bench_finish *it)
{
    return it->ok ? it->seconds / (double)it->steps : NAN;
}

static bool measure_growth(growth *out)
{
    enum { STEPS = 20 };
    const bench_problem chain = {
        .name = "chain", .rods = out->rods, .angle = 0.05, .until = 30.0 / out->rods};
    const own_settings taylor = {.has_presolve = true, .method = RH_METHOD_AUTO, .steps = STEPS};
    const own_settings runge = {.has_presolve = true, .method = RH_METHOD_DOP853, .steps = STEPS};
    double *end = calloc(2 * (size_t)out->rods, sizeof *end);
    if (end == NULL) {
        return false;
    }
    const bench_finish own = own_run(&chain, &taylor, 1e-9, NULL);
    const bench_finish stages = own_run(&chain, &runge, 1e-9, NULL);
    const bench_finish hand = chain_multipliers(&chain, 1e-9, end);
    out->own = fmin(out->own, of_step(&own));
    out->runge = fmin(out->runge, of_step(&stages));
    out->cartesian = fmin(out->cartesian, of_step(&hand));
    out->preparation = fmin(out->preparation, own.preparation);
    free(end);
    return own.ok && stages.ok && hand.ok;
}

bool costs_growth(int repeats)
{
    growth sizes[] = {{.rods = 100}, {.rods = 200}, {.rods = 400}, {.rods = 700}, {.rods = 1000}};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    bool ok = true;
    for (int k = 0; k < COUNT; k++) {
        sizes[k].own = sizes[k].runge = sizes[k].cartesian = sizes[k].preparation = INFINITY;
    }
    for (int r = 0; ok && r < repeats; r++) {
        for (int k = 0; ok && k < COUNT; k++) {
            ok = measure_growth(&sizes[k]);
        }
    }
    printf("a step of the chain, tolerance 1e-9: microseconds, and nanoseconds for each rod\n"
           "  %5s %10s %7s %12s %7s %12s %7s %16s\n",
           "rods", "rheonom", "a rod", "its dop853", "a rod", "by hand", "a rod", "text to motion");
    for (int k = 0; ok && k < COUNT; k++) {
        const growth *it = &sizes[k];
        printf("  %5u %10.1f %7.0f %12.1f %7.0f %12.1f %7.0f %13.1f ms\n", it->rods, 1e6 * it->own,
               1e9 * it->own / it->rods, 1e6 * it->runge, 1e9 * it->runge / it->rods,
               1e6 * it->cartesian, 1e9 * it->cartesian / it->rods, 1e3 * it->preparation);
    }
    return ok;
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

bool costs_orders(int repeats)
{
    bench_problem problems[] = {
        {.name = "disc", .until = 100.0, .targets = {1e-6, 1e-9, 3e-12}},
        {.name = "chain_10", .rods = 10, .angle = 0.5, .until = 10.0, .targets = {1e-6, 1e-9}},
        {.name = "chain_100", .rods = 100, .angle = 0.05, .until = 10.0, .targets = {1e-6, 1e-9}}};
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

static double wall_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    const double begin = wall_clock();
    const bool ok = posix_spawn(&child, program, &actions, NULL, arguments, surroundings) == 0 &&
                    waitpid(child, &status, 0) == child && status == 0;
    const double seconds = wall_clock() - begin;
    (void)posix_spawn_file_actions_destroy(&actions);
    return ok ? seconds : NAN;
}

bool costs_first_result(int repeats)
{
    static const char *const MODELS[] = {"pendulum", "pendulum_cartesian", "rolling_disc",
                                         "andrews"};
    bool ok = true;
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
    }
    return ok;
}
