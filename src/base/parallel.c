// SPDX-License-Identifier: Apache-2.0
// Threads take the items of a loop from a common counter; the calling thread watches, and asks its
// caller whether to go on.

#include "base/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

enum { MOST_THREADS = 1024, SHORT_LOOP = 32 };
#define WATCH_SECONDS 0.02

// --- groups --------------------------------------------------------------------------------------

typedef struct member {
    rh_thread_group *group;
    thrd_t thread;
    uint32_t number;
} member;

struct rh_thread_group {
    rh_thread_work *work;
    void *user;
    mtx_t lock;
    cnd_t has_ended;
    uint32_t working; // under the lock
    uint32_t count;
    member members[];
};

static int run_member(void *user)
{
    const member *self = user;
    rh_thread_group *group = self->group;
    group->work(group->user, self->number);
    (void)mtx_lock(&group->lock);
    group->working--;
    (void)cnd_signal(&group->has_ended);
    (void)mtx_unlock(&group->lock);
    return 0;
}

static rh_thread_group *create_group(uint32_t count)
{
    rh_thread_group *group = calloc(1, sizeof *group + count * sizeof(member));
    if (group == NULL || mtx_init(&group->lock, mtx_plain) != thrd_success) {
        free(group);
        return NULL;
    }
    if (cnd_init(&group->has_ended) != thrd_success) {
        mtx_destroy(&group->lock);
        free(group);
        return NULL;
    }
    return group;
}

rh_thread_group *rh__threads_start(uint32_t count, rh_thread_work *work, void *user)
{
    const uint32_t wanted = count < MOST_THREADS ? count : MOST_THREADS;
    rh_thread_group *group = create_group(wanted);
    if (group == NULL) {
        return NULL;
    }
    group->work = work;
    group->user = user;
    (void)mtx_lock(&group->lock);
    while (group->count < wanted) {
        member *next = &group->members[group->count];
        *next = (member){.group = group, .number = group->count};
        if (thrd_create(&next->thread, run_member, next) != thrd_success) {
            break;
        }
        group->count++;
    }
    group->working = group->count;
    (void)mtx_unlock(&group->lock);
    if (group->count == 0) {
        rh__threads_join(group);
        return NULL;
    }
    return group;
}

uint32_t rh__threads_count(const rh_thread_group *group)
{
    return group->count;
}

bool rh__threads_wait(rh_thread_group *group, double seconds)
{
    const struct timespec until = rh__time_after(seconds);
    int status = thrd_success;
    (void)mtx_lock(&group->lock);
    while (group->working > 0 && status == thrd_success) {
        status = cnd_timedwait(&group->has_ended, &group->lock, &until);
    }
    const bool have_ended = group->working == 0;
    (void)mtx_unlock(&group->lock);
    return have_ended;
}

void rh__threads_join(rh_thread_group *group)
{
    if (group == NULL) {
        return;
    }
    for (uint32_t k = 0; k < group->count; k++) {
        (void)thrd_join(group->members[k].thread, NULL);
    }
    cnd_destroy(&group->has_ended);
    mtx_destroy(&group->lock);
    free(group);
}

// --- loops ---------------------------------------------------------------------------------------

typedef struct shared_loop {
    const rh_parallel *loop;
    atomic_size_t next;
    atomic_bool is_over;
} shared_loop;

static void take_items(void *user, uint32_t thread)
{
    shared_loop *shared = user;
    const rh_parallel *loop = shared->loop;
    size_t item = atomic_fetch_add(&shared->next, 1);
    while (item < loop->count && !atomic_load(&shared->is_over)) {
        if (!loop->run(loop->user, thread, item)) {
            atomic_store(&shared->is_over, true);
        }
        item = atomic_fetch_add(&shared->next, 1);
    }
}

void rh__parallel_for(const rh_parallel *loop)
{
    shared_loop shared = {.loop = loop};
    rh_thread_group *group =
        loop->count < SHORT_LOOP ? NULL : rh__threads_start(loop->threads, take_items, &shared);
    if (group == NULL) {
        for (size_t k = 0; k < loop->count && loop->go_on(loop->user); k++) {
            if (!loop->run(loop->user, 0, k)) {
                break;
            }
        }
        return;
    }
    while (!rh__threads_wait(group, WATCH_SECONDS)) {
        if (!loop->go_on(loop->user)) {
            atomic_store(&shared.is_over, true);
        }
    }
    rh__threads_join(group);
}

struct timespec rh__time_after(double seconds)
{
    struct timespec time = {0};
    (void)timespec_get(&time, TIME_UTC);
    const double whole = floor(seconds);
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)(1e9 * (seconds - whole));
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
