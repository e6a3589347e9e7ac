// SPDX-License-Identifier: Apache-2.0
// Loading models for tests; a file of its own, so that tests of the rooms below `model` do not need
// that room.

#include "support.h"

#include <stdlib.h>

rh_model *support_model(const char *path)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    rh_model_def def = rh_model_def_default();
    def.name = path;
    def.text = text;
    def.text_size = size;
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, &model, &err);
    free(text);
    if (status != RH_OK) {
        const bool has_remark = model != NULL && rh_model_diagnostic_count(model) > 0;
        print_error("%s: %s: %s\n", path, rh_status_text(status),
                    has_remark ? rh_model_diagnostic(model, 0).message : err.message);
        rh_model_destroy(model);
        fail();
    }
    return model;
}
