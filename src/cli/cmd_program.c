// SPDX-License-Identifier: Apache-2.0
// rheonom program: what the perturbation laws of a model make of its deviations.

#include "cli/run.h"

// An rh_program_ask.
static bool is_over(void *user)
{
    cli_patience *patience = user;
    return cli_patience_check(patience, 0.0, 0.0) != NULL;
}

static cli_exit tell(const cli_options *options, const rh_program *program)
{
    rh_error err = RH_ZERO;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown =
        cli_talk_status(rh_output_program(program, format, cli_outlet_data(), &err), &err);
    if (rh_program_summarise(program).is_interrupted) {
        cli_talk("it was interrupted: the verdict is of what was looked at so far");
        return cli_worse(shown, CLI_STOPPED);
    }
    return shown;
}

static cli_exit judge(const cli_options *options, rh_equations *equations, double period,
                      cli_patience *patience)
{
    rh_program_def def = rh_program_def_default();
    rh_program *program = NULL;
    rh_error err = RH_ZERO;
    def.box = options->box;
    def.matrix = options->matrix;
    def.has_function = options->function != NULL; // load.c puts it last
    def.is_certified = options->is_certified;
    def.period = period;
    def.ask = is_over;
    def.ask_user = patience;
    cli_patience_phase("the laws were judged");
    cli_patience_keep();
    const rh_status status = rh_program_create(equations, &def, &program, &err);
    cli_patience_end(patience);
    cli_exit result = cli_talk_status(status, &err);
    result = status == RH_E_ARGUMENT || status == RH_E_UNAVAILABLE ? CLI_WRONG_CALL : result;
    result = result == CLI_DONE ? tell(options, program) : result;
    rh_program_destroy(program);
    return result;
}

cli_exit cli_program(const cli_options *options)
{
    double limit = 0.0;
    double period = 0.0;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_checkup *checkup = NULL;
    if (!cli_time_limit_read(options, &limit)) {
        return CLI_WRONG_CALL;
    }
    if (options->period != NULL &&
        (!cli_number_read("--period", options->period, &period) || !(period > 0.0))) {
        cli_talk("--period wants a positive length of time, not %s", options->period);
        return CLI_WRONG_CALL;
    }
    cli_patience patience = cli_patience_begin(options, limit);
    patience.has_bar = false; // nobody knows how far it is
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        result = cli_equations_load(options, model, &equations);
        if (result == CLI_WRONG_MODEL) {
            cli_equations_excuse(options, equations);
        }
    }
    if (result == CLI_DONE) {
        result = cli_checkup_load(options, equations, &checkup);
    }
    if (result == CLI_DONE) {
        result = judge(options, equations, period, &patience);
    }
    rh_checkup_destroy(checkup);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}
