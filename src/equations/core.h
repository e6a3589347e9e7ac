// SPDX-License-Identifier: Apache-2.0
// What is derived from a model: sparse matrices of expressions, carriers, links, forms.

#pragma once

#include "rheonom/equations.h"

#include "base/base.h"
#include "expr/expr.h"
#include "model/model.h"
#include "numeric/numeric.h"

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

/// A form, made once; its arrays are the caller's, in `arena`. RH_E_UNAVAILABLE with a reason in
/// `err` when the model has no such form. The form `changed` has symbols of its own, which no
/// layout knows: it is for reading, not for solving.
rh_status rh__form_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                          rh_error *err);

/// The form `quasi` with other quasi-velocities than the model's, and without dividing rows by
/// factors that they share: it is valid where the inertia is regular (reframe.c). `speeds`: sizes
/// of the velocities of coordinates, by which pivots are compared; NULL: as they are.
rh_status rh__form_create_in(rh_equations *equations, const rh_quasi *quasis, uint32_t count,
                             const double *speeds, rh_arena *arena, rh_form *out, rh_error *err);
