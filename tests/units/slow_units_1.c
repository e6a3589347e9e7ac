// SPDX-License-Identifier: Apache-2.0
// All questions of the table in other units, part 2 of 4.

#include "judging.h"

static void all_questions(void **state)
{
    (void)state;
    units_judge_table(1, 4, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
