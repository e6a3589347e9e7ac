// SPDX-License-Identifier: Apache-2.0
// Many models at random: their forms agree, and are right.

#include "agreement.h"

static void forms_agree(void **state)
{
    (void)state;
    try_models("forms agree", 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
