// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: making the tapes of a system.

#pragma once

#include "tape/tape.h"

/// What symbols stand for that are no inputs of a tape.
typedef struct rh_meanings {
    const rh_system *system;
    rh_arena *arena; // scratch
    RH_ARRAY(rh_definition) definitions;
} rh_meanings;

/// The symbols of inputs from files (feed.c).
bool rh__feed_list(rh_system *system);
/// On a straight piece their higher derivatives are 0.
bool rh__feed_define(rh_meanings *meanings);

/// A tape with the inputs time, x and unknowns (tapes.c).
RH_NODISCARD rh_status rh__system_compile(const rh_system *system, const rh_meanings *meanings,
                                          const rh_expr *outputs, uint32_t count, rh_tape **out,
                                          rh_error *err);
/// `watch` and `output` (sections.c).
RH_NODISCARD rh_status rh__system_outputs(rh_system *system, const rh_meanings *meanings,
                                          rh_error *err);

/// The recipe of a tape of the system without inputs and outputs (tapes.c).
rh_tape_def rh__system_begin_def(const rh_system *system, const rh_meanings *meanings);
/// What inputs with a formula, and quasi-velocities, stand for: the rest of the meanings belongs to
/// the form.
bool rh__system_define_free(rh_meanings *meanings);

/// Find the conditions of the energies and the constraints (jumps.c).
RH_NODISCARD rh_status rh__jumps_prepare(rh_system *system, rh_arena *scratch);
/// Their switches in `step`, whose outputs from `first` on are the conditions, and the released
/// tape.
RH_NODISCARD rh_status rh__jumps_compile(rh_system *system, uint32_t first, rh_arena *scratch,
                                         rh_error *err);

/// Unknowns and rows for conditions on whose surfaces the motion may slide (slide.c). False when
/// there was no memory.
RH_NODISCARD bool rh__slide_prepare(rh_system *system, const rh_meanings *meanings);
/// An expression with the unknowns of the slides in place of their conditions; none when there was
/// no memory.
rh_expr rh__slide_through(const rh_system *system, rh_expr e, rh_arena *scratch);
