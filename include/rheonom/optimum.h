// SPDX-License-Identifier: Apache-2.0
// Optima: parameters and quantities of a steady motion that push the rightmost of its remaining
// roots as far to the left as they can.

#pragma once

#include "rheonom/base.h"
#include "rheonom/steady.h"

RH_EXTERN_C_BEGIN

/// What may change, and in which range.
typedef struct rh_optimum_range {
    const char *name; ///< a parameter, variable or observed quantity: as in rh_steady_def.fix
    double low, high;
} rh_optimum_range;

/// Recipe for an optimum. Begin with rh_optimum_def_default(), then change what you need.
typedef struct rh_optimum_def {
    uint32_t struct_size;         ///< set by the default function; do not touch
    uint32_t reserved;            ///< must be 0
    rh_steady_def steady;         ///< what is fixed besides, and where the search begins
    const rh_optimum_range *over; ///< at least one
    size_t over_count;
    bool (*go_on)(void *user, uint64_t done, uint64_t count); ///< asked now and then; false ends
                                                              ///< it. May be NULL
    void *user;
} rh_optimum_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_optimum_def rh_optimum_def_default(void)
{
    rh_optimum_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.steady = rh_steady_def_default();
    return def;
}

/// Find an optimum.
/// @param equations  kept by reference
/// @param out        receives what the caller destroys; an interrupted search has the best so far
/// @return RH_E_ARGUMENT, with the reason, when a name or number is wrong; RH_E_UNAVAILABLE when
///         the motion is not determined by what is fixed; RH_E_LIMIT, with the reason, when none
///         was found; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_optimum_create(rh_equations *equations, const rh_optimum_def *def,
                                                rh_optimum **out, rh_error *err);
/// Destroy an optimum. NULL is allowed.
RH_API void rh_optimum_destroy(rh_optimum *optimum);

typedef struct rh_optimum_summary {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t active;  ///< remaining roots whose real part is the abscissa, to 1e-6 of their size
    double abscissa;  ///< real part of the rightmost remaining root there
    uint64_t looks;   ///< steady motions that were solved and judged
    bool is_complete; ///< nobody ended the search
} rh_optimum_summary;

RH_API rh_optimum_summary rh_optimum_summarise(const rh_optimum *optimum);
RH_API size_t rh_optimum_parameter_count(const rh_optimum *optimum);
RH_API const char *rh_optimum_parameter_name(const rh_optimum *optimum, size_t index);
RH_API double rh_optimum_parameter(const rh_optimum *optimum, size_t index);
/// How far off it may be: by rounding where roots that meet and ends of ranges determine it, else
/// by how far it can be moved without a loss beyond what the search can tell.
RH_API double rh_optimum_parameter_error(const rh_optimum *optimum, size_t index);
/// The same of the abscissa; for more than three quantities without roots that meet an estimate.
RH_API double rh_optimum_abscissa_error(const rh_optimum *optimum);
/// -1, 1: the optimum is at the lower, upper end of its range; else 0.
RH_API int rh_optimum_bound(const rh_optimum *optimum, size_t index);
/// The steady motion at the optimum, and others there; borrowed.
RH_API const rh_steady *rh_optimum_steady(const rh_optimum *optimum);

RH_EXTERN_C_END
