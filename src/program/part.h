// SPDX-License-Identifier: Apache-2.0
// Parts of the equations of deviations, and what is found out about them.

#pragma once

#include "rheonom/program.h"

#include "base/base.h"
#include "expr/expr.h"
#include "numeric/numeric.h"
#include "model/model.h"
#include "equations/equations.h"
#include "tape/tape.h"
#include "motion/motion.h"

enum {
    RH_PROGRAM_MOST = 400,      // parts of z
    RH_PROGRAM_DIMENSIONS = 64, // of a box
    RH_PROGRAM_ORDER = 26,      // of the series of the small system
    RH_MULTIPLE_MOST = 16       // size of a block whose roots are found exactly
};

struct rh_balls;

/// Where a root lies: proved, or open.
typedef enum rh_side { RH_SIDE_OPEN, RH_SIDE_LEFT, RH_SIDE_AXIS, RH_SIDE_RIGHT } rh_side;

/// A constraint with a law.
typedef struct rh_program_law {
    uint32_t link;
    uint32_t first, order;  // in z
    rh_expr law;            // Y in the symbols of z
    rh_expr rest;           // what it has beside P z
    rh_vanishing vanishing; // on the program
    bool is_linear;         // in z: proved
    bool is_smooth;         // its rest is small against z, for all states and times
    bool is_boxed;          // the same, in the box
    bool is_sure;           // what a proof takes for granted of it is proved
    const char *lack;       // why it is not smooth; NULL: it is
    const char *name;
    double extremum, extremum_time; // of the deviation after the start; NaN: none
    const char *note;               // why there is none, or may be a larger one; NULL: all is known
} rh_program_law;

/// A part of z that nothing connects with the rest.
typedef struct rh_program_part {
    uint32_t *index; // of its variables in z
    uint32_t count;
    rh_expr *values;  // entries of P that are not 0 ...
    uint32_t *places; // and where they stand: row + column * count
    uint32_t value_count;
    bool is_constant; // its P is
    double *matrix;   // P at the nominal point, count x count
    double *lyapunov; // C; NULL: none
    double *given;    // C of the caller; NULL: none
    double worst;     // largest eigenvalue of S in the box
    double worst_first;
    double *worst_point; // by dimension of the box
    rh_program_verdict verdict;
    const char *lack;  // why the roots do not decide; NULL: they do
    double period;     // of P, when it was judged over it; NaN: it was not
    double multiplier; // of largest size over the period
    bool is_certified;
    double amplification, amplification_time;
    uint32_t root, root_count; // among the roots of all
} rh_program_part;

/// A variable with a range.
typedef struct rh_program_range {
    rh_expr symbol;
    const char *name;
    double low, high;
    bool is_used; // P depends on it
    double value; // at the point at hand: inputs from files have no place in a point
} rh_program_range;

/// A Lyapunov function of the caller's, looked at in the box (candidate.c).
typedef struct rh_program_trial {
    bool is_made;
    uint64_t count;                      // of points with a deviation
    double least, largest;               // of V and of its rate, by the squared length of z
    double point[RH_PROGRAM_DIMENSIONS]; // where the rate is largest
    rh_program_verdict verdict;
    bool is_zero;        // on the program: proved
    double zero;         // else its value there that was seen of largest size
    bool is_proved;      // in the whole box
    uint64_t cell_count; // parts of it
    const char *lack;    // what speaks against it, or lacks for a proof; NULL: nothing
} rh_program_trial;

/// Laws that act on each other and on no others: the small system z' = Z(z, t), where it stands
/// alone (flow.c).
typedef struct rh_program_stream {
    uint32_t *index; // of its variables in z
    uint32_t count;
    const rh_program_part *part; // linear with constant coefficients, of at most two: closed form
    rh_tape *tape;               // NULL: there is none
    rh_tape_state *state;
    double begin, length; // of the series at hand
    uint32_t order;       // the highest whose coefficients are numbers
    double *z;            // at `begin`
    int *side;            // by switch: of its surface
    int *next;            // by switch: of its surface after the series at hand; 0: as it is
    const char *reason;   // why it cannot be had; NULL: it can
} rh_program_stream;

struct rh_program {
    rh_arena arena, scratch;
    rh_equations *equations;
    rh_store *store; // the model's
    rh_program_def def;
    rh_layout layout;
    rh_start start;
    rh_point point; // nominal
    RH_ARRAY(rh_program_law) laws;
    uint32_t size;
    rh_expr *symbols;   // of z
    const char **names; // of z
    double *z;          // at the start
    RH_ARRAY(rh_entry) entries;
    RH_ARRAY(rh_program_part) parts;
    RH_ARRAY(rh_program_range) box;
    bool is_every;                   // all ranges are walked through, not only those of P
    RH_ARRAY(rh_program_root) roots; // part by part
    rh_side *side;                   // by root of a constant part
    uint32_t *root_of;               // by root: a variable of its block
    uint32_t *order;                 // of the roots, for people
    RH_ARRAY(rh_program_stream) streams;
    uint32_t *stream_of; // by law
    rh_program_trial trial;
    rh_glance glance; // of the entries along a motion
    rh_program_summary summary;
    char reason[320];
};
