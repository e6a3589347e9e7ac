// SPDX-License-Identifier: Apache-2.0
// Private to the benchmark of motions: problems, contenders, what a run tells, and where results
// go.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CONTEST_TARGETS = 3, CONTEST_POINTS = 14, CONTEST_REPEATS = 25, CONTEST_ENTRIES = 16 };

// --- problems ------------------------------------------------------------------------------------

typedef enum bench_kind {
    KIND_DISC = 1,  // the rolling disc
    KIND_CHAIN = 2, // a chain of rods
    KIND_DISCS = 4, // many discs, of which some are looked at
    KIND_SLEIGH = 8 // many sleighs with a one-sided blade: times of their events
} bench_kind;

/// What is compared at the end: theta psi phi x y theta' psi' phi' of a disc; all x, then all y, of
/// the chain; of a sleigh see sleigh.h.
typedef struct bench_problem {
    const char *name;
    bench_kind kind;
    uint32_t rods;                   // of the chain
    double angle;                    // of it when it is released
    uint32_t members;                // of many
    double until;                    // seconds of motion
    double targets[CONTEST_TARGETS]; // errors at which times are compared; 0: no more
    double *reference;               // at the end
    size_t count;                    // of the numbers compared
} bench_problem;

enum { DISC_COUNT = 8 };

/// The problem with its reference; false (and a message) when there is no data. `problem_end` frees
/// it.
bool problem_begin(bench_problem *problem);
void problem_end(bench_problem *problem);
/// The largest error at the end: relative to 1 + |reference| for discs, absolute for the chain; of
/// sleighs the error that one event of a hundred exceeds, relative to 1 + time.
double problem_error(const bench_problem *problem, const double *end);

// --- contenders ----------------------------------------------------------------------------------

/// What came of one run.
typedef struct bench_finish {
    double seconds;     // of the motion alone
    double preparation; // before it, from text on
    uint64_t steps;
    uint64_t rates; // right sides that were computed; 0: not counted
    uint32_t order; // 0: not told
    size_t bytes;   // peak of the library's own memory; 0: not counted
    bool ok;
} bench_finish;

/// Move from the start to `problem->until`; `end` receives what is compared.
typedef bench_finish contender_run(const bench_problem *problem, double tolerance, double *end);

typedef struct contender {
    const char *name;
    const char *key; // for the command line and for goals
    contender_run *run;
    unsigned kinds;  // of problems
    double tightest; // tolerance it is asked for
} contender;

extern const contender CONTENDERS[]; // the first of a kind is the one that others are compared with
extern const size_t CONTENDER_COUNT;
const contender *contender_find(const char *key);

// What the library does, with any settings.
typedef struct own_settings {
    bool has_presolve;
    int method;     // rh_method
    int tier;       // rh_tier
    uint32_t order; // 0: chosen by the tolerance
    uint32_t steps; // stop after so many; 0: at the end
    uint32_t first; // of these so many are not counted, and take no time: a motion begins in them
} own_settings;
bench_finish own_run(const bench_problem *problem, const own_settings *settings, double tolerance,
                     double *end);

contender_run own_taylor, own_emitted, own_unreduced, own_plain, own_runge;
contender_run disc_reduced, disc_multipliers;
contender_run chain_angles, chain_multipliers;
contender_run solver_erk, solver_adams, solver_residual;
contender_run discs_alone, discs_together, discs_lanes, discs_single;
contender_run sleigh_own, sleigh_by_hand;

// --- results -------------------------------------------------------------------------------------

/// A directory for results; without a path nothing is written.
typedef struct results {
    const char *folder; // NULL: none
    FILE *summary;      // summary.csv
    FILE *table;        // summary.txt: the same for people
    uint32_t rows, reached;
} results;

bool results_begin(results *to, const char *folder);
/// A new file in the folder; NULL when there is no folder, or (with a message) no file.
FILE *results_open(const results *to, const char *name, const char *ending);
bool results_end(results *to);
/// machine.txt: the machine and the versions of everything.
bool machine_write(const results *to);

/// One row of the summary: a figure that is to be at least (or at most) its goal.
typedef struct goal_row {
    const char *name;
    const char *what; // is compared
    double goal;
    bool is_limit;            // at most the goal, instead of at least
    double figure;            // by the best times
    double median, low, high; // of single repeats
} goal_row;
void results_row(results *to, const goal_row *row);

// --- the contest ---------------------------------------------------------------------------------

typedef struct point {
    double tolerance, error;
    bench_finish last;
    double seconds[CONTEST_REPEATS];
} point;

/// One contender and what it did.
typedef struct entry {
    const contender *who;
    point points[CONTEST_POINTS];
    uint32_t count;
} entry;

typedef struct contest {
    const bench_problem *problem;
    entry entries[CONTEST_ENTRIES];
    size_t count;
    int repeats;
} contest;

/// All contenders in turn, as often as `repeats` says; then tell it, write its points and
/// its picture, and judge its goals.
bool contest_hold(const bench_problem *problem, int repeats, results *to);

/// The runs alone: of all contenders of the problem, or of those named.
void contest_run(contest *on, const char *const *keys, size_t count);

const entry *contest_entry(const contest *of, const char *key);
/// The time at an error, of one repeat or the best of all (repeat < 0); NaN when it was not
/// reached.
double contest_time(const contest *of, const entry *it, double error, int repeat);
/// The cheapest point with an error of at most `error`; NULL when there is none.
const point *contest_cheapest(const contest *of, const entry *it, double error, int repeat);
double contest_best(const contest *of, const point *it);
/// Numbers ascending.
void contest_sort(double *numbers, size_t count);

/// Tables for people, points as CSV (telling.c), and a picture (figure.c).
void contest_tell(const contest *of);
bool contest_write(const contest *of, const results *to);
bool contest_draw(const contest *of, const results *to);
/// The rows of the summary that this contest decides (goals.c).
void contest_judge(const contest *of, results *to);

// --- tables beside the contest -------------------------------------------------------------------

bool costs_growth(int repeats, results *to);
bool costs_orders(int repeats, results *to);
bool costs_methods(int repeats, results *to);
bool costs_first_result(int repeats, results *to);
bool throughput_measure(int repeats, results *to);
bool throughput_million(int repeats, results *to);
/// A child of throughput_measure; see there.
int throughput_child(char **arguments);

/// Seconds of processor time, and by the clock on the wall.
double contest_clock(void);
double contest_wall(void);

/// The text of an example; false (and a message) when it cannot be read.
bool own_text(const char *name, char *text, size_t room, size_t *out_size);
