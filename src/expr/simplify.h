// SPDX-License-Identifier: Apache-2.0
// Simplifying, shapes, showing.

#pragma once

#include "expr/calculus.h"

/// Products and positive whole powers distributed over sums, also within arguments of functions and
/// bases of powers. None when it would have more than `limit` terms; the store goes on.
rh_expr rh__expr_expand(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch);

/// What it takes to evaluate expressions once: shared parts once, parts that do not move for free
/// (all factors of a product that do not move, with its number, are one constant).
typedef struct rh_cost {
    uint64_t additions;       // also comparisons and choices
    uint64_t multiplications; // x^n by repeated squaring
    uint64_t divisions;       // one per product that has any
    uint64_t functions;       // also roots and general powers
} rh_cost;

/// False when the scratch arena refused.
bool rh__expr_cost(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *scratch,
                   rh_cost *out);
/// One number for comparing: a division counts as 5 additions, a function as 20.
uint64_t rh__cost_total(rh_cost cost);

/// Finds cheap forms by way of a normal form: sums of products in which sin^2 + cos^2 and
/// cosh^2 - sinh^2 are 1, roots and quotients cancel. It remembers, so apply one to many
/// expressions. Sums of more than `limit` terms are folded part by part.
typedef struct rh_folder rh_folder;

/// NULL when the arena refused. Destroying gives back its work memory; NULL is allowed.
rh_folder *rh__folder_create(rh_store *store, rh_arena *arena, uint32_t limit);
void rh__folder_destroy(rh_folder *folder);
/// An equal expression that never costs more, often less; 0 when the normal form is 0. None only
/// when the store refuses.
rh_expr rh__folder_apply(rh_folder *folder, rh_expr e);
/// True when the normal form of `e`, over a common denominator, is 0: a proof. False: not proved.
bool rh__folder_is_zero(rh_folder *folder, rh_expr e);
/// The same for one expression, with a folder of its own.
rh_expr rh__expr_fold(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch);

/// The largest product of positive whole powers of moving factors that divides every root, as far
/// as their factors show it (in a sum, those of its terms); the number 1 when there is none. Roots
/// that are 0 do not count.
rh_expr rh__expr_common_factor(rh_store *store, const rh_expr *roots, uint32_t count,
                               rh_arena *scratch);
/// e / factor for a common factor of `e`, term by term in a sum.
rh_expr rh__expr_divide_out(rh_store *store, rh_expr e, rh_expr factor);

/// A proof that `e` is never zero where it is defined: 1 always positive, -1 always negative, 0 not
/// proved. Symbols that do not move have the sign of their value (`value_of` may be NULL; NaN is
/// unknown), others may be anything.
int rh__expr_sign(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user);

/// An antiderivative by `symbol`, proved by differentiating back; none when none is found easily.
rh_expr rh__expr_integrate(rh_store *store, rh_expr e, rh_expr symbol, rh_arena *scratch);

/// The integral of `e` by `symbol` between two expressions as a sum over 32 nodes: exact for
/// polynomials up to degree 63.
rh_expr rh__expr_quadrature(rh_store *store, rh_expr e, rh_expr symbol, rh_expr from, rh_expr to);

// --- shapes ----------------------------------------------------------------------------------

rh_shape rh__expr_shape(const rh_store *store, rh_expr e);
/// The leaves (symbols, numbers, pi) in the order of the form, shared ones as often as they occur:
/// for two expressions of one shape the lists agree place by place. False when there are more than
/// `limit`.
bool rh__shape_leaves(const rh_store *store, rh_expr e, uint32_t limit, rh_arena *arena,
                      rh_expr_list *out);

// --- showing ---------------------------------------------------------------------------------

typedef enum rh_notation { RH_NOTATION_TEXT, RH_NOTATION_LATEX, RH_NOTATION_JSON } rh_notation;

/// A way of writing expressions in which large shared parts have names (%1, %2, ...), so that the
/// text stays in proportion to the store and not to the tree.
typedef struct rh_show rh_show;

/// Plan names for what the roots share. NULL when the arena refused.
rh_show *rh__show_create(rh_store *store, rh_arena *arena, rh_notation notation,
                         const rh_expr *roots, uint32_t count);
/// Parts that got a name, in order of need.
uint32_t rh__show_part_count(const rh_show *show);
void rh__show_part(const rh_show *show, uint32_t k, rh_text *out);
void rh__show_expr(const rh_show *show, rh_expr e, rh_text *out);

/// Write `rows` (expressions of one shape) as one line in the running index `index` when every leaf
/// is an affine function of it: `(x[i] - x[i-1])^2`. `first` is the index of the first row. False
/// when they are not affine.
bool rh__show_family(rh_store *store, const rh_expr *rows, uint32_t count, rh_slice index,
                     int64_t first, rh_arena *scratch, rh_text *out);
