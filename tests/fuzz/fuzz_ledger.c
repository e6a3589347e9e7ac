// SPDX-License-Identifier: Apache-2.0
// Any bytes as the record of a sweep, and a good one with bytes replaced by these: it is refused,
// or the sweep goes on with what is whole and comes to its end.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "rheonom/rheonom.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] = "param k = 1\nstate x\nlaw x' = -k*x\nstart x = 1\n";

enum { HEAD = 48, FRAME = 16, MEMBERS = 4, ROOM = 1 << 16 };

static void require(bool claim)
{
    if (!claim) {
        abort();
    }
}

static void run(const char *path, bool is_resumed)
{
    static const char *const GRIDS[] = {"k=1:2:4"};
    rh_sweep_def def = rh_sweep_def_default();
    rh_sweep_run_def how = rh_sweep_run_def_default();
    rh_sweep *sweep = NULL;
    rh_error err = RH_ZERO;
    uint64_t done = 0;
    def.model.text = TEXT;
    def.model.text_size = sizeof TEXT - 1;
    def.grids = GRIDS;
    def.grid_count = 1;
    def.observe = "final(x)";
    def.until = 0.1;
    def.thread_count = 1;
    require(rh_sweep_create(&def, &sweep, &err) == RH_OK);
    how.record = path;
    how.is_resumed = is_resumed;
    const rh_status status = rh_sweep_run(sweep, &how, &done, &err);
    require(status == RH_OK || err.message[0] != '\0');
    if (status == RH_OK) {
        bool is_there = true;
        require(done == MEMBERS);
        rh_sweep_rewind(sweep);
        while (is_there) {
            rh_sweep_member member;
            is_there = rh_sweep_next(sweep, &member, &is_there, &err) == RH_OK && is_there;
        }
    }
    rh_sweep_destroy(sweep);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char good[ROOM];
    char path[] = "/tmp/rheonom_ledger_XXXXXX";
    const int made = mkstemp(path);
    require(made >= 0 && close(made) == 0);
    write_file(path, data, size);
    run(path, true);
    require(unlink(path) == 0);
    run(path, false);
    FILE *file = fopen(path, "rb");
    const size_t count = file != NULL ? fread(good, 1, ROOM, file) : 0;
    require(file != NULL && fclose(file) == 0 && count > HEAD + FRAME && count < ROOM);
    for (size_t k = 0; k + 3 <= size && k < 60; k += 3) {
        const size_t at = HEAD + (((size_t)data[k] << 8 | data[k + 1]) % (count - HEAD));
        good[at] = (char)data[k + 2];
    }
    write_file(path, good, count);
    run(path, true);
    // the first block once more as somebody would who knows how it ends
    uint64_t held = 0;
    memcpy(&held, good + HEAD + 8, sizeof held);
    if (held <= count - HEAD - FRAME - 8) {
        const uint64_t sum = rh__hash_bytes(good + HEAD, FRAME + (size_t)held, 0);
        memcpy(good + HEAD + FRAME + held, &sum, sizeof sum);
        write_file(path, good, count);
        run(path, true);
    }
    require(unlink(path) == 0);
    return 0;
}
