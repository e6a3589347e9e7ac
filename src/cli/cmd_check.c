// SPDX-License-Identifier: Apache-2.0
// rheonom check: reads a model, says what it is, and examines its constraints.

#include "cli/cli.h"

// What can be said without equations of motion: equations as written may not determine any.
static cli_exit show_model(const rh_model *model, rh_format format)
{
    rh_error err = RH_ZERO;
    return cli_talk_status(rh_output_check(model, format, cli_outlet_data(), &err), &err);
}

static cli_exit show_checkup(const cli_options *options, rh_equations *equations, rh_format format)
{
    rh_checkup *checkup = NULL;
    cli_exit result = cli_checkup_load(options, equations, &checkup);
    if (result == CLI_DONE) {
        rh_error err = RH_ZERO;
        result = cli_talk_status(rh_output_checkup(checkup, format, cli_outlet_data(), &err), &err);
    }
    rh_checkup_destroy(checkup);
    return result;
}

cli_exit cli_check(const cli_options *options)
{
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        result = cli_equations_load(options, model, &equations);
        if (result == CLI_DONE) {
            result = show_checkup(options, equations, format);
        } else if (result == CLI_WRONG_MODEL && !cli_equations_are_wrong(equations)) {
            result = show_model(model, format);
        }
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}
