// SPDX-License-Identifier: Apache-2.0
// C code for series and for whole steps.

#pragma once

#include "tape/tape_system.h"

typedef enum rh_emit_form {
    RH_EMIT_AUTO,     // by the size of the tape
    RH_EMIT_UNROLLED, // straight lines
    RH_EMIT_LOOPS     // over orders and families
} rh_emit_form;

/// Another function of a text: order 0 of a tape at one point.
typedef struct rh_emit_point {
    const rh_tape *tape;
    const char *name;  // of the function
    const char *again; // of one that solves its only block once more, where it can be; NULL: none
} rh_emit_point;

enum { RH_BRIEF_ORDER = 2 }; // rates, and what these do to functions of the state

/// Recipe for the C text of a series: of inputs 1 ... rate_count, whose rates are the first outputs
/// of the tape. The inputs of the tape are the time, these, and its feeds.
typedef struct rh_emit_def {
    const rh_tape *tape;
    uint32_t rate_count;
    uint32_t order;
    uint32_t stride;  // of the jets
    const char *name; // of the function
    rh_emit_form form;
    const rh_emit_point *points; // further functions; where LANES is not 1 they are left out
    uint32_t point_count;
    bool has_steps;         // whole steps too: rheonom_steps, an rh_steps_kernel
    rh_ladder_list ladders; // whose coefficients above order 0 may be left out, of one lane
    const char *brief; // name of a function for the same series of order RH_BRIEF_ORDER, which only
                       // texts in straight lines have; NULL: none
} rh_emit_def;

/// The text of an rh_series_kernel. Compiled with LANES defined as another number than 1 it serves
/// so many points side by side; each of them has the same bits as alone.
/// @return RH_E_LIMIT when the text would be too long to be compiled, RH_E_MEMORY
RH_NODISCARD rh_status rh__emit_series(const rh_emit_def *def, rh_arena *scratch, rh_text *out);
/// Is it written in straight lines?
bool rh__emit_is_unrolled(const rh_emit_def *def);
/// How many numbers of `work` a lane needs.
size_t rh__emit_room(const rh_emit_def *def);
/// How many numbers of `work` a further function needs.
size_t rh__emit_point_room(const rh_tape *tape);
/// Operations of all convolutions of a series: a measure of what it costs.
uint64_t rh__emit_work(const rh_tape *tape, uint32_t order);
/// The arrays of a state, as a kernel wants them.
rh_series_point rh__kernel_point(const rh_tape_state *state);
/// Run the kernel of a state whose time and x are there; false: there is none for this order, or it
/// could not serve, and the interpreter has to.
bool rh__kernel_run(rh_tape_state *state, uint32_t order);
/// The coefficients that the kernel left out.
void rh__jet_fill(rh_tape_state *state);
/// Run order 0 of a state whose inputs are there by its function; false: there is none, or it could
/// not serve, and the interpreter has to.
bool rh__point_run(rh_tape_state *state);
/// Solve the only block of a state once more, by the factors of its last run: the right side stands
/// where its unknowns do, which it becomes. False: that cannot be done, or did not lead to numbers.
bool rh__point_again(rh_tape_state *state);

// --- compiled steps ------------------------------------------------------------------------------

/// What stands where in the room of compiled steps (glide.c): so many numbers by lane each, lanes
/// innermost; then x, the x before, the slope of the polynomial at the probe, the size of its first
/// coefficient, the probe, the units, and the coefficients of the last step by order, each of them
/// padded.
enum {
    RH_GLIDE_TIME,
    RH_GLIDE_BEFORE,
    RH_GLIDE_END, // to go to
    RH_GLIDE_LENGTH,
    RH_GLIDE_LAST,      // length of the step before, and of the one before that
    RH_GLIDE_PRIOR,     //
    RH_GLIDE_PHASE,     // RH_GLIDE_FRESH or RH_GLIDE_READY
    RH_GLIDE_TOLERANCE, // its logarithm to base 2
    RH_GLIDE_SHIFT,     // the same rounded down, by the order
    RH_GLIDE_LEVEL,     // relative, of slopes that are right
    RH_GLIDE_FINENESS,  // of what slopes are off over the length of a step, relative to 1 + |x|
    RH_GLIDE_STEPS,     // that were made
    RH_GLIDE_BUDGET,    // and that may be
    RH_GLIDE_VERDICT,
    RH_GLIDE_IDLE,     // not 0: nobody is on this lane
    RH_GLIDE_LEAST,    // not 0: steps far shorter than the time of the motion are not for it
    RH_GLIDE_PROBE,    // a time
    RH_GLIDE_PACE,     // a rate that counts, by units
    RH_GLIDE_HEAD = 24 // whole cells of the widest kind
};
enum {
    RH_GLIDE_X = 0,
    RH_GLIDE_Y = 4,
    RH_GLIDE_UNIT = 5,
    RH_GLIDE_FLOOR = 6,
    RH_GLIDE_SERIES = 7
}; // vectors behind the head

/// Why it came back.
enum {
    RH_GLIDE_REACHED = 1,
    RH_GLIDE_HARD = 2, // the next step is not for it; what is told is the state before that
    RH_GLIDE_PAUSED = 3
};

/// Where it begins: at a new point, or where it came back with the series of the point at hand.
enum { RH_GLIDE_FRESH = 0, RH_GLIDE_READY = 5 };

/// Steps from lane to lane until one of them needs its owner.
typedef int rh_steps_kernel(rh_series_point *points, double *room);

#define RH_GLIDE_ROUNDING 1e-10 // of rates, relative to their size
#define RH_GLIDE_FADE 0x1p-6    // of the size of a variable, by step
#define RH_GLIDE_SHORT 0.1      // of the last length: a step that is not taken by compiled text
#define RH_GLIDE_MARGIN 0.2     // to base 2: exponents of sizes are rounded

/// Numbers of a vector in the room, with its padding.
static inline uint32_t rh__glide_pad(uint32_t count)
{
    return (count + 7) / 8 * 8;
}

/// Numbers of the room for one lane.
static inline size_t rh__glide_room(uint32_t count, uint32_t order)
{
    return RH_GLIDE_HEAD + ((size_t)RH_GLIDE_SERIES + order + 1) * rh__glide_pad(count);
}
