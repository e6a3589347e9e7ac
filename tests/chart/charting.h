// SPDX-License-Identifier: Apache-2.0
// What the tests of `chart` and `optimum` share: equations of a text or an example.

#pragma once

#include "support.h"

#include "rheonom/chart.h"
#include "rheonom/optimum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct charting {
    rh_model *model;
    rh_equations *equations;
    rh_error err;
} charting;

static inline void charting_begin(const char *text, const char *setting, charting *out)
{
    *out = (charting){.model = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = &setting;
    def.set_count = setting != NULL;
    assert_int_equal(rh_model_create(&def, &out->model, &out->err), RH_OK);
    rh_equations_def derive = rh_equations_def_default();
    derive.has_presolve = false;
    assert_int_equal(rh_equations_create(out->model, &derive, &out->equations, &out->err), RH_OK);
}

static inline void charting_begin_file(const char *path, const char *setting, charting *out)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    charting_begin(text, setting, out);
    free(text);
}

static inline void charting_end(charting *it)
{
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

static inline rh_chart *charting_draw(charting *on, const rh_chart_def *def)
{
    rh_chart *chart = NULL;
    const rh_status status = rh_chart_create(on->equations, def, &chart, &on->err);
    if (status != RH_OK) {
        fail_msg("%s: %s", rh_status_text(status), on->err.message);
    }
    return chart;
}

static inline rh_chart_def charting_def(rh_chart_axis x, rh_chart_axis y)
{
    rh_chart_def def = rh_chart_def_default();
    def.x = x;
    def.y = y;
    def.thread_count = 2;
    return def;
}
