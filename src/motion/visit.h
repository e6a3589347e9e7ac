// SPDX-License-Identifier: Apache-2.0
// Private to `motion`: fields of a state, one after the other, written to bytes, checked, or read
// from them by the same calls. Each has its name, its kind and how many items it has; numbers are
// little-endian, doubles as their bits.

#pragma once

#include "base/base.h"

typedef enum rh_visit_mode {
    RH_VISIT_WRITE,
    RH_VISIT_CHECK, // what would be read, without changing anything
    RH_VISIT_READ   // what was checked
} rh_visit_mode;

typedef struct rh_visit {
    rh_visit_mode mode;
    unsigned char *out;      // when writing; NULL: count only
    const unsigned char *in; // else
    size_t at, size;
    const char *trouble;       // the first field that is not as it must be; NULL: none
    uint64_t last;             // item that was read
    uint32_t stepper;          // found on the way (keep.c): which one it is,
    uint32_t occurrence_count; // and how many there are
} rh_visit;

void rh__visit_numbers(rh_visit *visit, const char *name, double *items, uint32_t count);
/// Numbers that must be finite.
void rh__visit_finite(rh_visit *visit, const char *name, double *items, uint32_t count);
/// Numbers that are -1, 0 or 1.
void rh__visit_sides(rh_visit *visit, const char *name, double *items, uint32_t count);
/// Numbers from -1 to 1, or NaN.
void rh__visit_truths(rh_visit *visit, const char *name, double *items, uint32_t count);
/// Whole numbers that are -1, 0 or 1.
void rh__visit_signs(rh_visit *visit, const char *name, int *items, uint32_t count);
/// A number up to `most`. Returns the one that is there; 0 after trouble.
uint32_t rh__visit_word(rh_visit *visit, const char *name, uint32_t *item, uint32_t most);
void rh__visit_long(rh_visit *visit, const char *name, uint64_t *item);
void rh__visit_flags(rh_visit *visit, const char *name, bool *items, uint32_t count);
/// A terminated text in `size` bytes.
void rh__visit_text(rh_visit *visit, const char *name, char *items, uint32_t size);

/// `width` bytes without a name.
void rh__visit_put(rh_visit *visit, uint64_t bits, uint32_t width);
uint64_t rh__visit_get(rh_visit *visit, uint32_t width);
/// A double by its bits.
double rh__visit_double(uint64_t bits);
