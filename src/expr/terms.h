// SPDX-License-Identifier: Apache-2.0
// The store of expressions: symbols, numbers, building, looking.

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
/// A surface as the product of a factor that does not move and of a core: where the factor is not
/// zero both vanish together, and sign(surface) = sign(factor)*sign(core). Surfaces that are
/// multiples of each other have the same core. False: it does not move, or the store refused.
bool rh__expr_surface_split(rh_store *store, rh_expr surface, rh_expr *out_core,
                            rh_expr *out_factor);
/// As rh__expr_apply; a condition whose surface jumps or is flat by conditions inside it is split
/// at the surfaces of those.
rh_expr rh__expr_unnest(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count,
                        rh_arena *scratch);
