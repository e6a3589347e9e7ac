// SPDX-License-Identifier: Apache-2.0
// Private to the benchmark of motions: many sleighs whose blade holds on one side only. Mass 1,
// in-plane gravity along -y or a torque c sin t; random starts on the constraint.
//
// What a run tells lies in SLEIGH_ROOM numbers: how many events, then their times; a time is
// negative where the blade begins to hold, positive where it lets go.

#pragma once

#include "contest.h"

enum { SLEIGH_ROOM = 160 };

typedef struct sleigh {
    double inertia, ahead, gravity, torque;
    double angle, along, turning; // at the start
} sleigh;

/// Member `k`: gravity where the problem lasts 10 s, else torque.
bool sleigh_has_gravity(const bench_problem *problem);
sleigh sleigh_draw(const bench_problem *problem, uint64_t k);

/// One more event of a run.
void sleigh_note(double *run, double time, bool is_leave);

/// All runs by the library at order 28 and the tolerance 1e-15.
bool sleigh_reference(bench_problem *problem);
double sleigh_error(const bench_problem *problem, const double *end);
/// Both contenders at 1e-13, event by event; no run of the library may differ.
bool sleigh_tell(const bench_problem *problem, results *to);
