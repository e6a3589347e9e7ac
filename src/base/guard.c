// SPDX-License-Identifier: Apache-2.0
// A guard: an allocator that stands in front of the caller's and is inherited by every arena made
// from it. It asks the caller now and then whether to go on; once the answer is no, every further
// request is refused, so that work unwinds as it does when memory is short. It also remembers which
// limit was passed first. Threads that share a model share its guard: its fields are atomic.

#include "base/base.h"

#include <stdatomic.h>
#include <string.h>

static const char STARVED[] = "out of memory for exact numbers (GMP, FLINT)";

struct rh_guard {
    rh_allocator base;
    rh_interrupt *ask; // NULL: nobody is asked
    void *user;
    _Atomic(const char *) reason; // to end now; NULL: go on
    atomic_uint held;             // requests are granted while this is positive
    _Atomic(const char *) limit;  // what passed a limit first; NULL: none did
    _Atomic(double) most;         // that limit
};

static void *guard_alloc(void *user, size_t size)
{
    rh_guard *guard = user;
    return rh__guard_poll(guard) ? guard->base.alloc(guard->base.user, size) : NULL;
}

static void *guard_resize(void *user, void *memory, size_t old_size, size_t new_size)
{
    rh_guard *guard = user;
    return rh__guard_poll(guard) ? guard->base.resize(guard->base.user, memory, old_size, new_size)
                                 : NULL;
}

static void guard_free(void *user, void *memory, size_t size)
{
    rh_guard *guard = user;
    guard->base.free(guard->base.user, memory, size);
}

rh_guard *rh__guard_create(rh_allocator base, rh_interrupt *ask, void *user)
{
    rh_guard *guard = base.alloc(base.user, sizeof *guard);
    if (guard != NULL) {
        guard->base = base;
        guard->ask = ask;
        guard->user = user;
        atomic_init(&guard->reason, NULL);
        atomic_init(&guard->held, 0);
        atomic_init(&guard->limit, NULL);
        atomic_init(&guard->most, 0.0);
    }
    return guard;
}

void rh__guard_destroy(rh_guard *guard)
{
    if (guard != NULL) {
        guard->base.free(guard->base.user, guard, sizeof *guard);
    }
}

rh_allocator rh__guard_allocator(rh_guard *guard)
{
    return (rh_allocator){guard_alloc, guard_resize, guard_free, guard};
}

rh_guard *rh__guard_of(rh_allocator allocator)
{
    return allocator.alloc == guard_alloc ? allocator.user : NULL;
}

rh_allocator rh__guard_base(rh_allocator allocator)
{
    const rh_guard *guard = rh__guard_of(allocator);
    return guard != NULL ? guard->base : allocator;
}

const char *rh__guard_ask(rh_guard *guard)
{
    if (guard == NULL) {
        return NULL;
    }
    const char *reason = atomic_load_explicit(&guard->reason, memory_order_acquire);
    if (reason != NULL) {
        return reason;
    }
    if (rh__reserve_is_low()) {
        reason = STARVED;
    } else if (guard->ask != NULL) {
        reason = guard->ask(guard->user);
    }
    if (reason != NULL) {
        atomic_store_explicit(&guard->reason, reason, memory_order_release);
    }
    return reason;
}

bool rh__guard_poll(rh_guard *guard)
{
    return guard == NULL || atomic_load_explicit(&guard->held, memory_order_relaxed) > 0 ||
           rh__guard_ask(guard) == NULL;
}

const char *rh__guard_reason(const rh_guard *guard)
{
    return guard != NULL ? atomic_load_explicit(&guard->reason, memory_order_acquire) : NULL;
}

void rh__guard_hold(rh_guard *guard)
{
    if (guard != NULL) {
        (void)atomic_fetch_add_explicit(&guard->held, 1, memory_order_relaxed);
    }
}

void rh__guard_release(rh_guard *guard)
{
    if (guard != NULL) {
        (void)atomic_fetch_sub_explicit(&guard->held, 1, memory_order_relaxed);
    }
}

void rh__guard_starve(rh_guard *guard)
{
    const char *none = NULL;
    if (guard != NULL) {
        (void)atomic_compare_exchange_strong(&guard->reason, &none, STARVED);
    }
}

void rh__guard_pass_limit(rh_guard *guard, const char *what, double most)
{
    const char *none = NULL;
    if (guard != NULL && atomic_compare_exchange_strong(&guard->limit, &none, what)) {
        atomic_store(&guard->most, most);
    }
}

static rh_status status_of(const char *reason)
{
    return reason == STARVED ? RH_E_MEMORY : RH_E_INTERRUPTED;
}

rh_status rh__guard_settle(rh_allocator allocator, rh_status status)
{
    const char *reason = rh__guard_reason(rh__guard_of(allocator));
    return reason != NULL ? status_of(reason) : status;
}

rh_status rh__guard_explain(rh_allocator allocator, rh_status status, rh_error *err)
{
    const rh_guard *guard = rh__guard_of(allocator);
    if (guard == NULL || status == RH_OK) {
        return status;
    }
    const char *reason = rh__guard_reason(guard);
    if (reason != NULL) {
        return rh__error_fill(err, status_of(reason), "%s", reason);
    }
    const char *limit = atomic_load(&guard->limit);
    const bool is_plain = err == NULL || strcmp(err->message, rh_status_text(status)) == 0;
    if (limit != NULL && is_plain && (status == RH_E_MEMORY || status == RH_E_LIMIT)) {
        return rh__error_fill(err, RH_E_LIMIT, "%s: the limit is %.10g", limit,
                              atomic_load(&guard->most));
    }
    return status;
}
