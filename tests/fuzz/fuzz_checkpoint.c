// SPDX-License-Identifier: Apache-2.0
// Any bytes as a checkpoint, and a good one with bytes replaced by these: it is refused, or the
// motion goes on from it.

#include "rheonom/rheonom.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                           "constraint rod: x^2 + y^2 = 1\nstart x = 1, y = 0\nevent low: x = 0\n";

typedef struct bytes {
    char data[1 << 16];
    size_t size;
} bytes;

static void require(bool claim)
{
    if (!claim) {
        abort();
    }
}

static bool put(void *user, const char *data, size_t size)
{
    bytes *to = user;
    require(size <= sizeof to->data - to->size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

static rh_motion *begin(rh_equations *equations)
{
    rh_motion_def def = rh_motion_def_default();
    rh_keep_def keep = rh_keep_def_default();
    rh_motion *motion = NULL;
    def.step_limit = 60;
    def.tier = RH_TIER_INTERPRETED;
    require(rh_motion_create(equations, &def, &motion, NULL) == RH_OK);
    require(rh_motion_keep(motion, &keep, NULL) == RH_OK);
    return motion;
}

static void resume(rh_equations *equations, const char *data, size_t size)
{
    rh_motion *motion = begin(equations);
    rh_error err = RH_ZERO;
    rh_stop stop = RH_STOP_NONE;
    const rh_status status = rh_motion_load(motion, data, size, &err);
    require(status == RH_OK || err.message[0] != '\0');
    if (status == RH_OK && rh_motion_time(motion) < 1.0) {
        (void)!rh_motion_advance(motion, 1.0, &stop, &err);
    }
    rh_motion_destroy(motion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bytes good;
    rh_model_def def = rh_model_def_default();
    rh_equations_def derive = rh_equations_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_stop stop = RH_STOP_NONE;
    def.text = TEXT;
    def.text_size = sizeof TEXT - 1;
    require(rh_model_create(&def, &model, NULL) == RH_OK);
    require(rh_equations_create(model, &derive, &equations, NULL) == RH_OK);
    resume(equations, (const char *)data, size);
    rh_motion *motion = begin(equations);
    require(rh_motion_advance(motion, 0.3, &stop, NULL) == RH_OK);
    good.size = 0;
    require(rh_motion_save(motion, (rh_sink){put, &good}, NULL) == RH_OK);
    rh_motion_destroy(motion);
    resume(equations, good.data, good.size);
    // pairs of bytes say where and what
    for (size_t k = 0; k + 3 <= size && k < 60; k += 3) {
        const size_t at = ((size_t)data[k] << 8 | data[k + 1]) % good.size;
        good.data[at] = (char)data[k + 2];
    }
    resume(equations, good.data, good.size);
    // once more as somebody would who knows how it ends
    const uint64_t sum = rh__hash_bytes(good.data, good.size - sizeof sum, 0);
    memcpy(good.data + good.size - sizeof sum, &sum, sizeof sum);
    resume(equations, good.data, good.size);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return 0;
}
