// SPDX-License-Identifier: Apache-2.0
// Property tests of src/tape/chunk.c: runs of sums of all lengths behind whole groups of chunks. A
// sum must not be written over by its neighbours, nor write over what stands behind the run.

#define _POSIX_C_SOURCE 200809L

#include "trial.h"

#include <stdio.h>

enum { ORDER = 11 };

static void check_length(unsigned count, const char *potential)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "param K = %u\ncoord x[1..K]\nkinetic sum(i in 1..K: x[i]'^2/2)\n"
                   "potential sum(i in 1..K: %s)\n"
                   "for i in 1..K: start x[i] = 1 + 0.1*sin(i), x[i]' = 0.3\n",
                   count, potential);
    const system_def def = {
        .from = {.path = potential, .text = text}, .order = ORDER, .released = -1, .forced = NAN};
    (void)check_system(&def, true, 0.0);
}

static void sums_stay_in_their_runs(void **unused)
{
    (void)unused;
    // behind one group of four chunks, behind two, and behind none
    static const unsigned LENGTHS[] = {9, 15, 33, 34, 35, 37, 39, 41, 65, 71};
    for (size_t k = 0; k < sizeof LENGTHS / sizeof *LENGTHS; k++) {
        check_length(LENGTHS[k], "x[i]^4/4 + exp(-x[i])"); // products, squares and moments
    }
}

static void all_kinds_of_sums_do(void **unused)
{
    (void)unused;
    static const char *const KINDS[] = {"x[i]^4/4 + x[i]*atan(x[i])", "x[i]^5/5 - x[i]*log(x[i])",
                                        "tanh(x[i])*x[i]^3", "x[i]^3/(1 + x[i]^2) + sqrt(1 + x[i])",
                                        "x[i]^2.5 + cos(x[i]*x[i])"};
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        check_length(33, KINDS[k]);
        check_length(38, KINDS[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_in_their_runs),
        cmocka_unit_test(all_kinds_of_sums_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
