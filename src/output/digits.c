// SPDX-License-Identifier: Apache-2.0
// Numbers as text. printf writes the decimal point of the locale, which belongs to the program that
// uses the library; here it is always a point, so that the same numbers are the same bytes.

#include "output/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Whatever stands between digits and is no part of a number in the C locale was the point.
static size_t put_point(char *text)
{
    size_t size = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("0123456789+-e", *at) != NULL) {
            text[size++] = *at;
        } else if (size > 0 && text[size - 1] != '.') {
            text[size++] = '.';
        }
    }
    text[size] = '\0';
    return size;
}

size_t rh__digits_print(double value, char out[RH_DIGITS_SIZE])
{
    RH_ASSERT(isfinite(value));
    (void)snprintf(out, RH_DIGITS_SIZE, "%.17g", value);
    return put_point(out);
}

void rh__digits_put(rh_text *out, double value, int decimals)
{
    RH_ASSERT(fabs(value) < 1e15 && decimals <= 12);
    char text[RH_DIGITS_SIZE];
    (void)snprintf(text, sizeof text, "%.*f", decimals, value);
    (void)put_point(text);
    // a small negative number is no "-0.00"
    const bool is_zero = strspn(text, "-0.") == strlen(text);
    rh__text_put(out, is_zero && text[0] == '-' ? text + 1 : text);
}

// 1e-07 is 1e-7 to people, and 1e+20 is 1e20.
void rh__digits_put_short(rh_text *out, double value, int significant)
{
    RH_ASSERT(isfinite(value) && significant <= 17);
    char text[RH_DIGITS_SIZE];
    (void)snprintf(text, sizeof text, "%.*g", significant, value);
    (void)put_point(text);
    char *exponent = strchr(text, 'e');
    if (exponent == NULL) {
        rh__text_put(out, text);
        return;
    }
    rh__text_put_slice(out, (rh_slice){text, (size_t)(exponent + 1 - text)});
    rh__text_put(out, exponent[1] == '-' ? "-" : "");
    const char *digits = exponent + 2;
    rh__text_put(out, digits + strspn(digits, "0"));
}
