// SPDX-License-Identifier: Apache-2.0
// From the MODEL and the names of a call to equations and a recipe for steady motions.

#include "cli/still.h"

#include <stdlib.h>
#include <string.h>

// The name of "NAME=VALUE", which goes to *names; blanks around it do not count.
static const char *take_name(const char *text, char **names)
{
    const size_t blanks = strspn(text, " \t");
    size_t size = (size_t)(strchr(text, '=') - text);
    char *name = *names;
    text += blanks < size ? blanks : 0;
    size -= blanks < size ? blanks : 0;
    while (size > 1 && (text[size - 1] == ' ' || text[size - 1] == '\t')) {
        size--;
    }
    memcpy(name, text, size);
    name[size] = '\0';
    *names += size + 1;
    return name;
}

static cli_exit read_values(const cli_options *options, cli_still *out)
{
    size_t size = 1;
    for (size_t k = 0; k < options->fix_count; k++) {
        size += strlen(options->fix[k]) + 1;
    }
    for (size_t k = 0; k < options->guess_count; k++) {
        size += strlen(options->guess[k]) + 1;
    }
    out->names = calloc(size, 1);
    out->values = calloc(options->fix_count + options->guess_count + 2, sizeof *out->values);
    if (out->names == NULL || out->values == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    char *names = out->names;
    rh_steady_value *guess = out->values + options->fix_count + 1;
    for (size_t k = 0; k < options->fix_count; k++) {
        out->values[k].name = take_name(options->fix[k], &names);
    }
    for (size_t k = 0; k < options->guess_count; k++) {
        guess[k].name = take_name(options->guess[k], &names);
    }
    out->def = rh_steady_def_default();
    out->def.fix = out->values;
    out->def.fix_count = options->fix_count;
    out->def.guess = guess;
    out->def.guess_count = options->guess_count;
    const cli_exit result = cli_givens_read(options, &out->text, "--fix", options->fix,
                                            options->fix_count, out->values);
    return result != CLI_DONE ? result
                              : cli_givens_read(options, &out->text, "--guess", options->guess,
                                                options->guess_count, guess);
}

static cli_exit derive(const cli_options *options, cli_still *out)
{
    const cli_exit result = cli_equations_load(options, out->model, &out->equations);
    if (result == CLI_WRONG_MODEL) {
        cli_equations_excuse(options, out->equations);
    }
    return result;
}

// The model once more, with the expressions of the call observed. Where they mean nothing the model
// stays as it is, and whoever needs them says so.
static cli_exit observe(const cli_options *options, const cli_intake *text,
                        const char *const *names, size_t count, cli_still *out)
{
    rh_error err = RH_ZERO;
    rh_model *model = NULL;
    rh_model_def def = cli_model_def(text, options);
    def.observe = names;
    def.observe_count = count;
    const rh_status status = rh_model_create(&def, &model, &err);
    if (model == NULL) {
        return cli_talk_status(status, &err);
    }
    if (!rh_model_is_sound(model)) {
        rh_model_destroy(model);
        return CLI_DONE;
    }
    rh_equations_destroy(out->equations);
    rh_model_destroy(out->model);
    out->equations = NULL;
    out->model = model;
    cli_options silent = *options;
    silent.is_quiet = true; // what there is to say was said
    return derive(&silent, out);
}

static cli_exit make(const cli_options *options, const cli_intake *text, cli_still *out)
{
    cli_exit result = cli_model_make(text, options, &out->model);
    if (result == CLI_DONE) {
        result = derive(options, out);
    }
    const char **names = calloc(options->fix_count + options->output_count + 2, sizeof *names);
    size_t count = 0;
    for (size_t k = 0; names != NULL && result == CLI_DONE && k < options->fix_count; k++) {
        if (!rh_steady_knows(out->equations, out->values[k].name)) {
            names[count++] = out->values[k].name;
        }
    }
    for (size_t k = 0; names != NULL && result == CLI_DONE && k < options->output_count; k++) {
        if (!rh_steady_knows(out->equations, options->output[k])) {
            names[count++] = options->output[k];
        }
    }
    if (names == NULL) {
        cli_talk_memory();
        result = CLI_STOPPED;
    }
    if (result == CLI_DONE && count > 0) {
        result = observe(options, text, names, count, out);
    }
    out->observed = names;
    out->observed_count = count;
    return result;
}

cli_exit cli_still_load(const cli_options *options, cli_still *out)
{
    *out = (cli_still){.model = NULL};
    cli_options plain = *options;
    plain.has_no_presolve = true;
    cli_patience_phase("the model was read");
    cli_exit result = cli_model_read(options->subject, &out->text);
    if (result == CLI_DONE) {
        result = read_values(options, out);
    }
    if (result == CLI_DONE) {
        result = make(&plain, &out->text, out);
    }
    cli_patience_phase("equations were reduced");
    return result;
}

void cli_still_destroy(cli_still *still)
{
    rh_equations_destroy(still->equations);
    rh_model_destroy(still->model);
    free(still->values);
    free(still->names);
    free(still->text.data);
    free(still->observed);
    *still = (cli_still){.model = NULL};
}

void cli_still_begin_at(const cli_still *still, const char *name, double value, rh_steady_def *out)
{
    *out = still->def;
    for (size_t k = 0; k < still->def.fix_count; k++) {
        if (strcmp(still->values[k].name, name) == 0) {
            still->values[k].value = value;
            return;
        }
    }
    still->values[still->def.fix_count] = (rh_steady_value){name, value};
    out->fix_count = still->def.fix_count + 1;
}

cli_exit cli_still_talk(const cli_options *options, const cli_still *still, rh_status status,
                        const rh_error *err)
{
    if (status == RH_E_MODEL) { // with its place
        rh_checkup *checkup = NULL;
        const cli_exit shown = cli_checkup_load(options, still->equations, &checkup);
        rh_checkup_destroy(checkup);
        if (shown != CLI_DONE) {
            return shown;
        }
    }
    const cli_exit result = cli_talk_status(status, err);
    return status == RH_E_UNAVAILABLE ? CLI_STOPPED : result;
}
