// SPDX-License-Identifier: Apache-2.0
// Help texts, put together from the tables of verbs and options.

#include "cli/cli.h"

#include <stdio.h>

static void print_program_help(void)
{
    (void)printf(
        "Workbench for dynamical systems with constraints.\n"
        "\n"
        "usage: rheonom VERB MODEL [options]\n"
        "       rheonom --help | --version\n"
        "\n"
        "MODEL is a file, or - for the standard input. Data goes to stdout, talk to stderr.\n"
        "\n"
        "verbs:\n");
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++) {
        if (verb->run != NULL) {
            (void)printf("  %-12s %s\n", verb->name, verb->summary);
        }
    }
    (void)printf("\nnot built yet:\n");
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++) {
        if (verb->run == NULL) {
            (void)printf("  %-12s %s\n", verb->name, verb->summary);
        }
    }
    (void)printf("\n"
                 "exit codes:\n"
                 "  0  done\n"
                 "  1  the model is wrong\n"
                 "  2  the call is wrong\n"
                 "  3  the computation could not go on\n"
                 "  4  the answer to --require is no\n"
                 "\n"
                 "rheonom VERB --help says more about a verb.\n");
}

static void print_options(const cli_verb *verb)
{
    (void)printf("\noptions:\n");
    for (unsigned option = 0; option < CLI_OPTION_COUNT; option++) {
        const cli_option_row *row = &cli_option_rows[option];
        if ((verb->options >> option & 1u) != 0) {
            char spelling[64];
            (void)snprintf(spelling, sizeof spelling, "%s%s%s", row->word,
                           row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
            (void)printf("  %-20s %s\n", spelling, row->purpose);
        }
    }
}

void cli_help_print(const cli_verb *verb)
{
    if (verb == NULL) {
        print_program_help();
        return;
    }
    (void)printf("rheonom %s: %s\n\nusage: rheonom %s %s%s%s [options]\n", verb->name,
                 verb->summary, verb->name, verb->is_subject_needed ? "" : "[", verb->subject,
                 verb->is_subject_needed ? "" : "]");
    if (verb->run == NULL) {
        (void)printf("\nThis verb is not built yet.\n");
        return;
    }
    (void)printf("\n%s", verb->details);
    print_options(verb);
}
