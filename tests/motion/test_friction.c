// SPDX-License-Identifier: Apache-2.0
// Random models with one-sided constraints, found in another way: by growing friction.

#include "jumble.h"

// The same model with all constraints kept by friction alone.
static void soften(const jumble *of, double n, jumble *out)
{
    *out = (jumble){.n = of->n};
    for (const char *at = of->text; *at != '\0';) {
        const size_t size = strcspn(at, "\n");
        const bool is_constraint = strncmp(at, "constraint", strlen("constraint")) == 0;
        if (strncmp(at, "observe", strlen("observe")) != 0) {
            jumble_put(out, "%.*s", (int)size, at);
            if (is_constraint) {
                jumble_put(out, " by friction(%g)", n);
            }
            jumble_put(out, "\n");
        }
        at += size + 1;
    }
}

static double miss_by_friction(const jumble *of, double n, moving *it, double t_end)
{
    static jumble soft;
    double v[JUMBLE_SIZE];
    soften(of, n, &soft);
    const moving_conditions with = {.tolerance = 1e-10};
    moving other = moving_begin(soft.text, &with);
    if (moving_advance(&other, t_end) != RH_STOP_REACHED) {
        jumble_print(&soft);
        fail_msg("friction stops at %.17g: %s", rh_motion_time(other.motion),
                 rh_motion_reason(other.motion));
    }
    for (uint32_t i = 0; i < of->n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "q%u'", i + 1);
        v[i] = moving_value(&other, name);
    }
    moving_end(&other);
    return jumble_miss(it, of, v);
}

// Friction with the factor N comes as near as 1/N.
static void by_friction(void **state)
{
    (void)state;
    support_random random = {.state = 71}; // always the same: it is a rate that is looked at
    static jumble of;
    for (int trial = 0; trial < 6; trial++) {
        jumble_make(&of, &random, false);
        moving it = moving_begin(of.text, NULL);
        moving_reach(&it, 3.0);
        const double soft = miss_by_friction(&of, 1e3, &it, 3.0);
        const double stiff = miss_by_friction(&of, 1e5, &it, 3.0);
        moving_end(&it);
        print_message("%.3g %.3g\n", soft, stiff);
        if (!(stiff < 1e-3 && stiff < soft / 20.0 + 1e-7)) {
            jumble_print(&of);
            fail_msg("friction misses it by %.3g and %.3g", soft, stiff);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
