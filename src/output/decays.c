// SPDX-License-Identifier: Apache-2.0
// The deviations of program constraints over a motion: what they did, and what their laws alone
// say.

#include "output/outcome.h"

#include "program/program.h"

#include <math.h>

enum { DIGITS = 7, MOST_ITEMS = 40 };

#define ROUNDING 1e-12 // what is smaller is not worth its digits

static void put_deviation(rh_text *out, double value)
{
    if (value != 0.0 && fabs(value) < ROUNDING) {
        rh__outcome_small(out, value);
    } else {
        rh__outcome_value(out, value, DIGITS);
    }
}

void rh__decays_text(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    rh_program *program = outcome->def->program;
    const uint32_t count = program != NULL ? program->laws.count : 0;
    for (uint32_t k = 0; k < count && k < MOST_ITEMS; k++) {
        rh_program_decay decay;
        if (rh_program_decay_of(program, outcome->motion, k, &decay, NULL) != RH_OK) {
            return;
        }
        rh__text_put(out, k == 0 ? "deviations from the program\n" : "");
        rh__text_format(out, "  %s  ", decay.name);
        put_deviation(out, decay.start);
        rh__text_put(out, " at the start, ");
        put_deviation(out, decay.now);
        rh__text_put(out, " at the end; ");
        if (isnan(decay.predicted)) {
            rh__text_put(out, "its law alone does not predict it");
        } else {
            rh__text_put(out, "its law predicts ");
            put_deviation(out, decay.predicted);
            rh__text_put(out, ", difference ");
            rh__outcome_small(out, decay.now - decay.predicted);
        }
        if (!isnan(decay.slowest)) {
            rh__text_put(out, "; slowest root ");
            rh__outcome_value(out, decay.slowest, 6);
        }
        rh__text_put_char(out, '\n');
    }
    if (count > MOST_ITEMS) {
        rh__text_format(out, "  ... and %u more; --json has all\n", count - MOST_ITEMS);
    }
}

void rh__decays_keys(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    rh_program *program = outcome->def->program;
    const uint32_t count = program != NULL ? program->laws.count : 0;
    for (uint32_t k = 0; k < count; k++) {
        rh_program_decay decay;
        if (rh_program_decay_of(program, outcome->motion, k, &decay, NULL) != RH_OK) {
            decay = (rh_program_decay){.name = program->laws.data[k].name,
                                       .start = (double)NAN,
                                       .now = (double)NAN,
                                       .predicted = (double)NAN,
                                       .slowest = (double)NAN};
        }
        rh__text_put(out, k == 0 ? ", \"programs\": {" : "");
        rh__outcome_key(out, decay.name, k == 0);
        rh__text_put(out, "{\"start\": ");
        rh__outcome_number(out, decay.start);
        rh__text_put(out, ", \"end\": ");
        rh__outcome_number(out, decay.now);
        rh__text_put(out, ", \"predicted\": ");
        rh__outcome_number(out, decay.predicted);
        rh__text_put(out, ", \"slowest_root\": ");
        rh__outcome_number(out, decay.slowest);
        rh__text_put(out, "}");
    }
    rh__text_put(out, count > 0 ? "}" : "");
}
