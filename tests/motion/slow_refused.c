// SPDX-License-Identifier: Apache-2.0
// Refused memory on the way from equations to rows: each of the first two thousand requests, and
// five hundred of the others.

#include "refused.h"

static void any_request_may_be_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < REFUSED_COUNT; k++) {
        refused_run(&REFUSED[k], 2000, 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
