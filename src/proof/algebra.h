// SPDX-License-Identifier: Apache-2.0
// Private to `proof`: expressions as quotients of polynomials with rational coefficients, exactly.
//
// Variables of the polynomials are generators: symbols, cosines and sines of base angles,
// exponentials of base exponents, roots, and everything else (logarithms, choices, ...) as it is.
// Generators may have a relation g^step = body with a body in earlier generators; a polynomial is
// settled when no power of a generator reaches its step. What settles to 0 is 0 wherever it is
// defined. The converse need not hold: log(x^2) and log(x) are strangers here.
//
// Every operation draws on a budget and fails when it is spent: then nothing is said.

#pragma once

#include "proof/arbs.h"

#include <flint/fmpq_mpoly.h>

enum {
    RH_ALGEBRA_GENERATORS = 160, // most
    RH_ALGEBRA_TERMS = 60000,    // of one polynomial
    RH_ALGEBRA_BITS = 8192,      // of a coefficient
    RH_ALGEBRA_POWER = 400,      // largest exponent
    RH_ALGEBRA_ANGLE = 40,       // largest multiple of an angle
    RH_ALGEBRA_HELD = 1 << 24    // words of known polynomials
};

/// A power of a factor below the line.
typedef struct rh_below {
    uint32_t factor, exponent;
} rh_below;

/// numerator / product of factors.
typedef struct rh_fraction {
    fmpq_mpoly_struct *numerator; // in the algebra's keeping
    rh_below *below;              // by rising factor
    uint32_t below_count;
} rh_fraction;

/// What a generator stands for.
typedef enum rh_generator_kind {
    RH_GENERATOR_SYMBOL,   // `key` itself
    RH_GENERATOR_COSINE,   // of key*share/divisor; its sine is the next generator
    RH_GENERATOR_SINE,     //
    RH_GENERATOR_EXPONENT, // exp(key*share/divisor)
    RH_GENERATOR_POWER,    // base^(key*share/divisor)
    RH_GENERATOR_ROOT,     // of a base, times its denominator; see generator.c
    RH_GENERATOR_SIZE,     // absolute value, in the same way
    RH_GENERATOR_OTHER     // an operation on `arguments`
} rh_generator_kind;

typedef struct rh_generator {
    rh_generator_kind kind;
    rh_op op; // of OTHER
    rh_expr key;
    rh_expr base; // of POWER
    fmpz divisor;
    uint32_t step;            // of the relation; 0: none
    fmpq_mpoly_struct *body;  // of the relation
    rh_fraction arguments[3]; // of ROOT, SIZE (one) and OTHER
    uint32_t argument_count;
} rh_generator;

/// The largest share/value of a base angle or exponent of which all that occur are whole multiples.
typedef struct rh_divisor {
    rh_generator_kind kind; // COSINE, EXPONENT, POWER, ROOT
    rh_expr key, base;
    fmpz value;
    fmpz share; // 1 for ROOT
} rh_divisor;

/// A polynomial that somebody will clear.
typedef struct rh_kept {
    fmpq_mpoly_struct *poly;
} rh_kept;

typedef struct rh_algebra {
    rh_store *store;
    rh_arena *arena;
    fmpq_mpoly_ctx_t ring;
    bool has_ring;
    uint64_t work; // left
    bool has_failed;
    rh_arena scratch;
    rh_expr_list order; // what the roots reach, by id
    rh_fraction *known; // by place in `order`; no numerator: not read yet
    uint64_t held;      // words of the polynomials that are known
    rh_generator generators[RH_ALGEBRA_GENERATORS];
    uint32_t count;
    RH_ARRAY(rh_divisor) divisors;
    RH_ARRAY(rh_kept) keeping; // polynomials on the way, to be cleared
    RH_ARRAY(rh_kept) pinned;  // polynomials that stay until the end
    RH_ARRAY(rh_kept) factors; // among them
} rh_algebra;

/// Prepare to read the roots. False when there are too many generators or no memory; end it either
/// way.
bool rh__algebra_begin(rh_algebra *algebra, rh_store *store, const rh_expr *roots, uint32_t count,
                       rh_arena *arena);
void rh__algebra_end(rh_algebra *algebra);
/// Is `root` zero by the relations? With a budget of `work` of its own. `*out_is_read`: it could be
/// read; otherwise false means nothing.
bool rh__algebra_is_zero(rh_algebra *algebra, rh_expr root, uint64_t work, bool *out_is_read);

// --- polynomials and fractions (quotient.c) ------------------------------------------------------

/// A new polynomial 0 in the algebra's keeping; NULL after failure.
fmpq_mpoly_struct *rh__algebra_poly(rh_algebra *algebra);
/// The same, to stay until the end.
fmpq_mpoly_struct *rh__algebra_pin(rh_algebra *algebra);
/// The claim that there was enough; false: the algebra has failed.
bool rh__algebra_demand(rh_algebra *algebra, bool is_met);
void rh__poly_product(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a,
                      const fmpq_mpoly_struct *b);
void rh__poly_copy(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a);
void rh__poly_raise(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a,
                    uint32_t n);
void rh__poly_settle_all(rh_algebra *algebra, fmpq_mpoly_struct *a);

rh_fraction rh__fraction_number(rh_algebra *algebra, const fmpq_t value);
rh_fraction rh__fraction_integer(rh_algebra *algebra, slong value);
rh_fraction rh__fraction_generator(rh_algebra *algebra, uint32_t generator);
rh_fraction rh__fraction_poly(rh_algebra *algebra, const fmpq_mpoly_struct *poly);
rh_fraction rh__fraction_add(rh_algebra *algebra, rh_fraction a, rh_fraction b);
rh_fraction rh__fraction_subtract(rh_algebra *algebra, rh_fraction a, rh_fraction b);
rh_fraction rh__fraction_multiply(rh_algebra *algebra, rh_fraction a, rh_fraction b);
rh_fraction rh__fraction_scale(rh_algebra *algebra, rh_fraction a, const fmpq_t number);
rh_fraction rh__fraction_invert(rh_algebra *algebra, rh_fraction a);
rh_fraction rh__fraction_power(rh_algebra *algebra, rh_fraction a, slong n);
/// What stands below the line, multiplied out.
rh_fraction rh__fraction_denominator(rh_algebra *algebra, rh_fraction a);
bool rh__fraction_is_zero(const rh_algebra *algebra, rh_fraction a);

// --- generators (generator.c) --------------------------------------------------------------------

/// The fraction of a part that was read.
rh_fraction rh__algebra_known(const rh_algebra *algebra, rh_expr e);

/// sin, cos, tan, exp, sinh, cosh, tanh of an expression.
rh_fraction rh__generator_function(rh_algebra *algebra, rh_op op, rh_expr argument);
/// base^exponent, the exponent no integer.
rh_fraction rh__generator_power(rh_algebra *algebra, rh_expr base, rh_expr exponent);
/// |a|; sign(a) is |a|/a.
rh_fraction rh__generator_size(rh_algebra *algebra, rh_fraction a);
/// Anything else, recognised by its operation and arguments.
rh_fraction rh__generator_other(rh_algebra *algebra, rh_op op, const rh_fraction *arguments,
                                uint32_t count);
rh_fraction rh__generator_symbol(rh_algebra *algebra, rh_expr symbol);
/// Note the divisors that the node needs, and how many generators it may take.
uint32_t rh__generator_plan(rh_algebra *algebra, rh_expr e);
