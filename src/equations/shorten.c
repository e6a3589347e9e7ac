// SPDX-License-Identifier: Apache-2.0
// Formulas for reading: of several equal ways to write one the shortest is taken. Two things make
// them short that cheap evaluation does not ask for. A parameter given by others (omega =
// sqrt(sigma*(a - 1))) may stand for what it is, so that relations among parameters cancel. And a
// sum in a denominator becomes a symbol d while folding, one of its own symbols being expressed by
// it (a = d + 1): then (a/(a - 1) - 1/(a - 1)) is d/d.

#include "equations/form.h"

enum {
    LEAVES = 4096,    // longer ones are all alike
    TERMS = 256,      // of a sum, products distributed
    DENOMINATORS = 6, // that are tried in one expression
    ROUNDS = 4
};

// --- parameters through others -------------------------------------------------------------------

static rh_expr insert_default(void *user, rh_store *store, rh_expr symbol)
{
    const rh_model *model = *(const rh_model *const *)user;
    const uint32_t family = rh__expr_family(store, symbol).i;
    const uint32_t at = family < model->parameter_of.count ? model->parameter_of.data[family] : 0;
    if (at == 0) {
        return symbol;
    }
    const rh_parameter *parameter = &model->parameters.data[at - 1];
    const uint32_t member = rh__expr_member(store, symbol);
    const rh_expr value = parameter->defaults[member];
    const bool is_given = value.i != 0 && parameter->dial[member] == 0 &&
                          (rh__expr_mask(store, value) & RH_ROLE_PARAM) != 0;
    return is_given ? value : symbol;
}

rh_expr rh__forming_explain(const rh_forming *forming, rh_expr e)
{
    const rh_model *model = forming->equations->model;
    rh_expr before = RH_EXPR_NONE;
    while (e.i != before.i && e.i != 0) { // no parameter is given by itself, so this ends
        before = e;
        e = rh__expr_substitute(forming->store, e, insert_default, &model);
    }
    return e;
}

// The names of parameters again, where what they stand for, or one over it, is left; the last
// declared first, since it may be given by those before it.
static rh_expr recall(const rh_forming *forming, rh_expr e)
{
    rh_store *store = forming->store;
    const rh_model *model = forming->equations->model;
    const rh_expr one = rh__expr_integer(store, 1);
    for (uint32_t k = model->parameters.count; k > 0 && e.i != 0; k--) {
        const rh_parameter *parameter = &model->parameters.data[k - 1];
        const rh_expr symbol =
            parameter->size == 1 ? rh__expr_symbol(store, parameter->family, 0) : RH_EXPR_NONE;
        const rh_expr value = symbol.i == 0 ? symbol : rh__forming_explain(forming, symbol);
        if (value.i != symbol.i && value.i != 0) {
            e = rh__expr_replace(store, e, value, symbol);
            e = rh__expr_replace(store, e, rh__expr_divide(store, one, value),
                                 rh__expr_divide(store, one, symbol));
        }
    }
    return e;
}

// --- sums in denominators ------------------------------------------------------------------------

static bool push_sum(const rh_forming *forming, rh_arena *scratch, rh_expr e, rh_expr_list *out)
{
    rh_store *store = forming->store;
    if (rh__expr_op(store, e) == RH_OP_POW) {
        e = rh__expr_argument(store, e, 0);
    }
    bool is_new = rh__expr_op(store, e) == RH_OP_ADD && out->count < DENOMINATORS;
    for (uint32_t k = 0; k < out->count; k++) {
        is_new = is_new && out->data[k].i != e.i;
    }
    return !is_new || rh__array_push(scratch, out, e);
}

// Sums that stand under a negative power, alone or as a factor.
static bool find_denominators(const rh_forming *forming, rh_arena *scratch, rh_expr e,
                              rh_expr_list *out)
{
    rh_store *store = forming->store;
    rh_expr_list order = {0};
    bool ok = rh__expr_reach(store, &e, 1, scratch, &order);
    for (uint32_t k = 0; ok && k < order.count; k++) {
        const rh_expr at = order.data[k];
        if (rh__expr_op(store, at) != RH_OP_POW ||
            rh__expr_number_sign(store, rh__expr_argument(store, at, 1)) >= 0) {
            continue;
        }
        const rh_expr base = rh__expr_argument(store, at, 0);
        ok = push_sum(forming, scratch, base, out);
        const bool is_product = rh__expr_op(store, base) == RH_OP_MUL;
        for (uint32_t j = 0; ok && is_product && j < rh__expr_count(store, base); j++) {
            ok = push_sum(forming, scratch, rh__expr_argument(store, base, j), out);
        }
    }
    return ok;
}

// A symbol that a sum holds with a number as its coefficient; none when there is none.
static rh_expr find_linear(const rh_forming *forming, rh_arena *scratch, rh_expr sum,
                           rh_expr *out_factor)
{
    rh_gradient partials;
    if (!rh__expr_gradient(forming->store, sum, RH_EXPR_VARIABLE | RH_ROLE_PARAM, scratch,
                           &partials)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        if (rh__expr_is_number(forming->store, partials.data[k].value)) {
            *out_factor = partials.data[k].value;
            return partials.data[k].symbol;
        }
    }
    return RH_EXPR_NONE;
}

// A sum as a symbol of its own: sum = factor * symbol + rest = d.
typedef struct denominator {
    rh_expr sum, d;
    rh_expr symbol, by; // one of its symbols, through d
} denominator;

static bool name_denominator(const rh_forming *forming, rh_arena *scratch, rh_expr sum,
                             denominator *out)
{
    rh_store *store = forming->store;
    rh_expr factor = RH_EXPR_NONE;
    out->sum = sum;
    out->symbol = find_linear(forming, scratch, sum, &factor);
    const rh_family_def def = {
        .name = rh__slice_of("d"), .sort = 80, .mask = rh__expr_mask(store, sum) | RH_ROLE_LOCAL};
    const rh_family family = out->symbol.i == 0 ? (rh_family){0} : rh__family_create(store, &def);
    if (family.i == 0) {
        return false;
    }
    out->d = rh__expr_symbol(store, family, 0);
    const rh_expr rest = rh__expr_replace(store, sum, out->symbol, rh__expr_integer(store, 0));
    out->by = rh__expr_divide(store, rh__expr_subtract(store, out->d, rest), factor);
    return out->by.i != 0;
}

// Folded while the sum is a symbol.
static rh_expr fold_over(rh_forming *forming, const denominator *under, rh_expr e)
{
    rh_store *store = forming->store;
    const rh_expr folded =
        rh__derive_fold(forming->equations, rh__expr_replace(store, e, under->symbol, under->by));
    return rh__expr_replace(store, folded, under->d, under->sum);
}

// The numerator over this sum, distributed.
static rh_expr find_numerator(rh_forming *forming, rh_arena *scratch, const denominator *under,
                              rh_expr e)
{
    rh_store *store = forming->store;
    const rh_expr above =
        rh__expr_multiply(store, rh__expr_replace(store, e, under->symbol, under->by), under->d);
    const rh_expr wide = above.i == 0 ? above : rh__expr_expand(store, above, TERMS, scratch);
    const rh_expr back = rh__expr_replace(store, wide, under->d, under->sum);
    return back.i == 0 ? back : rh__expr_expand(store, back, TERMS, scratch);
}

// --- the shortest --------------------------------------------------------------------------------

static uint32_t count_leaves(const rh_forming *forming, rh_arena *scratch, rh_expr e)
{
    rh_expr_list leaves = {0};
    return rh__shape_leaves(forming->store, e, LEAVES, scratch, &leaves) ? leaves.count
                                                                         : LEAVES + 1;
}

static void offer(const rh_forming *forming, rh_arena *scratch, rh_expr e, rh_expr *best)
{
    if (e.i != 0 && (best->i == 0 ||
                     count_leaves(forming, scratch, e) < count_leaves(forming, scratch, *best))) {
        *best = e;
    }
}

// Folded, and distributed over sums and folded: factors that do not move are free to evaluate, so
// folding alone leaves them as they are.
static void offer_folded(rh_forming *forming, rh_arena *scratch, rh_expr e, rh_expr *best)
{
    const rh_expr wide = e.i == 0 ? e : rh__expr_expand(forming->store, e, TERMS, scratch);
    offer(forming, scratch, e, best);
    offer(forming, scratch, rh__derive_fold(forming->equations, e), best);
    offer(forming, scratch, wide, best);
    offer(forming, scratch, rh__derive_fold(forming->equations, wide), best);
}

static void offer_over(rh_forming *forming, rh_arena *scratch, rh_expr e, rh_expr sum,
                       rh_expr *best)
{
    rh_store *store = forming->store;
    denominator under;
    if (name_denominator(forming, scratch, sum, &under)) {
        offer_folded(forming, scratch, fold_over(forming, &under, e), best);
        const rh_expr above = find_numerator(forming, scratch, &under, e);
        offer(forming, scratch, rh__expr_divide(store, above, sum), best);
        const rh_expr folded = rh__derive_fold(forming->equations, above);
        offer(forming, scratch, rh__expr_divide(store, folded, sum), best);
    }
}

static rh_expr cancel(rh_forming *forming, rh_arena *scratch, rh_expr e)
{
    rh_expr best = rh__derive_fold(forming->equations, e);
    offer_folded(forming, scratch, e, &best);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const rh_expr from = round == 0 ? e : best;
        const rh_expr before = best;
        rh_expr_list sums = {0};
        const bool ok = find_denominators(forming, scratch, from, &sums);
        for (uint32_t k = 0; ok && k < sums.count; k++) {
            offer_over(forming, scratch, from, sums.data[k], &best);
        }
        if (best.i == before.i && round > 0) {
            break;
        }
    }
    return best;
}

rh_expr rh__forming_shorten(rh_forming *forming, rh_expr e)
{
    if (e.i == 0) {
        return e;
    }
    rh_arena *scratch = &forming->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_expr best = cancel(forming, scratch, e);
    const rh_expr explained = rh__forming_explain(forming, e);
    if (explained.i != e.i && explained.i != 0) {
        const rh_expr plain = cancel(forming, scratch, explained);
        offer(forming, scratch, plain, &best);
        offer(forming, scratch, recall(forming, plain), &best);
    }
    rh__arena_rewind(scratch, mark);
    return best;
}
