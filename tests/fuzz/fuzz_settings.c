// SPDX-License-Identifier: Apache-2.0
// Any bytes as a value of --set and of --start over a small fixed model.

#include "rheonom/rheonom.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] = "param n = 3, l = 1/n, m = 2\n"
                           "coord x[1..n], y\n"
                           "let r = x[1] + y\n"
                           "kinetic m/2*(sum(i in 1..n: x[i]'^2) + y'^2)\n"
                           "constraint rod: x[1]^2 + y^2 = l^2\n"
                           "quasi w = y' - x[1]'\n"
                           "start x[1] = l, y' = 1\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *value = calloc(size + 1, 1);
    if (value == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(value, data, size);
    }
    const char *const settings[] = {value, "m=3"};
    rh_model_def def = rh_model_def_default();
    def.text = TEXT;
    def.text_size = sizeof TEXT - 1;
    def.memory_limit = (size_t)256 << 20;
    def.set = settings;
    def.set_count = 2;
    def.start = settings;
    def.start_count = 1;
    rh_model *model = NULL;
    const rh_status status = rh_model_create(&def, &model, NULL);
    if ((model != NULL) != (status == RH_OK || status == RH_E_MODEL)) {
        abort();
    }
    rh_model_destroy(model);
    free(value);
    return 0;
}
