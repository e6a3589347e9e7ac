// SPDX-License-Identifier: Apache-2.0
// Letters outside ASCII: which code points may stand in a name, and which are only look-alikes of
// our symbols. A code point is a letter unless it lies in a known range of punctuation, space or
// symbols.

#include "syntax/lexer.h"

typedef struct code_range {
    uint32_t first, last;
} code_range;

// In ascending order.
static const code_range NOT_LETTERS[] = {
    {0x0080, 0x00a9}, // controls, Latin-1 punctuation
    {0x00ab, 0x00b4},    {0x00b6, 0x00b9},   {0x00bb, 0x00bf},
    {0x00d7, 0x00d7},    {0x00f7, 0x00f7},   {0x02b9, 0x02bc}, // modifier primes and apostrophes
    {0x02c2, 0x02df},    {0x037e, 0x037e},                     // Greek question mark
    {0x0387, 0x0387},    {0x1680, 0x1680},   {0x2000, 0x207f}, // punctuation, spaces, superscripts
    {0x208a, 0x208f},    {0x20a0, 0x20cf},                     // currency
    {0x2150, 0x215f},                                          // fractions
    {0x2190, 0x2bff}, // arrows, operators, technical, boxes, dingbats
    {0x2e00, 0x2e7f},    {0x3000, 0x3004},   {0x3008, 0x3020},
    {0x3030, 0x3030},    {0xe000, 0xf8ff}, // private use
    {0xfe00, 0xfe6f},                      // variation selectors, small forms
    {0xfeff, 0xff0f},                      // byte order mark, full-width punctuation
    {0xff1a, 0xff20},    {0xff3b, 0xff40},   {0xff5b, 0xff65},
    {0xffe0, 0xffff},    {0x1d6c1, 0x1d6c1}, // nabla, bold
    {0x1f000, 0x1faff},                      // pictures
    {0xe0000, 0x10ffff},
};

bool rh__letter_is(uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof NOT_LETTERS / sizeof NOT_LETTERS[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code > NOT_LETTERS[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_listed =
        low < sizeof NOT_LETTERS / sizeof NOT_LETTERS[0] && code >= NOT_LETTERS[low].first;
    return code >= 0x80 && !is_listed;
}

bool rh__letter_is_cyrillic(uint32_t code)
{
    return code >= 0x0400 && code <= 0x052f;
}

// In ascending order.
static const rh_lookalike LOOKALIKES[] = {
    {0x00a0, RH_TOKEN_BAD, 0, "a plain space"},
    {0x00ab, RH_TOKEN_STRING, 1, "\""},
    {0x00ad, RH_TOKEN_BAD, 0, "a plain space"},
    {0x00b2, RH_TOKEN_BAD, 1, "^2"},
    {0x00b3, RH_TOKEN_BAD, 1, "^3"},
    {0x00b4, RH_TOKEN_PRIME, 1, "'"},
    {0x00b7, RH_TOKEN_STAR, 1, "*"},
    {0x00b9, RH_TOKEN_BAD, 1, "^1"},
    {0x00bb, RH_TOKEN_STRING, 1, "\""},
    {0x00bc, RH_TOKEN_BAD, 1, "1/4"},
    {0x00bd, RH_TOKEN_BAD, 1, "1/2"},
    {0x00be, RH_TOKEN_BAD, 1, "3/4"},
    {0x00d7, RH_TOKEN_STAR, 1, "*"},
    {0x00f7, RH_TOKEN_SLASH, 1, "/"},
    {0x02b9, RH_TOKEN_PRIME, 1, "'"},
    {0x02ba, RH_TOKEN_PRIME, 2, "''"},
    {0x02bc, RH_TOKEN_PRIME, 1, "'"},
    {0x037e, RH_TOKEN_SEMICOLON, 1, ";"},
    {0x0387, RH_TOKEN_STAR, 1, "*"},
    {0x2010, RH_TOKEN_MINUS, 1, "-"},
    {0x2011, RH_TOKEN_MINUS, 1, "-"},
    {0x2012, RH_TOKEN_MINUS, 1, "-"},
    {0x2013, RH_TOKEN_MINUS, 1, "-"},
    {0x2014, RH_TOKEN_MINUS, 1, "-"},
    {0x2018, RH_TOKEN_PRIME, 1, "'"},
    {0x2019, RH_TOKEN_PRIME, 1, "'"},
    {0x201c, RH_TOKEN_STRING, 1, "\""},
    {0x201d, RH_TOKEN_STRING, 1, "\""},
    {0x201e, RH_TOKEN_STRING, 1, "\""},
    {0x2022, RH_TOKEN_STAR, 1, "*"},
    {0x2025, RH_TOKEN_RANGE, 1, ".."},
    {0x2026, RH_TOKEN_RANGE, 1, ".."},
    {0x2032, RH_TOKEN_PRIME, 1, "'"},
    {0x2033, RH_TOKEN_PRIME, 2, "''"},
    {0x2034, RH_TOKEN_PRIME, 3, "'''"},
    {0x2044, RH_TOKEN_SLASH, 1, "/"},
    {0x2070, RH_TOKEN_BAD, 1, "^0"},
    {0x2074, RH_TOKEN_BAD, 1, "^4"},
    {0x2075, RH_TOKEN_BAD, 1, "^5"},
    {0x2076, RH_TOKEN_BAD, 1, "^6"},
    {0x2077, RH_TOKEN_BAD, 1, "^7"},
    {0x2078, RH_TOKEN_BAD, 1, "^8"},
    {0x2079, RH_TOKEN_BAD, 1, "^9"},
    {0x207b, RH_TOKEN_BAD, 1, "^-"},
    {0x2211, RH_TOKEN_BAD, 1, "sum(i in 1..N: ...)"},
    {0x2212, RH_TOKEN_MINUS, 1, "-"},
    {0x2215, RH_TOKEN_SLASH, 1, "/"},
    {0x2217, RH_TOKEN_STAR, 1, "*"},
    {0x2219, RH_TOKEN_STAR, 1, "*"},
    {0x221a, RH_TOKEN_BAD, 1, "sqrt(...)"},
    {0x2227, RH_TOKEN_BAD, 1, "and"},
    {0x2228, RH_TOKEN_BAD, 1, "or"},
    {0x2236, RH_TOKEN_COLON, 1, ":"},
    {0x2254, RH_TOKEN_EQUAL, 1, "="},
    {0x2260, RH_TOKEN_UNEQUAL, 1, "!="},
    {0x2261, RH_TOKEN_EQUAL, 1, "="},
    {0x2264, RH_TOKEN_LESS_EQUAL, 1, "<="},
    {0x2265, RH_TOKEN_GREATER_EQUAL, 1, ">="},
    {0x2266, RH_TOKEN_LESS_EQUAL, 1, "<="},
    {0x2267, RH_TOKEN_GREATER_EQUAL, 1, ">="},
    {0x22c5, RH_TOKEN_STAR, 1, "*"},
    {0x2a7d, RH_TOKEN_LESS_EQUAL, 1, "<="},
    {0x2a7e, RH_TOKEN_GREATER_EQUAL, 1, ">="},
    {0x3000, RH_TOKEN_BAD, 0, "a plain space"},
    {0xfeff, RH_TOKEN_BAD, 0, "a plain space"},
    {0xff07, RH_TOKEN_PRIME, 1, "'"},
    {0xff08, RH_TOKEN_OPEN_ROUND, 1, "("},
    {0xff09, RH_TOKEN_CLOSE_ROUND, 1, ")"},
    {0xff0a, RH_TOKEN_STAR, 1, "*"},
    {0xff0b, RH_TOKEN_PLUS, 1, "+"},
    {0xff0c, RH_TOKEN_COMMA, 1, ","},
    {0xff0d, RH_TOKEN_MINUS, 1, "-"},
    {0xff0e, RH_TOKEN_POINT, 1, "."},
    {0xff0f, RH_TOKEN_SLASH, 1, "/"},
    {0xff1a, RH_TOKEN_COLON, 1, ":"},
    {0xff1b, RH_TOKEN_SEMICOLON, 1, ";"},
    {0xff1c, RH_TOKEN_LESS, 1, "<"},
    {0xff1d, RH_TOKEN_EQUAL, 1, "="},
    {0xff1e, RH_TOKEN_GREATER, 1, ">"},
    {0xff3b, RH_TOKEN_OPEN_SQUARE, 1, "["},
    {0xff3d, RH_TOKEN_CLOSE_SQUARE, 1, "]"},
    {0xff3e, RH_TOKEN_CARET, 1, "^"},
};

bool rh__lookalike_find(uint32_t code, rh_lookalike *out)
{
    if ((code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) ||
        (code >= 0x205f && code <= 0x2064)) {
        *out = (rh_lookalike){code, RH_TOKEN_BAD, 0, "a plain space"};
        return true;
    }
    size_t low = 0;
    size_t high = sizeof LOOKALIKES / sizeof LOOKALIKES[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (LOOKALIKES[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sizeof LOOKALIKES / sizeof LOOKALIKES[0] || LOOKALIKES[low].code != code) {
        return false;
    }
    *out = LOOKALIKES[low];
    return true;
}
