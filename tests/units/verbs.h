// SPDX-License-Identifier: Apache-2.0
// The answer of a verb about a model in some units, as JSON, and the comparison of two such
// answers: words and counts must be the same, numbers the same up to a power of the factor.

#pragma once

#include "rewrite.h"

enum { UNITS_ARGUMENTS = 12, UNITS_ARGUMENT = 96 };

/// A question: a verb ("check", "steady", "linearise", "orbit", "average", "chart", "optimise",
/// "program") and its arguments "what:NAME=VALUE", in old units.
typedef struct units_question {
    char path[256];
    char verb[16];
    char arguments[UNITS_ARGUMENTS][UNITS_ARGUMENT];
    uint32_t argument_count;
} units_question;

/// The answer, or the reason why there is none; the caller frees it.
char *units_answer(const units_text *it, const units_change *change,
                   const units_question *question);

/// A JSON text taken apart: what is no number (with `#` for numbers), and the numbers.
typedef struct units_reading {
    char *words;
    double *numbers;
    int32_t *exponents; // once known: the number grows by s^(exponent/6)
    bool *is_rounding;  // a residual, a bar: nothing but its size is meant
    bool *is_short;     // it stands in a sentence, with few digits
    size_t count;
} units_reading;

units_reading units_read(const char *json);
void units_reading_end(units_reading *it);

/// How two answers or runs differ.
typedef enum units_verdict {
    UNITS_SAME,     // every bit, or no more than is allowed
    UNITS_ROUNDING, // the last digits
    UNITS_DIGITS,   // digits that were asked for
    UNITS_WORDS     // verdicts, counts, names
} units_verdict;

/// "same", "roundings", "digits", "verdicts or counts".
const char *units_verdict_word(units_verdict verdict);

/// The unit was changed by a power of two: is every number the same up to a power of it? Fills the
/// exponents of `plain`.
units_verdict units_compare_exact(const units_change *change, units_reading *plain,
                                  const units_reading *other, char *what, size_t size);
/// By another factor: numbers may differ by 100 roundings, and by 100 times what they differ by in
/// `near`, the answer in units that are nearly the same (`near_change`).
units_verdict units_compare_near(const units_change *change, const units_reading *plain,
                                 const units_reading *other, const units_change *near_change,
                                 const units_reading *near, char *what, size_t size);
