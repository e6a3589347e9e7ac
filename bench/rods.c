// SPDX-License-Identifier: Apache-2.0
// Contenders: the chain by hand with DOP853, in angles and with multipliers.

#include "rods.h"

#include "contest.h"
#include "dormand.h"

#include <stdlib.h>

/// Alone in a function, so that a profiler can find them.
dormand_count chain_angles_move(const rods *in, double until, double tolerance, double *y,
                                double *room);
dormand_count chain_multipliers_move(const rods *in, double until, double tolerance, double *y,
                                     double *room);

__attribute__((noinline)) dormand_count chain_angles_move(const rods *in, double until,
                                                          double tolerance, double *y, double *room)
{
    const dormand_task task = {2 * in->n, rods_angles, in, until, tolerance};
    return dormand_run(task, y, room);
}

__attribute__((noinline)) dormand_count
chain_multipliers_move(const rods *in, double until, double tolerance, double *y, double *room)
{
    const dormand_task task = {4 * in->n, rods_multipliers, in, until, tolerance};
    return dormand_run(task, y, room);
}

static double *reserve(size_t count)
{
    double *room = calloc(count, sizeof *room);
    if (room == NULL) {
        abort();
    }
    return room;
}

bench_finish chain_angles(const bench_problem *problem, double tolerance, double *end)
{
    const uint32_t n = problem->rods;
    double *room = reserve((DORMAND_ROOM + 1) * 2 * (size_t)n + RODS_WORK(n));
    double *y = room + DORMAND_ROOM * 2 * (size_t)n;
    const rods in = {n, 1.0 / n, 1.0 / n, 9.81, y + 2 * (size_t)n};
    for (uint32_t i = 0; i < n; i++) {
        y[i] = problem->angle;
    }
    const double begin = contest_clock();
    const dormand_count count = chain_angles_move(&in, problem->until, tolerance, y, room);
    const double seconds = contest_clock() - begin;
    for (uint32_t i = 0; i < n; i++) {
        end[i] = (i > 0 ? end[i - 1] : 0.0) + in.length * sin(y[i]);
        end[n + i] = (i > 0 ? end[n + i - 1] : 0.0) - in.length * cos(y[i]);
    }
    free(room);
    return (bench_finish){
        .seconds = seconds, .steps = count.steps, .rates = count.rates, .ok = count.is_reached};
}

bench_finish chain_multipliers(const bench_problem *problem, double tolerance, double *end)
{
    const uint32_t n = problem->rods;
    double *room = reserve((DORMAND_ROOM + 1) * 4 * (size_t)n + RODS_WORK(n));
    double *y = room + DORMAND_ROOM * 4 * (size_t)n;
    const rods in = {n, 1.0 / n, 1.0 / n, 9.81, y + 4 * (size_t)n};
    for (uint32_t i = 0; i < n; i++) {
        y[i] = (i + 1.0) * in.length * sin(problem->angle);
        y[n + i] = -(i + 1.0) * in.length * cos(problem->angle);
    }
    const double begin = contest_clock();
    const dormand_count count = chain_multipliers_move(&in, problem->until, tolerance, y, room);
    const double seconds = contest_clock() - begin;
    memcpy(end, y, 2 * (size_t)n * sizeof *y);
    free(room);
    return (bench_finish){
        .seconds = seconds, .steps = count.steps, .rates = count.rates, .ok = count.is_reached};
}
