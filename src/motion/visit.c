// SPDX-License-Identifier: Apache-2.0
// Fields in bytes; see visit.h.

#include "motion/visit.h"

#include <math.h>
#include <string.h>

// What the items of a field are; the letter stands in the file.
typedef enum visit_kind {
    KIND_NUMBER = 'd', // double
    KIND_FINITE = 'f', // double, and finite
    KIND_SIDE = 'e',   // double: -1, 0 or 1
    KIND_TRUTH = 't',  // double: from -1 to 1, or NaN
    KIND_SIGN = 's',   // int: -1, 0 or 1
    KIND_WORD = 'w',   // uint32_t up to `most`
    KIND_LONG = 'l',   // uint64_t
    KIND_FLAG = 'b',   // bool
    KIND_TEXT = 'c'    // char, ended by 0
} visit_kind;

typedef struct field {
    const char *name;
    visit_kind kind;
    void *items;
    uint32_t count;
    uint32_t most;
} field;

static uint32_t width_of(visit_kind kind)
{
    switch (kind) {
    case KIND_NUMBER:
    case KIND_FINITE:
    case KIND_SIDE:
    case KIND_TRUTH:
    case KIND_LONG:
        return 8;
    case KIND_WORD:
        return 4;
    case KIND_SIGN:
    case KIND_FLAG:
    case KIND_TEXT:
        return 1;
    }
    return 0;
}

double rh__visit_double(uint64_t bits)
{
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t get_item(const field *of, uint32_t k)
{
    RH_ASSERT(k < of->count);
    uint64_t bits = 0;
    switch (of->kind) {
    case KIND_NUMBER:
    case KIND_FINITE:
    case KIND_SIDE:
    case KIND_TRUTH:
        memcpy(&bits, (const double *)of->items + k, sizeof bits);
        return bits;
    case KIND_LONG:
        return ((const uint64_t *)of->items)[k];
    case KIND_WORD:
        return ((const uint32_t *)of->items)[k];
    case KIND_SIGN:
        return ((const int *)of->items)[k] < 0 ? 0 : ((const int *)of->items)[k] > 0 ? 2 : 1;
    case KIND_FLAG:
        return ((const bool *)of->items)[k] ? 1 : 0;
    case KIND_TEXT:
        return ((const unsigned char *)of->items)[k];
    }
    return bits;
}

static void set_item(const field *of, uint32_t k, uint64_t bits)
{
    RH_ASSERT(k < of->count);
    switch (of->kind) {
    case KIND_NUMBER:
    case KIND_FINITE:
    case KIND_SIDE:
    case KIND_TRUTH:
        ((double *)of->items)[k] = rh__visit_double(bits);
        return;
    case KIND_LONG:
        ((uint64_t *)of->items)[k] = bits;
        return;
    case KIND_WORD:
        ((uint32_t *)of->items)[k] = (uint32_t)bits;
        return;
    case KIND_SIGN:
        ((int *)of->items)[k] = (int)bits - 1;
        return;
    case KIND_FLAG:
        ((bool *)of->items)[k] = bits != 0;
        return;
    case KIND_TEXT:
        ((unsigned char *)of->items)[k] = (unsigned char)bits;
        return;
    }
}

// May it be read? Whoever made a file may have put anything there.
static bool is_allowed(const field *of, uint32_t k, uint64_t bits)
{
    const double value = rh__visit_double(bits);
    switch (of->kind) {
    case KIND_NUMBER:
    case KIND_LONG:
        return true;
    case KIND_FINITE:
        return isfinite(value);
    case KIND_SIDE:
        return value == -1.0 || value == 0.0 || value == 1.0;
    case KIND_TRUTH:
        return fabs(value) <= 1.0 || isnan(value);
    case KIND_SIGN:
        return bits <= 2;
    case KIND_WORD:
        return bits <= of->most;
    case KIND_FLAG:
        return bits <= 1;
    case KIND_TEXT:
        return k + 1 < of->count || bits == 0;
    }
    return false;
}

// Could all of it be read again?
static bool is_readable(const field *of)
{
    bool is = true;
    for (uint32_t k = 0; is && of->kind != KIND_NUMBER && k < of->count; k++) {
        is = is_allowed(of, k, get_item(of, k));
    }
    return is;
}

void rh__visit_put(rh_visit *v, uint64_t bits, uint32_t width)
{
    RH_ASSERT(v->size - v->at >= width);
    for (uint32_t k = 0; v->out != NULL && k < width; k++) {
        v->out[v->at + k] = (unsigned char)(bits >> 8 * k);
    }
    v->at += width;
}

// Bytes that stand in memory as they shall in the file.
static void put_bytes(rh_visit *v, const void *bytes, size_t size)
{
    RH_ASSERT(v->size - v->at >= size);
    if (v->out != NULL && size > 0) {
        memcpy(v->out + v->at, bytes, size);
    }
    v->at += size;
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

// This is done before every step.
static void write_field(rh_visit *v, const field *of)
{
    const size_t name_size = strlen(of->name);
    RH_ASSERT(name_size <= UINT8_MAX && is_readable(of));
    rh__visit_put(v, name_size, 1);
    put_bytes(v, of->name, name_size);
    rh__visit_put(v, (uint64_t)of->kind, 1);
    rh__visit_put(v, of->count, 4);
    if (of->kind != KIND_SIGN && of->kind != KIND_FLAG && is_little_endian()) {
        put_bytes(v, of->items, (size_t)of->count * width_of(of->kind));
        return;
    }
    for (uint32_t k = 0; k < of->count; k++) {
        rh__visit_put(v, get_item(of, k), width_of(of->kind));
    }
}

uint64_t rh__visit_get(rh_visit *v, uint32_t width)
{
    uint64_t bits = 0;
    RH_ASSERT(v->size - v->at >= width && width <= 8);
    for (uint32_t k = 0; k < width; k++) {
        bits |= (uint64_t)v->in[v->at + k] << 8 * k;
    }
    v->at += width;
    return bits;
}

// The name, the kind and the number of items; false when others are there, or fewer bytes.
static bool pass_head(rh_visit *v, const field *of)
{
    const size_t name_size = strlen(of->name);
    if (v->size - v->at < name_size + 6 || v->in[v->at] != name_size ||
        memcmp(v->in + v->at + 1, of->name, name_size) != 0) {
        return false;
    }
    v->at += 1 + name_size;
    const uint64_t kind = rh__visit_get(v, 1);
    const uint64_t count = rh__visit_get(v, 4);
    return kind == (uint64_t)of->kind && count == of->count &&
           (v->size - v->at) / width_of(of->kind) >= count;
}

static void read_field(rh_visit *v, const field *of)
{
    if (!pass_head(v, of)) {
        v->trouble = of->name;
    }
    for (uint32_t k = 0; k < of->count && v->trouble == NULL; k++) {
        v->last = rh__visit_get(v, width_of(of->kind));
        if (v->mode == RH_VISIT_READ) {
            set_item(of, k, v->last);
        } else if (!is_allowed(of, k, v->last)) {
            v->trouble = of->name;
        }
    }
}

static void visit_field(rh_visit *v, const field *of)
{
    if (v->mode == RH_VISIT_WRITE) {
        write_field(v, of);
    } else if (v->trouble == NULL) {
        read_field(v, of);
    }
}

void rh__visit_numbers(rh_visit *v, const char *name, double *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_NUMBER, items, count, 0});
}

void rh__visit_finite(rh_visit *v, const char *name, double *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_FINITE, items, count, 0});
}

void rh__visit_sides(rh_visit *v, const char *name, double *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_SIDE, items, count, 0});
}

void rh__visit_truths(rh_visit *v, const char *name, double *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_TRUTH, items, count, 0});
}

void rh__visit_signs(rh_visit *v, const char *name, int *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_SIGN, items, count, 0});
}

uint32_t rh__visit_word(rh_visit *v, const char *name, uint32_t *item, uint32_t most)
{
    visit_field(v, &(field){name, KIND_WORD, item, 1, most});
    return v->trouble != NULL ? 0 : v->mode == RH_VISIT_WRITE ? *item : (uint32_t)v->last;
}

void rh__visit_long(rh_visit *v, const char *name, uint64_t *item)
{
    visit_field(v, &(field){name, KIND_LONG, item, 1, 0});
}

void rh__visit_flags(rh_visit *v, const char *name, bool *items, uint32_t count)
{
    visit_field(v, &(field){name, KIND_FLAG, items, count, 0});
}

void rh__visit_text(rh_visit *v, const char *name, char *items, uint32_t size)
{
    visit_field(v, &(field){name, KIND_TEXT, items, size, 0});
}
