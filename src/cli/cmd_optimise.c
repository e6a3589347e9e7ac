// SPDX-License-Identifier: Apache-2.0
// rheonom optimise: parameters that push the rightmost remaining root furthest left.

#include "cli/run.h"
#include "cli/still.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct optimising {
    const cli_options *options;
    cli_range *ranges;
    rh_optimum_range *over;
    const char **fix; // of the call, and what may change
    char *texts;
    double limit;
    cli_patience patience;
    const char *reason; // why it ends early; NULL: it does not
} optimising;

enum { LONGEST = 200 };

// --- the call ------------------------------------------------------------------------------------

static bool read_call(optimising *in)
{
    const cli_options *options = in->options;
    if (options->over_count == 0) {
        cli_talk("optimise needs something that may change: --over NAME=LO:HI");
        return false;
    }
    if (!cli_time_limit_read(options, &in->limit)) {
        return false;
    }
    for (size_t k = 0; k < options->over_count; k++) {
        if (!cli_range_read("--over", options->over[k], false, &in->ranges[k])) {
            return false;
        }
        // the names of ranges are fixed quantities too: that is how expressions come into the model
        char *text = in->texts + k * LONGEST;
        (void)snprintf(text, LONGEST, "%s=%.17g", in->ranges[k].name, in->ranges[k].low);
        in->fix[options->fix_count + k] = text;
        in->over[k] = (rh_optimum_range){in->ranges[k].name, in->ranges[k].low, in->ranges[k].high};
    }
    memcpy(in->fix, options->fix, options->fix_count * sizeof *in->fix);
    return true;
}

static bool reserve(optimising *in)
{
    const size_t count = in->options->over_count + 1;
    in->ranges = calloc(count, sizeof *in->ranges);
    in->over = calloc(count, sizeof *in->over);
    in->fix = calloc(in->options->fix_count + count, sizeof *in->fix);
    in->texts = calloc(count, LONGEST);
    return in->ranges != NULL && in->over != NULL && in->fix != NULL && in->texts != NULL;
}

// --- the search ----------------------------------------------------------------------------------

static bool go_on(void *user, uint64_t done, uint64_t count)
{
    optimising *in = user;
    if (done > 0) { // before that there is only the first motion
        cli_patience_keep();
    }
    in->reason = cli_patience_share(&in->patience, (double)done / (double)count);
    return in->reason == NULL;
}

static cli_exit tell(const optimising *in, const rh_optimum *optimum)
{
    rh_error err = RH_ZERO;
    const rh_format format = in->options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown =
        cli_talk_status(rh_output_optimum(optimum, format, cli_outlet_data(), &err), &err);
    if (!rh_optimum_summarise(optimum).is_complete) {
        cli_talk("the search is not complete: %s; this is the best so far",
                 in->reason != NULL ? in->reason : "it was ended");
        return cli_worse(shown, CLI_STOPPED);
    }
    return shown;
}

static cli_exit search(optimising *in, cli_still *still)
{
    rh_error err = RH_ZERO;
    rh_optimum *optimum = NULL;
    rh_optimum_def def = rh_optimum_def_default();
    def.steady = still->def;
    def.steady.fix_count = in->options->fix_count;
    def.over = in->over;
    def.over_count = in->options->over_count;
    def.go_on = go_on;
    def.user = in;
    in->patience = cli_patience_begin(in->options, in->limit);
    cli_patience_phase("an optimum was sought");
    const rh_status status = rh_optimum_create(still->equations, &def, &optimum, &err);
    cli_patience_keep();
    cli_patience_end(&in->patience);
    const cli_exit result =
        status == RH_OK ? tell(in, optimum) : cli_still_talk(in->options, still, status, &err);
    rh_optimum_destroy(optimum);
    return result;
}

static cli_exit load(optimising *in)
{
    cli_still still;
    cli_options with = *in->options;
    with.fix = in->fix;
    with.fix_count = in->options->fix_count + in->options->over_count;
    cli_exit result = cli_still_load(&with, &still);
    if (result == CLI_DONE) {
        result = search(in, &still);
    }
    cli_still_destroy(&still);
    return result;
}

cli_exit cli_optimise(const cli_options *options)
{
    optimising in = {.options = options};
    cli_exit result = CLI_STOPPED;
    if (!reserve(&in)) {
        cli_talk_memory();
    } else {
        result = read_call(&in) ? load(&in) : CLI_WRONG_CALL;
    }
    free(in.ranges);
    free(in.over);
    free(in.fix);
    free(in.texts);
    return result;
}
