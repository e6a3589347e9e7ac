// SPDX-License-Identifier: Apache-2.0
// The conditions on the reference cases H1 to H10 and on Bertrand's laws, with their residuals (the
// modified Helmholtz conditions of Kielau and Maisser; numbers computed with 30 digits), and the
// functions that come out.

#include "inverse/helmholtz_cases.h"

typedef struct reference {
    const char *path;
    const char *failing;
} reference;

static void test_references(void **state)
{
    (void)state;
    static const reference CASES[] = {
        {"examples/inverse_problem/model.rhe", ""},                    // H1
        {"examples/inverse_problem/velocity_product.rhe", "35"},       // H2
        {"examples/inverse_problem/monopole_field.rhe", "6"},          // H3
        {"examples/inverse_problem/unsymmetric_inertia.rhe", "1"},     // H4
        {"examples/inverse_problem/nonlinear_acceleration.rhe", "24"}, // H6
        {"examples/inverse_problem/polar.rhe", ""},                    // H7b
        {"examples/inverse_problem/polar_divided.rhe", "356"},         // H7c
        {"examples/inverse_problem/circulatory.rhe", ""},              // H8
        {"examples/inverse_problem/circle_program.rhe", "356"},        // H10
        {"examples/inverse_problem/circle_written_out.rhe", "356"},    // H10
        {"examples/bertrand/truncated.rhe", ""},                       // (5.12)
        {"examples/bertrand/lagrangian.rhe", ""},                      //
        {"examples/bertrand/written_out.rhe", "356"},                  // (5.10)
        {"examples/bertrand/model.rhe", "356"},                        //
        {"examples/bertrand/kepler.rhe", ""},                          //
        {"examples/double_pendulum/model.rhe", ""},                    //
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_model(support_model(CASES[k].path));
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        char list[9];
        const bool holds = CASES[k].failing[0] == '\0';
        if (strcmp(failing(it.inverse, list), CASES[k].failing) != 0) {
            print_error("%s: fails %s, not %s\n", CASES[k].path, list, CASES[k].failing);
        }
        assert_string_equal(failing(it.inverse, list), CASES[k].failing);
        assert_int_equal(summary.verdict, holds ? RH_INVERSE_HOLDS : RH_INVERSE_FAILS);
        assert_true(summary.is_proved);
        if (holds) {
            assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
            assert_true(summary.check.is_proved);
            assert_true(summary.is_closed);
            assert_int_equal(rh_inverse_condition_of(it.inverse, 8).verdict, RH_INVERSE_HOLDS);
        } else {
            assert_true(rh_inverse_failure_count(it.inverse) > 0);
            assert_true(rh_inverse_witness_count(it.inverse) > 0);
        }
        asked_end(&it);
    }
}

// H1: s and r at the start of the model, and the functions of the construction.
static void test_first_case(void **state)
{
    (void)state;
    asked it = ask_model(support_model("examples/inverse_problem/model.rhe"));
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_string_equal(summary.lagrangian,
                        "q1^2*q1'^2/2 - q1^2/2 - q1*q2/2 + 7/30*q1*q2*q2' - q2^4/4 - "
                        "7/30*q2^2*q1' + 3*q2*q1'*q2'/10 + q1'^2/2 + q2'^2");
    assert_string_equal(summary.dissipation,
                        "q1*q1'*q2'/5 - q1*q2'/2 + 0.05*q2^2*q1'^2 + q2*q1'/2 + 0.05*q1'^3 + "
                        "q1'^2/5 + 3*q2'^2/10");
    assert_string_equal(summary.circulatory, "q2*q1'/2 - q1*q2'/2");
    assert_string_equal(summary.potential, "q1^2/2 + q1*q2/2 + q2^4/4");
    assert_read_back(it.inverse, "coord q1, q2", 1e-14);
    const rh_inverse_matrices of = rh_inverse_matrices_of(it.inverse);
    assert_int_equal(of.n, 2);
    assert_near(of.s[0], 0.635, 1e-15);
    assert_near(of.s[1], 0.06, 1e-15);
    assert_near(of.s[2], 0.06, 1e-15);
    assert_near(of.s[3], 0.6, 1e-15);
    assert_near(of.r[1], 0.79, 1e-15);
    assert_near(of.r[2], -0.79, 1e-15);
    assert_near(rh_inverse_matrix_place_value(it.inverse, 1), -0.5, 0); // q2 of the start
    asked_end(&it);
    // H8: a circulatory force is linear in the velocities
    it = ask_model(support_model("examples/inverse_problem/circulatory.rhe"));
    assert_string_equal(rh_inverse_summarise(it.inverse).dissipation, "q1*q2' - q2*q1'");
    assert_string_equal(rh_inverse_summarise(it.inverse).lagrangian, "q1'^2/2 + q2'^2/2");
    assert_int_equal(rh_inverse_summarise(it.inverse).dissipation_sign, RH_DEFINITE_ZERO);
    asked_end(&it);
}

static double residual_of(const rh_inverse *inverse, uint32_t condition, uint32_t i, uint32_t j,
                          uint32_t k)
{
    for (size_t at = 0; at < rh_inverse_failure_count(inverse); at++) {
        const rh_inverse_failure it = rh_inverse_failure_at(inverse, at);
        if (it.condition == condition && it.index[0] == i && it.index[1] == j && it.index[2] == k) {
            assert_true(it.high - it.low < 1e-14);
            return it.low / 2 + it.high / 2;
        }
    }
    fail();
    return 0.0;
}

// The residuals of (5.10) at (1.4, 0.6), (-0.4, 0.5).
static void test_bertrand(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/bertrand/written_out.rhe", &size);
    const char *const start[] = {"x=1.4", "y=0.6", "x'=-0.4", "y'=0.5"};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = size;
    def.start = start;
    def.start_count = 4;
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    free(text);
    asked it = ask_model(model);
    assert_int_equal(it.status, RH_OK);
    assert_string_equal(rh_inverse_witness_name(it.inverse, 0), "x");
    assert_near(rh_inverse_witness_value(it.inverse, 0), 1.4, 0);
    assert_near(residual_of(it.inverse, 3, 1, 2, 1), 0.4785483655767308, 1e-15);
    assert_near(residual_of(it.inverse, 3, 1, 2, 2), -1.116612853012372, 1e-15);
    assert_near(residual_of(it.inverse, 6, 1, 2, 1), 0.4353859537319276, 1e-15);
    assert_near(residual_of(it.inverse, 6, 1, 2, 2), 0.2336423958536326, 1e-15);
    asked_end(&it);
    // (5.12): a quadratic part of D that is indefinite, and functions that lead back
    it = ask_model(support_model("examples/bertrand/truncated.rhe"));
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.dissipation_sign, RH_DEFINITE_NEITHER);
    assert_true(summary.is_sign_proved);
    assert_true(summary.is_for_all_values);
    assert_read_back(it.inverse, "param e = 0.5, p = 1, c = 1, a0 = 2, a1 = 3\ncoord x, y", 1e-13);
    asked_end(&it);
}

// One scleronomic program constraint passes (4.12) exactly when it is flat, whatever its law is.
static void test_curvature(void **state)
{
    (void)state;
    static const struct {
        const char *g;
        bool is_flat;
    } PROGRAMS[] = {
        {"x^2 + y^2 = 1", false},
        {"x^2/4 + y^2 = 1", false},
        {"x*y = 1", false},
        {"y = sin(x)", false},
        {"x + 2*y = 1", true},
        {"(x - y)^3 = 2", true},
        {"exp(3*x + y/2) = 5", true},
        {"y - x^2 = 0", false},
        {"sqrt(x^2 + y^2) = 2", false},
        {"x*cos(1) + y*sin(1) = 0", true},
    };
    static const char *const LAWS[] = {"-4*g - 4*g'", "0", "-g - g'^3 - g^3",
                                       "-2*g - g'*x^2 + 3*g'^2", "-g - 5*g'^2"};
    for (size_t p = 0; p < sizeof PROGRAMS / sizeof *PROGRAMS; p++) {
        for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++) {
            char text[256];
            (void)snprintf(text, sizeof text,
                           "coord x, y\nconstraint g: %s with g'' = %s\nconstruct\n", PROGRAMS[p].g,
                           LAWS[k]);
            // a law that is not a polynomial of degree two in g' does more than (4.10) says
            const bool is_square = k != 2 && k != 3;
            if (PROGRAMS[p].is_flat && !is_square) {
                continue;
            }
            asked it = ask_text(text);
            assert_int_equal(it.status, RH_OK);
            const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
            if (summary.verdict != (PROGRAMS[p].is_flat ? RH_INVERSE_HOLDS : RH_INVERSE_FAILS)) {
                print_error("%s", text);
            }
            assert_int_equal(summary.verdict,
                             PROGRAMS[p].is_flat ? RH_INVERSE_HOLDS : RH_INVERSE_FAILS);
            assert_true(summary.is_proved);
            if (!PROGRAMS[p].is_flat) { // the triple that breaks the symmetry
                const rh_inverse_failure first = rh_inverse_failure_at(it.inverse, 0);
                assert_int_equal(first.condition, 3);
                assert_true(first.index[0] > 0 && first.index[1] > 0 && first.index[2] > 0);
            }
            // (4.12) is about coefficients of products of velocities
            assert_int_equal(rh_inverse_condition_of(it.inverse, 12).verdict,
                             k == 2                ? RH_INVERSE_UNKNOWN
                             : PROGRAMS[p].is_flat ? RH_INVERSE_HOLDS
                                                   : RH_INVERSE_FAILS);
            if (!PROGRAMS[p].is_flat && k != 2) {
                const rh_inverse_failure last =
                    rh_inverse_failure_at(it.inverse, rh_inverse_failure_count(it.inverse) - 1);
                assert_int_equal(last.condition, 12);
            }
            asked_end(&it);
        }
    }
}

// Fewer answers: what the verb cannot be asked, with the reason.
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } CASES[] = {
        {"state x\nlaw x' = -x\n", "pair x, p"},
        {"coord q\nstate x\nlaw x' = q\nlaw q'' = x\n", "coordinates and states"},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint b: x' = y*y' by vakonomic\n"
         "start lambda.b = 1\n",
         "is a state"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_text(CASES[k].text);
        assert_int_equal(it.status, RH_E_UNAVAILABLE);
        assert_null(it.inverse);
        if (strstr(it.err.message, CASES[k].reason) == NULL) {
            print_error("%s\n", it.err.message);
        }
        assert_non_null(strstr(it.err.message, CASES[k].reason));
        asked_end(&it);
    }
}

// A multiple of the equations may pass where they do not.
static void test_inertia(void **state)
{
    (void)state;
    // E(L) divided by the entries of a diagonal inertia m: times m again it would pass as it is
    asked it =
        ask_text("coord r, p\n"
                 "equation a: r'' - r*p'^2 = 0\n"
                 "equation b: r*p'' + 2*r'*p' = 0\n"); // b/r; times its inertia r: r^2 p'' + ...
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    rh_inverse_condition verdict;
    assert_int_equal(rh_inverse_form_count(it.inverse), 2);
    assert_string_equal(rh_inverse_form(it.inverse, 0, &verdict), "as written");
    assert_int_equal(verdict.verdict, RH_INVERSE_FAILS);
    assert_string_equal(rh_inverse_form(it.inverse, 1, &verdict), "multiplied by the inertia");
    assert_int_equal(verdict.verdict, RH_INVERSE_HOLDS);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_string_equal(summary.form, "multiplied by the inertia");
    assert_string_equal(summary.lagrangian, "r^2*p'^2/2 + r'^2/2");
    asked_end(&it);
}

// What is seen at points is not called proved.
static void test_sampled(void **state)
{
    (void)state;
    asked it = ask_text("coord x, y\n"
                        "law x'' = -asin(tanh(y))*y' + atan(sinh(y))*y' - x\n"
                        "law y'' = -y\n");
    assert_int_equal(it.status, RH_OK);
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    asked_end(&it);
    it = ask_text("coord x, y\n"
                  "law x'' = (asin(tanh(y)) - atan(sinh(y)))*y'^2 - x\n"
                  "law y'' = -y\n");
    const rh_inverse_summary seen = rh_inverse_summarise(it.inverse);
    assert_int_equal(seen.verdict, RH_INVERSE_HOLDS);
    assert_false(seen.is_proved);
    assert_true(seen.point_count >= RH_PROVER_POINTS);
    asked_end(&it);
}

static void test_definiteness(void **state)
{
    (void)state;
    static const struct {
        const char *dissipation;
        rh_definiteness sign;
        bool is_proved;
    } CASES[] = {
        {"x'^2 + y'^2", RH_DEFINITE_POSITIVE, true},
        {"(x' + y')^2", RH_SEMIDEFINITE, true},
        {"x'*y'", RH_DEFINITE_NEITHER, true},
        {"-x'^2 - 2*y'^2", RH_DEFINITE_NEGATIVE, true},
        {"k*(x'^2 + x'*y' + y'^2)", RH_DEFINITE_POSITIVE, true},
        {"(1 + x^2)*x'^2 + exp(y)*y'^2", RH_DEFINITE_POSITIVE, true},
        {"x*x'^2 + y'^2", RH_DEFINITE_NEITHER, true},
        {"x^2*x'^2 + y'^2 + x*x'*y'", RH_DEFINITE_POSITIVE, false},
        {"0", RH_DEFINITE_ZERO, true},
        {"y*x'", RH_DEFINITE_ZERO, true},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "param k = 0.3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\ndissipation %s\n",
                       CASES[k].dissipation);
        asked it = ask_text(text);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        if (summary.dissipation_sign != CASES[k].sign) {
            print_error("%s: %s\n", CASES[k].dissipation,
                        rh_definiteness_text(summary.dissipation_sign));
        }
        assert_int_equal(summary.dissipation_sign, CASES[k].sign);
        assert_int_equal(summary.is_sign_proved, CASES[k].is_proved);
        asked_end(&it);
    }
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static void test_break_off(void **state)
{
    (void)state;
    rh_model *model = support_model("examples/bertrand/written_out.rhe");
    rh_inverse_def def = rh_inverse_def_default();
    rh_inverse *inverse = NULL;
    def.goes_on = never;
    assert_int_equal(rh_inverse_create(model, &def, &inverse, NULL), RH_OK);
    const rh_inverse_summary summary = rh_inverse_summarise(inverse);
    assert_int_equal(summary.verdict, RH_INVERSE_UNKNOWN);
    assert_false(summary.is_proved);
    assert_string_equal(summary.reason, "it was broken off");
    rh_inverse_destroy(inverse);
    rh_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references), cmocka_unit_test(test_first_case),
        cmocka_unit_test(test_bertrand),   cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_inertia),
        cmocka_unit_test(test_sampled),    cmocka_unit_test(test_definiteness),
        cmocka_unit_test(test_break_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
