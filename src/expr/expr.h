// SPDX-License-Identifier: Apache-2.0
// Door of the room `expr`: hash-consed expressions with exact rational numbers.
//
// A store only grows. Equal expressions are one node, so equality is equality of ids; arguments are
// made before what uses them, so id order is a topological order. Builders never fail loudly: after
// a refusal (memory, a limit) they give RH_EXPR_NONE, take it as an argument, and the store
// remembers the first reason.
//
// Canonical form. ADD holds pairs (number, term), terms without numeric factor, in order, the
// constant last (its term is the number 1); so 2*x is an ADD of one pair. MUL holds factors in
// order, none a number, no base twice; a sum among them begins with the number 1, so 2*x*y + 2*z
// times a is 2*a*(x*y + z); a power with exponent other than 1 is a POW. Products are never
// distributed over sums, so sharing survives; sums and products of up to RH_EXPR_FLATTEN parts are
// merged into the one they stand in, longer ones are parts like any other.
//
// Families. A symbol is (family, member): x[3] is member 3 of family x. The order of symbols within
// a family is the order of members, so that the forms of x[3] - x[2] and x[7] - x[6] agree part by
// part. The shape of an expression is what remains when members and numeric factors are forgotten;
// rows of one loop share it. docs/decisions/families.md has the reasons.

#pragma once

#include "base/base.h"

typedef struct rh_expr {
    uint32_t i; // 0 is none
} rh_expr;

typedef struct rh_family {
    uint32_t i; // 0 is none
} rh_family;

typedef struct rh_shape {
    uint32_t i; // 0 is none
} rh_shape;

#define RH_EXPR_NONE ((rh_expr){0})

typedef enum rh_op {
    RH_OP_NONE,
#define RH_OP_CORE(name, word) RH_OP_##name,
#define RH_OP(name, word, arity, first, second, value, latex) RH_OP_##name,
#include "expr/ops.def"
    RH_OP_COUNT
} rh_op;

enum {
    RH_EXPR_FLATTEN = 16,        // larger sums and products stay nested
    RH_EXPR_DIMENSIONS = 3,      // of an array
    RH_EXPR_NODES = 6000000,     // most nodes of a store
    RH_EXPR_WORK = 50000000,     // most parts of sums and products that are put in order
    RH_EXPR_NUMBER_BITS = 65536, // of a numerator or denominator
    RH_EXPR_POLL = 64,           // nodes between two questions whether to go on
    RH_EXPR_PRIMES = 8,          // highest time derivative of a symbol
    RH_EXPR_VARIABLE = 1         // bit of a mask: the symbol moves (it is no parameter)
};

typedef struct rh_store rh_store;

/// Why a store stopped taking expressions.
typedef enum rh_refusal {
    RH_REFUSAL_NONE,
    RH_REFUSAL_MEMORY, // the arena refused
    RH_REFUSAL_NODES,  // RH_EXPR_NODES
    RH_REFUSAL_NUMBER, // RH_EXPR_NUMBER_BITS
    RH_REFUSAL_WORK    // RH_EXPR_WORK
} rh_refusal;

/// NULL when the arena refused.
rh_store *rh__store_create(rh_arena *arena);
/// Gives back the store's scratch memory; its nodes go with the arena. NULL is allowed.
void rh__store_destroy(rh_store *store);
rh_refusal rh__store_refusal(const rh_store *store);
uint32_t rh__store_count(const rh_store *store);
/// Parts of sums and products put in order so far; RH_EXPR_WORK is the most.
uint32_t rh__store_work(const rh_store *store);
/// Work up to here shall be as if only `work` had been done: what came after was a repetition that
/// made nothing new.
void rh__store_repeat(rh_store *store, uint32_t work);

// --- families and symbols --------------------------------------------------------------------

/// Recipe for a family. A scalar has no dimensions and the one member 0.
typedef struct rh_family_def {
    rh_slice name;                       // borrowed
    uint32_t dimensions;                 // 0 .. RH_EXPR_DIMENSIONS
    int64_t first[RH_EXPR_DIMENSIONS];   // lowest index
    uint32_t extent[RH_EXPR_DIMENSIONS]; // how many indices
    uint8_t primes;                      // shown after the index
    uint8_t sort;                        // lower ones come first in products
    uint32_t mask;                       // 24 bits that an expression holding the symbol inherits
} rh_family_def;

/// None when the arena refused.
rh_family rh__family_create(rh_store *store, const rh_family_def *def);
const rh_family_def *rh__family_def(const rh_store *store, rh_family family);
uint32_t rh__family_size(const rh_store *store, rh_family family);
rh_expr rh__expr_symbol(rh_store *store, rh_family family, uint32_t member);
/// The name of a member with its index and primes: `x[3]'`.
void rh__family_show(const rh_store *store, rh_family family, uint32_t member, rh_text *out);
/// The index of a member along each dimension.
void rh__family_index(const rh_store *store, rh_family family, uint32_t member,
                      int64_t out[RH_EXPR_DIMENSIONS]);

// --- numbers ---------------------------------------------------------------------------------

rh_expr rh__expr_integer(rh_store *store, int64_t value);
rh_expr rh__expr_ratio(rh_store *store, int64_t numerator, int64_t denominator);
/// A literal: digits [. digits] [e [sign] digits], exactly.
rh_expr rh__expr_literal(rh_store *store, rh_slice text);
rh_expr rh__expr_pi(rh_store *store);
bool rh__expr_is_number(const rh_store *store, rh_expr e);
bool rh__expr_is_zero(const rh_store *store, rh_expr e);
bool rh__expr_is_one(const rh_store *store, rh_expr e);
/// True and the value when `e` is an integer that fits.
bool rh__expr_as_integer(const rh_store *store, rh_expr e, int64_t *out);
/// The sign of a number: -1, 0, 1.
int rh__expr_number_sign(const rh_store *store, rh_expr e);
double rh__expr_number_value(const rh_store *store, rh_expr e);
/// The number exactly: `-7` or `22/7`.
void rh__expr_number_text(const rh_store *store, rh_expr e, rh_text *out);

// --- building --------------------------------------------------------------------------------

rh_expr rh__expr_sum(rh_store *store, const rh_expr *terms, uint32_t count);
rh_expr rh__expr_product(rh_store *store, const rh_expr *factors, uint32_t count);
rh_expr rh__expr_add(rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__expr_subtract(rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__expr_multiply(rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__expr_divide(rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__expr_negate(rh_store *store, rh_expr a);
rh_expr rh__expr_power(rh_store *store, rh_expr base, rh_expr exponent);
rh_expr rh__expr_sqrt(rh_store *store, rh_expr a);
/// Any operation but the leaves, with `count` arguments.
rh_expr rh__expr_apply(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count);
rh_expr rh__expr_if(rh_store *store, rh_expr condition, rh_expr yes, rh_expr no);

// --- removable singularities -----------------------------------------------------------------

enum { RH_RATIO_TERMS = 60 };

/// An analytic function g(z) = F(z)/z^order of one variable: F has a zero of that order at z = 0.
/// Where |z| < radius its series at 0 is exact to rounding, elsewhere the quotient is.
typedef struct rh_ratio {
    rh_expr function; // F, in terms of a symbol of its own
    uint32_t order;
    double radius;
    double coefficients[RH_RATIO_TERMS];
} rh_ratio;

/// The product of some factors. Where a divisor vanishes together with other factors, because both
/// are functions of one argument, they become an operation RH_OP_RATIO with the arguments: z, the
/// quotient g(z) (or derivative) as written out, index of the function, number of derivatives.
rh_expr rh__expr_quotient(rh_store *store, const rh_expr *factors, uint32_t count);

const rh_ratio *rh__ratio_at(const rh_store *store, uint32_t index);
/// Taylor coefficients 0 ... count - 1 at z, |z| < radius, of the n-th derivative of g.
void rh__ratio_shift(const rh_ratio *ratio, uint32_t n, double z, uint32_t count, double *out);
/// The n-th derivative of g; `far` is its quotient, as written out.
double rh__ratio_value(const rh_ratio *ratio, uint32_t n, double z, double far);

// --- looking ---------------------------------------------------------------------------------

rh_op rh__expr_op(const rh_store *store, rh_expr e);
/// ADD: 2 per pair (number, term); SYMBOL and NUMBER: none.
uint32_t rh__expr_count(const rh_store *store, rh_expr e);
rh_expr rh__expr_argument(const rh_store *store, rh_expr e, uint32_t k);
/// The union of the masks of all families in it.
uint32_t rh__expr_mask(const rh_store *store, rh_expr e);
rh_family rh__expr_family(const rh_store *store, rh_expr symbol);
uint32_t rh__expr_member(const rh_store *store, rh_expr symbol);
/// The total order of canonical forms: negative, 0, positive.
int rh__expr_compare(const rh_store *store, rh_expr a, rh_expr b);
const char *rh__op_word(rh_op op);
/// RH_OP_NONE when there is no function of that word.
rh_op rh__op_find(rh_slice word);
/// 0 for operations with rules of their own.
uint32_t rh__op_arity(rh_op op);

typedef struct rh_expr_list {
    rh_expr *data;
    uint32_t count;
    uint32_t capacity;
} rh_expr_list;

/// Everything reachable from the roots, arguments before users. False when the arena refused.
bool rh__expr_reach(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *arena,
                    rh_expr_list *out);
/// The symbols with any bit of `mask` among them, in canonical order.
bool rh__expr_symbols(rh_store *store, rh_expr e, uint32_t mask, rh_arena *arena,
                      rh_expr_list *out);

/// What vanishes where an operation is not smooth in its arguments; none: it is smooth wherever it
/// has a value.
rh_expr rh__expr_surface(rh_store *store, rh_expr e);
/// As rh__expr_apply; a condition whose surface jumps or is flat by conditions inside it is split
/// at the surfaces of those.
rh_expr rh__expr_unnest(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count,
                        rh_arena *scratch);

// --- branches --------------------------------------------------------------------------------

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

// --- simplifying -----------------------------------------------------------------------------

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
