// SPDX-License-Identifier: Apache-2.0
// Program constraints: the perturbation equations of their deviations, z' = P z in the first
// approximation, and what follows from them: roots, a Lyapunov function, a verdict, overshoot, and
// the steps that explicit methods may take.

#pragma once

#include "rheonom/base.h"
#include "rheonom/equations.h"
#include "rheonom/motion.h"

RH_EXTERN_C_BEGIN

/// Asked now and then during long work: true means that it shall end with what there is.
typedef bool rh_program_ask(void *user);

/// Recipe for a program. Begin with rh_program_def_default(), then change what you need.
typedef struct rh_program_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    uint32_t cell_limit;  ///< parts of the box after which a proof gives up
    const char *box;      ///< region for laws that depend on the state: "q1=-1:1, q1'=-2:2, t=0:9";
                          ///< NULL: none
    const char *matrix;   ///< of the Lyapunov function z^T C z / 2: "[[2, 1], [1, 3]]"; NULL: found
    bool has_function;    ///< the quantity that the model observes last is a Lyapunov function
    bool is_certified;    ///< prove the verdict by ball arithmetic
    bool is_brief;        ///< only what a motion needs: roots, the small system, step limits
    bool has_search;      ///< look for a better matrix when the first one does not serve
    rh_program_ask *ask;  ///< NULL: nobody
    void *ask_user;
    double period; ///< of P in time; 0: as its sines and cosines show
} rh_program_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_program_def rh_program_def_default(void)
{
    rh_program_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.cell_limit = 200000;
    def.has_search = true;
    return def;
}

/// What is known of the deviations. Inconclusive is not unstable: nothing is known then.
typedef enum rh_program_verdict {
    RH_PROGRAM_ASYMPTOTIC,  ///< they vanish in time
    RH_PROGRAM_STABLE,      ///< they stay small, and need not vanish
    RH_PROGRAM_UNSTABLE,    ///< some small ones grow
    RH_PROGRAM_UNREFUTED,   ///< a Lyapunov function decreases at all points that were looked at
    RH_PROGRAM_INCONCLUSIVE ///< the reason says what is missing
} rh_program_verdict;

/// In words: "asymptotically stable", "stable", "unstable", "not refuted", "inconclusive".
RH_API const char *rh_program_verdict_text(rh_program_verdict verdict);

/// What P depends on.
typedef enum rh_program_kind {
    RH_PROGRAM_CONSTANT, ///< on parameters alone
    RH_PROGRAM_TIMED,    ///< on the time
    RH_PROGRAM_STATED    ///< on the state
} rh_program_kind;

/// Explicit methods with steps of one length.
typedef enum rh_program_method {
    RH_PROGRAM_EULER,
    RH_PROGRAM_RK2,
    RH_PROGRAM_RK3,
    RH_PROGRAM_RK4,
    RH_PROGRAM_DP5, ///< Dormand, Prince, order 5
    RH_PROGRAM_METHOD_COUNT
} rh_program_method;

/// "euler", "rk2", "rk3", "rk4", "dp5".
RH_API const char *rh_program_method_text(rh_program_method method);

/// What came of it.
typedef struct rh_program_summary {
    uint32_t struct_size; ///< of the caller's struct
    uint32_t law_count;   ///< constraints with a perturbation law
    uint32_t size;        ///< of z: deviations and their derivatives
    rh_program_kind kind;
    rh_program_verdict verdict;
    bool is_linear;            ///< every law is linear in the deviations
    bool is_local;             ///< the verdict is one on the first approximation, near zero
    bool is_certified;         ///< the verdict is proved
    bool is_interrupted;       ///< somebody asked it to end
    const char *reason;        ///< of the verdict, one sentence
    double amplification;      ///< largest |exp(P t)| for t >= 0; NaN: not bounded or not known
    double amplification_time; ///< where
    double overshoot;          ///< the extremum of largest size; NaN: there is none
    double overshoot_time;     ///< after the start
    uint32_t overshoot_law;    ///< whose
    double worst;              ///< largest eigenvalue of (C P + P^T C)/2 in the box, NaN without
    double worst_first;        ///< the same for the first C
    uint64_t sample_count;     ///< points of the box that were looked at
    uint64_t cell_count;       ///< parts of the box of which it was proved
    double step_limits[RH_PROGRAM_METHOD_COUNT]; ///< NaN: none
    double period;        ///< of P, when multipliers over it decided; NaN: they did not
    double multiplier;    ///< of largest size over the period, NaN without
    uint64_t limit_count; ///< points of the box of which these are the least; 0: of P as shown
} rh_program_summary;

/// Examine the perturbation equations of the program constraints.
/// @param equations  kept by reference; must outlive the program
/// @param out        receives a program the caller destroys
/// @return RH_E_UNAVAILABLE, with the reason, when no constraint has a perturbation law;
///         RH_E_ARGUMENT when the box or the matrix is wrong; RH_E_MODEL when there is no
///         consistent start; RH_E_LIMIT, RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_program_create(rh_equations *equations, const rh_program_def *def,
                                                rh_program **out, rh_error *err);
/// Destroy a program. NULL is allowed.
RH_API void rh_program_destroy(rh_program *program);

RH_API rh_program_summary rh_program_summarise(const rh_program *program);

/// The parts of z: names, and values at the start.
RH_API const char *rh_program_variable_name(const rh_program *program, size_t index);
RH_API double rh_program_variable(const rh_program *program, size_t index);

/// Entry of P at the nominal point: the start, or the middle of the box.
RH_API double rh_program_entry(const rh_program *program, size_t row, size_t column);
/// Entry of C; NaN when there is none.
RH_API double rh_program_lyapunov(const rh_program *program, size_t row, size_t column);

/// A root of P at the nominal point, rightmost first; pairs stand side by side.
typedef struct rh_program_root {
    double real, imaginary;
} rh_program_root;

RH_API rh_program_root rh_program_roots(const rh_program *program, size_t index);

/// z at a time, by the perturbation equations alone from the start.
/// @param out  room for rh_program_summary.size numbers
/// @return RH_E_UNAVAILABLE, with the reason, when a law depends on the state, or has conditions
RH_API RH_NODISCARD rh_status rh_program_predict(rh_program *program, double time, double *out,
                                                 rh_error *err);

/// A constraint with a law, over a motion of these equations.
typedef struct rh_program_decay {
    const char *name;
    double start, now; ///< its deviation
    double predicted;  ///< now, by the law alone; NaN: it does not stand alone, or the state jumped
    double slowest;    ///< real part of the rightmost root of what acts on it
} rh_program_decay;

/// What the deviation of a law was to do, and what it did.
RH_API RH_NODISCARD rh_status rh_program_decay_of(rh_program *program, rh_motion *motion,
                                                  size_t law, rh_program_decay *out, rh_error *err);

/// The share of its limit that a step has at the present state of a motion of these equations:
/// above 1 deviations grow that should vanish. 0 when there is no limit.
RH_API RH_NODISCARD rh_status rh_program_step_share(rh_program *program, rh_motion *motion,
                                                    rh_program_method method, double step,
                                                    double *out, rh_error *err);

RH_EXTERN_C_END
