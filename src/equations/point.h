// SPDX-License-Identifier: Apache-2.0
// Reactions and powers as formulas; numbers for symbols, and the consistent start.

#pragma once

#include "equations/core.h"

enum { RH_REACTION_OPERATIONS = 2000 }; // of all formulas together

/// Multipliers as formulas in the state, all links acting.
typedef struct rh_reactions {
    RH_ARRAY(rh_definition) values;
    rh_expr_list pivots; // valid where none is zero; what is proved not to be is left out
} rh_reactions;

/// Solve for all unknown multipliers. RH_E_LIMIT when the formulas are longer than
/// RH_REACTION_OPERATIONS, RH_E_UNAVAILABLE when there is no such solution (rows that depend
/// on each other).
rh_status rh__form_reactions(rh_equations *equations, rh_arena *arena, rh_reactions *out);

// --- powers --------------------------------------------------------------------------------------

/// A power: `rate` plus the derivative of `level` along the motion.
typedef struct rh_power {
    rh_expr rate, level;
} rh_power;

/// Who changes the energy of the system, and how fast.
typedef struct rh_powers {
    bool has_energy; // the model gives energies; if not there is nothing to balance
    rh_expr energy;  // T + V
    rh_power forces; // given ones: generalised forces, dissipation
    rh_power drive;  // time, inputs and states in the energies themselves
    rh_power *links; // by link: its reaction
} rh_powers;

rh_status rh__powers_create(rh_equations *equations, rh_arena *arena, rh_arena *scratch,
                            rh_powers *out);

// --- points: numbers for symbols -----------------------------------------------------------------

/// The value of an input from a file, or of a derivative of it.
typedef double rh_feed_of(void *user, rh_expr symbol, double time);

/// Which slot of an array of values a symbol has.
typedef struct rh_layout {
    const rh_equations *equations;
    const rh_values
        *values;       // of parameters and start values: the model's, or others in their place
    uint32_t *slot_of; // by id of the symbol, + 1; 0: none
    uint32_t limit;    // ids below it may have a slot
    rh_expr_list symbols;
    rh_feed_of *feed_of; // NULL: inputs from files are 0
    void *feed_user;
} rh_layout;

/// Made once.
rh_status rh__layout_create(rh_equations *equations, rh_arena *arena, rh_layout *out);
/// UINT32_MAX when the symbol has none.
uint32_t rh__layout_slot(const rh_layout *layout, rh_expr symbol);

/// Values of all symbols: an rh_value_of is rh__point_value with the point as user.
typedef struct rh_point {
    const rh_layout *layout;
    double *values;
    uint64_t parameter_seed; // 0: parameters have the model's values; else random ones
} rh_point;

/// All values 0.
rh_status rh__point_create(const rh_layout *layout, rh_arena *arena, rh_point *out);
rh_status rh__point_evaluate(const rh_point *point, const rh_expr *roots, uint32_t count,
                             rh_arena *scratch, double *out);
rh_status rh__point_values(const rh_point *point, const rh_recipe *recipe, rh_arena *scratch,
                           double *out);
double rh__point_value(const void *point, const rh_store *store, rh_expr symbol);
void rh__point_set(const rh_point *point, rh_expr symbol, double value);
double rh__point_get(const rh_point *point, rh_expr symbol);

/// What solving a form at a point gave. All rates and multipliers stand in the point afterwards.
typedef struct rh_form_result {
    double rcond;    // reciprocal condition; 0 when singular
    double residual; // relative: above RH_FORM_INCONSISTENT there is no solution
    bool *is_unique; // by unknown
} rh_form_result;

#define RH_FORM_INCONSISTENT 1e-8

/// Solve a form at a point. Links whose entry of `is_active` is false do not act (NULL: all act).
/// Redundant but consistent rows are no obstacle: rates and reactions are unique, multipliers of
/// least norm.
rh_status rh__form_solve(const rh_form *form, const rh_point *point, const bool *is_active,
                         rh_arena *arena, rh_form_result *out);

/// Where no motion, or more than one, keeps the constraints that act (is_active, by link): a servo
/// or type II constraint among them that has lost its hold; UINT32_MAX: it is no fault of theirs
/// (control.c).
rh_status rh__control_find_lost(rh_equations *equations, const rh_point *point,
                                const bool *is_active, uint32_t *out);

// --- the start ---------------------------------------------------------------------------------

typedef struct rh_start_move {
    rh_expr symbol;
    double from, to;
} rh_start_move;

typedef struct rh_start {
    rh_point point;
    bool is_consistent;
    bool is_repaired;              // start values were moved too
    RH_ARRAY(rh_start_move) moved; // variables that had to move
    double **residuals;            // by link, by level
} rh_start;

/// The start as it is written: `start` and `guess` values of symbols; the rest of the point stays.
rh_status rh__start_draft(const rh_equations *equations, rh_arena *scratch, const rh_point *point);

/// The consistent start, found once for the model's own numbers; a start that contradicts itself is
/// said in `diagnostics`, or repaired where the equations want that.
rh_status rh__start_find(rh_equations *equations, const rh_layout *layout, rh_arena *arena,
                         rh_diagnostics *diagnostics, rh_start *out);

/// What a point misses after rh__start_bind.
typedef struct rh_start_missed {
    bool is_met;   // nothing
    uint32_t link; // the constraint that is missed most
    double by;     // so much
} rh_start_missed;

/// Move a point to the nearest one in which all levels of the links in `is_kept` hold; the symbols
/// in `is_bound` (by slot) stay as they are. The point is changed even where that is impossible.
RH_NODISCARD rh_status rh__start_bind(rh_equations *equations, const bool *is_bound,
                                      const bool *is_kept, rh_arena *scratch, const rh_point *point,
                                      rh_start_missed *out);

/// The same again and again, with other numbers for settings and parameters: what depends only on
/// the text is found once.
typedef struct rh_settling rh_settling;
RH_NODISCARD rh_status rh__settling_create(rh_equations *equations, const rh_layout *layout,
                                           rh_settling **out);
/// After a failure it is of no more use.
RH_NODISCARD rh_status rh__settling_find(rh_settling *settling, rh_arena *arena,
                                         rh_diagnostics *diagnostics, rh_start *out);
void rh__settling_destroy(rh_settling *settling);

/// How large variables are at a state, in the units of the model: by slot, all positive, and the
/// time in which something happens there.
RH_NODISCARD rh_status rh__sizes_find(rh_equations *equations, const rh_point *point,
                                      rh_arena *scratch, double *out, double *out_time);

/// A consistent state near another one: all variables are pushed by up to `size` of their own sizes
/// at random, then moved back onto the constraints. `out_met`: they are met there.
rh_status rh__start_wander(rh_equations *equations, const rh_point *from, double size,
                           uint64_t seed, rh_arena *arena, rh_point *out, bool *out_met);
