// SPDX-License-Identifier: Apache-2.0
// Potentials as integrals along rays from a base point b, V = int_0^1 F(b + u (x - b)).(x - b) du.
// The origin comes first; where the law has no value there, or where the integral does not give the
// form back, other base points are tried. Where it depends on the way whether a hole of the domain
// is passed left or right, there is no potential on the whole domain: two base points tell.

#include "inverse/inverse.h"

#include <math.h>

static rh_expr zero(const rh_inverse *inverse)
{
    return rh__expr_integer(inverse->store, 0);
}

// --- along a ray -----------------------------------------------------------------------------

// symbols x[k] -> base[k] + scale * (x[k] - base[k]); base NULL: the origin
typedef struct stretch {
    const rh_expr *x;
    const rh_expr *base;
    uint32_t n;
    rh_expr scale;
} stretch;

static rh_expr stretch_symbol(void *user, rh_store *store, rh_expr symbol)
{
    const stretch *by = user;
    for (uint32_t k = 0; k < by->n; k++) {
        if (by->x[k].i == symbol.i) {
            return by->base == NULL
                       ? rh__expr_multiply(store, by->scale, symbol)
                       : rh__expr_add(
                             store, by->base[k],
                             rh__expr_multiply(store, by->scale,
                                               rh__expr_subtract(store, symbol, by->base[k])));
        }
    }
    return symbol;
}

static rh_expr point_from(rh_inverse *inverse, rh_expr e, const rh_expr *x, const rh_expr *base,
                          rh_expr scale)
{
    RH_ASSERT(x != base);
    stretch by = {x, base, inverse->n, scale};
    return rh__expr_substitute(inverse->store, e, stretch_symbol, &by);
}

rh_expr rh__ray_point(rh_inverse *inverse, rh_expr e, const rh_expr *x, rh_expr scale)
{
    return point_from(inverse, e, x, NULL, scale);
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
    RH_ASSERT(made <= 2);
    const rh_status status = rh__inverse_refused(inverse);
    return status != RH_OK ? status : made == 2 ? RH_OK : RH_E_LIMIT;
}

rh_status rh__ray_push(rh_inverse *inverse, rh_function *to, rh_ray ray)
{
    if (rh__expr_is_zero(inverse->store, ray.integrand)) {
        return RH_OK;
    }
    return ray.integrand.i != 0 && rh__array_push(&inverse->arena, &to->rays, ray)
               ? RH_OK
               : rh__inverse_refused(inverse);
}

bool rh__ray_is_regular(rh_inverse *inverse, rh_expr integrand, rh_expr by)
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

// sum of (x_i - b_i) F_i(b + by (x - b))
static rh_expr work_from(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                         const rh_expr *base, rh_expr by)
{
    rh_store *store = inverse->store;
    rh_expr sum = zero(inverse);
    for (uint32_t i = 0; i < inverse->n; i++) {
        const rh_expr step = base == NULL ? x[i] : rh__expr_subtract(store, x[i], base[i]);
        sum = rh__expr_add(
            store, sum, rh__expr_multiply(store, step, point_from(inverse, form[i], x, base, by)));
    }
    return rh__inverse_fold(inverse, sum);
}

rh_expr rh__ray_work(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, rh_expr by)
{
    return work_from(inverse, form, x, NULL, by);
}

// --- as sums over nodes ------------------------------------------------------------------------

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

static const double CLOSE = 1e-10; // what Gauss's rule leaves of smooth integrands

// At how many points, and at how many of them the defects are close to zero against the sizes.
typedef struct closeness {
    uint32_t points, close;
} closeness;

static rh_status count_close(rh_inverse *inverse, const rh_expr *sizes, const rh_expr *defects,
                             uint32_t n, closeness *out)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_balls *balls = rh__balls_create(&inverse->scratch, 2 * n);
    rh_expr *both = rh__arena_array(&inverse->scratch, rh_expr, 2 * (size_t)n);
    bool ok = balls != NULL && both != NULL;
    *out = (closeness){0};
    for (uint32_t k = 0; ok && k < n; k++) {
        both[k] = defects[k];
        both[n + k] = sizes[k];
        ok = defects[k].i != 0 && sizes[k].i != 0;
    }
    for (uint32_t point = 1; ok && point <= rh__prover_last(&inverse->prover); point++) {
        const bool is_wanted = out->points < RH_PROVER_POINTS || point > RH_PROVER_TRIALS;
        if (!is_wanted || !rh__inverse_goes_on(inverse)) {
            continue;
        }
        ok = rh__prover_balls(inverse->store, &inverse->prover, both, 2 * n, point,
                              &inverse->scratch, balls);
        bool is_seen = ok;
        for (uint32_t k = 0; is_seen && k < 2 * n; k++) {
            is_seen = rh__balls_is_finite(balls, k);
        }
        out->points += is_seen;
        for (uint32_t k = 0; is_seen && k < n; k++) {
            const double size = 1.0 + fabs(rh__balls_middle(balls, n + k));
            is_seen = fabs(rh__balls_middle(balls, k)) <= CLOSE * size;
        }
        out->close += is_seen;
    }
    RH_ASSERT(out->close <= out->points);
    rh__balls_destroy(balls);
    rh__arena_rewind(&inverse->scratch, mark);
    const rh_status status = rh__inverse_refused(inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

// What is not close may be the rule that is not: where the most is, the function is right.
static bool is_mostly(const closeness *of)
{
    RH_ASSERT(of->close <= of->points);
    return of->points > 0 && 2 * of->close >= of->points;
}

rh_status rh__inverse_compare(rh_inverse *inverse, const rh_expr *sizes, const rh_expr *defects)
{
    closeness seen;
    rh_inverse_condition *check = &inverse->check;
    RH_TRY(count_close(inverse, sizes, defects, inverse->n, &seen));
    const bool is_whole = seen.points > 0 && seen.close == seen.points;
    // beyond a surface the function may be wrong: there the rule is no excuse
    const bool is_open = seen.points == 0 || (is_mostly(&seen) && inverse->surfaces.count == 0);
    *check = (rh_inverse_condition){(uint32_t)sizeof *check,
                                    is_whole  ? RH_INVERSE_HOLDS
                                    : is_open ? RH_INVERSE_UNKNOWN
                                              : RH_INVERSE_FAILS,
                                    false, seen.points};
    if (check->verdict == RH_INVERSE_UNKNOWN && seen.points > 0) {
        inverse->reason = rh__text_print(
            &inverse->arena,
            "integrals are sums over 32 nodes: at %u of %u points that is not exact to 1e-10",
            seen.points - seen.close, seen.points);
    }
    return rh__inverse_refused(inverse);
}

// --- potentials --------------------------------------------------------------------------------

// Does the integral from a base point give the form back?
static rh_status leads_back(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                            rh_expr potential, bool *out)
{
    const uint32_t n = inverse->n;
    rh_expr *defects = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    closeness seen;
    if (defects == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        defects[i] = rh__expr_subtract(inverse->store, form[i],
                                       rh__inverse_partial(inverse, potential, x[i]));
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(count_close(inverse, form, defects, n, &seen));
    *out = is_mostly(&seen);
    return RH_OK;
}

static rh_expr integral_from(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                             const rh_expr *base)
{
    const rh_expr u = inverse->ray_symbols[0];
    return rh__expr_quadrature(inverse->store, work_from(inverse, form, x, base, u), u,
                               zero(inverse), rh__expr_integer(inverse->store, 1));
}

// The work around triangles (b, x, c) is zero where there is no hole between.
static rh_status is_single(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                           const rh_expr *b, const rh_expr *c, bool *out)
{
    rh_store *store = inverse->store;
    const rh_expr from_b = integral_from(inverse, form, x, b);
    const rh_expr from_c = integral_from(inverse, form, x, c);
    rh_expr across = from_c;
    for (uint32_t k = 0; k < inverse->n && across.i != 0; k++) {
        across = rh__expr_replace(store, across, x[k], b[k]);
    }
    const rh_expr around = rh__expr_add(store, rh__expr_subtract(store, from_b, from_c), across);
    closeness seen;
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(count_close(inverse, &from_b, &around, 1, &seen));
    *out = is_mostly(&seen) && seen.close == seen.points;
    return RH_OK;
}

// Base points besides the origin, all different: 1, 1/2, 2/3, ... and with every second sign
// turned.
static rh_expr *make_base(rh_inverse *inverse, uint32_t number)
{
    rh_expr *base = rh__arena_array(&inverse->arena, rh_expr, inverse->n + 1);
    for (uint32_t k = 0; base != NULL && k < inverse->n; k++) {
        const int64_t sign = number == 1 && k % 2 == 0 ? -1 : 1;
        base[k] = rh__expr_ratio(inverse->store, sign * (2 + (int64_t)(k % 3)), 2 + (int64_t)k);
    }
    return base;
}

static rh_status try_base(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                          const rh_expr *base, rh_function *out, bool *out_is_found)
{
    const rh_expr u = inverse->ray_symbols[0];
    const rh_ray ray = {.by = u, .integrand = work_from(inverse, form, x, base, u)};
    *out_is_found = false;
    RH_TRY(rh__inverse_refused(inverse));
    if (!rh__ray_is_regular(inverse, ray.integrand, u)) {
        return RH_OK;
    }
    RH_TRY(leads_back(inverse, form, x, integral_from(inverse, form, x, base), out_is_found));
    return *out_is_found ? rh__ray_push(inverse, out, ray) : RH_OK;
}

rh_status rh__inverse_ray(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                          rh_function *out, bool *out_is_found)
{
    out->closed = zero(inverse);
    *out_is_found = false;
    if (rh__inverse_switches(inverse,
                             rh__expr_mask(inverse->store, x[0]) & ~(uint32_t)RH_EXPR_VARIABLE)) {
        return RH_OK; // Gauss's rule is none across a jump
    }
    RH_TRY(try_base(inverse, form, x, NULL, out, out_is_found));
    if (*out_is_found || !rh__inverse_goes_on(inverse)) {
        return RH_OK;
    }
    const rh_expr *first = make_base(inverse, 0);
    const rh_expr *second = make_base(inverse, 1);
    if (first == NULL || second == NULL) {
        return inverse->arena.status;
    }
    bool is_whole = false;
    RH_TRY(is_single(inverse, form, x, first, second, &is_whole));
    return is_whole ? try_base(inverse, form, x, first, out, out_is_found) : RH_OK;
}
