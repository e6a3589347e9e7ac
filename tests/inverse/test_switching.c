// SPDX-License-Identifier: Apache-2.0
// Equations that are not smooth everywhere: surfaces where they switch, holes of their domain,
// parameters without which they have no value; and the power that is lost, whatever the dissipative
// function looks like.

#include "inverse/helmholtz_cases.h"

// What is proved by derivatives is proved between the surfaces only.
static void test_surfaces(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *surface;
        const char *lagrangian, *dissipation;
        rh_definiteness sign;
    } CASES[] = {
        {"coord x\nlaw x'' = -x - sign(x')\n", "x'", "x'^2/2 - x^2/2", "x'*sign(x')",
         RH_DEFINITE_POSITIVE},
        {"coord x\nparam mu = 1/2\nlaw x'' = -x + mu*sign(x')\n", "x'", "x'^2/2 - x^2/2",
         "-mu*x'*sign(x')", RH_DEFINITE_NEGATIVE},
        {"coord x\nlaw x'' = -x - x'/abs(x')\n", "x'", "x'^2/2 - x^2/2", "x'^2/abs(x')",
         RH_DEFINITE_POSITIVE},
        // a potential that jumps is none: the force stays with D
        {"coord x, y\nlaw x'' = -sign(y)\nlaw y'' = -y\n", "y", "x'^2/2 - y^2/2 + y'^2/2",
         "x'*sign(y)", RH_DEFINITE_ZERO},
        // one that has a corner is one
        {"coord x\nlaw x'' = -sign(x)\n", "x", "x'^2/2 - x*sign(x)", "0", RH_DEFINITE_ZERO},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_text(CASES[k].text);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
        assert_false(summary.is_proved);
        assert_int_equal(summary.point_count, 0); // proved off the surfaces
        assert_int_equal(rh_inverse_surface_count(it.inverse), 1);
        assert_string_equal(rh_inverse_surface(it.inverse, 0), CASES[k].surface);
        assert_string_equal(summary.lagrangian, CASES[k].lagrangian);
        assert_string_equal(summary.dissipation, CASES[k].dissipation);
        assert_int_equal(summary.dissipation_sign, CASES[k].sign);
        assert_true(summary.is_sign_proved);
        asked_end(&it);
    }
}

// (4.3) holds off y' = 0 and has no solution across: functions that do not lead back are not shown.
static void test_discarded(void **state)
{
    (void)state;
    asked it = ask_text("coord x, y\nlaw x'' = -abs(y')\nlaw y'' = -y\n");
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_false(summary.is_proved);
    assert_int_equal(summary.check.verdict, RH_INVERSE_UNKNOWN);
    assert_string_equal(summary.lagrangian, "");
    assert_non_null(strstr(summary.reason, "do not give the equations back"));
    assert_int_equal(summary.dissipation_sign, RH_DEFINITE_UNKNOWN);
    asked_end(&it);
    // right on most of the points, wrong beyond the surface
    it = ask_text("coord x, y\nlaw x'' = -x - max(y' - 400, 0)*x\nlaw y'' = -y - max(y', 0)\n");
    assert_string_equal(rh_inverse_summarise(it.inverse).lagrangian, "");
    assert_int_equal(rh_inverse_summarise(it.inverse).check.verdict, RH_INVERSE_UNKNOWN);
    asked_end(&it);
}

// Forces of one coordinate that switch have a potential, with a corner where they jump.
static void test_pieces(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        const char *lagrangian, *dissipation; // NULL: long
        bool is_proved;
    } CASES[] = {
        {"if(x > 0, -4*x, -x)", "x'^2/2 - 5*x^2/4 - 3*x^2*sign(x)/4", "0", true},
        {"-max(x, 0)", "x'^2/2 - x^2/4 - x^2*sign(x)/4", "0", true},
        {"-x - if(x' > 0, 1/2, -1/2)", "x'^2/2 - x^2/2", "x'*sign(x')/2", true},
        {"-x - if(x' > 0, 2, 3)*x'", "x'^2/2 - x^2/2", "5*x'^2/4 - x'^2*sign(x')/4", true},
        {"-if(abs(x) < 1, 0, x - sign(x))", NULL, "0", false},
        {"-x - min(max(x', -1), 1)", "x'^2/2 - x^2/2", NULL, false},
        {"-x - if(x' > 2 or not (x' > -1), x'^3, 0)", "x'^2/2 - x^2/2", NULL, true},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x\nlaw x'' = %s\n", CASES[k].law);
        asked it = ask_text(text);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        assert_true(summary.is_closed);
        assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
        assert_int_equal(summary.check.point_count == 0, CASES[k].is_proved);
        assert_string_equal(summary.circulatory, "0");
        if (CASES[k].lagrangian != NULL) {
            assert_string_equal(summary.lagrangian, CASES[k].lagrangian);
        }
        if (CASES[k].dissipation != NULL) {
            assert_string_equal(summary.dissipation, CASES[k].dissipation);
        }
        assert_read_back(it.inverse, "coord x", 1e-12);
        asked_end(&it);
    }
}

// Fields that jump: H on each side.
static void test_fields(void **state)
{
    (void)state;
    asked it = ask_text("state x, p\npair x, p\nlaw x' = sign(x)\nlaw p' = -x\n");
    rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_false(summary.is_proved);
    assert_false(summary.check.is_proved);
    assert_non_null(strstr(summary.note, "H may jump"));
    asked_end(&it);
    it = ask_text("state x, p\npair x, p\nlaw x' = p\nlaw p' = -sign(x)\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_string_equal(summary.hamiltonian, "x*sign(x) + p^2/2");
    assert_string_equal(summary.note, "");
    asked_end(&it);
    // H is an angle: it has several values around the origin
    it = ask_text("state x, p\npair x, p\nlaw x' = x/(x^2 + p^2)\nlaw p' = p/(x^2 + p^2)\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_string_equal(summary.hamiltonian, "");
    assert_non_null(strstr(summary.reason, "several values around a hole"));
    asked_end(&it);
}

// What lies behind a condition is looked at, however far it is.
static void test_behind(void **state)
{
    (void)state;
    static const char *const LAWS[] = {
        "if(x > 5, x'^2*y'^2, 0)",
        "-x + (sign(x - 1000) + 1)*y'^2",
        "-x + if(x < -77, y'^2, 0)",
        "-x + max(y - 300, 0)*y'^2",
        "-x + if(abs(x - 1000) < 1, y'^2, 0)",
        "-x + if(x > 50 and y < -70, y'^2, 0)",
        "-x + if(x^2 + y^2 > 1e4, y'^2, 0)",
        "-x + (sqrt((x - 1000)^2) + x - 1000)*y'^2", // corners of roots
        "-x + (sqrt(x^2*y) - x*sqrt(y))*y'^2",
    };
    for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x, y\nlaw x'' = %s\nlaw y'' = -y\n", LAWS[k]);
        asked it = ask_text(text);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        if (summary.verdict != RH_INVERSE_FAILS) {
            print_error("%s: %s\n", LAWS[k], rh_inverse_verdict_text(summary.verdict));
        }
        assert_int_equal(summary.verdict, RH_INVERSE_FAILS);
        assert_true(rh_inverse_failure_count(it.inverse) > 0);
        asked_end(&it);
    }
}

// Equations without a value are no equations.
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } CASES[] = {
        {"param k = 0\ncoord x\nlaw x'' = -x/k\n",
         "the equation of x has no value at any of 41 points: 1/k is not defined with k = 0"},
        {"param k = 0\ncoord x, y\nlaw x'' = -x\nlaw y'' = y*log(k)\n",
         "the equation of y has no value at any of 41 points: log(k) is not defined with k = 0"},
        {"coord x\nlaw x'' = -sqrt(-1 - x^2)\n", "sqrt(-x^2 - 1) is not defined;"},
        {"param k = 0\nstate x, p\npair x, p\nlaw x' = p/k\nlaw p' = -x\n",
         "the equation of x has no value"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_text(CASES[k].text);
        assert_int_equal(it.status, RH_E_UNAVAILABLE);
        if (strstr(it.err.message, CASES[k].reason) == NULL) {
            print_error("%s\n", it.err.message);
        }
        assert_non_null(strstr(it.err.message, CASES[k].reason));
        asked_end(&it);
    }
}

// Forces without a potential, whole or in part: nothing is lost.
static void test_forces(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        const char *potential, *circulatory;
    } CASES[] = {
        {"y/(x^2 + y^2)", "-x/(x^2 + y^2)", "0", "x*y'/(x^2 + y^2) - y*x'/(x^2 + y^2)"},
        {"-x + y/(x^2 + y^2)", "-x/(x^2 + y^2)", "x^2/2", "x*y'/(x^2 + y^2) - y*x'/(x^2 + y^2)"},
        {"-sin(x) - y", "x", "1 - cos(x)", "y*x' - x*y'"},
        {"-y*cos(x*y) - y", "-x*cos(x*y) + x", "sin(x*y)", "y*x' - x*y'"},
        {"-exp(x) - sin(x + y)", "0", "exp(x)", "x'*sin(x + y)"},
        {"-x/(x^2 + y^2)", "-y/(x^2 + y^2)", "log(x^2 + y^2)/2", "0"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x, y\nlaw x'' = %s\nlaw y'' = %s\n", CASES[k].x,
                       CASES[k].y);
        asked it = ask_text(text);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        assert_true(summary.is_proved);
        assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
        assert_true(summary.check.is_proved);
        assert_string_equal(summary.potential, CASES[k].potential);
        assert_string_equal(summary.circulatory, CASES[k].circulatory);
        assert_read_back(it.inverse, "coord x, y", 1e-12);
        asked_end(&it);
    }
}

// A magnetic field 1/r^2 in the plane, and the mass of a fast particle: closed forms for both.
static void test_closed(void **state)
{
    (void)state;
    asked it = ask_text("coord x, y\nlaw x'' = y'/(x^2 + y^2)\nlaw y'' = -x'/(x^2 + y^2)\n");
    rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_true(summary.is_closed && summary.check.is_proved);
    assert_read_back(it.inverse, "coord x, y", 1e-12);
    asked_end(&it);
    it = ask_text("coord x\nlaw x''/(1 - x'^2)^(3/2) = -x\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_true(summary.check.is_proved);
    assert_string_equal(summary.lagrangian, "-x^2/2 - sqrt(1 - x'^2)");
    asked_end(&it);
    // a switch on a parameter is none of the motion
    it = ask_text("param k = 2\ncoord x, y\nlaw x'' = -x + (abs(k) - k)*y'^2\nlaw y'' = -y\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_true(summary.is_proved);
    assert_false(summary.is_for_all_values);
    asked_end(&it);
}

// Judged is the power, not the second derivatives of D.
static void test_power(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        rh_definiteness sign;
        bool is_proved;
    } CASES[] = {
        {"-x'*(x'^2 - 3*x' + 5/2)", RH_DEFINITE_POSITIVE, true}, // D is not convex
        {"-x'*(x'^2 - 3*x' + 1)", RH_DEFINITE_NEITHER, true},
        {"-x'*(x'^2 - 2*x' + 1)", RH_DEFINITE_POSITIVE, false}, // zero at x' = 1
        {"-x'^2", RH_DEFINITE_NEITHER, true},
        {"-x'*abs(x')", RH_DEFINITE_POSITIVE, true},
        {"-x'*max(x, 0)", RH_SEMIDEFINITE, true},
        {"-max(x', 0)", RH_SEMIDEFINITE,
         false}, // no polynomial, though its derivatives are numbers
        {"-3*x'*exp(x) + atan(x')/4", RH_DEFINITE_NEITHER, true}, // gained where exp(x) is small
        {"-tanh(3*x')", RH_DEFINITE_POSITIVE, true},
        {"-(1 + x^2)*x'^3 - sinh(x')", RH_DEFINITE_POSITIVE, true},
        {"-x^2*x'^3", RH_SEMIDEFINITE, true},
        {"x'^3", RH_DEFINITE_NEGATIVE, true},
        {"1/x'", RH_DEFINITE_NEGATIVE, true}, // d2D/dx'^2 = 1/x'^2 is positive
        {"-x'/sqrt(x'^2)", RH_DEFINITE_POSITIVE, true},
        {"-sign(x' - 1)", RH_DEFINITE_NEITHER, true},
        {"-x*exp(x')", RH_DEFINITE_NEITHER, true}, // exp(0) belongs to the potential
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x\nlaw x'' = -x + (%s)\n", CASES[k].law);
        asked it = ask_text(text);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        if (summary.dissipation_sign != CASES[k].sign ||
            summary.is_sign_proved != CASES[k].is_proved) {
            print_error("%s: %s, proved: %d\n", CASES[k].law,
                        rh_definiteness_text(summary.dissipation_sign), summary.is_sign_proved);
        }
        assert_int_equal(summary.dissipation_sign, CASES[k].sign);
        assert_int_equal(summary.is_sign_proved, CASES[k].is_proved);
        asked_end(&it);
    }
}

// Several velocities: P = 2 x'^2 + 4 x'^2 y'^2 + 2 y'^2 is definite, the Hessian of D is not.
static void test_powers(void **state)
{
    (void)state;
    static const struct {
        const char *dissipation;
        rh_definiteness sign;
        bool is_proved;
    } CASES[] = {
        {"x'^2 + x'^2*y'^2 + y'^2", RH_DEFINITE_POSITIVE, true},
        {"x'^2*y'^2 + y'^2", RH_SEMIDEFINITE, true},
        {"x'^4 + x'*y'^3", RH_DEFINITE_NEITHER, true},
        {"sqrt(x'^2 + y'^2)", RH_SEMIDEFINITE, true},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x, y\nkinetic (x'^2 + y'^2)/2\ndissipation %s\n",
                       CASES[k].dissipation);
        asked it = ask_text(text);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        if (summary.dissipation_sign != CASES[k].sign ||
            summary.is_sign_proved != CASES[k].is_proved) {
            print_error("%s: %s, proved: %d\n", CASES[k].dissipation,
                        rh_definiteness_text(summary.dissipation_sign), summary.is_sign_proved);
        }
        assert_int_equal(summary.dissipation_sign, CASES[k].sign);
        assert_int_equal(summary.is_sign_proved, CASES[k].is_proved);
        asked_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surfaces), cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_pieces),   cmocka_unit_test(test_fields),
        cmocka_unit_test(test_behind),   cmocka_unit_test(test_values),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_closed),
        cmocka_unit_test(test_power),    cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
