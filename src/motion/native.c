// SPDX-License-Identifier: Apache-2.0
// From a text to a function: the object is looked for in the cache, made when it is not there, and
// loaded. Its name is a hash of the text, the compiler, the flags, the machine and our version.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "motion/native.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rh__native_refuse(rh_native *native, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(native->reason, sizeof native->reason, format, arguments);
    va_end(arguments);
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
    native->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    native->kernel = rh__native_find(native, RH_NATIVE_NAME);
    void *found = native->library != NULL ? dlsym(native->library, RH_NATIVE_STEPS) : NULL;
    memcpy(&native->steps, &found, sizeof found);
    return native->kernel != NULL ||
           rh__native_refuse(native, "the compiled series cannot be loaded");
}

static bool make(rh_native *native, const rh_native_def *def, const rh_cache *cache,
                 const char *folder)
{
    rh_compiler compiler;
    char source[RH_NATIVE_PATH + 16];
    char path[RH_NATIVE_PATH];
    if (!rh__compiler_find(native, folder, &compiler)) {
        return false;
    }
    uint64_t key = rh__hash_bytes(def->text.data, def->text.size, compiler.identity);
    key = rh__hash_bytes(rh_version(), strlen(rh_version()), key + def->lanes);
    if (rh__cache_find(cache, key, path)) {
        native->is_found = true;
        return load(native, path);
    }
    (void)snprintf(source, sizeof source, "%s/text.c", folder);
    if (!rh__cache_write(source, def->text)) {
        return rh__native_refuse(native, "the text of the series cannot be written to %s", folder);
    }
    const bool is_made = rh__compiler_run(native, &compiler, folder, def) &&
                         rh__cache_keep(native, cache, folder, key, path) && load(native, path);
    rh__cache_prune(cache);
    return is_made;
}

bool rh__native_create(const rh_native_def *def, rh_native *out)
{
    *out = (rh_native){.reason = ""};
    rh_cache cache;
    char folder[RH_NATIVE_PATH];
    if (!rh__cache_open(out, &cache)) {
        return false;
    }
    bool is_made = false;
    if (rh__cache_draft(out, &cache, folder)) {
        is_made = make(out, def, &cache, folder);
        rh__cache_discard(folder);
    }
    rh__cache_close(&cache);
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
    native->library = NULL;
    native->kernel = NULL;
    native->steps = NULL;
}
