// SPDX-License-Identifier: Apache-2.0
// The answer in words and numbers: functions as text that the language reads back, the point where
// conditions fail with every residual there, and what the street asks for.

#include "inverse/inverse.h"

#include <string.h>

enum {
    TEXT_LIMIT = 1 << 18, // longer functions are not written
    RESIDUAL_LIMIT = 300, // longer residuals have a number only
    EXPAND_TERMS = 400,   //
    FAILURE_LIMIT = 1000, // residuals that are listed
    WIDER_THAN_FOLDED = 3 // an expanded form may cost so many times a folded one
};

// --- text
// ------------------------------------------------------------------------------------------

// A sum of products where that is not much longer, else the folded form.
static rh_expr pleasant(rh_inverse *inverse, rh_expr e)
{
    rh_store *store = inverse->store;
    const rh_expr folded = rh__inverse_fold(inverse, e);
    const rh_expr wide = rh__expr_expand(store, folded, EXPAND_TERMS, &inverse->scratch);
    rh_cost short_cost = {0};
    rh_cost wide_cost = {0};
    if (wide.i == 0 || !rh__expr_cost(store, &folded, 1, &inverse->scratch, &short_cost) ||
        !rh__expr_cost(store, &wide, 1, &inverse->scratch, &wide_cost)) {
        return folded;
    }
    return rh__cost_total(wide_cost) <= WIDER_THAN_FOLDED * rh__cost_total(short_cost) + 20
               ? wide
               : folded;
}

// Put a text with names %k of parts in brackets where they stand.
static void put_inlined(rh_text *out, rh_slice text, const rh_slice *parts, uint32_t count)
{
    for (size_t k = 0; k < text.size && out->ok && out->size < TEXT_LIMIT; k++) {
        if (text.data[k] != '%') {
            rh__text_put_char(out, text.data[k]);
            continue;
        }
        uint32_t number = 0;
        while (k + 1 < text.size && text.data[k + 1] >= '0' && text.data[k + 1] <= '9') {
            number = 10 * number + (uint32_t)(text.data[++k] - '0');
        }
        if (number >= 1 && number <= count) {
            rh__text_put_char(out, '(');
            rh__text_put_slice(out, parts[number - 1]);
            rh__text_put_char(out, ')');
        }
    }
}

// The whole text of an expression; false when it is too long.
static bool put_expr(rh_inverse *inverse, rh_text *out, rh_expr e, size_t limit)
{
    rh_arena *scratch = &inverse->scratch;
    rh_show *show = rh__show_create(inverse->store, scratch, RH_NOTATION_TEXT, &e, 1);
    const uint32_t count = show != NULL ? rh__show_part_count(show) : 0;
    rh_slice *parts = rh__arena_array(scratch, rh_slice, count + 1);
    if (show == NULL || parts == NULL) {
        return false;
    }
    for (uint32_t k = 0; k <= count; k++) {
        rh_text raw = rh__text_begin(scratch, NULL);
        rh_text made = rh__text_begin(scratch, NULL);
        if (k < count) {
            rh__show_part(show, k, &raw); // `%k = body`
        } else {
            rh__show_expr(show, e, &raw);
        }
        rh_slice body = rh__text_slice(&raw);
        for (size_t skip = 0; k < count && skip + 2 < body.size; skip++) {
            if (memcmp(body.data + skip, " = ", 3) == 0) {
                body = (rh_slice){body.data + skip + 3, body.size - skip - 3};
                break;
            }
        }
        put_inlined(k < count ? &made : out, body, parts, k < count ? k : count);
        parts[k] = rh__text_slice(&made);
        if (!raw.ok || !made.ok || made.size >= limit || out->size >= limit) {
            return false;
        }
    }
    return out->ok;
}

static bool put_ray(rh_inverse *inverse, rh_text *out, const rh_ray *ray)
{
    const rh_expr by[] = {ray->by, ray->inner};
    const uint32_t depth = ray->inner.i != 0 ? 2 : 1;
    for (uint32_t k = 0; k < depth; k++) {
        rh__text_put(out, "integral(");
        if (!put_expr(inverse, out, by[k], TEXT_LIMIT)) {
            return false;
        }
        rh__text_put(out, ", 0, 1, ");
    }
    const bool ok = put_expr(inverse, out, ray->integrand, TEXT_LIMIT);
    rh__text_put(out, depth == 2 ? "))" : ")");
    return ok;
}

// Several functions with signs, as one text; NULL when it is too long.
static const char *write_sum(rh_inverse *inverse, const rh_function *const *functions,
                             const int *signs, uint32_t count)
{
    rh_store *store = inverse->store;
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_text out = rh__text_begin(&inverse->arena, NULL);
    rh_expr closed = rh__expr_integer(store, 0);
    uint32_t rays = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr part = functions[k]->closed;
        closed = signs[k] > 0 ? rh__expr_add(store, closed, part)
                              : rh__expr_subtract(store, closed, part);
        rays += functions[k]->rays.count;
    }
    closed = pleasant(inverse, closed);
    bool ok = closed.i != 0;
    const bool has_closed = ok && (rays == 0 || !rh__expr_is_zero(store, closed));
    ok = ok && (!has_closed || put_expr(inverse, &out, closed, TEXT_LIMIT));
    bool is_first = !has_closed;
    for (uint32_t k = 0; ok && k < count; k++) {
        for (uint32_t i = 0; ok && i < functions[k]->rays.count; i++) {
            rh__text_put(&out, signs[k] < 0 ? (is_first ? "-" : " - ") : is_first ? "" : " + ");
            ok = put_ray(inverse, &out, &functions[k]->rays.data[i]);
            is_first = false;
        }
    }
    rh__text_put_char(&out, '\0');
    rh__arena_rewind(&inverse->scratch, mark);
    return ok && out.ok ? out.data : NULL;
}

static const char *write_one(rh_inverse *inverse, const rh_function *function)
{
    const int sign = 1;
    return write_sum(inverse, &function, &sign, 1);
}

static rh_status write_functions(rh_inverse *inverse)
{
    if (!inverse->has_functions) {
        return RH_OK;
    }
    if (inverse->kind == RH_INVERSE_HAMILTON) {
        inverse->hamiltonian_text = write_one(inverse, &inverse->hamiltonian);
    } else {
        const rh_function circulatory = {.closed = inverse->circulatory};
        const rh_function *const lagrangian[] = {&inverse->kinetic, &inverse->gyroscopic,
                                                 &inverse->potential};
        const rh_function *const rest[] = {&inverse->dissipation, &circulatory};
        inverse->lagrangian_text = write_sum(inverse, lagrangian, (const int[]){1, 1, -1}, 3);
        inverse->dissipation_text = write_one(inverse, &inverse->dissipation);
        inverse->kinetic_text = write_one(inverse, &inverse->kinetic);
        inverse->gyroscopic_text = write_one(inverse, &inverse->gyroscopic);
        inverse->potential_text = write_one(inverse, &inverse->potential);
        inverse->circulatory_text = write_one(inverse, &circulatory);
        inverse->dissipative_text = write_sum(inverse, rest, (const int[]){1, -1}, 2);
    }
    const bool is_written =
        inverse->kind == RH_INVERSE_HAMILTON
            ? inverse->hamiltonian_text != NULL
            : inverse->lagrangian_text != NULL && inverse->dissipation_text != NULL;
    if (!is_written && rh__inverse_refused(inverse) == RH_OK) {
        inverse->reason = "the functions are too long to be written";
    }
    return rh__inverse_refused(inverse);
}

// --- the witness
// -------------------------------------------------------------------------------------

static bool is_refuted(const rh_residual *residual)
{
    return residual->claim.identity == RH_IDENTITY_REFUTED;
}

// How many conditions have a residual that is not zero at a point.
static rh_status count_covered(rh_inverse *inverse, const rh_trial *trial, uint32_t point,
                               uint32_t *out)
{
    bool is_covered[RH_INVERSE_QUADRATIC + 1] = {false};
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_balls *ball = rh__balls_create(&inverse->scratch, 1);
    bool ok = ball != NULL;
    *out = 0;
    for (uint32_t k = 0; ok && k < trial->residuals.count; k++) {
        const rh_residual *it = &trial->residuals.data[k];
        if (!is_refuted(it) || is_covered[it->condition]) {
            continue;
        }
        ok = rh__prover_balls(inverse->store, &inverse->prover, &it->e, 1, point, &inverse->scratch,
                              ball);
        if (ok && rh__balls_is_nonzero(ball, 0)) {
            is_covered[it->condition] = true;
            ++*out;
        }
    }
    rh__balls_destroy(ball);
    rh__arena_rewind(&inverse->scratch, mark);
    return ok ? RH_OK : RH_E_MEMORY;
}

// The first point that shows as many failing conditions as any.
static rh_status choose_witness(rh_inverse *inverse, const rh_trial *trial)
{
    bool is_tried[RH_PROVER_TRIALS + RH_PROVER_PROBES + 1] = {false};
    uint32_t most = 0;
    for (uint32_t k = 0; k < trial->residuals.count; k++) {
        const rh_residual *it = &trial->residuals.data[k];
        if (!is_refuted(it) || is_tried[it->claim.point]) {
            continue;
        }
        uint32_t covered = 0;
        is_tried[it->claim.point] = true;
        RH_TRY(count_covered(inverse, trial, it->claim.point, &covered));
        if (covered > most || (covered == most && it->claim.point < inverse->witness)) {
            most = covered;
            inverse->witness = it->claim.point;
        }
    }
    return RH_OK;
}

static rh_status push_place(rh_inverse *inverse, rh_expr symbol)
{
    for (uint32_t k = 0; k < inverse->place.count; k++) {
        if (inverse->place.data[k].symbol.i == symbol.i) {
            return RH_OK;
        }
    }
    const rh_home at = {
        symbol, rh__prover_coordinate(&inverse->prover, inverse->store, inverse->witness, symbol),
        rh__inverse_name(inverse, symbol)};
    return rh__array_push(&inverse->arena, &inverse->place, at) ? RH_OK : inverse->arena.status;
}

// Coordinates and velocities, then whatever else the residuals hold.
static rh_status list_place(rh_inverse *inverse, const rh_trial *trial)
{
    const rh_expr *const groups[] = {inverse->q, inverse->v};
    for (uint32_t g = 0; g < 2; g++) {
        for (uint32_t k = 0; groups[g] != NULL && k < inverse->n; k++) {
            RH_TRY(push_place(inverse, groups[g][k]));
        }
    }
    for (uint32_t k = 0; k < inverse->others.count; k++) {
        RH_TRY(push_place(inverse, inverse->others.data[k]));
    }
    for (uint32_t k = 0; k < trial->residuals.count; k++) {
        rh_expr_list symbols;
        if (!is_refuted(&trial->residuals.data[k])) {
            continue;
        }
        if (!rh__expr_symbols(inverse->store, trial->residuals.data[k].e, RH_EXPR_VARIABLE,
                              &inverse->scratch, &symbols)) {
            return RH_E_MEMORY;
        }
        for (uint32_t i = 0; i < symbols.count; i++) {
            RH_TRY(push_place(inverse, symbols.data[i]));
        }
    }
    return RH_OK;
}

const char *rh__inverse_text(rh_inverse *inverse, rh_expr e, size_t limit)
{
    rh_text out = rh__text_begin(&inverse->arena, NULL);
    const rh_expr nice = pleasant(inverse, e);
    const bool ok = nice.i != 0 && put_expr(inverse, &out, nice, limit);
    rh__text_put_char(&out, '\0');
    return ok && out.ok && out.size <= limit ? out.data : "";
}

static rh_status list_failure(rh_inverse *inverse, const rh_residual *it, rh_interval value)
{
    rh_inverse_failure failure = {.struct_size = (uint32_t)sizeof failure,
                                  .condition = it->condition,
                                  .low = value.lo,
                                  .high = value.hi,
                                  .text = rh__inverse_text(inverse, it->e, RESIDUAL_LIMIT)};
    for (uint32_t i = 0; i < 3; i++) {
        failure.index[i] = it->index[i] == RH_INVERSE_NO_INDEX ? 0 : it->index[i] + 1;
    }
    return rh__array_push(&inverse->arena, &inverse->failures, failure) ? RH_OK
                                                                        : inverse->arena.status;
}

// Every refuted residual at the witness; of a condition that is only refuted elsewhere, one there.
static rh_status list_failures(rh_inverse *inverse, const rh_trial *trial)
{
    rh_balls *ball = rh__balls_create(&inverse->scratch, 1);
    rh_status status = ball != NULL ? RH_OK : RH_E_MEMORY;
    for (uint32_t number = 0; number <= RH_INVERSE_QUADRATIC; number++) {
        for (uint32_t k = 0; status == RH_OK && k < trial->residuals.count; k++) {
            const rh_residual *it = &trial->residuals.data[k];
            const bool is_hidden = inverse->kind == RH_INVERSE_LAGRANGE && it->condition == 0;
            if (it->condition != number || !is_refuted(it) || is_hidden ||
                inverse->failures.count >= FAILURE_LIMIT) {
                continue;
            }
            if (!rh__prover_balls(inverse->store, &inverse->prover, &it->e, 1, inverse->witness,
                                  &inverse->scratch, ball)) {
                status = RH_E_MEMORY;
            } else if (rh__balls_is_nonzero(ball, 0)) {
                status = list_failure(inverse, it, rh__balls_interval(ball, 0));
            }
        }
    }
    rh__balls_destroy(ball);
    return status;
}

// --- s and r
// -----------------------------------------------------------------------------------------

// The witness; without one the start, where it gives every coordinate and velocity.
static uint32_t matrix_point(const rh_inverse *inverse)
{
    bool is_given = true;
    for (uint32_t k = 0; k < inverse->n; k++) {
        bool has_q = false;
        bool has_v = false;
        for (uint32_t h = 0; h < inverse->home.count; h++) {
            has_q = has_q || inverse->home.data[h].symbol.i == inverse->q[k].i;
            has_v = has_v || inverse->home.data[h].symbol.i == inverse->v[k].i;
        }
        is_given = is_given && has_q && has_v;
    }
    return inverse->witness != UINT32_MAX ? inverse->witness : is_given ? 0 : 1;
}

static rh_status list_matrix_place(rh_inverse *inverse, const rh_expr *e, uint32_t count,
                                   uint32_t point)
{
    for (uint32_t k = 0; k < 2 * inverse->n + count; k++) {
        rh_expr_list symbols = {.count = 1};
        rh_expr own = k < inverse->n       ? inverse->q[k]
                      : k < 2 * inverse->n ? inverse->v[k - inverse->n]
                                           : RH_EXPR_NONE;
        symbols.data = &own;
        if (k >= 2 * inverse->n &&
            !rh__expr_symbols(inverse->store, e[k - 2 * inverse->n], RH_EXPR_VARIABLE,
                              &inverse->scratch, &symbols)) {
            return RH_E_MEMORY;
        }
        for (uint32_t i = 0; i < symbols.count; i++) {
            bool is_known = false;
            for (uint32_t h = 0; h < inverse->matrix_place.count; h++) {
                is_known = is_known || inverse->matrix_place.data[h].symbol.i == symbols.data[i].i;
            }
            const rh_home at = {
                symbols.data[i],
                rh__prover_coordinate(&inverse->prover, inverse->store, point, symbols.data[i]),
                rh__inverse_name(inverse, symbols.data[i])};
            if (!is_known && !rh__array_push(&inverse->arena, &inverse->matrix_place, at)) {
                return inverse->arena.status;
            }
        }
    }
    return RH_OK;
}

static rh_status list_matrices(rh_inverse *inverse)
{
    enum { MOST = 16 }; // coordinates: larger matrices are nothing to read
    rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const uint32_t n = inverse->n;
    rh_matrices of;
    if (inverse->kind != RH_INVERSE_LAGRANGE || !trial->is_linear || trial->is_cut || n > MOST ||
        inverse->implicit != NULL || !rh__inverse_goes_on(inverse)) {
        return RH_OK;
    }
    RH_TRY(rh__inverse_matrices(inverse, trial, &of));
    rh_expr *both = rh__arena_array(&inverse->arena, rh_expr, 2 * (size_t)n * n);
    double *values = rh__arena_array(&inverse->arena, double, 2 * (size_t)n * n);
    rh_balls *balls = rh__balls_create(&inverse->scratch, 2 * n * n);
    const uint32_t point = matrix_point(inverse);
    bool ok = both != NULL && values != NULL && balls != NULL;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        both[k] = of.s[k];
        both[n * n + k] = of.r[k];
    }
    ok = ok && rh__prover_balls(inverse->store, &inverse->prover, both, 2 * n * n, point,
                                &inverse->scratch, balls);
    for (uint32_t k = 0; ok && k < 2 * n * n; k++) {
        values[k] = rh__balls_middle(balls, k);
    }
    rh__balls_destroy(balls);
    if (!ok) {
        return RH_E_MEMORY;
    }
    inverse->s_values = values;
    inverse->r_values = values + (size_t)n * n;
    return list_matrix_place(inverse, both, 2 * n * n, point);
}

rh_status rh__inverse_tell(rh_inverse *inverse)
{
    const rh_trial *trial = &inverse->trials.data[inverse->chosen];
    if (inverse->kind == RH_INVERSE_LAGRANGE && trial->whole.verdict == RH_INVERSE_FAILS) {
        inverse->note = rh__text_print(
            &inverse->arena,
            "%s%sa general integrating matrix is not searched: other multiples of the equations "
            "may pass",
            inverse->note != NULL ? inverse->note : "", inverse->note != NULL ? "; " : "");
    }
    RH_TRY(write_functions(inverse));
    RH_TRY(choose_witness(inverse, trial));
    if (inverse->witness != UINT32_MAX) {
        RH_TRY(list_place(inverse, trial));
        RH_TRY(list_failures(inverse, trial));
    }
    RH_TRY(list_matrices(inverse));
    return rh__inverse_refused(inverse);
}
