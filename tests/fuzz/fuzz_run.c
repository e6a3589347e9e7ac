// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model that is run: what is read is derived, and what is derived moves. Whatever
// comes of it, it ends within its limits, with a status and a sentence.

#include "rheonom/rheonom.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ASKED = 3000, MOST_TEXT = 2000 };

static void require(bool claim)
{
    if (!claim) {
        abort();
    }
}

// An rh_interrupt that is patient for so many questions.
static const char *ask(void *user)
{
    uint32_t *left = user;
    *left -= *left > 0;
    return *left > 0 ? NULL : "that is enough";
}

static void move(rh_equations *equations)
{
    rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    rh_error err = RH_ZERO;
    rh_stop stop = RH_STOP_NONE;
    def.step_limit = 30;
    def.tier = RH_TIER_INTERPRETED;
    const rh_status status = rh_motion_create(equations, &def, &motion, &err);
    require((motion != NULL) == (status == RH_OK));
    require(status == RH_OK || err.message[0] != '\0');
    if (motion == NULL) {
        return;
    }
    const double start = rh_motion_time(motion);
    if (rh_motion_advance(motion, start + 1.0, &stop, &err) == RH_OK) {
        require(rh_motion_time(motion) >= start && rh_motion_time(motion) <= start + 1.0);
        require(stop != RH_STOP_FAILED || rh_motion_reason(motion)[0] != '\0');
    }
    rh_motion_destroy(motion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t left = MOST_ASKED;
    rh_model_def def = rh_model_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_equations_def derive = rh_equations_def_default();
    def.text = (const char *)data;
    def.text_size = size < MOST_TEXT ? size : MOST_TEXT;
    def.memory_limit = (size_t)256 << 20;
    def.interrupt = ask;
    def.interrupt_user = &left;
    rh_error err = RH_ZERO;
    if (rh_model_create(&def, &model, &err) == RH_OK &&
        rh_equations_create(model, &derive, &equations, &err) == RH_OK) {
        move(equations);
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return 0;
}
