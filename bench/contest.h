// SPDX-License-Identifier: Apache-2.0
// Private to the benchmark of motions: problems, contenders, and what a run tells.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CONTEST_TARGETS = 3 };

/// The rolling disc or a chain of rods. What is compared at the end: theta psi phi x y theta' psi'
/// phi' of the disc; all x, then all y, of the chain.
typedef struct bench_problem {
    const char *name;
    uint32_t rods;                   // 0: the disc
    double angle;                    // of the chain when it is released
    double until;                    // seconds of motion
    double targets[CONTEST_TARGETS]; // errors at which times are compared; 0: no more
    double *reference;               // at the end
    uint32_t count;                  // of the numbers compared
} bench_problem;

/// What came of one run.
typedef struct bench_finish {
    double seconds;     // of the motion alone
    double preparation; // before it, from text on
    uint64_t steps;
    uint64_t rates; // right sides that were computed; 0: not counted
    uint32_t order; // 0: not told
    bool ok;
} bench_finish;

/// Move from the start to `problem->until`; `end` receives what is compared.
typedef bench_finish contender_run(const bench_problem *problem, double tolerance, double *end);

typedef struct contender {
    const char *name;
    const char *key; // for the command line
    contender_run *run;
    bool has_disc, has_chain;
    double tightest; // tolerance it is asked for
} contender;

enum { DISC_COUNT = 8 };

extern const contender CONTENDERS[]; // the first is the one that others are compared with
extern const size_t CONTENDER_COUNT;
const contender *contender_find(const char *key);

/// The problem with its reference; false (and a message) when there is no data. `problem_end` frees
/// it.
bool problem_begin(bench_problem *problem);
void problem_end(bench_problem *problem);
/// The largest error at the end: relative to 1 + |reference| for the disc, absolute for the chain.
double problem_error(const bench_problem *problem, const double *end);

/// The contest about one problem: all contenders in turn, `repeats` times. `csv` may be NULL.
bool contest_hold(const bench_problem *problem, int repeats, FILE *csv);

// What the library does, with any settings.
typedef struct own_settings {
    bool has_presolve;
    int method;     // rh_method
    int tier;       // rh_tier
    uint32_t order; // 0: chosen by the tolerance
    uint32_t steps; // stop after so many; 0: at the end
} own_settings;
bench_finish own_run(const bench_problem *problem, const own_settings *settings, double tolerance,
                     double *end);

contender_run own_taylor, own_emitted, own_unreduced, own_plain, own_runge;
contender_run disc_reduced, disc_multipliers;
contender_run chain_angles, chain_multipliers;
contender_run solver_erk, solver_adams, solver_residual;

/// Tables beside the contest; see costs.c.
bool costs_growth(int repeats);
bool costs_orders(int repeats);
bool costs_first_result(int repeats);

/// Seconds of processor time.
double contest_clock(void);
