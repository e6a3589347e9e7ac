// SPDX-License-Identifier: Apache-2.0
// The modified Helmholtz conditions. For f = M a + N four of them decide:
//     (i)   M symmetric                                            <=> (4.1)
//     (ii)  dM_ij/dv_k symmetric in all indices                    <=> s free of a in (4.2)
//     (iii) d_k M_ij - d_i M_kj = 1/2 dbeta_ik/dv_j                <=> r free of a in (4.3) <=>
//     (4.5) (iv)  d_k beta_ij + d_i beta_jk + d_j beta_ki = 0            <=> (4.6) once (iii) holds
// What follows from proved ones is proved; where one fails, (4.5) to (4.7) are looked at as they
// are printed, with s and r at a = 0. What is not linear in a is looked at as printed throughout.

#include "inverse/inverse.h"

#define NONE RH_INVERSE_NO_INDEX

static const rh_inverse_condition NOT_ASKED = {(uint32_t)sizeof(rh_inverse_condition),
                                               RH_INVERSE_UNKNOWN, false, 0};

// --- residuals -------------------------------------------------------------------------------

static rh_status push(rh_inverse *inverse, rh_trial *trial, rh_residual residual)
{
    RH_ASSERT(residual.condition > 0 || residual.equivalent > 0);
    if (trial->is_cut) {
        return RH_OK;
    }
    if (rh__expr_is_zero(inverse->store, residual.e)) {
        return RH_OK;
    }
    residual.claim = (rh_claim){.identity = RH_IDENTITY_UNKNOWN};
    if (residual.e.i == 0 || !rh__array_push(&inverse->arena, &trial->residuals, residual)) {
        const rh_status status = rh__inverse_refused(inverse);
        return status != RH_OK ? status : RH_E_MEMORY;
    }
    return RH_OK;
}

static rh_expr half(rh_inverse *inverse, rh_expr e)
{
    return rh__expr_multiply(inverse->store, rh__expr_ratio(inverse->store, 1, 2), e);
}

static rh_expr plus(rh_inverse *inverse, rh_expr a, rh_expr b)
{
    return rh__expr_add(inverse->store, a, b);
}

static rh_expr minus(rh_inverse *inverse, rh_expr a, rh_expr b)
{
    return rh__expr_subtract(inverse->store, a, b);
}

static rh_expr d(rh_inverse *inverse, rh_expr e, rh_expr symbol)
{
    return rh__inverse_partial(inverse, e, symbol);
}

// Is there time for another row? From the first refusal on nothing is asked any more.
static bool has_time(const rh_inverse *inverse, rh_trial *trial)
{
    trial->is_cut = trial->is_cut || !rh__inverse_goes_on(inverse);
    return !trial->is_cut;
}

// Judge the residuals from `first` on.
static rh_status judge(rh_inverse *inverse, rh_trial *trial, uint32_t first)
{
    RH_ASSERT(first <= trial->residuals.count);
    const uint32_t count = trial->residuals.count - first;
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_expr *e = rh__arena_array(&inverse->scratch, rh_expr, count + 1);
    rh_claim *claims = rh__arena_array(&inverse->scratch, rh_claim, count + 1);
    bool ok = e != NULL && claims != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        e[k] = trial->residuals.data[first + k].e;
    }
    ok = ok && (count == 0 || rh__prover_judge(inverse->store, &inverse->prover, e, count,
                                               &inverse->scratch, claims));
    for (uint32_t k = 0; ok && k < count; k++) {
        trial->residuals.data[first + k].claim = claims[k];
    }
    rh__arena_rewind(&inverse->scratch, mark);
    const rh_status status = rh__inverse_refused(inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

// What the residuals of a condition (or, with `equivalent`, of one of the four) say together.
static rh_inverse_condition gather(const rh_trial *trial, uint32_t number, bool equivalent)
{
    rh_inverse_condition out = {.struct_size = (uint32_t)sizeof out,
                                .verdict = trial->is_cut ? RH_INVERSE_UNKNOWN : RH_INVERSE_HOLDS,
                                .is_proved = !trial->is_cut,
                                .point_count = 0};
    RH_ASSERT(number > 0 && (!equivalent || number <= RH_INVERSE_EQUIVALENTS));
    for (uint32_t k = 0; k < trial->residuals.count; k++) {
        const rh_residual *it = &trial->residuals.data[k];
        if ((equivalent ? it->equivalent : it->condition) != number) {
            continue;
        }
        if (it->claim.identity == RH_IDENTITY_REFUTED) {
            return (rh_inverse_condition){(uint32_t)sizeof out, RH_INVERSE_FAILS, true,
                                          it->claim.points};
        }
        if (it->claim.identity == RH_IDENTITY_UNKNOWN) {
            out.verdict = RH_INVERSE_UNKNOWN;
        }
        if (it->claim.identity != RH_IDENTITY_PROVED) {
            out.is_proved = false;
            out.point_count = out.point_count == 0 || it->claim.points < out.point_count
                                  ? it->claim.points
                                  : out.point_count;
        }
    }
    return out;
}

// --- (4.4): linear in the accelerations --------------------------------------------------------

static rh_status ask_linear(rh_inverse *inverse, rh_trial *trial)
{
    for (uint32_t i = 0; i < inverse->n && has_time(inverse, trial); i++) {
        for (uint32_t j = 0; j < inverse->n; j++) {
            const rh_expr first = d(inverse, trial->f[i], inverse->a[j]);
            for (uint32_t k = j; k < inverse->n; k++) {
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 4,
                                          .index = {i, j, k},
                                          .e = d(inverse, first, inverse->a[k])}));
            }
        }
    }
    RH_TRY(judge(inverse, trial, 0));
    trial->conditions[3] = gather(trial, 4, false);
    trial->is_linear = trial->conditions[3].verdict == RH_INVERSE_HOLDS;
    return RH_OK;
}

// M, N and beta; 0 where there was no time.
static rh_status take_apart(rh_inverse *inverse, rh_trial *trial)
{
    RH_ASSERT(trial->is_linear);
    const uint32_t n = inverse->n;
    trial->inertia = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    trial->beta = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    trial->rest = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    if (trial->inertia == NULL || trial->beta == NULL || trial->rest == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t k = 0; k < n * n; k++) {
        trial->inertia[k] = trial->beta[k] = trial->rest[k / n] =
            rh__expr_integer(inverse->store, 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n && has_time(inverse, trial); j++) {
            const rh_expr entry = d(inverse, trial->f[i], inverse->a[j]);
            trial->inertia[i * n + j] =
                rh__inverse_fold(inverse, rh__inverse_without(inverse, entry, inverse->a, n));
        }
        trial->rest[i] =
            rh__inverse_fold(inverse, rh__inverse_without(inverse, trial->f[i], inverse->a, n));
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n && has_time(inverse, trial); k++) {
            trial->beta[i * n + k] =
                rh__inverse_fold(inverse, minus(inverse, d(inverse, trial->rest[i], inverse->v[k]),
                                                d(inverse, trial->rest[k], inverse->v[i])));
        }
    }
    return rh__inverse_refused(inverse);
}

// --- the four ----------------------------------------------------------------------------------

// (i), and (ii) in the two ways in which it enters (4.2) and (4.3).
static rh_status ask_inertia(rh_inverse *inverse, rh_trial *trial)
{
    RH_ASSERT(trial->is_linear && trial->inertia != NULL);
    const uint32_t n = inverse->n;
    const rh_expr *m = trial->inertia;
    for (uint32_t i = 0; i < n && has_time(inverse, trial); i++) {
        for (uint32_t k = i; k < n; k++) {
            if (k > i) {
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 1,
                                          .equivalent = 1,
                                          .index = {i, k, NONE},
                                          .e = minus(inverse, m[i * n + k], m[k * n + i])}));
            }
            for (uint32_t j = 0; j < n; j++) {
                const rh_expr ij = d(inverse, m[i * n + j], inverse->v[k]);
                const rh_expr kj = d(inverse, m[k * n + j], inverse->v[i]);
                const rh_expr mean = half(inverse, plus(inverse, ij, kj));
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 2,
                                          .equivalent = 2,
                                          .index = {i, k, j},
                                          .e = minus(inverse, mean,
                                                     d(inverse, m[i * n + k], inverse->v[j]))}));
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 3,
                                          .equivalent = 2,
                                          .index = {i, k, j},
                                          .e = half(inverse, minus(inverse, kj, ij))}));
            }
        }
    }
    return RH_OK;
}

static rh_status ask_rest(rh_inverse *inverse, rh_trial *trial)
{
    RH_ASSERT(trial->inertia != NULL && trial->beta != NULL);
    const uint32_t n = inverse->n;
    const rh_expr *m = trial->inertia;
    const rh_expr *beta = trial->beta;
    for (uint32_t i = 0; i < n && has_time(inverse, trial); i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            for (uint32_t j = 0; j < n; j++) {
                const rh_expr left = minus(inverse, d(inverse, m[i * n + j], inverse->q[k]),
                                           d(inverse, m[k * n + j], inverse->q[i]));
                const rh_expr right = half(inverse, d(inverse, beta[i * n + k], inverse->v[j]));
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 3,
                                          .equivalent = 3,
                                          .index = {i, k, j},
                                          .e = minus(inverse, left, right)}));
            }
            for (uint32_t j = k + 1; j < n; j++) { // i < k < j
                const rh_expr sum = plus(inverse,
                                         plus(inverse, d(inverse, beta[i * n + k], inverse->q[j]),
                                              d(inverse, beta[k * n + j], inverse->q[i])),
                                         d(inverse, beta[j * n + i], inverse->q[k]));
                RH_TRY(push(inverse, trial,
                            (rh_residual){.equivalent = 4, .index = {i, k, j}, .e = sum}));
            }
        }
    }
    return RH_OK;
}

// (4.12) for unit inertia and velocities in products of two at most: b^i_jl, the coefficients of
// v_j v_l, symmetric in all indices. That is (iii) with M = 1, in other words.
static rh_status ask_quadratic(rh_inverse *inverse, rh_trial *trial, bool *out_is_asked)
{
    RH_ASSERT(trial->is_linear);
    const uint32_t n = inverse->n;
    *out_is_asked = true;
    for (uint32_t k = 0; k < n * n && *out_is_asked; k++) {
        *out_is_asked = k % (n + 1) == 0 ? rh__expr_is_one(inverse->store, trial->inertia[k])
                                         : rh__expr_is_zero(inverse->store, trial->inertia[k]);
    }
    const uint32_t first = trial->residuals.count;
    for (uint32_t i = 0; i < n && *out_is_asked && has_time(inverse, trial); i++) {
        for (uint32_t j = 0; j < n && *out_is_asked; j++) {
            const rh_expr ij = d(inverse, trial->rest[i], inverse->v[j]);
            const rh_expr ji = d(inverse, trial->rest[j], inverse->v[i]);
            for (uint32_t l = 0; l < n && *out_is_asked; l++) {
                const rh_expr b = rh__inverse_fold(inverse, d(inverse, ij, inverse->v[l]));
                *out_is_asked = (rh__expr_mask(inverse->store, b) & RH_ROLE_VELOCITY) == 0;
                const rh_expr e = minus(inverse, b, d(inverse, ji, inverse->v[l]));
                if (j > i) {
                    RH_TRY(push(inverse, trial,
                                (rh_residual){.condition = RH_INVERSE_QUADRATIC,
                                              .index = {i, j, l},
                                              .e = half(inverse, e)}));
                }
            }
        }
    }
    trial->residuals.count = *out_is_asked ? trial->residuals.count : first;
    return rh__inverse_refused(inverse);
}

// --- as printed --------------------------------------------------------------------------------

rh_status rh__inverse_matrices(rh_inverse *inverse, rh_trial *trial, rh_matrices *out)
{
    const uint32_t n = inverse->n;
    out->s = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    out->r = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    if (out->s == NULL || out->r == NULL) {
        return inverse->arena.status;
    }
    // linear: at a = 0, where d/dt is D0
    const rh_expr *f = trial->is_linear ? trial->rest : trial->f;
    rh_derivation *rate = trial->is_linear ? inverse->drift : inverse->total;
    RH_ASSERT(f != NULL && rate != NULL);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            out->s[i * n + k] = out->r[i * n + k] = rh__expr_integer(inverse->store, 0);
            if (!has_time(inverse, trial)) {
                continue;
            }
            const rh_expr inertia =
                trial->is_linear ? trial->inertia[i * n + k] : d(inverse, f[i], inverse->a[k]);
            const rh_expr ik = d(inverse, f[i], inverse->v[k]);
            const rh_expr ki = d(inverse, f[k], inverse->v[i]);
            out->s[i * n + k] = minus(inverse, half(inverse, plus(inverse, ik, ki)),
                                      rh__derivation_apply(rate, inertia));
            const rh_expr curl =
                minus(inverse, d(inverse, f[i], inverse->q[k]), d(inverse, f[k], inverse->q[i]));
            out->r[i * n + k] = minus(
                inverse, curl, half(inverse, rh__derivation_apply(rate, minus(inverse, ik, ki))));
            out->s[i * n + k] = rh__inverse_fold(inverse, out->s[i * n + k]);
            out->r[i * n + k] = rh__inverse_fold(inverse, out->r[i * n + k]);
        }
    }
    return rh__inverse_refused(inverse);
}

// (4.1), and that s and r hold neither accelerations nor their rates.
static rh_status ask_literal(rh_inverse *inverse, rh_trial *trial, const rh_matrices *with)
{
    RH_ASSERT(!trial->is_linear);
    const uint32_t n = inverse->n;
    for (uint32_t i = 0; i < n && has_time(inverse, trial); i++) {
        for (uint32_t k = i; k < n; k++) {
            const rh_expr e = minus(inverse, d(inverse, trial->f[i], inverse->a[k]),
                                    d(inverse, trial->f[k], inverse->a[i]));
            RH_TRY(
                push(inverse, trial, (rh_residual){.condition = 1, .index = {i, k, NONE}, .e = e}));
            for (uint32_t j = 0; j < 2 * n; j++) {
                const rh_expr by = j < n ? inverse->a[j] : inverse->j[j - n];
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 2,
                                          .index = {i, k, j % n},
                                          .e = d(inverse, with->s[i * n + k], by)}));
                RH_TRY(push(inverse, trial,
                            (rh_residual){.condition = 3,
                                          .index = {i, k, j % n},
                                          .e = d(inverse, with->r[i * n + k], by)}));
            }
        }
    }
    return RH_OK;
}

// (4.5), (4.6), (4.7); those that are known already (bits of `skip`) are left out.
static rh_status ask_printed(rh_inverse *inverse, rh_trial *trial, const rh_matrices *with,
                             unsigned skip)
{
    RH_ASSERT((skip & ~(1u << 5 | 1u << 6 | 1u << 7)) == 0);
    const uint32_t n = inverse->n;
    const rh_expr *s = with->s;
    const rh_expr *r = with->r;
    for (uint32_t i = 0; i < n && has_time(inverse, trial); i++) {
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t k = 0; k < n; k++) {
                if (k > j && (skip & 1u << 5) == 0) {
                    const rh_expr e = minus(inverse, d(inverse, s[i * n + j], inverse->v[k]),
                                            d(inverse, s[i * n + k], inverse->v[j]));
                    RH_TRY(push(inverse, trial,
                                (rh_residual){.condition = 5, .index = {i, j, k}, .e = e}));
                }
                if (j > i && (skip & 1u << 6) == 0) {
                    const rh_expr right = minus(inverse, d(inverse, s[i * n + k], inverse->q[j]),
                                                d(inverse, s[j * n + k], inverse->q[i]));
                    const rh_expr e =
                        minus(inverse, d(inverse, r[i * n + j], inverse->v[k]), right);
                    RH_TRY(push(inverse, trial,
                                (rh_residual){.condition = 6, .index = {i, j, k}, .e = e}));
                }
                if (k > j && j > i && (skip & 1u << 7) == 0) {
                    const rh_expr e = plus(inverse,
                                           plus(inverse, d(inverse, r[i * n + j], inverse->q[k]),
                                                d(inverse, r[j * n + k], inverse->q[i])),
                                           d(inverse, r[k * n + i], inverse->q[j]));
                    RH_TRY(push(inverse, trial,
                                (rh_residual){.condition = 7, .index = {i, j, k}, .e = e}));
                }
            }
        }
    }
    return RH_OK;
}

static rh_status ask_nonlinear(rh_inverse *inverse, rh_trial *trial)
{
    RH_ASSERT(!trial->is_linear);
    rh_matrices with;
    const uint32_t first = trial->residuals.count;
    RH_TRY(rh__inverse_matrices(inverse, trial, &with));
    RH_TRY(ask_literal(inverse, trial, &with));
    RH_TRY(ask_printed(inverse, trial, &with, 0));
    RH_TRY(judge(inverse, trial, first));
    for (uint32_t k = 1; k <= 7; k++) {
        trial->conditions[k - 1] = gather(trial, k, false);
    }
    return RH_OK;
}

static bool is_proved(const rh_inverse_condition *of)
{
    return of->verdict == RH_INVERSE_HOLDS && of->is_proved;
}

static rh_status ask_four(rh_inverse *inverse, rh_trial *trial)
{
    RH_ASSERT(trial->is_linear);
    RH_TRY(take_apart(inverse, trial));
    const uint32_t first = trial->residuals.count;
    RH_TRY(ask_inertia(inverse, trial));
    RH_TRY(ask_rest(inverse, trial));
    bool is_quadratic = false;
    RH_TRY(ask_quadratic(inverse, trial, &is_quadratic));
    RH_TRY(judge(inverse, trial, first));
    trial->quadratic = is_quadratic ? gather(trial, RH_INVERSE_QUADRATIC, false) : NOT_ASKED;
    for (uint32_t k = 1; k <= RH_INVERSE_EQUIVALENTS; k++) {
        trial->equivalents[k - 1] = gather(trial, k, true);
    }
    for (uint32_t k = 1; k <= 3; k++) {
        trial->conditions[k - 1] = gather(trial, k, false);
    }
    // what the identities between residuals prove: (4.5) = -(iii) - D0 (ii), (4.6) = D0 (iii) -
    // (iv)/2, (4.7) = -D0 (iv)/2, with M symmetric
    const rh_inverse_condition *four = trial->equivalents;
    const bool is_symmetric = is_proved(&four[0]);
    const unsigned skip =
        (is_symmetric && is_proved(&four[1]) && is_proved(&four[2]) ? 1u << 5 : 0) |
        (is_symmetric && is_proved(&four[2]) && is_proved(&four[3]) ? 1u << 6 : 0) |
        (is_proved(&four[3]) ? 1u << 7 : 0);
    if (skip != (1u << 5 | 1u << 6 | 1u << 7)) {
        rh_matrices with;
        const uint32_t printed = trial->residuals.count;
        RH_TRY(rh__inverse_matrices(inverse, trial, &with));
        RH_TRY(ask_printed(inverse, trial, &with, skip));
        RH_TRY(judge(inverse, trial, printed));
    }
    for (uint32_t k = 5; k <= 7; k++) {
        trial->conditions[k - 1] = gather(trial, k, false);
    }
    return RH_OK;
}

// --- together ----------------------------------------------------------------------------------

void rh__inverse_conclude(rh_trial *trial)
{
    rh_inverse_condition *whole = &trial->whole;
    *whole = (rh_inverse_condition){(uint32_t)sizeof *whole, RH_INVERSE_HOLDS, true, 0};
    for (uint32_t k = 0; k < RH_INVERSE_CONDITIONS - 1; k++) {
        const rh_inverse_condition *it = &trial->conditions[k];
        if (it->verdict == RH_INVERSE_FAILS && whole->verdict != RH_INVERSE_FAILS) {
            *whole = *it;
        } else if (whole->verdict != RH_INVERSE_FAILS) {
            whole->verdict = it->verdict == RH_INVERSE_UNKNOWN ? it->verdict : whole->verdict;
            whole->is_proved = whole->is_proved && it->is_proved;
            whole->point_count = it->point_count > 0 && (whole->point_count == 0 ||
                                                         it->point_count < whole->point_count)
                                     ? it->point_count
                                     : whole->point_count;
        }
    }
    RH_ASSERT(whole->verdict != RH_INVERSE_FAILS || whole->is_proved); // a point refutes
    trial->is_for_all_values = true;
    for (uint32_t k = 0; k < trial->residuals.count; k++) {
        trial->is_for_all_values =
            trial->is_for_all_values && trial->residuals.data[k].claim.for_all_values;
    }
    // (4.8) asks for the function itself: it is answered when that is made
    trial->conditions[7] = NOT_ASKED;
}

rh_status rh__inverse_try(rh_inverse *inverse, rh_trial *trial)
{
    RH_TRY(ask_linear(inverse, trial));
    if (trial->is_linear) {
        RH_TRY(ask_four(inverse, trial));
    } else {
        for (uint32_t k = 0; k < RH_INVERSE_EQUIVALENTS; k++) {
            trial->equivalents[k] = NOT_ASKED;
        }
        trial->quadratic = NOT_ASKED;
        RH_TRY(ask_nonlinear(inverse, trial));
    }
    rh__inverse_conclude(trial);
    return RH_OK;
}

rh_status rh__inverse_try_inertia(rh_inverse *inverse, rh_trial *trial)
{
    RH_TRY(ask_linear(inverse, trial));
    RH_TRY(take_apart(inverse, trial));
    const uint32_t first = trial->residuals.count;
    RH_TRY(ask_inertia(inverse, trial));
    RH_TRY(judge(inverse, trial, first));
    for (uint32_t k = 1; k <= 2; k++) {
        trial->equivalents[k - 1] = gather(trial, k, true);
    }
    for (uint32_t k = 1; k <= 3; k++) {
        trial->conditions[k - 1] = gather(trial, k, false);
    }
    trial->quadratic = NOT_ASKED;
    return RH_OK;
}
