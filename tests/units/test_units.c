// SPDX-License-Identifier: Apache-2.0
// Changing the unit of a variable, of time, of mass or of a constraint changes nothing but the
// scale of results: the quick questions of the table. And the rewriting itself: with factors of 1
// and 27 results are those of the text as it stands.

#include "judging.h"
#include "moves.h"

#include <math.h>

static void quick_questions(void **state)
{
    (void)state;
    units_judge_table(0, 1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quick_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
