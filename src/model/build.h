// SPDX-License-Identifier: Apache-2.0
// Private to `model`: what is known while a model is built. Names are entities; an entity with an
// index has members, each with the loop environment it was written in; a statement inside loops is
// one instance per turn.

#pragma once

#include "model/declare.h"
#include "model/pass.h"
