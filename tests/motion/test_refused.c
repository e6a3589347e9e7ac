// SPDX-License-Identifier: Apache-2.0
// Refused memory on the way from equations to rows: a taste of slow_refused.c.

#include "refused.h"

static void requests_may_be_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < REFUSED_COUNT; k++) {
        refused_run(&REFUSED[k], 60, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
