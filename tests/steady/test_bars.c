// SPDX-License-Identifier: Apache-2.0
// Error bars of roots: those that are nearly multiple move like a root of rounding.

#include "resting.h"

static const resting_call NOTHING = {.fix_count = 0};

// Blocks [0 1; -1 0] coupled one to the next: roots +-i of multiplicity `blocks`, in any order of
// the states, with the real part of all moved by `shift`.
static void write_blocks(char *text, size_t size, uint32_t blocks, double shift, bool is_turned)
{
    size_t at = 0;
    at += (size_t)snprintf(text, size, "param s = %.17g\nstate ", shift);
    for (uint32_t k = 0; k < 2 * blocks; k++) {
        const uint32_t it = is_turned ? 2 * blocks - 1 - k : k;
        at += (size_t)snprintf(text + at, size - at, "%sx%u", k > 0 ? ", " : "", it);
    }
    for (uint32_t k = 0; k < 2 * blocks; k++) {
        at += (size_t)snprintf(text + at, size - at, "\nlaw x%u' = s*x%u %s x%u", k, k,
                               k % 2 == 0 ? "+" : "-", k % 2 == 0 ? k + 1 : k - 1);
        if (k + 2 < 2 * blocks) {
            at += (size_t)snprintf(text + at, size - at, " + x%u", k + 2);
        }
    }
    assert_true(at + 2 < size);
    strcat(text, "\n");
}

static rh_steady_verdict judge(const char *text, double *out_bar)
{
    resting it = resting_begin(text, &NOTHING);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    *out_bar = 0.0;
    for (uint32_t k = 0; k < motion.size; k++) {
        *out_bar = fmax(*out_bar, motion.roots[k].bar);
    }
    const rh_steady_verdict verdict = motion.verdict;
    resting_end(&it);
    return verdict;
}

static void jordan_blocks_on_the_axis_are_undecided(void **state)
{
    (void)state;
    char text[800];
    double bar = 0.0;
    for (uint32_t blocks = 1; blocks <= 4; blocks++) {
        for (int side = 0; side < 2; side++) {
            write_blocks(text, sizeof text, blocks, 0.0, side == 1);
            assert_int_equal(judge(text, &bar), RH_STEADY_UNDECIDED);
            // the moves that rounding makes are within it
            assert_true(bar >= pow(2e-16, 1.0 / blocks));
        }
    }
}

static void what_is_clear_of_the_axis_is_decided(void **state)
{
    (void)state;
    char text[800];
    double bar = 0.0;
    for (uint32_t blocks = 1; blocks <= 4; blocks++) {
        write_blocks(text, sizeof text, blocks, -0.05, false);
        assert_int_equal(judge(text, &bar), RH_STEADY_ASYMPTOTICALLY_STABLE);
        write_blocks(text, sizeof text, blocks, 0.05, true);
        assert_int_equal(judge(text, &bar), RH_STEADY_UNSTABLE);
    }
    write_blocks(text, sizeof text, 2, -1e-5, true);
    assert_int_equal(judge(text, &bar), RH_STEADY_ASYMPTOTICALLY_STABLE);
    write_blocks(text, sizeof text, 2, 1e-10, true); // within rounding of the axis
    assert_int_equal(judge(text, &bar), RH_STEADY_UNDECIDED);
}

// The same where k is known, as in a chart or on a family.
static void a_family_over_them_does_not_change(void **state)
{
    (void)state;
    resting it = resting_begin("param p = 1\nstate a, b, c, d\nlaw a' = b + p*c\n"
                               "law b' = -a + p*d\nlaw d' = -c - d^3\nlaw c' = d\n",
                               &(resting_call){.fix = {{"p", 1.0}}, .fix_count = 1});
    rh_walk_def def = rh_walk_def_default();
    def.name = "p";
    def.from = 1.0;
    def.to = 3.0;
    rh_walk *walk = NULL;
    rh_walk_point point;
    bool is_there = true;
    uint32_t count = 0;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        if (is_there) {
            assert_int_equal(point.motion.verdict, RH_STEADY_UNDECIDED);
            count++;
        }
    }
    assert_true(count > 5);
    rh_walk_destroy(walk);
    resting_end(&it);
}

// A variable that is counted from far away is known to its last digit only, and so is what is
// subtracted from it: bars of roots hold that.
static void roots_far_from_the_origin(void **state)
{
    (void)state;
    static const char *const SHIFTS[] = {"0", "10", "273.15", "1000", "1e5", "1e6", "1e9"};
    for (size_t k = 0; k < sizeof SHIFTS / sizeof *SHIFTS; k++) {
        const char *const shift = SHIFTS[k];
        for (int is_crossing = 0; is_crossing < 2; is_crossing++) {
            char text[300];
            if (is_crossing == 1) {
                (void)snprintf(text, sizeof text,
                               "param p = 1\nstate x\n"
                               "law x' = (x - %s)*(p - 0.3 - (x - %s))\nstart x = %s\n",
                               shift, shift, shift);
            } else {
                (void)snprintf(text, sizeof text,
                               "param p = 1/3 + 0.04\nstate x\n"
                               "law x' = p - 1/3 - (x - %s)^2\nstart x = %s + 0.2\n",
                               shift, shift);
            }
            resting it = resting_begin(text, &NOTHING);
            const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
            const double exact = is_crossing == 1 ? 0.7 : -0.4;
            assert_true(fabs(motion.roots[0].real - exact) <= motion.roots[0].bar);
            assert_true(motion.roots[0].bar <= 1e-14 + 1e-14 * atof(shift));
            resting_end(&it);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_far_from_the_origin),
        cmocka_unit_test(jordan_blocks_on_the_axis_are_undecided),
        cmocka_unit_test(what_is_clear_of_the_axis_is_decided),
        cmocka_unit_test(a_family_over_them_does_not_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
