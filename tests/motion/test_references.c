// SPDX-License-Identifier: Apache-2.0
// Motions against numbers found without this code, by Taylor steps, with presolve and without.

#include "references.h"

static void regular(void **state)
{
    (void)state;
    for (uint32_t plain = 0; plain < 2; plain++) {
        reference_run(&(reference_way){.name = "taylor", .is_plain = plain == 1, .looseness = 1.0});
    }
}

static void singular(void **state)
{
    (void)state;
    for (uint32_t plain = 0; plain < 2; plain++) {
        reference_run(&(reference_way){
            .name = "taylor", .is_plain = plain == 1, .is_singular = true, .looseness = 1.0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular),
        cmocka_unit_test(singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
