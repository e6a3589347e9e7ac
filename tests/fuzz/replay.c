// SPDX-License-Identifier: Apache-2.0
// Feeds files to a fuzz target without libFuzzer: replay PATH..., where a folder stands for all
// files below it.

#define _XOPEN_SOURCE 700

#include <ftw.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t file_count = 0;

static int feed(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_F) {
        return 0;
    }
    const size_t size = (size_t)facts->st_size;
    FILE *stream = fopen(path, "rb");
    // exactly as large as the text, so that a sanitizer sees a step over its end
    uint8_t *data = malloc(size > 0 ? size : 1);
    const int is_read = stream != NULL && data != NULL && fread(data, 1, size, stream) == size;
    if (is_read) {
        (void)LLVMFuzzerTestOneInput(data, size);
        file_count++;
    } else {
        (void)fprintf(stderr, "replay: cannot read %s\n", path);
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    free(data);
    return is_read ? 0 : 1;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (nftw(arguments[i], feed, 16, 0) != 0) {
            return 1;
        }
    }
    (void)printf("replayed %zu files\n", file_count);
    return file_count > 0 ? 0 : 1;
}
