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

// Blocks of a thread, with the one it works on. Others have to be asked for more, and to look up.
enum { DEPTH = 2, DEPTH_TOGETHER = 4 };

#define ALONE 0.05     // seconds between two looks around
#define TOGETHER 0.003 // the same, when others may wait for an answer; they have more to do

// --- meeting -------------------------------------------------------------------------------------

static bool is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL;
}

static rh_status meet(rh_ranks *ranks, rh_error *err)
{
    // never closed: MPI leaves things behind that live as long as the program
    void *library = dlopen("rheonom_mpi.so", RTLD_NOW | RTLD_GLOBAL);
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
    WORD_READY,  // to 0: how many blocks there is room for
    WORD_BLOCKS, // from 0: their numbers
    WORD_PARCEL, // to 0: the number of a block, then its bytes
    WORD_FAILED, // to 0: a status
    WORD_END     // from 0: there is nothing more to do
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
    rh_crew *crew;
    uint64_t next;         // block that was not handed out yet
    uint64_t *room, *load; // by rank: blocks it can have, and has
    rh_error *err;
} running;

static bool next_block(running *r, uint64_t *out)
{
    const uint64_t count = r->sweep->plan.block_count;
    while (r->next < count && rh__ledger_has(r->sweep->ledger, r->next)) {
        r->next++;
    }
    *out = r->next;
    return r->next++ < count;
}

// Blocks that somebody with so much room shall have now: enough to be asked for more in time, and
// towards the end no more than others would wait for.
static uint64_t share_of(const running *r, uint64_t room)
{
    const uint64_t count = r->sweep->plan.block_count;
    const uint64_t left = r->next < count ? count - r->next : 0;
    const uint64_t fair = left / (2 * (uint64_t)rh_ranks_count(r->ranks));
    const uint64_t least = (room + 1) / 2;
    return fair > room ? room : fair > least ? fair : least;
}

static rh_status feed_own(running *r)
{
    uint64_t block = 0;
    const uint64_t room = rh__crew_room(r->crew);
    for (uint64_t load = rh__crew_load(r->crew); load < share_of(r, room) && next_block(r, &block);
         load++) {
        RH_TRY(rh__crew_give(r->crew, block));
    }
    return RH_OK;
}

static void feed_other(running *r, int rank)
{
    enum { MOST = 64 }; // in a message
    size_t count = 0;
    do {
        uint64_t words[1 + MOST] = {WORD_BLOCKS};
        count = 0;
        while (count < MOST && r->load[rank] < share_of(r, r->room[rank]) &&
               next_block(r, &words[1 + count])) {
            r->load[rank]++;
            count++;
        }
        if (count > 0) {
            send_words(r->ranks, rank, words, 1 + count);
        }
    } while (count == MOST);
}

static rh_status keep_parcel(running *r, const unsigned char *data, size_t size)
{
    uint64_t block = 0;
    if (size < 2 * sizeof block) {
        return RH_E_ARGUMENT;
    }
    memcpy(&block, data + sizeof block, sizeof block);
    const rh_bytes bytes = {.data = (unsigned char *)(uintptr_t)data + 2 * sizeof block,
                            .size = size - 2 * sizeof block};
    return block < r->sweep->plan.block_count
               ? rh__ledger_add(r->sweep->ledger, block, &bytes, r->err)
               : RH_E_ARGUMENT;
}

static rh_status hear(running *r, int from, const unsigned char *data, size_t size)
{
    uint64_t words[2] = {WORD_END, 0};
    memcpy(words, data, size < sizeof words ? size : sizeof words);
    switch (words[0]) {
    case WORD_READY:
        r->room[from] = words[1];
        feed_other(r, from);
        return RH_OK;
    case WORD_PARCEL:
        r->load[from] -= r->load[from] > 0;
        feed_other(r, from);
        return keep_parcel(r, data, size);
    default:
        return rh__error_fill(r->err, words[1] == RH_E_MEMORY ? RH_E_MEMORY : RH_E_LIMIT,
                              "process %d cannot go on", from);
    }
}

static rh_status hear_all(running *r, bool *out_any)
{
    int from = 0;
    unsigned char *data = NULL;
    size_t size = 0;
    rh_status status = RH_OK;
    *out_any = false;
    while (r->ranks != NULL && status == RH_OK && r->ranks->guest->receive(&from, &data, &size)) {
        status = hear(r, from, data, size);
        free(data);
        *out_any = true;
    }
    return status;
}

static rh_status take_parcels(running *r, double seconds)
{
    rh_status status = RH_OK;
    rh_parcel *parcel = rh__crew_take(r->crew, seconds);
    while (parcel != NULL && status == RH_OK) {
        status = parcel->status != RH_OK
                     ? rh__error_fill(r->err, parcel->status, "%s", rh_status_text(parcel->status))
                     : rh__ledger_add(r->sweep->ledger, parcel->block, &parcel->bytes, r->err);
        rh__bytes_free(&parcel->bytes);
        free(parcel);
        parcel = status == RH_OK ? rh__crew_take(r->crew, 0.0) : NULL;
    }
    return status;
}

static bool may_go_on(const running *r)
{
    const rh_ledger *ledger = r->sweep->ledger;
    return r->def->go_on == NULL ||
           r->def->go_on(r->def->user, rh__ledger_done(ledger), r->sweep->plan.member_count);
}

static rh_status lead(running *r)
{
    const uint64_t count = r->sweep->plan.member_count;
    bool is_going = may_go_on(r);
    while (is_going && rh__ledger_done(r->sweep->ledger) < count) {
        bool is_any = false;
        RH_TRY(feed_own(r));
        RH_TRY(hear_all(r, &is_any));
        const bool is_busy = rh__crew_is_busy(r->crew);
        RH_TRY(take_parcels(r, r->ranks != NULL ? TOGETHER : ALONE));
        if (!is_busy && r->ranks != NULL && !is_any) {
            rest(TOGETHER);
        }
        is_going = may_go_on(r);
    }
    return RH_OK;
}

// --- the others ----------------------------------------------------------------------------------

static bool send_parcel(const running *r, const rh_parcel *parcel)
{
    const uint64_t head[2] = {parcel->status == RH_OK ? WORD_PARCEL : WORD_FAILED,
                              parcel->status == RH_OK ? parcel->block : (uint64_t)parcel->status};
    rh_bytes message = {.size = 0};
    const bool ok = rh__bytes_put(&message, head, sizeof head) &&
                    rh__bytes_put(&message, parcel->bytes.data, parcel->bytes.size);
    if (ok) {
        r->ranks->guest->send(0, message.data, message.size);
    }
    rh__bytes_free(&message);
    return ok;
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
            status = rh__crew_give(r->crew, block);
        }
        free(data);
    }
    return status;
}

static rh_status follow(const running *r)
{
    const uint64_t words[2] = {WORD_READY, rh__crew_room(r->crew)};
    bool is_going = true;
    send_words(r->ranks, 0, words, 2);
    for (;;) {
        RH_TRY(obey(r, &is_going));
        if (!is_going) {
            return RH_OK;
        }
        const bool is_busy = rh__crew_is_busy(r->crew);
        rh_parcel *parcel = rh__crew_take(r->crew, TOGETHER);
        if (parcel != NULL) {
            const bool ok = send_parcel(r, parcel);
            rh__bytes_free(&parcel->bytes);
            free(parcel);
            RH_TRY(ok ? RH_OK : RH_E_MEMORY);
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

rh_status rh__ranks_run(rh_sweep *sweep, const rh_sweep_run_def *def, uint64_t *out_done,
                        rh_error *err)
{
    running r = {.sweep = sweep, .def = def, .ranks = sweep->ranks, .err = err};
    const bool is_leading = rh_ranks_own(sweep->ranks) == 0;
    const size_t ranks = (size_t)rh_ranks_count(sweep->ranks);
    if (is_leading) {
        RH_TRY(rh__ledger_open(sweep, def->record, def->is_resumed, &sweep->ledger, err));
        *out_done = rh__ledger_done(sweep->ledger);
    }
    r.room = calloc(ranks, sizeof *r.room);
    r.load = calloc(ranks, sizeof *r.load);
    rh_status status = r.room == NULL || r.load == NULL
                           ? RH_E_MEMORY
                           : rh__crew_create(sweep, count_threads(sweep),
                                             ranks > 1 ? DEPTH_TOGETHER : DEPTH, &r.crew);
    if (status == RH_OK) {
        status = is_leading ? lead(&r) : follow(&r);
    }
    dismiss(sweep->ranks);
    rh__crew_destroy(r.crew);
    free(r.room);
    free(r.load);
    if (is_leading) {
        *out_done = rh__ledger_done(sweep->ledger);
    }
    return status == RH_OK || err == NULL || err->message[0] != '\0'
               ? status
               : rh__error_fill(err, status, "%s", rh_status_text(status));
}
