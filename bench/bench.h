// SPDX-License-Identifier: Apache-2.0
// Private to the benchmarks: the table of cases and what a case reports.

#pragma once

#include "rheonom/rheonom.h"

#include <stdint.h>

/// What one run of a case found out. Time is the driver's.
typedef struct measure {
    double seconds;    // of the part that is measured
    size_t peak_bytes; // of the library's own memory
    uint64_t work;     // what the case counts: rows, nodes ...
    bool ok;
} measure;

/// One named case at one size.
typedef struct bench_case {
    const char *name;
    const char *counts; // what `work` is
    uint32_t size;
    measure (*run)(uint32_t size);
} bench_case;

/// Seconds of processor time.
double bench_clock(void);

/// An allocator that counts; `tally` must outlive everything made with it.
typedef struct tally {
    size_t now, peak;
} tally;

rh_allocator bench_allocator(tally *tally);

/// A model from text; NULL (and a message) when it is wrong.
rh_model *bench_model(const char *text, tally *tally);

measure bench_read_chain(uint32_t size);
measure bench_read_disc(uint32_t size);
measure bench_derive_absolute(uint32_t size);
measure bench_derive_relative(uint32_t size);
measure bench_equations_chain(uint32_t size);
measure bench_equations_disc(uint32_t size);
measure bench_equations_andrews(uint32_t size);
measure bench_equations_bicycle(uint32_t size);
