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

#include "orbit/transport.h"
#include "orbit/search.h"
#include "orbit/branch.h"
