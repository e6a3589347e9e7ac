// SPDX-License-Identifier: Apache-2.0
// Polynomials and fractions of an algebra: a numerator over a list of factors. Sums take the least
// common list, so that no greatest common divisor is ever needed; factors that divide are taken
// out where that is cheap.

#include "proof/algebra.h"

enum { CANCEL_TERMS = 200 }; // numerators up to this size are tried against the factors below them

bool rh__algebra_demand(rh_algebra *algebra, bool is_met)
{
    algebra->has_failed = algebra->has_failed || !is_met;
    return !algebra->has_failed;
}

static fmpq_mpoly_struct *create_poly(rh_algebra *algebra)
{
    RH_ASSERT(algebra->has_ring);
    fmpq_mpoly_struct *poly =
        algebra->has_failed ? NULL : rh__arena_new(algebra->arena, fmpq_mpoly_struct);
    if (poly != NULL) {
        fmpq_mpoly_init(poly, algebra->ring);
    }
    return poly;
}

fmpq_mpoly_struct *rh__algebra_poly(rh_algebra *algebra)
{
    const rh_kept kept = {create_poly(algebra)};
    return rh__algebra_demand(algebra, kept.poly != NULL &&
                                           rh__array_push(algebra->arena, &algebra->keeping, kept))
               ? kept.poly
               : NULL;
}

fmpq_mpoly_struct *rh__algebra_pin(rh_algebra *algebra)
{
    const rh_kept kept = {create_poly(algebra)};
    return rh__algebra_demand(algebra, kept.poly != NULL &&
                                           rh__array_push(algebra->arena, &algebra->pinned, kept))
               ? kept.poly
               : NULL;
}

// --- polynomials -----------------------------------------------------------------------------

static slong length(const rh_algebra *algebra, const fmpq_mpoly_struct *a)
{
    return a != NULL ? fmpq_mpoly_length(a, algebra->ring) : 0;
}

static double coefficient_bits(const fmpq_mpoly_struct *a)
{
    if (a == NULL) {
        return 0.0;
    }
    const slong bits = fmpz_mpoly_max_bits(a->zpoly);
    return (double)(bits < 0 ? -bits : bits) + (double)fmpz_bits(fmpq_numref(a->content)) +
           (double)fmpz_bits(fmpq_denref(a->content));
}

// Before a call of FLINT that makes at most so many terms with coefficients of so many bits. False:
// the algebra has failed.
static bool begin_call(rh_algebra *algebra, double terms, double bits, rh_pledge **out)
{
    const double exponents = 4.0 * ((double)fmpq_mpoly_ctx_nvars(algebra->ring) + 2.0);
    const double number = bits < 62.0 ? 8.0 : 64.0 + bits / 8.0; // a long one is a block of its own
    const double copies = 4.0; // arrays grow by halves, and are sorted and unpacked elsewhere
    const bool ok = rh__reserve_pledge(copies * terms * (exponents + number), out);
    if (!ok) {
        rh__guard_starve(rh__guard_of(algebra->arena->allocator));
    }
    return rh__algebra_demand(algebra, ok);
}

static bool spend(rh_algebra *algebra, uint64_t steps)
{
    const bool is_enough = algebra->work >= steps;
    algebra->work -= is_enough ? steps : 0;
    return rh__algebra_demand(algebra, is_enough);
}

// Is the polynomial of a size that may go on?
static void check_size(rh_algebra *algebra, const fmpq_mpoly_struct *a)
{
    const slong bits = fmpz_mpoly_max_bits(a->zpoly);
    const ulong content = fmpz_bits(fmpq_numref(a->content)) + fmpz_bits(fmpq_denref(a->content));
    (void)rh__algebra_demand(algebra, length(algebra, a) <= RH_ALGEBRA_TERMS &&
                                          (bits < 0 ? -bits : bits) <= RH_ALGEBRA_BITS &&
                                          content <= RH_ALGEBRA_BITS);
}

void rh__poly_product(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a,
                      const fmpq_mpoly_struct *b)
{
    if (!spend(algebra, 1 + (uint64_t)length(algebra, a) * (uint64_t)length(algebra, b))) {
        return;
    }
    rh_pledge *pledge = NULL;
    const double terms = (double)length(algebra, a) * (double)length(algebra, b);
    const double bits = coefficient_bits(a) + coefficient_bits(b) + 32.0;
    if (begin_call(algebra, terms, bits, &pledge)) {
        fmpq_mpoly_mul(out, a, b, algebra->ring);
        check_size(algebra, out);
    }
    rh__reserve_redeem(pledge);
}

void rh__poly_copy(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a)
{
    rh_pledge *pledge = NULL;
    if (begin_call(algebra, (double)length(algebra, a), coefficient_bits(a), &pledge)) {
        fmpq_mpoly_set(out, a, algebra->ring);
    }
    rh__reserve_redeem(pledge);
}

static void add(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a,
                const fmpq_mpoly_struct *b)
{
    rh_pledge *pledge = NULL;
    const double terms = (double)length(algebra, a) + (double)length(algebra, b);
    const double bits = coefficient_bits(a) + coefficient_bits(b) + 2.0;
    if (begin_call(algebra, terms, bits, &pledge)) {
        fmpq_mpoly_add(out, a, b, algebra->ring);
        check_size(algebra, out);
    }
    rh__reserve_redeem(pledge);
}

void rh__poly_raise(rh_algebra *algebra, fmpq_mpoly_struct *out, const fmpq_mpoly_struct *a,
                    uint32_t n)
{
    fmpq_mpoly_t square, result;
    fmpq_mpoly_init(square, algebra->ring);
    fmpq_mpoly_init(result, algebra->ring);
    rh__poly_copy(algebra, square, a);
    fmpq_mpoly_one(result, algebra->ring);
    for (uint32_t left = n; left > 0 && !algebra->has_failed; left /= 2) {
        if (left % 2 == 1) {
            rh__poly_product(algebra, result, result, square);
        }
        if (left > 1) {
            rh__poly_product(algebra, square, square, square);
        }
    }
    fmpq_mpoly_swap(out, result, algebra->ring);
    fmpq_mpoly_clear(square, algebra->ring);
    fmpq_mpoly_clear(result, algebra->ring);
}

// The part of `a` with powers k*step ... (k + 1)*step - 1 of a generator, divided by the k*step.
static void take_layer(rh_algebra *algebra, fmpq_mpoly_t out, const fmpq_mpoly_struct *a,
                       uint32_t generator, ulong k)
{
    RH_ASSERT(generator < algebra->count && algebra->generators[generator].step > 0);
    const ulong step = algebra->generators[generator].step;
    ulong exponents[RH_ALGEBRA_GENERATORS];
    rh_pledge *pledge = NULL;
    if (!begin_call(algebra, 2.0 * (double)length(algebra, a), 2.0 * coefficient_bits(a),
                    &pledge)) {
        return;
    }
    fmpq_t number;
    fmpq_init(number);
    fmpq_mpoly_zero(out, algebra->ring);
    for (slong term = 0; term < length(algebra, a); term++) {
        fmpq_mpoly_get_term_exp_ui(exponents, a, term, algebra->ring);
        if (exponents[generator] / step == k) {
            exponents[generator] %= step;
            fmpq_mpoly_get_term_coeff_fmpq(number, a, term, algebra->ring);
            fmpq_mpoly_push_term_fmpq_ui(out, number, exponents, algebra->ring);
        }
    }
    fmpq_mpoly_sort_terms(out, algebra->ring);
    fmpq_mpoly_combine_like_terms(out, algebra->ring);
    fmpq_clear(number);
    rh__reserve_redeem(pledge);
}

// Apply one relation: by Horner's rule from the highest layer down.
static void settle_one(rh_algebra *algebra, fmpq_mpoly_struct *a, uint32_t generator)
{
    RH_ASSERT(generator < algebra->count && algebra->count <= RH_ALGEBRA_GENERATORS);
    const rh_generator *it = &algebra->generators[generator];
    const slong degree = fmpq_mpoly_degree_si(a, (slong)generator, algebra->ring);
    if (it->step == 0 || degree < (slong)it->step) {
        return;
    }
    fmpq_mpoly_t sum, layer;
    fmpq_mpoly_init(sum, algebra->ring);
    fmpq_mpoly_init(layer, algebra->ring);
    for (ulong k = (ulong)degree / it->step + 1; k-- > 0 && !algebra->has_failed;) {
        if (!spend(algebra, 1 + (uint64_t)length(algebra, a))) {
            break;
        }
        take_layer(algebra, layer, a, generator, k);
        rh__poly_product(algebra, sum, sum, it->body);
        add(algebra, sum, sum, layer);
    }
    fmpq_mpoly_swap(a, sum, algebra->ring);
    fmpq_mpoly_clear(sum, algebra->ring);
    fmpq_mpoly_clear(layer, algebra->ring);
}

// A body holds earlier generators only, so one pass from the last to the first settles all.
void rh__poly_settle_all(rh_algebra *algebra, fmpq_mpoly_struct *a)
{
    for (uint32_t k = algebra->count; a != NULL && k-- > 0 && !algebra->has_failed;) {
        settle_one(algebra, a, k);
    }
}

// --- factors ---------------------------------------------------------------------------------

static uint32_t find_factor(rh_algebra *algebra, const fmpq_mpoly_struct *poly)
{
    RH_ASSERT(!fmpq_mpoly_is_zero(poly, algebra->ring));
    for (uint32_t k = 0; k < algebra->factors.count; k++) {
        if (fmpq_mpoly_equal(algebra->factors.data[k].poly, poly, algebra->ring)) {
            return k;
        }
    }
    fmpq_mpoly_struct *kept = rh__algebra_pin(algebra);
    if (kept == NULL ||
        !rh__algebra_demand(algebra,
                            rh__array_push(algebra->arena, &algebra->factors, ((rh_kept){kept})))) {
        return 0;
    }
    rh__poly_copy(algebra, kept, poly);
    return algebra->factors.count - 1;
}

static rh_below *push_below(rh_algebra *algebra, rh_fraction *a, uint32_t room)
{
    rh_below *below = rh__arena_array(algebra->arena, rh_below, room + 1);
    a->below = below;
    a->below_count = 0;
    (void)rh__algebra_demand(algebra, below != NULL);
    return below;
}

// For both fractions at once: how often each factor stands below a, below b.
typedef void on_factor(rh_algebra *algebra, void *user, uint32_t factor, uint32_t in_a,
                       uint32_t in_b);

static void merge(rh_algebra *algebra, rh_fraction a, rh_fraction b, on_factor *act, void *user)
{
    const uint32_t count_a = a.below != NULL ? a.below_count : 0;
    const uint32_t count_b = b.below != NULL ? b.below_count : 0;
    uint32_t i = 0;
    uint32_t j = 0;
    while (!algebra->has_failed && (i < count_a || j < count_b)) {
        const uint32_t fa = i < count_a ? a.below[i].factor : UINT32_MAX;
        const uint32_t fb = j < count_b ? b.below[j].factor : UINT32_MAX;
        const uint32_t factor = fa < fb ? fa : fb;
        RH_ASSERT(factor < algebra->factors.count);
        RH_ASSERT(i == 0 || fa == UINT32_MAX || a.below[i - 1].factor < fa); // they rise
        const uint32_t in_a = i < count_a && fa == factor ? a.below[i++].exponent : 0;
        const uint32_t in_b = j < count_b && fb == factor ? b.below[j++].exponent : 0;
        act(algebra, user, factor, in_a, in_b);
    }
}

static bool divides(rh_algebra *algebra, fmpq_mpoly_struct *quotient, const fmpq_mpoly_struct *a,
                    const fmpq_mpoly_struct *b)
{
    rh_pledge *pledge = NULL;
    const double terms = (double)length(algebra, a) * (1.0 + (double)length(algebra, b));
    const double bits = coefficient_bits(a) + coefficient_bits(b) + 32.0;
    const bool ok = begin_call(algebra, terms, bits, &pledge) &&
                    fmpq_mpoly_divides(quotient, a, b, algebra->ring) != 0;
    rh__reserve_redeem(pledge);
    return ok;
}

// Take factors out of the numerator where they divide it.
static void cancel(rh_algebra *algebra, rh_fraction *a)
{
    fmpq_mpoly_t quotient;
    uint32_t kept = 0;
    if (algebra->has_failed || a->below_count == 0) {
        return;
    }
    fmpq_mpoly_init(quotient, algebra->ring);
    for (uint32_t k = 0; k < a->below_count; k++) {
        rh_below it = a->below[k];
        RH_ASSERT(it.factor < algebra->factors.count);
        const fmpq_mpoly_struct *factor = algebra->factors.data[it.factor].poly;
        while (it.exponent > 0 && length(algebra, a->numerator) <= CANCEL_TERMS &&
               length(algebra, factor) <= CANCEL_TERMS && spend(algebra, 50) &&
               divides(algebra, quotient, a->numerator, factor)) {
            fmpq_mpoly_swap(a->numerator, quotient, algebra->ring);
            it.exponent--;
        }
        if (it.exponent > 0) {
            a->below[kept++] = it;
        }
    }
    a->below_count = kept;
    fmpq_mpoly_clear(quotient, algebra->ring);
}

// --- fractions -------------------------------------------------------------------------------

rh_fraction rh__fraction_poly(rh_algebra *algebra, const fmpq_mpoly_struct *poly)
{
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    if (out.numerator != NULL) {
        rh__poly_copy(algebra, out.numerator, poly);
        check_size(algebra, out.numerator);
    }
    return out;
}

rh_fraction rh__fraction_number(rh_algebra *algebra, const fmpq_t value)
{
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    const bool is_number =
        !fmpz_is_zero(fmpq_denref(value)) && fmpq_height_bits(value) <= RH_ALGEBRA_BITS;
    if (rh__algebra_demand(algebra, is_number)) {
        fmpq_mpoly_set_fmpq(out.numerator, value, algebra->ring);
    }
    return out;
}

rh_fraction rh__fraction_integer(rh_algebra *algebra, slong value)
{
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    if (out.numerator != NULL) {
        fmpq_mpoly_set_si(out.numerator, value, algebra->ring);
    }
    return out;
}

rh_fraction rh__fraction_generator(rh_algebra *algebra, uint32_t generator)
{
    RH_ASSERT(generator < algebra->count);
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    if (out.numerator != NULL) {
        fmpq_mpoly_gen(out.numerator, (slong)generator, algebra->ring);
    }
    return out;
}

bool rh__fraction_is_zero(const rh_algebra *algebra, rh_fraction a)
{
    return a.numerator != NULL && fmpq_mpoly_is_zero(a.numerator, algebra->ring);
}

rh_fraction rh__fraction_scale(rh_algebra *algebra, rh_fraction a, const fmpq_t number)
{
    rh_fraction out = {rh__algebra_poly(algebra), a.below, a.below_count};
    rh_pledge *pledge = NULL;
    if (out.numerator != NULL && rh__algebra_demand(algebra, !fmpz_is_zero(fmpq_denref(number))) &&
        begin_call(algebra, (double)length(algebra, a.numerator),
                   coefficient_bits(a.numerator) + 2.0 * (double)fmpq_height_bits(number),
                   &pledge)) {
        fmpq_mpoly_scalar_mul_fmpq(out.numerator, a.numerator, number, algebra->ring);
        check_size(algebra, out.numerator);
    }
    rh__reserve_redeem(pledge);
    return out;
}

// A product: exponents below the line add up.
static void add_below(rh_algebra *algebra, void *user, uint32_t factor, uint32_t in_a,
                      uint32_t in_b)
{
    rh_fraction *out = user;
    (void)rh__algebra_demand(algebra, in_a + in_b <= RH_ALGEBRA_POWER);
    out->below[out->below_count++] = (rh_below){factor, in_a + in_b};
}

rh_fraction rh__fraction_multiply(rh_algebra *algebra, rh_fraction a, rh_fraction b)
{
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    if (out.numerator == NULL || push_below(algebra, &out, a.below_count + b.below_count) == NULL) {
        return out;
    }
    rh__poly_product(algebra, out.numerator, a.numerator, b.numerator);
    rh__poly_settle_all(algebra, out.numerator);
    merge(algebra, a, b, add_below, &out);
    cancel(algebra, &out);
    return out;
}

// A sum: the larger exponent stays below, what is missing comes above.
typedef struct common {
    rh_fraction *out;
    fmpq_mpoly_struct *a, *b; // numerators, made larger
} common;

static void lift(rh_algebra *algebra, fmpq_mpoly_struct *numerator, uint32_t factor, uint32_t by)
{
    RH_ASSERT(factor < algebra->factors.count);
    if (by > 0 && !fmpq_mpoly_is_zero(numerator, algebra->ring)) {
        fmpq_mpoly_t power;
        fmpq_mpoly_init(power, algebra->ring);
        rh__poly_raise(algebra, power, algebra->factors.data[factor].poly, by);
        rh__poly_product(algebra, numerator, numerator, power);
        fmpq_mpoly_clear(power, algebra->ring);
    }
}

static void bring_together(rh_algebra *algebra, void *user, uint32_t factor, uint32_t in_a,
                           uint32_t in_b)
{
    const common *to = user;
    const uint32_t most = in_a > in_b ? in_a : in_b;
    RH_ASSERT(most > 0); // it stands below one of them
    lift(algebra, to->a, factor, most - in_a);
    lift(algebra, to->b, factor, most - in_b);
    to->out->below[to->out->below_count++] = (rh_below){factor, most};
}

rh_fraction rh__fraction_add(rh_algebra *algebra, rh_fraction a, rh_fraction b)
{
    rh_fraction out = {.numerator = rh__algebra_poly(algebra)};
    if (out.numerator == NULL || push_below(algebra, &out, a.below_count + b.below_count) == NULL) {
        return out;
    }
    fmpq_mpoly_t first, second;
    fmpq_mpoly_init(first, algebra->ring);
    fmpq_mpoly_init(second, algebra->ring);
    rh__poly_copy(algebra, first, a.numerator);
    rh__poly_copy(algebra, second, b.numerator);
    common to = {&out, first, second};
    merge(algebra, a, b, bring_together, &to);
    if (!algebra->has_failed) {
        add(algebra, out.numerator, first, second);
        rh__poly_settle_all(algebra, out.numerator);
        cancel(algebra, &out);
    }
    fmpq_mpoly_clear(first, algebra->ring);
    fmpq_mpoly_clear(second, algebra->ring);
    return out;
}

rh_fraction rh__fraction_subtract(rh_algebra *algebra, rh_fraction a, rh_fraction b)
{
    fmpq_t minus;
    fmpq_init(minus);
    fmpq_set_si(minus, -1, 1);
    const rh_fraction out = rh__fraction_add(algebra, a, rh__fraction_scale(algebra, b, minus));
    fmpq_clear(minus);
    return out;
}

rh_fraction rh__fraction_denominator(rh_algebra *algebra, rh_fraction a)
{
    rh_fraction out = rh__fraction_integer(algebra, 1);
    for (uint32_t k = 0; out.numerator != NULL && k < a.below_count && !algebra->has_failed; k++) {
        lift(algebra, out.numerator, a.below[k].factor, a.below[k].exponent);
        rh__poly_settle_all(algebra, out.numerator);
    }
    return out;
}

// The generators that divide every term of a polynomial are factors of their own.
static void split_content(rh_algebra *algebra, fmpq_mpoly_struct *rest, rh_fraction *out)
{
    fmpq_mpoly_t content, one;
    ulong exponents[RH_ALGEBRA_GENERATORS] = {0};
    fmpq_mpoly_init(content, algebra->ring);
    fmpq_mpoly_init(one, algebra->ring);
    fmpq_mpoly_term_content(content, rest, algebra->ring);
    fmpq_mpoly_get_term_exp_ui(exponents, content, 0, algebra->ring);
    fmpq_mpoly_divides(rest, rest, content, algebra->ring);
    for (uint32_t k = 0; k < algebra->count && !algebra->has_failed; k++) {
        if (exponents[k] > 0) {
            fmpq_mpoly_gen(one, (slong)k, algebra->ring);
            const rh_below it = {find_factor(algebra, one), (uint32_t)exponents[k]};
            rh_fraction by = {.numerator = rh__fraction_integer(algebra, 1).numerator,
                              .below = rh__arena_new(algebra->arena, rh_below),
                              .below_count = 1};
            if (rh__algebra_demand(algebra, by.below != NULL)) {
                by.below[0] = it;
                *out = rh__fraction_multiply(algebra, *out, by);
            }
        }
    }
    fmpq_mpoly_clear(content, algebra->ring);
    fmpq_mpoly_clear(one, algebra->ring);
}

rh_fraction rh__fraction_invert(rh_algebra *algebra, rh_fraction a)
{
    rh_fraction out = rh__fraction_denominator(algebra, a);
    if (algebra->has_failed || !rh__algebra_demand(algebra, !rh__fraction_is_zero(algebra, a))) {
        return out;
    }
    fmpq_mpoly_t rest;
    fmpq_t lead;
    rh_pledge *pledge = NULL;
    if (!begin_call(algebra, 4.0 * (double)length(algebra, a.numerator),
                    2.0 * coefficient_bits(a.numerator), &pledge)) {
        return out;
    }
    fmpq_mpoly_init(rest, algebra->ring);
    fmpq_init(lead);
    fmpq_mpoly_set(rest, a.numerator, algebra->ring);
    split_content(algebra, rest, &out);
    fmpq_mpoly_get_term_coeff_fmpq(lead, rest, 0, algebra->ring);
    fmpq_mpoly_make_monic(rest, rest, algebra->ring);
    fmpq_inv(lead, lead);
    if (!algebra->has_failed) {
        out = rh__fraction_scale(algebra, out, lead);
    }
    if (!algebra->has_failed && !fmpq_mpoly_is_one(rest, algebra->ring)) {
        rh_fraction by = {.numerator = rh__fraction_integer(algebra, 1).numerator,
                          .below = rh__arena_new(algebra->arena, rh_below),
                          .below_count = 1};
        if (rh__algebra_demand(algebra, by.below != NULL)) {
            by.below[0] = (rh_below){find_factor(algebra, rest), 1};
            out = rh__fraction_multiply(algebra, out, by);
        }
    }
    fmpq_clear(lead);
    fmpq_mpoly_clear(rest, algebra->ring);
    rh__reserve_redeem(pledge);
    return out;
}

rh_fraction rh__fraction_power(rh_algebra *algebra, rh_fraction a, slong n)
{
    rh_fraction square = n < 0 ? rh__fraction_invert(algebra, a) : a;
    rh_fraction out = rh__fraction_integer(algebra, 1);
    (void)rh__algebra_demand(algebra, n >= -RH_ALGEBRA_POWER && n <= RH_ALGEBRA_POWER);
    for (slong left = n < 0 ? -n : n; left > 0 && !algebra->has_failed; left /= 2) {
        if (left % 2 == 1) {
            out = rh__fraction_multiply(algebra, out, square);
        }
        if (left > 1) {
            square = rh__fraction_multiply(algebra, square, square);
        }
    }
    return out;
}
