// SPDX-License-Identifier: Apache-2.0
// The program: finds the verb, reads its options, runs it, and makes sure that what it said
// arrived.

#include "cli/cli.h"
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit refuse_verb(const char *word)
{
    enum { MOST = 32 };
    const char *known[MOST + 1] = {"--help", "--version"};
    size_t count = 2;
    for (const cli_verb *verb = cli_verbs; verb->name != NULL && count < MOST; verb++) {
        known[count++] = verb->name;
    }
    if (cli_option_find(word, strcspn(word, "=")) != CLI_OPTION_COUNT) {
        cli_talk("%s stands after the verb; see rheonom --help", word);
        return CLI_WRONG_CALL;
    }
    const char *what = word[0] == '-' ? "option" : "verb";
    const char *near = cli_suggest(word, known);
    if (near != NULL) {
        cli_talk("there is no %s %s; did you mean %s?", what, word, near);
    } else {
        cli_talk("there is no %s %s; see rheonom --help", what, word);
    }
    return CLI_WRONG_CALL;
}

// What the library was asked to end is not the whole answer, whatever a verb made of it.
static cli_exit run_in_time(cli_options *options)
{
    double limit = 0.0;
    if (!cli_time_limit_read(options, &limit) || !cli_memory_limit_read(options)) {
        return CLI_WRONG_CALL;
    }
    cli_patience_arm(limit);
    const cli_exit result = options->verb->run(options);
    if (cli_patience_is_over() && result != CLI_STOPPED) {
        cli_talk("it was ended before it was done: what was told is not the whole answer");
        return CLI_STOPPED;
    }
    return result;
}

static cli_exit run_verb(const cli_verb *verb, int count, char *const *arguments)
{
    // every argument could be a setting
    const char **settings = calloc(12 * (size_t)count + 1, sizeof *settings);
    if (settings == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    cli_options options = {.verb = verb,
                           .set = settings,
                           .start = settings + count,
                           .by = settings + 2 * (size_t)count,
                           .grid = settings + 3 * (size_t)count,
                           .random = settings + 4 * (size_t)count,
                           .unknown = settings + 5 * (size_t)count,
                           .fix = settings + 6 * (size_t)count,
                           .guess = settings + 7 * (size_t)count,
                           .input = settings + 8 * (size_t)count,
                           .output = settings + 9 * (size_t)count,
                           .over = settings + 10 * (size_t)count,
                           .atol = settings + 11 * (size_t)count};
    cli_exit result = CLI_DONE;
    if (!cli_options_parse(&options, count, arguments)) {
        result = CLI_WRONG_CALL;
    } else if (options.is_help) {
        cli_help_print(verb);
    } else {
        result = run_in_time(&options);
        if (options.is_json) {
            cli_outlet_excuse(result);
        }
    }
    free(settings);
    return result;
}

// An unbuilt verb has help, but no options that could be judged.
static cli_exit answer_unbuilt(const cli_verb *verb, int count, char *const *arguments)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "--help") == 0) {
            cli_help_print(verb);
            return CLI_DONE;
        }
    }
    cli_talk("%s is not built yet", verb->name);
    return CLI_WRONG_CALL;
}

static cli_exit answer(int count, char *const *arguments)
{
    if (count < 2) {
        cli_talk("a verb is missing: rheonom VERB MODEL [options]; see rheonom --help");
        return CLI_WRONG_CALL;
    }
    const char *word = arguments[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_help_print(NULL);
        return CLI_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("rheonom %s\n", rh_version());
        return CLI_DONE;
    }
    const cli_verb *verb = cli_verb_find(word);
    if (verb == NULL) {
        return refuse_verb(word);
    }
    return verb->run != NULL ? run_verb(verb, count - 2, arguments + 2)
                             : answer_unbuilt(verb, count - 2, arguments + 2);
}

int main(int count, char **arguments)
{
    cli_patience_spare_files();
    return (int)cli_outlet_finish(answer(count, arguments));
}
