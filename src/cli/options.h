// SPDX-License-Identifier: Apache-2.0
// The options of a call, as written; which verb takes which is said in verbs.c.

#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

// What holds whatever the call is, unless the program itself is wrong; as in the library, whose
// insides the program does not see.
#if defined(NDEBUG) && !defined(RH_KEEP_ASSERTS)
#define RH_ASSERT(claim) ((void)(0 && (claim)))
#else
#define RH_ASSERT(claim) assert(claim)
#endif

/// Every option: id, word, what its value is (NULL: it takes none), what it does.
#define CLI_OPTION_LIST(X)                                                                         \
    X(SET, "--set", "NAME=VALUE", "change a parameter; may be repeated")                           \
    X(START, "--start", "NAME=VALUE", "change a start value; may be repeated")                     \
    X(BY, "--by", "NAME=REALISATION", "realise a constraint otherwise; may be repeated")           \
    X(STAGE, "--stage", "STAGES", "stages to show, separated by commas")                           \
    X(FORM, "--form", "FORM", "free, multipliers (default), reduced, principal, quasi or changed") \
    X(UNTIL, "--until", "T", "the time to reach")                                                  \
    X(TOL, "--tol", "E", "local error of a step, relative to 1 + |x| (default 1e-13)")             \
    X(ATOL, "--atol", "NAME=E",                                                                    \
      "absolute error of a variable that does not matter; may be repeated")                        \
    X(POINTS, "--points", "N", "rows at N equally spaced times, both ends included")               \
    X(AT, "--at", "T1,T2,...", "rows at these times")                                              \
    X(OUT, "--out", "FILE", "the table: FILE.csv, FILE.jsonl, or - for CSV on stdout")             \
    X(PLOT, "--plot", "FILE.svg", "a picture of the motion over time")                             \
    X(METHOD, "--method", "METHOD", "taylor, dop853, cvode, ida, or euler, rk2, rk3, rk4, dp5")    \
    X(C, "--c", "DIR", "the directory of the C files")                                             \
    X(TIER, "--tier", "TIER", "auto, interpreted or emitted: who computes Taylor series")          \
    X(TIME_LIMIT, "--time-limit", "SECONDS", "give up after so much time, keeping what there is")  \
    X(MEMORY_LIMIT, "--memory-limit", "MIB",                                                       \
      "most memory of each part of the work (default 2048)")                                       \
    X(CHECKPOINT, "--checkpoint", "FILE", "write the state of the motion there on the way")        \
    X(CHECKPOINT_EVERY, "--checkpoint-every", "N", "steps between two checkpoints (default 1000)") \
    X(RESUME, "--resume", "FILE", "go on from a checkpoint")                                       \
    X(GRID, "--grid", "NAME=LO:HI:N", "N values of a parameter or start value; may be repeated")   \
    X(RANDOM, "--random", "NAME=DISTRIBUTION",                                                     \
      "draw it: normal(mean, deviation), uniform(lo, hi), loguniform(lo, hi); may be repeated")    \
    X(MEMBERS, "--members", "N", "draws, for each point of the grid")                              \
    X(SEED, "--seed", "N", "of what is drawn (default 0)")                                         \
    X(OBSERVE, "--observe", "LIST", "peak(EXPR), low(EXPR), mean(EXPR), final(EXPR), ...")         \
    X(JOBS, "--jobs", "N", "threads, also -j N (default: one for each processor)")                 \
    X(LANES, "--lanes", "N",                                                                       \
      "members side by side in a thread: 1, 4 or 8 (default: by the processor)")                   \
    X(GO_ON, "--resume", NULL, "go on with what a call of the same sweep left")                    \
    X(FREE, "--free", "LIST", "start values that may change (default: all)")                       \
    X(PERIOD, "--period", "T", "the period, or where the search for it begins")                    \
    X(FIX_PERIOD, "--fix-period", NULL, "the period is as given")                                  \
    X(WHOLE_STEPS, "--whole-steps", NULL, "never shorten a step of Newton's method")               \
    X(SYMMETRY, "--symmetry", "MAP", "half a period maps the start to its image: \"x=-x, v=-v\"")  \
    X(CONTINUE, "--continue", "NAME=LO:HI", "follow what was found in one quantity")               \
    X(UNKNOWN, "--unknown", "NAME=LO:HI", "a start value to be found in a range; may be repeated") \
    X(FIX, "--fix", "NAME=VALUE", "what a steady motion shall have; may be repeated")              \
    X(GUESS, "--guess", "NAME=VALUE", "where the search begins; may be repeated")                  \
    X(REQUIRE, "--require", "stable", "end with exit code 4 when it is not")                       \
    X(CERTIFY, "--certify", NULL,                                                                  \
      "prove the verdict for the model as written, in exact algebra and balls")                    \
    X(CERTIFICATE, "--certificate", "FILE",                                                        \
      "write the proof there: rheonom certificate FILE checks it")                                 \
    X(AXIS_X, "--x", "NAME=LO:HI:N", "the quantity along the chart: N values from LO to HI")       \
    X(AXIS_Y, "--y", "NAME=LO:HI:N", "the quantity up the chart")                                  \
    X(SOLVE, "--solve", "LIST", "variables that are solved for and shown (default: all)")          \
    X(BRANCH, "--branch", "N", "which steady motion; 1 is nearest to the guess (default)")         \
    X(CURVES, "--curves", "FILE.csv", "the curves between verdicts, point by point")               \
    X(OVER, "--over", "NAME=LO:HI", "what may change, and in which range; may be repeated")        \
    X(INPUT, "--input", "NAME", "an input or parameter of the linear system; may be repeated")     \
    X(OUTPUT, "--output", "EXPR", "an output of the linear system; may be repeated")               \
    X(BOX, "--box", "RANGES", "region for laws that depend on the state: \"x=-1:1, x'=-2:2\"")     \
    X(MATRIX, "--matrix", "C", "of the Lyapunov function z^T C z / 2: \"[[2, 1], [1, 3]]\"")       \
    X(FUNCTION, "--function", "V", "a Lyapunov function of your own, in deviations and variables") \
    X(STEP, "--step", "H", "the length of all steps, for euler, rk2, rk3, rk4 and dp5")            \
    X(REPAIR, "--repair", NULL,                                                                    \
      "move a start that violates constraints to the nearest that does not")                       \
    X(WORK, "--work", NULL, "count the work of forces and reactions, and balance the energy")      \
    X(REVERSE, "--reverse", NULL, "go back with reversed velocities: does it come to the start?")  \
    X(NO_PRESOLVE, "--no-presolve", NULL, "eliminate no constraints")                              \
    X(LATEX, "--latex", NULL, "print LaTeX (amsmath) instead of text")                             \
    X(JSON, "--json", NULL, "print one JSON object instead of text")                               \
    X(QUIET, "--quiet", NULL, "no warnings and no notes")                                          \
    X(HELP, "--help", NULL, "show this help")

typedef enum cli_option {
#define CLI_OPTION_ENUM(id, word, value, purpose) CLI_OPTION_##id,
    CLI_OPTION_LIST(CLI_OPTION_ENUM)
#undef CLI_OPTION_ENUM
        CLI_OPTION_COUNT
} cli_option;

typedef struct cli_option_row {
    const char *word;
    const char *value;
    const char *purpose;
} cli_option_row;

extern const cli_option_row cli_option_rows[CLI_OPTION_COUNT];

/// The option that the first `size` bytes of the word spell; CLI_OPTION_COUNT when there is none.
cli_option cli_option_find(const char *word, size_t size);

struct cli_verb;

/// A call, read. Texts are borrowed from the arguments of the program.
typedef struct cli_options {
    const struct cli_verb *verb;
    const char *subject; ///< MODEL or CODE; NULL when it was not given
    const char *stages;  ///< NULL when not given
    const char *form;    ///< NULL when not given
    const char *until, *tolerance, *points, *at, *out, *plot, *method, *tier, *c, *time_limit,
        *memory_limit;                                  ///< the same
    double memory;                                      ///< bytes; 0: as the library has it
    const char *checkpoint, *checkpoint_every, *resume; ///< the same
    const char **set;                                   ///< in order, `set_count` of them
    size_t set_count;
    const char **start;
    size_t start_count;
    const char **by;
    size_t by_count;
    const char **atol;
    size_t atol_count;
    const char **grid;
    size_t grid_count;
    const char **random;
    size_t random_count;
    const char *members, *seed, *observe, *jobs, *lanes; ///< NULL when not given
    const char *free, *period, *symmetry, *branch_of;    ///< the same
    const char *asked; ///< what a verb wants to be observed besides; NULL: nothing
    const char *asked_name, *last_set_name; ///< the options that gave this, and the last of `set`
    const char *box, *matrix, *function, *step; ///< the same
    const char **unknown;
    size_t unknown_count;
    const char **fix, **guess, **input, **output;
    size_t fix_count, guess_count, input_count, output_count;
    const char *require;                         ///< NULL when not given
    const char *certificate;                     ///< the same
    const char *x, *y, *solve, *branch, *curves; ///< the same
    const char **over;
    size_t over_count;
    bool is_period_fixed;
    bool has_whole_steps;
    bool is_certified;
    bool goes_on;
    bool is_json;
    bool is_latex;
    bool has_no_presolve;
    bool has_repair;
    bool has_work;
    bool is_reversed;
    bool is_quiet;
    bool is_help;
    const struct rh_model *told; ///< remarks that are the same as of this model are not told again
} cli_options;

/// Read what stands after the verb. False, with a message, when the call is wrong.
/// `options` starts with its verb set and with room for `count` entries in each of its lists.
bool cli_options_parse(cli_options *options, int count, char *const *arguments);
