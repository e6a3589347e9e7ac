// SPDX-License-Identifier: Apache-2.0
// One thread at a time, where LAPACK needs it: OpenBLAS built for one thread hands out its work
// memory without a lock, so two threads in it at once would write into each other's numbers.

#include "numeric/lapack.h"

#include <stdbool.h>
#include <threads.h>

// OpenBLAS tells for how many threads it was built; other libraries do not have the function.
extern int openblas_get_parallel(void) __attribute__((weak));

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static bool has_lock;

static void begin(void)
{
    const bool is_single = openblas_get_parallel != NULL && openblas_get_parallel() == 0;
    has_lock = is_single && mtx_init(&lock, mtx_plain) == thrd_success;
}

void rh__lapack_enter(void)
{
    call_once(&once, begin);
    if (has_lock) {
        (void)mtx_lock(&lock);
    }
}

void rh__lapack_leave(void)
{
    if (has_lock) {
        (void)mtx_unlock(&lock);
    }
}
