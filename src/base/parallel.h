// SPDX-License-Identifier: Apache-2.0
// Threads: a group of them that run one function, and a loop whose items they share.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Threads that run one function, each with its number.
typedef struct rh_thread_group rh_thread_group;
typedef void rh_thread_work(void *user, uint32_t thread);

/// Start up to `count` threads: fewer do the same work. NULL: there is not even one.
rh_thread_group *rh__threads_start(uint32_t count, rh_thread_work *work, void *user);
/// How many threads were started.
uint32_t rh__threads_count(const rh_thread_group *group);
/// Wait until all of them have ended, for some seconds at most; have they?
bool rh__threads_wait(rh_thread_group *group, double seconds);
/// Wait for all of them, and destroy the group. NULL is allowed.
void rh__threads_join(rh_thread_group *group);

/// A loop over items that do not depend on each other, in any order.
typedef struct rh_parallel {
    size_t count;     // of items
    uint32_t threads; // at most so many
    /// One item, done by one of the threads 0 ... threads - 1; false: no more items are begun.
    bool (*run)(void *user, uint32_t thread, size_t item);
    /// Asked by the calling thread now and then; false: no more items are begun.
    bool (*go_on)(void *user);
    void *user;
} rh_parallel;

/// Short loops, and those for which there is no thread, are run by the calling thread.
void rh__parallel_for(const rh_parallel *loop);

/// The time so many seconds from now.
struct timespec rh__time_after(double seconds);
