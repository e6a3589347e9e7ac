// SPDX-License-Identifier: Apache-2.0
// What the files of the program share. The program sees the street only: rheonom/*.h, like any
// user.

#pragma once

#include "rheonom/rheonom.h"

#include "cli/options.h"

/// How the program ends; other programs rely on the numbers.
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_WRONG_MODEL = 1, ///< the diagnostics say where
    CLI_WRONG_CALL = 2,
    CLI_STOPPED = 3,    ///< the computation could not go on
    CLI_REQUIRED_NO = 4 ///< the answer to --require is no
} cli_exit;

/// A verb of the command line.
typedef struct cli_verb {
    const char *name;
    const char *subject; ///< what stands after the verb, for example "MODEL"
    bool is_subject_needed;
    uint64_t options;                            ///< set of 1 << cli_option
    const char *summary;                         ///< one line, begins with a small letter
    const char *details;                         ///< for --help; lines with their ends
    cli_exit (*run)(const cli_options *options); ///< NULL: not built yet
} cli_verb;

/// All verbs, ended by one without a name.
extern const cli_verb cli_verbs[];
/// NULL when there is no such verb.
const cli_verb *cli_verb_find(const char *name);

cli_exit cli_certificate(const cli_options *options);
cli_exit cli_average(const cli_options *options);
cli_exit cli_chart(const cli_options *options);
cli_exit cli_check(const cli_options *options);
cli_exit cli_compare(const cli_options *options);
cli_exit cli_dump(const cli_options *options);
cli_exit cli_export(const cli_options *options);
cli_exit cli_equations(const cli_options *options);
cli_exit cli_explain(const cli_options *options);
cli_exit cli_linearise(const cli_options *options);
cli_exit cli_optimise(const cli_options *options);
cli_exit cli_orbit(const cli_options *options);
cli_exit cli_inverse(const cli_options *options);
cli_exit cli_program(const cli_options *options);
cli_exit cli_run(const cli_options *options);
cli_exit cli_steady(const cli_options *options);
cli_exit cli_sweep(const cli_options *options);

/// The help of the program or, when `verb` is not NULL, of a verb; on stdout.
void cli_help_print(const cli_verb *verb);

/// Say one line on stderr, after "rheonom: ".
void cli_talk(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// "out of memory"; the program then ends with CLI_STOPPED, also where the caller takes the want of
/// memory for a wrong call.
void cli_talk_memory(void);
/// Say why a call of the library failed; hand back the exit code that belongs to the status.
cli_exit cli_talk_status(rh_status status, const rh_error *err);

/// A sink to stdout or stderr.
rh_sink cli_outlet_data(void);
rh_sink cli_outlet_talk(void);
/// A sink to stdout that writes what it gets as the inside of a JSON string.
rh_sink cli_outlet_json(void);
/// Print a piece of data on stdout.
void cli_outlet_put(const char *text);
/// With --json a verb that ends without data says why as JSON too: what was talked about last.
void cli_outlet_excuse(cli_exit result);
/// Everything that is on its way to stdout must arrive: CLI_STOPPED, with a message, when it did
/// not.
cli_exit cli_outlet_finish(cli_exit so_far);

/// A file that was read.
typedef struct cli_intake {
    const char *name; ///< as shown in messages
    char *data;       ///< the caller frees it, also after a failure
    size_t size;
} cli_intake;

/// Read a file, or the standard input for "-", up to one byte more than `most`. Says why it cannot.
cli_exit cli_intake_read(const char *path, size_t most, cli_intake *out);

/// Read the text of a model, up to the size a model may have. Says why it cannot.
cli_exit cli_model_read(const char *path, cli_intake *out);
/// The recipe of a model with the settings of the call.
rh_model_def cli_model_def(const cli_intake *text, const cli_options *options);
/// Make the model of a text with the settings of the call, showing its remarks.
/// @param out  receives a model the caller destroys; NULL when none could be made
cli_exit cli_model_make(const cli_intake *text, const cli_options *options, rh_model **out);
/// Show the remarks of a model that was made from the file; hand back whose fault they are.
cli_exit cli_model_show(const rh_model *model, const cli_options *options, const char *file);
/// Read the MODEL of the call and make it, showing its remarks.
/// @param out  receives a model the caller destroys; NULL when none could be made
cli_exit cli_model_load(const cli_options *options, rh_model **out);

/// The value of an option that is a number. False, with a message, when it is none (request.c).
bool cli_number_read(const char *word, const char *text, double *out);
/// Is it a number? Says nothing.
bool cli_number_is(const char *text, double *out);
/// The same for --tol.
bool cli_tolerance_read(const char *text, double *out);
/// What --atol gave: absolute errors of variables.
typedef struct cli_atols {
    rh_tolerance *list;
    size_t count;
} cli_atols;

/// Says what is wrong; then there is nothing to destroy.
bool cli_atols_read(const cli_options *options, cli_atols *out);
void cli_atols_destroy(cli_atols *atols);
/// The time limit of a call in seconds, 0 without; says what is wrong.
bool cli_time_limit_read(const cli_options *options, double *out);
/// The memory limit of a call, kept in its options; says what is wrong.
bool cli_memory_limit_read(cli_options *options);

/// Derive the equations of a sound model, showing the remarks about them.
/// @param out  receives equations the caller destroys; NULL when none could be made
cli_exit cli_equations_load(const cli_options *options, const rh_model *model, rh_equations **out);
/// For a verb that cannot go on: say why there are no equations where it was only a warning, and
/// the options keep warnings back.
void cli_equations_excuse(const cli_options *options, const rh_equations *equations);

/// Is something wrong, or do equations as written just not determine a motion?
bool cli_equations_are_wrong(const rh_equations *equations);

/// Examine the constraints, showing what is wrong with them.
/// @param out  receives a checkup the caller destroys; NULL when none could be made
/// @return CLI_STOPPED when only the place is wrong where the motion begins
cli_exit cli_checkup_load(const cli_options *options, rh_equations *equations, rh_checkup **out);
/// The same for a verb that moves: why a motion ends where it begins is left to the motion.
cli_exit cli_checkup_load_moved(const cli_options *options, rh_equations *equations,
                                rh_checkup **out);

/// Show what is wrong with the table of an input.
cli_exit cli_record_show(const cli_options *options, const rh_record *record);

/// The candidate nearest to `wanted`, for "did you mean"; NULL when none is near. `candidates` ends
/// with NULL.
const char *cli_suggest(const char *wanted, const char *const *candidates);
