// SPDX-License-Identifier: Apache-2.0
// The directory of compiled objects: one that belongs to the user, and in which nobody else can
// write; where there is none, a fresh one that is removed afterwards. An object gets its name by
// rename, so others see all of it or nothing. Behind its own bytes stand the text it was made of,
// its key and a hash of everything before: what is cut short, changed, put there under another name
// or made of another text, even one with the same hash, is made anew.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "motion/native.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE = 3600, MOST_BYTES = 64 << 20 }; // seconds of a draft; bytes of an object

static const char SEAL[8] = {'r', 'h', 'e', 'o', 'n', 'o', 'm', '2'};

// --- directories --------------------------------------------------------------------------------

// Is it a directory that only this user can write to?
static bool is_private(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool open_kept(rh_cache *out)
{
    const char *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (base != NULL && base[0] == '/') {
        length = snprintf(out->root, sizeof out->root, "%s", base);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(out->root, sizeof out->root, "%s/.cache", home);
    }
    // names of objects and drafts need room behind it and its folder
    if (length <= 0 || length > RH_NATIVE_PATH - 100 - (int)sizeof "/rheonom") {
        return false;
    }
    (void)mkdir(out->root, 0700);
    (void)snprintf(out->root + length, sizeof out->root - (size_t)length, "/rheonom");
    (void)mkdir(out->root, 0700);
    return is_private(out->root) && access(out->root, W_OK | X_OK) == 0;
}

bool rh__cache_open(rh_native *native, rh_cache *out)
{
    *out = (rh_cache){.is_fleeting = false};
    if (open_kept(out)) {
        return true;
    }
    const char *folder = getenv("TMPDIR");
    out->is_fleeting = true;
    const int length = snprintf(out->root, sizeof out->root, "%s/rheonom-XXXXXX",
                                folder != NULL && folder[0] == '/' ? folder : "/tmp");
    return (length > 0 && length < RH_NATIVE_PATH - 100 && mkdtemp(out->root) != NULL) ||
           rh__native_refuse(native, "there is no directory for compiled series");
}

void rh__cache_discard(const char *folder)
{
    DIR *list = opendir(folder);
    if (list == NULL) {
        return;
    }
    for (const struct dirent *it = readdir(list); it != NULL; it = readdir(list)) {
        if (strcmp(it->d_name, ".") != 0 && strcmp(it->d_name, "..") != 0) {
            (void)unlinkat(dirfd(list), it->d_name, 0);
        }
    }
    (void)closedir(list);
    (void)rmdir(folder);
}

void rh__cache_close(const rh_cache *cache)
{
    if (cache->is_fleeting) {
        rh__cache_discard(cache->root);
    }
}

bool rh__cache_draft(rh_native *native, const rh_cache *cache, char out[RH_NATIVE_PATH])
{
    const int length = snprintf(out, RH_NATIVE_PATH, "%s/draft-XXXXXX", cache->root);
    return (length > 0 && length < RH_NATIVE_PATH && mkdtemp(out) != NULL) ||
           rh__native_refuse(native, "there is no directory for compiled series");
}

// --- files --------------------------------------------------------------------------------------

bool rh__cache_write(const char *path, rh_slice bytes)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    while (file >= 0 && done < bytes.size) {
        const ssize_t count = write(file, bytes.data + done, bytes.size - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    return file >= 0 && close(file) == 0 && done == bytes.size;
}

// The whole file when it is the user's own; the caller frees it. NULL: it is not there, or not so.
static unsigned char *read_own(const char *path, size_t *out_size)
{
    struct stat found;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    const bool is_own = fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                        found.st_uid == geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                        found.st_size > 0 && found.st_size <= MOST_BYTES;
    unsigned char *bytes = is_own ? malloc((size_t)found.st_size) : NULL;
    size_t count = 0;
    while (bytes != NULL && count < (size_t)found.st_size) {
        const ssize_t got = read(file, bytes + count, (size_t)found.st_size - count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        count += (size_t)got;
    }
    (void)close(file);
    *out_size = count;
    return bytes;
}

static void name_object(const rh_cache *cache, uint64_t key, char out[RH_NATIVE_PATH])
{
    RH_ASSERT(strlen(cache->root) <= RH_NATIVE_PATH - 100); // else another folder is meant
    (void)snprintf(out, RH_NATIVE_PATH, "%.*s/%016llx.so", RH_NATIVE_PATH - 100, cache->root,
                   (unsigned long long)key);
}

bool rh__cache_find(const rh_cache *cache, uint64_t key, rh_slice text, char out[RH_NATIVE_PATH])
{
    size_t size = 0;
    name_object(cache, key, out);
    unsigned char *bytes = read_own(out, &size);
    rh_cache_seal end = {.key = 0};
    bool is_whole = bytes != NULL && size > sizeof end && size - sizeof end > text.size;
    if (is_whole) {
        const size_t before = size - sizeof end;
        memcpy(&end, bytes + before, sizeof end);
        is_whole = memcmp(end.mark, SEAL, sizeof SEAL) == 0 && end.key == key &&
                   end.text_size == text.size &&
                   memcmp(bytes + before - text.size, text.data, text.size) == 0 &&
                   end.hash == rh__hash_bytes(bytes, before, key);
    }
    free(bytes);
    if (is_whole) {
        (void)utimensat(AT_FDCWD, out, NULL, 0); // it was needed again
    }
    return is_whole;
}

static bool append(const char *path, const void *data, size_t size)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < size) {
        const ssize_t count = write(file, (const char *)data + done, size - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    return file >= 0 && close(file) == 0 && done == size;
}

// Put the text and the seal behind an object.
static bool close_object(const char *path, uint64_t key, rh_slice text)
{
    size_t size = 0;
    if (chmod(path, 0600) != 0 || !append(path, text.data, text.size)) {
        return false;
    }
    unsigned char *bytes = read_own(path, &size);
    if (bytes == NULL) {
        return false;
    }
    rh_cache_seal end = {
        .key = key, .text_size = text.size, .hash = rh__hash_bytes(bytes, size, key)};
    memcpy(end.mark, SEAL, sizeof SEAL);
    free(bytes);
    return append(path, &end, sizeof end);
}

bool rh__cache_keep(rh_native *native, const rh_cache *cache, const char *folder, uint64_t key,
                    rh_slice text, char out[RH_NATIVE_PATH])
{
    char made[RH_NATIVE_PATH + 16];
    (void)snprintf(made, sizeof made, "%s/object.so", folder);
    name_object(cache, key, out);
    return (close_object(made, key, text) && rename(made, out) == 0) ||
           rh__native_refuse(native, "the compiled series cannot be kept in %s", cache->root);
}

// --- age ----------------------------------------------------------------------------------------

typedef struct aged {
    char name[64];
    struct timespec time;
} aged;

static int by_age(const void *left, const void *right)
{
    const aged *a = left;
    const aged *b = right;
    return a->time.tv_sec != b->time.tv_sec
               ? (a->time.tv_sec < b->time.tv_sec ? -1 : 1)
               : (a->time.tv_nsec > b->time.tv_nsec) - (a->time.tv_nsec < b->time.tv_nsec);
}

static bool ends_with_so(const char *name)
{
    const size_t size = strlen(name);
    return size > 3 && strcmp(name + size - 3, ".so") == 0;
}

void rh__cache_prune(const rh_cache *cache)
{
    enum { MOST = 4096 };
    DIR *list = opendir(cache->root);
    aged *found = list != NULL ? calloc(MOST, sizeof *found) : NULL;
    size_t count = 0;
    const time_t now = time(NULL);
    for (const struct dirent *it = found != NULL ? readdir(list) : NULL; it != NULL && count < MOST;
         it = readdir(list)) {
        struct stat about;
        char path[RH_NATIVE_PATH + 300];
        if (fstatat(dirfd(list), it->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", cache->root, it->d_name);
        if (S_ISDIR(about.st_mode) && strncmp(it->d_name, "draft-", 6) == 0 &&
            now - about.st_mtim.tv_sec > STALE) {
            rh__cache_discard(path); // of a program that was killed
        } else if (ends_with_so(it->d_name) && strlen(it->d_name) < sizeof found->name) {
            (void)snprintf(found[count].name, sizeof found->name, "%.63s", it->d_name);
            found[count++].time = about.st_mtim;
        }
    }
    if (found != NULL) {
        qsort(found, count, sizeof *found, by_age);
    }
    for (size_t k = 0; k + RH_NATIVE_FILES < count; k++) {
        (void)unlinkat(dirfd(list), found[k].name, 0);
    }
    free(found);
    if (list != NULL) {
        (void)closedir(list);
    }
}
