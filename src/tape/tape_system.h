// SPDX-License-Identifier: Apache-2.0
// The tapes of a system of equations, and what their inputs and outputs mean.

#pragma once

#include "tape/state.h"

/// What the output tape tells.
typedef enum rh_section {
    RH_SECTION_VELOCITY,   // by carrier: its variable, replaced or not
    RH_SECTION_RATE,       // by carrier: accelerations, rates of selected states
    RH_SECTION_PASSIVE,    // by passive state: its rate
    RH_SECTION_MULTIPLIER, // by link; where that is a state (type II), its rate
    RH_SECTION_LEVEL,      // by link, by level: rh_system.level_of; level 0 is the deviation
    RH_SECTION_EVENT,      // by event of the model
    RH_SECTION_OBSERVE,    // by observe of the model
    RH_SECTION_ENERGY,     // kinetic, potential, Lagrangian
    RH_SECTION_QUASI,      // by quasi-velocity of the model
    RH_SECTION_COUNT
} rh_section;

/// A condition on whose surface the motion may slide: where both sides push back to it, its value
/// (a sign, or a truth as 0 or 1) becomes an unknown such that the surface is not left.
typedef struct rh_slide {
    rh_expr condition; // sign(s), a < b, a <= b
    uint32_t unknown;  // of the form
    uint32_t hold;     // in `step`; released, its unknown is lent the value of the condition
    uint32_t at;       // index of its switch in `step`
    double low, high;  // values on the sides below and above the surface
    bool is_coupled;   // another condition is a factor of what it does
    bool is_second;    // its row keeps the rate of the surface: both vanish while it slides
} rh_slide;

/// A condition in an energy or a constraint: where its surface is crossed, velocities may jump.
typedef struct rh_jump_condition {
    rh_expr condition;    // sign(s), a < b, a <= b
    rh_expr surface;      // s, a - b
    uint32_t at;          // index of its switch in `step`
    uint32_t value;       // output of the released tape: the surface
    rh_range slopes;      // outputs: its derivatives by coordinates
    uint32_t *coordinate; // by slope: which one
    bool holds_velocity;  // the surface does
} rh_jump_condition;

/// A sparse matrix among the outputs of the released tape: entry k is output first + k.
typedef struct rh_jump_grid {
    const rh_grid *grid; // of the equations
    uint32_t first;
} rh_jump_grid;

/// What decides how velocities jump (jumps.c). The inputs of the released tape are the time, the
/// coordinates, the variables of all carriers, the passive states, the multipliers that are states,
/// feeds: the system without its form.
typedef struct rh_jumps {
    rh_jump_condition *conditions;
    uint32_t count;
    rh_tape *tape;        // NULL: there are no conditions
    uint32_t *side_of;    // by switch of `tape`; see rh__system_sides
    uint32_t lagrangian;  // output
    uint32_t momentum;    // outputs, by coordinate
    rh_jump_grid inertia; // all of it, and the part that comes from no energy
    rh_jump_grid other;
    rh_jump_grid rows, push;
    uint32_t *level_of; // by link: outputs of its levels; UINT32_MAX: it has no impulse
} rh_jumps;

/// Where a symbol stands in x.
typedef struct rh_x_place {
    uint32_t symbol, index;
} rh_x_place;

/// The program of a model: which numbers move, and the tapes that tell how. Constant after it was
/// made. x holds the coordinates, the variables of the form (new velocities, selected states), the
/// passive states, and the multipliers that are states.
struct rh_system {
    rh_arena arena;
    rh_equations *equations; // kept by reference
    rh_form form;
    rh_expr_list x;       // symbols
    rh_x_place *x_places; // the same, by the numbers of the symbols
    rh_recipe pack;       // their values at a point
    rh_range coordinates, variables, passives, held;
    rh_expr_list feeds; // of each input from a file: its symbol and that of its derivative

    /// Inputs: time, x, feeds. Outputs: dx/dt, all unknowns of the form, the levels of each
    /// link that can be released (watch_of), the conditions of those that come and go
    /// (condition_of), the conditions of the jumps, those of the slides.
    rh_tape *step;
    /// Inputs: time, x, unknowns of the form, feeds. Outputs: events of the model.
    rh_tape *watch;
    /// Inputs as `watch`. Outputs: `sections`.
    rh_tape *output;
    rh_range sections[RH_SECTION_COUNT];
    uint32_t *level_of; // by link: first output of its levels in `output`
    uint32_t *watch_of; // by link: first output of its levels in `step`; UINT32_MAX: always kept
    uint32_t *condition_of; // by link: output of its condition in `step`; UINT32_MAX: none
    uint32_t *hold_of;      // by link: its hold in `step`; UINT32_MAX when it cannot be released
    uint32_t *hold_row, *hold_column; // by row of the form: its hold, and the unknown that is given
                                      // when it is released; UINT32_MAX: it always acts
    rh_slide *slides;
    uint32_t slide_count;
    rh_jumps jumps;
    uint32_t *held_of; // by link: index in x of its multiplier where that is a state; UINT32_MAX
    struct rh_items *items; // what it names (room `system`); NULL: it is for one motion only
};

typedef struct rh_tapes_def {
    rh_form_kind form; // RH_FORM_REDUCED or RH_FORM_MULTIPLIERS
    bool has_outputs;  // make `watch` and `output`
} rh_tapes_def;

RH_NODISCARD rh_status rh__system_create(rh_equations *equations, const rh_tapes_def *def,
                                         rh_system **out, rh_error *err);
void rh__system_destroy(rh_system *system); // NULL is allowed

/// Recipe for another tape of a system. Its inputs are those of `output`, with `inputs` before the
/// feeds.
typedef struct rh_extra_def {
    const rh_expr *outputs;
    uint32_t output_count;
    const rh_expr *inputs; // symbols
    uint32_t input_count;
    const rh_tape_solve *solve; // NULL: none
    uint32_t hold_count;
} rh_extra_def;

/// A tape for other expressions of the model; the caller destroys it.
RH_NODISCARD rh_status rh__system_extra(const rh_system *system, const rh_extra_def *def,
                                        rh_tape **out, rh_error *err);

/// By switch of another tape: 2 k + (its surface is that of jumps.conditions[k] turned round);
/// UINT32_MAX: it is none of them.
RH_NODISCARD rh_status rh__system_sides(const rh_system *system, const rh_tape *tape,
                                        rh_arena *arena, uint32_t **out);
/// What a rule says on a side of its surface (-1, 1); 0: on the surface itself.
double rh__switch_truth(rh_switch_rule rule, double side);
/// Force the switches that rh__system_sides found to the sides on which `like`, a state of `step`,
/// has them; NULL: their surfaces decide.
void rh__system_follow(const rh_system *system, const uint32_t *side_of, const rh_tape_state *like,
                       rh_tape_state *state);

/// The highest derivative of a feed that the equations of motion hold: where it is of order k, the
/// derivatives below k must not jump. Rows that can be released do not count, except that of `link`
/// (UINT32_MAX: none).
RH_NODISCARD rh_status rh__system_feed_order(const rh_system *system, uint32_t feed, uint32_t link,
                                             rh_arena *scratch, uint32_t *out);

/// x from the values of a point.
RH_NODISCARD rh_status rh__system_pack(const rh_system *system, const rh_point *point,
                                       rh_arena *scratch, double *out_x);

/// The index of a symbol in x; UINT32_MAX when it is not there.
uint32_t rh__system_index(const rh_system *system, rh_expr symbol);

/// Taylor coefficients 0 ... order of x at (t, x) in `state` (of `step`, with room for them): slot
/// 1 + k is x[k]. Coefficients of all other slots are there up to order - 1.
void rh__system_series(const rh_system *system, rh_tape_state *state, double t, const double *x,
                       uint32_t order);
