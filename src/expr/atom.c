// SPDX-License-Identifier: Apache-2.0
// Functions and powers as atoms. In: one whose arguments have polynomials; out: its polynomial, in
// atoms of its own where nothing else is known: sin and cos come with the rule for their squares,
// bases of roots and quotients with the rule that opens them, tan is sin/cos.

#include "expr/folder.h"

static const rh_rational ONE = {1, 1, NULL};
static const rh_rational MINUS_ONE = {-1, 1, NULL};

static bool give_up(rh_folder *folder)
{
    folder->ring.trouble = RH_TROUBLE_LIMIT;
    return false;
}

static rh_expr cheap_of(const rh_folder *folder, rh_expr e)
{
    return rh__folder_entry(folder, e)->cheap;
}

static uint32_t put_atom(rh_folder *folder, rh_atom atom)
{
    const uint32_t old = rh__ring_find(&folder->ring, atom.key);
    atom.moves = (rh__expr_mask(folder->store, atom.key) & RH_EXPR_VARIABLE) != 0;
    return old != 0 ? old : rh__ring_insert(&folder->ring, &atom);
}

bool rh__folder_plain_atom(rh_folder *folder, rh_expr key, rh_expr cheap, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    const uint32_t atom = put_atom(folder, (rh_atom){.key = key, .cheap = cheap});
    const rh_power power = {atom, RH_RING_UNIT};
    uint32_t monomial = 0;
    // not settled: an old atom may have a rule that passes a limit
    rh__sum_begin(ring);
    return atom != 0 && rh__monomial_intern(ring, &power, 1, &monomial) &&
           rh__sum_add(ring, ONE, monomial) && rh__sum_end(ring, out);
}

// The first number of a sum (1 for anything else), when it is small and whole; else its sign.
static int64_t whole_lead(const rh_store *store, rh_expr e)
{
    const int64_t most = 16;
    int64_t n = 1;
    if (rh__expr_op(store, e) != RH_OP_ADD || rh__expr_count(store, e) / 2 > RH_EXPR_FLATTEN) {
        return 1;
    }
    const rh_expr number = rh__expr_argument(store, e, 0);
    return rh__expr_as_integer(store, number, &n) && n >= -most && n <= most
               ? n
               : rh__expr_number_sign(store, number);
}

static rh_expr divide_by(rh_store *store, rh_expr e, int64_t n)
{
    return n == 1 ? e : rh__expr_multiply(store, rh__expr_ratio(store, 1, n), e);
}

// --- functions -------------------------------------------------------------------------------

// f^2 = q + p*g^2 of one argument: f is the atom with the rule.
typedef struct square_pair {
    rh_op f, g;
    int p, q;
} square_pair;

static const square_pair CIRCULAR = {RH_OP_SIN, RH_OP_COS, -1, 1};
static const square_pair HYPERBOLIC = {RH_OP_COSH, RH_OP_SINH, 1, 1};

// A function value that may have turned out negative: sign * op(argument).
typedef struct value {
    rh_expr function; // none when it is something else
    int sign;
} value;

static value value_of(const rh_store *store, rh_op op, rh_expr e)
{
    if (rh__expr_op(store, e) == op) {
        return (value){e, 1};
    }
    const bool is_negative = rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) == 2 &&
                             rh__expr_same(rh__expr_argument(store, e, 0), store->minus_one) &&
                             rh__expr_op(store, rh__expr_argument(store, e, 1)) == op;
    return is_negative ? (value){rh__expr_argument(store, e, 1), -1} : (value){RH_EXPR_NONE, 0};
}

// The function of `op` at the key argument, and at the cheap one as it is written.
static uint32_t put_function(rh_folder *folder, rh_op op, rh_expr argument, rh_expr cheap)
{
    rh_store *store = folder->store;
    const rh_expr key = rh__expr_apply(store, op, &argument, 1);
    const rh_expr written = rh__expr_apply(store, op, &cheap, 1);
    if (rh__expr_is_none(key) || rh__expr_is_none(written) || rh__expr_op(store, key) != op) {
        give_up(folder);
        return 0;
    }
    return put_atom(folder, (rh_atom){.key = key, .cheap = written});
}

// Both atoms of a pair with their rule. 0 after trouble.
static bool put_pair(rh_folder *folder, square_pair pair, rh_expr argument, rh_expr cheap,
                     uint32_t *out_f, uint32_t *out_g)
{
    rh_ring *ring = &folder->ring;
    const uint32_t g = put_function(folder, pair.g, argument, cheap);
    const uint32_t f = g == 0 ? 0 : put_function(folder, pair.f, argument, cheap);
    *out_f = f;
    *out_g = g;
    if (f == 0 || !folder->folds || ring->atoms.data[f].partner != 0) {
        return f != 0;
    }
    const rh_power square = {g, 2 * RH_RING_UNIT};
    const rh_rational p = {pair.p, 1, NULL};
    const rh_rational q = {pair.q, 1, NULL};
    uint32_t monomial = 0;
    rh_poly body;
    if (!rh__monomial_intern(ring, &square, 1, &monomial)) {
        return false;
    }
    rh__sum_begin(ring);
    if (!rh__sum_add(ring, q, 0) || !rh__sum_add(ring, p, monomial) || !rh__sum_end(ring, &body)) {
        return false;
    }
    ring->atoms.data[f].partner = g;
    ring->atoms.data[f].step = folder->guards ? 0 : 2 * RH_RING_UNIT;
    ring->atoms.data[f].body = body;
    ring->atoms.data[g].partner = f;
    return true;
}

// sin, cos, tan and their hyperbolic kin at `key`, which is one of these.
static bool circular_poly(rh_folder *folder, rh_op op, value key, rh_expr inside, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    const bool is_circular = op == RH_OP_SIN || op == RH_OP_COS || op == RH_OP_TAN;
    const rh_expr argument = rh__expr_argument(folder->store, key.function, 0);
    const rh_rational sign = key.sign < 0 ? MINUS_ONE : ONE;
    uint32_t f = 0;
    uint32_t g = 0;
    // the store may have turned the argument round: sin(-u) is -sin(u), cos(-u) is cos(u)
    const bool is_turned = !rh__expr_same(argument, rh__folder_key(folder, inside));
    const rh_expr written = cheap_of(folder, inside);
    const rh_expr cheap = is_turned ? rh__expr_negate(folder->store, written) : written;
    if (rh__expr_is_none(cheap) ||
        !put_pair(folder, is_circular ? CIRCULAR : HYPERBOLIC, argument, cheap, &f, &g)) {
        return false;
    }
    if (op != RH_OP_TAN && op != RH_OP_TANH) {
        const bool is_f = op == RH_OP_SIN || op == RH_OP_COSH;
        return rh__poly_atom(ring, sign, is_f ? f : g, RH_RING_UNIT, out);
    }
    rh_poly below;
    return rh__poly_atom(ring, sign, is_circular ? f : g, RH_RING_UNIT, out) &&
           rh__poly_atom(ring, ONE, is_circular ? g : f, -RH_RING_UNIT, &below) &&
           rh__poly_multiply(ring, *out, below, out);
}

// exp(n*u) = exp(u)^n.
static bool exponential_poly(rh_folder *folder, rh_expr key, rh_expr cheap, rh_poly *out)
{
    rh_store *store = folder->store;
    const rh_expr argument = rh__expr_argument(store, key, 0);
    const int64_t n = whole_lead(store, argument);
    const rh_expr inner = divide_by(store, argument, n);
    const rh_expr cheap_inner = divide_by(store, cheap, n);
    if (rh__expr_is_none(inner) || rh__expr_is_none(cheap_inner)) {
        return false;
    }
    const uint32_t atom = put_function(folder, RH_OP_EXP, inner, cheap_inner);
    return atom != 0 && rh__poly_atom(&folder->ring, ONE, atom, (int32_t)n * RH_RING_UNIT, out);
}

// |u|^2 = u^2.
static bool absolute_poly(rh_folder *folder, rh_expr key, rh_expr rebuilt, rh_expr inside,
                          rh_poly *out)
{
    rh_atom atom = {.key = key, .cheap = rebuilt};
    if (rh__ring_find(&folder->ring, key) == 0) {
        atom.step = 2 * RH_RING_UNIT;
        if (!rh__poly_power(&folder->ring, rh__folder_entry(folder, inside)->poly, 2, &atom.body)) {
            return false;
        }
    }
    const uint32_t id = put_atom(folder, atom);
    return id != 0 && rh__poly_atom(&folder->ring, ONE, id, RH_RING_UNIT, out);
}

static rh_expr key_function(rh_folder *folder, rh_expr e)
{
    rh_store *store = folder->store;
    const uint32_t count = rh__expr_count(store, e);
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *arguments = rh__arena_array(&store->scratch, rh_expr, count);
    rh_expr result = RH_EXPR_NONE;
    if (arguments == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            arguments[k] = rh__folder_key(folder, rh__expr_argument(store, e, k));
        }
        result = rh__expr_apply(store, rh__expr_op(store, e), arguments, count);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

static bool function_poly(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly *out,
                          rh_expr *out_instead)
{
    rh_store *store = folder->store;
    const rh_op op = rh__expr_op(store, e);
    const rh_expr first = rh__expr_argument(store, e, 0);
    const rh_expr result = key_function(folder, e);
    if (rh__expr_is_none(result)) {
        return false;
    }
    const value key = value_of(store, op, result);
    if (rh__expr_is_none(key.function)) {
        *out_instead = result;
        return true;
    }
    switch (op) {
    case RH_OP_TAN:
    case RH_OP_TANH:
        if (!folder->folds) {
            break;
        }
        return circular_poly(folder, op, key, first, out);
    case RH_OP_SIN:
    case RH_OP_COS:
    case RH_OP_SINH:
    case RH_OP_COSH:
        return circular_poly(folder, op, key, first, out);
    case RH_OP_EXP:
        return exponential_poly(folder, key.function, cheap_of(folder, first), out);
    case RH_OP_ABS:
        return absolute_poly(folder, key.function, rebuilt, first, out);
    default:
        break;
    }
    const rh_expr cheap = key.sign < 0 ? rh__expr_negate(store, rebuilt) : rebuilt;
    const uint32_t atom = rh__expr_is_none(cheap)
                              ? 0
                              : put_atom(folder, (rh_atom){.key = key.function, .cheap = cheap});
    return atom != 0 &&
           rh__poly_atom(&folder->ring, key.sign < 0 ? MINUS_ONE : ONE, atom, RH_RING_UNIT, out);
}

// --- powers ----------------------------------------------------------------------------------

// A base that is a sum, as number * atom^times.
typedef struct base {
    rh_rational number;
    uint32_t atom;
    int32_t times;
} base;

static bool invert(rh_folder *folder, rh_rational number, rh_rational *out)
{
    return rh__rational_power(&folder->ring.pool, number, -1, RH_RING_NUMBER_BITS, out) ||
           give_up(folder);
}

static rh_rational magnitude(rh_folder *folder, rh_rational number)
{
    rh_rational result = number;
    if (rh__rational_sign(number) < 0 &&
        !rh__rational_multiply(&folder->ring.pool, number, MINUS_ONE, RH_RING_NUMBER_BITS,
                               &result)) {
        return ONE;
    }
    return result;
}

// 1 - cos^2 is written sin^2 by the store: then sin is the atom.
static bool find_square(rh_folder *folder, rh_expr key, base *out)
{
    int64_t n = 1;
    const rh_store *store = folder->store;
    if (rh__expr_op(store, key) != RH_OP_POW ||
        !rh__expr_as_integer(store, rh__expr_argument(store, key, 1), &n) || n < 1 || n > 1000) {
        return false;
    }
    out->atom = rh__ring_find(&folder->ring, rh__expr_argument(store, key, 0));
    out->times = (int32_t)n;
    return out->atom != 0;
}

// `cheap` may be none: then the polynomial is written anew.
static bool put_base(rh_folder *folder, rh_poly poly, rh_expr cheap, bool is_whole, base *out)
{
    rh_store *store = folder->store;
    rh_rational inverse = ONE;
    const rh_expr plain = rh__folder_plain(folder, poly);
    if (rh__expr_is_none(plain)) {
        return false;
    }
    *out = (base){ONE, 0, 1};
    if (rh__expr_op(store, plain) == RH_OP_ADD) {
        const rh_rational lead = rh__store_value(store, rh__expr_argument(store, plain, 0));
        out->number = is_whole ? lead : magnitude(folder, lead);
    }
    rh_atom atom = {.step = folder->guards ? 0 : RH_RING_UNIT};
    if (!invert(folder, out->number, &inverse) ||
        !rh__poly_shift(&folder->ring, poly, inverse, 0, &atom.body)) {
        return false;
    }
    atom.key = rh__folder_plain(folder, atom.body);
    if (rh__expr_is_none(atom.key)) {
        return false;
    }
    if (is_whole && find_square(folder, atom.key, out)) {
        return true;
    }
    atom.cheap = !folder->folds ? atom.key
                 : rh__expr_is_none(cheap)
                     ? rh__folder_write(folder, atom.body)
                     : rh__expr_multiply(store, rh__folder_number(folder, inverse), cheap);
    out->atom = rh__expr_is_none(atom.cheap) ? 0 : put_atom(folder, atom);
    return out->atom != 0;
}

// A sum to a negative whole power: what all terms share comes out first.
static bool quotient_poly(rh_folder *folder, rh_entry *of, int64_t n, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    const rh_poly poly = of->poly;
    const rh_expr cheap = of->cheap;
    uint32_t content = 0;
    uint32_t inverse = 0;
    rh_poly rest = poly;
    base below;
    rh_poly shared;
    rh_poly atoms;
    rh_poly number;
    return rh__poly_content(ring, poly, &content) &&
           rh__monomial_power(ring, content, -1, 1, &inverse) &&
           rh__poly_shift(ring, poly, ONE, inverse, &rest) &&
           put_base(folder, rest, content == 0 ? cheap : RH_EXPR_NONE, true, &below) &&
           rh__poly_term_power(ring, (rh_term){below.number, 0}, n, &number) &&
           rh__poly_term_power(ring, (rh_term){ONE, content}, n, &shared) &&
           n * below.times > -RH_RING_EXPONENT &&
           rh__poly_atom(ring, ONE, below.atom, (int32_t)n * below.times * RH_RING_UNIT, &atoms) &&
           rh__poly_multiply(ring, shared, atoms, &atoms) &&
           rh__poly_multiply(ring, number, atoms, out);
}

// c^(p/q) of a positive whole number.
static bool root_of_number(rh_folder *folder, int64_t c, int64_t p, int64_t q, rh_poly *out)
{
    rh_store *store = folder->store;
    const rh_expr whole = rh__expr_integer(store, c);
    const rh_expr root = rh__expr_power(store, whole, rh__expr_ratio(store, p, q));
    if (rh__expr_is_none(root)) {
        return false;
    }
    if (rh__expr_is_number(store, root)) {
        return rh__poly_constant(&folder->ring, rh__store_value(store, root), out);
    }
    rh_atom atom = {.key = whole, .cheap = whole, .step = RH_RING_UNIT};
    if (!rh__poly_constant(&folder->ring, (rh_rational){c, 1, NULL}, &atom.body)) {
        return false;
    }
    const uint32_t id = put_atom(folder, atom);
    return id != 0 && rh__poly_atom(&folder->ring, ONE, id, (int32_t)(p * (RH_RING_UNIT / q)), out);
}

static bool root_of_rational(rh_folder *folder, rh_rational c, int64_t p, int64_t q, rh_poly *out)
{
    rh_poly below;
    return root_of_number(folder, c.numerator, p, q, out) &&
           root_of_number(folder, c.denominator, -p, q, &below) &&
           rh__poly_multiply(&folder->ring, *out, below, out);
}

// One term c*x^n with odd n or a root x^n: its root is one of c and one of x, because x cannot be
// negative.
static bool is_simple_base(const rh_ring *ring, rh_poly poly)
{
    if (poly.count != 1 || rh__rational_sign(poly.data[0].number) < 0 ||
        poly.data[0].number.big != NULL) {
        return false;
    }
    const rh_monomial at = ring->monomials.data[poly.data[0].monomial];
    return at.count == 0 ||
           (at.count == 1 && ring->powers.data[at.first].exponent % (2 * RH_RING_UNIT) != 0);
}

static bool root_poly(rh_folder *folder, const rh_entry *of, int64_t p, int64_t q, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    const rh_poly poly = of->poly;
    rh_poly rest;
    if (is_simple_base(ring, poly)) {
        uint32_t monomial = 0;
        return rh__monomial_power(ring, poly.data[0].monomial, p, q, &monomial) &&
               root_of_rational(folder, poly.data[0].number, p, q, out) &&
               rh__poly_shift(ring, *out, ONE, monomial, &rest) && rh__poly_settle(ring, rest, out);
    }
    base below;
    return put_base(folder, poly, of->cheap, false, &below) &&
           (below.number.big == NULL || give_up(folder)) &&
           root_of_rational(folder, below.number, p, q, out) &&
           rh__poly_atom(ring, ONE, below.atom, (int32_t)(p * (RH_RING_UNIT / q)), &rest) &&
           rh__poly_multiply(ring, *out, rest, out);
}

// b^(n*u) = (b^u)^n.
static bool general_power(rh_folder *folder, rh_expr e, rh_poly *out, rh_expr *out_instead)
{
    rh_store *store = folder->store;
    const rh_expr below = rh__expr_argument(store, e, 0);
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    const rh_expr key = key_function(folder, e);
    if (rh__expr_is_none(key)) {
        return false;
    }
    if (rh__expr_op(store, key) != RH_OP_POW ||
        rh__expr_is_number(store, rh__expr_argument(store, key, 1))) {
        *out_instead = key;
        return !rh__expr_same(key, e) || give_up(folder);
    }
    const int64_t n = whole_lead(store, rh__expr_argument(store, key, 1));
    const rh_expr inner = rh__expr_power(store, rh__expr_argument(store, key, 0),
                                         divide_by(store, rh__expr_argument(store, key, 1), n));
    const rh_expr cheap = rh__expr_power(store, cheap_of(folder, below),
                                         divide_by(store, cheap_of(folder, exponent), n));
    if (rh__expr_is_none(inner) || rh__expr_is_none(cheap)) {
        return false;
    }
    const uint32_t atom = put_atom(folder, (rh_atom){.key = inner, .cheap = cheap});
    return atom != 0 && rh__poly_atom(&folder->ring, ONE, atom, (int32_t)n * RH_RING_UNIT, out);
}

static bool power_poly(rh_folder *folder, rh_expr e, rh_poly *out, rh_expr *out_instead)
{
    rh_store *store = folder->store;
    rh_ring *ring = &folder->ring;
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    rh_entry *of = rh__folder_entry(folder, rh__expr_argument(store, e, 0));
    if (!rh__expr_is_number(store, exponent)) {
        return general_power(folder, e, out, out_instead);
    }
    const rh_rational r = rh__store_value(store, exponent);
    const int64_t most = RH_RING_EXPONENT;
    const bool is_usable = r.big == NULL && r.numerator < most && r.numerator > -most &&
                           RH_RING_UNIT % r.denominator == 0;
    if (!is_usable || (of->poly.count == 0 && r.numerator < 0)) {
        return give_up(folder);
    }
    if (of->poly.count == 0) {
        *out = of->poly;
        return true;
    }
    if (r.denominator != 1) {
        return root_poly(folder, of, r.numerator, r.denominator, out);
    }
    if (r.numerator > 0) {
        return rh__poly_power(ring, of->poly, (uint32_t)r.numerator, out);
    }
    if (of->poly.count == 1) {
        return rh__poly_term_power(ring, of->poly.data[0], r.numerator, out) &&
               rh__poly_settle(ring, *out, out);
    }
    return quotient_poly(folder, of, r.numerator, out);
}

bool rh__folder_atom(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly *out,
                     rh_expr *out_instead)
{
    return rh__expr_op(folder->store, e) == RH_OP_POW
               ? power_poly(folder, e, out, out_instead)
               : function_poly(folder, e, rebuilt, out, out_instead);
}
