// SPDX-License-Identifier: Apache-2.0
// What changes the state or the equations at once: resets, jumps, borders of inputs,
// accumulations.

#pragma once

#include "motion/mode.h"
#include "motion/watch.h"

/// Events that change the state (reset.c).
typedef struct rh_reset {
    rh_tape *tape; // outputs: new values, each with what it is of; NULL: there are none
    rh_tape_state *state;
    uint32_t *first;         // by event: its first value
    double *wanted, *before; // of the reset at hand
    bool *is_kept;           // by link: it holds whatever the state is
    bool *is_bound;          // by symbol: it is named
    rh_point point;
    rh_arena scratch;
} rh_reset;

enum { RH_ACCUMULATION_MOST = 25 }; // changes that are remembered: three rounds of eight

/// Changes that follow each other ever faster (accumulation.c).
enum { RH_ACCUMULATION_ENDS = 3 };

typedef struct rh_accumulation {
    bool is_on;     // there can be some
    uint32_t count; // of the last changes that are remembered:
    double time[RH_ACCUMULATION_MOST];
    uint64_t what[RH_ACCUMULATION_MOST];
    double *x;        // the state behind each
    uint32_t period;  // changes in a round; 0: there are no rounds
    uint64_t rounds;  // number of the present ones
    uint64_t passed;  // changes since these began
    double since;     // when
    double until;     // the last change of rounds
    double last;      // estimate of the limit
    double best;      // how well the best estimate is known: it is
    double best_left; // what was left then
    double time_limit;
    double *limit; // the state there
    double *ends;  // the states at the ends of the rounds that it was found from:
    double end[RH_ACCUMULATION_ENDS]; // and when these were, the last first
    double *way;                      // work: two states
    uint64_t *event_rounds;           // by event: as of a condition
    double *event_size;               // work
} rh_accumulation;

/// An input from a file (track.c).
typedef struct rh_track {
    const rh_input *input;
    double *times, *values; // points; those on level stretches are left out
    uint32_t count;
    uint32_t at;          // how many points lie at the selected time or before it
    uint32_t order;       // of its highest derivative in the equations
    uint32_t *gate_order; // by gate: the same while it acts
    bool is_live;         // rh_motion_set_input() gives its values
} rh_track;

typedef struct rh_tracks {
    rh_track *data;
    uint32_t count;
    rh_feed_piece *pieces; // by track: what all states see
    double next;           // where one of these pieces ends; INFINITY: never
    double border;         // the last such time that was passed
    bool is_stuck;         // the motion cannot go over to the next ones
    double *before, *near; // by event: just before the border, and at it (border.c)
} rh_tracks;

enum { RH_JUMP_FOLLOWERS = 5 }; // states that follow the sides of the conditions of the jumps

/// Jumps of velocities where a condition in an energy or a constraint changes (jump.c).
typedef struct rh_jump {
    rh_tape_state *state;    // of the released tape; NULL: there are no such conditions
    const char **names;      // by condition
    const char **link_names; // by constraint
    rh_tape_state *followers[RH_JUMP_FOLLOWERS];
    uint32_t *sides[RH_JUMP_FOLLOWERS]; // of each: see rh__system_sides
    rh_point point;
    rh_arena scratch;
    int *side;   // by condition: before the state was reset; 0: it is not on its surface
    double at;   // the time of the last jump
    double work; // of the impulses of constraints in it
} rh_jump;

rh_status rh__accumulation_create(rh_motion *motion);
void rh__accumulation_forget(rh_motion *motion);
/// How long a step may be that begins with a reset, or with one of the changes of rounds: without
/// jets what happens soon after it would be lost beside a much longer step.
double rh__accumulation_pace(const rh_motion *motion);
/// The equations or the state changed, by `how` and by the resets that are due. Where such changes
/// come to a limit the motion is put there.
void rh__accumulation_note(rh_motion *motion, const rh_crossing *how);

rh_status rh__jump_create(rh_motion *motion);
void rh__jump_destroy(rh_motion *motion);
/// Condition `index` is crossed: let velocities jump, and open it as rh__switch_cross does.
void rh__jump_cross(rh_motion *motion, uint32_t index, int direction);
/// The motion begins, all is decided: where it is on a border in time the text may say something
/// else at the start than behind it, and velocities jump. True when they did.
bool rh__jump_begin(rh_motion *motion);
/// Rows, energies and projections belong to the sides that `like` has, a state of `step`.
void rh__jump_follow(rh_motion *motion, const rh_tape_state *like);
/// The state was reset: the same with the sides of before where it is still on their surfaces.
void rh__jump_reset(rh_motion *motion);
/// Nothing is known any more (rh__mode_open): except these sides.
void rh__jump_open(rh_motion *motion);

rh_status rh__reset_create(rh_motion *motion, rh_error *err);
void rh__reset_destroy(rh_motion *motion);
/// The output of its tape that holds the new value of what event `event` names as number `index`;
/// the present value is the next one.
uint32_t rh__reset_output(const rh_motion *motion, uint32_t event, uint32_t index);
/// Change the state as the event says.
rh_status rh__reset_apply(rh_motion *motion, uint32_t event);

/// The points of all feeds, from the def.
rh_status rh__tracks_create(rh_motion *motion, const rh_motion_def *def, rh_error *err);
/// All states see the pieces from now on.
rh_status rh__tracks_attach(rh_motion *motion);
/// The pieces that begin at `time` or hold there.
void rh__tracks_select(rh_motion *motion, double time);
/// An rh_feed_of.
double rh__tracks_value(void *motion, rh_expr symbol, double time);
/// Live ones are 0 again.
void rh__tracks_renew(rh_motion *motion);
/// The highest derivative of an input that the equations hold in the present mode.
uint32_t rh__track_order(const rh_motion *motion, const rh_track *track);
/// Go over a border at the present time, with the events there (motion.c).
void rh__motion_pass_border(rh_motion *motion);
/// The state or the equations are others from here on: decide all anew.
void rh__motion_open(rh_motion *motion);
/// Can the equations follow over the end of the present pieces? If not the motion fails.
bool rh__tracks_are_smooth(rh_motion *motion);

rh_status rh__border_create(rh_motion *motion);
/// Is an event at this time for rh__border_pass to find?
bool rh__border_is_near(const rh_motion *motion, double time);
/// The step ended with `how` where a piece of an input ends: go over to the next pieces. `out`: an
/// event that does more than record, if one happens there.
void rh__border_pass(rh_motion *motion, const rh_crossing *how, rh_crossing *out);
/// All columns at the border itself belong to the next pieces, and to the mode behind it.
bool rh__border_is_at(const rh_motion *motion, double time);
