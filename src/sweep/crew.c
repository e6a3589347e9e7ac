// SPDX-License-Identifier: Apache-2.0
// A crew: threads, each with a worker of its own, that fill the blocks of one supply.

#include "sweep/sweep.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { MOST_THREADS = 1024 };

struct rh_crew {
    const rh_sweep *sweep;
    rh_supply supply;
    thrd_t *threads;
    uint32_t thread_count;
    mtx_t lock; // of what threads tell about their work
    atomic_bool is_stopped;
};

static void tell(rh_crew *crew, const rh_worker *worker)
{
    (void)mtx_lock(&crew->lock);
    if (crew->sweep->tier_reason[0] == '\0') {
        (void)snprintf(crew->sweep->tier_reason, RH_SWEEP_REASON, "%s",
                       rh__worker_tier_reason(worker));
    }
    (void)mtx_unlock(&crew->lock);
}

static int work(void *user)
{
    rh_crew *crew = user;
    const rh_supply *supply = &crew->supply;
    rh_worker *worker = rh__worker_create(crew->sweep, &crew->is_stopped);
    if (worker != NULL) {
        rh__worker_run(worker, supply);
        tell(crew, worker);
    }
    rh_parcel *parcel = worker == NULL ? supply->take(supply->user, true) : NULL;
    for (; parcel != NULL; parcel = supply->take(supply->user, true)) {
        parcel->status = RH_E_MEMORY;
        supply->hand_back(supply->user, parcel, true);
    }
    rh__worker_destroy(worker);
    return 0;
}

rh_status rh__crew_create(const rh_sweep *sweep, uint32_t threads, rh_supply supply, rh_crew **out)
{
    const uint32_t wanted = threads < MOST_THREADS ? threads : MOST_THREADS;
    rh_crew *crew = calloc(1, sizeof *crew);
    *out = NULL;
    if (crew == NULL || mtx_init(&crew->lock, mtx_plain) != thrd_success) {
        free(crew);
        return RH_E_MEMORY;
    }
    *out = crew;
    crew->sweep = sweep;
    crew->supply = supply;
    crew->threads = calloc(wanted, sizeof *crew->threads);
    // fewer threads than asked for do the same work
    while (crew->threads != NULL && crew->thread_count < wanted &&
           thrd_create(&crew->threads[crew->thread_count], work, crew) == thrd_success) {
        crew->thread_count++;
    }
    return crew->thread_count > 0 ? RH_OK : RH_E_MEMORY;
}

void rh__crew_destroy(rh_crew *crew)
{
    if (crew == NULL) {
        return;
    }
    atomic_store(&crew->is_stopped, true);
    crew->supply.end(crew->supply.user);
    for (uint32_t k = 0; k < crew->thread_count; k++) {
        (void)thrd_join(crew->threads[k], NULL);
    }
    mtx_destroy(&crew->lock);
    free(crew->threads);
    free(crew);
}

uint32_t rh__crew_count(const rh_crew *crew)
{
    return crew->thread_count;
}

// --- what supplies share -------------------------------------------------------------------------

rh_parcel *rh__parcel_create(uint64_t block)
{
    rh_parcel *parcel = calloc(1, sizeof *parcel);
    if (parcel != NULL) {
        parcel->block = block;
    }
    return parcel;
}

void rh__parcel_destroy(rh_parcel *parcel)
{
    if (parcel != NULL) {
        rh__bytes_free(&parcel->bytes);
        free(parcel);
    }
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
