// SPDX-License-Identifier: Apache-2.0
// What holds now: sides of conditions, slides, one-sided constraints, constraints that come and
// go.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

/// A condition of the equations (switch.c), by switch of the stepping tape.
typedef struct rh_condition {
    const char *name; // of those that may slide
    uint32_t slide;   // index; UINT32_MAX: the motion cannot slide on it
    int side;         // -1, 1: of its surface; 0: not decided
    bool is_sliding;  // on the surface
    bool was_sliding; // when all was settled last
    bool is_open;     // to be settled
    bool is_lifting;  // it slid, and is not clear of its surface yet
    bool is_idle;     // while it is being settled: it moves nothing
    bool is_growing;  // the same: it moves nothing yet
    bool is_tried;    // the same: it slides because that was tried first
    bool is_lent;    // without a side, and others hold it there: its value is `lent`, which is free
    double lent;     // between its ends
    uint64_t rounds; // of changes that come ever faster: the last ones it took part in
    int side_noted;  // its side behind the last change
    uint32_t known;  // so many coefficients of the surface are known to vanish: 1, it is met
    uint32_t zeros;  // the same, at the beginning of the step at hand
} rh_condition;

/// A one-sided constraint (gate.c).
typedef struct rh_gate {
    const char *name;
    uint32_t link;
    uint32_t hold, unknown;       // of the form: its multiplier (of type II: the rate of it)
    uint32_t level, level_count;  // outputs of `step`
    uint32_t held;                // index in x of a multiplier that is a state; UINT32_MAX
    bool is_spinning, is_literal; // options of type II: hold, literal
    double restitution;
    bool is_active;       // it acts
    bool was_active;      // when all was settled last
    bool began_active;    // at the start
    bool is_neutral;      // nothing tells whether it acts
    bool is_undetermined; // the motion ended where it has no multiplier, or many
    bool is_met;          // its surface was met at the end of the step
    bool is_loose;        // its multiplier came to zero there
    bool is_settling;     // its impacts come to an end
    bool is_lifting;      // it let go and is not clear of its surface yet
    int sign;             // of the multiplier that pushes to the right side
    uint32_t zeros; // so many coefficients of what is watched vanish at the beginning of the step
    double speed, impulse; // of the impact at hand
    double delay;          // until its impacts have come to an end
    double last_graze;
    uint64_t rounds; // as of a condition
    double reach[2]; // of the last series before it began to act, and before it let go; 0: none
} rh_gate;

/// A two-sided constraint that holds while a condition is true (intermittent.c).
typedef struct rh_intermittent {
    const char *name;
    uint32_t link, hold;
    uint32_t level, level_count; // outputs of `step`
    uint32_t condition;          // the same
    rh_expr constant;            // const.NAME, which is taken anew each time it comes on; none
    bool has_law;                // its deviation follows a law: no impulse
    bool is_on, was_on;          // now; when all was settled last
    bool began_on;               // at the start
    bool has_changed;            // while all is being settled
} rh_intermittent;

typedef struct rh_intermittents {
    rh_intermittent *data;
    uint32_t count;
    uint32_t *coming; // those that come on
    uint32_t coming_count;
    double *response; // coming x coming: what a unit of multiplier j does to the rate of level i
    double *push;     // coming x n: and to the rates of the variables
    double *speed;    // 3 x coming: last levels, units, impulses
    bool *was_true;
    double *rates;  // by switch of `step`: of its surface, before an impulse
    rh_point point; // the start with the constants that were taken last
    rh_arena scratch;
} rh_intermittents;

/// What holds now (mode.c).
typedef struct rh_mode {
    rh_condition *conditions;
    uint64_t *inner; // by condition, as bits: those that decide about its surface
    size_t inner_words;
    uint32_t *border_of; // by condition: 2 k + (turned round), k the first with the same surface
    rh_gate *gates;
    uint32_t gate_count;
    rh_intermittents intermittents;
    bool *is_kept;  // by link: it is kept now
    bool *was_kept; // in the last step, whose rows belong to its mode
    uint32_t *open; // gates to be decided
    uint32_t open_count;
    double *response; // open x open: what a unit of multiplier j does to the rate of level i
    double *push;     // open x n: and to the rates of the variables
    double *rate;     // by open gate
    double span;      // of the series that decides; see rh__mode_span
    double *noise;    // 2 x open: what is rounding in it
    rh_arena scratch;
    bool has_jumped;  // velocities did, while it was settled
    double worst;     // of the multipliers that push: the least one so far
    bool is_begun;    // the start is settled
    double begin;     // when that was
    double since;     // the beginning of a moment ...
    uint64_t changes; // and how many there were in it
} rh_mode;

enum { RH_GATE_OPEN = 512, RH_FOUND_MOST = 256 };
#define RH_STEP_LEAST 1e-14 // of |t|: shorter ones the time cannot tell, nor x
#define RH_MODE_MET 1e-12   // of its terms: values of a surface that is met
#define RH_MODE_CLEAR 10.0  // tolerances, of its terms: of a gate that is clear of its surface

/// The first coefficient that tells something.
typedef struct rh_mode_term {
    uint32_t order;
    int sign; // 0: there is none
} rh_mode_term;

rh_status rh__mode_create(rh_motion *motion);
/// The text of a condition, in the arena of the motion; NULL: there is no memory.
const char *rh__mode_condition_text(rh_motion *motion, rh_expr condition);
/// Nothing is known any more: at the start, after a jump of the state.
void rh__mode_open(rh_motion *motion);
/// Decide at (t, x) all that is open, and record what changed. The tape `step` works with it at
/// once, `plain` from the next step on: rows of the last step belong to the last mode.
void rh__mode_settle(rh_motion *motion);
/// A step begins: `plain` and the rows from here on belong to the present mode.
void rh__mode_begin(rh_motion *motion);
/// A step was taken: what was known of its beginning is over.
void rh__mode_advance(rh_motion *motion);
/// The time in which the motion changes by its size, by the series in `step`.
double rh__mode_span(const rh_motion *motion);
/// The first coefficient of a slot of `step`, from `from` on, that is more than rounding.
rh_mode_term rh__mode_first(rh_motion *motion, uint32_t slot, uint32_t from, double span);
/// Values of a slot that count as zero: a step without jets is known to its error only.
double rh__mode_met(rh_motion *motion, uint32_t slot);
/// What is rounding in a coefficient.
double rh__mode_noise(rh_motion *motion, uint32_t slot, uint32_t order, double span);
void rh__mode_record(rh_motion *motion, rh_occurrence_kind kind, const char *name, double time);

rh_status rh__gate_create(rh_motion *motion);
void rh__gate_destroy(rh_motion *motion);
/// All gates as they were made, for the present start. RH_E_UNAVAILABLE when a restitution is none.
rh_status rh__gate_renew(rh_motion *motion);
/// Their restitutions, for the present parameters; RH_E_UNAVAILABLE when one is none.
rh_status rh__gate_find_restitutions(rh_motion *motion);
void rh__gate_open(rh_motion *motion);
void rh__gate_decide(rh_motion *motion);
/// Record what changed since the last time.
void rh__gate_say(rh_motion *motion);
/// Gate `index` was met, or its multiplier vanishes.
void rh__gate_cross(rh_motion *motion, uint32_t index);
/// The slot of `step` that tells when it is met, or lets go.
uint32_t rh__gate_slot(const rh_motion *motion, const rh_gate *gate);
/// The tape `probe` at (t, x) in the mode of `step`, and a level of a gate there.
void rh__gate_look(rh_motion *motion);
double rh__gate_level(const rh_motion *motion, const rh_gate *gate, uint32_t level);
/// What of a level counts as zero: rh__mode_met.
double rh__gate_met(rh_motion *motion, const rh_gate *gate, uint32_t level);
/// One more open gate; more than RH_GATE_OPEN cannot be decided together.
void rh__gate_put(rh_motion *motion, uint32_t index);
/// Fill `response` and `push` for the open gates; then turn those whose own response is negative.
void rh__gate_respond(rh_motion *motion);
void rh__gate_turn(rh_motion *motion);
/// 0 <= multiplier _|_ rate + response multiplier >= 0, `noise` being what is rounding in it. NULL
/// when there is not exactly one motion: it has failed then. `push`: what a unit of each multiplier
/// does, `width` numbers by open gate.
const rh_complement_solution *rh__corner_solve(rh_motion *motion, const double *push,
                                               uint32_t width);
/// Did the motion fail where this multiplier is none or one of many?
bool rh__corner_is_open(const rh_motion *motion, uint32_t link);
/// Velocities jump where gates are hit.
void rh__impact_apply(rh_motion *motion);

/// Gates that are touched, released for an impulse; then those that it presses push back.
void rh__impact_release(rh_motion *motion);
void rh__impact_press(rh_motion *motion);

rh_status rh__intermittent_create(rh_motion *motion);
void rh__intermittent_destroy(rh_motion *motion);
/// All off, as they were made.
void rh__intermittent_renew(rh_motion *motion);
/// At the start: on or off as the text says there.
void rh__intermittent_open(rh_motion *motion);
/// The state jumped: those whose conditions do not hold there are off.
void rh__intermittent_drop(rh_motion *motion);
/// Conditions were decided: come on or go off.
void rh__intermittent_decide(rh_motion *motion);
/// Record what changed since the last time.
void rh__intermittent_say(rh_motion *motion);
/// NULL: the constraint does not come and go.
const rh_intermittent *rh__intermittent_find(const rh_motion *motion, size_t constraint);

RH_NODISCARD rh_status rh__switch_create(rh_motion *motion);
/// The condition by which the motion slides on the surface of another one; UINT32_MAX: none.
uint32_t rh__switch_held_by(const rh_motion *motion, uint32_t index);
void rh__switch_open(rh_motion *motion);
/// Every condition whose surface is met is open, and others have the side that they are on.
void rh__switch_meet(rh_motion *motion);
/// The tape `step` at (t, x): truths by the sides, that of `index` by `side`; those without a side
/// as on their surface. rh__switch_impose() ends it.
void rh__switch_run(rh_motion *motion, uint32_t index, int side);
void rh__switch_impose(rh_motion *motion);
/// The same with truths as they are at the point.
void rh__switch_run_plainly(rh_motion *motion);
/// Conditions that were on their surfaces all the time are looked at anew.
void rh__switch_reopen(rh_motion *motion);
/// At an impact: nothing slides while velocities jump.
void rh__switch_let_go(rh_motion *motion);
void rh__switch_decide(rh_motion *motion);
/// Constraints were decided: conditions whose surfaces they keep have no side. `is_all`: those on
/// which the motion cannot slide too.
void rh__switch_rest(rh_motion *motion, bool is_all);
void rh__switch_say(rh_motion *motion);
/// Condition `index` is open: its surface was met, or a slide came to an end of its range.
void rh__switch_cross(rh_motion *motion, uint32_t index, int direction);
/// Slide `index` came to an end of its range: can what is lent take over so much that it comes back
/// into it? The series is there behind it.
bool rh__rest_lend(rh_motion *motion, uint32_t index);
/// Would the motion be kept on the surface of slide `index` by no others than slides?
bool rh__rest_is_shared(rh_motion *motion, uint32_t index);
/// Slide `index` is lent a value; all that are lent one slide, or are to be decided.
void rh__rest_begin(rh_motion *motion, uint32_t index);
void rh__rest_open(rh_motion *motion);
/// Do both sides of a lent condition lead away from its surface, stronger than what holds it there?
bool rh__rest_is_repelled(rh_motion *motion, uint32_t index);
/// Where several surfaces are held: put the state back onto them.
void rh__rest_keep(rh_motion *motion);
/// Give conditions in event functions the side their surfaces go to, by the jets of `watch`; true
/// when a truth changed by that.
bool rh__switch_decide_watched(rh_motion *motion);
void rh__switch_flip_watched(rh_motion *motion, uint32_t index, int direction);
