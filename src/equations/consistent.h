// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: equations g(x) = 0 that a start must satisfy, and their solution nearest
// to a draft.

#pragma once

#include "equations/derive.h"

/// One equation of the start.
typedef struct rh_demand {
    rh_expr value; // shall be `aim`
    double aim;
    rh_gradient partials; // by coordinates, velocities and states
    uint32_t link;        // index + 1; 0: a start value of something that is no symbol
    uint32_t level;       // of the link
    uint32_t setting;     // index of the start value, where link is 0
    bool holds_velocity;
    double found; // its value at the end
    double scale; // sum of |partial * variable|
    double floor; // sum of |partial| times the size of such variables
} rh_demand;

typedef struct rh_settling {
    rh_equations *equations;
    const rh_layout *layout;
    rh_arena *arena; // results
    rh_arena scratch;
    rh_point point;
    double size[2]; // of positions and states, of velocities
    RH_ARRAY(rh_demand) demands;
    double *draft;   // values as written
    bool *is_bound;  // by slot
    bool *is_moving; // by slot: free in the stage at hand
    bool is_second;  // velocities and states; first positions and states
    bool is_joint;   // both at once, when the stages fail
    bool is_loose;   // any solution will do, not the nearest
} rh_settling;

/// Evaluate all demands at the point.
rh_status rh__settling_look(rh_settling *settling);
/// Is this demand met, as far as rounding lets one see?
bool rh__demand_is_met(const rh_demand *demand);
/// Move the moving variables to the solution nearest to the draft of the demands that hold one of
/// them (in the first stage: and no velocity), in the metric of the kinetic energy. `out_met`: all
/// of these are met.
rh_status rh__settling_solve(rh_settling *settling, bool *out_met);

/// One more demand. False when memory ran out.
bool rh__settling_add(rh_settling *settling, rh_demand demand);
/// Move the point to meet all demands, positions first; `may_unbind`: start values move too.
rh_status rh__settling_settle(rh_settling *settling, bool may_unbind, bool *out_met);
const char *rh__settling_name(rh_settling *settling, rh_family family, uint32_t member);

/// Where the equations want a repair and the point needs one: move it to the nearest state where
/// all demands are met and no inequality is violated. Else it stays.
rh_status rh__settling_repair(rh_settling *settling, bool *is_consistent, bool *out_repaired);
/// Say which inequalities do not hold.
rh_status rh__settling_check_sides(rh_settling *settling, rh_diagnostics *list);
