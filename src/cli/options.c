// SPDX-License-Identifier: Apache-2.0
// Reads the options of a call: `--word`, `--word value` or `--word=value`; `--` ends them.

#include "cli/cli.h"

#include <string.h>

const cli_option_row cli_option_rows[CLI_OPTION_COUNT] = {
#define CLI_OPTION_ROW(id, word, value, purpose) {word, value, purpose},
    CLI_OPTION_LIST(CLI_OPTION_ROW)
#undef CLI_OPTION_ROW
};

static bool takes(const cli_verb *verb, cli_option option)
{
    RH_ASSERT(option < CLI_OPTION_COUNT);
    return (verb->options >> option & 1u) != 0;
}

cli_option cli_option_find(const char *word, size_t size)
{
    if (size == 2 && memcmp(word, "-h", 2) == 0) {
        return CLI_OPTION_HELP;
    }
    if (size == 2 && memcmp(word, "-j", 2) == 0) {
        return CLI_OPTION_JOBS;
    }
    cli_option option = 0;
    while (option < CLI_OPTION_COUNT && !(strlen(cli_option_rows[option].word) == size &&
                                          memcmp(cli_option_rows[option].word, word, size) == 0)) {
        option++;
    }
    return option;
}

static bool refuse_unknown(const cli_verb *verb, const char *word, size_t size)
{
    char asked[64] = "";
    if (size < sizeof asked) {
        memcpy(asked, word, size);
    }
    const char *known[CLI_OPTION_COUNT + 1] = {NULL};
    size_t count = 0;
    for (cli_option option = 0; option < CLI_OPTION_COUNT; option++) {
        if (takes(verb, option)) {
            known[count++] = cli_option_rows[option].word;
        }
    }
    RH_ASSERT(count < sizeof known / sizeof *known && known[count] == NULL);
    const char *near = cli_suggest(asked, known);
    if (near != NULL) {
        cli_talk("%s has no option %.*s; did you mean %s?", verb->name, (int)size, word, near);
    } else {
        cli_talk("%s has no option %.*s; see rheonom %s --help", verb->name, (int)size, word,
                 verb->name);
    }
    return false;
}

static bool is_setting(cli_option option, const char *value)
{
    RH_ASSERT(option < CLI_OPTION_COUNT);
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        cli_talk("%s wants NAME=VALUE, not \"%s\"", cli_option_rows[option].word, value);
        return false;
    }
    return true;
}

static bool store_once(const char **place, cli_option option, const char *value)
{
    RH_ASSERT(option < CLI_OPTION_COUNT && cli_option_rows[option].value != NULL);
    if (*place != NULL) {
        cli_talk("%s is given twice", cli_option_rows[option].word);
        return false;
    }
    *place = value;
    return true;
}

// Where the value of an option belongs that is given once.
static const char **place_of(cli_options *options, cli_option option)
{
    const struct {
        cli_option option;
        const char **place;
    } rows[] = {
        {CLI_OPTION_FORM, &options->form},
        {CLI_OPTION_UNTIL, &options->until},
        {CLI_OPTION_TOL, &options->tolerance},
        {CLI_OPTION_POINTS, &options->points},
        {CLI_OPTION_AT, &options->at},
        {CLI_OPTION_OUT, &options->out},
        {CLI_OPTION_PLOT, &options->plot},
        {CLI_OPTION_METHOD, &options->method},
        {CLI_OPTION_TIER, &options->tier},
        {CLI_OPTION_C, &options->c},
        {CLI_OPTION_TIME_LIMIT, &options->time_limit},
        {CLI_OPTION_MEMORY_LIMIT, &options->memory_limit},
        {CLI_OPTION_CHECKPOINT, &options->checkpoint},
        {CLI_OPTION_CHECKPOINT_EVERY, &options->checkpoint_every},
        {CLI_OPTION_RESUME, &options->resume},
        {CLI_OPTION_MEMBERS, &options->members},
        {CLI_OPTION_SEED, &options->seed},
        {CLI_OPTION_OBSERVE, &options->observe},
        {CLI_OPTION_JOBS, &options->jobs},
        {CLI_OPTION_LANES, &options->lanes},
        {CLI_OPTION_FREE, &options->free},
        {CLI_OPTION_PERIOD, &options->period},
        {CLI_OPTION_SYMMETRY, &options->symmetry},
        {CLI_OPTION_CONTINUE, &options->branch_of},
        {CLI_OPTION_REQUIRE, &options->require},
        {CLI_OPTION_BOX, &options->box},
        {CLI_OPTION_MATRIX, &options->matrix},
        {CLI_OPTION_FUNCTION, &options->function},
        {CLI_OPTION_STEP, &options->step},
        {CLI_OPTION_CERTIFICATE, &options->certificate},
        {CLI_OPTION_AXIS_X, &options->x},
        {CLI_OPTION_AXIS_Y, &options->y},
        {CLI_OPTION_SOLVE, &options->solve},
        {CLI_OPTION_BRANCH, &options->branch},
        {CLI_OPTION_CURVES, &options->curves},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].option == option) {
            return rows[k].place;
        }
    }
    return NULL;
}

// The same for options without a value.
static bool *flag_of(cli_options *options, cli_option option)
{
    const struct {
        cli_option option;
        bool *flag;
    } rows[] = {
        {CLI_OPTION_GO_ON, &options->goes_on},
        {CLI_OPTION_FIX_PERIOD, &options->is_period_fixed},
        {CLI_OPTION_WHOLE_STEPS, &options->has_whole_steps},
        {CLI_OPTION_CERTIFY, &options->is_certified},
        {CLI_OPTION_REPAIR, &options->has_repair},
        {CLI_OPTION_WORK, &options->has_work},
        {CLI_OPTION_REVERSE, &options->is_reversed},
        {CLI_OPTION_NO_PRESOLVE, &options->has_no_presolve},
        {CLI_OPTION_LATEX, &options->is_latex},
        {CLI_OPTION_JSON, &options->is_json},
        {CLI_OPTION_QUIET, &options->is_quiet},
        {CLI_OPTION_HELP, &options->is_help},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].option == option) {
            return rows[k].flag;
        }
    }
    return NULL;
}

static bool store(cli_options *options, cli_option option, const char *value)
{
    RH_ASSERT(takes(options->verb, option) && value != NULL);
    const char **place = place_of(options, option);
    bool *flag = flag_of(options, option);
    RH_ASSERT(place == NULL || flag == NULL);
    if (place != NULL) {
        return store_once(place, option, value);
    }
    if (flag != NULL) {
        *flag = true;
        return true;
    }
    switch (option) {
    case CLI_OPTION_SET:
        options->set[options->set_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_START:
        options->start[options->start_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_BY:
        options->by[options->by_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_ATOL:
        options->atol[options->atol_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_GRID:
        options->grid[options->grid_count++] = value;
        return true;
    case CLI_OPTION_RANDOM:
        options->random[options->random_count++] = value;
        return true;
    case CLI_OPTION_UNKNOWN:
        options->unknown[options->unknown_count++] = value;
        return true;
    case CLI_OPTION_FIX:
        options->fix[options->fix_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_GUESS:
        options->guess[options->guess_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_OVER:
        options->over[options->over_count++] = value;
        return is_setting(option, value);
    case CLI_OPTION_INPUT:
        options->input[options->input_count++] = value;
        return true;
    case CLI_OPTION_OUTPUT:
        options->output[options->output_count++] = value;
        return true;
    case CLI_OPTION_STAGE:
        if (options->stages != NULL) {
            cli_talk("--stage is given twice; separate stages by commas");
            return false;
        }
        options->stages = value;
        return true;
    default:
        return false;
    }
}

// -j2
static bool is_jobs(const cli_verb *verb, const char *word)
{
    return takes(verb, CLI_OPTION_JOBS) && word[1] == 'j' && word[2] >= '0' && word[2] <= '9';
}

// Read the option at arguments[*place]; its value may be the next argument.
static bool parse_option(cli_options *options, int count, char *const *arguments, int *place)
{
    RH_ASSERT(0 <= *place && *place < count && arguments[*place][0] == '-');
    const char *word = arguments[*place];
    const char *equals = strchr(word, '=');
    const size_t size = equals != NULL ? (size_t)(equals - word) : strlen(word);
    if (is_jobs(options->verb, word)) {
        return store(options, CLI_OPTION_JOBS, word + 2);
    }
    cli_option option = cli_option_find(word, size);
    if (option == CLI_OPTION_RESUME && takes(options->verb, CLI_OPTION_GO_ON)) {
        option = CLI_OPTION_GO_ON; // the same word, where there is one place to go on from
    }
    if (option == CLI_OPTION_COUNT || !takes(options->verb, option)) {
        return refuse_unknown(options->verb, word, size);
    }

    const cli_option_row *row = &cli_option_rows[option];
    if (row->value == NULL) {
        if (equals != NULL) {
            cli_talk("%s takes no value", row->word);
            return false;
        }
        return store(options, option, "");
    }
    if (equals != NULL) {
        return store(options, option, equals + 1);
    }
    if (*place + 1 >= count) {
        cli_talk("%s needs a value: %s %s", row->word, row->word, row->value);
        return false;
    }
    return store(options, option, arguments[++*place]);
}

static bool store_subject(cli_options *options, const char *word)
{
    RH_ASSERT(options->verb->subject != NULL);
    if (word[0] == '\0') {
        cli_talk("%s needs a %s, not an empty word", options->verb->name, options->verb->subject);
        return false;
    }
    if (options->subject != NULL) {
        cli_talk("%s takes one %s, and \"%s\" is one more", options->verb->name,
                 options->verb->subject, word);
        return false;
    }
    options->subject = word;
    return true;
}

bool cli_options_parse(cli_options *options, int count, char *const *arguments)
{
    RH_ASSERT(options->verb != NULL && options->subject == NULL);
    bool is_over = false;
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];
        if (!is_over && strcmp(word, "--") == 0) {
            is_over = true;
            continue;
        }
        const bool is_option = !is_over && word[0] == '-' && word[1] != '\0';
        const bool is_fine =
            is_option ? parse_option(options, count, arguments, &i) : store_subject(options, word);
        if (!is_fine) {
            return false;
        }
    }
    if (options->subject == NULL && options->verb->is_subject_needed && !options->is_help) {
        cli_talk("%s needs a %s; see rheonom %s --help", options->verb->name,
                 options->verb->subject, options->verb->name);
        return false;
    }
    return true;
}
