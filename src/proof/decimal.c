// SPDX-License-Identifier: Apache-2.0
// Balls in decimal digits: a bracket of a fixed width that holds the ball.

#include "proof/arbs.h"

#include <string.h>

enum { MOST_DIGITS = 400 }; // before the point

// The integer m with `decimals` of its digits after the point; fewer than none: zeros follow.
static void put_scaled(const fmpz_t m, int64_t decimals, rh_text *out)
{
    char *digits = fmpz_get_str(NULL, 10, m);
    const bool is_negative = digits[0] == '-';
    const char *first = digits + is_negative;
    const int64_t size = (int64_t)strlen(first);
    rh__text_put(out, is_negative ? "-" : "");
    if (decimals <= 0) {
        rh__text_put(out, first);
        for (int64_t k = decimals; k < 0 && size > 0 && first[0] != '0'; k++) {
            rh__text_put_char(out, '0');
        }
    } else {
        for (int64_t k = decimals; k >= size; k--) { // zeros in front, one before the point
            rh__text_put(out, k == decimals ? "0." : "0");
        }
        for (int64_t k = 0; k < size; k++) {
            rh__text_put(out, k > 0 && k == size - decimals ? "." : "");
            rh__text_put_char(out, first[k]);
        }
    }
    flint_free(digits);
}

// The integers next to the middle of x * 10^decimals; true when x lies between them.
static bool find_bracket(const arb_t x, int64_t decimals, fmpz_t low, fmpz_t high)
{
    arb_t scaled, scale;
    arb_init(scaled);
    arb_init(scale);
    const slong bits = 2 * RH_BALLS_PRECISION_MOST;
    arb_set_si(scale, 10);
    arb_pow_ui(scale, scale, (ulong)(decimals < 0 ? -decimals : decimals), bits);
    if (decimals < 0) {
        arb_div(scaled, x, scale, bits);
    } else {
        arb_mul(scaled, x, scale, bits);
    }
    bool is_inside = arb_is_finite(scaled) && arf_cmpabs_2exp_si(arb_midref(scaled), 4096) < 0;
    if (is_inside) {
        arf_get_fmpz(low, arb_midref(scaled), ARF_RND_NEAR);
        fmpz_add_ui(high, low, 1);
        fmpz_sub_ui(low, low, 1);
        arb_sub_fmpz(scale, scaled, low, bits);
        is_inside = arb_is_positive(scale);
        arb_sub_fmpz(scale, scaled, high, bits);
        is_inside = is_inside && arb_is_negative(scale);
    }
    arb_clear(scaled);
    arb_clear(scale);
    return is_inside;
}

bool rh__balls_bracket(const rh_balls *balls, uint32_t k, uint32_t digits, rh_text *low,
                       rh_text *high)
{
    fmpz_t below, above, most;
    fmpz_init(below);
    fmpz_init(above);
    fmpz_init(most);
    fmpz_set_ui(most, 10);
    fmpz_pow_ui(most, most, digits);
    bool is_found = false;
    bool is_sized = false;
    // the size of the numbers gives the unit, not the width of the ball
    for (int64_t before = 0; before <= MOST_DIGITS && !is_sized; before++) {
        const int64_t decimals = (int64_t)digits - before;
        fmpz_set(below, most);
        const bool is_inside = find_bracket(rh__balls_at(balls, k), decimals, below, above);
        is_sized = fmpz_cmpabs(below, most) < 0 && fmpz_cmpabs(above, most) < 0;
        is_found = is_sized && is_inside;
        if (is_found) {
            put_scaled(below, decimals, low);
            put_scaled(above, decimals, high);
        }
    }
    fmpz_clear(below);
    fmpz_clear(above);
    fmpz_clear(most);
    return is_found;
}
