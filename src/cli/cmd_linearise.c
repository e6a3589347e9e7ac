// SPDX-License-Identifier: Apache-2.0
// rheonom linearise: the reduced system around the start, or around a steady motion.

#include "cli/still.h"

static cli_exit linearise(const cli_options *options, const cli_still *still)
{
    rh_linear *linear = NULL;
    rh_error err = RH_ZERO;
    rh_linear_def def = rh_linear_def_default();
    def.steady = still->def;
    def.is_steady = options->fix_count + options->guess_count > 0;
    def.inputs = options->input;
    def.input_count = options->input_count;
    def.outputs = options->output;
    def.output_count = options->output_count;
    const rh_status status = rh_linear_create(still->equations, &def, &linear, &err);
    cli_exit result = cli_still_talk(options, still, status, &err);
    if (result == CLI_DONE) {
        const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
        result = cli_talk_status(rh_output_linear(linear, format, cli_outlet_data(), &err), &err);
    }
    rh_linear_destroy(linear);
    return result;
}

cli_exit cli_linearise(const cli_options *options)
{
    cli_still still;
    cli_exit result = cli_still_load(options, &still);
    if (result == CLI_DONE) {
        result = linearise(options, &still);
    }
    cli_still_destroy(&still);
    return result;
}
