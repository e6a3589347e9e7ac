// SPDX-License-Identifier: Apache-2.0
// Slopes: exact derivatives of the outputs of a tape, so many directions in one run of its tangent.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

rh_status rh__slopes_create(const rh_tape *tape, const uint32_t *moving, uint32_t moving_count,
                            rh_slopes *out, rh_error *err)
{
    *out = (rh_slopes){.moving = moving,
                       .moving_count = moving_count,
                       .input_count = tape->input_count,
                       .output_count = tape->output_count,
                       .directions = moving_count < RH_STEADY_DIRECTIONS ? moving_count
                                                                         : RH_STEADY_DIRECTIONS};
    if (out->directions > 1 && tape->slot_count > 20000) {
        out->directions = 1; // a tangent is as large as its tape times the directions
    }
    const rh_tangent_def def = {
        .direction_count = out->directions, .active = moving, .active_count = moving_count};
    return moving_count > 0 ? rh__tape_tangent(tape, &def, &out->tape, err) : RH_OK;
}

void rh__slopes_destroy(rh_slopes *slopes)
{
    rh__tape_destroy(slopes->tape);
    slopes->tape = NULL;
}

bool rh__slopes_are_sound(const rh_tape_state *state)
{
    return !state->quality.is_failed && state->quality.residual <= RH_TAPE_INCONSISTENT &&
           state->quality.singular == 0;
}

bool rh__slopes_run(const rh_slopes *slopes, rh_tape_state *state, const double *inputs,
                    double *outputs, double *out)
{
    double *row = rh__jet_row(state, 0);
    const uint32_t count = slopes->moving_count;
    bool ok = true;
    memcpy(row, inputs, slopes->input_count * sizeof *row);
    for (uint32_t first = 0; ok && first < count; first += slopes->directions) {
        memset(row + slopes->input_count, 0, (size_t)slopes->directions * count * sizeof *row);
        for (uint32_t d = 0; d < slopes->directions && first + d < count; d++) {
            row[slopes->input_count + (size_t)d * count + first + d] = 1.0;
        }
        rh__tape_run(state);
        ok = rh__slopes_are_sound(state);
        for (uint32_t i = 0; first == 0 && i < slopes->output_count; i++) {
            outputs[i] = rh__tape_output(state, i, 0);
        }
        for (uint32_t d = 0; d < slopes->directions && first + d < count; d++) {
            double *column = out + (size_t)(first + d) * slopes->output_count;
            for (uint32_t i = 0; i < slopes->output_count; i++) {
                column[i] = rh__tape_output(state, (d + 1) * slopes->output_count + i, 0);
            }
        }
    }
    return ok && rh__vector_is_finite(slopes->output_count, outputs) &&
           rh__vector_is_finite((size_t)slopes->output_count * count, out);
}
