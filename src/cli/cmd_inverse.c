// SPDX-License-Identifier: Apache-2.0
// rheonom inverse: is there a Lagrangian with a dissipative function for the equations of a model,
// or a Hamiltonian for its canonical pairs?

#include "cli/run.h"

// How long one waits; the reason once it was too long.
typedef struct waiting {
    cli_patience patience;
    const char *reason;
} waiting;

static bool goes_on(void *user)
{
    waiting *wait = user;
    if (wait->reason == NULL) {
        wait->reason = cli_patience_check(&wait->patience, 0.0, 0.0);
    }
    return wait->reason == NULL;
}

static cli_exit tell(const cli_options *options, const rh_inverse *inverse, const waiting *wait)
{
    rh_error err = RH_ZERO;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown =
        cli_talk_status(rh_output_inverse(inverse, format, cli_outlet_data(), &err), &err);
    if (wait->reason != NULL) {
        cli_talk("the question is open: %s; what was found so far is shown", wait->reason);
        return cli_worse(shown, CLI_STOPPED);
    }
    return shown;
}

// What is wrong with the equations is said where they are derived.
static cli_exit explain(const cli_options *options, const rh_model *model, rh_status status,
                        const rh_error *err)
{
    rh_equations *equations = NULL;
    if (status != RH_E_MODEL) {
        return cli_talk_status(status, err);
    }
    const cli_exit result = cli_equations_load(options, model, &equations);
    rh_equations_destroy(equations);
    return result;
}

cli_exit cli_inverse(const cli_options *options)
{
    rh_model *model = NULL;
    rh_inverse *inverse = NULL;
    rh_error err = RH_ZERO;
    double limit = 0.0;
    if (options->time_limit != NULL &&
        !cli_number_read("--time-limit", options->time_limit, &limit)) {
        return CLI_WRONG_CALL;
    }
    if (options->time_limit != NULL && !(limit > 0.0)) {
        cli_talk("--time-limit wants a positive number of seconds, not %s", options->time_limit);
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        waiting wait = {.patience = cli_patience_begin(options, limit)};
        wait.patience.has_bar = false; // nobody knows how much is left
        cli_patience_keep();
        rh_inverse_def def = rh_inverse_def_default();
        def.goes_on = goes_on;
        def.user = &wait;
        cli_patience_phase("the conditions were examined");
        const rh_status status = rh_inverse_create(model, &def, &inverse, &err);
        result =
            status == RH_OK ? tell(options, inverse, &wait) : explain(options, model, status, &err);
    }
    rh_inverse_destroy(inverse);
    rh_model_destroy(model);
    return result;
}
