// SPDX-License-Identifier: Apache-2.0
// Door of the room `tape`: from expressions to straight-line programs over slots, with solve blocks
// `K z = b` in them, run in several arithmetics: plain numbers (order 0), jets (Taylor coefficients
// in time, one order after the other), tangents (a tape made of a tape).
//
// A tape is constant after it was made. All that changes lies in a state: coefficient k of slot s
// is state->jet[k * stride + s]. Slots [0, input_count) are the inputs; the caller writes
// coefficient k of them before he asks for order k. Like operations of one level are one group with
// contiguous outputs. What does not move (numbers, parameters, const.NAME) is no slot but a weight,
// whose value is filled in by rh__tape_bind: a changed parameter never makes a new tape.

#pragma once

#include "base/base.h"
#include "expr/expr.h"
#include "numeric/numeric.h"
#include "model/model.h"
#include "equations/equations.h"

#define RH_SLOT_NONE UINT32_MAX

typedef struct rh_range {
    uint32_t first, count;
} rh_range;

// --- operations ------------------------------------------------------------------------------

/// What a group does; a, b, c are its operands. Two outputs lie one group length apart.
typedef enum rh_tape_code {
    RH_TAPE_LINEAR,     // bias + weight a + weight b + ...: `arity` terms
    RH_TAPE_MULTIPLY,   // a b
    RH_TAPE_SQUARE,     // a a
    RH_TAPE_DIVIDE,     // a / b
    RH_TAPE_RECIPROCAL, // 1 / a
    RH_TAPE_ROOT,       // sqrt a
    RH_TAPE_POWER,      // a ^ weight
    RH_TAPE_EXP,        // exp a
    RH_TAPE_SINCOS,     // sin a; cos a
    RH_TAPE_SINHCOSH,   // sinh a; cosh a
    RH_TAPE_TANH,       // tanh a; 1 - tanh^2 a
    RH_TAPE_LOG,        // log a,      b y' =  a' with b = a
    RH_TAPE_ASIN,       // arcsin a,   b y' =  a' with b = sqrt(1 - a^2)
    RH_TAPE_ACOS,       // arccos a,   b y' = -a' with b = sqrt(1 - a^2)
    RH_TAPE_ATAN,       // arctan a,   b y' =  a' with b = 1 + a^2
    RH_TAPE_ANGLE,      // atan2(a, b), c y' = b a' - a b' with c = a^2 + b^2
    RH_TAPE_SWITCH,     // a truth: what the surface a says, or what was forced
    RH_TAPE_AND,        // truths a and b
    RH_TAPE_OR,         // truths a or b
    RH_TAPE_NOT,        // truth a is false
    RH_TAPE_WITHIN,     // a truth: |a| < weight
    RH_TAPE_NEAR,       // within that weight a ratio of a by its series at 0, else 0 (expr/ratio.c)
    RH_TAPE_CHOOSE,     // b where the truth a holds, c where not
    RH_TAPE_SOLVE,      // the unknowns of `count` blocks
    RH_TAPE_CODE_COUNT
} rh_tape_code;

/// Operations of one code on one level. Operand j of operation i is
/// operands[operand + j * count + i], its output is slot first + i.
typedef struct rh_tape_group {
    rh_tape_code code;
    uint32_t level;
    uint32_t first;   // slot
    uint32_t count;   // operations; SOLVE: blocks
    uint32_t arity;   // operands of each
    uint32_t operand; // in `operands`; SOLVE: the first block
    uint32_t weight;  // in `weights`, likewise; LINEAR: `count` biases after the terms
    uint32_t sum;     // first convolution sum
    uint32_t other;   // first of the second kind (POWER, TANH); NEAR: its first place in `near`
    uint32_t chunk;   // LINEAR: in `chunks`, for each operand one for each RH_TAPE_LANES operations
} rh_tape_group;

/// When the truth of a switch holds, s being the value of its surface.
typedef enum rh_switch_rule {
    RH_SWITCH_BELOW,     // s < 0
    RH_SWITCH_NOT_ABOVE, // s <= 0
    RH_SWITCH_ZERO,      // s == 0
    RH_SWITCH_NOT_BELOW, // s >= 0
    RH_SWITCH_SIGN       // no truth but a sign: -1, 0, 1
} rh_switch_rule;

/// A condition, decided at order 0 and kept for all higher orders. Where its surface changes sign
/// the motion has an event.
typedef struct rh_tape_switch {
    rh_switch_rule rule;
    uint32_t surface; // slot
    uint32_t truth;   // slot
    rh_expr source;   // the surface as an expression: the same one in every tape of a store
} rh_tape_switch;

// --- solve blocks ----------------------------------------------------------------------------

/// weight * slot; the weight alone without a slot.
typedef struct rh_tape_term {
    uint32_t weight; // index of a constant
    uint32_t slot;   // RH_SLOT_NONE: constant
} rh_tape_term;

typedef struct rh_tape_entry {
    uint32_t row, column;
    rh_tape_term value;
} rh_tape_entry;

/// A moving part of row `row` of K z: weight * matrix * unknown, where `unknown` is one of the
/// block or a sum of them.
typedef struct rh_tape_share {
    uint32_t row; // ascending
    uint32_t weight;
    uint32_t matrix, unknown; // slots
    uint32_t sum;             // convolution sum, among those of the block
} rh_tape_share;

/// A fixed order of pivots and the pattern of the factors (saddle.c).
typedef struct rh_saddle rh_saddle;

/// K z = b of one connected component. Unknown k is slot first + k.
typedef struct rh_tape_block {
    uint32_t n;
    uint32_t first;   // slot
    uint32_t unknown; // its first unknown among those of all blocks
    uint32_t
        factor; // whose factors it uses: its own index, or that of an earlier block of the same K
    rh_tape_entry *entries;
    uint32_t entry_count;
    rh_tape_term *right; // n
    rh_tape_share *shares;
    uint32_t share_count;
    uint32_t *share_begin; // n + 1: the shares of each row
    uint32_t *share_sum;   // share_count: as their `sum`, side by side
    rh_range sums;         // in the products of the tape: those of its shares, each pair once
    uint32_t weight;       // in `weights`: of the entries, the right sides, the shares
    bool *is_rate;         // n, by column; the others are multipliers and share one scale
    uint32_t *hold;        // n, by row: index of its hold, UINT32_MAX when it always acts
    uint32_t *hold_column; // n, by row: the unknown that is given when the row is released
    rh_saddle *saddle;     // NULL: dense
    double margin;         // of the pivots, below which the rescue looks closer
} rh_tape_block;

#define RH_BLOCK_MARGIN 1e-9 // that of blocks that do not say otherwise

#define RH_BLOCK_LARGER 1.25 // than another pivot: so much that rounding does not decide

enum { RH_BLOCK_DENSE = 12 }; // up to this size a block is dense

// --- tapes -----------------------------------------------------------------------------------

/// A constant whose value was taken as fixed when the tape was made (an exponent).
typedef struct rh_tape_assumption {
    uint32_t constant;
    double value;
} rh_tape_assumption;

enum { RH_TAPE_LANES = 8 }; // operations that run side by side where their operands do

/// Pairs of slots whose series are convolved: sum k is that of left[k] and right[k].
typedef struct rh_tape_pairs {
    uint32_t *left, *right;
    bool *is_run; // by RH_TAPE_LANES pairs: both sides are consecutive slots
    uint32_t count;
} rh_tape_pairs;

typedef struct rh_tape {
    rh_arena arena;
    rh_store *store;
    rh_expr *inputs;       // symbols; none where an input is no symbol (tangents)
    uint32_t *outputs;     // slots
    rh_expr *constants;    // expressions
    rh_recipe values;      // theirs
    rh_tape_group *groups; // in order of execution
    uint32_t *operands;
    bool *chunks;      // are RH_TAPE_LANES operands consecutive slots?
    uint32_t *weights; // indices of constants; RH_SLOT_NONE: 0
    rh_tape_switch *switches;
    rh_tape_block *blocks;
    RH_ARRAY(rh_tape_assumption) assumptions;
    // what reads finished orders only, of the whole tape; sums are numbered in this order
    rh_tape_pairs products; // sum of x_j y_(k-j), 0 < j < k
    rh_tape_pairs squares;  // the same with x = y
    rh_tape_pairs moments;  // sum of j x_j y_(k-j), 0 < j < k
    uint32_t input_count, output_count, slot_count, constant_count;
    uint32_t feed_first, feed_count; // inputs that the state fills: value and slope of each feed
    uint32_t group_count, operand_count, weight_count;
    uint32_t switch_count, hold_count, block_count;
    uint32_t unknown_count; // of all blocks
    uint32_t near_count;    // operations NEAR
} rh_tape;

/// A linear system among the expressions: unknowns are symbols that others may use. Row k belongs
/// to unknown k: where a pivot order is chosen in advance it stands on the diagonal.
typedef struct rh_tape_solve {
    const rh_grid *matrix;
    const rh_expr *right;
    const rh_expr *unknowns;
    uint32_t count;
    uint32_t rate_count;  // the unknowns that come first are rates, the rest multipliers
    const uint32_t *hold; // by row: index of a hold, UINT32_MAX without; NULL: none
    const uint32_t
        *hold_column; // by row with a hold: the unknown that is given when it is released
    double margin;    // pivots of this size relative to their terms are meant; 0: RH_BLOCK_MARGIN
} rh_tape_solve;

/// Recipe for a tape.
typedef struct rh_tape_def {
    rh_store *store; // may grow
    rh_allocator allocator;
    size_t memory_limit;
    const rh_expr *inputs; // symbols, parameters too
    uint32_t input_count;
    uint32_t feed_count; // the last 2 * feed_count inputs are feeds; input 0 is then the time
    const rh_definition *definitions; // symbols that stand for expressions, in any order
    uint32_t definition_count;
    const rh_tape_solve *solves;
    uint32_t solve_count;
    uint32_t hold_count;
    const rh_expr *outputs; // expressions
    uint32_t output_count;
    rh_value_of
        *value_of;    // of parameters: exponents with whole values become products, and signs are
    const void *user; // proved; NULL: nothing is assumed
} rh_tape_def;

/// RH_E_ARGUMENT with the name in `err` when a symbol that moves is no input, no definition and no
/// unknown, or when definitions go in a circle.
RH_NODISCARD rh_status rh__tape_create(const rh_tape_def *def, rh_tape **out, rh_error *err);
void rh__tape_destroy(rh_tape *tape); // NULL is allowed

/// Groups, totals by operation, blocks: the canonical text of the stage.
void rh__tape_describe(const rh_tape *tape, rh_text *out);

/// Recipe for a tangent: directional derivatives of all outputs. The inputs of the new tape are
/// those of the old one, then for each direction one tangent of each active input, in order. Its
/// outputs are the old ones, then for each direction the derivative of each.
typedef struct rh_tangent_def {
    uint32_t direction_count;
    const uint32_t *active; // indices of inputs that move; NULL: all
    uint32_t active_count;
    rh_seed *seed; // how constants move along each direction, besides; NULL: they stay
    void *user;
} rh_tangent_def;

/// RH_E_UNAVAILABLE when a constant moves that was taken as fixed (an assumption of the tape).
RH_NODISCARD rh_status rh__tape_tangent(const rh_tape *tape, const rh_tangent_def *def,
                                        rh_tape **out, rh_error *err);

/// Which of some inputs the first outputs can depend on smoothly, as bits: word w of output k is
/// (*out)[k * *out_words + w]. By the operations alone, so a bit may be there for nothing.
/// @return RH_E_LIMIT when there are too many to be told, RH_E_MEMORY
RH_NODISCARD rh_status rh__tape_depend(const rh_tape *tape, rh_range inputs, uint32_t outputs,
                                       rh_arena *arena, uint64_t **out, size_t *out_words);

/// Which switches decide about the surface of a switch, as bits: bit j of word w of switch k is
/// switch 64 w + j. RH_E_LIMIT: there are too many, and none is told.
RH_NODISCARD rh_status rh__tape_nesting(const rh_tape *tape, rh_arena *arena, uint64_t **out,
                                        size_t *out_words);

/// Of every switch: does its surface depend on no input but the first, which is the time?
RH_NODISCARD rh_status rh__tape_timed(const rh_tape *tape, rh_arena *arena, bool *out);

/// Entries (output, input) of a Jacobian that may differ from zero, each once, by rows.
typedef struct rh_tape_pattern {
    uint32_t *row, *column;
    uint32_t count;
} rh_tape_pattern;

/// The same as rh__tape_depend as a list, in `arena`; columns count from the first of `inputs`.
/// @return RH_E_LIMIT when it has too many entries, RH_E_MEMORY
RH_NODISCARD rh_status rh__tape_pattern(const rh_tape *tape, rh_range inputs, uint32_t outputs,
                                        rh_arena *arena, rh_tape_pattern *out);

// --- states ----------------------------------------------------------------------------------

/// How the solve blocks fared at the last run of order 0.
typedef struct rh_tape_quality {
    double rcond;       // the smallest reciprocal condition, estimated; 1 without blocks
    double residual;    // the largest relative residual of a singular block; 0 when all are regular
    uint32_t singular;  // blocks solved by singular values
    uint32_t exchanged; // blocks whose fixed pivots did not serve (slow, but as exact)
    bool is_failed;     // not finite, or too large for singular values: the unknowns are NaN
    bool is_branched;   // by jets: the base of a root or a power passes zero, there is no series
} rh_tape_quality;

#define RH_TAPE_SPECK                                                                              \
    1e-12 // bases of roots and powers that are negative by less are zero, beside conditions
#define RH_TAPE_REGULAR 1e-10     // reciprocal condition above which a block is surely regular
#define RH_TAPE_INCONSISTENT 1e-8 // residual above which there is no solution

typedef struct rh_block_state rh_block_state;

/// A feed near the present time: value + slope * (time - begin).
typedef struct rh_feed_piece {
    double begin, value, slope;
} rh_feed_piece;

enum { RH_LADDER_LEAST = 32 }; // shorter ones are not worth it

/// Inputs of a system from slot x on whose rates are those from v on, and whose second derivatives
/// stand in the slots from a on.
typedef struct rh_ladder {
    uint32_t x, v, a, count;
} rh_ladder;

typedef struct rh_ladder_list {
    const rh_ladder *data;
    uint32_t count;
} rh_ladder_list;

/// All ladders of at least so many inputs among 1 ... n, whose rates are the first outputs; no
/// input is in two of them.
RH_NODISCARD rh_status rh__tape_ladders(const rh_tape *tape, uint32_t n, uint32_t least,
                                        rh_arena *arena, rh_ladder_list *out);

/// What a compiled series works on; its text knows it as `struct point`.
typedef struct rh_series_point {
    double *jet;
    const double *weight, *forced, *lent, *feed;
    const unsigned char *released;
    double *work;  // rh__emit_room numbers for each lane
    double margin; // out: the smallest one of all pivots
} rh_series_point;

/// Coefficients 0 ... order of x at all points, one for each lane, and those that others read
/// besides, from coefficient 0 of time and x. Gives the lanes it could not serve, as bits: there a
/// pivot is too small or a number not finite.
typedef unsigned rh_series_kernel(rh_series_point *points);

/// All that changes. One state, one thread; nothing is allocated after it was made, except by the
/// rescue of singular blocks and exchanged pivots.
typedef struct rh_tape_state {
    rh_arena arena;
    rh_arena rescue; // for blocks in trouble
    const rh_tape *tape;
    uint32_t order;    // highest it has room for
    uint32_t stride;   // from one coefficient to the next
    double *jet;       // (order + 1) * stride
    double *sums;      // convolution sums of the order under way
    double *near;      // of each operation NEAR: series of the ratio, powers of its argument
    double *constant;  // values
    double *weight;    // values by place in tape->weights
    double *forced;    // by switch; NaN: the surface decides
    bool *is_released; // by hold
    double *lent;      // by hold: the value of its unknown while it is released
    bool *is_unique;   // by unknown of all blocks
    bool is_exact;    // at a point: sums are right to the last digit of what is left of their terms
    bool is_wary;     // no block is taken for regular by its pivots alone
    bool is_settled;  // runs are at points on all constraints: ranks found there hold near them
    uint32_t *defect; // by block: n - rank at the last settled point; near it that is so as well
    bool is_defective; // some are not zero
    uint32_t ready;    // the coefficients are a series of this order; 0: they may be anything
    rh_block_state *blocks;
    double *work; // of the blocks
    rh_tape_quality quality;
    const rh_feed_piece *feeds; // borrowed; NULL: all feeds are 0
    rh_series_kernel *kernel;   // compiled from its tape, for one lane; NULL: there is none
    uint32_t kernel_order;
    double *kernel_work;
    rh_ladder_list ladders;  // whose coefficients above order 0 the kernel leaves out
    bool is_lean;            // it did
    rh_series_kernel *point; // compiled from its tape, for order 0; NULL: there is none
    double *point_work;      // rh__emit_point_room numbers
    rh_series_kernel *again; // solves its only block once more by the factors in point_work
    bool has_factors;        // those of the last run are there
} rh_tape_state;

/// Room for coefficients 0 ... order. All inputs are 0, all constants NaN until bound.
RH_NODISCARD rh_status rh__tape_state_create(const rh_tape *tape, uint32_t order,
                                             rh_allocator allocator, rh_tape_state **out);
void rh__tape_state_destroy(rh_tape_state *state); // NULL is allowed

/// Give all constants their values. RH_E_UNAVAILABLE when an assumption of the tape does not hold:
/// it must be made anew.
RH_NODISCARD rh_status rh__tape_bind(rh_tape_state *state, rh_value_of *value_of, const void *user);
/// The constants of another state of the same tape.
void rh__tape_bind_like(rh_tape_state *state, const rh_tape_state *other);
/// No constant has a value.
void rh__tape_lose_constants(rh_tape_state *state);

/// Take `value` for the truth (or sign) of a switch from now on; NaN: its surface decides again.
void rh__tape_force(rh_tape_state *state, uint32_t index, double value);
/// The truth (or sign) of a switch at the last run.
double rh__tape_truth(const rh_tape_state *state, uint32_t index);
/// Rows with this hold act from now on.
void rh__tape_hold(rh_tape_state *state, uint32_t hold);
/// Rows with this hold do not act from now on: their unknown has the given value.
void rh__tape_release(rh_tape_state *state, uint32_t hold, double value);
/// Switches and holds as in another state of the same tape, or of a tangent of it.
void rh__tape_follow(rh_tape_state *state, const rh_tape_state *other);

/// The ranks of blocks that another state of the same tape, or of what it is a tangent of, found at
/// its last settled point.
void rh__tape_follow_ranks(rh_tape_state *state, const rh_tape_state *other);
/// Nothing is known of ranks.
void rh__tape_forget_ranks(rh_tape_state *state);

/// Coefficient 0 of all slots: plain evaluation. Factors all blocks.
void rh__tape_run(rh_tape_state *state);
/// What rounding may have done to coefficient 0 of each slot, inputs being right to their last
/// digit (noise.c).
void rh__tape_noise(const rh_tape_state *state, double *noise);
/// Run the tape, and find what given errors of its inputs and rounding may have done to each slot:
/// in, the first of `bounds` are those of the inputs; out, all. Of unknowns it is an estimate.
void rh__tape_bounds(rh_tape_state *state, double *bounds);
/// The same of the row of a hold, with its unknowns as they are.
double rh__tape_bound_of_row(const rh_tape_state *state, const double *bounds, uint32_t hold);
/// How long `bounds` must be.
size_t rh__tape_bounds_room(const rh_tape *tape);
/// By how much the unknown in `slot` may change, together with others, while all equations of its
/// block still hold: one way of many, at the last run of order 0. 0: it is unique, or no unknown.
double rh__tape_looseness(const rh_tape_state *state, uint32_t slot);
/// Is the unknown in `slot` determined? So is what is no unknown.
bool rh__tape_is_unique(const rh_tape_state *state, uint32_t slot);
/// Does the equation that belongs to the unknown in `slot` follow from the others, at the last run
/// of order 0? Of equations that do so together as few are spare as must be.
bool rh__tape_is_spare(const rh_tape_state *state, uint32_t slot);
/// Coefficient k of all slots from those of the inputs; all lower ones must be there. Order 0 is
/// rh__tape_run.
void rh__jet_order(rh_tape_state *state, uint32_t k);

static inline double *rh__jet_row(const rh_tape_state *state, uint32_t k)
{
    RH_ASSERT(k <= state->order);
    return state->jet + (size_t)k * state->stride;
}

/// Coefficient k of output `index`.
static inline double rh__tape_output(const rh_tape_state *state, uint32_t index, uint32_t k)
{
    RH_ASSERT(index < state->tape->output_count);
    return rh__jet_row(state, k)[state->tape->outputs[index]];
}

// --- systems ---------------------------------------------------------------------------------

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

// --- compiled series -----------------------------------------------------------------------------

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
