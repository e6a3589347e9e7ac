// SPDX-License-Identifier: Apache-2.0
// What is shown of motions: laws, the way back, pictures, tables, branches.

#pragma once

#include "cli/request.h"

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
