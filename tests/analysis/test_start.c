// SPDX-License-Identifier: Apache-2.0
// The rates at the start: inputs, equations in the order of the text, walls that lean on each
// other, lengths far from one.

#include "examined.h"

// A rate of the first carriers at the start.
static double rate(const examined *it, uint32_t carrier)
{
    return rh__point_get(&it->checkup->start.point, it->equations->carriers.data[carrier].rate);
}

static void inputs_have_the_values_of_their_formulas(void **state)
{
    (void)state;
    examined line = examine_text("input u = 3*t + 1\ncoord x\nkinetic x'^2/2\nforce x: u\n"
                                 "start x = 0, x' = 0, t = 2\n");
    assert_near(rate(&line, 0), 7.0, 1e-15);
    examined_end(&line);
    examined wave =
        examine_text("input a = sin(t)\ncoord x\nkinetic x'^2/2\nforce x: a + a' + a''\n"
                     "start t = 0.7\n");
    assert_near(rate(&wave, 0), cos(0.7), 1e-15);
    examined_end(&wave);
    examined held = examine_text("input a = sin(t)\ninput b = cos(t)\ncoord y\nkinetic y'^2/2\n"
                                 "constraint c: y = a*b\nstart t = 0.7\n");
    assert_near(rate(&held, 0), -2.0 * sin(1.4), 1e-14);
    examined_end(&held);
}

static void equations_belong_to_coordinates_in_the_order_of_the_text(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y\nequation e1: 2*x'' + 0.5*y'' = -x\n"
                               "equation e2: 0.5*x'' + y'' = -y\nconstraint c: x + y^2 = 1\n"
                               "start y = 0.3, y' = 0.2\n");
    assert_near(rate(&it, 0), -0.18178571428571427, 1e-15);
    assert_near(rate(&it, 1), 0.1696428571428571, 1e-15);
    examined_end(&it);
}

static void walls_only_push(void **state)
{
    (void)state;
    examined two = examine_text("coord x\nkinetic x'^2/2\nforce x: 1\n"
                                "constraint a: x >= 0 impact 0\nconstraint b: 2*x >= 0 impact 0\n");
    assert_near(rate(&two, 0), 1.0, 1e-15);
    assert_false(two.checkup->links[0].is_active || two.checkup->links[1].is_active);
    examined_end(&two);
    examined corner = examine_text("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: 1\n"
                                   "constraint a: y - x >= 0 impact 0\n"
                                   "constraint b: y + x >= 0 impact 0\n"
                                   "constraint c: y >= 0 impact 0\n");
    assert_near(rate(&corner, 1), 1.0, 1e-15);
    examined_end(&corner);
    examined many = examine_text("param n = 60\ncoord x[1..n]\n"
                                 "kinetic sum(i in 1..n: x[i]'^2/2)\n"
                                 "for i in 1..n: force x[i]: i - 30.5\n"
                                 "for i in 1..n: constraint wall[i]: x[i] >= 0 impact 0\n");
    for (uint32_t k = 0; k < 60; k++) {
        assert_near(rate(&many, k), k < 30 ? 0.0 : k + 1 - 30.5, 1e-13);
    }
    examined_end(&many);
}

static void small_lengths_are_judged_by_their_own_measure(void **state)
{
    (void)state;
    static const char TEXT[] = "param l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\nconstraint rod: x^2 + y^2 = l^2\n"
                               "start x = 0.6*l, y = -l\n";
    static const char *const SIZES[] = {"l=1", "l=1e-6", "l=1e-9", "l=1e6"};
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        const char *const set[] = {SIZES[k], NULL};
        examined it = examine_with(TEXT, set, NULL);
        assert_int_equal(it.status, RH_E_MODEL);
        assert_string_equal(rh_checkup_diagnostic(it.checkup, 0).code, "E407");
        examined_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_the_values_of_their_formulas),
        cmocka_unit_test(equations_belong_to_coordinates_in_the_order_of_the_text),
        cmocka_unit_test(walls_only_push),
        cmocka_unit_test(small_lengths_are_judged_by_their_own_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
