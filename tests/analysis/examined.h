// SPDX-License-Identifier: Apache-2.0
// What the tests of `analysis` share: a model from a text or a file with its equations and its
// checkup, links and carriers found by their names.

#pragma once

#include "support.h"

#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct examined {
    rh_model *model;
    rh_equations *equations;
    rh_checkup *checkup;
    rh_status status; // of the checkup
} examined;

static inline void print_remark(rh_diagnostic remark)
{
    print_error("%u:%u: %s: %s\n", remark.at.line, remark.at.column, remark.code, remark.message);
}

/// A checkup under settings of parameters; `set` and `start` may be NULL, else they end with NULL.
/// The status is that of the checkup; models and equations must be sound.
static inline examined examine_with(const char *text, const char *const *set,
                                    const char *const *start)
{
    examined it = {0};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = set;
    def.start = start;
    for (; set != NULL && set[def.set_count] != NULL; def.set_count++) {
    }
    for (; start != NULL && start[def.start_count] != NULL; def.start_count++) {
    }
    if (rh_model_create(&def, &it.model, NULL) != RH_OK) {
        for (size_t k = 0; k < rh_model_diagnostic_count(it.model); k++) {
            print_remark(rh_model_diagnostic(it.model, k));
        }
        fail_msg("the model is wrong:\n%s", text);
    }
    const rh_equations_def how = rh_equations_def_default();
    if (rh_equations_create(it.model, &how, &it.equations, NULL) != RH_OK) {
        for (size_t k = 0; k < rh_equations_diagnostic_count(it.equations); k++) {
            print_remark(rh_equations_diagnostic(it.equations, k));
        }
        fail_msg("there are no equations of:\n%s", text);
    }
    it.status = rh_checkup_create(it.equations, &it.checkup, NULL);
    return it;
}

/// A sound checkup of a text.
static inline examined examine_text(const char *text)
{
    examined it = examine_with(text, NULL, NULL);
    if (it.status != RH_OK) {
        for (size_t k = 0; k < rh_checkup_diagnostic_count(it.checkup); k++) {
            print_remark(rh_checkup_diagnostic(it.checkup, k));
        }
        fail_msg("%s:\n%s", rh_status_text(it.status), text);
    }
    return it;
}

/// A sound checkup of a file of the tree.
static inline examined examine_file(const char *path)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    examined it = examine_text(text);
    free(text);
    return it;
}

static inline void examined_end(examined *it)
{
    rh_checkup_destroy(it->checkup);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (examined){0};
}

/// The index of a link by the name of its constraint.
static inline uint32_t link_of(const examined *it, const char *name)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < it->equations->links.count; k++) {
        rh_text text = rh__text_begin(&scratch, NULL);
        rh__link_name(it->equations, &it->equations->links.data[k], &text);
        found = rh__slice_is(rh__text_slice(&text), name) ? k : found;
    }
    rh__arena_end(&scratch);
    if (found == UINT32_MAX) {
        fail_msg("there is no constraint %s", name);
    }
    return found;
}

static inline const rh_link_report *report_of(const examined *it, const char *name)
{
    return &it->checkup->links[link_of(it, name)];
}

/// Is the link redundant with just the constraints named (ends with NULL)?
static inline void assert_redundant(const examined *it, const char *name, const char *const *with)
{
    const rh_link_report *report = report_of(it, name);
    uint32_t count = 0;
    for (; with[count] != NULL; count++) {
        bool is_there = false;
        const uint32_t other = link_of(it, with[count]);
        for (uint32_t k = 0; k < report->redundant_count; k++) {
            is_there = is_there || report->redundant_with[k] == other;
        }
        if (!is_there) {
            fail_msg("%s is not said to be redundant with %s", name, with[count]);
        }
    }
    if (report->redundant_count != count) {
        fail_msg("%s is redundant with %u constraints, not with %u", name, report->redundant_count,
                 count);
    }
}

/// A random point: coordinates and time between -1 and 1, parameters as they are.
static inline rh_point random_point(const examined *it, rh_arena *arena, support_random *random)
{
    rh_point point;
    assert_int_equal(rh__point_create(&it->checkup->layout, arena, &point), RH_OK);
    for (uint32_t k = 0; k < it->checkup->layout.symbols.count; k++) {
        const uint32_t mask =
            rh__expr_mask(it->equations->store, it->checkup->layout.symbols.data[k]);
        const bool is_free = (mask & (RH_ROLE_COORD | RH_ROLE_TIME | RH_ROLE_VELOCITY)) != 0;
        point.values[k] =
            is_free ? support_random_real(random, -1.0, 1.0) : it->checkup->start.point.values[k];
    }
    return point;
}
