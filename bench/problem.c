// SPDX-License-Identifier: Apache-2.0
// Problems of the contest: their references, and the error of an end.

#include "contest.h"
#include "discs.h"
#include "sleigh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double contest_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double contest_wall(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

// Numbers in its file, and numbers that are compared.
static size_t count_kept(const bench_problem *problem)
{
    return problem->kind == KIND_CHAIN   ? problem->rods
           : problem->kind == KIND_DISCS ? (size_t)DISCS_SAMPLES * DISC_COUNT
                                         : DISC_COUNT;
}

static bool read_reference(bench_problem *problem)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/bench/reference/%s.txt", BENCH_ROOT, problem->name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        (void)fprintf(stderr, "bench_motion: %s cannot be read\n", path);
        return false;
    }
    const size_t count = count_kept(problem);
    problem->count = problem->kind == KIND_CHAIN ? 2 * count : count;
    problem->reference = calloc(count + problem->count, sizeof(double));
    bool ok = problem->reference != NULL && fscanf(file, "#%*[^\n]") == 0;
    for (size_t i = 0; ok && i < count; i++) {
        ok = fscanf(file, "%lf", &problem->reference[i]) == 1;
    }
    (void)fclose(file);
    if (!ok) {
        (void)fprintf(stderr, "bench_motion: %s is not whole\n", path);
    }
    return ok;
}

bool problem_begin(bench_problem *problem)
{
    if (problem->kind == KIND_SLEIGH) {
        return sleigh_reference(problem);
    }
    if (!read_reference(problem)) {
        return false;
    }
    if (problem->kind == KIND_CHAIN) {
        lay_out(problem);
    }
    return problem->kind != KIND_DISCS || discs_check(problem);
}

void problem_end(bench_problem *problem)
{
    free(problem->reference);
    problem->reference = NULL;
}

double problem_error(const bench_problem *problem, const double *end)
{
    if (problem->kind == KIND_SLEIGH) {
        return sleigh_error(problem, end);
    }
    double worst = 0.0;
    for (size_t i = 0; i < problem->count; i++) {
        const double size = problem->kind == KIND_CHAIN ? 1.0 : 1.0 + fabs(problem->reference[i]);
        const double off = fabs(end[i] - problem->reference[i]) / size;
        worst = off <= worst ? worst : off; // what is not a number is kept
    }
    return worst;
}
