// SPDX-License-Identifier: Apache-2.0
// What a series in loops leaves out above order 0, because some slots are derivatives of others. A
// row of a block that is the second derivative of a square has in it
//     s s'' + s' s' = (s s)'' / 2,
// whose coefficient k is (k + 1) (k + 2) / 2 times that of s s at order k + 2: one symmetric sum
// over s alone in place of two over s, s' and s''. Such a product is a bend. The square of s' on
// the right side is dropped then, and what nobody reads any more is idle. For that s has to be
// ahead: its order k + 1 follows from order k of s'.

#include "tape/emit.h"

typedef struct finding {
    rh_emission *in;
    const rh_tape *tape;
    uint32_t *slope;    // by slot: 1 + the slot of its derivative, 0: none
    uint32_t *group_of; // by slot: 1 + its group, 0: an input
    uint32_t *head;     // by slot: 1 + an operand of a linear operation that is this slot, ...
    uint32_t *next;     // ... by operand: 1 + another one
    uint32_t *owner;    // by operand: the output of its operation
    uint32_t *reads;    // by slot: how often operations and right sides read it
    uint32_t *shares;   // by sum: how many shares have it
} finding;

static const rh_tape_group *group_at(const finding *on, uint32_t slot)
{
    return on->group_of[slot] == 0 ? NULL : &on->tape->groups[on->group_of[slot] - 1];
}

static bool has_code(const finding *on, uint32_t slot, rh_tape_code code)
{
    const rh_tape_group *group = group_at(on, slot);
    return group != NULL && group->code == code;
}

// The place of operand j of the operation with this output.
static uint32_t place_of(const finding *on, uint32_t slot, uint32_t j)
{
    const rh_tape_group *group = group_at(on, slot);
    return group->operand + j * group->count + slot - group->first;
}

static uint32_t operand(const finding *on, uint32_t slot, uint32_t j)
{
    return on->tape->operands[place_of(on, slot, j)];
}

// The place of weight j of a linear operation; behind its terms that of its bias.
static uint32_t weight_of(const finding *on, uint32_t slot, uint32_t j)
{
    const rh_tape_group *group = group_at(on, slot);
    return group->weight + j * group->count + slot - group->first;
}

// --- who reads what ------------------------------------------------------------------------------

static void read_group(finding *on, uint32_t index)
{
    const rh_tape_group *group = &on->tape->groups[index];
    for (uint32_t j = 0; group->code != RH_TAPE_SOLVE && j < group->arity * group->count; j++) {
        const uint32_t place = group->operand + j;
        const uint32_t slot = on->tape->operands[place];
        on->reads[slot]++;
        if (group->code == RH_TAPE_LINEAR) {
            on->owner[place] = group->first + j % group->count;
            on->next[place] = on->head[slot];
            on->head[slot] = 1 + place;
        }
    }
}

static void read_block(finding *on, const rh_tape_block *block)
{
    for (uint32_t row = 0; row < block->n; row++) {
        if (block->right[row].slot != RH_SLOT_NONE) {
            on->reads[block->right[row].slot]++;
        }
    }
    for (uint32_t j = 0; j < block->share_count; j++) {
        on->reads[block->shares[j].matrix]++;
        on->reads[block->shares[j].unknown]++;
        on->shares[block->sums.first + block->shares[j].sum]++;
    }
}

// Slots that consecutive operations read, or that such operations make of consecutive slots, are of
// one family.
static void link_group(finding *on, const rh_tape_group *group)
{
    for (uint32_t i = 1; group->code != RH_TAPE_SOLVE && i < group->count; i++) {
        bool is_run = true;
        for (uint32_t j = 0; j < group->arity; j++) {
            const uint32_t *slot = on->tape->operands + group->operand + j * group->count + i;
            const bool is_next = slot[0] == slot[-1] + 1;
            is_run = is_run && is_next;
            on->in->is_linked[slot[0]] |= is_next;
        }
        on->in->is_linked[group->first + i] |= is_run;
    }
}

static void find_readers(finding *on)
{
    const rh_tape *tape = on->tape;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const bool is_last = g + 1 == tape->group_count;
        const uint32_t end = is_last ? tape->slot_count : tape->groups[g + 1].first;
        for (uint32_t slot = tape->groups[g].first; slot < end; slot++) {
            on->group_of[slot] = 1 + g;
        }
        read_group(on, g);
        link_group(on, &tape->groups[g]);
    }
    for (uint32_t b = 0; b < tape->block_count; b++) {
        read_block(on, &tape->blocks[b]);
    }
}

// --- derivatives ---------------------------------------------------------------------------------

// Term by term: the same weights on the derivatives of the operands, in any order.
static bool is_slope(const finding *on, uint32_t slot, uint32_t other)
{
    const rh_tape_group *group = group_at(on, slot);
    const uint32_t *weights = on->tape->weights;
    if (group_at(on, other)->arity != group->arity ||
        rh__emit_literal(on->in, weight_of(on, other, group->arity)) != 0.0) {
        return false;
    }
    for (uint32_t j = 0; j < group->arity; j++) {
        const uint32_t wanted = on->slope[operand(on, slot, j)];
        uint32_t i = 0;
        while (i < group->arity &&
               (1 + operand(on, other, i) != wanted ||
                weights[weight_of(on, other, i)] != weights[weight_of(on, slot, j)])) {
            i++;
        }
        if (i == group->arity) {
            return false;
        }
    }
    return true;
}

// The derivative of a linear operation among those that read the derivative of an operand.
static uint32_t find_slope(const finding *on, uint32_t slot)
{
    const rh_tape_group *group = group_at(on, slot);
    uint32_t rarest = 0; // 1 + a slot
    for (uint32_t j = 0; j < group->arity; j++) {
        const uint32_t wanted = on->slope[operand(on, slot, j)];
        if (wanted == 0) {
            return 0;
        }
        if (rarest == 0 || on->reads[wanted - 1] < on->reads[rarest - 1]) {
            rarest = wanted;
        }
    }
    for (uint32_t at = rarest > 0 ? on->head[rarest - 1] : 0; at != 0; at = on->next[at - 1]) {
        if (is_slope(on, slot, on->owner[at - 1])) {
            return 1 + on->owner[at - 1];
        }
    }
    return 0;
}

static void find_slopes(finding *on)
{
    const rh_tape *tape = on->tape;
    for (uint32_t i = 0; i < on->in->n; i++) {
        on->slope[1 + i] = 1 + tape->outputs[i];
    }
    for (uint32_t slot = tape->input_count; slot < tape->slot_count; slot++) {
        if (has_code(on, slot, RH_TAPE_LINEAR)) {
            on->slope[slot] = find_slope(on, slot);
        }
    }
}

// --- bends ---------------------------------------------------------------------------------------

// A state whose rate is another state is known an order further, and what is linear in such states
// too. Sums of shares over them leave nothing to be added.
static void find_ahead(finding *on)
{
    const rh_tape *tape = on->tape;
    bool *is_ahead = on->in->is_ahead;
    for (uint32_t i = 0; i < on->in->n; i++) {
        is_ahead[1 + i] = tape->outputs[i] >= 1 && tape->outputs[i] <= on->in->n;
    }
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        for (uint32_t i = 0; group->code == RH_TAPE_LINEAR && i < group->count; i++) {
            // nobody else is to see an order more than of others
            bool has_all = group->level == 1 && !on->in->is_visible[group->first + i];
            for (uint32_t j = 0; has_all && j < group->arity; j++) {
                has_all = is_ahead[operand(on, group->first + i, j)];
            }
            is_ahead[group->first + i] = has_all;
        }
    }
    for (uint32_t b = 0; b < tape->block_count; b++) {
        const rh_range sums = tape->blocks[b].sums;
        for (uint32_t k = sums.first; k < sums.first + sums.count; k++) {
            on->in->sum_kind[k] = is_ahead[tape->products.left[k]] ? RH_SUM_WHOLE : RH_SUM_PLAIN;
        }
    }
}

// Is right * weight == -share, whatever the parameters are? Weights by their places.
static bool do_cancel(const finding *on, uint32_t right, uint32_t weight, uint32_t share)
{
    const double a = rh__emit_literal(on->in, right);
    const double b = rh__emit_literal(on->in, weight);
    const double c = rh__emit_literal(on->in, share);
    const uint32_t *weights = on->tape->weights;
    return a * b == -c || (a == -1.0 && weights[weight] == weights[share]);
}

static bool is_square_of(const finding *on, uint32_t slot, uint32_t factor)
{
    return has_code(on, slot, RH_TAPE_SQUARE) && operand(on, slot, 0) == factor;
}

// Share j of a row: with a square on the right side it makes a bend. Only the row reads that right
// side, which is a sum of which one term is dropped.
static void find_bend(finding *on, const rh_tape_block *block, uint32_t row, uint32_t j)
{
    rh_emission *in = on->in;
    const rh_tape_share *share = &block->shares[j];
    const uint32_t sum = block->sums.first + share->sum;
    const uint32_t slope = on->slope[share->matrix];
    const uint32_t right = block->right[row].slot;
    const uint32_t weights = block->weight + block->entry_count;
    if (slope == 0 || in->sum_kind[sum] != RH_SUM_WHOLE ||
        on->slope[slope - 1] != 1 + share->unknown || on->shares[sum] != 1 ||
        right == RH_SLOT_NONE || on->reads[right] != 1 || in->is_visible[right] ||
        !has_code(on, right, RH_TAPE_LINEAR)) {
        return;
    }
    for (uint32_t i = 0; i < group_at(on, right)->arity; i++) {
        const uint32_t place = place_of(on, right, i);
        if (!in->is_dropped[place] && is_square_of(on, operand(on, right, i), slope - 1) &&
            do_cancel(on, weights + row, weight_of(on, right, i), weights + block->n + j)) {
            in->is_dropped[place] = true;
            in->sum_kind[sum] = RH_SUM_BEND;
            return;
        }
    }
}

static void find_bends(finding *on)
{
    for (uint32_t b = 0; b < on->tape->block_count; b++) {
        const rh_tape_block *block = &on->tape->blocks[b];
        for (uint32_t row = 0; row < block->n; row++) {
            for (uint32_t j = block->share_begin[row]; j < block->share_begin[row + 1]; j++) {
                find_bend(on, block, row, j);
            }
        }
    }
}

// --- what is left --------------------------------------------------------------------------------

// Are all terms of a linear operation dropped?
static bool is_still(const rh_emission *in, uint32_t slot)
{
    const rh_tape *tape = in->tape;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        if (slot < group->first || slot - group->first >= group->count) {
            continue;
        }
        bool is_empty = group->code == RH_TAPE_LINEAR;
        for (uint32_t j = 0; is_empty && j < group->arity; j++) {
            is_empty = in->is_dropped[group->operand + j * group->count + slot - group->first];
        }
        return is_empty;
    }
    return false;
}

uint32_t rh__emit_right_slot(const rh_emission *in, const rh_tape_block *block, uint32_t row,
                             bool is_order)
{
    const uint32_t slot = block->right[row].slot;
    return is_order && slot != RH_SLOT_NONE && is_still(in, slot) ? RH_SLOT_NONE : slot;
}

static bool need(bool *is_needed, uint32_t slot)
{
    const bool is_new = !is_needed[slot];
    is_needed[slot] = true;
    return is_new;
}

static bool need_block(const finding *on, const rh_tape_block *block, bool *is_needed)
{
    const rh_tape_pairs *products = &on->tape->products;
    bool is_new = false;
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t right = rh__emit_right_slot(on->in, block, row, true);
        is_new |= right != RH_SLOT_NONE && need(is_needed, right);
    }
    for (uint32_t k = block->sums.first; k < block->sums.first + block->sums.count; k++) {
        is_new |= need(is_needed, products->left[k]);
        is_new |= on->in->sum_kind[k] != RH_SUM_BEND && need(is_needed, products->right[k]);
    }
    return is_new;
}

static uint32_t outputs_of(rh_tape_code code)
{
    return code == RH_TAPE_SINCOS || code == RH_TAPE_SINHCOSH || code == RH_TAPE_TANH ? 2 : 1;
}

static bool need_group(const finding *on, const rh_tape_group *group, bool *is_needed)
{
    bool is_new = false;
    for (uint32_t k = 0; group->code == RH_TAPE_SOLVE && k < group->count; k++) {
        is_new |= need_block(on, &on->tape->blocks[group->operand + k], is_needed);
    }
    for (uint32_t i = 0; group->code != RH_TAPE_SOLVE && i < group->count; i++) {
        bool is_read = false;
        for (uint32_t o = 0; o < outputs_of(group->code); o++) {
            is_read |= is_needed[group->first + o * group->count + i];
        }
        for (uint32_t o = 0; is_read && o < outputs_of(group->code); o++) {
            is_new |= need(is_needed, group->first + o * group->count + i);
        }
        for (uint32_t j = 0; is_read && j < group->arity; j++) {
            const uint32_t place = group->operand + j * group->count + i;
            is_new |= !on->in->is_dropped[place] && need(is_needed, on->tape->operands[place]);
        }
    }
    return is_new;
}

// The sums of an operation that is idle; of kinds that have several, these are taken all the same.
static void spare_sums(rh_emission *in, const rh_tape_group *group)
{
    const bool has_one = group->code == RH_TAPE_MULTIPLY || group->code == RH_TAPE_SQUARE ||
                         group->code == RH_TAPE_DIVIDE || group->code == RH_TAPE_RECIPROCAL ||
                         group->code == RH_TAPE_ROOT;
    for (uint32_t i = 0; has_one && i < group->count; i++) {
        if (in->is_idle[group->first + i]) {
            in->sum_kind[group->sum + i] = RH_SUM_NONE;
        }
    }
}

// Sums read what later groups made at lower orders, so this goes round until nothing is new.
static bool find_idle(finding *on)
{
    rh_emission *in = on->in;
    const rh_tape *tape = on->tape;
    bool *is_needed = rh__arena_array(in->scratch, bool, (size_t)tape->slot_count + 1);
    if (is_needed == NULL) {
        return false;
    }
    for (uint32_t slot = 0; slot < tape->slot_count; slot++) {
        is_needed[slot] = in->is_visible[slot];
    }
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t g = tape->group_count; g-- > 0;) {
            is_new |= need_group(on, &tape->groups[g], is_needed);
        }
    }
    for (uint32_t slot = 0; slot < tape->slot_count; slot++) {
        in->is_idle[slot] = !is_needed[slot] && !has_code(on, slot, RH_TAPE_SOLVE);
    }
    for (uint32_t g = 0; g < tape->group_count; g++) {
        spare_sums(in, &tape->groups[g]);
    }
    return true;
}

static bool reserve(finding *on)
{
    rh_emission *in = on->in;
    const rh_tape *tape = on->tape;
    const size_t slots = (size_t)tape->slot_count + 1;
    const size_t operands = (size_t)tape->operand_count + 1;
    const size_t sums = rh__emit_sum_count(tape) + 1;
    in->sum_kind = rh__arena_array(in->scratch, unsigned char, sums);
    in->is_ahead = rh__arena_array(in->scratch, bool, slots);
    in->is_linked = rh__arena_array(in->scratch, bool, slots);
    in->is_dropped = rh__arena_array(in->scratch, bool, operands);
    in->is_idle = rh__arena_array(in->scratch, bool, slots);
    on->slope = rh__arena_array(in->scratch, uint32_t, slots);
    on->group_of = rh__arena_array(in->scratch, uint32_t, slots);
    on->head = rh__arena_array(in->scratch, uint32_t, slots);
    on->next = rh__arena_array(in->scratch, uint32_t, operands);
    on->owner = rh__arena_array(in->scratch, uint32_t, operands);
    on->reads = rh__arena_array(in->scratch, uint32_t, slots);
    on->shares = rh__arena_array(in->scratch, uint32_t, sums);
    return in->sum_kind != NULL && in->is_ahead != NULL && in->is_linked != NULL &&
           in->is_dropped != NULL && in->is_idle != NULL && on->slope != NULL &&
           on->group_of != NULL && on->head != NULL && on->next != NULL && on->owner != NULL &&
           on->reads != NULL && on->shares != NULL;
}

rh_status rh__emit_bends(rh_emission *in)
{
    finding on = {.in = in, .tape = in->tape};
    if (!reserve(&on)) {
        return in->scratch->status;
    }
    if (in->order == 0) {
        return RH_OK;
    }
    find_readers(&on);
    find_slopes(&on);
    find_ahead(&on);
    find_bends(&on);
    return find_idle(&on) ? RH_OK : in->scratch->status;
}
