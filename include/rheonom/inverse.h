// SPDX-License-Identifier: Apache-2.0
// The inverse problem: is there a Lagrangian L and a dissipative function D with
//     f_i = d/dt dL/dq_i' - dL/dq_i + dD/dq_i'
// for the equations f_i = 0 of a model? The modified Helmholtz conditions (4.1) to (4.8) one by
// one, L and D where they hold, the failing condition with its indices and a point where they do
// not. For states in canonical pairs: is the field Hamiltonian, and with which H?

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"

RH_EXTERN_C_BEGIN

/// Recipe for the inverse problem. Begin with rh_inverse_def_default(), then change what you need.
typedef struct rh_inverse_def {
    uint32_t struct_size;        ///< set by the default function; do not touch
    bool (*goes_on)(void *user); ///< asked now and then; false: break off, what is open stays
                                 ///< unknown. NULL: go on
    void *user;                  ///< for it
} rh_inverse_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_inverse_def rh_inverse_def_default(void)
{
    rh_inverse_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

typedef enum rh_inverse_kind {
    RH_INVERSE_LAGRANGE, ///< equations of second order in coordinates
    RH_INVERSE_HAMILTON  ///< laws of states in canonical pairs
} rh_inverse_kind;

/// What is known of a condition.
typedef enum rh_inverse_verdict {
    RH_INVERSE_HOLDS,
    RH_INVERSE_FAILS,  ///< rigorously: a residual is not zero at a point
    RH_INVERSE_UNKNOWN ///< not decided, or not asked
} rh_inverse_verdict;

/// One word: "holds", "fails", "unknown".
RH_API const char *rh_inverse_verdict_text(rh_inverse_verdict verdict);

/// The dissipation: the power that is lost, v.dD/dv without the circulatory part of D, as a
/// function of the velocities.
typedef enum rh_definiteness {
    RH_DEFINITE_ZERO,     ///< there is none
    RH_DEFINITE_POSITIVE, ///< positive definite: power is lost at any velocity but 0
    RH_SEMIDEFINITE,      ///< positive semidefinite: none is ever gained
    RH_DEFINITE_NEGATIVE, ///< negative definite or semidefinite: energy is fed in
    RH_DEFINITE_NEITHER,  ///< indefinite: lost here, gained there
    RH_DEFINITE_UNKNOWN   ///< not asked, or not decided
} rh_definiteness;

RH_API const char *rh_definiteness_text(rh_definiteness definiteness);

/// A verdict with how sure it is.
typedef struct rh_inverse_condition {
    uint32_t struct_size; ///< of the caller's struct
    rh_inverse_verdict verdict;
    bool is_proved;       ///< by exact algebra (holds) or by a ball that excludes zero (fails)
    uint32_t point_count; ///< holds without proof: points at which it was seen; 0: it is proved off
                          ///< the surfaces where the equations switch (rh_inverse_surface_count)
} rh_inverse_condition;

/// The answer as a whole. Texts are borrowed from it; "" where there is none.
typedef struct rh_inverse_summary {
    uint32_t struct_size; ///< of the caller's struct
    rh_inverse_kind kind;
    rh_inverse_verdict verdict;
    bool is_proved;             ///< every condition is
    bool is_for_all_values;     ///< the proof holds whatever the values of parameters are
    bool is_closed;             ///< L, D or H without integrals
    rh_inverse_condition check; ///< do L and D (or H) give the equations back?
    rh_definiteness dissipation_sign;
    bool is_sign_proved;
    uint32_t point_count; ///< random points looked at
    const char *form;     ///< "as written", "as derived", "multiplied by the inertia"
    const char *lagrangian, *dissipation, *hamiltonian;
    const char *kinetic, *gyroscopic, *potential, *circulatory, *dissipative; ///< parts of them
    const char *note;        ///< what else must be known
    const char *reason;      ///< why something is unknown
    const char *values;      ///< of parameters for which the answer holds, "k = 0"; "": for all
    const char *sign_values; ///< the same of the sign of the dissipation
} rh_inverse_summary;

/// Ask about the equations of a sound model: as written where they are given by `law` or
/// `equation`, else as derived.
/// @param model  kept by reference; must outlive the answer
/// @param out    receives an answer the caller destroys
/// @return RH_E_UNAVAILABLE, with the reason, when the model has no such equations; RH_E_MODEL when
///         they cannot be derived; RH_E_MEMORY, RH_E_LIMIT
RH_API RH_NODISCARD rh_status rh_inverse_create(const rh_model *model, const rh_inverse_def *def,
                                                rh_inverse **out, rh_error *err);
/// Destroy an answer. NULL is allowed.
RH_API void rh_inverse_destroy(rh_inverse *inverse);

RH_API rh_inverse_summary rh_inverse_summarise(const rh_inverse *inverse);
/// Condition (4.number), number from 1 to 8; also 12, that the coefficients of products of
/// velocities are symmetric in all indices, where the inertia is 1 and there are no higher
/// products.
RH_API rh_inverse_condition rh_inverse_condition_of(const rh_inverse *inverse, uint32_t number);
/// One of the four equivalent conditions, number from 1 to 4.
RH_API rh_inverse_condition rh_inverse_equivalent(const rh_inverse *inverse, uint32_t number);

/// Surfaces where the equations switch (signs, sizes, conditions), e = 0: derivatives hold between
/// them, and so does what they prove. The text of e; "" when it is long.
RH_API size_t rh_inverse_surface_count(const rh_inverse *inverse);
RH_API const char *rh_inverse_surface(const rh_inverse *inverse, size_t index);

/// Forms of the equations that were tried, in order, each with its verdict.
RH_API size_t rh_inverse_form_count(const rh_inverse *inverse);
RH_API const char *rh_inverse_form(const rh_inverse *inverse, size_t index,
                                   rh_inverse_condition *out);

/// A residual that is not zero at the witness.
typedef struct rh_inverse_failure {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t condition;   ///< 4.condition; 0: of the Hamiltonian test
    uint32_t index[3];    ///< coordinates, from 1; 0: this condition has no such index
    double low, high;     ///< the residual lies between
    const char *text;     ///< the residual as a formula; "" when it is long
} rh_inverse_failure;

RH_API size_t rh_inverse_failure_count(const rh_inverse *inverse);
RH_API rh_inverse_failure rh_inverse_failure_at(const rh_inverse *inverse, size_t index);

/// The point at which residuals are given: variables and their values. None without failure.
RH_API size_t rh_inverse_witness_count(const rh_inverse *inverse);
RH_API const char *rh_inverse_witness_name(const rh_inverse *inverse, size_t index);
RH_API double rh_inverse_witness_value(const rh_inverse *inverse, size_t index);

/// The matrices s and r of (4.2) and (4.3) as numbers, at the witness, or without one at the start
/// of the model, or at a random point where that says too little.
typedef struct rh_inverse_matrices {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t n;           ///< rows and columns; 0: there are none
    const double *s, *r;  ///< by rows; NaN where they are not defined
} rh_inverse_matrices;

RH_API rh_inverse_matrices rh_inverse_matrices_of(const rh_inverse *inverse);
RH_API size_t rh_inverse_matrix_place_count(const rh_inverse *inverse);
RH_API const char *rh_inverse_matrix_place_name(const rh_inverse *inverse, size_t index);
RH_API double rh_inverse_matrix_place_value(const rh_inverse *inverse, size_t index);

/// Coordinates (or, of pairs, states in order position, momentum, ...) by name.
RH_API size_t rh_inverse_variable_count(const rh_inverse *inverse);
RH_API const char *rh_inverse_variable_name(const rh_inverse *inverse, size_t index);

RH_EXTERN_C_END
