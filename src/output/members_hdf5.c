// SPDX-License-Identifier: Apache-2.0
// The members of a sweep as a file of HDF5. The guest writes a draft (draft.h); when all is there
// the file gets its name. A slash in the name of a column would make a group, and becomes a colon.

#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): its name is given

#include "output/output.h"

#include "output/draft.h"
#include "output/hdf5.h"
#include "sweep/sweep.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096, WORD = 8, REASON = 256, WHOLES = 3, TEXTS = 3, ARENA_LIMIT = 1 << 20 };

static const rh_hdf5_guest *find_guest(void)
{
    // never closed: the library leaves things behind that live as long as the program
    void *library = rh__guest_open("rheonom_hdf5.so", false);
    return library != NULL ? dlsym(library, "rh_hdf5_guest_own") : NULL;
}

bool rh_output_has_hdf5(void)
{
    return find_guest() != NULL;
}

typedef struct piece {
    const rh_hdf5_guest *guest;
    void *file;
    size_t width; // columns with numbers, the time among them
    double *numbers;
    uint64_t *wholes; // member, steps, events
    char *status, *code, *reason;
    uint64_t first, count;
} piece;

static bool reserve(piece *it)
{
    it->numbers = calloc(PIECE * it->width, sizeof *it->numbers);
    it->wholes = calloc((size_t)PIECE * WHOLES, sizeof *it->wholes);
    it->status = calloc(PIECE, WORD);
    it->code = calloc(PIECE, WORD);
    it->reason = calloc(PIECE, REASON);
    return it->numbers != NULL && it->wholes != NULL && it->status != NULL && it->code != NULL &&
           it->reason != NULL;
}

static void release(piece *it)
{
    free(it->numbers);
    free(it->wholes);
    free(it->status);
    free(it->code);
    free(it->reason);
}

static bool add_number(const piece *it, const char *name, uint64_t count)
{
    char clean[512];
    (void)rh__text_fill(clean, sizeof clean, "%s", name);
    for (char *at = clean; *at != '\0'; at++) {
        *at = *at == '/' ? ':' : *at;
    }
    return it->guest->numbers(it->file, clean, count);
}

static bool add_columns(const piece *it, const rh_sweep *sweep)
{
    const uint64_t count = rh_sweep_member_count(sweep);
    bool ok = true;
    for (size_t k = 0; ok && k + 1 < it->width; k++) {
        ok = add_number(it, rh_sweep_column_name(sweep, k), count);
    }
    return ok && it->guest->numbers(it->file, "time", count) &&
           it->guest->wholes(it->file, "member", count) &&
           it->guest->wholes(it->file, "steps", count) &&
           it->guest->wholes(it->file, "events", count) &&
           it->guest->texts(it->file, "status", count, WORD) &&
           it->guest->texts(it->file, "code", count, WORD) &&
           it->guest->texts(it->file, "reason", count, REASON);
}

static bool flush(piece *it)
{
    const uint32_t width = (uint32_t)it->width;
    bool ok = true;
    for (uint32_t k = 0; ok && k < width; k++) {
        ok = it->guest->write(it->file, k, it->first, it->count, it->numbers + (size_t)k * PIECE);
    }
    for (uint32_t k = 0; ok && k < WHOLES; k++) {
        ok = it->guest->write(it->file, width + k, it->first, it->count,
                              it->wholes + (size_t)k * PIECE);
    }
    const char *const texts[TEXTS] = {it->status, it->code, it->reason};
    for (uint32_t k = 0; ok && k < TEXTS; k++) {
        ok = it->guest->write(it->file, width + WHOLES + k, it->first, it->count, texts[k]);
    }
    it->first += it->count;
    it->count = 0;
    return ok;
}

static void put_text(char *out, size_t room, const char *text)
{
    size_t k = 0;
    for (; k < room && text[k] != '\0'; k++) {
        out[k] = text[k];
    }
    for (; k < room; k++) {
        out[k] = '\0';
    }
}

static bool put_member(piece *it, const rh_sweep_member *member)
{
    const size_t at = (size_t)it->count++;
    for (size_t k = 0; k + 1 < it->width; k++) {
        it->numbers[k * PIECE + at] = member->values[k];
    }
    it->numbers[(it->width - 1) * PIECE + at] = member->time;
    it->wholes[at] = member->number;
    it->wholes[PIECE + at] = member->steps;
    it->wholes[2 * (size_t)PIECE + at] = member->events;
    put_text(it->status + at * WORD, WORD,
             member->stop == RH_STOP_REACHED ? "reached"
             : member->stop == RH_STOP_EVENT ? "event"
                                             : "failed");
    put_text(it->code + at * WORD, WORD, member->code);
    put_text(it->reason + at * REASON, REASON, member->reason);
    return it->count < PIECE || flush(it);
}

static rh_status write_members(rh_sweep *sweep, piece *it, rh_error *err)
{
    rh_sweep_member member;
    bool is_there = true;
    bool ok = add_columns(it, sweep);
    rh_sweep_rewind(sweep);
    while (ok && is_there) {
        RH_TRY(rh_sweep_next(sweep, &member, &is_there, err));
        ok = !is_there || put_member(it, &member);
    }
    ok = ok && (it->count == 0 || flush(it));
    return ok ? RH_OK : rh__error_fill(err, RH_E_WRITE, "HDF5 cannot write its columns");
}

static rh_status write_part(rh_sweep *sweep, const rh_hdf5_guest *guest, const char *part,
                            rh_error *err)
{
    char why[100] = "";
    piece it = {.guest = guest, .width = rh_sweep_column_count(sweep) + 1};
    it.file = guest->begin(part, why, sizeof why);
    if (it.file == NULL) {
        return rh__error_fill(err, RH_E_WRITE, "%.100s: %s", part, why);
    }
    rh_status status = reserve(&it) ? write_members(sweep, &it, err) : RH_E_MEMORY;
    release(&it);
    if (!guest->end(it.file) && status == RH_OK) {
        status = rh__error_fill(err, RH_E_WRITE, "%.100s: HDF5 cannot end the file", part);
    }
    return status;
}

rh_status rh_output_members_hdf5(rh_sweep *sweep, const char *path, rh_error *err)
{
    RH_REQUIRE(sweep != NULL && path != NULL, err);
    const rh_hdf5_guest *guest = find_guest();
    if (guest == NULL) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "this library was built without HDF5");
    }
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_draft draft;
    rh_status status = rh__draft_begin(&arena, path, &draft, err);
    if (status == RH_OK && draft.part == NULL) {
        rh__draft_discard(&draft);
        status = rh__error_fill(err, RH_E_WRITE, "%.100s is no place for a file of HDF5", path);
    } else if (status == RH_OK) {
        rh__draft_lend(&draft);
        status = write_part(sweep, guest, draft.part, err);
        if (status == RH_OK) {
            status = rh__draft_keep(&draft, err);
        } else {
            rh__draft_discard(&draft);
        }
    }
    rh__arena_end(&arena);
    return status;
}
