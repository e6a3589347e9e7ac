// SPDX-License-Identifier: Apache-2.0
// What the files of this room do, by file.

#pragma once

#include "program/part.h"

/// Where an entry of P stands: the part, and the place in it; false: it is zero.
bool rh__program_find_place(const rh_program *program, size_t row, size_t column,
                            uint32_t *out_part, size_t *out_place);
/// Which constraints have laws (perturbed.c).
rh_status rh__program_find(rh_program *program, rh_error *err);
/// z, laws, P as expressions, and whether they are linear; the start must be there.
rh_status rh__program_perturb(rh_program *program);
/// An expression of the model in z, as far as it names deviations; with what constraints give; and
/// with z = 0.
rh_expr rh__program_in_deviations(rh_program *program, rh_expr e);
rh_expr rh__program_restate(rh_program *program, rh_expr e);
rh_expr rh__program_on(rh_program *program, rh_expr e);
/// Why memory or the store refused.
rh_status rh__program_refused(const rh_program *program);
/// Which laws are linear, and which have a first approximation that decides (assured.c).
rh_status rh__program_assure(rh_program *program);
/// Do the laws of a part have a first approximation that decides? Where a law is not linear all
/// others may act on it.
bool rh__program_is_smooth(const rh_program *program, const rh_program_part *part);
bool rh__program_is_linear(const rh_program *program, const rh_program_part *part);
/// What a proof takes for granted of them holds.
bool rh__program_is_sure(const rh_program *program, const rh_program_part *part);
/// Is it proved to be zero whatever the values of its variables are?
rh_status rh__program_prove_zero(rh_program *program, rh_expr e, bool *out);
/// An expression with the exact values of parameters, as far as there are such.
rh_expr rh__program_exact(rh_program *program, rh_expr e);
/// The parts of z, from the entries.
rh_status rh__program_divide(rh_program *program);
/// P of a part at a point.
rh_status rh__program_matrix(rh_program *program, const rh_program_part *part,
                             const rh_point *point, double *out);

/// Roots of a part at the nominal point, put to the others (roots.c).
rh_status rh__program_roots(rh_program *program, rh_program_part *part);
/// The roots of an n x n matrix of numbers, row by row, each as often as it occurs, and their
/// sides; false when it is too large, not rational, or they were not found (multiple.c).
bool rh__multiple_roots(rh_program *program, uint32_t n, const rh_expr *a, rh_program_root *out,
                        rh_side *out_side);
/// How many independent vectors the roots on the axis have together, for such a matrix without
/// roots on the right; false when it is not rational or too large.
bool rh__multiple_vectors(rh_program *program, uint32_t n, const rh_expr *a, uint32_t *out);
/// The sign of an expression without variables: -1, 0, 1 proved; 2: open (sides.c).
int rh__side_sign(rh_program *program, rh_expr e);
/// The roots of a matrix of expressions without variables in balls, and their sides; false when
/// they were not found: then all sides are LEFT if that is proved, and OPEN if not.
bool rh__side_roots(rh_program *program, uint32_t n, const rh_expr *a, rh_program_root *out,
                    rh_side *out_side);
/// Balls of roots as numbers: pairs side by side; false when they are not told apart.
bool rh__side_collect(uint32_t n, const struct rh_balls *re, const struct rh_balls *im,
                      rh_program_root *out, rh_side *out_side);
/// The verdict on a constant part by its roots.
rh_status rh__program_judge(rh_program *program, rh_program_part *part);

/// How far h may go so that |R(h lambda)| <= 1 all the way, R being the stability polynomial of the
/// method; infinite when lambda is 0, 0 when it fails at once.
double rh__program_limit(rh_program_method method, double real, double imaginary);
/// The least limit over roots that do not grow; NaN when there is none.
double rh__program_limits(rh_program_method method, const rh_program_root *roots, uint32_t count);

/// The least limits over the points of the box, where P moves.
rh_status rh__program_limit_box(rh_program *program);

/// The largest 2-norm of exp(P t), t >= 0, of a part that decays.
rh_status rh__program_amplify(rh_program *program, rh_program_part *part);

/// Make the small systems, where they stand alone.
rh_status rh__flow_create(rh_program *program, rh_error *err);
void rh__flow_destroy(rh_program *program);
double rh__flow_start(const rh_program *program);
/// The series from the start, and from the end of the one at hand; false when it ends there.
bool rh__flow_begin(rh_program *program, rh_program_stream *stream);
bool rh__flow_go_on(rh_program *program, rh_program_stream *stream);
/// z of a stream at a time.
rh_status rh__flow_at(rh_program *program, rh_program_stream *stream, double time, double *out,
                      rh_error *err);
/// The tape of a stream whose variables are known; rates by variable of z.
rh_status rh__flow_tape(rh_program *program, rh_program_stream *stream, const rh_expr *rates,
                        rh_error *err);
/// The series from z of the stream at a time.
bool rh__flow_set_out(rh_program *program, rh_program_stream *stream, double time);
/// z by the series at hand.
void rh__flow_evaluate(const rh_program_stream *stream, double time, double *out);
/// Judge a part with a period by its multipliers (seasons.c).
rh_status rh__program_floquet(rh_program *program, rh_program_part *part);
/// Coefficients of a slot of the tape along the series at hand, for times from 0 to 1.
void rh__flow_series(const rh_program_stream *stream, uint32_t slot, double *out);

/// Take sides of all surfaces, from the values at hand, and expand; false when the motion slides on
/// one (passing.c).
bool rh__passing_settle(rh_program_stream *stream);
/// End the series where a surface is crossed first.
bool rh__passing_cut(rh_program_stream *stream);
/// Coefficients at (begin, z) with the present sides (passing.c).
void rh__flow_expand(rh_program_stream *stream);

/// Closed form: z at a time after the start, and the extremum of a variable (closed.c).
void rh__closed_at(const rh_program *program, const rh_program_stream *stream, double time,
                   double *out);
bool rh__closed_extremum(const rh_program *program, const rh_program_stream *stream, uint32_t i,
                         double *out_time, double *out_value);
/// Follow a stiff stream with constant coefficients from where its series left it, until it is
/// small against the largest size; false when it cannot be done (octaves.c).
rh_status rh__octaves_follow(rh_program *program, rh_program_stream *stream, double largest,
                             double small, bool *out_is_over);
/// A turn of a deviation at a time after the start; kept when it is larger than those before, of
/// equal ones the first (swing.c).
void rh__program_turn(rh_program_law *law, double time, double value);
/// Extremes of all deviations after the start (swing.c).
rh_status rh__program_overshoot(rh_program *program);

/// Read the box, and go to its middle.
rh_status rh__region_read(rh_program *program, rh_error *err);
/// A symbol as the model writes it.
const char *rh__region_name(rh_program *program, rh_expr symbol);
/// Give the variables of the box these values, in a point.
void rh__region_place(rh_program *program, const rh_point *point, const double *at);
/// An rh_feed_of: inputs from files are what the box says, or 0.
double rh__region_feed(void *program, rh_expr symbol, double time);
/// Does each variable of P have a range?
rh_status rh__region_covers(rh_program *program, rh_error *err);
/// The largest eigenvalue of (C P + P^T C)/2 at the nominal point changed to `at`.
rh_status rh__region_value(rh_program *program, const rh_program_part *part, const double *c,
                           const double *at, double *out);
/// Look over the box: the largest value of all points, and where.
rh_status rh__region_look(rh_program *program, rh_program_part *part, const double *c,
                          double *out_worst, double *out_at);
/// Point k of so many that are looked at; false when there are no more.
bool rh__region_point(const rh_program *program, uint64_t k, double *at);

/// Search for a C that serves at all points; false when none was found (better.c).
rh_status rh__program_better(rh_program *program, rh_program_part *part, double *c,
                             bool *out_found);
/// The matrix of the caller.
rh_status rh__program_read_matrix(rh_program *program, rh_error *err);
/// Prove what was found (boxproof.c).
rh_status rh__program_certify(rh_program *program, rh_error *err);
/// The caller's function over the box (candidate.c).
rh_status rh__program_try(rh_program *program, rh_error *err);
/// Prove that V(z, t) is a Lyapunov function in the box; else say what lacks (basin.c).
rh_status rh__basin_prove(rh_program *program, rh_expr value, const char **out_lack);
/// Somebody wants it to end.
bool rh__program_is_enough(rh_program *program);
/// Write the reason of the verdict.
void rh__program_say(rh_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
