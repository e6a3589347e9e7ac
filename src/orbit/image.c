// SPDX-License-Identifier: Apache-2.0
// A symmetry as it is written: "xi = -xi, phi = phi + 2*pi". Each side on the right is a sum of
// numbers and of numbers times variables; so the map is linear with a shift.

#include "orbit/orbit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-12

typedef struct reading {
    const char *at;
    const char *const *names;
    uint32_t n;
    rh_image *image;
    rh_error *err;
} reading;

static void skip(reading *in)
{
    while (isspace((unsigned char)*in->at)) {
        in->at++;
    }
}

static rh_status complain(const reading *in, const char *what)
{
    return rh__error_fill(in->err, RH_E_ARGUMENT, "symmetry: %s at \"%.40s\"", what, in->at);
}

// The longest variable that stands here; n when there is none.
static uint32_t find_name(reading *in)
{
    uint32_t best = in->n;
    size_t longest = 0;
    for (uint32_t k = 0; k < in->n; k++) {
        const size_t size = strlen(in->names[k]);
        if (size > longest && strncmp(in->at, in->names[k], size) == 0) {
            longest = size;
            best = k;
        }
    }
    in->at += longest;
    // a longer word is another name
    const unsigned char next = (unsigned char)*in->at;
    if (best < in->n && (isalnum(next) || next == '_' || next == '\'' || next >= 128)) {
        in->at -= longest;
        best = in->n;
    }
    return best;
}

// A number, `pi`, or a variable.
static rh_status read_factor(reading *in, double *factor, uint32_t *variable)
{
    skip(in);
    const char *at = in->at;
    const uint32_t name = find_name(in);
    if (name < in->n && *variable < in->n) {
        in->at = at;
        return complain(in, "a product of variables, or one by which something is divided,");
    }
    if (name < in->n) {
        *variable = name;
        return RH_OK;
    }
    if (strncmp(in->at, "pi", 2) == 0 && !isalnum((unsigned char)in->at[2])) {
        in->at += 2;
        *factor *= 3.14159265358979323846;
        return RH_OK;
    }
    char *end = NULL;
    const double number = isdigit((unsigned char)*in->at) ? rh__text_number(in->at, &end) : 0.0;
    if (end == NULL) {
        return complain(in, "neither a variable nor a number");
    }
    in->at = end;
    *factor *= number;
    return RH_OK;
}

static rh_status read_term(reading *in, double sign, uint32_t row)
{
    RH_ASSERT(row < in->n);
    double factor = sign;
    uint32_t variable = in->n;
    RH_TRY(read_factor(in, &factor, &variable));
    for (skip(in); *in->at == '*' || *in->at == '/'; skip(in)) {
        const bool divides = *in->at++ == '/';
        double by = 1.0;
        uint32_t none = divides ? 0 : variable; // nothing is divided by a variable
        RH_TRY(read_factor(in, &by, divides ? &none : &variable));
        factor = divides ? factor / by : factor * by;
    }
    if (variable < in->n) {
        in->image->matrix[(size_t)variable * in->n + row] += factor;
    } else {
        in->image->shift[row] += factor;
    }
    return RH_OK;
}

static rh_status read_sum(reading *in, uint32_t row)
{
    double sign = 1.0;
    skip(in);
    if (*in->at == '-' || *in->at == '+') {
        sign = *in->at++ == '-' ? -1.0 : 1.0;
    }
    RH_TRY(read_term(in, sign, row));
    for (skip(in); *in->at == '-' || *in->at == '+'; skip(in)) {
        const double next = *in->at++ == '-' ? -1.0 : 1.0;
        RH_TRY(read_term(in, next, row));
    }
    return RH_OK;
}

static rh_status read_all(reading *in, bool *is_said)
{
    bool goes_on = true;
    while (goes_on) {
        skip(in);
        const uint32_t row = find_name(in);
        if (row == in->n) {
            return complain(in, "no variable of the model");
        }
        if (is_said[row]) {
            return complain(in, "a variable is said twice");
        }
        is_said[row] = true;
        skip(in);
        if (*in->at != '=') {
            return complain(in, "`=` is missing");
        }
        in->at++;
        in->image->matrix[(size_t)row * in->n + row] = 0.0;
        RH_TRY(read_sum(in, row));
        goes_on = *in->at == ',';
        in->at += goes_on;
    }
    return *in->at == '\0' ? RH_OK : complain(in, "something is left over");
}

// Is the image of the image of each variable the variable itself? Relative to the terms of that.
static bool is_own_inverse(const rh_image *image)
{
    const uint32_t n = image->n;
    bool is_own = true;
    for (uint32_t i = 0; i < n; i++) {
        double moved = image->shift[i];
        double terms = fabs(moved);
        for (uint32_t k = 0; k < n; k++) {
            const double part = image->matrix[(size_t)k * n + i] * image->shift[k];
            moved += part;
            terms += fabs(part);
        }
        is_own = is_own && fabs(moved) <= SAME * terms;
        for (uint32_t j = 0; j < n; j++) {
            double sum = i == j ? -1.0 : 0.0;
            double size = fabs(sum);
            for (uint32_t k = 0; k < n; k++) {
                const double part =
                    image->matrix[(size_t)k * n + i] * image->matrix[(size_t)j * n + k];
                sum += part;
                size += fabs(part);
            }
            is_own = is_own && fabs(sum) <= SAME * size;
        }
    }
    return is_own;
}

static void judge(rh_image *image)
{
    const uint32_t n = image->n;
    image->is_identity = true;
    for (size_t k = 0; k < (size_t)n * n; k++) {
        image->is_identity =
            image->is_identity &&
            (k % (n + 1) == 0 ? fabs(image->matrix[k] - 1.0) <= SAME : image->matrix[k] == 0.0) &&
            image->shift[k % n] == 0.0;
    }
    image->is_involution = is_own_inverse(image);
}

rh_status rh__image_read(rh_arena *arena, const char *const *names, uint32_t n, const char *text,
                         rh_image *out, rh_error *err)
{
    *out = (rh_image){.n = n};
    out->matrix = rh__arena_array(arena, double, (size_t)n *n + 1);
    out->shift = rh__arena_array(arena, double, (size_t)n + 1);
    bool *is_said = rh__arena_array(arena, bool, (size_t)n + 1);
    if (out->matrix == NULL || out->shift == NULL || is_said == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    for (uint32_t k = 0; k < n; k++) {
        out->matrix[(size_t)k * n + k] = 1.0;
    }
    if (text != NULL) {
        reading in = {.at = text, .names = names, .n = n, .image = out, .err = err};
        RH_TRY(read_all(&in, is_said));
    }
    judge(out);
    return RH_OK;
}

void rh__image_turn(const rh_image *image, const double *direction, double *out)
{
    RH_ASSERT(direction != out);
    for (uint32_t i = 0; i < image->n; i++) {
        out[i] = 0.0;
    }
    for (uint32_t k = 0; k < image->n; k++) {
        for (uint32_t i = 0; i < image->n; i++) {
            out[i] += image->matrix[(size_t)k * image->n + i] * direction[k];
        }
    }
}

void rh__image_apply(const rh_image *image, const double *x, double *out)
{
    rh__image_turn(image, x, out);
    for (uint32_t i = 0; i < image->n; i++) {
        out[i] += image->shift[i];
    }
}
