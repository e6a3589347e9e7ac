// SPDX-License-Identifier: Apache-2.0
// Door of the room `orbit`: motion -> periodic orbits. A transport carries tangents along a motion
// (transport.c, strain.c) and over what happens on it (saltation.c); a manifold (manifold.c) knows
// where a start may lie; a passage (passage.c) is one way round with both, and tells how large
// variables are (measure.c), by which all is measured; shooting (shooting.c) closes it, in pieces
// where it must (relay.c); multipliers (floquet.c, cycle.c) judge it; a branch (branch.c,
// corrector.c, turning.c) follows it in a parameter.
//
// Matrices are column after column. Tangents have one column for each direction.

#pragma once

#include "rheonom/orbit.h"

#include "base/base.h"
#include "numeric/numeric.h"
#include "tape/tape.h"
#include "motion/motion.h"

// --- variables -----------------------------------------------------------------------------------

/// The names of all variables of a motion, in order.
RH_NODISCARD rh_status rh__variable_names(const rh_motion *motion, rh_arena *arena,
                                          const char ***out);
/// The order in which they are shown, which is that of the columns: indices into x.
RH_NODISCARD rh_status rh__variable_order(const rh_motion *motion, const char *const *names,
                                          rh_arena *arena, uint32_t **out);
/// RH_E_ARGUMENT with the nearest name when there is none.
RH_NODISCARD rh_status rh__variable_find(const char *const *names, uint32_t count, rh_slice name,
                                         uint32_t *out, rh_error *err);

// --- transport -----------------------------------------------------------------------------------

/// Taylor coefficients of numbers and of their tangents, from a tape whose first outputs are the
/// rates of its inputs 1 ... n (fan.c).
typedef struct rh_fan {
    rh_tape *tape; // tangents of the one it is made of, `directions` in one run
    rh_tape_state *state;
    uint32_t n, outputs; // of the tape it is made of
    uint32_t directions, order;
    uint32_t integral_count; // outputs behind the rates that will be integrated
    const double *sizes;     // by variable: what errors of x and of tangents are relative to
} rh_fan;

typedef struct rh_fan_def {
    const rh_tape *tape;
    uint32_t n;
    uint32_t directions;
    uint32_t order;
    rh_seed *seed; // how constants move along each direction, besides; NULL: they stay
    void *user;
} rh_fan_def;

RH_NODISCARD rh_status rh__fan_create(const rh_fan_def *def, rh_allocator allocator, rh_fan *out,
                                      rh_error *err);
void rh__fan_destroy(rh_fan *fan);
/// Coefficients of x and of the tangents v (n x directions) at a time; hands back how long they are
/// good for to `tolerance`, relative to the sizes of variables, and to the largest part of each
/// column in them.
double rh__fan_expand(rh_fan *fan, double time, const double *x, const double *v, double tolerance);
/// x and tangents after a while; NULL: not wanted.
void rh__fan_reach(const rh_fan *fan, double length, double *x, double *v);
/// The integral of output `index` over a while, of its tangent in a direction (0: of itself, 1: of
/// the first).
double rh__fan_integral(const rh_fan *fan, uint32_t index, uint32_t direction, double length);

/// Coefficients of x and of the derivatives of all outputs along `seeds` (n x directions), which
/// stay as they are: of df/dx where each of them is a unit vector.
void rh__fan_slopes(rh_fan *fan, double time, const double *x, const double *seeds);
/// Coefficient k < order of such a derivative.
double rh__fan_slope(const rh_fan *fan, uint32_t output, uint32_t direction, uint32_t k);

/// The equations of variation as a matrix, v' = A(t) v, for many tangents of large systems
/// (strain.c).
typedef struct rh_strain {
    rh_arena arena;
    uint32_t n, count;     // count: of entries of A that may differ from 0
    uint32_t *begin;       // n + 1: the entries of each row
    uint32_t *column;      // by entry
    uint32_t *colour;      // by column: columns of one colour have no row in common
    uint32_t colour_count; // 0: it would not pay, and there is no strain
    double *seeds;         // n x directions of the fan
    double *bound;         // by order: the largest coefficient over the length of a piece
    uint32_t width;        // doubles of a vector: what the machine has, 2, 4 or 8
    double pace;           // how long pieces were; 0: there was none
    double *own;           // count x order: coefficients of A, entries innermost
    double *here;          // the same, shifted
    double *factor;        // the same, orders innermost
    uint32_t *length;      // by entry: how many of them matter
    double *lanes;         // coefficients of some tangents: by variable, by order, by tangent
} rh_strain;

/// Where tangents are carried.
typedef struct rh_stretch {
    const rh_series *series; // of x
    const double *sizes;     // by variable
    double time, end;
    double tolerance; // relative, of each tangent
    double *x;        // work, n
} rh_stretch;

typedef struct rh_strain_def {
    const rh_tape *tape; // whose first outputs are the rates of its inputs 1 ... n
    uint32_t n, order;   // order: of A
    uint32_t tangents;
} rh_strain_def;

/// Without colours where a fan does it as fast by itself. With them, the fan that tells A has no
/// more directions than colours.
RH_NODISCARD rh_status rh__strain_create(const rh_strain_def *def, rh_allocator allocator,
                                         rh_strain *out);
void rh__strain_destroy(rh_strain *strain);
/// Carry `tangents` columns of v over a stretch; false: they are not finite.
bool rh__strain_carry(rh_strain *strain, rh_fan *fan, const rh_stretch *over, uint32_t tangents,
                      double *v);

/// How parameters move with one of them, of which others may be made (slope.c).
typedef struct rh_drift {
    const rh_model *model;
    const rh_values *values; // of the motion
    uint32_t dial;           // which --set gives it, + 1
    bool is_unknown;         // a constant of the start moves as well, nobody knows how
} rh_drift;

rh_expr rh__drift_seed(void *drift, rh_store *store, rh_expr symbol);

/// Tangents that go along with a motion.
typedef struct rh_transport {
    rh_motion *motion; // kept by reference
    rh_arena arena;
    rh_fan fan;
    rh_strain strain;
    uint32_t n, count;    // count: of tangents
    double *v;            // n x count
    const double *sizes;  // by variable, kept by reference; NULL: those that the motion has
    double *own_sizes;    // n: these
    double time;          // up to which they are carried
    rh_tape_state *probe; // of the stepping tape, order 2: derivatives in one direction
    rh_tape_state *probe_reset;
    double *x, *before, *rate, *direction, *work; // n each; `before`: x just before a jump
    double *image;                                // n
    // what held when the last step began
    uint64_t jumps;
    uint32_t occurrence_count;
    bool *was_active; // by gate
    int *side;        // by condition: 2 while it slides
    uint64_t changes; // of its values, when constants were bound last
    bool is_rough;    // eight digits of them will do, at a third of the cost
    rh_drift *drift;  // tangents by a parameter: constants move too; NULL: they stay
    char reason[200]; // why tangents could not go on
} rh_transport;

RH_NODISCARD rh_status rh__transport_create(rh_motion *motion, uint32_t count, rh_drift *drift,
                                            rh_transport *out, rh_error *err);
void rh__transport_destroy(rh_transport *transport);
/// Take over the constants of the motion.
RH_NODISCARD rh_status rh__transport_bind(rh_transport *transport);
/// Start with `v` where the motion is now.
RH_NODISCARD rh_status rh__transport_begin(rh_transport *transport, const double *v);
/// Before each step.
void rh__transport_prepare(rh_transport *transport);
/// After it. False: tangents cannot follow, and the reason says why.
bool rh__transport_follow(rh_transport *transport);
/// What happened at the end of the last step: the tangents just after it. (saltation.c)
bool rh__transport_jump(rh_transport *transport);

// --- manifold ------------------------------------------------------------------------------------

/// Where a start may lie: the directions along the constraints that are kept, in units of `scale`.
typedef struct rh_manifold {
    const rh_motion *motion;
    rh_arena arena;
    rh_tape_state *rows[2]; // of the stages of the projector; NULL: none
    uint32_t n, count;      // count: of directions
    double *scale;          // by variable: its size (measure.c)
    double *basis;          // n x count: orthonormal in units of `scale`
    double *matrix;         // work
} rh_manifold;

RH_NODISCARD rh_status rh__manifold_create(const rh_motion *motion, rh_manifold *out);
void rh__manifold_destroy(rh_manifold *manifold);
/// The directions at x; those with `is_free` false stay (NULL: none does). `out` has n x n numbers.
RH_NODISCARD rh_status rh__manifold_directions(rh_manifold *manifold, const double *x,
                                               const bool *is_free, double *out,
                                               uint32_t *out_count);

/// The shortest way in which x follows the constraints when they miss it by `gap` (by row, stage
/// after stage): into `out`, n.
RH_NODISCARD rh_status rh__manifold_follow(rh_manifold *manifold, const double *x,
                                           const double *gap, double *out);

/// Move x onto the constraints that are kept, the shortest way in sizes of variables.
RH_NODISCARD rh_status rh__manifold_project(rh_manifold *manifold, double *x);

// --- symmetry ------------------------------------------------------------------------------------

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

// --- branches ------------------------------------------------------------------------------------

/// What changes its sign along a branch where something happens.
typedef enum rh_branch_test {
    RH_TEST_FOLD,  // the slope of the parameter
    RH_TEST_PLUS,  // a multiplier of the passage is 1
    RH_TEST_MINUS, // a multiplier of the passage is -1
    RH_TEST_TORUS, // two multipliers of the passage have the product 1
    RH_TEST_COUNT
} rh_branch_test;

/// A point of a branch.
typedef struct rh_station {
    double parameter;
    rh_passage passage;
    double *tangent; // of the branch: x, time, parameter, in units of their scales; n + 2
    double *scale;   // n: sizes of variables then
    double *shown;   // start in the order of the columns
    rh_multiplier *multipliers, *own;
    uint32_t multiplier_count;
    bool is_stable, is_unstable;
    double tests[RH_TEST_COUNT];
} rh_station;

struct rh_branch {
    rh_arena arena;
    rh_arena scratch;
    rh_orbit *orbit;
    rh_branch_def def;
    double *set, *start; // for beginning anew
    double *slope, *work, *like;
    double *anchor, *anchor_slope; // n each: where the motion starts now, by the parameter
    double *offset;                // n: how far from there the first orbit is
    uint32_t family;               // directions along which orbits stay orbits
    bool is_family;                // there are some: orbits stay where the motion starts
    rh_passage aside;              // work
    double now;                    // the parameter that the motion has
    double span;                   // its scale
    double length;                 // of the next step
    rh_station last, next, low, high, middle;
    double before[RH_TEST_COUNT]; // tests of the station before `last`
    double before_length;         // and how far it is from there; 0: there is none
    uint32_t point_count;
    uint32_t due;    // tests that are to be located before `next` is told, as bits
    bool is_begun;   // the first point was told
    bool has_next;   // `next` is there and was not told
    bool is_ended;   // `next` is the last one
    bool has_high;   // `high` is a station between `last` and `next`, not `next` itself
    bool has_graze;  // motions tried in this step met something else than `last`:
    uint64_t grazed; // so often
    char reason[248];
};

rh_status rh__station_reserve(rh_arena *arena, uint32_t n, rh_station *out);

/// Where a station is wanted: at a distance from another one along its tangent, or at a parameter.
typedef struct rh_aim {
    const rh_station *from;
    double length;
    bool is_parameter;
    double parameter;
} rh_aim;

/// Give the motion another parameter; false when there is none, with the reason.
RH_NODISCARD rh_status rh__branch_set(rh_branch *branch, double parameter, bool *out_is_there);
/// Solve for a station, with its tangent and multipliers; false: it does not converge.
RH_NODISCARD rh_status rh__branch_correct(rh_branch *branch, const rh_aim *aim, rh_station *out,
                                          uint32_t *out_rounds, bool *out_is_there);
/// Is the orbit one of a family, in which the start of the motion chooses one?
RH_NODISCARD rh_status rh__branch_begin_family(rh_branch *branch);
/// Fill a station from the passage of the orbit; `from`: whose tangent it goes on.
RH_NODISCARD rh_status rh__branch_arrive(rh_branch *branch, const rh_station *from,
                                         rh_station *out);
/// Find the place between `last` and `next` where a test changes its sign: `low` and `high` are
/// around it, as near as could be (turning.c).
RH_NODISCARD rh_status rh__branch_locate(rh_branch *branch, rh_branch_test test,
                                         bool *out_is_found);
/// How far a station is from `last`, along its tangent.
double rh__branch_distance(const rh_branch *branch, const rh_station *station);
/// Does a test pass zero and come back between `last` and `next`? Then `next` becomes a station in
/// between, where the test has the other sign (twins.c).
RH_NODISCARD rh_status rh__branch_split(rh_branch *branch, bool *out_is_split);
/// Tests that tell `last` and `next` apart, as bits.
uint32_t rh__branch_compare(const rh_branch *branch);
rh_branch_mark rh__branch_name(const rh_branch *branch, rh_branch_test test);
