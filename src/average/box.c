// SPDX-License-Identifier: Apache-2.0
// The range of an unknown as it is written: "xi=0.3:1".

#include "average/average.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

rh_status rh__box_read(const char *text, const char *const *names, uint32_t count, rh_box_side *out,
                       rh_error *err)
{
    RH_ASSERT(names != NULL || count == 0);
    const char *equals = strchr(text, '=');
    const char *colon = equals != NULL ? strchr(equals, ':') : NULL;
    char *end = NULL;
    char *last = NULL;
    if (colon != NULL) {
        out->low = rh__text_number(equals + 1, &end);
        out->high = rh__text_number(colon + 1, &last);
    }
    if (colon == NULL || end != colon || end == equals + 1 || last == colon + 1 || *last != '\0' ||
        !isfinite(out->low) || !isfinite(out->high) || !(out->low < out->high)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "an unknown is NAME=LO:HI with LO below HI, not \"%.80s\"", text);
    }
    rh_slice name = {text, (size_t)(equals - text)};
    while (name.size > 0 && isspace((unsigned char)name.data[name.size - 1])) {
        name.size--;
    }
    return rh__variable_find(names, count, name, &out->variable, err);
}
