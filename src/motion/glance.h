// SPDX-License-Identifier: Apache-2.0
// Quantities along the steps of a motion.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

/// Some quantities along the steps of a motion (glance.c).
typedef struct rh_glance {
    rh_motion *motion; // kept by reference
    rh_tape *tape;     // inputs as the output tape
    rh_tape_state *point, *jets;
    double *noise; // by slot
    uint32_t count;
    uint64_t changes; // of the values of the motion, when constants were bound last
} rh_glance;

/// `what`: expressions of the model.
RH_NODISCARD rh_status rh__glance_create(rh_motion *motion, const rh_expr *what, uint32_t count,
                                         rh_glance *out, rh_error *err);
void rh__glance_destroy(rh_glance *glance);
/// The constants of the motion: to be called when it was begun anew.
RH_NODISCARD rh_status rh__glance_bind(rh_glance *glance);
/// What rounding may have done to the values that were found last.
void rh__glance_noise(const rh_glance *glance, double *out);
/// Values at a time of the last step; at its end, before anything jumped there.
RH_NODISCARD rh_status rh__glance_along(const rh_glance *glance, double time, double *out);
/// Values now.
void rh__glance_now(const rh_glance *glance, double *out);
/// Find the series over the last step, if they are jets; then each is a polynomial in the share of
/// the step, whose degree is handed back: `out` has room for as many numbers as the order is.
bool rh__glance_series(const rh_glance *glance);
uint32_t rh__glance_polynomial(const rh_glance *glance, uint32_t index, double *out);
