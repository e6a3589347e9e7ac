// SPDX-License-Identifier: Apache-2.0
// Common factors. In: expressions; out: the powers that stand in all of them, as far as the form
// shows it. Lists of powers are short and in canonical order, so two are intersected by merging.

#include "expr/store.h"

typedef struct power {
    rh_expr base;
    int64_t exponent; // positive
} power;

typedef RH_ARRAY(power) powers;

static bool moves(const rh_store *store, rh_expr e)
{
    return (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) != 0;
}

// The moving factors of a term to positive whole powers; in the order of the product.
static bool list_factors(const rh_store *store, rh_expr term, rh_arena *arena, powers *out)
{
    const bool is_product = rh__expr_op(store, term) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(store, term) : 1;
    bool ok = true;
    out->count = 0;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr part = is_product ? rh__expr_argument(store, term, k) : term;
        power factor = {rh__expr_base(store, part), 0};
        if (moves(store, part) &&
            rh__expr_as_integer(store, rh__expr_exponent(store, part), &factor.exponent) &&
            factor.exponent > 0) {
            ok = rh__array_push(arena, out, factor);
        }
    }
    return ok;
}

// Keep in `common` what is also in `other`. Factors of products are in canonical order of bases.
static void intersect(const rh_store *store, powers *common, const powers *other)
{
    uint32_t kept = 0;
    uint32_t j = 0;
    for (uint32_t k = 0; k < common->count; k++) {
        power factor = common->data[k];
        while (j < other->count && rh__expr_compare(store, other->data[j].base, factor.base) < 0) {
            j++;
        }
        if (j < other->count && rh__expr_same(other->data[j].base, factor.base)) {
            const int64_t exponent = other->data[j].exponent;
            factor.exponent = exponent < factor.exponent ? exponent : factor.exponent;
            common->data[kept++] = factor;
        }
    }
    common->count = kept;
}

// Intersect with all terms of one root. `*is_first` until something was listed.
static bool intersect_root(const rh_store *store, rh_expr root, rh_arena *arena, powers *common,
                           powers *spare, bool *is_first)
{
    const bool is_sum = rh__expr_op(store, root) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, root) / 2 : 1;
    bool ok = true;
    for (uint32_t k = 0; ok && k < count && (*is_first || common->count > 0); k++) {
        const rh_expr term = is_sum ? rh__expr_argument(store, root, 2 * k + 1) : root;
        ok = list_factors(store, term, arena, *is_first ? common : spare);
        if (ok && !*is_first) {
            intersect(store, common, spare);
        }
        *is_first = false;
    }
    return ok;
}

static rh_expr multiply_powers(rh_store *store, const powers *common, rh_arena *arena)
{
    rh_expr *factors = rh__arena_array(arena, rh_expr, common->count);
    if (factors == NULL) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    for (uint32_t k = 0; k < common->count; k++) {
        factors[k] = rh__expr_power(store, common->data[k].base,
                                    rh__expr_integer(store, common->data[k].exponent));
    }
    return rh__expr_product(store, factors, common->count);
}

rh_expr rh__expr_common_factor(rh_store *store, const rh_expr *roots, uint32_t count,
                               rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    powers common = {0};
    powers spare = {0};
    bool is_first = true;
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        if (rh__expr_is_none(roots[k])) {
            rh__arena_rewind(scratch, mark);
            return RH_EXPR_NONE;
        }
        ok = rh__expr_is_zero(store, roots[k]) ||
             intersect_root(store, roots[k], scratch, &common, &spare, &is_first);
    }
    const rh_expr result =
        ok ? multiply_powers(store, &common, scratch) : rh__store_refuse(store, RH_REFUSAL_MEMORY);
    rh__arena_rewind(scratch, mark);
    return result;
}

rh_expr rh__expr_divide_out(rh_store *store, rh_expr e, rh_expr factor)
{
    if (rh__expr_is_none(e) || rh__expr_is_none(factor)) {
        return RH_EXPR_NONE;
    }
    if (rh__expr_is_one(store, factor) || rh__expr_op(store, e) != RH_OP_ADD) {
        return rh__expr_divide(store, e, factor);
    }
    const uint32_t count = rh__expr_count(store, e) / 2;
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *terms = rh__arena_array(&store->scratch, rh_expr, count);
    rh_expr result = RH_EXPR_NONE;
    if (terms == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            const rh_expr quotient =
                rh__expr_divide(store, rh__expr_argument(store, e, 2 * k + 1), factor);
            terms[k] = rh__expr_multiply(store, rh__expr_argument(store, e, 2 * k), quotient);
        }
        result = rh__expr_sum(store, terms, count);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}
