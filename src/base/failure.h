// SPDX-License-Identifier: Apache-2.0
// Failure and interruption: statuses, requirements, asking the caller whether to go on.

#pragma once

#include "rheonom/base.h"

#include <assert.h>
#include <stdarg.h>

// What holds whatever the input is, unless the program itself is wrong. Without asserts a claim is
// compiled but never evaluated, so that what only a claim reads is no unused variable.
#if defined(NDEBUG) && !defined(RH_KEEP_ASSERTS)
#define RH_ASSERT(claim) ((void)(0 && (claim)))
#else
#define RH_ASSERT(claim) assert(claim)
#endif

/// Leave the function with the status of `call` unless it is RH_OK.
#define RH_TRY(call)                                                                               \
    do {                                                                                           \
        const rh_status rh_try_status = (call);                                                    \
        if (rh_try_status != RH_OK) {                                                              \
            return rh_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/// Leave a public function with RH_E_ARGUMENT when the caller broke `claim`.
#define RH_REQUIRE(claim, err)                                                                     \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            return rh__error_fill((err), RH_E_ARGUMENT, "the call breaks: %s", #claim);            \
        }                                                                                          \
    } while (0)

// Versions of a function for several widths of registers; the machine picks one when the program
// starts. Nothing is fused in any of them, so they give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RH_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define RH_WIDE
#endif

/// Fill `err` (may be NULL) and hand back `status`.
rh_status rh__error_fill(rh_error *err, rh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// --- interruption ----------------------------------------------------------------------------

/// What all that is made from one model shares: the caller's allocator, the question whether to go
/// on (an rh_interrupt), and which limit was passed first. All functions take NULL.
typedef struct rh_guard rh_guard;

/// NULL when there is no memory. `ask` may be NULL.
rh_guard *rh__guard_create(rh_allocator base, rh_interrupt *ask, void *user);
void rh__guard_destroy(rh_guard *guard);
/// The allocator to make arenas from.
rh_allocator rh__guard_allocator(rh_guard *guard);
/// The guard behind an allocator; NULL when it has none.
rh_guard *rh__guard_of(rh_allocator allocator);
/// The caller's allocator: for telling what there is after an interruption.
rh_allocator rh__guard_base(rh_allocator allocator);
/// Ask the caller: why to end now, or NULL. Once there is a reason it stays.
const char *rh__guard_ask(rh_guard *guard);
/// The same for loops that have nothing to lose: false when the work is to end. Always true while
/// the guard is held.
bool rh__guard_poll(rh_guard *guard);
/// The reason so far, without asking.
const char *rh__guard_reason(const rh_guard *guard);
/// Until the release requests of memory are granted and polls answer "go on": for work that keeps
/// what it has only when it comes to its end, such as a step.
void rh__guard_hold(rh_guard *guard);
void rh__guard_release(rh_guard *guard);
/// A guest cannot go on for want of memory: a reason to end, told as RH_E_MEMORY.
void rh__guard_starve(rh_guard *guard);
/// More than `most` was needed of what the sentence says; the first one counts. The sentence is
/// kept by reference.
void rh__guard_pass_limit(rh_guard *guard, const char *what, double most);
/// The status of work that keeps nothing of what it did before it was interrupted: RH_E_INTERRUPTED
/// when it was (RH_E_MEMORY for want of it), also where a refusal was taken for an answer on the
/// way.
rh_status rh__guard_settle(rh_allocator allocator, rh_status status);
/// What a public function says when memory was refused or it was interrupted: the true status and
/// message. `err` holds what it would say else: a limit is told where that is only the sentence of
/// the status.
rh_status rh__guard_explain(rh_allocator allocator, rh_status status, rh_error *err);
