// SPDX-License-Identifier: Apache-2.0
// Values of --fix and --guess: numbers, or expressions of the parameters of the model as it is read
// with the settings of the call.

#include "cli/still.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *value_text(const char *given)
{
    return strchr(given, '=') + 1;
}

// Does a text hold a name as a word of its own?
static bool holds(const char *text, const char *name, size_t size)
{
    for (const char *at = text; *at != '\0';) {
        if (isalpha((unsigned char)*at) == 0 && *at != '_') {
            at += isdigit((unsigned char)*at) != 0 ? strspn(at, "0123456789.eE") : 1;
            continue;
        }
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) != 0 || at[length] == '_') {
            length++;
        }
        if (length == size && strncmp(at, name, size) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

// A parameter that the call itself gives has no value of its own in expressions.
static bool is_plain(const cli_options *options, const char *word, const char *given)
{
    for (size_t k = 0; k < options->fix_count; k++) {
        const size_t size = (size_t)(value_text(options->fix[k]) - 1 - options->fix[k]);
        if (holds(value_text(given), options->fix[k], size)) {
            cli_talk(
                "%s %s: the call gives %.*s itself, so this has no value yet; write the number",
                word, given, (int)size, options->fix[k]);
            return false;
        }
    }
    return true;
}

static cli_exit take_values(const rh_model *model, const char *word, const char **given,
                            size_t count, double *out)
{
    rh_error err = RH_ZERO;
    const size_t all = rh_model_observe_count(model);
    for (size_t k = 0; k < count; k++) {
        if (rh_model_observe_value(model, all - count + k, &out[k], &err) != RH_OK) {
            cli_talk("%s %s: %s", word, given[k], err.message);
            return CLI_WRONG_CALL;
        }
        if (!isfinite(out[k])) {
            cli_talk("%s %s: the value is not finite", word, given[k]);
            return CLI_WRONG_CALL;
        }
    }
    return CLI_DONE;
}

// Let the model read these expressions.
static cli_exit ask_model(const cli_options *options, const cli_intake *text, const char *word,
                          const char **given, size_t count, double *out)
{
    rh_error err = RH_ZERO;
    rh_model *model = NULL;
    rh_model_def def = cli_model_def(text, options);
    const char **texts = calloc(count, sizeof *texts);
    if (texts == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    for (size_t k = 0; k < count; k++) {
        texts[k] = value_text(given[k]);
    }
    def.observe = texts;
    def.observe_count = count;
    def.observe_name = word;
    const rh_status status = rh_model_create(&def, &model, &err);
    cli_exit result = model == NULL ? cli_talk_status(status, &err) : CLI_DONE;
    if (model != NULL && !rh_model_is_sound(model)) {
        result = cli_model_show(model, options, text->name);
    } else if (model != NULL) {
        result = take_values(model, word, given, count, out);
    }
    rh_model_destroy(model);
    free(texts);
    return result;
}

cli_exit cli_givens_read(const cli_options *options, const cli_intake *text, const char *word,
                         const char *const *given, size_t count, rh_steady_value *out)
{
    const char **open = calloc(count + 1, sizeof *open);
    size_t *place = calloc(count + 1, sizeof *place);
    double *values = calloc(count + 1, sizeof *values);
    cli_exit result = CLI_DONE;
    size_t open_count = 0;
    if (open == NULL || place == NULL || values == NULL) {
        cli_talk_memory();
        result = CLI_STOPPED;
    }
    for (size_t k = 0; result == CLI_DONE && k < count; k++) {
        if (!cli_number_is(value_text(given[k]), &out[k].value)) {
            result = is_plain(options, word, given[k]) ? CLI_DONE : CLI_WRONG_CALL;
            place[open_count] = k;
            open[open_count++] = given[k];
        }
    }
    if (result == CLI_DONE && open_count > 0) {
        result = ask_model(options, text, word, open, open_count, values);
    }
    for (size_t k = 0; result == CLI_DONE && k < open_count; k++) {
        out[place[k]].value = values[k];
    }
    free(open);
    free(place);
    free(values);
    return result;
}
