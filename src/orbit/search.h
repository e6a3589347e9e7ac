// SPDX-License-Identifier: Apache-2.0
// Symmetries and the search for periodic orbits.

#pragma once

#include "orbit/transport.h"

/// x -> shift + matrix x.
typedef struct rh_image {
    double *matrix, *shift; // n x n, n
    uint32_t n;
    bool is_identity;
    bool is_involution; // applied twice it is the identity
} rh_image;

/// Read "xi = -xi, phi = phi + 2*pi"; what is not named stays.
RH_NODISCARD rh_status rh__image_read(rh_arena *arena, const char *const *names, uint32_t n,
                                      const char *text, rh_image *out, rh_error *err);
void rh__image_apply(const rh_image *image, const double *x, double *out);
/// The same for a direction.
void rh__image_turn(const rh_image *image, const double *direction, double *out);

// --- orbits --------------------------------------------------------------------------------------

/// One way from a start to where it should close.
typedef struct rh_passage {
    double time;      // how long it takes
    double *start;    // n: on the constraints
    double *end;      // n
    double *rate;     // n: at the end
    double *leaving;  // n: rate at the start
    double *tangents; // n x count: d end / d (direction k of the manifold)
    uint32_t count;   // of directions
    double *basis;    // n x count: they, in units of `scale`
    double *scale;    // n: sizes of variables when it was gone
    double *went;     // n: how far each variable went from its start
    double *most;     // n: its largest value
    double speed;     // the rate at the start is so much of the first direction, if it is not timed
    double extent;    // how far it goes from its start, in sizes of variables
    double residual;  // largest miss, in sizes of variables
    uint32_t event_count;
    uint64_t jumps; // of these, what changes the state or its rate
    double *shift;  // n: how the start follows the constraints when the parameter moves
    double *slope;  // n: d end / d parameter, with that
    bool has_slope; // both are there
    uint64_t steps; // it took
    bool is_stale;  // tangents are those of a neighbour
} rh_passage;

/// Tangents by a parameter (slope.c).
typedef struct rh_slope {
    rh_drift drift;
    rh_transport transport;
    rh_tape *gaps[2]; // by stage of the projector: d rows / d parameter
    rh_tape_state *gap_states[2];
    uint64_t changes; // of the values of the motion, when constants were bound last
    double *work;     // rows
    bool is_there;
} rh_slope;

struct rh_orbit {
    rh_arena arena;
    rh_arena scratch;
    rh_motion *motion;
    rh_orbit_def def;
    rh_transport transport;
    rh_manifold manifold;
    rh_jacobian jacobian;
    rh_slope slope;
    rh_image image;
    const char **names;
    uint32_t *order;                // of the variables, as they are shown
    bool *is_free;                  // by variable; NULL: all
    rh_expr formula, formula_slope; // of the period, and by the parameter of the slope; none
    rh_passage passage, trial;
    uint64_t step_limit; // of a passage; 0: the first one
    uint64_t jumps;      // of the motion, when the passage under way began
    double *begin;       // n: where the motion started
    double *floor;       // n: sizes below which rounding of rates is all there is
    double pace;         // the time in which the motion changes at its start
    double since;        // and when: all passages begin then
    double led;          // how long it was followed before the search
    double blur;         // what rounding may move the time by, where it passes a point of rest
    double spread;       // there: how far neighbours part from where it is fastest
    rh_multiplier *multipliers;
    rh_multiplier *own; // of the map of the passage: of half a period
    const char *over;   // why it ends early; NULL: it does not
    uint32_t n;
    rh_orbit_outcome outcome;
    uint32_t iterations;
    uint32_t leg_count;               // in which it was closed; 0: as a whole
    double *leg_real, *leg_imaginary; // eigenvalues over all legs
    uint32_t trivial_count, integral_count, multiplier_count;
    bool has_jacobian;
    bool is_timed; // the equations contain the time
    bool is_fixed; // the period is
    bool is_half;
    bool is_plain;               // the passage under way has no tangents
    bool is_weighed;             // and tells the floor of sizes
    bool is_stable, is_unstable; // neither: multipliers do not decide
    char reason[248];
};

/// The time of a passage by the formula of the period, or `other` where there is none; its
/// derivative by the parameter of the slope, 0 without (formula.c).
double rh__formula_time(const rh_orbit *orbit, double other);
double rh__formula_slope(const rh_orbit *orbit);
/// Find it. RH_E_ARGUMENT, with the reason, when it is none, or no positive number.
RH_NODISCARD rh_status rh__formula_create(rh_orbit *orbit, rh_error *err);
/// Differentiate it by the parameter of the slope.
void rh__formula_turn(rh_orbit *orbit);

/// Sizes at the start of the motion, where nothing else is known: by one step of it.
RH_NODISCARD rh_status rh__measure_begin(rh_orbit *orbit, rh_error *err);
/// Go from the start of orbit->passage for its time without tangents: sizes are what variables do
/// on that way, and the passage is measured by them. False: it does not get there, and sizes stay.
RH_NODISCARD rh_status rh__measure_find(rh_orbit *orbit, bool *out_is_there);
/// The sizes of a passage alone, or these and what they were before, whatever is larger.
void rh__measure_take(rh_orbit *orbit, rh_passage *passage);
void rh__measure_grow(rh_orbit *orbit, rh_passage *passage);

/// Did somebody ask to end?
bool rh__orbit_is_over(rh_orbit *orbit);

/// The same without tangents: whether it gets there, where, and by how much it misses.
RH_NODISCARD rh_status rh__passage_try(rh_orbit *orbit, const double *start, double time,
                                       rh_passage *out, bool *out_is_there);
/// Go from a start for a while; false: it does not get there, and the reason says why.
RH_NODISCARD rh_status rh__passage_run(rh_orbit *orbit, const double *start, double time,
                                       rh_passage *out, bool *out_is_there);
/// From now on passages may take so many more steps than this one.
void rh__passage_limit(rh_orbit *orbit, const rh_passage *like);
RH_NODISCARD rh_status rh__passage_reserve(rh_arena *arena, uint32_t n, rh_passage *out);
void rh__passage_copy(const rh_passage *from, uint32_t n, rh_passage *to);
/// By how much it misses its end, in sizes of variables; n numbers.
void rh__passage_miss(const rh_orbit *orbit, const rh_passage *passage, double *out);
/// Residual and extent, in sizes as they are now.
void rh__passage_weigh(const rh_orbit *orbit, rh_passage *passage);
/// The part of a direction (in sizes as they are now) along direction k of a passage.
double rh__passage_share(const rh_orbit *orbit, const rh_passage *passage, uint32_t k,
                         const double *own);

/// From now on passages have slopes by the parameter that --set number `index` gives, where they
/// are known exactly: no tapes with constants of the start, no exponents that move.
RH_NODISCARD rh_status rh__slope_create(rh_orbit *orbit, size_t index, rh_error *err);
void rh__slope_destroy(rh_slope *slope);
/// Where the motion is now, on `passage->start`: the shift, and tangents begin.
RH_NODISCARD rh_status rh__slope_begin(rh_orbit *orbit, rh_passage *passage);

/// Are the equations the same at images of states, and after the time that a passage takes?
/// RH_E_ARGUMENT: they are not.
RH_NODISCARD rh_status rh__orbit_check(rh_orbit *orbit, rh_error *err);
/// Does the stepping tape read the time?
bool rh__orbit_reads_time(const rh_tape *tape);
/// What came of watching a motion.
typedef struct rh_watch {
    double time;  // when it came back; 0: it did not
    bool is_rest; // it comes to rest
} rh_watch;

/// When does the motion from the start of the passage come back to the image of it? The first time
/// that it is much nearer than it was; or, with `near`, the time near to that one at which it is
/// nearest. It is given up after some thousand steps, or some hundred thousand if these are far
/// shorter than what the motion does (recurrence.c).
RH_NODISCARD rh_status rh__orbit_recur(rh_orbit *orbit, double near, rh_watch *out);
/// Is nothing held or met where the motion is, that comes and goes?
bool rh__orbit_is_open(const rh_motion *motion);
/// Follow the motion for a while, and on to where nothing is met: the search begins there.
RH_NODISCARD rh_status rh__orbit_lead(rh_orbit *orbit, double time);
/// From the start of the motion to an orbit and its multipliers (quest.c).
RH_NODISCARD rh_status rh__orbit_search(rh_orbit *orbit, rh_error *err);

/// The Jacobian of closing with `free` directions (n x free_count), then the time where it is
/// free: n rows. Hands back its columns.
uint32_t rh__shooting_matrix(const rh_orbit *orbit, const rh_passage *passage, const double *free,
                             uint32_t free_count, double *out, uint32_t rows);
/// Newton's method from orbit->passage, which was tried.
RH_NODISCARD rh_status rh__shooting_solve(rh_orbit *orbit);
/// Does nothing move where the motion is, as far as rates can be told from zero?
bool rh__shooting_stands(rh_orbit *orbit, rh_arena *scratch);
/// Newton's method for a point of rest near the start of the passage; true when there is one.
RH_NODISCARD rh_status rh__shooting_rest(rh_orbit *orbit, bool *out_is_found);

/// Close the way from a start in legs, where neighbours part by much on it; the outcome says
/// whether it did (relay.c).
RH_NODISCARD rh_status rh__relay_solve(rh_orbit *orbit, const double *start, double time);

/// Begin an orbit where it is nearest to the start of the motion, if that is free (phase.c).
RH_NODISCARD rh_status rh__phase_settle(rh_orbit *orbit);

/// Does what was found pass a point of rest so closely that rounding has chosen its time? Then it
/// failed, with the reason (separatrix.c).
RH_NODISCARD rh_status rh__separatrix_judge(rh_orbit *orbit);
/// Is that why nothing was found? Then it is the reason.
RH_NODISCARD rh_status rh__separatrix_explain(rh_orbit *orbit);
/// "x = 3.14159, x' = 0", cut where there is no more room.
void rh__separatrix_name(const rh_orbit *orbit, const double *x, char *out, size_t size);

/// Eigenvalues of the product of `count` n x n matrices, the first one applied first, largest first
/// (cycle.c).
RH_NODISCARD rh_status rh__cycle_eigen(rh_arena *scratch, uint32_t n, uint32_t count,
                                       const double *maps, double *real, double *imaginary);

/// Multipliers of the passage.
RH_NODISCARD rh_status rh__floquet_find(rh_orbit *orbit);
/// The smallest multiplier from the product of all, where tangents hardly know it, being small
/// beside the size of the map (volume.c). `*out`: which one; UINT32_MAX: none.
RH_NODISCARD rh_status rh__volume_settle(rh_orbit *orbit, double size, rh_arena *scratch,
                                         uint32_t *out);
/// Eigenvalues at a point of rest.
RH_NODISCARD rh_status rh__floquet_rest(rh_orbit *orbit);
