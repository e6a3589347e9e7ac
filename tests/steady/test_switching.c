// SPDX-License-Identifier: Apache-2.0
// Motions on surfaces where the equations switch: there roots decide nothing, unless both sides
// have the same linear part.

#include "resting.h"

static const resting_call NOTHING = {.fix_count = 0};

static void expect(const char *text, rh_steady_verdict verdict, const char *reason)
{
    resting it = resting_begin(text, &NOTHING);
    assert_true(rh_steady_summarise(it.steady).solution_count > 0);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(motion.verdict, verdict);
    assert_non_null(strstr(motion.reason, reason));
    resting_end(&it);
}

static void on_a_kink_roots_decide_nothing(void **state)
{
    (void)state;
    expect("state x\nlaw x' = -2*(x - 1) + abs(x - 1)\nstart x = 1\n", RH_STEADY_UNDECIDED,
           "where x - 1 is zero");
    expect("state x, y\nlaw x' = -max(x, 2*x)\nlaw y' = -y\n", RH_STEADY_UNDECIDED, "switch");
    expect("coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -sign(x') - x'\n",
           RH_STEADY_UNDECIDED, "where x' is zero");
    expect("state x\nlaw x' = if(x > 0, -x, -3*x)\n", RH_STEADY_UNDECIDED, "switch");
    expect("state x\nlaw x' = -x + 1e-6*abs(x)\n", RH_STEADY_UNDECIDED, "switch");
}

// What holds at the motion itself, or on a surface, is not what holds beside it.
static void what_is_alike_on_both_sides_may_differ_between_them(void **state)
{
    (void)state;
    static const char *const LEFT[] = {
        "state x\nlaw x' = -x + 3*x*sign(x)^2\n",
        "state x\nlaw x' = if(x == 0, -x, 2*x)\n",
        "state x\nlaw x' = if(x != 0, 2*x, -x)\n",
        "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -x' + 3*x*sign(x)^2\n",
        "state x, y\nlaw x' = -x + 3*x*abs(sign(x))*abs(sign(y))\nlaw y' = -y\n",
        "state x, y\nlaw x' = -1e-9*x + 3e-9*x*sign(y)^2\nlaw y' = -1e-9*y\n",
        "state x, y\nlaw x' = y + 0.1*x*sign(x)^2\nlaw y' = -x + 0.1*y*sign(x)^2\n",
        "state x\nlaw x' = -x + 4*min(abs(x), 2*abs(x))\n",
        "state x\nlaw x' = -(x - 1) + 2*abs(x - 1)\nstart x = 1\n",
        "state x\nlaw x' = sign(x)\n",
    };
    static const char *const OPEN[] = {
        "state x\nlaw x' = if(x == 0, x, -x)\n",
        "state x, y\nlaw x' = -x\nlaw y' = if(x == 0, y, -y)\n",
        "state x, y\nlaw x' = -x + 3*x*sign(x)*sign(y)\nlaw y' = -y\n",
        "state x, y\nlaw x' = -x + 2*max(min(x, y), 0)\nlaw y' = -y\n",
        "state x, y\nlaw x' = -x + (atan2(y, -1) - pi)\nlaw y' = -y\n",
        "state x\nlaw x' = -sign(x)\n",
    };
    for (size_t k = 0; k < sizeof LEFT / sizeof *LEFT; k++) {
        expect(LEFT[k], RH_STEADY_UNSTABLE, "beside it the r");
    }
    for (size_t k = 0; k < sizeof OPEN / sizeof *OPEN; k++) {
        expect(OPEN[k], RH_STEADY_UNDECIDED, "no linear part in common");
    }
}

// A constraint that touches and does not press is on the border of two systems; one that throws
// back all of the speed is met for ever.
static void one_sided_constraints_have_borders(void **state)
{
    (void)state;
    expect("coord x\nkinetic x'^2/2\npotential -x^2/2\nforce x: -x'\n"
           "constraint c: x >= 0 impact 0\n",
           RH_STEADY_UNDECIDED, "c touches here without pressing");
    expect("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2\nforce x: -x'\nforce y: y\n"
           "for i in 1..1: constraint floor[i]: y >= 0 impact 0\n",
           RH_STEADY_UNDECIDED, "floor[1] touches here without pressing");
    expect("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + 9.81*y\nforce x: -x'\n"
           "constraint c: y >= 0 impact 1\n",
           RH_STEADY_UNDECIDED, "c throws back without loss");
    expect("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + 9.81*y\nforce x: -x'\n"
           "constraint c: y >= 0 impact 0.5\n",
           RH_STEADY_ASYMPTOTICALLY_STABLE, "negative");
}

// Drag by the square of the velocity, a stop that begins gently.
static void what_switches_smoothly_is_judged(void **state)
{
    (void)state;
    expect("coord x\nkinetic x'^2/2\npotential x^2/2 + max(x, 0)^3\n"
           "force x: -x'*abs(x') - 0.1*x'\n",
           RH_STEADY_ASYMPTOTICALLY_STABLE, "negative");
    expect("coord x\nkinetic x'^2/2\npotential -x^2/2\nforce x: -x'*abs(x') - 0.1*x'\n",
           RH_STEADY_UNSTABLE, "positive");
    expect("param k = 0\nstate x\nlaw x' = if(k > 0, x, -x)\n", RH_STEADY_ASYMPTOTICALLY_STABLE,
           "negative");
}

// -x - sign(x') vanishes at x = -1 just above x' = 0, and nowhere near there else.
static void an_answer_of_one_side_is_none(void **state)
{
    (void)state;
    resting it = resting_begin("coord x\nkinetic x'^2/2\npotential x^2/2\n"
                               "force x: -sign(x') - x'\n",
                               &NOTHING);
    const uint32_t count = rh_steady_summarise(it.steady).solution_count;
    for (uint32_t k = 0; k < count; k++) {
        const rh_steady_motion motion = rh_steady_solution(it.steady, k);
        assert_near(resting_value(&it, &motion, "x"), 0.0, 0.0);
        assert_near(resting_value(&it, &motion, "x'"), 0.0, 0.0);
    }
    resting_end(&it);
}

// --- linear systems ------------------------------------------------------------------------------

static const char *switching_of(const char *text, const char *input, char *out, size_t size)
{
    resting it;
    const resting_call call = {.fix_count = 0};
    resting_derive(text, &call, &it);
    rh_linear_def def = rh_linear_def_default();
    def.inputs = &input;
    def.input_count = input != NULL;
    rh_linear *linear = NULL;
    assert_int_equal(rh_linear_create(it.equations, &def, &linear, &it.err), RH_OK);
    const rh_linear_system system = rh_linear_look(linear);
    (void)snprintf(out, size, "%s", system.switching != NULL ? system.switching : "");
    rh_linear_destroy(linear);
    resting_end(&it);
    return out;
}

static void a_linear_system_on_a_kink_says_so(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x\ninput u = 0\nkinetic x'^2/2\n"
                               "force x: -x + %s\n";
    char text[200];
    char found[128];
    const struct {
        const char *force, *switching;
    } cases[] = {{"abs(x)", "x"},
                 {"max(u, 0)", "u"},
                 {"u*abs(u) - x'*abs(x')", ""},
                 {"u", ""},
                 {"2*sign(x') - x'", "x'"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        (void)snprintf(text, sizeof text, TEXT, cases[k].force);
        const char *told = switching_of(text, "u", found, sizeof found);
        assert_string_equal(told[0] == '-' ? told + 1 : told, cases[k].switching);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_kink_roots_decide_nothing),
        cmocka_unit_test(what_is_alike_on_both_sides_may_differ_between_them),
        cmocka_unit_test(one_sided_constraints_have_borders),
        cmocka_unit_test(what_switches_smoothly_is_judged),
        cmocka_unit_test(an_answer_of_one_side_is_none),
        cmocka_unit_test(a_linear_system_on_a_kink_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
