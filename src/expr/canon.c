// SPDX-License-Identifier: Apache-2.0
// Canonical sums, products and powers (see expr.h for the form). Work arrays lie in the store's
// scratch arena, marked and rewound around each builder.

#include "expr/store.h"

#include <string.h>

// --- pairs: (number, term) of a sum, (base, exponent) of a product ------------------------------

typedef struct pair {
    rh_expr number; // sums: the factor; products: the exponent
    rh_expr term;   // sums: the term; products: the base
} pair;

typedef struct pairs {
    pair *data;
    uint32_t count;
} pairs;

// In a sum what moves comes before what does not, and the constant is last.
static int compare_terms(const rh_store *store, rh_expr a, rh_expr b)
{
    if (rh__expr_same(a, b)) {
        return 0;
    }
    if (rh__expr_same(a, store->one) || rh__expr_same(b, store->one)) {
        return rh__expr_same(a, store->one) ? 1 : -1;
    }
    const bool moves_a = (rh__expr_mask(store, a) & RH_EXPR_VARIABLE) != 0;
    const bool moves_b = (rh__expr_mask(store, b) & RH_EXPR_VARIABLE) != 0;
    if (moves_a != moves_b) {
        return moves_a ? -1 : 1;
    }
    return rh__expr_compare(store, a, b);
}

typedef int compare_function(const rh_store *store, rh_expr a, rh_expr b);

// Stable merge sort from `list` through `spare`; short runs by insertion.
static void sort_pairs(const rh_store *store, pair *list, pair *spare, uint32_t count,
                       compare_function *compare)
{
    if (count <= 8) {
        for (uint32_t i = 1; i < count; i++) {
            const pair moving = list[i];
            uint32_t place = i;
            while (place > 0 && compare(store, list[place - 1].term, moving.term) > 0) {
                list[place] = list[place - 1];
                place--;
            }
            list[place] = moving;
        }
        return;
    }
    const uint32_t half = count / 2;
    sort_pairs(store, list, spare, half, compare);
    sort_pairs(store, list + half, spare, count - half, compare);
    if (compare(store, list[half - 1].term, list[half].term) <= 0) {
        return;
    }
    memcpy(spare, list, half * sizeof *list);
    uint32_t left = 0;
    uint32_t right = half;
    for (uint32_t at = 0; left < half; at++) {
        const bool takes_left =
            right == count || compare(store, spare[left].term, list[right].term) <= 0;
        list[at] = takes_left ? spare[left++] : list[right++];
    }
}

// Long sums of long sums cost time before they cost nodes: count their parts.
static bool spend(rh_store *store, size_t parts)
{
    if (parts > RH_EXPR_WORK || store->work > RH_EXPR_WORK - (uint32_t)parts) {
        rh__store_refuse(store, RH_REFUSAL_WORK);
        return false;
    }
    store->work += (uint32_t)parts;
    return true;
}

static pair *reserve_pairs(rh_store *store, uint32_t count)
{
    pair *list = rh__arena_array(&store->scratch, pair, 2 * (size_t)count);
    if (list == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    return list;
}

// --- sums ------------------------------------------------------------------------------------

// How many pairs `e` brings into a sum, and the k-th of them.
static uint32_t pair_count(const rh_store *store, rh_expr e)
{
    if (rh__expr_op(store, e) != RH_OP_ADD) {
        return 1;
    }
    const uint32_t count = rh__expr_count(store, e) / 2;
    return count <= RH_EXPR_FLATTEN ? count : 1;
}

static pair sum_pair(const rh_store *store, rh_expr e, uint32_t k)
{
    const rh_op op = rh__expr_op(store, e);
    if (op == RH_OP_NUMBER) {
        return (pair){e, store->one};
    }
    if (op == RH_OP_ADD && rh__expr_count(store, e) / 2 <= RH_EXPR_FLATTEN) {
        return (pair){rh__expr_argument(store, e, 2 * k), rh__expr_argument(store, e, 2 * k + 1)};
    }
    return (pair){store->one, e};
}

// Sort, add up like terms, drop zeros.
static bool collect_terms(rh_store *store, pairs *sum)
{
    sort_pairs(store, sum->data, sum->data + sum->count, sum->count, compare_terms);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < sum->count;) {
        pair total = sum->data[k++];
        while (k < sum->count && rh__expr_same(sum->data[k].term, total.term)) {
            total.number = rh__number_add(store, total.number, sum->data[k++].number);
            if (rh__expr_is_none(total.number)) {
                return false;
            }
        }
        if (!rh__expr_is_zero(store, total.number)) {
            sum->data[kept++] = total;
        }
    }
    sum->count = kept;
    return true;
}

static uint32_t find_term(const rh_store *store, const pairs *sum, rh_expr term)
{
    uint32_t low = 0;
    uint32_t high = sum->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_terms(store, sum->data[middle].term, term) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_there = low < sum->count && rh__expr_same(sum->data[low].term, term);
    return is_there ? low : UINT32_MAX;
}

// The square folding of one function: c*f^2*R + p*c*g^2*R = q*c*R, so also c*f^2*R - q*c*R =
// -p*c*g^2*R.
typedef struct square_rule {
    rh_op f, g;
    int p, q;
} square_rule;

static const square_rule SQUARE_RULES[] = {
    {RH_OP_SIN, RH_OP_COS, 1, 1},
    {RH_OP_COS, RH_OP_SIN, 1, 1},
    {RH_OP_COSH, RH_OP_SINH, -1, 1},
    {RH_OP_SINH, RH_OP_COSH, -1, -1},
};

static const square_rule *square_rule_of(const rh_store *store, rh_expr power)
{
    int64_t exponent = 0;
    if (rh__expr_op(store, power) != RH_OP_POW ||
        !rh__expr_as_integer(store, rh__expr_argument(store, power, 1), &exponent) ||
        exponent < 2) {
        return NULL;
    }
    const rh_op f = rh__expr_op(store, rh__expr_argument(store, power, 0));
    for (size_t k = 0; k < sizeof SQUARE_RULES / sizeof *SQUARE_RULES; k++) {
        if (SQUARE_RULES[k].f == f) {
            return &SQUARE_RULES[k];
        }
    }
    return NULL;
}

static rh_expr signed_number(rh_store *store, int sign, rh_expr number)
{
    return sign < 0 ? rh__number_multiply(store, store->minus_one, number) : number;
}

// Try to fold pair k through its factor `power`: both pairs of the match get the number 0, `*out`
// is their sum.
static bool fold_square(rh_store *store, const pairs *sum, uint32_t k, rh_expr power, pair *out)
{
    const square_rule *rule = square_rule_of(store, power);
    if (rule == NULL) {
        return false;
    }
    const rh_expr two = rh__expr_integer(store, 2);
    const rh_expr f = rh__expr_argument(store, power, 0);
    const rh_expr argument = rh__expr_argument(store, f, 0);
    const rh_expr g = rh__expr_apply(store, rule->g, &argument, 1);
    const rh_expr rest = rh__expr_divide(store, sum->data[k].term, rh__expr_power(store, f, two));
    const rh_expr partner = rh__expr_multiply(store, rest, rh__expr_power(store, g, two));
    if (rh__expr_is_none(partner)) {
        return false;
    }
    const rh_expr number = sum->data[k].number;
    uint32_t other = find_term(store, sum, partner);
    if (other != UINT32_MAX && other != k &&
        rh__expr_same(sum->data[other].number, signed_number(store, rule->p, number))) {
        *out = (pair){signed_number(store, rule->q, number), rest};
    } else {
        other = find_term(store, sum, rest);
        if (other == UINT32_MAX || other == k ||
            !rh__expr_same(sum->data[other].number, signed_number(store, -rule->q, number))) {
            return false;
        }
        *out = (pair){signed_number(store, -rule->p, number), partner};
    }
    sum->data[k].number = store->zero;
    sum->data[other].number = store->zero;
    return true;
}

// sin^2 + cos^2 and its like, in every term and with any common factor. Results are put behind the
// pairs, where the array has room for half as many again; how many is returned.
static uint32_t fold_squares(rh_store *store, const pairs *sum)
{
    uint32_t folds = 0;
    for (uint32_t k = 0; k < sum->count && sum->count > 1; k++) {
        const rh_expr term = sum->data[k].term;
        const uint32_t parts = rh__factor_count(store, term);
        for (uint32_t j = 0; j < parts && !rh__expr_is_zero(store, sum->data[k].number); j++) {
            pair *out = &sum->data[sum->count + folds];
            folds += fold_square(store, sum, k, rh__factor(store, term, j), out);
        }
    }
    return folds;
}

static rh_expr intern_sum(rh_store *store, const pairs *sum)
{
    if (sum->count == 0) {
        return store->zero;
    }
    if (sum->count == 1 && rh__expr_same(sum->data[0].term, store->one)) {
        return sum->data[0].number;
    }
    if (sum->count == 1 && rh__expr_same(sum->data[0].number, store->one)) {
        return sum->data[0].term;
    }
    static_assert(sizeof(pair) == 2 * sizeof(uint32_t), "pairs are stored as they are");
    return rh__store_intern(store, RH_OP_ADD, &sum->data[0].number.i, 2 * sum->count);
}

static rh_expr build_sum(rh_store *store, const rh_expr *numbers, const rh_expr *terms,
                         uint32_t count);

// The same pairs as a new sum, flattened again.
static rh_expr rebuild_sum(rh_store *store, const pairs *sum)
{
    rh_expr *numbers = rh__arena_array(&store->scratch, rh_expr, 2 * (size_t)sum->count);
    if (numbers == NULL) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    rh_expr *terms = numbers + sum->count;
    for (uint32_t k = 0; k < sum->count; k++) {
        numbers[k] = sum->data[k].number;
        terms[k] = sum->data[k].term;
    }
    return build_sum(store, numbers, terms, sum->count);
}

static rh_expr finish_sum(rh_store *store, pairs *sum)
{
    if (!collect_terms(store, sum)) {
        return RH_EXPR_NONE;
    }
    const uint32_t folds = fold_squares(store, sum);
    if (folds == 0) {
        return intern_sum(store, sum);
    }
    // every fold takes one pair away, so this ends
    sum->count += folds;
    return rebuild_sum(store, sum);
}

// Sum of number[k] * terms[k]; `numbers` NULL: all 1.
static rh_expr build_sum(rh_store *store, const rh_expr *numbers, const rh_expr *terms,
                         uint32_t count)
{
    size_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (rh__expr_is_none(terms[k]) || (numbers != NULL && rh__expr_is_none(numbers[k]))) {
            return RH_EXPR_NONE;
        }
        total += pair_count(store, terms[k]);
    }
    if (!spend(store, total)) {
        return RH_EXPR_NONE;
    }
    const rh_mark mark = rh__arena_mark(&store->scratch);
    pairs sum = {reserve_pairs(store, (uint32_t)total), 0};
    rh_expr result = RH_EXPR_NONE;
    bool ok = sum.data != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        const uint32_t parts = pair_count(store, terms[k]);
        for (uint32_t j = 0; ok && j < parts; j++) {
            pair part = sum_pair(store, terms[k], j);
            if (numbers != NULL) {
                part.number = rh__number_multiply(store, numbers[k], part.number);
                ok = !rh__expr_is_none(part.number);
            }
            sum.data[sum.count++] = part;
        }
    }
    if (ok) {
        result = finish_sum(store, &sum);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

rh_expr rh__expr_sum(rh_store *store, const rh_expr *terms, uint32_t count)
{
    return build_sum(store, NULL, terms, count);
}

rh_expr rh__expr_add(rh_store *store, rh_expr a, rh_expr b)
{
    return build_sum(store, NULL, (rh_expr[]){a, b}, 2);
}

rh_expr rh__expr_subtract(rh_store *store, rh_expr a, rh_expr b)
{
    return build_sum(store, (rh_expr[]){store->one, store->minus_one}, (rh_expr[]){a, b}, 2);
}

rh_expr rh__expr_scale(rh_store *store, rh_expr number, rh_expr e)
{
    return build_sum(store, &number, &e, 1);
}

rh_expr rh__expr_negate(rh_store *store, rh_expr a)
{
    return rh__expr_scale(store, store->minus_one, a);
}

bool rh__expr_leads_negative(const rh_store *store, rh_expr e)
{
    // a sum that is too long to be flattened is also too long to be turned round
    return rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) / 2 <= RH_EXPR_FLATTEN &&
           rh__expr_number_sign(store, rh__expr_argument(store, e, 0)) < 0;
}

// --- products --------------------------------------------------------------------------------

// number * t for an ADD of one pair, else 1 * e.
static pair split_number(const rh_store *store, rh_expr e)
{
    const rh_op op = rh__expr_op(store, e);
    if (op == RH_OP_NUMBER) {
        return (pair){e, store->one};
    }
    if (op == RH_OP_ADD && rh__expr_count(store, e) == 2) {
        return (pair){rh__expr_argument(store, e, 0), rh__expr_argument(store, e, 1)};
    }
    return (pair){store->one, e};
}

// The first number of a sum that is short enough to be divided by it, else 1.
static rh_expr leading_number(const rh_store *store, rh_expr e)
{
    const bool is_short =
        rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) / 2 <= RH_EXPR_FLATTEN;
    return is_short ? rh__expr_argument(store, e, 0) : store->one;
}

static rh_expr number_power(rh_store *store, rh_expr base, rh_expr exponent);

// e / lead.
static rh_expr without_number(rh_store *store, rh_expr e, rh_expr lead)
{
    return rh__expr_scale(store, number_power(store, lead, store->minus_one), e);
}

// Put the factors of `e` (numbers taken out already) into the list. A sum among them gets 1 as its
// first number: b - a is written -(a - b), and 2*a + 2*b is written 2*(a + b), so that like ones
// meet.
static void put_factors(rh_store *store, pairs *product, rh_expr e, rh_expr *number)
{
    for (uint32_t k = 0; k < rh__factor_count(store, e); k++) {
        rh_expr part = rh__factor(store, e, k);
        const rh_expr lead = leading_number(store, part);
        if (!rh__expr_is_one(store, lead)) {
            part = without_number(store, part, lead);
            *number = rh__number_multiply(store, lead, *number);
        }
        if (rh__expr_is_none(part) || rh__expr_is_none(*number)) {
            *number = RH_EXPR_NONE;
            return;
        }
        product->data[product->count++] =
            (pair){rh__expr_exponent(store, part), rh__expr_base(store, part)};
    }
}

// Add the exponents of equal bases. `*is_changed` when the powers must be made anew.
static bool merge_bases(rh_store *store, pairs *product, bool *is_changed)
{
    sort_pairs(store, product->data, product->data + product->count, product->count,
               rh__expr_compare);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < product->count;) {
        pair total = product->data[k++];
        while (k < product->count && rh__expr_same(product->data[k].term, total.term)) {
            total.number = rh__expr_add(store, total.number, product->data[k++].number);
            if (rh__expr_is_none(total.number)) {
                return false;
            }
            *is_changed = true;
        }
        product->data[kept++] = total;
    }
    product->count = kept;
    return true;
}

static bool is_whole_number(const rh_store *store, rh_expr e)
{
    return rh__expr_is_number(store, e) && rh__rational_is_integer(rh__store_value(store, e));
}

// The place of the sum at `root` without its first number, to a whole power; `count` when there is
// none.
static uint32_t find_rootless(rh_store *store, const pairs *product, uint32_t root, rh_expr lead)
{
    const rh_expr rest = without_number(store, product->data[root].term, lead);
    uint32_t at = 0;
    while (at < product->count && (!rh__expr_same(product->data[at].term, rest) ||
                                   !is_whole_number(store, product->data[at].number))) {
        at++;
    }
    return rh__expr_is_none(rest) ? product->count : at;
}

// Where a root of the sum b = c*s stands beside a whole power of s: b^e * s^n = c^-n * b^(e+n).
static bool join_roots(rh_store *store, pairs *product, rh_expr *number, bool *is_changed)
{
    for (uint32_t k = 0; k < product->count; k++) {
        const rh_expr exponent = product->data[k].number;
        const rh_expr lead = leading_number(store, product->data[k].term);
        if (rh__expr_is_one(store, lead) || !rh__expr_is_number(store, exponent) ||
            is_whole_number(store, exponent)) {
            continue;
        }
        const uint32_t at = find_rootless(store, product, k, lead);
        if (at == product->count) {
            continue;
        }
        const rh_expr n = product->data[at].number;
        const rh_expr minus_n = rh__number_multiply(store, store->minus_one, n);
        product->data[k].number = rh__number_add(store, exponent, n);
        if (rh__expr_is_none(minus_n) || rh__expr_is_none(product->data[k].number)) {
            return false;
        }
        *number = rh__number_multiply(store, *number, number_power(store, lead, minus_n));
        product->count--;
        memmove(product->data + at, product->data + at + 1,
                (product->count - at) * sizeof *product->data);
        *is_changed = true;
        k -= at < k;
    }
    return !rh__expr_is_none(*number);
}

static rh_expr finish_product(rh_store *store, pairs *product, rh_expr number)
{
    bool is_changed = false;
    if (!merge_bases(store, product, &is_changed) ||
        !join_roots(store, product, &number, &is_changed)) {
        return RH_EXPR_NONE;
    }
    // the spare half of the array takes the factors
    rh_expr *factors = &product->data[product->count].number;
    for (uint32_t k = 0; k < product->count; k++) {
        const pair part = product->data[k];
        factors[k] = rh__expr_is_one(store, part.number)
                         ? part.term
                         : rh__expr_power(store, part.term, part.number);
        if (rh__expr_is_none(factors[k])) {
            return RH_EXPR_NONE;
        }
    }
    if (is_changed) {
        // merged powers may have become numbers or products: every merge shortens the list, so this
        // ends
        factors[product->count] = number;
        return rh__expr_product(store, factors, product->count + 1);
    }
    if (product->count == 0) {
        return number;
    }
    const rh_expr rest = product->count == 1
                             ? factors[0]
                             : rh__store_intern(store, RH_OP_MUL, &factors[0].i, product->count);
    return rh__expr_is_none(rest) || rh__expr_is_one(store, number)
               ? rest
               : rh__expr_scale(store, number, rest);
}

rh_expr rh__expr_product(rh_store *store, const rh_expr *factors, uint32_t count)
{
    size_t total = 1;
    rh_expr number = store->one;
    for (uint32_t k = 0; k < count; k++) {
        if (rh__expr_is_none(factors[k])) {
            return RH_EXPR_NONE;
        }
        const pair part = split_number(store, factors[k]);
        number = rh__number_multiply(store, number, part.number);
        if (rh__expr_is_none(number)) {
            return RH_EXPR_NONE;
        }
        total += rh__factor_count(store, part.term);
    }
    if (rh__expr_is_zero(store, number)) {
        return store->zero;
    }
    if (!spend(store, total)) {
        return RH_EXPR_NONE;
    }
    const rh_mark mark = rh__arena_mark(&store->scratch);
    pairs product = {reserve_pairs(store, (uint32_t)total), 0};
    rh_expr result = RH_EXPR_NONE;
    bool ok = product.data != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr term = split_number(store, factors[k]).term;
        if (!rh__expr_is_one(store, term)) {
            put_factors(store, &product, term, &number);
            ok = !rh__expr_is_none(number);
        }
    }
    if (ok) {
        result = finish_product(store, &product, number);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

rh_expr rh__expr_multiply(rh_store *store, rh_expr a, rh_expr b)
{
    return rh__expr_product(store, (rh_expr[]){a, b}, 2);
}

rh_expr rh__expr_divide(rh_store *store, rh_expr a, rh_expr b)
{
    return rh__expr_multiply(store, a, rh__expr_power(store, b, store->minus_one));
}

// --- powers ----------------------------------------------------------------------------------

static rh_expr raw_power(rh_store *store, rh_expr base, rh_expr exponent)
{
    return rh__store_intern(store, RH_OP_POW, (uint32_t[]){base.i, exponent.i}, 2);
}

// A number to a number: exact, or left as it stands.
static rh_expr number_power(rh_store *store, rh_expr base, rh_expr exponent)
{
    const rh_rational value = rh__store_value(store, base);
    const rh_rational power = rh__store_value(store, exponent);
    const int sign = rh__rational_sign(value);
    if (sign == 0) {
        return rh__rational_sign(power) > 0 ? store->zero : raw_power(store, base, exponent);
    }
    if (rh__expr_is_one(store, base)) {
        return store->one;
    }
    const int64_t most_roots = 64;
    if (power.big != NULL) {
        return rh__rational_is_integer(power) ? rh__store_refuse(store, RH_REFUSAL_NUMBER)
                                              : raw_power(store, base, exponent);
    }
    rh_rational root = value;
    if (power.denominator != 1 &&
        (sign < 0 || power.denominator > most_roots ||
         !rh__rational_root(store->arena, value, (uint32_t)power.denominator, RH_EXPR_NUMBER_BITS,
                            &root))) {
        return raw_power(store, base, exponent);
    }
    rh_rational result = {0};
    const bool ok =
        rh__rational_power(store->arena, root, power.numerator, RH_EXPR_NUMBER_BITS, &result);
    return rh__number_result(store, ok, result);
}

// (f1*f2*...)^n, n an integer.
static rh_expr product_power(rh_store *store, rh_expr base, rh_expr exponent)
{
    const uint32_t count = rh__expr_count(store, base);
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *factors = rh__arena_array(&store->scratch, rh_expr, count);
    rh_expr result = RH_EXPR_NONE;
    if (factors == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            factors[k] = rh__expr_power(store, rh__expr_argument(store, base, k), exponent);
        }
        result = rh__expr_product(store, factors, count);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

static rh_expr sum_power(rh_store *store, rh_expr base, rh_expr exponent, bool is_integer)
{
    if (rh__expr_count(store, base) == 2) {
        // (c*t)^e = c^e * t^e when e is an integer, or c^e is a number and c > 0
        const pair part = split_number(store, base);
        const bool may_split = is_integer || rh__expr_number_sign(store, part.number) > 0;
        const rh_expr number = may_split ? number_power(store, part.number, exponent) : base;
        if (rh__expr_is_none(number)) {
            return RH_EXPR_NONE;
        }
        return rh__expr_is_number(store, number)
                   ? rh__expr_multiply(store, number, rh__expr_power(store, part.term, exponent))
                   : raw_power(store, base, exponent);
    }
    const rh_expr lead = leading_number(store, base);
    if (is_integer && !rh__expr_is_one(store, lead)) {
        const rh_expr rest = without_number(store, base, lead);
        const rh_expr number = number_power(store, lead, exponent);
        return rh__expr_is_none(rest)
                   ? rest
                   : rh__expr_multiply(store, number, raw_power(store, rest, exponent));
    }
    return raw_power(store, base, exponent);
}

// max(0, x) or if(c, x, 0) among the factors of a term; NONE: there is none.
static rh_expr find_choice(const rh_store *store, rh_expr e)
{
    const bool is_scaled = rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) == 2;
    const rh_expr term = is_scaled ? rh__expr_argument(store, e, 1) : e;
    for (uint32_t k = 0; k < rh__factor_count(store, term); k++) {
        const rh_expr part = rh__factor(store, term, k);
        const rh_op op = rh__expr_op(store, part);
        const uint32_t first = op == RH_OP_IF ? 1 : 0;
        if ((op == RH_OP_MAX || op == RH_OP_IF) &&
            rh__expr_is_zero(store, rh__expr_argument(store, part, first)) !=
                rh__expr_is_zero(store, rh__expr_argument(store, part, first + 1))) {
            return part;
        }
    }
    return RH_EXPR_NONE;
}

// A root of what has such a factor is that of x where it is chosen, and 0 elsewhere: of what is
// always zero it would have no series and no slope. NONE: it is another root.
static rh_expr root_of_choice(rh_store *store, rh_expr base, rh_expr exponent)
{
    const double e = rh__expr_number_value(store, exponent);
    const rh_expr part = e > -1.0 && e < 1.0 ? find_choice(store, base) : RH_EXPR_NONE;
    if (rh__expr_is_none(part)) {
        return RH_EXPR_NONE;
    }
    if (e < 0.0) {
        const rh_expr below = root_of_choice(store, base, rh__expr_negate(store, exponent));
        return rh__expr_power(store, below, store->minus_one);
    }
    const bool is_if = rh__expr_op(store, part) == RH_OP_IF;
    const rh_expr first = rh__expr_argument(store, part, is_if ? 1 : 0);
    const rh_expr second = rh__expr_argument(store, part, is_if ? 2 : 1);
    const bool is_second = rh__expr_is_zero(store, first);
    const rh_expr x = is_second ? second : first;
    const rh_expr rest = rh__expr_divide(store, base, part);
    const rh_expr root = rh__expr_power(store, rh__expr_multiply(store, rest, x), exponent);
    const bool is_turned = is_if && is_second;
    const rh_expr choice[] = {
        is_if ? rh__expr_argument(store, part, 0)
              : rh__expr_apply(store, RH_OP_LESS, (rh_expr[]){store->zero, x}, 2),
        is_turned ? store->zero : root, is_turned ? root : store->zero};
    return rh__expr_apply(store, RH_OP_IF, choice, 3);
}

// Is `e` seen never to be negative, looking `depth` operations deep? Builders run inside of walks,
// so this is no walk itself.
static bool is_never_negative(const rh_store *store, rh_expr e, int depth)
{
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = rh__expr_count(store, e);
    int64_t n = 0;
    uint32_t first = 0;
    uint32_t wanted = count; // how many of the arguments from `first` on must not be negative
    switch (op) {
    case RH_OP_NUMBER:
        return rh__expr_number_sign(store, e) >= 0;
    case RH_OP_PI:
    case RH_OP_ABS:
    case RH_OP_EXP:
    case RH_OP_COSH:
        return true;
    case RH_OP_POW:
        if (rh__expr_is_number(store, rh__expr_argument(store, e, 1)) &&
            (!is_whole_number(store, rh__expr_argument(store, e, 1)) ||
             (rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n) && n % 2 == 0))) {
            return true;
        }
        return depth > 0 && is_never_negative(store, rh__expr_argument(store, e, 0), depth - 1);
    case RH_OP_MAX:
        wanted = 1;
        break;
    case RH_OP_IF:
        first = 1;
        wanted = 2;
        break;
    case RH_OP_ADD:
    case RH_OP_MUL:
    case RH_OP_MIN:
        break;
    default:
        return false;
    }
    uint32_t found = 0;
    for (uint32_t k = first; depth > 0 && k < count; k++) {
        found += is_never_negative(store, rh__expr_argument(store, e, k), depth - 1);
    }
    return found >= wanted;
}

// abs(u)^e, or u^e where u is never negative.
static rh_expr magnitude_power(rh_store *store, rh_expr u, rh_expr exponent)
{
    const rh_expr size =
        is_never_negative(store, u, 4) ? u : rh__expr_apply(store, RH_OP_ABS, (rh_expr[]){u}, 1);
    return rh__expr_power(store, size, exponent);
}

// (u^n)^e without the bracket; NONE: it must stay, or nothing moves in it. With an even n it is
// abs(u)^(n*e): the kink at u = 0 is then a condition, as that of any abs. With an odd n it needs u
// >= 0; u^(n*e) does so too while n*e is not whole.
static rh_expr root_of_power(rh_store *store, rh_expr power, rh_expr exponent)
{
    int64_t n = 0;
    if (rh__expr_op(store, power) != RH_OP_POW ||
        (rh__expr_mask(store, power) & RH_EXPR_VARIABLE) == 0 ||
        !rh__expr_as_integer(store, rh__expr_argument(store, power, 1), &n)) {
        return RH_EXPR_NONE;
    }
    const rh_expr u = rh__expr_argument(store, power, 0);
    const rh_expr whole = rh__expr_multiply(store, rh__expr_integer(store, n), exponent);
    if (n % 2 == 0) {
        return magnitude_power(store, u, whole);
    }
    return is_whole_number(store, whole) ? RH_EXPR_NONE : rh__expr_power(store, u, whole);
}

// A root of a product with whole powers in it: even ones are taken out, and an odd one where it is
// alone. NONE: there are none.
static rh_expr root_of_powers(rh_store *store, rh_expr base, rh_expr exponent)
{
    const pair scaled = split_number(store, base);
    const uint32_t count = rh__factor_count(store, scaled.term);
    if (is_whole_number(store, exponent) || rh__expr_number_sign(store, scaled.number) <= 0) {
        return RH_EXPR_NONE;
    }
    rh_expr outside = store->one;
    rh_expr inside = scaled.number;
    bool is_found = false;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr part = rh__factor(store, scaled.term, k);
        int64_t n = 0;
        const bool is_even =
            rh__expr_as_integer(store, rh__expr_exponent(store, part), &n) && n % 2 == 0;
        const rh_expr root =
            is_even || count == 1 ? root_of_power(store, part, exponent) : RH_EXPR_NONE;
        if (rh__expr_is_none(root)) {
            inside = rh__expr_multiply(store, inside, part);
        } else {
            outside = rh__expr_multiply(store, outside, root);
            is_found = true;
        }
    }
    return is_found ? rh__expr_multiply(store, outside, rh__expr_power(store, inside, exponent))
                    : RH_EXPR_NONE;
}

// A root of a square that is written out, t^2 - 2*t + 1; NONE: it is none, or nothing moves in it.
static rh_expr root_of_square(rh_store *store, rh_expr base, rh_expr exponent)
{
    rh_expr number = store->one;
    const bool may_be =
        !is_whole_number(store, exponent) && (rh__expr_mask(store, base) & RH_EXPR_VARIABLE) != 0;
    const rh_expr q = may_be ? rh__expr_find_square(store, base, &number) : RH_EXPR_NONE;
    if (rh__expr_is_none(q)) {
        return RH_EXPR_NONE;
    }
    const rh_expr twice = rh__expr_multiply(store, rh__expr_integer(store, 2), exponent);
    return rh__expr_multiply(store, rh__expr_power(store, number, exponent),
                             magnitude_power(store, q, twice));
}

// base^e with a number e other than 0 and 1.
static rh_expr power_by_number(rh_store *store, rh_expr base, rh_expr exponent)
{
    const bool is_integer = rh__rational_is_integer(rh__store_value(store, exponent));
    rh_expr root = root_of_powers(store, base, exponent);
    if (rh__expr_is_none(root)) {
        root = root_of_choice(store, base, exponent);
    }
    if (rh__expr_is_none(root)) {
        root = root_of_square(store, base, exponent);
    }
    if (!rh__expr_is_none(root) || store->refusal != RH_REFUSAL_NONE) {
        return root;
    }
    switch (rh__expr_op(store, base)) {
    case RH_OP_NUMBER:
        return number_power(store, base, exponent);
    case RH_OP_MUL:
        return is_integer && rh__expr_is_open(store, base) ? product_power(store, base, exponent)
                                                           : raw_power(store, base, exponent);
    case RH_OP_ADD:
        return sum_power(store, base, exponent, is_integer);
    case RH_OP_POW: {
        // (b^i)^e = b^(i*e): true for integer e, and where i is no integer, because then b >= 0
        const rh_expr inner = rh__expr_argument(store, base, 1);
        const bool may_join =
            is_integer || (rh__expr_is_number(store, inner) &&
                           !rh__rational_is_integer(rh__store_value(store, inner)));
        return may_join ? rh__expr_power(store, rh__expr_argument(store, base, 0),
                                         rh__expr_multiply(store, inner, exponent))
                        : raw_power(store, base, exponent);
    }
    case RH_OP_ABS: {
        int64_t n = 0;
        const bool is_even = rh__expr_as_integer(store, exponent, &n) && n % 2 == 0;
        return is_even ? rh__expr_power(store, rh__expr_argument(store, base, 0), exponent)
                       : raw_power(store, base, exponent);
    }
    default:
        return raw_power(store, base, exponent);
    }
}

rh_expr rh__expr_power(rh_store *store, rh_expr base, rh_expr exponent)
{
    if (rh__expr_is_none(base) || rh__expr_is_none(exponent)) {
        return RH_EXPR_NONE;
    }
    if (rh__expr_is_zero(store, exponent)) {
        return store->one;
    }
    if (rh__expr_is_one(store, exponent) || rh__expr_is_one(store, base)) {
        return base;
    }
    return rh__expr_is_number(store, exponent) ? power_by_number(store, base, exponent)
                                               : raw_power(store, base, exponent);
}

rh_expr rh__expr_sqrt(rh_store *store, rh_expr a)
{
    return rh__expr_power(store, a, rh__expr_ratio(store, 1, 2));
}
