// SPDX-License-Identifier: Apache-2.0
// Steady motions: states that move along cyclic coordinates only. Found, judged by the roots of
// their linear part, followed in one quantity. Linear systems around them or around any state.

#pragma once

#include "rheonom/base.h"

RH_EXTERN_C_BEGIN

/// A name with a number.
typedef struct rh_steady_value {
    const char *name;
    double value;
} rh_steady_value;

/// Recipe for a search. Begin with rh_steady_def_default(), then change what you need.
typedef struct rh_steady_def {
    uint32_t struct_size;       ///< set by the default function; do not touch
    uint32_t start_limit;       ///< places from which solutions are looked for
    const rh_steady_value *fix; ///< variables, observed quantities, dials: what they shall be
    size_t fix_count;
    const rh_steady_value *guess; ///< variables: where the search begins
    size_t guess_count;
    const char *const *dials; ///< parameters that may change without deriving anew
    size_t dial_count;
    uint32_t solution_limit;       ///< solutions that are kept
    uint32_t reserved;             ///< must be 0
    bool (*is_wanted)(void *user); ///< asked now and then: false ends the search; NULL: go on
    void *user;
} rh_steady_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_steady_def rh_steady_def_default(void)
{
    rh_steady_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.start_limit = 512;
    def.solution_limit = 16;
    return def;
}

/// What the linear part says of a steady motion.
typedef enum rh_steady_verdict {
    RH_STEADY_ASYMPTOTICALLY_STABLE, ///< motions near it tend to it, or to its manifold
    RH_STEADY_STABLE,                ///< every state near it is steady
    RH_STEADY_UNSTABLE,
    RH_STEADY_UNDECIDED,  ///< the linear part cannot tell
    RH_STEADY_DEGENERATE, ///< a singular point of the steady set
    RH_STEADY_NILPOTENT   ///< a zero root that is not semisimple
} rh_steady_verdict;

/// "asymptotically stable", "stable", "unstable", "undecided", "degenerate", "nilpotent zero".
RH_API const char *rh_steady_verdict_text(rh_steady_verdict verdict);

/// A root of the linear part. `bar`: how far its real part may be off by rounding.
typedef struct rh_steady_root {
    double real, imaginary, bar;
} rh_steady_root;

enum { RH_STEADY_CONDITIONS = 5 };

/// A condition for the split into positional and cyclic coordinates.
typedef struct rh_steady_condition {
    const char *name;  ///< "45", "66", ... as in the literature
    const char *claim; ///< what is free of the cyclic coordinates
    bool is_asked;     ///< it could be examined
    bool holds;
    bool is_proved;      ///< by algebra; else at random states
    const char *witness; ///< a coordinate that breaks it; "" without
} rh_steady_condition;

/// Does a name mean something to rh_steady_def.fix: a coordinate, velocity, quasi-velocity, state,
/// parameter, input or observed quantity of the model?
RH_API bool rh_steady_knows(const rh_equations *equations, const char *name);

/// Find steady motions.
/// @param equations  kept by reference
/// @param out        receives what the caller destroys; also when no motion was found
/// @return RH_E_ARGUMENT, with the reason, when a name or number is wrong; RH_E_UNAVAILABLE when
///         the equations contain the time, or there are none; RH_E_LIMIT; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_steady_create(rh_equations *equations, const rh_steady_def *def,
                                               rh_steady **out, rh_error *err);
/// Destroy what was found. NULL is allowed.
RH_API void rh_steady_destroy(rh_steady *steady);

/// The reduced system.
typedef struct rh_steady_summary {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t solution_count;
    bool is_frame_given; ///< quasi-velocities are those of the model
    bool is_closed;      ///< the reduced equations are in closed form
    double condition;    ///< of the rows of quasi-velocities and constraints at the start
    bool is_ended;       ///< the search was ended before all starts were tried
    bool has_more;       ///< more were found than rh_steady_def.solution_limit lets it keep
    const char *reason;  ///< why there is no solution; "" when there is one
    const char *unseen;  ///< what is zero where rates have no slopes: motions that are steady there
                         ///< are not found; "" when there is no such place near the guess
    const char *singular; ///< the nearest place to which the search led and where the equations are
                          ///< singular, so that nothing can be told of it; "" without
} rh_steady_summary;

RH_API rh_steady_summary rh_steady_summarise(const rh_steady *steady);
RH_API size_t rh_steady_positional_count(const rh_steady *steady);
RH_API const char *rh_steady_positional(const rh_steady *steady, size_t index);
RH_API size_t rh_steady_cyclic_count(const rh_steady *steady);
RH_API const char *rh_steady_cyclic(const rh_steady *steady, size_t index);
/// The quasi-velocities with their formulas.
RH_API size_t rh_steady_velocity_count(const rh_steady *steady);
RH_API const char *rh_steady_velocity_name(const rh_steady *steady, size_t index);
RH_API const char *rh_steady_velocity_formula(const rh_steady *steady, size_t index);
RH_API rh_steady_condition rh_steady_condition_at(const rh_steady *steady, size_t index);
/// Variables of a steady motion: positional coordinates, quasi-velocities, states.
RH_API size_t rh_steady_variable_count(const rh_steady *steady);
RH_API const char *rh_steady_variable_name(const rh_steady *steady, size_t index);

/// One steady motion. Arrays are borrowed until the object is destroyed or followed further.
typedef struct rh_steady_motion {
    uint32_t struct_size; ///< of the caller's struct
    rh_steady_verdict verdict;
    const double *values;        ///< by variable
    uint32_t size;               ///< of the matrix
    uint32_t dimension;          ///< of the steady set at this point
    const char *const *rows;     ///< names of the variables of the matrix
    const double *matrix;        ///< size x size, column after column
    const rh_steady_root *roots; ///< `size` of them: zero roots, then the others, rightmost first
    uint32_t zero_count;         ///< of them are zero
    uint32_t loose;              ///< dimensions of the steady set that nothing fixes
    bool is_certain;             ///< the dimension was certified
    bool is_rest;                ///< nothing moves at all
    double residual;             ///< largest rate, relative to its terms
    double dissipation;          ///< power lost on the motion
    double distance;             ///< from the guess
    const char *reason;          ///< of the verdict
    const double *speeds;        ///< by cyclic coordinate: its velocity
} rh_steady_motion;

/// Nearest to the guess first.
RH_API rh_steady_motion rh_steady_solution(const rh_steady *steady, size_t index);

// --- continuation --------------------------------------------------------------------------------

/// Steady motions over one quantity.
typedef struct rh_walk rh_walk;

/// Recipe for a walk. Begin with rh_family_def_default(), then change what you need.
typedef struct rh_walk_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    uint32_t point_limit; ///< points after which it gives up
    const char *name;     ///< a fixed variable, or a dial
    double from, to;      ///< its values; the walk begins at `from` and ends where it leaves them
    double first_step;    ///< share of the range
    double largest_step;  ///< the same
    double resolution;    ///< of a change of stability, relative to 1 + |value|
} rh_walk_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_walk_def rh_walk_def_default(void)
{
    rh_walk_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.point_limit = 5000;
    def.first_step = 0.005;
    def.largest_step = 0.02;
    def.resolution = 1e-15;
    return def;
}

/// What a point of a walk is.
typedef enum rh_walk_mark {
    RH_WALK_POINT,
    RH_WALK_CHANGE, ///< the verdict changes here
    RH_WALK_FOLD    ///< the quantity turns round
} rh_walk_mark;

/// "point", "change", "fold".
RH_API const char *rh_walk_mark_text(rh_walk_mark mark);

typedef struct rh_walk_point {
    uint32_t struct_size; ///< of the caller's struct
    rh_walk_mark mark;
    double value;             ///< of the quantity
    double low, high;         ///< between these the mark lies; equal for a point
    rh_steady_verdict before; ///< of a change or a fold: the verdict before it
    rh_steady_motion motion;  ///< as it is there; its verdict is that from there on
} rh_walk_point;

/// Follow the solution that is nearest to the guess. The quantity must be among what is fixed, or a
/// dial, and have the value `from`.
RH_API RH_NODISCARD rh_status rh_walk_create(rh_steady *steady, const rh_walk_def *def,
                                             rh_walk **out, rh_error *err);
/// Destroy a walk. NULL is allowed.
RH_API void rh_walk_destroy(rh_walk *walk);
/// The next point; `*out_is_there` is false after the last one.
RH_API RH_NODISCARD rh_status rh_walk_step(rh_walk *walk, rh_walk_point *out, bool *out_is_there,
                                           rh_error *err);
/// Why it ends early; "" when it does not.
RH_API const char *rh_walk_reason(const rh_walk *walk);

// --- linear systems ------------------------------------------------------------------------------

/// x' = A x + B u, y = C x + D u around a point.
typedef struct rh_linear_system {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t state_count, input_count, output_count;
    const char *const *states; ///< names
    const char *const *inputs;
    const char *const *outputs;
    const double *a, *b, *c, *d; ///< column after column
    const double *point;         ///< values of the states there
    const double *rates;         ///< of the states there: zero at a steady motion
    const double *input_values, *output_values;
    const rh_steady_root *roots; ///< of A, rightmost first
    bool is_steady;
    const char *switching; ///< what is zero there where the equations, or outputs, switch, so that
                           ///< they have no linear part; NULL: they have one
    const char *acting;    ///< one-sided constraints that act there, for as long as they do; "":
                           ///< none
} rh_linear_system;

/// Recipe for a linear system. Begin with rh_linear_def_default(), then change what you need.
typedef struct rh_linear_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    bool is_steady;       ///< around the steady motion that `steady` finds; else around the start
    const char *const *inputs; ///< names of inputs or parameters
    size_t input_count;
    const char *const *outputs; ///< names of variables or observed quantities
    size_t output_count;
    rh_steady_def steady;
} rh_linear_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_linear_def rh_linear_def_default(void)
{
    rh_linear_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.steady = rh_steady_def_default();
    return def;
}

/// Make the linear system.
/// @param out  receives what the caller destroys
/// @return as rh_steady_create(); RH_E_UNAVAILABLE with the reason when no steady motion was found
RH_API RH_NODISCARD rh_status rh_linear_create(rh_equations *equations, const rh_linear_def *def,
                                               rh_linear **out, rh_error *err);
/// Destroy it. NULL is allowed.
RH_API void rh_linear_destroy(rh_linear *linear);
RH_API rh_linear_system rh_linear_look(const rh_linear *linear);

RH_EXTERN_C_END
