// SPDX-License-Identifier: Apache-2.0
// A crew: threads, each with a worker of its own, that fill the blocks of one supply.

#include "sweep/sweep.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

struct rh_crew {
    const rh_sweep *sweep;
    rh_supply supply;
    rh_thread_group *threads;
    mtx_t lock; // of what threads tell about their work
    atomic_bool is_stopped;
};

static void tell(rh_crew *crew, const rh_worker *worker)
{
    (void)mtx_lock(&crew->lock);
    if (crew->sweep->tier_reason[0] == '\0') {
        (void)rh__text_fill(crew->sweep->tier_reason, RH_SWEEP_REASON, "%s",
                            rh__worker_tier_reason(worker));
    }
    (void)mtx_unlock(&crew->lock);
}

static void work(void *user, uint32_t thread)
{
    (void)thread;
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
}

rh_status rh__crew_create(const rh_sweep *sweep, uint32_t threads, rh_supply supply, rh_crew **out)
{
    rh_crew *crew = calloc(1, sizeof *crew);
    *out = NULL;
    if (crew == NULL || mtx_init(&crew->lock, mtx_plain) != thrd_success) {
        free(crew);
        return RH_E_MEMORY;
    }
    *out = crew;
    crew->sweep = sweep;
    crew->supply = supply;
    crew->threads = rh__threads_start(threads, work, crew);
    return crew->threads != NULL ? RH_OK : RH_E_MEMORY;
}

void rh__crew_destroy(rh_crew *crew)
{
    if (crew == NULL) {
        return;
    }
    atomic_store(&crew->is_stopped, true);
    crew->supply.end(crew->supply.user);
    rh__threads_join(crew->threads);
    mtx_destroy(&crew->lock);
    free(crew);
}

uint32_t rh__crew_count(const rh_crew *crew)
{
    return rh__threads_count(crew->threads);
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
