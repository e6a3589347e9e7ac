// SPDX-License-Identifier: Apache-2.0
// Door of the room `tape`: from expressions to straight-line programs over slots, with solve blocks
// `K z = b` in them, run in several arithmetics: plain numbers (order 0), jets (Taylor coefficients
// in time, one order after the other), tangents (a tape made of a tape).
//
// A tape is constant after it was made. All that changes lies in a state: coefficient k of slot s
// is state->jet[k * stride + s]. Slots [0, input_count) are the inputs; the caller writes
// coefficient k of them before he asks for order k. Like operations of one level are one group with
// contiguous outputs. What does not move (numbers, parameters, const.NAME) is no slot but a weight,
// whose value is filled in by rh__tape_bind: a changed parameter never makes a new tape.

#pragma once

#include "tape/operations.h"
#include "tape/instructions.h"
#include "tape/state.h"
#include "tape/tape_system.h"
#include "tape/emission.h"
