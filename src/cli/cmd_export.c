// SPDX-License-Identifier: Apache-2.0
// rheonom export: a model as files for others, in a directory that is new, empty, or an export of
// ours. Any other is left alone.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "cli/cli.h"
#include "cli/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

static bool name_file(const char *folder, rh_c_file file, char out[MOST_PATH])
{
    const int length = snprintf(out, MOST_PATH, "%s/%s", folder, rh_c_file_name(file));
    if (length < 0 || length >= MOST_PATH) {
        cli_talk("the name of the directory is too long");
        return false;
    }
    return true;
}

typedef enum owner { OWNER_NONE, OWNER_US, OWNER_OTHER } owner;

// Whose is the file of that name? Ours is an ordinary file whose first line says so; a link is
// somebody else's, wherever it leads.
static owner owner_of(int folder, const char *name)
{
    struct stat about;
    char line[128];
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT ? OWNER_NONE : OWNER_OTHER;
    }
    const bool is_plain = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    const ssize_t size = is_plain ? read(file, line, sizeof line - 1) : 0;
    (void)close(file);
    line[size > 0 ? size : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strstr(line, "exported by rheonom") != NULL ? OWNER_US : OWNER_OTHER;
}

static bool is_empty(int folder)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again >= 0 ? fdopendir(again) : NULL;
    bool is_void = list != NULL;
    for (const struct dirent *it = is_void ? readdir(list) : NULL; it != NULL; it = readdir(list)) {
        is_void = is_void && (strcmp(it->d_name, ".") == 0 || strcmp(it->d_name, "..") == 0);
    }
    if (list != NULL) {
        (void)closedir(list);
    } else if (again >= 0) {
        (void)close(again);
    }
    return is_void;
}

// A directory that was there before: empty, or one of ours in which no file is somebody else's.
static cli_exit examine_folder(const char *name, int folder)
{
    uint32_t ours = 0;
    for (int k = 0; k < RH_C_FILE_COUNT; k++) {
        const owner who = owner_of(folder, rh_c_file_name((rh_c_file)k));
        ours += who == OWNER_US;
        if (who == OWNER_OTHER) {
            cli_talk("%s/%s is no file that rheonom exported: nothing is written", name,
                     rh_c_file_name((rh_c_file)k));
            return CLI_WRONG_CALL;
        }
    }
    if (ours == 0 && !is_empty(folder)) {
        cli_talk("%s holds other files and no export of rheonom: nothing is written; name a new "
                 "directory",
                 name);
        return CLI_WRONG_CALL;
    }
    return CLI_DONE;
}

static cli_exit open_folder(const char *name)
{
    if (mkdir(name, 0777) == 0) {
        return CLI_DONE;
    }
    if (errno != EEXIST) {
        cli_talk("cannot make the directory %s: %s", name, strerror(errno));
        return CLI_WRONG_CALL;
    }
    const int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        cli_talk("%s is no directory", name);
        return CLI_WRONG_CALL;
    }
    const cli_exit result = examine_folder(name, folder);
    (void)close(folder);
    return result;
}

// A text on its way: all files are made before the first is written.
typedef struct parcel {
    char *data;
    size_t size, capacity;
} parcel;

static bool put(void *user, const char *data, size_t size)
{
    parcel *to = user;
    if (to->capacity - to->size < size) {
        const size_t capacity = 2 * (to->size + size);
        char *grown = realloc(to->data, capacity);
        if (grown == NULL) {
            return false;
        }
        to->data = grown;
        to->capacity = capacity;
    }
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

static cli_exit write_file(const char *folder, rh_c_file which, const parcel *from)
{
    char path[MOST_PATH];
    rh_file *file = NULL;
    rh_error err = RH_ZERO;
    if (!name_file(folder, which, path)) {
        return CLI_WRONG_CALL;
    }
    rh_status status = rh_file_begin(path, &file, &err);
    if (status == RH_OK) {
        const rh_sink sink = rh_file_sink(file);
        const bool is_written = sink.write(sink.user, from->data, from->size);
        status = rh_file_end(file, is_written, &err);
        status = status == RH_OK && !is_written ? RH_E_WRITE : status;
    }
    if (status != RH_OK) {
        cli_talk("%s", err.message[0] != '\0' ? err.message : rh_status_text(status));
        return CLI_STOPPED;
    }
    return CLI_DONE;
}

static cli_exit export_motion(const cli_options *options, rh_motion *motion, double until)
{
    parcel parcels[RH_C_FILE_COUNT] = {{.data = NULL}};
    rh_c_def def = rh_c_def_default();
    rh_error err = RH_ZERO;
    def.motion = motion;
    def.until = isnan(until) ? rh_motion_time(motion) + 1.0 : until;
    cli_exit result = CLI_DONE;
    for (int k = 0; result == CLI_DONE && k < RH_C_FILE_COUNT; k++) {
        const rh_sink sink = {.write = put, .user = &parcels[k]};
        result = cli_talk_status(rh_output_c(&def, (rh_c_file)k, sink, &err), &err);
    }
    result = result == CLI_DONE ? open_folder(options->c) : result;
    for (int k = 0; result == CLI_DONE && k < RH_C_FILE_COUNT; k++) {
        result = write_file(options->c, (rh_c_file)k, &parcels[k]);
    }
    for (int k = 0; k < RH_C_FILE_COUNT; k++) {
        free(parcels[k].data);
    }
    return result;
}

static cli_exit export_equations(const cli_options *options, rh_equations *equations, double until,
                                 double tolerance)
{
    rh_checkup *checkup = NULL;
    rh_motion *motion = NULL;
    rh_error err = RH_ZERO;
    rh_motion_def def = rh_motion_def_default();
    def.tolerance = tolerance > 0.0 ? tolerance : def.tolerance;
    def.method = RH_METHOD_TAYLOR;
    cli_exit result = cli_checkup_load(options, equations, &checkup);
    cli_patience_phase("the C files were written");
    if (result == CLI_DONE) {
        result = cli_talk_status(rh_motion_create(equations, &def, &motion, &err), &err);
    }
    if (result == CLI_DONE) {
        result = export_motion(options, motion, until);
    }
    rh_motion_destroy(motion);
    rh_checkup_destroy(checkup);
    return result;
}

cli_exit cli_export(const cli_options *options)
{
    double until = (double)NAN;
    double tolerance = 0.0;
    if (options->c == NULL) {
        cli_talk("export needs a directory: --c DIR");
        return CLI_WRONG_CALL;
    }
    if ((options->until != NULL && !cli_number_read("--until", options->until, &until)) ||
        (options->tolerance != NULL && !cli_tolerance_read(options->tolerance, &tolerance))) {
        return CLI_WRONG_CALL;
    }
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        result = cli_equations_load(options, model, &equations);
        if (result == CLI_WRONG_MODEL) {
            cli_equations_excuse(options, equations);
        }
    }
    if (result == CLI_DONE && rh_model_feed_count(model) > 0) {
        cli_talk("the model cannot be exported: steps in C do not know inputs from files");
        result = CLI_WRONG_CALL;
    }
    if (result == CLI_DONE) {
        result = export_equations(options, equations, until, tolerance);
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}
