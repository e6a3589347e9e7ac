// SPDX-License-Identifier: Apache-2.0
// Numbers as text.

#include "output/digits.h"

#include <math.h>
#include <string.h>

size_t rh__digits_print(double value, char out[RH_DIGITS_SIZE])
{
    RH_ASSERT(isfinite(value));
    return (size_t)rh__text_fill(out, RH_DIGITS_SIZE, "%.17g", value);
}

void rh__digits_put(rh_text *out, double value, int decimals)
{
    RH_ASSERT(fabs(value) < 1e15 && decimals <= 12);
    char text[RH_DIGITS_SIZE];
    (void)rh__text_fill(text, sizeof text, "%.*f", decimals, value);
    // a small negative number is no "-0.00"
    const bool is_zero = strspn(text, "-0.") == strlen(text);
    rh__text_put(out, is_zero && text[0] == '-' ? text + 1 : text);
}

// 1e-07 is 1e-7 to people, and 1e+20 is 1e20.
void rh__digits_put_short(rh_text *out, double value, int significant)
{
    RH_ASSERT(isfinite(value) && significant <= 17);
    char text[RH_DIGITS_SIZE];
    (void)rh__text_fill(text, sizeof text, "%.*g", significant, value);
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
