// SPDX-License-Identifier: Apache-2.0
// From a model to its equations of motion. Equations keep a reference to their model, use its
// workspace, and belong to one thread at a time together with it.

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"

RH_EXTERN_C_BEGIN

/// The ways to write the equations of one system.
typedef enum rh_form_kind {
    RH_FORM_FREE,        ///< the released system: no reactions
    RH_FORM_MULTIPLIERS, ///< with one multiplier for each constraint
    RH_FORM_REDUCED,     ///< what will be integrated: after the presolve
    RH_FORM_PRINCIPAL,   ///< reaction-free
    RH_FORM_QUASI,       ///< in quasi-velocities, with the momenta of all of them
    RH_FORM_CHANGED      ///< in the variables and the time of `change`: states with laws only
} rh_form_kind;

/// Recipe for equations. Begin with rh_equations_def_default(), then change what you need.
typedef struct rh_equations_def {
    uint32_t struct_size;   ///< set by the default function; do not touch
    bool has_presolve;      ///< eliminate velocity constraints with safe pivots (form `reduced`)
    bool is_start_repaired; ///< a start that violates constraints is moved to the nearest that does
                            ///< not, instead of being refused
} rh_equations_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_equations_def rh_equations_def_default(void)
{
    rh_equations_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.has_presolve = true;
    return def;
}

/// Derive the equations of a sound model.
/// @param model  kept by reference; must outlive the equations
/// @param out    receives equations the caller destroys. With RH_E_MODEL they are made too: they
///               hold the diagnostics, and every other question to them answers "nothing".
/// @return RH_E_MODEL when the model cannot be derived (a constraint that nothing can keep, a law
///         that does not vanish on its program), RH_E_MEMORY, RH_E_LIMIT, RH_E_ARGUMENT
RH_API RH_NODISCARD rh_status rh_equations_create(const rh_model *model,
                                                  const rh_equations_def *def, rh_equations **out,
                                                  rh_error *err);

/// Destroy equations. NULL is allowed.
RH_API void rh_equations_destroy(rh_equations *equations);

/// Remarks made while deriving, in order of place.
RH_API size_t rh_equations_diagnostic_count(const rh_equations *equations);
RH_API rh_diagnostic rh_equations_diagnostic(const rh_equations *equations, size_t index);

RH_EXTERN_C_END
