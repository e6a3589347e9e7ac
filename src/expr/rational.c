// SPDX-License-Identifier: Apache-2.0
// Rationals: words first, GMP when words overflow. GMP aborts when memory runs out, so it has the
// reserve behind it: every result is bounded (`bits`) before or right after it is made, and
// temporaries live only inside one call, so that a call needs far less than RH_RESERVE_CALL.

#include "expr/rational.h"

#include <float.h>
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <threads.h>

struct rh_big {
    mp_size_t numerator_size; // limbs, negative for a negative value
    mp_size_t denominator_size;
    mp_limb_t limbs[]; // numerator, then denominator
};

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

// --- memory of GMP ---------------------------------------------------------------------------

// What GMP begins with; it exports it and has it in no header.
extern void *__gmp_default_allocate(size_t size); // NOLINT(bugprone-reserved-identifier)

static void *resize_limbs(void *memory, size_t old_size, size_t new_size)
{
    (void)old_size;
    return rh__reserve_resize(memory, new_size);
}

static void free_limbs(void *memory, size_t size)
{
    (void)size;
    rh__reserve_free(memory);
}

// What GMP got from its own functions came from malloc, so the change does no harm to it.
static void install(void)
{
    void *(*allocate)(size_t) = NULL;
    mp_get_memory_functions(&allocate, NULL, NULL);
    if (allocate == __gmp_default_allocate) {
        mp_set_memory_functions(rh__reserve_alloc, resize_limbs, free_limbs);
    }
}

void rh__rational_prepare(void)
{
    static once_flag is_prepared = ONCE_FLAG_INIT;
    call_once(&is_prepared, install);
}

// --- homes -----------------------------------------------------------------------------------

static mpz_srcptr big_numerator(const rh_big *big, mpz_t view)
{
    return mpz_roinit_n(view, big->limbs, big->numerator_size);
}

static mpz_srcptr big_denominator(const rh_big *big, mpz_t view)
{
    const mp_size_t skip = big->numerator_size < 0 ? -big->numerator_size : big->numerator_size;
    return mpz_roinit_n(view, big->limbs + skip, big->denominator_size);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Lowest terms from 128 bits; false when a word is too small.
static bool reduce_words(wide numerator, wide denominator, rh_rational *out)
{
    RH_ASSERT(denominator > 0);
    unsigned_wide a = numerator < 0 ? -(unsigned_wide)numerator : (unsigned_wide)numerator;
    unsigned_wide b = (unsigned_wide)denominator;
    while (b > UINT64_MAX || (a > UINT64_MAX && b != 0)) {
        const unsigned_wide rest = a % b;
        a = b;
        b = rest;
    }
    if (b != 0) {
        a = greatest_divisor((uint64_t)a, (uint64_t)b);
    }
    if (a > 1) {
        numerator /= (wide)a;
        denominator /= (wide)a;
    }
    // INT64_MIN is left out, so that every word can be negated
    if (numerator > INT64_MAX || numerator < -INT64_MAX || denominator > INT64_MAX) {
        return false;
    }
    *out = (rh_rational){(int64_t)numerator, (int64_t)denominator, NULL};
    return true;
}

rh_rational rh__rational_make(int64_t numerator, int64_t denominator)
{
    RH_ASSERT(denominator != 0);
    RH_ASSERT(numerator > INT64_MIN && denominator > INT64_MIN);
    const int64_t divisor = (int64_t)greatest_divisor(magnitude(numerator), magnitude(denominator));
    const int64_t sign = denominator < 0 ? -1 : 1;
    return (rh_rational){sign * (numerator / divisor), sign * (denominator / divisor), NULL};
}

static void set_mpz(mpz_t out, int64_t value)
{
    const uint64_t size = magnitude(value);
    mpz_import(out, 1, -1, sizeof size, 0, 0, &size);
    if (value < 0) {
        mpz_neg(out, out);
    }
}

static void set_mpq(mpq_t out, rh_rational a)
{
    if (a.big == NULL) {
        set_mpz(mpq_numref(out), a.numerator);
        set_mpz(mpq_denref(out), a.denominator);
        return;
    }
    mpz_t view;
    mpz_set(mpq_numref(out), big_numerator(a.big, view));
    mpz_set(mpq_denref(out), big_denominator(a.big, view));
}

static bool fits_word(mpz_srcptr value)
{
    return mpz_sizeinbase(value, 2) <= 63;
}

static int64_t get_word(mpz_srcptr value)
{
    uint64_t size = 0;
    mpz_export(&size, NULL, -1, sizeof size, 0, 0, value);
    return mpz_sgn(value) < 0 ? -(int64_t)size : (int64_t)size;
}

// A canonical mpq into its smallest home.
static bool store_mpq(rh_arena *arena, mpq_srcptr value, uint32_t bits, rh_rational *out)
{
    mpz_srcptr numerator = mpq_numref(value);
    mpz_srcptr denominator = mpq_denref(value);
    if (fits_word(numerator) && fits_word(denominator)) {
        *out = (rh_rational){get_word(numerator), get_word(denominator), NULL};
        return true;
    }
    if (mpz_sizeinbase(numerator, 2) > bits || mpz_sizeinbase(denominator, 2) > bits) {
        return false;
    }
    const size_t n = mpz_size(numerator);
    const size_t d = mpz_size(denominator);
    rh_big *big = rh__arena_push(arena, sizeof *big + (n + d) * sizeof(mp_limb_t));
    if (big == NULL) {
        return false;
    }
    big->numerator_size = mpz_sgn(numerator) < 0 ? -(mp_size_t)n : (mp_size_t)n;
    big->denominator_size = (mp_size_t)d;
    memcpy(big->limbs, mpz_limbs_read(numerator), n * sizeof(mp_limb_t));
    memcpy(big->limbs + n, mpz_limbs_read(denominator), d * sizeof(mp_limb_t));
    *out = (rh_rational){0, 0, big};
    return true;
}

bool rh__rational_add(rh_arena *arena, rh_rational a, rh_rational b, uint32_t bits,
                      rh_rational *out)
{
    if (a.big == NULL && b.big == NULL) {
        // each product has at most 126 bits, so the sum fits into 127
        const wide numerator =
            (wide)a.numerator * b.denominator + (wide)b.numerator * a.denominator;
        if (reduce_words(numerator, (wide)a.denominator * b.denominator, out)) {
            return true;
        }
    }
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    set_mpq(x, a);
    set_mpq(y, b);
    mpq_add(x, x, y);
    const bool ok = store_mpq(arena, x, bits, out);
    mpq_clears(x, y, NULL);
    return ok;
}

bool rh__rational_multiply(rh_arena *arena, rh_rational a, rh_rational b, uint32_t bits,
                           rh_rational *out)
{
    if (a.big == NULL && b.big == NULL &&
        reduce_words((wide)a.numerator * b.numerator, (wide)a.denominator * b.denominator, out)) {
        return true;
    }
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    set_mpq(x, a);
    set_mpq(y, b);
    mpq_mul(x, x, y);
    const bool ok = store_mpq(arena, x, bits, out);
    mpq_clears(x, y, NULL);
    return ok;
}

bool rh__rational_power(rh_arena *arena, rh_rational a, int64_t exponent, uint32_t bits,
                        rh_rational *out)
{
    RH_ASSERT(exponent > 0 || rh__rational_sign(a) != 0);
    if (exponent == 0) {
        *out = rh__rational_make(1, 1);
        return true;
    }
    mpq_t x;
    mpq_init(x);
    set_mpq(x, a);
    if (exponent < 0) {
        mpq_inv(x, x);
    }
    const uint64_t power = magnitude(exponent);
    const size_t larger = mpz_cmpabs(mpq_numref(x), mpq_denref(x)) >= 0
                              ? mpz_sizeinbase(mpq_numref(x), 2)
                              : mpz_sizeinbase(mpq_denref(x), 2);
    // 0, 1 and -1 have powers of any size
    const bool is_unit = larger == 1;
    bool ok = is_unit || power <= bits / (larger - 1);
    if (ok) {
        const unsigned long small = is_unit ? 2 - (unsigned long)(power & 1) : (unsigned long)power;
        mpz_pow_ui(mpq_numref(x), mpq_numref(x), small);
        mpz_pow_ui(mpq_denref(x), mpq_denref(x), small);
        ok = store_mpq(arena, x, bits, out);
    }
    mpq_clear(x);
    return ok;
}

bool rh__rational_root(rh_arena *arena, rh_rational a, uint32_t k, uint32_t bits, rh_rational *out)
{
    RH_ASSERT(k > 0);
    if (rh__rational_sign(a) < 0) {
        return false;
    }
    mpq_t x;
    mpq_init(x);
    set_mpq(x, a);
    const bool is_exact = mpz_root(mpq_numref(x), mpq_numref(x), k) != 0 &&
                          mpz_root(mpq_denref(x), mpq_denref(x), k) != 0;
    const bool ok = is_exact && store_mpq(arena, x, bits, out);
    mpq_clear(x);
    return ok;
}

// digits [. digits] [e [sign] digits]; the caller (the lexer) has checked the form.
bool rh__rational_literal(rh_arena *arena, rh_slice text, uint32_t bits, rh_rational *out)
{
    const uint32_t longest = 4096; // characters, and decimal exponent
    if (text.size == 0 || text.size > longest) {
        return false;
    }
    char digits[4097];
    size_t count = 0;
    long scale = 0;
    bool is_fraction = false;
    size_t i = 0;
    for (; i < text.size && text.data[i] != 'e' && text.data[i] != 'E'; i++) {
        if (text.data[i] == '.') {
            is_fraction = true;
        } else {
            digits[count++] = text.data[i];
            scale -= is_fraction;
        }
    }
    digits[count] = '\0';
    long exponent = 0;
    if (i < text.size) {
        const bool is_negative = text.data[i + 1] == '-';
        i += is_negative || text.data[i + 1] == '+' ? 2 : 1;
        for (; i < text.size; i++) {
            exponent = exponent > (long)longest ? exponent : 10 * exponent + (text.data[i] - '0');
        }
        exponent = is_negative ? -exponent : exponent;
    }
    scale += exponent;
    if (scale > (long)longest || scale < -2 * (long)longest) {
        return false;
    }

    mpq_t x;
    mpq_init(x);
    bool ok = mpz_set_str(mpq_numref(x), digits, 10) == 0;
    if (ok) {
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, 10, (unsigned long)(scale < 0 ? -scale : scale));
        if (scale < 0) {
            mpz_set(mpq_denref(x), power);
        } else {
            mpz_mul(mpq_numref(x), mpq_numref(x), power);
        }
        mpz_clear(power);
        mpq_canonicalize(x);
        ok = store_mpq(arena, x, bits, out);
    }
    mpq_clear(x);
    return ok;
}

int rh__rational_sign(rh_rational a)
{
    if (a.big != NULL) {
        return a.big->numerator_size < 0 ? -1 : 1;
    }
    return (a.numerator > 0) - (a.numerator < 0);
}

int rh__rational_compare(rh_rational a, rh_rational b)
{
    if (a.big == NULL && b.big == NULL) {
        const wide left = (wide)a.numerator * b.denominator;
        const wide right = (wide)b.numerator * a.denominator;
        return (left > right) - (left < right);
    }
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    set_mpq(x, a);
    set_mpq(y, b);
    const int order = mpq_cmp(x, y);
    mpq_clears(x, y, NULL);
    return (order > 0) - (order < 0);
}

static size_t big_size(const rh_big *big)
{
    const mp_size_t n = big->numerator_size < 0 ? -big->numerator_size : big->numerator_size;
    return (size_t)(n + big->denominator_size) * sizeof(mp_limb_t);
}

bool rh__rational_equal(rh_rational a, rh_rational b)
{
    if (a.big == NULL || b.big == NULL) {
        return a.big == b.big && a.numerator == b.numerator && a.denominator == b.denominator;
    }
    return a.big->numerator_size == b.big->numerator_size &&
           a.big->denominator_size == b.big->denominator_size &&
           memcmp(a.big->limbs, b.big->limbs, big_size(a.big)) == 0;
}

bool rh__rational_is_integer(rh_rational a)
{
    if (a.big == NULL) {
        return a.denominator == 1;
    }
    mpz_t view;
    return mpz_cmp_ui(big_denominator(a.big, view), 1) == 0;
}

uint64_t rh__rational_hash(rh_rational a, uint64_t seed)
{
    if (a.big != NULL) {
        return rh__hash_bytes(a.big->limbs, big_size(a.big),
                              seed ^ (uint64_t)a.big->numerator_size);
    }
    return rh__hash_mix(rh__hash_mix(seed ^ (uint64_t)a.numerator) + (uint64_t)a.denominator);
}

// Nearest double, ties to even: a quotient of 66 bits or more, cut once to the bits that a double
// has there.
static double divide_rounded(mpz_srcptr numerator, mpz_srcptr denominator)
{
    const long shift =
        66 - ((long)mpz_sizeinbase(numerator, 2) - (long)mpz_sizeinbase(denominator, 2));
    mpz_t quotient, rest, divisor;
    mpz_inits(quotient, rest, divisor, NULL);
    mpz_abs(quotient, numerator);
    mpz_set(divisor, denominator);
    if (shift > 0) {
        mpz_mul_2exp(quotient, quotient, (mp_bitcnt_t)shift);
    } else {
        mpz_mul_2exp(divisor, divisor, (mp_bitcnt_t)-shift);
    }
    mpz_tdiv_qr(quotient, rest, quotient, divisor);
    // 53 bits, fewer where the last one would be worth less than 2^-1074
    const long spare = (long)mpz_sizeinbase(quotient, 2) - DBL_MANT_DIG;
    const long lowest = DBL_MIN_EXP - DBL_MANT_DIG + shift;
    const mp_bitcnt_t cut = (mp_bitcnt_t)(spare > lowest ? spare : lowest);
    RH_ASSERT(cut > 0);
    const bool is_half = mpz_tstbit(quotient, cut - 1) != 0;
    const bool is_more = mpz_sgn(rest) != 0 || mpz_scan1(quotient, 0) < cut - 1;
    mpz_tdiv_q_2exp(quotient, quotient, cut);
    if (is_half && (is_more || mpz_odd_p(quotient) != 0)) {
        mpz_add_ui(quotient, quotient, 1);
    }
    const double value = ldexp(mpz_get_d(quotient), (int)((long)cut - shift));
    mpz_clears(quotient, rest, divisor, NULL);
    return mpz_sgn(numerator) < 0 ? -value : value;
}

double rh__rational_value(rh_rational a)
{
    const uint64_t exact = (uint64_t)1 << 53;
    if (a.big == NULL && magnitude(a.numerator) <= exact && magnitude(a.denominator) <= exact) {
        return (double)a.numerator / (double)a.denominator;
    }
    mpq_t x;
    mpq_init(x);
    set_mpq(x, a);
    const double value = divide_rounded(mpq_numref(x), mpq_denref(x));
    mpq_clear(x);
    return value;
}

void rh__rational_digits(rh_rational a, rh_part part, rh_text *out)
{
    if (a.big == NULL) {
        const int64_t word = part == RH_PART_NUMERATOR ? a.numerator : a.denominator;
        rh__text_format(out, "%" PRIu64, magnitude(word));
        return;
    }
    mpz_t view, value;
    mpz_init(value);
    mpz_abs(value,
            part == RH_PART_NUMERATOR ? big_numerator(a.big, view) : big_denominator(a.big, view));
    char *digits = mpz_get_str(NULL, 10, value);
    rh__text_put(out, digits);
    void (*release)(void *, size_t) = NULL;
    mp_get_memory_functions(NULL, NULL, &release);
    release(digits, strlen(digits) + 1);
    mpz_clear(value);
}

bool rh__rational_decimal(rh_rational a, rh_text *out)
{
    if (a.big != NULL) {
        return false;
    }
    uint64_t scale = 1;
    int places = 0;
    while (places < 9 && (scale % (uint64_t)a.denominator) != 0) {
        scale *= 10;
        places++;
    }
    const uint64_t size = magnitude(a.numerator);
    if (scale % (uint64_t)a.denominator != 0 || size > UINT64_MAX / scale) {
        return false;
    }
    const uint64_t digits = size * (scale / (uint64_t)a.denominator);
    if (places == 0) {
        rh__text_format(out, "%" PRIu64, digits);
    } else {
        rh__text_format(out, "%" PRIu64 ".%0*" PRIu64, digits / scale, places, digits % scale);
    }
    return true;
}
