// SPDX-License-Identifier: Apache-2.0
// Branches, derivatives, values, and verdicts that rest on values.

#pragma once

#include "expr/terms.h"

enum { RH_UNFOLD_SIGNS = 6 }; // that one expression may hang on

/// Where sign * of >= 0. `of` has no factors of known sign, and does not begin with a minus.
typedef struct rh_chosen_sign {
    rh_expr of;
    int32_t sign;
    bool is_needed; // elsewhere there is no value
} rh_chosen_sign;

typedef struct rh_unfolding {
    uint32_t choice; // bit k: the k-th sign that is met is negative
    bool opens_arcs; // asin(sin(u)) is u or -u too, though that misses multiples of pi
    bool has_arcs;   // there was such an arc
    uint32_t count;
    rh_chosen_sign signs[RH_UNFOLD_SIGNS]; // that were met
} rh_unfolding;

/// An expression that is equal to `e` where all signs are as chosen: sizes and roots of squares
/// without their kinks, logarithms of powers, functions of arcs. What cannot be opened stays.
rh_expr rh__expr_unfold(rh_store *store, rh_expr e, rh_unfolding *with);

// --- calculus --------------------------------------------------------------------------------

/// A derivation: the derivative along a direction. Results are remembered, so that shared parts are
/// differentiated once, however often it is applied.
typedef struct rh_derivation rh_derivation;

/// The derivative of a symbol along the direction; the number 0 where it does not move.
typedef rh_expr rh_seed(void *user, rh_store *store, rh_expr symbol);

rh_derivation *rh__derivation_create(rh_store *store, rh_arena *arena, rh_seed *seed, void *user);
rh_expr rh__derivation_apply(rh_derivation *derivation, rh_expr e);

/// d e / d symbol.
rh_expr rh__expr_differentiate(rh_store *store, rh_expr e, rh_expr symbol);

typedef struct rh_partial {
    rh_expr symbol;
    rh_expr value;
} rh_partial;

typedef struct rh_gradient {
    rh_partial *data;
    uint32_t count;
} rh_gradient;

/// All partial derivatives of `e` by symbols with any bit of `mask`, in canonical order, zeros left
/// out. Works backwards from `e`: its size is at most a small multiple of the size of `e`, whatever
/// the number of symbols.
bool rh__expr_gradient(rh_store *store, rh_expr e, uint32_t mask, rh_arena *arena,
                       rh_gradient *out);

/// Replace symbols; a seed that gives the symbol itself leaves it, and it may substitute itself.
rh_expr rh__expr_substitute(rh_store *store, rh_expr e, rh_seed *replacement, void *user);
/// Replace one part of an expression, wherever it stands.
rh_expr rh__expr_replace(rh_store *store, rh_expr e, rh_expr part, rh_expr by);

// --- values ----------------------------------------------------------------------------------

/// The value of a symbol.
typedef double rh_value_of(const void *user, const rh_store *store, rh_expr symbol);

/// Plain double evaluation of several roots; shared parts once. False when the scratch arena
/// refused.
bool rh__expr_values(rh_store *store, const rh_expr *roots, uint32_t count, rh_value_of *value_of,
                     const void *user, rh_arena *scratch, double *out);

/// What the value of an expression at a point may be off by, symbols being right to their last
/// digit; 0 when the scratch arena refused or it has no value there.
double rh__expr_rounding(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                         rh_arena *scratch);

/// A node of a recipe: arguments stand one after the other, in the order of the lines.
typedef struct rh_recipe_line {
    rh_op op;
    uint32_t count; // arguments
    rh_expr symbol; // whose value is asked for
    bool is_whole;  // a power: by a whole exponent
    int64_t exponent;
    double number;
} rh_recipe_line;

/// Roots that are evaluated time and again: what is reachable from them is found once.
typedef struct rh_recipe {
    const rh_recipe_line *lines; // arguments before users
    const uint32_t *arguments;   // lines
    const uint32_t *places;      // of the roots: lines
    uint32_t line_count;
    uint32_t count; // roots
} rh_recipe;

bool rh__recipe_create(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *arena,
                       rh_recipe *out);
/// The same numbers as rh__expr_values.
bool rh__recipe_values(rh_store *store, const rh_recipe *recipe, rh_value_of *value_of,
                       const void *user, rh_arena *scratch, double *out);

typedef enum rh_vanishing {
    RH_VANISHING_NO,      // not zero at some random point
    RH_VANISHING_SAMPLED, // zero at all random points, to 1e-10 of the sum of absolute terms
    RH_VANISHING_PROVED   // the canonical form is 0
} rh_vanishing;

/// Is `e` identically zero in the symbols outside `fixed`? Those take their value from `value_of`
/// (may be NULL).
rh_vanishing rh__expr_vanishes(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                               rh_arena *scratch);

typedef enum rh_zero_at {
    RH_ZERO_AT_NO,
    RH_ZERO_AT_YES,     // to rounding
    RH_ZERO_AT_NOTHING, // it has no value there
    RH_ZERO_AT_REFUSED  // there was no memory
} rh_zero_at;

/// Is `e` zero at the point that `value_of` gives?
rh_zero_at rh__expr_zero_at(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                            rh_arena *scratch);

typedef enum rh_vanishing_where {
    RH_VANISHING_NOWHERE,
    RH_VANISHING_SOMEWHERE, // on a branch: zero at some random points, not at others
    RH_VANISHING_EVERYWHERE // zero at all that have a value
} rh_vanishing_where;

/// The same at random points of all signs: does `e` vanish identically on some region? One random
/// point tells that, since what is analytic vanishes on a region or at no such point.
rh_vanishing_where rh__expr_vanishes_where(rh_store *store, rh_expr e, rh_value_of *value_of,
                                           const void *user, rh_arena *scratch);

// --- verdicts that rest on values ------------------------------------------------------------

/// From now on the store notes what rh__expr_vanishes and rh__expr_sign say of expressions that
/// hold symbols of this mask and take their values from somewhere: when such values change the
/// verdicts can be asked again.
void rh__store_watch(rh_store *store, uint32_t mask);

/// A choice among things by their values: `values` has one number for each part.
typedef int64_t rh_choice_of(const void *data, const double *values, uint32_t count);

/// Note a choice in the same way. `parts` and `data` are copied.
void rh__store_note_choice(rh_store *store, const rh_expr *parts, uint32_t count,
                           rh_value_of *value_of, const void *user, rh_choice_of *choose,
                           const void *data, size_t data_size);

/// Would all verdicts so far be the same with other values? `user` stands in the place of the user
/// of all functions that gave values. Signs are asked again only where `has_new_signs` says that
/// the sign of some value changed.
bool rh__store_stands(rh_store *store, const void *user, bool has_new_signs, rh_arena *scratch);

/// Does all that was found to vanish vanish with other values?
bool rh__store_zeros_stand(rh_store *store, const void *user, rh_arena *scratch);
