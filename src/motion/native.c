// SPDX-License-Identifier: Apache-2.0
// From a text to a function: the object is looked for in the cache, made when it is not there, and
// loaded. Its name is a hash of the text, the compiler, the flags, the machine and our version; the
// text itself stands in it and is compared.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "motion/native.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rh__native_refuse(rh_native *native, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(native->reason, sizeof native->reason, format, arguments);
    va_end(arguments);
    RH_ASSERT(native->reason[0] != '\0');
    return false;
}

rh_series_kernel *rh__native_find(const rh_native *native, const char *name)
{
    void *found = native->library != NULL ? dlsym(native->library, name) : NULL;
    rh_series_kernel *kernel = NULL;
    memcpy(&kernel, &found, sizeof found); // a function, not an object
    return kernel;
}

static bool load(rh_native *native, const char *path)
{
    RH_ASSERT(native->library == NULL);
    native->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    native->kernel = rh__native_find(native, RH_NATIVE_NAME);
    void *found = native->library != NULL ? dlsym(native->library, RH_NATIVE_STEPS) : NULL;
    memcpy(&native->steps, &found, sizeof found);
    return native->kernel != NULL ||
           rh__native_refuse(native, "the compiled series cannot be loaded");
}

// The object of a text, if the cache has it; with a reason when nothing could be made either.
static bool find(rh_native *native, uint32_t lanes, const rh_cache *cache, rh_compiler *compiler,
                 uint64_t *out_key)
{
    char path[RH_NATIVE_PATH];
    if (!rh__compiler_find(native, compiler)) {
        return false;
    }
    const rh_slice text = {native->text, native->text_size};
    const uint64_t words[] = {rh__hash_bytes(rh_version(), strlen(rh_version()), 0), lanes};
    *out_key = rh__hash_bytes(words, sizeof words, compiler->identity);
    *out_key = rh__hash_bytes(text.data, text.size, *out_key);
    native->is_found = rh__cache_find(cache, *out_key, text, path);
    return native->is_found && load(native, path);
}

static bool compile(rh_native *native, const rh_native_def *def, const rh_cache *cache,
                    const rh_compiler *compiler, uint64_t key)
{
    char folder[RH_NATIVE_PATH];
    char source[RH_NATIVE_PATH + 16];
    char path[RH_NATIVE_PATH];
    if (!rh__cache_draft(native, cache, folder)) {
        return false;
    }
    (void)snprintf(source, sizeof source, "%s/text.c", folder);
    const bool is_written =
        rh__cache_write(source, def->text) ||
        rh__native_refuse(native, "the text of the series cannot be written to %s", folder);
    const bool is_made = is_written && rh__compiler_run(native, compiler, folder, def) &&
                         rh__cache_keep(native, cache, folder, key, def->text, path) &&
                         load(native, path);
    rh__cache_prune(cache);
    rh__cache_discard(folder);
    return is_made;
}

bool rh__native_create(const rh_native_def *def, rh_native *out)
{
    RH_ASSERT(def->lanes > 0 && def->text.size > 0);
    *out = (rh_native){.text = malloc(def->text.size + 1), .text_size = def->text.size};
    if (out->text == NULL) {
        return rh__native_refuse(out, "there was no memory for the text of the series");
    }
    memcpy(out->text, def->text.data, def->text.size);
    rh_cache cache;
    rh_compiler compiler;
    uint64_t key = 0;
    if (!rh__cache_open(out, &cache)) {
        rh__native_destroy(out);
        return false;
    }
    bool is_made = find(out, def->lanes, &cache, &compiler, &key);
    if (!is_made && !out->is_found && out->reason[0] == '\0') {
        is_made = compile(out, def, &cache, &compiler, key);
    }
    rh__cache_close(&cache);
    RH_ASSERT(is_made || out->reason[0] != '\0');
    if (!is_made) {
        rh__native_destroy(out);
    }
    return is_made;
}

void rh__native_destroy(rh_native *native)
{
    if (native->library != NULL && !native->is_lent) {
        (void)dlclose(native->library);
    }
    if (!native->is_lent) {
        free(native->text);
    }
    native->text = NULL;
    native->library = NULL;
    native->kernel = NULL;
    native->steps = NULL;
}
