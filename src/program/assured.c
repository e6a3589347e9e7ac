// SPDX-License-Identifier: Apache-2.0
// Does the first approximation decide? A law is P z and a rest. The rest must be small against z,
// and so at all times and states: where it grows along the motion, or has a kink on the program, P
// says nothing. Proved in balls: a rest with finite second derivatives near z = 0 is of second
// order there; and of a product whose factors vanish with z the orders add up, kinks or not.

#include "program/program.h"

#include "proof/proof.h"

#include <math.h>

enum { BITS = 96, MOST_DEVIATIONS = 40, MOST_NODES = 4000 };

#define FAR 1e300 // for variables without a range

typedef struct assurance {
    rh_program *program;
    rh_expr sign;     // stands for a number between -1 and 1
    double near, far; // how far z, and variables without a range, may go
} assurance;

rh_status rh__program_prove_zero(rh_program *program, rh_expr e, bool *out)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    const rh_expr exact = rh__program_exact(program, e); // the prover takes no walks of ours
    const rh_prover_def def = {.value = NULL};
    rh_claim claim = {.identity = RH_IDENTITY_PROVED};
    const bool ok = exact.i != 0 &&
                    (rh__expr_is_zero(program->store, exact) ||
                     rh__prover_judge(program->store, &def, &exact, 1, &program->scratch, &claim));
    rh__arena_rewind(&program->scratch, mark);
    *out = ok && claim.identity == RH_IDENTITY_PROVED;
    return ok ? RH_OK : rh__program_refused(program);
}

// --- bounds -------------------------------------------------------------------------------------

static const rh_program_range *range_of(const rh_program *program, rh_expr symbol)
{
    for (uint32_t k = 0; k < program->box.count; k++) {
        if (program->box.data[k].symbol.i == symbol.i) {
            return &program->box.data[k];
        }
    }
    return NULL;
}

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const assurance *it = user;
    const rh_program_range *range = range_of(it->program, symbol);
    const uint32_t mask = rh__expr_mask(store, symbol);
    if (symbol.i == it->sign.i) {
        rh__balls_set_interval(out, k, (rh_interval){-1.0, 1.0});
    } else if ((mask & RH_ROLE_DEVIATION) != 0) {
        rh__balls_set_interval(out, k, (rh_interval){-it->near, it->near});
    } else if (range != NULL) {
        rh__balls_set_interval(out, k, (rh_interval){range->low, range->high});
    } else if ((mask & RH_EXPR_VARIABLE) != 0) {
        rh__balls_set_interval(out, k, (rh_interval){-it->far, it->far});
    } else {
        rh__balls_set_double(out, k, rh__point_value(&it->program->start.point, store, symbol));
    }
}

// The largest size of all balls; infinite when one is not finite.
static double measure(assurance *it, rh_enclosure *enclosure, rh_balls *balls, double far)
{
    double size = 0.0;
    it->far = far;
    rh__enclosure_evaluate(enclosure, ball_of, it, BITS, balls);
    for (uint32_t k = 0; k < rh__balls_count(balls); k++) {
        const rh_interval hull = rh__balls_interval(balls, k);
        size = fmax(size, fmax(fabs(hull.lo), fabs(hull.hi)));
    }
    return size;
}

// Are all of them bounded for small z? What is the same however far the variables without a range
// go, is bounded.
static bool is_bounded(assurance *it, const rh_expr *e, uint32_t count)
{
    static const double NEAR[] = {0x1p-4, 0x1p-12, 0x1p-30, 0x1p-80};
    const rh_mark mark = rh__arena_mark(&it->program->scratch);
    rh_enclosure *enclosure =
        rh__enclosure_create(it->program->store, e, count, &it->program->scratch);
    rh_balls *balls = rh__balls_create(&it->program->scratch, count);
    bool ok = false;
    for (size_t k = 0; enclosure != NULL && balls != NULL && !ok && k < sizeof NEAR / sizeof *NEAR;
         k++) {
        it->near = NEAR[k];
        const double size = measure(it, enclosure, balls, FAR);
        ok = size < 1e100 && size <= 1.001 * measure(it, enclosure, balls, sqrt(FAR));
    }
    rh__balls_destroy(balls);
    rh__enclosure_destroy(enclosure);
    rh__arena_rewind(&it->program->scratch, mark);
    return ok;
}

// Value, first and second derivatives by z: the first are zero at zero, for all states.
static bool has_second_order(assurance *it, rh_expr e)
{
    rh_program *program = it->program;
    rh_store *store = program->store;
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_gradient gradient = {NULL, 0};
    RH_ARRAY(rh_expr) all = {0};
    bool ok = rh__array_push(&program->scratch, &all, e) &&
              rh__expr_gradient(store, e, RH_ROLE_DEVIATION, &program->scratch, &gradient) &&
              gradient.count <= MOST_DEVIATIONS;
    for (uint32_t k = 0; ok && k < gradient.count; k++) {
        rh_gradient second = {NULL, 0};
        ok = rh__array_push(&program->scratch, &all, gradient.data[k].value) &&
             rh__expr_gradient(store, gradient.data[k].value, RH_ROLE_DEVIATION, &program->scratch,
                               &second);
        for (uint32_t j = 0; ok && j < second.count; j++) {
            ok = rh__array_push(&program->scratch, &all, second.data[j].value);
        }
    }
    ok = ok && is_bounded(it, all.data, all.count);
    rh__arena_rewind(&program->scratch, mark);
    return ok;
}

// --- orders -------------------------------------------------------------------------------------

static double order_at(const rh_expr_list *all, const double *orders, uint32_t before, rh_expr e)
{
    while (before > 0 && all->data[before - 1].i != e.i) {
        before--;
    }
    return before > 0 ? orders[before - 1] : 0.0;
}

// How fast node k vanishes with z, at least; its arguments are bounded.
static double order_of(const rh_store *store, const rh_expr_list *all, const double *orders,
                       uint32_t k)
{
    const rh_expr e = all->data[k];
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = op == RH_OP_SYMBOL || op == RH_OP_NUMBER ? 0 : rh__expr_count(store, e);
    double least = INFINITY;
    double sum = 0.0;
    // a sum is c1*t1 + c2*t2 + ...; of a choice the condition does not count
    for (uint32_t j = op == RH_OP_ADD || op == RH_OP_IF; j < count; j += op == RH_OP_ADD ? 2 : 1) {
        const double order = order_at(all, orders, k, rh__expr_argument(store, e, j));
        least = fmin(least, order);
        sum += order;
    }
    switch (op) {
    case RH_OP_SYMBOL:
        return (rh__expr_mask(store, e) & RH_ROLE_DEVIATION) != 0 ? 1.0 : 0.0;
    case RH_OP_NUMBER:
        return rh__expr_is_zero(store, e) ? INFINITY : 0.0;
    case RH_OP_MUL:
        return sum;
    case RH_OP_POW: {
        const rh_expr exponent = rh__expr_argument(store, e, 1);
        const double power =
            rh__expr_is_number(store, exponent) ? rh__expr_number_value(store, exponent) : 0.0;
        return power > 0.0 ? power * order_at(all, orders, k, rh__expr_argument(store, e, 0)) : 0.0;
    }
    case RH_OP_ADD:
    case RH_OP_IF:
    case RH_OP_ABS:
    case RH_OP_MIN:
    case RH_OP_MAX:
    case RH_OP_SIN:
    case RH_OP_TAN:
    case RH_OP_ASIN:
    case RH_OP_ATAN:
    case RH_OP_SINH:
    case RH_OP_TANH:
        return count > 0 ? least : 0.0;
    default:
        return 0.0;
    }
}

// A term of order two at least, whose parts are bounded.
static bool is_small(assurance *it, rh_expr e)
{
    rh_program *program = it->program;
    rh_store *store = program->store;
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_expr_list all = {0};
    bool ok = rh__expr_reach(store, &e, 1, &program->scratch, &all) && all.count <= MOST_NODES;
    double *orders = ok ? rh__arena_array(&program->scratch, double, all.count) : NULL;
    for (uint32_t k = 0; orders != NULL && k < all.count; k++) {
        orders[k] = order_of(store, &all, orders, k);
    }
    ok = orders != NULL && orders[all.count - 1] >= 2.0;
    for (uint32_t k = 0; ok && k < all.count; k++) { // a sign jumps, and is bounded
        if (rh__expr_op(store, all.data[k]) == RH_OP_SIGN) {
            e = rh__expr_replace(store, e, all.data[k], it->sign);
            ok = e.i != 0;
        }
    }
    ok = ok && is_bounded(it, &e, 1);
    rh__arena_rewind(&program->scratch, mark);
    return ok;
}

static bool is_kink(rh_op op)
{
    return op == RH_OP_ABS || op == RH_OP_SIGN || op == RH_OP_MIN || op == RH_OP_MAX ||
           op == RH_OP_IF;
}

static bool has_kink(rh_program *program, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_expr_list all = {0};
    bool found = !rh__expr_reach(program->store, &e, 1, &program->scratch, &all);
    for (uint32_t k = 0; !found && k < all.count; k++) {
        found = is_kink(rh__expr_op(program->store, all.data[k]));
    }
    rh__arena_rewind(&program->scratch, mark);
    return found;
}

// The rest of a law: terms with kinks each for itself, all others together.
static bool is_second_order(assurance *it, rh_expr rest)
{
    rh_store *store = it->program->store;
    if (has_second_order(it, rest)) {
        return true;
    }
    rh_expr plain = rh__expr_integer(store, 0);
    const bool is_sum = rh__expr_op(store, rest) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, rest) : 1;
    bool ok = has_kink(it->program, rest);
    for (uint32_t k = 0; ok && k < count; k += is_sum ? 2 : 1) {
        const rh_expr term = is_sum ? rh__expr_multiply(store, rh__expr_argument(store, rest, k),
                                                        rh__expr_argument(store, rest, k + 1))
                                    : rest;
        if (term.i != 0 && has_kink(it->program, term)) {
            ok = is_small(it, term);
        } else {
            plain = rh__expr_add(store, plain, term);
        }
        ok = ok && term.i != 0 && plain.i != 0;
    }
    return ok && has_second_order(it, plain);
}

// --- laws ---------------------------------------------------------------------------------------

// A variable of the rest besides z that has no range; none: there is none.
static rh_status find_open(rh_program *program, rh_expr rest, rh_expr *out, bool *out_is_boxed)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_expr_list symbols = {0};
    const bool ok =
        rh__expr_symbols(program->store, rest, RH_EXPR_VARIABLE, &program->scratch, &symbols);
    *out = RH_EXPR_NONE;
    *out_is_boxed = false;
    for (uint32_t k = 0; ok && k < symbols.count; k++) {
        const bool is_own =
            (rh__expr_mask(program->store, symbols.data[k]) & RH_ROLE_DEVIATION) != 0;
        const bool is_ranged = range_of(program, symbols.data[k]) != NULL;
        *out = !is_own && !is_ranged ? symbols.data[k] : *out;
        *out_is_boxed = *out_is_boxed || (!is_own && is_ranged);
    }
    rh__arena_rewind(&program->scratch, mark);
    return ok ? RH_OK : rh__program_refused(program);
}

static rh_status assure(rh_program *program, rh_program_law *law)
{
    rh_expr open = RH_EXPR_NONE;
    RH_TRY(rh__program_prove_zero(program, law->rest, &law->is_linear));
    law->is_smooth = law->is_linear;
    law->is_sure = law->is_linear && law->vanishing == RH_VANISHING_PROVED;
    if (law->is_linear || program->def.is_brief) { // a motion needs no verdict
        return RH_OK;
    }
    const rh_expr rest = rh__program_exact(program, law->rest);
    const rh_family_def def = {.name = rh__slice_of("program sign"), .mask = RH_EXPR_VARIABLE};
    const rh_family family = rh__family_create(program->store, &def);
    assurance it = {.program = program, .sign = rh__expr_symbol(program->store, family, 0)};
    if (rest.i == 0 || it.sign.i == 0) {
        return rh__program_refused(program);
    }
    RH_TRY(find_open(program, rest, &open, &law->is_boxed));
    const bool is_vanishing = law->vanishing == RH_VANISHING_PROVED;
    law->is_smooth = is_vanishing && is_second_order(&it, rest);
    law->is_sure = law->is_smooth && open.i == 0;
    if (!is_vanishing) {
        law->lack = rh__text_print(&program->arena,
                                   "it is not proved that the law of %s vanishes on the program "
                                   "at all states",
                                   law->name);
    } else if (!law->is_smooth && open.i != 0) {
        law->lack = rh__text_print(&program->arena,
                                   "the law of %s is not linear, and what it holds beside P z may "
                                   "grow with %s: give the range of %s in a box",
                                   law->name, rh__region_name(program, open),
                                   rh__region_name(program, open));
    } else if (!law->is_smooth) {
        law->lack = rh__text_print(&program->arena,
                                   "the law of %s has no first approximation at zero, or none "
                                   "that could be proved: give a Lyapunov function",
                                   law->name);
    }
    return program->arena.status;
}

rh_status rh__program_assure(rh_program *program)
{
    bool is_linear = true;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        RH_TRY(assure(program, &program->laws.data[k]));
        is_linear = is_linear && program->laws.data[k].is_linear;
    }
    program->summary.is_linear = is_linear;
    program->summary.is_local = !is_linear;
    return RH_OK;
}

// --- parts --------------------------------------------------------------------------------------

static bool is_of(const rh_program_law *law, const rh_program_part *part)
{
    bool found = false;
    for (uint32_t j = 0; j < part->count; j++) {
        found = found || part->index[j] == law->first;
    }
    return found;
}

bool rh__program_is_linear(const rh_program *program, const rh_program_part *part)
{
    bool is_linear = true;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        is_linear = is_linear && (law->is_linear || !is_of(law, part));
    }
    return is_linear;
}

bool rh__program_is_smooth(const rh_program *program, const rh_program_part *part)
{
    const bool is_linear = rh__program_is_linear(program, part);
    bool is_smooth = true;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        is_smooth = is_smooth && program->laws.data[k].is_smooth;
    }
    return is_linear || is_smooth;
}

bool rh__program_is_sure(const rh_program *program, const rh_program_part *part)
{
    const bool is_linear = rh__program_is_linear(program, part);
    bool is_sure = true;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        is_sure = is_sure && (law->is_sure || (is_linear && !is_of(law, part)));
    }
    return is_sure;
}
