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

#include <math.h>

static rh_expr zero(const rh_inverse *inverse)
{
    return rh__expr_integer(inverse->store, 0);
}

static bool holds_velocity(const rh_inverse *inverse, rh_expr e)
{
    return (rh__expr_mask(inverse->store, e) & RH_ROLE_VELOCITY) != 0;
}

// --- rays ------------------------------------------------------------------------------------

// symbols x[k] -> scale * x[k]
typedef struct stretch {
    const rh_expr *x;
    uint32_t n;
    rh_expr scale;
} stretch;

static rh_expr stretch_symbol(void *user, rh_store *store, rh_expr symbol)
{
    const stretch *by = user;
    for (uint32_t k = 0; k < by->n; k++) {
        if (by->x[k].i == symbol.i) {
            return rh__expr_multiply(store, by->scale, symbol);
        }
    }
    return symbol;
}

static rh_expr stretched(rh_inverse *inverse, rh_expr e, const rh_expr *x, rh_expr scale)
{
    stretch by = {x, inverse->n, scale};
    return rh__expr_substitute(inverse->store, e, stretch_symbol, &by);
}

rh_status rh__inverse_ray_symbols(rh_inverse *inverse)
{
    static const char *const WORDS[] = {"u", "w", "u_1", "w_1", "u_2", "w_2", "u_3", "w_3"};
    uint32_t made = 0;
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS && made < 2; k++) {
        const rh_slice word = rh__slice_of(WORDS[k]);
        if (rh__model_has_name(inverse->model, word)) {
            continue;
        }
        const rh_family_def def = {.name = word};
        inverse->ray_symbols[made++] =
            rh__expr_symbol(inverse->store, rh__family_create(inverse->store, &def), 0);
    }
    const rh_status status = rh__inverse_refused(inverse);
    return status != RH_OK ? status : made == 2 ? RH_OK : RH_E_LIMIT;
}

static rh_status push_ray(rh_inverse *inverse, rh_function *to, rh_ray ray)
{
    if (rh__expr_is_zero(inverse->store, ray.integrand)) {
        return RH_OK;
    }
    return ray.integrand.i != 0 && rh__array_push(&inverse->arena, &to->rays, ray)
               ? RH_OK
               : rh__inverse_refused(inverse);
}

// Is the integrand defined all along the ray, the origin included, at some random point?
static bool is_regular(rh_inverse *inverse, rh_expr integrand, rh_expr by)
{
    rh_expr at[3];
    const int64_t moments[] = {0, 1, 2};
    for (uint32_t k = 0; k < 3; k++) {
        at[k] = rh__expr_replace(inverse->store, integrand, by,
                                 rh__expr_ratio(inverse->store, moments[k], 2));
        if (at[k].i == 0) {
            return false;
        }
    }
    rh_balls *balls = rh__balls_create(&inverse->scratch, 3);
    bool is_seen = false;
    for (uint32_t point = 1; point <= 8 && balls != NULL && !is_seen; point++) {
        is_seen = rh__prover_balls(inverse->store, &inverse->prover, at, 3, point,
                                   &inverse->scratch, balls) &&
                  rh__balls_is_finite(balls, 0) && rh__balls_is_finite(balls, 1) &&
                  rh__balls_is_finite(balls, 2);
    }
    rh__balls_destroy(balls);
    return is_seen;
}

// sum of x_i F_i(scale x), times a weight.
static rh_expr along_ray(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, rh_expr by)
{
    rh_expr sum = zero(inverse);
    for (uint32_t i = 0; i < inverse->n; i++) {
        sum = rh__expr_add(
            inverse->store, sum,
            rh__expr_multiply(inverse->store, x[i], stretched(inverse, form[i], x, by)));
    }
    return rh__inverse_fold(inverse, sum);
}

rh_status rh__inverse_ray(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                          rh_function *out, bool *out_is_found)
{
    const rh_expr u = inverse->ray_symbols[0];
    const rh_expr integrand = along_ray(inverse, form, x, u);
    out->closed = zero(inverse);
    RH_TRY(rh__inverse_refused(inverse));
    *out_is_found = is_regular(inverse, integrand, u);
    return *out_is_found ? push_ray(inverse, out, (rh_ray){.by = u, .integrand = integrand})
                         : RH_OK;
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
            const rh_expr entry = stretched(inverse, trial->inertia[i * n + j], inverse->v, u);
            sum = rh__expr_add(
                store, sum,
                rh__expr_product(store, (rh_expr[]){inverse->v[i], inverse->v[j], entry}, 3));
        }
    }
    const rh_expr weight = rh__expr_subtract(store, rh__expr_integer(store, 1), u);
    const rh_expr integrand = rh__expr_multiply(store, weight, rh__inverse_fold(inverse, sum));
    RH_TRY(rh__inverse_refused(inverse));
    if (!is_regular(inverse, integrand, u)) {
        return RH_E_UNAVAILABLE;
    }
    return push_ray(inverse, &inverse->kinetic, (rh_ray){.by = u, .integrand = integrand});
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
        if (put.i != 0 && is_regular(inverse, put, inverse->ray_symbols[0])) {
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
        const rh_expr entry = stretched(inverse, rho[k], inverse->q, u);
        sum = rh__expr_add(
            store, sum,
            rh__expr_product(store, (rh_expr[]){entry, inverse->q[k % n], inverse->v[k / n]}, 3));
    }
    const rh_expr integrand = rh__expr_multiply(store, u, rh__inverse_fold(inverse, sum));
    RH_TRY(rh__inverse_refused(inverse));
    return is_regular(inverse, integrand, u)
               ? push_ray(inverse, &inverse->gyroscopic, (rh_ray){.by = u, .integrand = integrand})
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
        RH_TRY(push_ray(inverse, from, ray));
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
    return push_ray(inverse, from, ray);
}

// --- 4. the potential ----------------------------------------------------------------------------

// The terms without velocities.
static rh_expr positional(rh_inverse *inverse, rh_expr e)
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

static rh_status is_curl_free(rh_inverse *inverse, const rh_expr *form, bool *out)
{
    *out = true;
    for (uint32_t i = 0; i < inverse->n && *out; i++) {
        for (uint32_t k = i + 1; k < inverse->n && *out; k++) {
            const rh_expr curl = rh__expr_subtract(
                inverse->store, rh__inverse_partial(inverse, form[i], inverse->q[k]),
                rh__inverse_partial(inverse, form[k], inverse->q[i]));
            rh_inverse_condition is_zero = {0};
            RH_TRY(rh__inverse_judge(inverse, &curl, 1, &is_zero));
            *out = is_zero.verdict == RH_INVERSE_HOLDS;
        }
    }
    return RH_OK;
}

// The part of each component that depends on its own coordinate alone, integrated.
static rh_status add_own_parts(rh_inverse *inverse, rh_expr *left)
{
    rh_store *store = inverse->store;
    rh_expr *potential = &inverse->potential.closed;
    for (uint32_t i = 0; i < inverse->n; i++) {
        bool is_own = true;
        for (uint32_t k = 0; k < inverse->n && is_own; k++) {
            is_own = k == i ||
                     rh__expr_is_zero(store, rh__inverse_partial(inverse, left[i], inverse->q[k]));
        }
        const rh_expr piece =
            is_own ? rh__expr_integrate(store, left[i], inverse->q[i], &inverse->scratch)
                   : RH_EXPR_NONE;
        if (piece.i != 0) {
            *potential = rh__expr_add(store, *potential, piece);
            left[i] = zero(inverse);
        }
    }
    return rh__inverse_refused(inverse);
}

// V for the forces of the position; `left` is what has no potential, or none that was found.
static rh_status make_potential(rh_inverse *inverse, const rh_expr *form, rh_expr *left)
{
    bool is_closed = false;
    bool is_found = false;
    RH_TRY(is_curl_free(inverse, form, &is_closed));
    if (!is_closed) {
        RH_TRY(rh__primitive_part(inverse, form, inverse->q, inverse->n, &inverse->potential.closed,
                                  left));
        return add_own_parts(inverse, left);
    }
    RH_TRY(rh__primitive_find(inverse, form, inverse->q, inverse->n, &inverse->potential.closed,
                              &is_found));
    if (!is_found) {
        inverse->potential.closed = zero(inverse);
        const rh_expr u = inverse->ray_symbols[0];
        const rh_expr integrand = along_ray(inverse, form, inverse->q, u);
        RH_TRY(rh__inverse_refused(inverse));
        is_found = is_regular(inverse, integrand, u);
        if (is_found) {
            RH_TRY(
                push_ray(inverse, &inverse->potential, (rh_ray){.by = u, .integrand = integrand}));
        }
    }
    // where the ray meets a pole the force stays with the dissipative function
    for (uint32_t i = 0; i < inverse->n; i++) {
        left[i] = is_found ? zero(inverse) : form[i];
    }
    return RH_OK;
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
                                              stretched(inverse, ray.integrand, inverse->v, w));
            if (!is_regular(inverse, ray.integrand, w)) {
                return RH_E_UNAVAILABLE;
            }
            RH_TRY(push_ray(inverse, &inverse->dissipation, ray));
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
    const rh_expr integrand = along_ray(inverse, form, inverse->v, w);
    RH_TRY(rh__inverse_refused(inverse));
    if (!is_regular(inverse, integrand, w)) {
        return RH_E_UNAVAILABLE;
    }
    RH_TRY(push_ray(inverse, &inverse->dissipation, (rh_ray){.by = w, .integrand = integrand}));
    return integrate_rays(inverse, rest);
}

// --- the check -----------------------------------------------------------------------------------

rh_expr rh__inverse_whole(rh_inverse *inverse, const rh_function *of)
{
    rh_store *store = inverse->store;
    const rh_expr one = rh__expr_integer(store, 1);
    rh_expr sum = of->closed;
    for (uint32_t k = 0; k < of->rays.count && sum.i != 0; k++) {
        const rh_ray *ray = &of->rays.data[k];
        rh_expr e = ray->integrand;
        if (ray->inner.i != 0) {
            e = rh__expr_quadrature(store, e, ray->inner, zero(inverse), one);
        }
        e = e.i != 0 ? rh__expr_quadrature(store, e, ray->by, zero(inverse), one) : e;
        sum = rh__expr_add(store, sum, e);
    }
    return sum;
}

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

rh_status rh__inverse_compare(rh_inverse *inverse, const rh_expr *sizes, const rh_expr *defects)
{
    const uint32_t n = inverse->n;
    rh_balls *balls = rh__balls_create(&inverse->scratch, 2 * n);
    rh_expr *both = rh__arena_array(&inverse->scratch, rh_expr, 2 * (size_t)n);
    rh_inverse_condition *check = &inverse->check;
    bool ok = balls != NULL && both != NULL;
    for (uint32_t k = 0; ok && k < n; k++) {
        both[k] = defects[k];
        both[n + k] = sizes[k];
    }
    check->verdict = RH_INVERSE_HOLDS;
    for (uint32_t point = 1; ok && point <= RH_PROVER_POINTS; point++) {
        ok = rh__prover_balls(inverse->store, &inverse->prover, both, 2 * n, point,
                              &inverse->scratch, balls);
        for (uint32_t k = 0; ok && k < n; k++) {
            if (!rh__balls_is_finite(balls, k)) {
                continue;
            }
            check->point_count = point;
            const double size = 1.0 + fabs(rh__balls_middle(balls, n + k));
            if (fabs(rh__balls_middle(balls, k)) > 1e-10 * size) {
                check->verdict = RH_INVERSE_UNKNOWN;
            }
        }
    }
    check->verdict = check->point_count == 0 ? RH_INVERSE_UNKNOWN : check->verdict;
    rh__balls_destroy(balls);
    return ok ? RH_OK : RH_E_MEMORY;
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
                    : rh__inverse_judge(inverse, defects, inverse->n, &inverse->check);
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
        inverse->circulatory = rh__expr_add(
            inverse->store, inverse->circulatory,
            rh__expr_multiply(inverse->store, inverse->v[i], positional(inverse, rest[i].closed)));
    }
    RH_TRY(make_dissipation(inverse, rest));
    return check_back(inverse, trial);
}

rh_status rh__inverse_construct(rh_inverse *inverse)
{
    rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const rh_function nothing = {.closed = zero(inverse)};
    inverse->kinetic = inverse->gyroscopic = inverse->potential = inverse->dissipation = nothing;
    inverse->circulatory = zero(inverse);
    RH_TRY(rh__inverse_ray_symbols(inverse));
    const rh_status status = make_all(inverse, trial);
    if (status == RH_E_UNAVAILABLE) {
        inverse->reason = "an integral along a ray meets a point where the equations are not "
                          "defined: the functions exist, but no text for them was found";
        return RH_OK;
    }
    RH_TRY(status);
    inverse->has_functions = true;
    trial->conditions[7] = inverse->check;
    return RH_OK;
}
