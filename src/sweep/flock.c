// SPDX-License-Identifier: Apache-2.0
// Members side by side: where steps are compiled whole, and only the end of a motion is observed,
// several motions go on the lanes of one text. Each has its own length of step, its own end and its
// own troubles: a step that is not for compiled text is taken by the library, for that lane alone,
// and a lane that is done takes the next member, of the next block when all of this one are begun.
// A member has the same bits as alone.

#include "sweep/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20000 }; // steps of a lane after which it is asked whether to go on

// --- making --------------------------------------------------------------------------------------

// How many lanes this processor has for numbers.
static uint32_t count_lanes(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx2") ? 4 : 1;
#else
    return 1;
#endif
}

static rh_status make_motions(rh_worker *worker, const rh_bench *bench)
{
    rh_flock *flock = &worker->flock;
    rh_motion_def def = worker->motion;
    def.tier = RH_TIER_INTERPRETED; // theirs is lent
    for (uint32_t l = 0; l < flock->lanes; l++) {
        RH_TRY(rh__motion_create_like(bench->motion, &def, &flock->motions[l], NULL));
        RH_TRY(rh__bench_look(worker->sweep, bench, flock->motions[l], &flock->glances[l], NULL));
        if (!rh__tier_lend(bench->motion, flock->motions[l])) {
            return RH_E_MEMORY;
        }
        flock->member[l] = UINT64_MAX;
    }
    return RH_OK;
}

static rh_status make_room(rh_worker *worker)
{
    rh_flock *flock = &worker->flock;
    const rh_motion *motion = flock->motions[0];
    const uint32_t lanes = flock->lanes;
    const size_t rows = (size_t)motion->order_chosen + 1;
    flock->room =
        rh__glider_room(&worker->arena, rh__glide_room(motion->n, motion->order_chosen) * lanes);
    flock->jet = rh__glider_room(&worker->arena, rows * motion->step->stride * lanes);
    flock->work = rh__glider_room(&worker->arena, rh__tier_room(motion) * lanes);
    if (flock->room == NULL || flock->jet == NULL || flock->work == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t l = 0; l < lanes; l++) {
        const rh_lane at = {.room = flock->room, .index = l, .count = lanes};
        rh__glider_set(flock->motions[l], &at);
        flock->points[l] = rh__kernel_point(flock->motions[l]->step);
        flock->points[l].jet = flock->jet;
        flock->points[l].work = flock->work;
    }
    return RH_OK;
}

rh_status rh__flock_create(rh_worker *worker, const rh_bench *bench)
{
    rh_flock *flock = &worker->flock;
    const uint32_t asked = worker->sweep->lane_count;
    const uint32_t lanes = asked == 0 ? count_lanes() : asked;
    if (lanes == 1 || !rh__plan_is_final(&worker->sweep->plan) ||
        !rh__tier_is_early(bench->motion) ||
        !rh__tier_widen(bench->motion, lanes, &flock->native)) {
        return RH_OK;
    }
    flock->lanes = lanes;
    flock->bench = bench;
    rh_status status = make_motions(worker, bench);
    if (status == RH_OK) {
        status = make_room(worker);
    }
    if (status != RH_OK) {
        rh__flock_destroy(flock);
    }
    return rh__worker_is_fatal(status) ? status : RH_OK;
}

void rh__flock_destroy(rh_flock *flock)
{
    for (uint32_t l = 0; l < RH_FLOCK_LANES; l++) {
        rh__glance_destroy(&flock->glances[l]);
        rh_motion_destroy(flock->motions[l]);
    }
    rh__native_destroy(&flock->native);
    for (uint32_t k = 0; k < RH_FLOCK_FLIGHTS; k++) {
        rh__bytes_free(&flock->flights[k].rows);
        free(flock->flights[k].places);
    }
    *flock = (rh_flock){.lanes = 0};
}

// --- blocks --------------------------------------------------------------------------------------

/// Blocks under way, and where they come from.
typedef struct rh_journey {
    rh_worker *worker;
    const rh_supply *supply;
} rh_journey;

// Begin with a block; `begun` members of it are in its bytes.
static rh_status depart(rh_worker *worker, rh_flight *flight, rh_parcel *parcel, uint64_t begun)
{
    const rh_plan *plan = &worker->sweep->plan;
    if (flight->places == NULL) {
        flight->places = calloc(plan->block_size, sizeof *flight->places);
    }
    flight->parcel = parcel;
    flight->first = parcel->block * plan->block_size;
    flight->count = rh__plan_members(plan, parcel->block);
    flight->begun = flight->done = begun;
    flight->rows.size = 0;
    for (uint64_t k = 0; flight->places != NULL && k < begun; k++) {
        flight->places[k] = (rh_flock_place){0, 0};
    }
    return flight->places != NULL ? RH_OK : RH_E_MEMORY;
}

// All members have come to their ends: their rows, in order.
static rh_status arrive(const rh_journey *on, rh_flight *flight)
{
    rh_parcel *parcel = flight->parcel;
    bool ok = true;
    for (uint64_t k = 0; ok && k < flight->count; k++) {
        const rh_flock_place *place = &flight->places[k];
        ok = rh__bytes_put(&parcel->bytes, flight->rows.data + place->first, place->size);
    }
    if (!ok) {
        return RH_E_MEMORY;
    }
    flight->parcel = NULL;
    on->supply->hand_back(on->supply->user, parcel, true);
    return RH_OK;
}

// Give all blocks back as they are, the first of them with what is wrong, if anything is.
static void give_up(const rh_journey *on, rh_status status)
{
    for (uint32_t k = 0; k < RH_FLOCK_FLIGHTS; k++) {
        rh_flight *flight = &on->worker->flock.flights[k];
        if (flight->parcel != NULL) {
            flight->parcel->status = status;
            on->supply->hand_back(on->supply->user, flight->parcel, status != RH_OK);
            flight->parcel = NULL;
            status = RH_OK;
        }
    }
}

// A block with members that are not begun, taken from the supply if there is none; NULL when there
// is none there either, or enough is under way: whoever is killed has that to do again.
static rh_status find_flight(const rh_journey *on, rh_flight **out)
{
    rh_flock *flock = &on->worker->flock;
    const uint64_t size = on->worker->sweep->plan.block_size;
    const uint64_t most = 2 * (size > flock->lanes ? size : flock->lanes);
    rh_flight *free_one = NULL;
    uint64_t members = 0;
    *out = NULL;
    for (uint32_t k = 0; k < RH_FLOCK_FLIGHTS; k++) {
        rh_flight *flight = &flock->flights[k];
        members += flight->parcel != NULL ? flight->count : 0;
        free_one = flight->parcel == NULL ? flight : free_one;
        *out = flight->parcel != NULL && flight->begun < flight->count ? flight : *out;
    }
    if (*out != NULL || free_one == NULL || members + size > most) {
        return RH_OK;
    }
    rh_parcel *parcel = on->supply->take(on->supply->user, false);
    *out = parcel != NULL ? free_one : NULL;
    return parcel != NULL ? depart(on->worker, free_one, parcel, 0) : RH_OK;
}

// --- members -------------------------------------------------------------------------------------

static rh_lane lane_of(const rh_flock *flock, uint32_t l)
{
    return (rh_lane){.room = flock->room, .index = l, .count = flock->lanes};
}

// The row of a member, in its place.
static rh_status keep_row(const rh_journey *on, rh_flight *flight, uint64_t member)
{
    const rh_worker *worker = on->worker;
    rh_flock_place *place = &flight->places[member - flight->first];
    place->first = flight->rows.size;
    if (!rh__row_write(&worker->row, rh__plan_width(&worker->sweep->plan), &flight->rows)) {
        return RH_E_MEMORY;
    }
    place->size = flight->rows.size - place->first;
    flight->done++;
    return flight->done == flight->count ? arrive(on, flight) : RH_OK;
}

static void clear_lane(rh_flock *flock, uint32_t l)
{
    flock->member[l] = UINT64_MAX;
    flock->room[RH_GLIDE_IDLE * flock->lanes + l] = 1.0;
    flock->room[RH_GLIDE_VERDICT * flock->lanes + l] = RH_GLIDE_REACHED;
}

// The member on a lane has come to its end.
static rh_status finish(const rh_journey *on, uint32_t l, rh_stop stop)
{
    rh_worker *worker = on->worker;
    rh_flock *flock = &worker->flock;
    const uint64_t member = flock->member[l];
    rh__worker_turn(worker, member);
    worker->row.stop = stop;
    rh__worker_note(worker, &flock->glances[l], flock->begin[l]);
    clear_lane(flock, l);
    return keep_row(on, flock->flight[l], member);
}

// Put a member on a lane; a step that is not for it is taken first. `*out_is_there`: it is.
static rh_status go_on(const rh_journey *on, uint32_t l, bool is_hard, bool *out_is_there)
{
    const rh_sweep *sweep = on->worker->sweep;
    rh_flock *flock = &on->worker->flock;
    rh_motion *motion = flock->motions[l];
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE && (is_hard || !rh__glider_is_due(motion, sweep->until))) {
        RH_TRY(rh_motion_step(motion, sweep->until, &stop, NULL));
        is_hard = false;
    }
    *out_is_there = stop == RH_STOP_NONE;
    if (stop != RH_STOP_NONE) {
        return finish(on, l, stop);
    }
    const rh_lane at = lane_of(flock, l);
    motion->glider.is_ready = false;
    rh__glider_load(motion, &at, sweep->until, PATIENCE);
    return RH_OK;
}

// Begin a member on a lane. Where other equations may hold for it, it goes alone.
static rh_status begin(const rh_journey *on, uint32_t l, rh_flight *flight, bool *out_is_there)
{
    rh_worker *worker = on->worker;
    rh_flock *flock = &worker->flock;
    rh_motion *motion = flock->motions[l];
    const uint64_t member = flight->first + flight->begun++;
    rh_error err = {.message = ""};
    *out_is_there = false;
    rh__worker_turn(worker, member);
    const rh_status status = rh__worker_restart(worker, motion, &flock->glances[l], &err);
    if (status == RH_E_UNAVAILABLE || (status == RH_OK && motion->t >= worker->sweep->until)) {
        RH_TRY(rh__worker_member(worker, member));
        return atomic_load(worker->is_stopped) ? RH_OK : keep_row(on, flight, member);
    }
    if (status != RH_OK) {
        rh__worker_fail(worker, err.message);
        return rh__worker_is_fatal(status) ? status : keep_row(on, flight, member);
    }
    rh__tier_follow(motion);
    flock->member[l] = member;
    flock->flight[l] = flight;
    flock->begin[l] = motion->t;
    return go_on(on, l, false, out_is_there);
}

// The next member that can fly.
static rh_status fill(const rh_journey *on, uint32_t l)
{
    bool is_there = false;
    rh_flight *flight = NULL;
    do {
        RH_TRY(find_flight(on, &flight));
        if (flight != NULL) {
            RH_TRY(begin(on, l, flight, &is_there));
        }
    } while (flight != NULL && !is_there && !atomic_load(on->worker->is_stopped));
    return RH_OK;
}

// Lanes that came back.
static rh_status attend(const rh_journey *on, uint32_t l)
{
    rh_flock *flock = &on->worker->flock;
    rh_motion *motion = flock->motions[l];
    const rh_lane at = lane_of(flock, l);
    const double verdict = flock->room[RH_GLIDE_VERDICT * flock->lanes + l];
    bool is_there = false;
    rh__glider_unload(motion, &at, flock->points[l].margin);
    if (verdict == RH_GLIDE_REACHED) {
        return finish(on, l, RH_STOP_REACHED);
    }
    const bool is_paused = verdict == RH_GLIDE_PAUSED && motion->steps < motion->step_limit;
    return go_on(on, l, !is_paused, &is_there);
}

static rh_status fill_all(const rh_journey *on)
{
    const rh_flock *flock = &on->worker->flock;
    for (uint32_t l = 0; l < flock->lanes; l++) {
        RH_TRY(flock->member[l] == UINT64_MAX ? fill(on, l) : RH_OK);
    }
    return RH_OK;
}

static bool is_flying(const rh_flock *flock)
{
    bool is_any = false;
    for (uint32_t l = 0; l < flock->lanes; l++) {
        is_any = is_any || flock->member[l] != UINT64_MAX;
    }
    return is_any;
}

static rh_status fly(const rh_journey *on)
{
    rh_flock *flock = &on->worker->flock;
    for (uint32_t l = 0; l < flock->lanes; l++) {
        clear_lane(flock, l);
    }
    RH_TRY(fill_all(on));
    while (is_flying(flock) && !atomic_load(on->worker->is_stopped)) {
        (void)flock->native.steps(flock->points, flock->room);
        for (uint32_t l = 0; l < flock->lanes; l++) {
            if (flock->member[l] != UINT64_MAX &&
                flock->room[RH_GLIDE_VERDICT * flock->lanes + l] != 0.0) {
                RH_TRY(attend(on, l));
            }
        }
        RH_TRY(fill_all(on));
    }
    return RH_OK;
}

void rh__flock_run(rh_worker *worker, const rh_supply *supply, rh_parcel *parcel, uint64_t begun)
{
    const rh_journey on = {.worker = worker, .supply = supply};
    rh_status status = depart(worker, &worker->flock.flights[0], parcel, begun);
    if (status == RH_OK) {
        status = fly(&on);
    }
    give_up(&on, status);
}
