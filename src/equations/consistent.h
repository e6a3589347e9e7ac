// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: equations g(x) = 0 that a start must satisfy, and their solution nearest
// to a draft.

#pragma once

#include "equations/derive.h"

enum { RH_SETTLING_KINDS = 3 };

/// One equation of the start.
typedef struct rh_demand {
    rh_expr value; // shall be `aim`
    double aim;
    rh_gradient partials; // by coordinates, velocities and states
    rh_recipe recipe;     // the value, then its partials
    uint32_t link;        // index + 1; 0: a start value of something that is no symbol
    uint32_t level;       // of the link
    uint32_t setting;     // index of the start value, where link is 0
    bool holds_velocity;
    double found; // its value at the end
    double scale; // sum of |partial * variable|
    double floor; // sum of |partial| times the size of such variables
    double noise; // what rounding may have made of it; 0 where nobody has to know
} rh_demand;

/// Unknowns and equations of a stage, numbered.
typedef struct rh_settling_stage {
    rh_settling *settling;
    rh_arena *arena; // its own things
    bool is_there, is_collected;
    uint32_t *slots; // of the unknowns
    uint32_t *place; // by slot: unknown + 1
    uint32_t count;
    rh_demand **demands;
    uint32_t demand_count;
    // entries of J and of W, by triplets
    rh_expr *roots;
    uint32_t *row, *column;
    uint32_t jacobian_count, metric_count;
    rh_recipe all;     // jacobian, metric, then g
    rh_recipe g;       // alone
    bool is_plain;     // W is the identity, since it is not positive definite
    bool is_isolated;  // no other solution is near the one at hand
    rh_sparse sparse;  // of large ones, while they are solved: [W J^T; J 0] and the diagonal
    rh_klu klu;        // its factors
    double *values;    // of all
    double *unit;      // by unknown: its size
    double *row_scale; // by equation: 1 over the length of its row in these units
    double *step;      // by unknown
    double *last;      // the step before
    double *from;      // values of the unknowns before it
    double *metric;    // entries of W there
    double *kept;      // values of the unknowns to go back to
} rh_settling_stage;

struct rh_settling {
    rh_equations *equations;
    const rh_layout *layout;
    rh_arena keep;   // what depends only on the text
    bool is_ready;   // that is there
    rh_arena *arena; // results
    rh_arena scratch;
    rh_point point;
    double size[RH_SETTLING_KINDS]; // of coordinates, velocities, states, each by its weight
    double *weight;                 // by slot: 1/sqrt(M_ii) for carriers; 0 for what has no mass
    RH_ARRAY(rh_demand) demands;
    rh_demand *sides;            // by link: that of an inequality
    rh_recipe *levels;           // by link
    rh_recipe *quasis;           // their values
    rh_settling_stage stages[3]; // positions, velocities, both: where start values bind
    uint32_t *roles;             // by slot: the mask of its symbol, 0 for what follows
    double *draft;               // values as written
    bool *is_bound;              // by slot
    bool *is_moving;             // by slot: free in the stage at hand
    bool is_second;              // velocities and states; first positions and states
    bool is_joint;               // both at once, when the stages fail
    bool is_loose;               // any solution will do, not the nearest
    bool may_unbind;             // start values move too
};

/// How large the variables are, from the draft and the point.
rh_status rh__settling_measure(rh_settling *settling);
/// Coordinate, velocity or state; RH_SETTLING_KINDS: none of them.
uint32_t rh__settling_kind(const rh_settling *settling, uint32_t slot);
/// Evaluate all demands at the point.
rh_status rh__settling_look(rh_settling *settling);
/// Is this demand met, as far as rounding lets one see?
bool rh__demand_is_met(const rh_demand *demand);
/// What rounding can make of it at the point.
double rh__demand_noise(rh_settling *settling, const rh_demand *demand);
/// Does it hold a moving variable?
bool rh__demand_moves(const rh_settling *settling, const rh_demand *demand);
/// Move the moving variables to the solution nearest to the draft of the demands that hold one of
/// them (in the first stage: and no velocity), in the metric of the inertia.
rh_status rh__settling_solve(rh_settling *settling);

/// What a demand needs to be looked at. False when memory ran out.
bool rh__demand_prepare(rh_settling *settling, rh_arena *arena, rh_demand *demand);
/// One demand at the point.
rh_status rh__demand_look(rh_settling *settling, rh_demand *demand);
/// How large a variable is, once the settling was looked at; 0: it and others of its kind are zero.
double rh__settling_size(const rh_settling *settling, uint32_t slot);
/// One more demand, in the arena. False when memory ran out.
bool rh__settling_add(rh_settling *settling, rh_arena *arena, rh_demand demand);
/// Has this link an inequality that a start may violate?
bool rh__link_has_side(const rh_link *link);
/// Which slots are free in the stage at hand.
void rh__settling_choose(rh_settling *settling);
/// Move the point to meet all demands, positions first; `may_unbind`: start values move too.
rh_status rh__settling_settle(rh_settling *settling, bool may_unbind, bool *out_met);
const char *rh__settling_name(rh_settling *settling, rh_family family, uint32_t member);

/// Where the equations want a repair and the point needs one: move it to the nearest state where
/// all demands are met and no inequality is violated. Else it stays.
rh_status rh__settling_repair(rh_settling *settling, bool *is_consistent, bool *out_repaired);
/// Say which inequalities do not hold.
rh_status rh__settling_check_sides(rh_settling *settling, rh_diagnostics *list);
