// SPDX-License-Identifier: Apache-2.0
// Private to `proof`: the headers of FLINT and Arb, whichever of them is there, and the inside of a
// vector of balls.

#pragma once

#include "proof/proof.h"

#if defined(__has_include) && __has_include(<flint/arb_mat.h>)
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#else
#include <acb_mat.h>
#include <acb_poly.h>
#include <arb_mat.h>
#include <arb_poly.h>
#endif
#include <flint/fmpq.h> // FLINT 3 gives its types with the others, and not its functions

struct rh_balls {
    arb_ptr data;
    uint32_t count;
    rh_guard *guard; // told when there is no memory
};

static inline arb_ptr rh__balls_at(const rh_balls *balls, uint32_t k)
{
    RH_ASSERT(k < balls->count);
    return balls->data + k;
}

/// The precision as FLINT takes it, within its limits.
slong rh__balls_bits(uint32_t precision);

/// Before the first call of FLINT: it is given memory from the reserve when the system has none,
/// unless the process has set functions of its own for that (stock.c).
void rh__balls_prepare(void);
/// Before a call that makes at most `count` balls on its way; see rh__reserve_pledge(). False: the
/// guard of `of` knows why.
bool rh__balls_pledge(const rh_balls *of, double count, uint32_t precision, rh_pledge **out);

/// The exact number of an expression.
void rh__fmpq_of_number(fmpq_t out, const rh_store *store, rh_expr number, rh_arena *scratch);
