// SPDX-License-Identifier: Apache-2.0
// What the library must reach, as ratios of times at equal error; and the folder with results.

#include "contest.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

// --- the folder ----------------------------------------------------------------------------------

FILE *results_open(const results *to, const char *name, const char *ending)
{
    char path[1024];
    if (to->folder == NULL) {
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s/%s.%s", to->folder, name, ending);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        (void)fprintf(stderr, "bench_motion: %s cannot be written\n", path);
    }
    return file;
}

bool results_begin(results *to, const char *folder)
{
    *to = (results){.folder = folder};
    if (folder == NULL) {
        return true;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)fprintf(stderr, "bench_motion: %s cannot be made\n", folder);
        return false;
    }
    to->summary = results_open(to, "summary", "csv");
    to->table = results_open(to, "summary", "txt");
    if (to->summary == NULL || to->table == NULL) {
        return false;
    }
    (void)fprintf(to->summary, "case,figure,goal,best,median,least,most,reached\n");
    (void)fprintf(to->table, "%-13s %-66s %8s %9s %9s %9s %9s  %s\n", "case", "figure", "goal",
                  "best", "median", "least", "most", "reached");
    return true;
}

bool results_end(results *to)
{
    if (to->rows > 0) {
        printf("%u of %u goals are reached\n", to->reached, to->rows);
    }
    const bool ok = to->summary == NULL || fclose(to->summary) == 0;
    const bool is_told = to->table == NULL || fclose(to->table) == 0;
    to->summary = to->table = NULL;
    return ok && is_told;
}

void results_row(results *to, const goal_row *row)
{
    const bool is_reached = row->is_limit ? row->figure <= row->goal : row->figure >= row->goal;
    to->rows++;
    to->reached += is_reached;
    printf("  goal: %s, %s: %.3g (median %.3g, %.3g..%.3g), %s %.3g: %s\n", row->name, row->what,
           row->figure, row->median, row->low, row->high, row->is_limit ? "at most" : "at least",
           row->goal, is_reached ? "reached" : "NOT REACHED");
    if (to->summary != NULL) {
        (void)fprintf(to->summary, "\"%s\",\"%s\",%s%.4g,%.4g,%.4g,%.4g,%.4g,%s\n", row->name,
                      row->what, row->is_limit ? "<=" : ">=", row->goal, row->figure, row->median,
                      row->low, row->high, is_reached ? "yes" : "no");
        (void)fprintf(to->table, "%-13s %-66s %s%6.4g %9.4g %9.4g %9.4g %9.4g  %s\n", row->name,
                      row->what, row->is_limit ? "<=" : ">=", row->goal, row->figure, row->median,
                      row->low, row->high, is_reached ? "yes" : "no");
        (void)fflush(to->summary);
        (void)fflush(to->table);
    }
}

// --- ratios --------------------------------------------------------------------------------------

// The time of one contender (the faster of two, where two are named) over that of another.
typedef struct goal {
    const char *problem;
    const char *what;
    const char *over[2];
    double over_at; // error
    const char *under;
    double under_at;
    double goal;
    bool is_limit;
} goal;

static const goal GOALS[] = {
    {"disc",
     "DOP853 reduced by hand over rheonom at 1e-9",
     {"reduced"},
     1e-9,
     "emitted",
     1e-9,
     2.5,
     false},
    {"disc",
     "rheonom at 3e-12 over rheonom at 1e-9",
     {"emitted"},
     3e-12,
     "emitted",
     1e-9,
     1.5,
     true},
    {"disc",
     "DOP853 with multipliers over rheonom without presolve at 1e-9",
     {"multipliers"},
     1e-9,
     "plain",
     1e-9,
     1.0,
     false},
    {"chain_10",
     "DOP853 by hand over rheonom at 1e-9",
     {"cartesian", "angles"},
     1e-9,
     "emitted",
     1e-9,
     1.4,
     false},
    {"chain_100",
     "DOP853 by hand over rheonom at 1e-9",
     {"cartesian", "angles"},
     1e-9,
     "emitted",
     1e-9,
     1.3,
     false},
    {"chain_1000",
     "DOP853 by hand over rheonom at 1e-9",
     {"cartesian", "angles"},
     1e-9,
     "emitted",
     1e-9,
     1.0,
     false},
    {"discs",
     "DOP853 in 8 lanes over rheonom sweep at 1e-9",
     {"lanes"},
     1e-9,
     "sweep",
     1e-9,
     1.6,
     false},
    {"discs", "1 thread over 2 threads at 1e-9", {"sweep"}, 1e-9, "threads", 1e-9, 1.9, false},
    {"sleigh",
     "DOP853 by hand over rheonom, 99 % of events within 1e-13",
     {"events"},
     1e-13,
     "sleigh",
     1e-13,
     5.0,
     false},
};

// A contender that never comes so far is beaten by any time.
static double find_figure(const contest *of, const goal *it, int repeat)
{
    double over = NAN;
    for (int k = 0; k < 2 && it->over[k] != NULL; k++) {
        const entry *one = contest_entry(of, it->over[k]);
        over = fmin(over, contest_time(of, one, it->over_at, repeat));
    }
    const double under = contest_time(of, contest_entry(of, it->under), it->under_at, repeat);
    return isnan(over) && !it->is_limit && !isnan(under) ? INFINITY : over / under;
}

void contest_judge(const contest *of, results *to)
{
    for (size_t k = 0; k < sizeof GOALS / sizeof *GOALS; k++) {
        const goal *it = &GOALS[k];
        if (strcmp(it->problem, of->problem->name) == 0) {
            double single[CONTEST_REPEATS];
            for (int r = 0; r < of->repeats; r++) {
                single[r] = find_figure(of, it, r);
            }
            contest_sort(single, (size_t)of->repeats);
            const goal_row row = {.name = it->problem,
                                  .what = it->what,
                                  .goal = it->goal,
                                  .is_limit = it->is_limit,
                                  .figure = find_figure(of, it, -1),
                                  .median = single[of->repeats / 2],
                                  .low = single[0],
                                  .high = single[of->repeats - 1]};
            results_row(to, &row);
        }
    }
}
