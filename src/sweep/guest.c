// SPDX-License-Identifier: Apache-2.0
// Where guests that are loaded at run time lie: a program that lies in the folder where it was
// built takes those beside it, every other one those that were installed. Names have whole paths:
// neither the folder where a program is started nor a path of the environment is searched for them.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "sweep/sweep.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Does this program lie below the folder where it was built?
static bool is_at_home(void)
{
    char own[4096];
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    const size_t home = strlen(RH_BUILD_DIR);
    own[size > 0 ? size : 0] = '\0';
    return strncmp(own, RH_BUILD_DIR, home) == 0 && own[home] == '/';
}

void *rh__guest_open(const char *name, bool is_global)
{
    char path[4096];
    const int length =
        snprintf(path, sizeof path, "%s/%s", is_at_home() ? RH_BUILD_DIR : RH_GUEST_DIR, name);
    const bool fits = length > 0 && (size_t)length < sizeof path && path[0] == '/';
    return fits ? dlopen(path, RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL)) : NULL;
}
