// SPDX-License-Identifier: Apache-2.0
// Door of the room `average`: restrictions -> means of their reactions over generating orbits. One
// tape (generating.c) tells the rates of the held system and those of the restrictions along the
// released one; a tour (tour.c) goes round one orbit with tangents; the box (box.c) is searched by
// Newton's method from many starts (average.c).

#pragma once

#include "rheonom/average.h"

#include "base/base.h"
#include "numeric/numeric.h"
#include "tape/tape.h"
#include "motion/motion.h"
#include "orbit/orbit.h"

/// Outputs: the rates of x in the held system, then for each restriction its rate along the
/// released one, then its value.
RH_NODISCARD rh_status rh__generating_create(const rh_motion *motion, rh_tape **out, rh_error *err);
/// RH_E_UNAVAILABLE, with the reason, when it is no system with as many restrictions `... = const`
/// as selected variables.
RH_NODISCARD rh_status rh__generating_check(const rh_motion *motion, rh_error *err);

/// One generating orbit.
typedef struct rh_tour {
    bool is_closed;
    bool is_void; // all means vanish there, and nothing around it changes that
    double period, residual, extent;
    double *start;     // n
    double *shown;     // the same in the order of the columns
    double *means;     // by restriction
    double *constants; // by restriction
    double *slopes;    // restrictions x unknowns: of the means
    double *gradients; // restrictions x unknowns: of the constants
    double *spans;     // by restriction: what sizes of the unknowns change it by, or its value
    double *real, *imaginary; // eigenvalues; of solutions
    const char *reason;       // "" when it is closed
} rh_tour;

/// The range of an unknown.
typedef struct rh_box_side {
    uint32_t variable;
    double low, high;
} rh_box_side;

/// Read "xi=0.3:1".
RH_NODISCARD rh_status rh__box_read(const char *text, const char *const *names, uint32_t count,
                                    rh_box_side *out, rh_error *err);

typedef struct rh_defeat {
    double *unknowns;
    const char *reason;
} rh_defeat;

struct rh_average {
    rh_arena arena;
    rh_arena scratch;
    rh_motion *motion;
    rh_average_def def;
    rh_tape *tape;
    rh_fan fan;
    uint32_t n, restrictions, unknowns;
    const char **names;      // of variables
    uint32_t *order;         // in which they are shown
    const char **link_names; // of restrictions
    rh_box_side *sides;
    double *x, *ahead, *v;     // work: where it is, where it will be, tangents
    double *rate;              // at the start
    double *slow, *aside;      // n each: where the lap is slowest, where another one begins
    double *scale;             // by variable: its size on all orbits so far
    double *sums, *sum_slopes; // integrals under way
    double *sizes, *drifts;    // by restriction: its largest rate, that at the start
    double *went;              // by variable: how far the lap under way goes from its start
    double fastest;            // rate of x at the start, in sizes of variables
    double pace;               // the time in which the motion changes at its start
    double *offsets;           // by restriction: what its constant is now
    rh_tour begin, trial;
    RH_ARRAY(rh_tour) solutions;
    RH_ARRAY(rh_defeat) defeats;
    RH_ARRAY(double *) poles; // unknowns of all that searches led to: others keep away from them
    RH_ARRAY(double *) led;   // starts, all variables, that led to a solution
    bool is_shy;              // the search under way keeps away from poles
    uint32_t tried;
    uint32_t void_count; // starts where all means vanish as they do around
    const char *over;    // why it ends early; NULL: it does not
};

/// A search that keeps away from what was found looks for zeros of weight * means, the weight being
/// infinite at the poles (deflation.c); 1 without.
double rh__deflation_weight(const rh_average *average, const double *start);
/// What a step of Newton's method for the means is to be multiplied by, to be one for these.
double rh__deflation_stretch(const rh_average *average, const double *start, const double *change);
/// Keep away from here.
RH_NODISCARD rh_status rh__deflation_add(rh_average *average, const double *start);

/// Did somebody ask to end?
bool rh__average_is_over(rh_average *average);

RH_NODISCARD rh_status rh__tour_reserve(const rh_average *average, rh_arena *arena, rh_tour *out);
void rh__tour_copy(const rh_average *average, const rh_tour *from, rh_tour *to);
/// Go round from a start.
RH_NODISCARD rh_status rh__tour_run(rh_average *average, const double *start, rh_tour *out);
/// Does the orbit from `start` pass through `point`?
bool rh__tour_passes(rh_average *average, const double *start, double period, const double *point);
