// SPDX-License-Identifier: Apache-2.0
// The desk of process number 0: which block is next, and the ledger that gets what is done. Its own
// threads come to the desk by themselves; nobody is woken for a block.

#include "sweep/sweep.h"

#include <stdlib.h>
#include <threads.h>

struct rh_desk {
    rh_sweep *sweep;
    mtx_t lock;
    cnd_t is_changed; // all is done, or something is wrong
    cnd_t is_over;    // for threads that find nothing to do
    uint64_t next;    // block that was not handed out yet
    rh_status status;
    rh_error *err;
    bool is_ending;
};

// --- with the lock held --------------------------------------------------------------------------

static bool next_block(rh_desk *desk, uint64_t *out)
{
    const uint64_t count = desk->sweep->plan.block_count;
    while (desk->next < count && rh__ledger_has(desk->sweep->ledger, desk->next)) {
        desk->next++;
    }
    RH_ASSERT(desk->next <= count);
    *out = desk->next;
    desk->next += desk->next < count;
    return *out < count;
}

static bool is_done(const rh_desk *desk)
{
    RH_ASSERT(rh__ledger_done(desk->sweep->ledger) <= desk->sweep->plan.member_count);
    return rh__ledger_done(desk->sweep->ledger) == desk->sweep->plan.member_count;
}

// The first thing that is wrong counts.
static void note(rh_desk *desk, rh_status status)
{
    desk->status = desk->status == RH_OK ? status : desk->status;
    if (desk->status != RH_OK || is_done(desk)) {
        (void)cnd_signal(&desk->is_changed);
    }
}

static rh_status keep(rh_desk *desk, uint64_t block, const rh_bytes *bytes)
{
    const bool is_known = block < desk->sweep->plan.block_count;
    return is_known ? rh__ledger_add(desk->sweep->ledger, block, bytes, desk->err) : RH_E_ARGUMENT;
}

// --- its own threads -----------------------------------------------------------------------------

static rh_parcel *take(void *user, bool may_wait)
{
    rh_desk *desk = user;
    rh_parcel *parcel = NULL;
    uint64_t block = 0;
    (void)mtx_lock(&desk->lock);
    if (!desk->is_ending && desk->status == RH_OK && next_block(desk, &block)) {
        parcel = rh__parcel_create(block);
        note(desk, parcel != NULL ? RH_OK : RH_E_MEMORY);
    }
    while (parcel == NULL && may_wait && !desk->is_ending) {
        (void)cnd_wait(&desk->is_over, &desk->lock);
    }
    (void)mtx_unlock(&desk->lock);
    return parcel;
}

static void hand_back(void *user, rh_parcel *parcel, bool is_whole)
{
    rh_desk *desk = user;
    (void)mtx_lock(&desk->lock);
    if (parcel->status != RH_OK) {
        note(desk, rh__error_fill(desk->err, parcel->status, "%s", rh_status_text(parcel->status)));
    } else if (is_whole) {
        note(desk, keep(desk, parcel->block, &parcel->bytes));
    }
    (void)mtx_unlock(&desk->lock);
    rh__parcel_destroy(parcel);
}

static void end(void *user)
{
    rh_desk *desk = user;
    (void)mtx_lock(&desk->lock);
    desk->is_ending = true;
    (void)cnd_broadcast(&desk->is_over);
    (void)mtx_unlock(&desk->lock);
}

rh_supply rh__desk_supply(rh_desk *desk)
{
    return (rh_supply){.user = desk, .take = take, .hand_back = hand_back, .end = end};
}

// --- whoever leads -------------------------------------------------------------------------------

rh_status rh__desk_create(rh_sweep *sweep, rh_error *err, rh_desk **out)
{
    rh_desk *desk = calloc(1, sizeof *desk);
    *out = NULL;
    if (desk == NULL) {
        return RH_E_MEMORY;
    }
    desk->sweep = sweep;
    desk->err = err;
    if (mtx_init(&desk->lock, mtx_plain) != thrd_success ||
        cnd_init(&desk->is_changed) != thrd_success || cnd_init(&desk->is_over) != thrd_success) {
        free(desk);
        return RH_E_MEMORY;
    }
    *out = desk;
    return RH_OK;
}

void rh__desk_destroy(rh_desk *desk)
{
    if (desk != NULL) {
        mtx_destroy(&desk->lock);
        cnd_destroy(&desk->is_changed);
        cnd_destroy(&desk->is_over);
        free(desk);
    }
}

bool rh__desk_next(rh_desk *desk, uint64_t *out_block)
{
    (void)mtx_lock(&desk->lock);
    const bool is_there = next_block(desk, out_block);
    (void)mtx_unlock(&desk->lock);
    return is_there;
}

uint64_t rh__desk_left(rh_desk *desk)
{
    (void)mtx_lock(&desk->lock);
    const uint64_t left = desk->sweep->plan.block_count - desk->next;
    (void)mtx_unlock(&desk->lock);
    return left;
}

rh_status rh__desk_add(rh_desk *desk, uint64_t block, const rh_bytes *bytes)
{
    (void)mtx_lock(&desk->lock);
    const rh_status status = keep(desk, block, bytes);
    (void)mtx_unlock(&desk->lock);
    return status;
}

rh_status rh__desk_wait(rh_desk *desk, double seconds, uint64_t *out_done)
{
    const struct timespec until = rh__time_after(seconds);
    (void)mtx_lock(&desk->lock);
    int waited = seconds > 0.0 ? thrd_success : thrd_timedout;
    while (desk->status == RH_OK && !is_done(desk) && waited == thrd_success) {
        waited = cnd_timedwait(&desk->is_changed, &desk->lock, &until);
    }
    const rh_status status = desk->status;
    *out_done = rh__ledger_done(desk->sweep->ledger);
    (void)mtx_unlock(&desk->lock);
    return status;
}
