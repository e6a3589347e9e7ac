// SPDX-License-Identifier: Apache-2.0
// Results as text for people and for other programs.

#pragma once

#include "rheonom/analysis.h"
#include "rheonom/average.h"
#include "rheonom/base.h"
#include "rheonom/chart.h"
#include "rheonom/equations.h"
#include "rheonom/inverse.h"
#include "rheonom/model.h"
#include "rheonom/motion.h"
#include "rheonom/optimum.h"
#include "rheonom/orbit.h"
#include "rheonom/steady.h"
#include "rheonom/program.h"
#include "rheonom/certificate.h"
#include "rheonom/sweep.h"

RH_EXTERN_C_BEGIN

typedef enum rh_format {
    RH_FORMAT_TEXT,
    RH_FORMAT_JSON,
    RH_FORMAT_LATEX ///< equations only: align* environments of amsmath
} rh_format;

/// What is not printed because nobody would read it.
enum {
    RH_OUTPUT_FORM_LIMIT = 200000,  ///< operations of a form
    RH_OUTPUT_TEXT_LIMIT = 20 << 20 ///< bytes of its text
};

/// What the model is: coordinates, states, constraints with kind, level, sidedness and realisation,
/// counts. A model with errors has only its diagnostics: RH_E_MODEL.
RH_API RH_NODISCARD rh_status rh_output_check(const rh_model *model, rh_format format, rh_sink sink,
                                              rh_error *err);

/// The same with what the constraint doctor found: freedoms, ranks, redundancy, integrability,
/// ideality, and the consistent start with its rates, multipliers and reactions.
RH_API RH_NODISCARD rh_status rh_output_checkup(const rh_checkup *checkup, rh_format format,
                                                rh_sink sink, rh_error *err);

/// Why a motion of a model could not begin, as one JSON object {"status": "wrong", "diagnostics":
/// [{"code", "severity", "message"}], "dropped": 0}.
/// @param why  as filled by rh_motion_create(): its message begins with a code and a colon, or has
///             none
RH_API RH_NODISCARD rh_status rh_output_refusal(const rh_model *model, const rh_error *why,
                                                rh_sink sink, rh_error *err);

/// All diagnostics of a model: as text with the source line and a caret span (in colour when
/// `is_coloured`), or as one JSON object {"status", "diagnostics": [...]}.
RH_API RH_NODISCARD rh_status rh_output_diagnostics(const rh_model *model, rh_format format,
                                                    bool is_coloured, rh_sink sink, rh_error *err);

/// The remarks made while deriving equations, in the same ways.
RH_API RH_NODISCARD rh_status rh_output_equations_diagnostics(const rh_equations *equations,
                                                              rh_format format, bool is_coloured,
                                                              rh_sink sink, rh_error *err);

/// The remarks made by a checkup, in the same ways.
RH_API RH_NODISCARD rh_status rh_output_checkup_diagnostics(const rh_checkup *checkup,
                                                            rh_format format, bool is_coloured,
                                                            rh_sink sink, rh_error *err);

/// The remarks about the table of an input, in the same ways.
RH_API RH_NODISCARD rh_status rh_output_record_diagnostics(const rh_record *record,
                                                           rh_format format, bool is_coloured,
                                                           rh_sink sink, rh_error *err);

/// The equations in one of their forms: kinematics, rows of motion and of constraints, what left
/// the system, where the form is valid, and what it costs to evaluate. In the text, rows of loops
/// are rolled up in a running index.
/// @return RH_E_LIMIT when the form is too large to make or to print; `err` has its size.
///         RH_E_MODEL when the equations could not be derived.
RH_API RH_NODISCARD rh_status rh_output_equations(rh_equations *equations, rh_form_kind kind,
                                                  rh_format format, rh_sink sink, rh_error *err);

/// The canonical text of the stage `equations`: the core (carriers, inertia, forces, links), then
/// the equations before and after the presolve with their operation counts.
RH_API RH_NODISCARD rh_status rh_equations_dump(rh_equations *equations, rh_sink sink,
                                                rh_error *err);

/// The canonical text of the stage `tape`: the straight-line programs that move the system, watch
/// its events and tell its outputs.
RH_API RH_NODISCARD rh_status rh_tape_dump(rh_equations *equations, rh_sink sink, rh_error *err);

/// The long text of a diagnostic code. RH_E_ARGUMENT when there is no such code; `err` then
/// suggests the nearest.
RH_API RH_NODISCARD rh_status rh_output_explain(const char *code, rh_sink sink, rh_error *err);

/// All codes with their titles, one a line.
RH_API RH_NODISCARD rh_status rh_output_codes(rh_sink sink, rh_error *err);

/// The title of a model, as it stands over results; nothing when it has none.
RH_API RH_NODISCARD rh_status rh_output_title(const rh_model *model, rh_sink sink, rh_error *err);

// --- motions -----------------------------------------------------------------------------------

/// What came of a motion. Begin with rh_outcome_def_default(), then change what you need.
typedef struct rh_outcome_def {
    uint32_t struct_size;      ///< set by the default function; do not touch
    rh_stop stop;              ///< of the last step; RH_STOP_NONE: the caller gave up
    rh_motion *motion;         ///< as it stands now; asked for its columns
    const rh_checkup *checkup; ///< of its start
    double time_start;
    double tolerance;   ///< that was asked for
    const char *reason; ///< why the caller gave up; NULL: the motion knows
    const double *rows; ///< moments to show: all columns of each, one after the other; NULL: none
    size_t row_count;
    const rh_work *work;         ///< counted along the motion; NULL: it was not
    const rh_reversal *reversal; ///< the verdict on the way back; NULL: there was none
    rh_program *program;         ///< of the same equations; NULL: nobody asked for it
} rh_outcome_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_outcome_def rh_outcome_def_default(void)
{
    rh_outcome_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.stop = RH_STOP_REACHED;
    return def;
}

/// How a motion went: how far and why no further, the last state, multipliers, events, energy,
/// residuals, steps. As text it is meant for people: of long lists the beginning, and what is
/// rounding is called "below 1e-12".
RH_API RH_NODISCARD rh_status rh_output_outcome(const rh_outcome_def *def, rh_format format,
                                                rh_sink sink, rh_error *err);

/// One of several motions of a model that differ in how its constraints are realised.
typedef struct rh_variant {
    const char *by;                ///< its name: what differs, as written
    const rh_outcome_def *outcome; ///< what came of it
    const double *rows;            ///< its columns at the first moments of a common list; may end
                                   ///< early
    size_t row_count;
} rh_variant;

/// Motions side by side. Begin with rh_comparison_def_default(), then change what you need.
typedef struct rh_comparison_def {
    uint32_t struct_size;       ///< set by the default function; do not touch
    uint32_t variant_count;     ///< at least one
    const rh_variant *variants; ///< with the same columns; the others are compared with the first
} rh_comparison_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_comparison_def rh_comparison_def_default(void)
{
    rh_comparison_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Motions side by side: how far each came, the last states, multipliers, events, energies, work,
/// and the largest differences from the first at common moments. As JSON {"variants": [...],
/// "differences":
/// [...]}, each variant with the keys of rh_output_outcome().
/// @return RH_E_ARGUMENT also when the columns are not the same
RH_API RH_NODISCARD rh_status rh_output_comparison(const rh_comparison_def *def, rh_format format,
                                                   rh_sink sink, rh_error *err);

// --- C ---------------------------------------------------------------------------------------

/// The files of a model as self-contained C99.
typedef enum rh_c_file {
    RH_C_HEADER,   ///< model.h: what a program may use
    RH_C_SOURCE,   ///< model.c: the series of the model, and steps with them
    RH_C_MAKEFILE, ///< Makefile: builds and runs the test
    RH_C_README,   ///< README: what is in the directory
    RH_C_TEST,     ///< test.c: moves, and compares with what the library computed
    RH_C_FILE_COUNT
} rh_c_file;

/// "model.h" ...
RH_API const char *rh_c_file_name(rh_c_file file);
/// How rh_output_c() begins every header: by it a directory is known as one of ours.
#define RH_C_MARK "/* exported by rheonom"

/// A model as C. Begin with rh_c_def_default(), then change what you need.
typedef struct rh_c_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    rh_motion *motion;    ///< at its start; RH_C_TEST moves it, so that one comes last
    double until;         ///< the time to which the test moves
} rh_c_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_c_def rh_c_def_default(void)
{
    rh_c_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Write one of the files.
/// @return RH_E_UNAVAILABLE with the reason when the model has what exported steps do not know:
///         one-sided constraints, conditions, resets, inputs from files; RH_E_LIMIT when it is too
///         large; RH_E_ARGUMENT also when the motion has moved, or does not come to the time of the
///         test
RH_API RH_NODISCARD rh_status rh_output_c(const rh_c_def *def, rh_c_file file, rh_sink sink,
                                          rh_error *err);

// --- files -------------------------------------------------------------------------------------

/// A file on its way, written beside its place like a table.
typedef struct rh_file rh_file;

/// Begin a file.
/// @param out  receives a file the caller gives to rh_file_end()
/// @return RH_E_WRITE when there can be no such file; `err` has the reason of the system
RH_API RH_NODISCARD rh_status rh_file_begin(const char *path, rh_file **out, rh_error *err);
/// Where its text goes; borrowed until its end.
RH_API rh_sink rh_file_sink(rh_file *file);
/// The name it has until its end; NULL where it is written in place, or there is no file. For
/// whoever must remove it in a hurry.
RH_API const char *rh_file_part(const rh_file *file);
/// End the file and destroy it; NULL is allowed. What is not kept, or could not be written as a
/// whole, leaves an older file as it was.
RH_API RH_NODISCARD rh_status rh_file_end(rh_file *file, bool is_kept, rh_error *err);

// --- tables ----------------------------------------------------------------------------------

/// A table on its way to a file or a sink, row by row.
typedef struct rh_table_writer rh_table_writer;

typedef enum rh_table_format {
    RH_TABLE_CSV,       ///< a row of names, then numbers; what is not finite is an empty field
    RH_TABLE_JSON_LINES ///< one object a line, {"name": number, ...}; what is not finite is null
} rh_table_format;

/// Recipe for a table. Begin with rh_table_def_default(), then change what you need.
typedef struct rh_table_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    rh_table_format format;
    const char *path;           ///< the file; NULL: the sink
    rh_sink sink;               ///< used when there is no path
    const char *const *columns; ///< names; need not outlive the call
    size_t column_count;
    rh_allocator allocator;
} rh_table_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_table_def rh_table_def_default(void)
{
    rh_table_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.format = RH_TABLE_CSV;
    def.allocator = rh_allocator_default();
    return def;
}

/// How a table ends.
typedef enum rh_table_end {
    RH_TABLE_COMPLETE,    ///< the file appears under its name, at once and as a whole
    RH_TABLE_INTERRUPTED, ///< the same, and its last line says that and why it is not all
    RH_TABLE_DISCARDED    ///< as if there had been no table; an older file stays
} rh_table_end;

/// Begin a table. A file is written beside its place as PATH.part-XXXXXXXX; that is also what is
/// left of a program that was killed. What is no regular file (a device, a pipe) is written in
/// place.
/// @param out  receives a writer the caller gives to rh_table_writer_end()
/// @return RH_E_WRITE when there can be no such file; `err` has the reason of the system
RH_API RH_NODISCARD rh_status rh_table_writer_begin(const rh_table_def *def, rh_table_writer **out,
                                                    rh_error *err);

/// Write one number for each column, with 17 digits. Never allocates. After a failure every further
/// row fails with the same reason.
RH_API RH_NODISCARD rh_status rh_table_writer_row(rh_table_writer *writer, const double *values,
                                                  rh_error *err);

/// End the table and destroy the writer; NULL is allowed. When something could not be written, what
/// could be is kept as interrupted, in whole rows, and the status is RH_E_WRITE: in the place of
/// the file where there was none, else beside it as PATH.incomplete; an older file stays.
/// @param reason  of the interruption, for the last line: `# interrupted: REASON` in CSV,
///                {"interrupted": "REASON"} in JSON lines. NULL: no such line
RH_API RH_NODISCARD rh_status rh_table_writer_end(rh_table_writer *writer, rh_table_end how,
                                                  const char *reason, rh_error *err);

// --- sweeps ----------------------------------------------------------------------------------

/// The members of a sweep that was run to its end, in order, one row each: `member`, what is
/// varied, what is observed, `status` (reached, event, failed), `time`, `steps`, `events`, `code`,
/// `reason`. Numbers have 17 digits; what there is not is empty in CSV and null in JSON lines.
RH_API RH_NODISCARD rh_status rh_output_members(rh_sweep *sweep, rh_table_format format,
                                                rh_sink sink, rh_error *err);

/// The same as a file of HDF5: a dataset for each column, all of one length.
/// @return RH_E_UNAVAILABLE when the library was built without HDF5, RH_E_WRITE with the reason
RH_API RH_NODISCARD rh_status rh_output_members_hdf5(rh_sweep *sweep, const char *path,
                                                     rh_error *err);
/// Can there be such files?
RH_API bool rh_output_has_hdf5(void);

/// How a sweep went: how many members reached the end, stopped at an event, failed and why; the
/// least, largest and mean value of each column over those that did not fail.
/// @param sink        without a function nothing is written, only counted
/// @param out_failed  how many members failed; may be NULL
RH_API RH_NODISCARD rh_status rh_output_sweep(rh_sweep *sweep, rh_format format, rh_sink sink,
                                              uint64_t *out_failed, rh_error *err);

// --- orbits and averages -------------------------------------------------------------------------

/// What came of the search for an orbit: start, period, multipliers, verdict.
RH_API RH_NODISCARD rh_status rh_output_orbit(const rh_orbit *orbit, rh_format format, rh_sink sink,
                                              rh_error *err);

/// The table of a branch: its first line, then one for each point. Columns: the parameter,
/// `period`, the start, `multiplierK.re` and `multiplierK.im`, `stable`, `mark`, `width`,
/// `residual`.
RH_API RH_NODISCARD rh_status rh_output_branch_head(const rh_orbit *orbit, const char *parameter,
                                                    rh_sink sink, rh_error *err);
RH_API RH_NODISCARD rh_status rh_output_branch_row(const rh_orbit *orbit,
                                                   const rh_branch_point *point, rh_sink sink,
                                                   rh_error *err);

/// Averages: the solutions with their eigenvalues, and why other starts led to none; without
/// unknowns the means over the orbit through the start.
RH_API RH_NODISCARD rh_status rh_output_average(const rh_average *average, rh_format format,
                                                rh_sink sink, rh_error *err);

// --- the inverse problem -------------------------------------------------------------------------

/// The conditions one by one, L and D (or H) with their check and parts, or where conditions fail.
RH_API RH_NODISCARD rh_status rh_output_inverse(const rh_inverse *inverse, rh_format format,
                                                rh_sink sink, rh_error *err);

// --- steady motions ------------------------------------------------------------------------------

/// The split, and all steady motions that were found.
RH_API RH_NODISCARD rh_status rh_output_steady(const rh_steady *steady, rh_format format,
                                               rh_sink sink, rh_error *err);
/// The same with proofs: by solution, NULL where there is none. `certificates` may be NULL.
RH_API RH_NODISCARD rh_status rh_output_steady_certified(const rh_steady *steady,
                                                         rh_certificate *const *certificates,
                                                         rh_format format, rh_sink sink,
                                                         rh_error *err);
/// What became of the claims of a certificate.
RH_API RH_NODISCARD rh_status rh_output_certificate(const rh_certificate *certificate,
                                                    rh_format format, rh_sink sink, rh_error *err);
/// The table of a walk: its first line, then one for each point. Columns: the quantity, the
/// variables, `rootK.re` and `rootK.im`, `verdict`, `dimension`, `mark`, `low`, `high`. A motion
/// must have been found.
RH_API RH_NODISCARD rh_status rh_output_family_head(const rh_steady *steady, const char *quantity,
                                                    rh_sink sink, rh_error *err);
RH_API RH_NODISCARD rh_status rh_output_family_row(const rh_steady *steady,
                                                   const rh_walk_point *point, rh_sink sink,
                                                   rh_error *err);
/// A linear system.
RH_API RH_NODISCARD rh_status rh_output_linear(const rh_linear *linear, rh_format format,
                                               rh_sink sink, rh_error *err);

// --- charts --------------------------------------------------------------------------------------

/// A chart in short: how many points have which verdict; as JSON with all curves.
RH_API RH_NODISCARD rh_status rh_output_chart(const rh_chart *chart, rh_format format, rh_sink sink,
                                              rh_error *err);
/// The grid as CSV, x fastest. Columns: both axes, the variables, `verdict`, `abscissa`. What there
/// is not is empty. `reason`: why it is not all, for the last line `# interrupted: REASON`; or
/// NULL.
RH_API RH_NODISCARD rh_status rh_output_chart_points(const rh_chart *chart, const char *reason,
                                                     rh_sink sink, rh_error *err);
/// The curves as CSV, one row a point. Columns: `curve` (from 1), both axes, `between`, `and` (the
/// verdicts), `closed`.
RH_API RH_NODISCARD rh_status rh_output_chart_curves(const rh_chart *chart, rh_sink sink,
                                                     rh_error *err);
/// The picture as SVG. `title` may be NULL. All texts may hold anything.
RH_API RH_NODISCARD rh_status rh_output_chart_picture(const rh_chart *chart, const char *title,
                                                      rh_sink sink, rh_error *err);

/// An optimum: what was changed and how far the rightmost root is, then the steady motion there as
/// rh_output_steady() writes it; one object as JSON.
RH_API RH_NODISCARD rh_status rh_output_optimum(const rh_optimum *optimum, rh_format format,
                                                rh_sink sink, rh_error *err);

// --- plots -----------------------------------------------------------------------------------

/// What a plot has at most.
enum {
    RH_PLOT_PANELS = 64,
    RH_PLOT_LINES = 1024,
    RH_PLOT_POINTS = 2000 ///< points of a line; of more rows the extrema are kept
};

/// One line: values[k * stride] belongs to row k. What is not finite is a gap.
typedef struct rh_plot_line {
    const char *name;
    const double *values;
    size_t stride;
    uint32_t panel;
} rh_plot_line;

/// A moment to mark by a thin vertical line through all panels.
typedef struct rh_plot_mark {
    double time;
    const char *label;
} rh_plot_mark;

/// Lines over a common time, in panels from top to bottom. All texts may hold anything.
typedef struct rh_plot_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    uint32_t panel_count;
    const char *title;         ///< NULL: none
    const char *time_label;    ///< under the lowest panel
    const char *const *labels; ///< of the vertical axes, one a panel; NULL: none
    const double *times;       ///< times[k * time_stride] belongs to row k
    size_t time_stride;
    size_t row_count;
    const rh_plot_line *lines;
    size_t line_count;
    const rh_plot_mark *marks;
    size_t mark_count;
} rh_plot_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_plot_def rh_plot_def_default(void)
{
    rh_plot_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.panel_count = 1;
    def.time_label = "time";
    def.time_stride = 1;
    return def;
}

/// Draw a plot as SVG. It has no background and greys that can be read on light and on dark ones.
/// The same plot gives the same bytes.
RH_API RH_NODISCARD rh_status rh_output_plot(const rh_plot_def *def, rh_sink sink, rh_error *err);

// --- programs --------------------------------------------------------------------------------

/// What the deviations of program constraints do: as JSON {"roots": [[re, im], ...], "lyapunov":
/// [[...]], "verdict": ..., "overshoot": {"time", "value"}, "step_limits": {method: h}, ...}.
RH_API RH_NODISCARD rh_status rh_output_program(const rh_program *program, rh_format format,
                                                rh_sink sink, rh_error *err);

RH_EXTERN_C_END
