// SPDX-License-Identifier: Apache-2.0
// The benchmark of motions: the library against integrators and equations written by hand.
//
//     bench_motion [--repeats N] [--members N] [--results DIR] [PART ...]
//     bench_motion --once CONTENDER PROBLEM TOLERANCE SECONDS    one run, for a profiler
//     bench_motion --sweep THREADS SIDE SECONDS                  one sweep of discs (throughput.c)
//
// Parts: those of PROBLEMS and PARTS below; without any, all. Results go to files of DIR, which is
// made: CASE.csv and CASE.svg of each case, summary.csv and summary.txt, machine.txt.

#include "contest.h"
#include "sleigh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bench_problem PROBLEMS[] = {
    {.name = "disc", .kind = KIND_DISC, .until = 100.0, .targets = {1e-6, 1e-9, 3e-12}},
    {.name = "chain_1",
     .kind = KIND_CHAIN,
     .rods = 1,
     .angle = 0.5,
     .until = 10.0,
     .targets = {1e-6, 1e-9}},
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
     .targets = {1e-6, 1e-9}},
    {.name = "chain_1000",
     .kind = KIND_CHAIN,
     .rods = 1000,
     .angle = 0.05,
     .until = 0.2,
     .targets = {1e-9}},
    {.name = "discs", .kind = KIND_DISCS, .until = 10.0, .targets = {1e-6, 1e-9}},
    {.name = "sleigh", .kind = KIND_SLEIGH, .until = 10.0, .targets = {1e-9, 1e-13}},
    {.name = "sleigh_torque", .kind = KIND_SLEIGH, .until = 20.0, .targets = {1e-9, 1e-13}},
};
enum { PROBLEM_COUNT = sizeof PROBLEMS / sizeof *PROBLEMS };

typedef struct part {
    const char *name;
    bool (*run)(int repeats, results *to);
} part;

static const part PARTS[] = {
    {"growth", costs_growth},           {"methods", costs_methods},
    {"orders", costs_orders},           {"first_result", costs_first_result},
    {"throughput", throughput_measure}, {"million", throughput_million}};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

typedef struct wish {
    int repeats;
    uint32_t members; // of many discs and sleighs
    const char *folder;
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

static bool is_known(const char *name)
{
    bool found = false;
    for (int k = 0; k < PROBLEM_COUNT; k++) {
        found = found || strcmp(name, PROBLEMS[k].name) == 0;
    }
    for (int k = 0; k < PART_COUNT; k++) {
        found = found || strcmp(name, PARTS[k].name) == 0;
    }
    return found;
}

static bool run_problem(bench_problem *problem, const wish *request, results *to)
{
    problem->members = request->members;
    const bool ok = problem_begin(problem) && contest_hold(problem, request->repeats, to) &&
                    (problem->kind != KIND_SLEIGH || sleigh_tell(problem, to));
    problem_end(problem);
    return ok;
}

// One that fails does not keep the others from being measured.
static bool run_all(const wish *request, results *to)
{
    bool ok = true;
    for (int k = 0; k < PROBLEM_COUNT; k++) {
        ok =
            (!is_wanted(request, PROBLEMS[k].name) || run_problem(&PROBLEMS[k], request, to)) && ok;
    }
    for (int k = 0; k < PART_COUNT; k++) {
        ok = (!is_wanted(request, PARTS[k].name) || PARTS[k].run(request->repeats, to)) && ok;
    }
    return ok;
}

// A problem by its name; chains there are of any length.
static bool find_problem(const char *name, bench_problem *out)
{
    for (int k = 0; k < PROBLEM_COUNT; k++) {
        if (strcmp(PROBLEMS[k].name, name) == 0) {
            *out = PROBLEMS[k];
            return true;
        }
    }
    const bool is_chain = strncmp(name, "chain_", 6) == 0;
    *out = (bench_problem){.name = name,
                           .kind = KIND_CHAIN,
                           .rods = is_chain ? (uint32_t)strtoul(name + 6, NULL, 10) : 0,
                           .angle = 0.05};
    return out->rods > 0;
}

// The number of steps is printed: a profiler counts instructions.
static int run_once(char **arguments)
{
    const contender *who = contender_find(arguments[0]);
    bench_problem one;
    if (who == NULL || !find_problem(arguments[1], &one) ||
        (who->kinds & (unsigned)one.kind) == 0) {
        (void)fprintf(stderr, "bench_motion: no such contender or problem\n");
        return 2;
    }
    one.until = strtod(arguments[3], NULL);
    one.members = 100;
    double *end = calloc((size_t)2 * one.rods + (size_t)one.members * SLEIGH_ROOM, sizeof *end);
    if (end == NULL) {
        return 1;
    }
    const bench_finish it = who->run(&one, strtod(arguments[2], NULL), end);
    printf("%llu steps, %llu rates, order %u, %.6f s, %.3f us a step\n",
           (unsigned long long)it.steps, (unsigned long long)it.rates, it.order, it.seconds,
           1e6 * it.seconds / (double)it.steps);
    free(end);
    return it.ok ? 0 : 1;
}

static bool read_wish(int argc, char **argv, wish *out)
{
    int at = 1;
    *out = (wish){.repeats = 5, .members = 10000};
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--repeats") == 0) {
            out->repeats = (int)strtol(argv[at + 1], NULL, 10);
        } else if (strcmp(argv[at], "--members") == 0) {
            out->members = (uint32_t)strtoul(argv[at + 1], NULL, 10);
        } else if (strcmp(argv[at], "--results") == 0) {
            out->folder = argv[at + 1];
        } else {
            return false;
        }
    }
    out->names = argv + at;
    out->count = argc - at;
    for (int k = 0; k < out->count; k++) {
        if (!is_known(out->names[k])) {
            (void)fprintf(stderr, "bench_motion: there is no part %s\n", out->names[k]);
            return false;
        }
    }
    return out->repeats > 0 && out->members > 0;
}

int main(int argc, char **argv)
{
    wish request;
    results to;
    if (argc == 6 && strcmp(argv[1], "--once") == 0) {
        return run_once(argv + 2);
    }
    if (argc == 5 && strcmp(argv[1], "--sweep") == 0) {
        return throughput_child(argv + 2);
    }
    if (!read_wish(argc, argv, &request)) {
        (void)fprintf(stderr, "usage: bench_motion [--repeats N] [--members N] [--results DIR] "
                              "[PART ...]\n");
        return 2;
    }
    if (!results_begin(&to, request.folder) || !machine_write(&to)) {
        return 2;
    }
    const bool ok = run_all(&request, &to);
    return results_end(&to) && ok ? 0 : 1;
}
