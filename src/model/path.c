// SPDX-License-Identifier: Apache-2.0
// Inputs that come from files. A model may come from anywhere, so it names files in its own folder
// and below only; whoever opens them joins the path to that folder.

#include "model/build.h"

// Why a path is refused; NULL when it is fine.
static const char *find_fault(rh_slice path)
{
    const char *fault = path.size == 0                    ? "is empty"
                        : path.data[0] == '/'             ? "begins at the root"
                        : path.data[path.size - 1] == '/' ? "ends in a slash"
                                                          : NULL;
    for (size_t begin = 0; fault == NULL && begin < path.size;) {
        size_t end = begin;
        while (end < path.size && path.data[end] != '/') {
            end++;
        }
        const rh_slice part = {path.data + begin, end - begin};
        fault = rh__slice_equal(part, rh__slice_of("..")) ? "leads out of the folder" : NULL;
        begin = end + 1;
    }
    return fault;
}

void rh__build_path(rh_build *build, const rh_input *input)
{
    enum { QUOTES = 2 };
    const rh_slice path = rh__slice_of(input->file);
    const char *fault = find_fault(path);
    // a malformed string has no text, and was reported
    if (fault != NULL && (path.size > 0 || input->path_span.size == QUOTES)) {
        rh__build_report(build, RH_DIAGNOSTIC_E601, input->path_span, NULL,
                         "the path of the input %.*s %s", RH_SLICE_FORMAT(input->name), fault);
        rh__build_repair(build, "put the file beside the model and write its name");
    }
}

const rh_input *rh__model_feed(const rh_model *model, size_t index)
{
    for (uint32_t k = 0; model != NULL && model->is_sound && k < model->inputs.count; k++) {
        if (model->inputs.data[k].file != NULL && index-- == 0) {
            return &model->inputs.data[k];
        }
    }
    return NULL;
}

size_t rh_model_feed_count(const rh_model *model)
{
    size_t count = 0;
    for (uint32_t k = 0; model != NULL && model->is_sound && k < model->inputs.count; k++) {
        count += model->inputs.data[k].file != NULL;
    }
    return count;
}

const char *rh_model_feed_path(const rh_model *model, size_t index)
{
    const rh_input *input = rh__model_feed(model, index);
    return input == NULL ? "" : input->file;
}
