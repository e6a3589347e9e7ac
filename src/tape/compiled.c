// SPDX-License-Identifier: Apache-2.0
// Compiled series at work: a state lends its arrays to a kernel, and takes over what it says.

#include "tape/tape.h"

#include <string.h>

rh_series_point rh__kernel_point(const rh_tape_state *state)
{
    _Static_assert(sizeof(rh_feed_piece) == 3 * sizeof(double) && sizeof(bool) == 1,
                   "emitted texts read these as arrays");
    return (rh_series_point){.jet = state->jet,
                             .weight = state->weight,
                             .forced = state->forced,
                             .lent = state->lent,
                             .feed = (const double *)state->feeds,
                             .released = (const unsigned char *)state->is_released,
                             .work = state->kernel_work};
}

// What a state lends: its arrays, and `work`. False: the kernel could not serve.
static bool call(rh_tape_state *state, rh_series_kernel *kernel, double *work)
{
    rh_series_point point = rh__kernel_point(state);
    point.work = work;
    if (kernel(&point) != 0) {
        return false;
    }
    state->quality = (rh_tape_quality){.rcond = point.margin};
    rh__tape_forget_ranks(state); // they are full
    memset(state->is_unique, true, state->tape->unknown_count * sizeof *state->is_unique);
    return true;
}

static bool is_able(const rh_tape_state *state)
{
    const bool is_defective = state->is_defective && !state->is_settled;
    return !state->is_wary && !is_defective &&
           (state->tape->feed_count == 0 || state->feeds != NULL);
}

bool rh__kernel_run(rh_tape_state *state, uint32_t order)
{
    RH_ASSERT(order <= state->order);
    const bool is_done = state->kernel != NULL && order == state->kernel_order && is_able(state) &&
                         call(state, state->kernel, state->kernel_work);
    state->is_lean = is_done && state->ladders.count > 0;
    return is_done;
}

bool rh__point_run(rh_tape_state *state)
{
    const bool is_done =
        state->point != NULL && is_able(state) && call(state, state->point, state->point_work);
    state->has_factors = is_done && state->again != NULL;
    return is_done;
}

bool rh__point_again(rh_tape_state *state)
{
    rh_series_point point = rh__kernel_point(state);
    point.work = state->point_work;
    return state->has_factors && state->again(&point) == 0;
}
