// SPDX-License-Identifier: Apache-2.0
// Private to `steady`: what is known while the frame of a reduction is chosen.

#pragma once

#include "steady/steady.h"

enum {
    RH_CHOICE_FRAMES = 6,    // choices of unit rows that are tried
    RH_CHOICE_TRIPLES = 400, // pairs of velocities turned by an angle
    RH_CHOICE_CLOSED = 1500, // slots of the tape as it stands: a closed form of more is not tried
    RH_CHOICE_WORK = 8000    // slots of all engines that are tried for their split, twice
};

typedef struct rh_choosing {
    rh_reduction *reduction;
    const rh_reduction_def *def;
    rh_arena scratch;
    rh_expr_list dials, extras;
    rh_frame best[RH_CHOICE_FRAMES]; // of equal size of the split, in order
    uint32_t best_count, best_size;
    uint32_t merit; // of the best: how many conditions hold, where ties are broken by that
    uint64_t work;  // slots of all engines that were tried
} rh_choosing;

/// What an engine of a frame shall compute.
rh_engine_def rh__choice_engine(const rh_choosing *in, const rh_frame *frame, bool is_closed);
/// Take frames that have fewer positional coordinates than the best so far; of those that are taken
/// here, the one in which most conditions hold.
RH_NODISCARD rh_status rh__choice_improve(rh_choosing *in, rh_frame *list, uint32_t count,
                                          rh_error *err);
/// Try components of the angular velocities of bodies (bodies.c).
RH_NODISCARD rh_status rh__choice_bodies(rh_choosing *in, rh_error *err);
/// Try quasi-velocities in which the inertia is one (lengths.c).
RH_NODISCARD rh_status rh__choice_lengths(rh_choosing *in, rh_error *err);
/// Find the rates that vanish identically, in a closed form (unmoved.c).
RH_NODISCARD rh_status rh__reduction_still(rh_reduction *reduction, const rh_engine *closed,
                                           rh_arena *scratch);
/// Add those that look it: rounding alone, at random states.
RH_NODISCARD rh_status rh__reduction_quiet(rh_reduction *reduction);
/// The frame with the fewest positional coordinates; the best conditioned one among equals.
RH_NODISCARD rh_status rh__choice_make(rh_choosing *in, rh_error *err);
