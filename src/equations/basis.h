// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: velocities through a basis, v = Z u + z0, that satisfies some of the
// constraints by itself. New velocities u are the user's quasi-velocities where given, and
// velocities of coordinates where not.

#pragma once

#include "equations/eliminate.h"

typedef struct rh_basis {
    rh_forming *forming;
    rh_elimination elimination; // columns: velocities, quasi-velocities, slacks of the links
    uint32_t n;                 // coordinates
    bool is_for_motion;         // conditions stay out of it: see holds_condition
    uint32_t quasi_count;
    bool *is_gone;          // by link: eliminated
    bool *is_quasi;         // by quasi-velocity of the model: used
    rh_expr_list variables; // u, then the selected states
    rh_expr_list rates;     // u', then theirs
    uint32_t *place;        // by column of the elimination: index into `variables`; UINT32_MAX
    rh_linear *carrier;     // by carrier: Z over `variables`, z0
    rh_expr *velocity;      // by carrier: its variable through the basis
    rh_expr *drift;         // by carrier: rate of that with u' left out
    rh_marks replaced;      // variable -> carrier, where it was solved for
    rh_marks position;      // coordinate -> carrier
    rh_marks passive;       // state -> passive
    rh_derivation *along;   // d/dt through the basis, u' left out
} rh_basis;

rh_status rh__basis_create(rh_forming *forming, rh_pivoting pivoting, bool has_constraints,
                           const rh_point *sample, rh_basis *out);
/// Velocities replaced by the basis.
rh_expr rh__basis_put(rh_basis *basis, rh_expr e);

/// Z^T grid Z (carriers x carriers) into the rows of motion.
bool rh__basis_square(rh_basis *basis, const rh_grid *grid);

/// Unknowns, velocities, kinematics, remaining constraints with their pushes, and outputs: all of a
/// form in this basis but its equations of motion. `add_motion` adds these in between.
rh_status rh__basis_form(rh_basis *basis, bool (*add_motion)(rh_basis *basis));
