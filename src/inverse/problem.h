// SPDX-License-Identifier: Apache-2.0
// An inverse problem: equations, conditions, what was found.

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
