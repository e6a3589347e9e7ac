// SPDX-License-Identifier: Apache-2.0
// Door of the room `inverse`: from equations to their Lagrangian, or to the reason why there is
// none (docs/theory/inverse.md). What its files share stands here too.
//
// Letters: q coordinates, v velocities, a accelerations, j their rates; f = M a + N the equations;
// beta_ik = dN_i/dv_k - dN_k/dv_i; D0 = d/dt + v d/dq; s and r the matrices of (4.2) and (4.3).

#pragma once

#include "rheonom/inverse.h"

#include "base/base.h"
#include "equations/equations.h"
#include "expr/expr.h"
#include "model/model.h"
#include "proof/proof.h"

enum { RH_INVERSE_CONDITIONS = 8, RH_INVERSE_EQUIVALENTS = 4, RH_INVERSE_QUADRATIC = 12 };

#define RH_INVERSE_NO_INDEX UINT32_MAX

/// Something that must be zero.
typedef struct rh_residual {
    uint32_t condition;  // 1..7 and 12 of (4.x); 0: of the Hamiltonian test
    uint32_t equivalent; // 1..4; 0: none
    uint32_t index[3];   // from 0; RH_INVERSE_NO_INDEX: none
    rh_expr e;
    rh_claim claim;
} rh_residual;

/// One form of the equations and what became of it.
typedef struct rh_trial {
    const char *form;
    rh_expr *f;
    bool is_linear;   // in the accelerations
    rh_expr *inertia; // M, by rows
    rh_expr *rest;    // N
    rh_expr *beta;    // by rows
    RH_ARRAY(rh_residual) residuals;
    rh_inverse_condition conditions[RH_INVERSE_CONDITIONS];   // [k] is (4.k+1)
    rh_inverse_condition equivalents[RH_INVERSE_EQUIVALENTS]; // [k] is the k+1-th
    rh_inverse_condition quadratic;                           // (4.12), where it makes sense
    rh_inverse_condition whole;
    bool is_for_all_values;
    bool is_cut; // broken off: what is not refuted is not known
} rh_trial;

/// s and r of (4.2) and (4.3), by rows.
typedef struct rh_matrices {
    rh_expr *s, *r;
} rh_matrices;

/// The value that a symbol has at the start.
typedef struct rh_home {
    rh_expr symbol;
    double value;
    const char *name; // of a witness
} rh_home;

/// Where the equations switch: e = 0.
typedef struct rh_surface {
    rh_expr e;
    const char *text; // "" when it is long
} rh_surface;

/// An integral that found no closed form: of `integrand` by the symbol `by` from 0 to 1, perhaps of
/// another one inside (`inner`).
typedef struct rh_ray {
    rh_expr by, inner; // inner: none
    rh_expr integrand;
} rh_ray;

/// A closed expression plus rays.
typedef struct rh_function {
    rh_expr closed;
    RH_ARRAY(rh_ray) rays;
} rh_function;

struct rh_inverse {
    rh_arena arena;
    rh_arena scratch;
    const rh_model *model;
    rh_store *store;
    rh_folder *folder;
    rh_inverse_def def;
    rh_prover_def prover;  // with the values of all parameters
    rh_prover_def general; // with those of `scope`: all others are letters
    rh_expr_list scope;    // parameters whose values the answer rests on
    RH_ARRAY(rh_home) home;
    rh_expr **values;      // exact, by parameter and member
    rh_equations *derived; // NULL: the equations are as written
    rh_form *implicit;     // the linear equations of rates and multipliers where reactions have no
                           // formula; NULL: they have
    rh_expr_list others;   // what these hold besides coordinates and velocities
    const char *note;
    const char *reason;
    RH_ARRAY(rh_surface) surfaces;
    rh_probes probes; // points beside them

    rh_inverse_kind kind;
    uint32_t n;
    rh_expr *q, *v, *a, *j;
    const char **names;                  // of q; of pairs: positions and momenta
    RH_ARRAY(rh_definition) input_rates; // of inputs from files
    rh_derivation *drift;                // D0
    rh_derivation *total;                // d/dt with accelerations and their rates

    RH_ARRAY(rh_trial) trials;
    uint32_t chosen; // among the trials

    rh_expr ray_symbols[2]; // u and w of integrals
    rh_function kinetic, gyroscopic, potential, dissipation;
    rh_function power; // that is lost: v.dD/dv without the circulatory part
    rh_function hamiltonian;
    rh_expr circulatory; // the part of the dissipative function that is linear in v
    rh_definiteness sign;
    rh_inverse_condition check;
    bool has_power;
    bool is_sign_proved;
    bool has_functions;                       // L and D, or H, were made
    const char *scope_text, *sign_scope_text; // values for which the answer holds; "": all
    const char *lagrangian_text, *dissipation_text, *hamiltonian_text;
    const char *kinetic_text, *gyroscopic_text, *potential_text, *circulatory_text,
        *dissipative_text;

    uint32_t witness; // point of the prover; UINT32_MAX: none
    RH_ARRAY(rh_home) place;
    RH_ARRAY(rh_inverse_failure) failures;
    double *s_values, *r_values;    // NULL: not asked
    RH_ARRAY(rh_home) matrix_place; // where
};

/// What the memory or the store refused; RH_OK when nothing did.
rh_status rh__inverse_refused(const rh_inverse *inverse);
bool rh__inverse_goes_on(const rh_inverse *inverse);
/// The name of a symbol; "" when memory is short.
const char *rh__inverse_name(rh_inverse *inverse, rh_expr symbol);
rh_expr rh__inverse_fold(rh_inverse *inverse, rh_expr e);
/// d e / d symbol, 0 quickly when `e` has none of its kind.
rh_expr rh__inverse_partial(rh_inverse *inverse, rh_expr e, rh_expr symbol);
/// With all symbols of the list (n of them) replaced by 0.
rh_expr rh__inverse_without(rh_inverse *inverse, rh_expr e, const rh_expr *symbols, uint32_t n);
/// What a prover says of each: RH_OK, or what was refused.
rh_status rh__inverse_claim(rh_inverse *inverse, const rh_prover_def *prover, const rh_expr *e,
                            uint32_t count, rh_claim *out);
/// The weakest of the claims.
rh_inverse_condition rh__inverse_weakest(const rh_claim *claims, uint32_t count);
/// Are all of them zero for the values of the parameters? The weakest of the claims.
rh_status rh__inverse_judge(rh_inverse *inverse, const rh_expr *e, uint32_t count,
                            rh_inverse_condition *out);
/// Are all of them zero, as far as is seen, whatever the parameters outside the scope are? What
/// functions are made of is decided so: those that rest on a = b would be others for a != b.
rh_status rh__inverse_vanishes(rh_inverse *inverse, const rh_expr *e, uint32_t count, bool *out);

// --- subject.c: the equations ----------------------------------------------------------------
rh_status rh__inverse_take(rh_inverse *inverse, rh_error *err);
/// With inputs that have formulas as these formulas.
rh_expr rh__inverse_input(rh_inverse *inverse, rh_expr e);
// --- surfaces.c: where the equations switch, or have no value -----------------------------------

/// Note the surfaces of the equations, and points on both sides. RH_E_UNAVAILABLE, with the reason,
/// when one of them has no value anywhere.
rh_status rh__inverse_examine(rh_inverse *inverse, const rh_expr *f, uint32_t count, rh_error *err);
/// Does a surface depend on symbols of these roles?
bool rh__inverse_switches(const rh_inverse *inverse, uint32_t roles);
/// Is a function continuous across the surfaces? False where that is not seen.
rh_status rh__inverse_is_continuous(rh_inverse *inverse, rh_expr e, bool *out);
// --- helmholtz.c: the conditions ---------------------------------------------------------------
rh_status rh__inverse_try(rh_inverse *inverse, rh_trial *trial);
/// (4.4), (i) and (ii) alone: what the inertia decides.
rh_status rh__inverse_try_inertia(rh_inverse *inverse, rh_trial *trial);
/// The verdict of all conditions together.
void rh__inverse_conclude(rh_trial *trial);
/// s and r; at a = 0 where the equations are linear in a.
rh_status rh__inverse_matrices(rh_inverse *inverse, rh_trial *trial, rh_matrices *out);
// --- formless.c: reactions without formulas ------------------------------------------------------

/// Take the reactions as the solution of their linear equations. RH_E_UNAVAILABLE when these are
/// too many.
rh_status rh__inverse_take_implicit(rh_inverse *inverse, rh_error *err);
/// The conditions at points, in balls.
rh_status rh__inverse_try_implicit(rh_inverse *inverse);
// --- primitive.c: potentials of forms ----------------------------------------------------------

/// An antiderivative, continuous where the integrand switches; none when none is found (pieces.c).
rh_expr rh__primitive_integrate(rh_inverse *inverse, rh_expr e, rh_expr x);
/// V with dV/dx_i = form_i, for a closed form. Closed text where it is found: `*out_is_found`.
rh_status rh__primitive_find(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, bool *out_is_found);
/// As much of a potential as the homogeneous parts of a form give, whether it is closed or not;
/// `rest` (n of them) is what it misses.
rh_status rh__primitive_part(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, rh_expr *rest);
/// As much of a potential as rays give in closed form, whether the form is closed or not: part by
/// part, so that what is left (n of them) is all that it misses. Continuous across surfaces.
rh_status rh__primitive_split(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                              uint32_t n, rh_expr *out, rh_expr *left);
/// A_i with d_k A_i - d_i A_k = form_ik (by rows) for a closed form of degree two.
rh_status rh__primitive_vector(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                               uint32_t n, rh_expr *out, bool *out_is_found);
// --- rays.c: integrals along rays
// -----------------------------------------------------------------

/// Names for what rays run over: letters that the model does not use.
rh_status rh__inverse_ray_symbols(rh_inverse *inverse);
/// `e` at scale * x.
rh_expr rh__ray_point(rh_inverse *inverse, rh_expr e, const rh_expr *x, rh_expr scale);
/// sum of x_i F_i(by x)
rh_expr rh__ray_work(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, rh_expr by);
/// Add a ray to a function, unless it is zero.
rh_status rh__ray_push(rh_inverse *inverse, rh_function *to, rh_ray ray);
/// Is the integrand defined all along the ray, both ends included, at some random point?
bool rh__ray_is_regular(rh_inverse *inverse, rh_expr integrand, rh_expr by);
/// The potential of a closed form as an integral along rays from a point; `*out_is_found` is false
/// where no base point gives one for the whole of what was looked at.
rh_status rh__inverse_ray(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                          rh_function *out, bool *out_is_found);
/// An expression for the whole of a function, rays as sums over nodes.
rh_expr rh__inverse_whole(rh_inverse *inverse, const rh_function *of);
/// With quadratures a defect is zero up to their error: looked at in numbers (n of them), beside
/// the sizes of what it should be small against. The verdict goes to `check`.
rh_status rh__inverse_compare(rh_inverse *inverse, const rh_expr *sizes, const rh_expr *defects);
// --- lagrangian.c, parts.c, hamilton.c -----------------------------------------------------------
rh_status rh__inverse_construct(rh_inverse *inverse);
rh_status rh__inverse_split(rh_inverse *inverse);
/// lost.c: the sign of a power that is no quadratic form of the velocities.
rh_status rh__inverse_lost(rh_inverse *inverse);
/// The same where it can be proved; otherwise nothing changes.
rh_status rh__inverse_prove_lost(rh_inverse *inverse);
rh_status rh__inverse_hamilton(rh_inverse *inverse, rh_error *err);
// --- telling.c: texts and witnesses --------------------------------------------------------------

/// The text of an expression, simplified; "" when it is longer than `limit`.
const char *rh__inverse_text(rh_inverse *inverse, rh_expr e, size_t limit);
rh_status rh__inverse_tell(rh_inverse *inverse);
// --- validity.c: for which values of parameters -------------------------------------------------

/// The scope of the conditions of the chosen form: before functions are made.
rh_status rh__inverse_begin_scope(rh_inverse *inverse);
/// What L, D or H miss (n of them): judged to `check`. What they miss only beside the values of
/// parameters enlarges the scope.
rh_status rh__inverse_check(rh_inverse *inverse, const rh_expr *defects);
/// The parameters of `e` belong to the scope too.
bool rh__inverse_widen_scope(rh_inverse *inverse, rh_expr e);
/// The texts of what the answer holds for.
rh_status rh__inverse_tell_scope(rh_inverse *inverse);
// --- domains.c: parameters for which the functions have no value -------------------------------

/// Where the values of the model are such ones they become the scope, and the functions are to be
/// made again with them: `*out_is_open`. Otherwise such values are said in the note.
rh_status rh__inverse_close_gaps(rh_inverse *inverse, const rh_expr *equations, bool *out_is_open);
/// The values of the scope put into several expressions.
rh_status rh__inverse_put_scope(rh_inverse *inverse, rh_expr *e, uint32_t count);
