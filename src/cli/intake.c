// SPDX-License-Identifier: Apache-2.0
// Files that are read as a whole.

#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All bytes of the stream, at most one more than `most`. False when memory ran out.
static bool read_stream(FILE *stream, size_t most, cli_intake *out)
{
    size_t capacity = 0;
    do {
        capacity = capacity == 0 ? (size_t)64 << 10 : 2 * capacity;
        capacity = capacity > most ? most + 1 : capacity;
        char *grown = realloc(out->data, capacity);
        if (grown == NULL) {
            return false;
        }
        out->data = grown;
        out->size += fread(out->data + out->size, 1, capacity - out->size, stream);
    } while (out->size == capacity && capacity <= most);
    return true;
}

cli_exit cli_intake_read(const char *path, size_t most, cli_intake *out)
{
    const bool is_input = strcmp(path, "-") == 0;
    *out = (cli_intake){.name = is_input ? "<stdin>" : path};
    errno = 0;
    FILE *stream = is_input ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        const int reason = errno;
        cli_talk("cannot read %s: %s", out->name, strerror(reason));
        return reason == ENOMEM ? CLI_STOPPED : CLI_WRONG_CALL;
    }
    const bool has_memory = read_stream(stream, most, out);
    const int reason = ferror(stream) != 0 ? errno : 0;
    if (!is_input) {
        (void)fclose(stream);
    }
    if (!has_memory) {
        cli_talk("out of memory while reading %s", out->name);
        return CLI_STOPPED;
    }
    if (reason != 0) {
        cli_talk("cannot read %s: %s", out->name, strerror(reason));
        return reason == ENOMEM ? CLI_STOPPED : CLI_WRONG_CALL;
    }
    return CLI_DONE;
}
