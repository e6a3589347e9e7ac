// SPDX-License-Identifier: Apache-2.0
// Expressions to operations: each one becomes a strand, in the order in which they were explored.
// Negative powers wait: in a product they are its denominator. Factors that occur together
// elsewhere are multiplied first.

#include "tape/translate.h"

// --- strands ---------------------------------------------------------------------------------

static rh_strand power_strand(rh_translation *in, rh_expr e);

static rh_strand strand_of(rh_translation *in, rh_expr e)
{
    rh_record *it = rh__record_at(in, e);
    if (it->standing == RH_STANDING_MOVING) {
        RH_ASSERT(rh__translation_divides(in, e));
        it->strand = power_strand(in, e);
        it->standing = RH_STANDING_DONE;
    }
    return it->strand;
}

static rh_strand argument_strand(rh_translation *in, rh_expr e, uint32_t k)
{
    return strand_of(in, rh__expr_argument(in->store, e, k));
}

static rh_strand sum_strand(rh_translation *in, rh_expr e)
{
    rh_weave *weave = in->weave;
    const uint32_t count = rh__expr_count(in->store, e) / 2;
    const rh_mark mark = rh__arena_mark(&in->scratch);
    rh_strand *terms = rh__arena_array(&in->scratch, rh_strand, count);
    if (terms == NULL) {
        rh__weave_fail(weave, in->scratch.status);
        return rh__strand_constant(weave->zero);
    }
    for (uint32_t k = 0; k < count; k++) {
        terms[k] = rh__weave_scale(weave, argument_strand(in, e, 2 * k + 1),
                                   rh__expr_argument(in->store, e, 2 * k));
    }
    const rh_strand sum = rh__weave_sum(weave, terms, count);
    rh__arena_rewind(&in->scratch, mark);
    return sum;
}

// base ^ (halves / 2) for positive halves.
static rh_strand half_power(rh_translation *in, rh_strand base, int64_t count)
{
    rh_strand result = rh__weave_whole_power(in->weave, base, (uint32_t)(count / 2));
    if (count % 2 == 1) {
        result = rh__weave_multiply(in->weave, result,
                                    rh__weave_function(in->weave, RH_TAPE_ROOT, base, 0));
    }
    return result;
}

// An exponent that is no number but was taken by its value.
static void assume(rh_translation *in, rh_expr exponent, int64_t count)
{
    rh_weave *weave = in->weave;
    if (!rh__expr_is_number(in->store, exponent)) {
        const rh_tape_assumption made = {rh__weave_constant(weave, exponent), (double)count / 2};
        if (!rh__array_push(&weave->scratch, &weave->assumptions, made)) {
            rh__weave_fail(weave, weave->scratch.status);
        }
    }
}

static rh_strand power_strand(rh_translation *in, rh_expr e)
{
    rh_weave *weave = in->weave;
    const rh_expr base = rh__expr_argument(in->store, e, 0);
    const rh_expr exponent = rh__expr_argument(in->store, e, 1);
    const rh_strand a = strand_of(in, base);
    const rh_strand b = strand_of(in, exponent);
    if (b.id == RH_SLOT_NONE) {
        const int64_t count = rh__translation_halves(in, exponent);
        // of a power above 1 more is known where its base vanishes than of its root
        if (count == 0 || (count > 1 && count % 2 == 1)) {
            return rh__weave_power(weave, a, exponent);
        }
        assume(in, exponent, count);
        const rh_strand power = half_power(in, a, count < 0 ? -count : count);
        return count > 0 ? power : rh__weave_divide(weave, rh__strand_constant(weave->one), power);
    }
    const rh_strand log =
        a.id == RH_SLOT_NONE
            ? rh__strand_constant(rh__expr_apply(in->store, RH_OP_LOG, &a.weight, 1))
            : rh__weave_primitive(weave, RH_TAPE_LOG, a);
    return rh__weave_function(weave, RH_TAPE_EXP, rh__weave_multiply(weave, b, log), 0);
}

// Which two of the factors to multiply next: a pair made already, else the most frequent one.
static void choose_pair(const rh_translation *in, const rh_strand *factors, const rh_expr *names,
                        uint32_t count, uint32_t out[2])
{
    uint64_t best = 0;
    out[0] = 0;
    out[1] = 1;
    for (uint32_t i = 0; i < count && count <= RH_PAIR_FACTORS; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const bool has_names = names[i].i != 0 && names[j].i != 0;
            const uint64_t frequency =
                1 + (has_names ? rh__translation_pair(in, names[i].i, names[j].i) : 0);
            const bool is_made = rh__weave_has_product(in->weave, factors[i], factors[j]);
            const uint64_t merit = is_made ? UINT32_MAX + frequency : frequency;
            if (merit > best) {
                best = merit;
                out[0] = i;
                out[1] = j;
            }
        }
    }
}

static rh_strand multiply_all(rh_translation *in, rh_strand *factors, rh_expr *names,
                              uint32_t count)
{
    while (count > 1) {
        uint32_t pair[2];
        choose_pair(in, factors, names, count, pair);
        factors[pair[0]] = rh__weave_multiply(in->weave, factors[pair[0]], factors[pair[1]]);
        names[pair[0]] = RH_EXPR_NONE;
        factors[pair[1]] = factors[count - 1];
        names[pair[1]] = names[count - 1];
        count--;
    }
    return count == 1 ? factors[0] : rh__strand_constant(in->weave->one);
}

static rh_strand product_strand(rh_translation *in, rh_expr e)
{
    rh_weave *weave = in->weave;
    const uint32_t count = rh__expr_count(in->store, e);
    const rh_mark mark = rh__arena_mark(&in->scratch);
    rh_strand *over = rh__arena_array(&in->scratch, rh_strand, 2 * (size_t)count);
    rh_expr *names = rh__arena_array(&in->scratch, rh_expr, 2 * (size_t)count);
    if (over == NULL || names == NULL) {
        rh__weave_fail(weave, in->scratch.status);
        return rh__strand_constant(weave->zero);
    }
    rh_strand *under = over + count;
    rh_strand constant = rh__strand_constant(weave->one);
    uint32_t overs = 0;
    uint32_t unders = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr factor = rh__expr_argument(in->store, e, k);
        if (!rh__translation_moves(in, factor)) {
            constant = rh__weave_multiply(weave, constant, strand_of(in, factor));
        } else if (rh__translation_divides(in, factor)) {
            const rh_expr exponent = rh__expr_argument(in->store, factor, 1);
            assume(in, exponent, rh__translation_halves(in, exponent));
            under[unders++] = half_power(in, argument_strand(in, factor, 0),
                                         -rh__translation_halves(in, exponent));
        } else {
            names[overs] = factor;
            over[overs++] = strand_of(in, factor);
        }
    }
    rh_strand result = multiply_all(in, over, names, overs);
    if (unders > 0) {
        result = rh__weave_divide(weave, result, multiply_all(in, under, names + count, unders));
    }
    rh__arena_rewind(&in->scratch, mark);
    return rh__weave_multiply(weave, constant, result);
}

// --- conditions ------------------------------------------------------------------------------

static rh_strand compare_strand(rh_translation *in, rh_expr e, rh_switch_rule rule)
{
    const rh_expr source = rh__expr_subtract(in->store, rh__expr_argument(in->store, e, 0),
                                             rh__expr_argument(in->store, e, 1));
    return rh__weave_switch(
        in->weave,
        rh__weave_subtract(in->weave, argument_strand(in, e, 0), argument_strand(in, e, 1)), rule,
        source);
}

static rh_strand logic_strand(rh_translation *in, rh_expr e, rh_tape_code code)
{
    rh_strand result = argument_strand(in, e, 0);
    for (uint32_t k = 1; k < rh__expr_count(in->store, e); k++) {
        result = rh__weave_logic(in->weave, code, result, argument_strand(in, e, k));
    }
    return result;
}

static rh_strand size_strand(rh_translation *in, rh_strand a, rh_expr source)
{
    const rh_strand truth = rh__weave_switch(in->weave, a, RH_SWITCH_NOT_BELOW, source);
    return rh__weave_choose(in->weave, truth, a, rh__weave_negate(in->weave, a));
}

static rh_strand select_strand(rh_translation *in, rh_expr e, rh_switch_rule rule)
{
    return rh__weave_choose(in->weave, compare_strand(in, e, rule), argument_strand(in, e, 0),
                            argument_strand(in, e, 1));
}

// --- ratios ----------------------------------------------------------------------------------

// Near the zero of its argument by its series, elsewhere the quotient.
static rh_strand ratio_strand(rh_translation *in, rh_expr e)
{
    rh_weave *weave = in->weave;
    int64_t index = 0;
    const bool ok = rh__expr_as_integer(in->store, rh__expr_argument(in->store, e, 2), &index);
    RH_ASSERT(ok);
    (void)ok;
    const rh_ratio *ratio = rh__ratio_at(in->store, (uint32_t)index);
    const rh_strand near =
        rh__weave_near(weave, argument_strand(in, e, 0), ratio->radius,
                       rh__expr_argument(in->store, e, 2), rh__expr_argument(in->store, e, 3));
    return rh__weave_choose(weave,
                            rh__weave_within(weave, argument_strand(in, e, 0), ratio->radius), near,
                            argument_strand(in, e, 1));
}

// --- operations ------------------------------------------------------------------------------

static rh_strand function_strand(rh_translation *in, rh_op op, rh_expr e)
{
    rh_weave *weave = in->weave;
    const rh_strand a = argument_strand(in, e, 0);
    switch (op) {
    case RH_OP_SIN:
        return rh__weave_function(weave, RH_TAPE_SINCOS, a, 0);
    case RH_OP_COS:
        return rh__weave_function(weave, RH_TAPE_SINCOS, a, 1);
    case RH_OP_TAN:
        return rh__weave_divide(weave, rh__weave_function(weave, RH_TAPE_SINCOS, a, 0),
                                rh__weave_function(weave, RH_TAPE_SINCOS, a, 1));
    case RH_OP_SINH:
        return rh__weave_function(weave, RH_TAPE_SINHCOSH, a, 0);
    case RH_OP_COSH:
        return rh__weave_function(weave, RH_TAPE_SINHCOSH, a, 1);
    case RH_OP_TANH:
        return rh__weave_function(weave, RH_TAPE_TANH, a, 0);
    case RH_OP_EXP:
        return rh__weave_function(weave, RH_TAPE_EXP, a, 0);
    case RH_OP_LOG:
        return rh__weave_primitive(weave, RH_TAPE_LOG, a);
    case RH_OP_ASIN:
        return rh__weave_primitive(weave, RH_TAPE_ASIN, a);
    case RH_OP_ACOS:
        return rh__weave_primitive(weave, RH_TAPE_ACOS, a);
    case RH_OP_ATAN:
        return rh__weave_primitive(weave, RH_TAPE_ATAN, a);
    case RH_OP_ATAN2:
        return rh__weave_angle(weave, a, argument_strand(in, e, 1));
    case RH_OP_ABS:
        return size_strand(in, a, rh__expr_argument(in->store, e, 0));
    case RH_OP_SIGN:
        return rh__weave_switch(weave, a, RH_SWITCH_SIGN, rh__expr_argument(in->store, e, 0));
    case RH_OP_MIN:
        return select_strand(in, e, RH_SWITCH_NOT_ABOVE);
    case RH_OP_MAX:
        return select_strand(in, e, RH_SWITCH_NOT_BELOW);
    default:
        RH_ASSERT(op == RH_OP_SIN); // every function has a case
        return a;
    }
}

static rh_strand expression_strand(rh_translation *in, rh_expr e)
{
    const rh_op op = rh__expr_op(in->store, e);
    switch (op) {
    case RH_OP_ADD:
        return sum_strand(in, e);
    case RH_OP_MUL:
        return product_strand(in, e);
    case RH_OP_POW:
        return power_strand(in, e);
    case RH_OP_RATIO:
        return ratio_strand(in, e);
    case RH_OP_LESS:
        return compare_strand(in, e, RH_SWITCH_BELOW);
    case RH_OP_LESS_EQUAL:
        return compare_strand(in, e, RH_SWITCH_NOT_ABOVE);
    case RH_OP_EQUAL:
        return compare_strand(in, e, RH_SWITCH_ZERO);
    case RH_OP_AND:
        return logic_strand(in, e, RH_TAPE_AND);
    case RH_OP_OR:
        return logic_strand(in, e, RH_TAPE_OR);
    case RH_OP_NOT: {
        const rh_strand a = argument_strand(in, e, 0);
        return rh__weave_logic(in->weave, RH_TAPE_NOT, a, a);
    }
    case RH_OP_IF:
        return rh__weave_choose(in->weave, argument_strand(in, e, 0), argument_strand(in, e, 1),
                                argument_strand(in, e, 2));
    default:
        return function_strand(in, op, e);
    }
}

// The linear system of an unknown; all its unknowns get their strands.
static rh_strand solve_strand(rh_translation *in, const rh_record *it)
{
    rh_weave *weave = in->weave;
    const uint32_t s = in->solve_of[it->index];
    const rh_tape_solve *solve = &in->def->solves[s];
    const uint32_t entries = solve->matrix->entries.count;
    rh_strand *unknowns = rh__arena_array(&in->scratch, rh_strand, (size_t)solve->count + 1);
    rh_strand *values = rh__arena_array(&in->scratch, rh_strand, (size_t)entries + solve->count);
    if (unknowns == NULL || values == NULL) {
        rh__weave_fail(weave, in->scratch.status);
        return rh__strand_constant(weave->zero);
    }
    for (uint32_t k = 0; k < entries; k++) {
        values[k] = strand_of(in, solve->matrix->entries.data[k].value);
    }
    for (uint32_t k = 0; k < solve->count; k++) {
        values[entries + k] = strand_of(in, solve->right[k]);
    }
    const rh_solve_plan plan = {solve, values, in->def->value_of, in->def->user, unknowns};
    rh__weave_solve(weave, &plan);
    for (uint32_t k = 0; weave->status == RH_OK && k < solve->count; k++) {
        // what has a meaning moves, even when it does not change: it is no weight
        rh_record *unknown = rh__record_at(in, solve->unknowns[k]);
        if (unknown->meaning != RH_MEANING_UNKNOWN) {
            continue;
        }
        unknown->strand = unknowns[k].id != RH_SLOT_NONE
                              ? unknowns[k]
                              : rh__strand_value(weave, rh__weave_settle(weave, unknowns[k]));
        unknown->standing = RH_STANDING_DONE;
    }
    return it->strand;
}

static rh_strand symbol_strand(rh_translation *in, rh_expr e)
{
    rh_weave *weave = in->weave;
    const rh_record *it = rh__record_at(in, e);
    if (it->meaning == RH_MEANING_INPUT) {
        return rh__strand_value(weave, it->index);
    }
    if (it->meaning == RH_MEANING_UNKNOWN) {
        return solve_strand(in, it);
    }
    const rh_strand value = strand_of(in, in->def->definitions[it->index].value);
    return value.id != RH_SLOT_NONE ? value
                                    : rh__strand_value(weave, rh__weave_settle(weave, value));
}

static void translate_all(rh_translation *in)
{
    for (uint32_t k = 0; in->weave->status == RH_OK && k < in->order.count; k++) {
        const rh_expr e = in->order.data[k];
        rh_record *it = rh__record_at(in, e);
        if (it->standing != RH_STANDING_MOVING || rh__translation_divides(in, e)) {
            continue;
        }
        it->strand =
            it->meaning != RH_MEANING_NONE ? symbol_strand(in, e) : expression_strand(in, e);
        it->standing = RH_STANDING_DONE;
    }
}

static rh_status add_outputs(rh_translation *in)
{
    rh_weave *weave = in->weave;
    for (uint32_t k = 0; weave->status == RH_OK && k < in->def->output_count; k++) {
        const uint32_t id = rh__weave_settle(weave, strand_of(in, in->def->outputs[k]));
        if (!rh__array_push(&weave->scratch, &weave->outputs, id)) {
            return weave->scratch.status;
        }
    }
    return weave->status;
}

static rh_status translate(rh_translation *in)
{
    RH_TRY(rh__translation_explore(in));
    translate_all(in);
    return add_outputs(in);
}

rh_status rh__translate(rh_weave *weave, const rh_tape_def *def, rh_error *err)
{
    rh_translation in = {.weave = weave,
                         .def = def,
                         .store = def->store,
                         .scratch = rh__arena_begin(weave->arena->allocator, weave->arena->limit),
                         .err = err};
    const rh_status status = translate(&in);
    rh__arena_end(&in.scratch);
    return status;
}
