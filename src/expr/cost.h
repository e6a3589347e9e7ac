// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: the cost of an expression down to its functions.

#pragma once

#include "expr/store.h"

/// Like rh__expr_cost, but functions are leaves that count one each. False also when more than
/// `limit` nodes are met.
bool rh__cost_algebra(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch, rh_cost *out);
