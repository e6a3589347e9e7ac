// SPDX-License-Identifier: Apache-2.0
// Generators of an algebra. An angle a = r1*t1 + r2*t2 + ... with rational r is split into
// multiples of base angles g*t/d, the largest that make all multiples whole that occur; so
// sin(2*x + y) and sin(x) have common ground. Exponents likewise. A root b^(1/n) of b = N/D is the
// generator w = D*b^(1/n) with w^n = N*D^(n-1), a polynomial.

#include "proof/algebra.h"

enum { SPLIT_TERMS = 400, ROOT_ROOM = 4 };

// A sum as pairs of number and term; anything else is one pair.
typedef struct split {
    rh_expr e;
    uint32_t count;
} split;

static split split_sum(rh_algebra *algebra, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(&algebra->scratch);
    const rh_expr wide = rh__expr_expand(algebra->store, e, SPLIT_TERMS, &algebra->scratch);
    rh__arena_rewind(&algebra->scratch, mark);
    const rh_expr of = wide.i != 0 ? wide : e;
    const bool is_sum = rh__expr_op(algebra->store, of) == RH_OP_ADD;
    return (split){of, is_sum ? rh__expr_count(algebra->store, of) / 2 : 1};
}

static rh_expr split_part(rh_algebra *algebra, const split *of, uint32_t k, fmpq_t number)
{
    const rh_store *store = algebra->store;
    if (rh__expr_op(store, of->e) == RH_OP_ADD) {
        rh__fmpq_of_number(number, store, rh__expr_argument(store, of->e, 2 * k),
                           &algebra->scratch);
        return rh__expr_argument(store, of->e, 2 * k + 1);
    }
    if (rh__expr_is_number(store, of->e)) {
        rh__fmpq_of_number(number, store, of->e, &algebra->scratch);
        return rh__expr_integer(algebra->store, 1);
    }
    fmpq_one(number);
    return of->e;
}

// --- divisors --------------------------------------------------------------------------------

static rh_divisor *find_divisor(const rh_algebra *algebra, rh_generator_kind kind, rh_expr key,
                                rh_expr base)
{
    for (uint32_t k = 0; k < algebra->divisors.count; k++) {
        rh_divisor *it = &algebra->divisors.data[k];
        if (it->kind == kind && it->key.i == key.i && it->base.i == base.i) {
            return it;
        }
    }
    return NULL;
}

// Note that number*key occurs; how many new keys that makes.
static uint32_t note_divisor(rh_algebra *algebra, rh_generator_kind kind, rh_expr key, rh_expr base,
                             const fmpq_t number)
{
    rh_divisor *known = find_divisor(algebra, kind, key, base);
    if (known != NULL) {
        fmpz_lcm(&known->value, &known->value, fmpq_denref(number));
        fmpz_gcd(&known->share, &known->share, fmpq_numref(number));
        (void)rh__algebra_demand(algebra, fmpz_bits(&known->value) <= RH_ALGEBRA_BITS);
        return 0;
    }
    rh_divisor made = {.kind = kind, .key = key, .base = base};
    fmpz_init_set(&made.value, fmpq_denref(number));
    fmpz_init_set_si(&made.share, 1);
    if (kind != RH_GENERATOR_ROOT && !fmpz_is_zero(fmpq_numref(number))) {
        fmpz_abs(&made.share, fmpq_numref(number));
    }
    if (!rh__algebra_demand(algebra, rh__array_push(algebra->arena, &algebra->divisors, made))) {
        fmpz_clear(&made.value);
        fmpz_clear(&made.share);
    }
    return 1;
}

static uint32_t plan_split(rh_algebra *algebra, rh_generator_kind kind, rh_expr argument,
                           rh_expr base)
{
    const split parts = split_sum(algebra, argument);
    uint32_t count = 0;
    fmpq_t number;
    fmpq_init(number);
    for (uint32_t k = 0; k < parts.count && !algebra->has_failed; k++) {
        const rh_expr term = split_part(algebra, &parts, k, number);
        const bool is_root = kind == RH_GENERATOR_POWER && rh__expr_is_number(algebra->store, term);
        (void)rh__algebra_demand(algebra, !fmpz_is_zero(fmpq_denref(number)));
        // a root may need those of the primes in its first coefficient
        count += is_root ? ROOT_ROOM * note_divisor(algebra, RH_GENERATOR_ROOT, base, base, number)
                         : note_divisor(algebra, kind, term, base, number);
    }
    fmpq_clear(number);
    return kind == RH_GENERATOR_COSINE ? 2 * count : count;
}

uint32_t rh__generator_plan(rh_algebra *algebra, rh_expr e)
{
    const rh_store *store = algebra->store;
    int64_t n = 0;
    switch (rh__expr_op(store, e)) {
    case RH_OP_NUMBER:
    case RH_OP_ADD:
    case RH_OP_MUL:
    case RH_OP_RATIO:
        return 0;
    case RH_OP_POW:
        return rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n)
                   ? 0
                   : plan_split(algebra, RH_GENERATOR_POWER, rh__expr_argument(store, e, 1),
                                rh__expr_argument(store, e, 0));
    case RH_OP_SIN:
    case RH_OP_COS:
    case RH_OP_TAN:
        return plan_split(algebra, RH_GENERATOR_COSINE, rh__expr_argument(store, e, 0),
                          RH_EXPR_NONE);
    case RH_OP_EXP:
    case RH_OP_SINH:
    case RH_OP_COSH:
    case RH_OP_TANH:
        return plan_split(algebra, RH_GENERATOR_EXPONENT, rh__expr_argument(store, e, 0),
                          RH_EXPR_NONE);
    default:
        return 1;
    }
}

// --- making generators -----------------------------------------------------------------------

// Room for `count` more; the number of the first of them.
static bool has_room(rh_algebra *algebra, uint32_t count)
{
    return rh__algebra_demand(algebra, algebra->count + count <=
                                           (uint32_t)fmpq_mpoly_ctx_nvars(algebra->ring));
}

static rh_generator *push_generator(rh_algebra *algebra, rh_generator_kind kind, rh_expr key)
{
    rh_generator *it = &algebra->generators[algebra->count++];
    *it = (rh_generator){.kind = kind, .key = key};
    fmpz_init(&it->divisor);
    fmpz_one(&it->divisor);
    return it;
}

static uint32_t find_generator(const rh_algebra *algebra, rh_generator_kind kind, rh_expr key,
                               rh_expr base)
{
    for (uint32_t k = 0; k < algebra->count; k++) {
        const rh_generator *it = &algebra->generators[k];
        if (it->kind == kind && it->key.i == key.i && it->base.i == base.i) {
            return k;
        }
    }
    return UINT32_MAX;
}

rh_fraction rh__generator_symbol(rh_algebra *algebra, rh_expr symbol)
{
    uint32_t found = find_generator(algebra, RH_GENERATOR_SYMBOL, symbol, RH_EXPR_NONE);
    if (found == UINT32_MAX && has_room(algebra, 1)) {
        found = algebra->count;
        (void)push_generator(algebra, RH_GENERATOR_SYMBOL, symbol);
    }
    return algebra->has_failed ? (rh_fraction){0} : rh__fraction_generator(algebra, found);
}

// number * divisor/share of the key, which is whole and must be small.
static bool multiple_of(rh_algebra *algebra, const rh_divisor *divisor, const fmpq_t number,
                        slong most, slong *out)
{
    fmpq_t product;
    fmpq_init(product);
    bool ok = rh__algebra_demand(algebra, divisor != NULL && !fmpz_is_zero(fmpq_denref(number)));
    if (ok) {
        fmpq_mul_fmpz(product, number, &divisor->value);
        fmpq_div_fmpz(product, product, &divisor->share);
        ok = rh__algebra_demand(algebra, fmpz_is_one(fmpq_denref(product)) &&
                                             fmpz_cmp_si(fmpq_numref(product), most) <= 0 &&
                                             fmpz_cmp_si(fmpq_numref(product), -most) >= 0);
        *out = ok ? fmpz_get_si(fmpq_numref(product)) : 0;
    }
    fmpq_clear(product);
    return ok;
}

// --- angles ----------------------------------------------------------------------------------

// cos + i sin of something.
typedef struct turn {
    rh_fraction cosine, sine;
} turn;

static turn compose(rh_algebra *algebra, turn a, turn b)
{
    const rh_fraction cc = rh__fraction_multiply(algebra, a.cosine, b.cosine);
    const rh_fraction ss = rh__fraction_multiply(algebra, a.sine, b.sine);
    const rh_fraction sc = rh__fraction_multiply(algebra, a.sine, b.cosine);
    const rh_fraction cs = rh__fraction_multiply(algebra, a.cosine, b.sine);
    if (algebra->has_failed) {
        return a;
    }
    return (turn){rh__fraction_subtract(algebra, cc, ss), rh__fraction_add(algebra, sc, cs)};
}

// The sine squared is 1 minus the cosine squared.
static uint32_t angle_generator(rh_algebra *algebra, rh_expr key)
{
    const uint32_t found = find_generator(algebra, RH_GENERATOR_COSINE, key, RH_EXPR_NONE);
    if (found != UINT32_MAX || !has_room(algebra, 2)) {
        return found;
    }
    const uint32_t made = algebra->count;
    fmpq_mpoly_struct *body = rh__algebra_pin(algebra);
    if (body == NULL) {
        return UINT32_MAX;
    }
    (void)push_generator(algebra, RH_GENERATOR_COSINE, key);
    rh_generator *sine = push_generator(algebra, RH_GENERATOR_SINE, key);
    fmpq_mpoly_gen(body, (slong)made, algebra->ring);
    fmpq_mpoly_mul(body, body, body, algebra->ring);
    fmpq_mpoly_neg(body, body, algebra->ring);
    fmpq_mpoly_add_si(body, body, 1, algebra->ring);
    sine->body = body;
    sine->step = 2;
    return made;
}

static turn multiple_turn(rh_algebra *algebra, turn base, slong n)
{
    turn out = {rh__fraction_integer(algebra, 1), rh__fraction_integer(algebra, 0)};
    fmpq_t minus;
    fmpq_init(minus);
    fmpq_set_si(minus, -1, 1);
    if (n < 0 && !algebra->has_failed) {
        base.sine = rh__fraction_scale(algebra, base.sine, minus);
    }
    for (slong left = n < 0 ? -n : n; left > 0 && !algebra->has_failed; left /= 2) {
        if (left % 2 == 1) {
            out = compose(algebra, out, base);
        }
        if (left > 1) {
            base = compose(algebra, base, base);
        }
    }
    fmpq_clear(minus);
    return out;
}

// Multiples of a quarter turn are numbers.
static bool quarter_turns(rh_algebra *algebra, rh_expr term, const fmpq_t number, turn *out)
{
    static const int COSINE[] = {1, 0, -1, 0};
    static const int SINE[] = {0, 1, 0, -1};
    fmpz_t quarters;
    fmpz_init(quarters);
    fmpz_mul_ui(quarters, fmpq_numref(number), 2);
    const bool is_one = rh__expr_op(algebra->store, term) == RH_OP_PI &&
                        fmpz_divisible(quarters, fmpq_denref(number));
    if (is_one) {
        fmpz_divexact(quarters, quarters, fmpq_denref(number));
        const ulong n = fmpz_fdiv_ui(quarters, 4);
        *out = (turn){rh__fraction_integer(algebra, COSINE[n]),
                      rh__fraction_integer(algebra, SINE[n])};
    }
    fmpz_clear(quarters);
    return is_one;
}

static turn read_angle(rh_algebra *algebra, rh_expr argument)
{
    const split parts = split_sum(algebra, argument);
    turn out = {rh__fraction_integer(algebra, 1), rh__fraction_integer(algebra, 0)};
    fmpq_t number;
    fmpq_init(number);
    for (uint32_t k = 0; k < parts.count && !algebra->has_failed; k++) {
        const rh_expr term = split_part(algebra, &parts, k, number);
        turn part = {{0}, {0}};
        slong n = 0;
        if (!quarter_turns(algebra, term, number, &part) &&
            multiple_of(algebra, find_divisor(algebra, RH_GENERATOR_COSINE, term, RH_EXPR_NONE),
                        number, RH_ALGEBRA_ANGLE, &n)) {
            const uint32_t generator = angle_generator(algebra, term);
            if (!algebra->has_failed) {
                part = multiple_turn(algebra,
                                     (turn){rh__fraction_generator(algebra, generator),
                                            rh__fraction_generator(algebra, generator + 1)},
                                     n);
            }
        }
        out = algebra->has_failed ? out : compose(algebra, out, part);
    }
    fmpq_clear(number);
    return out;
}

// --- exponents -------------------------------------------------------------------------------

// exp(r*t) or base^(r*t).
static rh_fraction read_exponent(rh_algebra *algebra, rh_generator_kind kind, rh_expr term,
                                 rh_expr base, const fmpq_t number)
{
    slong n = 0;
    uint32_t found = find_generator(algebra, kind, term, base);
    if (!multiple_of(algebra, find_divisor(algebra, kind, term, base), number, RH_ALGEBRA_POWER,
                     &n)) {
        return (rh_fraction){0};
    }
    if (found == UINT32_MAX && has_room(algebra, 1)) {
        found = algebra->count;
        push_generator(algebra, kind, term)->base = base;
    }
    return algebra->has_failed
               ? (rh_fraction){0}
               : rh__fraction_power(algebra, rh__fraction_generator(algebra, found), n);
}

static rh_fraction read_exponential(rh_algebra *algebra, rh_expr argument)
{
    const split parts = split_sum(algebra, argument);
    rh_fraction out = rh__fraction_integer(algebra, 1);
    fmpq_t number;
    fmpq_init(number);
    for (uint32_t k = 0; k < parts.count && !algebra->has_failed; k++) {
        const rh_expr term = split_part(algebra, &parts, k, number);
        const rh_fraction part =
            read_exponent(algebra, RH_GENERATOR_EXPONENT, term, RH_EXPR_NONE, number);
        out = algebra->has_failed ? out : rh__fraction_multiply(algebra, out, part);
    }
    fmpq_clear(number);
    return out;
}

// sinh, cosh and tanh through x = exp(a): (x - 1/x)/2, (x + 1/x)/2 and their quotient.
static rh_fraction read_hyperbolic(rh_algebra *algebra, rh_op op, rh_expr argument)
{
    const rh_fraction x = read_exponential(algebra, argument);
    if (algebra->has_failed) {
        return x;
    }
    const rh_fraction y = rh__fraction_invert(algebra, x);
    fmpq_t half;
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    const rh_fraction sinh2 = rh__fraction_subtract(algebra, x, y);
    const rh_fraction cosh2 = rh__fraction_add(algebra, x, y);
    rh_fraction out = {0};
    if (!algebra->has_failed) {
        out = op == RH_OP_SINH ? rh__fraction_scale(algebra, sinh2, half)
              : op == RH_OP_COSH
                  ? rh__fraction_scale(algebra, cosh2, half)
                  : rh__fraction_multiply(algebra, sinh2, rh__fraction_invert(algebra, cosh2));
    }
    fmpq_clear(half);
    return out;
}

rh_fraction rh__generator_function(rh_algebra *algebra, rh_op op, rh_expr argument)
{
    if (op == RH_OP_EXP) {
        return read_exponential(algebra, argument);
    }
    if (op == RH_OP_SINH || op == RH_OP_COSH || op == RH_OP_TANH) {
        return read_hyperbolic(algebra, op, argument);
    }
    const turn angle = read_angle(algebra, argument);
    if (algebra->has_failed || op != RH_OP_TAN) {
        return op == RH_OP_SIN ? angle.sine : angle.cosine;
    }
    return rh__fraction_multiply(algebra, angle.sine, rh__fraction_invert(algebra, angle.cosine));
}

// --- roots -----------------------------------------------------------------------------------

static bool is_same(rh_algebra *algebra, rh_fraction a, rh_fraction b)
{
    const rh_fraction difference = rh__fraction_subtract(algebra, a, b);
    return !algebra->has_failed && rh__fraction_is_zero(algebra, difference);
}

// The generator w = D*b^(1/n) of the base b = N/D, w^n = N*D^(n-1); UINT32_MAX after failure.
static uint32_t root_generator(rh_algebra *algebra, rh_fraction base, uint32_t n)
{
    for (uint32_t k = 0; k < algebra->count && !algebra->has_failed; k++) {
        const rh_generator *it = &algebra->generators[k];
        if (it->kind == RH_GENERATOR_ROOT && it->step == n &&
            is_same(algebra, it->arguments[0], base)) {
            return k;
        }
    }
    const rh_fraction below = rh__fraction_denominator(algebra, base);
    fmpq_mpoly_struct *body = rh__algebra_pin(algebra);
    if (algebra->has_failed || !has_room(algebra, 1)) {
        return UINT32_MAX;
    }
    rh__poly_raise(algebra, body, below.numerator, n - 1);
    rh__poly_product(algebra, body, body, base.numerator);
    rh__poly_settle_all(algebra, body);
    if (algebra->has_failed) {
        return UINT32_MAX;
    }
    rh_fraction kept = {rh__algebra_pin(algebra), base.below, base.below_count};
    if (kept.numerator == NULL) {
        return UINT32_MAX;
    }
    rh__poly_copy(algebra, kept.numerator, base.numerator);
    rh_generator *it = push_generator(algebra, RH_GENERATOR_ROOT, RH_EXPR_NONE);
    it->step = n;
    it->body = body;
    it->arguments[0] = kept;
    it->argument_count = 1;
    return algebra->count - 1;
}

// b^(m/n) = (w/D)^m; for m = -k with k = a*n - c the power of w is w^c/(w^n)^a.
// D is that of the base as the generator knows it: equal fractions need not look alike.
static rh_fraction root_power(rh_algebra *algebra, uint32_t generator, slong m)
{
    const rh_generator *it = &algebra->generators[generator];
    const slong n = (slong)it->step;
    const rh_fraction w = rh__fraction_generator(algebra, generator);
    const rh_fraction below = rh__fraction_denominator(algebra, it->arguments[0]);
    if (algebra->has_failed) {
        return w;
    }
    if (m >= 0) {
        return rh__fraction_multiply(algebra, rh__fraction_power(algebra, w, m),
                                     rh__fraction_power(algebra, below, -m));
    }
    const slong a = (-m + n - 1) / n;
    const rh_fraction body = rh__fraction_poly(algebra, it->body);
    rh_fraction out = rh__fraction_power(algebra, body, -a);
    if (!algebra->has_failed) {
        out = rh__fraction_multiply(algebra, out, rh__fraction_power(algebra, w, a * n + m));
    }
    return algebra->has_failed
               ? out
               : rh__fraction_multiply(algebra, out, rh__fraction_power(algebra, below, -m));
}

// p^(m/n) for a positive whole p: roots of small primes, and of what is left.
static rh_fraction number_root(rh_algebra *algebra, const fmpz_t p, uint32_t n, slong m)
{
    enum { LARGEST = 100 };
    rh_fraction out = rh__fraction_integer(algebra, 1);
    fmpz_t rest;
    fmpz_init_set(rest, p);
    for (ulong prime = 2; prime <= LARGEST + 1 && !algebra->has_failed; prime++) {
        const bool is_last = prime > LARGEST;
        slong times = 0;
        while (!is_last && fmpz_divisible_si(rest, (slong)prime)) {
            fmpz_divexact_ui(rest, rest, prime);
            times++;
        }
        times = is_last && !fmpz_is_one(rest) ? 1 : times;
        if (times == 0) {
            continue;
        }
        fmpq_t base;
        fmpq_init(base);
        fmpz_set_ui(fmpq_numref(base), prime);
        fmpz_set(fmpq_numref(base), is_last ? rest : fmpq_numref(base));
        const uint32_t generator = root_generator(algebra, rh__fraction_number(algebra, base), n);
        fmpq_clear(base);
        if (!algebra->has_failed) {
            out = rh__fraction_multiply(algebra, out, root_power(algebra, generator, times * m));
        }
    }
    fmpz_clear(rest);
    return out;
}

// b^(m/n) with b = c b', c > 0 the size of its first coefficient: sqrt(3*x + 1) and sqrt(x + 1/3)
// are the same but for sqrt(3). With c = p/q its root is (p q^(n-1))^(1/n)/q.
static rh_fraction scaled_root(rh_algebra *algebra, rh_fraction b, uint32_t n, slong m)
{
    fmpq_t c;
    fmpz_t whole;
    fmpq_init(c);
    fmpz_init(whole);
    rh_fraction out = rh__fraction_integer(algebra, 1);
    fmpq_mpoly_get_term_coeff_fmpq(c, b.numerator, 0, algebra->ring);
    fmpq_abs(c, c);
    fmpz_pow_ui(whole, fmpq_denref(c), n - 1);
    fmpz_mul(whole, whole, fmpq_numref(c));
    if (rh__algebra_demand(algebra, fmpz_bits(whole) <= RH_ALGEBRA_BITS)) {
        out = number_root(algebra, whole, n, m);
    }
    if (!algebra->has_failed) { // 1/q^m
        fmpq_set_fmpz(c, fmpq_denref(c));
        rh_fraction below = rh__fraction_number(algebra, c);
        below = algebra->has_failed ? below : rh__fraction_power(algebra, below, -m);
        out = algebra->has_failed ? out : rh__fraction_multiply(algebra, out, below);
    }
    fmpq_mpoly_get_term_coeff_fmpq(c, b.numerator, 0, algebra->ring);
    fmpq_abs(c, c);
    fmpq_inv(c, c);
    const rh_fraction bare = algebra->has_failed ? b : rh__fraction_scale(algebra, b, c);
    const bool is_one = !algebra->has_failed && bare.below_count == 0 &&
                        fmpq_mpoly_is_one(bare.numerator, algebra->ring);
    if (!algebra->has_failed && !is_one) {
        const uint32_t generator = root_generator(algebra, bare, n);
        out = algebra->has_failed
                  ? out
                  : rh__fraction_multiply(algebra, out, root_power(algebra, generator, m));
    }
    fmpq_clear(c);
    fmpz_clear(whole);
    return out;
}

static rh_fraction read_root(rh_algebra *algebra, rh_expr base, const fmpq_t number)
{
    const rh_fraction b = rh__algebra_known(algebra, base);
    const rh_divisor *divisor = find_divisor(algebra, RH_GENERATOR_ROOT, base, base);
    slong m = 0;
    if (!multiple_of(algebra, divisor, number, RH_ALGEBRA_POWER, &m) ||
        !rh__algebra_demand(algebra, fmpz_cmp_si(&divisor->value, RH_ALGEBRA_POWER) <= 0)) {
        return (rh_fraction){0};
    }
    const uint32_t n = (uint32_t)fmpz_get_ui(&divisor->value);
    if (n == 1) {
        return rh__fraction_power(algebra, b, m);
    }
    if (!rh__algebra_demand(algebra, !rh__fraction_is_zero(algebra, b))) {
        return (rh_fraction){0};
    }
    return scaled_root(algebra, b, n, m);
}

rh_fraction rh__generator_power(rh_algebra *algebra, rh_expr base, rh_expr exponent)
{
    const split parts = split_sum(algebra, exponent);
    rh_fraction out = rh__fraction_integer(algebra, 1);
    fmpq_t number;
    fmpq_init(number);
    for (uint32_t k = 0; k < parts.count && !algebra->has_failed; k++) {
        const rh_expr term = split_part(algebra, &parts, k, number);
        const rh_fraction part =
            rh__expr_is_number(algebra->store, term)
                ? read_root(algebra, base, number)
                : read_exponent(algebra, RH_GENERATOR_POWER, term, base, number);
        out = algebra->has_failed ? out : rh__fraction_multiply(algebra, out, part);
    }
    fmpq_clear(number);
    return out;
}

// --- the rest --------------------------------------------------------------------------------

static uint32_t find_size(rh_algebra *algebra, rh_fraction a)
{
    fmpq_t minus;
    fmpq_init(minus);
    fmpq_set_si(minus, -1, 1);
    const rh_fraction opposite = rh__fraction_scale(algebra, a, minus);
    fmpq_clear(minus);
    for (uint32_t k = 0; k < algebra->count && !algebra->has_failed; k++) {
        const rh_generator *it = &algebra->generators[k];
        if (it->kind == RH_GENERATOR_SIZE && (is_same(algebra, it->arguments[0], a) ||
                                              is_same(algebra, it->arguments[0], opposite))) {
            return k;
        }
    }
    return UINT32_MAX;
}

// |a| = w/D for a = N/D, with w^2 = N^2.
rh_fraction rh__generator_size(rh_algebra *algebra, rh_fraction a)
{
    uint32_t found = find_size(algebra, a);
    if (found == UINT32_MAX && !algebra->has_failed && has_room(algebra, 1)) {
        fmpq_mpoly_struct *body = rh__algebra_pin(algebra);
        rh_fraction kept = {rh__algebra_pin(algebra), a.below, a.below_count};
        if (body != NULL && kept.numerator != NULL) {
            rh__poly_product(algebra, body, a.numerator, a.numerator);
            rh__poly_settle_all(algebra, body);
            rh__poly_copy(algebra, kept.numerator, a.numerator);
        }
        if (!algebra->has_failed) {
            found = algebra->count;
            rh_generator *it = push_generator(algebra, RH_GENERATOR_SIZE, RH_EXPR_NONE);
            it->step = 2;
            it->body = body;
            it->arguments[0] = kept;
            it->argument_count = 1;
        }
    }
    if (algebra->has_failed) {
        return (rh_fraction){0};
    }
    const rh_fraction below =
        rh__fraction_denominator(algebra, algebra->generators[found].arguments[0]);
    return algebra->has_failed
               ? below
               : rh__fraction_multiply(algebra, rh__fraction_generator(algebra, found),
                                       rh__fraction_invert(algebra, below));
}

rh_fraction rh__generator_other(rh_algebra *algebra, rh_op op, const rh_fraction *arguments,
                                uint32_t count)
{
    for (uint32_t k = 0; k < algebra->count && !algebra->has_failed; k++) {
        const rh_generator *it = &algebra->generators[k];
        bool is_known = it->kind == RH_GENERATOR_OTHER && it->op == op;
        for (uint32_t i = 0; is_known && i < count; i++) {
            is_known = is_same(algebra, it->arguments[i], arguments[i]);
        }
        if (is_known) {
            return rh__fraction_generator(algebra, k);
        }
    }
    if (algebra->has_failed || !has_room(algebra, 1)) {
        return (rh_fraction){0};
    }
    rh_generator *it = push_generator(algebra, RH_GENERATOR_OTHER, RH_EXPR_NONE);
    it->op = op;
    it->argument_count = count;
    for (uint32_t i = 0; i < count; i++) {
        it->arguments[i] = arguments[i];
    }
    return rh__fraction_generator(algebra, algebra->count - 1);
}
