// SPDX-License-Identifier: Apache-2.0
// The tape of x' = f(x) in a frame, its slopes, and the split of coordinates.

#pragma once

#include "steady/frame.h"

// --- engines -------------------------------------------------------------------------------------

/// What an engine computes besides the rates of x.
typedef struct rh_engine_def {
    const rh_frame_ground *ground;
    const rh_frame *frame;
    bool is_closed;       // in closed form (quasi); else velocities and rates are solved for
    const rh_expr *dials; // parameters and inputs of the model that are inputs of the tape
    uint32_t dial_count;
    const rh_expr *extras; // further outputs
    uint32_t extra_count;
} rh_engine_def;

/// Inputs of its tape: time, x, dials. Outputs: x', the levels of the constraints that x
/// does not satisfy by itself, extras, and what vanishes where the equations switch.
typedef struct rh_engine {
    rh_arena arena;
    rh_form form;
    bool is_closed;
    rh_expr_list x;
    rh_range coordinates, velocities, states; // in x; states: all others
    uint32_t dial_first;                      // among the inputs of the tape
    uint32_t level_count, extra_first;        // outputs
    uint32_t switch_first, switch_count;      // outputs
    rh_expr_list switches;                    // the same as expressions
    double *unit;                             // by input of the tape: its size at the start
    double *origin;                           // by input: what it is measured from
    double pace;                              // what rates are measured by: 1 over a time
    rh_tape *tape;
} rh_engine;

RH_NODISCARD rh_status rh__engine_create(const rh_engine_def *def, rh_engine *out, rh_error *err);
/// The size of a value of an input of its tape beside that at the start: what steps and differences
/// are measured by.
double rh__engine_size(const rh_engine *engine, uint32_t input, double value);
/// The inputs of its tape at the start of the model.
RH_NODISCARD rh_status rh__engine_start(const rh_engine *engine, const rh_frame_ground *ground,
                                        const rh_frame *frame, rh_arena *scratch, double *out);
void rh__engine_destroy(rh_engine *engine);

// --- slopes --------------------------------------------------------------------------------------

/// Derivatives of all outputs of a tape by some of its inputs, by runs of its tangent.
typedef struct rh_slopes {
    rh_tape *tape;          // the tangent
    const uint32_t *moving; // inputs
    uint32_t moving_count;
    uint32_t input_count, output_count; // of the tape it is made of
    uint32_t directions;                // in one run
} rh_slopes;

/// `moving` is kept by reference.
RH_NODISCARD rh_status rh__slopes_create(const rh_tape *tape, const uint32_t *moving,
                                         uint32_t moving_count, rh_slopes *out, rh_error *err);
void rh__slopes_destroy(rh_slopes *slopes);
/// Outputs (of the tape) and their slopes, output_count x moving_count, at the inputs. False: not
/// finite, or an equation cannot be solved there.
bool rh__slopes_run(const rh_slopes *slopes, rh_tape_state *state, const double *inputs,
                    double *outputs, double *out);
/// Did the last run of a state go well?
bool rh__slopes_are_sound(const rh_tape_state *state);

// --- the split -----------------------------------------------------------------------------------

/// What is known of one dependence.
typedef enum rh_dependence {
    RH_DEPENDENCE_NONE,    // proved: the derivative is identically zero
    RH_DEPENDENCE_SAMPLED, // no trace of it at random states
    RH_DEPENDENCE_THERE
} rh_dependence;

typedef struct rh_split {
    uint32_t n;
    bool *is_positional; // by coordinate
    bool reads_time;
    uint32_t count;          // of positional ones
    rh_dependence *of_rates; // by coordinate: the rates of velocities and states on it
    bool *of_velocity;       // n x n: velocity i on coordinate j
    double *state;           // of x and dials: a generic one, for later questions
} rh_split;

/// Find the positional coordinates by tangents at random states near `start` (inputs of the tape).
RH_NODISCARD rh_status rh__split_find(const rh_frame_ground *ground, const rh_engine *engine,
                                      const double *start, rh_arena *arena, rh_split *out,
                                      rh_error *err);
/// The conditions (45), (66) ... (69) one by one, and proofs where there are any.
RH_NODISCARD rh_status rh__split_examine(const rh_frame_ground *ground, const rh_engine *engine,
                                         rh_split *split, rh_arena *arena,
                                         rh_steady_condition out[RH_STEADY_CONDITIONS]);
