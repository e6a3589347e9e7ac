// SPDX-License-Identifier: Apache-2.0
// The system's compiler as a child: found in PATH or given by RHEONOM_CC, started with a list of
// arguments and never through a shell, in a group of its own so that nothing of it is left when it
// takes too long. Its drafts lie in the directory of the compilation. That is also where it is
// started: a relative or empty element of PATH, CPATH or the like leads nowhere else.

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "motion/native.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What is fused is said by the text; without errno a root is one instruction.
#define FLAGS "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-w"

// --- children ----------------------------------------------------------------------------------

typedef struct child {
    const char *const *arguments; // the first one is the path
    const char *output;           // what it prints goes there
    const char *folder;           // for its own drafts
    unsigned seconds;             // it may take
    rh_guard *guard;              // asked meanwhile
} child;

typedef enum ending { ENDING_WELL, ENDING_BADLY, ENDING_LATE, ENDING_ASKED, ENDING_NONE } ending;

// The environment with another TMPDIR; NULL when there was no memory.
static char **environment_of(const child *of, char *folder, size_t size)
{
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **made = calloc(count + 2, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    (void)snprintf(folder, size, "TMPDIR=%s", of->folder);
    size_t kept = 0;
    made[kept++] = folder;
    for (size_t k = 0; k < count; k++) {
        if (strncmp(environ[k], "TMPDIR=", 7) != 0) {
            made[kept++] = environ[k];
        }
    }
    RH_ASSERT(kept <= count + 1); // and NULL behind them
    return made;
}

static ending wait_for(pid_t process, const child *of)
{
    struct timespec pause = {.tv_nsec = 1000000};
    uint64_t spent = 0; // nanoseconds
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) {
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ENDING_WELL : ENDING_BADLY;
        }
        if (ended < 0 && errno != EINTR) {
            return ENDING_BADLY; // somebody else waited for it
        }
        const bool is_asked = rh__guard_ask(of->guard) != NULL;
        if (is_asked || spent > (uint64_t)of->seconds * 1000000000U) {
            (void)kill(-process, SIGKILL);
            while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
            }
            return is_asked ? ENDING_ASKED : ENDING_LATE;
        }
        (void)nanosleep(&pause, NULL);
        spent += (uint64_t)pause.tv_nsec;
        pause.tv_nsec = pause.tv_nsec < 16000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
    }
}

static bool prepare(const child *of, posix_spawn_file_actions_t *files, posix_spawnattr_t *how)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    sigset_t all;
    sigset_t none;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGKILL);
    (void)sigdelset(&all, SIGSTOP);
    (void)sigemptyset(&none);
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, 1, of->output, flags, 0600) == 0 &&
           posix_spawn_file_actions_adddup2(files, 1, 2) == 0 &&
           posix_spawn_file_actions_addchdir_np(files, of->folder) == 0 &&
           posix_spawnattr_setpgroup(how, 0) == 0 &&
           posix_spawnattr_setsigdefault(how, &all) == 0 &&
           posix_spawnattr_setsigmask(how, &none) == 0 &&
           posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETSIGMASK) == 0;
}

static ending run_child(const child *of)
{
    RH_ASSERT(of->arguments[0][0] == '/' && of->folder[0] == '/');
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    char folder[RH_NATIVE_PATH + 16];
    char **environment = environment_of(of, folder, sizeof folder);
    if (environment == NULL || posix_spawn_file_actions_init(&files) != 0) {
        free(environment);
        return ENDING_NONE;
    }
    if (posix_spawnattr_init(&how) != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        free(environment);
        return ENDING_NONE;
    }
    pid_t process = 0;
    // the strings are not written to: the type of the arguments is older than const
    char *const *arguments = (char *const *)(uintptr_t)of->arguments;
    const bool is_begun =
        prepare(of, &files, &how) &&
        posix_spawn(&process, of->arguments[0], &files, &how, arguments, environment) == 0;
    const ending end = is_begun ? wait_for(process, of) : ENDING_NONE;
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&how);
    free(environment);
    return end;
}

// --- finding ------------------------------------------------------------------------------------

// The first `size` bytes of a file; gives how many there were.
static size_t read_some(const char *path, char *out, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t count = 0;
    while (file >= 0 && count < size) {
        const ssize_t got = read(file, out + count, size - count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        count += (size_t)got;
    }
    if (file >= 0) {
        (void)close(file);
    }
    return count;
}

// cc in the first directory of PATH that has one; directories without a fixed place are passed
// over.
static bool search_path(char out[RH_NATIVE_PATH])
{
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        const size_t size = strcspn(at, ":");
        const int length = snprintf(out, RH_NATIVE_PATH, "%.*s/cc", (int)(size & 0xffff), at);
        if (at[0] == '/' && length > 0 && length < RH_NATIVE_PATH && access(out, X_OK) == 0) {
            return true;
        }
        at += at[size] == ':' ? size + 1 : size;
    }
    return false;
}

// What this machine can do: objects made for it do not run everywhere.
static uint64_t identify_machine(uint64_t seed)
{
    char text[4096];
    const size_t size = read_some("/proc/cpuinfo", text, sizeof text - 1);
    text[size] = '\0';
    static const char *const KEYS[] = {"model name", "flags", "CPU part", "Features"};
    for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
        const char *found = strstr(text, KEYS[k]);
        seed = found != NULL ? rh__hash_bytes(found, strcspn(found, "\n"), seed) : seed;
    }
    return seed;
}

// A compiler is told by the file it is, wherever links lead: another version is another file. To
// ask it would take longer than to load what it made.
static uint64_t identify(const char *path)
{
    static const char *const USED[] = {FLAGS};
    struct stat file;
    uint64_t hash = rh__hash_bytes(path, strlen(path), 0);
    if (stat(path, &file) == 0) {
        const uint64_t words[] = {(uint64_t)file.st_dev, (uint64_t)file.st_ino,
                                  (uint64_t)file.st_size, (uint64_t)file.st_mtim.tv_sec,
                                  (uint64_t)file.st_mtim.tv_nsec};
        hash = rh__hash_bytes(words, sizeof words, hash);
    }
    for (size_t k = 0; k < sizeof USED / sizeof USED[0]; k++) {
        hash = rh__hash_bytes(USED[k], strlen(USED[k]), hash);
    }
    return identify_machine(hash);
}

bool rh__compiler_find(rh_native *native, rh_compiler *out)
{
    const char *given = getenv("RHEONOM_CC");
    if (given != NULL && given[0] != '\0') {
        const int length = snprintf(out->path, sizeof out->path, "%s", given);
        if (given[0] != '/' || length >= RH_NATIVE_PATH || access(given, X_OK) != 0) {
            return rh__native_refuse(native, "RHEONOM_CC is no program with its whole path: %s",
                                     given);
        }
    } else if (!search_path(out->path)) {
        return rh__native_refuse(native, "there is no C compiler (cc) in PATH");
    }
    out->identity = identify(out->path);
    return true;
}

// --- compiling ----------------------------------------------------------------------------------

bool rh__compiler_run(rh_native *native, const rh_compiler *compiler, const char *folder,
                      const rh_native_def *def)
{
    char source[RH_NATIVE_PATH + 16];
    char object[RH_NATIVE_PATH + 16];
    char output[RH_NATIVE_PATH + 16];
    char define[32];
    (void)snprintf(source, sizeof source, "%s/text.c", folder);
    (void)snprintf(object, sizeof object, "%s/object.so", folder);
    (void)snprintf(output, sizeof output, "%s/output", folder);
    (void)snprintf(define, sizeof define, "-DLANES=%u", def->lanes);
    const char *const arguments[] = {compiler->path,
                                     def->is_long ? "-O1" : "-O2",
                                     FLAGS,
                                     define,
                                     "-DTOGETHER", // of lanes: one jet for all
                                     "-o",
                                     object,
                                     source,
                                     "-lm",
                                     NULL};
    const child compilation = {arguments, output, folder, RH_NATIVE_SECONDS, def->guard};
    const ending end = run_child(&compilation);
    if (end == ENDING_ASKED) {
        return rh__native_refuse(native, "the compiler was ended: %s",
                                 rh__guard_reason(def->guard));
    }
    if (end == ENDING_LATE) {
        return rh__native_refuse(native, "the compiler %s took longer than %d s", compiler->path,
                                 RH_NATIVE_SECONDS);
    }
    if (end == ENDING_NONE) {
        return rh__native_refuse(native, "the compiler %s cannot be run", compiler->path);
    }
    if (end != ENDING_WELL) {
        char text[160];
        const size_t size = read_some(output, text, sizeof text - 1);
        text[size] = '\0';
        text[strcspn(text, "\r\n")] = '\0';
        return rh__native_refuse(native, "the compiler %s failed: %s", compiler->path,
                                 text[0] != '\0' ? text : "it did not say why");
    }
    return true;
}
