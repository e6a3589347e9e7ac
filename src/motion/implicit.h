// SPDX-License-Identifier: Apache-2.0
// What the two guests from SUNDIALS share: vectors, a matrix, and the question whether the history
// of their steps still holds. They own memory outside the arenas.

#pragma once

#include "motion/motion.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct rh_clone rh_clone;
typedef struct rh_matrix_ops rh_matrix_ops;

typedef struct rh_implicit {
    void *memory; // of the guest
    SUNContext context;
    rh_pledge *pledge; // for all vectors
    rh_clone *clones;  // all vectors, the guest's too
    N_Vector y, rate, work;
    SUNMatrix matrix;              // sparse where the Jacobian is
    SUNMatrix copy;                // of it, until the guest asks for one
    rh_matrix_ops *matrix_ops;     // of `matrix`, where it has a copy
    SUNLinearSolver solver, inner; // in the sizes of the unknowns (scaled.c); of their own
    const rh_motion *motion;
    double *column, *row; // scales of `inner`
    rh_jacobian jacobian;
    uint32_t count;    // of y: x comes first
    double *largest;   // of what comes behind x: sizes so far
    double reached;    // the end of the guest's last step
    double since;      // the time of the beginning
    double renewed;    // when it began anew because steps were short
    bool is_begun;     // there is such a step
    uint64_t jumps;    // of the motion, when it began
    char message[160]; // of the last failure
} rh_implicit;

/// The guest's derivative number k of y at a time within its last step.
typedef bool rh_implicit_derivative(void *memory, double time, int k, N_Vector out);

/// All but `memory`, `jacobian` and what belongs to the matrix.
rh_status rh__implicit_create(rh_motion *motion, uint32_t count, rh_implicit **out, rh_error *err);
/// y, rate and work, and vectors like them for the guest (clone.c); false: no memory.
bool rh__implicit_vectors(rh_implicit *data);
/// Have the copy of the matrix ready that the guest will ask for; false: no memory.
bool rh__implicit_copy_matrix(rh_motion *motion, rh_implicit *data);
/// Vectors and matrices; the guest is gone.
void rh__implicit_drop_clones(rh_implicit *data);
/// The Jacobian of the first `count` outputs of a tape, a matrix for it and its solver: sparse with
/// KLU where it has few entries, else dense. RH_E_LIMIT when that is too large to be dense.
rh_status rh__implicit_matrix(rh_motion *motion, const rh_tape *tape, rh_jacobian_extra extra,
                              rh_implicit *data, rh_error *err);
/// `solver` for the matrices that `inner` solves for; false: no memory.
bool rh__implicit_scale(rh_motion *motion, rh_implicit *data);
/// The Jacobian at the inputs of `like`, in the form of the matrix; false: it is not finite.
bool rh__implicit_fill(rh_implicit *data, const rh_tape_state *like, SUNMatrix out);
void rh__implicit_destroy(rh_implicit *data);
/// Keeps what a guest has to say instead of printing it.
void rh__implicit_listen(int code, const char *module, const char *function, char *message,
                         void *user);

/// The guest cannot go on, by its own words or because its steps are too short. Where series may
/// take over that is always E514.
void rh__implicit_fail(rh_motion *motion, const rh_implicit *data, const char *name, bool is_short);

/// Can the guest go on from where it is? Else it must begin anew at (t, x): something jumped, or
/// projection moved x by more than its error.
bool rh__implicit_holds(const rh_motion *motion, rh_implicit *data, rh_implicit_derivative *derive);
void rh__implicit_begin(const rh_motion *motion, rh_implicit *data);
/// Weights of y by the units of variables; what was always zero has none. 0, for SUNDIALS.
int rh__implicit_weigh(const rh_motion *motion, const rh_implicit *data, N_Vector y, N_Vector out);
/// Units before a step, by the rates: those of variables that became small and slow fade, so that
/// what decays over many orders of magnitude, as concentrations do, keeps its digits.
void rh__implicit_follow(rh_motion *motion, const rh_implicit *data, const double *rate);
/// Did the guest's last step lead anywhere? Near a pole steps become so short that nothing but
/// rounding tells how far to go. The first ones grow.
bool rh__implicit_gets_on(const rh_motion *motion, const rh_implicit *data);
/// Its steps are too short: may that be the fault of their history? Projection moves what it is
/// made of. Once at a place.
bool rh__implicit_may_renew(const rh_motion *motion, rh_implicit *data);
/// Is the guest's last step used up?
bool rh__implicit_is_behind(const rh_motion *motion, const rh_implicit *data);
/// The rest of the guest's last step as the series, of at most `limit`.
rh_expansion rh__implicit_series(rh_motion *motion, rh_implicit *data, int degree,
                                 rh_implicit_derivative *derive, double *limit);
