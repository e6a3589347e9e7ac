// SPDX-License-Identifier: Apache-2.0
// The files of a model's inputs. A model may come from anywhere and is not trusted: its paths lead
// down from its own folder, step by step and through no symbolic link, to ordinary files of a
// bounded size.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "cli/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_SUM = 256 << 20 }; // bytes of all files together

// The file that was read last: several inputs may stand in one.
typedef struct table_text {
    const char *path; // as in the model; NULL: none
    char *data;
    size_t size;
    const char *reason; // why there is none; NULL: there is one
    size_t sum;         // bytes of all files so far
} table_text;

// --- the way down --------------------------------------------------------------------------------

// The folder of the model: what stands before the last slash, at least "." or "/".
static char *folder_of(const char *subject)
{
    RH_ASSERT(subject[0] != '\0');
    const char *slash = strcmp(subject, "-") == 0 ? NULL : strrchr(subject, '/');
    const size_t size = slash == NULL ? 0 : slash == subject ? 1 : (size_t)(slash - subject);
    char *folder = malloc(size + 2);
    if (folder != NULL) {
        memcpy(folder, size == 0 ? "." : subject, size == 0 ? 1 : size);
        folder[size == 0 ? 1 : size] = '\0';
    }
    return folder;
}

// Open `name` in the folder `from`, which is closed. Opening a pipe does not wait for its other
// end.
static int descend(int from, const char *name, bool is_folder)
{
    RH_ASSERT(from >= 0 && strchr(name, '/') == NULL && strcmp(name, "..") != 0);
    const int how = is_folder ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY;
    const int to = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | how);
    const int reason = errno;
    (void)close(from);
    errno = reason;
    return to;
}

// A file below `folder`; -1 with errno when there is none. `path` is cut into its parts.
static int open_below(const char *folder, char *path)
{
    int at = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    for (char *name = path; at >= 0 && name != NULL;) {
        char *slash = strchr(name, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        if (strcmp(name, "..") == 0) {
            (void)close(at);
            errno = EACCES;
            return -1;
        }
        if (name[0] != '\0' && strcmp(name, ".") != 0) {
            at = descend(at, name, slash != NULL);
        }
        name = slash == NULL ? NULL : slash + 1;
    }
    return at;
}

static const char *word_of(int reason)
{
    return reason == ELOOP || reason == EMLINK ? "it is a symbolic link, and these are not followed"
           : reason == ENOTDIR
               ? "its path leads through something that is no folder (or a symbolic link)"
               : strerror(reason);
}

// --- reading -------------------------------------------------------------------------------------

static bool read_bytes(int file, table_text *text, size_t expected)
{
    // one byte more, so that a file that grows meanwhile is noticed
    text->data = malloc(expected + 1);
    while (text->data != NULL && text->size <= expected) {
        const ssize_t got = read(file, text->data + text->size, expected + 1 - text->size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            text->reason = got < 0 ? strerror(errno) : NULL;
            return true;
        }
        text->size += (size_t)got;
    }
    text->reason = "it changes while it is read";
    RH_ASSERT(text->data == NULL || text->size > expected);
    return text->data != NULL;
}

// False when memory ran out; every other obstacle is a reason.
static bool read_file(int file, table_text *text)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        text->reason = strerror(errno);
    } else if (!S_ISREG(about.st_mode)) {
        text->reason = S_ISDIR(about.st_mode) ? "it is a folder" : "it is no ordinary file";
    } else if (about.st_size > RH_RECORD_SIZE) {
        text->reason = "it is larger than 64 MiB";
    } else if (text->sum + (size_t)about.st_size > LARGEST_SUM) {
        text->reason = "the files of all inputs together are larger than 256 MiB";
    } else {
        text->sum += (size_t)about.st_size;
        return read_bytes(file, text, (size_t)about.st_size);
    }
    return true;
}

static bool read_table(const char *folder, const char *path, table_text *text)
{
    RH_ASSERT(path[0] != '\0');
    if (text->path != NULL && strcmp(text->path, path) == 0) {
        return true;
    }
    free(text->data);
    *text = (table_text){.path = path, .sum = text->sum};
    char *parts = malloc(strlen(path) + 1);
    if (parts == NULL) {
        return false;
    }
    memcpy(parts, path, strlen(path) + 1);
    errno = 0;
    const int file = open_below(folder, parts);
    bool has_memory = true;
    if (file < 0) {
        text->reason = word_of(errno);
    } else {
        has_memory = read_file(file, text);
        (void)close(file);
    }
    free(parts);
    return has_memory;
}

// --- all tables ----------------------------------------------------------------------------------

// As it would be opened from here.
static char *join(const char *folder, const char *path)
{
    const bool is_here = strcmp(folder, ".") == 0;
    const size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(size);
    if (joined != NULL) {
        (void)snprintf(joined, size, "%s%s%s", is_here ? "" : folder,
                       is_here || strcmp(folder, "/") == 0 ? "" : "/", path);
    }
    return joined;
}

static cli_exit make_record(const cli_options *options, const rh_model *model, const char *folder,
                            const table_text *text, cli_tables *tables)
{
    RH_ASSERT(tables->count < rh_model_feed_count(model));
    char *name = join(folder, text->path);
    rh_record_def def = rh_record_def_default();
    def.model = model;
    def.index = tables->count;
    def.name = name;
    def.text = text->reason == NULL ? text->data : NULL;
    def.text_size = text->reason == NULL ? text->size : 0;
    def.reason = text->reason;
    rh_record *record = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_record_create(&def, &record, &err);
    free(name);
    if (record == NULL) {
        return cli_talk_status(status, &err);
    }
    tables->records[tables->count] = record;
    tables->feeds[tables->count] = rh_record_feed(record);
    tables->count++;
    if (status == RH_OK) {
        return CLI_DONE;
    }
    const cli_exit shown = cli_record_show(options, record);
    return shown != CLI_DONE ? shown : CLI_WRONG_MODEL;
}

cli_exit cli_tables_load(const cli_options *options, const rh_model *model, cli_tables *out)
{
    const size_t count = rh_model_feed_count(model);
    char *folder = folder_of(options->subject);
    *out = (cli_tables){.records = calloc(count + 1, sizeof(rh_record *)),
                        .feeds = calloc(count + 1, sizeof(rh_feed))};
    table_text text = {.path = NULL};
    bool has_memory = folder != NULL && out->records != NULL && out->feeds != NULL;
    cli_exit result = CLI_DONE;
    while (has_memory && result == CLI_DONE && out->count < count) {
        has_memory = read_table(folder, rh_model_feed_path(model, out->count), &text);
        if (has_memory) {
            result = make_record(options, model, folder, &text, out);
        }
    }
    free(text.data);
    free(folder);
    if (!has_memory) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    return result;
}

void cli_tables_destroy(cli_tables *tables)
{
    for (size_t k = 0; k < tables->count; k++) {
        rh_record_destroy(tables->records[k]);
    }
    free(tables->records);
    free(tables->feeds);
    *tables = (cli_tables){.count = 0};
}
