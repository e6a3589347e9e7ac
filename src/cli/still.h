// SPDX-License-Identifier: Apache-2.0
// What the verbs for steady motions share: the model with what the call names, and its equations.

#pragma once

#include "cli/run.h"

typedef struct cli_still {
    rh_model *model;
    rh_equations *equations;
    rh_steady_value *values; // of --fix, one more, then of --guess
    char *names;             // of all of them
    rh_steady_def def;
    cli_intake text;       // of the model
    const char **observed; // names of the call that are expressions
    size_t observed_count;
} cli_still;

/// Read the model; names of the call that are expressions are observed. To be destroyed in any
/// case.
cli_exit cli_still_load(const cli_options *options, cli_still *out);
void cli_still_destroy(cli_still *still);
/// Say why a call of the library about steady motions failed; where equations cannot be evaluated
/// or no motion is alone the computation could not go on, in every verb. What is wrong with the
/// model is shown as `check` shows it.
cli_exit cli_still_talk(const cli_options *options, const cli_still *still, rh_status status,
                        const rh_error *err);
/// The search with one quantity at a value: fixed there whether the call fixed it or not.
void cli_still_begin_at(const cli_still *still, const char *name, double value, rh_steady_def *out);

/// Read the values of --fix or --guess ("NAME=VALUE"): numbers, or expressions of parameters. The
/// names are left alone. Says what is wrong.
cli_exit cli_givens_read(const cli_options *options, const cli_intake *text, const char *word,
                         const char *const *given, size_t count, rh_steady_value *out);

/// Prove verdicts of the motions found, for as long as the call allows: one for each, NULL where
/// there was no time. CLI_WRONG_CALL when the call is wrong.
cli_exit cli_proofs_find(const cli_options *options, const cli_still *still,
                         const rh_steady_def *def, const rh_steady *steady, rh_certificate **out);
/// Write the certificate of the call.
cli_exit cli_proofs_save(const cli_options *options, const rh_certificate *certificate);
/// How long the call waits; false, with a message, when it is wrong.
bool cli_proofs_limit(const cli_options *options, double *out);

/// Follow the steady motion that was found.
cli_exit cli_family_follow(const cli_options *options, const cli_branch_range *range,
                           rh_steady *steady);

// --- ranges --------------------------------------------------------------------------------------

/// NAME=LO:HI, or NAME=LO:HI:N.
typedef struct cli_range {
    char name[129];
    double low, high;
    uint32_t count; // 0: it has none
} cli_range;

/// Read a range; says what is wrong.
bool cli_range_read(const char *word, const char *text, bool has_count, cli_range *out);
