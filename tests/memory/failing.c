// SPDX-License-Identifier: Apache-2.0
// To be loaded in front of the C library (LD_PRELOAD): requests of memory from number RH_FAIL_FROM
// on are refused, RH_FAIL_COUNT of them (all when it is 0). With RH_FAIL_TELL the number of
// requests is written to that file at the end.

#define _GNU_SOURCE // RTLD_NEXT

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// what glibc's own are called by
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

int SUNContext_Create(void *communicator, void **out);

static atomic_long seen;
static long from; // 0: count only
static long count;
static atomic_bool is_open; // the program has been loaded
static atomic_int is_spared;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    from = number("RH_FAIL_FROM");
    count = number("RH_FAIL_COUNT");
    atomic_store(&is_open, true);
}

__attribute__((destructor)) static void end(void)
{
    atomic_store(&is_open, false);
    const char *path = getenv("RH_FAIL_TELL");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        (void)fprintf(file, "%ld\n", atomic_load(&seen));
        (void)fclose(file);
    }
}

static int is_refused(void)
{
    if (!atomic_load(&is_open) || atomic_load(&is_spared) > 0) {
        return 0;
    }
    const long now = atomic_fetch_add(&seen, 1) + 1;
    const int is_hit = from > 0 && now >= from && (count == 0 || now - from < count);
    errno = is_hit ? ENOMEM : errno;
    return is_hit;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(memory, size);
}

// The one call that is known not to survive; src/motion/implicit.c makes sure that there is memory.
int SUNContext_Create(void *communicator, void **out)
{
    int (*own)(void *, void **) = NULL;
    atomic_fetch_add(&is_spared, 1);
    void *address = dlsym(RTLD_NEXT, "SUNContext_Create");
    memcpy(&own, &address, sizeof own);
    const int status = own(communicator, out);
    atomic_fetch_sub(&is_spared, 1);
    return status;
}
