// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: polynomials with exact numbers in powers of atoms (symbols, functions, bases
// of roots and of quotients). Atoms and monomials are interned in a ring, so equal monomials have
// equal ids. Exponents are whole numbers of 1/RH_RING_UNIT. Nothing here makes nodes in the store.
//
// An atom may have a rule atom^step = body: sin(u)^2 = 1 - cos(u)^2, and sqrt(s)^2 = s for the base
// s of a root or quotient. A polynomial is settled when no rule applies to any of its terms.

#pragma once

#include "expr/store.h"

enum {
    RH_RING_UNIT = 12600,      // divisible by 1..10 and by 100
    RH_RING_EXPONENT = 80000,  // largest whole exponent
    RH_RING_NUMBER_BITS = 2048 // of a numerator or denominator
};

typedef struct rh_power {
    uint32_t atom;
    int32_t exponent; // not 0
} rh_power;

typedef struct rh_term {
    rh_rational number; // not 0
    uint32_t monomial;
} rh_term;

/// No term twice; no terms: zero. Lies in the pool of its ring.
typedef struct rh_poly {
    const rh_term *data;
    uint32_t count;
} rh_poly;

typedef struct rh_atom {
    rh_expr key;      // the same for equal atoms
    rh_expr cheap;    // equal to the key, for writing
    rh_poly body;     // of the rule
    int32_t step;     // of the rule in units; 0: no rule
    uint32_t partner; // sin and cos, cosh and sinh of one argument have each other; else 0
    bool moves;
} rh_atom;

typedef struct rh_monomial {
    uint32_t first; // in `powers`, by rising atom
    uint32_t count;
} rh_monomial;

typedef struct rh_seat {
    uint32_t visit;
    uint32_t place; // in the sum being made
} rh_seat;

/// Why an operation gave up.
typedef enum rh_trouble {
    RH_TROUBLE_NONE,
    RH_TROUBLE_LIMIT, // terms, work, exponents or numbers: not the store's concern
    RH_TROUBLE_MEMORY // the pool's arena refused
} rh_trouble;

typedef struct rh_ring {
    rh_arena pool;                   // all of the below
    uint32_t limit;                  // most terms of a polynomial
    uint64_t work;                   // steps that may still be taken
    rh_trouble trouble;              // of the last operation that failed
    RH_ARRAY(rh_atom) atoms;         // [0] is unused
    RH_ARRAY(rh_monomial) monomials; // [0] is 1
    RH_ARRAY(rh_power) powers;
    rh_index atom_index; // by key
    rh_index monomial_index;
    RH_ARRAY(rh_seat) seats; // by monomial
    RH_ARRAY(rh_term) sum;   // being made
    uint32_t visit;
} rh_ring;

bool rh__ring_begin(rh_ring *ring, const rh_arena *like, uint32_t limit);
void rh__ring_end(rh_ring *ring);

/// Take `steps` from the work; false when there is not enough left.
bool rh__ring_spend(rh_ring *ring, uint64_t steps);

/// The atom with this key, or 0.
uint32_t rh__ring_find(const rh_ring *ring, rh_expr key);
/// A new one; 0 when memory is short.
uint32_t rh__ring_insert(rh_ring *ring, const rh_atom *atom);

/// The following are false after trouble.
bool rh__monomial_intern(rh_ring *ring, const rh_power *powers, uint32_t count, uint32_t *out);
bool rh__monomial_multiply(rh_ring *ring, uint32_t a, uint32_t b, uint32_t *out);
/// Exponents times p/q; false also when a new exponent is no whole number of units.
bool rh__monomial_power(rh_ring *ring, uint32_t a, int64_t p, int64_t q, uint32_t *out);

/// A sum under construction; one at a time.
void rh__sum_begin(rh_ring *ring);
bool rh__sum_add(rh_ring *ring, rh_rational number, uint32_t monomial);
bool rh__sum_end(rh_ring *ring, rh_poly *out);

bool rh__poly_constant(rh_ring *ring, rh_rational number, rh_poly *out);
/// number * atom^exponent, settled.
bool rh__poly_atom(rh_ring *ring, rh_rational number, uint32_t atom, int32_t exponent,
                   rh_poly *out);
/// number * monomial * a, not settled.
bool rh__poly_shift(rh_ring *ring, rh_poly a, rh_rational number, uint32_t monomial, rh_poly *out);
bool rh__poly_multiply(rh_ring *ring, rh_poly a, rh_poly b, rh_poly *out);
bool rh__poly_power(rh_ring *ring, rh_poly a, uint32_t n, rh_poly *out);
/// term^n, n of any sign; not settled.
bool rh__poly_term_power(rh_ring *ring, rh_term term, int64_t n, rh_poly *out);
/// Apply rules until none applies.
bool rh__poly_settle(rh_ring *ring, rh_poly a, rh_poly *out);
/// The monomial of the lowest exponents (0 where an atom is missing) of all terms.
bool rh__poly_content(rh_ring *ring, rh_poly a, uint32_t *out);
/// Keep sin^2 instead of cos^2 (or the other way round) per argument where that is shorter; not
/// settled by the ring's rules any more.
bool rh__poly_shorten(rh_ring *ring, rh_poly a, rh_poly *out);
/// True when `a` is zero over a common denominator.
bool rh__poly_vanishes(rh_ring *ring, rh_poly a);
