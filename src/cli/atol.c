// SPDX-License-Identifier: Apache-2.0
// `--atol NAME=E`: names with their absolute errors. Whether a name is that of a variable is for
// the motion to say.

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_one(const char *text, rh_tolerance *out)
{
    const char *equals = strchr(text, '=');
    double value = 0.0;
    if (!cli_number_read("--atol", equals + 1, &value)) {
        return false;
    }
    if (!(value > 0.0 && isfinite(value))) {
        cli_talk("--atol wants a positive error, not %s", text);
        return false;
    }
    char *name = calloc((size_t)(equals - text) + 1, 1);
    if (name == NULL) {
        cli_talk_memory();
        return false;
    }
    size_t size = 0;
    for (const char *at = text; at < equals; at++) {
        if (*at != ' ') {
            name[size++] = *at;
        }
    }
    *out = (rh_tolerance){name, value};
    return true;
}

bool cli_atols_read(const cli_options *options, cli_atols *out)
{
    *out = (cli_atols){calloc(options->atol_count + 1, sizeof *out->list), 0};
    bool ok = out->list != NULL;
    if (!ok) {
        cli_talk_memory();
    }
    for (size_t k = 0; ok && k < options->atol_count; k++) {
        ok = read_one(options->atol[k], &out->list[k]);
        out->count += ok;
    }
    if (!ok) {
        cli_atols_destroy(out);
    }
    return ok;
}

void cli_atols_destroy(cli_atols *atols)
{
    for (size_t k = 0; k < atols->count; k++) {
        free((char *)(uintptr_t)atols->list[k].name);
    }
    free(atols->list);
    *atols = (cli_atols){NULL, 0};
}
