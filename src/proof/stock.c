// SPDX-License-Identifier: Apache-2.0
// Where FLINT has its memory from: malloc, and the reserve behind it. A call of FLINT that may need
// more than RH_RESERVE_CALL bytes begins with a pledge.

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given; for dladdr

#include "proof/arbs.h"

#include <dlfcn.h>
#include <string.h>
#include <threads.h>

typedef void *allocate(size_t size);

// The object of a function; NULL when it is not known.
static const void *object_of(allocate *function)
{
    void *address = NULL;
    Dl_info info = {0};
    static_assert(sizeof address == sizeof function, "functions have addresses");
    memcpy(&address, &function, sizeof address);
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

// FLINT's own functions have no names outside, but they lie in its library. Where that is part of
// the program they cannot be told from others, and stay.
static void install(void)
{
    allocate *now = NULL;
    void *(*zeroed)(size_t, size_t) = NULL;
    void *(*resize)(void *, size_t) = NULL;
    void (*release)(void *) = NULL;
    __flint_get_memory_functions(&now, &zeroed, &resize, &release);
    const void *flint = object_of(flint_malloc);
    if (flint != NULL && flint == object_of(now) && flint != object_of(rh__reserve_alloc)) {
        __flint_set_memory_functions(rh__reserve_alloc, rh__reserve_zeroed, rh__reserve_resize,
                                     rh__reserve_free);
    }
}

void rh__balls_prepare(void)
{
    static once_flag is_prepared = ONCE_FLAG_INIT;
    call_once(&is_prepared, install);
}

bool rh__balls_pledge(const rh_balls *of, double count, uint32_t precision, rh_pledge **out)
{
    // working precision is up to twice the wanted one; the block of a number has a head
    const double mantissa = 2.0 * (double)rh__balls_bits(precision) / 8.0 + 32.0;
    const bool ok = rh__reserve_pledge(count * ((double)sizeof(arb_struct) + mantissa), out);
    if (!ok) {
        rh__guard_starve(of->guard);
    }
    return ok;
}
