// SPDX-License-Identifier: Apache-2.0
// A crew: threads that take blocks of members from a short queue, and hand back parcels. Whoever
// runs the crew decides which blocks there are and where the parcels go; nothing else is shared.

#include "sweep/sweep.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { MOST_THREADS = 1024 };

struct rh_crew {
    const rh_sweep *sweep;
    mtx_t lock;
    cnd_t has_work, has_parcel;
    thrd_t *threads;
    uint32_t thread_count;
    rh_parcel **queue; // of `depth` for each thread, to be filled
    uint32_t depth;
    uint32_t queue_count;
    uint32_t busy; // blocks that are given and not handed back
    rh_parcel *done;
    bool is_ending;
    atomic_bool is_stopped;
};

// --- threads -------------------------------------------------------------------------------------

static void hand_back(rh_crew *crew, rh_parcel *parcel, bool is_whole)
{
    (void)mtx_lock(&crew->lock);
    crew->busy--;
    if (is_whole) {
        parcel->next = crew->done;
        crew->done = parcel;
    }
    (void)cnd_signal(&crew->has_parcel);
    (void)mtx_unlock(&crew->lock);
    if (!is_whole) {
        rh__bytes_free(&parcel->bytes);
        free(parcel);
    }
}

// NULL: it is over.
static rh_parcel *take_block(rh_crew *crew)
{
    (void)mtx_lock(&crew->lock);
    while (crew->queue_count == 0 && !crew->is_ending) {
        (void)cnd_wait(&crew->has_work, &crew->lock);
    }
    rh_parcel *parcel = crew->is_ending ? NULL : crew->queue[0];
    if (parcel != NULL) {
        crew->queue_count--;
        for (uint32_t k = 0; k < crew->queue_count; k++) {
            crew->queue[k] = crew->queue[k + 1];
        }
    }
    (void)mtx_unlock(&crew->lock);
    return parcel;
}

static int work(void *user)
{
    rh_crew *crew = user;
    rh_worker *worker = rh__worker_create(crew->sweep, &crew->is_stopped);
    rh_parcel *parcel = take_block(crew);
    while (parcel != NULL) {
        bool is_whole = false;
        parcel->status = worker == NULL
                             ? RH_E_MEMORY
                             : rh__worker_block(worker, parcel->block, &parcel->bytes, &is_whole);
        hand_back(crew, parcel, is_whole || parcel->status != RH_OK);
        parcel = take_block(crew);
    }
    rh__worker_destroy(worker);
    return 0;
}

// --- the crew ------------------------------------------------------------------------------------

static rh_status start(rh_crew *crew, uint32_t threads)
{
    crew->threads = calloc(threads, sizeof *crew->threads);
    crew->queue = calloc((size_t)crew->depth * threads, sizeof(rh_parcel *));
    if (crew->threads == NULL || crew->queue == NULL) {
        return RH_E_MEMORY;
    }
    // fewer threads than asked for do the same work
    while (crew->thread_count < threads &&
           thrd_create(&crew->threads[crew->thread_count], work, crew) == thrd_success) {
        crew->thread_count++;
    }
    return crew->thread_count > 0 ? RH_OK : RH_E_MEMORY;
}

rh_status rh__crew_create(const rh_sweep *sweep, uint32_t threads, uint32_t depth, rh_crew **out)
{
    rh_crew *crew = calloc(1, sizeof *crew);
    *out = NULL;
    if (crew == NULL) {
        return RH_E_MEMORY;
    }
    crew->sweep = sweep;
    crew->depth = depth;
    if (mtx_init(&crew->lock, mtx_plain) != thrd_success ||
        cnd_init(&crew->has_work) != thrd_success || cnd_init(&crew->has_parcel) != thrd_success) {
        free(crew);
        return RH_E_MEMORY;
    }
    const rh_status status = start(crew, threads < MOST_THREADS ? threads : MOST_THREADS);
    if (status != RH_OK) {
        rh__crew_destroy(crew);
        return status;
    }
    *out = crew;
    return RH_OK;
}

void rh__crew_destroy(rh_crew *crew)
{
    if (crew == NULL) {
        return;
    }
    (void)mtx_lock(&crew->lock);
    crew->is_ending = true;
    atomic_store(&crew->is_stopped, true);
    (void)cnd_broadcast(&crew->has_work);
    (void)mtx_unlock(&crew->lock);
    for (uint32_t k = 0; k < crew->thread_count; k++) {
        (void)thrd_join(crew->threads[k], NULL);
    }
    for (uint32_t k = 0; k < crew->queue_count; k++) {
        free(crew->queue[k]);
    }
    while (crew->done != NULL) {
        rh_parcel *parcel = crew->done;
        crew->done = parcel->next;
        rh__bytes_free(&parcel->bytes);
        free(parcel);
    }
    mtx_destroy(&crew->lock);
    cnd_destroy(&crew->has_work);
    cnd_destroy(&crew->has_parcel);
    free(crew->threads);
    free(crew->queue);
    free(crew);
}

uint32_t rh__crew_room(const rh_crew *crew)
{
    return crew->depth * crew->thread_count;
}

uint32_t rh__crew_load(rh_crew *crew)
{
    (void)mtx_lock(&crew->lock);
    const uint32_t load = crew->busy;
    (void)mtx_unlock(&crew->lock);
    return load;
}

rh_status rh__crew_give(rh_crew *crew, uint64_t block)
{
    rh_parcel *parcel = calloc(1, sizeof *parcel);
    if (parcel == NULL) {
        return RH_E_MEMORY;
    }
    parcel->block = block;
    (void)mtx_lock(&crew->lock);
    RH_ASSERT(crew->queue_count < crew->depth * crew->thread_count);
    crew->queue[crew->queue_count++] = parcel;
    crew->busy++;
    (void)cnd_signal(&crew->has_work);
    (void)mtx_unlock(&crew->lock);
    return RH_OK;
}

rh_parcel *rh__crew_take(rh_crew *crew, double seconds)
{
    struct timespec until = {0};
    (void)timespec_get(&until, TIME_UTC);
    const double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)(1e9 * (seconds - whole));
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)mtx_lock(&crew->lock);
    int waited = thrd_success;
    while (crew->done == NULL && crew->busy > 0 && waited == thrd_success) {
        waited = cnd_timedwait(&crew->has_parcel, &crew->lock, &until);
    }
    rh_parcel *parcel = crew->done;
    if (parcel != NULL) {
        crew->done = parcel->next;
    }
    (void)mtx_unlock(&crew->lock);
    return parcel;
}

bool rh__crew_is_busy(rh_crew *crew)
{
    (void)mtx_lock(&crew->lock);
    const bool is_busy = crew->busy > 0 || crew->done != NULL;
    (void)mtx_unlock(&crew->lock);
    return is_busy;
}
