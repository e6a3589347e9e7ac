// SPDX-License-Identifier: Apache-2.0
// What threads and processes of MPI are worth to a sweep of discs: against two processes that know
// nothing of each other and run at the same time, which is all that two cores can do. And what a
// sweep of a million discs takes of memory. Each sweep is a process of its own (throughput_child),
// which tells its own time.

#include "contest.h"
#include "discs.h"

#include "rheonom/rheonom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// --- children ------------------------------------------------------------------------------------

// bench_motion --sweep THREADS SIDE SECONDS: tells its time, its members and its peak of memory.
int throughput_child(char **arguments)
{
    rh_ranks *ranks = NULL;
    rh_error err = {.message = ""};
    if (rh_ranks_create(&ranks, &err) != RH_OK) {
        (void)fprintf(stderr, "bench_motion: %s\n", err.message);
        return 1;
    }
    const sweeping how = {.side = (uint32_t)strtoul(arguments[1], NULL, 10),
                          .threads = (uint32_t)strtoul(arguments[0], NULL, 10),
                          .until = strtod(arguments[2], NULL),
                          .tolerance = 1e-9,
                          .ranks = ranks};
    double *end = calloc((size_t)DISCS_SAMPLES * DISC_COUNT, sizeof *end);
    if (end == NULL) {
        return 1;
    }
    const bench_finish done = discs_run(&how, end);
    struct rusage usage;
    if (rh_ranks_own(ranks) == 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
        printf("%.6f %.0f %.1f\n", done.seconds, (double)how.side * how.side,
               (double)usage.ru_maxrss / 1024.0);
    }
    rh_ranks_destroy(ranks);
    free(end);
    return done.ok ? 0 : 1;
}

typedef struct child {
    FILE *pipe;
    double seconds, members, megabytes;
} child;

static void child_begin(child *it, const char *before, int threads, uint32_t side, double until)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "%s %s --sweep %d %u %g", before, BENCH_SELF, threads,
                   side, until);
    *it = (child){.pipe = popen(command, "r")};
}

static bool child_end(child *it)
{
    const bool ok = it->pipe != NULL && fscanf(it->pipe, "%lf %lf %lf", &it->seconds, &it->members,
                                               &it->megabytes) == 3;
    const bool is_well = it->pipe == NULL || pclose(it->pipe) == 0;
    if (!ok || !is_well) {
        (void)fprintf(stderr, "bench_motion: a sweep in a process of its own failed\n");
    }
    return ok && is_well;
}

// --- threads and ranks ---------------------------------------------------------------------------

#define MPIRUN                                                                                     \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to "  \
    "none -n 2"

// So many that starting up does not count: seconds of work.
enum { SIDE = 400, FEW = 100 };

// Members a second; 0: it failed.
static double rate_of_pair(void)
{
    child both[2];
    child_begin(&both[0], "", 1, SIDE, 10.0);
    child_begin(&both[1], "", 1, SIDE, 10.0);
    const bool first = child_end(&both[0]);
    const bool second = child_end(&both[1]);
    return first && second ? both[0].members / both[0].seconds + both[1].members / both[1].seconds
                           : 0.0;
}

static double rate_of_one(const char *before, int threads)
{
    child it;
    child_begin(&it, before, threads, SIDE, 10.0);
    return child_end(&it) ? it.members / it.seconds : 0.0;
}

// The best rates over each other; then those of single repeats.
static void judge(const char *what, double goal, const double *rates, const double *pairs,
                  int repeats, results *to)
{
    double single[CONTEST_REPEATS];
    double rate = 0.0;
    double pair = 0.0;
    for (int r = 0; r < repeats; r++) {
        single[r] = rates[r] / pairs[r];
        rate = fmax(rate, rates[r]);
        pair = fmax(pair, pairs[r]);
    }
    contest_sort(single, (size_t)repeats);
    const goal_row row = {.name = "sweep",
                          .what = what,
                          .goal = goal,
                          .figure = rate / pair,
                          .median = single[repeats / 2],
                          .low = single[0],
                          .high = single[repeats - 1]};
    results_row(to, &row);
}

bool throughput_measure(int repeats, results *to)
{
    double pairs[CONTEST_REPEATS];
    double threads[CONTEST_REPEATS];
    double ranks[CONTEST_REPEATS];
    FILE *csv = results_open(to, "sweep", "csv");
    bool ok = rate_of_one("", 2) > 0.0; // compiles what is not in the cache yet
    repeats = repeats > CONTEST_REPEATS ? CONTEST_REPEATS : repeats;
    printf("discs a second, 10 s each, 1e-9\n  %16s %12s %12s\n", "two processes", "two threads",
           "two ranks");
    if (csv != NULL) {
        (void)fprintf(csv, "two_processes,two_threads,two_ranks\n");
    }
    for (int r = 0; ok && r < repeats; r++) {
        pairs[r] = rate_of_pair();
        threads[r] = rate_of_one("", 2);
        ranks[r] = rate_of_one(MPIRUN, 1);
        ok = pairs[r] > 0.0 && threads[r] > 0.0 && ranks[r] > 0.0;
        printf("  %16.0f %12.0f %12.0f\n", pairs[r], threads[r], ranks[r]);
        if (csv != NULL) {
            (void)fprintf(csv, "%.1f,%.1f,%.1f\n", pairs[r], threads[r], ranks[r]);
        }
    }
    if (ok) {
        judge("2 threads over 2 processes", 0.97, threads, pairs, repeats, to);
        judge("2 ranks over 2 processes", 0.93, ranks, pairs, repeats, to);
    }
    return (csv == NULL || fclose(csv) == 0) && ok;
}

// --- a million -----------------------------------------------------------------------------------

bool throughput_million(int repeats, results *to)
{
    (void)repeats;
    child few;
    child many;
    child_begin(&few, "", 2, FEW, 1.0);
    bool ok = child_end(&few);
    child_begin(&many, "", 2, 10 * FEW, 1.0);
    ok = child_end(&many) && ok;
    if (ok) {
        printf(
            "discs over 1 s, 2 threads: %.0f in %.2f s and %.1f MB, %.0f in %.2f s and %.1f MB\n",
            few.members, few.seconds, few.megabytes, many.members, many.seconds, many.megabytes);
        const double ratio = many.megabytes / few.megabytes;
        const goal_row row = {.name = "sweep",
                              .what = "peak of memory, a million discs over ten thousand",
                              .goal = 1.5,
                              .is_limit = true,
                              .figure = ratio,
                              .median = ratio,
                              .low = ratio,
                              .high = ratio};
        results_row(to, &row);
    }
    return ok;
}
