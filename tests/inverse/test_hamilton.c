// SPDX-License-Identifier: Apache-2.0
// Canonical pairs: Hamiltonian fields and their H, fields that are not, states in no pair; and
// functions that need an integral, read back by the language.

#include "inverse/helmholtz_cases.h"

static void test_fields(void **state)
{
    (void)state;
    asked it = ask_text("param k = 2\nstate x, p, y, s\npair x, p\npair y, s\n"
                        "law x' = p/(1 + y^2)\nlaw p' = -k*x - cos(x + y)\n"
                        "law y' = s\nlaw s' = -cos(x + y) + p^2*y/(1 + y^2)^2\n");
    assert_int_equal(it.status, RH_OK);
    rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.kind, RH_INVERSE_HAMILTON);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_true(summary.is_proved && summary.is_for_all_values && summary.is_closed);
    assert_string_equal(summary.hamiltonian, "k*x^2/2 + p^2/(2*(y^2 + 1)) + s^2/2 + sin(x + y)");
    assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
    assert_true(summary.check.is_proved);
    asked_end(&it);
    // friction: d(-p')/dp - d(x')/dx = mu
    it = ask_text("param mu = 0.1\nstate x, p, z\npair x, p\nlaw x' = p\nlaw p' = -mu*p - z*x\n"
                  "law z' = x\nstart x = 2, p = 3, z = 1\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.verdict, RH_INVERSE_FAILS);
    assert_string_equal(summary.note, "held as parameters: z");
    assert_int_equal(rh_inverse_failure_count(it.inverse), 1);
    const rh_inverse_failure failure = rh_inverse_failure_at(it.inverse, 0);
    assert_near(failure.low, 0.1, 1e-15);
    assert_string_equal(failure.text, "mu");
    assert_int_equal(failure.index[0], 1);
    assert_int_equal(failure.index[1], 2);
    assert_string_equal(rh_inverse_variable_name(it.inverse, 1), "p");
    assert_near(rh_inverse_witness_value(it.inverse, 0), 2.0, 0);
    asked_end(&it);
}

// Random H: the field is Hamiltonian, proved; with friction on one momentum it is not.
static void test_random(void **state)
{
    (void)state;
    support_random random = support_random_begin("hamilton");
    static const char *const TERMS[] = {"x^2*y",        "p^2",     "s^2*x^2", "p*s*cos(y)",
                                        "sin(x - 2*y)", "x*p*y*s", "y^4",     "p^3*x"};
    // their derivatives by x, p, y, s
    static const char *const RATES[][4] = {
        {"2*x*y", "0", "x^2", "0"},
        {"0", "2*p", "0", "0"},
        {"2*x*s^2", "0", "0", "2*s*x^2"},
        {"0", "s*cos(y)", "-p*s*sin(y)", "p*cos(y)"},
        {"cos(x - 2*y)", "0", "-2*cos(x - 2*y)", "0"},
        {"p*y*s", "x*y*s", "x*p*s", "x*p*y"},
        {"0", "0", "4*y^3", "0"},
        {"p^3", "3*p^2*x", "0", "0"},
    };
    for (int trial = 0; trial < 100; trial++) {
        char rates[4][600] = {"0", "0", "0", "0"};
        for (int k = 0; k < 4; k++) {
            const uint32_t term = support_random_below(&random, 8);
            const uint32_t factor = 1 + support_random_below(&random, 9);
            assert_true(TERMS[term][0] != '\0');
            for (int v = 0; v < 4; v++) {
                const size_t size = strlen(rates[v]);
                (void)snprintf(rates[v] + size, sizeof rates[v] - size, " + %u/7*(%s)", factor,
                               RATES[term][v]);
            }
        }
        for (int is_broken = 0; is_broken < 2; is_broken++) {
            char text[4000];
            (void)snprintf(text, sizeof text,
                           "state x, p, y, s\npair x, p\npair y, s\nlaw x' = %s\nlaw p' = -(%s)%s\n"
                           "law 3*y' = 3*(%s)\nlaw s' = -(%s)\n",
                           rates[1], rates[0], is_broken ? " - p/9" : "", rates[3], rates[2]);
            asked it = ask_text(text);
            assert_int_equal(it.status, RH_OK);
            const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
            assert_int_equal(summary.verdict, is_broken ? RH_INVERSE_FAILS : RH_INVERSE_HOLDS);
            assert_true(summary.is_proved);
            if (!is_broken) {
                assert_true(summary.is_closed && summary.check.is_proved);
            }
            asked_end(&it);
        }
    }
}

// No closed text: the functions have integrals along rays, and the language reads them.
static void test_integrals(void **state)
{
    (void)state;
    static const struct {
        const char *head, *laws;
    } CASES[] = {
        // a force without elementary potential
        {"coord x", "law x'' = -exp(-x^2)\n"},
        {"coord x, y", "law x'' = -y*exp(-(x*y)^2)\nlaw y'' = -x*exp(-(x*y)^2)\n"},
        // a dissipation in a velocity
        {"coord x", "law x'' = -x - exp(-x'^2)*x'^3 - sin(x'^2)\n"},
        // a magnetic field
        {"coord x, y", "law x'' = -exp(-(x*y)^2)*y'\nlaw y'' = exp(-(x*y)^2)*x'\n"},
        // an inertia that depends on the velocity
        {"coord x", "law (1 + exp(-x'^2))*x'' = -x\n"},
        {"coord x, y", "law (2 + exp(-x'^2*x^2/2))*x'' = -y'*x\nlaw 3*y'' = x*x'\n"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        (void)snprintf(text, sizeof text, "%s\n%s", CASES[k].head, CASES[k].laws);
        asked it = ask_text(text);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        if (summary.verdict != RH_INVERSE_HOLDS || summary.is_closed ||
            summary.check.verdict != RH_INVERSE_HOLDS) {
            print_error("%s: %s\nL = %s\nD = %s\n", text, summary.reason, summary.lagrangian,
                        summary.dissipation);
        }
        assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
        assert_false(summary.is_closed);
        assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
        assert_false(summary.check.is_proved);
        assert_true(strstr(summary.lagrangian, "integral(") != NULL ||
                    strstr(summary.dissipation, "integral(") != NULL);
        assert_read_back(it.inverse, CASES[k].head, 1e-11);
        asked_end(&it);
    }
    // a Hamiltonian, too
    asked it = ask_text("state x, p\npair x, p\nlaw x' = p\nlaw p' = -exp(-x^2)\n");
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_false(summary.is_closed);
    assert_non_null(strstr(summary.hamiltonian, "integral(u, 0, 1, "));
    assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
    assert_false(summary.check.is_proved);
    asked_end(&it);
}

// Every request for memory refused once: a status comes back, and nothing is lost.
static void test_memory(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/inverse_problem/polar_divided.rhe", &size);
    bool is_done = false;
    for (size_t at = 1; !is_done; at += at < 40 ? 1 : at / 8) {
        support_memory memory = {0};
        rh_model_def def = rh_model_def_default();
        def.text = text;
        def.text_size = size;
        def.allocator = support_memory_allocator(&memory);
        rh_model *model = NULL;
        rh_inverse *inverse = NULL;
        assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
        memory.fail_at = memory.request_count + at;
        const rh_inverse_def ask = rh_inverse_def_default();
        const rh_status status = rh_inverse_create(model, &ask, &inverse, NULL);
        is_done = memory.request_count < memory.fail_at;
        assert_true(status == RH_E_MEMORY || status == RH_OK);
        assert_true(!is_done || status == RH_OK);
        rh_inverse_destroy(inverse);
        rh_model_destroy(model);
        assert_int_equal(memory.block_count, 0);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
