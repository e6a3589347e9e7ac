// SPDX-License-Identifier: Apache-2.0
// Door of the room `equations`: from a model to its equations of motion, one core for every kind of
// constraint (docs/theory/equations.md).
//
// Unknowns are the rates of the carriers: the accelerations of all coordinates and the rates of the
// selected states. With M the inertia, h the force, C the rows and B the pushes of the links,
//
//     M y' = h + B lambda,     C y' = Y - gamma,
//
// and the states that are not selected follow their laws. A link is a constraint in the equations:
// its chain of levels g, g', ... ends with the first that holds a selected variable. Every form
// (free, multipliers, reduced, principal, quasi, changed) is one linear system for rates and
// multipliers.

#pragma once

#include "rheonom/equations.h"

#include "base/base.h"
#include "expr/expr.h"
#include "model/model.h"
#include "numeric/numeric.h"

// --- sparse matrices of expressions ----------------------------------------------------------

typedef struct rh_entry {
    uint32_t row, column;
    rh_expr value;
} rh_entry;

/// Entries by row, then column; zeros left out. `begin[row]` is the first entry of a row.
typedef struct rh_grid {
    RH_ARRAY(rh_entry) entries;
    uint32_t rows, columns;
    uint32_t *begin; // rows + 1
} rh_grid;

/// None when the entry is zero.
rh_expr rh__grid_at(const rh_grid *grid, uint32_t row, uint32_t column);

/// Append an entry in any order.
bool rh__grid_push(rh_arena *arena, rh_grid *grid, uint32_t row, uint32_t column, rh_expr value);
/// Put entries in order, add up those of one place, drop zeros, fold the rest.
bool rh__grid_finish(rh_equations *equations, rh_arena *arena, rh_grid *grid, uint32_t rows,
                     uint32_t columns);

/// name = value.
typedef struct rh_definition {
    rh_expr symbol;
    rh_expr value;
} rh_definition;

// --- the core ----------------------------------------------------------------------------------

/// Something whose rate is an unknown: it carries inertia and may receive reactions.
typedef struct rh_carrier {
    rh_expr variable; // velocity of a coordinate, or a selected state
    rh_expr rate;     // its derivative
    rh_expr position; // the coordinate; none for a state
    bool is_selected; // may receive reactions
} rh_carrier;

/// A state that follows its law whatever the constraints do.
typedef struct rh_passive {
    rh_expr variable, rate;
    rh_expr value; // of the rate
} rh_passive;

typedef struct rh_link {
    const rh_constraint *constraint;
    rh_expr *levels; // g, g', ...; the last one holds selected variables
    uint32_t level_count;
    uint32_t combined;  // first level that comes from a combination with other links; 0: none
    rh_expr bias;       // rate of the last level apart from the rates of carriers
    rh_expr target;     // the rate it shall have: 0, or the perturbation law
    rh_expr multiplier; // lambda.NAME; where that is a state (type II) lambda.NAME'
    rh_expr held;       // type II: the state lambda.NAME; none else
    rh_expr given;      // the multiplier as a formula (friction, proposed reaction); none: unknown
} rh_link;

/// Is its multiplier an unknown that keeps the constraint?
bool rh__link_is_enforced(const rh_link *link);
/// Is it two-sided, enforced, and only while a condition is true?
bool rh__link_is_intermittent(const rh_link *link);
/// Is it kept, two-sided, and always on?
bool rh__link_is_kept(const rh_link *link);
/// Must it hold exactly, at the start and along the motion? Not where a law lets it deviate.
bool rh__link_is_exact(const rh_link *link);
/// Its last level with all velocities zero: the part of a linear row that moves nothing.
rh_expr rh__link_rest(const rh_equations *equations, const rh_link *link);
/// Type II: the function in T + lambda phi.
rh_expr rh__link_phi(const rh_link *link);
/// The name of the constraint with its index.
void rh__link_name(const rh_equations *equations, const rh_link *link, rh_text *out);

/// The first link that comes and goes; NULL: there is none.
const rh_link *rh__equations_intermittent(const rh_equations *equations);
/// E338 where there is one, with `what` (plural) that cannot be found then.
RH_NODISCARD rh_status rh__equations_refuse_intermittent(const rh_equations *equations,
                                                         const char *what, rh_error *err);

// --- forms -------------------------------------------------------------------------------------

/// The inverse of a change leads back only where X(Y(x)) = x: what that asks of one variable.
typedef struct rh_returning {
    rh_expr symbol;   // the old variable
    rh_expr composed; // X(Y(x))
    rh_expr of;       // where this has the sign `sign`, or is zero; none: no such sentence, the
    int32_t sign;     // equation itself says where
} rh_returning;

/// What a form in the variables of `change` has besides its rows.
typedef struct rh_restated {
    RH_ARRAY(rh_definition) fresh;   // new variables, the new time among them, through the old ones
    RH_ARRAY(rh_definition) back;    // the old ones through them
    rh_expr time;                    // what rates are taken by: the new time, or t
    rh_expr **levels;                // by link, by level
    rh_vanishing inverted;           // does the inverse lead back?
    rh_vanishing equal;              // and the new equations to the old ones?
    RH_ARRAY(rh_returning) branches; // where both hold, all of them; none: everywhere
    rh_vanishing leading; // that the inverse leads back there; NO: they say it themselves
    bool is_start_known;  // and that the start is there, if there are branches
} rh_restated;

/// A linear system `matrix * unknowns = right` and what surrounds it.
typedef struct rh_form {
    rh_form_kind kind;
    const rh_equations *equations;
    RH_ARRAY(rh_definition) basis; // new velocities through the old ones
    RH_ARRAY(rh_definition)
    velocities;                       // old velocities that were replaced, through the new ones:
                                      // the kinematic equations
    RH_ARRAY(rh_definition) passives; // rates of states that follow their laws
    RH_ARRAY(rh_definition) momenta;  // quasi: of all quasi-velocities, the suppressed ones too
    rh_expr_list unknowns;            // rates, then multipliers
    uint32_t rate_count;
    rh_expr_list variables; // those whose rates the first `rate_count` unknowns are
    rh_grid matrix;
    rh_expr *right;
    uint32_t *link_of; // by row: index of the link it keeps + 1; 0: an equation of motion
    RH_ARRAY(rh_definition) outputs; // what left the system, in an order in which it can be found
    rh_expr_list pivots;             // the form is valid where none of them is zero
    const rh_restated *restated;     // changed: NULL for all others
} rh_form;

/// Which expressions a walk has seen: those with the number of the present round.
typedef struct rh_visits {
    uint32_t *round; // by id
    uint32_t count;
    uint32_t now;
} rh_visits;

struct rh_equations {
    rh_arena arena;
    const rh_model *model;
    rh_store *store; // the model's
    rh_diagnostics diagnostics;
    bool is_sound;
    bool has_presolve;
    bool keeps_links; // the form `quasi` solves no constraint: all stay, with their multipliers
    bool is_start_repaired;
    rh_folder *folder;
    const double *speeds; // by coordinate, while a form is made in units of them; NULL: in none
    struct rh_marks *unfolded; // sums that stay as they stand (lagrange.c); NULL: there are none

    RH_ARRAY(rh_carrier) carriers; // coordinates in order, then selected states
    uint32_t coordinate_count;
    RH_ARRAY(rh_passive) passives;
    rh_grid inertia; // carriers x carriers
    rh_expr *force;  // by carrier
    rh_expr kinetic; // T + lambda phi and the velocity-dependent part of a Lagrangian: what momenta
                     // come from
    rh_expr *rest;   // by carrier: force without the part that comes from `kinetic`
    rh_grid other;   // inertia without the part that comes from `kinetic`
    RH_ARRAY(rh_link) links;             // as the constraints
    rh_grid rows;                        // links x carriers
    rh_grid push;                        // links x carriers: force directions
    RH_ARRAY(rh_definition) input_rates; // derivatives of inputs along the motion
    struct rh_reuse *reuse; // layout, start, forms that were found already; NULL: not yet
    rh_visits visits;
};

/// The derivative of an input along the motion; none when `symbol` is no input.
rh_expr rh__derive_input_rate(const rh_equations *equations, rh_expr symbol);
/// A cheaper expression of the same value.
rh_expr rh__derive_fold(rh_equations *equations, rh_expr e);
/// Is it zero for all values of all symbols but parameters?
bool rh__derive_vanishes(rh_equations *equations, rh_expr e, rh_arena *scratch);
/// The value of level `level` of a two-sided constraint that is enforced; none: leave it alone.
typedef rh_expr rh_level_of(void *user, uint32_t link, uint32_t level);
/// An expression in which coordinates, velocities and states are replaced that a constraint gives
/// by itself: those that stand in a level with a number as factor. None when memory is short.
rh_expr rh__derive_restate(rh_equations *equations, rh_expr e, rh_level_of *level_of, void *user,
                           rh_arena *scratch);
/// An expression that is left when all deviations are zero, as a sum of multiples of levels with
/// their values in place of them: sum of factor * value. None when it is no such sum, or memory is
/// short.
rh_expr rh__derive_multiples(rh_equations *equations, rh_expr e, rh_level_of *level_of, void *user,
                             rh_arena *scratch);

/// A form, made once; its arrays are the caller's, in `arena`. RH_E_UNAVAILABLE with a reason in `err` when the model has no such form.
/// The form `changed` has symbols of its own, which no layout knows: it is for reading, not for
/// solving.
rh_status rh__form_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                          rh_error *err);

/// The form `quasi` with other quasi-velocities than the model's, and without dividing rows by
/// factors that they share: it is valid where the inertia is regular (reframe.c). `speeds`: sizes
/// of the velocities of coordinates, by which pivots are compared; NULL: as they are.
rh_status rh__form_create_in(rh_equations *equations, const rh_quasi *quasis, uint32_t count,
                             const double *speeds, rh_arena *arena, rh_form *out, rh_error *err);

// --- reactions -----------------------------------------------------------------------------------

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
