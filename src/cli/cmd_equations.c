// SPDX-License-Identifier: Apache-2.0
// rheonom equations: the equations of motion in one of their forms.

#include "cli/cli.h"
#include "cli/run.h"

#include <string.h>

typedef struct form_row {
    const char *word;
    rh_form_kind kind;
} form_row;

static const form_row FORMS[] = {
    {"free", RH_FORM_FREE},       {"multipliers", RH_FORM_MULTIPLIERS},
    {"reduced", RH_FORM_REDUCED}, {"principal", RH_FORM_PRINCIPAL},
    {"quasi", RH_FORM_QUASI},     {"changed", RH_FORM_CHANGED},
};

enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

static bool find_form(const char *word, rh_form_kind *out)
{
    const char *known[FORM_COUNT + 1] = {NULL};
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (strcmp(FORMS[i].word, word) == 0) {
            *out = FORMS[i].kind;
            return true;
        }
        known[i] = FORMS[i].word;
    }
    const char *near = cli_suggest(word, known);
    if (near != NULL) {
        cli_talk("there is no form \"%s\"; did you mean %s?", word, near);
    } else {
        cli_talk("there is no form \"%s\"; forms are free, multipliers, reduced, principal, quasi, "
                 "changed",
                 word);
    }
    return false;
}

cli_exit cli_equations(const cli_options *options)
{
    rh_form_kind kind = RH_FORM_MULTIPLIERS;
    if (!find_form(options->form != NULL ? options->form : "multipliers", &kind)) {
        return CLI_WRONG_CALL;
    }
    if (options->is_json && options->is_latex) {
        cli_talk("--json and --latex cannot both be had");
        return CLI_WRONG_CALL;
    }
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        result = cli_equations_load(options, model, &equations);
    }
    if (result == CLI_WRONG_MODEL) {
        cli_equations_excuse(options, equations);
    }
    if (result == CLI_DONE) {
        rh_error err = RH_ZERO;
        const rh_format format = options->is_json    ? RH_FORMAT_JSON
                                 : options->is_latex ? RH_FORMAT_LATEX
                                                     : RH_FORMAT_TEXT;
        cli_patience_phase("the form was derived");
        result = cli_talk_status(
            rh_output_equations(equations, kind, format, cli_outlet_data(), &err), &err);
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}
