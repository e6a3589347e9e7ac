// SPDX-License-Identifier: Apache-2.0
// Door of the room `proof`: what can be proved about numbers and expressions, by ball arithmetic
// and by exact algebra. FLINT and Arb live here and nowhere else; none of their types passes the
// door.
//
// A ball is a middle and a radius and stands for every real number between. Whatever is computed
// from balls contains what would be computed from any choice of numbers in them: a claim that holds
// for the result is proved for all of them. An indeterminate ball stands for everything, a failure
// included: a pole or a border of the domain may lie inside, or a jump was not decided.

#pragma once

#include "expr/expr.h"

enum {
    RH_BALLS_MOST = 1 << 24,       // balls of one vector
    RH_BALLS_PRECISION = 128,      // bits, a good first choice
    RH_BALLS_PRECISION_MOST = 8192 // more is refused by being lowered to this
};

/// A vector of real balls; also a matrix, row by row, or a polynomial, lowest coefficient first.
/// Its numbers lie outside the arena: destroy it.
typedef struct rh_balls rh_balls;

/// All of a ball: lo <= x <= hi, rounded outwards. (-inf, inf) when it is indeterminate.
typedef struct rh_interval {
    double lo, hi;
} rh_interval;

/// `count` balls that are exactly 0. NULL when the arena refused or `count` passes RH_BALLS_MOST.
rh_balls *rh__balls_create(rh_arena *arena, uint32_t count);
/// NULL is allowed.
void rh__balls_destroy(rh_balls *balls);
uint32_t rh__balls_count(const rh_balls *balls);

// --- putting in ------------------------------------------------------------------------------

/// Exactly this double; indeterminate when it is not finite.
void rh__balls_set_double(rh_balls *balls, uint32_t k, double value);
/// All numbers from lo to hi; indeterminate when an end is not finite or lo > hi.
void rh__balls_set_interval(rh_balls *balls, uint32_t k, rh_interval interval);
/// The number exactly when a double can say it, else a ball around it of `precision` bits.
void rh__balls_set_number(rh_balls *balls, uint32_t k, const rh_store *store, rh_expr number,
                          uint32_t precision, rh_arena *scratch);
void rh__balls_set_indeterminate(rh_balls *balls, uint32_t k);
void rh__balls_times_pi(rh_balls *balls, uint32_t k, uint32_t precision);
void rh__balls_copy(rh_balls *to, uint32_t k, const rh_balls *from, uint32_t j);
/// Both balls and what lies between them.
void rh__balls_join(rh_balls *to, uint32_t k, const rh_balls *from, uint32_t j, uint32_t precision);
/// The middle alone, as an exact ball.
void rh__balls_shrink(rh_balls *balls, uint32_t k);

// --- looking ---------------------------------------------------------------------------------

rh_interval rh__balls_interval(const rh_balls *balls, uint32_t k);
/// The double nearest to the middle; NaN when indeterminate.
double rh__balls_middle(const rh_balls *balls, uint32_t k);
/// No less than the radius; infinite when indeterminate.
double rh__balls_radius(const rh_balls *balls, uint32_t k);
bool rh__balls_is_finite(const rh_balls *balls, uint32_t k);
/// Claims about every number of the ball. False: not proved.
bool rh__balls_is_zero(const rh_balls *balls, uint32_t k);
bool rh__balls_is_nonzero(const rh_balls *balls, uint32_t k);
bool rh__balls_is_positive(const rh_balls *balls, uint32_t k);
bool rh__balls_is_negative(const rh_balls *balls, uint32_t k);
/// Every number of ball j of `inner` is a number of ball k of `outer`. False when either is
/// indeterminate.
bool rh__balls_contains(const rh_balls *outer, uint32_t k, const rh_balls *inner, uint32_t j);

/// The ball in plain decimals: two numbers, two units apart, with the ball strictly between them.
/// The unit is 10^-`digits` for numbers below 1, and ten times more for each digit before the
/// point. False when the ball is too wide for that.
bool rh__balls_bracket(const rh_balls *balls, uint32_t k, uint32_t digits, rh_text *low,
                       rh_text *high);

// --- one operation at a time -----------------------------------------------------------------

typedef enum rh_ball_op {
    RH_BALL_ADD,
    RH_BALL_SUBTRACT,
    RH_BALL_MULTIPLY,
    RH_BALL_DIVIDE
} rh_ball_op;

/// to[k] = a[i] op b[j]; the vectors may be one.
void rh__balls_combine(rh_balls *to, uint32_t k, rh_ball_op op, const rh_balls *a, uint32_t i,
                       const rh_balls *b, uint32_t j, uint32_t precision);
void rh__balls_sqrt(rh_balls *to, uint32_t k, const rh_balls *a, uint32_t i, uint32_t precision);

// --- expressions -----------------------------------------------------------------------------

/// Several expressions made ready to be evaluated in balls, at as many points as wanted. The store
/// may grow meanwhile.
typedef struct rh_enclosure rh_enclosure;

/// Write the ball of a symbol to out[k].
typedef void rh_ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out,
                        uint32_t k);

/// NULL when the arena refused or the expressions hold more than RH_BALLS_MOST parts.
rh_enclosure *rh__enclosure_create(rh_store *store, const rh_expr *roots, uint32_t count,
                                   rh_arena *arena);
void rh__enclosure_destroy(rh_enclosure *enclosure);
/// Balls that contain the value of each root at every point of the balls of the symbols. A root
/// that may leave its domain, or jump, within them is indeterminate. So a finite ball proves that
/// the root is defined and continuous there.
void rh__enclosure_evaluate(rh_enclosure *enclosure, rh_ball_of *ball_of, void *user,
                            uint32_t precision, rh_balls *out);

// --- matrices and polynomials ----------------------------------------------------------------

/// X with A X = B for every matrix in A (n by n) and B (n by m): out is n by m. False when a
/// singular A is not excluded; then out is indeterminate.
bool rh__balls_solve(uint32_t n, const rh_balls *a, uint32_t m, const rh_balls *b,
                     uint32_t precision, rh_balls *out);
/// The determinant of A (n by n) to out[k].
void rh__balls_determinant(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *out,
                           uint32_t k);
/// out = A (n by m) times B (m by p). `out` is neither of them.
void rh__balls_multiply(uint32_t n, uint32_t m, uint32_t p, const rh_balls *a, const rh_balls *b,
                        uint32_t precision, rh_balls *out);
/// Proved: every symmetric matrix in A (n by n; its lower triangle is read) is positive definite.
bool rh__balls_is_definite(uint32_t n, const rh_balls *a, uint32_t precision);

/// Every symmetric matrix in A (its lower triangle is read) has at least so many positive and so
/// many negative eigenvalues. False when memory is short.
bool rh__balls_inertia(uint32_t n, const rh_balls *a, uint32_t precision, rh_arena *scratch,
                       uint32_t *out_positive, uint32_t *out_negative);

/// The n + 1 coefficients of det(x I - A), lowest first.
void rh__balls_characteristic(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *out);

/// Balls for the n eigenvalues of every matrix in A, in an order of their own: the k-th lies in
/// re[k] + i im[k]. Eigenvalues that are not told apart share one ball, as often as there are of
/// them. False when no enclosure was found; then they are indeterminate.
bool rh__balls_eigenvalues(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *re,
                           rh_balls *im);
/// The same for the roots of a polynomial of degree n with n + 1 coefficients. The leading one must
/// exclude zero.
bool rh__balls_roots(uint32_t n, const rh_balls *polynomial, uint32_t precision, rh_balls *re,
                     rh_balls *im);
/// Proved by Routh's table: all roots of every polynomial of degree n in the balls have negative
/// real parts. False: not proved.
bool rh__balls_is_hurwitz(uint32_t n, const rh_balls *polynomial, uint32_t precision,
                          rh_arena *scratch);

// --- identities ------------------------------------------------------------------------------

/// What is known of the claim that an expression is zero wherever it is defined.
typedef enum rh_identity {
    RH_IDENTITY_PROVED,  // by exact algebra
    RH_IDENTITY_SAMPLED, // balls at random points hold zero; no proof
    RH_IDENTITY_REFUTED, // a ball at a point excludes zero
    RH_IDENTITY_UNKNOWN  // no point was found where it is defined, or the work was broken off
} rh_identity;

typedef struct rh_claim {
    rh_identity identity;
    uint32_t point;       // REFUTED: where
    rh_interval residual; // REFUTED: the value there
    uint32_t points;      // at how many points it was looked at
    bool for_all_values;  // PROVED: whatever the values of parameters are
} rh_claim;

enum {
    RH_PROVER_POINTS = 8,     // random ones that are wanted
    RH_PROVER_TRIALS = 40,    // random ones that are tried
    RH_PROVER_PROBES = 96,    // beside switching surfaces, where there are any
    RH_PROVER_PRECISION = 192 // bits
};

/// Values of symbols on both sides of the surfaces where expressions switch: sign, abs, min, max
/// and conditions. Random points alone would miss what lies behind x > 1000.
typedef struct rh_probe {
    rh_expr symbol;
    RH_ARRAY(double) values;
} rh_probe;

typedef struct rh_probes {
    rh_probe *data;
    uint32_t count;
    uint32_t capacity;
} rh_probes;

/// Recipe for a prover.
typedef struct rh_prover_def {
    rh_seed *value; // (walks through no expression itself) of a parameter: its exact value, an
                    // expression without parameters; the symbol itself for everything else. NULL:
                    // there are no parameters
    void *value_user;
    rh_value_of *home; // a point to be looked at first, number 0; NaN: a random number. NULL: none
    const void *home_user;
    bool (*goes_on)(void *user); // asked between expressions; false: break off. NULL: go on
    void *goes_on_user;
    uint64_t work;           // steps of exact algebra for one expression; 0: a good choice
    const rh_probes *probes; // more points: numbers RH_PROVER_TRIALS + 1 and on. NULL: none
} rh_prover_def;

/// What vanishes where an operation switches: the argument of abs and sign, the difference of what
/// min, max and comparisons compare. None for everything else.
rh_expr rh__switch_of(rh_store *store, rh_expr e);
/// Look for both sides of all surfaces of some expressions, along one symbol after the other. False
/// when memory is short.
bool rh__probes_find(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                     uint32_t count, rh_arena *arena, rh_probes *out);
/// The highest number of a point.
uint32_t rh__prover_last(const rh_prover_def *def);

/// Judge several expressions at once; what they share is worked on once. False when memory is
/// short.
bool rh__prover_judge(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                      uint32_t count, rh_arena *scratch, rh_claim *out);
/// The value of a symbol at a point: every double is the exact coordinate.
double rh__prover_coordinate(const rh_prover_def *def, const rh_store *store, uint32_t point,
                             rh_expr symbol);
/// Balls of several expressions at a point, with the values of parameters in them.
bool rh__prover_balls(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                      uint32_t count, uint32_t point, rh_arena *scratch, rh_balls *out);

// --- angles --------------------------------------------------------------------------------------

/// Expressions without an angle: out[k] is expressions[k] wherever it is defined, for every value
/// of the angle, if all of `out_duties` vanish identically (duties are added to the list); none
/// where the expression is no sum over multiples of the angle (harmonic.c). False when memory is
/// short.
bool rh__harmonic_free(rh_store *store, const rh_expr *expressions, uint32_t count, rh_expr angle,
                       rh_arena *arena, rh_expr *out, rh_expr_list *out_duties);
