// SPDX-License-Identifier: Apache-2.0
// A file under way: PATH.part-XXXXXXXX in the folder of PATH, made anew (O_EXCL), renamed to PATH
// at the end, when it is on the disk. So nobody ever sees half a file, and two writers of one path
// do not mix. A path that leads to something else than a regular file is written in place. A part
// is locked as long as somebody writes it: one that nobody has locked was left behind by a program
// that was killed, and whoever writes that path next removes it.

#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "output/draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 16, LONGEST_SHOWN = 120, DIGITS = 8, NAMES_BESIDE = 100 };

static const char PART[] = ".part-";

rh_status rh__draft_refuse(const rh_draft *draft, rh_error *err)
{
    // of a long path the end says more
    const size_t size = strlen(draft->path);
    const bool is_long = size > LONGEST_SHOWN;
    char beside[32] = "";
    if (draft->beside != 0) {
        (void)rh__text_fill(beside, sizeof beside, ".incomplete%s%.0u",
                            draft->beside > 1 ? "-" : "", draft->beside > 1 ? draft->beside : 0);
    }
    return rh__error_fill(
        err, RH_E_WRITE, "cannot write %s%s: %s%s%s", is_long ? "..." : "",
        is_long ? draft->path + (size - LONGEST_SHOWN) : draft->path, strerror(draft->reason),
        beside[0] != '\0' ? "; the older file is as it was, what could be written has its "
                            "name with "
                          : "",
        beside);
}

static rh_status fail(rh_draft *draft, rh_error *err)
{
    draft->reason = errno;
    return rh__draft_refuse(draft, err);
}

// Only a regular file can be cut, here to the size it has.
static bool is_regular(int file)
{
    const off_t end = lseek(file, 0, SEEK_END);
    return end >= 0 && ftruncate(file, end) == 0;
}

// Look at what is there already: a file that may be written is replaced, anything else that may be
// written is opened.
static rh_status try_place(rh_draft *draft, rh_error *err)
{
    // without O_NONBLOCK a pipe would wait for its reader, and that is right only for writing
    int file = open(draft->path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 && errno == ENXIO) {
        file = open(draft->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    }
    if (file < 0) {
        return errno == ENOENT ? RH_OK : fail(draft, err);
    }
    if (is_regular(file)) {
        (void)close(file);
        return RH_OK;
    }
    if (fcntl(file, F_SETFL, 0) < 0) {
        const rh_status status = fail(draft, err);
        (void)close(file);
        return status;
    }
    draft->file = file;
    return RH_OK;
}

// A number that another process, another thread and the next attempt do not have.
static uint32_t choose_suffix(const rh_draft *draft, int attempt)
{
    struct timespec now = {0};
    (void)timespec_get(&now, TIME_UTC);
    const uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(),
                              (uint64_t)(uintptr_t)draft, (uint64_t)attempt};
    return (uint32_t)rh__hash_bytes(parts, sizeof parts, 0);
}

static rh_status open_part(rh_arena *arena, rh_draft *draft, rh_error *err)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const uint32_t suffix = choose_suffix(draft, attempt);
        draft->part = rh__text_print(arena, "%s.part-%08x", draft->path, (unsigned)suffix);
        if (arena->status != RH_OK) {
            return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
        }
        draft->file = open(draft->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (draft->file < 0 && errno != EEXIST) {
            break;
        }
        // whoever has it locked already takes it for one that was left behind
        if (draft->file >= 0 &&
            (flock(draft->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) {
            break;
        }
        if (draft->file >= 0) {
            (void)close(draft->file);
            draft->file = -1;
            errno = EEXIST;
        }
    }
    return draft->file >= 0 ? RH_OK : fail(draft, err);
}

// --- parts that were left behind -----------------------------------------------------------------

// The last name of a path; `folder` gets what stands before it, at least "." or "/".
static const char *split_path(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, size == 0 ? "." : path, size == 0 ? 1 : size);
    folder[size == 0 ? 1 : size] = '\0';
    return slash == NULL ? path : slash + 1;
}

static bool is_part_of(const char *name, const char *base)
{
    const size_t size = strlen(base);
    const size_t mark = sizeof PART - 1;
    return strncmp(name, base, size) == 0 && strncmp(name + size, PART, mark) == 0 &&
           strspn(name + size + mark, "0123456789abcdef") == DIGITS &&
           name[size + mark + DIGITS] == '\0';
}

static void remove_orphans(const char *path)
{
    char *folder = malloc(strlen(path) + 2);
    if (folder == NULL) {
        return;
    }
    const char *base = split_path(path, folder);
    DIR *list = opendir(folder);
    for (const struct dirent *it = list != NULL ? readdir(list) : NULL; it != NULL;
         it = readdir(list)) {
        if (!is_part_of(it->d_name, base)) {
            continue;
        }
        const int file = openat(dirfd(list), it->d_name,
                                O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (file >= 0 && is_regular(file) && flock(file, LOCK_EX | LOCK_NB) == 0) {
            (void)unlinkat(dirfd(list), it->d_name, 0);
        }
        if (file >= 0) {
            (void)close(file);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    free(folder);
}

rh_status rh__draft_begin(rh_arena *arena, const char *path, rh_draft *out, rh_error *err)
{
    *out = (rh_draft){.path = path, .file = -1};
    // a link stays a link: what it leads to is replaced
    char *real = realpath(path, NULL);
    out->path = rh__slice_copy(arena, rh__slice_of(real != NULL ? real : path));
    free(real);
    if (out->path == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    RH_TRY(try_place(out, err));
    if (out->file < 0) {
        remove_orphans(out->path);
    }
    return out->file >= 0 ? RH_OK : open_part(arena, out, err);
}

bool rh__draft_write(rh_draft *draft, const char *data, size_t size)
{
    if (draft->reason != 0) {
        return false;
    }
    size_t done = 0;
    while (done < size) {
        const ssize_t taken = write(draft->file, data + done, size - done);
        if (taken > 0) {
            done += (size_t)taken;
        } else if (taken == 0 || errno != EINTR) {
            draft->reason = taken == 0 ? EIO : errno;
            break;
        }
    }
    const bool is_whole = done == size;
    while (!is_whole && done > 0 && data[done - 1] != '\n') {
        done--;
    }
    draft->size += done;
    if (!is_whole && draft->part != NULL) {
        // cut off the broken line
        (void)(ftruncate(draft->file, (off_t)draft->size) == 0 &&
               lseek(draft->file, (off_t)draft->size, SEEK_SET) >= 0);
    }
    return is_whole;
}

static void note_failure(rh_draft *draft, bool is_done)
{
    if (!is_done && draft->reason == 0) {
        draft->reason = errno;
    }
}

// A name is on the disk when its folder is.
static void sync_folder(const char *path)
{
    char *folder = malloc(strlen(path) + 2);
    if (folder != NULL) {
        (void)split_path(path, folder);
        const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (file >= 0) {
            (void)fsync(file); // some file systems do not know how
            (void)close(file);
        }
        free(folder);
    }
}

// What could be written of a file that is not whole: it takes its place where there is none, and
// stays beside an older one under the first free name. Nothing is ever written over.
static void keep_beside(rh_draft *draft)
{
    if (link(draft->part, draft->path) == 0) {
        (void)unlink(draft->part);
        return;
    }
    char *name = malloc(strlen(draft->path) + 32);
    for (unsigned k = 1; name != NULL && draft->beside == 0 && k < NAMES_BESIDE; k++) {
        (void)sprintf(name, k == 1 ? "%s.incomplete" : "%s.incomplete-%u", draft->path, k);
        if (link(draft->part, name) == 0) {
            (void)unlink(draft->part);
            draft->beside = k;
        } else if (errno != EEXIST) {
            break;
        }
    }
    free(name);
}

rh_status rh__draft_keep(rh_draft *draft, rh_error *err)
{
    // what cannot be forced to the disk, such as a pipe, says EINVAL or that it does not know how
    const bool is_synced = fsync(draft->file) == 0 || errno == EINVAL || errno == EROFS ||
                           errno == ENOTSUP || errno == ENOSYS;
    note_failure(draft, is_synced);
    if (draft->part != NULL && draft->reason == 0 && rename(draft->part, draft->path) != 0) {
        (void)rh__error_fill(err, RH_E_WRITE, "cannot rename %.100s to its name: %s", draft->part,
                             strerror(errno));
        (void)close(draft->file);
        draft->file = -1;
        return RH_E_WRITE;
    }
    if (draft->part != NULL && draft->reason != 0) {
        keep_beside(draft);
    }
    if (draft->part != NULL) {
        sync_folder(draft->path);
    }
    note_failure(draft, close(draft->file) == 0);
    draft->file = -1;
    return draft->reason == 0 ? RH_OK : rh__draft_refuse(draft, err);
}

void rh__draft_lend(rh_draft *draft)
{
    (void)flock(draft->file, LOCK_UN);
}

void rh__draft_discard(rh_draft *draft)
{
    if (draft->part != NULL) {
        (void)unlink(draft->part);
    }
    (void)close(draft->file);
    draft->file = -1;
}
