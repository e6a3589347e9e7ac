// SPDX-License-Identifier: Apache-2.0
// Door of the room `inverse`: from equations to their Lagrangian, or to the reason why there is
// none (docs/theory/inverse.md). What its files share stands here too.
//
// Letters: q coordinates, v velocities, a accelerations, j their rates; f = M a + N the equations;
// beta_ik = dN_i/dv_k - dN_k/dv_i; D0 = d/dt + v d/dq; s and r the matrices of (4.2) and (4.3).

#pragma once

#include "inverse/problem.h"
#include "inverse/procedure.h"
