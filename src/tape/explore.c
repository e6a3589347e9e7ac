// SPDX-License-Identifier: Apache-2.0
// A walk from the outputs to all they need: through definitions to what they stand for, through
// unknowns to their linear systems. Each expression is closed after its arguments; what is met
// while it is still open goes in a circle.

#include "tape/translate.h"

#include <math.h>

enum { WHOLE_POWER = 64 }; // largest exponent that becomes products

// --- what symbols mean -----------------------------------------------------------------------

static void mean(rh_translation *in, rh_expr symbol, rh_meaning what, uint32_t index)
{
    if (symbol.i != 0 && rh__record_at(in, symbol)->meaning == RH_MEANING_NONE) {
        rh__record_at(in, symbol)->meaning = (uint8_t)what;
        rh__record_at(in, symbol)->index = index;
    }
}

// Inputs before unknowns before definitions, should a symbol be several of them.
static bool find_meanings(rh_translation *in)
{
    const rh_tape_def *def = in->def;
    uint32_t unknowns = 0;
    for (uint32_t s = 0; s < def->solve_count; s++) {
        unknowns += def->solves[s].count;
    }
    in->solve_of = rh__arena_array(&in->scratch, uint32_t, (size_t)unknowns + 1);
    in->solve_standing = rh__arena_array(&in->scratch, uint8_t, (size_t)def->solve_count + 1);
    if (in->solve_of == NULL || in->solve_standing == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < def->input_count; k++) {
        mean(in, def->inputs[k], RH_MEANING_INPUT, k);
    }
    for (uint32_t s = 0, u = 0; s < def->solve_count; s++) {
        for (uint32_t k = 0; k < def->solves[s].count; k++, u++) {
            in->solve_of[u] = s;
            mean(in, def->solves[s].unknowns[k], RH_MEANING_UNKNOWN, u);
        }
    }
    for (uint32_t k = 0; k < def->definition_count; k++) {
        mean(in, def->definitions[k].symbol, RH_MEANING_DEFINITION, k);
    }
    return true;
}

// --- the walk --------------------------------------------------------------------------------

typedef struct frame {
    rh_expr e;
    uint32_t next;
} frame;

typedef struct walk {
    rh_translation *in;
    RH_ARRAY(frame) stack;
} walk;

// Argument `k` of an expression, in the widest sense; none behind the last one.
static rh_expr next_argument(const rh_translation *in, rh_expr e, uint32_t k)
{
    const rh_record *it = rh__record_at(in, e);
    if (it->meaning == RH_MEANING_DEFINITION) {
        return k == 0 ? in->def->definitions[it->index].value : RH_EXPR_NONE;
    }
    if (it->meaning == RH_MEANING_UNKNOWN) {
        const uint32_t s = in->solve_of[it->index];
        const rh_tape_solve *solve = &in->def->solves[s];
        if (in->solve_standing[s] >= RH_STANDING_MOVING) {
            return RH_EXPR_NONE; // all of it was seen with another unknown
        }
        const uint32_t entries = solve->matrix->entries.count;
        return k < entries                  ? solve->matrix->entries.data[k].value
               : k < entries + solve->count ? solve->right[k - entries]
                                            : RH_EXPR_NONE;
    }
    return it->meaning == RH_MEANING_INPUT || k >= rh__expr_count(in->store, e)
               ? RH_EXPR_NONE
               : rh__expr_argument(in->store, e, k);
}

static rh_status refuse_symbol(rh_translation *in, rh_expr symbol, const char *why)
{
    rh_text text = rh__text_begin(&in->scratch, NULL);
    rh__family_show(in->store, rh__expr_family(in->store, symbol),
                    rh__expr_member(in->store, symbol), &text);
    const rh_slice name = rh__text_slice(&text);
    return rh__error_fill(in->err, RH_E_ARGUMENT, "`%.*s` %s", RH_SLICE_FORMAT(name), why);
}

bool rh__translation_moves(const rh_translation *in, rh_expr e)
{
    return rh__record_at(in, e)->standing >= RH_STANDING_MOVING;
}

// All arguments are known: does it move?
static rh_status close_expression(rh_translation *in, rh_expr e)
{
    rh_record *it = rh__record_at(in, e);
    bool moves = it->meaning != RH_MEANING_NONE;
    if (rh__expr_op(in->store, e) == RH_OP_SYMBOL && !moves &&
        (rh__expr_mask(in->store, e) & RH_EXPR_VARIABLE) != 0) {
        return refuse_symbol(in, e, "has no value here");
    }
    for (uint32_t k = 0; !moves && k < rh__expr_count(in->store, e); k++) {
        moves = rh__translation_moves(in, rh__expr_argument(in->store, e, k));
    }
    it->standing = moves ? RH_STANDING_MOVING : RH_STANDING_CONSTANT;
    it->strand = rh__strand_constant(e);
    if (it->meaning == RH_MEANING_UNKNOWN) {
        in->solve_standing[in->solve_of[it->index]] = RH_STANDING_MOVING;
    }
    return rh__array_push(&in->scratch, &in->order, e) ? RH_OK : in->scratch.status;
}

static rh_status open_expression(walk *on, rh_expr e)
{
    rh_translation *in = on->in;
    rh_record *it = rh__record_at(in, e);
    if (it->standing == RH_STANDING_OPEN) {
        return rh__error_fill(in->err, RH_E_ARGUMENT, "definitions go in a circle");
    }
    if (it->standing != RH_STANDING_NEW) {
        return RH_OK;
    }
    if (it->meaning == RH_MEANING_UNKNOWN) {
        uint8_t *solve = &in->solve_standing[in->solve_of[it->index]];
        if (*solve == RH_STANDING_OPEN) {
            return refuse_symbol(in, e, "stands in the equations it is found from");
        }
        *solve = *solve == RH_STANDING_NEW ? RH_STANDING_OPEN : *solve;
    }
    it->standing = RH_STANDING_OPEN;
    const frame top = {e, 0};
    return rh__array_push(&in->scratch, &on->stack, top) ? RH_OK : in->scratch.status;
}

static rh_status walk_from(walk *on, rh_expr root)
{
    RH_TRY(open_expression(on, root));
    while (on->stack.count > 0) {
        frame *top = &on->stack.data[on->stack.count - 1];
        const rh_expr e = top->e;
        const rh_expr child = next_argument(on->in, e, top->next++);
        if (child.i != 0) {
            RH_TRY(open_expression(on, child));
        } else {
            on->stack.count--;
            RH_TRY(close_expression(on->in, e));
        }
    }
    return RH_OK;
}

// --- pairs of factors ------------------------------------------------------------------------

// Where the pair stands, or the free place where it would stand.
static rh_pairing *pair_place(const rh_translation *in, uint32_t a, uint32_t b)
{
    const uint32_t left = a < b ? a : b;
    const uint32_t right = a < b ? b : a;
    const uint32_t mask = in->pair_size - 1;
    uint32_t place = (uint32_t)rh__hash_slot((uint64_t)left << 32 | right) & mask;
    while (in->pairs[place].left != 0 &&
           (in->pairs[place].left != left || in->pairs[place].right != right)) {
        place = (place + 1) & mask;
    }
    return &in->pairs[place];
}

// Only what was sized for is entered: a table that fills up has no free place to end a search.
static void count_pair(const rh_translation *in, uint32_t a, uint32_t b)
{
    rh_pairing *pair = pair_place(in, a, b);
    pair->left = a < b ? a : b;
    pair->right = a < b ? b : a;
    pair->count++;
}

uint32_t rh__translation_pair(const rh_translation *in, uint32_t a, uint32_t b)
{
    return pair_place(in, a, b)->count;
}

// Twice the exponent where that is a small whole number, else 0.
static int64_t halves_of(double value)
{
    const bool is_whole = fabs(value) <= WHOLE_POWER && 2 * value == rint(2 * value);
    return is_whole ? (int64_t)(2 * value) : 0;
}

// An rh_choice_of.
static int64_t choose_halves(const void *data, const double *values, uint32_t count)
{
    (void)data;
    return count == 1 ? halves_of(values[0]) : 0;
}

int64_t rh__translation_halves(const rh_translation *in, rh_expr exponent)
{
    int64_t n = 0;
    double value = NAN;
    if (rh__expr_as_integer(in->store, exponent, &n)) {
        return n >= -WHOLE_POWER && n <= WHOLE_POWER ? 2 * n : 0;
    }
    if (rh__expr_is_number(in->store, exponent)) {
        value = rh__expr_number_value(in->store, exponent);
    } else if (in->def->value_of != NULL &&
               rh__record_at(in, exponent)->standing == RH_STANDING_CONSTANT) {
        rh_arena scratch = rh__arena_begin(in->weave->arena->allocator, in->weave->arena->limit);
        if (!rh__expr_values(in->store, &exponent, 1, in->def->value_of, in->def->user, &scratch,
                             &value)) {
            value = NAN;
        }
        rh__arena_end(&scratch);
        rh__store_note_choice(in->store, &exponent, 1, in->def->value_of, in->def->user,
                              choose_halves, NULL, 0);
    }
    return halves_of(value);
}

bool rh__translation_divides(const rh_translation *in, rh_expr e)
{
    return rh__expr_op(in->store, e) == RH_OP_POW && rh__translation_moves(in, e) &&
           !rh__translation_moves(in, rh__expr_argument(in->store, e, 1)) &&
           rh__translation_halves(in, rh__expr_argument(in->store, e, 1)) < 0;
}

static uint32_t moving_factors(const rh_translation *in, rh_expr product, rh_expr *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < rh__expr_count(in->store, product); k++) {
        const rh_expr factor = rh__expr_argument(in->store, product, k);
        if (rh__translation_moves(in, factor) && !rh__translation_divides(in, factor)) {
            out[count++] = factor;
        }
    }
    return count;
}

static bool count_pairs(rh_translation *in)
{
    const rh_store *store = in->store;
    uint64_t most = 64;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < in->order.count; k++) {
            const rh_expr e = in->order.data[k];
            rh_expr factors[RH_PAIR_FACTORS];
            if (rh__expr_op(store, e) != RH_OP_MUL || rh__expr_count(store, e) > RH_PAIR_FACTORS) {
                continue;
            }
            const uint32_t count = moving_factors(in, e, factors);
            most += count * count;
            for (uint32_t i = 1; pass == 1 && i < count; i++) {
                for (uint32_t j = 0; j < i; j++) {
                    count_pair(in, factors[i].i, factors[j].i);
                }
            }
        }
        if (pass == 0) {
            in->pair_size = 64;
            while (in->pair_size < 2 * most) {
                in->pair_size *= 2;
            }
            in->pairs = rh__arena_array(&in->scratch, rh_pairing, in->pair_size);
            if (in->pairs == NULL) {
                return false;
            }
        }
    }
    return true;
}

rh_status rh__translation_explore(rh_translation *in)
{
    in->record_count = rh__store_count(in->store);
    in->records = rh__arena_array(&in->scratch, rh_record, in->record_count);
    if (in->records == NULL || !find_meanings(in)) {
        return in->scratch.status;
    }
    walk on = {.in = in};
    for (uint32_t k = 0; k < in->def->output_count; k++) {
        RH_TRY(walk_from(&on, in->def->outputs[k]));
    }
    return count_pairs(in) ? RH_OK : in->scratch.status;
}
