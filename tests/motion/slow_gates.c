// SPDX-License-Identifier: Apache-2.0
// Many random models with one-sided constraints.

#include "jumble.h"

#if defined(__SANITIZE_ADDRESS__)
enum { COUNT = 300 }; // ten times slower
#else
enum { COUNT = 2000 };
#endif

static void many_models(void **state)
{
    (void)state;
    support_random random = support_random_begin("many_models");
    jumble_try_many(&random, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
