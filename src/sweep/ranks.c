// SPDX-License-Identifier: Apache-2.0
// Running a sweep: number 0 hands out blocks, to its own crew and to those of the other processes,
// and writes what comes back into the ledger. The others say once how many they have room for, and
// get another one for each that comes back. Only the calling thread of each process speaks with the
// others. MPI is a guest that is loaded when the program was started by it (ranks_mpi.c).

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "sweep/sweep.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { MORE = 8 }; // blocks that a thread of another process has besides those it works on

#define ALONE 0.05     // seconds between two looks around
#define TOGETHER 0.001 // the same, when others may wait for an answer; they have more to do

// --- meeting -------------------------------------------------------------------------------------

static bool is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL;
}

static rh_status meet(rh_ranks *ranks, rh_error *err)
{
    // never closed: MPI leaves things behind that live as long as the program
    void *library = rh__guest_open("rheonom_mpi.so", true);
    ranks->guest = library != NULL ? dlsym(library, "rh_ranks_guest_mpi") : NULL;
    if (ranks->guest == NULL) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "this program was started as one of several processes, and was built "
                              "without MPI (rheonom_mpi.so is not there)");
    }
    return ranks->guest->begin(&ranks->own, &ranks->count)
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE, "MPI could not be started");
}

rh_status rh_ranks_create(rh_ranks **out, rh_error *err)
{
    RH_REQUIRE(out != NULL, err);
    *out = NULL;
    if (!is_launched()) {
        return RH_OK;
    }
    rh_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks == NULL) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    const rh_status status = meet(ranks, err);
    if (status != RH_OK) {
        free(ranks);
        return status;
    }
    *out = ranks;
    return RH_OK;
}

int rh_ranks_own(const rh_ranks *ranks)
{
    return ranks == NULL ? 0 : ranks->own;
}

int rh_ranks_count(const rh_ranks *ranks)
{
    return ranks == NULL ? 1 : ranks->count;
}

// --- messages ------------------------------------------------------------------------------------

// Each is one word that says what it is, then words or bytes.
enum {
    WORD_READY,   // to 0: how many blocks there is room for
    WORD_BLOCKS,  // from 0: their numbers
    WORD_PARCELS, // to 0: for each the number of a block and of its bytes, then these
    WORD_FAILED,  // to 0: a status
    WORD_END      // from 0: there is nothing more to do
};

static void send_words(const rh_ranks *ranks, int to, const uint64_t *words, size_t count)
{
    ranks->guest->send(to, words, count * sizeof *words);
}

static void dismiss(rh_ranks *ranks)
{
    const uint64_t word = WORD_END;
    for (int k = 1; ranks != NULL && ranks->own == 0 && !ranks->is_met && k < ranks->count; k++) {
        send_words(ranks, k, &word, 1);
    }
    if (ranks != NULL) {
        ranks->is_met = true;
    }
}

void rh_ranks_destroy(rh_ranks *ranks)
{
    if (ranks != NULL) {
        dismiss(ranks);
        ranks->guest->end();
        free(ranks);
    }
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    (void)thrd_sleep(&time, NULL);
}

// --- number 0 ------------------------------------------------------------------------------------

typedef struct running {
    rh_sweep *sweep;
    const rh_sweep_run_def *def;
    rh_ranks *ranks;
    rh_desk *desk;   // of number 0
    rh_queue *queue; // of the others
    rh_crew *crew;
    uint64_t *room, *load; // by rank: blocks it can have, and has
    rh_error *err;
} running;

// What a thread may work on at the same time: a block and the last members of one before it, or as
// many small ones as there are lanes; and what it has besides, since it has to be asked for.
static uint32_t depth_of(const rh_plan *plan)
{
    const uint64_t size = plan->block_size;
    const uint64_t lanes = rh__plan_is_final(plan) ? RH_SWEEP_LANES : 1;
    const uint64_t blocks = (lanes + size - 1) / size;
    return (uint32_t)(blocks > 1 ? blocks : lanes > 1 ? 2 : 1) + MORE;
}

// Blocks that somebody with so much room shall have now: enough to be asked for more in time, and
// towards the end no more than others would wait for.
static uint64_t share_of(const running *r, uint64_t room)
{
    const uint64_t fair = rh__desk_left(r->desk) / (2 * (uint64_t)rh_ranks_count(r->ranks));
    const uint64_t least = 2 * (room / depth_of(&r->sweep->plan)); // one at work, and one more
    return fair > room ? room : fair > least ? fair : least;
}

static void feed(running *r, int rank)
{
    enum { MOST = 64 }; // in a message
    size_t count = 0;
    do {
        uint64_t words[1 + MOST] = {WORD_BLOCKS};
        count = 0;
        while (count < MOST && r->load[rank] < share_of(r, r->room[rank]) &&
               rh__desk_next(r->desk, &words[1 + count])) {
            r->load[rank]++;
            count++;
        }
        if (count > 0) {
            send_words(r->ranks, rank, words, 1 + count);
        }
    } while (count == MOST);
}

// The parcels of a message, behind its first word.
static rh_status keep_parcels(running *r, int from, const unsigned char *data, size_t size)
{
    uint64_t head[2] = {0, 0};
    size_t at = sizeof *head;
    rh_status status = at < size ? RH_OK : RH_E_ARGUMENT;
    while (status == RH_OK && at < size) {
        const bool has_head = size - at >= sizeof head;
        memcpy(head, data + at, has_head ? sizeof head : 0);
        at += has_head ? sizeof head : 0;
        const rh_bytes bytes = {.data = (unsigned char *)(uintptr_t)data + at, .size = head[1]};
        status = has_head && head[1] <= size - at ? rh__desk_add(r->desk, head[0], &bytes)
                                                  : RH_E_ARGUMENT;
        at += status == RH_OK ? head[1] : 0;
        r->load[from] -= r->load[from] > 0;
    }
    return status;
}

static rh_status hear(running *r, int from, const unsigned char *data, size_t size)
{
    uint64_t words[2] = {WORD_END, 0};
    memcpy(words, data, size < sizeof words ? size : sizeof words);
    switch (words[0]) {
    case WORD_READY:
        r->room[from] = words[1];
        feed(r, from);
        return RH_OK;
    case WORD_PARCELS:
        RH_TRY(keep_parcels(r, from, data, size));
        feed(r, from);
        return RH_OK;
    default:
        return rh__error_fill(r->err, words[1] == RH_E_MEMORY ? RH_E_MEMORY : RH_E_LIMIT,
                              "process %d cannot go on", from);
    }
}

static rh_status hear_all(running *r)
{
    int from = 0;
    unsigned char *data = NULL;
    size_t size = 0;
    rh_status status = RH_OK;
    while (r->ranks != NULL && status == RH_OK && r->ranks->guest->receive(&from, &data, &size)) {
        status = hear(r, from, data, size);
        free(data);
    }
    return status;
}

static rh_status lead(running *r)
{
    const uint64_t count = r->sweep->plan.member_count;
    uint64_t done = 0;
    RH_TRY(rh__desk_wait(r->desk, 0.0, &done));
    while ((r->def->go_on == NULL || r->def->go_on(r->def->user, done, count)) && done < count) {
        RH_TRY(hear_all(r));
        RH_TRY(rh__desk_wait(r->desk, r->ranks != NULL ? TOGETHER : ALONE, &done));
    }
    return RH_OK;
}

// --- the others ----------------------------------------------------------------------------------

// Send a parcel and all that are done besides, in one message: number 0 looks up at times only.
static void send_parcels(const running *r, rh_parcel *parcel)
{
    const uint64_t word = WORD_PARCELS;
    rh_bytes message = {.size = 0};
    rh_status status = rh__bytes_put(&message, &word, sizeof word) ? RH_OK : RH_E_MEMORY;
    while (parcel != NULL) {
        const uint64_t head[2] = {parcel->block, parcel->bytes.size};
        const bool ok = rh__bytes_put(&message, head, sizeof head) &&
                        rh__bytes_put(&message, parcel->bytes.data, parcel->bytes.size);
        status = status != RH_OK ? status : ok ? parcel->status : RH_E_MEMORY;
        rh__parcel_destroy(parcel);
        parcel = status == RH_OK ? rh__queue_get(r->queue, 0.0) : NULL;
    }
    if (status == RH_OK) {
        r->ranks->guest->send(0, message.data, message.size);
    } else {
        const uint64_t words[2] = {WORD_FAILED, (uint64_t)status};
        send_words(r->ranks, 0, words, 2);
    }
    rh__bytes_free(&message);
}

// `*out_going` is false when there is nothing more to do.
static rh_status obey(const running *r, bool *out_going)
{
    int from = 0;
    unsigned char *data = NULL;
    size_t size = 0;
    rh_status status = RH_OK;
    *out_going = true;
    while (status == RH_OK && *out_going && r->ranks->guest->receive(&from, &data, &size)) {
        uint64_t word = WORD_END;
        memcpy(&word, data, size < sizeof word ? size : sizeof word);
        *out_going = word == WORD_BLOCKS;
        for (size_t at = sizeof word; status == RH_OK && *out_going && at + sizeof word <= size;
             at += sizeof word) {
            uint64_t block = 0;
            memcpy(&block, data + at, sizeof block);
            status = rh__queue_give(r->queue, block);
        }
        free(data);
    }
    return status;
}

static rh_status follow(const running *r)
{
    const uint64_t words[2] = {WORD_READY,
                               (uint64_t)depth_of(&r->sweep->plan) * rh__crew_count(r->crew)};
    bool is_going = true;
    send_words(r->ranks, 0, words, 2);
    for (;;) {
        RH_TRY(obey(r, &is_going));
        if (!is_going) {
            return RH_OK;
        }
        const bool is_busy = rh__queue_is_busy(r->queue);
        rh_parcel *parcel = rh__queue_get(r->queue, TOGETHER);
        if (parcel != NULL) {
            send_parcels(r, parcel);
        } else if (!is_busy) {
            rest(TOGETHER);
        }
    }
}

// --- running -------------------------------------------------------------------------------------

static uint32_t count_threads(const rh_sweep *sweep)
{
    if (sweep->thread_count > 0) {
        return sweep->thread_count;
    }
    // those this process may use, shared with the other processes that may use them
    cpu_set_t set;
    const long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (long)CPU_COUNT(&set) : 1;
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    const long share = cores < all ? cores : cores / rh_ranks_count(sweep->ranks);
    return share > 1 ? (uint32_t)share : 1;
}

static rh_status start(running *r)
{
    const size_t ranks = (size_t)rh_ranks_count(r->ranks);
    const bool is_leading = rh_ranks_own(r->ranks) == 0;
    r->room = calloc(ranks, sizeof *r->room);
    r->load = calloc(ranks, sizeof *r->load);
    if (r->room == NULL || r->load == NULL) {
        return RH_E_MEMORY;
    }
    RH_TRY(is_leading ? rh__desk_create(r->sweep, r->err, &r->desk) : rh__queue_create(&r->queue));
    const rh_supply supply = is_leading ? rh__desk_supply(r->desk) : rh__queue_supply(r->queue);
    return rh__crew_create(r->sweep, count_threads(r->sweep), supply, &r->crew);
}

rh_status rh__ranks_run(rh_sweep *sweep, const rh_sweep_run_def *def, uint64_t *out_done,
                        rh_error *err)
{
    running r = {.sweep = sweep, .def = def, .ranks = sweep->ranks, .err = err};
    const bool is_leading = rh_ranks_own(sweep->ranks) == 0;
    if (is_leading) {
        RH_TRY(rh__ledger_open(sweep, def->record, def->is_resumed, &sweep->ledger, err));
        *out_done = rh__ledger_done(sweep->ledger);
    }
    rh_status status = start(&r);
    if (status == RH_OK) {
        status = is_leading ? lead(&r) : follow(&r);
    }
    dismiss(sweep->ranks);
    rh__crew_destroy(r.crew);
    rh__desk_destroy(r.desk);
    rh__queue_destroy(r.queue);
    free(r.room);
    free(r.load);
    if (is_leading) {
        *out_done = rh__ledger_done(sweep->ledger);
    }
    return status == RH_OK || err == NULL || err->message[0] != '\0'
               ? status
               : rh__error_fill(err, status, "%s", rh_status_text(status));
}
