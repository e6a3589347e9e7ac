// SPDX-License-Identifier: Apache-2.0
// On what the figures were measured: machine.txt beside them.

#include "contest.h"

#include "rheonom/rheonom.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// The value of the first line of a file that begins with `key`.
static void put_line(FILE *to, const char *what, const char *path, const char *key)
{
    char line[1024];
    FILE *from = fopen(path, "r");
    bool is_found = false;
    while (!is_found && from != NULL && fgets(line, sizeof line, from) != NULL) {
        const char *value = strchr(line, ':');
        if (value != NULL && strncmp(line, key, strlen(key)) == 0) {
            (void)fprintf(to, "%-10s %s", what, value + 1 + strspn(value + 1, " \t"));
            is_found = true;
        }
    }
    if (from != NULL) {
        (void)fclose(from);
    }
    if (!is_found) {
        (void)fprintf(to, "%-10s not known\n", what);
    }
}

// The first line that a command prints.
static void put_answer(FILE *to, const char *what, const char *command)
{
    char line[256] = "";
    FILE *from = popen(command, "r");
    if (from == NULL || fgets(line, sizeof line, from) == NULL) {
        (void)snprintf(line, sizeof line, "not there\n");
    }
    (void)fprintf(to, "%-10s %s", what, line);
    while (from != NULL && fgets(line, sizeof line, from) != NULL) {
    }
    if (from != NULL) {
        (void)pclose(from);
    }
}

static void put_guests(FILE *to)
{
    char text[64] = "not known";
    (void)SUNDIALSGetVersion(text, (int)sizeof text);
    (void)fprintf(to, "%-10s %s\n", "SUNDIALS", text);
    // a LAPACK of another kind does not have it
    char *(*config)(void) = NULL;
    void *own = dlopen(NULL, RTLD_LAZY);
    void *found = own != NULL ? dlsym(own, "openblas_get_config") : NULL;
    memcpy(&config, &found, sizeof found);
    (void)fprintf(to, "%-10s %s\n", "BLAS", config != NULL ? config() : "not OpenBLAS");
}

bool machine_write(const results *to)
{
    char today[32] = "";
    struct utsname about;
    const time_t now = time(NULL);
    FILE *file = results_open(to, "machine", "txt");
    if (file == NULL) {
        return to->folder == NULL;
    }
    (void)strftime(today, sizeof today, "%Y-%m-%d %H:%M", gmtime(&now));
    (void)fprintf(file, "%-10s %s UTC\n%-10s %s\n", "date", today, "rheonom", rh_version());
    put_line(file, "cpu", "/proc/cpuinfo", "model name");
    (void)fprintf(file, "%-10s %ld\n", "cores", sysconf(_SC_NPROCESSORS_ONLN));
    put_line(file, "memory", "/proc/meminfo", "MemTotal");
    if (uname(&about) == 0) {
        (void)fprintf(file, "%-10s %s %s %s\n", "kernel", about.sysname, about.release,
                      about.machine);
    }
    double load[1] = {0.0};
    if (getloadavg(load, 1) == 1) {
        (void)fprintf(file, "%-10s %.2f when it began\n", "load", load[0]);
    }
    (void)fprintf(file, "%-10s %s\n", "built by", __VERSION__);
    put_answer(file, "emitted by", "${RHEONOM_CC:-cc} --version");
    put_answer(file, "mpirun", "mpirun --version 2>&1");
    put_guests(file);
    return fclose(file) == 0;
}
