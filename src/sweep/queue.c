// SPDX-License-Identifier: Apache-2.0
// The queue of a process that is not number 0: blocks that were sent to it, for its threads, and
// parcels on their way back.

#include "sweep/sweep.h"

#include <stdlib.h>
#include <threads.h>

struct rh_queue {
    mtx_t lock;
    cnd_t has_work, has_parcel;
    rh_parcel *first, *last; // to be filled
    rh_parcel *done;
    uint32_t busy; // blocks that are given and not handed back
    bool is_ending;
};

static rh_parcel *take(void *user, bool may_wait)
{
    rh_queue *queue = user;
    (void)mtx_lock(&queue->lock);
    while (may_wait && queue->first == NULL && !queue->is_ending) {
        (void)cnd_wait(&queue->has_work, &queue->lock);
    }
    rh_parcel *parcel = queue->is_ending ? NULL : queue->first;
    if (parcel != NULL) {
        queue->first = parcel->next;
        parcel->next = NULL;
    }
    (void)mtx_unlock(&queue->lock);
    return parcel;
}

static void hand_back(void *user, rh_parcel *parcel, bool is_whole)
{
    rh_queue *queue = user;
    const bool is_kept = is_whole || parcel->status != RH_OK;
    (void)mtx_lock(&queue->lock);
    RH_ASSERT(queue->busy > 0);
    queue->busy--;
    if (is_kept) {
        parcel->next = queue->done;
        queue->done = parcel;
    }
    (void)cnd_signal(&queue->has_parcel);
    (void)mtx_unlock(&queue->lock);
    if (!is_kept) {
        rh__parcel_destroy(parcel);
    }
}

static void end(void *user)
{
    rh_queue *queue = user;
    (void)mtx_lock(&queue->lock);
    queue->is_ending = true;
    (void)cnd_broadcast(&queue->has_work);
    (void)mtx_unlock(&queue->lock);
}

rh_supply rh__queue_supply(rh_queue *queue)
{
    return (rh_supply){.user = queue, .take = take, .hand_back = hand_back, .end = end};
}

rh_status rh__queue_create(rh_queue **out)
{
    rh_queue *queue = calloc(1, sizeof *queue);
    *out = NULL;
    if (queue == NULL) {
        return RH_E_MEMORY;
    }
    if (mtx_init(&queue->lock, mtx_plain) != thrd_success ||
        cnd_init(&queue->has_work) != thrd_success ||
        cnd_init(&queue->has_parcel) != thrd_success) {
        free(queue);
        return RH_E_MEMORY;
    }
    *out = queue;
    return RH_OK;
}

static void free_list(rh_parcel *list)
{
    while (list != NULL) {
        rh_parcel *parcel = list;
        list = parcel->next;
        rh__parcel_destroy(parcel);
    }
}

void rh__queue_destroy(rh_queue *queue)
{
    if (queue != NULL) {
        free_list(queue->first);
        free_list(queue->done);
        mtx_destroy(&queue->lock);
        cnd_destroy(&queue->has_work);
        cnd_destroy(&queue->has_parcel);
        free(queue);
    }
}

rh_status rh__queue_give(rh_queue *queue, uint64_t block)
{
    rh_parcel *parcel = rh__parcel_create(block);
    if (parcel == NULL) {
        return RH_E_MEMORY;
    }
    (void)mtx_lock(&queue->lock);
    if (queue->first == NULL) {
        queue->first = parcel;
    } else {
        queue->last->next = parcel;
    }
    RH_ASSERT(parcel->next == NULL);
    queue->last = parcel;
    queue->busy++;
    (void)cnd_signal(&queue->has_work);
    (void)mtx_unlock(&queue->lock);
    return RH_OK;
}

rh_parcel *rh__queue_get(rh_queue *queue, double seconds)
{
    const struct timespec until = rh__time_after(seconds);
    (void)mtx_lock(&queue->lock);
    int waited = thrd_success;
    while (queue->done == NULL && queue->busy > 0 && waited == thrd_success) {
        waited = cnd_timedwait(&queue->has_parcel, &queue->lock, &until);
    }
    rh_parcel *parcel = queue->done;
    if (parcel != NULL) {
        queue->done = parcel->next;
        parcel->next = NULL;
    }
    (void)mtx_unlock(&queue->lock);
    return parcel;
}

bool rh__queue_is_busy(rh_queue *queue)
{
    (void)mtx_lock(&queue->lock);
    const bool is_busy = queue->busy > 0 || queue->done != NULL;
    (void)mtx_unlock(&queue->lock);
    return is_busy;
}
