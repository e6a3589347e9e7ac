// SPDX-License-Identifier: Apache-2.0
// Private to `certificate`: writing statements about steady motions that were found.

#pragma once

#include "certificate/verify.h"

#include "steady/steady.h"

/// What a statement is written about.
typedef struct rh_proposing {
    rh_verifying on; // its statement is the draft
    rh_wording draft;
    const rh_steady *steady;
    const rh_steady_found *found;
    const rh_steady_def *call;
    const rh_model_def *model;
    bool drops_demands;   // what is fixed and is no variable is left out
    bool counts;          // the dimension is counted, not taken as found
    bool starts_near;     // the model shall start at the motion: pivots are chosen there
    bool is_whole;        // all velocities are in the frame: constraints stay, with multipliers
    double *whole;        // by row of such a frame: its value
    uint32_t *whole_slot; // by row of such a frame: the slot of a row of the user; UINT32_MAX
    bool *is_exchanged; // by row of the frame: the velocity of a positional coordinate stands there
    double *values;     // by variable of the thesis: as found
    const rh_steady_value **wanted;   // by variable: what the call fixes; NULL
    double *kernel;                   // count x dimension, column after column
    bool *is_zero;                    // by variable: it is proposed to be zero, or half turns
    bool *is_fixed;                   // by variable
    const char **velocity;            // by row of the frame: the formula that is exchanged for it
    bool has_exchanged, has_switched; // what was tried
    char reason[512], first_reason[512]; // the latter before constraints were kept, or solved
} rh_proposing;

/// A decimal without exponent that reads back as the value: the shortest.
const char *rh__propose_decimal(rh_arena *arena, double value);
/// What the call fixes in decimals: as it was written where that is known.
const char *rh__propose_fix(const rh_proposing *in, const rh_steady_value *fix);
/// Settings, model, frame of the statement: the frame of `steady`, with the velocities of
/// positional coordinates where `is_exchanged` says so.
RH_NODISCARD rh_status rh__propose_frame(rh_proposing *in);
/// Note why an attempt failed; false.
bool rh__propose_give_up(rh_proposing *in, const char *why);
/// The slope of a row by a variable, where the field was looked at.
double rh__propose_slope(const rh_proposing *in, uint32_t row, uint32_t variable);
/// As many fixed variables as the family has dimensions, beside what is demanded (parametrise.c).
bool rh__propose_fixed(rh_proposing *in);
/// Add a quasi-velocity to the statement; its name.
bool rh__propose_quasi(rh_proposing *in, const char *formula, const char **out_name);
/// The name of a row of the frame, if it is one of the model; NULL.
const char *rh__propose_given(const rh_proposing *in, const rh_quasi *row);
/// Add what combinations of equations with constant factors give: they cancel identically
/// (integrals.c).
RH_NODISCARD rh_status rh__propose_integrals(rh_proposing *in);
/// Note that a row vanishes.
bool rh__propose_vanish(rh_proposing *in, uint32_t row, const rh_vanish *why);
/// The frame of all velocities (whole.c).
RH_NODISCARD rh_status rh__propose_whole(rh_proposing *in);
/// Where equations that are left depend on each other, one variable less is taken for zero: one
/// that makes them independent (loosen.c). False: there is none.
RH_NODISCARD rh_status rh__propose_loosen(rh_proposing *in, bool *out);
/// Which rows of the frame may be exchanged for velocities of positional coordinates: on a steady
/// motion they are exactly zero. False when that would change nothing. Slopes are at the motion.
bool rh__propose_exchange(rh_proposing *in);
