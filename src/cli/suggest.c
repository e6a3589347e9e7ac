// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the candidate with the fewest slips (insert, delete, replace, swap neighbours) to
// what was written.

#include "cli/cli.h"

#include <string.h>

enum { LONGEST = 31 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// Optimal string alignment; both words are at most LONGEST bytes long.
static unsigned distance(const char *a, const char *b)
{
    RH_ASSERT(strlen(a) <= LONGEST && strlen(b) <= LONGEST);
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    unsigned table[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_size; i++) {
        for (size_t j = 0; j <= b_size; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = (unsigned)(i + j);
                continue;
            }
            const unsigned replaced = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = least(replaced, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[a_size][b_size];
}

const char *cli_suggest(const char *wanted, const char *const *candidates)
{
    const size_t size = strlen(wanted);
    if (size == 0 || size > LONGEST) {
        return NULL;
    }
    // about one slip in three letters
    unsigned best = (unsigned)(size + 2) / 3 + 1;
    const char *nearest = NULL;
    for (; *candidates != NULL; candidates++) {
        const unsigned slips =
            strlen(*candidates) <= LONGEST ? distance(wanted, *candidates) : best;
        if (slips < best) {
            best = slips;
            nearest = *candidates;
        }
    }
    return nearest;
}
