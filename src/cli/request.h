// SPDX-License-Identifier: Apache-2.0
// What is asked of `run`, and how long it may take.

#pragma once

#include "cli/cli.h"

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
