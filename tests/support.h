// SPDX-License-Identifier: Apache-2.0
// What tests share: cmocka itself, near-comparison in double, random numbers with a printed seed,
// loading models. Build definition RH_SOURCE_DIR is the root of the tree; paths given here are
// relative to it.

#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rheonom/rheonom.h"

/// |actual - expected| <= tolerance * (1 + |expected|): absolute for small numbers, relative for
/// large ones.
#define assert_near(actual, expected, tolerance)                                                   \
    support_near((actual), (expected), (tolerance), (tolerance), #actual, __FILE__, __LINE__)

/// |actual - expected| <= relative * |expected| + absolute.
#define assert_near_by(actual, expected, relative, absolute)                                       \
    support_near((actual), (expected), (relative), (absolute), #actual, __FILE__, __LINE__)

void support_near(double actual, double expected, double relative, double absolute,
                  const char *what, const char *file, int line);

/// A stream of random numbers (SplitMix64).
typedef struct support_random {
    uint64_t state;
} support_random;

/// Start a stream: from the environment variable RH_SEED, or else a fixed one. The seed is
/// printed.
support_random support_random_begin(const char *test);
uint64_t support_random_bits(support_random *random);
/// 0 <= result < count; `count` is positive.
uint32_t support_random_below(support_random *random, uint32_t count);
/// low <= result < high.
double support_random_real(support_random *random, double low, double high);

/// The bytes of a file of the tree, terminated; the caller frees them. Fails the test when it
/// cannot be read.
char *support_read(const char *path, size_t *out_size);

/// A sound model from a file of the tree; the caller destroys it. Fails the test when it has
/// errors.
rh_model *support_model(const char *path);

/// Text gathered through a sink; begin with {0}, free `data`.
typedef struct support_text {
    char *data; // terminated once something was written
    size_t size;
} support_text;

rh_sink support_text_sink(support_text *text);

/// An allocator that counts, checks that sizes given back are those asked for, and can be told to
/// fail.
typedef struct support_memory {
    size_t request_count; // alloc and resize
    size_t fail_at;       // this request fails (1 is the first); 0: none
    size_t block_count;   // not given back yet
    size_t byte_count;    // not given back yet
} support_memory;

rh_allocator support_memory_allocator(support_memory *memory);
