// SPDX-License-Identifier: Apache-2.0
// What a contest found, as tables for people and as CSV for programs.

#include "contest.h"

#include <math.h>
#include <string.h>

// --- for people ----------------------------------------------------------------------------------

// The ratios of single repeats, ascending; each compares runs that were made one after the other.
static void find_ratios(const contest *of, const entry *it, double target, double *out)
{
    for (int r = 0; r < of->repeats; r++) {
        out[r] = contest_time(of, it, target, r) / contest_time(of, &of->entries[0], target, r);
    }
    contest_sort(out, (size_t)of->repeats);
}

// One line: the cheapest measured point within the target, the time at the target, the ratio of the
// best times to that of the first contender; then the median of single repeats, and their spread.
static void tell_line(const contest *of, const entry *it, double target)
{
    const point *at = contest_cheapest(of, it, target, -1);
    if (at == NULL) {
        double least = INFINITY;
        for (uint32_t k = 0; k < it->count; k++) {
            least = fmin(least, it->points[k].error);
        }
        printf("  %-29s not reached; its smallest error is %.1e\n", it->who->name, least);
        return;
    }
    const double seconds = contest_time(of, it, target, -1);
    const double ratio = seconds / contest_time(of, &of->entries[0], target, -1);
    double single[CONTEST_REPEATS];
    find_ratios(of, it, target, single);
    printf("  %-29s %7.0e %8.1e %10.3f %8llu %9llu %10.3f %7.2f %7.2f  %.2f..%.2f\n", it->who->name,
           at->tolerance, at->error, 1e3 * contest_best(of, at), (unsigned long long)at->last.steps,
           (unsigned long long)at->last.rates, 1e3 * seconds, ratio, single[of->repeats / 2],
           single[0], single[of->repeats - 1]);
}

void contest_tell(const contest *of)
{
    const bench_problem *problem = of->problem;
    for (int k = 0; k < CONTEST_TARGETS && problem->targets[k] > 0.0; k++) {
        printf("%s, %g s, error %.0e\n  %-29s %7s %8s %10s %8s %9s %10s %7s %7s  %s\n",
               problem->name, problem->until, problem->targets[k], "contender", "asked", "error",
               "ms", "steps", "rates", "ms there", "ratio", "median", "spread");
        for (size_t j = 0; j < of->count; j++) {
            tell_line(of, &of->entries[j], problem->targets[k]);
        }
    }
    double least = INFINITY;
    for (uint32_t j = 0; j < of->entries[0].count; j++) {
        least = fmin(least, of->entries[0].points[j].last.preparation);
    }
    printf("  from text to the motion: %.1f ms\n", 1e3 * least);
    (void)fflush(stdout);
}

// --- for programs --------------------------------------------------------------------------------

static void write_point(const contest *of, const entry *it, const point *at, FILE *file)
{
    double sorted[CONTEST_REPEATS];
    memcpy(sorted, at->seconds, (size_t)of->repeats * sizeof *sorted);
    contest_sort(sorted, (size_t)of->repeats);
    (void)fprintf(file, "\"%s\",%.0e,%.3e,%.6f,%.6f,%.6f,%llu,%llu,%u,%d\n", it->who->name,
                  at->tolerance, at->error, 1e3 * sorted[0], 1e3 * sorted[of->repeats / 2],
                  1e3 * sorted[of->repeats - 1], (unsigned long long)at->last.steps,
                  (unsigned long long)at->last.rates, at->last.order, of->repeats);
}

bool contest_write(const contest *of, const results *to)
{
    if (to->folder == NULL) {
        return true;
    }
    FILE *file = results_open(to, of->problem->name, "csv");
    if (file == NULL) {
        return false;
    }
    (void)fprintf(file, "contender,asked,error,ms,median_ms,worst_ms,steps,rates,order,repeats\n");
    for (size_t k = 0; k < of->count; k++) {
        for (uint32_t j = 0; j < of->entries[k].count; j++) {
            write_point(of, &of->entries[k], &of->entries[k].points[j], file);
        }
    }
    return fclose(file) == 0;
}
