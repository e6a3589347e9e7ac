// SPDX-License-Identifier: Apache-2.0
// The deviations of program constraints over a motion: what they did, and what their laws alone
// say.

#include "output/outcome.h"

#include "program/program.h"

#include <math.h>

enum { DIGITS = 10, MOST_ITEMS = 40 };

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
        rh__outcome_value(out, decay.start, DIGITS);
        rh__text_put(out, " at the start, ");
        rh__outcome_value(out, decay.now, DIGITS);
        rh__text_put(out, " at the end; ");
        if (isnan(decay.predicted)) {
            rh__text_put(out, "its law alone does not predict it");
        } else {
            rh__text_put(out, "its law predicts ");
            rh__outcome_value(out, decay.predicted, DIGITS);
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
