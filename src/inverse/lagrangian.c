// SPDX-License-Identifier: Apache-2.0
// A Lagrangian and a dissipative function for equations that pass the conditions:
//   1. K with Hessian M in the velocities;
//   2. rho_ik = beta_ik/2 - (d2K/dv_i dq_k - d2K/dv_k dq_i), free of v and closed; A with
//      d_k A_i - d_i A_k = rho_ik;
//   3. the remainder R_i = f_i - E_i(K + A.v) is free of a and has no curl in v;
//   4. V from the part of R that is free of v, as much of it as has a potential;
//   5. D with dD/dv_i = R_i - d_i V.
// What has no closed form is an integral along a ray (docs/theory/inverse.md).

#include "inverse/inverse.h"

static rh_expr zero(const rh_inverse *inverse)
{
    return rh__expr_integer(inverse->store, 0);
}

static bool holds_velocity(const rh_inverse *inverse, rh_expr e)
{
    return (rh__expr_mask(inverse->store, e) & RH_ROLE_VELOCITY) != 0;
}

// --- 1. the kinetic part -----------------------------------------------------------------------

static rh_status simple_kinetic(rh_inverse *inverse, const rh_trial *trial)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    rh_expr sum = zero(inverse);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            sum = rh__expr_add(
                store, sum,
                rh__expr_product(store,
                                 (rh_expr[]){rh__expr_ratio(store, 1, 2), trial->inertia[i * n + j],
                                             inverse->v[i], inverse->v[j]},
                                 4));
        }
    }
    inverse->kinetic.closed = rh__inverse_fold(inverse, sum);
    return rh__inverse_refused(inverse);
}

// (1 - u) sum v_i v_j M_ij(q, u v)
static rh_status ray_kinetic(rh_inverse *inverse, const rh_trial *trial)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    const rh_expr u = inverse->ray_symbols[0];
    rh_expr sum = zero(inverse);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const rh_expr entry = rh__ray_point(inverse, trial->inertia[i * n + j], inverse->v, u);
            sum = rh__expr_add(
                store, sum,
                rh__expr_product(store, (rh_expr[]){inverse->v[i], inverse->v[j], entry}, 3));
        }
    }
    const rh_expr weight = rh__expr_subtract(store, rh__expr_integer(store, 1), u);
    const rh_expr integrand = rh__expr_multiply(store, weight, rh__inverse_fold(inverse, sum));
    RH_TRY(rh__inverse_refused(inverse));
    if (!rh__ray_is_regular(inverse, integrand, u)) {
        return RH_E_UNAVAILABLE;
    }
    return rh__ray_push(inverse, &inverse->kinetic, (rh_ray){.by = u, .integrand = integrand});
}

static rh_status make_kinetic(rh_inverse *inverse, const rh_trial *trial)
{
    const uint32_t n = inverse->n;
    bool is_simple = true;
    bool is_found = true;
    for (uint32_t k = 0; k < n * n; k++) {
        is_simple = is_simple && !holds_velocity(inverse, trial->inertia[k]);
    }
    if (is_simple) {
        return simple_kinetic(inverse, trial);
    }
    rh_expr *momenta = rh__arena_array(&inverse->arena, rh_expr, n);
    if (momenta == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < n && is_found; i++) {
        RH_TRY(rh__primitive_find(inverse, trial->inertia + (size_t)i * n, inverse->v, n,
                                  &momenta[i], &is_found));
    }
    if (is_found) {
        RH_TRY(rh__primitive_find(inverse, momenta, inverse->v, n, &inverse->kinetic.closed,
                                  &is_found));
    }
    return is_found ? RH_OK : ray_kinetic(inverse, trial);
}

// --- 2. the gyroscopic part ----------------------------------------------------------------------

// An expression that does not depend on the velocities, without them: they are put to a value at
// which it is defined.
static rh_expr free_of_velocity(rh_inverse *inverse, rh_expr e)
{
    rh_expr out = rh__inverse_fold(inverse, e);
    for (int64_t attempt = 0; attempt < 3 && out.i != 0 && holds_velocity(inverse, out);
         attempt++) {
        rh_expr put = out;
        for (uint32_t k = 0; k < inverse->n && put.i != 0; k++) {
            put = rh__expr_replace(
                inverse->store, put, inverse->v[k],
                attempt == 0 ? zero(inverse)
                             : rh__expr_ratio(inverse->store, attempt, (int64_t)k + 1 + attempt));
        }
        if (put.i != 0 && rh__ray_is_regular(inverse, put, inverse->ray_symbols[0])) {
            out = rh__inverse_fold(inverse, put);
        }
    }
    return out;
}

static rh_status make_gyroscopic(rh_inverse *inverse, const rh_trial *trial, rh_expr *rho)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    const rh_expr half = rh__expr_ratio(store, 1, 2);
    rh_expr *a = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    bool is_found = false;
    if (a == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            const rh_expr *v = inverse->v;
            const rh_expr *q = inverse->q;
            // a ray in v is at least quadratic near v = 0, where its mixed derivatives vanish
            const rh_expr pi = rh__inverse_partial(inverse, inverse->kinetic.closed, v[i]);
            const rh_expr pk = rh__inverse_partial(inverse, inverse->kinetic.closed, v[k]);
            const rh_expr curl = rh__expr_subtract(store, rh__inverse_partial(inverse, pi, q[k]),
                                                   rh__inverse_partial(inverse, pk, q[i]));
            rho[i * n + k] = free_of_velocity(
                inverse, rh__expr_subtract(
                             store, rh__expr_multiply(store, half, trial->beta[i * n + k]), curl));
        }
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(rh__primitive_vector(inverse, rho, inverse->q, n, a, &is_found));
    for (uint32_t i = 0; i < n && is_found; i++) {
        inverse->gyroscopic.closed = rh__expr_add(store, inverse->gyroscopic.closed,
                                                  rh__expr_multiply(store, a[i], inverse->v[i]));
    }
    if (is_found) {
        return rh__inverse_refused(inverse);
    }
    const rh_expr u = inverse->ray_symbols[0];
    rh_expr sum = zero(inverse);
    for (uint32_t k = 0; k < n * n; k++) {
        const rh_expr entry = rh__ray_point(inverse, rho[k], inverse->q, u);
        sum = rh__expr_add(
            store, sum,
            rh__expr_product(store, (rh_expr[]){entry, inverse->q[k % n], inverse->v[k / n]}, 3));
    }
    const rh_expr integrand = rh__expr_multiply(store, u, rh__inverse_fold(inverse, sum));
    RH_TRY(rh__inverse_refused(inverse));
    return rh__ray_is_regular(inverse, integrand, u)
               ? rh__ray_push(inverse, &inverse->gyroscopic,
                              (rh_ray){.by = u, .integrand = integrand})
               : RH_E_UNAVAILABLE;
}

// --- 3. the remainder ----------------------------------------------------------------------------

// D0 dL/dv_i - dL/dq_i: what Lagrange's operator gives at a = 0.
static rh_expr lagrange_rest(rh_inverse *inverse, rh_expr e, uint32_t i)
{
    const rh_expr momentum = rh__inverse_partial(inverse, e, inverse->v[i]);
    return rh__expr_subtract(inverse->store, rh__derivation_apply(inverse->drift, momentum),
                             rh__inverse_partial(inverse, e, inverse->q[i]));
}

static rh_status subtract_function(rh_inverse *inverse, rh_function *from, const rh_function *of,
                                   uint32_t i)
{
    from->closed =
        rh__inverse_fold(inverse, rh__expr_subtract(inverse->store, from->closed,
                                                    lagrange_rest(inverse, of->closed, i)));
    for (uint32_t k = 0; k < of->rays.count; k++) {
        rh_ray ray = of->rays.data[k];
        ray.integrand = rh__inverse_fold(
            inverse, rh__expr_negate(inverse->store, lagrange_rest(inverse, ray.integrand, i)));
        RH_TRY(rh__ray_push(inverse, from, ray));
    }
    return rh__inverse_refused(inverse);
}

// E_i(A.v) = sum rho_ik v_k + dA_i/dt: of a ray only the last term is one.
static rh_status subtract_gyroscopic(rh_inverse *inverse, rh_function *from, const rh_expr *rho,
                                     uint32_t i)
{
    rh_store *store = inverse->store;
    if (inverse->gyroscopic.rays.count == 0) {
        return subtract_function(inverse, from, &inverse->gyroscopic, i);
    }
    for (uint32_t k = 0; k < inverse->n; k++) {
        from->closed = rh__expr_subtract(
            store, from->closed, rh__expr_multiply(store, rho[i * inverse->n + k], inverse->v[k]));
    }
    from->closed = rh__inverse_fold(inverse, from->closed);
    rh_ray ray = inverse->gyroscopic.rays.data[0];
    const rh_expr component = rh__inverse_partial(inverse, ray.integrand, inverse->v[i]);
    // what is left of D0 at v = 0 is the explicit time
    ray.integrand = rh__expr_negate(
        store, rh__inverse_without(inverse, rh__derivation_apply(inverse->drift, component),
                                   inverse->v, inverse->n));
    return rh__ray_push(inverse, from, ray);
}

// --- 4. the potential ----------------------------------------------------------------------------

// The terms without velocities.
static rh_expr terms_at_rest(rh_inverse *inverse, rh_expr e)
{
    enum { TERMS = 1500 };
    rh_store *store = inverse->store;
    const rh_expr wide = rh__expr_expand(store, e, TERMS, &inverse->scratch);
    const rh_expr of = wide.i != 0 ? wide : e;
    if (rh__expr_op(store, of) != RH_OP_ADD) {
        return holds_velocity(inverse, of) ? zero(inverse) : of;
    }
    rh_expr sum = zero(inverse);
    for (uint32_t k = 0; k < rh__expr_count(store, of); k += 2) {
        const rh_expr term = rh__expr_argument(store, of, k + 1);
        if (!holds_velocity(inverse, term)) {
            sum = rh__expr_add(store, sum,
                               rh__expr_multiply(store, rh__expr_argument(store, of, k), term));
        }
    }
    return sum;
}

// The force at rest; where that has no value, or a jump, the terms that hold no velocities.
static rh_expr positional(rh_inverse *inverse, rh_expr e)
{
    if (!holds_velocity(inverse, e)) {
        return e;
    }
    const rh_expr terms = terms_at_rest(inverse, e);
    const rh_expr rest =
        rh__inverse_fold(inverse, rh__inverse_without(inverse, e, inverse->v, inverse->n));
    return rest.i == 0 || rh__inverse_switches(inverse, RH_ROLE_VELOCITY) ||
                   !rh__ray_is_regular(inverse, rest, inverse->ray_symbols[0])
               ? terms
               : rest;
}

static rh_status is_curl_free(rh_inverse *inverse, const rh_expr *form, bool *out)
{
    *out = true;
    for (uint32_t i = 0; i < inverse->n && *out; i++) {
        for (uint32_t k = i + 1; k < inverse->n && *out; k++) {
            const rh_expr curl = rh__expr_subtract(
                inverse->store, rh__inverse_partial(inverse, form[i], inverse->q[k]),
                rh__inverse_partial(inverse, form[k], inverse->q[i]));
            RH_TRY(rh__inverse_vanishes(inverse, &curl, 1, out));
        }
    }
    return RH_OK;
}

// Forces without curl that are left do no work on small loops, unlike others that stand with them.
static void note_left(rh_inverse *inverse, const rh_expr *left)
{
    bool is_left = false;
    for (uint32_t i = 0; i < inverse->n; i++) {
        is_left = is_left || !rh__expr_is_zero(inverse->store, left[i]);
    }
    if (is_left) {
        inverse->note = rh__text_print(
            &inverse->arena,
            "%s%swhat is called circulatory has no curl: near every point where it is continuous "
            "it has a potential, of which no text was found that serves everywhere",
            inverse->note != NULL ? inverse->note : "", inverse->note != NULL ? "; " : "");
    }
}

// V for the forces of the position; `left` is what has no potential, or none that was found. Each
// part of a force may be left: it enters D, times its velocity, and nothing is lost.
static rh_status make_potential(rh_inverse *inverse, const rh_expr *form, rh_expr *left)
{
    const uint32_t n = inverse->n;
    bool is_closed = false;
    bool is_found = false;
    RH_TRY(is_curl_free(inverse, form, &is_closed));
    if (is_closed) {
        RH_TRY(rh__primitive_find(inverse, form, inverse->q, n, &inverse->potential.closed,
                                  &is_found));
        if (is_found) { // a potential that jumps gives other equations on the surface
            RH_TRY(rh__inverse_is_continuous(inverse, inverse->potential.closed, &is_found));
        }
        if (!is_found) {
            RH_TRY(rh__inverse_ray(inverse, form, inverse->q, &inverse->potential, &is_found));
        }
    }
    for (uint32_t i = 0; i < n && is_found; i++) {
        left[i] = zero(inverse);
    }
    if (is_found) {
        return RH_OK;
    }
    RH_TRY(rh__primitive_split(inverse, form, inverse->q, n, &inverse->potential.closed, left));
    if (is_closed) {
        note_left(inverse, left);
    }
    return inverse->arena.status;
}

// The power that is lost: v times the remainder without circulatory forces.
static rh_status make_power(rh_inverse *inverse, const rh_function *rest, const rh_expr *left)
{
    rh_store *store = inverse->store;
    inverse->power.closed = zero(inverse);
    for (uint32_t i = 0; i < inverse->n; i++) {
        const rh_expr force = rh__expr_subtract(store, rest[i].closed, left[i]);
        inverse->power.closed = rh__expr_add(store, inverse->power.closed,
                                             rh__expr_multiply(store, inverse->v[i], force));
        for (uint32_t k = 0; k < rest[i].rays.count; k++) {
            rh_ray ray = rest[i].rays.data[k];
            ray.integrand = rh__expr_multiply(store, inverse->v[i], ray.integrand);
            RH_TRY(rh__ray_push(inverse, &inverse->power, ray));
        }
    }
    inverse->power.closed = rh__inverse_fold(inverse, inverse->power.closed);
    inverse->has_power = true;
    return rh__inverse_refused(inverse);
}

// --- 5. the dissipative function -----------------------------------------------------------------

// Integrals of rays along rays: the second symbol runs outside.
static rh_status integrate_rays(rh_inverse *inverse, const rh_function *rest)
{
    const rh_expr w = inverse->ray_symbols[1];
    for (uint32_t i = 0; i < inverse->n; i++) {
        for (uint32_t k = 0; k < rest[i].rays.count; k++) {
            rh_ray ray = rest[i].rays.data[k];
            ray.inner = ray.by;
            ray.by = w;
            ray.integrand = rh__expr_multiply(inverse->store, inverse->v[i],
                                              rh__ray_point(inverse, ray.integrand, inverse->v, w));
            if (!rh__ray_is_regular(inverse, ray.integrand, w)) {
                return RH_E_UNAVAILABLE;
            }
            RH_TRY(rh__ray_push(inverse, &inverse->dissipation, ray));
        }
    }
    return RH_OK;
}

static rh_status make_dissipation(rh_inverse *inverse, const rh_function *rest)
{
    const uint32_t n = inverse->n;
    rh_expr *form = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    bool is_found = false;
    bool has_rays = false;
    if (form == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        form[i] = rest[i].closed;
        has_rays = has_rays || rest[i].rays.count > 0;
    }
    // alone, the closed part need not have a potential
    if (!has_rays) {
        RH_TRY(rh__primitive_find(inverse, form, inverse->v, n, &inverse->dissipation.closed,
                                  &is_found));
    }
    if (is_found) {
        return RH_OK;
    }
    inverse->dissipation.closed = zero(inverse);
    const rh_expr w = inverse->ray_symbols[1];
    const rh_expr integrand = rh__ray_work(inverse, form, inverse->v, w);
    RH_TRY(rh__inverse_refused(inverse));
    if (!rh__ray_is_regular(inverse, integrand, w)) {
        return RH_E_UNAVAILABLE;
    }
    RH_TRY(rh__ray_push(inverse, &inverse->dissipation, (rh_ray){.by = w, .integrand = integrand}));
    return integrate_rays(inverse, rest);
}

// --- the check -----------------------------------------------------------------------------------

// f_i - E_i(L) - dD/dv_i
static rh_status make_defects(rh_inverse *inverse, const rh_trial *trial, rh_expr *out)
{
    rh_store *store = inverse->store;
    const rh_expr kinetic = rh__inverse_whole(inverse, &inverse->kinetic);
    const rh_expr gyroscopic = rh__inverse_whole(inverse, &inverse->gyroscopic);
    const rh_expr potential = rh__inverse_whole(inverse, &inverse->potential);
    const rh_expr dissipation = rh__inverse_whole(inverse, &inverse->dissipation);
    const rh_expr lagrangian =
        rh__expr_subtract(store, rh__expr_add(store, kinetic, gyroscopic), potential);
    for (uint32_t i = 0; i < inverse->n; i++) {
        const rh_expr momentum = rh__inverse_partial(inverse, lagrangian, inverse->v[i]);
        const rh_expr euler =
            rh__expr_subtract(store, rh__derivation_apply(inverse->total, momentum),
                              rh__inverse_partial(inverse, lagrangian, inverse->q[i]));
        const rh_expr force = rh__inverse_partial(inverse, dissipation, inverse->v[i]);
        out[i] = rh__expr_subtract(store, trial->f[i], rh__expr_add(store, euler, force));
    }
    return rh__inverse_refused(inverse);
}

static rh_status check_back(rh_inverse *inverse, const rh_trial *trial)
{
    const uint32_t rays = inverse->kinetic.rays.count + inverse->gyroscopic.rays.count +
                          inverse->potential.rays.count + inverse->dissipation.rays.count;
    rh_expr *defects = rh__arena_array(&inverse->arena, rh_expr, inverse->n + 1);
    if (defects == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(make_defects(inverse, trial, defects));
    inverse->check.struct_size = (uint32_t)sizeof inverse->check;
    return rays > 0 ? rh__inverse_compare(inverse, trial->f, defects)
                    : rh__inverse_check(inverse, defects);
}

// --- all of it -----------------------------------------------------------------------------------

static rh_status make_all(rh_inverse *inverse, const rh_trial *trial)
{
    const uint32_t n = inverse->n;
    rh_function *rest = rh__arena_array(&inverse->arena, rh_function, n + 1);
    rh_expr *form = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    rh_expr *left = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    rh_expr *rho = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    if (rest == NULL || form == NULL || left == NULL || rho == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(make_kinetic(inverse, trial));
    RH_TRY(make_gyroscopic(inverse, trial, rho));
    for (uint32_t i = 0; i < n; i++) {
        rest[i].closed = trial->rest[i];
        RH_TRY(subtract_function(inverse, &rest[i], &inverse->kinetic, i));
        RH_TRY(subtract_gyroscopic(inverse, &rest[i], rho, i));
        form[i] = positional(inverse, rest[i].closed);
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(make_potential(inverse, form, left));
    for (uint32_t i = 0; i < n; i++) {
        rest[i].closed = rh__inverse_fold(
            inverse,
            rh__expr_add(inverse->store, rh__expr_subtract(inverse->store, rest[i].closed, form[i]),
                         left[i]));
        // a force of the position that has no potential: linear in the velocities
        inverse->circulatory =
            rh__expr_add(inverse->store, inverse->circulatory,
                         rh__expr_multiply(inverse->store, inverse->v[i], left[i]));
    }
    RH_TRY(make_power(inverse, rest, left));
    RH_TRY(make_dissipation(inverse, rest));
    return check_back(inverse, trial);
}

rh_status rh__inverse_construct(rh_inverse *inverse)
{
    rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const rh_function nothing = {.closed = zero(inverse)};
    inverse->kinetic = inverse->gyroscopic = inverse->potential = inverse->dissipation = nothing;
    inverse->power = nothing;
    inverse->circulatory = zero(inverse);
    RH_TRY(rh__inverse_ray_symbols(inverse));
    const rh_status status = make_all(inverse, trial);
    if (status == RH_E_UNAVAILABLE) {
        inverse->reason = "an integral along a ray meets a point where the equations are not "
                          "defined: the functions exist, but no text for them was found";
        return RH_OK;
    }
    RH_TRY(status);
    if (inverse->check.verdict == RH_INVERSE_FAILS) {
        inverse->check =
            (rh_inverse_condition){(uint32_t)sizeof inverse->check, RH_INVERSE_UNKNOWN, false, 0};
        inverse->reason = "the functions that were constructed do not give the equations back, "
                          "and are not shown: rays from a point do not reach all of the domain, "
                          "or the equations switch";
        inverse->has_power = false;
        return RH_OK;
    }
    inverse->has_functions = true;
    trial->conditions[7] = inverse->check;
    return RH_OK;
}
