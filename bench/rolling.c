// SPDX-License-Identifier: Apache-2.0
// Contenders: the rolling disc by hand with DOP853, reduced and with multipliers.

#include "rolling.h"

#include "contest.h"
#include "dormand.h"

/// Alone in a function, so that a profiler can find them.
dormand_count disc_reduced_move(double until, double tolerance, double *y);
dormand_count disc_multipliers_move(double until, double tolerance, double *y);

__attribute__((noinline)) dormand_count disc_reduced_move(double until, double tolerance, double *y)
{
    double room[DORMAND_ROOM * ROLLING_REDUCED];
    const dormand_task task = {ROLLING_REDUCED, rolling_reduced, NULL, until, tolerance};
    return dormand_run(task, y, room);
}

__attribute__((noinline)) dormand_count disc_multipliers_move(double until, double tolerance,
                                                              double *y)
{
    double room[DORMAND_ROOM * ROLLING_FULL];
    const dormand_task task = {ROLLING_FULL, rolling_multipliers, NULL, until, tolerance};
    return dormand_run(task, y, room);
}

static bench_finish finish_of(const dormand_count *count, double seconds)
{
    return (bench_finish){
        .seconds = seconds, .steps = count->steps, .rates = count->rates, .ok = count->is_reached};
}

bench_finish disc_reduced(const bench_problem *problem, double tolerance, double *end)
{
    double y[ROLLING_REDUCED] = {0.2, 0, 0, 0, 0, 0.1, 0.5, 10.0 - 0.5 * sin(0.2)};
    const double begin = contest_clock();
    const dormand_count count = disc_reduced_move(problem->until, tolerance, y);
    const double seconds = contest_clock() - begin;
    memcpy(end, y, DISC_COUNT * sizeof *y);
    end[7] += sin(y[0]) * y[6];
    return finish_of(&count, seconds);
}

bench_finish disc_multipliers(const bench_problem *problem, double tolerance, double *end)
{
    double y[ROLLING_FULL] = {0.2, 0, 0, 0, 0, 0.1, 0.5, 10.0, 5.0, 0};
    const double begin = contest_clock();
    const dormand_count count = disc_multipliers_move(problem->until, tolerance, y);
    const double seconds = contest_clock() - begin;
    memcpy(end, y, DISC_COUNT * sizeof *y);
    return finish_of(&count, seconds);
}
