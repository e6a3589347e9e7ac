// SPDX-License-Identifier: Apache-2.0
// Two JSON texts side by side: what is no number must be the same, numbers may differ by a power of
// the factor of the units.

#include "verbs.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPONENT_MOST = 60 };

#define SHORT 1e-3 // relative: numbers in sentences are printed with few digits

const char *units_verdict_word(units_verdict verdict)
{
    static const char *const WORDS[] = {"same", "roundings", "digits", "verdicts or counts"};
    return WORDS[verdict];
}

// --- reading -----------------------------------------------------------------------------------

// Keys whose numbers are the size of roundings, or counts of work.
static bool is_of_rounding(const char *key, size_t size)
{
    static const char *const KEYS[] = {"residual", "error_bars",        "iterations",
                                       "looks",    "ideality_residual", "distance"};
    for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
        if (strlen(KEYS[k]) == size && strncmp(key, KEYS[k], size) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_number_start(const char *s)
{
    return isdigit((unsigned char)s[0]) || (s[0] == '-' && isdigit((unsigned char)s[1]));
}

// Past the string that begins here, or past the value of a key of the rewriting itself.
static const char *pass(const char *s, char end)
{
    for (; *s != '\0' && *s != end; s++) {
    }
    return *s != '\0' ? s + 1 : s;
}

/// A position in a text, and the key it stands under.
typedef struct cursor {
    const char *at;
    const char *key;
    size_t key_size;
    size_t written;
    bool is_text;
} cursor;

static void at_quote(cursor *c)
{
    c->is_text = !c->is_text;
    const char *end = c->is_text ? strchr(c->at + 1, '"') : NULL;
    if (end != NULL && end[1] == ':') {
        c->key = c->at + 1;
        c->key_size = (size_t)(end - c->key);
        if (strncmp(c->key, "unit_", 5) == 0) { // its value is the factor
            c->at = pass(pass(end + 1, '"'), '"');
            c->is_text = false;
        }
    }
}

units_reading units_read(const char *json)
{
    const size_t size = strlen(json) + 2;
    units_reading out = {.words = calloc(size, 1),
                         .numbers = calloc(size, sizeof(double)),
                         .exponents = calloc(size, sizeof(int32_t)),
                         .is_rounding = calloc(size, sizeof(bool)),
                         .is_short = calloc(size, sizeof(bool))};
    assert_true(out.words != NULL && out.numbers != NULL && out.exponents != NULL &&
                out.is_rounding != NULL && out.is_short != NULL);
    char before = ' ';
    for (cursor c = {.at = json, .key = json}; *c.at != '\0';) {
        if (*c.at == '"') {
            at_quote(&c);
        }
        const bool is_in_word = isalnum((unsigned char)before) || before == '_' || before == '[';
        const bool is_in_name = is_in_word && (before != '[' || c.is_text);
        if (!is_in_name && is_number_start(c.at)) {
            char *end = NULL;
            out.is_rounding[out.count] = is_of_rounding(c.key, c.key_size);
            out.is_short[out.count] = c.is_text;
            out.numbers[out.count++] = strtod(c.at, &end);
            c.at = end;
            out.words[c.written++] = '#';
            before = '0';
        } else {
            before = *c.at;
            out.words[c.written++] = *c.at++;
        }
    }
    return out;
}

void units_reading_end(units_reading *it)
{
    free(it->words);
    free(it->numbers);
    free(it->exponents);
    free(it->is_rounding);
    free(it->is_short);
    *it = (units_reading){.count = 0};
}

// --- comparing ---------------------------------------------------------------------------------

static bool has_same_words(const units_reading *a, const units_reading *b, char *what, size_t size)
{
    size_t k = 0;
    while (a->words[k] != '\0' && a->words[k] == b->words[k]) {
        k++;
    }
    if (a->words[k] == b->words[k]) {
        return true;
    }
    const size_t from = k > 30 ? k - 30 : 0;
    (void)snprintf(what, size, "%.60s, was %.60s", b->words + from, a->words + from);
    return false;
}

// What stands before a number.
static const char *context(const units_reading *it, size_t number)
{
    static char text[48];
    size_t k = 0;
    for (; it->words[k] != '\0'; k++) {
        if (it->words[k] == '#' && number-- == 0) {
            break;
        }
    }
    const size_t from = k > 40 ? k - 40 : 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)(k - from), it->words + from);
    return text;
}

// What may be the rounding of other numbers where one of two is zero, and its unit is not known.
static double least_of(const units_change *change)
{
    return 1e-12 * fmax(units_power(change, 1.0), units_power(change, -1.0));
}

static units_verdict exact_verdict(const units_change *change, double a, double b, bool is_short,
                                   int32_t *out)
{
    *out = 0;
    if (a == b) {
        return UNITS_SAME;
    }
    if (a == 0.0 || b == 0.0) {
        return fabs(a) + fabs(b) < least_of(change) ? UNITS_ROUNDING : UNITS_DIGITS;
    }
    const double sixth = log(2.0) * change->power / 6.0;
    const double exponent = round(log(fabs(b / a)) / sixth);
    if (fabs(exponent) > EXPONENT_MOST) {
        return UNITS_DIGITS;
    }
    *out = (int32_t)exponent;
    const double back = b / units_power(change, exponent / 6.0);
    return back == a || (is_short && fabs(back - a) < SHORT * fabs(a)) ? UNITS_SAME
           : fabs(back - a) < 1e-12 * fmax(fabs(a), 1e-3)              ? UNITS_ROUNDING
                                                                       : UNITS_DIGITS;
}

units_verdict units_compare_exact(const units_change *change, units_reading *plain,
                                  const units_reading *other, char *what, size_t size)
{
    if (!has_same_words(plain, other, what, size)) {
        return UNITS_WORDS;
    }
    units_verdict worst = UNITS_SAME;
    for (size_t k = 0; k < plain->count; k++) {
        units_verdict verdict = exact_verdict(change, plain->numbers[k], other->numbers[k],
                                              plain->is_short[k], &plain->exponents[k]);
        verdict = plain->is_rounding[k] && verdict == UNITS_DIGITS ? UNITS_ROUNDING : verdict;
        if (verdict > worst) {
            worst = verdict;
            (void)snprintf(what, size, "%s %.17g, was %.17g", context(plain, k), other->numbers[k],
                           plain->numbers[k]);
        }
    }
    return worst;
}

units_verdict units_compare_near(const units_change *change, const units_reading *plain,
                                 const units_reading *other, const units_change *near_change,
                                 const units_reading *near, char *what, size_t size)
{
    if (!has_same_words(plain, other, what, size)) {
        return UNITS_WORDS;
    }
    const bool has_near = near->count == plain->count;
    units_verdict worst = UNITS_SAME;
    for (size_t k = 0; k < plain->count; k++) {
        const double old = plain->numbers[k];
        const double exponent = plain->exponents[k] / 6.0;
        const double new = other->numbers[k] / units_power(change, exponent);
        const double noise =
            has_near ? fabs(near->numbers[k] / units_power(near_change, exponent) - old) : 0.0;
        const double share = plain->is_short[k] ? SHORT : 100.0 * DBL_EPSILON;
        const double allowed =
            100.0 * noise + share * fabs(old) + (old == 0.0 ? least_of(change) : 1e-13);
        if (!plain->is_rounding[k] && !(fabs(new - old) <= allowed) && worst == UNITS_SAME) {
            worst = UNITS_DIGITS;
            (void)snprintf(what, size, "%s %.17g, was %.17g", context(plain, k), new, old);
        }
    }
    return worst;
}
