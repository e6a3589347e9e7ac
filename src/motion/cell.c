// SPDX-License-Identifier: Apache-2.0
// Cells of tables. A number is [+-] digits [. digits] [e [+-] digits] with a digit on one side of
// the point at least. Short ones are exact products or quotients of two exact doubles (Clinger
// 1990); the others are handed to strtod as a whole number with an exponent, which has no point
// that a locale could change.

#include "motion/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static rh_slice trim(rh_slice text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text = (rh_slice){text.data + 1, text.size - 1};
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

bool rh__cell_next(rh_slice line, size_t *at, rh_slice *out)
{
    if (*at > line.size) {
        return false;
    }
    size_t end = *at;
    bool is_quoted = false;
    for (; end < line.size && (is_quoted || line.data[end] != ','); end++) {
        is_quoted = is_quoted != (line.data[end] == '"');
    }
    rh_slice text = trim((rh_slice){line.data + *at, end - *at});
    if (text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"') {
        text = trim((rh_slice){text.data + 1, text.size - 2});
    }
    *out = text;
    *at = end + 1;
    return true;
}

// --- numbers -------------------------------------------------------------------------------------

enum {
    MOST_DIGITS = 800,     // 767 decide the nearest double; one more says that there are others
    EXACT_POWER = 22,      // 10^22 is the largest exact power of ten
    MOST_EXPONENT = 100000 // beyond any number of digits that a file has
};

typedef struct decimal {
    bool is_negative;
    char digits[MOST_DIGITS + 1]; // without leading zeros
    uint32_t count;
    int64_t exponent; // of ten, for the last digit
    bool has_digit;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void put_digit(decimal *number, char digit, bool is_fraction)
{
    RH_ASSERT(is_digit(digit) && number->count <= MOST_DIGITS);
    number->has_digit = true;
    number->exponent -= is_fraction;
    if (number->count == 0 && digit == '0') {
        return;
    }
    if (number->count < MOST_DIGITS) {
        number->digits[number->count++] = digit;
        return;
    }
    // too long to matter, but not to be forgotten
    number->exponent++;
    number->digits[MOST_DIGITS - 1] = digit != '0' ? '1' : number->digits[MOST_DIGITS - 1];
}

// The exponent at `at`, with its mark; false when it is none.
static bool read_exponent(rh_slice text, size_t at, decimal *number)
{
    RH_ASSERT(at < text.size);
    at++;
    const bool is_negative = at < text.size && text.data[at] == '-';
    at += at < text.size && (text.data[at] == '-' || text.data[at] == '+');
    int64_t value = 0;
    if (at == text.size) {
        return false;
    }
    for (; at < text.size && is_digit(text.data[at]); at++) {
        value = value > MOST_EXPONENT ? value : 10 * value + (text.data[at] - '0');
    }
    number->exponent += is_negative ? -value : value;
    return at == text.size;
}

static bool read_decimal(rh_slice text, decimal *number)
{
    size_t at = 0;
    number->is_negative = text.size > 0 && text.data[0] == '-';
    at += text.size > 0 && (text.data[0] == '-' || text.data[0] == '+');
    for (; at < text.size && is_digit(text.data[at]); at++) {
        put_digit(number, text.data[at], false);
    }
    if (at < text.size && text.data[at] == '.') {
        for (at++; at < text.size && is_digit(text.data[at]); at++) {
            put_digit(number, text.data[at], true);
        }
    }
    const bool has_mark = at < text.size && (text.data[at] == 'e' || text.data[at] == 'E');
    return number->has_digit && (has_mark ? read_exponent(text, at, number) : at == text.size);
}

// Both the digits and the power of ten are exact, so one rounding is left.
static bool find_short(const decimal *number, double *out)
{
    static const double POWERS[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = 0.0;
    if (number->count > 15 || number->exponent > EXACT_POWER || number->exponent < -EXACT_POWER) {
        return false;
    }
    RH_ASSERT(number->count > 0 && number->digits[0] != '0');
    for (uint32_t k = 0; k < number->count; k++) {
        value = 10.0 * value + (number->digits[k] - '0');
    }
    *out =
        number->exponent < 0 ? value / POWERS[-number->exponent] : value * POWERS[number->exponent];
    return true;
}

rh_cell_kind rh__cell_number(rh_slice text, double *out)
{
    decimal number = {.count = 0};
    double value = 0.0;
    if (text.size == 0) {
        return RH_CELL_EMPTY;
    }
    if (!read_decimal(text, &number)) {
        return RH_CELL_TEXT;
    }
    if (number.count > 0 && !find_short(&number, &value)) {
        char whole[MOST_DIGITS + 32];
        (void)snprintf(whole, sizeof whole, "%.*se%lld", (int)number.count, number.digits,
                       (long long)number.exponent);
        value = strtod(whole, NULL);
    }
    if (!isfinite(value)) {
        return RH_CELL_HUGE;
    }
    *out = number.is_negative ? -value : value;
    return RH_CELL_NUMBER;
}
