// SPDX-License-Identifier: Apache-2.0
// Averaged reactions. A system is held by as many restrictions `... = const` as it has selected
// variables; its orbits then are the generating ones, one for each choice of the constants. Where
// the mean reaction of every restriction vanishes, the released system has a periodic orbit nearby.

#pragma once

#include "rheonom/base.h"
#include "rheonom/motion.h"

RH_EXTERN_C_BEGIN

/// Recipe for averages. Begin with rh_average_def_default(), then change what you need.
typedef struct rh_average_def {
    uint32_t struct_size;        ///< set by the default function; do not touch
    uint32_t iteration_limit;    ///< of Newton's method, from each start
    const char *const *unknowns; ///< start values to be found, "xi=0.3:1": as many as restrictions,
                                 ///< or none: then only the orbit through the start is averaged
    size_t unknown_count;
    uint32_t start_count;    ///< along each unknown
    double span;             ///< the longest time in which an orbit must close; 0: ten thousand
                             ///< times that in which the motion changes at its start
    double tolerance;        ///< of the means, relative to the largest value of what is averaged
    rh_interrupt *interrupt; ///< asked on the way, with `user`; NULL: nobody is
    void *user;
} rh_average_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_average_def rh_average_def_default(void)
{
    rh_average_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.iteration_limit = 30;
    def.start_count = 8;
    def.tolerance = 1e-12;
    return def;
}

/// Average over the generating orbit through the start, and search the box of the unknowns.
/// @param motion  of equations without presolve; kept by reference, and not moved
/// @param out     receives averages the caller destroys; that there are no solutions is an answer
/// @return RH_E_ARGUMENT, with the reason, when a name or a range is wrong; RH_E_UNAVAILABLE when
///         the model is no such system; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_average_create(rh_motion *motion, const rh_average_def *def,
                                                rh_average **out, rh_error *err);
/// Destroy averages. NULL is allowed.
RH_API void rh_average_destroy(rh_average *average);

/// Why the search ended before all starts were tried; "" when it did not.
RH_API const char *rh_average_reason(const rh_average *average);

/// Starts where all means vanish as they do around: then no solution stands alone there.
RH_API size_t rh_average_void_count(const rh_average *average);

/// Names of variables, unknowns and restrictions.
RH_API size_t rh_average_variable_count(const rh_average *average);
RH_API const char *rh_average_variable_name(const rh_average *average, size_t index);
RH_API size_t rh_average_unknown_count(const rh_average *average);
RH_API const char *rh_average_unknown_name(const rh_average *average, size_t index);
/// The ends of its range.
RH_API void rh_average_unknown_range(const rh_average *average, size_t index, double *out_low,
                                     double *out_high);
RH_API size_t rh_average_restriction_count(const rh_average *average);
RH_API const char *rh_average_restriction_name(const rh_average *average, size_t index);

/// One generating orbit. Arrays are borrowed until the next call.
typedef struct rh_average_orbit {
    uint32_t struct_size; ///< of the caller's struct
    bool is_closed;       ///< it comes back; if not, the reason says why, and there are no means
    double period;
    double residual;         ///< largest mean, relative to the largest value of what is averaged
    const double *start;     ///< by variable
    const double *means;     ///< by restriction: the mean of its reaction, which is minus the mean
                             ///< rate of the restriction along the released system
    const double *constants; ///< by restriction: its value on the orbit
    const double *real;      ///< by restriction: eigenvalues of -(d means / d constants), nearly
    const double *imaginary; ///< the Floquet exponents of the orbit of the released system; NULL
                             ///< without unknowns
    const char *reason;      ///< why it is not closed; "" when it is
} rh_average_orbit;

/// The orbit through the start of the motion.
RH_API rh_average_orbit rh_average_begin(const rh_average *average);
/// The orbit with other values of the unknowns.
/// @param unknowns  one for each
RH_API RH_NODISCARD rh_status rh_average_at(rh_average *average, const double *unknowns,
                                            rh_average_orbit *out, rh_error *err);

/// Orbits on which all means vanish.
RH_API size_t rh_average_solution_count(const rh_average *average);
RH_API rh_average_orbit rh_average_solution(const rh_average *average, size_t index);

/// A start from which the search led to none.
typedef struct rh_average_failure {
    uint32_t struct_size;   ///< of the caller's struct
    const double *unknowns; ///< where it began
    const char *reason;
} rh_average_failure;

/// How many starts were tried, and how many of them led to no solution.
RH_API size_t rh_average_start_count(const rh_average *average);
RH_API size_t rh_average_failure_count(const rh_average *average);
RH_API rh_average_failure rh_average_failure_at(const rh_average *average, size_t index);

RH_EXTERN_C_END
