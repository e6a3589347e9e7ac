// SPDX-License-Identifier: Apache-2.0
// Numbers as nodes: literals, sums and products of them, and what they are.

#include "expr/store.h"

rh_expr rh__number_result(rh_store *store, bool ok, rh_rational value)
{
    if (!ok) {
        return rh__store_refuse(store, store->arena->status == RH_OK ? RH_REFUSAL_NUMBER
                                                                     : RH_REFUSAL_MEMORY);
    }
    return rh__store_number(store, value);
}

rh_expr rh__number_add(rh_store *store, rh_expr a, rh_expr b)
{
    if (rh__expr_is_none(a) || rh__expr_is_none(b)) {
        return RH_EXPR_NONE;
    }
    rh_rational value = {0};
    const bool ok = rh__rational_add(store->arena, rh__store_value(store, a),
                                     rh__store_value(store, b), RH_EXPR_NUMBER_BITS, &value);
    return rh__number_result(store, ok, value);
}

rh_expr rh__number_multiply(rh_store *store, rh_expr a, rh_expr b)
{
    if (rh__expr_is_none(a) || rh__expr_is_none(b)) {
        return RH_EXPR_NONE;
    }
    if (rh__expr_same(a, store->one) || rh__expr_same(b, store->one)) {
        return rh__expr_same(a, store->one) ? b : a;
    }
    rh_rational value = {0};
    const bool ok = rh__rational_multiply(store->arena, rh__store_value(store, a),
                                          rh__store_value(store, b), RH_EXPR_NUMBER_BITS, &value);
    return rh__number_result(store, ok, value);
}

rh_expr rh__expr_integer(rh_store *store, int64_t value)
{
    if (value == INT64_MIN) {
        return rh__store_refuse(store, RH_REFUSAL_NUMBER);
    }
    return rh__store_number(store, (rh_rational){value, 1, NULL});
}

rh_expr rh__expr_ratio(rh_store *store, int64_t numerator, int64_t denominator)
{
    return rh__store_number(store, rh__rational_make(numerator, denominator));
}

rh_expr rh__expr_literal(rh_store *store, rh_slice text)
{
    rh_rational value = {0};
    const bool ok = rh__rational_literal(store->arena, text, RH_EXPR_NUMBER_BITS, &value);
    return rh__number_result(store, ok, value);
}

rh_expr rh__expr_pi(rh_store *store)
{
    return rh__store_intern(store, RH_OP_PI, NULL, 0);
}

bool rh__expr_is_number(const rh_store *store, rh_expr e)
{
    return !rh__expr_is_none(e) && rh__expr_op(store, e) == RH_OP_NUMBER;
}

bool rh__expr_is_zero(const rh_store *store, rh_expr e)
{
    return rh__expr_same(e, store->zero);
}

bool rh__expr_is_one(const rh_store *store, rh_expr e)
{
    return rh__expr_same(e, store->one);
}

bool rh__expr_as_integer(const rh_store *store, rh_expr e, int64_t *out)
{
    if (!rh__expr_is_number(store, e)) {
        return false;
    }
    const rh_rational value = rh__store_value(store, e);
    if (value.big != NULL || value.denominator != 1) {
        return false;
    }
    *out = value.numerator;
    return true;
}

int rh__expr_number_sign(const rh_store *store, rh_expr e)
{
    return rh__rational_sign(rh__store_value(store, e));
}

double rh__expr_number_value(const rh_store *store, rh_expr e)
{
    return rh__rational_value(rh__store_value(store, e));
}

void rh__expr_number_text(const rh_store *store, rh_expr e, rh_text *out)
{
    const rh_rational value = rh__store_value(store, e);
    if (rh__rational_sign(value) < 0) {
        rh__text_put_char(out, '-');
    }
    rh__rational_digits(value, RH_PART_NUMERATOR, out);
    if (!rh__rational_is_integer(value)) {
        rh__text_put_char(out, '/');
        rh__rational_digits(value, RH_PART_DENOMINATOR, out);
    }
}

int rh__number_compare(const rh_store *store, rh_expr a, rh_expr b)
{
    return rh__rational_compare(rh__store_value(store, a), rh__store_value(store, b));
}
