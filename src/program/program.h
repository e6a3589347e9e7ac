// SPDX-License-Identifier: Apache-2.0
// Door of the room `program`: perturbation laws -> what the deviations do
// (docs/theory/programs.md).
//
// z holds the deviation of every constraint with a law and its derivatives below the order of the
// law; z' = Z(z, x, t), whose last row for each law is the law Y. P is the derivative of Z by z at
// z = 0. Parts of z that do not touch each other are judged one by one: a part is a weakly
// connected component of P.

#pragma once

#include "program/part.h"
#include "program/assess.h"
