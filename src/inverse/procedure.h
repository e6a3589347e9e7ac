// SPDX-License-Identifier: Apache-2.0
// What the files of this room do, by file.

#pragma once

#include "inverse/problem.h"

rh_status rh__inverse_take(rh_inverse *inverse, rh_error *err);
// --- surfaces.c: where the equations switch, or have no value -----------------------------------

/// Note the surfaces of the equations, and points on both sides. RH_E_UNAVAILABLE, with the reason,
/// when one of them has no value anywhere.
rh_status rh__inverse_examine(rh_inverse *inverse, const rh_expr *f, uint32_t count, rh_error *err);
/// Does a surface depend on symbols of these roles?
bool rh__inverse_switches(const rh_inverse *inverse, uint32_t roles);
/// Is a function continuous across the surfaces? False where that is not seen.
rh_status rh__inverse_is_continuous(rh_inverse *inverse, rh_expr e, bool *out);
// --- helmholtz.c: the conditions ---------------------------------------------------------------
rh_status rh__inverse_try(rh_inverse *inverse, rh_trial *trial);
/// (4.4), (i) and (ii) alone: what the inertia decides.
rh_status rh__inverse_try_inertia(rh_inverse *inverse, rh_trial *trial);
/// The verdict of all conditions together.
void rh__inverse_conclude(rh_trial *trial);
/// s and r; at a = 0 where the equations are linear in a.
rh_status rh__inverse_matrices(rh_inverse *inverse, rh_trial *trial, rh_matrices *out);
// --- formless.c: reactions without formulas ------------------------------------------------------

/// Take the reactions as the solution of their linear equations. RH_E_UNAVAILABLE when these are
/// too many.
rh_status rh__inverse_take_implicit(rh_inverse *inverse, rh_error *err);
/// The conditions at points, in balls.
rh_status rh__inverse_try_implicit(rh_inverse *inverse);
// --- primitive.c: potentials of forms ----------------------------------------------------------

/// An antiderivative, continuous where the integrand switches; none when none is found (pieces.c).
rh_expr rh__primitive_integrate(rh_inverse *inverse, rh_expr e, rh_expr x);
/// V with dV/dx_i = form_i, for a closed form. Closed text where it is found: `*out_is_found`.
rh_status rh__primitive_find(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, bool *out_is_found);
/// As much of a potential as the homogeneous parts of a form give, whether it is closed or not;
/// `rest` (n of them) is what it misses.
rh_status rh__primitive_part(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, rh_expr *rest);
/// As much of a potential as rays give in closed form, whether the form is closed or not: part by
/// part, so that what is left (n of them) is all that it misses. Continuous across surfaces.
rh_status rh__primitive_split(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                              uint32_t n, rh_expr *out, rh_expr *left);
/// A_i with d_k A_i - d_i A_k = form_ik (by rows) for a closed form of degree two.
rh_status rh__primitive_vector(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                               uint32_t n, rh_expr *out, bool *out_is_found);
// --- rays.c: integrals along rays
// -----------------------------------------------------------------

/// Names for what rays run over: letters that the model does not use.
rh_status rh__inverse_ray_symbols(rh_inverse *inverse);
/// `e` at scale * x.
rh_expr rh__ray_point(rh_inverse *inverse, rh_expr e, const rh_expr *x, rh_expr scale);
/// sum of x_i F_i(by x)
rh_expr rh__ray_work(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, rh_expr by);
/// Add a ray to a function, unless it is zero.
rh_status rh__ray_push(rh_inverse *inverse, rh_function *to, rh_ray ray);
/// Is the integrand defined all along the ray, both ends included, at some random point?
bool rh__ray_is_regular(rh_inverse *inverse, rh_expr integrand, rh_expr by);
/// The potential of a closed form as an integral along rays from a point; `*out_is_found` is false
/// where no base point gives one for the whole of what was looked at.
rh_status rh__inverse_ray(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                          rh_function *out, bool *out_is_found);
/// An expression for the whole of a function, rays as sums over nodes.
rh_expr rh__inverse_whole(rh_inverse *inverse, const rh_function *of);
/// With quadratures a defect is zero up to their error: looked at in numbers (n of them), beside
/// the sizes of what it should be small against. The verdict goes to `check`.
rh_status rh__inverse_compare(rh_inverse *inverse, const rh_expr *sizes, const rh_expr *defects);
// --- lagrangian.c, parts.c, hamilton.c -----------------------------------------------------------
rh_status rh__inverse_construct(rh_inverse *inverse);
rh_status rh__inverse_split(rh_inverse *inverse);
/// lost.c: the sign of a power that is no quadratic form of the velocities.
rh_status rh__inverse_lost(rh_inverse *inverse);
/// The same where it can be proved; otherwise nothing changes.
rh_status rh__inverse_prove_lost(rh_inverse *inverse);
rh_status rh__inverse_hamilton(rh_inverse *inverse, rh_error *err);
// --- telling.c: texts and witnesses --------------------------------------------------------------

/// The text of an expression, simplified; "" when it is longer than `limit`.
const char *rh__inverse_text(rh_inverse *inverse, rh_expr e, size_t limit);
rh_status rh__inverse_tell(rh_inverse *inverse);
// --- validity.c: for which values of parameters -------------------------------------------------

/// The scope of the conditions of the chosen form: before functions are made.
rh_status rh__inverse_begin_scope(rh_inverse *inverse);
/// What L, D or H miss (n of them): judged to `check`. What they miss only beside the values of
/// parameters enlarges the scope.
rh_status rh__inverse_check(rh_inverse *inverse, const rh_expr *defects);
/// The parameters of `e` belong to the scope too.
bool rh__inverse_widen_scope(rh_inverse *inverse, rh_expr e);
/// The texts of what the answer holds for.
rh_status rh__inverse_tell_scope(rh_inverse *inverse);
// --- domains.c: parameters for which the functions have no value -------------------------------

/// Where the values of the model are such ones they become the scope, and the functions are to be
/// made again with them: `*out_is_open`. Otherwise such values are said in the note.
rh_status rh__inverse_close_gaps(rh_inverse *inverse, const rh_expr *equations, bool *out_is_open);
/// The values of the scope put into several expressions.
rh_status rh__inverse_put_scope(rh_inverse *inverse, rh_expr *e, uint32_t count);
