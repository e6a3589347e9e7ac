// SPDX-License-Identifier: Apache-2.0
// What the tests of emitted texts share: a text is compiled by the system's compiler into a
// directory of its own, loaded, and forgotten.

#pragma once

#include "support.h"

#include "tape/tape.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct compiled {
    void *library;
    rh_series_kernel *kernel;
} compiled;

/// The kernel of a text; `defines`: for the compiler.
static inline compiled compile_text(rh_slice text, const char *defines)
{
    char folder[] = "/tmp/rheonom_emit_XXXXXX";
    char path[64];
    char command[512];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/text.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    const char *flags = getenv("RH_EMIT_FLAGS");
    (void)snprintf(command, sizeof command,
                   "cc %s -march=native -ffp-contract=off -fno-math-errno -Wall -Werror -fPIC "
                   "-shared %s -o %s/text.so %s/text.c -lm",
                   flags != NULL ? flags : "-O0", defines, folder, folder);
    if (system(command) != 0) {
        fail_msg("the emitted text in %s does not compile", folder);
    }
    (void)snprintf(path, sizeof path, "%s/text.so", folder);
    compiled made = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (made.library == NULL) {
        fail_msg("%s", dlerror());
    }
    *(void **)&made.kernel = dlsym(made.library, "kernel");
    assert_non_null(made.kernel);
    if (getenv("RH_EMIT_KEEP") == NULL) {
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/text.c", folder);
        (void)unlink(path);
        (void)rmdir(folder);
    }
    return made;
}

static inline void compiled_end(compiled *it)
{
    (void)dlclose(it->library);
}

/// The kernel of a tape whose first outputs are rates; it leaves out the ladders of the state.
static inline compiled compile_series(const rh_tape_state *state, uint32_t rate_count,
                                      rh_emit_form form, const char *defines)
{
    const rh_emit_def def = {.tape = state->tape,
                             .rate_count = rate_count,
                             .order = state->order,
                             .stride = state->stride,
                             .name = "kernel",
                             .form = form,
                             .ladders = state->ladders};
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_text text = rh__text_begin(&scratch, NULL);
    assert_int_equal(rh__emit_series(&def, &scratch, &text), RH_OK);
    const compiled made = compile_text(rh__text_slice(&text), defines);
    rh__arena_end(&scratch);
    return made;
}
