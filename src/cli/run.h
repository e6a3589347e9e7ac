// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the verbs `run` and `compare`: what is asked (request.c), which moments
// are looked at (moments.c), how long one waits (patience.c),
// what is drawn (picture.c, overlay.c), what flows in (tables.c), what is left to go on from
// (checkpoint.c), and the way back (reversal.c).

#pragma once

#include "cli/cli.h"

// --- what is asked -----------------------------------------------------------------------------

typedef struct cli_request {
    double until;
    double tolerance;
    cli_atols atols;
    rh_method method;
    rh_tier tier;
    double step;        // of methods with one length
    double time_limit;  // seconds; 0: none
    uint64_t every;     // steps between checkpoints; 0: not asked for
    size_t point_count; // 0: not asked for
    double *at;         // increasing; NULL: not asked for
    size_t at_count;
    rh_table_format format;
    bool has_table;
    bool is_table_data; // the table goes to stdout
} cli_request;

/// Read the options. False, with a message, when they are wrong; then there is nothing to destroy.
bool cli_request_read(const cli_options *options, cli_request *out);
void cli_request_destroy(cli_request *request);
/// Read a whole number from `least` to `most`; says what is wrong.
bool cli_request_count(const char *word, const char *text, long least, long most, long *out);
bool cli_request_has_ending(const char *path, const char *ending);
/// Can a file of this name be written? Says why not: better before anything is computed. NULL and
/// "-" are no files.
bool cli_request_can_write(const char *path);
/// Do the times fit a motion that begins at `start`? Says what is wrong.
bool cli_request_fits(const cli_request *request, double start);

// --- moments -----------------------------------------------------------------------------------

/// Moments in increasing order: a list, or equally spaced ones with both ends.
typedef struct cli_moments {
    double first, last;
    const double *list; // NULL: equally spaced
    size_t count;
    size_t next; // the first that is not passed yet
} cli_moments;

/// The next moment at or before `now`; false when it is not reached yet or there is none.
bool cli_moments_pass(cli_moments *moments, double now, double *out);
/// Leave out all moments up to `now`. Returns how many.
size_t cli_moments_skip(cli_moments *moments, double now);

/// The first exit that is not CLI_DONE.
cli_exit cli_worse(cli_exit a, cli_exit b);

// --- patience ----------------------------------------------------------------------------------

/// How long it took, whether somebody wants it to end, and a bar for whoever watches.
typedef struct cli_patience {
    double begin;     // of the verb, in seconds of a clock that never goes back
    double limit;     // seconds; 0: none
    double shown;     // when the bar was drawn last
    bool has_bar;     // a terminal is there
    bool is_bar_seen; // it has been drawn
    bool has_first;   // members were counted before: how many there were at first, and when
    uint64_t first;
    double first_at;
} cli_patience;

cli_patience cli_patience_begin(const cli_options *options, double limit);
/// The verb begins, and has nothing to keep yet: a signal, or the limit (seconds; 0: none), ends
/// what the library does. A second signal ends the program at once. All patience of the verb counts
/// from here.
void cli_patience_arm(double limit);
/// What is under way, for the message of an end: "equations were derived". Kept by reference.
void cli_patience_phase(const char *what);
/// An rh_interrupt for all models: why to end now; while there is something to keep only when the
/// verb did not end within its grace.
const char *cli_patience_interrupt(void *user);
/// Was the library asked to end? Then what it gave is not the whole answer.
bool cli_patience_is_over(void);
/// Why, and what was under way.
const char *cli_patience_reason(void);
/// Remove this file then; NULL is allowed. The text is borrowed.
void cli_patience_drop(const char *path);
/// From now on there is something to keep, and the verb asks itself.
void cli_patience_keep(void);
/// From now on a file that may not grow further is a failed write, and no reason to end: compiled
/// series are written too.
void cli_patience_spare_files(void);
/// Why to end now; NULL: go on. `share` is how much is done.
const char *cli_patience_check(cli_patience *patience, double share, double time);
/// The same for members of a sweep.
const char *cli_patience_count(cli_patience *patience, uint64_t done, uint64_t count);
/// The same without a bar, as an rh_interrupt.
const char *cli_patience_ask(void *patience);
/// The same for work without a clock of its own.
const char *cli_patience_share(cli_patience *patience, double share);
/// Take the bar away.
void cli_patience_end(cli_patience *patience);

/// Seconds of a clock that never goes back.
double cli_patience_clock(void);

// --- checkpoints -------------------------------------------------------------------------------

/// The file from which the motion can go on.
typedef struct cli_checkpoint {
    const char *path; // NULL: nobody wants one
    uint64_t every;   // steps between two
    uint64_t steps;   // that led to the state in the file
    double written;   // when, by the clock
} cli_checkpoint;

/// Prepare the motion for what the options want: its states are remembered,
/// it goes on from a file, and there is a first checkpoint. Says what is wrong.
cli_exit cli_checkpoint_begin(const cli_options *options, const cli_request *request,
                              rh_motion *motion, cli_checkpoint *out);
/// Write the state when it is time to, and always when `is_last`.
rh_status cli_checkpoint_pass(cli_checkpoint *checkpoint, rh_motion *motion, bool is_last,
                              rh_error *err);

// --- laws of program constraints -----------------------------------------------------------------

typedef struct cli_laws {
    rh_program *program; // NULL: there are none
    rh_program_method method;
    double step;    // 0: the method chooses its steps
    double largest; // share of the limit so far
    bool is_moving; // the limit changes along the motion
    bool is_quiet;
} cli_laws;

/// Find the laws of a model; refuses steps that are too long for them at the start, and says so.
cli_exit cli_laws_begin(const cli_options *options, const cli_request *request,
                        rh_equations *equations, rh_motion *motion, cli_laws *out);
/// Why to end now: the steps are too long here; NULL: go on.
const char *cli_laws_check(cli_laws *laws, rh_motion *motion);
/// Warn of steps that came near the limit, and forget the laws.
void cli_laws_end(cli_laws *laws);

// --- the way back --------------------------------------------------------------------------------

typedef struct cli_reversal {
    double *start, *end, *differences; // all columns
    rh_reversal verdict;
} cli_reversal;

/// Reverse the velocities at the end of a motion and go back for as long as it took; `out` has the
/// verdict, and something to destroy in any case.
cli_exit cli_reversal_run(const cli_request *request, rh_equations *equations, rh_motion *there,
                          cli_patience *patience, cli_reversal *out);
void cli_reversal_destroy(cli_reversal *reversal);

// --- the picture -------------------------------------------------------------------------------

typedef struct cli_picture {
    rh_file *file; // NULL: nobody wants one
    cli_moments moments;
    double *rows; // time, then the lines; `width` numbers each
    size_t row_count, width;
    size_t *columns; // by line
    rh_plot_line *lines;
} cli_picture;

/// Begin the picture of a motion that ends at `until`, when `path` is not NULL.
cli_exit cli_picture_begin(const char *path, const rh_motion *motion, double until,
                           cli_picture *out);
/// Keep a row of the motion.
void cli_picture_keep(cli_picture *picture, const double *row);
/// Draw what was kept into its file, and forget it.
cli_exit cli_picture_end(cli_picture *picture, const rh_model *model, const rh_motion *motion,
                         bool is_kept);

/// End the file of a picture; what went wrong, with `drawn` or with the file, is said.
cli_exit cli_picture_close(rh_file *file, rh_status drawn, bool is_kept, rh_error *err);

/// The title of a model, cut when it is long.
enum { CLI_TITLE = 200 };
rh_status cli_picture_title(const rh_model *model, char out[CLI_TITLE + 1], rh_error *err);

// --- the picture of several motions --------------------------------------------------------------

/// A panel for each of the first columns, a line in it for each motion.
typedef struct cli_overlay {
    rh_file *file; // NULL: nobody wants one
    double first, last;
    size_t motion_count;
    size_t *columns; // by panel
    size_t panel_count;
    double *times;  // by moment
    double *values; // by panel, by motion, by moment
} cli_overlay;

/// Begin the picture of `motion_count` motions with the columns of this one, when `path` is not
/// NULL.
cli_exit cli_overlay_begin(const char *path, const rh_motion *motion, size_t motion_count,
                           double until, cli_overlay *out);
/// The moments at which each motion is to be kept.
cli_moments cli_overlay_moments(const cli_overlay *overlay);
/// Keep a row of a motion.
void cli_overlay_keep(cli_overlay *overlay, size_t motion, size_t moment, const double *row);
/// Draw what was kept into its file, and forget it. `names`: of the motions.
cli_exit cli_overlay_end(cli_overlay *overlay, const rh_model *model, const rh_motion *motion,
                         const char *const *names, bool is_kept);

// --- tables ------------------------------------------------------------------------------------

/// The files of all inputs that come from files.
typedef struct cli_tables {
    rh_record **records;
    rh_feed *feeds;
    size_t count;
} cli_tables;

/// Read them, showing what is wrong with the first that is wrong; to be destroyed in any case.
cli_exit cli_tables_load(const cli_options *options, const rh_model *model, cli_tables *out);
void cli_tables_destroy(cli_tables *tables);

// --- a motion to look at -------------------------------------------------------------------------

/// A model, its equations without presolve, and a motion at its start.
typedef struct cli_mover {
    rh_model *model;
    rh_equations *equations;
    rh_checkup *checkup;
    cli_tables tables;
    rh_motion *motion;
} cli_mover;

/// Make all of it, showing what is wrong; to be destroyed in any case.
cli_exit cli_mover_load(const cli_options *options, double tolerance, cli_mover *out);
void cli_mover_destroy(cli_mover *mover);

// --- a branch of orbits --------------------------------------------------------------------------

/// The range of --continue.
typedef struct cli_branch_range {
    char name[129]; // of the parameter
    double from, to;
} cli_branch_range;

/// Read "NAME=LO:HI"; says what is wrong.
bool cli_branch_read(const char *text, cli_branch_range *out);
/// Is --out a place for the table of what --continue follows ("branch", "family")? Says what is
/// wrong.
bool cli_branch_out(const cli_options *options, const char *what);
/// Follow an orbit whose model has the parameter as the last of its settings.
cli_exit cli_branch_follow(const cli_options *options, const cli_branch_range *range,
                           const cli_mover *on, rh_orbit *orbit, cli_patience *patience);
