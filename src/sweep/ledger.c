// SPDX-License-Identifier: Apache-2.0
// The ledger: finished blocks in a file, in the order in which they were finished. A line of text,
// what the sweep is, then for each block its number, its size, its bytes and a hash of these. What
// was cut off at the end is not there when the file is opened again; everything before it is.

#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): its name is given

#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char LINE[] = "rheonom sweep 1\n";

enum { LINE_SIZE = sizeof LINE - 1, HEAD = LINE_SIZE + 4 * 8, FRAME = 2 * 8, SUM = 8 };

struct rh_ledger {
    const rh_plan *plan;
    char *path;
    int file;
    off_t end;      // where the next block goes
    off_t *offsets; // by block: of its frame; 0: it is not there
    uint64_t done;  // members
    bool is_removed;
    time_t synced; // when what was added was forced to the disk
};

// --- bytes ---------------------------------------------------------------------------------------

// Room for so many more.
static bool reserve(rh_bytes *bytes, size_t size)
{
    RH_ASSERT(bytes->size <= bytes->capacity);
    if (size <= bytes->capacity - bytes->size) {
        return true;
    }
    const size_t capacity = 2 * bytes->capacity + size + 256;
    unsigned char *grown = realloc(bytes->data, capacity);
    if (grown == NULL) {
        return false;
    }
    bytes->data = grown;
    bytes->capacity = capacity;
    return true;
}

bool rh__bytes_put(rh_bytes *bytes, const void *data, size_t size)
{
    if (!reserve(bytes, size)) {
        return false;
    }
    if (size > 0) {
        memcpy(bytes->data + bytes->size, data, size);
    }
    bytes->size += size;
    return true;
}

void rh__bytes_free(rh_bytes *bytes)
{
    free(bytes->data);
    *bytes = (rh_bytes){.size = 0};
}

static bool get(const rh_bytes *in, size_t *at, void *out, size_t size)
{
    RH_ASSERT(*at <= in->size);
    if (size > in->size - *at) {
        return false;
    }
    memcpy(out, in->data + *at, size);
    *at += size;
    return true;
}

static bool put_text(rh_bytes *out, const char *text)
{
    RH_ASSERT(strlen(text) <= UINT16_MAX);
    const uint16_t size = (uint16_t)strlen(text);
    return rh__bytes_put(out, &size, sizeof size) && rh__bytes_put(out, text, size);
}

static bool get_text(const rh_bytes *in, size_t *at, char *out, size_t room)
{
    uint16_t size = 0;
    if (!get(in, at, &size, sizeof size) || size >= room || !get(in, at, out, size)) {
        return false;
    }
    out[size] = '\0';
    return true;
}

bool rh__row_write(const rh_member_row *row, size_t width, rh_bytes *out)
{
    const uint32_t stop = (uint32_t)row->stop;
    return rh__bytes_put(out, row->values, width * sizeof *row->values) &&
           rh__bytes_put(out, &row->time, sizeof row->time) &&
           rh__bytes_put(out, &row->steps, sizeof row->steps) &&
           rh__bytes_put(out, &row->events, sizeof row->events) &&
           rh__bytes_put(out, &stop, sizeof stop) && put_text(out, row->code) &&
           put_text(out, row->reason);
}

bool rh__row_read(rh_member_row *row, size_t width, const rh_bytes *in, size_t *at)
{
    uint32_t stop = 0;
    const bool is_fine =
        get(in, at, row->values, width * sizeof *row->values) &&
        get(in, at, &row->time, sizeof row->time) && get(in, at, &row->steps, sizeof row->steps) &&
        get(in, at, &row->events, sizeof row->events) && get(in, at, &stop, sizeof stop) &&
        stop <= RH_STOP_FAILED && get_text(in, at, row->code, sizeof row->code) &&
        get_text(in, at, row->reason, sizeof row->reason);
    row->stop = (rh_stop)stop;
    return is_fine;
}

// Once a second, and at the end: a block may take less than a millisecond. What the disk loses is
// computed again; a record without a name is nobody's.
static void sync_blocks(rh_ledger *ledger, bool is_last)
{
    const time_t now = time(NULL);
    if (!ledger->is_removed && (is_last || now != ledger->synced)) {
        (void)fdatasync(ledger->file);
        ledger->synced = now;
    }
}

// --- the file ------------------------------------------------------------------------------------

static rh_status fail(const rh_ledger *ledger, rh_status status, const char *what, rh_error *err)
{
    return rh__error_fill(err, status, "%s %.150s: %s", what, ledger->path,
                          errno != 0 ? strerror(errno) : "it ends too early");
}

static bool write_at(int file, const unsigned char *data, size_t size, off_t at)
{
    while (size > 0) {
        const ssize_t taken = pwrite(file, data, size, at);
        if (taken <= 0 && errno != EINTR) {
            return false;
        }
        const size_t done = taken > 0 ? (size_t)taken : 0;
        data += done;
        size -= done;
        at += (off_t)done;
    }
    return true;
}

static bool read_at(int file, unsigned char *data, size_t size, off_t at)
{
    errno = 0;
    while (size > 0) {
        const ssize_t got = pread(file, data, size, at);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        const size_t done = got > 0 ? (size_t)got : 0;
        data += done;
        size -= done;
        at += (off_t)done;
    }
    return true;
}

static void put_head(const rh_sweep *sweep, unsigned char out[HEAD])
{
    const uint64_t words[4] = {sweep->fingerprint, sweep->plan.member_count, sweep->plan.block_size,
                               rh__plan_width(&sweep->plan)};
    memcpy(out, LINE, LINE_SIZE);
    memcpy(out + LINE_SIZE, words, sizeof words);
}

// --- opening -------------------------------------------------------------------------------------

static rh_status check_head(const rh_sweep *sweep, const rh_ledger *ledger, rh_error *err)
{
    unsigned char wanted[HEAD];
    unsigned char found[HEAD] = {0};
    put_head(sweep, wanted);
    if (!read_at(ledger->file, found, HEAD, 0) || memcmp(found, LINE, LINE_SIZE) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "%.150s is no record of a sweep: remove it, or write elsewhere",
                              ledger->path);
    }
    if (memcmp(found, wanted, HEAD) != 0) {
        return rh__error_fill(
            err, RH_E_ARGUMENT,
            "%.150s belongs to another sweep: the model, the seed or an option is "
            "not the same. Remove it to begin anew",
            ledger->path);
    }
    return RH_OK;
}

// The frame and the bytes of a block into `room`; false when they are not whole. `out_end` is where
// the next one begins.
static bool read_block(const rh_ledger *ledger, off_t at, off_t size, rh_bytes *room,
                       off_t *out_end)
{
    uint64_t frame[2] = {0, 0};
    uint64_t sum = 0;
    if (at + FRAME > size || !read_at(ledger->file, (unsigned char *)frame, FRAME, at)) {
        return false;
    }
    const uint64_t left = (uint64_t)(size - at) - FRAME;
    if (frame[0] >= ledger->plan->block_count || left < SUM || frame[1] > left - SUM) {
        return false;
    }
    const size_t count = (size_t)frame[1];
    room->size = 0;
    if (!rh__bytes_put(room, frame, FRAME) || !reserve(room, count) ||
        !read_at(ledger->file, room->data + FRAME, count, at + FRAME) ||
        !read_at(ledger->file, (unsigned char *)&sum, SUM, at + FRAME + (off_t)count) ||
        sum != rh__hash_bytes(room->data, FRAME + count, 0)) {
        return false;
    }
    room->size += count;
    *out_end = at + FRAME + (off_t)count + SUM;
    return true;
}

static void note_block(rh_ledger *ledger, uint64_t block, off_t at, off_t end)
{
    RH_ASSERT(block < ledger->plan->block_count && at >= HEAD && at < end);
    ledger->done += ledger->offsets[block] == 0 ? rh__plan_members(ledger->plan, block) : 0;
    RH_ASSERT(ledger->done <= ledger->plan->member_count);
    ledger->offsets[block] = at;
    ledger->end = end;
}

static rh_status scan(const rh_sweep *sweep, rh_ledger *ledger, rh_error *err)
{
    RH_TRY(check_head(sweep, ledger, err));
    const off_t size = lseek(ledger->file, 0, SEEK_END);
    rh_bytes room = {.size = 0};
    ledger->end = HEAD;
    for (off_t end = 0; read_block(ledger, ledger->end, size, &room, &end);) {
        uint64_t block = 0;
        memcpy(&block, room.data, sizeof block);
        note_block(ledger, block, ledger->end, end);
    }
    rh__bytes_free(&room);
    // what is behind belongs to nobody
    return ftruncate(ledger->file, ledger->end) == 0
               ? RH_OK
               : fail(ledger, RH_E_WRITE, "cannot write", err);
}

static rh_status begin(const rh_sweep *sweep, rh_ledger *ledger, rh_error *err)
{
    unsigned char head[HEAD];
    put_head(sweep, head);
    ledger->end = HEAD;
    return write_at(ledger->file, head, HEAD, 0) ? RH_OK
                                                 : fail(ledger, RH_E_WRITE, "cannot write", err);
}

// A file that has no more than the beginning of a record has lost nothing.
static bool is_empty(int file)
{
    unsigned char found[HEAD];
    const off_t size = lseek(file, 0, SEEK_END);
    const size_t line = size < LINE_SIZE ? (size_t)(size > 0 ? size : 0) : LINE_SIZE;
    return size >= 0 && size <= HEAD && read_at(file, found, line, 0) &&
           memcmp(found, LINE, line) == 0;
}

// A file without a name.
static rh_status open_nameless(const rh_sweep *sweep, rh_ledger *ledger, rh_error *err)
{
    ledger->file = mkstemp(ledger->path);
    ledger->is_removed = ledger->file >= 0 && unlink(ledger->path) == 0;
    return ledger->is_removed ? begin(sweep, ledger, err)
                              : fail(ledger, RH_E_WRITE, "cannot write", err);
}

static rh_status open_file(const rh_sweep *sweep, rh_ledger *ledger, bool is_resumed, rh_error *err)
{
    ledger->file = open(ledger->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (ledger->file < 0) {
        return fail(ledger, RH_E_WRITE, "cannot write", err);
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(ledger->file, F_SETLK, &lock) < 0 && (errno == EACCES || errno == EAGAIN)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "%.150s is in use by another sweep",
                              ledger->path);
    }
    if (is_empty(ledger->file)) {
        return ftruncate(ledger->file, 0) == 0 ? begin(sweep, ledger, err)
                                               : fail(ledger, RH_E_WRITE, "cannot write", err);
    }
    if (!is_resumed) {
        RH_TRY(check_head(sweep, ledger, err));
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "%.150s holds members of this sweep already: go on with --resume, or "
                              "remove it",
                              ledger->path);
    }
    return scan(sweep, ledger, err);
}

rh_status rh__ledger_open(const rh_sweep *sweep, const char *path, bool is_resumed, rh_ledger **out,
                          rh_error *err)
{
    rh_ledger *ledger = calloc(1, sizeof *ledger);
    *out = NULL;
    if (ledger == NULL) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    ledger->plan = &sweep->plan;
    ledger->file = -1;
    const bool is_nameless = path == NULL;
    const char *folder = is_nameless ? getenv("TMPDIR") : NULL;
    folder = folder != NULL && folder[0] != '\0' ? folder : "/tmp";
    const size_t room = is_nameless ? strlen(folder) + sizeof "/rheonom-XXXXXX" : strlen(path) + 1;
    ledger->path = malloc(room);
    ledger->offsets = calloc((size_t)sweep->plan.block_count + 1, sizeof *ledger->offsets);
    rh_status status = RH_E_MEMORY;
    if (ledger->path != NULL && ledger->offsets != NULL) {
        (void)rh__text_fill(ledger->path, room, "%s%s", is_nameless ? folder : path,
                            is_nameless ? "/rheonom-XXXXXX" : "");
        errno = 0;
        status = is_nameless ? open_nameless(sweep, ledger, err)
                             : open_file(sweep, ledger, is_resumed, err);
    }
    if (status != RH_OK) {
        rh__ledger_close(ledger);
        return status;
    }
    *out = ledger;
    return RH_OK;
}

void rh__ledger_close(rh_ledger *ledger)
{
    if (ledger == NULL) {
        return;
    }
    if (ledger->file >= 0) {
        sync_blocks(ledger, true);
        (void)close(ledger->file);
    }
    free(ledger->path);
    free(ledger->offsets);
    free(ledger);
}

void rh__ledger_remove(rh_ledger *ledger)
{
    if (ledger != NULL && !ledger->is_removed) {
        ledger->is_removed = unlink(ledger->path) == 0;
    }
}

// --- blocks --------------------------------------------------------------------------------------

bool rh__ledger_has(const rh_ledger *ledger, uint64_t block)
{
    RH_ASSERT(block < ledger->plan->block_count);
    return ledger->offsets[block] != 0;
}

uint64_t rh__ledger_done(const rh_ledger *ledger)
{
    return ledger->done;
}

rh_status rh__ledger_add(rh_ledger *ledger, uint64_t block, const rh_bytes *bytes, rh_error *err)
{
    const uint64_t frame[2] = {block, bytes->size};
    rh_bytes whole = {.size = 0};
    bool ok =
        rh__bytes_put(&whole, frame, FRAME) && rh__bytes_put(&whole, bytes->data, bytes->size);
    const uint64_t sum = ok ? rh__hash_bytes(whole.data, whole.size, 0) : 0;
    ok = ok && rh__bytes_put(&whole, &sum, SUM);
    errno = 0;
    rh_status status = ok ? RH_OK : RH_E_MEMORY;
    if (ok && !write_at(ledger->file, whole.data, whole.size, ledger->end)) {
        status = fail(ledger, RH_E_WRITE, "cannot write", err);
    }
    if (status == RH_OK) {
        note_block(ledger, block, ledger->end, ledger->end + (off_t)whole.size);
        sync_blocks(ledger, false);
    }
    rh__bytes_free(&whole);
    return status;
}

rh_status rh__ledger_get(const rh_ledger *ledger, uint64_t block, rh_bytes *out, rh_error *err)
{
    off_t end = 0;
    out->size = 0;
    if (!rh__ledger_has(ledger, block) ||
        !read_block(ledger, ledger->offsets[block], ledger->end, out, &end)) {
        return fail(ledger, RH_E_WRITE, "cannot read", err);
    }
    out->size -= FRAME;
    memmove(out->data, out->data + FRAME, out->size);
    return RH_OK;
}
