// SPDX-License-Identifier: Apache-2.0
// Periodic orbits: found by shooting with exact tangents, judged by their Floquet multipliers,
// followed in a parameter. An orbit uses a motion, which belongs to it while it is there.

#pragma once

#include "rheonom/base.h"
#include "rheonom/motion.h"

RH_EXTERN_C_BEGIN

/// Recipe for an orbit. Begin with rh_orbit_def_default(), then change what you need.
typedef struct rh_orbit_def {
    uint32_t struct_size;     ///< set by the default function; do not touch
    uint32_t iteration_limit; ///< of Newton's method
    double period;        ///< of the whole orbit: where the search begins, or what it is if fixed;
                          ///< 0: not known, the motion is watched until it comes back
    bool is_period_fixed; ///< also when the equations contain the time
    bool is_period_asked; ///< it is the last of rh_model_def.observe, made of parameters alone, and
                          ///< changes with them along a branch
    const char *free;     ///< start values that may change, "xi, eta"; NULL: all
    const char *symmetry; ///< "xi=-xi, p=-p": after half a period the orbit is at the image of its
                          ///< start, or after a whole one when the image of the image is another
                          ///< point ("phi=phi+2*pi"); NULL: none
    double tolerance;     ///< what the orbit may miss its start by, relative to how far each
                          ///< variable goes on its way
    bool has_whole_steps; ///< steps of Newton's method are never shortened: plain, and easily lost
    rh_interrupt *interrupt; ///< asked on the way, with `user`; NULL: nobody is
    void *user;
} rh_orbit_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_orbit_def rh_orbit_def_default(void)
{
    rh_orbit_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.iteration_limit = 40;
    def.tolerance = 1e-10;
    return def;
}

/// What came of a search.
typedef enum rh_orbit_outcome {
    RH_ORBIT_FOUND,       ///< a periodic orbit
    RH_ORBIT_EQUILIBRIUM, ///< a point of rest
    RH_ORBIT_FAILED       ///< the reason says why
} rh_orbit_outcome;

/// An orbit as it was found.
typedef struct rh_orbit_summary {
    uint32_t struct_size; ///< of the caller's struct
    rh_orbit_outcome outcome;
    double period;           ///< NaN where no orbit was found
    double residual;         ///< what it misses its start by, as rh_orbit_def.tolerance
    bool is_stable;          ///< all multipliers but the trivial ones lie inside the unit circle,
                             ///< beyond rounding, and there are no first integrals
    bool is_period_fixed;    ///< by the call, or because the equations contain the time
    bool is_half;            ///< found over half a period
    bool is_still;           ///< it goes nowhere: a point of rest, also of equations in time
    uint32_t trivial_count;  ///< multipliers that are 1 whatever the parameters are
    uint32_t integral_count; ///< of these, those of first integrals
    uint32_t iterations;
    uint32_t event_count; ///< what happened along it
    double extent; ///< how far it goes from its start, relative to the largest value of a variable
    double led;    ///< how long the motion was followed before the search began; 0: not
    const char *reason;   ///< of a failure; "" without
    uint32_t piece_count; ///< in which it was closed, where neighbours part by much; 1: as a whole
    bool is_unstable;     ///< a multiplier lies outside the unit circle, beyond rounding; where it
                          ///< is neither stable nor unstable multipliers do not decide
    double period_error;  ///< what rounding may move the period by, where the orbit passes near a
                          ///< point of rest; 0: nothing that is seen in ten digits
} rh_orbit_summary;

/// Find a periodic orbit near the start of the motion.
/// @param motion  kept by reference; nobody else may use it as long as the orbit is there
/// @param out     receives an orbit the caller destroys; also when none was found: it says why
/// @return RH_E_ARGUMENT, with the reason, when a name or the symmetry is wrong, or when the period
///         is needed and missing; RH_E_UNAVAILABLE when the motion cannot be begun anew;
///         RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_orbit_create(rh_motion *motion, const rh_orbit_def *def,
                                              rh_orbit **out, rh_error *err);
/// Destroy an orbit. NULL is allowed.
RH_API void rh_orbit_destroy(rh_orbit *orbit);

RH_API rh_orbit_summary rh_orbit_summarise(const rh_orbit *orbit);
/// Coordinates, velocities, states: names, and values at its start.
RH_API size_t rh_orbit_variable_count(const rh_orbit *orbit);
RH_API const char *rh_orbit_variable_name(const rh_orbit *orbit, size_t index);
RH_API double rh_orbit_variable(const rh_orbit *orbit, size_t index);

/// Floquet multipliers of the whole period, largest first; of a point of rest the eigenvalues of
/// its linear part, rightmost first. Each stands beside its conjugate.
typedef struct rh_multiplier {
    double real, imaginary;
    bool is_trivial;
    double bar; ///< how far it may be off by rounding; 0 for trivial ones and at a point of rest
} rh_multiplier;

RH_API size_t rh_orbit_multiplier_count(const rh_orbit *orbit);
RH_API rh_multiplier rh_orbit_multiplier(const rh_orbit *orbit, size_t index);

/// Put the motion of an orbit to its start, to be run along it.
RH_API RH_NODISCARD rh_status rh_orbit_rewind(rh_orbit *orbit, rh_error *err);

// --- continuation --------------------------------------------------------------------------------

/// Orbits over a parameter.
typedef struct rh_branch rh_branch;

/// Recipe for a branch. Begin with rh_branch_def_default(), then change what you need.
typedef struct rh_branch_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    uint32_t point_limit; ///< points after which it gives up
    size_t set_count;     ///< of rh_model_def.set of the model
    size_t start_count;   ///< of rh_model_def.start
    size_t set_index;    ///< which of `set` is the parameter: it begins with the value it has there
    double from, to;     ///< values of the parameter; the branch ends where it leaves this range
    double first_step;   ///< share of the range; 0: chosen
    double largest_step; ///< the same
    double resolution;   ///< of the parameter where stability changes: share of the range
} rh_branch_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_branch_def rh_branch_def_default(void)
{
    rh_branch_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.point_limit = 2000;
    def.first_step = 0.01;
    def.largest_step = 0.05;
    def.resolution = 1e-11;
    return def;
}

/// What a point of a branch is.
typedef enum rh_branch_mark {
    RH_BRANCH_POINT,     ///< an orbit
    RH_BRANCH_FOLD,      ///< the parameter turns round
    RH_BRANCH_PITCHFORK, ///< the orbit loses its symmetry: a multiplier passes 1
    RH_BRANCH_PLUS_ONE,  ///< a multiplier passes 1, and the parameter does not turn round
    RH_BRANCH_FLIP,      ///< a multiplier passes -1
    RH_BRANCH_TORUS      ///< a pair of multipliers passes the unit circle
} rh_branch_mark;

/// One word: "point", "fold", "pitchfork", "plus-one", "flip", "torus".
RH_API const char *rh_branch_mark_text(rh_branch_mark mark);

/// One point of a branch. Arrays are borrowed until the next step.
typedef struct rh_branch_point {
    uint32_t struct_size; ///< of the caller's struct
    rh_branch_mark mark;
    double parameter;
    double width; ///< how far the parameter of a mark may be off; 0: of a plain point
    double period;
    double residual;
    bool is_stable, is_unstable;      ///< from here on, where a mark is; neither: not decided
    const double *variables;          ///< as rh_orbit_variable()
    const rh_multiplier *multipliers; ///< as rh_orbit_multiplier()
    double period_error;              ///< how far the period may be off
} rh_branch_point;

/// Begin to follow an orbit that was found.
/// @param orbit  kept by reference; it goes along the branch
/// @param out    receives a branch the caller destroys
RH_API RH_NODISCARD rh_status rh_branch_create(rh_orbit *orbit, const rh_branch_def *def,
                                               rh_branch **out, rh_error *err);
/// Destroy a branch. NULL is allowed.
RH_API void rh_branch_destroy(rh_branch *branch);
/// The next point; `*out_is_there` is false after the last one, and then rh_branch_reason() tells
/// whether it got to an end of its range.
RH_API RH_NODISCARD rh_status rh_branch_step(rh_branch *branch, rh_branch_point *out,
                                             bool *out_is_there, rh_error *err);
/// Why it ends early; "" when it does not.
RH_API const char *rh_branch_reason(const rh_branch *branch);

RH_EXTERN_C_END
