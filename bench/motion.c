// SPDX-License-Identifier: Apache-2.0
// The benchmark of motions: the library against integrators and equations written by hand.
//
//     bench_motion [--repeats N] [--csv FILE] [PART ...]
//     bench_motion --once CONTENDER PROBLEM TOLERANCE SECONDS    one run, for a profiler
//
// Parts: disc chain_1 chain_10 chain_100 chain_1000 growth orders first_result; without any, all.

#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bench_problem PROBLEMS[] = {
    {.name = "disc", .until = 100.0, .targets = {1e-6, 1e-9, 3e-12}},
    {.name = "chain_1", .rods = 1, .angle = 0.5, .until = 10.0, .targets = {1e-6, 1e-9}},
    {.name = "chain_10", .rods = 10, .angle = 0.5, .until = 10.0, .targets = {1e-6, 1e-9}},
    {.name = "chain_100", .rods = 100, .angle = 0.05, .until = 10.0, .targets = {1e-6, 1e-9}},
    {.name = "chain_1000", .rods = 1000, .angle = 0.05, .until = 0.2, .targets = {1e-9}},
};
enum { PROBLEM_COUNT = sizeof PROBLEMS / sizeof *PROBLEMS };

typedef struct part {
    const char *name;
    bool (*run)(int repeats);
} part;

static const part PARTS[] = {
    {"growth", costs_growth}, {"orders", costs_orders}, {"first_result", costs_first_result}};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

typedef struct wish {
    int repeats;
    const char *csv;
    char **names;
    int count; // 0: all
} wish;

static bool is_wanted(const wish *request, const char *name)
{
    for (int k = 0; k < request->count; k++) {
        if (strcmp(request->names[k], name) == 0) {
            return true;
        }
    }
    return request->count == 0;
}

static bool run_all(const wish *request, FILE *csv)
{
    bool ok = true;
    if (csv != NULL) {
        (void)fprintf(
            csv, "case,contender,tolerance,error,best_seconds,worst_seconds,steps,rates,order\n");
    }
    for (int k = 0; ok && k < PROBLEM_COUNT; k++) {
        if (is_wanted(request, PROBLEMS[k].name)) {
            ok = problem_begin(&PROBLEMS[k]) && contest_hold(&PROBLEMS[k], request->repeats, csv);
            problem_end(&PROBLEMS[k]);
        }
    }
    for (int k = 0; ok && k < PART_COUNT; k++) {
        ok = !is_wanted(request, PARTS[k].name) || PARTS[k].run(request->repeats);
    }
    return ok;
}

// The number of steps is printed: a profiler counts instructions.
static int run_once(char **arguments)
{
    const contender *who = contender_find(arguments[0]);
    for (int k = 0; who != NULL && k < PROBLEM_COUNT; k++) {
        if (strcmp(PROBLEMS[k].name, arguments[1]) == 0) {
            bench_problem one = PROBLEMS[k];
            one.until = strtod(arguments[3], NULL);
            double *end = calloc((size_t)2 * one.rods + DISC_COUNT, sizeof *end);
            if (end == NULL) {
                return 1;
            }
            const bench_finish it = who->run(&one, strtod(arguments[2], NULL), end);
            printf("%llu steps, %llu rates, order %u, %.6f s\n", (unsigned long long)it.steps,
                   (unsigned long long)it.rates, it.order, it.seconds);
            free(end);
            return it.ok ? 0 : 1;
        }
    }
    (void)fprintf(stderr, "bench_motion: no such contender or problem\n");
    return 2;
}

int main(int argc, char **argv)
{
    wish request = {.repeats = 5};
    int at = 1;
    if (argc == 6 && strcmp(argv[1], "--once") == 0) {
        return run_once(argv + 2);
    }
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--repeats") == 0) {
            request.repeats = (int)strtol(argv[at + 1], NULL, 10);
        } else if (strcmp(argv[at], "--csv") == 0) {
            request.csv = argv[at + 1];
        } else {
            break;
        }
    }
    request.names = argv + at;
    request.count = argc - at;
    if (request.repeats < 1 || (request.count > 0 && strncmp(argv[at], "--", 2) == 0)) {
        (void)fprintf(stderr, "usage: bench_motion [--repeats N] [--csv FILE] [PART ...]\n");
        return 2;
    }
    FILE *csv = request.csv != NULL ? fopen(request.csv, "w") : NULL;
    if (request.csv != NULL && csv == NULL) {
        (void)fprintf(stderr, "bench_motion: %s cannot be written\n", request.csv);
        return 2;
    }
    const bool ok = run_all(&request, csv);
    const bool is_written = csv == NULL || fclose(csv) == 0;
    return ok && is_written ? 0 : 1;
}
