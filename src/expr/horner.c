// SPDX-License-Identifier: Apache-2.0
// Polynomials back into cheap expressions. Terms with the same moving part are one item, whose
// coefficient does not move and costs nothing. Then the power that most items share is taken out as
// a factor, again and again (a greedy Horner scheme in many variables); ties go by the canonical
// order, so that rows of one loop are written alike.

#include "expr/folder.h"

enum { DEEPEST = 64 };

// coefficient * product of powers that move.
typedef struct item {
    rh_expr coefficient; // its first number is not negative
    bool is_negative;
    const rh_power *powers;
    uint32_t count;
} item;

typedef struct items {
    item *data;
    uint32_t count;
} items;

typedef struct writer {
    rh_folder *folder;
    rh_share *shares; // of the folder
    rh_arena *scratch;
} writer;

static rh_expr write_power(writer *on, rh_power power)
{
    rh_store *store = on->folder->store;
    const rh_expr cheap = on->folder->ring.atoms.data[power.atom].cheap;
    // 1/exp(u) is exp(-u)
    if (power.exponent < 0 && rh__expr_op(store, cheap) == RH_OP_EXP) {
        const rh_expr inside =
            rh__expr_multiply(store, rh__expr_ratio(store, power.exponent, RH_RING_UNIT),
                              rh__expr_argument(store, cheap, 0));
        return rh__expr_apply(store, RH_OP_EXP, &inside, 1);
    }
    return rh__expr_power(store, cheap, rh__expr_ratio(store, power.exponent, RH_RING_UNIT));
}

// number * powers, those that move or those that do not.
static rh_expr write_part(writer *on, rh_expr number, const rh_power *powers, uint32_t count)
{
    rh_store *store = on->folder->store;
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *factors = rh__arena_array(&store->scratch, rh_expr, (size_t)count + 1);
    rh_expr result = RH_EXPR_NONE;
    if (factors == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            factors[k] = write_power(on, powers[k]);
        }
        factors[count] = number;
        result = rh__expr_product(store, factors, count + 1);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

static rh_expr write_item(writer *on, item of)
{
    rh_store *store = on->folder->store;
    const rh_expr result = write_part(on, of.coefficient, of.powers, of.count);
    return rh__expr_is_none(result) || !of.is_negative ? result : rh__expr_negate(store, result);
}

// --- what to take out --------------------------------------------------------------------------

typedef struct choice {
    rh_power power; // atom 0: the coefficient
    rh_expr coefficient;
    uint64_t gain; // operations saved; 0: nothing to take out
} choice;

static void count_shares(writer *on, items list)
{
    for (uint32_t k = 0; k < list.count; k++) {
        for (uint32_t j = 0; j < list.data[k].count; j++) {
            const rh_power power = list.data[k].powers[j];
            rh_share *at = &on->shares[power.atom];
            const bool is_above = power.exponent > 0;
            uint32_t *count = is_above ? &at->above : &at->below;
            int32_t *least = is_above ? &at->least_above : &at->least_below;
            const int32_t size = is_above ? power.exponent : -power.exponent;
            *least = *count == 0 || size < *least ? size : *least;
            (*count)++;
        }
    }
}

static void clear_shares(writer *on, items list)
{
    for (uint32_t k = 0; k < list.count; k++) {
        for (uint32_t j = 0; j < list.data[k].count; j++) {
            on->shares[list.data[k].powers[j].atom] = (rh_share){0};
        }
    }
}

static bool is_before(const writer *on, rh_power a, rh_power b)
{
    const rh_atom *atoms = on->folder->ring.atoms.data;
    return a.atom != b.atom &&
           rh__expr_compare(on->folder->store, atoms[a.atom].key, atoms[b.atom].key) < 0;
}

static void offer(const writer *on, choice *best, rh_power power, uint64_t gain)
{
    if (gain > best->gain ||
        (gain > 0 && gain == best->gain && is_before(on, power, best->power))) {
        *best = (choice){power, RH_EXPR_NONE, gain};
    }
}

static choice choose_power(writer *on, items list)
{
    choice best = {.gain = 0};
    count_shares(on, list);
    for (uint32_t k = 0; k < list.count; k++) {
        for (uint32_t j = 0; j < list.data[k].count; j++) {
            const uint32_t atom = list.data[k].powers[j].atom;
            const rh_share at = on->shares[atom];
            if (at.above > 1) {
                offer(on, &best, (rh_power){atom, at.least_above}, at.above - 1);
            }
            if (at.below > 1) {
                offer(on, &best, (rh_power){atom, -at.least_below}, 5 * (at.below - 1));
            }
        }
    }
    clear_shares(on, list);
    return best;
}

// The coefficient other than 1 that most items share, counted in a table by id.
static choice choose_coefficient(writer *on, items list)
{
    choice best = {.gain = 0};
    uint32_t size = 4;
    while (size < 2 * list.count) {
        size *= 2;
    }
    const rh_mark mark = rh__arena_mark(on->scratch);
    item *slots = rh__arena_array(on->scratch, item, size); // `count` counts the items
    for (uint32_t k = 0; slots != NULL && k < list.count; k++) {
        const rh_expr c = list.data[k].coefficient;
        uint32_t slot = (uint32_t)rh__hash_slot(c.i) & (size - 1);
        while (!rh__expr_is_none(slots[slot].coefficient) &&
               !rh__expr_same(slots[slot].coefficient, c)) {
            slot = (slot + 1) & (size - 1);
        }
        slots[slot].coefficient = c;
        const uint64_t gain = slots[slot].count++;
        if (gain > best.gain && !rh__expr_is_one(on->folder->store, c)) {
            best = (choice){{0, 0}, c, gain};
        }
    }
    rh__arena_rewind(on->scratch, mark);
    return best;
}

// --- taking out --------------------------------------------------------------------------------

// An item without the factor; false when it does not have it.
static bool take_out(writer *on, choice what, item *of)
{
    if (what.power.atom == 0) {
        const bool has_it = rh__expr_same(of->coefficient, what.coefficient);
        of->coefficient = has_it ? on->folder->store->one : of->coefficient;
        return has_it;
    }
    uint32_t at = 0;
    while (at < of->count && (of->powers[at].atom != what.power.atom ||
                              (of->powers[at].exponent > 0) != (what.power.exponent > 0))) {
        at++;
    }
    if (at == of->count) {
        return false;
    }
    rh_power *left = rh__arena_array(on->scratch, rh_power, of->count);
    if (left == NULL) {
        on->folder->ring.trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < of->count; k++) {
        left[count] = of->powers[k];
        left[count].exponent -= k == at ? what.power.exponent : 0;
        count += left[count].exponent != 0;
    }
    of->powers = left;
    of->count = count;
    return true;
}

// Move the items that have the factor, without it, to the front of `spare`; the others stay in
// `list`, both in order.
static items split_items(writer *on, choice what, items *list, item *spare)
{
    items with = {spare, 0};
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        item of = list->data[k];
        if (take_out(on, what, &of)) {
            with.data[with.count++] = of;
        } else {
            list->data[kept++] = of;
        }
    }
    list->count = kept;
    return with;
}

static rh_expr write_items(writer *on, items list, uint32_t depth);

// The factor times what it was taken out of.
static rh_expr write_shared(writer *on, choice what, items with, uint32_t depth)
{
    rh_store *store = on->folder->store;
    const rh_expr inside = write_items(on, with, depth + 1);
    const rh_expr factor = what.power.atom == 0 ? what.coefficient : write_power(on, what.power);
    return rh__expr_multiply(store, factor, inside);
}

// Recursion is at most DEEPEST: beyond that items are written one by one.
static rh_expr write_items(writer *on, items list, uint32_t depth)
{
    rh_expr *parts = rh__arena_array(on->scratch, rh_expr, list.count);
    item *spare = rh__arena_array(on->scratch, item, list.count);
    uint32_t count = 0;
    if (parts == NULL || spare == NULL) {
        on->folder->ring.trouble = RH_TROUBLE_MEMORY;
        return RH_EXPR_NONE;
    }
    while (list.count > 1 && depth < DEEPEST) {
        choice what = choose_power(on, list);
        const choice other = choose_coefficient(on, list);
        what = other.gain > what.gain ? other : what;
        if (what.gain == 0 || !rh__ring_spend(&on->folder->ring, list.count)) {
            break;
        }
        const items with = split_items(on, what, &list, spare);
        if (with.count == 0) {
            return RH_EXPR_NONE;
        }
        parts[count++] = write_shared(on, what, with, depth);
    }
    for (uint32_t k = 0; k < list.count; k++) {
        parts[count++] = write_item(on, list.data[k]);
    }
    return rh__expr_sum(on->folder->store, parts, count);
}

// --- gathering -------------------------------------------------------------------------------

// A term with its monomial split into what moves and what does not.
typedef struct split {
    uint32_t moving;
    rh_expr still;
    uint32_t next; // of the same moving part, + 1
} split;

static bool split_term(writer *on, rh_term term, split *out)
{
    rh_ring *ring = &on->folder->ring;
    const rh_monomial at = ring->monomials.data[term.monomial];
    rh_power *parts = rh__arena_array(on->scratch, rh_power, at.count);
    uint32_t moving = 0;
    uint32_t still = at.count;
    if (parts == NULL) {
        ring->trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    for (uint32_t k = 0; k < at.count; k++) {
        const rh_power power = ring->powers.data[at.first + k];
        parts[ring->atoms.data[power.atom].moves ? moving++ : --still] = power;
    }
    out->still = write_part(on, rh__folder_number(on->folder, term.number), parts + moving,
                            at.count - moving);
    return !rh__expr_is_none(out->still) && rh__monomial_intern(ring, parts, moving, &out->moving);
}

static bool make_item(writer *on, uint32_t moving, rh_expr *still, uint32_t count, item *out)
{
    rh_store *store = on->folder->store;
    const rh_ring *ring = &on->folder->ring;
    const rh_monomial at = ring->monomials.data[moving];
    const rh_expr sum = rh__expr_sum(store, still, count);
    if (rh__expr_is_none(sum)) {
        return false;
    }
    const bool is_negative = rh__expr_is_number(store, sum) ? rh__expr_number_sign(store, sum) < 0
                                                            : rh__expr_leads_negative(store, sum);
    *out = (item){is_negative ? rh__expr_negate(store, sum) : sum, is_negative,
                  ring->powers.data + at.first, at.count};
    return !rh__expr_is_none(out->coefficient);
}

// Terms of one moving part become one item, in the order in which they are met first.
static bool gather_items(writer *on, rh_poly poly, split *splits, rh_expr *still, items *out)
{
    rh_ring *ring = &on->folder->ring;
    bool ok = true;
    for (uint32_t k = 0; ok && k < poly.count; k++) {
        ok = split_term(on, poly.data[k], &splits[k]);
    }
    // chains of terms with the same moving part, through the seats of monomials
    rh__sum_begin(ring);
    for (uint32_t k = poly.count; ok && k-- > 0;) {
        rh_seat *seat = &ring->seats.data[splits[k].moving];
        splits[k].next = seat->visit == ring->visit ? seat->place + 1 : 0;
        *seat = (rh_seat){ring->visit, k};
    }
    for (uint32_t k = 0; ok && k < poly.count; k++) {
        rh_seat *seat = &ring->seats.data[splits[k].moving];
        if (seat->visit != ring->visit || seat->place != k) {
            continue;
        }
        uint32_t count = 0;
        for (uint32_t at = k + 1; at != 0; at = splits[at - 1].next) {
            still[count++] = splits[at - 1].still;
        }
        seat->visit = 0;
        ok = make_item(on, splits[k].moving, still, count, &out->data[out->count++]);
    }
    return ok;
}

static rh_expr write_poly(writer *on, rh_poly poly)
{
    split *splits = rh__arena_array(on->scratch, split, poly.count);
    rh_expr *still = rh__arena_array(on->scratch, rh_expr, poly.count);
    items list = {rh__arena_array(on->scratch, item, poly.count), 0};
    if (splits == NULL || still == NULL || list.data == NULL) {
        on->folder->ring.trouble = RH_TROUBLE_MEMORY;
        return RH_EXPR_NONE;
    }
    return gather_items(on, poly, splits, still, &list) ? write_items(on, list, 0) : RH_EXPR_NONE;
}

static bool reserve_shares(rh_folder *folder)
{
    const uint32_t need = folder->ring.atoms.count;
    const uint32_t have = folder->shares.count;
    if (need <= have) {
        return true;
    }
    if (!rh__array_reserve(&folder->ring.pool, &folder->shares, need - have)) {
        folder->ring.trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    folder->shares.count = need; // new ones are 0 like all memory of an arena
    return true;
}

rh_expr rh__folder_write(rh_folder *folder, rh_poly poly)
{
    rh_arena *scratch = &folder->store->scratch;
    if (poly.count == 0) {
        return folder->store->zero;
    }
    if (!rh__ring_spend(&folder->ring, 4 * (uint64_t)poly.count) || !reserve_shares(folder)) {
        return RH_EXPR_NONE;
    }
    rh_poly joined = poly;
    if (folder->guards && !rh__bracket_join(folder, poly, &joined)) {
        return RH_EXPR_NONE;
    }
    const rh_mark mark = rh__arena_mark(scratch);
    writer on = {folder, folder->shares.data, scratch};
    const rh_expr result = write_poly(&on, joined);
    rh__arena_rewind(scratch, mark);
    return result;
}
