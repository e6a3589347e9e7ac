// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model text: whatever comes out must be consistent, and every question to it must
// be answered.

#include "rheonom/rheonom.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool discard(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return true;
}

static bool is_place(rh_location at)
{
    return at.file != NULL && at.line >= 1 && at.column >= 1 && at.end_line >= at.line &&
           (at.end_line > at.line || at.end_column >= at.column) &&
           (at.text != NULL || at.text_size == 0);
}

static size_t check_remarks(const rh_model *model)
{
    size_t errors = 0;
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, i);
        CLAIM(remark.code != NULL && remark.message != NULL && remark.message[0] != '\0');
        CLAIM(is_place(remark.at));
        CLAIM(remark.note == NULL || is_place(remark.note_at));
        errors += remark.severity == RH_SEVERITY_ERROR;
    }
    return errors;
}

static void ask_everything(const rh_model *model)
{
    size_t written = 0;
    const rh_sink sink = {discard, &written};
    const rh_status sound = rh_model_is_sound(model) ? RH_OK : RH_E_MODEL;
    CLAIM(rh_model_dump(model, RH_STAGE_AST, sink, NULL) == RH_OK);
    CLAIM(rh_model_dump(model, RH_STAGE_MODEL, sink, NULL) == sound);
    CLAIM(rh_output_check(model, RH_FORMAT_TEXT, sink, NULL) == sound);
    CLAIM(rh_output_check(model, RH_FORMAT_JSON, sink, NULL) == sound);
    CLAIM(rh_output_diagnostics(model, RH_FORMAT_TEXT, true, sink, NULL) == RH_OK);
    CLAIM(rh_output_diagnostics(model, RH_FORMAT_JSON, false, sink, NULL) == RH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_model_def def = rh_model_def_default();
    def.text = (const char *)data;
    def.text_size = size;
    def.memory_limit = (size_t)256 << 20;
    rh_model *model = NULL;
    const rh_status status = rh_model_create(&def, &model, NULL);
    CLAIM((model != NULL) == (status == RH_OK || status == RH_E_MODEL));
    CLAIM(model != NULL || status == RH_E_LIMIT || status == RH_E_MEMORY);
    if (model != NULL) {
        CLAIM(rh_model_is_sound(model) == (status == RH_OK));
        const size_t errors = check_remarks(model);
        CLAIM((errors > 0) == (status == RH_E_MODEL) || rh_model_diagnostic_dropped(model) > 0);
        ask_everything(model);
    }
    rh_model_destroy(model);
    return 0;
}
