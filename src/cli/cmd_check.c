// SPDX-License-Identifier: Apache-2.0
// rheonom check: reads a model and says what it is.

#include "cli/cli.h"

cli_exit cli_check(const cli_options *options)
{
    rh_model *model = NULL;
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        rh_error err = RH_ZERO;
        const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
        result = cli_talk_status(rh_output_check(model, format, cli_outlet_data(), &err), &err);
    }
    rh_model_destroy(model);
    return result;
}
