// SPDX-License-Identifier: Apache-2.0
// The models of the tree, for tests that shall hold for every model: examples and golden models.

#pragma once

#include "subject.h"

#include <glob.h>

typedef void visit_model(const char *path, const char *text, void *user);

/// Call `visit` with each model file, in order of name; how many there were.
static inline size_t visit_models(visit_model *visit, void *user)
{
    static const char *const PATTERNS[] = {"/examples/*/*.rhe", "/tests/golden/models/*.rhe"};
    size_t count = 0;
    for (size_t k = 0; k < sizeof PATTERNS / sizeof *PATTERNS; k++) {
        char pattern[4096];
        glob_t found;
        (void)snprintf(pattern, sizeof pattern, "%s%s", RH_SOURCE_DIR, PATTERNS[k]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; j++) {
            size_t size = 0;
            char *text = support_read(found.gl_pathv[j], &size);
            visit(found.gl_pathv[j], text, user);
            free(text);
        }
        count += found.gl_pathc;
        globfree(&found);
    }
    assert_true(count > 100);
    return count;
}
