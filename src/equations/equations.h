// SPDX-License-Identifier: Apache-2.0
// Door of the room `equations`: from a model to its equations of motion, one core for every kind of
// constraint (docs/theory/equations.md).
//
// Unknowns are the rates of the carriers: the accelerations of all coordinates and the rates of the
// selected states. With M the inertia, h the force, C the rows and B the pushes of the links,
//
//     M y' = h + B lambda,     C y' = Y - gamma,
//
// and the states that are not selected follow their laws. A link is a constraint in the equations:
// its chain of levels g, g', ... ends with the first that holds a selected variable. Every form
// (free, multipliers, reduced, principal, quasi, changed) is one linear system for rates and
// multipliers.

#pragma once

#include "equations/core.h"
#include "equations/point.h"
